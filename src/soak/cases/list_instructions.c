/* SPDX-License-Identifier: MIT
 *
 * list_instructions FOLDER FILES: lists every spelling of every arithmetic instruction that the
 * simulator supports, and video instructions with some of their selectors.
 *
 * - FOLDER/instructions_<k>.ptx: functions of PTX, spread over FILES files. Each takes operands as
 *   words of 64 bits and returns two words: the result, and the second result or the condition
 *   code.
 * - FOLDER/instructions.c: a table of them in C.
 */
#include "module.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 64, SOURCES = 4 };

/* One instruction with the types of its operands, the destination first. */
struct spelling {
    const struct form *form;
    char opcode[96];
    struct match match;
    char types[2 + SOURCES][MAX_CHOICE]; /* destination, second destination, sources; "": none */
    size_t sources;
    long immediate;           /* an operand after the first three sources; negative: none */
    const char *const *parts; /* selectors of a video instruction; null: none */
};

enum { IMMEDIATE_AT = 3 };

/* What follows the destination and the sources of a video instruction. "-" precedes a source. */
static const char *const scalar_parts[][4] = {
    {"", ".b1", ".h1", ""},
    {"", ".b3", ".h0", ""},
    {"", ".h1", ".b0", ""},
    {".b2", "", "", ""},
    {".b1", ".b0", "", ""},
    {".h0", ".h0", ".b2", ""},
    {NULL},
};
static const char *const vmad_parts[][4] = {
    {"", ".b1", ".h1", ""}, {"", ".h0", ".b3", ""}, {"", "-", "", ""},
    {"", "", "-", ""},      {"", "", "", "-"},      {NULL},
};
static const char *const halves_parts[][4] = {
    {"", ".h01", ".h32", ""},
    {"", ".h30", ".h21", ""},
    {".h1", ".h10", ".h23", ""},
    {".h0", "", "", ""},
    {NULL},
};
static const char *const bytes_parts[][4] = {
    {"", ".b0123", ".b7654", ""},
    {".b21", ".b4567", ".b3210", ""},
    {".b310", "", "", ""},
    {".b0", ".b7007", "", ""},
    {NULL},
};
typedef const char *const selectors[4];

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Returns the selectors to try with a form. They end with a null pointer. */
static selectors *parts_of(const struct form *form)
{
    static selectors none[] = {{NULL}};
    char last = form->pattern[strcspn(form->pattern, ".(") - 1];

    return !begins(form->section, "9.7.18.") ? none
           : begins(form->pattern, "vmad")   ? vmad_parts
           : last == '2'                     ? halves_parts
           : last == '4'                     ? bytes_parts
                                             : scalar_parts;
}

/* Returns true if the instruction takes these selectors. A scalar result that is merged into c has
 * no other use of c, and no .sat. With .po there are no signs. */
static bool takes_parts(const char *opcode, selectors parts)
{
    bool is_scalar = strspn(parts[0] + (*parts[0] != '\0'), "bh") == 1 &&
                     strchr("24", opcode[strcspn(opcode, ".") - 1]) == NULL;

    if (is_scalar && (strstr(opcode, ".sat") != NULL || strstr(opcode, ".add") != NULL))
        return false;
    return strstr(opcode, ".po") == NULL ||
           (*parts[1] != '-' && *parts[2] != '-' && *parts[3] != '-');
}

static const struct type *type_of(const char *name)
{
    return type_find(name, strlen(name));
}

/* Expands a word of the row's operands to the name of a type. */
static void name_type(const struct spelling *spelling, const char *word, size_t length, char *type)
{
    const struct type *first = type_of(spelling->match.type[0]);

    if (length == 1 && (*word == '1' || *word == '2'))
        snprintf(type, MAX_CHOICE, "%s", spelling->match.type[*word - '1']);
    else if (length == 1 && *word == 'w')
        snprintf(type, MAX_CHOICE, "%c%u", first->kind, 16 * first->bytes);
    else if (length == 1 && *word == 'p')
        snprintf(type, MAX_CHOICE, "pred");
    else
        snprintf(type, MAX_CHOICE, "%.*s", (int)length, word);
}

static void read_types(struct spelling *spelling)
{
    const char *at = spelling->form->operands;
    size_t length = strcspn(at, ","), first = strcspn(at, "|,");

    size_t place = 0;

    memset(spelling->types, 0, sizeof spelling->types);
    spelling->sources = 0;
    name_type(spelling, at, first, spelling->types[0]);
    if (first < length)
        name_type(spelling, at + first + 1, length - first - 1, spelling->types[1]);
    for (at += length; *at == ','; at += length) {
        at++;
        length = strcspn(at, ",?");
        if (spelling->immediate < 0 || place++ != IMMEDIATE_AT)
            name_type(spelling, at, length, spelling->types[2 + spelling->sources++]);
    }
    if (spelling->parts != NULL && *spelling->parts[0] != '\0' && spelling->sources == 2)
        snprintf(spelling->types[2 + spelling->sources++], MAX_CHOICE, "b32"); /* merged into c */
}

/* Returns the bits of the register that holds such a value. No register has 8 bits. */
static unsigned int register_bits(const char *type)
{
    uint32_t bytes = type_of(type)->bytes;

    return bytes == 1 ? 32 : 8 * bytes;
}

static void write_source(FILE *to, const struct spelling *spelling, size_t k)
{
    const char *type = spelling->types[2 + k];
    char letter = "abce"[k];

    if (strcmp(type, "pred") == 0)
        fprintf(to,
                "\t.reg .b32 u%c;\n\t.reg .pred %c;\n\tld.param.b32 u%c, [p%c];\n"
                "\tand.b32 u%c, u%c, 1;\n\tsetp.ne.b32 %c, u%c, 0;\n",
                letter, letter, letter, letter, letter, letter, letter, letter);
    else
        fprintf(to, "\t.reg .b%u %c;\n\tld.param.b%u %c, [p%c];\n", register_bits(type), letter,
                register_bits(type), letter, letter);
}

static void write_result(FILE *to, const char *type, const char *name, const char *parameter)
{
    unsigned int bits = strcmp(type, "pred") == 0 ? 1 : register_bits(type);

    if (bits == 1)
        fprintf(to, "\tselp.b64 w%s, 1, 0, %s;\n", name, name);
    else if (bits == 64)
        fprintf(to, "\tmov.b64 w%s, %s;\n", name, name);
    else
        fprintf(to, "\tcvt.u64.u%u w%s, %s;\n", bits, name, name);
    fprintf(to, "\tst.param.b64 [%s], w%s;\n", parameter, name);
}

static void declare_result(FILE *to, const char *type, const char *name)
{
    if (strcmp(type, "pred") == 0)
        fprintf(to, "\t.reg .pred %s;\n", name);
    else
        fprintf(to, "\t.reg .b%u %s;\n", register_bits(type), name);
}

static bool has_part(const char *opcode, const char *part)
{
    const char *found = strstr(opcode, part);
    return found != NULL && (found[strlen(part)] == '\0' || found[strlen(part)] == '.');
}

/* Returns true if the opcode reads the condition code. It comes from operand k and goes into the
 * second result. */
static bool takes_carry(const char *opcode)
{
    return strncmp(opcode, "addc", 4) == 0 || strncmp(opcode, "subc", 4) == 0 ||
           strncmp(opcode, "madc", 4) == 0;
}

static void write_carry_in(FILE *to, const char *opcode)
{
    if (!takes_carry(opcode))
        return;
    fprintf(to, "\t.reg .b32 k, kk;\n\tld.param.b32 k, [pk];\n\tand.b32 k, k, 1;\n");
    if (strncmp(opcode, "sub", 3) == 0)
        fprintf(to, "\tsub.cc.u32 kk, 0, k;\n");
    else
        fprintf(to, "\tadd.cc.u32 kk, k, 0xffffffff;\n");
}

static void write_function(FILE *to, const struct spelling *spelling, size_t number)
{
    const char *opcode = spelling->opcode;
    bool second = spelling->types[1][0] != '\0', carries = has_part(opcode, ".cc");
    static selectors none = {"", "", "", ""};
    selectors *parts = spelling->parts != NULL ? (selectors *)spelling->parts : &none;

    fprintf(to,
            "\n.visible .func (.param .align 8 .b8 pr[16]) f%zu(.param .b64 pa, .param .b64 pb, "
            ".param .b64 pc, .param .b64 pe, .param .b64 pk)\n{\n\t.reg .b64 wr, ws;\n",
            number);
    for (size_t k = 0; k < spelling->sources; k++)
        write_source(to, spelling, k);
    declare_result(to, spelling->types[0], "r");
    if (second)
        declare_result(to, spelling->types[1], "s");
    write_carry_in(to, opcode);
    fprintf(to, "\t%s r%s%s", opcode, (*parts)[0], second ? "|s" : "");
    for (size_t k = 0; k < spelling->sources || (k == IMMEDIATE_AT && spelling->immediate >= 0);
         k++) {
        const char *part = k < SOURCES - 1 ? (*parts)[k + 1] : "";
        if (k == IMMEDIATE_AT && spelling->immediate >= 0)
            fprintf(to, ", %ld", spelling->immediate);
        if (k < spelling->sources)
            fprintf(to, *part == '-' ? ", -%c" : ", %c%s", "abce"[k], part);
    }
    fprintf(to, ";\n");
    if (carries)
        fprintf(to, "\t.reg .b32 s;\n\t%s.u32 s, 0, 0;\n",
                strncmp(opcode, "sub", 3) == 0 ? "subc" : "addc");
    write_result(to, spelling->types[0], "r", "pr");
    if (second || carries)
        write_result(to, second ? spelling->types[1] : "b32", "s", "pr+8");
    else
        fprintf(to, "\tmov.b64 ws, 0;\n\tst.param.b64 [pr+8], ws;\n");
    fprintf(to, "\tret;\n}\n");
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    if (file == NULL) {
        fprintf(stderr, "list_instructions: cannot write %s\n", path);
        exit(2);
    }
    return file;
}

static void write_row(FILE *to, const struct spelling *spelling, size_t form)
{
    fprintf(to, "{\"%s", spelling->opcode);
    if (spelling->immediate >= 0)
        fprintf(to, " 0x%lx", (unsigned long)spelling->immediate);
    for (size_t k = 0; spelling->parts != NULL && k < 4; k++)
        fprintf(to, " %s", *spelling->parts[k] != '\0' ? spelling->parts[k] : "_");
    fprintf(to, "\", %zu, {", form);
    for (size_t k = 0; k < spelling->sources; k++)
        fprintf(to, "\"%s\", ", spelling->types[2 + k]);
    fprintf(to, "}, %s, \"%s\"},\n", takes_carry(spelling->opcode) ? "true" : "false",
            spelling->types[0]);
}

/* lop3 contains its table as an immediate: a few of the 256 tables. */
static const long tables[] = {0x00, 0x01, 0x1e, 0x2d, 0x40, 0x69, 0x80, 0x96,
                              0xaa, 0xca, 0xd8, 0xe8, 0xf0, 0xf8, 0xfe, 0xff};

/* What is written, and how much so far. */
struct listing {
    FILE *ptx[MAX_FILES], *table;
    size_t files, count, forms;
    char *names; /* of the forms, as lines of C */
    FILE *names_to;
};

static void write_case(struct listing *listing, struct spelling *spelling)
{
    read_types(spelling);
    write_function(listing->ptx[listing->count % listing->files], spelling, listing->count);
    write_row(listing->table, spelling, listing->forms);
    listing->count++;
}

/* Finds spelling k of a form that no earlier row has. */
static bool find_spelling(struct spelling *spelling, size_t k, bool *is_own)
{
    if (!forms_spelling(spelling->form, k, spelling->opcode, sizeof spelling->opcode))
        return false;
    *is_own =
        forms_match(spelling->opcode, &spelling->match) && spelling->match.form == spelling->form;
    return true;
}

static void list_form(struct listing *listing, const struct form *form)
{
    struct spelling spelling = {.form = form};
    bool chooses = begins(form->pattern, "lop3"), is_own;

    for (size_t k = 0; find_spelling(&spelling, k, &is_own); k++)
        for (size_t t = 0; is_own && t < (chooses ? sizeof tables / sizeof *tables : 1); t++) {
            spelling.immediate = chooses ? tables[t] : -1;
            write_case(listing, &spelling);
        }
    fprintf(listing->names_to, "\"%s\",\n", form->pattern);
    listing->forms++;
}

/* Lists a video instruction with selectors, as another form. */
static void list_selectors(struct listing *listing, const struct form *form)
{
    struct spelling spelling = {.form = form, .immediate = -1};
    bool is_own;

    if ((*parts_of(form))[0] == NULL)
        return;
    for (size_t k = 0; find_spelling(&spelling, k, &is_own); k++)
        for (selectors *parts = parts_of(form); is_own && (*parts)[0] != NULL; parts++) {
            spelling.parts = *parts;
            if (takes_parts(spelling.opcode, *parts))
                write_case(listing, &spelling);
        }
    fprintf(listing->names_to, "\"%s with selectors\",\n", form->pattern);
    listing->forms++;
}

int main(int argc, char **argv)
{
    struct listing listing = {.files = argc == 3 ? strtoul(argv[2], NULL, 10) : 0};
    size_t size;

    if (listing.files == 0 || listing.files > MAX_FILES) {
        fprintf(stderr, "usage: list_instructions FOLDER FILES, at most %d\n", MAX_FILES);
        return 2;
    }
    for (size_t f = 0; f < listing.files; f++) {
        char name[32];
        snprintf(name, sizeof name, "instructions_%zu.ptx", f);
        listing.ptx[f] = open_in(argv[1], name);
        fprintf(listing.ptx[f], ".version 8.2\n.target sm_90\n.address_size 64\n");
    }
    listing.table = open_in(argv[1], "instructions.c");
    listing.names_to = open_memstream(&listing.names, &size);
    fprintf(listing.table, "#include \"instruction_case.h\"\n"
                           "const struct instruction_case instruction_cases[] = {\n");
    for (const struct form *form = arithmetic_forms; form->pattern != NULL; form++)
        list_form(&listing, form);
    for (const struct form *form = lowered_forms; form->pattern != NULL; form++)
        list_form(&listing, form);
    for (const struct form *form = arithmetic_forms; form->pattern != NULL; form++)
        list_selectors(&listing, form);
    fclose(listing.names_to);
    fprintf(listing.table,
            "};\nconst size_t instruction_count = %zu;\nconst char *const "
            "instruction_forms[] = {\n%s};\nconst size_t instruction_form_count = %zu;\n",
            listing.count, listing.names, listing.forms);
    for (size_t f = 0; f < listing.files; f++)
        fclose(listing.ptx[f]);
    fclose(listing.table);
    free(listing.names);
    return 0;
}
