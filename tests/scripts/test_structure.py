#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The structure of the code, from the objects of a build: test_structure.py ROOT BUILD [--write]

- No circle of files: a file that uses another's symbols is not used by that one, not even through others. STAYS has
  those that may be, each with a reason.
- In STATELESS folders, no variable outlives a call. STATE has those that do, each with a reason.
- No .c file is longer than MAX_LINES.
- Each include guard carries the room's name.
- src/ includes nothing of tools/, except where a program names its wings.
- The picture of the rooms in docs/internals.md is what the includes say. --write writes it.

Exit status 77: not all of src/ and tools/ is built.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

MAX_LINES = 1250
# Circles that stay: {frozenset of files: reason}.
STAYS = {}
# Folders whose functions get everything that they need as arguments.
STATELESS = ("src/checks/", "src/cli/", "src/results/", "src/mutation/", "src/cases/", "src/model/", "src/device/")
# Variables that stay: {(source, name): reason}.
STATE = {
    ("src/device/build.c", "known"): "a compiler is asked for its version once in a process",
    ("src/device/cache.c", "is_said"): "a message that is printed once",
    ("src/cases/launch/launch_values.c", "known"): "files stay mapped, because jobs have their addresses",
    ("src/cases/launch/launch_values.c", "count"): "the same",
    ("src/cli/main.c", "all"): "a list that is linked from those of the core and of the wings",
    ("src/results/parts.c", "names"): "the same",
    ("src/results/parts.c", "wings"): "the list of wings, which a program sets once",
    ("src/model/record_snapshot.c", "snapshot_table"): "the members of snapshots, with those of the list of wings",
    ("src/model/record_snapshot.c", "fields"): "the same",
    ("src/model/engines.c", "names"): "the text of a constant list",
    ("src/cli/command_line.c", "names"): "the same",
    ("src/cli/pages/reference.c", "tables"): "the tables that the program for the pages has seen",
    ("src/cli/pages/reference.c", "table_count"): "the same",
}
# What may include a header of tools/.
NAMES_WINGS = {"src/cli/simtcheck.c", "src/cli/pages/pages.c"}
# Built only in place of tools/tools.c.
ELSEWHERE = {"tools/no_tools.c"}
# Rooms, by folder. A folder belongs to the room of the longest name that it begins with.
ROOMS = {
    "src/base": "base", "include": "model", "src/model": "model", "kernels/catalogue": "catalogue",
    "src/oracle": "oracle", "src/engine": "engine", "src/engine/ptx": "ptx", "src/engine/matrix": "matrix",
    "src/engine/sim": "sim", "src/engine/sim/decode": "decode", "src/engine/cuda": "cuda", "src/cases": "cases",
    "src/workers": "workers", "src/device": "device", "src/capture": "capture", "src/capture/inject": "inject",
    "src/exec": "exec", "src/expectations": "expectations", "src/checks/session": "session",
    "src/checks/repair": "repair", "src/checks": "checks", "src/checks/launch": "launch", "src/mutation": "mutation",
    "src/results": "results", "src/results/page": "page", "src/package": "package",
    "src/identity": "identity", "src/cli": "cli",
    "src/soak": "soak-cases", "tools": "tools", "tools/bench": "bench", "tools/compilers": "compilers",
    "tools/litmus": "litmus", "tools/soak": "soak",
}
EVERYWHERE = {"base", "model"}  # the picture leaves them out
BEGIN, END = "<!-- rooms -->", "<!-- end of rooms -->"


def objects(root, build):
    """Yields (source relative to the root, object) for each object of src/ and tools/."""
    for path in build.rglob("*.c.o"):
        match = re.search(r"/((?:src|tools)/.*\.c)\.o$", str(path))
        if match and (root / match[1]).exists():
            yield match[1], path


def symbols(root, build):
    """Yields (source, name, class as nm has it, section) for each symbol."""
    sources = {str(path): source for source, path in objects(root, build)}
    listed = subprocess.run(["nm", "--format=sysv", *sources], capture_output=True, text=True, check=True).stdout
    source = None
    for line in listed.splitlines():
        columns = [column.strip() for column in line.split("|")]
        if len(columns) == 7:
            yield source, columns[0], columns[2], columns[6]
        elif ".o:" in line:
            source = sources[line.rstrip(":").split(" from ")[1]]


def symbol_graph(listed):
    defined, used = collections.defaultdict(set), collections.defaultdict(set)
    for source, name, kind, _ in listed:
        if kind in tuple("TDBRV"):
            defined[name].add(source)
        elif kind == "U":
            used[source].add(name)
    graph = {source: set() for source in used}
    for source, names in used.items():
        for name in names:
            if len(defined.get(name, ())) == 1:
                graph[source] |= defined[name] - {source}
    return graph


def circles(graph):
    """Returns the strongly connected components of more than one node, by Tarjan's algorithm."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            members = set()
            while not members or node not in members:
                members.add(stack.pop())
            if len(members) > 1:
                found.append(members)

    for node in graph:
        if node not in index:
            visit(node)
    return found


def variables(listed):
    """Yields (source, name) for each variable with static storage. Constant tables of pointers are none."""
    for source, name, kind, section in listed:
        if source.startswith(STATELESS) and kind in tuple("bBdD") and not section.startswith(".data.rel.ro"):
            yield source, name.split(".")[0]


def room_of(path):
    folder = max((name for name in ROOMS if path.startswith(name + "/")), key=len, default=None)
    return ROOMS.get(folder)


def guards_of(path):
    """Returns the include guards that a header may have: SIMTCHECK_ROOM_FILE_H, by the room or a folder."""
    folders = {name.upper() for name in pathlib.PurePath(path).parts[:-1]} | {room_of(path).upper().replace("-", "_")}
    stem = pathlib.PurePath(path).stem.upper()
    whole = {f"SIMTCHECK_{stem}_H" for folder in folders if stem.startswith(folder)}  # as in soak/soak_code.h
    return whole | {f"SIMTCHECK_{folder}_{stem}_H" for folder in folders}


def wrong_guards(root):
    owners = {}
    for folder in ("src", "tools"):
        for path in sorted(root.glob(f"{folder}/**/*.h")):
            name = str(path.relative_to(root))
            match = re.search(r"^#ifndef (SIMTCHECK_\w+_H)$", path.read_text(encoding="utf-8"), re.M)
            if match is None or name.startswith("src/device/clang/"):  # tables that are included twice; others' names
                continue
            if match[1] not in guards_of(name):
                yield f"{name}: the include guard {match[1]} is to be one of {', '.join(sorted(guards_of(name)))}"
            if owners.setdefault(match[1], name) != name:
                yield f"{name} and {owners[match[1]]} have the include guard {match[1]}"


def included_files(root, build):
    """Returns, for each file, the files that it includes itself, as the compiler found them."""
    seen = collections.defaultdict(set)  # by file: all files that were read with it
    for source, path in objects(root, build):
        listed = pathlib.Path(f"{path}.d")
        if not listed.exists():
            continue
        read = set()
        for name in listed.read_text(encoding="utf-8").replace("\\\n", " ").split():
            match = re.search(r"(?:^|/)((?:src|tools|include|kernels)/.*\.[ch])$", os.path.normpath(name))
            if match and (root / match[1]).exists():
                read.add(match[1])
        for name in read | {source}:
            seen[name] |= read
    included = {}
    for name, read in seen.items():
        text = (root / name).read_text(encoding="utf-8")
        included[name] = set()
        for wanted in re.findall(r'^#include "([^"]+)"', text, re.M):
            own = os.path.normpath(pathlib.PurePath(name).parent / wanted)
            candidates = [own] if (root / own).exists() else [
                other for other in read if other.endswith("/" + wanted)]
            included[name] |= set(candidates[:1])
    return included


def picture(included):
    """Returns the rooms, each with those that it uses, from the highest to the lowest."""
    uses = collections.defaultdict(set)
    for name, others in included.items():
        for other in others if name not in NAMES_WINGS else ():
            if room_of(name) and room_of(other) not in (None, room_of(name)):
                uses[room_of(name)].add(room_of(other))
    for circle in circles(uses):
        raise SystemExit("a circle of rooms: " + ", ".join(sorted(circle)))
    depth = {}

    def level(room):
        if room not in depth:
            depth[room] = 0
            depth[room] = 1 + max((level(other) for other in uses[room]), default=0)
        return depth[room]

    rooms = sorted(set(ROOMS.values()), key=lambda room: (-level(room), room))
    lines = [f"    {room:12} -> " + " ".join(sorted(uses[room] - EVERYWHERE)) for room in rooms
             if room not in EVERYWHERE]
    return "\n".join(line.rstrip().removesuffix(" ->").rstrip() for line in lines)


def main():
    root, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    sources = [str(path.relative_to(root)) for folder in ("src", "tools") for path in root.glob(f"{folder}/**/*.c")]
    missing = set(sources) - {source for source, _ in objects(root, build)} - ELSEWHERE
    if missing:
        print(f"{len(missing)} files are not built, such as {min(missing)}: build all first")
        return 77
    wrong = []
    listed = list(symbols(root, build))
    for circle in circles(symbol_graph(listed)):
        if frozenset(circle) not in STAYS:
            wrong.append("a circle of files: " + ", ".join(sorted(circle)) +
                         ": move what they share to a file below them")
    found = set(variables(listed))
    wrong += [f"{source}: the variable '{name}' outlives a call: pass it as an argument"
              for source, name in sorted(found - set(STATE))]
    wrong += [f"{source} has no variable '{name}': remove it from STATE" for source, name in sorted(set(STATE) - found)]
    for source in sources:
        lines = len((root / source).read_text(encoding="utf-8").splitlines())
        if lines > MAX_LINES:
            wrong.append(f"{source} has {lines} lines: split it by concept, at most {MAX_LINES}")
    wrong += wrong_guards(root)
    included = included_files(root, build)
    for name, others in sorted(included.items()):
        wings = sorted(other for other in others if other.startswith("tools/"))
        if name.startswith("src/") and wings and name not in NAMES_WINGS:
            wrong.append(f"{name} includes {wings[0]}: the core includes nothing of tools/")
    page = root / "docs/internals.md"
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    drawn, _, after = rest.partition(END)
    right = picture(included)
    if "--write" in sys.argv:
        page.write_text(f"{before}{BEGIN}\n\n{right}\n\n{END}{after}", encoding="utf-8")
    elif drawn.strip("\n") != right:
        wrong.append("the rooms in docs/internals.md are not those of the includes: run "
                     "tests/scripts/test_structure.py . BUILD --write")
    for line in wrong:
        print(line)
    return 1 if wrong or not included else 0


if __name__ == "__main__":
    sys.exit(main())
