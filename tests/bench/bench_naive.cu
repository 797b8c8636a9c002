/* SPDX-License-Identifier: MIT
 *
 * Measures the naive way to run cases on a GPU: copy the inputs in, launch, and copy the outputs
 * out, one case after the other. Allocation, filling the inputs and checking are not timed. Prints
 * a line for each corrected variant whose kernel launches no kernels: its id and cases per second.
 * The cases are a sample of `simtcheck run --engine cuda --level 2 --sizes-per-block 64`.
 */
#include "catalogue.h"
#include "cuda_call.h"
#include "input_values.h"
#include "kernel.h"
extern "C" {
#include "plan.h"
}

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

static double now()
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A buffer of the case on the device, and pageable host memory for it. */
struct place {
    void *device;
    std::vector<char> host;
};

static std::vector<place> places_for(const invocation &invocation, const values &values)
{
    std::vector<place> places(invocation.buffer_count);

    for (uint32_t k = 0; k < invocation.buffer_count; k++) {
        const buffer &buffer = invocation.buffers[k];
        filling filling = values_filling(&buffer, values);
        places[k].host.resize(buffer_room(&buffer));
        for (size_t at = 0; at + sizeof(uint32_t) <= places[k].host.size();
             at += sizeof(uint32_t)) {
            uint32_t word = buffer.role == ROLE_LOG ? 0 : values_word(&filling, at / 4);
            memcpy(places[k].host.data() + at, &word, sizeof word);
        }
        CHECK(cudaMalloc(&places[k].device, places[k].host.size() + 4));
        CHECK(cudaMemcpy(places[k].device, places[k].host.data(), places[k].host.size(),
                         cudaMemcpyHostToDevice));
    }
    return places;
}

/* Runs the case and returns its seconds. */
static double run_case(const invocation &invocation, std::vector<place> &places)
{
    void *values[MAX_ARGUMENTS], *arguments[MAX_ARGUMENTS];
    double start;

    for (uint32_t a = 0; a < invocation.argument_count; a++) {
        const argument &argument = invocation.arguments[a];
        if (argument.kind == argument::ARGUMENT_BUFFER)
            values[a] = places[argument.value].device;
        else
            memcpy(&values[a], &argument.value, sizeof argument.value);
        arguments[a] = &values[a];
    }
    CHECK(cudaDeviceSynchronize());
    start = now();
    for (uint32_t k = 0; k < invocation.buffer_count; k++)
        if (invocation.buffers[k].role != ROLE_OUTPUT)
            CHECK(cudaMemcpy(places[k].device, places[k].host.data(), places[k].host.size(),
                             cudaMemcpyHostToDevice));
    if (invocation.kernel != nullptr)
        CHECK(cudaLaunchKernel(simt_kernel_find(invocation.kernel)->function,
                               dim3(invocation.grid.x, invocation.grid.y, invocation.grid.z),
                               dim3(invocation.block.x, invocation.block.y, invocation.block.z),
                               arguments, invocation.shared_bytes, nullptr));
    for (uint32_t k = 0; k < invocation.buffer_count; k++)
        if (invocation.buffers[k].role == ROLE_OUTPUT)
            CHECK(cudaMemcpy(places[k].host.data(), places[k].device, places[k].host.size(),
                             cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    return now() - start;
}

/* Returns cases per second over a sample of the variant's plan, evenly spread. */
static double rate_of(const variant &variant)
{
    constexpr uint64_t SAMPLE = 1000, WARM_UP = 20;
    plan_request request = {};
    plan plan;
    uint64_t cases = 0, count, step;
    double seconds = 0;

    request.level = 2;
    request.sizes_per_block = 64;
    request.seed = 1;
    request.models[MODEL_LOCKSTEP] = true;
    if (!plan_make(&request, &variant, false, 0, &plan))
        cuda_call(cudaErrorMemoryAllocation, "plan");
    count = plan_count(&plan);
    step = count > SAMPLE ? count / SAMPLE : 1;
    for (uint64_t k = 0; k < count; k += step) {
        test_case test;
        invocation invocation;
        plan_case(&plan, k, &test);
        variant.invoke(&variant, &test.shape, &invocation);
        if (invocation.refusal[0] != '\0')
            continue;
        std::vector<place> places = places_for(invocation, test.values);
        for (uint64_t w = 0; k == 0 && w < WARM_UP; w++)
            run_case(invocation, places);
        seconds += run_case(invocation, places);
        cases++;
        for (place &place : places)
            CHECK(cudaFree(place.device));
    }
    plan_free(&plan);
    return (double)cases / seconds;
}

int main()
{
    for (size_t v = 0; v < simtcheck_catalogue.count; v++) {
        const variant &variant = simtcheck_catalogue.variants[v];
        if (variant.kind != VARIANT_CORRECTED || variant.launches != LAUNCHES_NOTHING)
            continue;
        printf("%s\t%.0f\n", variant.id, rate_of(variant));
        fflush(stdout);
    }
    return 0;
}
