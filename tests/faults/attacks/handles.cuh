// SPDX-License-Identifier: MIT
//
// Programs of programs.cu that misuse captures, graphs, handles and host functions.

// Captures a kernel and what `then` does. A GPU rejects that, and the program fails.
static int captured(cudaError_t (*then)())
{
    cudaGraph_t graph = nullptr;
    cudaError_t error;

    fill<<<1, 32>>>(b, 32, 1);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(a, 32, 1);
    error = then();
    cudaStreamEndCapture(s, &graph);
    cudaGetLastError();
    printf("%s\n", cudaGetErrorName(error));
    return error != cudaSuccess;
}

static int capture_allocates()
{
    return captured([] {
        int *more;
        cudaError_t error = cudaMalloc(&more, 64);
        if (error == cudaSuccess)
            cudaFree(more);
        return error;
    });
}

static int capture_waits_for_device()
{
    return captured([] { return cudaDeviceSynchronize(); });
}

static int capture_waits_for_event()
{
    return captured([] {
        cudaEventRecord(e, s);
        return cudaEventSynchronize(e);
    });
}

static int capture_waits_for_stream()
{
    return captured([] { return cudaStreamSynchronize(s); });
}

static int captured_event_elsewhere()
{
    return captured([] {
        cudaGraph_t graph;
        cudaEventRecord(e, s);
        cudaStreamEndCapture(s, &graph);
        return cudaStreamWaitEvent(t, e, 0);
    });
}

static int capture_not_joined()
{
    cudaGraph_t graph = nullptr;
    cudaError_t error;

    fill<<<1, 32>>>(b, 32, 1);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(a, 32, 1);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    inc<<<1, 32, 0, t>>>(a, 32);
    error = cudaStreamEndCapture(s, &graph);
    cudaGetLastError();
    return error != cudaSuccess;
}

static int capture_and_legacy_stream()
{
    cudaStream_t blocking;
    cudaGraph_t graph = nullptr;
    cudaError_t error;

    cudaStreamCreate(&blocking);
    fill<<<1, 32>>>(b, 32, 1);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, blocking>>>(a, 32, 1);
    fill<<<1, 32>>>(a, 32, 1);
    error = cudaGetLastError();
    cudaStreamEndCapture(blocking, &graph);
    cudaGetLastError();
    cudaStreamDestroy(blocking);
    return error != cudaSuccess;
}

static void add_kernel(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                       int *x)
{
    static int n = 32, v = 1;
    void *arguments[] = {&x, &n, &v};
    cudaKernelNodeParams kernel = {};

    kernel.func = (void *)fill;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(32);
    kernel.kernelParams = arguments;
    cudaGraphAddKernelNode(node, graph, before, before != nullptr, &kernel);
}

// A kernel of a graph, and a second node that writes the same memory.
enum second { FILL, AFTER_EMPTY, AFTER_HOST, CYCLE };
static int two_nodes(second kind)
{
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaGraphNode_t first, between, last;
    cudaMemsetParams fill_all = {};
    cudaHostNodeParams host = {};
    cudaError_t error;

    cudaGraphCreate(&graph, 0);
    add_kernel(&first, graph, nullptr, a);
    fill_all.dst = a;
    fill_all.pitch = N * sizeof(int);
    fill_all.value = 1;
    fill_all.elementSize = 4;
    fill_all.width = N;
    fill_all.height = 1;
    host.fn = [](void *) {};
    if (kind == FILL)
        cudaGraphAddMemsetNode(&last, graph, nullptr, 0, &fill_all);
    else if (kind == AFTER_HOST)
        cudaGraphAddHostNode(&between, graph, &first, 1, &host);
    else
        cudaGraphAddEmptyNode(&between, graph, &first, kind == CYCLE);
    if (kind != FILL)
        add_kernel(&last, graph, &between, a);
#if CUDART_VERSION >= 13000
    if (kind == CYCLE)
        cudaGraphAddDependencies(graph, &last, &first, nullptr, 1);
#else
    if (kind == CYCLE)
        cudaGraphAddDependencies(graph, &last, &first, 1);
#endif
    fill<<<1, 32>>>(b, 32, 1);
    error = cudaGraphInstantiate(&instance, graph, 0);
    if (error == cudaSuccess)
        cudaGraphLaunch(instance, s);
    cudaGetLastError();
    cudaDeviceSynchronize();
    return error != cudaSuccess;
}

static int node_of_fill_races()
{
    return two_nodes(FILL);
}

static int empty_node_without_edge()
{
    return two_nodes(AFTER_EMPTY);
}

static int host_node_between()
{
    return two_nodes(AFTER_HOST);
}

static int graph_with_cycle()
{
    return two_nodes(CYCLE);
}

static int graph_after_free()
{
    int *gone;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaGraphNode_t node;

    cudaMalloc(&gone, 128);
    cudaGraphCreate(&graph, 0);
    add_kernel(&node, graph, nullptr, gone);
    cudaGraphInstantiate(&instance, graph, 0);
    cudaFree(gone);
    cudaGraphLaunch(instance, s);
    return ends();
}

static int graph_updated()
{
    cudaGraph_t graph, other;
    cudaGraphExec_t instance;
    cudaGraphNode_t node;
    cudaGraphExecUpdateResultInfo info;

    cudaGraphCreate(&graph, 0);
    add_kernel(&node, graph, nullptr, a);
    cudaGraphInstantiate(&instance, graph, 0);
    cudaGraphCreate(&other, 0);
    add_kernel(&node, other, nullptr, a + 90);
    cudaGraphExecUpdate(instance, other, &info);
    cudaGraphLaunch(instance, s);
    return ends();
}

static int destroyed_graph_launched()
{
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaGraphNode_t node;

    fill<<<1, 32>>>(b, 32, 1);
    cudaGraphCreate(&graph, 0);
    add_kernel(&node, graph, nullptr, a);
    cudaGraphInstantiate(&instance, graph, 0);
    cudaGraphExecDestroy(instance);
    cudaGraphLaunch(instance, s);
    return ends();
}

template <bool waits> static int destroyed_event()
{
    cudaEvent_t gone;

    fill<<<1, 32>>>(a, 32, 1);
    cudaEventCreate(&gone);
    cudaEventDestroy(gone);
    if (waits)
        cudaStreamWaitEvent(s, gone, 0);
    else
        cudaEventSynchronize(gone);
    return ends();
}

static int stream_destroyed_twice()
{
    cudaStream_t gone;

    fill<<<1, 32>>>(a, 32, 1);
    cudaStreamCreate(&gone);
    cudaStreamDestroy(gone);
    cudaStreamDestroy(gone);
    cudaGetLastError();
    return ends();
}

static int host_function_calls_cuda()
{
    cudaLaunchHostFunc(
        s, [](void *x) { fill<<<1, 32>>>((int *)x, 32, 1); }, a);
    cudaStreamSynchronize(s);
    return ends();
}

// Nothing orders two threads of the host, each of which waits for its own kernel.
static int threads_wait_in_turn()
{
    auto work = [](int v) {
        fill<<<1, 32, 0, cudaStreamPerThread>>>(a, 32, v);
        cudaStreamSynchronize(cudaStreamPerThread);
    };
    std::thread first(work, 1), second(work, 2);

    first.join();
    second.join();
    return 0;
}

// The host writes memory that a queued kernel reads.
static int written_while_read(bool is_managed)
{
    int *memory;

    if (is_managed)
        cudaMallocManaged(&memory, 4096);
    else
        cudaMallocHost(&memory, 4096);
    memset(memory, 0, 4096);
    sumTo<<<1, 1, 0, s>>>(memory, a, 100);
    memory[50] = 7;
    cudaDeviceSynchronize();
    is_managed ? cudaFree(memory) : cudaFreeHost(memory);
    return 0;
}

static int managed_written_while_read()
{
    return written_while_read(true);
}

static int pinned_written_while_read()
{
    return written_while_read(false);
}

__global__ void raise_flag(int *flag)
{
    asm volatile("st.release.sys.s32 [%0], 1;" ::"l"(flag) : "memory");
}

static int poll_by_load()
{
    int *flag;

    cudaMallocHost(&flag, 4096);
    *flag = 0;
    raise_flag<<<1, 1, 0, s>>>(flag);
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
    }
    cudaDeviceSynchronize();
    cudaFreeHost(flag);
    return 0;
}

__constant__ int constants[32];

__global__ void use_constants(int *x)
{
    x[threadIdx.x] = constants[threadIdx.x];
}

static int constant_copy_races()
{
    use_constants<<<1, 32, 0, s>>>(a);
    cudaMemcpyToSymbolAsync(constants, b, 128, 0, cudaMemcpyDeviceToDevice, t);
    return ends();
}

static int constant_copy_in_order()
{
    fill<<<1, 32, 0, s>>>(b, 32, 1);
    cudaMemcpyToSymbolAsync(constants, b, 128, 0, cudaMemcpyDeviceToDevice, s);
    use_constants<<<1, 32, 0, s>>>(a);
    return ends();
}

__global__ void keep(int **x)
{
    *x = new int(3);
}

static int heap_of_kernels_leaks()
{
    keep<<<1, 1>>>((int **)a);
    return ends();
}

static int new_memory_unwritten()
{
    int *first, *second;

    cudaMallocAsync(&first, 128, s);
    fill<<<1, 32, 0, s>>>(first, 32, 1);
    cudaFreeAsync(first, s);
    cudaMallocAsync(&second, 128, s);
    cudaMemcpyAsync(h, second, 128, cudaMemcpyDeviceToHost, s);
    cudaFreeAsync(second, s);
    return ends();
}

static int freed_in_other_stream()
{
    int *memory;

    cudaMallocAsync(&memory, 128, s);
    cudaStreamSynchronize(s);
    fill<<<1, 32, 0, t>>>(memory, 32, 1);
    cudaFreeAsync(memory, s);
    return ends();
}

static int pageable_copies()
{
    int on_stack[32] = {};

    cudaMemcpyAsync(a, on_stack, 128, cudaMemcpyHostToDevice, s);
    on_stack[3] = 5;
    inc<<<1, 32, 0, s>>>(a, 32);
    cudaMemcpyAsync(on_stack, a, 128, cudaMemcpyDeviceToHost, s);
    return on_stack[3] != 1;
}

__global__ void write_surface(cudaSurfaceObject_t to, int width)
{
    surf2Dwrite(1.0f, to, threadIdx.x % width * 4, threadIdx.x / width);
}

__global__ void read_surface(cudaSurfaceObject_t from, float *x)
{
    x[threadIdx.x] = surf2Dread<float>(from, threadIdx.x % 8 * 4, threadIdx.x / 8);
}

static int surfaces(int width, bool are_ordered)
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface;

    cudaMallocArray(&array, &format, 8, 8, cudaArraySurfaceLoadStore);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaCreateSurfaceObject(&surface, &resource);
    write_surface<<<1, 64, 0, s>>>(surface, width);
    read_surface<<<1, 64, 0, are_ordered ? s : t>>>(surface, (float *)a);
    cudaDeviceSynchronize();
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    return 0;
}

static int surface_races()
{
    return surfaces(8, false);
}

static int surface_in_order()
{
    return surfaces(8, true);
}

static int surface_past()
{
    return surfaces(9, true);
}
