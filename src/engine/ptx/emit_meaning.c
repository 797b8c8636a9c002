/* SPDX-License-Identifier: MIT
 *
 * Instructions whose row says as C what they mean: forms.h.
 */
#include "emit.h"

#include <ctype.h>
#include <string.h>

/* The type that a letter of the form's operands names. */
static const struct type *operand_type(const struct emitter *emitter, const char *text,
                                       size_t length)
{
    const struct match *match = &emitter->instruction->match;

    if (length == 1 && (*text == '1' || *text == '2'))
        return emit_type(emitter, match->type[*text - '1']);
    if (length == 1 && *text == 'p')
        return emit_type(emitter, "pred");
    if (length == 1 && *text == 'w') {
        const struct type *type = emit_type(emitter, match->type[0]);
        return emit_type(emitter, emit_text(emitter, "%c%u", type->kind, 16 * type->bytes));
    }
    return emit_type(emitter, emit_text(emitter, "%.*s", (int)length, text));
}

/* May a register be wider than that type? PTX ISA, operand size exceeding instruction-type size: of
 * cvt, ld and st, and for types of 8 bits, which registers do not have. */
static bool may_be_wider(const struct emitter *emitter, const struct type *type)
{
    return strncmp(emitter->instruction->opcode, "cvt", 3) == 0 || type->bytes == 1;
}

enum { SOURCES = 4 };

struct operands {
    char *sources[SOURCES]; /* C expressions; null: there is none */
    const struct type *destination;
};

/* Holds the operands to the row, and makes expressions of the sources. */
static void take_operands(const struct emitter *emitter, struct operands *taken)
{
    const char *at = emitter->instruction->match.form->operands;
    size_t count = 1;

    *taken = (struct operands){0};
    for (const char *c = at; *c != '\0'; c++)
        count += *c == ',';
    emit_count(emitter, count, count);
    for (size_t k = 0; k < count; k++) {
        size_t length = strcspn(at, ",");
        const struct type *type = operand_type(emitter, at, strcspn(at, "|,"));
        if (k > 0)
            taken->sources[k - 1] =
                emit_value(emitter, emit_operand(emitter, k), type, may_be_wider(emitter, type));
        else
            taken->destination = type;
        at += length + (at[length] == ',');
    }
}

/* Text that grows. */
struct text {
    char *at;
    size_t length, room;
};

static void append(const struct emitter *emitter, struct text *text, const char *more,
                   size_t length)
{
    if (text->length + length >= text->room) {
        char *larger;
        text->room = 2 * (text->length + length) + 64;
        larger = arena_take(emitter->module->arena, text->room, 1);
        if (text->length > 0)
            memcpy(larger, text->at, text->length);
        text->at = larger;
    }
    memcpy(text->at + text->length, more, length);
    text->length += length;
    text->at[text->length] = '\0';
}

/* What a word of a meaning stands for; null: itself. */
static const char *word_meaning(const struct emitter *emitter, const char *word, size_t length,
                                const struct operands *operands)
{
    const struct match *match = &emitter->instruction->match;

    if (length == 1 && strchr("abce", *word) != NULL) {
        const char *source = operands->sources[*word == 'e' ? 3 : *word - 'a'];
        return source != NULL ? emit_text(emitter, "(%s)", source) : "0";
    }
    if (length == 1 && *word == 'W')
        return emit_text(emitter, "ptx_%s", operand_type(emitter, "w", 1)->name);
    if (length == 2 && (*word == 'T' || *word == 'U') && (word[1] == '1' || word[1] == '2')) {
        const struct type *type = emit_type(emitter, match->type[word[1] - '1']);
        return *word == 'T' ? emit_text(emitter, "ptx_%s", type->name)
                            : emit_text(emitter, "ptx_u%u", 8 * type->bytes);
    }
    return NULL;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Writes a row's meaning with what its letters stand for. FTZ_$2 is one name: of "FTZ_", itself,
 * and of the group's text. */
static char *expand(const struct emitter *emitter, const char *meaning, const char *end,
                    const struct operands *operands)
{
    struct text text = {0};

    while (meaning < end) {
        const char *start = meaning, *other;
        if (*meaning == '$') {
            other = emitter->instruction->match.group[meaning[1] - '1'];
            meaning += 2;
        } else if (is_word(*meaning)) {
            while (meaning < end && is_word(*meaning))
                meaning++;
            other = word_meaning(emitter, start, (size_t)(meaning - start), operands);
        } else {
            other = NULL;
            meaning++;
        }
        if (other != NULL)
            append(emitter, &text, other, strlen(other));
        else
            append(emitter, &text, start, (size_t)(meaning - start));
    }
    return text.at;
}

void emit_meaning(struct emitter *emitter)
{
    const char *meaning = emitter->instruction->match.form->meaning;
    struct operands operands;

    take_operands(emitter, &operands);
    emit_assign(emitter, emit_operand(emitter, 0), operands.destination,
                may_be_wider(emitter, operands.destination),
                expand(emitter, meaning, meaning + strlen(meaning), &operands));
}

/* setp: p = (a CMP b) BoolOp c, and q of the complement of the comparison. PTX ISA 9.7.6.2. */
void emit_setp(struct emitter *emitter, const char *name)
{
    static const char *const logic[] = {"and", "or", "xor", NULL};
    static const struct {
        const char *name, *mark;
    } marks[] = {{"and", "&"}, {"or", "|"}, {"xor", "^"}};
    const char *operation = emit_which(emitter, logic), *mark = NULL, *half;
    const struct type *predicate = emit_type(emitter, "pred");
    bool stores = strncmp(name, "@setp", 5) != 0, two = name[strcspn(name, " ") - 1] == '2';
    struct operands operands;
    struct operand first;
    const struct operand *second;
    char *low, *high;

    take_operands(emitter, &operands);
    first = *emit_operand(emitter, 0);
    second = first.pair;
    first.pair = NULL;
    for (size_t m = 0; operation != NULL && m < 3; m++)
        if (strcmp(marks[m].name, operation) == 0)
            mark = marks[m].mark;
    name += strcspn(name, " ") + 1;
    half = strchr(name, ';');
    low = expand(emitter, name, half != NULL ? half : name + strlen(name), &operands);
    high = two && half != NULL ? expand(emitter, half + 1, half + strlen(half), &operands)
                               : emit_text(emitter, "!(%s)", low);
    if (mark != NULL) {
        low = emit_text(emitter, "(bool)(%s) %s (%s)", low, mark, operands.sources[2]);
        high = emit_text(emitter, "(bool)(%s) %s (%s)", high, mark, operands.sources[2]);
    }
    if (stores) { /* set, of the destination's type */
        const char *type = emitter->instruction->match.type[0];
        emit_assign(emitter, &first, operands.destination, false,
                    two ? emit_text(emitter, "PAIR_%s(%s, %s)", type, low, high)
                        : emit_text(emitter, "SET_%s(%s)", type, low));
        return;
    }
    if (second == NULL) {
        emit_assign(emitter, &first, predicate, false, low);
        return;
    }
    emit(emitter, "{ const bool low = %s, high = %s; (void)low; (void)high; ", low, high);
    emit_assign(emitter, &first, predicate, false, "low");
    emit(emitter, " ");
    emit_assign(emitter, second, predicate, false, "high");
    emit(emitter, " }");
}
