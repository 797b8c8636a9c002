/* SPDX-License-Identifier: MIT
 *
 * A program is the computation of one thread of a small kernel: a list of nodes, each an operation
 * on earlier nodes. CUDA defines all behaviour of a kernel made of it, for all inputs.
 *
 * The kernel is launched in whole blocks of PROGRAM_BLOCK threads, one thread for each element, as
 * name(in, out, n). Word w of element i's input is in[w * n + i], and word w of its output is
 * out[w * n + i].
 */
#ifndef SIMTCHECK_ORACLE_PROGRAM_H
#define SIMTCHECK_ORACLE_PROGRAM_H

#include "input_values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { PROGRAM_BLOCK = 128, PROGRAM_IN = 6, PROGRAM_OUT = 2, PROGRAM_NODES = 48 };

enum program_type { NONE, B16, B32, B64, F32, PRED };

enum operation_id {
    INPUT_B32, /* word `value` of the input */
    INPUT_B64, /* words 2 * `value` and the next one, which is the high word */
    CONSTANT_B32,
    CONSTANT_B64,
#define OPERATION(name, ...) OPERATION_##name,
#define EXCHANGE(name, ...) OPERATION_##name,
#include "operations.h"
#undef OPERATION
#undef EXCHANGE
    FIRST_CUDA_OPERATION, /* from here on: without PTX */
    BEFORE_CUDA_OPERATIONS = FIRST_CUDA_OPERATION - 1,
#define CUDA_OPERATION(name, ...) OPERATION_##name,
#define CUDA_EXCHANGE(name, ...) OPERATION_##name,
#include "cuda_operations.h"
#undef CUDA_OPERATION
#undef CUDA_EXCHANGE
    OPERATIONS
};

struct operation {
    const char *name;
    enum program_type result, operands[3];
    const char *ptx, *cuda; /* cuda null: a leaf; only ptx null: CUDA C++ only */
};

extern const struct operation operations[OPERATIONS];

struct node {
    enum operation_id operation;
    uint8_t operands[3]; /* earlier nodes */
    uint64_t value;      /* of a leaf */
};

/* The last node is the result: of type B16, B32, B64 or F32. There may be nodes on which it does
 * not depend. */
struct program {
    char name[32];
    uint32_t count;
    struct node nodes[PROGRAM_NODES];
};

size_t operation_operands(const struct operation *operation);

bool operation_is_leaf(const struct operation *operation);

/* Makes the inputs of a block's threads, which are threads `first` on of n in all. */
void program_inputs(struct values values, uint64_t n, uint64_t first,
                    uint32_t in[PROGRAM_IN][PROGRAM_BLOCK]);

/* Computes a block's outputs: words out[w][i] from in[w][i]. */
void program_evaluate(const struct program *program, uint32_t in[PROGRAM_IN][PROGRAM_BLOCK],
                      uint32_t out[PROGRAM_OUT][PROGRAM_BLOCK]);

/* Returns true if each of its operations can be written as PTX. */
bool program_has_ptx(const struct program *program);

/* Drops nodes on which the result does not depend. */
void program_tidy(struct program *program);

/* Returns how many nodes are operators, not leaves. A smaller program has fewer. */
uint32_t program_operators(const struct program *program);

/* Writes one line of text: "name: input_b32 0; input_b32 1; max_s32 0 1; ...". */
void program_write(FILE *to, const struct program *program);

/* Reads such a line. Returns false with a message if the line is invalid. */
bool program_read(const char *line, struct program *program, char *error, size_t error_size);

#endif
