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

/* How engines run, and where results go. The options of every command begin with these. The request
 * of the command follows them. */
struct common_options {
    _Alignas(max_align_t) const struct engine_kind *require;
    double deadline_seconds, minutes;
    uint64_t steps, jobs;
    const char *output;                     /* the file to write */
    const char *expect;                     /* the file of expectations */
    const char *coverage;                   /* the tracefile to write */
    const char *findings[FINDINGS_FORMATS]; /* the files to write, by enum findings_format */
    struct shard shard;
    bool strict_barriers, prints_json;
    bool verbose, quiet;
    unsigned int colour; /* a bit of a word of --color; 0: on a terminal */
    struct allowances allow;
};

/* Offsets in the options of a command. COMMON_AT() and REQUEST_AT() check the type of the member,
 * as OPTION_AT() does. REQUEST_PART() is the offset of a group. */
#define COMMON_AT(member, type) OPTION_AT(struct common_options, member, type)
#define REQUEST_AT(request, member, type)                                                          \
    (sizeof(struct common_options) + OPTION_AT(request, member, type))
#define REQUEST_PART(request, member) (sizeof(struct common_options) + offsetof(request, member))

/* The row of --allow. Commands differ in the words that they accept, and in their meaning. */
#define OPTION_ALLOW(argument, ...)                                                                \
    {                                                                                              \
        "allow", argument, &option_allowances, COMMON_AT(allow, struct allowances), __VA_ARGS__    \
    }

extern const struct option_row common_rows[];   /* of struct common_options */
extern const struct option_row coverage_rows[]; /* the same, for commands that run kernels */
extern const struct option_row findings_rows[]; /* the same, for commands that take a launch */
extern const struct option_row bound_rows[];    /* the same */
extern const struct option_row text_rows[];     /* the same, for commands that end with a verdict */
extern const struct option_row printing_rows[]; /* the same, for commands that print a table */
extern const struct option_row selection_rows[]; /* of struct selection */
extern const struct option_row compiler_rows[];  /* of struct compiler_paths */

struct command_line;

/* Returns the limits of these options. */
struct engine_limits common_limits(const struct common_options *common);

/* Returns a session with the options of the command line, and sets up where its results go. */
struct session common_session(const struct command_line *line, const struct catalogue *catalogue,
                              struct kept_engine *engines, struct sinks *sinks);

#endif
