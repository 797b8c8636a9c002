/* SPDX-License-Identifier: MIT
 *
 * A launch as its user writes it:
 *
 *     saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])
 *
 * as CUDA has it, but for types and sizes where CUDA has pointers. n, or nx and ny, is the size of
 * a case, and B, where it is used, the threads of a block. Launches that follow each other, with
 * ';' in between, may name arrays of those before them. An array that is declared for itself,
 *
 *     in float weights[9]; blur<<<n, 9>>>(...)
 *
 * and that no launch is given is a variable of the code, __constant__ or __device__.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_TEXT_H
#define SIMTCHECK_CASES_LAUNCH_TEXT_H

#include "catalogue.h"
#include "expression.h"
#include "reference.h"

/* An array that the launch hands over. */
struct launch_array {
    char name[32];
    enum role role;
    enum element element;
    uint32_t lanes; /* of a vector type: 4 for float4 */
    struct expression count;
    enum fill fill;
    struct expression low, high; /* of the fill */
    char file[512];              /* FILL_DATA: where its contents are */
    const void *data;            /* and these, once they have been read */
    uint64_t data_count;         /* elements */
    bool is_variable;            /* of the code, and as what symbol */
    char symbol[256];
};

/* A scalar: a number that depends on the case, or bits that do not. */
struct launch_scalar {
    struct expression value;
    bool is_floating;
    double floating;
};

enum scalar_type { SCALAR_INTEGER, SCALAR_F32, SCALAR_F64, SCALAR_F16, SCALAR_BF16 };

/* A member of a struct by value: a number, or a pointer to an array. */
struct launch_member {
    bool is_array;
    uint32_t array; /* its number */
    enum element element;
    struct launch_scalar scalar;
    uint32_t count;  /* so many of it: an array in the struct */
    uint32_t offset; /* in the struct */
};

struct launch_argument {
    bool is_array;
    uint32_t array;          /* its number */
    uint32_t members, first; /* of a struct: how many, and the first of them; else 0 */
    uint32_t bytes;          /* of a struct */
    struct launch_scalar scalar;
    enum scalar_type type; /* of a scalar's parameter: as it is written, until it is bound */
};

/* One launch. */
struct launch_call {
    char kernel[256]; /* with template arguments, as C++ has it */
    char symbol[512]; /* what it is called in the code that is loaded */
    struct expression grid[3], block[3], shared_bytes;
    bool opts_in; /* to more than 48 KiB of shared memory */
    uint32_t first_argument, argument_count;
};

struct launch_text {
    uint32_t call_count, array_count, argument_count, member_count;
    struct launch_call calls[MAX_LAUNCHES];
    struct expression_names names;  /* sizes that files have */
    uint32_t name_array[MAX_NAMES]; /* of which array */
    struct reference reference;
    struct launch_array arrays[MAX_BUFFERS];
    struct launch_argument arguments[MAX_ARGUMENTS];
    struct launch_member members[MAX_ARGUMENTS];
};

/* False, with the column of what is wrong, from 1 on, and a sentence of what would be right. */
bool launch_parse(const char *text, struct launch_text *launch, size_t *column, char *error,
                  size_t error_size);

/* Does a case have one size, or two; and does it have a block size? */
uint32_t launch_size_dimensions(const struct launch_text *launch);
bool launch_has_block(const struct launch_text *launch);

/* Reads what files hold, once a process: it stays. False, with a sentence, where one cannot be
 * read. */
bool launch_load_files(struct launch_text *launch, char *error, size_t error_size);

/* The launches of a shape; a grid without blocks is none, for CUDA refuses one. False, with a
 * sentence, where a number makes no sense. */
bool launch_invoke(const struct launch_text *launch, const struct shape *shape,
                   struct invocation *invocation, char *error, size_t error_size);

#endif
