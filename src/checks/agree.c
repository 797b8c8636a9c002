/* SPDX-License-Identifier: MIT
 *
 * `agree`: looks for shapes outside the domain of each selected printed form where the kernel still
 * has one defined result, and holds other engines to it.
 *
 * A result is taken for defined when the kernel makes no fault and its outputs are the same, bit
 * for bit, under lockstep and, with independent threads, under `sequential`, `reverse` and five
 * random schedules; and likewise with random values instead of the case's.
 */
#include "complain.h"
#include "interrupt.h"
#include "json_model.h"
#include "outcome_tables.h"
#include "session.h"
#include "token.h"

#include <errno.h>
#include <inttypes.h>
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
    struct outcome host, other;
};

/* The cases of the plan that lie outside the variant's domain; null when memory runs out. */
static struct test_case *cases_outside(const struct options *options, const struct variant *variant,
                                       size_t *count)
{
    struct plan_request request = options->selection.cases;
    struct test_case *cases;
    struct plan plan;

    *count = 0;
    request.assume_total = true; /* shapes that break several conditions too */
    if (!plan_make(&request, variant, false, 0, &plan))
        return NULL;
    cases = calloc(plan_count(&plan) + 1, sizeof *cases);
    for (uint64_t k = 0; cases != NULL && k < plan_count(&plan); k++) {
        plan_case(&plan, k, &cases[*count]);
        *count += variant_violations(variant, &cases[*count].shape) != 0;
    }
    plan_free(&plan);
    return cases;
}

/* Keeps the cases that have one defined result, and its outcome for each. One trial of all that are
 * left after another, for most of what lies outside a domain has none by the first. */
static enum engine_status keep_defined(struct supervisor *host, struct test_case *cases,
                                       size_t *count, struct outcome *defined, char *reason,
                                       size_t reason_size)
{
    struct test_case *trials = calloc(*count + 1, sizeof *trials);
    struct outcome *outcomes = calloc(*count + 1, sizeof *outcomes);
    uint64_t *digests = calloc(*count + 1, sizeof *digests); /* by the first order, of the values */
    enum engine_status status = ENGINE_ERROR;

    snprintf(reason, reason_size, "out of memory");
    if (trials != NULL && outcomes != NULL && digests != NULL)
        status = ENGINE_OK;
    for (size_t k = 0; status == ENGINE_OK && k < TRIALS; k++) {
        size_t kept = 0;
        for (size_t i = 0; i < *count; i++)
            trials[i] = trial(&cases[i], k);
        status = supervisor_run_array(host, trials, *count, outcomes, reason, reason_size);
        for (size_t i = 0; status == ENGINE_OK && i < *count; i++) {
            uint64_t digest = k % ORDERS == 0 ? outcomes[i].digest : digests[i];
            if (outcomes[i].kind == OUTCOME_FAULT || outcomes[i].digest != digest)
                continue;
            cases[kept] = cases[i];
            defined[kept] = k == 0 ? outcomes[i] : defined[i];
            digests[kept++] = digest;
        }
        *count = kept;
    }
    free(trials);
    free(outcomes);
    free(digests);
    return status;
}

static bool same_result(const struct outcome *host, const struct outcome *other)
{
    return other->kind != OUTCOME_FAULT && other->digest == host->digest;
}

/* Fills in the agreement of one variant. */
static enum engine_status agree(const struct options *options, struct supervisor *host,
                                struct supervisor *other, struct agreement *agreement, char *reason,
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
    if (status == ENGINE_OK) {
        status = supervisor_run_array(other, cases, count, outcomes, reason, reason_size);
        for (size_t i = 0; status == ENGINE_OK && i < count; i++) {
            if (same_result(&defined[i], &outcomes[i])) {
                agreement->equal++;
            } else if (!agreement->differs) {
                agreement->differs = true;
                agreement->witness = cases[i];
                agreement->host = defined[i];
                agreement->other = outcomes[i];
            }
        }
    }
    free(cases);
    free(defined);
    free(outcomes);
    return status;
}

static const char *verdict(const struct agreement *agreement)
{
    if (agreement->defined == 0)
        return "does not apply: no shape tried outside the domain has one defined result";
    return agreement->differs ? "differs" : "agrees";
}

static void print_agreement(const struct agreement *agreement, const struct engine_kind *engine)
{
    char block[WORD_SIZE], size[WORD_SIZE], values[WORD_SIZE], text[512], token[TOKEN_SIZE];

    printf("%-39s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "  %s\n", agreement->variant->id,
           agreement->outside, agreement->defined, agreement->equal, verdict(agreement));
    if (agreement->differs) {
        block_format(&agreement->witness.shape.block, block);
        size_format(&agreement->witness.shape, size);
        values_format(agreement->witness.values, values);
        token_format(&agreement->witness, engine, token);
        outcome_text(&agreement->host, text, sizeof text);
        printf("    block %s, size %s, values %s\n    host: %s\n", block, size, values, text);
        outcome_text(&agreement->other, text, sizeof text);
        printf("    %s: %s\n", engine->name, text);
        session_print_replay(token);
    }
    fflush(stdout);
}

/* What is written of an agreement. */
struct agreement_record {
    const char *id;
    enum engine_id engine;
    enum form form;
    uint64_t outside, defined, equal;
    const char *verdict;
};

static const struct field agreement_fields[] = {
    FIELD("id", STRING, struct agreement_record, id),
    FIELD("engine", WORD, struct agreement_record, engine, .words = &engine_words),
    FIELD("form", WORD, struct agreement_record, form, .words = &form_words),
    FIELD("outside", COUNT, struct agreement_record, outside),
    FIELD("defined", COUNT, struct agreement_record, defined),
    FIELD("equal", COUNT, struct agreement_record, equal),
    FIELD("verdict", STRING, struct agreement_record, verdict),
};
static const struct table agreement_table =
    TABLE("agreement", agreement_fields, struct agreement_record);

static json_t *agreement_json(const struct agreement *agreement, const struct engine_kind *engine)
{
    const struct agreement_record record = {.id = agreement->variant->id,
                                            .engine = engine->id,
                                            .form = agreement->variant->form,
                                            .outside = agreement->outside,
                                            .defined = agreement->defined,
                                            .equal = agreement->equal,
                                            .verdict = verdict(agreement)};

    return model_json(&agreement_table, &record);
}

/* Goes through the printed forms; returns the exit status. */
static int agree_all(const struct options *options, const struct catalogue *catalogue,
                     const struct engine_kind *engine, struct supervisor *host,
                     struct supervisor *other, json_t *results)
{
    int exit_status = EXIT_CONFORMS;

    printf("%-39s %8s %8s %8s  %s\n", "kernel", "outside", "defined", "equal", engine->name);
    for (size_t i = 0; i < catalogue->count; i++) {
        struct agreement agreement = {.variant = &catalogue->variants[i]};
        char reason[512];
        bool saved;
        if (supervisor_lacks(other, agreement.variant->need) != NULL)
            continue;
        if (agreement.variant->form != FORM_PRINTED ||
            !selection_has(&options->selection, agreement.variant))
            continue;
        if (agree(options, host, other, &agreement, reason, sizeof reason) != ENGINE_OK) {
            complain("%s: %s", agreement.variant->id, reason);
            return EXIT_ENVIRONMENT;
        }
        json_array_append_new(results, agreement_json(&agreement, engine));
        saved = session_save(options, json_incref(results)); /* what is printed is on disk */
        print_agreement(&agreement, engine);
        if (!saved)
            return EXIT_ENVIRONMENT;
        if (agreement.differs)
            exit_status = EXIT_DIFFERS;
    }
    return exit_status;
}

static int run_agree(const struct options *options, const struct catalogue *catalogue)
{
    static const struct engine_kind *const unasked = &engine_kinds[ENGINE_CUDA];
    const struct engine_kind *const *engines =
        options->engine_count > 0 ? options->engines : &unasked;
    size_t count = options->engine_count > 0 ? options->engine_count : 1, opened = 0;
    struct supervisor *host = NULL, *others[ENGINES] = {NULL};
    json_t *results;
    int exit_status;

    for (size_t e = 0; e < count; e++)
        if (engines[e]->id == ENGINE_HOST)
            return complain("--engine host: agree holds other engines to that one"), EXIT_USAGE;
    if (!session_fits(options, catalogue))
        return EXIT_USAGE;
    results = json_array();
    interrupt_catch();
    exit_status = session_save(options, json_incref(results)) ? EXIT_CONFORMS : EXIT_USAGE;
    for (; exit_status == EXIT_CONFORMS && opened < count; opened++) /* before any work is done */
        exit_status = session_open(options, engines[opened]->id, REQUEST_DIGEST, &others[opened]);
    if (exit_status == EXIT_CONFORMS)
        exit_status = session_open(options, ENGINE_HOST, REQUEST_DIGEST, &host);
    if (host != NULL)
        for (size_t e = 0; e < count; e++)
            exit_status = session_worse(
                exit_status, agree_all(options, catalogue, engines[e], host, others[e], results));
    for (size_t e = 0; e < opened; e++)
        session_close(others[e]);
    session_close(host);
    json_decref(results);
    return exit_status;
}

const struct command agree_command = {
    .name = "agree",
    .help = "hold the GPU, or --engine E, to the host engine where a printed form is\n"
            "outside its domain and still has one defined result",
    .run = run_agree,
};
