/* SPDX-License-Identifier: MIT */
#include "mutate.h"

#include "forms.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE = 16384, LARGEST = 1 << 18 }; /* bytes of a sample used whole, and of a mutant */

/* splitmix64 */
static uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

size_t random_below(struct random *random, size_t count)
{
    return (size_t)(random_next(random) % count);
}

/* ---- Text ---- */

/* Replaces the range from `begin` to `end` with `other`, which must not be part of the text. */
static void replace(struct text *text, size_t begin, size_t end, const char *other, size_t size)
{
    size_t tail = text->size - end, whole = begin + size + tail;

    if (whole + 1 > text->room) {
        text->room = 2 * whole + 64;
        text->at = realloc(text->at, text->room);
        if (text->at == NULL)
            abort();
    }
    memmove(text->at + begin + size, text->at + end, tail);
    if (size > 0)
        memcpy(text->at + begin, other, size);
    text->size = whole;
    text->at[whole] = '\0';
}

void text_put(struct text *text, const char *at, size_t size)
{
    replace(text, text->size, text->size, at, size);
}

struct range {
    size_t begin, end;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || strchr("_$%.:", c) != NULL;
}

/* Returns the word or punctuation mark at a random place. It is empty only if the text is. */
static struct range some_token(struct random *random, const struct text *text)
{
    size_t at = random_below(random, text->size + 1);
    struct range token;

    while (at < text->size && isspace((unsigned char)text->at[at]))
        at++;
    token = (struct range){at, at + (at < text->size)};
    if (at >= text->size || !is_word(text->at[at]))
        return token;
    while (token.begin > 0 && is_word(text->at[token.begin - 1]))
        token.begin--;
    while (token.end < text->size && is_word(text->at[token.end]))
        token.end++;
    return token;
}

/* Returns a random line, with its newline. */
static struct range some_line(struct random *random, const struct text *text)
{
    size_t at = random_below(random, text->size + 1);
    struct range line = {at, at};

    while (line.begin > 0 && text->at[line.begin - 1] != '\n')
        line.begin--;
    while (line.end < text->size && text->at[line.end++] != '\n')
        ;
    return line;
}

static void copy_into(struct text *text, size_t begin, size_t end, const struct text *from,
                      struct range range)
{
    char *copy = malloc(range.end - range.begin + 1);

    if (copy == NULL)
        abort();
    memcpy(copy, from->at + range.begin, range.end - range.begin);
    replace(text, begin, end, copy, range.end - range.begin);
    free(copy);
}

/* ---- Samples ---- */

/* Returns true if a function of compiler-written PTX starts here, with a line such as ".visible
 * .entry". */
static bool begins_function(const char *line)
{
    static const char *const words[] = {".visible ", ".weak ", ".extern "};

    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (strncmp(line, words[w], strlen(words[w])) == 0)
            line += strlen(words[w]);
    return strncmp(line, ".entry", 6) == 0 || strncmp(line, ".func", 5) == 0;
}

/* Returns the last character of the function: "}", or ";" after a declaration, at the start of a
 * line. */
static const char *function_last(const char *at)
{
    while (*at != '\0' && *at != '}' && *at != ';') {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return at;
}

void sample_part(struct sample *sample)
{
    for (const char *line = sample->whole.at; *line != '\0';) {
        const char *end = line + strcspn(line, "\n");
        if (begins_function(line) && *function_last(line) == '}') {
            struct text *functions =
                realloc(sample->functions, (sample->function_count + 1) * sizeof *functions);
            if (functions == NULL)
                abort();
            end = function_last(line) + 1;
            functions[sample->function_count] = (struct text){0};
            text_put(&functions[sample->function_count++], line, (size_t)(end - line));
            sample->functions = functions;
        } else {
            text_put(&sample->around, line, (size_t)(end - line));
            text_put(&sample->around, "\n", 1);
        }
        line = end + (*end == '\n');
    }
}

void sample_free(struct sample *sample)
{
    for (size_t f = 0; f < sample->function_count; f++)
        free(sample->functions[f].at);
    free(sample->functions);
    free(sample->around.at);
    free(sample->whole.at);
}

static void put_some_function(struct text *text, struct random *random, const struct sample *sample)
{
    const struct text *function;

    if (sample->function_count == 0)
        return;
    function = &sample->functions[random_below(random, sample->function_count)];
    text_put(text, "\n", 1);
    text_put(text, function->at, function->size);
    text_put(text, "\n", 1);
}

/* Sets the text to change: a sample, or some functions of one, sometimes with functions of another.
 */
static void begin(struct text *text, struct random *random, const struct sample *samples,
                  size_t sample_count)
{
    const struct sample *sample = &samples[random_below(random, sample_count)];
    const struct sample *other = &samples[random_below(random, sample_count)];
    bool splices = random_below(random, 8) == 0;

    text->size = 0;
    if (sample->whole.size <= WHOLE && random_below(random, 2) == 0) {
        text_put(text, sample->whole.at, sample->whole.size);
    } else {
        text_put(text, sample->around.at, sample->around.size);
        for (size_t f = 1 + random_below(random, 3); f-- > 0;)
            put_some_function(text, random, sample);
    }
    if (splices)
        text_put(text, other->around.at, other->around.size);
    if (splices || random_below(random, 8) == 0)
        put_some_function(text, random, other);
}

/* ---- Changes ---- */

static void cut(struct text *text, struct random *random)
{
    size_t at = random_below(random, text->size + 1);

    if (random_below(random, 4) == 0)
        replace(text, 0, at, "", 0);
    else
        replace(text, at, text->size, "", 0);
}

static void flip_bytes(struct text *text, struct random *random)
{
    for (size_t k = 1 + random_below(random, 4); k-- > 0 && text->size > 0;)
        text->at[random_below(random, text->size)] ^= (char)(1u << random_below(random, 8));
}

static void delete_token(struct text *text, struct random *random)
{
    struct range token = some_token(random, text);

    replace(text, token.begin, token.end, "", 0);
}

static void double_token(struct text *text, struct random *random)
{
    struct range token = some_token(random, text);

    if (random_below(random, 2) == 0)
        replace(text, token.end, token.end, " ", 1);
    copy_into(text, token.end, token.end, text, token);
}

/* Replaces a token with another one of the same text. */
static void replace_token(struct text *text, struct random *random)
{
    struct range token = some_token(random, text), other = some_token(random, text);

    copy_into(text, token.begin, token.end, text, other);
}

static void swap_tokens(struct text *text, struct random *random)
{
    struct range a = some_token(random, text), b = some_token(random, text);
    struct text first = {0};

    if (a.end > b.begin)
        return;
    text_put(&first, text->at + a.begin, a.end - a.begin);
    copy_into(text, a.begin, a.end, text, b);
    b.begin += b.end - b.begin - (a.end - a.begin);
    b.end = text->size < b.begin ? text->size : b.begin;
    while (b.end < text->size && is_word(text->at[b.end]))
        b.end++;
    replace(text, b.begin, b.end, first.at, first.size);
    free(first.at);
}

/* Replaces a number with one at the limit of some range. */
static void replace_number(struct text *text, struct random *random)
{
    static const char *const extremes[] = {
        "0",
        "1",
        "-1",
        "2147483647",
        "2147483648",
        "4294967295",
        "4294967296",
        "1073741824",
        "1048576",
        "9223372036854775807",
        "16777217",
        "4096",
        "65536",
        "0x7fffffffffffffff",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "0f7FC00000",
        "0d7FF0000000000000",
        "1.0e999",
        "255",
    };
    const char *other = extremes[random_below(random, sizeof extremes / sizeof *extremes)];
    size_t begin_at = random_below(random, text->size + 1), end;

    while (begin_at < text->size && !isdigit((unsigned char)text->at[begin_at]))
        begin_at++;
    end = begin_at;
    while (end < text->size && isalnum((unsigned char)text->at[end]))
        end++;
    replace(text, begin_at, end, other, strlen(other));
}

static void drop_line(struct text *text, struct random *random)
{
    struct range line = some_line(random, text);

    replace(text, line.begin, line.end, "", 0);
}

static void repeat_line(struct text *text, struct random *random)
{
    struct range line = some_line(random, text), where = some_line(random, text);

    for (size_t k = 1 + random_below(random, 3); k-- > 0;)
        copy_into(text, where.begin, where.begin, text, line);
}

/* Replaces an opcode with any that the tables allow. */
static void replace_opcode(struct text *text, struct random *random)
{
    static const struct form *const tables[] = {arithmetic_forms, memory_forms, async_forms,
                                                control_forms};
    const struct form *table = tables[random_below(random, 3)];
    struct range line = some_line(random, text);
    char opcode[256];
    size_t rows = 0, count;

    while (table[rows].pattern != NULL)
        rows++;
    table += random_below(random, rows);
    for (count = 0; count < 64 && forms_spelling(table, count, opcode, sizeof opcode); count++)
        ;
    forms_spelling(table, random_below(random, count), opcode, sizeof opcode);
    while (line.begin < line.end && !isalpha((unsigned char)text->at[line.begin]))
        line.begin++;
    line.end = line.begin;
    while (line.end < text->size && is_word(text->at[line.end]))
        line.end++;
    replace(text, line.begin, line.end, opcode, strlen(opcode));
}

/* Inserts what a compiler writes rarely or never. */
static void insert_rare(struct text *text, struct random *random)
{
    static const char *const rare[] = {
        "{",
        "}",
        "(",
        ")",
        ";",
        ",",
        "@%p1 ",
        "!",
        "|",
        "-",
        "_",
        "[",
        "]",
        "/*",
        "\"",
        "generic(",
        ".v2 ",
        ".v4 ",
        ".align 64 ",
        ".b128 ",
        ".pred ",
        "= {1, 2}",
        "ret;\n",
        ".weak ",
        ".extern ",
        "WARP_SZ",
        "%clock64",
        "L:\n",
        "bra L;\n",
        "call f;\n",
        ".param .b64 a;\n",
        ".reg .b32 %r<1000000>;\n",
        ".shared .b8 s[1000];\n",
        ".local .b8 l[70000];\n",
        ".global .u64 g[3] = {g, generic(g)+4};\n",
        "T: .branchtargets L, L;\nbrx.idx %r1, T;\n",
        "P: .callprototype (.param .b32 _) _ (.param .b64 _);\n",
        ".func (.param .b32 r) f(.param .b64 a) { ret; }\n",
        ".loc 1 1 1, function_name f, inlined_at 1 1 1\n",
    };
    const char *piece = rare[random_below(random, sizeof rare / sizeof *rare)];
    size_t at = random_below(random, 2) == 0 ? some_line(random, text).begin
                                             : some_token(random, text).begin;

    replace(text, at, at, piece, strlen(piece));
}

void mutate(struct text *mutant, struct random *random, const struct sample *samples,
            size_t sample_count)
{
    static void (*const changes[])(struct text * text, struct random * random) = {
        cut,         flip_bytes,     delete_token,  double_token,   replace_token,
        swap_tokens, replace_number, drop_line,     repeat_line,    replace_opcode,
        insert_rare, replace_opcode, replace_token, replace_number,
    };

    begin(mutant, random, samples, sample_count);
    do
        changes[random_below(random, sizeof changes / sizeof *changes)](mutant, random);
    while (mutant->size < LARGEST && random_below(random, 3) == 0);
}
