/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "launch_tree.h"
#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct checker {
    struct engine *engine;
    struct oracle_sums *sums;
    size_t batch;
    struct invocation *invocations;
    struct engine_job *jobs;
    struct engine_outcome *engine_outcomes;
    bool *failed;          /* of a batch: which cases failed among the others */
    struct outcome *alone; /* and what came when they ran alone */
    char *results;         /* output buffers of a batch */
    size_t results_size;
};

enum engine_status checker_open(const struct engine_limits *limits, struct checker **result,
                                char *reason, size_t reason_size)
{
    struct checker *checker = calloc(1, sizeof *checker);
    enum engine_status status;

    *result = NULL;
    snprintf(reason, reason_size, "out of memory");
    if (checker == NULL)
        return ENGINE_ERROR;
    status = engine_open(limits, &checker->engine, reason, reason_size);
    if (status != ENGINE_OK) {
        checker_close(checker);
        return status;
    }
    checker->batch = engine_batch(checker->engine);
    checker->sums = oracle_sums_create();
    checker->invocations = calloc(checker->batch, sizeof *checker->invocations);
    checker->jobs = calloc(checker->batch, sizeof *checker->jobs);
    checker->engine_outcomes = calloc(checker->batch, sizeof *checker->engine_outcomes);
    checker->failed = calloc(checker->batch, sizeof *checker->failed);
    checker->alone = calloc(checker->batch, sizeof *checker->alone);
    if (checker->sums == NULL || checker->failed == NULL || checker->alone == NULL ||
        checker->invocations == NULL || checker->jobs == NULL || checker->engine_outcomes == NULL) {
        checker_close(checker);
        return ENGINE_ERROR;
    }
    *result = checker;
    return ENGINE_OK;
}

void checker_close(struct checker *checker)
{
    if (checker == NULL)
        return;
    engine_close(checker->engine);
    oracle_sums_destroy(checker->sums);
    free(checker->invocations);
    free(checker->jobs);
    free(checker->engine_outcomes);
    free(checker->failed);
    free(checker->alone);
    free(checker->results);
    free(checker);
}

struct engine *checker_engine(struct checker *checker)
{
    return checker->engine;
}

static bool comes_back(const struct buffer *buffer)
{
    return buffer->role == ROLE_OUTPUT || buffer->role == ROLE_LOG;
}

static size_t output_bytes(const struct invocation *invocation)
{
    size_t bytes = 0;
    for (uint32_t k = 0; k < invocation->buffer_count; k++)
        if (comes_back(&invocation->buffers[k]))
            bytes += invocation->buffers[k].count * element_size(invocation->buffers[k].element);
    return bytes;
}

/* Limits that the case does not come up against by itself. */
static struct nesting nesting_for(const struct test_case *test)
{
    struct launch_tree tree;
    uint32_t pending = DEFAULT_PENDING;

    oracle_launch_tree(test->variant, &test->shape, &tree);
    while (pending < tree.children && pending < UINT32_MAX / 2)
        pending *= 2; /* so that it seldom changes, for a GPU takes its time to */
    return (struct nesting){
        .profile = test->profile,
        .pending = pending,
        .wait_depth = DEFAULT_DEPTH,
    };
}

/* Fills in the jobs of a batch and gives each output a place in `results`. */
static bool prepare_jobs(struct checker *checker, const struct test_case *cases, size_t count)
{
    size_t needed = 0;
    char *place;

    for (size_t i = 0; i < count; i++) {
        cases[i].variant->invoke(cases[i].variant, &cases[i].shape, &checker->invocations[i]);
        needed += output_bytes(&checker->invocations[i]);
    }
    if (needed > checker->results_size) {
        free(checker->results);
        checker->results = malloc(needed);
        checker->results_size = checker->results != NULL ? needed : 0;
        if (checker->results == NULL)
            return false;
    }
    place = checker->results;
    for (size_t i = 0; i < count; i++) {
        const struct invocation *invocation = &checker->invocations[i];
        struct engine_job *job = &checker->jobs[i];
        *job = (struct engine_job){
            .invocation = invocation,
            .values = cases[i].values,
            .model = cases[i].model,
            .schedule = cases[i].schedule,
            .nesting = nesting_for(&cases[i]),
        };
        for (uint32_t k = 0; k < invocation->buffer_count; k++) {
            const struct buffer *buffer = &invocation->buffers[k];
            if (!comes_back(buffer))
                continue;
            job->results[k] = place;
            place += buffer->count * element_size(buffer->element);
        }
    }
    return true;
}

/* The case's values that block b of a reduction adds up: those from `first` to before `last`. */
struct segment {
    uint64_t first, last;
};

static struct segment segment_of(const struct test_case *test, uint64_t b)
{
    uint64_t n = shape_elements(&test->shape);
    uint64_t length = variant_segment(test->variant, &test->shape);
    struct segment segment = {b * length, (b + 1) * length};

    if (segment.first > n)
        segment.first = n;
    if (segment.last > n)
        segment.last = n;
    return segment;
}

/* Each output against the sum of its block's segment, and all of them against the whole sum. */
static bool check_sums_i32(struct checker *checker, const struct test_case *test,
                           const int32_t *output, uint64_t count, struct outcome *outcome)
{
    uint32_t got = 0;
    int32_t expected, before, up_to;

    for (uint64_t b = 0; b < count; b++) {
        struct segment segment = segment_of(test, b);
        if (!oracle_sums_i32(checker->sums, test->values, segment.first, &before) ||
            !oracle_sums_i32(checker->sums, test->values, segment.last, &up_to))
            return false;
        expected = (int32_t)((uint32_t)up_to - (uint32_t)before);
        got += (uint32_t)output[b];
        if (output[b] == expected)
            continue;
        outcome->kind = OUTCOME_MISMATCH;
        snprintf(outcome->place, sizeof outcome->place, "out[%" PRIu64 "]", b);
        snprintf(outcome->expected, sizeof outcome->expected, "%" PRId32, expected);
        snprintf(outcome->got, sizeof outcome->got, "%" PRId32, output[b]);
        return true;
    }
    if (!oracle_sums_i32(checker->sums, test->values, shape_elements(&test->shape), &expected))
        return false;
    if ((int32_t)got == expected)
        return true;
    outcome->kind = OUTCOME_MISMATCH;
    snprintf(outcome->expected, sizeof outcome->expected, "%" PRId32, expected);
    snprintf(outcome->got, sizeof outcome->got, "%" PRId32, (int32_t)got);
    return true;
}

/* The same by the bound for the additions in the kernel; and then for these and the host's, which
 * adds the outputs one by one, as the documents do. */
static void check_sums_f32(const struct test_case *test, const float *output, uint64_t count,
                           struct outcome *outcome)
{
    uint64_t height = test->variant->height(test->variant, &test->shape), b = 0;
    struct float_sum whole = {0}, part;
    float got = 0;

    for (; b < count && outcome->kind == OUTCOME_PASS; b++) {
        struct segment segment = segment_of(test, b);
        part = oracle_sum_f32(test->values, segment.first, segment.last);
        float_sum_join(&whole, &part);
        got = b == 0 ? output[b] : got + output[b];
        if (oracle_accepts_f32(&part, height, output[b]))
            continue;
        outcome->kind = OUTCOME_MISMATCH;
        snprintf(outcome->place, sizeof outcome->place, "out[%" PRIu64 "]", b);
        snprintf(outcome->got, sizeof outcome->got, "%.9g", (double)output[b]);
        oracle_text_f32(&part, height, outcome->expected, sizeof outcome->expected);
    }
    if (outcome->kind != OUTCOME_PASS)
        return;
    part = oracle_sum_f32(test->values, segment_of(test, count).first,
                          shape_elements(&test->shape)); /* of blocks that there are not */
    float_sum_join(&whole, &part);
    height += count > 0 ? count - 1 : 0;
    if (oracle_accepts_f32(&whole, height, got))
        return;
    outcome->kind = OUTCOME_MISMATCH;
    oracle_text_f32(&whole, height, outcome->expected, sizeof outcome->expected);
    snprintf(outcome->got, sizeof outcome->got, "%.9g", (double)got);
}

/* CONTRACT_SUM: one output. */
static bool check_sums(struct checker *checker, const struct test_case *test,
                       const struct engine_job *job, struct outcome *outcome)
{
    uint32_t k = 0;

    while (job->results[k] == NULL)
        k++;
    if (test->variant->element == ELEMENT_I32)
        return check_sums_i32(checker, test, job->results[k], job->invocation->buffers[k].count,
                              outcome);
    check_sums_f32(test, job->results[k], job->invocation->buffers[k].count, outcome);
    return true;
}

static void word_text(enum element element, uint32_t word, char *text, size_t size)
{
    float value;

    memcpy(&value, &word, sizeof value);
    if (element == ELEMENT_F32)
        snprintf(text, size, "%.9g", (double)value);
    else
        snprintf(text, size, "%" PRId32, (int32_t)word);
}

/* Every element of every output. */
static void check_elements(const struct test_case *test, const struct engine_job *job,
                           struct outcome *outcome)
{
    enum element element = test->variant->element;
    uint32_t output = 0;

    for (uint32_t k = 0; k < job->invocation->buffer_count; k++) {
        const struct buffer *buffer = &job->invocation->buffers[k];
        const uint32_t *words = job->results[k];
        if (words == NULL)
            continue;
        for (uint64_t i = 0; i < buffer->count; i++) {
            uint32_t expected = oracle_word(test->variant, &test->shape, job->values, output, i);
            if (oracle_canonical_word(element, expected) ==
                oracle_canonical_word(element, words[i]))
                continue;
            outcome->kind = OUTCOME_MISMATCH;
            snprintf(outcome->place, sizeof outcome->place, "%s[%" PRIu64 "]", buffer->name, i);
            word_text(element, expected, outcome->expected, sizeof outcome->expected);
            word_text(element, words[i], outcome->got, sizeof outcome->got);
            return;
        }
        output++;
    }
}

/* Of every element of every output, in order; all NaN are one. */
static uint64_t output_digest(const struct test_case *test, const struct engine_job *job)
{
    uint64_t digest = 0;

    for (uint32_t k = 0; k < job->invocation->buffer_count; k++) {
        const uint32_t *words = job->results[k];
        for (uint64_t i = 0; words != NULL && i < job->invocation->buffers[k].count; i++)
            digest = values_hash(digest, oracle_canonical_word(test->variant->element, words[i]));
    }
    return digest;
}

/* Who has said hello. */
static void check_log(const struct test_case *test, const struct engine_job *job,
                      struct outcome *outcome)
{
    struct launch_tree tree;

    oracle_launch_tree(test->variant, &test->shape, &tree);
    if (oracle_check_log(&tree, job->results[0], job->invocation->buffers[0].count,
                         test->variant->contract == CONTRACT_HELLO_FIRST, outcome->expected,
                         outcome->got, sizeof outcome->got))
        return;
    outcome->kind = OUTCOME_MISMATCH;
    snprintf(outcome->place, sizeof outcome->place, "log");
}

/* How many grids the kernels have launched, and of how many threads. */
static void check_children(const struct test_case *test, const struct engine_outcome *ran,
                           struct outcome *outcome)
{
    struct launch_tree tree;
    bool as_many;

    oracle_launch_tree(test->variant, &test->shape, &tree);
    as_many = ran->children == tree.children;
    if (outcome->kind != OUTCOME_PASS || (as_many && ran->child_threads == tree.child_threads))
        return;
    outcome->kind = OUTCOME_MISMATCH;
    snprintf(outcome->place, sizeof outcome->place,
             as_many ? "threads of child grids" : "child grids");
    snprintf(outcome->expected, sizeof outcome->expected, "%" PRIu64,
             as_many ? tree.child_threads : tree.children);
    snprintf(outcome->got, sizeof outcome->got, "%" PRIu64,
             as_many ? ran->child_threads : ran->children);
}

static bool check_result(struct checker *checker, const struct test_case *test,
                         const struct engine_job *job, struct outcome *outcome)
{
    outcome->digest = output_digest(test, job);
    switch (test->variant->contract) {
    case CONTRACT_SUM:
        return check_sums(checker, test, job, outcome);
    case CONTRACT_HELLO:
    case CONTRACT_HELLO_FIRST:
        check_log(test, job, outcome);
        return true;
    default:
        check_elements(test, job, outcome);
        return true;
    }
}

/* What is asked of a job besides its results. */
struct extra {
    bool counted;
    struct race *races;
    size_t race_capacity;
};

static const struct extra nothing;

static enum engine_status run_batch(struct checker *checker, const struct test_case *cases,
                                    size_t count, struct extra extra, struct outcome *outcomes)
{
    enum engine_status status;

    memset(outcomes, 0, count * sizeof *outcomes);
    if (!prepare_jobs(checker, cases, count)) {
        snprintf(outcomes[0].fault.text, sizeof outcomes[0].fault.text, "out of memory");
        return ENGINE_ERROR;
    }
    checker->jobs[0].count = extra.counted;
    checker->jobs[0].races = extra.races;
    checker->jobs[0].race_capacity = extra.race_capacity;
    status = engine_run(checker->engine, checker->jobs, count, checker->engine_outcomes);
    if (status != ENGINE_OK)
        count = 1;
    for (size_t i = 0; i < count; i++) {
        const struct fault *fault = &checker->engine_outcomes[i].fault;
        outcomes[i].points = checker->engine_outcomes[i].points;
        outcomes[i].races = checker->engine_outcomes[i].race_count;
        if (fault->kind != FAULT_NONE || status != ENGINE_OK) {
            outcomes[i].kind = OUTCOME_FAULT;
            outcomes[i].fault = *fault;
        } else if (!check_result(checker, &cases[i], &checker->jobs[i], &outcomes[i])) {
            snprintf(outcomes[0].fault.text, sizeof outcomes[0].fault.text, "out of memory");
            return ENGINE_ERROR;
        }
        if (cases[i].variant->launches != LAUNCHES_NOTHING)
            check_children(&cases[i], &checker->engine_outcomes[i], &outcomes[i]);
    }
    return status;
}

/* Cases of a batch share a GPU's memory, and one that writes far past its buffers can spoil
 * another. So a case that fails among others has to fail alone too. If it does not, the others are
 * run alone, where guard zones are wide, to find the one that did it; if none did, the failure
 * stands: the kernel's results are not always the same. */
static enum engine_status isolate_failures(struct checker *checker, const struct test_case *cases,
                                           size_t count, struct outcome *outcomes)
{
    bool suspicious = false, found = false;

    for (size_t i = 0; i < count; i++) {
        checker->failed[i] = outcomes[i].kind != OUTCOME_PASS;
        checker->alone[i] = outcomes[i];
        if (!checker->failed[i])
            continue;
        enum engine_status status = run_batch(checker, &cases[i], 1, nothing, &checker->alone[i]);
        if (status != ENGINE_OK)
            return status;
        suspicious = suspicious || checker->alone[i].kind == OUTCOME_PASS;
    }
    for (size_t i = 0; i < count && suspicious; i++) {
        if (checker->failed[i])
            continue;
        enum engine_status status = run_batch(checker, &cases[i], 1, nothing, &checker->alone[i]);
        if (status != ENGINE_OK)
            return status;
        found = found || checker->alone[i].kind != OUTCOME_PASS;
    }
    for (size_t i = 0; i < count; i++)
        if (found || checker->alone[i].kind != OUTCOME_PASS)
            outcomes[i] = checker->alone[i];
    return ENGINE_OK;
}

enum engine_status checker_run(struct checker *checker, const struct test_case *cases, size_t count,
                               struct outcome *outcomes)
{
    for (size_t done = 0; done < count;) {
        size_t batch = count - done < checker->batch ? count - done : checker->batch;
        enum engine_status status =
            run_batch(checker, cases + done, batch, nothing, outcomes + done);
        if (status == ENGINE_OK && batch > 1)
            status = isolate_failures(checker, cases + done, batch, outcomes + done);
        if (status != ENGINE_OK) {
            outcomes[0] = outcomes[done];
            return status;
        }
        done += batch;
    }
    return ENGINE_OK;
}

enum engine_status checker_race(struct checker *checker, const struct test_case *test,
                                struct outcome *outcome, struct race *races, size_t capacity)
{
    return run_batch(checker, test, 1, (struct extra){.races = races, .race_capacity = capacity},
                     outcome);
}

enum engine_status checker_count(struct checker *checker, const struct test_case *test,
                                 struct outcome *outcome, struct engine_counters *counters)
{
    struct test_case lockstep = *test;
    enum engine_status status;

    lockstep.model = MODEL_LOCKSTEP;
    status = run_batch(checker, &lockstep, 1, (struct extra){.counted = true}, outcome);
    *counters = checker->engine_outcomes[0].counters;
    return status;
}
