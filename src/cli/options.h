/* SPDX-License-Identifier: MIT
 *
 * The command line of `simtcheck`.
 */
#ifndef SIMTCHECK_COMMANDS_OPTIONS_H
#define SIMTCHECK_COMMANDS_OPTIONS_H

#include "engines.h"
#include "selection.h"
#include "shard.h"

#include <jansson.h>

struct command;

/* What a snapshot consists of. */
enum part {
    PART_RUN,
    PART_RACES,
    PART_COUNTERS,
    PART_CODE,
    PART_TOOLCHAIN,
    PART_RATES,
    PART_LADDER,
    PARTS
};

extern const char *const part_names[PARTS];

/* What `check` does of a launch. */
enum only { ONLY_RUN = 1, ONLY_RACES = 2, ONLY_BITS = 4 };

struct options {
    const struct command *command; /* null: help or the version is wanted */
    bool help, version;
    const char *token; /* of a command that takes one; `check`: of one case */
    const struct engine_kind *engines[ENGINES];
    size_t engine_count;               /* 0: every engine that is available here */
    const struct engine_kind *require; /* where a run uses it, it must be there; null: none */
    bool require_always;               /* whether the run uses it or not */
    struct selection selection;
    struct extent *blocks; /* what the selection points to */
    struct shape *sizes;
    uint64_t errors; /* failures after which a run ends */
    uint64_t runs;   /* `delays`: of each case */
    uint64_t delays; /* `races`: most in a schedule */
    uint64_t jobs;   /* worker processes; 0: as many as fit */
    double deadline_seconds;
    uint64_t delay_seed, delay_per_cent, delay_longest_ns;
    const char *nvcc[24], *ptxas[24]; /* `toolchain`: compilers to try */
    size_t nvcc_count, ptxas_count;
    const char *architecture; /* and for what they are to assemble; null: a default */
    uint64_t count, minutes;  /* how many programs, or for how long; 0: not said */
    bool no_idioms;
    const char *ctest; /* `list`: the file of tests to write; null: none */
    const char *json;
    const char *html; /* `report`: the page to write; null: none */
    bool list_json;
    /* Where a command is run by another: takes, and takes over, what it would write to that file,
     * each time; null: it is written. Returns false when the command is to end. */
    bool (*save)(void *context, json_t *value);
    void *save_context;
    unsigned int parts;       /* `snapshot`: bits, by enum part; 0: all */
    const char *const *files; /* of a command that takes some: `check`: files and a launch */
    size_t file_count;
    const char *flags[64]; /* `check`: for the compiler */
    unsigned int only;     /* `check`: bits, by enum only; 0: all */
    size_t flag_count;
    const char *oracle, *against; /* `check`: what its outputs are held to; null: nothing */
    uint64_t ulps;                /* and how far they may be from that, floats only */
    bool allow_same_value;        /* races of writes that all write the same */
    uint64_t allow_instructions, allow_transactions; /* `gate`: per cent more than before */
    /* Where workers take their kernels and catalogue from; null: they have their own. */
    struct code_files {
        const char *code, *launches;
    } code[ENGINES];
    char *const
        *words; /* the command line behind the command, in the order that getopt_long() left */
    size_t word_count;
    bool by_barrier;    /* `counters`: a table of intervals too */
    struct shard shard; /* `run`, `races`, `toolchain`: of their work; count 0: all of it */
    /* The options as they were read, in their order: the long name, and the value or null. */
    struct given_option {
        const char *name, *value;
    } * given;
    size_t given_count;
};

/* Reads the command line for one of the commands, whose table ends with null. Returns false after
 * one sentence on standard error that names what is wrong and says what would be right; the exit
 * status is then 2. */
bool options_parse(int argc, char **argv, const struct command *const commands[],
                   struct options *options);
void options_free(struct options *options);

/* Prints --help. */
void options_help(const char *program, const struct command *const commands[]);

/* Is every command that a row of the table of options names one of those? For a test. */
bool options_know(const struct command *const commands[]);

#endif
