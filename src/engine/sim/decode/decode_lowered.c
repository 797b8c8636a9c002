/* SPDX-License-Identifier: MIT
 *
 * Decodes the instructions of lowered_forms.c.
 */
#include "decoder.h"

/* lop3.or.b32 d|p, a, b, c, table, q: p = (d != 0) or q. d may be _. */
void decode_lop3(struct decoder *decoder)
{
    const struct type *word = decode_type(decoder, "b32"), *pred = decode_type(decoder, "pred");
    uint32_t sources[4], d, p, q, flip;
    const struct operand *second;
    struct operand first;
    struct op *op;

    decode_count(decoder, 6, 6);
    for (size_t k = 0; k < 4; k++)
        sources[k] = decode_plain_value(decoder, k + 1, "b32");
    q = decode_value(decoder, decode_operand(decoder, 5), pred, false, &flip);
    decode_pair(decoder, &first, &second);
    if (second == NULL)
        decode_fail(decoder, "takes a register and a predicate as its result, d|p");
    d = decode_result(decoder, &first, word, false);
    p = decode_result(decoder, second, pred, false);
    op = decode_compute(decoder, "lop3.b32", d, sources[0], sources[1], sources[2]);
    op->e = sources[3];
    op = decode_compute(decoder, decode_has(decoder, "or") ? "setp.ne.or.b32" : "setp.ne.and.b32",
                        p, d, decoder->zero, q);
    op->flip_c = flip;
}
