/* SPDX-License-Identifier: MIT
 *
 * Device code of operations on integers (src/oracle/cuda_operations.h): switches, loops whose bounds
 * lie at the limits of their types, quotients by constants, carries, bytes and bits. The text is
 * compiled as part of each program file.
 */
namespace idiom
{

typedef unsigned long long ull;

/* ---- Switches and tables ---- */

static __device__ unsigned switch_dense(unsigned a, unsigned b)
{
    switch (a & 7u) {
    case 0:
        return b + 1u;
    case 1:
        return b ^ 0x55u;
    case 2:
        return b << 3;
    case 3:
        return ~b;
    case 4:
        return b * 5u;
    case 5:
        return 0u - b;
    case 6:
        return b >> 2;
    default:
        return b | 0x80u;
    }
}

static __device__ unsigned switch_fallthrough(unsigned a, unsigned b)
{
    switch (a % 7u) {
    case 0:
        b += 1u; /* falls through */
    case 1:
        b *= 3u; /* falls through */
    case 2:
        b ^= 0x10u;
        break;
    default:
        b = 0x1234u;
        break;
    case 4:
        b -= 7u; /* falls through */
    case 5:
        b = ~b;
    }
    return b;
}

static __device__ unsigned switch_sparse(unsigned a)
{
    switch ((int)a) {
    case -2147483647 - 1:
        return 11;
    case 2147483647:
        return 12;
    case -8:
        return 13;
    case 0x40000000:
        return 14;
    case 0x3f800000:
        return 15;
    case 65536:
        return 16;
    case 0:
        return 17;
    default:
        return 18;
    }
}

static __device__ unsigned switch_around_zero(unsigned a)
{
    switch ((int)a) {
    case -3:
        return 1;
    case -2:
    case 2:
        return 20;
    default:
        return 300;
    case -1:
        return 4000;
    case 0:
        return 50000;
    case 1:
        return 600000;
    }
}

/* Switches on 2^k and 2^k - 1. */
static __device__ unsigned switch_of_64_bits(unsigned a, unsigned b)
{
    switch ((1ull << (a & 63u)) - (b & 1u)) {
    case 0ull:
        return 1;
    case 1ull:
        return 2;
    case 0x7fffffffull:
        return 3;
    case 0x80000000ull:
        return 4;
    case 0xffffffffull:
        return 5;
    case 0x100000000ull:
        return 6;
    case 0x7fffffffffffffffull:
        return 7;
    case 0x8000000000000000ull:
        return 8;
    default:
        return 9;
    }
}

static __device__ unsigned switch_in_loop(unsigned a, unsigned b)
{
    for (unsigned k = 0; k < 16u; k++)
        switch (a >> 2u * k & 3u) {
        case 0:
            continue;
        case 1:
            b += k;
            break;
        case 2:
            b ^= b << 1;
            break;
        case 3:
            b = b * 3u + 1u;
            if (b & 1u)
                k++;
        }
    return b;
}

static __device__ unsigned table_local(unsigned a, unsigned b)
{
    const int table[8] = {7, -1, 0x7fffffff, 0, -2147483647 - 1, 3, -100, 65535};

    return (unsigned)table[a & 7u] ^ (unsigned)table[b >> 29];
}

static __constant__ unsigned squares[16] = {0,  1,  4,   9,   16,  25,  36,  49,
                                            64, 81, 100, 121, 144, 169, 196, 225};
static __constant__ signed char steps[16] = {-128, -111, -94, -77, -60, -43, -26, -9,
                                             8,    25,   42,  59,  76,  93,  110, 127};

static __device__ unsigned table_constant(unsigned a, unsigned b)
{
    return squares[a & 15u] * 1000u + squares[(a + b) >> 28];
}

static __device__ unsigned table_of_bytes(unsigned a)
{
    int sum = 0;

    for (unsigned k = 0; k < 8u; k++)
        sum += steps[a >> 4u * k & 15u] * (int)(k + 1u);
    return (unsigned)sum;
}

/* ---- Loops ---- */

/* Without `steps`, nvcc 11.8 to 13.0 make this an endless loop. */
static __device__ unsigned loop_to_int_max(unsigned a, unsigned b)
{
    unsigned steps = 0;

    for (int k = 2147483647 - (int)(b & 7u); steps < 32u; k++, steps++) {
        a = (a ^ (unsigned)k) * 3u + 1u;
        if (k == 2147483647)
            break;
    }
    return a;
}

static __device__ unsigned loop_until_wrapped(unsigned a, unsigned b)
{
    for (unsigned k = 0xffffffffu - (b & 15u); k != 0u; k++)
        a = (a + k) * 5u;
    return a;
}

static __device__ unsigned loop_down(unsigned a, unsigned b)
{
    for (unsigned k = b & 15u; k-- > 0u;)
        a = (a << 1 | a >> 31) ^ k;
    return a;
}

static __device__ unsigned loop_guarded_stride(unsigned a, unsigned b)
{
    const int stride = 1 + (int)(b & 0x3fffffffu);
    unsigned taken = 0;

    for (int k = (int)a; taken < 24u; k += stride) {
        taken++;
        if (k > 2147483647 - stride)
            break;
    }
    return taken;
}

static __device__ ull loop_of_64_bits(unsigned a, unsigned b)
{
    const long long first = (int)a, last = first + (long long)(b & 15u) * 0x30000000ll;
    ull sum = 0;

    for (long long k = first; k <= last; k += 0x30000000ll)
        sum = sum * 5ull + (ull)k;
    return sum;
}

static __device__ unsigned loop_short_wraps(unsigned a)
{
    unsigned short k = (unsigned short)a;
    unsigned sum = 0;

    do {
        sum = sum * 3u + k;
        k = (unsigned short)(k + 0x1357);
    } while (k >= 0x1357);
    return sum;
}

static __device__ unsigned loop_signed_char(unsigned a)
{
    int sum = 0;

    for (signed char k = (signed char)a;; k = (signed char)(k + 16)) {
        sum = sum * 3 + k;
        if (k >= 112)
            break;
    }
    return (unsigned)sum;
}

static __device__ unsigned loop_nested_continue(unsigned a, unsigned b)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < 6u; i++) {
        if (a >> i & 1u)
            continue;
        for (unsigned j = 0; j < 6u; j++) {
            if ((i + j) % 3u == 0u)
                continue;
            if (b >> i * j & 1u)
                break;
            sum += i * 7u + j;
        }
    }
    return sum;
}

static __device__ unsigned loop_common_divisor(unsigned a, unsigned b)
{
    while (b != 0u) {
        const unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static __device__ unsigned loop_square_root(unsigned a)
{
    unsigned root = 0;

    for (unsigned bit = 0x8000u; bit != 0u; bit >>= 1)
        if ((root | bit) * (root | bit) <= a)
            root |= bit;
    return root;
}

static __device__ unsigned loop_clears_bits(unsigned a, unsigned b)
{
    unsigned count = 0;

    for (; a != 0u; a &= a - 1u)
        count++;
    for (; b != 0u; b >>= 1)
        count += 256u;
    return count;
}

/* ---- Quotients ---- */

static __device__ unsigned divide_s32(unsigned a)
{
    const int s = (int)a;
    unsigned h = (unsigned)(s / 3);

    h = h * 31u + (unsigned)(s / 7);
    h = h * 31u + (unsigned)(s / -5);
    h = h * 31u + (unsigned)(s / 641);
    h = h * 31u + (unsigned)(s / 2147483647);
    h = h * 31u + (unsigned)(s % 10);
    return h * 31u + (unsigned)(s % -1000);
}

static __device__ unsigned divide_s32_by_powers(unsigned a)
{
    const int s = (int)a;
    unsigned h = (unsigned)(s / 2);

    h = h * 31u + (unsigned)(s / 16);
    h = h * 31u + (unsigned)(s / -8);
    h = h * 31u + (unsigned)(s / 0x40000000);
    h = h * 31u + (unsigned)(s / (-2147483647 - 1));
    h = h * 31u + (unsigned)(s % 8);
    h = h * 31u + (unsigned)(s % -4);
    return h * 31u + (unsigned)(s % (-2147483647 - 1));
}

static __device__ unsigned divide_u32(unsigned a)
{
    unsigned h = a / 3u;

    h = h * 31u + a / 7u;
    h = h * 31u + a / 10u;
    h = h * 31u + a / 641u;
    h = h * 31u + a / 0x80000001u;
    h = h * 31u + a / 0xffffffffu;
    h = h * 31u + a % 1000u;
    return h * 31u + a % 6u;
}

static __device__ ull divide_s64(ull a)
{
    const long long s = (long long)a;
    ull h = (ull)(s / 3);

    h = h * 31ull + (ull)(s / -7);
    h = h * 31ull + (ull)(s / 1000000007ll);
    h = h * 31ull + (ull)(s / 4096);
    h = h * 31ull + (ull)(s / (-9223372036854775807ll - 1));
    h = h * 31ull + (ull)(s % 10);
    return h * 31ull + (ull)(s % 0x100000000ll);
}

static __device__ ull divide_u64(ull a)
{
    ull h = a / 3ull;

    h = h * 31ull + a / 7ull;
    h = h * 31ull + a / 0x100000001ull;
    h = h * 31ull + a / 0xfffffffffffffffdull;
    h = h * 31ull + a % 10ull;
    return h * 31ull + a % 0x1000000000ull;
}

/* Avoids division by 0, and division of the smallest integer by -1. */
static __device__ unsigned divide_by_variable(unsigned a, unsigned b)
{
    const int s = (int)a;
    int d = (int)b;

    if (d == 0 || (d == -1 && s == -2147483647 - 1))
        d = 3;
    return (unsigned)(s / d) * 31u + (unsigned)(s % d);
}

static __device__ ull divide_by_variable_of_64_bits(ull a, ull b)
{
    const long long s = (long long)a;
    long long d = (long long)(b >> (a & 63u)); /* includes small divisors */

    if (d == 0 || d == -1)
        d = -3;
    return (ull)(s / d) * 31ull + (ull)(s % d);
}

static __device__ unsigned remainder_of_product(unsigned a, unsigned b, unsigned c)
{
    return (unsigned)((ull)a * b % (c | 1u));
}

/* ---- Carries and long products ---- */

static __device__ ull carry_of_96_bits(unsigned a, unsigned b, unsigned c)
{
    const unsigned low = a + b, carry = low < a, middle = b + c, over = middle < b;
    const unsigned next = middle + carry, high = c + a + (over | (next < carry));

    return ((ull)high << 32 | next) ^ low;
}

static __device__ ull borrow_of_96_bits(unsigned a, unsigned b, unsigned c)
{
    const unsigned low = a - b, borrow = a < b, middle = b - c, under = b < c;
    const unsigned next = middle - borrow, high = c - a - (under | (middle < borrow));

    return ((ull)high << 32 | next) ^ low;
}

static __device__ unsigned carry_and_overflow(unsigned a, unsigned b)
{
    const unsigned sum = a + b, difference = a - b;
    const unsigned carry = sum < a, overflow = ((a ^ sum) & (b ^ sum)) >> 31;
    const unsigned less = (difference ^ ((a ^ b) & (difference ^ a))) >> 31;

    return carry | overflow << 1 | less << 2 | (unsigned)(a < b) << 3;
}

/* Returns the upper half of the product, computed from 32-bit products. */
static __device__ ull product_by_parts(ull a, ull b)
{
    const ull al = (unsigned)a, ah = a >> 32, bl = (unsigned)b, bh = b >> 32;
    const ull low = al * bl, one = ah * bl + (low >> 32), two = al * bh + (unsigned)one;

    return ah * bh + (one >> 32) + (two >> 32);
}

static __device__ ull product_high(ull a, ull b)
{
    return (ull)__mul64hi((long long)a, (long long)b) ^ __umul64hi(a, b) << 1;
}

static __device__ ull product_shifted(ull a, ull b, unsigned c)
{
    return (ull)((unsigned __int128)a * b >> (c & 127u));
}

static __device__ ull product_shifted_signed(ull a, ull b, unsigned c)
{
    return (ull)((__int128)(long long)a * (long long)b >> (c & 127u));
}

/* nvcc 11.8 and 12.4 add in 32 bits, by dp2a and dp4a. */
static __device__ ull sum_of_short_products(ull a, unsigned b, unsigned c)
{
    const short x = (short)b, y = (short)(b >> 16);
    const signed char p = (signed char)c, q = (signed char)(c >> 8);

    return (ull)((long long)a + (long long)x * p + (long long)y * q);
}

static __device__ ull sum_of_byte_products(ull a, unsigned b, unsigned c)
{
    signed char p[4], q[4];
    long long sum = (long long)(a >> 1);

    memcpy(p, &b, 4);
    memcpy(q, &c, 4);
    for (int k = 0; k < 4; k++)
        sum += (long long)p[k] * q[k];
    return (ull)sum;
}

/* An index that wraps in 32 bits before it is widened, and one that does not. */
static __device__ ull widened_after_wrap(unsigned a, unsigned b)
{
    const ull wrapped = (ull)(a + b) * 8ull, wide = ((ull)a + b) * 8ull;

    return wide - wrapped + (ull)(long long)(int)(a - b);
}

/* ---- Bytes, halves and bits ---- */

static __device__ ull byte_permutes(unsigned a, unsigned b)
{
    const unsigned swapped = __byte_perm(a, 0, 0x0123), low = __byte_perm(a, b, 0x5410),
                   high = __byte_perm(a, b, 0x7632), moved = __byte_perm(a, b, 0x6543),
                   spread = __byte_perm(a, b, 0x5252);

    return ((ull)(swapped ^ low) << 32 | (high ^ spread)) + moved;
}

static __device__ ull dot_products(unsigned a, unsigned b, unsigned c)
{
    return (ull)(unsigned)__dp4a((int)a, (int)b, (int)c) << 32 | __dp4a(a, b, c);
}

static __device__ ull adds_of_bytes(unsigned a, unsigned b)
{
    return (ull)__vadd4(a, b) << 32 | __vsub4(a, b);
}

static __device__ ull saturated_adds_of_bytes(unsigned a, unsigned b)
{
    return (ull)__vaddss4(a, b) << 32 | __vsubus4(a, b);
}

static __device__ ull differences_of_bytes(unsigned a, unsigned b)
{
    return (ull)__vabsdiffu4(a, b) << 32 | __vsadu4(a, b);
}

static __device__ ull bounds_of_halves(unsigned a, unsigned b)
{
    return (ull)__vmaxs2(a, b) << 32 | __vminu2(a, b);
}

static __device__ ull comparisons_of_bytes(unsigned a, unsigned b)
{
    return (ull)__vcmpgtu4(a, b) << 32 | __vcmples4(a, b);
}

static __device__ ull bit_scans(ull a)
{
    const ull found = (ull)(unsigned)__ffsll((long long)a) << 24 |
                      (ull)(unsigned)__clzll((long long)a) << 16 |
                      (ull)(unsigned)__ffs((int)(unsigned)a) << 8 | (ull)(unsigned)__popcll(a);

    return __brevll(a) ^ found;
}

static __device__ ull averages(unsigned a, unsigned b)
{
    const unsigned down = (unsigned)__hadd((int)a, (int)b), up = (unsigned)__rhadd((int)a, (int)b);

    return ((ull)down << 32 | __uhadd(a, b)) + ((ull)up * 31ull ^ __urhadd(a, b));
}

static __device__ ull absolute_differences(unsigned a, unsigned b, unsigned c)
{
    return (ull)__sad((int)a, (int)b, c) << 32 | __usad(a, b, c);
}

static __device__ unsigned shifts_of_char(unsigned a, unsigned b)
{
    const signed char s = (signed char)a;
    const unsigned char u = (unsigned char)a;
    const unsigned n = b & 7u;
    unsigned h = (unsigned)(s >> n);

    h = h * 31u + (unsigned char)(u << n);
    h = h * 31u + (unsigned)(signed char)(u << n);
    h = h * 31u + (unsigned)(u >> n);
    return h * 31u + (unsigned)(s * 257);
}

static __device__ unsigned wraps_of_short(unsigned a, unsigned b)
{
    const short x = (short)a, y = (short)b;
    const unsigned short u = (unsigned short)a, v = (unsigned short)b;
    const unsigned less = u - v < 0, wrapped = (unsigned short)(u - v) >= 0x8000u;

    return (unsigned)(unsigned short)(x * y) << 16 | (unsigned char)(x + y) << 8 | less << 1 |
           wrapped;
}

struct fields {
    int low : 3;
    unsigned middle : 5;
    int high : 24;
};

static __device__ ull bit_fields(unsigned a, unsigned b)
{
    fields f;

    f.low = (int)a;
    f.middle = b;
    f.high = (int)(a ^ b);
    f.middle += 3u;
    f.low = f.low + 1;
    return (ull)(unsigned)(f.high * 4 + f.low) << 32 | f.middle;
}

static __device__ unsigned extended_fields(unsigned a, unsigned b)
{
    const int shifted = (int)(a << 11) >> 21;
    const unsigned flipped = ((b >> 5 & 0x7fu) ^ 0x40u) - 0x40u;

    return (unsigned)shifted * 31u + flipped;
}

static __device__ ull saturated_sums(unsigned a, unsigned b)
{
    const long long sum = (long long)(int)a + (int)b;
    const int word = (int)min(max(sum, -2147483648ll), 2147483647ll);
    const int byte = min(max((int)a, -128), 127), half = max(min((int)b, 32767), -32768);

    return (ull)(unsigned)word << 32 | (unsigned)(half * 65536 + byte);
}

} // namespace idiom
