/* SPDX-License-Identifier: MIT */
#include "forms.h"

#include "module.h"

#include <string.h>

enum { MAX_PARTS = 24 };

/* A piece of a pattern: either literal text, or a group. */
struct piece {
    const char *at;
    size_t length;
    char kind; /* 0: text; '[' or '(': a group, without its brackets */
};

/* Reads the next piece of a pattern. Returns false at its end. */
static bool next_piece(const char **pattern, struct piece *piece)
{
    const char *start = *pattern, *end;

    if (*start == '\0')
        return false;
    if (*start == '[' || *start == '(') {
        end = strchr(start, *start == '[' ? ']' : ')');
        *piece = (struct piece){start + 1, (size_t)(end - start - 1), *start};
        *pattern = end + 1;
        return true;
    }
    piece->length = strcspn(start, "[(");
    piece->at = start;
    piece->kind = 0;
    *pattern = start + piece->length;
    return true;
}

/* Finds choice k of a group, including its dot. Returns false if there are fewer. */
static bool choice(const struct piece *piece, size_t k, const char **at, size_t *length)
{
    const char *start = piece->at, *end = piece->at + piece->length;

    for (;; k--) {
        const char *bar = memchr(start, '|', (size_t)(end - start));
        *at = start;
        *length = (size_t)((bar != NULL ? bar : end) - start);
        if (k == 0)
            return true;
        if (bar == NULL)
            return false;
        start = bar + 1;
    }
}

/* Records the types among the dotted parts of some text. */
static void note_types(struct match *match, const char *at, size_t length)
{
    while (length > 0) {
        const char *dot = memchr(at + 1, '.', length - 1);
        size_t part = dot != NULL ? (size_t)(dot - at) : length;
        if (*at == '.' && type_find(at + 1, part - 1) != NULL) {
            char *type = match->type[0][0] == '\0' ? match->type[0] : match->type[1];
            if (*type == '\0') {
                memcpy(type, at + 1, part - 1);
                type[part - 1] = '\0';
            }
        }
        at += part;
        length -= part;
    }
}

/* The parts of an opcode: its name, and modifiers with their dots. */
struct parts {
    struct part {
        const char *at;
        size_t length;
        uint8_t order; /* parts of one order, other than 0, must keep their sequence */
    } parts[MAX_PARTS];
    size_t count;
    uint32_t used; /* bits by part */
};

/* Types, state spaces and layouts of an instruction have a sequence that matters. */
static uint8_t order_of(const char *modifier, size_t length)
{
    static const struct {
        const char *name;
        uint8_t order;
    } names[] = {{".global", 2}, {".shared", 2}, {".shared::cta", 2}, {".shared::cluster", 2},
                 {".local", 2},  {".const", 2},  {".param", 2},       {".to", 2},
                 {".row", 3},    {".col", 3}};

    if (*modifier == '.' && type_find(modifier + 1, length - 1) != NULL)
        return 1;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strlen(names[k].name) == length && strncmp(names[k].name, modifier, length) == 0)
            return names[k].order;
    return 0;
}

static size_t part_length(const char *at, size_t length)
{
    const char *dot = length > 0 ? memchr(at + 1, '.', length - 1) : NULL;

    return dot != NULL ? (size_t)(dot - at) : length;
}

/* Returns false if there are too many. */
static bool split(const char *opcode, struct parts *parts)
{
    size_t left = strlen(opcode);

    *parts = (struct parts){.count = 0};
    while (left > 0) {
        size_t length = part_length(opcode, left);
        if (parts->count == MAX_PARTS)
            return false;
        parts->parts[parts->count++] = (struct part){opcode, length, order_of(opcode, length)};
        opcode += length;
        left -= length;
    }
    return true;
}

/* Marks an unused part with that text as used. Returns false if no such part exists, or if a part
 * that must precede it is unused. */
static bool take_part(struct parts *parts, const char *at, size_t length)
{
    uint32_t passed = 0; /* bits by order */

    for (size_t k = 0; k < parts->count; k++) {
        const struct part *part = &parts->parts[k];
        if (parts->used >> k & 1)
            continue;
        if (part->length == length && strncmp(part->at, at, length) == 0 &&
            (part->order == 0 || !(passed >> part->order & 1))) {
            parts->used |= UINT32_C(1) << k;
            return true;
        }
        passed |= UINT32_C(1) << part->order;
    }
    return false;
}

static bool take_parts(struct parts *parts, const char *at, size_t length)
{
    while (length > 0) {
        size_t part = part_length(at, length);
        if (!take_part(parts, at, part))
            return false;
        at += part;
        length -= part;
    }
    return true;
}

/* ptxas accepts modifiers in almost any sequence. */
static bool match_rest(const char *pattern, struct parts parts, struct match *match, size_t group)
{
    struct match saved = *match;
    struct piece piece;

    if (!next_piece(&pattern, &piece))
        return parts.used == (UINT32_C(1) << parts.count) - 1;
    if (piece.kind == 0) {
        if (!take_parts(&parts, piece.at, piece.length))
            return false;
        note_types(match, piece.at, piece.length);
        return match_rest(pattern, parts, match, group);
    }
    for (size_t k = 0;; k++) {
        struct parts left = parts;
        const char *at;
        size_t length;
        if (!choice(&piece, k, &at, &length))
            break;
        if (length == 0 || length > MAX_CHOICE || !take_parts(&left, at, length))
            continue;
        memcpy(match->group[group], at + 1, length - 1);
        match->group[group][length - 1] = '\0';
        match->choice[group] = (uint8_t)(k + 1);
        note_types(match, at, length);
        if (match_rest(pattern, left, match, group + 1))
            return true;
        *match = saved;
    }
    return piece.kind == '[' && match_rest(pattern, parts, match, group + 1);
}

size_t forms_groups(const struct form *form)
{
    const char *pattern = form->pattern;
    struct piece piece;
    size_t count = 0;

    while (next_piece(&pattern, &piece))
        count += piece.kind != 0;
    return count;
}

const char *forms_choice(const struct form *form, size_t group, size_t number, size_t *length,
                         bool *optional)
{
    const char *pattern = form->pattern, *at;
    struct piece piece;

    while (next_piece(&pattern, &piece)) {
        if (piece.kind == 0 || group-- > 0)
            continue;
        *optional = piece.kind == '[';
        return number > 0 && choice(&piece, number - 1, &at, length) ? at : NULL;
    }
    return NULL;
}

const struct form unsupported_form = {"", "", "@unsupported", ""};

bool forms_match(const char *opcode, struct match *match)
{
    static const struct form *const tables[] = {arithmetic_forms, lowered_forms, memory_forms,
                                                async_forms,      control_forms, matrix_forms,
                                                cluster_forms,    group_forms,   texture_forms};
    size_t base = strcspn(opcode, ".");
    struct parts parts;

    if (!split(opcode, &parts))
        return false;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct form *form = tables[t]; form->pattern != NULL; form++) {
            if (strncmp(form->pattern, opcode, base) != 0 || strcspn(form->pattern, ".[(") != base)
                continue;
            *match = (struct match){.form = form};
            if (match_rest(form->pattern, parts, match, 0))
                return true;
        }
    return false;
}

/* Returns true if the opcode has each part of the pattern, and one part of each group. */
static bool has_parts(const char *pattern, struct parts parts)
{
    struct piece piece;

    while (next_piece(&pattern, &piece)) {
        const char *at = piece.at;
        size_t length = piece.length;
        bool found = piece.kind == 0 && take_parts(&parts, at, length);
        for (size_t k = 0; piece.kind != 0 && !found && choice(&piece, k, &at, &length); k++)
            found = take_parts(&parts, at, length);
        if (!found)
            return false;
    }
    return true;
}

/* Returns true if the first operand, of those in a text, has that selector, or none is wanted. */
static bool has_selector(const char *operands, const char *selector)
{
    const char *at = operands != NULL ? operands + strcspn(operands, ".,") : "";

    return strncmp(at, selector, strlen(selector)) == 0;
}

const struct form *forms_unsupported(const char *opcode, const char *operands)
{
    struct parts parts;

    if (!split(opcode, &parts))
        return NULL;
    for (size_t k = 0; k < parts.count; k++)
        parts.parts[k].order = 0;
    for (const struct form *form = unsupported_forms; form->pattern != NULL; form++)
        if (has_parts(form->pattern, parts) && has_selector(operands, form->operands))
            return form;
    return NULL;
}

bool forms_spelling(const struct form *form, size_t k, char *opcode, size_t size)
{
    const char *pattern = form->pattern;
    struct piece piece;
    size_t used = 0;

    while (next_piece(&pattern, &piece)) {
        const char *at = piece.at;
        size_t length = piece.length;
        if (piece.kind != 0) {
            size_t choices = 0;
            while (choice(&piece, choices, &at, &length))
                choices++;
            size_t all = choices + (piece.kind == '[');
            size_t chosen = k % all;
            k /= all;
            length = 0;
            if (chosen < choices)
                choice(&piece, chosen, &at, &length);
        }
        if (used + length >= size)
            return false;
        memcpy(opcode + used, at, length);
        used += length;
    }
    opcode[used] = '\0';
    return k == 0;
}
