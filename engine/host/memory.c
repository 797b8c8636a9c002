/* SPDX-License-Identifier: MIT
 *
 * Global memory is one reserved range of addresses with a shadow byte for each byte. Buffers lie
 * in it far apart; what lies between them is never readable, so a stray access lands there and is
 * told from a good one by its shadow alone. Shared memory is the executable's thread-local segment.
 */
#include "host.h"

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

/* Room below the lowest stack, for a thread that overruns it to be caught at its next access; and
 * pages below that which nothing may touch, for one that makes none. */
static const size_t STACK_PAD = 8 * STACK_STRIDE;
static const size_t STACK_GUARD = 65536;
static const size_t STACK_MEMORY = 65536 + (size_t)STACK_STRIDE * (MAX_BLOCK_THREADS + 8);

void *memory_grown(void *array, uint32_t *capacity, uint32_t wanted, size_t size)
{
    uint32_t more = *capacity == 0 ? 16 : 2 * *capacity;
    void *larger;

    if (wanted <= *capacity)
        return array;
    larger = realloc(array, more * size);
    if (larger != NULL)
        *capacity = more;
    return larger;
}

static void *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* The thread-local segment of the executable, which dl_iterate_phdr() names first. */
static int find_shared_segment(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_TLS || info->dlpi_tls_data == NULL)
            continue;
        host.shared_base = (uintptr_t)info->dlpi_tls_data;
        host.shared_size = info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

bool memory_open(char *reason, size_t reason_size)
{
    void *arena = reserve(ARENA_BYTES);
    host.global_shadow = reserve(ARENA_BYTES + SHADOW_SLACK);
    host.global_base = (uintptr_t)arena;
    host.global_size = arena != NULL ? ARENA_BYTES : 0;
    dl_iterate_phdr(find_shared_segment, NULL);
    host.shared_shadow = calloc(host.shared_size + SHADOW_SLACK, 1);
    host.shared_template = calloc(host.shared_size + SHADOW_SLACK, 1);
    if (arena == NULL || host.global_shadow == NULL || host.shared_shadow == NULL ||
        host.shared_template == NULL) {
        snprintf(reason, reason_size, "cannot reserve %zu GiB of address space for buffers",
                 2 * ARENA_BYTES >> 30);
        memory_close();
        return false;
    }
    return true;
}

bool memory_make_stacks(struct team *team)
{
    team->stack_memory = reserve(STACK_MEMORY);
    if (team->stack_memory == NULL)
        return false;
    team->stacks = (char *)team->stack_memory + STACK_GUARD + STACK_PAD;
    return mprotect(team->stack_memory, STACK_GUARD, PROT_NONE) == 0;
}

void memory_free_stacks(struct team *team)
{
    if (team->stack_memory != NULL)
        munmap(team->stack_memory, STACK_MEMORY);
    free(team->shared_copy);
    race_free_team(team);
}

bool memory_is_stack_guard(const void *address)
{
    for (uint32_t t = 0; t < host.team_count; t++)
        if ((uintptr_t)address - (uintptr_t)host.teams[t]->stack_memory < STACK_GUARD)
            return true;
    return false;
}

const char *memory_private(uintptr_t address)
{
    if (address - host.shared_base < host.shared_size)
        return "shared";
    for (uint32_t t = 0; t < host.team_count; t++)
        if (address - (uintptr_t)host.teams[t]->stacks < (size_t)STACK_STRIDE * MAX_BLOCK_THREADS)
            return "local";
    return NULL;
}

void memory_close(void)
{
    if (host.global_size != 0)
        munmap((void *)host.global_base, ARENA_BYTES);
    if (host.global_shadow != NULL)
        munmap(host.global_shadow, ARENA_BYTES + SHADOW_SLACK);
    free(host.shared_shadow);
    free(host.shared_template);
    host.global_size = 0;
    host.global_shadow = host.shared_shadow = host.shared_template = NULL;
}

static size_t rounded_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint8_t *shadow_of(const struct placed_buffer *buffer)
{
    return host.global_shadow + ((uintptr_t)buffer->base - host.global_base);
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

bool memory_place(struct values values)
{
    const struct invocation *invocation = host.invocation;

    host.used = GUARD_ZONE;
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        struct placed_buffer *buffer = &host.buffers[k];
        const struct buffer *plan = &invocation->buffers[k];
        size_t bytes = plan->count * element_size(plan->element);
        size_t gap = bytes > GUARD_ZONE ? bytes : GUARD_ZONE;
        if (bytes > ARENA_BYTES / 4 || host.used + bytes + gap + ALIGNMENT > ARENA_BYTES)
            return false;
        *buffer = (struct placed_buffer){plan, (char *)host.global_base + host.used, bytes};
        host.used = rounded_up(host.used + bytes + gap);
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

/* Is the object with this linker name a local of the kernel of that name, or of no kernel in
 * particular? The Itanium C++ ABI names an object s, local to the function _Zname, _ZZnameE1s. */
static bool is_shared_object_of(const char *object, const char *kernel)
{
    size_t length;

    if (strncmp(object, "_ZZ", 3) != 0)
        return true;
    if (strncmp(kernel, "_Z", 2) != 0)
        return false;
    length = strlen(kernel + 2);
    return strncmp(object + 3, kernel + 2, length) == 0 && object[3 + length] == 'E';
}

static void allow_shared_object(size_t offset, size_t size, const char *name, const char *kernel)
{
    if (offset <= host.shared_size && size <= host.shared_size - offset &&
        is_shared_object_of(name, kernel))
        memset(host.shared_template + offset, SHADOW_READABLE | SHADOW_WRITABLE, size);
}

/* Nothing of shared memory outlives a block. */
void memory_start_block(void)
{
    if (host.shared_size == 0)
        return;
    if (host.shared_template_of != host.team->grid->function) {
        const void *function;
        memcpy(&function, &host.team->grid->function, sizeof function);
        memset(host.shared_template, 0, host.shared_size);
        source_shared_objects(function, allow_shared_object);
        host.shared_template_of = host.team->grid->function;
        host.shared_dirty = true;
    }
    if (host.shared_dirty)
        memcpy(host.shared_shadow, host.shared_template, host.shared_size);
    host.shared_dirty = false;
}

void memory_leave_block(struct team *team)
{
    size_t size = host.shared_size;

    if (!host.shared_dirty)
        return;
    if (team->shared_copy == NULL)
        team->shared_copy = malloc(2 * size);
    if (team->shared_copy == NULL)
        host_record(FAULT_CRASH, "out of memory for the shared memory of another block");
    if (host.fault.kind != FAULT_NONE)
        return;
    memcpy(team->shared_copy, (void *)host.shared_base, size);
    memcpy(team->shared_copy + size, host.shared_shadow, size);
}

void memory_resume_block(struct team *team)
{
    size_t size = host.shared_size;

    if (team->shared_copy == NULL) {
        memory_start_block();
        return;
    }
    memcpy((void *)host.shared_base, team->shared_copy, size);
    memcpy(host.shared_shadow, team->shared_copy + size, size);
    host.shared_dirty = true;
}

static void check_written(const struct placed_buffer *buffer)
{
    const uint8_t *shadow = shadow_of(buffer);

    for (size_t i = 0; i < buffer->bytes; i++) {
        if (shadow[i] & SHADOW_WRITTEN)
            continue;
        size_t element = i / element_size(buffer->plan->element);
        host.current = NULL;
        host_record(FAULT_UNWRITTEN_OUTPUT,
                    "leaves %s[%zu] unwritten (a buffer of %" PRIu64 " elements)",
                    buffer->plan->name, element, buffer->plan->count);
        return;
    }
}

void memory_collect(void *const results[MAX_BUFFERS])
{
    for (uint32_t k = 0; k < host.invocation->buffer_count; k++) {
        const struct placed_buffer *buffer = &host.buffers[k];
        if (buffer->plan->role == ROLE_OUTPUT)
            check_written(buffer);
        if (results[k] != NULL)
            memcpy(results[k], buffer->base, buffer->bytes);
    }
}

void memory_release(void)
{
    for (uint32_t k = 0; k < host.invocation->buffer_count; k++)
        memset(shadow_of(&host.buffers[k]), 0, host.buffers[k].bytes);
    if (host.used > GIVE_BACK) {
        madvise((void *)host.global_base, host.used, MADV_DONTNEED);
        madvise(host.global_shadow, host.used, MADV_DONTNEED);
    }
}

/* The buffer that a stray access was most likely meant for: the nearest one. */
static const struct placed_buffer *nearest_buffer(uintptr_t address)
{
    const struct placed_buffer *nearest = NULL;
    uint64_t least = UINT64_MAX;

    for (uint32_t k = 0; k < host.invocation->buffer_count; k++) {
        const struct placed_buffer *buffer = &host.buffers[k];
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

    if (address - host.shared_base < host.shared_size) {
        snprintf(name, size, "shared memory, byte %zu", (size_t)(address - host.shared_base));
        return;
    }
    buffer = nearest_buffer(address);
    snprintf(name, size, "%s[%zu]", buffer->plan->name,
             (size_t)(address - (uintptr_t)buffer->base) / element_size(buffer->plan->element));
}

static _Noreturn void shared_fault(uintptr_t address, size_t size, unsigned int access,
                                   const void *site)
{
    size_t offset = address - host.shared_base;
    bool inside = host.shared_shadow[offset] & SHADOW_READABLE;

    if (inside && !(access & ACCESS_WRITE))
        host_fault(FAULT_UNWRITTEN_READ, site,
                   "reads %zu bytes of shared memory that no thread of its block has written",
                   size);
    host_fault(access & ACCESS_WRITE ? FAULT_STRAY_WRITE : FAULT_STRAY_READ, site,
               "%s %zu bytes outside the kernel's shared arrays",
               access & ACCESS_WRITE ? "writes" : "reads", size);
}

_Noreturn void memory_fault(uintptr_t address, size_t size, unsigned int access, const void *site)
{
    const char *verb = access & ACCESS_WRITE ? "writes" : "reads";
    enum fault_kind stray = access & ACCESS_WRITE ? FAULT_STRAY_WRITE : FAULT_STRAY_READ;

    if (address - host.shared_base < host.shared_size)
        shared_fault(address, size, access, site);

    const struct placed_buffer *buffer = nearest_buffer(address);
    if (buffer == NULL)
        host_fault(stray, site, "%s %zu bytes of global memory, and the kernel has no buffers",
                   verb, size);
    int64_t offset = (int64_t)(address - (uintptr_t)buffer->base);
    int64_t element = (int64_t)element_size(buffer->plan->element);
    int64_t index = offset >= 0 ? offset / element : -((-offset + element - 1) / element);
    const char *name = buffer->plan->name;

    if (offset < 0 || (uint64_t)offset + size > buffer->bytes)
        host_fault(stray, site,
                   "%s %zu bytes at %s[%" PRId64 "], outside its %" PRIu64 " elements%s", verb,
                   size, name, index, buffer->plan->count,
                   offset >= -GUARD_ZONE && offset < (int64_t)buffer->bytes + GUARD_ZONE
                       ? ", in a guard zone"
                       : "");
    if (!(access & ACCESS_WRITE))
        host_fault(FAULT_UNWRITTEN_READ, site, "reads %s[%" PRId64 "], which nothing has written",
                   name, index);
    host_fault(FAULT_READ_ONLY, site, "writes %s[%" PRId64 "], a read-only input", name, index);
}

void memory_other(uintptr_t address, size_t size, unsigned int access, const void *site)
{
    const char *verb = access & ACCESS_WRITE ? "writes" : "reads";
    enum fault_kind kind = access & ACCESS_WRITE ? FAULT_STRAY_WRITE : FAULT_STRAY_READ;
    size_t offset = address - (uintptr_t)host.team->stacks;

    schedule_check_stack(site);
    if (address - (host.shared_base - GUARD_ZONE) < host.shared_size + 2 * GUARD_ZONE)
        host_fault(kind, site, "%s %zu bytes outside the kernel's shared arrays", verb, size);
    if (offset >= (size_t)STACK_STRIDE * MAX_BLOCK_THREADS)
        host_fault(kind, site, "%s %zu bytes at an address in no buffer, 0x%" PRIxPTR, verb, size,
                   address);
    if (offset / STACK_STRIDE != host.current->number)
        host_fault(kind, site, "%s %zu bytes of another thread's local memory, thread %zu", verb,
                   size, offset / STACK_STRIDE);
}
