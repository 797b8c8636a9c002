/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LIST = 1 << 20 };

static bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool complain(const char *format, ...)
{
    va_list values;
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    return false;
}

void options_help(const char *program)
{
    printf(
        "usage: %s list [--json] | run | replay TOKEN | counters | agree | races | delays "
        "[OPTIONS]\n"
        "\n"
        "Checks CUDA kernels against a CPU oracle, on a GPU and on a host engine.\n"
        "\n"
        "  list                 show every kernel variant with its domain\n"
        "  run                  run cases and print a verdict for each variant\n"
        "  replay TOKEN         run one case again\n"
        "  counters             count what one case costs in global memory, as a profiler does:\n"
        "                       --kernel K --block B --size N [--form F] [--json FILE]\n"
        "  agree                hold the GPU to the host engine where a printed form is outside "
        "its\n"
        "                       domain and still has one defined result\n"
        "  races                find accesses that nothing orders, and schedules in which they "
        "change\n"
        "                       the result; and search the schedules of what is free of races,\n"
        "                       with up to --delays D in each (default 2)\n"
        "  delays               run each kernel --runs N times (default 20) by the engine\n"
        "                       cuda-delayed and count the wrong results\n"
        "\n"
        "What to run:\n"
        "  --engine E           host, cuda or cuda-delayed; repeatable (default: host and cuda, "
        "as\n"
        "                       far as they are available)\n"
        "  --require E          fail when engine E is not available here\n"
        "  --kernel GLOB        only kernels whose id matches; repeatable\n"
        "  --form F             printed, total or all (default all)\n"
        "  --assume-total       hold printed forms to the oracle outside their domain too\n"
        "  --model M            lockstep, its or both (default both); host engine\n"
        "  --schedule S         sequential, reverse, random:SEED, or delay:POINT, which holds "
        "back\n"
        "                       whoever is to make that scheduling point; repeatable (default: "
        "one\n"
        "                       of each of the first three); host engine\n"
        "  --schedules N        also N random schedules for each shape, from --seed on\n"
        "  --profile P          cdp1 or cdp2: nested launches as to CUDA 11, or as since CUDA 12\n"
        "                       (default: what the kernel needs); host engine\n"
        "  --block LIST         threads a block, such as 1-64,256 or 32x16\n"
        "  --size LIST          elements, such as 0-33,1000 or 100x33\n"
        "  --delay-seed S, --delay-density PERCENT, --delay-length NANOSECONDS\n"
        "                       of the random delays of cuda-delayed (default: 0, 10, and eight\n"
        "                       times what a child launch takes)\n"
        "\n"
        "How much:\n"
        "  --level N            1: blocks around powers of two; 2: every block; 3: until stopped\n"
        "  --sizes-per-block K  sizes for each block when --size is not given (default 8)\n"
        "  --seed S             seed of sizes and values (default 1)\n"
        "  --errors N           stop after N failures (default 20)\n"
        "  --deadline SECONDS   longest time for one case (default 10)\n"
        "  --jobs N             worker processes (default: one a core)\n"
        "\n"
        "Reports:\n"
        "  --json FILE          also write the results to FILE (list: --json alone, to output)\n"
        "\n"
        "SIMTCHECK_REQUIRE=E in the environment is --require E for the runs that use engine E.\n"
        "\n"
        "Exit status: 0 conforms, 1 does not, 2 bad usage, 3 internal or environment failure,\n"
        "77 the engine is not available here.\n",
        program);
}

static bool whole_number(const char *option, const char *word, uint64_t least, uint64_t most,
                         uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(word, &end, 10);
    if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0 || *number < least ||
        *number > most)
        return complain("%s '%s' is not a whole number from %" PRIu64 " to %" PRIu64, option, word,
                        least, most);
    return true;
}

/* Does what `add` does for each item of a comma-separated list: a number, a range A-B, or numbers
 * joined by 'x'. */
static bool parse_list(const char *list, size_t dimensions, uint64_t limit,
                       bool (*add)(struct options *, const uint64_t numbers[MAX_DIMENSIONS]),
                       struct options *options)
{
    char *copy = strdup(list), *rest = copy, *item;
    bool good = copy != NULL && *copy != '\0';

    while (good && (item = strsep(&rest, ",")) != NULL) {
        uint64_t low[MAX_DIMENSIONS], high[MAX_DIMENSIONS];
        char *dash = strchr(item, '-');
        if (dash != NULL)
            *dash = '\0';
        good = dimensions_parse(item, dash != NULL ? 1 : dimensions, limit, low) != 0;
        if (good && dash != NULL) {
            good = dimensions_parse(dash + 1, 1, limit, high) != 0 && low[0] <= high[0] &&
                   high[0] - low[0] < MAX_LIST;
            for (; good && low[0] < high[0]; low[0]++)
                good = add(options, low);
        }
        good = good && add(options, low);
    }
    free(copy);
    return good;
}

static bool add_block(struct options *options, const uint64_t numbers[MAX_DIMENSIONS])
{
    uint64_t threads = numbers[0] * numbers[1] * numbers[2];
    struct extent *blocks;

    if (threads < 1 || threads > 1024 || numbers[2] > 64 || options->block_count == MAX_LIST)
        return false;
    blocks = realloc(options->blocks, (options->block_count + 1) * sizeof *blocks);
    if (blocks == NULL)
        return false;
    blocks[options->block_count++] =
        (struct extent){(uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2]};
    options->blocks = blocks;
    return true;
}

static bool add_size(struct options *options, const uint64_t numbers[MAX_DIMENSIONS])
{
    uint64_t(*sizes)[2];

    if (options->size_count == MAX_LIST || (numbers[0] > 0 && numbers[1] > SIZE_LIMIT / numbers[0]))
        return false;
    sizes = realloc(options->sizes, (options->size_count + 1) * sizeof *sizes);
    if (sizes == NULL)
        return false;
    sizes[options->size_count][0] = numbers[0];
    sizes[options->size_count++][1] = numbers[1];
    options->sizes = sizes;
    return true;
}

static bool known_engine(const char *option, const char *word)
{
    if (!engine_is_known(word))
        return complain("%s '%s' is not an engine: host, cuda or cuda-delayed", option, word);
    return true;
}

static bool add_engine(struct options *options, const char *word)
{
    if (!known_engine("--engine", word))
        return false;
    for (size_t e = 0; e < options->engine_count; e++)
        if (strcmp(options->engines[e], word) == 0)
            return true;
    options->engines[options->engine_count++] = word;
    return true;
}

static bool set_forms(struct options *options, const char *word)
{
    enum form form;

    options->forms[FORM_PRINTED] = options->forms[FORM_TOTAL] = strcmp(word, "all") == 0;
    if (options->forms[FORM_PRINTED])
        return true;
    if (!form_parse(word, &form))
        return complain("--form '%s' is not a form: printed, total or all", word);
    options->forms[form] = true;
    return true;
}

static bool set_models(struct options *options, const char *word)
{
    enum model model;

    for (int m = 0; m < MODELS; m++)
        options->models[m] = strcmp(word, "both") == 0;
    if (options->models[0])
        return true;
    if (!model_parse(word, &model))
        return complain("--model '%s' is not a model: lockstep, its or both", word);
    options->models[model] = true;
    return true;
}

static bool add_schedule(struct options *options, const char *word)
{
    struct schedule schedule;

    if (!schedule_parse(word, &schedule))
        return complain("--schedule '%s' is not a schedule: sequential, reverse, random:SEED or "
                        "delay:POINT",
                        word);
    if (options->schedule_count == MAX_SCHEDULES)
        return complain("more than %d --schedule options: give fewer", MAX_SCHEDULES);
    options->schedules[options->schedule_count++] = schedule;
    options->schedules_chosen = true;
    return true;
}

static bool set_deadline(struct options *options, const char *word)
{
    char *end;
    double seconds = strtod(word, &end);

    if (end == word || *end != '\0' || !(seconds >= 0.1 && seconds <= 86400))
        return complain("--deadline '%s' is not a time in seconds from 0.1 to 86400", word);
    options->limits.deadline_seconds = seconds;
    return true;
}

enum option_code {
    OPTION_ENGINE = 256,
    OPTION_REQUIRE,
    OPTION_KERNEL,
    OPTION_FORM,
    OPTION_ASSUME_TOTAL,
    OPTION_MODEL,
    OPTION_SCHEDULE,
    OPTION_SCHEDULES,
    OPTION_PROFILE,
    OPTION_BLOCK,
    OPTION_SIZE,
    OPTION_LEVEL,
    OPTION_SIZES_PER_BLOCK,
    OPTION_SEED,
    OPTION_ERRORS,
    OPTION_DEADLINE,
    OPTION_RUNS,
    OPTION_DELAYS,
    OPTION_DELAY_SEED,
    OPTION_DELAY_DENSITY,
    OPTION_DELAY_LENGTH,
    OPTION_JOBS,
    OPTION_JSON,
};

static bool set_option(struct options *options, int code, const char *word)
{
    uint64_t number = 0;
    bool good = true;

    switch ((enum option_code)code) {
    case OPTION_ENGINE:
        return add_engine(options, word);
    case OPTION_REQUIRE:
        options->require = word;
        options->require_always = true;
        return known_engine("--require", word);
    case OPTION_KERNEL:
        if (options->glob_count == MAX_GLOBS)
            return complain("more than %d --kernel options: give fewer", MAX_GLOBS);
        options->globs[options->glob_count++] = word;
        return true;
    case OPTION_FORM:
        return set_forms(options, word);
    case OPTION_ASSUME_TOTAL:
        options->assume_total = true;
        return true;
    case OPTION_MODEL:
        return set_models(options, word);
    case OPTION_SCHEDULE:
        return add_schedule(options, word);
    case OPTION_SCHEDULES:
        good = whole_number("--schedules", word, 1, 1 << 20, &number);
        options->random_schedules = (size_t)number;
        return good;
    case OPTION_PROFILE:
        options->profile_chosen = true;
        return profile_parse(word, &options->profile) ||
               complain("--profile '%s' is not a profile: cdp1 or cdp2", word);
    case OPTION_BLOCK:
        return parse_list(word, 3, 1024, add_block, options) ||
               complain("--block '%s' is not a list of blocks of 1 to 1024 threads, such as "
                        "1-64,256 or 32x16",
                        word);
    case OPTION_SIZE:
        return parse_list(word, 2, SIZE_LIMIT, add_size, options) ||
               complain("--size '%s' is not a list of sizes of 0 to %" PRIu64
                        ", elements, such as 0-33,1000 or "
                        "100x33",
                        word, SIZE_LIMIT);
    case OPTION_LEVEL:
        good = whole_number("--level", word, 1, 3, &number);
        options->level = (unsigned int)number;
        return good;
    case OPTION_SIZES_PER_BLOCK:
        good = whole_number("--sizes-per-block", word, 1, 1024, &number);
        options->sizes_per_block = (unsigned int)number;
        return good;
    case OPTION_SEED:
        return whole_number("--seed", word, 0, UINT64_MAX, &options->seed);
    case OPTION_ERRORS:
        return whole_number("--errors", word, 1, UINT64_MAX, &options->errors);
    case OPTION_DEADLINE:
        return set_deadline(options, word);
    case OPTION_DELAYS:
        good = whole_number("--delays", word, 0, 2, &number);
        options->delays = (unsigned int)number;
        return good;
    case OPTION_RUNS:
        return whole_number("--runs", word, 1, 1000, &options->runs);
    case OPTION_DELAY_SEED:
        good = whole_number("--delay-seed", word, 0, UINT32_MAX, &number);
        options->limits.delays.seed = (uint32_t)number;
        return good;
    case OPTION_DELAY_DENSITY:
        good = whole_number("--delay-density", word, 1, 100, &number);
        options->limits.delays.per_cent = (uint32_t)number;
        return good;
    case OPTION_DELAY_LENGTH:
        good = whole_number("--delay-length", word, 1, 1000000, &number);
        options->limits.delays.longest_ns = (uint32_t)number;
        return good;
    case OPTION_JOBS:
        good = whole_number("--jobs", word, 1, 64, &number);
        options->jobs = (unsigned int)number;
        return good;
    case OPTION_JSON:
        options->json = word;
        options->list_json = true;
        return true;
    }
    return false;
}

static const struct option run_options[] = {
    {"engine", required_argument, NULL, OPTION_ENGINE},
    {"require", required_argument, NULL, OPTION_REQUIRE},
    {"kernel", required_argument, NULL, OPTION_KERNEL},
    {"form", required_argument, NULL, OPTION_FORM},
    {"assume-total", no_argument, NULL, OPTION_ASSUME_TOTAL},
    {"model", required_argument, NULL, OPTION_MODEL},
    {"schedule", required_argument, NULL, OPTION_SCHEDULE},
    {"schedules", required_argument, NULL, OPTION_SCHEDULES},
    {"profile", required_argument, NULL, OPTION_PROFILE},
    {"block", required_argument, NULL, OPTION_BLOCK},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"level", required_argument, NULL, OPTION_LEVEL},
    {"sizes-per-block", required_argument, NULL, OPTION_SIZES_PER_BLOCK},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"errors", required_argument, NULL, OPTION_ERRORS},
    {"deadline", required_argument, NULL, OPTION_DEADLINE},
    {"delay-seed", required_argument, NULL, OPTION_DELAY_SEED},
    {"delay-density", required_argument, NULL, OPTION_DELAY_DENSITY},
    {"delay-length", required_argument, NULL, OPTION_DELAY_LENGTH},
    {"jobs", required_argument, NULL, OPTION_JOBS},
    {"json", required_argument, NULL, OPTION_JSON},
    {0},
};

static const struct option replay_options[] = {
    {"require", required_argument, NULL, OPTION_REQUIRE},
    {"delay-seed", required_argument, NULL, OPTION_DELAY_SEED},
    {"delay-density", required_argument, NULL, OPTION_DELAY_DENSITY},
    {"delay-length", required_argument, NULL, OPTION_DELAY_LENGTH},
    {"deadline", required_argument, NULL, OPTION_DEADLINE},
    {0},
};

static const struct option counters_options[] = {
    {"kernel", required_argument, NULL, OPTION_KERNEL},
    {"form", required_argument, NULL, OPTION_FORM},
    {"block", required_argument, NULL, OPTION_BLOCK},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"schedule", required_argument, NULL, OPTION_SCHEDULE},
    {"deadline", required_argument, NULL, OPTION_DEADLINE},
    {"json", required_argument, NULL, OPTION_JSON},
    {0},
};

static const struct option agree_options[] = {
    {"require", required_argument, NULL, OPTION_REQUIRE},
    {"kernel", required_argument, NULL, OPTION_KERNEL},
    {"block", required_argument, NULL, OPTION_BLOCK},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"level", required_argument, NULL, OPTION_LEVEL},
    {"sizes-per-block", required_argument, NULL, OPTION_SIZES_PER_BLOCK},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"deadline", required_argument, NULL, OPTION_DEADLINE},
    {"jobs", required_argument, NULL, OPTION_JOBS},
    {"json", required_argument, NULL, OPTION_JSON},
    {0},
};

static const struct option races_options[] = {
    {"kernel", required_argument, NULL, OPTION_KERNEL},
    {"form", required_argument, NULL, OPTION_FORM},
    {"model", required_argument, NULL, OPTION_MODEL},
    {"schedule", required_argument, NULL, OPTION_SCHEDULE},
    {"profile", required_argument, NULL, OPTION_PROFILE},
    {"block", required_argument, NULL, OPTION_BLOCK},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"level", required_argument, NULL, OPTION_LEVEL},
    {"sizes-per-block", required_argument, NULL, OPTION_SIZES_PER_BLOCK},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"delays", required_argument, NULL, OPTION_DELAYS},
    {"deadline", required_argument, NULL, OPTION_DEADLINE},
    {"jobs", required_argument, NULL, OPTION_JOBS},
    {"json", required_argument, NULL, OPTION_JSON},
    {0},
};

static const struct option delays_options[] = {
    {"require", required_argument, NULL, OPTION_REQUIRE},
    {"kernel", required_argument, NULL, OPTION_KERNEL},
    {"form", required_argument, NULL, OPTION_FORM},
    {"block", required_argument, NULL, OPTION_BLOCK},
    {"runs", required_argument, NULL, OPTION_RUNS},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"delay-seed", required_argument, NULL, OPTION_DELAY_SEED},
    {"delay-density", required_argument, NULL, OPTION_DELAY_DENSITY},
    {"delay-length", required_argument, NULL, OPTION_DELAY_LENGTH},
    {"deadline", required_argument, NULL, OPTION_DEADLINE},
    {"json", required_argument, NULL, OPTION_JSON},
    {0},
};

static const struct option list_options[] = {
    {"json", no_argument, NULL, OPTION_JSON},
    {0},
};

static const struct {
    const char *name;
    enum command command;
    const struct option *options;
} commands[] = {
    {"list", COMMAND_LIST, list_options},
    {"run", COMMAND_RUN, run_options},
    {"replay", COMMAND_REPLAY, replay_options},
    {"help", COMMAND_HELP, NULL},
    {"--help", COMMAND_HELP, NULL},
    {"-h", COMMAND_HELP, NULL},
    {"--version", COMMAND_VERSION, NULL},
    {"counters", COMMAND_COUNTERS, counters_options},
    {"agree", COMMAND_AGREE, agree_options},
    {"races", COMMAND_RACES, races_options},
    {"delays", COMMAND_DELAYS, delays_options},
};

static void set_defaults(struct options *options)
{
    *options = (struct options){
        .forms = {true, true},
        .models = {true, true},
        .seed = 1,
        .level = 1,
        .sizes_per_block = 8,
        .errors = 20,
        .runs = 20,
        .delays = 2,
        .limits = {.deadline_seconds = 10},
    };
}

static void add_default_schedules(struct options *options)
{
    if (options->schedule_count > 0)
        return;
    options->schedules[0].kind = SCHEDULE_SEQUENTIAL;
    options->schedules[1].kind = SCHEDULE_REVERSE;
    options->schedules[2] = (struct schedule){SCHEDULE_RANDOM, options->seed, {0}};
    options->schedule_count = 3;
}

static bool parse_command_options(int argc, char **argv, const struct option *known,
                                  struct options *options)
{
    int code;

    optind = 1;
    opterr = 0;
    while ((code = getopt_long(argc, argv, ":h", known, NULL)) != -1) {
        if (code == ':')
            return complain("%s needs a value: see --help", argv[optind - 1]);
        if (code == 'h') {
            options->command = COMMAND_HELP;
            return true;
        }
        if (code == '?')
            return complain("%s does not go with '%s': see --help", argv[optind - 1], argv[0]);
        if (!set_option(options, code, optarg))
            return false;
    }
    if (options->command == COMMAND_REPLAY) {
        if (optind + 1 != argc)
            return complain("replay takes one token, as a report printed it");
        options->token = argv[optind++];
    }
    if (optind < argc)
        return complain("'%s' is not an option: see --help", argv[optind]);
    return true;
}

static bool wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0)
            return true;
    return false;
}

bool options_parse(int argc, char **argv, struct options *options)
{
    set_defaults(options);
    options->require = getenv("SIMTCHECK_REQUIRE");
    if (options->require != NULL && options->require[0] == '\0')
        options->require = NULL;
    if (options->require != NULL && !known_engine("SIMTCHECK_REQUIRE", options->require))
        return false;
    if (argc < 2)
        return complain("a command is missing: list, run, replay, counters, agree, races or "
                        "delays; see --help");
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        if (strcmp(argv[1], commands[c].name) != 0)
            continue;
        options->command = wants_help(argc, argv) ? COMMAND_HELP : commands[c].command;
        if (options->command == COMMAND_HELP || commands[c].options == NULL)
            return true;
        if (!parse_command_options(argc - 1, argv + 1, commands[c].options, options))
            return false;
        add_default_schedules(options);
        return true;
    }
    return complain("'%s' is not a command: list, run, replay, counters, agree, races or "
                    "delays; see --help",
                    argv[1]);
}

void options_free(struct options *options)
{
    free(options->blocks);
    free(options->sizes);
    options->blocks = NULL;
    options->sizes = NULL;
}

bool options_select(const struct options *options, const struct variant *variant)
{
    bool named = options->glob_count == 0;

    for (size_t g = 0; g < options->glob_count; g++)
        named = named || fnmatch(options->globs[g], variant->id, 0) == 0;
    return named && options->forms[variant->form];
}
