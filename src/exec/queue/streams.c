/* SPDX-License-Identifier: MIT
 *
 * Streams, and what the host knows to be complete.
 */
#include "queue.h"

#include <stdlib.h>

struct queue queue = {.last = &queue.first, .legacy = {.id = 1, .index = 0}, .ids = 1};

/* Returns the default stream of this thread. It stays when the thread ends. */
static struct exec_stream *stream_of_thread(void)
{
    static _Thread_local struct exec_stream *own;

    if (own == NULL && exec_stream_create(0, 0, &own) != EXEC_SUCCESS)
        return &queue.legacy;
    return own;
}

struct exec_stream *stream_of(struct exec_stream *handle)
{
    if (handle == EXEC_PER_THREAD || (handle == NULL && call_is_per_thread()))
        return stream_of_thread();
    return handle == NULL || handle == EXEC_LEGACY ? &queue.legacy : handle;
}

bool is_stream(struct exec_stream *handle)
{
    const struct exec_stream *stream = stream_of(handle);

    if (stream == &queue.legacy)
        return true;
    for (const struct exec_stream *s = queue.streams; s != NULL; s = s->next)
        if (s == stream)
            return true;
    return false;
}

bool is_handle(const void *object, bool is_destroyed, const char *what)
{
    struct exec_site site = exec_site();

    if (is_destroyed)
        report("invalid-call", &site, "its %s was destroyed", what);
    return object != NULL && !is_destroyed;
}

/* Returns an index that no stream has, and whose work all later work comes after. */
static uint32_t free_index(void)
{
    bool is_used[MAX_STREAMS] = {true};
    uint32_t k = 1;

    for (const struct exec_stream *s = queue.streams; s != NULL; s = s->next)
        is_used[s->index] = true;
    while (k < HOST_STREAM - 1 && (is_used[k] || !clock_has(&queue.host, k, queue.lasts[k])))
        k++;
    return k;
}

int exec_stream_create(unsigned int flags, int priority, struct exec_stream **made)
{
    struct exec_stream *stream = calloc(1, sizeof *stream);
    int error = exec_start() ?: exec_flags(FEATURE_STREAM_FLAG, flags);
    const struct exec_site site = exec_site();

    if (error != EXEC_SUCCESS || stream == NULL) {
        free(stream);
        return error != EXEC_SUCCESS ? error : EXEC_OUT_OF_MEMORY;
    }
    *stream = (struct exec_stream){
        .next = queue.streams, .flags = flags, .priority = priority, .id = ++queue.ids};
    stream->index = free_index();
    if (stream->index == HOST_STREAM - 1)
        report_partial("more than 254 streams at once: races between the others are not found",
                       &site);
    queue.streams = stream;
    *made = stream;
    return EXEC_SUCCESS;
}

void clock_merge(struct clock *into, const struct clock *other)
{
    for (uint32_t k = 0; k < MAX_STREAMS; k++)
        if (into->serials[k] < other->serials[k])
            into->serials[k] = other->serials[k];
}

bool clock_has(const struct clock *clock, uint32_t stream, uint64_t serial)
{
    return clock->serials[stream] >= serial;
}

void host_hear(const struct clock *clock)
{
    clock_merge(&queue.heard, clock);
    guards_synchronize(queue.heard.serials);
}

void host_learn(const struct clock *clock)
{
    clock_merge(&queue.host, clock);
    host_hear(clock);
}

uint64_t stream_last(struct exec_stream *stream)
{
    return stream_of(stream)->last;
}

uint32_t stream_index(struct exec_stream *stream)
{
    return stream_of(stream)->index;
}

void stream_set_last(struct exec_stream *handle, uint64_t serial)
{
    struct exec_stream *stream = stream_of(handle);

    stream->last = serial;
    stream->was_queried = false;
    stream->wait_count = 0;
}

void queue_forget(void)
{
    queue.legacy.last = 0;
}
