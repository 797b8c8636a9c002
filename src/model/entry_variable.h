/* SPDX-License-Identifier: MIT
 *
 * The variables by which PTX names its kernels (EXPORT_KERNEL of dialect.h). Each holds the address
 * of a kernel or of another variable:
 *
 *     .visible .global .align 8 .u64 simt_entry_NAME = SYMBOL;
 *     .visible .global .align 8 .u64 simt_entry_NAME = generic(SYMBOL);
 */
#ifndef SIMTCHECK_MODEL_ENTRY_VARIABLE_H
#define SIMTCHECK_MODEL_ENTRY_VARIABLE_H

#include <stdbool.h>

/* How the names of these variables begin. */
#define ENTRY_VARIABLE "simt_entry_"

/* Such a variable in a text. The lengths are those of "%.*s". */
struct entry_variable {
    const char *name, *symbol;
    int name_length, symbol_length;
};

/* Returns the rest of the variable's name after ENTRY_VARIABLE, or null if it begins otherwise. */
const char *entry_variable_name(const char *variable);

/* Finds the first such variable after `text` that has a value. Returns false if there is none. The
 * next one is after its symbol. */
bool entry_variable_next(const char *text, struct entry_variable *found);

/* Finds the variable simt_entry_<name>. Returns false if the text has none with a value. */
bool entry_variable_find(const char *text, const char *name, struct entry_variable *found);

/* Returns true if the variable holds the address of that symbol. */
bool entry_variable_holds(const struct entry_variable *variable, const char *symbol);

#endif
