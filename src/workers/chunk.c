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
    free(chunk->reported);
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

bool chunk_report(struct chunk *chunk, uint32_t index, const struct outcome *outcome)
{
    if (chunk->reported_count == chunk->reported_capacity) {
        uint32_t capacity = chunk->reported_capacity == 0 ? 8 : 2 * chunk->reported_capacity;
        struct reported *reported = realloc(chunk->reported, capacity * sizeof *reported);
        if (reported == NULL)
            return false;
        chunk->reported = reported;
        chunk->reported_capacity = capacity;
    }
    chunk->reported[chunk->reported_count++] = (struct reported){index, *outcome};
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
    chunk->reported_count = 0;
    chunk->reached_count = 0;
}

static int by_index(const void *a, const void *b)
{
    const struct reported *left = a, *right = b;
    return left->index < right->index ? -1 : left->index > right->index;
}

void chunk_sort(struct chunk *chunk)
{
    if (chunk->reported_count > 1)
        qsort(chunk->reported, chunk->reported_count, sizeof *chunk->reported, by_index);
}
