/* SPDX-License-Identifier: MIT */
#include "decoder.h"

#include "outcome.h"

#include <inttypes.h>
#include <string.h>

static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", NULL};

/* Returns the scope of the opcode. An atomic access without a scope has .gpu scope (PTX ISA). A
 * grid launched without clusters has clusters of one block. */
static uint8_t scope_of(const struct decoder *decoder)
{
    static const uint8_t values[] = {SIMT_BLOCK, SIMT_BLOCK, SIMT_DEVICE, SIMT_SYSTEM};
    int scope = decode_which(decoder, scopes);

    return scope < 0 ? SIMT_DEVICE : values[scope];
}

static uint8_t order_of(const struct decoder *decoder)
{
    static const uint8_t values[] = {SIMT_RELAXED, SIMT_ACQUIRE, SIMT_RELEASE, SIMT_ACQ_REL};
    int order = decode_which(decoder, orders);

    return order < 0 ? SIMT_RELAXED : values[order];
}

static enum space space_of(const struct decoder *decoder)
{
    static const struct {
        const char *name;
        enum space space;
    } spaces[] = {
        {"global", SPACE_GLOBAL},      {"const", SPACE_CONST},       {"shared", SPACE_SHARED},
        {"shared::cta", SPACE_SHARED}, {"local", SPACE_LOCAL},       {"param", SPACE_PARAM},
        {"param::entry", SPACE_PARAM}, {"param::func", SPACE_PARAM},
    };

    for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++)
        if (decode_has(decoder, spaces[s].name))
            return spaces[s].space;
    return SPACE_GENERIC;
}

static struct decoded_address address_of(struct decoder *decoder, const struct operand *operand,
                                         enum space space)
{
    if (operand->kind != OPERAND_ADDRESS || operand->pair != NULL || operand->part_count > 0)
        decode_fail(decoder, "takes an address in brackets");
    if (operand->reg != NULL) {
        const struct type *type = operand->reg->type;
        if (type->kind == 'p' || (type->bytes != 8 && !(type->bytes == 4 && space == SPACE_SHARED)))
            decode_fail(decoder, "`%.60s` has type .%s, which cannot hold an address",
                        operand->name, type->name);
        return (struct decoded_address){decoder->registers[operand->reg->number], type->bytes == 8,
                                        operand->offset};
    }
    if (operand->name == NULL)
        return (struct decoded_address){decoder->zero, true, operand->offset};
    if (operand->variable == NULL)
        decode_fail(decoder, "the variable `%.60s` is not declared", operand->name);
    if (operand->variable->space != space && space != SPACE_GENERIC)
        decode_fail(decoder, "`%.60s` is in another state space", operand->name);
    if (operand->variable->space == SPACE_LOCAL) {
        uint32_t temporary = decode_temporary(decoder, 8);
        struct op *op = decode_op(decoder, OP_LOCAL_ADDRESS);
        op->d = temporary;
        op->offset = (int64_t)decode_local_offset(decoder, operand->variable);
        return (struct decoded_address){temporary, true, operand->offset};
    }
    return (struct decoded_address){
        decode_constant(decoder, decode_address_of(decoder, operand), 8), true, 0};
}

/* Rejects the name of a .shared variable as a generic address. */
static void check_generic(const struct decoder *decoder, const struct operand *address)
{
    if (address->variable != NULL && address->variable->space == SPACE_SHARED &&
        space_of(decoder) == SPACE_GENERIC)
        decode_fail(decoder, "takes a generic address, but `%.60s` is in .shared", address->name);
}

struct decoded_address decode_address(struct decoder *decoder, const struct operand *operand)
{
    check_generic(decoder, operand);
    return address_of(decoder, operand, space_of(decoder));
}

static uint8_t vector_length(const struct decoder *decoder)
{
    return decode_has(decoder, "v2") ? 2 : decode_has(decoder, "v4") ? 4 : 1;
}

const struct operand *decode_elements(const struct decoder *decoder, const struct operand *operand,
                                      size_t count)
{
    if (count == 1 && operand->kind != OPERAND_VECTOR)
        return operand;
    if (operand->kind != OPERAND_VECTOR || operand->part_count != count)
        decode_fail(decoder, "takes %zu registers in braces", count);
    return operand->parts;
}

const uint32_t *decode_loaded_parts(struct decoder *decoder, const struct operand *to, size_t count,
                                    const struct type *type, uint8_t *to_bytes)
{
    uint32_t *parts = arena_take(decoder->module->arena, count, sizeof *parts);

    *to_bytes = 0;
    for (size_t k = 0; k < count; k++) {
        const struct reg *reg = to[k].reg;
        if (to[k].kind == OPERAND_SINK)
            continue;
        if (to[k].kind != OPERAND_REGISTER || to[k].negated || to[k].minus || to[k].pair != NULL)
            decode_fail(decoder, "its result must go to a register");
        if (reg->type->kind == 'p' || reg->type->bytes < type->bytes)
            decode_fail(decoder, "`%.60s` has type .%s, but must have type .%s", to[k].name,
                        reg->type->name, type->name);
        if (*to_bytes != 0 && *to_bytes != reg->type->bytes)
            decode_fail(decoder, "takes registers of the same width");
        *to_bytes = (uint8_t)reg->type->bytes;
        parts[k] = decoder->registers[reg->number];
    }
    if (*to_bytes == 0)
        *to_bytes = (uint8_t)type->bytes;
    for (size_t k = 0; k < count; k++)
        if (parts[k] == 0)
            parts[k] = decode_temporary(decoder, *to_bytes);
    return parts;
}

const uint32_t *decode_stored_parts(struct decoder *decoder, const struct operand *from,
                                    size_t count, const struct type *type)
{
    uint32_t *parts = arena_take(decoder->module->arena, count, sizeof *parts), flip;

    for (size_t k = 0; k < count; k++)
        parts[k] = decode_value(decoder, &from[k], type, true, &flip);
    return parts;
}

/* Returns the type for memory accesses. Floats are loaded and stored as bits. */
static const struct type *bits_type(const struct decoder *decoder, const struct type *type)
{
    char name[16];

    if (type->kind != 'f')
        return type;
    snprintf(name, sizeof name, "b%u", 8 * type->bytes);
    return decode_type(decoder, name);
}

/* Records the kind of access, for the checks. */
static void note_access(const struct decoder *decoder, struct op *op)
{
    op->space = (uint8_t)space_of(decoder);
    op->is_strong = decode_has(decoder, "relaxed") || decode_has(decoder, "acquire") ||
                    decode_has(decoder, "release");
    op->scope = scope_of(decoder);
    op->order = order_of(decoder);
    op->access = decode_has(decoder, "volatile") ? ACCESS_VOLATILE
                 : decode_has(decoder, "nc")     ? ACCESS_CONSTANT
                                                 : 0;
}

void decode_access(struct decoder *decoder, struct op *op, const struct decoded_address *address)
{
    note_access(decoder, op);
    op->a = address->slot;
    op->is_wide = address->is_wide;
    op->offset = address->offset;
}

/* Returns the named parameter of a call or of the function, and checks the range of bytes. */
static const struct variable *parameter_of(const struct decoder *decoder,
                                           const struct operand *operand, size_t bytes)
{
    const struct variable *variable = operand->variable;

    if (operand->kind != OPERAND_ADDRESS || operand->reg != NULL || operand->name == NULL ||
        operand->part_count > 0)
        return NULL;
    if (variable == NULL || variable->space != SPACE_PARAM)
        decode_fail(decoder, "the parameter `%.60s` is not declared", operand->name);
    if (operand->offset < 0 || (uint64_t)operand->offset + bytes > variable->bytes)
        decode_fail(decoder, "is outside the %" PRIu64 " bytes of `%.60s`", variable->bytes,
                    operand->name);
    return variable;
}

static void set_variable(struct decoder *decoder, struct op *op, enum op_kind of_frame,
                         enum op_kind of_memory, const struct operand *address)
{
    const struct variable *variable = address->variable;
    const struct variable_place *place = decode_variable_place(decoder, variable);

    if (place == NULL) { /* of the kernel */
        op->kind = OP_ENTRY_LOAD;
        op->offset = decode_parameter_offset(decoder, variable) + address->offset;
        return;
    }
    op->kind = (uint8_t)(place->is_local ? of_memory : of_frame);
    op->offset = address->offset;
    op->a = place->slot;
    op->truth = (uint32_t)variable->bytes;
    if (place->is_local) {
        op->space = SPACE_PARAM;
        op->a = 0; /* relative to the call's local memory */
        op->offset += place->local;
    }
}

static void decode_load(struct decoder *decoder)
{
    const struct type *named = decode_type(decoder, decoder->instruction->match.type[0]);
    const struct type *type = bits_type(decoder, named);
    uint8_t count = vector_length(decoder), to_bytes;
    uint32_t bytes = count * type->bytes;
    const struct operand *address = decode_operand(decoder, 1), *to;
    bool is_parameter = space_of(decoder) == SPACE_PARAM;
    const uint32_t *parts;
    struct decoded_address at = {0};
    struct op *op;

    decode_count(decoder, 2, 2);
    if (bytes > 16)
        decode_fail(decoder, "accesses more than 16 bytes");
    to = decode_elements(decoder, decode_operand(decoder, 0), count);
    parts = decode_loaded_parts(decoder, to, count, type, &to_bytes);
    if (is_parameter && parameter_of(decoder, address, bytes) == NULL && address->reg == NULL)
        decode_fail(decoder, "takes a parameter by its name");
    check_generic(decoder, address);
    if (!is_parameter || address->reg != NULL)
        at = address_of(decoder, address, space_of(decoder));
    op = decode_op(decoder, OP_LOAD);
    note_access(decoder, op);
    op->parts = parts;
    op->count = count;
    op->bytes = (uint8_t)type->bytes;
    op->to_bytes = to_bytes;
    op->is_signed = type->kind == 's';
    if (is_parameter && address->reg == NULL) {
        set_variable(decoder, op, OP_VARIABLE_LOAD, OP_LOAD, address);
        return;
    }
    op->a = at.slot;
    op->is_wide = at.is_wide;
    op->offset = at.offset;
    if (is_parameter)
        op->space = SPACE_GENERIC;
    else if (count == 1)
        decode_dropped_load(decoder, op);
}

static void decode_store(struct decoder *decoder)
{
    const struct type *type =
        bits_type(decoder, decode_type(decoder, decoder->instruction->match.type[0]));
    uint8_t count = vector_length(decoder);
    uint32_t bytes = count * type->bytes;
    const struct operand *address = decode_operand(decoder, 0), *from;
    bool is_parameter = space_of(decoder) == SPACE_PARAM;
    const uint32_t *parts;
    struct decoded_address at = {0};
    struct op *op;

    decode_count(decoder, 2, 2);
    from = decode_elements(decoder, decode_operand(decoder, 1), count);
    if (is_parameter && (parameter_of(decoder, address, bytes) == NULL ||
                         (address->variable->owner == NULL && decoder->function->is_entry)))
        decode_fail(decoder, "takes a parameter of a call, by its name");
    if (bytes > 16)
        decode_fail(decoder, "accesses more than 16 bytes");
    check_generic(decoder, address);
    parts = decode_stored_parts(decoder, from, count, type);
    if (!is_parameter)
        at = address_of(decoder, address, space_of(decoder));
    op = decode_op(decoder, OP_STORE);
    note_access(decoder, op);
    op->access |= ACCESS_WRITE;
    op->parts = parts;
    op->count = count;
    op->bytes = (uint8_t)type->bytes;
    if (is_parameter) {
        set_variable(decoder, op, OP_VARIABLE_STORE, OP_STORE, address);
        return;
    }
    op->a = at.slot;
    op->is_wide = at.is_wide;
    op->offset = at.offset;
}

static void decode_atomic(struct decoder *decoder, bool returns)
{
    static const char *const operations[] = {"add", "min", "max",  "inc", "dec", "and",
                                             "or",  "xor", "exch", "cas", NULL};
    static const uint8_t kinds[] = {1, 2, 3, 0, 0, 4, 5, 6, 0, 0};
    int operation = decode_which(decoder, operations);
    const struct type *type = decode_type(decoder, decoder->instruction->match.type[0]);
    const struct operand *address = decode_operand(decoder, returns);
    bool swaps = operation == 9;
    uint32_t b, c = decoder->zero, d, flip;
    struct decoded_address at;
    struct op *op;

    decode_count(decoder, 2u + returns + swaps, 2u + returns + swaps);
    check_generic(decoder, address);
    at = address_of(decoder, address, space_of(decoder));
    b = decode_value(decoder, decode_operand(decoder, 1u + returns), type, false, &flip);
    if (swaps)
        c = decode_value(decoder, decode_operand(decoder, 2u + returns), type, false, &flip);
    d = returns ? decode_result(decoder, decode_operand(decoder, 0), type, false)
                : decode_temporary(decoder, type->bytes);
    op = decode_op(decoder, OP_ATOMIC);
    note_access(decoder, op);
    op->access = ACCESS_ATOMIC;
    op->is_strong = true;
    op->returns = returns && decode_operand(decoder, 0)->kind != OPERAND_SINK;
    op->a = at.slot;
    op->is_wide = at.is_wide;
    op->offset = at.offset;
    op->b = b;
    op->c = c;
    op->d = d;
    op->bytes = (uint8_t)type->bytes;
    op->to_bytes = op->bytes;
    op->count = 1;
    op->atomic = atomic_operation(operations[operation], type->name);
    if (op->atomic == NULL)
        decode_fail(decoder, "is not implemented");
    op->commutes = type->kind == 'f' || strchr(type->name, 'f') != NULL ? 0 : kinds[operation];
    if (op->commutes != 0) /* kind: atomics of one size commute */
        op->commutes |= (uint8_t)((__builtin_ctz(type->bytes) - 1) << 3);
    decode_exact_atomic(decoder, op, type->name, operation == 0);
    if (op->scope == SIMT_BLOCK)
        decoder->code->needs_order = true;
    decode_finish(decoder);
}

/* Decodes {%r1, %r2} to or from a register of the widths together. */
static void decode_mov_vector(struct decoder *decoder, const struct type *type)
{
    const struct operand *to = decode_operand(decoder, 0), *from = decode_operand(decoder, 1);
    bool packs = from->kind == OPERAND_VECTOR;
    const struct operand *vector = packs ? from : to;
    const struct type *part;
    uint32_t *parts, flip, a = decoder->zero, d = 0;
    struct op *op;
    char name[16];

    if (vector->part_count != 2 && vector->part_count != 4)
        decode_fail(decoder, "takes 2 or 4 registers in braces");
    if (type->kind != 'b' || type->bytes < vector->part_count)
        decode_fail(decoder, "does not take registers in braces");
    snprintf(name, sizeof name, "b%zu", 8 * type->bytes / vector->part_count);
    part = decode_type(decoder, name);
    parts = arena_take(decoder->module->arena, vector->part_count, sizeof *parts);
    for (size_t k = 0; k < vector->part_count; k++)
        parts[k] = packs ? decode_value(decoder, &vector->parts[k], part, part->bytes == 1, &flip)
                         : decode_result(decoder, &vector->parts[k], part, false);
    if (packs)
        d = decode_result(decoder, to, type, false);
    else
        a = decode_value(decoder, from, type, false, &flip);
    op = decode_op(decoder, packs ? OP_PACK : OP_UNPACK);
    op->parts = parts;
    op->count = (uint8_t)vector->part_count;
    op->bytes = (uint8_t)type->bytes;
    if (packs)
        op->d = d;
    else
        op->a = a;
}

static void decode_mov(struct decoder *decoder)
{
    const struct type *named = decode_type(decoder, decoder->instruction->match.type[0]);
    const struct type *type = bits_type(decoder, named);
    const struct operand *to = decode_operand(decoder, 0), *from = decode_operand(decoder, 1);
    uint32_t a, d, flip;
    struct op *op;

    decode_count(decoder, 2, 2);
    if (to->kind == OPERAND_VECTOR || from->kind == OPERAND_VECTOR) {
        decode_mov_vector(decoder, named);
        return;
    }
    if (named->kind == 'f' && from->kind == OPERAND_INTEGER)
        decode_fail(decoder, "takes a value of type .%s, not an integer constant", named->name);
    a = decode_value(decoder, from, type, false, &flip);
    d = decode_result(decoder, to, type, false);
    op = decode_op(decoder, OP_COPY);
    op->a = a;
    op->d = d;
    op->flip_a = flip;
    op->bytes = type->kind == 'p' ? 0 : (uint8_t)type->bytes;
    decode_finish(decoder);
}

static void decode_cvta(struct decoder *decoder, enum op_kind kind)
{
    const struct type *type = decode_type(decoder, decoder->instruction->match.type[0]);
    uint32_t a, d;
    struct op *op;

    decode_count(decoder, 2, 2);
    if (type->bytes != 8)
        decode_fail(decoder, "32-bit addresses are not supported");
    a = decode_plain_value(decoder, 1, type->name);
    d = decode_result(decoder, decode_operand(decoder, 0), type, false);
    op = decode_op(decoder, space_of(decoder) == SPACE_SHARED ? kind : OP_COPY);
    op->a = a;
    op->d = d;
    op->bytes = 8;
    op->space = (uint8_t)space_of(decoder);
    decode_finish(decoder);
}

static void decode_isspacep(struct decoder *decoder)
{
    enum space space = space_of(decoder);
    uint32_t a, d;
    struct op *op;

    decode_count(decoder, 2, 2);
    if (space != SPACE_SHARED && space != SPACE_GLOBAL && space != SPACE_LOCAL)
        decode_fail(decoder, "must test for .global, .shared or .local");
    a = decode_plain_value(decoder, 1, "u64");
    d = decode_result(decoder, decode_operand(decoder, 0), decode_type(decoder, "pred"), false);
    op = decode_op(decoder, OP_IS_SPACE);
    op->a = a;
    op->d = d;
    op->space = (uint8_t)space;
}

static void decode_fence(struct decoder *decoder)
{
    struct op *op;

    decode_count(decoder, 0, 0);
    op = decode_op(decoder, OP_FENCE);
    op->scope = decode_has(decoder, "gl") ? SIMT_DEVICE : scope_of(decoder);
}

/* Decodes cp.async [to], [from], bytes[, read]; */
static void decode_async_copy(struct decoder *decoder)
{
    const struct operand *bytes = decode_operand(decoder, 2);
    struct decoded_address to, from;
    uint32_t c = decode_constant(decoder, UINT32_MAX, 4);
    struct op *op;

    decode_count(decoder, 3, 4);
    if (bytes->kind != OPERAND_INTEGER ||
        (bytes->value != 16 && bytes->value != 8 && bytes->value != 4) ||
        (decode_has(decoder, "cg") && bytes->value != 16))
        decode_fail(decoder, "must copy 4, 8 or 16 bytes, or 16 with .cg");
    to = address_of(decoder, decode_operand(decoder, 0), SPACE_SHARED);
    from = address_of(decoder, decode_operand(decoder, 1), SPACE_GLOBAL);
    if (decoder->instruction->operand_count == 4)
        c = decode_plain_value(decoder, 3, "u32");
    op = decode_op(decoder, OP_ASYNC_COPY);
    op->a = to.slot;
    op->is_wide = to.is_wide;
    op->offset = to.offset;
    op->b = from.slot;
    op->truth = (uint32_t)from.offset;
    op->c = c;
    op->bytes = (uint8_t)bytes->value;
    op->count = 1;
    decoder->code->needs_order = true;
}

static void decode_async_wait(struct decoder *decoder)
{
    bool all = decode_has(decoder, "wait_all");
    uint32_t a = decoder->zero;
    struct op *op;

    decode_count(decoder, !all, !all);
    if (!all)
        a = decode_plain_value(decoder, 0, "u32");
    op = decode_op(decoder, OP_ASYNC_WAIT);
    op->a = a;
    op->has_count = !all;
}

static void decode_mbarrier(struct decoder *decoder)
{
    bool has_result, async = decode_has(decoder, "async"), parity = decode_has(decoder, "parity");
    enum mbarrier what;
    uint32_t b = decode_constant(decoder, 1, 4), d = 0;
    struct decoded_address at = {0};
    struct op *op;

    decoder->code->needs_order = true;
    if (async)
        what = decode_has(decoder, "noinc") ? MBARRIER_COPIES_NO_INC : MBARRIER_COPIES;
    else
        what = decode_has(decoder, "init")            ? MBARRIER_INIT
               : decode_has(decoder, "inval")         ? MBARRIER_INVALIDATE
               : decode_has(decoder, "pending_count") ? MBARRIER_PENDING
               : decode_has(decoder, "arrive_drop")   ? MBARRIER_DROP
               : decode_has(decoder, "arrive")        ? MBARRIER_ARRIVE
               : parity                               ? MBARRIER_PARITY
                                                      : MBARRIER_TEST;
    has_result = what == MBARRIER_ARRIVE || what == MBARRIER_DROP || what == MBARRIER_TEST ||
                 what == MBARRIER_PARITY || what == MBARRIER_PENDING;
    if (what == MBARRIER_PENDING) {
        decode_count(decoder, 2, 2);
        b = decode_plain_value(decoder, 1, "b64");
    } else {
        const struct operand *address = decode_operand(decoder, has_result);
        check_generic(decoder, address);
        at = address_of(decoder, address, space_of(decoder));
    }
    if (what == MBARRIER_INIT) {
        decode_count(decoder, 2, 2);
        b = decode_plain_value(decoder, 1, "u32");
    } else if (what == MBARRIER_ARRIVE || what == MBARRIER_DROP) {
        decode_count(decoder, 2, 3);
        if (decoder->instruction->operand_count == 3)
            b = decode_plain_value(decoder, 2, "u32");
    } else if (what == MBARRIER_TEST || what == MBARRIER_PARITY) {
        decode_count(decoder, 3, decode_has(decoder, "try_wait") ? 4 : 3);
        b = decode_plain_value(decoder, 2, parity ? "u32" : "b64");
    } else if (what != MBARRIER_PENDING) {
        decode_count(decoder, 1, 1);
    }
    if (has_result)
        d = decode_result(decoder, decode_operand(decoder, 0),
                          decode_type(decoder, what == MBARRIER_ARRIVE || what == MBARRIER_DROP
                                                   ? "b64"
                                               : what == MBARRIER_PENDING ? "u32"
                                                                          : "pred"),
                          false);
    op = decode_op(decoder, OP_MBARRIER);
    op->what = (uint8_t)what;
    op->space = (uint8_t)space_of(decoder);
    op->a = at.slot;
    op->is_wide = at.is_wide;
    op->offset = at.offset;
    op->b = b;
    op->d = d;
    op->bytes = 8;
    op->count = 1;
    op->scope = SIMT_BLOCK;
}

bool decode_memory(struct decoder *decoder, const char *meaning)
{
    if (strcmp(meaning, "@ld") == 0)
        decode_load(decoder);
    else if (strcmp(meaning, "@st") == 0)
        decode_store(decoder);
    else if (strcmp(meaning, "@atom") == 0)
        decode_atomic(decoder, true);
    else if (strcmp(meaning, "@red") == 0)
        decode_atomic(decoder, false);
    else if (strcmp(meaning, "@mov") == 0)
        decode_mov(decoder);
    else if (strcmp(meaning, "@cvta") == 0)
        decode_cvta(decoder, OP_TO_GENERIC);
    else if (strcmp(meaning, "@cvta_to") == 0)
        decode_cvta(decoder, OP_TO_SPACE);
    else if (strcmp(meaning, "@isspacep") == 0)
        decode_isspacep(decoder);
    else if (strcmp(meaning, "@cp_async") == 0)
        decode_async_copy(decoder);
    else if (strcmp(meaning, "@cp_commit") == 0)
        decode_count(decoder, 0, 0), decode_op(decoder, OP_ASYNC_COMMIT);
    else if (strcmp(meaning, "@cp_wait") == 0)
        decode_async_wait(decoder);
    else if (strcmp(meaning, "@mbarrier") == 0)
        decode_mbarrier(decoder);
    else if (strcmp(meaning, "@fence") == 0)
        decode_fence(decoder);
    else
        return false;
    return true;
}
