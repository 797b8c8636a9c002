/* SPDX-License-Identifier: MIT
 *
 * Are a kernel's outputs the same, bit for bit, whoever runs when?
 */
#ifndef SIMTCHECK_CHECKS_BITS_H
#define SIMTCHECK_CHECKS_BITS_H

#include "session.h"

struct bits_request {
    const struct plan_request *cases; /* the shapes and values */
    const struct variant *variant;
    enum engine_id engine; /* that simulates */
    bool has_gpu;          /* the engine cuda takes part */
};

/* Compares the outputs under all orders and prints what came. Returns the exit status. */
int bits_check(const struct bits_request *request, struct session *session);

#endif
