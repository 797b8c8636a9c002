/* SPDX-License-Identifier: MIT
 *
 * The program's manners: bad input, replay, reports on disk.
 */
#include "check.h"

#include "clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct bad_input {
    const char *arguments[12];
    const char *says; /* part of the message */
};

static const struct bad_input bad_inputs[] = {
    {{SIMTCHECK}, "a command is missing"},
    {{SIMTCHECK, "frobnicate"}, "is not a command"},
    {{SIMTCHECK, "run", "--kernel", "noSuchKernel"}, "no kernel matches"},
    {{SIMTCHECK, "run", "--block", "0"}, "1 to 1024 threads"},
    {{SIMTCHECK, "run", "--block", "1025"}, "1 to 1024 threads"},
    {{SIMTCHECK, "run", "--block", "64x32"}, "1 to 1024 threads"},
    {{SIMTCHECK, "run", "--kernel", "reduce*", "--block", "32x16"}, "blocks such as 32x16"},
    {{SIMTCHECK, "run", "--kernel", "sumMat", "--block", "8x8x2"}, "blocks such as 8x8x2"},
    {{SIMTCHECK, "run", "--block", "9-3"}, "list of blocks"},
    {{SIMTCHECK, "run", "--block", "1,,2"}, "list of blocks"},
    {{SIMTCHECK, "run", "--block", ""}, "list of blocks"},
    {{SIMTCHECK, "run", "--size", "-1"}, "list of sizes"},
    {{SIMTCHECK, "run", "--size", "garbage"}, "list of sizes"},
    {{SIMTCHECK, "run", "--size", "1,2,x"}, "list of sizes"},
    {{SIMTCHECK, "run", "--size", "0-1048576"}, "at most 1048576 of them"},
    {{SIMTCHECK, "run", "--kernel", "warpMap", "--size", "3x3"}, "sizes such as 3x3"},
    {{SIMTCHECK, "run", "--size", "100000x100000"}, "list of sizes"},
    {{SIMTCHECK, "run", "--size", "4x8d"}, "list of sizes"},
    {{SIMTCHECK, "run", "--size", "4x8d2x2"}, "list of sizes"},
    {{SIMTCHECK, "run", "--kernel", "reduceInterleaved", "--size", "4d2"}, "a maxDepth only"},
    {{SIMTCHECK, "run", "--kernel", "nestedHelloWorldTree", "--size", "4d13"}, "a maxDepth only"},
    {{SIMTCHECK, "run", "--size", "99999999999999999999"}, "list of sizes"},
    {{SIMTCHECK, "run", "--engine", "abacus"}, "host, ptx, cuda or cuda-stress"},
    {{SIMTCHECK, "run", "--require", "abacus"}, "host, ptx, cuda or cuda-stress"},
    {{SIMTCHECK, "run", "--variant", "odd"}, "original, corrected or all"},
    {{SIMTCHECK, "run", "--model", "odd"}, "lockstep, independent or both"},
    {{SIMTCHECK, "run", "--schedule", "random"}, "random:SEED"},
    {{SIMTCHECK, "run", "--level", "4"}, "from 1 to 3"},
    {{SIMTCHECK, "run", "--seed", "-1"}, "whole number"},
    {{SIMTCHECK, "run", "--max-failures", "0"}, "whole number"},
    {{SIMTCHECK, "run", "--sizes-per-block", "0"}, "whole number"},
    {{SIMTCHECK, "run", "--jobs", "1e3"}, "whole number"},
    {{SIMTCHECK, "run", "--deadline", "soon"}, "time in seconds"},
    {{SIMTCHECK, "run", "--deadline", "0x10"}, "time in seconds"},
    {{SIMTCHECK, "run", "--seed", "18446744073709551615"}, "whole number"},
    {{SIMTCHECK, "run", "--schedule", "delayfoo:5"}, "not a schedule"},
    {{SIMTCHECK, "run", "--seed", "1", "--seed", "2"}, "--seed is given twice"},
    {{SIMTCHECK, "races", "--variant", "corrected", "--variant", "corrected"},
     "--variant is given twice"},
    {{SIMTCHECK, "run", "--model", "independent", "--model", "lockstep"}, "--model is given twice"},
    {{SIMTCHECK, "cross-check", "--json", "a", "--json", "b"}, "--json is given twice"},
    {{SIMTCHECK, "run", "-xh"}, "'-x' is not an option of 'run': see '"},
    {{SIMTCHECK, "run", "--block", "1-1024", "--size", "0-1048575"}, "1073741824 shapes"},
    {{SIMTCHECK, "replay",
      "2:host:reduceInterleaved:original:independent:sequential:7:13+1:ones:98b9b8d8"},
     "a block too many"},
    {{SIMTCHECK, "cross-check", "--kernel", "nosuch"}, "no kernel matches"},
    {{SIMTCHECK, "cross-check", "--engine", "host"}, "holds other engines to that one"},
    {{SIMTCHECK, "races", "--engine", "cuda"}, "one --engine, host or ptx"},
    {{SIMTCHECK, "counters", "--engine", "host", "--engine", "ptx"}, "one --engine, host or ptx"},
    {{SIMTCHECK, "run", "--json", "/nonexistent/folder/file"}, "cannot write"},
    {{SIMTCHECK, "run", "--json"}, "needs a value"},
    {{SIMTCHECK, "run", "--frobnicate"}, "'--frobnicate' is not an option of 'run': see '"},
    {{SIMTCHECK, "run", "more"}, "unexpected argument 'more'"},
    {{SIMTCHECK, "list", "--block", "3"}, "'--block' is not an option of 'list'"},
    {{SIMTCHECK, "list", "--ctest", "tests.cmake"}, "takes the engines that the tests are to run"},
    {{SIMTCHECK, "compilers", "--no-idioms", "--count", "0"}, "leave nothing to try"},
    {{SIMTCHECK, "replay"}, "one case ID"},
    {{SIMTCHECK, "run", "--kernel", "reduceInterleaved", "--kernel", "reduceInterleavd"},
     "'reduceInterleavd'"},
    {{SIMTCHECK, "run", "--kernel", "reduceInterleaved", "--variant", "original", "--block", "3",
      "--size", "5"},
     "several conditions"},
    {{SIMTCHECK, "replay",
      "2:abacus:reduceInterleaved:corrected:independent:sequential:7:13:ones:19786bd7"},
     "host, ptx, cuda or cuda-stress"},
    {{SIMTCHECK, "replay",
      "2:host:reduceInterleaved:corrected:independent:sequential:32x16:13:ones:e509ec95"},
     "blocks of 1 and sizes of 1 dimensions"},
    {{SIMTCHECK, "replay",
      "2:host:reduceInterleaved:corrected:independent:sequential:7:3x3:ones:b3971cb2"},
     "blocks of 1 and sizes of 1 dimensions"},
    {{SIMTCHECK, "replay",
      "2:host:reduceInterleaved:corrected:independent:sequential:1x1x1024:13:ones:c1e43f36"},
     "cannot read"},
    {{SIMTCHECK, "replay", "garbage"}, "damaged or cut short"},
    {{SIMTCHECK, "replay", "2:host:reduceInterleaved:original:independent:sequential:3:3:ones:f3c"},
     "damaged or cut short"},
};

static void bad_input_gets_one_sentence_and_status_2(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_inputs / sizeof *bad_inputs; i++) {
        struct ended ended = program_run(bad_inputs[i].arguments);
        char *newline = strchr(ended.output, '\n');
        if (ended.status != 2 || strstr(ended.output, bad_inputs[i].says) == NULL)
            print_error("input %zu: status %d: %s\n", i, ended.status, ended.output);
        assert_int_equal(ended.status, 2);
        assert_non_null(strstr(ended.output, bad_inputs[i].says));
        assert_true(newline != NULL && newline[1] == '\0');
        free(ended.output);
    }
}

static void help_and_version_are_there(void **state)
{
    static const char *const calls[][4] = {
        {SIMTCHECK, "--help"}, {SIMTCHECK, "run", "--help"}, {SIMTCHECK, "list", "-h"},
        {SIMTCHECK, "help"},   {SIMTCHECK, "--version"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct ended ended = program_run(calls[i]);
        assert_int_equal(ended.status, 0);
        assert_non_null(strstr(ended.output, "simtcheck"));
        free(ended.output);
    }
}

static void a_run_without_a_file_shows_its_speed(void **state)
{
    const char *const run[] = {
        SIMTCHECK, "run", "--engine", "host", "--kernel", "reduceInterleaved",
        "--block", "4",   "--size",   "8",    NULL};
    struct ended ended = program_run(run);
    (void)state;
    assert_int_equal(ended.status, 0);
    assert_non_null(strstr(ended.output, " cases/s; 0 failed"));
    assert_null(strstr(ended.output, " 0 cases/s"));
    free(ended.output);
}

/* Lines and the longest of them. */
static size_t lines_of(const char *text, size_t *longest)
{
    size_t lines = 0;

    for (*longest = 0; *text != '\0'; text += strcspn(text, "\n") + 1, lines++)
        if (strcspn(text, "\n") > *longest)
            *longest = strcspn(text, "\n");
    return lines;
}

static void help_fits_on_one_screen(void **state)
{
    const char *const arguments[] = {SIMTCHECK, "--help", NULL};
    struct ended ended = program_run(arguments);
    size_t longest, lines = lines_of(ended.output, &longest);
    (void)state;
    assert_in_range(lines, 10, 24);
    assert_in_range(longest, 40, 80);
    free(ended.output);
}

static void help_of_a_command_has_its_options_alone(void **state)
{
    const char *const arguments[] = {SIMTCHECK, "counters", "--help", NULL};
    struct ended ended = program_run(arguments);
    (void)state;
    assert_non_null(strstr(ended.output, "--by-barrier"));
    assert_non_null(strstr(ended.output, "--deadline"));
    assert_non_null(strstr(ended.output, "(default 10)"));
    assert_null(strstr(ended.output, "--jobs"));
    assert_null(strstr(ended.output, "--ctest"));
    free(ended.output);
}

static void list_has_every_variant(void **state)
{
    const char *const arguments[] = {SIMTCHECK, "list", "--json", NULL};
    const char *const plain[] = {SIMTCHECK, "list", NULL};
    struct ended ended = program_run(arguments);
    json_t *list = json_loads(ended.output, 0, NULL), *row;
    size_t i;
    (void)state;
    assert_int_equal(ended.status, 0);
    assert_true(json_array_size(list) >= 6);
    json_array_foreach(list, i, row)
    {
        assert_string_not_equal(report_text(row, "id"), "");
        assert_string_not_equal(report_text(row, "variant"), "");
        assert_string_not_equal(report_text(row, "family"), "");
        assert_string_not_equal(report_text(row, "domain"), "");
    }
    json_decref(list);
    free(ended.output);
    ended = program_run(plain);
    assert_non_null(strstr(ended.output, "B is a power of two"));
    free(ended.output);
}

/* A failing run gives a small counterexample; its case ID gives the same again, as often as wanted.
 */
static void a_counterexample_replays(void **state)
{
    const char *const run[] = {SIMTCHECK,  "run",      "--engine",           "host",    "--variant",
                               "original", "--kernel", "reduceInterleaved",  "--block", "96",
                               "--size",   "960",      "--assume-corrected", NULL};
    json_t *report = program_report(run, 1), *counterexample;
    (void)state;
    assert_non_null(report);
    counterexample =
        json_object_get(json_array_get(json_object_get(report, "results"), 0), "counterexample");
    assert_string_equal(report_text(counterexample, "block"), "3");
    assert_string_equal(report_text(counterexample, "size"), "3");
    assert_string_equal(report_text(counterexample, "values"), "unit-2");
    assert_true(json_is_true(json_object_get(counterexample, "smallest")));
    const char *const replay[] = {SIMTCHECK, "replay", report_text(counterexample, "case"), NULL};
    struct ended first = program_run(replay), second = program_run(replay);
    assert_int_equal(first.status, 1);
    assert_string_equal(first.output, second.output);
    assert_non_null(strstr(first.output, "expected 1, got 0"));
    assert_non_null(strstr(first.output, "outside the domain"));
    free(first.output);
    free(second.output);
    json_decref(report);
}

static void a_case_that_passes_replays_as_conforming(void **state)
{
    /* reduceInterleaved corrected, independent, sequential, block 7, size 13, ones */
    const char *const replay[] = {
        SIMTCHECK, "replay",
        "2:host:reduceInterleaved:corrected:independent:sequential:7:13:ones:955c0544", NULL};
    struct ended ended = program_run(replay);
    (void)state;
    if (ended.status != 0)
        print_error("%s", ended.output);
    assert_int_equal(ended.status, 0);
    assert_non_null(strstr(ended.output, "conforms"));
    free(ended.output);
}

/* Both sides of each domain are proved by default, and only by default. */
static void a_limited_run_says_what_it_leaves_open(void **state)
{
    const char *const arguments[] = {SIMTCHECK,   "run",      "--engine", "host",
                                     "--variant", "original", "--block",  "64",
                                     "--size",    "64,128",   NULL};
    json_t *report = program_report(arguments, 0), *row;
    size_t i;
    (void)state;
    assert_non_null(report);
    json_array_foreach(json_object_get(report, "results"), i, row)
    {
        assert_string_not_equal(report_text(row, "verdict"), "conforms");
        assert_string_not_equal(report_text(row, "note"), "");
    }
    json_decref(report);
}

/* Same arguments, same cases, however many workers there are. */
static void reports_do_not_depend_on_the_number_of_workers(void **state)
{
    const char *jobs[] = {"1", "3"};
    char *texts[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const arguments[] = {SIMTCHECK, "run",   "--engine",  "host",
                                         "--jobs",  jobs[i], "--variant", "original",
                                         "--block", "1-40",  NULL};
        json_t *report = program_report(arguments, 0), *row;
        size_t r;
        assert_non_null(report);
        json_object_del(report, "seconds");
        json_array_foreach(json_object_get(report, "results"), r, row)
            json_object_del(row, "seconds");
        texts[i] = json_dumps(report, JSON_SORT_KEYS);
        json_decref(report);
    }
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

/* An endless run that is interrupted ends well where every row has had its turn on every engine,
 * and its results are on disk. */
static void an_interrupted_run_keeps_its_results(void **state)
{
    char path[] = "/tmp/simtcheck-interrupted-XXXXXX";
    const char *second = engine_is_available("ptx") ? "ptx" : NULL;
    const char *const arguments[] = {SIMTCHECK,  "run",       "--engine",
                                     "host",     "--level",   "3",
                                     "--kernel", "warpMap",   "--block",
                                     "1",        "--variant", "corrected",
                                     "--json",   path,        second != NULL ? "--engine" : NULL,
                                     second,     NULL},
                      *const early[] = {SIMTCHECK, "run", "--engine",  "host",
                                        "--level", "3",   "--variant", "corrected",
                                        "--json",  path,  NULL};
    const char *const limited[] = {SIMTCHECK,           "run",  "--engine", "host", "--level", "2",
                                   "--sizes-per-block", "1000", "--json",   path,   NULL};
    int fd = mkstemp(path);
    struct ended ended = program_interrupt(
        arguments, path, second != NULL ? "\"engine\": \"ptx\"" : "\"id\"", SIGINT);
    json_t *report = json_load_file(path, 0, NULL);
    (void)state;
    close(fd);
    assert_int_equal(truncate(path, 0), 0);
    if (ended.status != 0)
        print_error("%s", ended.output);
    assert_int_equal(ended.status, 0);
    assert_non_null(report);
    assert_true(json_is_false(json_object_get(report, "complete")));
    json_decref(report);
    free(ended.output);
    ended = program_interrupt(early, path, "\"id\"", SIGINT);
    assert_int_equal(ended.status, 3); /* most rows have no verdict */
    assert_non_null(strstr(ended.output, "the rest have none"));
    assert_int_equal(truncate(path, 0), 0);
    free(ended.output);
    ended = program_interrupt(limited, path, "\"id\"", SIGTERM);
    assert_int_equal(ended.status, 3); /* it did not do what it was asked to */
    free(ended.output);
    unlink(path);
}

static void remove_folder(const char *folder)
{
    char command[64];

    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* Files and folders within one. */
static unsigned int entries_of(const char *folder)
{
    struct dirent *entry;
    unsigned int count = 0;
    DIR *open = opendir(folder);

    assert_non_null(open);
    while ((entry = readdir(open)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(open);
    return count;
}

#define SAXPY_LAUNCH                                                                               \
    SAXPY, "saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])"

/* From the first compiler on that is asked for its version: that one ends by the interrupt, too,
 * and is not called a wrong one. */
static void an_early_interrupt_leaves_nothing_behind(void **state)
{
    static const char *const commands[][8] = {
        {"compilers"},
        {"bisect", "2:host:reduceInterleaved:original:lockstep:sequential:3:3:unit-2:a75e85b0"},
        {"bisect", "family2: input_b32 0; constant_b32 0; min_s32 0 1; max_u32 2 1;"},
        {"mutate", SAXPY_LAUNCH},
        {"gate", "HEAD", SAXPY_LAUNCH},
        {"check", SAXPY_LAUNCH},
        {"check", SAXPY_LAUNCH, "--nvcc", "nvcc"},
        {"snapshot", "--engine", "host", "--out", "/dev/stdout"},
    };
    char folder[] = "/tmp/simtcheck-early-XXXXXX", tools[sizeof folder + 8],
         path[sizeof folder + 1024];
    const char *before = getenv("PATH");
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(tools, sizeof tools, "%s/tools", folder);
    assert_int_equal(mkdir(tools, 0777), 0);
    script_make(tools, "nvcc", "kill -INT $PPID; exit 1\n");
    snprintf(path, sizeof path, "%s:%s", tools, before);
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        const char *arguments[16] = {SIMTCHECK};
        struct ended ended;
        memcpy(arguments + 1, commands[c], sizeof commands[c]);
        setenv("TMPDIR", folder, 1);
        setenv("PATH", path, 1);
        ended = program_run(arguments);
        setenv("PATH", before, 1);
        unsetenv("TMPDIR");
        if (ended.status != 3 || entries_of(folder) != 1)
            print_error("%s: status %d, %s\n", commands[c][0], ended.status, ended.output);
        assert_int_equal(ended.status, 3);
        assert_int_equal(entries_of(folder), 1); /* the tools */
        assert_non_null(strstr(ended.output, "interrupted"));
        assert_null(strstr(ended.output, "is no nvcc"));
        assert_null(strstr(ended.output, "cannot write"));
        free(ended.output);
    }
    remove_folder(folder);
}

/* From here on this process and its children find no file system that has files without a name. */
static bool no_nameless_files(void)
{
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof lines / sizeof *lines, lines};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static char *content_of(const char *path)
{
    FILE *file = fopen(path, "r");
    char *content = NULL;
    size_t size = 0;

    if (file != NULL && getdelim(&content, &size, '\0', file) < 0)
        content[0] = '\0';
    if (file != NULL)
        fclose(file);
    return content;
}

/* `report` writes `page` beside one other file, where there is a page before or not. A signal
 * before or after any of its system calls leaves the page as it was, or the whole new one, and
 * nothing else. */
static bool leaves_all_or_nothing(const char *const *report, const char *folder, const char *page,
                                  bool before)
{
    static const char old[] = "an old page";
    unsigned int kept = 0, written = 0;
    int status = 128 + SIGTERM;
    bool good = true;

    for (unsigned int number = 1; good && status == 128 + SIGTERM; number++) {
        struct ended ended;
        char *left;

        unlink(page);
        if (before)
            file_write(page, old);
        ended = program_stop(report, number, SIGTERM);
        status = ended.status;
        free(ended.output);
        left = content_of(page);
        if (left == NULL ? !before : strcmp(left, old) == 0)
            kept++;
        else if (left != NULL && strstr(left, "</html>") != NULL)
            written++;
        else
            good = false;
        good = good && entries_of(folder) == (left == NULL ? 1 : 2);
        free(left);
    }
    print_message("%u times the page as before, %u times the new one\n", kept, written);
    return good && status == 0 && kept > 0 && written > 1;
}

/* Of a command that catches none: it has written its file, or not begun to. */
static void an_interrupt_leaves_no_part_of_a_file(void **state)
{
    char folder[] = "/tmp/simtcheck-parts-XXXXXX", run[sizeof folder + 16],
         page[sizeof folder + 16];
    const char *const first[] = {SIMTCHECK, "run", "--engine", "host", "--kernel", "warpMap",
                                 "--block", "1",   "--json",   run,    NULL},
                      *const report[] = {SIMTCHECK, "report", run, "--html", page, NULL};
    int status;
    pid_t child;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(run, sizeof run, "%s/run.json", folder);
    snprintf(page, sizeof page, "%s/page.html", folder);
    free(program_run(first).output);
    assert_true(leaves_all_or_nothing(report, folder, page, false));
    assert_true(leaves_all_or_nothing(report, folder, page, true));
    child = fork();
    if (child == 0)
        _exit(no_nameless_files() && leaves_all_or_nothing(report, folder, page, false) &&
                      leaves_all_or_nothing(report, folder, page, true)
                  ? 0
                  : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    remove_folder(folder);
}

static void json_goes_to_a_device_too(void **state)
{
    const char *const arguments[] = {SIMTCHECK, "run", "--engine", "host",        "--block", "1",
                                     "--size",  "1",   "--json",   "/dev/stdout", NULL};
    struct ended ended = program_run(arguments);
    (void)state;
    assert_int_equal(ended.status, 0);
    assert_non_null(strstr(ended.output, "\"mismatches\": 0"));
    free(ended.output);
}

/* In one file, as a job's log is: pairs of accesses, then what is missing. */
static void complaints_come_behind_what_was_printed(void **state)
{
    const char *const arguments[] = {SIMTCHECK,  "snapshot",           "--part",   "races",
                                     "--part",   "benchmark",          "--engine", "host",
                                     "--kernel", "reduceInterleaved2", "--out",    "/dev/null",
                                     NULL};
    struct ended ended = program_run(arguments);
    const char *told = strstr(ended.output, "simtcheck: the benchmark is measured on a GPU");
    (void)state;

    assert_int_equal(ended.status, 77);
    assert_non_null(told);
    assert_string_equal(strchr(told, '\n'), "\n");
    assert_non_null(strstr(ended.output, "        first thread "));
    free(ended.output);
}

/* Without the engine: 77, and 3 when it is required, by option or by environment. */
static void a_missing_engine_is_not_a_pass(void **state)
{
    const char *const plain[] = {SIMTCHECK, "run", "--engine", "cuda", "--block", "1", NULL};
    const char *const required[] = {SIMTCHECK, "run",     "--engine", "host", "--require",
                                    "cuda",    "--block", "1",        NULL};
    const char *const by_default[] = {SIMTCHECK, "run", "--block", "1", "--size", "1", NULL};
    const char *const case_id[] = {
        SIMTCHECK, "replay",
        "2:cuda:reduceInterleaved:corrected:independent:sequential:7:13:ones:a7a057bf", NULL};
    struct ended ended;
    (void)state;
    if (engine_is_available("cuda"))
        return; /* tests/property runs it */
    ended = program_run(plain);
    assert_int_equal(ended.status, 77);
    assert_non_null(strstr(ended.output, "not available"));
    free(ended.output);
    ended = program_run(required);
    assert_int_equal(ended.status, 3);
    free(ended.output);
    ended = program_run(case_id);
    assert_int_equal(ended.status, 77);
    free(ended.output);
    setenv("SIMTCHECK_REQUIRE", "cuda", 1);
    ended = program_run(plain);
    assert_int_equal(ended.status, 3);
    free(ended.output);
    ended = program_run(by_default);
    assert_int_equal(ended.status, 3);
    free(ended.output);
    setenv("SIMTCHECK_REQUIRE", "abacus", 1);
    ended = program_run(plain);
    assert_int_equal(ended.status, 2);
    free(ended.output);
    unsetenv("SIMTCHECK_REQUIRE");
    ended = program_run(by_default);
    assert_int_equal(ended.status, 0);
    assert_non_null(strstr(ended.output, "cuda is not available"));
    free(ended.output);
}

/* Progress is for people: on a terminal it moves, elsewhere lines stay plain. */
static void progress_shows_on_a_terminal_only(void **state)
{
    const char *const arguments[] = {SIMTCHECK,  "run",   "--engine",  "host",      "--level", "2",
                                     "--kernel", "*Less", "--variant", "corrected", NULL};
    struct ended on_terminal = program_on_terminal(arguments), plain = program_run(arguments);
    (void)state;
    assert_int_equal(on_terminal.status, 0);
    assert_non_null(strstr(on_terminal.output, "of 8320 cases"));
    assert_null(strchr(plain.output, '\r'));
    free(on_terminal.output);
    free(plain.output);
}

/* A program without any engine beside it has nothing to say, and does not say "conforms". */
static void no_engine_at_all_is_not_a_pass(void **state)
{
    const char *const script[] = {"/bin/sh", "-c",
                                  "d=$(mktemp -d) && cp '" SIMTCHECK
                                  "' $d/simtcheck && $d/simtcheck run --block 4; s=$?; "
                                  "rm -r $d; exit $s",
                                  NULL};
    struct ended ended = program_run(script);
    (void)state;
    assert_int_equal(ended.status, 77);
    free(ended.output);
}

/* Neither a closed standard input nor a full disk changes a verdict or hides it. */
static void odd_descriptors_are_survived(void **state)
{
    const char *const closed[] = {
        "/bin/sh", "-c", "'" SIMTCHECK "' run --engine host --variant corrected --block 4 <&-",
        NULL};
    const char *const full[] = {
        "/bin/sh", "-c",
        "'" SIMTCHECK "' run --engine host --variant corrected --block 4 >/dev/full", NULL};
    const char *const empty[] = {"/bin/sh", "-c", "SIMTCHECK_REQUIRE= '" SIMTCHECK "' list", NULL};
    struct ended ended = program_run(closed);
    (void)state;
    assert_int_equal(ended.status, 0);
    free(ended.output);
    ended = program_run(full);
    assert_int_equal(ended.status, 3);
    free(ended.output);
    ended = program_run(empty);
    assert_int_equal(ended.status, 0);
    free(ended.output);
}

static void workers_are_not_started_by_hand(void **state)
{
    const char *const arguments[] = {SIMTCHECK "-worker-host", NULL};
    struct ended ended = program_run(arguments);
    (void)state;
    assert_int_equal(ended.status, 2);
    free(ended.output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input_gets_one_sentence_and_status_2),
        cmocka_unit_test(help_and_version_are_there),
        cmocka_unit_test(help_fits_on_one_screen),
        cmocka_unit_test(a_run_without_a_file_shows_its_speed),
        cmocka_unit_test(help_of_a_command_has_its_options_alone),
        cmocka_unit_test(list_has_every_variant),
        cmocka_unit_test(a_counterexample_replays),
        cmocka_unit_test(a_case_that_passes_replays_as_conforming),
        cmocka_unit_test(a_limited_run_says_what_it_leaves_open),
        cmocka_unit_test(reports_do_not_depend_on_the_number_of_workers),
        cmocka_unit_test(an_interrupted_run_keeps_its_results),
        cmocka_unit_test(an_early_interrupt_leaves_nothing_behind),
        cmocka_unit_test(an_interrupt_leaves_no_part_of_a_file),
        cmocka_unit_test(json_goes_to_a_device_too),
        cmocka_unit_test(complaints_come_behind_what_was_printed),
        cmocka_unit_test(a_missing_engine_is_not_a_pass),
        cmocka_unit_test(progress_shows_on_a_terminal_only),
        cmocka_unit_test(no_engine_at_all_is_not_a_pass),
        cmocka_unit_test(odd_descriptors_are_survived),
        cmocka_unit_test(workers_are_not_started_by_hand),
    };
    unsetenv("SIMTCHECK_REQUIRE");
    return cmocka_run_group_tests_name("command line", tests, NULL, NULL);
}
