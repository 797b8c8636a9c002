#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_copies.py SIMTCHECK NVCC SOURCE: programs and libraries that contain the CUDA runtime, as nvcc links it.

Builds SOURCE, copies.cu, in several ways, and runs its modes by `simtcheck exec`.
"""
import os
import re
import subprocess
import sys
import tempfile

LIBRARY = ["-DLIBRARY", "-shared", "-Xcompiler", "-fPIC,-fvisibility=hidden", "-Xlinker", "--exclude-libs,ALL"]
PTX = ["-gencode", "arch=compute_90,code=compute_90"]
# The more specific code is first, and last.
SPECIFIC = ["-gencode", "arch=compute_90a,code=compute_90a", *PTX]
# file: options of nvcc. The runtime's symbols are global in the programs, and hidden in the library.
BUILDS = {
    "copies": [*PTX, "-ldl"],
    "libwork.so": [*PTX, *LIBRARY],
    "linked": [*PTX, "-DLINKED", "-L.", "-lwork", "-Xlinker", "-rpath,.", "-ldl"],
    "specific": [*SPECIFIC, "-DSPECIFIC", "-ldl"],
    "nested": [*PTX, "-DNESTED", "-rdc=true", "-lcudadevrt", "-ldl"],
    "shared": [*PTX, "-cudart", "shared", "-ldl"],
    "bare": ["-gencode", "arch=compute_80,code=sm_80", "-ldl"],
}
# program and mode: exit status of exec
RUNS = {
    "copies version": 0,
    "copies pages": 0,
    "copies races": 1,
    "copies fork": 1,
    "copies become": 1,
    "copies open ./libwork.so": 1,
    "copies bind ./libwork.so": 1,
    "linked linked": 1,
    "specific races": 1,
    "nested races": 1,
    "shared races": 1,
    "shared_stripped races": 1,
    "stripped version": 2,
    "bare version": 2,
}
# program that cannot run: what exec says of it
SAYS = {
    "stripped": "'./stripped' contains the CUDA runtime, which exec could not replace: the file is stripped, or the "
                "runtime is not of CUDA 11, 12 or 13; its code is for compute_90",
    "bare": "'./bare' has no PTX for compute capability 9.0 or older of the kernel fill, but code for sm_80\n",
}
MENDS = '    export NVCC_APPEND_FLAGS="-cudart shared -lineinfo -gencode arch=compute_90,code=compute_90"\n'


def build(nvcc, source, version):
    # This search path comes before LD_LIBRARY_PATH.
    os.mkdir("wrong")
    with open(f"wrong/libcudart.so.{version}{'.0' if version == 11 else ''}", "wb"):
        rpath = ["-Xlinker", "--disable-new-dtags,-rpath,wrong"]
    for name, options in BUILDS.items():
        if name == "specific" and version < 12:  # CUDA 11 has no compute_90a.
            options = [*PTX, "-ldl"]
        subprocess.run([nvcc, "-g", "-lineinfo", source, "-o", name, *options, *(rpath if name == "shared" else [])],
                       check=True)
    subprocess.run(["strip", "-o", "stripped", "copies"], check=True)
    subprocess.run(["strip", "-o", "shared_stripped", "shared"], check=True)


def main():
    simtcheck, nvcc, source = (os.path.abspath(path) for path in sys.argv[1:])
    version = re.search(r"release (\d+)", subprocess.run([nvcc, "--version"], capture_output=True, text=True,
                                                         check=True).stdout)[1]
    with open(source, encoding="utf-8") as text:
        line = [number for number, line in enumerate(text, 1) if "/* finding: race */" in line][0]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        build(nvcc, source, int(version))
        for command, status in RUNS.items():
            program, *words = command.split()
            ended = subprocess.run([simtcheck, "exec", "--", "./" + program, *words], capture_output=True, text=True,
                                   check=False)
            right = ended.returncode == status and ended.stderr.count("error: ") == (status == 1)
            if status == 0:
                right = right and ended.stdout == (version + "\n" if words == ["version"] else "")
            if status == 2:
                right = right and SAYS[program] in ended.stderr and MENDS in ended.stderr
            if status == 1:
                right = right and f"copies.cu:{line}: error: data race on element 0 of " in ended.stderr
            if not right:
                print(f"{command}: status {ended.returncode}\n{ended.stdout}{ended.stderr}")
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
