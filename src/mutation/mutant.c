/* SPDX-License-Identifier: MIT */
#include "mutant.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const mutation_names[MUTATIONS] = {
    [MUTATION_RELATIONAL] = "relational", [MUTATION_LOGICAL] = "logical",
    [MUTATION_ARITHMETIC] = "arithmetic", [MUTATION_CONSTANT] = "constant",
    [MUTATION_INDEX] = "index",           [MUTATION_GUARD] = "guard",
    [MUTATION_BARRIER] = "barrier",       [MUTATION_VOLATILE] = "volatile",
    [MUTATION_FENCE] = "fence",           [MUTATION_ATOMIC] = "atomic",
    [MUTATION_LAUNCH] = "launch",
};

void mutants_add(struct mutants *mutants, const struct mutant *mutant)
{
    struct list all = {mutants->all, mutants->count};
    struct mutant *added = list_add(&mutants->memory, &all, sizeof *added);

    *added = *mutant;
    added->with = memory_copy(&mutants->memory, mutant->with);
    mutants->all = all.items;
    mutants->count = all.count;
}

void mutants_free(struct mutants *mutants)
{
    memory_free(&mutants->memory);
    *mutants = (struct mutants){.all = NULL};
}

char *mutant_apply(const struct mutant *mutant, const char *text, size_t size)
{
    size_t length = strlen(mutant->with), rest = mutant->offset + mutant->length;
    char *changed = malloc(size - mutant->length + length + 1);

    if (changed == NULL)
        return NULL;
    memcpy(changed, text, mutant->offset);
    memcpy(changed + mutant->offset, mutant->with, length);
    memcpy(changed + mutant->offset + length, text + rest, size - rest);
    changed[size - mutant->length + length] = '\0';
    return changed;
}

/* Replaces each run of blanks by one blank and removes those at the ends. */
static void squeeze(char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0'; from++)
        if (!isspace((unsigned char)*from))
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    while (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
}

char *mutant_lines(const struct mutant *mutant, const char *text, size_t size, bool after)
{
    size_t first = mutant->offset, end = mutant->offset + mutant->length;
    struct mutant moved = *mutant;
    char *lines;

    while (first > 0 && text[first - 1] != '\n')
        first--;
    while (end < size && text[end] != '\n')
        end++;
    moved.offset -= first;
    lines = after ? mutant_apply(&moved, text + first, end - first)
                  : strndup(text + first, end - first);
    if (lines != NULL)
        squeeze(lines);
    return lines;
}
