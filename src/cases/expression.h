/* SPDX-License-Identifier: MIT
 *
 * Expressions of a launch as its user writes them, with the meaning that they have in C++:
 * "(n + 255) / 256", "ceil(rows / 16.0)", "B * sizeof(float)". Integers have 64 bits.
 */
#ifndef SIMTCHECK_CASES_EXPRESSION_H
#define SIMTCHECK_CASES_EXPRESSION_H

#include "reader.h"

#include <stdint.h>

enum { MAX_STEPS = 48, MAX_NAMES = 16, NAME_TEXT = 256 };

/* What a name means in a case. The names from VARIABLE_OWN on are those of expression_names. */
enum variable {
    VARIABLE_N,
    VARIABLE_NX,
    VARIABLE_NY,
    VARIABLE_B,
    VARIABLE_OWN,
    VARIABLES = VARIABLE_OWN + MAX_NAMES
};

/* The names of the variables before VARIABLE_OWN. */
extern const char *const expression_sizes[VARIABLE_OWN];

/* The parts of expressions that this program cannot compute, in C++: a name ("rows",
 * "Tile::width"), a term without sizes ("sizeof(float4)", "tiles(4)"), or a lambda, which begins
 * with '['. Equal texts share an entry. */
struct expression_names {
    uint32_t count;
    struct expression_name {
        char text[NAME_TEXT];
        bool is_size; /* a size of the case, which terms must not contain */
    } name[MAX_NAMES];
};

struct number {
    enum number_kind { NUMBER_INTEGER, NUMBER_FLOATING, NUMBER_NONE } kind;
    int64_t integer;
    double floating;
};

/* An expression in reverse Polish notation. */
struct expression {
    uint32_t count;
    struct step {
        uint8_t operation; /* of expression.c */
        struct number number;
    } steps[MAX_STEPS];
};

/* Reads an expression in C++ syntax: numbers, names, operators, ?:, casts to arithmetic types, and
 * the functions of expression_expected. Adds what it cannot compute to `names`. Returns false on
 * error. */
bool expression_read(struct reader *reader, struct expression_names *names,
                     struct expression *expression);

/* Reads a lambda without captures as a name. Leaves out __device__ and __host__. Returns false on
 * error. */
bool expression_read_lambda(struct reader *reader, struct expression_names *names,
                            struct expression *expression);

/* The texts about what is expected, and why there is no value, for errors in an expression. */
extern const char expression_expected[], expression_has_no_value[];

/* Make an expression of one integer; of the product of two expressions, unless it is too long. */
struct expression expression_constant(int64_t value);
bool expression_multiply(struct expression *expression, const struct expression *by);

/* Returns whether the expression depends on that variable, and whether it is only that variable. */
bool expression_has(const struct expression *expression, uint32_t variable);
bool expression_is(const struct expression *expression, uint32_t variable);

/* Returns which of the names the expression is, alone, or MAX_NAMES. */
uint32_t expression_name(const struct expression *expression);

/* Returns whether the expression is that integer, written as such. */
bool expression_is_constant(const struct expression *expression, int64_t value);

/* Evaluates the expression. The result is NUMBER_NONE after a division by zero, 64-bit overflow, the
 * conversion of a float to an integer that cannot hold it, or an operator that floats lack. */
struct number expression_number(const struct expression *expression,
                                const struct number variables[VARIABLES]);

/* Evaluates the expression to an integer. As in C++, a float loses its fraction. Returns false if
 * there is no result. */
bool expression_value(const struct expression *expression, const struct number variables[VARIABLES],
                      int64_t *value);

#endif
