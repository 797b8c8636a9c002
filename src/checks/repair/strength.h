/* SPDX-License-Identifier: MIT
 *
 * Strengths of accesses and fences: what they order, and for which threads.
 */
#ifndef SIMTCHECK_CHECKS_STRENGTH_H
#define SIMTCHECK_CHECKS_STRENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum operation { OPERATION_LOAD, OPERATION_STORE, OPERATION_ATOM, OPERATION_RED, OPERATION_FENCE };

/* Each stronger order contains the bits of the weaker ones. */
enum order {
    ORDER_NONE = 0, /* a plain access, or no fence */
    ORDER_RELAXED = 1,
    ORDER_ACQUIRE = 3,
    ORDER_RELEASE = 5,
    ORDER_ACQ_REL = 7,
    ORDER_SC = 15,
};

enum scope { SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };

struct strength {
    enum order order;
    enum scope scope;
};

enum { MAX_STRENGTHS = 16, STRENGTH_TEXT = 24, COST_OF_CHANGE = 1 << 20 };

/* Returns whether `a` allows no more executions than `b`. */
bool strength_includes(struct strength a, struct strength b);

/* Lists the strengths that include `original`, from weak to strong. The first is `original`, and
 * the last includes all. Returns their number. */
size_t strength_list(enum operation operation, struct strength original,
                     struct strength list[MAX_STRENGTHS]);

/* Returns what a change costs: COST_OF_CHANGE and a little more, or 0 for none. A wider scope of an
 * access costs less than a stronger order of it. Then come fence.acq_rel and fence.sc. A narrow
 * scope costs less than a wide one. */
uint64_t strength_cost(enum operation operation, struct strength original, struct strength now);

/* Writes the operation as in PTX, such as "st.release.gpu". */
void strength_format(enum operation operation, struct strength strength, char text[STRENGTH_TEXT]);

/* Reads the strength of an opcode, such as "ld.acquire.gpu.global.u32". */
struct strength strength_read(enum operation operation, const char *opcode);

/* Writes the opcode with another strength. */
void strength_write(enum operation operation, const char *opcode, struct strength strength,
                    char *text, size_t size);

#endif
