/* SPDX-License-Identifier: MIT
 *
 * `simtcheck check`: a kernel of anybody's, by the line that launches it.
 */
#include "bits.h"
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
    if (given->selection.cases.block_count > 0 && !launch_has_block(&check->code.launch)) {
        complain("--block is given, and the launch has no B: it says itself how many threads a "
                 "block has");
        return EXIT_USAGE;
    }
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
    session_keep(ENGINE_CUDA);
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
        status = session_worse(status, bits_compare(options, &check->catalogue.row->variant,
                                                    check->code.engine, check->gpu));
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
    interrupt_catch();
    check.code.engine = check.old.engine = choose_engine(options);
    if (interrupt_came())
        return session_interrupted(EXIT_CONFORMS);
    session_replay_by(options);
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
