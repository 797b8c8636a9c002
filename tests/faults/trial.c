/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include "check.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_USECONDS = 500 };

const char *fault_program;

/* A fault is in time if it comes before this part of the trial's own work. */
static const double EARLY_PART = 0.25;
/* A fault that must come before the end comes before this part of the work. On a GPU it also comes
 * after the workers have started. */
static const double LATE_PART = 0.75, START_PART = 0.1;
static const double HANG_SECONDS = 180;

/* Returns a random number below `below`, by SplitMix64. */
uint64_t draw(struct trial *trial, uint64_t below)
{
    uint64_t z = trial->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % below;
}

const char *trial_path(const struct trial *trial, const char *name)
{
    static char paths[2][2 * FAULT_PATH];
    static int turn;

    turn ^= 1;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", trial->folder, name);
    return paths[turn];
}

/* ---- Targets ---- */

pid_t random_worker(struct trial *trial, pid_t program)
{
    pid_t children[64], workers[64];
    size_t count = children_of(program, children, 64), found = 0;

    for (size_t k = 0; k < count; k++)
        if (is_called(children[k], "-worker-"))
            workers[found++] = children[k];
    if (fault_program != NULL && found == 0 && count == 1) /* the real program is its child */
        return random_worker(trial, children[0]);
    return found > 0 ? workers[draw(trial, found)] : 0;
}

void signal_worker(struct trial *trial, pid_t program, int number)
{
    enum { LOOKS = 2000, USECONDS = 100 };
    pid_t worker = 0;

    for (int look = 0; look < LOOKS && !trial->at_work && !has_ended(program); look++) {
        if (look > 0)
            usleep(USECONDS);
        worker = random_worker(trial, program);
        trial->at_work = worker > 0 && is_running(worker);
        if (worker > 0 && trial->kind->by_gpu)
            break;
    }
    trial->injected = worker > 0 && kill(worker, number) == 0;
}

void signal_program(struct trial *trial, pid_t program, bool group, int number)
{
    if (trial->sent == 0) {
        trial->sent = number;
        trial->unhandled = !is_caught(program, number) && number != SIGKILL;
    }
    trial->injected = kill(group ? -program : program, number) == 0;
}

/* ---- The folder ---- */

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

static void make_folder(struct trial *trial)
{
    mode_t open_to_all = umask(0);

    snprintf(trial->folder, sizeof trial->folder, "/tmp/simtcheck-faults-XXXXXX");
    if (mkdtemp(trial->folder) == NULL || chmod(trial->folder, 0777) != 0 ||
        mkdir(trial_path(trial, "tmp"), 0777) != 0 ||
        mkdir(trial_path(trial, "results"), 0777) != 0) {
        perror(trial->folder);
        exit(3);
    }
    umask(open_to_all);
}

static struct trial *counted; /* for nftw() */

static int count_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    if (where->level == 0 || strcmp(path + where->base, "report.json") == 0)
        return 0;
    counted->left++;
    snprintf(counted->leftovers, sizeof counted->leftovers, "%s",
             path + strlen(counted->folder) + 1);
    return 0;
}

static void count_files(struct trial *trial)
{
    counted = trial;
    nftw(trial_path(trial, "tmp"), count_entry, 16, FTW_PHYS);
    nftw(trial_path(trial, "results"), count_entry, 16, FTW_PHYS);
}

/* ---- The program ---- */

void with_worker(const struct trial *trial, const char *engine, const char *program)
{
    const char *copy = trial_path(trial, "bin/seeded");
    char worker[2 * FAULT_PATH];

    mkdir(trial_path(trial, "bin"), 0777);
    if (access(copy, F_OK) != 0 && link(SEEDED, copy) != 0) {
        char command[3 * FAULT_PATH];
        snprintf(command, sizeof command, "cp '%s' '%s'", SEEDED, copy);
        if (system(command) != 0)
            exit(3);
    }
    snprintf(worker, sizeof worker, "%s/bin/seeded-worker-%s", trial->folder, engine);
    if (symlink(program, worker) != 0)
        exit(3);
}

static _Noreturn void become_program(struct trial *trial, bool with_fault)
{
    static char expanded[FAULT_WORDS][2 * FAULT_PATH];
    char *words[FAULT_WORDS + 1];
    size_t count = 0;
    int output = open(trial_path(trial, "output"), O_WRONLY | O_CREAT | O_APPEND, 0666);

    for (; trial->kind->command.words[count] != NULL; count++) {
        const char *word = trial->kind->command.words[count];
        if (word[0] == '%')
            snprintf(expanded[count], sizeof expanded[count], "%s/%s", trial->folder, word + 1);
        else
            snprintf(expanded[count], sizeof expanded[count], "%s", word);
        words[count] = expanded[count];
    }
    words[count] = NULL;
    if (trial->kind->faulty != NULL && !with_fault)
        words[count - 2] = NULL; /* without the kernel */
    setenv("TMPDIR", trial_path(trial, "tmp"), 1);
    setenv("TRIAL", trial->folder, 1);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    for (int file = 3; file < 64; file++)
        close(file);
    setpgid(0, 0);
    signals_default();
    if (fault_program != NULL) {
        setenv("REAL_PROGRAM", words[0], 1);
        words[0] = (char *)(uintptr_t)fault_program;
    }
    if (with_fault && trial->kind->prepare != NULL)
        trial->kind->prepare(trial);
    execvp(words[0], words);
    _exit(127);
}

/* Waits until the program and its children have used `moment` processor seconds. Returns false if
 * it has ended. */
static bool wait_for_moment(struct progress *progress, pid_t program, double moment)
{
    while (progress_seconds(progress, program) < moment) {
        if (has_ended(program))
            return false;
        usleep(LOOK_USECONDS);
    }
    return !has_ended(program);
}

static void wait_for_end(struct trial *trial, struct progress *progress, pid_t program)
{
    double limit = clock_seconds() + HANG_SECONDS;
    int status;

    trial->whole = progress_seconds(progress, program);
    while (waitpid(program, &status, WNOHANG) == 0) {
        trial->whole = progress_seconds(progress, program);
        if (clock_seconds() > limit) {
            kill(program, SIGKILL);
            snprintf(trial->leftovers, sizeof trial->leftovers, "a program that hangs");
            trial->left++;
        }
        usleep(LOOK_USECONDS);
    }
    trial->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    if (file == NULL)
        return strdup("");
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(file);
    return text;
}

/* Returns the number of answers that the worker's stand-in of kinds_workers.c has counted. */
static long read_answers(const struct trial *trial)
{
    FILE *from = fopen(trial_path(trial, "answers"), "r");
    long count, most = 0;

    while (from != NULL && fscanf(from, "%ld", &count) == 1)
        most = count > most ? count : most;
    if (from != NULL)
        fclose(from);
    return most;
}

/* Returns the answer at a chunk's end after which a worker's stand-in kept on writing, or -1. If
 * the file exists, the fault was injected. */
static long read_end(struct trial *trial)
{
    FILE *from = fopen(trial_path(trial, "injected"), "r");
    long number;

    if (from == NULL)
        return -1;
    trial->injected = true;
    if (fscanf(from, "end %ld", &number) != 1)
        number = -1;
    fclose(from);
    return number;
}

/* Reads the report from results/report.json, or from where the results were moved. A command
 * without a report gets its rows from its output. */
static void read_report(struct trial *trial)
{
    const char *path = trial_path(trial, "results/report.json");
    json_t *report;

    if (trial->kind->verdict_words != NULL) {
        trial->rows = output_rows(trial->output, trial->kind->verdict_words);
        return;
    }
    if (access(path, F_OK) != 0)
        path = trial_path(trial, "elsewhere/report.json");
    trial->has_report = access(path, F_OK) == 0;
    report = json_load_file(path, 0, NULL);
    trial->complete = json_is_true(json_object_get(report, "complete"));
    trial->partial = json_is_false(json_object_get(report, "complete"));
    trial->rows = report_rows(report);
    json_decref(report);
}

/* Counts the memory as left over if the measure stays above `before` for a while. */
static void measure_again(struct trial *trial, long before)
{
    enum { LOOKS = 50, USECONDS = 100000 };
    long now = before;

    for (int look = 0; look < LOOKS && (now = trial->kind->measure()) > before; look++)
        usleep(USECONDS);
    if (before >= 0 && now >= 0 && now <= before)
        return;
    snprintf(trial->leftovers, sizeof trial->leftovers, "%ld MiB of a GPU's memory, before %ld",
             now, before);
    trial->left++;
}

/* Draws the processor seconds after which the fault comes. An early end may come at any moment. */
static double draw_moment(struct trial *trial, const struct kind *kind)
{
    double first = kind->by_gpu ? START_PART : 0,
           last = kind->ends == ENDS_EARLY && !kind->by_gpu ? 1 : LATE_PART;

    return trial->whole * (first + (last - first) * (double)draw(trial, 1000) / 1000);
}

void trial_run(struct trial *trial, const struct kind *kind, bool with_fault)
{
    long before = kind->measure != NULL ? kind->measure() : 0;
    struct progress progress = {.count = 0};
    double moment, seconds_done = HUGE_VAL;
    pid_t program;

    trial->kind = kind;
    make_folder(trial);
    if (kind->set_up != NULL)
        kind->set_up(trial);
    trial->drawn = draw(trial, UINT64_C(1) << 62);
    program = fork();
    if (program == 0)
        become_program(trial, with_fault);
    if (program < 0) {
        perror("fork");
        exit(3);
    }
    moment = draw_moment(trial, kind);
    if (with_fault && kind->inject != NULL && wait_for_moment(&progress, program, moment)) {
        trial->injected = true; /* `inject` may clear it */
        kind->inject(trial, program);
        seconds_done = progress_seconds(&progress, program);
    }
    wait_for_end(trial, &progress, program);
    /* Use what was measured, because this process may have slept past its moment. */
    trial->in_time = kind->inject == NULL || seconds_done < EARLY_PART * trial->whole;
    trial->left += end_children(trial->leftovers, sizeof trial->leftovers);
    count_files(trial);
    if (kind->measure != NULL)
        measure_again(trial, before);
    trial->output = read_file(trial_path(trial, "output"));
    read_report(trial);
    trial->answers = read_answers(trial);
    trial->extra_output_at = read_end(trial);
    nftw(trial->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void trial_free(struct trial *trial)
{
    free(trial->output);
    json_decref(trial->rows);
    trial->output = NULL;
    trial->rows = NULL;
}
