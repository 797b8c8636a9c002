/* SPDX-License-Identifier: MIT
 *
 * Generates the functions that execute arithmetic instructions for a warp, from the meanings of
 * arithmetic_forms.c. There is one function for each combination of a form, its types and
 * everything else that changes the code. Modifiers that only select a constant, such as .ftz, are
 * arguments of the function, its modes. A second function has all modes fixed at 0, so that
 * compilers can optimize it.
 *
 *     generate OUT.c
 */
#include "forms.h"
#include "module.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 4096, MAX_FUNCTIONS = 8192, MAX_MODES = 4, SOURCES = 4 };

/* Prefixes of the constants that modifiers select: "FTZ_$2". */
static const char *const mode_prefixes[] = {"FTZ_",  "SAT_",  "RELU_",  "NAN_", "FINITE_", "WRAP_",
                                            "SIGN_", "PART_", "SHIFT_", "PTX_", "AMOUNT_"};

struct mode {
    size_t group;
    const char *prefix;
};

/* The form that is being written. */
struct writing {
    const struct form *form;
    struct match match; /* of one spelling */
    bool is_mode[MAX_GROUPS];
    struct mode modes[MAX_MODES];
    size_t mode_count;
};

static char *functions[MAX_FUNCTIONS]; /* bodies, to detect duplicates */
static size_t function_count;

static _Noreturn void fail(const struct form *form, const char *what)
{
    fprintf(stderr, "generate: the form `%s`: %s\n", form->pattern, what);
    exit(1);
}

static void append(char *text, const char *format, ...)
{
    size_t length = strlen(text);
    va_list values;

    va_start(values, format);
    vsnprintf(text + length, MAX_TEXT - length, format, values);
    va_end(values);
    if (strlen(text) + 1 >= MAX_TEXT) {
        fprintf(stderr, "generate: a function is longer than %d characters\n", MAX_TEXT);
        exit(1);
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *meaning_of(const struct form *form)
{
    return form->meaning[0] == '@' ? form->meaning + strcspn(form->meaning, " ") + 1
                                   : form->meaning;
}

/* Returns true for set and setp, of which only the comparison is generated. finish_comparison()
 * does the rest. */
static bool compares(const struct form *form)
{
    return strncmp(form->meaning, "@set", 4) == 0;
}

/* Returns true if the meaning contains a word for a type of the form, or its operands name one. */
static bool uses_types(const struct form *form)
{
    for (const char *c = meaning_of(form); *c != '\0'; c++)
        if ((c == form->meaning || !is_word(c[-1])) &&
            (((*c == 'T' || *c == 'U') && isdigit((unsigned char)c[1]) && !is_word(c[2])) ||
             (*c == 'W' && !is_word(c[1]))))
            return true;
    for (const char *c = form->operands; *c != '\0'; c++)
        if ((c == form->operands || c[-1] == ',') && strchr("12w", *c) != NULL)
            return true;
    return false;
}

/* Returns the prefix before "$" if it is one of mode_prefixes, and null otherwise. */
static const char *prefix_before(const char *meaning, const char *dollar)
{
    for (size_t p = 0; p < sizeof mode_prefixes / sizeof *mode_prefixes; p++) {
        size_t length = strlen(mode_prefixes[p]);
        const char *at = dollar - length;
        if ((size_t)(dollar - meaning) >= length && strncmp(at, mode_prefixes[p], length) == 0 &&
            (at == meaning || !is_word(at[-1])))
            return mode_prefixes[p];
    }
    return NULL;
}

static bool names_types(const struct form *form, size_t group)
{
    const char *at;
    size_t length;
    bool optional;

    for (size_t k = 1; (at = forms_choice(form, group, k, &length, &optional)) != NULL; k++)
        for (size_t from = 0; from < length;) {
            size_t part = 1 + strcspn(at + from + 1, ".|])");
            if (from + part <= length && type_find(at + from + 1, part - 1) != NULL)
                return true;
            from += part;
        }
    return false;
}

/* Returns true if the group only selects constants, or nothing at all. */
static bool only_chooses(const struct form *form, size_t group)
{
    const char *meaning = meaning_of(form);

    if (names_types(form, group) && uses_types(form))
        return false;
    for (const char *c = strchr(meaning, '$'); c != NULL; c = strchr(c + 1, '$'))
        if ((size_t)(c[1] - '1') == group && prefix_before(meaning, c) == NULL)
            return false;
    return true;
}

static size_t mode_number(struct writing *writing, size_t group, const char *prefix)
{
    for (size_t m = 0; m < writing->mode_count; m++)
        if (writing->modes[m].group == group && writing->modes[m].prefix == prefix)
            return m;
    if (writing->mode_count == MAX_MODES)
        fail(writing->form, "has more than MAX_MODES modes");
    writing->modes[writing->mode_count] = (struct mode){group, prefix};
    return writing->mode_count++;
}

/* Returns the type that a letter of the form's operands names. */
static const struct type *operand_type(const struct writing *writing, const char *text,
                                       size_t length)
{
    const struct match *match = &writing->match;
    const struct type *type = NULL;
    char wide[16];

    if (length == 1 && (*text == '1' || *text == '2')) {
        type = type_find(match->type[*text - '1'], strlen(match->type[*text - '1']));
    } else if (length == 1 && *text == 'p') {
        type = type_find("pred", 4);
    } else if (length == 1 && *text == 'w') {
        const struct type *narrow = type_find(match->type[0], strlen(match->type[0]));
        snprintf(wide, sizeof wide, "%c%u", narrow->kind, 16 * narrow->bytes);
        type = type_find(wide, strlen(wide));
    } else {
        type = type_find(text, length);
    }
    if (type == NULL)
        fail(writing->form, "has an operand without a type");
    return type;
}

/* Expands the letters in a meaning or a part of it. */
static void expand(struct writing *writing, const char *from, const char *end, char *text)
{
    const char *meaning = meaning_of(writing->form);

    for (const char *c = from; c < end;) {
        const char *start = c;
        if (*c == '$') {
            append(text, "%s", writing->match.group[c[1] - '1']);
            c += 2;
            continue;
        }
        if (!is_word(*c)) {
            append(text, "%c", *c++);
            continue;
        }
        while (c < end && is_word(*c))
            c++;
        if (c < end && *c == '$' && writing->is_mode[c[1] - '1']) {
            const char *prefix = prefix_before(meaning, c);
            append(text, "m%zu", mode_number(writing, (size_t)(c[1] - '1'), prefix));
            c += 2;
        } else if (c - start == 1 && *start == 'W') {
            append(text, "ptx_%s", operand_type(writing, "w", 1)->name);
        } else if (c - start == 2 && *start == 'T') {
            append(text, "ptx_%s", operand_type(writing, start + 1, 1)->name);
        } else if (c - start == 2 && *start == 'U' && isdigit((unsigned char)start[1])) {
            append(text, "ptx_u%u", 8 * operand_type(writing, start + 1, 1)->bytes);
        } else {
            append(text, "%.*s", (int)(c - start), start);
        }
    }
}

/* Writes the body of the function, without its head. `plain`: all modes are 0. */
static void write_body(struct writing *writing, bool plain, char *body)
{
    const struct form *form = writing->form;
    const char *at = form->operands, *meaning = meaning_of(form), *half = strchr(meaning, ';');
    const struct type *types[1 + SOURCES] = {NULL};
    bool carries = strstr(meaning, "cc") != NULL;
    char low[MAX_TEXT] = "", high[MAX_TEXT] = "";
    size_t count = 0;

    for (; *at != '\0'; count++) {
        size_t length = strcspn(at, ",");
        if (count > SOURCES)
            fail(form, "has too many operands");
        types[count] = operand_type(writing, at, strcspn(at, "|,"));
        at += length + (at[length] == ',');
    }
    if (compares(form)) {
        types[0] = type_find("pred", 4);
        count = 3; /* without the predicate that is combined with the comparison */
    }
    expand(writing, meaning, half != NULL ? half : meaning + strlen(meaning), low);
    if (half != NULL)
        expand(writing, half + 1, half + strlen(half), high);
    for (size_t m = 0; m < writing->mode_count; m++)
        append(body, plain ? "enum { m%zu = 0 };\n" : "const int m%zu = op->mode[%zu];\n", m, m);
    for (size_t k = 1; k < count; k++)
        append(body, "SOURCE_%s(%s, %c)\n", types[k]->kind == 'p' ? "pred" : "lanes",
               types[k]->name, "abce"[k - 1]);
    if (carries)
        append(body, "uint32_t *const CC = (uint32_t *)(frame + op->carry);\n");
    if (types[0]->kind == 'p')
        append(body, "uint32_t low = 0%s;\n", half != NULL ? ", high = 0" : "");
    else
        append(body, "RESULT(%s)\n", types[0]->name);
    append(body, "EACH_LANE(");
    for (size_t k = 1; k < count; k++)
        append(body, "%s(%s, %c) ", types[k]->kind == 'p' ? "BIT" : "LANE", types[k]->name,
               "abce"[k - 1]);
    if (carries)
        append(body, "uint32_t cc = CC[l]; (void)cc; ");
    if (types[0]->kind == 'p') {
        append(body, "low |= (uint32_t)(bool)(%s) << l; ", low);
        if (half != NULL)
            append(body, "high |= (uint32_t)(bool)(%s) << l; ", high);
    } else {
        append(body, "D[l] = (ptx_%s)(%s); ", types[0]->name, low);
    }
    if (carries)
        append(body, "CC[l] = cc; ");
    append(body, ")\n");
    if (compares(form))
        append(body, "finish_comparison(frame, op, mask, low, %s);\n",
               half != NULL ? "high" : "~low");
    else if (types[0]->kind == 'p')
        append(body, "finish_predicate(frame, op, mask, low);\n");
}

/* Writes the function, unless an identical one exists. Returns its number. */
static size_t write_function(struct writing *writing, bool plain, const char *opcode, FILE *to)
{
    char body[MAX_TEXT] = "";

    write_body(writing, plain, body);
    for (size_t f = 0; f < function_count; f++)
        if (strcmp(functions[f], body) == 0)
            return f;
    if (function_count == MAX_FUNCTIONS)
        fail(writing->form, "needs more than MAX_FUNCTIONS functions");
    fprintf(to,
            "\n/* %s%s */\nstatic void f%zu(char *frame, const struct op *op, uint32_t mask)\n"
            "{\n%s}\n",
            opcode, plain || writing->mode_count == 0 ? "" : ", with modes", function_count, body);
    functions[function_count] = strdup(body);
    return function_count++;
}

/* Spells the opcode with these choices of its groups. 0 omits a group. */
static bool spell(const struct form *form, const size_t *choices, char *opcode, size_t size)
{
    const char *c = form->pattern;
    size_t group = 0, used = 0;

    while (*c != '\0') {
        const char *at = c;
        size_t length = 1;
        if (*c == '[' || *c == '(') {
            bool optional;
            at = forms_choice(form, group, choices[group], &length, &optional);
            if (at == NULL)
                length = 0;
            group++;
            c = strchr(c, *c == '[' ? ']' : ')');
        }
        c++;
        if (used + length >= size)
            return false;
        if (length > 0)
            memcpy(opcode + used, at, length);
        used += length;
    }
    opcode[used] = '\0';
    return true;
}

/* Writes the function numbers of a form, for each combination of choices that select a function:
 * with modes, and plain. */
static void write_form(const struct form *form, size_t number, FILE *to, FILE *table)
{
    struct writing writing = {.form = form};
    size_t groups = forms_groups(form), radix[MAX_GROUPS], total = 1, length;
    static size_t numbers[2][4096];
    bool optional[MAX_GROUPS];

    for (size_t g = 0; g < groups; g++) {
        size_t count = 0;
        writing.is_mode[g] = only_chooses(form, g);
        while (forms_choice(form, g, count + 1, &length, &optional[g]) != NULL)
            count++;
        radix[g] = count + 1;
        total *= writing.is_mode[g] ? 1 : radix[g];
    }
    if (total > sizeof numbers[0] / sizeof *numbers[0])
        fail(form, "has too many variants");
    for (size_t i = 0; i < total; i++) {
        size_t choices[MAX_GROUPS], rest = i;
        char opcode[200];
        bool whole = true;
        for (size_t g = 0; g < groups; g++) {
            if (writing.is_mode[g]) {
                choices[g] = !optional[g];
                continue;
            }
            choices[g] = rest % radix[g];
            rest /= radix[g];
            whole = whole && (choices[g] > 0 || optional[g]);
        }
        numbers[0][i] = numbers[1][i] = MAX_FUNCTIONS;
        if (!whole || !spell(form, choices, opcode, sizeof opcode) ||
            !forms_match(opcode, &writing.match) || writing.match.form != form)
            continue;
        numbers[0][i] = write_function(&writing, false, opcode, to);
        numbers[1][i] =
            writing.mode_count == 0 ? numbers[0][i] : write_function(&writing, true, opcode, to);
    }
    for (int plain = 0; plain < 2; plain++) {
        fprintf(to, "\nstatic operation_function *const %s_%zu[] = {", plain ? "plain" : "general",
                number);
        for (size_t i = 0; i < total; i++)
            if (numbers[plain][i] == MAX_FUNCTIONS)
                fprintf(to, "0, ");
            else
                fprintf(to, "f%zu, ", numbers[plain][i]);
        fprintf(to, "};\n");
    }
    for (size_t m = 0; m < writing.mode_count; m++) {
        fprintf(to, "static const int8_t values_%zu_%zu[] = {", number, m);
        for (size_t k = 0; k < radix[writing.modes[m].group]; k++) {
            bool unused;
            const char *at = forms_choice(form, writing.modes[m].group, k, &length, &unused);
            if (at == NULL && !optional[writing.modes[m].group])
                fprintf(to, "0, ");
            else
                fprintf(to, "%s%.*s, ", writing.modes[m].prefix, at != NULL ? (int)length - 1 : 0,
                        at != NULL ? at + 1 : "");
        }
        fprintf(to, "};\n");
    }
    fprintf(table, "    {general_%zu, plain_%zu, {", number, number);
    for (size_t g = 0; g < groups; g++)
        fprintf(table, "%zu, ", writing.is_mode[g] ? (size_t)0 : radix[g]);
    fprintf(table, "}, %zu, {", writing.mode_count);
    for (size_t m = 0; m < writing.mode_count; m++)
        fprintf(table, "{%zu, values_%zu_%zu}, ", writing.modes[m].group, number, m);
    fprintf(table, "}, %d},\n", strstr(form->meaning, "cc") != NULL);
}

int main(int argc, char **argv)
{
    FILE *to = argc == 2 ? fopen(argv[1], "w") : NULL, *table;
    char *text = NULL;
    size_t size = 0;

    table = to != NULL ? open_memstream(&text, &size) : NULL;
    if (table == NULL) {
        fprintf(stderr, "usage: generate OUT.c\n");
        return 2;
    }
    fprintf(to, "/* Generated from arithmetic_forms.c. */\n#include \"lanes.h\"\n");
    for (size_t f = 0; arithmetic_forms[f].pattern != NULL; f++)
        write_form(&arithmetic_forms[f], f, to, table);
    fclose(table);
    fprintf(to, "\nconst struct form_operations OPERATIONS[] = {\n%s};\n", text);
    free(text);
    return ferror(to) || fclose(to) != 0;
}
