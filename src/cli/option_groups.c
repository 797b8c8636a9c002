/* SPDX-License-Identifier: MIT */
#include "option_groups.h"

#include "command.h"
#include "replay_line.h"

#define COMMON(member, type) OPTION_AT(struct common_options, member, type)
#define SELECTION(member, type) OPTION_AT(struct selection, member, type)
#define COMPILERS(member, type) OPTION_AT(struct compiler_paths, member, type)

static const char *const allowed[] = {"warp-barriers", NULL};

const struct option_row common_rows[] = {
    {"require", "E", &option_engine, COMMON(require, const struct engine_kind *),
     .help = "fail when engine E is not available here"},
    {"delay-seed", "S", &option_number, COMMON(delay_seed, uint64_t),
     .help = "seed of the random delays of the engine cuda-stress (default 0)", .most = UINT32_MAX},
    {"delay-density", "PERCENT", &option_number, COMMON(delay_per_cent, uint64_t),
     .help = "how many places are delayed (default 10)", .least = 1, .most = 100},
    {"delay-length", "NANOSECONDS", &option_number, COMMON(delay_longest_ns, uint64_t),
     .help = "the longest delay (default: eight times what a child launch takes)", .least = 1,
     .most = 1000000},
    {"deadline", "SECONDS", &option_seconds, COMMON(deadline_seconds, double), .initial = "10",
     .help = "longest time for one case"},
    {"steps", "N", &option_number, COMMON(steps, uint64_t),
     .help = "most instructions of one case, of all threads together (default: by the\n"
             "launch, far more than it should need); on the engine sim",
     .least = 1, .most = INT64_MAX},
    {"jobs", "N", &option_number, COMMON(jobs, uint64_t),
     .help = "worker processes (default: one a core; for a GPU one, or two with 16 cores)",
     .least = 1, .most = 64},
    {"shard", "I/N", &option_shard, COMMON(shard, struct shard),
     .help = "only the I-th of N parts of the work, from 1 to N; needs --json, whose\n"
             "files `merge` takes"},
    {"strict-barriers", NULL, &option_flag, COMMON(strict_barriers, bool),
     .help = "report threads that return before a barrier of their block; on the engine sim"},
    {"allow", "WHAT", &option_choices, COMMON(allow, unsigned int),
     .help = "warp-barriers: whole warps may meet at different __syncthreads(); on the\n"
             "engine sim",
     .choices = allowed},
    {"json", "FILE", &option_text, COMMON(output, const char *),
     .help = "also write the results to FILE"},
    {.name = NULL},
};

const struct option_row coverage_rows[] = {
    {"coverage", "FILE.info", &option_text, COMMON(coverage, const char *),
     .help = "also write to FILE.info which lines, branches and functions of the kernels\n"
             "were executed on the simulator, as lcov and genhtml read it"},
    {.name = NULL},
};

const struct option_row selection_rows[] = {
    {"kernel", "GLOB", &option_kernels, 0, .help = "only kernels whose id matches; repeatable"},
    {"variant", "F", &option_variants, 0, .initial = "all", .help = "original, corrected or all"},
    {"assume-corrected", NULL, &option_flag, SELECTION(cases.assume_corrected, bool),
     .help = "hold original variants to the oracle outside their domain too"},
    {"model", "M", &option_models, SELECTION(cases, struct plan_request), .initial = "both",
     .help = "lockstep, independent or both; on the simulator"},
    {"schedule", "S", &option_schedules, SELECTION(cases, struct plan_request),
     .help = "sequential, reverse, random:SEED, or delay:N, which stalls the thread that\n"
             "reaches scheduling point N; repeatable (default: one of each of the first\n"
             "three); on the simulator"},
    {"schedules", "N", &option_number, SELECTION(cases.random_schedules, uint64_t),
     .help = "also N random schedules for each shape, from --seed on", .least = 1, .most = 1 << 20},
    {"profile", "P", &option_profile, SELECTION(cases, struct plan_request),
     .help = "cdp1 or cdp2: nested launches as to CUDA 11, or as since CUDA 12\n"
             "(default: what the kernel needs); on the simulator"},
    {"block", "LIST", &option_blocks, SELECTION(cases, struct plan_request),
     .help = "threads a block, such as 1-64,256 or 32x16"},
    {"size", "LIST", &option_sizes, SELECTION(cases, struct plan_request),
     .help = "elements, such as 0-33,1000 or 100x33; for nested kernels blocks, size and\n"
             "maxDepth: 4x8d2"},
    {"level", "N", &option_number, SELECTION(cases.level, uint64_t), .initial = "1",
     .help = "1: blocks around powers of two; 2: every block; 3: until stopped", .least = 1,
     .most = 3},
    {"sizes-per-block", "K", &option_number, SELECTION(cases.sizes_per_block, uint64_t),
     .help = "sizes for each block when --size is not given (default 8; where every\n"
             "block of two or three dimensions is tried, 4)",
     .least = 1, .most = 1024},
    {"seed", "S", &option_number, SELECTION(cases.seed, uint64_t), .initial = "1",
     .help = "seed of sizes and values", .most = INT64_MAX},
    {.name = NULL},
};

const struct option_row compiler_rows[] = {
    {"nvcc", "PATH", &option_compilers, COMPILERS(nvcc, struct compiler_list),
     .help = "a front end to use; repeatable where several are tried (default: on the PATH)"},
    {"ptxas", "PATH", &option_compilers, COMPILERS(ptxas, struct compiler_list),
     .help = "an assembler to use, likewise"},
    {"arch", "SM", &option_architecture, COMPILERS(architecture, const char *), .initial = "sm_90",
     .help = "the architecture to assemble for"},
    {.name = NULL},
};

struct session common_session(const struct command_line *line, const struct catalogue *catalogue)
{
    const struct common_options *common = line->options;

    replay_line_barriers(common->strict_barriers, common->allow != 0);
    return (struct session){
        .catalogue = catalogue,
        .jobs = common->jobs,
        .limits = {.deadline_seconds = common->deadline_seconds,
                   .steps = common->steps,
                   .delays = {.seed = (uint32_t)common->delay_seed,
                              .per_cent = (uint32_t)common->delay_per_cent,
                              .longest_ns = (uint32_t)common->delay_longest_ns},
                   .strict_barriers = common->strict_barriers,
                   .warp_barriers = common->allow != 0},
        .coverage_path = common->coverage,
        .require = common->require != NULL ? common->require : line->require,
        .require_always = common->require != NULL,
        .file = {.path = common->output,
                 .shard = common->shard,
                 .command = line->command->name,
                 .given = command_line_given(line)},
    };
}
