/* SPDX-License-Identifier: MIT
 *
 * The instructions of PTX that the simulator knows, one row a form: how it is spelt, what operands
 * it takes, what it means as C, and where the PTX ISA says so. What has no row is refused.
 *
 * A pattern is an opcode with its modifiers in the order that the PTX ISA gives. "[.rn|.rz]" stands
 * for one of them or none, "(.s32|.u32)" for one of them; the groups are numbered from 1 on. Parts
 * that name a type (".s32") are the form's types, numbered from 1 on likewise.
 *
 * Operands are parted by commas, the destination first:
 *
 *     1, 2      of the form's first or second type
 *     w         twice as wide as the first type
 *     s32, b64  of that type, and so on
 *     p         a predicate; of a source, "!p" too
 *     p|p       of @setp: two predicates, the second of which may be missing
 *
 * and others that only forms with a decoder of their own have (decode_memory.c, decode_control.c).
 *
 * A meaning is a C expression of the source operands a, b, c, e, which have the C types of their
 * operands (types.h): integers as themselves, f32 and f64 as float and double, everything else
 * (f16, bf16, f16x2, bf16x2, u16x2, ...) as the unsigned integer of its width, a predicate as bool.
 * In it "$2" is what group 2 matched, without the dot, and T1 and T2 are the C types of the form's
 * types, U1 and U2 the unsigned ones of their width, W the type twice as wide as the first. The
 * condition code of carry chains is the variable cc, 0 or 1. Functions come from arithmetic.h.
 * A meaning "@name" is the decoder of that name.
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

/* What an opcode matched: the text of each group without its dot, "" where it matched none. */
struct match {
    const struct form *form;
    char group[MAX_GROUPS][MAX_CHOICE];
    uint8_t choice[MAX_GROUPS]; /* which of the group's choices, from 1 on; 0: none */
    char type[2][MAX_CHOICE];   /* "": the form has no such type */
};

/* Tables of rows, each ended by one without a pattern. */
extern const struct form arithmetic_forms[], memory_forms[], control_forms[];

/* Of an opcode that has no row. */
extern const struct form unsupported_form;

/* The form of an opcode such as "add.rn.f32"; false when there is none. */
bool forms_match(const char *opcode, struct match *match);

/* How many groups a form has; and choice `choice`, from 1 on, of group `group`, from 0 on, with its
 * dot: null where there are fewer. `optional`: it may be left out. */
size_t forms_groups(const struct form *form);
const char *forms_choice(const struct form *form, size_t group, size_t choice, size_t *length,
                         bool *optional);

/* The spellings of a form, from 0 on; false: there are no more. */
bool forms_spelling(const struct form *form, size_t k, char *opcode, size_t size);

#endif
