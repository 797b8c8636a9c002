/* SPDX-License-Identifier: MIT */
#include "gate.h"

#include "command.h"
#include "error_report.h"
#include "replay_line.h"

#include <stdio.h>

struct gate_options {
    struct common_options common;
    struct gate_request request;
};

/* Cases of a launch are replayed by `check`, against the old code; those of the catalogue by this
 * command. */
static struct replay_command replayed_by(const struct command_line *line,
                                         const struct gate_request *request, const char *against)
{
    bool has_launch = request->launch != NULL;

    return (struct replay_command){.name = has_launch ? "check" : "gate",
                                   .files = line->words + has_launch,
                                   .file_count = line->word_count - has_launch,
                                   .nvcc = request->compilers.nvcc.paths,
                                   .nvcc_count = request->compilers.nvcc.count,
                                   .flags = line->flags,
                                   .flag_count = line->flag_count,
                                   .against = has_launch ? against : NULL,
                                   .ulps = request->ulps};
}

static int gate(const struct command_line *line, struct session *session)
{
    struct gate_options *options = line->options;
    struct gate_request *request = &options->request;
    struct replay_command replayed;
    char against[256];

    if (line->word_count == 2) {
        error_report("gate takes a revision alone, or one, files and a launch");
        return EXIT_USAGE;
    }
    request->revision = line->words[0];
    if (line->word_count > 2) {
        request->files = (struct user_files){line->words + 1, line->word_count - 2, line->flags,
                                             line->flag_count};
        request->launch = line->words[line->word_count - 1];
    }
    snprintf(against, sizeof against, "git:%s", request->revision);
    replayed = replayed_by(line, request, against);
    replay_line_use(&replayed);
    return gate_check(request, session);
}

#define REQUEST(member, type) OPTION_AT(struct gate_options, request.member, type)

static const struct option_row rows[] = {
    {"tolerance", "ulp:N", &option_tolerance, REQUEST(ulps, uint64_t),
     .help = "floats may be N units in the last place away from the old ones (default 0)"},
    {"allow", "WHAT", &option_allowances, REQUEST(allow, struct allowances),
     .initial = "instructions:2%",
     .help = "same-value: report races of writes that all write the same value, but do\n"
             "not fail; instructions:P%, transactions:P%: so much more than before;\n"
             "repeatable"},
    {"case", "CASE", &option_text, REQUEST(case_id, const char *),
     .help = "only the case of that case ID"},
    {"max-failures", "N", &option_number, REQUEST(max_failures, uint64_t), .initial = "20",
     .help = "stop after N failures", .least = 1, .most = UINT64_MAX},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL},
    {selection_rows, offsetof(struct gate_options, request.selection),
     "model schedule block size level sizes-per-block seed"},
    {compiler_rows, offsetof(struct gate_options, request.compilers), NULL},
    {common_rows, 0, "deadline jobs"},
    {NULL, 0, NULL},
};

const struct command gate_command = {
    .name = "gate",
    .summary = "check the kernels that an edit has changed since a revision",
    .arguments = "REVISION [FILE.cu ... LAUNCH]",
    .help = "Results must still be right, and the cost must not grow. It checks the kernels\n"
            "of the catalogue, or those of your own files.",
    .parts = parts,
    .size = sizeof(struct gate_options),
    .words = "a revision, and of files of your own these and a launch",
    .least_words = 1,
    .most_words = 18,
    .takes_flags = true,
    .run = gate,
};
