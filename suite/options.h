/* SPDX-License-Identifier: MIT
 *
 * The command line of `simtcheck`.
 */
#ifndef SIMTCHECK_SUITE_OPTIONS_H
#define SIMTCHECK_SUITE_OPTIONS_H

#include "case.h"

enum { MAX_ENGINES = 3, MAX_GLOBS = 64, MAX_SCHEDULES = 64 };

enum command {
    COMMAND_LIST,
    COMMAND_RUN,
    COMMAND_REPLAY,
    COMMAND_COUNTERS,
    COMMAND_AGREE,
    COMMAND_RACES,
    COMMAND_DELAYS,
    COMMAND_HELP,
    COMMAND_VERSION,
};

struct options {
    enum command command;
    const char *token; /* COMMAND_REPLAY */
    const char *engines[MAX_ENGINES];
    size_t engine_count; /* 0: every engine that is available here */
    const char *require; /* this engine, where a run uses it, must be available; null: none */
    bool require_always; /* whether the run uses it or not */
    const char *globs[MAX_GLOBS];
    size_t glob_count; /* 0: every kernel */
    bool forms[2];     /* by enum form */
    bool assume_total;
    bool models[MODELS];
    struct schedule schedules[MAX_SCHEDULES];
    size_t schedule_count;
    bool schedules_chosen;   /* by --schedule: a finding may not show under those */
    size_t random_schedules; /* so many more for each shape, from the seed on */
    enum profile profile;
    bool profile_chosen;   /* else each kernel's own */
    struct extent *blocks; /* null: chosen by level */
    size_t block_count;
    uint64_t (*sizes)[2]; /* null: chosen for each block */
    size_t size_count;
    uint64_t seed;
    unsigned int level, sizes_per_block;
    uint64_t errors;
    uint64_t runs;       /* COMMAND_DELAYS: of each case */
    unsigned int delays; /* COMMAND_RACES: most in a schedule */
    const char *json;
    bool list_json;
    unsigned int jobs;
    struct engine_limits limits;
};

/* Reads the command line. Returns false after one sentence on standard error that names what is
 * wrong and says what would be right; the exit status is then 2. */
bool options_parse(int argc, char **argv, struct options *options);
void options_free(struct options *options);

void options_help(const char *program);

/* Is the variant among those the options name? */
bool options_select(const struct options *options, const struct variant *variant);

#endif
