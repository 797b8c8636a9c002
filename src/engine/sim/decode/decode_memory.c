/* SPDX-License-Identifier: MIT */
#include "decoder.h"

#include "outcome.h"

#include <inttypes.h>
#include <string.h>

static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", NULL};

/* Returns the scope of the opcode. An atomic access without a scope has .gpu scope (PTX ISA). */
static uint8_t scope_of(const struct decoder *decoder)
{
    static const uint8_t values[] = {SIMT_BLOCK, SIMT_CLUSTER, SIMT_DEVICE, SIMT_SYSTEM};
    _Static_assert(sizeof scopes / sizeof *scopes == sizeof values + 1, "one for each name");
    int scope = decode_which(decoder, scopes);

    return scope < 0 ? SIMT_DEVICE : values[scope];
}

static uint8_t order_of(const struct decoder *decoder)
{
    static const uint8_t values[] = {SIMT_RELAXED, SIMT_ACQUIRE, SIMT_RELEASE, SIMT_ACQ_REL};
    _Static_assert(sizeof orders / sizeof *orders == sizeof values + 1, "one for each name");
    int order = decode_which(decoder, orders);

    return order < 0 ? SIMT_RELAXED : values[order];
}

enum space decode_space(const struct decoder *decoder)
{
    static const struct {
        const char *name;
        enum space space;
    } spaces[] = {
        {"global", SPACE_GLOBAL},
        {"const", SPACE_CONST},
        {"shared", SPACE_SHARED},
        {"shared::cta", SPACE_SHARED},
        {"local", SPACE_LOCAL},
        {"param", SPACE_PARAM},
        {"param::entry", SPACE_PARAM},
        {"param::func", SPACE_PARAM},
        {"shared::cluster", SPACE_SHARED},
    };

    for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++)
        if (decode_has(decoder, spaces[s].name))
            return spaces[s].space;
    return SPACE_GENERIC;
}

struct decoded_address decode_address_in(struct decoder *decoder, const struct operand *operand,
                                         enum space space)
{
    if (operand->kind != OPERAND_ADDRESS || operand->pair != NULL || operand->part_count != 0)
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
    return (struct decoded_address){decode_address_of(decoder, operand), true, 0};
}

/* Rejects the name of a .shared variable as a generic address. */
static void check_generic(const struct decoder *decoder, const struct operand *address)
{
    if (address->variable != NULL && address->variable->space == SPACE_SHARED &&
        decode_space(decoder) == SPACE_GENERIC)
        decode_fail(decoder, "takes a generic address, but `%.60s` is in .shared", address->name);
}

struct decoded_address decode_address(struct decoder *decoder, const struct operand *operand)
{
    check_generic(decoder, operand);
    return decode_address_in(decoder, operand, decode_space(decoder));
}

static uint8_t vector_length(const struct decoder *decoder)
{
    return decode_has(decoder, "v2")   ? 2
           : decode_has(decoder, "v4") ? 4
           : decode_has(decoder, "v8") ? 8
                                       : 1;
}

void decode_count_with_policy(struct decoder *decoder, size_t least, size_t most)
{
    bool hint = decode_has(decoder, "L2::cache_hint");

    decode_count(decoder, least + hint, most + hint);
    if (hint)
        decode_plain_value(decoder, decoder->instruction->operand_count - 1, "b64");
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
        if (to[k].kind != OPERAND_REGISTER || to[k].negated || to[k].minus || to[k].part != NULL ||
            to[k].pair != NULL)
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
    op->space = (uint8_t)decode_space(decoder);
    op->in_cluster = decode_has(decoder, "shared::cluster");
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

void decode_ld(struct decoder *decoder)
{
    const struct type *named = decode_type(decoder, decoder->instruction->match.type[0]);
    const struct type *type = bits_type(decoder, named);
    uint8_t count = vector_length(decoder), to_bytes;
    uint32_t bytes = count * type->bytes;
    const struct operand *address = decode_operand(decoder, 1), *to;
    bool is_parameter = decode_space(decoder) == SPACE_PARAM;
    const uint32_t *parts;
    struct decoded_address at = {0};
    struct op *op;

    decode_count_with_policy(decoder, 2, 2);
    if (bytes > 16)
        decode_fail(decoder, "accesses more than 16 bytes");
    to = decode_elements(decoder, decode_operand(decoder, 0), count);
    parts = decode_loaded_parts(decoder, to, count, type, &to_bytes);
    if (is_parameter && parameter_of(decoder, address, bytes) == NULL && address->reg == NULL)
        decode_fail(decoder, "takes a parameter by its name");
    check_generic(decoder, address);
    if (!is_parameter || address->reg != NULL)
        at = decode_address_in(decoder, address, decode_space(decoder));
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

void decode_st(struct decoder *decoder)
{
    const struct type *type =
        bits_type(decoder, decode_type(decoder, decoder->instruction->match.type[0]));
    uint8_t count = vector_length(decoder);
    uint32_t bytes = count * type->bytes;
    const struct operand *address = decode_operand(decoder, 0), *from;
    bool is_parameter = decode_space(decoder) == SPACE_PARAM;
    const uint32_t *parts;
    struct decoded_address at = {0};
    struct op *op;

    decode_count_with_policy(decoder, 2, 2);
    from = decode_elements(decoder, decode_operand(decoder, 1), count);
    if (is_parameter && (parameter_of(decoder, address, bytes) == NULL ||
                         (address->variable->owner == NULL && decoder->function->is_entry)))
        decode_fail(decoder, "takes a parameter of a call, by its name");
    if (bytes > 16)
        decode_fail(decoder, "accesses more than 16 bytes");
    check_generic(decoder, address);
    parts = decode_stored_parts(decoder, from, count, type);
    if (!is_parameter)
        at = decode_address_in(decoder, address, decode_space(decoder));
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

static const char *const atomics[] = {"add", "min", "max", "and",  "or",
                                      "xor", "inc", "dec", "exch", "cas"};

/* Adds the op of one element. Its operands are slots. */
static void atomic_op(struct decoder *decoder, const struct op *operands, const struct type *type)
{
    size_t k = 0;
    struct op *op;

    while (!decode_has(decoder, atomics[k]))
        k++;
    op = decode_op(decoder, OP_ATOMIC);
    note_access(decoder, op);
    op->access = ACCESS_ATOMIC;
    op->is_strong = true;
    op->returns = operands->returns;
    op->reduces = strncmp(decoder->instruction->opcode, "red", 3) == 0;
    op->a = operands->a;
    op->is_wide = operands->is_wide;
    op->offset = operands->offset;
    op->b = operands->b;
    op->c = operands->c;
    op->d = operands->d;
    op->bytes = (uint8_t)type->bytes;
    op->to_bytes = operands->to_bytes;
    op->count = 1;
    op->atomic = atomic_operation(atomics[k], type->name);
    if (op->atomic == NULL)
        decode_fail(decoder, "is not implemented");
    op->exchanges = strcmp(atomics[k], "exch") == 0;
    if (strchr(type->name, 'f') == NULL)
        op->commutes = atomic_commuting(k, type->name, type->bytes);
    decode_exact_atomic(decoder, op, type->name, k == 0);
    if (op->scope < SIMT_DEVICE)
        decoder->code->needs_order = true;
}

/* Decodes an atomic instruction of a vector: one atomic access for each element. All sources are
 * read before a result is written. */
static void decode_atomic_vector(struct decoder *decoder, const struct decoded_address *at,
                                 const struct type *type, size_t count, bool returns)
{
    const struct operand *to =
        returns ? decode_elements(decoder, decode_operand(decoder, 0), count) : NULL;
    const struct operand *from =
        decode_elements(decoder, decode_operand(decoder, 1u + returns), count);
    const struct type *bits = bits_type(decoder, type);
    const uint32_t *sources = decode_stored_parts(decoder, from, count, bits);
    uint32_t results[8];

    for (size_t k = 0; k < count; k++) {
        results[k] = decode_temporary(decoder, type->bytes);
        atomic_op(decoder,
                  &(struct op){.a = at->slot,
                               .is_wide = at->is_wide,
                               .offset = at->offset + (int64_t)(k * type->bytes),
                               .b = sources[k],
                               .c = decoder->zero,
                               .d = results[k],
                               .to_bytes = (uint8_t)(k == 0 ? count * type->bytes : type->bytes),
                               .returns = returns && to[k].kind != OPERAND_SINK},
                  type);
    }
    for (size_t k = 0; returns && k < count; k++) {
        uint32_t d = decode_result(decoder, &to[k], bits, false);
        struct op *op = decode_op(decoder, OP_COPY);
        op->a = results[k];
        op->d = d;
        op->bytes = (uint8_t)type->bytes;
        decode_finish(decoder);
    }
}

static void add_atomic(struct decoder *decoder, bool returns)
{
    const struct type *type = decode_type(decoder, decoder->instruction->match.type[0]);
    const struct operand *address = decode_operand(decoder, returns);
    bool swaps = decode_has(decoder, "cas");
    uint8_t count = vector_length(decoder);
    uint32_t b, c = decoder->zero, d, flip;
    struct decoded_address at;

    decode_count_with_policy(decoder, 2u + returns + swaps, 2u + returns + swaps);
    check_generic(decoder, address);
    at = decode_address_in(decoder, address, decode_space(decoder));
    if (count > 1) {
        decode_atomic_vector(decoder, &at, type, count, returns);
        return;
    }
    b = decode_value(decoder, decode_operand(decoder, 1u + returns), type, false, &flip);
    if (swaps)
        c = decode_value(decoder, decode_operand(decoder, 2u + returns), type, false, &flip);
    d = returns ? decode_result(decoder, decode_operand(decoder, 0), type, false)
                : decode_temporary(decoder, type->bytes);
    atomic_op(decoder,
              &(struct op){.a = at.slot,
                           .is_wide = at.is_wide,
                           .offset = at.offset,
                           .b = b,
                           .c = c,
                           .d = d,
                           .to_bytes = (uint8_t)type->bytes,
                           .returns = returns && decode_operand(decoder, 0)->kind != OPERAND_SINK},
              type);
    decode_finish(decoder);
}

void decode_atom(struct decoder *decoder)
{
    add_atomic(decoder, true);
}

void decode_red(struct decoder *decoder)
{
    add_atomic(decoder, false);
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

/* Decodes mov.v4.u32 {a, b, c, d}, %tid; */
void decode_mov_special(struct decoder *decoder)
{
    const struct operand *from = decode_operand(decoder, 1), *to;
    const struct type *type = decode_type(decoder, "u32");

    decode_count(decoder, 2, 2);
    to = decode_elements(decoder, decode_operand(decoder, 0), 4);
    if (from->kind != OPERAND_SPECIAL)
        decode_fail(decoder, "takes %%tid, %%ntid, %%ctaid or %%nctaid");
    for (size_t k = 0; k < 4; k++) {
        struct operand part = *from;
        char name[32];
        uint32_t a, d, flip;
        struct op *op;
        snprintf(name, sizeof name, "%.20s.%c", from->name, "xyzw"[k]);
        part.name = name;
        a = k == 3 ? decoder->zero : decode_value(decoder, &part, type, false, &flip);
        d = decode_result(decoder, &to[k], type, false);
        op = decode_op(decoder, OP_COPY);
        op->a = a;
        op->d = d;
        op->bytes = 4;
    }
}

/* Decodes createpolicy. The simulator has no caches, so that all policies are 0. */
void decode_policy(struct decoder *decoder)
{
    uint32_t d;
    struct op *op;

    if (decode_has(decoder, "range"))
        decode_count(decoder, 4, 4);
    else
        decode_count(decoder, decode_has(decoder, "cvt") ? 2 : 1, 2);
    d = decode_result(decoder, decode_operand(decoder, 0), decode_type(decoder, "b64"), false);
    op = decode_op(decoder, OP_COPY);
    op->a = decoder->zero;
    op->d = d;
    op->bytes = 8;
}

void decode_mov(struct decoder *decoder)
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

static void convert_address(struct decoder *decoder, enum op_kind kind)
{
    const struct type *type = decode_type(decoder, "u64");
    uint32_t a, d;
    struct op *op;

    decode_count(decoder, 2, 2);
    a = decode_plain_value(decoder, 1, type->name);
    d = decode_result(decoder, decode_operand(decoder, 0), type, false);
    op = decode_op(decoder, decode_space(decoder) == SPACE_SHARED ? kind : OP_COPY);
    op->a = a;
    op->d = d;
    op->bytes = 8;
    op->space = (uint8_t)decode_space(decoder);
    decode_finish(decoder);
}

void decode_cvta(struct decoder *decoder)
{
    convert_address(decoder, OP_TO_GENERIC);
}

void decode_cvta_to(struct decoder *decoder)
{
    convert_address(decoder, OP_TO_SPACE);
}

void decode_isspacep(struct decoder *decoder)
{
    enum space space = decode_space(decoder);
    uint32_t a, d;
    struct op *op;

    decode_count(decoder, 2, 2);
    a = decode_plain_value(decoder, 1, "u64");
    d = decode_result(decoder, decode_operand(decoder, 0), decode_type(decoder, "pred"), false);
    op = decode_op(decoder, OP_IS_SPACE);
    op->a = a;
    op->d = d;
    op->space = (uint8_t)space;
    op->in_cluster = decode_has(decoder, "shared::cluster");
}

/* Decodes fence and membar. Those between proxies may also be fences between threads. The fence of
 * the proxy of tensor maps does only the latter, because a kernel's use of a tensor map that it has
 * changed is not checked. Virtual aliases do not exist here. */
void decode_fence(struct decoder *decoder)
{
    static const struct {
        const char *qualifier;
        uint8_t covered;
    } proxies[] = {
        {"shared::cta", SIMT_COVERS_SHARED}, {"shared::cluster", SIMT_COVERS_SHARED},
        {"global", SIMT_COVERS_GLOBAL},      {"async::generic", SIMT_COVERS_SHARED},
        {"mbarrier_init", SIMT_COVERS_INIT}, {"async", SIMT_COVERS_GLOBAL | SIMT_COVERS_SHARED},
    };
    bool has_range = decode_has(decoder, "tensormap::generic") && decode_has(decoder, "acquire");
    struct op *fence;
    size_t p = 0;

    decode_count(decoder, has_range ? 2 : 0, has_range ? 2 : 0);
    while (p < sizeof proxies / sizeof *proxies && !decode_has(decoder, proxies[p].qualifier))
        p++;
    if (p < sizeof proxies / sizeof *proxies)
        decode_op(decoder, OP_PROXY_FENCE)->what = proxies[p].covered;
    if ((decode_which(decoder, scopes) < 0 && !decode_has(decoder, "gl")) ||
        decode_has(decoder, "mbarrier_init"))
        return;
    fence = decode_op(decoder, OP_FENCE);
    fence->scope = scope_of(decoder);
    fence->order = order_of(decoder);
    if (fence->order == SIMT_RELAXED)
        fence->order = SIMT_ACQ_REL;
    fence->is_strong =
        decode_has(decoder, "sc") || strncmp(decoder->instruction->opcode, "membar", 6) == 0;
}
