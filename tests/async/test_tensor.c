/* SPDX-License-Identifier: MIT
 *
 * The boxes of tensor copies, compared with a small model: which element of the tensor is at which
 * byte of shared memory. The model's results were compared with those of an H200.
 */
#include "check.h"

#include "tensor_model.h"

enum { CASES = 3000, SHARED = 1 << 17 };

static uint64_t expected[SHARED], got[SHARED];

static void note_piece(void *context, uint32_t shared, bool is_inside, uint64_t global,
                       uint32_t bytes)
{
    uint32_t *total = context;

    assert_true(bytes > 0 && bytes <= 16 && shared / 16 == (shared + bytes - 1) / 16);
    assert_true(shared + bytes <= SHARED);
    for (uint32_t k = 0; k < bytes; k++) {
        assert_int_equal(got[shared + k], 0);
        got[shared + k] = is_inside ? global + k : OUTSIDE;
    }
    *total += bytes;
}

TEST(boxes_are_those_of_the_model)
{
    for (int c = 0; c < CASES; c++) {
        unsigned char stored[STORED_MAP_BYTES];
        struct tensor_map map;
        struct tensor_box box = {.offsets = {0}};
        uint32_t start = 128 * draw(16), total = 0;
        draw_map(&map);
        tensor_store_map(&map, MODEL_BASE, stored);
        memcpy(&box.map, stored, sizeof box.map);
        draw_place(&map, &box);
        box.is_store = draw(2) == 1;
        memset(expected, 0, sizeof expected);
        memset(got, 0, sizeof got);
        model_box(&map, &box, start, expected);
        tensor_walk(&box, start, note_piece, &total);
        assert_int_equal(total, tensor_box_bytes(&box));
        assert_memory_equal(got, expected, sizeof got);
    }
}

TEST(elements_outside_and_of_tf32)
{
    struct stored_map map = {.type = TENSOR_TF32, .is_nan_fill = true};
    uint32_t words[4] = {0x2a015efa, 0x45bd6803, 0x7f8e737d, 0x7f800000};
    const uint32_t rounded[4] = {0x2a016000, 0x45bd6000, 0x7fffe000, 0x7f800000};
    char fill[8];

    tensor_convert(&map, (char *)words, sizeof words);
    assert_memory_equal(words, rounded, sizeof words);
    tensor_fill(&map, fill, sizeof fill);
    assert_memory_equal(fill, "\xf7\x7f\xf7\x7f\xf7\x7f\xf7\x7f", sizeof fill);
    map.is_nan_fill = false;
    tensor_fill(&map, fill, sizeof fill);
    assert_memory_equal(fill, "\0\0\0\0\0\0\0\0", sizeof fill);
}

int main(void)
{
    return tests_run("tensor copies", NULL, NULL);
}
