/* SPDX-License-Identifier: MIT
 *
 * What a kernel in PTX takes.
 */
#ifndef SIMTCHECK_COMPILERS_ENTRY_H
#define SIMTCHECK_COMPILERS_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_PARAMETERS = 128 };

struct entry {
    char symbol[512]; /* its name in the PTX */
    size_t parameter_count;
    struct {
        uint64_t bytes;
        bool is_float;
    } parameters[MAX_PARAMETERS];
};

/* PTX that was compiled with variables simt_entry_<name>, each of which has the address of a kernel
 * or of a variable. */
struct entries {
    char *text;
    struct module *module;
};

/* False, with a sentence, when that is no PTX; entries_free() in either case. */
bool entries_open(const char *ptx, struct entries *entries, char *error, size_t error_size);
void entries_free(struct entries *entries);

/* The kernel whose address simt_entry_<name> has. False, with a sentence. */
bool entries_kernel(const struct entries *entries, const char *name, struct entry *entry,
                    char *error, size_t error_size);

/* The symbol of the variable whose address simt_entry_<name> has, and its bytes; false: there is
 * none. */
bool entries_variable(const struct entries *entries, const char *name, char symbol[512],
                      uint64_t *bytes);

/* Is that the symbol of a kernel; of one whose simt_entry_<name> begins with `name`, as those do
 * that a template has made for it; and, of that very name, what is the symbol? It is copied. False:
 * there is none. */
bool entries_has_kernel(const struct entries *entries, const char *symbol);
bool entries_is_of(const struct entries *entries, const char *name, const char *symbol);
bool entries_symbol(const struct entries *entries, const char *name, char symbol[512]);

/* Has each simt_entry_<name...> the symbol that it has in the other PTX? */
bool entries_are_of(const struct entries *entries, const char *name, const struct entries *other);

/* The k-th variable of global memory that kernels may write and that is none of those entries;
 * null: there are no more. It is the module's. */
const char *entries_state(const struct entries *entries, size_t k, uint64_t *bytes);

/* Have the variables of both modules the same sizes and contents? Those of simt_entry_<name> do not
 * count. */
bool entries_same_variables(const struct entries *a, const struct entries *b);

#endif
