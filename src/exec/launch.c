/* SPDX-License-Identifier: MIT
 *
 * Launches: checks of their configuration, their parameters, and their outcome.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

int exec_take_attributes(const struct exec_launch_attribute *attributes, unsigned int count,
                         struct exec_launch *launch)
{
    int error = EXEC_SUCCESS;

    for (unsigned int a = 0; error == EXEC_SUCCESS && a < count; a++) {
        const struct exec_launch_attribute *one = &attributes[a];
        error = exec_feature(FEATURE_LAUNCH_ATTRIBUTE, one->id, &one->value);
        if (one->id == EXEC_COOPERATIVE) {
            launch->is_cooperative = one->value.number != 0;
        } else if (one->id == EXEC_CLUSTER) {
            memcpy(launch->cluster, one->value.dimension, sizeof launch->cluster);
        } else if (one->id == EXEC_PROGRAM_EVENT || one->id == EXEC_COMPLETION_EVENT) {
            launch->events[one->id == EXEC_COMPLETION_EVENT] = one->value.record.event;
            error = one->value.record.event == NULL
                        ? EXEC_INVALID_VALUE
                        : exec_flags(FEATURE_RECORD_FLAG, (unsigned int)one->value.record.flags);
        }
    }
    return error;
}

int exec_launch(const struct exec_launch *launch, void *const *arguments, const void *buffer,
                size_t buffer_bytes, struct exec_stream *stream)
{
    struct work work = {.kind = WORK_LAUNCH, .launch = *launch};
    int error = exec_start()
                ?: exec_sticky()
                ?: launch_check(launch) ?: launch_bind(&work, arguments, buffer, buffer_bytes);

    if (error != EXEC_SUCCESS)
        return error;
    work.site = launch->site != NULL ? *launch->site : exec_site();
    error = enqueue(stream, &work);
    for (int e = 0; e < 2 && error == EXEC_SUCCESS; e++)
        if (launch->events[e] != NULL)
            error = exec_event_record(launch->events[e], stream);
    return error;
}
