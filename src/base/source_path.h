/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_BASE_SOURCE_PATH_H
#define SIMTCHECK_BASE_SOURCE_PATH_H

#include <stddef.h>

/* Writes a source file's path as messages show it. A file below the current folder is shown
 * relative to it. Of other absolute paths the last two parts are shown. */
void source_path_shorten(const char *path, char *shown, size_t size);

/* Whose code a source file has. */
enum source_owner {
    OWNER_USER,
    OWNER_SIMTCHECK, /* a header of simtcheck, or the text of a launch */
    OWNER_LIBRARY,   /* a header of the CUDA toolkit, the compiler or the system */
};

/* Returns the owner of a file. A library's is in one of the compiler's folders, each of which comes
 * after a ':' and has no links. If they are unknown, which is null, the usual names of folders
 * decide, and a folder "include" is the toolkit's if CUDA's API is in it. */
enum source_owner source_path_owner(const char *path, const char *folders);

/* Returns the path that this thread has shortened to that text lately, or else the text. */
const char *source_path_whole(const char *shown);

/* Write the name of a variable, without template arguments, or of a function without its class and
 * parameters, from a linker's name such as _ZZ4funcvE4tile_0 or _Z4funci. Another name stays as it
 * is. */
void source_variable(const char *linker, char *name, size_t size);
void source_function(const char *linker, char *name, size_t size);

#endif
