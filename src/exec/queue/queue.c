/* SPDX-License-Identifier: MIT
 *
 * Streams and events, as the program uses them. Work is queued, and runs when the host
 * synchronizes.
 */
#include "queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Queueing ---- */

/* Reports work that uses memory which another stream allocates, and which nothing orders after
 * that.
 */
static void check_allocated(const struct queued *item, const void *address)
{
    const struct exec_allocation *one = exec_find(address);
    char made[256];

    if (one == NULL || clock_has(&item->clock, one->stream, one->serial) ||
        clock_has(&item->heard, one->stream, one->serial))
        return;
    report("race", &item->work.site,
           "uses %s in another stream than %s, which allocates it, and nothing orders the two",
           one->name, site_text(&one->made, made, sizeof made));
}

/* The same, for all memory to which the work has pointers. */
static void check_memory(const struct queued *item)
{
    const struct work *work = &item->work;
    void *address;

    if (work->kind == WORK_COPY) {
        check_allocated(item, work->box.to);
        check_allocated(item, work->box.from);
    }
    if (work->kind == WORK_FILL)
        check_allocated(item, work->fill.to);
    if (work->kind == WORK_FREE)
        check_allocated(item, (void *)(uintptr_t)work->address);
    for (size_t at = 0; work->kind == WORK_LAUNCH && at + sizeof address <= work->argument_bytes;
         at += sizeof address) {
        memcpy(&address, work->arguments + at, sizeof address);
        check_allocated(item, address);
    }
}

uint64_t enqueue_behind(struct exec_stream *handle, struct work *work, const uint64_t *after,
                        size_t count)
{
    struct queued *item = report_start() ? calloc(1, sizeof *item) : NULL;
    struct exec_stream *stream = stream_of(handle);
    uint64_t serial;

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
    item->stream = stream->index;
    item->heard = queue.heard;
    /* The nodes of a graph, which have the stream's index, come after its last work only. */
    item->clock = stream->clock;
    item->clock.serials[stream->index] = work->kind == WORK_HOST ? item->serial : stream->last;
    clock_merge(&item->clock, &queue.host);
    clock_merge(&stream->clock, &queue.host);
    stream->clock.serials[stream->index] = queue.lasts[stream->index] = item->serial;
    check_memory(item);
    guard_work(&item->work, stream->index, item->serial);
    guards_watch();
    *queue.last = item;
    queue.last = &item->next;
    queue.bytes += work->argument_bytes;
    serial = item->serial;
    if (++queue.count >= MAX_QUEUED || queue.bytes > MAX_QUEUED_BYTES)
        run_all(); /* frees the item */
    return serial;
}

/* Collects what new work of the stream waits for. The legacy stream and the blocking ones, such as
 * the default streams of threads, wait for each other. Returns null without memory. The caller
 * frees it. */
static uint64_t *waits_of(struct exec_stream *stream, size_t *count)
{
    size_t room = stream->wait_count + 2;
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
        for (const struct exec_stream *s = queue.streams; s != NULL; s = s->next)
            if (!(s->flags & EXEC_NON_BLOCKING)) {
                after[(*count)++] = s->last;
                clock_merge(&stream->clock, &s->clock);
            }
    } else if (!(stream->flags & EXEC_NON_BLOCKING)) {
        after[(*count)++] = queue.legacy.last;
        clock_merge(&stream->clock, &queue.legacy.clock);
    }
    return after;
}

int enqueue(struct exec_stream *handle, struct work *work)
{
    struct exec_stream *stream = stream_of(handle);
    size_t count;
    uint64_t *after, serial;
    int error = exec_sticky();

    work->site = work->site.name != NULL ? work->site : exec_site();
    if (error == EXEC_SUCCESS && !is_stream(handle)) {
        report("invalid-call", &work->site,
               "its stream was destroyed, or is none, so the work is not done");
        error = EXEC_INVALID_HANDLE;
    }
    if (error == EXEC_SUCCESS && stream_captures(handle))
        return capture_add(handle, work);
    if (error != EXEC_SUCCESS || (error = captures_forbid(stream, CALL_SAFE)) != EXEC_SUCCESS) {
        free(work->arguments);
        return error;
    }
    after = waits_of(stream, &count);
    serial = after != NULL ? enqueue_behind(stream, work, after, count) : 0;
    free(after);
    if (serial == 0)
        return EXEC_OUT_OF_MEMORY;
    stream_set_last(stream, serial);
    return EXEC_SUCCESS;
}

/* Runs the queue when no work has come for some time. */
static void *make_progress(void *unused)
{
    static const struct timespec pause = {.tv_nsec = 100000000};
    uint64_t seen = 0;

    for (;;) {
        nanosleep(&pause, NULL);
        exec_enter("progress", NULL);
        if (queue.first != NULL && queue.serial == seen)
            run_until(NULL, false);
        seen = queue.serial;
        exec_leave();
    }
    return unused;
}

/* The program may wait for its function without a call of the API. */
int exec_host_function(struct exec_stream *stream, void (*function)(void *), void *data)
{
    static bool has_thread;
    struct work work = {.kind = WORK_HOST, .host = function, .data = data};
    pthread_t thread;

    work.site = exec_site();
    report_remark("accesses of host functions to memory of unfinished work are not found",
                  &work.site);
    if (!has_thread && pthread_create(&thread, NULL, make_progress, NULL) == 0)
        has_thread = pthread_detach(thread) == 0;
    return enqueue(stream, &work);
}

/* ---- Streams ---- */

static int add_wait(struct exec_stream *stream, uint64_t serial, const struct clock *clock)
{
    uint64_t *grown = realloc(stream->waits, (stream->wait_count + 1) * sizeof *grown);

    if (grown == NULL)
        return EXEC_OUT_OF_MEMORY;
    stream->waits = grown;
    grown[stream->wait_count++] = serial;
    clock_merge(&stream->clock, clock);
    return EXEC_SUCCESS;
}

void retire(void *object)
{
    enum { KEPT = 4096 };
    static void *kept[KEPT];
    static size_t next;

    free(kept[next % KEPT]);
    kept[next++ % KEPT] = object;
}

static bool is_event(const struct exec_event *event)
{
    return is_handle(event, event != NULL && event->is_destroyed, "event");
}

/* Its work goes on. The legacy stream still waits for it. */
int exec_stream_destroy(struct exec_stream *stream)
{
    for (struct exec_stream **s = &queue.streams; *s != NULL; s = &(*s)->next)
        if (*s == stream) {
            int error = stream->flags & EXEC_NON_BLOCKING
                            ? EXEC_SUCCESS
                            : add_wait(&queue.legacy, stream->last, &stream->clock);
            *s = stream->next;
            free(stream->waits);
            retire(stream);
            return error;
        }
    is_handle(stream, stream != NULL, "stream");
    return EXEC_INVALID_HANDLE;
}

int exec_stream_flags(struct exec_stream *handle, unsigned int *flags, int *priority,
                      unsigned long long *id)
{
    const struct exec_stream *stream = stream_of(handle);

    if (!is_handle(stream, !is_stream(handle), "stream"))
        return EXEC_INVALID_HANDLE;
    if (flags != NULL)
        *flags = stream->flags;
    if (priority != NULL)
        *priority = stream->priority;
    if (id != NULL)
        *id = stream->id;
    return EXEC_SUCCESS;
}

int exec_synchronize(struct exec_stream *handle)
{
    if (!is_handle(stream_of(handle), !is_stream(handle), "stream"))
        return EXEC_INVALID_HANDLE;
    stream_of(handle)->was_queried = true;
    return captures_forbid(stream_of(handle), CALL_UNSAFE) ?: host_wait(handle);
}

int exec_synchronize_all(void)
{
    return exec_start() ?: captures_forbid(NULL, CALL_OF_ALL) ?: host_wait_all();
}

/* The first query after work says that it is not ready, as on a GPU. */
int exec_stream_query(struct exec_stream *handle)
{
    struct exec_stream *stream = stream_of(handle);

    if (!is_handle(stream, !is_stream(handle), "stream"))
        return EXEC_INVALID_HANDLE;
    if (queue.first != NULL && !stream->was_queried) {
        stream->was_queried = true;
        return captures_forbid(stream, CALL_UNSAFE) ?: EXEC_NOT_READY;
    }
    return exec_synchronize(handle);
}

/* ---- Events ---- */

int exec_event_create(unsigned int flags, struct exec_event **made)
{
    int error = exec_start() ?: exec_flags(FEATURE_EVENT_FLAG, flags);

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
    if (!is_event(event))
        return EXEC_INVALID_HANDLE;
    for (struct queued *item = queue.first; item != NULL; item = item->next)
        if (item->work.event == event)
            item->work.event = NULL;
    event->is_destroyed = true;
    retire(event);
    return EXEC_SUCCESS;
}

/* External events differ from others only in graphs. */
int exec_record_flags(struct exec_stream *stream, unsigned int flags)
{
    enum { EXTERNAL = 1 };

    return exec_flags(FEATURE_RECORD_FLAG,
                      stream_captures(stream) ? flags : flags & ~(unsigned int)EXTERNAL);
}

int exec_event_record(struct exec_event *event, struct exec_stream *stream)
{
    struct work work = {.kind = WORK_EVENT, .event = event};
    bool is_captured = false;
    int error;

    if (!is_event(event))
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
    event->clock = stream_of(stream)->clock;
    return error;
}

int exec_event_query(struct exec_event *event)
{
    if (!is_event(event))
        return EXEC_INVALID_HANDLE;
    if (!event->is_done && event->serial != 0 && !event->was_queried) {
        event->was_queried = true;
        return capture_ask(event) ?: EXEC_NOT_READY;
    }
    return exec_event_synchronize(event);
}

int exec_event_synchronize(struct exec_event *event)
{
    int error;

    if (!is_event(event))
        return EXEC_INVALID_HANDLE;
    error = capture_ask(event);
    if (error != EXEC_SUCCESS)
        return error;
    error = event->serial == 0 || event->is_done ? exec_sticky() : run_until(&event->clock, false);
    host_learn(&event->clock);
    return error;
}

enum { EVENT_DISABLE_TIMING = 2 };

int exec_event_elapsed(struct exec_event *start, struct exec_event *end, float *ms)
{
    if (!is_event(start) || !is_event(end) || start->serial == 0 || end->serial == 0 ||
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
    struct work work = {.kind = WORK_EMPTY};
    bool is_captured = false;
    int error;

    if (!is_event(event) || !is_handle(stream_of(handle), !is_stream(handle), "stream"))
        return EXEC_INVALID_HANDLE;
    error = capture_wait(handle, event, &is_captured);
    if (is_captured || error != EXEC_SUCCESS || event->serial == 0)
        return error;
    error = add_wait(stream, event->serial, &event->clock);
    /* The legacy stream and the blocking ones wait for each other's waits, too. */
    return error != EXEC_SUCCESS || (stream->flags & EXEC_NON_BLOCKING) ? error
                                                                        : enqueue(handle, &work);
}
