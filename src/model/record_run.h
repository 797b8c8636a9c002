/* SPDX-License-Identifier: MIT
 *
 * The results of `run` and `races`.
 */
#ifndef SIMTCHECK_MODEL_RECORD_RUN_H
#define SIMTCHECK_MODEL_RECORD_RUN_H

#include "catalogue.h"
#include "engines.h"
#include "outcome_tables.h"
#include "verdict_words.h"

/* Which of several cases `merge` keeps: see merge_run.c. */
struct rank_record {
    uint64_t threads, elements; /* of the case that it was shrunk from */
    uint64_t place;             /* of that case in the whole plan: see plan_place() */
    uint64_t tried;             /* smaller cases that ran */
};

/* A case and its outcome. */
struct counterexample;
struct counterexample_record {
    const char *id;
    enum variant_kind kind;
    enum engine_id engine;
    enum model model;
    const char *schedule, *block, *size, *values, *case_id;
    struct outcome outcome;
    bool smallest;                      /* no smaller shape fails in this way */
    struct rank_record *rank;           /* in a shard; elsewhere null */
    const struct counterexample *found; /* null: the record is from a file */
};

/* A condition of a domain, and the case that shows why it is needed. */
struct boundary_record {
    const char *condition;
    bool may_pass;  /* a case that violates the condition need not fail */
    uint64_t cases; /* that violate this condition alone */
    struct counterexample_record *counterexample; /* null: no case fails */
};

/* Where the counterexample of a row comes from. The first source counts. */
enum row_origin { OF_NOTHING, OF_CASE, OF_SUSPECT, OF_KNOWN_DEFECT };

/* The reached lines of the kernel and directions of its conditional branches. */
struct reached_record {
    uint64_t lines, lines_reached, branches, branches_reached;
    struct list not_reached; /* texts: see point_text() */
};

/* Why a failure is expected: an entry of the file of --expect. */
struct known_deviation {
    const char *link, *expires, *reason;
};

/* The row of a variant on an engine. It grows while its cases run. */
struct run_row {
    const char *id;
    enum variant_kind kind;
    enum engine_id engine;
    uint64_t cases, inside, mismatches;
    enum verdict verdict;
    double seconds;
    const char *note; /* a remark on the verdict, or "" */
    const char *domain;
    struct counterexample_record *counterexample; /* null: no case fails */
    struct list boundaries;                       /* of struct boundary_record */
    uint64_t found;           /* cases inside the domain that fail as the known defect declares */
    const char *known_defect; /* null: the variant has none */
    struct counterexample_record *known_defect_counterexample; /* the smallest; null: none */
    struct race *race; /* an unordered pair of accesses in the counterexample, a wrong result */
    uint64_t blocks, all_blocks; /* blocks launched, and their total; 0: the user chose */
    uint64_t left_out;           /* shapes that break several conditions of the domain at once */
    struct list map;             /* texts: see domain_map.h */
    const char *same_as;         /* the variant that ran in its place; null: this one ran */
    unsigned int races,
        order; /* models under which the known defect races, or is order-dependent */
    /* What `merge` needs to know about a row in a shard. */
    bool has_origin;
    uint32_t origin;    /* enum row_origin */
    bool refuted;       /* a failure: the known defect does not explain its shrunk case */
    uint64_t untried;   /* cases not tried, because others timed out */
    struct list points; /* texts: see point_write() */
    struct reached_record *reached;                /* null: unknown to the engine */
    const struct known_deviation *known_deviation; /* of a verdict that fails; null: none */
    const char *default_limits; /* what fails at CUDA's default limits; null: nothing, or not run */
};

struct run_record {
    uint64_t cases, mismatches, known; /* known: wrong cases in rows with a known deviation */
    double seconds;
    uint64_t workers_lost;
    bool complete;
    uint64_t seed, level;
    const char *build;   /* build_identity */
    struct list results; /* of struct run_row */
};

/* Executions of one shape under weak memory. */
struct executions_record {
    uint64_t number;
    bool all;        /* no further ones are possible */
    uint64_t random; /* executions under random schedules */
};

/* A change of the PTX that belongs to a repair. */
struct repair_change {
    char place[128]; /* a source line, or a line of the PTX */
    uint32_t ptx_line;
    char from[24], to[24]; /* such as "st.relaxed.gpu"; from is "" for a new fence */
};

/* The weakest changes with which a case does not race. */
struct repair_record {
    struct list changes;                 /* of struct repair_change */
    struct executions_record executions; /* that did not race */
    bool unordered;     /* plain data becomes strong, so its accesses may have any order */
    const char *reason; /* why there are no changes; null: there are */
};

/* The result for a kernel under a model. */
struct race_record {
    const char *id;
    enum variant_kind kind;
    const char *engine;
    enum model model;
    enum race_verdict verdict, expected;
    bool as_expected;
    uint64_t cases, racing, unordered, checked, unexpected, faults;
    struct list pairs; /* of struct race */
    /* The search through all schedules of one shape with up to `delays` delays. */
    bool has_search, wrong;
    const char *block, *size;
    uint64_t delays, schedules;
    const char *outcome, *case_id;                 /* of the wrong result */
    struct executions_record *executions;          /* null: none ran */
    const char *smallest;                          /* case ID of the smallest case */
    uint64_t all_rows;                             /* the number of rows in the complete file */
    const struct known_deviation *known_deviation; /* of a row that fails; null: none */
};

extern const struct table known_deviation_table, counterexample_table, boundary_table,
    reached_table, run_row_table, run_table, race_record_table, executions_table, repair_table;

#endif
