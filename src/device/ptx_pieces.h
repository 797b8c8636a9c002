/* SPDX-License-Identifier: MIT
 *
 * A module of PTX in pieces: its functions and variables, and the dependences between them. It
 * allows comparing the kernels of copies of one source, each in a namespace of its own.
 */
#ifndef SIMTCHECK_DEVICE_PTX_PIECES_H
#define SIMTCHECK_DEVICE_PTX_PIECES_H

#include "json_model.h"

#include <stdint.h>
#include <stdio.h>

struct ptx_piece {
    size_t offset, length;
    size_t name, name_length; /* 0: neither a function nor a variable */
    bool is_function, has_body;
};

struct ptx_pieces {
    const char *text; /* owned by the caller, ends with a zero */
    struct ptx_piece *all;
    size_t count;
    size_t *by_name; /* indices of the named pieces, bodies first among equal names */
    size_t named;
    struct memory memory;
};

void ptx_pieces_read(const char *text, size_t size, struct ptx_pieces *pieces);
void ptx_pieces_free(struct ptx_pieces *pieces);

/* Returns the symbol of the kernel whose address the variable simt_entry_<name> holds, which is
 * kept (reader.h). Returns null if it does not exist. */
const char *ptx_entry_symbol(const struct ptx_pieces *pieces, const char *name);

/* Computes the digest of a kernel and all that it needs. Code that differs only in names, source
 * lines and label numbers has the same digest. `tag` is the part of names that marks their copy.
 * *is_alone is true if the kernel needs no other function and no variable of the module. Its
 * machine code is then complete. */
void ptx_digest(const struct ptx_pieces *pieces, const char *symbol, const char *tag,
                uint64_t *digest, bool *is_alone);

/* Marks the source lines, below `count`, from which a kernel's code comes. The file has the tag in
 * its path. */
void ptx_lines(const struct ptx_pieces *pieces, const char *symbol, const char *tag, bool *lines,
               size_t count);

/* Writes a module of the kernels of the copy with that tag, and all that they need. Kernel
 * simt_entry_<tag>_<name> becomes simt_entry_<name>. Returns false if there is no such kernel, or
 * the module cannot be written. */
bool ptx_write_kernels(FILE *to, const struct ptx_pieces *pieces, const char *tag,
                       const char *const *names, size_t count);

/* Writes a module of the kernel with that symbol and all that it needs, each at the line where it
 * is in the whole module. The first module has the kernel, the others are linked with it. Module k
 * goes to to[k], without definitions if the kernel needs none of it. Returns false with errno set,
 * to ENOENT if there is no such kernel. */
bool ptx_write_kernel(FILE *const *to, const struct ptx_pieces *modules, size_t count,
                      const char *symbol);

/* Leaves out of the module in a file the kernels that no variable names, such as other instances of
 * a template. `said` gets the reason for a failure. */
bool ptx_keep_named(const char *path, char *said, size_t said_size);

#endif
