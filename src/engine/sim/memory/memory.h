/* SPDX-License-Identifier: MIT
 *
 * Global memory is one reserved range of addresses with a shadow byte for each byte. Buffers lie
 * in it far apart; what lies between them is never readable, so a stray access lands there and is
 * told from a good one by its shadow alone. Shared memory is the executable's thread-local segment,
 * for kernels from PTX a range of its own.
 */
#ifndef SIMTCHECK_HOST_MEMORY_H
#define SIMTCHECK_HOST_MEMORY_H

#include "block.h"

enum {
    SHADOW_SLACK = 16,         /* callbacks look at whole words */
    SHARED_WINDOW = 227 << 10, /* of kernels from PTX: bytes that a block of a GPU may have */
};

/* Shadow state of a byte of global or shared memory. */
enum {
    SHADOW_READABLE = 1,
    SHADOW_WRITTEN = 2,
    SHADOW_WRITABLE = 4,
};

/* Written by memory.c alone, but for shared_dirty and what stands in the shadow, which accesses
 * change (access.c). */
struct memory {
    uintptr_t global_base, shared_base;
    size_t global_size, shared_size;
    uint8_t *global_shadow, *shared_shadow;
    bool shared_dirty; /* shared memory was accessed since the block started */
    /* Variables of loaded source kernels: where their code has them, and how far from there their
     * place in global memory is. */
    uintptr_t variables_base;
    size_t variables_size;
    uintptr_t variables_shift;
};

extern struct memory memory;

/* The address by which the engine knows what code has at that one. */
static inline uintptr_t memory_known(const void *pointer)
{
    uintptr_t address = (uintptr_t)pointer;

    if (unlikely(address - memory.variables_base < memory.variables_size))
        address += memory.variables_shift;
    return address;
}

static inline bool memory_is_global(uintptr_t address)
{
    return address - memory.global_base < memory.global_size;
}

static inline bool memory_is_shared(uintptr_t address)
{
    return address - memory.shared_base < memory.shared_size;
}

/* Reserves the address space; on failure `reason` says why. Again, if it is open: other kernels
 * were loaded. */
bool memory_open(char *reason, size_t reason_size);
bool memory_open_again(char *reason, size_t reason_size);
void memory_close(void);

/* Places and fills the job's buffers; false when the arena is too small. */
bool memory_place(const struct invocation *invocation, struct values values);
/* Places the variables of the module of that kernel, or of all modules where it is null; false when
 * the arena is too small. */
bool memory_place_variables(void (*function)(void));
/* What those that are the job's buffers hold; faults where there is none of that symbol and size.
 */
void memory_fill_variables(struct values values);
/* Bytes of global memory that the job's buffers take, and where one of them lies. */
size_t memory_used(void);
char *memory_buffer(uint32_t k);
/* For launches in a row: starts without buffers, and gives one of which nothing is written; null
 * when the arena is too small. */
void memory_start(void);
char *memory_allocate(const char *name, size_t count, size_t element_bytes);
/* May the host read those bytes, all of which must have been written, or write them? It is taken to
 * write them. */
bool memory_host_reads(const void *address, size_t size);
bool memory_host_writes(void *address, size_t size);
/* Faults if an output has an unwritten element, else copies the results out. */
void memory_collect(void *const results[MAX_BUFFERS]);
/* Forgets the job's buffers. */
void memory_release(void);

/* Of memory_open() and memory_close(), when shared memory is there: block_memory.c. */
bool memory_open_blocks(void);
void memory_close_blocks(void);

/* Shared memory for a block of that kernel that starts, of which nothing outlives the block; and
 * for one that gives way to another and goes on. */
void memory_start_block(const struct grid *grid);
void memory_leave_block(struct resident_block *block);
void memory_resume_block(struct resident_block *block);

/* Are those bytes in a room of a call that the current thread, of a kernel from PTX, is in? */
bool memory_is_local(uintptr_t address, size_t size);
/* May a kernel from PTX read those bytes? */
bool memory_is_readable(uintptr_t given, size_t size);

/* Faults for an access that the shadow forbids. Comes back from a read of what nothing wrote where
 * races are looked for. */
void memory_fault(uintptr_t address, size_t size, unsigned int access, const void *site);
/* An access outside global and shared memory: the thread's own locals, or a fault. The second is
 * of an access that can be nowhere else. */
void memory_other(uintptr_t address, size_t size, unsigned int access, const void *site);
void memory_private(uintptr_t address, size_t size, unsigned int access, const void *site);

/* Is the engine told of the access that the probe makes? No job is running. */
bool memory_is_told(void (*probe)(int *word));

/* Names a place in a buffer or in shared memory, such as "in[3]". */
void memory_name(uintptr_t address, char *name, size_t size);

#endif
