/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include "array.h"
#include "budget.h"
#include "fault.h"
#include "loaded.h"
#include "modules.h"
#include "shared.h"
#include "simt_ptx.h"

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
};

struct memory memory;

/* A buffer, or a variable of a module. */
struct placed_buffer {
    const char *name;
    char *base;
    size_t bytes, element_bytes;
};

static const struct invocation *invocation; /* the job's */
static struct placed_buffer *buffers;       /* its buffers, then variables */
static uint32_t buffer_count, buffer_capacity;
static size_t used; /* bytes of the global arena */

uintptr_t simt_shared_base;

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

/* Kernels from PTX have a window; those of source, the thread-local segment of the executable or
 * of the object that was loaded. */
static void find_shared_memory(void)
{
    if (loaded_is_there()) {
        loaded_shared(&memory.shared_base, &memory.shared_size);
        return;
    }
    if (!modules_are_there()) {
        dl_iterate_phdr(find_shared_segment, NULL);
        return;
    }
    memory.shared_base = (uintptr_t)reserve(SHARED_WINDOW);
    memory.shared_size = memory.shared_base != 0 ? SHARED_WINDOW : 0;
    simt_shared_base = memory.shared_base;
}

/* Variables of loaded kernels are the first pages of the arena. */
static bool map_variables(char *reason, size_t reason_size)
{
    memory.variables_base = loaded_pages(&memory.variables_size);
    memory.variables_shift = memory.global_base - memory.variables_base;
    return loaded_map((void *)memory.global_base, reason, reason_size);
}

bool memory_open_again(char *reason, size_t reason_size)
{
    if (memory.global_size == 0)
        return true;
    memory_close();
    return memory_open(reason, reason_size);
}

bool memory_open(char *reason, size_t reason_size)
{
    void *arena = reserve(ARENA_BYTES);

    memory.global_shadow = reserve(ARENA_BYTES + SHADOW_SLACK);
    memory.global_base = (uintptr_t)arena;
    memory.global_size = arena != NULL ? ARENA_BYTES : 0;
    find_shared_memory();
    memory.shared_shadow = calloc(memory.shared_size + SHADOW_SLACK, 1);
    if (arena == NULL || memory.global_shadow == NULL || memory.shared_shadow == NULL ||
        !memory_open_blocks()) {
        snprintf(reason, reason_size, "cannot reserve %zu GiB of address space for buffers",
                 2 * ARENA_BYTES >> 30);
        memory_close();
        return false;
    }
    if (map_variables(reason, reason_size))
        return true;
    memory_close();
    return false;
}

void memory_close(void)
{
    if (memory.global_size != 0)
        munmap((void *)memory.global_base, ARENA_BYTES);
    if (memory.global_shadow != NULL)
        munmap(memory.global_shadow, ARENA_BYTES + SHADOW_SLACK);
    if (simt_shared_base != 0)
        munmap((void *)simt_shared_base, SHARED_WINDOW);
    simt_shared_base = 0;
    free(buffers);
    buffers = NULL;
    buffer_count = buffer_capacity = 0;
    shared_close();
    free(memory.shared_shadow);
    memory_close_blocks();
    memory.shared_dirty = false;
    memory.global_size = 0;
    memory.global_shadow = memory.shared_shadow = NULL;
}

static size_t rounded_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint8_t *shadow_of(const struct placed_buffer *buffer)
{
    return memory.global_shadow + ((uintptr_t)buffer->base - memory.global_base);
}

static void fill(char *base, const struct buffer *plan, struct values values)
{
    size_t bytes = element_size(plan->element);
    uint64_t valued = plan->count - plan->padding;
    const struct filling filling = values_filling(plan, values);

    for (uint64_t i = 0; i < valued; i++) {
        uint64_t bits = values_filled(&filling, i);
        memcpy(base + i * bytes, &bits, bytes);
    }
    memset(base + valued * bytes, 0, plan->padding * bytes);
}

/* Room for so many elements in the global arena, with a guard zone behind it that is at least as
 * large; null when there is none. */
static struct placed_buffer *place(const char *name, uint64_t count, size_t element_bytes)
{
    size_t bytes = count * element_bytes, gap = bytes > GUARD_ZONE ? bytes : GUARD_ZONE;
    struct placed_buffer *grown;

    if (count > ARENA_BYTES / 4 / element_bytes || used + bytes + gap + ALIGNMENT > ARENA_BYTES)
        return NULL;
    grown = array_grown(buffers, &buffer_capacity, buffer_count + 1, sizeof *buffers);
    if (grown == NULL)
        return NULL;
    buffers = grown;
    buffers[buffer_count] =
        (struct placed_buffer){name, (char *)memory.global_base + used, bytes, element_bytes};
    used = rounded_up(used + bytes + gap);
    return &buffers[buffer_count++];
}

static uintptr_t place_variable(const struct simt_variable *variable)
{
    struct placed_buffer *placed =
        place(variable->name, variable->bytes / variable->element_bytes, variable->element_bytes);

    if (placed == NULL)
        return 0;
    memset(shadow_of(placed),
           SHADOW_READABLE | SHADOW_WRITTEN | (variable->constant ? 0 : SHADOW_WRITABLE),
           placed->bytes);
    return (uintptr_t)placed->base;
}

/* Those of loaded kernels, with their first values. */
static bool place_loaded_variables(void)
{
    const struct simt_source_variable *variable;

    for (size_t k = 0; (variable = loaded_variable(k)) != NULL; k++) {
        struct placed_buffer *grown =
            array_grown(buffers, &buffer_capacity, buffer_count + 1, sizeof *buffers);
        if (grown == NULL)
            return false;
        buffers = grown;
        buffers[buffer_count] =
            (struct placed_buffer){variable->name, (char *)memory_known(variable->address),
                                   variable->bytes, variable->element_bytes};
        memset(shadow_of(&buffers[buffer_count++]),
               SHADOW_READABLE | SHADOW_WRITTEN | (variable->constant ? 0 : SHADOW_WRITABLE),
               variable->bytes);
    }
    loaded_restore();
    return true;
}

bool memory_place_variables(void (*function)(void))
{
    if (loaded_is_there())
        return place_loaded_variables();
    return modules_place(function, place_variable);
}

void memory_start(void)
{
    used = rounded_up(memory.variables_size) + GUARD_ZONE;
    buffer_count = 0;
}

char *memory_allocate(const char *name, size_t count, size_t element_bytes)
{
    const struct placed_buffer *buffer = place(name, count, element_bytes);

    if (buffer == NULL)
        return NULL;
    memset(shadow_of(buffer), SHADOW_READABLE | SHADOW_WRITABLE, buffer->bytes);
    return buffer->base;
}

/* Has every byte, all of them global memory, that state? */
static bool has_state(const void *address, size_t size, unsigned int state)
{
    size_t offset = (uintptr_t)address - memory.global_base;

    if (offset > memory.global_size || size > memory.global_size - offset)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((memory.global_shadow[offset + i] & state) != state)
            return false;
    return true;
}

bool memory_host_reads(const void *address, size_t size)
{
    return has_state(address, size, SHADOW_READABLE | SHADOW_WRITTEN);
}

bool memory_host_writes(void *address, size_t size)
{
    uint8_t *shadow = memory.global_shadow + ((uintptr_t)address - memory.global_base);

    if (!has_state(address, size, SHADOW_WRITABLE))
        return false;
    for (size_t i = 0; i < size; i++)
        shadow[i] |= SHADOW_WRITTEN;
    return true;
}

/* What it holds at first, and what may be done with it. */
static void fill_buffer(const struct placed_buffer *buffer, const struct buffer *plan,
                        struct values values)
{
    uint8_t state = SHADOW_READABLE | SHADOW_WRITABLE;

    if (plan->role == ROLE_LOG) {
        memset(buffer->base, 0, buffer->bytes);
        state |= SHADOW_WRITTEN;
    } else if (plan->role == ROLE_INPUT || plan->role == ROLE_INOUT) {
        fill(buffer->base, plan, values);
        state |= SHADOW_WRITTEN;
        if (plan->role == ROLE_INPUT)
            state &= (uint8_t)~SHADOW_WRITABLE;
    }
    memset(shadow_of(buffer), state, buffer->bytes);
}

bool memory_place(const struct invocation *placed, struct values values)
{
    invocation = placed;
    memory_start();
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct buffer *plan = &invocation->buffers[k];
        const struct placed_buffer *buffer = place(
            plan->name, plan->variable != NULL ? 0 : plan->count, element_size(plan->element));
        if (buffer == NULL)
            return false;
        if (plan->variable == NULL)
            fill_buffer(buffer, plan, values);
    }
    return true;
}

/* The variable that was placed under that symbol; null: none was. */
static const struct placed_buffer *find_variable(const char *symbol)
{
    for (uint32_t k = invocation->buffer_count; k < buffer_count; k++)
        if (strcmp(buffers[k].name, symbol) == 0)
            return &buffers[k];
    return NULL;
}

void memory_fill_variables(struct values values)
{
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct buffer *plan = &invocation->buffers[k];
        const struct placed_buffer *found =
            plan->variable != NULL ? find_variable(plan->variable) : NULL;
        if (plan->variable == NULL || plan->role == ROLE_INITIAL)
            continue;
        if (found == NULL || found->bytes != buffer_bytes(plan)) {
            fault_record(FAULT_LAUNCH, "the code has no variable %s of %zu bytes", plan->name,
                         buffer_bytes(plan));
            return;
        }
        bool constant = found->bytes > 0 && !(*shadow_of(found) & SHADOW_WRITABLE);
        buffers[k].base = found->base;
        buffers[k].bytes = found->bytes;
        fill_buffer(&buffers[k], plan, values);
        for (size_t i = 0; constant && i < found->bytes; i++)
            shadow_of(found)[i] &= (uint8_t)~SHADOW_WRITABLE;
    }
}

size_t memory_used(void)
{
    return used;
}

char *memory_buffer(uint32_t k)
{
    return buffers[k].base;
}

static void check_written(const struct placed_buffer *buffer)
{
    const uint8_t *shadow = shadow_of(buffer);

    for (size_t i = 0; i < buffer->bytes; i++) {
        if (shadow[i] & SHADOW_WRITTEN)
            continue;
        fault_record_of(NULL, NULL, FAULT_UNWRITTEN_OUTPUT, NULL,
                        "leaves %s[%zu] unwritten (a buffer of %zu elements)", buffer->name,
                        i / buffer->element_bytes, buffer->bytes / buffer->element_bytes);
        return;
    }
}

void memory_collect(void *const results[MAX_BUFFERS])
{
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct placed_buffer *buffer = &buffers[k];
        if (invocation->buffers[k].role == ROLE_OUTPUT)
            check_written(buffer);
        if (results[k] != NULL)
            memcpy(results[k], buffer->base, buffer->bytes);
    }
}

void memory_release(void)
{
    for (uint32_t k = 0; k < buffer_count; k++)
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

    for (uint32_t k = 0; k < buffer_count; k++) {
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
    snprintf(name, size, "%s[%zu]", buffer->name,
             (size_t)(address - (uintptr_t)buffer->base) / buffer->element_bytes);
}

/* Where races are looked for, the write that came too late may show one: the case goes on. */
static void uninitialized_read(const void *site, const char *format, uintptr_t address)
{
    char place[64];

    if (race_on && fault_noted())
        return;
    memory_name(address, place, sizeof place);
    if (race_on)
        fault_note(FAULT_UNINITIALIZED_READ, site, format, place);
    else
        fault_raise(FAULT_UNINITIALIZED_READ, site, format, place);
}

static void shared_fault(uintptr_t address, size_t size, unsigned int access, const void *site)
{
    size_t offset = address - memory.shared_base;
    bool inside = true;

    for (size_t i = 0; i < size; i++)
        inside = inside && (memory.shared_shadow[offset + i] & SHADOW_READABLE);
    if (inside && !(access & ACCESS_WRITE)) {
        uninitialized_read(site, "reads %s, shared memory that no thread of its block has written",
                           address);
        return;
    }
    fault_raise(access & ACCESS_WRITE ? FAULT_OUT_OF_BOUNDS_WRITE : FAULT_OUT_OF_BOUNDS_READ, site,
                "%s %zu bytes outside the kernel's shared arrays",
                access & ACCESS_WRITE ? "writes" : "reads", size);
}

void memory_fault(uintptr_t address, size_t size, unsigned int access, const void *site)
{
    const char *verb = access & ACCESS_WRITE ? "writes" : "reads";
    enum fault_kind stray =
        access & ACCESS_WRITE ? FAULT_OUT_OF_BOUNDS_WRITE : FAULT_OUT_OF_BOUNDS_READ;

    if (memory_is_shared(address)) {
        shared_fault(address, size, access, site);
        return;
    }

    const struct placed_buffer *buffer = nearest_buffer(address);
    if (buffer == NULL)
        fault_raise(stray, site, "%s %zu bytes of global memory, and the kernel has no buffers",
                    verb, size);
    int64_t offset = (int64_t)(address - (uintptr_t)buffer->base);
    int64_t element = (int64_t)buffer->element_bytes;
    int64_t index = offset >= 0 ? offset / element : -((-offset + element - 1) / element);
    const char *name = buffer->name;

    if (offset < 0 || (uint64_t)offset + size > buffer->bytes)
        fault_raise(stray, site, "%s %zu bytes at %s[%" PRId64 "], outside its %zu elements%s",
                    verb, size, name, index, buffer->bytes / buffer->element_bytes,
                    offset >= -GUARD_ZONE && offset < (int64_t)buffer->bytes + GUARD_ZONE
                        ? ", in a guard zone"
                        : "");
    if (!(access & ACCESS_WRITE)) {
        uninitialized_read(site, "reads %s, which nothing has written", address);
        return;
    }
    fault_raise(FAULT_READ_ONLY, site, "writes %s[%" PRId64 "], a read-only input", name, index);
}

bool memory_is_local(uintptr_t address, size_t size)
{
    for (const struct simt_frame *frame = current.thread->frame; frame != NULL;
         frame = frame->outer)
        for (size_t k = 0; k < frame->count; k++) {
            const struct simt_room *room = &frame->rooms[k];
            if (size <= room->bytes && address - room->low <= room->bytes - size)
                return true;
        }
    return false;
}

bool memory_is_readable(uintptr_t given, size_t size)
{
    uintptr_t address = memory_known((const void *)given);
    const uint8_t *shadow;

    if (memory_is_global(address))
        shadow = memory.global_shadow + (address - memory.global_base);
    else if (memory_is_shared(address))
        shadow = memory.shared_shadow + (address - memory.shared_base);
    else
        return memory_is_local(address, size);
    for (size_t i = 0; i < size; i++)
        if (!(shadow[i] & SHADOW_READABLE))
            return false;
    return true;
}

/* A parameter of the current grid, which a kernel from PTX may read where it is. */
static bool is_parameter(uintptr_t address, size_t size, unsigned int access)
{
    const struct grid *grid = current.block->grid;
    const struct simt_entry *entry = modules_entry(grid->function);

    if (entry == NULL || (access & (ACCESS_WRITE | ACCESS_ATOMIC)))
        return false;
    for (uint32_t p = 0; p < entry->parameter_count; p++) {
        uintptr_t offset = address - (uintptr_t)grid->arguments[p];
        if (offset < entry->parameter_bytes[p] && size <= entry->parameter_bytes[p] - offset)
            return true;
    }
    return false;
}

static bool is_private(uintptr_t address, size_t size, unsigned int access)
{
    return memory_is_local(address, size) || is_parameter(address, size, access);
}

static _Noreturn void private_fault(size_t size, unsigned int access, const void *site)
{
    fault_raise(access & ACCESS_WRITE ? FAULT_OUT_OF_BOUNDS_WRITE : FAULT_OUT_OF_BOUNDS_READ, site,
                "%s %zu bytes outside its local arrays", access & ACCESS_WRITE ? "writes" : "reads",
                size);
}

void memory_private(uintptr_t address, size_t size, unsigned int access, const void *site)
{
    fault_check_stack(site);
    if (!is_private(address, size, access))
        private_fault(size, access, site);
}

static struct {
    int word;
    bool told;
} probed;

bool memory_is_told(void (*probe)(int *word))
{
    steps.countdown = INT64_MAX; /* no job is running */
    probed.told = false;
    probe(&probed.word);
    steps.countdown = 0;
    return probed.told;
}

void memory_other(uintptr_t address, size_t size, unsigned int access, const void *site)
{
    if (address == (uintptr_t)&probed.word) {
        probed.told = true;
        return;
    }
    const char *verb = access & ACCESS_WRITE ? "writes" : "reads";
    enum fault_kind kind =
        access & ACCESS_WRITE ? FAULT_OUT_OF_BOUNDS_WRITE : FAULT_OUT_OF_BOUNDS_READ;
    size_t owner = stacks_owner(&current.block->stacks, address);

    fault_check_stack(site);
    if (is_private(address, size, access) ||
        (owner == current.thread->number && !modules_are_there()))
        return;
    if (!(access & (ACCESS_WRITE | ACCESS_ATOMIC)) && loaded_is_constant(address, size))
        return;
    if (address - (memory.shared_base - GUARD_ZONE) < memory.shared_size + 2 * GUARD_ZONE)
        fault_raise(kind, site, "%s %zu bytes outside the kernel's shared arrays", verb, size);
    if (owner >= SIMT_BLOCK_THREADS)
        fault_raise(kind, site, "%s %zu bytes at an address in no buffer, 0x%" PRIxPTR, verb, size,
                    address);
    if (owner == current.thread->number)
        private_fault(size, access, site);
    fault_raise(kind, site, "%s %zu bytes of another thread's local memory, thread %zu", verb, size,
                owner);
}
