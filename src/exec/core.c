/* SPDX-License-Identifier: MIT
 *
 * The lock, the calls of the API, and the start and end of the simulated device.
 */
#include "internal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char exec_device_name[] = "simtcheck simulator (like NVIDIA H100)";

struct exec_options options;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static _Thread_local struct {
    struct exec_site site;
    uint32_t depth;
} current;

static struct {
    bool is_started;
    int start_error, sticky;
    struct engine *engine;
    struct launch_rules rules;
    struct race races[MAX_RACES];
} device;

void exec_enter(const char *name, const void *address)
{
    pthread_mutex_lock(&lock);
    if (current.depth++ == 0)
        current.site = (struct exec_site){name, address};
}

void exec_leave(void)
{
    current.depth--;
    pthread_mutex_unlock(&lock);
}

struct exec_site exec_site(void)
{
    return current.site;
}

int exec_missing(const char *name, const void *address)
{
    const struct exec_site site = {name, address};

    exec_enter(name, address);
    report("unsupported", &site, "simtcheck exec does not support %s()", name);
    exec_leave();
    return EXEC_NOT_SUPPORTED;
}

int exec_unsupported(const char *format, ...)
{
    char text[512];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    report("unsupported", &current.site, "simtcheck exec does not support %s", text);
    return EXEC_NOT_SUPPORTED;
}

void wrong_call(const char *format, ...)
{
    char text[512];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    report("invalid-call", &current.site, "%s", text);
}

/* ---- Start and end ---- */

static void end(void)
{
    exec_enter("exit", NULL);
    if (device.is_started) {
        run_all();
        memory_end();
        launch_end();
    }
    exec_leave();
}

static void read_options(void)
{
    const char *model = getenv("SIMTCHECK_EXEC_MODEL"), *races = getenv("SIMTCHECK_EXEC_RACES"),
               *leaks = getenv("SIMTCHECK_EXEC_LEAKS");

    options.model = model != NULL && strcmp(model, model_name(MODEL_LOCKSTEP)) == 0
                        ? MODEL_LOCKSTEP
                        : MODEL_INDEPENDENT;
    options.detects_races = races == NULL || strcmp(races, "0") != 0;
    options.checks_leaks = leaks == NULL || strcmp(leaks, "0") != 0;
}

static int start(void)
{
    static const struct engine_limits limits = {.deadline_seconds = 1e9};
    char reason[512];

    device.is_started = true;
    read_options();
    device.rules = (struct launch_rules){
        .model = options.model,
        .races = options.detects_races ? device.races : NULL,
        .race_capacity = MAX_RACES,
        .output = stdout,
    };
    if (engine_open(&limits, &device.engine, reason, sizeof reason) != ENGINE_OK ||
        !launches_start(device.engine, &device.rules)) {
        fprintf(stderr, "simtcheck exec: the simulator cannot start: %s\n", reason);
        return EXEC_OUT_OF_MEMORY;
    }
    atexit(end);
    return EXEC_SUCCESS;
}

int exec_start(void)
{
    if (!device.is_started)
        device.start_error = start();
    return device.start_error;
}

const struct race *races_of_launch(void)
{
    return device.races;
}

int exec_sticky(void)
{
    return device.sticky;
}

int stay_failed(int error)
{
    device.sticky = error;
    return error;
}

int exec_reset(void)
{
    int error = exec_start();

    if (error == EXEC_SUCCESS)
        run_all();
    queue_forget();
    memory_forget();
    device.sticky = EXEC_SUCCESS;
    return error;
}
