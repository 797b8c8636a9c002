/* SPDX-License-Identifier: MIT
 *
 * The CUDA runtime: streams, events and host functions.
 */
#include "runtime.h"

#include <stdlib.h>

typedef struct exec_event *event_t;

API(cudaStreamCreate, stream_t *stream)
{
    return RUNTIME_CALL(exec_stream_create(0, 0, stream));
}

API(cudaStreamCreateWithFlags, stream_t *stream, unsigned int flags)
{
    return RUNTIME_CALL(exec_stream_create(flags, 0, stream));
}

API(cudaStreamCreateWithPriority, stream_t *stream, unsigned int flags, int priority)
{
    return RUNTIME_CALL(exec_stream_create(flags, priority, stream));
}

API(cudaStreamDestroy, stream_t stream)
{
    return RUNTIME_CALL(exec_stream_destroy(stream));
}

API(cudaStreamSynchronize, stream_t stream)
{
    return RUNTIME_CALL(exec_synchronize(stream));
}

API(cudaStreamQuery, stream_t stream)
{
    return RUNTIME_CALL(exec_stream_query(stream));
}

API(cudaStreamWaitEvent, stream_t stream, event_t event, unsigned int flags)
{
    return RUNTIME_CALL(exec_record_flags(stream, flags) ?: exec_stream_wait(stream, event));
}

API(cudaStreamGetFlags, stream_t stream, unsigned int *flags)
{
    return RUNTIME_CALL(exec_stream_flags(stream, flags, NULL, NULL));
}

API(cudaStreamGetPriority, stream_t stream, int *priority)
{
    return RUNTIME_CALL(exec_stream_flags(stream, NULL, priority, NULL));
}

API(cudaStreamGetId, stream_t stream, unsigned long long *id)
{
    return RUNTIME_CALL(exec_stream_flags(stream, NULL, NULL, id));
}

API(cudaStreamGetDevice, stream_t stream, int *device)
{
    (void)stream;
    *device = 0;
    return EXEC_SUCCESS;
}

API(cudaStreamSetAttribute, stream_t stream, int id, const void *value)
{
    (void)stream;
    return RUNTIME_CALL(exec_feature(FEATURE_STREAM_ATTRIBUTE, (uint32_t)id, value));
}

/* An attribute either does nothing in exec, or was reported when it was set. */
API(cudaStreamCopyAttributes, stream_t to, stream_t from)
{
    (void)to, (void)from;
    return EXEC_SUCCESS;
}

/* ---- Host functions ---- */

API(cudaLaunchHostFunc, stream_t stream, void (*function)(void *), void *data)
{
    return RUNTIME_CALL(exec_host_function(stream, function, data));
}

struct callback {
    void (*function)(stream_t, int, void *);
    stream_t stream;
    void *data;
};

static void call_back(void *given)
{
    struct callback callback = *(struct callback *)given;

    free(given);
    callback.function(callback.stream, exec_sticky(), callback.data);
}

static int add_callback(const struct callback *callback)
{
    struct callback *copy = malloc(sizeof *copy);

    if (copy == NULL)
        return EXEC_OUT_OF_MEMORY;
    *copy = *callback;
    return exec_host_function(callback->stream, call_back, copy);
}

API(cudaStreamAddCallback, stream_t stream, void (*function)(stream_t, int, void *), void *data,
    unsigned int flags)
{
    const struct callback callback = {function, stream, data};

    return RUNTIME_CALL(exec_flags(FEATURE_RESERVED_FLAG, flags) ?: add_callback(&callback));
}

/* ---- Events ---- */

API(cudaEventCreate, event_t *event)
{
    return RUNTIME_CALL(exec_event_create(0, event));
}

API(cudaEventCreateWithFlags, event_t *event, unsigned int flags)
{
    return RUNTIME_CALL(exec_event_create(flags, event));
}

API(cudaEventDestroy, event_t event)
{
    return RUNTIME_CALL(exec_event_destroy(event));
}

API(cudaEventRecord, event_t event, stream_t stream)
{
    return RUNTIME_CALL(exec_event_record(event, stream));
}

API(cudaEventRecordWithFlags, event_t event, stream_t stream, unsigned int flags)
{
    return RUNTIME_CALL(exec_record_flags(stream, flags) ?: exec_event_record(event, stream));
}

API(cudaEventQuery, event_t event)
{
    return RUNTIME_CALL(exec_event_query(event));
}

API(cudaEventSynchronize, event_t event)
{
    return RUNTIME_CALL(exec_event_synchronize(event));
}

API(cudaEventElapsedTime, float *ms, event_t start, event_t end)
{
    return RUNTIME_CALL(exec_event_elapsed(start, end, ms));
}
