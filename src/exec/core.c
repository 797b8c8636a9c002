/* SPDX-License-Identifier: MIT
 *
 * The lock, the calls of the API, and the start and end of the simulated device.
 */
#include "internal.h"

#include <execinfo.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char exec_device_name[] = "simtcheck simulator (like NVIDIA H100)";

struct exec_options options;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t run_ended = PTHREAD_COND_INITIALIZER;
/* per_thread, caller: of a function in which stream 0 is the default stream of the thread. */
static _Thread_local struct {
    struct exec_site site;
    uint32_t depth;
    const char *per_thread; /* null: stream 0 is the legacy stream */
    const void *caller;
} current;

static struct {
    bool is_started, is_forked;
    int start_error, sticky;
    int exit_status;
    struct engine *engine;
    struct launch_rules rules;
    struct race races[MAX_RACES];
} device;

struct exec_site exec_site_of(const char *name, const void *address)
{
    enum { DEEPEST = 8 };
    struct exec_site site = {.name = name, .addresses = {(void *)(uintptr_t)address}};
    void *frames[DEEPEST];
    int count = backtrace(frames, DEEPEST);

    for (int k = 0; k < count; k++)
        if (frames[k] == address) {
            for (int f = 1; f < EXEC_FRAMES && k + f < count; f++)
                site.addresses[f] = frames[k + f];
            break;
        }
    return site;
}

void exec_enter(const char *name, const void *address)
{
    pthread_mutex_lock(&lock);
    if (current.depth++ == 0)
        current.site = current.per_thread != NULL ? exec_site_of(current.per_thread, current.caller)
                                                  : exec_site_of(name, address);
}

void exec_begin_per_thread(const char *name, const void *address)
{
    current.per_thread = name;
    current.caller = address;
}

void exec_end_per_thread(void)
{
    current.per_thread = NULL;
}

bool call_is_per_thread(void)
{
    return current.per_thread != NULL;
}

void exec_leave(void)
{
    if (--current.depth == 0 && !queue_runs())
        guards_apply();
    pthread_mutex_unlock(&lock);
}

/* Other threads may call the API meanwhile. They wait if they need the work that runs. */
void call_host_function(void (*function)(void *), void *data)
{
    const __typeof__(current) saved = current;

    for (uint32_t k = 0; k < saved.depth; k++)
        pthread_mutex_unlock(&lock);
    current = (__typeof__(current)){.depth = 0};
    function(data);
    for (uint32_t k = 0; k < saved.depth; k++)
        pthread_mutex_lock(&lock);
    current = saved;
}

void wait_for_others(void)
{
    if (current.depth == 1)
        pthread_cond_wait(&run_ended, &lock);
}

void tell_others(void)
{
    pthread_cond_broadcast(&run_ended);
}

struct exec_site exec_site(void)
{
    return current.site;
}

int exec_missing(const char *name, const void *address)
{
    exec_enter(name, address);
    report("unsupported", &current.site, "simtcheck exec does not support %s()", name);
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

int exec_feature(enum feature_kind kind, uint32_t number, const void *value)
{
    char text[256];
    enum feature_effect effect = feature_effect(kind, number, value, text, sizeof text);

    if (effect == PARTIAL)
        report_partial(text, &current.site);
    return effect == UNSUPPORTED ? exec_unsupported("%s", text) : EXEC_SUCCESS;
}

int exec_flags(enum feature_kind kind, uint64_t flags)
{
    int error = EXEC_SUCCESS;

    for (; error == EXEC_SUCCESS && flags != 0; flags &= flags - 1)
        error = exec_feature(kind, (uint32_t)(flags & -flags), NULL);
    return error;
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

static void note_exit_status(int status, void *unused)
{
    (void)unused;
    device.exit_status = status;
}

/* Runs after the program's own destructors, which may free memory. A program that fails does not
 * free its memory, which is no leak. */
__attribute__((destructor)) static void end(void)
{
    if (!device.is_started || device.start_error != EXEC_SUCCESS || device.is_forked)
        return;
    exec_enter("exit", NULL);
    run_all();
    if (device.exit_status == 0 && device.sticky == EXEC_SUCCESS)
        memory_end();
    launch_end();
    exec_leave();
}

/* The child of a fork() has a copy of this state, but neither a GPU nor the threads. */
static void leave_to_parent(void)
{
    static const pthread_mutex_t free_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

    memcpy(&lock, &free_lock, sizeof lock);
    device.is_forked = true;
    guards_forget_all();
}

bool exec_is_forked(void)
{
    static bool is_reported;

    if (device.is_forked && !is_reported)
        report("invalid-call", &current.site,
               "a child process of fork() uses the GPU, which its parent used before: call fork() "
               "before the first call of CUDA");
    is_reported = device.is_forked;
    return device.is_forked;
}

static bool is_set(const char *variable, const char *value)
{
    const char *set = getenv(variable);

    return set != NULL && strcmp(set, value) == 0;
}

/* Runs when this library is loaded, before the program can clear its environment. */
__attribute__((constructor)) static void read_options(void)
{
    options = (struct exec_options){
        .model = is_set("SIMTCHECK_EXEC_MODEL", model_name(MODEL_LOCKSTEP)) ? MODEL_LOCKSTEP
                                                                            : MODEL_INDEPENDENT,
        .detects_races = !is_set("SIMTCHECK_EXEC_RACES", "0"),
        .checks_leaks = !is_set("SIMTCHECK_EXEC_LEAKS", "0"),
        .allows_same_value = is_set("SIMTCHECK_EXEC_SAME_VALUE", "1"),
    };
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
    };
    if (!report_start(reason, sizeof reason) ||
        engine_open(&limits, &device.engine, reason, sizeof reason) != ENGINE_OK ||
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
