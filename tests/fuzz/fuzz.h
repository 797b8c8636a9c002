/* SPDX-License-Identifier: MIT
 *
 * A target of libFuzzer, a file each: it takes any bytes, and neither crashes nor hangs. Built with
 * clang and -DSIMTCHECK_FUZZ=ON they are fuzzed (ci/fuzz); in every other build replay.c gives them
 * the files named on its command line, which is a test.
 */
#ifndef SIMTCHECK_TESTS_FUZZ_H
#define SIMTCHECK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0. The bytes are the caller's, and no zero stands behind them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a string, the caller's; ends the program where memory runs out. */
char *fuzz_string(const uint8_t *data, size_t size);

/* Ends the program as a crash does, unless that holds: what must be so after any input. */
void fuzz_expect(int holds);

#endif
