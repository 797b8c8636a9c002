#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Tests `simtcheck exec` in front of suites of tests, as docs/exec.md shows it: of the command of a whole suite, and of
# each test of CTest. Usage: test_exec_suites.sh SIMTCHECK CMAKE CTEST RUNTIME, the stand-in for libcudart.so.
set -u
simtcheck=$1
cmake=$2
ctest=$3
runtime=$4
folder=$(mktemp -d /tmp/simtcheck-exec-suites-XXXXXX)
trap 'rm -rf "$folder"' EXIT
failed=0

report_problem() {
    echo "$*" >&2
    failed=1
}

# expect STATUS TEXT COMMAND...: the command must end with the status and print the text.
expect() {
    local wanted=$1 text=$2 said status
    shift 2
    said=$("$@" 2>&1)
    status=$?
    [ "$status" = "$wanted" ] || report_problem "$*: status $status, not $wanted: $said"
    case $said in *"$text"*) ;; *) report_problem "$*: without '$text': $said" ;; esac
}

# count NUMBER TEXT FILE: the file must have so many lines with the text.
count() {
    local found
    found=$(grep -c "$2" "$3")
    [ "$found" = "$1" ] || report_problem "$3 has '$2' in $found lines, not in $1"
}

# A project with two tests. Both pass; one has a leak.
cat >"$folder/test.c" <<'END'
#include <stddef.h>

int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned int gx, unsigned int gy, unsigned int gz,
                   unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared_bytes,
                   void *stream, void **arguments, void **extra);

static const char ptx[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                          ".visible .entry empty()\n{\n    ret;\n}\n";

int main(void)
{
    void *address, *module, *function;

    if (cudaMalloc(&address, 100) != 0 || cuModuleLoadData(&module, ptx) != 0 ||
        cuModuleGetFunction(&function, module, "empty") != 0 ||
        cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL) != 0)
        return 1;
#ifndef LEAK
    cudaFree(address);
#endif
    return 0;
}
END
cat >"$folder/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(suite C)
enable_testing()
foreach(name right leak)
    add_executable(\${name} test.c)
    target_compile_options(\${name} PRIVATE -g)
    target_link_libraries(\${name} PRIVATE "$runtime" "$(dirname "$runtime")/libcuda.so.1")
    add_test(NAME \${name} COMMAND \${name})
endforeach()
target_compile_definitions(leak PRIVATE LEAK)
END
cd "$folder" || exit 1

make_suite() {
    "$cmake" -S . -B "$@" >log 2>&1 && "$cmake" --build "$1" >>log 2>&1 || report_problem "$(cat log)"
}

# In front of a whole suite. All tests pass, and exec reports the leak once.
make_suite whole
expect 1 'test.c:18' "$simtcheck" exec --sarif exec.sarif --junit exec.xml -- \
    "$ctest" --test-dir whole --parallel 2 --output-junit junit.xml
"$simtcheck" exec -- "$ctest" --test-dir whole --verbose >printed 2>&1
count 1 'test.c:18: error: memory leak' printed
count 1 '   18 |     if (cudaMalloc(&address, 100) != 0' printed
count 1 '100 bytes of memory of the GPU are not freed at the end: address (test.c:18)' printed
count 1 '^ctest  FAIL  1 memory leak$' printed
count 2 '<testcase ' whole/junit.xml
count 0 '<failure' whole/junit.xml
count 1 '"startLine": 18' exec.sarif
count 1 '<failure' exec.xml
expect 0 "out of 1" "$simtcheck" exec -- "$ctest" --test-dir whole -R right
expect 1 "sh  FAIL  exit status 3 of the program" "$simtcheck" exec --junit failed.xml -- sh -c 'exit 3'
count 1 '<failure message="exit status 3 of the program"/>' failed.xml

# In front of each test. That with the leak fails.
make_suite each "-DCMAKE_CROSSCOMPILING_EMULATOR=$simtcheck;exec;--allow;no-launch;--"
expect 8 'leak (Failed)' "$ctest" --test-dir each
expect 0 'out of 1' "$ctest" --test-dir each -R right

# The same with GoogleTest, if it is installed. CMake runs the program when it is built, to list its tests.
[ -e /usr/include/gtest/gtest.h ] || exit "$failed"
mkdir google
{
    sed 's/^int cu/extern "C" &/; s/^int main.*/static int run(bool leaks)/
        s/NULL, NULL, NULL/nullptr, nullptr, nullptr/; s/^#ifndef LEAK/    if (!leaks)/
        /^#endif/d; s/^#include.*/#include <gtest\/gtest.h>/' test.c
    printf 'TEST(Suite, Right) { EXPECT_EQ(run(false), 0); }\nTEST(Suite, Leak) { EXPECT_EQ(run(true), 0); }\n'
    printf 'TEST(Suite, Host) {}\n'
} >google/test.cc
cat >google/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(google CXX)
find_package(GTest REQUIRED)
include(GoogleTest)
enable_testing()
add_executable(suite test.cc)
target_link_libraries(suite PRIVATE GTest::gtest_main "$runtime" "$(dirname "$runtime")/libcuda.so.1")
gtest_discover_tests(suite)
END
cd google || exit 1
make_suite each "-DCMAKE_CROSSCOMPILING_EMULATOR=$simtcheck;exec;--allow;no-launch;--"
expect 8 '2 - Suite.Leak (Failed)' "$ctest" --test-dir each
expect 0 'out of 2' "$ctest" --test-dir each -R 'Right|Host'
exit "$failed"
