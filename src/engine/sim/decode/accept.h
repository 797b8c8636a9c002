/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_ACCEPT_H
#define SIMTCHECK_SIM_ACCEPT_H

#include "catalogue.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the simulator can run the PTX of that file. Returns false otherwise, with a
 * sentence in `error`. */
bool decode_accepts(const char *path, char *error, size_t error_size);

/* Returns true if the driver of a GPU can load the PTX of that file. Returns false if it calls a
 * function that only the simulator has, with the reason in `error`. */
bool decode_runs_on_gpu(const char *path, char *error, size_t error_size);

/* Returns the type of floats that kernels of that file add atomically: ELEMENT_F32 and the like. The
 * order of such additions changes the sum. Writes one of their places, such as "my.cu:12". Returns
 * ELEMENT_I32 if there are none. */
enum element decode_adds_floats(const char *path, char *place, size_t size);

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

/* Lists these lines of the PTX of that file. Returns false without a list on error. The caller
 * frees `lines->all`. */
bool decode_access_lines(const char *path, struct access_lines *lines);

#endif
