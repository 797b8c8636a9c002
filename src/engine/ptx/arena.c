/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16, ALIGNMENT = 16 };

struct arena_piece {
    struct arena_piece *next;
    _Alignas(ALIGNMENT) char bytes[];
};

static _Noreturn void run_out(struct arena *arena)
{
    snprintf(arena->error, arena->error_size, "out of memory");
    longjmp(arena->out, 1);
}

void *arena_take(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    void *taken;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        run_out(arena);
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > arena->left) {
        size_t room = bytes > PIECE ? bytes : PIECE;
        struct arena_piece *piece = calloc(1, sizeof *piece + room);
        if (piece == NULL)
            run_out(arena);
        piece->next = arena->pieces;
        arena->pieces = piece;
        arena->free = piece->bytes;
        arena->left = room;
    }
    taken = arena->free;
    arena->free += bytes;
    arena->left -= bytes;
    return taken;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_take(arena, length + 1, 1);

    memcpy(copy, text, length);
    return copy;
}

void *arena_more(struct arena *arena, void *array, size_t count, size_t size)
{
    void *larger;

    if ((count & (count - 1)) != 0) /* full only if `count` is a power of two */
        return array;
    larger = arena_take(arena, count == 0 ? 1 : 2 * count, size);
    if (count > 0)
        memcpy(larger, array, count * size);
    return larger;
}

_Noreturn void arena_fail(struct arena *arena, const char *path, uint32_t line, const char *format,
                          ...)
{
    va_list values;
    int used = snprintf(arena->error, arena->error_size, "%s:%u: ", path, line);

    va_start(values, format);
    if (used >= 0 && (size_t)used < arena->error_size)
        vsnprintf(arena->error + used, arena->error_size - (size_t)used, format, values);
    va_end(values);
    longjmp(arena->out, 1);
}

void arena_free(struct arena *arena)
{
    while (arena->pieces != NULL) {
        struct arena_piece *piece = arena->pieces;
        arena->pieces = piece->next;
        free(piece);
    }
    arena->free = NULL;
    arena->left = 0;
}
