/* SPDX-License-Identifier: MIT
 *
 * Asynchronous copies and mbarrier objects.
 */
#include "decoder.h"

#include "instructions.h"

#include <stdlib.h>
#include <string.h>

/* ---- cp.async of a thread ---- */

/* Returns the slot of the number of bytes that cp.async reads. A predicate means none. */
static uint32_t read_size(struct decoder *decoder, const struct operand *operand)
{
    uint32_t flip, ignore, size;
    struct op *op;

    if (operand->kind != OPERAND_REGISTER || operand->reg->type->kind != 'p')
        return decode_plain_value(decoder, 3, "u32");
    ignore = decode_value(decoder, operand, decode_type(decoder, "pred"), false, &flip);
    size = decode_temporary(decoder, 4);
    op = decode_compute(decoder, "selp.b32", size, decoder->zero,
                        decode_constant(decoder, UINT32_MAX, 4), ignore);
    op->flip_c = flip;
    return size;
}

/* Decodes cp.async [to], [from], bytes[, read or ignore][, policy]; */
void decode_cp_async(struct decoder *decoder)
{
    const struct operand *bytes = decode_operand(decoder, 2);
    struct decoded_address to, from;
    uint32_t c = decode_constant(decoder, UINT32_MAX, 4);
    struct op *op;

    decode_count_with_policy(decoder, 3, 4);
    if (bytes->kind != OPERAND_INTEGER ||
        (bytes->value != 16 && bytes->value != 8 && bytes->value != 4) ||
        (decode_has(decoder, "cg") && bytes->value != 16))
        decode_fail(decoder, "must copy 4, 8 or 16 bytes, or 16 with .cg");
    to = decode_address_in(decoder, decode_operand(decoder, 0), SPACE_SHARED);
    from = decode_address_in(decoder, decode_operand(decoder, 1), SPACE_GLOBAL);
    if (decoder->instruction->operand_count > (decode_has(decoder, "L2::cache_hint") ? 4 : 3))
        c = read_size(decoder, decode_operand(decoder, 3));
    op = decode_op(decoder, OP_ASYNC_COPY);
    op->a = to.slot;
    op->is_wide = to.is_wide;
    op->offset = to.offset;
    op->b = from.slot;
    op->truth = (uint32_t)from.offset;
    op->c = c;
    op->bytes = (uint8_t)bytes->value;
    op->count = 1;
}

void decode_cp_commit(struct decoder *decoder)
{
    decode_count(decoder, 0, 0);
    decode_op(decoder, OP_ASYNC_COMMIT);
}

void decode_cp_wait(struct decoder *decoder)
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

/* ---- mbarrier ---- */

static enum mbarrier mbarrier_of(const struct decoder *decoder)
{
    static const struct {
        const char *part;
        enum mbarrier what;
    } parts[] = {
        {"noinc", MBARRIER_COPIES_NO_INC}, {"async", MBARRIER_COPIES},
        {"init", MBARRIER_INIT},           {"inval", MBARRIER_INVALIDATE},
        {"arrive_drop", MBARRIER_DROP},    {"arrive", MBARRIER_ARRIVE},
        {"expect_tx", MBARRIER_EXPECT},    {"complete_tx", MBARRIER_COMPLETE},
        {"parity", MBARRIER_PARITY},       {"pending_count", MBARRIER_PENDING},
    };

    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (decode_has(decoder, parts[k].part))
            return parts[k].what;
    return MBARRIER_TEST;
}

/* The spaces of mbarrier objects: .shared::cluster addresses are those of .shared. */
static enum space shared_or_generic(const struct decoder *decoder)
{
    return decode_has(decoder, "shared::cluster") ? SPACE_SHARED : decode_space(decoder);
}

static enum simt_order order_of(const struct decoder *decoder, enum mbarrier what)
{
    if (decode_has(decoder, "relaxed"))
        return SIMT_RELAXED;
    return what == MBARRIER_TEST || what == MBARRIER_PARITY ? SIMT_ACQUIRE : SIMT_RELEASE;
}

/* Sets b, the count or state of the operation, and c, its bytes. */
static void decode_mbarrier_values(struct decoder *decoder, enum mbarrier what, uint32_t *b,
                                   uint32_t *c)
{
    bool expects = decode_has(decoder, "expect_tx");

    switch (what) {
    case MBARRIER_INIT:
        decode_count(decoder, 2, 2);
        *b = decode_plain_value(decoder, 1, "u32");
        return;
    case MBARRIER_EXPECT:
    case MBARRIER_COMPLETE:
        decode_count(decoder, 2, 2);
        *c = decode_plain_value(decoder, 1, "u32");
        return;
    case MBARRIER_ARRIVE:
    case MBARRIER_DROP:
        decode_count(decoder, expects ? 3 : 2, 3);
        if (expects)
            *c = decode_plain_value(decoder, 2, "u32");
        else if (decoder->instruction->operand_count == 3)
            *b = decode_plain_value(decoder, 2, "u32");
        return;
    case MBARRIER_TEST:
    case MBARRIER_PARITY:
        decode_count(decoder, 3, decode_has(decoder, "try_wait") ? 4 : 3);
        *b = decode_plain_value(decoder, 2, what == MBARRIER_PARITY ? "u32" : "b64");
        return;
    case MBARRIER_PENDING:
        decode_count(decoder, 2, 2);
        *b = decode_plain_value(decoder, 1, "b64");
        return;
    default:
        decode_count(decoder, 1, 1);
    }
}

void decode_mbarrier(struct decoder *decoder)
{
    enum mbarrier what = mbarrier_of(decoder);
    bool arrives = what == MBARRIER_ARRIVE || what == MBARRIER_DROP;
    bool has_result =
        arrives || what == MBARRIER_TEST || what == MBARRIER_PARITY || what == MBARRIER_PENDING;
    uint32_t b = decode_constant(decoder, 1, 4), c = decoder->zero, d = 0;
    struct decoded_address at = {0};
    struct op *op;

    decoder->code->needs_order = true;
    if (what != MBARRIER_PENDING && decode_has(decoder, "shared::cluster"))
        at = decode_address_in(decoder, decode_operand(decoder, has_result), SPACE_SHARED);
    else if (what != MBARRIER_PENDING)
        at = decode_address(decoder, decode_operand(decoder, has_result));
    decode_mbarrier_values(decoder, what, &b, &c);
    if (has_result)
        d = decode_result(decoder, decode_operand(decoder, 0),
                          decode_type(decoder, arrives                    ? "b64"
                                               : what == MBARRIER_PENDING ? "u32"
                                                                          : "pred"),
                          false);
    op = decode_op(decoder, OP_MBARRIER);
    op->what = (uint8_t)what;
    op->space = (uint8_t)shared_or_generic(decoder);
    op->a = at.slot;
    op->is_wide = at.is_wide;
    op->offset = at.offset;
    op->b = b;
    op->c = c;
    op->d = d;
    op->bytes = 8;
    op->count = 1;
    /* CUTLASS uses mbarrier objects of other blocks without a scope. */
    op->scope = decode_has(decoder, "cta") ? SIMT_BLOCK : SIMT_CLUSTER;
    op->order = (uint8_t)order_of(decoder, what);
    op->arrives = decode_has(decoder, "noComplete");
    op->in_cluster = decode_has(decoder, "shared::cluster");
}

/* ---- Bulk copies ---- */

static struct bulk_address bulk_address(struct decoder *decoder, size_t k, enum space space)
{
    struct decoded_address at = decode_address_in(decoder, decode_operand(decoder, k), space);

    return (struct bulk_address){at.slot, at.is_wide, (uint8_t)space, at.offset};
}

/* Decodes [map, {coordinates}]. */
static void decode_tensor(struct decoder *decoder, struct bulk_code *bulk, size_t k)
{
    struct operand map = *decode_operand(decoder, k);
    const struct operand *at = map.parts;
    struct decoded_address address;

    bulk->dimensions = (uint32_t)strtoul(strstr(decoder->instruction->opcode, "d.") - 1, NULL, 10);
    if (map.kind != OPERAND_ADDRESS || map.part_count != 1 || at->kind != OPERAND_VECTOR ||
        at->part_count != bulk->dimensions)
        decode_fail(decoder, "takes [map, {coordinates}] with %u coordinates", bulk->dimensions);
    for (uint32_t d = 0; d < bulk->dimensions; d++) {
        uint32_t flip;
        bulk->at[d] =
            decode_value(decoder, &at->parts[d], decode_type(decoder, "s32"), false, &flip);
    }
    map.part_count = 0;
    address = decode_address_in(decoder, &map, SPACE_GENERIC);
    bulk->map = (struct bulk_address){address.slot, address.is_wide, SPACE_GENERIC, address.offset};
}

/* Decodes the offsets of im2col, {x, y}. Returns the number of the next operand. */
static size_t decode_offsets(struct decoder *decoder, struct bulk_code *bulk, size_t k)
{
    const struct operand *offsets;

    bulk->is_im2col = decode_has(decoder, "im2col") || decode_has(decoder, "im2col_no_offs");
    if (!decode_has(decoder, "im2col"))
        return k;
    offsets = decode_operand(decoder, k);
    bulk->offset_count = bulk->dimensions - 2;
    if (offsets->kind != OPERAND_VECTOR || offsets->part_count != bulk->offset_count)
        decode_fail(decoder, "takes %u offsets in braces", bulk->offset_count);
    for (uint32_t d = 0; d < bulk->offset_count; d++) {
        uint32_t flip;
        bulk->offsets[d] =
            decode_value(decoder, &offsets->parts[d], decode_type(decoder, "u16"), false, &flip);
    }
    return k + 1;
}

/* Decodes the mask of a multicast copy and a cache policy, from operand k on. */
static void decode_bulk_end(struct decoder *decoder, struct bulk_code *bulk, size_t k)
{
    bool has_hint = decode_has(decoder, "L2::cache_hint");

    if (decode_has(decoder, "multicast::cluster"))
        bulk->mask = decode_plain_value(decoder, k++, "u16");
    if (has_hint)
        decode_plain_value(decoder, k, "b64");
    decode_count(decoder, k + has_hint, k + has_hint);
}

/* Decodes the operands in their order: [to], [from], size or tensor, [barrier], and the rest. */
static void decode_bulk_operands(struct decoder *decoder, struct bulk_code *bulk)
{
    size_t next = 0;

    if (bulk->loads)
        bulk->to = bulk_address(decoder, next++, SPACE_SHARED);
    else if (!bulk->is_prefetch && bulk->kind == BULK_BYTES)
        bulk->to = bulk_address(decoder, next++, SPACE_GLOBAL);
    if (bulk->kind == BULK_TENSOR) {
        decode_tensor(decoder, bulk, next++);
        if (!bulk->loads && !bulk->is_prefetch)
            bulk->from = bulk_address(decoder, next++, SPACE_SHARED);
    } else {
        bulk->from = bulk_address(decoder, next++, bulk->from_shared ? SPACE_SHARED : SPACE_GLOBAL);
        bulk->size = decode_plain_value(decoder, next++, "u32");
    }
    if (bulk->loads)
        bulk->barrier = bulk_address(decoder, next++, SPACE_SHARED);
    if (bulk->kind == BULK_TENSOR)
        next = decode_offsets(decoder, bulk, next);
    decode_bulk_end(decoder, bulk, next);
}

void decode_bulk(struct decoder *decoder)
{
    static const char *const reductions[] = {"add", "min", "max", "inc", "dec",
                                             "and", "or",  "xor", NULL};
    struct bulk_code *bulk = arena_take(decoder->module->arena, 1, sizeof *bulk);
    const char *opcode = decoder->instruction->opcode;
    int reduction = decode_which(decoder, reductions);
    struct op *op;

    bulk->opcode = opcode;
    bulk->kind = decode_has(decoder, "tensor") ? BULK_TENSOR : BULK_BYTES;
    bulk->is_prefetch = decode_has(decoder, "prefetch");
    bulk->loads = decode_has(decoder, "mbarrier::complete_tx::bytes");
    bulk->from_shared =
        strstr(opcode, ".shared::cta") != NULL && strstr(opcode, ".shared::cta.global") == NULL;
    if (reduction >= 0) {
        bulk->reduction = reductions[reduction];
        bulk->type = decoder->instruction->match.type[0];
    }
    decode_bulk_operands(decoder, bulk);
    op = decode_op(decoder, OP_BULK_COPY);
    op->bulk = bulk;
    op->order = SIMT_RELAXED;
    decoder->code->needs_order = true;
}

void decode_bulk_group(struct decoder *decoder)
{
    struct bulk_code *group = arena_take(decoder->module->arena, 1, sizeof *group);
    bool waits = decode_has(decoder, "wait_group");
    uint32_t a = decoder->zero;
    struct op *op;

    decode_count(decoder, waits, waits);
    if (waits)
        a = decode_plain_value(decoder, 0, "u32");
    group->kind = BULK_GROUP;
    group->opcode = decoder->instruction->opcode;
    group->is_prefetch = false;
    op = decode_op(decoder, waits ? OP_ASYNC_WAIT : OP_ASYNC_COMMIT);
    op->a = a;
    op->bulk = group;
    op->has_count = waits;
    op->returns = decode_has(decoder, "read");
}
