/* SPDX-License-Identifier: MIT
 *
 * Kernels that take a worker with them, beside others that are right and wrong as ever.
 */
#include "faults.h"

#define BESIDE                                                                                     \
    "run", "--engine", "host", "--kernel", "sharedSum", "--kernel", "plantedOffByOne", "--kernel", \
        "plantedStrayRead", "--block", "3,4", "--size", "5-8", "--errors", "100000", "--deadline", \
        "0.2", "--jobs", "2", "--json", "%results/report.json", "--kernel"
#define ROW(kernel, one_in)                                                                        \
    .faulty = kernel, .command = {{PLANTED, BESIDE, kernel, NULL}}, .ends = ENDS_NAMED,            \
    .fails_in = one_in

const struct kind kernel_kinds[] = {
    {.name = "kernel-traps",
     .what = "a kernel traps at size 7",
     ROW("plantedTrap", 4),
     .says = "plantedTrap total on host: fault"},
    {.name = "kernel-never-ends",
     .what = "a kernel never ends at size 7",
     ROW("plantedEndlessLoop", 4),
     .says = ": deadline:"},
    {.name = "kernel-overflows",
     .what = "a kernel overflows its stack",
     ROW("plantedDeepStack", 1),
     .says = ": stack-overflow:"},
    {.name = "kernel-smashes-stack",
     .what = "random bytes over a kernel's stack at size 7",
     ROW("plantedSmashesStack", 4),
     .says = ": crash:|: stack|: stray"},
    {.name = "kernel-smashes-heap",
     .what = "random bytes over the worker's heap at size 7",
     ROW("plantedSmashesHeap", 4),
     .says = ": crash:|: stray"},
    {.name = "kernel-exits",
     .what = "a kernel ends its process at size 7",
     ROW("plantedExits", 4),
     .says = ": crash:"},
    {.name = "kernel-closes",
     .what = "a kernel closes all files at size 7",
     ROW("plantedCloses", 4),
     .says = ": crash:"},
    {.name = "kernel-babbles",
     .what = "a kernel writes answers of a worker at size 7",
     ROW("plantedAnswers", 4),
     .says = ": unasked-output:|: crash:"},
    {.name = "kernel-runs-away",
     .what = "a kernel launches itself without end",
     ROW("plantedRunaway", 1),
     .says = ": runaway-launches:"},
    {.name = NULL},
};
