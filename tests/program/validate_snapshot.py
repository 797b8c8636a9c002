#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds a snapshot to its schema, and the schema to the snapshot: validate_snapshot.py SCHEMA FILE.

The file has to be valid. Each of its members is then left out, and given a value of another type, in
turn (of an array's members, in the first row that has them): no such file may be valid, or the schema
says less than the program promises. Exit status 0, 1, or 77 without the module jsonschema.
"""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    print("python3 has no module jsonschema: install python3-jsonschema")
    sys.exit(77)

# Members that may be left out: what not every row has, and objects whose names are open.
OPTIONAL = {"place", "expected", "got", "fault", "file", "line", "block", "thread", "inlined_at",
            "ptx_line", "scope", "old", "new", "value", "outcome", "case", "smallest",
            "launches", "reached"}
OPEN = ("environment/reasons", "environment/engines", "races", "counters", "throughput")


class Wrong:
    """Of a type that no member has."""


def paths(value, path, shape, seen):
    """The paths of all members, each kind once."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for name, member in items:
        kind = shape + ("[]" if isinstance(value, list) else "/" + name)
        if isinstance(value, dict) and kind not in seen:
            seen.add(kind)
            yield path + [name], kind
        if isinstance(member, (dict, list)):
            yield from paths(member, path + [name], kind, seen)


def is_open(kind):
    parent = kind.strip("/").rpartition("/")[0]
    return parent in OPEN


def main(schema_path, path):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    with open(path, encoding="utf-8") as file:
        snapshot = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failed = False
    for error in validator.iter_errors(snapshot):
        print(f"{error.json_path}: {error.message[:300]}")
        failed = True
    tried = 0
    for steps, kind in paths(snapshot, [], "", set()):
        changed = copy.deepcopy(snapshot)
        parent = changed
        for step in steps[:-1]:
            parent = parent[step]
        parent[steps[-1]] = Wrong()
        tried += 1
        if validator.is_valid(changed):
            print(f"{kind}: a value of another type is valid")
            failed = True
        del parent[steps[-1]]
        if steps[-1] not in OPTIONAL and not is_open(kind) and validator.is_valid(changed):
            print(f"{kind}: a snapshot without it is valid")
            failed = True
    print(f"{tried} members were left out and mistyped")
    return 1 if failed or tried == 0 else 0


sys.exit(main(sys.argv[1], sys.argv[2]))
