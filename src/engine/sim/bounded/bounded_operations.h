/* SPDX-License-Identifier: MIT
 *
 * The arithmetic of --reference double: floats are doubles with error bounds.
 */
#ifndef SIMTCHECK_SIM_BOUNDED_OPERATIONS_H
#define SIMTCHECK_SIM_BOUNDED_OPERATIONS_H

#include "decode.h"

/* For the order of additions in the code, and atomic additions in any order; and for all additions
 * in any order. */
extern const struct exact_functions bounded_operations, bounded_in_any_order;

/* The reason why the result of a comparison is not known. */
extern const char unknown_comparison[];

#endif
