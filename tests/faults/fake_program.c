/* SPDX-License-Identifier: MIT
 *
 * A program that misbehaves under a fault, for test_faults --program. It wraps the real program,
 * REAL_PROGRAM, and misbehaves as FAKE says. Its first run is correct. FAKE_RUNS is a file that
 * counts the runs.
 */
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* Returns how many runs there were before this one. */
static long count_run(void)
{
    FILE *runs = fopen(getenv("FAKE_RUNS"), "a");
    long before = -1;

    if (runs == NULL || fseek(runs, 0, SEEK_END) != 0 || (before = ftell(runs)) < 0 ||
        fputc('.', runs) == EOF || fclose(runs) != 0)
        exit(126);
    return before;
}

static const char *in_trial(const char *name)
{
    static char path[1024];

    snprintf(path, sizeof path, "%s/%s", getenv("TRIAL"), name);
    return path;
}

static _Noreturn void die(void)
{
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    _exit(126);
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_trial(name), "w");

    if (file == NULL || fputs(text, file) == EOF || fclose(file) != 0)
        exit(126);
}

/* ---- Under an interrupt ---- */

static bool is_by_interrupt(const char *fake)
{
    static const char *const fakes[] = {"dies",         "says nothing", "goes on",
                                        "never hears",  "empties it",   "leaves a process",
                                        "leaves a file"};

    for (size_t k = 0; k < sizeof fakes / sizeof *fakes; k++)
        if (strcmp(fake, fakes[k]) == 0)
            return true;
    return false;
}

/* Applies `fake` after an interrupt, when the real program is about to end. */
static void do_interrupted(const char *fake, pid_t real)
{
    if (strcmp(fake, "goes on") == 0)
        return;
    if (strcmp(fake, "dies") == 0 || strcmp(fake, "says nothing") == 0) {
        kill(real, SIGKILL);
        waitpid(real, NULL, 0);
        if (strcmp(fake, "dies") == 0)
            die();
        _exit(3);
    }
    kill(real, SIGINT);
}

static void do_ended(const char *fake)
{
    if (strcmp(fake, "empties it") == 0)
        write_file("results/report.json", "{}\n");
    if (strcmp(fake, "leaves a file") == 0)
        write_file("tmp/left", "");
    if (strcmp(fake, "leaves a process") == 0 && fork() == 0) {
        enum { SECONDS = 60 };
        sleep(SECONDS);
        _exit(0);
    }
}

/* ---- At the end ---- */

static void drop_verdict(json_t *results)
{
    json_array_remove(results, 0);
}

static void change_verdict(json_t *results)
{
    json_object_set_new(json_array_get(results, 0), "verdict", json_string("race"));
}

static void change_report(void (*change)(json_t *results))
{
    const char *path = in_trial("results/report.json");
    json_t *report = json_load_file(path, 0, NULL);

    change(json_object_get(report, "results"));
    if (json_dump_file(report, path, 0) != 0)
        exit(126);
    json_decref(report);
}

/* Runs the real program and returns its exit status. */
static int run_real(char **argv, const char *fake)
{
    int status;
    pid_t real = fork();

    if (real == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (strcmp(fake, "keeps it quiet") == 0)
            dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        execv(getenv("REAL_PROGRAM"), argv);
        _exit(127);
    }
    while (waitpid(real, &status, WNOHANG) == 0) {
        enum { MICROSECONDS = 500 };
        usleep(MICROSECONDS);
        if (interrupted == 1)
            do_interrupted(fake, real);
        interrupted += interrupted == 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    const char *fake = getenv("FAKE");
    bool by_interrupt = is_by_interrupt(fake);
    long before = count_run();
    int status;

    (void)argc;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (strcmp(fake, "is not there") == 0)
        return 77;
    if (before == 0 || strcmp(fake, "is right") == 0) {
        execv(getenv("REAL_PROGRAM"), argv);
        return 127;
    }
    if (strcmp(fake, "dies at start") == 0 && before % 3 != 0)
        die();
    if (strcmp(fake, "ends at start") == 0)
        return 3;
    for (int number = 1; by_interrupt && strcmp(fake, "never hears") != 0 && number <= SIGTERM;
         number++)
        if (number == SIGINT || number == SIGTERM || number == SIGHUP)
            signal(number, on_interrupt);
    status = run_real(argv, fake);
    if (by_interrupt && interrupted)
        do_ended(fake);
    if (strcmp(fake, "drops a verdict") == 0)
        change_report(drop_verdict);
    if (strcmp(fake, "changes a verdict") == 0)
        change_report(change_verdict);
    return status;
}
