/* SPDX-License-Identifier: MIT
 *
 * Kernels that take a worker with them, beside others that are right and wrong as ever.
 */
#include "faults.h"

#define BESIDE                                                                                     \
    "run", "--engine", "sim", "--kernel", "sharedSum", "--kernel", "seededOffByOne", "--kernel",  \
        "seededStrayRead", "--block", "3,4", "--size", "5-8", "--max-failures", "100000",          \
        "--deadline", "0.2", "--jobs", "2", "--json", "%results/report.json", "--kernel"
#define ROW(kernel, one_in)                                                                        \
    .faulty = kernel, .command = {{SEEDED, BESIDE, kernel, NULL}}, .ends = ENDS_NAMED,             \
    .fails_in = one_in

const struct kind kernel_kinds[] = {
    {.name = "kernel-traps",
     .what = "a kernel traps at size 7",
     ROW("seededTrap", 4),
     .says = "seededTrap corrected on host: fault"},
    {.name = "kernel-never-ends",
     .what = "a kernel never ends at size 7",
     ROW("seededEndlessLoop", 4),
     .says = ": timeout:"},
    {.name = "kernel-overflows",
     .what = "a kernel overflows its stack",
     ROW("seededDeepStack", 1),
     .says = ": stack-overflow:"},
    {.name = "kernel-smashes-stack",
     .what = "random bytes over a kernel's stack at size 7",
     ROW("seededSmashesStack", 4),
     .says = ": crash:|: stack|: stray"},
    {.name = "kernel-smashes-heap",
     .what = "random bytes over the worker's heap at size 7",
     ROW("seededSmashesHeap", 4),
     .says = ": crash:|: stray"},
    {.name = "kernel-exits",
     .what = "a kernel ends its process at size 7",
     ROW("seededExits", 4),
     .says = ": crash:"},
    {.name = "kernel-closes",
     .what = "a kernel closes all files at size 7",
     ROW("seededCloses", 4),
     .says = ": crash:"},
    {.name = "kernel-babbles",
     .what = "a kernel writes answers of a worker at size 7",
     ROW("seededAnswers", 4),
     .says = ": unexpected-output:|: crash:"},
    {.name = "kernel-runs-away",
     .what = "a kernel launches itself without end",
     ROW("seededRunaway", 1),
     .says = ": runaway-launches:"},
    {.name = NULL},
};
