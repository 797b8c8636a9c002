/* SPDX-License-Identifier: MIT */
#include "complain.h"
#include "interrupt.h"
#include "session.h"
#include "token.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 128, SECTOR_BYTES = 32 };

static double per_cent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* The case that the options name: one kernel, one block, one size. */
static bool one_case(const struct options *options, const struct catalogue *catalogue,
                     struct test_case *test)
{
    const struct selection *selection = &options->selection;
    const struct plan_request *cases = &selection->cases;
    enum form form = selection->forms[FORM_PRINTED] ? FORM_PRINTED : FORM_TOTAL;

    *test = (struct test_case){.values = {VALUES_ONES, 0}, .model = MODEL_LOCKSTEP};
    if (selection->glob_count != 1 || cases->block_count != 1 || cases->size_count != 1)
        return complain("counters takes one --kernel, one --block and one --size");
    test->variant = catalogue_find(catalogue, selection->globs[0], form);
    if (test->variant == NULL)
        return complain("there is no kernel '%s' of that form: see '%s list'", selection->globs[0],
                        program_invocation_short_name);
    test->schedule = cases->schedules[0];
    test->profile = plan_profile(cases, test->variant);
    test->shape.block = cases->blocks[0];
    memcpy(test->shape.size, cases->sizes[0], sizeof test->shape.size);
    if (!variant_takes(test->variant, &test->shape))
        return complain("%s takes blocks of %u and sizes of %u dimensions: give others",
                        test->variant->id, test->variant->block_dimensions,
                        test->variant->size_dimensions);
    return true;
}

struct counter_row {
    const char *name;
    bool is_ratio; /* in per cent */
    uint64_t count;
    double ratio;
};

enum { COUNTER_ROWS = 13 };

static void tabulate(const struct engine_counters *counters, struct counter_row rows[COUNTER_ROWS])
{
    const struct access_counters *load = &counters->access[0], *store = &counters->access[1];
    const struct counter_row all[COUNTER_ROWS] = {
        {"gld_transactions", false, load->lines, 0},
        {"gst_transactions", false, store->lines, 0},
        {"gld_efficiency", true, 0, per_cent(load->bytes, SECTOR_BYTES * load->sectors)},
        {"gst_efficiency", true, 0, per_cent(store->bytes, SECTOR_BYTES * store->sectors)},
        {"gld_line_efficiency", true, 0, per_cent(load->bytes, LINE_BYTES * load->lines)},
        {"gld_requests", false, load->requests, 0},
        {"gst_requests", false, store->requests, 0},
        {"gld_sectors", false, load->sectors, 0},
        {"gst_sectors", false, store->sectors, 0},
        {"gld_bytes", false, load->bytes, 0},
        {"gst_bytes", false, store->bytes, 0},
        {"lane_efficiency", true, 0,
         per_cent(load->lanes + store->lanes,
                  SIMT_WARP_LANES * (load->requests + store->requests))},
        {"barriers", false, counters->barriers, 0},
    };
    memcpy(rows, all, sizeof all);
}

static json_t *rows_json(const struct counter_row rows[COUNTER_ROWS], const struct test_case *test)
{
    const struct extent *block = &test->shape.block;
    json_t *object = json_pack("{s:s, s:s, s:[i, i, i], s:[I, I]}", "id", test->variant->id, "form",
                               form_name(test->variant->form), "block", (int)block->x,
                               (int)block->y, (int)block->z, "size",
                               (json_int_t)test->shape.size[0], (json_int_t)test->shape.size[1]);

    for (int r = 0; r < COUNTER_ROWS; r++) {
        char text[32];
        snprintf(text, sizeof text, "%.2f", rows[r].ratio); /* as the documents print them */
        json_object_set_new(object, rows[r].name,
                            rows[r].is_ratio ? json_real(strtod(text, NULL))
                                             : json_integer((json_int_t)rows[r].count));
    }
    return object;
}

static int counters(const struct options *options, const struct catalogue *catalogue)
{
    struct supervisor *supervisor;
    struct engine_counters counted;
    struct counter_row rows[COUNTER_ROWS];
    struct test_case test;
    struct outcome outcome;
    char text[512];
    enum engine_status status;
    int exit_status;

    if (!one_case(options, catalogue, &test))
        return EXIT_USAGE;
    interrupt_catch();
    exit_status = session_open(options, ENGINE_HOST, REQUEST_RUN, &supervisor);
    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    status = supervisor_count(supervisor, &test, &outcome, &counted, text, sizeof text);
    session_close(supervisor);
    if (status != ENGINE_OK)
        return session_failed(options, ENGINE_HOST, status, text);
    if (outcome.kind == OUTCOME_FAULT) {
        outcome_text(&outcome, text, sizeof text);
        complain("nothing to count, the case ended with a fault: %s", text);
        return EXIT_DIFFERS;
    }
    tabulate(&counted, rows);
    for (int r = 0; r < COUNTER_ROWS; r++) {
        if (rows[r].is_ratio)
            printf("%-20s %12.2f %%\n", rows[r].name, rows[r].ratio);
        else
            printf("%-20s %12" PRIu64 "\n", rows[r].name, rows[r].count);
    }
    if (!session_save(options, rows_json(rows, &test)))
        return EXIT_USAGE;
    return EXIT_CONFORMS;
}

const struct command counters_command = {
    .name = "counters",
    .help = "count what one case costs in global memory, as a profiler does:\n"
            "--kernel K --block B --size N [--form F] [--json FILE]",
    .run = counters,
};
