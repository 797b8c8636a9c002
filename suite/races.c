/* SPDX-License-Identifier: MIT
 *
 * For each kernel and model: first the race checker on every planned shape inside the domain, under
 * two schedules, for only what is handed on by atomic accesses depends on that. Then schedules with
 * up to so many delays, one after the other (Emmi, Qadeer and Rakamaric, Delay-Bounded Scheduling,
 * POPL 2011): of a kernel that races, on the smallest shapes that do, for one that changes the
 * result; of one that does not, on a small shape, where no result may differ.
 */
#include "races.h"

#include "plan.h"
#include "report.h"
#include "run.h"
#include "selection.h"
#include "supervisor.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEARCH_BUDGET = 50000, /* schedules for one shape */
    SMALL_THREADS = 8,     /* of the block whose schedules are searched through */
    SMALL_SEGMENTS = 2,    /* elements, in blocks' segments */
    SHAPES_KEPT = 6,       /* the smallest that race, to look for a wrong result in */
    MOST_PAIRS = MOST_RACES_TOLD,
    SEED = 1,
};

/* All schedules of one shape with up to `delays` delays. */
struct search {
    struct test_case test; /* its shape and values */
    unsigned int delays;
    uint64_t points;    /* scheduling points without a delay */
    uint64_t *after;    /* of each of those, the points of the run in which it is delayed */
    uint64_t schedules; /* tried */
    bool wrong;
    struct witness witness;
};

struct race_row {
    const struct variant *variant;
    enum model model;
    uint64_t cases, racing, faults;
    struct test_case smallest[SHAPES_KEPT]; /* that race, ascending */
    size_t kept;
    struct test_case fault_test;
    struct outcome fault;
    struct race pairs[MOST_PAIRS];
    size_t pair_count;
    struct search search; /* the last, or the one that found a wrong result */
    bool searched, as_claimed;
    const char *unavailable;
};

struct session {
    const struct options *options;
    struct supervisor *supervisor;
    struct race_row *rows;
    size_t row_count, judged, wrong_claims;
    enum engine_status status;
    char reason[512];
};

static const char *verdict_of(const struct race_row *row)
{
    return row->unavailable != NULL ? "unavailable" : row->racing > 0 ? "race" : "race-free";
}

/* ---- The race checker on all shapes ---- */

struct sweep {
    const struct plan *plan;
    struct race_row *row;
};

static void source_sweep(void *context, uint64_t index, struct test_case *test)
{
    const struct sweep *sweep = context;
    plan_case(sweep->plan, index, test);
    test->values = (struct values){VALUES_HASH, SEED};
}

static bool is_smaller(const struct shape *a, const struct shape *b)
{
    if (shape_threads(a) != shape_threads(b))
        return shape_threads(a) < shape_threads(b);
    return shape_elements(a) < shape_elements(b);
}

/* Keeps the smallest, each shape once. */
static void keep(struct race_row *row, const struct test_case *test)
{
    size_t place = row->kept;

    for (size_t k = 0; k < row->kept; k++)
        if (memcmp(&row->smallest[k].shape, &test->shape, sizeof test->shape) == 0)
            return;
    while (place > 0 && is_smaller(&test->shape, &row->smallest[place - 1].shape))
        place--;
    if (place == SHAPES_KEPT)
        return;
    if (row->kept < SHAPES_KEPT)
        row->kept++;
    memmove(&row->smallest[place + 1], &row->smallest[place],
            (row->kept - 1 - place) * sizeof row->smallest[0]);
    row->smallest[place] = *test;
}

static bool sink_sweep(void *context, uint64_t index, const struct test_case *test,
                       const struct outcome *outcome)
{
    struct sweep *sweep = context;
    struct race_row *row = sweep->row;

    (void)index;
    row->cases++;
    if (outcome->kind == OUTCOME_FAULT) {
        if (row->faults++ == 0) {
            row->fault_test = *test;
            row->fault = *outcome;
        }
    } else if (outcome->races > 0) {
        row->racing++;
        keep(row, test);
    }
    return true;
}

/* ---- Schedules ---- */

/* Without a delay. */
static void source_base(void *context, uint64_t index, struct test_case *test)
{
    const struct search *search = context;
    (void)index;
    *test = search->test;
    test->schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
}

static void source_one_delay(void *context, uint64_t index, struct test_case *test)
{
    const struct search *search = context;
    *test = search->test;
    test->schedule = (struct schedule){SCHEDULE_DELAYS, 0, {(uint32_t)(index + 1)}};
}

/* How many second delays there are after the first: at the points that come later in its run. */
static uint64_t second_delays(const struct search *search, uint64_t first)
{
    return search->after[first - 1] > first ? search->after[first - 1] - first : 0;
}

static void source_two_delays(void *context, uint64_t index, struct test_case *test)
{
    const struct search *search = context;
    uint64_t first = 1;

    while (index >= second_delays(search, first))
        index -= second_delays(search, first++);
    *test = search->test;
    test->schedule =
        (struct schedule){SCHEDULE_DELAYS, 0, {(uint32_t)first, (uint32_t)(first + 1 + index)}};
}

static bool sink_search(void *context, uint64_t index, const struct test_case *test,
                        const struct outcome *outcome)
{
    struct search *search = context;

    search->schedules++;
    if (test->schedule.kind == SCHEDULE_SEQUENTIAL)
        search->points = outcome->points;
    else if (test->schedule.delays[1] == 0)
        search->after[index] = outcome->points;
    if (outcome->kind == OUTCOME_PASS)
        return true;
    search->wrong = true;
    search->witness = (struct witness){.test = *test, .outcome = *outcome};
    return false;
}

/* Runs so many of the search's schedules; false when it must end. */
static bool run_schedules(struct session *session, struct search *search, uint64_t count,
                          supervisor_source *source)
{
    session->status = supervisor_run(session->supervisor, count, source, sink_search, search,
                                     session->reason, sizeof session->reason);
    return session->status == ENGINE_OK && !search->wrong;
}

static uint64_t count_two_delays(const struct search *search)
{
    uint64_t count = 0;
    for (uint64_t first = 1; first <= search->points; first++)
        count += second_delays(search, first);
    return count;
}

/* Runs all schedules of `test`'s shape, with as many delays as options and budget allow, until a
 * result is wrong. The fewest delays come first, then the earliest. */
static bool run_search(struct session *session, const struct test_case *test, struct search *search)
{
    unsigned int most = session->options->delays;

    *search = (struct search){.test = *test};
    supervisor_ask(session->supervisor, REQUEST_DIGEST); /* which tells the points */
    if (run_schedules(session, search, 1, source_base) && most > 0 &&
        search->points <= SEARCH_BUDGET) {
        search->after = calloc(search->points + 1, sizeof *search->after);
        if (search->after == NULL) {
            snprintf(session->reason, sizeof session->reason, "out of memory");
            session->status = ENGINE_ERROR;
        } else if (run_schedules(session, search, search->points, source_one_delay)) {
            search->delays = 1;
        }
    }
    supervisor_ask(session->supervisor, REQUEST_RUN);
    if (search->delays == 1 && most > 1 && count_two_delays(search) <= SEARCH_BUDGET &&
        run_schedules(session, search, count_two_delays(search), source_two_delays))
        search->delays = 2;
    free(search->after);
    search->after = NULL;
    return session->status == ENGINE_OK;
}

/* With ones in place of random values a wrong sum is easier to read. */
static bool read_easily(struct session *session, struct witness *witness)
{
    struct test_case ones = witness->test;
    struct outcome outcome;

    ones.values = (struct values){VALUES_ONES, 0};
    session->status = supervisor_run_array(session->supervisor, &ones, 1, &outcome, session->reason,
                                           sizeof session->reason);
    if (session->status == ENGINE_OK && outcome_same_kind(&outcome, &witness->outcome)) {
        witness->test = ones;
        witness->outcome = outcome;
    }
    return session->status == ENGINE_OK;
}

/* A wrong result by schedule, on the smallest of the shapes that race and have one. Where there is
 * none, what is told is of the smallest. */
static bool search_wrong(struct session *session, struct race_row *row)
{
    for (size_t k = 0; k < row->kept && !row->search.wrong; k++) {
        struct search search;
        if (!run_search(session, &row->smallest[k], &search))
            return false;
        if (k == 0 || search.wrong)
            row->search = search;
    }
    row->searched = true;
    return !row->search.wrong || read_easily(session, &row->search.witness);
}

/* The largest of the small shapes; null: there is none. */
static const struct planned_shape *small_shape(const struct plan *plan)
{
    const struct planned_shape *chosen = NULL;

    for (size_t k = 0; k < plan->shape_count; k++) {
        const struct planned_shape *planned = &plan->shapes[k];
        uint64_t most = SMALL_SEGMENTS * variant_segment(plan->variant, &planned->shape);
        if (shape_threads(&planned->shape) <= SMALL_THREADS &&
            shape_elements(&planned->shape) <= most &&
            (chosen == NULL || is_smaller(&chosen->shape, &planned->shape)))
            chosen = planned;
    }
    return chosen;
}

/* ---- One kernel under one model ---- */

static bool claims(const struct variant *variant, enum model model)
{
    return variant->finding != NULL && (variant->finding->races >> model & 1);
}

/* The shapes to try: by default the blocks that the documents use, and all small ones. */
static bool plan_races(const struct options *options, const struct variant *variant,
                       enum model model, struct plan *plan)
{
    enum { MOST_SMALL = 64 };
    static struct extent lengths[MOST_SMALL + 2];
    struct options planned = *options;

    memset(planned.models, 0, sizeof planned.models);
    planned.models[model] = true;
    if (!options->schedules_chosen) {
        planned.schedules[0] = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
        planned.schedules[1] = (struct schedule){SCHEDULE_REVERSE, 0, {0}};
        planned.schedule_count = 2;
        planned.schedules_chosen = true;
    }
    if (options->blocks == NULL && variant->block_dimensions == 1) {
        for (uint32_t b = 1; b <= MOST_SMALL; b++)
            lengths[b - 1] = (struct extent){b, 1, 1};
        lengths[MOST_SMALL] = (struct extent){256, 1, 1};
        lengths[MOST_SMALL + 1] = (struct extent){1024, 1, 1};
        planned.blocks = lengths;
        planned.block_count = MOST_SMALL + 2;
    }
    if (!plan_make(&planned, variant, true, 0, plan))
        return false;
    plan_keep_inside(plan);
    return true;
}

static bool describe_pairs(struct session *session, struct race_row *row)
{
    struct outcome outcome;

    session->status =
        supervisor_race(session->supervisor, &row->smallest[0], &outcome, row->pairs, MOST_PAIRS,
                        &row->pair_count, session->reason, sizeof session->reason);
    return session->status == ENGINE_OK;
}

static bool search_free(struct session *session, const struct plan *plan, struct race_row *row)
{
    const struct planned_shape *small = small_shape(plan);
    struct test_case test;

    if (small == NULL)
        return true;
    plan_case(plan, (uint64_t)(small - plan->shapes) * plan->per_shape, &test);
    test.values = (struct values){VALUES_HASH, SEED};
    test.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    row->searched = true;
    return run_search(session, &test, &row->search);
}

static void judge(struct session *session, struct race_row *row)
{
    bool claimed = claims(row->variant, row->model), races = row->racing > 0;

    row->as_claimed = races == claimed || (claimed && selection_is_limited(session->options));
    if (row->faults > 0 || (!races && row->searched && row->search.wrong))
        row->as_claimed = false;
    session->wrong_claims += !row->as_claimed;
    session->judged++;
}

static bool run_row(struct session *session, struct race_row *row)
{
    struct plan plan;
    struct sweep sweep = {&plan, row};
    bool good;

    row->unavailable = selection_lacks(session->options, row->variant, session->supervisor);
    row->as_claimed = true;
    if (row->unavailable != NULL)
        return true;
    if (!plan_races(session->options, row->variant, row->model, &plan)) {
        snprintf(session->reason, sizeof session->reason, "out of memory");
        session->status = ENGINE_ERROR;
        return false;
    }
    if (plan_count(&plan) == 0) {
        row->unavailable = "no shape of --block and --size is inside its domain";
        plan_free(&plan);
        return true;
    }
    supervisor_ask(session->supervisor, REQUEST_RACE);
    session->status = supervisor_run(session->supervisor, plan_count(&plan), source_sweep,
                                     sink_sweep, &sweep, session->reason, sizeof session->reason);
    good = session->status == ENGINE_OK;
    if (good && row->racing > 0)
        good = describe_pairs(session, row) && search_wrong(session, row);
    else if (good && row->faults == 0)
        good = search_free(session, &plan, row);
    plan_free(&plan);
    if (good)
        judge(session, row);
    return good;
}

/* ---- JSON ---- */

static json_t *side_json(const struct race_side *side)
{
    json_t *object = json_pack("{s:s, s:I, s:[i, i, i], s:[i, i, i], s:s, s:i, s:s, s:b}", "kernel",
                               side->kernel, "grid", (json_int_t)side->grid, "block",
                               (int)side->block.x, (int)side->block.y, (int)side->block.z, "thread",
                               (int)side->thread.x, (int)side->thread.y, (int)side->thread.z,
                               "file", side->file, "line", side->line, "access",
                               side->access & ACCESS_ATOMIC  ? "atomic"
                               : side->access & ACCESS_WRITE ? "write"
                                                             : "read",
                               "volatile", (side->access & ACCESS_VOLATILE) != 0);
    if (side->scope[0] != '\0')
        json_object_set_new(object, "scope", json_string(side->scope));
    if (side->before_known)
        json_object_set_new(object, "old", json_integer((json_int_t)side->before));
    if (side->after_known)
        json_object_set_new(object, side->access & ACCESS_WRITE ? "new" : "value",
                            json_integer((json_int_t)side->after));
    return object;
}

static json_t *search_json(const struct race_row *row)
{
    char token[TOKEN_SIZE], text[512], block[WORD_SIZE], size[WORD_SIZE];
    const struct search *search = &row->search;
    json_t *object;

    if (!row->searched)
        return json_null();
    block_format(&search->test.shape.block, block);
    size_format(search->test.shape.size, size);
    object = json_pack("{s:s, s:s, s:I, s:I, s:b}", "block", block, "size", size, "delays",
                       (json_int_t)search->delays, "schedules", (json_int_t)search->schedules,
                       "wrong", search->wrong);
    if (search->wrong) {
        token_format(&search->witness.test, "host", token);
        outcome_text(&search->witness.outcome, text, sizeof text);
        json_object_set_new(object, "outcome", json_string(text));
        json_object_set_new(object, "token", json_string(token));
    }
    return object;
}

static json_t *row_json(const struct race_row *row)
{
    json_t *pairs = json_array(), *object;
    char token[TOKEN_SIZE];

    for (size_t p = 0; p < row->pair_count; p++)
        json_array_append_new(
            pairs,
            json_pack("{s:o, s:o, s:s, s:s, s:I}", "first", side_json(&row->pairs[p].first),
                      "second", side_json(&row->pairs[p].second), "place", row->pairs[p].place,
                      "missing", row->pairs[p].missing, "count", (json_int_t)row->pairs[p].count));
    object = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:o, s:o}", "id", row->variant->id, "form",
        form_name(row->variant->form), "model", model_name(row->model), "verdict", verdict_of(row),
        "claimed", claims(row->variant, row->model) ? "race" : "race-free", "as_claimed",
        row->as_claimed, "cases", (json_int_t)row->cases, "racing", (json_int_t)row->racing,
        "faults", (json_int_t)row->faults, "pairs", pairs, "search", search_json(row));
    if (row->kept > 0) {
        token_format(&row->smallest[0], "host", token);
        json_object_set_new(object, "smallest", json_string(token));
    }
    return object;
}

/* After each row, so that what was found is on disk whatever comes next. */
static bool save(const struct session *session)
{
    json_t *array;
    bool good;

    if (session->options->json == NULL)
        return true;
    array = json_array();
    for (size_t r = 0; r < session->row_count; r++)
        json_array_append_new(array, row_json(&session->rows[r]));
    good = report_write(array, session->options->json);
    if (!good)
        fprintf(stderr, "%s: cannot write '%s': %s: name a file in a folder that can be written\n",
                program_invocation_short_name, session->options->json, strerror(errno));
    return good;
}

/* ---- Text ---- */

static void print_side(const struct race_side *side, const char *lead)
{
    const char *verb = side->access & ACCESS_ATOMIC  ? "updates"
                       : side->access & ACCESS_WRITE ? "writes"
                                                     : "reads";

    printf("        %s thread %u of block (%u,%u,%u)", lead, side->number, side->block.x,
           side->block.y, side->block.z);
    if (side->grid > 0)
        printf(" of grid %" PRIu64, side->grid);
    printf(" %s it", verb);
    if (side->access & ACCESS_ATOMIC)
        printf(" atomically, in the scope of its %s", side->scope);
    else if (side->access & ACCESS_VOLATILE)
        printf(" (volatile)");
    if (side->before_known && side->after_known)
        printf(", %" PRIi32 " to %" PRIi32, (int32_t)side->before, (int32_t)side->after);
    else if (side->after_known)
        printf(", %" PRIi32, (int32_t)side->after);
    printf(": %s, %s:%d\n", side->kernel, side->file, side->line);
}

static bool is_same_lines(const struct race *a, const struct race *b)
{
    return a->first.line == b->first.line && a->second.line == b->second.line &&
           a->first.access == b->first.access && a->second.access == b->second.access;
}

static void print_pairs(const struct race_row *row)
{
    for (size_t p = 0; p < row->pair_count; p++) {
        const struct race *race = &row->pairs[p];
        size_t told = 0;
        while (told < p && !is_same_lines(&row->pairs[told], race))
            told++;
        if (told < p)
            continue;
        printf("    %s\n", race->place);
        print_side(&race->first, "first");
        print_side(&race->second, "then ");
        printf("        %s\n", race->missing);
    }
}

static void print_search(const struct race_row *row)
{
    const struct search *search = &row->search;
    char block[WORD_SIZE], size[WORD_SIZE], schedule[WORD_SIZE], text[512], token[TOKEN_SIZE];

    if (!row->searched)
        return;
    block_format(&search->test.shape.block, block);
    size_format(search->test.shape.size, size);
    if (search->wrong) {
        const struct test_case *test = &search->witness.test;
        schedule_format(test->schedule, schedule);
        outcome_text(&search->witness.outcome, text, sizeof text);
        token_format(test, "host", token);
        printf("    wrong with block %s, size %s, schedule %s: %s\n        %s replay %s\n", block,
               size, schedule, text, program_invocation_short_name, token);
    } else if (row->racing > 0) {
        printf("    block %s, size %s: the result is right in all %" PRIu64
               " schedules with up to %u delays\n",
               block, size, search->schedules, search->delays);
    }
}

static void print_details(const struct race_row *row)
{
    char block[WORD_SIZE], size[WORD_SIZE], text[512], token[TOKEN_SIZE];

    if (row->as_claimed && row->racing == 0 && row->unavailable == NULL)
        return;
    printf("\n%s %s, %s: %s", row->variant->id, form_name(row->variant->form),
           model_name(row->model), verdict_of(row));
    if (row->kept > 0) {
        block_format(&row->smallest[0].shape.block, block);
        size_format(row->smallest[0].shape.size, size);
        printf(", at block %s, size %s", block, size);
    }
    if (row->unavailable != NULL)
        printf(": %s", row->unavailable);
    printf("%s\n", row->as_claimed ? "" : "; NOT as its descriptor claims");
    if (row->faults > 0) {
        token_format(&row->fault_test, "host", token);
        outcome_text(&row->fault, text, sizeof text);
        printf("    %" PRIu64 " cases end with a fault, such as: %s\n        %s replay %s\n",
               row->faults, text, program_invocation_short_name, token);
    }
    print_pairs(row);
    print_search(row);
}

static void print_row(const struct race_row *row)
{
    char searched[48] = "-", result[32] = "-";

    if (row->searched)
        snprintf(searched, sizeof searched, "%" PRIu64 " (%u)", row->search.schedules,
                 row->search.delays);
    if (row->searched)
        snprintf(result, sizeof result, "%s", row->search.wrong ? "wrong" : "right");
    printf("%-39s %-8s %-9s %6" PRIu64 " %6" PRIu64 " %14s %-6s %s%s\n", row->variant->id,
           form_name(row->variant->form), model_name(row->model), row->cases, row->racing, searched,
           result, verdict_of(row), row->as_claimed ? "" : " (!)");
    fflush(stdout);
}

/* ---- The command ---- */

static bool add_rows(struct session *session, const struct variant *variant)
{
    for (int m = MODELS - 1; m >= 0; m--) {
        struct race_row *rows;
        if (!session->options->models[m])
            continue;
        rows = realloc(session->rows, (session->row_count + 1) * sizeof *rows);
        if (rows == NULL) {
            snprintf(session->reason, sizeof session->reason, "out of memory");
            return false;
        }
        session->rows = rows;
        rows[session->row_count] = (struct race_row){.variant = variant, .model = (enum model)m};
        if (!run_row(session, &rows[session->row_count++]))
            return false;
        print_row(&session->rows[session->row_count - 1]);
        if (!save(session))
            return false;
    }
    return true;
}

int races_command(const struct options *options, const struct catalogue *catalogue)
{
    struct supervisor_options supervised = {.engine = "host",
                                            .jobs = options->jobs,
                                            .limits = options->limits,
                                            .stopped = run_is_stopped};
    struct session session = {.options = options};
    bool good = true;

    if (!selection_fits(options, catalogue) || !save(&session))
        return EXIT_USAGE;
    session.status =
        supervisor_open(&supervised, &session.supervisor, session.reason, sizeof session.reason);
    if (session.status != ENGINE_OK) {
        fprintf(stderr, "%s: engine host: %s\n", program_invocation_short_name, session.reason);
        return session.status == ENGINE_UNAVAILABLE ? EXIT_UNAVAILABLE : EXIT_ENVIRONMENT;
    }
    run_catch_interrupts();
    printf("%-39s %-8s %-9s %6s %6s %14s %-6s %s\n", "kernel", "form", "model", "cases", "racing",
           "schedules", "result", "verdict");
    for (size_t v = 0; v < catalogue->count && good; v++)
        if (options_select(options, &catalogue->variants[v]))
            good = add_rows(&session, &catalogue->variants[v]) && !run_is_stopped();
    supervisor_close(session.supervisor);
    for (size_t r = 0; r < session.row_count; r++)
        print_details(&session.rows[r]);
    if (!good && session.reason[0] != '\0')
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, session.reason);
    free(session.rows);
    if (!good || fflush(stdout) != 0)
        return EXIT_ENVIRONMENT;
    return session.wrong_claims > 0 ? EXIT_DIFFERS
           : session.judged == 0    ? EXIT_UNAVAILABLE
                                    : EXIT_CONFORMS;
}
