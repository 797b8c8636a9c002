/* SPDX-License-Identifier: MIT */
#include "options.h"

#include "command.h"
#include "complain.h"
#include "lists.h"
#include "token.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMN = 23, HELP_WORD = 20 };

/* ---- Values ---- */

/* A row of the table of options. A whole number from `least` to `most` goes to the member of struct
 * options at `member`; anything else is for `parse`. */
struct option_row {
    const char *name;
    const char *metavariable; /* null: takes no value */
    bool (*parse)(struct options *options, const struct option_row *row, const char *word);
    size_t member;
    uint64_t least, most;
    const char *commands; /* their names, separated by spaces */
    const char *help;     /* lines; null: stands with the next option; "": with its command */
};

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
    [PART_RUN] = "run",   [PART_RACES] = "races",         [PART_COUNTERS] = "counters",
    [PART_CODE] = "code", [PART_TOOLCHAIN] = "toolchain", [PART_RATES] = "rates",
};

static bool find_engine(const char *option, const char *word, const struct engine_kind **kind)
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
    if (!find_engine("--engine", word, &kind))
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
    return find_engine("--require", word, &options->require);
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
                    ", elements, such as 0-33,1000 or "
                    "100x33",
                    word, SIZE_LIMIT);
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

static bool parse_token(struct options *options, const struct option_row *row, const char *word)
{
    (void)row;
    options->token = word;
    return true;
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
        "--part '%s' is no part of a snapshot: run, races, counters, code, toolchain or "
        "rates",
        word);
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
#define OTHER(parse) parse, 0

/* Rows without a name are headings of --help. */
static const struct option_row rows[] = {
    {.help = "What to run:"},
    {"engine", "E", OTHER(parse_engine), 0, 0, "run counters agree races snapshot check",
     "host, ptx, cuda or cuda-delayed; run, agree, snapshot: repeatable\n"
     "(default: host and cuda, as far as they are available; snapshot: all;\n"
     "agree: cuda; counters and races, which take host or ptx: host)"},
    {"require", "E", OTHER(parse_require), 0, 0, "run replay blame agree delays toolchain snapshot",
     "fail when engine E is not available here"},
    {"kernel", "GLOB", OTHER(parse_kernel), 0, 0, "run counters agree races delays snapshot mutate",
     "only kernels whose id matches; repeatable"},
    {"form", "F", OTHER(parse_form), 0, 0, "run counters races delays snapshot",
     "printed, total or all (default all)"},
    {"assume-total", NULL, FLAG(selection.cases.assume_total), 0, 0, "run snapshot check",
     "hold printed forms to the oracle outside their domain too"},
    {"model", "M", OTHER(parse_model), 0, 0, "run races snapshot check mutate",
     "lockstep, its or both (default both); host engine"},
    {"schedule", "S", OTHER(parse_schedule), 0, 0, "run counters races snapshot check mutate",
     "sequential, reverse, random:SEED, or delay:POINT, which holds back\n"
     "whoever is to make that scheduling point; repeatable (default: one\n"
     "of each of the first three); host engine"},
    {"schedules", "N", NUMBER(selection.cases.random_schedules), 1, 1 << 20,
     "run snapshot check mutate", "also N random schedules for each shape, from --seed on"},
    {"profile", "P", OTHER(parse_profile), 0, 0, "run races snapshot check mutate",
     "cdp1 or cdp2: nested launches as to CUDA 11, or as since CUDA 12\n"
     "(default: what the kernel needs); host engine"},
    {"block", "LIST", OTHER(parse_block), 0, 0, "run counters agree races delays snapshot",
     "threads a block, such as 1-64,256 or 32x16"},
    {"size", "LIST", OTHER(parse_size), 0, 0, "run counters agree races snapshot check mutate",
     "elements, such as 0-33,1000 or 100x33"},
    {"delay-seed", "S", NUMBER(delay_seed), 0, UINT32_MAX, "run replay delays snapshot", NULL},
    {"delay-density", "PERCENT", NUMBER(delay_per_cent), 1, 100, "run replay delays snapshot",
     NULL},
    {"delay-length", "NANOSECONDS", NUMBER(delay_longest_ns), 1, 1000000,
     "run replay delays snapshot",
     "of the random delays of cuda-delayed (default: 0, 10, and eight\n"
     "times what a child launch takes)"},
    {"nvcc", "PATH", OTHER(parse_compiler), 0, 0, "blame toolchain snapshot check mutate", NULL},
    {"ptxas", "PATH", OTHER(parse_compiler), 0, 0, "blame toolchain snapshot mutate",
     "a front end or assembler to try; repeatable (default: on the PATH)"},
    {"arch", "SM", OTHER(parse_arch), 0, 0, "blame toolchain snapshot mutate",
     "to assemble for (default sm_90)"},
    {"token", "TOKEN", OTHER(parse_token), 0, 0, "check", "only the case of that token"},
    {.help = "How much:"},
    {"count", "N", NUMBER(count), 0, 1 << 30, "toolchain", NULL},
    {"minutes", "M", NUMBER(minutes), 1, 100000, "toolchain",
     "programs to draw besides the idioms, or for how long (default 2000)"},
    {"no-idioms", NULL, FLAG(no_idioms), 0, 0, "toolchain", "programs that are drawn alone"},
    {"level", "N", NUMBER(selection.cases.level), 1, 3, "run agree races snapshot check mutate",
     "1: blocks around powers of two; 2: every block; 3: until stopped"},
    {"sizes-per-block", "K", NUMBER(selection.cases.sizes_per_block), 1, 1024,
     "run agree races snapshot check mutate",
     "sizes for each block when --size is not given (default 8)"},
    {"seed", "S", NUMBER(selection.cases.seed), 0, INT64_MAX,
     "run agree races delays toolchain snapshot check mutate",
     "seed of sizes and values (default 1)"},
    {"errors", "N", NUMBER(errors), 1, UINT64_MAX, "run races snapshot check",
     "stop after N failures (default 20)"},
    {"delays", "D", NUMBER(delays), 0, 2, "races snapshot", ""},
    {"runs", "N", NUMBER(runs), 1, 1000, "delays", ""},
    {"deadline", "SECONDS", OTHER(parse_deadline), 0, 0,
     "run replay blame counters agree races delays toolchain snapshot check mutate",
     "longest time for one case (default 10; mutate: 1)"},
    {"jobs", "N", NUMBER(jobs), 1, 64, "run agree races toolchain snapshot check mutate",
     "worker processes (default: one a core)"},
    {.help = "Reports:"},
    {"by-barrier", NULL, FLAG(by_barrier), 0, 0, "counters",
     "also loads, stores, lanes and split warps between barriers"},
    {"out", "FILE", OTHER(parse_json), 0, 0, "snapshot mutate", ""},
    {"part", "PART", OTHER(parse_part), 0, 0, "snapshot",
     "only run, races, counters, code, toolchain or rates; repeatable"},
    {"json", "FILE", OTHER(parse_json), 0, 0,
     "run blame counters agree races delays toolchain compare",
     "also write the results to FILE (list: --json alone, to output)"},
    {"json", NULL, OTHER(parse_json), 0, 0, "list", ""},
};

enum { ROWS = sizeof rows / sizeof *rows, FIRST_CODE = 256 };

/* Is the name among those of the list? */
static bool lists(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *found = list; (found = strstr(found, name)) != NULL; found += length)
        if ((found == list || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0'))
            return true;
    return false;
}

bool options_know(const struct command *const commands[])
{
    for (int r = 0; r < ROWS; r++) {
        char name[32];
        int length;
        for (const char *rest = rows[r].commands; rest != NULL && *rest != '\0'; rest += length) {
            bool known = false;
            if (sscanf(rest, "%31s%n", name, &length) != 1)
                break;
            for (size_t c = 0; commands[c] != NULL; c++)
                known = known || strcmp(commands[c]->name, name) == 0;
            if (!known)
                return false;
        }
    }
    return true;
}

/* ---- Help ---- */

/* Lines of text, each behind so many columns; the first where the cursor stands. */
static void print_lines(const char *text, int column)
{
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
        printf("%.*s\n%*s", (int)(end - text), text, column, "");
    printf("%s\n", text);
}

/* "--delay-seed S, --delay-density PERCENT": options that share a text stand together. */
static void print_option(int row)
{
    char names[128];
    size_t used = 0;
    int first = row;

    while (first > 0 && rows[first - 1].name != NULL && rows[first - 1].help == NULL)
        first--;
    for (int r = first; r <= row; r++)
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s--%s%s%s", r > first ? ", " : "",
                             rows[r].name, rows[r].metavariable != NULL ? " " : "",
                             rows[r].metavariable != NULL ? rows[r].metavariable : "");
    if (used > HELP_WORD)
        printf("  %s\n%*s", names, HELP_COLUMN, "");
    else
        printf("  %-*s ", HELP_WORD, names);
    print_lines(rows[row].help, HELP_COLUMN);
}

void options_help(const char *program, const struct command *const commands[])
{
    char word[64];

    printf("usage: %s ", program);
    for (size_t c = 0; commands[c] != NULL; c++)
        printf("%s%s%s%s", c > 0 ? " | " : "", commands[c]->name,
               commands[c]->arguments != NULL ? " " : "",
               commands[c]->arguments != NULL ? commands[c]->arguments : "");
    printf(
        " [OPTIONS]\n\nChecks CUDA kernels against a CPU oracle, on a GPU and on a host engine.\n"
        "\n");
    for (size_t c = 0; commands[c] != NULL; c++) {
        snprintf(word, sizeof word, "%s%s", commands[c]->name,
                 commands[c]->takes_token   ? " TOKEN"
                 : commands[c]->takes_flags ? " FILE.cu LAUNCH"
                 : commands[c]->takes_files ? " OLD NEW"
                                            : "");
        printf("  %-*s ", HELP_WORD, word);
        print_lines(commands[c]->help, HELP_COLUMN);
    }
    for (int r = 0; r < ROWS; r++) {
        if (rows[r].name == NULL)
            printf("\n%s\n", rows[r].help);
        else if (rows[r].help != NULL && rows[r].help[0] != '\0')
            print_option(r);
    }
    printf("\n"
           "SIMTCHECK_REQUIRE=E in the environment is --require E for the runs that use engine E.\n"
           "\n"
           "Exit status: 0 conforms, 1 does not, 2 bad usage, 3 internal or environment failure,\n"
           "77 the engine is not available here.\n");
}

/* ---- The command line ---- */

static void set_defaults(struct options *options)
{
    *options = (struct options){
        .selection =
            {.forms = {true, true},
             .cases = {.models = {true, true}, .seed = 1, .level = 1, .sizes_per_block = 8}},
        .errors = 20,
        .runs = 20,
        .delays = 2,
        .count = 2000,
        .deadline_seconds = 10,
    };
}

static void add_default_schedules(struct plan_request *cases)
{
    if (cases->schedule_count > 0)
        return;
    cases->schedules[0].kind = SCHEDULE_SEQUENTIAL;
    cases->schedules[1].kind = SCHEDULE_REVERSE;
    cases->schedules[2] = (struct schedule){SCHEDULE_RANDOM, cases->seed, {0}};
    cases->schedule_count = 3;
}

/* What getopt_long() is to know of that command's options. */
static void known_options(const struct command *command, struct option known[ROWS + 1])
{
    size_t count = 0;

    for (int r = 0; r < ROWS; r++)
        if (rows[r].name != NULL && lists(rows[r].commands, command->name))
            known[count++] = (struct option){
                rows[r].name, rows[r].metavariable != NULL ? required_argument : no_argument, NULL,
                FIRST_CODE + r};
    known[count] = (struct option){0};
}

/* May it be given more than once? */
static bool is_repeatable(const struct option_row *row)
{
    return row->parse == parse_engine || row->parse == parse_kernel ||
           row->parse == parse_schedule || row->parse == parse_block || row->parse == parse_size ||
           row->parse == parse_flag || row->parse == parse_compiler || row->parse == parse_part;
}

static bool parse_command_options(int argc, char **argv, struct options *options)
{
    struct option known[ROWS + 1];
    bool given[ROWS] = {false}, takes_files;
    int code;

    known_options(options->command, known);
    options->words = argv + 1;
    options->word_count = (size_t)argc - 1;
    optind = 1;
    opterr = 0;
    while ((code = getopt_long(argc, argv, ":h", known, NULL)) != -1) {
        if (code == ':')
            return complain("%s needs a value: see --help", argv[optind - 1]);
        if (code == 'h') {
            options->help = true;
            return true;
        }
        if (code == '?' && optopt > 0 && optopt < FIRST_CODE)
            return complain("-%c does not go with '%s': see --help", optopt, argv[0]);
        if (code == '?')
            return complain("%s does not go with '%s': see --help", argv[optind - 1], argv[0]);
        if (given[code - FIRST_CODE] && !is_repeatable(&rows[code - FIRST_CODE]))
            return complain("--%s is given twice: give it once", rows[code - FIRST_CODE].name);
        given[code - FIRST_CODE] = true;
        if (!rows[code - FIRST_CODE].parse(options, &rows[code - FIRST_CODE], optarg))
            return false;
    }
    takes_files =
        options->command->takes_files && (optind < argc || !options->command->files_are_optional);
    if (options->command->takes_token) {
        if (optind + 1 != argc)
            return complain("%s takes one token, as a report printed it", options->command->name);
        options->token = argv[optind++];
    }
    for (int f = 0; f < 2 && takes_files; f++) {
        if (optind == argc)
            return complain("%s takes %s", options->command->name, options->command->files);
        options->files[f] = argv[optind++];
    }
    if (options->command->takes_flags) {
        options->flags = (const char *const *)&argv[optind];
        options->flag_count = (size_t)(argc - optind);
    } else if (optind < argc) {
        return complain("'%s' is not an option: see --help", argv[optind]);
    }
    return true;
}

static bool is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool has_word(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

/* "list, run ... or delays". */
static const char *command_names(const struct command *const commands[])
{
    static char names[256];
    size_t used = 0;

    for (size_t c = 0; commands[c] != NULL; c++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 c == 0                    ? ""
                                 : commands[c + 1] == NULL ? " or "
                                                           : ", ",
                                 commands[c]->name);
    return names;
}

bool options_parse(int argc, char **argv, const struct command *const commands[],
                   struct options *options)
{
    const char *require = getenv("SIMTCHECK_REQUIRE");

    set_defaults(options);
    if (require != NULL && require[0] != '\0' &&
        !find_engine("SIMTCHECK_REQUIRE", require, &options->require))
        return false;
    if (argc < 2)
        return complain("a command is missing: %s; see --help", command_names(commands));
    options->version = strcmp(argv[1], "--version") == 0;
    for (size_t c = 0; commands[c] != NULL && options->command == NULL; c++)
        if (strcmp(argv[1], commands[c]->name) == 0)
            options->command = commands[c];
    if (options->command != NULL && options->command->deadline_seconds > 0)
        options->deadline_seconds = options->command->deadline_seconds;
    options->help = is_help(argv[1]) || ((options->version || options->command != NULL) &&
                                         has_word(argc, argv, "--help"));
    if (options->help || options->version)
        return true;
    if (options->command == NULL)
        return complain("'%s' is not a command: %s; see --help", argv[1], command_names(commands));
    if (!parse_command_options(argc - 1, argv + 1, options))
        return false;
    add_default_schedules(&options->selection.cases);
    return true;
}

void options_free(struct options *options)
{
    free(options->blocks);
    free(options->sizes);
    options->blocks = NULL;
    options->sizes = NULL;
}
