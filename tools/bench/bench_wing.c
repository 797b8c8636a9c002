/* SPDX-License-Identifier: MIT
 *
 * How measurements of speed plug in.
 */
#include "bench_wing.h"

#include "benchmark.h"
#include "kinds.h"
#include "part.h"
#include "record_speed.h"
#include "snapshot.h"
#include "throughput.h"
#include "wing.h"

#include <string.h>

/* ---- The parts of a snapshot ---- */

static int run_throughput(const struct snapshot_request *request, const struct engine_list *engines,
                          const struct engine_kind *engine, const struct session *session)
{
    (void)engines;
    return throughput_measure(&request->selection, engine, session);
}

static int run_benchmark(const struct snapshot_request *request, const struct engine_list *engines,
                         const struct engine_kind *engine, const struct session *session)
{
    json_t *rows = NULL;
    int status = benchmark_measure(&request->selection, session->catalogue, &rows);

    (void)engines, (void)engine;
    return rows != NULL && !session_save(session, rows) ? EXIT_ENVIRONMENT : status;
}

static const struct part_rows throughput_rows[] = {
    {"throughput", "throughput", .table = &throughput_table, .judge = judge_throughput},
    {.name = NULL},
};

static const struct part_rows benchmark_rows[] = {
    {"benchmark", "benchmark", .table = &benchmark_row_table, .judge = judge_benchmark},
    {.name = NULL},
};

static const struct field rows_item = FIELD(NULL, LIST, struct engine_rows, rows, OF(throughput)),
                          throughput_member = {.type = FIELD_MAP,
                                               WORDS(engine),
                                               .item = &rows_item,
                                               .item_size = sizeof(struct engine_rows),
                                               NULLABLE},
                          benchmark_member = {.type = FIELD_LIST, OF(benchmark_row), NULLABLE};

static const struct part parts[] = {
    {"throughput", &throughput_member, PART_EACH, run_throughput, throughput_rows, NULL, NULL,
     NULL},
    {"benchmark", &benchmark_member, PART_GPU, run_benchmark, benchmark_rows, NULL, NULL, NULL},
    {.name = NULL},
};

static struct list machine(const json_t *old_snapshot, const json_t *new_snapshot,
                           struct memory *memory)
{
    return throughput_machine(json_object_get(old_snapshot, parts->name),
                              json_object_get(new_snapshot, parts->name), memory);
}

/* ---- Files ---- */

/* Notes what was not measured, because its sum is wrong or the GPU is too small. */
static bool show(struct page *page, const char *path, const json_t *document, const void *record)
{
    const struct benchmark_record *benchmark = record;
    const struct left_out_record *left_out = benchmark->left_out.items;

    if (benchmark->benchmark.count == 0)
        page_note(page->lacks, "%s: any row of the benchmark", path);
    for (size_t r = 0; r < benchmark->left_out.count; r++) {
        bool all = strcmp(left_out[r].kernel, "all") == 0;
        page_note(all ? page->lacks : page->wrongs, "%s: the benchmark at %llu elements, %s: %s",
                  path, (unsigned long long)left_out[r].elements, left_out[r].kernel,
                  left_out[r].reason);
    }
    page_add_rows(
        page, "benchmark",
        model_member(MEMBER_OF(benchmark_table, struct benchmark_record, benchmark), document));
    return true;
}

static const struct results_kind kinds[] = {
    {"ci/bench", &benchmark_table, false, NULL, NULL, show, NULL, NULL, NULL},
    {.name = NULL},
};

/* ---- The page ---- */

static void take(struct page *page, const json_t *snapshot, const char *path)
{
    (void)path;
    page_add_part(page, "benchmark", benchmark_rows, snapshot);
}

static const struct page_section sections[] = {
    {"benchmark", "Benchmark", page_benchmark, NULL, take},
    {.id = NULL},
};

const struct wing bench_wing = {
    .parts = parts, .kinds = kinds, .sections = sections, .machine = machine};
