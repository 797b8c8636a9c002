/* SPDX-License-Identifier: MIT */
#include "check_launch.h"

#include "accept.h"
#include "check_parts.h"
#include "clang.h"
#include "error_report.h"
#include "interrupt.h"
#include "old_code.h"
#include "removed.h"
#include "replay_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What a check with several compilers remembers. */
struct compared {
    bool may_reject;  /* a rejection by this compiler is no error */
    bool is_left_out; /* there was one */
    bool keeps;       /* the code keeps every access */
    struct removed removed;
};

/* ---- The compilers and the GPU ---- */

/* Returns the front ends to use, as bits. After an error message it returns 0, and may set the exit
 * status. Without --compiler and --nvcc these are all that are installed, or the first one for
 * --case. It is an error if one of them does not work. */
static unsigned int choose_front_ends(const struct check_request *request, int *status)
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
            if (strstr(error, "failed to map segment") != NULL) /* as under 'ulimit -v' */
                *status = EXIT_ENVIRONMENT;
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
    return check_uses_engine(check->request, ENGINE_CUDA) &&
           check->request->floats != FLOATS_EXACT &&
           (check->code.front_end != FRONT_END_CLANG || check->request->rows.engines.count > 0);
}

/* Checks that there is a GPU that takes part. Writes the reason to `reason` if there is not. */
static enum engine_status find_gpu(struct check *check, char *reason, size_t size)
{
    const struct session *session = &check->session;
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

/* Checks, before anything is compiled, that the requested engine is available. Returns the exit
 * status. */
static int look_for_gpu(struct check *check)
{
    const struct check_request *request = check->request;
    char reason[512] = "";
    enum engine_status status;

    status = find_gpu(check, reason, sizeof reason);
    check->gpu = status == ENGINE_OK ||
                 (may_use_gpu(check) && session_requires(&check->session, ENGINE_CUDA));
    if (check->gpu || (status == ENGINE_UNAVAILABLE && (request->rows.engines.count == 0 ||
                                                        !check_uses_engine(request, ENGINE_CUDA))))
        return EXIT_CONFORMS;
    return session_failed(&check->session, ENGINE_CUDA, status, reason);
}

/* Leaves out a GPU that cannot load the code. It is an error if the user requires one. Returns the
 * exit status. */
static int expect_on_gpu(struct check *check)
{
    const struct session *session = &check->session;
    struct check_record record = {.kind = CHECKED_RUN,
                                  .kernel = check->code.launch.calls[0].kernel,
                                  .engine = ENGINE_CUDA,
                                  .compiler = session->compiler,
                                  .result = RESULT_SKIPPED,
                                  .verdict = verdict_name(VERDICT_SKIPPED)};
    char reason[512];

    if (!check->gpu || (user_code_decode(&check->code, reason, sizeof reason) &&
                        decode_runs_on_gpu(check->code.decoded, reason, sizeof reason)))
        return EXIT_CONFORMS;
    check->gpu = false;
    if (check->request->rows.engines.count > 0 || session_requires(session, ENGINE_CUDA))
        return session_failed(session, ENGINE_CUDA, ENGINE_UNAVAILABLE, reason);
    session_say(session, "engine cuda: skipped: %s\n", reason);
    record.note = reason;
    findings_add_check(&session->sinks->findings, &record);
    return EXIT_CONFORMS;
}

/* ---- The check with one compiler ---- */

/* Reports that the code of one compiler was not checked, although another one compiles the files.
 * `so` says what the verdict is. */
static void report_rejection(const struct session *session, const struct launch_text *launch,
                             const struct rejection *rejection, const char *so)
{
    struct check_record check = {.kind = CHECKED_COMPILATION,
                                 .kernel = launch->calls[0].kernel,
                                 .compiler = session->compiler,
                                 .result = RESULT_SKIPPED,
                                 .verdict = verdict_name(VERDICT_SKIPPED)};
    char note[3 * USER_PATH];

    session_say(session, "%s\n%s%s\n", rejection->reason, rejection->what, so);
    fflush(stdout);
    snprintf(note, sizeof note, "%s%s: %s", rejection->what, so, rejection->reason);
    check.note = note;
    findings_add_check(&session->sinks->findings, &check);
    findings_save(&session->sinks->findings);
}

/* Compares the accesses of clang's code with those of nvcc's, which was checked before. */
static void compare_accesses(struct check *check, struct compared *compared)
{
    struct removed *removed = &compared->removed;
    bool is_clang = check->code.front_end == FRONT_END_CLANG;

    if (check->code.decoded != NULL)
        decode_access_lines(check->code.decoded, is_clang ? &removed->by_clang : &removed->by_nvcc);
    check->removed = is_clang ? removed : NULL;
}

static void explain(const void *context, const char *file, int line, bool writes, char *text,
                    size_t size)
{
    const struct check *check = context;

    text[0] = '\0';
    if (check->removed != NULL)
        removed_explain(check->removed, file, line, writes, text, size);
}

static bool prepare(void *context, const struct test_case *cases, size_t count)
{
    const struct check *check = context;

    return check->runs == NULL || old_runs_prepare(check->runs, cases, count);
}

/* Takes that the time is over before anything is compiled. */
static void leave_out(const struct launch_text *launch, const struct session *session)
{
    findings_add_check(&session->sinks->findings,
                       &(const struct check_record){.kernel = launch->calls[0].kernel,
                                                    .engine = ENGINE_SIM,
                                                    .compiler = session->compiler,
                                                    .result = RESULT_SKIPPED,
                                                    .verdict = verdict_name(VERDICT_SKIPPED),
                                                    .note = "--minutes left no time for a case"});
    bound_take_rest(
        &session->sinks->bound,
        &(const struct bound_check){session->compiler, launch->calls[0].kernel, "all checks"},
        "everything");
}

/* Runs the parts. The reference code also runs the cases of searches for smaller ones. */
static int run_parts(struct check *check)
{
    struct session *session = &check->session;
    struct old_runs runs = {.old = &check->old,
                            .session = session,
                            .floats = check_reference_floats(check->request, session)};
    int status;

    check->runs = check->code.launch.reference.kind == REFERENCE_KEPT ? &runs : NULL;
    session->explain = explain;
    session->prepare = prepare;
    status = check_parts_run(check);
    old_runs_end(&runs);
    return status;
}

/* Makes the code of one front end and checks it. `compared` is as in check_by(). Returns the exit
 * status. */
static int make_and_run(struct check *check, struct compared *compared)
{
    const struct rejection *rejection = &check->code.rejection;
    int status = check_code_make(check);

    if (status == EXIT_CONFORMS && !check->keeps) {
        if (check->code.is_ptx)
            findings_add_compiler(&check->session.sinks->findings, "the given PTX", NULL);
        else
            findings_add_compiler(&check->session.sinks->findings, check->session.compiler,
                                  check->session.compiler_version);
        status = expect_on_gpu(check);
    }
    if (status == EXIT_CONFORMS && compared != NULL && !check->keeps)
        compare_accesses(check, compared);
    if (status == EXIT_CONFORMS)
        status = run_parts(check);
    if (check->old.rejection.what[0] != '\0')
        rejection = &check->old.rejection;
    if (rejection->what[0] != '\0') {
        compared->is_left_out = true;
        report_rejection(&check->session, &check->code.launch, rejection,
                         check->keeps ? " at -O0, so only optimized code was checked"
                                      : ", so the verdict is that of nvcc's PTX alone");
        status = EXIT_CONFORMS;
    }
    launch_catalogue_free(&check->catalogue);
    user_code_remove(&check->code);
    user_code_remove(&check->old);
    return status;
}

/* Checks the code of one front end. `compared` is null if it is the only one, and `left` is how
 * many are left. Returns the exit status. */
static int check_by(const struct check_request *request, const struct launch_text *launch,
                    enum front_end front_end, struct compared *compared, unsigned int left,
                    const struct session *session)
{
    struct memory memory = {NULL};
    struct check *check;
    int status;

    if (bound_is_over(&session->sinks->bound) && request->case_id == NULL) {
        leave_out(launch, session);
        return EXIT_CONFORMS;
    }
    check = memory_take(&memory, sizeof *check);
    check->request = request;
    check->session = *session;
    check->pieces = (session->sinks->bound.launches - 1) * FRONT_ENDS + left;
    check->code.launch = *launch;
    check->code.front_end = check->old.front_end = front_end;
    check->keeps = compared != NULL && compared->keeps;
    check->code.is_optional = check->old.is_optional = compared != NULL && compared->may_reject;
    check->code.place = check->old.place = request->place;
    status = request->case_id != NULL ? EXIT_CONFORMS : look_for_gpu(check);
    check->code.on_gpu = check->gpu || request->case_id != NULL;
    if (status == EXIT_CONFORMS)
        status = make_and_run(check, compared);
    memory_free(&memory);
    return status;
}

/* ---- The check with all compilers ---- */

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
                       const struct session *session)
{
    struct findings *findings = &session->sinks->findings;

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
            .allowed = list_allowances(&request->rows.allow, &findings->memory)});
}

/* Sets the compiler of the rows that follow, and prints it if there are several. The session
 * borrows *compiler. */
static void take_front_end(const struct check_request *request, enum front_end front_end,
                           struct compiler *compiler, struct session *session, bool prints)
{
    char error[512];
    bool is_known = front_end_open(&request->compilers, front_end, compiler, error, sizeof error);

    session->compiler = front_end_names[front_end];
    session->compiler_version = is_known ? compiler->version : NULL;
    if (request->front_ends != 0 || prints)
        session->replay.compiler = front_end_names[front_end];
    if (!prints)
        return;
    if (is_known)
        session_say(session, "compiler %s %s (%s)\n", front_end_names[front_end], compiler->version,
                    compiler->path);
    else
        session_say(session, "compiler %s\n", front_end_names[front_end]);
    fflush(stdout);
}

/* Checks the launch with each of the front ends. Returns the worst exit status. */
static int check_by_all(const struct check_request *request, const struct launch_text *launch,
                        unsigned int front_ends, struct compared *compared,
                        const struct session *session)
{
    unsigned int left = (unsigned int)__builtin_popcount(front_ends);
    bool has_all = front_ends == ALL_FRONT_ENDS;
    int status = EXIT_CONFORMS;

    for (enum front_end front_end = 0;
         front_end < FRONT_ENDS && status != EXIT_USAGE && !interrupt_came(); front_end++) {
        struct session own = *session;
        struct compiler compiler;
        if ((front_ends >> front_end & 1) == 0)
            continue;
        take_front_end(request, front_end, &compiler, &own, has_all);
        compared->may_reject = front_end != FRONT_END_NVCC && request->front_ends == 0;
        status = session_worse(
            status, check_by(request, launch, front_end, has_all ? compared : NULL, left--, &own));
    }
    removed_free(&compared->removed);
    return status;
}

static const char kept_compiler[] = "clang -O0";

/* Returns whether the code that keeps every access is checked, too. It is by default, if clang
 * compiles the files and the simulator runs. A finding of an access or a barrier prevents it. */
static bool has_kept_code(const struct check_request *request, unsigned int front_ends,
                          const struct compared *compared, struct findings *findings)
{
    bool has_clang = (front_ends >> FRONT_END_CLANG & 1) != 0;
    bool can = request->front_ends == 0 && request->case_id == NULL &&
               request->compilers.nvcc.count == 0 && !user_files_are_ptx(&request->files) &&
               check_uses_engine(request, ENGINE_SIM) &&
               (check_has_part(request, CHECK_RUN) || check_has_part(request, CHECK_RACES));

    if (can && !has_clang)
        findings_add_remark(findings, "clang is not installed, so accesses that nvcc removes were "
                                      "not checked");
    return can && has_clang && !compared->is_left_out && !findings_have_access(findings);
}

/* Checks the launch with the code that clang makes at -O0. It keeps every access, also a racing one
 * that optimized code lacks. Only few cases run, for their memory accesses, barriers and races:
 * results may differ from those of optimized code although both are right, as those of floats do.
 * Another finding of such a kind is the one to repair first. Returns the exit status. */
static int check_kept(const struct check_request *request, const struct launch_text *launch,
                      const struct session *session)
{
    struct memory memory = {NULL};
    struct compared compared = {.may_reject = true, .keeps = true};
    struct check_request kept = *request;
    struct session own = *session;
    struct sinks *sinks = session->sinks;
    const struct sinks before = *sinks;
    struct compiler compiler;
    size_t count = request->files.flag_count;
    const char **flags;
    int status;

    flags = memory_take(&memory, (count + 1) * sizeof *flags);
    for (size_t f = 0; f < count; f++)
        flags[f] = request->files.flags[f];
    flags[count++] = "-O0";
    kept.files.flags = own.replay.flags = flags;
    kept.files.flag_count = own.replay.flag_count = count;
    kept.front_ends = 1u << FRONT_END_CLANG;
    kept.oracle = kept.against = own.replay.oracle = own.replay.against = NULL;
    kept.ulps = own.replay.ulps = kept.floats = kept.reference = 0;
    kept.parts = (request->parts != 0 ? request->parts : CHECK_RUN | CHECK_RACES) &
                 (CHECK_RUN | CHECK_RACES);
    kept.rows.engines.count = 0;
    engine_list_add(&kept.rows.engines, ENGINE_SIM);
    kept.rows.delays = 0;
    kept.rows.selection.cases.few = true;
    kept.rows.selection.cases.weak_memory = 0;
    own.replay.exact_floats = own.replay.reference_double = false;
    own.limits.floats = FLOATS_OF_PTX;
    sinks->coverage_path = NULL; /* lines and what is unsupported are those of the other codes */
    take_front_end(&kept, FRONT_END_CLANG, &compiler, &own, false);
    own.compiler = kept_compiler;
    session_say(&own, "compiler %s\n", own.compiler);
    status = check_by(&kept, launch, FRONT_END_CLANG, &compared, 1, &own);
    if (status == EXIT_DIFFERS || status == EXIT_UNAVAILABLE)
        status = EXIT_CONFORMS;
    if (findings_keep_accesses(&sinks->findings, own.compiler))
        status = session_worse(status, EXIT_DIFFERS);
    sinks->coverage_path = before.coverage_path;
    sinks->is_partial = before.is_partial;
    sinks->unsupported = before.unsupported;
    memory_free(&memory);
    return status;
}

/* Checks the launch, which *launch gets. Returns the exit status. */
static int check_all(const struct check_request *request, struct launch_text *launch,
                     const struct session *session)
{
    struct compared compared = {.is_left_out = false};
    unsigned int front_ends;
    int status;

    if (!check_request_fits(request) ||
        !user_launch_read(request->launch, &request->rows.selection.cases.size_names, launch) ||
        !check_request_fits_launch(request, launch))
        return EXIT_USAGE;
    launch->allowed = request->rows.allow.places;
    session->sinks->excused = 0;
    interrupt_catch();
    status = EXIT_USAGE;
    front_ends = choose_front_ends(request, &status);
    if (front_ends == 0)
        return session_interrupted(status);
    if (request->floats == FLOATS_EXACT)
        session_say(
            session,
            "floats are elements of a prime field, and reports show them as the floats that "
            "hold them; no GPU takes part\n");
    status = check_by_all(request, launch, front_ends, &compared, session);
    if (status != EXIT_USAGE && !interrupt_came() &&
        has_kept_code(request, front_ends, &compared, &session->sinks->findings))
        status = session_worse(status, check_kept(request, launch, session));
    return session_interrupted(
        check_allowances(request, launch, session, compared.is_left_out, status));
}

int check_launch_begin(const struct check_request *request, const struct session *session)
{
    struct memory memory = {NULL};
    struct launch_text *launch = memory_take(&memory, sizeof *launch);
    int status;

    check_take_launch(request, request->files.path, request->files.count, session);
    session_keep(session, ENGINE_SIM);
    if (request->rows.selection.cases.level <= 1 && request->case_id == NULL)
        bound_start_launch(&session->sinks->bound);
    status = bound_end(&session->sinks->bound, check_all(request, launch, session));
    memory_free(&memory);
    return status;
}

int check_launch(const struct check_request *request, const struct session *session)
{
    int status = check_launch_begin(request, session);

    findings_end_launch(&session->sinks->findings, status);
    return status;
}
