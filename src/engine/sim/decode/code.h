/* SPDX-License-Identifier: MIT
 *
 * Decoded PTX, which the interpreter runs. A function's frame is a sequence of slots. A slot has a
 * head and 32 lanes. A predicate's slot has one word with a bit for each lane. Constants and
 * special registers that do not change have slots too, so an operand is always an offset in the
 * frame.
 */
#ifndef SIMTCHECK_SIM_CODE_H
#define SIMTCHECK_SIM_CODE_H

#include "instructions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 32 };

struct op;

/* Executes an arithmetic instruction for the lanes of a mask, on a frame of registers. */
typedef void operation_function(char *frame, const struct op *op, uint32_t mask);

/* How ops of a kind access memory that threads share. MEMORY_BY_OP: accept.c asks the op. */
enum op_memory {
    MEMORY_NONE,
    MEMORY_READS = 1,
    MEMORY_WRITES = 2,
    MEMORY_BOTH = MEMORY_READS | MEMORY_WRITES,
    MEMORY_BY_OP,
};

/* What ops of a kind do while loads and atomics of their thread are put off: weak/deferred.c. */
enum op_weak {
    WEAK_WAITS,    /* all of those are made first */
    WEAK_PASSES,   /* it uses only registers of its own operands: those that set them are made */
    WEAK_ACCESSES, /* the same, and those to the same place */
};

/* A row for each kind of op: enum op_memory, enum op_weak, and whether it synchronizes threads of
 * different warps. */
/* clang-format off */
#define OP_KINDS(ROW)                                                                                                 \
    ROW(OP_COMPUTE,         NONE,   PASSES,   false) /* run */                                                        \
    ROW(OP_DIVIDE,          NONE,   PASSES,   false) /* run, of integers: a quotient by zero is undefined */          \
    ROW(OP_EXACT,           NONE,   PASSES,   false) /* run, of floats in another arithmetic; may be inexpressible */ \
    ROW(OP_SELECT,          NONE,   PASSES,   false) /* run, of selp: the value that is not chosen is not used */     \
    ROW(OP_COPY,            NONE,   PASSES,   false) /* d = a, of `bytes` */                                          \
    ROW(OP_RESIZE,          NONE,   PASSES,   false) /* d, of `to_bytes`, = a, of `bytes` */                          \
    ROW(OP_PACK,            NONE,   PASSES,   false) /* d, of `bytes`, = parts, the lowest first */                   \
    ROW(OP_UNPACK,          NONE,   PASSES,   false) /* parts = a, of `bytes` */                                      \
    ROW(OP_SPECIAL,         NONE,   WAITS,    false) /* d = a special register whose value changes */                 \
    ROW(OP_BLOCK,           NONE,   PASSES,   false) /* start of a basic block */                                     \
    ROW(OP_BRANCH,          NONE,   PASSES,   false) /* branch to `target` */                                         \
    ROW(OP_SWITCH,          NONE,   WAITS,    false) /* brx.idx */                                                    \
    ROW(OP_CALL,            NONE,   WAITS,    false) /* call a function of the module, or the one at address a */     \
    ROW(OP_LIBRARY,         NONE,   WAITS,    false) /* call a function of the CUDA runtime */                        \
    ROW(OP_RETURN,          NONE,   WAITS,    false)                                                                  \
    ROW(OP_EXIT,            NONE,   WAITS,    false)                                                                  \
    ROW(OP_TRAP,            NONE,   WAITS,    false) /* `what`: that of an access outside an array */                 \
    ROW(OP_LOAD,            READS,  ACCESSES, false)                                                                  \
    ROW(OP_STORE,           WRITES, ACCESSES, false)                                                                  \
    ROW(OP_LOAD_ROWS,       READS,  WAITS,    false) /* OP_LOAD of the lanes in `truth` */                            \
    ROW(OP_STORE_ROWS,      WRITES, WAITS,    false) /* OP_STORE of the lanes in `truth` */                           \
    ROW(OP_MATRIX_ADDRESS,  NONE,   WAITS,    false) /* d = the address of element `truth` of a fragment: matrix */   \
    ROW(OP_ATOMIC,          BOTH,   ACCESSES, false)                                                                  \
    ROW(OP_ENTRY_LOAD,      NONE,   PASSES,   false) /* load from the kernel's parameters, at `offset` */             \
    ROW(OP_VARIABLE_LOAD,   NONE,   WAITS,    false) /* load from a .param variable, at slot a */                     \
    ROW(OP_VARIABLE_STORE,  NONE,   WAITS,    false)                                                                  \
    ROW(OP_LOCAL_ADDRESS,   NONE,   PASSES,   false) /* d = the address of a .local variable at `offset` */           \
    ROW(OP_TO_GENERIC,      NONE,   PASSES,   false) /* cvta */                                                       \
    ROW(OP_TO_SPACE,        NONE,   PASSES,   false) /* cvta.to */                                                    \
    ROW(OP_IS_SPACE,        NONE,   PASSES,   false) /* isspacep */                                                   \
    ROW(OP_MAP_ADDRESS,     NONE,   WAITS,    false) /* mapa: d = the address a in block b of the cluster */          \
    ROW(OP_GET_RANK,        NONE,   WAITS,    false) /* getctarank: d = the rank of the block that has address a */   \
    ROW(OP_CLUSTER_BARRIER, NONE,   WAITS,    true)                                                                   \
    ROW(OP_BARRIER,         NONE,   WAITS,    true)                                                                   \
    ROW(OP_COLLECTIVE,      BY_OP,  WAITS,    false)                                                                  \
    ROW(OP_ACTIVE_MASK,     NONE,   WAITS,    false)                                                                  \
    ROW(OP_FENCE,           NONE,   PASSES,   false)                                                                  \
    ROW(OP_PROXY_FENCE,     NONE,   WAITS,    false) /* `what`: bits of enum simt_covered */                          \
    ROW(OP_ASYNC_COPY,      BOTH,   WAITS,    false)                                                                  \
    ROW(OP_ASYNC_COMMIT,    NONE,   WAITS,    false)                                                                  \
    ROW(OP_ASYNC_WAIT,      NONE,   WAITS,    false)                                                                  \
    ROW(OP_BULK_COPY,       BOTH,   WAITS,    false)                                                                  \
    ROW(OP_MBARRIER,        NONE,   WAITS,    true)                                                                   \
    ROW(OP_TEXTURE,         BY_OP,  WAITS,    false) /* an access to a texture or surface: texture */                 \
    ROW(OP_TEXTURE_QUERY,   NONE,   WAITS,    false) /* d = a property of the texture or surface a: texture */        \
    ROW(OP_SLEEP,           NONE,   WAITS,    false)                                                                  \
    ROW(OP_PATH,            NONE,   PASSES,   false) /* record a path step, `what`: paths.c */
/* clang-format on */

enum op_kind {
#define OP_KIND(kind, ...) kind,
    OP_KINDS(OP_KIND)
#undef OP_KIND
};

/* The rows, by enum op_kind: op_kinds.c. */
extern const struct op_kind_row {
    const char *name; /* such as "OP_LOAD" */
    uint8_t memory, weak;
    bool synchronizes;
} op_kinds[];

/* decode_paths.c, paths.c. DECIDE: a branch, or a guarded barrier, that decides about a barrier.
 * JOIN: the place where its paths meet. ACT: something that other threads may observe. */
enum path_step { STEP_DECIDE, STEP_JOIN, STEP_ACT };

enum combine { COMBINE_NOT, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

/* The result of a comparison: predicates, or numbers of 16 bits, 32 bits, or two halves. */
enum finish { FINISH_SETP, FINISH_SET_16, FINISH_SET_32, FINISH_SET_PAIR };

/* The bytes of shared memory that the system reserves on sm_90. Code may use those from BEGIN to
 * END, as groups of several warps do. */
enum { RESERVED_SHARED = 1024, RESERVED_BEGIN = 1024, RESERVED_END = RESERVED_BEGIN + 0x120 };

enum special {
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_TID_Z,
    SPECIAL_NTID_X,
    SPECIAL_NTID_Y,
    SPECIAL_NTID_Z,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_NCTAID_X,
    SPECIAL_NCTAID_Y,
    SPECIAL_NCTAID_Z,
    SPECIAL_LANEID,
    SPECIAL_WARPID,
    SPECIAL_LANEMASK_EQ,
    SPECIAL_LANEMASK_LT,
    SPECIAL_LANEMASK_LE,
    SPECIAL_LANEMASK_GT,
    SPECIAL_LANEMASK_GE,
    SPECIAL_DYNAMIC_SHARED,
    SPECIAL_TOTAL_SHARED,
    SPECIAL_CONSTANT, /* `value` */
    SPECIAL_WORKSPACE_LOW,
    SPECIAL_WORKSPACE_HIGH,
    SPECIAL_DYNAMIC_ADDRESS, /* of dynamic shared memory, 8 bytes */
    SPECIAL_CLUSTERID_X,
    SPECIAL_CLUSTERID_Y,
    SPECIAL_CLUSTERID_Z,
    SPECIAL_NCLUSTERID_X,
    SPECIAL_NCLUSTERID_Y,
    SPECIAL_NCLUSTERID_Z,
    SPECIAL_CLUSTER_CTAID_X,
    SPECIAL_CLUSTER_CTAID_Y,
    SPECIAL_CLUSTER_CTAID_Z,
    SPECIAL_CLUSTER_NCTAID_X,
    SPECIAL_CLUSTER_NCTAID_Y,
    SPECIAL_CLUSTER_NCTAID_Z,
    SPECIAL_CLUSTER_CTARANK,
    SPECIAL_CLUSTER_NCTARANK,
    SPECIAL_IS_EXPLICIT_CLUSTER, /* a predicate */
    SPECIAL_GROUP_BARRIER,       /* number of the barrier of its warpgroup: machine.h */
    SPECIAL_ALL_SHARED,          /* with RESERVED_SHARED */
    SPECIAL_CLOCK,               /* the registers from here on need OP_SPECIAL */
    SPECIAL_CLOCK_HIGH,
};

enum mbarrier {
    MBARRIER_INIT,
    MBARRIER_INVALIDATE,
    MBARRIER_EXPECT,   /* expect_tx, without an arrival */
    MBARRIER_COMPLETE, /* complete_tx */
    MBARRIER_ARRIVE,
    MBARRIER_DROP,
    MBARRIER_TEST,
    MBARRIER_PARITY,
    MBARRIER_PENDING,
    MBARRIER_COPIES,        /* cp.async.mbarrier.arrive */
    MBARRIER_COPIES_NO_INC, /* .noinc */
};

/* The limit of CUDA 12.1 and newer; before, it was 4096. */
enum { MAX_PARAMETER_BYTES = 32764 };

enum library {
    LIBRARY_PRINTF,
    LIBRARY_ASSERT,
    LIBRARY_PARAMETERS, /* cudaGetParameterBufferV2 */
    LIBRARY_LAUNCH,
    LIBRARY_PEEK_ERROR,
    LIBRARY_LAST_ERROR,
    LIBRARY_WAIT,
    LIBRARY_MALLOC,
    LIBRARY_FREE,
    LIBRARY_CUDA_MALLOC, /* cudaMalloc; cudaFree is LIBRARY_FREE */
    LIBRARY_CREATE_STREAM,
    LIBRARY_DESTROY_STREAM,
    LIBRARY_DEVICE, /* a function of libdevice */
};

/* What an instruction or a function of libdevice does in another arithmetic than that of floats:
 * in the field of --floats exact, or with the error bounds of --reference double. */
enum exact_kind {
    EXACT_USUAL, /* the same as without: it only moves bits, or has no floats */
    EXACT_ADD,
    EXACT_SUBTRACT,
    EXACT_MULTIPLY,
    EXACT_FMA,
    EXACT_DIVIDE,
    EXACT_INVERT,
    EXACT_NEGATE,
    EXACT_SCALE, /* a * 2^b, where b is an integer */
    EXACT_ABSOLUTE,
    EXACT_COPY_SIGN, /* the magnitude of a with the sign of b */
    EXACT_MINIMUM,
    EXACT_MAXIMUM,
    EXACT_COMPARE,
    EXACT_CONVERT,      /* of a float */
    EXACT_FROM_INTEGER, /* of an integer */
    EXACT_OPAQUE,       /* an unknown function: a hash of `function` and the operands */
    EXACT_INVERSE_ROOT, /* 1 / EXACT_OPAQUE */
    EXACT_TWO_OPAQUE,   /* stores the results of `function` and of `second` */
    EXACT_REFUSE,
    /* only with error bounds */
    EXACT_SELECT,    /* the choice may be unknown */
    EXACT_ENDPOINTS, /* a monotone function: the usual operation on the ends of the intervals */
};

struct libdevice_function;

struct exact_code {
    uint8_t kind;                  /* enum exact_kind */
    bool saturates;                /* the result is from 0 to 1 */
    bool is_signed;                /* of EXACT_FROM_INTEGER and EXACT_SCALE: the integer */
    uint8_t compare;               /* of EXACT_COMPARE: enum exact_compare */
    uint64_t function, second;     /* identify unknown functions */
    const char *refusal;           /* EXACT_REFUSE: what cannot be expressed */
    struct error_code {            /* with error bounds: decode_bounded.c */
        double relative, absolute; /* the errors of the operation itself */
        double growth;             /* added to `relative` for each unit of the operand */
        bool is_nearest, flushes, keeps_nan;
        bool has_small_divisor;    /* a quotient by more than 2^126 is unspecified */
        uint8_t moves;             /* enum error_moves */
        bool is_float;             /* the result is a float or a double */
        uint8_t bytes[3];          /* of sources that are floats; 0: no float */
        operation_function *usual; /* the operation of PTX */
        /* opaque functions in double precision */
        const struct libdevice_function *wide, *second;
    } error;
};

/* How a function's result moves if its operands move within their bounds. */
enum error_moves {
    MOVES_UNKNOWN,
    MOVES_MONOTONE, /* monotone in each operand, where it is defined */
    MOVES_AS_MUCH,  /* at most as much as the operands: Lipschitz constant 1 */
    MOVES_CIRCULAR, /* the same, of sin.approx and cos.approx: their error depends on the operand */
};

/* Comparisons by the bits LESS, EQUAL, GREATER and UNORDERED. */
enum exact_compare { EXACT_LESS = 1, EXACT_EQUAL = 2, EXACT_GREATER = 4, EXACT_UNORDERED = 8 };

struct matrix_shape;
struct matrix_fragment;

/* A step of a matrix instruction. The lanes of a warp take it together. */
struct matrix_code {
    enum matrix_step {
        STEP_MEET,     /* wait for the warp */
        STEP_MULTIPLY, /* d = a * b + c */
        STEP_SPREAD,  /* d = 8x8 matrices of 16-bit elements, whose rows are in a, of eight lanes */
        STEP_COLLECT, /* the reverse */
        STEP_TRANSPOSE,      /* d = a, an 8x8 matrix */
        STEP_GROUP_MULTIPLY, /* wgmma.mma_async */
        STEP_GROUP_FENCE,
        STEP_GROUP_COMMIT,
        STEP_GROUP_ARRIVE, /* wgmma.wait_group, before the warps of the group have met, and after */
        STEP_GROUP_WAIT
    } step;
    const char *opcode;
    const struct matrix_shape *shape;       /* of STEP_MULTIPLY */
    const struct matrix_fragment *fragment; /* of OP_MATRIX_ADDRESS */
    bool is_turned; /* OP_MATRIX_ADDRESS: stored by columns; STEP_SPREAD, STEP_COLLECT: .trans */
    const uint32_t *d, *a, *b, *c; /* slots of registers */
    uint32_t d_count, a_count, b_count, c_count;
    uint32_t metadata, selector; /* of a sparse a: a slot, and a number */
    /* wgmma.mma_async. b has the slots of descriptors: that of b, and that of a unless a is in
     * registers. */
    uint32_t scale, scale_flip;    /* a predicate: c counts */
    bool a_by_column, b_by_column; /* in shared memory, k is the slow index */
    uint32_t pending; /* of STEP_GROUP_WAIT: the number of groups that need not be complete */
};

enum { MAX_TENSOR_DIMENSIONS = 5 };

/* A bulk copy or its commit_group and wait_group: decode_async.c. */
struct bulk_code {
    const char *opcode;
    enum bulk_kind {
        BULK_GROUP, /* commit_group, wait_group */
        BULK_BYTES,
        BULK_TENSOR,
        BULK_REGISTERS, /* st.async, red.async: `parts` of the op, `count` of `bytes` each */
    } kind;
    bool is_prefetch;
    bool loads;       /* writes shared memory, and completes on an mbarrier */
    bool from_shared; /* of copies to shared memory, whose source may be shared memory as well */
    bool is_im2col;
    /* The places in memory, as in struct op. Of a tensor, `map` is the map, and the box is `to` of
     * a load, or else `from`. */
    struct bulk_address {
        uint32_t slot;
        bool is_wide;
        uint8_t space; /* enum space */
        int64_t offset;
    } to, from, map, barrier;
    uint32_t size;                                  /* slot */
    uint32_t dimensions, at[MAX_TENSOR_DIMENSIONS]; /* slots of coordinates, innermost first */
    uint32_t offset_count, offsets[MAX_TENSOR_DIMENSIONS]; /* slots of im2col offsets */
    uint32_t mask;         /* slot of the blocks of a multicast copy; 0: none */
    const char *reduction; /* such as "add"; null: a copy */
    const char *type;      /* of the reduction of bytes */
};

/* An instruction on a texture or surface. Its handle is op->a. op->parts are the registers that it
 * reads texels into or stores from. */
struct texture_code {
    enum texture_step {
        TEXTURE_SAMPLE,
        TEXTURE_GATHER,
        TEXTURE_QUERY,
        SURFACE_QUERY,
        SURFACE_LOAD,
        SURFACE_STORE,
        SURFACE_FORMAT, /* a store that converts to the format of texels */
        SURFACE_REDUCE,
    } step;
    const char *opcode;
    uint8_t dimensions; /* coordinates of a place in a layer; a cubemap has 3 */
    bool is_layered, is_cubemap;
    bool has_floats;                /* of coordinates */
    uint8_t result;                 /* of a texture: enum texture_result */
    uint8_t component;              /* TEXTURE_GATHER */
    uint8_t boundary;               /* of a surface: enum surface_boundary */
    uint8_t query;                  /* enum texture_query */
    uint32_t layer, coordinates[3]; /* slots */
    uint32_t present;               /* the slot of a predicate that becomes true; 0: none */
};

enum texture_result { RESULT_32_BITS, RESULT_F16, RESULT_F16X2 };
enum surface_boundary { BOUNDARY_TRAP, BOUNDARY_CLAMP, BOUNDARY_ZERO };
enum texture_query {
    QUERY_WIDTH,
    QUERY_HEIGHT,
    QUERY_DEPTH,
    QUERY_LAYERS,
    QUERY_LEVELS,
    QUERY_SAMPLES,
    QUERY_NORMALIZED,
};

struct function_code;

struct op {
    operation_function *run;
    uint8_t kind; /* enum op_kind */
    uint8_t combine, finish;
    uint8_t space;           /* enum space */
    uint8_t bytes, to_bytes; /* of an element, and of its source or destination register */
    uint8_t count;           /* elements of a vector, or number of parts */
    uint8_t access;          /* ACCESS_VOLATILE and the like */
    uint8_t scope, order;    /* enum simt_scope, enum simt_order */
    uint8_t what;            /* enum special, mbarrier, library, simt_collective, path_step, op_memory */
    uint8_t class;           /* enum simt_class */
    uint8_t commutes;        /* of atomics: those of one kind commute; 0: does not commute */
    /* is_strong: of an access, or of a fence that is fence.sc */
    bool is_signed, is_strong, is_aligned, has_count, arrives, reduces, returns;
    bool exchanges;    /* an atomic exchange: without a result, it does not read memory */
    bool is_wide;      /* an address register has 8 bytes */
    bool in_cluster;   /* of SPACE_SHARED: .shared::cluster, all blocks of the cluster */
    uint8_t by_bytes;  /* bit k: the op processes source k byte by byte */
    uint8_t widths[3]; /* of a, b and c; 0: a predicate */
    int8_t mode[4];
    uint32_t d, a, b, c, e;                  /* offsets in the frame */
    uint32_t d2, carry;                      /* also offsets; 0: none. Of a load that a selp may
                                                drop: where its addresses are saved for the selp,
                                                and the predicate, if it is known at the load */
    uint32_t flip_a, flip_b, flip_c, flip_e; /* all ones: the predicate is negated */
    uint32_t guard, guard_flip;              /* guard: 0 means no guard */
    uint32_t truth;                          /* of set: the value that represents true */
    uint32_t target;                         /* of branches: an op of the function. Of selp, and
                                                then of loads: a load that it may drop; 0: none */
    uint32_t point;                          /* of OP_PATH: the step's number in the function */
    int64_t offset;                          /* added to an address, or an offset in a variable */
    const uint32_t *parts;                   /* places */
    const struct function_code *callee;
    const struct block_code *block;
    const struct switch_code *targets;
    const struct call_code *call;
    const struct libdevice_function *device;
    const struct matrix_code *matrix;
    const struct bulk_code *bulk;
    const struct texture_code *texture;
    const struct exact_code *exact; /* null: not --floats exact, or no floats */
    const struct simt_place *place;
    uint32_t *mark; /* the mark of a basic block or of a guard: points.h */
    void (*atomic)(void *memory, const void *b, const void *c, bool shared);
};

struct block_code {
    uint32_t instructions[SIMT_CLASSES];
    uint32_t count;        /* number of instructions */
    uint32_t lane_numbers; /* number of those that read %laneid */
};

struct switch_code {
    const uint32_t *targets;
    uint32_t count;
};

/* Variables that a call passes: offsets in the caller's frame, with `bytes` for each lane. */
struct call_code {
    const char *name; /* of a function without a body in this module; else null */
    struct call_variable {
        uint32_t slot, bytes;
        bool is_local; /* slot: the offset in the call's local memory */
    } * results, *parameters;
    uint32_t result_count, parameter_count;
};

struct function_code {
    const char *name;
    const struct function *function;
    const struct module_code *module;
    struct op *ops;
    uint32_t op_count;
    uint32_t *marks, mark_count; /* points.h */
    uint32_t frame_bytes;
    char *frame;               /* initial contents: constants, and registers that are unwritten */
    const uint32_t *registers; /* slots of these registers */
    uint32_t register_count;
    struct special_slot {
        uint32_t slot;
        uint8_t special;
        int64_t offset; /* added to SPECIAL_DYNAMIC_ADDRESS */
    } * specials;
    uint32_t special_count;
    /* .param variables that callers fill, and those that they read. */
    struct call_variable *parameters, *results;
    uint32_t parameter_count, result_count;
    uint32_t local_bytes;
    struct local_variable {
        uint32_t offset, bytes;
    } * locals;
    uint32_t local_count;
    uint64_t address; /* for function pointers */
    /* Of an entry: its shared arrays, by the upper bits of their addresses. */
    struct shared_array {
        const char *name;
        uint32_t low, offset, bytes;
    } * shared;
    uint32_t shared_count, shared_bytes;
    uint32_t dynamic_start; /* offset of its dynamic shared memory in the block's */
    uint32_t *parameter_offsets, parameter_bytes; /* of an entry's parameters, in order */
    struct frame *free_frames;                    /* of calls that have returned */
    struct kernel_points *points;                 /* of a kernel that was launched before */
    bool was_spread;                              /* modules.c */
    bool needs_order; /* an order other than by whole barriers matters: see races */
};

#define ALL_BYTES UINT32_MAX

struct head {
    uint32_t undefined; /* lanes whose value depends on unwritten memory */
    uint32_t origin;    /* number of the place that read that memory */
    uint32_t whole;     /* of those lanes: all bytes are undefined */
    uint32_t bytes;     /* of the other lanes: the undefined bytes; bit 0 is the lowest byte */
    uint32_t unused[4];
};

/* Returns the undefined bytes of a lane's value. */
static inline uint32_t undefined_bytes(const struct head *head, uint32_t lane)
{
    if (!(head->undefined >> lane & 1))
        return 0;
    return head->whole >> lane & 1 ? ALL_BYTES : head->bytes;
}

static inline struct head *head_of(char *frame, uint32_t slot)
{
    return (struct head *)(void *)(frame + slot - sizeof(struct head));
}

/* The function that an atomic instruction applies to memory. atomic_operation() returns it, or null
 * if none exists of that name and type. */
typedef void atomic_function(void *memory, const void *b, const void *c, bool shared);
atomic_function *atomic_operation(const char *operation, const char *type);

/* Returns the kind of an atomic operation: those of one kind on one word commute. 0: it does not
 * commute. `atomic` is the index among add, min, max, and, or, xor and the others. Of floats, it is
 * a sum that is exact. PTX ISA, atom: extremes of signed and unsigned integers differ. */
uint8_t atomic_commuting(size_t atomic, const char *type, uint32_t bytes);

/* The functions of a form. */
struct form_operations {
    operation_function *const *general, *const *plain; /* plain: if all modes are 0 */
    uint8_t radix[10]; /* by group: choices + 1, or 0 if the group selects no function */
    uint8_t mode_count;
    struct {
        uint8_t group;
        const int8_t *values; /* indexed by choice */
    } modes[4];
    bool carries;
};

/* The functions of arithmetic_forms, compiled for any CPU, and for CPUs with AVX2. */
extern const struct form_operations operations_any[], operations_avx2[];

#endif
