/* SPDX-License-Identifier: MIT
 *
 * Streams and events. Work is queued, and runs when the host synchronizes. Launches that no stream
 * and no event orders run together in the simulator, so that it finds races between them.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_BATCH = LAUNCHES_TOGETHER, MAX_QUEUED = 4096 };

struct exec_stream {
    struct exec_stream *next;
    unsigned int flags;
    int priority;
    unsigned long long id;
    uint64_t last; /* serial number of its last work; 0: none */
    uint64_t *waits;
    size_t wait_count;
    bool was_queried; /* since its last work */
};

struct exec_event {
    unsigned int flags;
    uint64_t serial; /* of the work that records it; 0: never recorded */
    struct exec_stream *captured_in;
    double time;
    bool is_done, was_queried;
};

/* Work in the queue. Batched: the bit of a launch in the batch that is being collected, and those
 * of the launches that must end before it. */
struct queued {
    struct queued *next;
    uint64_t serial;
    struct work work;
    uint64_t *after;
    size_t after_count;
    uint32_t bit, behind;
};

static struct {
    struct queued *first, **last;
    size_t count;
    uint64_t serial;
    struct exec_stream *streams;
    struct exec_stream legacy, per_thread;
    unsigned long long ids;
    bool is_running;
} queue = {.last = &queue.first, .legacy = {.id = 1}, .per_thread = {.id = 2}, .ids = 2};

static struct exec_stream *stream_of(struct exec_stream *handle)
{
    return handle == NULL || handle == EXEC_LEGACY ? &queue.legacy
           : handle == EXEC_PER_THREAD             ? &queue.per_thread
                                                   : handle;
}

static bool is_stream(struct exec_stream *handle)
{
    const struct exec_stream *stream = stream_of(handle);

    if (stream == &queue.legacy || stream == &queue.per_thread)
        return true;
    for (const struct exec_stream *s = queue.streams; s != NULL; s = s->next)
        if (s == stream)
            return true;
    return false;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* ---- Running ---- */

static void free_queued(struct queued *item)
{
    free(item->work.arguments);
    free(item->after);
    free(item);
}

static int run_other(const struct work *work)
{
    switch (work->kind) {
    case WORK_COPY:
        return copy_now(&work->box, work->copy_kind, &work->site);
    case WORK_FILL:
        return fill_now(&work->fill, &work->site);
    case WORK_HOST:
        work->host(work->data);
        return EXEC_SUCCESS;
    case WORK_FREE:
        return free_now(work->address, &work->site);
    default:
        return EXEC_SUCCESS;
    }
}

static void reach_event(const struct work *work)
{
    if (work->kind != WORK_EVENT || work->event == NULL || work->event->is_done)
        return;
    work->event->time = now();
    work->event->is_done = true;
}

/* Returns the launches of the batch that must end before the item. */
static uint32_t launches_before(const struct queued *item)
{
    uint32_t before = 0;

    for (size_t a = 0; a < item->after_count; a++)
        for (const struct queued *other = queue.first; other != NULL && other != item;
             other = other->next)
            if (other->serial == item->after[a])
                before |= other->bit | other->behind;
    return before;
}

/* Runs the batch. Then the events behind its launches are reached, of the items before `end`. */
static int run_batch(struct batched *batch, uint32_t *count, const struct queued *end)
{
    int error = *count > 0 ? launch_batch(batch, *count) : EXEC_SUCCESS;

    for (struct queued *item = queue.first; *count > 0 && item != end; item = item->next) {
        reach_event(&item->work);
        item->bit = item->behind = 0;
    }
    *count = 0;
    return error;
}

static bool needs_batch(const struct queued *item)
{
    return item->work.kind != WORK_EVENT && item->work.kind != WORK_EMPTY && item->behind != 0;
}

static int run_queued(void)
{
    struct batched batch[MAX_BATCH];
    uint32_t count = 0;
    int error = EXEC_SUCCESS, other;

    for (struct queued *item = queue.first; item != NULL; item = item->next) {
        item->behind = launches_before(item);
        if (item->work.kind == WORK_LAUNCH ? count == MAX_BATCH : needs_batch(item)) {
            other = run_batch(batch, &count, item);
            item->behind = 0;
            error = error != EXEC_SUCCESS ? error : other;
        }
        if (item->work.kind == WORK_LAUNCH) {
            batch[count] = (struct batched){&item->work, item->behind};
            item->bit = UINT32_C(1) << count++;
        } else if (item->work.kind == WORK_EVENT && item->behind == 0) {
            reach_event(&item->work);
        } else if (exec_sticky() == EXEC_SUCCESS) {
            other = run_other(&item->work);
            error = error != EXEC_SUCCESS ? error : other;
        }
    }
    other = run_batch(batch, &count, NULL);
    return error != EXEC_SUCCESS ? error : other;
}

int run_all(void)
{
    struct queued *next;
    int error;

    if (queue.is_running) /* a host function calls the API */
        return EXEC_SUCCESS;
    queue.is_running = true;
    error = run_queued();
    for (struct queued *item = queue.first; item != NULL; item = next) {
        next = item->next;
        free_queued(item);
    }
    queue.first = NULL;
    queue.last = &queue.first;
    queue.count = 0;
    queue.is_running = false;
    return exec_sticky() != EXEC_SUCCESS ? exec_sticky() : error;
}

void queue_forget(void)
{
    queue.legacy.last = queue.per_thread.last = 0;
}

/* ---- Queueing ---- */

uint64_t enqueue_behind(struct exec_stream *handle, struct work *work, const uint64_t *after,
                        size_t count)
{
    struct queued *item = calloc(1, sizeof *item);

    (void)handle;
    if (item != NULL)
        item->after = malloc((count + 1) * sizeof *after);
    if (item == NULL || item->after == NULL) {
        free(item);
        free(work->arguments);
        return 0;
    }
    memcpy(item->after, after, count * sizeof *after);
    item->after_count = count;
    item->work = *work;
    item->serial = ++queue.serial;
    *queue.last = item;
    queue.last = &item->next;
    if (++queue.count >= MAX_QUEUED)
        run_all();
    return queue.serial;
}

uint64_t stream_last(struct exec_stream *stream)
{
    return stream_of(stream)->last;
}

void stream_set_last(struct exec_stream *handle, uint64_t serial)
{
    struct exec_stream *stream = stream_of(handle);

    stream->last = serial;
    stream->was_queried = false;
    stream->wait_count = 0;
}

/* Collects what new work of the stream waits for. The legacy stream and the blocking ones wait for
 * each other. Returns null without memory. The caller frees it. */
static uint64_t *waits_of(struct exec_stream *stream, size_t *count)
{
    size_t room = stream->wait_count + 3;
    uint64_t *after;

    for (const struct exec_stream *s = queue.streams; s != NULL; s = s->next)
        room++;
    after = malloc(room * sizeof *after);
    if (after == NULL)
        return NULL;
    *count = 0;
    after[(*count)++] = stream->last;
    for (size_t w = 0; w < stream->wait_count; w++)
        after[(*count)++] = stream->waits[w];
    if (stream == &queue.legacy) {
        after[(*count)++] = queue.per_thread.last;
        for (const struct exec_stream *s = queue.streams; s != NULL; s = s->next)
            if (!(s->flags & EXEC_NON_BLOCKING))
                after[(*count)++] = s->last;
    } else if (!(stream->flags & EXEC_NON_BLOCKING)) {
        after[(*count)++] = queue.legacy.last;
    }
    return after;
}

int enqueue(struct exec_stream *handle, struct work *work)
{
    struct exec_stream *stream = stream_of(handle);
    size_t count;
    uint64_t *after, serial;

    work->site = work->site.name != NULL ? work->site : exec_site();
    if (exec_sticky() != EXEC_SUCCESS || !is_stream(handle)) {
        free(work->arguments);
        return exec_sticky() != EXEC_SUCCESS ? exec_sticky() : EXEC_INVALID_HANDLE;
    }
    if (stream_captures(handle))
        return capture_add(handle, work);
    after = waits_of(stream, &count);
    serial = after != NULL ? enqueue_behind(stream, work, after, count) : 0;
    free(after);
    if (serial == 0)
        return EXEC_OUT_OF_MEMORY;
    stream_set_last(stream, serial);
    return EXEC_SUCCESS;
}

int exec_host_function(struct exec_stream *stream, void (*function)(void *), void *data)
{
    struct work work = {.kind = WORK_HOST, .host = function, .data = data};

    return enqueue(stream, &work);
}

/* ---- Streams ---- */

int exec_stream_create(unsigned int flags, int priority, struct exec_stream **made)
{
    struct exec_stream *stream = calloc(1, sizeof *stream);
    int error = exec_start();

    if (error != EXEC_SUCCESS || stream == NULL) {
        free(stream);
        return error != EXEC_SUCCESS ? error : EXEC_OUT_OF_MEMORY;
    }
    *stream = (struct exec_stream){
        .next = queue.streams, .flags = flags, .priority = priority, .id = ++queue.ids};
    queue.streams = stream;
    *made = stream;
    return EXEC_SUCCESS;
}

int exec_stream_destroy(struct exec_stream *stream)
{
    for (struct exec_stream **s = &queue.streams; *s != NULL; s = &(*s)->next)
        if (*s == stream) {
            int error = run_all();
            *s = stream->next;
            free(stream->waits);
            free(stream);
            return error;
        }
    return EXEC_INVALID_HANDLE;
}

int exec_stream_flags(struct exec_stream *handle, unsigned int *flags, int *priority,
                      unsigned long long *id)
{
    const struct exec_stream *stream = stream_of(handle);

    if (!is_stream(handle))
        return EXEC_INVALID_HANDLE;
    *flags = stream->flags;
    *priority = stream->priority;
    *id = stream->id;
    return EXEC_SUCCESS;
}

int exec_synchronize(struct exec_stream *handle)
{
    if (!is_stream(handle))
        return EXEC_INVALID_HANDLE;
    if (stream_captures(handle))
        return EXEC_CAPTURE_UNSUPPORTED;
    stream_of(handle)->was_queried = true;
    return run_all();
}

int exec_synchronize_all(void)
{
    int error = exec_start();

    return error != EXEC_SUCCESS ? error : run_all();
}

/* The first query after work says that it is not ready, as on a GPU. */
int exec_stream_query(struct exec_stream *handle)
{
    struct exec_stream *stream = stream_of(handle);

    if (!is_stream(handle))
        return EXEC_INVALID_HANDLE;
    if (queue.first != NULL && !stream->was_queried) {
        stream->was_queried = true;
        return EXEC_NOT_READY;
    }
    return run_all();
}

/* ---- Events ---- */

int exec_event_create(unsigned int flags, struct exec_event **made)
{
    int error = exec_start();

    if (error != EXEC_SUCCESS)
        return error;
    *made = calloc(1, sizeof **made);
    if (*made == NULL)
        return EXEC_OUT_OF_MEMORY;
    (*made)->flags = flags;
    return EXEC_SUCCESS;
}

int exec_event_destroy(struct exec_event *event)
{
    if (event == NULL)
        return EXEC_INVALID_HANDLE;
    for (struct queued *item = queue.first; item != NULL; item = item->next)
        if (item->work.event == event)
            item->work.event = NULL;
    free(event);
    return EXEC_SUCCESS;
}

int exec_event_record(struct exec_event *event, struct exec_stream *stream)
{
    struct work work = {.kind = WORK_EVENT, .event = event};
    bool is_captured = false;
    int error;

    if (event == NULL)
        return EXEC_INVALID_HANDLE;
    error = capture_record(stream, event, &is_captured);
    if (is_captured || error != EXEC_SUCCESS)
        return error;
    for (struct queued *item = queue.first; item != NULL; item = item->next)
        if (item->work.event == event)
            item->work.event = NULL; /* The last record counts. */
    event->is_done = event->was_queried = false;
    error = enqueue(stream, &work);
    event->serial = stream_last(stream);
    return error;
}

int exec_event_query(struct exec_event *event)
{
    if (event == NULL)
        return EXEC_INVALID_HANDLE;
    if (event->serial == 0 || event->is_done)
        return exec_sticky();
    if (!event->was_queried) {
        event->was_queried = true;
        return EXEC_NOT_READY;
    }
    return run_all();
}

int exec_event_synchronize(struct exec_event *event)
{
    if (event == NULL)
        return EXEC_INVALID_HANDLE;
    return event->serial == 0 || event->is_done ? exec_sticky() : run_all();
}

enum { EVENT_DISABLE_TIMING = 2 };

int exec_event_elapsed(struct exec_event *start, struct exec_event *end, float *ms)
{
    if (start == NULL || end == NULL || start->serial == 0 || end->serial == 0 ||
        ((start->flags | end->flags) & EVENT_DISABLE_TIMING))
        return EXEC_INVALID_HANDLE;
    if (!start->is_done || !end->is_done)
        return EXEC_NOT_READY;
    *ms = (float)(end->time - start->time);
    return EXEC_SUCCESS;
}

int exec_stream_wait(struct exec_stream *handle, struct exec_event *event)
{
    struct exec_stream *stream = stream_of(handle);
    bool is_captured = false;
    uint64_t *grown;
    int error;

    if (event == NULL || !is_stream(handle))
        return EXEC_INVALID_HANDLE;
    error = capture_wait(handle, event, &is_captured);
    if (is_captured || error != EXEC_SUCCESS || event->serial == 0)
        return error;
    grown = realloc(stream->waits, (stream->wait_count + 1) * sizeof *grown);
    if (grown == NULL)
        return EXEC_OUT_OF_MEMORY;
    stream->waits = grown;
    grown[stream->wait_count++] = event->serial;
    return EXEC_SUCCESS;
}
