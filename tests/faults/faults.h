/* SPDX-License-Identifier: MIT
 *
 * Faults that are injected into the program under test, many times each. Faults that depend on time
 * happen at random moments. A trial runs one command in its own folder and is compared with a run
 * of the same command without a fault.
 */
#ifndef SIMTCHECK_TESTS_FAULTS_H
#define SIMTCHECK_TESTS_FAULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FAULT_WORDS = 40, FAULT_PATH = 512 };

/* A command line that ends with null. A "%" at the start of a word stands for the trial's folder
 * and '/'. */
struct command_line {
    const char *words[FAULT_WORDS];
};

/* One run of a command, with or without a fault. */
struct trial {
    char folder[FAULT_PATH]; /* has "tmp", for the command's temporary files, and "results" */
    uint64_t random;         /* the state of its random numbers */
    double whole;            /* processor seconds of the clean run, with its children */
    long answers;            /* number of lines from workers in the clean run */
    const struct kind *kind;
    uint64_t drawn; /* the first random number; it selects what `prepare` does */
    /* Set after the run: */
    int status;           /* exit status, or 128 + a signal */
    long extra_output_at; /* the answer at a chunk's end after which a worker kept on writing; or -1
                           */
    char *output;         /* standard output and error; owned by the trial */
    json_t *rows;         /* the results; null: there is no readable report */
    bool has_report;      /* a report exists, readable or not */
    bool complete;        /* the report says "complete": true */
    bool partial;         /* the report says "complete": false */
    unsigned int left;    /* processes and files that are left over */
    char leftovers[256];
    bool injected;  /* the fault happened before the end, and hit a target */
    bool in_time;   /* the fault happened early, measured by the work done */
    bool at_work;   /* the worker that was hit was not waiting */
    int sent;       /* the signal that simtcheck itself got; 0: none */
    bool unhandled; /* no handler was installed yet, so `sent` ended the program */
};

/* The expected outcome of a kind of fault. */
enum ends {
    ENDS_WHOLE,  /* the verdicts and the exit status of the clean run */
    ENDS_NAMED,  /* the same verdicts, but the rows of `faulty` fail */
    ENDS_EARLY,  /* exit status 3, with the verdicts so far */
    ENDS_EITHER, /* ENDS_WHOLE or ENDS_EARLY */
    ENDS_STATUS, /* the exit status `status`; verdicts are not checked */
};

struct kind {
    const char *name;
    const char *what;            /* the fault, for the table */
    struct command_line command; /* the first word is seeded, simtcheck or another program */
    enum ends ends;
    const char *faulty;        /* ENDS_NAMED: the kernel whose row fails, the command's last word */
    unsigned int fails_in;     /* one case in this many fails */
    const char *says;          /* words that name the fault, separated by '|' */
    bool cannot_report;        /* the fault closes the stream that would name it */
    bool keeps;                /* the report must be whole, whatever the exit status */
    int status;                /* ENDS_STATUS: the exit status; others: one more early status */
    int dies_of;               /* the signal by which the fault ends the program; 0: none */
    bool may_have_no_effect;   /* the fault may have no effect */
    bool unwritten;            /* if the program cannot write results, none are expected */
    bool all_or_none;          /* an early end may leave no report */
    const char *verdict_words; /* without a report: words of output lines with verdicts */
    bool may_be_skipped;       /* the clean run may exit with 77: skipped */
    bool by_proxy;             /* the worker's stand-in injects it at a random answer */
    void (*prepare)(struct trial *trial); /* called in the child, before the program; or null */
    void (*set_up)(struct trial *trial);  /* called in the harness, before the child; or null */
    void (*inject)(struct trial *trial, pid_t program); /* called at a random moment; or null */
    const char *(*obstacle)(void);                      /* why it cannot run here, or null */
    long (*measure)(void); /* called before and after; must not grow; -1: unknown; or null */
    bool by_gpu;           /* needs the engine cuda */
    unsigned int least;    /* takes long: skipped with fewer --times */
};

/* Tables of kinds. Each table ends with a kind without a name. */
extern const struct kind kernel_kinds[], worker_kinds[], limit_kinds[], interrupt_kinds[],
    reader_kinds[], gpu_kinds[];

/* ---- For kinds ---- */

uint64_t draw(struct trial *trial, uint64_t below);
/* Returns a path in the trial's folder, in one of two static buffers that take turns. */
const char *trial_path(const struct trial *trial, const char *name);
/* Makes the trial's folder "bin" if it is missing, with a copy of seeded. Installs `program` there
 * as its worker for the engine. */
void with_worker(const struct trial *trial, const char *engine, const char *program);
/* Returns a random child of the program that is a worker, or 0. */
pid_t random_worker(struct trial *trial, pid_t program);
/* Sends a worker a signal at the next moment at which it is running. A GPU's worker waits most of
 * the time, so it gets the signal at once. */
void signal_worker(struct trial *trial, pid_t program, int number);
/* Sends a signal to simtcheck itself, or to its process group if `group` is true. */
void signal_program(struct trial *trial, pid_t program, bool group, int number);

/* The program that runs instead of each program under test, and gets that one's path in
 * REAL_PROGRAM. Null: the program under test itself runs. */
extern const char *fault_program;

/* ---- Processes (processes.c) ---- */

/* Writes up to `most` children of a process to `children`. Returns how many. */
size_t children_of(pid_t parent, pid_t *children, size_t most);
/* Returns true if `part` occurs in the name of the process's program. */
bool is_called(pid_t process, const char *part);
/* Returns true if the process is running, not waiting. */
bool is_running(pid_t process);
/* Returns true if the process has a handler for the signal. */
bool is_caught(pid_t process, int number);
/* Returns true if a child of this process has ended, even if nobody has waited for it yet. */
bool has_ended(pid_t child);
/* Adds up the processor seconds of a process and of its children, as far as it has seen them.
 * Starts anew with a null `progress`. */
struct progress {
    struct seen {
        pid_t pid;
        double seconds;
    } seen[512];
    size_t count;
};
double progress_seconds(struct progress *progress, pid_t program);
/* Ends all remaining children of this process, by their ids. Returns how many there were. */
unsigned int end_children(char *what, size_t size);

/* ---- Trials (trial.c) ---- */

/* Runs the kind's command once, with or without its fault. */
void trial_run(struct trial *trial, const struct kind *kind, bool with_fault);
void trial_free(struct trial *trial);

/* ---- Reports (reports.c) ---- */

/* Returns the rows of any command's report in one array. Returns null if it has none of the members
 * that identify reports. Rows of a piece that may be cut short are "partial". */
json_t *report_rows(json_t *report);
/* Returns the lines of the output that have one of the words as rows. '|' separates the words. */
json_t *output_rows(const char *output, const char *verdict_words);
/* Returns true if the text has one of the words, which '|' separates. */
bool has_one(const char *text, const char *words);

/* ---- Verdicts (judge_trial.c) ---- */

/* Counts the deviations of one trial. */
struct judged {
    bool had_effect; /* the fault had an effect that must be named */
    bool is_sure;    /* or should have had: it hit a running target in time */
    bool named;
    unsigned int lost, wrong, left;
};
struct judged trial_judge(const struct trial *trial, const struct trial *whole);
/* Returns why the clean run cannot serve as a reference, or null if it can. */
const char *reference_obstacle(const struct trial *whole);

#endif
