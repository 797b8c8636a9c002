/* SPDX-License-Identifier: MIT */
#include "forms.h"

#include "module.h"

#include <string.h>

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

/* Returns true at the start of another part, or at the end of the opcode. */
static bool ends_part(const char *at)
{
    return *at == '\0' || *at == '.';
}

static bool match_rest(const char *pattern, const char *opcode, struct match *match, size_t group)
{
    struct match saved = *match;
    struct piece piece;

    if (!next_piece(&pattern, &piece))
        return *opcode == '\0';
    if (piece.kind == 0) {
        if (strncmp(opcode, piece.at, piece.length) != 0 || !ends_part(opcode + piece.length))
            return false;
        note_types(match, piece.at, piece.length);
        return match_rest(pattern, opcode + piece.length, match, group);
    }
    for (size_t k = 0;; k++) {
        const char *at;
        size_t length;
        if (!choice(&piece, k, &at, &length))
            break;
        if (length == 0 || length > MAX_CHOICE || strncmp(opcode, at, length) != 0 ||
            !ends_part(opcode + length))
            continue;
        memcpy(match->group[group], at + 1, length - 1);
        match->group[group][length - 1] = '\0';
        match->choice[group] = (uint8_t)(k + 1);
        note_types(match, at, length);
        if (match_rest(pattern, opcode + length, match, group + 1))
            return true;
        *match = saved;
    }
    return piece.kind == '[' && match_rest(pattern, opcode, match, group + 1);
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
    static const struct form *const tables[] = {arithmetic_forms, memory_forms, control_forms,
                                                matrix_forms};
    size_t base = strcspn(opcode, ".");

    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct form *form = tables[t]; form->pattern != NULL; form++) {
            if (strncmp(form->pattern, opcode, base) != 0 || strcspn(form->pattern, ".[(") != base)
                continue;
            *match = (struct match){.form = form};
            if (match_rest(form->pattern, opcode, match, 0))
                return true;
        }
    return false;
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
