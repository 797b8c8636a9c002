/* SPDX-License-Identifier: MIT
 *
 * The CUDA engine: a batch of jobs is filled in, run and inspected on the device, and only packed
 * outputs and violations come back. Jobs of a batch run in several streams, because most are too
 * small to fill a GPU.
 */
#include "clock.h"
#include "contents.h"
#include "engine.h"
#include "kernel.h"
#include "module.h"
#include "regions.h"
#include "tensor_maps.h"
#include "views.h"

#include <cuda_runtime.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sched.h>
#include <unistd.h>
#include <vector>

namespace
{

constexpr size_t BATCH = 256;
constexpr size_t STREAMS = 4;
constexpr unsigned int MAX_THREADS = 8; /* of one process: launching is CPU-bound */
constexpr int SPIN_QUERIES = 200;       /* queries before the wait yields the CPU */
constexpr size_t SLAB_BYTES = (size_t)256 << 20;

} // namespace

struct engine {
    engine_limits limits;
    bool lost;
    uint64_t salt;
    cudaStream_t streams[STREAMS];
    cudaEvent_t prepared, done, joined[STREAMS];
    char *slab; /* device: buffers with their guard zones */
    size_t slab_size;
    uint32_t *packed_device, *packed_host; /* outputs of a batch; the second is pinned */
    size_t packed_words;
    region *regions_device, *regions_host;
    violations *violations_device, *violations_host;
    char *structs; /* device: contents of the batch's arrays of structs */
    size_t structs_size;
    void *launches; /* device: simt_launch_count; null: no kernel launches */
    data_copies data;
    view_objects views; /* of a job that runs alone */
};

/* ---- Errors ---- */

namespace
{

/* Reports a failed call that is not the fault of a single job. The context is lost. */
engine_status lose(engine *engine, const char *call, cudaError_t error, engine_outcome *outcome)
{
    engine->lost = true;
    fault_set(&outcome->fault, FAULT_CRASH, "%s failed: %s (error %d, %s)", call,
              cudaGetErrorString(error), (int)error, cudaGetErrorName(error));
    return ENGINE_LOST;
}

/* Returns true if the launch was rejected and the context is still usable. */
bool is_refused_launch(cudaError_t error)
{
    switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidValue:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorCooperativeLaunchTooLarge:
    case cudaErrorInvalidClusterSize:
        return true;
    default:
        return false;
    }
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            return lose(engine, #call, error_, &outcomes[0]);                                      \
    } while (0)

/* ---- Room ---- */

cudaError_t grow_slab(engine *engine, size_t bytes)
{
    if (bytes <= engine->slab_size)
        return cudaSuccess;
    cudaFree(engine->slab);
    engine->slab = nullptr;
    engine->slab_size = 0;
    cudaError_t error = cudaMalloc(&engine->slab, bytes);
    if (error == cudaSuccess)
        engine->slab_size = bytes;
    return error;
}

cudaError_t grow_packed(engine *engine, size_t words)
{
    if (words <= engine->packed_words)
        return cudaSuccess;
    if (words < 2 * engine->packed_words) /* Pinning memory is slow. */
        words = 2 * engine->packed_words;
    cudaFree(engine->packed_device);
    cudaFreeHost(engine->packed_host);
    engine->packed_device = engine->packed_host = nullptr;
    engine->packed_words = 0;
    cudaError_t error = cudaMalloc(&engine->packed_device, words * sizeof(uint32_t));
    if (error == cudaSuccess)
        error = cudaMallocHost(&engine->packed_host, words * sizeof(uint32_t));
    if (error == cudaSuccess)
        engine->packed_words = words;
    return error;
}

cudaError_t grow(engine *engine, const room &needed)
{
    cudaError_t error = grow_slab(engine, needed.slab);
    return error == cudaSuccess ? grow_packed(engine, needed.packed_words) : error;
}

/* ---- A batch ---- */

/* Lays out all buffers of the batch and returns their number. *pieces gets the number of their
 * pieces, and *packed the number of words to copy back. */
uint32_t lay_out(engine *engine, const engine_job *jobs, size_t count, uint32_t *pieces,
                 size_t *packed)
{
    uint32_t regions = 0;
    size_t used = 0;
    uint64_t guard = guard_words(count);

    *pieces = 0;
    *packed = 0;
    for (size_t j = 0; j < count; j++) {
        for (uint32_t k = 0; k < jobs[j].invocation->buffer_count; k++) {
            const buffer &buffer = jobs[j].invocation->buffers[k];
            region &region = engine->regions_host[regions++];
            region.words = reinterpret_cast<uint32_t *>(engine->slab + used);
            region.guard = guard;
            region.count = words_of(buffer);
            region.padding = buffer.padding;
            region.input = values_filling(&buffer, jobs[j].values);
            if (buffer.fill == FILL_DATA)
                region.input.data = data_on_device(&engine->data, buffer);
            region.purpose = buffer.role;
            region.job = (uint32_t)j;
            region.buffer = k;
            region.packed = nullptr;
            if (jobs[j].results[k] != nullptr) {
                region.packed = engine->packed_device + *packed;
                *packed += region.count;
            }
            used += region_bytes(buffer, guard);
            region.first_piece = *pieces;
            *pieces += pieces_of(region);
        }
    }
    return regions;
}

/* An invocation whose buffers have those regions, with its texture and surface objects. */
struct placed_invocation {
    const struct invocation &invocation;
    const region *regions;
    const view_objects &views;
};

/* Writes what an argument or a pointer of struct number `row` holds: an address, a handle, or a
 * tensor map. Sets *size to its bytes. */
cudaError_t write_object(const placed_invocation &placed, const argument &object, uint64_t row,
                         encoded_map *to, size_t *size)
{
    const auto row_of = [&](uint64_t k) {
        return row_in_region(placed.invocation.buffers[k], placed.regions[k], row);
    };

    *size = sizeof(uint64_t);
    if (object.kind == argument::ARGUMENT_MAP) {
        const tensor_map &map = placed.invocation.maps[object.value];
        *size = sizeof *to;
        return encode_map(map, row_of(map.buffer), to);
    }
    if (object.kind == argument::ARGUMENT_VIEW) {
        memcpy(to, &placed.views.handles[invocation_view(&placed.invocation, object.value, row)],
               *size);
    } else {
        const void *address = row_of(object.value);
        memcpy(to, &address, *size);
    }
    return cudaSuccess;
}

/* Adds the addresses in structs, or the negative ones, to their pointers, which point to the rows
 * of the struct's index, and so handles and each word of tensor maps. A result then has 0 for a
 * pointer that has not changed. */
cudaError_t add_addresses(const placed_invocation &placed, const buffer &buffer, char *structs,
                          uint64_t sign)
{
    const uint64_t size = (uint64_t)buffer.high, low = (uint64_t)buffer.low;
    cudaError_t error = cudaSuccess;

    for (uint64_t k = 0; k < buffer_bytes(&buffer) / size; k++)
        for (uint32_t p = 0; p < placed.invocation.pointer_count && error == cudaSuccess; p++) {
            const auto &pointer = placed.invocation.pointers[p];
            char *at = structs + k * size + (pointer.at - low);
            encoded_map object;
            size_t bytes;
            if (pointer.at < low || pointer.at >= low + size)
                continue;
            error = write_object(placed, pointer.to, k, &object, &bytes);
            for (size_t b = 0; b < bytes; b += sizeof(uint64_t)) {
                uint64_t value, word;
                memcpy(&value, at + b, sizeof value);
                memcpy(&word, object.bytes + b, sizeof word);
                value += sign * word;
                memcpy(at + b, &value, sizeof value);
            }
        }
    return error;
}

/* Copies the contents of the batch's arrays of structs to the device, and lets their regions be
 * filled from there. */
cudaError_t copy_structs(engine *engine, const engine_job *jobs, uint32_t regions)
{
    std::vector<char> contents;
    cudaError_t error = cudaSuccess;

    for (uint32_t r = 0, first = 0; r < regions && error == cudaSuccess; r++) {
        region &region = engine->regions_host[r];
        const invocation &invocation = *jobs[region.job].invocation;
        const buffer &buffer = invocation.buffers[region.buffer];
        first = region.buffer == 0 ? r : first;
        if (buffer.fill != FILL_STRUCTS)
            continue;
        size_t used = contents.size();
        contents.resize(used + buffer_room(&buffer));
        for (size_t at = used; at < used + buffer_bytes(&buffer); at += (size_t)buffer.high)
            memcpy(contents.data() + at, invocation.bytes + buffer.low, (size_t)buffer.high);
        error = add_addresses({invocation, engine->regions_host + first, engine->views}, buffer,
                              contents.data() + used, 1);
        region.input.fill = FILL_DATA;
        region.input.data = reinterpret_cast<const void *>(used); /* until its place is known */
    }
    if (error == cudaSuccess && contents.size() > engine->structs_size) {
        cudaFree(engine->structs);
        engine->structs = nullptr;
        engine->structs_size = 0;
        error = cudaMalloc(&engine->structs, contents.size());
        engine->structs_size = error == cudaSuccess ? contents.size() : 0;
    }
    for (uint32_t r = 0; r < regions && error == cudaSuccess; r++) {
        region &region = engine->regions_host[r];
        if (jobs[region.job].invocation->buffers[region.buffer].fill == FILL_STRUCTS)
            region.input.data = engine->structs + reinterpret_cast<uintptr_t>(region.input.data);
    }
    if (error == cudaSuccess && !contents.empty())
        error =
            cudaMemcpy(engine->structs, contents.data(), contents.size(), cudaMemcpyHostToDevice);
    return error == cudaSuccess && !contents.empty() ? cudaStreamSynchronize(nullptr) : error;
}

cudaError_t launch_one(const invocation &invocation, const host_launch &launch,
                       const region *regions, const view_objects &views, cudaStream_t stream)
{
    const placed_invocation placed = {invocation, regions, views};
    void *arguments[MAX_ARGUMENTS];
    encoded_map values[MAX_ARGUMENTS], object;
    alignas(16) unsigned char bytes[MAX_ARGUMENT_BYTES];
    cudaError_t error = cudaSuccess;
    size_t size = 0;

    memcpy(bytes, invocation.bytes, sizeof bytes);
    for (uint32_t p = 0; p < invocation.pointer_count && error == cudaSuccess; p++) {
        error = write_object(placed, invocation.pointers[p].to, 0, &object, &size);
        memcpy(bytes + invocation.pointers[p].at, &object, size);
    }
    for (uint32_t a = 0; a < launch.argument_count && error == cudaSuccess; a++) {
        const argument &argument = invocation.arguments[launch.first_argument + a];
        arguments[a] =
            argument.kind == argument::ARGUMENT_BYTES ? &bytes[argument.value] : values[a].bytes;
        if (argument.kind == argument::ARGUMENT_VALUE)
            memcpy(&values[a], &argument.value, sizeof argument.value);
        else if (argument.kind == argument::ARGUMENT_VARIABLE)
            error = module_contents(invocation.variables[launch.first_argument + a], &arguments[a]);
        else if (argument.kind != argument::ARGUMENT_BYTES)
            error = write_object(placed, argument, 0, &values[a], &size);
    }
    const void *function;
    if (error == cudaSuccess)
        error = module_function(launch.kernel, &function);
    if (error != cudaSuccess)
        return error;
    if (launch.opts_in)
        error = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(launch.shared_bytes));
    if (error != cudaSuccess)
        return error;
    const dim3 grid(launch.grid.x, launch.grid.y, launch.grid.z),
        block(launch.block.x, launch.block.y, launch.block.z);
    const size_t shared_bytes = launch.shared_bytes + invocation.shared_slack;
    if (launch.is_nonportable)
        error = cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (error != cudaSuccess)
        return error;
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = grid;
    configuration.blockDim = block;
    configuration.dynamicSmemBytes = shared_bytes;
    configuration.stream = stream;
    configuration.attrs = attributes;
    if (launch.is_cooperative) {
        attributes[configuration.numAttrs].id = cudaLaunchAttributeCooperative;
        attributes[configuration.numAttrs++].val.cooperative = 1;
    }
    if (launch.cluster.x != 0 || launch.cluster.y != 0 || launch.cluster.z != 0) {
        cudaLaunchAttribute &attribute = attributes[configuration.numAttrs++];
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = launch.cluster.x;
        attribute.val.clusterDim.y = launch.cluster.y;
        attribute.val.clusterDim.z = launch.cluster.z;
    }
    return cudaLaunchKernelExC(&configuration, function, arguments);
}

/* The streams of launches that may run at the same time, one for each launch, and their events. */
struct fork {
    cudaStream_t streams[MAX_LAUNCHES];
    cudaEvent_t complete[MAX_LAUNCHES], start;
};

/* Launches each grid in a stream of its own, which waits for the streams of the launches before it.
 * `stream` then waits for all. */
cudaError_t launch_in_streams(const invocation &invocation, const region *regions,
                              const view_objects &views, cudaStream_t stream)
{
    fork fork = {};
    uint32_t count = invocation.more_count + 1;
    cudaError_t error = cudaEventCreateWithFlags(&fork.start, cudaEventDisableTiming);

    if (error == cudaSuccess)
        error = cudaEventRecord(fork.start, stream);
    for (uint32_t k = 0; k < count && error == cudaSuccess; k++) {
        const host_launch launch = invocation_launch(&invocation, k);
        error = cudaStreamCreateWithFlags(&fork.streams[k], cudaStreamNonBlocking);
        if (error == cudaSuccess)
            error = cudaEventCreateWithFlags(&fork.complete[k], cudaEventDisableTiming);
        if (error == cudaSuccess)
            error = cudaStreamWaitEvent(fork.streams[k], fork.start, 0);
        for (uint32_t before = 0; before < k && error == cudaSuccess; before++)
            if ((launch.after >> before & 1) != 0)
                error = cudaStreamWaitEvent(fork.streams[k], fork.complete[before], 0);
        if (error == cudaSuccess)
            error = launch_one(invocation, launch, regions, views, fork.streams[k]);
        if (error == cudaSuccess)
            error = cudaEventRecord(fork.complete[k], fork.streams[k]);
        if (error == cudaSuccess)
            error = cudaStreamWaitEvent(stream, fork.complete[k], 0);
    }
    for (uint32_t k = 0; k < count; k++) { /* CUDA frees them when their work is done */
        if (fork.streams[k] != nullptr)
            cudaStreamDestroy(fork.streams[k]);
        if (fork.complete[k] != nullptr)
            cudaEventDestroy(fork.complete[k]);
    }
    if (fork.start != nullptr)
        cudaEventDestroy(fork.start);
    return error;
}

cudaError_t launch_job(const engine_job &job, const region *regions, const view_objects &views,
                       cudaStream_t stream)
{
    const invocation &invocation = *job.invocation;
    cudaError_t error = cudaSuccess;

    if (invocation.kernel == nullptr)
        return cudaSuccess; /* the textbook's host code launches nothing */
    if (!invocation_is_sequence(&invocation))
        return launch_in_streams(invocation, regions, views, stream);
    for (uint32_t k = 0; k <= invocation.more_count && error == cudaSuccess; k++)
        error = launch_one(invocation, invocation_launch(&invocation, k), regions, views, stream);
    return error;
}

/* Waits until all work of the batch in its streams is done. */
engine_status wait_for_batch(engine *engine, engine_outcome *outcomes)
{
    double limit = clock_seconds() + engine->limits.deadline_seconds;
    cudaError_t state;

    for (int queries = 0; (state = cudaEventQuery(engine->done)) == cudaErrorNotReady; queries++) {
        if (queries < SPIN_QUERIES)
            continue;
        if (clock_seconds() > limit) {
            engine->lost = true;
            fault_set(&outcomes[0].fault, FAULT_TIMEOUT,
                      "the kernel is still running at the deadline of %g s (--deadline)",
                      engine->limits.deadline_seconds);
            return ENGINE_LOST;
        }
        usleep(20);
    }
    return state == cudaSuccess ? ENGINE_OK : lose(engine, "a kernel", state, &outcomes[0]);
}

void copy_results(const engine *engine, const engine_job *jobs, uint32_t regions)
{
    for (uint32_t r = 0, first = 0; r < regions; r++) {
        const region &region = engine->regions_host[r];
        const invocation &invocation = *jobs[region.job].invocation;
        void *result = jobs[region.job].results[region.buffer];
        first = region.buffer == 0 ? r : first;
        if (region.packed == nullptr)
            continue;
        memcpy(result, engine->packed_host + (region.packed - engine->packed_device),
               region.count * sizeof(uint32_t));
        if (invocation.buffers[region.buffer].fill == FILL_STRUCTS)
            add_addresses({invocation, engine->regions_host + first, engine->views},
                          invocation.buffers[region.buffer], static_cast<char *>(result),
                          UINT64_MAX);
    }
}

/* Replaces the driver's own message about PTX that is newer than the driver supports. */
const char NEWER_PTX[] =
    "the driver is older than the toolkit and does not support the PTX version of the kernels: "
    "upgrade the driver";

/* The count of nested launches, their limits and the variables of the code belong to the process.
 * Engines lock this mutex to run jobs that use them. */
std::mutex launching;
size_t pending_limit = DEFAULT_PENDING, wait_depth_limit = DEFAULT_WAIT_DEPTH;

/* Sets the limits that the job's launches and waits on the device need, and clears the count of its
 * launches. The job runs alone. */
cudaError_t expect_launches(engine *engine, const engine_job &job)
{
    size_t wanted = job.nesting.pending;

    if (wanted == 0)
        wanted = DEFAULT_PENDING;
    if (wanted != pending_limit) {
        cudaError_t error = cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, wanted);
        if (error != cudaSuccess)
            return error;
        pending_limit = wanted;
    }
    wanted = job.nesting.wait_depth;
    if (wanted == 0)
        wanted = DEFAULT_WAIT_DEPTH;
    if (module_has_device_wait() && job.nesting.profile == PROFILE_CDP1 &&
        wanted != wait_depth_limit) {
        cudaError_t error = cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, wanted);
        if (error != cudaSuccess)
            return error;
        wait_depth_limit = wanted;
    }
    simt_launch_count nothing = {};
    nothing.most = job.nesting.children;
    return engine->launches != nullptr ? cudaMemcpyAsync(engine->launches, &nothing, sizeof nothing,
                                                         cudaMemcpyHostToDevice, engine->streams[0])
                                       : cudaSuccess;
}

/* Reads the count of the job's nested launches, and sets a fault if one failed. */
engine_status count_launches(engine *engine, engine_outcome *outcome)
{
    simt_launch_count count = {};
    engine_outcome *outcomes = outcome;

    if (engine->launches != nullptr) {
        TRY(cudaMemcpyAsync(&count, engine->launches, sizeof count, cudaMemcpyDeviceToHost,
                            engine->streams[0]));
        TRY(cudaStreamSynchronize(engine->streams[0]));
    }
    outcome->children = count.children;
    outcome->child_blocks = count.blocks;
    outcome->child_threads = count.threads;
    outcome->failed_launches = count.failed;
    if (count.failed > 0 && count.error == 0 && outcome->fault.kind == FAULT_NONE)
        fault_set(&outcome->fault, FAULT_RUNAWAY,
                  "launches more than %u child grids, the limit for this case", count.most);
    else if (count.failed > 0 && outcome->fault.kind == FAULT_NONE) {
        const char *name = cudaGetErrorName((cudaError_t)count.error);
        fault_set(&outcome->fault, FAULT_CHILD_LAUNCH,
                  "launches %u child grids of which %u fail: %s (%d), %s",
                  count.children + count.failed, count.failed, name, count.error,
                  cudaGetErrorString((cudaError_t)count.error));
        snprintf(outcome->fault.object, sizeof outcome->fault.object, "%s", name);
    }
    return ENGINE_OK;
}

/* Launches the jobs' kernels in the streams, after the preparation in streams[0]. Later work in
 * streams[0] waits for them. */
engine_status launch_jobs(engine *engine, const engine_job *jobs, size_t count,
                          engine_outcome *outcomes)
{
    uint32_t first_region = 0;
    size_t used = count < STREAMS ? count : STREAMS;

    TRY(cudaEventRecord(engine->prepared, engine->streams[0]));
    for (size_t s = 1; s < used; s++)
        TRY(cudaStreamWaitEvent(engine->streams[s], engine->prepared, 0));
    for (size_t j = 0; j < count; j++) {
        if (jobs[j].invocation->refusal[0] != '\0') {
            fault_set(&outcomes[j].fault, FAULT_LAUNCH, "%s", jobs[j].invocation->refusal);
            first_region += jobs[j].invocation->buffer_count;
            continue;
        }
        cudaError_t error = launch_job(jobs[j], &engine->regions_host[first_region], engine->views,
                                       engine->streams[j % used]);
        first_region += jobs[j].invocation->buffer_count;
        if (error == cudaSuccess)
            continue;
        cudaGetLastError();                            /* clears it */
        if (error == cudaErrorUnsupportedPtxVersion) { /* The driver compiles PTX at its launch. */
            fault_set(&outcomes[0].fault, FAULT_LAUNCH, "%s", NEWER_PTX);
            return ENGINE_ERROR;
        }
        if (!is_refused_launch(error))
            return lose(engine, "a launch", error, &outcomes[0]);
        fault_set(&outcomes[j].fault, FAULT_LAUNCH, "%s (error %d, %s)", cudaGetErrorString(error),
                  (int)error, cudaGetErrorName(error));
    }
    for (size_t s = 1; s < used; s++) {
        TRY(cudaEventRecord(engine->joined[s], engine->streams[s]));
        TRY(cudaStreamWaitEvent(engine->streams[0], engine->joined[s], 0));
    }
    return ENGINE_OK;
}

/* Prepare what the launches of a job that runs alone use besides its regions, and copy its results
 * from there to the regions. */
cudaError_t prepare_alone(engine *engine, const invocation &invocation)
{
    cudaError_t error =
        views_fill(&engine->views, invocation, engine->regions_host, engine->streams[0]);
    return error == cudaSuccess
               ? copy_variables(invocation, engine->regions_host, TO_VARIABLES, engine->streams[0])
               : error;
}

cudaError_t finish_alone(engine *engine, const invocation &invocation)
{
    cudaError_t error =
        views_read(&engine->views, invocation, engine->regions_host, engine->streams[0]);
    return error == cudaSuccess ? copy_variables(invocation, engine->regions_host, FROM_VARIABLES,
                                                 engine->streams[0])
                                : error;
}

engine_status run_batch(engine *engine, const engine_job *jobs, size_t count,
                        engine_outcome *outcomes)
{
    cudaStream_t stream = engine->streams[0];
    uint32_t pieces;
    size_t packed;
    for (size_t j = 0; j < count; j++)
        TRY(data_copy(&engine->data, *jobs[j].invocation));
    uint32_t regions = lay_out(engine, jobs, count, &pieces, &packed);
    engine_status status;
    views_free(&engine->views);
    if (runs_alone(*jobs[0].invocation))
        TRY(views_make(&engine->views, *jobs[0].invocation, engine->regions_host));
    TRY(copy_structs(engine, jobs, regions));

    std::unique_lock<std::mutex> turn(launching, std::defer_lock);
    if (runs_alone(*jobs[0].invocation))
        turn.lock();
    memset(outcomes, 0, count * sizeof *outcomes);
    engine->salt++;
    TRY(cudaMemcpyAsync(engine->regions_device, engine->regions_host, regions * sizeof(region),
                        cudaMemcpyHostToDevice, stream));
    TRY(cudaMemsetAsync(engine->violations_device, 0xff, count * sizeof(violations), stream));
    TRY(regions_prepare(engine->regions_device, regions, pieces, engine->salt, stream));
    if (jobs[0].invocation->launches)
        TRY(expect_launches(engine, jobs[0]));
    if (runs_alone(*jobs[0].invocation))
        TRY(prepare_alone(engine, *jobs[0].invocation));
    status = launch_jobs(engine, jobs, count, outcomes);
    if (status != ENGINE_OK)
        return status;
    if (runs_alone(*jobs[0].invocation))
        TRY(finish_alone(engine, *jobs[0].invocation));
    TRY(regions_inspect(engine->regions_device, regions, pieces, engine->salt,
                        engine->violations_device, stream));
    TRY(cudaMemcpyAsync(engine->violations_host, engine->violations_device,
                        count * sizeof(violations), cudaMemcpyDeviceToHost, stream));
    TRY(cudaMemcpyAsync(engine->packed_host, engine->packed_device, packed * sizeof(uint32_t),
                        cudaMemcpyDeviceToHost, stream));
    TRY(cudaEventRecord(engine->done, stream));
    status = wait_for_batch(engine, outcomes);
    if (status != ENGINE_OK)
        return status;
    TRY(cudaStreamSynchronize(stream)); /* Flushes the output of printf() in kernels. */
    if (jobs[0].invocation->launches) {
        status = count_launches(engine, &outcomes[0]);
        if (status != ENGINE_OK)
            return status;
    }
    copy_results(engine, jobs, regions);
    for (size_t j = 0; j < count; j++)
        if (outcomes[j].fault.kind == FAULT_NONE) /* it was launched */
            regions_judge(engine->violations_host[j], *jobs[j].invocation, guard_words(count),
                          &outcomes[j].fault);
    return ENGINE_OK;
}

/* A correct result may equal the poison by chance. Runs such jobs again with another poison. */
engine_status confirm_unwritten(engine *engine, const engine_job *jobs, size_t count,
                                engine_outcome *outcomes)
{
    for (size_t j = 0; j < count; j++) {
        engine_status status;
        if (outcomes[j].fault.kind != FAULT_UNWRITTEN_OUTPUT)
            continue;
        room needed = room_for(jobs[j], WIDE_GUARD_WORDS); /* alone, with wide guard zones */
        cudaError_t error = grow(engine, needed);
        if (error != cudaSuccess) {
            fault_set(&outcomes[0].fault, FAULT_CRASH, "cannot allocate GPU memory for a case: %s",
                      cudaGetErrorString(error));
            return ENGINE_ERROR;
        }
        status = run_batch(engine, &jobs[j], 1, &outcomes[j]);
        if (status != ENGINE_OK) {
            outcomes[0] = outcomes[j];
            return status;
        }
    }
    return ENGINE_OK;
}

/* Returns how many jobs, from the first on, fit in the slab: at least one. A job that launches runs
 * alone. */
size_t jobs_that_fit(const engine *engine, const engine_job *jobs, size_t count, room *needed)
{
    size_t fit = 0;

    *needed = {0, 0};
    while (fit < count && fit < BATCH) {
        room room = room_for(jobs[fit], guard_words(count));
        if (fit > 0 && (needed->slab + room.slab > engine->slab_size ||
                        runs_alone(*jobs[fit].invocation) || runs_alone(*jobs[0].invocation)))
            break;
        needed->slab += room.slab;
        needed->packed_words += room.packed_words;
        fit++;
    }
    if (fit == 1) /* It runs alone, so it has wide guard zones. */
        *needed = room_for(jobs[0], WIDE_GUARD_WORDS);
    return fit;
}

} // namespace

/* ---- engine.h ---- */

const struct engine_kind *engine_kind(void)
{
    return &engine_kinds[module_engine()];
}

unsigned int engine_threads(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return processors < 2                 ? 1
           : processors > 2 * MAX_THREADS ? MAX_THREADS
                                          : (unsigned int)processors / 2;
}

bool engine_load(const char *path, char *reason, size_t reason_size)
{
    cudaError_t error = module_load(path);

    if (error == cudaErrorUnsupportedPtxVersion)
        snprintf(reason, reason_size, "%s", NEWER_PTX);
    else if (error != cudaSuccess)
        snprintf(reason, reason_size, "cannot load the kernels of %s: %s (error %d, %s)", path,
                 cudaGetErrorString(error), (int)error, cudaGetErrorName(error));
    cudaGetLastError(); /* clears it */
    return error == cudaSuccess;
}

const char *engine_lacks(const struct engine *engine, enum need need)
{
    (void)engine;
    if (need == NEEDS_DEVICE_WAIT && !module_has_device_wait())
        return "this build lacks cudaDeviceSynchronize() in kernels: use CUDA 11, or CUDA 12 below "
               "sm_90 with SIMTCHECK_CDP1=ON";
    if (need == NEEDS_TAIL_LAUNCH && !module_has_tail_launch())
#ifdef CUDA_FORCE_CDP1_IF_SUPPORTED
        return "this build uses CUDA dynamic parallelism 1 (SIMTCHECK_CDP1=ON), which has no tail "
               "launches";
#else
        return "tail launches need CUDA Toolkit 12 or newer";
#endif
    return nullptr;
}

bool engine_last_store(uint32_t, uint64_t, fault_place *)
{
    return false;
}

size_t engine_batch(const struct engine *engine)
{
    (void)engine;
    return BATCH;
}

enum engine_status engine_open(const struct engine_limits *limits, struct engine **result,
                               char *reason, size_t reason_size)
{
    int devices = 0, version = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    engine *opened;

    *result = nullptr;
    if (error != cudaSuccess || devices == 0) {
        cudaDriverGetVersion(&version); /* stays 0 if there is no driver */
        snprintf(reason, reason_size, "no usable GPU: %s",
                 version == 0           ? "no NVIDIA driver (libcuda.so.1)"
                 : error != cudaSuccess ? cudaGetErrorString(error)
                                        : "no CUDA device is visible");
        return ENGINE_UNAVAILABLE;
    }
    opened = static_cast<engine *>(calloc(1, sizeof *opened));
    if (opened == nullptr) {
        snprintf(reason, reason_size, "out of memory");
        return ENGINE_ERROR;
    }
    opened->limits = *limits;
    error = regions_open(); /* Fails if there is no code for this GPU. */
    if (error == cudaSuccess)
        error = module_open(*limits);
    if (error == cudaSuccess)
        error = module_launches(&opened->launches);
    if (error == cudaSuccess)
        error = grow_slab(opened, SLAB_BYTES);
    for (size_t s = 0; s < STREAMS && error == cudaSuccess; s++) {
        error = cudaStreamCreateWithFlags(&opened->streams[s], cudaStreamNonBlocking);
        if (error == cudaSuccess)
            error = cudaEventCreateWithFlags(&opened->joined[s], cudaEventDisableTiming);
    }
    if (error == cudaSuccess)
        error = cudaEventCreateWithFlags(&opened->prepared, cudaEventDisableTiming);
    if (error == cudaSuccess)
        error = cudaEventCreateWithFlags(&opened->done, cudaEventDisableTiming);
    if (error == cudaSuccess)
        error = cudaMalloc(&opened->regions_device, BATCH * MAX_BUFFERS * sizeof(region));
    if (error == cudaSuccess)
        error = cudaMallocHost(&opened->regions_host, BATCH * MAX_BUFFERS * sizeof(region));
    if (error == cudaSuccess)
        error = cudaMalloc(&opened->violations_device, BATCH * sizeof(violations));
    if (error == cudaSuccess)
        error = cudaMallocHost(&opened->violations_host, BATCH * sizeof(violations));
    if (error == cudaSuccess)
        error = grow_packed(opened, 1);
    if (error != cudaSuccess) {
        snprintf(reason, reason_size, "cannot use the GPU: %s (error %d, %s)",
                 cudaGetErrorString(error), (int)error, cudaGetErrorName(error));
        engine_close(opened);
        cudaGetLastError(); /* Clears the error for other engines of this process. */
        return ENGINE_UNAVAILABLE;
    }
    *result = opened;
    return ENGINE_OK;
}

void engine_close(struct engine *engine)
{
    if (engine == nullptr)
        return;
    if (!engine->lost) { /* The end of the process frees a lost or hanging context. */
        for (size_t s = 0; s < STREAMS; s++) {
            if (engine->streams[s] != nullptr)
                cudaStreamDestroy(engine->streams[s]);
            if (engine->joined[s] != nullptr)
                cudaEventDestroy(engine->joined[s]);
        }
        if (engine->prepared != nullptr)
            cudaEventDestroy(engine->prepared);
        if (engine->done != nullptr)
            cudaEventDestroy(engine->done);
        data_free(&engine->data);
        views_free(&engine->views);
        cudaFree(engine->structs);
        cudaFree(engine->slab);
        cudaFree(engine->packed_device);
        cudaFreeHost(engine->packed_host);
        cudaFree(engine->regions_device);
        cudaFreeHost(engine->regions_host);
        cudaFree(engine->violations_device);
        cudaFreeHost(engine->violations_host);
    }
    free(engine);
}

enum engine_status engine_run(struct engine *engine, const struct engine_job *jobs, size_t count,
                              struct engine_outcome *outcomes)
{
    for (size_t done = 0; done < count;) {
        room needed;
        size_t some = jobs_that_fit(engine, jobs + done, count - done, &needed);
        cudaError_t error = grow(engine, needed);
        if (error != cudaSuccess) {
            fault_set(&outcomes[0].fault, FAULT_CRASH, "cannot allocate GPU memory for a case: %s",
                      cudaGetErrorString(error));
            return ENGINE_ERROR;
        }
        engine_status status = run_batch(engine, jobs + done, some, outcomes + done);
        if (status == ENGINE_OK)
            status = confirm_unwritten(engine, jobs + done, some, outcomes + done);
        if (status != ENGINE_OK) {
            if (done > 0)
                outcomes[0] = outcomes[done];
            return status;
        }
        done += some;
    }
    return ENGINE_OK;
}
