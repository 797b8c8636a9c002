/* SPDX-License-Identifier: MIT
 *
 * The driver API: what its files share. Contexts are all the same: there is one device.
 */
#ifndef SIMTCHECK_EXEC_DRIVER_H
#define SIMTCHECK_EXEC_DRIVER_H

#include "core.h"

/* Declares and defines a function of the API. */
#define API(name, ...)                                                                             \
    EXEC_PUBLIC int name(__VA_ARGS__);                                                             \
    int name(__VA_ARGS__)

/* Reads a file. A null character follows the contents. Returns null if there is no such file. The
 * caller frees the memory. */
char *driver_read_file(const char *path, size_t *bytes);

typedef struct exec_stream *stream_t;
typedef uint64_t device_pointer;

#endif
