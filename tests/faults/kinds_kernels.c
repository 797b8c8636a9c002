/* SPDX-License-Identifier: MIT
 *
 * Kernels that trap, never end, or exceed a limit, next to others whose verdicts must not change.
 */
#include "faults.h"

#define BESIDE                                                                                     \
    "run", "--engine", "sim", "--kernel", "sharedSum", "--kernel", "seededOffByOne", "--kernel",   \
        "seededStrayRead", "--block", "3,4", "--size", "5-8", "--max-failures", "100000",          \
        "--deadline", "0.2", "--steps", "1000000000000", "--jobs", "2", "--json",                  \
        "%results/report.json", "--kernel"
#define ROW(kernel, one_in)                                                                        \
    .faulty = kernel, .command = {{SEEDED, BESIDE, kernel, NULL}}, .ends = ENDS_NAMED,             \
    .fails_in = one_in

const struct kind kernel_kinds[] = {
    {.name = "kernel-traps",
     .what = "a kernel traps at size 7",
     ROW("seededTrap", 4),
     .says = "error: trap"},
    {.name = "kernel-never-ends",
     .what = "a kernel never ends at size 7",
     ROW("seededEndlessLoop", 4),
     .says = "error: timeout"},
    {.name = "kernel-overflows",
     .what = "a kernel overflows its stack",
     ROW("seededDeepStack", 1),
     .says = "error: stack overflow"},
    {.name = "kernel-runs-away",
     .what = "a kernel launches itself without end",
     ROW("seededRunaway", 1),
     .says = "error: runaway launches"},
    {.name = NULL},
};
