/* SPDX-License-Identifier: MIT
 *
 * The meaning of the operations of cuda_operations.h in C, from the CUDA C++ Programming Guide,
 * the CUDA Math API and the PTX ISA. Where possible, it uses another method than the device code
 * in tools/compilers/programs/: wider integers, tables, or bit by bit.
 */
#ifndef SIMTCHECK_ORACLE_CUDA_MEANINGS_H
#define SIMTCHECK_ORACLE_CUDA_MEANINGS_H

#include <stdbool.h>
#include <stdint.h>

/* The bits of an operand or result, by enum program_type. */
typedef uint64_t NONE_t;
typedef uint16_t B16_t;
typedef uint32_t B32_t;
typedef uint64_t B64_t;
typedef uint32_t F32_t;
typedef bool PRED_t;

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/* The operands of all threads of a block. An exchange computes the result of thread `me`. */
struct threads {
    const uint64_t *a, *b, *c;
};

#define CUDA_OPERATION(name, result, first, second, third, cuda, parameters, meaning)              \
    result##_t mean_##name parameters;
#define CUDA_EXCHANGE(name, result, first, second, third, cuda)                                    \
    uint64_t mean_##name(const struct threads *of, int me);
#include "cuda_operations.h"
#undef CUDA_OPERATION
#undef CUDA_EXCHANGE

/* Two exchanges of operations.h. */
uint64_t mean_transposed_b32(const struct threads *of, int me);
uint64_t mean_product_b32(const struct threads *of, int me);

#endif
