/* SPDX-License-Identifier: MIT
 *
 * Bytes, halves of words, and bits: each part separately.
 */
#include "cuda_meanings.h"

/* Returns part k of `word`, in parts of `bits` bits, unsigned. signed_part() returns it signed. */
static uint32_t part(uint64_t word, int bits, int k)
{
    return (uint32_t)(word >> bits * k) & ((UINT32_C(1) << bits) - 1);
}

static int32_t signed_part(uint64_t word, int bits, int k)
{
    int32_t value = (int32_t)part(word, bits, k), limit = 1 << (bits - 1);

    return value < limit ? value : value - 2 * limit;
}

static int64_t clamped(int64_t value, int64_t least, int64_t most)
{
    if (value < least)
        return least;
    return value > most ? most : value;
}

/* Wraps a value to `bits` bits and reads it as signed. */
static int64_t wrapped(int64_t value, int bits)
{
    int64_t modulus = INT64_C(1) << bits, rest = ((value % modulus) + modulus) % modulus;

    return rest < modulus / 2 ? rest : rest - modulus;
}

/* Halves a value and rounds down. */
static int64_t halved(int64_t value)
{
    return (value - (value & 1)) / 2;
}

/* Picks bytes from b:a by digits, the lowest first. */
static uint32_t picked(uint32_t a, uint32_t b, const char *digits)
{
    uint64_t from = (uint64_t)b << 32 | a;
    uint32_t result = 0;

    for (int k = 0; k < 4; k++)
        result += part(from, 8, digits[k] - '0') << 8 * k;
    return result;
}

uint64_t mean_byte_permutes(uint32_t a, uint32_t b)
{
    uint32_t swapped = picked(a, b, "3210"), low = picked(a, b, "0145"),
             high = picked(a, b, "2367"), moved = picked(a, b, "3456"),
             spread = picked(a, b, "2525");

    return ((uint64_t)(swapped ^ low) << 32) + (high ^ spread) + moved;
}

uint64_t mean_dot_products(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t of_signed = c, of_unsigned = c;

    for (int k = 0; k < 4; k++) {
        of_signed += (uint32_t)(signed_part(a, 8, k) * signed_part(b, 8, k));
        of_unsigned += part(a, 8, k) * part(b, 8, k);
    }
    return (uint64_t)of_signed << 32 | of_unsigned;
}

uint64_t mean_sum_of_short_products(uint64_t a, uint32_t b, uint32_t c)
{
    for (int k = 0; k < 2; k++)
        a += (uint64_t)(signed_part(b, 16, k) * signed_part(c, 8, k));
    return a;
}

uint64_t mean_sum_of_byte_products(uint64_t a, uint32_t b, uint32_t c)
{
    a /= 2;
    for (int k = 0; k < 4; k++)
        a += (uint64_t)(signed_part(b, 8, k) * signed_part(c, 8, k));
    return a;
}

uint64_t mean_adds_of_bytes(uint32_t a, uint32_t b)
{
    uint64_t sums = 0;

    for (int k = 0; k < 4; k++) {
        uint32_t x = part(a, 8, k), y = part(b, 8, k);
        sums |= (uint64_t)((x + y) % 256) << (32 + 8 * k) | ((256 + x - y) % 256) << 8 * k;
    }
    return sums;
}

uint64_t mean_saturated_adds_of_bytes(uint32_t a, uint32_t b)
{
    uint64_t sums = 0;

    for (int k = 0; k < 4; k++) {
        int64_t sum = clamped(signed_part(a, 8, k) + signed_part(b, 8, k), -128, 127),
                difference = clamped((int64_t)part(a, 8, k) - part(b, 8, k), 0, 255);
        sums |= (uint64_t)(sum & 0xff) << (32 + 8 * k) | (uint64_t)difference << 8 * k;
    }
    return sums;
}

uint64_t mean_differences_of_bytes(uint32_t a, uint32_t b)
{
    uint64_t each = 0, sum = 0;

    for (int k = 0; k < 4; k++) {
        uint32_t x = part(a, 8, k), y = part(b, 8, k), difference = x > y ? x - y : y - x;
        each |= (uint64_t)difference << (32 + 8 * k);
        sum += difference;
    }
    return each | sum;
}

uint64_t mean_bounds_of_halves(uint32_t a, uint32_t b)
{
    uint64_t bounds = 0;

    for (int k = 0; k < 2; k++) {
        bool a_is_more = signed_part(a, 16, k) > signed_part(b, 16, k),
             a_is_less = part(a, 16, k) < part(b, 16, k);
        bounds |= (uint64_t)part(a_is_more ? a : b, 16, k) << (32 + 16 * k) |
                  (uint64_t)part(a_is_less ? a : b, 16, k) << 16 * k;
    }
    return bounds;
}

uint64_t mean_comparisons_of_bytes(uint32_t a, uint32_t b)
{
    uint64_t masks = 0;

    for (int k = 0; k < 4; k++) {
        if (part(a, 8, k) > part(b, 8, k))
            masks |= UINT64_C(0xff) << (32 + 8 * k);
        if (signed_part(a, 8, k) <= signed_part(b, 8, k))
            masks |= UINT64_C(0xff) << 8 * k;
    }
    return masks;
}

/* Math API: __ffs is 1 for the lowest bit, and 0 for 0; __clz of 0 is the width. */
uint64_t mean_bit_scans(uint64_t a)
{
    uint64_t lowest = 0, lowest_of_32 = 0, leading = 64, count = 0, reversed = 0;

    for (unsigned int k = 64; k-- > 0;) {
        if ((a >> k & 1) == 0)
            continue;
        lowest = k + 1;
        lowest_of_32 = k < 32 ? k + 1 : 0;
        leading = leading == 64 ? 63 - k : leading;
        count++;
        reversed |= UINT64_C(1) << (63 - k);
    }
    return reversed ^ (lowest << 24 | leading << 16 | lowest_of_32 << 8 | count);
}

uint64_t mean_averages(uint32_t a, uint32_t b)
{
    int64_t sum = (int64_t)(int32_t)a + (int32_t)b, of_unsigned = (int64_t)a + b;
    uint32_t down = (uint32_t)halved(sum), up = (uint32_t)halved(sum + 1);

    return ((uint64_t)down << 32 | (uint64_t)halved(of_unsigned)) +
           (up * UINT64_C(31) ^ (uint64_t)halved(of_unsigned + 1));
}

uint64_t mean_absolute_differences(uint32_t a, uint32_t b, uint32_t c)
{
    int64_t of_signed = (int64_t)(int32_t)a - (int32_t)b, of_unsigned = (int64_t)a - b;
    uint32_t one = (uint32_t)(of_signed < 0 ? -of_signed : of_signed),
             other = (uint32_t)(of_unsigned < 0 ? -of_unsigned : of_unsigned);

    return (uint64_t)(uint32_t)(one + c) << 32 | (uint32_t)(other + c);
}

uint32_t mean_shifts_of_char(uint32_t a, uint32_t b)
{
    int32_t s = signed_part(a, 8, 0), floor = s;
    uint32_t u = part(a, 8, 0), power = UINT32_C(1) << b % 8, h;

    for (uint32_t n = b % 8; n > 0; n--)
        floor = (int32_t)halved(floor);
    h = (uint32_t)floor;
    h = h * 31 + u * power % 256;
    h = h * 31 + (uint32_t)wrapped(u * power, 8);
    h = h * 31 + u / power;
    return h * 31 + (uint32_t)(s * 257);
}

uint32_t mean_wraps_of_short(uint32_t a, uint32_t b)
{
    int32_t x = signed_part(a, 16, 0), y = signed_part(b, 16, 0);
    uint32_t u = part(a, 16, 0), v = part(b, 16, 0), product = part((uint32_t)(x * y), 16, 0);

    return product * 65536 + part((uint32_t)(x + y), 8, 0) * 256 + (u < v ? 2 : 0) +
           (u + 65536 - v) % 65536 / 32768;
}

uint64_t mean_bit_fields(uint32_t a, uint32_t b)
{
    int64_t low = wrapped(wrapped(a, 3) + 1, 3), high = wrapped(a ^ b, 24);
    uint32_t middle = (b % 32 + 3) % 32;

    return (uint64_t)(uint32_t)(4 * high + low) << 32 | middle;
}

uint32_t mean_extended_fields(uint32_t a, uint32_t b)
{
    return (uint32_t)wrapped(a >> 10, 11) * 31 + (uint32_t)wrapped(b >> 5, 7);
}

uint64_t mean_saturated_sums(uint32_t a, uint32_t b)
{
    int64_t word = clamped((int64_t)(int32_t)a + (int32_t)b, INT32_MIN, INT32_MAX),
            byte = clamped((int32_t)a, -128, 127), half = clamped((int32_t)b, -32768, 32767);

    return (uint64_t)(uint32_t)word << 32 | (uint32_t)(half * 65536 + byte);
}
