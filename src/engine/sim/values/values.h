/* SPDX-License-Identifier: MIT
 *
 * Instructions on registers. `frame` are the slots of the frame of the lanes.
 */
#ifndef SIMTCHECK_SIM_VALUES_H
#define SIMTCHECK_SIM_VALUES_H

#include "undefined.h"

/* compute() for lanes of which those of `undefined` use undefined values. */
void compute_undefined(char *frame, const struct op *op, uint32_t lanes, uint32_t undefined);

static inline void compute(char *frame, const struct op *op, uint32_t lanes)
{
    uint32_t undefined = (head_of(frame, op->a)->undefined | head_of(frame, op->b)->undefined |
                          head_of(frame, op->c)->undefined | head_of(frame, op->e)->undefined) &
                         lanes;

    if (unlikely(undefined != 0)) {
        compute_undefined(frame, op, lanes, undefined);
        return;
    }
    op->run(frame, op, lanes);
    note_defined(frame, op->d, lanes);
    if (unlikely(op->d2 != 0))
        note_defined(frame, op->d2, lanes);
}

/* compute() for a quotient, and for another arithmetic than that of PTX. */
void compute_quotient(char *frame, const struct op *op, uint32_t lanes);
void compute_exactly(char *frame, const struct op *op, uint32_t lanes);

/* selp. The error bound of the result covers both values if rounding errors may change the choice.
 */
void select_value(char *frame, const struct op *op, uint32_t lanes);
void copy_value(char *frame, const struct op *op, uint32_t lanes);
void resize_value(char *frame, const struct op *op, uint32_t lanes);
void pack_value(char *frame, const struct op *op, uint32_t lanes);
void unpack_value(char *frame, const struct op *op, uint32_t lanes);
/* Gives all these lanes one value. */
void write_value(char *frame, const struct op *op, uint32_t lanes, uint64_t value);
/* Reads a clock, or a register that shows where the warp runs. */
void read_clock(const struct warp *warp, char *frame, const struct op *op, uint32_t lanes);

/* ---- Addresses ---- */

void take_local_address(const struct warp *warp, const struct frame *frame, const struct op *op,
                        uint32_t lanes);
void convert_address(const struct block *block, char *frame, const struct op *op, uint32_t lanes);
void test_space(const struct warp *warp, char *frame, const struct op *op, uint32_t lanes);

/* ---- Parameters and variables ---- */

void load_parameter(const struct warp *warp, char *frame, const struct op *op, uint32_t lanes);
void load_variable(char *frame, const struct op *op, uint32_t lanes);
void store_variable(char *frame, const struct op *op, uint32_t lanes);
/* Copies an argument or a result of a call between frames. */
void copy_variable(struct warp *warp, struct frame *to_frame, const struct call_variable *to,
                   const struct frame *from_frame, const struct call_variable *from,
                   uint32_t lanes);

#endif
