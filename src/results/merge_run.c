/* SPDX-License-Identifier: MIT
 *
 * Merges shards of `run`. Counts are added. The order of cases in the whole plan decides which
 * counterexample is kept. finish_row() judges the verdict. All results are the same as without
 * shards.
 */
#include "merge.h"

#include "case_id.h"
#include "checks.h"
#include "error_report.h"
#include "merge_counterexample.h"
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
    uint64_t counterexample_rank;         /* rank of the counterexample; the lowest wins */
    const struct run_row *known_defect;
    const struct run_row *part; /* one of them */
};

struct merging {
    const struct shard_results *shards;
    struct merged_row *rows;
    size_t count;
};

/* ---- Reading ---- */

static bool read_case(const struct merging *merging, const char *case_id, struct test_case *test)
{
    const struct engine_kind *engine;
    char reason[256];

    return case_id_parse(case_id, merging->shards->catalogue, test, &engine, reason,
                         sizeof reason) ||
           error_report("a shard's case '%s': %s", case_id, reason);
}

static bool read_counterexample(const struct merging *merging,
                                const struct counterexample_record *from,
                                struct counterexample *counterexample)
{
    merge_counterexample(from, counterexample);
    return read_case(merging, from->case_id, &counterexample->test);
}

/* ---- Rows ---- */

/* Returns the merged row for a shard's row: a new one, or that of the shards before. Returns null
 * after an error message. */
static struct merged_row *row_of(struct merging *merging, const struct run_row *part)
{
    const struct variant *variant =
        catalogue_find(merging->shards->catalogue, part->id, part->kind);
    const struct engine_kind *engine = &engine_kinds[part->engine];
    struct merged_row *rows;

    if (variant == NULL) {
        error_report("a shard has the row '%s', which the catalogue lacks", part->id);
        return NULL;
    }
    for (size_t r = 0; r < merging->count; r++)
        if (merging->rows[r].row.variant == variant && merging->rows[r].row.engine == engine)
            return &merging->rows[r];
    rows = realloc(merging->rows, (merging->count + 1) * sizeof *rows);
    if (rows == NULL) {
        error_report("out of memory");
        return NULL;
    }
    merging->rows = rows;
    rows[merging->count] = (struct merged_row){.row = {.variant = variant, .engine = engine}};
    return &rows[merging->count++];
}

/* ---- Counterexamples ---- */

static bool is_same_case(const struct test_case *a, const struct test_case *b,
                         const struct engine_kind *engine)
{
    char one[CASE_ID_SIZE], other[CASE_ID_SIZE];

    if (memcmp(&a->shape.block, &b->shape.block, sizeof a->shape.block) != 0 ||
        memcmp(a->shape.size, b->shape.size, sizeof a->shape.size) != 0)
        return false;
    case_id_format(a, engine, one);
    case_id_format(b, engine, other);
    return strcmp(one, other) == 0;
}

/* Returns the index of the case in the whole plan, or the plan's length if the plan lacks it. */
static uint64_t place_of(const struct plan *plan, const struct test_case *test,
                         const struct engine_kind *engine)
{
    uint64_t place = 0;
    struct test_case planned;

    for (; place < plan_count(plan); place++) {
        plan_case(plan, place, &planned);
        if (is_same_case(&planned, test, engine))
            break;
    }
    return place;
}

/* Keeps the counterexample with the lowest rank. Failures of cases come before suspects, which are
 * compared with the known defect after all cases ran. Returns false after an error message. */
static bool take_counterexample(const struct merging *merging, const struct plan *plan,
                                struct merged_row *merged, const struct run_row *part)
{
    const struct origin_record *origin = part->origin;
    uint64_t rank;
    struct test_case test;

    if (origin->counterexample == NULL || (origin->of != OF_CASE && origin->of != OF_SUSPECT))
        return true;
    if (!read_case(merging, origin->counterexample, &test))
        return false;
    rank = place_of(plan, &test, merged->row.engine) +
           (origin->of == OF_SUSPECT ? plan_count(plan) + 1 : 0);
    if (merged->counterexample != NULL && rank >= merged->counterexample_rank)
        return true;
    merged->counterexample = part;
    merged->counterexample_rank = rank;
    return true;
}

/* Returns whether a case is smaller than another, or of the same size and earlier in the plan. */
static bool comes_first(const struct plan *plan, const struct test_case *test,
                        const struct test_case *than, const struct engine_kind *engine)
{
    if (shape_is_smaller(&test->shape, &than->shape))
        return true;
    return !shape_is_smaller(&than->shape, &test->shape) &&
           place_of(plan, test, engine) < place_of(plan, than, engine);
}

static bool take_known_defect(const struct merging *merging, const struct plan *plan,
                              struct merged_row *merged, const struct run_row *part)
{
    struct test_case test;

    if (part->origin->known_defect == NULL)
        return true;
    if (!read_case(merging, part->origin->known_defect, &test))
        return false;
    if (merged->known_defect != NULL &&
        !comes_first(plan, &test, &merged->row.origin.known_defect, merged->row.engine))
        return true;
    merged->known_defect = part;
    merged->row.origin.known_defect = test;
    return true;
}

static bool take_boundaries(const struct merging *merging, const struct plan *plan, struct row *row,
                            const struct run_row *part)
{
    const struct boundary_record *boundaries = part->boundaries.items;
    size_t count = domain_count(row->variant->domain);

    if (part->boundaries.count != count)
        return error_report("a shard's row '%s' has %zu boundaries, but its domain has %zu",
                            part->id, part->boundaries.count, count);
    for (size_t k = 0; k < count; k++) {
        struct boundary *boundary = &row->boundaries[k];
        struct counterexample counterexample;
        boundary->cases += boundaries[k].cases;
        if (boundaries[k].counterexample == NULL)
            continue;
        if (!read_counterexample(merging, boundaries[k].counterexample, &counterexample))
            return false;
        if (boundary->proved &&
            !comes_first(plan, &counterexample.test, &boundary->counterexample.test, row->engine))
            continue;
        boundary->proved = true;
        boundary->counterexample = counterexample;
    }
    return true;
}

/* ---- A row ---- */

static bool add_coverage(struct row *row, const struct run_row *part, struct memory *memory)
{
    for (size_t k = 0; k < part->origin->points.count; k++) {
        const char *text = ((const char *const *)part->origin->points.items)[k];
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
    row->cases += part->cases;
    row->inside += part->inside;
    row->found += part->found;
    row->mismatches += part->mismatches;
    /* The smallest counterexample of the known defect decides whether this is a failure of the
     * whole. */
    row->mismatches -= part->origin->refuted;
    row->origin.untried += part->origin->untried;
    row->seconds += part->seconds;
    domain_map_join(&row->map, &part->map);
}

static bool is_skipped(const struct run_row *part)
{
    return part->verdict == VERDICT_SKIPPED;
}

/* Checks that shard k + 1 ran all of its planned cases, of this row or of the row that ran in its
 * place. Returns false after an error message. */
static bool has_its_cases(const struct merging *merging, const struct merged_row *merged, size_t k,
                          const struct run_row *part)
{
    const struct row *row = &merged->row;
    const struct shard shard = {k + 1, merging->shards->count};
    uint64_t tried = part->cases + part->origin->untried;
    struct plan plan;
    uint64_t planned;
    char name[32];

    if (is_skipped(part))
        return true;
    if (!plan_make(&merging->shards->selection->cases, row->as != NULL ? row->as : row->variant,
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
static bool is_as_available(const struct merging *merging, const struct merged_row *merged,
                            size_t k, const struct run_row *part)
{
    const char *const *paths = merging->shards->paths;
    bool gone = is_skipped(part);

    if (merged->shards == 0 || gone == is_skipped(merged->part))
        return true;
    return error_report(
        "%s: %s %s on %s was skipped, but %s has results for it: run one of the two shards again",
        paths[gone ? k : merged->last], part->id, variant_kind_name(part->kind),
        engine_kinds[part->engine].name, paths[gone ? merged->last : k]);
}

/* Adds a shard's row. `ended` is false if the shard was stopped at this row. */
static bool take_part(struct merging *merging, size_t k, const struct run_row *part, bool ended)
{
    struct merged_row *merged = part->origin != NULL ? row_of(merging, part) : NULL;
    struct plan plan;
    bool good;

    if (part->origin == NULL)
        return error_report("%s: invalid shard: the row %s has no origin",
                            merging->shards->paths[k], part->id);
    if (merged == NULL)
        return false;
    if (merged->shards > 0 && merged->last == k)
        return error_report("shard %zu/%zu has %s twice", k + 1, merging->shards->count,
                            merged->row.variant->id);
    if (!is_as_available(merging, merged, k, part))
        return false;
    merged->last = k;
    merged->row.as = part->same_as != NULL
                         ? catalogue_find(merging->shards->catalogue, part->same_as, part->kind)
                         : NULL;
    merged->shards++;
    merged->part = part;
    if (ended && !has_its_cases(merging, merged, k, part))
        return false;
    add_counts(&merged->row, part);
    if (!plan_make(&merging->shards->selection->cases, merged->row.variant,
                   merged->row.engine->simulates, 0, &plan))
        return error_report("out of memory");
    good = add_coverage(&merged->row, part, merging->shards->memory) &&
           take_counterexample(merging, &plan, merged, part) &&
           take_known_defect(merging, &plan, merged, part) &&
           take_boundaries(merging, &plan, &merged->row, part);
    plan_free(&plan);
    return good;
}

static void set_verdict(struct row *row, const struct run_row *part)
{
    row->verdict = part->verdict;
    snprintf(row->note, sizeof row->note, "%s", part->note);
}

/* Copies the known defect's counterexample, and the row's with everything that belongs to it. */
static bool settle_counterexamples(const struct merging *merging, struct merged_row *merged)
{
    struct row *row = &merged->row;
    const struct run_row *known_defect = merged->known_defect;

    if (known_defect != NULL) {
        row->found_counterexample = known_defect->known_defect_counterexample != NULL;
        if (row->found_counterexample &&
            !read_counterexample(merging, known_defect->known_defect_counterexample,
                                 &row->known_defect))
            return false;
        if (known_defect->origin->refuted) {
            row->mismatches++;
            if (merged->counterexample == NULL)
                merged->counterexample = known_defect;
        }
    }
    if (merged->counterexample == NULL)
        return true;
    if (merged->counterexample->counterexample == NULL)
        return error_report("a shard's row '%s' lacks its counterexample", row->variant->id);
    row->has_counterexample = true;
    set_verdict(row, merged->counterexample);
    if (!read_counterexample(merging, merged->counterexample->counterexample, &row->counterexample))
        return false;
    row->counterexample.tried = merged->counterexample->origin->tried;
    return true;
}

static bool judge_row(const struct merging *merging, struct merged_row *merged)
{
    const struct selection *selection = merging->shards->selection;
    struct row *row = &merged->row;
    struct row_run run = {.selection = selection, .row = row};

    if (is_skipped(merged->part)) {
        set_verdict(row, merged->part);
        row->blocks = merged->part->blocks;
        row->all_blocks = merged->part->all_blocks;
        row->left_out = merged->part->left_out;
        return true;
    }
    if (!settle_counterexamples(merging, merged))
        return false;
    if (row->mismatches > 0 && !row->has_counterexample)
        return error_report("%s: %" PRIu64 " cases failed, but no shard has a counterexample",
                            row->variant->id, row->mismatches);
    if (!plan_make(&selection->cases, row->variant, row->engine->simulates, 0, &run.plan))
        return error_report("out of memory");
    finish_row(&run, NULL);
    plan_free(&run.plan);
    return true;
}

/* ---- The whole ---- */

/* The order of a whole run: engines as the options name them, then the catalogue. */
static const struct run_request *sorted_by;
_Static_assert(offsetof(struct run_request, selection) == 0, "it begins with the selection");

static int place_of_engine(const struct engine_kind *engine)
{
    for (size_t e = 0; e < sorted_by->engines.count; e++)
        if (sorted_by->engines.kinds[e] == engine)
            return (int)e;
    return (int)engine->id;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *one = &((const struct merged_row *)a)->row,
                     *other = &((const struct merged_row *)b)->row;
    int difference = place_of_engine(one->engine) - place_of_engine(other->engine);

    if (difference == 0)
        difference = one->variant < other->variant ? -1 : one->variant > other->variant;
    return difference;
}

/* Drops the rows that a shard did not reach, unless they are wrong already. They have no verdict.
 */
static void drop_unfinished(struct merging *merging)
{
    size_t kept = 0;

    for (size_t r = 0; r < merging->count; r++)
        if (merging->rows[r].shards == merging->shards->count ||
            merging->rows[r].counterexample != NULL)
            merging->rows[kept++] = merging->rows[r];
        else
            coverage_free(&merging->rows[r].row.coverage);
    merging->count = kept;
}

static bool add_shards(struct merging *merging, struct report *report)
{
    for (size_t k = 0; k < merging->shards->count; k++) {
        struct run_record *result = memory_take(merging->shards->memory, sizeof *result);
        const struct run_row *rows;
        if (!merge_read(merging->shards, k, &run_table, result))
            return false;
        rows = result->results.items;
        report->lost += result->workers_lost;
        report->seconds += result->seconds;
        report->complete = report->complete && result->complete;
        for (size_t r = 0; r < result->results.count; r++)
            if (!take_part(merging, k, &rows[r], result->complete || r + 1 < result->results.count))
                return false;
    }
    return true;
}

/* Checks that each shard has a row for each selected variant, unless a shard was stopped. */
static bool has_all_rows(const struct merging *merging)
{
    const struct shard_results *shards = merging->shards;

    for (size_t r = 0; r < merging->count; r++)
        if (merging->rows[r].shards != shards->count)
            return error_report("%s is in only %zu of %zu shards", merging->rows[r].row.variant->id,
                                merging->rows[r].shards, shards->count);
    for (size_t v = 0; v < shards->catalogue->count; v++) {
        const struct variant *variant = &shards->catalogue->variants[v];
        bool found = !selection_has(shards->selection, variant);
        for (size_t r = 0; r < merging->count; r++)
            found = found || merging->rows[r].row.variant == variant;
        if (!found)
            return error_report("%s %s is in no shard", variant->id,
                                variant_kind_name(variant->kind));
    }
    return true;
}

/* Adds the races that belong to the counterexamples. They are not printed, because a shard's file
 * lacks some of the data for that. */
static void add_races(struct report *report, const struct merging *merging)
{
    for (size_t r = 0; r < merging->count; r++) {
        const struct run_row *counterexample = merging->rows[r].counterexample;
        if (counterexample == NULL || counterexample->race == NULL)
            continue;
        report->rows[r].has_race = true;
        report->rows[r].race = *counterexample->race;
    }
}

static int exit_status(const struct shard_results *shards, const struct report *report)
{
    int status = EXIT_CONFORMS;

    for (size_t k = 0; k < shards->count; k++) /* a row of one shard may still become wrong */
        if (shards->statuses[k] != EXIT_DIFFERS)
            status = session_worse(status, shards->statuses[k]);
    for (size_t r = 0; r < report->row_count; r++)
        if (report->rows[r].verdict == VERDICT_MISMATCH || report->rows[r].verdict == VERDICT_FAULT)
            status = session_worse(status, EXIT_DIFFERS);
    return status;
}

/* Judges the rows, prints them and copies them to the report. */
static bool judge_all(struct merging *merging, struct report *report)
{
    report->rows = calloc(merging->count + 1, sizeof *report->rows);
    if (report->rows == NULL)
        return error_report("out of memory");
    report_head();
    for (size_t r = 0; r < merging->count; r++) {
        if (!judge_row(merging, &merging->rows[r]))
            return false;
        report->rows[report->row_count++] = merging->rows[r].row;
        if (merging->rows[r].row.as == NULL) {
            report->cases += merging->rows[r].row.cases;
            report->mismatches += merging->rows[r].row.mismatches;
        }
        report_row(&merging->rows[r].row);
    }
    return true;
}

int merge_run(const struct shard_results *shards, json_t **merged)
{
    struct merging merging = {.shards = shards};
    struct report report = {.seed = shards->selection->cases.seed,
                            .level = shards->selection->cases.level,
                            .complete = true};
    int status = EXIT_USAGE;

    if (add_shards(&merging, &report) && (!report.complete || has_all_rows(&merging))) {
        drop_unfinished(&merging);
        sorted_by = (const struct run_request *)(const void *)shards->selection;
        if (merging.count > 0)
            qsort(merging.rows, merging.count, sizeof *merging.rows, compare_rows);
        if (judge_all(&merging, &report)) {
            report_end(&report);
            status = exit_status(shards, &report);
            if (status == EXIT_CONFORMS && !report.complete)
                status = EXIT_DIFFERS; /* a stopped run has failed */
            add_races(&report, &merging);
            *merged = report_json(&report);
        }
    }
    for (size_t r = 0; r < merging.count; r++)
        coverage_free(&merging.rows[r].row.coverage);
    free(report.rows);
    free(merging.rows);
    return status;
}
