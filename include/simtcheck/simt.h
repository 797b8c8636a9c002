/* SPDX-License-Identifier: MIT
 *
 * What a kernel that runs as host code needs from whoever runs it. dialect.h calls these for
 * kernels; an engine provides them. Declared here and nowhere else, so that both sides are held to
 * the same by their compilers.
 */
#ifndef SIMTCHECK_KERNELS_SIMT_H
#define SIMTCHECK_KERNELS_SIMT_H

#include "kernel.h"

#include <stddef.h>
#include <stdint.h>

/* Kernels of a shared object find it in the program that loads them. */
#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

/* Of every GPU: CUDA C++ Programming Guide, technical specifications per compute capability. */
enum {
    SIMT_WARP_LANES = 32,
    SIMT_BLOCK_THREADS = 1024,
    SIMT_BLOCK_THREADS_Z = 64,
    SIMT_GRID_ROWS = 65535, /* blocks of a grid in y, and in z */
};

/* Three-dimensional counts or coordinates, x fastest. */
struct extent {
    uint32_t x, y, z;
};

/* Where a barrier, a launch or an atomic access stands in the source: identity for the engine, text
 * for its reports. */
struct simt_site {
    const char *file;
    int line;
    const char *outer_file; /* into which the compiler has inlined it; null: into nothing */
    int outer_line;
};

/* Of atomics and fences. */
enum simt_scope { SIMT_BLOCK, SIMT_DEVICE, SIMT_SYSTEM };

/* What the lanes of a warp do together, by the names of PTX: an instruction with its qualifiers. */
enum simt_collective {
    SIMT_SYNC,
    SIMT_SHUFFLE_idx,
    SIMT_SHUFFLE_up,
    SIMT_SHUFFLE_down,
    SIMT_SHUFFLE_bfly,
    SIMT_VOTE_ballot,
    SIMT_VOTE_any,
    SIMT_VOTE_all,
    SIMT_VOTE_uni,
    SIMT_ELECT,
    SIMT_MATCH_any,
    SIMT_MATCH_all,
    SIMT_REDUCE,
};

/* How SIMT_REDUCE reduces words of 32 bits; _s: as signed ones. */
enum simt_reduce {
    SIMT_REDUCE_add,
    SIMT_REDUCE_min,
    SIMT_REDUCE_max,
    SIMT_REDUCE_and,
    SIMT_REDUCE_or,
    SIMT_REDUCE_xor,
    SIMT_REDUCE_add_s,
    SIMT_REDUCE_min_s,
    SIMT_REDUCE_max_s,
};

/* Of nested launches. A device-side cudaStream_t is one of these as a pointer. */
enum simt_stream { SIMT_STREAM_NULL, SIMT_STREAM_TAIL, SIMT_STREAM_FIRE_AND_FORGET };

/* Classes of instructions, by the chapters of the PTX ISA. */
enum simt_class {
    SIMT_INTEGER,
    SIMT_FLOAT,
    SIMT_LOGIC,
    SIMT_COMPARISON,
    SIMT_CONVERSION,
    SIMT_MOVE,
    SIMT_PARAMETER, /* reads and writes of parameters, which are no accesses of memory */
    SIMT_LOAD,
    SIMT_STORE,
    SIMT_ATOMIC,
    SIMT_SYNCHRONISATION, /* barriers and fences, and what lanes exchange */
    SIMT_CONTROL,
    SIMT_CLASSES
};

/* What kernels have launched, as the CUDA engine's device code counts it. */
struct simt_launch_count {
    unsigned int children, failed;
    unsigned int most;                  /* children, beyond which none is launched; 0: no limit */
    unsigned long long blocks, threads; /* of all children */
    int error;                          /* of the first that failed, as the runtime numbers it */
};

/* Coordinates of the calling GPU thread. Constant for the thread's whole life, so a compiler may
 * ask once: hence `const`. Returned by value, for a load from memory would look like the kernel's
 * own access to the engine. */
__attribute__((const)) struct extent simt_thread_index(void);
__attribute__((const)) struct extent simt_block_index(void);
__attribute__((const)) struct extent simt_block_extent(void);
__attribute__((const)) struct extent simt_grid_extent(void);
__attribute__((const)) unsigned int simt_lane(void);

/* `function`: the one that it stands in. */
void simt_syncthreads(const struct simt_site *site, const char *function);

/* A function of a kernel's file returns, by a statement on that line. The thread has exited by it
 * if the function is the kernel and nothing follows. */
void simt_return(const char *function, int line);

/* What the lanes of `mask` do when all of them have come. `value` is what the lane gives; the
 * result, what it takes from the others: of a shuffle, the value of lane `source`; of a reduction,
 * which `source` names, that of all; of a match, the lanes; of a ballot, those whose vote is true,
 * and of the other votes, whether that holds. */
uint64_t simt_collective(const struct simt_site *site, enum simt_collective collective,
                         unsigned int mask, uint64_t value, unsigned int source);

/* Comes just before an atomic access. */
void simt_atomic(const struct simt_site *site, void *address, size_t size, enum simt_scope scope);
void simt_fence(enum simt_scope scope);

/* printf() of a kernel. */
int simt_printf(const struct simt_site *site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* memcpy() and the like of a kernel. */
void *simt_memcpy(void *to, const void *from, size_t size);
void *simt_memmove(void *to, const void *from, size_t size);
void *simt_memset(void *to, int byte, size_t size);

/* cudaDeviceSynchronize() and cudaGetLastError() of a kernel: errors as the runtime numbers them.
 */
int simt_device_wait(const struct simt_site *site);
int simt_last_error(void);
int simt_peek_error(void);

/* A launch from a kernel; arguments as for cudaLaunchKernel, valid during the call only. */
void simt_launch(const struct simt_site *site, void (*function)(void), simt_invoke invoke,
                 const struct extent *grid, const struct extent *block, size_t shared_bytes,
                 enum simt_stream stream, void *const *arguments, const size_t *argument_sizes,
                 unsigned int argument_count);

/* The same, of an instruction at which lanes in lockstep have met already. */
void simt_launch_at(const struct simt_site *site, void (*function)(void), simt_invoke invoke,
                    const struct extent *grid, const struct extent *block, size_t shared_bytes,
                    enum simt_stream stream, void *const *arguments, const size_t *argument_sizes,
                    unsigned int argument_count);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
