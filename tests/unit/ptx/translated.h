/* SPDX-License-Identifier: MIT
 *
 * PTX translated within a test, and the C that comes of it compiled.
 */
#ifndef SIMTCHECK_TESTS_TRANSLATED_H
#define SIMTCHECK_TESTS_TRANSLATED_H

#include <stdbool.h>
#include <stddef.h>

enum { TRANSLATED_ERROR = 512, MAX_UNITS = 16 };

/* The module as C, to be freed; null, with the sentence, when it is refused. */
char *translated(const char *path, const char *ptx, size_t size, char error[TRANSLATED_ERROR]);

/* Files of C in a folder of their own. */
struct units {
    char folder[32];
    size_t count;
};

/* False when a file cannot be written. Begin with a zeroed struct. */
bool units_add(struct units *units, const char *c);

/* Compiles all of them, as the build does but for optimisation, and removes them unless that fails:
 * the compiler's words are on standard error then. A function that no header declares is wrong. */
bool units_compile(struct units *units);

#endif
