/* SPDX-License-Identifier: MIT
 *
 * Matrix instructions (PTX ISA 9.0, 9.7.14): shapes, the place of each element in the registers of
 * a warp, and the arithmetic of an H100 and H200, bit for bit.
 *
 * A register of a warp is an array of 32 lanes, of 4 bytes each, or of 8 for f64.
 */
#ifndef SIMTCHECK_MATRIX_H
#define SIMTCHECK_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MATRIX_LANES = 32,
    MATRIX_REGISTERS = 128,
    MATRIX_ROWS = 32,
    MATRIX_COLUMNS = 256,
    MATRIX_K = 256
};

enum matrix_type {
    MATRIX_F16,
    MATRIX_BF16,
    MATRIX_TF32,
    MATRIX_E4M3,
    MATRIX_E5M2,
    MATRIX_F32,
    MATRIX_F64,
    MATRIX_S8,
    MATRIX_U8,
    MATRIX_S4,
    MATRIX_U4,
    MATRIX_B1,
    MATRIX_S32,
};

enum matrix_combine { MATRIX_MULTIPLY, MATRIX_AND, MATRIX_XOR };

/* How an operand is spread over the registers of a warp. Each bit of the lane's number and of the
 * element's number moves the place by a step. Elements are numbered over a lane's registers. */
struct matrix_fragment {
    uint8_t type, bits; /* enum matrix_type, bits of an element */
    uint8_t registers;  /* of a lane */
    uint16_t rows, columns;
    struct matrix_move {
        uint8_t product, row, column;
    } lane[5], element[8];
};

struct matrix_place {
    uint32_t product, row, column;
};

enum matrix_rounding { MATRIX_RN, MATRIX_RZ, MATRIX_RM, MATRIX_RP };

struct matrix_shape {
    uint16_t m, n, k;
    uint8_t products; /* independent products of a warp: 4 of m8n8k4 with f16, else 1 */
    uint8_t combine;  /* enum matrix_combine */
    uint8_t part;     /* products that are added at once; 0: all */
    bool saturates;
    uint8_t rounding; /* of f64: enum matrix_rounding */
    bool is_group;    /* wgmma: m is that of one warp, a quarter of the group's */
    bool negates_a, negates_b;
    uint8_t sparse; /* elements of a row of a that one stored pair stands for; 0: dense */
    struct matrix_fragment d, a, b, c;
};

/* Reads an opcode such as "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32" or a wmma.mma. Returns
 * false if sm_90 has no such shape. */
bool matrix_read(const char *opcode, struct matrix_shape *shape);

/* The elements of an operand, which need not be in registers: rows of a, or columns of b. */
struct matrix_lines {
    uint32_t at[MATRIX_COLUMNS][MATRIX_K];
};

/* Returns the number of elements of a lane. wmma holds some elements more than once. */
uint32_t matrix_elements(const struct matrix_fragment *fragment);

/* Returns the place of an element of a lane. */
struct matrix_place matrix_place(const struct matrix_fragment *fragment, uint32_t lane,
                                 uint32_t element);

/* Computes d = a * b + c for a warp. Each operand is an array of its registers. d may be c.
 * `metadata` and `selector` say where the elements of a sparse a belong. */
void matrix_multiply(const struct matrix_shape *shape, void *const *d, const void *const *a,
                     const void *const *b, const void *const *c, const uint32_t *metadata,
                     uint32_t selector);

/* The same for a warp of wgmma. `a` is null if a is in registers. */
void matrix_multiply_group(const struct matrix_shape *shape, void *const *d,
                           const struct matrix_lines *a, const void *const *a_registers,
                           const struct matrix_lines *b, const void *const *c,
                           const uint32_t *metadata, uint32_t selector);

#endif
