/* SPDX-License-Identifier: MIT */
#include "checker.h"

#include "identity.h"

#include "case_id.h"
#include "error_report.h"
#include "expected.h"
#include "guard.h"
#include "judge.h"
#include "launch_image.h"
#include "launch_text.h"
#include "launch_tree.h"
#include "reference.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MAX_PRINTED = 1 << 16, /* bytes: far more than a case prints */
    CHILDREN_SPARE = 1024, /* children allowed above twice the expected number */
};

/* Checkers of one process share its standard output. So a case that prints runs alone. */
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

struct checker {
    struct engine *engine;
    double deadline; /* seconds */
    struct oracle_sums *sums;
    size_t batch;
    struct invocation *invocations;
    struct engine_job *jobs;
    struct engine_outcome *engine_outcomes;
    bool *failed;          /* which cases of a batch failed among the others */
    struct outcome *alone; /* their outcomes when they ran alone */
    char *results;         /* output buffers of a batch */
    size_t results_size;
    char printed[MAX_PRINTED]; /* by the last case, if it prints */
};

/* ---- What kernels print ---- */

static int kept = -1;

bool output_keep(void)
{
    fflush(stdout);
    if (kept < 0)
        kept = memfd_create("output", MFD_CLOEXEC);
    return kept >= 0 && dup2(kept, STDOUT_FILENO) >= 0;
}

void output_divert(bool away)
{
    fflush(stdout);
    if (kept >= 0)
        dup2(away ? STDERR_FILENO : kept, STDOUT_FILENO);
}

size_t output_take(char *text, size_t size)
{
    off_t length;
    ssize_t got;

    text[0] = '\0';
    fflush(stdout);
    if (kept < 0 || (length = lseek(kept, 0, SEEK_END)) <= 0)
        return 0;
    got = pread(kept, text, size - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    if (ftruncate(kept, 0) == 0)
        lseek(kept, 0, SEEK_SET);
    return (size_t)length;
}

/* ---- A checker ---- */

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
    checker->deadline = limits->deadline_seconds;
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

/* Returns true if the buffer is copied back: without an oracle, all that the kernel may have
 * written. */
static bool comes_back(const struct variant *variant, const struct buffer *buffer)
{
    return buffer->role == ROLE_OUTPUT || buffer->role == ROLE_LOG ||
           (buffer->role == ROLE_INOUT &&
            (variant->contract == CONTRACT_NONE || variant->contract == CONTRACT_EXPECTED));
}

static size_t output_bytes(const struct variant *variant, const struct invocation *invocation)
{
    size_t bytes = 0;
    for (uint32_t k = 0; k < invocation->buffer_count; k++)
        if (comes_back(variant, &invocation->buffers[k]))
            bytes += buffer_room(&invocation->buffers[k]);
    return bytes;
}

/* Returns the default limits if the case has them, else limits that a right case does not reach. */
static struct nesting nesting_for(const struct test_case *test)
{
    struct launch_tree tree;
    uint32_t pending = DEFAULT_PENDING;

    oracle_launch_tree(test->variant, &test->shape, &tree);
    while (pending < tree.children && pending < UINT32_MAX / 2)
        pending *= 2; /* A power of two seldom changes. A change is slow on a GPU. */
    return (struct nesting){
        .profile = test->profile,
        .pending = test->default_limits ? DEFAULT_PENDING : pending,
        .wait_depth = test->default_limits ? DEFAULT_WAIT_DEPTH : DEFAULT_DEPTH,
        .children =
            tree.children < UINT32_MAX / 4 ? 2 * (uint32_t)tree.children + CHILDREN_SPARE : 0,
    };
}

/* Fills in the jobs of a batch and gives each output a place in `results`. Returns false when
 * memory runs out. */
static bool prepare_jobs(struct checker *checker, const struct test_case *cases, size_t count)
{
    size_t needed = 0;
    char *place;

    for (size_t i = 0; i < count; i++) {
        cases[i].variant->invoke(cases[i].variant, &cases[i].shape, &checker->invocations[i]);
        needed += output_bytes(cases[i].variant, &checker->invocations[i]);
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
            if (!comes_back(cases[i].variant, buffer))
                continue;
            job->results[k] = place;
            place += buffer_room(buffer);
        }
    }
    return true;
}

/* A comparison with the oracle. */
struct comparison {
    struct oracle_sums *sums;
    const struct result *result;
    struct difference *difference;
    enum judgement judgement;
};

static void compare(void *context)
{
    struct comparison *comparison = context;

    comparison->judgement =
        oracle_judge(comparison->sums, comparison->result, comparison->difference);
}

/* Compares with the oracle. An oracle of the user may crash, print or never end. Returns false with
 * the reason in `why`. */
static bool compare_guarded(const struct checker *checker, const struct test_case *test,
                            struct comparison *comparison, char *why, size_t size)
{
    char reason[128], what[2 * WORD_SIZE + 64], size_word[WORD_SIZE], values[WORD_SIZE];
    bool is_alone = engine_threads() == 1, good; /* no kernel prints now */

    if (test->variant->contract != CONTRACT_EXPECTED) {
        compare(comparison);
        return true;
    }
    size_format(&test->shape, size_word);
    values_format(test->values, values);
    snprintf(what, sizeof what, "the oracle, at size %s, values %s", size_word, values);
    if (is_alone)
        output_divert(true);
    good = guard_call(what, checker->deadline, compare, comparison, reason, sizeof reason);
    if (is_alone)
        output_divert(false);
    return good || error_write(why, size, "the oracle %s, at size %s, values %s", reason, size_word,
                               values);
}

/* What a caller wants of a job besides its results. */
struct extra {
    bool digested;
    /* The results are compared with each other, not with those of the GPU in a capture. */
    bool among_themselves;
    struct engine_counters *counters;
    struct race *races;
    size_t race_capacity;
    const struct array_element *focus; /* as in struct engine_job */
    const struct stores *stores;       /* elements that are not compared; null: none */
};

/* Places of last stores. */
struct stores {
    const struct difference *all;
    size_t count;
};

/* Returns whether one of the places made the last store to the element. */
static bool skips(const struct result *result, uint32_t buffer, uint64_t index)
{
    const struct stores *stores = result->context;
    struct fault_place place;

    if (!engine_last_store(buffer, index, &place))
        return false;
    for (size_t k = 0; k < stores->count; k++)
        if (place.line == stores->all[k].line && strcmp(place.file, stores->all[k].file) == 0 &&
            strcmp(place.outer, stores->all[k].outer) == 0)
            return true;
    return false;
}

/* Compares an engine's results with the oracle. Returns false with the reason in outcome->fault. */
static bool judge(struct checker *checker, const struct test_case *test,
                  const struct engine_job *job, const struct engine_outcome *ran,
                  const struct extra *extra, struct outcome *outcome)
{
    const struct result result = {
        .variant = test->variant,
        .shape = &test->shape,
        .values = test->values,
        .invocation = job->invocation,
        .buffers = job->results,
        .children = ran->children,
        .child_blocks = ran->child_blocks,
        .unwaited = ran->unwaited,
        .unjoined = ran->unjoined,
        .waited = ran->waited,
        .accesses = ran->steps > 0 ? ran->steps : UINT64_MAX,
        .printed = job->invocation->prints ? checker->printed : NULL,
        .child_threads = ran->child_threads,
        .skips = extra->stores != NULL ? skips : NULL,
        .context = extra->stores,
    };

    const struct expectation came = {
        test->variant,   &test->shape, values_key(test->values),
        job->invocation, job->results, (double *const *)(uintptr_t)ran->bounds};
    struct comparison comparison = {checker->sums, &result, &outcome->difference, JUDGEMENT_FAILED};

    for (uint32_t k = 0; k < job->invocation->buffer_count; k++)
        oracle_sort(&job->invocation->buffers[k], job->results[k]);
    if (!reference_keep(&came))
        return error_write(outcome->fault.text, sizeof outcome->fault.text,
                           "cannot keep the results of the reference code: %s", strerror(errno));
    if (extra->digested && !test->default_limits) /* what fails there depends on the order */
        outcome->digest = oracle_digest(&result, outcome->order);
    if (extra->among_themselves && launch_is_captured(test->variant))
        return true;
    if (!compare_guarded(checker, test, &comparison, outcome->fault.text,
                         sizeof outcome->fault.text))
        return false;
    switch (comparison.judgement) {
    case JUDGEMENT_EQUAL:
        return reference_is_whole(&came) ||
               error_write(outcome->fault.text, sizeof outcome->fault.text,
                           "results of the reference code are lost: was a file in the folder for "
                           "temporary files (TMPDIR) removed?");
    case JUDGEMENT_DIFFERS:
        outcome->kind = OUTCOME_MISMATCH;
        return true;
    case JUDGEMENT_FAILED:
        break;
    }
    return error_write(outcome->fault.text, sizeof outcome->fault.text, "out of memory");
}

/* Judges a case at the default limits by the error that they must cause. On the simulator children
 * start late under the sequential schedule. Returns false if no error may come, or if it did not
 * come and need not: the outcome is then that of any case. */
static bool judge_limits(const struct test_case *test, const struct fault *fault,
                         struct outcome *outcome)
{
    struct limit_error error = {NULL, SOME_ORDERS};
    bool is_late = engine_kind()->simulates && test->schedule.kind == SCHEDULE_SEQUENTIAL, must;

    if (test->default_limits)
        error = oracle_limit_error(test->variant, &test->shape, test->profile == PROFILE_CDP1);
    must = error.when == EVERY_ORDER || (error.when == LATE_CHILDREN && is_late);
    if (error.text == NULL ||
        (fault->kind != FAULT_CHILD_LAUNCH && (fault->kind != FAULT_NONE || !must)))
        return false;
    if (fault->kind != FAULT_NONE && strstr(fault->text, error.text) != NULL)
        return true;
    outcome->kind = OUTCOME_FAULT;
    outcome->fault = *fault;
    fault_set(&outcome->fault, FAULT_CHILD_LAUNCH,
              "must fail at the default limits with %s, but %s", error.text,
              fault->kind != FAULT_NONE ? fault->text : "does not fail");
    return true;
}

/* Runs the jobs. Keeps the output of a job that prints. */
static enum engine_status run_jobs(struct checker *checker, size_t count)
{
    bool prints = count == 1 && checker->invocations[0].prints;
    enum engine_status status;

    if (prints)
        pthread_mutex_lock(&printing);
    status = engine_run(checker->engine, checker->jobs, count, checker->engine_outcomes);
    if (prints) {
        output_take(checker->printed, sizeof checker->printed);
        pthread_mutex_unlock(&printing);
    }
    return status;
}

/* ---- Clocks ---- */

/* Where the contents differ, puts those of the GPU. A word is the unit, because some bytes of
 * different times may be equal. */
static void take_words(char *results, const char *others, const char *of_gpu, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += sizeof(uint32_t)) {
        size_t size = bytes - at < sizeof(uint32_t) ? bytes - at : sizeof(uint32_t);
        if (memcmp(results + at, others + at, size) != 0)
            memcpy(results + at, of_gpu + at, size);
    }
}

/* If a captured launch reads a clock, runs it again with other clocks. Results that differ depend
 * on clocks, so they are not compared: they become those of the GPU. Returns false if memory runs
 * out. */
static bool ignore_clocks(struct checker *checker, const struct test_case *test,
                          const struct engine_job *job, const char *clock)
{
    struct invocation invocation;
    struct engine_outcome outcome;
    struct engine_job other = *job;
    char *results;

    if (clock[0] == '\0')
        return true;
    results = malloc(checker->results_size + 1);
    if (results == NULL)
        return false;
    invocation = *job->invocation;
    invocation.prints = false;
    other.invocation = &invocation;
    other.other_clocks = true;
    for (uint32_t k = 0; k < invocation.buffer_count; k++)
        if (job->results[k] != NULL)
            other.results[k] = results + ((char *)job->results[k] - checker->results);
    if (engine_run(checker->engine, &other, 1, &outcome) == ENGINE_OK &&
        outcome.fault.kind == FAULT_NONE)
        for (uint32_t k = 0; k < invocation.buffer_count; k++)
            if (job->results[k] != NULL)
                take_words(job->results[k], other.results[k], launch_image_after(test->variant, k),
                           buffer_bytes(&invocation.buffers[k]));
    free(results);
    return true;
}

/* Returns whether the fault is a wait for children where the variant forbids it. CDP2 has no such
 * wait, but it is the kernel that is wrong, not what is supported. */
static bool is_wrong_wait(const struct variant *variant, const struct fault *fault)
{
    return fault->sentence == SAYS_NO_DEVICE_WAIT && variant->launches != LAUNCHES_NOTHING &&
           variant->waits == WAITS_NEVER;
}

static enum engine_status run_batch(struct checker *checker, const struct test_case *cases,
                                    size_t count, struct extra extra, struct outcome *outcomes)
{
    enum engine_status status;

    memset(outcomes, 0, count * sizeof *outcomes);
    if (!prepare_jobs(checker, cases, count)) {
        snprintf(outcomes[0].fault.text, sizeof outcomes[0].fault.text, "out of memory");
        return ENGINE_ERROR;
    }
    checker->jobs[0].counters = extra.counters;
    checker->jobs[0].focus = extra.focus;
    checker->jobs[0].races = extra.races;
    checker->jobs[0].race_capacity = extra.race_capacity;
    status = run_jobs(checker, count);
    if (status != ENGINE_OK)
        count = 1;
    for (size_t i = 0; i < count; i++) {
        const struct fault *fault = &checker->engine_outcomes[i].fault;
        outcomes[i].points = checker->engine_outcomes[i].points;
        outcomes[i].instructions = checker->engine_outcomes[i].instructions;
        outcomes[i].races = checker->engine_outcomes[i].race_count;
        outcomes[i].same_value = checker->engine_outcomes[i].same_count;
        outcomes[i].unordered = checker->engine_outcomes[i].unordered_count;
        outcomes[i].checked = checker->engine_outcomes[i].checked;
        outcomes[i].excused = checker->engine_outcomes[i].excused;
        memcpy(outcomes[i].active_mask, checker->engine_outcomes[i].active_mask,
               sizeof outcomes[i].active_mask);
        memcpy(outcomes[i].atomic, checker->engine_outcomes[i].atomic, sizeof outcomes[i].atomic);
        memcpy(outcomes[i].inexact, checker->engine_outcomes[i].inexact,
               sizeof outcomes[i].inexact);
        memcpy(outcomes[i].barriers, checker->engine_outcomes[i].barriers,
               sizeof outcomes[i].barriers);
        memcpy(outcomes[i].prints, checker->engine_outcomes[i].prints, sizeof outcomes[i].prints);
        memcpy(outcomes[i].order, checker->engine_outcomes[i].printed, sizeof outcomes[i].order);
        outcomes[i].printed = checker->engine_outcomes[i].printed[MAX_ALLOWED];
        if (launch_is_captured(cases[i].variant))
            memcpy(outcomes[i].clock, checker->engine_outcomes[i].clock, sizeof outcomes[i].clock);
        if (status == ENGINE_OK && judge_limits(&cases[i], fault, &outcomes[i]))
            continue;
        if (status != ENGINE_OK ||
            (fault->kind != FAULT_NONE && !is_wrong_wait(cases[i].variant, fault))) {
            outcomes[i].kind = OUTCOME_FAULT;
            outcomes[i].fault = *fault;
        } else if (!ignore_clocks(checker, &cases[i], &checker->jobs[i], outcomes[i].clock)) {
            return ENGINE_ERROR;
        } else if (!judge(checker, &cases[i], &checker->jobs[i], &checker->engine_outcomes[i],
                          &extra, &outcomes[i])) {
            outcomes[0] = outcomes[i]; /* It has the reason. */
            return ENGINE_ERROR;
        }
    }
    return status;
}

/* Cases of a batch share a GPU's memory. A case that writes far past its buffers can spoil another
 * case, so a case that fails among others must also fail alone. If it passes alone, the others run
 * alone, with wide guard zones, to find the culprit. If all pass alone, the failure stands: the
 * kernel is not deterministic. */
static enum engine_status isolate_failures(struct checker *checker, const struct test_case *cases,
                                           size_t count, struct extra extra,
                                           struct outcome *outcomes)
{
    bool suspicious = false, found = false;

    for (size_t i = 0; i < count; i++) {
        checker->failed[i] = outcomes[i].kind != OUTCOME_PASS;
        checker->alone[i] = outcomes[i];
        if (!checker->failed[i])
            continue;
        enum engine_status status = run_batch(checker, &cases[i], 1, extra, &checker->alone[i]);
        if (status != ENGINE_OK) {
            outcomes[0] = checker->alone[i]; /* It has the reason. */
            return status;
        }
        suspicious = suspicious || checker->alone[i].kind == OUTCOME_PASS;
    }
    for (size_t i = 0; i < count && suspicious; i++) {
        if (checker->failed[i])
            continue;
        enum engine_status status = run_batch(checker, &cases[i], 1, extra, &checker->alone[i]);
        if (status != ENGINE_OK) {
            outcomes[0] = checker->alone[i]; /* It has the reason. */
            return status;
        }
        found = found || checker->alone[i].kind != OUTCOME_PASS;
    }
    for (size_t i = 0; i < count; i++)
        if (found || checker->alone[i].kind != OUTCOME_PASS)
            outcomes[i] = checker->alone[i];
    return ENGINE_OK;
}

static bool prints(const struct test_case *test)
{
    struct invocation invocation;

    test->variant->invoke(test->variant, &test->shape, &invocation);
    return invocation.prints;
}

/* Returns how many of the cases, from the first on, run together. */
static size_t batch_of(const struct checker *checker, const struct test_case *cases, size_t count)
{
    size_t batch = 0;

    if (checker->batch == 1)
        return 1;
    while (batch < count && batch < checker->batch && !prints(&cases[batch]))
        batch++;
    return batch > 0 ? batch : 1;
}

enum engine_status checker_run(struct checker *checker, const struct test_case *cases, size_t count,
                               bool digested, struct outcome *outcomes)
{
    const struct extra extra = {.digested = digested, .among_themselves = digested};

    for (size_t done = 0; done < count;) {
        size_t batch = batch_of(checker, cases + done, count - done);
        enum engine_status status = run_batch(checker, cases + done, batch, extra, outcomes + done);
        if (status == ENGINE_OK && batch > 1)
            status = isolate_failures(checker, cases + done, batch, extra, outcomes + done);
        if (status != ENGINE_OK) {
            outcomes[0] = outcomes[done];
            return status;
        }
        done += batch;
    }
    return ENGINE_OK;
}

/* Counts the races that are allowed because all writes store one value. A race that is not
 * described is not allowed. */
static void excuse_races(const struct allowance_list *allowed, const struct race *races,
                         uint64_t count, struct outcome *outcome)
{
    outcome->same_value = 0;
    for (uint64_t r = 0; r < count; r++) {
        uint32_t by = race_allowance(allowed, &races[r]);
        if (!races[r].same_value || by == MAX_ALLOWED)
            continue;
        outcome->same_value++;
        outcome->excused |= UINT64_C(1) << by;
    }
}

/* Returns whether a race between writes of one value is allowed. */
static bool is_excused(const struct test_case *test, const struct race *race)
{
    const struct launch_text *launch = test->variant->launch;

    return race->same_value && launch != NULL &&
           race_allowance(&launch->allowed, race) < MAX_ALLOWED;
}

/* Keeps the smallest hashes of the races' identities, in ascending order. */
static void note_identities(const struct test_case *test, const struct race *races, uint64_t count,
                            struct outcome *outcome)
{
    uint64_t *hashes = outcome->race_identities;

    for (uint64_t r = 0; r < count; r++) {
        const struct identity identity = identity_of_race(&races[r]);
        uint64_t hash = identity_hash(&identity);
        int k = 0;
        while (k < RACE_IDENTITIES && hashes[k] != 0 && hashes[k] < hash)
            k++;
        if (k == RACE_IDENTITIES || hashes[k] == hash || is_excused(test, &races[r]))
            continue;
        memmove(&hashes[k + 1], &hashes[k], (RACE_IDENTITIES - 1 - (size_t)k) * sizeof *hashes);
        hashes[k] = hash;
    }
}

enum engine_status checker_race(struct checker *checker, const struct test_case *test,
                                struct outcome *outcome, struct race *races, size_t capacity)
{
    enum engine_status status = run_batch(
        checker, test, 1,
        (struct extra){
            .digested = true, .among_themselves = true, .races = races, .race_capacity = capacity},
        outcome);
    const struct launch_text *launch = test->variant->launch;
    uint64_t found = outcome->races + outcome->unordered;

    if (launch != NULL && allowance_has(&launch->allowed, ALLOWED_SAME_VALUE))
        excuse_races(&launch->allowed, races, found < capacity ? found : capacity, outcome);
    else
        outcome->same_value = 0;
    outcome->unexpected = found;
    for (size_t r = 0; r < found && r < capacity; r++)
        outcome->unexpected -= race_is_expected(test->variant, &races[r]);
    note_identities(test, races, outcome->races < capacity ? outcome->races : capacity, outcome);
    return status;
}

/* Lists the differences, each with another last store. The results are those of the last job, which
 * had that outcome. */
static void list_differences(struct checker *checker, const struct test_case *test,
                             struct outcome outcome, struct explanation *explanation)
{
    while (outcome.kind == OUTCOME_MISMATCH && explanation->difference_count < MAX_DIFFERENCES) {
        struct difference *difference = &explanation->differences[explanation->difference_count++];
        const struct stores stores = {explanation->differences, explanation->difference_count};
        struct fault_place place;
        *difference = outcome.difference;
        if (difference->element.unit == ELEMENT_NONE ||
            !engine_last_store(difference->buffer, (uint64_t)difference->element.index, &place))
            return;
        memcpy(difference->file, place.file, sizeof difference->file);
        memcpy(difference->outer, place.outer, sizeof difference->outer);
        difference->line = place.line;
        outcome = (struct outcome){.kind = OUTCOME_PASS};
        if (!judge(checker, test, &checker->jobs[0], &checker->engine_outcomes[0],
                   &(const struct extra){.stores = &stores}, &outcome))
            return;
    }
}

enum engine_status checker_explain(struct checker *checker, const struct test_case *test,
                                   struct explanation *explanation)
{
    enum { ORDERS = 4 }; /* In some order, both accesses come before what the value leads to. */
    const struct outcome *outcome = &explanation->outcome;
    struct test_case other = *test;
    struct outcome again;
    enum engine_status status =
        run_batch(checker, test, 1, (struct extra){.focus = NULL}, &explanation->outcome);

    explanation->race_count = explanation->difference_count = 0;
    if (status != ENGINE_OK || outcome->kind == OUTCOME_PASS)
        return status;
    for (uint64_t k = 0; k < ORDERS && status == ENGINE_OK; k++) {
        status = run_batch(checker, &other, 1,
                           (struct extra){.races = explanation->races,
                                          .race_capacity = MAX_RACES_REPORTED,
                                          .focus = outcome->kind == OUTCOME_FAULT
                                                       ? &outcome->fault.element
                                                       : &outcome->difference.element},
                           &again);
        if (again.races > 0 || again.kind != OUTCOME_FAULT)
            break;
        other.schedule = (struct schedule){.kind = SCHEDULE_RANDOM, .seed = k + 1};
        other.model = MODEL_LOCKSTEP; /* A race of it is one of independent threads, too. */
    }
    if (status != ENGINE_OK) {
        explanation->outcome = again; /* It has the reason. */
        return status;
    }
    explanation->race_count = again.races < MAX_RACES_REPORTED ? again.races : MAX_RACES_REPORTED;
    list_differences(checker, test, again, explanation);
    return status;
}

enum engine_status checker_compare(struct checker *checker, const struct test_case cases[2],
                                   struct outcome outcomes[2])
{
    const struct extra extra = {.among_themselves = true};
    enum engine_status status = run_batch(checker, &cases[0], 1, extra, &outcomes[0]);
    void *first[MAX_BUFFERS] = {NULL};
    char *copy = malloc(checker->results_size + 1);

    if (status == ENGINE_OK && copy == NULL)
        return ENGINE_ERROR;
    for (uint32_t k = 0; status == ENGINE_OK && k < checker->invocations[0].buffer_count; k++)
        if (checker->jobs[0].results[k] != NULL)
            first[k] = copy + ((char *)checker->jobs[0].results[k] - checker->results);
    if (status == ENGINE_OK) {
        if (checker->results_size > 0)
            memcpy(copy, checker->results, checker->results_size);
        status = run_batch(checker, &cases[1], 1, extra, &outcomes[1]);
    }
    if (status != ENGINE_OK)
        outcomes[0] = outcomes[1].fault.kind != FAULT_NONE ? outcomes[1] : outcomes[0];
    else if (outcomes[0].kind == OUTCOME_PASS && outcomes[1].kind == OUTCOME_PASS &&
             !oracle_equal(&checker->invocations[0], first, checker->jobs[0].results,
                           &outcomes[1].difference))
        outcomes[1].kind = OUTCOME_MISMATCH;
    else if (outcomes[0].printed != outcomes[1].printed) {
        outcomes[1].kind = OUTCOME_MISMATCH;
        outcomes[1].difference =
            (struct difference){"what printf() prints", "one text", "another text", .line = 0};
    }
    free(copy);
    return status;
}

enum engine_status checker_count(struct checker *checker, const struct test_case *test,
                                 struct outcome *outcome, struct engine_counters *counters)
{
    struct test_case lockstep = *test;

    lockstep.model = MODEL_LOCKSTEP;
    *counters = (struct engine_counters){.interval_count = 0};
    return run_batch(checker, &lockstep, 1, (struct extra){.counters = counters}, outcome);
}

size_t checker_coverage(const struct checker *checker, const struct kernel_coverage **coverage)
{
    *coverage = checker->engine_outcomes[0].coverage;
    return checker->engine_outcomes[0].coverage_count;
}
