/* SPDX-License-Identifier: MIT */
#include "options.h"

#include "command.h"
#include "complain.h"
#include "option_rows.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HELP_COLUMN = 23, HELP_WORD = 20, FIRST_CODE = 256 };

/* Is the name among those of the list? */
static bool lists(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *found = list; (found = strstr(found, name)) != NULL; found += length)
        if ((found == list || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0'))
            return true;
    return false;
}

bool options_know(const struct command *const commands[])
{
    for (int r = 0; r < OPTION_ROWS; r++) {
        char name[32];
        int length;
        for (const char *rest = option_rows[r].commands; rest != NULL && *rest != '\0';
             rest += length) {
            bool known = false;
            if (sscanf(rest, "%31s%n", name, &length) != 1)
                break;
            for (size_t c = 0; commands[c] != NULL; c++)
                known = known || strcmp(commands[c]->name, name) == 0;
            if (!known)
                return false;
        }
    }
    return true;
}

/* ---- Help ---- */

/* Lines of text, each behind so many columns; the first where the cursor stands. */
static void print_lines(const char *text, int column)
{
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
        printf("%.*s\n%*s", (int)(end - text), text, column, "");
    printf("%s\n", text);
}

/* "--delay-seed S, --delay-density PERCENT": options that share a text stand together. */
static void print_option(int row)
{
    char names[128];
    size_t used = 0;
    int first = row;

    while (first > 0 && option_rows[first - 1].name != NULL && option_rows[first - 1].help == NULL)
        first--;
    for (int r = first; r <= row; r++)
        used += (size_t)snprintf(
            names + used, sizeof names - used, "%s--%s%s%s", r > first ? ", " : "",
            option_rows[r].name, option_rows[r].metavariable != NULL ? " " : "",
            option_rows[r].metavariable != NULL ? option_rows[r].metavariable : "");
    if (used > HELP_WORD)
        printf("  %s\n%*s", names, HELP_COLUMN, "");
    else
        printf("  %-*s ", HELP_WORD, names);
    print_lines(option_rows[row].help, HELP_COLUMN);
}

void options_help(const char *program, const struct command *const commands[])
{
    char word[64];

    printf("usage: %s ", program);
    for (size_t c = 0; commands[c] != NULL; c++)
        printf("%s%s%s%s", c > 0 ? " | " : "", commands[c]->name,
               commands[c]->arguments != NULL ? " " : "",
               commands[c]->arguments != NULL ? commands[c]->arguments : "");
    printf(
        " [OPTIONS]\n\nChecks CUDA kernels against a CPU oracle, on a GPU and on a host engine.\n"
        "\n");
    for (size_t c = 0; commands[c] != NULL; c++) {
        snprintf(word, sizeof word, "%s%s", commands[c]->name,
                 commands[c]->takes_token      ? " TOKEN"
                 : commands[c]->takes_flags    ? " FILE.cu LAUNCH"
                 : commands[c]->most_files > 0 ? " FILE..."
                 : commands[c]->takes_files    ? " OLD NEW"
                                               : "");
        printf("  %-*s ", HELP_WORD, word);
        print_lines(commands[c]->help, HELP_COLUMN);
    }
    for (int r = 0; r < OPTION_ROWS; r++) {
        if (option_rows[r].name == NULL)
            printf("\n%s\n", option_rows[r].help);
        else if (option_rows[r].help != NULL && option_rows[r].help[0] != '\0')
            print_option(r);
    }
    printf("\n"
           "SIMTCHECK_REQUIRE=E in the environment is --require E for the runs that use engine E.\n"
           "\n"
           "Exit status: 0 conforms, 1 does not, 2 bad usage, 3 internal or environment failure,\n"
           "77 the engine is not available here.\n");
}

/* ---- The command line ---- */

static void set_defaults(struct options *options)
{
    *options = (struct options){
        .selection = {.forms = {true, true},
                      .cases = {.models = {true, true}, .seed = 1, .level = 1}},
        .errors = 20,
        .runs = 20,
        .delays = 2,
        .allow_instructions = 2,
        .count = 2000,
        .deadline_seconds = 10,
    };
}

static void add_default_schedules(struct plan_request *cases)
{
    if (cases->schedule_count > 0)
        return;
    cases->schedules[0].kind = SCHEDULE_SEQUENTIAL;
    cases->schedules[1].kind = SCHEDULE_REVERSE;
    cases->schedules[2] = (struct schedule){SCHEDULE_RANDOM, cases->seed, {0}};
    cases->schedule_count = 3;
}

/* What getopt_long() is to know of that command's options. */
static void known_options(const struct command *command, struct option known[OPTION_ROWS + 1])
{
    size_t count = 0;

    for (int r = 0; r < OPTION_ROWS; r++)
        if (option_rows[r].name != NULL && lists(option_rows[r].commands, command->name))
            known[count++] = (struct option){option_rows[r].name,
                                             option_rows[r].metavariable != NULL ? required_argument
                                                                                 : no_argument,
                                             NULL, FIRST_CODE + r};
    known[count] = (struct option){0};
}

static bool add_flag(struct options *options, const char *flag)
{
    if (options->flag_count == sizeof options->flags / sizeof *options->flags)
        return complain("more than %zu flags of the compiler: give fewer", options->flag_count);
    options->flags[options->flag_count++] = flag;
    return true;
}

/* Words behind "--". */
static size_t words_behind_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return (size_t)(argc - i - 1);
    return 0;
}

static bool is_one_file(const char *path, const char *other)
{
    struct stat one, two;

    return path != NULL && stat(path, &one) == 0 && stat(other, &two) == 0 &&
           S_ISREG(one.st_mode) && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* From optind to before `end`. What is read is not to be written over. */
static bool take_files(int end, char **argv, struct options *options)
{
    const struct command *command = options->command;
    size_t most = command->most_files > 0 ? command->most_files : 2;

    options->files = (const char *const *)&argv[optind];
    options->file_count = optind < end ? (size_t)(end - optind) : 0;
    if (options->file_count < (command->most_files > 0 ? command->least_files : 2))
        return complain("%s takes %s", command->name, command->files);
    if (options->file_count > most)
        return complain("'%s' is too much: %s takes %s", options->files[most], command->name,
                        command->files);
    for (size_t f = 0; f < options->file_count; f++)
        if (is_one_file(options->json, options->files[f]) ||
            is_one_file(options->html, options->files[f]))
            return complain("'%s' is a file to read: name another one to write", options->files[f]);
    optind = end;
    return true;
}

/* Is it an option of some command? */
static bool is_known(const char *word)
{
    size_t length = strcspn(word, "=");

    for (size_t k = 0; k < OPTION_ROWS; k++)
        if (option_rows[k].name != NULL && strlen(option_rows[k].name) + 2 == length &&
            strncmp(option_rows[k].name, word + 2, length - 2) == 0)
            return true;
    return false;
}

static bool complain_of_option(const char *option, bool known, const char *command)
{
    return known ? complain("%s does not go with '%s': see --help", option, command)
                 : complain("'%s' is not an option: see --help", option);
}

static bool parse_command_options(int argc, char **argv, struct options *options)
{
    struct option known[OPTION_ROWS + 1];
    bool given[OPTION_ROWS] = {false};
    size_t flags = options->command->takes_flags ? words_behind_options(argc, argv) : 0;
    int code;

    options->given = calloc((size_t)argc, sizeof *options->given);
    if (options->given == NULL)
        return complain("out of memory");
    known_options(options->command, known);
    options->words = argv + 1;
    options->word_count = (size_t)argc - 1;
    optind = 0; /* and what getopt_long() has kept of another command line is forgotten */
    opterr = 0;
    while ((code = getopt_long(argc, argv, options->command->takes_flags ? ":hI:D:" : ":h", known,
                               NULL)) != -1) {
        if (code == ':')
            return complain("%s needs a value: see --help", argv[optind - 1]);
        if (code == 'h') {
            options->help = true;
            return true;
        }
        if (code == 'I' || code == 'D') {
            if (!add_flag(options, code == 'I' ? "-I" : "-D") || !add_flag(options, optarg))
                return false;
            continue;
        }
        if (code == '?' && optopt > 0 && optopt < FIRST_CODE)
            return complain_of_option((const char[]){'-', (char)optopt, '\0'},
                                      optopt == 'I' || optopt == 'D', argv[0]);
        if (code == '?')
            return complain_of_option(argv[optind - 1], is_known(argv[optind - 1]), argv[0]);
        if (given[code - FIRST_CODE] && !option_is_repeatable(&option_rows[code - FIRST_CODE]))
            return complain("--%s is given twice: give it once",
                            option_rows[code - FIRST_CODE].name);
        given[code - FIRST_CODE] = true;
        options->given[options->given_count++] =
            (struct given_option){option_rows[code - FIRST_CODE].name, optarg};
        if (!option_rows[code - FIRST_CODE].parse(options, &option_rows[code - FIRST_CODE], optarg))
            return false;
    }
    if (options->command->takes_token) {
        if (optind + 1 != argc)
            return complain("%s takes one token, as a report printed it", options->command->name);
        options->token = argv[optind++];
    }
    if (options->command->takes_files && !take_files(argc - (int)flags, argv, options))
        return false;
    for (; options->command->takes_flags && optind < argc; optind++)
        if (!add_flag(options, argv[optind]))
            return false;
    return optind == argc || complain("'%s' is not an option: see --help", argv[optind]);
}

static bool is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool has_word(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

/* "list, run ... or delays". */
static const char *command_names(const struct command *const commands[])
{
    static char names[256];
    size_t used = 0;

    for (size_t c = 0; commands[c] != NULL; c++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 c == 0                    ? ""
                                 : commands[c + 1] == NULL ? " or "
                                                           : ", ",
                                 commands[c]->name);
    return names;
}

bool options_parse(int argc, char **argv, const struct command *const commands[],
                   struct options *options)
{
    const char *require = getenv("SIMTCHECK_REQUIRE");

    set_defaults(options);
    if (require != NULL && require[0] != '\0' &&
        !option_find_engine("SIMTCHECK_REQUIRE", require, &options->require))
        return false;
    if (argc < 2)
        return complain("a command is missing: %s; see --help", command_names(commands));
    options->version = strcmp(argv[1], "--version") == 0;
    for (size_t c = 0; commands[c] != NULL && options->command == NULL; c++)
        if (strcmp(argv[1], commands[c]->name) == 0)
            options->command = commands[c];
    if (options->command != NULL && options->command->deadline_seconds > 0)
        options->deadline_seconds = options->command->deadline_seconds;
    options->help = is_help(argv[1]) || ((options->version || options->command != NULL) &&
                                         has_word(argc, argv, "--help"));
    if (options->help || options->version)
        return true;
    if (options->command == NULL)
        return complain("'%s' is not a command: %s; see --help", argv[1], command_names(commands));
    if (!parse_command_options(argc - 1, argv + 1, options))
        return false;
    add_default_schedules(&options->selection.cases);
    return true;
}

void options_free(struct options *options)
{
    free(options->blocks);
    free(options->sizes);
    free(options->given);
    options->given = NULL;
    options->blocks = NULL;
    options->sizes = NULL;
}
