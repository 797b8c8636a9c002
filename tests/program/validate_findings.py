#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the three files of one command: validate_findings.py SCHEMA FILE.json FILE.xml FILE.sarif.

Each file must have the structure of its format: JSON that of the schema, if python3 has the module jsonschema. The
test cases of JUnit and the results of SARIF must be those of the JSON file. Exit status: 0 or 1.
"""
import json
import re
import sys
import urllib.parse
import xml.etree.ElementTree

failures = []


def expect(right, text):
    if not right:
        failures.append(text)
        print(text)


def check_json(schema, results):
    try:
        import jsonschema
    except ImportError:
        print("not validated: python3 has no module jsonschema")
        return
    for error in jsonschema.Draft202012Validator(schema).iter_errors(results):
        expect(False, f"{error.json_path}: {error.message[:300]}")


def failing(check):
    return check["result"] == "fail"


def fails(finding):
    return finding["allowed_by"] is None


def all_findings(launch):
    """The findings of a launch, and their consequences."""
    for finding in launch["findings"]:
        yield finding
        yield from finding["consequences"]


def evidence_of(launch, check, name):
    """The evidence of a check, by the name of its test case."""
    return [evidence for finding in all_findings(launch) if finding["id"] in check["findings"]
            for evidence in finding["evidence"] if evidence["check"] == name]


def check_failure(failure, launch, found):
    """A failure has the message of each finding, or of what explains it, and how to run it again."""
    commands = [evidence["command"] for evidence in found if evidence["command"]]
    expect(not commands or any(command in failure.text for command in commands), "a failure without a command")
    for finding in launch["findings"]:
        of_check = [evidence for one in (finding, *finding["consequences"]) for evidence in one["evidence"]
                    if evidence in found and fails(evidence)]
        place = f"{finding['file']}:{finding['line']}: " if finding.get("line") else ""
        level = "error" if f"{place}error: " in failure.text else "warning"
        expect(not of_check or f"{place}{level}: " in failure.text, f"a failure does not say '{place}error'")
    expect(failure.get("type") and failure.get("message") == failure.text.split("\n", 1)[0],
           "a failure without type or title")


def check_suite(suite, launch, command):
    """A suite has a test case for each check, and counts them."""
    cases = suite.findall("testcase")
    expect(launch["launch"] in (None, suite.get("name")), f"the name of the suite is {suite.get('name')}")
    expect(suite.get("file") == launch["files"][0], f"the file of the suite is {suite.get('file')}")
    expect(len(cases) == len(launch["checks"]), f"{len(cases)} test cases for {len(launch['checks'])} checks")
    has_mutants = any(check["kind"] == "mutant" for check in launch["checks"])
    expect(has_mutants or len({case.get("name") for case in cases}) == len(cases), "two test cases have the same name")
    for case, check in zip(cases, launch["checks"]):
        name = case.get("name")
        failure = case.find("failure")
        expect(check["kernel"] in name and float(case.get("time")) >= 0, f"{name}: wrong name or time")
        expect(case.get("classname") == f"{command}.{check['kernel']}", f"{name}: wrong class")
        expect((failure is not None) == failing(check), f"{name}: a failure in one file only")
        is_skipped = case.find("skipped") is not None
        expect(is_skipped == (check["result"] == "skipped"), f"{name}: skipped in one file only")
        found = evidence_of(launch, check, name)
        expect(any(map(fails, found)) or not failing(check), f"{name} fails without a finding")
        if failure is not None:
            check_failure(failure, launch, found)
    for attribute, element in ("failures", "failure"), ("errors", "error"), ("skipped", "skipped"):
        count = sum(case.find(element) is not None for case in cases)
        expect(int(suite.get(attribute)) == count, f"{attribute} is {suite.get(attribute)}, and not {count}")
    expect(int(suite.get("tests")) == len(cases), "wrong number of tests")


def check_junit(root, results):
    expect(root.tag == "testsuites", "the root is not testsuites")
    suites = root.findall("testsuite")
    launches = results["launches"]
    has_verdict = any(c["result"] != "skipped" for launch in launches for c in launch["checks"])
    for suite, launch in zip(suites, launches):
        check_suite(suite, launch, results["command"])
    rest = suites[len(launches):]
    expect(len(rest) == (not results["complete"] or not has_verdict), f"{len(rest)} suites too many")
    if rest:
        element = "error" if not results["complete"] and results["status"] != 77 else "skipped"
        told = rest[0].find(f"testcase/{element}")
        expect(told is not None, f"no {element} for work that was not done")
        for message in results["messages"] if told is not None else ():
            expect(message in (told.text or ""), f"the {element} does not say '{message}'")
    for attribute in "tests", "failures", "errors":
        count = sum(int(suite.get(attribute)) for suite in suites)
        expect(int(root.get(attribute)) == count, f"{attribute} of all suites is not {count}")


def key(rule, path, line, allowed):
    return rule, path, line or 1, allowed


def check_result(result, rules):
    """Returns the key of a result with the members that GitHub needs."""
    place = result["locations"][0]["physicalLocation"]
    uri = place["artifactLocation"]["uri"]
    path = urllib.parse.unquote(uri)
    expect(re.fullmatch(r"[\w/.%~:-]+", uri, re.ASCII), f"{uri} is not a URI")
    expect(path.startswith("file:///") == ("uriBaseId" not in place["artifactLocation"]), f"{path}: wrong base")
    expect(rules[result["ruleIndex"]]["id"] == result["ruleId"], "wrong index of a rule")
    expect(result["level"] in ("error", "warning", "note") and result["message"]["text"], "no level or text")
    for related in result["relatedLocations"]:
        expect(related["physicalLocation"]["region"]["startLine"] > 0 and related["message"]["text"], "no second place")
    expect(result["properties"]["checks"], "no properties")
    return key(result["ruleId"], path.removeprefix("file://"), place["region"]["startLine"], "suppressions" in result)


def check_sarif(sarif, results):
    expect(sarif["version"] == "2.1.0" and len(sarif["runs"]) == 1, "not SARIF 2.1.0")
    run = sarif["runs"][0]
    driver = run["tool"]["driver"]
    expect(driver["name"] == "simtcheck" and re.match(r"\d", driver["version"]), "wrong tool")
    for rule in driver["rules"]:
        expect(rule["shortDescription"]["text"], f"{rule['id']} has no text")
    invocation = run["invocations"][0]
    expect(invocation["executionSuccessful"] == results["complete"], "complete in one file only")
    expect(invocation.get("exitCode") == results["status"], "two exit statuses")
    rejections = [check["note"] for launch in results["launches"] for check in launch["checks"]
                  if check["kind"] == "compilation"]
    told = [note["message"]["text"] for note in invocation["toolExecutionNotifications"]]
    partial = [text for text in told if ": PARTIAL: --minutes left out " in text]
    bounded = [check for launch in results["launches"] for check in launch["checks"]
               if check["result"] == "bounded" or "untried" in check]
    expect(len(partial) == len(bounded), "not every check that is bounded says so")
    expect([text for text in told if text not in partial] == results["messages"] + rejections, "other messages")
    expect(run["originalUriBaseIds"]["%SRCROOT%"]["uri"].endswith("/"), "no base of the paths")
    found = [key(finding["rule"], finding["file"], finding.get("line"), not fails(finding))
             for launch in results["launches"] for finding in launch["findings"]]
    expect([check_result(result, driver["rules"]) for result in run["results"]] == found, "other results than in JSON")


def check_launches(results):
    for launch in results["launches"]:
        failed = any(map(failing, launch["checks"]))
        expect((launch["result"] == "fail") == failed, "a launch and its checks disagree")
        expect(launch["result"] not in ("pass", "bounded") or launch["checks"], "a pass without a check")
        ids = [finding["id"] for finding in all_findings(launch)]
        expect(len(ids) == len(set(ids)), "two findings have the same id")
        for finding in all_findings(launch):
            expect(finding["evidence"], "a finding without evidence")
        for check in launch["checks"]:
            expect(set(check["findings"]) <= set(ids), f"{check['kind']} has an unknown finding")


def main(schema_path, json_path, xml_path, sarif_path):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    with open(json_path, encoding="utf-8") as file:
        results = json.load(file)
    with open(sarif_path, encoding="utf-8") as file:
        sarif = json.load(file)
    check_json(schema, results)
    check_launches(results)
    check_junit(xml.etree.ElementTree.parse(xml_path).getroot(), results)
    check_sarif(sarif, results)
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
