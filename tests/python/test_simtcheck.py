# SPDX-License-Identifier: MIT
"""Tests the wheel of python/ with pytest: test_wheel.sh installs it. SIMTCHECK is the program."""
import importlib.metadata
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy
import pytest

import simtcheck

HERE = pathlib.Path(__file__).parent
KERNELS = HERE / "kernels.cu"
SCALE = "scale<<<(n + 63) / 64, 64>>>(in float x[n], out float y[n], n)"
COMPILER = "clang" if shutil.which("clang++") else "nvcc"
RACE = "race<<<1, 64>>>(out int y[64])"


def check(launch, reference=None, **options):
    options = {"size": "1-3,65", "only": "run", "compiler": COMPILER, **options}
    return simtcheck.check(KERNELS, launch, reference, **options)


def scale(x):
    return 2 * x


def test_is_the_wheel():
    assert HERE.parents[1] not in pathlib.Path(simtcheck.__file__).parents
    printed = subprocess.run([os.environ["SIMTCHECK"], "--version"], capture_output=True, text=True, check=True).stdout
    assert f"simtcheck {importlib.metadata.version('simtcheck')}" in printed


@pytest.mark.filterwarnings("error")  # NumPy's, such as overflow
def test_all_cases():
    cases = set()

    def reference(x, n):
        cases.add((n, x.tobytes()))
        return 2 * x

    result = simtcheck.check(KERNELS, SCALE, reference, compiler=COMPILER)
    assert result and result.status == "PASS" and result.findings == []
    assert "1536 cases" in result.text and "as the reference" in result.text
    assert len({n for n, _ in cases}) > 200 and len(cases) > 1500


def test_name_of_an_array_is_a_keyword():
    assert check(SCALE.replace(" x[", " in["), lambda in_: 2 * in_)


def test_wrong_reference():
    result = check(SCALE, lambda x: 3 * x)
    assert not result and result.status == "FAIL" and result.code == 1
    finding, = result.findings
    assert finding.rule == "wrong-result" and finding.identity.array == "y"
    assert pathlib.Path(finding.file).name == "kernels.cu"
    assert "2 * x" in KERNELS.read_text().splitlines()[finding.line - 1]
    with pytest.raises(AssertionError) as failure:
        result.assert_pass()
    assert str(failure.value) == "\n" + result.text
    assert "expected 3, got 2" in check(SCALE, lambda x: 3 * x, case=finding.case).text


def test_text_is_that_of_the_program():
    result = check(RACE, only=None, compiler=None)
    command = [os.environ["SIMTCHECK"], "check", KERNELS, RACE, "--size", "1-3,65"]
    printed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.code == printed.returncode == 1 and result.findings[0].rule == "race"

    def without_times(text):
        return re.sub(r"\d+\.\d s", "", text)
    assert without_times(result.text) == without_times(printed.stdout)


def test_types():
    kinds = {"a": "i1", "b": "u2", "c": "u4", "d": "i8", "e": "f8", "f": "f2"}

    def reference(**arrays):
        for name, kind in kinds.items():
            assert arrays[name].dtype == kind
        return {"a1": (arrays["a"] + 1).astype("u1"), "b1": (arrays["b"] + 1).astype("i2"),
                "c1": (arrays["c"] + 1).astype("i4"), "d1": (arrays["d"] + 1).astype("u8"), "e1": -arrays["e"],
                "f1": (arrays["f"] > 0).astype("f2"), "g1": arrays["a"] > 0}

    check("types<<<1, 96>>>(in int8_t a[n], out uint8_t a1[n], in uint16_t b[n], out int16_t b1[n], in uint c[n],"
          " out int c1[n], in int64_t d[n], out uint64_t d1[n], in double e[n], out double e1[n], in half f[n],"
          " out half f1[n], out bool g1[n], n)", reference).assert_pass()


def test_directions():
    launch = "directions<<<1, 96>>>(in int x[n], inout int y[n], zeros int z[n], scratch int t[n], out int o[n], n)"

    def reference(**given):
        assert given.keys() == {"x", "y", "z", "n"} and not given["z"].any()
        return {"y": given["y"] + given["x"], "z": given["z"] + 1, "o": given["x"] * 2}

    check(launch, reference).assert_pass()
    for name in "yzo":  # each of them is compared
        assert not check(launch, lambda name=name, **given: {**reference(**given), name: reference(**given)[name] + 1})
    with pytest.raises(simtcheck.Error, match=r"must return a dict of y, z, o, and not a dict of y, o \(n = 1\)"):
        check(launch, lambda x, y: {"y": x + y, "o": x})
    with pytest.raises(simtcheck.Error, match="must return a dict of y, z, o, and not a tuple"):
        check(launch, lambda x, y: (x, y, x))
    with pytest.raises(simtcheck.Error, match="parameter 't', but the launch gives only n, x, y, z"):
        check(launch, lambda t: t)


def test_sizes_and_shapes():
    def matrix(x, nx, ny):
        assert x.shape == (ny, nx)
        return x.T

    def named(x, w, h, B):
        assert x.shape == (h, w) and B in (32, 33)
        return x.T

    def vectors(x, tile, n):
        assert x.shape == (n, 4) and tile.shape == (4,)  # TILE is a constant of the code
        return {"y": x[:, ::3], "first": tile}

    def last(rows, m, n):
        assert rows.shape == (m, n)
        return rows[:, -1]

    check("turn<<<1, 32>>>(in int x[ny][nx], out int y[nx][ny], nx, ny)", matrix, size="3x5,1x7,4x4").assert_pass()
    check("turn<<<1, B>>>(in int x[h][w], out int y[w][h], w, h)", named, size="w=3,7,h=2-3",
          block="32,33").assert_pass()
    check("vectors<<<1, 96>>>(in float4 x[n], out float2 y[n], in int tile[TILE], out int first[TILE], n)",
          vectors).assert_pass()
    check("rows<<<1, 32>>>(in float *rows[m][n], out float last[m], m, n)", last, size="m=1-3,n=1,9").assert_pass()


def test_tolerance():
    def near(x):
        return numpy.nextafter(2 * x, numpy.float32(0))

    launch = SCALE.replace("x[n]", "x[n] = uniform(1, 9)")
    assert not check(launch, near)
    assert check(launch, near, tolerance="ulp:1")


def test_order_of_elements():
    launch = "odd<<<(n + 63) / 64, 64>>>(in int x[n], zeros int list[n]{}, zeros int count[1], n)"

    def reference(x):
        found = numpy.flatnonzero(x % 2)
        return {"list": numpy.pad(found, (0, len(x) - len(found))).astype("i4"),
                "count": numpy.array([len(found)], "i4")}

    check(launch.format(" unordered"), reference).assert_pass()
    check(launch.format(""), lambda x: reference(x)["count"], allow=["order:list"]).assert_pass()


@pytest.mark.parametrize("reference, message", [
    (lambda x: 2.0 * x.astype("f8"), r"returns y as float64, and not as float32 \(n = 1\)"),
    (lambda x: x[:-1], r"returns y with the shape \(0,\), and not \(1,\)"),
    (lambda x: x[:, None], r"returns y with the shape \(1, 1\), and not \(1,\)"),
    (lambda x: None, "returns y as object, and not as float32"),
    (lambda x, z: x, "parameter 'z', but the launch gives only n, x"),
    (lambda x, n: x[64] if n == 65 else 1 / 0 if n == 3 else 2 * x, r"raises ZeroDivisionError: .* \(n = 3\)"),
])
def test_errors_of_the_reference(reference, message):
    with pytest.raises(simtcheck.Error, match=message) as error:
        check(SCALE, reference, raise_errors=False)
    cause = error.value.__cause__
    assert (cause is not None) == ("raises" in message)
    assert cause is None or cause.__traceback__.tb_frame.f_code.co_name == "<lambda>"


def test_what_cannot_be_compared():
    with pytest.raises(simtcheck.Error, match="array x is of bfloat16, which NumPy lacks"):
        check("brain<<<1, 1>>>(in nv_bfloat16 x[1], out float y[1])", lambda: numpy.zeros(1, "f4"))
    with pytest.raises(simtcheck.Error, match="the launch has no out, inout or zeros array"):
        check("scale<<<1, 64>>>(in float x[n], scratch float y[n], n)", lambda: {})


def test_interrupt(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(SCALE, interrupted)
    assert not list(tmp_path.iterdir())


def test_long_folder(monkeypatch, tmp_path):
    long = tmp_path / ("a" * 100)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    check(SCALE, scale).assert_pass()


def test_status(monkeypatch, tmp_path):
    with pytest.raises(simtcheck.Error, match="scale is a pointer, but the launch passes a number") as error:
        check("scale<<<1, 64>>>(z, n)", scale)
    assert error.value.result.status == "ERROR"
    assert check("scale<<<1, 64>>>(z, n)", raise_errors=False).status == "ERROR"


def test_status_of_a_stub(monkeypatch, tmp_path):
    """A stub of the program ends as no quick check does."""
    stub = tmp_path / "stub"
    monkeypatch.setenv("SIMTCHECK", str(stub))

    def ends(ending):
        stub.write_text(f"#!/bin/sh\necho printed\n{ending}\n")
        stub.chmod(0o755)

    ends("exit 3")
    with pytest.raises(simtcheck.Error, match="\nprinted\n"):
        check(SCALE)
    partial = check(SCALE, raise_errors=False)
    assert partial.status == "PARTIAL" and partial.code == 3 and partial.record is None and not partial
    with pytest.raises(AssertionError, match="\nprinted\n"):
        partial.assert_pass()
    write = """for file; do :; done; echo '{"launches": [{"result": "bounded", "findings": [{"allowed_by": "x"}]}]}'"""
    ends(write + ' >"$file"')
    with pytest.warns(UserWarning, match="printed"):
        check(SCALE).assert_pass()
    assert check(SCALE).status == "PARTIAL" and check(SCALE).findings == []
    ends(write + ' >"$file"; exit 1')
    assert check(SCALE).status == "FAIL"
    ends('echo "$@"')
    printed = check(SCALE, strict_barriers=True, prints=False, allow=["a", "b"], flags=["-DX"]).text
    assert re.search(r" --strict-barriers --allow a --allow b --json \S+ -- -DX\n", printed) and "prints" not in printed
    ends("exit 77")
    assert check(SCALE).status == "SKIPPED" and not check(SCALE)
    with pytest.raises(unittest.SkipTest, match="printed"):
        check(SCALE).assert_pass()
    ends("exit 0")
    assert check(SCALE)
    with pytest.raises(simtcheck.Error, match="no case was compared with the reference"):
        check(SCALE, scale)
    ends("kill -9 $$")
    with pytest.raises(simtcheck.Error, match="printed"):
        check(SCALE)
    monkeypatch.setenv("SIMTCHECK", str(tmp_path / "nowhere"))
    with pytest.raises(simtcheck.Error, match="nowhere: install it with ci/install"):
        check(SCALE)


def test_page(tmp_path):
    """Runs the example of docs/python.md, which fails as the page says."""
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", (HERE.parents[1] / "docs/python.md").read_text(), re.M)
    shown = ""
    for block in [re.sub(r"^    ", "", block, flags=re.M).lstrip("\n") for block in blocks]:
        name = re.match(r"(?://|#) (\w+\.\w+)\n", block)
        if name:
            (tmp_path / name[1]).write_text(block)
        elif block.startswith("$ pytest"):
            shown = block
    ran = subprocess.run([sys.executable, "-m", "pytest", "test_best.py"], cwd=tmp_path, capture_output=True, text=True,
                         check=False)
    assert ran.returncode == 1
    at = 0
    for line in shown.splitlines()[1:]:
        pattern = ".*".join(map(re.escape, line.split("...")))
        found = re.compile(pattern).search(ran.stdout, at)
        assert found, f"{line}\n\n{ran.stdout}"
        at = found.end()
    assert at > 0
