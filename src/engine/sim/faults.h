/* SPDX-License-Identifier: MIT
 *
 * The first fault of a run.
 */
#ifndef SIMTCHECK_SIM_FAULTS_H
#define SIMTCHECK_SIM_FAULTS_H

#include "machine.h"

void reset_fault(void);
const struct fault *recorded_fault(void);
void record_fault(enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void record_fault_of(enum fault_kind kind, const struct block *block, uint32_t thread,
                     const struct simt_place *place, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Ends the run after a fault was recorded. */
_Noreturn void leave_faulty(void);
/* Raises a fault of a lane of the current warp, at the current op. Does not return. */
_Noreturn void raise_fault(enum fault_kind kind, uint32_t lane, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
