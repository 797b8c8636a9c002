/* SPDX-License-Identifier: MIT
 *
 * What copies, fills and frees do when they run.
 */
#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void release(struct exec_allocation *one, const struct exec_site *site)
{
    guards_forget(one->address);
    launches_free((void *)(uintptr_t)one->address);
    if (one->kind == EXEC_HOST || one->kind == EXEC_MANAGED)
        munmap((void *)(uintptr_t)one->address, whole_pages(one->bytes));
    allocation_end(one, site);
}

void variable_remove(uint64_t address)
{
    struct exec_allocation *one = allocation_live(address);

    if (one == NULL || !one->is_variable)
        return;
    guards_forget(address);
    allocation_end(one, &one->made);
}

void memory_forget(void)
{
    struct exec_allocation *one;

    for (size_t k = 0; (one = allocation_at(k)) != NULL; k++)
        if (!one->is_freed && !one->is_variable)
            release(one, &one->made);
}

int wrong_free(const void *address, const struct exec_site *site)
{
    const struct exec_allocation *one = allocation_any((uintptr_t)address);
    char freed[256];

    if (exec_sticky() != EXEC_SUCCESS) /* The allocation may have failed before. */
        return exec_sticky();
    if (one == NULL)
        report("invalid-free", site, "%s() frees %p, which is not the address of an allocation",
               site->name, address);
    else if (one->is_freed)
        report("invalid-free", site, "%s() frees %s again; it was freed by %s", site->name,
               one->name, site_text(&one->freed, freed, sizeof freed));
    else
        report("invalid-free", site, "%s() frees %p, which is byte %" PRIu64 " of %s, in %s",
               site->name, address, (uintptr_t)address - one->address, one->name,
               allocation_words[one->kind]);
    return EXEC_INVALID_VALUE;
}

bool can_free(const struct exec_allocation *one, enum exec_memory kind, uint64_t address)
{
    return one != NULL && one->address == address && !one->is_variable &&
           (one->kind == kind || (kind == EXEC_DEVICE && one->kind == EXEC_MANAGED));
}

int free_now(uint64_t address, const struct exec_site *site)
{
    struct exec_allocation *one = allocation_live(address);

    if (!can_free(one, EXEC_DEVICE, address))
        return wrong_free((void *)(uintptr_t)address, site);
    release(one, site);
    return EXEC_SUCCESS;
}

/* ---- Memory of graphs ---- */

int graph_memory(size_t bytes, uint64_t *address)
{
    /* No other memory gets the address. */
    void *place = mmap(NULL, whole_pages(bytes), PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct exec_allocation *one = place != MAP_FAILED ? allocation_add(EXEC_DEVICE, bytes) : NULL;

    if (one == NULL)
        return bytes == 0 ? EXEC_INVALID_VALUE : EXEC_OUT_OF_MEMORY;
    one->address = *address = (uintptr_t)place;
    one->is_of_graph = one->is_freed = true;
    one->freed = one->made;
    return EXEC_SUCCESS;
}

uint64_t graph_bytes(bool most)
{
    static uint64_t highest;
    const struct exec_allocation *one;
    uint64_t bytes = 0;

    for (size_t k = 0; (one = allocation_at(k)) != NULL; k++)
        bytes += one->is_of_graph && !one->is_freed ? one->bytes : 0;
    highest = bytes > highest ? bytes : highest;
    return most ? highest : bytes;
}

int allocate_now(const struct work *work)
{
    struct exec_allocation *one = allocation_any(work->address);

    if (!one->is_freed && !work->frees_first) {
        report("invalid-call", &work->site,
               "the graph allocates %s again, which was not freed since its last launch",
               one->name);
        return EXEC_INVALID_VALUE;
    }
    if (!one->is_freed)
        release(one, &work->site);
    if (launches_place(one->name, (void *)(uintptr_t)work->address, one->bytes, NULL) == NULL)
        return EXEC_OUT_OF_MEMORY;
    one->is_freed = false;
    allocation_use(one->bytes);
    graph_bytes(true);
    return EXEC_SUCCESS;
}

/* ---- Copies ---- */

bool is_device(const void *address)
{
    const struct exec_allocation *one = allocation_live((uintptr_t)address);

    return one != NULL && one->kind == EXEC_DEVICE;
}

bool was_device(const void *address)
{
    const struct exec_allocation *one = allocation_any((uintptr_t)address);

    return one != NULL && one->kind == EXEC_DEVICE;
}

/* Reports an address range of the GPU that cannot be accessed. Returns an error. */
static int wrong_range(enum memory_status status, const void *address, size_t bytes, bool writes,
                       const struct exec_site *site)
{
    const struct exec_allocation *one = allocation_any((uintptr_t)address);
    const char *verb = writes ? "writes" : "reads";
    char freed[256];

    if (status == MEMORY_FREED && one != NULL)
        report("use-after-free", site, "%s() %s %s, which was freed by %s", site->name, verb,
               one->name, site_text(&one->freed, freed, sizeof freed));
    else if (status == MEMORY_OUT_OF_BOUNDS && one != NULL)
        report(writes ? "out-of-bounds-write" : "out-of-bounds-read", site,
               "%s() %s %zu bytes from byte %" PRIu64 " of the %zu bytes of %s", site->name, verb,
               bytes, (uintptr_t)address - one->address, one->bytes, one->name);
    else
        report("invalid-call", site, "%s() %s %zu bytes at %p, which is not memory of the GPU",
               site->name, verb, bytes, address);
    return EXEC_INVALID_VALUE;
}

/* Reports a range that begins in pinned or managed memory and ends behind it. Registered memory has
 * other memory behind it. */
static bool ends_outside(const void *address, size_t bytes, bool writes,
                         const struct exec_site *site)
{
    const struct exec_allocation *one = exec_find(address);

    if (one == NULL || (one->kind != EXEC_HOST && one->kind != EXEC_MANAGED) ||
        (uintptr_t)address - one->address + bytes <= one->bytes)
        return false;
    (void)wrong_range(MEMORY_OUT_OF_BOUNDS, address, bytes, writes, site);
    return true;
}

/* Reports memory that malloc() of a kernel has allocated: CUDA C++ Programming Guide, Dynamic
 * Global Memory Allocation and Operations. */
static bool is_of_kernel(const void *address, const struct exec_site *site)
{
    struct launch_memory there;

    if (allocation_any((uintptr_t)address) != NULL || launches_find(address, &there) != MEMORY_OK)
        return false;
    report("invalid-call", site,
           "%s() cannot access %p, which is memory that a kernel has allocated", site->name,
           address);
    return true;
}

/* Copies a row. from_device, to_device: the address is one of the GPU, whether or not there is
 * memory. */
static int copy_row(char *to, const char *from, size_t bytes, bool to_device, bool from_device,
                    const struct exec_site *site)
{
    enum memory_status status;
    size_t unwritten;

    if (ends_outside(to, bytes, true, site) || ends_outside(from, bytes, false, site) ||
        (to_device && is_of_kernel(to, site)) || (from_device && is_of_kernel(from, site)))
        return EXEC_INVALID_VALUE;
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
               "%s() copies byte %" PRIu64 " of %s, which nothing has written, or "
               "with a value that depends on unwritten memory",
               site->name, (uintptr_t)from + unwritten - allocation_live((uintptr_t)from)->address,
               allocation_live((uintptr_t)from)->name);
    return status == MEMORY_OK || status == MEMORY_UNWRITTEN
               ? EXEC_SUCCESS
               : wrong_range(status, from, bytes, false, site);
}

/* Returns whether a side of a copy is an address of the GPU: as the kind of the copy says, or as
 * the address says. */
static bool goes_to_device(const struct exec_box *box, int kind)
{
    return was_device(box->to) || ((kind == 1 || kind == 3) && exec_find(box->to) == NULL);
}

static bool comes_from_device(const struct exec_box *box, int kind)
{
    return was_device(box->from) || ((kind == 2 || kind == 3) && exec_find(box->from) == NULL);
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

/* ---- Fills ---- */

static int fill_row(const struct exec_fill *fill, char *to, const struct exec_site *site)
{
    enum memory_status status;
    char *row;

    if (ends_outside(to, fill->width, true, site))
        return EXEC_INVALID_VALUE;
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
