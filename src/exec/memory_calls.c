/* SPDX-License-Identifier: MIT
 *
 * Allocations, copies and fills, as the program asks for them.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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
    int error = exec_start() ?: captures_forbid(NULL, CALL_UNSAFE);
    struct exec_allocation *one;

    if (error != EXEC_SUCCESS || exec_sticky() != EXEC_SUCCESS)
        return error != EXEC_SUCCESS ? error : exec_sticky();
    if (address == NULL)
        return EXEC_INVALID_VALUE;
    *address = NULL;
    if (bytes == 0)
        return EXEC_SUCCESS;
    one = allocation_add(kind, bytes);
    if (one == NULL)
        return EXEC_OUT_OF_MEMORY;
    *address = kind == EXEC_DEVICE ? launches_allocate(one->name, bytes, 1) : place_host(one);
    if (*address == NULL)
        return allocation_drop(EXEC_OUT_OF_MEMORY);
    one->address = (uintptr_t)*address;
    allocation_use(bytes);
    return EXEC_SUCCESS;
}

int exec_allocate_async(size_t bytes, void **address, struct exec_stream *stream)
{
    struct work work = {.kind = WORK_EMPTY};
    bool is_captured = stream_captures(stream);
    int error = is_captured ? graph_memory(bytes, &work.address)
                            : exec_allocate(EXEC_DEVICE, bytes, address);
    struct exec_allocation *one;

    if (is_captured && error == EXEC_SUCCESS) {
        work.kind = WORK_ALLOCATE;
        *address = (void *)(uintptr_t)work.address;
        return enqueue(stream, &work);
    }
    if (error != EXEC_SUCCESS || bytes == 0)
        return error;
    error = enqueue(stream, &work);
    one = allocation_live((uintptr_t)*address);
    if (error == EXEC_SUCCESS && one != NULL)
        one->serial = stream_last(stream), one->stream = stream_index(stream);
    return error;
}

int exec_register(void *address, size_t bytes)
{
    int error = exec_start() ?: captures_forbid(NULL, CALL_UNSAFE);
    struct exec_allocation *one;

    if (error != EXEC_SUCCESS || address == NULL || bytes == 0)
        return error ?: EXEC_INVALID_VALUE;
    if (allocation_live((uintptr_t)address) != NULL)
        return EXEC_ALREADY_REGISTERED;
    one = allocation_add(EXEC_REGISTERED, bytes);
    if (one == NULL)
        return EXEC_OUT_OF_MEMORY;
    one->address = (uintptr_t)address;
    if (launches_place(one->name, address, bytes, address) == NULL)
        return allocation_drop(EXEC_INVALID_VALUE);
    return EXEC_SUCCESS;
}

int exec_unregister(void *address)
{
    struct exec_allocation *one = allocation_live((uintptr_t)address);
    const struct exec_site site = exec_site();
    int error = captures_forbid(NULL, CALL_UNSAFE);

    if (error != EXEC_SUCCESS || one == NULL || one->kind != EXEC_REGISTERED ||
        one->address != (uintptr_t)address)
        return error ?: EXEC_NOT_REGISTERED;
    run_all();
    release(one, &site);
    return EXEC_SUCCESS;
}

int exec_free(enum exec_memory kind, void *address)
{
    const struct exec_site site = exec_site();
    int error = exec_start() ?: captures_forbid(NULL, CALL_UNSAFE);
    struct exec_allocation *one;

    if (error != EXEC_SUCCESS || address == NULL)
        return error;
    error = host_wait_all();
    one = allocation_live((uintptr_t)address);
    if (!can_free(one, kind, (uintptr_t)address))
        return wrong_free(address, &site);
    release(one, &site);
    return error;
}

/* Runs the queue if a graph in it may allocate the memory. */
static void await_graph(const void *address, struct exec_stream *stream)
{
    const struct exec_allocation *one = allocation_any((uintptr_t)address);

    if (one != NULL && one->is_of_graph && one->is_freed && !stream_captures(stream))
        run_all();
}

int exec_free_async(void *address, struct exec_stream *stream)
{
    struct work work = {.kind = WORK_FREE, .address = (uintptr_t)address};

    if (address == NULL)
        return EXEC_SUCCESS;
    await_graph(address, stream);
    if (allocation_live((uintptr_t)address) == NULL && !stream_captures(stream)) {
        const struct exec_site site = exec_site();
        return wrong_free(address, &site);
    }
    return enqueue(stream, &work);
}

static struct shadow {
    const char *host;
    size_t bytes;
} * shadows;
static size_t shadow_count;

void exec_add_shadow(const void *host, size_t bytes)
{
    shadows = realloc(shadows, (shadow_count + 1) * sizeof *shadows);
    if (shadows == NULL)
        abort();
    shadows[shadow_count++] = (struct shadow){host, bytes};
}

static bool is_shadow(const char *address)
{
    size_t k = 0;

    while (k < shadow_count &&
           (address < shadows[k].host || address >= shadows[k].host + shadows[k].bytes))
        k++;
    return k < shadow_count;
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

/* Reports rows that are longer than the distance between them. That of a single row may be 0. */
static int check_pitch(size_t width, size_t pitch, bool has_rows)
{
    if (width <= pitch || (pitch == 0 && !has_rows))
        return EXEC_SUCCESS;
    wrong_call("%s(): the width of a row is %zu bytes, but the pitch is %zu", exec_site().name,
               width, pitch);
    return has_rows ? 12 : EXEC_INVALID_VALUE; /* cudaErrorInvalidPitchValue */
}

/* Reports a copy with rows that overlap those that it reads. Rows of different pitches are not
 * compared. A copy to itself does no harm. */
static void check_overlap(const struct exec_box *box)
{
    size_t distance = (size_t)((uintptr_t)box->to > (uintptr_t)box->from
                                   ? (uintptr_t)box->to - (uintptr_t)box->from
                                   : (uintptr_t)box->from - (uintptr_t)box->to),
           pitch = box->height > 1 ? box->to_pitch : SIZE_MAX, rows = distance / pitch;

    if (distance == 0 || box->depth > 1 || (box->height > 1 && box->to_pitch != box->from_pitch) ||
        ((rows >= box->height || distance % pitch >= box->width) &&
         (rows + 1 >= box->height || pitch - distance % pitch >= box->width)))
        return;
    wrong_call("%s(): the memory that the copy writes overlaps that which it reads",
               exec_site().name);
}

/* Returns whether the program's own memory, which is not pinned, is a side of the copy. */
static bool is_pageable(const struct exec_box *box)
{
    return exec_find(box->to) == NULL || exec_find(box->from) == NULL;
}

/* Copies pageable memory at once, because the program may change it after the call. */
static void stage_source(struct work *work)
{
    struct exec_box *box = &work->box;
    size_t bytes = (box->height - 1) * box->from_pitch + box->width;

    if (box->depth > 1 || exec_find(box->from) != NULL || exec_find(box->to) == NULL ||
        work->copy_kind == 2 || work->copy_kind == 3 || (work->arguments = malloc(bytes)) == NULL)
        return;
    work->argument_bytes = bytes;
    box->from = memcpy(work->arguments, box->from, bytes);
}

int exec_copy(const struct exec_box *box, int kind, struct exec_stream *stream, bool is_blocking)
{
    struct work work = {.kind = WORK_COPY, .box = *box, .copy_kind = kind};
    int error = exec_start() ?: exec_sticky();

    if (error != EXEC_SUCCESS || box->width == 0 || box->height == 0 || box->depth == 0)
        return error;
    if (box->to == NULL || box->from == NULL) {
        wrong_call("%s() copies %s a null pointer", exec_site().name,
                   box->to == NULL ? "to" : "from");
        return EXEC_INVALID_VALUE;
    }
    /* CUDA C++ programming guide, "Device memory space specifiers" */
    if (is_shadow(box->to) || is_shadow(box->from))
        wrong_call("%s(): the address of a __device__ or __constant__ variable is not that of the "
                   "memory of the GPU: take it by cudaGetSymbolAddress()",
                   exec_site().name);
    await_graph(box->to, stream);
    await_graph(box->from, stream);
    /* CUDA runtime API, API synchronization behavior: the host waits for no copy on the GPU, and
     * for no fill of its memory. */
    is_blocking = is_blocking && !(is_device(box->to) && is_device(box->from));
    error = check_kind(box, kind)
                ?: check_pitch(box->width, box->to_pitch, box->height * box->depth > 1)
                ?: check_pitch(box->width, box->from_pitch, box->height * box->depth > 1);
    if (error == EXEC_SUCCESS)
        check_overlap(box);
    if (error == EXEC_SUCCESS && !is_blocking && !stream_captures(stream))
        stage_source(&work);
    if (error == EXEC_SUCCESS)
        error = enqueue(stream, &work);
    if (error != EXEC_SUCCESS || stream_captures(stream))
        return error;
    if (!is_blocking && (work.arguments != NULL || !is_pageable(box)))
        return EXEC_SUCCESS;
    return is_blocking || exec_find(box->to) == NULL ? host_wait(stream) : run_all();
}

int exec_fill(const struct exec_fill *fill, struct exec_stream *stream, bool is_blocking)
{
    struct work work = {.kind = WORK_FILL, .fill = *fill};
    int error = exec_start() ?: exec_sticky();

    if (error != EXEC_SUCCESS || fill->width == 0 || fill->height == 0)
        return error;
    if (fill->height > 1 && check_pitch(fill->width, fill->pitch, true) != EXEC_SUCCESS)
        return EXEC_INVALID_VALUE;
    error = enqueue(stream, &work);
    if (error != EXEC_SUCCESS || !is_blocking || is_device(fill->to) || stream_captures(stream))
        return error;
    return host_wait(stream);
}

uint64_t exec_graph_bytes(bool most)
{
    run_all();
    return graph_bytes(most);
}
