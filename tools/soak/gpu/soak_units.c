/* SPDX-License-Identifier: MIT */
#include "soak_units.h"

#include "clock.h"
#include "interrupt.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MICROSECONDS = 5000 };

/* ---- List ---- */

void soak_units_add(struct soak_units *units, const char *names)
{
    while (*names != '\0' && units->count < SOAK_MAX_UNITS) {
        const size_t length = strcspn(names, ",");

        if (length > 0)
            snprintf(units->visible[units->count++], sizeof *units->visible, "%.*s", (int)length,
                     names);
        names += length + (names[length] == ',');
    }
}

/* The parts of NVML in use (NVIDIA Management Library, nvml.h). */
typedef int result;
typedef void *handle;

static struct {
    result (*init)(void);
    result (*count)(unsigned int *);
    result (*at)(unsigned int, handle *);
    result (*instance_count)(handle, unsigned int *);
    result (*instance_at)(handle, unsigned int, handle *);
    result (*uuid)(handle, char *, unsigned int);
} nvml;

static bool open_nvml(void)
{
    static const struct {
        const char *name;
        void *slot;
    } wanted[] = {
        {"nvmlInit_v2", &nvml.init},
        {"nvmlDeviceGetCount_v2", &nvml.count},
        {"nvmlDeviceGetHandleByIndex_v2", &nvml.at},
        {"nvmlDeviceGetMaxMigDeviceCount", &nvml.instance_count},
        {"nvmlDeviceGetMigDeviceHandleByIndex", &nvml.instance_at},
        {"nvmlDeviceGetUUID", &nvml.uuid},
    };
    handle library = dlopen("libnvidia-ml.so.1", RTLD_NOW);

    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        void *found = library != NULL ? dlsym(library, wanted[k].name) : NULL;
        if (found == NULL)
            return false;
        memcpy(wanted[k].slot, &found, sizeof found);
    }
    return nvml.init() == 0;
}

static void add_uuid(struct soak_units *units, handle device)
{
    char uuid[96];

    if (nvml.uuid(device, uuid, sizeof uuid) == 0)
        soak_units_add(units, uuid);
}

/* Lists MIG instances, and the GPUs without them. CUDA shows only the first instance. Returns
 * false if there is no instance. */
static bool list_instances(struct soak_units *units)
{
    unsigned int devices, most, found = 0;
    handle device, instance;

    if (!open_nvml() || nvml.count(&devices) != 0)
        return false;
    for (unsigned int d = 0; d < devices; d++) {
        unsigned int before = found;

        if (nvml.at(d, &device) != 0)
            continue;
        if (nvml.instance_count(device, &most) != 0)
            most = 0;
        for (unsigned int k = 0; k < most; k++)
            if (nvml.instance_at(device, k, &instance) == 0) {
                add_uuid(units, instance);
                found++;
            }
        if (found == before)
            add_uuid(units, device);
    }
    return found > 0;
}

/* Lists the units of this process, which opens the driver. */
static void list(struct soak_units *units)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const int count = soak_gpu_count(units->reason);
    char number[16];

    if (count > 0 && visible != NULL)
        soak_units_add(units, visible);
    else if (count > 0 && !list_instances(units)) {
        units->count = 0;
        for (int k = 0; k < count; k++) {
            snprintf(number, sizeof number, "%d", k);
            soak_units_add(units, number);
        }
    }
}

/* Waits for a process. Kills it after `patience` seconds, or after an interrupt. */
static bool wait_patiently(pid_t child, double patience)
{
    const double end = clock_seconds() + patience;

    while (waitpid(child, NULL, WNOHANG) == 0) {
        if (interrupt_came() || clock_seconds() > end) {
            kill(child, SIGKILL);
            return false;
        }
        usleep(POLL_MICROSECONDS);
    }
    return true;
}

void soak_units_list(struct soak_units *units, double patience)
{
    struct soak_units *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = shared != MAP_FAILED ? fork() : -1;

    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        snprintf(shared->reason, SOAK_REASON, "the CUDA driver ended its process");
        list(shared);
        exit(0);
    }
    if (child < 0)
        snprintf(units->reason, SOAK_REASON, "cannot start a process");
    else if (wait_patiently(child, patience))
        *units = *shared;
    else
        snprintf(units->reason, SOAK_REASON, "%s",
                 interrupt_came() ? "interrupted by a signal" : "the CUDA driver does not answer");
}

/* ---- Processes ---- */

/* The process of a unit. */
struct process {
    pid_t id; /* 0: none, or it has ended */
    uint64_t answers;
    double answered; /* when the count of its answers was seen to grow */
};

static void start(struct process *process, void (*check)(void *context, int k), void *context,
                  const struct soak_units *units, int k, struct soak_end *end)
{
    process->answered = clock_seconds();
    process->id = fork();
    if (process->id == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setenv("CUDA_VISIBLE_DEVICES", units->visible[k], 1);
        check(context, k);
        exit(0);
    }
    if (process->id < 0) {
        process->id = 0;
        snprintf(end->reason, SOAK_REASON, "cannot start a process");
    }
}

/* Looks after a process: whether it has ended, or hangs. One that hangs in the driver may not die,
 * so nothing waits for it. */
static void attend(struct process *process, uint64_t answers, double patience, struct soak_end *end)
{
    const double now = clock_seconds();
    int status;

    if (waitpid(process->id, &status, WNOHANG) == process->id) {
        process->id = 0;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            snprintf(end->reason, SOAK_REASON, "its process ended with %s %d",
                     WIFSIGNALED(status) ? "signal" : "status",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        return;
    }
    if (answers != process->answers)
        process->answered = now;
    process->answers = answers;
    if (now - process->answered < patience)
        return;
    kill(process->id, SIGKILL);
    process->id = 0;
    end->is_hung = true;
    snprintf(end->reason, SOAK_REASON, "the GPU does not answer: nothing ended for %.0f s",
             patience);
}

void soak_units_run(const struct soak_units *units, double patience,
                    void (*check)(void *context, int k), void *context,
                    const _Atomic uint64_t answers[SOAK_MAX_UNITS], struct soak_end *ends)
{
    enum { TO_END = 10 }; /* TO_END: seconds after an interrupt */
    struct process processes[SOAK_MAX_UNITS] = {{.id = 0}};
    bool is_told = false, is_running = units->count > 0;

    fflush(NULL);
    for (int k = 0; k < units->count; k++)
        start(&processes[k], check, context, units, k, &ends[k]);
    while (is_running) {
        const bool tell = interrupt_came() && !is_told;

        is_running = false;
        is_told = is_told || tell;
        for (int k = 0; k < units->count; k++) {
            if (processes[k].id != 0 && tell)
                kill(processes[k].id, SIGTERM);
            if (processes[k].id != 0)
                attend(&processes[k], answers[k], is_told && patience > TO_END ? TO_END : patience,
                       &ends[k]);
            is_running = is_running || processes[k].id != 0;
        }
        usleep(POLL_MICROSECONDS);
    }
}
