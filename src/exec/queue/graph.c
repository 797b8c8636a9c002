/* SPDX-License-Identifier: MIT
 *
 * Graphs: made node by node, or captured from streams.
 */
#include "graph.h"
#include "queue.h"

#include <stdlib.h>
#include <string.h>

/* Nodes behind which the next one comes. */
struct tips {
    struct exec_node **nodes;
    size_t count;
};

/* The streams that capture, and the events that they have recorded. The origin is the first stream
 * of the capture. */
static struct capture {
    struct capture *next, *origin;
    struct exec_stream *stream;
    struct exec_event *event;
    struct tips tips;
    /* Of an origin: */
    struct exec_graph *graph;
    unsigned long long id;
    int mode;
    pthread_t thread;
    bool is_invalid;
} * captures, *captured_events;

static _Thread_local int thread_mode = CAPTURE_GLOBAL;

/* ---- Nodes ---- */

static bool add_tip(struct tips *tips, struct exec_node *node)
{
    struct exec_node **grown;

    for (size_t k = 0; k < tips->count; k++)
        if (tips->nodes[k] == node)
            return true;
    grown = realloc(tips->nodes, (tips->count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    tips->nodes = grown;
    grown[tips->count++] = node;
    return true;
}

static int add_node(struct exec_graph *graph, struct exec_node *const *after, size_t count,
                    struct work *work, struct exec_node **made)
{
    struct exec_node *node = calloc(1, sizeof *node), **grown;
    struct tips tips = {NULL, 0};
    bool good = node != NULL;

    for (size_t k = 0; good && k < count; k++)
        good = add_tip(&tips, after[k]);
    grown = good ? realloc(graph->nodes, (graph->count + 1) * sizeof *grown) : NULL;
    if (grown == NULL) {
        free(tips.nodes);
        free(node);
        free(work->arguments);
        return EXEC_OUT_OF_MEMORY;
    }
    graph->nodes = grown;
    work->site = work->site.name != NULL ? work->site : exec_site();
    node->work = *work;
    node->after = tips.nodes;
    node->after_count = tips.count;
    grown[graph->count++] = node;
    if (made != NULL)
        *made = node;
    return EXEC_SUCCESS;
}

int exec_add_empty(struct exec_graph *graph, struct exec_node *const *after, size_t count,
                   struct exec_node **node)
{
    struct work work = {.kind = WORK_EMPTY};

    return add_node(graph, after, count, &work, node);
}

int exec_add_launch(struct exec_graph *graph, struct exec_node *const *after, size_t count,
                    const struct exec_launch *launch, void *const *arguments,
                    struct exec_node **node)
{
    struct work work = {.kind = WORK_LAUNCH, .launch = *launch};

    return launch_check(launch)
               ?: launch_bind(&work, arguments, NULL, 0)
               ?: add_node(graph, after, count, &work, node);
}

int exec_add_copy(struct exec_graph *graph, struct exec_node *const *after, size_t count,
                  const struct exec_box *box, int kind, struct exec_node **node)
{
    struct work work = {.kind = WORK_COPY, .box = *box, .copy_kind = kind};

    return add_node(graph, after, count, &work, node);
}

int exec_add_fill(struct exec_graph *graph, struct exec_node *const *after, size_t count,
                  const struct exec_fill *fill, struct exec_node **node)
{
    struct work work = {.kind = WORK_FILL, .fill = *fill};

    return add_node(graph, after, count, &work, node);
}

int exec_add_host(struct exec_graph *graph, struct exec_node *const *after, size_t count,
                  void (*function)(void *), void *data, struct exec_node **node)
{
    struct work work = {.kind = WORK_HOST, .host = function, .data = data};

    return add_node(graph, after, count, &work, node);
}

int exec_add_allocation(struct exec_graph *graph, struct exec_node *const *after, size_t count,
                        size_t bytes, void **address, struct exec_node **node)
{
    struct work work = {.kind = WORK_ALLOCATE};
    int error = graph_memory(bytes, &work.address);

    *address = (void *)(uintptr_t)work.address;
    return error != EXEC_SUCCESS ? error : add_node(graph, after, count, &work, node);
}

int exec_add_free(struct exec_graph *graph, struct exec_node *const *after, size_t count,
                  void *address, struct exec_node **node)
{
    struct work work = {.kind = WORK_FREE, .address = (uintptr_t)address};

    return add_node(graph, after, count, &work, node);
}

int exec_add_child(struct exec_graph *graph, struct exec_node *const *after, size_t count,
                   struct exec_graph *child, struct exec_node **made)
{
    struct work work = {.kind = WORK_EMPTY};
    struct exec_node *node;
    int error = add_node(graph, after, count, &work, &node);

    if (error != EXEC_SUCCESS)
        return error;
    node->child = copy_graph(child);
    *made = node;
    return node->child != NULL ? EXEC_SUCCESS : EXEC_OUT_OF_MEMORY;
}

/* The numbers of CUgraphNodeType. */
int exec_node_kind(struct exec_node *node, int *kind)
{
    static const int kinds[] = {
        [WORK_LAUNCH] = 0, [WORK_COPY] = 1,  [WORK_FILL] = 2,  [WORK_HOST] = 3,
        [WORK_FREE] = 11,  [WORK_EVENT] = 7, [WORK_EMPTY] = 5, [WORK_ALLOCATE] = 10};

    *kind = node->child != NULL ? 4 : kinds[node->work.kind];
    return EXEC_SUCCESS;
}

int exec_graph_depend(struct exec_graph *graph, struct exec_node *const *from,
                      struct exec_node *const *to, size_t count)
{
    (void)graph;
    for (size_t k = 0; k < count; k++) {
        struct tips tips = {to[k]->after, to[k]->after_count};
        if (!add_tip(&tips, from[k]))
            return EXEC_OUT_OF_MEMORY;
        to[k]->after = tips.nodes;
        to[k]->after_count = tips.count;
    }
    return EXEC_SUCCESS;
}

/* ---- Graphs ---- */

int exec_graph_create(struct exec_graph **graph)
{
    int error = exec_start();

    if (error != EXEC_SUCCESS)
        return error;
    *graph = calloc(1, sizeof **graph);
    return *graph != NULL ? EXEC_SUCCESS : EXEC_OUT_OF_MEMORY;
}

int exec_graph_destroy(struct exec_graph *graph)
{
    if (graph == NULL)
        return EXEC_INVALID_VALUE;
    for (size_t k = 0; k < graph->count; k++) {
        if (graph->nodes[k]->child != NULL)
            exec_graph_destroy(graph->nodes[k]->child);
        free(graph->nodes[k]->work.arguments);
        free(graph->nodes[k]->after);
        free(graph->nodes[k]);
    }
    free(graph->nodes);
    free(graph);
    return EXEC_SUCCESS;
}

int exec_graph_nodes(struct exec_graph *graph, struct exec_node **nodes, size_t *count)
{
    if (graph == NULL)
        return EXEC_INVALID_VALUE;
    for (size_t k = 0; nodes != NULL && k < *count && k < graph->count; k++)
        nodes[k] = graph->nodes[k];
    *count = graph->count;
    return EXEC_SUCCESS;
}

bool copy_arguments(struct work *work)
{
    unsigned char *copy;

    if (work->arguments == NULL)
        return true;
    copy = malloc(work->argument_bytes + 1);
    if (copy != NULL)
        memcpy(copy, work->arguments, work->argument_bytes);
    work->arguments = copy;
    return copy != NULL;
}

static struct exec_node *find_copy(const struct exec_graph *copy, const struct exec_node *origin)
{
    for (size_t k = 0; k < copy->count; k++)
        if (copy->nodes[k]->origin == origin)
            return copy->nodes[k];
    return NULL;
}

/* Copies the nodes first, because a node may depend on a later one. */
struct exec_graph *copy_graph(const struct exec_graph *graph)
{
    struct exec_graph *copy = calloc(1, sizeof *copy);
    struct exec_node *node;
    bool good = copy != NULL;

    for (size_t k = 0; good && k < graph->count; k++) {
        struct work work = graph->nodes[k]->work;
        good = copy_arguments(&work) && add_node(copy, NULL, 0, &work, &node) == EXEC_SUCCESS;
        if (good)
            node->origin = graph->nodes[k];
        if (good && graph->nodes[k]->child != NULL)
            good = (node->child = copy_graph(graph->nodes[k]->child)) != NULL;
    }
    for (size_t k = 0; good && k < graph->count; k++)
        for (size_t a = 0; a < graph->nodes[k]->after_count; a++) {
            struct exec_node *from = find_copy(copy, graph->nodes[k]->after[a]);
            exec_graph_depend(copy, &from, &copy->nodes[k], 1);
        }
    return copy;
}

/* Returns whether the node comes after itself. */
static bool is_in_cycle(struct exec_node *node)
{
    enum { ON_PATH = 1, DONE };
    bool found = node->visit == ON_PATH;

    if (node->visit != 0)
        return found;
    node->visit = ON_PATH;
    for (size_t a = 0; a < node->after_count && !found; a++)
        found = is_in_cycle(node->after[a]);
    node->visit = DONE;
    return found;
}

int exec_graph_instantiate(struct exec_graph *graph, bool frees_first,
                           struct exec_graph_exec **made)
{
    int error = captures_forbid(NULL, CALL_UNSAFE);

    if (error != EXEC_SUCCESS || graph == NULL || made == NULL)
        return error ?: EXEC_INVALID_VALUE;
    *made = calloc(1, sizeof **made);
    if (*made == NULL)
        return EXEC_OUT_OF_MEMORY;
    (*made)->graph = copy_graph(graph);
    for (size_t k = 0; (*made)->graph != NULL && k < graph->count; k++)
        (*made)->graph->nodes[k]->work.frees_first = frees_first;
    for (size_t k = 0; (*made)->graph != NULL && k < graph->count; k++)
        if (is_in_cycle((*made)->graph->nodes[k])) {
            exec_graph_destroy((*made)->graph);
            free(*made);
            *made = NULL;
            return EXEC_INVALID_VALUE;
        }
    return (*made)->graph != NULL ? EXEC_SUCCESS : EXEC_OUT_OF_MEMORY;
}

/* Returns whether both graphs have the same kinds of nodes. */
static bool is_alike(const struct exec_graph *one, const struct exec_graph *other)
{
    if (one->count != other->count)
        return false;
    for (size_t k = 0; k < one->count; k++)
        if (one->nodes[k]->work.kind != other->nodes[k]->work.kind ||
            one->nodes[k]->after_count != other->nodes[k]->after_count)
            return false;
    return true;
}

int exec_graph_update(struct exec_graph_exec *made, struct exec_graph *graph)
{
    struct exec_graph *copy;

    if (!is_alike(made->graph, graph))
        return 910; /* cudaErrorGraphExecUpdateFailure */
    copy = copy_graph(graph);
    if (copy == NULL)
        return EXEC_OUT_OF_MEMORY;
    exec_graph_destroy(made->graph);
    made->graph = copy;
    return EXEC_SUCCESS;
}

int exec_node_set_launch(struct exec_graph_exec *made, struct exec_node *node,
                         const struct exec_launch *launch, void *const *arguments)
{
    struct exec_node *changed = made != NULL ? find_copy(made->graph, node) : node;
    struct work work;
    int error = launch_check(launch);

    if (changed == NULL || changed->work.kind != WORK_LAUNCH)
        return EXEC_INVALID_VALUE;
    work = changed->work;
    work.launch = *launch;
    error = error ?: launch_bind(&work, arguments, NULL, 0);
    if (error != EXEC_SUCCESS)
        return error;
    free(changed->work.arguments);
    changed->work = work;
    return EXEC_SUCCESS;
}

/* ---- Captures ---- */

static struct capture *find_capture(struct exec_stream *stream)
{
    for (struct capture *capture = captures; capture != NULL; capture = capture->next)
        if (capture->stream == stream_of(stream))
            return capture;
    return NULL;
}

bool stream_captures(struct exec_stream *stream)
{
    return captures != NULL && find_capture(stream) != NULL;
}

/* CUDA runtime API, cudaThreadExchangeStreamCaptureMode(). */
static bool is_unsafe(const struct capture *origin)
{
    return thread_mode != CAPTURE_RELAXED && origin->mode != CAPTURE_RELAXED &&
           (pthread_equal(origin->thread, pthread_self()) ||
            (thread_mode == CAPTURE_GLOBAL && origin->mode == CAPTURE_GLOBAL));
}

int captures_forbid(const struct exec_stream *stream, enum captured_call call)
{
    int error = EXEC_SUCCESS;

    for (const struct capture *one = captures; one != NULL; one = one->next) {
        if (stream == &queue.legacy && !(one->stream->flags & EXEC_NON_BLOCKING))
            error = EXEC_CAPTURE_IMPLICIT;
        else if (stream == one->stream || call == CALL_OF_ALL ||
                 (call == CALL_UNSAFE && is_unsafe(one->origin)))
            error = EXEC_CAPTURE_UNSUPPORTED;
        else
            continue;
        one->origin->is_invalid = true;
    }
    return error;
}

int exec_capture_mode(int *mode)
{
    int before = thread_mode;

    if (*mode < CAPTURE_GLOBAL || *mode > CAPTURE_RELAXED)
        return EXEC_INVALID_VALUE;
    thread_mode = *mode;
    *mode = before;
    return EXEC_SUCCESS;
}

/* Lets the stream capture into the origin; null: it is one. */
static struct capture *add_capture(struct exec_stream *stream, struct capture *origin)
{
    struct capture *capture = calloc(1, sizeof *capture);

    if (capture == NULL)
        return NULL;
    *capture = (struct capture){
        .next = captures, .stream = stream_of(stream), .origin = origin != NULL ? origin : capture};
    captures = capture;
    return capture;
}

int exec_capture_begin(struct exec_stream *stream, int mode)
{
    static unsigned long long ids;
    struct exec_graph *graph;
    int error;

    if (mode < CAPTURE_GLOBAL || mode > CAPTURE_RELAXED)
        return EXEC_INVALID_VALUE;
    if (stream_of(stream) == stream_of(EXEC_LEGACY))
        return EXEC_CAPTURE_UNSUPPORTED;
    if (!is_handle(stream_of(stream), !is_stream(stream), "stream"))
        return EXEC_INVALID_HANDLE;
    if (stream_captures(stream))
        return EXEC_ILLEGAL_STATE;
    error = exec_graph_create(&graph);
    if (error != EXEC_SUCCESS || add_capture(stream, NULL) == NULL)
        return error ?: EXEC_OUT_OF_MEMORY;
    captures->graph = graph;
    captures->id = ++ids;
    captures->mode = mode;
    captures->thread = pthread_self();
    return EXEC_SUCCESS;
}

static void forget(struct capture **at, const struct capture *origin)
{
    struct capture *gone;

    while (*at != NULL)
        if ((*at)->origin == origin) {
            gone = *at;
            *at = gone->next;
            free(gone->tips.nodes);
            free(gone);
        } else {
            at = &(*at)->next;
        }
}

/* Marks the nodes, and all before them. */
static void mark(struct exec_node *const *nodes, size_t count, uint32_t with)
{
    for (size_t k = 0; k < count; k++)
        if (nodes[k]->visit != with) {
            nodes[k]->visit = with;
            mark(nodes[k]->after, nodes[k]->after_count, with);
        }
}

/* Returns whether the origin comes after all work of the streams that have joined its capture. */
static bool is_joined(const struct capture *origin)
{
    static uint32_t marks;

    mark(origin->tips.nodes, origin->tips.count, ++marks);
    for (const struct capture *one = captures; one != NULL; one = one->next)
        for (size_t k = 0; one->origin == origin && k < one->tips.count; k++)
            if (one->tips.nodes[k]->visit != marks)
                return false;
    return true;
}

int exec_capture_end(struct exec_stream *stream, struct exec_graph **made)
{
    const struct capture *capture = find_capture(stream);
    int error;

    if (capture == NULL || capture->origin != capture)
        return EXEC_ILLEGAL_STATE;
    if (capture->mode != CAPTURE_RELAXED && !pthread_equal(capture->thread, pthread_self()))
        error = EXEC_CAPTURE_WRONG_THREAD;
    else if (capture->is_invalid)
        error = EXEC_CAPTURE_INVALIDATED;
    else
        error = is_joined(capture) ? EXEC_SUCCESS : EXEC_CAPTURE_UNJOINED;
    *made = error == EXEC_SUCCESS ? capture->graph : NULL;
    forget(&captured_events, capture);
    forget(&captures, capture);
    return error;
}

int exec_capture_info(struct exec_stream *stream, int *status, unsigned long long *id,
                      struct exec_graph **graph, struct exec_node *const **last, size_t *count)
{
    static const struct capture none;
    const struct capture *capture = find_capture(stream) ?: &none;

    *status = capture == &none ? 0 : 1 + capture->origin->is_invalid; /* cudaStreamCaptureStatus */
    if (id != NULL)
        *id = *status != 0 ? capture->origin->id : 0;
    if (graph != NULL)
        *graph = *status != 0 ? capture->origin->graph : NULL;
    if (last != NULL)
        *last = capture->tips.nodes;
    if (count != NULL)
        *count = capture->tips.count;
    return EXEC_SUCCESS;
}

int capture_add(struct exec_stream *stream, struct work *work)
{
    struct capture *capture = find_capture(stream);
    struct exec_node *node;
    int error;

    if (capture->origin->is_invalid) {
        free(work->arguments);
        return EXEC_CAPTURE_INVALIDATED;
    }
    error = add_node(capture->origin->graph, capture->tips.nodes, capture->tips.count, work, &node);
    if (error != EXEC_SUCCESS)
        return error;
    capture->tips.count = 0;
    return add_tip(&capture->tips, node) ? EXEC_SUCCESS : EXEC_OUT_OF_MEMORY;
}

static struct capture *find_event(const struct exec_event *event)
{
    for (struct capture *one = captured_events; one != NULL; one = one->next)
        if (one->event == event)
            return one;
    return NULL;
}

int capture_record(struct exec_stream *stream, struct exec_event *event, bool *is_captured)
{
    const struct capture *capture = find_capture(stream);
    struct capture *one = find_event(event);

    *is_captured = event->is_captured = capture != NULL;
    if (one != NULL)
        one->event = NULL;
    if (capture == NULL)
        return EXEC_SUCCESS;
    if (capture->origin->is_invalid)
        return EXEC_CAPTURE_INVALIDATED;
    one = calloc(1, sizeof *one);
    if (one == NULL)
        return EXEC_OUT_OF_MEMORY;
    *one = (struct capture){captured_events, capture->origin, .event = event};
    captured_events = one;
    for (size_t k = 0; k < capture->tips.count; k++)
        if (!add_tip(&one->tips, capture->tips.nodes[k]))
            return EXEC_OUT_OF_MEMORY;
    return EXEC_SUCCESS;
}

int capture_ask(const struct exec_event *event)
{
    const struct capture *one = find_event(event);

    if (!event->is_captured)
        return captures_forbid(NULL, CALL_UNSAFE);
    if (one != NULL)
        one->origin->is_invalid = true;
    return EXEC_CAPTURED_EVENT;
}

int capture_wait(struct exec_stream *stream, struct exec_event *event, bool *is_captured)
{
    const struct capture *one = find_event(event);
    struct capture *capture = find_capture(stream);

    *is_captured = one != NULL;
    if (one == NULL && capture == NULL)
        return event->is_captured ? EXEC_CAPTURED_EVENT : EXEC_SUCCESS;
    if (one == NULL) {
        capture->origin->is_invalid = true;
        return 905; /* cudaErrorStreamCaptureIsolation */
    }
    if (one->origin->is_invalid)
        return EXEC_INVALID_VALUE;
    if (capture == NULL)
        capture = add_capture(stream, one->origin);
    if (capture == NULL)
        return EXEC_OUT_OF_MEMORY;
    for (size_t k = 0; k < one->tips.count; k++)
        if (!add_tip(&capture->tips, one->tips.nodes[k]))
            return EXEC_OUT_OF_MEMORY;
    return EXEC_SUCCESS;
}
