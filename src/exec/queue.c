/* SPDX-License-Identifier: MIT
 *
 * Streams and events. Work is queued, and runs when the host synchronizes. Launches that no stream
 * and no event orders run together in the simulator, so that it finds races between them.
 */
#include "internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_BATCH = LAUNCHES_TOGETHER, MAX_QUEUED = 4096, MAX_STREAMS = 256 };

/* For each stream, by its index, the last work that is known to be complete at some point. */
struct clock {
    uint64_t serials[MAX_STREAMS];
};

struct exec_stream {
    struct exec_stream *next;
    unsigned int flags;
    int priority;
    unsigned long long id;
    uint64_t last; /* serial number of its last work; 0: none */
    uint64_t *waits;
    size_t wait_count;
    bool was_queried;   /* since its last work */
    uint32_t index;     /* in clocks; streams after many share the last one */
    struct clock clock; /* of the stream's last work */
};

struct exec_event {
    unsigned int flags;
    uint64_t serial; /* of the work that records it; 0: never recorded */
    double time;
    bool is_done, was_queried;
    struct clock clock;
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
    size_t prefix;
    bool is_cut;
    struct clock *clock; /* of a host function: what the host knows to be complete then */
};

static struct {
    struct queued *first, **last;
    size_t count;
    uint64_t serial;
    struct exec_stream *streams;
    struct exec_stream legacy;
    unsigned long long ids;
    bool is_running;
    pthread_t runner;
    struct clock host;
} queue = {.last = &queue.first, .legacy = {.id = 1, .index = 0}, .ids = 1};

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

static bool is_stream(struct exec_stream *handle)
{
    const struct exec_stream *stream = stream_of(handle);

    if (stream == &queue.legacy)
        return true;
    for (const struct exec_stream *s = queue.streams; s != NULL; s = s->next)
        if (s == stream)
            return true;
    return false;
}

/* ---- Clocks ---- */

static void merge(struct clock *into, const struct clock *other)
{
    for (uint32_t k = 0; k < MAX_STREAMS; k++)
        if (into->serials[k] < other->serials[k])
            into->serials[k] = other->serials[k];
}

static void wait_for(const struct clock *clock)
{
    merge(&queue.host, clock);
    guards_synchronize();
}

/* To wait for the legacy stream is to wait for all blocking streams. */
void host_synchronize(struct exec_stream *handle)
{
    const struct exec_stream *stream = stream_of(handle);

    if (stream == &queue.legacy)
        for (const struct exec_stream *s = queue.streams; s != NULL; s = s->next)
            if (!(s->flags & EXEC_NON_BLOCKING))
                merge(&queue.host, &s->clock);
    wait_for(&stream->clock);
}

void host_synchronize_all(void)
{
    for (uint32_t k = 0; k < MAX_STREAMS; k++)
        queue.host.serials[k] = queue.serial;
    guards_synchronize();
}

bool host_is_behind(uint32_t stream, uint64_t serial)
{
    return queue.host.serials[stream] >= serial;
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
    free(item->clock);
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
        call_host_function(work->host, work->data);
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

/* The queue while it runs, as an array. Serial numbers are consecutive. */
struct running {
    struct queued **items;
    uint64_t first; /* serial number of items[0] */
    size_t count;
    struct batched batch[MAX_BATCH];
    uint32_t batch_count;
    size_t batch_start; /* events from there on may wait for the batch */
    int error;
};

/* Returns the item of which the a-th predecessor of the item is, or `count` if it has run before.
 */
static size_t index_of(const struct running *run, const struct queued *item, size_t a)
{
    return item->after[a] >= run->first ? (size_t)(item->after[a] - run->first) : run->count;
}

/* Sets item->prefix: all items before that index come before the item, by a chain of waits. */
static void find_prefix(const struct running *run, struct queued *item)
{
    bool grows = true;

    item->prefix = 0;
    for (size_t a = 0; a < item->after_count; a++) {
        size_t at = index_of(run, item, a);
        size_t prefix = at == run->count               ? 0
                        : run->items[at]->prefix == at ? at + 1
                                                       : run->items[at]->prefix;
        item->prefix = prefix > item->prefix ? prefix : item->prefix;
    }
    while (grows) {
        grows = false;
        for (size_t a = 0; a < item->after_count; a++)
            if (index_of(run, item, a) == item->prefix) {
                item->prefix++;
                grows = true;
            }
    }
}

/* Sets item->is_cut: all items before it end before it and the later ones begin. */
static void find_cuts(const struct running *run)
{
    size_t least = run->count;

    for (size_t k = 0; k < run->count; k++)
        find_prefix(run, run->items[k]);
    for (size_t k = run->count; k-- > 0;) {
        least = run->items[k]->prefix < least ? run->items[k]->prefix : least;
        run->items[k]->is_cut = least >= k;
    }
}

/* Returns the members of the batch that must end before the item. */
static uint32_t batch_before(const struct running *run, const struct queued *item)
{
    uint32_t before = 0;

    for (size_t a = 0; a < item->after_count; a++) {
        size_t at = index_of(run, item, a);
        if (at != run->count)
            before |= run->items[at]->bit | run->items[at]->behind;
    }
    return before;
}

static void note_error(struct running *run, int error)
{
    run->error = run->error != EXEC_SUCCESS ? run->error : error;
}

/* Runs the batch. Then the events behind it are reached, of the items before `end`. */
static void run_batch(struct running *run, size_t end)
{
    if (run->batch_count > 0)
        note_error(run, launch_batch(run->batch, run->batch_count));
    for (size_t k = run->batch_start; k < end; k++) {
        reach_event(&run->items[k]->work);
        run->items[k]->bit = run->items[k]->behind = 0;
    }
    run->batch_count = 0;
    run->batch_start = end;
}

/* Returns whether the item is alone between two cuts: nothing runs at the same time. */
static bool is_alone(const struct running *run, size_t k)
{
    return run->items[k]->is_cut && (k + 1 == run->count || run->items[k + 1]->is_cut);
}

static void add_to_batch(struct running *run, size_t k)
{
    struct queued *item = run->items[k];
    struct batched *one = &run->batch[run->batch_count];

    *one = (struct batched){.work = &item->work, .after = item->behind};
    if (item->work.kind == WORK_LAUNCH || (!is_alone(run, k) && exec_sticky() == EXEC_SUCCESS &&
                                           transfer_make(&item->work, &one->transfer))) {
        item->bit = UINT32_C(1) << run->batch_count++;
        return;
    }
    if (item->behind != 0)
        run_batch(run, k);
    item->behind = 0;
    if (item->clock != NULL)
        wait_for(item->clock);
    if (exec_sticky() == EXEC_SUCCESS)
        note_error(run, run_other(&item->work));
}

static int run_queued(struct running *run)
{
    for (size_t k = 0; k < run->count; k++) {
        struct queued *item = run->items[k];
        if (item->is_cut || run->batch_count == MAX_BATCH)
            run_batch(run, k);
        item->behind = batch_before(run, item);
        if (item->work.kind != WORK_EVENT && item->work.kind != WORK_EMPTY)
            add_to_batch(run, k);
        else if (item->behind == 0)
            reach_event(&item->work);
    }
    run_batch(run, run->count);
    return run->error;
}

/* Takes the queue. Returns false without memory. */
static bool take_queue(struct running *run)
{
    struct queued *item = queue.first;

    *run = (struct running){.count = queue.count, .first = item->serial};
    run->items = calloc(queue.count, sizeof *run->items);
    for (size_t k = 0; run->items != NULL && k < run->count; k++, item = item->next)
        run->items[k] = item;
    queue.first = NULL;
    queue.last = &queue.first;
    queue.count = 0;
    return run->items != NULL;
}

static int run_taken(void)
{
    struct running *run = malloc(sizeof *run);
    int error;

    if (run == NULL || !take_queue(run)) {
        free(run);
        return stay_failed(EXEC_OUT_OF_MEMORY);
    }
    find_cuts(run);
    error = run_queued(run);
    for (size_t k = 0; k < run->count; k++)
        free_queued(run->items[k]);
    free(run->items);
    free(run);
    return error;
}

bool queue_runs(void)
{
    return queue.is_running;
}

int run_all(void)
{
    int error = EXEC_SUCCESS, other;

    if (queue.is_running && pthread_equal(queue.runner, pthread_self()))
        return EXEC_SUCCESS; /* a host function calls the API */
    while (queue.is_running)
        wait_for_others();
    queue.is_running = true;
    queue.runner = pthread_self();
    guards_before_run();
    while (queue.first != NULL) {
        other = run_taken();
        error = error != EXEC_SUCCESS ? error : other;
    }
    guards_after_run();
    queue.is_running = false;
    tell_others();
    return exec_sticky() != EXEC_SUCCESS ? exec_sticky() : error;
}

void queue_forget(void)
{
    queue.legacy.last = 0;
}

/* ---- Queueing ---- */

uint64_t enqueue_behind(struct exec_stream *handle, struct work *work, const uint64_t *after,
                        size_t count)
{
    struct queued *item = calloc(1, sizeof *item);
    struct exec_stream *stream = stream_of(handle);

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
    stream->clock.serials[stream->index] = item->serial;
    guard_work(&item->work, stream->index, item->serial);
    item->clock = work->kind == WORK_HOST ? malloc(sizeof *item->clock) : NULL;
    if (item->clock != NULL)
        *item->clock = stream->clock;
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
                merge(&stream->clock, &s->clock);
            }
    } else if (!(stream->flags & EXEC_NON_BLOCKING)) {
        after[(*count)++] = queue.legacy.last;
        merge(&stream->clock, &queue.legacy.clock);
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

/* Runs the queue when no work has come for some time. */
static void *make_progress(void *unused)
{
    static const struct timespec pause = {.tv_nsec = 100000000};
    uint64_t seen = 0;

    for (;;) {
        nanosleep(&pause, NULL);
        exec_enter("progress", NULL);
        if (queue.first != NULL && queue.serial == seen)
            run_all();
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

    if (!has_thread && pthread_create(&thread, NULL, make_progress, NULL) == 0)
        has_thread = pthread_detach(thread) == 0;
    return enqueue(stream, &work);
}

/* ---- Streams ---- */

int exec_stream_create(unsigned int flags, int priority, struct exec_stream **made)
{
    struct exec_stream *stream = calloc(1, sizeof *stream);
    int error = exec_start() ?: exec_flags(FEATURE_STREAM_FLAG, flags);

    if (error != EXEC_SUCCESS || stream == NULL) {
        free(stream);
        return error != EXEC_SUCCESS ? error : EXEC_OUT_OF_MEMORY;
    }
    *stream = (struct exec_stream){
        .next = queue.streams, .flags = flags, .priority = priority, .id = ++queue.ids};
    stream->index = stream->id <= MAX_STREAMS ? (uint32_t)stream->id - 1 : MAX_STREAMS - 1;
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
    int error;

    if (!is_stream(handle))
        return EXEC_INVALID_HANDLE;
    if (stream_captures(handle))
        return EXEC_CAPTURE_UNSUPPORTED;
    stream_of(handle)->was_queried = true;
    error = run_all();
    host_synchronize(handle);
    return error;
}

int exec_synchronize_all(void)
{
    int error = exec_start();

    if (error == EXEC_SUCCESS)
        error = run_all();
    host_synchronize_all();
    return error;
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
    if (event == NULL)
        return EXEC_INVALID_HANDLE;
    for (struct queued *item = queue.first; item != NULL; item = item->next)
        if (item->work.event == event)
            item->work.event = NULL;
    free(event);
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
    event->clock = stream_of(stream)->clock;
    return error;
}

int exec_event_query(struct exec_event *event)
{
    if (event == NULL)
        return EXEC_INVALID_HANDLE;
    if (!event->is_done && event->serial != 0 && !event->was_queried) {
        event->was_queried = true;
        return EXEC_NOT_READY;
    }
    return exec_event_synchronize(event);
}

int exec_event_synchronize(struct exec_event *event)
{
    int error;

    if (event == NULL)
        return EXEC_INVALID_HANDLE;
    error = event->serial == 0 || event->is_done ? exec_sticky() : run_all();
    wait_for(&event->clock);
    return error;
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
    merge(&stream->clock, &event->clock);
    return EXEC_SUCCESS;
}
