/* SPDX-License-Identifier: MIT */
#include "check_parts.h"

#include "accept.h"
#include "case_id.h"
#include "entry.h"
#include "error_report.h"
#include "interrupt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Launches that never run ---- */

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

/* Checks that every launch runs at some size, because a launch that never runs has not passed. A
 * launch that is invalid at some sizes only is a fault there.
 * Returns false after an error message. */
static bool is_launched(const struct check *check)
{
    const struct launch_text *launch = &check->code.launch;
    struct plan plan;
    bool launched[MAX_LAUNCHES] = {false}, has_valid;
    char refusal[sizeof((struct invocation *)NULL)->refusal];

    if (launch->captured[0] != '\0' || check->keeps)
        return true;
    if (!plan_make(&check->request->rows.selection.cases, &check->catalogue.row->variant, true, 0,
                   &plan))
        return error_report("out of memory");
    has_valid = plan.shape_count == 0;
    for (size_t k = 0; k < plan.shape_count; k++) {
        struct invocation invocation;
        struct test_case test;
        plan_case(&plan, plan.shapes[k].first, &test);
        test.variant->invoke(test.variant, &test.shape, &invocation);
        has_valid = has_valid || invocation.refusal[0] == '\0';
        memcpy(refusal, invocation.refusal, sizeof refusal);
        for (uint32_t c = 0; c < launch->call_count; c++)
            launched[c] =
                launched[c] || invocation.refusal[0] != '\0' || /* it is a fault */
                count_launches(&invocation, launch->calls[c].symbol) > count_before(launch, c);
    }
    plan_free(&plan);
    if (!has_valid)
        return error_report("no size makes a valid launch: %s", refusal);
    for (uint32_t c = 0; c < launch->call_count; c++)
        if (!launched[c])
            return error_report("%s is never launched: give a --size for which its grid has blocks",
                                launch->calls[c].kernel);
    return true;
}

/* ---- One case ---- */

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
    const struct catalogue *catalogue = check->session.catalogue;
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
    return count == 2 ? replay_compare(cases, engine, &check->session)
                      : replay_case(&cases[0], engine, &check->session);
}

/* ---- Parts ---- */

/* Decodes the code and lists the symbols of the launched kernels. Returns false with an error. */
static bool list_kernels(struct check *check, const char *kernels[MAX_LAUNCHES])
{
    const struct launch_text *launch = &check->code.launch;
    struct entries entries;
    char error[512];
    bool good = entries_open(check->code.ptx, &entries, error, sizeof error);

    for (uint32_t c = 0; good && c < launch->call_count; c++) {
        kernels[c] = entries_symbol(&entries, launch->calls[c].symbol);
        if (kernels[c] == NULL) /* a launch of PTX has the symbol */
            kernels[c] = launch->calls[c].symbol;
    }
    entries_free(&entries);
    return good && user_code_decode(&check->code, error, sizeof error);
}

/* Returns whether the code of the launched kernels has nothing to check. */
static bool is_code_idle(struct check *check)
{
    const char *kernels[MAX_LAUNCHES];

    return list_kernels(check, kernels) &&
           decode_is_idle(check->code.decoded, kernels, check->code.launch.call_count);
}

/* Returns false if no GPU can launch the code of an optional compiler, with its rejection. nvcc may
 * have dropped arrays that clang keeps. */
static bool is_launchable(struct check *check)
{
    const struct launch_text *launch = &check->code.launch;
    struct rejection *rejection = &check->code.rejection;
    const char *kernels[MAX_LAUNCHES];

    if (!check->code.is_optional || !list_kernels(check, kernels))
        return true;
    for (uint32_t c = 0; c < launch->call_count; c++) {
        uint64_t bytes = decode_static_shared(check->code.decoded, kernels[c]);
        if (bytes <= STATIC_SHARED)
            continue;
        snprintf(rejection->what, sizeof rejection->what, "clang's code of %s cannot be launched",
                 launch->calls[c].kernel);
        snprintf(rejection->reason, sizeof rejection->reason,
                 "it has %" PRIu64 " bytes of static shared memory, and ptxas rejects more than %d",
                 bytes, STATIC_SHARED);
    }
    return rejection->what[0] == '\0';
}

/* Says that the race check found nothing to check. The code decides: it has nothing, which is a
 * remark, or the check is partial. */
static bool may_be_idle(void *context)
{
    struct check *check = context;

    if (check->keeps) /* the other codes decide */
        return true;
    check->is_partial = !is_code_idle(check);
    if (check->is_partial)
        return error_report("no case reached a memory access, a barrier or a call, although the "
                            "code has some: give arguments or a --size for which it runs");
    findings_add_remark(&check->session.sinks->findings,
                        "the code accesses no global or shared memory and has no barrier and no "
                        "call, so it cannot race");
    return true;
}

/* Returns the parts that run. Bits that may differ are compared by the run alone. */
static unsigned int parts_of(const struct check *check)
{
    const struct check_request *request = check->request;
    bool has_bits = check_has_part(request, CHECK_BITS), is_near = check_has_tolerance(request);
    unsigned int parts = 0;

    if (check_has_part(request, CHECK_RUN) || (has_bits && is_near))
        parts |= CHECK_RUN;
    if (check_has_part(request, CHECK_RACES) && check_uses_engine(request, ENGINE_SIM) &&
        !check->is_idle)
        parts |= CHECK_RACES;
    if (has_bits && !is_near)
        parts |= CHECK_BITS;
    return parts;
}

static int run_parts(struct check *check)
{
    struct rows_request rows = check->request->rows;
    int status;

    if (!is_launched(check))
        return EXIT_USAGE;
    rows.engines.count = 0;
    if (check_uses_engine(check->request, ENGINE_SIM))
        engine_list_add(&rows.engines, ENGINE_SIM);
    if (check->gpu)
        engine_list_add(&rows.engines, ENGINE_CUDA);
    status = check_rows(&rows, parts_of(check), &check->session);
    return status == EXIT_UNAVAILABLE && check->is_partial ? EXIT_ENVIRONMENT : status;
}

/* ---- The whole check ---- */

/* Names arrays whose contents never vary, because kernels that differ may then agree, and variables
 * that never vary, because the launch lacks their dimension. */
static void report_constants(const struct check *check)
{
    const struct launch_text *launch = &check->code.launch;
    char text[256];

    for (uint32_t a = 0; a < launch->array_count; a++) {
        if (!launch_array_is_constant(launch, a))
            continue;
        snprintf(text, sizeof text,
                 "every element of '%s' has the same value in all cases, which hides wrong "
                 "results: give it contents that vary",
                 launch->arrays[a].name);
        findings_add_remark(&check->session.sinks->findings, text);
    }
    for (uint32_t c = 0; c < launch->call_count; c++) {
        if (launch->calls[c].unlike != NULL)
            findings_add_remark(&check->session.sinks->findings, launch->calls[c].unlike);
        if (launch->calls[c].unused == NULL)
            continue;
        snprintf(text, sizeof text,
                 "%.64s reads %s, which is always 0: the launch has no such dimension",
                 launch->calls[c].kernel, launch->calls[c].unused);
        findings_add_remark(&check->session.sinks->findings, text);
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

int check_parts_run(struct check *check)
{
    struct session *session = &check->session;
    double end = bound_share(&session->sinks->bound, check->pieces);
    char error[1024];
    int status;

    if (!is_launchable(check))
        return EXIT_CONFORMS;
    session->catalogue = &check->catalogue.catalogue;
    session->context = check;
    session->may_be_idle = may_be_idle;
    user_code_use(&check->code, session);
    status = check->request->case_id != NULL ? run_case_id(check) : run_parts(check);
    report_constants(check);
    bound_restore(&session->sinks->bound, end);
    if (!launch_files_are_same(&check->code.launch, error, sizeof error)) {
        error_report("%s", error);
        return EXIT_ENVIRONMENT;
    }
    return expect_results(check, status);
}
