/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_BASE_WHOLE_FILE_H
#define SIMTCHECK_BASE_WHOLE_FILE_H

#include <stddef.h>

/* Returns the contents of a regular file, with a zero after them. The caller frees them. Returns
 * null with errno set on error: ENOTSUP for a pipe or a device. */
char *read_whole_file(const char *path, size_t *size);

#endif
