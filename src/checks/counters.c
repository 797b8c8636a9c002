/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include "checks.h"
#include "complain.h"
#include "interrupt.h"
#include "launch_tree.h"
#include "token.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 128, SECTOR_BYTES = 32 };

static double per_cent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* The case that the selection names: one kernel, one block, one size. */
static bool one_case(const struct selection *selection, const struct catalogue *catalogue,
                     struct test_case *test)
{
    const struct plan_request *cases = &selection->cases;
    enum form form = selection->forms[FORM_PRINTED] ? FORM_PRINTED : FORM_TOTAL;

    *test = (struct test_case){.values = {VALUES_ONES, 0}, .model = MODEL_LOCKSTEP};
    if (selection->glob_count != 1 || cases->block_count != 1 || cases->size_count != 1)
        return complain("counters takes one --kernel, one --block and one --size");
    test->variant = catalogue_find(catalogue, selection->globs[0], form);
    if (test->variant == NULL)
        return complain("there is no kernel '%s' of that form: see '%s list'", selection->globs[0],
                        program_invocation_short_name);
    test->schedule = cases->schedule_count > 0 ? cases->schedules[0]
                                               : (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    test->profile = plan_profile(cases, test->variant);
    test->shape = cases->sizes[0];
    test->shape.block = cases->blocks[0];
    if (!variant_takes(test->variant, &test->shape))
        return complain("%s takes blocks of %u and sizes of %u dimensions: give others",
                        test->variant->id, test->variant->block_dimensions,
                        test->variant->size_dimensions);
    return true;
}

/* What the kind of a transaction is, is in its name: 128-byte lines, as Kepler counts, or 32-byte
 * sectors, as Volta does. */
struct counter_row {
    const char *name;
    enum { COUNT, PER_CENT, MEAN } kind;
    uint64_t count;
    double ratio; /* in per cent, or a mean */
};

enum { COUNTER_ROWS = 18, CODE_ROWS = 7 + SIMT_CLASSES, MOST_ROWS = COUNTER_ROWS + CODE_ROWS };

static void tabulate(const struct engine_counters *counters, struct counter_row rows[COUNTER_ROWS])
{
    const struct access_counters *load = &counters->all.access[0],
                                 *store = &counters->all.access[1];
    const struct counter_row all[COUNTER_ROWS] = {
        {"gld_transactions_128B", COUNT, load->lines, 0},
        {"gst_transactions_128B", COUNT, store->lines, 0},
        {"gld_transactions_32B", COUNT, load->sectors, 0},
        {"gst_transactions_32B", COUNT, store->sectors, 0},
        {"gst_transactions_of_1_sector", COUNT, store->by_size[0], 0},
        {"gst_transactions_of_2_sectors", COUNT, store->by_size[1], 0},
        {"gst_transactions_of_4_sectors", COUNT, store->by_size[2], 0},
        {"gld_efficiency_32B", PER_CENT, 0, per_cent(load->bytes, SECTOR_BYTES * load->sectors)},
        {"gst_efficiency_32B", PER_CENT, 0, per_cent(store->bytes, SECTOR_BYTES * store->sectors)},
        {"gld_efficiency_128B", PER_CENT, 0, per_cent(load->bytes, LINE_BYTES * load->lines)},
        {"gld_requests", COUNT, load->requests, 0},
        {"gst_requests", COUNT, store->requests, 0},
        {"gld_bytes", COUNT, load->bytes, 0},
        {"gst_bytes", COUNT, store->bytes, 0},
        {"lane_efficiency", PER_CENT, 0,
         per_cent(load->lanes + store->lanes,
                  SIMT_WARP_LANES * (load->requests + store->requests))},
        {"barriers", COUNT, counters->all.blocks, 0},
        {"child_grids", COUNT, counters->children, 0},
        {"child_threads", COUNT, counters->child_threads, 0},
    };
    memcpy(rows, all, sizeof all);
}

/* What warps executed, of compiled code. `warps`: that the host has launched. */
static void tabulate_code(const struct engine_counters *counters, uint64_t warps,
                          struct counter_row rows[CODE_ROWS])
{
    static const char *const classes[SIMT_CLASSES] = {
        [SIMT_INTEGER] = "inst_integer",
        [SIMT_FLOAT] = "inst_float",
        [SIMT_LOGIC] = "inst_logic",
        [SIMT_COMPARISON] = "inst_comparison",
        [SIMT_CONVERSION] = "inst_conversion",
        [SIMT_MOVE] = "inst_move",
        [SIMT_PARAMETER] = "inst_parameter",
        [SIMT_LOAD] = "inst_load",
        [SIMT_STORE] = "inst_store",
        [SIMT_ATOMIC] = "inst_atomic",
        [SIMT_SYNCHRONISATION] = "inst_synchronisation",
        [SIMT_CONTROL] = "inst_control",
    };
    const struct interval_counters *all = &counters->all;
    uint64_t executed = 0, lanes = 0;
    int r = 0;

    for (int k = 0; k < SIMT_CLASSES; k++) {
        executed += all->instructions[k];
        lanes += all->lane_instructions[k];
    }
    rows[r++] = (struct counter_row){"inst_executed", COUNT, executed, 0};
    rows[r++] = (struct counter_row){"thread_inst_executed", COUNT, lanes, 0};
    rows[r++] = (struct counter_row){"inst_per_warp", MEAN, 0,
                                     warps > 0 ? (double)executed / (double)warps : 0};
    rows[r++] =
        (struct counter_row){"inst_per_lane", MEAN, 0,
                             warps > 0 ? (double)lanes / (double)(SIMT_WARP_LANES * warps) : 0};
    rows[r++] = (struct counter_row){"warp_execution_efficiency", PER_CENT, 0,
                                     per_cent(lanes, SIMT_WARP_LANES * executed)};
    rows[r++] = (struct counter_row){"branches", COUNT, all->branches, 0};
    rows[r++] = (struct counter_row){"divergent_branches", COUNT, all->divergent_branches, 0};
    for (int k = 0; k < SIMT_CLASSES; k++)
        rows[r++] = (struct counter_row){classes[k], COUNT, all->instructions[k], 0};
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

/* A column of the table by barriers. */
static const struct column {
    const char *name, *heading;
    size_t offset;
} columns[] = {
#define COLUMN(name, heading, member)                                                              \
    {                                                                                              \
        name, heading, offsetof(struct interval_counters, member)                                  \
    }
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
#undef COLUMN
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static uint64_t number_of(const struct interval_counters *interval, const struct column *column)
{
    uint64_t number;

    memcpy(&number, (const char *)interval + column->offset, sizeof number);
    return number;
}

/* Row k is what blocks do after k barriers and before the next; `blocks` pass that. */
static void print_intervals(const struct engine_counters *counters)
{
    printf("\nbarriers");
    for (size_t c = 0; c < COLUMNS; c++)
        printf(" %9s", columns[c].heading);
    putchar('\n');
    for (uint64_t i = 0; i < counters->interval_count; i++) {
        printf("%7" PRIu64 "%c", i, i == MAX_INTERVALS - 1 ? '+' : ' ');
        for (size_t c = 0; c < COLUMNS; c++)
            printf(" %9" PRIu64, number_of(&counters->intervals[i], &columns[c]));
        putchar('\n');
    }
}

static json_t *intervals_json(const struct engine_counters *counters)
{
    json_t *array = json_array();

    for (uint64_t i = 0; i < counters->interval_count; i++) {
        json_t *object = json_object();
        for (size_t c = 0; c < COLUMNS; c++)
            json_object_set_new(
                object, columns[c].name,
                json_integer((json_int_t)number_of(&counters->intervals[i], &columns[c])));
        json_array_append_new(array, object);
    }
    return array;
}

/* What was counted in one case, as a table. */
struct table {
    struct engine_counters counters;
    struct counter_row rows[MOST_ROWS];
    int row_count;
};

/* How many grids of how many blocks and threads there are at each depth, from what the host
 * launches on; null where no grid has launched one. That all came is judged with the result. */
static json_t *launches_json(const struct engine_counters *counters, const struct test_case *test)
{
    struct launch_tree tree;
    json_t *levels = json_array();

    oracle_launch_tree(test->variant, &test->shape, &tree);
    for (uint32_t d = 0; d < tree.depths; d++)
        json_array_append_new(levels, json_pack("{s:I, s:I, s:I}", "grids",
                                                (json_int_t)tree.levels[d].grids, "blocks",
                                                (json_int_t)tree.levels[d].blocks, "threads",
                                                (json_int_t)tree.levels[d].threads));
    if (counters->children > 0 && counters->children == tree.children)
        return levels;
    json_decref(levels);
    return NULL;
}

static json_t *rows_json(const struct table *table, const struct test_case *test)
{
    const struct extent *block = &test->shape.block;
    struct invocation invocation;
    json_t *object, *levels;

    test->variant->invoke(test->variant, &test->shape, &invocation);
    object = json_pack("{s:s, s:s, s:[i, i, i], s:[i, i, i], s:[I, I]}", "id", test->variant->id,
                       "form", form_name(test->variant->form), "grid", (int)invocation.grid.x,
                       (int)invocation.grid.y, (int)invocation.grid.z, "block", (int)block->x,
                       (int)block->y, (int)block->z, "size", (json_int_t)test->shape.size[0],
                       (json_int_t)test->shape.size[1]);
    if (variant_deepest(test->variant) > 0)
        json_object_set_new(object, "max_depth", json_integer(test->shape.depth));
    for (int r = 0; r < table->row_count; r++) {
        const struct counter_row *row = &table->rows[r];
        char text[32];
        snprintf(text, sizeof text, "%.2f", row->ratio); /* as the documents print them */
        json_object_set_new(object, row->name,
                            row->kind != COUNT ? json_real(strtod(text, NULL))
                                               : json_integer((json_int_t)row->count));
    }
    levels = launches_json(&table->counters, test);
    if (levels != NULL)
        json_object_set_new(object, "launches", levels);
    return object;
}

/* Counts; there is a table where the case does not end in a fault. Statuses as for
 * supervisor_count().
 */
static enum engine_status count_case(struct supervisor *supervisor,
                                     const struct engine_kind *engine, const struct test_case *test,
                                     struct outcome *outcome, struct table *table)
{
    enum engine_status status = supervisor_count(supervisor, test, outcome, &table->counters);

    table->row_count = 0;
    if (status != ENGINE_OK || outcome->kind == OUTCOME_FAULT)
        return status;
    tabulate(&table->counters, table->rows);
    table->row_count = COUNTER_ROWS;
    if (engine->is_compiled) {
        tabulate_code(&table->counters, warps_of(test), table->rows + COUNTER_ROWS);
        table->row_count = MOST_ROWS;
    }
    return status;
}

enum engine_status counters_report(struct supervisor *supervisor, const struct engine_kind *engine,
                                   const struct test_case *test, struct outcome *outcome,
                                   json_t **report)
{
    struct table table;
    enum engine_status status = count_case(supervisor, engine, test, outcome, &table);

    *report = table.row_count > 0 ? rows_json(&table, test) : NULL;
    return status;
}

static void print_rows(const struct table *table)
{
    for (int r = 0; r < table->row_count; r++) {
        const struct counter_row *row = &table->rows[r];
        if (row->kind != COUNT)
            printf("%-30s %12.2f%s\n", row->name, row->ratio, row->kind == PER_CENT ? " %" : "");
        else
            printf("%-30s %12" PRIu64 "\n", row->name, row->count);
    }
}

int counters_check(const struct counters_request *request, struct session *session)
{
    const struct engine_kind *engine = session_simulator(&request->engines);
    struct supervisor *supervisor;
    struct table table;
    struct test_case test;
    struct outcome outcome;
    json_t *report;
    char text[512];
    enum engine_status status;
    int exit_status;

    if (engine == NULL || !one_case(&request->selection, session->catalogue, &test))
        return EXIT_USAGE;
    interrupt_catch();
    exit_status = session_open(session, engine->id, REQUEST_RUN, &supervisor);
    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    status = count_case(supervisor, engine, &test, &outcome, &table);
    exit_status = session_ended(session, supervisor, status);
    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    if (outcome.kind == OUTCOME_FAULT) {
        outcome_text(&outcome, text, sizeof text);
        complain("nothing to count, the case ended with a fault: %s", text);
        return EXIT_DIFFERS;
    }
    report = rows_json(&table, &test);
    if (request->by_barrier)
        json_object_set_new(report, "intervals", intervals_json(&table.counters));
    exit_status = session_save(session, report) ? EXIT_CONFORMS : EXIT_USAGE;
    print_rows(&table);
    if (request->by_barrier)
        print_intervals(&table.counters);
    return exit_status;
}
