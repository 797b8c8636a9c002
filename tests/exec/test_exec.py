#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_exec.py SIMTCHECK SOURCE PROGRAM [OUTPUT]: runs a program by `simtcheck exec`.

Each comment "finding: RULE" of SOURCE stands for a finding of that rule at its line, and there is no other. It has one
message, with its source line. A comment "says: TEXT" stands for a line of standard error, in which "..." is any text.
The program prints OUTPUT alone. JSON, JUnit and SARIF, in files named by %p, must agree.

If OUTPUT is "without lines", the program has no line information: functions stand for lines, and notes say how to
compile it.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree


def expected_findings(source):
    found = []
    with open(source, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            for rule in re.findall(r"/\* finding: ([a-z-]+) \*/", line):
                found.append((rule, number))
    return sorted(found)


def read_texts(source):
    with open(source, encoding="utf-8") as text:
        return re.findall(r"^// says: (.*)$", text.read(), re.M)


def wrong_texts(errors, source, program, findings):
    """Returns what is wrong with the messages on standard error."""
    wrong = []
    with open(source, encoding="utf-8") as text:
        lines = text.read().splitlines()
    for says in read_texts(source):
        if not re.search(".*".join(re.escape(part) for part in says.split("...")), errors):
            wrong.append(f"it does not say: {says}")
    for finding in findings:
        title = f"{finding['file']}:{finding['line']}: error: "
        shown = f"\n{finding['line']:5} | {lines[finding['line'] - 1]}\n      |     "
        if title not in errors or shown not in errors:
            wrong.append(f"no message '{title}' with its source line")
    if len(re.findall(r"error: ", errors)) != len(findings):
        wrong.append("not one message for each finding")
    verdict = f"{os.path.basename(program)}  {'FAIL' if findings else 'PASS'}  "
    if not re.search("^" + re.escape(verdict), errors, re.M):
        wrong.append(f"no verdict '{verdict}'")
    if re.search(r"\b_Z|kernel launch\b|libc_start", errors):
        wrong.append("a name is not that of the source")
    return wrong


def run(simtcheck, program, folder):
    options = [word for kind in ("json", "junit", "sarif") for word in ("--" + kind, f"{folder}/{kind}.%p")]
    with subprocess.Popen([simtcheck, "exec", *options, "--", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as started:
        output, errors = started.communicate()
    with open(f"{folder}/json.{started.pid}", encoding="utf-8") as text:
        results = json.load(text)
    with open(f"{folder}/sarif.{started.pid}", encoding="utf-8") as text:
        sarif = json.load(text)
    junit = xml.etree.ElementTree.parse(f"{folder}/junit.{started.pid}").getroot()
    return started.returncode, output, errors, results, sarif, junit


def check_without_lines(simtcheck, source, program):
    with tempfile.TemporaryDirectory() as folder:
        _, _, errors, results, _, _ = run(simtcheck, program, folder)
    found = sorted(finding["rule"] for finding in results["launches"][0]["findings"])
    wrong = []
    if found != sorted(rule for rule, _ in expected_findings(source)):
        wrong.append(f"found: {found}")
    wrong += [f"missing: {text}" for text in ("compile with -g", "compile with -lineinfo: the code of ", " by main")
              if text not in errors]
    if re.search(r"PTX:\d|\.h:\d", errors):
        wrong.append("it has lines of PTX or the C library")
    if wrong:
        print("\n".join(wrong), errors, sep="\n")
    return 1 if wrong else 0


def main():
    simtcheck, source, program = sys.argv[1:4]
    if sys.argv[4:] == ["without lines"]:
        return check_without_lines(simtcheck, source, program)
    output = sys.argv[4] + "\n" if len(sys.argv) > 4 else ""
    expected = expected_findings(source)
    with tempfile.TemporaryDirectory() as folder:
        ended, printed, errors, results, sarif, junit = run(simtcheck, program, folder)
    findings = results["launches"][0]["findings"]
    found = sorted((finding["rule"], finding["line"]) for finding in findings)
    wrong = wrong_texts(errors, source, program, findings)
    if found != expected:
        wrong.append(f"expected: {expected}\nfound: {found}")
    if any(not finding["file"].endswith(os.path.basename(source)) for finding in findings):
        wrong.append("a finding is in another file")
    if printed != output:
        wrong.append(f"it prints: {printed!r}")
    status = 1 if expected else 0
    if ended != status or results["status"] != status:
        wrong.append(f"exit status {ended}, {results['status']} in the file")
    if bool(sarif["runs"][0]["results"]) != bool(expected):
        wrong.append("SARIF differs")
    if bool(junit.findall(".//failure")) != bool(expected):
        wrong.append("JUnit differs")
    if wrong:
        print("\n".join(wrong), errors, sep="\n")
    return 1 if wrong else 0


sys.exit(main())
