/* SPDX-License-Identifier: MIT
 *
 * The commands `check` and `gate`. `gate` checks what an edit has changed.
 */
#include "gate.h"

#include "command.h"
#include "error_report.h"
#include "replay_line.h"

#include <stdio.h>

/* The options of both commands. */
struct check_options {
    struct common_options common;
    struct gate_request request;
};

/* Takes the files and the launch from the words from `first` on. */
static struct check_request *take_launch(const struct command_line *line, size_t first)
{
    struct check_request *request = &((struct check_options *)line->options)->request.check;

    request->files = (struct user_files){line->words + first, line->word_count - first - 1,
                                         line->flags, line->flag_count};
    request->launch = line->words[line->word_count - 1];
    return request;
}

/* Makes replay lines use the command `name`, with the words of this one from `first` on. */
static void replay_by(const char *name, const struct command_line *line, size_t first)
{
    static struct replay_command replayed;
    const struct check_request *request = &((struct check_options *)line->options)->request.check;

    replayed = (struct replay_command){.name = name,
                                       .files = line->words + first,
                                       .file_count = line->word_count - first,
                                       .nvcc = request->compilers.nvcc.paths,
                                       .nvcc_count = request->compilers.nvcc.count,
                                       .flags = line->flags,
                                       .flag_count = line->flag_count,
                                       .oracle = request->oracle,
                                       .against = request->against,
                                       .ulps = request->ulps};
    replay_line_use(&replayed);
}

/* Sets what the request allows of barriers as a limit of the engine. */
static void allow_barriers(const struct check_options *options, struct session *session)
{
    session->limits.warp_barriers = options->request.check.allow.warp_barriers;
    replay_line_barriers(session->limits.strict_barriers, session->limits.warp_barriers);
}

static int check(const struct command_line *line, struct session *session)
{
    const struct check_request *request = take_launch(line, 0);

    replay_by("check", line, 0);
    allow_barriers(line->options, session);
    return check_launch(request, session);
}

/* Runs `gate`. Cases of a launch are replayed by `check` against the old code, and those of the
 * catalogue by `gate`. Returns the exit status. */
static int gate(const struct command_line *line, struct session *session)
{
    struct gate_request *request = &((struct check_options *)line->options)->request;
    bool has_launch = line->word_count > 1;
    char against[256];
    int status;

    if (line->word_count == 2) {
        error_report("gate takes a revision alone, or one, files and a launch");
        return EXIT_USAGE;
    }
    request->revision = line->words[0];
    if (has_launch) {
        snprintf(against, sizeof against, "git:%s", request->revision);
        take_launch(line, 1)->against = against;
    }
    replay_by(has_launch ? "check" : "gate", line, has_launch);
    allow_barriers(line->options, session);
    status = gate_check(request, session);
    replay_line_end();
    return status;
}

#define REQUEST(member, type) OPTION_AT(struct check_options, request.check.member, type)

static const char *const part_choices[] = {"run", "races", "determinism", NULL};

static const struct option_row check_rows[] = {
    {"engine", "E", &option_engines, REQUEST(engines, struct engine_list),
     .help = "sim or cuda; repeatable (default: sim, and cuda where there is a GPU)"},
    {"compiler", "NAME", &option_choices, REQUEST(front_ends, unsigned int),
     .help = "nvcc or clang (14 or newer; needs no CUDA toolkit), whose PTX is checked;\n"
             "repeatable (default: all that are installed)",
     .choices = front_end_names},
    {"only", "PART", &option_choices, REQUEST(parts, unsigned int),
     .help = "run: memory, barriers, outputs; races; or determinism: bit-identical outputs in\n"
             "every order and on every engine; repeatable (default: all)",
     .choices = part_choices},
    {"oracle", "FILE.c", &option_text, REQUEST(oracle, const char *),
     .help = "compare outputs with what `expected` of that file computes (docs/check.md)"},
    {"against", "FILE", &option_text, REQUEST(against, const char *),
     .help = "compare outputs with those of the same kernels in FILE, or, for git:REV, in\n"
             "that revision of the file"},
    {"tolerance", "ulp:N", &option_tolerance, REQUEST(ulps, uint64_t),
     .help = "floats may be N units in the last place away from that, or from the old\n"
             "code (default 0)"},
    {"allow", "WHAT", &option_allowances, REQUEST(allow, struct allowances),
     .help = "same-value: report races of writes that all write the same value, but do\n"
             "not fail; warp-barriers: whole warps may meet at different\n"
             "__syncthreads(); repeatable"},
    {"case", "CASE", &option_text, REQUEST(case_id, const char *),
     .help = "only the case of that case ID"},
    {"max-failures", "N", &option_number, REQUEST(max_failures, uint64_t), .initial = "20",
     .help = "stop after N failures", .least = 1, .most = UINT64_MAX},
    {.name = NULL},
};

static const struct option_part check_parts[] = {
    {check_rows, 0, NULL},
    {selection_rows, offsetof(struct check_options, request.check.selection),
     "assume-corrected model schedule schedules profile block size level sizes-per-block seed"},
    {compiler_rows, offsetof(struct check_options, request.check.compilers), "nvcc"},
    {common_rows, 0, "deadline steps jobs strict-barriers"},
    {coverage_rows, 0, NULL},
    {NULL, 0, NULL},
};

const struct command check_command = {
    .name = "check",
    .summary = "check a kernel of your own by the line that launches it",
    .arguments = "FILE.cu ... LAUNCH",
    .help = "Looks for wrong accesses, unwritten outputs, wrong barriers and races:\n"
            "'saxpy<<<(n+255)/256, 256>>>(n, 2.0f, in float x[n], inout float y[n])'",
    .parts = check_parts,
    .size = sizeof(struct check_options),
    .words = "a file of CUDA C++ and a launch, such as 'saxpy<<<(n+255)/256, 256>>>(n, 2.0f, in "
             "float x[n], inout float y[n])'",
    .least_words = 2,
    .most_words = 16,
    .takes_flags = true,
    .run = check,
};

static const struct option_row gate_rows[] = {
    {"allow", "WHAT", &option_allowances, REQUEST(allow, struct allowances),
     .initial = "instructions:2%",
     .help = "same-value: report races of writes that all write the same value, but do\n"
             "not fail; warp-barriers: whole warps may meet at different\n"
             "__syncthreads(); instructions:P%, transactions:P%: so much more than\n"
             "before; repeatable"},
    {.name = NULL},
};

static const struct option_part gate_parts[] = {
    {gate_rows, 0, NULL},
    {check_rows, 0, "tolerance case max-failures"},
    {selection_rows, offsetof(struct check_options, request.check.selection),
     "model schedule block size level sizes-per-block seed"},
    {compiler_rows, offsetof(struct check_options, request.check.compilers), NULL},
    {common_rows, 0, "deadline steps jobs strict-barriers"},
    {coverage_rows, 0, NULL},
    {NULL, 0, NULL},
};

const struct command gate_command = {
    .name = "gate",
    .summary = "check the kernels that an edit has changed since a revision",
    .arguments = "REVISION [FILE.cu ... LAUNCH]",
    .help = "Results must still be right, and the cost must not grow. It checks the kernels\n"
            "of the catalogue, or those of your own files.",
    .parts = gate_parts,
    .size = sizeof(struct check_options),
    .words = "a revision, and of files of your own these and a launch",
    .least_words = 1,
    .most_words = 18,
    .takes_flags = true,
    .run = gate,
};
