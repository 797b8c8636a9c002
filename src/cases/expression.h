/* SPDX-License-Identifier: MIT
 *
 * Whole numbers of a launch as its user writes them: "(n + 255) / 256".
 */
#ifndef SIMTCHECK_CASES_EXPRESSION_H
#define SIMTCHECK_CASES_EXPRESSION_H

#include "reader.h"

#include <stdint.h>

enum { MAX_STEPS = 32, MAX_NAMES = 4 };

/* What a name stands for, in each case: those below, and from VARIABLE_OWN on the names that the
 * text brings. */
enum variable {
    VARIABLE_N,
    VARIABLE_NX,
    VARIABLE_NY,
    VARIABLE_B,
    VARIABLE_OWN,
    VARIABLES = VARIABLE_OWN + MAX_NAMES
};

/* Names that expressions have, besides those that are known, and where each came first. */
struct expression_names {
    uint32_t count;
    char name[MAX_NAMES][32];
    const char *first[MAX_NAMES];
};

/* In reverse Polish notation. */
struct expression {
    uint32_t count;
    struct step {
        char operation; /* a character of C, '<' and '>' for shifts; 'k': number; 'v': variable;
                           'm', 'M': minimum, maximum; '~': negation */
        int64_t value;
    } steps[MAX_STEPS];
};

/* Reads one, as C has it: + - * / % << >> & | ^, parentheses, min(a, b), max(a, b). A name that is
 * not known is entered in `names`. */
bool expression_read(struct reader *reader, struct expression_names *names,
                     struct expression *expression);

/* What a mistake in an expression is told with. */
extern const char expression_expected[];

/* Does it depend on that variable? */
bool expression_has(const struct expression *expression, enum variable variable);

/* False where it divides by zero or leaves 64 bits. */
bool expression_value(const struct expression *expression, const int64_t variables[VARIABLES],
                      int64_t *value);

#endif
