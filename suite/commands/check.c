/* SPDX-License-Identifier: MIT
 *
 * `simtcheck check`: a kernel of anybody's, by the line that launches it.
 */
#include "build.h"
#include "command.h"
#include "complain.h"
#include "interrupt.h"
#include "launch_bind.h"
#include "launch_catalogue.h"
#include "report.h"
#include "session.h"
#include "supervisor.h"
#include "token.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct command run_command, races_command;

static const char ENTRY[] = "launch0"; /* what the kernel is called in the code that is loaded */

enum { PATH = 512 };

struct check {
    const struct options *given;
    struct options options; /* of the commands that do the work */
    struct launch_text launch;
    struct launch_catalogue catalogue;
    char folder[sizeof "/tmp/simtcheck-check-XXXXXX"];
    char source[PATH], ptx[PATH], object[PATH], list[PATH], cuda_list[PATH];
    char symbol[512]; /* of the kernel in the PTX */
};

/* ---- Compiling ---- */

/* The file, and a variable that holds the kernel's address: so a template is instantiated, and its
 * symbol told. */
static bool write_source(struct check *check)
{
    char *path = realpath(check->given->files[0], NULL);
    FILE *to = path != NULL ? fopen(check->source, "w") : NULL;
    bool good = to != NULL;

    if (path == NULL)
        complain("cannot read '%s': %s", check->given->files[0], strerror(errno));
    else if (to == NULL)
        complain("cannot write '%s': %s", check->source, strerror(errno));
    if (good) {
        fprintf(to,
                "#include \"%s\"\nextern \"C\" {\n__device__ __attribute__((used)) const void "
                "*simt_entry_%s = (const void *)(%s);\n}\n",
                path, ENTRY, check->launch.kernel);
        good = fclose(to) == 0;
    }
    free(path);
    return good;
}

static bool compile(struct check *check)
{
    struct compiler nvcc;
    char error[4096];
    const char *path = check->given->nvcc_count > 0 ? check->given->nvcc[0] : "nvcc";

    if (!compiler_open(path, "nvcc", &nvcc, error, sizeof error) ||
        !build_user_ptx(&nvcc, check->given->flags, check->given->flag_count, check->source,
                        check->ptx, error, sizeof error) ||
        !build_host_code(check->ptx, check->object, error, sizeof error))
        return complain("%s", error);
    return true;
}

/* ---- Binding ---- */

static bool bind(struct check *check)
{
    static struct entry entry;

    if (!launch_bind(&check->launch, check->ptx, ENTRY, &entry))
        return false;
    memcpy(check->symbol, entry.symbol, sizeof check->symbol);
    return true;
}

static bool write_list(const char *path, const struct launch_text *launch, const char *kernel)
{
    struct launch_catalogue catalogue;
    FILE *to = fopen(path, "wb");
    bool good = to != NULL && launch_catalogue_make(launch, kernel, &catalogue);

    if (good) {
        good = launch_catalogue_write(to, &catalogue);
        launch_catalogue_free(&catalogue);
    }
    if (to != NULL)
        good = fclose(to) == 0 && good;
    return good || complain("cannot write '%s': %s", path, strerror(errno));
}

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

static void print_different(const struct test_case *one, const struct test_case *other,
                            const struct engine_kind *engine)
{
    char token[TOKEN_SIZE], block[WORD_SIZE], size[WORD_SIZE], values[WORD_SIZE];

    block_format(&one->shape.block, block);
    size_format(&one->shape, size);
    values_format(one->values, values);
    printf("\nsize %s, values %s: other bits, by the order in which threads run\n", size, values);
    token_format(one, &engine_kinds[ENGINE_PTX], token);
    session_print_replay(token);
    token_format(other, engine, token);
    session_print_replay(token);
}

/* Is that the first one's bits, or else told? A case that fails in one way alone is told here, too.
 */
static bool is_same(const struct test_case *first, const struct outcome *expected,
                    const struct test_case *way, const struct outcome *got,
                    const struct engine_kind *engine)
{
    char token[TOKEN_SIZE], text[512];

    if (got->kind == OUTCOME_PASS && expected->kind == OUTCOME_PASS) {
        if (got->digest == expected->digest)
            return true;
        print_different(first, way, engine);
        return false;
    }
    outcome_text(got->kind != OUTCOME_PASS ? got : expected, text, sizeof text);
    token_format(got->kind != OUTCOME_PASS ? way : first, engine, token);
    printf("\nits bits cannot be compared: %s\n", text);
    session_print_replay(token);
    return false;
}

/* Runs the ways of a case on the engine `ptx`, and the case on `gpu`, where it is not null. */
static enum engine_status compare_bits(struct supervisor *host, struct supervisor *gpu,
                                       const struct test_case *test, bool *differs, char *reason,
                                       size_t reason_size)
{
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
        *differs =
            !is_same(&ways[0], &outcomes[0], &ways[k], &outcomes[k], &engine_kinds[ENGINE_PTX]);
    if (gpu != NULL && !*differs)
        *differs = !is_same(&ways[0], &outcomes[0], &ways[0], &on_gpu, &engine_kinds[ENGINE_CUDA]);
    return ENGINE_OK;
}

/* Does the case launch anything? */
static bool is_launched(const struct test_case *test)
{
    struct invocation invocation;

    test->variant->invoke(test->variant, &test->shape, &invocation);
    return invocation.kernel != NULL;
}

static int compare_all(struct check *check, struct supervisor *host, struct supervisor *gpu)
{
    struct plan plan;
    char reason[512] = "out of memory";
    bool differs = false;
    enum engine_status status = ENGINE_OK;
    size_t shapes, launched = 0;

    if (!plan_make(&check->options.selection.cases, &check->catalogue.row->variant, true, 0, &plan))
        return session_failed(&check->options, ENGINE_PTX, ENGINE_ERROR, reason);
    shapes = plan.shape_count;
    for (size_t k = 0; k < shapes && status == ENGINE_OK && !differs; k++) {
        struct test_case test;
        plan_case(&plan, k * plan.per_shape, &test);
        launched += is_launched(&test);
        status = compare_bits(host, gpu, &test, &differs, reason, sizeof reason);
    }
    plan_free(&plan);
    if (status != ENGINE_OK)
        return session_failed(&check->options, ENGINE_PTX, status, reason);
    if (!differs && launched == 0) {
        complain("no size of these launches anything: give one whose grid has blocks");
        return EXIT_UNAVAILABLE;
    }
    if (!differs)
        printf("\nthe same bits in %zu cases, whoever runs when%s\n", shapes,
               gpu != NULL ? ", and on the GPU" : "");
    return differs ? EXIT_DIFFERS : EXIT_CONFORMS;
}

static int compare_schedules(struct check *check, bool has_gpu)
{
    struct supervisor *host = NULL, *gpu = NULL;
    int status = session_open(&check->options, ENGINE_PTX, REQUEST_DIGEST, &host);

    if (status == EXIT_CONFORMS && has_gpu)
        status = session_open(&check->options, ENGINE_CUDA, REQUEST_DIGEST, &gpu);
    if (status == EXIT_CONFORMS)
        status = compare_all(check, host, gpu);
    session_close(host);
    session_close(gpu);
    return status;
}

/* ---- The command ---- */

static bool prepare(struct check *check)
{
    return write_source(check) && compile(check) && bind(check) &&
           write_list(check->list, &check->launch, ENTRY) &&
           write_list(check->cuda_list, &check->launch, check->symbol) &&
           launch_catalogue_make(&check->launch, ENTRY, &check->catalogue);
}

/* Is there a GPU, or should there be one? */
static bool has_gpu(const struct options *options)
{
    struct supervisor *supervisor;
    char reason[512];
    bool has = session_start(options, ENGINE_CUDA, REQUEST_RUN, &supervisor, reason,
                             sizeof reason) == ENGINE_OK;

    if (has)
        session_close(supervisor);
    return has || session_requires(options, ENGINE_CUDA);
}

/* As `replay` does. */
static int run_token(struct check *check)
{
    const struct engine_kind *engine;
    struct supervisor *supervisor;
    struct test_case test;
    struct outcome outcome;
    char reason[512];
    enum engine_status status;
    int exit_status;

    if (!token_parse(check->given->token, &check->catalogue.catalogue, &test, &engine, reason,
                     sizeof reason)) {
        complain("%s", reason);
        return EXIT_USAGE;
    }
    exit_status = session_open(&check->options, engine->id, REQUEST_RUN, &supervisor);
    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    status = supervisor_run_array(supervisor, &test, 1, &outcome, reason, sizeof reason);
    session_close(supervisor);
    if (status != ENGINE_OK)
        return session_failed(&check->options, engine->id, status, reason);
    report_replay(&(struct witness){.test = test, .outcome = outcome}, engine);
    return outcome.kind == OUTCOME_PASS ? EXIT_CONFORMS : EXIT_DIFFERS;
}

static int run_all(struct check *check)
{
    struct options *options = &check->options;
    bool gpu;
    int status;

    *options = *check->given;
    options->code[ENGINE_PTX] = (struct code_files){check->object, check->list};
    options->code[ENGINE_CUDA] = (struct code_files){check->ptx, check->cuda_list};
    if (options->token != NULL)
        return run_token(check);
    gpu = has_gpu(options);
    options->engines[0] = &engine_kinds[ENGINE_PTX];
    options->engines[1] = &engine_kinds[ENGINE_CUDA];
    options->engine_count = gpu ? 2 : 1;
    status = run_command.run(options, &check->catalogue.catalogue);
    options->engine_count = 1;
    if (!interrupt_came())
        status = session_worse(status, races_command.run(options, &check->catalogue.catalogue));
    if (!interrupt_came())
        status = session_worse(status, compare_schedules(check, gpu));
    return status;
}

static int check(const struct options *options, const struct catalogue *catalogue)
{
    struct check check = {.given = options, .folder = "/tmp/simtcheck-check-XXXXXX"};
    int status = EXIT_USAGE;
    (void)catalogue;

    if (!launch_read(options->files[1], &check.launch))
        return EXIT_USAGE;
    session_replay_by(options->files[0], options->files[1]);
    interrupt_catch();
    if (mkdtemp(check.folder) == NULL) {
        complain("cannot make a folder '%s': %s", check.folder, strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    snprintf(check.source, PATH, "%s/launch.cu", check.folder);
    snprintf(check.ptx, PATH, "%s/launch.ptx", check.folder);
    snprintf(check.object, PATH, "%s/launch.so", check.folder);
    snprintf(check.list, PATH, "%s/launch", check.folder);
    snprintf(check.cuda_list, PATH, "%s/launch-cuda", check.folder);
    if (prepare(&check))
        status = run_all(&check);
    launch_catalogue_free(&check.catalogue);
    unlink(check.source);
    unlink(check.ptx);
    unlink(check.object);
    unlink(check.list);
    unlink(check.cuda_list);
    rmdir(check.folder);
    return status;
}

const struct command check_command = {
    .name = "check",
    .arguments = "FILE.cu LAUNCH [-- FLAGS of nvcc]",
    .help = "run a kernel of your own by the line that launches it, and look for stray\n"
            "accesses, unwritten outputs, barriers and races:\n"
            "'saxpy<<<(n+255)/256, 256>>>(n, 2.0f, in float x[n], inout float y[n])'",
    .takes_files = true,
    .takes_flags = true,
    .files = "a file of CUDA C++ and a launch, such as 'saxpy<<<(n+255)/256, 256>>>(n, 2.0f, in "
             "float x[n], inout float y[n])'",
    .run = check,
};
