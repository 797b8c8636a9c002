/* SPDX-License-Identifier: MIT
 *
 * Tensor copies in PTX: cp.async.bulk.tensor and its reductions. Each byte is compared with the
 * model of boxes.
 */
#include "check.h"

#include "copy_run.h"
#include "reductions.h"
#include "tensor_model.h"

enum { DRAWS = 3, MODEL_BYTES = 1 << 17 };

static unsigned char expected[ARRAY_BYTES];
static uint64_t model[MODEL_BYTES]; /* by byte of the tile */

/* ---- Cases ---- */

struct kind {
    uint32_t rank, swizzle;
    bool is_im2col, is_store;
};

struct copy_case {
    struct tensor_map map;
    struct tensor_box box;
    uint32_t start; /* of the box in the tile */
};

/* Gives each element of the tensor a place of its own. */
static void separate_elements(struct tensor_map *map)
{
    uint64_t bytes = map->sizes[0] * tensor_type_bytes(map->type);

    for (uint32_t d = 0; d + 1 < map->rank; d++) {
        map->strides[d] = (bytes + 15) / 16 * 16 + 16 * draw(2);
        bytes = map->strides[d] * map->sizes[d + 1];
    }
}

static bool fits(void)
{
    for (uint32_t k = 0; k < MODEL_BYTES; k++)
        if (model[k] != 0 && (k >= TILE_BYTES || model[k] >= MODEL_BASE + ARRAY_BYTES))
            return false;
    return true;
}

static void draw_case(const struct kind *kind, struct copy_case *drawn)
{
    struct tensor_map *map = &drawn->map;

    do {
        do
            draw_map(map);
        while (map->rank != kind->rank || map->swizzle != kind->swizzle ||
               map->is_im2col != kind->is_im2col);
        map->buffer = kind->is_store;
        map->is_nan_fill = draw(2) == 1 && map->type >= TENSOR_F16 && map->type <= TENSOR_F32_FTZ;
        drawn->box = (struct tensor_box){.is_store = kind->is_store};
        drawn->start = 128 * draw(8);
        draw_place(map, &drawn->box);
        if (kind->is_store)
            separate_elements(map);
        for (uint32_t d = 0; kind->is_store && d < map->rank; d++)
            drawn->box.at[d] = abs(drawn->box.at[d]);
        if (kind->is_store)
            memset(drawn->box.offsets, 0, sizeof drawn->box.offsets);
        memset(model, 0, sizeof model);
        model_box(map, &drawn->box, drawn->start, model);
    } while (!fits());
}

static struct copy_run run_of(const struct copy_case *drawn, const char *body)
{
    struct copy_run run = {.body = body, .map = &drawn->map};

    for (uint32_t d = 0; d < TENSOR_RANK; d++)
        run.numbers[d] = (uint32_t)drawn->box.at[d];
    for (uint32_t d = 0; d < TENSOR_RANK - 2; d++)
        run.numbers[5 + d] = (uint32_t)drawn->box.offsets[d];
    run.numbers[8] = drawn->start;
    return run;
}

/* ---- PTX ---- */

/* Returns "[%map, {%n0, %n1}]" for a rank of 2. */
static const char *tensor(uint32_t rank)
{
    static const char *const operands[] = {
        "[%map, {%n0}]", "[%map, {%n0, %n1}]", "[%map, {%n0, %n1, %n2}]",
        "[%map, {%n0, %n1, %n2, %n3}]", "[%map, {%n0, %n1, %n2, %n3, %n4}]"};

    return operands[rank - 1];
}

#define BOX "add.u32 %r5, %tile, %n8;\n"

static const char *load_body(const struct kind *kind)
{
    static const char *const offsets[] = {"{%h0}", "{%h0, %h1}", "{%h0, %h1, %h2}"};
    static char body[4096];

    snprintf(body, sizeof body,
             "%s"
             "cp.async.bulk.tensor.%ud.shared::cluster.global.%s.mbarrier::complete_tx::bytes "
             "[%%r5], %s, [%%full]%s%s;\n%s",
             BOX COPY_IN INITIALIZE FENCE SYNC ONE_THREAD EXPECT(
                 "%n9") "cvt.u16.u32 %h0, %n5;\ncvt.u16.u32 %h1, %n6;\ncvt.u16.u32 %h2, %n7;\n",
             kind->rank, kind->is_im2col ? "im2col" : "tile", tensor(kind->rank),
             kind->is_im2col ? ", " : "", kind->is_im2col ? offsets[kind->rank - 3] : "",
             END WAIT COPY_OUT);
    return body;
}

/* A store, or a reduction such as ".add". */
static const char *store_body(const struct kind *kind, const char *reduction)
{
    static char body[4096];

    snprintf(body, sizeof body,
             "%scp.%sasync.bulk.tensor.%ud.global.shared::cta%s.%s.bulk_group %s, [%%r5];\n%s",
             BOX COPY_IN FENCE SYNC ONE_THREAD, reduction[0] != '\0' ? "reduce." : "", kind->rank,
             reduction, kind->is_im2col ? "im2col_no_offs" : "tile", tensor(kind->rank),
             WAIT_GROUP END);
    return body;
}

/* ---- Loads and stores ---- */

/* To 10 bits of mantissa, to nearest, ties to even. */
static uint32_t rounded_to_tf32(uint32_t bits)
{
    uint32_t low = bits & 0x1fff, high = bits - low;
    bool is_up = low > 0x1000 || (low == 0x1000 && (high & 0x2000) != 0);

    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : is_up ? high + 0x2000 : high;
}

/* Sets what a load makes of the tile, which `in` has filled. Returns the bytes of the box. */
static uint32_t expect_load(const struct tensor_map *map)
{
    uint32_t bytes = 0;

    memset(expected, 0, sizeof expected);
    memcpy(expected, array_in, TILE_BYTES);
    for (uint32_t k = 0; k < TILE_BYTES; k++) {
        bytes += model[k] != 0;
        if (model[k] == OUTSIDE)
            expected[k] = !map->is_nan_fill ? 0 : k % 2 == 0 ? 0xf7 : 0x7f;
        else if (model[k] != 0)
            expected[k] = array_in[model[k] - MODEL_BASE];
    }
    for (uint32_t k = 0; map->type >= TENSOR_TF32 && k < TILE_BYTES; k += 4) {
        uint32_t word;
        memcpy(&word, expected + k, sizeof word);
        word = model[k] != 0 ? rounded_to_tf32(word) : word;
        memcpy(expected + k, &word, sizeof word);
    }
    return bytes;
}

static void try_loads(struct kind kind)
{
    for (int k = 0; k < DRAWS; k++) {
        struct copy_case drawn;
        struct copy_run run;
        draw_case(&kind, &drawn);
        run = run_of(&drawn, load_body(&kind));
        run.numbers[9] = expect_load(&drawn.map);
        expect_bytes(&run, expected);
    }
}

static void try_stores(struct kind kind)
{
    kind.is_store = true;
    for (int k = 0; k < DRAWS; k++) {
        struct copy_case drawn;
        struct copy_run run;
        draw_case(&kind, &drawn);
        run = run_of(&drawn, store_body(&kind, ""));
        memcpy(expected, array_out, sizeof expected);
        for (uint32_t b = 0; b < TILE_BYTES; b++)
            if (model[b] >= MODEL_BASE)
                expected[model[b] - MODEL_BASE] = array_in[b];
        expect_bytes(&run, expected);
    }
}

/* All ranks and swizzles of both modes. */
static void try_kinds(void (*try)(struct kind kind))
{
    fill_arrays();
    for (uint32_t rank = 1; rank <= TENSOR_RANK; rank++)
        for (uint32_t swizzle = 0; swizzle < 4; swizzle++) {
            try((struct kind){.rank = rank, .swizzle = swizzle});
            if (rank >= 3)
                try((struct kind){.rank = rank, .swizzle = swizzle, .is_im2col = true});
        }
}

TEST(loads_write_the_elements_of_the_box)
{
    try_kinds(try_loads);
}

TEST(stores_write_the_elements_inside)
{
    try_kinds(try_stores);
}

/* ---- Reductions ---- */

static const struct {
    enum tensor_type tensor;
    struct reduction reduction;
} reductions[] = {
    {TENSOR_U32, {"add", "u32"}},     {TENSOR_U32, {"min", "u32"}},   {TENSOR_U32, {"max", "u32"}},
    {TENSOR_U32, {"inc", "u32"}},     {TENSOR_U32, {"dec", "u32"}},   {TENSOR_U32, {"and", "b32"}},
    {TENSOR_S32, {"add", "s32"}},     {TENSOR_S32, {"min", "s32"}},   {TENSOR_S32, {"or", "b32"}},
    {TENSOR_U64, {"add", "u64"}},     {TENSOR_U64, {"max", "u64"}},   {TENSOR_U64, {"xor", "b64"}},
    {TENSOR_S64, {"min", "s64"}},     {TENSOR_S64, {"max", "s64"}},   {TENSOR_S64, {"and", "b64"}},
    {TENSOR_F16, {"add", "f16"}},     {TENSOR_F16, {"min", "f16"}},   {TENSOR_F16, {"max", "f16"}},
    {TENSOR_BF16, {"add", "bf16"}},   {TENSOR_BF16, {"min", "bf16"}}, {TENSOR_F32, {"add", "f32"}},
    {TENSOR_F32_FTZ, {"add", "f32"}},
};

static void try_reduction(struct kind kind, size_t number)
{
    const struct reduction *reduction = &reductions[number].reduction;
    uint32_t bytes = reduction_bytes(reduction->type);
    char name[16];
    struct copy_case drawn;
    struct copy_run run;

    do
        draw_case(&kind, &drawn);
    while (drawn.map.type != reductions[number].tensor);
    reduction_fill(reduction->type, array_in, ARRAY_BYTES / bytes);
    reduction_fill(reduction->type, array_out, ARRAY_BYTES / bytes);
    snprintf(name, sizeof name, ".%s", reduction->operation);
    run = run_of(&drawn, store_body(&kind, name));
    memcpy(expected, array_out, sizeof expected);
    for (uint32_t k = 0; k < TILE_BYTES; k += bytes)
        if (model[k] >= MODEL_BASE)
            reduction_apply(reduction, expected + model[k] - MODEL_BASE, array_in + k, 1);
    expect_bytes(&run, expected);
}

TEST(reductions_change_the_elements_inside)
{
    fill_arrays();
    for (size_t k = 0; k < sizeof reductions / sizeof *reductions; k++) {
        struct kind kind = {
            .rank = 1 + (uint32_t)k % 5, .swizzle = (uint32_t)k % 4, .is_store = true};
        try_reduction(kind, k);
        kind.is_im2col = kind.rank >= 3;
        try_reduction(kind, k);
    }
}

/* ---- Clusters and prefetch ---- */

TEST(multicast_of_a_box)
{
    const struct kind kind = {.rank = 2, .swizzle = 2};
    struct copy_case drawn;
    struct copy_run run;

    fill_arrays();
    draw_case(&kind, &drawn);
    run = run_of(
        &drawn, BOX
        "mad.wide.u32 %out, %rank, 8192, %out;\n" COPY_IN INITIALIZE FENCE CLUSTER_SYNC ONE_THREAD
            EXPECT("%n9") "setp.ne.u32 %p1, %rank, 1;\n@%p1 bra DONE;\n"
                          "mov.b16 %h0, 3;\ncp.async.bulk.tensor.2d.shared::cluster.global.tile"
                          ".mbarrier::complete_tx::bytes.multicast::cluster [%r5], [%map, {%n0, "
                          "%n1}], "
                          "[%full], %h0;\n" END WAIT COPY_OUT CLUSTER_SYNC);
    run.grid = (struct extent){2, 1, 1};
    run.numbers[9] = expect_load(&drawn.map);
    memcpy(expected + TILE_BYTES, expected, TILE_BYTES);
    expect_bytes(&run, expected);
}

TEST(prefetch_of_a_box)
{
    const struct kind kind = {.rank = 3, .is_im2col = true};
    struct copy_case drawn;
    struct copy_run run;

    fill_arrays();
    draw_case(&kind, &drawn);
    run = run_of(&drawn, ONE_THREAD "prefetch.tensormap [%map];\ncvt.u16.u32 %h0, %n5;\n"
                                    "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col "
                                    "[%map, {%n0, %n1, %n2}], {%h0};\n" END);
    expect_bytes(&run, array_out);
}

TEST_MAIN("tensor copies", engine_set_up, copy_tear_down)
