/* SPDX-License-Identifier: MIT
 *
 * Operands: special registers, constants, addresses and registers, as slots of the frame.
 */
#include "decoder.h"

#include <stdio.h>
#include <string.h>

/* ---- Special registers ---- */

static const struct {
    const char *name;
    uint8_t special, bytes;
    uint64_t value;
} specials[] = {
    {"%tid.x", SPECIAL_TID_X, 4, 0},
    {"%tid.y", SPECIAL_TID_Y, 4, 0},
    {"%tid.z", SPECIAL_TID_Z, 4, 0},
    {"%ntid.x", SPECIAL_NTID_X, 4, 0},
    {"%ntid.y", SPECIAL_NTID_Y, 4, 0},
    {"%ntid.z", SPECIAL_NTID_Z, 4, 0},
    {"%ctaid.x", SPECIAL_CTAID_X, 4, 0},
    {"%ctaid.y", SPECIAL_CTAID_Y, 4, 0},
    {"%ctaid.z", SPECIAL_CTAID_Z, 4, 0},
    {"%nctaid.x", SPECIAL_NCTAID_X, 4, 0},
    {"%nctaid.y", SPECIAL_NCTAID_Y, 4, 0},
    {"%nctaid.z", SPECIAL_NCTAID_Z, 4, 0},
    {"%laneid", SPECIAL_LANEID, 4, 0},
    {"%warpid", SPECIAL_WARPID, 4, 0},
    {"%nwarpid", SPECIAL_CONSTANT, 4, 32},
    {"%smid", SPECIAL_WARPID, 4, 1},      /* 1: of the multiprocessor; see placement() */
    {"%nsmid", SPECIAL_CONSTANT, 4, 132}, /* MULTIPROCESSORS */
    {"%gridid", SPECIAL_CONSTANT, 8, 0},
    {"%lanemask_eq", SPECIAL_LANEMASK_EQ, 4, 0},
    {"%lanemask_lt", SPECIAL_LANEMASK_LT, 4, 0},
    {"%lanemask_le", SPECIAL_LANEMASK_LE, 4, 0},
    {"%lanemask_gt", SPECIAL_LANEMASK_GT, 4, 0},
    {"%lanemask_ge", SPECIAL_LANEMASK_GE, 4, 0},
    {"%clock", SPECIAL_CLOCK, 4, 0},
    {"%clock_hi", SPECIAL_CLOCK_HIGH, 4, 0},
    {"%clock64", SPECIAL_CLOCK, 8, 0},
    {"%globaltimer", SPECIAL_CLOCK, 8, 0},
    {"%globaltimer_lo", SPECIAL_CLOCK, 4, 0},
    {"%globaltimer_hi", SPECIAL_CLOCK_HIGH, 4, 0},
    {"%dynamic_smem_size", SPECIAL_DYNAMIC_SHARED, 4, 0},
    {"%total_smem_size", SPECIAL_TOTAL_SHARED, 4, 0},
    {"%aggr_smem_size", SPECIAL_ALL_SHARED, 4, 0},
    {"%reserved_smem_offset_begin", SPECIAL_CONSTANT, 4, RESERVED_BEGIN},
    {"%reserved_smem_offset_end", SPECIAL_CONSTANT, 4, RESERVED_END},
    {"%reserved_smem_offset_cap", SPECIAL_CONSTANT, 4, RESERVED_SHARED},
    {"%reserved_smem_offset_0", SPECIAL_CONSTANT, 4, RESERVED_BEGIN},
    {"%reserved_smem_offset_1", SPECIAL_CONSTANT, 4, RESERVED_BEGIN},
    {"%current_graph_exec", SPECIAL_CONSTANT, 8, 0},
    {"%clusterid.x", SPECIAL_CLUSTERID_X, 4, 0},
    {"%clusterid.y", SPECIAL_CLUSTERID_Y, 4, 0},
    {"%clusterid.z", SPECIAL_CLUSTERID_Z, 4, 0},
    {"%nclusterid.x", SPECIAL_NCLUSTERID_X, 4, 0},
    {"%nclusterid.y", SPECIAL_NCLUSTERID_Y, 4, 0},
    {"%nclusterid.z", SPECIAL_NCLUSTERID_Z, 4, 0},
    {"%cluster_ctaid.x", SPECIAL_CLUSTER_CTAID_X, 4, 0},
    {"%cluster_ctaid.y", SPECIAL_CLUSTER_CTAID_Y, 4, 0},
    {"%cluster_ctaid.z", SPECIAL_CLUSTER_CTAID_Z, 4, 0},
    {"%cluster_nctaid.x", SPECIAL_CLUSTER_NCTAID_X, 4, 0},
    {"%cluster_nctaid.y", SPECIAL_CLUSTER_NCTAID_Y, 4, 0},
    {"%cluster_nctaid.z", SPECIAL_CLUSTER_NCTAID_Z, 4, 0},
    {"%cluster_ctarank", SPECIAL_CLUSTER_CTARANK, 4, 0},
    {"%cluster_nctarank", SPECIAL_CLUSTER_NCTARANK, 4, 0},
    {"%is_explicit_cluster", SPECIAL_IS_EXPLICIT_CLUSTER, 4, 0},
    {"%envreg1", SPECIAL_WORKSPACE_HIGH, 4, 0},
    {"%envreg2", SPECIAL_WORKSPACE_LOW, 4, 0},
};

/* Returns true for a performance counter: %pm0 to %pm7, also with _64. */
static bool is_counter(const char *name, uint32_t *bytes)
{
    unsigned int number = 0;
    int end = 0;

    sscanf(name, "%%pm%u%n", &number, &end);
    *bytes = end > 0 && strcmp(name + end, "_64") == 0 ? 8 : 4;
    return end > 0 && number <= 7 && (*bytes == 8 || name[end] == '\0');
}

/* Returns true for a register of the driver, which a program cannot rely on. */
static bool is_zero(const char *name)
{
    unsigned int number = 0;
    int end = 0;

    sscanf(name, "%%envreg%u%n", &number, &end);
    return end > 0 && name[end] == '\0' && number <= 31;
}

/* Returns the slot of a register whose value changes. `offset`: that of the op. */
static uint32_t changing_slot(struct decoder *decoder, enum special special, uint32_t bytes,
                              int64_t offset)
{
    uint32_t temporary = decode_temporary(decoder, bytes);
    struct op *op = decode_op(decoder, OP_SPECIAL);

    op->what = (uint8_t)special;
    op->offset = offset;
    op->bytes = (uint8_t)bytes;
    op->d = temporary;
    return temporary;
}

uint32_t decode_steady_slot(struct decoder *decoder, enum special special, uint32_t bytes,
                            int64_t offset)
{
    struct function_code *code = decoder->code;
    struct special_slot *slot;

    for (uint32_t k = 0; k < code->special_count; k++)
        if (code->specials[k].special == special && code->specials[k].offset == offset)
            return code->specials[k].slot;
    code->specials =
        arena_more(decoder->module->arena, code->specials, code->special_count, sizeof *slot);
    slot = &code->specials[code->special_count++];
    *slot = (struct special_slot){decode_room(decoder, LANES * bytes), (uint8_t)special, offset};
    return slot->slot;
}

/* Returns the slot of a special register, and its size, 4 or 8 bytes. */
static uint32_t special_slot(struct decoder *decoder, const char *name, uint32_t *bytes)
{
    for (size_t s = 0; s < sizeof specials / sizeof *specials; s++) {
        if (strcmp(specials[s].name, name) != 0)
            continue;
        *bytes = specials[s].bytes;
        if (specials[s].special == SPECIAL_CONSTANT)
            return decode_constant(decoder, specials[s].value, *bytes);
        if (specials[s].special >= SPECIAL_CLOCK || specials[s].special == SPECIAL_WARPID)
            return changing_slot(decoder, (enum special)specials[s].special, *bytes,
                                 (int64_t)specials[s].value);
        return decode_steady_slot(decoder, specials[s].special, *bytes, 0);
    }
    if (is_counter(name, bytes))
        return changing_slot(decoder, SPECIAL_CLOCK, *bytes, 0);
    if (is_zero(name))
        return decode_constant(decoder, 0, *bytes);
    decode_fail(decoder, "`%.60s` is neither a declared register nor a supported special register",
                name);
}

/* ---- Operands ---- */

bool decode_is_float(const struct type *type)
{
    return strcmp(type->name, "f32") == 0 || strcmp(type->name, "f64") == 0;
}

/* Converts a value of `bytes` in a slot to `wanted` bytes, and returns its new slot. */
static uint32_t resized(struct decoder *decoder, uint32_t slot, uint32_t bytes, uint32_t wanted)
{
    struct op *op;
    uint32_t temporary;

    if (bytes == wanted)
        return slot;
    temporary = decode_temporary(decoder, wanted);
    op = decode_op(decoder, OP_RESIZE);
    op->d = temporary;
    op->a = slot;
    op->bytes = (uint8_t)bytes;
    op->to_bytes = (uint8_t)wanted;
    return temporary;
}

uint32_t decode_address_of(struct decoder *decoder, const struct operand *operand)
{
    struct variable *variable = operand->variable;
    uint64_t base = 0;

    if (variable->space == SPACE_SHARED && variable->bytes == 0)
        return decode_steady_slot(decoder, SPECIAL_DYNAMIC_ADDRESS, 8, operand->offset);
    if (variable->space == SPACE_SHARED)
        base = decode_shared_address(variable);
    else if (variable->space == SPACE_GLOBAL || variable->space == SPACE_CONST)
        base = decoder->links->variable(decoder->out, variable);
    if (base == 0)
        decode_fail(decoder, "no file of this program defines the variable `%.60s`",
                    variable->name);
    return decode_constant(decoder, base + (uint64_t)operand->offset, 8);
}

/* Returns the slot of the address of a variable or function: 8 bytes, an address in its own
 * space. */
static uint32_t symbol_slot(struct decoder *decoder, const struct operand *operand)
{
    struct variable *variable = operand->variable;
    uint32_t temporary;
    struct op *op;

    if (operand->function != NULL) {
        uint64_t address = decode_function_address(decoder, operand->function);
        if (address == 0)
            decode_fail(
                decoder,
                "the simulator does not support the address of the runtime function `%.60s`",
                operand->name);
        return decode_constant(decoder, address, 8);
    }
    if (variable == NULL)
        decode_fail(decoder, "`%.60s` is not declared", operand->name);
    if (variable->space == SPACE_PARAM && variable->owner == NULL && decoder->function->is_entry)
        return decode_constant(decoder,
                               PARAMETER_WINDOW_BASE + decode_parameter_offset(decoder, variable) +
                                   (uint64_t)operand->offset,
                               8);
    if (variable->space == SPACE_PARAM || variable->space == SPACE_LOCAL) {
        temporary = decode_temporary(decoder, 8);
        op = decode_op(decoder, OP_LOCAL_ADDRESS);
        op->d = temporary;
        op->offset = (int64_t)decode_local_offset(decoder, variable) + operand->offset;
        return temporary;
    }
    return decode_address_of(decoder, operand);
}

static uint32_t constant_slot(struct decoder *decoder, const struct operand *operand,
                              const struct type *type)
{
    uint64_t bits = operand->value;

    if (operand->kind == OPERAND_FLOAT) {
        bool is_double = operand->type->bytes == 8;
        if (type->kind != 'f' && type->kind != 'b')
            decode_fail(decoder, "takes a value of type .%s, not a floating-point constant",
                        type->name);
        if (type->bytes == 4 && is_double) { /* a decimal constant */
            double wide;
            float narrow;
            uint32_t low;
            memcpy(&wide, &bits, sizeof wide);
            narrow = (float)wide;
            memcpy(&low, &narrow, sizeof low);
            bits = low;
        } else if (type->bytes != operand->type->bytes) {
            decode_fail(decoder, "takes a value of type .%s, not a constant of %u bits", type->name,
                        8 * operand->type->bytes);
        }
    } else if (decode_is_float(type)) {
        decode_fail(decoder, "takes a value of type .%s, not an integer constant", type->name);
    }
    if (type->kind == 'p')
        return decode_constant(decoder, bits != 0 ? UINT32_MAX : 0, 0);
    if (type->bytes < 8)
        bits &= (UINT64_C(1) << 8 * type->bytes) - 1;
    return decode_constant(decoder, bits, type->bytes);
}

uint32_t decode_value(struct decoder *decoder, const struct operand *operand,
                      const struct type *type, bool wider, uint32_t *flip)
{
    uint32_t bytes, slot;

    *flip = 0;
    if (operand->pair != NULL)
        decode_fail(decoder, "takes one register, not a pair");
    if (operand->part != NULL)
        decode_fail(decoder, "`.%.8s` cannot follow a register here", operand->part);
    switch (operand->kind) {
    case OPERAND_REGISTER: {
        const struct reg *reg = operand->reg;
        if ((type->kind == 'p') != (reg->type->kind == 'p') ||
            (wider ? reg->type->bytes < type->bytes : reg->type->bytes != type->bytes))
            decode_fail(decoder, "`%.60s` has type .%s, but must have type .%s", operand->name,
                        reg->type->name, type->name);
        if (operand->negated && type->kind != 'p')
            decode_fail(decoder, "`!` must precede a predicate");
        if (operand->minus)
            decode_fail(decoder, "`-` cannot precede a register");
        *flip = operand->negated ? UINT32_MAX : 0;
        slot = decoder->registers[reg->number];
        return type->kind == 'p' ? slot : resized(decoder, slot, reg->type->bytes, type->bytes);
    }
    case OPERAND_INTEGER:
    case OPERAND_FLOAT:
        return constant_slot(decoder, operand, type);
    case OPERAND_SPECIAL:
        if (strcmp(operand->name, "%is_explicit_cluster") == 0 && type->kind == 'p')
            return special_slot(decoder, operand->name, &bytes);
        if (type->kind == 'f' || type->kind == 'p' || type->bytes > 8)
            decode_fail(decoder, "cannot read `%s` as type .%s", operand->name, type->name);
        slot = special_slot(decoder, operand->name, &bytes);
        return resized(decoder, slot, bytes, type->bytes);
    case OPERAND_SYMBOL:
        if (type->kind == 'f' || type->kind == 'p' || type->bytes < 4 || type->bytes > 8)
            decode_fail(decoder, "cannot read an address as type .%s", type->name);
        if (type->bytes < 8 &&
            (operand->variable == NULL || operand->variable->space != SPACE_SHARED))
            decode_fail(decoder,
                        "the address of `%.60s` takes 64 bits, because it is not in .shared",
                        operand->name);
        return resized(decoder, symbol_slot(decoder, operand), 8, type->bytes);
    default:
        decode_fail(decoder, "does not take an operand of this kind");
    }
}

uint32_t decode_plain_value(struct decoder *decoder, size_t k, const char *type)
{
    uint32_t flip;

    return decode_value(decoder, decode_operand(decoder, k), decode_type(decoder, type), false,
                        &flip);
}

/* Returns the slot for a result. It may be a temporary, which decode_finish() then stores. */
uint32_t decode_result(struct decoder *decoder, const struct operand *operand,
                       const struct type *type, bool wider)
{
    const struct reg *reg = operand->reg;

    if (operand->kind == OPERAND_SINK)
        return type->kind == 'p' ? decoder->sink_predicate : decode_temporary(decoder, type->bytes);
    if (operand->kind != OPERAND_REGISTER || operand->negated || operand->minus ||
        operand->part != NULL || operand->pair != NULL)
        decode_fail(decoder, "its result must go to a register");
    if ((type->kind == 'p') != (reg->type->kind == 'p') ||
        (wider ? reg->type->bytes < type->bytes : reg->type->bytes != type->bytes))
        decode_fail(decoder, "`%.60s` has type .%s, but must have type .%s", operand->name,
                    reg->type->name, type->name);
    if (type->kind == 'p' || reg->type->bytes == type->bytes)
        return decoder->registers[reg->number];
    decoder->widening =
        (struct widening){decode_temporary(decoder, type->bytes), decoder->registers[reg->number],
                          type->bytes, reg->type->bytes, type->kind == 's'};
    return decoder->widening.from;
}

void decode_finish(struct decoder *decoder)
{
    struct op *op;

    if (decoder->widening.to == 0)
        return;
    op = decode_op(decoder, OP_RESIZE);
    op->d = decoder->widening.to;
    op->a = decoder->widening.from;
    op->bytes = (uint8_t)decoder->widening.bytes;
    op->to_bytes = (uint8_t)decoder->widening.to_bytes;
    op->is_signed = decoder->widening.is_signed;
    decoder->widening.to = 0;
}

/* Splits d|p, in which p may be missing. */
void decode_pair(struct decoder *decoder, struct operand *first, const struct operand **second)
{
    *first = *decode_operand(decoder, 0);
    *second = first->pair;
    first->pair = NULL;
}
