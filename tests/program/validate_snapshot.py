#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Validates a snapshot against its schema, and the schema against the snapshot: validate_snapshot.py SCHEMA FILE.

The file must be valid. The script then removes each member in turn, and gives it a value of another
type. For rows of an array it changes the first row that has the member. The schema must reject each
such file. Exit status: 0, 1, or 77 without the module jsonschema.
"""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    print("python3 has no module jsonschema: install python3-jsonschema")
    sys.exit(77)

# Members that may be missing: members of some rows only, and objects with arbitrary names.
OPTIONAL = {"place", "expected", "got", "fault", "file", "line", "block", "thread", "inlined_at",
            "ptx_line", "scope", "async", "old", "new", "value", "outcome", "case", "smallest",
            "launches", "reached", "element", "index", "count", "bytes", "object", "origin"}
OPEN = ("environment/reasons", "environment/variables", "environment/engines", "races", "counters", "throughput")


class Wrong:
    """A value of a type that no member has."""


def paths(value, path, shape, seen):
    """Returns the paths of all members, each kind once."""
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
