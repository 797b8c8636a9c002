/* SPDX-License-Identifier: MIT
 *
 * Memory that is given back all at once, and the way out when a module is rejected.
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
    jmp_buf out; /* arena_fail() goes there */
    char *error;
    size_t error_size;
};

/* Zeroed memory; leaves by `out`, with a sentence, when there is none. */
void *arena_take(struct arena *arena, size_t count, size_t size);
char *arena_text(struct arena *arena, const char *text, size_t length);

/* The array with room for one more element: grows by doubling, so `count` alone tells when. */
void *arena_more(struct arena *arena, void *array, size_t count, size_t size);

/* Leaves by `out` with a sentence: "PATH:LINE: ..." */
_Noreturn void arena_fail(struct arena *arena, const char *path, uint32_t line, const char *format,
                          ...) __attribute__((format(printf, 4, 5)));

void arena_free(struct arena *arena);

#endif
