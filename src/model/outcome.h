/* SPDX-License-Identifier: MIT
 *
 * The outcome of a case: it passes, differs from the oracle, or ends in a fault. It also lists the
 * races in the case. Workers, checks and results share these types.
 */
#ifndef SIMTCHECK_MODEL_OUTCOME_H
#define SIMTCHECK_MODEL_OUTCOME_H

#include "fault.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the simulator schedules the lanes of a warp. The CUDA engine ignores model and schedule. */
enum model {
    MODEL_LOCKSTEP,    /* lanes at the same instruction step together, as before Volta */
    MODEL_INDEPENDENT, /* independent thread scheduling: only synchronization orders lanes */
};

enum { MODELS = MODEL_INDEPENDENT + 1 };

const char *model_name(enum model model);

enum { OUTCOME_TEXT = 1152 }; /* bytes of an outcome in words */

/* The first difference of a result. `place` is the element, such as "out[3]", or empty for the
 * whole sum. */
struct difference {
    char place[56], expected[48], got[48];
    struct array_element element; /* the same as data; unit ELEMENT_NONE: not an element */
    uint32_t buffer;              /* of the invocation, if it is an element */
    /* The last store to the element, as in struct fault. Set if a run explains the difference. */
    char file[SOURCE_FILE];
    int line; /* 0: unknown */
    char outer[SOURCE_LINE];
};

enum { RACE_IDENTITIES = 32, BARRIERS_TEXT = 4 * SOURCE_LINE + 192 };

enum outcome_kind {
    OUTCOME_PASS,
    OUTCOME_MISMATCH, /* the kernel ran, and its result differs from the oracle's */
    OUTCOME_FAULT,    /* the kernel did not finish, or broke a rule */
};

const char *outcome_name(enum outcome_kind kind);

struct outcome {
    enum outcome_kind kind;
    struct fault fault;           /* OUTCOME_FAULT */
    struct difference difference; /* OUTCOME_MISMATCH */
    uint64_t digest;              /* of all outputs, on request; not after a fault */
    uint64_t points;              /* scheduling points, on request */
    uint64_t instructions;        /* of all threads; 0: unknown */
    /* Set by the simulator if the race checker ran. races: pairs of source locations that race.
     * unordered: unordered pairs of strong accesses. checked: number of accesses. */
    uint64_t races, unordered, checked;
    uint64_t same_value; /* those of `races` with writes of the same value only */
    /* The races that are not allowed, by the hashes of their identities: the smallest ones. */
    uint64_t race_identities[RACE_IDENTITIES];
    uint64_t unexpected; /* those of `races` that the variant's known defect does not name */
    /* Bit k: allowance k of the invocation excused something. For each allowance of an order, the
     * digest of its array, on request; for one of prints, that of the text. */
    uint64_t excused, order[8];
    /* The location, such as "my.cu:12", of an executed __activemask(), or "". */
    char active_mask[SOURCE_LINE];
    /* The same for an executed atomic operation whose effect depends on the order, or "". */
    char atomic[SOURCE_LINE];
    /* The same for a read of a texture whose result a GPU may round in another way, or "". */
    char inexact[SOURCE_LINE];
    /* The same for a read of a clock, or "". */
    char clock[SOURCE_LINE];
    /* What PTX permits at barriers and the CUDA guide does not, as clauses, or "". */
    char barriers[BARRIERS_TEXT];
    /* The location of an executed printf() that nothing allows, or "", and the digest of all that
     * these printed. Set by the simulator for kernels of users. */
    char prints[SOURCE_LINE];
    uint64_t printed;
#ifdef SIMTCHECK_EXTRA_MEMBER
    uint64_t extra; /* added by a test, here and in the table only */
#endif
};

/* Returns the allowances of an order whose arrays differ between the outcomes, as in `excused`. */
uint64_t outcome_orders(const struct outcome *a, const struct outcome *b);

/* The kind of an access, as bits. */
enum {
    ACCESS_READ = 0,
    ACCESS_WRITE = 1,
    ACCESS_VOLATILE = 2,
    ACCESS_ATOMIC = 4, /* read-modify-write */
    ACCESS_INVALIDATES = 8, /* of a write: mbarrier.inval */
    /* ld.global.nc: the value must stay constant while the grid runs. */
    ACCESS_CONSTANT = 64,
    ACCESS_ASYNC = 128, /* in the async proxy (PTX ISA, proxies), by an asynchronous operation */
    ACCESS_EXIT = 256,  /* the end of a block, and thus of its shared memory */
    /* A read by a texture or surface, which may not see what the grid wrote before. The bit 16 has
     * another meaning in accesses that are not ACCESS_CONSTANT. */
    ACCESS_TEXTURE = ACCESS_CONSTANT | 16,
};

/* One of the two accesses of a race. */
struct race_side {
    char kernel[48];
    uint64_t grid;   /* in order of launches; 0: launched by the host */
    uint32_t launch; /* after launches_run(): which of the launches, or of whose child grids */
    struct extent block, thread;
    uint32_t number; /* the index of the thread in its block */
    unsigned int access;
    char scope[8];     /* of a strong access: "block", "cluster", "device" or "system" */
    char semantics[8]; /* of a strong access, such as "acquire", or "" */
    char file[SOURCE_FILE];
    int line; /* 0: unknown */
    /* Set by the simulator. outer: the calls into which the compiler inlined the access, or "".
     * ptx_line: the line in the PTX, or 0. */
    char outer[SOURCE_LINE]; /* "file:12, other:34", from the innermost one */
    int ptx_line;
    char library[SOURCE_LINE]; /* as in struct fault */
    /* The value, if known, of an element of 1, 2 or 4 bytes, or of the racing 32-bit word: `before`
     * a write, and `after` it, or as it was read. A float is given by its bits. */
    bool before_known, after_known, is_float;
    uint32_t bytes; /* of the element: 1, 2, or 4 for all others */
    uint32_t before, after;
};

/* Writes what the access does, such as "writes 5 over 3". Returns the text. */
enum { RACE_DOES = 192 };
const char *race_does(const struct race_side *side, char text[RACE_DOES]);

/* Returns "atomic", "write" or "read". */
const char *race_access_word(const struct race_side *side);

/* What the accesses of a race do, in the order of the program: not in the order in which they ran.
 * In a loop, a write before a read needs another barrier than a read before the next write. */
enum race_hazard { HAZARD_WRITE_READ, HAZARD_READ_WRITE, HAZARD_WRITE_WRITE };

/* What the threads of a race have in common: they are lanes of one warp, warps of one block, and so
 * on. RELATION_PROXIES: only a fence between the generic and the async proxy is missing. */
enum race_relation {
    RELATION_LANES,
    RELATION_WARPS,
    RELATION_BLOCKS,
    RELATION_GRIDS,
    RELATION_PROXIES
};

/* Return words. */
const char *race_hazard_name(enum race_hazard hazard);
const char *race_relation_name(enum race_relation relation);

enum { RACE_FLAG = 2 * SOURCE_LINE + 320 };

/* Two unordered accesses to the same location, at least one of which writes. */
struct race {
    struct race_side first, second; /* in the order in which they ran */
    enum race_hazard hazard;
    enum race_relation relation;
    struct array_element element;
    enum fault_sentence lacks; /* the order that is missing */
    int64_t numbers[FAULT_NUMBERS];
    char place[96];          /* the element in words, such as "in[3]" */
    char flag[RACE_FLAG];    /* a flag that does not order them, and why, or "" */
    char missing[RACE_FLAG]; /* `flag`, or `lacks` in words: made by race_render() */
    char removed[176];       /* a sentence about an access that another compiler removed, or "" */
    uint64_t count;          /* number of such races between the two source locations */
    bool shares;             /* it is on the element that the run looks at */
    bool same_value;         /* both accesses write the same value */
    bool strong; /* not a race: both are volatile or atomic, with scopes that include each other */
};

/* Sets `place` and `missing` from the other members. */
void race_render(struct race *race);

#ifdef __cplusplus
}
#endif

#endif
