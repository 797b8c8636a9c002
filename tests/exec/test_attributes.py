#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_attributes.py SIMTCHECK PROGRAM: attributes, flags and edges of attributes.c under `simtcheck exec`.

test_attributes.py --table SOURCE TOOLKIT: compares the table in SOURCE with the enumerators in CUDA's headers.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# The arguments, the exit status, and what standard error must say.
CASES = [
    ("runtime 6 1", 3, "programmatic stream serialization (launch attribute 6) is not modelled"),
    ("runtime 6 1", 3, "first used by cudaLaunchKernelExC()"),
    ("runtime 6 0", 0, ""),
    ("runtime 7 0", 3, "programmatic event (launch attribute 7)"),
    ("runtime 7 2", 1, "flag 2 of a recorded or awaited event"),
    ("runtime 9 1", 3, "mem sync domain map (launch attribute 9)"),
    ("runtime 9 256", 0, ""),
    ("runtime 10 1", 3, "mem sync domain (launch attribute 10)"),
    ("runtime 10 0", 0, ""),
    ("runtime 11 2", 3, "preferred cluster dimension (launch attribute 11)"),
    ("runtime 12 0", 3, "launch completion event (launch attribute 12)"),
    ("runtime 13 0", 0, ""),
    ("runtime 13 1", 1, "device updatable kernel node (launch attribute 13)"),
    ("runtime 14 50", 0, ""),
    ("runtime 15 0", 1, "does not support launch attribute 15"),
    ("runtime 77 0", 1, "does not support launch attribute 77"),
    ("driver 6 1", 3, "programmatic stream serialization (launch attribute 6) is not modelled"),
    ("driver 6 0", 0, ""),
    ("driver 12 0", 3, "launch completion event (launch attribute 12)"),
    ("driver 77 0", 1, "does not support launch attribute 77"),
    ("capture 6 1", 3, "programmatic stream serialization (launch attribute 6) is not modelled"),
    ("capture 8 1", 0, ""),
    ("edge 0 0", 0, ""),
    ("edge 0 1", 3, "programmatic (outgoing port 1 of a graph edge) is not modelled"),
    ("edge 0 2", 3, "launch completion (outgoing port 2 of a graph edge) is not modelled"),
    ("edge 0 3", 1, "does not support outgoing port 3 of a graph edge"),
    ("edge 1 1", 1, "does not support incoming port 1 of a graph edge"),
    ("edge 2 1", 3, "programmatic (type 1 of a graph edge) is not modelled"),
    ("edge 2 2", 1, "does not support type 2 of a graph edge"),
    ("edge 7 1", 1, "does not support reserved byte 1 of a graph edge"),
    ("instantiate 0 8", 0, ""),
    ("instantiate 0 4", 1, "device launch (flag 4 of a graph instance)"),
    ("instantiate 0 16", 1, "flag 16 of a graph instance"),
    ("wait 0 1", 1, "external (flag 1 of a recorded or awaited event)"),
    ("cudaStreamWaitEvent 0 1", 0, ""),
    ("cudaStreamWaitEvent 0 4", 1, "flag 4 of a recorded or awaited event"),
    ("cudaStreamSetAttribute 3 1", 0, ""),
    ("cudaStreamSetAttribute 10 1", 3, "mem sync domain (stream attribute 10)"),
    ("cudaStreamSetAttribute 6 1", 1, "does not support stream attribute 6"),
    ("cudaFuncSetAttribute 9 50", 0, ""),
    ("cudaFuncSetAttribute 11 0", 0, ""),
    ("cudaFuncSetAttribute 11 2", 1, "required cluster width (function attribute 11)"),
    ("cuFuncSetAttribute 12 2", 1, "required cluster height (function attribute 12)"),
    ("cuFuncSetAttribute 99 1", 1, "does not support function attribute 99"),
    ("cudaStreamCreateWithFlags 0 4", 1, "flag 4 of a stream"),
    ("cudaEventCreateWithFlags 0 32", 1, "flag 32 of an event"),
    ("cudaHostAlloc 0 7", 0, ""),
    ("cudaHostAlloc 0 8", 1, "flag 8 of host memory"),
    ("cudaMallocManaged 0 2", 0, ""),
    ("cudaMallocManaged 0 16", 1, "flag 16 of managed memory"),
    ("cudaHostRegister 0 3", 0, ""),
    ("cudaHostRegister 0 4", 1, "I/O memory (flag 4 of registered memory)"),
    ("cudaHostRegister 0 8", 3, "read only (flag 8 of registered memory) is not modelled"),
]


def run(simtcheck, program, arguments, folder):
    command = [simtcheck, "exec", "--json", f"{folder}/json", "--", program, *arguments.split()]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stderr, json.loads(pathlib.Path(folder, "json").read_text(encoding="utf-8"))


def check_cases(simtcheck, program):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for arguments, status, text in CASES:
            ended, errors, results = run(simtcheck, program, arguments, folder)
            count = errors.count(" is not modelled")
            good = ended == status and text in errors and (status == 1 or count == (status == 3))
            good = good and (results["status"], results["complete"]) == (status, status != 3)
            if not good:
                wrong += 1
                print(f"{arguments}: exit status {ended}, not {status} with '{text}':\n{errors}")
    print(f"{len(CASES)} cases, {wrong} wrong")
    return wrong


def words(enumerator):
    """Returns the words of an enumerator of cuda.h or driver_types.h in lower case."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", enumerator)
    return re.sub(r"^(cu|cuda)_(func|launch)_attribute_", "", split.lower()).replace("_", " ")


def check_table(source, toolkit):
    rows = re.findall(r'\{FEATURE_(\w+),\s*(\d+),\s*"([^"]+)"', pathlib.Path(source).read_text(encoding="utf-8"))
    listed = {(kind, int(number), name) for kind, number, name in rows}
    declared = set()
    for header in ("cuda.h", "driver_types.h"):
        text = pathlib.Path(toolkit, "include", header).read_text(encoding="utf-8")
        text = re.sub(r"\n \*[^\n]*", "", text)  # examples in comments
        for name, number, note in re.findall(r"\b((?:CU_LAUNCH_ATTRIBUTE_|cudaLaunchAttribute)\w+)\s*=\s*(\d+)\s*"
                                             r"(?:/\*\*<([^.*]*))?", text):
            declared.add(("LAUNCH_ATTRIBUTE", int(number), words(name)))
            if "streams" in note:
                declared.add(("STREAM_ATTRIBUTE", int(number), words(name)))
        for name, number in re.findall(r"\b(CU_FUNC_ATTRIBUTE_\w+)\s*=\s*(\d+)", text):
            declared.add(("FUNCTION_ATTRIBUTE", int(number), words(name)))
    print(f"{len(declared)} attributes compared")
    for kind, number, name in sorted(declared - listed):
        print(f"the table lacks: {kind} {number} {name}")
    return len(declared - listed) + (len(declared) < 30)


sys.exit(1 if (check_table(*sys.argv[2:]) if sys.argv[1] == "--table" else check_cases(*sys.argv[1:])) else 0)
