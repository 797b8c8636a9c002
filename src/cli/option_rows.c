/* SPDX-License-Identifier: MIT */
#include "option_rows.h"

#include "complain.h"
#include "lists.h"
#include "token.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_number(struct options *options, const struct option_row *row, const char *word)
{
    uint64_t *number = (uint64_t *)(void *)((char *)options + row->member);
    char *end;

    errno = 0;
    *number = strtoull(word, &end, 10);
    if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0 || *number < row->least ||
        *number > row->most)
        return complain("--%s '%s' is not a whole number from %" PRIu64 " to %" PRIu64, row->name,
                        word, row->least, row->most);
    return true;
}

const char *const part_names[PARTS] = {
    [PART_RUN] = "run",       [PART_RACES] = "races",         [PART_COUNTERS] = "counters",
    [PART_CODE] = "code",     [PART_TOOLCHAIN] = "toolchain", [PART_RATES] = "rates",
    [PART_LADDER] = "ladder",
};

bool option_find_engine(const char *option, const char *word, const struct engine_kind **kind)
{
    *kind = engine_kind_find(word);
    if (*kind == NULL)
        return complain("%s '%s' is not an engine: %s", option, word, engine_kind_names());
    return true;
}

static bool parse_engine(struct options *options, const struct option_row *row, const char *word)
{
    const struct engine_kind *kind;

    (void)row;
    if (!option_find_engine("--engine", word, &kind))
        return false;
    for (size_t e = 0; e < options->engine_count; e++)
        if (options->engines[e] == kind)
            return true;
    options->engines[options->engine_count++] = kind;
    return true;
}

static bool parse_require(struct options *options, const struct option_row *row, const char *word)
{
    (void)row;
    options->require_always = true;
    return option_find_engine("--require", word, &options->require);
}

static bool parse_kernel(struct options *options, const struct option_row *row, const char *word)
{
    struct selection *selection = &options->selection;

    (void)row;
    if (selection->glob_count == MAX_GLOBS)
        return complain("more than %d --kernel options: give fewer", MAX_GLOBS);
    selection->globs[selection->glob_count++] = word;
    return true;
}

static bool parse_form(struct options *options, const struct option_row *row, const char *word)
{
    bool *forms = options->selection.forms;
    enum form form;

    (void)row;
    forms[FORM_PRINTED] = forms[FORM_TOTAL] = strcmp(word, "all") == 0;
    if (forms[FORM_PRINTED])
        return true;
    if (!form_parse(word, &form))
        return complain("--form '%s' is not a form: printed, total or all", word);
    forms[form] = true;
    return true;
}

static bool parse_flag(struct options *options, const struct option_row *row, const char *word)
{
    (void)word;
    *((bool *)options + row->member) = true;
    return true;
}

static bool parse_model(struct options *options, const struct option_row *row, const char *word)
{
    bool *models = options->selection.cases.models;
    enum model model;

    (void)row;
    for (int m = 0; m < MODELS; m++)
        models[m] = strcmp(word, "both") == 0;
    if (models[0])
        return true;
    if (!model_parse(word, &model))
        return complain("--model '%s' is not a model: lockstep, its or both", word);
    models[model] = true;
    return true;
}

static bool parse_schedule(struct options *options, const struct option_row *row, const char *word)
{
    struct plan_request *cases = &options->selection.cases;
    struct schedule schedule;

    (void)row;
    if (!schedule_parse(word, &schedule))
        return complain("--schedule '%s' is not a schedule: sequential, reverse, random:SEED or "
                        "delay:POINT",
                        word);
    if (cases->schedule_count == MAX_SCHEDULES)
        return complain("more than %d --schedule options: give fewer", MAX_SCHEDULES);
    cases->schedules[cases->schedule_count++] = schedule;
    cases->schedules_chosen = true;
    return true;
}

static bool parse_profile(struct options *options, const struct option_row *row, const char *word)
{
    struct plan_request *cases = &options->selection.cases;

    (void)row;
    cases->profile_chosen = true;
    return profile_parse(word, &cases->profile) ||
           complain("--profile '%s' is not a profile: cdp1 or cdp2", word);
}

static bool parse_block(struct options *options, const struct option_row *row, const char *word)
{
    (void)row;
    return lists_add_blocks(options, word) ||
           complain("--block '%s' is not a list of blocks of 1 to 1024 threads, such as "
                    "1-64,256 or 32x16",
                    word);
}

static bool parse_size(struct options *options, const struct option_row *row, const char *word)
{
    (void)row;
    return lists_add_sizes(options, word) ||
           complain("--size '%s' is not a list of sizes of 0 to %" PRIu64
                    " elements, such as 0-33,1000 or 100x33, with a maxDepth such as 4x8d2 where "
                    "the kernel is given one; at most %d of them",
                    word, SIZE_LIMIT, MAX_LIST);
}

static bool parse_shard(struct options *options, const struct option_row *row, const char *word)
{
    (void)row;
    return shard_parse(word, &options->shard) ||
           complain("--shard '%s' is not a shard, such as 2/8: from 1/N to N/N, N at most %d", word,
                    MOST_SHARDS);
}

static bool parse_deadline(struct options *options, const struct option_row *row, const char *word)
{
    char *end;
    double seconds = strtod(word, &end);

    (void)row;
    if (word[strspn(word, "0123456789.")] != '\0' || end == word || *end != '\0' ||
        !(seconds >= 0.1 && seconds <= 86400))
        return complain("--deadline '%s' is not a time in seconds from 0.1 to 86400", word);
    options->deadline_seconds = seconds;
    return true;
}

static bool parse_json(struct options *options, const struct option_row *row, const char *word)
{
    (void)row;
    options->json = word;
    options->list_json = true;
    return true;
}

static bool parse_compiler(struct options *options, const struct option_row *row, const char *word)
{
    bool is_nvcc = strcmp(row->name, "nvcc") == 0;
    size_t *count = is_nvcc ? &options->nvcc_count : &options->ptxas_count;

    if (*count == sizeof options->nvcc / sizeof *options->nvcc)
        return complain("more than %zu --%s options: give fewer", *count, row->name);
    (is_nvcc ? options->nvcc : options->ptxas)[(*count)++] = word;
    return true;
}

static bool parse_text(struct options *options, const struct option_row *row, const char *word)
{
    *(const char **)(void *)((char *)options + row->member) = word;
    return true;
}

static bool parse_only(struct options *options, const struct option_row *row, const char *word)
{
    static const char *const words[] = {"run", "races", "bits"};

    (void)row;
    for (unsigned int k = 0; k < sizeof words / sizeof *words; k++) {
        if (strcmp(word, words[k]) != 0)
            continue;
        options->only |= 1u << k;
        return true;
    }
    return complain("--only '%s' is no part of check: run, races or bits", word);
}

static bool parse_arch(struct options *options, const struct option_row *row, const char *word)
{
    (void)row;
    options->architecture = word;
    return strncmp(word, "sm_", 3) == 0 || complain("--arch '%s' is to be such as sm_90", word);
}

static bool parse_part(struct options *options, const struct option_row *row, const char *word)
{
    (void)row;
    for (int p = 0; p < PARTS; p++) {
        if (strcmp(word, part_names[p]) != 0)
            continue;
        options->parts |= 1u << p;
        return true;
    }
    return complain(
        "--part '%s' is no part of a snapshot: run, races, counters, code, toolchain, rates or "
        "ladder",
        word);
}

static bool parse_tolerance(struct options *options, const struct option_row *row, const char *word)
{
    int length = -1;

    (void)row;
    return (sscanf(word, "ulp:%" SCNu64 "%n", &options->ulps, &length) == 1 && length > 0 &&
            word[length] == '\0' && word[4] != '-' && options->ulps <= UINT32_MAX) ||
           complain("--tolerance '%s' is to be such as ulp:4, units in the last place", word);
}

/* "instructions:5%", behind the colon. */
static bool parse_per_cent(const char *word, uint64_t *per_cent)
{
    int length = -1;

    return word[0] >= '0' && word[0] <= '9' &&
           sscanf(word, "%" SCNu64 "%n", per_cent, &length) == 1 && length > 0 &&
           strcmp(word + length, "%") == 0 && *per_cent <= 1000000;
}

static bool parse_allow(struct options *options, const struct option_row *row, const char *word)
{
    static const char instructions[] = "instructions:", transactions[] = "transactions:";

    (void)row;
    options->allow_same_value = options->allow_same_value || strcmp(word, "same-value") == 0;
    return strcmp(word, "same-value") == 0 ||
           (strncmp(word, instructions, sizeof instructions - 1) == 0 &&
            parse_per_cent(word + sizeof instructions - 1, &options->allow_instructions)) ||
           (strncmp(word, transactions, sizeof transactions - 1) == 0 &&
            parse_per_cent(word + sizeof transactions - 1, &options->allow_transactions)) ||
           complain("--allow '%s' is to be same-value, instructions:5%% or transactions:5%%", word);
}

/* ---- The table ---- */

/* The member must be a uint64_t. */
#define NUMBER(member)                                                                             \
    parse_number,                                                                                  \
        offsetof(struct options, member) + _Generic(((struct options *)NULL)->member, uint64_t     \
                                                    : (size_t)0)
/* Likewise a bool. */
#define FLAG(member)                                                                               \
    parse_flag, offsetof(struct options, member) + _Generic(((struct options *)NULL)->member, bool \
                                                            : (size_t)0)
/* Likewise a const char *. */
#define TEXT(member)                                                                               \
    parse_text, offsetof(struct options, member) +                                                 \
                    _Generic(((struct options *)NULL)->member, const char * : (size_t)0)
#define OTHER(parse) parse, 0

const struct option_row option_rows[] = {
    {.help = "What to run:"},
    {"engine", "E", OTHER(parse_engine), 0, 0, "list run counters agree races snapshot check",
     "host, ptx, cuda or cuda-delayed; run, agree, snapshot, check: repeatable\n"
     "(default: host and cuda, as far as they are available; snapshot: all;\n"
     "check: ptx and cuda; agree: cuda; counters and races, which take host\n"
     "or ptx: host)"},
    {"require", "E", OTHER(parse_require), 0, 0, "run replay blame agree delays toolchain snapshot",
     "fail when engine E is not available here"},
    {"kernel", "GLOB", OTHER(parse_kernel), 0, 0, "run counters agree races delays snapshot mutate",
     "only kernels whose id matches; repeatable"},
    {"form", "F", OTHER(parse_form), 0, 0, "run counters races delays snapshot",
     "printed, total or all (default all)"},
    {"assume-total", NULL, FLAG(selection.cases.assume_total), 0, 0, "run snapshot check",
     "hold printed forms to the oracle outside their domain too"},
    {"model", "M", OTHER(parse_model), 0, 0, "run races snapshot check gate mutate",
     "lockstep, its or both (default both); host engine"},
    {"schedule", "S", OTHER(parse_schedule), 0, 0, "run counters races snapshot check gate mutate",
     "sequential, reverse, random:SEED, or delay:POINT, which holds back\n"
     "whoever is to make that scheduling point; repeatable (default: one\n"
     "of each of the first three); host engine"},
    {"schedules", "N", NUMBER(selection.cases.random_schedules), 1, 1 << 20,
     "run snapshot check mutate", "also N random schedules for each shape, from --seed on"},
    {"profile", "P", OTHER(parse_profile), 0, 0, "run races snapshot check mutate",
     "cdp1 or cdp2: nested launches as to CUDA 11, or as since CUDA 12\n"
     "(default: what the kernel needs); host engine"},
    {"block", "LIST", OTHER(parse_block), 0, 0,
     "run counters agree races delays snapshot check gate mutate",
     "threads a block, such as 1-64,256 or 32x16"},
    {"size", "LIST", OTHER(parse_size), 0, 0, "run counters agree races snapshot check gate mutate",
     "elements, such as 0-33,1000 or 100x33; for nested kernels blocks, size and maxDepth: 4x8d2"},
    {"delay-seed", "S", NUMBER(delay_seed), 0, UINT32_MAX, "run replay delays snapshot", NULL},
    {"delay-density", "PERCENT", NUMBER(delay_per_cent), 1, 100, "run replay delays snapshot",
     NULL},
    {"delay-length", "NANOSECONDS", NUMBER(delay_longest_ns), 1, 1000000,
     "run replay delays snapshot",
     "of the random delays of cuda-delayed (default: 0, 10, and eight\n"
     "times what a child launch takes)"},
    {"nvcc", "PATH", OTHER(parse_compiler), 0, 0, "blame toolchain snapshot check gate mutate",
     NULL},
    {"ptxas", "PATH", OTHER(parse_compiler), 0, 0, "blame toolchain snapshot gate mutate",
     "a front end or assembler to try; repeatable (default: on the PATH)"},
    {"arch", "SM", OTHER(parse_arch), 0, 0, "blame toolchain snapshot gate mutate",
     "to assemble for (default sm_90)"},
    {"token", "TOKEN", TEXT(token), 0, 0, "check gate", "only the case of that token"},
    {"only", "PART", OTHER(parse_only), 0, 0, "check",
     "run: memory, barriers, outputs; races; or bits, the same in every\n"
     "order and on every engine; repeatable (default: all)"},
    {"oracle", "FILE.c", TEXT(oracle), 0, 0, "check",
     "hold outputs to what `expected` of that file computes (docs/check.md)"},
    {"against", "FILE", TEXT(against), 0, 0, "check",
     "hold outputs to those of the same kernels in FILE, or, for git:REV, in\n"
     "that revision of the file"},
    {"tolerance", "ulp:N", OTHER(parse_tolerance), 0, 0, "check gate",
     "floats may be N units in the last place away from that (default 0)"},
    {"allow", "WHAT", OTHER(parse_allow), 0, 0, "check gate",
     "same-value: races of writes that all write the same are told and do no\n"
     "harm; instructions:P%, transactions:P%: so much more than before\n"
     "(default 2 and 0; gate); repeatable"},
    {.help = "How much:"},
    {"count", "N", NUMBER(count), 0, 1 << 30, "toolchain", NULL},
    {"minutes", "M", NUMBER(minutes), 1, 100000, "toolchain",
     "programs to draw besides the idioms, or for how long (default 2000)"},
    {"no-idioms", NULL, FLAG(no_idioms), 0, 0, "toolchain", "programs that are drawn alone"},
    {"level", "N", NUMBER(selection.cases.level), 1, 3,
     "run agree races snapshot check gate mutate",
     "1: blocks around powers of two; 2: every block; 3: until stopped"},
    {"sizes-per-block", "K", NUMBER(selection.cases.sizes_per_block), 1, 1024,
     "run agree races snapshot check gate mutate",
     "sizes for each block when --size is not given (default 8; where every block of two or three "
     "dimensions is tried, 4)"},
    {"seed", "S", NUMBER(selection.cases.seed), 0, INT64_MAX,
     "run agree races delays toolchain snapshot check gate mutate",
     "seed of sizes and values (default 1)"},
    {"errors", "N", NUMBER(errors), 1, UINT64_MAX, "run races snapshot check gate",
     "stop after N failures (default 20)"},
    {"delays", "D", NUMBER(delays), 0, 2, "races snapshot", ""},
    {"runs", "N", NUMBER(runs), 1, 1000, "delays", ""},
    {"deadline", "SECONDS", OTHER(parse_deadline), 0, 0,
     "run replay blame counters agree races delays toolchain snapshot check gate mutate",
     "longest time for one case (default 10; mutate: 1)"},
    {"jobs", "N", NUMBER(jobs), 1, 64, "run agree races toolchain snapshot check gate mutate",
     "worker processes (default: one a core; for a GPU one, or two with 16 cores)"},
    {"shard", "I/N", OTHER(parse_shard), 0, 0, "run races toolchain",
     "only the I-th of N parts of the work, from 1 to N; needs --json, whose\n"
     "files `merge` takes"},
    {.help = "Reports:"},
    {"by-barrier", NULL, FLAG(by_barrier), 0, 0, "counters",
     "also loads, stores, lanes and split warps between barriers"},
    {"out", "FILE", OTHER(parse_json), 0, 0, "snapshot mutate", ""},
    {"part", "PART", OTHER(parse_part), 0, 0, "snapshot",
     "only run, races, counters, code, toolchain, rates or ladder; repeatable"},
    {"json", "FILE", OTHER(parse_json), 0, 0,
     "run blame counters agree races delays toolchain compare merge",
     "also write the results to FILE (list: --json alone, to output)"},
    {"json", NULL, OTHER(parse_json), 0, 0, "list", ""},
    {"html", "FILE", TEXT(html), 0, 0, "report", ""},
    {"ctest", "FILE", TEXT(ctest), 0, 0, "list", ""},
};

_Static_assert(sizeof option_rows / sizeof *option_rows == OPTION_ROWS, "how many there are");

bool option_is_repeatable(const struct option_row *row)
{
    return row->parse == parse_engine || row->parse == parse_kernel ||
           row->parse == parse_schedule || row->parse == parse_block || row->parse == parse_size ||
           row->parse == parse_flag || row->parse == parse_compiler || row->parse == parse_part ||
           row->parse == parse_only || row->parse == parse_allow;
}
