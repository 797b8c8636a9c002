// SPDX-License-Identifier: MIT
//
// Programs of programs.cu that copy parts of rows, boxes and large arrays, or reach memory through
// pointers in memory.
__device__ int *pointed;

__global__ void through_variable()
{
    pointed[threadIdx.x] = 9;
}

__global__ void through_pointer(int **p)
{
    p[0][threadIdx.x] = 9;
}

static int ends()
{
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

// Rows of 4 columns, of which the first work uses 3 and the second the last 2.
static int part_of_rows_filled_twice()
{
    cudaMemset2DAsync(a, 16, 2, 12, 6, s);
    cudaMemset2DAsync(a + 2, 16, 1, 8, 6, t);
    fill<<<1, 1>>>(b, 1, 0);
    return ends();
}

static int parts_of_rows_disjoint()
{
    cudaMemset2DAsync(a, 16, 2, 8, 6, s);
    cudaMemset2DAsync(a + 2, 16, 1, 8, 6, t);
    fill<<<1, 1>>>(b, 1, 0);
    return ends();
}

static int part_of_rows_and_kernel()
{
    cudaMemset2DAsync(a, 16, 2, 12, 6, s);
    fill<<<1, 32, 0, t>>>(a, 24, 1);
    return ends();
}

static int part_of_rows_copied()
{
    cudaMemset(b, 0, N * sizeof(int));
    cudaDeviceSynchronize();
    cudaMemcpy2DAsync(a, 16, b, 16, 12, 6, cudaMemcpyDeviceToDevice, s);
    fill<<<1, 32, 0, t>>>(a, 24, 1);
    return ends();
}

static int box_copied()
{
    cudaMemcpy3DParms copy = {};

    cudaMemset(b, 0, N * sizeof(int));
    cudaDeviceSynchronize();
    copy.srcPtr = make_cudaPitchedPtr(b, 16, 16, 3);
    copy.dstPtr = make_cudaPitchedPtr(a, 16, 16, 3);
    copy.extent = make_cudaExtent(16, 3, 2);
    copy.kind = cudaMemcpyDeviceToDevice;
    cudaMemcpy3DAsync(&copy, s);
    fill<<<1, 32, 0, t>>>(a, 24, 1);
    return ends();
}

static int large_fill_races()
{
    int *large;

    cudaMalloc(&large, 65 << 20);
    cudaMemsetAsync(large, 1, 65 << 20, s);
    fill<<<1, 32, 0, t>>>(large, 32, 1);
    cudaDeviceSynchronize();
    cudaFree(large);
    return 0;
}

static int part_of_rows_read_early()
{
    int *pinned, value;

    cudaMallocHost(&pinned, 4096);
    memset(pinned, 0, 4096);
    cudaMemset(a, 1, N * sizeof(int));
    cudaDeviceSynchronize();
    cudaMemcpy2DAsync(pinned, 16, a, 16, 12, 6, cudaMemcpyDeviceToHost, s);
    value = pinned[0];
    fill<<<1, 1>>>(b, 1, value);
    cudaDeviceSynchronize();
    cudaFreeHost(pinned);
    return 0;
}

// The host reads managed memory early that the kernel finds by a pointer in memory.
static int read_early(bool is_variable)
{
    int *managed, **box, value;

    cudaMallocManaged(&managed, 4096);
    memset(managed, 0, 4096);
    cudaMalloc(&box, sizeof managed);
    cudaMemcpy(box, &managed, sizeof managed, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(pointed, &managed, sizeof managed);
    if (is_variable)
        through_variable<<<1, 32, 0, s>>>();
    else
        through_pointer<<<1, 32, 0, s>>>(box);
    value = managed[1];
    printf("%d\n", value);
    cudaDeviceSynchronize();
    cudaFree(box);
    cudaFree(managed);
    return 0;
}

static int managed_by_pointer()
{
    return read_early(false);
}

static int managed_by_variable()
{
    return read_early(true);
}

// Two kernels write different words of one page, and the host waits for the one whose word it
// reads.
static int page_of_two_writers()
{
    int *managed;

    cudaMallocManaged(&managed, 4096);
    fill<<<1, 32, 0, s>>>(managed, 32, 1);
    fill<<<1, 32, 0, t>>>(managed + 64, 32, 1);
    cudaStreamSynchronize(s);
    printf("%d\n", managed[3]);
    cudaDeviceSynchronize();
    cudaFree(managed);
    return 0;
}

// An event orders what was recorded last when the wait was called.
static int event_recorded_again()
{
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    fill<<<1, 32, 0, s>>>(a, 32, 1);
    cudaEventRecord(e, s);
    fill<<<1, 32, 0, t>>>(a, 32, 2);
    return ends();
}

static int event_moves()
{
    fill<<<1, 32, 0, s>>>(a, 32, 1);
    cudaEventRecord(e, s);
    cudaEventRecord(e, t);
    cudaStreamWaitEvent(t, e, 0);
    fill<<<1, 32, 0, t>>>(a, 32, 2);
    return ends();
}

static int children(bool has_edge)
{
    cudaGraph_t child, graph;
    cudaGraphExec_t instance;
    cudaGraphNode_t first, second;

    fill<<<1, 32>>>(a, 32, 1);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    inc<<<1, 32, 0, s>>>(a, 32);
    cudaStreamEndCapture(s, &child);
    cudaGraphCreate(&graph, 0);
    cudaGraphAddChildGraphNode(&first, graph, nullptr, 0, child);
    cudaGraphAddChildGraphNode(&second, graph, &first, has_edge, child);
    cudaGraphInstantiate(&instance, graph, 0);
    cudaGraphLaunch(instance, s);
    return ends();
}

static int children_race()
{
    return children(false);
}

static int children_in_order()
{
    return children(true);
}

// Pinned or managed memory of 64 bytes, used with 68.
static int past_host_memory(bool is_managed, bool is_fill)
{
    int *memory;

    if (is_managed)
        cudaMallocManaged(&memory, 64);
    else
        cudaMallocHost(&memory, 64);
    memset(memory, 0, 64);
    fill<<<1, 32>>>(a, 32, 1);
    if (is_fill)
        cudaMemset(memory, 0, 68);
    else
        cudaMemcpy(memory, a, 68, cudaMemcpyDefault);
    cudaDeviceSynchronize();
    is_managed ? cudaFree(memory) : cudaFreeHost(memory);
    return 0;
}

static int copy_past_pinned()
{
    return past_host_memory(false, false);
}

static int copy_past_managed()
{
    return past_host_memory(true, false);
}

static int fill_past_managed()
{
    return past_host_memory(true, true);
}
