/* SPDX-License-Identifier: MIT
 *
 * The command line: bad input, replay, reports on disk.
 */
#include "check.h"

#include "clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Wrong command lines, with a part of the message. */
static const struct {
    const char *line, *says;
} bad_inputs[] = {
    {"frobnicate", "is not a command"},
    {"run --kernel noSuchKernel", "no kernel matches"},
    {"run --block 0", "1 to 1024 threads"},
    {"run --block 2049", "1 to 1024 threads"},
    {"run --kernel reduceNeighbored --block 1025", "so many dimensions or threads"},
    {"run --block 64x32", "1 to 1024 threads"},
    {"run --kernel reduce* --block 32x16",
     "--block 32x16: no selected kernel takes a block of so many dimensions"},
    {"run --kernel sumMat --block 8x8x2", "--block 8x8x2: no selected kernel takes a block of"},
    {"run --block 9-3", "list of blocks"},
    {"run --block 1,,2", "list of blocks"},
    {"run --block ''", "list of blocks"},
    {"run --size -1", "is not a list of at most"},
    {"run --size garbage", "is not a list of at most"},
    {"run --size 1,2,x", "is not a list of at most"},
    {"run --size 0-1048576", "at most 1048576 sizes"},
    {"run --kernel warpMap --size 3x3", "--size 3x3: no selected kernel takes such a size"},
    {"run --size 100000x100000", "is not a list of at most"},
    {"run --size 4x8d", "is not a list of at most"},
    {"run --size 4x8d2x2", "is not a list of at most"},
    {"run --kernel reduceInterleaved --size 4d2", "a maxDepth only"},
    {"run --kernel nestedHelloWorldTree --size 4d13", "a maxDepth only"},
    {"run --size 99999999999999999999", "is not a list of at most"},
    {"run --engine abacus", "sim or cuda"},
    {"run --require abacus", "sim or cuda"},
    {"run --variant odd", "original, corrected or all"},
    {"run --model odd", "lockstep, independent or both"},
    {"run --schedule random", "random-SEED"},
    {"run --level 4", "from 1 to 3"},
    {"run --seed -1", "whole number"},
    {"run --max-failures 0", "whole number"},
    {"run --sizes-per-block 0", "whole number"},
    {"run --jobs 1e3", "whole number"},
    {"run --deadline soon", "time in seconds"},
    {"run --deadline 0x10", "time in seconds"},
    {"run --seed 18446744073709551615", "whole number"},
    {"run --schedule delayfoo:5", "not a schedule"},
    {"run --seed 1 --seed 2", "--seed is given twice"},
    {"races --variant corrected --variant corrected", "--variant is given twice"},
    {"run --model independent --model lockstep", "--model is given twice"},
    {"cross-check --json a --json b", "--json is given twice"},
    {"run -xh", "'-x' is not an option of 'run': see '"},
    {"run --block 1-1024 --size 0-1048575", "1073741824 shapes"},
    {"replay 2:sim:reduceInterleaved:original:independent:sequential:7:13+1:ones:9a740df7",
     "does not support extra blocks"},
    {"cross-check --kernel nosuch", "no kernel matches"},
    {"cross-check --engine sim", "'--engine' is not an option of 'cross-check'"},
    {"run --engine cuda-stress", "choose sim or cuda"},
    {"run --stress 0", "whole number"},
    {"run --delay-seed 1", "--delay-seed is for --stress"},
    {"races --engine cuda", "this command runs on the simulator"},
    {"run --json", "needs a value"},
    {"run --frobnicate", "'--frobnicate' is not an option of 'run': see '"},
    {"chekc", "'chekc' is not a command: did you mean 'check'?"},
    {"run --quite", "'--quite' is not an option of 'run': did you mean '--quiet'? See '"},
    {"check --tol ulp:4 a.cu b",
     "'--tol' is not an option of 'check': did you mean '--tolerance'?"},
    {"check --allow order=y a.cu b", "must name an array or a line"},
    {"gate --allow instruction:9% HEAD", "transactions:5%: did you mean 'instructions'?"},
    {"check a.cu 'x<<<1,1>>>()' 'y<<<1,1>>>()'",
     "there are two launches, 'x<<<1,1>>>()' and 'y<<<"},
    {"gate HEAD a.cu b.launchs", "'b.launchs' is not a file, and no launch, which contains"},
    {"gate a.cu 'x<<<1,1>>>()'", "a revision is missing before 'a.cu', such as HEAD"},
    {"run --siz=3", "'--siz=3' is not an option of 'run': did you mean '--size'?"},
    {"run --see", "'--see' is not an option of 'run': did you mean '--seed'?"},
    {"run --verb", "'--verb' is not an option of 'run': did you mean '--verbose'?"},
    {"run --verbose=3", "--verbose takes no value"},
    {"run more", "unexpected argument 'more'"},
    {"list --block 3", "'--block' is not an option of 'list'"},
    {"list --ctest tests.cmake", "--ctest needs an engine for the tests"},
#if HAVE_TOOLS
    {"compilers --no-idioms --count 0", "leave no program to test"},
#endif
    {"replay", "one case ID"},
    {"run --kernel reduceInterleaved --kernel reduceInterleavd", "'reduceInterleavd'"},
    {"run --kernel reduceInterleaved --variant original --block 3 --size 5", "several conditions"},
    {"replay 2:abacus:reduceInterleaved:corrected:independent:sequential:7:13:ones:19786bd7",
     "sim or cuda"},
    {"replay 2:sim:reduceInterleaved:corrected:independent:sequential:32x16:13:ones:af99f020",
     "takes 1-dimensional blocks, 1-dimensional sizes"},
    {"replay 2:sim:reduceInterleaved:corrected:independent:sequential:7:3x3:ones:f857da4d",
     "takes 1-dimensional blocks, 1-dimensional sizes"},
    {"replay 2:sim:reduceInterleaved:corrected:independent:sequential:1x1x1024:13:ones:27f5e69d",
     "cannot read"},
    {"replay garbage", "damaged or cut short"},
    {"exec -- /nonexistent", "there is no program '/nonexistent'|\nexec  ERROR\n"},
    {"exec -- /etc/passwd", "cannot run '/etc/passwd': Permission denied|\nexec  ERROR\n"},
    {"exec --model x -- true", "--model 'x' is not one of |\nexec  ERROR\n"},
    {"replay 2:sim:reduceInterleaved:original:independent:sequential:3:3:ones:f3c",
     "damaged or cut short"},
};

TEST(invalid_input_gives_one_message_and_status_2)
{
    expect_run(2, "no command: give check, init, gate", "%s", SIMTCHECK);
    for (size_t i = 0; i < sizeof bad_inputs / sizeof *bad_inputs; i++) {
        struct ended ended = run_line("%s", bad_inputs[i].line);
        char *newline = strchr(ended.output, '\n');
        char *verdict = newline != NULL ? strstr(newline, "  ERROR\n") : NULL;
        assert_true(newline != NULL && (verdict != NULL ? verdict[8] : newline[1]) == '\0');
        expect_ended(ended, 2, bad_inputs[i].says);
    }
}

/* A read of a pipe or of a device may never end. */
TEST(inputs_are_regular_files)
{
    static const char *const lines[] = {
        "check %s k",
        "check k.cu k --expect=%s",
        "check k.cu k --expect %s",
        "check k.cu k --oracle %s",
        "check k.cu k --against %s",
        "init %s",
        "gate HEAD %s k",
        "mutate %s k",
        "report %s",
        "compare %s %s",
        "merge %s",
        "package %s --out x",
        "package --verify %s",
        "run --expect %s",
    };
    char pipe[64];

    snprintf(pipe, sizeof pipe, "%s", in_folder("pipe"));
    assert_int_equal(mkfifo(pipe, 0600), 0);
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        expect_run(2, "cannot read '|': it is not a regular file", lines[k], pipe, pipe);
        expect_run(2, "cannot read '/dev/zero': it is not", lines[k], "/dev/zero", "/dev/zero");
    }
    expect_run(2, "exists and is not a report", "mutate k.cu 'k<<<1, 1>>>()' --out %s", pipe);
    expect_run(3, "cannot write '/nowhere/x': No such file|check  PARTIAL",
               "check k.cu 'k<<<1, 1>>>()' --json /nowhere/x");
    expect_run(3, "cannot write '/nowhere/x': No such file",
               "run --engine sim --kernel warpMap --json /nowhere/x");
}

TEST(help_and_version_are_printed)
{
    static const char *const calls[] = {"--help", "run --help", "list -h", "help", "--version"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        expect_run(0, "simtcheck", "%s", calls[i]);
}

TEST(run_without_a_file_shows_its_speed)
{
    expect_run(0, " cases/s; 0 failed|! 0 cases/s",
               "run --engine sim --kernel reduceInterleaved --block 4 --size 8");
}

/* Returns the number of lines. `longest` receives the length of the longest one. */
static size_t lines_of(const char *text, size_t *longest)
{
    size_t lines = 0;

    for (*longest = 0; *text != '\0'; text += strcspn(text, "\n") + 1, lines++)
        if (strcspn(text, "\n") > *longest)
            *longest = strcspn(text, "\n");
    return lines;
}

TEST(help_fits_on_one_screen)
{
    struct ended ended = run_line("--help");
    size_t longest, lines = lines_of(ended.output, &longest);
    assert_in_range(lines, 10, 30);
    assert_in_range(longest, 40, 80);
    free(ended.output);
}

TEST(command_help_lists_only_its_own_options)
{
    struct ended ended = run_line("counters --help");
    assert_non_null(strstr(ended.output, "--by-barrier"));
    assert_non_null(strstr(ended.output, "--deadline"));
    assert_non_null(strstr(ended.output, "(default: 10)"));
    assert_null(strstr(ended.output, "--jobs"));
    assert_null(strstr(ended.output, "--ctest"));
    free(ended.output);
}

TEST(list_prints_every_variant)
{
    struct ended ended = run_line("list --json");
    json_t *list = json_loads(ended.output, 0, NULL), *row;
    size_t i;
    assert_true(json_array_size(list) >= 6);
    json_array_foreach(list, i, row)
    {
        assert_string_not_equal(report_text(row, "id"), "");
        assert_string_not_equal(report_text(row, "variant"), "");
        assert_string_not_equal(report_text(row, "family"), "");
        assert_string_not_equal(report_text(row, "domain"), "");
    }
    json_decref(list);
    expect_ended(ended, 0, "");
    ended = run_line("list");
    assert_non_null(strstr(ended.output, "B is a power of two"));
    free(ended.output);
}

/* A failing run prints a small counterexample. Its case ID reproduces it every time. */
TEST(counterexample_replays)
{
    json_t *report = report_line(1, "run --engine sim --variant original --kernel "
                                    "reduceInterleaved --block 96 --size 960 --shrink free "
                                    "--assume-corrected"),
           *counterexample = json_at(report, "results/0/counterexample");
    struct ended first, second;
    assert_string_equal(report_text(counterexample, "block"), "3");
    assert_string_equal(report_text(counterexample, "size"), "3");
    assert_string_equal(report_text(counterexample, "values"), "unit-2");
    assert_true(json_is_true(json_object_get(counterexample, "smallest")));
    first = run_line("replay %s", report_text(counterexample, "case"));
    second = run_line("replay %s", report_text(counterexample, "case"));
    remove_time(first.output);
    remove_time(second.output);
    assert_string_equal(first.output, second.output);
    expect_ended(first, 1, "expected 1, got 0|outside the domain");
    free(second.output);
    json_decref(report);
}

TEST(passing_case_replays_as_conforming)
{
    /* reduceInterleaved corrected, independent, sequential, block 7, size 13, ones */

    expect_run(
        0, "replay  PASS  the row is as it should be",
        "replay 2:sim:reduceInterleaved:corrected:independent:sequential:7:13:ones:18b57a2d");
}

/* A failure by a limit names the option that raises the limit, and passes with a higher one. */
TEST(exceeded_limit_names_its_option)
{
#define NINE "run --engine sim --kernel reduceInterleaved --variant corrected --block 8 --size 9"
    expect_run(1, "error: step limit|(--steps)", NINE " --steps 5");
    expect_run(0, "conforms", NINE " --steps 5000");
#undef NINE
}

/* By default, and only then, both sides of each domain are verified. */
TEST(limited_run_reports_unverified_domains)
{
    json_t *report = report_line(0, "run --engine sim --variant original --block 64 --size 64,128"),
           *row;
    size_t i;
    assert_non_null(report);
    json_array_foreach(json_object_get(report, "results"), i, row)
    {
        assert_string_not_equal(report_text(row, "verdict"), "conforms");
        assert_string_not_equal(report_text(row, "note"), "");
    }
    json_decref(report);
}

/* Two sizes of each block need not include one that violates a condition. */
TEST(few_sizes_are_a_limit)
{
    expect_run(0, "conforms-in-domain|note: --sizes-per-block leaves no failing shape",
               "run --engine sim --variant original --kernel sumMat --sizes-per-block 2");
}

/* The plan of this run takes minutes, and is made before the first case. */
TEST(an_interrupt_ends_the_planning)
{
    expect_run(124, "interrupted",
               "/usr/bin/timeout -k 10 1.5 %s run --engine sim --level 2 --sizes-per-block 1024 "
               "--kernel warpMap",
               simtcheck_program());
}

/* The same arguments give the same cases for any number of workers. */
TEST(reports_do_not_depend_on_the_number_of_workers)
{
    char *texts[2];
    for (int i = 0; i < 2; i++) {
        json_t *report = report_line(0,
                                     "run --engine sim --jobs %d --variant original --block 1-8 "
                                     "--kernel reduce* --kernel [!r]*", /* no slow one */
                                     1 + 2 * i),
               *row;
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

/* An interrupted endless run succeeds if every row has run on every engine. Its results are on
 * disk. */
TEST(interrupted_run_keeps_its_results)
{
    const char *path = in_folder("interrupted.json");
    const char *const arguments[] = {SIMTCHECK,   "run",       "--engine", "sim",     "--level",
                                     "3",         "--kernel",  "warpMap",  "--block", "1",
                                     "--variant", "corrected", "--json",   path,      NULL};
/* A row that ends soon, and one that would take long. */
#define SHORT_AND_LONG                                                                             \
    "--kernel", "reduceUnrolling16", "--kernel", "gpuRecursiveReduce", "--variant", "corrected",   \
        "--block", "8", "--sizes-per-block", "1000", "--json", path, NULL
    const char *const early[] = {SIMTCHECK, "run", "--engine",    "sim",
                                 "--level", "3",   SHORT_AND_LONG};
    const char *const limited[] = {SIMTCHECK, "run", "--engine",    "sim",
                                   "--level", "2",   SHORT_AND_LONG};
#undef SHORT_AND_LONG
    json_t *report;
    expect_ended(program_interrupt(arguments, path, "\"id\"", SIGINT), 0, "");
    report = json_read(path);
    assert_true(json_is_false(json_object_get(report, "complete")));
    json_decref(report);
    assert_int_equal(truncate(path, 0), 0);
    /* A row has no verdict yet. */
    expect_ended(program_interrupt(early, path, "\"id\"", SIGINT), 3, "the rest have none");
    assert_int_equal(truncate(path, 0), 0);
    /* The run did not complete what was requested. */
    expect_ended(program_interrupt(limited, path, "\"id\"", SIGTERM), 3, "");
}

/* Counts the files and folders in a folder. */
static unsigned int entries_of(const char *where)
{
    struct dirent *entry;
    unsigned int count = 0;
    DIR *open = opendir(where);

    assert_non_null(open);
    while ((entry = readdir(open)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(open);
    return count;
}

#define SAXPY_LAUNCH                                                                               \
    SAXPY, "saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])"

/* Interrupts at the first compiler that runs for its version. The interrupt ends that compiler too,
 * and simtcheck does not call it broken. */
TEST(early_interrupt_leaves_no_files_or_processes)
{
    static const char *const commands[][8] = {
#if HAVE_TOOLS
        {"compilers"},
        {"bisect", "2:sim:reduceInterleaved:original:lockstep:sequential:3:3:unit-2:94c7e063"},
        {"bisect", "family2: input_b32 0; constant_b32 0; min_s32 0 1; max_u32 2 1;"},
#endif
        {"mutate", SAXPY_LAUNCH},
        {"gate", "HEAD", SAXPY_LAUNCH},
        {"check", SAXPY_LAUNCH},
        {"check", SAXPY_LAUNCH, "--nvcc", "nvcc"},
        {"snapshot", "--engine", "sim", "--out", "/dev/stdout"},
    };
    const char *before = getenv("PATH"), *temporary = in_folder("early");
    char path[1024];
    assert_int_equal(mkdir(temporary, 0777), 0);
    script_make("nvcc", "read -r _ _ _ program _ </proc/$PPID/stat\n" /* its watcher's parent */
                        "kill -INT $program\n"
                        "exit 1\n");
    snprintf(path, sizeof path, "%s:%s", folder, before);
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        const char *arguments[16] = {SIMTCHECK};
        struct ended ended;
        memcpy(arguments + 1, commands[c], sizeof commands[c]);
        setenv("TMPDIR", temporary, 1);
        setenv("PATH", path, 1);
        ended = program_run(arguments);
        setenv("PATH", before, 1);
        unsetenv("TMPDIR");
        print_message("%s\n", commands[c][0]);
        assert_int_equal(entries_of(temporary), 0);
        expect_ended(ended, 3, "interrupted|!is not nvcc|!cannot write");
    }
}

/* Makes unnamed files fail (O_TMPFILE) in this process and its children. Returns false on error. */
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

/* Runs `report`, which writes `page` next to one other file. A signal before or after any of its
 * system calls must leave the old page or the whole new one, and nothing else. `before` says
 * whether there is an old page. Ends once the new page has appeared ENOUGH times. The later calls
 * write no file, and are thousands in a build that measures coverage. */
static bool leaves_all_or_nothing(const char *const *report, const char *where, const char *page,
                                  bool before)
{
    enum { ENOUGH = 8 };
    static const char old[] = "an old page";
    unsigned int kept = 0, written = 0;
    int status = 128 + SIGTERM;
    bool good = true;

    for (unsigned int number = 1; good && status == 128 + SIGTERM && written < ENOUGH; number++) {
        struct ended ended;
        char *left;

        unlink(page);
        if (before)
            text_write(page, old);
        ended = program_stop(report, number, SIGTERM);
        status = ended.status;
        free(ended.output);
        left = access(page, F_OK) == 0 ? text_read(page) : NULL;
        if (left == NULL ? !before : strcmp(left, old) == 0)
            kept++;
        else if (left != NULL && strstr(left, "</html>") != NULL)
            written++;
        else
            good = false;
        good = good && entries_of(where) == (left == NULL ? 1 : 2);
        free(left);
    }
    print_message("%u times the page as before, %u times the new one\n", kept, written);
    return good && (status == 0 || written == ENOUGH) && kept > 0 && written > 1;
}

/* A command without a signal handler has written its whole file, or nothing. */
TEST(interrupt_leaves_no_partial_file)
{
    const char *where = in_folder("parts"), *run = in_folder("parts/run.json"),
               *page = in_folder("parts/page.html"), *const report[] = {SIMTCHECK, "report", run,
                                                                        "--html",  page,     NULL};
    int status;
    pid_t child;
    assert_int_equal(mkdir(where, 0777), 0);
    expect_run(0, "", "run --engine sim --kernel warpMap --block 1 --json %s", run);
    assert_true(leaves_all_or_nothing(report, where, page, false));
    assert_true(leaves_all_or_nothing(report, where, page, true));
    child = fork();
    if (child == 0)
        _exit(no_nameless_files() && leaves_all_or_nothing(report, where, page, false) &&
                      leaves_all_or_nothing(report, where, page, true)
                  ? 0
                  : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The new file has the old one's permissions, a link stays a link, and a name may be long. */
TEST(replaced_file_keeps_its_permissions_and_links)
{
    static const char run[] = "run --engine sim --kernel warpMap --block 1 --json %s";
    char name[NAME_MAX + 1];
    struct stat status;
    char *text;

    assert_int_equal(chmod(text_write(in_folder("private.json"), "{}"), 0600), 0);
    expect_run(0, "", run, in_folder("private.json"));
    assert_int_equal(stat(in_folder("private.json"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(symlink("target.json", in_folder("link.json")), 0);
    expect_run(0, "", run, in_folder("link.json"));
    text = text_read(in_folder("target.json"));
    free(text);
    assert_int_equal(chdir(folder), 0);
    memset(name, 'x', NAME_MAX);
    name[NAME_MAX] = '\0';
    expect_run(0, "", run, name);
    expect_run(0, "", run, name);
    assert_int_equal(chdir("/"), 0);
}

TEST(json_can_be_written_to_a_device)
{
    expect_run(0, "\"mismatches\": 0", "run --engine sim --block 1 --size 1 --json /dev/stdout");
}

/* In a file with both outputs, as in a CI log, the races precede the missing parts. */
TEST(errors_follow_earlier_output)
{
    struct ended ended = run_line("snapshot --part races --part code --ptxas /nonexistent "
                                  "--engine sim --kernel reduceInterleaved2 --out /dev/null");
    const char *message = strstr(ended.output, "simtcheck: the part code: /nonexistent is not");

    assert_non_null(message);
    assert_string_equal(strchr(message, '\n'), "\n");
    expect_ended(ended, 77, " 82         46 (2) right  race\n");
}

/* A missing engine gives 77, or 3 if an option or the environment requires it. */
TEST(missing_engine_is_not_a_pass)
{
    static const char stops[] = "cuda is not available|!conforms"; /* before any kernel runs */
    static const char plain[] = "run --engine cuda --block 1",
                      by_default[] = "run --block 1 --size 1";
    if (engine_is_available("cuda"))
        return; /* tests/property covers this */
    expect_run(77, "not available", plain);
    expect_run(3, "", "run --engine sim --require cuda --block 1");
    expect_run(3, stops, "%s --require cuda", by_default);
    expect_run(77, "",
               "replay "
               "2:cuda:reduceInterleaved:corrected:independent:sequential:7:13:ones:a7a057bf");
    setenv("SIMTCHECK_REQUIRE", "cuda", 1);
    expect_run(3, "", plain);
    expect_run(3, stops, by_default);
    setenv("SIMTCHECK_REQUIRE", "abacus", 1);
    expect_run(2, "", plain);
    unsetenv("SIMTCHECK_REQUIRE");
    expect_run(0, "cuda is not available", by_default);
}

static json_int_t seed_of(const char *line)
{
    json_t *report = report_line(0, "%s", line);
    json_int_t seed = json_integer_value(json_object_get(report, "seed"));

    json_decref(report);
    return seed;
}

TEST(seed_comes_from_the_environment_unless_it_is_given)
{
    static const char plain[] = "run --engine sim --kernel warpMap --block 8 --size 8",
                      own[] = "run --engine sim --kernel warpMap --block 8 --size 8 --seed 9";
    static const char *const draws[] = {
        plain,
        "races",
        "check a.cu a",
        "gate HEAD",
        "mutate a.cu a",
        "cross-check",
        "snapshot",
#if HAVE_TOOLS
        "compilers",
        "litmus",
#endif
    };

    setenv("SIMTCHECK_SEED", "7", 1);
    assert_int_equal(seed_of(plain), 7);
    assert_int_equal(seed_of(own), 9);
    setenv("SIMTCHECK_SEED", "random", 1);
    expect_run(0, "simtcheck: SIMTCHECK_SEED=| repeats this\n", "%s", plain);
    setenv("SIMTCHECK_SEED", "7x", 1);
    for (size_t k = 0; k < sizeof draws / sizeof *draws; k++)
        expect_run(2, "SIMTCHECK_SEED '7x' is not a whole number", "%s", draws[k]);
    expect_run(0, "", "list");
    unsetenv("SIMTCHECK_SEED");
}

/* A terminal shows progress, ten times a second. Other outputs get plain lines only. */
TEST(progress_is_shown_only_on_a_terminal)
{
    const char *const arguments[] = {SIMTCHECK,   "run",       "--engine", "sim",    "--block",
                                     "1-128",     "--kernel",  "*Less",    "--jobs", "1",
                                     "--variant", "corrected", NULL};
    struct ended on_terminal = program_on_terminal(arguments), plain = program_run(arguments);
    assert_null(strchr(plain.output, '\r'));
    expect_ended(on_terminal, 0, "of 6912 cases");
    free(plain.output);
}

/* A program without any engine next to it does not print "conforms". */
TEST(run_without_engines_is_not_a_pass)
{
    expect_run(0, "", "/bin/cp %s %s", SIMTCHECK, in_folder("simtcheck"));
    expect_run(77, "", "%s run --block 4", in_folder("simtcheck"));
}

/* A closed standard input or a full disk neither changes nor hides a verdict. */
TEST(unusual_file_descriptors_are_handled)
{
    static const char run[] = SIMTCHECK " run --engine sim --variant corrected --block 4";
    expect_run(0, "", "/bin/sh -c '%s <&-'", run);
    expect_run(3, "", "/bin/sh -c '%s >/dev/full'", run);
    expect_run(0, "", "/bin/sh -c 'SIMTCHECK_REQUIRE= %s list'", SIMTCHECK);
}

/* Some containers have no /proc. Only a namespace of its own can hide it. */
TEST(proc_is_not_needed)
{
#define HIDDEN "/usr/bin/env unshare -rm /bin/sh -c 'mount -t tmpfs none /proc && "
    struct ended ended = run_line(HIDDEN "true'");

    free(ended.output);
    if (ended.status != 0)
        skip();
    expect_run(0, "conforms",
               HIDDEN "exec %s run --engine sim --kernel warpMap --block 4 --variant corrected'",
               SIMTCHECK);
#undef HIDDEN
}

TEST(worker_rejects_being_started_by_hand)
{
    expect_run(2, "", "%s-worker-sim", SIMTCHECK);
}

TEST_MAIN("command line", folder_make, folder_remove)
