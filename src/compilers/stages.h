/* SPDX-License-Identifier: MIT
 *
 * The stages of a trial: compilers found, engines opened, a folder for what they make.
 */
#ifndef SIMTCHECK_COMMANDS_STAGES_H
#define SIMTCHECK_COMMANDS_STAGES_H

#include "session.h"
#include "tool.h"
#include "trial.h"

struct compilers {
    struct compiler all[MAX_COMPILERS];
    size_t count;
};

struct stages {
    struct compilers front_ends, ptxas;
    struct supervisor *sim, *gpu; /* null: not here */
    char folder[TOOL_FOLDER];
};

/* Gives the trial its stages of those compilers. Returns EXIT_CONFORMS,
 * and after an interrupt that came meanwhile, too, though there are no stages then, nor a folder;
 * or says why not on standard error, has nothing open, and returns the exit status. */
int stages_open(struct stages *stages, const struct compiler_paths *paths, uint64_t seed,
                struct session *session, struct trial *trial);

/* Ends the engines and removes the folder. */
void stages_close(struct stages *stages, struct session *session);

#endif
