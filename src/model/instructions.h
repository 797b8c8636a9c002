/* SPDX-License-Identifier: MIT
 *
 * The instructions of a kernel, and their source lines.
 */
#ifndef SIMTCHECK_MODEL_INSTRUCTIONS_H
#define SIMTCHECK_MODEL_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A source line. */
struct simt_site {
    const char *file;
    int line, column;
    const struct simt_site *outer; /* the call, if it was inlined; null: not inlined */
    /* The line of a library's header, if the code is from there; null: it is the user's. Without a
     * known line of the user's, `file` and `line` are the same. */
    const char *library;
    int library_line;
};

/* An instruction. In lockstep, lanes run in the order of places, which is the order of the PTX. */
struct simt_place {
    struct simt_site site;
    uint32_t line;   /* in the PTX */
    uint8_t element; /* bytes of the instruction's type, of each number of a vector; 0: none */
    bool is_float;   /* the type is a float */
    const char *semantics; /* its memory ordering, such as "acquire"; null: none is written */
};

/* The scope of an atomic or a fence. */
enum simt_scope { SIMT_BLOCK, SIMT_CLUSTER, SIMT_DEVICE, SIMT_SYSTEM };

/* The accesses that a fence between the generic and the async proxy orders, as bits. */
enum simt_covered { SIMT_COVERS_GLOBAL = 1, SIMT_COVERS_SHARED = 2, SIMT_COVERS_INIT = 4 };

/* The memory ordering of a strong access, as in the memory consistency model of the PTX ISA. */
enum simt_order { SIMT_RELAXED, SIMT_ACQUIRE, SIMT_RELEASE, SIMT_ACQ_REL };

/* Warp-level operations, named after the PTX instruction and its qualifiers. */
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
    SIMT_MATRIX, /* a matrix instruction */
};

/* How SIMT_REDUCE reduces 32-bit words; "_s" means signed. */
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
    SIMT_PARAMETER, /* ld.param and st.param, which are not memory accesses */
    SIMT_LOAD,
    SIMT_STORE,
    SIMT_ATOMIC,
    SIMT_SYNCHRONISATION, /* barriers, fences and communication between lanes */
    SIMT_CONTROL,
    SIMT_CLASSES
};

#ifdef __cplusplus
}
#endif

#endif
