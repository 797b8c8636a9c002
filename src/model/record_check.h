/* SPDX-License-Identifier: MIT
 *
 * The results of `check`, `gate` and `mutate` for other programs: one object for each launch, with
 * all checks of it and what they found.
 */
#ifndef SIMTCHECK_MODEL_RECORD_CHECK_H
#define SIMTCHECK_MODEL_RECORD_CHECK_H

#include "record_run.h"

enum check_kind {
    CHECKED_RUN,
    CHECKED_RACES,
    CHECKED_DETERMINISM,
    CHECKED_COSTS,
    CHECKED_MUTANT,
    CHECKED_COMPILATION, /* by a compiler that rejects the files, so nothing else was checked */
};

enum check_result {
    RESULT_PASS,
    RESULT_FAIL,
    RESULT_KNOWN, /* fails with a known deviation */
    RESULT_SKIPPED,
    RESULT_BOUNDED,    /* nothing fails, but --minutes left work out */
    RESULT_INCOMPLETE, /* of a launch: the work ended before it had a result */
    CHECK_RESULT_KINDS
};

/* A place that belongs to an identity, or that a finding is related to, such as the other access of
 * a race. */
struct place_record {
    const char *file;
    uint64_t line;
    const char *text;       /* of a related place: what is there */
    const char *inlined_at; /* of an identity; null: not inlined */
};

struct identity;

/* Something that is wrong, or that would be without an allowance, as one check found it: evidence
 * of a finding. */
struct evidence_record {
    const char *rule;                /* the name of a fault, or a word of rules[] */
    const struct identity *identity; /* null: that of the rule, the kernel and the line */
    const struct identity *cause;    /* of the race that explains it; null: none */
    bool is_examined;                /* a race that explains it was looked for */
    const char *check, *compiler;    /* the name of the check; null: no compiler */
    uint64_t cases;                  /* with this finding; 0: not counted */
    bool is_weak;                    /* only under weak memory */
    bool is_printed;                 /* by the program that `exec` runs */
    const char *message;
    const char *about; /* what the title names besides the rule, such as an array; null: nothing */
    struct list does;  /* texts: what happens at the place, and at the first related one */
    const char *file;  /* relative to the current folder, or absolute */
    uint64_t line;     /* 0: unknown */
    struct list related;           /* of struct place_record */
    const char *case_id, *command; /* how to run it again; null: not a case */
    const char *input;      /* the sizes and values of the case, in words; null: not a case */
    const char *replay;     /* the words that run the case again; null: not a case */
    const char *allowed_by; /* why it does not fail; null: it does */
    struct list notes;      /* texts: what may explain it, or what accepts it */
    const char *help;       /* a change that was tried; null: none */
    struct counterexample_record *counterexample;
    struct race *race;
};

/* A fact about the code, with all evidence of the checks. Message, place, case and command are
 * those of the first evidence that is not allowed. */
struct finding_record {
    uint64_t id; /* from 1 on, within the launch */
    const char *rule, *kernel;
    /* The identity: what makes evidence one finding. Texts are null if they do not belong to it. */
    struct list places; /* of struct place_record */
    const char *identity_kernel, *array;
    const char *detail;    /* a hazard, the side of an array, or the origin of an undefined value */
    const char *relation;  /* of the threads of a race */
    const char *condition; /* under which alone it is found: a model, or weak memory */
    const char *reason;
    const char *message, *file;
    uint64_t line;
    struct list related; /* of struct place_record */
    const char *case_id, *command, *allowed_by;
    struct list evidence;     /* of struct evidence_record */
    struct list consequences; /* of struct finding_record: what it explains */
};

/* One check of a launch, or one mutant. */
struct check_record {
    enum check_kind kind;
    const char *kernel;
    const char *function; /* its name in the source; null: `kernel`, without template arguments */
    const char *compiler; /* null: the kernels of the catalogue */
    enum engine_id engine;
    bool has_model;
    enum model model;   /* of a check of races */
    const char *change; /* of a mutant: its line, and what it changes */
    enum check_result result;
    const char *verdict;
    uint64_t cases, blocks, all_blocks, left_out, schedules;
    uint64_t planned;       /* cases that were to run; 0: not known */
    const char *sizes;      /* of the planned cases, in words; null: not known */
    uint64_t untried;       /* cases for which --minutes left no time */
    uint64_t more_failures; /* cases with more findings than are kept */
    double seconds;
    const char *note;
    const char *inexact; /* as in struct outcome; null: all results are exact */
    const char *clock;   /* the same; null: all results are compared */
    struct reached_record *reached;
    bool has_cost; /* what the launch costs before an edit and after it */
    uint64_t instructions_before, instructions, transactions_before, transactions;
    const struct known_deviation *known_deviation; /* null: none */
    struct executions_record *executions;          /* as in struct race_record */
    struct repair_record *repair;                  /* null: not searched */
    struct list findings;                          /* of struct evidence_record */
    struct list finding_ids; /* uint64_t: of the findings of the launch that it has evidence of */
};

struct launch_record {
    const char *launch;                       /* null: kernels of the catalogue */
    const char *from;                         /* where it is written; null: in a command line */
    struct list files, flags;                 /* texts */
    struct list contents;                     /* uint64_t: hashes of the files at the start */
    bool is_changed;                          /* a file has other contents at the end */
    const char *oracle, *against, *reference; /* null: not given */
    uint64_t ulps;
    struct list allowed;   /* texts: the words of --allow */
    struct list compilers; /* texts: their names and versions */
    struct list remarks;   /* texts: what does not change the result */
    double start, seconds;
    enum check_result result;
    struct list checks;          /* of struct check_record */
    struct list findings;        /* of struct finding_record */
    bool has_ended, is_complete; /* all checks ended with a result */
    bool is_unavailable;         /* some could not run, and the others fail nowhere */
    bool has_error;              /* in the input, such as code that a compiler rejects */
};

/* The whole file. */
struct check_results {
    uint64_t version;
    const char *simtcheck, *build, *command; /* build: build_identity */
    bool complete, has_status;               /* complete: every check ended with a result */
    uint64_t status;                         /* exit status */
    double minutes;                          /* of --minutes; 0: no limit */
    double seconds;
    struct list messages; /* texts: the error messages */
    struct list launches; /* of struct launch_record */
};

enum { CHECK_RESULTS_VERSION = 2 };

/* A line that the libraries of `exec` write for a process of the program: the start of a program in
 * it, a finding, what is not modelled, or the end. */
struct exec_record {
    const char *program;             /* that starts; null: another line */
    struct evidence_record *finding; /* null: another line */
    /* What is known of the finding: a fault or a race, on the wire, or its class. Null: another. */
    const char *fault, *unordered, *class;
    const char *partial;        /* what is not modelled, and where; null: another line */
    const char *remark;         /* null: another line */
    const char *unusable;       /* why the program cannot run; null: another line */
    bool printed;               /* by the process */
    uint64_t skipped;           /* launches after a kernel that failed */
    uint64_t repeated;          /* findings that differ from earlier ones in numbers only */
    /* The kernel of the finding, or the function of CUDA; or the kernel whose launches the line
     * counts. `why`: the option by which they are not checked; null: they are. */
    const char *kernel, *why;
    uint64_t launches, threads; /* of the kernel */
    double seconds;
};

/* The value of SIMTCHECK_EXEC_SHOWN: the parent of the process that prints its findings, and the
 * device and inode of the file to which it must print them. */
#define EXEC_SHOWN "%d:%ju:%ju"

extern const struct words check_kind_words, check_result_words;
extern const struct table check_table, launch_table, check_results_table, exec_record_table;

/* Names of rules that are neither faults nor verdicts. */
extern const char rule_determinism[], rule_cost[], rule_survivor[], rule_undetected[];

/* Returns a sentence that explains the findings of that rule. */
const char *rule_meaning(const char *rule);

/* Returns how serious findings of the rule are: "error", "warning" or "note". */
const char *rule_level(const char *rule);

#endif
