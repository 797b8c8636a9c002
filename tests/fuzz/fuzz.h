/* SPDX-License-Identifier: MIT
 *
 * A target for libFuzzer; each file defines one. It accepts any bytes, and must neither crash nor
 * hang. clang with -DSIMTCHECK_FUZZ=ON builds fuzzers, which ci/fuzz runs. In every other build
 * replay.c gives a target the files on its command line, as a test.
 */
#ifndef SIMTCHECK_TESTS_FUZZ_H
#define SIMTCHECK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0. The caller owns the bytes; no zero follows them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the bytes as a string, which the caller frees. Ends the program if memory runs out. */
char *fuzz_string(const uint8_t *data, size_t size);

/* Ends the program as a crash does unless `holds` is true. Use it for conditions that must be true
 * after any input. */
void fuzz_expect(int holds);

#endif
