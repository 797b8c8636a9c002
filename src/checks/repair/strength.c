/* SPDX-License-Identifier: MIT */
#include "strength.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"ld", "st", "atom", "red", "fence"};
static const char *const scopes[] = {"cta", "cluster", "gpu", "sys"};
static const char *const orders[] = {
    [ORDER_NONE] = "weak",       [ORDER_RELAXED] = "relaxed", [ORDER_ACQUIRE] = "acquire",
    [ORDER_RELEASE] = "release", [ORDER_ACQ_REL] = "acq_rel", [ORDER_SC] = "sc"};
enum { SCOPES = sizeof scopes / sizeof *scopes, ORDERS = sizeof orders / sizeof *orders };

/* The orders that an operation may have: bit k for order k. */
static const unsigned int allowed[] = {
    [OPERATION_LOAD] = 1 << ORDER_NONE | 1 << ORDER_RELAXED | 1 << ORDER_ACQUIRE,
    [OPERATION_STORE] = 1 << ORDER_NONE | 1 << ORDER_RELAXED | 1 << ORDER_RELEASE,
    [OPERATION_ATOM] =
        1 << ORDER_RELAXED | 1 << ORDER_ACQUIRE | 1 << ORDER_RELEASE | 1 << ORDER_ACQ_REL,
    [OPERATION_RED] = 1 << ORDER_RELAXED | 1 << ORDER_RELEASE,
    [OPERATION_FENCE] = 1 << ORDER_NONE | 1 << ORDER_ACQ_REL | 1 << ORDER_SC,
};

bool strength_includes(struct strength a, struct strength b)
{
    return (b.order & ~a.order) == 0 && (b.order == ORDER_NONE || a.scope >= b.scope);
}

size_t strength_list(enum operation operation, struct strength original,
                     struct strength list[MAX_STRENGTHS])
{
    const enum scope widest = original.scope > SCOPE_GPU ? original.scope : SCOPE_GPU;
    size_t count = 0;

    list[count++] = original;
    for (unsigned int order = ORDER_RELAXED; order < ORDERS; order++)
        for (unsigned int scope = SCOPE_CTA; scope <= widest; scope++) {
            struct strength now = {order, scope};
            bool is_original = order == original.order && scope == original.scope;
            bool is_allowed = order == original.order || (allowed[operation] >> order & 1) != 0;
            if (is_allowed && !is_original && strength_includes(now, original))
                list[count++] = now;
        }
    return count;
}

uint64_t strength_cost(enum operation operation, struct strength original, struct strength now)
{
    enum { KIND = 1 << 8, ORDER = 1 << 3 };
    unsigned int kind = now.order == original.order    ? 0
                        : operation != OPERATION_FENCE ? 1
                        : now.order == ORDER_ACQ_REL   ? 2
                                                       : 3;

    if (now.order == original.order && now.scope == original.scope)
        return 0;
    return COST_OF_CHANGE + kind * KIND + (now.order - original.order) * ORDER + now.scope;
}

void strength_format(enum operation operation, struct strength strength, char text[STRENGTH_TEXT])
{
    if (strength.order == ORDER_NONE)
        snprintf(text, STRENGTH_TEXT, "%s", names[operation]);
    else
        snprintf(text, STRENGTH_TEXT, "%s.%s.%s", names[operation], orders[strength.order],
                 scopes[strength.scope]);
}

/* Returns which of the words the text of that length is, or `count`. */
static unsigned int find_word(const char *const *words, unsigned int count, const char *text,
                              size_t length)
{
    unsigned int k = 0;

    while (k < count &&
           (words[k] == NULL || strlen(words[k]) != length || strncmp(words[k], text, length) != 0))
        k++;
    return k;
}

struct strength strength_read(enum operation operation, const char *opcode)
{
    struct strength strength = {
        operation == OPERATION_ATOM || operation == OPERATION_RED ? ORDER_RELAXED
        : operation == OPERATION_FENCE                            ? ORDER_ACQ_REL
                                                                  : ORDER_NONE,
        operation == OPERATION_ATOM || operation == OPERATION_RED ? SCOPE_GPU : SCOPE_CTA};

    if (strncmp(opcode, "membar", 6) == 0)
        strength.order = ORDER_SC;
    for (const char *at = strchr(opcode, '.'); at != NULL; at = strchr(at, '.')) {
        size_t length = strcspn(++at, ".");
        unsigned int order = find_word(orders, ORDERS, at, length);
        unsigned int scope = find_word(scopes, SCOPES, at, length);
        if (order < ORDERS)
            strength.order = order;
        if (scope < SCOPES)
            strength.scope = scope;
        else if (length == 8 && strncmp(at, "volatile", length) == 0)
            strength = (struct strength){ORDER_RELAXED, SCOPE_SYS};
        else if (length == 2 && strncmp(at, "gl", length) == 0)
            strength.scope = SCOPE_GPU;
    }
    return strength;
}

void strength_write(enum operation operation, const char *opcode, struct strength strength,
                    char *text, size_t size)
{
    char head[STRENGTH_TEXT];
    size_t used;

    strength_format(operation, strength, head);
    used = (size_t)snprintf(text, size, "%s", head);
    if (operation == OPERATION_FENCE)
        return;
    for (const char *at = strchr(opcode, '.'); at != NULL && used < size; at = strchr(at, '.')) {
        size_t length = strcspn(++at, ".");
        if (find_word(orders, ORDERS, at, length) == ORDERS &&
            find_word(scopes, SCOPES, at, length) == SCOPES &&
            !(length == 8 && strncmp(at, "volatile", length) == 0))
            used += (size_t)snprintf(text + used, size - used, ".%.*s", (int)length, at);
    }
}
