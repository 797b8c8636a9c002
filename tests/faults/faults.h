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
    json_t *report;    /* report.json; null: there is none, or it cannot be read */
    bool cut;          /* there is one, and it cannot be read */
    unsigned int left; /* processes and files that stayed behind */
    char what_left[256];
    bool in_time;  /* the fault came long before the end, by the work done until then */
    bool injected; /* the fault came before the end, and somebody was at work */
};

/* How a kind of fault is judged. */
enum ends {
    ENDS_WHOLE,  /* the same verdicts as without it, and the exit status too */
    ENDS_NAMED,  /* the same verdicts but for the rows of `faulty`, which fail */
    ENDS_EARLY,  /* exit status 3, with the verdicts so far; or whole, where it may be too late */
    ENDS_EITHER, /* whole or early */
    ENDS_TOLD,   /* the exit status `status`, and no verdict is asked for */
};

struct kind {
    const char *name;
    const char *what;            /* is done, for the table */
    struct command_line command; /* its first word: planted, simtcheck or another program */
    enum ends ends;
    const char *faulty; /* ENDS_NAMED: the kernel whose row fails, the last word of the command */
    unsigned int fails_in;                /* one in so many of its cases */
    const char *says;                     /* where the fault is to be named; words parted by '|' */
    int status;                           /* ENDS_TOLD; of others, another that is early */
    void (*prepare)(struct trial *trial); /* in the child, before the program; or null */
    void (*set_up)(struct trial *trial);  /* in the harness, before the child; or null */
    void (*inject)(struct trial *trial, pid_t program); /* at a random moment; or null */
    const char *(*lacks)(void);                         /* why it cannot be tried here; or null */
    long (*measure)(void); /* before and after: may be no more; -1: it cannot be told; or null */
    bool by_gpu;           /* is for the engine cuda */
    unsigned int share;    /* tried once where others are tried so often; 0: 1 */
};

/* Tables of kinds, each ended by one without a name. */
extern const struct kind kernel_kinds[], worker_kinds[], limit_kinds[], interrupt_kinds[],
    reader_kinds[], gpu_kinds[];

/* ---- For kinds ---- */

uint64_t draw(struct trial *trial, uint64_t below);
/* A path in the trial's folder; of two static buffers in turn. */
const char *trial_path(const struct trial *trial, const char *name);
/* Puts a copy of planted into the trial's folder "bin", where there is none yet, with that program
 * as its worker of the engine. */
void with_worker(const struct trial *trial, const char *engine, const char *program);
/* A random child of the program that is a worker; 0: there is none now. A trial whose worker had
 * nothing to do counts as one without a fault: there is nothing to name. */
pid_t random_worker(struct trial *trial, pid_t program);

/* Sends it a signal, if there is one. */
void signal_worker(struct trial *trial, pid_t program, int number);

/* ---- Processes (processes.c) ---- */

/* Children of a process, up to `most`; returns how many. */
size_t children_of(pid_t parent, pid_t *children, size_t most);
/* Is the program of that process called so? */
bool is_called(pid_t process, const char *part);
/* Is it at work, and does not wait? */
bool is_running(pid_t process);
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

/* ---- Judgement (judge_trial.c) ---- */

/* What is not as it must be, in counts. */
struct judged {
    bool named;
    unsigned int lost, wrong, left;
};
struct judged trial_judge(const struct trial *trial, const struct trial *whole);

#endif
