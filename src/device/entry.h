/* SPDX-License-Identifier: MIT
 *
 * The parameters of kernels in PTX.
 */
#ifndef SIMTCHECK_DEVICE_ENTRY_H
#define SIMTCHECK_DEVICE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_PARAMETERS = 128 };

struct entry {
    const char *symbol; /* its name in the PTX, which is kept (reader.h) */
    size_t parameter_count;
    struct {
        uint64_t bytes;
        bool is_float;
    } parameters[MAX_PARAMETERS];
};

/* Returns the name of a kernel in C++, or its symbol if that is no such name. It is kept. */
const char *entry_name_in_cxx(const char *symbol);

/* PTX with variables simt_entry_<name>, each of which holds the address of a kernel or of a
 * variable. */
struct entries {
    char *text;
    struct module *module;
};

/* Reads PTX. Returns false with a message if the file is not PTX. The caller calls entries_free()
 * in either case. */
bool entries_open(const char *ptx, struct entries *entries, char *error, size_t error_size);
void entries_free(struct entries *entries);

/* Finds the kernel whose address simt_entry_<name> holds. Returns false with a message. */
bool entries_kernel(const struct entries *entries, const char *name, struct entry *entry,
                    char *error, size_t error_size);

/* Finds the kernel that a launch of PTX names: by its symbol, or by its name in C++ with or without
 * namespaces, template arguments and parameters. Returns false with a message that lists the
 * kernels if none or several have that name. */
bool entries_kernel_of_ptx(const struct entries *entries, const char *name, struct entry *entry,
                           char *error, size_t error_size);

/* Returns C++ that declares the k-th kernel under its symbol. Its parameters are those of its name
 * in C++. If it has no such name, integers of 8 bytes count as pointers. The caller frees the text.
 * Returns null if there are no more kernels. */
char *entries_declare(const struct entries *entries, size_t k);

/* Finds the symbol, which is kept, and the size of the variable whose address simt_entry_<name>
 * holds. Returns null if it does not exist. */
const char *entries_variable(const struct entries *entries, const char *name, uint64_t *bytes);

/* Copies the initial contents of the variable simt_entry_<name>. Returns false if it does not exist
 * or has another size. */
bool entries_contents(const struct entries *entries, const char *name, void *contents,
                      uint64_t bytes);

/* Finds the size of the variable with that symbol. Returns false if it does not exist. */
bool entries_size(const struct entries *entries, const char *symbol, uint64_t *bytes);

/* Queries about symbols:
 * - entries_has_kernel() returns true if `symbol` is a kernel.
 * - entries_is_of() returns true if a simt_entry_<...> that begins with `name` holds `symbol`. The
 *   entries of a template's instances begin with its name.
 * - entries_symbol() returns the symbol of simt_entry_<name>, which is kept, or null if there is no
 *   such entry. */
bool entries_has_kernel(const struct entries *entries, const char *symbol);
bool entries_is_of(const struct entries *entries, const char *name, const char *symbol);
const char *entries_symbol(const struct entries *entries, const char *name);

/* Returns true if each simt_entry_<name...> has the same symbol in the other PTX. */
bool entries_are_of(const struct entries *entries, const char *name, const struct entries *other);

/* Returns the k-th variable in global memory that kernels may write, other than those entries.
 * Returns null if there are no more. The module owns it. */
const char *entries_state(const struct entries *entries, size_t k, uint64_t *bytes);

/* Returns true if the variables of both modules have the same sizes and contents, except for those
 * of simt_entry_<name>. */
bool entries_same_variables(const struct entries *a, const struct entries *b);

#endif
