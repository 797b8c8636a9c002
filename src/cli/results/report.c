/* SPDX-License-Identifier: MIT */
#include "command.h"
#include "error_report.h"
#include "page.h"

static int report(const struct command_line *line, const struct session *session)
{
    (void)session;
    if (line->common->output != NULL)
        return page_make(line->common->output, line->words, line->word_count);
    error_report("report needs --html FILE");
    return EXIT_USAGE;
}

static const struct option_row rows[] = {
    {"html", "FILE", &option_text, COMMON_AT(output, const char *),
     .help = "the page to write (required)"},
    {.name = NULL},
};

static const struct option_part parts[] = {{rows, 0, NULL, NULL}, {NULL, 0, NULL, NULL}};

const struct command report_command = {
    .name = "report",
    .summary = "write one HTML page from files of results",
    .arguments = "FILE... --html FILE",
    .help = "Two snapshots are also compared.",
    .example = "simtcheck report run.json --html run.html",
    .parts = parts,
    .words =
        "at least one file of check, gate, exec, mutate, run, races, snapshot, compare, counters, "
        "compilers, litmus or ci/bench",
    .least_words = 1,
    .most_words = 64,
    .run = report,
};
