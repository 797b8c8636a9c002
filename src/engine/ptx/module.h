/* SPDX-License-Identifier: MIT
 *
 * A module of PTX as the parser leaves it: everything resolved but what stands in other modules.
 * PTX ISA, chapters 4 (syntax), 5 (state spaces, types and variables) and 11 (directives).
 */
#ifndef SIMTCHECK_PTX_MODULE_H
#define SIMTCHECK_PTX_MODULE_H

#include "forms.h"
#include "names.h"

#include <stdint.h>
#include <stdio.h>

enum space { SPACE_GENERIC, SPACE_GLOBAL, SPACE_CONST, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM };

/* A type as PTX writes it, such as "s32"; bytes of a predicate are 1. */
struct type {
    const char *name;
    uint32_t bytes;
    char kind; /* 's'igned, 'u'nsigned, 'b'its, 'f'loat, 'p'redicate */
};

/* The type of that name, of `length` characters; null: there is none. */
const struct type *type_find(const char *name, size_t length);

enum linkage { LINKAGE_LOCAL, LINKAGE_VISIBLE, LINKAGE_WEAK, LINKAGE_EXTERN };

/* A place in CUDA source, from .loc. */
struct location {
    uint32_t file, line, column; /* file: an index of module.files */
    uint32_t depth;              /* calls that it is inlined into */
    const struct location *inlined_at;
};

/* An address in an initial value: of a symbol, plus an offset. */
struct relocation {
    uint64_t at;
    const char *symbol;
    int64_t addend;
    uint32_t line;
};

struct function;

struct variable {
    const char *name;
    enum space space;
    enum linkage linkage;
    const struct type *type;
    uint64_t bytes, alignment; /* bytes: 0 of an extern array, whose size others say */
    uint64_t element;          /* bytes of a number or short vector */
    uint8_t *initial;          /* `given` of them, and zeros behind; null: zeros, or none */
    uint64_t given;
    struct relocation *relocations;
    size_t relocation_count;
    struct function *owner; /* null: of the module */
    uint32_t line, number;  /* number: among all of the module, in order */
    /* Of shared memory, layout.c: its place in the window, and the entries that have it. */
    uint64_t offset;
    uint32_t window; /* number among the variables in .shared, from 0 on; decode_layout.c */
    struct function **entries;
    size_t entry_count;
    const struct function *last_entry;
    bool is_addressed; /* of .param: something may have its address; layout.c */
};

struct reg {
    const struct type *type;
    uint32_t number; /* in its function */
};

enum operand_kind {
    OPERAND_REGISTER,
    OPERAND_INTEGER, /* value */
    OPERAND_FLOAT,   /* value: bits, of `type` */
    OPERAND_SPECIAL, /* %tid.x: name */
    OPERAND_SYMBOL,  /* variable, function or label, plus offset */
    OPERAND_ADDRESS, /* in brackets: register or symbol or nothing, plus offset */
    OPERAND_VECTOR,  /* in braces: parts */
    OPERAND_LIST,    /* in parentheses: parts */
    OPERAND_SINK,    /* _ */
};

struct operand {
    enum operand_kind kind;
    bool negated, minus; /* ! in front of a predicate; - in front of a register */
    const struct type *type;
    const struct reg *reg;
    const char *name;
    struct variable *variable;
    struct function *function;
    uint64_t value;
    int64_t offset;
    struct operand *parts; /* also the second half of "d|p", as one part of a register */
    size_t part_count;
    struct operand *pair; /* p of "d|p" */
    const struct table *table;
};

struct instruction {
    uint32_t line; /* in the PTX */
    const struct location *location;
    const struct reg *guard; /* null: none */
    bool guard_negated;
    const char *opcode;
    struct match match;
    struct operand *operands;
    size_t operand_count;
    const char *label; /* not null: a label stands here, and no instruction */
    uint32_t block;    /* basic block, from 0 on; set by layout.c */
};

/* .branchtargets, .calltargets and .callprototype. */
struct table {
    const char *name;
    const char **labels;
    uint64_t *targets; /* the instructions at which they stand: of .branchtargets */
    size_t label_count;
    bool is_prototype, is_branches;
    size_t result_count, parameter_count;
    uint32_t line;
};

struct function {
    const char *name;
    bool is_entry, has_body;
    enum linkage linkage;
    struct variable **parameters, **results;
    size_t parameter_count, result_count;
    struct variable **variables; /* .local, .shared and .param of its body */
    size_t variable_count;
    struct reg **registers;
    size_t register_count;
    struct instruction *instructions;
    size_t instruction_count;
    struct table **tables;
    size_t table_count;
    uint32_t line, threads[3]; /* threads: of .reqntid; 0: not said */
    uint32_t most_threads;     /* of .maxntid; 0: not said */
    uint32_t blocks;           /* basic blocks */
    /* layout.c */
    uint64_t shared_bytes, local_bytes; /* local: with .param */
    struct variable **shared; /* of an entry: what it has there, in the order of their numbers */
    size_t shared_count;
    const struct function *last_entry; /* by which layout.c came upon it */
    bool is_wanted;                    /* it is decoded: layout.c */
    uint32_t number;                   /* in its module: decode.c */
};

struct module {
    const char *path;
    uint32_t version, target; /* 90 of 9.0 and of sm_90 */
    const char **files;       /* by number; null: not named */
    size_t file_count;
    struct variable **variables;
    size_t variable_count;
    struct function **functions;
    size_t function_count;
    struct names variable_names, function_names; /* number 0 */
    struct arena *arena;
};

/* Takes PTX of `size` bytes apart. Memory is the module's, until module_free(). What is wrong is
 * told in one sentence, with the line; false then. Instructions that are not supported are refused
 * when they are to be decoded. */
bool module_parse(struct module *module, const char *path, const char *text, size_t size,
                  char *error, size_t error_size);
void module_free(struct module *module);

/* Those of that name which no function has for itself; null: there is none. */
struct function *module_function(const struct module *module, const char *name);
struct variable *module_variable(const struct module *module, const char *name);

#endif
