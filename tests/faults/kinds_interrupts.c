/* SPDX-License-Identifier: MIT
 *
 * Commands that are interrupted at a random moment, as a terminal does it, or a runner.
 */
#include "faults.h"

#include <signal.h>
#include <unistd.h>

static int random_signal(struct trial *trial)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    return signals[draw(trial, 3)];
}

static void interrupt(struct trial *trial, pid_t program)
{
    kill(program, random_signal(trial));
}

/* A terminal's interrupt goes to compilers, too. */
static void interrupt_group(struct trial *trial, pid_t program)
{
    kill(-program, random_signal(trial));
}

/* Nobody waits long at a terminal. */
static void interrupt_again(struct trial *trial, pid_t program)
{
    (void)trial;
    kill(program, SIGINT);
    usleep(2000);
    kill(program, SIGTERM);
}

#define JSON "--json", "%results/report.json"
#define KERNELS "--kernel", "reduceNeighbored", "--kernel", "reduceInterleaved"
#define SAXPY_LAUNCH                                                                               \
    SAXPY, "saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])"

const struct kind interrupt_kinds[] = {
    {.name = "interrupt-run",
     .what = "run is interrupted",
     .command = {{SIMTCHECK, "run", "--engine", "host", KERNELS, "--block", "1-64", "--jobs", "2",
                  JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "stopped before the end|interrupted",
     .inject = interrupt},
    {.name = "interrupt-group",
     .what = "run and its process group are interrupted",
     .command = {{SIMTCHECK, "run", "--engine", "host", KERNELS, "--block", "1-64", "--jobs", "2",
                  JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "stopped before the end|interrupted",
     .inject = interrupt_group},
    {.name = "interrupt-twice",
     .what = "run is interrupted twice within 2 ms",
     .command = {{SIMTCHECK, "run", "--engine", "host", KERNELS, "--block", "1-64", "--jobs", "2",
                  JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "stopped before the end|interrupted",
     .inject = interrupt_again},
    {.name = "interrupt-failing",
     .what = "run is interrupted while it shrinks failures",
     .command = {{PLANTED, "run", "--engine", "host", "--kernel", "plantedTrap", "--kernel",
                  "plantedOffByOne", "--kernel", "plantedStrayRead", "--errors", "100000", "--jobs",
                  "2", JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "stopped before the end|interrupted",
     .inject = interrupt},
    {.name = "interrupt-races",
     .what = "races is interrupted",
     .command = {{SIMTCHECK, "races", KERNELS, JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted|stopped",
     .inject = interrupt},
    {.name = "interrupt-counters",
     .what = "counters is interrupted",
     .command = {{SIMTCHECK, "counters", "--kernel", "reduceNeighbored", "--block", "512", "--size",
                  "200000", JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .inject = interrupt},
    {.name = "interrupt-replay",
     .what = "replay is interrupted",
     .command = {{SIMTCHECK, "replay",
                  "1:host:reduceInterleaved:printed:lockstep:sequential:3:3:unit-2:0771b16e",
                  NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .inject = interrupt},
    {.name = "interrupt-check",
     .what = "check is interrupted, its compiler and worker too",
     .command = {{SIMTCHECK, "check", SAXPY_LAUNCH, "--engine", "host", NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupt|cannot|Interrupt|Terminated|Hangup",
     .inject = interrupt_group},
    {.name = "interrupt-check-alone",
     .what = "check is interrupted, and nothing else",
     .command = {{SIMTCHECK, "check", SAXPY_LAUNCH, "--engine", "host", NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupt",
     .inject = interrupt},
    {.name = "interrupt-snapshot",
     .what = "snapshot is interrupted",
     .command = {{SIMTCHECK, "snapshot", "--part", "run", "--part", "races", "--part", "counters",
                  "--engine", "host", KERNELS, "--block", "1-16", "--out", "%results/report.json",
                  NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted|partial|stopped",
     .inject = interrupt},
    {.name = "interrupt-toolchain",
     .what = "toolchain is interrupted, its tools too",
     .command = {{SIMTCHECK, "toolchain", "--count", "8", "--no-idioms", JSON, NULL}},
     .ends = ENDS_EARLY,
     .says = "interrupted",
     .inject = interrupt_group},
    {.name = NULL},
};
