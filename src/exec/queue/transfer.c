/* SPDX-License-Identifier: MIT
 *
 * Copies and fills that run at the same time as other work. They run as kernels in the simulator,
 * so that it finds races with them.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, MAX_BYTES = 64 << 20 };

/* Each thread copies or fills one element, of 1 or 4 bytes. */
#define KERNEL(name, first, scale, body)                                                           \
    ".visible .entry " name "(.param .u64 to, .param ." first " from, .param .u64 count)\n"        \
    "{\n"                                                                                          \
    "    .reg .u64 %rd<8>;\n"                                                                      \
    "    .reg .u32 %r<8>;\n"                                                                       \
    "    .reg .pred %p;\n"                                                                         \
    "    ld.param.u64 %rd1, [to];\n"                                                               \
    "    ld.param.u64 %rd3, [count];\n"                                                            \
    "    mov.u32 %r1, %ctaid.x;\n"                                                                 \
    "    mov.u32 %r2, %tid.x;\n"                                                                   \
    "    mul.wide.u32 %rd4, %r1, 256;\n"                                                           \
    "    cvt.u64.u32 %rd5, %r2;\n"                                                                 \
    "    add.u64 %rd4, %rd4, %rd5;\n"                                                              \
    "    setp.ge.u64 %p, %rd4, %rd3;\n"                                                            \
    "    @%p bra end;\n"                                                                           \
    "    mul.lo.u64 %rd4, %rd4, " scale ";\n"                                                      \
    "    add.u64 %rd6, %rd1, %rd4;\n" body "end:\n"                                                \
    "    ret;\n"                                                                                   \
    "}\n"
#define COPY(type)                                                                                 \
    "    ld.param.u64 %rd2, [from];\n"                                                             \
    "    add.u64 %rd7, %rd2, %rd4;\n"                                                              \
    "    ld.global." type " %r3, [%rd7];\n"                                                        \
    "    st.global." type " [%rd6], %r3;\n"
#define FILL(type)                                                                                 \
    "    ld.param.u32 %r3, [from];\n"                                                              \
    "    st.global." type " [%rd6], %r3;\n"

static const char ptx[] = ".version 7.8\n.target sm_90\n.address_size 64\n" KERNEL(
    "simtcheck_copy1", "u64", "1", COPY("u8")) KERNEL("simtcheck_copy4", "u64", "4", COPY("u32"))
    KERNEL("simtcheck_fill1", "u32", "1", FILL("u8"))
        KERNEL("simtcheck_fill4", "u32", "4", FILL("u32"));

static const struct launch_kernel *find_kernel(const char *name)
{
    static struct launch_module *module;
    char reason[256];

    if (module == NULL)
        module = launches_load(&(struct launch_text){"copies", ptx, sizeof ptx - 1}, 1, reason,
                               sizeof reason);
    return module != NULL ? launches_kernel(module, name) : NULL;
}

/* Returns whether the simulator knows the memory there. */
static bool is_known(const void *address, size_t bytes)
{
    const struct exec_allocation *one = exec_find(address);

    return one != NULL && (uintptr_t)address - one->address + bytes <= one->bytes;
}

/* Returns whether it is memory that the host alone knows: none of the GPU, freed or not, and none
 * that a kernel allocated. */
static bool is_pageable(const void *address)
{
    struct launch_memory there;

    return exec_find(address) == NULL && !was_device(address) &&
           launches_find(address, &there) != MEMORY_OK;
}

/* Places a copy of pageable memory for the simulator. */
static void *stage(const void *from, size_t bytes)
{
    void *staged = malloc(bytes);

    if (staged != NULL && from != NULL)
        memcpy(staged, from, bytes);
    if (staged != NULL && launches_place("pageable memory", staged, bytes, staged) == NULL) {
        free(staged);
        return NULL;
    }
    return staged;
}

/* Returns false. */
static bool leave_out(const struct work *work)
{
    report_remark("races of copies and fills of separate rows, of more than 64 MiB or with values "
                  "of 2 bytes are not found",
                  &work->site);
    return false;
}

static bool make_copy(const struct work *work, struct transfer *made)
{
    const struct exec_box *box = &work->box;
    bool is_flat =
        box->depth == 1 &&
        (box->height == 1 || (box->width == box->to_pitch && box->width == box->from_pitch));
    void *to = box->to;
    const void *from = box->from;

    made->bytes = box->width * box->height;
    if (!is_flat || made->bytes > MAX_BYTES)
        return leave_out(work);
    if (!is_known(from, made->bytes) && is_known(to, made->bytes) && is_pageable(from))
        from = made->staged = stage(from, made->bytes);
    else if (!is_known(to, made->bytes) && is_known(from, made->bytes) && is_pageable(to)) {
        to = made->staged = stage(NULL, made->bytes);
        made->destination = box->to;
    } else if (!is_known(to, made->bytes) || !is_known(from, made->bytes)) {
        return false;
    }
    if (to == NULL || from == NULL)
        return false;
    made->to = (uintptr_t)to;
    made->from = (uintptr_t)from;
    made->element_bytes = (made->to | made->from | made->bytes) % 4 == 0 ? 4 : 1;
    return true;
}

static bool make_fill(const struct work *work, struct transfer *made)
{
    const struct exec_fill *fill = &work->fill;
    bool is_flat = fill->height == 1 || fill->width == fill->pitch;

    made->bytes = fill->width * fill->height;
    made->to = (uintptr_t)fill->to;
    made->from = fill->value;
    if (!is_flat || made->bytes > MAX_BYTES || fill->element_bytes == 2)
        return leave_out(work);
    if (!is_known(fill->to, made->bytes))
        return false;
    made->element_bytes = fill->element_bytes;
    if (fill->element_bytes == 1 && (made->to | made->bytes) % 4 == 0) {
        made->element_bytes = 4;
        made->from = (fill->value & 0xff) * 0x01010101U;
    }
    return true;
}

bool transfer_make(const struct work *work, struct transfer *made)
{
    static const char *const names[2][2] = {{"simtcheck_copy1", "simtcheck_copy4"},
                                            {"simtcheck_fill1", "simtcheck_fill4"}};
    bool fills = work->kind == WORK_FILL;

    *made = (struct transfer){.bytes = 0};
    if ((!fills && work->kind != WORK_COPY) ||
        !(fills ? make_fill(work, made) : make_copy(work, made)))
        return false;
    made->count = made->bytes / made->element_bytes;
    made->kernel = find_kernel(names[fills][made->element_bytes == 4]);
    made->blocks = (uint32_t)((made->count + THREADS - 1) / THREADS);
    return made->kernel != NULL;
}

struct launch transfer_launch(struct transfer *transfer)
{
    transfer->arguments[0] = &transfer->to;
    transfer->arguments[1] = &transfer->from;
    transfer->arguments[2] = &transfer->count;
    return (struct launch){
        .kernel = transfer->kernel,
        .grid = {transfer->blocks, 1, 1},
        .block = {THREADS, 1, 1},
        .arguments = transfer->arguments,
        .is_copy = true,
    };
}

/* The source decides, because its stores tell what may be padding. */
void transfer_complete(struct transfer *transfer, const struct work *work)
{
    const struct exec_allocation *to = work->kind == WORK_COPY ? exec_find(work->box.to) : NULL;
    char *bytes;

    if (transfer->destination == NULL && (to == NULL || to->kind != EXEC_HOST))
        return;
    bytes = malloc(transfer->bytes);
    transfer->is_unwritten =
        bytes != NULL &&
        launches_copy_out(bytes, work->box.from, transfer->bytes, NULL) == MEMORY_UNWRITTEN;
    free(bytes);
}

void transfer_end(struct transfer *transfer, const struct work *work)
{
    if (transfer->destination != NULL)
        launches_copy_out(transfer->destination, transfer->staged, transfer->bytes, NULL);
    if (transfer->is_unwritten)
        report("uninitialized-read", &work->site,
               "%s() copies memory that nothing has written, or with a value that depends on "
               "unwritten memory",
               work->site.name);
    if (transfer->staged != NULL) {
        launches_free(transfer->staged);
        free(transfer->staged);
    }
}
