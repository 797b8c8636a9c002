/* SPDX-License-Identifier: MIT
 *
 * The PTX instructions that the simulator supports, one row per form. A row has the spelling, the
 * operands, the meaning as C, and the section of the PTX ISA. An instruction without a row is
 * rejected.
 *
 * A pattern is an opcode with its modifiers in the order that the PTX ISA gives. An opcode may have
 * them in another order, as ptxas accepts it, except several types, spaces or layouts. "[.rn|.rz]"
 * stands for one of them or none, "(.s32|.u32)" for exactly one. Groups are numbered from 1. Parts
 * that name a type (".s32") are the form's types, which are also numbered from 1.
 *
 * Operands are separated by commas, the destination first:
 *
 *     1, 2      of the form's first or second type
 *     w         twice as wide as the first type
 *     s32, b64  of that type, and so on
 *     p         a predicate; of a source, "!p" too
 *     p|p       of @setp: two predicates, the second of which may be missing
 *
 * Forms with their own decoder (decode_memory.c, decode_control.c) have further kinds of operands.
 * Their rows have an example instead, which sim.unit.decode decodes. It stands for the registers
 * and symbols of that test: R for a register of the form's first type, or a vector of them; C for
 * the coordinates of a tensor, and O for its im2col offsets. Of "A? B; C? D; E", B is the example
 * of opcodes that contain A, and so on. A cache policy is added to opcodes that need one. Rows of
 * matrices and textures have no example, because tests/ptx/capabilities/isa.txt has them.
 *
 * A meaning is a C expression of the source operands a, b, c and e. They have these C types
 * (types.h):
 *
 *     integers    the same integer type
 *     f32, f64    float, double
 *     predicates  bool
 *     all others  the unsigned integer of the same width (f16, bf16, f16x2, bf16x2, u16x2, ...)
 *
 * In a meaning, "$2" is the text that group 2 matched, without the dot. T1 and T2 are the C types
 * of the form's types, and U1 and U2 are the unsigned types of the same width. W is the type twice
 * as wide as the first. The variable cc, 0 or 1, is the condition code of carry chains. Functions
 * come from arithmetic.h. A meaning "@name" is the decoder of that name.
 */
#ifndef SIMTCHECK_PTX_FORMS_H
#define SIMTCHECK_PTX_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_GROUPS = 10, MAX_CHOICE = 24 };

struct form {
    const char *pattern, *operands, *meaning, *section;
};

/* What an opcode matched: the text of each group without its dot, or "" if the group matched
 * none. */
struct match {
    const struct form *form;
    char group[MAX_GROUPS][MAX_CHOICE];
    uint8_t choice[MAX_GROUPS]; /* the number of the group's choice, from 1; 0: none */
    char type[2][MAX_CHOICE];   /* "": the form has no such type */
};

/* Tables of rows. A row without a pattern ends each table. */
extern const struct form arithmetic_forms[], lowered_forms[], memory_forms[], async_forms[],
    control_forms[], matrix_forms[], cluster_forms[], group_forms[], texture_forms[],
    unsupported_forms[];

/* The form of an opcode that has no row. */
extern const struct form unsupported_form;

/* Finds the form of an opcode such as "add.rn.f32". Returns false if none exists. */
bool forms_match(const char *opcode, struct match *match);

/* Returns the row of unsupported_forms for an opcode and the text of its operands, or null if none
 * exists. Its meaning is the reason. `operands` may be null. */
const struct form *forms_unsupported(const char *opcode, const char *operands);

/* forms_groups() returns the number of groups of a form. forms_choice() returns choice `choice` of
 * group `group`, including its dot, or null if there are fewer. Choices are numbered from 1, groups
 * from 0. `optional`: the group may be left out. */
size_t forms_groups(const struct form *form);
const char *forms_choice(const struct form *form, size_t group, size_t choice, size_t *length,
                         bool *optional);

/* Writes spelling k of a form; spellings are numbered from 0. Returns false if there are no
 * more. */
bool forms_spelling(const struct form *form, size_t k, char *opcode, size_t size);

#endif
