/* SPDX-License-Identifier: MIT
 *
 * Buffers on the device: filled, poisoned and looked through there, with guard zones around each.
 */
#ifndef SIMTCHECK_CUDA_REGIONS_H
#define SIMTCHECK_CUDA_REGIONS_H

#include "engine.h"

#include <cuda_runtime.h>

/* A buffer with its guard zones in the slab. */
struct region {
    uint32_t *words;  /* first word of the leading guard zone */
    uint64_t guard;   /* words of each guard zone */
    uint64_t count;   /* words between them */
    uint64_t padding; /* so many of them, at the end, hold zeros */
    filling input;
    role purpose;
    uint32_t job, buffer;
    uint32_t *packed; /* where regions_inspect() copies the words; null: they are not wanted */
    uint32_t first_piece;
};

/* Blocks of threads work on regions piece by piece: so many words each. */
constexpr uint64_t PIECE_WORDS = 4096;
uint32_t pieces_of(const region &region);

/* What is wrong with a job: the least of (buffer << 48 | word), or NOTHING_FOUND. */
struct known_defects {
    unsigned long long stray, unwritten, read_only;
};

constexpr unsigned long long NOTHING_FOUND = ~0ull;

/* Guard zone on each side of a buffer, in 32-bit words: in a batch, and for a job alone. */
constexpr uint64_t GUARD_WORDS = 1024, WIDE_GUARD_WORDS = 1 << 18;

/* That of a batch of so many jobs. */
uint64_t guard_words(size_t jobs);

/* Words of a buffer, the last of which may have more than the buffer's last bytes; and bytes of its
 * region. */
uint64_t words_of(const buffer &buffer);
size_t region_bytes(const buffer &buffer, uint64_t guard);

/* What a job takes: bytes of its regions, words of what is wanted back. */
struct room {
    size_t slab, packed_words;
};
room room_for(const engine_job &job, uint64_t guard);

/* Is there code of this program for the current device? */
cudaError_t regions_open();

/* Fills in so many regions, of so many pieces altogether, which are numbered by first_piece from 0
 * on, with their values and with poison, which depends on the salt. */
cudaError_t regions_prepare(const region *regions, uint32_t count, uint32_t pieces, uint64_t salt,
                            cudaStream_t stream);

/* Looks for guard zones and inputs that have changed, and outputs that have not; and packs. Salt as
 * it was. */
cudaError_t regions_inspect(const region *regions, uint32_t count, uint32_t pieces, uint64_t salt,
                            known_defects *found, cudaStream_t stream);

/* Turns what was found of a job, whose guard zones have so many words, into a fault; nothing:
 * leaves that as it is. */
void regions_judge(const known_defects &found, const invocation &invocation, uint64_t guard,
                   fault *fault);

#endif
