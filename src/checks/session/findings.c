/* SPDX-License-Identifier: MIT */
#include "findings.h"

#include "atomic_file.h"
#include "clock.h"
#include "error_report.h"
#include "exit_status.h"
#include "fnv.h"
#include "merge_findings.h"
#include "source_path.h"
#include "whole_file.h"
#include "wire.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_saved(const struct findings *findings)
{
    for (int f = 0; f < FINDINGS_FORMATS; f++)
        if (findings->paths[f] != NULL)
            return true;
    return false;
}

/* ---- Texts ---- */

static const char *copy(struct findings *findings, const char *text)
{
    return text != NULL ? text_for_files(&findings->memory, text) : NULL;
}

struct list findings_texts(struct findings *findings, const char *const *texts, size_t count)
{
    struct list list = list_take(&findings->memory, count, sizeof(const char *));

    for (size_t k = 0; k < count; k++)
        ((const char **)list.items)[k] = copy(findings, texts[k]);
    return list;
}

/* ---- Places ---- */

bool findings_has_launch(const struct findings *findings)
{
    return findings->results.launches.count > 0;
}

static struct launch_record *last_launch(const struct findings *findings)
{
    const struct list *launches = &findings->results.launches;

    return (struct launch_record *)launches->items + (launches->count - 1);
}

/* Returns a path relative to the current folder if it is in it, or else absolute. */
static const char *from_here(struct findings *findings, const char *path)
{
    char whole[PATH_MAX], shown[PATH_MAX], again[PATH_MAX];

    if (realpath(path, whole) == NULL)
        return copy(findings, path);
    source_path_shorten(whole, shown, sizeof shown);
    return copy(findings,
                realpath(shown, again) != NULL && strcmp(again, whole) == 0 ? shown : whole);
}

/* Removes the last part of a path. */
static void go_up(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash != NULL)
        *slash = '\0';
}

const char *findings_path(void *context, const char *shown)
{
    struct findings *findings = context;
    const struct launch_record *launch =
        findings_has_launch(findings) ? last_launch(findings) : NULL;
    char whole[PATH_MAX], other[2 * PATH_MAX];

    for (size_t k = 0; launch != NULL && k < launch->files.count; k++) {
        const char *path = ((const char **)launch->files.items)[k];
        if (shown[0] == '\0')
            return path;
        if (realpath(path, whole) == NULL)
            continue;
        source_path_shorten(whole, other, sizeof other);
        if (strcmp(other, shown) == 0 || strcmp(path, shown) == 0)
            return from_here(findings, path);
        go_up(whole);
        go_up(whole);
        snprintf(other, sizeof other, "%s/%s", whole, shown);
        if (access(shown, F_OK) != 0 && access(other, F_OK) == 0)
            return from_here(findings, other);
    }
    return copy(findings, shown);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns whether a definition of a kernel, or its export in a catalogue, leads to `name`. */
static bool follows_start(const char *text, const char *name)
{
    for (const char *c = name; c >= text && (c == name || strchr(";{}", *c) == NULL); c--)
        if (strncmp(c, "__global__", 10) == 0 || strncmp(c, "EXPORT_KERNEL", 13) == 0)
            return true;
    return false;
}

/* Returns the line of a kernel's definition in a text, or 0. The name may have a namespace and
 * template arguments. */
static uint64_t find_kernel(const char *text, const char *kernel)
{
    size_t end = strcspn(kernel, "<"), start = end;
    char name[256];

    while (start > 0 && is_word(kernel[start - 1]))
        start--;
    snprintf(name, sizeof name, "%.*s", (int)(end - start), kernel + start);
    for (const char *c = text; name[0] != '\0' && (c = strstr(c, name)) != NULL; c++) {
        uint64_t line = 1;
        if ((c > text && is_word(c[-1])) || is_word(c[strlen(name)]) || !follows_start(text, c))
            continue;
        for (const char *before = text; before < c; before++)
            line += *before == '\n';
        return line;
    }
    return 0;
}

/* Sets the place of a finding without one: that of the kernel, or the first file. */
static void place_at_kernel(struct findings *findings, struct evidence_record *finding,
                            const char *kernel)
{
    const struct launch_record *launch = last_launch(findings);
    const char *const *files = launch->files.items;
    size_t size;

    finding->file = ".";
    for (size_t k = 0; k < launch->files.count && finding->line == 0 && findings->unit == NULL;
         k++) {
        char *text = read_whole_file(files[k], &size);
        finding->line = text != NULL ? find_kernel(text, kernel) : 0;
        finding->file = from_here(findings, files[finding->line > 0 ? k : 0]);
        free(text);
    }
}

/* ---- Records ---- */

/* Returns a hash of what a file has. */
static uint64_t content_of(const char *file)
{
    size_t size = 0;
    char *text = read_whole_file(file, &size);
    uint64_t hash = text != NULL ? fnv_bytes(FNV_OFFSET_BASIS, text, size) : 0;

    free(text);
    return hash;
}

/* Adds a remark for each file that has changed since the start of the launch. */
static void note_changes(struct findings *findings, struct launch_record *launch)
{
    const char *const *files = launch->files.items;
    const uint64_t *contents = launch->contents.items;

    for (size_t k = 0; k < launch->contents.count; k++)
        if (content_of(files[k]) != contents[k]) {
            launch->is_changed = true;
            LIST_ADD(&findings->memory, &launch->remarks, const char *) =
                memory_text(&findings->memory,
                            "%s changed during the check: source lines are not shown", files[k]);
        }
}

void findings_add_launch(struct findings *findings, const struct launch_record *launch)
{
    struct launch_record *added;

    added = list_add(&findings->memory, &findings->results.launches, sizeof *added);
    *added = *launch;
    added->start = launch->start > 0 ? launch->start : clock_seconds();
    findings->reported = error_reported();
    while (*findings->reported != '\0')
        findings->reported += strlen(findings->reported) + 1;
    for (size_t k = 0; k < launch->files.count; k++)
        LIST_ADD(&findings->memory, &added->contents, uint64_t) =
            content_of(((const char *const *)launch->files.items)[k]);
    added->from = copy(findings, findings->from);
    added->launch = copy(findings, launch->launch);
    added->oracle = copy(findings, launch->oracle);
    added->against = copy(findings, launch->against);
}

void findings_add_compiler(struct findings *findings, const char *name, const char *version)
{
    LIST_ADD(&findings->memory, &last_launch(findings)->compilers, const char *) =
        memory_text(&findings->memory, "%s%s%s", name, version != NULL ? " " : "",
                    version != NULL ? version : "");
}

/* Returns whether a check of the launch fails. */
static bool has_failed(const struct launch_record *launch)
{
    const struct check_record *checks = launch->checks.items;

    for (size_t k = 0; k < launch->checks.count; k++)
        if (checks[k].result == RESULT_FAIL)
            return true;
    return false;
}

bool findings_fail(const struct findings *findings)
{
    return findings_has_launch(findings) && has_failed(last_launch(findings));
}

/* Returns whether a finding of that rule is a race, or a wrong access or barrier. */
static bool is_of_access(const char *rule)
{
    static const enum fault_kind kinds[] = {FAULT_OUT_OF_BOUNDS_READ, FAULT_OUT_OF_BOUNDS_WRITE,
                                            FAULT_READ_ONLY,          FAULT_DIVERGENT_BARRIER,
                                            FAULT_INVALID_ASYNC,      FAULT_DEADLOCK,
                                            FAULT_MISALIGNED,         FAULT_TRAP,
                                            FAULT_USE_AFTER_FREE};

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(rule, fault_name(kinds[k])) == 0)
            return true;
    return strcmp(rule, race_verdict_name(RACE)) == 0;
}

bool findings_have_access(const struct findings *findings)
{
    const struct list *checks = &last_launch(findings)->checks;

    for (size_t c = 0; c < checks->count; c++) {
        const struct list *found = &((const struct check_record *)checks->items)[c].findings;
        const struct evidence_record *all = found->items;
        for (size_t k = 0; k < found->count; k++)
            if (all[k].allowed_by == NULL && is_of_access(all[k].rule))
                return true;
    }
    return false;
}

/* Leaves findings of accesses to a check. If it is the first to fail, leaves those of values, too,
 * and says why it did not check. */
static void keep_accesses(struct findings *findings, struct check_record *check, bool is_first)
{
    struct evidence_record *all = check->findings.items;
    bool is_cut = check->result == RESULT_INCOMPLETE;
    const char *lost = is_cut && check->note != NULL ? check->note
                       : is_cut                      ? "not all of it ran"
                                                     : NULL;
    size_t kept = 0;

    for (size_t k = 0; k < check->findings.count; k++) {
        bool is_value = strcmp(all[k].rule, fault_name(FAULT_UNINITIALIZED_READ)) == 0;
        if (is_of_access(all[k].rule) || (is_value && is_first))
            all[kept++] = all[k];
        else if (!is_value && strcmp(all[k].rule, fault_name(FAULT_UNWRITTEN_OUTPUT)) != 0 &&
                 strcmp(all[k].rule, verdict_name(VERDICT_MISMATCH)) != 0 &&
                 strcmp(all[k].rule, race_verdict_name(ORDER_DEPENDENT)) != 0)
            lost = all[k].message;
    }
    check->findings.count = kept;
    check->reached = NULL;
    if (kept > 0 || (check->result != RESULT_FAIL && check->result != RESULT_INCOMPLETE))
        return;
    check->result = lost != NULL ? RESULT_SKIPPED : RESULT_PASS;
    check->verdict = words_name(&check_result_words, check->result);
    check->more_failures = 0;
    check->note = lost != NULL && is_first
                      ? memory_text(&findings->memory, "%s: the code was not checked: %s",
                                    check->compiler, lost)
                      : NULL;
}

bool findings_keep_accesses(struct findings *findings, const char *compiler)
{
    struct launch_record *launch = last_launch(findings);
    struct check_record *checks = launch->checks.items;
    bool had_failed = false, fails = false;

    for (size_t c = 0; c < launch->checks.count; c++) {
        bool is_other = checks[c].compiler == NULL || strcmp(checks[c].compiler, compiler) != 0;
        had_failed = had_failed || (is_other && checks[c].result == RESULT_FAIL);
        if (is_other)
            continue;
        keep_accesses(findings, &checks[c], !had_failed);
        fails = fails || checks[c].result == RESULT_FAIL;
    }
    return fails;
}

/* Adds a note with the line of a library whose code it is. Returns whether the user's line, to
 * which the code belongs, is unknown. */
static bool note_library(struct findings *findings, struct evidence_record *finding,
                         const char *what, const char *file, int line, const char *library)
{
    if (library[0] != '\0')
        LIST_ADD(&findings->memory, &finding->notes, const char *) =
            memory_text(&findings->memory, "%s is in %s", what, library);
    return fault_is_in_library(file, line, library);
}

/* Removes places in libraries, and notes them. */
static void leave_libraries(struct findings *findings, struct evidence_record *finding)
{
    const struct counterexample_record *counterexample = finding->counterexample;
    const struct outcome *outcome = counterexample != NULL ? &counterexample->outcome : NULL;
    const struct race *race = finding->race;

    if (race != NULL) {
        if (note_library(findings, finding, "the first access", race->first.file, race->first.line,
                         race->first.library))
            finding->line = 0;
        if (note_library(findings, finding, "the second access", race->second.file,
                         race->second.line, race->second.library))
            finding->related = (struct list){NULL, 0};
    } else if (outcome != NULL && outcome->kind == OUTCOME_FAULT &&
               note_library(findings, finding, "the code", outcome->fault.file, outcome->fault.line,
                            outcome->fault.library)) {
        finding->line = 0;
    }
}

static void copy_finding(struct findings *findings, struct evidence_record *finding,
                         const char *kernel)
{
    struct place_record *related = finding->related.items;
    const struct counterexample_record *counterexample = finding->counterexample;
    const char **notes = finding->notes.items;

    if (counterexample != NULL && counterexample->outcome.kind == OUTCOME_FAULT)
        LIST_ADD(&findings->memory, &finding->does, const char *) =
            copy(findings, fault_does(&findings->memory, &counterexample->outcome.fault));
    for (size_t k = 0; k < finding->notes.count; k++)
        notes[k] = copy(findings, notes[k]);
    finding->message = copy(findings, finding->message);
    finding->case_id = copy(findings, finding->case_id);
    finding->command = copy(findings, finding->command);
    finding->allowed_by = copy(findings, finding->allowed_by);
    leave_libraries(findings, finding);
    if (finding->line == 0)
        place_at_kernel(findings, finding, kernel);
    else
        finding->file = findings_path(findings, finding->file);
    for (size_t k = 0; k < finding->related.count; k++) {
        related[k].file = findings_path(findings, related[k].file);
        related[k].text = copy(findings, related[k].text);
        if (finding->does.count == 1)
            LIST_ADD(&findings->memory, &finding->does, const char *) = related[k].text;
    }
}

static const char *copy_unless_empty(struct findings *findings, const char *text)
{
    return text != NULL && text[0] != '\0' ? copy(findings, text) : NULL;
}

void findings_add_check(struct findings *findings, const struct check_record *check)
{
    struct check_record added = *check;
    struct evidence_record *found = check->findings.items;

    added.kernel = copy(findings, check->kernel);
    added.compiler = copy(findings, check->compiler);
    added.change = copy(findings, check->change);
    added.verdict = copy(findings, check->verdict);
    added.note = copy_unless_empty(findings, check->note);
    added.inexact = copy_unless_empty(findings, check->inexact);
    added.clock = copy_unless_empty(findings, check->clock);
    for (size_t k = 0; k < check->findings.count; k++)
        copy_finding(findings, &found[k],
                     check->function != NULL ? check->function : check->kernel);
    LIST_ADD(&findings->memory, &last_launch(findings)->checks, struct check_record) = added;
}

void findings_add_remark(struct findings *findings, const char *remark)
{
    const struct list *checks;
    const char *const *given = last_launch(findings)->remarks.items;

    for (size_t k = 0; k < last_launch(findings)->remarks.count; k++)
        if (strcmp(given[k], remark) == 0)
            return;
    LIST_ADD(&findings->memory, &last_launch(findings)->remarks, const char *) =
        copy(findings, remark);
    checks = &last_launch(findings)->checks;
    for (size_t k = 0; k < checks->count; k++)
        if (((struct check_record *)checks->items)[k].note == NULL)
            ((struct check_record *)checks->items)[k].note = copy(findings, remark);
}

/* ---- Results ---- */

static enum check_result launch_result(const struct launch_record *launch,
                                       const struct check_results *results)
{
    bool is_complete = launch->has_ended ? launch->is_complete : results->complete;
    const struct check_record *checks = launch->checks.items;
    size_t skipped = 0;
    bool is_bounded = false, is_known = false, is_partial = false;

    for (size_t k = 0; k < launch->checks.count; k++) {
        is_partial = is_partial || checks[k].result == RESULT_INCOMPLETE;
        is_known = is_known || checks[k].result == RESULT_KNOWN;
        skipped += checks[k].result == RESULT_SKIPPED;
        is_bounded = is_bounded || checks[k].result == RESULT_BOUNDED || checks[k].untried > 0;
        if (checks[k].result == RESULT_FAIL)
            return RESULT_FAIL;
    }
    if (skipped == launch->checks.count && (skipped > 0 || is_complete))
        return RESULT_SKIPPED;
    return launch->is_unavailable       ? RESULT_SKIPPED
           : !is_complete || is_partial ? RESULT_INCOMPLETE
           : is_known                   ? RESULT_KNOWN
           : is_bounded                 ? RESULT_BOUNDED
                                        : RESULT_PASS;
}

/* Adds the messages since the launch began to one whose checks do not say what is missing. */
static void note_missing(struct findings *findings, const struct launch_record *launch)
{
    const struct check_record *checks = launch->checks.items;
    bool is_said = launch->result != RESULT_INCOMPLETE;

    for (size_t k = 0; k < launch->checks.count; k++)
        is_said = is_said || (checks[k].result == RESULT_INCOMPLETE && checks[k].note != NULL &&
                              checks[k].note[0] != '\0');
    for (const char *text = findings->reported; !is_said && *text != '\0'; text += strlen(text) + 1)
        findings_add_remark(findings, text);
    if (!is_said && *findings->reported == '\0')
        findings_add_remark(findings, "the check ended before all was done, and did not say why");
}

void findings_end_launch(struct findings *findings, int status)
{
    static const int status_of[CHECK_RESULT_KINDS] = {[RESULT_FAIL] = EXIT_DIFFERS,
                                                      [RESULT_SKIPPED] = EXIT_UNAVAILABLE,
                                                      [RESULT_INCOMPLETE] = EXIT_ENVIRONMENT};
    struct launch_record *launch;
    struct memory memory = {NULL};

    launch = last_launch(findings);
    launch->has_ended = true;
    launch->seconds = clock_seconds() - launch->start;
    note_changes(findings, launch);
    launch->is_complete = status == EXIT_CONFORMS || (status == EXIT_DIFFERS && has_failed(launch));
    launch->is_unavailable = status == EXIT_UNAVAILABLE;
    launch->has_error = status == EXIT_USAGE;
    if (launch->checks.count == 0)
        return;
    merge_findings(&memory, launch);
    launch->result = launch_result(launch, &findings->results);
    note_missing(findings, launch);
    findings_print_launch(findings, launch);
    findings->has_printed[launch->has_error ? EXIT_USAGE : status_of[launch->result]] = true;
    launch->findings = (struct list){NULL, 0};
    memory_free(&memory);
}

static void set_results(struct check_results *results)
{
    struct launch_record *launches = results->launches.items;

    for (size_t k = 0; k < results->launches.count; k++)
        launches[k].result = launch_result(&launches[k], results);
}

/* Returns whether the exit status says that all work was done. A status that no check explains
 * comes from something else, such as a launch that never runs. */
static bool is_complete(const struct check_results *results, int status)
{
    const struct launch_record *launches = results->launches.items;
    bool fails = false;

    for (size_t k = 0; k < results->launches.count; k++)
        fails = fails || has_failed(&launches[k]);
    return status == EXIT_CONFORMS || (status == EXIT_DIFFERS && fails);
}

/* ---- Files ---- */

static bool json_write(const void *results, FILE *to)
{
    json_t *json = model_json(&check_results_table, results);
    bool good = json_dumpf(json, to, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0 &&
                fputc('\n', to) != EOF && fflush(to) == 0;

    json_decref(json);
    return good;
}

/* Writes a file, or checks that a pipe can be written, which gets only the last version. A last
 * version is not written again after an error, nor to a pipe. Returns false after an error message.
 */
static bool save_file(struct findings *findings, enum findings_format format, bool is_last)
{
    static file_writer *const writers[] = {[FINDINGS_JSON] = json_write,
                                           [FINDINGS_JUNIT] = junit_write,
                                           [FINDINGS_SARIF] = sarif_write};
    const char *path = findings->paths[format];
    bool stays = file_stays_in_place(path),
         good = stays && !is_last ? file_can_be_written(path) || file_report_error(path)
                                  : file_write(writers[format], &findings->results, path);

    if (is_last && (stays || !good))
        findings->paths[format] = NULL;
    return good;
}

/* Writes the files, and pipes at last. After an error in a last version, it leaves out the rest. */
static bool save(struct findings *findings, bool is_last)
{
    struct check_results *results = &findings->results;
    struct memory memory = {NULL};
    bool good = true;

    results->seconds = clock_seconds() - findings->start;
    results->messages.count = 0;
    for (const char *message = error_reported(); *message != '\0'; message += strlen(message) + 1)
        LIST_ADD(&memory, &results->messages, const char *) = copy(findings, message);
    set_results(results);
    for (size_t k = 0; k < results->launches.count; k++)
        merge_findings(&memory, (struct launch_record *)results->launches.items + k);
    for (int f = 0; f < 2 * FINDINGS_FORMATS; f++) {
        enum findings_format format = (enum findings_format)(f % FINDINGS_FORMATS);
        const char *path = findings->paths[format];
        if (path != NULL && file_stays_in_place(path) == (f >= FINDINGS_FORMATS) &&
            (good || !is_last))
            good = save_file(findings, format, is_last) && good;
    }
    results->messages = (struct list){NULL, 0};
    memory_free(&memory); /* and with it the findings, which the next call makes again */
    return good;
}

bool findings_save(struct findings *findings)
{
    set_results(&findings->results); /* findings_print_sum() counts them */
    return !is_saved(findings) || save(findings, false);
}

/* Replaces each "%p" by the process ID, so that processes with the same options keep their files.
 */
static const char *with_process(struct findings *findings, const char *path)
{
    const char *at = path != NULL ? strstr(path, "%p") : NULL;

    if (at == NULL)
        return path;
    return with_process(findings, memory_text(&findings->memory, "%.*s%ld%s", (int)(at - path),
                                              path, (long)getpid(), at + 2));
}

int findings_start(struct findings *findings)
{
    const char *const *paths = findings->paths;

    for (int f = 0; f < FINDINGS_FORMATS; f++)
        findings->paths[f] = with_process(findings, paths[f]);
    for (int f = 0; f < FINDINGS_FORMATS; f++)
        for (int g = 0; g < f; g++)
            if (paths[f] != NULL && paths[g] != NULL && strcmp(paths[f], paths[g]) == 0) {
                error_report("two options name the file '%s': give each a file of its own",
                             paths[f]);
                memset(findings->paths, 0, sizeof findings->paths);
                return EXIT_USAGE;
            }
    findings->start = clock_seconds();
    findings->results.version = CHECK_RESULTS_VERSION;
    findings->results.simtcheck = SIMTCHECK_VERSION;
    findings->results.build = build_identity;
    findings->results.command = findings->command;
    if (findings_save(findings))
        return EXIT_CONFORMS;
    memset(findings->paths, 0, sizeof findings->paths);
    return EXIT_ENVIRONMENT;
}

bool findings_end(struct findings *findings, int status)
{
    struct check_results *results = &findings->results;

    results->complete = is_complete(results, status);
    results->has_status = true;
    results->status = (uint64_t)status;
    if (is_saved(findings) && !save(findings, true))
        return false;
    memory_free(&findings->memory);
    json_decref(findings->read);
    findings->read = NULL;
    *results = (struct check_results){.version = 0};
    return true;
}
