/* SPDX-License-Identifier: MIT
 *
 * The commands `check` and `gate`. `gate` checks what an edit has changed.
 */
#include "check_capture.h"
#include "check_launch.h"
#include "gate.h"

#include "command.h"
#include "declarations.h"
#include "error_report.h"
#include "launch_lines.h"
#include "replay_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DELAYS_TRIED = 2 }; /* in the schedules of the race check */

#define SELECTION_PART REQUEST_PART(struct gate_request, check.rows.selection)

/* Takes the files and the launch from the words from `first` on. */
static struct check_request *take_launch(const struct command_line *line, size_t first)
{
    struct check_request *request = &((struct gate_request *)line->request)->check;

    request->files.path = line->words + first;
    request->files.count = line->word_count - first - 1;
    request->files.flags = line->flags;
    request->files.flag_count = line->flag_count;
    request->launch = line->words[line->word_count - 1];
    return request;
}

/* Completes the request and returns the session of a command line. It has the limits, and how cases
 * run again: by the command `name`, with the words of this one from `first` on. */
static struct session session_of(const struct command_line *line, const char *name, size_t first,
                                 const struct session *session)
{
    struct check_request *request = &((struct gate_request *)line->request)->check;
    struct session own = *session;

    request->rows.delays = MAX_DELAYS_TRIED;
    request->rows.allow = line->common->allow;
    request->rows.selection.cases.smallest_first = session->sinks->bound.minutes > 0;
    own.limits = common_limits(line->common);
    own.limits.floats = request->floats == FLOATS_EXACT ? FLOATS_EXACT : FLOATS_OF_PTX;
    own.replay = (struct replay_command){.name = name,
                                         .files = line->words + first,
                                         .file_count = line->word_count - first,
                                         .nvcc = request->compilers.nvcc.paths,
                                         .nvcc_count = request->compilers.nvcc.count,
                                         .flags = line->flags,
                                         .flag_count = line->flag_count,
                                         .sizes = &request->rows.selection.cases.size_names,
                                         .oracle = request->oracle,
                                         .against = request->against,
                                         .allowed = &request->rows.allow.places,
                                         .ulps = request->ulps,
                                         .exact_floats = request->floats == FLOATS_EXACT,
                                         .reference_double = request->reference != 0};
    return own;
}

/* Collects the launches that are compiled with that one into `request`: those of the same files and
 * flags. */
static void collect(struct launch_lines *lines, size_t own, struct check_request *request)
{
    const struct command_line *its = &lines->all[own].line;
    const struct launch_text **together =
        memory_take(&lines->memory, lines->file.count * sizeof *together);
    uint32_t found = 0;

    for (size_t k = 0; k < lines->file.count; k++) {
        const struct command_line *line = &lines->all[k].line;
        bool is_same = lines->all[k].is_read && line->word_count == its->word_count &&
                       line->flag_count == its->flag_count;
        for (size_t w = 0; is_same && w + 1 < line->word_count; w++)
            is_same = strcmp(line->words[w], its->words[w]) == 0;
        for (size_t f = 0; is_same && f < line->flag_count; f++)
            is_same = strcmp(line->flags[f], its->flags[f]) == 0;
        if (k == own)
            request->place = found;
        if (is_same && found == 0)
            request->files.is_apart = lines->all[k].is_apart;
        if (is_same)
            together[found++] = &lines->all[k].launch;
    }
    request->files.together = together;
    request->files.together_count = found;
}

static int check_one(const struct command_line *line, const struct session *session)
{
    struct check_request *request = take_launch(line, 0);
    const struct session own = session_of(line, "check", 0, session);

    if (line->of != NULL)
        collect(line->of, line->line, request);
    return check_launch(request, &own);
}

/* ---- A capture ---- */

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Checks that the options apply to captured launches. Returns false after an error message. */
static bool fits_capture(const struct command_line *line)
{
    static const char *const others[] = {"engine",    "compiler",        "oracle", "against",
                                         "reference", "floats",          "block",  "size",
                                         "level",     "sizes-per-block", "seed",   "nvcc"};

    for (size_t g = 0; g < line->given_count; g++)
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (strcmp(line->given[g].row->name, others[k]) == 0)
                return error_report("--%s does not apply to a capture: leave it out", others[k]);
    return line->flag_count == 0 ||
           error_report("a capture is not compiled: leave out the compiler flags");
}

static int check_folder(const struct command_line *line, const struct session *session)
{
    struct check_request *request = take_launch(line, 0);
    struct session own;

    if (!fits_capture(line))
        return EXIT_USAGE;
    request->files.count = 1;
    own = session_of(line, "check", 0, session);
    return check_capture(request, &own);
}

/* Checks that no option for captures is given. Returns false after an error message. */
static bool fits_launch(const struct command_line *line)
{
    const struct check_request *request = &((const struct gate_request *)line->request)->check;

    return (request->rows.selection.glob_count == 0 && request->captured == 0) ||
           error_report("--kernel and --launch select launches of a capture: give the folder of a "
                        "capture, or leave them out");
}

/* ---- No launch ---- */

/* Prints a launch of each kernel of the files, the words from `first` on, because the user gave
 * none. Returns EXIT_USAGE. */
static int show_kernels(const struct command_line *line, size_t first)
{
    struct declarations declarations = {.all = {NULL, 0}};
    const struct declaration *all;

    for (size_t w = first; w < line->word_count; w++)
        if (!declarations_of(&declarations, line->words[w], line->flags, line->flag_count)) {
            declarations_free(&declarations);
            return EXIT_USAGE;
        }
    all = declarations.all.items;
    error_report(declarations.all.count > 0
                     ? "a launch is missing. Give one for a kernel of the file, or write them to "
                       "a file with 'simtcheck init %s':"
                     : "a launch is missing, and '%s' defines no kernel",
                 line->words[first]);
    for (size_t d = 0; d < declarations.all.count; d++)
        fprintf(stderr, "    %s\n", all[d].launch);
    declarations_free(&declarations);
    return EXIT_USAGE;
}

/* Returns whether the words from `first` on are files and a launch. Otherwise, it prints an error
 * message. */
static bool has_launch_word(const struct command_line *line, size_t first)
{
    const char *last = line->words[line->word_count - 1];

    if (line->word_count < first + 2)
        return error_report("%s takes %s", line->command->name, line->command->words);
    for (size_t w = first; w + 1 < line->word_count; w++)
        if (strstr(line->words[w], "<<<") != NULL)
            return error_report("there are two launches, '%s' and '%s': join them by ';', or write "
                                "them to a file NAME.launches",
                                line->words[w], line->words[w + 1]);
    return strstr(last, "<<<") != NULL ||
           error_report("'%s' is not a file, and no launch, which contains '<<<'", last);
}

static int check(const struct command_line *line, const struct session *session)
{
    const char *last = line->words[line->word_count - 1];

    session->sinks->says = line->common->verbose;
    if (line->word_count == 1 && is_folder(last))
        return check_folder(line, session);
    if (!fits_launch(line))
        return EXIT_USAGE;
    if (is_launch_file(last))
        return launch_lines_run(line, 0, SELECTION_PART, session);
    if (strstr(last, "<<<") == NULL && access(last, F_OK) == 0)
        return show_kernels(line, 0);
    return has_launch_word(line, 0) ? check_one(line, session) : EXIT_USAGE;
}

/* ---- gate ---- */

/* Runs `gate`. Cases of a launch are replayed by `check` against the old code, and those of the
 * catalogue by `gate`. Returns the exit status. */
static int gate(const struct command_line *line, const struct session *session)
{
    struct gate_request *request = line->request;
    bool has_launch = line->word_count > 1;
    const char *last = line->words[line->word_count - 1];
    char against[256];
    struct session own;

    session->sinks->says = line->common->verbose;
    if (has_launch && strstr(line->words[0], ".cu") != NULL) {
        error_report("a revision is missing before '%s', such as HEAD", line->words[0]);
        return EXIT_USAGE;
    }
    if (has_launch && is_launch_file(last))
        return launch_lines_run(line, 1, SELECTION_PART, session);
    if (has_launch && strstr(last, "<<<") == NULL && access(last, F_OK) == 0)
        return show_kernels(line, 1);
    if (has_launch && !has_launch_word(line, 1))
        return EXIT_USAGE;
    if (!has_launch && request->check.floats == FLOATS_EXACT) {
        error_report("--floats exact needs a launch: the catalogue's references are not exact");
        return EXIT_USAGE;
    }
    if (!has_launch && request->check.reference != 0) {
        error_report("--reference double needs a launch: the catalogue has references of its own");
        return EXIT_USAGE;
    }
    request->revision = line->words[0];
    if (has_launch) {
        snprintf(against, sizeof against, "git:%s", request->revision);
        take_launch(line, 1)->against = against;
    }
    own = session_of(line, has_launch ? "check" : "gate", has_launch, session);
    return gate_check(request, &own);
}

#define REQUEST(member, type) REQUEST_AT(struct gate_request, check.member, type)

static const char *const float_choices[] = {"exact", NULL};
static const char *const reference_choices[] = {"double", NULL};
static const char *const part_choices[] = {"run", "races", "determinism", NULL};

static const struct option_row launch_rows[] = {
    {"engine", "E", &option_engines, REQUEST(rows.engines, struct engine_list),
     .help = "sim or cuda; repeatable", .usual = "sim, and cuda if there is a GPU"},
    {"compiler", "NAME", &option_choices, REQUEST(front_ends, unsigned int),
     .help = "check the PTX of nvcc or of clang (14 or newer; needs no CUDA toolkit); repeatable",
     .usual = "all that are installed", .choices = front_end_names},
    {"only", "PART", &option_choices, REQUEST(parts, unsigned int),
     .help = "check only one part: run (memory, barriers, outputs), races, or determinism "
             "(bit-identical outputs in every order and on every engine); repeatable",
     .usual = "all", .choices = part_choices},
    {"oracle", "FILE", &option_text, REQUEST(oracle, const char *),
     .help = "compare outputs with those that the function `expected` of FILE computes, in C, or "
             "in C++ (.cpp, .cc, .cxx, .C)",
     .usual = "no reference"},
    {"against", "FILE", &option_text, REQUEST(against, const char *),
     .help = "FILE: compare outputs with those of the same kernels in FILE; git:REV: with those of "
             "the checked files at that revision",
     .usual = "no reference"},
    {"reference", "double", &option_choices, REQUEST(reference, unsigned int),
     .help = "compare floats with those of the same kernels, or of the code of --against, computed "
             "in double precision on the simulator, within a bound of their rounding errors",
     .usual = "no reference", .choices = reference_choices},
    {"tolerance", "ulp:N", &option_tolerance, REQUEST(ulps, uint64_t),
     .help = "floats may differ from the reference by N units in the last place", .usual = "ulp:0"},
    {"floats", "exact", &option_choices, REQUEST(floats, unsigned int),
     .help = "exact: compute with elements of a prime field in place of floats, on the simulator "
             "only: sums in any order are equal, and a wrong term is not",
     .usual = "floats as in PTX", .choices = float_choices},
    OPTION_ALLOW(
        "WHAT:PLACE",
        .help =
            "accept at one place: order:ARRAY (its contents may depend on the order of threads), "
            "same-value:ARRAY or same-value:FILE:LINE (races between writes of equal values), "
            "warp-barriers:FILE:LINE (warps may wait at different __syncthreads()), or "
            "prints:FILE:LINE; it is an error if nothing there needs it; repeatable",
        .usual = "all fail"),
    {"case", "CASE", &option_text, REQUEST(case_id, const char *),
     .help = "run only the case with this case ID; CASE,CASE: run two and compare their outputs",
     .usual = "all"},
    {"max-failures", "N", &option_number, REQUEST(rows.max_failures, uint64_t), .initial = "20",
     .help = "stop after N failures", .least = 1, .most = UINT64_MAX},
    {.name = NULL},
};

static const struct option_row capture_rows[] = {
    {"launch", "N", &option_number, REQUEST(captured, uint64_t),
     .help = "of a capture: replay only the launch with this number", .usual = "all", .least = 1,
     .most = UINT32_MAX},
    {.name = NULL},
};

static const char *const defaults[][2] = {
    {"sizes-per-block", "8, or 256 for a launch with sizes and without B"},
    {"block", "by --level; applies only to a launch with B"},
    {NULL, NULL},
};

static const struct option_part check_parts[] = {
    {launch_rows, 0, NULL, NULL},
    {selection_rows, SELECTION_PART,
     "kernel model schedule schedules memory profile block size shrink level sizes-per-block seed",
     defaults},
    {capture_rows, 0, NULL, NULL},
    {compiler_rows, REQUEST_PART(struct gate_request, check.compilers), "nvcc", NULL},
    {common_rows, 0, "deadline steps jobs strict-barriers expect", NULL},
    {coverage_rows, 0, NULL, NULL},
    {findings_rows, 0, NULL, NULL},
    {text_rows, 0, NULL, NULL},
    {bound_rows, 0, NULL, NULL},
    {NULL, 0, NULL, NULL},
};

const struct command check_command = {
    .name = "check",
    .summary = "check a kernel of yours by the line that launches it",
    .arguments = "FILE.cu ... LAUNCH | FILE.launches | CAPTURE",
    .help =
        "Looks for wrong memory accesses, unwritten outputs, wrong barriers, races, and outputs "
        "that depend on the order of threads. In LAUNCH, arrays have a direction (in, out, inout, "
        "zeros, scratch), a type and a size. The sizes n, nx and ny take many values. CAPTURE is "
        "the "
        "folder of a capture, whose launches are replayed and compared with the GPU's results. A "
        "line of FILE.launches is [FILE.cu:] LAUNCH [OPTION ...] [-- COMPILER FLAGS].",
    .example = "simtcheck check saxpy.cu \\\n    'saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in "
               "float x[n], inout float y[n])'",
    .parts = check_parts,
    .size = sizeof(struct gate_request),
    .words = "a file of CUDA C++ and a launch, such as 'saxpy<<<(n+255)/256, 256>>>(n, 2.0f, in "
             "float x[n], inout float y[n])'",
    .least_words = 1,
    .most_words = 16,
    .takes_flags = true,
    .judges = true,
    .run = check,
};

static const struct option_row gate_rows[] = {
    OPTION_ALLOW(
        "WHAT", .initial = "instructions:2%",
        .help = "order, same-value, warp-barriers and prints as for `check`; instructions:P% or "
                "transactions:P% "
                "allow the cost to grow by P percent; repeatable"),
    {.name = NULL},
};

static const struct option_part gate_parts[] = {
    {gate_rows, 0, NULL, NULL},
    {launch_rows, 0, "reference tolerance floats case max-failures", NULL},
    {selection_rows, SELECTION_PART, "model schedule memory block size level sizes-per-block seed",
     defaults},
    {compiler_rows, REQUEST_PART(struct gate_request, check.compilers), NULL, NULL},
    {common_rows, 0, "deadline steps jobs strict-barriers", NULL},
    {coverage_rows, 0, NULL, NULL},
    {findings_rows, 0, NULL, NULL},
    {text_rows, 0, NULL, NULL},
    {bound_rows, 0, NULL, NULL},
    {NULL, 0, NULL, NULL},
};

const struct command gate_command = {
    .name = "gate",
    .summary = "check the kernels that changed since a git revision",
    .arguments = "REVISION [FILE.cu ... LAUNCH | FILE.launches]",
    .help =
        "Fails if a changed kernel is wrong, or if its instructions or memory transactions grow by "
        "more than --allow permits. Without files it checks the kernels of the catalogue.",
    .example = "simtcheck gate HEAD~1 saxpy.cu \\\n    'saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, "
               "in float x[n], inout float y[n])'",
    .parts = gate_parts,
    .size = sizeof(struct gate_request),
    .words = "a revision, and optionally files of CUDA C++ and a launch or a file of launches",
    .least_words = 1,
    .most_words = 18,
    .takes_flags = true,
    .judges = true,
    .run = gate,
};
