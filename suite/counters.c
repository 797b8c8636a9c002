/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include "run.h"
#include "supervisor.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 128, SECTOR_BYTES = 32, LANES = 32 };

static double per_cent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* The case that the options name: one kernel, one block, one size. */
static bool one_case(const struct options *options, const struct catalogue *catalogue,
                     struct test_case *test)
{
    enum form form = options->forms[FORM_PRINTED] ? FORM_PRINTED : FORM_TOTAL;

    *test = (struct test_case){.values = {VALUES_ONES, 0}, .model = MODEL_LOCKSTEP};
    if (options->glob_count != 1 || options->block_count != 1 || options->size_count != 1) {
        fprintf(stderr, "%s: counters takes one --kernel, one --block and one --size\n",
                program_invocation_short_name);
        return false;
    }
    test->variant = catalogue_find(catalogue, options->globs[0], form);
    if (test->variant == NULL) {
        fprintf(stderr, "%s: there is no kernel '%s' of that form: see '%s list'\n",
                program_invocation_short_name, options->globs[0], program_invocation_short_name);
        return false;
    }
    test->schedule = options->schedules[0];
    test->shape.block = options->blocks[0];
    memcpy(test->shape.size, options->sizes[0], sizeof test->shape.size);
    if (!variant_takes(test->variant, &test->shape)) {
        fprintf(stderr, "%s: %s takes blocks of %u and sizes of %u dimensions: give others\n",
                program_invocation_short_name, test->variant->id, test->variant->block_dimensions,
                test->variant->size_dimensions);
        return false;
    }
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
         per_cent(load->lanes + store->lanes, LANES * (load->requests + store->requests))},
        {"barriers", false, counters->barriers, 0},
    };
    memcpy(rows, all, sizeof all);
}

static bool write_json(const struct counter_row rows[COUNTER_ROWS], const struct test_case *test,
                       const char *path)
{
    const struct extent *block = &test->shape.block;
    json_t *object = json_pack("{s:s, s:s, s:[i, i, i], s:[I, I]}", "id", test->variant->id, "form",
                               form_name(test->variant->form), "block", (int)block->x,
                               (int)block->y, (int)block->z, "size",
                               (json_int_t)test->shape.size[0], (json_int_t)test->shape.size[1]);
    bool good;

    for (int r = 0; r < COUNTER_ROWS; r++) {
        char text[32];
        snprintf(text, sizeof text, "%.2f", rows[r].ratio); /* as the documents print them */
        json_object_set_new(object, rows[r].name,
                            rows[r].is_ratio ? json_real(strtod(text, NULL))
                                             : json_integer((json_int_t)rows[r].count));
    }
    good = json_dump_file(object, path, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0;
    json_decref(object);
    if (!good)
        fprintf(stderr, "%s: cannot write '%s': name a file in a folder that can be written\n",
                program_invocation_short_name, path);
    return good;
}

int counters_command(const struct options *options, const struct catalogue *catalogue)
{
    struct supervisor_options supervised = {.engine = "host", .jobs = 1, .limits = options->limits};
    struct supervisor *supervisor;
    struct engine_counters counters;
    struct counter_row rows[COUNTER_ROWS];
    struct test_case test;
    struct outcome outcome;
    char text[512];
    enum engine_status status;

    if (!one_case(options, catalogue, &test))
        return EXIT_USAGE;
    status = supervisor_open(&supervised, &supervisor, text, sizeof text);
    if (status == ENGINE_OK) {
        status = supervisor_count(supervisor, &test, &outcome, &counters, text, sizeof text);
        supervisor_close(supervisor);
    }
    if (status != ENGINE_OK) {
        fprintf(stderr, "%s: engine host: %s\n", program_invocation_short_name, text);
        return status == ENGINE_UNAVAILABLE ? EXIT_UNAVAILABLE : EXIT_ENVIRONMENT;
    }
    if (outcome.kind == OUTCOME_FAULT) {
        outcome_text(&outcome, text, sizeof text);
        fprintf(stderr, "%s: nothing to count, the case ended with a fault: %s\n",
                program_invocation_short_name, text);
        return EXIT_DIFFERS;
    }
    tabulate(&counters, rows);
    for (int r = 0; r < COUNTER_ROWS; r++) {
        if (rows[r].is_ratio)
            printf("%-20s %12.2f %%\n", rows[r].name, rows[r].ratio);
        else
            printf("%-20s %12" PRIu64 "\n", rows[r].name, rows[r].count);
    }
    if (options->json != NULL && !write_json(rows, &test, options->json))
        return EXIT_USAGE;
    return fflush(stdout) == 0 ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
}
