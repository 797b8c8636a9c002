/* SPDX-License-Identifier: MIT */
#include "races_plan.h"

#include "shrink.h"

#include <string.h>

enum {
    SMALL_THREADS = 8,   /* threads of a block whose schedules are searched */
    SMALL_SEGMENTS = 2,  /* elements, in multiples of a block's segment */
    SMALL_ELEMENTS = 33, /* elements, for a launch line, which sets its own block */
    WEAK_SCHEDULES = 16, /* random schedules under weak memory, per shape */
};

bool races_plan(const struct plan_request *asked, const struct variant *variant, enum model model,
                struct plan *plan)
{
    enum { MAX_SMALL = 64 };
    struct extent lengths[MAX_SMALL + 2];
    struct plan_request request = *asked;

    memset(request.models, 0, sizeof request.models);
    request.models[model] = true;
    if (!request.schedules_chosen) {
        request.schedules[0] = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
        request.schedules[1] = (struct schedule){SCHEDULE_REVERSE, 0, {0}};
        request.schedule_count = 2;
        if (asked->weak_memory != 0 && model == MODEL_INDEPENDENT)
            plan_add_weak(request.schedules, &request.schedule_count, asked->seed, WEAK_SCHEDULES);
        request.schedules_chosen = true;
    }
    if (request.blocks == NULL && variant->block_dimensions == 1) {
        for (uint32_t b = 1; b <= MAX_SMALL; b++)
            lengths[b - 1] = (struct extent){b, 1, 1};
        lengths[MAX_SMALL] = (struct extent){256, 1, 1};
        lengths[MAX_SMALL + 1] = (struct extent){1024, 1, 1};
        request.blocks = lengths;
        request.block_count = MAX_SMALL + 2;
    }
    if (!plan_make(&request, variant, true, 0, plan))
        return false;
    plan_keep_inside(plan);
    return true;
}

const struct planned_shape *races_small_launch(const struct plan *plan)
{
    const struct planned_shape *chosen = NULL;

    for (size_t k = 0; k < plan->shape_count; k++) {
        const struct planned_shape *planned = &plan->shapes[k];
        bool is_small = shape_elements(&planned->shape) <= SMALL_ELEMENTS;
        bool was_small = chosen != NULL && shape_elements(&chosen->shape) <= SMALL_ELEMENTS;
        if (chosen == NULL || (is_small && !was_small) ||
            (is_small == was_small &&
             shape_is_smaller(&chosen->shape, &planned->shape) == is_small))
            chosen = planned;
    }
    return chosen;
}

const struct planned_shape *races_small_shape(const struct plan *plan)
{
    const struct planned_shape *chosen = NULL;

    for (size_t k = 0; k < plan->shape_count; k++) {
        const struct planned_shape *planned = &plan->shapes[k];
        uint64_t most = SMALL_SEGMENTS * variant_segment(plan->variant, &planned->shape);
        if (shape_threads(&planned->shape) <= SMALL_THREADS &&
            shape_elements(&planned->shape) <= most &&
            (chosen == NULL || shape_is_smaller(&chosen->shape, &planned->shape)))
            chosen = planned;
    }
    return chosen;
}
