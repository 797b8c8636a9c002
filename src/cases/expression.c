/* SPDX-License-Identifier: MIT */
#include "expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const variable_names[VARIABLE_OWN] = {"n", "nx", "ny", "B"};

const char expression_expected[] = "expected a number, n, nx, ny, B, min(a, b) or max(a, b) here";

/* ---- Reading ---- */

struct reading {
    struct reader *reader;
    struct expression_names *names;
    struct expression *expression;
    unsigned int depth; /* nesting depth */
};

static bool add(struct reading *reading, char operation, int64_t value)
{
    struct expression *expression = reading->expression;

    if (expression->count == MAX_STEPS)
        return reader_fail(reading->reader, "this expression has more than %d operations",
                           MAX_STEPS);
    expression->steps[expression->count++] = (struct step){operation, value};
    return true;
}

static bool read_binary(struct reading *reading, int level);

static bool close_parenthesis(struct reader *reader)
{
    return reader_take(reader, ")") || reader_fail(reader, "expected ')' here");
}

/* Reads a nested expression. The limit on depth protects the stack. */
static bool read_nested(struct reading *reading, bool (*read)(struct reading *reading))
{
    enum { MAX_DEPTH = 64 };
    bool good;

    if (++reading->depth > MAX_DEPTH)
        return reader_fail(reading->reader, "this expression is nested more than %d levels deep",
                           MAX_DEPTH);
    good = read(reading);
    reading->depth--;
    return good;
}

static bool read_whole(struct reading *reading)
{
    return read_binary(reading, 0);
}

/* Reads the arguments of min(a, b) or max(a, b), after the name. */
static bool read_call(struct reading *reading, char operation)
{
    struct reader *reader = reading->reader;

    return (reader_take(reader, "(") || reader_fail(reader, "expected '(' here")) &&
           read_nested(reading, read_whole) &&
           (reader_take(reader, ",") ||
            reader_fail(reader, "expected ',' and a second number here")) &&
           read_nested(reading, read_whole) && close_parenthesis(reader) &&
           add(reading, operation, 0);
}

/* Reads a name. A name that is neither a variable nor in `names` is added to `names`. */
static bool add_name(struct reading *reading, const char *name, size_t length)
{
    struct expression_names *names = reading->names;
    uint32_t own = 0;

    for (int v = 0; v < VARIABLE_OWN; v++)
        if (length == strlen(variable_names[v]) && strncmp(name, variable_names[v], length) == 0)
            return add(reading, 'v', v);
    while (own < names->count &&
           (strlen(names->name[own]) != length || strncmp(names->name[own], name, length) != 0))
        own++;
    if (own == MAX_NAMES || length == 0 || length >= sizeof names->name[0]) {
        reading->reader->at = name;
        return reader_fail(reading->reader, "%s", expression_expected);
    }
    if (own == names->count) {
        memcpy(names->name[own], name, length);
        names->name[own][length] = '\0';
        names->first[own] = name;
        names->count++;
    }
    return add(reading, 'v', VARIABLE_OWN + own);
}

static bool read_name(struct reading *reading)
{
    const char *name = reading->reader->at;
    size_t length = reader_name_length(name);
    bool is_min = length == 3 && strncmp(name, "min", 3) == 0,
         is_max = length == 3 && strncmp(name, "max", 3) == 0;

    reading->reader->at += length;
    return is_min || is_max ? read_call(reading, is_min ? 'm' : 'M')
                            : add_name(reading, name, length);
}

static bool read_number(struct reading *reading)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(reading->reader->at, &end, 0);
    if (errno != 0)
        return reader_fail(reading->reader, "this number is too large: the limit is 2^63 - 1");
    reading->reader->at = end + strspn(end, "uUlL");
    return add(reading, 'k', value);
}

static bool read_unary(struct reading *reading)
{
    struct reader *reader = reading->reader;

    reader_skip_blanks(reader);
    if (reader_take(reader, "("))
        return read_nested(reading, read_whole) && close_parenthesis(reader);
    if (reader_take(reader, "-"))
        return read_nested(reading, read_unary) && add(reading, '~', 0);
    return isdigit((unsigned char)*reader->at) ? read_number(reading) : read_name(reading);
}

/* Reads binary operators in C's order of precedence. ">>>" ends a launch. */
static bool read_binary(struct reading *reading, int level)
{
    static const char *const levels[][3] = {{"|"},        {"^"},      {"&"},
                                            {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
    const int last = sizeof levels / sizeof *levels;
    struct reader *reader = reading->reader;

    if (level == last)
        return read_unary(reading);
    if (!read_binary(reading, level + 1))
        return false;
    for (bool more = true; more;) {
        more = false;
        for (int k = 0; k < 3 && levels[level][k] != NULL && !more; k++) {
            reader_skip_blanks(reader);
            if (strncmp(reader->at, ">>>", 3) == 0 || !reader_take(reader, levels[level][k]))
                continue;
            if (!read_binary(reading, level + 1) || !add(reading, levels[level][k][0], 0))
                return false;
            more = true;
        }
    }
    return true;
}

bool expression_read(struct reader *reader, struct expression_names *names,
                     struct expression *expression)
{
    expression->count = 0;
    return read_binary(&(struct reading){reader, names, expression, 0}, 0);
}

/* ---- Values ---- */

bool expression_has(const struct expression *expression, enum variable variable)
{
    for (uint32_t k = 0; k < expression->count; k++)
        if (expression->steps[k].operation == 'v' &&
            expression->steps[k].value == (int64_t)variable)
            return true;
    return false;
}

/* Applies an operator to two numbers. Returns false on division by zero or overflow. */
static bool apply(char operation, int64_t a, int64_t b, int64_t *result)
{
    switch (operation) {
    case '+':
        return !__builtin_add_overflow(a, b, result);
    case '-':
        return !__builtin_sub_overflow(a, b, result);
    case '*':
        return !__builtin_mul_overflow(a, b, result);
    case '/':
    case '%':
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        *result = operation == '/' ? a / b : a % b;
        return true;
    case '<':
    case '>':
        if (b < 0 || b > 62 || a < 0 || (operation == '<' && a > INT64_MAX >> b))
            return false;
        *result = operation == '<' ? a << b : a >> b;
        return true;
    case '&':
        *result = a & b;
        return true;
    case '|':
        *result = a | b;
        return true;
    case '^':
        *result = a ^ b;
        return true;
    case 'm':
        *result = a < b ? a : b;
        return true;
    default:
        *result = a > b ? a : b;
        return true;
    }
}

bool expression_value(const struct expression *expression, const int64_t variables[VARIABLES],
                      int64_t *value)
{
    int64_t stack[MAX_STEPS] = {0};
    uint32_t depth = 0;

    for (uint32_t k = 0; k < expression->count; k++) {
        const struct step *step = &expression->steps[k];
        if (step->operation == 'k') {
            stack[depth++] = step->value;
        } else if (step->operation == 'v') {
            stack[depth++] = variables[step->value];
        } else if (step->operation == '~') {
            if (!apply('-', 0, stack[depth - 1], &stack[depth - 1]))
                return false;
        } else {
            depth--;
            if (!apply(step->operation, stack[depth - 1], stack[depth], &stack[depth - 1]))
                return false;
        }
    }
    *value = stack[0];
    return true;
}
