/* SPDX-License-Identifier: MIT
 *
 * Integer expressions of a launch as its user writes them: "(n + 255) / 256".
 */
#ifndef SIMTCHECK_CASES_EXPRESSION_H
#define SIMTCHECK_CASES_EXPRESSION_H

#include "reader.h"

#include <stdint.h>

enum { MAX_STEPS = 32, MAX_NAMES = 4 };

/* What a name means in a case. The names from VARIABLE_OWN on are defined by the text. */
enum variable {
    VARIABLE_N,
    VARIABLE_NX,
    VARIABLE_NY,
    VARIABLE_B,
    VARIABLE_OWN,
    VARIABLES = VARIABLE_OWN + MAX_NAMES
};

/* The names in expressions that are not variables, and where each first appears. */
struct expression_names {
    uint32_t count;
    char name[MAX_NAMES][32];
    const char *first[MAX_NAMES];
};

/* An expression in reverse Polish notation. */
struct expression {
    uint32_t count;
    struct step {
        /* A C operator, where '<' and '>' are shifts. 'k': number; 'v': variable; '~': negation;
         * 'm', 'M': minimum, maximum. */
        char operation;
        int64_t value;
    } steps[MAX_STEPS];
};

/* Reads an expression in C syntax: + - * / % << >> & | ^, parentheses, min(a, b), max(a, b). Adds
 * unknown names to `names`. Returns false on error. */
bool expression_read(struct reader *reader, struct expression_names *names,
                     struct expression *expression);

/* The text about what is expected, for errors in an expression. */
extern const char expression_expected[];

/* Returns whether the expression depends on that variable. */
bool expression_has(const struct expression *expression, enum variable variable);

/* Evaluates the expression. Returns false on division by zero or 64-bit overflow. */
bool expression_value(const struct expression *expression, const int64_t variables[VARIABLES],
                      int64_t *value);

#endif
