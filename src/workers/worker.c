/* SPDX-License-Identifier: MIT */
#include "worker.h"

#include "changed_launches.h"
#include "checker.h"
#include "clock.h"
#include "guard.h"
#include "launch_catalogue.h"
#include "launch_text.h"
#include "program_catalogue.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A worker answers a longer request in part, and the supervisor asks again for the rest. So the
 * supervisor learns early of slow cases and can stop soon. */
static const double PATIENCE_SECONDS = 0.5;

/* The simulator looks at the deadline only now and then. */
static const double LATE_SECONDS = 3;

struct worker {
    struct checker **checkers; /* one for each thread */
    unsigned int open, most;   /* open checkers, and their maximum */
    const struct engine_limits *limits;
    size_t batch;
    FILE *answers;
    struct test_case *cases;
    struct outcome *outcomes;
    size_t capacity;
    const char *barriers; /* of the last outcome that was reported for the request */
    enum request request; /* the current request */
    uint64_t number;      /* its number, which the answer repeats */
    const struct catalogue *own, *catalogue; /* the program's own catalogue; the one in use */
    struct program_catalogue programs;       /* made from a file of programs */
    struct launch_catalogue launches;        /* made from a file of launches */
    struct changed_launches changed;         /* made from a file of changes to launches */
    struct reported_kernel {                 /* a kernel whose points were reported */
        uint32_t kernel;
        size_t count;
        uint64_t *reached; /* by point: the last request that reported it */
    } * reported;
    size_t reported_count;
};

/* The part of a request that one thread runs. */
struct share {
    struct checker *checker;
    const struct test_case *cases;
    struct outcome *outcomes;
    size_t count;
    bool digested;
    enum engine_status status;
};

static void *run_share(void *argument)
{
    struct share *share = argument;
    share->status =
        checker_run(share->checker, share->cases, share->count, share->digested, share->outcomes);
    return NULL;
}

/* Returns the number of threads: one for each whole batch, at least one. Each engine costs a GPU
 * time and memory, and other processes wait for it meanwhile. If more engines cannot be opened, or
 * not soon, the open ones run the request: it has a deadline. */
static unsigned int threads_for(struct worker *worker, size_t count)
{
    size_t batches = count / worker->batch;
    double start = clock_seconds();
    char reason[256];

    while (worker->open < worker->most && worker->open < batches &&
           clock_seconds() - start < PATIENCE_SECONDS) {
        if (checker_open(worker->limits, &worker->checkers[worker->open], reason, sizeof reason) !=
            ENGINE_OK)
            worker->most = worker->open;
        else
            worker->open++;
    }
    return batches < 1 ? 1 : batches < worker->open ? (unsigned int)batches : worker->open;
}

/* Runs cases[0..count) on all threads. If the result is not ENGINE_OK, outcomes[0].fault says
 * why. */
static enum engine_status run_shares(struct worker *worker, const struct test_case *cases,
                                     size_t count, struct outcome *outcomes)
{
    enum { MAX_SHARES = 16 };
    struct share shares[MAX_SHARES];
    pthread_t threads[MAX_SHARES];
    unsigned int used = threads_for(worker, count), started = 1;
    enum engine_status status;
    size_t first = 0;

    for (unsigned int t = 0; t < used; t++) {
        size_t share = (count - first) / (used - t);
        shares[t] = (struct share){
            .checker = worker->checkers[t],
            .cases = cases + first,
            .outcomes = outcomes + first,
            .count = share,
            .digested = worker->request == REQUEST_DIGEST,
        };
        first += share;
    }
    while (started < used &&
           pthread_create(&threads[started], NULL, run_share, &shares[started]) == 0)
        started++;
    run_share(&shares[0]);
    for (unsigned int t = 1; t < started; t++)
        pthread_join(threads[t], NULL);
    for (unsigned int t = started; t < used; t++)
        run_share(&shares[t]);
    status = shares[0].status;
    for (unsigned int t = 1; t < used && status == ENGINE_OK; t++) {
        status = shares[t].status;
        if (status != ENGINE_OK)
            outcomes[0] = shares[t].outcomes[0];
    }
    return status;
}

/* Runs the case of a "count" request and writes its counters. */
static enum engine_status count_case(struct worker *worker)
{
    struct engine_counters counters;
    enum engine_status status =
        checker_count(worker->checkers[0], &worker->cases[0], &worker->outcomes[0], &counters);
    if (status == ENGINE_OK)
        wire_write_counters(worker->answers, &counters);
    return status;
}

/* Runs the cases of a "race" request and writes the races of a lone case. */
static enum engine_status race_cases(struct worker *worker, size_t first, size_t count, bool alone)
{
    static struct race races[MAX_RACES_REPORTED];
    enum engine_status status = ENGINE_OK;

    for (size_t i = first; i < first + count && status == ENGINE_OK; i++) {
        status = checker_race(worker->checkers[0], &worker->cases[i], &worker->outcomes[i], races,
                              MAX_RACES_REPORTED);
        for (size_t r = 0; alone && r < worker->outcomes[i].races + worker->outcomes[i].unordered &&
                           r < MAX_RACES_REPORTED;
             r++)
            wire_write_race(worker->answers, &races[r]);
    }
    return status;
}

/* Explains the case of an "explain" request. */
static enum engine_status explain_case(struct worker *worker)
{
    static struct explanation explanation;
    enum engine_status status =
        checker_explain(worker->checkers[0], &worker->cases[0], &explanation);

    worker->outcomes[0] = explanation.outcome;
    for (size_t r = 0; status == ENGINE_OK && r < explanation.race_count; r++)
        wire_write_race(worker->answers, &explanation.races[r]);
    for (size_t d = 0; status == ENGINE_OK && d < explanation.difference_count; d++)
        wire_write_difference(worker->answers, &explanation.differences[d]);
    return status;
}

static enum engine_status run_cases(struct worker *worker, size_t first, size_t count, bool alone)
{
    switch (worker->request) {
    case REQUEST_COUNT:
        return count_case(worker);
    case REQUEST_RACE:
        return race_cases(worker, first, count, alone);
    case REQUEST_EXPLAIN:
        return explain_case(worker);
    case REQUEST_COMPARE:
        if (!alone)
            return checker_compare(worker->checkers[0], worker->cases, worker->outcomes);
        return run_shares(worker, worker->cases, 1, worker->outcomes);
    default:
        return run_shares(worker, worker->cases + first, count, worker->outcomes + first);
    }
}

/* A case that printed unasked has failed. Among several cases, the one that printed is unknown. */
static enum engine_status check_output(const struct worker *worker, struct outcome *outcomes,
                                       size_t count)
{
    char text[64];
    const struct launch_text *launch = worker->cases[0].variant->launch;
    size_t printed = output_take(text, sizeof text);
    struct fault *fault = &outcomes[0].fault;

    for (uint32_t k = 0; printed > 0 && launch != NULL && k < launch->allowed.count; k++)
        if (launch->allowed.all[k].what == ALLOWED_PRINTS) /* a GPU does not tell the line */
            outcomes[0].excused |= UINT64_C(1) << k;
    if (printed == 0 || launch != NULL)
        return ENGINE_OK;
    text[strcspn(text, "\n")] = '\0';
    outcomes[0].kind = OUTCOME_FAULT;
    fault_set(fault, FAULT_UNEXPECTED_OUTPUT,
              "prints %zu bytes that begin with '%s', but the case expects no output", printed,
              text);
    return count == 1 ? ENGINE_OK : ENGINE_LOST;
}

/* Returns true if the outcome must be reported. A case that is not reported has passed. */
static bool must_report(const struct worker *worker, const struct outcome *outcome)
{
    return worker->request == REQUEST_DIGEST || outcome->kind != OUTCOME_PASS ||
           worker->request == REQUEST_RACE || outcome->excused != 0 ||
           outcome->inexact[0] != '\0' || outcome->clock[0] != '\0' ||
           (outcome->barriers[0] != '\0' && strcmp(outcome->barriers, worker->barriers) != 0);
}

/* ---- Coverage ---- */

static void forget_reported(struct worker *worker)
{
    for (size_t k = 0; k < worker->reported_count; k++)
        free(worker->reported[k].reached);
    free(worker->reported);
    worker->reported = NULL;
    worker->reported_count = 0;
}

/* Returns the kernel and reports its points if they are not reported yet. Returns null when memory
 * runs out. */
static struct reported_kernel *report_kernel(struct worker *worker,
                                             const struct kernel_coverage *coverage)
{
    struct reported_kernel *reported = NULL;

    for (size_t k = 0; k < worker->reported_count; k++)
        if (worker->reported[k].kernel == coverage->kernel)
            return &worker->reported[k];
    reported = realloc(worker->reported, (worker->reported_count + 1) * sizeof *reported);
    if (reported == NULL)
        return NULL;
    worker->reported = reported;
    reported += worker->reported_count;
    *reported = (struct reported_kernel){coverage->kernel, coverage->count,
                                         calloc(coverage->count + 1, sizeof *reported->reached)};
    if (reported->reached == NULL)
        return NULL;
    worker->reported_count++;
    for (size_t p = 0; p < coverage->count; p++)
        wire_write_point(worker->answers, coverage->kernel, p, &coverage->points[p]);
    return reported;
}

/* Reports the points that case `index` is the first of the request to reach. So the coverage of the
 * first cases does not depend on which worker ran them. Returns false when memory runs out. */
static bool report_coverage(struct worker *worker, size_t index)
{
    const struct kernel_coverage *coverage;
    size_t count = checker_coverage(worker->checkers[0], &coverage);

    for (size_t k = 0; k < count; k++) {
        struct reported_kernel *reported = report_kernel(worker, &coverage[k]);
        struct reached run = {.index = (uint32_t)index};
        if (reported == NULL)
            return false;
        run.kernel = reported->kernel;
        for (size_t p = 0; p <= reported->count; p++) {
            bool is_new = p < reported->count && coverage[k].reached[p] &&
                          reported->reached[p] != worker->number;
            if (is_new && run.count++ == 0)
                run.first = (uint32_t)p;
            if (is_new)
                reported->reached[p] = worker->number;
            else if (run.count > 0)
                wire_write_reached(worker->answers, &run);
            run.count = is_new ? run.count : 0;
        }
    }
    return true;
}

/* Runs a request and answers it. Returns false when the worker must end. */
static bool run_request(struct worker *worker, size_t count)
{
    size_t step = worker->request == REQUEST_COMPARE ? count : worker->batch * worker->most;
    size_t done = 0;
    enum engine_status status = ENGINE_OK;
    double start = clock_seconds();

    do {
        size_t some = count - done < step ? count - done : step;
        status = run_cases(worker, done, some, count == 1);
        if (status == ENGINE_OK)
            status = check_output(worker, worker->outcomes + done, some);
        if (status != ENGINE_OK)
            worker->outcomes[0] = worker->outcomes[done];
        else if (!report_coverage(worker, done))
            status = ENGINE_ERROR;
        done += some;
    } while (done < count && status == ENGINE_OK && clock_seconds() - start < PATIENCE_SECONDS);
    if (status == ENGINE_ERROR || (status == ENGINE_LOST && count > 1)) {
        fprintf(worker->answers, "%s\t%s\n", status == ENGINE_ERROR ? "error" : "lost",
                worker->outcomes[0].fault.text);
    } else {
        worker->barriers = "";
        for (size_t i = 0; i < done; i++)
            if (must_report(worker, &worker->outcomes[i])) {
                wire_write_outcome(worker->answers, i, &worker->outcomes[i]);
                worker->barriers = worker->outcomes[i].barriers;
            }
        fprintf(worker->answers, "%s\t%zu\t%" PRIu64 "\n", status == ENGINE_OK ? "done" : "end",
                done, worker->number);
    }
    fflush(worker->answers);
    return status == ENGINE_OK;
}

static bool grow(struct worker *worker, size_t count)
{
    struct test_case *cases;
    struct outcome *outcomes;

    if (count <= worker->capacity)
        return true;
    cases = realloc(worker->cases, count * sizeof *cases);
    if (cases != NULL)
        worker->cases = cases;
    outcomes = realloc(worker->outcomes, count * sizeof *outcomes);
    if (outcomes != NULL)
        worker->outcomes = outcomes;
    if (cases == NULL || outcomes == NULL)
        return false;
    worker->capacity = count;
    return true;
}

enum { CASES_TAG = 32 }; /* room for the tag of a file of cases */

/* Loads the oracle of a launch, if it has one. Returns false with `reason` on error. */
static bool load_oracle(struct launch_row *row, char *reason, size_t size)
{
    bool good;

    if (row->launch.reference.kind != REFERENCE_ORACLE)
        return true;
    guard_announce("the oracle, while it is loaded");
    good = reference_load(&row->launch.reference, &row->variant, reason, size);
    guard_announce("");
    return good;
}

/* Opens a file of cases, and reads the tag in its first line. Returns null with `reason` on
 * error. */
static FILE *open_cases(const char *path, char tag[CASES_TAG], char *reason, size_t size)
{
    FILE *from = fopen(path, "rb");

    if (from == NULL)
        snprintf(reason, size, "cannot read %s: %s", path, strerror(errno));
    else if (fgets(tag, CASES_TAG, from) == NULL)
        tag[0] = '\0';
    if (from != NULL)
        rewind(from);
    return from;
}

/* Switches to the catalogue of a file of programs, of launches, or of changes to the program's own,
 * as the file's tag says. With path "", switches to the program's own. Returns false with `reason`
 * on error. */
static bool use_catalogue(struct worker *worker, const char *path, char *reason, size_t size)
{
    struct program_catalogue programs = {.programs = NULL};
    struct launch_catalogue launches = {.row = NULL};
    struct changed_launches changed = {.rows = NULL};
    const struct catalogue *catalogue = worker->own;
    char tag[CASES_TAG];
    FILE *from = NULL;
    bool good = true;

    snprintf(reason, size, "%s: the file of cases is malformed", path);
    if (path[0] == '\0') {
        good = true;
    } else if ((from = open_cases(path, tag, reason, size)) == NULL) {
        good = false;
    } else if (strcmp(tag, LAUNCH_TAG) == 0) {
        good = launch_catalogue_read(from, &launches, reason, size) &&
               load_oracle(launches.row, reason, size);
        catalogue = &worker->launches.catalogue;
    } else if (strcmp(tag, CHANGES_TAG) == 0) {
        good = changed_launches_read(from, worker->own, &changed);
        catalogue = &worker->changed.catalogue;
    } else if (strcmp(tag, PROGRAMS_TAG) == 0) {
        good = program_catalogue_read(path, &programs, reason, size);
        catalogue = &worker->programs.catalogue;
    } else {
        good = false;
    }
    if (good)
        worker->catalogue = catalogue;
    if (from != NULL)
        fclose(from);
    program_catalogue_free(&worker->programs);
    launch_catalogue_free(&worker->launches);
    changed_launches_free(&worker->changed);
    worker->programs = programs;
    worker->launches = launches;
    worker->changed = changed;
    return good;
}

/* Handles "use CODE PROGRAMS": loads the kernels and the catalogue. */
static bool use_code(struct worker *worker, char *fields)
{
    char reason[1024];
    const char *code = strsep(&fields, "\t");

    forget_reported(worker);
    if (fields == NULL) {
        snprintf(reason, sizeof reason, "malformed request: 'use' has no catalogue");
    } else if (engine_load(code, reason, sizeof reason) &&
               use_catalogue(worker, fields, reason, sizeof reason)) {
        return true;
    }
    fprintf(worker->answers, "error\t%s\n", reason);
    return false;
}

/* Reads one request. Returns false at the end of the input or on an invalid request. */
static bool read_request(struct worker *worker, size_t *count)
{
    char line[2 * WORKER_LINE], name[16];
    int request = 0;

    if (fgets(line, sizeof line, stdin) == NULL)
        return false;
    if (strncmp(line, "use\t", 4) == 0) {
        line[strcspn(line, "\n")] = '\0';
        if (!use_code(worker, line + 4) || fgets(line, sizeof line, stdin) == NULL)
            return false;
    }
    if (sscanf(line, "%15s %zu %" SCNu64, name, count, &worker->number) != 3)
        *count = 0;
    while (*count > 0 && request < REQUESTS && strcmp(name, request_names[request]) != 0)
        request++;
    worker->request = (enum request)request;
    if (*count == 0 || request == REQUESTS ||
        ((request == REQUEST_COUNT || request == REQUEST_EXPLAIN) && *count != 1) ||
        (request == REQUEST_COMPARE && *count > 2) || !grow(worker, *count)) {
        fprintf(worker->answers, "error\tmalformed request '%.*s'\n", (int)strcspn(line, "\n"),
                line);
        return false;
    }
    for (size_t i = 0; i < *count; i++) {
        if (fgets(line, sizeof line, stdin) == NULL)
            return false;
        line[strcspn(line, "\n")] = '\0';
        if (!wire_read_case(line, worker->catalogue, &worker->cases[i])) {
            fprintf(worker->answers, "error\tmalformed case '%s'\n", line);
            return false;
        }
    }
    return true;
}

static void close_worker(struct worker *worker)
{
    for (unsigned int t = 0; t < worker->open; t++)
        checker_close(worker->checkers[t]);
    free(worker->checkers);
    forget_reported(worker);
    free(worker->cases);
    free(worker->outcomes);
    program_catalogue_free(&worker->programs);
    launch_catalogue_free(&worker->launches);
    changed_launches_free(&worker->changed);
    fclose(worker->answers);
}

static enum engine_status open_worker(struct worker *worker, const struct engine_limits *limits)
{
    char text[256] = "out of memory";
    enum engine_status status = ENGINE_ERROR;

    worker->limits = limits;
    worker->most = engine_threads();
    worker->checkers = calloc(worker->most, sizeof *worker->checkers);
    if (worker->checkers != NULL)
        status = checker_open(limits, &worker->checkers[0], text, sizeof text);
    if (status != ENGINE_OK) {
        fprintf(worker->answers, "%s\t%s\n", status == ENGINE_UNAVAILABLE ? "unavailable" : "error",
                text);
        return status;
    }
    worker->open = 1;
    struct engine *engine = checker_engine(worker->checkers[0]);
    worker->batch = engine_batch(engine);
    engine_describe(engine, text, sizeof text);
    for (int need = NEEDS_NOTHING; need <= NEEDS_TAIL_LAUNCH; need++)
        if (engine_lacks(engine, (enum need)need) != NULL)
            fprintf(worker->answers, "lacks\t%d\t%s\n", need,
                    engine_lacks(engine, (enum need)need));
    fprintf(worker->answers, "ready\t%s\t%zu\t%s\n", build_identity, worker->batch * worker->most,
            text);
    fflush(worker->answers);
    return ENGINE_OK;
}

/* Moves the answers to a descriptor to which no kernel writes by chance. */
static FILE *open_answers(void)
{
    enum { OUT_OF_THE_WAY = 100 };
    int answers = fcntl(WORKER_ANSWER_FD, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);

    if (answers < 0) /* The limit on files is low. */
        return fdopen(WORKER_ANSWER_FD, "w");
    close(WORKER_ANSWER_FD);
    return fdopen(answers, "w");
}

int worker_main(int argc, char **argv, const struct catalogue *catalogue)
{
    struct worker worker = {.answers = open_answers(), .own = catalogue, .catalogue = catalogue};
    struct engine_limits limits = {0};
    enum engine_status status;
    bool goes_on = true;
    size_t count;

    if (argc == 7 && !output_keep())
        return 3;
    if (argc != 7 || worker.answers == NULL) {
        fprintf(stderr, "%s is started by simtcheck, not by hand: see simtcheck --help\n", argv[0]);
        return 2;
    }
    guard_announce_to(worker.answers);
    limits.deadline_seconds = strtod(argv[1], NULL);
    limits.steps = strtoull(argv[2], NULL, 10);
    limits.delays =
        (struct delays){(uint32_t)strtoul(argv[3], NULL, 10), (uint32_t)strtoul(argv[4], NULL, 10),
                        (uint32_t)strtoul(argv[5], NULL, 10)};
    limits.strict_barriers = (strtoul(argv[6], NULL, 10) & WORKER_STRICT_BARRIERS) != 0;
    limits.warp_barriers = (strtoul(argv[6], NULL, 10) & WORKER_WARP_BARRIERS) != 0;
    limits.floats = (enum float_kind)(strtoul(argv[6], NULL, 10) / WORKER_FLOATS);
    limits.killed_seconds = limits.deadline_seconds + LATE_SECONDS;
    status = open_worker(&worker, &limits);
    while (status == ENGINE_OK && goes_on && read_request(&worker, &count))
        goes_on = run_request(&worker, count);
    close_worker(&worker);
    return status == ENGINE_OK ? 0 : status == ENGINE_UNAVAILABLE ? 77 : 3;
}
