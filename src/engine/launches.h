/* SPDX-License-Identifier: MIT
 *
 * Programs on the simulator: memory and modules that persist over many launches, as the CUDA
 * runtime and the driver API provide them. Only the simulator has this interface, in addition to
 * engine.h.
 *
 * Calls must come from one thread at a time. All sizes and offsets are in bytes. An address of the
 * simulated GPU is a pointer that the host must not follow, except for memory that it shares.
 */
#ifndef SIMTCHECK_ENGINE_LAUNCHES_H
#define SIMTCHECK_ENGINE_LAUNCHES_H

#include "engine.h"

#include <stdbool.h>
#include <stdio.h>

/* ---- Start and end ---- */

/* How launches are run. The members mean the same as those of struct engine_job. */
struct launch_rules {
    enum model model;
    struct schedule schedule;
    struct race *races; /* null: do not detect races; each launches_run() overwrites it */
    size_t race_capacity;
    size_t order_bytes; /* at most this much memory for the order of accesses; 0: 768 MiB */
    /* Where printf() of kernels writes, at most 1 MiB in a launch. Null: a kernel that prints has a
     * fault. */
    FILE *output;
    /* Returns whether an earlier launch is complete before a launch of the current run begins, by
     * its number there; LAUNCHES_LATER: before those of all later runs. `kept` is the name of the
     * earlier one. It is called only if a launch has a name. */
    bool (*comes_before)(uint32_t kept, uint32_t launch);
    /* Null, or called for each strong write of system scope to global memory, which other
     * processors may read meanwhile. `releases`: they may then know what came before it. */
    void (*signal)(uint64_t address, bool releases);
    /* The same for strong reads of that scope. A lane may stand for its warp. */
    void (*look)(uint64_t address);
    /* Null, or called when a launch with is_copy is complete, by its number in the run. It may call
     * launches_copy_out(). */
    void (*copied)(uint32_t launch);
};
enum { LAUNCHES_LATER = UINT32_MAX };

/* Starts without memory and handles, and with the variables of the engine's own modules at their
 * initial values. Returns false if there is no room for them. `rules` belongs to the caller and
 * must stay valid until launches_end(). */
bool launches_start(struct engine *engine, const struct launch_rules *rules);
/* Frees all memory and unloads all modules. engine_load() and engine_run() do the same. */
void launches_end(void);

/* ---- Memory ---- */

/* Return new memory, or null if there is no room. At most 2 GiB, in one piece, of 8 GiB in all.
 * `name` is for reports and belongs to the caller. It must stay valid until launches_end(), also
 * after launches_free().
 *
 * launches_allocate(): memory of the GPU, in which nothing is written. `element_bytes` is the size
 * of the elements that reports count; 1: that of the access. The memory is far from all other
 * memory, and its address is not used again. So there are at most 2^20 such calls, in which each
 * variable of a module counts as one, between launches_start() and launches_end().
 * launches_share(): memory that the host and kernels access at the same address. It counts as
 * written, and holds zeros.
 * launches_place(): memory at an address below 2^48 that has no memory yet. Its bytes are those at
 * `host`, which the caller owns. Their distance from a multiple of 4 must be that of the address.
 * They count as written. If `host` is null, they are as after launches_allocate(). */
void *launches_allocate(const char *name, size_t count, size_t element_bytes);
void *launches_share(const char *name, size_t bytes);
void *launches_place(const char *name, void *address, size_t bytes, void *host);

enum memory_status {
    MEMORY_OK,
    MEMORY_UNKNOWN,       /* no memory has been at the address */
    MEMORY_FREED,         /* it was freed */
    MEMORY_OUT_OF_BOUNDS, /* the range ends outside of the memory in which it starts */
    MEMORY_NOT_START,     /* launches_free(): the address is inside of the memory */
    MEMORY_UNWRITTEN,     /* launches_copy_out(): it has copied, but nothing had written a byte */
};

/* Frees memory of the functions above. An access to it is then FAULT_USE_AFTER_FREE, which gives
 * the name. After memory of launches_share() and launches_place(), other memory may get the
 * address. */
enum memory_status launches_free(void *address);

/* Describes the memory at an address, which may be freed. Returns MEMORY_OK, MEMORY_FREED or
 * MEMORY_UNKNOWN. If it is unknown, *memory does not change. */
struct launch_memory {
    void *start;
    size_t bytes;
    const char *name; /* of a module's variable: its name in PTX */
};
enum memory_status launches_find(const void *address, struct launch_memory *memory);

/* These functions copy from the host to the GPU, from the GPU to the host, and on the GPU; and fill
 * memory of the GPU. On an error other than MEMORY_UNWRITTEN they do nothing. launches_copy()
 * copies unwritten bytes, too, which then count as unwritten in the copy; the ranges may overlap.
 * With MEMORY_UNWRITTEN, launches_copy_out() sets *unwritten to the offset in the range of the
 * first byte that nothing has written. `unwritten` may be null. What may be padding of structures
 * does not count: fewer bytes than the widest store of a thread to the memory, with an end at a
 * multiple of its size. A buffer with room to spare does not count either: less than half of the
 * range is written, and no value there depends on unwritten memory. */
enum memory_status launches_copy_in(void *to, const void *from, size_t bytes);
enum memory_status launches_copy_out(void *to, const void *from, size_t bytes, size_t *unwritten);
enum memory_status launches_copy(void *to, const void *from, size_t bytes);
enum memory_status launches_fill(void *to, int byte, size_t bytes);

/* ---- Modules ---- */

/* PTX that is linked together: its texts may refer to each other's functions and variables. */
struct launch_module;
struct launch_kernel;

struct launch_text {
    const char *name; /* for reports */
    const char *text;
    size_t bytes;
};

/* Loads a module, beside others that may define the same names. Its variables get memory with
 * their initial values, which persists until launches_unload(). The texts are not used after the
 * call. Returns null on error, with a sentence in `reason`. */
struct launch_module *launches_load(const struct launch_text *texts, size_t count, char *reason,
                                    size_t reason_size);
/* Unloads a module. Its kernels must not be used any more, and its variables count as freed. */
void launches_unload(struct launch_module *module);

/* Returns the kernel with that name in PTX, or null if no such kernel exists. Without a module: a
 * kernel of the engine's own modules, also by its exported name. */
const struct launch_kernel *launches_kernel(const struct launch_module *module, const char *name);
/* Finds a variable in global or constant memory by its name in PTX. Returns false if no such
 * variable exists. */
bool launches_variable(const struct launch_module *module, const char *name, void **address,
                       size_t *bytes);

/* Describes the number-th `.managed` variable of a module, from 0 on. The host accesses such a
 * variable at the same address, and it is alone on its pages. Returns false if the module has fewer
 * of them. */
bool launches_managed(const struct launch_module *module, size_t number,
                      struct launch_memory *memory);

struct launch_kernel_facts {
    uint32_t shared_bytes;    /* static */
    uint32_t constant_bytes;  /* of the constant variables of the text that defines the kernel */
    uint32_t local_bytes;     /* of a thread, without those of functions that it calls */
    uint32_t most_threads;    /* of a block */
    struct extent threads;    /* of a block, as .reqntid requires; 0, 0, 0: it requires nothing */
    struct extent cluster;    /* as .reqnctapercluster requires; 0, 0, 0: it requires nothing */
    bool needs_cluster;       /* .explicitcluster */
    uint32_t parameter_count; /* of its parameters */
    uint32_t parameter_bytes; /* of all, in their layout */
    uint32_t version, target; /* of its text: 83 for version 8.3, 90 for sm_90 */
};
void launches_kernel_facts(const struct launch_kernel *kernel, struct launch_kernel_facts *facts);
/* Reports where a parameter is in the layout. Returns false if it has no such parameter. */
bool launches_parameter(const struct launch_kernel *kernel, uint32_t number, uint32_t *offset,
                        uint32_t *bytes);
/* Returns how many blocks of the kernel an SM of compute capability 9.0 holds at once. Registers
 * do not limit it here. 0: a block does not fit. */
uint32_t launches_resident(const struct launch_kernel *kernel, uint32_t threads,
                           uint32_t shared_bytes);

/* ---- Arguments ---- */

/* Encodes a tensor map of the memory at that address as the 128 bytes of a CUtensorMap, which only
 * the simulator understands. Pass them to a kernel as they are. map->buffer is not used. */
enum { LAUNCH_MAP_BYTES = 128 };
void launches_encode_map(const struct tensor_map *map, const void *address,
                         unsigned char bytes[LAUNCH_MAP_BYTES]);

/* Makes a texture or surface object over memory that holds the texels row by row, layer by layer,
 * without gaps except those of view->pitch. Returns the handle that kernels take. Returns 0 if the
 * memory is too small or not allocated, or if there is no room for the object. *view is copied;
 * view->buffer is not used. launches_drop_view() ends the use of a handle. */
uint64_t launches_add_view(const struct view *view, const void *address);
void launches_drop_view(uint64_t handle);

/* ---- Launches ---- */

/* At most this many launches in one launches_run(). */
enum { LAUNCHES_TOGETHER = 32 };

struct launch {
    const struct launch_kernel *kernel;
    struct extent grid, block;
    struct extent cluster;  /* 0, 0, 0: that of the kernel */
    uint32_t shared_bytes;  /* dynamic */
    bool opts_in;           /* cudaFuncAttributeMaxDynamicSharedMemorySize is at least that */
    bool is_cooperative;    /* all its blocks are resident at once */
    bool is_nonportable;    /* cudaFuncAttributeNonPortableClusterSizeAllowed is set */
    void *const *arguments; /* one pointer for each parameter, valid during the call only */
    uint32_t after;   /* bit k: it begins when launch k is complete; only bits below its own */
    bool skips_races; /* if all launches of a run have it, races are not looked for */
    /* Its results are needed, but not its findings: it may use unwritten memory. A fault that it
     * cannot survive on a GPU still ends it. */
    bool is_unchecked;
    bool is_copy;  /* it may write constants */
    uint32_t keep; /* not 0, from LAUNCHES_TOGETHER on: a name. It may overlap launches of later
                      runs; in their races, this is the number of the launch */
};

/* Runs launches and waits for all of them. As engine_run(), it looks for one run that decides for
 * all schedules, and then outcome->points is 0. Launches that no chain of `after` orders may run at
 * the same time, and what they do races. So does what launches of earlier runs did that have a
 * name, if rules->comes_before() does not order them. The accesses of such launches are kept, which
 * takes memory and the exact race checker, until they come before all later launches, or a fault.
 *
 * A fault, such as FAULT_LAUNCH for an invalid configuration or FAULT_TRAP for a failed assertion,
 * ends all of them. It is in the outcome, and the return value is ENGINE_OK. Memory then has what
 * was written so far, and later launches can run. ENGINE_ERROR: too little memory, or the
 * launches are not as described here; outcome->fault.text has a sentence. */
enum engine_status launches_run(const struct launch *launches, uint32_t count,
                                struct engine_outcome *outcome);
/* Forgets the accesses that are kept. Returns whether they take so much memory that the next run
 * may lack it, which is a fault. */
void launches_forget(void);
bool launches_are_full(void);
/* Returns whether kernels have taken memory by malloc() that nothing has freed: a fault. Returns
 * false if a module was unloaded. */
bool launches_leak(struct fault *fault);

#endif
