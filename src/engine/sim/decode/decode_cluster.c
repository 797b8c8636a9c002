/* SPDX-License-Identifier: MIT
 *
 * Instructions for the blocks of a cluster.
 */
#include "decoder.h"

#include "instructions.h"

#include <string.h>

/* Decodes mapa d, a, rank; and getctarank d, a; A generic address has 64 bits. */
static void decode_rank(struct decoder *decoder, bool maps)
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

static void decode_cluster_barrier(struct decoder *decoder)
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

bool decode_cluster(struct decoder *decoder, const char *meaning)
{
    if (strcmp(meaning, "@mapa") == 0)
        decode_rank(decoder, true);
    else if (strcmp(meaning, "@getctarank") == 0)
        decode_rank(decoder, false);
    else if (strcmp(meaning, "@cluster_barrier") == 0)
        decode_cluster_barrier(decoder);
    else
        return false;
    return true;
}
