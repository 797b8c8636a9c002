# SPDX-License-Identifier: MIT
"""Checks recipes and pages against the program: test_recipes.py SOURCE_FOLDER SIMTCHECK.

Each simtcheck command and each script of ci/ in docs/recipes/, docs/results.md and docs/exec.md must exist and know the
options that the page passes. A job must continue after a snapshot with a failure in it. The hook and the job for a
repository of kernels run in one. A job of exec without a kernel fails, and writes its files.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap

source, simtcheck = sys.argv[1:]
failures = []
seen = {"simtcheck": 0, "ci": 0, "snapshot": 0}


def report_problem(text):
    failures.append(text)
    print(text, file=sys.stderr)


def commands_of_simtcheck():
    usage = subprocess.run([simtcheck, "--help"], capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in usage.splitlines() if line.startswith("  ")}


def check_options(place, command, words):
    """Checks that the program knows the option of the command. It rejects options before it does any work."""
    for word in words:
        if not word.startswith("--") or word == "--":
            continue
        option = word.split("=")[0]
        # An unknown option follows. The program must report that one, not the known one.
        said = subprocess.run([simtcheck, command, option, "1", "--no-such-option"], capture_output=True,
                              text=True).stderr
        if f"'{option}' is not an option" in said:
            report_problem(f"{place}: simtcheck {command} does not know {option}")


def joined_lines(text):
    """Returns lines of commands and of Python lists. A backslash joins a line with the next one."""
    return re.sub(r"\\\n\s*", " ", text).splitlines()


def check_snapshot(place, line):
    """A job accepts a snapshot with nonconforming rows, and rejects a partial one."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "build/host/simtcheck")
        os.makedirs(os.path.dirname(program))
        with open(program, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nexit "$STATUS"\n')
        os.chmod(program, 0o755)
        for status, taken in (0, True), (1, True), (2, False), (3, False), (77, False):
            ended = subprocess.run(["bash", "-e", "-c", line.strip().removeprefix("- ")], cwd=folder,
                                   env=os.environ | {"STATUS": str(status)}, check=False)
            if (ended.returncode == 0) != taken:
                report_problem(f"{place}: a snapshot with exit status {status} ends the job with {ended.returncode}")


def check_line(place, line, commands):
    program = r"(?:^|[\s\"'`(])(?:[\w./$}{:-]*/)?(?:\$SIMTCHECK|simtcheck)"
    for match in re.finditer(program + r" ([a-z]+)\b(?!:)([^|;`]*)", line):
        command, rest = match.groups()
        if command not in commands:
            if " --" in rest or "-" == rest[:1]:
                report_problem(f"{place}: simtcheck has no command '{command}'")
            continue
        seen["simtcheck"] += 1
        own = rest.split(" -- ")[0]  # the rest goes to a compiler or a program
        check_options(place, command, re.findall(r"(?<!\S)--[a-z][\w-]*", own))
        if command == "snapshot" and ".yml" in place:
            seen["snapshot"] += 1
            check_snapshot(place, line)
    for name in re.findall(r"(?<![\w/.-])ci/[a-z][\w-]*(?![\w./-]*\.\w)", line):
        seen["ci"] += 1
        if not os.access(os.path.join(source, name), os.X_OK):
            report_problem(f"{place}: there is no script {name}")
    match = re.search(r"\bci/slurm \S+ \S+ ([a-z]+)(.*)", line)
    if match and match.group(1) in commands:
        check_options(place, match.group(1), re.findall(r"(?<!\S)--[a-z][\w-]*", match.group(2)))


def check_python(place, text):
    """Returns the words of a list that begins with a command's name."""
    for name in re.findall(r"executable_opts = \[(.*?)\]", text, re.S):
        words = re.findall(r"'(-?-?[\w.-]+)'", name)
        seen["simtcheck"] += 1
        check_options(place, words[0], words[1:])


def write_kernel(folder, name, guard):
    with open(os.path.join(folder, f"{name}.cu"), "w", encoding="utf-8") as file:
        file.write(f"__global__ void {name}(int *x, int n)\n{{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   f"    {guard}x[i] += 1;\n}}\n")
    with open(os.path.join(folder, f"{name}.launches"), "w", encoding="utf-8") as file:
        file.write(f"{name}<<<(n + 31) / 32, 32>>>(inout int x[n], n) --size 1,32,33\n")


def check_own_repository():
    """Only a changed kernel is checked. A wrong one stops the commit, and fails the job."""
    with open(os.path.join(source, "docs/recipes/github-check.yml"), encoding="utf-8") as file:
        job = textwrap.dedent(re.search(r"- name: Check\n.*?run: \|\n(.*?)\n +- name", file.read(), re.S).group(1))
    identity = {f"GIT_{who}_{what}": "a@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    path = f"{os.path.dirname(os.path.abspath(simtcheck))}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        def run(command, **variables):
            ended = subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=os.environ | identity | variables |
                                   {"PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return ended.returncode, ended.stdout

        def expect(what, ended, passes, says):
            if (ended[0] == 0) != passes or not re.search(says, ended[1]) or "old.cu" in ended[1]:
                report_problem(f"{what}: exit status {ended[0]}, and not '{says}':\n{ended[1]}")

        write_kernel(folder, "old", "")
        expect("the repository", run("git init -q && git add . && git commit -qm old"), True, "")
        expect("the hook", run(f"ln -s '{source}' simtcheck && install simtcheck/docs/recipes/pre-commit .git/hooks/"),
               True, "")
        write_kernel(folder, "own", "")
        expect("a commit", run("git add own.* && git commit -qm own"), False, r"own.cu:4: error: out-of-bounds")
        expect("the job", run(job, BASE="HEAD"), False, r"own.cu:4: error: out-of-bounds")
        if sorted(name.split(".")[1] for name in os.listdir(os.path.join(folder, "findings"))) != ["sarif", "xml"]:
            report_problem("the job: it does not write the findings")
        write_kernel(folder, "own", "if (i < n) ")
        expect("a right commit", run("git add own.* && git commit -qm own"), True, "own +PASS")
        expect("a right job", run("rm -r findings\n" + job, BASE="HEAD~1"), True, "own +PASS")


def check_exec(name, pattern):
    """The tests of a job that launch no kernel fail, although they end with 0. CMake configures with the flags."""
    with open(os.path.join(source, "docs/recipes", name), encoding="utf-8") as file:
        text = file.read()
    line = re.search(pattern, text).group(1).replace("ctest --test-dir build --output-on-failure", "true")
    path = f"{os.path.dirname(os.path.abspath(simtcheck))}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(["bash", "-e", "-c", line], cwd=folder, capture_output=True, text=True, check=False,
                               env=os.environ | {"PATH": path, "TESTS": "true", "OPTIONS": "--model lockstep"})
        files = sorted(os.listdir(folder))
    if ended.returncode != 3 or "nothing was checked" not in ended.stderr or files != ["exec.sarif", "exec.xml"]:
        report_problem(f"{name}: exit status {ended.returncode}, {files}: {ended.stderr}")
    if not -1 < text.find("-cudart shared -lineinfo -gencode arch=compute_90,") < text.find("simtcheck exec --"):
        report_problem(f"{name}: nvcc does not get the flags")


check_exec("exec/action.yml", r"run: (simtcheck exec .*)")
check_exec("gitlab-exec.yml", r"- (simtcheck exec .*)")
check_own_repository()
commands = commands_of_simtcheck()
files = [os.path.relpath(os.path.join(folder, name), source)
         for folder, _, names in sorted(os.walk(os.path.join(source, "docs/recipes"))) for name in sorted(names)]
for name in files + ["docs/results.md", "docs/exec.md", "ci/slurm"]:
    with open(os.path.join(source, name), encoding="utf-8") as file:
        text = file.read()
    if name.endswith(".py"):
        compile(text, name, "exec")
        check_python(name, text)
        text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for number, line in enumerate(joined_lines(text), 1):
        check_line(f"{name}, command line {number}", line, commands)
    if name.endswith(".sh"):
        if subprocess.run(["sh", "-n", os.path.join(source, name)]).returncode != 0:
            report_problem(f"{name}: the shell cannot read it")
    if name.endswith(".yml"):
        try:
            import yaml
        except ImportError:
            continue
        try:
            yaml.safe_load(text)
        except yaml.YAMLError as error:
            report_problem(f"{name}: {error}")
if seen["simtcheck"] < 12 or seen["ci"] < 4 or seen["snapshot"] < 2:
    report_problem(f"only {seen} commands were found: the recipes are no longer read as they are written")
sys.exit(1 if failures else 0)
