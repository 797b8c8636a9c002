/* SPDX-License-Identifier: MIT */
#include "agree.h"

#include "complain.h"
#include "interrupt.h"
#include "json_model.h"
#include "outcome_tables.h"
#include "replay_line.h"
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
static struct test_case *cases_outside(const struct plan_request *asked,
                                       const struct variant *variant, size_t *count)
{
    struct plan_request request = *asked;
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

/* The check on one engine. */
struct agree {
    const struct agree_request *request;
    const struct engine_kind *engine;
    struct supervisor *host, *other;
    json_t *results;
    struct agreement agreement; /* of the row that was run last */
    int exit_status;
    char reason[512];
};

/* Runs the cases that have one defined result on the other engine. */
static enum engine_status run_other(struct agree *agree, const struct test_case *cases,
                                    const struct outcome *defined, struct outcome *outcomes)
{
    struct agreement *agreement = &agree->agreement;
    size_t count = agreement->defined;
    enum engine_status status = supervisor_run_array(agree->other, cases, count, outcomes,
                                                     agree->reason, sizeof agree->reason);

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
    return status;
}

/* Fills in the agreement of one variant. */
static enum engine_status compare_variant(struct agree *agree, const struct variant *variant)
{
    struct agreement *agreement = &agree->agreement;
    size_t count;
    struct test_case *cases = cases_outside(&agree->request->selection.cases, variant, &count);
    struct outcome *defined = calloc(count + 1, sizeof *defined);
    struct outcome *outcomes = calloc(count + 1, sizeof *outcomes);
    enum engine_status status = ENGINE_ERROR;

    *agreement = (struct agreement){.variant = variant, .outside = count};
    snprintf(agree->reason, sizeof agree->reason, "out of memory");
    if (cases != NULL && defined != NULL && outcomes != NULL)
        status =
            keep_defined(agree->host, cases, &count, defined, agree->reason, sizeof agree->reason);
    agreement->defined = count;
    if (status == ENGINE_OK)
        status = run_other(agree, cases, defined, outcomes);
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
        replay_line_print(token);
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

/* ---- The check ---- */

static enum row_result run_row(void *context, const struct variant *variant, unsigned int number)
{
    struct agree *agree = context;

    (void)number;
    if (variant->form != FORM_PRINTED || supervisor_lacks(agree->other, variant->need) != NULL)
        return ROW_LEFT_OUT;
    if (compare_variant(agree, variant) != ENGINE_OK) {
        complain("%s: %s", variant->id, agree->reason);
        return ROW_STOP;
    }
    json_array_append_new(agree->results, agreement_json(&agree->agreement, agree->engine));
    if (agree->agreement.differs)
        agree->exit_status = EXIT_DIFFERS;
    return ROW_DONE;
}

static json_t *results(void *context)
{
    const struct agree *agree = context;
    return json_incref(agree->results);
}

static void print_row(void *context)
{
    const struct agree *agree = context;
    print_agreement(&agree->agreement, agree->engine);
}

/* Compares one engine with the host engine. Returns the exit status. */
static int compare_engine(struct session *session, struct agree *agree)
{
    const struct row_loop loop = {.context = agree,
                                  .selection = &agree->request->selection,
                                  .per_variant = 1,
                                  .run = run_row,
                                  .results = results,
                                  .report = print_row};

    printf("%-39s %8s %8s %8s  %s\n", "kernel", "outside", "defined", "equal", agree->engine->name);
    return session_rows(session, &loop) ? session_interrupted(agree->exit_status)
                                        : EXIT_ENVIRONMENT;
}

int agree_check(const struct agree_request *request, struct session *session)
{
    const struct engine_list *engines = &request->engines;
    struct supervisor *host = NULL, *others[ENGINES] = {NULL};
    json_t *rows;
    int status;

    if (engine_list_has(engines, ENGINE_HOST))
        return complain("--engine host: agree holds other engines to that one"), EXIT_USAGE;
    if (!session_fits(session, &request->selection))
        return EXIT_USAGE;
    rows = json_array();
    interrupt_catch();
    status = session_save(session, json_incref(rows)) ? EXIT_CONFORMS : EXIT_USAGE;
    for (size_t e = 0; e < engines->count && status == EXIT_CONFORMS; e++) /* before any work */
        status = session_open(session, engines->kinds[e]->id, REQUEST_DIGEST, &others[e]);
    if (status == EXIT_CONFORMS)
        status = session_open(session, ENGINE_HOST, REQUEST_DIGEST, &host);
    for (size_t e = 0; host != NULL && e < engines->count; e++) {
        struct agree agree = {.request = request,
                              .engine = engines->kinds[e],
                              .host = host,
                              .other = others[e],
                              .results = rows};
        status = session_worse(status, compare_engine(session, &agree));
    }
    for (size_t e = 0; e < engines->count; e++)
        session_close(session, others[e]);
    session_close(session, host);
    json_decref(rows);
    return status;
}
