/* SPDX-License-Identifier: MIT
 *
 * One stage of a trial: code made of a source, and cases run by it.
 */
#ifndef SIMTCHECK_COMPILERS_STAGE_H
#define SIMTCHECK_COMPILERS_STAGE_H

#include "trial.h"

enum { PATH = 512 };

/* What a stage makes its code of. */
struct sources {
    char cuda[PATH], ptx[PATH]; /* files */
    char old_ptx[PATH];         /* the same for assemblers, which may be older than who wrote it */
    char programs[PATH];        /* that the cases are of; "": the catalogue's kernels */
    bool by_front_end;          /* the PTX is a front end's: there is none of the programs' own */
};

/* A file of the trial's folder. */
void trial_path(const struct trial *trial, const char *name, char path[PATH]);

/* What a stage runs. */
struct code {
    char path[PATH];
    char error[512]; /* why there is none; empty: there is */
};

/* Makes the code of one stage. */
void stage_build(const struct trial *trial, const struct stage *stage,
                 const struct sources *sources, struct code *code);

/* Makes codes[k] of every stage k that is run and takes part, several at once. */
void stages_build(const struct trial *trial, const struct sources *sources,
                  struct code codes[MAX_STAGES]);

/* Runs the cases with the code. A stage that cannot, or falls out now, leaves zeros, which are
 * passes, and has its reason in `skipped`. False when the trial cannot go on. */
bool stage_run(const struct trial *trial, struct stage *stage, const struct sources *sources,
               const struct code *code, const struct test_case *cases, size_t count,
               struct outcome *outcomes);

/* Makes the code of all stages that take part and runs the cases with it. outcomes[s * count] are
 * those of stage s; the others are left as they are. False when the trial cannot go on. */
bool stages_run(struct trial *trial, const struct sources *sources, const struct test_case *cases,
                size_t count, struct outcome *outcomes);

/* Can it be run with that, and has not fallen out? */
bool stage_takes_part(const struct stage *stage, const struct sources *sources);

/* For that reason; not after an interrupt, which ends tools, too, and what they say then is none.
 * False when the trial cannot go on. */
bool stage_falls_out(const struct trial *trial, struct stage *stage, const char *reason);

/* Programs of the trial's seed from number `first` on, for the caller to free; null, with an error,
 * when memory runs out. */
struct program *trial_drawn(struct trial *trial, uint64_t first, size_t count);

#endif
