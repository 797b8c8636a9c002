/* SPDX-License-Identifier: MIT
 *
 * Allocations, copies and fills.
 */
#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const size_t exec_device_bytes = (size_t)8 << 30;

/* Live and freed ones. Those that were freed stay, for reports of wrong uses. */
static struct {
    struct exec_allocation **all;
    size_t count, capacity;
    uint64_t ids;
    size_t used, managed_variables;
} memory;

/* ---- The table ---- */

static const char *const kind_words[] = {
    [EXEC_DEVICE] = "memory of the GPU",
    [EXEC_HOST] = "pinned memory",
    [EXEC_MANAGED] = "managed memory",
    [EXEC_REGISTERED] = "registered memory",
};

/* Returns the newest allocation that has the address, which may be freed, or null. */
static struct exec_allocation *find_any(uint64_t address)
{
    for (size_t k = memory.count; k-- > 0;) {
        struct exec_allocation *one = memory.all[k];
        if (address - one->address < one->bytes || address == one->address)
            return one;
    }
    return NULL;
}

static struct exec_allocation *find_live(uint64_t address)
{
    for (size_t k = memory.count; k-- > 0;) {
        struct exec_allocation *one = memory.all[k];
        if (!one->is_freed && (address - one->address < one->bytes || address == one->address))
            return one;
    }
    return NULL;
}

const struct exec_allocation *exec_find(const void *address)
{
    return find_live((uintptr_t)address);
}

static struct exec_allocation *add(enum exec_memory kind, size_t bytes)
{
    struct exec_allocation *one = calloc(1, sizeof *one);

    if (memory.count == memory.capacity) {
        size_t capacity = 2 * memory.capacity + 64;
        struct exec_allocation **grown = realloc(memory.all, capacity * sizeof *grown);
        if (grown == NULL) {
            free(one);
            return NULL;
        }
        memory.all = grown;
        memory.capacity = capacity;
    }
    if (one == NULL)
        return NULL;
    *one = (struct exec_allocation){
        .kind = kind, .bytes = bytes, .made = exec_site(), .id = ++memory.ids};
    site_name(&one->made, one->name, sizeof one->name);
    memory.all[memory.count++] = one;
    return one;
}

static int drop_last(int error)
{
    free(memory.all[--memory.count]);
    return error;
}

int variable_add(enum exec_memory kind, uint64_t address, size_t bytes, const char *name)
{
    struct exec_allocation *one = add(kind, bytes);

    if (one == NULL)
        return EXEC_OUT_OF_MEMORY;
    one->address = address;
    one->is_variable = true;
    snprintf(one->name, sizeof one->name, "%s", name);
    memory.managed_variables += kind == EXEC_MANAGED;
    return EXEC_SUCCESS;
}

void variable_remove(uint64_t address)
{
    struct exec_allocation *one = find_live(address);

    if (one == NULL || !one->is_variable)
        return;
    guards_forget(address);
    one->is_freed = true;
    memory.managed_variables -= one->kind == EXEC_MANAGED;
}

const struct exec_allocation *variable_managed(size_t *number)
{
    while (memory.managed_variables > 0 && *number < memory.count) {
        const struct exec_allocation *one = memory.all[(*number)++];
        if (one->is_variable && !one->is_freed && one->kind == EXEC_MANAGED)
            return one;
    }
    return NULL;
}

/* ---- Allocations ---- */

static size_t whole_pages(size_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

/* Host memory on pages of its own. */
static void *place_host(struct exec_allocation *one)
{
    void *host = mmap(NULL, whole_pages(one->bytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (host == MAP_FAILED)
        return NULL;
    if (launches_place(one->name, host, one->bytes, host) != NULL)
        return host;
    munmap(host, whole_pages(one->bytes));
    return NULL;
}

int exec_allocate(enum exec_memory kind, size_t bytes, void **address)
{
    int error = exec_start();
    struct exec_allocation *one;

    if (error != EXEC_SUCCESS || exec_sticky() != EXEC_SUCCESS)
        return error != EXEC_SUCCESS ? error : exec_sticky();
    if (address == NULL)
        return EXEC_INVALID_VALUE;
    *address = NULL;
    if (bytes == 0)
        return EXEC_SUCCESS;
    one = add(kind, bytes);
    if (one == NULL)
        return EXEC_OUT_OF_MEMORY;
    *address = kind == EXEC_DEVICE ? launches_allocate(one->name, bytes, 1) : place_host(one);
    if (*address == NULL)
        return drop_last(EXEC_OUT_OF_MEMORY);
    one->address = (uintptr_t)*address;
    memory.used += bytes;
    return EXEC_SUCCESS;
}

size_t exec_free_bytes(void)
{
    return memory.used < exec_device_bytes ? exec_device_bytes - memory.used : 0;
}

int exec_register(void *address, size_t bytes)
{
    int error = exec_start();
    struct exec_allocation *one;

    if (error != EXEC_SUCCESS)
        return error;
    if (address == NULL || bytes == 0)
        return EXEC_INVALID_VALUE;
    if (find_live((uintptr_t)address) != NULL)
        return EXEC_ALREADY_REGISTERED;
    one = add(EXEC_REGISTERED, bytes);
    if (one == NULL)
        return EXEC_OUT_OF_MEMORY;
    one->address = (uintptr_t)address;
    if (launches_place(one->name, address, bytes, address) == NULL)
        return drop_last(EXEC_INVALID_VALUE);
    return EXEC_SUCCESS;
}

static void release(struct exec_allocation *one, const struct exec_site *site)
{
    guards_forget(one->address);
    launches_free((void *)(uintptr_t)one->address);
    if (one->kind == EXEC_HOST || one->kind == EXEC_MANAGED)
        munmap((void *)(uintptr_t)one->address, whole_pages(one->bytes));
    if (one->kind != EXEC_REGISTERED)
        memory.used -= one->bytes;
    one->is_freed = true;
    one->freed = *site;
}

int exec_unregister(void *address)
{
    struct exec_allocation *one = find_live((uintptr_t)address);
    const struct exec_site site = exec_site();

    if (one == NULL || one->kind != EXEC_REGISTERED || one->address != (uintptr_t)address)
        return EXEC_NOT_REGISTERED;
    run_all();
    release(one, &site);
    return EXEC_SUCCESS;
}

/* Reports an address that cannot be freed. */
static int wrong_free(const void *address, const struct exec_site *site)
{
    const struct exec_allocation *one = find_any((uintptr_t)address);
    char freed[256];

    if (exec_sticky() != EXEC_SUCCESS) /* The allocation may have failed before. */
        return exec_sticky();
    if (one == NULL)
        report("invalid-free", site, "%s() frees %p, which is not the address of an allocation",
               site->name, address);
    else if (one->is_freed)
        report("invalid-free", site, "%s() frees the memory of %s again; it was freed by %s",
               site->name, one->name, site_text(&one->freed, freed, sizeof freed));
    else
        report("invalid-free", site, "%s() frees %p, which is byte %" PRIu64 " of %s of %s",
               site->name, address, (uintptr_t)address - one->address, kind_words[one->kind],
               one->name);
    return EXEC_INVALID_VALUE;
}

static bool can_free(const struct exec_allocation *one, enum exec_memory kind, uint64_t address)
{
    return one != NULL && one->address == address && !one->is_variable &&
           (one->kind == kind || (kind == EXEC_DEVICE && one->kind == EXEC_MANAGED));
}

int exec_free(enum exec_memory kind, void *address)
{
    const struct exec_site site = exec_site();
    int error = exec_start();
    struct exec_allocation *one;

    if (error != EXEC_SUCCESS || address == NULL)
        return error;
    error = run_all();
    host_synchronize_all();
    one = find_live((uintptr_t)address);
    if (!can_free(one, kind, (uintptr_t)address))
        return wrong_free(address, &site);
    release(one, &site);
    return error;
}

int free_now(uint64_t address, const struct exec_site *site)
{
    struct exec_allocation *one = find_live(address);

    if (!can_free(one, EXEC_DEVICE, address))
        return wrong_free((void *)(uintptr_t)address, site);
    release(one, site);
    return EXEC_SUCCESS;
}

int exec_free_async(void *address, struct exec_stream *stream)
{
    struct work work = {.kind = WORK_FREE, .address = (uintptr_t)address};

    if (address == NULL)
        return EXEC_SUCCESS;
    if (find_live((uintptr_t)address) == NULL) {
        const struct exec_site site = exec_site();
        return wrong_free(address, &site);
    }
    return enqueue(stream, &work);
}

void memory_end(void)
{
    for (size_t k = 0; k < memory.count && options.checks_leaks; k++) {
        const struct exec_allocation *one = memory.all[k];
        if (!one->is_freed && !one->is_variable && one->kind != EXEC_REGISTERED)
            report("memory-leak", &one->made, "%zu bytes of %s are not freed at the end: %s",
                   one->bytes, kind_words[one->kind], one->name);
    }
}

void memory_forget(void)
{
    for (size_t k = 0; k < memory.count; k++)
        if (!memory.all[k]->is_freed && !memory.all[k]->is_variable)
            release(memory.all[k], &memory.all[k]->made);
}

/* ---- Copies ---- */

static bool is_device(const void *address)
{
    const struct exec_allocation *one = find_live((uintptr_t)address);

    return one != NULL && one->kind == EXEC_DEVICE;
}

/* Reports an address range of the GPU that cannot be accessed. Returns an error. */
static int wrong_range(enum memory_status status, const void *address, size_t bytes, bool writes,
                       const struct exec_site *site)
{
    const struct exec_allocation *one = find_any((uintptr_t)address);
    const char *verb = writes ? "writes" : "reads";
    char freed[256];

    if (status == MEMORY_FREED && one != NULL)
        report("use-after-free", site, "%s() %s the memory of %s, which was freed by %s",
               site->name, verb, one->name, site_text(&one->freed, freed, sizeof freed));
    else if (status == MEMORY_OUT_OF_BOUNDS && one != NULL)
        report(writes ? "out-of-bounds-write" : "out-of-bounds-read", site,
               "%s() %s %zu bytes from byte %" PRIu64 " of the %zu bytes of %s", site->name, verb,
               bytes, (uintptr_t)address - one->address, one->bytes, one->name);
    else
        report("invalid-call", site, "%s() %s %zu bytes at %p, which is not memory of the GPU",
               site->name, verb, bytes, address);
    return EXEC_INVALID_VALUE;
}

/* Copies a row. from_device, to_device: the address is one of the GPU, whether or not there is
 * memory. */
static int copy_row(char *to, const char *from, size_t bytes, bool to_device, bool from_device,
                    const struct exec_site *site)
{
    enum memory_status status;
    size_t unwritten;

    if (to_device && from_device) {
        struct launch_memory there;
        status = launches_copy(to, from, bytes);
        if (status == MEMORY_OK)
            return EXEC_SUCCESS;
        return launches_find(to, &there) != MEMORY_OK ||
                       (size_t)(to - (char *)there.start) + bytes > there.bytes
                   ? wrong_range(status, to, bytes, true, site)
                   : wrong_range(status, from, bytes, false, site);
    }
    if (to_device) {
        status = launches_copy_in(to, from, bytes);
        return status == MEMORY_OK ? EXEC_SUCCESS : wrong_range(status, to, bytes, true, site);
    }
    if (!from_device) {
        memmove(to, from, bytes);
        return EXEC_SUCCESS;
    }
    status = launches_copy_out(to, from, bytes, &unwritten);
    if (status == MEMORY_UNWRITTEN)
        report("uninitialized-read", site,
               "%s() copies byte %" PRIu64 " of the memory of %s, which nothing has written, or "
               "with a value that depends on unwritten memory",
               site->name, (uintptr_t)from + unwritten - find_live((uintptr_t)from)->address,
               find_live((uintptr_t)from)->name);
    return status == MEMORY_OK || status == MEMORY_UNWRITTEN
               ? EXEC_SUCCESS
               : wrong_range(status, from, bytes, false, site);
}

/* Returns whether a side of a copy is an address of the GPU: as the kind of the copy says, or as
 * the address says. */
static bool goes_to_device(const struct exec_box *box, int kind)
{
    return is_device(box->to) || ((kind == 1 || kind == 3) && exec_find(box->to) == NULL);
}

static bool comes_from_device(const struct exec_box *box, int kind)
{
    return is_device(box->from) || ((kind == 2 || kind == 3) && exec_find(box->from) == NULL);
}

/* Reports a copy whose kind contradicts its addresses. Kinds: see exec_copy(). */
static int check_kind(const struct exec_box *box, int kind)
{
    bool to_device = is_device(box->to), from_device = is_device(box->from);

    if (kind < 0 || kind > 4)
        return 21; /* cudaErrorInvalidMemcpyDirection */
    if (kind < 4 &&
        ((to_device && (kind == 0 || kind == 2)) || (from_device && (kind == 0 || kind == 1)))) {
        wrong_call("%s(): the direction of the copy does not fit the address %p, which is memory "
                   "of the GPU",
                   exec_site().name, to_device && (kind == 0 || kind == 2) ? box->to : box->from);
        return EXEC_INVALID_VALUE;
    }
    return EXEC_SUCCESS;
}

/* Copies with one row and one layer after the other; adjacent rows are one. */
static int copy_boxed(struct exec_box box, bool to_device, bool from_device,
                      const struct exec_site *site)
{
    if (box.width == box.to_pitch && box.width == box.from_pitch && box.depth == 1) {
        box.width *= box.height;
        box.height = 1;
    }
    for (size_t z = 0; z < box.depth; z++)
        for (size_t y = 0; y < box.height; y++) {
            int error = copy_row((char *)box.to + z * box.to_layer + y * box.to_pitch,
                                 (const char *)box.from + z * box.from_layer + y * box.from_pitch,
                                 box.width, to_device, from_device, site);
            if (error != EXEC_SUCCESS)
                return error;
        }
    return EXEC_SUCCESS;
}

int copy_now(const struct exec_box *box, int kind, const struct exec_site *site)
{
    return copy_boxed(*box, goes_to_device(box, kind), comes_from_device(box, kind), site);
}

/* Returns whether the program's own memory, which is not pinned, is a side of the copy. */
static bool is_pageable(const struct exec_box *box)
{
    return exec_find(box->to) == NULL || exec_find(box->from) == NULL;
}

int exec_copy(const struct exec_box *box, int kind, struct exec_stream *stream, bool is_blocking)
{
    struct work work = {.kind = WORK_COPY, .box = *box, .copy_kind = kind};
    int error = exec_start();

    if (error == EXEC_SUCCESS)
        error = exec_sticky();
    if (error != EXEC_SUCCESS || box->width == 0 || box->height == 0 || box->depth == 0)
        return error;
    if (box->to == NULL || box->from == NULL)
        return EXEC_INVALID_VALUE;
    error = check_kind(box, kind);
    if (error == EXEC_SUCCESS)
        error = enqueue(stream, &work);
    if (error != EXEC_SUCCESS || stream_captures(stream))
        return error;
    if (!is_blocking && !is_pageable(box))
        return EXEC_SUCCESS;
    error = run_all();
    if (is_blocking || exec_find(box->to) == NULL)
        host_synchronize(stream);
    return error;
}

/* ---- Fills ---- */

static int fill_row(const struct exec_fill *fill, char *to, const struct exec_site *site)
{
    enum memory_status status;
    char *row;

    if (fill->element_bytes == 1 && is_device(to)) {
        status = launches_fill(to, (int)(fill->value & 0xff), fill->width);
        return status == MEMORY_OK ? EXEC_SUCCESS
                                   : wrong_range(status, to, fill->width, true, site);
    }
    row = malloc(fill->width);
    if (row == NULL)
        return EXEC_OUT_OF_MEMORY;
    for (size_t at = 0; at < fill->width; at += fill->element_bytes)
        memcpy(row + at, &fill->value, fill->element_bytes);
    status = MEMORY_OK;
    if (exec_find(to) != NULL && !is_device(to))
        memcpy(to, row, fill->width);
    else
        status = launches_copy_in(to, row, fill->width);
    free(row);
    return status == MEMORY_OK ? EXEC_SUCCESS : wrong_range(status, to, fill->width, true, site);
}

int fill_now(const struct exec_fill *fill, const struct exec_site *site)
{
    struct exec_fill whole = *fill;

    if (whole.width == whole.pitch) {
        whole.width *= whole.height;
        whole.height = 1;
    }
    for (size_t y = 0; y < whole.height; y++) {
        int error = fill_row(&whole, (char *)whole.to + y * whole.pitch, site);
        if (error != EXEC_SUCCESS)
            return error;
    }
    return EXEC_SUCCESS;
}

int exec_fill(const struct exec_fill *fill, struct exec_stream *stream, bool is_blocking)
{
    struct work work = {.kind = WORK_FILL, .fill = *fill};
    int error = exec_start();

    if (error == EXEC_SUCCESS)
        error = exec_sticky();
    if (error != EXEC_SUCCESS || fill->width == 0 || fill->height == 0)
        return error;
    error = enqueue(stream, &work);
    if (error != EXEC_SUCCESS || !is_blocking || stream_captures(stream))
        return error;
    error = run_all();
    host_synchronize(stream);
    return error;
}
