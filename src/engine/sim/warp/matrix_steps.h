/* SPDX-License-Identifier: MIT
 *
 * Matrix instructions of a warp.
 */
#ifndef SIMTCHECK_SIM_MATRIX_STEPS_H
#define SIMTCHECK_SIM_MATRIX_STEPS_H

#include "machine.h"

/* Executes an op of kind SIMT_MATRIX, at which all lanes of the warp that have not exited have
 * arrived. Records a fault, and does not return, if these are not 32. */
void matrix_step(struct warp *warp, const struct op *op);

/* Executes OP_MATRIX_ADDRESS. */
void matrix_address(char *slots, const struct op *op, uint32_t lanes);

#endif
