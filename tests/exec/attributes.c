/* SPDX-License-Identifier: MIT
 *
 * A program that gives one attribute, flag or edge to the runtime or the driver API: attributes
 * CALL NUMBER VALUE. It launches a kernel twice, and exits with 0 if both launches ran. It needs
 * neither nvcc nor CUDA's headers.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct extent {
    unsigned int x, y, z;
};

struct attribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        int number;
        void *event;
    } value;
};

struct config {
    struct extent grid, block;
    size_t shared_bytes;
    void *stream;
    struct attribute *attributes;
    unsigned int count;
};

struct driver_config {
    struct extent grid, block;
    unsigned int shared_bytes;
    void *stream;
    struct attribute *attributes;
    unsigned int count;
};

struct node {
    const void *function;
    struct extent grid, block;
    unsigned int shared_bytes;
    void **arguments, **extra;
};

void **__cudaRegisterFatBinary(const void *image);
void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name,
                            int threads, void *thread, void *block, void *block_extent,
                            void *grid_extent, int *warp);
int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemset(void *to, int value, size_t bytes);
int cudaLaunchKernelExC(const struct config *config, const void *function, void **arguments);
int cudaGetFuncBySymbol(void **made, const void *symbol);
int cudaFuncSetAttribute(const void *function, int attribute, int value);
int cudaStreamCreateWithFlags(void **stream, unsigned int flags);
int cudaStreamSetAttribute(void *stream, int id, const void *value);
int cudaStreamCopyAttributes(void *to, void *from);
int cudaStreamWaitEvent(void *stream, void *event, unsigned int flags);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaEventCreateWithFlags(void **event, unsigned int flags);
int cudaEventRecordWithFlags(void *event, void *stream, unsigned int flags);
int cudaEventSynchronize(void *event);
int cudaEventQuery(void *event);
int cudaDeviceSynchronize(void);
int cudaHostAlloc(void **address, size_t bytes, unsigned int flags);
int cudaFreeHost(void *address);
int cudaMallocManaged(void **address, size_t bytes, unsigned int flags);
int cudaHostRegister(void *address, size_t bytes, unsigned int flags);
int cudaHostUnregister(void *address);
int cudaGraphCreate(void **graph, unsigned int flags);
int cudaGraphAddKernelNode(void **node, void *graph, const void *after, size_t count,
                           const struct node *given);
int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, const void *edges,
                             size_t count);
int cudaGraphInstantiate(void **made, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *made, void *stream);
int cudaGraphExecDestroy(void *made);
int cudaGraphDestroy(void *graph);
int cuLaunchKernelEx(const struct driver_config *config, void *function, void **arguments,
                     void **extra);
int cuFuncSetAttribute(void *function, int attribute, int value);
int cuStreamWaitEvent(void *stream, void *event, unsigned int flags);

static const char ptx[] = ".version 7.8\n"
                          ".target sm_90\n"
                          ".address_size 64\n"
                          ".visible .entry increment(.param .u64 x)\n"
                          "{\n"
                          "    .reg .u64 %rd<2>;\n"
                          "    .reg .u32 %r<2>;\n"
                          "    ld.param.u64 %rd1, [x];\n"
                          "    ld.global.u32 %r1, [%rd1];\n"
                          "    add.u32 %r1, %r1, 1;\n"
                          "    st.global.u32 [%rd1], %r1;\n"
                          "    ret;\n"
                          "}\n";

static char kernel; /* stands for the host function */
static void *function, *arguments[1], *stream, *event;
static struct attribute attribute;
static const struct extent one = {1, 1, 1};

/* Launches with the attributes. */
static int launch(unsigned int count)
{
    const struct config config = {one, one, 0, stream, &attribute, count};

    return cudaLaunchKernelExC(&config, &kernel, arguments);
}

static int launch_by_driver(void)
{
    const struct driver_config config = {one, one, 0, stream, &attribute, 1};

    return cuLaunchKernelEx(&config, function, arguments, NULL);
}

static int run_graph(void *graph, unsigned long long flags)
{
    void *made;
    int error = cudaGraphInstantiate(&made, graph, flags);

    if (error == 0)
        error =
            cudaGraphLaunch(made, stream) + cudaDeviceSynchronize() + cudaGraphExecDestroy(made);
    return error + cudaGraphDestroy(graph);
}

/* Runs a graph of two kernels. Byte `place` of the data of the edge between them has that value. */
static int run_edge(int place, int value, unsigned long long flags)
{
    const struct node given = {&kernel, one, one, 0, arguments, NULL};
    unsigned char edge[8] = {0};
    void *graph, *nodes[2];
    int error = cudaGraphCreate(&graph, 0) +
                cudaGraphAddKernelNode(&nodes[0], graph, NULL, 0, &given) +
                cudaGraphAddKernelNode(&nodes[1], graph, NULL, 0, &given);

    edge[place] = (unsigned char)value;
    error += cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], edge, 1);
    return error != 0 ? error : run_graph(graph, flags);
}

static int run_capture(unsigned int wait_flags)
{
    void *graph;
    int error =
        cudaStreamBeginCapture(stream, 0) + launch(1) + cudaEventRecordWithFlags(event, stream, 0);

    error += cudaStreamWaitEvent(stream, event, wait_flags);
    error += launch(0) + cudaStreamEndCapture(stream, &graph);
    return error != 0 ? error : run_graph(graph, 0);
}

static int set(const char *call, int number, int value)
{
    static char memory[4096];
    void *made;
    int error;

    if (strcmp(call, "cudaFuncSetAttribute") == 0)
        return cudaFuncSetAttribute(&kernel, number, value);
    if (strcmp(call, "cuFuncSetAttribute") == 0)
        return cuFuncSetAttribute(function, number, value);
    if (strcmp(call, "cudaStreamSetAttribute") == 0)
        return cudaStreamSetAttribute(stream, number, &attribute.value) +
               cudaStreamCopyAttributes(stream, stream);
    if (strcmp(call, "cudaStreamCreateWithFlags") == 0)
        return cudaStreamCreateWithFlags(&made, (unsigned int)value);
    if (strcmp(call, "cudaEventCreateWithFlags") == 0)
        return cudaEventCreateWithFlags(&made, (unsigned int)value);
    if (strcmp(call, "cudaStreamWaitEvent") == 0)
        return cudaEventRecordWithFlags(event, stream, (unsigned int)value) +
               cudaStreamWaitEvent(stream, event, (unsigned int)value) +
               cuStreamWaitEvent(stream, event, (unsigned int)value);
    if (strcmp(call, "cudaHostAlloc") == 0) {
        error = cudaHostAlloc(&made, sizeof memory, (unsigned int)value);
        return error != 0 ? error : cudaFreeHost(made);
    }
    if (strcmp(call, "cudaMallocManaged") == 0) {
        error = cudaMallocManaged(&made, sizeof memory, (unsigned int)value);
        return error != 0 ? error : cudaFree(made);
    }
    error = cudaHostRegister(memory, sizeof memory, (unsigned int)value);
    return error != 0 ? error : cudaHostUnregister(memory);
}

/* Makes the call, and at least two launches. */
static int run(const char *call, int number, int value)
{
    if (strcmp(call, "runtime") == 0)
        return launch(0) + launch(1);
    if (strcmp(call, "driver") == 0)
        return launch(0) + launch_by_driver();
    if (strcmp(call, "edge") == 0)
        return run_edge(number, value, 0);
    if (strcmp(call, "instantiate") == 0)
        return run_edge(0, 0, (unsigned long long)value);
    if (strcmp(call, "capture") == 0)
        return run_capture(0);
    if (strcmp(call, "wait") == 0) {
        attribute.id = 0;
        return run_capture((unsigned int)value);
    }
    return set(call, number, value) + launch(0) + launch(0);
}

int main(int argc, char **argv)
{
    const char *call = argc > 3 ? argv[1] : "runtime";
    int number = argc > 3 ? atoi(argv[2]) : 0, value = argc > 3 ? atoi(argv[3]) : 0, result, error;
    void *x;

    __cudaRegisterFunction(__cudaRegisterFatBinary(ptx), &kernel, NULL, "increment", -1, NULL, NULL,
                           NULL, NULL, NULL);
    if (cudaMalloc(&x, 4) + cudaMemset(x, 0, 4) + cudaGetFuncBySymbol(&function, &kernel) +
            cudaStreamCreateWithFlags(&stream, 0) + cudaEventCreateWithFlags(&event, 2) !=
        0)
        return 1;
    cudaDeviceSynchronize();
    arguments[0] = &x;
    attribute.id = number;
    attribute.value.number = value;
    if (number == 7 || number == 12) {
        attribute.value.event = event;
        *(int *)(attribute.value.bytes + sizeof event) = value;
    }
    error = run(call, number, value);
    if (error == 0 && (number == 7 || number == 12))
        error = cudaEventSynchronize(event) + cudaEventQuery(event);
    if (cudaMemcpy(&result, x, 4, 2) != 0 || cudaFree(x) != 0)
        return 1;
    printf("%d launches ran\n", result);
    return error == 0 && result != 2;
}
