/* SPDX-License-Identifier: MIT */
#include "check_launch.h"

#include "accept.h"
#include "case_id.h"
#include "checks.h"
#include "clang.h"
#include "error_report.h"
#include "interrupt.h"
#include "launch_catalogue.h"
#include "old_code.h"
#include "oracle.h"
#include "replay_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct check {
    const struct check_request *request;
    struct session *session;
    struct user_code code, old;
    struct launch_catalogue catalogue;
    bool gpu;       /* a GPU takes part */
    size_t results; /* of the reference code, in how many cases */
};

/* Returns whether that engine takes part. All do by default. */
static bool uses(const struct check_request *request, enum engine_id engine)
{
    return request->engines.count == 0 || engine_list_has(&request->engines, engine);
}

/* ---- Code ---- */

/* Compiles the files. Returns false after an error message, for example if the simulator is to run
 * code that it does not support. */
static bool build(const struct check *check, struct user_code *code, const struct user_files *files)
{
    const struct check_request *request = check->request;
    char error[1024];

    return user_code_build(code, &request->compilers, files) &&
           (!uses(request, ENGINE_SIM) || decode_accepts(code->ptx, error, sizeof error) ||
            error_report("%s", error));
}

/* ---- What outputs are compared with ---- */

/* Returns whether the outputs of the sequential run of some code are the reference. */
static bool has_reference_code(const struct check_request *request)
{
    return request->against != NULL || request->ulps > 0 || request->reference != 0;
}

/* Returns whether outputs may differ from the reference. */
static bool has_tolerance(const struct check_request *request)
{
    return request->ulps > 0 || request->reference != 0;
}

/* Compiles the reference of --reference double. Products and sums stay apart: their errors together
 * are no less than that of fma(). clang calls functions such as expf(), and nvcc writes them out
 * with operations on the bits of floats. Returns false after an error message. */
static bool build_bounded(const struct check *check, struct user_code *old, struct user_files files)
{
    const char **flags = malloc((files.flag_count + 1) * sizeof *flags);
    struct compiler compiler;
    char said[512];
    bool good;

    if (flags == NULL)
        return error_report("out of memory");
    if (check->request->compilers.nvcc.count == 0 &&
        front_end_open(&check->request->compilers, FRONT_END_CLANG, &compiler, said, sizeof said))
        old->front_end = FRONT_END_CLANG;
    for (size_t f = 0; f < files.flag_count; f++)
        flags[f] = files.flags[f];
    flags[files.flag_count] = "--fmad=false";
    files.flags = flags;
    files.flag_count++;
    good = build(check, old, &files) || check->code.front_end == old->front_end ||
           error_report("clang compiles the code of --reference double: give '--nvcc nvcc' to let "
                        "nvcc compile it");
    free(flags);
    return good;
}

static bool build_reference(const struct check *check, struct user_code *old,
                            const struct user_files *files)
{
    return check->request->reference != 0 && !user_files_are_ptx(files)
               ? build_bounded(check, old, *files)
               : build(check, old, files);
}

/* Builds the code that --against names. Without --against it builds the user's own code, whose
 * sequential run is the reference for floats. Returns false after an error message. */
static bool build_old(struct check *check, const struct user_files *files)
{
    const struct check_request *request = check->request;
    bool is_revision = request->against != NULL && strncmp(request->against, "git:", 4) == 0, good;
    struct user_files old_files = *files;
    struct user_code *old = &check->old;
    struct old_files taken;

    old->launch = check->code.launch;
    old->launch.reference = (struct reference){
        .kind = REFERENCE_WRITE,
        .ulps = request->ulps,
        .has_bounds = request->reference != 0 && request->ulps == 0,
    };
    if (!user_code_start(old))
        return false;
    snprintf(old->launch.reference.path, sizeof old->launch.reference.path, "%s/results",
             old->folder);
    if (mkdir(old->launch.reference.path, 0755) != 0)
        return error_report("cannot make '%s': %s", old->launch.reference.path, strerror(errno));
    if (is_revision) {
        good = old_files_take(request->against + 4, old->folder, files, &taken) &&
               build_reference(check, old, &taken.files) && old_files_are_all_old(&taken);
        old_files_free(&taken);
        return good;
    }
    if (request->against != NULL) {
        old_files.path = &request->against;
        old_files.count = 1;
    }
    return build_reference(check, old, &old_files);
}

/* Runs that code. Returns the exit status. */
static int run_old(struct check *check)
{
    const struct check_request *request = check->request;
    struct session *session = check->session;
    enum float_kind usual = session->limits.floats;
    int status;

    if (request->reference != 0)
        session->limits.floats =
            request->against != NULL ? FLOATS_BOUNDED_ANY_ORDER : FLOATS_BOUNDED;
    status = old_code_run(&check->old, session, &request->selection.cases, request->case_id,
                          &check->code, &check->results);
    session->limits.floats = usual;
    return status;
}

/* Makes the reference for the outputs, if the user requests one. Returns the exit status. */
static int make_reference(struct check *check)
{
    const struct check_request *request = check->request;

    if (request->oracle != NULL && request->against != NULL) {
        error_report(
            "--oracle and --against both set the reference for the outputs: give one of them");
        return EXIT_USAGE;
    }
    if (request->oracle != NULL)
        return oracle_build(&check->code, request->oracle, request->ulps)
                   ? EXIT_CONFORMS
                   : user_code_status(&check->code);
    if (!has_reference_code(request))
        return EXIT_CONFORMS;
    if (!build_old(check, &request->files))
        return user_code_status(&check->old);
    return run_old(check);
}

static int prepare(struct check *check)
{
    const struct check_request *request = check->request;
    char error[512];
    int status;

    if (!user_code_start(&check->code))
        return EXIT_ENVIRONMENT;
    status = make_reference(check);
    if (status != EXIT_CONFORMS)
        return status;
    if (!build(check, &check->code, &request->files))
        return user_code_status(&check->code);
    if (launch_catalogue_make(&check->code.launch, &check->catalogue, error, sizeof error))
        return EXIT_CONFORMS;
    error_report("%s", error);
    return check->code.launch.reference.kind == REFERENCE_KEPT ? EXIT_ENVIRONMENT : EXIT_USAGE;
}

/* ---- Parts ---- */

enum { ALL_FRONT_ENDS = (1u << FRONT_ENDS) - 1 };

static bool does(const struct check_request *request, enum check_part part)
{
    return request->parts == 0 || (request->parts & part) != 0;
}

/* Checks that the options can be combined. Returns false after an error message. */
static bool parts_fit(const struct check_request *request)
{
    if (engine_list_has(&request->engines, ENGINE_CUDA_STRESS))
        return error_report("check takes --engine sim or cuda, not --engine %s",
                            engine_kinds[ENGINE_CUDA_STRESS].name);
    if (request->front_ends == ALL_FRONT_ENDS && request->case_id != NULL)
        return error_report("--case runs one case with one compiler: give --compiler once");
    if (request->front_ends == 1u << FRONT_END_CLANG && request->compilers.nvcc.count > 0)
        return error_report("--nvcc does not apply to --compiler clang: leave one of them out");
    if (user_files_are_ptx(&request->files) &&
        (request->front_ends != 0 || request->compilers.nvcc.count > 0 ||
         request->files.flag_count > 0))
        return error_report("'%s' is not compiled: leave out --compiler, --nvcc and compiler flags",
                            request->files.path[0]);
    return request->parts != CHECK_RACES || uses(request, ENGINE_SIM) ||
           error_report("--only races needs the simulator: give --engine sim");
}

/* Checks that --floats exact and --reference double can be combined with the other options. Returns
 * false after an error message. */
static bool floats_fit(const struct check_request *request)
{
    if (request->reference != 0 && request->oracle != NULL)
        return error_report("--reference double needs the code of a kernel as the reference, and "
                            "--oracle is none: leave out one of them");
    if (request->floats != FLOATS_EXACT)
        return true;
    if (request->reference != 0)
        return error_report("--floats exact has no rounding errors: leave out --reference double");
    if (request->ulps > 0)
        return error_report("--floats exact has no rounding errors: leave out --tolerance");
    if (request->oracle != NULL)
        return error_report("--oracle computes with the host's floats, which are not those of "
                            "--floats exact: write the reference as a plain kernel for --against");
    return !engine_list_has(&request->engines, ENGINE_CUDA) ||
           error_report("--floats exact runs on the simulator only: give no --engine cuda");
}

/* Checks that the launch uses the dimensions of --block and --size. Returns false after an error
 * message. */
static bool shapes_fit(const struct check_request *request, const struct launch_text *launch)
{
    const struct plan_request *cases = &request->selection.cases;
    char word[WORD_SIZE];

    if (cases->block_count > 0 && !launch_has(launch, VARIABLE_B))
        return error_report("--block is given, but the launch does not use B: its block is fixed");
    for (size_t b = 0; b < cases->block_count; b++) {
        block_format(&cases->blocks[b], word);
        if (cases->blocks[b].y > 1 || cases->blocks[b].z > 1)
            return error_report(
                "--block %s has several dimensions, but B of a launch is one number: "
                "give one, such as 256",
                word);
    }
    for (size_t z = 0; z < cases->size_count; z++) {
        size_format(&cases->sizes[z], word);
        if (cases->size_names.count == 0 &&
            (cases->sizes[z].size[1] != 1 || shape_size_count(&cases->sizes[z]) > 2) &&
            launch_size_dimensions(launch) == 1)
            return error_report(
                "--size %s has several dimensions, but the launch does not use nx and ny: "
                "give one dimension, such as 1000",
                word);
        if (cases->sizes[z].depth > 0)
            return error_report("--size %s has a maxDepth, which a launch does not have", word);
    }
    return true;
}

/* Checks that each float has a place where it is compared with its error bound. Returns false after
 * an error message. */
static bool bounds_fit(const struct check_request *request, const struct launch_text *launch)
{
    for (uint32_t a = 0; request->reference != 0 && a < launch->array_count; a++)
        if (launch->arrays[a].is_unordered && oracle_infinity(launch->arrays[a].type.element) != 0)
            return error_report("--reference double compares elements at their places, but '%s' is "
                                "'unordered': give --tolerance or an --oracle instead",
                                launch->arrays[a].name);
    return true;
}

/* Checks that --allow order names arrays that are compared. Returns false after an error message.
 */
static bool allowances_fit(const struct check_request *request, const struct launch_text *launch)
{
    for (uint32_t k = 0; k < request->allow.places.count; k++) {
        const struct allowance *allowance = &request->allow.places.all[k];
        uint32_t a = 0;
        while (a < launch->array_count &&
               (strcmp(launch->arrays[a].name, allowance->place) != 0 ||
                launch->arrays[a].role == ROLE_INPUT || launch->arrays[a].role == ROLE_SCRATCH))
            a++;
        if (allowance->what == ALLOWED_ORDER && a == launch->array_count)
            return error_report("--allow order:%s: the launch has no 'out', 'inout' or 'zeros' "
                                "array of that name",
                                allowance->place);
    }
    return true;
}

/* Prints what the allowances have excused. One that has excused nothing is an error, if everything
 * was checked. Returns the exit status. */
static int report_allowances(const struct check_request *request, const struct session *session,
                             int status)
{
    const struct allowance_list *places = &request->allow.places;
    bool is_whole = request->parts == 0 && request->case_id == NULL && !interrupt_came() &&
                    uses(request, ENGINE_SIM) &&
                    (status == EXIT_CONFORMS || status == EXIT_DIFFERS);
    char text[ALLOWANCE_TEXT];

    for (uint32_t k = 0; k < places->count; k++) {
        bool is_used = (session->excused >> k & 1) != 0;
        allowance_text(&places->all[k], text);
        if (is_used)
            printf("%sallowed: %s\n", k == 0 ? "\n" : "", text);
        else if (is_whole && (places->all[k].what != ALLOWED_ORDER || !has_tolerance(request))) {
            error_report("--allow %s excuses nothing: remove it", text);
            status = status == EXIT_CONFORMS ? EXIT_USAGE : status;
        }
    }
    return status;
}

/* Returns the front ends to use, as bits, or 0 after an error message. Without --compiler and
 * --nvcc these are all that are installed, or the first one for --case. */
static unsigned int choose_front_ends(const struct check_request *request)
{
    unsigned int found = 0;
    struct compiler compiler;
    char error[512];

    if (request->front_ends != 0)
        return request->front_ends;
    if (user_files_are_ptx(&request->files))
        return 1u << FRONT_END_NVCC; /* no compiler runs */
    if (request->compilers.nvcc.count > 0)
        return 1u << FRONT_END_NVCC;
    for (enum front_end front_end = 0; front_end < FRONT_ENDS; front_end++)
        if (front_end_open(&request->compilers, front_end, &compiler, error, sizeof error))
            found |= 1u << front_end;
    if (found == 0 && !interrupt_came())
        error_report("no nvcc on the PATH, and %s", error);
    return request->case_id != NULL ? found & -found : found;
}

/* Returns whether a GPU may take part. clang's PTX may call functions that only the simulator has,
 * so it runs on a GPU only if the user selects that engine. */
static bool may_use_gpu(const struct check *check)
{
    return uses(check->request, ENGINE_CUDA) && check->request->floats != FLOATS_EXACT &&
           (check->code.front_end != FRONT_END_CLANG || check->request->engines.count > 0);
}

/* Checks that there is a GPU that takes part. Writes the reason to `reason` if there is not. */
static enum engine_status find_gpu(struct check *check, char *reason, size_t size)
{
    struct session *session = check->session;
    struct supervisor *supervisor;
    enum engine_status status;

    if (!may_use_gpu(check))
        return ENGINE_UNAVAILABLE;
    session_keep(session, ENGINE_CUDA);
    status = session_start(session, ENGINE_CUDA, REQUEST_RUN, &supervisor, reason, size);
    if (status == ENGINE_OK)
        session_close(session, supervisor);
    return status;
}

/* Returns how many launches of the invocation are of that kernel. */
static uint32_t count_launches(const struct invocation *invocation, const char *symbol)
{
    uint32_t count = 0;

    for (uint32_t k = 0; invocation->kernel != NULL && k <= invocation->more_count; k++)
        count += strcmp(invocation_launch(invocation, k).kernel, symbol) == 0;
    return count;
}

/* Returns how many calls before that one launch the same kernel, as calls of PTX may. */
static uint32_t count_before(const struct launch_text *launch, uint32_t call)
{
    uint32_t count = 0;

    for (uint32_t c = 0; c < call; c++)
        count += strcmp(launch->calls[c].symbol, launch->calls[call].symbol) == 0;
    return count;
}

/* Checks that every launch runs at some size, because a launch that never runs has not passed.
 * Returns false after an error message. */
static bool is_launched(const struct check *check)
{
    const struct launch_text *launch = &check->code.launch;
    struct plan plan;
    bool launched[MAX_LAUNCHES] = {false};

    if (!plan_make(&check->request->selection.cases, &check->catalogue.row->variant, true, 0,
                   &plan))
        return error_report("out of memory");
    for (size_t k = 0; k < plan.shape_count; k++) {
        struct invocation invocation;
        struct test_case test;
        plan_case(&plan, plan.shapes[k].first, &test);
        test.variant->invoke(test.variant, &test.shape, &invocation);
        for (uint32_t c = 0; c < launch->call_count; c++)
            launched[c] = launched[c] || count_launches(&invocation, launch->calls[c].symbol) >
                                             count_before(launch, c);
    }
    plan_free(&plan);
    for (uint32_t c = 0; c < launch->call_count; c++)
        if (!launched[c])
            return error_report("%s is never launched: give a --size for which its grid has blocks",
                                launch->calls[c].kernel);
    return true;
}

/* Checks, before anything is compiled, that the requested engine is available. Returns the exit
 * status. */
static int look_for_gpu(struct check *check)
{
    const struct check_request *request = check->request;
    char reason[512] = "";
    enum engine_status status;

    status = find_gpu(check, reason, sizeof reason);
    check->gpu = status == ENGINE_OK ||
                 (may_use_gpu(check) && session_requires(check->session, ENGINE_CUDA));
    if (check->gpu || (status == ENGINE_UNAVAILABLE &&
                       (request->engines.count == 0 || !uses(request, ENGINE_CUDA))))
        return EXIT_CONFORMS;
    return session_failed(check->session, ENGINE_CUDA, status, reason);
}

static int run_case_id(struct check *check)
{
    const struct engine_kind *engine;
    struct test_case test;

    if (!session_case(check->session->catalogue, check->request->case_id, &test, &engine))
        return EXIT_USAGE;
    if (check->request->floats == FLOATS_EXACT && engine->id != ENGINE_SIM) {
        error_report("--floats exact runs on the simulator only, and the case is of the engine %s",
                     engine->name);
        return EXIT_USAGE;
    }
    return replay_case(&test, engine, check->session);
}

static int run_cases(struct check *check, const struct engine_list *engines)
{
    const struct run_request request = {.selection = check->request->selection,
                                        .engines = *engines,
                                        .max_failures = check->request->max_failures};

    return run_check(&request, check->session);
}

int check_races(const struct check_request *request, const struct selection *selection,
                struct session *session)
{
    enum { MAX_DELAYS_TRIED = 2 };
    struct races_request races = {.selection = *selection,
                                  .max_failures = request->max_failures,
                                  .delays = MAX_DELAYS_TRIED,
                                  .allow = request->allow};

    engine_list_add(&races.engines, ENGINE_SIM);
    return races_check(&races, session);
}

static int compare_bits(struct check *check)
{
    const struct determinism_request request = {.cases = &check->request->selection.cases,
                                                .variant = &check->catalogue.row->variant,
                                                .engine = ENGINE_SIM,
                                                .has_gpu = check->gpu};

    return determinism_check(&request, check->session);
}

static int run_parts(struct check *check)
{
    const struct check_request *request = check->request;
    struct engine_list engines = {.count = 0};
    int status = EXIT_CONFORMS;

    if (!is_launched(check))
        return EXIT_DIFFERS;
    if (uses(request, ENGINE_SIM))
        engine_list_add(&engines, ENGINE_SIM);
    if (check->gpu)
        engine_list_add(&engines, ENGINE_CUDA);
    if (does(request, CHECK_RUN) ||
        (does(request, CHECK_BITS) && has_tolerance(request))) /* determinism within a tolerance */
        status = run_cases(check, &engines);
    if (does(request, CHECK_RACES) && uses(request, ENGINE_SIM) && !interrupt_came())
        status = session_worse(status, check_races(request, &request->selection, check->session));
    if (does(request, CHECK_BITS) && !has_tolerance(request) && !interrupt_came())
        status = session_worse(status, compare_bits(check));
    return status;
}

/* A check that compared nothing has not passed. */
static int expect_results(const struct check *check, int status)
{
    if (status != EXIT_CONFORMS || check->results > 0 ||
        check->code.launch.reference.kind != REFERENCE_KEPT)
        return status;
    error_report("the reference code fails in every case, so nothing was compared: give a "
                 "reference that works, or other sizes");
    return EXIT_USAGE;
}

/* Runs the launch of the user's code in place of the session's catalogue. Returns the exit status.
 */
static int run_all(struct check *check)
{
    struct session *session = check->session;
    const struct catalogue *catalogue = session->catalogue;
    char error[1024];
    int status;

    session->catalogue = &check->catalogue.catalogue;
    user_code_use(&check->code, session);
    status = check->request->case_id != NULL ? run_case_id(check) : run_parts(check);
    session->catalogue = catalogue;
    if (!launch_files_are_same(&check->code.launch, error, sizeof error)) {
        error_report("%s", error);
        return EXIT_ENVIRONMENT;
    }
    return expect_results(check, status);
}

/* Checks the code of one front end. Returns the exit status. */
static int check_by(const struct check_request *request, const struct launch_text *launch,
                    enum front_end front_end, struct session *session)
{
    static struct check check;
    int status;

    check = (struct check){.request = request, .session = session};
    check.code.launch = *launch;
    check.code.front_end = check.old.front_end = front_end;
    check.code.place = check.old.place = request->place;
    status = request->case_id != NULL ? EXIT_CONFORMS : look_for_gpu(&check);
    if (status != EXIT_CONFORMS)
        return status;
    check.code.on_gpu = check.gpu || request->case_id != NULL;
    status = prepare(&check);
    if (status == EXIT_CONFORMS)
        status = run_all(&check);
    memset(session->code, 0, sizeof session->code);
    launch_catalogue_free(&check.catalogue);
    user_code_remove(&check.code);
    user_code_remove(&check.old);
    return status;
}

/* Lists the words of --allow. */
static struct list list_allowances(const struct allowances *allow, struct memory *memory)
{
    struct list words = {NULL, 0};
    char text[ALLOWANCE_TEXT];

    for (uint32_t k = 0; k < allow->places.count; k++) {
        allowance_text(&allow->places.all[k], text);
        LIST_ADD(memory, &words, const char *) = memory_copy(memory, text);
    }
    if (allow->instructions > 0)
        LIST_ADD(memory, &words, const char *) =
            memory_text(memory, "instructions:%" PRIu64 "%%", allow->instructions);
    if (allow->transactions > 0)
        LIST_ADD(memory, &words, const char *) =
            memory_text(memory, "transactions:%" PRIu64 "%%", allow->transactions);
    return words;
}

void check_take_launch(const struct check_request *request, const char *const *files, size_t count,
                       struct session *session)
{
    struct findings *findings = &session->findings;

    findings_add_launch(
        findings,
        &(const struct launch_record){
            .launch = request->launch,
            .files = findings_texts(findings, files, count),
            .flags = findings_texts(findings, request->files.flags, request->files.flag_count),
            .oracle = request->oracle,
            .against = request->against,
            .reference = request->reference != 0 ? "double" : NULL,
            .ulps = request->ulps,
            .allowed = list_allowances(&request->allow, &findings->memory)});
}

/* Prints the compiler of the rows that follow. */
static void print_front_end(const struct check_request *request, enum front_end front_end)
{
    struct compiler compiler;
    char error[512];

    if (front_end_open(&request->compilers, front_end, &compiler, error, sizeof error))
        printf("compiler %s %s (%s)\n", front_end_names[front_end], compiler.version,
               compiler.path);
    else
        printf("compiler %s\n", front_end_names[front_end]);
    fflush(stdout);
}

int check_launch(const struct check_request *request, struct session *session)
{
    static struct launch_text launch;
    unsigned int front_ends;
    int status = EXIT_CONFORMS;

    if (!parts_fit(request) || !floats_fit(request) ||
        !user_launch_read(request->launch, &request->selection.cases.size_names, &launch) ||
        !shapes_fit(request, &launch) || !bounds_fit(request, &launch) ||
        !allowances_fit(request, &launch))
        return EXIT_USAGE;
    launch.allowed = request->allow.places;
    session->excused = 0;
    check_take_launch(request, request->files.path, request->files.count, session);
    interrupt_catch();
    front_ends = choose_front_ends(request);
    if (front_ends == 0)
        return session_interrupted(EXIT_USAGE);
    if (request->floats == FLOATS_EXACT)
        printf("floats are elements of a prime field, and reports show them as the floats that "
               "hold them; no GPU takes part\n");
    for (enum front_end front_end = 0;
         front_end < FRONT_ENDS && status != EXIT_USAGE && !interrupt_came(); front_end++) {
        if ((front_ends >> front_end & 1) == 0)
            continue;
        if (front_ends == ALL_FRONT_ENDS)
            print_front_end(request, front_end);
        if (request->front_ends != 0 || front_ends == ALL_FRONT_ENDS)
            replay_line_compiler(front_end_names[front_end]);
        session->findings.compiler = front_end_names[front_end];
        status = session_worse(status, check_by(request, &launch, front_end, session));
        replay_line_end();
    }
    return session_interrupted(report_allowances(request, session, status));
}
