/* SPDX-License-Identifier: MIT
 *
 * A module of PTX after parsing. All names are resolved except those defined in other modules. PTX
 * ISA, chapters 4 (syntax), 5 (state spaces, types and variables) and 11 (directives).
 */
#ifndef SIMTCHECK_PTX_MODULE_H
#define SIMTCHECK_PTX_MODULE_H

#include "forms.h"
#include "names.h"
#include "source_path.h"

#include <stdint.h>
#include <stdio.h>

enum space { SPACE_GENERIC, SPACE_GLOBAL, SPACE_CONST, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM };

/* A type as PTX writes it, such as "s32". A predicate has 1 byte. */
struct type {
    const char *name;
    uint32_t bytes;
    char kind; /* 's'igned, 'u'nsigned, 'b'its, 'f'loat, 'p'redicate */
};

/* Returns the type of that name, which has `length` characters, or null if none exists. */
const struct type *type_find(const char *name, size_t length);

enum linkage { LINKAGE_LOCAL, LINKAGE_VISIBLE, LINKAGE_WEAK, LINKAGE_EXTERN };

struct simt_site;

/* A place in CUDA source, from .loc. */
struct location {
    uint32_t file, line, column; /* file: an index into module.files */
    uint32_t depth;              /* number of calls that it is inlined into */
    struct location *inlined_at;
    const struct simt_site *site; /* what the decoder made of it; null: nothing yet */
};

/* An address in an initial value: of a symbol, plus an offset. The value has `bytes` bytes of the
 * address, from bit `shift` on. */
struct relocation {
    uint64_t at;
    const char *symbol;
    int64_t addend;
    uint32_t line;
    uint8_t bytes, shift;
};

struct function;

struct variable {
    const char *name;
    enum space space;
    enum linkage linkage;
    const struct type *type;
    uint64_t bytes, alignment; /* bytes: 0 for an extern array, whose size another module defines */
    uint64_t element;          /* bytes of a number or short vector */
    uint8_t *initial;          /* `given` bytes, followed by zeros; null: zeros, or none */
    uint64_t given;
    struct relocation *relocations;
    size_t relocation_count;
    struct function *owner; /* null: a variable of the module */
    uint32_t line, number;  /* number: order among all variables of the module */
    /* Shared memory: the offset in the block's, the number among the variables of its entries, and
     * the entries that use the variable. layout.c sets them. */
    uint64_t offset;
    uint32_t window;
    struct function **entries;
    size_t entry_count;
    const struct function *last_entry;
    bool is_managed;   /* .attribute(.managed) */
    bool is_opaque;    /* .texref, .samplerref or .surfref */
    bool is_addressed; /* .param: its address may be taken; set by layout.c */
    bool
        is_register; /* a parameter or result declared as .reg: `reg`, if its function has a body */
    const struct reg *reg;
};

struct reg {
    const struct type *type;
    uint32_t number; /* number in its function */
};

enum operand_kind {
    OPERAND_REGISTER,
    OPERAND_INTEGER, /* value */
    OPERAND_FLOAT,   /* value: the bits, of type `type` */
    OPERAND_SPECIAL, /* %tid.x: name */
    OPERAND_SYMBOL,  /* variable, function or label, plus offset */
    OPERAND_ADDRESS, /* in brackets: register, symbol or neither, plus offset; then parts */
    OPERAND_VECTOR,  /* in braces: parts */
    OPERAND_LIST,    /* in parentheses: parts */
    OPERAND_SINK,    /* _ */
};

struct operand {
    enum operand_kind kind;
    bool negated, minus; /* ! before a predicate; - before a register */
    const struct type *type;
    const struct reg *reg;
    const char *part; /* a selector of a video instruction, such as "h0"; null: none */
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
    uint32_t line; /* line in the PTX */
    struct location *location;
    const struct reg *guard; /* null: none */
    bool guard_negated;
    const char *opcode;
    struct match match;
    struct operand *operands;
    size_t operand_count;
    bool has_signs;    /* an operand has a part, or - before a register */
    const char *label; /* not null: this is a label, not an instruction */
    uint32_t block;    /* basic block, from 0; set by layout.c */
};

/* .branchtargets, .calltargets and .callprototype. */
struct table {
    const char *name;
    const char **labels;
    uint64_t *targets; /* .branchtargets: the instructions that the labels mark */
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
    struct variable **variables; /* the .local, .shared and .param variables of its body */
    size_t variable_count;
    struct reg **registers;
    size_t register_count;
    struct instruction *instructions;
    size_t instruction_count;
    struct table **tables;
    size_t table_count;
    uint32_t line, threads[3]; /* threads: from .reqntid; 0: not specified */
    uint32_t most_threads;     /* from .maxntid; 0: not specified */
    uint32_t cluster[3];       /* from .reqnctapercluster; 0: not specified */
    uint32_t most_cluster;     /* from .maxclusterrank; 0: not specified */
    bool needs_cluster;        /* .explicitcluster: a launch without a cluster fails */
    uint32_t blocks;           /* number of basic blocks */
    /* layout.c */
    uint64_t shared_bytes, local_bytes; /* local: including .param */
    uint64_t dynamic_alignment;         /* of an entry's dynamic shared memory */
    uint32_t windows;                   /* of its shared variables */
    struct variable **shared; /* an entry's shared variables, in the order of their numbers */
    size_t shared_count;
    const struct function *last_entry; /* the entry for which layout.c last visited it */
    bool is_wanted;                    /* must be decoded; set by layout.c */
    uint32_t number;                   /* number in its module; set by decode.c */
};

struct module {
    const char *path;
    uint32_t version, target; /* for example 90 for version 9.0 and for sm_90 */
    struct source_file {
        const char *name; /* null: not named */
        enum source_owner owner;
    } * files; /* by file number */
    size_t file_count;
    struct variable **variables;
    size_t variable_count;
    struct function **functions;
    size_t function_count;
    struct names variable_names, function_names; /* number 0 */
    struct alias {
        const char *name, *target;
        uint32_t line;
    } * aliases;
    size_t alias_count;
    struct arena *arena;
};

/* A copy of a file ends with this line and the path of the original, which messages then name. */
#define MODULE_COPY_OF "\n// Copy of "

/* Compiled PTX has this line with the folders of the compiler's own headers, each after a ':'. */
#define MODULE_SYSTEM_FOLDERS "// System folders"

/* Parses PTX of `size` bytes. The module owns the memory until module_free(). On error, returns
 * false with one sentence that names the line. Unsupported instructions are rejected later, when
 * they are decoded. */
bool module_parse(struct module *module, const char *path, const char *text, size_t size,
                  char *error, size_t error_size);
void module_free(struct module *module);

/* Returns the source file of a location, which may be null. Its name is "" if it is unknown. */
struct source_file module_file(const struct module *module, const struct location *location);

/* Return the function or variable of that name at module level, or null if none exists. */
struct function *module_function(const struct module *module, const char *name);
struct variable *module_variable(const struct module *module, const char *name);

#endif
