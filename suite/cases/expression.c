/* SPDX-License-Identifier: MIT */
#include "expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const variable_names[VARIABLES] = {"n", "nx", "ny", "B"};

/* ---- Reading ---- */

struct reader {
    const char *at;
    const char *error; /* null: none */
    struct expression *expression;
};

static void skip_blanks(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
}

static bool fail(struct reader *reader, const char *error)
{
    if (reader->error == NULL)
        reader->error = error;
    return false;
}

static bool add(struct reader *reader, char operation, int64_t value)
{
    struct expression *expression = reader->expression;

    if (expression->count == MOST_STEPS)
        return fail(reader, "this is longer than 32 operations");
    expression->steps[expression->count++] = (struct step){operation, value};
    return true;
}

static bool take(struct reader *reader, const char *word)
{
    skip_blanks(reader);
    if (strncmp(reader->at, word, strlen(word)) != 0)
        return false;
    reader->at += strlen(word);
    return true;
}

static bool read_binary(struct reader *reader, int level);

/* min(a, b) and max(a, b): what follows the name. */
static bool read_call(struct reader *reader, char operation)
{
    return (take(reader, "(") || fail(reader, "'(' is missing here")) && read_binary(reader, 0) &&
           (take(reader, ",") || fail(reader, "',' and a second number are missing here")) &&
           read_binary(reader, 0) && (take(reader, ")") || fail(reader, "')' is missing here")) &&
           add(reader, operation, 0);
}

static bool read_name(struct reader *reader)
{
    size_t length = 0;

    while (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_')
        length++;
    for (int v = 0; v < VARIABLES; v++)
        if (length == strlen(variable_names[v]) &&
            strncmp(reader->at, variable_names[v], length) == 0) {
            reader->at += length;
            return add(reader, 'v', v);
        }
    if (length == 3 && (strncmp(reader->at, "min", 3) == 0 || strncmp(reader->at, "max", 3) == 0)) {
        char operation = reader->at[1] == 'i' ? 'm' : 'M';
        reader->at += 3;
        return read_call(reader, operation);
    }
    return fail(reader, "a number, n, nx, ny, B, min(a, b) or max(a, b) would be right here");
}

static bool read_number(struct reader *reader)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(reader->at, &end, 0);
    if (errno != 0)
        return fail(reader, "this number is too large");
    reader->at = end + strspn(end, "uUlL");
    return add(reader, 'k', value);
}

static bool read_unary(struct reader *reader)
{
    skip_blanks(reader);
    if (take(reader, "("))
        return read_binary(reader, 0) && (take(reader, ")") || fail(reader, "')' is missing here"));
    if (take(reader, "-"))
        return read_unary(reader) && add(reader, '~', 0);
    return isdigit((unsigned char)*reader->at) ? read_number(reader) : read_name(reader);
}

/* By rising precedence, as C has it. ">>>" ends a launch. */
static bool read_binary(struct reader *reader, int level)
{
    static const char *const levels[][3] = {{"|"},        {"^"},      {"&"},
                                            {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
    const int last = sizeof levels / sizeof *levels;

    if (level == last)
        return read_unary(reader);
    if (!read_binary(reader, level + 1))
        return false;
    for (bool more = true; more;) {
        more = false;
        for (int k = 0; k < 3 && levels[level][k] != NULL && !more; k++) {
            skip_blanks(reader);
            if (strncmp(reader->at, ">>>", 3) == 0 || !take(reader, levels[level][k]))
                continue;
            if (!read_binary(reader, level + 1) || !add(reader, levels[level][k][0], 0))
                return false;
            more = true;
        }
    }
    return true;
}

bool expression_parse(const char **text, struct expression *expression, const char **error)
{
    struct reader reader = {.at = *text, .expression = expression};
    bool good;

    expression->count = 0;
    good = read_binary(&reader, 0);
    *text = reader.at;
    *error = reader.error;
    return good;
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

/* Of two numbers. */
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
    int64_t stack[MOST_STEPS] = {0};
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
