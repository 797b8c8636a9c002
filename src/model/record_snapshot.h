/* SPDX-License-Identifier: MIT
 *
 * The results of `snapshot` and `compare`, and the file of a shard.
 */
#ifndef SIMTCHECK_MODEL_RECORD_SNAPSHOT_H
#define SIMTCHECK_MODEL_RECORD_SNAPSHOT_H

#include "record_code.h"
#include "record_counters.h"
#include "record_run.h"

/* ---- The environment ---- */

/* What nvidia-smi reports about a GPU, by the names of its query. Null: not reported. */
struct gpu_record {
    const char *name, *uuid, *driver_version, *vbios_version, *memory_total, *ecc_mode,
        *clocks_max_sm, *clocks_max_mem, *power_limit, *persistence_mode;
    const char *clocks_sm, *clocks_mem, *temperature, *pstate; /* vary over time */
};

struct environment_record {
    struct list gpus; /* of struct gpu_record */
    const char *driver, *runtime;
    struct list engines;        /* of struct named_value: descriptions, or reasons */
    struct list toolkit, ptxas; /* versions */
    const char *ptx_compiler, *compiler, *flags, *simtcheck, *build, *build_hash, *system, *kernel,
        *processor;
    uint64_t cores;
    const char *memory;
    struct list variables; /* of struct named_value: environment variables that change results */
    struct list reasons;   /* of struct named_value, by the name of the unknown fact */
    /* Readings, which vary over time. */
    struct list gpu_readings; /* of struct gpu_record */
    const char *time, *ended; /* ended: null while the snapshot runs */
    double load;
    bool has_load;
};

/* ---- A snapshot ---- */

/* The largest block, grid and size in the plan of a variant. */
struct limit_record {
    const char *id;
    enum variant_kind kind;
    enum engine_id engine;
    uint64_t largest_block, largest_grid, largest_size, blocks, all_blocks;
};

enum { SNAPSHOT_VERSION = 1, MAX_WING_PARTS = 8 };

struct snapshot_record {
    uint64_t version;
    bool complete;
    struct environment_record environment;
    struct list options; /* words */
    double deadline_seconds;
    struct list limits; /* of struct limit_record */
    struct run_record *run;
    struct list races, counters; /* of struct named_value: the rows of engines */
    struct code_record *code;
    struct list of_wings[MAX_WING_PARTS]; /* snapshot_part() */
};

/* Adds the part of a wing to snapshot_table: a pointer, a list or a map. */
void snapshot_add_part(const char *name, const struct field *member);

/* Returns the record of a part of a wing, which is a pointer, or null if the snapshot lacks it. */
const void *snapshot_part(const struct snapshot_record *snapshot, const char *name);

/* ---- A comparison ---- */

/* In ascending order of severity. */
enum change {
    CHANGE_SAME,
    CHANGE_CHANGED,    /* neither better nor worse: other code, other counts */
    CHANGE_NEW,        /* a row of the new snapshot only */
    CHANGE_FIX,        /* a wrong result became right, or a slow one fast */
    CHANGE_MISSING,    /* a row of the old snapshot only */
    CHANGE_REGRESSION, /* a right result became wrong, or a fast one slow */
};

enum { CHANGES = CHANGE_REGRESSION + 1 };

extern const struct words change_words;

/* Returns the word, such as "REGRESSION". */
const char *change_name(enum change change);

/* A difference in the environment or in the options. */
struct fact_record {
    const char *key;
    const void *before, *after; /* JSON values */
};

struct change_record {
    enum change change;
    const char *part, *row;
    struct list details; /* clauses */
};

struct comparison_record {
    const char *before, *after; /* paths */
    bool has_old_complete, old_complete, has_new_complete, new_complete;
    struct list environment; /* of struct fact_record */
    /* Of struct named_value: how much faster the machine was for the new snapshot, by engine. */
    struct list machine;
    uint64_t counts[CHANGES]; /* of rows with each change */
    struct list rows;         /* of struct change_record */
};

/* ---- A shard ---- */

struct shard_record {
    uint64_t version;
    const char *command;
    uint64_t shard, shards;
    const char *build;
    struct list options; /* words */
    struct list engines; /* of struct named_value: descriptions */
    bool has_status;
    uint64_t status; /* the exit status, if the shard has ended */
    const void *result;
    const char *path; /* of the file that was read, and its JSON */
    const void *document;
};

extern const struct table gpu_table, gpu_reading_table, environment_table, readings_table,
    limits_table, limit_table, fact_table, comparison_table, shard_table;

/* The members of the core, then those of wings. */
extern struct table snapshot_table;

#endif
