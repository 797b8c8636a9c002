/* SPDX-License-Identifier: MIT */
#include "main.h"

#include "command.h"
#include "error_report.h"
#include "merge.h"

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

/* Repairs what the program may have inherited. It opens closed standard streams, because a pipe to
 * a worker would get their numbers. It restores SIGCHLD so that the exit status of children is
 * available. It ignores SIGPIPE and SIGXFSZ so that failed writes return errors. */
static void settle_in(void)
{
    while (fcntl(STDIN_FILENO, F_GETFD) < 0 || fcntl(STDOUT_FILENO, F_GETFD) < 0 ||
           fcntl(STDERR_FILENO, F_GETFD) < 0)
        if (open("/dev/null", O_RDONLY) < 0) /* read-only, so that writes fail */
            break;
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* Ensures a stack of 128 KiB, because a stack overflow would end the program without a message. The
 * largest frames have 70 KiB. Returns false after an error message. */
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

/* ---- Help ---- */

enum { HELP_COLUMN = 26, HELP_WORD = 23 };

/* Prints a line for each command. */
static void print_help(void)
{
    printf("usage: simtcheck COMMAND [OPTIONS]\n\n"
           "Checks CUDA kernels: on a GPU, and simulated on the CPU.\n\n");
    for (size_t c = 0; all_commands[c] != NULL; c++)
        printf("  %-10s %s\n", all_commands[c]->name, all_commands[c]->summary);
    printf("\n'simtcheck COMMAND --help' shows the options of a command.\n"
           "Exit status: 0 conforms, 1 does not, 2 bad usage, 3 internal or environment\n"
           "failure, 77 the engine is not available here.\n");
}

/* Prints lines, indented to `column`. The first one starts at the cursor. */
static void print_lines(const char *text, int column)
{
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
        printf("%.*s\n%*s", (int)(end - text), text, column, "");
    printf("%s", text);
}

static void print_option(const struct option_row *row)
{
    char name[64];

    snprintf(name, sizeof name, "--%s%s%s", row->name, row->argument != NULL ? " " : "",
             row->argument != NULL ? row->argument : "");
    if (strlen(name) > HELP_WORD)
        printf("  %s\n%*s", name, HELP_COLUMN, "");
    else
        printf("  %-*s ", HELP_WORD, name);
    print_lines(row->help, HELP_COLUMN);
    if (row->initial != NULL)
        printf(" (default %s)", row->initial);
    putchar('\n');
}

static bool has_option(const struct command *command, const char *name)
{
    for (const struct option_part *part = command->parts; part->rows != NULL; part++)
        for (const struct option_row *row = part->rows; row->name != NULL; row++)
            if (option_part_has(part, row) && strcmp(row->name, name) == 0)
                return true;
    return false;
}

/* Prints what a command does, and its options. */
static void print_command(const struct command *command)
{
    printf("usage: simtcheck %s%s%s [OPTIONS]%s\n\n%s\n", command->name,
           command->arguments != NULL ? " " : "",
           command->arguments != NULL ? command->arguments : "",
           command->takes_flags ? " [-- FLAGS of nvcc]" : "", command->summary);
    if (command->help != NULL)
        printf("%s\n", command->help);
    putchar('\n');
    for (const struct option_part *part = command->parts; part->rows != NULL; part++)
        for (const struct option_row *row = part->rows; row->name != NULL; row++)
            if (option_part_has(part, row))
                print_option(row);
    if (has_option(command, "require"))
        printf("\nSIMTCHECK_REQUIRE=E in the environment is --require E for the runs that use "
               "engine E.\n");
}

/* ---- The command ---- */

/* Checks that the work can be done in shards, if --shard is given. Returns false after an error
 * message. */
static bool shard_fits(const struct command_line *line)
{
    const struct common_options *common = line->options;
    struct shard_work work = {.count = 0};

    if (common->shard.count == 0)
        return true;
    if (common->output == NULL)
        return error_report("--shard needs --json FILE, which merge takes");
    line->command->shard_work(common, &work);
    return work.selection.cases.level != 3 ||
           error_report("--level 3 runs until it is stopped: a shard takes 1 or 2");
}

/* Runs the command and ends its session. Returns the exit status. */
static int run_command_line(const struct command_line *line, const struct catalogue *catalogue)
{
    struct session session = common_session(line, catalogue);
    int status = shard_fits(line) ? line->command->run(line, &session) : EXIT_USAGE;

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
        print_command(line.command);
    else if (line.help)
        print_help();
    else
        status = run_command_line(&line, catalogue);
    if (!is_printed() && status != EXIT_USAGE)
        status = session_worse(status, EXIT_ENVIRONMENT);
    command_line_free(&line);
    return status;
}
