/* SPDX-License-Identifier: MIT
 *
 * A launch as its user writes it:
 *
 *     saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])
 *
 * It has the syntax of CUDA, with types and sizes where CUDA has pointers. n, or nx and ny, is the
 * size of a case. B, if it is used, is the number of threads of a block. Launches are separated by
 * ';' and may name arrays of earlier launches. An array may also be declared separately:
 *
 *     in float weights[9]; blur<<<n, 9>>>(...)
 *
 * If no launch has it as an argument, it is a variable of the code, __constant__ or __device__.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_TEXT_H
#define SIMTCHECK_CASES_LAUNCH_TEXT_H

#include "catalogue.h"
#include "expression.h"
#include "reference.h"

#include <time.h>

/* An array of the launch. */
struct launch_array {
    char name[32];
    enum role role;
    enum element element;
    uint32_t lanes; /* lanes of a vector type: 4 for float4 */
    struct expression count;
    enum fill fill;
    struct expression low, high; /* parameters of the fill */
    char file[512];              /* FILL_DATA: the file with its contents */
    const void *data;            /* the contents, after they have been read */
    uint64_t data_count;         /* number of elements */
    struct timespec modified;    /* the time of the file's last change; 0 before it is loaded */
    bool is_variable;            /* it is a variable of the code, named `symbol` */
    char symbol[256];
};

/* A scalar: an expression that depends on the case, or a constant floating-point number. */
struct launch_scalar {
    struct expression value;
    bool is_floating;
    double floating;
};

enum scalar_type { SCALAR_INTEGER, SCALAR_F32, SCALAR_F64, SCALAR_F16, SCALAR_BF16 };

/* A member of a struct by value: a number, or a pointer to an array. */
struct launch_member {
    bool is_array;
    uint32_t array; /* its index */
    enum element element;
    struct launch_scalar scalar;
    uint32_t count;  /* more than 1: an array in the struct */
    uint32_t offset; /* offset in the struct */
};

struct launch_argument {
    bool is_array;
    uint32_t array;          /* its index */
    uint32_t members, first; /* of a struct: the number and the first of its members; else 0 */
    uint32_t bytes;          /* size of a struct, or of a scalar's parameter once it is bound */
    struct launch_scalar scalar;
    enum scalar_type type; /* of a scalar's parameter; as written, until it is bound */
};

/* One launch. */
struct launch_call {
    char kernel[256]; /* with template arguments, in C++ syntax */
    char symbol[512]; /* its name in the loaded code */
    struct expression grid[3], block[3], shared_bytes;
    bool opts_in; /* uses more than 48 KiB of shared memory */
    uint32_t first_argument, argument_count;
};

struct launch_text {
    uint32_t call_count, array_count, argument_count, member_count;
    struct launch_call calls[MAX_LAUNCHES];
    struct expression_names names;  /* names that mean the size of a file */
    uint32_t name_array[MAX_NAMES]; /* the array with that file */
    struct reference reference;
    struct launch_array arrays[MAX_BUFFERS];
    struct launch_argument arguments[MAX_ARGUMENTS];
    struct launch_member members[MAX_ARGUMENTS];
};

/* Parses the text. On failure returns false. *column is then the position of the error, starting at
 * 1, and `error` says what is expected. */
bool launch_parse(const char *text, struct launch_text *launch, size_t *column, char *error,
                  size_t error_size);

/* Return whether a case has one or two sizes, and whether it has a block size. */
uint32_t launch_size_dimensions(const struct launch_text *launch);
bool launch_has_block(const struct launch_text *launch);

/* Loads the files of arrays. A process loads each file once and keeps it. Returns false with an
 * error message in `error`, also if a file has changed since another process loaded the launch. */
bool launch_load_files(struct launch_text *launch, char *error, size_t error_size);

/* Checks that the files have not changed since they were loaded. Returns false with an error
 * message in `error`. */
bool launch_files_are_same(const struct launch_text *launch, char *error, size_t error_size);

/* Makes the launches of a shape. CUDA rejects a grid without blocks, so such a launch is left out.
 * Returns false with an error message in `error` if a number is invalid. */
bool launch_invoke(const struct launch_text *launch, const struct shape *shape,
                   struct invocation *invocation, char *error, size_t error_size);

#endif
