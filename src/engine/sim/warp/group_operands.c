/* SPDX-License-Identifier: MIT
 *
 * The places of elements were found by comparison with an H200.
 */
#include "group_operands.h"

#include "faults.h"
#include "fnv.h"
#include "races.h"
#include "undefined.h"

#include <inttypes.h>
#include <string.h>

enum { CHUNK = 16, OFFSET_BITS = 18 };

static const char *name_of(const struct group_operand *operand)
{
    return operand->is_a ? "a" : "b";
}

struct group_operand group_operand(const struct op *op, bool is_a, uint32_t warp, uint64_t bits)
{
    static const uint32_t swizzles[] = {0, 128, 64, 32};
    const uint64_t reserved =
        UINT64_C(3) << 14 | UINT64_C(3) << 30 | UINT64_C(7) << 46 | UINT64_C(0x3ff) << 52;
    const struct matrix_shape *shape = op->matrix->shape;
    struct group_operand made = {
        .fragment = is_a ? &shape->a : &shape->b,
        .is_a = is_a,
        .by_column = is_a ? op->matrix->a_by_column : op->matrix->b_by_column,
        .bits = bits,
        .start = (uint32_t)(bits & 0x3fff) << 4,
        .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
        .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
        .base = (uint32_t)(bits >> 49 & 7),
        .swizzle = swizzles[bits >> 62],
        .first = is_a ? warp % GROUP_WARPS * 16 : 0,
        .lines = is_a ? 16 : shape->n,
        .length = is_a ? shape->a.columns : shape->k,
    };

    if (bits & reserved)
        raise_fault(FAULT_UNSUPPORTED, 0, SAYS_DESCRIPTOR_BITS, .object = name_of(&made),
                    .numbers = {(int64_t)bits, (int64_t)(bits & reserved)});
    return made;
}

/* Returns the offset of a chunk of 16 bytes in the block's shared memory. Without by_column it is
 * number `along` of a line, else it holds element `line` of k of several lines. */
static uint32_t chunk_offset(const struct group_operand *operand, uint32_t line, uint32_t along)
{
    uint32_t row = operand->swizzle, offset = operand->start; /* row: bytes */

    if (row == 0)
        return offset + line % 8 * CHUNK +
               (operand->by_column ? along * operand->stride + line / 8 * operand->leading
                                   : line / 8 * operand->stride + along * operand->leading);
    offset += along / (row / CHUNK) * operand->leading + along % (row / CHUNK) * CHUNK +
              line / 8 * operand->stride + line % 8 * row;
    return offset ^ (((offset >> 7) - operand->base) & (row / CHUNK - 1)) << 4;
}

/* The chunks of an operand. */
struct walk {
    uint32_t outer, inner, first_line, first_along;
};

static struct walk walk_of(const struct group_operand *operand)
{
    uint32_t each = CHUNK * 8u / operand->fragment->bits;
    struct walk walk = {0};

    if (operand->fragment == NULL)
        return walk;
    if (operand->by_column) {
        walk.first_along = operand->first / each;
        walk.outer = operand->length;
        walk.inner = operand->lines / each;
    } else {
        walk.first_line = operand->first;
        walk.outer = operand->lines;
        walk.inner = operand->length / each;
    }
    return walk;
}

static uint32_t walk_offset(const struct group_operand *operand, const struct walk *walk,
                            uint32_t outer, uint32_t inner)
{
    return chunk_offset(operand, walk->first_line + outer, walk->first_along + inner);
}

/* Returns the array with that chunk. Raises a fault if no array has it. */
static struct region *region_of(const struct group_operand *operand, uint32_t offset)
{
    const struct block *block = machine.block;
    static const char *const layouts[] = {"none", "128 bytes", "64 bytes", "32 bytes"};

    for (uint32_t r = DYNAMIC_WINDOW; r < block->region_count; r++) {
        struct region *region = &block->regions[r];
        if (region->host != NULL && region->bytes >= CHUNK &&
            offset - (uint32_t)(region->host - block->shared) <= region->bytes - CHUNK)
            return region;
    }
    raise_fault(FAULT_OUT_OF_BOUNDS_READ, 0, SAYS_MATRIX_OUTSIDE, .object = name_of(operand),
                .numbers = {offset, operand->start, operand->leading, operand->stride},
                .reason = layouts[operand->bits >> 62]);
}

static uint64_t in_region(const struct region *region, uint32_t offset)
{
    return offset - (uint64_t)(region->host - machine.block->shared);
}

static void access_chunk(struct warp *warp, const struct op *op, const struct region *region,
                         uint64_t at, const struct race_operation *race)
{
    struct race_block *block = &warp->block->race;

    use_shared_races(warp->block);
    race_operation_access(race, race_by_wait(RACE_MATRICES, block, race->thread), region->race + at,
                          CHUNK, ACCESS_READ, SIMT_BLOCK, op->place);
}

uint64_t group_access(struct warp *warp, const struct op *op, const struct group_operand *operand,
                      const struct race_operation *race, uint64_t digest)
{
    struct walk walk;
    struct region *region = NULL;

    if (operand->fragment == NULL)
        return digest;
    walk = walk_of(operand);
    for (uint32_t outer = 0; outer < walk.outer; outer++)
        for (uint32_t inner = 0; inner < walk.inner; inner++) {
            uint32_t offset = walk_offset(operand, &walk, outer, inner);
            uint64_t words[2];
            if (region == NULL || in_region(region, offset) > region->bytes - CHUNK)
                region = region_of(operand, offset);
            if (race_on)
                access_chunk(warp, op, region, in_region(region, offset), race);
            memcpy(words, region->host + in_region(region, offset), sizeof words);
            digest = fnv_number(fnv_number(digest, words[0]), words[1]);
        }
    return digest;
}

/* ---- Elements ---- */

static uint32_t element_of(const char *chunk, uint32_t bits, uint32_t k)
{
    uint32_t value = 0;

    if (bits < 8)
        return (uint32_t)(chunk[k / 8] >> k % 8 & 1);
    memcpy(&value, chunk + k * bits / 8, bits / 8);
    return value;
}

uint32_t group_read(const struct group_operand *operand, const struct op *op,
                    struct matrix_lines *lines, uint32_t *undefined)
{
    struct walk walk = walk_of(operand);
    uint32_t bits = operand->fragment->bits, each = CHUNK * 8u / bits, origin = 0;

    for (uint32_t outer = 0; outer < walk.outer; outer++)
        for (uint32_t inner = 0; inner < walk.inner; inner++) {
            uint32_t offset = walk_offset(operand, &walk, outer, inner);
            const struct region *region = region_of(operand, offset);
            uint64_t at = in_region(region, offset);
            for (uint32_t k = 0; k < each; k++) {
                uint32_t line = operand->by_column ? inner * each + k : outer;
                uint32_t along = operand->by_column ? outer : inner * each + k;
                lines->at[line][along] = element_of(region->host + at, bits, k);
                if (region->missing == 0 || region->written[at + k * bits / 8])
                    continue;
                undefined[line / 32] |= UINT32_C(1) << line % 32;
                origin = undefined_origin(op->place, region, at + k * bits / 8, 0);
            }
        }
    return origin;
}
