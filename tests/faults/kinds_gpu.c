/* SPDX-License-Identifier: MIT
 *
 * GPUs that are missing, full, or lost. Each kind measures the GPU's memory before and after.
 */
#include "faults.h"

#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define RIGHT "--kernel", "sharedSum", "--kernel", "seededHarmlessRace"
#define KERNELS RIGHT, "--kernel", "seededOffByOne"
#define REPORT "--max-failures", "100000", "--deadline", "1", "--json", "%results/report.json"
#define FEW "--block", "4", "--size", "5-8"
/* The command also runs on the simulator, whose verdicts stay. Its kernels are right, because a
 * failure would change the exit status. */
#define BOTH                                                                                       \
    {                                                                                              \
        {                                                                                          \
            SEEDED, "run", "--engine", "sim", "--engine", "cuda", RIGHT, FEW, REPORT, NULL         \
        }                                                                                          \
    }
#define ON_GPU                                                                                     \
    {                                                                                              \
        {                                                                                          \
            SEEDED, "run", "--engine", "cuda", KERNELS, "--block", "1-128", "--size", "0-60",      \
                REPORT, NULL                                                                       \
        }                                                                                          \
    }
#define BESIDE(kernel, sizes)                                                                      \
    .faulty = kernel, .ends = ENDS_NAMED,                                                          \
    .command = {{SEEDED, "run", "--engine", "cuda", KERNELS, "--block", "4", "--size", sizes,      \
                 REPORT, "--kernel", kernel, NULL}}
#define OF_GPU .by_gpu = true, .obstacle = missing_gpu, .measure = used_memory

static const char *missing_worker(void)
{
    return GPU_MEMORY[0] == '\0' ? "this build has no engine cuda" : NULL;
}

static const char *missing_gpu(void)
{
    static int found = -1;

    if (missing_worker() != NULL)
        return missing_worker();
    if (found < 0)
        found = engine_is_available("cuda");
    return found ? NULL : "there is no usable GPU";
}

/* ---- The GPU's memory ---- */

static long used_memory(void)
{
    FILE *from = popen("'" GPU_MEMORY "' used", "r"); /* NOLINT: the build's own program */
    long used = -1;

    if (from == NULL)
        return -1;
    if (fscanf(from, "%ld", &used) != 1)
        used = -1;
    pclose(from);
    return used;
}

/* Starts another process that takes all GPU memory while `process` runs. Returns false on error. */
static bool occupy_memory(pid_t process)
{
    char number[16], byte;
    int ends[2];
    bool holds;
    pid_t starter;

    snprintf(number, sizeof number, "%d", (int)process);
    if (pipe(ends) != 0)
        return false;
    starter = fork();
    if (starter == 0) {
        if (fork() == 0) { /* a grandchild, not the program's child */
            dup2(ends[1], STDOUT_FILENO);
            close(ends[0]);
            close(ends[1]);
            execl(GPU_MEMORY, GPU_MEMORY, "hold", number, NULL);
        }
        _exit(0);
    }
    close(ends[1]);
    waitpid(starter, NULL, 0);
    holds = read(ends[0], &byte, 1) == 1;
    close(ends[0]);
    return holds;
}

static void fill_memory(struct trial *trial)
{
    (void)trial;
    unsetenv("SIMTCHECK_REQUIRE");
    if (!occupy_memory(getpid()))
        _exit(126);
}

static void take_memory(struct trial *trial, pid_t program)
{
    trial->injected = occupy_memory(program) && !has_ended(program);
}

/* ---- Missing GPUs ---- */

static void cut_driver(struct trial *trial)
{
    FILE *driver = fopen(trial_path(trial, "libcuda.so.1"), "w");

    if (driver == NULL || fclose(driver) != 0)
        _exit(126);
    setenv("LD_LIBRARY_PATH", trial->folder, 1);
    unsetenv("SIMTCHECK_REQUIRE");
}

static void hide_gpus(struct trial *trial)
{
    (void)trial;
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    unsetenv("SIMTCHECK_REQUIRE");
}

static void hide_required(struct trial *trial)
{
    hide_gpus(trial);
    setenv("SIMTCHECK_REQUIRE", "cuda", 1);
}

/* ---- Workers ---- */

static void kill_worker(struct trial *trial, pid_t program)
{
    signal_worker(trial, program, SIGKILL);
}

static void stop_worker(struct trial *trial, pid_t program)
{
    signal_worker(trial, program, SIGSTOP);
}

const struct kind gpu_kinds[] = {
    {.name = "driver-missing",
     .what = "the driver's library is an empty file",
     .command = BOTH,
     .ends = ENDS_EARLY,
     .status = 77,
     .says = "note: no usable GPU: no NVIDIA driver (libcuda.so.1)",
     .prepare = cut_driver,
     .obstacle = missing_worker,
     .by_gpu = true},
    {.name = "gpu-none-visible",
     .what = "CUDA_VISIBLE_DEVICES is -1",
     .command = BOTH,
     .ends = ENDS_EARLY,
     .status = 77,
     .says = "note: no usable GPU",
     .prepare = hide_gpus,
     OF_GPU},
    {.name = "gpu-required",
     .what = "the same, and SIMTCHECK_REQUIRE names cuda",
     .command = BOTH,
     .ends = ENDS_EARLY,
     .says = "no usable GPU",
     .prepare = hide_required,
     OF_GPU},
    {.name = "gpu-memory-full",
     .what = "another process has all memory of the GPU",
     .command = BOTH,
     .ends = ENDS_EARLY,
     .status = 77,
     .says = "out of memory",
     .prepare = fill_memory,
     OF_GPU},
    {.name = "gpu-memory-taken",
     .what = "another takes all that is left at a random moment",
     .command = ON_GPU,
     .ends = ENDS_EITHER,
     .status = 77,
     .says = "out of memory|was lost|were lost",
     .may_have_no_effect = true, /* the worker may already have what it needs */
     .inject = take_memory,
     OF_GPU},
    {.name = "gpu-sticky-error",
     .what = "a kernel traps at size 7: its context is lost",
     BESIDE("seededTrap", "5-8"),
     .fails_in = 4,
     .says = "error: crash\n",
     OF_GPU},
    {.name = "gpu-wild-read",
     .what = "a kernel reads where no memory is",
     BESIDE("seededWildRead", "7"),
     .fails_in = 1,
     .says = "error: crash\n",
     OF_GPU},
    {.name = "gpu-lost",
     .what = "SIGKILL to a worker on the GPU at a random moment",
     .command = ON_GPU,
     .ends = ENDS_WHOLE,
     .says = "was lost|were lost",
     .inject = kill_worker,
     OF_GPU},
    {.name = "gpu-worker-stopped",
     .what = "SIGSTOP to a worker on the GPU at a random moment",
     .command = ON_GPU,
     .ends = ENDS_WHOLE,
     .says = "was lost|were lost",
     .inject = stop_worker,
     OF_GPU},
    {.name = NULL},
};
