#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes PTX in a way whose effect on the verdict is known: edit_ptx.py LAW, from standard input to standard output.
Each line of PTX keeps its number. If a line changes, a file `edited` appears beside the folder SIMTCHECK_TRACE. These
are the laws of laws.py that hold for any kernel.
"""
import os
import pathlib
import re
import sys

from laws import FEWER, MORE, SAME

ACCESS = re.compile(r"(?P<guard>@!?[%\w]+\s+)?\b(?P<kind>ld|st|atom|red)\.(?P<words>[\w.:]*?)"
                    r"(?P<vector>\.v[24])?\.(?P<type>[busf](?:8|16|32|64))\s+(?P<operands>[^;]*);")
ADDRESS = re.compile(r"\[(?P<base>[%\w$]+)(?:\+(?P<offset>-?\d+))?\]")
NOT_PLAIN = {"param", "local", "const", "async", "bulk", "mmio", "nc"}


def accesses(change):
    """Returns a function of a line that replaces each access to memory by what change(match, address) returns."""
    def edit(match):
        address = ADDRESS.search(match["operands"])
        is_known = address is not None and not NOT_PLAIN & set(re.split(r"[.:]+", match["words"]))
        return (is_known and change(match, address)) or match.group()
    return lambda line: ACCESS.sub(edit, line)


def add_load(match, address):
    """A plain load in front of what writes."""
    if match["kind"] == "ld":
        return None
    space = next((f"{word}." for word in re.findall(r"shared::cluster|shared::cta|shared|global", match["words"])), "")
    bits = match["type"][1:]
    return (f"{{ .reg .b{16 if bits == '8' else bits} %judge; {match['guard'] or ''}ld.{space}b{bits} %judge, "
            f"{address.group()}; }} {match.group()}")


def split_vector(match, address):
    if match["vector"] is None:
        return None
    registers = re.search(r"\{([^}]*)\}", match["operands"])
    parts, bytes = registers[1].split(","), int(match["type"][1:]) // 8
    if address["base"] in (part.strip() for part in parts):
        return None
    text = []
    for k, part in enumerate(parts):
        at = f"[{address['base']}+{int(address['offset'] or 0) + k * bytes}]"
        operands = f"{part}, {at}" if match["kind"] == "ld" else f"{at}, {part}"
        text.append(f"{match['guard'] or ''}{match['kind']}.{match['words']}.{match['type']} {operands};")
    return " ".join(text)


def add_fence(match, address):
    return f"{match.group()} fence.acq_rel.sys;" if match["kind"] != "ld" else None


def double_barrier(line):
    return re.sub(r"((@!?[%\w]+\s+)?bar(rier)?\.sync(\.aligned)?\s+0;)", r"\1 \1", line)


def widen_scope(line):
    if re.match(r"\s*(@!?[%\w]+\s+)?(ld|st|atom|red|fence)\.", line):
        return re.sub(r"\.(cta|cluster|gpu)\b(?!\s*\.shared)", ".sys", line)
    return re.sub(r"\bmembar\.(cta|gl);", "membar.sys;", line)


LAWS = {"add_load": (MORE, accesses(add_load)), "add_fence": (FEWER, accesses(add_fence)),
        "split_vector": (SAME, accesses(split_vector)), "double_barrier": (SAME, double_barrier),
        "widen_scope": (FEWER, widen_scope)}

if __name__ == "__main__":
    lines = sys.stdin.readlines()
    edited = [LAWS[sys.argv[1]][1](line) for line in lines]
    sys.stdout.writelines(edited)
    if edited != lines:
        pathlib.Path(os.environ["SIMTCHECK_TRACE"]).with_name("edited").touch()
