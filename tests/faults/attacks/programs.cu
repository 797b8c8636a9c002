// SPDX-License-Identifier: MIT
//
// programs NAME runs the program of that name. attacks.tsv says what is wrong in it.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <thread>
#include <unistd.h>

static const int N = 100;
static const char *self;
static int *a, *b, h[N];  // of N elements each; a and b on the GPU
static cudaStream_t s, t; // they do not wait for the default stream
static cudaEvent_t e;

__global__ void fill(int *x, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = v + i;
}

__global__ void inc(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}

__global__ void past(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        x[i] = 1;
}

__global__ void racy(int *x)
{
    x[0] = threadIdx.x;
}

__global__ void lastRace(int *x, int k)
{
    if (k == 2)
        x[0] = threadIdx.x;
}

__global__ void rep(int *x, int k)
{
    x[k ? threadIdx.x : threadIdx.x / 2] = 1;
}

__global__ void sumTo(const int *x, int *o, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    *o = sum;
}

__device__ int symbol[4];

__global__ void useSymbol(int *o)
{
    o[threadIdx.x] = symbol[threadIdx.x];
}

__managed__ int managed;

__global__ void incManaged()
{
    managed++;
}

__global__ void hang(volatile int *f)
{
    while (!*f) {
    }
}

__global__ void waitHost(volatile int *f, int *o)
{
    while (!*f) {
    }
    o[0] = 1;
}

__global__ void dyn(int *o)
{
    extern __shared__ int shared[];
    shared[threadIdx.x] = 1;
    __syncthreads();
    o[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

struct Big {
    int *p;
    int n;
};

__global__ void byStruct(Big big)
{
    big.p[threadIdx.x] = big.n;
}

static int *dev(int n = N)
{
    int *p;
    cudaMalloc(&p, n * sizeof(int));
    return p;
}

static void callback(void *data)
{
    if (data)
        *(int *)data += 1;
}

static int fill_and_copy()
{
    fill<<<2, 64>>>(a, N, 1);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    if (h[99] != 100)
        return 5;
    return 0;
}

static int streams_race()
{
    fill<<<2, 64, 0, s>>>(a, N, 1);
    inc<<<2, 64, 0, t>>>(a, N);
    return 0;
}

static int event_orders()
{
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e);
    inc<<<2, 64, 0, t>>>(a, N);
    return 0;
}

static int event_before_work()
{
    cudaEventRecord(e, s);
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaStreamWaitEvent(t, e);
    inc<<<2, 64, 0, t>>>(a, N);
    return 0;
}

static int pinned_read_early()
{
    int *p;
    cudaMallocHost(&p, sizeof h);
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaMemcpyAsync(p, a, sizeof h, cudaMemcpyDeviceToHost, s);
    printf("%d\n", p[3]);
    cudaStreamSynchronize(s);
    cudaFreeHost(p);
    return 0;
}

static int pinned_read()
{
    int *p;
    cudaMallocHost(&p, sizeof h);
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaMemcpyAsync(p, a, sizeof h, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    printf("%d\n", p[3]);
    cudaFreeHost(p);
    return 0;
}

static int managed_written_early()
{
    incManaged<<<1, 1>>>();
    managed = 3;
    cudaDeviceSynchronize();
    return 0;
}

static int managed_written()
{
    incManaged<<<1, 1>>>();
    cudaDeviceSynchronize();
    if (managed != 1)
        return 5;
    managed = 3;
    return 0;
}

static int captured_branches()
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e);
    inc<<<2, 64, 0, t>>>(b, N);
    cudaEventRecord(e, t);
    cudaStreamWaitEvent(s, e);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaMemsetAsync(b, 0, sizeof h, s);
    cudaGraphLaunch(x, s);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    if (h[0] != 2)
        return 5;
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    return 0;
}

static int graph_without_edge()
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t n1, n2;
    cudaGraphCreate(&g, 0);
    int n = N, v = 1;
    void *p1[] = {&a, &n, &v}, *p2[] = {&a, &n};
    cudaKernelNodeParams k = {};
    k.func = (void *)fill;
    k.gridDim = 2;
    k.blockDim = 64;
    k.kernelParams = p1;
    cudaGraphAddKernelNode(&n1, g, 0, 0, &k);
    k.func = (void *)inc;
    k.kernelParams = p2;
    cudaGraphAddKernelNode(&n2, g, 0, 0, &k);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    return 0;
}

static int block_of_2000()
{
    fill<<<1, 2000>>>(a, N, 1);
    cudaGetLastError();
    return 0;
}

static int shared_above_limit()
{
    dyn<<<1, 32, 60000>>>(a);
    cudaGetLastError();
    return 0;
}

static int shared_opted_in()
{
    cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
    dyn<<<1, 32, 60000>>>(a);
    return 0;
}

static int use_after_free()
{
    fill<<<2, 64>>>(a, N, 1);
    cudaDeviceSynchronize();
    cudaFree(a);
    inc<<<2, 64>>>(a, N);
    cudaDeviceSynchronize();
    a = dev();
    return 0;
}

static int free_twice()
{
    fill<<<2, 64>>>(a, N, 1);
    cudaFree(a);
    cudaFree(a);
    a = dev();
    return 0;
}

static int leak()
{
    fill<<<2, 64>>>(a, N, 1);
    b = dev();
    return 0;
}

static int copy_of_unwritten()
{
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    fill<<<2, 64>>>(a, N, 1);
    return 0;
}

static int symbol_copy_races()
{
    useSymbol<<<1, 4>>>(a);
    h[0] = 7;
    cudaMemcpyToSymbolAsync(symbol, h, 16, 0, cudaMemcpyHostToDevice, s);
    useSymbol<<<1, 4, 0, t>>>(b);
    return 0;
}

static int store_past()
{
    past<<<2, 64>>>(a, N);
    cudaDeviceSynchronize();
    cudaGetLastError();
    return 0;
}

static int exits_at_once()
{
    fill<<<2, 64>>>(a, N, 1);
    cudaDeviceSynchronize();
    racy<<<1, 64>>>(b);
    _exit(0);
}

static int skips_itself()
{
    fill<<<2, 64>>>(a, N, 1);
    cudaDeviceSynchronize();
    return 77;
}

static int exits_with_3()
{
    fill<<<2, 64>>>(a, N, 1);
    cudaDeviceSynchronize();
    return 3;
}

static int is_killed()
{
    fill<<<2, 64>>>(a, N, 1);
    cudaDeviceSynchronize();
    kill(getpid(), SIGKILL);
    return 0;
}

static int no_kernel()
{

    return 0;
}

static int use_after_free_async()
{
    cudaFree(a);
    cudaMallocAsync(&a, sizeof h, s);
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaFreeAsync(a, s);
    inc<<<2, 64, 0, s>>>(a, N);
    cudaStreamSynchronize(s);
    a = dev();
    return 0;
}

static int managed_read_early()
{
    int *p;
    cudaMallocManaged(&p, sizeof h);
    fill<<<2, 64>>>(p, N, 1);
    int q = p[5];
    cudaDeviceSynchronize();
    cudaFree(p);
    printf("%d\n", q);
    return 0;
}

static int copy_races()
{
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaMemcpyAsync(b, a, sizeof h, cudaMemcpyDeviceToDevice, t);
    return 0;
}

static int fill_races()
{
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaMemsetAsync(a + N / 2, 0, N * 2, t);
    return 0;
}

static int halves()
{
    fill<<<2, 64, 0, s>>>(a, N / 2, 1);
    fill<<<2, 64, 0, t>>>(a + N / 2, N / 2, 1);
    return 0;
}

static int copy_past()
{
    fill<<<2, 64>>>(a, N, 1);
    cudaMemcpy(h, a, sizeof h + 4, cudaMemcpyDeviceToHost);
    return 0;
}

static int grid_no_multiple_of_cluster()
{
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = 3;
    cfg.blockDim = 32;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = 2;
    at[0].val.clusterDim.y = 1;
    at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, fill, a, N, 1);
    cudaGetLastError();
    return 0;
}

static int programmatic_launch()
{
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = 2;
    cfg.blockDim = 64;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    at[0].val.programmaticStreamSerializationAllowed = 1;
    cfg.attrs = at;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, fill, a, N, 1);
    cudaLaunchKernelEx(&cfg, inc, a, N);
    return 0;
}

static int waits_on_unwritten()
{
    hang<<<1, 1>>>(b);
    return 0;
}

static int waits_for_ever()
{
    cudaMemset(b, 0, 4);
    hang<<<1, 1>>>(b);
    return 0;
}

static int load_past()
{
    fill<<<2, 64>>>(a, N, 1);
    sumTo<<<1, 1>>>(a, b, N + 1);
    return 0;
}

static int stream_query()
{
    fill<<<2, 64, 0, s>>>(a, N, 1);
    if (cudaStreamQuery(s) == cudaSuccess || cudaStreamQuery(s) == cudaSuccess)
        cudaMemcpyAsync(h, a, sizeof h, cudaMemcpyDeviceToHost, t);
    return 0;
}

static int unsupported_call()
{
    cudaIpcMemHandle_t m;
    fill<<<2, 64>>>(a, N, 1);
    if (cudaIpcGetMemHandle(&m, a) != cudaSuccess)
        cudaGetLastError();
    return 0;
}

static int wrong_direction()
{
    cudaMemcpy(a, h, sizeof h, cudaMemcpyDeviceToHost);
    fill<<<2, 64>>>(a, N, 1);
    return 0;
}

static int captured_only()
{
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaGraph_t g;
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaStreamEndCapture(s, &g);
    cudaGraphDestroy(g);
    return 0;
}

static int grid_of_0()
{
    fill<<<0, 64>>>(a, N, 1);
    cudaGetLastError();
    fill<<<2, 64>>>(a, N, 1);
    return 0;
}

static int pinned_source_written_early()
{
    int *p;
    cudaMallocHost(&p, sizeof h);
    memset(p, 0, sizeof h);
    cudaMemcpyAsync(a, p, sizeof h, cudaMemcpyHostToDevice, s);
    p[0] = 1;
    inc<<<2, 64, 0, s>>>(a, N);
    cudaStreamSynchronize(s);
    cudaFreeHost(p);
    return 0;
}

static int free_host_waits()
{
    int *p;
    cudaMallocHost(&p, sizeof h);
    memset(p, 0, sizeof h);
    cudaMemcpyAsync(a, p, sizeof h, cudaMemcpyHostToDevice, s);
    cudaFreeHost(p);
    inc<<<2, 64, 0, s>>>(a, N);
    return 0;
}

static int pinned_reused_after_event()
{
    int *p;
    cudaMallocHost(&p, sizeof h);
    memset(p, 0, sizeof h);
    cudaMemcpyAsync(a, p, sizeof h, cudaMemcpyHostToDevice, s);
    cudaEventRecord(e, s);
    cudaEventSynchronize(e);
    p[0] = 1;
    inc<<<2, 64, 0, s>>>(a, N);
    cudaStreamSynchronize(s);
    cudaFreeHost(p);
    return 0;
}

static int another_thread_waits()
{
    int *p;
    cudaMallocHost(&p, sizeof h);
    memset(p, 0, sizeof h);
    std::thread([&] { p[1] = 2; }).join();
    cudaMemcpyAsync(a, p, sizeof h, cudaMemcpyHostToDevice, s);
    std::thread([&] { cudaStreamSynchronize(s); }).join();
    p[0] = 1;
    inc<<<2, 64, 0, s>>>(a, N);
    cudaStreamSynchronize(s);
    cudaFreeHost(p);
    return 0;
}

static int third_launch_races()
{
    fill<<<2, 64>>>(a, N, 1);
    for (int k = 0; k < 3; k++)
        lastRace<<<1, 64>>>(b, k);
    return 0;
}

static int waits_for_another_stream()
{
    cudaMemset(b, 0, 4);
    waitHost<<<1, 1>>>(b, a);
    cudaMemcpyAsync(b, h, 4, cudaMemcpyHostToDevice, s);
    return 0;
}

static int host_function()
{
    static int v = 0;
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaLaunchHostFunc(s, callback, &v);
    cudaStreamSynchronize(s);
    if (v != 1)
        return 5;
    return 0;
}

static int struct_argument()
{
    Big g = {a, 3};
    byStruct<<<1, 101>>>(g);
    cudaDeviceSynchronize();
    return 0;
}

static int pitched_fill_past()
{
    size_t pitch;
    char *p;
    cudaMallocPitch(&p, &pitch, 12, 5);
    cudaMemset2D(p, pitch, 0, 12, 5);
    cudaMemset(p + 5 * pitch, 0, 4);
    cudaFree(p);
    fill<<<2, 64>>>(a, N, 1);
    return 0;
}

static int mapped_written_early()
{
    int *p;
    cudaHostAlloc(&p, sizeof h, cudaHostAllocMapped);
    memset(p, 0, sizeof h);
    int *d;
    cudaHostGetDevicePointer(&d, p, 0);
    inc<<<2, 64>>>(d, N);
    p[0] = 5;
    cudaDeviceSynchronize();
    cudaFreeHost(p);
    return 0;
}

static int event_query()
{
    cudaEventQuery(e);
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaEventRecord(e, s);
    while (cudaEventQuery(e) == cudaErrorNotReady) {
    }
    cudaMemcpyAsync(h, a, sizeof h, cudaMemcpyDeviceToHost, t);
    return 0;
}

static int misaligned()
{
    char *q = (char *)a + 2;
    fill<<<1, 32>>>((int *)q, 10, 1);
    cudaDeviceSynchronize();
    return 0;
}

static int managed_waits_for_other_stream()
{
    int *p;
    cudaMallocManaged(&p, sizeof h);
    memset(p, 0, sizeof h);
    inc<<<2, 64, 0, s>>>(p, N);
    cudaStreamSynchronize(t);
    p[0] = 1;
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}

static int same_value_race()
{
    cudaStreamAttrValue w;
    memset(&w, 0, sizeof w);
    fill<<<2, 64>>>(a, N, 1);
    rep<<<1, 64>>>(b, 1);
    rep<<<1, 64>>>(b, 0);
    return 0;
}

static int device_reset()
{
    fill<<<2, 64>>>(a, N, 1);
    cudaDeviceReset();
    exit(0);
}

static int event_destroyed()
{
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaEventRecord(e, s);
    cudaEventDestroy(e);
    inc<<<2, 64, 0, t>>>(a, N);
    cudaEventCreate(&e);
    return 0;
}

static int registered_page_written_early()
{
    int *p = (int *)aligned_alloc(4096, 4096);
    memset(p, 0, 4096);
    cudaHostRegister(p, 4096, 0);
    int *d = dev(1024);
    cudaMemcpyAsync(d, p, 4096, cudaMemcpyHostToDevice, s);
    p[0] = 1;
    cudaStreamSynchronize(s);
    inc<<<2, 64>>>(d, N);
    cudaHostUnregister(p);
    free(p);
    cudaFree(d);
    return 0;
}

static int part_of_managed_read_early()
{
    int *p;
    cudaMallocManaged(&p, 65536);
    memset(p, 0, 65536);
    fill<<<2, 64>>>(p, N, 5);
    printf("%d\n", p[0]);
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}

static int other_part_of_page()
{
    int *p;
    cudaMallocHost(&p, 65536);
    memset(p, 0, 65536);
    cudaMemcpyAsync(a, p, sizeof h, cudaMemcpyHostToDevice, s);
    p[N] = 1;
    cudaStreamSynchronize(s);
    inc<<<2, 64>>>(a, N);
    cudaFreeHost(p);
    return 0;
}

static int one_buffer_twice()
{
    int *p;
    cudaMallocHost(&p, 4 * N);
    memset(p, 0, 4 * N);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < N; i++)
            p[i] = k;
        cudaMemcpyAsync(k ? b : a, p, sizeof h, cudaMemcpyHostToDevice, s);
    }
    cudaStreamSynchronize(s);
    inc<<<2, 64>>>(a, N);
    cudaFreeHost(p);
    return 0;
}

static int blocking_stream()
{
    cudaStream_t d;
    cudaStreamCreate(&d);
    fill<<<2, 64, 0, d>>>(a, N, 1);
    inc<<<2, 64>>>(a, N);
    fill<<<2, 64, 0, d>>>(a, N, 2);
    cudaStreamDestroy(d);
    return 0;
}

static int legacy_waits_for_thread()
{
    fill<<<2, 64, 0, cudaStreamPerThread>>>(a, N, 1);
    inc<<<2, 64, 0, cudaStreamLegacy>>>(a, N);
    return 0;
}

static int thread_and_non_blocking()
{
    fill<<<2, 64, 0, cudaStreamPerThread>>>(a, N, 1);
    inc<<<2, 64, 0, s>>>(a, N);
    return 0;
}

static int copy_of_nothing()
{
    cudaMemcpyAsync(h, a, 0, cudaMemcpyDeviceToHost, s);
    fill<<<2, 64>>>(a, N, 1);
    return 0;
}

static int executes_itself()
{
    setenv("LD_LIBRARY_PATH", "", 1);
    fill<<<2, 64>>>(a, N, 1);
    cudaDeviceSynchronize();
    execl(self, self, "store_past", (char *)0);
    return 9;
}

static int closes_outputs()
{
    fill<<<2, 64>>>(a, N, 1);
    cudaDeviceSynchronize();
    close(2);
    close(1);
    fill<<<2, 64>>>(b, N + 1, 1);
    return 0;
}

static int closes_files()
{
    fill<<<2, 64>>>(a, N, 1);
    cudaDeviceSynchronize();
    for (int k = 3; k < 1024; k++)
        close(k);
    fill<<<2, 64>>>(b, N + 1, 1);
    return 0;
}

static int clears_environment()
{
    fill<<<2, 64>>>(a, N, 1);
    cudaDeviceSynchronize();
    chdir("/");
    clearenv();
    fill<<<2, 64>>>(b, N + 1, 1);
    return 0;
}

static int waits_for_other_stream()
{
    fill<<<1, 128, 0, s>>>(a, N, 0);
    cudaStreamSynchronize(t);
    inc<<<1, 128, 0, t>>>(a, N);
    return 0;
}

static int time_passes()
{
    fill<<<1, 128, 0, s>>>(a, N, 0);
    cudaLaunchHostFunc(s, callback, 0);
    usleep(500000);
    inc<<<1, 128, 0, t>>>(a, N);
    return 0;
}

static int stream_destroyed()
{
    fill<<<1, 128, 0, s>>>(a, N, 0);
    cudaStreamDestroy(s);
    inc<<<1, 128, 0, t>>>(a, N);
    cudaStreamCreate(&s);
    return 0;
}

static int part_of_page_written_early()
{
    int *p;
    cudaMallocHost(&p, 65536);
    memset(p, 0, 65536);
    cudaMemcpyAsync(a, p, sizeof h, cudaMemcpyHostToDevice, s);
    p[0] = 1;
    cudaStreamSynchronize(s);
    inc<<<1, 128, 0, s>>>(a, N);
    cudaFreeHost(p);
    return 0;
}

static int part_of_page_read_early()
{
    int *p;
    cudaMallocHost(&p, 65536);
    fill<<<1, 128, 0, s>>>(a, N, 0);
    cudaMemcpyAsync(p, a, sizeof h, cudaMemcpyDeviceToHost, s);
    printf("%d\n", p[0]);
    cudaStreamSynchronize(s);
    cudaFreeHost(p);
    return 0;
}

static int registered_written_early()
{
    int *p = (int *)malloc(sizeof h);
    memset(p, 0, sizeof h);
    cudaHostRegister(p, sizeof h, 0);
    cudaMemcpyAsync(a, p, sizeof h, cudaMemcpyHostToDevice, s);
    p[0] = 1;
    cudaStreamSynchronize(s);
    inc<<<1, 128, 0, s>>>(a, N);
    cudaStreamSynchronize(s);
    cudaHostUnregister(p);
    free(p);
    return 0;
}

static int cooperative_too_large()
{
    int n = N;
    void *p[] = {&a, &n};
    fill<<<1, 128>>>(a, N, 0);
    cudaLaunchCooperativeKernel((void *)inc, dim3(100000), dim3(1024), p, 0, 0);
    cudaGetLastError();
    return 0;
}

static int destroyed_stream_used()
{
    cudaStreamDestroy(s);
    inc<<<1, 128, 0, s>>>(a, N);
    cudaGetLastError();
    fill<<<1, 128>>>(a, N, 0);
    cudaStreamCreate(&s);
    return 0;
}

static int one_graph_twice()
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaMemset(a, 0, sizeof h);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    inc<<<1, 128, 0, s>>>(a, N);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    cudaGraphLaunch(x, t);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    return 0;
}

static int copy_overlaps_itself()
{
    fill<<<1, 128>>>(a, N, 0);
    cudaMemcpy(a, a + 10, 200, cudaMemcpyDeviceToDevice);
    return 0;
}

static int event_before_last_work()
{
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaEventRecord(e, s);
    inc<<<2, 64, 0, s>>>(a, N);
    cudaEventSynchronize(e);
    cudaMemcpyAsync(h, a, sizeof h, cudaMemcpyDeviceToHost, t);
    return 0;
}

static int allocated_in_other_stream()
{
    int *p;
    cudaMallocAsync(&p, sizeof h, s);
    fill<<<2, 64, 0, t>>>(p, N, 1);
    cudaStreamSynchronize(t);
    cudaFreeAsync(p, s);
    return 0;
}

static int host_function_races()
{
    int *p;
    cudaMallocHost(&p, sizeof h);
    memset(p, 0, sizeof h);
    cudaLaunchHostFunc(s, callback, p);
    cudaMemcpyAsync(a, p, sizeof h, cudaMemcpyHostToDevice, t);
    cudaDeviceSynchronize();
    inc<<<2, 64>>>(a, N);
    cudaFreeHost(p);
    return 0;
}

#include "parts.cuh"

#include "handles.cuh"
#include "waits.cuh"

// A copy of memory that nothing has written, beside a kernel of another stream.
template <bool WRITES>
static int unwritten_to_pinned()
{
    int *pinned;
    cudaMallocHost(&pinned, N * sizeof(int));
    fill<<<1, 128, 0, t>>>(b, N, 1);
    fill<<<1, 128, 0, s>>>(a, WRITES ? N : N - 1, 1);
    cudaMemcpyAsync(pinned, a, N * sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaDeviceSynchronize();
    cudaFreeHost(pinned);
    return 0;
}

static int unwritten_copied_then_written()
{
    int *pinned;
    cudaMallocHost(&pinned, N * sizeof(int));
    fill<<<1, 128, 0, t>>>(b, N, 1);
    cudaMemcpyAsync(pinned, a, N * sizeof(int), cudaMemcpyDeviceToHost, s);
    fill<<<1, 128, 0, s>>>(a, N, 1);
    cudaDeviceSynchronize();
    cudaFreeHost(pinned);
    return 0;
}

struct padded {
    int i;
    double d;
};

__global__ void write_members(padded *p, int n)
{
    if (threadIdx.x < n) {
        p[threadIdx.x].i = 1;
        p[threadIdx.x].d = 2;
    }
}

// Padding is copied too, beside a kernel of another stream.
template <bool IS_PINNED>
static int padding_copied()
{
    static padded pageable[64];
    padded *host = pageable, *device;
    if (IS_PINNED)
        cudaMallocHost(&host, sizeof pageable);
    cudaMalloc(&device, sizeof pageable);
    fill<<<1, 128, 0, t>>>(b, N, 1);
    write_members<<<1, 64, 0, s>>>(device, 64);
    cudaMemcpyAsync(host, device, sizeof pageable, cudaMemcpyDeviceToHost, s);
    cudaDeviceSynchronize();
    if (IS_PINNED)
        cudaFreeHost(host);
    cudaFree(device);
    return 0;
}

static int unwritten_in_forked_graph()
{
    int *pinned;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaMallocHost(&pinned, N * sizeof(int));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e);
    fill<<<1, 128, 0, t>>>(b, N, 1);
    fill<<<1, 128, 0, s>>>(a, N - 1, 1);
    cudaMemcpyAsync(pinned, a, N * sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaEventRecord(e, t);
    cudaStreamWaitEvent(s, e);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&made, graph, 0);
    cudaGraphLaunch(made, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(made);
    cudaGraphDestroy(graph);
    cudaFreeHost(pinned);
    return 0;
}

__device__ int *of_kernel;

__global__ void allocate_in_kernel()
{
    of_kernel = (int *)malloc(64);
    of_kernel[0] = 1;
}

__global__ void free_in_kernel()
{
    free(of_kernel);
}

static int heap_of_kernels_copied()
{
    int *p;
    allocate_in_kernel<<<1, 1>>>();
    cudaMemcpyFromSymbol(&p, of_kernel, sizeof p);
    cudaMemcpy(h, p, 4, cudaMemcpyDeviceToHost);
    free_in_kernel<<<1, 1>>>();
    return 0;
}

// The copy comes after the free, and other work lets it run at the same time.
template <bool FREES_FIRST>
static int copy_and_free()
{
    int *p, *q, *pinned;
    cudaMallocHost(&pinned, 4);
    cudaMallocAsync(&p, N * sizeof(int), s);
    fill<<<1, 128, 0, s>>>(p, N, 1);
    if (FREES_FIRST)
        cudaFreeAsync(p, s);
    cudaMallocAsync(&q, N * sizeof(int), t);
    cudaMemcpyAsync(pinned, p, 4, cudaMemcpyDeviceToHost, s);
    if (!FREES_FIRST)
        cudaFreeAsync(p, s);
    cudaFreeAsync(q, t);
    cudaDeviceSynchronize();
    cudaFreeHost(pinned);
    return 0;
}

static int launch_without_arguments()
{
    cudaLaunchKernel((const void *)fill, dim3(1), dim3(32), NULL, 0, s);
    return 0;
}

static int launch_of_host_function()
{
    void *arguments[] = {&a};
    cudaLaunchKernel((const void *)launch_without_arguments, dim3(1), dim3(32), arguments, 0, s);
    return 0;
}

template <int CALL>
static int destroyed_stream_used()
{
    cudaStream_t gone;
    cudaStreamCreate(&gone);
    cudaStreamDestroy(gone);
    CALL == 0   ? cudaStreamSynchronize(gone)
    : CALL == 1 ? cudaStreamQuery(gone)
    : CALL == 2 ? cudaStreamWaitEvent(gone, e)
                : cudaStreamBeginCapture(gone, cudaStreamCaptureModeRelaxed);
    return 0;
}

static int copy_before_symbol()
{
    cudaMemcpyFromSymbolAsync(h, of_kernel, 8, (size_t)-4, cudaMemcpyDeviceToHost, s);
    return 0;
}

static const struct {
    const char *name;
    int (*run)();
} programs[] = {
    {"fill_and_copy", fill_and_copy},
    {"streams_race", streams_race},
    {"event_orders", event_orders},
    {"event_before_work", event_before_work},
    {"pinned_read_early", pinned_read_early},
    {"pinned_read", pinned_read},
    {"managed_written_early", managed_written_early},
    {"managed_written", managed_written},
    {"captured_branches", captured_branches},
    {"graph_without_edge", graph_without_edge},
    {"block_of_2000", block_of_2000},
    {"shared_above_limit", shared_above_limit},
    {"shared_opted_in", shared_opted_in},
    {"use_after_free", use_after_free},
    {"free_twice", free_twice},
    {"leak", leak},
    {"copy_of_unwritten", copy_of_unwritten},
    {"symbol_copy_races", symbol_copy_races},
    {"store_past", store_past},
    {"exits_at_once", exits_at_once},
    {"skips_itself", skips_itself},
    {"exits_with_3", exits_with_3},
    {"is_killed", is_killed},
    {"no_kernel", no_kernel},
    {"use_after_free_async", use_after_free_async},
    {"managed_read_early", managed_read_early},
    {"copy_races", copy_races},
    {"fill_races", fill_races},
    {"halves", halves},
    {"copy_past", copy_past},
    {"grid_no_multiple_of_cluster", grid_no_multiple_of_cluster},
    {"programmatic_launch", programmatic_launch},
    {"waits_on_unwritten", waits_on_unwritten},
    {"waits_for_ever", waits_for_ever},
    {"load_past", load_past},
    {"stream_query", stream_query},
    {"unsupported_call", unsupported_call},
    {"wrong_direction", wrong_direction},
    {"captured_only", captured_only},
    {"grid_of_0", grid_of_0},
    {"pinned_source_written_early", pinned_source_written_early},
    {"free_host_waits", free_host_waits},
    {"pinned_reused_after_event", pinned_reused_after_event},
    {"another_thread_waits", another_thread_waits},
    {"third_launch_races", third_launch_races},
    {"waits_for_another_stream", waits_for_another_stream},
    {"host_function", host_function},
    {"struct_argument", struct_argument},
    {"pitched_fill_past", pitched_fill_past},
    {"mapped_written_early", mapped_written_early},
    {"event_query", event_query},
    {"misaligned", misaligned},
    {"managed_waits_for_other_stream", managed_waits_for_other_stream},
    {"same_value_race", same_value_race},
    {"device_reset", device_reset},
    {"event_destroyed", event_destroyed},
    {"registered_page_written_early", registered_page_written_early},
    {"part_of_managed_read_early", part_of_managed_read_early},
    {"other_part_of_page", other_part_of_page},
    {"one_buffer_twice", one_buffer_twice},
    {"blocking_stream", blocking_stream},
    {"legacy_waits_for_thread", legacy_waits_for_thread},
    {"thread_and_non_blocking", thread_and_non_blocking},
    {"copy_of_nothing", copy_of_nothing},
    {"executes_itself", executes_itself},
    {"closes_outputs", closes_outputs},
    {"closes_files", closes_files},
    {"clears_environment", clears_environment},
    {"waits_for_other_stream", waits_for_other_stream},
    {"time_passes", time_passes},
    {"stream_destroyed", stream_destroyed},
    {"part_of_page_written_early", part_of_page_written_early},
    {"part_of_page_read_early", part_of_page_read_early},
    {"registered_written_early", registered_written_early},
    {"cooperative_too_large", cooperative_too_large},
    {"destroyed_stream_used", destroyed_stream_used},
    {"one_graph_twice", one_graph_twice},
    {"copy_overlaps_itself", copy_overlaps_itself},
    {"event_before_last_work", event_before_last_work},
    {"allocated_in_other_stream", allocated_in_other_stream},
    {"host_function_races", host_function_races},
    {"part_of_rows_filled_twice", part_of_rows_filled_twice},
    {"parts_of_rows_disjoint", parts_of_rows_disjoint},
    {"part_of_rows_and_kernel", part_of_rows_and_kernel},
    {"part_of_rows_copied", part_of_rows_copied},
    {"box_copied", box_copied},
    {"large_fill_races", large_fill_races},
    {"part_of_rows_read_early", part_of_rows_read_early},
    {"managed_by_pointer", managed_by_pointer},
    {"managed_by_variable", managed_by_variable},
    {"page_of_two_writers", page_of_two_writers},
    {"event_recorded_again", event_recorded_again},
    {"event_moves", event_moves},
    {"children_race", children_race},
    {"children_in_order", children_in_order},
    {"copy_past_pinned", copy_past_pinned},
    {"copy_past_managed", copy_past_managed},
    {"fill_past_managed", fill_past_managed},
    {"wait_in_legacy_stream", wait_in_legacy_stream},
    {"wait_in_blocking_stream", wait_in_blocking_stream},
    {"wait_in_non_blocking_stream", wait_in_non_blocking_stream},
    {"poll_by_atomic", poll_by_atomic},
    {"two_atomic_signals", two_atomic_signals},
    {"poll_released", poll_flag<RELEASED, true>},
    {"poll_fenced", poll_flag<FENCED, true>},
    {"poll_fenced_volatile", poll_flag<FENCED_VOLATILE, true>},
    {"poll_relaxed", poll_flag<RELAXED, false>},
    {"poll_relaxed_data", poll_flag<RELAXED, true>},
    {"poll_narrow_fence_data", poll_flag<NARROW_FENCE, true>},
    {"poll_fence_of_another", poll_flag<FENCE_OF_ANOTHER, true>},
    {"poll_narrow_release", poll_flag<NARROW, false>},
    {"poll_plain", poll_flag<PLAIN, false>},
    {"ask_and_poll", ask_and_poll},
    {"copy_past_symbol", copy_past_symbol},
    {"copy_to_null", copy_to_null},
    {"capture_allocates", capture_allocates},
    {"capture_waits_for_device", capture_waits_for_device},
    {"capture_waits_for_event", capture_waits_for_event},
    {"capture_waits_for_stream", capture_waits_for_stream},
    {"captured_event_elsewhere", captured_event_elsewhere},
    {"capture_not_joined", capture_not_joined},
    {"capture_and_legacy_stream", capture_and_legacy_stream},
    {"node_of_fill_races", node_of_fill_races},
    {"empty_node_without_edge", empty_node_without_edge},
    {"host_node_between", host_node_between},
    {"graph_with_cycle", graph_with_cycle},
    {"graph_after_free", graph_after_free},
    {"graph_updated", graph_updated},
    {"destroyed_graph_launched", destroyed_graph_launched},
    {"destroyed_event_waited", destroyed_event<true>},
    {"destroyed_event_synchronized", destroyed_event<false>},
    {"stream_destroyed_twice", stream_destroyed_twice},
    {"host_function_calls_cuda", host_function_calls_cuda},
    {"threads_wait_in_turn", threads_wait_in_turn},
    {"managed_written_while_read", managed_written_while_read},
    {"pinned_written_while_read", pinned_written_while_read},
    {"poll_by_load", poll_by_load},
    {"constant_copy_races", constant_copy_races},
    {"constant_copy_in_order", constant_copy_in_order},
    {"heap_of_kernels_leaks", heap_of_kernels_leaks},
    {"new_memory_unwritten", new_memory_unwritten},
    {"freed_in_other_stream", freed_in_other_stream},
    {"pageable_copies", pageable_copies},
    {"surface_races", surface_races},
    {"surface_in_order", surface_in_order},
    {"surface_past", surface_past},
    {"unwritten_to_pinned", unwritten_to_pinned<false>},
    {"written_to_pinned", unwritten_to_pinned<true>},
    {"unwritten_in_forked_graph", unwritten_in_forked_graph},
    {"unwritten_copied_then_written", unwritten_copied_then_written},
    {"padding_to_pinned", padding_copied<true>},
    {"padding_to_pageable", padding_copied<false>},
    {"heap_of_kernels_copied", heap_of_kernels_copied},
    {"copy_after_free", copy_and_free<true>},
    {"copy_before_free", copy_and_free<false>},
    {"launch_without_arguments", launch_without_arguments},
    {"launch_of_host_function", launch_of_host_function},
    {"destroyed_stream_synchronized", destroyed_stream_used<0>},
    {"destroyed_stream_queried", destroyed_stream_used<1>},
    {"destroyed_stream_waits", destroyed_stream_used<2>},
    {"destroyed_stream_captured", destroyed_stream_used<3>},
    {"copy_before_symbol", copy_before_symbol},
};

int main(int argc, char **argv)
{
    self = argv[0];
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    a = dev();
    b = dev();
    for (const auto &program : programs)
        if (argc == 2 && strcmp(argv[1], program.name) == 0) {
            int status = program.run();
            if (cudaDeviceSynchronize() != cudaSuccess)
                return 0; // after a fault, frees would fail
            cudaFree(a);
            cudaFree(b);
            cudaEventDestroy(e);
            cudaStreamDestroy(s);
            cudaStreamDestroy(t);
            return status;
        }
    fprintf(stderr, "usage: %s NAME\n", argv[0]);
    return 2;
}
