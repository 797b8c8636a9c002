/* SPDX-License-Identifier: MIT
 *
 * Matrix instructions of a warp.
 */
#ifndef SIMTCHECK_SIM_MATRIX_STEPS_H
#define SIMTCHECK_SIM_MATRIX_STEPS_H

#include "machine.h"

/* Raises a fault if lanes of the warp do not exist or have exited. */
void check_whole_warp(const struct warp *warp, const struct op *op, uint32_t lane);

/* Executes an op of kind SIMT_MATRIX, at which all lanes of the warp have arrived. */
void matrix_step(struct warp *warp, const struct op *op);

/* Executes OP_MATRIX_ADDRESS. */
void matrix_address(char *slots, const struct op *op, uint32_t lanes);

#endif
