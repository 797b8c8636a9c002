/* SPDX-License-Identifier: MIT
 *
 * Shards of `run`, made one. Counts are added up; which witness a whole run would have is decided
 * by the order of cases in the whole plan, and the verdict by verdict_judge(), as in a whole run.
 */
#include "merge.h"

#include "complain.h"
#include "report.h"
#include "token.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of the whole, and the rows of shards that its parts are from. */
struct merged_row {
    struct row row;
    size_t shards; /* that have it, the last of them included */
    size_t last;
    const json_t *witness; /* whose witness it is; null: none has one */
    uint64_t witness_rank; /* of that: the lowest counts */
    const json_t *finding;
    const json_t *part; /* one of them */
};

struct merging {
    const struct shard_results *shards;
    struct merged_row *rows;
    size_t count;
};

/* ---- Reading ---- */

static bool read_case(const struct merging *merging, const char *token, struct test_case *test)
{
    const struct engine_kind *engine;
    char reason[256];

    return token_parse(token, merging->shards->catalogue, test, &engine, reason, sizeof reason) ||
           complain("a shard's case '%s': %s", token, reason);
}

static void copy_text(char *to, size_t size, const json_t *object, const char *name)
{
    snprintf(to, size, "%s", merge_text(object, name));
}

static struct extent read_extent(const json_t *array)
{
    return (struct extent){(uint32_t)json_integer_value(json_array_get(array, 0)),
                           (uint32_t)json_integer_value(json_array_get(array, 1)),
                           (uint32_t)json_integer_value(json_array_get(array, 2))};
}

static void read_fault(const json_t *from, struct fault *fault)
{
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        if (strcmp(fault_name((enum fault_kind)kind), merge_text(from, "kind")) == 0)
            fault->kind = (enum fault_kind)kind;
    copy_text(fault->text, sizeof fault->text, from, "text");
    copy_text(fault->file, sizeof fault->file, from, "file");
    fault->line = (int)merge_count(from, "line");
    fault->block = read_extent(json_object_get(from, "block"));
    fault->thread = read_extent(json_object_get(from, "thread"));
}

static bool read_witness(const struct merging *merging, const json_t *from, struct witness *witness)
{
    const char *outcome = merge_text(from, "outcome");

    *witness = (struct witness){.exhaustive = json_is_true(json_object_get(from, "smallest"))};
    if (strcmp(outcome, "mismatch") == 0) {
        struct difference *difference = &witness->outcome.difference;
        witness->outcome.kind = OUTCOME_MISMATCH;
        copy_text(difference->place, sizeof difference->place, from, "place");
        copy_text(difference->expected, sizeof difference->expected, from, "expected");
        copy_text(difference->got, sizeof difference->got, from, "got");
    } else if (strcmp(outcome, "fault") == 0) {
        witness->outcome.kind = OUTCOME_FAULT;
        read_fault(json_object_get(from, "fault"), &witness->outcome.fault);
    }
    return read_case(merging, merge_text(from, "token"), &witness->test);
}

/* ---- Rows ---- */

static const struct variant *variant_of(const struct catalogue *catalogue, const json_t *part)
{
    for (size_t v = 0; v < catalogue->count; v++)
        if (strcmp(catalogue->variants[v].id, merge_text(part, "id")) == 0 &&
            strcmp(form_name(catalogue->variants[v].form), merge_text(part, "form")) == 0)
            return &catalogue->variants[v];
    return NULL;
}

/* The row that a shard's row is a part of: a new one, or that of the shards before. */
static struct merged_row *row_of(struct merging *merging, const json_t *part)
{
    const struct variant *variant = variant_of(merging->shards->catalogue, part);
    const struct engine_kind *engine = engine_kind_find(merge_text(part, "engine"));
    struct merged_row *rows;

    if (variant == NULL || engine == NULL) {
        complain("a shard's row '%s' is none of this catalogue", merge_text(part, "id"));
        return NULL;
    }
    for (size_t r = 0; r < merging->count; r++)
        if (merging->rows[r].row.variant == variant && merging->rows[r].row.engine == engine)
            return &merging->rows[r];
    rows = realloc(merging->rows, (merging->count + 1) * sizeof *rows);
    if (rows == NULL) {
        complain("out of memory");
        return NULL;
    }
    merging->rows = rows;
    rows[merging->count] = (struct merged_row){.row = {.variant = variant, .engine = engine}};
    return &rows[merging->count++];
}

/* ---- Witnesses ---- */

static bool is_same_case(const struct test_case *a, const struct test_case *b,
                         const struct engine_kind *engine)
{
    char one[TOKEN_SIZE], other[TOKEN_SIZE];

    if (memcmp(&a->shape.block, &b->shape.block, sizeof a->shape.block) != 0 ||
        memcmp(a->shape.size, b->shape.size, sizeof a->shape.size) != 0)
        return false;
    token_format(a, engine, one);
    token_format(b, engine, other);
    return strcmp(one, other) == 0;
}

/* Its place in the plan of the whole; the plan's end where it is not in it. */
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

/* What was seen while cases ran comes before what was held to the finding behind them. */
static bool take_witness(const struct merging *merging, const struct plan *plan,
                         struct merged_row *merged, const json_t *part)
{
    const json_t *origin = json_object_get(part, "origin");
    uint64_t of = merge_count(origin, "of"), rank;
    struct test_case test;

    if (of != OF_CASE && of != OF_SUSPECT)
        return true;
    if (!read_case(merging, merge_text(origin, "witness"), &test))
        return false;
    rank =
        place_of(plan, &test, merged->row.engine) + (of == OF_SUSPECT ? plan_count(plan) + 1 : 0);
    if (merged->witness != NULL && rank >= merged->witness_rank)
        return true;
    merged->witness = part;
    merged->witness_rank = rank;
    return true;
}

/* The smaller, or of two that are as small the earlier. */
static bool comes_first(const struct plan *plan, const struct test_case *test,
                        const struct test_case *than, const struct engine_kind *engine)
{
    if (shape_is_smaller(&test->shape, &than->shape))
        return true;
    return !shape_is_smaller(&than->shape, &test->shape) &&
           place_of(plan, test, engine) < place_of(plan, than, engine);
}

static bool take_finding(const struct merging *merging, const struct plan *plan,
                         struct merged_row *merged, const json_t *part)
{
    const json_t *origin = json_object_get(part, "origin");
    struct test_case test;

    if (!json_is_string(json_object_get(origin, "finding")))
        return true;
    if (!read_case(merging, merge_text(origin, "finding"), &test))
        return false;
    if (merged->finding != NULL &&
        !comes_first(plan, &test, &merged->row.origin.finding, merged->row.engine))
        return true;
    merged->finding = part;
    merged->row.origin.finding = test;
    return true;
}

static bool take_boundaries(const struct merging *merging, const struct plan *plan, struct row *row,
                            const json_t *part)
{
    const json_t *boundaries = json_object_get(part, "boundaries");

    for (size_t k = 0; k < domain_count(row->variant->domain); k++) {
        const json_t *from = json_array_get(boundaries, k),
                     *found = json_object_get(from, "witness");
        struct boundary *boundary = &row->boundaries[k];
        struct witness witness;
        boundary->cases += merge_count(from, "cases");
        if (!json_is_object(found))
            continue;
        if (!read_witness(merging, found, &witness))
            return false;
        if (boundary->proved &&
            !comes_first(plan, &witness.test, &boundary->witness.test, row->engine))
            continue;
        boundary->proved = true;
        boundary->witness = witness;
    }
    return true;
}

/* ---- A row ---- */

static void add_counts(struct row *row, const json_t *part)
{
    const json_t *origin = json_object_get(part, "origin");

    row->cases += merge_count(part, "cases");
    row->inside += merge_count(part, "inside");
    row->found += merge_count(part, "found");
    row->mismatches += merge_count(part, "mismatches");
    /* Whether this is a failure of the whole depends on whose finding is the smallest. */
    row->mismatches -= json_is_true(json_object_get(origin, "refuted"));
    row->origin.untried += merge_count(origin, "untried");
    row->seconds += json_number_value(json_object_get(part, "seconds"));
    domain_map_join(&row->map, json_object_get(part, "map"));
}

static bool is_unavailable(const json_t *part)
{
    return strcmp(merge_text(part, "verdict"), verdict_name(VERDICT_UNAVAILABLE)) == 0;
}

/* Has shard k + 1 tried what the plan has for it, of this row or of the one that it was run as? */
static bool has_its_cases(const struct merging *merging, const struct merged_row *merged, size_t k,
                          const json_t *part)
{
    const struct row *row = &merged->row;
    const struct shard shard = {k + 1, merging->shards->count};
    uint64_t tried =
        merge_count(part, "cases") + merge_count(json_object_get(part, "origin"), "untried");
    struct plan plan;
    uint64_t planned;
    char name[32];

    if (is_unavailable(part))
        return true;
    if (!plan_make(&merging->shards->options->selection.cases,
                   row->as != NULL ? row->as : row->variant, row->engine->simulates, 0, &plan))
        return complain("out of memory");
    plan_shard(&plan, &shard);
    planned = plan_count(&plan);
    plan_free(&plan);
    shards_name(&shard, name);
    return tried == planned || complain("%s: %s %s on %s has %" PRIu64 " cases, and %" PRIu64
                                        " are planned: it was changed, or did not come to its end",
                                        name, row->variant->id, form_name(row->variant->form),
                                        row->engine->name, tried, planned);
}

/* Is it time that has passed? */
static bool is_time(const json_t *seconds)
{
    return json_is_number(seconds) && json_number_value(seconds) >= 0;
}

/* Has the row of shard k + 1 the members that are added up, as a run writes them? */
static bool is_row(const struct merging *merging, size_t k, const json_t *part)
{
    static const char *const counts[] = {"cases", "inside", "found", "mismatches"};
    const char *path = merging->shards->paths[k], *wrong = NULL;

    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        if (!json_is_integer(json_object_get(part, counts[c])) ||
            json_integer_value(json_object_get(part, counts[c])) < 0)
            wrong = counts[c];
    if (!is_time(json_object_get(part, "seconds")))
        wrong = "seconds";
    if (!merge_is_of_words(json_object_get(part, "map")))
        wrong = "map";
    return wrong == NULL || complain("%s: %s %s on %s: its %s is not as a run writes it", path,
                                     merge_text(part, "id"), merge_text(part, "form"),
                                     merge_text(part, "engine"), wrong);
}

/* What an engine lacks it lacks in all shards, or the verdict would be that of the last. */
static bool is_as_available(const struct merging *merging, const struct merged_row *merged,
                            size_t k, const json_t *part)
{
    const char *const *paths = merging->shards->paths;
    bool gone = is_unavailable(part);

    if (merged->shards == 0 || gone == is_unavailable(merged->part))
        return true;
    return complain("%s: %s %s on %s is unavailable, and in %s it was run: run one of them again",
                    paths[gone ? k : merged->last], merge_text(part, "id"),
                    merge_text(part, "form"), merge_text(part, "engine"),
                    paths[gone ? merged->last : k]);
}

/* `ended`: the shard was not stopped at this row. */
static bool take_part(struct merging *merging, size_t k, const json_t *part, bool ended)
{
    struct merged_row *merged = is_row(merging, k, part) ? row_of(merging, part) : NULL;
    struct plan plan;
    bool good;

    if (merged == NULL)
        return false;
    if (merged->shards > 0 && merged->last == k)
        return complain("shard %zu/%zu: it has %s twice", k + 1, merging->shards->count,
                        merged->row.variant->id);
    if (!is_as_available(merging, merged, k, part))
        return false;
    merged->last = k;
    merged->row.as = catalogue_find(merging->shards->catalogue, merge_text(part, "same_as"),
                                    merged->row.variant->form);
    merged->shards++;
    merged->part = part;
    if (ended && !has_its_cases(merging, merged, k, part))
        return false;
    add_counts(&merged->row, part);
    if (!plan_make(&merging->shards->options->selection.cases, merged->row.variant,
                   merged->row.engine->simulates, 0, &plan))
        return complain("out of memory");
    good = take_witness(merging, &plan, merged, part) &&
           take_finding(merging, &plan, merged, part) &&
           take_boundaries(merging, &plan, &merged->row, part);
    plan_free(&plan);
    return good;
}

static void set_verdict(struct row *row, const json_t *part)
{
    for (int v = 0; v < VERDICTS; v++)
        if (strcmp(verdict_name((enum verdict)v), merge_text(part, "verdict")) == 0)
            row->verdict = (enum verdict)v;
    copy_text(row->note, sizeof row->note, part, "note");
}

/* Takes over the finding's witness; and the row's, with all that goes with it. */
static bool settle_witnesses(const struct merging *merging, struct merged_row *merged)
{
    struct row *row = &merged->row;
    const json_t *origin = json_object_get(merged->finding, "origin");

    if (merged->finding != NULL) {
        row->found_witness = true;
        if (!read_witness(merging, json_object_get(merged->finding, "finding_witness"),
                          &row->finding))
            return false;
        if (json_is_true(json_object_get(origin, "refuted"))) {
            row->mismatches++;
            if (merged->witness == NULL)
                merged->witness = merged->finding;
        }
    }
    if (merged->witness == NULL)
        return true;
    row->has_witness = true;
    set_verdict(row, merged->witness);
    if (!read_witness(merging, json_object_get(merged->witness, "witness"), &row->witness))
        return false;
    row->witness.tried = merge_count(json_object_get(merged->witness, "origin"), "tried");
    return true;
}

static bool judge_row(const struct merging *merging, struct merged_row *merged)
{
    const struct shard_work *options = merging->shards->options;
    struct row *row = &merged->row;
    struct row_run run = {.selection = &options->selection, .row = row};

    if (is_unavailable(merged->part)) {
        set_verdict(row, merged->part);
        row->blocks = merge_count(merged->part, "blocks");
        row->all_blocks = merge_count(merged->part, "all_blocks");
        row->left_out = merge_count(merged->part, "left_out");
        return true;
    }
    if (!settle_witnesses(merging, merged))
        return false;
    if (row->mismatches > 0 && !row->has_witness)
        return complain("%s: %" PRIu64 " cases failed, and no shard has one of them",
                        row->variant->id, row->mismatches);
    if (!plan_make(&options->selection.cases, row->variant, row->engine->simulates, 0, &run.plan))
        return complain("out of memory");
    row->blocks = run.plan.blocks;
    row->all_blocks = run.plan.all_blocks;
    row->left_out = run.plan.left_out;
    if (row->origin.untried > 0)
        verdict_note_untried(row, plan_count(&run.plan));
    verdict_judge(&run);
    plan_free(&run.plan);
    return true;
}

/* ---- The whole ---- */

/* In the order of a whole run: by engine as the options name them, then by catalogue. */
static const struct shard_work *sorted_by;

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

/* A row that a shard has not come to has no verdict, unless it is wrong already. */
static void drop_unfinished(struct merging *merging)
{
    size_t kept = 0;

    for (size_t r = 0; r < merging->count; r++)
        if (merging->rows[r].shards == merging->shards->count || merging->rows[r].witness != NULL)
            merging->rows[kept++] = merging->rows[r];
    merging->count = kept;
}

static bool add_shards(struct merging *merging, struct report *report)
{
    for (size_t k = 0; k < merging->shards->count; k++) {
        const json_t *result = merging->shards->results[k],
                     *rows = json_object_get(result, "results"), *row;
        bool stopped = json_is_false(json_object_get(result, "complete"));
        size_t r;
        if (!json_is_array(rows))
            return complain("shard %zu/%zu: it has no rows", k + 1, merging->shards->count);
        if (!is_time(json_object_get(result, "seconds")))
            return complain("%s: its seconds are no time", merging->shards->paths[k]);
        report->lost += merge_count(result, "workers_lost");
        report->seconds += json_number_value(json_object_get(result, "seconds"));
        json_array_foreach(rows, r, row)
        {
            if (!take_part(merging, k, row, !stopped || r + 1 < json_array_size(rows)))
                return false;
        }
    }
    return true;
}

/* Where no shard was stopped, each has each row, of all variants that are selected. */
static bool has_all_rows(const struct merging *merging)
{
    const struct shard_results *shards = merging->shards;

    for (size_t r = 0; r < merging->count; r++)
        if (merging->rows[r].shards != shards->count)
            return complain("%s is in %zu of %zu shards", merging->rows[r].row.variant->id,
                            merging->rows[r].shards, shards->count);
    for (size_t v = 0; v < shards->catalogue->count; v++) {
        const struct variant *variant = &shards->catalogue->variants[v];
        bool found = !selection_has(&shards->options->selection, variant);
        for (size_t r = 0; r < merging->count; r++)
            found = found || merging->rows[r].row.variant == variant;
        if (!found)
            return complain("%s %s is in no shard", variant->id, form_name(variant->form));
    }
    return true;
}

/* The races that were found with the witnesses are in the shards' files as they are to be. */
static json_t *report_with_races(const struct report *report, const struct merging *merging)
{
    json_t *json = report_json(report), *rows = json_object_get(json, "results");

    for (size_t r = 0; r < merging->count; r++)
        if (merging->rows[r].witness != NULL)
            json_object_set(json_array_get(rows, r), "race",
                            json_object_get(merging->rows[r].witness, "race"));
    return json;
}

static int exit_status(const struct shard_results *shards, const struct report *report)
{
    int status = EXIT_CONFORMS;

    for (size_t k = 0; k < shards->count; k++) /* a row of one shard is not yet wrong */
        if (shards->statuses[k] != EXIT_DIFFERS)
            status = session_worse(status, shards->statuses[k]);
    for (size_t r = 0; r < report->row_count; r++)
        if (report->rows[r].verdict == VERDICT_MISMATCH || report->rows[r].verdict == VERDICT_FAULT)
            status = session_worse(status, EXIT_DIFFERS);
    return status;
}

/* Judges the rows and shows them; they are copied to the report. */
static bool judge_all(struct merging *merging, struct report *report)
{
    report->rows = calloc(merging->count + 1, sizeof *report->rows);
    if (report->rows == NULL)
        return complain("out of memory");
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
    struct report report = {.seed = shards->options->selection.cases.seed,
                            .level = shards->options->selection.cases.level,
                            .complete = shards->complete};
    int status = EXIT_USAGE;

    if (add_shards(&merging, &report) && (!shards->complete || has_all_rows(&merging))) {
        drop_unfinished(&merging);
        sorted_by = shards->options;
        if (merging.count > 0)
            qsort(merging.rows, merging.count, sizeof *merging.rows, compare_rows);
        if (judge_all(&merging, &report)) {
            report_end(&report);
            status = exit_status(shards, &report);
            if (status == EXIT_CONFORMS && !shards->complete)
                status = EXIT_DIFFERS; /* what has stopped has failed */
            *merged = report_with_races(&report, &merging);
        }
    }
    free(report.rows);
    free(merging.rows);
    return status;
}
