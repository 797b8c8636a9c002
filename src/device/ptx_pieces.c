/* SPDX-License-Identifier: MIT */
#include "ptx_pieces.h"

#include "build.h"
#include "entry_variable.h"
#include "fnv.h"
#include "reader.h"
#include "whole_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Pieces ---- */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Returns true for a piece of exactly one line. */
static bool is_line(const char *text)
{
    return begins(text, "//") || begins(text, ".version") || begins(text, ".target") ||
           begins(text, ".address_size") || begins(text, ".file") || begins(text, ".loc");
}

/* Returns the end of a piece. It is the brace of a function body or of a section; else the
 * semicolon. */
static size_t piece_end(const char *text, size_t at, bool *is_function, bool *has_body)
{
    size_t depth = 0;
    bool section = begins(text + at, ".section");

    *is_function = *has_body = false;
    if (is_line(text + at))
        return at + strcspn(text + at, "\n");
    for (; text[at] != '\0'; at++) {
        at += strcspn(text + at, depth > 0 ? "/\"{}" : "/\"{};."); /* a module may have 10 MB */
        if (begins(text + at, "//"))
            at += strcspn(text + at, "\n");
        else if (text[at] == '"')
            at += 1 + strcspn(text + at + 1, "\"");
        if (depth == 0 && (begins(text + at, ".entry") || begins(text + at, ".func")))
            *is_function = true;
        if (text[at] == '\0' || (text[at] == ';' && depth == 0))
            break;
        depth += text[at] == '{';
        if (text[at] == '}' && --depth == 0 && (*is_function || section)) {
            *has_body = true;
            break;
        }
    }
    return text[at] == '\0' ? at : at + 1;
}

/* Finds the piece's name. A function's name precedes its parameters and follows its result. A
 * variable's name precedes its size, its value or the end. */
static void find_name(const char *text, struct ptx_piece *piece)
{
    const char *at = text + piece->offset, *end = at + piece->length, *found = NULL;

    if (piece->is_function) {
        const char *entry = memmem(at, piece->length, ".entry", 6);
        at = entry != NULL ? entry : strstr(at, ".func");
        at += strcspn(at, " \t\n");
        at += strspn(at, " \t\n");
        if (*at == '(') {
            at += strcspn(at, ")") + 1;
            at += strspn(at, " \t\n");
        }
        found = at;
    } else {
        end = at + strcspn(at, "[=;");
        while (end > at && !is_name(end[-1]))
            end--;
        for (found = end; found > at && is_name(found[-1]);)
            found--;
    }
    piece->name = (size_t)(found - text);
    while (is_name(text[piece->name + piece->name_length]))
        piece->name_length++;
}

static int compare_names(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = strncmp(a, b, a_length < b_length ? a_length : b_length);
    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

static int by_name(const void *left, const void *right, void *context)
{
    const struct ptx_pieces *pieces = context;
    const struct ptx_piece *a = &pieces->all[*(const size_t *)left],
                           *b = &pieces->all[*(const size_t *)right];
    int order = compare_names(pieces->text + a->name, a->name_length, pieces->text + b->name,
                              b->name_length);

    return order != 0 ? order : (int)b->has_body - (int)a->has_body;
}

void ptx_pieces_read(const char *text, size_t size, struct ptx_pieces *pieces)
{
    struct list all = {NULL, 0};

    *pieces = (struct ptx_pieces){.text = text};
    for (size_t at = strspn(text, " \t\n"); at < size; at += strspn(text + at, " \t\n")) {
        struct ptx_piece piece = {.offset = at};
        size_t end = piece_end(text, at, &piece.is_function, &piece.has_body);
        piece.length = end - at;
        if (!is_line(text + at) && !begins(text + at, ".section"))
            find_name(text, &piece);
        LIST_ADD(&pieces->memory, &all, struct ptx_piece) = piece;
        at = end;
    }
    pieces->all = all.items;
    pieces->count = all.count;
    pieces->by_name = memory_take(&pieces->memory, pieces->count * sizeof *pieces->by_name);
    for (size_t k = 0; k < pieces->count; k++)
        if (pieces->all[k].name_length > 0)
            pieces->by_name[pieces->named++] = k;
    qsort_r(pieces->by_name, pieces->named, sizeof *pieces->by_name, by_name, pieces);
}

void ptx_pieces_free(struct ptx_pieces *pieces)
{
    memory_free(&pieces->memory);
    *pieces = (struct ptx_pieces){.text = NULL};
}

/* Returns the first piece of that name, by `by_name`, or null. */
static const struct ptx_piece *find_piece(const struct ptx_pieces *pieces, const char *name,
                                          size_t length)
{
    size_t low = 0, high = pieces->named;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct ptx_piece *piece = &pieces->all[pieces->by_name[middle]];
        if (compare_names(pieces->text + piece->name, piece->name_length, name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < pieces->named) {
        const struct ptx_piece *piece = &pieces->all[pieces->by_name[low]];
        if (compare_names(pieces->text + piece->name, piece->name_length, name, length) == 0)
            return piece;
    }
    return NULL;
}

const char *ptx_entry_symbol(const struct ptx_pieces *pieces, const char *name)
{
    char wanted[256];
    const char *symbol;
    const struct ptx_piece *piece;
    struct entry_variable found;

    snprintf(wanted, sizeof wanted, ENTRY_VARIABLE "%s", name);
    piece = find_piece(pieces, wanted, strlen(wanted));
    if (piece == NULL || !entry_variable_find(pieces->text + piece->offset, name, &found))
        return NULL;
    symbol = kept_text(found.symbol, (size_t)found.symbol_length);
    return find_piece(pieces, symbol, strlen(symbol)) != NULL ? symbol : NULL;
}

/* ---- What needs what ---- */

/* The pieces that a kernel needs, the kernel first, in the order of their first use. */
struct needs {
    const struct ptx_pieces *pieces;
    const struct ptx_piece **all;
    size_t count;
    bool *has; /* by piece */
    struct memory memory;
};

static void needs_open(struct needs *needs, const struct ptx_pieces *pieces)
{
    *needs = (struct needs){.pieces = pieces};
    needs->all = memory_take(&needs->memory, pieces->count * sizeof *needs->all);
    needs->has = memory_take(&needs->memory, pieces->count * sizeof *needs->has);
}

static void needs_add(struct needs *needs, const struct ptx_piece *piece)
{
    if (piece == NULL || needs->has[piece - needs->pieces->all])
        return;
    needs->has[piece - needs->pieces->all] = true;
    needs->all[needs->count++] = piece;
}

/* Advances *at to the next word of a piece's text, past comments and lines of .loc. Returns its
 * length, or 0 at the end. A word is a name or one character. */
static size_t next_word(const struct ptx_pieces *pieces, size_t *at, size_t end)
{
    const char *text = pieces->text;
    size_t length = 0;

    while (*at < end && (isspace((unsigned char)text[*at]) || begins(text + *at, "//") ||
                         begins(text + *at, ".loc")))
        *at += isspace((unsigned char)text[*at]) ? 1 : strcspn(text + *at, "\n");
    if (*at >= end)
        return 0;
    while (*at + length < end && is_name(text[*at + length]))
        length++;
    return length > 0 ? length : 1;
}

/* Adds what the pieces need that were added so far. */
static void needs_close(struct needs *needs)
{
    for (size_t k = 0; k < needs->count; k++) {
        size_t at = needs->all[k]->offset, end = at + needs->all[k]->length, length;
        for (; (length = next_word(needs->pieces, &at, end)) > 0; at += length)
            if (is_name(needs->pieces->text[at]))
                needs_add(needs, find_piece(needs->pieces, needs->pieces->text + at, length));
    }
}

static void needs_of(struct needs *needs, const char *symbol)
{
    needs_add(needs, find_piece(needs->pieces, symbol, strlen(symbol)));
    needs_close(needs);
}

/* ---- Digests ---- */

/* Finds the parts of a name that the compiler has numbered within the module: the text before the
 * number, and the text after it. */
static bool is_numbered(const char *name, size_t length, size_t *number, size_t *rest)
{
    static const char *const known[] = {
        "$L__BB", "__local_depot", "prototype_", "$L__",
        "LBB",    "Lfunc_begin",   "Ltmp",       "Lfunc_end"}; /* names of clang 14 have no "$" */

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        *number = strlen(known[k]);
        if (*number > length || !begins(name, known[k]))
            continue;
        while (*number < length && !isdigit((unsigned char)name[*number]))
            ++*number;
        for (*rest = *number; *rest < length && isdigit((unsigned char)name[*rest]);)
            ++*rest;
        return true;
    }
    return false;
}

/* Adds a name to the digest: a name of the copy without its tag, a string of the module by the
 * position of its first use. */
static void digest_name(const struct needs *needs, const char *name, size_t length, const char *tag,
                        uint64_t *digest)
{
    const char *found = memmem(name, length, tag, strlen(tag));
    const struct ptx_piece *piece = find_piece(needs->pieces, name, length);
    size_t number, rest, k = 0;

    if (found != NULL) {
        size_t before = (size_t)(found - name), after = before + strlen(tag);
        *digest = fnv_bytes(*digest, name, before);
        digest_name(needs, name + after, length - after, tag, digest);
    } else if (piece != NULL && !piece->is_function) {
        while (k < needs->count && needs->all[k] != piece)
            k++;
        *digest = fnv_bytes(*digest, &k, sizeof k);
    } else if (is_numbered(name, length, &number, &rest)) {
        *digest = fnv_bytes(*digest, name, number);
        *digest = fnv_bytes(*digest, name + rest, length - rest);
    } else {
        *digest = fnv_bytes(*digest, name, length);
    }
    *digest = fnv_bytes(*digest, " ", 1);
}

void ptx_digest(const struct ptx_pieces *pieces, const char *symbol, const char *tag,
                uint64_t *digest, bool *is_alone)
{
    struct needs needs;

    *digest = FNV_OFFSET_BASIS;
    needs_open(&needs, pieces);
    needs_of(&needs, symbol);
    for (size_t k = 0; k < needs.count; k++) {
        size_t at = needs.all[k]->offset, end = at + needs.all[k]->length, length;
        for (; (length = next_word(pieces, &at, end)) > 0; at += length)
            digest_name(&needs, pieces->text + at, length, tag, digest);
    }
    *is_alone = needs.count == 1;
    memory_free(&needs.memory);
}

/* ---- Lines ---- */

enum { MAX_FILES = 4096 };

/* Finds the numbers of the files with the tag. */
static void find_files(const struct ptx_pieces *pieces, const char *tag, bool files[MAX_FILES])
{
    for (size_t k = 0; k < pieces->count; k++) {
        const char *text = pieces->text + pieces->all[k].offset;
        unsigned int number;
        if (begins(text, ".file") && sscanf(text, ".file %u", &number) == 1 && number < MAX_FILES &&
            memmem(text, pieces->all[k].length, tag, strlen(tag)) != NULL)
            files[number] = true;
    }
}

static void mark_line(const char *place, const bool files[MAX_FILES], bool *lines, size_t count)
{
    unsigned int file, line;

    if (sscanf(place, "%u %u", &file, &line) == 2 && file < MAX_FILES && files[file] &&
        line < count)
        lines[line] = true;
}

static void mark_lines(const char *text, size_t length, const bool files[MAX_FILES], bool *lines,
                       size_t count)
{
    static const char inlined[] = "inlined_at ";

    for (const char *end = text + length, *line = text; line < end;) {
        size_t blanks = strspn(line, " \t"), rest = strcspn(line, "\n");
        if (begins(line + blanks, ".loc")) {
            const char *outer = memmem(line, rest, inlined, sizeof inlined - 1);
            mark_line(line + blanks + 4, files, lines, count);
            if (outer != NULL)
                mark_line(outer + sizeof inlined - 1, files, lines, count);
        }
        line += rest + (line[rest] != '\0');
    }
}

void ptx_lines(const struct ptx_pieces *pieces, const char *symbol, const char *tag, bool *lines,
               size_t count)
{
    bool files[MAX_FILES] = {false};
    struct needs needs;

    find_files(pieces, tag, files);
    needs_open(&needs, pieces);
    needs_of(&needs, symbol);
    for (size_t k = 0; k < needs.count; k++)
        mark_lines(pieces->text + needs.all[k]->offset, needs.all[k]->length, files, lines, count);
    memory_free(&needs.memory);
}

/* ---- Some of the kernels ---- */

/* Writes as many line ends as the text has. */
static bool write_line_ends(FILE *to, const char *text, size_t length)
{
    bool good = true;

    for (size_t k = 0; good && k < length; k++)
        good = text[k] != '\n' || fputc('\n', to) != EOF;
    return good;
}

/* Writes the pieces that are needed, and those without a name, each at its line. */
static bool write_needed(FILE *to, const struct needs *needs)
{
    const struct ptx_pieces *pieces = needs->pieces;
    size_t done = 0;
    bool good = true;

    for (size_t k = 0; good && k < pieces->count; k++) {
        const struct ptx_piece *piece = &pieces->all[k];
        const struct ptx_piece *first =
            find_piece(pieces, pieces->text + piece->name, piece->name_length);
        if (piece->name_length > 0 && (first == NULL || !needs->has[first - pieces->all]))
            continue;
        good = write_line_ends(to, pieces->text + done, piece->offset - done) &&
               fputc(' ', to) != EOF &&
               fwrite(pieces->text + piece->offset, 1, piece->length, to) == piece->length;
        done = piece->offset + piece->length;
    }
    return good && fputc('\n', to) != EOF;
}

bool ptx_write_kernels(FILE *to, const struct ptx_pieces *pieces, const char *tag,
                       const char *const *names, size_t count)
{
    struct needs needs;
    char entry[256];
    const char *symbol;
    bool good = true;

    needs_open(&needs, pieces);
    for (size_t n = 0; n < count; n++) {
        snprintf(entry, sizeof entry, "%s_%s", tag, names[n]);
        if ((symbol = ptx_entry_symbol(pieces, entry)) != NULL)
            needs_of(&needs, symbol);
    }
    good = write_needed(to, &needs);
    for (size_t n = 0; good && n < count; n++) {
        snprintf(entry, sizeof entry, "%s_%s", tag, names[n]);
        good = (symbol = ptx_entry_symbol(pieces, entry)) != NULL &&
               fprintf(to, ".visible .global .align 8 .u64 " ENTRY_VARIABLE "%s = %s;\n", names[n],
                       symbol) > 0;
    }
    memory_free(&needs.memory);
    return good;
}

/* ---- Linked modules ---- */

/* Returns whether a module only declares the piece. */
static bool is_declaration(const struct ptx_pieces *pieces, const struct ptx_piece *piece)
{
    return piece->is_function ? !piece->has_body : begins(pieces->text + piece->offset, ".extern");
}

/* Returns whether other modules may use the piece. */
static bool is_exported(const struct ptx_pieces *pieces, const struct ptx_piece *piece)
{
    const char *text = pieces->text + piece->offset;

    return !is_declaration(pieces, piece) &&
           (begins(text, ".visible") || begins(text, ".weak") || begins(text, ".common"));
}

/* Adds the piece of one of the modules that defines the name. Returns false if none was added. */
static bool needs_define(struct needs *all, size_t count, const char *name, size_t length)
{
    for (size_t m = 0; m < count; m++) {
        const struct ptx_piece *found = find_piece(all[m].pieces, name, length);
        if (found == NULL || !is_exported(all[m].pieces, found))
            continue;
        if (all[m].has[found - all[m].pieces->all])
            return false;
        needs_add(&all[m], found);
        needs_close(&all[m]);
        return true;
    }
    return false;
}

/* Adds what other modules define of what the modules need. */
static void needs_link(struct needs *all, size_t count)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t m = 0; m < count; m++)
            for (size_t k = 0; k < all[m].count; k++) {
                const struct ptx_piece *piece = all[m].all[k];
                if (is_declaration(all[m].pieces, piece) &&
                    needs_define(all, count, all[m].pieces->text + piece->name, piece->name_length))
                    changed = true;
            }
    }
}

bool ptx_write_kernel(FILE *const *to, const struct ptx_pieces *modules, size_t count,
                      const char *symbol)
{
    struct memory memory = {NULL};
    struct needs *all = memory_take(&memory, count * sizeof *all);
    bool good = find_piece(&modules[0], symbol, strlen(symbol)) != NULL;

    errno = ENOENT;
    for (size_t m = 0; m < count; m++)
        needs_open(&all[m], &modules[m]);
    if (good) {
        needs_of(&all[0], symbol);
        needs_link(all, count);
    }
    for (size_t m = 0; m < count; m++) {
        good = good && write_needed(to[m], &all[m]);
        memory_free(&all[m].memory);
    }
    memory_free(&memory);
    return good;
}

/* Writes a module of all variables and of the functions that they need. Returns false if it cannot
 * be written. */
static bool write_named(FILE *to, const struct ptx_pieces *pieces)
{
    struct needs needs;
    bool good;

    needs_open(&needs, pieces);
    for (size_t k = 0; k < pieces->named; k++)
        if (!pieces->all[pieces->by_name[k]].is_function)
            needs_add(&needs, &pieces->all[pieces->by_name[k]]);
    needs_close(&needs);
    good = write_needed(to, &needs);
    memory_free(&needs.memory);
    return good;
}

bool ptx_keep_named(const char *ptx, char *said, size_t said_size)
{
    struct ptx_pieces pieces;
    size_t size = 0;
    char *text = read_whole_file(ptx, &size);
    FILE *to = NULL;
    bool good = false;

    if (text != NULL) {
        text[size] = '\0';
        ptx_pieces_read(text, size, &pieces);
        to = fopen(ptx, "wb");
        good = to != NULL && write_named(to, &pieces);
        ptx_pieces_free(&pieces);
    }
    good = to != NULL && fclose(to) == 0 && good;
    if (!good)
        snprintf(said, said_size, "cannot write '%s': %s", ptx, strerror(errno));
    free(text);
    return good;
}
