/* SPDX-License-Identifier: MIT */
#include "throughput.h"

#include "case_id.h"
#include "clock.h"
#include "error_report.h"
#include "interrupt.h"
#include "json_model.h"
#include "record_speed.h"
#include "snapshot.h"

#include <sched.h>
#include <stdlib.h>

enum {
    ROUNDS = 9,
    REPEATS = 3,       /* samples of a row per round */
    MAX_COPIES = 4096, /* copies of a case per sample */
    PACE_STEPS = 1 << 18,
};

#define SAMPLE_SECONDS 0.01
#define LONG_SECONDS 0.2 /* a case this long gives one sample per round */

/* ---- Samples ---- */

/* A variant that is timed. */
struct timed {
    struct test_case test;
    uint64_t copies; /* copies of the case per sample; 0: not known yet */
    bool fails;
    size_t count; /* number of its samples */
    double samples[ROUNDS * REPEATS], paces[ROUNDS * REPEATS];
};

struct timing {
    const struct selection *selection;
    const struct session *session;
    const struct engine_kind *engine;
    struct supervisor *supervisor;
    struct timed *rows;
    size_t row_count;
    struct test_case *cases; /* MAX_COPIES of them */
    struct outcome *outcomes;
    enum engine_status status;
};

/* Returns the processor time that this program has used, in seconds. */
static double own_seconds(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* Returns the steps per second of a fixed piece of work. Its independent chains of arithmetic,
 * loads, stores and unpredictable branches resemble an engine. What shares the core with this
 * program thus slows both alike. */
static double pace_now(void)
{
    enum { CHAINS = 4, CELLS = 1 << 12 };
    static uint32_t cells[CHAINS][CELLS];
    static volatile uint32_t sum; /* keeps the compiler from removing the work */
    uint32_t x[CHAINS] = {1, 2, 3, 4};
    double start = own_seconds();

    for (int k = 0; k < PACE_STEPS; k++)
        for (int c = 0; c < CHAINS; c++) {
            uint32_t *cell = &cells[c][x[c] >> 20];
            x[c] = x[c] * 1664525 + 1013904223;
            *cell += (uint32_t)k;
            if ((x[c] >> 24) < 16)
                x[c] ^= *cell;
        }
    for (int c = 0; c < CHAINS; c++)
        sum = sum + x[c];
    return PACE_STEPS / (own_seconds() - start);
}

/* Returns the clock for the engine's work, in seconds. On a CPU it is the worker's processor time,
 * because other processes may use the processor in between. */
static double time_now(const struct timing *timing)
{
    return timing->engine->simulates ? supervisor_worker_seconds(timing->supervisor)
                                     : clock_seconds();
}

/* Returns the seconds that `copies` copies of the row's case take, or 0 if it fails or the run
 * ends. */
static double time_copies(struct timing *timing, struct timed *row, uint64_t copies)
{
    double start, end;

    for (uint64_t k = 0; k < copies; k++)
        timing->cases[k] = row->test;
    start = time_now(timing);
    timing->status =
        supervisor_run_array(timing->supervisor, timing->cases, copies, timing->outcomes);
    end = time_now(timing);
    for (uint64_t k = 0; timing->status == ENGINE_OK && k < copies; k++)
        row->fails = row->fails || timing->outcomes[k].kind != OUTCOME_PASS;
    return timing->status == ENGINE_OK && !row->fails ? end - start : 0;
}

/* Returns the shortest of several such times. */
static double shortest_time(struct timing *timing, struct timed *row, uint64_t copies)
{
    double shortest = time_copies(timing, row, copies);

    for (int k = 1; k < REPEATS && shortest > 0 && shortest < LONG_SECONDS; k++) {
        double seconds = time_copies(timing, row, copies);
        if (seconds < shortest)
            shortest = seconds;
    }
    return shortest;
}

/* Finds how many copies take long enough, whatever load the machine has. */
static void calibrate(struct timing *timing, struct timed *row)
{
    double seconds = shortest_time(timing, row, 1);

    for (row->copies = 1; seconds > 0 && seconds < SAMPLE_SECONDS && row->copies < MAX_COPIES;) {
        row->copies *= 2;
        seconds = shortest_time(timing, row, row->copies);
    }
}

/* Takes the round's samples of a row. The first run is not counted: the worker is new, and it opens
 * its engines only when there is enough work for them. */
static void take_samples(struct timing *timing, struct timed *row)
{
    int repeats = REPEATS;
    double first;

    if (row->copies == 0)
        calibrate(timing, row);
    first = timing->status == ENGINE_OK && !row->fails ? time_copies(timing, row, row->copies) : 0;
    if (first > LONG_SECONDS)
        repeats = 1;
    for (int k = 0; k < repeats && first > 0; k++) {
        double before = pace_now(), seconds = time_copies(timing, row, row->copies);
        if (seconds <= 0)
            return;
        row->paces[row->count] = (before + pace_now()) / 2;
        row->samples[row->count++] = (double)row->copies / seconds;
    }
}

/* ---- Rows ---- */

static bool add_rows(struct timing *timing, const struct catalogue *catalogue)
{
    timing->rows = calloc(catalogue->count + 1, sizeof *timing->rows);
    timing->cases = calloc(MAX_COPIES, sizeof *timing->cases);
    timing->outcomes = calloc(MAX_COPIES, sizeof *timing->outcomes);
    if (timing->rows == NULL || timing->cases == NULL || timing->outcomes == NULL)
        return error_report("out of memory");
    for (size_t v = 0; v < catalogue->count; v++) {
        struct timed *row = &timing->rows[timing->row_count];
        if (selection_has(timing->selection, &catalogue->variants[v]) &&
            snapshot_case(timing->selection, &catalogue->variants[v], timing->engine->simulates,
                          &row->test))
            timing->row_count++;
    }
    return true;
}

static struct throughput_record
throughput_record(struct timed *row, const struct engine_kind *engine, const char *case_id)
{
    return (struct throughput_record){.id = row->test.variant->id,
                                      .kind = row->test.variant->kind,
                                      .engine = engine->id,
                                      .case_id = case_id,
                                      .copies = row->copies,
                                      .samples = {row->samples, row->count},
                                      .pace = {row->paces, row->count}};
}

static json_t *rows_json(const struct timing *timing)
{
    json_t *rows = json_array();

    for (size_t r = 0; r < timing->row_count; r++) {
        struct throughput_record record;
        char case_id[CASE_ID_SIZE];
        if (timing->rows[r].fails || timing->rows[r].count == 0)
            continue;
        case_id_format(&timing->rows[r].test, timing->engine, case_id);
        record = throughput_record(&timing->rows[r], timing->engine, case_id);
        json_array_append_new(rows, model_json(&throughput_table, &record));
    }
    return rows;
}

/* Pins this program and the workers that it starts to the current processor. Its own pace is then
 * that of a worker as well. `before` gets the previous affinity. Returns false if pinning fails. */
static bool stay_here(cpu_set_t *before)
{
    int here = sched_getcpu();
    cpu_set_t one;

    CPU_ZERO(&one);
    if (here < 0 || sched_getaffinity(0, sizeof *before, before) != 0)
        return false;
    CPU_SET((size_t)here, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

/* Takes samples of each row with a new worker. Returns an exit status. */
static int run_round(struct timing *timing)
{
    struct session alone = *timing->session;
    cpu_set_t processors;
    bool stays = timing->engine->simulates && stay_here(&processors);
    int status;

    alone.jobs = 1;
    status = session_open(&alone, timing->engine->id, REQUEST_RUN, &timing->supervisor);
    for (size_t r = 0; status == EXIT_CONFORMS && r < timing->row_count &&
                       timing->status == ENGINE_OK && !interrupt_came();
         r++) {
        struct timed *row = &timing->rows[r];
        if (supervisor_lacks(timing->supervisor, row->test.variant->need) != NULL)
            row->fails = true;
        if (!row->fails)
            take_samples(timing, row);
    }
    if (status == EXIT_CONFORMS && timing->status != ENGINE_STOPPED)
        status = session_ended(timing->session, timing->supervisor, timing->status);
    else
        session_close(timing->session, timing->supervisor);
    if (stays)
        sched_setaffinity(0, sizeof processors, &processors);
    return interrupt_came() || timing->status == ENGINE_STOPPED ? EXIT_ENVIRONMENT : status;
}

int throughput_measure(const struct selection *selection, const struct engine_kind *engine,
                       const struct session *session)
{
    struct timing timing = {.selection = selection, .session = session, .engine = engine};
    int status = EXIT_ENVIRONMENT;

    if (add_rows(&timing, session->catalogue)) {
        status = EXIT_CONFORMS;
        for (int round = 0; round < ROUNDS && status == EXIT_CONFORMS; round++) {
            status = run_round(&timing);
            if (status == EXIT_CONFORMS && !session_save(session, rows_json(&timing)))
                status = EXIT_ENVIRONMENT;
        }
    }
    free(timing.rows);
    free(timing.cases);
    free(timing.outcomes);
    return status;
}
