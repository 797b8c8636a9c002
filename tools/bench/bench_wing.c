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

static const struct field rows_item = FIELD(NULL, LIST, struct named_value, list, OF(throughput)),
                          throughput_member = {.type = FIELD_MAP,
                                               WORDS(engine),
                                               .item = &rows_item,
                                               NULLABLE},
                          benchmark_member = {.type = FIELD_LIST, OF(benchmark_row), NULLABLE};

static const struct part parts[] = {
    {"throughput", &throughput_member, PART_EACH, run_throughput, throughput_rows, NULL},
    {"benchmark", &benchmark_member, PART_GPU, run_benchmark, benchmark_rows, NULL},
    {.name = NULL},
};

/* ---- Files ---- */

static const struct results_kind kinds[] = {
    {"ci/bench", &benchmark_table, false, 0, NULL, NULL, NULL},
    {.name = NULL},
};

const struct wing bench_wing = {
    .parts = parts, .kinds = kinds, .sections = bench_sections, .machine = throughput_machine};
