/* SPDX-License-Identifier: MIT
 *
 * The start of the simulated device.
 */
#include "internal.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void note_exit_status(int status, void *unused)
{
    (void)unused;
    device.exit_status = status;
}

/* The child of a fork() has a copy of this state, but neither a GPU nor the threads. */
static void leave_to_parent(void)
{
    call_free_lock();
    device.is_forked = true;
    guards_forget_all();
}

/* Returns how much memory the race checker may use for the order of accesses. */
static size_t order_bytes(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE);
}

static int start(void)
{
    static const struct engine_limits limits = {.deadline_seconds = 1e9};
    char reason[PATH_MAX + 512];

    device.is_started = true;
    device.rules = (struct launch_rules){
        .model = options.model,
        .races = options.detects_races ? device.races : NULL,
        .race_capacity = MAX_RACES,
        .order_bytes = order_bytes(),
        .output = stdout,
        .signal = guards_signal,
    };
    if (engine_open(&limits, &device.engine, reason, sizeof reason) != ENGINE_OK ||
        !launches_start(device.engine, &device.rules)) {
        fprintf(stderr, "simtcheck exec: the simulator cannot start: %s\n", reason);
        return EXEC_OUT_OF_MEMORY;
    }
    on_exit(note_exit_status, NULL);
    pthread_atfork(NULL, NULL, leave_to_parent);
    nvrtc_redirect();
    return EXEC_SUCCESS;
}

int exec_start(void)
{
    if (!device.is_started)
        device.start_error = start();
    return device.start_error;
}
