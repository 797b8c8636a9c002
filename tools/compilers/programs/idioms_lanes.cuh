/* SPDX-License-Identifier: MIT
 *
 * Device code of operations between the lanes of a warp (src/oracle/cuda_operations.h). The text is
 * compiled as part of each program file.
 */
namespace idiom
{

enum { WARP = 32 };

static const unsigned all_lanes = 0xffffffffu;

static __device__ unsigned lane(void)
{
    return threadIdx.x % WARP;
}

/* ---- Shuffles ---- */

struct members {
    int number;
    float real;
    short half;
};

static __device__ unsigned shuffle_of_struct(unsigned a, unsigned b)
{
    const members mine = {(int)a, (float)(int)(b & 0xffffu), (short)(b >> 16)};
    members other;

    other.number = __shfl_xor_sync(all_lanes, mine.number, 9);
    other.real = __shfl_xor_sync(all_lanes, mine.real, 9);
    other.half = (short)__shfl_xor_sync(all_lanes, (int)mine.half, 9);
    return (unsigned)other.number * 3u + (unsigned)(int)(other.real - mine.real) * 5u +
           (unsigned)(int)other.half;
}

static __device__ ull shuffle_of_64_bits(ull a)
{
    const ull above = __shfl_sync(all_lanes, a, (int)(lane() + 5u));

    return above - __shfl_up_sync(all_lanes, a, 16);
}

/* Shuffles in segments. A lane whose source is outside the segment keeps its own value. */
static __device__ ull shuffle_in_segments(unsigned a, unsigned b)
{
    const unsigned down = __shfl_down_sync(all_lanes, a, 3, 8),
                   up = __shfl_up_sync(all_lanes, a, 5, 16);
    const unsigned from = __shfl_sync(all_lanes, a, (int)b, 4),
                   across = __shfl_xor_sync(all_lanes, a, 6, 4);

    return ((ull)(down ^ from) << 32 | up) + across;
}

static __device__ unsigned shuffle_from_computed(unsigned a, unsigned b)
{
    unsigned value = a;

    for (unsigned k = 0; k < 3u; k++)
        value = __shfl_sync(all_lanes, value + k, (int)(b >> 5u * k & 31u));
    return value;
}

static __device__ unsigned butterfly_most(unsigned a)
{
    int most = (int)a;

    for (int distance = WARP / 2; distance > 0; distance /= 2)
        most = max(most, __shfl_xor_sync(all_lanes, most, distance));
    return (unsigned)most;
}

static __device__ unsigned warp_scan(unsigned a)
{
    for (unsigned distance = 1; distance < WARP; distance *= 2u) {
        const unsigned below = __shfl_up_sync(all_lanes, a, distance);
        if (lane() >= distance)
            a += below;
    }
    return a;
}

/* ---- Votes and reductions ---- */

static __device__ ull reductions(unsigned a, unsigned b)
{
    const unsigned sum = __reduce_add_sync(all_lanes, a),
                   least = (unsigned)__reduce_min_sync(all_lanes, (int)b),
                   most = __reduce_max_sync(all_lanes, b),
                   either = __reduce_xor_sync(all_lanes, a ^ b);

    return ((ull)sum << 32 | least) + most * 3ull + either;
}

static __device__ unsigned matches(unsigned a, unsigned b)
{
    int same;
    const unsigned all = __match_all_sync(all_lanes, (unsigned)(b == 0x7fffffffu), &same);

    return __match_any_sync(all_lanes, a & 7u) ^ (all << 1 | (unsigned)same);
}

static __device__ unsigned matches_of_64_bits(unsigned a, unsigned b)
{
    return __match_any_sync(all_lanes, (ull)(a & 3u) << 32 | (b & 1u));
}

/* The lanes of each side of the branch vote separately. */
static __device__ unsigned ballots_in_branches(unsigned a, unsigned b)
{
    const bool here = (int)a < 0;
    const unsigned mask = __ballot_sync(all_lanes, here);
    unsigned votes;

    if (here)
        votes = __ballot_sync(mask, b & 1u) * 3u;
    else
        votes = ~mask ^ __ballot_sync(~mask, (int)b > 0);
    return votes + (unsigned)__popc(votes & ((1u << lane()) - 1u));
}

/* All lanes leave the loop when one of them wants to. */
static __device__ unsigned loop_until_vote(unsigned a, unsigned b)
{
    unsigned steps = 0;

    for (; steps < 12u; steps++) {
        a = a * 5u + 1u;
        if (__any_sync(all_lanes, (a & 0x1ffu) == (b & 0x1ffu)))
            break;
        if (__all_sync(all_lanes, a % 61u != 0u))
            b++;
    }
    return a + steps;
}

/* Lanes leave one by one. The remaining lanes vote on who remains. */
static __device__ unsigned loop_with_lanes_leaving(unsigned a)
{
    unsigned staying = all_lanes, sum = 0, k = 0;

    for (;;) {
        const bool stays = k < (a & 7u);
        staying = __ballot_sync(staying, stays);
        if (!stays)
            break;
        sum = sum * 3u + (unsigned)__popc(staying);
        k++;
    }
    return sum + staying;
}

/* ---- Votes of the block ---- */

static __device__ unsigned block_votes(unsigned a, unsigned b)
{
    const unsigned negative = (unsigned)__syncthreads_count((int)a < 0);
    const unsigned some = __syncthreads_or((int)((a & b) == 0x7fffffffu)) != 0,
                   all = __syncthreads_and((int)(a | b)) != 0;

    return negative * 4u + some * 2u + all;
}

/* ---- Packed bytes, and products of matrices ---- */

/* The sum of the products of signed bytes, and of the distances of unsigned ones. */
static __device__ unsigned packed_bytes(unsigned a, unsigned b, unsigned c)
{
    unsigned products, distances;

    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(products) : "r"(a), "r"(b), "r"(c));
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(distances) : "r"(a), "r"(b), "r"(c));
    return products ^ distances * 3u;
}

/* d = x * y, of signed bytes: 16 x 32 and 32 x 8. Without the instruction, lanes exchange the bytes
 * by shuffles. */
static __device__ void multiply_bytes(int d[4], const unsigned x[4], const unsigned y[2])
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(0));
#else
    const int group = (int)lane() / 4, pair = (int)lane() % 4 * 2;

    for (int r = 0; r < 4; r++) {
        d[r] = 0;
        for (int k = 0; k < 32; k++) {
            const int from = k % 16 / 4, shift = k % 4 * 8;
            const unsigned left = __shfl_sync(all_lanes, x[r / 2 + k / 16 * 2], 4 * group + from),
                           right = __shfl_sync(all_lanes, y[k / 16], 4 * (pair + r % 2) + from);
            d[r] += (int)(signed char)(left >> shift) * (int)(signed char)(right >> shift);
        }
    }
#endif
}

static __device__ unsigned sum_of_products(const unsigned x[4], const unsigned y[2])
{
    int d[4];

    multiply_bytes(d, x, y);
    return (unsigned)d[0] + (unsigned)d[1] * 3u + (unsigned)d[2] * 5u + (unsigned)d[3] * 7u;
}

static __device__ unsigned matrix_of_bytes(unsigned a, unsigned b)
{
    const unsigned x[4] = {a, b, a + b, a ^ b}, y[2] = {a - b, a & b};

    return sum_of_products(x, y);
}

static __device__ unsigned product_b32(unsigned a)
{
    const unsigned x[4] = {a, ~a, __funnelshift_l(a, a, 7), a}, y[2] = {~a, a};

    return sum_of_products(x, y);
}

/* The words of a warp are a matrix of 8 x 8 halves. A lane gets two halves of a column. */
static __device__ unsigned transposed_b32(unsigned a)
{
    __shared__ __align__(16) unsigned rows[128];
    unsigned first = threadIdx.x - lane(), result;

    rows[threadIdx.x] = a;
    __syncthreads();
#if __CUDA_ARCH__ >= 750
    asm volatile("{.reg .b64 s; .reg .b32 t; cvta.to.shared.u64 s, %1; cvt.u32.u64 t, s; "
                 "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [t];}"
                 : "=r"(result)
                 : "l"(&rows[first + lane() % 8u * 4u])
                 : "memory");
#else
    const unsigned row = first + lane() % 4u * 8u + lane() / 8u, shift = lane() / 4u % 2u * 16u;
    result = (rows[row] >> shift & 0xffffu) | (rows[row + 4u] >> shift) << 16;
#endif
    __syncthreads();
    return result;
}

/* Copies the value from the thread's place in the output, by cp.async. */
static __device__ unsigned async_b32(unsigned a, unsigned *place)
{
#if __CUDA_ARCH__ >= 800
    __shared__ unsigned copies[128];
    unsigned other;

    *place = a;
    asm volatile("{.reg .b64 s; .reg .b32 t; cvta.to.shared.u64 s, %0; cvt.u32.u64 t, s; "
                 "cp.async.ca.shared.global [t], [%1], 4; cp.async.wait_all;}"
                 :
                 : "l"(&copies[threadIdx.x]), "l"(place)
                 : "memory");
    __syncthreads();
    other = copies[(threadIdx.x + 37u) % 128u];
    __syncthreads();
    return other;
#else
    return shared_b32(a);
#endif
}

/* The fragments come from shuffles and packed arithmetic, and results are shuffled too. */
static __device__ unsigned matrix_after_shuffles(unsigned a, unsigned b)
{
    const unsigned other = __shfl_xor_sync(all_lanes, a, 5);
    const unsigned x[4] = {other, a, packed_bytes(a, b, other), b}, y[2] = {b ^ other, other + b};
    int d[4];

    multiply_bytes(d, x, y);
    return (unsigned)d[0] ^ __shfl_sync(all_lanes, (unsigned)d[3], (int)(b & 31u));
}

} // namespace idiom
