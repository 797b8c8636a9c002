/* SPDX-License-Identifier: MIT
 *
 * Writing a module as C: what the rooms of the emitter share. Generated code has
 *
 *     r<number>   a register, as an unsigned integer of its width; a predicate as bool
 *     p<number>   a .param variable of a call, as bytes; in a function's head, a pointer to them
 *     l<number>   a .local variable
 *     v<number>   the address of a variable in .global or .const
 *     L<number>   a label
 *     x_<name>    a function or entry, or the address of a variable that other modules see
 *     cc          the condition code of carry chains
 */
#ifndef SIMTCHECK_PTX_EMIT_H
#define SIMTCHECK_PTX_EMIT_H

#include "arena.h"
#include "module.h"

struct emitter {
    struct module *module;
    struct function *function;
    const struct instruction *instruction;
    FILE *to;
    /* Places so far, in order; written when all functions are. */
    struct emitted_place {
        const struct location *location;
        uint32_t line;
    } * places;
    size_t place_count;
    bool has_child; /* the function launches, and has a room for parameters */
};

/* Ends the translation: the current instruction is wrong. */
_Noreturn void emit_fail(const struct emitter *emitter, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void emit(const struct emitter *emitter, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Has the opcode of the current instruction that part? Names of parts come without the dot. */
bool emit_has(const struct emitter *emitter, const char *part);
/* The first of the parts, ended by null, that it has; null: none. */
const char *emit_which(const struct emitter *emitter, const char *const *parts);

/* Operand k of the current instruction; ends the translation when there are fewer. */
const struct operand *emit_operand(const struct emitter *emitter, size_t k);
/* There are at least and at most so many. */
void emit_count(const struct emitter *emitter, size_t least, size_t most);

/* A value as a C expression of its type's C type. `wider`: a register may be wider than it. */
char *emit_value(const struct emitter *emitter, const struct operand *operand,
                 const struct type *type, bool wider);
/* Assigns a C expression of that type. Nothing for "_". */
void emit_assign(const struct emitter *emitter, const struct operand *operand,
                 const struct type *type, bool wider, const char *expression);
/* An address in brackets, as a number in its space; a variable's alone likewise. */
char *emit_address(const struct emitter *emitter, const struct operand *operand, enum space space);
/* The space that the opcode names; generic when none. */
enum space emit_space(const struct emitter *emitter);
/* Makes it an address of the host. */
char *emit_host_address(const struct emitter *emitter, const struct operand *operand);

const struct type *emit_type(const struct emitter *emitter, const char *name);
/* Text in the arena. */
char *emit_text(const struct emitter *emitter, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "&places[k]" of the current instruction. */
char *emit_place(struct emitter *emitter);
/* The identifier of a function or variable in C. */
char *emit_name(const struct emitter *emitter, const char *name);
/* Is the function one of ours, or of another module's, and none of the CUDA runtime? */
bool emit_declares(const struct function *function);
const char *emit_storage(const struct type *type);

/* Emitters: of the current instruction, whose meaning begins with "@" and the name. */
bool emit_memory(struct emitter *emitter, const char *name);
bool emit_control(struct emitter *emitter, const char *name);
void emit_setp(struct emitter *emitter, const char *name);
/* Of all others: their meaning. */
void emit_meaning(struct emitter *emitter);
void emit_call(struct emitter *emitter);
/* Behind a function's declarations: tells the engine what of them kernels may have addresses of. */
void emit_frame(const struct emitter *emitter);
/* Leaves the function: `exits` the kernel too. */
void emit_leave(struct emitter *emitter, bool exits);

#endif
