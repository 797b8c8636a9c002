/* SPDX-License-Identifier: MIT
 *
 * `simtcheck check`: a kernel of anybody's, by the line that launches it.
 */
#include "build.h"
#include "command.h"
#include "complain.h"
#include "interrupt.h"
#include "launch_catalogue.h"
#include "old_code.h"
#include "report.h"
#include "session.h"
#include "supervisor.h"
#include "token.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const struct command run_command, races_command, replay_command;

enum { MOST_FILES = 16 };

struct check {
    const struct options *given;
    struct options options; /* of the commands that do the work */
    const char *text;       /* of the launch */
    struct user_code code, old;
    struct launch_catalogue catalogue;
    bool gpu; /* takes part */
};

/* ---- The same bits, whoever runs when ---- */

enum { RANDOM_SCHEDULES = 3, MOST_TRIED = MODELS * (2 + RANDOM_SCHEDULES) };

/* The shape and values of a case, under every model: sequential first. */
static size_t ways_of(const struct test_case *test, struct test_case ways[MOST_TRIED])
{
    size_t count = 0;

    for (int m = 0; m < MODELS; m++)
        for (uint64_t k = 0; k < 2 + RANDOM_SCHEDULES; k++) {
            ways[count] = *test;
            ways[count].model = (enum model)m;
            ways[count++].schedule = k == 0   ? (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}}
                                     : k == 1 ? (struct schedule){SCHEDULE_REVERSE, 0, {0}}
                                              : (struct schedule){SCHEDULE_RANDOM, k, {0}};
        }
    return count;
}

static void print_different(const struct test_case *one, const struct engine_kind *first,
                            const struct test_case *other, const struct engine_kind *engine)
{
    char token[TOKEN_SIZE], block[WORD_SIZE], size[WORD_SIZE], values[WORD_SIZE];

    block_format(&one->shape.block, block);
    size_format(&one->shape, size);
    values_format(one->values, values);
    if (first == engine)
        printf("\nsize %s, values %s: other bits, by the order in which threads run\n", size,
               values);
    else
        printf("\nsize %s, values %s: other bits on the engine %s than on %s; functions such as "
               "expf() leave the last ones open: --tolerance ulp:4 lets these be\n",
               size, values, engine->name, first->name);
    token_format(one, first, token);
    session_print_replay(token);
    token_format(other, engine, token);
    session_print_replay(token);
}

/* Is that the first one's bits, or else told? A case that fails in one way alone is told here, too.
 */
static bool is_same(const struct test_case *first, const struct outcome *expected,
                    const struct engine_kind *host, const struct test_case *way,
                    const struct outcome *got, const struct engine_kind *engine)
{
    char token[TOKEN_SIZE], text[512];

    if (got->kind == OUTCOME_PASS && expected->kind == OUTCOME_PASS) {
        if (got->digest == expected->digest)
            return true;
        print_different(first, host, way, engine);
        return false;
    }
    outcome_text(got->kind != OUTCOME_PASS ? got : expected, text, sizeof text);
    token_format(got->kind != OUTCOME_PASS ? way : first, got->kind != OUTCOME_PASS ? engine : host,
                 token);
    printf("\nits bits cannot be compared: %s\n", text);
    session_print_replay(token);
    return false;
}

/* Runs the ways of a case on the engine `id`, and the case on `gpu`, where it is not null. */
static enum engine_status compare_bits(struct supervisor *host, enum engine_id id,
                                       struct supervisor *gpu, const struct test_case *test,
                                       bool *differs, char *reason, size_t reason_size)
{
    const struct engine_kind *kind = &engine_kinds[id];
    struct test_case ways[MOST_TRIED];
    struct outcome outcomes[MOST_TRIED], on_gpu;
    size_t count = ways_of(test, ways);
    enum engine_status status =
        supervisor_run_array(host, ways, count, outcomes, reason, reason_size);

    if (status == ENGINE_OK && gpu != NULL)
        status = supervisor_run_array(gpu, ways, 1, &on_gpu, reason, reason_size);
    if (status != ENGINE_OK)
        return status;
    for (size_t k = 0; k < count && !*differs; k++)
        *differs = !is_same(&ways[0], &outcomes[0], kind, &ways[k], &outcomes[k], kind);
    if (gpu != NULL && !*differs)
        *differs =
            !is_same(&ways[0], &outcomes[0], kind, &ways[0], &on_gpu, &engine_kinds[ENGINE_CUDA]);
    return ENGINE_OK;
}

static int compare_all(struct check *check, struct supervisor *host, struct supervisor *gpu)
{
    struct plan plan;
    char reason[512] = "out of memory";
    bool differs = false;
    enum engine_status status = ENGINE_OK;
    size_t shapes;

    if (!plan_make(&check->options.selection.cases, &check->catalogue.row->variant, true, 0, &plan))
        return session_failed(&check->options, check->code.engine, ENGINE_ERROR, reason);
    shapes = plan.shape_count;
    for (size_t k = 0; k < shapes && status == ENGINE_OK && !differs; k++) {
        struct test_case test;
        plan_case(&plan, plan.shapes[k].first, &test);
        status =
            compare_bits(host, check->code.engine, gpu, &test, &differs, reason, sizeof reason);
    }
    plan_free(&plan);
    if (status != ENGINE_OK)
        return session_failed(&check->options, check->code.engine, status, reason);
    if (!differs)
        printf("\nthe same bits in %zu cases, whoever runs when%s\n", shapes,
               gpu != NULL ? ", and on the GPU" : "");
    return differs ? EXIT_DIFFERS : EXIT_CONFORMS;
}

static int compare_schedules(struct check *check, bool has_gpu)
{
    struct supervisor *host = NULL, *gpu = NULL;
    int status = session_open(&check->options, check->code.engine, REQUEST_DIGEST, &host);

    if (status == EXIT_CONFORMS && has_gpu)
        status = session_open(&check->options, ENGINE_CUDA, REQUEST_DIGEST, &gpu);
    if (status == EXIT_CONFORMS)
        status = compare_all(check, host, gpu);
    session_close(host);
    session_close(gpu);
    return status;
}

/* ---- The command ---- */

/* The code that --against names; without that, where floats may differ, the code itself in order.
 */
static bool build_old(struct check *check, const struct user_files *files)
{
    const struct options *given = check->given;
    struct user_files old_files = *files, taken = {NULL, 0, NULL, 0};
    struct user_code *old = &check->old;
    char folder[USER_PATH];
    bool good;

    old->launch = check->code.launch;
    old->launch.reference = (struct reference){.kind = REFERENCE_WRITE};
    if (!user_code_start(old))
        return false;
    snprintf(old->launch.reference.path, sizeof old->launch.reference.path, "%s/results",
             old->folder);
    if (mkdir(old->launch.reference.path, 0755) != 0)
        return complain("cannot make '%s': %s", old->launch.reference.path, strerror(errno));
    if (given->against != NULL && strncmp(given->against, "git:", 4) == 0) {
        snprintf(folder, sizeof folder, "%s/old", old->folder);
        good = old_files_take(given->against + 4, folder, files, &taken);
        old_files = taken;
    } else {
        good = true;
        if (given->against != NULL) {
            old_files.path = &given->against;
            old_files.count = 1;
        }
    }
    good = good && user_code_build(old, given, &old_files);
    old_files_free(&taken);
    return good;
}

/* The case of --token. False after a complaint. */
static bool read_token(struct check *check, const struct catalogue *catalogue,
                       struct test_case *test, const struct engine_kind **engine)
{
    char reason[512];

    return token_parse(check->given->token, catalogue, test, engine, reason, sizeof reason) ||
           complain("%s", reason);
}

/* What the outputs are to be held to, if anything; the exit status. */
static int make_reference(struct check *check, const struct user_files *files)
{
    const struct options *given = check->given;
    struct launch_catalogue catalogue;
    const struct engine_kind *engine;
    struct test_case only;
    char error[512];
    int status = EXIT_USAGE;

    if (given->oracle != NULL && given->against != NULL) {
        complain("--oracle and --against are two things to hold outputs to: give one");
        return EXIT_USAGE;
    }
    if (given->oracle != NULL)
        return oracle_build(&check->code, given) ? EXIT_CONFORMS : EXIT_USAGE;
    if (given->against == NULL && given->ulps == 0)
        return EXIT_CONFORMS;
    if (!build_old(check, files))
        return EXIT_USAGE;
    if (given->token == NULL)
        return old_code_run(&check->old, given, NULL, &check->code);
    if (!launch_catalogue_make(&check->old.launch, &catalogue, error, sizeof error)) {
        complain("%s", error);
        return EXIT_ENVIRONMENT;
    }
    if (read_token(check, &catalogue.catalogue, &only, &engine))
        status = old_code_run(&check->old, given, &only, &check->code);
    launch_catalogue_free(&catalogue);
    return status;
}

static int prepare(struct check *check)
{
    const struct options *given = check->given;
    const struct user_files files = {given->files, given->file_count - 1, given->flags,
                                     given->flag_count};
    char error[512];
    int status;

    if (!user_code_start(&check->code))
        return EXIT_ENVIRONMENT;
    status = make_reference(check, &files);
    if (status != EXIT_CONFORMS)
        return status;
    if (!user_code_build(&check->code, given, &files))
        return EXIT_USAGE;
    if (launch_catalogue_make(&check->code.launch, &check->catalogue, error, sizeof error))
        return EXIT_CONFORMS;
    complain("%s", error);
    return EXIT_USAGE;
}

/* ---- Parts ---- */

/* Is that engine to take part? All do by default. */
static bool uses(const struct options *options, enum engine_id engine)
{
    for (size_t e = 0; e < options->engine_count; e++)
        if (options->engines[e]->id == engine)
            return true;
    return options->engine_count == 0;
}

static bool does(const struct options *options, enum only part)
{
    return options->only == 0 || (options->only & part) != 0;
}

/* Is what --engine and --only say something that can be done? */
static bool parts_fit(const struct options *options)
{
    for (size_t e = 0; e < options->engine_count; e++)
        if (options->engines[e]->id == ENGINE_CUDA_DELAYED)
            return complain("check takes --engine host, ptx or cuda, and not %s",
                            options->engines[e]->name);
    if (options->engine_count > 1 && uses(options, ENGINE_HOST))
        return complain("check takes --engine host, which needs no nvcc, alone");
    if (options->engine_count > 0 && uses(options, ENGINE_HOST) && options->nvcc_count > 0)
        return complain("--engine host takes no --nvcc: that is for the engines ptx and cuda");
    return options->only != ONLY_RACES || uses(options, ENGINE_PTX) || uses(options, ENGINE_HOST) ||
           complain("races are looked for on the engine ptx or host: --engine ptx --only races");
}

/* Without nvcc it is the engine host: where there is none, or where that engine is asked for. */
static enum engine_id choose_engine(const struct options *options)
{
    struct compiler nvcc;
    char error[512];

    if (options->nvcc_count > 0)
        return ENGINE_PTX;
    if (options->token != NULL)
        return strncmp(options->token, "1:host:", 7) == 0 ? ENGINE_HOST : ENGINE_PTX;
    if (options->engine_count > 0)
        return uses(options, ENGINE_HOST) ? ENGINE_HOST : ENGINE_PTX;
    return compiler_open("nvcc", "nvcc", &nvcc, error, sizeof error) ? ENGINE_PTX : ENGINE_HOST;
}

/* Is there a GPU that is to take part? `reason`: why not. */
static enum engine_status find_gpu(const struct options *options, enum engine_id engine,
                                   char *reason, size_t size)
{
    struct supervisor *supervisor;
    enum engine_status status;

    if (!uses(options, ENGINE_CUDA) || engine == ENGINE_HOST)
        return ENGINE_UNAVAILABLE;
    status = session_start(options, ENGINE_CUDA, REQUEST_RUN, &supervisor, reason, size);
    if (status == ENGINE_OK)
        session_close(supervisor);
    return status;
}

static bool has_launch(const struct invocation *invocation, const char *symbol)
{
    for (uint32_t k = 0; invocation->kernel != NULL && k <= invocation->more_count; k++)
        if (strcmp(invocation_launch(invocation, k).kernel, symbol) == 0)
            return true;
    return false;
}

/* Is every launch made at some size? What was not launched is no pass. */
static bool is_launched(const struct check *check)
{
    const struct launch_text *launch = &check->code.launch;
    struct plan plan;
    bool launched[MAX_LAUNCHES] = {false};

    if (!plan_make(&check->options.selection.cases, &check->catalogue.row->variant, true, 0, &plan))
        return complain("out of memory");
    for (size_t k = 0; k < plan.shape_count; k++) {
        struct invocation invocation;
        struct test_case test;
        plan_case(&plan, plan.shapes[k].first, &test);
        test.variant->invoke(test.variant, &test.shape, &invocation);
        for (uint32_t c = 0; c < launch->call_count; c++)
            launched[c] = launched[c] || has_launch(&invocation, launch->calls[c].symbol);
    }
    plan_free(&plan);
    for (uint32_t c = 0; c < launch->call_count; c++)
        if (!launched[c])
            return complain("no size of these launches %s: give one whose grid has blocks",
                            launch->calls[c].kernel);
    return true;
}

/* Before anything is compiled: is what is asked for here? */
static int look_for_gpu(struct check *check)
{
    const struct options *given = check->given;
    char reason[512] = "";
    enum engine_status status;

    if (check->code.engine == ENGINE_HOST && session_requires(given, ENGINE_CUDA) &&
        (given->require_always || given->engine_count == 0))
        return session_failed(given, ENGINE_CUDA, ENGINE_UNAVAILABLE,
                              "without nvcc there is no code for it: give one by --nvcc");
    status = find_gpu(given, check->code.engine, reason, sizeof reason);
    check->gpu =
        status == ENGINE_OK || (check->code.engine != ENGINE_HOST && uses(given, ENGINE_CUDA) &&
                                session_requires(given, ENGINE_CUDA));
    if (check->gpu ||
        (status == ENGINE_UNAVAILABLE && (given->engine_count == 0 || !uses(given, ENGINE_CUDA))))
        return EXIT_CONFORMS;
    return session_failed(given, ENGINE_CUDA, status, reason);
}

static int run_token(struct check *check)
{
    const struct engine_kind *engine;
    struct test_case test;

    if (!read_token(check, &check->catalogue.catalogue, &test, &engine))
        return EXIT_USAGE;
    if (engine->id == check->code.engine || engine->id == ENGINE_CUDA)
        return replay_command.run(&check->options, &check->catalogue.catalogue);
    complain("the token is of the engine %s, and this is compiled for %s", engine->name,
             engine_kinds[check->code.engine].name);
    return EXIT_USAGE;
}

static int run_all(struct check *check)
{
    const struct options *given = check->given;
    struct options *options = &check->options;
    const struct catalogue *catalogue = &check->catalogue.catalogue;
    int status = EXIT_CONFORMS;

    *options = *given;
    user_code_use(&check->code, options);
    if (options->token != NULL)
        return run_token(check);
    if (!is_launched(check))
        return EXIT_DIFFERS;
    options->engine_count = 0;
    if (uses(given, check->code.engine))
        options->engines[options->engine_count++] = &engine_kinds[check->code.engine];
    if (check->gpu)
        options->engines[options->engine_count++] = &engine_kinds[ENGINE_CUDA];
    if (does(given, ONLY_RUN) || (does(given, ONLY_BITS) && given->ulps > 0)) /* near them */
        status = run_command.run(options, catalogue);
    options->engines[0] = &engine_kinds[check->code.engine];
    options->engine_count = 1;
    if (does(given, ONLY_RACES) && uses(given, check->code.engine) && !interrupt_came())
        status = session_worse(status, races_command.run(options, catalogue));
    if (does(given, ONLY_BITS) && options->ulps == 0 && !interrupt_came())
        status = session_worse(status, compare_schedules(check, check->gpu));
    return status;
}

static int check(const struct options *options, const struct catalogue *catalogue)
{
    static struct check check;
    int status;
    (void)catalogue;

    check = (struct check){.given = options, .text = options->files[options->file_count - 1]};
    if (!parts_fit(options) || !user_launch_read(check.text, &check.code.launch))
        return EXIT_USAGE;
    check.code.engine = check.old.engine = choose_engine(options);
    session_replay_by(options);
    interrupt_catch();
    status = options->token != NULL ? EXIT_CONFORMS : look_for_gpu(&check);
    if (status != EXIT_CONFORMS)
        return status;
    check.code.on_gpu = check.gpu || options->token != NULL;
    status = prepare(&check);
    if (status == EXIT_CONFORMS)
        status = run_all(&check);
    status = session_interrupted(status);
    launch_catalogue_free(&check.catalogue);
    user_code_remove(&check.code);
    user_code_remove(&check.old);
    return status;
}

const struct command check_command = {
    .name = "check",
    .arguments = "FILE.cu ... LAUNCH [-- FLAGS of nvcc]",
    .help = "run a kernel of your own by the line that launches it, and look for stray\n"
            "accesses, unwritten outputs, barriers and races:\n"
            "'saxpy<<<(n+255)/256, 256>>>(n, 2.0f, in float x[n], inout float y[n])'",
    .takes_files = true,
    .takes_flags = true,
    .least_files = 2,
    .most_files = MOST_FILES,
    .files = "a file of CUDA C++ and a launch, such as 'saxpy<<<(n+255)/256, 256>>>(n, 2.0f, in "
             "float x[n], inout float y[n])'",
    .run = check,
};
