/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include "fault.h"
#include "shared.h"

#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Address space for buffers; pages are taken when touched. */
static const size_t ARENA_BYTES = (size_t)8 << 30;

enum {
    ALIGNMENT = 256,      /* as cudaMalloc gives */
    GUARD_ZONE = 4096,    /* least distance between buffers */
    GIVE_BACK = 64 << 20, /* pages of jobs above this size go back to the system */
    SHADOW_SLACK = 16,    /* callbacks look at whole words */
};

struct memory memory;

struct placed_buffer {
    const struct buffer *plan;
    char *base;
    size_t bytes;
};

static const struct invocation *invocation; /* the job's */
static struct placed_buffer buffers[MAX_BUFFERS];
static size_t used;              /* bytes of the global arena */
static uint8_t *shared_template; /* shadow of shared memory at the start of a kernel's blocks */
static void (*shared_template_of)(void); /* that kernel */

static void *reserve(size_t bytes)
{
    void *reserved = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return reserved == MAP_FAILED ? NULL : reserved;
}

/* The thread-local segment of the executable, which dl_iterate_phdr() names first. */
static int find_shared_segment(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_TLS || info->dlpi_tls_data == NULL)
            continue;
        memory.shared_base = (uintptr_t)info->dlpi_tls_data;
        memory.shared_size = info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

bool memory_open(char *reason, size_t reason_size)
{
    void *arena = reserve(ARENA_BYTES);

    memory.global_shadow = reserve(ARENA_BYTES + SHADOW_SLACK);
    memory.global_base = (uintptr_t)arena;
    memory.global_size = arena != NULL ? ARENA_BYTES : 0;
    dl_iterate_phdr(find_shared_segment, NULL);
    memory.shared_shadow = calloc(memory.shared_size + SHADOW_SLACK, 1);
    shared_template = calloc(memory.shared_size + SHADOW_SLACK, 1);
    if (arena == NULL || memory.global_shadow == NULL || memory.shared_shadow == NULL ||
        shared_template == NULL) {
        snprintf(reason, reason_size, "cannot reserve %zu GiB of address space for buffers",
                 2 * ARENA_BYTES >> 30);
        memory_close();
        return false;
    }
    return true;
}

void memory_close(void)
{
    if (memory.global_size != 0)
        munmap((void *)memory.global_base, ARENA_BYTES);
    if (memory.global_shadow != NULL)
        munmap(memory.global_shadow, ARENA_BYTES + SHADOW_SLACK);
    shared_close();
    free(memory.shared_shadow);
    free(shared_template);
    shared_template_of = NULL;
    memory.shared_dirty = false;
    memory.global_size = 0;
    memory.global_shadow = memory.shared_shadow = shared_template = NULL;
}

static size_t rounded_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint8_t *shadow_of(const struct placed_buffer *buffer)
{
    return memory.global_shadow + ((uintptr_t)buffer->base - memory.global_base);
}

static void fill(const struct placed_buffer *buffer, struct values values)
{
    const struct buffer *plan = buffer->plan;
    uint32_t *words = (uint32_t *)buffer->base; /* every element type so far is 32 bits */
    uint64_t valued = plan->count - plan->padding;

    for (uint64_t i = 0; i < valued; i++)
        words[i] = values_word(plan->element, values.pattern, values.parameter, plan->first + i);
    memset(words + valued, 0, plan->padding * sizeof *words);
}

bool memory_place(const struct invocation *placed, struct values values)
{
    invocation = placed;
    used = GUARD_ZONE;
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        struct placed_buffer *buffer = &buffers[k];
        const struct buffer *plan = &invocation->buffers[k];
        size_t bytes = plan->count * element_size(plan->element);
        size_t gap = bytes > GUARD_ZONE ? bytes : GUARD_ZONE;
        if (bytes > ARENA_BYTES / 4 || used + bytes + gap + ALIGNMENT > ARENA_BYTES)
            return false;
        *buffer = (struct placed_buffer){plan, (char *)memory.global_base + used, bytes};
        used = rounded_up(used + bytes + gap);
        if (plan->role == ROLE_LOG) {
            memset(buffer->base, 0, bytes);
            memset(shadow_of(buffer), SHADOW_READABLE | SHADOW_WRITTEN | SHADOW_WRITABLE, bytes);
        } else if (plan->role == ROLE_OUTPUT) {
            memset(shadow_of(buffer), SHADOW_READABLE | SHADOW_WRITABLE, bytes);
        } else {
            fill(buffer, values);
            memset(shadow_of(buffer),
                   SHADOW_READABLE | SHADOW_WRITTEN |
                       (plan->role == ROLE_INOUT ? SHADOW_WRITABLE : 0),
                   bytes);
        }
    }
    return true;
}

size_t memory_used(void)
{
    return used;
}

char *memory_buffer(uint32_t k)
{
    return buffers[k].base;
}

static void allow_shared_object(size_t offset, size_t size)
{
    if (offset <= memory.shared_size && size <= memory.shared_size - offset)
        memset(shared_template + offset, SHADOW_READABLE | SHADOW_WRITABLE, size);
}

void memory_start_block(void (*function)(void))
{
    if (memory.shared_size == 0)
        return;
    if (shared_template_of != function) {
        memset(shared_template, 0, memory.shared_size);
        shared_visit(function, allow_shared_object);
        shared_template_of = function;
        memory.shared_dirty = true;
    }
    if (memory.shared_dirty)
        memcpy(memory.shared_shadow, shared_template, memory.shared_size);
    memory.shared_dirty = false;
}

void memory_leave_block(struct resident_block *block)
{
    size_t size = memory.shared_size;

    if (!memory.shared_dirty)
        return;
    if (block->shared_copy == NULL)
        block->shared_copy = malloc(2 * size);
    if (block->shared_copy == NULL)
        fault_record(FAULT_CRASH, "out of memory for the shared memory of another block");
    if (fault_came())
        return;
    memcpy(block->shared_copy, (void *)memory.shared_base, size);
    memcpy(block->shared_copy + size, memory.shared_shadow, size);
}

void memory_resume_block(struct resident_block *block)
{
    size_t size = memory.shared_size;

    if (block->shared_copy == NULL) {
        memory_start_block(block->grid->function);
        return;
    }
    memcpy((void *)memory.shared_base, block->shared_copy, size);
    memcpy(memory.shared_shadow, block->shared_copy + size, size);
    memory.shared_dirty = true;
}

static void check_written(const struct placed_buffer *buffer)
{
    const uint8_t *shadow = shadow_of(buffer);

    for (size_t i = 0; i < buffer->bytes; i++) {
        if (shadow[i] & SHADOW_WRITTEN)
            continue;
        size_t element = i / element_size(buffer->plan->element);
        fault_record_of(NULL, NULL, FAULT_UNWRITTEN_OUTPUT, NULL,
                        "leaves %s[%zu] unwritten (a buffer of %" PRIu64 " elements)",
                        buffer->plan->name, element, buffer->plan->count);
        return;
    }
}

void memory_collect(void *const results[MAX_BUFFERS])
{
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct placed_buffer *buffer = &buffers[k];
        if (buffer->plan->role == ROLE_OUTPUT)
            check_written(buffer);
        if (results[k] != NULL)
            memcpy(results[k], buffer->base, buffer->bytes);
    }
}

void memory_release(void)
{
    for (uint32_t k = 0; k < invocation->buffer_count; k++)
        memset(shadow_of(&buffers[k]), 0, buffers[k].bytes);
    if (used > GIVE_BACK) {
        madvise((void *)memory.global_base, used, MADV_DONTNEED);
        madvise(memory.global_shadow, used, MADV_DONTNEED);
    }
}

/* The buffer that a stray access was most likely meant for: the nearest one. */
static const struct placed_buffer *nearest_buffer(uintptr_t address)
{
    const struct placed_buffer *nearest = NULL;
    uint64_t least = UINT64_MAX;

    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct placed_buffer *buffer = &buffers[k];
        uintptr_t low = (uintptr_t)buffer->base, high = low + buffer->bytes;
        uint64_t distance = address < low ? low - address : address >= high ? address - high : 0;
        if (distance < least) {
            least = distance;
            nearest = buffer;
        }
    }
    return nearest;
}

void memory_name(uintptr_t address, char *name, size_t size)
{
    const struct placed_buffer *buffer;

    if (memory_is_shared(address)) {
        if (!shared_name(address - memory.shared_base, name, size))
            snprintf(name, size, "shared memory, byte %zu", (size_t)(address - memory.shared_base));
        return;
    }
    buffer = nearest_buffer(address);
    snprintf(name, size, "%s[%zu]", buffer->plan->name,
             (size_t)(address - (uintptr_t)buffer->base) / element_size(buffer->plan->element));
}

/* Where races are looked for, the write that came too late may show one: the case goes on. */
static void unwritten_read(const void *site, const char *format, uintptr_t address)
{
    char place[64];

    if (race_on && fault_noted())
        return;
    memory_name(address, place, sizeof place);
    if (race_on)
        fault_note(FAULT_UNWRITTEN_READ, site, format, place);
    else
        fault_raise(FAULT_UNWRITTEN_READ, site, format, place);
}

static void shared_fault(uintptr_t address, size_t size, unsigned int access, const void *site)
{
    size_t offset = address - memory.shared_base;
    bool inside = true;

    for (size_t i = 0; i < size; i++)
        inside = inside && (memory.shared_shadow[offset + i] & SHADOW_READABLE);
    if (inside && !(access & ACCESS_WRITE)) {
        unwritten_read(site, "reads %s, shared memory that no thread of its block has written",
                       address);
        return;
    }
    fault_raise(access & ACCESS_WRITE ? FAULT_STRAY_WRITE : FAULT_STRAY_READ, site,
                "%s %zu bytes outside the kernel's shared arrays",
                access & ACCESS_WRITE ? "writes" : "reads", size);
}

void memory_fault(uintptr_t address, size_t size, unsigned int access, const void *site)
{
    const char *verb = access & ACCESS_WRITE ? "writes" : "reads";
    enum fault_kind stray = access & ACCESS_WRITE ? FAULT_STRAY_WRITE : FAULT_STRAY_READ;

    if (memory_is_shared(address)) {
        shared_fault(address, size, access, site);
        return;
    }

    const struct placed_buffer *buffer = nearest_buffer(address);
    if (buffer == NULL)
        fault_raise(stray, site, "%s %zu bytes of global memory, and the kernel has no buffers",
                    verb, size);
    int64_t offset = (int64_t)(address - (uintptr_t)buffer->base);
    int64_t element = (int64_t)element_size(buffer->plan->element);
    int64_t index = offset >= 0 ? offset / element : -((-offset + element - 1) / element);
    const char *name = buffer->plan->name;

    if (offset < 0 || (uint64_t)offset + size > buffer->bytes)
        fault_raise(stray, site,
                    "%s %zu bytes at %s[%" PRId64 "], outside its %" PRIu64 " elements%s", verb,
                    size, name, index, buffer->plan->count,
                    offset >= -GUARD_ZONE && offset < (int64_t)buffer->bytes + GUARD_ZONE
                        ? ", in a guard zone"
                        : "");
    if (!(access & ACCESS_WRITE)) {
        unwritten_read(site, "reads %s, which nothing has written", address);
        return;
    }
    fault_raise(FAULT_READ_ONLY, site, "writes %s[%" PRId64 "], a read-only input", name, index);
}

void memory_other(uintptr_t address, size_t size, unsigned int access, const void *site)
{
    const char *verb = access & ACCESS_WRITE ? "writes" : "reads";
    enum fault_kind kind = access & ACCESS_WRITE ? FAULT_STRAY_WRITE : FAULT_STRAY_READ;
    size_t owner = stacks_owner(&current.block->stacks, address);

    fault_check_stack(site);
    if (address - (memory.shared_base - GUARD_ZONE) < memory.shared_size + 2 * GUARD_ZONE)
        fault_raise(kind, site, "%s %zu bytes outside the kernel's shared arrays", verb, size);
    if (owner >= SIMT_BLOCK_THREADS)
        fault_raise(kind, site, "%s %zu bytes at an address in no buffer, 0x%" PRIxPTR, verb, size,
                    address);
    if (owner != current.thread->number)
        fault_raise(kind, site, "%s %zu bytes of another thread's local memory, thread %zu", verb,
                    size, owner);
}
