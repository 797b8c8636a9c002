/* SPDX-License-Identifier: MIT */
#include "chunk.h"

#include <stdlib.h>
#include <string.h>

static struct chunk *make(uint64_t first, uint32_t count)
{
    struct chunk *chunk = calloc(1, sizeof *chunk + count * sizeof chunk->cases[0]);
    if (chunk != NULL) {
        chunk->first = first;
        chunk->count = count;
    }
    return chunk;
}

struct chunk *chunk_append(struct chunk_list *list, uint64_t first, uint32_t count)
{
    struct chunk *chunk = make(first, count);

    if (chunk == NULL)
        return NULL;
    if (list->first == NULL)
        list->first = chunk;
    else
        list->last->next = chunk;
    list->last = chunk;
    list->count++;
    return chunk;
}

void chunk_remove_first(struct chunk_list *list)
{
    struct chunk *chunk = list->first;

    list->first = chunk->next;
    if (list->first == NULL)
        list->last = NULL;
    list->count--;
    free(chunk->told);
    free(chunk->reached);
    free(chunk);
}

void chunk_clear(struct chunk_list *list)
{
    while (list->first != NULL)
        chunk_remove_first(list);
}

bool chunk_cut(struct chunk_list *list, struct chunk *chunk, uint32_t count)
{
    struct chunk *rest;

    if (count >= chunk->count)
        return true;
    rest = make(chunk->first + count, chunk->count - count);
    if (rest == NULL)
        return false;
    memcpy(rest->cases, chunk->cases + count, rest->count * sizeof rest->cases[0]);
    rest->split = chunk->split;
    rest->next = chunk->next;
    chunk->next = rest;
    if (list->last == chunk)
        list->last = rest;
    chunk->count = count;
    list->count++;
    return true;
}

bool chunk_split(struct chunk_list *list, struct chunk *chunk)
{
    chunk_forget(chunk);
    chunk->state = CHUNK_WAITING;
    for (; chunk->count > 1; chunk = chunk->next)
        if (!chunk_cut(list, chunk, 1))
            return false;
    return true;
}

bool chunk_tell(struct chunk *chunk, uint32_t index, const struct outcome *outcome)
{
    if (chunk->told_count == chunk->told_capacity) {
        uint32_t capacity = chunk->told_capacity == 0 ? 8 : 2 * chunk->told_capacity;
        struct told *told = realloc(chunk->told, capacity * sizeof *told);
        if (told == NULL)
            return false;
        chunk->told = told;
        chunk->told_capacity = capacity;
    }
    chunk->told[chunk->told_count++] = (struct told){index, *outcome};
    return true;
}

bool chunk_reach(struct chunk *chunk, const struct reached *reached)
{
    if (chunk->reached_count == chunk->reached_capacity) {
        size_t capacity = chunk->reached_capacity == 0 ? 64 : 2 * chunk->reached_capacity;
        struct reached *grown = realloc(chunk->reached, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        chunk->reached = grown;
        chunk->reached_capacity = capacity;
    }
    chunk->reached[chunk->reached_count++] = *reached;
    return true;
}

void chunk_forget(struct chunk *chunk)
{
    chunk->told_count = 0;
    chunk->reached_count = 0;
}

static int by_index(const void *a, const void *b)
{
    const struct told *left = a, *right = b;
    return left->index < right->index ? -1 : left->index > right->index;
}

void chunk_sort(struct chunk *chunk)
{
    if (chunk->told_count > 1)
        qsort(chunk->told, chunk->told_count, sizeof *chunk->told, by_index);
}
