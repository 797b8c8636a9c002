/* SPDX-License-Identifier: MIT
 *
 * One stage of a trial: makes code from a source and runs cases with it.
 */
#ifndef SIMTCHECK_COMPILERS_STAGE_H
#define SIMTCHECK_COMPILERS_STAGE_H

#include "trial.h"

enum { PATH = 512 };

/* The sources from which a stage makes its code. */
struct sources {
    char cuda[PATH], ptx[PATH]; /* files */
    char old_ptx[PATH];         /* the same PTX for assemblers older than its author */
    char programs[PATH];        /* the programs of the cases; "": the catalogue's kernels */
    bool by_front_end;          /* the PTX is from a front end; the programs have none */
};

/* Writes the path of a file of the trial's folder. */
void trial_path(const struct trial *trial, const char *name, char path[PATH]);

/* The code that a stage runs. */
struct code {
    char path[PATH];
    char error[512]; /* why the code is missing; empty: it is there */
};

/* Makes the code of one stage. */
void stage_build(const struct trial *trial, const struct stage *stage,
                 const struct sources *sources, struct code *code);

/* Makes codes[k] of every stage k that runs and takes part, several at once. */
void stages_build(const struct trial *trial, const struct sources *sources,
                  struct code codes[MAX_STAGES]);

/* Runs the cases with the code. A stage that cannot run, or drops out now, leaves zeros, which mean
 * passes, and the reason in `skipped`. Returns false when the trial cannot go on. */
bool stage_run(const struct trial *trial, struct stage *stage, const struct sources *sources,
               const struct code *code, const struct test_case *cases, size_t count,
               struct outcome *outcomes);

/* Makes the code of all stages that take part, and runs the cases with it. outcomes[s * count] are
 * those of stage s; other stages' outcomes stay unchanged. Returns false when the trial cannot go
 * on. */
bool stages_run(struct trial *trial, const struct sources *sources, const struct test_case *cases,
                size_t count, struct outcome *outcomes);

/* Returns true if the stage can run those sources and has not dropped out. */
bool stage_takes_part(const struct stage *stage, const struct sources *sources);

/* Drops the stage for that reason. After an interrupt it keeps the stage: the interrupt also ends
 * tools, so their messages mean nothing. Returns false when the trial cannot go on. */
bool stage_falls_out(const struct trial *trial, struct stage *stage, const char *reason);

/* Draws programs of the trial's seed from number `first` on, and uses them. Returns false when the
 * trial cannot go on. */
bool trial_drawn(struct trial *trial, uint64_t first, size_t count,
                 bool (*use)(struct trial *trial, const struct program *programs, size_t count));

#endif
