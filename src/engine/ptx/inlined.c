/* SPDX-License-Identifier: MIT
 *
 * The calls that clang has inlined. Its .loc has no inlined_at, but its debug information (DWARF,
 * version 2) has the labels between which the code of each inlined call is.
 */
#include "parser.h"

#include <ctype.h>
#include <string.h>

enum { MOST_ABBREVIATIONS = 128, MOST_ATTRIBUTES = 16 };

/* DWARF version 2, chapter 7. */
enum {
    TAG_INLINED = 0x1d,
    LOW_PC = 0x11,
    HIGH_PC = 0x12,
    CALL_COLUMN = 0x57,
    CALL_FILE = 0x58,
    CALL_LINE = 0x59,
    FORM_STRING = 0x08,
    FORM_UDATA = 0x0f,
};

/* Bytes of the forms that have always the same. */
static const uint8_t form_bytes[] = {[0x01] = 8 /* address */,
                                     [0x05] = 2,
                                     [0x06] = 4,
                                     [0x07] = 8,
                                     [0x0b] = 1,
                                     [0x0c] = 1,
                                     [0x13] = 4};

struct abbreviation {
    uint64_t tag, count;
    bool has_children;
    struct attribute {
        uint64_t name, form;
    } attributes[MOST_ATTRIBUTES];
};

/* A label, and the index of the instruction that it marks among those of all functions. */
struct end {
    size_t at;
};

struct entry {
    bool is_inlined;
    struct end *low, *high; /* null: none */
    struct location call;
    struct entry *parent, *next;
};

struct inlined {
    struct abbreviation abbreviations[MOST_ABBREVIATIONS];
    struct entry *first, **last; /* in the order of the section: a parent precedes its children */
    struct names ends;
    size_t bytes; /* of each number that follows */
    const char *label;
    bool is_over; /* at the end of the section, or at something malformed */
};

/* ---- Reading ---- */

/* Returns the next number of so many bytes, or 0 for a label, which is kept. */
static uint64_t take(struct parser *parser, size_t bytes)
{
    struct inlined *inlined = parser->inlined;
    struct lexer *lexer = &parser->lexer;
    const struct token *token = &lexer->token;
    uint64_t value = 0;

    for (size_t taken = 0; taken < bytes && !inlined->is_over; taken += inlined->bytes) {
        for (; token->kind == TOKEN_DOT && token->text[1] == 'b'; lexer_next(lexer))
            inlined->bytes = strtoul(token->text + 2, NULL, 10) / 8;
        inlined->label = token->kind == TOKEN_WORD ? token->text : NULL;
        inlined->is_over = token->kind == TOKEN_END || token->kind == TOKEN_MARK ||
                           inlined->bytes == 0 || inlined->bytes > bytes - taken;
        if (inlined->is_over)
            return 0;
        value |= (token->kind == TOKEN_INTEGER ? token->value : 0) << 8 * taken;
        lexer_next(lexer);
        lexer_take(lexer, ",");
    }
    return value;
}

/* Returns a number with 7 bits in a byte: LEB128. */
static uint64_t take_number(struct parser *parser)
{
    uint64_t value = 0, byte = 0x80;

    for (unsigned int shift = 0; byte & 0x80; shift += 7) {
        byte = take(parser, 1);
        value |= shift < 64 ? (byte & 0x7f) << shift : 0;
    }
    return value;
}

static void read_abbreviations(struct parser *parser)
{
    uint64_t code;

    while ((code = take_number(parser)) != 0) {
        struct abbreviation read = {.tag = take_number(parser)};
        struct attribute attribute;
        read.has_children = take(parser, 1) != 0;
        while ((attribute.name = take_number(parser), attribute.form = take_number(parser)) != 0)
            if (read.count++ < MOST_ATTRIBUTES)
                read.attributes[read.count - 1] = attribute;
        if (code < MOST_ABBREVIATIONS && read.count <= MOST_ATTRIBUTES)
            parser->inlined->abbreviations[code] = read;
    }
}

/* Returns the end that the label read last stands for, or null. */
static struct end *end_of_label(struct parser *parser)
{
    struct inlined *inlined = parser->inlined;
    struct end *end = NULL;

    if (inlined->label != NULL && (end = names_get(&inlined->ends, inlined->label, 0)) == NULL) {
        end = arena_take(parser->module->arena, 1, sizeof *end);
        names_enter(&inlined->ends, parser->module->arena, inlined->label, 0, end);
    }
    return end;
}

static void read_attribute(struct parser *parser, const struct attribute *attribute,
                           struct entry *entry)
{
    uint64_t value = 0;

    if (attribute->form == FORM_STRING)
        while (take(parser, 1) != 0)
            ;
    else if (attribute->form == FORM_UDATA)
        value = take_number(parser);
    else if (attribute->form < sizeof form_bytes && form_bytes[attribute->form] > 0)
        value = take(parser, form_bytes[attribute->form]);
    else
        parser->inlined->is_over = true;
    switch (attribute->name) {
    case LOW_PC:
        entry->low = end_of_label(parser);
        break;
    case HIGH_PC:
        entry->high = end_of_label(parser);
        break;
    case CALL_FILE:
        entry->call.file = (uint32_t)value;
        break;
    case CALL_LINE:
        entry->call.line = (uint32_t)value;
        break;
    case CALL_COLUMN:
        entry->call.column = (uint32_t)value;
        break;
    default:
        break;
    }
}

static void read_entries(struct parser *parser)
{
    struct inlined *inlined = parser->inlined;
    struct entry *parent = NULL;

    take(parser, 4); /* the length of the section */
    inlined->is_over = inlined->is_over || take(parser, 2) != 2;
    take(parser, 4); /* the place in .debug_abbrev */
    take(parser, 1); /* the bytes of an address */
    while (!inlined->is_over) {
        uint64_t code = take_number(parser);
        const struct abbreviation *abbreviation =
            &inlined->abbreviations[code % MOST_ABBREVIATIONS];
        struct entry *entry;
        if (code == 0) {
            parent = parent != NULL ? parent->parent : NULL;
            continue;
        }
        entry = arena_take(parser->module->arena, 1, sizeof *entry);
        *entry = (struct entry){.is_inlined = abbreviation->tag == TAG_INLINED, .parent = parent};
        for (uint64_t k = 0; k < abbreviation->count; k++)
            read_attribute(parser, &abbreviation->attributes[k], entry);
        if (parent != NULL && parent->is_inlined)
            entry->call.inlined_at = &parent->call;
        entry->call.depth = parent != NULL ? parent->call.depth + 1 : 0;
        if (inlined->is_over || abbreviation->tag == 0 || entry->call.depth > MAX_INLINED)
            return;
        *inlined->last = entry;
        inlined->last = &entry->next;
        parent = abbreviation->has_children ? entry : parent;
    }
}

void inlined_read(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    bool is_info = lexer_is(lexer, ".debug_info");

    if (parser->inlined == NULL) {
        parser->inlined = arena_take(parser->module->arena, 1, sizeof *parser->inlined);
        parser->inlined->last = &parser->inlined->first;
    }
    parser->inlined->is_over = false;
    lexer_next(lexer);
    lexer_expect(lexer, "{");
    if (is_info)
        read_entries(parser);
    else
        read_abbreviations(parser);
    while (!lexer_is(lexer, "}") && lexer->token.kind != TOKEN_END)
        lexer_next(lexer);
    lexer_expect(lexer, "}");
}

/* ---- The calls of locations ---- */

/* The innermost entry that has an instruction. */
struct owner {
    struct entry *entry; /* null: none */
    bool is_mixed;       /* further entries inside it may have it */
};

static bool is_inside(const struct entry *entry, const struct entry *outer)
{
    while (entry != NULL && entry != outer)
        entry = entry->parent;
    return entry == outer;
}

/* Enters an inlined call for its instructions. Where code moved, the range of a call also has
 * instructions of others. */
static void enter_entry(struct owner *owners, struct entry *entry)
{
    struct entry *parent =
        entry->parent != NULL && entry->parent->is_inlined ? entry->parent : NULL;

    if (!entry->is_inlined || entry->low == NULL || entry->high == NULL)
        return;
    for (size_t i = entry->low->at; i < entry->high->at; i++) {
        struct owner *owner = &owners[i];
        bool is_first = owner->entry == parent && !owner->is_mixed;
        if (!is_first && !is_inside(owner->entry, parent))
            continue;
        owner->is_mixed = !is_first;
        owner->entry = is_first ? entry : parent;
    }
}

void inlined_resolve(struct parser *parser)
{
    const struct module *module = parser->module;
    struct owner *owners;
    struct end *end;
    size_t count = 0, at = 0;

    if (parser->inlined == NULL || parser->inlined->first == NULL)
        return;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f]->instruction_count; i++, count++) {
            const char *label = module->functions[f]->instructions[i].label;
            if (label != NULL && (end = names_get(&parser->inlined->ends, label, 0)) != NULL)
                end->at = count;
        }
    owners = arena_take(module->arena, count + 1, sizeof *owners);
    for (struct entry *entry = parser->inlined->first; entry != NULL; entry = entry->next)
        enter_entry(owners, entry);
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f]->instruction_count; i++, at++) {
            struct location *location = module->functions[f]->instructions[i].location;
            if (location != NULL && location->inlined_at == NULL && owners[at].entry != NULL &&
                module_file(module, location).owner != OWNER_USER)
                location->inlined_at = &owners[at].entry->call;
        }
}
