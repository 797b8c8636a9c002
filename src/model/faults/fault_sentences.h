/* SPDX-License-Identifier: MIT
 *
 * The sentences of faults, one row each: SENTENCE(name, template). A template names members of
 * struct fault in braces; fault_text.c fills them in:
 *
 *     {verb}                     "writes" or "reads"
 *     {bytes} {array} {element} {elements} {object} {reason} {depth}: the members
 *     {place} {stored}           an element, such as "tile[2]"
 *     {origin}                   where an undefined value comes from: a template of its own
 *     {0} {x0} {w0} {q0} {s0}    numbers[0]: decimal, in hexadecimal digits (also 8 or 16 of them),
 *                                or "s" unless it is 1
 *     {at0} {line0} {call0}      others[0]: "file:12", its line, and ", inlined at ..." or ""
 *     {waiting}                  all of `others`, with the number of threads
 */
#ifndef SIMTCHECK_MODEL_FAULT_SENTENCES_H
#define SIMTCHECK_MODEL_FAULT_SENTENCES_H

/* clang-format off */
#define IN_BLOCK " orders the two accesses"
#define FAULT_SENTENCE_ROWS(SENTENCE)                                                              \
    SENTENCE(REASON, "{reason}")                                                                   \
    /* Access */                                                                                   \
    SENTENCE(OUTSIDE_ARRAYS, "{verb} {bytes} bytes at {x0}, outside every array")                  \
    SENTENCE(OUTSIDE_ELEMENTS, "{verb} {bytes} bytes at {place}, outside its {elements} elements") \
    SENTENCE(WRITES_CONSTANT, "writes byte {element} of {array}, a constant")                      \
    SENTENCE(WRITES_INPUT, "writes {place}, a read-only input")                                    \
    SENTENCE(WRITES_VIEW, "writes {array}, a read-only input")                                     \
    SENTENCE(NOT_ALIGNED, "{verb} {bytes} bytes at an address that is not a multiple of {bytes}")  \
    SENTENCE(ELEMENT_NOT_ALIGNED,                                                                  \
        "{verb} {bytes} bytes at {place}, whose address is not a multiple of {bytes}")             \
    SENTENCE(MATRIX_NOT_ALIGNED,                                                                   \
        "{verb} a wmma tile at {place}, whose address is not a multiple of {bytes}")               \
    SENTENCE(MATRIX_STRIDE,                                                                        \
        "{verb} a wmma tile whose rows or columns are {0} bytes apart, not a multiple of {bytes}") \
    SENTENCE(OUTSIDE_CHILD_PARAMETERS,                                                             \
        "{verb} {bytes} bytes outside the parameter buffer of its child launch")                   \
    SENTENCE(WRITES_PARAMETERS,                                                                    \
        "writes {bytes} bytes to the parameters of the kernel, which are read-only")               \
    SENTENCE(OUTSIDE_PARAMETERS, "reads {bytes} bytes outside the parameters of the kernel")       \
    SENTENCE(OTHER_LOCAL_MEMORY, "{verb} {bytes} bytes of another thread's local memory")          \
    SENTENCE(OUTSIDE_LOCAL_ARRAYS, "{verb} {bytes} bytes outside its local arrays")                \
    SENTENCE(OUTSIDE_VARIABLE, "{verb} an element that its array does not have")                   \
    SENTENCE(READS_UNWRITTEN, "reads {place}, which was never written")                            \
    /* Undefined values */                                                                         \
    SENTENCE(USES_UNDEFINED, "{reason} that depends on {origin}")                                  \
    SENTENCE(STORED_UNDEFINED, "the value stored in {stored} depends on {origin}")                 \
    SENTENCE(NEVER_WRITES, "the kernel does not write {place}; {array} has {elements} elements")   \
    /* The GPU's guard zones */                                                                    \
    SENTENCE(GUARD_WRITTEN, "writes {object}, in a guard zone (a buffer of {elements} elements)")  \
    SENTENCE(INPUT_WRITTEN,                                                                        \
        "writes {object}, a read-only input (a buffer of {elements} elements)")                    \
    SENTENCE(ELEMENT_UNWRITTEN,                                                                    \
        "the kernel does not write {object} (a buffer of {elements} elements)")                    \
    /* Memory of malloc() and of the host */                                                       \
    SENTENCE(FREED_BY_HOST, "{verb} {bytes} bytes of {array}, which the host has freed")           \
    SENTENCE(FREES_OTHER, "frees {x0}, which malloc() did not return")                             \
    SENTENCE(FREES_AGAIN, "frees memory that was already freed at {at0}{call0}")                   \
    SENTENCE(FREES_INSIDE,                                                                         \
        "frees byte {element} of the {elements} bytes that malloc() returned at "                  \
        "{at0}{call0}, not the beginning")                                                         \
    SENTENCE(USES_FREED, "{verb} {bytes} bytes of memory that was freed at {at0}{call0}")          \
    SENTENCE(OUTSIDE_ALLOCATION,                                                                   \
        "{verb} {bytes} bytes at byte {element} of the {elements} bytes that malloc() "            \
        "returned at {at0}{call0}")                                                                \
    SENTENCE(NEVER_FREES, "nothing frees {0} allocation{s0} of malloc(), {1} bytes")                 \
    /* Shared memory of clusters */                                                                \
    SENTENCE(OUTSIDE_SHARED,                                                                       \
        "{verb} {bytes} bytes at {x0}, which is not in the shared memory of its block: a "         \
        "pointer to shared memory is valid only in the block that made it")                        \
    SENTENCE(OTHER_SHARED,                                                                         \
        "{verb} {bytes} bytes of the shared memory of block ({0},{1},{2}): a pointer to "          \
        "shared memory is valid only in the block that made it")                                   \
    SENTENCE(OTHER_SHARED_CLUSTER,                                                                 \
        "{verb} {bytes} bytes of the shared memory of block ({0},{1},{2}): a pointer to "          \
        "shared memory is valid only in the block that made it, and in its cluster")               \
    SENTENCE(NO_SUCH_RANK,                                                                         \
        "{verb} {bytes} bytes of the shared memory of block {0} of its cluster, which has "        \
        "{1} block{s1}")                                                                           \
    SENTENCE(RANK_EXITED,                                                                          \
        "{verb} {bytes} bytes of the shared memory of block {0} of its cluster, which has "        \
        "exited: a barrier of the cluster before the end keeps it")                                \
    SENTENCE(RANK_NOT_STARTED,                                                                     \
        "{verb} {bytes} bytes of the shared memory of block {0} of its cluster, which may not "    \
        "have started: a barrier of the cluster (cluster.sync()) must come first")                 \
    SENTENCE(NEEDS_CLUSTER_SPACE,                                                                  \
        "{verb} {bytes} bytes of the shared memory of block {0} of its cluster, by an "            \
        "instruction for the thread's own block: it needs .shared::cluster")                       \
    /* Textures and surfaces */                                                                    \
    SENTENCE(TEXTURE_OUTSIDE, "executes {object} on {array}{reason}")                              \
    SENTENCE(TEXTURE_MISALIGNED,                                                                   \
        "executes {object} on {array} at x = {0} bytes, which is not a multiple of the "           \
        "{bytes} bytes that it accesses")                                                          \
    SENTENCE(TEXTURE_FREED, "executes {object} on memory that the host has freed")                 \
    /* Barriers */                                                                                 \
    SENTENCE(WAITS_ELSEWHERE_IN_WARP,                                                              \
        "waits at a barrier while other lanes of its warp wait at another, at {at0}")              \
    SENTENCE(WAITS_ELSEWHERE,                                                                      \
        "waits at a barrier while other warps of its block wait at {at0}: PTX permits this, "      \
        "the CUDA programming guide does not (--allow warp-barriers:{at0} accepts it)")            \
    SENTENCE(MISSES_WARP_BARRIER,                                                                  \
        "does not reach a barrier at which other lanes of its warp wait")                          \
    SENTENCE(RETURNED_BEFORE, "has returned before a barrier of its block (--strict-barriers)")    \
    SENTENCE(BARRIER_NUMBER,                                                                       \
        "reaches barrier {0} with a count of {1} threads: the number must be 0 to 15, and "        \
        "the count a multiple of 32")                                                              \
    SENTENCE(BARRIER_COUNTS,                                                                       \
        "reaches barrier {0} with a count of {1} threads, while others wait there with a "         \
        "count of {2} (0: the whole block)")                                                       \
    SENTENCE(BARRIER_ALIGNED,                                                                      \
        "reaches barrier {0} with an aligned instruction, while others wait there with an "        \
        "unaligned one")                                                                           \
    SENTENCE(BARRIER_UNALIGNED,                                                                    \
        "reaches barrier {0} with an unaligned instruction, while others wait there with an "      \
        "aligned one")                                                                             \
    SENTENCE(GROUP_WAITS,                                                                          \
        "waits at wgmma.wait_group for warp {0}, which does not execute it: all four warps "       \
        "of a warpgroup must")                                                                     \
    SENTENCE(BARRIER_LACKS,                                                                        \
        "waits at barrier {0} for threads that do not arrive: {1} of {2} have arrived")            \
    SENTENCE(SKIPS_BARRIER,                                                                        \
        "continues at {at0} and skips the barrier at which thread {0} of its block waits")         \
    SENTENCE(CLUSTER_MIXED,                                                                        \
        "arrives at the barrier of its cluster with an aligned instruction, and other lanes "      \
        "of its warp with the one on line {line0}")                                                \
    SENTENCE(CLUSTER_AGAIN,                                                                        \
        "arrives at the barrier of its cluster again, without a wait since it arrived on "         \
        "line {line0}")                                                                            \
    SENTENCE(CLUSTER_NO_ARRIVAL,                                                                   \
        "waits at the barrier of its cluster without having arrived there")                        \
    SENTENCE(CLUSTER_LACKS,                                                                        \
        "waits at the barrier of its cluster for threads that do not arrive: {0} of {1} have "     \
        "arrived, and thread {2} of block {3} of the cluster has not")                             \
    /* Warp operations */                                                                          \
    SENTENCE(SHUFFLE_WIDTH, "calls a shuffle of width {0}, which is not a power of two")           \
    SENTENCE(OWN_LANE_MISSING,                                                                     \
        "calls a warp operation with the mask {w0}, which lacks its own lane")                     \
    SENTENCE(LANES_MISSING,                                                                        \
        "waits at a warp operation with the mask {w0} for lanes that do not arrive")               \
    SENTENCE(LANES_ELSEWHERE,                                                                      \
        "waits at a warp operation with the mask {w0} for lanes that do not arrive: this "         \
        "lane waits at {object}, and lane {1} at {reason} with the mask {w2} on line {line0}")     \
    SENTENCE(MASK_DIFFERS,                                                                         \
        "executes a warp operation with the mask {w0}, but lane {1} of that mask executed it "     \
        "with the mask {w2} on line {line0} and exited: all lanes of a mask must pass the same "   \
        "mask")                                                                                    \
    SENTENCE(WARPGROUP_INCOMPLETE,                                                                 \
        "executes {object}, but a thread of warp {0} {reason}: it needs all 128 threads of "       \
        "its warpgroup")                                                                           \
    SENTENCE(WARP_INCOMPLETE,                                                                      \
        "executes {object}, but lane {0} of its warp {reason}: it needs all 32 lanes")             \
    SENTENCE(DESCRIPTOR_DIFFERS,                                                                   \
        "executes wgmma with another matrix descriptor than lane 0 of its warp")                   \
    SENTENCE(SCALE_DIFFERS, "executes wgmma with a scale-d that differs in its warp")              \
    SENTENCE(GROUP_DIFFERS,                                                                        \
        "waits for other wgmma.mma_async, or others with other descriptors, than warp {0} of "     \
        "its warpgroup")                                                                           \
    SENTENCE(DESCRIPTOR_BITS,                                                                      \
        "executes wgmma with the descriptor {q0} of {object}, whose reserved bits {q1} are "       \
        "not zero: mask the address with 0x3ffff before you shift it by 4")                        \
    SENTENCE(MATRIX_OUTSIDE,                                                                       \
        "reads {object} of wgmma at offset {0} of shared memory, outside every array: its "        \
        "descriptor has start {1}, leading byte offset {2}, stride byte offset {3}, swizzle "      \
        "{reason}")                                                                                \
    /* Asynchronous copies and mbarriers */                                                        \
    SENTENCE(REDUCES_UNWRITTEN, "reads {place}, which was never written, for a reduction")         \
    SENTENCE(REDUCTION_TYPE, "makes a reduction .{object} of type .{reason}")                      \
    SENTENCE(COPY_TO_EXITED, "copies to block {0} of its cluster, which has exited")               \
    SENTENCE(COPY_TO_NO_BLOCK, "copies to block {0} of its cluster, which does not have one")      \
    SENTENCE(LOAD_INCOMPLETE,                                                                      \
        "requests a copy to shared memory, and the block ends before a thread has waited for "     \
        "it: wait for the phase of its mbarrier")                                                  \
    SENTENCE(STORE_INCOMPLETE,                                                                     \
        "requests a copy from shared memory, and the block ends before a thread has waited "       \
        "for it: wait with cp.async.bulk.wait_group or wait_group.read")                           \
    SENTENCE(NO_TENSOR_MAP,                                                                        \
        "copies a box of a tensor, but its operand is no tensor map: give one on the launch "      \
        "line, as in map(in float x[ny][nx], box=[16, 8])")                                        \
    SENTENCE(BOX_DIMENSIONS, "copies a box of {0} dimensions, but the tensor map has {1}")         \
    SENTENCE(BOX_MODE_TILE, "copies in the mode tile, but the tensor map is for the mode im2col")  \
    SENTENCE(BOX_MODE_IM2COL,                                                                      \
        "copies in the mode im2col, but the tensor map is for the mode tile")                      \
    SENTENCE(STORE_NEGATIVE,                                                                       \
        "stores a box at the coordinate {0}: the coordinates of a store must not be negative")     \
    SENTENCE(BOX_FIRST,                                                                            \
        "copies a box whose first coordinate is {0}: it must be a multiple of {1} elements, "      \
        "which are 16 bytes")                                                                      \
    SENTENCE(COPY_TO_MISALIGNED, "copies to an address that is not a multiple of {0}")             \
    SENTENCE(COPY_FROM_MISALIGNED, "copies from an address that is not a multiple of {0}")         \
    SENTENCE(COPY_SIZE, "copies {bytes} bytes: the size of a bulk copy must be a multiple of {0}") \
    SENTENCE(BOX_MISALIGNED,                                                                       \
        "copies a box at an address of shared memory that is not a multiple of {0}")               \
    SENTENCE(STORE_NOT_SHARED, "stores asynchronously to an address that is not in shared memory") \
    SENTENCE(STORE_TWO_BLOCKS,                                                                     \
        "stores to the shared memory of block {0} of its cluster, and completes on an "            \
        "mbarrier of block {1}: both must be in one block")                                        \
    SENTENCE(MBARRIER_NOT_SHARED,                                                                  \
        "uses an mbarrier that is not in shared memory: declare it __shared__")                    \
    SENTENCE(MBARRIER_NO_INIT,                                                                     \
        "uses {object} as an mbarrier, but no mbarrier.init has initialized it")                   \
    SENTENCE(MBARRIER_OVERWRITTEN,                                                                 \
        "uses the mbarrier {object}, which was initialized at {at0} and then overwritten")         \
    SENTENCE(MBARRIER_AGAIN,                                                                       \
        "initializes the mbarrier {object} again, which is valid since {at0}: mbarrier.inval must " \
        "come first")                                                                              \
    SENTENCE(MBARRIER_COMPLETES,                                                                   \
        "arrives with .noComplete at the mbarrier {object}, but completes its phase")              \
    SENTENCE(MBARRIER_BYTES, "makes the mbarrier {object} expect {0} bytes: it can count {1}")     \
    SENTENCE(MBARRIER_ARRIVALS,                                                                    \
        "arrives {0} times at the mbarrier {object}, whose phase waits for only {1} more of "      \
        "{2} arrivals")                                                                            \
    SENTENCE(MBARRIER_COUNT,                                                                       \
        "initializes an mbarrier for {0} arrivals: the count must be from 1 to {1}")               \
    /* Control flow, time and calls */                                                             \
    SENTENCE(WAITS_FOREVER,                                                                        \
        "waits in a loop that no other thread can end; waiting: {waiting}{reason}")                \
    SENTENCE(CHILD_CANNOT_COMPLETE, "waits for a child grid that cannot complete")                 \
    SENTENCE(EXCEEDS_STEPS, "is running when the launch exceeds its limit of {0} steps (--steps)") \
    SENTENCE(EXCEEDS_DEADLINE, "is still running at the deadline of {reason} s (--deadline)")      \
    SENTENCE(NO_CODE, "calls `{object}`, which has no code")                                       \
    SENTENCE(TOO_MANY_CALLS, "nests more than {0} calls")                                          \
    SENTENCE(CALL_PARAMETERS, "calls a function whose parameters differ from those of the call")   \
    SENTENCE(NO_FUNCTION, "calls address {x0}, which is not a function")                           \
    SENTENCE(NO_TARGET, "branches to target {0} of a table of {1}")                                \
    SENTENCE(NOT_COOPERATIVE,                                                                      \
        "executes a trap, as grid_group::sync() does in a launch that is not cooperative: "        \
        "use cudaLaunchCooperativeKernel(), or 'cooperative' before the kernel of a launch "       \
        "line. A GPU may not trap after a cooperative launch of the same program")                 \
    SENTENCE(TRAPS,                                                                                \
        "executes a trap, which compilers also generate for a write to a constant or for "         \
        "undefined behaviour")                                                                     \
    SENTENCE(ASSERTION, "fails the assertion `{reason}`")                                          \
    SENTENCE(PRINTS_TOO_MUCH, "prints more than {0} bytes")                                        \
    SENTENCE(PRINTS, "calls printf(), but the case expects no output")                             \
    SENTENCE(PRINT_CONVERSION,                                                                     \
        "calls printf() with the conversion `{object}`, which is not supported")                   \
    SENTENCE(PRINT_VALUES, "calls printf() with more conversions than values")                     \
    SENTENCE(PRINT_UNWRITTEN,                                                                      \
             "calls printf() with an unwritten value, or with more conversions than values")       \
    SENTENCE(PRINT_TEXT, "calls printf() with a string that is not in memory, or does not end there")\
    /* Nested launches */                                                                          \
    SENTENCE(PASSES_LOCAL, "passes a pointer to its {object} memory to a child grid")              \
    SENTENCE(LAUNCH_FAILS, "launches a child grid <<<{0}, {1}>>>, which fails: {object} ({2})")    \
    SENTENCE(RUNAWAY, "launches more than {0} child grids, the limit for this case")               \
    SENTENCE(WAIT_DEPTH,                                                                           \
        "cannot wait at depth {depth}: cudaErrorSyncDepthExceeded ({0}), the limit is {1}")        \
    SENTENCE(NO_KERNEL, "launches a function that is not a kernel of this program")                \
    SENTENCE(NO_PARAMETER_BUFFER,                                                                  \
        "launches with a parameter buffer that cudaGetParameterBufferV2() did not return")         \
    SENTENCE(NO_STREAM, "launches in stream {0}, which is not supported")                          \
    SENTENCE(NO_DEVICE_WAIT,                                                                       \
        "calls cudaDeviceSynchronize(), which CUDA dynamic parallelism 2 does not support")        \
    /* Limits of the simulator */                                                                  \
    SENTENCE(OUT_OF_MEMORY, "cannot continue: the simulator is out of memory")                     \
    SENTENCE(CANNOT_EXPRESS, "makes {object}, which {reason} cannot express")                      \
    SENTENCE(VALUE_NOT_EXPRESSED, "the value of {place} {object}, which {reason} cannot express")  \
    SENTENCE(TOO_MANY_VALUES,                                                                      \
        "computes more values than {reason} can hold: give a smaller --size")                      \
    SENTENCE(WEAK_MEMORY_FULL,                                                                     \
        "needs more memory for --memory weak than there is: try a smaller size")                   \
    /* Orders that races lack */                                                                   \
    SENTENCE(BLOCK_DOES_NOT_WAIT,                                                                  \
        "shared memory exists until its block ends, and block ({0},{1},{2}) does not wait "        \
        "for this access: a cluster barrier is missing before the end of the kernel")              \
    SENTENCE(BLOCK_LEAVES_OPERATION,                                                               \
        "shared memory exists until its block ends, and block ({0},{1},{2}) does not wait "        \
        "for this access of an asynchronous operation")                                            \
    SENTENCE(TEXTURE_CONSTANT, "a texture or surface may not read what its own grid has written")  \
    SENTENCE(LOAD_CONSTANT, "ld.global.nc needs memory that the grid does not write")              \
    SENTENCE(ATOMICS_OF_PROXIES,                                                                   \
        "atomic accesses in the generic and the async proxy are not atomic together")              \
    SENTENCE(ATOMICS_OF_SIZES, "atomic accesses of different sizes are not atomic together")       \
    SENTENCE(ATOMICS_OF_SCOPES, "the scope of an atomic access does not include the other thread") \
    SENTENCE(SIGNAL_UNFENCED,                                                                      \
        "the asynchronous operation signals the mbarrier in the async proxy: "                     \
        "fence.mbarrier_init or fence.proxy.async is missing after its initialization")            \
    SENTENCE(WRITE_UNFENCED,                                                                       \
        "the write is in the generic proxy and the other write in the async proxy: "               \
        "fence.proxy.async is missing between them")                                               \
    SENTENCE(READ_UNFENCED,                                                                        \
        "the write is in the generic proxy and the read in the async proxy: "                      \
        "fence.proxy.async is missing between them")                                               \
    SENTENCE(OPERATION_FIRST,                                                                      \
        "an asynchronous operation makes the first access, and nothing before the second "         \
        "waits until it is complete")                                                              \
    SENTENCE(OPERATION_SECOND,                                                                     \
        "an asynchronous operation makes the second access, and nothing orders the first "         \
        "before its issue")                                                                        \
    SENTENCE(OPERATION_AFTER_WRITE,                                                                \
        "an asynchronous operation makes the second access, and nothing orders the first "         \
        "before its issue: a barrier is needed, and fence.proxy.async after the write")            \
    SENTENCE(HAD_EXITED,                                                                           \
        "thread {0} of block ({2},{3},{4}) had exited before the others reached the barrier, "     \
        "and a barrier orders only the threads that reach it")                                     \
    SENTENCE(NO_BARRIER, "no barrier" IN_BLOCK)                                                    \
    SENTENCE(NO_BARRIER_ATOMIC,                                                                    \
        "no barrier" IN_BLOCK ": without fences on both sides an atomic access orders nothing")    \
    SENTENCE(NO_BARRIER_VOLATILE,                                                                  \
        "no barrier" IN_BLOCK ": volatile accesses are not ordered between threads")               \
    SENTENCE(NO_SYNCWARP, "no barrier and no __syncwarp()" IN_BLOCK)                               \
    SENTENCE(NO_SYNCWARP_ATOMIC,                                                                   \
        "no barrier and no __syncwarp()" IN_BLOCK                                                  \
        ": without fences on both sides an atomic access orders nothing")                          \
    SENTENCE(NO_SYNCWARP_VOLATILE,                                                                 \
        "no barrier and no __syncwarp()" IN_BLOCK                                                  \
        ": volatile accesses are not ordered between threads")                                     \
    SENTENCE(ONE_STEP,                                                                             \
        "no barrier and no __syncwarp()" IN_BLOCK ": both are in one step of their warp")          \
    SENTENCE(PLAIN_STEPS,                                                                          \
        "no barrier and no __syncwarp()" IN_BLOCK                                                  \
        ": steps of a warp order volatile and atomic accesses, not plain ones")                    \
    SENTENCE(NO_CLUSTER_BARRIER,                                                                   \
        "no cluster barrier orders the two blocks of one cluster")                                 \
    SENTENCE(NO_CLUSTER_BARRIER_ATOMIC,                                                            \
        "no cluster barrier orders the two blocks of one cluster, "                                \
        "and an atomic access orders nothing without fences on both sides")                        \
    SENTENCE(NO_GRID_ORDER,                                                                        \
        "nothing orders the two blocks of one grid: a barrier orders only the threads of its "     \
        "block; blocks need an atomic operation with __threadfence() on both sides")               \
    SENTENCE(TWO_BLOCKS_WRITE,                                                                     \
        "two blocks of one grid write the same element, and nothing orders them")                  \
    SENTENCE(NO_GRID_ORDER_ATOMIC,                                                                 \
        "nothing orders the two blocks of one grid, because a "                                    \
        "barrier orders only the threads of its block, and an atomic access orders nothing "       \
        "without fences on both sides")                                                            \
    SENTENCE(LAUNCHER_GOES_ON,                                                                     \
        "thread {0} makes its access after it launched the child grid, with no wait for that "     \
        "grid in between")                                                                         \
    SENTENCE(BESIDE_LAUNCHER,                                                                      \
        "a child grid sees what its launching thread, {1}, did before the launch, but no "         \
        "barrier orders the access of thread {0} before that launch")                              \
    SENTENCE(LAUNCHED_BY_BLOCK,                                                                    \
        "the child grid was launched by block ({0},{1},{2}), which is not ordered with block "     \
        "({3},{4},{5}): only a tail launch runs after its whole parent grid")                      \
    SENTENCE(CHILD_NOT_WAITED_FOR, "no thread has waited for the child grid")                      \
    SENTENCE(TWO_LAUNCHES,                                                                         \
        "nothing orders these two launches: they are in different streams, and the second "        \
        "waits for no event after the first")                                                      \
    SENTENCE(TWO_GRIDS,                                                                            \
        "nothing orders these two grids: they are in different streams or were launched by "       \
        "different blocks")

/* The origins of undefined values: ORIGIN(name, word in JSON, template). */
#define FAULT_ORIGIN_ROWS(ORIGIN)                                                                  \
    ORIGIN(NOTHING, "variable", "a variable that was never written")                               \
    ORIGIN(VARIABLE, "variable", "a variable that was never written, used at {at0}")               \
    ORIGIN(LOCAL, "local", "a local variable, which was never written, read at {at0}")             \
    ORIGIN(MEMORY, "memory", "{place}, which was never written, read at {at0}")                    \
    ORIGIN(SHARED, "shared",                                                                       \
        "{place} in shared memory, which no thread of the block has written, read at {at0}")       \
    ORIGIN(SHUFFLE, "shuffle", "a shuffle from a lane that does not participate, at {at0}")        \
    ORIGIN(DIVISION, "division", "a division by zero, at {at0}")                                   \
    ORIGIN(GROUP, "wgmma", "{object}, at {at0}")                                                   \
    ORIGIN(INEXACT, "inexact", "{object}, at {at0}")
/* clang-format on */

#endif
