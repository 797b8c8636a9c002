/* SPDX-License-Identifier: MIT */
#include "arithmetic.h"

#include <string.h>

enum { MAX_ROWS = MATRIX_ROWS, MAX_COLUMNS = MATRIX_COLUMNS, MAX_ELEMENTS = 128 };

/* The operands as matrices. b is stored by columns. */
struct operands {
    struct matrix_line a[MAX_ROWS], b[MAX_COLUMNS];
    uint64_t c[MAX_ROWS][MAX_COLUMNS];
};

static uint64_t read_element(const struct matrix_fragment *fragment, const void *const *registers,
                             uint32_t lane, uint32_t element)
{
    uint32_t word, each = 32u / fragment->bits;
    uint64_t wide;

    if (fragment->bits == 64) {
        memcpy(&wide, (const char *)registers[element] + sizeof wide * lane, sizeof wide);
        return wide;
    }
    if (each < 2) {
        memcpy(&word, (const char *)registers[element] + sizeof word * lane, sizeof word);
        return word;
    }
    memcpy(&word, (const char *)registers[element / each] + sizeof word * lane, sizeof word);
    return word >> element % each * fragment->bits & ((UINT32_C(1) << fragment->bits) - 1);
}

static void write_element(const struct matrix_fragment *fragment, void *const *registers,
                          uint32_t lane, uint32_t element, uint64_t value)
{
    uint32_t bytes = fragment->bits / 8, each = bytes >= 4 ? 1 : 4 / bytes;
    uint32_t of_register = bytes == 8 ? 8 : 4;

    memcpy((char *)registers[element / each] + of_register * lane + element % each * bytes, &value,
           bytes);
}

/* The place of an element is the sum of a part by its lane and a part by its number. */
static uint32_t element_places(const struct matrix_fragment *fragment, struct matrix_place *places)
{
    uint32_t count = matrix_elements(fragment);

    for (uint32_t element = 0; element < count; element++)
        places[element] = matrix_place(fragment, 0, element);
    return count;
}

/* Reads operand k, 0 to 2, from the registers. */
static void gather_one(struct operands *to, const struct matrix_fragment *fragment, uint32_t k,
                       uint32_t product, const void *const *registers)
{
    struct matrix_place places[MAX_ELEMENTS];
    uint32_t count = element_places(fragment, places);

    for (uint32_t lane = 0; lane < MATRIX_LANES; lane++) {
        struct matrix_place first = matrix_place(fragment, lane, 0);
        for (uint32_t element = first.product == product ? count : 0; element-- > 0;) {
            uint64_t value = read_element(fragment, registers, lane, element);
            uint32_t row = first.row + places[element].row;
            uint32_t column = first.column + places[element].column;
            if (k == 0) /* of duplicates, the first counts */
                to->a[row].bits[column] = value;
            else if (k == 1)
                to->b[column].bits[row] = value;
            else
                to->c[row][column] = value;
        }
    }
}

static void scatter(const struct operands *from, const struct matrix_shape *shape, uint32_t product,
                    void *const *d)
{
    struct matrix_place places[MAX_ELEMENTS];
    uint32_t count = element_places(&shape->d, places);

    for (uint32_t lane = 0; lane < MATRIX_LANES; lane++) {
        struct matrix_place first = matrix_place(&shape->d, lane, 0);
        for (uint32_t element = 0; first.product == product && element < count; element++)
            write_element(
                &shape->d, d, lane, element,
                from->c[first.row + places[element].row][first.column + places[element].column]);
    }
}

static void unpack_line(struct matrix_line *line, uint32_t k,
                        const struct matrix_fragment *fragment, bool negates)
{
    for (uint32_t i = 0; negates && i < k; i++)
        line->bits[i] ^= UINT64_C(1) << (fragment->bits - 1);
    matrix_unpack(line, k, (enum matrix_type)fragment->type);
}

static void unpack(struct operands *operands, const struct matrix_shape *shape)
{
    for (uint32_t i = 0; i < shape->m; i++)
        unpack_line(&operands->a[i], shape->a.columns, &shape->a, shape->negates_a);
    for (uint32_t j = 0; j < shape->n; j++)
        unpack_line(&operands->b[j], shape->k, &shape->b, shape->negates_b);
}

/* Returns the metadata of a group of a row: where its stored elements belong. Lanes that hold the
 * metadata of a row of integers come first for the upper rows, then for the lower ones. */
static uint32_t group_bits(const struct matrix_shape *shape, const uint32_t *metadata,
                           uint32_t selector, uint32_t row, uint32_t group)
{
    uint32_t lanes =
        (uint32_t)shape->k / shape->sparse / 4; /* of a row and the one 8 further down */
    uint32_t lane = 4 * (row & 7) + selector * lanes, half = row >> 3;

    if (lanes > 1 && shape->a.bits <= 8)
        return metadata[lane + group / 8 * 2 + half] >> 4 * (group & 7) & 15;
    return metadata[lane + group / 4] >> (4 * (group & 3) + 16 * half) & 15;
}

/* Returns the column of a that a stored element of a sparse row belongs to. */
static uint32_t column_of(const struct matrix_shape *shape, uint32_t bits, uint32_t stored)
{
    uint32_t group = stored / (shape->sparse / 2) * shape->sparse;

    if (shape->sparse == 2)
        return group + (bits >> 1 & 1);
    if (shape->sparse == 4)
        return group + (bits >> 2 * (stored % 2) & 3);
    return group + 2 * (bits >> 2 * (stored % 4 / 2) & 3) + stored % 2;
}

/* Computes a row of the product. */
static void multiply_row(struct operands *operands, const struct matrix_shape *shape, uint32_t i,
                         const uint32_t *columns)
{
    uint32_t k = shape->a.columns;
    const struct matrix_line *a = &operands->a[i];

    for (uint32_t j = 0; j < shape->n; j++) {
        const struct matrix_line *b = &operands->b[j];
        uint64_t *to = &operands->c[i][j];
        struct matrix_line chosen;
        if (columns != NULL) {
            matrix_choose(&chosen, b, columns, k);
            b = &chosen;
        }
        if (shape->a.type <= MATRIX_E5M2)
            *to = matrix_float_sum(shape, a, b, k, *to);
        else if (shape->a.type == MATRIX_F64)
            *to = matrix_f64_sum(shape, a->bits, b->bits, k, *to);
        else
            *to = matrix_integer_sum(shape, a->bits, b->bits, k, *to);
    }
}

/* Computes c = a * b + c. */
static void multiply(struct operands *operands, const struct matrix_shape *shape,
                     const uint32_t *metadata, uint32_t selector)
{
    uint32_t columns[MATRIX_K];

    if (shape->a.type <= MATRIX_E5M2)
        unpack(operands, shape);
    for (uint32_t i = 0; i < shape->m; i++) {
        for (uint32_t s = 0; shape->sparse != 0 && s < shape->a.columns; s++)
            columns[s] = column_of(
                shape, group_bits(shape, metadata, selector, i, s / (shape->sparse / 2)), s);
        multiply_row(operands, shape, i, shape->sparse != 0 ? columns : NULL);
    }
}

static _Thread_local struct operands operands;

void matrix_multiply(const struct matrix_shape *shape, void *const *d, const void *const *a,
                     const void *const *b, const void *const *c, const uint32_t *metadata,
                     uint32_t selector)
{
    for (uint32_t product = 0; product < shape->products; product++) {
        gather_one(&operands, &shape->a, 0, product, a);
        gather_one(&operands, &shape->b, 1, product, b);
        gather_one(&operands, &shape->c, 2, product, c);
        multiply(&operands, shape, metadata, selector);
        scatter(&operands, shape, product, d);
    }
}

void matrix_multiply_group(const struct matrix_shape *shape, void *const *d,
                           const struct matrix_lines *a, const void *const *a_registers,
                           const struct matrix_lines *b, const void *const *c,
                           const uint32_t *metadata, uint32_t selector)
{
    if (a == NULL)
        gather_one(&operands, &shape->a, 0, 0, a_registers);
    for (uint32_t i = 0; a != NULL && i < shape->m; i++)
        for (uint32_t k = 0; k < shape->a.columns; k++)
            operands.a[i].bits[k] = a->at[i][k];
    for (uint32_t j = 0; j < shape->n; j++)
        for (uint32_t k = 0; k < shape->k; k++)
            operands.b[j].bits[k] = b->at[j][k];
    gather_one(&operands, &shape->c, 2, 0, c);
    multiply(&operands, shape, metadata, selector);
    scatter(&operands, shape, 0, d);
}
