/* SPDX-License-Identifier: MIT */
#include "check_launch.h"

#include "command.h"
#include "replay_line.h"

struct check_options {
    struct common_options common;
    struct check_request request;
};

static int check(const struct command_line *line, struct session *session)
{
    struct check_options *options = line->options;
    struct check_request *request = &options->request;
    const struct replay_command replayed = {.name = "check",
                                            .files = line->words,
                                            .file_count = line->word_count,
                                            .nvcc = request->compilers.nvcc.paths,
                                            .nvcc_count = request->compilers.nvcc.count,
                                            .flags = line->flags,
                                            .flag_count = line->flag_count,
                                            .oracle = request->oracle,
                                            .against = request->against,
                                            .ulps = request->ulps};

    request->files =
        (struct user_files){line->words, line->word_count - 1, line->flags, line->flag_count};
    request->launch = line->words[line->word_count - 1];
    replay_line_use(&replayed);
    return check_launch(request, session);
}

#define REQUEST(member, type) OPTION_AT(struct check_options, request.member, type)

static const char *const part_choices[] = {"run", "races", "determinism", NULL};

static const struct option_row rows[] = {
    {"engine", "E", &option_engines, REQUEST(engines, struct engine_list),
     .help = "host, ptx or cuda; repeatable (default: ptx and cuda, or host without nvcc)"},
    {"only", "PART", &option_choices, REQUEST(parts, unsigned int),
     .help = "run: memory, barriers, outputs; races; or bits, the same in every\n"
             "order and on every engine; repeatable (default: all)",
     .choices = part_choices},
    {"oracle", "FILE.c", &option_text, REQUEST(oracle, const char *),
     .help = "compare outputs with what `expected` of that file computes (docs/check.md)"},
    {"against", "FILE", &option_text, REQUEST(against, const char *),
     .help = "compare outputs with those of the same kernels in FILE, or, for git:REV, in\n"
             "that revision of the file"},
    {"tolerance", "ulp:N", &option_tolerance, REQUEST(ulps, uint64_t),
     .help = "floats may be N units in the last place away from that (default 0)"},
    {"allow", "WHAT", &option_allowances, REQUEST(allow, struct allowances),
     .help = "same-value: report races of writes that all write the same value, but do\n"
             "not fail"},
    {"case", "CASE", &option_text, REQUEST(case_id, const char *),
     .help = "only the case of that case ID"},
    {"max-failures", "N", &option_number, REQUEST(max_failures, uint64_t), .initial = "20",
     .help = "stop after N failures", .least = 1, .most = UINT64_MAX},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL},
    {selection_rows, offsetof(struct check_options, request.selection),
     "assume-corrected model schedule schedules profile block size level sizes-per-block seed"},
    {compiler_rows, offsetof(struct check_options, request.compilers), "nvcc"},
    {common_rows, 0, "deadline jobs"},
    {NULL, 0, NULL},
};

const struct command check_command = {
    .name = "check",
    .summary = "check a kernel of your own by the line that launches it",
    .arguments = "FILE.cu ... LAUNCH",
    .help = "Looks for stray accesses, unwritten outputs, wrong barriers and races:\n"
            "'saxpy<<<(n+255)/256, 256>>>(n, 2.0f, in float x[n], inout float y[n])'",
    .parts = parts,
    .size = sizeof(struct check_options),
    .words = "a file of CUDA C++ and a launch, such as 'saxpy<<<(n+255)/256, 256>>>(n, 2.0f, in "
             "float x[n], inout float y[n])'",
    .least_words = 2,
    .most_words = 16,
    .takes_flags = true,
    .run = check,
};
