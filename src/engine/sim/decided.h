/* SPDX-License-Identifier: MIT
 *
 * A cache of outcomes of jobs that one run has decided. The same job under another model or
 * schedule has the same outcome, so it need not run.
 */
#ifndef SIMTCHECK_SIM_DECIDED_H
#define SIMTCHECK_SIM_DECIDED_H

#include "engine.h"

/* Gets the outcome and results of the job. Returns false if they are not known. */
bool decided_find(const struct engine_job *job, struct engine_outcome *outcome);

/* Stores the outcome of the job, and its results from `outputs`, one for each buffer. */
void decided_add(const struct engine_job *job, const struct engine_outcome *outcome,
                 const char *const outputs[MAX_BUFFERS]);

/* Clears the cache, because other code was loaded. */
void decided_forget(void);

#endif
