/* SPDX-License-Identifier: MIT */
#include "places.h"

#include "entry_variable.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OPCODE = 96 };

struct position {
    const char *at;
    uint32_t ptx_line, file, line;
    bool is_used; /* by the launch */
};

/* ---- Statements ---- */

/* Advances to `to` and counts the lines between. */
static void go_to(struct position *position, const char *to)
{
    for (; position->at < to; position->at++)
        position->ptx_line += *position->at == '\n';
}

/* Returns the end of a comment or a directive at the position, or null if there is neither. */
static const char *find_end(const char *at)
{
    const char *end = strncmp(at, "/*", 2) == 0 ? strstr(at, "*/") : NULL;

    if (end != NULL)
        return end + 2;
    if (strncmp(at, "//", 2) == 0 || strncmp(at, ".loc", 4) == 0)
        return at + strcspn(at, "\n");
    return *at == '.' ? at + strcspn(at, "\n;") : NULL;
}

/* Reads ".loc FILE LINE COLUMN", and where that is inlined. */
static void read_location(struct position *position)
{
    const char *line = position->at, *end = line + strcspn(line, "\n"),
               *at = strstr(line, "inlined_at");

    at = at == NULL || at > end ? line + strlen(".loc") : at + strlen("inlined_at");
    sscanf(at, " %" SCNu32 " %" SCNu32, &position->file, &position->line);
}

static bool is_launched(const char *text, const struct launch_text *launch, const char *kernel)
{
    const size_t length = strcspn(kernel, "( \t\r\n");

    for (uint32_t c = 0; c < launch->call_count; c++) {
        const char *name = launch->calls[c].symbol;
        struct entry_variable found;
        if (entry_variable_find(text, name, &found)) /* compiled launches have a pointer to it */
            name = found.symbol;
        if (strcspn(name, "); ") == length && strncmp(name, kernel, length) == 0)
            return true;
    }
    return false;
}

/* Notes whether the launch uses the code after a directive. Kernels may call any function that is
 * no kernel. */
static void read_directive(struct position *position, const char *end, const char *text,
                           const struct launch_text *launch)
{
    const char *at = position->at, *kernel = memmem(at, (size_t)(end - at), ".entry ", 7);

    if (kernel != NULL)
        position->is_used = launch == NULL || is_launched(text, launch, kernel + 7);
    else if (memmem(at, (size_t)(end - at), ".func", 5) != NULL)
        position->is_used = true;
}

/* Advances to the opcode of the next instruction. Returns false at the end of the text. */
static bool find_instruction(struct position *position, const char *text,
                             const struct launch_text *launch)
{
    for (;;) {
        const char *at = position->at + strspn(position->at, " \t\r\n;{}(),]");
        const char *end;
        size_t word;

        go_to(position, at);
        if (*at == '\0')
            return false;
        end = find_end(at);
        word = strcspn(at, " \t\n;:");
        if (end != NULL) {
            if (strncmp(at, ".loc", 4) == 0)
                read_location(position);
            else
                read_directive(position, end, text, launch);
            go_to(position, end);
        } else if (*at == '@' || at[word] == ':') {
            go_to(position, at + word + (at[word] == ':'));
        } else {
            return true;
        }
    }
}

/* ---- Places ---- */

/* Returns whether the opcode begins with the name and a dot. */
static bool is_named(const char *opcode, const char *name)
{
    return strncmp(opcode, name, strlen(name)) == 0 && opcode[strlen(name)] == '.';
}

/* Returns whether one of the words, which a null ends, is a part of the opcode. */
static bool has_part(const char *opcode, const char *const *parts)
{
    for (; *parts != NULL; parts++) {
        const char *at = strstr(opcode, *parts);
        if (at != NULL && strchr(".:", at[strlen(*parts)]) != NULL)
            return true; /* strchr() also finds the end of the text */
    }
    return false;
}

/* Returns false if the instruction is neither a fence nor an access to memory that other threads
 * may access. */
static bool read_operation(const char *opcode, enum operation *operation)
{
    static const char *const names[] = {"ld", "st", "atom", "red", "fence", "membar"};
    static const char *const others[] = {".param",         ".local", ".const", ".nc",
                                         ".async",         ".bulk",  ".proxy", ".mmio",
                                         ".mbarrier_init", NULL};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (is_named(opcode, names[k])) {
            *operation = k < OPERATION_FENCE ? (enum operation)k : OPERATION_FENCE;
            return !has_part(opcode, others);
        }
    return false;
}

static void set_strengths(struct place *place, const char *opcode)
{
    static const char *const cached[] = {".ca", ".cg", ".cs", ".lu", ".cv", ".wb", ".wt", NULL};
    struct strength original = place->is_new ? (struct strength){ORDER_NONE, SCOPE_CTA}
                                             : strength_read(place->operation, opcode);

    place->is_plain = !place->is_new && original.order == ORDER_NONE;
    place->now = original;
    place->count = strength_list(place->operation, original, place->strengths);
    if (!place->is_new && has_part(opcode, cached))
        place->count = 1; /* a strong access has no such operator */
}

size_t places_find(const char *text, const struct launch_text *launch,
                   struct place places[MAX_PLACES])
{
    struct position position = {text, 1, 0, 0, true};
    size_t count = 0;

    if (strstr(text, "cudaLaunchDevice") != NULL)
        launch = NULL; /* a kernel may launch others */
    while (find_instruction(&position, text, launch)) {
        size_t length = strcspn(position.at, " \t\n;");
        struct place place = {.opcode = position.at,
                              .opcode_length = length,
                              .end = position.at + strcspn(position.at, ";"),
                              .ptx_line = position.ptx_line,
                              .file = position.file,
                              .line = position.line};
        char opcode[OPCODE];

        snprintf(opcode, sizeof opcode, "%.*s", (int)length, position.at);
        go_to(&position, place.end);
        if (*place.end == '\0' || !position.is_used || !read_operation(opcode, &place.operation))
            continue;
        if (count + 2 > MAX_PLACES)
            return MAX_PLACES + 1;
        place.end++;
        set_strengths(&place, opcode);
        places[count++] = place;
        if (place.operation == OPERATION_FENCE)
            continue;
        place.operation = OPERATION_FENCE;
        place.is_new = true;
        set_strengths(&place, opcode);
        places[count++] = place;
    }
    return count;
}

bool places_write(const char *text, const struct place *places, size_t count, const char *path)
{
    const char *from = text;
    FILE *to = fopen(path, "w");

    if (to == NULL)
        return false;
    for (size_t k = 0; k < count; k++) {
        const struct place *place = &places[k];
        char opcode[OPCODE], changed[OPCODE];

        if (place->now.order == place->strengths[0].order &&
            place->now.scope == place->strengths[0].scope)
            continue;
        snprintf(opcode, sizeof opcode, "%.*s", (int)place->opcode_length, place->opcode);
        strength_write(place->operation, opcode, place->now, changed, sizeof changed);
        if (place->is_new)
            fprintf(to, "%.*s\n%s;", (int)(place->end - from), from, changed);
        else
            fprintf(to, "%.*s%s", (int)(place->opcode - from), from, changed);
        from = place->is_new ? place->end : place->opcode + place->opcode_length;
    }
    fputs(from, to);
    return fclose(to) == 0;
}

void places_locate(const char *text, const struct place *place, char *to, size_t size)
{
    char head[32], path[512] = "";
    const char *at;

    snprintf(head, sizeof head, ".file\t%" PRIu32 " \"", place->file);
    at = place->line != 0 ? strstr(text, head) : NULL;
    if (at == NULL) {
        snprintf(to, size, "line %" PRIu32 " of the PTX", place->ptx_line);
        return;
    }
    snprintf(path, sizeof path, "%.*s", (int)strcspn(at + strlen(head), "\""), at + strlen(head));
    snprintf(to, size, "%s:%" PRIu32, strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path,
             place->line);
}
