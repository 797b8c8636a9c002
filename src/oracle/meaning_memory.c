/* SPDX-License-Identifier: MIT
 *
 * Local and shared arrays. Computes results from positions, without an array, or with one in plain
 * order.
 */
#include "cuda_meanings.h"

#include "program.h"

/* Returns byte k of words in little-endian memory. */
static uint32_t byte_at(const uint64_t *words, uint32_t k)
{
    return (uint32_t)(words[k / 4] >> 8 * (k % 4) & 0xff);
}

static uint64_t bytes_from(const uint64_t *words, uint32_t first, uint32_t count)
{
    uint64_t result = 0;

    for (uint32_t k = 0; k < count; k++)
        result |= (uint64_t)byte_at(words, first + k) << 8 * k;
    return result;
}

/* ---- Local arrays and structs ---- */

static uint32_t digits_equal(uint32_t a, uint32_t digit)
{
    uint32_t count = 0;

    for (int k = 0; k < 8; k++, a /= 16)
        count += a % 16 == digit;
    return count;
}

uint32_t mean_array_histogram(uint32_t a, uint32_t b)
{
    return digits_equal(a, b % 16) * 16 + digits_equal(a, b / 0x10000000);
}

/* Returns the value with exactly c % 8 smaller values. */
uint32_t mean_array_sorted(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t values[8] = {a, b, a + b, a ^ b, a * 16, b / 8, 0 - a, 0};
    uint32_t result = 0;

    for (int k = 0; k < 8; k++) {
        uint32_t below = 0;
        for (int other = 0; other < 8; other++) {
            int64_t difference = (int64_t)(int32_t)values[other] - (int32_t)values[k];
            below += difference < 0 || (difference == 0 && other < k);
        }
        if (below == c % 8)
            result = values[k];
    }
    return result;
}

uint32_t mean_array_of_two_dimensions(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;

    for (uint32_t k = 0; k < 15; k++) {
        uint32_t i = k % 3, j = k / 3;
        sum = sum * 7 + (i == b % 3 && j == b % 5 ? b : a * i + j);
    }
    return sum;
}

uint32_t mean_array_overwritten(uint32_t a, uint32_t b)
{
    uint32_t slots[8] = {b, b + 1, b + 4, b + 9, b + 16, b + 25, b + 36, b + 49};

    for (uint32_t step = 0; step < 8; step++) {
        uint32_t from = (3 * step + a / 8) % 8, to = (step + a) % 8;
        slots[to] = slots[to] ^ slots[from] * 2;
    }
    return slots[7] * 5 + slots[3] * 3 + slots[0];
}

/* All eight bytes are in reverse order. */
uint32_t mean_bytes_of_float(uint32_t a, uint32_t b)
{
    const uint64_t words[2] = {__builtin_bswap32(b), __builtin_bswap32(a)};

    return (uint32_t)bytes_from(words, b % 4, 4);
}

uint64_t mean_misaligned_words(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t words[3] = {a, b, c}, half = bytes_from(words, 1 + c % 8, 2);

    words[0] = a % 0x1000000 + half % 256 * 0x1000000;
    return bytes_from(words, a % 4, 8) + half;
}

uint64_t mean_structs_copied(uint32_t a, uint32_t b)
{
    uint32_t k = a % 4;
    uint64_t number = (uint64_t)(int16_t)(uint16_t)(a + k),
             sign = (uint64_t)(int8_t)(uint8_t)(b - k),
             wide = (uint64_t)a << 32 | (uint32_t)(b + k),
             word = (uint64_t)(int32_t)(k == b % 4 ? b : a ^ b % 4);

    return (wide ^ 3 * number) + (word ^ sign * UINT64_C(0x10000000000));
}

/* ---- Pointers ---- */

uint32_t mean_pointers_backwards(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;

    for (uint32_t k = 8 - a % 8; k < 8 + b % 8; k++)
        sum = sum * 3 + a + k * b;
    return sum + b % 8 + a + 7 * b;
}

/* ---- Shared arrays ---- */

uint64_t mean_shared_of_four_words(const struct threads *of, int me)
{
    uint32_t a = (uint32_t)of->a[(me + 77) % PROGRAM_BLOCK],
             b = (uint32_t)of->b[(me + 77) % PROGRAM_BLOCK];

    return ((uint64_t)b << 32) + (uint32_t)(a + b) + (a ^ b) + a;
}

uint64_t mean_shared_of_bytes(const struct threads *of, int me)
{
    uint32_t a = (uint32_t)of->a[me ^ 33], b = (uint32_t)of->b[me ^ 33], place = 8 * (b % 4),
             word = (a & ~(UINT32_C(255) << place)) | (b / 256 % 256) << place;

    return (word & 0xff000000) | word % 256 * 65536 | word / 65536 % 256 * 256 | word / 256 % 256;
}

uint64_t mean_shared_of_short_pairs(const struct threads *of, int me)
{
    uint64_t a = of->a[PROGRAM_BLOCK - 1 - me];

    return (uint32_t)((int16_t)(a >> 16) * 3 - (int16_t)(a & 0xffff));
}

uint64_t mean_shared_of_three_floats(const struct threads *of, int me)
{
    int other = (me * 5 + 3) % PROGRAM_BLOCK;
    uint32_t less = (uint32_t)of->b[other] % 65536 - 1;

    return (of->a[other] & 0x7fffff) ^ (uint32_t)(less * 32);
}

uint64_t mean_shared_misaligned(const struct threads *of, int me)
{
    uint64_t words[3];

    for (int k = 0; k < 3; k++)
        words[k] = me + k < PROGRAM_BLOCK    ? of->a[me + k]
                   : me + k == PROGRAM_BLOCK ? UINT32_C(0x33221100)
                                             : UINT32_C(0x77665544);
    return bytes_from(words, (uint32_t)of->b[me] % 4, 8);
}

uint64_t mean_shared_by_wrapped_index(const struct threads *of, int me)
{
    int from = me - (int)(of->b[me] % 128);
    uint32_t mine = (uint32_t)(from < 0 ? of->a[from + 128] : ~of->a[from]),
             above = (uint32_t)(from < 0 ? ~of->a[from + 128] : 2 * of->a[from]),
             mirrored = (uint32_t)of->a[127 - me];

    return (uint32_t)(mine + 3 * above + 5 * mirrored);
}

uint64_t mean_shared_of_two_arrays(const struct threads *of, int me)
{
    uint32_t index = (uint32_t)of->a[me ^ 1] % 128;

    return (uint32_t)(of->b[127 - index] * 128 + index);
}

uint64_t mean_shared_transposed(const struct threads *of, int me)
{
    return of->a[me / 8 + me % 8 * 16];
}

uint64_t mean_shared_sum(const struct threads *of, int me)
{
    (void)me; /* the same for all threads */
    return mean_shared_scan(of, PROGRAM_BLOCK - 1);
}

uint64_t mean_shared_scan(const struct threads *of, int me)
{
    uint64_t sum = 0;

    for (int i = 0; i <= me; i++)
        sum += of->a[i];
    return (uint32_t)sum;
}

uint64_t mean_shared_histogram(const struct threads *of, int me)
{
    uint32_t count = 0;
    int32_t most = INT32_MIN;

    for (int i = 0; i < PROGRAM_BLOCK; i++) {
        count += of->a[i] % 8 == of->b[me] % 8;
        most = (int32_t)of->b[i] > most ? (int32_t)of->b[i] : most;
    }
    return (uint32_t)(count * 0x1000000 + (uint32_t)most);
}

static uint32_t after_divergence(const struct threads *of, int i)
{
    uint32_t a = (uint32_t)of->a[i], b = (uint32_t)of->b[i];

    if (a / 8 % 2 == 0)
        return b % 2 == 0 ? b : UINT32_MAX - b;
    for (uint32_t k = a % 8; k > 0; k--)
        b = 3 * b + k;
    return b;
}

uint64_t mean_shared_after_divergence(const struct threads *of, int me)
{
    uint32_t result = after_divergence(of, me ^ 96);

    if (of->a[me] / 16 % 2 == 1)
        result += after_divergence(of, (int)(of->a[me] % PROGRAM_BLOCK));
    return result;
}
