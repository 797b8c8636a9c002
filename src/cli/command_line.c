/* SPDX-License-Identifier: MIT */
#include "command_line.h"

#include "atomic_file.h"
#include "command.h"
#include "error_report.h"
#include "near_name.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

enum { MAX_OPTIONS = 40, FIRST_CODE = 256 };

/* Returns whether the list contains the name. Names are separated by spaces. */
static bool lists(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *found = list; (found = strstr(found, name)) != NULL; found += length)
        if ((found == list || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0'))
            return true;
    return false;
}

bool option_part_has(const struct option_part *part, const struct option_row *row)
{
    return part->names == NULL || lists(part->names, row->name);
}

const char *option_part_default(const struct option_part *part, const struct option_row *row)
{
    for (size_t k = 0; part->defaults != NULL && part->defaults[k][0] != NULL; k++)
        if (strcmp(part->defaults[k][0], row->name) == 0)
            return part->defaults[k][1];
    return row->usual != NULL ? row->usual : row->initial;
}

bool option_next(const struct option_part *parts, const struct option_part **part,
                 const struct option_row **row)
{
    *row = *part != NULL ? *row + 1 : parts->rows;
    *part = *part != NULL ? *part : parts;
    for (; (*part)->rows != NULL; *row = (++*part)->rows)
        for (; (*row)->name != NULL; ++*row)
            if (option_part_has(*part, *row))
                return true;
    return false;
}

/* Returns where the value of an option is. */
static void *value_of(const struct command_line *line, const struct option_part *part,
                      const struct option_row *row)
{
    return (char *)line->common + part->offset + row->offset;
}

/* ---- Parsing ---- */

static bool add_flag(struct command_line *line, const char *flag)
{
    if (line->flag_count == MAX_FLAGS)
        return error_report("more than %d words after '--': give fewer", MAX_FLAGS);
    line->flags[line->flag_count++] = flag;
    return true;
}

/* Returns how many words follow "--". */
static size_t words_after_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return (size_t)(argc - i - 1);
    return 0;
}

/* Options whose value is a file to read. */
static const char inputs[] = "oracle against expect";

static bool is_one_file(const char *path, const char *other)
{
    struct stat one, two;

    return path != NULL && stat(path, &one) == 0 && stat(other, &two) == 0 &&
           S_ISREG(one.st_mode) && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* Checks that a read of an input ends. Other checks have messages for a folder or a missing file.
 * Returns false after an error message. */
static bool is_no_pipe(const char *path)
{
    struct stat status;

    return stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ||
           error_report("cannot read '%s': it is not a regular file: copy what it has to one",
                        path);
}

/* Checks that no result replaces an input: a word, or a file of an option. Returns false after an
 * error message. */
static bool keeps_inputs(const struct command_line *line)
{
    for (size_t o = 0; o < line->given_count; o++) {
        const char *path = line->given[o].word, *input = NULL;
        if (!lists("out json junit sarif coverage html", line->given[o].row->name))
            continue;
        for (size_t w = 0; w < line->word_count; w++)
            input = is_one_file(path, line->words[w]) ? line->words[w] : input;
        for (size_t g = 0; g < line->given_count; g++)
            if (lists(inputs, line->given[g].row->name) && is_one_file(path, line->given[g].word))
                input = line->given[g].word;
        if (input != NULL)
            return error_report("'%s' is an input file: write the results to another file", input);
    }
    return true;
}

/* Checks the words that are not options. `after`: how many were after "--". Returns false after an
 * error message. */
static bool words_fit(const struct command_line *line, size_t after)
{
    const struct command *command = line->command;

    if (command->words == NULL && line->word_count > 0)
        return error_report("unexpected argument '%s': %s takes only options", line->words[0],
                            command->name);
    if (command->takes_program && line->word_count > after)
        return error_report("unexpected argument '%s': give the program after '--'",
                            line->words[0]);
    if (line->word_count < command->least_words)
        return error_report("%s takes %s", command->name, command->words);
    if (line->word_count > command->most_words)
        return error_report("unexpected argument '%s': %s takes %s",
                            line->words[command->most_words], command->name, command->words);
    for (size_t w = 0; w < line->word_count && !command->takes_program; w++)
        if (!is_no_pipe(line->words[w]))
            return false;
    return keeps_inputs(line);
}

static bool error_report_option(const struct command_line *line, const char *option)
{
    char word[NEAR_NAME] = "";
    struct near_name near = {.word = word, .lead = "--"};
    const struct option_part *part = NULL;
    const struct option_row *row = NULL;

    if (strncmp(option, "--", 2) == 0)
        snprintf(word, sizeof word, "%.*s", (int)strcspn(option + 2, "="), option + 2);
    while (option_next(line->command->parts, &part, &row))
        near_name_offer(&near, row->name);
    return error_report("'%s' is not an option of '%s'%s%s '%s %s --help'", option,
                        line->command->name, near.text, near.text[0] != '\0' ? " See" : ": see",
                        program_invocation_short_name, line->command->name);
}

/* Takes an option that the command has. Returns false after an error message. */
static bool take_option(struct command_line *line, const char *name, const char *word)
{
    const struct option_part *part = NULL;
    const struct option_row *row = NULL;

    while (option_next(line->command->parts, &part, &row) && strcmp(row->name, name) != 0)
        ;
    for (size_t g = 0; !row->type->is_repeatable && g < line->given_count; g++)
        if (line->given[g].row == row)
            return error_report("--%s is given twice: give it once", name);
    line->given[line->given_count++] = (struct given_option){row, word};
    if (lists(inputs, name) && !is_no_pipe(word))
        return false;
    return row->type->parse(value_of(line, part, row), row, word);
}

/* Takes the short form of an option. Returns false after an error message. */
static bool take_letter(struct command_line *line, char letter)
{
    const char *name = letter == 'v' ? "verbose" : "quiet";
    const struct option_part *part = NULL;
    const struct option_row *row = NULL;

    while (option_next(line->command->parts, &part, &row))
        if (strcmp(row->name, name) == 0)
            return take_option(line, name, NULL);
    return error_report_option(line, (const char[]){'-', letter, '\0'});
}

/* Takes an option that getopt_long() found, unless it is an abbreviation, which would mean
 * something else with a later version. Returns false after an error message. */
static bool take_code(int code, char **argv, struct command_line *line, const struct option *known)
{
    const char *word = argv[optind - (optarg != NULL && optarg == argv[optind - 1] ? 2 : 1)];
    int found = code == ':' || code == '?' ? optopt : code;

    if (found >= FIRST_CODE && strlen(known[found - FIRST_CODE].name) != strcspn(word + 2, "="))
        return error_report_option(line, word);
    if (code == ':')
        return error_report("%s needs a value: see '%s %s --help'", word,
                            program_invocation_short_name, line->command->name);
    if (found >= FIRST_CODE && code == '?')
        return error_report("--%s takes no value", known[found - FIRST_CODE].name);
    if (code == 'I' || code == 'D')
        return add_flag(line, code == 'I' ? "-I" : "-D") && add_flag(line, optarg);
    if (code == '?' && optopt > 0 && optopt < FIRST_CODE)
        return error_report_option(line, (const char[]){'-', (char)optopt, '\0'});
    if (code == '?')
        return error_report_option(line, word);
    if (code < FIRST_CODE)
        return take_letter(line, (char)code);
    return take_option(line, known[code - FIRST_CODE].name, optarg);
}

/* Reads options, and flags after "--". Adds them to those of `whole`, unless it is null. Returns
 * false after an error message. */
static bool parse_options(int argc, char **argv, const struct command_line *whole,
                          struct command_line *line)
{
    const char *letters = line->command->takes_flags ? ":hvqI:D:" : ":hvq";
    size_t after = words_after_options(argc, argv), flags = line->command->takes_flags ? after : 0;
    struct option known[MAX_OPTIONS + 1] = {{NULL, 0, NULL, 0}};
    const struct option_part *part = NULL;
    const struct option_row *row = NULL;
    int code;

    for (int k = 0; k < MAX_OPTIONS && option_next(line->command->parts, &part, &row); k++)
        known[k] =
            (struct option){row->name, row->argument != NULL ? required_argument : no_argument,
                            NULL, FIRST_CODE + k};
    for (size_t g = 0; whole != NULL && g < whole->given_count; g++)
        if (!take_option(line, whole->given[g].row->name, whole->given[g].word))
            return false;
    optind = 0; /* resets getopt_long() after another command line */
    opterr = 0;
    while ((code = getopt_long(argc, argv, letters, known, NULL)) != -1) {
        line->help = line->help || code == 'h';
        if (line->help)
            return true;
        if (!take_code(code, argv, line, known))
            return false;
    }
    line->words = (const char *const *)&argv[optind];
    line->word_count = optind < argc - (int)flags ? (size_t)(argc - (int)flags - optind) : 0;
    for (int k = argc - (int)flags; k < argc; k++)
        if (!add_flag(line, argv[k]))
            return false;
    return true;
}

/* ---- Results of an earlier run ---- */

static bool write_nothing(const void *what, FILE *stream)
{
    (void)what;
    (void)stream;
    return true;
}

/* Empties the file if it has results, and if no other word of the command line names it. */
static void empty(const struct command_line *line, const char *path)
{
    FILE *from;
    int first;

    for (size_t k = 0; k < line->all_count; k++)
        if (line->all[k] != path && is_one_file(path, line->all[k]))
            return;
    if (!is_one_file(path, path) || file_stays_in_place(path) || (from = fopen(path, "r")) == NULL)
        return;
    first = fgetc(from);
    fclose(from);
    if (first == '{' || first == '[' || first == '<')
        file_replace(write_nothing, NULL, path);
}

/* Empties the files that the options for results name. */
static void empty_results(const struct command_line *line)
{
    const struct option_part *part = NULL;
    const struct option_row *row = NULL;

    while (option_next(line->command->parts, &part, &row)) {
        size_t length = strlen(row->name);
        if (row->argument == NULL || !lists("json junit sarif", row->name))
            continue;
        for (size_t k = 0; k < line->all_count && strcmp(line->all[k], "--") != 0; k++) {
            const char *word = line->all[k];
            if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, row->name, length) != 0)
                continue;
            if (word[2 + length] == '=')
                empty(line, word + 2 + length + 1);
            else if (word[2 + length] == '\0' && k + 1 < line->all_count)
                empty(line, line->all[k + 1]);
        }
    }
}

static bool is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Returns whether the word is before "--". */
static bool has_word(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

/* Returns the names as "list, run ... or merge". */
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

/* Returns whether the command has --seed. */
static bool has_seed(const struct command_line *line)
{
    const struct option_part *part = NULL;
    const struct option_row *row = NULL;

    while (option_next(line->command->parts, &part, &row))
        if (strcmp(row->name, "seed") == 0)
            return true;
    return false;
}

static bool is_seed_given(const struct command_line *line)
{
    size_t g = 0;

    while (g < line->given_count && strcmp(line->given[g].row->name, "seed") != 0)
        g++;
    return g < line->given_count;
}

/* Reports a variable of the environment that is not the number that it must be. An empty one counts
 * as none. */
static bool check_numbers(void)
{
    static const struct {
        const char *name, *characters, *wanted;
        bool may_be_zero;
    } rows[] = {
        {"SIMTCHECK_PROGRESS", "0123456789.e-", "a number of seconds, or 0", true},
        {"SIMTCHECK_CACHE_MIB", "0123456789", "a whole number", true},
        {"SIMTCHECK_TOOL_SECONDS", "0123456789.e-", "a number of seconds above 0", false},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *word = getenv(rows[k].name);
        char *end = NULL;
        double number = word != NULL && word[0] != '\0' ? strtod(word, &end) : 1;
        if (end != NULL && (*end != '\0' || word[strspn(word, rows[k].characters)] != '\0' ||
                            number < 0 || (number == 0 && !rows[k].may_be_zero)))
            return error_report("%s is '%s': write %s", rows[k].name, word, rows[k].wanted);
    }
    return true;
}

static const char seed_variable[] = "SIMTCHECK_SEED";

/* Takes the default of --seed from the environment. The seed `random` is drawn. Returns false after
 * an error message. */
static bool take_seed(struct command_line *line)
{
    enum { MAX_DRAWN = 1000000000, MAX_DIGITS = 18 }; /* short enough to type; fits int64_t */
    const char *word = getenv(seed_variable);
    unsigned int number;

    if (word == NULL || word[0] == '\0' || !has_seed(line))
        return true;
    line->seed = word;
    if (strcmp(word, "random") != 0)
        return (word[strspn(word, "0123456789")] == '\0' && strlen(word) <= MAX_DIGITS) ||
               error_report("%s '%s' is not a whole number of at most %d digits: give one, or "
                            "'random'",
                            seed_variable, word, MAX_DIGITS);
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return error_report("cannot draw a seed: %s", strerror(errno));
    snprintf(line->drawn_seed, sizeof line->drawn_seed, "%u", number % MAX_DRAWN);
    line->seed = line->drawn_seed;
    return true;
}

/* Makes room for `most` options, and sets the defaults of all, also of those that are left out.
 * Returns false after an error message. */
static bool set_defaults(struct command_line *line, size_t most)
{
    line->common = calloc(1, sizeof *line->common + line->command->size);
    line->given = calloc(most, sizeof *line->given);
    if (line->common == NULL || line->given == NULL)
        return error_report("out of memory");
    line->request = line->common + 1;
    for (const struct option_part *part = line->command->parts; part->rows != NULL; part++)
        for (const struct option_row *row = part->rows; row->name != NULL; row++) {
            bool is_seed = line->seed != NULL && strcmp(row->name, "seed") == 0;
            const char *word = is_seed ? line->seed : row->initial;
            if (word != NULL && !row->type->parse(value_of(line, part, row), row, word))
                return false;
        }
    return true;
}

bool command_line_parse(int argc, char **argv, const struct command *const commands[],
                        struct command_line *line)
{
    const char *require = getenv("SIMTCHECK_REQUIRE");
    struct near_name near = {.word = argc > 1 ? argv[1] : ""};
    size_t after;
    bool good;

    *line = (struct command_line){.commands = commands};
    if (require != NULL && require[0] != '\0' &&
        !option_find_engine("SIMTCHECK_REQUIRE", require, &line->require))
        return false;
    if (argc < 2)
        return error_report("no command: give %s (see --help)", command_names(commands));
    line->version = strcmp(argv[1], "--version") == 0;
    for (size_t c = 0; commands[c] != NULL && line->command == NULL; c++)
        if (strcmp(argv[1], commands[c]->name) == 0)
            line->command = commands[c];
    line->help = is_help(argv[1]) ||
                 ((line->version || line->command != NULL) && has_word(argc, argv, "--help"));
    if (line->help || line->version)
        return true;
    for (size_t c = 0; commands[c] != NULL; c++)
        near_name_offer(&near, commands[c]->name);
    if (line->command == NULL && near.text[0] != '\0')
        return error_report("'%s' is not a command%s", argv[1], near.text);
    if (line->command == NULL)
        return error_report("'%s' is not a command: give %s (see --help)", argv[1],
                            command_names(commands));
    line->all = argv + 2;
    line->all_count = (size_t)argc - 2;
    after = words_after_options(argc - 1, argv + 1); /* before getopt_long() changes the order */
    good = check_numbers() && take_seed(line) && set_defaults(line, (size_t)argc) &&
           parse_options(argc - 1, argv + 1, NULL, line) && (line->help || words_fit(line, after));
    if (!line->help)
        empty_results(line);
    if (good && line->seed == line->drawn_seed && !is_seed_given(line))
        error_report("%s=%s repeats this", seed_variable, line->seed);
    return good;
}

bool command_line_extend(const struct command_line *whole, size_t count, char **words,
                         struct command_line *line)
{
    *line = (struct command_line){.commands = whole->commands,
                                  .command = whole->command,
                                  .require = whole->require,
                                  .seed = whole->seed};
    return set_defaults(line, whole->given_count + count + 1) &&
           parse_options((int)count, words, whole, line) &&
           (line->word_count == 0 || line->help ||
            error_report("unexpected argument '%s'", line->words[0]));
}

void command_line_free(struct command_line *line)
{
    const struct option_part *part = NULL;
    const struct option_row *row = NULL;

    while (line->common != NULL && option_next(line->command->parts, &part, &row))
        if (row->type->release != NULL)
            row->type->release(value_of(line, part, row));
    free(line->common);
    free(line->given);
    *line = (struct command_line){.command = NULL};
}

json_t *command_line_given(const struct command_line *line)
{
    json_t *words = json_array();

    for (size_t k = 0; k < line->given_count; k++) {
        const struct given_option *given = &line->given[k];
        if (!lists("shard json coverage jobs require", given->row->name))
            json_array_append_new(words, json_sprintf("--%s%s%s", given->row->name,
                                                      given->word != NULL ? "=" : "",
                                                      given->word != NULL ? given->word : ""));
    }
    if (line->seed != NULL && !is_seed_given(line))
        json_array_append_new(words, json_sprintf("--seed=%s", line->seed));
    return words;
}

const struct selection *command_line_selection(const struct command_line *line)
{
    size_t offset = line->command->shard_selection;

    return offset > 0 ? (const void *)((const char *)line->common + offset) : NULL;
}
