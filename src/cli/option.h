/* SPDX-License-Identifier: MIT
 *
 * Tables of options. Each command has a table with a row for each option. The values are in struct
 * common_options, or in the request that the command fills. Groups of options that several commands
 * share have a table too. Commands include them as parts.
 */
#ifndef SIMTCHECK_CLI_OPTION_H
#define SIMTCHECK_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct option_row;

struct option_type {
    /* Reads a word into the value. The word is null for an option without an argument. Returns
     * false after an error message. */
    bool (*parse)(void *value, const struct option_row *row, const char *word);
    bool is_repeatable;
    void (*release)(void *value); /* frees what parse() allocated; null: nothing */
    const char *values; /* examples, for a shell to complete; null: none; "FILE": names of files */
};

struct option_row {
    const char *name;
    const char *argument; /* the argument's name in the help; null: no argument */
    const struct option_type *type;
    size_t offset;       /* of the value in the structure */
    const char *initial; /* the word that is the default; null: zeros */
    const char *help;
    const char *usual;          /* the default in words, for the help; null: `initial`, or none */
    uint64_t least, most;       /* the range of a number */
    const char *const *choices; /* the words to choose from; ends with null */
    const char *const *(*list_choices)(void); /* returns them, if they are not constant */
};

/* The offset of a member, which must have that type. */
#define OPTION_AT(structure, member, type)                                                         \
    (offsetof(structure, member) + _Generic(((structure *)NULL)->member, type : (size_t)0))

/* Some options of a table, which ends with a row without a name. Options that are left out still
 * get their defaults. */
struct option_part {
    const struct option_row *rows;
    size_t offset;     /* of the table's structure in the options of the command */
    const char *names; /* separated by spaces; null: all */
    /* Defaults of this command that differ from those of the table, for the help: pairs of a name
     * and words, which end with a null name. Null: none. */
    const char *const (*defaults)[2];
};

/* Returns the default in words, or null. */
const char *option_part_default(const struct option_part *part, const struct option_row *row);

/* Returns whether the part includes the row. */
bool option_part_has(const struct option_part *part, const struct option_row *row);

/* Goes to the next option of these parts, or to the first if *part is null. Returns false after the
 * last. */
bool option_next(const struct option_part *parts, const struct option_part **part,
                 const struct option_row **row);

/* Returns the words to choose from, or null. */
const char *const *option_words(const struct option_row *row);

/* The types, with the C types of their values. */
extern const struct option_type option_number;   /* uint64_t */
extern const struct option_type option_flag;     /* bool */
extern const struct option_type option_text;     /* const char * */
extern const struct option_type option_choices;  /* unsigned int: a bit for each choice */
extern const struct option_type option_seconds;  /* double */
extern const struct option_type option_minutes;  /* double */
extern const struct option_type option_engine;   /* const struct engine_kind * */
extern const struct option_type option_engines;  /* struct engine_list */
extern const struct option_type option_kernels;  /* struct selection */
extern const struct option_type option_variants; /* struct selection */
/* struct plan_request */
extern const struct option_type option_models, option_schedules, option_profile, option_blocks,
    option_sizes;
extern const struct option_type option_shard;        /* struct shard */
extern const struct option_type option_compilers;    /* struct compiler_list */
extern const struct option_type option_architecture; /* const char * */
extern const struct option_type option_tolerance;    /* uint64_t: units in the last place */
/* struct allowances. A row with choices accepts these words, and another one those with a place. */
extern const struct option_type option_allowances;

/* Finds an engine by its name. The error message names `option`. */
struct engine_kind;
bool option_find_engine(const char *option, const char *word, const struct engine_kind **kind);

#endif
