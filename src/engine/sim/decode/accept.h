/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_ACCEPT_H
#define SIMTCHECK_SIM_ACCEPT_H

#include "catalogue.h"

#include <stdbool.h>
#include <stddef.h>

/* PTX files that are linked. They are read once, for all questions. */
struct decoded;

/* Reads files that the simulator can decode. Returns null otherwise, with a sentence in `error`. */
struct decoded *decode_open(const char *const *paths, size_t count, char *error, size_t error_size);
void decode_close(struct decoded *decoded); /* null: does nothing */

/* Returns true if the files define every function that they call, so that the simulator can run
 * them. Returns false otherwise, with a sentence in `error`. */
bool decode_accepts(const struct decoded *decoded, char *error, size_t error_size);

/* Returns true if the engine cuda can run the files. Returns false if they call a function that
 * only the simulator has, or have texture references, with the reason in `error`. */
bool decode_runs_on_gpu(const struct decoded *decoded, char *error, size_t error_size);

/* Floats whose last bits PTX does not define: sums of atomic additions, which depend on the order,
 * and results of approximate instructions, such as ex2.approx. */
struct inexact_floats {
    enum element element; /* their type, such as ELEMENT_F32; ELEMENT_I32: there are none */
    bool are_added;       /* they are atomic sums */
    char place[256];      /* where one of them is computed, such as "my.cu:12" */
};

/* Returns such floats of the kernels, and atomic sums if there are both. */
struct inexact_floats decode_inexact_floats(const struct decoded *decoded);

/* A source line whose instructions, or whose inlined calls, access global or shared memory. */
struct access_line {
    char file[96]; /* as in faults */
    int line;
    bool reads, writes;
};

struct access_lines {
    struct access_line *all;
    size_t count;
};

/* Lists these lines of the PTX. Returns false without a list when memory runs out. The caller frees
 * `lines->all`. */
bool decode_access_lines(const struct decoded *decoded, struct access_lines *lines);

/* Returns true if these kernels, and the functions that they may call, access no global or shared
 * memory, pass no barrier of a block and call no function of the CUDA runtime.
 */
bool decode_is_idle(const struct decoded *decoded, const char *const *kernels, size_t count);

enum { STATIC_SHARED = 48 << 10 }; /* bytes of static shared memory that ptxas accepts */

/* Returns the bytes of a kernel's static shared memory. */
uint64_t decode_static_shared(const struct decoded *decoded, const char *kernel);

#endif
