/* SPDX-License-Identifier: MIT
 *
 * Merges shards of `run`. Counts are added. The rank of a case decides which counterexample is
 * kept. finish_row() judges the verdict. All results are the same as without shards.
 */
#include "merge.h"

#include "case_id.h"
#include "checks.h"
#include "error_report.h"
#include "record_run.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A merged row, and the shards' rows that its parts come from. */
struct merged_row {
    struct row row;
    size_t shards; /* number of shards that have the row, including the current one */
    size_t last;
    const struct run_row *counterexample; /* the row that has the counterexample; or null */
    const struct run_row *known_defect;
    const struct run_row *part; /* one of them */
};

/* ---- Rows ---- */

/* Returns the merged row for a shard's row: a new one, or that of the shards before. Returns null
 * after an error message. */
static struct merged_row *row_of(const struct shard_results *shards, struct list *rows,
                                 const struct run_row *part)
{
    const struct variant *variant =
        catalogue_find(shards->session->catalogue, part->id, part->kind);
    const struct engine_kind *engine = &engine_kinds[part->engine];
    struct merged_row *merged = rows->items;

    if (variant == NULL) {
        error_report("a shard has the row '%s', which the catalogue lacks", part->id);
        return NULL;
    }
    for (size_t r = 0; r < rows->count; r++)
        if (merged[r].row.variant == variant && merged[r].row.engine == engine)
            return &merged[r];
    merged = list_add(shards->memory, rows, sizeof *merged);
    merged->row = row_start(variant, engine, shards->memory);
    return merged;
}

/* ---- Counterexamples ---- */

/* Returns whether a row's counterexample comes before that of another row. Failures of cases come
 * before suspects, which are compared with the known defect after all cases ran. */
static bool comes_before(const struct run_row *part, const struct run_row *than)
{
    return part->origin != than->origin
               ? part->origin == OF_CASE
               : part->counterexample->rank->place < than->counterexample->rank->place;
}

/* Returns whether a case is smaller than another, or of the same size and earlier in the plan. */
static bool is_smaller(const struct rank_record *rank, const struct rank_record *than)
{
    return rank->threads != than->threads     ? rank->threads < than->threads
           : rank->elements != than->elements ? rank->elements < than->elements
                                              : rank->place < than->place;
}

/* Checks that a counterexample of a shard, if there is one, has a rank. Returns false after an
 * error message. */
static bool has_rank(const struct run_row *part, const struct counterexample_record *record)
{
    return record == NULL || record->rank != NULL ||
           error_report("a shard's row '%s' has a counterexample without rank", part->id);
}

static bool take_counterexamples(struct merged_row *merged, const struct run_row *part)
{
    bool is_own = part->origin == OF_CASE || part->origin == OF_SUSPECT;

    if (!has_rank(part, part->counterexample) || !has_rank(part, part->known_defect_counterexample))
        return false;
    if (is_own && part->counterexample == NULL)
        return error_report("a shard's row '%s' lacks its counterexample", part->id);
    if (is_own && (merged->counterexample == NULL || comes_before(part, merged->counterexample)))
        merged->counterexample = part;
    if (part->known_defect_counterexample != NULL &&
        (merged->known_defect == NULL ||
         is_smaller(part->known_defect_counterexample->rank,
                    merged->known_defect->known_defect_counterexample->rank)))
        merged->known_defect = part;
    return true;
}

static bool take_boundaries(struct row *row, const struct run_row *part)
{
    const struct boundary_record *boundaries = part->boundaries.items;
    struct boundary_record *merged = row->record.boundaries.items;
    size_t count = row->record.boundaries.count;

    if (part->boundaries.count != count)
        return error_report("a shard's row '%s' has %zu boundaries, but its domain has %zu",
                            part->id, part->boundaries.count, count);
    for (size_t k = 0; k < count; k++) {
        struct counterexample_record *proof = boundaries[k].counterexample;
        if (!has_rank(part, proof))
            return false;
        merged[k].cases += boundaries[k].cases;
        if (proof != NULL && (merged[k].counterexample == NULL ||
                              is_smaller(proof->rank, merged[k].counterexample->rank)))
            merged[k].counterexample = proof;
    }
    return true;
}

/* Makes a kept case one of the whole. Returns false after an error message. */
static bool settle_case(const struct shard_results *shards, struct counterexample_record *record)
{
    struct counterexample *found;
    const struct engine_kind *engine;
    char reason[256];

    if (record == NULL)
        return true;
    found = memory_take(shards->memory, sizeof *found);
    *found = (struct counterexample){
        .outcome = record->outcome, .tried = record->rank->tried, .exhaustive = record->smallest};
    record->found = found;
    record->rank = NULL;
    return case_id_parse(record->case_id, shards->session->catalogue, &found->test, &engine, reason,
                         sizeof reason) ||
           error_report("a shard's case '%s': %s", record->case_id, reason);
}

/* ---- A row ---- */

static bool add_coverage(struct row *row, const struct run_row *part, struct memory *memory)
{
    for (size_t k = 0; k < part->points.count; k++) {
        const char *text = ((const char *const *)part->points.items)[k];
        struct source_point point;
        if (!point_read(memory_copy(memory, text), &point))
            return error_report("a shard's row '%s' has the malformed point '%s'", part->id, text);
        if (!coverage_add(&row->coverage, &point))
            return error_report("out of memory");
    }
    coverage_sort(&row->coverage);
    return true;
}

static void add_counts(struct row *row, const struct run_row *part)
{
    struct run_row *record = &row->record;

    record->cases += part->cases;
    record->inside += part->inside;
    record->found += part->found;
    record->mismatches += part->mismatches;
    /* The smallest counterexample of the known defect decides whether this is a failure of the
     * whole. */
    record->mismatches -= part->refuted;
    record->seconds += part->seconds;
    record->untried += part->untried;
    domain_map_join(&row->map, &part->map);
}

static bool is_skipped(const struct run_row *part)
{
    return part->verdict == VERDICT_SKIPPED;
}

/* Checks that shard k + 1 ran all of its planned cases, of this row or of the row that ran in its
 * place. Returns false after an error message. */
static bool has_its_cases(const struct shard_results *shards, const struct merged_row *merged,
                          size_t k, const struct run_row *part)
{
    const struct row *row = &merged->row;
    const struct shard shard = {k + 1, shards->count};
    uint64_t tried = part->cases + part->untried;
    struct plan plan;
    uint64_t planned;
    char name[32];

    if (is_skipped(part))
        return true;
    if (!plan_make(&shards->selection->cases, row->as != NULL ? row->as : row->variant,
                   row->engine->simulates, 0, &plan))
        return error_report("out of memory");
    plan_shard(&plan, &shard);
    planned = plan_count(&plan);
    plan_free(&plan);
    shards_name(&shard, name);
    return tried == planned ||
           error_report("%s: %s %s on %s has %" PRIu64 " cases, but %" PRIu64
                        " are planned: the file was changed, or the run stopped early",
                        name, row->variant->id, variant_kind_name(row->variant->kind),
                        row->engine->name, tried, planned);
}

/* Checks that a row is skipped in all shards or in none. Otherwise the last shard would decide.
 * Returns false after an error message. */
static bool is_as_available(const struct shard_results *shards, const struct merged_row *merged,
                            size_t k, const struct run_row *part)
{
    bool gone = is_skipped(part);

    if (merged->shards == 0 || gone == is_skipped(merged->part))
        return true;
    return error_report(
        "%s: %s %s on %s was skipped, but %s has results for it: run one of the two shards again",
        shards->files[gone ? k : merged->last]->path, part->id, variant_kind_name(part->kind),
        engine_kinds[part->engine].name, shards->files[gone ? merged->last : k]->path);
}

/* Adds a shard's row. `ended` is false if the shard was stopped at this row. */
static bool take_part(const struct shard_results *shards, struct list *rows, size_t k,
                      const struct run_row *part, bool ended)
{
    struct merged_row *merged = part->has_origin ? row_of(shards, rows, part) : NULL;

    if (!part->has_origin)
        return error_report("%s: invalid shard: the row %s has no origin", shards->files[k]->path,
                            part->id);
    if (merged == NULL)
        return false;
    if (merged->shards > 0 && merged->last == k)
        return error_report("shard %zu/%zu has %s twice", k + 1, shards->count,
                            merged->row.variant->id);
    if (!is_as_available(shards, merged, k, part))
        return false;
    merged->last = k;
    merged->row.as = part->same_as != NULL
                         ? catalogue_find(shards->session->catalogue, part->same_as, part->kind)
                         : NULL;
    merged->row.record.same_as = merged->row.as != NULL ? merged->row.as->id : NULL;
    merged->shards++;
    merged->part = part;
    if (ended && !has_its_cases(shards, merged, k, part))
        return false;
    add_counts(&merged->row, part);
    return add_coverage(&merged->row, part, shards->memory) && take_counterexamples(merged, part) &&
           take_boundaries(&merged->row, part);
}

static void set_verdict(struct row *row, const struct run_row *part)
{
    row->record.verdict = part->verdict;
    row->record.note = part->note;
}

/* Keeps the known defect's counterexample, and the row's with everything that belongs to it. */
static bool settle_counterexamples(const struct shard_results *shards, struct merged_row *merged)
{
    struct run_row *record = &merged->row.record;
    const struct run_row *known_defect = merged->known_defect;
    const struct boundary_record *boundaries = record->boundaries.items;
    bool good = true;

    if (known_defect != NULL)
        record->known_defect_counterexample = known_defect->known_defect_counterexample;
    if (known_defect != NULL && known_defect->refuted) {
        record->mismatches++;
        if (merged->counterexample == NULL)
            merged->counterexample = known_defect;
    }
    if (merged->counterexample != NULL) {
        record->counterexample = merged->counterexample->counterexample;
        set_verdict(&merged->row, merged->counterexample);
    }
    for (size_t k = 0; good && k < record->boundaries.count; k++)
        good = settle_case(shards, boundaries[k].counterexample);
    return good && settle_case(shards, record->known_defect_counterexample) &&
           settle_case(shards, record->counterexample);
}

static bool judge_row(const struct shard_results *shards, struct merged_row *merged)
{
    const struct selection *selection = shards->selection;
    struct row *row = &merged->row;
    struct run_row *record = &row->record;
    struct row_run run = {.selection = selection, .row = row};

    if (is_skipped(merged->part)) {
        set_verdict(row, merged->part);
        record->blocks = merged->part->blocks;
        record->all_blocks = merged->part->all_blocks;
        record->left_out = merged->part->left_out;
        return true;
    }
    if (!settle_counterexamples(shards, merged))
        return false;
    if (record->mismatches > 0 && record->counterexample == NULL)
        return error_report("%s: %" PRIu64 " cases failed, but no shard has a counterexample",
                            row->variant->id, record->mismatches);
    if (!plan_make(&selection->cases, row->variant, row->engine->simulates, 0, &run.plan))
        return error_report("out of memory");
    finish_row(&run, NULL);
    plan_free(&run.plan);
    row_settle(row, false);
    return true;
}

/* ---- The whole ---- */

/* The order of a whole run: engines as the options name them, then the catalogue. */
static int place_of_engine(const struct engine_list *named, const struct engine_kind *engine)
{
    for (size_t e = 0; e < named->count; e++)
        if (named->kinds[e] == engine)
            return (int)e;
    return (int)engine->id;
}

static int compare_rows(const void *a, const void *b, void *named)
{
    const struct row *one = &((const struct merged_row *)a)->row,
                     *other = &((const struct merged_row *)b)->row;
    int difference = place_of_engine(named, one->engine) - place_of_engine(named, other->engine);

    if (difference == 0)
        difference = one->variant < other->variant ? -1 : one->variant > other->variant;
    return difference;
}

/* Drops the rows that a shard did not reach, unless they are wrong already. They have no verdict.
 */
static void drop_unfinished(const struct shard_results *shards, struct list *rows)
{
    struct merged_row *merged = rows->items;
    size_t kept = 0;

    for (size_t r = 0; r < rows->count; r++)
        if (merged[r].shards == shards->count || merged[r].counterexample != NULL)
            merged[kept++] = merged[r];
        else
            coverage_free(&merged[r].row.coverage);
    rows->count = kept;
}

static bool has_failed(enum verdict verdict)
{
    return verdict == VERDICT_MISMATCH || verdict == VERDICT_FAULT;
}

/* Checks that the members of a shard's result agree with each other, and with the options. Returns
 * false after an error message. */
static bool is_consistent(const struct shard_results *shards, size_t k,
                          const struct run_record *result)
{
    const struct run_row *rows = result->results.items;
    const struct plan_request *cases = &shards->selection->cases;
    bool fails = false;

    for (size_t r = 0; r < result->results.count; r++)
        fails = fails || has_failed(rows[r].verdict);
    if (result->seed != cases->seed || result->level != cases->level)
        return error_report("%s: invalid shard: its seed or level is not that of its options",
                            shards->files[k]->path);
    return merge_status_fits(shards, k, fails) &&
           (result->complete || fails ||
            error_report("%s: invalid shard: it is not complete, but no row fails",
                         shards->files[k]->path));
}

static bool add_shards(const struct shard_results *shards, struct list *rows, struct report *report)
{
    for (size_t k = 0; k < shards->count; k++) {
        struct run_record *result = memory_take(shards->memory, sizeof *result);
        const struct run_row *parts;
        if (!merge_read(shards, k, &run_table, result) || !is_consistent(shards, k, result))
            return false;
        parts = result->results.items;
        report->lost += result->workers_lost;
        report->seconds += result->seconds;
        report->complete = report->complete && result->complete;
        for (size_t r = 0; r < result->results.count; r++)
            if (!take_part(shards, rows, k, &parts[r],
                           result->complete || r + 1 < result->results.count))
                return false;
    }
    return true;
}

/* Checks that each shard has a row for each selected variant, unless a shard was stopped. */
static bool has_all_rows(const struct shard_results *shards, const struct list *rows)
{
    const struct merged_row *merged = rows->items;

    for (size_t r = 0; r < rows->count; r++)
        if (merged[r].shards != shards->count)
            return error_report("%s is in only %zu of %zu shards", merged[r].row.variant->id,
                                merged[r].shards, shards->count);
    for (size_t v = 0; v < shards->session->catalogue->count; v++) {
        const struct variant *variant = &shards->session->catalogue->variants[v];
        bool found = !selection_has(shards->selection, variant);
        for (size_t r = 0; r < rows->count; r++)
            found = found || merged[r].row.variant == variant;
        if (!found)
            return error_report("%s %s is in no shard", variant->id,
                                variant_kind_name(variant->kind));
    }
    return true;
}

/* Adds the races that belong to the counterexamples. They are not printed, because a shard's file
 * lacks some of the data for that. */
static void add_races(struct report *report, const struct list *rows)
{
    const struct merged_row *merged = rows->items;

    for (size_t r = 0; r < rows->count; r++)
        if (merged[r].counterexample != NULL)
            report->rows[r].record.race = merged[r].counterexample->race;
}

static int exit_status(const struct shard_results *shards, const struct report *report)
{
    int status = EXIT_CONFORMS;

    for (size_t k = 0; k < shards->count; k++) /* a row of one shard may still become wrong */
        if (shards->files[k]->status != EXIT_DIFFERS)
            status = session_worse(status, (int)shards->files[k]->status);
    for (size_t r = 0; r < report->row_count; r++)
        if (has_failed(report->rows[r].record.verdict))
            status = session_worse(status, EXIT_DIFFERS);
    return status;
}

/* Judges the rows, prints them and copies them to the report. */
static bool judge_all(const struct shard_results *shards, struct list *rows, struct report *report)
{
    struct merged_row *merged = rows->items;

    report->rows = memory_take(shards->memory, rows->count * sizeof *report->rows);
    report_head(shards->session);
    for (size_t r = 0; r < rows->count; r++) {
        if (!judge_row(shards, &merged[r]))
            return false;
        report->rows[report->row_count++] = merged[r].row;
        if (merged[r].row.as == NULL) {
            report->cases += merged[r].row.record.cases;
            report->mismatches += merged[r].row.record.mismatches;
        }
        report_row(shards->session, &merged[r].row);
    }
    return true;
}

_Static_assert(offsetof(struct rows_request, selection) == 0, "it begins with the selection");

int merge_run(const struct shard_results *shards, json_t **merged)
{
    const struct rows_request *request =
        (const struct rows_request *)(const void *)shards->selection;
    struct list rows = list_take(shards->memory, 0, sizeof(struct merged_row));
    struct report report = {.seed = shards->selection->cases.seed,
                            .level = shards->selection->cases.level,
                            .complete = true};
    int status = EXIT_USAGE;

    if (add_shards(shards, &rows, &report) && (!report.complete || has_all_rows(shards, &rows))) {
        drop_unfinished(shards, &rows);
        qsort_r(rows.items, rows.count, sizeof(struct merged_row), compare_rows,
                (void *)(uintptr_t)&request->engines);
        if (judge_all(shards, &rows, &report)) {
            report_end(&report, shards->session);
            status = exit_status(shards, &report);
            if (status == EXIT_CONFORMS && !report.complete)
                status = EXIT_DIFFERS; /* a stopped run has failed */
            add_races(&report, &rows);
            *merged = report_json(&report);
        }
    }
    for (size_t r = 0; r < rows.count; r++)
        coverage_free(&((struct merged_row *)rows.items)[r].row.coverage);
    return status;
}
