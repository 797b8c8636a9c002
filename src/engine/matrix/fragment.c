/* SPDX-License-Identifier: MIT
 *
 * Shapes, and where the elements of fragments are.
 */
#include "matrix.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    uint8_t bits;
} types[] = {
    [MATRIX_F16] = {"f16", 16},  [MATRIX_BF16] = {"bf16", 16}, [MATRIX_TF32] = {"tf32", 32},
    [MATRIX_E4M3] = {"e4m3", 8}, [MATRIX_E5M2] = {"e5m2", 8},  [MATRIX_F32] = {"f32", 32},
    [MATRIX_F64] = {"f64", 64},  [MATRIX_S8] = {"s8", 8},      [MATRIX_U8] = {"u8", 8},
    [MATRIX_S4] = {"s4", 4},     [MATRIX_U4] = {"u4", 4},      [MATRIX_B1] = {"b1", 1},
    [MATRIX_S32] = {"s32", 32},
};

/* The part that an operand has in a product. */
enum part { PART_A, PART_B, PART_ACCUMULATOR };

/* Writes the steps of the bits of a number: along the long side, or along the other one. */
struct steps {
    struct matrix_move *next;
    bool is_across; /* the long side runs down a column */
};

static void add_step(struct steps *steps, bool is_long, uint32_t by)
{
    bool is_row = is_long == steps->is_across;

    *steps->next++ = (struct matrix_move){.row = (uint8_t)(is_row ? by : 0),
                                          .column = (uint8_t)(is_row ? 0 : by)};
}

/* PTX ISA 9.0, 9.7.14.5: a tile has eight groups of four lanes. The lanes of a group share one line
 * of it, a row of a or an accumulator, a column of b. Each lane holds `together` neighbours of the
 * line. Further registers hold the line 8 further on and the rest of the line. Fragments of wmma,
 * whose places the ISA leaves open, consist of such tiles on an H200. m8n32k16 computes the
 * transposed product there. */
static struct matrix_fragment tiled(uint8_t type, enum part part, uint32_t rows, uint32_t columns,
                                    bool is_transposed)
{
    uint32_t bits = types[type].bits, wide = bits == 64 ? 64 : 32;
    /* The long side is that of k; of an accumulator, that of n. */
    bool is_across = part == PART_B || (part == PART_ACCUMULATOR && is_transposed);
    bool is_b = part != PART_ACCUMULATOR && (part == PART_B) != is_transposed;
    uint32_t length, lines, line = 8;
    uint32_t together = part == PART_ACCUMULATOR ? 2 : bits >= 32 ? 1 : 32 / bits;
    struct matrix_fragment made = {.type = type,
                                   .bits = (uint8_t)bits,
                                   .registers = (uint8_t)(rows * columns * bits / 32 / wide),
                                   .rows = (uint16_t)rows,
                                   .columns = (uint16_t)columns};
    struct steps lane = {made.lane, is_across}, element = {made.element, is_across};

    length = is_across ? rows : columns;
    lines = is_across ? columns : rows;
    for (uint32_t by = together; by < 4 * together; by *= 2)
        add_step(&lane, true, by);
    for (uint32_t by = 1; by < 8; by *= 2)
        add_step(&lane, false, by);
    for (uint32_t by = 1; by < together; by *= 2)
        add_step(&element, true, by);
    for (; !is_b && line < 16 && line < lines; line *= 2)
        add_step(&element, false, line);
    for (uint32_t by = 4 * together; by < length; by *= 2)
        add_step(&element, true, by);
    for (; line < lines; line *= 2)
        add_step(&element, false, line);
    return made;
}

/* 9.7.14.5.1: four products of m8n8k4 with f16. Lanes 0 to 3 and 16 to 19 hold the first one. */
static struct matrix_fragment quarters(uint8_t type, enum part part, bool by_column)
{
    bool is_float = type == MATRIX_F32, is_across = by_column;
    uint32_t elements = part == PART_ACCUMULATOR ? 8 : 4;
    struct matrix_fragment made = {.type = type,
                                   .bits = types[type].bits,
                                   .registers = (uint8_t)(elements * types[type].bits / 32),
                                   .rows = part == PART_B ? 4 : 8,
                                   .columns = part == PART_A ? 4 : 8};
    struct steps lane = {made.lane, is_across}, element = {made.element, is_across};

    add_step(&lane, false, 1);
    add_step(&lane, is_float, 2);
    *lane.next++ = (struct matrix_move){.product = 1};
    *lane.next++ = (struct matrix_move){.product = 2};
    add_step(&element, true, 1);
    add_step(&element, !is_float, 2);
    if (part == PART_ACCUMULATOR)
        add_step(&element, true, 4);
    /* The upper half holds further rows of a and of accumulators, and further columns of b. */
    *lane.next =
        (struct matrix_move){.row = part == PART_B ? 0 : 4, .column = part == PART_B ? 4 : 0};
    return made;
}

static bool read_types(const char *opcode, uint8_t *named)
{
    size_t count = 0;

    for (const char *at = strchr(opcode, '.'); at != NULL && count < 4; at = strchr(at + 1, '.')) {
        size_t length = strcspn(at + 1, ".");
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            if (strlen(types[k].name) == length && strncmp(types[k].name, at + 1, length) == 0) {
                named[count++] = (uint8_t)k;
                break;
            }
    }
    if (count == 3) { /* of wgmma, d is c */
        named[3] = named[0];
        count++;
    }
    if (count == 2) { /* wmma with f16 names only d and c */
        named[3] = named[1];
        named[1] = named[2] = MATRIX_F16;
    }
    return count == 2 || count == 4;
}

static bool has(const char *opcode, const char *part)
{
    return strstr(opcode, part) != NULL;
}

bool matrix_read(const char *opcode, struct matrix_shape *shape)
{
    unsigned int m, n, k, stored;
    uint8_t named[4];
    const char *at = strstr(opcode, ".m");
    bool a_by_column = has(opcode, ".col.row") || has(opcode, ".col.col");
    bool b_by_column = has(opcode, ".row.col") || has(opcode, ".col.col"), transposed;

    memset(shape, 0, sizeof *shape);
    while (at != NULL && (at[2] < '0' || at[2] > '9'))
        at = strstr(at + 1, ".m");
    if (at == NULL || sscanf(at, ".m%un%uk%u", &m, &n, &k) != 3 || !read_types(opcode, named))
        return false;
    shape->is_group = strncmp(opcode, "wgmma", 5) == 0;
    if (shape->is_group)
        m = 16;
    shape->m = (uint16_t)m;
    shape->n = (uint16_t)n;
    shape->k = (uint16_t)k;
    shape->products = 1;
    shape->saturates = has(opcode, ".satfinite");
    shape->rounding = has(opcode, ".rz")   ? MATRIX_RZ
                      : has(opcode, ".rm") ? MATRIX_RM
                      : has(opcode, ".rp") ? MATRIX_RP
                                           : MATRIX_RN;
    shape->combine = has(opcode, ".xor")   ? MATRIX_XOR
                     : has(opcode, ".and") ? MATRIX_AND
                                           : MATRIX_MULTIPLY;
    if (m == 8 && n == 8 && k == 4 && named[1] == MATRIX_F16) {
        shape->products = 4;
        shape->d = quarters(named[0], PART_ACCUMULATOR, false);
        shape->a = quarters(named[1], PART_A, a_by_column);
        shape->b = quarters(named[2], PART_B, b_by_column);
        shape->c = quarters(named[3], PART_ACCUMULATOR, false);
        return true;
    }
    if (has(opcode, "mma.sp") || has(opcode, "mma_async.sp"))
        shape->sparse = named[1] == MATRIX_TF32 ? 2 : types[named[1]].bits == 4 ? 8 : 4;
    stored = shape->sparse != 0 ? k / 2 : k;
    transposed = m == 8 && n == 32;
    shape->d = tiled(named[0], PART_ACCUMULATOR, m, n, transposed);
    shape->a = tiled(named[1], PART_A, m, stored, transposed);
    if (shape->is_group)
        shape->b = (struct matrix_fragment){.type = named[2],
                                            .bits = types[named[2]].bits,
                                            .rows = (uint16_t)k,
                                            .columns = (uint16_t)n};
    else
        shape->b = tiled(named[2], PART_B, k, n, transposed);
    shape->c = tiled(named[3], PART_ACCUMULATOR, m, n, transposed);
    if (strncmp(opcode, "wmma", 4) == 0 && named[1] == MATRIX_TF32)
        shape->part = 4;
    if (strncmp(opcode, "wmma", 4) == 0 && named[1] == MATRIX_F16)
        shape->a.registers = shape->b.registers = 8;
    return true;
}

uint32_t matrix_elements(const struct matrix_fragment *fragment)
{
    return fragment->registers * (fragment->bits >= 32 ? 1 : 32u / fragment->bits);
}

struct matrix_place matrix_place(const struct matrix_fragment *fragment, uint32_t lane,
                                 uint32_t element)
{
    struct matrix_place place = {0};

    for (uint32_t bit = 0; lane >> bit != 0; bit++)
        if (lane >> bit & 1) {
            place.product += fragment->lane[bit].product;
            place.row += fragment->lane[bit].row;
            place.column += fragment->lane[bit].column;
        }
    for (uint32_t bit = 0; element >> bit != 0; bit++)
        if (element >> bit & 1) {
            place.row += fragment->element[bit].row;
            place.column += fragment->element[bit].column;
        }
    return place;
}
