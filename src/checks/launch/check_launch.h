/* SPDX-License-Identifier: MIT
 *
 * Checks a user's kernel, given the line that launches it.
 */
#ifndef SIMTCHECK_CHECKS_CHECK_LAUNCH_H
#define SIMTCHECK_CHECKS_CHECK_LAUNCH_H

#include "checks.h"
#include "user_code.h"

/* The parts of the check of a launch. */
enum check_part { CHECK_RUN = 1, CHECK_RACES = 2, CHECK_BITS = 4 };

struct check_request {
    struct selection selection; /* shapes, values and schedules */
    struct engine_list engines; /* none: sim, and cuda if there is a GPU */
    unsigned int front_ends;    /* bits by enum front_end; 0: all that are installed */
    uint64_t max_failures;      /* a part ends after this many failures */
    struct compiler_paths compilers;
    struct user_files files;
    const char *launch;
    uint32_t place;               /* of the launch among files.together */
    const char *case_id;          /* the only case to run; null: all */
    const char *oracle, *against; /* the reference for outputs; null: not given */
    uint64_t ulps;                /* tolerance of floats, in units in the last place */
    unsigned int parts;           /* bits by enum check_part; 0: all */
    struct allowances allow;
    unsigned int floats;    /* FLOATS_EXACT, or 0: as in PTX */
    unsigned int reference; /* 1: --reference double */
};

/* Compiles the files with each front end and runs the parts. Returns the worst exit status. */
int check_launch(const struct check_request *request, struct session *session);

/* Returns how many instructions, of all threads, the first case of a captured launch may execute so
 * that the slower cases keep to --deadline. It is a number of the deadline, not of the machine. */
uint64_t check_steps(const struct session *session);

/* Checks a captured launch, whose code is built, on the simulator. Returns the exit status:
 * EXIT_UNAVAILABLE if its first case executes more than check_steps(). */
int check_built(const struct check_request *request, const struct user_code *code,
                struct session *session);

/* Prints what the allowances have excused. One that has excused nothing is an error, unless
 * something was left out. Returns the exit status. */
int check_allowances(const struct check_request *request, const struct session *session,
                     bool is_left_out, int status);

/* Begins the launch of the request for other programs (findings.h). `files` are those of the user
 * or of the catalogue. */
void check_take_launch(const struct check_request *request, const char *const *files, size_t count,
                       struct session *session);

/* Runs the race check on a selection, as one part of the check. Returns the exit status. */
int check_races(const struct check_request *request, const struct selection *selection,
                struct session *session);

#endif
