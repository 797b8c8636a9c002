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

/* A case and its outcome. */
struct counterexample_record {
    const char *id;
    enum variant_kind kind;
    enum engine_id engine;
    enum model model;
    const char *schedule, *block, *size, *values, *case_id;
    struct outcome outcome;
    bool smallest; /* no smaller shape fails in this way */
};

/* A condition of a domain, and the case that shows why it is needed. */
struct boundary_record {
    const char *condition;
    bool may_pass; /* a case that violates the condition need not fail */
    uint64_t cases;
    struct counterexample_record *counterexample; /* null: no case fails */
};

/* What merge needs to know about a row in a shard: see struct origin. */
struct origin_record {
    uint32_t of;
    uint64_t tried;
    const char *counterexample, *known_defect; /* case IDs, or null */
    bool refuted;
    uint64_t untried;
    struct list points; /* texts: see point_write() */
};

/* The reached lines of the kernel and directions of its conditional branches. */
struct reached_record {
    uint64_t lines, lines_reached, branches, branches_reached;
    struct list not_reached; /* texts: see point_text() */
};

/* Why a failure is expected: an entry of the file of --expect. */
struct known_deviation {
    const char *link, *expires, *reason;
};

struct run_row {
    const char *id;
    enum variant_kind kind;
    enum engine_id engine;
    uint64_t cases, inside, mismatches;
    enum verdict verdict;
    double seconds;
    const char *note, *domain;
    struct counterexample_record *counterexample; /* null: no case fails */
    struct list boundaries;                       /* of struct boundary_record */
    uint64_t found;
    const char *known_defect; /* null: the variant has none */
    struct counterexample_record *known_defect_counterexample;
    struct race *race;
    uint64_t blocks, all_blocks, left_out;
    struct list map;     /* texts: see domain_map.h */
    const char *same_as; /* the variant that ran in its place; null: this one ran */
    unsigned int races,
        order; /* models under which the known defect races, or is order-dependent */
    struct origin_record *origin;
    struct reached_record *reached;                /* null: unknown to the engine */
    const struct known_deviation *known_deviation; /* of a verdict that fails; null: none */
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

/* The search through all schedules of one shape with up to `delays` delays. */
struct search_record {
    const char *block, *size;
    uint64_t delays, schedules;
    bool wrong;
    const char *outcome, *case_id; /* of the wrong result */
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
    struct search_record *search;
    struct executions_record *executions;          /* null: none ran */
    const char *smallest;                          /* case ID of the smallest case */
    uint64_t all_rows;                             /* the number of rows in the complete file */
    const struct known_deviation *known_deviation; /* of a row that fails; null: none */
};

extern const struct table known_deviation_table, counterexample_table, boundary_table,
    reached_table, run_row_table, run_table, race_record_table, executions_table, repair_table;

#endif
