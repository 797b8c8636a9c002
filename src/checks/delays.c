/* SPDX-License-Identifier: MIT */
#include "complain.h"
#include "interrupt.h"
#include "json_model.h"
#include "outcome_tables.h"
#include "session.h"
#include "suspects.h"
#include "token.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEGMENTS = 16, /* blocks of a reduction */
    DEPTH = 3,     /* maxDepth of a kernel that is given one */
    HIDDEN = 10,   /* of so many runs one may be right by luck where a race is claimed */
};

static const uint32_t default_blocks[] = {64, 256, 1024};

struct tally {
    const struct variant *variant;
    uint32_t block;
    uint64_t runs, wrong, faults;
    uint64_t undelayed_wrong;
    struct test_case first; /* that was wrong */
    struct outcome outcome;
    bool claimed, as_claimed;
    const char *why; /* the finding does not explain the first; null: it does, or need not */
};

struct session {
    const struct options *options;
    struct supervisor *delayed, *undelayed;
    json_t *results;
    size_t surprises, rows;
    enum engine_status status;
    char reason[512];
};

/* As the documents use the kernel: whole segments, and blocks of one dimension. False where the
 * printed form is wrong there whatever the order. */
static bool choose_shape(const struct variant *variant, uint32_t block, struct shape *shape)
{
    uint32_t violations;

    *shape = (struct shape){{block, 1, 1}, {0, 1}, 0, 0};
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

/* The runs, with delays and without. */
static bool run_tally(struct session *session, struct tally *tally, const struct shape *shape)
{
    struct test_case *cases = calloc(tally->runs, sizeof *cases);
    struct outcome *outcomes = calloc(tally->runs, sizeof *outcomes);

    session->status = ENGINE_ERROR;
    snprintf(session->reason, sizeof session->reason, "out of memory");
    for (uint64_t k = 0; cases != NULL && k < tally->runs; k++)
        cases[k] = (struct test_case){
            .variant = tally->variant,
            .shape = *shape,
            .values = {VALUES_HASH, session->options->selection.cases.seed + k},
            .model = MODEL_ITS,
        };
    if (cases != NULL && outcomes != NULL)
        session->status = supervisor_run_array(session->undelayed, cases, (size_t)tally->runs,
                                               outcomes, session->reason, sizeof session->reason);
    for (uint64_t k = 0; session->status == ENGINE_OK && k < tally->runs; k++)
        tally->undelayed_wrong += outcomes[k].kind != OUTCOME_PASS;
    if (session->status == ENGINE_OK)
        session->status = supervisor_run_array(session->delayed, cases, (size_t)tally->runs,
                                               outcomes, session->reason, sizeof session->reason);
    for (uint64_t k = 0; session->status == ENGINE_OK && k < tally->runs; k++) {
        if (outcomes[k].kind == OUTCOME_PASS)
            continue;
        if (tally->wrong++ == 0) {
            tally->first = cases[k];
            tally->outcome = outcomes[k];
        }
        tally->faults += outcomes[k].kind == OUTCOME_FAULT;
    }
    free(cases);
    free(outcomes);
    return session->status == ENGINE_OK;
}

/* A total form is right everywhere, whatever it claims. */
static bool is_claimed(const struct variant *variant)
{
    return variant->finding != NULL && variant->form != FORM_TOTAL &&
           (variant->finding->wrong >> MODEL_ITS & 1);
}

/* The first wrong result, held to the finding. */
static bool hold_first(struct session *session, struct tally *tally)
{
    struct witness first = {.test = tally->first, .outcome = tally->outcome};

    if (tally->wrong > 0 && is_claimed(tally->variant))
        session->status =
            suspects_hold(session->delayed, &engine_kinds[ENGINE_CUDA_DELAYED], &first, 1,
                          &tally->why, session->reason, sizeof session->reason);
    return session->status == ENGINE_OK;
}

static void judge(struct tally *tally)
{
    tally->claimed = is_claimed(tally->variant);
    tally->as_claimed = tally->faults == 0 && tally->why == NULL &&
                        (tally->claimed ? (tally->runs - tally->wrong) * HIDDEN <= tally->runs
                                        : tally->wrong == 0 && tally->undelayed_wrong == 0);
}

/* What is written of a tally. */
struct tally_record {
    const char *id;
    enum form form;
    uint32_t block;
    uint64_t runs, wrong, wrong_undelayed;
    bool claimed, as_claimed;
};

static const struct field tally_fields[] = {
    FIELD("id", STRING, struct tally_record, id),
    FIELD("form", WORD, struct tally_record, form, .words = &form_words),
    FIELD("block", COUNT, struct tally_record, block),
    FIELD("runs", COUNT, struct tally_record, runs),
    FIELD("wrong", COUNT, struct tally_record, wrong),
    FIELD("wrong_undelayed", COUNT, struct tally_record, wrong_undelayed),
    FIELD("claimed", BOOL, struct tally_record, claimed),
    FIELD("as_claimed", BOOL, struct tally_record, as_claimed),
};
static const struct table tally_table = TABLE("tally", tally_fields, struct tally_record);

static json_t *tally_json(const struct tally *tally)
{
    const struct tally_record record = {.id = tally->variant->id,
                                        .form = tally->variant->form,
                                        .block = tally->block,
                                        .runs = tally->runs,
                                        .wrong = tally->wrong,
                                        .wrong_undelayed = tally->undelayed_wrong,
                                        .claimed = tally->claimed,
                                        .as_claimed = tally->as_claimed};

    return model_json(&tally_table, &record);
}

/* Saves it, too: what is printed is on disk. */
static bool tell(struct session *session, const struct tally *tally)
{
    char text[512], size[WORD_SIZE];
    bool saved;

    session->rows++;
    session->surprises += !tally->as_claimed;
    json_array_append_new(session->results, tally_json(tally));
    saved = session_save(session->options, json_incref(session->results));
    printf(
        "%-39s %-8s %6" PRIu32 " %4" PRIu64 " of %-4" PRIu64 " %4" PRIu64 " of %-4" PRIu64 " %s\n",
        tally->variant->id, form_name(tally->variant->form), tally->block, tally->undelayed_wrong,
        tally->runs, tally->wrong, tally->runs,
        tally->as_claimed ? tally->claimed ? "race, as claimed" : "right"
        : tally->claimed && tally->faults == 0 && tally->why == NULL ? "the claimed race hides (!)"
                                                                     : "wrong (!)");
    if (!tally->as_claimed && tally->wrong > 0) {
        outcome_text(&tally->outcome, text, sizeof text);
        size_format(&tally->first.shape, size);
        printf("    size %s: %s\n", size, text);
        if (tally->why != NULL)
            printf("    the claimed finding does not explain it: %s\n", tally->why);
    }
    fflush(stdout);
    return saved;
}

static bool run_variant(struct session *session, const struct variant *variant)
{
    const struct options *options = session->options;
    const struct extent *blocks = options->selection.cases.blocks;
    size_t count = blocks != NULL ? options->selection.cases.block_count
                                  : sizeof default_blocks / sizeof *default_blocks;

    for (size_t b = 0; b < count && !interrupt_came(); b++) {
        struct tally tally = {
            .variant = variant,
            .block = blocks != NULL ? blocks[b].x : default_blocks[b],
            .runs = options->runs,
        };
        struct shape shape;
        if (!choose_shape(variant, tally.block, &shape))
            continue;
        if (!run_tally(session, &tally, &shape) || !hold_first(session, &tally))
            return false;
        judge(&tally);
        if (!tell(session, &tally))
            return false;
    }
    return true;
}

/* Opens both engines; else the exit status says why not. */
static int open_engines(struct session *session)
{
    const struct options *options = session->options;
    int status = session_open(options, ENGINE_CUDA_DELAYED, REQUEST_RUN, &session->delayed);

    if (status == EXIT_CONFORMS)
        status = session_open(options, ENGINE_CUDA, REQUEST_RUN, &session->undelayed);
    if (status == EXIT_UNAVAILABLE && options->require != NULL && options->require->uses_a_gpu)
        status = EXIT_ENVIRONMENT; /* one that has no delays will not do either */
    return status;
}

static int run_all(struct session *session, const struct catalogue *catalogue)
{
    bool good = true;

    printf("%s\n\n%-39s %-8s %6s %10s %11s\n%-39s %-8s %6s %-10s %11s verdict\n",
           supervisor_description(session->delayed), "", "", "", "wrong", "wrong with", "kernel",
           "form", "block", " undelayed", "delays");
    for (size_t v = 0; v < catalogue->count && good && !interrupt_came(); v++) {
        const struct variant *variant = &catalogue->variants[v];
        if (selection_has(&session->options->selection, variant) &&
            session_lacks(session->options, variant, session->delayed) == NULL)
            good = run_variant(session, variant);
    }
    if (!good && session->status != ENGINE_OK)
        complain("%s", session->reason);
    else if (interrupt_came())
        session_interrupted(EXIT_ENVIRONMENT);
    if (!good || interrupt_came())
        return EXIT_ENVIRONMENT;
    if (session->rows == 0)
        complain("none of the blocks is one that the kernels' domains allow: give others");
    return session->surprises > 0 ? EXIT_DIFFERS : session->rows == 0 ? EXIT_USAGE : EXIT_CONFORMS;
}

/* choose_shape() makes no others. */
static bool blocks_are_lines(const struct options *options)
{
    const struct plan_request *cases = &options->selection.cases;
    char word[WORD_SIZE];

    for (size_t b = 0; b < cases->block_count; b++) {
        if (cases->blocks[b].y == 1 && cases->blocks[b].z == 1)
            continue;
        block_format(&cases->blocks[b], word);
        return complain("delays takes blocks of one dimension, such as 256, not --block %s", word);
    }
    return true;
}

static int delays(const struct options *options, const struct catalogue *catalogue)
{
    struct session session = {.options = options};
    int status;

    if (!blocks_are_lines(options) || !session_fits(options, catalogue))
        return EXIT_USAGE;
    session.results = json_array();
    interrupt_catch();
    status =
        session_save(options, json_incref(session.results)) ? open_engines(&session) : EXIT_USAGE;
    if (status == EXIT_CONFORMS)
        status = run_all(&session, catalogue);
    session_close(session.delayed);
    session_close(session.undelayed);
    json_decref(session.results);
    return status;
}

const struct command delays_command = {
    .name = "delays",
    .help = "run each kernel --runs N times (default 20) by the engine\n"
            "cuda-delayed and count the wrong results",
    .run = delays,
};
