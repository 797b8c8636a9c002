/* SPDX-License-Identifier: MIT */
#include "sentences.h"

#ifdef SIMTCHECK_ON_GPU
#include "kernel.h"

#include <cuda_runtime_api.h>
#endif

enum { RUNS_ON_GPU = 3 };

struct schedule schedule_tried(int k)
{
    if (k < 2)
        return (struct schedule){k == 0 ? SCHEDULE_SEQUENTIAL : SCHEDULE_REVERSE, 0, {0}};
    return (struct schedule){SCHEDULE_RANDOM, (uint64_t)k, {0}};
}

int schedules_at(const struct place *place)
{
    return place->on_host ? SCHEDULES : RUNS_ON_GPU;
}

bool run_at(const struct place *place, struct nested_call call, char evidence[EVIDENCE],
            struct engine_outcome *outcome)
{
    call.nesting.profile = place->profile;
    call.model = place->model;
    *outcome = nested_run(&call);
    if (outcome->fault.kind != FAULT_NONE)
        snprintf(evidence, EVIDENCE, "%.*s", EVIDENCE - 1, outcome->fault.text);
    return outcome->fault.kind == FAULT_NONE;
}

bool may_leave(const struct place *place, struct nested_call call, uint32_t k, uint32_t value,
               char evidence[EVIDENCE])
{
    for (int s = 0; s < schedules_at(place); s++) {
        struct engine_outcome outcome;
        call.schedule = schedule_tried(s);
        assert_true(run_at(place, call, evidence, &outcome));
        if (nested_out[k] != value)
            continue;
        snprintf(evidence, EVIDENCE, "%s: out[%u] is %u, run %d", call.kernel, k, value, s);
        return true;
    }
    snprintf(evidence, EVIDENCE, "%s: out[%u] is not %u in %d runs", call.kernel, k, value,
             schedules_at(place));
    return false;
}

bool always(const struct place *place, struct nested_call call, bool (*is_right)(void),
            char evidence[EVIDENCE])
{
    for (int s = 0; s < schedules_at(place); s++) {
        struct engine_outcome outcome;
        call.schedule = schedule_tried(s);
        if (!run_at(place, call, evidence, &outcome))
            return false;
        snprintf(evidence, EVIDENCE, "%s, run %d", call.kernel, s);
        if (!is_right())
            return false;
    }
    return true;
}

enum verdict holds_if(bool it_does)
{
    return it_does ? HOLDS : FAILS;
}

enum verdict is_tested_elsewhere(const struct place *place, char evidence[EVIDENCE])
{
    (void)place;
    snprintf(evidence, EVIDENCE, "another test tries it, or ci/bench measures it");
    return UNTRIED;
}

#ifdef SIMTCHECK_ON_GPU
int launch_on_gpu(const char *kernel, uint32_t blocks, uint32_t threads, size_t shared_bytes,
                  unsigned int *words)
{
    unsigned int zero = 0;
    void *arguments[] = {&words, &words, &zero, &zero};

    return (int)cudaLaunchKernel(simt_kernel_find(kernel)->function, (dim3){blocks, 1, 1},
                                 (dim3){threads, 1, 1}, arguments, shared_bytes, NULL);
}
#endif

struct engine_outcome run_catalogue(const struct place *place, const struct catalogue_call *call)
{
    const struct variant *variant = catalogue_find(&simtcheck_catalogue, call->id, call->kind);
    struct invocation invocation;
    struct engine_job job = {
        .invocation = &invocation,
        .values = call->values,
        .model = place->model,
        .schedule = call->schedule,
        .nesting = {.profile = place->profile, .wait_depth = 24},
        .counters = call->counters,
        .races = call->races,
        .race_capacity = call->race_capacity,
    };

    assert_non_null(variant);
    if (job.values.pattern == VALUES_ZEROS)
        job.values.pattern = VALUES_ONES;
    variant->invoke(variant, &call->shape, &invocation);
    invocation.prints = false;
    if (variant->sizes == SIZES_TREE) /* the last argument selects printing */
        invocation.arguments[invocation.argument_count - 1].value = false;
    for (uint32_t k = 0; k < invocation.buffer_count && call->words != NULL; k++)
        if (invocation.buffers[k].role == ROLE_LOG || invocation.buffers[k].role == ROLE_OUTPUT) {
            assert_in_range(invocation.buffers[k].count, 1, OUT_ELEMENTS);
            job.results[k] = call->words;
            break;
        }
    return nested_run_job(&job);
}
