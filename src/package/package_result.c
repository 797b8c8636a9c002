/* SPDX-License-Identifier: MIT
 *
 * The verdict on a package, from its results alone.
 */
#include "exit_status.h"
#include "package_parts.h"
#include "part.h"
#include "verdict_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct judging {
    struct package_result result;
    const struct package_contents *contents;
    struct memory *memory;
};

#define ADD(list, ...)                                                                             \
    (LIST_ADD(judging->memory, &judging->result.list, const char *) =                              \
         memory_text(judging->memory, __VA_ARGS__))

/* Returns whether the entry of --expect had expired when the snapshot began: then it excuses
 * nothing. The date is UTC, as --expect compares it. */
static bool has_expired(const struct judging *judging, const struct known_deviation *known)
{
    const char *time = judging->contents->snapshot->environment.time;

    return known != NULL && strncmp(known->expires, time, strlen("YYYY-MM-DD")) < 0;
}

static bool is_excused(const struct judging *judging, const struct known_deviation *known)
{
    return known != NULL && !has_expired(judging, known);
}

/* Notes a failure, or a known deviation. */
static void take_failure(struct judging *judging, const char *failure,
                         const struct known_deviation *known)
{
    if (has_expired(judging, known))
        ADD(failures, "%s: %s expired on %s, before the run", failure, known->link, known->expires);
    else if (known != NULL)
        ADD(known, "%s: %s until %s", failure, known->link, known->expires);
    else
        ADD(failures, "%s", failure);
}

static const char *text_of(struct memory *memory, const char *format, va_list values)
{
    char text[1024];

    vsnprintf(text, sizeof text, format, values);
    return memory_copy(memory, text);
}

void judging_fail(struct judging *judging, const struct known_deviation *known, const char *format,
                  ...)
{
    va_list values;

    va_start(values, format);
    take_failure(judging, text_of(judging->memory, format, values), known);
    va_end(values);
}

void judging_lack(struct judging *judging, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    ADD(lacks, "%s", text_of(judging->memory, format, values));
    va_end(values);
}

/* ---- Listed tests ---- */

/* Returns the name of a test, such as "run reduceNeighbored original sim". */
static const char *test_name(const struct package_test *test, struct memory *memory)
{
    return memory_text(memory, "%s %s %s %s%s%s", test->has_model ? "races" : "run", test->id,
                       variant_kind_name(test->kind), engine_kinds[test->engine].name,
                       test->has_model ? " " : "", test->has_model ? model_name(test->model) : "");
}

static const struct run_row *find_row(const struct run_record *run, const struct package_test *test)
{
    const struct run_row *rows = run->results.items;

    for (size_t r = 0; r < run->results.count; r++)
        if (rows[r].engine == test->engine && rows[r].kind == test->kind &&
            strcmp(rows[r].id, test->id) == 0)
            return &rows[r];
    return NULL;
}

static const struct race_record *find_race(const struct list *engines,
                                           const struct package_test *test)
{
    const struct named_value *all = engines->items;

    for (size_t e = 0; e < engines->count; e++) {
        const struct race_record *rows = all[e].list.items;
        if (strcmp(all[e].name, engine_kinds[test->engine].name) != 0)
            continue;
        for (size_t r = 0; r < all[e].list.count; r++)
            if (rows[r].model == test->model && rows[r].kind == test->kind &&
                strcmp(rows[r].id, test->id) == 0)
                return &rows[r];
    }
    return NULL;
}

static void take_skip(struct judging *judging, const char *reason)
{
    struct package_skip *skips = judging->result.skips.items;

    judging->result.skipped++;
    for (size_t s = 0; s < judging->result.skips.count; s++)
        if (strcmp(skips[s].reason, reason) == 0) {
            skips[s].tests++;
            return;
        }
    LIST_ADD(judging->memory, &judging->result.skips, struct package_skip) =
        (struct package_skip){reason, 1};
}

static void take_missing(struct judging *judging, const struct package_test *test)
{
    judging->result.missing++;
    ADD(lacks, "%s: no result", test_name(test, judging->memory));
}

/* Counts a test of results. A row with fewer cases than listed is no whole result. */
static void take_run(struct judging *judging, const struct package_test *test)
{
    const struct run_row *row = find_row(judging->contents->snapshot->run, test);
    struct package_result *result = &judging->result;

    if (row == NULL) {
        take_missing(judging, test);
    } else if (row->verdict == VERDICT_SKIPPED) {
        take_skip(judging, row->note);
    } else if (!verdict_is_right(row->verdict)) {
        (*(is_excused(judging, row->known_deviation) ? &result->known_deviations
                                                     : &result->failed))++;
    } else if (row->cases < test->cases) {
        result->missing++;
        ADD(lacks, "%s: %" PRIu64 " of %" PRIu64 " cases", test_name(test, judging->memory),
            row->cases, test->cases);
    } else if (row->verdict == VERDICT_KNOWN_DEFECT) {
        result->known_defects++;
    } else {
        result->conform++;
    }
}

static void take_race(struct judging *judging, const struct package_test *test)
{
    const struct race_record *row = find_race(&judging->contents->snapshot->races, test);
    struct package_result *result = &judging->result;

    if (row == NULL) {
        take_missing(judging, test);
    } else if (row->verdict == RACE_SKIPPED) {
        take_skip(judging, race_verdict_meaning(RACE_SKIPPED));
    } else if (!row->as_expected) {
        (*(is_excused(judging, row->known_deviation) ? &result->known_deviations
                                                     : &result->failed))++;
    } else if (row->verdict != RACE_FREE && row->kind == VARIANT_CORRECTED) {
        result->failed++;
        ADD(failures, "%s: a corrected variant expects the verdict %s",
            test_name(test, judging->memory), race_verdict_name(row->verdict));
    } else if (row->verdict != RACE_FREE) {
        result->known_defects++;
    } else {
        result->conform++;
    }
}

static bool was_skipped(const struct judging *judging, const struct package_test *test)
{
    const struct snapshot_record *snapshot = judging->contents->snapshot;
    const struct run_row *row = find_row(snapshot->run, test);
    const struct race_record *race = find_race(&snapshot->races, test);

    return test->has_model ? race != NULL && race->verdict == RACE_SKIPPED
                           : row != NULL && row->verdict == VERDICT_SKIPPED;
}

/* Notes the engines whose tests of one kind were all skipped, because a pass needs a result. */
static void note_engines(struct judging *judging, const struct list *tests)
{
    const struct package_test *all = tests->items;

    for (int e = 0; e < 2 * NAMED_ENGINES; e++) {
        const bool of_races = e % 2 == 1;
        size_t listed = 0, skipped = 0;
        for (size_t t = 0; t < tests->count; t++)
            if (all[t].engine == (enum engine_id)(e / 2) && all[t].has_model == of_races) {
                listed++;
                skipped += was_skipped(judging, &all[t]);
            }
        if (listed > 0 && skipped == listed)
            ADD(lacks, "all %s on %s were skipped", of_races ? "searches for races" : "tests",
                engine_kinds[e / 2].name);
    }
}

/* ---- All files ---- */

static void take_rows(struct judging *judging, const char *name, const struct run_record *run)
{
    const struct run_row *rows = run->results.items;

    if (!run->complete || run->results.count == 0)
        ADD(lacks, "%s: the run stopped early", name);
    for (size_t r = 0; r < run->results.count; r++)
        if (verdict_rank(rows[r].verdict) >= RANK_FAILS)
            take_failure(judging,
                         memory_text(judging->memory, "%s: run %s %s %s: %s", name, rows[r].id,
                                     variant_kind_name(rows[r].kind),
                                     engine_kinds[rows[r].engine].name,
                                     verdict_name(rows[r].verdict)),
                         rows[r].known_deviation);
}

static void take_races(struct judging *judging, const char *name, const struct list *races)
{
    const struct race_record *rows = races->items;

    for (size_t r = 0; r < races->count; r++)
        if (!rows[r].as_expected)
            take_failure(judging,
                         memory_text(judging->memory, "%s: races %s %s %s: %s, expected %s", name,
                                     rows[r].id, variant_kind_name(rows[r].kind),
                                     model_name(rows[r].model), race_verdict_name(rows[r].verdict),
                                     race_verdict_name(rows[r].expected)),
                         rows[r].known_deviation);
}

static void take_snapshot(struct judging *judging, const char *name,
                          const struct snapshot_record *snapshot)
{
    const struct named_value *races = snapshot->races.items;
    const struct part *part;

    if (!snapshot->complete)
        ADD(lacks, "%s: the snapshot stopped early", name);
    take_rows(judging, name, snapshot->run);
    for (size_t e = 0; e < snapshot->races.count; e++)
        take_races(judging, name, &races[e].list);
    for (size_t k = 0; (part = part_at(k)) != NULL; k++)
        if (part->judge != NULL)
            part->judge(judging, name, snapshot);
}

/* Takes the checks of a launch that fails with known deviations. Without one, it just fails. */
static void take_known(struct judging *judging, const char *launch, const struct list *checks)
{
    const struct check_record *all = checks->items;
    bool found = false;

    for (size_t k = 0; k < checks->count; k++) {
        if (all[k].result != RESULT_KNOWN)
            continue;
        found = true;
        take_failure(
            judging,
            memory_text(judging->memory, "%s: %s: %s", launch, all[k].kernel, all[k].verdict),
            all[k].known_deviation);
    }
    if (!found)
        ADD(failures, "%s", launch);
}

static void take_launches(struct judging *judging, const struct package_file *file)
{
    const struct check_results *check = file->record;
    const struct launch_record *launches = check->launches.items;
    size_t failures = judging->result.failures.count;

    for (size_t k = 0; k < check->launches.count; k++) {
        const char *launch = launches[k].launch != NULL ? launches[k].launch : "the catalogue";
        if (launches[k].result == RESULT_FAIL)
            ADD(failures, "%s: %s", file->name, launch);
        else if (launches[k].result == RESULT_KNOWN)
            take_known(judging, memory_text(judging->memory, "%s: %s", file->name, launch),
                       &launches[k].checks);
        else if (launches[k].result != RESULT_PASS)
            ADD(lacks, "%s: %s: %s", file->name, launch,
                words_name(&check_result_words, launches[k].result));
    }
    if (check->has_status && check->status == EXIT_DIFFERS &&
        failures == judging->result.failures.count)
        ADD(failures, "%s: %s ended with status 1", file->name, check->command);
    else if (!check->has_status || check->status > EXIT_DIFFERS || check->launches.count == 0)
        ADD(lacks, "%s: %s did not check everything", file->name, check->command);
}

/* Files of other commands have no verdict. */
static void take_file(struct judging *judging, const struct package_file *file)
{
    if (file->result == &results_kinds[RESULTS_SNAPSHOT])
        take_snapshot(judging, file->name, file->record);
    else if (file->result == &results_kinds[RESULTS_RUN])
        take_rows(judging, file->name, file->record);
    else if (file->result == &results_kinds[RESULTS_RACES])
        take_races(judging, file->name, file->record);
    else if (file->result == &results_kinds[RESULTS_CHECK])
        take_launches(judging, file);
    else if (file->result->judge != NULL)
        file->result->judge(judging, file->name, file->record);
    if (file->result == &results_kinds[RESULTS_RACES] && races_are_partial(file->record))
        ADD(lacks, "%s: rows are missing", file->name);
}

struct package_result package_judge(const struct list *tests,
                                    const struct package_contents *contents, struct memory *memory)
{
    struct judging all = {.result = {.tests = tests->count,
                                     .skips = list_take(memory, 0, sizeof(struct package_skip)),
                                     .failures = list_take(memory, 0, sizeof(const char *)),
                                     .known = list_take(memory, 0, sizeof(const char *)),
                                     .lacks = list_take(memory, 0, sizeof(const char *))},
                          .contents = contents,
                          .memory = memory},
                   *judging = &all;
    const struct package_test *listed = tests->items;
    const struct package_file *files = contents->files.items;

    for (size_t t = 0; t < tests->count; t++)
        (listed[t].has_model ? take_race : take_run)(judging, &listed[t]);
    note_engines(judging, tests);
    for (size_t f = 0; f < contents->files.count; f++)
        if (files[f].document != NULL)
            take_file(judging, &files[f]);
    all.result.verdict = all.result.failures.count > 0 ? RESULT_FAIL
                         : all.result.lacks.count > 0  ? RESULT_INCOMPLETE
                                                       : RESULT_PASS;
    return all.result;
}

/* ---- Text ---- */

static void print_texts(const char *title, const struct list *texts)
{
    enum { MAX_SHOWN = 10 };
    const char *const *all = texts->items;

    for (size_t t = 0; t < texts->count && t < MAX_SHOWN; t++)
        printf("%s: %s\n", title, all[t]);
    if (texts->count > MAX_SHOWN)
        printf("%s: %zu more\n", title, texts->count - MAX_SHOWN);
}

static void print_environment(const struct environment_record *facts)
{
    const struct gpu_record *gpus = facts->gpus.items;

    for (size_t g = 0; g < facts->gpus.count; g++)
        printf("GPU %s, %s, driver %s\n", gpus[g].name != NULL ? gpus[g].name : "unknown",
               gpus[g].uuid != NULL ? gpus[g].uuid : "no UUID",
               gpus[g].driver_version != NULL ? gpus[g].driver_version : "unknown");
    printf("system %s, %s, from %s to %s\n", facts->system != NULL ? facts->system : "unknown",
           facts->processor != NULL ? facts->processor : "unknown processor", facts->time,
           facts->ended != NULL ? facts->ended : "an unknown time");
}

void package_print(const struct package_record *package)
{
    const struct build_record *build = &package->build;
    const struct package_result *result = &package->result;
    const struct package_skip *skips = result->skips.items;

    printf("simtcheck %s, build %.16s, commit %.12s (%s)\n", build->simtcheck, build->hash,
           build->commit != NULL ? build->commit : "unknown",
           build->working_tree != NULL ? build->working_tree : "no git repository");
    print_environment(&package->environment);
    printf("%" PRIu64 " tests of level %" PRIu64 ", seed %" PRIu64 ": %" PRIu64 " conform, %" PRIu64
           " known defects, %" PRIu64 " known deviations, %" PRIu64 " failed, %" PRIu64
           " skipped, %" PRIu64 " without a whole result\n",
           result->tests, package->level, package->seed, result->conform, result->known_defects,
           result->known_deviations, result->failed, result->skipped, result->missing);
    for (size_t s = 0; s < result->skips.count; s++)
        printf("skipped: %" PRIu64 ": %s\n", skips[s].tests, skips[s].reason);
    print_texts("failed", &result->failures);
    print_texts("known deviation", &result->known);
    print_texts("missing", &result->lacks);
    printf("result: %s\n", words_name(&check_result_words, result->verdict));
}
