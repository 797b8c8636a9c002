/* SPDX-License-Identifier: MIT
 *
 * The decoder's state while it reads a function, for decode*.c.
 */
#ifndef SIMTCHECK_SIM_DECODER_H
#define SIMTCHECK_SIM_DECODER_H

#include "arena.h"
#include "decode.h"

struct decoder;

enum { MAX_TEMPORARIES = 12, TEMPORARY_WIDTHS = 5 };

struct constant {
    uint64_t bits;
    uint32_t bytes, slot; /* bytes: 0 for a predicate */
};

/* What decodes the instructions of a form, and enum decode_acts. */
struct meaning {
    const char *name;
    void (*decode)(struct decoder *decoder);
    uint8_t acts;
};

struct decoder {
    struct module *module;
    struct module_code *out;
    const struct decode_links *links;
    const struct form_operations *operations;
    struct function *function;
    struct function_code *code;
    const struct instruction *instruction; /* null: no PTX instruction */
    const struct meaning *meaning; /* of the instruction; null: none, or the decoder lacks it */
    const struct simt_place *place;
    uint32_t *registers;   /* slots of the registers, by number */
    size_t most_registers; /* greater than all their numbers */
    struct constant *constants;
    size_t constant_count;
    uint32_t zero, sink_predicate, carry;
    uint32_t temporaries[MAX_TEMPORARIES][TEMPORARY_WIDTHS]; /* of 1, 2, 4, 8 and 16 bytes */
    size_t temporary_count;
    struct widening { /* a result whose register is wider */
        uint32_t from, to, bytes, to_bytes;
        bool is_signed;
    } widening;
    uint32_t *op_of; /* indexed by instruction */
    uint32_t guards; /* instructions with a guard so far */
    /* The function's variables: the slot of a .param variable of a call, or the offset in local
     * memory. */
    struct variable_place {
        const struct variable *variable;
        uint32_t slot, local;
        bool is_local;
    } * variables;
    size_t variable_count;
    struct simt_place *places;
    /* decode_dropped.c, indexed by instruction of the function. */
    struct dropped_load {
        uint32_t selp; /* of a load: the instruction that chooses its value; 0: none */
        bool if_false; /* of a load: chosen if the predicate is false */
        const struct reg *predicate; /* of a load: already known there; null: not, or no selp */
        uint32_t last;               /* of such a selp: the op of its last load so far; 0: none */
    } * dropped;
    uint8_t *bits_of;        /* decode_exact.c: enum bits_of, by register */
    bool *meets, any_meets;  /* decode_paths.c: by function: has a barrier; any non-entry has */
    struct path_plan *paths; /* of the function; null: it reaches no barrier */
};

/* decode_state.c */

/* Fails with a message that names the source line of the current instruction, or, without one, the
 * line of the PTX. */
_Noreturn void decode_fail_at(const struct decoder *decoder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for an error of the opcode that is named. */
_Noreturn void decode_fail(const struct decoder *decoder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* decode_has() returns true if the opcode has that part. decode_which() returns the index of the
 * first of `parts` that the opcode has, or -1 if it has none. A null pointer ends `parts`. */
bool decode_has(const struct decoder *decoder, const char *part);
int decode_which(const struct decoder *decoder, const char *const *parts);

const struct operand *decode_operand(const struct decoder *decoder, size_t k);
void decode_count(const struct decoder *decoder, size_t least, size_t most);
/* The same. With .L2::cache_hint, a cache policy follows, which has no effect in the simulator. */
void decode_count_with_policy(struct decoder *decoder, size_t least, size_t most);
const struct type *decode_type(const struct decoder *decoder, const char *name);

/* Adds an op with the guard of the instruction. */
struct op *decode_op(struct decoder *decoder, enum op_kind kind);

/* Reserve room in the frame: a number of bytes, a register, a temporary for this instruction, a
 * constant. Return its offset. */
uint32_t decode_room(struct decoder *decoder, uint64_t bytes);
uint32_t decode_slot(struct decoder *decoder, const struct type *type);
uint32_t decode_temporary(struct decoder *decoder, uint32_t bytes);
uint32_t decode_constant(struct decoder *decoder, uint64_t bits, uint32_t bytes);

const struct simt_place *decode_place(struct decoder *decoder,
                                      const struct instruction *instruction);

/* decode_operands.c */

bool decode_is_float(const struct type *type); /* .f32 or .f64 */
/* Returns the slot of a special register that does not change. */
uint32_t decode_steady_slot(struct decoder *decoder, enum special special, uint32_t bytes,
                            int64_t offset);
/* Returns the slot of a value of that type. May add ops. `wider`: the register may be wider than
 * the type. */
uint32_t decode_value(struct decoder *decoder, const struct operand *operand,
                      const struct type *type, bool wider, uint32_t *flip);
/* Returns the slot of the address of a variable, 8 bytes. */
uint32_t decode_address_of(struct decoder *decoder, const struct operand *operand);
uint32_t decode_plain_value(struct decoder *decoder, size_t k, const char *type);
/* Returns the slot for a result. Call decode_finish() after the op. */
uint32_t decode_result(struct decoder *decoder, const struct operand *operand,
                       const struct type *type, bool wider);
void decode_finish(struct decoder *decoder);
void decode_pair(struct decoder *decoder, struct operand *first, const struct operand **second);

/* decode_arithmetic.c: an instruction whose form says in C what it computes. */
void decode_arithmetic(struct decoder *decoder);
/* Adds the op of such an instruction whose operands are slots. A logical operator of setp is
 * that of the instruction that is decoded. */
struct op *decode_compute(struct decoder *decoder, const char *opcode, uint32_t d, uint32_t a,
                          uint32_t b, uint32_t c);

/* decode_memory.c: an address in brackets, as a slot of 4 or 8 bytes, and an offset. */
struct decoded_address {
    uint32_t slot;
    bool is_wide;
    int64_t offset;
};

struct decoded_address decode_address(struct decoder *decoder, const struct operand *operand);
/* The same in a given space. decode_space() returns the space that the opcode names. */
struct decoded_address decode_address_in(struct decoder *decoder, const struct operand *operand,
                                         enum space space);
enum space decode_space(const struct decoder *decoder);
/* Sets the address and the kind of access of an op. */
void decode_access(struct decoder *decoder, struct op *op, const struct decoded_address *address);

/* The elements to load or store: the operand itself, or the parts in its braces. Then their slots.
 * The registers of a load are at least as wide as the type, and all have *to_bytes. */
const struct operand *decode_elements(const struct decoder *decoder, const struct operand *operand,
                                      size_t count);
const uint32_t *decode_loaded_parts(struct decoder *decoder, const struct operand *to, size_t count,
                                    const struct type *type, uint8_t *to_bytes);
const uint32_t *decode_stored_parts(struct decoder *decoder, const struct operand *from,
                                    size_t count, const struct type *type);

/* Whether other threads may observe what an instruction does: decode_paths.c. Pure computation and
 * loads do not count. */
enum decode_acts {
    ACTS_NEVER,
    ACTS_ALWAYS,
    ACTS_STORE,   /* unless it stores in local or parameter space */
    ACTS_CALL,    /* unless it calls a function of libdevice without code */
    ACTS_BARRIER, /* unless it is a barrier of the whole block */
};

/* The meanings "@name" of forms, with enum decode_acts. decode_NAME() decodes the instruction. */
#define MEANINGS(ROW)                                                                              \
    /* decode_memory.c */                                                                          \
    ROW(ld, NEVER)                                                                                 \
    ROW(st, STORE)                                                                                 \
    ROW(atom, ALWAYS)                                                                              \
    ROW(red, ALWAYS)                                                                               \
    ROW(mov, NEVER)                                                                                \
    ROW(mov_special, NEVER)                                                                        \
    ROW(policy, NEVER)                                                                             \
    ROW(cvta, NEVER)                                                                               \
    ROW(cvta_to, NEVER)                                                                            \
    ROW(isspacep, NEVER)                                                                           \
    ROW(fence, NEVER)                                                                              \
    /* decode_async.c */                                                                           \
    ROW(cp_async, ALWAYS)                                                                          \
    ROW(cp_commit, NEVER)                                                                          \
    ROW(cp_wait, NEVER)                                                                            \
    ROW(mbarrier, ALWAYS)                                                                          \
    ROW(bulk, ALWAYS)                                                                              \
    ROW(bulk_group, ALWAYS)                                                                        \
    /* decode_cluster.c */                                                                         \
    ROW(mapa, NEVER)                                                                               \
    ROW(getctarank, NEVER)                                                                         \
    ROW(cluster_barrier, ALWAYS)                                                                   \
    ROW(store_async, ALWAYS)                                                                       \
    /* decode_control.c */                                                                         \
    ROW(bra, NEVER)                                                                                \
    ROW(brx, NEVER)                                                                                \
    ROW(call, CALL)                                                                                \
    ROW(ret, NEVER)                                                                                \
    ROW(exit, NEVER)                                                                               \
    ROW(trap, NEVER)                                                                               \
    ROW(bar, BARRIER)                                                                              \
    ROW(syncwarp, ALWAYS)                                                                          \
    ROW(shfl, ALWAYS)                                                                              \
    ROW(vote, ALWAYS)                                                                              \
    ROW(match, ALWAYS)                                                                             \
    ROW(redux, ALWAYS)                                                                             \
    ROW(elect, ALWAYS)                                                                             \
    ROW(activemask, NEVER)                                                                         \
    ROW(nothing, NEVER)                                                                            \
    /* decode_matrix.c */                                                                          \
    ROW(mma, ALWAYS)                                                                               \
    ROW(ldmatrix, ALWAYS)                                                                          \
    ROW(stmatrix, ALWAYS)                                                                          \
    ROW(movmatrix, ALWAYS)                                                                         \
    ROW(wmma_load, ALWAYS)                                                                         \
    ROW(wmma_store, ALWAYS)                                                                        \
    /* decode_group.c */                                                                           \
    ROW(wgmma, ALWAYS)                                                                             \
    ROW(wgmma_fence, ALWAYS)                                                                       \
    ROW(wgmma_commit, ALWAYS)                                                                      \
    ROW(wgmma_wait, ALWAYS)                                                                        \
    ROW(maxnreg, ALWAYS)                                                                           \
    /* decode_texture.c */                                                                         \
    ROW(tex, NEVER)                                                                                \
    ROW(tld4, NEVER)                                                                               \
    ROW(suld, NEVER)                                                                               \
    ROW(sust, ALWAYS)                                                                              \
    ROW(sured, ALWAYS)                                                                             \
    ROW(txq, NEVER)                                                                                \
    ROW(suq, NEVER)                                                                                \
    /* decode_lowered.c */                                                                         \
    ROW(lop3, NEVER)

#define MEANING(name, acts) void decode_##name(struct decoder *decoder);
MEANINGS(MEANING)
#undef MEANING

/* decode_matrix.c: the slots of the registers in braces of operand k, and a step of the warp. */
const uint32_t *decode_registers(struct decoder *decoder, size_t k, uint32_t count, uint32_t bytes,
                                 bool is_result);
struct op *decode_matrix_step(struct decoder *decoder, const struct matrix_code *code);

/* decode_video.c: returns false if the instruction is no video instruction. */
bool decode_video(struct decoder *decoder);

/* decode_paths.c: analyses the module, then a function. The rest add the steps at the start of a
 * block, before an instruction, after it, and at the end of the function. */
void decode_find_meeting(struct decoder *decoder);
void decode_plan_paths(struct decoder *decoder);
void decode_path_join(struct decoder *decoder, uint32_t block);
void decode_path_before(struct decoder *decoder);
void decode_path_after(struct decoder *decoder);
void decode_path_end(struct decoder *decoder);

/* The graph of a function's basic blocks, and its end. decode_find_edges() needs `arena` and
 * `blocks`, and finds the edges. */
struct graph {
    struct arena *arena;
    uint32_t blocks;
    struct edge {
        uint32_t from, to;
    } * edges;
    uint32_t edge_count;
    uint32_t *first_out;     /* the edges of a block start at edges[first_out[block]] */
    uint32_t *in, *first_in; /* the edges to a block come from in[first_in[block]] - 1, and on */
    uint32_t *number; /* postorder from the end, against the edges; 0: the end is unreachable */
    uint32_t *order;  /* blocks by that number */
    uint32_t order_count;
    uint32_t *post; /* the immediate post-dominator of blocks with a number */
};
void decode_find_edges(struct graph *graph, const struct decoder *decoder);

/* decode_dropped.c: for a function, for an op that loads, and for the op of a selp. */
void decode_find_dropped(struct decoder *decoder);
void decode_dropped_load(struct decoder *decoder, struct op *op);
void decode_dropping_selp(struct decoder *decoder, struct op *op);

/* decode_exact.c: for another arithmetic than that of floats. They analyse a function; change an op
 * of an arithmetic instruction, an atomic one, a product of matrices of floats, or a call of
 * libdevice. In the arithmetic of PTX they do nothing. */
void decode_find_bits(struct decoder *decoder);
void decode_exact(struct decoder *decoder, struct op *op, const struct type *const *types,
                  size_t count);
void decode_exact_atomic(struct decoder *decoder, struct op *op, const char *type, bool is_sum);
void decode_exact_matrix(struct decoder *decoder, struct op *op);
void decode_exact_texture(struct decoder *decoder, struct op *op);
void decode_exact_call(struct decoder *decoder, struct op *op);

/* decode_bounded.c: set the errors of an instruction or a function. They return why it cannot be
 * expressed, or null. `refusal` is the reason in exact arithmetic. */
const char *decode_bounded(const struct decoder *decoder, struct exact_code *exact,
                           const struct op *op, const struct type *const *types, size_t count,
                           const char *refusal);
const char *decode_bounded_call(const struct libdevice_function *device, const char *name,
                                struct exact_code *exact, const char *refusal);

/* decode_layout.c: variables of a function, and addresses. */
void decode_variables(struct decoder *decoder);
const struct variable_place *decode_variable_place(struct decoder *decoder,
                                                   const struct variable *variable);
uint64_t decode_shared_address(const struct variable *variable);
/* Returns 0 for a function of the CUDA runtime. */
uint64_t decode_function_address(const struct decoder *decoder, const struct function *function);
uint32_t decode_parameter_offset(struct decoder *decoder, const struct variable *variable);
uint32_t decode_local_offset(struct decoder *decoder, const struct variable *variable);

/* decode_sites.c: source locations. */
/* Returns a location in the user's code: this one, or the first one into which it is inlined.
 * Returns null if none exists. */
struct location *decode_user_location(const struct module *module, struct location *location);
/* Returns the user's line of an instruction, or that of a header if it has none. Without a location
 * it is the line of the PTX. */
struct simt_site decode_site(const struct module *module, struct location *location, uint32_t line);

#endif
