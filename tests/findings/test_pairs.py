#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_pairs.py SIMTCHECK COMPILER: two bugs are two findings, however close they are.

Each kernel of pairs/ has two bugs. With both there are two findings, whose cases show them again. With one of them
mended there is one, and with both mended the check passes. Comments in helps.cu say which barriers are proposed for its
races. The places of places.cu are in headers: a user's line is the place, and a library's is a note.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PAIRS = pathlib.Path(__file__).parent / "pairs"
BLOCKS = "<<<(n + 63) / 64, 64>>>"
ARRAYS = "(in int in[n], out int out[n], n)"
# kernel: launch, options, and the (rule, detail) of both findings
KERNELS = {
    "tile": ("<<<1, 64>>>(in int in[256], out int out[64], 4)", [],
             [("race", "write-read"), ("race", "read-write")]),
    "neighbours": (f"{BLOCKS}(in float in[n], out float out[n], n)", ["--size", "1,65,200"],
                   [("out-of-bounds-read", "before"), ("out-of-bounds-read", "after")]),
    "halo": ("<<<1, 64>>>(in int in[64], out int out[64])", [],
             [("uninitialized-read", "shared"), ("race", "write-read")]),
    "edge": ("<<<1, 64>>>(in int in[64], out int out[64])", [],
             [("uninitialized-read", "shared"), ("race", "write-read")]),
    "address": ("<<<1, 64>>>(in int in[64], out int out[64])", [],
                [("out-of-bounds-write", "after"), ("race", "write-read")]),
    "list": ("<<<1, 64>>>(zeros int flag[1], zeros int out[64], zeros int count[1])", [],
             [("order-dependent", None), ("race", None)]),
    "sizes": ("<<<1, 64>>>(in int in[64], out int out[64], n)", ["--size", "1-30"],
              [("race", "write-read"), ("race", "write-read")]),
    "constant": ("<<<1, 64>>>(in int in[64], out int out[64], zeros int last[1])",
                 ["--against", str(PAIRS / "constant_right.cu")],
                 [("wrong-result", None), ("race", None)]),
    "crowd": ("<<<1, 64>>>(zeros unsigned words[50], zeros int scratch[1], out int out[1])", [],
              [("race", None), ("race", None)]),
    "stores": (f"{BLOCKS}{ARRAYS}", ["--size", "65", "--against", str(PAIRS / "stores_right.cu")],
               [("wrong-result", None), ("wrong-result", None)]),
    "calls": (f"{BLOCKS}{ARRAYS}", ["--size", "65"],
              [("out-of-bounds-read", "after"), ("out-of-bounds-read", "after")]),
    "warps": ("<<<1, 64>>>(out int out[64], n)", ["--size", "1-3"],
              [("out-of-bounds-write", "after"), ("out-of-bounds-write", "after")]),
    "headers": (f"{BLOCKS}{ARRAYS}", ["--size", "65"],
                [("out-of-bounds-read", "after"), ("out-of-bounds-read", "after")]),
}

# kernel of places.cu: its launch, and the rule, place and library's line of each finding
PLACES = {
    "inside": ("<<<1, 64>>>(inout int out[2], zeros int flag[1])",
               [("race", "include/places.cuh", 7, "cccl/plain.cuh:7"), ("race", "places.cu", 8, "cccl/plain.cuh:13")]),
    "outside": ("<<<1, 64>>>(inout int out[64])", [("out-of-bounds-write", "places.cu", 15, "cccl/plain.cuh:7")]),
    "far": ("<<<1, 64>>>(inout int out[1])", [("race", "places.cu", 18, "cccl/plain.cuh:19")]),
    "beside": ("<<<1, 64>>>(out int out[1])", [("race", "beside.cuh", 5, "")]),
    "far_outside": ("<<<1, 64>>>(inout int out[64])", [("out-of-bounds-write", "places.cu", 25, "cccl/plain.cuh:19")]),
}


def run_check(command):
    """Returns the exit status and the findings of the only launch."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "check.json")
        ended = subprocess.run([*command, "--json", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               check=False)
        if ended.returncode > 1:
            sys.exit(f"{command}: exit status {ended.returncode}\n{ended.stdout}")
        with open(path, encoding="utf-8") as text:
            return ended.returncode, json.load(text)["launches"][0]["findings"]


def is_shown_again(command, finding):
    """Returns whether the case of a finding shows it, or what explains it."""
    identity = finding["identity"]
    _, found = run_check([*command, *finding["evidence"][0]["replay"].split()])
    return any(one["rule"] == finding["rule"] and one["identity"]["places"] == identity["places"] and
               one["identity"].get("array") == identity.get("array")
               for parent in found for one in [parent, *parent.get("consequences", [])])


def check(simtcheck, compiler, kernel, mended):
    """Returns the exit status and the findings of a kernel."""
    launch, options, _ = KERNELS[kernel]
    command = [simtcheck, "check", "--engine", "sim", str(PAIRS / f"{kernel}.cu"), kernel + launch, *options,
               "--compiler", compiler, *(f"-D{name}_MENDED=1" for name in mended)]
    status, findings = run_check(command)
    lost = [finding["message"] for finding in findings if not mended and not is_shown_again(command, finding)]
    return status, [(finding["rule"], finding["identity"].get("detail")) for finding in findings], lost


def check_limit(simtcheck, compiler):
    """Returns whether findings beyond the limit are counted, and all others are in the file for JUnit."""
    with tempfile.TemporaryDirectory() as folder:
        path, results, junit = (os.path.join(folder, name) for name in ("many.cu", "check.json", "check.xml"))
        with open(path, "w", encoding="utf-8") as text:
            text.write("__global__ void many(int *s)\n{\n")
            text.writelines(f"    s[{k}] = threadIdx.x;\n" for k in range(40))
            text.write("}\n")
        subprocess.run([simtcheck, "check", path, "many<<<1, 64>>>(out int s[40])", "--only", "races", "--compiler",
                        compiler, "--json", results, "--junit", junit], stdout=subprocess.PIPE, check=False,
                       timeout=60)
        with open(results, encoding="utf-8") as text:
            launch = json.load(text)["launches"][0]
        with open(junit, encoding="utf-8") as text:
            failures = [test.count("error: data race on s[") for test in text.read().split("<testcase")[1:]]
    more = [check.get("more_failures", 0) for check in launch["checks"]]
    # A failure repeats the title of its first finding.
    right = len(launch["findings"]) == 32 and all(more) and all(count == 33 for count in failures)
    if not right:
        print(f"40 races: {len(launch['findings'])} findings, further cases {more}, in JUnit {failures}")
    return right


def wanted_helps(source):
    """Returns the barriers of the comments, by kernels. One in a helper belongs to the kernel after it."""
    wanted, helps = {}, []
    for number, line in enumerate(source.splitlines(), 1):
        if line.startswith(("__global__", "__device__")):
            helps = [] if not helps or helps in wanted.values() else helps
        if kernel := re.match(r"__global__ void (\w+)", line):
            wanted[kernel[1]] = helps
        if barrier := re.search(r" help: (__sync\w+\(\))", line):
            helps.append((barrier[1], str(number)))
    return wanted


def check_helps(simtcheck, compiler):
    """Returns whether the barriers that helps.cu wants are proposed, once in the text, and no others."""
    folder = PAIRS.parent
    wanted = wanted_helps((folder / "helps.cu").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as results:
        path = os.path.join(results, "check.json")
        ended = subprocess.run([simtcheck, "check", folder / "helps.cu", folder / "helps.launches", "--only", "races",
                                "--compiler", compiler, "--json", path], stdout=subprocess.PIPE, text=True, check=False)
        with open(path, encoding="utf-8") as text:
            launches = json.load(text)["launches"]
    found, same = {}, 0
    for launch in launches:
        races = [finding for finding in launch["findings"] if finding["rule"] == "race"]
        texts = [race["evidence"][0].get("help", "") for race in races]
        places = re.findall(r"(__sync\w+\(\)) before line (\d+)", " ".join(texts))
        found[launch["launch"].split("<")[0]] = sorted(set(places)) if all(texts) or not any(texts) else texts
        same += len(texts) - len(set(texts)) if any(texts) else 0
    right = (found == {kernel: sorted(helps) for kernel, helps in wanted.items()} and ended.returncode == 1 and
             all(launch["result"] == "fail" for launch in launches))
    if not right or not 0 < same == ended.stdout.count("help: the same change orders them"):
        print(f"helps.cu: {same} repeated\n    expected {wanted}\n    found    {found}\n{ended.stdout}")
        return False
    return True


def check_places(simtcheck, compiler):
    """Returns the number of kernels of places.cu with other findings. If nvcc is tested, clang takes part if it is
    there: both find the same."""
    wrong, simtcheck = 0, os.path.abspath(simtcheck)
    for kernel, (launch, expected) in PLACES.items():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "check.json")
            command = [simtcheck, "check", "places.cu", kernel + launch, "--json", path,
                       *(["--compiler", compiler] if compiler == "clang" else []),
                       "--", f"-I{PAIRS / 'include'}", "-isystem", str(PAIRS / "include" / "cccl")]
            text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                                  cwd=PAIRS).stdout
            with open(path, encoding="utf-8") as results:
                findings = json.load(results)["launches"][0]["findings"]
        found = sorted(((finding["rule"], finding["file"], finding["line"],
                         " ".join(finding["evidence"][0].get("notes", []))) for finding in findings),
                       key=lambda one: one[2])
        if len(found) != len(expected) or not all(
                one[0] == rule and one[1].endswith(file) and one[2] == line and library in one[3]
                for one, (rule, file, line, library) in zip(found, expected)):
            wrong += 1
            print(f"{kernel}:\n    expected {expected}\n    found    {found}\n{text}")
        if kernel == "inside" and ("with acquire semantics, scope device" not in text or "volatile" in text):
            wrong += 1
            print(f"a load with acquire semantics:\n{text}")
    return wrong


def main(simtcheck, compiler):
    jobs = [(kernel, mended) for kernel in KERNELS
            for mended in ([], ["FIRST"], ["SECOND"], ["FIRST", "SECOND"])]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda job: check(simtcheck, compiler, *job), jobs)
        for (kernel, mended), (status, found, lost) in zip(jobs, results):
            both = KERNELS[kernel][2]
            expected = [finding for name, finding in zip(["FIRST", "SECOND"], both) if name not in mended]
            if sorted(map(str, found)) != sorted(map(str, expected)) or status != bool(expected):
                wrong += 1
                print(f"{kernel}, mended: {mended}: exit status {status}")
                print(f"    expected {expected}\n    found    {found}")
            if lost:
                wrong += 1
                print(f"{kernel}: cases that do not show their findings: {lost}")
    return (wrong + check_places(simtcheck, compiler) + (not check_limit(simtcheck, compiler)) +
            (not check_helps(simtcheck, compiler)))


sys.exit(main(*sys.argv[1:]) != 0)
