/* SPDX-License-Identifier: MIT
 *
 * Runs what is queued. Launches that no stream and no event orders run together in the simulator,
 * so that it finds races between them.
 */
#include "queue.h"

#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void free_queued(struct queued *item)
{
    queue.bytes -= item->work.argument_bytes;
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
        call_host_function(work->host, work->data, &work->site);
        return EXEC_SUCCESS;
    case WORK_ALLOCATE:
        return allocate_now(work);
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
    overlap_name(run, end);
    if (run->batch_count > 0)
        note_error(run, launch_batch(run->batch, run->batch_count));
    overlap_keep(run);
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

    bool overlapping = overlaps(run, item) || !is_alone(run, k);

    *one = (struct batched){.work = &item->work, .item = item, .after = item->behind};
    if (item->work.kind == WORK_LAUNCH || (overlapping && exec_sticky() == EXEC_SUCCESS &&
                                           transfer_make(&item->work, &one->transfer))) {
        item->bit = UINT32_C(1) << run->batch_count++;
        return;
    }
    if (item->behind != 0)
        run_batch(run, k);
    item->behind = 0;
    if (item->work.kind == WORK_HOST)
        host_hear(&item->clock);
    else if (item->work.kind == WORK_COPY || item->work.kind == WORK_FILL)
        overlap_drop(run, item);
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

/* Takes the first part of the queue: all that the host is to know, up to a cut. Returns false
 * without memory. */
static bool take_queue(struct running *run)
{
    struct queued *item = queue.first;
    size_t end = 0;

    run->items = calloc(queue.count, sizeof *run->items);
    run->count = queue.count;
    run->first = item->serial;
    for (size_t k = 0; run->items != NULL && k < run->count; k++, item = item->next) {
        run->items[k] = item;
        if (run->known == NULL || clock_has(run->known, item->stream, item->serial))
            end = k + 1;
    }
    if (run->items == NULL)
        return false;
    find_cuts(run);
    while (end > 0 && end < run->count && !run->items[end]->is_cut)
        end++;
    if (end == run->count)
        queue.last = &queue.first;
    if (end > 0)
        queue.first = run->items[end - 1]->next;
    run->count = end;
    queue.count -= end;
    return true;
}

/* Sets *is_done if nothing is left to be run. */
static int run_taken(const struct clock *known, bool drops, bool *is_done)
{
    struct running *run = calloc(1, sizeof *run);
    int error;

    if (run != NULL)
        *run = (struct running){.known = known, .drops = drops};
    if (run == NULL || !take_queue(run)) {
        free(run);
        *is_done = true;
        return stay_failed(EXEC_OUT_OF_MEMORY);
    }
    *is_done = run->count == 0;
    error = run_queued(run);
    for (size_t k = 0; k < run->count; k++)
        free_queued(run->items[k]);
    free(run->items);
    free(run);
    return error;
}

int run_until(const struct clock *known, bool drops)
{
    int error = EXEC_SUCCESS, other;
    bool is_done = false;

    if (queue.is_running && pthread_equal(queue.runner, pthread_self()))
        return EXEC_SUCCESS; /* a host function calls the API */
    while (queue.is_running)
        wait_for_others();
    queue.is_running = true;
    queue.runner = pthread_self();
    guards_before_run();
    while (queue.first != NULL && !is_done) {
        other = run_taken(known, drops, &is_done);
        error = error != EXEC_SUCCESS ? error : other;
    }
    guards_after_run();
    queue.is_running = false;
    tell_others();
    return exec_sticky() != EXEC_SUCCESS ? exec_sticky() : error;
}

int run_all(void)
{
    return run_until(NULL, true);
}

/* ---- Waits of the host ---- */

/* To wait for the legacy stream is to wait for all blocking streams. */
int host_wait(struct exec_stream *handle)
{
    const struct exec_stream *stream = stream_of(handle);
    struct clock known = stream->clock;
    int error;

    if (stream == &queue.legacy)
        for (const struct exec_stream *s = queue.streams; s != NULL; s = s->next)
            if (!(s->flags & EXEC_NON_BLOCKING))
                clock_merge(&known, &s->clock);
    error = run_until(&known, false);
    host_learn(&known);
    return error;
}

int host_wait_all(void)
{
    struct clock known;
    int error;

    for (uint32_t k = 0; k < MAX_STREAMS; k++)
        known.serials[k] = queue.serial;
    error = run_until(&known, false);
    host_learn(&known);
    return error;
}
