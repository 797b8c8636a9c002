/* SPDX-License-Identifier: MIT
 *
 * Switches, loops, quotients and carries.
 */
#include "cuda_meanings.h"

#include <stddef.h>

#define S32(x) ((int32_t)(x))
#define S64(x) ((int64_t)(x))

/* ---- Switches and tables ---- */

uint32_t mean_switch_dense(uint32_t a, uint32_t b)
{
    const uint32_t results[8] = {b + 1, b ^ 0x55, b * 8, UINT32_MAX - b,
                                 b * 5, 0 - b,    b / 4, b | 0x80};

    return results[a & 7];
}

uint32_t mean_switch_fallthrough(uint32_t a, uint32_t b)
{
    const uint32_t from_2 = b ^ 0x10, from_1 = b * 3 ^ 0x10, from_0 = (b + 1) * 3 ^ 0x10;
    const uint32_t results[7] = {from_0, from_1, from_2, 0x1234, 6 - b, UINT32_MAX - b, 0x1234};

    return results[a % 7];
}

uint32_t mean_switch_sparse(uint32_t a)
{
    static const uint32_t labels[] = {UINT32_C(0x80000000),
                                      INT32_MAX,
                                      UINT32_C(0xfffffff8),
                                      UINT32_C(1) << 30,
                                      0x3f800000,
                                      65536,
                                      0};
    uint32_t k = 0;

    while (k < sizeof labels / sizeof *labels && labels[k] != a)
        k++;
    return 11 + k;
}

uint32_t mean_switch_around_zero(uint32_t a)
{
    static const uint32_t results[] = {1, 20, 4000, 50000, 600000, 20};

    return a + 3 < sizeof results / sizeof *results ? results[a + 3] : 300;
}

uint32_t mean_switch_of_64_bits(uint32_t a, uint32_t b)
{
    static const uint8_t of_power[64] = {[0] = 2, [31] = 4, [32] = 6, [63] = 8},
                         of_one_less[64] = {[0] = 1, [1] = 2, [31] = 3, [32] = 5, [63] = 7};
    uint32_t found = (b & 1) != 0 ? of_one_less[a & 63] : of_power[a & 63];

    return found != 0 ? found : 9;
}

uint32_t mean_switch_in_loop(uint32_t a, uint32_t b)
{
    uint32_t k = 0;

    while (k < 16) {
        uint32_t digit = a / (UINT32_C(1) << 2 * k) % 4;
        if (digit == 1)
            b += k;
        if (digit == 2)
            b ^= b * 2;
        if (digit == 3)
            b = 3 * b + 1;
        k += digit == 3 ? 1 + b % 2 : 1;
    }
    return b;
}

uint32_t mean_table_local(uint32_t a, uint32_t b)
{
    static const uint32_t table[8] = {7, UINT32_MAX,           INT32_MAX, 0, UINT32_C(0x80000000),
                                      3, UINT32_C(0xffffff9c), 0xffff};

    return table[a % 8] ^ table[b / 0x20000000];
}

uint32_t mean_table_constant(uint32_t a, uint32_t b)
{
    uint32_t low = a % 16, high = (a + b) / 0x10000000;

    return low * low * 1000 + high * high;
}

uint32_t mean_table_of_bytes(uint32_t a)
{
    int32_t sum = 0;

    for (int k = 1; k <= 8; k++, a /= 16)
        sum += k * (17 * (int32_t)(a % 16) - 128);
    return (uint32_t)sum;
}

/* ---- Loops ---- */

uint32_t mean_loop_to_int_max(uint32_t a, uint32_t b)
{
    for (int64_t k = INT32_MAX - (int64_t)(b % 8); k <= INT32_MAX; k++)
        a = 3 * (a ^ (uint32_t)k) + 1;
    return a;
}

uint32_t mean_loop_until_wrapped(uint32_t a, uint32_t b)
{
    for (uint32_t left = b % 16 + 1; left > 0; left--)
        a = 5 * (a - left);
    return a;
}

uint32_t mean_loop_down(uint32_t a, uint32_t b)
{
    for (int k = (int)(b % 16) - 1; k >= 0; k--)
        a = (uint32_t)(((uint64_t)a << 32 | a) >> 31) ^ (uint32_t)k;
    return a;
}

uint32_t mean_loop_guarded_stride(uint32_t a, uint32_t b)
{
    int64_t stride = 1 + (int64_t)(b % 0x40000000), taken = (INT32_MAX - (int64_t)S32(a)) / stride;

    return taken < 23 ? (uint32_t)taken + 1 : 24;
}

uint64_t mean_loop_of_64_bits(uint32_t a, uint32_t b)
{
    uint64_t sum = 0;

    for (uint32_t j = 0; j <= b % 16; j++)
        sum = sum * 5 + (uint64_t)S64(S32(a)) + j * UINT64_C(0x30000000);
    return sum;
}

uint32_t mean_loop_short_wraps(uint32_t a)
{
    uint32_t sum = 0;

    for (uint32_t k = a % 0x10000; k < 0x10000; k += 0x1357)
        sum = sum * 3 + k;
    return sum;
}

uint32_t mean_loop_signed_char(uint32_t a)
{
    uint32_t sum = 0;

    for (int k = (int)((a + 128) % 256) - 128; k < 128; k += 16)
        sum = sum * 3 + (uint32_t)k;
    return sum;
}

uint32_t mean_loop_nested_continue(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < 6; i++) {
        bool goes_on = a >> i % 32 << 31 == 0;
        for (uint32_t j = 0; j < 6; j++) {
            bool left_out = (i + j) % 3 == 0;
            goes_on = goes_on && (left_out || (b >> i * j) % 2 == 0);
            sum += goes_on && !left_out ? 7 * i + j : 0;
        }
    }
    return sum;
}

/* Uses Stein's algorithm. */
uint32_t mean_loop_common_divisor(uint32_t a, uint32_t b)
{
    uint32_t shift = 0;

    if (a == 0 || b == 0)
        return a | b;
    for (; (a | b) % 2 == 0; shift++) {
        a /= 2;
        b /= 2;
    }
    while (b != 0) {
        uint32_t larger;
        while (a % 2 == 0)
            a /= 2;
        while (b % 2 == 0)
            b /= 2;
        larger = a > b ? a : b;
        a = a < b ? a : b;
        b = larger - a;
    }
    return a << shift;
}

uint32_t mean_loop_square_root(uint32_t a)
{
    uint64_t low = 0, high = 0x10000; /* low^2 <= a < high^2 */

    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        if (middle * middle <= a)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

uint32_t mean_loop_clears_bits(uint32_t a, uint32_t b)
{
    uint32_t count = b == 0 ? 0 : 256 * (32 - (uint32_t)__builtin_clz(b));

    return count + (uint32_t)__builtin_popcount(a);
}

/* ---- Quotients: of magnitudes first, then the signs ---- */

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static uint64_t quotient(int64_t a, int64_t b)
{
    uint64_t positive = magnitude(a) / magnitude(b);

    return (a < 0) != (b < 0) ? 0 - positive : positive;
}

static uint64_t remainder_of(int64_t a, int64_t b)
{
    return (uint64_t)a - quotient(a, b) * (uint64_t)b;
}

/* Combines quotients by the first `count` divisors and remainders by the others. */
static uint64_t mixed(int64_t a, const int64_t *divisors, size_t count, size_t all)
{
    uint64_t h = 0;

    for (size_t k = 0; k < all; k++)
        h = h * 31 + (k < count ? quotient(a, divisors[k]) : remainder_of(a, divisors[k]));
    return h;
}

static uint64_t mixed_unsigned(uint64_t a, const uint64_t *divisors, size_t count, size_t all)
{
    uint64_t h = 0;

    for (size_t k = 0; k < all; k++)
        h = h * 31 + (k < count ? a / divisors[k] : a % divisors[k]);
    return h;
}

uint32_t mean_divide_s32(uint32_t a)
{
    static const int64_t divisors[] = {3, 7, -5, 641, INT32_MAX, 10, -1000};

    return (uint32_t)mixed(S32(a), divisors, 5, 7);
}

uint32_t mean_divide_s32_by_powers(uint32_t a)
{
    static const int64_t divisors[] = {2, 16, -8, 1 << 30, INT32_MIN, 8, -4, INT32_MIN};

    return (uint32_t)mixed(S32(a), divisors, 5, 8);
}

uint32_t mean_divide_u32(uint32_t a)
{
    static const uint64_t divisors[] = {3, 7, 10, 641, UINT32_C(0x80000001), UINT32_MAX, 1000, 6};

    return (uint32_t)mixed_unsigned(a, divisors, 6, 8);
}

uint64_t mean_divide_s64(uint64_t a)
{
    static const int64_t divisors[] = {3,         -7, 1000000007,          4096,
                                       INT64_MIN, 10, INT64_C(0x100000000)};

    return mixed(S64(a), divisors, 5, 7);
}

uint64_t mean_divide_u64(uint64_t a)
{
    static const uint64_t divisors[] = {
        3, 7, UINT64_C(0x100000001), UINT64_MAX - 2, 10, UINT64_C(0x1000000000)};

    return mixed_unsigned(a, divisors, 4, 6);
}

uint32_t mean_divide_by_variable(uint32_t a, uint32_t b)
{
    bool undefined = b == 0 || (b == UINT32_MAX && a == UINT32_C(0x80000000));
    int64_t divisors[2];

    divisors[0] = divisors[1] = undefined ? 3 : S32(b);
    return (uint32_t)mixed(S32(a), divisors, 1, 2);
}

uint64_t mean_divide_by_variable_of_64_bits(uint64_t a, uint64_t b)
{
    int64_t divisor = S64(b >> a % 64), divisors[2];

    divisors[0] = divisors[1] = divisor == 0 || divisor == -1 ? -3 : divisor;
    return mixed(S64(a), divisors, 1, 2);
}

/* Computes by doubling and adding. */
uint32_t mean_remainder_of_product(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t modulus = c | 1, sum = 0;

    for (int k = 31; k >= 0; k--)
        sum = (2 * sum + (b >> k & 1) * (uint64_t)a) % modulus;
    return (uint32_t)sum;
}

/* ---- Carries and long products ---- */

uint64_t mean_carry_of_96_bits(uint32_t a, uint32_t b, uint32_t c)
{
    uint128 one = (uint128)c << 64 | (uint64_t)b << 32 | a,
            other = (uint128)a << 64 | (uint64_t)c << 32 | b, sum = one + other;

    return (uint64_t)(sum >> 32) ^ (uint32_t)sum;
}

uint64_t mean_borrow_of_96_bits(uint32_t a, uint32_t b, uint32_t c)
{
    uint128 one = (uint128)c << 64 | (uint64_t)b << 32 | a,
            other = (uint128)a << 64 | (uint64_t)c << 32 | b, difference = one - other;

    return (uint64_t)(difference >> 32) ^ (uint32_t)difference;
}

uint32_t mean_carry_and_overflow(uint32_t a, uint32_t b)
{
    int64_t sum = (int64_t)S32(a) + S32(b);

    return (uint32_t)((uint64_t)a + b > UINT32_MAX) | (uint32_t)(sum != S32(sum)) << 1 |
           (uint32_t)(S32(a) < S32(b)) << 2 | (uint32_t)(a < b) << 3;
}

uint64_t mean_product_by_parts(uint64_t a, uint64_t b)
{
    return (uint64_t)((uint128)a * b >> 64);
}

/* Multiplies as unsigned, then subtracts 2^64 times the other factor for each negative factor. */
static uint128 product_signed(uint64_t a, uint64_t b)
{
    uint128 product = (uint128)a * b;

    product -= S64(a) < 0 ? (uint128)b << 64 : 0;
    return product - (S64(b) < 0 ? (uint128)a << 64 : 0);
}

uint64_t mean_product_high(uint64_t a, uint64_t b)
{
    return (uint64_t)(product_signed(a, b) >> 64) ^ mean_product_by_parts(a, b) << 1;
}

uint64_t mean_product_shifted(uint64_t a, uint64_t b, uint32_t c)
{
    return (uint64_t)((uint128)a * b >> c % 128);
}

uint64_t mean_product_shifted_signed(uint64_t a, uint64_t b, uint32_t c)
{
    uint128 product = product_signed(a, b);
    bool is_negative = product >> 127 != 0;

    return (uint64_t)(is_negative ? ~(~product >> c % 128) : product >> c % 128);
}

uint64_t mean_widened_after_wrap(uint32_t a, uint32_t b)
{
    uint64_t lost = (uint64_t)a + b > UINT32_MAX ? UINT64_C(0x800000000) : 0;

    return lost + (uint64_t)S64(S32(a - b));
}
