/* SPDX-License-Identifier: MIT
 *
 * Calls of the API: the lock, the place of the call in the program, and its errors.
 */
#include "internal.h"

#include <execinfo.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
    const struct exec_site *queued; /* the host function that runs; null: none */
} current;

struct exec_device device;

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

/* Other threads may call the API meanwhile. They wait if they need the work that runs. */
void call_host_function(void (*function)(void *), void *data, const struct exec_site *queued)
{
    const __typeof__(current) saved = current;

    for (uint32_t k = 0; k < saved.depth; k++)
        pthread_mutex_unlock(&lock);
    current = (__typeof__(current)){.queued = queued};
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

/* CUDA runtime API, cudaLaunchHostFunc(): a host function must not call CUDA. */
int exec_refused(void)
{
    static bool is_reported;
    char text[256];

    if (device.is_forked && !is_reported)
        wrong_call("a child process of fork() uses the GPU, which its parent used before: call "
                   "fork() before the first call of CUDA");
    is_reported = device.is_forked;
    if (current.queued != NULL && strchr(current.site.name, ' ') != NULL)
        wrong_call("the host function of %s launches a kernel, which CUDA forbids there",
                   site_text(current.queued, text, sizeof text));
    else if (current.queued != NULL)
        wrong_call("the host function of %s calls %s(), which CUDA forbids there",
                   site_text(current.queued, text, sizeof text), current.site.name);
    return device.is_forked         ? EXEC_NOT_INITIALIZED
           : current.queued != NULL ? EXEC_NOT_PERMITTED
                                    : EXEC_SUCCESS;
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

int exec_invalid(const struct exec_site *site, int error, const char *why)
{
    site = site != NULL ? site : &current.site;
    report("invalid-call", site, "%s(): %s", site->name, why);
    return error;
}

/* For the child of a fork(), which has no other threads. */
void call_free_lock(void)
{
    static const pthread_mutex_t free_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

    memcpy(&lock, &free_lock, sizeof lock);
}

/* Returns whether the outermost call has ended. */
bool call_leave(void)
{
    return --current.depth == 0;
}

void call_unlock(void)
{
    pthread_mutex_unlock(&lock);
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

int exec_sticky(void)
{
    return device.sticky;
}

int stay_failed(int error)
{
    device.sticky = error;
    return error;
}
