/* SPDX-License-Identifier: MIT
 *
 * Where barriers can be, in CUDA source and in the PTX of it.
 */
#ifndef SIMTCHECK_CHECKS_BARRIER_PLACES_H
#define SIMTCHECK_CHECKS_BARRIER_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct barrier_code;

/* Before a statement. */
struct barrier_place {
    const void *function; /* of the PTX */
    const char *file;
    uint32_t number, line, end; /* number: of the file; end: the last line of the block */
    uint32_t level;             /* how many inlined calls are around the function with the line */
    bool repeats;               /* it is in a loop, whose body may have several copies */
};

struct barrier {
    struct barrier_place place;
    bool is_of_warp; /* __syncwarp(), not __syncthreads() */
};

enum { MAX_BARRIER_PLACES = 16, MAX_BARRIERS = 8 };

/* Reads PTX. Returns null on error. The caller frees it with barrier_code_free(). */
struct barrier_code *barrier_code_read(const char *path);
void barrier_code_free(struct barrier_code *code);

/* Lists __syncthreads() between two accesses, by their lines in the PTX: before the statements
 * from the later access back to the other one. In a loop, then before those after both, and then
 * back from the first one. Returns their number. */
size_t barrier_places(struct barrier_code *code, int one, int other,
                      struct barrier barriers[MAX_BARRIER_PLACES]);

/* Writes the code with the barriers, up to MAX_BARRIERS, all in one function. Returns false on
 * error.
 */
bool barrier_write(const struct barrier_code *code, const struct barrier *barriers, size_t count,
                   const char *path);

#endif
