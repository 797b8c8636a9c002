/* SPDX-License-Identifier: MIT
 *
 * Memory that is freed all at once, and the error exit for a module that is rejected.
 */
#ifndef SIMTCHECK_PTX_ARENA_H
#define SIMTCHECK_PTX_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct arena {
    struct arena_piece *pieces;
    char *free;
    size_t left;
    jmp_buf out; /* arena_fail() jumps to it */
    char *error;
    size_t error_size;
};

/* Returns zeroed memory. If memory runs out, writes an error and jumps to `out`. */
void *arena_take(struct arena *arena, size_t count, size_t size);
char *arena_text(struct arena *arena, const char *text, size_t length);

/* Returns the array with room for one more element. It grows by doubling, so `count` alone
 * determines when it grows. */
void *arena_more(struct arena *arena, void *array, size_t count, size_t size);

/* Writes an error of the form "PATH:LINE: ..." and jumps to `out`. */
_Noreturn void arena_fail(struct arena *arena, const char *path, uint32_t line, const char *format,
                          ...) __attribute__((format(printf, 4, 5)));

void arena_free(struct arena *arena);

#endif
