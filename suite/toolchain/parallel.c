/* SPDX-License-Identifier: MIT */
#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

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

void parallel_for(size_t count, void (*call)(void *context, size_t k), void *context)
{
    struct work work = {call, context, count, 0};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t threads[MOST_THREADS];
    size_t started = 0;

    /* This thread takes turns too, so that no other need start. */
    while (started + 1 < count && (long)started + 1 < processors && started < MOST_THREADS &&
           pthread_create(&threads[started], NULL, take_turns, &work) == 0)
        started++;
    take_turns(&work);
    while (started > 0)
        pthread_join(threads[--started], NULL);
}
