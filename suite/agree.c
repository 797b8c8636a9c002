/* SPDX-License-Identifier: MIT */
#include "agree.h"

#include "plan.h"
#include "run.h"
#include "supervisor.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_SCHEDULES = 5, ORDERS = 3 + RANDOM_SCHEDULES, TRIALS = 2 * ORDERS };

/* Trial k of a case on the host engine: its own values, and random ones, for results that differ in
 * general may be the same for special values; each in every order. */
static struct test_case trial(const struct test_case *test, size_t k)
{
    struct test_case tried = *test;

    if (k >= ORDERS)
        tried.values = (struct values){VALUES_HASH, 1};
    k %= ORDERS;

    tried.model = k == 0 ? MODEL_LOCKSTEP : MODEL_ITS;
    tried.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    if (k == 2)
        tried.schedule.kind = SCHEDULE_REVERSE;
    if (k > 2)
        tried.schedule = (struct schedule){SCHEDULE_RANDOM, k - 2, {0}};
    return tried;
}

/* One printed form. */
struct agreement {
    const struct variant *variant;
    uint64_t outside, defined, equal;
    bool differs;
    struct test_case witness; /* the first case whose results differ */
    struct outcome host, gpu;
};

/* The cases of the plan that lie outside the variant's domain; null when memory runs out. */
static struct test_case *cases_outside(const struct options *options, const struct variant *variant,
                                       size_t *count)
{
    struct options everywhere = *options;
    struct test_case *cases;
    struct plan plan;

    *count = 0;
    everywhere.assume_total = true; /* shapes that break several conditions too */
    if (!plan_make(&everywhere, variant, false, 0, &plan))
        return NULL;
    cases = calloc(plan_count(&plan) + 1, sizeof *cases);
    for (uint64_t k = 0; cases != NULL && k < plan_count(&plan); k++) {
        plan_case(&plan, k, &cases[*count]);
        *count += variant_violations(variant, &cases[*count].shape) != 0;
    }
    plan_free(&plan);
    return cases;
}

/* Keeps the cases that have one defined result, and its outcome for each. */
static enum engine_status keep_defined(struct supervisor *host, struct test_case *cases,
                                       size_t *count, struct outcome *defined, char *reason,
                                       size_t reason_size)
{
    struct test_case *trials = calloc(*count * TRIALS + 1, sizeof *trials);
    struct outcome *outcomes = calloc(*count * TRIALS + 1, sizeof *outcomes);
    enum engine_status status = ENGINE_ERROR;
    size_t kept = 0;

    snprintf(reason, reason_size, "out of memory");
    if (trials != NULL && outcomes != NULL) {
        for (size_t i = 0; i < *count * TRIALS; i++)
            trials[i] = trial(&cases[i / TRIALS], i % TRIALS);
        status = supervisor_run_array(host, trials, *count * TRIALS, outcomes, reason, reason_size);
    }
    for (size_t i = 0; status == ENGINE_OK && i < *count; i++) {
        const struct outcome *of_case = &outcomes[i * TRIALS];
        bool one = true;
        for (size_t k = 0; k < TRIALS && one; k++)
            one = of_case[k].kind != OUTCOME_FAULT &&
                  of_case[k].digest == of_case[k - k % ORDERS].digest;
        if (!one)
            continue;
        defined[kept] = of_case[0];
        cases[kept++] = cases[i];
    }
    *count = kept;
    free(trials);
    free(outcomes);
    return status;
}

static bool same_result(const struct outcome *host, const struct outcome *gpu)
{
    return gpu->kind != OUTCOME_FAULT && gpu->digest == host->digest;
}

/* Fills in the agreement of one variant. `gpu` may be null: then only what is defined is counted.
 */
static enum engine_status agree(const struct options *options, struct supervisor *host,
                                struct supervisor *gpu, struct agreement *agreement, char *reason,
                                size_t reason_size)
{
    size_t count;
    struct test_case *cases = cases_outside(options, agreement->variant, &count);
    struct outcome *defined = calloc(count + 1, sizeof *defined);
    struct outcome *outcomes = calloc(count + 1, sizeof *outcomes);
    enum engine_status status = ENGINE_ERROR;

    snprintf(reason, reason_size, "out of memory");
    if (cases != NULL && defined != NULL && outcomes != NULL) {
        agreement->outside = count;
        status = keep_defined(host, cases, &count, defined, reason, reason_size);
        agreement->defined = count;
    }
    if (status == ENGINE_OK && gpu != NULL) {
        status = supervisor_run_array(gpu, cases, count, outcomes, reason, reason_size);
        for (size_t i = 0; status == ENGINE_OK && i < count; i++) {
            if (same_result(&defined[i], &outcomes[i])) {
                agreement->equal++;
            } else if (!agreement->differs) {
                agreement->differs = true;
                agreement->witness = cases[i];
                agreement->host = defined[i];
                agreement->gpu = outcomes[i];
            }
        }
    }
    free(cases);
    free(defined);
    free(outcomes);
    return status;
}

static const char *verdict(const struct agreement *agreement, bool on_gpu)
{
    if (agreement->defined == 0)
        return "does not apply: no shape tried outside the domain has one defined result";
    return !on_gpu ? "not held to a GPU" : agreement->differs ? "differs" : "agrees";
}

static void print_agreement(const struct agreement *agreement, bool on_gpu)
{
    char block[WORD_SIZE], size[WORD_SIZE], values[WORD_SIZE], text[512], token[TOKEN_SIZE];

    printf("%-39s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "  %s\n", agreement->variant->id,
           agreement->outside, agreement->defined, agreement->equal, verdict(agreement, on_gpu));
    if (agreement->differs) {
        block_format(&agreement->witness.shape.block, block);
        size_format(agreement->witness.shape.size, size);
        values_format(agreement->witness.values, values);
        token_format(&agreement->witness, "cuda", token);
        outcome_text(&agreement->host, text, sizeof text);
        printf("    block %s, size %s, values %s\n    host: %s\n", block, size, values, text);
        outcome_text(&agreement->gpu, text, sizeof text);
        printf("    GPU:  %s\n        %s replay %s\n", text, program_invocation_short_name, token);
    }
    fflush(stdout);
}

static json_t *agreement_json(const struct agreement *agreement, bool on_gpu)
{
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:s}", "id", agreement->variant->id, "form",
                     form_name(agreement->variant->form), "outside", (json_int_t)agreement->outside,
                     "defined", (json_int_t)agreement->defined, "equal",
                     (json_int_t)agreement->equal, "verdict", verdict(agreement, on_gpu));
}

/* Null, after a message, when the engine cannot be had; *status then says how bad that is. */
static struct supervisor *open_engine(const struct options *options, const char *engine,
                                      int *status)
{
    struct supervisor_options supervised = {.engine = engine,
                                            .jobs = options->jobs,
                                            .limits = options->limits,
                                            .request = REQUEST_DIGEST};
    bool required = options->require != NULL && strcmp(options->require, engine) == 0;
    struct supervisor *supervisor;
    char reason[512];
    enum engine_status opened = supervisor_open(&supervised, &supervisor, reason, sizeof reason);

    if (opened == ENGINE_OK)
        return supervisor;
    fprintf(stderr, "%s: engine %s is not available: %s\n", program_invocation_short_name, engine,
            reason);
    *status = opened == ENGINE_UNAVAILABLE && !required ? EXIT_UNAVAILABLE : EXIT_ENVIRONMENT;
    return NULL;
}

/* Goes through the printed forms; returns the exit status. */
static int agree_all(const struct options *options, const struct catalogue *catalogue,
                     struct supervisor *host, struct supervisor *gpu, json_t *results)
{
    int exit_status = EXIT_CONFORMS;

    printf("%-39s %8s %8s %8s\n", "kernel", "outside", "defined", "equal");
    for (size_t i = 0; i < catalogue->count; i++) {
        struct agreement agreement = {.variant = &catalogue->variants[i]};
        char reason[512];
        if (gpu != NULL && supervisor_lacks(gpu, agreement.variant->need) != NULL)
            continue;
        if (agreement.variant->form != FORM_PRINTED || !options_select(options, agreement.variant))
            continue;
        if (agree(options, host, gpu, &agreement, reason, sizeof reason) != ENGINE_OK) {
            fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, agreement.variant->id,
                    reason);
            return EXIT_ENVIRONMENT;
        }
        print_agreement(&agreement, gpu != NULL);
        json_array_append_new(results, agreement_json(&agreement, gpu != NULL));
        if (agreement.differs)
            exit_status = EXIT_DIFFERS;
    }
    return exit_status;
}

int agree_command(const struct options *options, const struct catalogue *catalogue)
{
    int exit_status = EXIT_CONFORMS, gpu_status = EXIT_CONFORMS;
    struct supervisor *host = open_engine(options, "host", &exit_status);
    struct supervisor *gpu = host != NULL ? open_engine(options, "cuda", &gpu_status) : NULL;
    json_t *results = json_array();

    if (host != NULL)
        exit_status = agree_all(options, catalogue, host, gpu, results);
    if (exit_status == EXIT_CONFORMS)
        exit_status = gpu_status;
    if (options->json != NULL && json_dump_file(results, options->json, JSON_INDENT(2)) != 0) {
        fprintf(stderr, "%s: cannot write '%s': name a file in a folder that can be written\n",
                program_invocation_short_name, options->json);
        exit_status = EXIT_USAGE;
    }
    json_decref(results);
    if (gpu != NULL)
        supervisor_close(gpu);
    if (host != NULL)
        supervisor_close(host);
    return exit_status;
}
