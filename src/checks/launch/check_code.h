/* SPDX-License-Identifier: MIT
 *
 * The code of a launch with one compiler, and what its outputs are compared with.
 */
#ifndef SIMTCHECK_CHECKS_CHECK_CODE_H
#define SIMTCHECK_CHECKS_CHECK_CODE_H

#include "check_request.h"
#include "launch_catalogue.h"

/* The check of a launch with one compiler. */
struct check {
    const struct check_request *request;
    struct session session; /* the caller's, with this code and catalogue */
    struct user_code code, old;
    const struct removed *removed; /* by nvcc, as clang's code shows; null: not known */
    struct old_runs *runs;         /* of the reference code; null: they need no preparation */
    struct launch_catalogue catalogue;
    bool gpu;        /* a GPU takes part */
    bool keeps;      /* the code keeps every access: check_kept() */
    bool is_idle;    /* a captured launch that accesses no memory */
    bool is_partial; /* no case reached what the code has to check */
    uint64_t pieces; /* of the time: this launch with this compiler is one */
    size_t results;  /* of the reference code, in how many cases */
};

/* Returns how the reference code computes with floats. */
enum float_kind check_reference_floats(const struct check_request *request,
                                       const struct session *session);

/* Makes the reference, compiles the code, and makes a catalogue of the launch. Returns the exit
 * status. */
int check_code_make(struct check *check);

#endif
