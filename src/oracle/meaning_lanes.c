/* SPDX-License-Identifier: MIT
 *
 * Exchanges between the lanes of a warp.
 */
#include "cuda_meanings.h"

#include "program.h"

enum { WARP = 32 };

static int first_of_warp(int me)
{
    return me - me % WARP;
}

/* Returns the lanes of the warp of `me` for which `is` returns true. */
static uint32_t votes(bool (*is)(const struct threads *of, int i, int me), const struct threads *of,
                      int me)
{
    uint32_t mask = 0;

    for (int k = 0; k < WARP; k++)
        mask |= (uint32_t)is(of, first_of_warp(me) + k, me) << k;
    return mask;
}

/* ---- Shuffles ---- */

uint64_t mean_shuffle_of_struct(const struct threads *of, int me)
{
    uint64_t mine = of->b[me], other = of->b[me ^ 9];
    int32_t difference = (int32_t)(other & 0xffff) - (int32_t)(mine & 0xffff);

    return (uint32_t)(of->a[me ^ 9] * 3 + (uint64_t)difference * 5 +
                      (uint64_t)(int16_t)(other >> 16));
}

uint64_t mean_shuffle_of_64_bits(const struct threads *of, int me)
{
    int lane = me % WARP, below = lane < 16 ? me : me - 16;

    return of->a[first_of_warp(me) + (lane + 5) % WARP] - of->a[below];
}

/* PTX ISA, shfl: a lane keeps its own value if its source is outside its segment. For bfly, only a
 * source above the segment is outside. */
uint64_t mean_shuffle_in_segments(const struct threads *of, int me)
{
    uint64_t down = of->a[me % 8 + 3 < 8 ? me + 3 : me], up = of->a[me % 16 < 5 ? me : me - 5],
             from = of->a[me - me % 4 + (int)(of->b[me] % 4)],
             across = of->a[me % 8 < 4 ? me : me ^ 6];

    return ((down ^ from) << 32 | up) + across;
}

uint64_t mean_shuffle_from_computed(const struct threads *of, int me)
{
    int first = first_of_warp(me), third = first + (int)(of->b[me] / 1024 % 32),
        second = first + (int)(of->b[third] / 32 % 32), source = first + (int)(of->b[second] % 32);

    return (uint32_t)(of->a[source] + 0 + 1 + 2);
}

uint64_t mean_butterfly_most(const struct threads *of, int me)
{
    int32_t most = INT32_MIN;

    for (int i = first_of_warp(me); i < first_of_warp(me) + WARP; i++)
        most = (int32_t)of->a[i] > most ? (int32_t)of->a[i] : most;
    return (uint32_t)most;
}

uint64_t mean_warp_scan(const struct threads *of, int me)
{
    uint64_t sum = 0;

    for (int i = first_of_warp(me); i <= me; i++)
        sum += of->a[i];
    return (uint32_t)sum;
}

/* ---- Votes and reductions ---- */

uint64_t mean_reductions(const struct threads *of, int me)
{
    uint64_t sum = 0, most = 0, either = 0;
    int64_t least = INT32_MAX;

    for (int i = first_of_warp(me); i < first_of_warp(me) + WARP; i++) {
        sum += of->a[i];
        least = (int32_t)of->b[i] < least ? (int32_t)of->b[i] : least;
        most = of->b[i] > most ? of->b[i] : most;
        either ^= of->a[i] ^ of->b[i];
    }
    return (sum << 32 | (uint32_t)least) + most * 3 + either;
}

static bool same_digit(const struct threads *of, int i, int me)
{
    return of->a[i] % 8 == of->a[me] % 8;
}

static bool same_as_limit(const struct threads *of, int i, int me)
{
    return (of->b[i] == INT32_MAX) == (of->b[me] == INT32_MAX);
}

uint64_t mean_matches(const struct threads *of, int me)
{
    uint32_t any = votes(same_digit, of, me);
    bool same = votes(same_as_limit, of, me) == UINT32_MAX;

    return any ^ (same ? UINT32_MAX : 0);
}

static bool same_pair(const struct threads *of, int i, int me)
{
    return of->a[i] % 4 == of->a[me] % 4 && of->b[i] % 2 == of->b[me] % 2;
}

uint64_t mean_matches_of_64_bits(const struct threads *of, int me)
{
    return votes(same_pair, of, me);
}

static bool on_same_side(const struct threads *of, int i, int me)
{
    return of->a[i] >> 31 == of->a[me] >> 31;
}

static bool says_yes(const struct threads *of, int i, int me)
{
    (void)me;
    return of->a[i] >> 31 != 0 ? of->b[i] % 2 == 1 : (int32_t)of->b[i] > 0;
}

uint64_t mean_ballots_in_branches(const struct threads *of, int me)
{
    uint32_t side = votes(on_same_side, of, me), yes = votes(says_yes, of, me) & side,
             result = of->a[me] >> 31 != 0 ? 3 * yes : side & ~yes, below = 0;

    for (int k = 0; k < me % WARP; k++)
        below += result >> k & 1;
    return (uint32_t)(result + below);
}

uint64_t mean_loop_until_vote(const struct threads *of, int me)
{
    uint32_t a[WARP], more = 0, steps = 0;
    bool goes_on = true;

    for (int k = 0; k < WARP; k++)
        a[k] = (uint32_t)of->a[first_of_warp(me) + k];
    while (goes_on && steps < 12) {
        uint32_t multiples = 0;
        for (int k = 0; k < WARP; k++) {
            a[k] = a[k] * 5 + 1;
            multiples += a[k] % 61 == 0;
            goes_on = goes_on && a[k] % 512 != (of->b[first_of_warp(me) + k] + more) % 512;
        }
        more += multiples == 0;
        steps += goes_on;
    }
    return (uint32_t)(a[me % WARP] + steps);
}

static bool stays_longer(const struct threads *of, int i, int me)
{
    return of->a[i] % 8 > of->a[me] % 8;
}

/* The number of a lane is a % 8. A lane takes part in rounds 1 to its number, with all lanes whose
 * numbers are at least the round. The round after is its first absence. */
uint64_t mean_loop_with_lanes_leaving(const struct threads *of, int me)
{
    uint32_t sum = 0;

    for (uint32_t round = 1; round <= of->a[me] % 8; round++) {
        uint32_t there = 0;
        for (int k = 0; k < WARP; k++)
            there += of->a[first_of_warp(me) + k] % 8 >= round;
        sum = sum * 3 + there;
    }
    return (uint32_t)(sum + votes(stays_longer, of, me));
}

/* ---- Votes of the block ---- */

uint64_t mean_block_votes(const struct threads *of, int me)
{
    uint32_t negative = 0, some = 0, all = 1;

    (void)me; /* the same for all threads */
    for (int i = 0; i < PROGRAM_BLOCK; i++) {
        negative += (uint32_t)(of->a[i] >> 31);
        some |= (of->a[i] & of->b[i]) == INT32_MAX;
        all &= (of->a[i] | of->b[i]) != 0;
    }
    return negative * 4 + some * 2 + all;
}

/* ---- Packed bytes, and products of matrices ---- */

uint32_t mean_packed_bytes(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t products = c, distances = c;

    for (int shift = 0; shift < 32; shift += 8) {
        int x = (int)(a >> shift & 0xff), y = (int)(b >> shift & 0xff);
        products += (uint32_t)((int8_t)x * (int8_t)y);
        distances += (uint32_t)(x < y ? y - x : x - y);
    }
    return products ^ distances * 3;
}

/* Sets what a thread holds of both matrices. */
typedef void fragments(const struct threads *of, int i, uint32_t x[4], uint32_t y[2]);

/* PTX ISA, mma.m16n8k32 of bytes: returns element r of the product that a thread holds. */
static uint32_t product_of_bytes(fragments *make, const struct threads *of, int me, int r)
{
    int first = first_of_warp(me), group = me % WARP / 4, column = me % 4 * 2 + r % 2;
    uint32_t sum = 0;

    for (int k = 0; k < 32; k++) {
        int from = k % 16 / 4, shift = k % 4 * 8;
        uint32_t x[4], y[2], unused[4];
        make(of, first + 4 * group + from, x, y);
        uint32_t left = x[r / 2 + k / 16 * 2] >> shift;
        make(of, first + 4 * column + from, unused, y);
        sum += (uint32_t)((int8_t)left * (int8_t)(y[k / 16] >> shift));
    }
    return sum;
}

static void plain_fragments(const struct threads *of, int i, uint32_t x[4], uint32_t y[2])
{
    uint32_t a = (uint32_t)of->a[i], b = (uint32_t)of->b[i];

    x[0] = a;
    x[1] = b;
    x[2] = a + b;
    x[3] = a ^ b;
    y[0] = a - b;
    y[1] = a & b;
}

static uint32_t sum_of_products(fragments *make, const struct threads *of, int me)
{
    uint32_t result = 0;

    for (int r = 0; r < 4; r++)
        result += product_of_bytes(make, of, me, r) * (uint32_t)(2 * r + 1);
    return result;
}

uint64_t mean_matrix_of_bytes(const struct threads *of, int me)
{
    return sum_of_products(plain_fragments, of, me);
}

static void fragments_of_one(const struct threads *of, int i, uint32_t x[4], uint32_t y[2])
{
    uint32_t a = (uint32_t)of->a[i];

    x[0] = x[3] = y[1] = a;
    x[1] = y[0] = ~a;
    x[2] = a << 7 | a >> 25;
}

uint64_t mean_product_b32(const struct threads *of, int me)
{
    return sum_of_products(fragments_of_one, of, me);
}

/* PTX ISA, ldmatrix with .trans: a lane gets two halves of a column. */
uint64_t mean_transposed_b32(const struct threads *of, int me)
{
    int row = me % 4 * 2, column = me % WARP / 4, first = first_of_warp(me) + column / 2;
    uint32_t one = (uint32_t)of->a[first + 4 * row] >> column % 2 * 16,
             other = (uint32_t)of->a[first + 4 * (row + 1)] >> column % 2 * 16;

    return (one & 0xffff) | other << 16;
}

static void shuffled_fragments(const struct threads *of, int i, uint32_t x[4], uint32_t y[2])
{
    uint32_t a = (uint32_t)of->a[i], b = (uint32_t)of->b[i], other = (uint32_t)of->a[i ^ 5];

    x[0] = other;
    x[1] = a;
    x[2] = mean_packed_bytes(a, b, other);
    x[3] = b;
    y[0] = b ^ other;
    y[1] = other + b;
}

uint64_t mean_matrix_after_shuffles(const struct threads *of, int me)
{
    int from = first_of_warp(me) + (int)(of->b[me] & 31);

    return product_of_bytes(shuffled_fragments, of, me, 0) ^
           product_of_bytes(shuffled_fragments, of, from, 3);
}
