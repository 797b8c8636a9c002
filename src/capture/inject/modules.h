/* SPDX-License-Identifier: MIT
 *
 * The code that the program loads, and its PTX.
 */
#ifndef SIMTCHECK_CAPTURE_MODULES_H
#define SIMTCHECK_CAPTURE_MODULES_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

/* ---- What the program does ---- */

/* The program loaded code as a module or a library. `code` is PTX, machine code, a fat binary, or
 * its wrapper. */
void modules_loaded(const void *handle, const void *code);
void modules_loaded_file(const void *handle, const char *path);
/* `handle` is another handle of the code or kernel of `earlier`. */
void modules_same(const void *handle, const void *earlier);
/* A kernel of a module or library; its handle is a CUkernel or a CUfunction. */
void modules_kernel(const void *handle, const void *owner, bool is_library, const char *name);
/* The program added code to a link, and a link made machine code. `size` is ignored for fat
 * binaries. */
void modules_linked(const void *state, const void *code, size_t size);
void modules_linked_file(const void *state, const char *path);
void modules_link_done(const void *state, const void *code, size_t size);

/* ---- What the capture asks ---- */

struct kernel {
    const void *handle;
    bool is_library;   /* the handle is a CUkernel, and `owner` a CUlibrary */
    const void *owner; /* the CUmodule or CUlibrary */
    struct image *image;
    const char *name; /* mangled */
};

/* Returns the kernel with that handle, or null. */
const struct kernel *modules_find(const void *handle);

/* Returns the PTX that defines the kernel `name`, for the GPU with that compute capability, such
 * as 90. It stays valid. Returns null after it wrote the reason to `why`. `kernel` may be null. */
const char *modules_ptx(const struct kernel *kernel, const char *name, unsigned int capability,
                        char *why, size_t size);

/* Returns the PTX of the next unit that is linked with `text`, which modules_ptx() returned.
 * Returns null at the end. Start with *unit = 0. */
const char *modules_linked_ptx(const struct kernel *kernel, const char *text,
                               unsigned int capability, size_t *unit);

/* Returns a hash of the kernel's code. Code that the program loads again has the same. */
const char *modules_hash(const struct kernel *kernel);

/* Returns where the directive .entry of the kernel ends in the PTX: at its parameters. Null: not
 * found. */
const char *ptx_find_entry(const char *ptx, const char *name);

/* Returns whether the kernel's own instructions use textures or surfaces. */
bool ptx_uses_textures(const char *ptx, const char *name);

/* Copies the name of the next variable in global or constant memory that the PTX declares, and
 * advances *at. Returns false at the end. */
bool ptx_next_variable(const char **at, char *name, size_t size);

#endif
