#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the targets that tests need.

    tests/targets.py BUILD [CTEST_OPTION ...]

Prints nothing if the options select no test, and "all" if it is not known what a test needs.
"""
import json
import os
import subprocess
import sys


def main():
    listing = subprocess.run(["ctest", "--test-dir", sys.argv[1], "--show-only=json-v1", *sys.argv[2:]], check=True,
                             capture_output=True, text=True).stdout
    needed = [next((needs["value"] for needs in test["properties"] if needs["name"] == "REQUIRED_FILES"), None)
              for test in json.loads(listing)["tests"]]
    if None in needed:
        print("all")
    else:
        print(*sorted({os.path.basename(file) for files in needed for file in files}))


if __name__ == "__main__":
    main()
