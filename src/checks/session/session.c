/* SPDX-License-Identifier: MIT */
#include "session.h"

#include "atomic_file.h"
#include "case_id.h"
#include "error_report.h"
#include "installation.h"
#include "interrupt.h"
#include "source_element.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void session_say(const struct session *session, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (session->sinks->says)
        vprintf(format, arguments);
    va_end(arguments);
}

int session_worse(int a, int b)
{
    static const int order[] = {EXIT_ENVIRONMENT, EXIT_USAGE, EXIT_DIFFERS, EXIT_UNAVAILABLE,
                                EXIT_CONFORMS};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return a;
}

int session_interrupted(int status)
{
    if (!interrupt_came())
        return status;
    error_report("interrupted: the rest of the work was not done");
    return session_worse(status, EXIT_ENVIRONMENT);
}

void session_note_unsupported(const struct session *session, const struct outcome *outcome)
{
    struct sinks *sinks = session->sinks;
    const char *const *texts = sinks->unsupported.items;

    sinks->is_partial = true;
    for (size_t k = 0; k < sinks->unsupported.count; k++)
        if (strcmp(texts[k], outcome->fault.text) == 0)
            return;
    LIST_ADD(&sinks->findings.memory, &sinks->unsupported, const char *) =
        memory_copy(&sinks->findings.memory, outcome->fault.text);
    error_report("not fully checked: %s", outcome->fault.text);
}

/* ---- Explanations ---- */

void session_explain_race(const struct session *session, struct race *race)
{
    struct race_side *sides[] = {&race->first, &race->second};

    source_element_race(race, findings_path, &session->sinks->findings);
    for (size_t k = 0; k < 2 && session->explain != NULL && race->removed[0] == '\0'; k++)
        session->explain(session->context, sides[k]->file, sides[k]->line,
                         (sides[k]->access & (ACCESS_WRITE | ACCESS_ATOMIC)) != 0, race->removed,
                         sizeof race->removed);
}

void session_explain_outcome(const struct session *session, struct outcome *outcome)
{
    const unsigned int of_access = BY_PLACE | BY_ARRAY;
    struct fault *fault = &outcome->fault;

    if (outcome->kind == OUTCOME_MISMATCH)
        source_element_difference(&outcome->difference, findings_path, &session->sinks->findings);
    if (outcome->kind == OUTCOME_FAULT)
        source_element_fault(fault, findings_path, &session->sinks->findings);
    if (session->explain == NULL || outcome->kind != OUTCOME_FAULT || fault->removed[0] != '\0' ||
        (fault_identity(fault->kind) & of_access) != of_access)
        return;
    session->explain(session->context, fault->file, fault->line, fault->writes, fault->removed,
                     sizeof fault->removed);
    fault_render(fault);
}

/* ---- Selection ---- */

bool session_case(const struct catalogue *catalogue, const char *case_id, struct test_case *test,
                  const struct engine_kind **engine)
{
    char reason[512];

    return case_id_parse(case_id, catalogue, test, engine, reason, sizeof reason) ||
           error_report("%s", reason);
}

const char *session_lacks(const struct selection *selection, const struct variant *variant,
                          const struct supervisor *supervisor)
{
    const char *lacks = selection_lacks(selection, variant);
    return lacks != NULL ? lacks : supervisor_lacks(supervisor, variant->need);
}

/* ---- Engines ---- */

bool session_requires(const struct session *session, enum engine_id engine)
{
    return session->require != NULL && session->require->id == engine;
}

struct supervisor_options session_supervised(const struct session *session, enum engine_id engine)
{
    return (struct supervisor_options){
        .engine = &engine_kinds[engine],
        .jobs = (unsigned int)session->jobs,
        .limits = session->limits,
        .stopped = interrupt_came,
    };
}

bool session_simulates(const struct engine_list *engines)
{
    return engines->count == 0 || (engines->count == 1 && engines->kinds[0]->simulates) ||
           error_report("this command runs on the simulator only: give --engine sim, or no "
                        "--engine");
}

const struct engine_kind *session_simulator(const struct engine_list *engines)
{
    for (size_t e = 0; e < engines->count; e++)
        if (engines->kinds[e]->simulates)
            return engines->kinds[e];
    return &engine_kinds[ENGINE_SIM];
}

int session_failed(const struct session *session, enum engine_id engine, enum engine_status status,
                   const char *reason)
{
    error_report("engine %s%s: %s", engine_kinds[engine].name,
                 status == ENGINE_UNAVAILABLE ? " is not available" : "", reason);
    return status == ENGINE_UNAVAILABLE && !session_requires(session, engine) ? EXIT_UNAVAILABLE
                                                                              : EXIT_ENVIRONMENT;
}

void session_keep(const struct session *session, enum engine_id engine)
{
    session->engines[engine].is_wanted = true;
}

static bool is_same(const struct supervisor_options *one, const struct supervisor_options *other)
{
    const struct engine_limits *a = &one->limits, *b = &other->limits;

    return one->jobs == other->jobs && a->deadline_seconds == b->deadline_seconds &&
           a->steps == b->steps && a->delays.seed == b->delays.seed &&
           a->delays.per_cent == b->delays.per_cent &&
           a->delays.longest_ns == b->delays.longest_ns &&
           a->strict_barriers == b->strict_barriers && a->warp_barriers == b->warp_barriers &&
           a->floats == b->floats;
}

static void end_kept(struct kept_engine *kept)
{
    supervisor_close(kept->supervisor);
    *kept = (struct kept_engine){.is_wanted = kept->is_wanted};
}

/* Opens a supervisor, or takes the one that was kept. */
static enum engine_status open_or_take(struct kept_engine *kept,
                                       const struct supervisor_options *options, bool has_code,
                                       struct supervisor **supervisor, char *reason, size_t size)
{
    enum engine_status status = ENGINE_OK;

    if (!kept->is_wanted || kept->is_open)
        return supervisor_open(options, supervisor, reason, size);
    if (kept->supervisor != NULL &&
        (!is_same(&kept->options, options) || (kept->has_code && !has_code)))
        end_kept(kept);
    if (kept->supervisor == NULL)
        status = supervisor_open(options, &kept->supervisor, reason, size);
    else
        supervisor_ask(kept->supervisor, options->request);
    kept->options = *options;
    kept->has_code = has_code;
    kept->is_open = status == ENGINE_OK;
    *supervisor = kept->supervisor;
    return status;
}

/* Makes workers load the files. Kept workers that have done so go on, because the files of a path
 * do not change. */
static void use_files(struct kept_engine *kept, struct supervisor *supervisor,
                      const struct code_files *files)
{
    bool is_kept = kept->supervisor == supervisor;

    if (is_kept && strcmp(kept->code, files->code) == 0 &&
        strcmp(kept->launches, files->launches) == 0)
        return;
    supervisor_use(supervisor, files->code, files->launches);
    if (is_kept) {
        snprintf(kept->code, sizeof kept->code, "%s", files->code);
        snprintf(kept->launches, sizeof kept->launches, "%s", files->launches);
    }
}

enum engine_status session_start(const struct session *session, enum engine_id engine,
                                 enum request request, struct supervisor **supervisor, char *reason,
                                 size_t reason_size)
{
    struct supervisor_options supervised = session_supervised(session, engine);
    const struct code_files *files = &session->code[engine];
    enum engine_status status;

    supervised.request = request;
    status = open_or_take(&session->engines[engine], &supervised, files->code != NULL, supervisor,
                          reason, reason_size);
    if (status == ENGINE_OK || status == ENGINE_UNAVAILABLE)
        report_file_note_engine(&session->sinks->file, engine_kinds[engine].name,
                                status == ENGINE_OK ? supervisor_description(*supervisor) : NULL);
    if (status == ENGINE_OK && files->code != NULL)
        use_files(&session->engines[engine], *supervisor, files);
    return status;
}

int session_open(const struct session *session, enum engine_id engine, enum request request,
                 struct supervisor **supervisor)
{
    char reason[512];
    enum engine_status status =
        session_start(session, engine, request, supervisor, reason, sizeof reason);

    return status == ENGINE_OK ? EXIT_CONFORMS : session_failed(session, engine, status, reason);
}

bool session_open_beside(const struct session *session, enum engine_id engine,
                         struct supervisor **supervisor)
{
    struct supervisor_options supervised = session_supervised(session, engine);
    const struct code_files *files = &session->code[engine];
    char reason[512];

    supervised.request = REQUEST_RUN;
    if (supervisor_open(&supervised, supervisor, reason, sizeof reason) != ENGINE_OK)
        return error_report("%s", reason);
    if (files->code != NULL)
        supervisor_use(*supervisor, files->code, files->launches);
    return true;
}

void session_close(const struct session *session, struct supervisor *supervisor)
{
    uint64_t lost = supervisor != NULL ? supervisor_lost(supervisor) : 0;
    struct kept_engine *kept = NULL;
    char unused[BARRIERS_TEXT];

    if (supervisor != NULL)
        session->sinks->excused |= supervisor_excused(supervisor);
    if (supervisor != NULL)
        supervisor_barriers(supervisor, unused);
    for (int e = 0; e < ENGINES && supervisor != NULL; e++)
        if (session->engines[e].supervisor == supervisor)
            kept = &session->engines[e];
    if (kept != NULL) {
        lost -= kept->lost;
        kept->lost += lost;
        kept->is_open = false;
    }
    if (lost > 0)
        error_report("%" PRIu64 " worker%s lost; other workers ran the cases again", lost,
                     lost == 1 ? " was" : "s were");
    if (kept == NULL)
        supervisor_close(supervisor);
}

int session_ended(const struct session *session, struct supervisor *supervisor,
                  enum engine_status status)
{
    int exit_status = status == ENGINE_OK
                          ? EXIT_CONFORMS
                          : session_failed(session, supervisor_engine(supervisor)->id, status,
                                           supervisor_reason(supervisor));

    session_close(session, supervisor);
    return exit_status;
}

int session_require(const struct session *session, const struct engine_list *used)
{
    struct supervisor_options supervised;
    struct supervisor *supervisor;
    char reason[512];

    if (session->require == NULL || used->kinds[0] == session->require ||
        (!session->require_always && !engine_list_has(used, session->require->id)))
        return EXIT_CONFORMS;
    supervised = session_supervised(session, session->require->id);
    supervised.jobs = 1;
    if (supervisor_open(&supervised, &supervisor, reason, sizeof reason) != ENGINE_OK)
        return session_failed(session, session->require->id, ENGINE_UNAVAILABLE, reason);
    supervisor_close(supervisor);
    return EXIT_CONFORMS;
}

/* ---- Results ---- */

bool session_saves(const struct session *session)
{
    return session->save != NULL || session->sinks->file.path != NULL;
}

bool session_save(const struct session *session, json_t *value)
{
    return session->save != NULL ? session->save(session->context, value)
                                 : report_file_save(&session->sinks->file, value);
}

void session_cover(const struct session *session, const struct coverage *coverage)
{
    if (session->sinks->coverage_path != NULL &&
        !coverage_merge(&session->sinks->coverage, coverage))
        error_report("out of memory: the tracefile is not complete");
}

void session_take_coverage(const struct session *session, struct supervisor *supervisor)
{
    struct coverage coverage = {.points = NULL};

    if (!supervisor_take_coverage(supervisor, &coverage))
        error_report("out of memory: the tracefile is not complete");
    session_cover(session, &coverage);
    coverage_free(&coverage);
}

void session_take_barriers(const struct session *session, struct supervisor *supervisor)
{
    struct findings *findings = &session->sinks->findings;
    char text[BARRIERS_TEXT];

    supervisor_barriers(supervisor, text);
    if (text[0] != '\0' && findings_has_launch(findings) && session->compiler != NULL)
        findings_add_remark(findings,
                            memory_text(&findings->memory,
                                        "%s: PTX permits this, the CUDA programming guide does not "
                                        "(--strict-barriers makes it an error)",
                                        text));
}

/* Replaces the names of files that were compiled elsewhere by those of the installed copies.
 * Returns false when memory runs out. */
static bool name_installed(struct coverage *coverage)
{
    for (size_t k = 0; k < coverage->count; k++) {
        char path[PATH_MAX], *name;
        installation_source(coverage->points[k].file, path, sizeof path);
        if (strcmp(path, coverage->points[k].file) == 0)
            continue;
        if ((name = strdup(path)) == NULL)
            return error_report("out of memory: the tracefile is not written");
        free((char *)(uintptr_t)coverage->points[k].file);
        coverage->points[k].file = name;
    }
    return true;
}

static bool write_tracefile(const void *coverage, FILE *stream)
{
    coverage_write(stream, coverage);
    return fflush(stream) == 0 && !ferror(stream);
}

bool session_end(const struct session *session, int status)
{
    struct sinks *sinks = session->sinks;
    const char *tracefile = sinks->coverage_path;

    for (int e = 0; e < ENGINES; e++)
        end_kept(&session->engines[e]);
    memory_free(&sinks->bound.memory);
    sinks->coverage_path = NULL;
    if (tracefile != NULL && (!name_installed(&sinks->coverage) ||
                              !file_write(write_tracefile, &sinks->coverage, tracefile)))
        return false;
    coverage_free(&sinks->coverage);
    return report_file_end(&sinks->file, status) && findings_end(&sinks->findings, status);
}

static bool row_done(const struct session *session, const struct row_loop *loop)
{
    bool saved = !session_saves(session) ||
                 session_save(session, loop->results != NULL ? loop->results(loop->context)
                                                             : json_incref(loop->rows));

    progress_end(&session->sinks->progress);
    loop->report(loop->context); /* after the save, so that every printed row is on disk */
    return saved;
}

bool session_rows(const struct session *session, const struct row_loop *loop)
{
    const struct catalogue *catalogue = session->catalogue;

    for (size_t v = 0; v < catalogue->count; v++) {
        if (!selection_has(loop->selection, &catalogue->variants[v]))
            continue;
        for (unsigned int k = 0; k < loop->per_variant; k++) {
            enum row_result result;
            if (interrupt_came() ||
                (loop->may_continue != NULL && !loop->may_continue(loop->context)))
                return true;
            result = loop->run(loop->context, &catalogue->variants[v], k);
            if (result == ROW_STOP || (result == ROW_DONE && !row_done(session, loop)))
                return false;
        }
    }
    return true;
}
