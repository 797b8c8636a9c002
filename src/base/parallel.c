/* SPDX-License-Identifier: MIT */
#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

struct work {
    void (*call)(void *context, size_t k);
    void *context;
    size_t count;
    atomic_size_t next;
};

static void *take_turns(void *argument)
{
    struct work *work = argument;

    for (size_t k; (k = atomic_fetch_add(&work->next, 1)) < work->count;)
        work->call(work->context, k);
    return NULL;
}

void parallel_for_on(size_t most_threads, size_t count, void (*call)(void *context, size_t k),
                     void *context)
{
    struct work work = {call, context, count, 0};
    pthread_t threads[MAX_THREADS];
    size_t started = 0;

    /* This thread works, too, so the loop may start no other thread. */
    while (started + 1 < count && started + 1 < most_threads && started < MAX_THREADS &&
           pthread_create(&threads[started], NULL, take_turns, &work) == 0)
        started++;
    take_turns(&work);
    while (started > 0)
        pthread_join(threads[--started], NULL);
}

void parallel_for(size_t count, void (*call)(void *context, size_t k), void *context)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    parallel_for_on(processors > 0 ? (size_t)processors : 1, count, call, context);
}
