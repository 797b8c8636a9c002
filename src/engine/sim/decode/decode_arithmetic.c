/* SPDX-License-Identifier: MIT
 *
 * Arithmetic instructions: those whose form says in C what they compute.
 */
#include "decoder.h"

#include <stdio.h>
#include <string.h>

enum { MAX_TYPES = 5 };

/* Returns the type that a letter of the form's operands names. */
static const struct type *operand_type(const struct decoder *decoder, const struct match *match,
                                       const char *text, size_t length)
{
    char name[16];

    if (length == 1 && (*text == '1' || *text == '2'))
        return decode_type(decoder, match->type[*text - '1']);
    if (length == 1 && *text == 'p')
        return decode_type(decoder, "pred");
    if (length == 1 && *text == 'w') {
        const struct type *type = decode_type(decoder, match->type[0]);
        snprintf(name, sizeof name, "%c%u", type->kind, 16 * type->bytes);
    } else {
        snprintf(name, sizeof name, "%.*s", (int)length, text);
    }
    return decode_type(decoder, name);
}

/* Returns true if a register may be wider than that type: for cvt, ld and st, and for types of 8
 * bits, which registers do not have. PTX ISA, operand size exceeding instruction-type size. */
static bool may_be_wider(const struct decoder *decoder, const struct type *type)
{
    return strncmp(decoder->instruction->opcode, "cvt", 3) == 0 || type->bytes == 1;
}

/* Selects the function that executes the instruction, and its modes. */
static void choose_function(struct decoder *decoder, const struct match *match, struct op *op)
{
    size_t form = (size_t)(match->form - arithmetic_forms), index = 0, factor = 1;
    const struct form_operations *operations = &decoder->operations[form];
    bool is_plain = true;

    for (int m = 0; m < operations->mode_count; m++) {
        op->mode[m] = operations->modes[m].values[match->choice[operations->modes[m].group]];
        is_plain = is_plain && op->mode[m] == 0;
    }
    for (int g = 0; g < MAX_GROUPS; g++) {
        if (operations->radix[g] == 0)
            continue;
        index += factor * match->choice[g];
        factor *= operations->radix[g];
    }
    op->run = is_plain ? operations->plain[index] : operations->general[index];
    if (op->run == NULL)
        decode_fail(decoder, "is not implemented");
}

static const struct {
    const char *type;
    uint32_t truth;
    enum finish finish;
} truths[] = {
    {"u16", 0xffff, FINISH_SET_16},          {"s16", 0xffff, FINISH_SET_16},
    {"f16", 0x3c00, FINISH_SET_16},          {"bf16", 0x3f80, FINISH_SET_16},
    {"u32", 0xffffffff, FINISH_SET_32},      {"s32", 0xffffffff, FINISH_SET_32},
    {"f32", 0x3f800000, FINISH_SET_32},      {"f16x2", 0x3c003c00, FINISH_SET_PAIR},
    {"bf16x2", 0x3f803f80, FINISH_SET_PAIR},
};

/* Sets what set and setp do with their comparison. */
static void finish_comparison(const struct decoder *decoder, const struct match *match,
                              struct op *op)
{
    static const char *const logic[] = {"and", "or", "xor", NULL};
    _Static_assert(sizeof logic / sizeof *logic == COMBINE_XOR + 1, "a name for each");
    const char *meaning = match->form->meaning;
    const char *type = match->type[0];

    op->combine = (uint8_t)(decode_which(decoder, logic) + 1);
    op->finish = FINISH_SETP;
    if (strncmp(meaning, "@setp", 5) == 0)
        return;
    for (size_t t = 0; t < sizeof truths / sizeof *truths; t++)
        if (strcmp(truths[t].type, type) == 0) {
            op->truth = truths[t].truth;
            op->finish = (uint8_t)truths[t].finish;
        }
    if (strncmp(meaning, "@set2", 5) == 0)
        op->finish = FINISH_SET_PAIR;
}

/* Returns a mask of the sources that the instruction processes byte by byte: logic, shifts, fields
 * and conversions between integers. Shift amounts and positions do not count. Neither do
 * comparisons, rounding and saturation, whose results depend on the whole value. */
static uint8_t sources_by_bytes(const struct form *form)
{
    static const struct {
        const char *start;
        uint8_t sources;
    } starts[] = {{"shf", 3}, {"shl", 1}, {"shr", 1}, {"bfe", 1}, {"bfi(", 3}, {"prmt", 3}};

    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        if (strncmp(form->pattern, starts[k].start, strlen(starts[k].start)) == 0)
            return starts[k].sources;
    if (strcmp(form->meaning, "(T1)a") == 0)
        return 1;
    return strncmp(form->section, "9.7.8.", 6) == 0 ? 7 : 0;
}

/* Finds the types of a form's operands, the destination first, and returns their number. */
static size_t find_types(const struct decoder *decoder, const struct match *match,
                         const struct type **types)
{
    const char *at = match->form->operands;
    size_t count = 0;

    for (; *at != '\0' && count < MAX_TYPES; count++) {
        size_t length = strcspn(at, ",");
        types[count] = operand_type(decoder, match, at, strcspn(at, "|,"));
        at += length + (at[length] == ',');
    }
    return count;
}

struct op *decode_compute(struct decoder *decoder, const char *opcode, uint32_t d, uint32_t a,
                          uint32_t b, uint32_t c)
{
    const struct type *types[MAX_TYPES] = {NULL};
    struct match match;
    size_t count;
    struct op *op;

    if (!forms_match(opcode, &match))
        decode_fail(decoder, "is not implemented");
    count = find_types(decoder, &match, types);
    op = decode_op(decoder, strncmp(opcode, "selp", 4) == 0 ? OP_SELECT : OP_COMPUTE);
    op->a = a;
    op->b = b;
    op->c = c;
    op->d = d;
    op->bytes = (uint8_t)types[0]->bytes;
    op->by_bytes = sources_by_bytes(match.form);
    for (size_t k = 1; k < count && k <= 3; k++)
        op->widths[k - 1] = (uint8_t)types[k]->bytes;
    if (strncmp(match.form->meaning, "@set", 4) == 0)
        finish_comparison(decoder, &match, op);
    choose_function(decoder, &match, op);
    return op;
}

void decode_arithmetic(struct decoder *decoder)
{
    const struct form *form = decoder->instruction->match.form;
    const struct type *types[MAX_TYPES] = {NULL};
    uint32_t sources[4] = {decoder->zero, decoder->zero, decoder->zero, decoder->zero};
    uint32_t flips[4] = {0}, d, d2 = 0;
    size_t count = find_types(decoder, &decoder->instruction->match, types);
    struct operand first;
    const struct operand *second;
    struct op *op;

    decode_count(decoder, count, count);
    for (size_t k = 1; k < count; k++)
        sources[k - 1] = decode_value(decoder, decode_operand(decoder, k), types[k],
                                      may_be_wider(decoder, types[k]), &flips[k - 1]);
    decode_pair(decoder, &first, &second);
    if (second != NULL && strchr(form->operands, '|') == NULL)
        decode_fail(decoder, "its result must go to a register");
    d = decode_result(decoder, &first, types[0], may_be_wider(decoder, types[0]));
    if (second != NULL)
        d2 = decode_result(decoder, second, types[0], false);
    op = decode_op(decoder, strncmp(form->pattern, "selp", 4) == 0 ? OP_SELECT
                            : strncmp(form->meaning, "ptx_div_u", 9) == 0 ||
                                    strncmp(form->meaning, "ptx_div_s", 9) == 0 ||
                                    strncmp(form->meaning, "ptx_rem_", 8) == 0
                                ? OP_DIVIDE
                                : OP_COMPUTE);
    op->a = sources[0];
    op->b = sources[1];
    op->c = sources[2];
    op->e = sources[3];
    op->flip_a = flips[0];
    op->flip_b = flips[1];
    op->flip_c = flips[2];
    op->flip_e = flips[3];
    op->d = d;
    op->d2 = d2;
    op->bytes = (uint8_t)types[0]->bytes;
    op->by_bytes = sources_by_bytes(form);
    for (size_t k = 1; k < count && k <= 3; k++)
        op->widths[k - 1] = (uint8_t)types[k]->bytes;
    if (strncmp(form->meaning, "@set", 4) == 0)
        finish_comparison(decoder, &decoder->instruction->match, op);
    choose_function(decoder, &decoder->instruction->match, op);
    decode_exact(decoder, op, types, count);
    if (op->kind == OP_SELECT)
        decode_dropping_selp(decoder, op);
    if (decoder->operations[form - arithmetic_forms].carries) {
        if (decoder->carry == 0)
            decoder->carry = decode_room(decoder, LANES * sizeof(uint32_t));
        op->carry = decoder->carry;
        if (decode_has(decoder, "cc"))
            op->d2 = decoder->carry;
        if (decoder->instruction->opcode[3] == 'c') /* addc, subc, madc */
            op->e = decoder->carry;
    }
    decode_finish(decoder);
}
