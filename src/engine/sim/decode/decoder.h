/* SPDX-License-Identifier: MIT
 *
 * What the decoder keeps while it reads a function: for decode*.c.
 */
#ifndef SIMTCHECK_SIM_DECODER_H
#define SIMTCHECK_SIM_DECODER_H

#include "arena.h"
#include "decode.h"

enum { MAX_TEMPORARIES = 12 };

struct constant {
    uint64_t bits;
    uint32_t bytes, slot; /* bytes: 0 of a predicate */
};

struct decoder {
    struct module *module;
    struct module_code *out;
    const struct decode_links *links;
    const struct form_operations *operations;
    struct function *function;
    struct function_code *code;
    const struct instruction *instruction; /* null: none of the PTX */
    const struct simt_place *place;
    uint32_t *registers;   /* their slots, by number */
    size_t most_registers; /* above their numbers */
    struct constant *constants;
    size_t constant_count;
    uint32_t zero, sink_predicate, carry;
    uint32_t temporaries[MAX_TEMPORARIES];
    size_t temporary_count;
    struct widening { /* a result that goes to a wider register */
        uint32_t from, to, bytes, to_bytes;
        bool is_signed;
    } widening;
    uint32_t *op_of; /* by instruction */
    uint32_t guards; /* instructions that had a guard, so far */
    /* By variable of the function: its slot (.param of calls), or its place in local memory. */
    struct variable_place {
        const struct variable *variable;
        uint32_t slot, local;
        bool is_local;
    } * variables;
    size_t variable_count;
    struct simt_place *places;
    /* decode_dropped.c, by instruction of the function. */
    struct dropped_load {
        uint32_t selp; /* of a load: the instruction that chooses its value; 0: none */
        bool if_false; /* likewise: where the predicate is false */
        uint32_t last; /* of such a selp: the op of its last load so far; 0: none */
    } * dropped;
    bool *meets, any_meets;  /* decode_paths.c: by function of the module; one that is no entry */
    struct path_plan *paths; /* of the function; null: it comes to no barrier */
};

_Noreturn void decode_fail(const struct decoder *decoder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Has the opcode that part? And the number of the first of the parts, ended by null, that it has;
 * -1: none. */
bool decode_has(const struct decoder *decoder, const char *part);
int decode_which(const struct decoder *decoder, const char *const *parts);

const struct operand *decode_operand(const struct decoder *decoder, size_t k);
void decode_count(const struct decoder *decoder, size_t least, size_t most);
const struct type *decode_type(const struct decoder *decoder, const char *name);

/* A new op, with the guard of the instruction. */
struct op *decode_op(struct decoder *decoder, enum op_kind kind);

/* Room in the frame: of so many bytes, for a register, for the instruction alone, for a constant.
 */
uint32_t decode_room(struct decoder *decoder, uint64_t bytes);
uint32_t decode_slot(struct decoder *decoder, const struct type *type);
uint32_t decode_temporary(struct decoder *decoder, uint32_t bytes);
uint32_t decode_constant(struct decoder *decoder, uint64_t bits, uint32_t bytes);

/* The slot of a value of that type. `wider`: its register may be wider. May add ops. */
uint32_t decode_value(struct decoder *decoder, const struct operand *operand,
                      const struct type *type, bool wider, uint32_t *flip);
uint32_t decode_plain_value(struct decoder *decoder, size_t k, const char *type);
/* The slot for a result; decode_finish() follows the op. */
uint32_t decode_result(struct decoder *decoder, const struct operand *operand,
                       const struct type *type, bool wider);
void decode_finish(struct decoder *decoder);
void decode_pair(struct decoder *decoder, struct operand *first, const struct operand **second);

/* decode_memory.c and decode_control.c: false where the instruction is none of theirs. */
bool decode_memory(struct decoder *decoder, const char *meaning);
bool decode_control(struct decoder *decoder, const char *meaning);

/* decode_paths.c: of the module; of a function; and the steps where a block begins, in front of an
 * instruction, behind it, and at the function's end. */
void decode_find_meeting(struct decoder *decoder);
void decode_plan_paths(struct decoder *decoder);
void decode_path_join(struct decoder *decoder, uint32_t block);
void decode_path_before(struct decoder *decoder);
void decode_path_after(struct decoder *decoder);
void decode_path_end(struct decoder *decoder);

/* decode_dropped.c: of a function; an op that loads; the op of a selp. */
void decode_find_dropped(struct decoder *decoder);
void decode_dropped_load(struct decoder *decoder, struct op *op);
void decode_dropping_selp(struct decoder *decoder, struct op *op);

/* decode_layout.c: variables of a function; addresses; places in the source. */
void decode_variables(struct decoder *decoder);
const struct variable_place *decode_variable_place(struct decoder *decoder,
                                                   const struct variable *variable);
uint64_t decode_shared_address(const struct variable *variable);
uint64_t decode_address_of(struct decoder *decoder, const struct operand *operand);
/* Of a function of the CUDA runtime 0. */
uint64_t decode_function_address(const struct decoder *decoder, const struct function *function);
uint32_t decode_parameter_offset(struct decoder *decoder, const struct variable *variable);
uint32_t decode_local_offset(struct decoder *decoder, const struct variable *variable);
const char *decode_file(const struct module *module, const struct location *location); /* or "" */
bool decode_is_library(const struct module *module, const struct location *location);
const struct simt_place *decode_place(struct decoder *decoder,
                                      const struct instruction *instruction);

#endif
