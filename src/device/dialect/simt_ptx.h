/* SPDX-License-Identifier: MIT
 *
 * What a kernel that was translated from PTX needs from whoever runs it, besides simt.h: the other
 * side of what src/engine/ptx/ emits.
 */
#ifndef SIMTCHECK_KERNELS_SIMT_PTX_H
#define SIMTCHECK_KERNELS_SIMT_PTX_H

#include <simtcheck/simt.h>

#include <stdbool.h>

#pragma GCC visibility push(default) /* as in simt.h */

/* An instruction that the engine is told of. Its address names it wherever the address of host code
 * would, and lanes in lockstep go by the order of a module's places: they stand in one array, in
 * the order of the PTX. */
struct simt_place {
    struct simt_site site;
    uint32_t line; /* in the PTX */
};

#define SIMT_PLACES __attribute__((section("simt_places"), aligned(8)))

/* A variable of a module in .global or .const. */
struct simt_variable {
    const char *name;
    uint64_t *address; /* where the generated code looks for it; set by the engine */
    size_t bytes, alignment, element_bytes;
    const void *initial; /* `bytes` of them; null: zeros */
    bool constant;
    const struct simt_relocation *relocations;
    size_t relocation_count;
};

/* An address in an initial value: of a variable or function, plus an offset. */
struct simt_relocation {
    size_t at;
    const uint64_t *variable; /* null: `function` */
    void (*function)(void);
    int64_t addend;
};

/* An array in shared memory: its place in the window. */
struct simt_shared {
    const char *name;
    uint32_t offset, bytes;
};

/* An entry and what it needs. Kernels of a table of their own: kernel.h. */
struct simt_entry {
    void (*function)(void);
    const struct simt_shared *shared;
    uint32_t shared_count, shared_bytes;                 /* static */
    const uint32_t *parameter_bytes, *parameter_offsets; /* offsets: of nested launches */
    uint32_t parameter_count;
    uint32_t threads[3];   /* of a block, by .reqntid; 0: any */
    uint32_t most_threads; /* by .maxntid; 0: any */
};

struct simt_module {
    const char *path; /* of the PTX */
    const struct simt_variable *variables;
    uint32_t variable_count;
    const struct simt_entry *entries;
    uint32_t entry_count;
    bool links;           /* to variables of other modules */
    bool launches, waits; /* nested grids; for them, on the device */
};

/* The kernels, modules and places of a shared object: its variable simt_code. */
struct simt_code {
    const struct simt_kernel *const *kernels, *const *kernels_end;
    const struct simt_module *const *modules, *const *modules_end;
    const struct simt_place *places, *places_end;
};

/* Calls an entry: for struct simt_kernel. */
void simt_call_entry(void (*function)(void), void *const *arguments);

/* The window of shared memory, and what of it the launch has asked for: written by the engine. */
extern uintptr_t simt_shared_base;
extern uint32_t simt_dynamic_shared;

/* ---- Accesses: told just before they are made ---- */

/* Weak (w) and volatile (v) ones of that many bytes, and reads of what no thread of the grid writes
 * (c). */
#define SIMT_ACCESSES(bytes)                                                                       \
    void simt_read_w##bytes(const struct simt_place *place, uintptr_t address);                    \
    void simt_read_v##bytes(const struct simt_place *place, uintptr_t address);                    \
    void simt_read_c##bytes(const struct simt_place *place, uintptr_t address);                    \
    void simt_write_w##bytes(const struct simt_place *place, uintptr_t address);                   \
    void simt_write_v##bytes(const struct simt_place *place, uintptr_t address);
SIMT_ACCESSES(1)
SIMT_ACCESSES(2)
SIMT_ACCESSES(4)
SIMT_ACCESSES(8)
SIMT_ACCESSES(16)

/* PTX ISA, memory consistency model: what a strong access orders besides itself. */
enum simt_order { SIMT_RELAXED, SIMT_ACQUIRE, SIMT_RELEASE, SIMT_ACQ_REL };

void simt_strong_read(const struct simt_place *place, uintptr_t address, size_t size,
                      enum simt_scope scope, enum simt_order order);
void simt_strong_write(const struct simt_place *place, uintptr_t address, size_t size,
                       enum simt_scope scope, enum simt_order order);
void simt_atomic_access(const struct simt_place *place, uintptr_t address, size_t size,
                        enum simt_scope scope, enum simt_order order);

/* ---- Local memory ---- */

/* What a call has of its thread's local memory: its arrays, and those parameters of its own calls
 * whose address may be taken. Nothing else of the stack is the kernel's. */
struct simt_room {
    uintptr_t low;
    size_t bytes;
};
struct simt_frame {
    const struct simt_frame *outer; /* of the call that it came from; set by the engine */
    const struct simt_room *rooms;
    size_t count;
};

void simt_enter_frame(struct simt_frame *frame);
void simt_leave_frame(const struct simt_frame *frame);
/* A fault unless those bytes are in a room of a call of the thread that has not ended, or, to be
 * read, in a parameter of its kernel. */
void simt_check_private(const struct simt_place *place, uintptr_t address, size_t size,
                        bool writes);

/* ---- Counting instructions ---- */

/* While simt_counting: a thread comes to a basic block, whose instructions it will execute, so many
 * of each class; and to a conditional branch, which it takes or not. */
extern int simt_counting;
void simt_enter_block(const struct simt_place *place, const uint16_t instructions[SIMT_CLASSES]);
void simt_branch(bool taken);

/* ---- Other instructions ---- */

/* cp.async: `read` of the bytes are read, the others become zeros. Waits leave so many of the last
 * groups unmade. */
void simt_async_copy(const struct simt_place *place, uintptr_t to, uintptr_t from, uint32_t bytes,
                     uint32_t read);
void simt_async_commit(void);
void simt_async_wait_group(uint32_t left);
void simt_async_wait_all(void);

/* Barriers with numbers and counts: PTX ISA, barrier. `count`: threads, 0 for all of the block.
 * Result: how many came, in the high half, and how many with `vote`, in the low one; of SIMT_ARRIVE
 * nothing. */
enum simt_arrival { SIMT_ARRIVE, SIMT_WAIT };
uint32_t simt_barrier(const struct simt_place *place, enum simt_arrival arrival, bool aligned,
                      uint32_t number, uint32_t count, bool vote);

/* Of a mask, the lanes of the warp that have not exited. */
uint32_t simt_present(uint32_t mask);
/* The function of an indirect call; a fault where it can be none. */
uint64_t simt_callee(const struct simt_place *place, uint64_t function);
_Noreturn void simt_trap(const struct simt_place *place);
uint64_t simt_clock(void);
uint32_t simt_warp(void);
uint32_t simt_dynamic_bytes(void);
uint32_t simt_total_shared(void);
bool simt_is_shared(uint64_t address);
bool simt_is_local(uint64_t address);
bool simt_is_global(uint64_t address);

/* vprintf() and __assertfail() of a kernel: addresses are generic ones. */
uint32_t simt_vprintf(const struct simt_place *place, uint64_t format, uint64_t values);
_Noreturn void simt_assert_failed(const struct simt_place *place, uint64_t message, uint64_t file,
                                  uint32_t line, uint64_t function);

/* A nested launch: where its parameters go, in a room of the calling function's, and the launch. */
enum { SIMT_PARAMETER_BYTES = 4096 };
struct simt_child {
    uint64_t function;
    struct extent grid, block;
    uint32_t shared_bytes;
    uint8_t parameters[SIMT_PARAMETER_BYTES] __attribute__((aligned(16)));
};
uint32_t simt_launch_child(const struct simt_place *place, uint64_t parameters, uint64_t stream);

#pragma GCC visibility pop

#endif
