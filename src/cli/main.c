/* SPDX-License-Identifier: MIT */
#include "main.h"

#include "command.h"
#include "error_report.h"
#include "help.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern const struct command list_command, run_command, replay_command, bisect_command,
    counters_command, cross_check_command, races_command, stress_command, compilers_command,
    snapshot_command, compare_command, check_command, gate_command, mutate_command, report_command,
    merge_command;

const struct command *const all_commands[] = {
    &list_command,        &run_command,   &replay_command, &bisect_command,    &counters_command,
    &cross_check_command, &races_command, &stress_command, &compilers_command, &snapshot_command,
    &compare_command,     &check_command, &gate_command,   &mutate_command,    &report_command,
    &merge_command,       NULL,
};

/* Whoever starts this program may have closed its streams, whose numbers a pipe to a worker would
 * then take, or told the system to forget how children end. Files and pipes that are full, or that
 * nobody reads, are errors to be told. */
static void settle_in(void)
{
    while (fcntl(STDIN_FILENO, F_GETFD) < 0 || fcntl(STDOUT_FILENO, F_GETFD) < 0 ||
           fcntl(STDERR_FILENO, F_GETFD) < 0)
        if (open("/dev/null", O_RDONLY) < 0) /* nothing can be written to it */
            break;
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* A stack that is too small would end the program without a word; the largest frames have 70 KiB.
 */
static bool has_stack(void)
{
    enum { MIN_KIB = 128 };
    const rlim_t least = (rlim_t)MIN_KIB << 10;
    struct rlimit stack;

    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= least)
        return true;
    stack.rlim_cur = least;
    return (stack.rlim_max >= least && setrlimit(RLIMIT_STACK, &stack) == 0) ||
           error_report("a stack of %llu KiB is too small: 'ulimit -s %d' is enough",
                        (unsigned long long)stack.rlim_max >> 10, MIN_KIB);
}

/* Has all that was printed arrived? */
static bool is_printed(void)
{
    bool good = fflush(stdout) == 0;

    if (good && ferror(stdout))
        errno = EIO;
    good = good && !ferror(stdout);
    return good || error_report("cannot write to standard output: %s", strerror(errno));
}

/* Does each kernel file mark the known defects that its rows name? */
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

/* Runs the command and ends its session. */
static int run_command_line(const struct command_line *line, const struct catalogue *catalogue)
{
    struct session session = common_session(line, catalogue);
    int status = line->command->run(line, &session);

    if (!session_end(&session, status) && status != EXIT_USAGE)
        status = EXIT_ENVIRONMENT;
    return status;
}

int suite_main(int argc, char **argv, const struct catalogue *catalogue)
{
    struct command_line line;
    int status = EXIT_CONFORMS;

    settle_in();
    if (!has_stack() || !has_markers(catalogue))
        return EXIT_ENVIRONMENT;
    if (!command_line_parse(argc, argv, all_commands, &line))
        status = EXIT_USAGE;
    else if (line.version)
        puts("simtcheck " SIMTCHECK_VERSION);
    else if (line.help && line.command != NULL)
        help_print_command(line.command);
    else if (line.help)
        help_print(all_commands);
    else
        status = run_command_line(&line, catalogue);
    if (!is_printed() && status != EXIT_USAGE)
        status = session_worse(status, EXIT_ENVIRONMENT);
    command_line_free(&line);
    return status;
}
