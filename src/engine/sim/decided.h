/* SPDX-License-Identifier: MIT
 *
 * What came of jobs that one run has decided: the same job under another model or schedule gives
 * the same, and need not run.
 */
#ifndef SIMTCHECK_SIM_DECIDED_H
#define SIMTCHECK_SIM_DECIDED_H

#include "engine.h"

/* The outcome and results of the job, if they are known; false: they are not. */
bool decided_find(const struct engine_job *job, struct engine_outcome *outcome);

/* They are those of `outputs`, one for each buffer. */
void decided_add(const struct engine_job *job, const struct engine_outcome *outcome,
                 const char *const outputs[MAX_BUFFERS]);

/* Other code was loaded. */
void decided_forget(void);

#endif
