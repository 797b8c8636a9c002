/* SPDX-License-Identifier: MIT
 *
 * What instructions of a kernel are, and where they stand in its source.
 */
#ifndef SIMTCHECK_MODEL_INSTRUCTIONS_H
#define SIMTCHECK_MODEL_INSTRUCTIONS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A line of the source. */
struct simt_site {
    const char *file;
    int line;
    const char *outer_file; /* into which the compiler has inlined it; null: into nothing */
    int outer_line;
};

/* An instruction. Lanes in lockstep go by the order of places, which is that of the PTX. */
struct simt_place {
    struct simt_site site;
    uint32_t line; /* in the PTX */
};

/* Of atomics and fences. */
enum simt_scope { SIMT_BLOCK, SIMT_DEVICE, SIMT_SYSTEM };

/* PTX ISA, memory consistency model: what a strong access orders besides itself. */
enum simt_order { SIMT_RELAXED, SIMT_ACQUIRE, SIMT_RELEASE, SIMT_ACQ_REL };

/* What the lanes of a warp do together, by the names of PTX: an instruction with its qualifiers. */
enum simt_collective {
    SIMT_SYNC,
    SIMT_SHUFFLE_idx,
    SIMT_SHUFFLE_up,
    SIMT_SHUFFLE_down,
    SIMT_SHUFFLE_bfly,
    SIMT_VOTE_ballot,
    SIMT_VOTE_any,
    SIMT_VOTE_all,
    SIMT_VOTE_uni,
    SIMT_ELECT,
    SIMT_MATCH_any,
    SIMT_MATCH_all,
    SIMT_REDUCE,
};

/* How SIMT_REDUCE reduces words of 32 bits; _s: as signed ones. */
enum simt_reduce {
    SIMT_REDUCE_add,
    SIMT_REDUCE_min,
    SIMT_REDUCE_max,
    SIMT_REDUCE_and,
    SIMT_REDUCE_or,
    SIMT_REDUCE_xor,
    SIMT_REDUCE_add_s,
    SIMT_REDUCE_min_s,
    SIMT_REDUCE_max_s,
};

/* Classes of instructions, by the chapters of the PTX ISA. */
enum simt_class {
    SIMT_INTEGER,
    SIMT_FLOAT,
    SIMT_LOGIC,
    SIMT_COMPARISON,
    SIMT_CONVERSION,
    SIMT_MOVE,
    SIMT_PARAMETER, /* reads and writes of parameters, which are no accesses of memory */
    SIMT_LOAD,
    SIMT_STORE,
    SIMT_ATOMIC,
    SIMT_SYNCHRONISATION, /* barriers and fences, and what lanes exchange */
    SIMT_CONTROL,
    SIMT_CLASSES
};

#ifdef __cplusplus
}
#endif

#endif
