/* SPDX-License-Identifier: MIT
 *
 * Fat binaries: what nvcc puts into a program for each source file, with PTX and machine code for
 * several architectures. Reads those of nvcc 11.8 to 13.x.
 */
#ifndef SIMTCHECK_CAPTURE_FAT_BINARY_H
#define SIMTCHECK_CAPTURE_FAT_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fat_kind { FAT_PTX = 1, FAT_ELF = 2 }; /* other kinds exist, such as LTO IR */

struct fat_entry {
    uint32_t kind;         /* an enum fat_kind, or another number */
    uint32_t architecture; /* 90 for sm_90 and compute_90 */
    const void *stored;    /* as in the fat binary, perhaps compressed */
    size_t stored_bytes;
    size_t bytes; /* when decompressed */
    uint64_t flags;
};

/* Returns how specific code is: more for newer architectures, and of one architecture, more for
 * 90a than for 90. */
uint32_t fat_entry_rank(const struct fat_entry *entry);
/* Writes what the code is for, as in nvcc's options: "compute_90a" for PTX, "sm_90" for other code.
 */
void fat_entry_target(const struct fat_entry *entry, char *text, size_t size);

/* Returns the number of bytes of the fat binary that begins at `image`, as its header says; 0 if
 * no fat binary begins there. Reads 16 bytes. */
size_t fat_binary_bytes(const void *image);

/* Reads the entry at offset *at, and advances *at. Start with *at = 0. Returns false at the end,
 * and on an error: then `error` has a sentence; at the end it is empty. Reads no more than `size`
 * bytes of the image. */
bool fat_binary_next(const void *image, size_t size, size_t *at, struct fat_entry *entry,
                     char *error, size_t error_size);

/* Decompresses an entry. Returns null on an error, with a sentence in `error`. A null character
 * follows the contents. The caller frees the memory. */
char *fat_entry_read(const struct fat_entry *entry, char *error, size_t error_size);

/* Returns the image to which the wrapper points that host code registers; null if `wrapper` is no
 * wrapper. A wrapper of relocatable device code also has a list of the images before linking, which
 * hold the PTX: *unlinked is that list, ended by null, or null. */
const void *fat_wrapper_image(const void *wrapper, const void *const **unlinked);

#endif
