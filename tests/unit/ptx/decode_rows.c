/* SPDX-License-Identifier: MIT */
#include "decode_rows.h"

#include "check.h"
#include "module.h"

/* Returns a register for a type. */
static const char *a_register(const char *name)
{
    const struct type *type = type_find(name, strlen(name));

    assert_non_null(type);
    return type->kind == 'p'          ? "%p1"
           : type->bytes <= 2         ? "%h1"
           : strcmp(name, "f32") == 0 ? "%f1"
           : strcmp(name, "f64") == 0 ? "%d1"
           : type->bytes == 4         ? "%r1"
           : type->bytes == 8         ? "%rd1"
                                      : "%q1";
}

/* Writes operands for a row with its own meaning: what its letters name. */
static void write_operands(FILE *to, const struct match *match)
{
    for (const char *at = match->form->operands; *at != '\0';) {
        size_t length = strcspn(at, ",|");
        char name[16] = "";
        memcpy(name, at, length);
        if (length == 1 && (*at == '1' || *at == '2'))
            fputs(a_register(match->type[*at - '1']), to);
        else if (strcmp(name, "w") == 0)
            fputs(match->type[0][1] == '1' ? "%r1" : "%rd1", to);
        else
            fputs(strcmp(name, "p") == 0 ? "%p1" : a_register(name), to);
        at += length;
        if (*at != '\0')
            fputc(*at++, to);
    }
}

/* Writes coordinates, such as {%r1, %r1} for the dimensions of the opcode, less some. */
static void write_coordinates(FILE *to, const char *opcode, const char *reg, int less)
{
    int count = strstr(opcode, "d.")[-1] - '0' - less;

    for (int k = 0; k < count; k++)
        fprintf(to, "%s%s", k == 0 ? "{" : ", ", reg);
    fputc('}', to);
}

static size_t vector_length(const char *opcode)
{
    const char *vector = strstr(opcode, ".v");

    while (vector != NULL && strchr("248", vector[2]) == NULL)
        vector = strstr(vector + 1, ".v");
    return vector != NULL ? (size_t)(vector[2] - '0') : 1;
}

/* Writes a register of the form's first type, or a vector of them. */
static void write_registers(FILE *to, const char *opcode, const struct match *match)
{
    size_t count = vector_length(opcode);

    for (size_t k = 0; k < count; k++)
        fprintf(to, "%s%s%s",
                count > 1 && k == 0 ? "{"
                : k > 0             ? ", "
                                    : "",
                a_register(match->type[0]), count > 1 && k == count - 1 ? "}" : "");
}

/* Returns the example of the form for the opcode: see forms.h. */
static const char *example_of(const char *opcode, const struct form *form, size_t *length)
{
    for (const char *at = form->operands;; at += *length + 2) {
        const char *end = strchr(at, ';'), *mark;
        char part[32];
        *length = end != NULL ? (size_t)(end - at) : strlen(at);
        mark = memchr(at, '?', *length);
        if (mark == NULL)
            return at;
        snprintf(part, sizeof part, "%.*s", (int)(mark - at), at);
        if (strstr(opcode, part) == NULL) {
            assert_non_null(end);
            continue;
        }
        *length -= (size_t)(mark + 2 - at);
        return mark + 2;
    }
}

/* Writes the example of a row with its own decoder. */
static void write_example(FILE *to, const char *opcode, const struct match *match)
{
    size_t length;
    const char *example = example_of(opcode, match->form, &length);

    for (size_t k = 0; k < length; k++)
        if (example[k] == 'R')
            write_registers(to, opcode, match);
        else if (example[k] == 'C')
            write_coordinates(to, opcode, "%r1", 0);
        else if (example[k] == 'O')
            write_coordinates(to, opcode, "%h1", 2);
        else
            fputc(example[k], to);
    if (strstr(opcode, ".L2::cache_hint") != NULL)
        fputs(", %rd3", to);
}

/* Returns true for an instruction that the decoder rejects for a reason that its row cannot
 * express. */
static bool is_beyond(const char *opcode, const struct match *match)
{
    const char *meaning = match->form->meaning;
    size_t bytes = strcmp(meaning, "@ld") == 0 || strcmp(meaning, "@st") == 0 ||
                           strcmp(meaning, "@store_async") == 0
                       ? type_find(match->type[0], strlen(match->type[0]))->bytes
                       : 0;

    return bytes * vector_length(opcode) > 16 ||
           (strcmp(meaning, "@st") == 0 &&
            (strstr(opcode, ".const") != NULL || strstr(opcode, ".param") != NULL));
}

size_t write_spellings(FILE *to, const struct form *table, size_t few)
{
    char opcode[256];
    size_t lines = 0;

    for (const struct form *form = table; form->pattern != NULL; form++) {
        size_t count = 0, step;
        while (forms_spelling(form, count, opcode, sizeof opcode))
            count++;
        step = count / few + 1;
        for (size_t k = 0; forms_spelling(form, k, opcode, sizeof opcode); k += step) {
            struct match match;
            assert_true(forms_match(opcode, &match));
            if (is_beyond(opcode, &match))
                continue;
            fprintf(to, "%s ", opcode);
            if (*match.form->meaning == '@' && strncmp(match.form->meaning, "@set", 4) != 0)
                write_example(to, opcode, &match);
            else
                write_operands(to, &match);
            fputs(";\n", to);
            lines++;
        }
    }
    return lines;
}
