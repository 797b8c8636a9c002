/* SPDX-License-Identifier: MIT
 *
 * What the user requests of a check of a launch, and whether the options can be combined.
 */
#ifndef SIMTCHECK_CHECKS_CHECK_REQUEST_H
#define SIMTCHECK_CHECKS_CHECK_REQUEST_H

#include "checks.h"
#include "user_code.h"

enum { ALL_FRONT_ENDS = (1u << FRONT_ENDS) - 1 };

struct check_request {
    struct rows_request rows; /* without engines: sim, and cuda if there is a GPU */
    unsigned int front_ends;  /* bits by enum front_end; 0: all that are installed */
    struct compiler_paths compilers;
    struct user_files files;
    const char *launch;
    uint64_t captured;            /* of a capture: the number of the only launch; 0: all */
    uint32_t place;               /* of the launch among files.together */
    const char *case_id;          /* the only case to run; null: all */
    const char *oracle, *against; /* the reference for outputs; null: not given */
    uint64_t ulps;                /* tolerance of floats, in units in the last place */
    unsigned int parts;           /* bits by enum check_part; 0: all */
    unsigned int floats;          /* FLOATS_EXACT, or 0: as in PTX */
    unsigned int reference;       /* 1: --reference double */
};

/* Returns whether that engine takes part. All do by default. */
bool check_uses_engine(const struct check_request *request, enum engine_id engine);

/* Returns whether the user requests that part. All parts run by default. */
bool check_has_part(const struct check_request *request, enum check_part part);

/* Returns whether the outputs of the sequential run of some code are the reference. */
bool check_has_reference_code(const struct check_request *request);

/* Returns whether outputs may differ from the reference. */
bool check_has_tolerance(const struct check_request *request);

/* Checks that the options can be combined. Returns false after an error message. */
bool check_request_fits(const struct check_request *request);

/* Checks that the options fit the launch. Returns false after an error message. */
bool check_request_fits_launch(const struct check_request *request,
                               const struct launch_text *launch);

/* Prints what the allowances have excused. One that has excused nothing is an error, unless
 * something was left out. `launch` is null for a capture. Returns the exit status. */
int check_allowances(const struct check_request *request, const struct launch_text *launch,
                     const struct session *session, bool is_left_out, int status);

#endif
