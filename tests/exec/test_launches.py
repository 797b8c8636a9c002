#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_launches.py SIMTCHECK PROGRAM: which launches of launches.c `simtcheck exec` checks, and what it accepts."""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

EXCLUDE = "--kernel-name-exclude"
LEAK = "[exec cuMemAlloc_v2]\nresult = memory-leak\nlink = https://bugs.example.com/1\nexpires = 2999-01-01\n"
RACE = "[exec wro*]\nresult = race, memory-leak\nlink = https://bugs.example.com/2\nexpires = 2999-01-01\n"
OLD = RACE.replace("2999", "1999")
READ = RACE.replace("wro*", "*").replace("race", "uninitialized-read")

# The launches, the options, the file of --expect, and then the exit status, the kernels of the findings, and what
# standard error must have ("!": must not have).
CASES = [
    ("rwou", [], None, 1, "race race uninitialized-read", ["4 launches", "2 data races, 1 uninitialized read"]),
    # By name, in the source and in PTX.
    ("rwou", ["--kernel-name", "right"], None, 0, "",
     ["PARTIAL  no finding in what was checked", "1 of 4 launches",
      "--kernel-name leaves out 3 launches of wrong, other, unwritten"]),
    ("rwou", ["--kernel-name", "r*", "--kernel-name", "_Z5wrongILi1E*"], None, 1, "race", ["2 of 4 launches"]),
    ("rwou", ["--kernel-name", "right", EXCLUDE, "r*: all"], None, 3, "", ["nothing was checked: --kernel-name"]),
    ("rwou", ["--kernel-name", "rig"], None, 3, "", ["PARTIAL  not checked", "0 of 4 launches"]),
    # Kernels that are left out run, and may race or use unwritten memory. They may not leave their memory.
    ("rwou", [EXCLUDE, "wrong: bug 1", EXCLUDE, "?ther: a: b", EXCLUDE, "unwritten: bug 2"], None, 0, "",
     ["--kernel-name-exclude '?ther: a: b' leaves out 1 launch of other;", "1 of 4 launches"]),
    ("rpr", [EXCLUDE, "past: bug 3"], None, 1, "out-of-bounds-write",
     ["note: the launch is left out, but it cannot go on after this", "1 of 2 launches"]),
    # By number, of those that the names leave.
    ("rwwr", ["--launch-skip", "3"], None, 0, "", ["--launch-skip leaves out 3 launches of right, wrong\n"]),
    ("rwwr", ["--launch-count", "1"], None, 0, "", ["--launch-count leaves out 3 launches of wrong, right\n"]),
    ("rrwr", ["--launch-skip", "1", "--launch-count", "1"], None, 0, "", ["1 of 4 launches"]),
    ("rowr", [EXCLUDE, "other: x", "--launch-skip", "1", "--launch-count", "1"], None, 1, "race", ["1 of 4 launches"]),
    ("rr", ["--launch-skip", "2"], None, 3, "", ["nothing was checked: --launch-skip leaves out 2 launches of right"]),
    ("rr", ["--launch-count", "2"], None, 0, "", ["PASS  no finding", "!left out", "  2 launches"]),
    ("rr", ["--minutes", "60"], None, 0, "", ["PASS  no finding"]),
    ("rsw", ["--minutes", "0.01"], None, 0, "", ["1 of 2 launches", "--minutes leaves out 1 launch of wrong"]),
    # Many races of equal values hide no other one. The checker keeps 64.
    ("m", ["--allow", "same-value"], None, 1, "race", ["data race on element 0 of"]),
    ("M", ["--allow", "same-value"], None, 1, 64 * "race ", ["64 data races"]),
    # No launch.
    ("", [], None, 3, "", ["no kernel was launched, so nothing was checked"]),
    ("", ["--allow", "no-launch"], None, 0, "", ["PASS  no kernel was launched", "accepted by --allow no-launch"]),
    ("w", ["--allow", "no-launch"], None, 1, "race", ["FAIL"]),
    ("r", ["--allow", "no-launch", "--kernel-name", "x"], None, 0, "", ["0 of 1 launch,", "out 1 launch of right"]),
    # Known deviations.
    ("rw", ["-v"], RACE, 0, "race",
     ["PASS  only known deviations", "!error: ", "1 data race accepted: known deviation until 2999-01-01: https://",
      "known.expect:1: wro*: known deviation in 1 test"]),
    ("rwo", [], RACE, 1, "race race", ["error: data race on element 1", "!element 0 of", "FAIL  1 data race\n"]),
    ("rw", [], OLD, 1, "race", ["the entry expired on 1999-01-01, so the failure counts"]),
    ("rl", [], LEAK, 0, "memory-leak", ["cuMemAlloc_v2: known deviation in 1 test"]),
    ("rl", [], RACE + LEAK, 0, "memory-leak", ["wro*: no test matches"]),
    ("rw", [], READ, 1, "race", ["*: does not only fail with 'uninitialized-read,memory-leak'"]),
    ("r", [], READ, 0, "", ["*: passes now: remove the entry"]),
    ("rw", [EXCLUDE, "right: x"], RACE, 0, "race", ["PARTIAL  no finding in what was checked", "1 data race accepted"]),
    # The table.
    ("rwr", ["-v", "--launch-skip", "1"], None, 1, "race",
     ["\nright                                             1          1            128          0 ",
      "\nwrong                                             1          0             64          1 "]),
    ("r", ["-q", "-v"], None, 0, "", ["!threads"]),
    # Errors.
    ("r", [EXCLUDE, "right"], None, 2, "", ["--kernel-name-exclude 'right' has no reason: write 'right: REASON'"]),
    ("r", ["--kernel-name", ""], None, 2, "", ["--kernel-name needs the name of a kernel"]),
    ("r", [], RACE.replace("exec", "exe"), 2, "", ["'exe' is no kind of test: write", "[exec KERNEL]"]),
    ("r", [], RACE.replace("race", "wrong-result"), 2, "", ["a finding of exec, such as race"]),
]


def run(simtcheck, program, letters, options, expect):
    """Returns the process, the results in JSON, and the texts of JUnit and SARIF."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("json", "xml", "sarif")]
        if expect is not None:
            with open(os.path.join(folder, "known.expect"), "w", encoding="utf-8") as file:
                file.write(expect)
            options = options + ["--expect", "known.expect"]
        ended = subprocess.run([simtcheck, "exec", *options, "--json", paths[0], "--junit", paths[1], "--sarif",
                                paths[2], "--", program, letters], cwd=folder, capture_output=True, text=True,
                               check=False)
        if ended.returncode == 2:
            return ended, {"launches": []}, None, None
        with open(paths[0], encoding="utf-8") as file:
            results = json.load(file)
        with open(paths[2], encoding="utf-8") as file:
            sarif = json.load(file)
        junit = xml.etree.ElementTree.parse(paths[1]).getroot()
    return ended, results, junit, sarif["runs"][0]["invocations"][0]


def wrong_files(says, results, junit, invocation):
    """Returns what is wrong with the files of a run that ends with PARTIAL by the user's wish."""
    check = results["launches"][0]["checks"][0]
    text = "".join(junit.itertext())
    notes = [note["message"]["text"] for note in invocation["toolExecutionNotifications"]]
    if check["result"] != "bounded" or not results["complete"] or says not in check["note"]:
        return f"JSON: {check}"
    if junit.get("errors") != "0" or junit.get("failures") != "0" or "PARTIAL: --" not in text or says not in text:
        return f"JUnit: {text}"
    return "" if any("PARTIAL: --" in note and says in note for note in notes) else f"SARIF: {notes}"


def main():
    simtcheck, program = sys.argv[1:]
    failed = False
    for letters, options, expect, status, rules, says in CASES:
        ended, results, junit, invocation = run(simtcheck, program, letters, options, expect)
        wrong = [text for text in says if (text[1:] in ended.stderr if text[0] == "!" else text not in ended.stderr)]
        found = [finding["rule"] for launch in results["launches"] for finding in launch["findings"]]
        if ended.returncode != status or found != rules.split() or ended.stdout != "":
            wrong.append(f"status {ended.returncode}, found {found}, printed '{ended.stdout}'")
        if status == 0 and "PARTIAL" in ended.stderr:
            wrong += filter(None, [wrong_files("leaves out", results, junit, invocation)])
        if wrong:
            print(f"{letters} {options}: {wrong}\n{ended.stderr}")
            failed = True
    return failed


sys.exit(main())
