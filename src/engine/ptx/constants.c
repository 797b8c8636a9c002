/* SPDX-License-Identifier: MIT
 *
 * Constant expressions. PTX ISA, chapter 4.5.
 */
#include "parser.h"

#include <string.h>

enum { MOST_NESTED = 32 };

/* Operators of two characters come before those that they begin with. */
static const struct binary {
    const char *text;
    int level; /* a higher level binds tighter */
} binaries[] = {
    {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4}, {"&", 5}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
    {"<<", 8}, {">>", 8}, {"<", 7}, {">", 7}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

static struct constant read_ternary(struct parser *parser, const char *what, int depth);

static double number_of(const struct constant *constant)
{
    double number;

    if (!constant->is_float)
        return constant->is_unsigned ? (double)constant->bits : (double)(int64_t)constant->bits;
    memcpy(&number, &constant->bits, sizeof number);
    return number;
}

static struct constant float_of(double number)
{
    struct constant constant = {.is_float = true};

    memcpy(&constant.bits, &number, sizeof number);
    return constant;
}

static struct constant truth_of(bool is_true)
{
    return (struct constant){.bits = is_true};
}

static bool is_true(const struct constant *constant)
{
    return constant->is_float ? number_of(constant) != 0 : constant->bits != 0;
}

static _Noreturn void fail_operator(const struct parser *parser, const char *operator)
{
    parser_fail(parser, parser->lexer.token.line, "`%s` does not take these constants", operator);
}

/* ---- Operators ---- */

static struct constant of_floats(const struct parser *parser, const char *operator,
                                 const struct constant * one, const struct constant *other)
{
    double a = number_of(one), b = number_of(other);

    if (strcmp(operator, "+") == 0)
        return float_of(a + b);
    if (strcmp(operator, "-") == 0)
        return float_of(a - b);
    if (strcmp(operator, "*") == 0)
        return float_of(a * b);
    if (strcmp(operator, "/") == 0)
        return float_of(a / b);
    if (strcmp(operator, "==") == 0)
        return truth_of(a == b);
    if (strcmp(operator, "!=") == 0)
        return truth_of(a != b);
    if (strcmp(operator, "<") == 0 || strcmp(operator, ">=") == 0)
        return truth_of((a < b) == (*operator== '<'));
    if (strcmp(operator, ">") == 0 || strcmp(operator, "<=") == 0)
        return truth_of((a > b) == (*operator== '>'));
    fail_operator(parser, operator);
}

static uint64_t divided(uint64_t a, uint64_t b, bool is_unsigned)
{
    if (is_unsigned)
        return a / b;
    return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b); /* -1 would overflow */
}

static bool is_less(uint64_t a, uint64_t b, bool is_unsigned)
{
    return is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

/* Integers have 64 bits. The result is unsigned if one operand is. ptxas takes % as unsigned. */
static struct constant of_integers(const struct parser *parser, const char *operator,
                                   const struct constant * one, const struct constant *other)
{
    uint64_t a = one->bits, b = other->bits;
    bool is_unsigned = one->is_unsigned || other->is_unsigned;
    struct constant result = {.is_unsigned = is_unsigned};

    switch (operator[0]) {
    case '<':
    case '>':
        if (operator[1] == operator[0]) { /* shifts have the type of their first operand */
            uint64_t sign = !one->is_unsigned && a >> 63 != 0 ? UINT64_MAX : 0;
            b &= 63; /* as ptxas does */
            result.is_unsigned = one->is_unsigned;
            if (operator[0] == '<')
                result.bits = a << b;
            else
                result.bits = b == 0 ? a : a >> b | sign << (64 - b);
            return result;
        }
        return truth_of(operator[0] == '<' ? operator[1] == '=' ? !is_less(b, a, is_unsigned)
                                                                : is_less(a, b, is_unsigned)
                        :
                        operator[1] == '=' ? !is_less(a, b, is_unsigned)
                                           : is_less(b, a, is_unsigned));
    case '=':
        return truth_of(a == b);
    case '!':
        return truth_of(a != b);
    case '/':
    case '%':
        if (b == 0)
            parser_fail(parser, parser->lexer.token.line, "a constant is divided by 0");
        result.bits = operator[0] == '%' ? a % b : divided(a, b, is_unsigned);
        return result;
    default:
        result.bits = operator[0] == '|' ? a | b :
                      operator[0] == '^' ? a ^ b
                      :
                      operator[0] == '&' ? a & b
                      :
                      operator[0] == '+' ? a + b
                      :
                      operator[0] == '-' ? a - b
                                         : a * b;
        return result;
    }
}

static struct constant combined(const struct parser *parser, const char *operator,
                                const struct constant * a, const struct constant *b)
{
    if (a->is_single || b->is_single)
        parser_fail(parser, parser->lexer.token.line,
                    "a number such as 0f3F800000 cannot be part of an expression");
    if (strcmp(operator, "||") == 0)
        return truth_of(is_true(a) || is_true(b));
    if (strcmp(operator, "&&") == 0)
        return truth_of(is_true(a) && is_true(b));
    return a->is_float || b->is_float ? of_floats(parser, operator, a, b)
                                      : of_integers(parser, operator, a, b);
}

static struct constant with_prefix(const struct parser *parser, char prefix,
                                   struct constant constant)
{
    if (prefix == '\0' || prefix == '+')
        return constant;
    if (constant.is_single || (constant.is_float && prefix == '~'))
        fail_operator(parser, (char[2]){prefix});
    if (prefix == '!')
        return truth_of(!is_true(&constant));
    if (constant.is_float)
        return float_of(-number_of(&constant));
    constant.bits = prefix == '-' ? 0 - constant.bits : ~constant.bits;
    return constant;
}

/* ---- Reading ---- */

/* Reads (expression), or (.u64) or (.s64) and what it applies to, after the parenthesis. */
static struct constant read_parenthesis(struct parser *parser, const char *what, int depth);

static struct constant read_unary(struct parser *parser, const char *what, int depth)
{
    struct lexer *lexer = &parser->lexer;
    struct constant constant = {.bits = lexer->token.value};
    const char *text = lexer->token.text;

    if (depth > MOST_NESTED)
        parser_fail(parser, lexer->token.line, "an expression is nested more than %d deep",
                    MOST_NESTED);
    if (lexer->token.kind == TOKEN_MARK && text[0] != '\0' && strchr("+-~!", text[0]) != NULL) {
        lexer_next(lexer);
        return with_prefix(parser, text[0], read_unary(parser, what, depth + 1));
    }
    if (lexer_take(lexer, "("))
        return read_parenthesis(parser, what, depth);
    if (lexer_take(lexer, "WARP_SZ"))
        return (struct constant){.bits = 32};
    if (lexer->token.kind != TOKEN_INTEGER && lexer->token.kind != TOKEN_FLOAT)
        lexer_unexpected(lexer, what);
    constant.is_float = lexer->token.kind == TOKEN_FLOAT;
    constant.is_single = constant.is_float && !lexer->token.is_double;
    constant.is_unsigned = !constant.is_float &&
                           (text[strlen(text) - 1] == 'U' || constant.bits > (uint64_t)INT64_MAX);
    lexer_next(lexer);
    return constant;
}

static struct constant read_parenthesis(struct parser *parser, const char *what, int depth)
{
    struct lexer *lexer = &parser->lexer;
    bool is_unsigned = lexer_is(lexer, ".u64");
    struct constant constant;

    if (is_unsigned || lexer_is(lexer, ".s64")) {
        lexer_next(lexer);
        lexer_expect(lexer, ")");
        constant = read_unary(parser, what, depth + 1);
        if (constant.is_float)
            fail_operator(parser, is_unsigned ? "(.u64)" : "(.s64)");
        constant.is_unsigned = is_unsigned;
        return constant;
    }
    constant = read_ternary(parser, what, depth + 1);
    lexer_expect(lexer, ")");
    return constant;
}

/* Returns the operator that is next, or null. The lexer reads its characters one by one. */
static const struct binary *next_binary(const struct lexer *lexer)
{
    char after = lexer->at < lexer->end ? *lexer->at : '\0';

    for (size_t k = 0; lexer->token.kind == TOKEN_MARK && k < sizeof binaries / sizeof *binaries;
         k++)
        if (lexer->token.text[0] == binaries[k].text[0] &&
            (binaries[k].text[1] == '\0' || binaries[k].text[1] == after))
            return &binaries[k];
    return NULL;
}

/* Reads the operators of that level and above that follow an operand. */
static struct constant read_binaries(struct parser *parser, struct constant left, int level,
                                     const char *what, int depth)
{
    const struct binary *operator;

    while ((operator= next_binary(&parser->lexer)) != NULL && operator->level >= level) {
        struct constant right;
        for (size_t c = 0; operator->text[c] != '\0'; c++)
            lexer_next(&parser->lexer);
        right = read_unary(parser, what, depth + 1);
        right = read_binaries(parser, right, operator->level + 1, what, depth + 1);
        left = combined(parser, operator->text, &left, &right);
    }
    return left;
}

static struct constant read_rest(struct parser *parser, struct constant first, const char *what,
                                 int depth)
{
    struct constant condition = read_binaries(parser, first, 1, what, depth), one, other;

    if (!lexer_take(&parser->lexer, "?"))
        return condition;
    one = read_ternary(parser, what, depth + 1);
    lexer_expect(&parser->lexer, ":");
    other = read_ternary(parser, what, depth + 1);
    return is_true(&condition) ? one : other;
}

static struct constant read_ternary(struct parser *parser, const char *what, int depth)
{
    return read_rest(parser, read_unary(parser, what, depth), what, depth);
}

struct constant parser_constant(struct parser *parser, char prefix, const char *what)
{
    return read_rest(parser, with_prefix(parser, prefix, read_unary(parser, what, 0)), what, 0);
}

int64_t parser_integer(struct parser *parser, const char *what)
{
    uint32_t line = parser->lexer.token.line;
    struct constant constant = parser_constant(parser, '\0', what);

    if (constant.is_float)
        parser_fail(parser, line, "expected %s, found a number with a fraction", what);
    return (int64_t)constant.bits;
}
