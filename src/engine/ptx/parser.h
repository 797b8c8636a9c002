/* SPDX-License-Identifier: MIT
 *
 * The parser's state while it reads a module, for parser.c, declarations.c, operands.c and
 * inlined.c.
 */
#ifndef SIMTCHECK_PTX_PARSER_H
#define SIMTCHECK_PTX_PARSER_H

#include "lexer.h"

#include <stdarg.h>
#include <stdlib.h>

enum {
    MAX_BYTES = 1 << 30,    /* of a variable */
    MAX_INITIAL = 1 << 24,  /* of a variable with initial values */
    MAX_LOCAL = 512 * 1024, /* of a function's .local and .param variables: a thread's limit */
    MAX_REGISTERS = 1 << 20,
    MAX_FILES = 1 << 16,
    MAX_PARAMETERS = 1024,
    MAX_DEPTH = 64,
    MAX_THREADS = 1024,     /* of a block: more means no limit */
    MAX_INLINED = 1000,     /* nesting of inlined calls */
    MAX_BRANCHES = 1 << 20, /* targets of all brx of a function */
    MAX_OPERANDS = 16,
};

/* The registers of one declaration. */
struct declared {
    const char *name;
    const struct type *type;
    bool ranged;
    uint32_t count, order; /* order: increases with each declaration of the function */
    uint32_t elements;     /* of each register: 2 and 4 for .v2 and .v4, else 1 */
};

/* The value of a constant expression: an integer of 64 bits; a float, by its bits as a double; or
 * 0f3F800000, by its 32 bits (is_float and is_single). */
struct constant {
    uint64_t bits;
    bool is_unsigned, is_float, is_single;
};

struct parser {
    struct lexer lexer;
    struct module *module;
    const char *folders;       /* of the compiler's headers, as for source_path_owner() */
    struct function *function; /* the function whose body is read; null: none */
    uint32_t variables;        /* number of variables so far */
    /* What is in scope in the body, in order and by name. */
    struct declared **declared;
    size_t declared_count;
    struct variable **scoped;
    size_t scoped_count;
    uint32_t declarations; /* number of declarations so far */
    struct names declared_names, scoped_names;
    struct names registers;      /* the registers that are used, by name and order of declaration */
    struct names labels, tables; /* by scope */
    struct names locations;
    uint32_t scope, scopes, *outer_scopes;
    uint32_t *instruction_scopes; /* the scope of each instruction */
    uint32_t *table_scopes;
    size_t branches;
    int depth;
    bool has_signs; /* of the current instruction, as in struct instruction */
    bool has_lists; /* the current instruction takes operands in parentheses */
    /* Of the variable that is declared: the bytes of a row, how deep braces of its initial value
     * may nest, the rows in braces so far. An array without a size is is_unsized. */
    uint64_t row;
    uint32_t levels, rows;
    bool is_unsized;
    struct location *location;
    struct inlined *inlined; /* null: no debug information has been read */
};

_Noreturn void parser_fail(const struct parser *parser, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Return the variable or register of that name, or null if none exists. */
struct variable *parser_variable(const struct parser *parser, const char *name);
struct reg *parser_register(struct parser *parser, const char *name);

/* Returns the elements of a vector of registers, or null if the name stands for none. */
struct operand *parser_vector(struct parser *parser, const char *name, size_t *count);

/* In constants.c. They read a constant expression, of which `prefix` has been read: -, ! or
 * nothing. `what` describes what is expected in error messages. */
struct constant parser_constant(struct parser *parser, char prefix, const char *what);
int64_t parser_integer(struct parser *parser, const char *what);

/* In declarations.c. They read: one or more variables of a space, or registers, up to the
 * semicolon; a parameter; a name, which must be an identifier; .attribute(...), if it is next. */
void parser_variables(struct parser *parser, enum space space, enum linkage linkage);
void parser_registers(struct parser *parser);
struct variable *parser_parameter(struct parser *parser, bool may_be_register);
/* Declares the register of a parameter, in the body of its function. */
void parser_register_parameter(struct parser *parser, struct variable *parameter);
bool parser_attribute(struct parser *parser, struct variable *variable);
const char *parser_name(struct parser *parser, const char *what);
/* Returns the space that a directive names, or generic if it names none. */
enum space parser_space(const char *directive);
/* Brings a variable into scope. parser_leave() restores the scope to the given counts. */
void parser_enter(struct parser *parser, struct variable *variable);
void parser_leave(struct parser *parser, size_t declared, size_t scoped);

/* In operands.c. They read: the rest of an instruction whose opcode has been read; an instruction
 * with a guard; a label. */
void parser_instruction(struct parser *parser, const char *opcode, uint32_t line,
                        const struct operand *guard);
void parser_guarded(struct parser *parser);
void parser_label(struct parser *parser, const char *name, uint32_t line);
/* Resolves the labels in the instructions and tables of a body, after the whole body has been
 * read. */
void parser_resolve(struct parser *parser);

/* In inlined.c. inlined_read() reads the section .debug_abbrev or .debug_info, whose name is the
 * current token. Malformed debug information is ignored from there on. inlined_resolve() gives it
 * to the locations in headers of libraries that have no calls, after the whole module has been
 * read. Where code of several calls is mixed, they get the calls around all of these. */
void inlined_read(struct parser *parser);
void inlined_resolve(struct parser *parser);

#endif
