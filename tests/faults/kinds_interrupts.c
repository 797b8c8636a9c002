/* SPDX-License-Identifier: MIT
 *
 * Commands that are interrupted at a random moment, as by a terminal or a CI runner.
 */
#include "faults.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int random_signal(struct trial *trial)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    return signals[draw(trial, 3)];
}

static void interrupt(struct trial *trial, pid_t program)
{
    signal_program(trial, program, false, random_signal(trial));
}

/* Sends SIGINT to the group: a terminal's interrupt reaches the compilers, too. */
static void interrupt_group(struct trial *trial, pid_t program)
{
    signal_program(trial, program, true, random_signal(trial));
}

/* Interrupts a second time, as an impatient user does. */
static void interrupt_again(struct trial *trial, pid_t program)
{
    signal_program(trial, program, false, SIGINT);
    usleep(2000);
    kill(program, SIGTERM);
}

/* Makes the simulator stand in for a GPU. */
static void with_twins(struct trial *trial)
{
    with_worker(trial, "sim", SEEDED "-worker-sim");
    with_worker(trial, "cuda", SEEDED "-worker-twin");
    with_worker(trial, "cuda-stress", SEEDED "-worker-twin");
}

/* Makes a repository in which an edit changes a file's machine code. */
static void with_edit(struct trial *trial)
{
    char command[8 * FAULT_PATH];

    snprintf(command, sizeof command,
             "mkdir '%s/code' && cp '" SAXPY
             "' '%s/code/saxpy.cu' && cd '%s/code' && git init -q . && "
             "git add . && git -c user.name=test -c user.email=test commit -qm saxpy && "
             "sed -i 's/a . x/a - x/' saxpy.cu",
             trial->folder, trial->folder, trial->folder);
    if (system(command) != 0)
        exit(3);
}

static const char *missing_nvcc(void)
{
    return NVCC[0] == '\0' ? "this build has no nvcc" : NULL;
}

#define JSON "--json", "%results/report.json"
#define CHECK_VERDICT_WORDS "  conforms|  race-free|bit-identical outputs in"
#define KERNELS "--kernel", "reduceNeighbored", "--kernel", "reduceInterleaved"
#define SAXPY_LAUNCH                                                                               \
    SAXPY, "saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])"

const struct kind interrupt_kinds[] = {
    {.name = "interrupt-run",
     .what = "run is interrupted",
     .command = {{SIMTCHECK, "run", "--engine", "sim", KERNELS, "--block", "1-64", "--jobs", "2",
                  JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "stopped before the end|interrupted",
     .inject = interrupt},
    {.name = "interrupt-group",
     .what = "run and its process group are interrupted",
     .command = {{SIMTCHECK, "run", "--engine", "sim", KERNELS, "--block", "1-64", "--jobs", "2",
                  JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "stopped before the end|interrupted",
     .inject = interrupt_group},
    {.name = "interrupt-twice",
     .what = "run is interrupted twice within 2 ms",
     .command = {{SIMTCHECK, "run", "--engine", "sim", KERNELS, "--block", "1-64", "--jobs", "2",
                  JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "stopped before the end|interrupted",
     .inject = interrupt_again},
    {.name = "interrupt-failing",
     .what = "run is interrupted while it shrinks failures",
     .command = {{SEEDED, "run", "--engine", "sim", "--kernel", "seededTrap", "--kernel",
                  "seededOffByOne", "--kernel", "seededStrayRead", "--max-failures", "100000",
                  "--jobs", "2", JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "stopped before the end|interrupted",
     .inject = interrupt},
    {.name = "interrupt-races",
     .what = "races is interrupted",
     .command = {{SIMTCHECK, "races", KERNELS, JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .inject = interrupt},
    {.name = "interrupt-counters",
     .what = "counters is interrupted",
     .all_or_none = true,
     .command = {{SIMTCHECK, "counters", "--kernel", "reduceNeighbored", "--block", "512", "--size",
                  "262144", JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .inject = interrupt},
    {.name = "interrupt-replay",
     .what = "replay is interrupted",
     .verdict_words = ": wrong-result|expected",
     .command = {{SIMTCHECK, "replay",
                  "2:sim:reduceInterleaved:original:lockstep:sequential:3:3:unit-2:94c7e063",
                  NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .inject = interrupt},
    {.name = "interrupt-check",
     .what = "check is interrupted, its compiler and worker too",
     .verdict_words = CHECK_VERDICT_WORDS,
     .command = {{SIMTCHECK, "check", SAXPY_LAUNCH, "--engine", "sim", "--verbose", NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .inject = interrupt_group},
    {.name = "interrupt-check-alone",
     .what = "check is interrupted, and nothing else",
     .verdict_words = CHECK_VERDICT_WORDS,
     .command = {{SIMTCHECK, "check", SAXPY_LAUNCH, "--engine", "sim", "--verbose", NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .inject = interrupt},
    {.name = "interrupt-snapshot",
     .what = "snapshot is interrupted",
     .command = {{SIMTCHECK, "snapshot", "--part", "run", "--part", "races", "--part", "counters",
                  "--engine", "sim", KERNELS, "--block", "1-16", "--out", "%results/report.json",
                  NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .inject = interrupt},
    {.name = "interrupt-compilers",
     .what = "compilers is interrupted, its tools too",
     .may_be_skipped = true,
     .command = {{SIMTCHECK, "compilers", "--count", "8", "--no-idioms", JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .inject = interrupt_group},
    {.name = "interrupt-mutate",
     .what = "mutate is interrupted, its compilers too",
     .command = {{SIMTCHECK, "mutate", SAXPY_LAUNCH, "--nvcc", NVCC, "--size", "0,1,31", "--out",
                  "%results/report.json", NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .inject = interrupt_group,
     .obstacle = missing_nvcc},
    {.name = "interrupt-bisect",
     .what = "bisect is interrupted, its compilers too",
     .all_or_none = true,
     .command = {{SIMTCHECK, "bisect",
                  "2:sim:reduceInterleaved:original:lockstep:sequential:3:3:unit-2:94c7e063",
                  "--nvcc", NVCC, JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .inject = interrupt_group,
     .obstacle = missing_nvcc},
    {.name = "interrupt-gate",
     .what = "gate is interrupted, its compilers and git too",
     .verdict_words = "  wrong-result|race-free|instructions|gate: the edit",
     .command = {{SIMTCHECK, "gate", "HEAD", "%code/saxpy.cu",
                  "saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])",
                  "--nvcc", NVCC, "--size", "7", NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .set_up = with_edit,
     .inject = interrupt_group,
     .obstacle = missing_nvcc},
    {.name = "interrupt-cross-check",
     .what = "cross-check is interrupted",
     .command = {{"%bin/seeded", "cross-check", "--kernel", "seededWide", "--kernel",
                  "seededOtherOnGpu", "--kernel", "seededNarrow", JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .set_up = with_twins,
     .inject = interrupt},
    {.name = "interrupt-stress",
     .what = "run --stress is interrupted",
     .command = {{"%bin/seeded", "run", "--kernel", "sharedSum", "--kernel", "seededOwnsUpPrinted",
                  "--kernel", "seededMissingBarrier", "--block", "64,256", "--stress", "40", JSON,
                  NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .set_up = with_twins,
     .inject = interrupt},
    {.name = NULL},
};
