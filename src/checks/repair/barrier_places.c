/* SPDX-License-Identifier: MIT */
#include "barrier_places.h"

#include "decoder.h"
#include "whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct barrier_code {
    char *text;
    struct module module;
    /* Of the file with the places: by number, from 1. */
    struct source_line {
        bool is_loop;   /* the statement is a loop */
        bool begins;    /* a statement, and another one can be inserted before it */
        uint32_t depth; /* how many braces are open where the line begins */
    } * lines;
    uint32_t line_count;
};

/* ---- Source ---- */

/* Returns the end of a comment, a directive or a space, or `at` if there is none. A pragma belongs
 * to the statement after it. */
static const char *skip_space(const char *at)
{
    const char *end;

    if (strncmp(at, "/*", 2) == 0) {
        end = strstr(at + 2, "*/");
        return end != NULL ? end + 2 : at + strlen(at);
    }
    if (strncmp(at, "//", 2) == 0)
        return at + strcspn(at, "\n");
    if (*at == '#' && strncmp(at + 1 + strspn(at + 1, " \t"), "pragma", 6) != 0) {
        for (end = at + strcspn(at, "\n"); *end != '\0' && end[-1] == '\\';)
            end += 1 + strcspn(end + 1, "\n");
        return end;
    }
    return at + (strchr(" \t\r\n\f\v", *at) != NULL);
}

/* Returns the end of a text or a character. */
static const char *skip_token(const char *at)
{
    const char *end = at + 1;

    if (*at != '"' && !(*at == '\'' && (at[1] == '\\' || (at[1] != '\0' && at[2] == '\''))))
        return end;
    for (; *end != '\0' && *end != *at; end++)
        end += *end == '\\' && end[1] != '\0';
    return end + (*end != '\0');
}

static bool is_word(const char *at, const char *word)
{
    size_t length = strlen(word);

    return strncmp(at, word, length) == 0 && strchr(" \t\r\n{(/", at[length]) != NULL;
}

/* Reads a file. Returns false if it cannot be read. */
static bool read_lines(struct barrier_code *code, const char *path)
{
    size_t size = 0;
    char *text = path != NULL ? read_whole_file(path, &size) : NULL;
    uint32_t line = 1, seen = 0, depth = 0, parentheses = 0;
    char last = ';';

    if (text == NULL)
        return false;
    code->line_count = 1;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        code->line_count++;
    free(code->lines);
    code->lines = calloc(code->line_count + 1, sizeof *code->lines);
    for (const char *at = text, *end; code->lines != NULL && *at != '\0';) {
        end = skip_space(at);
        if (end == at) {
            end = skip_token(at);
            if (seen != line) {
                code->lines[line].begins = parentheses == 0 && strchr(";{}", last) != NULL &&
                                           strchr("{}", *at) == NULL && !is_word(at, "else");
                code->lines[line].is_loop =
                    is_word(at, "for") || is_word(at, "while") || is_word(at, "do") || *at == '#';
            }
            seen = line;
            depth += (uint32_t)(*at == '{') - (*at == '}');
            parentheses += (uint32_t)(*at == '(') - (*at == ')');
            last = end[-1];
        }
        for (; at < end; at++)
            if (*at == '\n')
                code->lines[++line].depth = depth;
    }
    free(text);
    return code->lines != NULL;
}

/* Returns the line of the statement that the line belongs to, or 0. */
static uint32_t statement_of(const struct barrier_code *code, uint32_t line)
{
    if (line > code->line_count)
        return 0;
    while (line > 0 && !code->lines[line].begins)
        line--;
    return line;
}

/* Returns the last line of the statement that begins there, or of its block. */
static uint32_t end_of(const struct barrier_code *code, uint32_t line, bool is_block)
{
    const uint32_t depth = code->lines[line].depth;

    for (line++; line <= code->line_count; line++)
        if (code->lines[line].depth < depth ||
            (!is_block && code->lines[line].depth == depth && code->lines[line].begins))
            break;
    return line - 1;
}

/* Returns the first line of the outermost loop with these statements in it, or 0. */
static uint32_t loop_of(const struct barrier_code *code, uint32_t low, uint32_t high)
{
    for (uint32_t line = 1; line < low; line++)
        if (code->lines[line].is_loop && end_of(code, line, false) >= high)
            return line;
    return 0;
}

/* ---- PTX ---- */

/* Returns the place at that level that the code belongs to, or null. */
static const struct location *place_at(const struct location *location, uint32_t level)
{
    while (location != NULL && location->depth > level)
        location = location->inlined_at;
    return location != NULL && location->depth == level ? location : NULL;
}

/* Returns the level of the innermost function of the user that has both accesses. */
static uint32_t level_of(const struct module *module, const struct location *one,
                         const struct location *other)
{
    uint32_t level = 0;

    for (; level < one->depth && level < other->depth; level++) {
        const struct location *a = place_at(one, level), *b = place_at(other, level);
        if (a->file != b->file || a->line != b->line || a->column != b->column ||
            module_file(module, place_at(one, level + 1)).owner != OWNER_USER)
            break;
    }
    return level;
}

static const struct location *location_at(const struct function *function, int line)
{
    for (size_t k = 0; k < function->instruction_count; k++)
        if ((int)function->instructions[k].line == line && function->instructions[k].label == NULL)
            return function->instructions[k].location;
    return NULL;
}

struct barrier_code *barrier_code_read(const char *path)
{
    struct barrier_code *code = calloc(1, sizeof *code);
    char error[256];
    size_t size = 0;

    if (code == NULL)
        return NULL;
    code->text = read_whole_file(path, &size);
    if (code->text != NULL &&
        module_parse(&code->module, path, code->text, size, error, sizeof error))
        return code;
    free(code->text);
    free(code);
    return NULL;
}

void barrier_code_free(struct barrier_code *code)
{
    if (code == NULL)
        return;
    module_free(&code->module);
    free(code->lines);
    free(code->text);
    free(code);
}

/* Lists the lines. Returns their number. */
static size_t list_lines(const struct barrier_code *code, uint32_t low, uint32_t high,
                         uint32_t lines[MAX_BARRIER_PLACES])
{
    enum { AROUND = 4 };
    const uint32_t loop = loop_of(code, low, high), end = loop > 0 ? end_of(code, loop, false) : 0;
    size_t count = 0, limit;
    uint32_t line;

    for (line = high; line > low && count < MAX_BARRIER_PLACES - 2 * AROUND; line--)
        if (code->lines[line].begins)
            lines[count++] = line;
    limit = count + AROUND;
    for (line = high + 1; line <= end && count < limit; line++)
        if (code->lines[line].begins)
            lines[count++] = line;
    limit = count + AROUND;
    for (line = low; loop > 0 && line > loop && count < limit; line--)
        if (code->lines[line].begins)
            lines[count++] = line;
    return count;
}

size_t barrier_places(struct barrier_code *code, int one, int other,
                      struct barrier barriers[MAX_BARRIER_PLACES])
{
    const struct location *first = NULL, *second = NULL;
    struct module *module = &code->module;
    const struct function *function = NULL;
    uint32_t lines[MAX_BARRIER_PLACES], low, high, level;
    size_t count;

    for (size_t f = 0; f < module->function_count && (first == NULL || second == NULL); f++) {
        function = module->functions[f];
        first = location_at(function, one);
        second = location_at(function, other);
    }
    if (first == NULL || second == NULL)
        return 0;
    level = level_of(module, first, second);
    first = place_at(first, level);
    second = place_at(second, level);
    if (first->file != second->file || module_file(module, first).owner != OWNER_USER ||
        !read_lines(code, module_file(module, first).name))
        return 0;
    low = statement_of(code, first->line < second->line ? first->line : second->line);
    high = statement_of(code, first->line < second->line ? second->line : first->line);
    count = list_lines(code, low, high, lines);
    for (size_t k = 0; k < count; k++)
        barriers[k] = (struct barrier){
            {.function = function,
             .file = module_file(module, first).name,
             .number = first->file,
             .line = lines[k],
             .end = end_of(code, lines[k], true),
             .level = level,
             .repeats = !code->lines[lines[k]].is_loop && loop_of(code, lines[k], lines[k]) > 0},
            false};
    return count;
}

/* Returns whether the statement has ended where other code has that instruction. Compilers also
 * move computations and loads of earlier statements between its code. */
static bool is_end(const struct instruction *instruction, bool is_earlier)
{
    static const char *const opcodes[] = {"bra", "brx",  "call", "bar",
                                          "st.", "atom", "red.", "ld."};
    const size_t count = sizeof opcodes / sizeof *opcodes - is_earlier;

    for (size_t k = 0; k < count; k++)
        if (strncmp(instruction->opcode, opcodes[k], strlen(opcodes[k])) == 0)
            return true;
    return false;
}

/* Where the code is, while it is read in order. */
struct reading {
    bool is_inside; /* the rest of the block */
    bool has_left;  /* its first line, and came to a label or an access since then */
    bool is_first;  /* it is on that line */
};

/* Returns whether the code is the compiler's own, or of another file. */
static bool is_foreign(const struct location *place, const struct barrier_place *where)
{
    return place != NULL && (place->file != where->number || place->line == 0);
}

static bool is_in(const struct location *place, const struct barrier_place *where)
{
    return place != NULL && place->line >= where->line && place->line <= where->end;
}

/* Returns whether a branch from outside leads to the label. */
static bool is_entered(const char *label, const struct barrier_place *where)
{
    const struct function *function = where->function;

    for (size_t k = 0; k < function->instruction_count; k++) {
        const struct instruction *from = &function->instructions[k];
        const struct location *place = place_at(from->location, where->level);
        if (from->label == NULL && strncmp(from->opcode, "bra", 3) == 0 &&
            from->operand_count == 1 && from->operands[0].name != NULL &&
            strcmp(from->operands[0].name, label) == 0 && !is_foreign(place, where) &&
            !is_in(place, where))
            return true;
    }
    return false;
}

/* Returns whether the rest of the block begins at the instruction. */
static bool begins_at(const struct instruction *instruction, const struct barrier_place *where,
                      struct reading *reading)
{
    const struct location *place = place_at(instruction->location, where->level);
    const struct reading before = *reading;
    bool is_access, is_first, begins;

    if (instruction->label != NULL) {
        reading->has_left = !before.is_first || before.has_left;
        reading->is_inside = before.is_inside && !is_entered(instruction->label, where);
        return false;
    }
    if (is_foreign(place, where))
        return false;
    if (!is_in(place, where)) {
        reading->is_inside =
            before.is_inside && !is_end(instruction, place == NULL || place->line < where->line);
        return false;
    }
    is_access = is_end(instruction, false);
    is_first = place->line == where->line;
    begins = !before.is_inside || (is_first && is_access && before.has_left && where->repeats);
    *reading =
        (struct reading){true, !begins && (before.has_left || (is_access && !is_first)), is_first};
    return begins;
}

bool barrier_write(const struct barrier_code *code, const struct barrier *barriers, size_t count,
                   const char *path)
{
    const struct function *function = barriers[0].place.function;
    struct reading readings[MAX_BARRIERS] = {{false, false, false}};
    const char *from = code->text, *at = from;
    uint32_t line = 1;
    FILE *to = fopen(path, "w");

    for (size_t k = 0; to != NULL && k < function->instruction_count; k++)
        for (size_t b = 0; b < count; b++) {
            const struct instruction *instruction = &function->instructions[k];
            if (!begins_at(instruction, &barriers[b].place, &readings[b]))
                continue;
            for (; line < instruction->line; line++)
                at = strchr(at, '\n') + 1;
            fprintf(to, "%.*s\t%s;\n", (int)(at - from), from,
                    barriers[b].is_of_warp ? "bar.warp.sync 0xffffffff" : "bar.sync 0");
            from = at;
        }
    if (to != NULL)
        fputs(from, to);
    return to != NULL && fclose(to) == 0;
}
