/* SPDX-License-Identifier: MIT */
#include "option_groups.h"

#include "clock.h"
#include "command.h"
#include "message.h"
#include "replay_line.h"

#define SELECTION(member, type) OPTION_AT(struct selection, member, type)
#define COMPILERS(member, type) OPTION_AT(struct compiler_paths, member, type)

/* The row of --json FILE. Checks of launches write other results than checks of the catalogue. */
#define JSON_FILE(member, what, without)                                                           \
    {                                                                                              \
        "json", "FILE", &option_text, COMMON_AT(member, const char *), .help = "also write " what, \
                                                                       .usual = without            \
    }

static const char *const allowed[] = {"warp-barriers", NULL};

const struct option_row common_rows[] = {
    {"require", "E", &option_engine, COMMON_AT(require, const struct engine_kind *),
     .help = "exit with 3 instead of 77 if engine E is not available"},
    {"deadline", "SECONDS", &option_seconds, COMMON_AT(deadline_seconds, double), .initial = "10",
     .help = "time limit of one case"},
    {"steps", "N", &option_number, COMMON_AT(steps, uint64_t),
     .help = "on the engine sim: limit of executed instructions in one case, over all threads",
     .usual = "computed from the launch, far more than a correct kernel needs", .least = 1,
     .most = INT64_MAX},
    {"jobs", "N", &option_number, COMMON_AT(jobs, uint64_t), .help = "worker processes",
     .usual = "one for each core; for a GPU: one, or two with 16 or more cores", .least = 1,
     .most = 64},
    {"shard", "I/N", &option_shard, COMMON_AT(shard, struct shard),
     .help = "do only part I of N of the work (I from 1 to N); needs --json. `merge` merges the "
             "files of all parts",
     .usual = "all"},
    {"strict-barriers", NULL, &option_flag, COMMON_AT(strict_barriers, bool),
     .help =
         "on the engine sim: also report threads that end before a barrier of their block and, in "
         "launches of your own, whole warps that wait at different barriers",
     .usual = "off"},
    OPTION_ALLOW("WHAT",
                 .help =
                     "on the engine sim: warp-barriers allows different warps to wait at different "
                     "__syncthreads()",
                 .usual = "reported", .choices = allowed),
    {"expect", "FILE", &option_text, COMMON_AT(expect, const char *),
     .help = "FILE lists known deviations; a failure that it lists does not count",
     .usual = "every failure counts"},
    JSON_FILE(output, "the results to FILE", "only print them"),
    {.name = NULL},
};

const struct option_row coverage_rows[] = {
    {"coverage", "FILE.info", &option_text, COMMON_AT(coverage, const char *),
     .help = "write which lines, branches and functions of the kernels the simulator executed, in "
             "lcov's format",
     .usual = "no file"},
    {.name = NULL},
};

#define PROCESS_ID "; %p in FILE stands for the process ID"

const struct option_row findings_rows[] = {
    JSON_FILE(findings[FINDINGS_JSON],
              "all results to FILE, as one object for each launch" PROCESS_ID, "no file"),
    {"junit", "FILE", &option_text, COMMON_AT(findings[FINDINGS_JUNIT], const char *),
     .help = "also write the results to FILE in JUnit's XML, with a test case for each "
             "check" PROCESS_ID,
     .usual = "no file"},
    {"sarif", "FILE", &option_text, COMMON_AT(findings[FINDINGS_SARIF], const char *),
     .help = "also write what fails to FILE in SARIF 2.1.0, with source lines" PROCESS_ID,
     .usual = "no file"},
    {.name = NULL},
};

static const char *const colour_words[] = {"always", "never", NULL};

const struct option_row text_rows[] = {
    {"verbose", NULL, &option_flag, COMMON_AT(verbose, bool),
     .help = "also print tables and what was tried (-v)", .usual = "findings and the verdict"},
    {"quiet", NULL, &option_flag, COMMON_AT(quiet, bool), .help = "print the verdict only (-q)",
     .usual = "findings and the verdict"},
    {"color", "WHEN", &option_choices, COMMON_AT(colour, unsigned int), .help = "always or never",
     .usual = "on a terminal, unless NO_COLOR is set", .choices = colour_words},
    {.name = NULL},
};

const struct option_row bound_rows[] = {
    {"minutes", "N", &option_minutes, COMMON_AT(minutes, double),
     .help = "start no new case, schedule or mutant after N minutes, and report what was left out; "
             "small cases then come first, and each launch gets its share of the time",
     .usual = "no limit"},
    {.name = NULL},
};

const struct option_row printing_rows[] = {
    {"json", NULL, &option_flag, COMMON_AT(prints_json, bool),
     .help = "print JSON instead of a table", .usual = "a table"},
    {.name = NULL},
};

static const char *const memory_choices[] = {"weak", NULL}, *const shrink_choices[] = {"free",
                                                                                       NULL};

const struct option_row selection_rows[] = {
    {"kernel", "GLOB", &option_kernels, 0, .help = "only kernels whose name matches; repeatable",
     .usual = "all"},
    {"variant", "VARIANT", &option_variants, 0, .initial = "all",
     .help = "original, corrected or all"},
    {"assume-corrected", NULL, &option_flag, SELECTION(cases.assume_corrected, bool),
     .help = "compare original variants with the oracle outside their domain, too", .usual = "off"},
    {"model", "M", &option_models, SELECTION(cases, struct plan_request), .initial = "both",
     .help = "execution model of the simulator: lockstep, independent or both"},
    {"schedule", "S", &option_schedules, SELECTION(cases, struct plan_request),
     .help =
         "on the simulator: sequential, reverse, random-SEED, or delay-N, in which the thread "
         "(lockstep: the warp) at scheduling point N waits until no other can run; weak-SEED and "
         "execution-N, as random but under weak memory; repeatable",
     .usual = "sequential, reverse and one random"},
    {"schedules", "N", &option_number, SELECTION(cases.random_schedules, uint64_t),
     .help = "N more random schedules for each shape", .usual = "0", .least = 1, .most = 1 << 20},
    {"memory", "weak", &option_choices, SELECTION(cases.weak_memory, unsigned int),
     .help = "on the simulator, under the model independent: also run executions in which accesses "
             "take effect late or out of order, as the PTX memory consistency model allows",
     .usual = "threads take turns", .choices = memory_choices},
    {"profile", "P", &option_profile, SELECTION(cases, struct plan_request),
     .help =
         "on the simulator: rules of nested launches, cdp1 (up to CUDA 11) or cdp2 (since CUDA 12)",
     .usual = "what the kernel needs"},
    {"block", "LIST", &option_blocks, SELECTION(cases, struct plan_request),
     .help = "threads of a block, such as 1-64,256 or 32x16", .usual = "by --level"},
    {"size", "LIST", &option_sizes, SELECTION(cases, struct plan_request),
     .help = "numbers of elements, such as 0-33,1000 or 100x33; for nested kernels of the "
             "catalogue, 4x8d2 means 4 blocks, size 8, maxDepth 2",
     .usual = "by --sizes-per-block"},
    {"shrink", "free", &option_choices, SELECTION(cases.shrinks_freely, unsigned int),
     .help = "with --size: a counterexample may have any smaller size",
     .usual = "with --size, only sizes of it", .choices = shrink_choices},
    {"level", "N", &option_number, SELECTION(cases.level, uint64_t), .initial = "1",
     .help = "block sizes to try. 1: around powers of two; 2: every block size; 3: as 2, with new "
             "seeds until stopped",
     .least = 1, .most = 3},
    {"sizes-per-block", "K", &option_number, SELECTION(cases.sizes_per_block, uint64_t),
     .help = "how many sizes to try for each block if there is no --size",
     .usual = "8, or 4 for blocks of two or three dimensions from level 2 on; and more inside "
              "the domain of an original that has few blocks",
     .least = 1, .most = 1024},
    {"seed", "S", &option_number, SELECTION(cases.seed, uint64_t), .initial = "1",
     .help = "seed of the random sizes, values and programs that the command uses",
     .most = INT64_MAX},
    {.name = NULL},
};

const struct option_row compiler_rows[] = {
    {"nvcc", "PATH", &option_compilers, COMPILERS(nvcc, struct compiler_list),
     .help = "the nvcc to use; repeatable in `compilers`, `bisect` and `snapshot`",
     .usual = "the one on the PATH"},
    {"ptxas", "PATH", &option_compilers, COMPILERS(ptxas, struct compiler_list),
     .help = "the ptxas to use; repeatable in `compilers`, `bisect` and `snapshot`",
     .usual = "the one on the PATH"},
    {"arch", "SM", &option_architecture, COMPILERS(architecture, const char *), .initial = "sm_90",
     .help = "the architecture that ptxas assembles for"},
    {.name = NULL},
};

struct engine_limits common_limits(const struct common_options *common)
{
    return (struct engine_limits){.deadline_seconds = common->deadline_seconds,
                                  .steps = common->steps,
                                  .strict_barriers = common->strict_barriers,
                                  .warp_barriers = common->allow.everywhere != 0};
}

struct session common_session(const struct command_line *line, const struct catalogue *catalogue,
                              struct kept_engine *engines, struct sinks *sinks)
{
    const struct common_options *common = line->common;
    FILE *to = line->command->takes_program ? stderr : stdout; /* stdout belongs to the program */

    *sinks = (struct sinks){
        .coverage_path = common->coverage,
        .findings = {.paths = {common->findings[FINDINGS_JSON], common->findings[FINDINGS_JUNIT],
                               common->findings[FINDINGS_SARIF]},
                     .command = line->command->name,
                     .is_quiet = common->quiet,
                     .to = to,
                     .has_colour = common->colour == 1 || (common->colour == 0 && colours_fit(to)),
                     .results.minutes = common->minutes},
        .bound = bound_start(common->minutes),
        .progress = {.start = clock_seconds()},
        .says = !common->quiet,
        .is_verbose = common->verbose,
        .file = {.path = common->output,
                 .shard = common->shard,
                 .command = line->command->name,
                 .given = command_line_given(line)},
    };
    return (struct session){
        .catalogue = catalogue,
        .jobs = common->jobs,
        .limits = common_limits(common),
        .require = common->require != NULL ? common->require : line->require,
        .require_always = common->require != NULL,
        .engines = engines,
        .sinks = sinks,
    };
}
