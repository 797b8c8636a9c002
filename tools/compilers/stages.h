/* SPDX-License-Identifier: MIT
 *
 * Sets up the stages of a trial: finds compilers, opens engines, makes a folder for their output.
 */
#ifndef SIMTCHECK_COMPILERS_STAGES_H
#define SIMTCHECK_COMPILERS_STAGES_H

#include "session.h"
#include "tool.h"
#include "trial.h"

struct compilers {
    struct compiler all[MAX_COMPILERS];
    size_t count;
};

struct stages {
    struct compilers front_ends, ptxas;
    struct supervisor *sim, *gpu; /* null: not available */
    char folder[TOOL_FOLDER];
};

/* Gives the trial its stages for those compilers. Returns EXIT_CONFORMS on success. It also returns
 * EXIT_CONFORMS after an interrupt during the call, but then without stages or a folder. On error
 * it prints the reason, leaves nothing open and returns the exit status. */
int stages_open(struct stages *stages, const struct compiler_paths *paths, uint64_t seed,
                const struct session *session, struct trial *trial);

/* Ends the engines and removes the folder. */
void stages_close(struct stages *stages, const struct session *session);

#endif
