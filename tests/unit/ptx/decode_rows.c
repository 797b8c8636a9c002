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

/* Operands for the other rows, with R for a register of the row's type. */
static const struct {
    const char *meaning, *part, *operands;
} others[] = {
    {"@mov", "", "R, R"},
    {"@mov_special", "", "R, %tid"},
    {"@policy", ".range", "%rd1, [%rd2], %r1, %r2"},
    {"@policy", ".cvt", "%rd1, %rd2"},
    {"@policy", "", "%rd1, 0.5"},
    {"@lop3", "", "%r1|%p1, %r2, %r3, %r4, 0x3f, !%p2"},
    {"@cvta", "", "%rd1, %rd2"},
    {"@cvta_to", "", "%rd1, %rd2"},
    {"@mapa", "", "R, R, %r2"},
    {"@getctarank", "", "%r1, R"},
    {"@cluster_barrier", "", ""},
    {"@store_async", ".v2", "[%rd1], {R, R}, [%rd2]"},
    {"@store_async", ".v4", "[%rd1], {R, R, R, R}, [%rd2]"},
    {"@store_async", "", "[%rd1], R, [%rd2]"},
    {"@isspacep", "", "%p1, %rd1"},
    {"@nothing", ".L", "[%rd1]"},
    {"@nothing", "nanosleep", "5"},
    {"@nothing", "pmevent", "5"},
    {"@nothing", "", ""},
    {"@ld", ".param", "R, [%rd1]"},
    {"@ld", "", "R, [%rd1+8]"},
    {"@st", "", "[%rd1], R"},
    {"@atom", ".cas", "R, [%rd1], R, R"},
    {"@atom", "", "R, [%rd1], R"},
    {"@red", "", "[%rd1], R"},
    {"@cp_async", "", "[%r1], [%rd1], 16, %r2"},
    {"@cp_commit", "", ""},
    {"@cp_wait", "group", "1"},
    {"@cp_wait", "", ""},
    {"@mbarrier", "async", "[%rd1]"},
    {"@mbarrier", ".init", "[%rd1], %r1"},
    {"@mbarrier", ".inval", "[%rd1]"},
    {"@mbarrier", "er.expect_tx", "[%rd1], %r1"},
    {"@mbarrier", "er.complete_tx", "[%rd1], %r1"},
    {"@mbarrier", ".arrive", "%rd1, [%rd2], 2"},
    {"@mbarrier", ".parity", "%p1, [%rd1], %r1"},
    {"@mbarrier", "_wait", "%p1, [%rd1], %rd2"},
    {"@mbarrier", "", "%r1, %rd1"},
    {"@bulk_group", "wait", "1"},
    {"@bulk_group", "", ""},
    {"@bulk", "", "@"}, /* write_bulk() */
    {"@bra", "", "L"},
    {"@brx", "", "%r1, T"},
    {"@call", "", "g"},
    {"@ret", "", ""},
    {"@exit", "", ""},
    {"@trap", "", ""},
    {"@bar", ".red.popc", "%r1, 0, %p1"},
    {"@bar", ".red", "%p1, 1, 64, !%p1"},
    {"@bar", ".arrive", "%r1, 64"},
    {"@bar", "", "1"},
    {"@syncwarp", "", "-1"},
    {"@fence", "tensormap::generic.acquire", "[%rd1], 128"},
    {"@fence", "", ""},
    {"@vote", ".ballot", "%r1, !%p1, -1"},
    {"@vote", "", "%p1, %p2, -1"},
    {"@match", ".all", "%r1|%p1, R, -1"},
    {"@match", "", "%r1, R, -1"},
    {"@activemask", "", "%r1"},
    {"@redux", "", "%r1, %r2, -1"},
    {"@elect", "", "_|%p1, -1"},
    {"@shfl", "", "%r1|%p1, %r2, 1, 31, -1"},
};

static const char *other_operands(const char *opcode, const char *meaning)
{
    for (size_t e = 0; e < sizeof others / sizeof *others; e++)
        if (strcmp(others[e].meaning, meaning) == 0 && strstr(opcode, others[e].part) != NULL)
            return others[e].operands;
    fail_msg("the test knows no operands for %s", meaning);
    return NULL;
}

/* Writes coordinates, such as {%r1, %r1} for the dimensions of the opcode, less some. */
static void write_coordinates(FILE *to, const char *opcode, const char *reg, int less)
{
    int count = strstr(opcode, "d.")[-1] - '0' - less;

    for (int k = 0; k < count; k++)
        fprintf(to, "%s%s", k == 0 ? "{" : ", ", reg);
    fputc('}', to);
}

/* Writes the operands of a bulk copy in their order. */
static void write_bulk(FILE *to, const char *opcode)
{
    bool loads = strstr(opcode, "mbarrier") != NULL, is_tensor = strstr(opcode, "tensor") != NULL;
    bool prefetches = strstr(opcode, "prefetch") != NULL;

    if (loads || (!is_tensor && !prefetches))
        fputs(loads ? "[%r1], " : "[%rd1], ", to);
    if (is_tensor) {
        fputs("[%rd2, ", to);
        write_coordinates(to, opcode, "%r1", 0);
        fputs(loads || prefetches ? "]" : "], [%r2]", to);
    } else {
        fputs(strstr(opcode, ".global.mbar") != NULL || prefetches ? "[%rd2], 16" : "[%r2], 16",
              to);
    }
    fputs(loads ? ", [%r3]" : "", to);
    if (strstr(opcode, "im2col") != NULL && strstr(opcode, "no_offs") == NULL) {
        fputs(", ", to);
        write_coordinates(to, opcode, "%h1", 2);
    }
    fputs(strstr(opcode, "multicast") != NULL ? ", %h1" : "", to);
    fputs(strstr(opcode, "cache_hint") != NULL ? ", %rd3" : "", to);
}

static size_t vector_length(const char *opcode)
{
    const char *vector = strstr(opcode, ".v");

    while (vector != NULL && strchr("248", vector[2]) == NULL)
        vector = strstr(vector + 1, ".v");
    return vector != NULL ? (size_t)(vector[2] - '0') : 1;
}

static void write_other(FILE *to, const char *opcode, const struct match *match)
{
    const char *operands = other_operands(opcode, match->form->meaning), *one;
    size_t count = vector_length(opcode);

    if (*operands == '@') {
        write_bulk(to, opcode);
        return;
    }
    for (; *operands != '\0'; operands++) {
        if (*operands != 'R') {
            fputc(*operands, to);
            continue;
        }
        one = a_register(match->type[0]);
        for (size_t k = 0; k < count; k++)
            fprintf(to, "%s%s%s",
                    count > 1 && k == 0 ? "{"
                    : k > 0             ? ", "
                                        : "",
                    one, count > 1 && k == count - 1 ? "}" : "");
    }
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
                write_other(to, opcode, &match);
            else
                write_operands(to, &match);
            fputs(";\n", to);
            lines++;
        }
    }
    return lines;
}
