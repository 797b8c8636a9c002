/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SOURCE_PATH_H
#define SIMTCHECK_SOURCE_PATH_H

#include <stddef.h>

/* Writes a source file's path as messages show it. A file below the current folder is shown
 * relative to it. Of other absolute paths the last two parts are shown. */
void source_path_shorten(const char *path, char *shown, size_t size);

#endif
