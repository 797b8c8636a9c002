/* SPDX-License-Identifier: MIT
 *
 * Groups of options that commands share. struct selection and struct compiler_paths belong to the
 * checks.
 */
#ifndef SIMTCHECK_CLI_OPTION_GROUPS_H
#define SIMTCHECK_CLI_OPTION_GROUPS_H

#include "build.h"
#include "checks.h"
#include "option.h"

/* How engines run, and where results go. The options of every command begin with these. */
struct common_options {
    const struct engine_kind *require;
    double deadline_seconds, minutes;
    uint64_t steps, jobs;
    const char *output;                     /* the file to write */
    const char *expect;                     /* the file of expectations */
    const char *coverage;                   /* the tracefile to write */
    const char *findings[FINDINGS_FORMATS]; /* the files to write, by enum findings_format */
    struct shard shard;
    bool strict_barriers;
    unsigned int allow; /* bits: 1: warp barriers */
};

/* The options of commands that check rows of the catalogue. */
struct rows_options {
    struct common_options common;
    struct rows_request request;
    uint64_t delay_seed, delay_per_cent, delay_longest_ns; /* of --stress */
};

extern const struct option_row common_rows[];    /* of struct common_options */
extern const struct option_row coverage_rows[];  /* the same, for commands that run kernels */
extern const struct option_row findings_rows[];  /* the same, for commands that take a launch */
extern const struct option_row bound_rows[];     /* the same */
extern const struct option_row selection_rows[]; /* of struct selection */
extern const struct option_row compiler_rows[];  /* of struct compiler_paths */

struct command_line;

/* Returns the limits of these options. */
struct engine_limits common_limits(const struct common_options *common);

/* Returns a session with the options of the command line, and sets up where its results go. */
struct session common_session(const struct command_line *line, const struct catalogue *catalogue,
                              struct kept_engine *engines, struct sinks *sinks);

#endif
