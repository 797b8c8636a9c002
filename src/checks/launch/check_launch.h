/* SPDX-License-Identifier: MIT
 *
 * A kernel of the user's, checked by the line that launches it.
 */
#ifndef SIMTCHECK_CHECKS_CHECK_LAUNCH_H
#define SIMTCHECK_CHECKS_CHECK_LAUNCH_H

#include "checks.h"
#include "user_code.h"

/* What is checked of a launch. */
enum check_part { CHECK_RUN = 1, CHECK_RACES = 2, CHECK_BITS = 4 };

struct check_request {
    struct selection selection; /* of shapes, values and schedules */
    struct engine_list engines; /* none: sim, and cuda where there is a GPU */
    unsigned int front_ends;    /* bits, by enum front_end; 0: all that are installed */
    uint64_t max_failures;      /* failures after which a part ends */
    struct compiler_paths compilers;
    struct user_files files;
    const char *launch;
    const char *case_id;          /* null, or the one case to run */
    const char *oracle, *against; /* null, or what outputs are compared with */
    uint64_t ulps;                /* floats may be so far from that */
    unsigned int parts;           /* bits, by enum check_part; 0: all */
    struct allowances allow;
};

/* Compiles the files by each front end, and runs the parts. Returns the worst exit status. */
int check_launch(const struct check_request *request, struct session *session);

/* Looks for races in what is selected, as a part of such a check. Returns the exit status. */
int check_races(const struct check_request *request, const struct selection *selection,
                struct session *session);

#endif
