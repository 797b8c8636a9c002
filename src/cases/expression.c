/* SPDX-License-Identifier: MIT */
#include "expression.h"

#include "launch_types.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum operation {
    PUSH_NUMBER,
    PUSH_VARIABLE, /* its index is the number */
    NEGATE,
    INVERT,
    NOT,
    CAST, /* to the type in the number: add_cast() */
    CEIL,
    FLOOR,
    ROUND,
    SQUARE_ROOT,
    LOGARITHM,
    LAST_UNARY = LOGARITHM,
    MINIMUM,
    MAXIMUM,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    EQUAL,
    NOT_EQUAL,
    BIT_AND,
    BIT_XOR,
    BIT_OR,
    AND,
    OR,
    CHOOSE, /* a ? b : c */
};

const char *const expression_sizes[VARIABLE_OWN] = {"n", "nx", "ny", "B"};

const char expression_expected[] =
    "expected a number, a size such as n, nx or ny, B, or an expression of them here";

const char expression_has_no_value[] = "division by zero, 64-bit overflow, or an operator such as "
                                       "<< or % of a float, which needs (int)";

static const struct function {
    const char *name;
    enum operation operation;
} functions[] = {
    {"min", MINIMUM},      {"max", MAXIMUM},       {"ceil", CEIL},      {"ceilf", CEIL},
    {"floor", FLOOR},      {"floorf", FLOOR},      {"round", ROUND},    {"roundf", ROUND},
    {"sqrt", SQUARE_ROOT}, {"sqrtf", SQUARE_ROOT}, {"log2", LOGARITHM}, {"log2f", LOGARITHM},
};

/* ---- Reading ---- */

struct reading {
    struct reader *reader;
    struct expression_names *names;
    struct expression *expression;
    unsigned int depth; /* nesting depth */
};

static bool add(struct reading *reading, enum operation operation, struct number number)
{
    struct expression *expression = reading->expression;

    if (expression->count == MAX_STEPS)
        return reader_fail(reading->reader, "this expression has more than %d operations",
                           MAX_STEPS);
    expression->steps[expression->count++] = (struct step){(uint8_t)operation, number};
    return true;
}

static struct number integer(int64_t value)
{
    return (struct number){NUMBER_INTEGER, value, 0};
}

static bool add_operation(struct reading *reading, enum operation operation)
{
    return add(reading, operation, integer(0));
}

static bool read_conditional(struct reading *reading);
static bool read_unary(struct reading *reading);

static bool close_parenthesis(struct reader *reader)
{
    return reader_take(reader, ")") || reader_fail(reader, "expected ')' here");
}

static bool add_cast(struct reading *reading, const struct launch_type *type)
{
    return add(reading, CAST,
               integer((int64_t)type->element << 2 | type->is_bool << 1 | type->is_signed));
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

/* Reads the arguments of a function, after its name. */
static bool read_call(struct reading *reading, enum operation operation)
{
    struct reader *reader = reading->reader;

    return (reader_take(reader, "(") || reader_fail(reader, "expected '(' here")) &&
           read_nested(reading, read_conditional) &&
           (operation <= LAST_UNARY ||
            ((reader_take(reader, ",") ||
              reader_fail(reader, "expected ',' and a second number here")) &&
             read_nested(reading, read_conditional))) &&
           close_parenthesis(reader) && add_operation(reading, operation);
}

static bool is_text(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(text, name, length) == 0;
}

/* Returns the variable of that text, or VARIABLES if it has none. */
static uint32_t variable_of(const struct expression_names *names, const char *text, size_t length)
{
    for (uint32_t own = 0; own < names->count; own++)
        if (is_text(text, length, names->name[own].text))
            return VARIABLE_OWN + own;
    for (uint32_t v = 0; v < VARIABLE_OWN; v++)
        if (is_text(text, length, expression_sizes[v]))
            return v;
    return VARIABLES;
}

/* Adds a name or a term that the compiler or the case defines. */
static bool add_name(struct reading *reading, const char *text, size_t length)
{
    struct expression_names *names = reading->names;
    uint32_t variable = variable_of(names, text, length);

    if (variable < VARIABLES)
        return add(reading, PUSH_VARIABLE, integer(variable));
    reading->reader->at = text;
    if (length == 0)
        return reader_fail(reading->reader, "%s", expression_expected);
    if (length >= NAME_TEXT)
        return reader_fail(reading->reader, "this constant is longer than %d characters",
                           NAME_TEXT - 1);
    if (names->count == MAX_NAMES)
        return reader_fail(reading->reader, "the launch uses more than %d names and constants",
                           MAX_NAMES);
    reading->reader->at += length;
    names->name[names->count] = (struct expression_name){.is_size = false};
    memcpy(names->name[names->count].text, text, length);
    return add(reading, PUSH_VARIABLE, integer(VARIABLE_OWN + names->count++));
}

/* Returns the length of the brackets and what they hold, or 0 if they are not closed. A ';' ends a
 * launch, except in the body of a function. */
static size_t bracketed(const char *at, const char *brackets)
{
    size_t length = 0;
    int depth = 0;

    do {
        if (at[length] == '\0' || (at[length] == ';' && *brackets != '{'))
            return 0;
        depth += at[length] == brackets[0];
        depth -= at[length] == brackets[1];
        length++;
    } while (depth > 0);
    return length;
}

/* Returns the length of what follows a name and belongs to it: "::width", "(4)", "<int>::width". A
 * '<' begins template arguments only if what follows them cannot be an operand: '::', '(', '{', or
 * the end of an argument. */
static size_t suffix_length(const char *at)
{
    size_t length = strncmp(at, "::", 2) == 0 ? 2 : *at == '.';

    if (length > 0)
        return reader_name_length(at + length) > 0 ? length + reader_name_length(at + length) : 0;
    if (*at == '(')
        return bracketed(at, "()");
    if (*at == '{')
        return bracketed(at, "{}");
    if (*at == '[')
        return bracketed(at, "[]");
    length = *at == '<' ? bracketed(at, "<>") : 0;
    return length > 0 &&
                   (strncmp(at + length, "::", 2) == 0 || strchr("({,)", at[length]) != NULL) &&
                   at[length] != '\0'
               ? length
               : 0;
}

/* Checks that a term names no size, because only the compiler can compute it. */
static bool has_no_size(struct reading *reading, const char *text, size_t length)
{
    for (const char *at = text; at < text + length; at++) {
        size_t name = reader_name_length(at);
        uint32_t variable = variable_of(reading->names, at, name);
        bool is_qualified = at > text && (at[-1] == ':' || at[-1] == '.');
        if (name > 0 && !is_qualified &&
            (variable < VARIABLE_OWN ||
             (variable < VARIABLES && reading->names->name[variable - VARIABLE_OWN].is_size))) {
            reading->reader->at = text;
            return reader_fail(reading->reader,
                               "'%.*s' depends on the size %.*s: write the formula instead of the "
                               "call, such as (n + 255) / 256",
                               (int)length, text, (int)name, at);
        }
        at += name > 0 ? name - 1 : 0;
    }
    return true;
}

/* Reads what begins with a name: a function of this program, a cast such as int(x), a variable, or
 * a term for the compiler. */
static bool read_name(struct reading *reading)
{
    struct reader *reader = reading->reader;
    const char *text = reader->at;
    struct launch_type type;
    size_t length, more;

    if (strncmp(text, "std::", 5) == 0 || strncmp(text, "::", 2) == 0)
        text += *text == 's' ? 5 : 2;
    length = reader_name_length(text);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        if (length == strlen(functions[f].name) && strncmp(text, functions[f].name, length) == 0) {
            reader->at = text + length;
            return read_call(reading, functions[f].operation);
        }
    text = reader->at;
    if (launch_type_take(reader, &type) && type.lanes == 1 && reader_take(reader, "("))
        return read_nested(reading, read_conditional) && close_parenthesis(reader) &&
               add_cast(reading, &type);
    reader->at = text;
    length += (size_t)(strncmp(text, "std::", 5) == 0 ? 5 : strncmp(text, "::", 2) == 0 ? 2 : 0);
    reader->at += length;
    while ((more = suffix_length(reader->at)) > 0)
        reader->at += more;
    more = (size_t)(reader->at - text);
    return (more == length || has_no_size(reading, text, more)) && add_name(reading, text, more);
}

/* Reads the address of a function or variable of the code, "&ns::twice", as a name. */
static bool read_address(struct reading *reading)
{
    struct reader *reader = reading->reader;
    const char *text = reader->at++;
    size_t more;

    reader_skip_blanks(reader);
    reader->at += strncmp(reader->at, "::", 2) == 0 ? 2 : 0;
    more = reader_name_length(reader->at);
    if (more == 0)
        return reader_fail(reader, "expected a name of the code after '&' here");
    for (; more > 0; more = suffix_length(reader->at))
        reader->at += more;
    more = (size_t)(reader->at - text);
    return has_no_size(reading, text, more) && add_name(reading, text, more);
}

static bool read_number(struct reading *reading)
{
    struct reader *reader = reading->reader;
    const char *at = reader->at;
    size_t digits = strspn(at, "0123456789");
    bool is_floating = !(at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) && at[digits] != '\0' &&
                       strchr(".eEf", at[digits]) != NULL;
    char *end;
    struct number number = {.kind = is_floating ? NUMBER_FLOATING : NUMBER_INTEGER};

    errno = 0;
    if (is_floating)
        number.floating = strtod(at, &end);
    else if (at[0] == '0' && (at[1] == 'b' || at[1] == 'B'))
        number.integer = strtoll(at + 2, &end, 2);
    else
        number.integer = strtoll(at, &end, 0);
    if (errno != 0 && !is_floating)
        return reader_fail(reader, "this number is too large: the limit is 2^63 - 1");
    if (is_floating && (*end == 'f' || *end == 'F'))
        number.floating = (float)number.floating;
    reader->at = end + strspn(end, is_floating ? "fF" : "uUlLzZ");
    return add(reading, PUSH_NUMBER, number);
}

/* Reads a C cast, static_cast included, if one is next, and what it converts. Sets *is_cast. */
static bool read_cast(struct reading *reading, bool *is_cast)
{
    struct reader *reader = reading->reader;
    const char *start = reader->at;
    struct launch_type type;
    bool is_static = reader_take_word(reader, "static_cast");

    *is_cast = reader_take(reader, is_static ? "<" : "(") && launch_type_take(reader, &type) &&
               type.lanes == 1 && reader_take(reader, is_static ? ">" : ")");
    if (!*is_cast) {
        reader->at = start;
        return true;
    }
    if (is_static ? !reader_expect(reader, "(") || !read_nested(reading, read_conditional) ||
                        !close_parenthesis(reader)
                  : !read_nested(reading, read_unary))
        return false;
    return add_cast(reading, &type);
}

static bool read_unary(struct reading *reading)
{
    static const struct {
        const char *sign;
        enum operation operation;
    } signs[] = {{"-", NEGATE}, {"~", INVERT}, {"!", NOT}};
    struct reader *reader = reading->reader;
    bool is_cast;

    reader_skip_blanks(reader);
    if (!read_cast(reading, &is_cast) || is_cast)
        return is_cast && reader->error[0] == '\0';
    if (reader_take(reader, "("))
        return read_nested(reading, read_conditional) && close_parenthesis(reader);
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (reader_take(reader, signs[s].sign))
            return read_nested(reading, read_unary) && add_operation(reading, signs[s].operation);
    if (reader_take(reader, "+"))
        return read_nested(reading, read_unary);
    if (reader_take_word(reader, "true"))
        return add(reading, PUSH_NUMBER, integer(1));
    if (reader_take_word(reader, "false") || reader_take_word(reader, "nullptr") ||
        reader_take_word(reader, "NULL"))
        return add(reading, PUSH_NUMBER, integer(0));
    if (*reader->at == '&')
        return read_address(reading);
    return isdigit((unsigned char)*reader->at) || *reader->at == '.' ? read_number(reading)
                                                                     : read_name(reading);
}

/* Returns the length of the sign if it is next and no longer one is; ">>>" ends a launch. */
static size_t take_sign(const char *at, const char *sign)
{
    size_t length = strlen(sign);

    if (strncmp(at, sign, length) != 0 || strncmp(at, ">>>", 3) == 0)
        return 0;
    return length == 1 && (at[1] == '=' || (strchr("&|<>", *at) != NULL && at[1] == *at)) ? 0
                                                                                          : length;
}

/* Reads binary operators in C's order of precedence. */
static bool read_binary(struct reading *reading, int level)
{
    static const struct {
        const char *sign;
        enum operation operation;
    } levels[][4] = {
        {{"||", OR}},
        {{"&&", AND}},
        {{"|", BIT_OR}},
        {{"^", BIT_XOR}},
        {{"&", BIT_AND}},
        {{"==", EQUAL}, {"!=", NOT_EQUAL}},
        {{"<=", LESS_EQUAL}, {">=", GREATER_EQUAL}, {"<", LESS}, {">", GREATER}},
        {{"<<", SHIFT_LEFT}, {">>", SHIFT_RIGHT}},
        {{"+", ADD}, {"-", SUBTRACT}},
        {{"*", MULTIPLY}, {"/", DIVIDE}, {"%", REMAINDER}},
    };
    const int last = sizeof levels / sizeof *levels;
    struct reader *reader = reading->reader;

    if (level == last)
        return read_unary(reading);
    if (!read_binary(reading, level + 1))
        return false;
    for (int k = 0; k < 4 && levels[level][k].sign != NULL;) {
        size_t length;
        reader_skip_blanks(reader);
        length = take_sign(reader->at, levels[level][k].sign);
        if (length == 0) {
            k++;
            continue;
        }
        reader->at += length;
        if (!read_binary(reading, level + 1) || !add_operation(reading, levels[level][k].operation))
            return false;
        k = 0;
    }
    return true;
}

static bool read_conditional(struct reading *reading)
{
    struct reader *reader = reading->reader;

    if (!read_binary(reading, 0))
        return false;
    if (!reader_take(reader, "?"))
        return true;
    return read_nested(reading, read_conditional) && reader_expect(reader, ":") &&
           read_nested(reading, read_conditional) && add_operation(reading, CHOOSE);
}

bool expression_read(struct reader *reader, struct expression_names *names,
                     struct expression *expression)
{
    expression->count = 0;
    return read_conditional(&(struct reading){reader, names, expression, 0});
}

/* Copies a lambda without attributes from its '[' on. Returns its length, or 0 if it is
 * malformed. */
static size_t copy_lambda(const char *at, char text[NAME_TEXT])
{
    size_t length = bracketed(at, "[]"), used = length, piece;

    if (length == 0 || length >= NAME_TEXT)
        return 0;
    memcpy(text, at, length);
    while (at[length] != '\0' && at[length] != '{') {
        size_t word = reader_name_length(at + length);
        piece = word > 0 ? word : at[length] == '(' ? bracketed(at + length, "()") : 1;
        if (piece == 0 || used + piece >= NAME_TEXT)
            return 0;
        if (!is_text(at + length, word, "__device__") && !is_text(at + length, word, "__host__")) {
            memcpy(text + used, at + length, piece);
            used += piece;
        }
        length += piece;
    }
    piece = at[length] == '{' ? bracketed(at + length, "{}") : 0;
    if (piece == 0 || used + piece >= NAME_TEXT)
        return 0;
    snprintf(text + used, NAME_TEXT - used, "%.*s", (int)piece, at + length);
    return length + piece;
}

/* Returns whether a lambda captures variables, which the code does not have. "[a = 2.0f]" makes its
 * own. */
static bool captures_variables(const char *lambda)
{
    enum { EMPTY, NAMED, VALUED } capture = EMPTY;
    size_t end = bracketed(lambda, "[]");

    for (size_t k = 1, depth = 1; k < end; k++) {
        bool is_end = depth == 1 && (lambda[k] == ',' || lambda[k] == ']');
        depth += (strchr("({[", lambda[k]) != NULL) - (size_t)(strchr(")}]", lambda[k]) != NULL);
        if (capture == EMPTY && !is_end && lambda[k] != ' ') {
            if (reader_name_length(lambda + k) == 0)
                return true;
            capture = NAMED;
        } else if (capture == NAMED && lambda[k] == '=')
            capture = VALUED;
        if (is_end && capture == NAMED)
            return true;
        if (is_end)
            capture = EMPTY;
    }
    return false;
}

bool expression_read_lambda(struct reader *reader, struct expression_names *names,
                            struct expression *expression)
{
    struct reading reading = {reader, names, expression, 0};
    const char *start = reader->at;
    char text[NAME_TEXT];
    size_t length;

    if (captures_variables(start))
        return reader_fail(reader, "a lambda that captures variables cannot be an argument here: "
                                   "give it values, as in [a = 2.0f], or pass an object of a "
                                   "class, such as Scale{2.0f}");
    length = copy_lambda(start, text);
    if (length == 0)
        return reader_fail(reader,
                           "expected a lambda of at most %d characters here, such as "
                           "[](float x) { return 2 * x; }",
                           NAME_TEXT - 1);
    expression->count = 0;
    if (!add_name(&reading, text, strlen(text)))
        return false;
    reader->at = start + length;
    return true;
}

/* ---- Making ---- */

struct expression expression_constant(int64_t value)
{
    return (struct expression){.count = 1, .steps = {{PUSH_NUMBER, integer(value)}}};
}

bool expression_multiply(struct expression *expression, const struct expression *by)
{
    if (expression->count + by->count >= MAX_STEPS)
        return false;
    memcpy(expression->steps + expression->count, by->steps, by->count * sizeof *by->steps);
    expression->count += by->count;
    expression->steps[expression->count++] = (struct step){MULTIPLY, integer(0)};
    return true;
}

/* ---- Values ---- */

bool expression_has(const struct expression *expression, uint32_t variable)
{
    for (uint32_t k = 0; k < expression->count; k++)
        if (expression->steps[k].operation == PUSH_VARIABLE &&
            expression->steps[k].number.integer == (int64_t)variable)
            return true;
    return false;
}

bool expression_is(const struct expression *expression, uint32_t variable)
{
    return expression->count == 1 && expression_has(expression, variable);
}

uint32_t expression_name(const struct expression *expression)
{
    const struct step *step = &expression->steps[0];

    return expression->count == 1 && step->operation == PUSH_VARIABLE &&
                   step->number.integer >= VARIABLE_OWN
               ? (uint32_t)step->number.integer - VARIABLE_OWN
               : MAX_NAMES;
}

bool expression_is_constant(const struct expression *expression, int64_t value)
{
    const struct step *step = &expression->steps[0];

    return expression->count == 1 && step->operation == PUSH_NUMBER &&
           step->number.kind == NUMBER_INTEGER && step->number.integer == value;
}

static const struct number none = {.kind = NUMBER_NONE};

static struct number floating(double value)
{
    return (struct number){NUMBER_FLOATING, 0, value};
}

static double as_floating(struct number number)
{
    return number.kind == NUMBER_FLOATING ? number.floating : (double)number.integer;
}

static bool is_true(struct number number)
{
    return number.kind == NUMBER_FLOATING ? number.floating != 0 : number.integer != 0;
}

/* Converts to an integer of that many bits, with or without a sign. */
static struct number narrowed(struct number number, unsigned int bits, bool is_signed)
{
    uint64_t value = (uint64_t)number.integer,
             most = bits < 64 ? (UINT64_C(1) << bits) - 1 : ~UINT64_C(0);

    if (number.kind == NUMBER_NONE)
        return none;
    if (number.kind == NUMBER_FLOATING) {
        if (!(number.floating > -0x1p63 && number.floating < 0x1p63))
            return none;
        value = (uint64_t)(int64_t)number.floating;
    }
    value &= most;
    if (is_signed && bits < 64 && (value >> (bits - 1) & 1) != 0)
        value |= ~most;
    return integer((int64_t)value);
}

/* Converts to the type that add_cast() gave. A half counts as a float: it has fewer digits. */
static struct number cast(struct number number, int64_t type)
{
    enum element element = (enum element)(type >> 2);

    if (element_is_float(element))
        return floating(element == ELEMENT_F64 ? as_floating(number) : (float)as_floating(number));
    if ((type & 2) != 0)
        return integer(is_true(number));
    return narrowed(number, 8 * (unsigned int)element_size(element), (type & 1) != 0);
}

static struct number apply_unary(const struct step *step, struct number a)
{
    int64_t result;

    if (a.kind == NUMBER_NONE)
        return none;
    switch (step->operation) {
    case NEGATE:
        if (a.kind == NUMBER_FLOATING)
            return floating(-a.floating);
        return __builtin_sub_overflow(0, a.integer, &result) ? none : integer(result);
    case INVERT:
        return a.kind == NUMBER_FLOATING ? none : integer(~a.integer);
    case NOT:
        return integer(!is_true(a));
    case CAST:
        return cast(a, step->number.integer);
    case CEIL:
        return floating(ceil(as_floating(a)));
    case FLOOR:
        return floating(floor(as_floating(a)));
    case ROUND:
        return floating(round(as_floating(a)));
    case SQUARE_ROOT:
        return floating(sqrt(as_floating(a)));
    default:
        return floating(log2(as_floating(a)));
    }
}

static struct number apply_to_floats(enum operation operation, double a, double b)
{
    switch (operation) {
    case ADD:
        return floating(a + b);
    case SUBTRACT:
        return floating(a - b);
    case MULTIPLY:
        return floating(a * b);
    case DIVIDE:
        return floating(a / b);
    case MINIMUM:
        return floating(a < b ? a : b);
    case MAXIMUM:
        return floating(a > b ? a : b);
    case LESS:
        return integer(a < b);
    case LESS_EQUAL:
        return integer(a <= b);
    case GREATER:
        return integer(a > b);
    case GREATER_EQUAL:
        return integer(a >= b);
    case EQUAL:
        return integer(a == b);
    case NOT_EQUAL:
        return integer(a != b);
    default: /* C++ has no such operation of floats */
        return none;
    }
}

static struct number shifted(enum operation operation, int64_t a, int64_t b)
{
    if (b < 0 || b > 62 || a < 0 || (operation == SHIFT_LEFT && a > INT64_MAX >> b))
        return none;
    return integer(operation == SHIFT_LEFT ? a << b : a >> b);
}

static struct number apply_to_integers(enum operation operation, int64_t a, int64_t b)
{
    int64_t result;

    switch (operation) {
    case ADD:
        return __builtin_add_overflow(a, b, &result) ? none : integer(result);
    case SUBTRACT:
        return __builtin_sub_overflow(a, b, &result) ? none : integer(result);
    case MULTIPLY:
        return __builtin_mul_overflow(a, b, &result) ? none : integer(result);
    case DIVIDE:
    case REMAINDER:
        if (b == 0 || (a == INT64_MIN && b == -1))
            return none;
        return integer(operation == DIVIDE ? a / b : a % b);
    case SHIFT_LEFT:
    case SHIFT_RIGHT:
        return shifted(operation, a, b);
    case BIT_AND:
        return integer(a & b);
    case BIT_OR:
        return integer(a | b);
    case BIT_XOR:
        return integer(a ^ b);
    case MINIMUM:
        return integer(a < b ? a : b);
    case MAXIMUM:
        return integer(a > b ? a : b);
    case LESS:
        return integer(a < b);
    case LESS_EQUAL:
        return integer(a <= b);
    case GREATER:
        return integer(a > b);
    case GREATER_EQUAL:
        return integer(a >= b);
    case EQUAL:
        return integer(a == b);
    default:
        return integer(a != b);
    }
}

static struct number apply_binary(enum operation operation, struct number a, struct number b)
{
    /* The first operand may decide alone. */
    if (a.kind != NUMBER_NONE && operation == AND && !is_true(a))
        return integer(0);
    if (a.kind != NUMBER_NONE && operation == OR && is_true(a))
        return integer(1);
    if (a.kind == NUMBER_NONE || b.kind == NUMBER_NONE)
        return none;
    if (operation == AND || operation == OR)
        return integer(is_true(b));
    return a.kind == NUMBER_FLOATING || b.kind == NUMBER_FLOATING
               ? apply_to_floats(operation, as_floating(a), as_floating(b))
               : apply_to_integers(operation, a.integer, b.integer);
}

struct number expression_number(const struct expression *expression,
                                const struct number variables[VARIABLES])
{
    struct number stack[MAX_STEPS] = {{0}};
    uint32_t depth = 0;

    for (uint32_t k = 0; k < expression->count; k++) {
        const struct step *step = &expression->steps[k];
        if (step->operation == PUSH_NUMBER) {
            stack[depth++] = step->number;
        } else if (step->operation == PUSH_VARIABLE) {
            stack[depth++] = variables[step->number.integer];
        } else if (step->operation <= LAST_UNARY) {
            stack[depth - 1] = apply_unary(step, stack[depth - 1]);
        } else if (step->operation == CHOOSE) {
            depth -= 2;
            stack[depth - 1] = stack[depth - 1].kind == NUMBER_NONE ? none
                               : is_true(stack[depth - 1])          ? stack[depth]
                                                                    : stack[depth + 1];
        } else {
            depth--;
            stack[depth - 1] =
                apply_binary((enum operation)step->operation, stack[depth - 1], stack[depth]);
        }
    }
    return stack[0];
}

bool expression_value(const struct expression *expression, const struct number variables[VARIABLES],
                      int64_t *value)
{
    struct number number = narrowed(expression_number(expression, variables), 64, true);

    *value = number.integer;
    return number.kind == NUMBER_INTEGER;
}
