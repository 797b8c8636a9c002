/* SPDX-License-Identifier: MIT
 *
 * Instructions and functions on floats under --floats exact.
 */
#ifndef SIMTCHECK_SIM_EXACT_H
#define SIMTCHECK_SIM_EXACT_H

#include "decode.h"
#include "libdevice.h"

#include "input_values.h"

/* What executes instructions. */
extern const struct exact_functions exact_operations;

/* The lanes whose results the last op cannot express, and what these need. */
extern struct exact_refusal {
    uint32_t lanes;
    const char *what;
} exact_refusal;

/* Computes the result of op->device for the arguments of a lane. */
uint64_t exact_call(const struct op *op, uint32_t lane, const uint64_t *arguments,
                    struct libdevice_stores *stores);

/* Returns the input with the element i of an array. */
uint64_t exact_input(const struct filling *filling, uint64_t i);

/* Makes an array of floats canonical: equal elements have equal bits. */
void exact_canonical(enum element element, void *array, uint64_t count);

#endif
