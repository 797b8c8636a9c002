/* SPDX-License-Identifier: MIT
 *
 * Instructions for the blocks of a cluster.
 */
#include "decoder.h"

#include "instructions.h"
#include "outcome.h"

#include <string.h>

/* Decodes mapa d, a, rank; and getctarank d, a; A generic address has 64 bits. */
static void add_rank(struct decoder *decoder, bool maps)
{
    const char *name = decoder->instruction->match.type[0];
    const struct type *type = decode_type(decoder, name);
    bool is_shared = decode_has(decoder, "shared::cluster");
    uint32_t a, b = decoder->zero, d;
    struct op *op;

    decode_count(decoder, 2u + maps, 2u + maps);
    a = decode_plain_value(decoder, 1, name);
    if (maps)
        b = decode_plain_value(decoder, 2, "u32");
    d = decode_result(decoder, decode_operand(decoder, 0),
                      maps ? type : decode_type(decoder, "u32"), false);
    op = decode_op(decoder, maps ? OP_MAP_ADDRESS : OP_GET_RANK);
    op->a = a;
    op->b = b;
    op->d = d;
    op->bytes = (uint8_t)type->bytes;
    op->space = is_shared ? SPACE_SHARED : SPACE_GENERIC;
    decoder->code->needs_order = true;
    decode_finish(decoder);
}

void decode_mapa(struct decoder *decoder)
{
    add_rank(decoder, true);
}

void decode_getctarank(struct decoder *decoder)
{
    add_rank(decoder, false);
}

void decode_cluster_barrier(struct decoder *decoder)
{
    struct op *op;

    decode_count(decoder, 0, 0);
    op = decode_op(decoder, OP_CLUSTER_BARRIER);
    op->arrives = decode_has(decoder, "arrive");
    op->is_aligned = decode_has(decoder, "aligned");
    op->order = decode_has(decoder, "relaxed") ? SIMT_RELAXED
                : op->arrives                  ? SIMT_RELEASE
                                               : SIMT_ACQUIRE;
    op->scope = SIMT_CLUSTER;
    decoder->code->needs_order = true;
}

static struct bulk_address address_of(struct decoder *decoder, size_t k, enum space space)
{
    struct decoded_address at = decode_address_in(decoder, decode_operand(decoder, k), space);

    return (struct bulk_address){at.slot, at.is_wide, (uint8_t)space, at.offset};
}

/* Decodes st.async [to], values, [mbarrier]; and red.async. The values may be a vector. */
void decode_store_async(struct decoder *decoder)
{
    static const char *const reductions[] = {"add", "min", "max", "inc", "dec",
                                             "and", "or",  "xor", NULL};
    static const char *const lengths[] = {"v2", "v4", NULL};
    const struct operand *from = decode_operand(decoder, 1);
    const char *type = decoder->instruction->match.type[0];
    enum space space = decode_has(decoder, "shared::cluster") ? SPACE_SHARED : SPACE_GENERIC;
    int reduction = decode_which(decoder, reductions), length = decode_which(decoder, lengths);
    uint32_t count = length < 0 ? 1 : 2u << length, bytes = decode_type(decoder, type)->bytes, flip;
    uint32_t *parts = arena_take(decoder->module->arena, count, sizeof *parts);
    struct bulk_code *bulk = arena_take(decoder->module->arena, 1, sizeof *bulk);
    struct op *op;

    decode_count(decoder, 3, 3);
    if (count * bytes > 16)
        decode_fail(decoder, "accesses more than 16 bytes");
    if ((from->kind == OPERAND_VECTOR ? from->part_count : 1) != count)
        decode_fail(decoder, "takes %u registers in braces", count);
    for (uint32_t k = 0; k < count; k++)
        parts[k] = decode_value(decoder, from->kind == OPERAND_VECTOR ? &from->parts[k] : from,
                                decode_type(decoder, bytes == 8 ? "b64" : "b32"), false, &flip);
    bulk->opcode = decoder->instruction->opcode;
    bulk->kind = BULK_REGISTERS;
    bulk->loads = true;
    bulk->reduction = reduction < 0 ? NULL : reductions[reduction];
    bulk->type = strcmp(type, "s64") == 0 ? "u64" : type;
    bulk->to = address_of(decoder, 0, space);
    bulk->barrier = address_of(decoder, 2, space);
    op = decode_op(decoder, OP_BULK_COPY);
    op->bulk = bulk;
    op->parts = parts;
    op->count = (uint8_t)count;
    op->bytes = (uint8_t)bytes;
    op->access = ACCESS_WRITE;
    op->space = SPACE_SHARED;
    op->in_cluster = true;
    op->scope = SIMT_CLUSTER;
    op->order = SIMT_RELAXED;
    decoder->code->needs_order = true;
}
