/* SPDX-License-Identifier: MIT
 *
 * Launches of graphs: their nodes become work of the queue.
 */
#include "graph.h"
#include "queue.h"

#include <stdlib.h>

static uint64_t queue_graph(struct exec_graph *graph, struct exec_stream *stream, uint64_t after);

static uint64_t join(struct exec_stream *stream, const uint64_t *after, size_t count)
{
    struct work work = {.kind = WORK_EMPTY, .site = exec_site()};

    return enqueue_behind(stream, &work, after, count);
}

/* Queues a node behind those on which it depends. Returns its serial number, or 0. */
static uint64_t queue_node(struct exec_node *node, struct exec_stream *stream, uint64_t start)
{
    uint64_t *after = malloc((node->after_count + 1) * sizeof *after);
    struct work work = node->work;

    if (node->serial != 0 || after == NULL) {
        free(after);
        return node->serial;
    }
    after[0] = start;
    for (size_t k = 0; k < node->after_count; k++)
        after[k + 1] = queue_node(node->after[k], stream, start);
    if (node->child != NULL)
        node->serial = queue_graph(node->child, stream, join(stream, after, node->after_count + 1));
    else if (copy_arguments(&work)) {
        if (work.kind == WORK_COPY && exec_find(work.box.to) == NULL)
            report_remark("accesses of the host to pageable memory to which a graph copies are not "
                          "found",
                          &work.site);
        node->serial = enqueue_behind(stream, &work, after, node->after_count + 1);
    }
    free(after);
    return node->serial;
}

/* Queues all nodes. Returns the serial number of the end, or 0 without memory. */
static uint64_t queue_graph(struct exec_graph *graph, struct exec_stream *stream, uint64_t start)
{
    uint64_t *all = malloc((graph->count + 1) * sizeof *all), end = 0;

    if (all == NULL)
        return 0;
    for (size_t k = 0; k < graph->count; k++)
        graph->nodes[k]->serial = 0;
    all[0] = start;
    for (size_t k = 0; k < graph->count; k++)
        all[k + 1] = queue_node(graph->nodes[k], stream, start);
    end = join(stream, all, graph->count + 1);
    free(all);
    return end;
}

/* Makes the node that the stream has just captured stand for the graph. */
static int capture_graph(struct exec_graph *graph, struct exec_stream *stream)
{
    struct exec_node *const *last;
    int status;

    exec_capture_info(stream, &status, NULL, NULL, &last, NULL);
    last[0]->child = copy_graph(graph);
    return last[0]->child != NULL ? EXEC_SUCCESS : EXEC_OUT_OF_MEMORY;
}

/* The launch comes behind all for which the stream waits, and behind the last launch of the same
 * instance in any stream (CUDA runtime API, cudaGraphLaunch()). */
int exec_graph_launch(struct exec_graph_exec *made, struct exec_stream *stream)
{
    struct work work = {.kind = WORK_EMPTY};
    uint64_t end;
    int error;

    if (!is_handle(made, made != NULL && made->is_destroyed, "graph instance"))
        return EXEC_INVALID_VALUE;
    if (stream_captures(stream))
        return enqueue(stream, &work) ?: capture_graph(made->graph, stream);
    error =
        made->end != NULL ? exec_stream_wait(stream, made->end) : exec_event_create(0, &made->end);
    if (error == EXEC_SUCCESS)
        error = enqueue(stream, &work);
    if (error != EXEC_SUCCESS)
        return error;
    end = queue_graph(made->graph, stream, stream_last(stream));
    if (end == 0)
        return EXEC_OUT_OF_MEMORY;
    stream_set_last(stream, end);
    return exec_event_record(made->end, stream);
}

int exec_graph_exec_destroy(struct exec_graph_exec *made)
{
    if (!is_handle(made, made != NULL && made->is_destroyed, "graph instance"))
        return EXEC_INVALID_VALUE;
    exec_graph_destroy(made->graph);
    if (made->end != NULL)
        exec_event_destroy(made->end);
    made->is_destroyed = true;
    retire(made);
    return EXEC_SUCCESS;
}
