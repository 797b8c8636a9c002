/* SPDX-License-Identifier: MIT */
#include "mutant_run.h"

#include "replay_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Cases ---- */

enum {
    SMALL_SIZES = 6,  /* sizes at the edges: empty, one, the edges of a segment */
    SMALL_SHAPES = 8, /* shapes of a user's launch */
    MAX_LENGTHS = 66,
    RACE_SEED = 1,
    USUAL_GROWTH = 2, /* in per cent: of instructions, as `gate` allows by default */
};

/* Takes the cases of a plan, of at most `most_shapes` of its shapes. */
static void take_plan(struct mutant_sweep *sweep, const struct plan *plan, size_t most_shapes,
                      struct memory *memory)
{
    size_t cases = plan->shape_count <= most_shapes ? plan->cases : plan->shapes[most_shapes].first;
    struct test_case *all;

    sweep->per_shape = plan->per_shape;
    sweep->count = 0;
    sweep->cases = all = memory_take(memory, cases * sizeof *all);
    sweep->digests = memory_take(memory, cases * sizeof *sweep->digests);
    for (size_t k = 0; k < cases; k++) {
        plan_case(plan, k, &all[sweep->count]);
        if (k > plan_shape(plan, k)->first) /* determinism: cases with the same values */
            all[sweep->count].values = all[sweep->count - 1].values;
        if (sweep->request == REQUEST_RACE)
            all[sweep->count].values = (struct values){VALUES_HASH, RACE_SEED};
        sweep->count++;
    }
}

static bool add_sweep(struct mutant_target *target, size_t number, enum request request,
                      const struct plan_request *chosen, size_t most_shapes, struct memory *memory)
{
    struct plan plan;

    if (!plan_make(chosen, target->variant, true, 0, &plan))
        return false;
    target->sweeps[number].request = request;
    take_plan(&target->sweeps[number], &plan, most_shapes, memory);
    plan_free(&plan);
    return true;
}

/* Returns the plan for finding races: two schedules and no random values, because values matter
 * only through atomics. */
static struct plan_request for_races(const struct plan_request *chosen)
{
    struct plan_request request = *chosen;

    if (!request.schedules_chosen) {
        request.schedules[0] = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
        request.schedules[1] = (struct schedule){SCHEDULE_REVERSE, 0, {0}};
        request.schedule_count = 2;
    }
    return request;
}

/* Plans a user's launch as `check` does, the first shapes before all shapes. */
static bool plan_launch(struct mutant_target *target, const struct plan_request *chosen,
                        struct memory *memory)
{
    struct plan_request races = for_races(chosen);

    return add_sweep(target, 0, REQUEST_DIGEST, chosen, SMALL_SHAPES, memory) &&
           add_sweep(target, 1, REQUEST_RACE, &races, SMALL_SHAPES, memory) &&
           add_sweep(target, 2, REQUEST_DIGEST, chosen, SIZE_MAX, memory) &&
           add_sweep(target, 3, REQUEST_RACE, &races, SIZE_MAX, memory);
}

/* Plans a kernel of the catalogue: some edge-case blocks, then the cases of `run` and `races`. If
 * the user names blocks, plans only those. */
static bool plan_variant(struct mutant_target *target, const struct plan_request *chosen,
                         struct memory *memory)
{
    static const struct extent small[] = {{3, 1, 1},   {33, 1, 1}, {64, 1, 1}, {2, 1, 1},
                                          {100, 1, 1}, {1, 1, 1},  {4, 3, 1},  {1, 5, 1},
                                          {8, 8, 1},   {3, 2, 2},  {2, 3, 4}};
    struct extent lengths[MAX_LENGTHS];
    struct plan_request request = for_races(chosen), races;

    if (chosen->block_count == 0) {
        request.blocks = small;
        request.block_count = sizeof small / sizeof *small;
    }
    request.sizes_per_block = SMALL_SIZES;
    races = for_races(chosen);
    if (target->variant->block_dimensions == 1 && chosen->block_count == 0) {
        for (uint32_t b = 1; b <= MAX_LENGTHS - 2; b++)
            lengths[b - 1] = (struct extent){b, 1, 1};
        lengths[MAX_LENGTHS - 2] = (struct extent){256, 1, 1};
        lengths[MAX_LENGTHS - 1] = (struct extent){1024, 1, 1};
        races.blocks = lengths;
        races.block_count = MAX_LENGTHS;
    }
    return add_sweep(target, 0, REQUEST_RUN, &request, SIZE_MAX, memory) &&
           add_sweep(target, 1, REQUEST_RACE, &request, SIZE_MAX, memory) &&
           add_sweep(target, 2, REQUEST_RUN, chosen, SIZE_MAX, memory) &&
           add_sweep(target, 3, REQUEST_RACE, &races, SIZE_MAX, memory);
}

/* Collects the kernels that the cases' launches name. */
static bool take_kernels(struct mutant_target *target)
{
    const struct mutant_sweep *sweep = &target->sweeps[2];

    for (size_t c = 0; c < sweep->count; c++) {
        struct invocation invocation;
        size_t k = 0;
        target->variant->invoke(target->variant, &sweep->cases[c].shape, &invocation);
        while (invocation.kernel != NULL && k < target->kernel_count &&
               strcmp(target->kernels[k], invocation.kernel) != 0)
            k++;
        if (invocation.kernel == NULL || k < target->kernel_count)
            continue;
        if (k == MAX_KERNELS)
            return false;
        target->kernels[target->kernel_count++] = invocation.kernel;
    }
    return true;
}

bool mutant_target_make(const struct plan_request *chosen, const struct variant *variant,
                        struct memory *memory, struct mutant_target *target)
{
    *target = (struct mutant_target){.variant = variant};
    if (!(variant->launch != NULL ? plan_launch : plan_variant)(target, chosen, memory))
        return false;
    if (variant->launch == NULL)
        target->costs = memory_take(memory, target->sweeps[0].count * sizeof *target->costs);
    return take_kernels(target);
}

/* ---- Running ---- */

/* Cases requested at once: at most what one worker takes, because a worker finishes what it has. */
enum { PIECE = 64 };

struct running {
    struct mutant_sweep *sweep;
    uint64_t from; /* the piece's first case */
    bool learns;
    uint64_t first; /* digest of the shape's first case */
    struct mutant_verdict *verdict;
};

static void source(void *context, uint64_t index, struct test_case *test)
{
    const struct running *running = context;
    *test = running->sweep->cases[running->from + index];
}

static void set_verdict(struct mutant_verdict *verdict, enum mutant_kind kind,
                        const struct test_case *test, const char *what)
{
    char shape[SHAPE_TEXT];

    verdict->kind = kind;
    snprintf(verdict->how, sizeof verdict->how, "%s, %s: %.140s",
             shape_text(test->variant, &test->shape, shape), model_name(test->model), what);
}

static bool sink(void *context, uint64_t index, const struct test_case *test,
                 const struct outcome *outcome)
{
    struct running *running = context;
    struct mutant_sweep *sweep = running->sweep;
    char text[OUTCOME_TEXT];

    index += running->from;
    if (outcome->kind != OUTCOME_PASS) {
        outcome_text(outcome, text, sizeof text);
        set_verdict(running->verdict, MUTANT_KILLED, test, text);
        return false;
    }
    if (sweep->request == REQUEST_RACE && outcome->races > 0) {
        set_verdict(running->verdict, MUTANT_KILLED, test, "race");
        return false;
    }
    if (sweep->request != REQUEST_DIGEST)
        return true;
    if (index % sweep->per_shape == 0)
        running->first = outcome->digest;
    if (outcome->digest != running->first) {
        set_verdict(running->verdict, MUTANT_KILLED, test,
                    "the outputs depend on the order of threads");
        return false;
    }
    if (running->learns)
        sweep->digests[index] = outcome->digest;
    else if (outcome->digest != sweep->digests[index] && running->verdict->kind != MUTANT_DIFFERS)
        set_verdict(running->verdict, MUTANT_DIFFERS, test,
                    "the results differ from the unchanged kernel's");
    return true;
}

/* Compares the costs of the first sweep's shapes with those of the unchanged kernel, as `gate`
 * does. A kernel of the catalogue must not cost more. With `learns`, stores them. */
static enum engine_status compare_costs(const struct mutant_target *target,
                                        struct supervisor *supervisor, bool learns,
                                        struct mutant_verdict *verdict)
{
    static const struct allowances allow = {.instructions = USUAL_GROWTH};
    const struct mutant_sweep *sweep = &target->sweeps[0];
    enum engine_status status = ENGINE_OK;

    for (size_t c = 0; target->costs != NULL && c < sweep->count && status == ENGINE_OK &&
                       verdict->kind == MUTANT_SURVIVED;
         c += sweep->per_shape) {
        struct case_cost *before = &target->costs[c / sweep->per_shape], after;
        char what[128];
        status = case_cost_count(supervisor, &sweep->cases[c], &after);
        if (learns)
            *before = after;
        if (status != ENGINE_OK || case_cost_excess(&allow, before, &after) <= 0)
            continue;
        snprintf(what, sizeof what,
                 "higher cost: instructions %" PRIu64 " to %" PRIu64 ", transactions %" PRIu64
                 " to %" PRIu64,
                 before->instructions, after.instructions, before->transactions,
                 after.transactions);
        set_verdict(verdict, MUTANT_KILLED, &sweep->cases[c], what);
    }
    return status;
}

enum engine_status mutant_target_run(const struct mutant_target *target,
                                     struct supervisor *supervisor, bool learns,
                                     struct mutant_verdict *verdict)
{
    enum engine_status status = ENGINE_OK;

    *verdict = (struct mutant_verdict){.kind = MUTANT_SURVIVED};
    for (size_t s = 0; s < MUTANT_SWEEPS && status == ENGINE_OK; s++) {
        struct mutant_sweep sweep = target->sweeps[s];
        struct running running = {.sweep = &sweep, .learns = learns, .verdict = verdict};
        supervisor_ask(supervisor, sweep.request);
        for (; running.from < sweep.count && status == ENGINE_OK; running.from += PIECE) {
            size_t left = sweep.count - running.from;
            status =
                supervisor_run(supervisor, left < PIECE ? left : PIECE, source, sink, &running);
            if (verdict->kind == MUTANT_KILLED)
                return status;
        }
    }
    return status == ENGINE_OK ? compare_costs(target, supervisor, learns, verdict) : status;
}
