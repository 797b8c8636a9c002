/* SPDX-License-Identifier: MIT
 *
 * A worker in which several engines can run at once, as on a GPU. It has THREADS engines, of which
 * OPENS can be opened. The file STARTS gets one byte per attempt. If the first buffer has 13
 * elements, a run is a fault. Otherwise it leaves the output 0.
 */
#include "engine.h"
#include "worker.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct engine {
    int runs; /* jobs that run now */
};

const struct engine_kind *engine_kind(void)
{
    return &engine_kinds[ENGINE_SIM];
}

unsigned int engine_threads(void)
{
    return (unsigned int)atoi(getenv("THREADS"));
}

enum engine_status engine_open(const struct engine_limits *limits, struct engine **engine,
                               char *reason, size_t reason_size)
{
    static int opened;
    int starts = open(getenv("STARTS"), O_WRONLY | O_APPEND | O_CREAT, 0600);

    *engine = NULL;
    snprintf(reason, reason_size, "there is no room for another engine");
    if (limits->deadline_seconds <= 0 || starts < 0 || write(starts, ".", 1) != 1)
        return ENGINE_ERROR;
    close(starts);
    if (opened++ < atoi(getenv("OPENS")))
        *engine = calloc(1, sizeof **engine);
    return *engine != NULL ? ENGINE_OK : ENGINE_UNAVAILABLE;
}

void engine_close(struct engine *engine)
{
    free(engine);
}

void engine_describe(struct engine *engine, char *text, size_t size)
{
    (void)engine;
    snprintf(text, size, "several engines");
}

bool engine_load(const char *path, char *reason, size_t reason_size)
{
    snprintf(reason, reason_size, "cannot load the kernels of %s", path);
    return false;
}

const char *engine_lacks(const struct engine *engine, enum need need)
{
    (void)engine;
    (void)need;
    return NULL;
}

bool engine_last_store(uint32_t buffer, uint64_t index, struct fault_place *place)
{
    (void)buffer;
    (void)index;
    (void)place;
    return false;
}

size_t engine_batch(const struct engine *engine)
{
    (void)engine;
    return 8;
}

enum engine_status engine_run(struct engine *engine, const struct engine_job *jobs, size_t count,
                              struct engine_outcome *outcomes)
{
    if (__atomic_fetch_add(&engine->runs, 1, __ATOMIC_SEQ_CST) != 0)
        abort(); /* only one thread at a time */
    for (size_t j = 0; j < count; j++) {
        const struct invocation *invocation = jobs[j].invocation;
        outcomes[j] = (struct engine_outcome){.steps = 1};
        for (uint32_t b = 0; b < invocation->buffer_count; b++)
            if (jobs[j].results[b] != NULL)
                memset(jobs[j].results[b], 0, buffer_bytes(&invocation->buffers[b]));
        if (invocation->buffers[0].count == 13)
            fault_set(&outcomes[j].fault, FAULT_TRAP, "thirteen elements");
    }
    __atomic_fetch_sub(&engine->runs, 1, __ATOMIC_SEQ_CST);
    return ENGINE_OK;
}

int main(int argc, char **argv)
{
    return worker_main(argc, argv, &simtcheck_catalogue);
}
