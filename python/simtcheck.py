# SPDX-License-Identifier: MIT
"""Runs `simtcheck check`, and compares its cases with a Python function.

    result = simtcheck.check("saxpy.cu", "saxpy<<<...>>>(...)", reference=f)
    result.assert_pass()

docs/python.md describes it. The program compiles the oracle below. For each case, the oracle sends the arrays through a
Unix socket to this process, which calls the reference and sends its outputs back.
"""
import hashlib
import inspect
import json
import keyword
import math
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import types
import unittest
import warnings

import numpy

# A request is a line of JSON and the contents of the arrays that the reference may read. The answer is the contents of
# the arrays that are compared. Without an answer, the case fails.
ORACLE = r"""
#include "catalogue.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The names of the types in NumPy, which lacks the last one. */
static const char *const types[] = {
    [ELEMENT_I32] = "i4", [ELEMENT_F32] = "f4", [ELEMENT_I8] = "i1",  [ELEMENT_I16] = "i2",
    [ELEMENT_I64] = "i8", [ELEMENT_F16] = "f2", [ELEMENT_F64] = "f8", [ELEMENT_BF16] = "b2"};

static size_t bytes_of(const struct buffer *buffer)
{
    return buffer->count * (size_t)(types[buffer->element][1] - '0');
}

static bool is_read(const struct buffer *buffer)
{
    return buffer->fill != FILL_STRUCTS && /* pointers */
           (buffer->role == ROLE_INPUT || buffer->role == ROLE_INOUT || buffer->role == ROLE_LOG);
}

static bool is_compared(const struct expectation *e, const struct buffer *buffer)
{
    const struct allowance_list *list = e->invocation->allowed;

    for (uint32_t k = 0; list != NULL && k < list->count; k++)
        if (list->all[k].what == ALLOWED_ORDER && strcmp(list->all[k].place, buffer->name) == 0)
            return false;
    return buffer->role == ROLE_INOUT || buffer->role == ROLE_OUTPUT || buffer->role == ROLE_LOG;
}

bool expected(const struct expectation *e)
{
    const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET};
    const uint64_t *size = e->shape->size, *further = e->shape->further;
    const struct extent *block = &e->shape->block;
    const struct buffer *all = e->invocation->buffers;
    uint32_t count = e->invocation->buffer_count;
    int handle = socket(AF_UNIX, SOCK_STREAM, 0);
    FILE *stream = handle < 0 ? NULL : fdopen(handle, "r+");
    size_t bytes = 0;

    for (uint32_t k = 0; k < count; k++)
        bytes += is_read(&all[k]) ? bytes_of(&all[k]) : 0;
    if (stream == NULL || connect(handle, (const void *)&address, sizeof address) != 0)
        return false;
    fprintf(stream, "%zu {\"B\": %u, \"sizes\": [%zu, %zu, %zd, %zd], \"arrays\": [", bytes,
            block->x * block->y * block->z, (size_t)size[0], (size_t)size[1],
            (ssize_t)further[0] - 1, (ssize_t)further[1] - 1);
    for (uint32_t k = 0; k < count; k++)
        fprintf(stream, "%s[\"%s\", \"%c%c\", %zu, %zu, %d, %d]", k > 0 ? ", " : "", all[k].name,
                all[k].is_unsigned ? 'u' : types[all[k].element][0], types[all[k].element][1],
                (size_t)all[k].count, (size_t)all[k].row, is_read(&all[k]), is_compared(e, &all[k]));
    fprintf(stream, "]}\n");
    for (uint32_t k = 0; k < count; k++)
        if (is_read(&all[k]))
            fwrite(e->arrays[k], 1, bytes_of(&all[k]), stream);
    bool good = fflush(stream) == 0;
    for (uint32_t k = 0; good && k < count; k++)
        if (is_compared(e, &all[k]))
            good = fread(e->arrays[k], 1, bytes_of(&all[k]), stream) == bytes_of(&all[k]);
    fclose(stream);
    return good;
}
"""
__tracebackhide__ = True  # pytest shows the lines of the caller and of the reference
STATUS = {0: "PASS", 1: "FAIL", 2: "ERROR", 3: "PARTIAL", 77: "SKIPPED"}


class Error(Exception):
    """The check did not finish. `result` is its Result; None: the program did not end by itself."""

    def __init__(self, text, result=None):
        super().__init__(text)
        self.result = result


class Record(types.SimpleNamespace):
    """An object of the JSON of `check`, such as a finding: docs/check.schema.json lists its members."""

    line = None  # a finding without a line has no such member


class Result:
    """What a check found: `status`, exit status `code`, `text`, failing `findings`, and all of the JSON, `record`."""

    def __init__(self, code, text, record):
        launches = record.launches if record else []
        self.code, self.text, self.record = code, text, record
        self.status = STATUS.get(code, "ERROR")
        if code == 0 and any(launch.result == "bounded" for launch in launches):
            self.status = "PARTIAL"
        self.findings = [finding for launch in launches for finding in launch.findings if finding.allowed_by is None]

    def __bool__(self):
        return self.status == "PASS"

    def __repr__(self):
        return f"<simtcheck {self.status}: {', '.join(finding.message for finding in self.findings) or 'no findings'}>"

    def assert_pass(self):
        """Fails a test with the text of the check, unless it passed. A check that was skipped skips the test. One that
        --minutes cut short is a warning."""
        if self.status == "SKIPPED":
            raise unittest.SkipTest(self.text)
        if self.status == "PARTIAL" and self.code == 0:
            warnings.warn(self.text, stacklevel=2)
        elif not self:
            raise AssertionError("\n" + self.text)


def dimensions(launch, name, count, values):
    """Returns the declared dimensions of an array, and the components of a vector type as the last one. If they depend
    on constants of the code, returns the count."""
    found = re.search(rf"([\w:]+)\s+{name}((?:\s*\[[^][]*\])+)", launch)
    sizes = re.findall(r"\[([^][]*)\]", found[2]) if found else []
    if not sizes or not all(re.fullmatch(r"[\w\s()+*/%-]+", size) for size in sizes):
        return (count,)
    try:
        shape = tuple(int(eval(size.replace("/", "//"), {"__builtins__": {}}, values)) for size in sizes)
    except Exception:  # it is no formula of sizes
        return (count,)
    shape += tuple(map(int, re.findall(r"(?:char|short|int|long|float|double|half)([2-4])$", found[1])))
    return shape if math.prod(shape) == count else (count,)


class Reference:
    """Answers the oracle's requests by calling a function."""

    def __init__(self, function, launch, size):
        self.function, self.launch, self.answers, self.where = function, launch, {}, ""
        self.names = re.findall(r"([A-Za-z_]\w*)\s*=", size)

    def call(self, arguments):
        """Calls the function with those arguments that it has parameters for."""
        parameters = inspect.signature(self.function).parameters.values()
        if not any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters):
            wanted = {parameter.name for parameter in parameters
                      if parameter.name in arguments or parameter.default is parameter.empty}
            for name in wanted - arguments.keys():
                raise Error(f"the reference has a parameter '{name}', but the launch gives only {', '.join(arguments)}")
            arguments = {name: arguments[name] for name in wanted}
        try:
            with numpy.errstate(all="ignore"):  # many values are extreme
                return self.function(**arguments)
        except Exception as error:
            error.__traceback__ = error.__traceback__.tb_next  # begins in the reference
            raise Error(f"the reference raises {type(error).__name__}: {error}") from error

    def outputs(self, returned, wanted):
        """Returns the contents of the arrays that are compared, after it has checked their names, types and shapes."""
        if len(wanted) == 1 and not isinstance(returned, dict):
            returned = {next(iter(wanted)): returned}
        if not isinstance(returned, dict) or returned.keys() != wanted.keys():
            got = "dict of " + ", ".join(returned) if isinstance(returned, dict) else type(returned).__name__
            raise Error(f"the reference must return a dict of {', '.join(wanted)}, and not a {got}")
        contents = b""
        for name, (dtype, shape) in wanted.items():
            array = numpy.asarray(returned[name])
            if array.dtype != dtype and not (array.dtype == bool and dtype == numpy.uint8):
                raise Error(f"the reference returns {name} as {array.dtype}, and not as {dtype}")
            if array.shape != shape:
                raise Error(f"the reference returns {name} with the shape {array.shape}, and not {shape}")
            contents += array.tobytes()
        return contents

    def compute(self, request, contents):
        """Returns the contents of the arrays that are compared."""
        nx, ny = request["sizes"][:2]
        sizes = dict(zip(self.names, request["sizes"])) or {"n": nx * ny, "nx": nx, "ny": ny}
        sizes = {name: value for name, value in [*sizes.items(), ("B", request["B"])]
                 if re.search(rf"\b{name}\b", self.launch)}
        self.where = ", ".join(f"{name} = {value}" for name, value in sizes.items())
        arguments, wanted = dict(sizes), {}
        for name, kind, count, row, is_read, is_compared in request["arrays"]:
            shape = (count // row, row) if row else dimensions(self.launch, name, count, sizes)
            name = re.sub(r"\W+", "_", name).strip("_")  # rows[] is rows, and jobs[].x is jobs_x
            name += "_" * keyword.iskeyword(name)
            if kind == "b2" and (is_read or is_compared):
                raise Error(f"array {name} is of bfloat16, which NumPy lacks: give a kernel as against=... instead")
            if is_read:
                size = count * int(kind[1])
                arguments[name] = numpy.frombuffer(bytearray(contents[:size]), kind).reshape(shape)
                contents = contents[size:]
            if is_compared:
                wanted[name] = numpy.dtype(kind), shape
        if not wanted:
            raise Error("the launch has no out, inout or zeros array to compare with the reference")
        return self.outputs(self.call(arguments), wanted)

    def answer(self, stream):
        """Reads a request, and writes the answer. Each schedule and model asks, so answers are kept. Does nothing if
        the worker has ended."""
        size, _, line = stream.readline().partition(b" ")
        contents = stream.read(int(size or 0))
        if not line or len(contents) != int(size):
            return
        digest = hashlib.blake2b(line + contents).digest()
        if digest not in self.answers:
            if sum(map(len, self.answers.values())) > 1 << 28:
                self.answers.clear()
            self.answers[digest] = self.compute(json.loads(line), contents)
        stream.write(self.answers[digest])

    def serve(self, server, process):
        """Answers requests until the process ends."""
        server.settimeout(0.02)
        while process.poll() is None:
            try:
                connection = server.accept()[0]
            except socket.timeout:
                continue
            try:
                with connection, connection.makefile("rwb") as stream:
                    self.answer(stream)
            except ConnectionError:  # the worker was ended
                continue
            except Error as error:
                raise Error(f"{error} ({self.where})") from error.__cause__


def run(command, folder, reference):
    """Runs the program, and returns its exit status."""
    with socket.socket(socket.AF_UNIX) as server, open(folder / "text", "wb") as text:
        server.bind(str(folder / "socket"))
        server.listen(256)
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=text, stderr=subprocess.STDOUT) as process:
            try:
                if reference:
                    reference.serve(server, process)
                return process.wait()
            finally:
                process.terminate()


def check(files, launch, reference=None, *, flags=(), raise_errors=True, **options):
    """Checks a launch of the kernels in `files` (a name, or a list), and returns a Result.

    reference: a function whose parameters are named like arrays and sizes of the launch. It returns the right contents
    of the array that is compared, or a dict of several. A string is the option --reference.
    flags: for the compiler. options: those of `simtcheck check`, such as size="0-33" or allow=["order:list"].
    raise_errors: raises Error if the status is ERROR, or PARTIAL because something could not be checked.
    """
    program = os.environ.get("SIMTCHECK", "simtcheck")
    if not shutil.which(program):
        raise Error(f"there is no program {program}: install it with ci/install of simtcheck's "
                    "repository, or set SIMTCHECK to its path")
    short = None if len(tempfile.gettempdir()) < 80 else "/tmp"  # the path of a socket has at most 107 bytes
    with tempfile.TemporaryDirectory(prefix="simtcheck-", dir=short) as folder:
        folder = pathlib.Path(folder)
        command = [program, "check", *([files] if isinstance(files, (str, os.PathLike)) else files), launch]
        server = Reference(reference, launch, str(options.get("size", ""))) if callable(reference) else None
        if server:
            (folder / "oracle.c").write_text(f"#define SOCKET {json.dumps(str(folder / 'socket'))}\n{ORACLE}")
            options["oracle"] = folder / "oracle.c"
        options["reference"] = None if server else reference
        for option, value in [*options.items(), ("json", folder / "json")]:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                if one is not None and one is not False:
                    command += ["--" + option.replace("_", "-"), *([] if one is True else [str(one)])]
        code = run([*command, "--", *flags] if flags else command, folder, server)
        text = (folder / "text").read_text(errors="replace")
        written = (folder / "json").read_text() if (folder / "json").exists() else "null"
        record = json.loads(written, object_hook=lambda members: Record(**members))
    result = Result(code, text, record)
    if code == 0 and server and not server.answers:
        raise Error("no case was compared with the reference:\n" + text, result)
    if raise_errors and (result.status == "ERROR" or code == 3):
        raise Error("\n" + text, result)
    return result
