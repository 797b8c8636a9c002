/* SPDX-License-Identifier: MIT
 *
 * Declarations of variables and registers. PTX ISA, chapter 5.
 */
#include "parser.h"

#include <ctype.h>
#include <string.h>

/* ---- Names ---- */

struct variable *parser_variable(const struct parser *parser, const char *name)
{
    struct variable *variable = names_get(&parser->scoped_names, name, 0);

    return variable != NULL ? variable : module_variable(parser->module, name);
}

/* Checks the form that the PTX ISA gives for identifiers, except for "%", with which names of
 * registers begin. */
static bool is_identifier(const char *name)
{
    const char *c = name + (*name == '_' || *name == '$');

    for (; isalnum((unsigned char)*c) || *c == '_' || *c == '$'; c++)
        ;
    return *c == '\0';
}

const char *parser_name(struct parser *parser, const char *what)
{
    uint32_t line = parser->lexer.token.line;
    const char *name = lexer_word(&parser->lexer, what);

    if (!is_identifier(name))
        parser_fail(parser, line, "expected %s (letters, digits, _ and $), found `%.60s`", what,
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
    while (lexer_take(&parser->lexer, "[")) {
        int64_t count;
        if (lexer_take(&parser->lexer, "]")) {
            variable->bytes = 0;
            continue;
        }
        count = lexer_integer(&parser->lexer, "an array size");
        if (count < 0 ||
            __builtin_mul_overflow(variable->bytes, (uint64_t)count, &variable->bytes) ||
            variable->bytes > MAX_BYTES)
            parser_fail(parser, variable->line, "`%.60s` is larger than %d bytes", variable->name,
                        MAX_BYTES);
        lexer_expect(&parser->lexer, "]");
    }
}

static void put_value(struct parser *parser, struct variable *variable, uint32_t line,
                      uint64_t value)
{
    uint32_t bytes = variable->type->bytes;

    if (variable->given + bytes > variable->bytes)
        parser_fail(parser, line, "`%.60s` has more initial values than elements", variable->name);
    for (uint32_t i = 0; i < bytes; i++)
        variable->initial[variable->given + i] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
    variable->given += bytes;
}

/* Reads name, name+4 or generic(name)+4 as an initial value. */
static void read_relocation(struct parser *parser, struct variable *variable)
{
    struct relocation *relocation;
    uint32_t line = parser->lexer.token.line;
    const char *name = lexer_word(&parser->lexer, "a name");

    if (variable->type->bytes != 8)
        parser_fail(parser, line, "`%.60s` has elements of %u bits, and an address needs 64",
                    variable->name, 8 * variable->type->bytes);
    variable->relocations = arena_more(parser->module->arena, variable->relocations,
                                       variable->relocation_count, sizeof *relocation);
    relocation = &variable->relocations[variable->relocation_count++];
    *relocation = (struct relocation){.at = variable->given, .symbol = name, .line = line};
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

static void read_values(struct parser *parser, struct variable *variable, int depth)
{
    struct lexer *lexer = &parser->lexer;
    uint32_t line = lexer->token.line;

    if (depth < MAX_NESTED && lexer_take(lexer, "{")) {
        while (!lexer_take(lexer, "}")) {
            read_values(parser, variable, depth + 1);
            if (!lexer_is(lexer, "}"))
                lexer_expect(lexer, ",");
        }
    } else if (lexer->token.kind == TOKEN_WORD) {
        read_relocation(parser, variable);
    } else if (lexer->token.kind == TOKEN_FLOAT) {
        uint64_t bits = lexer->token.value;
        if (variable->type->bytes != (lexer->token.is_double ? 8 : 4))
            parser_fail(parser, line, "this value and the elements of `%.60s` differ in width",
                        variable->name);
        lexer_next(lexer);
        put_value(parser, variable, line, bits);
    } else {
        put_value(parser, variable, line, (uint64_t)lexer_integer(lexer, "a value"));
    }
}

static void read_initial(struct parser *parser, struct variable *variable)
{
    if (variable->space != SPACE_GLOBAL && variable->space != SPACE_CONST)
        parser_fail(
            parser, variable->line,
            "`%.60s` has an initial value, but only .global and .const variables may have one",
            variable->name);
    if (variable->bytes > MAX_INITIAL)
        parser_fail(parser, variable->line, "`%.60s` has an initial value and more than %d bytes",
                    variable->name, MAX_INITIAL);
    variable->initial = arena_take(parser->module->arena, variable->bytes, 1);
    read_values(parser, variable, 0);
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
static const struct type *variable_type(struct parser *parser)
{
    static const char *const opaque[] = {".texref", ".samplerref", ".surfref"};

    for (size_t k = 0; k < sizeof opaque / sizeof *opaque; k++)
        if (lexer_take(&parser->lexer, opaque[k]))
            return type_find("b64", 3);
    return expect_type(parser);
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
        } else if (lexer_take(lexer, ".attribute")) {
            lexer_expect(lexer, "(");
            while (!lexer_take(lexer, ")")) {
                if (lexer->token.kind == TOKEN_END)
                    lexer_unexpected(lexer, "`)`");
                lexer_next(lexer);
            }
        } else if (variable->type == NULL) {
            variable->type = variable_type(parser);
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

struct variable *parser_parameter(struct parser *parser)
{
    struct variable *parameter;

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

void parser_variables(struct parser *parser, enum space space, enum linkage linkage)
{
    struct variable *variable = read_variable(parser, space);

    for (;;) {
        variable->linkage = linkage;
        if (variable->bytes == 0 && linkage != LINKAGE_EXTERN)
            parser_fail(parser, variable->line, "`%.60s` has no size", variable->name);
        if (lexer_take(&parser->lexer, "="))
            read_initial(parser, variable);
        if (parser->function != NULL)
            enter_variable(parser, variable);
        else
            enter_global(parser, variable);
        if (lexer_take(&parser->lexer, ";"))
            return;
        lexer_expect(&parser->lexer, ",");
        variable = read_sibling(parser, variable);
    }
}

/* ---- Registers ---- */

/* Reads what follows the type: %r<8> or %s. */
static void read_register(struct parser *parser, const struct type *type)
{
    struct lexer *lexer = &parser->lexer;
    struct declared *declared = arena_take(parser->module->arena, 1, sizeof *declared);
    uint32_t line = lexer->token.line;

    *declared = (struct declared){
        .type = type, .name = lexer_word(lexer, "a register"), .order = parser->declarations++};
    if (lexer_take(lexer, "<")) {
        int64_t count = lexer_integer(lexer, "a number of registers");
        if (count < 0 || count > MAX_REGISTERS)
            parser_fail(parser, line, "a name must have 0 to %d registers", MAX_REGISTERS);
        declared->count = (uint32_t)count;
        declared->ranged = true;
        lexer_expect(lexer, ">");
    }
    parser->declared = arena_more(parser->module->arena, parser->declared, parser->declared_count,
                                  sizeof *parser->declared);
    parser->declared[parser->declared_count++] = declared;
    names_enter(&parser->declared_names, parser->module->arena, declared->name, declared->ranged,
                declared);
}

/* .reg .b32 %r<8>, %s; */
void parser_registers(struct parser *parser)
{
    const struct type *type = expect_type(parser);

    do
        read_register(parser, type);
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

struct reg *parser_register(struct parser *parser, const char *name)
{
    struct function *function = parser->function;
    const struct declared *declared = find_declared(parser, name);
    struct reg *made;

    if (declared == NULL)
        return NULL;
    made = names_get(&parser->registers, name, declared->order);
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
