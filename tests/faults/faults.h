/* SPDX-License-Identifier: MIT
 *
 * Faults done to the program under test, each many times: at random moments where that means
 * something. A trial runs one command in a folder of its own, and is held to a run of the same
 * command without a fault.
 */
#ifndef SIMTCHECK_TESTS_FAULTS_H
#define SIMTCHECK_TESTS_FAULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FAULT_WORDS = 40, FAULT_PATH = 512 };

/* A command line that ends with null; "%" in front of a word stands for the trial's folder and '/'.
 */
struct command_line {
    const char *words[FAULT_WORDS];
};

/* One run. */
struct trial {
    char folder[FAULT_PATH]; /* with "tmp", where the command's temporary files go, and "results" */
    uint64_t random;         /* the state of its random numbers */
    double whole;            /* processor seconds of the run without a fault, with its children */
    long answers;            /* lines that workers said in it */
    const struct kind *kind;
    uint64_t drawn; /* what the trial drew first: what of the fault `prepare` is to do */
    /* Afterwards: */
    int status;        /* exit status, or 128 + a signal */
    long babbled_at;   /* the answer after which a worker babbled on at a chunk's end; -1: none */
    char *output;      /* standard output and error; the trial's */
    json_t *rows;      /* what was found, in rows; null: there is no report, or none to be read */
    bool has_report;   /* there is one, whether it can be read or not */
    bool complete;     /* and it says that it is complete */
    bool partial;      /* or that it is not */
    unsigned int left; /* processes and files that stayed behind */
    char what_left[256];
    bool injected; /* the fault was done before the end, to somebody */
    bool in_time;  /* and long before it, by the work done until then */
    bool at_work;  /* the worker that was hit did not wait */
    int sent;      /* the signal that simtcheck itself was sent; 0: none */
    bool unheard;  /* which it did not catch yet: it ends as any program does */
};

/* How a kind of fault is judged. */
enum ends {
    ENDS_WHOLE,  /* the same verdicts as without it, and the exit status too */
    ENDS_NAMED,  /* the same verdicts but for the rows of `faulty`, which fail */
    ENDS_EARLY,  /* exit status 3, with the verdicts so far */
    ENDS_EITHER, /* whole or early */
    ENDS_TOLD,   /* the exit status `status`, and no verdict is asked for */
};

struct kind {
    const char *name;
    const char *what;            /* is done, for the table */
    struct command_line command; /* its first word: seeded, simtcheck or another program */
    enum ends ends;
    const char *faulty; /* ENDS_NAMED: the kernel whose row fails, the last word of the command */
    unsigned int fails_in; /* one in so many of its cases */
    const char *says;      /* where the fault is to be named; words parted by '|' */
    bool speechless;       /* it takes the stream where it would be named */
    bool keeps;            /* the report is to be whole, whatever the exit status is */
    int status;            /* ENDS_TOLD; of others, another that is early */
    int dies_of;    /* the signal by which the fault ends the program itself; 0: it ends by none */
    bool borne;     /* may come and change nothing */
    bool unwritten; /* results cannot be written: where the program says so, none are asked for */
    bool all_or_none; /* an early end may have no report: it tells all at its end, or does not begin
                       */
    const char *tells; /* a command without a report: words of its lines that are verdicts */
    bool may_lack;     /* without a fault it may end with 77, and is not tried */
    bool by_proxy;     /* is done by the worker's stand-in, to a random answer */
    void (*prepare)(struct trial *trial); /* in the child, before the program; or null */
    void (*set_up)(struct trial *trial);  /* in the harness, before the child; or null */
    void (*inject)(struct trial *trial, pid_t program); /* at a random moment; or null */
    const char *(*lacks)(void);                         /* why it cannot be tried here; or null */
    long (*measure)(void); /* before and after: may be no more; -1: it cannot be told; or null */
    bool by_gpu;           /* is for the engine cuda */
    unsigned int least;    /* it waits for long, and is not tried with fewer --times */
};

/* Tables of kinds, each ended by one without a name. */
extern const struct kind kernel_kinds[], worker_kinds[], limit_kinds[], interrupt_kinds[],
    reader_kinds[], gpu_kinds[];

/* ---- For kinds ---- */

uint64_t draw(struct trial *trial, uint64_t below);
/* A path in the trial's folder; of two static buffers in turn. */
const char *trial_path(const struct trial *trial, const char *name);
/* Puts a copy of seeded into the trial's folder "bin", where there is none yet, with that program
 * as its worker of the engine. */
void with_worker(const struct trial *trial, const char *engine, const char *program);
/* A random child of the program that is a worker; 0: there is none now. */
pid_t random_worker(struct trial *trial, pid_t program);
/* Sends one a signal, at the next moment at which one is at work; on a GPU, where it waits for that
 * most of the time, at once. */
void signal_worker(struct trial *trial, pid_t program, int number);
/* Sends one to simtcheck itself, and to its process group if so. */
void signal_program(struct trial *trial, pid_t program, bool group, int number);

/* What is run instead of each program under test, which is then its REAL_PROGRAM; null: itself. */
extern const char *fault_program;

/* ---- Processes (processes.c) ---- */

/* Children of a process, up to `most`; returns how many. */
size_t children_of(pid_t parent, pid_t *children, size_t most);
/* Is the program of that process called so? */
bool is_called(pid_t process, const char *part);
/* Is it at work, and does not wait? */
bool is_running(pid_t process);
/* Has it a handler for that signal? */
bool is_caught(pid_t process, int number);
/* Has this child of ours come to its end? It may still be waited for. */
bool has_ended(pid_t child);
/* Processor seconds of a process and what it has started, as far as it has been seen. Begins anew
 * with a null `progress`. */
struct progress {
    struct seen {
        pid_t pid;
        double seconds;
    } seen[512];
    size_t count;
};
double progress_seconds(struct progress *progress, pid_t program);
/* Ends all children that this process still has, by their ids; returns how many there were. */
unsigned int end_children(char *what, size_t size);

/* ---- Trials (trial.c) ---- */

/* Runs the kind's command once, with its fault or without. */
void trial_run(struct trial *trial, const struct kind *kind, bool with_fault);
void trial_free(struct trial *trial);

/* ---- What was found (reports.c) ---- */

/* The rows of a report, whatever command it is of, in one array; null: it has none of the members
 * by which reports are known. Those of a piece that may be cut short are "partial". */
json_t *report_rows(json_t *report);
/* Likewise the lines of the output that have one of the words, parted by '|'. */
json_t *output_rows(const char *output, const char *tells);
/* Is one of the words, parted by '|', in the text? */
bool has_one(const char *text, const char *words);

/* ---- Judgement (judge_trial.c) ---- */

/* What is not as it must be, in counts. */
struct judged {
    bool came;    /* there was a fault to name */
    bool is_sure; /* or there should have been one: it was done in time, to somebody at work */
    bool named;
    unsigned int lost, wrong, left;
};
struct judged trial_judge(const struct trial *trial, const struct trial *whole);
/* Why the run without a fault is nothing to hold others to; null: it is. */
const char *whole_lacks(const struct trial *whole);

#endif
