/* SPDX-License-Identifier: MIT
 *
 * A program: what one thread of a small kernel computes, as a list of nodes, each an operation on
 * nodes before it; and what it must give. All that a kernel made of it can do is defined by CUDA,
 * whatever its inputs are.
 *
 * The kernel is launched in whole blocks of PROGRAM_BLOCK threads, a thread an element, as
 * name(in, out, n): word w of an element's input i is in[w * n + i], of its output out[w * n + i].
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
    INPUT_B64, /* words 2 * `value` and the one after it, which is the high one */
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
    const char *ptx, *cuda; /* cuda null: a leaf; ptx alone: it can be written as CUDA C++ only */
};

extern const struct operation operations[OPERATIONS];

struct node {
    enum operation_id operation;
    uint8_t operands[3]; /* nodes before this one */
    uint64_t value;      /* of a leaf */
};

/* The last node is the result: of type B16, B32, B64 or F32. Nodes that it does not depend on may
 * be there. */
struct program {
    char name[32];
    uint32_t count;
    struct node nodes[PROGRAM_NODES];
};

size_t operation_operands(const struct operation *operation);

bool operation_is_leaf(const struct operation *operation);

/* The inputs of a block's threads, of n in all: those from number `first` on. */
void program_inputs(struct values values, uint64_t n, uint64_t first,
                    uint32_t in[PROGRAM_IN][PROGRAM_BLOCK]);

/* What the threads of one block compute: words out[w][i] of in[w][i]. */
void program_evaluate(const struct program *program, uint32_t in[PROGRAM_IN][PROGRAM_BLOCK],
                      uint32_t out[PROGRAM_OUT][PROGRAM_BLOCK]);

/* Whether each of its operations can be written as PTX. */
bool program_has_ptx(const struct program *program);

/* Drops nodes on which the result does not depend. */
void program_tidy(struct program *program);

/* How many nodes are no leaves: what a smaller program has fewer of. */
uint32_t program_operators(const struct program *program);

/* One line of text: "name: input_b32 0; input_b32 1; max_s32 0 1; ...". */
void program_write(FILE *to, const struct program *program);

/* Reads such a line. False, with a sentence, where it is none. */
bool program_read(const char *line, struct program *program, char *error, size_t error_size);

#endif
