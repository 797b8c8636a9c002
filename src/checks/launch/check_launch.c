/* SPDX-License-Identifier: MIT */
#include "check_launch.h"

#include "accept.h"
#include "case_id.h"
#include "checks.h"
#include "clang.h"
#include "entry.h"
#include "error_report.h"
#include "interrupt.h"
#include "launch_catalogue.h"
#include "old_code.h"
#include "oracle.h"
#include "removed.h"
#include "replay_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What a check with several compilers remembers. */
struct compared {
    bool may_reject;  /* a rejection by this compiler is no error */
    bool is_left_out; /* there was one */
    struct removed removed;
};

struct check {
    const struct check_request *request;
    struct session *session;
    struct user_code code, old;
    struct launch_catalogue catalogue;
    bool gpu;        /* a GPU takes part */
    bool is_idle;    /* a captured launch that accesses no memory */
    bool is_partial; /* no case reached what the code has to check */
    uint64_t pieces; /* of the time: this launch with this compiler is one */
    size_t results;  /* of the reference code, in how many cases */
};

/* Returns whether that engine takes part. All do by default. */
static bool uses(const struct check_request *request, enum engine_id engine)
{
    return request->engines.count == 0 || engine_list_has(&request->engines, engine);
}

/* ---- Code ---- */

/* Compiles the files. Returns false after an error message, for example if the simulator is to run
 * code that it does not support, or with the rejection of a compiler that is optional. */
static bool build(const struct check *check, struct user_code *code, const struct user_files *files)
{
    const struct check_request *request = check->request;
    struct rejection *rejection = &code->rejection;
    struct progress *progress = &check->session->progress;
    char error[1024];
    bool good;

    if (!user_files_are_ptx(files))
        progress_say(progress, "compiling %s with %s", files->path[0],
                     front_end_names[code->front_end]);
    good = user_code_build(code, &request->compilers, files);
    progress_end(progress);
    if (!good)
        return false;
    if (!uses(request, ENGINE_SIM) || decode_accepts(code->ptx, error, sizeof error))
        return true;
    if (!code->is_optional)
        return error_report("%s", error);
    snprintf(rejection->what, sizeof rejection->what, "the simulator cannot run %s's PTX of '%s'",
             front_end_names[code->front_end], files->path[0]);
    snprintf(rejection->reason, sizeof rejection->reason, "%.500s", error);
    return false;
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
 * are no less than that of fma(). Uses clang where possible, because nvcc writes functions such as
 * expf() out with operations on the bits of floats. Returns false after an error message. */
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

static unsigned int count_parts(const struct check_request *request)
{
    return request->parts == 0 ? 3 : (unsigned int)__builtin_popcount(request->parts);
}

/* Runs the reference code. Its share of the time is that of a part. Returns the exit status. */
static int run_old(struct check *check)
{
    const struct check_request *request = check->request;
    struct session *session = check->session;
    double end = bound_share(&session->bound, check->pieces * (count_parts(request) + 1));
    enum float_kind usual = session->limits.floats;
    int status;

    if (request->reference != 0)
        session->limits.floats =
            request->against != NULL ? FLOATS_BOUNDED_ANY_ORDER : FLOATS_BOUNDED;
    status = old_code_run(&check->old, session, &request->selection.cases, request->case_id,
                          &check->code, &check->results);
    session->limits.floats = usual;
    bound_restore(&session->bound, end);
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
    struct user_files files = request->files;
    char error[512];
    int status;

    if (!user_code_start(&check->code))
        return EXIT_ENVIRONMENT;
    status = make_reference(check);
    if (status != EXIT_CONFORMS)
        return status;
    if (check->old.is_ptx && request->against == NULL)
        files.taken = check->old.ptx;
    if (!build(check, &check->code, &files))
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
    if (request->selection.cases.weak_memory != 0 && !does(request, CHECK_RACES) &&
        request->oracle == NULL && !has_reference_code(request))
        return error_report("--memory weak compares its executions in the part races: give --only "
                            "races, too, or leave out --only");
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

int check_allowances(const struct check_request *request, const struct session *session,
                     bool is_left_out, int status)
{
    const struct allowance_list *places = &request->allow.places;
    bool is_whole = request->parts == 0 && request->case_id == NULL && !interrupt_came() &&
                    uses(request, ENGINE_SIM) && !is_left_out &&
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
 * --nvcc these are all that are installed, or the first one for --case. It is an error if one of
 * them does not work. */
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
        else if (compiler.is_broken && !interrupt_came()) {
            error_report("%s: repair or remove it, because every installed compiler takes part",
                         error);
            return 0;
        }
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

    if (launch->captured[0] != '\0')
        return true;
    if (!plan_make(&check->request->selection.cases, &check->catalogue.row->variant, true, 0,
                   &plan))
        return error_report("out of memory");
    for (size_t k = 0; k < plan.shape_count; k++) {
        struct invocation invocation;
        struct test_case test;
        plan_case(&plan, plan.shapes[k].first, &test);
        test.variant->invoke(test.variant, &test.shape, &invocation);
        for (uint32_t c = 0; c < launch->call_count; c++)
            launched[c] =
                launched[c] || invocation.refusal[0] != '\0' || /* it is a fault */
                count_launches(&invocation, launch->calls[c].symbol) > count_before(launch, c);
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

static bool is_one_shape(const struct shape *a, const struct shape *b)
{
    return memcmp(&a->block, &b->block, sizeof a->block) == 0 &&
           memcmp(a->size, b->size, sizeof a->size) == 0 && a->surplus == b->surplus &&
           a->depth == b->depth && memcmp(a->further, b->further, sizeof a->further) == 0;
}

/* Reads the case ID, or the two case IDs with a comma between them. Sets *count. Returns false
 * after an error message. */
static bool read_cases(const struct check *check, struct test_case cases[2], size_t *count,
                       const struct engine_kind **engine)
{
    const struct catalogue *catalogue = check->session->catalogue;
    const char *text = check->request->case_id, *comma = strchr(text, ',');
    const struct engine_kind *other;
    char first[CASE_ID_SIZE];

    *count = comma != NULL ? 2 : 1;
    if (comma == NULL)
        return session_case(catalogue, text, &cases[0], engine);
    snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
    if (!session_case(catalogue, first, &cases[0], engine) ||
        !session_case(catalogue, comma + 1, &cases[1], &other))
        return false;
    return (*engine == other && is_one_shape(&cases[0].shape, &cases[1].shape) &&
            values_key(cases[0].values) == values_key(cases[1].values)) ||
           error_report("--case %s: the two cases must be of one engine, size and set of values, "
                        "and differ in model and schedule only",
                        text);
}

static int run_case_id(struct check *check)
{
    const struct engine_kind *engine;
    struct test_case cases[2];
    size_t count;

    if (!read_cases(check, cases, &count, &engine))
        return EXIT_USAGE;
    if (check->request->floats == FLOATS_EXACT && engine->id != ENGINE_SIM) {
        error_report("--floats exact runs on the simulator only, and the case is of the engine %s",
                     engine->name);
        return EXIT_USAGE;
    }
    return count == 2 ? replay_compare(cases, engine, check->session)
                      : replay_case(&cases[0], engine, check->session);
}

static int run_cases(struct check *check)
{
    struct run_request request = {.selection = check->request->selection,
                                  .max_failures = check->request->max_failures};

    if (uses(check->request, ENGINE_SIM))
        engine_list_add(&request.engines, ENGINE_SIM);
    if (check->gpu)
        engine_list_add(&request.engines, ENGINE_CUDA);
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

/* Runs a part in its share of the time. `left` is how many parts are left. */
static int run_part(struct check *check, enum check_part part, unsigned int left)
{
    struct bound *bound = &check->session->bound;
    double end = bound_share(bound, left);
    int status = part == CHECK_RUN ? run_cases(check)
                 : part == CHECK_RACES
                     ? check_races(check->request, &check->request->selection, check->session)
                     : compare_bits(check);

    bound_restore(bound, end);
    return status;
}

/* Returns whether the code of the launched kernels has nothing to check. */
static bool is_code_idle(const struct check *check)
{
    const struct launch_text *launch = &check->code.launch;
    static char symbols[MAX_LAUNCHES][512];
    const char *kernels[MAX_LAUNCHES];
    struct entries entries;
    char error[512];
    bool good = entries_open(check->code.ptx, &entries, error, sizeof error);

    for (uint32_t c = 0; good && c < launch->call_count; c++) /* a launch of PTX has the symbol */
        kernels[c] = entries_symbol(&entries, launch->calls[c].symbol, symbols[c])
                         ? symbols[c]
                         : launch->calls[c].symbol;
    entries_free(&entries);
    return good && decode_is_idle(check->code.ptx, kernels, launch->call_count);
}

/* Looks for races. If no case reached anything to check, the code decides: it has nothing, which is
 * a remark, or the check is partial. Returns the exit status. */
static int find_races(struct check *check, unsigned int left)
{
    int status = run_part(check, CHECK_RACES, left);

    if (status != EXIT_UNAVAILABLE)
        return status;
    check->is_partial = !is_code_idle(check);
    if (check->is_partial) {
        error_report("no case reached a memory access, a barrier or a call, although the code has "
                     "some: give arguments or a --size for which it runs");
        return status;
    }
    puts(
        "\nremark: the code accesses no global or shared memory and has no barrier and no call, so "
        "it cannot race");
    return EXIT_CONFORMS;
}

static int run_parts(struct check *check)
{
    const struct check_request *request = check->request;
    bool has_run = does(request, CHECK_RUN) ||
                   (does(request, CHECK_BITS) && has_tolerance(request)); /* within a tolerance */
    bool has_races = does(request, CHECK_RACES) && uses(request, ENGINE_SIM) && !check->is_idle;
    bool has_bits = does(request, CHECK_BITS) && !has_tolerance(request);
    unsigned int left = (unsigned int)has_run + has_races + has_bits;
    int status = EXIT_CONFORMS;

    if (!is_launched(check))
        return EXIT_USAGE;
    if (has_run)
        status = run_part(check, CHECK_RUN, left--);
    if (has_races && !interrupt_came())
        status = session_worse(status, find_races(check, left--));
    if (has_bits && !interrupt_came())
        status = session_worse(status, run_part(check, CHECK_BITS, left));
    return status == EXIT_UNAVAILABLE && check->is_partial ? EXIT_ENVIRONMENT : status;
}

/* Names arrays whose contents never vary, because kernels that differ may then agree. */
static void report_constants(const struct check *check)
{
    const struct launch_text *launch = &check->code.launch;
    char text[256];

    for (uint32_t a = 0; a < launch->array_count; a++) {
        if (!launch_array_is_constant(launch, a))
            continue;
        snprintf(text, sizeof text,
                 "remark: every element of '%s' has the same value in all cases, which hides wrong "
                 "results: give it contents that vary",
                 launch->arrays[a].name);
        printf("\n%s\n", text);
        findings_add_remark(&check->session->findings, text);
    }
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
    double end = bound_share(&session->bound, check->pieces);
    char error[1024];
    int status;

    session->catalogue = &check->catalogue.catalogue;
    user_code_use(&check->code, session);
    status = check->request->case_id != NULL ? run_case_id(check) : run_parts(check);
    report_constants(check);
    session->catalogue = catalogue;
    bound_restore(&session->bound, end);
    if (!launch_files_are_same(&check->code.launch, error, sizeof error)) {
        error_report("%s", error);
        return EXIT_ENVIRONMENT;
    }
    return expect_results(check, status);
}

/* Reports that the code of one compiler was not checked, although another one compiles the files.
 */
static void report_rejection(struct session *session, const struct launch_text *launch,
                             const struct rejection *rejection)
{
    struct check_record check = {.kind = CHECKED_COMPILATION,
                                 .kernel = launch->calls[0].kernel,
                                 .result = RESULT_SKIPPED,
                                 .verdict = verdict_name(VERDICT_SKIPPED)};
    char note[3 * USER_PATH];

    printf("%s\n%s, so the verdict is that of nvcc's PTX alone\n", rejection->reason,
           rejection->what);
    fflush(stdout);
    snprintf(note, sizeof note, "%s, so the verdict is that of nvcc's PTX alone: %s",
             rejection->what, rejection->reason);
    check.note = note;
    findings_add_check(&session->findings, &check);
    findings_save(&session->findings);
}

/* Compares the accesses of clang's code with those of nvcc's, which was checked before. */
static void compare_accesses(struct check *check, struct compared *compared)
{
    struct removed *removed = &compared->removed;
    bool is_clang = check->code.front_end == FRONT_END_CLANG;

    decode_access_lines(check->code.ptx, is_clang ? &removed->by_clang : &removed->by_nvcc);
    check->session->explain = is_clang ? removed_explain : NULL;
    check->session->explain_context = removed;
}

/* Leaves out a GPU that cannot load the code. It is an error if the user requires one. Returns the
 * exit status. */
static int expect_on_gpu(struct check *check)
{
    struct session *session = check->session;
    struct check_record record = {.kind = CHECKED_RUN,
                                  .kernel = check->code.launch.calls[0].kernel,
                                  .engine = ENGINE_CUDA,
                                  .result = RESULT_SKIPPED,
                                  .verdict = verdict_name(VERDICT_SKIPPED)};
    char reason[512];

    if (!check->gpu || decode_runs_on_gpu(check->code.ptx, reason, sizeof reason))
        return EXIT_CONFORMS;
    check->gpu = false;
    if (check->request->engines.count > 0 || session_requires(session, ENGINE_CUDA))
        return session_failed(session, ENGINE_CUDA, ENGINE_UNAVAILABLE, reason);
    printf("engine cuda: skipped: %s\n", reason);
    record.note = reason;
    findings_add_check(&session->findings, &record);
    return EXIT_CONFORMS;
}

/* Takes that the time is over before anything is compiled. */
static void leave_out(const struct launch_text *launch, struct session *session)
{
    findings_add_check(&session->findings,
                       &(const struct check_record){.kernel = launch->calls[0].kernel,
                                                    .engine = ENGINE_SIM,
                                                    .result = RESULT_SKIPPED,
                                                    .verdict = verdict_name(VERDICT_SKIPPED),
                                                    .note = "--minutes left no time for a case"});
    bound_take_rest(&session->bound,
                    &(const struct bound_check){session->findings.compiler, launch->calls[0].kernel,
                                                "all checks"},
                    "everything");
}

/* Checks the code of one front end. `compared` is null if it is the only one, and `left` is how
 * many are left. Returns the exit status. */
static int check_by(const struct check_request *request, const struct launch_text *launch,
                    enum front_end front_end, struct compared *compared, unsigned int left,
                    struct session *session)
{
    static struct check check;
    const struct rejection *rejection = &check.code.rejection;
    int status;

    if (bound_is_over(&session->bound) && request->case_id == NULL) {
        leave_out(launch, session);
        return EXIT_CONFORMS;
    }
    check = (struct check){.request = request, .session = session};
    check.pieces = (session->bound.launches - 1) * FRONT_ENDS + left;
    check.code.launch = *launch;
    check.code.front_end = check.old.front_end = front_end;
    check.code.is_optional = check.old.is_optional = compared != NULL && compared->may_reject;
    check.code.place = check.old.place = request->place;
    status = request->case_id != NULL ? EXIT_CONFORMS : look_for_gpu(&check);
    if (status != EXIT_CONFORMS)
        return status;
    check.code.on_gpu = check.gpu || request->case_id != NULL;
    status = prepare(&check);
    if (status == EXIT_CONFORMS)
        status = expect_on_gpu(&check);
    if (status == EXIT_CONFORMS && compared != NULL)
        compare_accesses(&check, compared);
    if (status == EXIT_CONFORMS)
        status = run_all(&check);
    session->explain = NULL;
    if (check.old.rejection.what[0] != '\0')
        rejection = &check.old.rejection;
    if (rejection->what[0] != '\0') {
        compared->is_left_out = true;
        report_rejection(session, launch, rejection);
        status = EXIT_CONFORMS;
    }
    memset(session->code, 0, sizeof session->code);
    launch_catalogue_free(&check.catalogue);
    user_code_remove(&check.code);
    user_code_remove(&check.old);
    return status;
}

/* Instructions for each second of --deadline. A slow first case executes 100 million a second, and
 * other cases may take four times as long. */
enum { CHECK_STEPS = 25000000 };

uint64_t check_steps(const struct session *session)
{
    double steps = session->limits.deadline_seconds * CHECK_STEPS;

    return steps < 1 ? 1 : steps < 1e18 ? (uint64_t)steps : UINT64_C(1000000000000000000);
}

static int run_first(struct check *check, struct outcome *outcome)
{
    struct session *session = check->session;
    struct supervisor *supervisor;
    struct test_case test;
    struct plan plan;
    int status = session_open(session, ENGINE_SIM, REQUEST_DIGEST, &supervisor);

    if (status != EXIT_CONFORMS)
        return status;
    if (!plan_make(&check->request->selection.cases, &check->catalogue.row->variant, true, 0,
                   &plan))
        return session_ended(session, supervisor, ENGINE_ERROR);
    plan_case(&plan, 0, &test);
    plan_free(&plan);
    progress_say(&session->progress, "replaying %s", check->code.launch.calls[0].kernel);
    status =
        session_ended(session, supervisor, supervisor_run_array(supervisor, &test, 1, outcome));
    progress_end(&session->progress);
    return status;
}

/* Runs the first case of a captured launch. Returns EXIT_UNAVAILABLE if it executes so many
 * instructions that others may exceed --deadline. The GPU has completed the launch, so this would
 * be no failure. Else returns EXIT_CONFORMS, or the exit status after an error message. */
static int try_first(struct check *check)
{
    struct session *session = check->session;
    uint64_t usual = session->limits.steps, most = check_steps(session);
    struct outcome outcome;
    bool is_long;
    int status;

    user_code_use(&check->code, session);
    if (usual == 0 || usual > most)
        session->limits.steps = most;
    status = run_first(check, &outcome);
    session->limits.steps = usual;
    if (status != EXIT_CONFORMS)
        return status;
    check->is_idle = outcome.kind == OUTCOME_PASS && outcome.points == 0 && outcome.checked == 0;
    is_long = outcome.kind == OUTCOME_FAULT &&
              (outcome.fault.kind == FAULT_TIMEOUT ||
               (outcome.fault.kind == FAULT_STEP_LIMIT && (usual == 0 || usual > most)));
    return is_long ? EXIT_UNAVAILABLE : EXIT_CONFORMS;
}

int check_built(const struct check_request *request, const struct user_code *code,
                struct session *session)
{
    static struct check check;
    char error[512];
    int status;

    check = (struct check){.request = request, .session = session, .code = *code};
    check.pieces = session->bound.launches;
    if (!launch_catalogue_make(&check.code.launch, &check.catalogue, error, sizeof error)) {
        error_report("%s", error);
        return EXIT_ENVIRONMENT;
    }
    status = request->case_id == NULL ? try_first(&check) : EXIT_CONFORMS;
    if (status == EXIT_CONFORMS)
        status = run_all(&check);
    memset(session->code, 0, sizeof session->code);
    launch_catalogue_free(&check.catalogue);
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

/* Sets the compiler of the rows that follow, and prints it if there are several. */
static void take_front_end(const struct check_request *request, enum front_end front_end,
                           bool prints, struct session *session)
{
    struct compiler compiler;
    char error[512];
    bool is_known = (prints || session->expectations != NULL) &&
                    front_end_open(&request->compilers, front_end, &compiler, error, sizeof error);

    session->findings.compiler = front_end_names[front_end];
    snprintf(session->compiler_version, sizeof session->compiler_version, "%s",
             is_known ? compiler.version : "");
    if (!prints)
        return;
    if (is_known)
        printf("compiler %s %s (%s)\n", front_end_names[front_end], compiler.version,
               compiler.path);
    else
        printf("compiler %s\n", front_end_names[front_end]);
    fflush(stdout);
}

/* Checks the launch with each of the front ends. Returns the worst exit status. */
static int check_by_all(const struct check_request *request, const struct launch_text *launch,
                        unsigned int front_ends, struct compared *compared, struct session *session)
{
    unsigned int left = (unsigned int)__builtin_popcount(front_ends);
    int status = EXIT_CONFORMS;

    for (enum front_end front_end = 0;
         front_end < FRONT_ENDS && status != EXIT_USAGE && !interrupt_came(); front_end++) {
        if ((front_ends >> front_end & 1) == 0)
            continue;
        take_front_end(request, front_end, front_ends == ALL_FRONT_ENDS, session);
        if (request->front_ends != 0 || front_ends == ALL_FRONT_ENDS)
            replay_line_compiler(front_end_names[front_end]);
        compared->may_reject = front_end != FRONT_END_NVCC && request->front_ends == 0;
        status = session_worse(status, check_by(request, launch, front_end,
                                                front_ends == ALL_FRONT_ENDS ? compared : NULL,
                                                left--, session));
        replay_line_end();
    }
    removed_free(&compared->removed);
    return status;
}

static int check_all(const struct check_request *request, struct session *session)
{
    static struct launch_text launch;
    struct compared compared = {.is_left_out = false};
    unsigned int front_ends;
    int status;

    if (!parts_fit(request) || !floats_fit(request) ||
        !user_launch_read(request->launch, &request->selection.cases.size_names, &launch) ||
        !shapes_fit(request, &launch) || !bounds_fit(request, &launch) ||
        !allowances_fit(request, &launch))
        return EXIT_USAGE;
    launch.allowed = request->allow.places;
    session->excused = 0;
    interrupt_catch();
    front_ends = choose_front_ends(request);
    if (front_ends == 0)
        return session_interrupted(EXIT_USAGE);
    if (request->floats == FLOATS_EXACT)
        printf("floats are elements of a prime field, and reports show them as the floats that "
               "hold them; no GPU takes part\n");
    status = check_by_all(request, &launch, front_ends, &compared, session);
    return session_interrupted(check_allowances(request, session, compared.is_left_out, status));
}

int check_launch(const struct check_request *request, struct session *session)
{
    int status;

    check_take_launch(request, request->files.path, request->files.count, session);
    session_keep(session, ENGINE_SIM);
    status = bound_end(&session->bound, check_all(request, session));
    findings_end_launch(&session->findings, status);
    return status;
}
