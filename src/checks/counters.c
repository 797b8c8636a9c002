/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include "case_id.h"
#include "checks.h"
#include "error_report.h"
#include "interrupt.h"
#include "json_model.h"
#include "launch_tree.h"
#include "record_counters.h"
#include "replay_line.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 128, SECTOR_BYTES = 32 };

/* Rounds to two decimal places, as profilers print numbers. */
static double rounded(double number)
{
    char text[64];

    snprintf(text, sizeof text, "%.2f", number);
    return strtod(text, NULL);
}

static double per_cent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? rounded(100.0 * (double)part / (double)whole) : 0;
}

static double mean(uint64_t sum, uint64_t count)
{
    return count > 0 ? rounded((double)sum / (double)count) : 0;
}

/* Reports that the kernel does not take the block or the size. Returns false. */
static bool not_taken(const struct test_case *test)
{
    const struct variant *variant = test->variant;
    char shape[SHAPE_TEXT];

    if (test->shape.depth > variant_deepest(variant))
        return error_report("%s does not take maxDepth %u: it takes up to %u", variant->id,
                            test->shape.depth, variant_deepest(variant));
    return error_report(
        "%s does not take %s: its blocks have up to %u dimension%s, its sizes up to %u",
        variant->id, shape_text(variant, &test->shape, shape), variant->block_dimensions,
        variant->block_dimensions == 1 ? "" : "s", variant->size_dimensions);
}

/* Finds the case that the selection names: one kernel, one block, one size. Returns false after an
 * error message. */
static bool one_case(const struct selection *selection, const struct catalogue *catalogue,
                     struct test_case *test)
{
    const struct plan_request *cases = &selection->cases;
    enum variant_kind kind =
        selection->kinds[VARIANT_ORIGINAL] ? VARIANT_ORIGINAL : VARIANT_CORRECTED;

    *test = (struct test_case){.values = {VALUES_ONES, 0}, .model = MODEL_LOCKSTEP};
    if (selection->glob_count != 1 || cases->block_count != 1 || cases->size_count != 1)
        return error_report("counters takes one --kernel, one --block and one --size");
    test->variant = catalogue_find(catalogue, selection->globs[0], kind);
    if (test->variant == NULL)
        return error_report("the catalogue has no kernel '%s' with the variant '%s': see '%s list'",
                            selection->globs[0], variant_kind_name(kind),
                            program_invocation_short_name);
    test->schedule = cases->schedule_count > 0 ? cases->schedules[0]
                                               : (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    test->profile = plan_profile(cases, test->variant);
    test->shape = cases->sizes[0];
    test->shape.block = cases->blocks[0];
    if (!variant_takes(test->variant, &test->shape))
        return not_taken(test);
    return true;
}

static void count_memory(struct counter_record *record, const struct engine_counters *counters)
{
    const struct access_counters *load = &counters->all.access[0],
                                 *store = &counters->all.access[1];

    record->gld_transactions_128B = load->lines;
    record->gst_transactions_128B = store->lines;
    record->gld_transactions_32B = load->sectors;
    record->gst_transactions_32B = store->sectors;
    record->gst_transactions_of_1_sector = store->by_size[0];
    record->gst_transactions_of_2_sectors = store->by_size[1];
    record->gst_transactions_of_4_sectors = store->by_size[2];
    record->gld_efficiency_32B = per_cent(load->bytes, SECTOR_BYTES * load->sectors);
    record->gst_efficiency_32B = per_cent(store->bytes, SECTOR_BYTES * store->sectors);
    record->gld_efficiency_128B = per_cent(load->bytes, LINE_BYTES * load->lines);
    record->gld_requests = load->requests;
    record->gst_requests = store->requests;
    record->gld_bytes = load->bytes;
    record->gst_bytes = store->bytes;
    record->lane_efficiency =
        per_cent(load->lanes + store->lanes, SIMT_WARP_LANES * (load->requests + store->requests));
    record->barriers = counters->all.blocks;
    record->child_grids = counters->children;
    record->child_threads = counters->child_threads;
}

/* Counts what warps executed. `warps` is the number of warps that the host launched. */
static void count_code(struct counter_record *record, const struct engine_counters *counters,
                       uint64_t warps)
{
    const struct interval_counters *all = &counters->all;

    for (int k = 0; k < SIMT_CLASSES; k++) {
        record->instructions[k] = all->instructions[k];
        record->inst_executed += all->instructions[k];
        record->thread_inst_executed += all->lane_instructions[k];
    }
    record->inst_per_warp = mean(record->inst_executed, warps);
    record->inst_per_lane = mean(record->thread_inst_executed, SIMT_WARP_LANES * warps);
    record->warp_execution_efficiency =
        per_cent(record->thread_inst_executed, SIMT_WARP_LANES * record->inst_executed);
    record->branches = all->branches;
    record->divergent_branches = all->divergent_branches;
}

static uint64_t warps_of(const struct test_case *test)
{
    struct invocation invocation;
    uint64_t blocks, threads;

    test->variant->invoke(test->variant, &test->shape, &invocation);
    blocks = (uint64_t)invocation.grid.x * invocation.grid.y * invocation.grid.z;
    threads = (uint64_t)invocation.block.x * invocation.block.y * invocation.block.z;
    return blocks * ((threads + SIMT_WARP_LANES - 1) / SIMT_WARP_LANES);
}

/* The columns of the table of intervals. */
#define COLUMN(name, heading, member)                                                              \
    FIELD(name, COUNT, struct interval_counters, member, .shown = (heading))
static const struct field columns[] = {
    COLUMN("gld_requests", "loads", access[0].requests),
    COLUMN("gld_lanes", "lanes", access[0].lanes),
    COLUMN("gld_transactions_128B", "128B", access[0].lines),
    COLUMN("gld_transactions_32B", "32B", access[0].sectors),
    COLUMN("gst_requests", "stores", access[1].requests),
    COLUMN("gst_lanes", "lanes", access[1].lanes),
    COLUMN("gst_transactions_128B", "128B", access[1].lines),
    COLUMN("gst_transactions_32B", "32B", access[1].sectors),
    COLUMN("shared_loads", "sh.loads", shared[0].requests),
    COLUMN("shared_load_lanes", "lanes", shared[0].lanes),
    COLUMN("shared_stores", "sh.stores", shared[1].requests),
    COLUMN("shared_store_lanes", "lanes", shared[1].lanes),
    COLUMN("warps", "warps", warps),
    COLUMN("split_warps", "split", split),
    COLUMN("blocks", "blocks", blocks),
};
static const struct table interval_table = TABLE("interval", columns, struct interval_counters);

/* The counts of one case. */
struct counted {
    struct engine_counters counters;
    struct launch_tree tree;
    struct level_record levels[MAX_LAUNCH_DEPTH];
    struct counter_record record;
    struct list intervals; /* of struct interval_counters; empty: not requested */
};

static const struct field counted_fields[] = {
    FIELD(NULL, MEMBERS, struct counted, record, .table = &counter_table),
    FIELD("intervals", LIST, struct counted, intervals, .table = &interval_table,
          .flags = FIELD_OPTIONAL),
};
static const struct table counted_table = TABLE("counted", counted_fields, struct counted);

/* Prints the table of intervals. Row k counts what blocks do between barrier k and barrier k + 1.
 * `blocks` counts the blocks that reach the interval. */
static void print_intervals(const struct engine_counters *counters)
{
    printf("\nbarriers");
    for (size_t c = 0; c < interval_table.count; c++)
        printf(" %9s", columns[c].shown);
    putchar('\n');
    for (uint64_t i = 0; i < counters->interval_count; i++) {
        printf("%7" PRIu64 "%c", i, i == MAX_INTERVALS - 1 ? '+' : ' ');
        for (size_t c = 0; c < interval_table.count; c++)
            printf(" %9" PRIu64, field_number(&columns[c], &counters->intervals[i]));
        putchar('\n');
    }
}

/* Counts the grids, blocks and threads at each depth. Depth 0 is the host's launch. The list stays
 * empty if no grid launches another. The result check decides whether all expected grids ran. */
static void count_launches(struct counted *counted, const struct test_case *test)
{
    const struct engine_counters *counters = &counted->counters;
    const struct launch_tree *tree = &counted->tree;

    oracle_launch_tree(test->variant, &test->shape, &counted->tree);
    if (counters->children == 0 || counters->children != tree->children)
        return;
    for (uint32_t d = 0; d < tree->depths; d++)
        counted->levels[d] = (struct level_record){tree->levels[d].grids, tree->levels[d].blocks,
                                                   tree->levels[d].threads};
    counted->record.launches = (struct list){counted->levels, tree->depths};
}

/* Runs the case and counts. Fills in a record unless the case ends in a fault. Returns statuses as
 * supervisor_count() does. */
static enum engine_status count_case(struct supervisor *supervisor, const struct test_case *test,
                                     struct outcome *outcome, struct counted *counted)
{
    struct counter_record *record = &counted->record;
    struct invocation invocation;
    enum engine_status status = supervisor_count(supervisor, test, outcome, &counted->counters);

    if (status != ENGINE_OK || outcome->kind == OUTCOME_FAULT)
        return status;
    test->variant->invoke(test->variant, &test->shape, &invocation);
    *record = (struct counter_record){.id = test->variant->id,
                                      .kind = test->variant->kind,
                                      .grid = invocation.grid,
                                      .block = test->shape.block};
    counted->intervals = (struct list){NULL, 0};
    memcpy(record->size, test->shape.size, sizeof record->size);
    record->has_depth = variant_deepest(test->variant) > 0;
    record->max_depth = test->shape.depth;
    count_memory(record, &counted->counters);
    count_code(record, &counted->counters, warps_of(test));
    count_launches(counted, test);
    return status;
}

enum engine_status counters_report(struct supervisor *supervisor, const struct test_case *test,
                                   struct outcome *outcome, json_t **report)
{
    struct counted counted;
    enum engine_status status = count_case(supervisor, test, outcome, &counted);
    bool good = status == ENGINE_OK && outcome->kind != OUTCOME_FAULT;

    *report = good ? model_json(&counted_table, &counted) : NULL;
    return status;
}

/* Prints the numbers in the order of their table. */
static void print_record(const struct counter_record *record)
{
    const struct field *first =
        MEMBER_OF(counter_table, struct counter_record, gld_transactions_128B);

    for (const struct field *field = first; field < counter_table.fields + counter_table.count;
         field++) {
        double number;
        memcpy(&number, (const char *)record + field->offset, sizeof number);
        if (field->type == FIELD_NUMBER)
            printf("%-30s %12.2f%s\n", field->name, number,
                   field->flags & FIELD_PER_CENT ? " %" : "");
        else if (field->type == FIELD_COUNT)
            printf("%-30s %12" PRIu64 "\n", field->name, field_number(field, record));
    }
}

int counters_check(const struct rows_request *request, const struct session *session)
{
    const struct engine_kind *engine = session_simulator(&request->engines);
    struct supervisor *supervisor;
    struct counted counted;
    struct test_case test;
    struct outcome outcome;
    char text[OUTCOME_TEXT];
    enum engine_status status;
    int exit_status;

    if (!session_simulates(&request->engines) ||
        !one_case(&request->selection, session->catalogue, &test))
        return EXIT_USAGE;
    interrupt_catch();
    exit_status = session_open(session, engine->id, REQUEST_RUN, &supervisor);
    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    status = count_case(supervisor, &test, &outcome, &counted);
    exit_status = session_ended(session, supervisor, status);
    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    if (outcome.kind == OUTCOME_FAULT) {
        outcome_text(&outcome, text, sizeof text);
        error_report("nothing was counted, because the case ended with a fault: %s", text);
        return EXIT_DIFFERS;
    }
    if (request->by_barrier)
        counted.intervals =
            (struct list){counted.counters.intervals, counted.counters.interval_count};
    exit_status = session_save(session, model_json(&counted_table, &counted)) ? EXIT_CONFORMS
                                                                              : EXIT_ENVIRONMENT;
    print_record(&counted.record);
    if (request->by_barrier)
        print_intervals(&counted.counters);
    return exit_status;
}

/* ---- What the source of a row says ---- */

enum { GRID = 4 }; /* blocks; a matrix has as many in each dimension */

/* Returns a shape with blocks of that many threads, near a square if the kernel takes more than one
 * dimension. All elements of the grid's threads exist. */
static struct shape whole_shape(const struct variant *variant, uint32_t threads)
{
    bool is_matrix = variant->sizes == SIZES_MATRIX;
    uint64_t segment = (uint64_t)threads * variant->elements_per_thread;
    uint32_t y = 1;

    while (variant->block_dimensions > 1 && 4 * y * y <= threads)
        y *= 2;
    return (struct shape){
        .block = {threads / y, y, 1},
        .size = {GRID * segment / (is_matrix ? y : 1), is_matrix ? (uint64_t)GRID * y : 1}};
}

/* Compares the counters of that many blocks. Returns false with the difference in `why` if one is
 * not as the source says. */
static bool compare(const struct cost *cost, uint64_t blocks, const struct interval_counters *all,
                    char *why, size_t size)
{
    const struct access_counters *load = &all->access[0], *store = &all->access[1];
    const struct {
        const char *name;
        uint64_t counted, least, most;
    } counters[] = {
        {"divergent_branches", all->divergent_branches, cost->least_divergent, cost->divergent},
        {"gld_requests", load->requests, 0, cost->access[0].requests},
        {"gst_requests", store->requests, 0, cost->access[1].requests},
        {"gld_transactions_128B", load->lines, 0, cost->access[0].lines},
        {"gst_transactions_128B", store->lines, 0, cost->access[1].lines},
        {"gld_transactions_32B", load->sectors, 0, cost->access[0].sectors},
        {"gst_transactions_32B", store->sectors, 0, cost->access[1].sectors},
        {"reads of %laneid", all->lane_numbers, cost->lane_numbers, UINT64_MAX / blocks},
    };

    for (size_t c = 0; c < sizeof counters / sizeof *counters; c++) {
        uint64_t counted = counters[c].counted, least = counters[c].least * blocks,
                 most = counters[c].most * blocks;
        if (counted < least || counted > most)
            return error_write(why, size,
                               "%s %" PRIu64 ", but according to the source at %s %" PRIu64,
                               counters[c].name, counted, counted < least ? "least" : "most",
                               counted < least ? least : most);
    }
    return true;
}

enum engine_status counters_compare(struct supervisor *supervisor, const struct variant *variant,
                                    struct test_case *test, char *why, size_t size)
{
    enum engine_status status = ENGINE_OK;

    why[0] = '\0';
    for (uint32_t threads = SIMT_WARP_LANES;
         variant->cost != NULL && threads <= SIMT_BLOCK_THREADS && status == ENGINE_OK &&
         why[0] == '\0';
         threads *= 2) {
        struct engine_counters counters;
        struct outcome outcome;
        struct cost cost;
        *test = (struct test_case){
            .variant = variant, .shape = whole_shape(variant, threads), .values = {VALUES_ONES, 0}};
        if (!variant->cost(variant, &test->shape, &cost))
            continue;
        status = supervisor_count(supervisor, test, &outcome, &counters);
        if (status != ENGINE_OK)
            break;
        if (outcome.kind != OUTCOME_FAULT)
            compare(&cost, variant->sizes == SIZES_MATRIX ? GRID * GRID : GRID, &counters.all, why,
                    size);
        else if (variant_violations(variant, &test->shape) == 0)
            error_write(why, size, "its cost cannot be counted: %.160s", outcome.fault.text);
    }
    return status;
}

/* ---- Costs before and after an edit ---- */

enum engine_status case_cost_count(struct supervisor *supervisor, const struct test_case *test,
                                   struct case_cost *cost)
{
    struct engine_counters counters;
    struct outcome outcome;
    enum engine_status status = supervisor_count(supervisor, test, &outcome, &counters);

    *cost = (struct case_cost){.known = status == ENGINE_OK && outcome.kind != OUTCOME_FAULT};
    for (int c = 0; cost->known && c < SIMT_CLASSES; c++)
        cost->instructions += counters.all.instructions[c];
    if (cost->known)
        cost->transactions = counters.all.access[0].sectors + counters.all.access[1].sectors;
    return status;
}

double case_cost_growth(uint64_t before, uint64_t after)
{
    return before == 0 ? (after > 0) * 100.0 : 100.0 * ((double)after / (double)before - 1);
}

double case_cost_excess(const struct allowances *allow, const struct case_cost *before,
                        const struct case_cost *after)
{
    double instructions = case_cost_growth(before->instructions, after->instructions),
           transactions = case_cost_growth(before->transactions, after->transactions);

    if (!before->known || !after->known)
        return before->known ? HUGE_VAL : -HUGE_VAL;
    return fmax(instructions - (double)allow->instructions,
                transactions - (double)allow->transactions);
}
