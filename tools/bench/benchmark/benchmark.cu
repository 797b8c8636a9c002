/* SPDX-License-Identifier: MIT
 *
 * The program simtcheck-benchmark: measures how many bytes per second each reduction of the catalogue
 * reads on the local GPU. It also measures a copy from device to device and CUB's sum. All of them
 * run in turns, so a temporary slowdown of the GPU affects them equally, and each ratio is between
 * runs that are close in time. Writes JSON to standard output, in the format of docs/results.md. Exit
 * status 77: there is no GPU.
 */
#include "catalogue.h"
#include "cuda_call.h"
#include "kernel.h"

#include <cub/device/device_reduce.cuh>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <jansson.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

enum {
    WARM_UPS = 2,
    RUNS = 20,
    BLOCK = 512,
    DEADLINE = 300, /* seconds; ends the program if the GPU hangs */
    FILL_BLOCKS = 1024,
    FILL_THREADS = 256,
};

static const uint64_t sizes[] = {UINT64_C(1) << 28, 1 << 24, 1 << 20, 1 << 16};

/* ---- Input ---- */

/* Returns a number from 0 to 7, so that sums of floats are exact in any order. */
__host__ __device__ static uint32_t value_of(uint64_t i)
{
    return (uint32_t)i * 2654435761u >> 29;
}

/* Writes the values, followed by zeros. */
template <typename Type>
__global__ static void fill(Type *data, uint64_t values, uint64_t count)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x)
        data[i] = i < values ? (Type)value_of(i) : Type(0);
}

static uint64_t sum_of_values(uint64_t n)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++)
        sum += value_of(i);
    return sum;
}

/* ---- What is measured ---- */

class device_memory
{
  public:
    explicit device_memory(size_t bytes)
    {
        CHECK(cudaMalloc(&address, bytes));
    }
    ~device_memory()
    {
        cudaFree(address);
    }
    device_memory(const device_memory &) = delete;
    void operator=(const device_memory &) = delete;

    void *address = nullptr;
};

struct runner {
    std::string kernel;
    const char *kind = nullptr;  /* variant; null: not of the catalogue */
    uint64_t bytes = 0;          /* read, and for the copy also written */
    element type = ELEMENT_I32;  /* of the input */
    uint64_t input_count = 0;    /* elements, with padding */
    std::function<void()> clear; /* prepares the outputs of a run */
    std::function<void()> go;
    std::function<double()> sum; /* of the last run */
    std::string wrong;           /* why it is not measured; empty: it is */
    std::vector<std::unique_ptr<device_memory>> memory;
    std::vector<double> rates; /* bytes per second of each run */
};

/* GPU memory that all runners share. */
struct arena {
    uint64_t n;
    void *in, *copy;
};

static runner copy_runner(const arena &arena)
{
    runner runner;
    size_t bytes = arena.n * sizeof(int);

    runner.kernel = "copy";
    runner.bytes = 2 * bytes;
    runner.input_count = arena.n;
    runner.go = [=] {
        CHECK(cudaMemcpyAsync(arena.copy, arena.in, bytes, cudaMemcpyDeviceToDevice));
    };
    return runner;
}

static runner cub_runner(const arena &arena)
{
    runner runner;
    size_t bytes = 0;
    const int *in = static_cast<const int *>(arena.in);
    int n = static_cast<int>(arena.n), *none = nullptr;

    CHECK(cub::DeviceReduce::Sum(nullptr, bytes, in, none, n));
    runner.memory.emplace_back(new device_memory(bytes + 1));
    runner.memory.emplace_back(new device_memory(sizeof(int)));
    void *room = runner.memory[0]->address;
    int *out = static_cast<int *>(runner.memory[1]->address);
    runner.kernel = "cub::DeviceReduce::Sum";
    runner.bytes = arena.n * sizeof(int);
    runner.input_count = arena.n;
    runner.go = [=]() mutable { CHECK(cub::DeviceReduce::Sum(room, bytes, in, out, n)); };
    runner.sum = [=] {
        int sum;
        CHECK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
        return static_cast<double>(static_cast<uint32_t>(sum));
    };
    return runner;
}

/* Adds up a kernel's outputs on the host. */
template <typename Type>
static double sum_outputs(const void *device, uint64_t count)
{
    std::vector<Type> out(count);
    double sum = 0;

    CHECK(cudaMemcpy(out.data(), device, count * sizeof(Type), cudaMemcpyDeviceToHost));
    for (Type part : out)
        sum += part;
    return sum;
}

/* Returns a runner for a kernel of the catalogue, which launches it as its row says. */
static runner kernel_runner(const variant &variant, const shape &shape, const arena &arena)
{
    runner runner;
    auto call = std::make_shared<invocation>();
    auto addresses = std::make_shared<std::vector<void *>>();

    variant.invoke(&variant, &shape, call.get());
    runner.kernel = variant.id;
    runner.kind = variant_kind_name(variant.kind);
    runner.bytes = arena.n * sizeof(int);
    runner.type = variant.element;
    runner.input_count = call->buffers[0].count;
    const simt_kernel *kernel = simt_kernel_find(call->kernel);
    if (kernel == nullptr) {
        runner.wrong = "this toolkit does not compile the kernel";
        return runner;
    }
    addresses->push_back(arena.in);
    for (uint32_t b = 1; b < call->buffer_count; b++) {
        runner.memory.emplace_back(new device_memory(buffer_room(&call->buffers[b]) + 1));
        addresses->push_back(runner.memory.back()->address);
    }
    runner.clear = [=] {
        for (uint32_t b = 1; b < call->buffer_count; b++)
            CHECK(cudaMemsetAsync((*addresses)[b], call->buffers[b].role == ROLE_LOG ? 0 : 0xff,
                                  buffer_bytes(&call->buffers[b])));
    };
    runner.go = [=] {
        void *arguments[MAX_ARGUMENTS];
        for (uint32_t a = 0; a < call->argument_count; a++)
            arguments[a] = call->arguments[a].kind == argument::ARGUMENT_BUFFER
                               ? (void *)&(*addresses)[call->arguments[a].value]
                               : (void *)&call->arguments[a].value;
        CHECK(cudaLaunchKernel(kernel->function, dim3(call->grid.x), dim3(call->block.x), arguments,
                               call->shared_bytes, nullptr));
    };
    bool floats = variant.element == ELEMENT_F32;
    runner.sum = [=] {
        const void *out = (*addresses)[1];
        return floats ? sum_outputs<float>(out, call->buffers[1].count)
                      : sum_outputs<int>(out, call->buffers[1].count);
    };
    return runner;
}

/* Returns true for a sum by many threads in one launch. Kernels that launch others are left out, because
 * launches dominate their time. */
static bool is_measured(const variant &variant)
{
    return variant.contract == CONTRACT_SUM && variant.launches == LAUNCHES_NOTHING &&
           variant.block_dimensions > 0;
}

/* Returns runners for the copy, CUB and each kernel. A kernel runs in its original variant if that is
 * right for the shape, and otherwise in its corrected variant. */
static std::vector<runner> runners_for(const arena &arena)
{
    const shape shape = {{BLOCK, 1, 1}, {arena.n, 1}, 0, 0, {0, 0}};
    std::vector<runner> runners;

    runners.push_back(copy_runner(arena));
    runners.push_back(cub_runner(arena));
    for (size_t v = 0; v < simtcheck_catalogue.count; v++) {
        const variant &variant = simtcheck_catalogue.variants[v];
        bool is_original = variant.kind == VARIANT_ORIGINAL;
        const struct variant *original =
            is_original ? &variant : catalogue_find(&simtcheck_catalogue, variant.id, VARIANT_ORIGINAL);
        if (is_measured(variant) && (variant_violations(original, &shape) == 0) == is_original)
            runners.push_back(kernel_runner(variant, shape, arena));
    }
    return runners;
}

/* ---- Runs ---- */

/* Returns the seconds of one run on a newly written input. */
static double time_once(const runner &runner, const arena &arena, cudaEvent_t start,
                        cudaEvent_t end)
{
    float milliseconds;

    if (runner.type == ELEMENT_F32)
        fill<<<FILL_BLOCKS, FILL_THREADS>>>((float *)arena.in, arena.n, runner.input_count);
    else
        fill<<<FILL_BLOCKS, FILL_THREADS>>>((int *)arena.in, arena.n, runner.input_count);
    if (runner.clear)
        runner.clear();
    CHECK(cudaEventRecord(start));
    runner.go();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, start, end));
    return milliseconds * 1e-3;
}

static void run_all(std::vector<runner> &runners, const arena &arena)
{
    cudaEvent_t start, end;
    double expected = static_cast<double>(sum_of_values(arena.n));

    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    for (int run = -WARM_UPS; run < RUNS; run++)
        for (runner &runner : runners) {
            if (!runner.wrong.empty())
                continue;
            double seconds = time_once(runner, arena, start, end);
            double sum = runner.sum ? runner.sum() : expected;
            if (sum != expected)
                runner.wrong = "its sum is " + std::to_string((long long)sum) + ", not " +
                               std::to_string((long long)expected);
            else if (run >= 0)
                runner.rates.push_back(static_cast<double>(runner.bytes) / seconds);
        }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
}

/* ---- Rows ---- */

/* Throughput that the textbooks published, with the first kernel of the same benchmark. */
struct published {
    const char *kernel, *first, *gpu;
    double bytes_per_second;
};

static const published published_rows[] = {
    {"reduceInterleaved1", "reduceInterleaved1", "Tesla K80", 4.1e9},
    {"reduceInterleaved2", "reduceInterleaved1", "Tesla K80", 7.7e9},
    {"reduceInterleaved4", "reduceInterleaved1", "Tesla K80", 13.9e9},
    {"reduceInterleaved8", "reduceInterleaved1", "Tesla K80", 24.0e9},
    {"reduceUnrolling8", "reduceUnrolling8", "Tesla V100", 718.53e9},
    {"reduceUnrolling8Loop", "reduceUnrolling8", "Tesla V100", 729.53e9},
};

/* Interpolates linearly between the sorted values. */
static double quantile(std::vector<double> values, double share)
{
    std::sort(values.begin(), values.end());
    double place = share * static_cast<double>(values.size() - 1);
    size_t below = static_cast<size_t>(place), above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

static double median(const std::vector<double> &values)
{
    return quantile(values, 0.5);
}

static json_t *quartiles_json(const std::vector<double> &values)
{
    return json_pack("[f, f]", quantile(values, 0.25), quantile(values, 0.75));
}

/* Returns the ratio of throughput in each run. */
static std::vector<double> ratios(const runner &runner, const struct runner &to)
{
    std::vector<double> result;

    for (size_t k = 0; k < runner.rates.size(); k++)
        result.push_back(runner.rates[k] / to.rates[k]);
    return result;
}

static json_t *published_json(const std::string &kernel)
{
    for (const published &row : published_rows)
        if (kernel == row.kernel)
            return json_pack("{s:s, s:s, s:f}", "gpu", row.gpu, "first", row.first,
                             "bytes_per_second", row.bytes_per_second);
    return json_null();
}

static json_t *row_json(const runner &runner, const struct runner &copy, const struct runner &cub,
                        uint64_t n)
{
    std::vector<double> to_copy = ratios(runner, copy), to_cub = ratios(runner, cub);
    json_t *samples = json_array();

    for (double rate : runner.rates)
        json_array_append_new(samples, json_real(std::round(rate)));
    return json_pack("{s:s, s:s?, s:I, s:o, s:f, s:f, s:f, s:{s:o, s:o, s:o}, s:o, s:o}", "kernel",
                     runner.kernel.c_str(), "variant", runner.kind, "elements", (json_int_t)n, "block",
                     runner.kind != nullptr ? json_integer(BLOCK) : json_null(), "bytes_per_second",
                     std::round(median(runner.rates)), "ratio_to_copy", median(to_copy),
                     "ratio_to_cub", median(to_cub), "spread", "bytes_per_second",
                     quartiles_json(runner.rates), "ratio_to_copy", quartiles_json(to_copy),
                     "ratio_to_cub", quartiles_json(to_cub), "samples", samples, "published",
                     published_json(runner.kernel));
}

/* Adds a row for each runner at that size. If the GPU has too little memory, adds the reason instead. */
static void measure(uint64_t n, json_t *rows, json_t *left_out)
{
    size_t available, total, bytes = (n + BLOCK) * sizeof(int);

    CHECK(cudaMemGetInfo(&available, &total));
    if (3 * bytes > available) {
        json_array_append_new(left_out,
                              json_pack("{s:s, s:I, s:s}", "kernel", "all", "elements",
                                        (json_int_t)n, "reason", "the GPU has too little memory"));
        return;
    }
    device_memory in(bytes), copy(bytes);
    const arena arena = {n, in.address, copy.address};
    std::vector<runner> runners = runners_for(arena);
    run_all(runners, arena);
    if (!runners[1].wrong.empty()) {
        fprintf(stderr, "simtcheck-benchmark: %s: %s\n", runners[1].kernel.c_str(),
                runners[1].wrong.c_str());
        exit(3);
    }
    for (const runner &runner : runners)
        if (runner.wrong.empty())
            json_array_append_new(rows, row_json(runner, runners[0], runners[1], n));
        else
            json_array_append_new(
                left_out, json_pack("{s:s, s:I, s:s}", "kernel", runner.kernel.c_str(), "elements",
                                    (json_int_t)n, "reason", runner.wrong.c_str()));
}

int main()
{
    cudaDeviceProp device;
    json_t *rows = json_array(), *left_out = json_array(), *all;
    bool good;

    alarm(DEADLINE);
    CHECK(cudaGetDeviceProperties(&device, 0));
    for (uint64_t n : sizes)
        measure(n, rows, left_out);
    all = json_pack("{s:s, s:i, s:o, s:o}", "gpu", device.name, "runs", (int)RUNS, "benchmark", rows,
                    "left_out", left_out);
    good =
        json_dumpf(all, stdout, JSON_INDENT(2)) == 0 && putchar('\n') != EOF && fflush(stdout) == 0;
    if (!good)
        perror("simtcheck-benchmark: standard output");
    json_decref(all);
    return good ? 0 : 3;
}
