/* SPDX-License-Identifier: MIT */
#include "command.h"
#include "complain.h"
#include "page.h"

struct report_options {
    struct common_options common;
};

static int report(const struct command_line *line, struct session *session)
{
    const struct report_options *options = line->options;

    (void)session;
    if (options->common.output != NULL)
        return page_make(options->common.output, line->words, line->word_count);
    complain("report needs --html FILE");
    return EXIT_USAGE;
}

static const struct option_row rows[] = {
    {"html", "FILE", &option_text, OPTION_AT(struct report_options, common.output, const char *),
     .help = "the page to write"},
    {.name = NULL},
};

static const struct option_part parts[] = {{rows, 0, NULL}, {NULL, 0, NULL}};

const struct command report_command = {
    .name = "report",
    .summary = "make one page of HTML from files of results",
    .arguments = "FILE... --html FILE",
    .help = "Of two snapshots it shows a comparison.",
    .parts = parts,
    .size = sizeof(struct report_options),
    .words = "one file or more that snapshot, run, races, counters, toolchain, compare or ci/bench "
             "has written",
    .least_words = 1,
    .most_words = 64,
    .run = report,
};
