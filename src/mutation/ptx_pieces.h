/* SPDX-License-Identifier: MIT
 *
 * A module of PTX in pieces: its functions and variables, and which need which. So the kernels of
 * copies of one source, each in a namespace of its own, can be held to each other.
 */
#ifndef SIMTCHECK_MUTATION_PTX_PIECES_H
#define SIMTCHECK_MUTATION_PTX_PIECES_H

#include "json_model.h"

#include <stdint.h>
#include <stdio.h>

struct ptx_piece {
    size_t offset, length;
    size_t name, name_length; /* 0: what is neither function nor variable */
    bool is_function, has_body;
};

struct ptx_pieces {
    const char *text; /* the caller's, ended by a zero */
    struct ptx_piece *all;
    size_t count;
    size_t *by_name; /* indices of the pieces that have a name, bodies first among equal names */
    size_t named;
    struct memory memory;
};

void ptx_pieces_read(const char *text, size_t size, struct ptx_pieces *pieces);
void ptx_pieces_free(struct ptx_pieces *pieces);

/* The kernel whose address the variable simt_entry_<name> has; false: there is none. */
bool ptx_entry_symbol(const struct ptx_pieces *pieces, const char *name, char symbol[512]);

/* Of a kernel and all that it needs: the same for code that differs in names, lines of the source
 * and numbers of labels alone. `tag` is what names of its copy have in them. *is_alone: it needs no
 * other function and no variable of the module, so that its machine code says all. */
void ptx_digest(const struct ptx_pieces *pieces, const char *symbol, const char *tag,
                uint64_t *digest, bool *is_alone);

/* Marks the lines, below `count`, of the source file with the tag in its path, of which a kernel's
 * code is made. */
void ptx_lines(const struct ptx_pieces *pieces, const char *symbol, const char *tag, bool *lines,
               size_t count);

/* Writes a module of those kernels alone, and what they need. Returns false if it cannot be
 * written. */
bool ptx_write_kernels(FILE *to, const struct ptx_pieces *pieces, const char *const *entries,
                       size_t count);

#endif
