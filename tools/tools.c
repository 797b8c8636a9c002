/* SPDX-License-Identifier: MIT */
#include "tools.h"

#include "wing.h"

extern const struct wing compilers_wing, bench_wing, litmus_wing, soak_wing;

const struct wing *const all_wings[] = {&compilers_wing, &bench_wing, &litmus_wing, &soak_wing,
                                        NULL};
