/* SPDX-License-Identifier: MIT */
#include "engine.h"

const char *fault_name(enum fault_kind kind)
{
    static const char *const names[] = {
        [FAULT_NONE] = "none",
        [FAULT_STRAY_READ] = "stray-read",
        [FAULT_STRAY_WRITE] = "stray-write",
        [FAULT_READ_ONLY] = "write-to-input",
        [FAULT_UNWRITTEN_READ] = "unwritten-read",
        [FAULT_UNWRITTEN_OUTPUT] = "unwritten-output",
        [FAULT_DIVERGENT_BARRIER] = "divergent-barrier",
        [FAULT_STUCK_WAIT] = "stuck-wait",
        [FAULT_STEP_BUDGET] = "step-budget",
        [FAULT_DEADLINE] = "deadline",
        [FAULT_LAUNCH] = "launch-error",
        [FAULT_CHILD_LAUNCH] = "child-launch-error",
        [FAULT_RUNAWAY] = "runaway-launches",
        [FAULT_OUTPUT] = "unasked-output",
        [FAULT_DIVISION] = "division-by-zero",
        [FAULT_PRIVATE_POINTER] = "private-pointer",
        [FAULT_STACK] = "stack-overflow",
        [FAULT_MISALIGNED] = "misaligned-access",
        [FAULT_TRAP] = "trap",
        [FAULT_UNSUPPORTED] = "unsupported",
        [FAULT_CRASH] = "crash",
    };
    _Static_assert(sizeof names / sizeof *names == FAULT_KINDS, "a name for each kind");
    return names[kind];
}

const char *model_name(enum model model)
{
    static const char *const names[] = {[MODEL_LOCKSTEP] = "lockstep", [MODEL_ITS] = "its"};
    _Static_assert(sizeof names / sizeof *names == MODELS, "a name for each model");
    return names[model];
}
