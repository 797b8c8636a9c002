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
#include "litmus_run.h"
#include "whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct litmus_request {
    bool list, ptx, model;
    struct compiler_paths compilers;
    uint64_t launches, seed;
};

/* ---- Selection ---- */

/* Returns whether the word is the test's name, or its part before the parameters. */
static bool is_named(const struct litmus_test *test, const char *word)
{
    const size_t length = strlen(word);

    return strncmp(test->name, word, length) == 0 &&
           (test->name[length] == '\0' || test->name[length] == '/');
}

static bool is_file(const char *word)
{
    const char *end = strrchr(word, '.');

    return end != NULL && strcmp(end, ".litmus") == 0;
}

/* Adds the built-in tests that the word names; null: all. */
static bool add_named(const char *word, struct litmus_tests *selected)
{
    const size_t before = selected->count;
    char error[256];
    size_t kept = before;

    if (!litmus_read(litmus_collection, selected, error, sizeof error))
        return error_report("built-in tests:%s", error);
    for (size_t k = before; k < selected->count; k++)
        if (word == NULL || is_named(&selected->list[k], word))
            selected->list[kept++] = selected->list[k];
    selected->count = kept;
    return kept > before || error_report("'%s' is neither a file nor a litmus test: see "
                                         "'simtcheck litmus --list'",
                                         word);
}

static bool add_file(const char *path, struct litmus_tests *selected)
{
    char error[256], *text;
    size_t size;
    bool good;

    text = read_whole_file(path, &size);
    if (text == NULL)
        return error_report("cannot read '%s': %s", path, strerror(errno));
    good = litmus_read(text, selected, error, sizeof error) || error_report("%s:%s", path, error);
    free(text);
    return good;
}

/* Reads the tests that the command line names. Returns false after an error message. */
static bool select_tests(const struct command_line *line, struct litmus_tests *selected)
{
    bool good = true;

    if (line->word_count == 0)
        return add_named(NULL, selected);
    for (size_t w = 0; good && w < line->word_count; w++)
        good = is_file(line->words[w]) ? add_file(line->words[w], selected)
                                       : add_named(line->words[w], selected);
    return good;
}

/* ---- What to do with them ---- */

static int print_ptx(const struct litmus_tests *tests)
{
    for (size_t k = 0; k < tests->count; k++) {
        const struct litmus_test *test = &tests->list[k];
        struct litmus_layout layout;
        const char *problem = litmus_layout_of(test, &layout);

        if (problem != NULL) {
            error_report("%s: %s", test->name, problem);
            return EXIT_USAGE;
        }
        litmus_kernel_write(test, &layout, 90, stdout);
    }
    return EXIT_CONFORMS;
}

static int print_model(const struct litmus_tests *tests, bool with_outcomes)
{
    size_t wrong = 0, weak = 0;
    char error[256];

    litmus_print_title();
    for (size_t k = 0; k < tests->count; k++) {
        const struct litmus_test *test = &tests->list[k];
        struct litmus_outcomes outcomes;

        if (!litmus_outcomes_of(test, AXIOMS_ALL, &outcomes, error, sizeof error)) {
            free(outcomes.list);
            error_report("%s", error);
            return EXIT_USAGE;
        }
        wrong += !litmus_print(test, &outcomes, with_outcomes);
        weak += litmus_is_allowed(test, &outcomes) && !litmus_is_sequential(test, &outcomes);
        free(outcomes.list);
    }
    printf("%zu tests; %zu allow an outcome that sequential consistency forbids; "
           "%zu have another verdict in their file\n",
           tests->count, weak, wrong);
    return wrong > 0 ? EXIT_DIFFERS : EXIT_CONFORMS;
}

static int run(const struct litmus_request *request, const struct session *session,
               const struct litmus_tests *tests)
{
    const struct litmus_run_request run_request = {.tests = tests->list,
                                                   .count = tests->count,
                                                   .ptxas = &request->compilers.ptxas,
                                                   .launches = request->launches,
                                                   .seed = request->seed};

    return litmus_run(&run_request, session);
}

static int litmus(const struct command_line *line, const struct session *session)
{
    const struct litmus_request *request = line->request;
    struct litmus_tests tests = {.count = 0};
    const int others = request->list + request->ptx + request->model;
    int status = EXIT_USAGE;

    if (others > 1)
        error_report("--list, --ptx and --model exclude each other");
    else if (others == 1 && line->common->output != NULL)
        error_report("--json has the results of a GPU: leave out --list, --ptx and --model");
    else if (!select_tests(line, &tests))
        status = EXIT_USAGE;
    else if (request->ptx)
        status = print_ptx(&tests);
    else if (request->model)
        status = print_model(&tests, line->word_count > 0);
    else if (!request->list)
        status = run(request, session, &tests);
    else
        status = EXIT_CONFORMS;
    for (size_t k = 0; request->list && status == EXIT_CONFORMS && k < tests.count; k++)
        puts(tests.list[k].name);
    free(tests.list);
    return status;
}

static const struct option_row rows[] = {
    {"list", NULL, &option_flag, REQUEST_AT(struct litmus_request, list, bool),
     .help = "print the names of the tests only", .usual = "off"},
    {"model", NULL, &option_flag, REQUEST_AT(struct litmus_request, model, bool),
     .help = "print what the model allows, and do not run the tests", .usual = "off"},
    {"ptx", NULL, &option_flag, REQUEST_AT(struct litmus_request, ptx, bool),
     .help = "print kernels that run many instances of the tests on a GPU of sm_90",
     .usual = "off"},
    {"launches", "N", &option_number, REQUEST_AT(struct litmus_request, launches, uint64_t),
     .initial = "16", .help = "launches of each test, with up to 131072 instances each", .least = 1,
     .most = 1 << 20},
    {"seed", "S", &option_number, REQUEST_AT(struct litmus_request, seed, uint64_t), .initial = "1",
     .help = "seed of the places of variables and threads", .most = UINT64_MAX},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {compiler_rows, REQUEST_PART(struct litmus_request, compilers), "ptxas", NULL},
    {common_rows, 0, "expect json", NULL},
    {NULL, 0, NULL, NULL},
};

const struct command litmus_command = {
    .name = "litmus",
    .judges = true,
    .summary = "run litmus tests of the memory consistency model of PTX",
    .arguments = "[FILE | NAME ...]",
    .help = "Determines the outcomes that the model allows, and those of sequential consistency. "
            "On a GPU, runs the tests, compiled by the driver and by ptxas -O0 and -O3, and fails "
            "if an outcome is forbidden. A FILE ends with .litmus. A NAME, such as SB or "
            "SB/weak/gpu, selects built-in tests (default: all).",
    .example = "simtcheck litmus --model SB+fence.sc",
    .parts = parts,
    .size = sizeof(struct litmus_request),
    .words = "files and names of tests",
    .most_words = 64,
    .run = litmus,
};
