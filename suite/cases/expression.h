/* SPDX-License-Identifier: MIT
 *
 * Whole numbers of a launch as its user writes them: "(n + 255) / 256".
 */
#ifndef SIMTCHECK_CASES_EXPRESSION_H
#define SIMTCHECK_CASES_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a name stands for, in each case. */
enum variable { VARIABLE_N, VARIABLE_NX, VARIABLE_NY, VARIABLE_B, VARIABLES };

extern const char *const variable_names[VARIABLES];

enum { MOST_STEPS = 32 };

/* In reverse Polish notation. */
struct expression {
    uint32_t count;
    struct step {
        char operation; /* a character of C, '<' and '>' for shifts; 'k': number; 'v': variable;
                           'm', 'M': minimum, maximum; '~': negation */
        int64_t value;
    } steps[MOST_STEPS];
};

/* Reads one from *text on, as C has it: + - * / % << >> & | ^, parentheses, min(a, b), max(a, b),
 * and moves *text behind it. False, with what would be right and *text where it is wrong. */
bool expression_parse(const char **text, struct expression *expression, const char **error);

/* Does it depend on that variable? */
bool expression_has(const struct expression *expression, enum variable variable);

/* False where it divides by zero or leaves 64 bits. */
bool expression_value(const struct expression *expression, const int64_t variables[VARIABLES],
                      int64_t *value);

#endif
