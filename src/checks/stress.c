/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "case_id.h"
#include "error_report.h"
#include "interrupt.h"
#include "json_model.h"
#include "outcome_tables.h"
#include "suspects.h"
#include "trials.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SEGMENTS = 16, /* number of blocks in a reduction */
    DEPTH = 3,     /* maxDepth, for a kernel that has one */
    HIDDEN = 10,   /* if a race is declared, at most one run in this many may be right by luck */
};

static const uint32_t default_blocks[] = {64, 256, 1024};

/* The record of a variant and a block, and what the verdict depends on. */
struct tally {
    const char *id;
    enum variant_kind kind;
    uint32_t block;
    uint64_t runs, wrong, wrong_undelayed, faults;
    bool expected, as_expected;
    const struct variant *variant;
    struct counterexample first; /* the first wrong case */
    const char *why; /* why the known defect does not explain `first`; null: it does, or need not */
};

static const struct field tally_fields[] = {
    FIELD("id", STRING, struct tally, id),
    FIELD("variant", WORD, struct tally, kind, .words = &variant_kind_words),
    FIELD("block", COUNT, struct tally, block),
    FIELD("runs", COUNT, struct tally, runs),
    FIELD("wrong", COUNT, struct tally, wrong),
    FIELD("wrong_undelayed", COUNT, struct tally, wrong_undelayed),
    FIELD("expected", BOOL, struct tally, expected),
    FIELD("as_expected", BOOL, struct tally, as_expected),
};
static const struct table tally_table = TABLE("tally", tally_fields, struct tally);

struct stress {
    const struct selection *selection;
    uint64_t runs; /* of each case */
    const struct session *session;
    struct supervisor *delayed, *undelayed;
    json_t *results;
    struct tally tally; /* the row that was run last */
    size_t surprises, rows;
    struct supervisor *failed; /* its reason explains the failure; null: no failure */
};

/* Chooses the shape that the textbooks use: whole segments and one-dimensional blocks. Returns
 * false if the original variant is wrong there under every schedule. */
static bool choose_shape(const struct variant *variant, uint32_t block, struct shape *shape)
{
    uint32_t violations;

    *shape = (struct shape){{block, 1, 1}, {0, 1}, 0, 0, {0, 0}};
    if (variant->block_dimensions == 0)
        return false;
    shape->size[0] = SEGMENTS * variant_segment(variant, shape);
    if (variant->sizes == SIZES_TREE) {
        shape->size[0] = 4;
        shape->size[1] = variant->size_dimensions == 2 ? block : 1;
        shape->depth = variant_deepest(variant) > 0 ? DEPTH : 0;
    } else if (variant->size_dimensions == 2) {
        shape->size[1] = 3;
    }
    violations = variant_violations(variant, shape);
    for (size_t k = 0; k < domain_count(variant->domain); k++)
        if ((violations >> k & 1) && variant->domain->conditions[k].outside != OUTSIDE_MAY_PASS)
            return false;
    return true;
}

/* Runs the cases without delays and with them. Returns false on error. */
static bool run_tally(struct stress *stress, struct tally *tally, const struct shape *shape)
{
    struct test_case test = {
        .variant = tally->variant, .shape = *shape, .model = MODEL_INDEPENDENT};
    struct trials trials = {.cases = NULL};
    size_t first = 0;

    for (uint64_t k = 0; k < tally->runs; k++) {
        test.values = (struct values){VALUES_HASH, stress->selection->cases.seed + k};
        trials_add(&trials, &test);
    }
    stress->failed = stress->undelayed;
    if (trials_run(&trials, stress->undelayed) == ENGINE_OK) {
        tally->wrong_undelayed = trials_failures(&trials, &first);
        stress->failed = trials_run(&trials, stress->delayed) == ENGINE_OK ? NULL : stress->delayed;
    }
    if (stress->failed == NULL) {
        tally->wrong = trials_failures(&trials, &first);
        tally->first =
            (struct counterexample){.test = trials.cases[first], .outcome = trials.outcomes[first]};
        for (size_t k = 0; k < trials.count; k++)
            tally->faults += trials.outcomes[k].kind == OUTCOME_FAULT;
    }
    trials_free(&trials);
    return stress->failed == NULL;
}

/* Returns whether the known defect should give wrong results. A corrected variant must always be
 * right. */
static bool is_expected(const struct variant *variant)
{
    return variant->known_defect != NULL && variant->kind != VARIANT_CORRECTED &&
           (variant->known_defect->wrong >> MODEL_INDEPENDENT & 1);
}

/* Checks whether the known defect explains the first wrong result. Returns false on error. */
static bool judge_first(struct stress *stress, struct tally *tally)
{
    if (tally->wrong > 0 && is_expected(tally->variant) &&
        suspects_judge(stress->delayed, &engine_kinds[ENGINE_CUDA_STRESS], &tally->first, 1,
                       &tally->why) != ENGINE_OK)
        stress->failed = stress->delayed;
    return stress->failed == NULL;
}

static void judge(struct tally *tally)
{
    tally->expected = is_expected(tally->variant);
    tally->as_expected = tally->faults == 0 && tally->why == NULL &&
                         (tally->expected ? (tally->runs - tally->wrong) * HIDDEN <= tally->runs
                                          : tally->wrong == 0 && tally->wrong_undelayed == 0);
}

static void print_row(void *context)
{
    const struct tally *tally = &((struct stress *)context)->tally;
    char text[OUTCOME_TEXT], size[WORD_SIZE];

    printf(
        "%-39s %-8s %6" PRIu32 " %4" PRIu64 " of %-4" PRIu64 " %4" PRIu64 " of %-4" PRIu64 " %s\n",
        tally->id, variant_kind_name(tally->kind), tally->block, tally->wrong_undelayed,
        tally->runs, tally->wrong, tally->runs,
        tally->as_expected ? tally->expected ? "race, as declared" : "right"
        : tally->expected && tally->faults == 0 && tally->why == NULL ? "declared race not seen (!)"
                                                                      : "wrong (!)");
    if (!tally->as_expected && tally->wrong > 0) {
        outcome_text(&tally->first.outcome, text, sizeof text);
        size_format(&tally->first.test.shape, size);
        printf("    size %s: %s\n", size, text);
        if (tally->why != NULL)
            printf("    the known defect does not explain this result: %s\n", tally->why);
    }
    fflush(stdout);
}

/* ---- The check ---- */

static unsigned int block_count(const struct plan_request *cases)
{
    return cases->blocks != NULL ? (unsigned int)cases->block_count
                                 : sizeof default_blocks / sizeof *default_blocks;
}

static enum row_result run_row(void *context, const struct variant *variant, unsigned int number)
{
    struct stress *stress = context;
    const struct extent *blocks = stress->selection->cases.blocks;
    struct tally *tally = &stress->tally;
    struct shape shape;

    *tally = (struct tally){
        .id = variant->id,
        .kind = variant->kind,
        .variant = variant,
        .block = blocks != NULL ? blocks[number].x : default_blocks[number],
        .runs = stress->runs,
    };
    if (session_lacks(stress->selection, variant, stress->delayed) != NULL ||
        !choose_shape(variant, tally->block, &shape))
        return ROW_LEFT_OUT;
    if (!run_tally(stress, tally, &shape) || !judge_first(stress, tally))
        return ROW_STOP;
    judge(tally);
    stress->rows++;
    stress->surprises += !tally->as_expected;
    json_array_append_new(stress->results, model_json(&tally_table, tally));
    return ROW_DONE;
}

/* Opens both engines. Returns the exit status. */
static int open_engines(struct stress *stress)
{
    const struct session *session = stress->session;
    int status = session_open(session, ENGINE_CUDA_STRESS, REQUEST_RUN, &stress->delayed);

    if (status == EXIT_CONFORMS)
        status = session_open(session, ENGINE_CUDA, REQUEST_RUN, &stress->undelayed);
    if (status == EXIT_UNAVAILABLE && session->require != NULL && session->require->uses_a_gpu)
        status = EXIT_ENVIRONMENT; /* an engine without delays does not qualify either */
    return status;
}

static int run_all(struct stress *stress)
{
    const struct row_loop loop = {.context = stress,
                                  .selection = stress->selection,
                                  .per_variant = block_count(&stress->selection->cases),
                                  .run = run_row,
                                  .rows = stress->results,
                                  .report = print_row};
    bool good;

    printf("%s\n\n%-39s %-8s %6s %10s %11s\n%-39s %-8s %6s %-10s %11s verdict\n",
           supervisor_description(stress->delayed), "", "", "", "wrong", "wrong with", "kernel",
           "variant", "block", " undelayed", "delays");
    good = session_rows(stress->session, &loop);
    if (!good && stress->failed != NULL)
        error_report("%s", supervisor_reason(stress->failed));
    else if (interrupt_came())
        session_interrupted(EXIT_ENVIRONMENT);
    if (!good || interrupt_came())
        return EXIT_ENVIRONMENT;
    if (stress->rows == 0)
        error_report("the domains of the selected kernels allow none of these blocks: give others");
    return stress->surprises > 0 ? EXIT_DIFFERS : stress->rows == 0 ? EXIT_USAGE : EXIT_CONFORMS;
}

int stress_run(const struct rows_request *request, const struct session *session)
{
    const struct selection *selection = &request->selection;
    struct stress stress = {
        .selection = selection, .runs = request->stress_runs, .session = session};
    int status;

    stress.results = json_array();
    status = session_save(session, json_incref(stress.results)) ? open_engines(&stress)
                                                                : EXIT_ENVIRONMENT;
    if (status == EXIT_CONFORMS)
        status = run_all(&stress);
    session_close(session, stress.delayed);
    session_close(session, stress.undelayed);
    json_decref(stress.results);
    return status;
}
