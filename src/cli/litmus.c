/* SPDX-License-Identifier: MIT
 *
 * `litmus`: litmus tests of the memory consistency model.
 */
#include "build.h"
#include "command.h"
#include "error_report.h"
#include "exit_status.h"
#include "litmus_kernel.h"
#include "litmus_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct litmus_options {
    struct common_options common;
    bool list, ptx;
};

/* How many tests were printed, and what was found. */
struct counts {
    size_t tests, wrong, weak;
};

/* Returns whether the word is the test's name, or its part before the parameters. */
static bool is_named(const struct litmus_test *test, const char *word)
{
    const size_t length = strlen(word);

    return strncmp(test->name, word, length) == 0 &&
           (test->name[length] == '\0' || test->name[length] == '/');
}

static int print_ptx(const struct litmus_test *test)
{
    struct litmus_layout layout;
    const char *problem = litmus_layout_of(test, &layout);

    if (problem != NULL) {
        error_report("%s: %s", test->name, problem);
        return EXIT_USAGE;
    }
    litmus_kernel_write(test, &layout, 90, stdout);
    return EXIT_CONFORMS;
}

static int print_model(const struct litmus_test *test, bool with_outcomes, struct counts *counts)
{
    struct litmus_outcomes outcomes;
    char error[256];

    if (!litmus_outcomes_of(test, AXIOMS_ALL, &outcomes, error, sizeof error)) {
        free(outcomes.list);
        error_report("%s", error);
        return EXIT_USAGE;
    }
    counts->wrong += !litmus_print(test, &outcomes, with_outcomes);
    counts->weak += litmus_is_allowed(test, &outcomes) && !litmus_is_sequential(test, &outcomes);
    free(outcomes.list);
    return EXIT_CONFORMS;
}

/* Handles the tests of a text whose names match the word; null: all. */
static int handle(const struct litmus_options *options, const struct litmus_tests *tests,
                  const char *word, bool with_outcomes, struct counts *counts)
{
    int status = EXIT_CONFORMS;
    size_t matches = 0;

    for (size_t k = 0; k < tests->count && status == EXIT_CONFORMS; k++) {
        const struct litmus_test *test = &tests->list[k];

        if (word != NULL && !is_named(test, word))
            continue;
        matches++;
        if (options->list)
            puts(test->name);
        else
            status = options->ptx ? print_ptx(test) : print_model(test, with_outcomes, counts);
    }
    counts->tests += matches;
    if (matches > 0)
        return status;
    error_report("'%s' is neither a file nor a litmus test: see 'simtcheck litmus --list'", word);
    return EXIT_USAGE;
}

static bool is_file(const char *word)
{
    const char *end = strrchr(word, '.');

    return end != NULL && strcmp(end, ".litmus") == 0;
}

/* Handles a file, a name, or all tests of the collection if the word is null. */
static int handle_word(const struct litmus_options *options, const char *word,
                       struct counts *counts)
{
    const bool from_file = word != NULL && is_file(word);
    struct litmus_tests tests = {.count = 0};
    char error[256], *text = NULL;
    size_t size;
    int status;

    if (from_file && (text = build_read_file(word, &size)) == NULL) {
        error_report("cannot read '%s': %s", word, strerror(errno));
        return EXIT_USAGE;
    }
    if (litmus_read(from_file ? text : litmus_collection, &tests, error, sizeof error))
        status = handle(options, &tests, from_file ? NULL : word, word != NULL, counts);
    else {
        error_report("%s:%s", from_file ? word : "built-in tests", error);
        status = EXIT_USAGE;
    }
    free(tests.list);
    free(text);
    return status;
}

static int litmus(const struct command_line *line, struct session *session)
{
    const struct litmus_options *options = line->options;
    struct counts counts = {.tests = 0};
    int status = EXIT_CONFORMS;

    (void)session;
    if (options->list && options->ptx) {
        error_report("--list and --ptx exclude each other");
        return EXIT_USAGE;
    }
    if (options->ptx && line->word_count == 0) {
        error_report("--ptx needs the name of a test: see 'simtcheck litmus --list'");
        return EXIT_USAGE;
    }
    if (!options->list && !options->ptx)
        litmus_print_title();
    for (size_t w = 0; w < (line->word_count > 0 ? line->word_count : 1); w++)
        if (status == EXIT_CONFORMS)
            status = handle_word(options, line->word_count > 0 ? line->words[w] : NULL, &counts);
    if (status != EXIT_CONFORMS || options->list || options->ptx)
        return status;
    printf("%zu tests; %zu allow an outcome that sequential consistency forbids; "
           "%zu have another verdict in their file\n",
           counts.tests, counts.weak, counts.wrong);
    return counts.wrong > 0 ? EXIT_DIFFERS : EXIT_CONFORMS;
}

static const struct option_row rows[] = {
    {"list", NULL, &option_flag, OPTION_AT(struct litmus_options, list, bool),
     .help = "print the names of the tests only", .usual = "print what the model allows"},
    {"ptx", NULL, &option_flag, OPTION_AT(struct litmus_options, ptx, bool),
     .help = "print kernels that run many instances of the test on a GPU of sm_90",
     .usual = "print what the model allows"},
    {.name = NULL},
};

static const struct option_part parts[] = {{rows, 0, NULL, NULL}, {NULL, 0, NULL, NULL}};

const struct command litmus_command = {
    .name = "litmus",
    .summary = "print the outcomes that PTX's memory model allows for litmus tests",
    .arguments = "[FILE | NAME ...]",
    .help = "Determines the outcomes of each test by the axioms of the PTX ISA, and by sequential "
            "consistency. A FILE ends with .litmus. A NAME, such as SB or SB/weak/gpu, selects "
            "built-in tests. Without arguments, prints one row for each built-in test.",
    .example = "simtcheck litmus SB+fence.sc",
    .parts = parts,
    .size = sizeof(struct litmus_options),
    .words = "files and names of tests",
    .most_words = 64,
    .run = litmus,
};
