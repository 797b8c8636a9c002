/* SPDX-License-Identifier: MIT
 *
 * The tables of options, and how a command line is read by them.
 */
#include "check.h"

#include "command.h"

static int run_nothing(const struct command_line *line, struct session *session)
{
    (void)line;
    (void)session;
    return EXIT_CONFORMS;
}

struct trial_options {
    struct common_options common;
    struct selection selection;
    uint64_t count;
};

static const struct option_row trial_rows[] = {
    {"count", "N", &option_number, OPTION_AT(struct trial_options, count, uint64_t), .initial = "7",
     .help = "how many", .least = 1, .most = 9},
    {.name = NULL},
};

static const struct option_part trial_parts[] = {
    {trial_rows, 0, NULL},
    {selection_rows, offsetof(struct trial_options, selection), "block seed"},
    {common_rows, 0, "jobs"},
    {NULL, 0, NULL},
};

static const struct command trial = {
    .name = "trial",
    .summary = "a trial",
    .parts = trial_parts,
    .size = sizeof(struct trial_options),
    .words = "one word",
    .least_words = 1,
    .most_words = 1,
    .takes_flags = true,
    .run = run_nothing,
};

static const struct command *const trials[] = {&trial, NULL};

static void every_command_has_a_complete_table(void **state)
{
    (void)state;
    for (size_t c = 0; all_commands[c] != NULL; c++)
        assert_true(command_fits(all_commands[c]));
    assert_true(command_fits(&trial));
}

static void incomplete_tables_are_found(void **state)
{
    static const struct option_part misspelt[] = {{common_rows, 0, "job"}, {NULL, 0, NULL}};
    static const struct option_part twice[] = {
        {trial_rows, 0, NULL}, {trial_rows, 0, NULL}, {NULL, 0, NULL}};
    static const struct option_row bad_row[] = {
        {"count", "N", &option_number, 0, .initial = "many", .help = "how many", .most = 9},
        {.name = NULL},
    };
    static const struct option_part bad_default[] = {{bad_row, 0, NULL}, {NULL, 0, NULL}};
    struct command command = trial;
    (void)state;

    command.parts = misspelt;
    assert_false(command_fits(&command));
    command.parts = twice;
    assert_false(command_fits(&command));
    command.parts = bad_default;
    assert_false(command_fits(&command));
}

static void values_and_defaults_are_read(void **state)
{
    char *words[] = {"simtcheck", "trial", "--block", "3-4,8x2", "word", "--", "-O3", NULL};
    struct command_line line;
    const struct trial_options *options;
    (void)state;

    assert_true(command_line_parse(7, words, trials, &line));
    options = line.options;
    assert_ptr_equal(line.command, &trial);
    assert_int_equal(options->count, 7);
    assert_int_equal(options->selection.cases.block_count, 3);
    assert_int_equal(options->selection.cases.blocks[2].y, 2);
    assert_int_equal(options->selection.cases.level, 1); /* an option that is not offered */
    assert_int_equal(line.word_count, 1);
    assert_string_equal(line.words[0], "word");
    assert_int_equal(line.flag_count, 1);
    assert_string_equal(line.flags[0], "-O3");
    command_line_free(&line);
}

static void bad_lines_are_rejected(void **state)
{
    static const char *const bad[][3] = {
        {"--count", "0", "word"}, {"--count", "10", "word"}, {"--level", "1", "word"},
        {"--size", "1", "word"},  {"one", "two", NULL},      {NULL, NULL, NULL},
    };
    (void)state;

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_has_a_complete_table),
        cmocka_unit_test(incomplete_tables_are_found),
        cmocka_unit_test(values_and_defaults_are_read),
        cmocka_unit_test(bad_lines_are_rejected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
