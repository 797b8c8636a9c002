/* SPDX-License-Identifier: MIT
 *
 * Programs that simtcheck starts: what limits them, and that they leave nothing behind.
 */
#include "check.h"

#include "clock.h"
#include "interrupt.h"
#include "tool.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Far more than a tool of these tests needs, and far less than the sleep of one that must not be
 * waited for. */
static const double SOON = 30;

static int shell(const char *command, char *said, size_t size)
{
    return tool_run((const char *const[]){"bash", "-c", command, NULL}, said, size);
}

static void expect_shell(const char *command, int status, const char *says)
{
    char said[1024];
    double start = clock_seconds();
    int ended = shell(command, said, sizeof said);

    if (ended != status || strcmp(said, says) != 0)
        fail_msg("%s: exit status %d, not %d: '%s', not '%s'", command, ended, status, said, says);
    assert_true(clock_seconds() - start < SOON);
}

TEST(status_and_output_are_returned)
{
    char said[8];

    expect_shell("echo one; echo two >&2; exit 5", 5, "one\ntwo\n");
    expect_shell("kill -KILL $$", 128 + SIGKILL, "ended by a signal: Killed\n");
    expect_shell("printf x; kill -SEGV $$", 128 + SIGSEGV,
                 "x\nended by a signal: Segmentation fault\n");
    expect_shell("exec >&- 2>&-; sleep 0.1; exit 3", 3, "");
    assert_int_equal(shell("head -c 300000 /dev/zero | tr '\\0' x", said, sizeof said), 0);
    assert_string_equal(said, "xxxxxxx");
    assert_int_equal(tool_run((const char *const[]){"/nowhere", NULL}, said, sizeof said), 127);
    assert_string_equal(said, "cannot ");
}

TEST(version_is_asked_for_again_when_the_program_has_changed)
{
    char path[] = "/tmp/simtcheck-version-XXXXXX", edit[256], said[64], again[64];
    int file = mkstemp(path);

    assert_true(file >= 0 && close(file) == 0);
    for (int version = 1; version < 4; version++) {
        bool fails = version == 3; /* an error is not kept */
        snprintf(edit, sizeof edit,
                 "printf '#!/bin/sh\\n[ $1 = --version ] && echo %d $$; exit %d' > %s.new; "
                 "chmod +x %s.new; mv %s.new %s",
                 version, fails, path, path, path, path);
        expect_shell(edit, 0, "");
        assert_int_equal(tool_version(path, said, sizeof said), fails);
        assert_int_equal(said[0], '0' + version);
        assert_int_equal(tool_version(path, again, sizeof again), fails);
        assert_int_equal(strcmp(said, again) != 0, fails); /* the process that answered */
    }
    remove(path);
    assert_int_equal(tool_version(path, said, sizeof said), 127);
}

/* Waits until the process has ended. It may stay a zombie where nobody reaps orphans. */
static void expect_end(pid_t pid)
{
    char command[128];

    snprintf(command, sizeof command, "grep -q '^State:.[^Z]' /proc/%d/status 2>/dev/null",
             (int)pid);
    for (double start = clock_seconds(); system(command) == 0; usleep(1000))
        assert_true(clock_seconds() - start < SOON);
}

/* Runs a command that prints the ID of a process that it leaves behind. Returns the ID. */
static pid_t leave_behind(const char *command)
{
    double start = clock_seconds();
    char said[64];

    assert_int_equal(shell(command, said, sizeof said), 0);
    assert_true(clock_seconds() - start < SOON);
    return atoi(said);
}

/* A compiler wrapper may start a daemon that keeps the output open. */
TEST(daemon_of_a_tool_is_not_waited_for)
{
    pid_t daemon = leave_behind("setsid sleep 90 & echo $!");

    assert_true(daemon > 0);
    assert_int_equal(kill(daemon, SIGKILL), 0);
    expect_end(leave_behind("sleep 90 & echo $!"));
}

TEST(tool_stops_at_the_time_limit)
{
    setenv("SIMTCHECK_TOOL_SECONDS", "0.2", 1);
    expect_shell("echo begun; sleep 90 & wait", 128 + SIGKILL,
                 "begun\nstopped at the time limit of 0.2 s (SIMTCHECK_TOOL_SECONDS)\n");
    expect_shell("exec >&- 2>&-; sleep 90", 128 + SIGKILL,
                 "stopped at the time limit of 0.2 s (SIMTCHECK_TOOL_SECONDS)\n");
    unsetenv("SIMTCHECK_TOOL_SECONDS");
}

TEST(tool_writes_no_core_and_has_limited_memory)
{
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    char said[64];

    if (setrlimit(RLIMIT_CORE, &none) != 0 || setrlimit(RLIMIT_DATA, &none) != 0)
        skip();
    expect_shell("ulimit -c; ulimit -d | sed s/[0-9][0-9]*/number/", 0, "0\nnumber\n");
    assert_int_equal(tool_run_unlimited((const char *const[]){"bash", "-c", "ulimit -d", NULL},
                                        said, sizeof said),
                     0);
    assert_string_equal(said, "unlimited\n");
}

/* Messages are searched for "error: ", and git must look only at the folder that it is given. */
TEST(tool_sees_english_and_no_variables_of_a_hook)
{
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    setenv("GIT_DIR", "elsewhere", 1);
    setenv("GIT_WORK_TREE", "elsewhere", 1);
    setenv("GIT_INDEX_FILE", "elsewhere", 1);
    expect_shell("echo $LC_ALL$GIT_DIR$GIT_WORK_TREE$GIT_INDEX_FILE", 0, "C\n");
    unsetenv("LC_ALL");
}

TEST(folder_for_temporary_files_is_a_whole_path)
{
    const char *before = getenv("TMPDIR");
    char kept[256], found[TOOL_FOLDER];

    snprintf(kept, sizeof kept, "%s", before != NULL ? before : "");
    assert_int_equal(chdir("/"), 0);
    setenv("TMPDIR", "tmp", 1);
    assert_true(tool_make_folder("test", found));
    assert_memory_equal(found, "/", 1);
    assert_true(tool_remove_folder(found));
    expect_shell("case $TMPDIR in /*) ;; *) echo $TMPDIR ;; esac", 0, "");
    setenv("TMPDIR", kept, 1);
}

TEST(blocked_signals_are_not_inherited)
{
    sigset_t all, before;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    expect_shell("grep SigBlk /proc/self/status", 0, "SigBlk:\t0000000000000000\n");
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Waits for the first number in a file. */
static pid_t read_number(const char *path)
{
    for (double start = clock_seconds(); clock_seconds() - start < SOON; usleep(1000)) {
        FILE *from = fopen(path, "r");
        int number = 0;
        if (from == NULL)
            continue;
        if (fscanf(from, "%d.", &number) != 1 || fgetc(from) != '\n')
            number = 0;
        fclose(from);
        if (number > 0)
            return number;
    }
    fail_msg("%s has no number", path);
    return 0;
}

TEST(tool_and_its_children_die_with_the_program)
{
    const char *path = in_folder("pid");
    char command[512], said[64];
    pid_t program = fork(), tool;

    if (program == 0) {
        snprintf(command, sizeof command, "sleep 90 & echo $!. > %s; wait", path);
        shell(command, said, sizeof said);
        _exit(0);
    }
    tool = read_number(path);
    kill(program, SIGKILL);
    assert_int_equal(waitpid(program, NULL, 0), program);
    expect_end(tool);
}

/* The last test, because an interrupt lasts. */
TEST(tool_stops_after_an_interrupt)
{
    interrupt_catch();
    raise(SIGTERM);
    expect_shell("sleep 90", 128 + SIGKILL, "");
}

TEST_MAIN("tool", folder_make, folder_remove)
