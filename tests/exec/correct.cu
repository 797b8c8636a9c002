/* SPDX-License-Identifier: MIT
 *
 * A program without mistakes. It uses most of what programs use of the runtime, and prints what has
 * a wrong result.
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <thread>

namespace cg = cooperative_groups;

static const int n = 256;
__device__ int device_variable = 5;
__constant__ int constant_variable[4];

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            printf("line %d: %s\n", __LINE__, #condition);                                         \
    } while (0)
#define GOOD(call) CHECK((call) == cudaSuccess)

__global__ void increment(int *x, int by)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += by;
}

/* An exchange without a result only writes. */
__global__ void exchange(int *out)
{
    __shared__ int value;
    atomicExch(&value, 7);
    __syncthreads();
    out[threadIdx.x] = value;
}

__global__ void use_symbols(int *out)
{
    *out = device_variable + constant_variable[3];
}

__global__ void print()
{
    printf("thread %d\n", threadIdx.x);
}

__global__ void cooperative(int *x)
{
    x[blockIdx.x] = blockIdx.x;
    cg::this_grid().sync();
    if (blockIdx.x == 0)
        x[4] = x[0] + x[1] + x[2] + x[3];
}

__global__ void __cluster_dims__(2) clustered(int *x)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    mine = cluster.block_rank() + 1;
    cluster.sync();
    x[blockIdx.x] = *cluster.map_shared_rank(&mine, 1 - cluster.block_rank());
    cluster.sync();
}

static void host_function(void *data)
{
    ++*(int *)data;
}

static void test_memory()
{
    int host[n], *a, *pinned, *managed, registered[n], *pooled, value = 7;
    char rows[3][5] = {"abcd", "efgh", "ijkl"}, back[3][5], *pitched;
    size_t pitch, left, all;
    cudaPointerAttributes attributes;

    for (int i = 0; i < n; i++)
        host[i] = registered[i] = i;
    GOOD(cudaMalloc(&a, sizeof host));
    GOOD(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    increment<<<2, 128>>>(a, 1);
    GOOD(cudaMemcpy(host, a, sizeof host, cudaMemcpyDefault));
    CHECK(host[0] == 1 && host[n - 1] == n);
    GOOD(cudaMallocHost(&pinned, sizeof host));
    GOOD(cudaMemcpyAsync(pinned, a, sizeof host, cudaMemcpyDeviceToHost));
    GOOD(cudaDeviceSynchronize());
    CHECK(pinned[9] == 10);
    GOOD(cudaMallocManaged(&managed, sizeof host));
    memcpy(managed, host, sizeof host);
    increment<<<2, 128>>>(managed, 1);
    GOOD(cudaDeviceSynchronize());
    CHECK(managed[9] == 11);
    GOOD(cudaHostRegister(registered, sizeof registered, 0));
    increment<<<2, 128>>>(registered, 1);
    GOOD(cudaDeviceSynchronize());
    CHECK(registered[9] == 10);
    GOOD(cudaHostUnregister(registered));
    GOOD(cudaMallocPitch(&pitched, &pitch, 5, 3));
    GOOD(cudaMemcpy2D(pitched, pitch, rows, 5, 5, 3, cudaMemcpyHostToDevice));
    GOOD(cudaMemset2D(pitched, pitch, 'x', 1, 3));
    GOOD(cudaMemcpy2D(back, 5, pitched, pitch, 5, 3, cudaMemcpyDeviceToHost));
    CHECK(strcmp(back[2], "xjkl") == 0);
    GOOD(cudaMemcpyToSymbol(constant_variable, &value, sizeof value, 3 * sizeof value));
    use_symbols<<<1, 1>>>(a);
    GOOD(cudaMemcpy(host, a, sizeof *a, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 12);
    exchange<<<1, 32>>>(a);
    GOOD(cudaMemcpy(host, a, 32 * sizeof *a, cudaMemcpyDeviceToHost));
    CHECK(host[31] == 7);
    GOOD(cudaMemcpyFromSymbol(host, device_variable, sizeof *host));
    CHECK(host[0] == 5);
    GOOD(cudaMallocAsync(&pooled, sizeof host, 0));
    GOOD(cudaFreeAsync(pooled, 0));
    GOOD(cudaPointerGetAttributes(&attributes, managed));
    CHECK(attributes.type == cudaMemoryTypeManaged);
    GOOD(cudaMemGetInfo(&left, &all));
    CHECK(left < all);
    GOOD(cudaFree(a));
    GOOD(cudaFree(managed));
    GOOD(cudaFree(pitched));
    GOOD(cudaFreeHost(pinned));
}

static void test_launches()
{
    int *x, host[8], blocks, count = 0;
    void *arguments[] = {&x};
    cudaLaunchConfig_t config = {};
    cudaFuncAttributes attributes;

    GOOD(cudaMalloc(&x, sizeof host));
    GOOD(cudaLaunchCooperativeKernel((void *)cooperative, 4, 1, arguments, 0, 0));
    GOOD(cudaMemcpy(host, x, 5 * sizeof *x, cudaMemcpyDeviceToHost));
    CHECK(host[4] == 6);
    config.gridDim = 4;
    config.blockDim = 1;
    GOOD(cudaLaunchKernelEx(&config, clustered, x));
    GOOD(cudaMemcpy(host, x, 4 * sizeof *x, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 2 && host[1] == 1 && host[2] == 2 && host[3] == 1);
    print<<<1, 2>>>();
    GOOD(cudaLaunchHostFunc(0, host_function, &count));
    GOOD(cudaDeviceSynchronize());
    CHECK(count == 1);
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 256, 0));
    CHECK(blocks == 8);
    GOOD(cudaFuncGetAttributes(&attributes, increment));
    CHECK(attributes.maxThreadsPerBlock == 1024);
    GOOD(cudaFuncSetAttribute(increment, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
    GOOD(cudaFree(x));
}

static void test_memory_of_graphs()
{
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaStream_t stream;
    cudaMemAllocNodeParams given = {};
    cudaGraphNode_t allocation, fill, copy, end;
    cudaMemsetParams set = {};
    cudaGraphNodeType type;
    int *x, *kept, host[n], by = 3;
    size_t bytes;

    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaGraphCreate(&graph, 0));
    given.poolProps.allocType = cudaMemAllocationTypePinned;
    given.poolProps.location.type = cudaMemLocationTypeDevice;
    given.bytesize = sizeof host;
    GOOD(cudaGraphAddMemAllocNode(&allocation, graph, NULL, 0, &given));
    GOOD(cudaGraphNodeGetType(allocation, &type));
    CHECK(type == cudaGraphNodeTypeMemAlloc);
    set.dst = given.dptr;
    set.value = 4;
    set.elementSize = sizeof(int);
    set.width = n;
    set.height = 1;
    GOOD(cudaGraphAddMemsetNode(&fill, graph, &allocation, 1, &set));
    GOOD(cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, host, given.dptr, sizeof host,
                                  cudaMemcpyDefault));
    GOOD(cudaGraphAddMemFreeNode(&end, graph, &copy, 1, given.dptr));
    GOOD(cudaGraphInstantiate(&instance, graph, 0));
    for (int k = 0; k < 2; k++) {
        GOOD(cudaGraphLaunch(instance, stream));
        GOOD(cudaStreamSynchronize(stream));
        CHECK(host[0] == 4 && host[n - 1] == 4);
        host[0] = 0;
    }
    GOOD(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes));
    CHECK(bytes == 0);
    GOOD(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &bytes));
    CHECK(bytes == sizeof host);
    GOOD(cudaGraphExecDestroy(instance));
    GOOD(cudaGraphDestroy(graph));

    /* Captured; the second graph keeps its memory. */
    GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    GOOD(cudaMallocAsync(&x, sizeof host, stream));
    GOOD(cudaMallocAsync(&kept, sizeof host, stream));
    GOOD(cudaMemsetAsync(x, 0, sizeof host, stream));
    GOOD(cudaMemsetAsync(kept, 0, sizeof host, stream));
    increment<<<2, 128, 0, stream>>>(x, by);
    increment<<<2, 128, 0, stream>>>(kept, by);
    GOOD(cudaFreeAsync(x, stream));
    GOOD(cudaStreamEndCapture(stream, &graph));
    GOOD(cudaGraphInstantiate(&instance, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    GOOD(cudaGraphLaunch(instance, stream));
    GOOD(cudaGraphLaunch(instance, stream));
    GOOD(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes));
    CHECK(bytes == sizeof host);
    GOOD(cudaMemcpyAsync(host, kept, sizeof host, cudaMemcpyDefault, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(host[0] == 3 && host[n - 1] == 3);
    GOOD(cudaFreeAsync(kept, stream));
    GOOD(cudaGraphLaunch(instance, stream));
    GOOD(cudaMalloc(&x, sizeof host));
    GOOD(cudaMemcpyAsync(x, kept, sizeof host, cudaMemcpyDefault, stream));
    GOOD(cudaFreeAsync(kept, stream));
    GOOD(cudaStreamSynchronize(stream));
    GOOD(cudaFree(x));
    GOOD(cudaGraphLaunch(instance, stream));
    GOOD(cudaFree(kept));
    GOOD(cudaDeviceGraphMemTrim(0));
    GOOD(cudaGraphExecDestroy(instance));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaStreamDestroy(stream));
}

static void test_graphs()
{
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaStream_t stream, fork;
    cudaEvent_t start, end;
    cudaGraphNode_t fill, kernel, copy;
    cudaMemsetParams set = {};
    cudaKernelNodeParams launch = {};
    int *x, host[n], by = 3;
    void *arguments[] = {&x, &by};
    float ms = -1;

    GOOD(cudaMalloc(&x, sizeof host));
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaStreamCreate(&fork));
    GOOD(cudaEventCreate(&start));
    GOOD(cudaEventCreate(&end));
    GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    GOOD(cudaMemsetAsync(x, 0, sizeof host, stream));
    GOOD(cudaEventRecord(start, stream));
    GOOD(cudaStreamWaitEvent(fork, start));
    increment<<<1, 128, 0, stream>>>(x, 1);
    increment<<<1, 128, 0, fork>>>(x + 128, 2);
    GOOD(cudaEventRecord(end, fork));
    GOOD(cudaStreamWaitEvent(stream, end));
    GOOD(cudaStreamEndCapture(stream, &graph));
    GOOD(cudaGraphInstantiate(&instance, graph, 0));
    GOOD(cudaGraphLaunch(instance, stream));
    GOOD(cudaGraphLaunch(instance, fork)); /* after the first launch */
    GOOD(cudaStreamSynchronize(fork));
    GOOD(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(host[0] == 1 && host[128] == 2);
    GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    GOOD(cudaGraphLaunch(instance, stream)); /* becomes a child graph */
    increment<<<1, 128, 0, stream>>>(x, 1);
    GOOD(cudaGraphExecDestroy(instance));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaStreamEndCapture(stream, &graph));
    GOOD(cudaGraphInstantiate(&instance, graph, 0));
    GOOD(cudaMemsetAsync(x, 9, sizeof host, stream));
    GOOD(cudaGraphLaunch(instance, stream));
    GOOD(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(host[0] == 2 && host[128] == 2);
    GOOD(cudaGraphExecDestroy(instance));
    GOOD(cudaGraphDestroy(graph));

    GOOD(cudaGraphCreate(&graph, 0));
    set.dst = x;
    set.value = 4;
    set.elementSize = sizeof *x;
    set.width = n;
    set.height = 1;
    GOOD(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &set));
    launch.func = (void *)increment;
    launch.gridDim = 2;
    launch.blockDim = 128;
    launch.kernelParams = arguments;
    GOOD(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
    GOOD(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, x, sizeof host,
                                  cudaMemcpyDeviceToHost));
    GOOD(cudaGraphInstantiate(&instance, graph, 0));
    GOOD(cudaEventRecord(start, stream));
    GOOD(cudaGraphLaunch(instance, stream));
    GOOD(cudaEventRecord(end, stream));
    GOOD(cudaEventSynchronize(end));
    CHECK(host[0] == 7 && host[n - 1] == 7);
    GOOD(cudaEventElapsedTime(&ms, start, end));
    CHECK(ms > 0);
    GOOD(cudaGraphExecDestroy(instance));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaStreamDestroy(stream));
    GOOD(cudaStreamDestroy(fork));
    GOOD(cudaEventDestroy(start));
    GOOD(cudaEventDestroy(end));
    GOOD(cudaFree(x));
}

/* What a capture forbids. */
static cudaStream_t captured, other;
static cudaEvent_t recorded;
static int *memory, *page_locked;
static cudaGraph_t other_graph;
static cudaGraphExec_t instance;

/* Captures a fill after a call, which should return that error, and then make the capture invalid.
 * is_other: another thread calls it. The errors are those of an H200. */
static void capture(int line, cudaStreamCaptureMode mode, cudaError_t expected,
                    cudaError_t (*call)(), bool is_other = false,
                    cudaStreamCaptureMode of_thread = cudaStreamCaptureModeGlobal)
{
    const cudaError_t after =
        expected != cudaSuccess ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    cudaStreamCaptureStatus status;
    cudaError_t error, filled, ended;
    cudaGraph_t graph;
    auto calls = [&] {
        cudaThreadExchangeStreamCaptureMode(&of_thread);
        error = call();
        cudaThreadExchangeStreamCaptureMode(&of_thread);
    };

    GOOD(cudaStreamBeginCapture(captured, mode));
    if (is_other)
        std::thread(calls).join();
    else
        calls();
    GOOD(cudaStreamIsCapturing(captured, &status));
    filled = cudaMemsetAsync(memory, 0, sizeof *memory, captured);
    ended = cudaStreamEndCapture(captured, &graph);
    if (error != expected || filled != after || ended != after ||
        (graph != NULL) != (after == cudaSuccess) ||
        (status == cudaStreamCaptureStatusInvalidated) != (after != cudaSuccess))
        printf("line %d: errors %d, %d, %d, status %d\n", line, error, filled, ended, status);
    if (ended == cudaSuccess)
        GOOD(cudaGraphDestroy(graph));
    cudaGetLastError();
}

static void test_captures()
{
    static cudaError_t (*const unsafe[])() = {
        [] { return cudaMalloc(&memory, 64); },
        [] { return cudaFree(memory); },
        [] { return cudaMallocHost(&page_locked, 64); },
        [] { return cudaFreeHost(page_locked); },
        [] { return cudaMallocManaged(&memory, 64); },
        [] { return cudaMallocAsync(&memory, 64, other); },
        [] { return cudaStreamQuery(other); },
        [] { return cudaStreamSynchronize(other); },
        [] { return cudaGraphInstantiate(&instance, other_graph, 0); },
        [] { return cudaEventQuery(recorded); },
        [] { return cudaEventSynchronize(recorded); },
    };
    const cudaError_t refused = cudaErrorStreamCaptureUnsupported;
    const cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal,
                                local = cudaStreamCaptureModeThreadLocal,
                                relaxed = cudaStreamCaptureModeRelaxed;
    cudaStreamCaptureMode mode = relaxed;
    cudaStreamCaptureStatus status;
    cudaGraph_t graph;

    GOOD(cudaMalloc(&memory, 64));
    GOOD(cudaMallocHost(&page_locked, 64));
    GOOD(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking));
    GOOD(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    GOOD(cudaEventCreate(&recorded));
    GOOD(cudaEventRecord(recorded, other));
    GOOD(cudaGraphCreate(&other_graph, 0));
    for (auto call : unsafe) {
        capture(__LINE__, global, refused, call);
        capture(__LINE__, local, refused, call);
        capture(__LINE__, global, refused, call, true);
    }
    auto query = [] { return cudaEventQuery(recorded); };
    capture(__LINE__, relaxed, cudaSuccess, query);
    capture(__LINE__, local, cudaSuccess, query, true);
    capture(__LINE__, relaxed, cudaSuccess, query, true);
    capture(__LINE__, global, cudaSuccess, query, false, relaxed);
    capture(__LINE__, global, refused, query, false, local);
    capture(__LINE__, global, cudaSuccess, query, true, local);
    capture(__LINE__, global, cudaSuccess, query, true, relaxed);
    for (cudaStreamCaptureMode any : {global, relaxed}) {
        capture(__LINE__, any, refused, [] { return cudaDeviceSynchronize(); });
        capture(__LINE__, any, refused, [] { return cudaStreamSynchronize(captured); });
        capture(__LINE__, any, cudaErrorStreamCaptureIsolation,
                [] { return cudaStreamWaitEvent(captured, recorded); });
        capture(__LINE__, any, cudaSuccess, [] { return cudaMemset(memory, 0, 64); });
        capture(__LINE__, any, cudaSuccess,
                [] { return cudaMemcpy(page_locked, memory, 64, cudaMemcpyDefault); });
    }
    GOOD(cudaStreamDestroy(captured));
    GOOD(cudaStreamCreate(&captured)); /* ordered with the legacy stream */
    for (cudaStreamCaptureMode any : {global, relaxed}) {
        const cudaError_t implicit = cudaErrorStreamCaptureImplicit;
        capture(__LINE__, any, implicit, [] { return cudaMemset(memory, 0, 64); });
        capture(__LINE__, any, implicit, [] { return cudaStreamQuery(cudaStreamLegacy); });
        capture(__LINE__, any, implicit, [] { return cudaEventRecord(recorded); });
        capture(__LINE__, any, cudaErrorCapturedEvent, [] {
            GOOD(cudaEventRecord(recorded, captured));
            return cudaEventQuery(recorded);
        });
    }

    GOOD(cudaStreamBeginCapture(captured, local));
    std::thread([&] {
        CHECK(cudaStreamEndCapture(captured, &graph) == cudaErrorStreamCaptureWrongThread);
    }).join();
    GOOD(cudaStreamIsCapturing(captured, &status));
    CHECK(status == cudaStreamCaptureStatusNone);
    GOOD(cudaStreamBeginCapture(captured, relaxed));
    std::thread([&] { GOOD(cudaStreamEndCapture(captured, &graph)); }).join();
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaGraphDestroy(other_graph));
    GOOD(cudaStreamDestroy(other));
    GOOD(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == global);
    GOOD(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == relaxed);
    GOOD(cudaEventDestroy(recorded));
    GOOD(cudaStreamDestroy(captured));
    GOOD(cudaFree(memory));
    GOOD(cudaFreeHost(page_locked));
}

static void test_device()
{
    cudaDeviceProp properties;
    int count, device = -1, can;

    GOOD(cudaGetDeviceCount(&count));
    CHECK(count == 1);
    GOOD(cudaSetDevice(0));
    GOOD(cudaGetDevice(&device));
    CHECK(device == 0 && cudaSetDevice(1) == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice && cudaPeekAtLastError() == cudaSuccess);
    GOOD(cudaGetDeviceProperties(&properties, 0));
    CHECK(properties.major == 9 && properties.minor == 0 && properties.warpSize == 32);
    CHECK(properties.maxThreadsDim[2] == 64 && properties.sharedMemPerBlockOptin == 227 << 10);
    CHECK(properties.clusterLaunch == 1 && properties.maxBlocksPerMultiProcessor == 32);
    GOOD(cudaDeviceCanAccessPeer(&can, 0, 0));
    CHECK(strcmp(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady") == 0);
}

int main()
{
    test_device();
    test_memory();
    test_launches();
    test_graphs();
    test_memory_of_graphs();
    test_captures();
    GOOD(cudaGetLastError());
    puts("end");
    return 0;
}
// says: note: accesses of the host to pageable memory to which a graph copies are not found; first used by cudaGraph
