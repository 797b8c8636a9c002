/* SPDX-License-Identifier: MIT
 *
 * The kinds of faults, one row each: FAULT(name, word, meaning, error, cuda,
 * sanitizer, identity).
 *
 *     name       of the enumerator, FAULT_name
 *     word       in reports and JSON
 *     meaning    a clause for documentation
 *     error      what `exec` reports to the program: EXEC_error (exec/core.h)
 *     cuda       whether a GPU shows it: "yes", "no", or how
 *     sanitizer  which tool of Compute Sanitizer reports it, or "no"
 *     identity   which members make two faults of this kind one finding: bits of enum fault_identity
 *
 * The simulator detects all of them.
 */
#ifndef SIMTCHECK_MODEL_FAULT_KINDS_H
#define SIMTCHECK_MODEL_FAULT_KINDS_H

/* clang-format off */
#define FAULT_KIND_ROWS(FAULT)                                                                     \
    FAULT(NONE, "none",                                                                            \
          NULL,                                                                                    \
          SUCCESS, "-", "-",                                                                       \
          0)                                                                                       \
    FAULT(OUT_OF_BOUNDS_READ, "out-of-bounds-read",                                                \
          "a read outside an array, or outside shared or local memory",                            \
          ILLEGAL_ADDRESS,                                                                         \
          "of global memory: a wrong result; `crash` outside the block's shared memory, and "      \
          "far outside local memory",                                                              \
          "memcheck; of global memory, outside all allocations",                                   \
          BY_PLACE | BY_ARRAY | BY_SIDE)                                                           \
    FAULT(OUT_OF_BOUNDS_WRITE, "out-of-bounds-write",                                              \
          "a write outside an array, or outside shared or local memory",                           \
          ILLEGAL_ADDRESS,                                                                         \
          "of global memory: near the array; `crash` outside the block's shared memory, and "      \
          "far outside local memory",                                                              \
          "memcheck; of global memory, outside all allocations",                                   \
          BY_PLACE | BY_ARRAY | BY_SIDE)                                                           \
    FAULT(READ_ONLY, "write-to-input",                                                             \
          "a write to an input or a constant",                                                     \
          ILLEGAL_ADDRESS, "to an input: yes; to a constant: no", "no",                            \
          BY_PLACE | BY_ARRAY)                                                                     \
    FAULT(UNINITIALIZED_READ, "uninitialized-read",                                                \
          "a value that was never written is used: in an output, an address, a branch, a "         \
          "call, an atomic access, a vote or an argument of the library",                          \
          LAUNCH_FAILURE, "no", "initcheck, of global memory",                                     \
          BY_READ | BY_ARRAY | BY_ORIGIN)                                                          \
    FAULT(UNWRITTEN_OUTPUT, "unwritten-output",                                                    \
          "an element of an output that the kernel does not write",                                \
          LAUNCH_FAILURE, "yes", "initcheck, when the host copies it",                             \
          BY_ARRAY | BY_KERNEL)                                                                    \
    FAULT(DIVERGENT_BARRIER, "divergent-barrier",                                                  \
          "threads that a barrier or warp operation names do not arrive, or wait elsewhere",       \
          LAUNCH_FAILURE, "some, as `crash` or `timeout`", "synccheck",                            \
          BY_PLACE | BY_OTHERS | BY_SENTENCE)                                                      \
    FAULT(INVALID_ASYNC, "invalid-async",                                                          \
          "an asynchronous copy or an mbarrier operation that PTX does not define: a wrong "       \
          "size or alignment, an object that is not initialized, a count out of range, or a "      \
          "copy that is incomplete when its block ends",                                           \
          LAUNCH_FAILURE, "not tested", "not tested",                                              \
          BY_PLACE | BY_OBJECT | BY_SENTENCE)                                                      \
    FAULT(DEADLOCK, "deadlock",                                                                    \
          "threads wait for an event that no thread can cause any more",                           \
          TIMEOUT, "`timeout`", "no",                                                              \
          BY_PLACE | BY_KERNEL)                                                                    \
    FAULT(STEP_LIMIT, "step-limit",                                                                \
          "a case executes more instructions than --steps allows",                                 \
          TIMEOUT, "`timeout`", "no",                                                              \
          BY_KERNEL)                                                                               \
    FAULT(TIMEOUT, "timeout",                                                                      \
          "a case takes longer than --deadline",                                                   \
          TIMEOUT, "yes", "no",                                                                    \
          BY_KERNEL)                                                                               \
    FAULT(LAUNCH, "launch-error",                                                                  \
          "a launch that CUDA rejects",                                                            \
          LAUNCH_FAILURE, "yes", "memcheck",                                                       \
          BY_REASON | BY_KERNEL)                                                                   \
    FAULT(CHILD_LAUNCH, "child-launch-error",                                                      \
          "a nested launch that fails",                                                            \
          LAUNCH_FAILURE, "yes", "memcheck, as an invalid write",                                  \
          BY_PLACE | BY_OBJECT)                                                                    \
    FAULT(RUNAWAY, "runaway-launches",                                                             \
          "more child grids than a limit allows",                                                  \
          LAUNCH_FAILURE, "yes", "no",                                                             \
          BY_PLACE)                                                                                \
    FAULT(UNEXPECTED_OUTPUT, "unexpected-output",                                                  \
          "the kernel prints and should not, or prints something else",                            \
          LAUNCH_FAILURE, "yes", "no",                                                             \
          BY_PLACE)                                                                                \
    FAULT(DIVISION, "division-by-zero",                                                            \
          "the quotient or remainder of an integer division by zero is used",                      \
          LAUNCH_FAILURE, "no", "no",                                                              \
          BY_READ)                                                                                 \
    FAULT(LOCAL_POINTER_ESCAPE, "local-pointer-escape",                                            \
          "a child grid gets a pointer to local or shared memory of its parent",                   \
          LAUNCH_FAILURE, "no", "not tested",                                                      \
          BY_PLACE | BY_OBJECT)                                                                    \
    FAULT(STACK, "stack-overflow",                                                                 \
          "calls nest deeper than the stack",                                                      \
          LAUNCH_FAILURE, "`crash`", "memcheck",                                                   \
          BY_PLACE)                                                                                \
    FAULT(MISALIGNED, "misaligned-access",                                                         \
          "an access at an address that is not a multiple of its size",                            \
          MISALIGNED, "`crash`", "memcheck",                                                       \
          BY_PLACE | BY_ARRAY)                                                                     \
    FAULT(TRAP, "trap",                                                                            \
          "a trap instruction or a failed assertion",                                              \
          ASSERT, "`crash`", "memcheck",                                                           \
          BY_PLACE | BY_SENTENCE)                                                                  \
    FAULT(USE_AFTER_FREE, "use-after-free",                                                        \
          "an access to memory that free() or delete has released",                                \
          ILLEGAL_ADDRESS, "no", "memcheck",                                                       \
          BY_PLACE | BY_OTHERS)                                                                    \
    FAULT(INVALID_FREE, "invalid-free",                                                            \
          "free() of a wrong address, or of the same address twice",                               \
          LAUNCH_FAILURE, "`crash`", "memcheck",                                                   \
          BY_PLACE | BY_OTHERS)                                                                    \
    FAULT(MEMORY_LEAK, "memory-leak",                                                              \
          "memory of malloc() or new that the kernels do not free",                                \
          LAUNCH_FAILURE, "no", "memcheck `--leak-check full`",                                    \
          BY_PLACE)                                                                                \
    FAULT(UNSUPPORTED, "unsupported",                                                              \
          "the kernel needs a feature that the engine does not have",                              \
          NOT_SUPPORTED, "-", "-",                                                                 \
          BY_PLACE | BY_REASON)                                                                    \
    FAULT(CRASH, "crash",                                                                          \
          "the worker process died, or the GPU reported an error",                                 \
          LAUNCH_FAILURE, "yes", "memcheck, for a CUDA error",                                     \
          BY_KERNEL | BY_REASON)
/* clang-format on */

#endif
