/* SPDX-License-Identifier: MIT
 *
 * What the parser keeps while it reads a module: for parser.c and operands.c.
 */
#ifndef SIMTCHECK_PTX_PARSER_H
#define SIMTCHECK_PTX_PARSER_H

#include "lexer.h"

#include <stdarg.h>
#include <stdlib.h>

enum {
    MAX_BYTES = 1 << 30,    /* of a variable */
    MAX_INITIAL = 1 << 24,  /* of one with initial values */
    MAX_LOCAL = 512 * 1024, /* of a function's .local and .param variables: a thread has no more */
    MAX_REGISTERS = 1 << 20,
    MAX_FILES = 1 << 16,
    MAX_PARAMETERS = 1024,
    MAX_DEPTH = 64,
    MAX_THREADS = 1024,     /* of a block: more is no limit */
    MAX_INLINED = 1000,     /* calls one in another */
    MAX_BRANCHES = 1 << 20, /* of a function's brx together */
    MAX_OPERANDS = 16,
    MAX_NESTED = 8, /* braces of initial values */
};

/* Registers of one declaration. */
struct declared {
    const char *name;
    const struct type *type;
    bool ranged;
    uint32_t count, order; /* order: a later one of the function has a higher one */
};

struct parser {
    struct lexer lexer;
    struct module *module;
    struct function *function; /* whose body is read; null: none */
    uint32_t variables;        /* so far */
    /* Of the body: what is in scope, in order and by name. */
    struct declared **declared;
    size_t declared_count;
    struct variable **scoped;
    size_t scoped_count;
    uint32_t declarations; /* so far */
    struct names declared_names, scoped_names;
    struct names registers;      /* those that something names, by the order of their declaration */
    struct names labels, tables; /* by scope */
    struct names locations;
    uint32_t scope, scopes, *outer_scopes;
    uint32_t *instruction_scopes; /* in which each instruction stands */
    uint32_t *table_scopes;
    size_t branches;
    int depth;
    const struct location *location;
};

_Noreturn void parser_fail(const struct parser *parser, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What a name stands for; null: nothing such. */
struct variable *parser_variable(const struct parser *parser, const char *name);
struct reg *parser_register(struct parser *parser, const char *name);

/* declarations.c: one or more variables of a space, or registers, up to the semicolon; a parameter;
 * a name, which must be an identifier. */
void parser_variables(struct parser *parser, enum space space, enum linkage linkage);
void parser_registers(struct parser *parser);
struct variable *parser_parameter(struct parser *parser);
const char *parser_name(struct parser *parser, const char *what);
/* The space that a directive names; generic: none. */
enum space parser_space(const char *directive);
/* Brings a variable into scope, until parser_leave() goes back to so many. */
void parser_enter(struct parser *parser, struct variable *variable);
void parser_leave(struct parser *parser, size_t declared, size_t scoped);

/* operands.c: the rest of an instruction, whose opcode has been read; one with a guard. */
void parser_instruction(struct parser *parser, const char *opcode, uint32_t line,
                        const struct operand *guard);
void parser_guarded(struct parser *parser);
void parser_label(struct parser *parser, const char *name, uint32_t line);
/* Finds the labels that the instructions and tables of a body name, when all of it has been read.
 */
void parser_resolve(struct parser *parser);

#endif
