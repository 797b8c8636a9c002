/* SPDX-License-Identifier: MIT
 *
 * Declarations of variables and registers. PTX ISA, chapter 5.
 */
#include "parser.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- Names ---- */

struct variable *parser_variable(const struct parser *parser, const char *name)
{
    struct variable *variable = names_get(&parser->scoped_names, name, 0);

    return variable != NULL ? variable : module_variable(parser->module, name);
}

/* Checks the form that the PTX ISA gives for identifiers. */
static bool is_identifier(const char *name)
{
    const char *c = name + (*name == '_' || *name == '$' || *name == '%');

    for (; isalnum((unsigned char)*c) || *c == '_' || *c == '$'; c++)
        ;
    return *c == '\0';
}

const char *parser_name(struct parser *parser, const char *what)
{
    uint32_t line = parser->lexer.token.line;
    const char *name = lexer_word(&parser->lexer, what);

    if (!is_identifier(name))
        parser_fail(parser, line,
                    "expected %s (letters, digits, _, $ and a leading %%), found `%.60s`", what,
                    name);
    return name;
}

/* ---- Variables ---- */

static uint64_t alignment_of(struct parser *parser)
{
    uint32_t line = parser->lexer.token.line;
    int64_t alignment = lexer_integer(&parser->lexer, "an alignment");

    if (alignment <= 0 || alignment > 4096 || (alignment & (alignment - 1)) != 0)
        parser_fail(parser, line, "an alignment must be a power of two up to 4096");
    return (uint64_t)alignment;
}

static const struct type *expect_type(struct parser *parser)
{
    const struct token *token = &parser->lexer.token;
    const struct type *type =
        token->kind == TOKEN_DOT ? type_find(token->text + 1, strlen(token->text + 1)) : NULL;

    if (type == NULL)
        lexer_unexpected(&parser->lexer, "a type");
    lexer_next(&parser->lexer);
    return type;
}

/* Multiplies the size by the dimensions that follow a name, such as [4][8]. An empty first
 * dimension sets it to 0. */
static void read_dimensions(struct parser *parser, struct variable *variable)
{
    uint64_t bytes = variable->bytes;

    parser->rows = parser->levels = 0;
    parser->is_unsized = false;
    for (; lexer_take(&parser->lexer, "["); parser->levels++) {
        int64_t count = 1;
        if (parser->levels == 0 && lexer_is(&parser->lexer, "]"))
            parser->is_unsized = true;
        else
            count = parser_integer(parser, "an array size");
        if (count < 0 || __builtin_mul_overflow(bytes, (uint64_t)count, &bytes) ||
            bytes > MAX_BYTES)
            parser_fail(parser, variable->line, "`%.60s` is larger than %d bytes", variable->name,
                        MAX_BYTES);
        lexer_expect(&parser->lexer, "]");
    }
    parser->row = bytes;
    parser->levels += variable->element > variable->type->bytes; /* a vector is in braces too */
    variable->bytes = parser->is_unsized ? 0 : bytes;
}

/* Makes room for the initial values of an array without a size. */
static void grow_initial(struct parser *parser, struct variable *variable, uint64_t bytes)
{
    uint8_t *initial;

    if (bytes <= variable->bytes)
        return;
    if (bytes > MAX_INITIAL)
        parser_fail(parser, variable->line, "`%.60s` has an initial value and more than %d bytes",
                    variable->name, MAX_INITIAL);
    variable->bytes = 2 * bytes;
    initial = arena_take(parser->module->arena, variable->bytes, 1);
    if (variable->given > 0)
        memcpy(initial, variable->initial, variable->given);
    variable->initial = initial;
}

static void put_value(struct parser *parser, struct variable *variable, uint32_t line,
                      uint64_t value)
{
    uint32_t bytes = variable->type->bytes;

    if (parser->is_unsized)
        grow_initial(parser, variable, variable->given + bytes);
    if (variable->given + bytes > variable->bytes)
        parser_fail(parser, line, "`%.60s` has more initial values than elements", variable->name);
    for (uint32_t i = 0; i < bytes; i++)
        variable->initial[variable->given + i] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
    variable->given += bytes;
}

/* Returns the bit from which on 0xff00(name) takes a byte of an address. */
static uint8_t shift_of(const struct parser *parser, uint32_t line, uint64_t mask)
{
    for (uint8_t shift = 0; shift < 64; shift = (uint8_t)(shift + 8))
        if (mask == UINT64_C(0xff) << shift)
            return shift;
    parser_fail(parser, line, "a mask of an address must select one byte, such as 0xff00");
}

/* Reads name, name+4 or generic(name)+4 as an initial value. */
static void read_relocation(struct parser *parser, struct variable *variable, uint32_t bytes,
                            uint8_t shift)
{
    struct relocation *relocation;
    uint32_t line = parser->lexer.token.line;
    const char *name = lexer_word(&parser->lexer, "a name");

    if (variable->type->bytes != bytes)
        parser_fail(parser, line, "`%.60s` has elements of %u bits, and %s needs %u",
                    variable->name, 8 * variable->type->bytes,
                    bytes == 8 ? "an address" : "a byte of an address", 8 * bytes);
    variable->relocations = arena_more(parser->module->arena, variable->relocations,
                                       variable->relocation_count, sizeof *relocation);
    relocation = &variable->relocations[variable->relocation_count++];
    *relocation = (struct relocation){.at = variable->given,
                                      .symbol = name,
                                      .line = line,
                                      .bytes = (uint8_t)bytes,
                                      .shift = shift};
    if (strcmp(name, "generic") == 0 && lexer_take(&parser->lexer, "(")) {
        relocation->symbol = lexer_word(&parser->lexer, "a name");
        if (lexer_take(&parser->lexer, "+"))
            relocation->addend = lexer_integer(&parser->lexer, "an offset");
        lexer_expect(&parser->lexer, ")");
    }
    if (lexer_take(&parser->lexer, "+"))
        relocation->addend = (int64_t)((uint64_t)relocation->addend +
                                       (uint64_t)lexer_integer(&parser->lexer, "an offset"));
    put_value(parser, variable, line, 0);
}

/* Reads a number. If it is a mask, reads the address that follows it, as in 0xff(name). */
static void read_number(struct parser *parser, struct variable *variable)
{
    struct lexer *lexer = &parser->lexer;
    uint32_t line = lexer->token.line, bytes = variable->type->bytes;
    struct constant value = parser_constant(parser, '\0', "a value");
    double number;
    float single;

    if (!value.is_float && lexer_take(lexer, "(")) {
        read_relocation(parser, variable, 1, shift_of(parser, line, value.bits));
        lexer_expect(lexer, ")");
        return;
    }
    if (value.is_float && (variable->type->kind == 's' || variable->type->kind == 'u' || bytes < 4))
        parser_fail(parser, line, "this value and the elements of `%.60s` differ in type",
                    variable->name);
    if (value.is_float && !value.is_single && bytes == 4) {
        memcpy(&number, &value.bits, sizeof number);
        single = (float)number;
        value.bits = 0;
        memcpy(&value.bits, &single, sizeof single);
    }
    put_value(parser, variable, line, value.bits);
}

/* Reads values in braces, or one value. As in ptxas, inner braces do not fill up their rows. They
 * only count the rows of an array without a size. */
static void read_values(struct parser *parser, struct variable *variable, uint32_t depth)
{
    struct lexer *lexer = &parser->lexer;

    if (depth < parser->levels && lexer_take(lexer, "{")) {
        parser->rows += depth == 1;
        while (!lexer_take(lexer, "}")) {
            read_values(parser, variable, depth + 1);
            if (!lexer_is(lexer, "}"))
                lexer_expect(lexer, ",");
        }
    } else if (lexer->token.kind == TOKEN_WORD && !lexer_is(lexer, "WARP_SZ")) {
        read_relocation(parser, variable, 8, 0);
    } else {
        read_number(parser, variable);
    }
}

static void read_initial(struct parser *parser, struct variable *variable)
{
    if (variable->space != SPACE_GLOBAL && variable->space != SPACE_CONST)
        parser_fail(
            parser, variable->line,
            "`%.60s` has an initial value, but only .global and .const variables may have one",
            variable->name);
    if (parser->levels == 0 && lexer_is(&parser->lexer, "{"))
        parser_fail(parser, variable->line,
                    "`%.60s` is not an array, so its initial value cannot be in braces: the launch "
                    "line gives the properties of textures and samplers",
                    variable->name);
    if (variable->bytes > MAX_INITIAL)
        parser_fail(parser, variable->line, "`%.60s` has an initial value and more than %d bytes",
                    variable->name, MAX_INITIAL);
    if (!parser->is_unsized)
        variable->initial = arena_take(parser->module->arena, variable->bytes, 1);
    read_values(parser, variable, 0);
    if (parser->is_unsized && parser->row > 0) {
        uint64_t rows = (variable->given + parser->row - 1) / parser->row;
        uint64_t bytes = (rows > parser->rows ? rows : parser->rows) * parser->row;
        grow_initial(parser, variable, bytes);
        variable->bytes = bytes;
    }
}

enum space parser_space(const char *directive)
{
    return strcmp(directive, ".global") == 0   ? SPACE_GLOBAL
           : strcmp(directive, ".const") == 0  ? SPACE_CONST
           : strcmp(directive, ".shared") == 0 ? SPACE_SHARED
           : strcmp(directive, ".local") == 0  ? SPACE_LOCAL
           : strcmp(directive, ".param") == 0  ? SPACE_PARAM
                                               : SPACE_GENERIC;
}

/* A texture, sampler or surface is represented only by its handle. The decoder rejects instructions
 * that read one. */
static const struct type *variable_type(struct parser *parser, struct variable *variable)
{
    static const char *const opaque[] = {".texref", ".samplerref", ".surfref"};

    for (size_t k = 0; k < sizeof opaque / sizeof *opaque && !variable->is_opaque; k++)
        variable->is_opaque = lexer_take(&parser->lexer, opaque[k]);
    return variable->is_opaque ? type_find("b64", 3) : expect_type(parser);
}

bool parser_attribute(struct parser *parser, struct variable *variable)
{
    struct lexer *lexer = &parser->lexer;
    int depth = 0;

    if (!lexer_take(lexer, ".attribute"))
        return false;
    if (!lexer_is(lexer, "("))
        lexer_expect(lexer, "(");
    do {
        if (lexer->token.kind == TOKEN_END)
            lexer_unexpected(lexer, "`)`");
        depth += lexer_is(lexer, "(");
        depth -= lexer_is(lexer, ")");
        if (variable != NULL && lexer_is(lexer, ".managed"))
            variable->is_managed = true;
        lexer_next(lexer);
    } while (depth > 0);
    return true;
}

/* Reads what stands between the space and the name: .align 4 .v2 .b32, and hints for pointers. */
static void read_attributes(struct parser *parser, struct variable *variable)
{
    struct lexer *lexer = &parser->lexer;
    uint64_t elements = 1;

    for (;;) {
        if (lexer_take(lexer, ".align")) {
            variable->alignment = alignment_of(parser);
        } else if (lexer_take(lexer, ".ptr")) {
            if (parser_space(lexer->token.text) != SPACE_GENERIC)
                lexer_next(lexer);
            if (lexer_take(lexer, ".align"))
                alignment_of(parser);
        } else if (variable->type == NULL && (lexer_is(lexer, ".v2") || lexer_is(lexer, ".v4"))) {
            elements = lexer_is(lexer, ".v2") ? 2 : 4;
            lexer_next(lexer);
        } else if (parser_attribute(parser, variable)) {
            continue;
        } else if (variable->type == NULL) {
            variable->type = variable_type(parser, variable);
            if (variable->type->kind == 'p')
                parser_fail(parser, variable->line,
                            "a variable cannot have type .pred: declare a register");
            variable->bytes = variable->element = variable->type->bytes * elements;
            if (variable->alignment == 0)
                variable->alignment = variable->bytes;
        } else {
            return;
        }
    }
}

static struct variable *new_variable(struct parser *parser, enum space space)
{
    struct variable *variable = arena_take(parser->module->arena, 1, sizeof *variable);

    variable->space = space;
    variable->line = parser->lexer.token.line;
    variable->owner = parser->function;
    variable->number = parser->variables++;
    return variable;
}

static struct variable *read_variable(struct parser *parser, enum space space)
{
    struct variable *variable = new_variable(parser, space);

    read_attributes(parser, variable);
    variable->name = parser_name(parser, "a variable name");
    read_dimensions(parser, variable);
    return variable;
}

/* Reads another variable of the same type. */
static struct variable *read_sibling(struct parser *parser, const struct variable *first)
{
    struct variable *variable = new_variable(parser, first->space);

    variable->type = first->type;
    variable->alignment = first->alignment;
    variable->bytes = variable->element = first->element;
    variable->name = parser_name(parser, "a variable name");
    read_dimensions(parser, variable);
    return variable;
}

/* Reads a parameter or result that is a register, after .reg. */
static struct variable *register_parameter(struct parser *parser)
{
    struct variable *parameter = new_variable(parser, SPACE_PARAM);

    read_attributes(parser, parameter);
    parameter->is_register = true;
    parameter->name = lexer_word(&parser->lexer, "a register");
    if (parameter->element != parameter->type->bytes)
        parser_fail(parser, parameter->line, "the parameter `%.60s` is a vector of registers",
                    parameter->name);
    return parameter;
}

struct variable *parser_parameter(struct parser *parser, bool may_be_register)
{
    struct variable *parameter;

    if (may_be_register && lexer_take(&parser->lexer, ".reg"))
        return register_parameter(parser);
    lexer_expect(&parser->lexer, ".param");
    parameter = read_variable(parser, SPACE_PARAM);
    if (parameter->bytes == 0)
        parser_fail(parser, parameter->line, "the parameter `%.60s` has no size", parameter->name);
    return parameter;
}

void parser_enter(struct parser *parser, struct variable *variable)
{
    parser->scoped = arena_more(parser->module->arena, parser->scoped, parser->scoped_count,
                                sizeof *parser->scoped);
    parser->scoped[parser->scoped_count++] = variable;
    names_enter(&parser->scoped_names, parser->module->arena, variable->name, 0, variable);
}

void parser_leave(struct parser *parser, size_t declared, size_t scoped)
{
    while (parser->declared_count > declared) {
        const struct declared *latest = parser->declared[--parser->declared_count];
        names_drop(&parser->declared_names, latest->name, latest->ranged);
    }
    while (parser->scoped_count > scoped)
        names_drop(&parser->scoped_names, parser->scoped[--parser->scoped_count]->name, 0);
}

static void enter_local(struct parser *parser, struct variable *variable)
{
    struct function *function = parser->function;

    parser_enter(parser, variable);
    function->variables = arena_more(parser->module->arena, function->variables,
                                     function->variable_count, sizeof *function->variables);
    function->variables[function->variable_count++] = variable;
    if (variable->space != SPACE_LOCAL && variable->space != SPACE_PARAM)
        return;
    function->local_bytes += variable->bytes;
    if (function->local_bytes > MAX_LOCAL)
        parser_fail(parser, variable->line, "`%.60s` has more than %d bytes in .local and .param",
                    function->name, MAX_LOCAL);
}

static void enter_variable(struct parser *parser, struct variable *variable)
{
    struct module *module = parser->module;

    if (parser->function != NULL)
        enter_local(parser, variable);
    else
        names_enter(&module->variable_names, module->arena, variable->name, 0, variable);
    if (variable->space == SPACE_LOCAL || variable->space == SPACE_PARAM)
        return;
    module->variables = arena_more(module->arena, module->variables, module->variable_count,
                                   sizeof *module->variables);
    module->variables[module->variable_count++] = variable;
}

/* Enters a variable of the module, which may already be declared. */
static void enter_global(struct parser *parser, struct variable *variable)
{
    struct variable *earlier = module_variable(parser->module, variable->name);
    const struct function *function = module_function(parser->module, variable->name);
    uint32_t number;

    if (function != NULL)
        parser_fail(parser, variable->line, "`%.60s` is already a function, declared on line %u",
                    variable->name, function->line);
    if (earlier == NULL) {
        enter_variable(parser, variable);
        return;
    }
    if (earlier->linkage != LINKAGE_EXTERN)
        parser_fail(parser, variable->line, "`%.60s` is already defined on line %u", variable->name,
                    earlier->line);
    if (earlier->space != variable->space)
        parser_fail(parser, variable->line, "`%.60s` is declared in another state space on line %u",
                    variable->name, earlier->line);
    if (variable->linkage == LINKAGE_EXTERN)
        return;
    number = earlier->number;
    *earlier = *variable;
    earlier->number = number;
}

static void enter_any(struct parser *parser, struct variable *variable)
{
    if (parser->function != NULL)
        enter_variable(parser, variable);
    else
        enter_global(parser, variable);
}

/* Reads <3> after the name of `first`, and enters the variables name0, name1 and name2. */
static void enter_range(struct parser *parser, const struct variable *first)
{
    int64_t count = lexer_integer(&parser->lexer, "a number of variables");

    lexer_expect(&parser->lexer, ">");
    if (count < 1 || count > MAX_PARAMETERS)
        parser_fail(parser, first->line, "a name must have 1 to %d variables", MAX_PARAMETERS);
    for (int64_t k = 0; k < count; k++) {
        struct variable *variable = new_variable(parser, first->space);
        size_t size = strlen(first->name) + 8; /* a number has at most 4 digits */
        char *name = arena_take(parser->module->arena, size, 1);
        uint32_t number = variable->number;
        snprintf(name, size, "%s%d", first->name, (int)k);
        *variable = *first;
        variable->number = number;
        variable->name = name;
        enter_any(parser, variable);
    }
}

void parser_variables(struct parser *parser, enum space space, enum linkage linkage)
{
    struct variable *variable = read_variable(parser, space);

    for (;;) {
        variable->linkage = linkage;
        if (lexer_take(&parser->lexer, "="))
            read_initial(parser, variable);
        if (variable->bytes == 0 && linkage != LINKAGE_EXTERN)
            parser_fail(parser, variable->line, "`%.60s` has no size", variable->name);
        if (lexer_take(&parser->lexer, "<"))
            enter_range(parser, variable);
        else
            enter_any(parser, variable);
        if (lexer_take(&parser->lexer, ";"))
            return;
        lexer_expect(&parser->lexer, ",");
        variable = read_sibling(parser, variable);
    }
}

/* ---- Registers ---- */

static struct declared *declare(struct parser *parser, const struct type *type, const char *name,
                                uint32_t elements)
{
    struct declared *declared = arena_take(parser->module->arena, 1, sizeof *declared);

    *declared = (struct declared){
        .type = type, .name = name, .order = parser->declarations++, .elements = elements};
    parser->declared = arena_more(parser->module->arena, parser->declared, parser->declared_count,
                                  sizeof *parser->declared);
    parser->declared[parser->declared_count++] = declared;
    return declared;
}

static void enter_declared(struct parser *parser, struct declared *declared)
{
    names_enter(&parser->declared_names, parser->module->arena, declared->name, declared->ranged,
                declared);
}

void parser_register_parameter(struct parser *parser, struct variable *parameter)
{
    enter_declared(parser, declare(parser, parameter->type, parameter->name, 1));
    parameter->reg = parser_register(parser, parameter->name);
}

/* Reads what follows the type: %r<8> or %s. */
static void read_register(struct parser *parser, const struct type *type, uint32_t elements)
{
    struct lexer *lexer = &parser->lexer;
    uint32_t line = lexer->token.line;
    struct declared *declared = declare(parser, type, lexer_word(lexer, "a register"), elements);

    if (lexer_take(lexer, "<")) {
        int64_t count = lexer_integer(lexer, "a number of registers");
        if (count < 0 || count > MAX_REGISTERS)
            parser_fail(parser, line, "a name must have 0 to %d registers", MAX_REGISTERS);
        declared->count = (uint32_t)count;
        declared->ranged = true;
        lexer_expect(lexer, ">");
    }
    enter_declared(parser, declared);
}

/* .reg .b32 %r<8>, %s; or .reg .v4 .f32 %v; */
void parser_registers(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    const struct type *type;
    uint32_t elements = 1, line;

    if (lexer_take(lexer, ".align"))
        alignment_of(parser);
    if (lexer_is(lexer, ".v2") || lexer_is(lexer, ".v4")) {
        elements = lexer_is(lexer, ".v2") ? 2 : 4;
        lexer_next(lexer);
    }
    line = lexer->token.line;
    type = expect_type(parser);
    if (elements > 1 && type->kind == 'p')
        parser_fail(parser, line, "a vector of registers cannot have type .pred");
    do
        read_register(parser, type, elements);
    while (lexer_take(&parser->lexer, ","));
    lexer_expect(&parser->lexer, ";");
}

/* Returns the latest declaration in scope of that prefix that has a register with that number. */
static const struct declared *find_range(const struct parser *parser, const char *name,
                                         size_t length, uint32_t number)
{
    const struct named *entry = names_find(&parser->declared_names, name, length, true);

    while (entry != NULL && number >= ((const struct declared *)entry->thing)->count)
        entry = names_hidden(entry);
    return entry != NULL ? entry->thing : NULL;
}

/* Returns the latest declaration in scope of a name. %r15 may be number 15 of %r, or number 5 of
 * %r1. */
static const struct declared *find_declared(const struct parser *parser, const char *name)
{
    const struct declared *latest = names_get(&parser->declared_names, name, false);
    uint32_t number = 0, unit = 1;

    for (size_t at = strlen(name); at-- > 1 && isdigit((unsigned char)name[at]); unit *= 10) {
        const struct declared *found;
        number += unit * (uint32_t)(name[at] - '0');
        if (number >= MAX_REGISTERS || unit >= MAX_REGISTERS)
            break;
        if (name[at] == '0' && unit > 1) /* %r05 is not another name of %r5 */
            continue;
        found = find_range(parser, name, at, number);
        if (found != NULL && (latest == NULL || found->order > latest->order))
            latest = found;
    }
    return latest;
}

static struct reg *register_of(struct parser *parser, const struct declared *declared,
                               const char *name)
{
    struct function *function = parser->function;
    struct reg *made = names_get(&parser->registers, name, declared->order);

    if (made != NULL)
        return made;
    made = arena_take(parser->module->arena, 1, sizeof *made);
    *made = (struct reg){declared->type, (uint32_t)function->register_count};
    names_enter(&parser->registers, parser->module->arena, name, declared->order, made);
    function->registers = arena_more(parser->module->arena, function->registers,
                                     function->register_count, sizeof *function->registers);
    function->registers[function->register_count++] = made;
    return made;
}

/* Returns an element of a vector of registers. */
static struct reg *element_of(struct parser *parser, const struct declared *vector,
                              const char *name, uint32_t element)
{
    size_t length = strlen(name);
    char *full = arena_take(parser->module->arena, length + 3, 1);

    memcpy(full, name, length);
    full[length] = '.';
    full[length + 1] = "xyzw"[element];
    return register_of(parser, vector, full);
}

/* Returns the register that v.x or v.r stands for, or null. */
static struct reg *find_element(struct parser *parser, const char *name)
{
    static const char elements[] = "xyzwrgba";
    const char *dot = strrchr(name, '.'), *found = dot != NULL && dot[1] != '\0' && dot[2] == '\0'
                                                       ? strchr(elements, dot[1])
                                                       : NULL;
    const struct declared *vector;
    const char *vector_name;

    if (found == NULL)
        return NULL;
    vector_name = arena_text(parser->module->arena, name, (size_t)(dot - name));
    vector = find_declared(parser, vector_name);
    return vector != NULL && vector->elements > (uint32_t)(found - elements) % 4 &&
                   vector->elements > 1
               ? element_of(parser, vector, vector_name, (uint32_t)(found - elements) % 4)
               : NULL;
}

struct reg *parser_register(struct parser *parser, const char *name)
{
    const struct declared *declared = find_declared(parser, name);

    if (declared == NULL)
        return find_element(parser, name);
    return declared->elements == 1 ? register_of(parser, declared, name) : NULL;
}

struct operand *parser_vector(struct parser *parser, const char *name, size_t *count)
{
    const struct declared *vector = find_declared(parser, name);
    struct operand *parts;

    if (vector == NULL)
        return NULL;
    parts = arena_take(parser->module->arena, vector->elements, sizeof *parts);
    for (uint32_t k = 0; k < vector->elements; k++)
        parts[k] = (struct operand){.kind = OPERAND_REGISTER,
                                    .name = name,
                                    .type = vector->type,
                                    .reg = element_of(parser, vector, name, k)};
    *count = vector->elements;
    return parts;
}
