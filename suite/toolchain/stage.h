/* SPDX-License-Identifier: MIT
 *
 * One stage of a trial: code made of a source, and cases run by it.
 */
#ifndef SIMTCHECK_TOOLCHAIN_STAGE_H
#define SIMTCHECK_TOOLCHAIN_STAGE_H

#include "trial.h"

enum { PATH = 512 };

/* What a stage makes its code of. */
struct sources {
    const char *cuda, *ptx; /* files */
    const char *old_ptx;    /* the same for assemblers, which may be older than who wrote it */
    const char *programs;   /* that the cases are of; "": the catalogue's kernels */
};

/* A file of the trial's folder. */
void trial_path(const struct trial *trial, const char *name, char path[PATH]);

/* Makes the code and runs the cases with it. A stage that cannot, or falls out now, leaves zeros,
 * which are passes, and has its reason in `unavailable`. False when the trial cannot go on. */
bool stage_run(struct trial *trial, struct stage *stage, const struct sources *sources,
               const struct test_case *cases, size_t count, struct outcome *outcomes);

/* For the reason of trial->error, which is empty afterwards. */
void stage_falls_out(struct trial *trial, struct stage *stage);

#endif
