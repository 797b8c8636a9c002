/* SPDX-License-Identifier: MIT
 *
 * The tables of options, and how simtcheck reads a command line with them.
 */
#include "check.h"

#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_nothing(const struct command_line *line, const struct session *session)
{
    (void)line;
    (void)session;
    return EXIT_CONFORMS;
}

struct trial_request {
    struct selection selection;
    uint64_t count;
};

static const struct option_row trial_rows[] = {
    {"count", "N", &option_number, REQUEST_AT(struct trial_request, count, uint64_t),
     .initial = "7", .help = "how many", .least = 1, .most = 9},
    {.name = NULL},
};

static const struct option_part trial_parts[] = {
    {trial_rows, 0, NULL, NULL},
    {selection_rows, REQUEST_PART(struct trial_request, selection), "block seed", NULL},
    {common_rows, 0, "jobs", NULL},
    {NULL, 0, NULL, NULL},
};

static const struct command trial = {
    .name = "trial",
    .summary = "a trial",
    .parts = trial_parts,
    .size = sizeof(struct trial_request),
    .words = "one word",
    .least_words = 1,
    .most_words = 1,
    .takes_flags = true,
    .run = run_nothing,
};

static const struct command *const trials[] = {&trial, NULL};

/* Returns true if the part's table has every option that the part names. */
static bool part_fits(const struct option_part *part)
{
    char name[32];
    int length;

    for (const char *rest = part->names; rest != NULL && sscanf(rest, "%31s%n", name, &length) == 1;
         rest += length) {
        const struct option_row *row = part->rows;
        while (row->name != NULL && strcmp(row->name, name) != 0)
            row++;
        if (row->name == NULL)
            return false;
    }
    return true;
}

/* Returns how often the command has an option of that name. */
static size_t count_options(const struct command *command, const char *name)
{
    size_t count = 0;

    for (const struct option_part *part = command->parts; part->rows != NULL; part++)
        for (const struct option_row *row = part->rows; row->name != NULL; row++)
            count += option_part_has(part, row) && strcmp(row->name, name) == 0;
    return count;
}

/* Returns true if all parts are complete, each option occurs once, and each default can be read. */
static bool command_fits(const struct command *command)
{
    char *options = calloc(1, sizeof(struct common_options) + command->size);
    bool good = options != NULL;

    for (const struct option_part *part = command->parts; part->rows != NULL; part++) {
        good = good && part_fits(part);
        for (const struct option_row *row = part->rows; row->name != NULL; row++)
            good = good &&
                   (!option_part_has(part, row) || count_options(command, row->name) == 1) &&
                   (row->initial == NULL ||
                    row->type->parse(options + part->offset + row->offset, row, row->initial));
    }
    free(options);
    return good;
}

TEST(every_command_has_a_complete_table)
{
    for (size_t c = 0; all_commands()[c] != NULL; c++)
        assert_true(command_fits(all_commands()[c]));
    assert_true(command_fits(&trial));
}

TEST(incomplete_tables_are_detected)
{
    static const struct option_part misspelt[] = {{common_rows, 0, "job", NULL},
                                                  {NULL, 0, NULL, NULL}};
    static const struct option_part twice[] = {
        {trial_rows, 0, NULL, NULL}, {trial_rows, 0, NULL, NULL}, {NULL, 0, NULL, NULL}};
    static const struct option_row bad_row[] = {
        {"count", "N", &option_number, 0, .initial = "many", .help = "how many", .most = 9},
        {.name = NULL},
    };
    static const struct option_part bad_default[] = {{bad_row, 0, NULL, NULL},
                                                     {NULL, 0, NULL, NULL}};
    struct command command = trial;

    command.parts = misspelt;
    assert_false(command_fits(&command));
    command.parts = twice;
    assert_false(command_fits(&command));
    command.parts = bad_default;
    assert_false(command_fits(&command));
}

TEST(option_values_and_defaults_are_parsed)
{
    char *words[] = {"simtcheck", "trial", "--block", "3-4,8x2", "word", "--", "-O3", NULL};
    struct command_line line;
    const struct trial_request *request;

    assert_true(command_line_parse(7, words, trials, &line));
    request = line.request;
    assert_ptr_equal(line.command, &trial);
    assert_int_equal(request->count, 7);
    assert_int_equal(request->selection.cases.block_count, 3);
    assert_int_equal(request->selection.cases.blocks[2].y, 2);
    assert_int_equal(request->selection.cases.level, 1); /* the option is not offered */
    assert_int_equal(line.word_count, 1);
    assert_string_equal(line.words[0], "word");
    assert_int_equal(line.flag_count, 1);
    assert_string_equal(line.flags[0], "-O3");
    command_line_free(&line);
}

TEST(invalid_command_lines_are_rejected)
{
    static const char *const bad[][3] = {
        {"--count", "0", "word"}, {"--count", "10", "word"}, {"--level", "1", "word"},
        {"--size", "1", "word"},  {"one", "two", NULL},      {NULL, NULL, NULL},
    };

    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        char *words[6] = {"simtcheck", "trial"};
        struct command_line line;
        int count = 2;
        for (size_t k = 0; k < 3 && bad[b][k] != NULL; k++)
            words[count++] = (char *)(uintptr_t)bad[b][k];
        assert_false(command_line_parse(count, words, trials, &line));
        command_line_free(&line);
    }
}

TEST_MAIN("command line", NULL, NULL)
