#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Installs a copy, moves it, and builds the examples against it as a separate project. Correct kernels
# must pass, wrong ones must fail with a counterexample, and mistakes in a suite must be reported.
# test_package.sh BUILD_FOLDER SOURCE_FOLDER C_COMPILER CXX_COMPILER [CUDA_COMPILER ARCHITECTURE]
set -u
build=$1 source=$2 cc=$3 cxx=$4 nvcc=${5:-} architecture=${6:-90}
folder=$(mktemp -d /tmp/simtcheck-package-XXXXXX) || exit 3
trap 'rm -rf "$folder"' EXIT
prefix="$folder/moved here"
failed=0

# fail TEXT [FILE]: prints the text and the file, and fails the test.
fail() {
    echo "FAILED: $1" >&2
    [ $# -lt 2 ] || tail -n 40 "$2" >&2
    failed=1
}

# must WHAT COMMAND ...: runs the command, which must succeed.
must() {
    local what=$1
    shift
    "$@" >"$folder/log" 2>&1 || {
        fail "$what" "$folder/log"
        exit 1
    }
}

# says WHAT STATUS PATTERN COMMAND ...: the command must end with the status and print the pattern.
says() {
    local what=$1 status=$2 pattern=$3 got
    shift 3
    "$@" >"$folder/log" 2>&1
    got=$?
    if [ "$got" != "$status" ]; then
        fail "$what: exit status $got, and not $status" "$folder/log"
    elif ! tr -s '\n ' ' ' <"$folder/log" | grep -qE -- "$pattern"; then # CMake breaks lines
        fail "$what: it does not say '$pattern'" "$folder/log"
    fi
}

# ---- The copy ----

must "install" cmake --install "$build" --prefix "$folder/installed"
mv "$folder/installed" "$prefix"
if grep -rIlF --exclude-dir=kernels_sim -e "$source/" -e "$build/" "$prefix"; then
    fail "these name the folders that they were built in"
fi
says "version" 0 '^simtcheck [0-9]' "$prefix/bin/simtcheck" --version
size=$(du -sm "$prefix" | cut -f1)
[ "$size" -le 60 ] || fail "the copy has $size MiB"
# As if the folder that it was built in were gone: another path of the same length in the worker's PTX.
LC_ALL=C sed -i "s|$source/kernels/|/@${source:2}/kernels/|g" "$prefix/libexec/simtcheck/simtcheck-worker-sim"
says "its own catalogue" 0 'conforms-in-domain' "$prefix/bin/simtcheck" run --engine sim \
    --kernel reduceNeighbored --block 1-8 --coverage "$folder/info"
grep -qxF "SF:$prefix/share/simtcheck/kernels/reduce_in_place.cu" "$folder/info" ||
    fail "coverage does not name the copy's kernels" "$folder/info"

# `check` needs the header for oracles, and the stand-ins for CUDA's headers.
cat >"$folder/own.cu" <<'CUDA'
#include <cuda_fp16.h>
#include <cooperative_groups.h>
__global__ void halves(const float *x, __half *y, int n)
{
    auto block = cooperative_groups::this_thread_block();
    int i = blockIdx.x * blockDim.x + block.thread_rank();
    if (i < n)
        y[i] = __float2half(x[i] < 8 ? 1.0f : 0.0f);
}
CUDA
printf '%s\n' '#include "catalogue.h"' 'bool expected(const struct expectation *e)' '{' \
    '    for (uint64_t i = 0; i < e->shape->size[0]; i++)' \
    '        ((uint16_t *)e->arrays[1])[i] = 0x3c00;' '    return true;' '}' >"$folder/own.c"
says "check by an oracle" 0 'PASS in bounds, initialized, race-free, deterministic, as the reference' \
    "$prefix/bin/simtcheck" check "$folder/own.cu" \
    'halves<<<(n + 31) / 32, 32>>>(in float x[n] = uniform(0, 4), out half y[n], n)' \
    --engine sim --size 1,33 --oracle "$folder/own.c"
compilers=(-DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix")

# ---- pkg-config ----

export PKG_CONFIG_PATH="$prefix/lib/pkgconfig:$prefix/lib64/pkgconfig"
must "defects.h by pkg-config" awk -f "$(pkg-config --variable=defects simtcheck | sed 's/\\//g')" \
    -v output="$folder/defects.h" "$source/docs/examples/sum.cu"
program="$prefix/share/simtcheck"
# shellcheck disable=SC2046 # words
must "a program by pkg-config" eval "\"$cc\" -I'$folder' -I'$program/src/cli' -I'$program/tools' \
    -I'$prefix/include/simtcheck' '$program/src/cli/simtcheck.c' '$source/docs/examples/sum.c' -o '$folder/main' \
    $(pkg-config --cflags --libs simtcheck)"
says "that program" 0 'blockSumNoBarrier original' "$folder/main" list

# ---- The examples ----

examples="$folder/examples"
must "configure the examples" cmake -S "$source/docs/examples" -B "$examples" "${compilers[@]}" \
    -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES="$architecture" -DSIMTCHECK_PTX_NVCC="$nvcc"
must "build the examples" cmake --build "$examples" -j2
export CUDA_VISIBLE_DEVICES="" # what a GPU says is for those tests themselves
unset SIMTCHECK_REQUIRE
must "the right kernels" ctest --test-dir "$examples" -j2 -E '_wrong[.]' --output-on-failure
if grep -E '[.]sim[.].*Skipped' "$folder/log"; then
    fail "these need no GPU, and were skipped"
fi
ctest --test-dir "$examples" -N >"$folder/tests"
for test in sum.sim.run.blockSum sum.sim.races.blockSumNoBarrier saxpy.sim.run.saxpy scan.sim.determinism.scan \
    wave.sim.determinism.doubles ${nvcc:+saxpy.cuda.determinism.saxpy sum.cuda.determinism.blockSum
        sum.cuda.run.blockSum}; do
    grep -qF ": $test" "$folder/tests" || fail "there is no test '$test'" "$folder/tests"
done
ctest --test-dir "$examples" --print-labels >"$folder/labels"
for label in sim ${nvcc:+cuda} run races determinism nosync; do
    grep -qx "  $label" "$folder/labels" || fail "no label '$label'" "$folder/labels"
done
ctest --test-dir "$examples" -N -L sim -L races -R wave >"$folder/tests"
grep -q 'Total Tests: 3$' "$folder/tests" || fail "labels of wave" "$folder/tests"

# expect_failed TEST PATTERN: CTest must report the test as failed, with that counterexample.
expect_failed() {
    says "$1" 8 "$2" ctest --test-dir "$examples" -R "^$1\$" --output-on-failure
}
expect_failed sum_wrong.sim.run.tooWide 'expected 1, got 0.*block 3, size 3'
expect_failed sum_wrong.sim.races.notClaimed 'data race.*the catalogue declares race-free'
expect_failed sum_wrong.sim.run.nowhere "this program has no kernel 'blockSumNowhere'"
expect_failed saxpy_wrong.sim.run.saxpyPastTheEnd 'saxpy_wrong.cu:10.*at x\[31\], outside its 31 elements'
expect_failed histogram_wrong.sim.races.histogramPlainIncrement 'histogram_wrong.cu:16.*histogramPlainIncrement FAIL'
expect_failed histogram_wrong.sim.races.histogramNoBarrier \
    'histogram_wrong.cu:30.* atomicAdd.*28 .*histogramNoBarrier FAIL'
expect_failed stencil_wrong.sim.run.stencilShortHalo 'stencil_wrong.cu:23: error: uninitialized read.* 21 |.*read here'
expect_failed stencil_wrong.sim.races.stencilNoBarrier 'stencil_wrong.cu:39.*stencilNoBarrier FAIL'
expect_failed scan_wrong.sim.races.scanNoFence 'scan_wrong.cu:28.*scanNoFence FAIL'
expect_failed scan_wrong.sim.races.scanPlainFlags 'scan_wrong.cu:31.*scanPlainFlags FAIL'
expect_failed wave_wrong.sim.run.sampleUnguarded 'wave_wrong.cu:14.*at x\[640\], outside its 600 elements'

# ---- Mistakes of a suite ----

# project TEXT: writes a project with that CMake code to own/. Its languages are C and C++.
project() {
    rm -rf "$folder/own"
    mkdir -p "$folder/own"
    cp "$source/docs/examples/sum.cu" "$source/docs/examples/sum.c" "$folder/own"
    printf 'saxpy<<<1, 32>>(n)\n' >"$folder/own/unread.launches"
    printf 'f<<<1, 32>>>(n)\n\nf<<<2, 32>>>(n)\n' >"$folder/own/twice.launches"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(own LANGUAGES C CXX)' \
        'find_package(simtcheck REQUIRED)' 'enable_testing()' "$1" >"$folder/own/CMakeLists.txt"
}
configure() {
    cmake -S "$folder/own" -B "$folder/own_build" "${compilers[@]}" -DSIMTCHECK_PTX_NVCC="$nvcc"
}
# Captures need no compiler of CUDA C++.
project 'simtcheck_add_suite(NAME captured CAPTURES h100 OPTIONS --only run --kernel *struct)'
cp -r "$source/tests/capture/h100" "$folder/own"
must "configure with a capture" configure
says "a capture" 0 'captured.sim.capture.h100 [.]+ *Passed.*100% tests passed, 0 tests failed out of 1 ' \
    ctest --test-dir "$folder/own_build"
rm -rf "$folder/own_build"
# Known defects are found by their markers, not by line numbers.
project 'simtcheck_add_suite(NAME own FILES sum.cu SUITE sum.c)'
sed -i '1s/^/\n/' "$folder/own/sum.cu"
must "configure with a line more" configure
must "build with a line more" cmake --build "$folder/own_build" -j2
says "a line more above a marked race" 0 '1 data race accepted: ' \
    "$folder/own_build/own" races --engine sim --kernel blockSumNoBarrier
sed -i -e '/defect: no_barrier/d' -e '/end of defect/d' "$folder/own/sum.cu"
echo '/* defect: no_barrier */ /* end of defect */' >>"$folder/own/sum.cu"
must "build with the markers elsewhere" cmake --build "$folder/own_build" -j2
says "markers elsewhere" 1 'a known defect, which does not name this race' \
    "$folder/own_build/own" races --engine sim --kernel blockSumNoBarrier
sed -i 's/defect_no_barrier,/defect_no_bariers,/' "$folder/own/sum.c"
says "a defect that no file marks" 2 "sum.c:[0-9]+:.*'?defect_no_bariers" cmake --build "$folder/own_build"
sed -i 's, /\* end of defect \*/,,' "$folder/own/sum.cu"
says "a region without an end" 2 "sum.cu:[0-9]+: the region of defect 'no_barrier' has no end" \
    cmake --build "$folder/own_build"
project 'simtcheck_add_suite(NAME own FILES nowhere.cu SUITE sum.c)'
says "a file that is not there" 1 "there is no file '.*nowhere.cu'" configure
project 'simtcheck_add_suite(NAME own FILES sum.cu SUITE unread.launches)'
says "a launch that is none" 1 'unread.launches:1: .*is no launch' configure
project 'simtcheck_add_suite(NAME own FILES sum.cu SUITE twice.launches)'
says "two launches of one name" 1 "twice.launches:3: there is a launch 'f' before" configure

# ---- Without the copy ----

must "remove it" "$source/ci/install" --remove "$prefix"
[ -z "$(find "$prefix" -type f -o -name '*simtcheck*')" ] ||
    fail "files are left: $(find "$prefix" -type f -o -name '*simtcheck*')"
says "it is removed" 3 'there is no .*installed.txt' "$source/ci/install" --remove "$prefix"

exit "$failed"
