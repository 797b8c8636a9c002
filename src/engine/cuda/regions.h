/* SPDX-License-Identifier: MIT
 *
 * Buffers on the device. They are filled, poisoned and inspected there, and have a guard zone on
 * each side.
 */
#ifndef SIMTCHECK_CUDA_REGIONS_H
#define SIMTCHECK_CUDA_REGIONS_H

#include "engine.h"

#include <cuda_runtime.h>

/* A buffer in the slab, with its guard zones. */
struct region {
    uint32_t *words;  /* first word of the leading guard zone */
    uint64_t guard;   /* words of each guard zone */
    uint64_t count;   /* words between the guard zones */
    uint64_t padding; /* number of words at the end of these that hold zeros */
    filling input;
    role purpose;
    uint32_t job, buffer;
    uint32_t *packed; /* where regions_inspect() copies the words; null: do not copy */
    uint32_t first_piece;
};

/* Thread blocks process regions in pieces of this many words. */
constexpr uint64_t PIECE_WORDS = 4096;
uint32_t pieces_of(const region &region);

/* The first error of a job: the minimum of (buffer << 48 | word), or NOTHING_FOUND. */
struct violations {
    unsigned long long stray, unwritten, read_only;
};

constexpr unsigned long long NOTHING_FOUND = ~0ull;

/* Guard zone on each side of a buffer, in 32-bit words: in a batch, and for a job that runs
 * alone. */
constexpr uint64_t GUARD_WORDS = 1024, WIDE_GUARD_WORDS = 1 << 18;

/* Returns the guard zone in words for a batch of `jobs` jobs. */
uint64_t guard_words(size_t jobs);

/* words_of() returns the words of a buffer; the last one may extend past the buffer's last byte.
 * region_bytes() returns the bytes of the buffer's region. */
uint64_t words_of(const buffer &buffer);
size_t region_bytes(const buffer &buffer, uint64_t guard);

/* Returns the place of a row of the buffer, or of all of it if it has no rows. */
void *row_in_region(const buffer &buffer, const region &region, uint64_t row);

/* The room that a job needs: bytes of its regions, and words of the buffers to copy back. */
struct room {
    size_t slab, packed_words;
};
room room_for(const engine_job &job, uint64_t guard);

/* Returns an error if this program has no code for the current device. */
cudaError_t regions_open();

/* Fills `count` regions with their values and with poison, which depends on the salt. The regions
 * have `pieces` pieces in total; first_piece is each region's first one, counted from 0. */
cudaError_t regions_prepare(const region *regions, uint32_t count, uint32_t pieces, uint64_t salt,
                            cudaStream_t stream);

/* Finds guard zones and inputs that have changed, and outputs that have not, and packs the words.
 * `salt` must be the one passed to regions_prepare(). */
cudaError_t regions_inspect(const region *regions, uint32_t count, uint32_t pieces, uint64_t salt,
                            violations *found, cudaStream_t stream);

/* Converts what was found of a job into a fault. `guard` is the words of its guard zones. Leaves
 * `fault` unchanged if nothing was found. */
void regions_judge(const violations &found, const invocation &invocation, uint64_t guard,
                   fault *fault);

#endif
