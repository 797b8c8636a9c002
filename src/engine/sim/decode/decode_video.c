/* SPDX-License-Identifier: MIT
 *
 * Decodes video instructions whose operands have selectors, such as %r1.h0, or signs: PTX ISA 9.0,
 * chapter 9.7.18. prmt selects and merges bytes before and after the instruction without them.
 */
#include "decoder.h"

#include <string.h>

enum { BYTES = 4 };

/* Bits 0 to 2 of a selector of prmt are a byte of a or of b. Bit 3 repeats its sign instead. */
enum { OF_B = 4, SIGN = 8 };

struct video {
    uint32_t parts; /* of a SIMD instruction: 2 or 4; else 1 */
    uint32_t zero;
};

static uint32_t permuted(struct decoder *decoder, uint32_t a, uint32_t b, const uint32_t *selectors,
                         uint32_t to)
{
    uint32_t selector = 0;

    for (uint32_t k = 0; k < BYTES; k++)
        selector |= selectors[k] << 4 * k;
    if (to == 0)
        to = decode_temporary(decoder, BYTES);
    decode_compute(decoder, "prmt.b32", to, a, b, decode_constant(decoder, selector, BYTES));
    return to;
}

static uint32_t word_of(struct decoder *decoder, size_t k)
{
    struct operand word = *decode_operand(decoder, k);
    uint32_t flip;

    word.part = NULL;
    word.minus = false;
    return decode_value(decoder, &word, decode_type(decoder, "b32"), false, &flip);
}

/* Returns the number of selected parts, and their bytes. "h0" is one half, "b10" two bytes. */
static uint32_t read_selector(const struct decoder *decoder, const char *part, uint32_t limit,
                              uint32_t *numbers, uint32_t *bytes)
{
    uint32_t count = (uint32_t)strlen(part) - 1;

    *bytes = part[0] == 'h' ? 2 : 1;
    for (uint32_t k = 0; k < count; k++) {
        numbers[k] = (uint32_t)(part[count - k] - '0');
        if (numbers[k] >= limit / *bytes)
            decode_fail(decoder, "has no part `.%.8s`", part);
    }
    return count;
}

/* Returns a source of a scalar instruction: a byte or half of a register, with its sign. */
static uint32_t scalar_source(struct decoder *decoder, const struct video *video, size_t k,
                              bool is_signed)
{
    const char *part = decode_operand(decoder, k)->part;
    uint32_t word = word_of(decoder, k), numbers[BYTES + 1], selectors[BYTES], bytes;

    if (part != NULL) {
        if (read_selector(decoder, part, BYTES, numbers, &bytes) != 1)
            decode_fail(decoder, "takes one part of a register");
        for (uint32_t i = 0; i < BYTES; i++)
            selectors[i] = i < bytes   ? numbers[0] * bytes + i
                           : is_signed ? SIGN | (numbers[0] * bytes + bytes - 1)
                                       : OF_B;
        word = permuted(decoder, word, video->zero, selectors, 0);
    }
    if (decode_operand(decoder, k)->minus) {
        if (strncmp(decoder->instruction->opcode, "vmad", 4) != 0 || decode_has(decoder, "po"))
            decode_fail(decoder, "`-` cannot precede a register");
        uint32_t negated = decode_temporary(decoder, BYTES);
        decode_compute(decoder, "neg.s32", negated, word, video->zero, video->zero);
        word = negated;
    }
    return word;
}

/* Merges the result into c, at the part that the destination names. */
static void merge_scalar(struct decoder *decoder, const char *part, uint32_t result, uint32_t c,
                         uint32_t d)
{
    uint32_t numbers[BYTES + 1], selectors[BYTES], bytes;

    if (read_selector(decoder, part, BYTES, numbers, &bytes) != 1)
        decode_fail(decoder, "takes one part of a register");
    if (decode_has(decoder, "sat"))
        decode_fail(decoder, "with `.sat` its result must go to a whole register");
    if (strcmp(part, "h1") == 0) /* measured on an H200 */
        decode_fail(decoder, "with `.h1` compilers do not compute what the PTX ISA defines");
    for (uint32_t i = 0; i < BYTES; i++)
        selectors[i] = i / bytes == numbers[0] ? i % bytes : OF_B | i;
    permuted(decoder, result, c, selectors, d);
}

static void decode_scalar(struct decoder *decoder, const struct video *video, uint32_t d,
                          const char *part)
{
    const struct match *match = &decoder->instruction->match;
    const char *opcode = decoder->instruction->opcode;
    bool is_vset = strncmp(opcode, "vset", 4) == 0, is_vmad = strncmp(opcode, "vmad", 4) == 0;
    bool is_shift = strncmp(opcode, "vsh", 3) == 0;
    bool combines = strstr(opcode, ".add") != NULL || is_vmad;
    uint32_t a = scalar_source(decoder, video, 1, match->group[!is_vset][0] == 's');
    uint32_t b =
        scalar_source(decoder, video, 2, !is_shift && match->group[is_vset ? 1 : 2][0] == 's');
    uint32_t c = video->zero;

    decode_count(decoder, combines || part != NULL ? 4 : 3, combines || part != NULL ? 4 : 3);
    if (part != NULL && combines)
        decode_fail(decoder, "its result must go to a whole register");
    if (combines || part != NULL)
        c = scalar_source(decoder, video, 3, false);
    if (part == NULL) {
        decode_compute(decoder, opcode, d, a, b, c);
        return;
    }
    uint32_t result = decode_temporary(decoder, BYTES);
    decode_compute(decoder, opcode, result, a, b, c);
    merge_scalar(decoder, part, result, c, d);
}

/* Returns a source of a SIMD instruction, whose parts come from a and b. */
static uint32_t simd_source(struct decoder *decoder, const struct video *video, size_t k,
                            uint32_t a, uint32_t b)
{
    const char *part = decode_operand(decoder, k)->part;
    uint32_t numbers[BYTES + 1], selectors[BYTES], bytes;

    if (part == NULL)
        return k == 1 ? a : b;
    if (read_selector(decoder, part, 2 * BYTES, numbers, &bytes) != video->parts)
        decode_fail(decoder, "takes %u parts of its sources", video->parts);
    for (uint32_t i = 0; i < BYTES; i++)
        selectors[i] = numbers[i / bytes] * bytes + i % bytes;
    return permuted(decoder, a, b, selectors, 0);
}

/* Returns the selectors of prmt that take the parts of a mask from a, and the others from b. */
static void read_mask(struct decoder *decoder, const struct video *video, const char *mask,
                      uint32_t *selectors)
{
    uint32_t numbers[BYTES + 1], bytes;
    uint32_t count = read_selector(decoder, mask, BYTES, numbers, &bytes);

    if (bytes != BYTES / video->parts)
        decode_fail(decoder, "has no part `.%.8s`", mask);
    for (uint32_t i = 0; i < BYTES; i++) {
        selectors[i] = OF_B | i;
        for (uint32_t k = 0; k < count; k++)
            if (i / bytes == numbers[k])
                selectors[i] = i;
    }
}

static void decode_simd(struct decoder *decoder, const struct video *video, uint32_t d,
                        const char *mask)
{
    const char *opcode = decoder->instruction->opcode;
    uint32_t a = word_of(decoder, 1), b = word_of(decoder, 2), c = word_of(decoder, 3);
    uint32_t x = simd_source(decoder, video, 1, a, b), y = simd_source(decoder, video, 2, a, b);
    bool adds = strstr(opcode, ".add") != NULL;
    uint32_t selectors[BYTES], result;
    char plain[64];

    decode_count(decoder, 4, 4);
    if (mask == NULL) {
        decode_compute(decoder, opcode, d, x, y, c);
        return;
    }
    read_mask(decoder, video, mask, selectors);
    snprintf(plain, sizeof plain, "%.*s", (int)(strlen(opcode) - (adds ? strlen(".add") : 0)),
             opcode);
    result = decode_temporary(decoder, BYTES);
    if (!adds || strncmp(opcode, "vset", 4) == 0) {
        decode_compute(decoder, plain, result, x, y, video->zero);
        permuted(decoder, result, adds ? video->zero : c, selectors, adds ? result : d);
        if (adds) /* the sum of the bits of the mask */
            decode_compute(decoder,
                           video->parts == 2 ? "vadd2.u32.u32.u32.add" : "vadd4.u32.u32.u32.add", d,
                           result, video->zero, c);
        return;
    }
    /* Parts that the mask leaves out are 0 in both sources, and so is their result. */
    x = permuted(decoder, x, video->zero, selectors, 0);
    y = permuted(decoder, y, video->zero, selectors, 0);
    decode_compute(decoder, opcode, d, x, y, c);
}

bool decode_video(struct decoder *decoder)
{
    const struct instruction *instruction = decoder->instruction;
    char last = instruction->opcode[strcspn(instruction->opcode, ".") - 1];
    struct video video = {last == '2' ? 2 : last == '4' ? 4 : 1, decode_constant(decoder, 0, 4)};
    struct operand first = *decode_operand(decoder, 0);
    const char *part = first.part;
    uint32_t d;

    if (strncmp(instruction->match.form->section, "9.7.18.", 7) != 0)
        return false;
    first.part = NULL;
    d = decode_result(decoder, &first, decode_type(decoder, "b32"), false);
    if (video.parts == 1)
        decode_scalar(decoder, &video, d, part);
    else
        decode_simd(decoder, &video, d, part);
    return true;
}
