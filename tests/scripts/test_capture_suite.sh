#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# simtcheck_add_suite(CAPTURES): a test of each capture, and errors for mistakes.
# test_capture_suite.sh SOURCE_FOLDER SIMTCHECK
set -u
source=$1 simtcheck=$2
folder=$(mktemp -d /tmp/simtcheck-suite-XXXXXX) || exit 3
trap 'rm -rf "$folder"' EXIT
failed=0

# configure ARGUMENTS: configures a project with that suite. Its output is in log.
configure() {
    rm -rf "$folder/build"
    cat >"$folder/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(own LANGUAGES NONE)
add_executable(simtcheck::simtcheck IMPORTED)
set_target_properties(simtcheck::simtcheck PROPERTIES IMPORTED_LOCATION "$simtcheck")
set(SIMTCHECK_DATA_DIR "$source")
include("$source/cmake/SimtcheckSuite.cmake")
enable_testing()
simtcheck_add_suite(NAME own $1)
CMAKE
    cmake -S "$folder" -B "$folder/build" >"$folder/log" 2>&1
}

# says PATTERN: the log must have it; CMake breaks lines.
says() {
    tr -s '\n ' ' ' <"$folder/log" | grep -qE -- "$1" || {
        echo "FAILED: it does not say '$1':" >&2
        cat "$folder/log" >&2
        failed=1
    }
}

cp -r "$source/tests/capture/h100" "$folder/damaged"
for launch in "$folder"/damaged/launches/*; do
    echo >>"$launch"
done
configure "CAPTURES \"$source/tests/capture/h100\" damaged OPTIONS --only run --kernel *struct" || failed=1
ctest --test-dir "$folder/build" -L capture --output-on-failure >"$folder/log" 2>&1
says 'own.sim.capture.h100 [.]+ *Passed'
says 'own.sim.capture.damaged [.]+[*]+Failed'
says 'damaged/launches/'
configure 'CAPTURES nowhere' && failed=1
says "nowhere' is no capture: it has no capture.json"
configure 'CAPTURES damaged damaged' && failed=1
says "two captures have the name 'damaged': rename one"
configure 'CAPTURES damaged SUITE a.c' && failed=1
says 'takes NAME name FILES'
exit "$failed"
