/* SPDX-License-Identifier: MIT
 *
 * Tests test_faults itself: it must detect each program that misbehaves under a fault, and accept a
 * correct one.
 */
#include "check.h"

#include <unistd.h>

/* Columns of the table of test_faults. */
enum column { TIMES, CAME, NAMED, LOST, WRONG, LEFT, COLUMNS };

struct row {
    unsigned int numbers[COLUMNS];
    int status;
    bool fails_without;
};

/* Runs the kind with `fake` as the program between. */
static struct row try_fake(const char *fake, const char *kind, const char *times)
{
    static char runs[] = "/tmp/simtcheck-judge-XXXXXX";
    const char *const arguments[] = {TEST_FAULTS, "--program", FAKE_PROGRAM, "--kind", kind,
                                     "--times",   times,       "--seed",     "16",     NULL};
    struct row row = {.fails_without = false};
    char start[64], format[64];
    struct ended ended;
    const char *line;

    strcpy(runs + sizeof runs - sizeof "XXXXXX", "XXXXXX");
    close(mkstemp(runs));
    setenv("FAKE", fake, 1);
    setenv("FAKE_RUNS", runs, 1);
    ended = program_run(arguments);
    snprintf(start, sizeof start, "\n%s ", kind);
    line = strstr(ended.output, start);
    snprintf(format, sizeof format, "\n%s %%u %%u %%u %%u %%u %%u", kind);
    row.status = ended.status;
    row.fails_without = line != NULL && strstr(line, "FAILS without a fault") != NULL;
    if (line == NULL ||
        (!row.fails_without &&
         sscanf(line, format, &row.numbers[TIMES], &row.numbers[CAME], &row.numbers[NAMED],
                &row.numbers[LOST], &row.numbers[WRONG], &row.numbers[LEFT]) != COLUMNS))
        fail_msg("%s under %s: %s", fake, kind, ended.output);
    free(ended.output);
    unlink(runs);
    return row;
}

/* Returns true if that column reveals the fake program. */
static bool is_reported(const struct row *row, enum column column)
{
    const unsigned int *numbers = row->numbers;

    if (column == TIMES)
        return row->fails_without;
    if (column == CAME)
        return !row->fails_without && 4 * numbers[CAME] < 3 * numbers[TIMES];
    if (column == NAMED)
        return numbers[NAMED] < numbers[CAME];
    return numbers[column] > 0;
}

/* An interrupt at a random moment may come after the program's end. One of four trials is enough.
 */
TEST(judge_detects_each_fake_program)
{
    static const struct {
        const char *fake, *kind, *times;
        enum column column;
    } rows[] = {
        {"is not there", "interrupt-counters", "1", TIMES},
        {"dies", "interrupt-counters", "4", NAMED},
        {"says nothing", "interrupt-counters", "4", NAMED},
        {"goes on", "interrupt-stress", "4", NAMED},
        {"never hears", "interrupt-stress", "1", CAME},
        {"dies at start", "interrupt-stress", "4", NAMED},
        {"dies at start", "errors-full", "4", NAMED},
        {"ends at start", "memory-limit", "2", NAMED},
        {"ends at start", "files-limit", "2", NAMED},
        {"ends at start", "stack-limit", "1", NAMED},
        {"ends at start", "time-limit", "1", NAMED},
        {"ends at start", "all-closed", "2", LOST},
        {"keeps it quiet", "worker-killed", "4", NAMED},
        {"keeps it quiet", "worker-babbles", "2", NAMED},
        {"empties it", "interrupt-snapshot", "4", LOST},
        {"empties it", "interrupt-counters", "4", LOST},
        {"leaves a file", "interrupt-snapshot", "4", LEFT},
        {"leaves a process", "interrupt-snapshot", "4", LEFT},
        {"drops a verdict", "errors-full", "2", LOST},
        {"changes a verdict", "errors-full", "2", WRONG},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct row row = try_fake(rows[k].fake, rows[k].kind, rows[k].times);
        if (row.status != 1 || !is_reported(&row, rows[k].column))
            fail_msg("a program that %s under %s is not found: status %d, %u times, %u came, %u "
                     "named, %u lost, %u wrong, %u left",
                     rows[k].fake, rows[k].kind, row.status, row.numbers[TIMES], row.numbers[CAME],
                     row.numbers[NAMED], row.numbers[LOST], row.numbers[WRONG], row.numbers[LEFT]);
    }
}

TEST(judge_accepts_a_correct_program)
{
    static const char *const kinds[] = {"interrupt-snapshot", "errors-full", "all-closed"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct row row = try_fake("is right", kinds[k], "4");
        assert_int_equal(row.status, 0);
        assert_int_equal(row.numbers[NAMED], row.numbers[CAME]);
        assert_true(row.numbers[CAME] > 0);
    }
}

TEST_MAIN("judge", NULL, NULL)
