/* SPDX-License-Identifier: MIT */
#include "invocations.h"

#include "domains.h"

#include <string.h>

enum {
    MIN_INSTANCE = 64, /* block of the smallest instance of reduceCompleteUnroll */
    LOG_SPARE = 64,    /* log entries beyond the possible ones */
    MAX_PRINTED = 256, /* largest number of entries that is also printed */
};

static uint32_t log2_rounded_up(uint64_t n)
{
    uint32_t log2 = 0;
    while (UINT64_C(1) << log2 < n)
        log2++;
    return log2;
}

/* Counts the additions of a thread's elements one after the other, then of pairs. */
uint32_t height_of_block(const struct variant *variant, const struct shape *shape)
{
    return variant->elements_per_thread - 1 + log2_rounded_up(shape->block.x);
}

uint32_t height_of_all(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return log2_rounded_up(shape->size[0]);
}

static uint32_t quotient_rounded_up(uint64_t n, uint64_t divisor)
{
    return (uint32_t)((n + divisor - 1) / divisor);
}

static uint32_t at_least_one(uint32_t blocks)
{
    return blocks == 0 ? 1 : blocks;
}

static void invoke_with_grid(const struct variant *variant, const struct shape *shape,
                             uint32_t blocks, struct invocation *out)
{
    enum element element = variant->element;
    uint64_t n = shape->size[0];

    *out = (struct invocation){
        .kernel = variant->kernel,
        .grid = {blocks, 1, 1},
        .block = shape->block,
        .buffer_count = 2,
        .buffers = {{.name = "in", .role = ROLE_INOUT, .element = element, .count = n},
                    {.name = "out", .role = ROLE_OUTPUT, .element = element, .count = blocks}},
        .argument_count = 3,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_VALUE, (uint32_t)n}},
    };
}

void invoke_reduction(const struct variant *variant, const struct shape *shape,
                      struct invocation *out)
{
    uint32_t blocks =
        quotient_rounded_up(shape->size[0], shape->block.x) / variant->elements_per_thread;
    invoke_with_grid(variant, shape, blocks, out);
}

void invoke_reduction_corrected(const struct variant *variant, const struct shape *shape,
                                struct invocation *out)
{
    uint64_t segment = (uint64_t)variant->elements_per_thread * shape->block.x;
    uint32_t blocks = quotient_rounded_up(shape->size[0], segment);
    invoke_with_grid(variant, shape, at_least_one(blocks) + shape->surplus, out);
}

/* Called as (in, out): the kernel does not know n. The host pads the input with zeros to whole
 * blocks, and the kernel only reads it. With a block larger than its shared array, the kernel
 * accesses up to twice a block's threads past the array. This is outside its domain; only there, a
 * GPU has extra memory. */
void invoke_padded(const struct variant *variant, const struct shape *shape, struct invocation *out)
{
    struct buffer *in = &out->buffers[0];

    invoke_reduction(variant, shape, out);
    out->argument_count = 2;
    in->role = ROLE_INPUT;
    in->padding = (uint64_t)out->grid.x * shape->block.x - in->count;
    in->count += in->padding;
    if (variant_violations(variant, shape) != 0)
        out->shared_slack = 2 * SIMT_BLOCK_THREADS * (uint32_t)element_size(variant->element);
}

void invoke_shared_corrected(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    invoke_reduction_corrected(variant, shape, out);
    out->buffers[0].role = ROLE_INPUT;
}

/* Called as (in, out, n, state). The blocks count themselves in `state` and add one sum for
 * `out`. */
static void invoke_one_pass(struct invocation *out)
{
    out->buffers[0].role = ROLE_INPUT;
    out->buffers[1].count = 1;
    out->arguments[out->argument_count++] = (struct argument){ARGUMENT_BUFFER, out->buffer_count};
    out->buffers[out->buffer_count++] =
        (struct buffer){.name = "state", .role = ROLE_LOG, .element = ELEMENT_I64, .count = 1};
}

void invoke_modern_corrected(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    invoke_reduction_corrected(variant, shape, out);
    invoke_one_pass(out);
}

/* Launches as many blocks as the data needs: none for no data. */
void invoke_modern(const struct variant *variant, const struct shape *shape, struct invocation *out)
{
    invoke_modern_corrected(variant, shape, out);
    if (shape->size[0] == 0)
        out->grid.x = 0;
}

/* Launches one thread for every n. */
void invoke_one_thread(const struct variant *variant, const struct shape *shape,
                       struct invocation *out)
{
    invoke_with_grid(variant, shape, 1, out);
}

/* Launches ceil(nx/Bx) by ceil(ny/By) blocks. */
void invoke_matrix(const struct variant *variant, const struct shape *shape, struct invocation *out)
{
    enum element element = variant->element;
    uint64_t n = shape_elements(shape);

    *out = (struct invocation){
        .kernel = variant->kernel,
        .grid = {quotient_rounded_up(shape->size[0], shape->block.x),
                 quotient_rounded_up(shape->size[1], shape->block.y), 1},
        .block = shape->block,
        .buffer_count = 3,
        .buffers = {{.name = "A", .role = ROLE_INPUT, .element = element, .count = n},
                    {.name = "B", .role = ROLE_INPUT, .element = element, .count = n, .first = n},
                    {.name = "C", .role = ROLE_OUTPUT, .element = element, .count = n}},
        .argument_count = 5,
        .arguments = {{ARGUMENT_BUFFER, 0},
                      {ARGUMENT_BUFFER, 1},
                      {ARGUMENT_BUFFER, 2},
                      {ARGUMENT_VALUE, (uint32_t)shape->size[0]},
                      {ARGUMENT_VALUE, (uint32_t)shape->size[1]}},
    };
}

void invoke_matrix_corrected(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    invoke_matrix(variant, shape, out);
    out->grid.x = at_least_one(out->grid.x) + shape->surplus;
    out->grid.y = at_least_one(out->grid.y <= SIMT_GRID_ROWS ? out->grid.y : SIMT_GRID_ROWS);
}

/* `outputs` arrays of n elements and no input, one thread for each element. */
void invoke_map(const struct variant *variant, const struct shape *shape, struct invocation *out)
{
    static const char *const names[][3] = {{"c"}, {"number", "warp", "lane"}};
    bool is_warp_map = variant->contract == CONTRACT_WARP_MAP;
    uint32_t outputs = is_warp_map ? 3 : 1;
    uint64_t n = shape->size[0];

    *out = (struct invocation){
        .kernel = variant->kernel,
        .grid = {quotient_rounded_up(n, shape_threads(shape)), 1, 1},
        .block = shape->block,
        .buffer_count = outputs,
        .argument_count = outputs,
    };
    for (uint32_t k = 0; k < outputs; k++) {
        out->buffers[k] = (struct buffer){.name = names[is_warp_map][k],
                                          .role = ROLE_OUTPUT,
                                          .element = variant->element,
                                          .count = n};
        out->arguments[k] = (struct argument){ARGUMENT_BUFFER, k};
    }
}

void invoke_map_corrected(const struct variant *variant, const struct shape *shape,
                          struct invocation *out)
{
    invoke_map(variant, shape, out);
    out->grid.x = at_least_one(out->grid.x) + shape->surplus;
    out->arguments[out->argument_count++] =
        (struct argument){ARGUMENT_VALUE, (uint32_t)shape->size[0]};
}

static void add_store_count(const struct variant *variant, struct invocation *out)
{
    out->arguments[out->argument_count++] = (struct argument){ARGUMENT_VALUE, variant->stores};
}

/* Called as (c, n, stores). */
void invoke_loop(const struct variant *variant, const struct shape *shape, struct invocation *out)
{
    invoke_map_corrected(variant, shape, out);
    out->grid.x = quotient_rounded_up(shape->size[0], shape->block.x);
    add_store_count(variant, out);
}

void invoke_loop_corrected(const struct variant *variant, const struct shape *shape,
                           struct invocation *out)
{
    invoke_map_corrected(variant, shape, out);
    add_store_count(variant, out);
}

/* Called as (c, n, stores, ways). */
void invoke_ways(const struct variant *variant, const struct shape *shape, struct invocation *out)
{
    if (variant->kind == VARIANT_CORRECTED)
        invoke_loop_corrected(variant, shape, out);
    else
        invoke_loop(variant, shape, out);
    out->arguments[out->argument_count++] =
        (struct argument){ARGUMENT_VALUE, (uint32_t)shape->size[1]};
}

/* ---- Kernels that launch ---- */

/* Launches G blocks of B threads with a log. The kernel takes the log and `print` after its
 * `scalars`. */
static void invoke_hello(const struct variant *variant, const struct shape *shape, uint64_t entries,
                         const uint32_t *scalars, uint32_t scalar_count, struct invocation *out)
{
    bool prints = entries <= MAX_PRINTED;

    *out = (struct invocation){
        .kernel = variant->kernel,
        .grid = {(uint32_t)shape->size[0], 1, 1},
        .block = shape->block,
        .launches = true,
        .prints = prints,
        .buffer_count = 1,
        .buffers = {{.name = "log",
                     .role = ROLE_LOG,
                     .element = ELEMENT_I32,
                     .count = 1 + entries + LOG_SPARE}},
        .argument_count = scalar_count + 2,
    };
    for (uint32_t k = 0; k < scalar_count; k++)
        out->arguments[k] = (struct argument){ARGUMENT_VALUE, scalars[k]};
    out->arguments[scalar_count] = (struct argument){ARGUMENT_BUFFER, 0};
    out->arguments[scalar_count + 1] = (struct argument){ARGUMENT_VALUE, prints};
    if (variant->kind == VARIANT_CORRECTED)
        out->grid.x = at_least_one(out->grid.x) + shape->surplus;
}

/* Returns the maximum of log entries of a chain of grids: each thread of the host's grid, each
 * thread of the child grids and each launch, for each block. A corrected kernel limits a block to
 * 1024 threads. An original one with a larger half fails at its first launch. */
static uint64_t entries_of_halves(const struct shape *shape, uint32_t deepest)
{
    uint64_t entries = shape->block.x, size = shape->size[1];

    for (uint32_t depth = 1; size > 1 && depth <= deepest; depth++) {
        size /= 2;
        entries += 1 + (size < SIMT_BLOCK_THREADS ? size : SIMT_BLOCK_THREADS);
    }
    return shape->size[0] * entries;
}

/* Called as (S, depth, log, print). The depth limit follows the depth if there is one. For the
 * corrected variants the blocks follow it. */
void invoke_hello_halves(const struct variant *variant, const struct shape *shape,
                         struct invocation *out)
{
    bool limited = variant->launches == LAUNCHES_HALVES_LIMITED,
         total = variant->kind == VARIANT_CORRECTED;
    uint32_t size = (uint32_t)shape->size[1], blocks = (uint32_t)shape->size[0], count = 2;
    uint32_t scalars[4] = {size, 0}, deepest = limited ? shape->depth : UINT32_MAX;

    if (limited || (total && variant->contract != CONTRACT_HELLO_NESTED))
        scalars[count++] = deepest;
    if (total)
        scalars[count++] = blocks;
    invoke_hello(variant, shape, entries_of_halves(shape, deepest), scalars, count, out);
}

void invoke_hello_new(const struct variant *variant, const struct shape *shape,
                      struct invocation *out)
{
    uint32_t blocks = (uint32_t)shape->size[0];
    const uint32_t scalars[] = {blocks * shape->block.x, blocks, 0};
    uint64_t entries = (2 * (uint64_t)blocks + 33) * (shape->block.x + 1);

    invoke_hello(variant, shape, entries, scalars, 3, out);
}

void invoke_hello_tree(const struct variant *variant, const struct shape *shape,
                       struct invocation *out)
{
    const uint32_t scalars[] = {0, shape->depth, (uint32_t)shape->size[0]};

    invoke_hello(variant, shape, shape->size[0] << shape->depth, scalars,
                 variant->kind == VARIANT_CORRECTED ? 3 : 2, out);
}

/* Original: <<<n/B, B>>>(in, out, B), by integer division. Corrected: (in, out, B, n), with blocks
 * for all of n. */
void invoke_recursive(const struct variant *variant, const struct shape *shape,
                      struct invocation *out)
{
    uint32_t blocks = (uint32_t)(shape->size[0] / shape->block.x);

    invoke_with_grid(variant, shape, blocks, out);
    out->arguments[2].value = shape->block.x;
    out->launches = true;
}

void invoke_recursive_corrected(const struct variant *variant, const struct shape *shape,
                                struct invocation *out)
{
    invoke_reduction_corrected(variant, shape, out);
    out->arguments[2].value = shape->block.x;
    out->arguments[out->argument_count++] =
        (struct argument){ARGUMENT_VALUE, (uint32_t)shape->size[0]};
    out->launches = true;
}

/* <<<n/B, B/2>>>(in, out, B/2, B). */
void invoke_recursive2(const struct variant *variant, const struct shape *shape,
                       struct invocation *out)
{
    invoke_recursive(variant, shape, out);
    out->block.x = shape->block.x / 2;
    out->arguments[2].value = shape->block.x / 2;
    out->arguments[out->argument_count++] = (struct argument){ARGUMENT_VALUE, shape->block.x};
}

/* (in, out, B, B, n), with half as many threads as elements. */
void invoke_recursive2_corrected(const struct variant *variant, const struct shape *shape,
                                 struct invocation *out)
{
    invoke_recursive_corrected(variant, shape, out);
    out->block.x = (shape->block.x + 1) / 2;
    out->arguments[4] = out->arguments[3];
    out->arguments[3] = out->arguments[2];
    out->argument_count++;
}

#define INSTANCES(name)                                                                            \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            name "64", name "128", name "256", name "512", name "1024"                             \
        }                                                                                          \
    }

enum { COMPLETE_INSTANCES = 5 };

static const struct {
    const char *kernel;
    const char *instances[COMPLETE_INSTANCES];
} complete_kernels[] = {
    INSTANCES("reduceCompleteUnroll"),
    INSTANCES("reduceCompleteUnrollPlain"),
    INSTANCES("reduceCompleteUnrollSyncwarp"),
    INSTANCES("reduceCompleteUnrollCorrected"),
    INSTANCES("reduceCompleteUnrollSyncwarpCorrected"),
};

/* Returns the name of the smallest instance that covers the block; for a kernel in no row above,
 * its own name. */
static const char *complete_instance(const struct variant *variant, uint32_t block)
{
    enum { KERNELS = sizeof complete_kernels / sizeof *complete_kernels };
    size_t kernel = 0, k = 0;

    while (kernel < KERNELS && strcmp(complete_kernels[kernel].kernel, variant->kernel) != 0)
        kernel++;
    for (uint32_t cover = MIN_INSTANCE; cover < block; cover *= 2)
        k++;
    return kernel < KERNELS ? complete_kernels[kernel].instances[k] : variant->kernel;
}

/* Selects as the textbook's host code does: a switch over the instances, without a default. */
void invoke_complete_unroll(const struct variant *variant, const struct shape *shape,
                            struct invocation *out)
{
    invoke_reduction(variant, shape, out);
    out->kernel =
        block_has_an_instance(variant, shape) ? complete_instance(variant, shape->block.x) : NULL;
}

void invoke_complete_unroll_corrected(const struct variant *variant, const struct shape *shape,
                                      struct invocation *out)
{
    invoke_reduction_corrected(variant, shape, out);
    out->kernel = complete_instance(variant, shape->block.x);
}
