/* SPDX-License-Identifier: MIT
 *
 * Runs kernels of litmus tests on the local GPU.
 *
 *     simtcheck-worker-litmus                                    prints "sm_90" and the GPU's name
 *     simtcheck-worker-litmus REQUESTS RESULTS LAUNCHES SEED     runs the tests of a file
 *
 * A request is a line: IMAGE BLOCKS CLUSTER PER_BLOCK VARIABLES TERMS. IMAGE is a cubin, or PTX
 * that the driver compiles; the numbers are those of struct litmus_layout and of the test. Results
 * are lines, too: REQUEST COUNT LAUNCHES VALUE ... for each outcome that COUNT instances had, in
 * LAUNCHES launches, or REQUEST error TEXT. Exit status 77: there is no GPU.
 */
#include "aliases.h"
#include "litmus_kernel.h"

#include <cuda_runtime_api.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_OUTCOMES = 64,
    MOST_ITERATIONS = 32,
    INSTANCES = 1 << 17, /* of a launch, at most */
    MOST_BLOCKS = 128,
    SCRATCH_BYTES = 1 << 20,
    DEADLINE = 300, /* seconds for a request; ends the program if the GPU hangs */
};

struct request {
    char image[4096];
    int blocks, cluster, per_block, variables, terms;
};

struct histogram {
    int values[MOST_OUTCOMES][LITMUS_TERMS];
    unsigned long long count[MOST_OUTCOMES];
    int launches[MOST_OUTCOMES]; /* with the outcome */
    int last[MOST_OUTCOMES];     /* the last of them, counted from 1 */
    int used;
    int launch; /* the present one, counted from 1 */
};

/* The GPU, and its memory for all tests. */
static struct {
    int processors;
    void *variables, *results, *meeting, *scratch;
    int *host; /* a copy of the results */
} gpu;

static uint64_t random_state;

static unsigned int random_below(unsigned int limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned int)(random_state >> 33) % limit;
}

/* Returns the first error of the calls, which are evaluated in order. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            return error_;                                                                         \
    } while (0)

static cudaError_t open_gpu(char *name, size_t size, int *architecture)
{
    struct cudaDeviceProp properties;

    TRY(cudaGetDeviceProperties(&properties, 0));
    snprintf(name, size, "%s", properties.name);
    *architecture = 10 * properties.major + properties.minor;
    gpu.processors = properties.multiProcessorCount;
    return cudaSuccess;
}

static cudaError_t allocate(void)
{
    const size_t results_size = (size_t)INSTANCES * LITMUS_TERMS * sizeof(int);

    TRY(cudaMalloc(&gpu.results, results_size));
    if (!aliases_allocate(LITMUS_MEMORY, LITMUS_VARIABLES, &gpu.variables))
        return cudaErrorMemoryAllocation;
    TRY(cudaMalloc(&gpu.meeting, 2 * sizeof(int)));
    TRY(cudaMalloc(&gpu.scratch, SCRATCH_BYTES));
    TRY(cudaMemset(gpu.scratch, 0, SCRATCH_BYTES));
    return cudaMallocHost((void **)&gpu.host, results_size);
}

/* Returns whether the numbers have no common factor. */
static bool are_coprime(unsigned int a, unsigned int b)
{
    while (b != 0) {
        unsigned int rest = a % b;

        a = b;
        b = rest;
    }
    return a == 1;
}

/* Draws which threads share an instance, and when they begin. */
static void draw_threads(const struct request *request, struct litmus_parameters *parameters)
{
    parameters->multiplier = 1;
    if (request->cluster == 1 && random_below(2))
        do
            parameters->multiplier = 1 + random_below(parameters->blocks);
        while (!are_coprime(parameters->multiplier, parameters->blocks));
    parameters->shift = random_below(2) ? random_below((unsigned int)request->per_block) : 0;
    parameters->rotation = random_below(2);
    parameters->delay = random_below(2) ? (2u << random_below(8)) - 1 : 0;
    parameters->busy = random_below(2);
}

/* Draws how many blocks take part, and where variables lie. Returns the number of instances. */
static unsigned int draw(const struct request *request, struct litmus_parameters *parameters)
{
    static const unsigned int distances[] = {4, 8, 16, 32, 64, 128, 256};
    const unsigned int variables = (unsigned int)request->variables;
    const unsigned int distance = distances[random_below(7)];
    const unsigned int group = (unsigned int)request->blocks;
    unsigned int blocks = (unsigned int)gpu.processors, instances;

    blocks = (blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS) >> random_below(4);
    blocks = blocks < group ? group : blocks - blocks % group;
    instances = blocks / group * (unsigned int)request->per_block;
    *parameters = (struct litmus_parameters){
        .variables = (uintptr_t)gpu.variables,
        .results = (uintptr_t)gpu.results,
        .meeting = (uintptr_t)gpu.meeting,
        .scratch = (uintptr_t)gpu.scratch,
        .iteration_bytes = instances * distance * variables,
        .iterations = INSTANCES / instances,
        .blocks = blocks,
    };
    if (parameters->iterations > MOST_ITERATIONS)
        parameters->iterations = MOST_ITERATIONS;
    if (parameters->iterations > LITMUS_MEMORY / parameters->iteration_bytes)
        parameters->iterations = (unsigned int)(LITMUS_MEMORY / parameters->iteration_bytes);
    if (random_below(2)) { /* the variables of an instance lie together */
        parameters->variable_bytes = distance;
        parameters->instance_bytes = distance * variables;
    } else {
        parameters->variable_bytes = distance * instances;
        parameters->instance_bytes = distance;
    }
    draw_threads(request, parameters);
    return instances;
}

/* Launches the kernel `litmus`, with further blocks for stress in half of the launches. */
static cudaError_t launch_litmus(const struct request *request, cudaKernel_t kernel,
                                 struct litmus_parameters *parameters)
{
    const unsigned int cluster = (unsigned int)request->cluster;
    const unsigned int stress =
        random_below(2) ? (unsigned int)gpu.processors / 2 / cluster * cluster : 0;
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension};
    cudaLaunchConfig_t config = {
        .gridDim = {parameters->blocks + stress, 1, 1},
        .blockDim = {LITMUS_BLOCK, 1, 1},
        .attrs = &attribute,
        .numAttrs = cluster > 1,
    };
    void *arguments[] = {parameters};

    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    return cudaLaunchKernelExC(&config, (const void *)kernel, arguments);
}

static cudaError_t launch_each(cudaKernel_t kernel, unsigned int threads,
                               struct litmus_parameters *parameters)
{
    void *arguments[] = {parameters};
    const dim3 grid = {(threads + LITMUS_BLOCK - 1) / LITMUS_BLOCK, 1, 1};
    const dim3 block = {LITMUS_BLOCK, 1, 1};

    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, 0, NULL);
}

/* Counts an outcome. Returns false if there are too many different ones. */
static bool count(struct histogram *histogram, const int *values, int terms)
{
    const size_t size = (size_t)terms * sizeof *values;
    int k = 0;

    while (k < histogram->used && memcmp(histogram->values[k], values, size) != 0)
        k++;
    if (k == MOST_OUTCOMES)
        return false;
    if (k == histogram->used) {
        memcpy(histogram->values[k], values, size);
        histogram->count[k] = 0;
        histogram->launches[k] = histogram->last[k] = 0;
        histogram->used++;
    }
    histogram->count[k]++;
    if (histogram->last[k] != histogram->launch)
        histogram->launches[k]++;
    histogram->last[k] = histogram->launch;
    return true;
}

/* Runs all instances once, and counts their outcomes. */
static cudaError_t run_once(const struct request *request, cudaKernel_t kernels[3],
                            struct histogram *histogram)
{
    struct litmus_parameters parameters;
    const unsigned int instances = draw(request, &parameters);
    const unsigned int threads = instances * parameters.iterations;
    const size_t size = (size_t)threads * (size_t)request->terms * sizeof(int);

    TRY(cudaMemset(gpu.results, 0xa5, size));
    TRY(cudaMemset(gpu.meeting, 0, 2 * sizeof(int)));
    TRY(launch_each(kernels[0], threads, &parameters));
    TRY(launch_litmus(request, kernels[1], &parameters));
    TRY(launch_each(kernels[2], threads, &parameters));
    TRY(cudaMemcpy(gpu.host, gpu.results, size, cudaMemcpyDeviceToHost));
    for (unsigned int k = 0; k < threads; k++)
        if (!count(histogram, &gpu.host[k * (unsigned int)request->terms], request->terms))
            return cudaErrorUnknown;
    return cudaSuccess;
}

static cudaError_t run_request(const struct request *request, int launches,
                               struct histogram *histogram)
{
    static const char *const names[] = {"begin", "litmus", "finish"};
    cudaLibrary_t library;
    cudaKernel_t kernels[3];

    histogram->used = 0;
    TRY(cudaLibraryLoadFromFile(&library, request->image, NULL, NULL, 0, NULL, NULL, 0));
    for (int k = 0; k < 3; k++)
        TRY(cudaLibraryGetKernel(&kernels[k], library, names[k]));
    for (histogram->launch = 1; histogram->launch <= launches; histogram->launch++)
        TRY(run_once(request, kernels, histogram));
    return cudaLibraryUnload(library);
}

static void print_histogram(FILE *results, int number, const struct request *request,
                            const struct histogram *histogram)
{
    for (int k = 0; k < histogram->used; k++) {
        fprintf(results, "%d %llu %d", number, histogram->count[k], histogram->launches[k]);
        for (int term = 0; term < request->terms; term++)
            fprintf(results, " %d", histogram->values[k][term]);
        fputc('\n', results);
    }
}

static bool read_request(FILE *requests, struct request *request)
{
    return fscanf(requests, "%4095s %d %d %d %d %d", request->image, &request->blocks,
                  &request->cluster, &request->per_block, &request->variables,
                  &request->terms) == 6;
}

int main(int argc, char **argv)
{
    static struct histogram histogram;
    struct request request;
    char name[256];
    int architecture;
    FILE *requests, *results;

    alarm(DEADLINE);
    if (open_gpu(name, sizeof name, &architecture) != cudaSuccess)
        return 77;
    if (argc != 5) {
        printf("sm_%d %s\n", architecture, name);
        return argc == 1 ? 0 : 2;
    }
    requests = fopen(argv[1], "r");
    results = fopen(argv[2], "w");
    if (requests == NULL || results == NULL || allocate() != cudaSuccess)
        return 3;
    random_state = strtoull(argv[4], NULL, 10);
    for (int number = 0; read_request(requests, &request); number++) {
        cudaError_t error;

        alarm(DEADLINE);
        error = run_request(&request, atoi(argv[3]), &histogram);

        if (error == cudaSuccess)
            print_histogram(results, number, &request, &histogram);
        else
            fprintf(results, "%d error %s\n", number, cudaGetErrorString(error));
        fflush(results);
    }
    return fclose(results) == 0 ? 0 : 3;
}
