/* SPDX-License-Identifier: MIT
 *
 * External faults. Workers are killed, exit, hang, send invalid answers, or belong to another
 * build. The program itself meets limits, signals and closed streams. Verdicts must stay the same,
 * and the output must say what was not possible.
 */
#include "check.h"

#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char program[64], starts[64];

static volatile sig_atomic_t heard;

static void hear(int number)
{
    (void)number;
    heard = 1;
}

static bool has_heard_and_calls(void)
{
    bool before = heard;

    raise(SIGUSR1);
    return before;
}

/* The signal comes between the check and the wait, as an interrupt may. Another was handled before.
 */
TEST(wait_returns_when_a_signal_arrives)
{
    struct pollfd none = {.fd = -1};
    signal(SIGUSR1, hear);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(process_wait(&none, 1, 60, has_heard_and_calls), -1);
        assert_int_equal(errno, EINTR);
        assert_true(heard);
    }
    signal(SIGUSR1, SIG_DFL);
    assert_int_equal(process_wait(&none, 1, 0.001, NULL), 0);
    assert_int_equal(process_wait(&none, 1, -1, NULL), 0);
}

static int set_up(void **state)
{
    char command[1024];
    if (folder_make(state) != 0)
        return -1;
    snprintf(program, sizeof program, "%s/seeded", folder);
    snprintf(starts, sizeof starts, "%s/starts", folder);
    snprintf(command, sizeof command,
             "cp '" SEEDED "' %s && ln -s '" FAULTY_WORKER "' %s-worker-sim", program, program);
    setenv("STARTS", starts, 1);
    setenv("WORKER", SEEDED "-worker-sim", 1);
    return system(command);
}

/* Runs a conforming kernel whose workers have those faults. */
static void expect(const char *faults, int jobs, int status, const char *says, int lost)
{
    const char *json = in_folder("report.json");
    struct ended ended;
    json_t *rows;

    unlink(starts);
    setenv("FAULTS", faults, 1);
    ended = run_line("%s run --engine sim --kernel sharedSum --block 1-32 --size 0-64 --jobs %d "
                     "--deadline 0.5 --json %s",
                     program, jobs, json);
    rows = json_load_file(json, 0, NULL);
    if (report_number(rows, "workers_lost") != lost)
        fail_msg("%s: %lld lost\n%s", faults, report_number(rows, "workers_lost"), ended.output);
    expect_ended(ended, status, says);
    json_decref(rows);
}

/* The first worker dies in a chunk of many cases, the next one in the first of them alone. */
TEST(lost_worker_is_replaced_and_its_cases_rerun)
{
    expect("", 1, 0, "", 0);
    expect("signal:9", 1, 0, "1 worker was lost; other workers ran the cases again", 1);
    expect("signal:9", 2, 0, "1 worker was lost", 1);
    expect("signal:15 signal:9", 1, 0, "2 workers were lost", 2);
    expect("signal:4 signal:4", 1, 0, "2 workers were lost", 2);
    expect("exit exit", 1, 0, "2 workers were lost", 2);
    expect("answer:done_99999", 1, 0, "1 worker was lost", 1);
    expect("answer:done_1_9", 1, 0, "1 worker was lost", 1); /* answer to another request */
    expect("answer:done_0 answer:done_x", 1, 0, "", 2);
    expect("answer:case_0_1_2 answer:case_7", 1, 0, "", 2);
    expect("answer:hello answer:", 1, 0, "", 2);
    expect("answer:counters_1 answer:race_1", 1, 0, "", 2);
    expect("answer:lost_reasons", 1, 0, "1 worker was lost", 1);
    expect("signal:9 early early", 1, 0, "3 workers were lost", 3);
    expect("early early", 1, 0, "2 workers were lost", 2);
}

/* A case at which several workers die is blamed, and no other case is. Nothing is blamed if an
 * external signal killed them. */
TEST(repeatedly_lost_worker_gives_a_verdict)
{
    expect("exit exit exit", 1, 1, "the worker exited with status 5", 0);
    expect("signal:4 signal:4 signal:4", 1, 1, "the worker died: Illegal instruction", 0);
    expect("answer:hello answer:hello answer:hello", 1, 1, "the worker sent a malformed answer", 0);
    expect("signal:9 signal:9 signal:9 signal:9", 1, 3,
           "3 workers were killed from outside at the same case of ", 1);
    expect("signal:9 early early early", 1, 3, "ended before it was ready", 4);
    expect("answer:error_the_roof_leaks", 1, 3, "roof", 0);
}

/* The supervisor is patient with a worker that works, but not with one that only waits. */
TEST(silent_worker_is_killed)
{
    expect("silent", 1, 0, "1 worker was lost", 1);
    expect("silent silent", 1, 1,
           "the worker used no processor time for longer than the deadline of 0.5 s", 0);
}

/* SIGPROF ends a worker whose simulator does not notice the deadline. */
TEST(worker_past_its_processor_time_is_at_its_deadline)
{
    expect("signal:27 signal:27", 1, 1,
           "the worker did not respond and was killed, past the deadline of 0.5 s", 0);
}

TEST(worker_start_failure_is_reported)
{
    expect("early early early", 1, 3, "ended before it was ready", 0);
    expect("before:error_out_of_luck", 1, 3, "luck", 0);
    expect("before:unavailable_out_of_luck", 1, 77, "is not available", 0);
    expect("before:ready_1234_1_elsewhere", 1, 3,
           "is from another build: build both programs again", 0);
    expect("before:ready_64_as_it_was_once", 1, 3, "is from another build", 0);
    expect("before:nonsense", 1, 3, "nonsense", 0);
}

TEST(interrupt_is_handled_while_a_worker_starts)
{
    const char *const commands[] = {"run", "races", "counters"};
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        const char *const arguments[] = {program,     commands[c], "--kernel", "sharedSum",
                                         "--variant", "corrected", "--block",  "4",
                                         "--size",    "8",         NULL};
        unlink(starts);
        setenv("FAULTS", "never never never", 1);
        expect_ended(program_interrupt(arguments, starts, ".", SIGINT), 3, "!conforms|!race-free");
    }
}

/* ---- Limits, signals and streams ---- */

/* Runs `seeded` with those arguments, after `prepare` in the child. Returns its exit status, or 128
 * + the signal's number. */
static int run_prepared(void (*prepare)(void), const char *const arguments[])
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
        for (int inherited = 3; inherited < 32; inherited++)
            close(inherited); /* such as the file of a program that measures the tests */
        unsetenv("FAULTS");
        prepare();
        execv(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void limit_files(void)
{
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){10, 10});
}

/* A sanitizer needs more memory, and has its own messages. */
static void limit_memory(void)
{
#ifdef __SANITIZE_ADDRESS__
    close(STDOUT_FILENO); /* gives the same status */
#else
    setrlimit(RLIMIT_AS, &(struct rlimit){256 << 20, 256 << 20});
#endif
}

static void limit_stack(void)
{
#ifndef __SANITIZE_ADDRESS__
    setrlimit(RLIMIT_STACK, &(struct rlimit){1 << 20, 1 << 20});
#endif
}

static void ignore_children(void)
{
    signal(SIGCHLD, SIG_IGN);
}

static void close_streams(void)
{
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
}

static void fill_output(void)
{
    dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
}

static void do_nothing(void)
{
}

/* Under each of these, a verdict is the same or missing. */
TEST(limits_and_streams_do_not_change_verdicts)
{
    const char *const right[] = {
        SEEDED,        "run",      "--engine=sim", "--kernel=sharedSum",     "--block=1-32",
        "--size=0-64", "--jobs=8", "--json",       in_folder("limits.json"), NULL};
    const char *const trap[] = {
        SEEDED, "run", "--engine=sim", "--kernel=seededTrap", "--block=1-2", "--size=6-8", NULL};
    static const struct {
        void (*prepare)(void);
        int right, trap;
    } ways[] = {
        {do_nothing, 0, 1},      {limit_files, 0, 1},   {limit_memory, 3, 3},
        {ignore_children, 0, 1}, {close_streams, 3, 3}, {fill_output, 3, 3},
    };
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        int status = run_prepared(ways[w].prepare, right);
        if (status != ways[w].right)
            print_error("way %zu: %d\n", w, status);
        assert_int_equal(status, ways[w].right);
        status = run_prepared(ways[w].prepare, trap);
        if (status != ways[w].trap)
            print_error("way %zu, trap: %d\n", w, status);
        assert_int_equal(status, ways[w].trap);
    }
    expect_run(3, "", /* and not a signal */
               "/bin/sh -c 'ulimit -f 0; exec %s run --engine sim --kernel sharedSum --json %s'",
               SEEDED, in_folder("none.json"));
}

/* The search for the fault's location must not cause another fault. A stack that is too small is
 * reported. */
TEST(small_stack_is_sufficient)
{
    const char *json = in_folder("stack.json");
    const char *const arguments[] = {
        SEEDED, "run", "--engine=sim", "--kernel=seededStrayRead", "--json", json, NULL};
    json_t *written, *fault;
    expect_run(3, "the stack limit of 64 KiB is too small: raise it with 'ulimit -s 1024'",
               "/bin/sh -c 'ulimit -s 64; exec %s list'", SIMTCHECK);
    assert_int_equal(run_prepared(limit_stack, arguments), 1);
    written = json_read(json);
    fault = json_at(report_find(written, "seededStrayRead", "corrected"), "counterexample/fault");
    assert_string_equal(report_text(fault, "kind"), "out-of-bounds-read");
    assert_true(report_number(fault, "line") > 0);
    json_decref(written);
}

/* Checks whether the report says that it is complete. */
static void expect_complete(const char *path, bool complete)
{
    json_t *written = json_read(path), *member = json_object_get(written, "complete");

    assert_true(complete ? json_is_true(member) : json_is_false(member));
    json_decref(written);
}

/* Output that is lost in a closed or full stream is still on disk. */
TEST(reports_survive_output_errors)
{
    const char *json = in_folder("output.json");
    const char *const arguments[] = {SEEDED, "run", "--engine=sim", "--kernel=sharedSum", "--json",
                                     json,   NULL};
    const char *const others[][10] = {
        {SIMTCHECK, "races", "--kernel", "reduceNeighbored", "--block", "2", "--size", "4", NULL},
        {SIMTCHECK, "counters", "--kernel", "reduceNeighbored", "--block", "2", "--size", "4",
         NULL},
        {SIMTCHECK, "list", NULL},
        {SIMTCHECK, "--help", NULL},
    };
    assert_int_equal(run_prepared(close_streams, arguments), 3);
    expect_complete(json, true);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        assert_int_equal(run_prepared(fill_output, others[k]), 3);
        assert_int_equal(run_prepared(close_streams, others[k]), 3);
    }
}

/* A pipe gets one whole report. The program does not wait for a reader. */
TEST(pipe_receives_one_report)
{
    const char *pipe = in_folder("pipe");
    static const char line[] = "seeded run --engine sim --kernel sharedSum --size 0-9 --json %s";
    char text[1 << 16];
    json_t *got;
    int reader;
    assert_int_equal(mkfifo(pipe, 0600), 0);
    expect_run(3, "no process reads from this pipe", line, pipe);
    reader = open(pipe, O_RDONLY | O_NONBLOCK);
    expect_run(0, "", line, pipe);
    text[read(reader, text, sizeof text - 1)] = '\0';
    close(reader);
    got = json_loads(text, 0, NULL);
    assert_true(json_is_true(json_object_get(got, "complete")));
    json_decref(got);
}

/* Each run writes to its own temporary file, and leaves none behind. */
TEST(concurrent_runs_share_a_file)
{
    expect_run(0, "",
               "/bin/sh -c 'started=; for k in 1 2 3 4; do %s run --engine=sim --kernel=sharedSum "
               "--size=0-9 --json=%s & started=\"$started $!\"; done; "
               "for run in $started; do wait $run || exit; done'",
               SEEDED, in_folder("shared.json"));
    expect_complete(in_folder("shared.json"), true);
    expect_run(0, "shared.json\n|!shared.json.", "/bin/ls %s", folder);
}

/* A hangup of the terminal acts as an interrupt. */
TEST(hangup_keeps_results)
{
    const char *json = in_folder("hangup.json");
    const char *const arguments[] = {SIMTCHECK,
                                     "run",
                                     "--engine=sim",
                                     "--level=3",
                                     "--block=1-4",
                                     "--kernel=reduceNeighbored",
                                     "--variant=corrected",
                                     "--json",
                                     json,
                                     NULL};
    /* Each row has run. */
    expect_ended(program_interrupt(arguments, json, "\"id\"", SIGHUP), 0, "");
    expect_complete(json, false);
}

/* Signals that were ignored at start-up (as by nohup) stay ignored. */
TEST(ignored_signals_stay_ignored)
{
    const char *json = in_folder("nohup.json");
    const char *const arguments[] = {"/bin/sh",
                                     "-c",
                                     "trap '' HUP; exec \"$@\"",
                                     "sh",
                                     SIMTCHECK,
                                     "run",
                                     "--engine=sim",
                                     "--level=1",
                                     "--variant=corrected",
                                     "--kernel=reduceN*",
                                     "--json",
                                     json,
                                     NULL};
    expect_ended(program_interrupt(arguments, json, "\"id\"", SIGHUP), 0, "");
    expect_complete(json, true);
}

/* ---- Several engines in a worker ---- */

/* Returns how many engines were opened. Their results must equal `expected`; if that is null, it is
 * set. */
static long engines_of(const char *threads, const char *opens, const char *size, json_t **expected)
{
    char own[96];
    bool fails = strcmp(size, "0") != 0; /* without elements none is wrong */
    struct stat asked;
    json_t *report, *row;

    snprintf(own, sizeof own, "%s/threaded", folder);
    unlink(starts);
    setenv("THREADS", threads, 1);
    setenv("OPENS", opens, 1);
    report = report_line(fails,
                         "%s run --engine sim --kernel warpMap --variant corrected --block 1-2 "
                         "--size '%s' --jobs 1 --max-failures 9999",
                         own, size);
    assert_non_null(report);
    row = json_array_get(json_object_get(report, "results"), 0);
    json_object_del(row, "seconds");
    if (*expected == NULL)
        *expected = json_incref(row);
    else if (!json_equal(row, *expected))
        fail_msg("%s", json_dumps(row, JSON_INDENT(1)));
    json_decref(report);
    assert_int_equal(stat(starts, &asked), 0);
    return (long)asked.st_size;
}

/* Each open engine costs a GPU memory and time. So engines are opened only if they have work and
 * memory suffices. All give the same results. */
TEST(engines_are_opened_as_needed)
{
    json_t *of_many = NULL, *of_few = NULL;
    char command[1024];

    snprintf(command, sizeof command,
             "cp '" SIMTCHECK "' %s/threaded && ln -s '" THREADED_WORKER "' %s/threaded-worker-sim",
             folder, folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(engines_of("1", "9", "1-20", &of_many), 1);
    assert_int_equal(engines_of("4", "9", "1-20", &of_many), 4);
    assert_int_equal(engines_of("4", "2", "1-20", &of_many), 3); /* the third does not open */
    assert_int_equal(engines_of("1", "9", "0", &of_few), 1);
    assert_int_equal(engines_of("4", "9", "0", &of_few), 1);
    json_decref(of_many);
    json_decref(of_few);
}

TEST_MAIN("workers", set_up, folder_remove)
