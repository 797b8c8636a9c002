/* SPDX-License-Identifier: MIT */
#include "main.h"

#include "command.h"
#include "error_report.h"
#include "help.h"
#include "printable.h"
#include "wing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern const struct command list_command, run_command, replay_command, counters_command,
    cross_check_command, races_command, snapshot_command, compare_command, check_command,
    init_command, gate_command, mutate_command, report_command, merge_command, capabilities_command,
    capture_command, exec_command, package_command;

static const struct command *const core_commands[] = {
    /* For kernels of a user, then for the catalogue, and for results. */
    &check_command,
    &init_command,
    &gate_command,
    &mutate_command,
    &capture_command,
    &exec_command,
    &list_command,
    &run_command,
    &replay_command,
    &races_command,
    &counters_command,
    &cross_check_command,
    &snapshot_command,
    &compare_command,
    &report_command,
    &merge_command,
    &package_command,
    &capabilities_command,
    NULL,
};

enum { MAX_COMMANDS = 64 };

static size_t add_commands(const struct command *const *from, const struct command **all,
                           size_t count)
{
    for (; from != NULL && *from != NULL && count < MAX_COMMANDS; from++)
        all[count++] = *from;
    if (from != NULL && *from != NULL)
        abort(); /* raise MAX_COMMANDS */
    return count;
}

const struct command *const *all_commands(void)
{
    static const struct command *all[MAX_COMMANDS + 1];
    size_t count = add_commands(core_commands, all, 0);

    for (const struct wing *const *wing = wings; *wing != NULL; wing++)
        count = add_commands((*wing)->commands, all, count);
    return all;
}

/* Repairs what the program may have inherited. It opens closed standard streams, because a pipe to
 * a worker would get their numbers. It restores SIGCHLD so that the exit status of children is
 * available, and blocks no signal. It ignores SIGPIPE and SIGXFSZ so that failed writes return
 * errors. Texts of others cannot change the terminal. */
static void settle_in(void)
{
    sigset_t none;

    while (fcntl(STDIN_FILENO, F_GETFD) < 0 || fcntl(STDOUT_FILENO, F_GETFD) < 0 ||
           fcntl(STDERR_FILENO, F_GETFD) < 0)
        if (open("/dev/null", O_RDONLY) < 0) /* read-only, so that writes fail */
            break;
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    printable_output();
}

/* Ensures a stack of 1 MiB, because a stack overflow would end the program without a message. The
 * largest frame has 290 KiB, and others have 60 to 80 KiB. Returns false after an error message. */
static bool has_stack(void)
{
    enum { MIN_KIB = 1024 };
    const rlim_t least = (rlim_t)MIN_KIB << 10;
    struct rlimit stack;

    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= least)
        return true;
    stack.rlim_cur = least;
    return (stack.rlim_max >= least && setrlimit(RLIMIT_STACK, &stack) == 0) ||
           error_report("the stack limit of %llu KiB is too small: raise it with 'ulimit -s %d'",
                        (unsigned long long)stack.rlim_max >> 10, MIN_KIB);
}

/* Checks that all output was written. Returns false after an error message. */
static bool is_printed(void)
{
    bool good = fflush(stdout) == 0;

    if (good && ferror(stdout))
        errno = EIO;
    good = good && !ferror(stdout);
    return good || error_report("cannot write to standard output: %s", strerror(errno));
}

/* Checks that each kernel file marks the known defects that its rows name. Returns false after an
 * error message. */
static bool has_markers(const struct catalogue *catalogue)
{
    for (size_t v = 0; v < catalogue->count; v++) {
        const struct variant *variant = &catalogue->variants[v];

        if (!variant_marks_known_defect(variant))
            return error_report(
                "%s.cu: no region is marked as the known defect of %s %s ('%s'): add "
                "/* defect: NAME */",
                variant->family, variant->id, variant_kind_name(variant->kind),
                variant->known_defect->text);
    }
    return true;
}

/* ---- The command ---- */

/* Checks that the work can be done in shards, if --shard is given. Returns false after an error
 * message. */
static bool shard_fits(const struct command_line *line)
{
    const struct common_options *common = line->common;

    if (common->shard.count == 0)
        return true;
    if (common->output == NULL)
        return error_report("--shard needs --json FILE: merge reads the results from it");
    if (common->expect != NULL)
        return error_report("--expect does not work with --shard: no verdict is complete before "
                            "`merge`");
    return command_line_selection(line)->cases.level != 3 ||
           error_report("--shard cannot run --level 3, which has no end: give --level 1 or 2");
}

/* Reads the file of --expect, if there is one. Returns false after an error message. */
static bool read_expectations(const struct command_line *line, struct sinks *sinks,
                              struct expectations *expectations)
{
    const struct common_options *common = line->common;
    char error[1024];

    if (common->expect == NULL)
        return true;
    sinks->expectations = expectations;
    return expectations_read(common->expect, expectations, error, sizeof error) ||
           error_report("%s", error);
}

/* Returns the exit status of a command whose output is not complete. A verdict was too good. */
static int lose(const struct command_line *line, struct findings *findings, int status)
{
    if (status == EXIT_USAGE)
        return status;
    if (line->command->judges && !findings->has_printed[EXIT_ENVIRONMENT])
        findings_print_verdict(findings, line->command->name, EXIT_ENVIRONMENT, false, "");
    return EXIT_ENVIRONMENT;
}

/* Prints the last verdict and then writes the files, which say the same. The exit status of a
 * program is no verdict. Returns the exit status. */
static int conclude(const struct command_line *line, const struct session *session, int status)
{
    struct findings *findings = &session->sinks->findings;

    findings_print_sum(findings);
    if (line->command->judges && !(line->command->takes_program ? findings_has_verdict(findings)
                                                                : findings->has_printed[status]))
        findings_print_verdict(findings, line->command->name, status, false, "");
    if (!is_printed())
        status = lose(line, findings, status);
    while (!session_end(session, status))
        status = lose(line, findings, status);
    return status;
}

/* Runs the command and ends its session. Returns the exit status. */
static int run_command_line(const struct command_line *line, const struct catalogue *catalogue)
{
    struct kept_engine engines[ENGINES] = {{.is_wanted = false}};
    struct sinks sinks;
    struct expectations expectations = {.path = NULL};
    const struct session session = common_session(line, catalogue, engines, &sinks);
    int status = findings_start(&sinks.findings);

    if (status == EXIT_CONFORMS)
        status = shard_fits(line) && read_expectations(line, &sinks, &expectations)
                     ? line->command->run(line, &session)
                     : EXIT_USAGE;
    if (sinks.is_partial && (status == EXIT_CONFORMS || status == EXIT_UNAVAILABLE))
        status = EXIT_ENVIRONMENT; /* what is unsupported was not checked */
    if (sinks.expectations != NULL && status != EXIT_USAGE)
        expectations_print(sinks.expectations, sinks.findings.to);
    status = conclude(line, &session, status);
    if (sinks.expectations != NULL)
        expectations_free(sinks.expectations);
    return status;
}

int suite_main(int argc, char **argv, const struct catalogue *catalogue,
               const struct wing *const *own_wings)
{
    struct command_line line;
    int status = EXIT_CONFORMS;

    wings_use(own_wings);
    settle_in();
    if (!has_stack() || !has_markers(catalogue))
        return EXIT_ENVIRONMENT;
    if (!command_line_parse(argc, argv, all_commands(), &line)) {
        status = EXIT_USAGE;
        if (line.command != NULL && line.command->judges)
            findings_print_verdict(
                &(struct findings){.to = line.command->takes_program ? stderr : stdout},
                line.command->name, status, false, "");
    } else if (line.version)
        puts("simtcheck " SIMTCHECK_VERSION);
    else if (line.help && line.command != NULL)
        help_print_command(line.command);
    else if (line.help)
        help_print(all_commands());
    else
        status = run_command_line(&line, catalogue);
    if ((line.version || line.help) && !is_printed())
        status = EXIT_ENVIRONMENT;
    command_line_free(&line);
    return status;
}
