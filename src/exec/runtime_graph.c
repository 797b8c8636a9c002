/* SPDX-License-Identifier: MIT
 *
 * The CUDA runtime: graphs.
 */
#include "runtime.h"

typedef struct exec_graph *graph_t;
typedef struct exec_node *node_t;
typedef struct exec_graph_exec *instance_t;

/* ---- Captures ---- */

API(cudaStreamBeginCapture, stream_t stream, int mode)
{
    return RUNTIME_CALL(exec_capture_begin(stream, mode));
}

API(cudaThreadExchangeStreamCaptureMode, int *mode)
{
    return RUNTIME_CALL(exec_capture_mode(mode));
}

API(cudaStreamEndCapture, stream_t stream, graph_t *graph)
{
    return RUNTIME_CALL(exec_capture_end(stream, graph));
}

API(cudaStreamIsCapturing, stream_t stream, int *status)
{
    return RUNTIME_CALL(exec_capture_info(stream, status, NULL, NULL, NULL, NULL));
}

#if RUNTIME_VERSION < 12
API(cudaStreamGetCaptureInfo, stream_t stream, int *status, unsigned long long *id)
{
    return RUNTIME_CALL(exec_capture_info(stream, status, id, NULL, NULL, NULL));
}
#endif

#if RUNTIME_VERSION >= 13
API(cudaStreamGetCaptureInfo, stream_t stream, int *status, unsigned long long *id, graph_t *graph,
    struct exec_node *const **last, const void **edges, size_t *count)
{
    if (edges != NULL)
        *edges = NULL;
    return RUNTIME_CALL(exec_capture_info(stream, status, id, graph, last, count));
}
#else
API(cudaStreamGetCaptureInfo_v2, stream_t stream, int *status, unsigned long long *id,
    graph_t *graph, struct exec_node *const **last, size_t *count)
{
    return RUNTIME_CALL(exec_capture_info(stream, status, id, graph, last, count));
}

API(cudaStreamGetCaptureInfo_v3, stream_t stream, int *status, unsigned long long *id,
    graph_t *graph, struct exec_node *const **last, const void **edges, size_t *count)
{
    if (edges != NULL)
        *edges = NULL;
    return RUNTIME_CALL(exec_capture_info(stream, status, id, graph, last, count));
}
#endif

/* ---- Graphs ---- */

API(cudaGraphCreate, graph_t *graph, unsigned int flags)
{
    return RUNTIME_CALL(exec_flags(FEATURE_RESERVED_FLAG, flags) ?: exec_graph_create(graph));
}

API(cudaGraphDestroy, graph_t graph)
{
    return RUNTIME_CALL(exec_graph_destroy(graph));
}

API(cudaGraphGetNodes, graph_t graph, node_t *nodes, size_t *count)
{
    return RUNTIME_CALL(exec_graph_nodes(graph, nodes, count));
}

API(cudaGraphNodeGetType, node_t node, int *kind)
{
    return RUNTIME_CALL(exec_node_kind(node, kind));
}

#if RUNTIME_VERSION < 12
API(cudaGraphInstantiate, instance_t *made, graph_t graph, node_t *wrong, char *log, size_t bytes)
{
    if (wrong != NULL)
        *wrong = NULL;
    if (bytes > 0)
        *log = '\0';
    return RUNTIME_CALL(exec_graph_instantiate(graph, false, made));
}
#else
API(cudaGraphInstantiate, instance_t *made, graph_t graph, unsigned long long flags)
{
    return RUNTIME_CALL(exec_flags(FEATURE_INSTANCE_FLAG, flags)
                            ?: exec_graph_instantiate(graph, flags & 1, made));
}
#endif

API(cudaGraphInstantiateWithFlags, instance_t *made, graph_t graph, unsigned long long flags)
{
    return RUNTIME_CALL(exec_flags(FEATURE_INSTANCE_FLAG, flags)
                            ?: exec_graph_instantiate(graph, flags & 1, made));
}

API(cudaGraphExecDestroy, instance_t made)
{
    return RUNTIME_CALL(exec_graph_exec_destroy(made));
}

API(cudaGraphLaunch, instance_t made, stream_t stream)
{
    return RUNTIME_CALL(exec_graph_launch(made, stream));
}

API(cudaGraphUpload, instance_t made, stream_t stream)
{
    (void)made, (void)stream;
    return EXEC_SUCCESS;
}

#if RUNTIME_VERSION < 12
static int update(instance_t made, graph_t graph, node_t *wrong, int *result)
{
    int error = exec_graph_update(made, graph);

    *wrong = NULL;
    *result = error != EXEC_SUCCESS;
    return error;
}

API(cudaGraphExecUpdate, instance_t made, graph_t graph, node_t *wrong, int *result)
{
    return RUNTIME_CALL(update(made, graph, wrong, result));
}
#else
struct update_result {
    int result;
    node_t node, from;
};

static int update(instance_t made, graph_t graph, struct update_result *result)
{
    int error = exec_graph_update(made, graph);

    *result = (struct update_result){.result = error != EXEC_SUCCESS};
    return error;
}

API(cudaGraphExecUpdate, instance_t made, graph_t graph, struct update_result *result)
{
    return RUNTIME_CALL(update(made, graph, result));
}
#endif

static int clone(graph_t *made, graph_t graph)
{
    struct exec_node *node;
    int error = exec_graph_create(made);

    return error == EXEC_SUCCESS ? exec_add_child(*made, NULL, 0, graph, &node) : error;
}

/* The clone has the nodes of the graph as a child. */
API(cudaGraphClone, graph_t *made, graph_t graph)
{
    return RUNTIME_CALL(clone(made, graph));
}

/* The data of an edge, as cudaGraphEdgeData: two ports, the type, and bytes that must be 0. */
typedef unsigned char edge_t[8];

static int depend(graph_t graph, const node_t *from, const node_t *to, const edge_t *edges,
                  size_t count)
{
    enum { BYTES = sizeof *edges, NAMED = 3 };
    int error = EXEC_SUCCESS;

    for (size_t k = 0; edges != NULL && k < count * BYTES && error == EXEC_SUCCESS; k++)
        error = exec_feature(FEATURE_FROM_PORT + (k % BYTES < NAMED ? k % BYTES : NAMED),
                             edges[k / BYTES][k % BYTES], NULL);
    return error == EXEC_SUCCESS ? exec_graph_depend(graph, from, to, count) : error;
}

#if RUNTIME_VERSION >= 13
API(cudaGraphAddDependencies, graph_t graph, const node_t *from, const node_t *to,
    const edge_t *edges, size_t count)
{
    return RUNTIME_CALL(depend(graph, from, to, edges, count));
}
#else
API(cudaGraphAddDependencies, graph_t graph, const node_t *from, const node_t *to, size_t count)
{
    return RUNTIME_CALL(exec_graph_depend(graph, from, to, count));
}

API(cudaGraphAddDependencies_v2, graph_t graph, const node_t *from, const node_t *to,
    const edge_t *edges, size_t count)
{
    return RUNTIME_CALL(depend(graph, from, to, edges, count));
}
#endif

/* ---- Nodes ---- */

struct kernel_parameters {
    const void *function;
    struct dim3 grid, block;
    unsigned int shared_bytes;
    void **arguments, **extra;
};

static int launch_of(const struct kernel_parameters *given, struct exec_launch *launch)
{
    const struct launch_config config = {given->grid, given->block, given->shared_bytes,
                                         NULL,        NULL,         0};

    if (given->arguments == NULL && given->extra != NULL)
        return exec_unsupported("'extra' in the parameters of a node");
    return runtime_config(&config, given->function, launch);
}

static int add_kernel(node_t *node, graph_t graph, const node_t *after, size_t count,
                      const struct kernel_parameters *given)
{
    struct exec_launch launch;
    int error = launch_of(given, &launch);

    return error == EXEC_SUCCESS
               ? exec_add_launch(graph, after, count, &launch, given->arguments, node)
               : error;
}

API(cudaGraphAddKernelNode, node_t *node, graph_t graph, const node_t *after, size_t count,
    const struct kernel_parameters *given)
{
    return RUNTIME_CALL(add_kernel(node, graph, after, count, given));
}

static int set_kernel(instance_t made, node_t node, const struct kernel_parameters *given)
{
    struct exec_launch launch;
    int error = launch_of(given, &launch);

    return error == EXEC_SUCCESS ? exec_node_set_launch(made, node, &launch, given->arguments)
                                 : error;
}

API(cudaGraphKernelNodeSetParams, node_t node, const struct kernel_parameters *given)
{
    return RUNTIME_CALL(set_kernel(NULL, node, given));
}

API(cudaGraphExecKernelNodeSetParams, instance_t made, node_t node,
    const struct kernel_parameters *given)
{
    return RUNTIME_CALL(set_kernel(made, node, given));
}

static int add_copy(node_t *node, graph_t graph, const node_t *after, size_t count,
                    const struct copy_3d *copied)
{
    struct exec_box box;
    int error = runtime_box(copied, &box);

    return error == EXEC_SUCCESS ? exec_add_copy(graph, after, count, &box, copied->kind, node)
                                 : error;
}

API(cudaGraphAddMemcpyNode, node_t *node, graph_t graph, const node_t *after, size_t count,
    const struct copy_3d *copied)
{
    return RUNTIME_CALL(add_copy(node, graph, after, count, copied));
}

API(cudaGraphAddMemcpyNode1D, node_t *node, graph_t graph, const node_t *after, size_t count,
    void *to, const void *from, size_t bytes, int kind)
{
    const struct exec_box box = {to, from, bytes, 1, 1, bytes, bytes, 0, 0};

    return RUNTIME_CALL(exec_add_copy(graph, after, count, &box, kind, node));
}

struct fill_parameters {
    void *to;
    size_t pitch;
    unsigned int value, element_bytes;
    size_t width, height; /* width: in elements */
};

static int add_fill(node_t *node, graph_t graph, const node_t *after, size_t count,
                    const struct fill_parameters *given)
{
    const struct exec_fill fill = {
        .to = given->to,
        .value = given->value,
        .element_bytes = given->element_bytes,
        .width = given->width * given->element_bytes,
        .height = given->height,
        .pitch = given->height > 1 ? given->pitch : given->width * given->element_bytes,
    };

    return exec_add_fill(graph, after, count, &fill, node);
}

API(cudaGraphAddMemsetNode, node_t *node, graph_t graph, const node_t *after, size_t count,
    const struct fill_parameters *given)
{
    return RUNTIME_CALL(add_fill(node, graph, after, count, given));
}

struct host_parameters {
    void (*function)(void *);
    void *data;
};

API(cudaGraphAddHostNode, node_t *node, graph_t graph, const node_t *after, size_t count,
    const struct host_parameters *given)
{
    return RUNTIME_CALL(exec_add_host(graph, after, count, given->function, given->data, node));
}

API(cudaGraphAddEmptyNode, node_t *node, graph_t graph, const node_t *after, size_t count)
{
    return RUNTIME_CALL(exec_add_empty(graph, after, count, node));
}

API(cudaGraphAddChildGraphNode, node_t *node, graph_t graph, const node_t *after, size_t count,
    graph_t child)
{
    return RUNTIME_CALL(exec_add_child(graph, after, count, child, node));
}

/* As cudaMemAllocNodeParams. */
struct allocation_parameters {
    struct { /* cudaMemPoolProps */
        int kind, handles, location[2];
        void *security;
        size_t most;
        char reserved[56];
    } pool;
    const void *access;
    size_t access_count, bytes;
    void *address;
};

API(cudaGraphAddMemAllocNode, node_t *node, graph_t graph, const node_t *after, size_t count,
    struct allocation_parameters *given)
{
    return RUNTIME_CALL(
        exec_flags(FEATURE_RESERVED_FLAG, (unsigned int)given->pool.handles)
            ?: exec_add_allocation(graph, after, count, given->bytes, &given->address, node));
}

API(cudaGraphAddMemFreeNode, node_t *node, graph_t graph, const node_t *after, size_t count,
    void *address)
{
    return RUNTIME_CALL(exec_add_free(graph, after, count, address, node));
}

/* Attributes 0 and 1 are the used bytes, now and at most; 2 and 3 are the reserved ones. */
API(cudaDeviceGetGraphMemAttribute, int device, int attribute, uint64_t *value)
{
    if (device != 0 || attribute < 0 || attribute > 3)
        return runtime_note(EXEC_INVALID_VALUE);
    return RUNTIME_CALL((*value = exec_graph_bytes(attribute % 2), EXEC_SUCCESS));
}

API(cudaDeviceGraphMemTrim, int device)
{
    return runtime_note(device == 0 ? EXEC_SUCCESS : EXEC_INVALID_DEVICE);
}
