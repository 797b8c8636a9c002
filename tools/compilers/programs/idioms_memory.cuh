/* SPDX-License-Identifier: MIT
 *
 * Device code of operations on local and shared arrays (src/oracle/cuda_operations.h). The text is
 * compiled as part of each program file. A shared array is read between two barriers, because a
 * program may contain the operation twice.
 */
namespace idiom
{

/* ---- Local arrays and structs ---- */

static __device__ unsigned array_histogram(unsigned a, unsigned b)
{
    unsigned char counts[16] = {0};

    for (unsigned k = 0; k < 8u; k++)
        counts[a >> 4u * k & 15u]++;
    return counts[b & 15u] * 16u + counts[b >> 28];
}

static __device__ unsigned array_sorted(unsigned a, unsigned b, unsigned c)
{
    int slots[8] = {(int)a,        (int)b,        (int)(a + b),  (int)(a ^ b),
                    (int)(a << 4), (int)(b >> 3), (int)(0u - a), 0};

    for (int k = 1; k < 8; k++) {
        const int value = slots[k];
        int to = k;
        for (; to > 0 && slots[to - 1] > value; to--)
            slots[to] = slots[to - 1];
        slots[to] = value;
    }
    return (unsigned)slots[c & 7u];
}

static __device__ unsigned array_of_two_dimensions(unsigned a, unsigned b)
{
    unsigned table[3][5], sum = 0;

    for (unsigned i = 0; i < 3u; i++)
        for (unsigned j = 0; j < 5u; j++)
            table[i][j] = a * i + j;
    table[b % 3u][b % 5u] = b;
    for (unsigned j = 0; j < 5u; j++)
        for (unsigned i = 0; i < 3u; i++)
            sum = sum * 7u + table[i][j];
    return sum;
}

/* Writes elements and reads them again. The operand determines their indices. */
static __device__ unsigned array_overwritten(unsigned a, unsigned b)
{
    unsigned slots[8];

    for (unsigned k = 0; k < 8u; k++)
        slots[k] = b + k * k;
    for (unsigned k = 0; k < 8u; k++)
        slots[(k + a) & 7u] ^= slots[(k * 3u + (a >> 3)) & 7u] << 1;
    return slots[0] + slots[3] * 3u + slots[7] * 5u;
}

static __device__ unsigned bytes_of_float(unsigned a, unsigned b)
{
    const float value = __uint_as_float(a);
    unsigned char bytes[8];
    unsigned result;

    memcpy(bytes, &value, 4);
    memcpy(bytes + 4, &b, 4);
    for (unsigned k = 0; k < 4u; k++) {
        const unsigned char byte = bytes[k];
        bytes[k] = bytes[7u - k];
        bytes[7u - k] = byte;
    }
    memcpy(&result, bytes + (b & 3u), 4);
    return result;
}

static __device__ ull misaligned_words(unsigned a, unsigned b, unsigned c)
{
    const unsigned words[3] = {a, b, c};
    unsigned char bytes[12];
    unsigned short half;
    ull eight;

    memcpy(bytes, words, 12);
    memcpy(&half, bytes + 1 + (c & 7u), 2);
    bytes[3] = (unsigned char)half;
    memcpy(&eight, bytes + (a & 3u), 8);
    return eight + half;
}

struct record {
    short number;
    signed char sign;
    int word;
    ull wide;
};

static __device__ ull structs_copied(unsigned a, unsigned b)
{
    record records[4], copy;

    for (unsigned k = 0; k < 4u; k++) {
        records[k].number = (short)(a + k);
        records[k].sign = (signed char)(b - k);
        records[k].word = (int)(a ^ k);
        records[k].wide = (ull)a << 32 | (b + k);
    }
    copy = records[a & 3u];
    records[a & 3u] = records[b & 3u];
    records[b & 3u].word = (int)b;
    return (copy.wide ^ (ull)(long long)copy.number * 3u) +
           ((ull)(long long)records[a & 3u].word ^ (ull)copy.sign << 40);
}

/* ---- Pointers ---- */

static __device__ unsigned pointers_backwards(unsigned a, unsigned b)
{
    unsigned slots[16];
    const unsigned *const middle = slots + 8,
                          *one = middle - (int)(a & 7u), *const other = middle + (int)(b & 7u);
    unsigned sum = 0;

    for (unsigned k = 0; k < 16u; k++)
        slots[k] = a + k * b;
    for (; one != other; one++)
        sum = sum * 3u + *one;
    return sum + (unsigned)(other - middle) + middle[-1];
}

/* ---- Shared arrays ---- */

enum { THREADS = 128 }; /* threads of a block: PROGRAM_BLOCK */

/* Reads the 16 bytes of thread me + 77, which that thread wrote at once. */
static __device__ ull shared_of_four_words(unsigned a, unsigned b)
{
    __shared__ uint4 slots[THREADS];
    const unsigned at = (threadIdx.x + 77u) % THREADS;
    uint2 upper;
    ull result;

    slots[threadIdx.x] = make_uint4(a, b, a ^ b, a + b);
    __syncthreads();
    upper = ((const uint2 *)slots)[2u * at + 1u];
    result = ((ull)slots[at].y << 32 | upper.y) + upper.x + ((const unsigned *)slots)[4u * at];
    __syncthreads();
    return result;
}

/* Overwrites one byte of a word, and reads the word as four bytes. */
static __device__ unsigned shared_of_bytes(unsigned a, unsigned b)
{
    __shared__ unsigned words[THREADS];
    uchar4 four;
    unsigned result;

    words[threadIdx.x] = a;
    ((unsigned char *)words)[4u * threadIdx.x + (b & 3u)] = (unsigned char)(b >> 8);
    __syncthreads();
    four = ((const uchar4 *)words)[threadIdx.x ^ 33u];
    result = four.w * 16777216u + four.x * 65536u + four.z * 256u + four.y;
    __syncthreads();
    return result;
}

static __device__ unsigned shared_of_short_pairs(unsigned a)
{
    __shared__ short halves[2 * THREADS];
    short2 pair;
    unsigned result;

    halves[2u * threadIdx.x] = (short)(a >> 16);
    halves[2u * threadIdx.x + 1u] = (short)a;
    __syncthreads();
    pair = ((const short2 *)halves)[THREADS - 1u - threadIdx.x];
    result = (unsigned)(pair.x * 3 - pair.y);
    __syncthreads();
    return result;
}

static __device__ unsigned shared_of_three_floats(unsigned a, unsigned b)
{
    __shared__ float3 slots[THREADS];
    const float3 mine = make_float3(__uint_as_float(a & 0x7fffffu), (float)(b & 0xffffu), -1.0f);
    float3 other;
    unsigned result;

    slots[threadIdx.x] = mine;
    __syncthreads();
    other = slots[(threadIdx.x * 5u + 3u) % THREADS];
    other.z += other.y;
    result = __float_as_uint(other.x) ^ (unsigned)(int)other.z << 5;
    __syncthreads();
    return result;
}

/* Reads eight bytes of a shared array, starting at any byte. */
static __device__ ull shared_misaligned(unsigned a, unsigned b)
{
    __shared__ unsigned char bytes[4 * THREADS + 8];
    ull result;

    memcpy(bytes + 4u * threadIdx.x, &a, 4);
    if (threadIdx.x < 8u)
        bytes[4u * THREADS + threadIdx.x] = (unsigned char)(threadIdx.x * 17u);
    __syncthreads();
    memcpy(&result, bytes + 4u * threadIdx.x + (b & 3u), 8);
    __syncthreads();
    return result;
}

/* The index wraps below 0 in 32 bits, and is widened after it has wrapped back. */
static __device__ unsigned shared_by_wrapped_index(unsigned a, unsigned b)
{
    __shared__ unsigned slots[3 * THREADS];
    const unsigned back = b & 127u, index = threadIdx.x - back, *const middle = slots + THREADS;
    unsigned result;

    slots[threadIdx.x] = a;
    slots[THREADS + threadIdx.x] = ~a;
    slots[2u * THREADS + threadIdx.x] = a * 2u;
    __syncthreads();
    result = middle[(int)index] + middle[(ull)(index + THREADS)] * 3u +
             middle[-1 - (int)threadIdx.x] * 5u;
    __syncthreads();
    return result;
}

struct two_arrays {
    unsigned char bytes[THREADS];
    unsigned words[THREADS];
};

static __device__ unsigned shared_of_two_arrays(unsigned a, unsigned b)
{
    __shared__ two_arrays both;
    unsigned char *const byte = &both.bytes[threadIdx.x];
    const unsigned *word;
    unsigned result;

    *byte = (unsigned char)a;
    both.words[THREADS - 1u - (unsigned)(byte - both.bytes)] = b;
    __syncthreads();
    word = &both.words[both.bytes[threadIdx.x ^ 1u] % THREADS];
    result = *word * 128u + (unsigned)(word - both.words);
    __syncthreads();
    return result;
}

static __device__ unsigned shared_transposed(unsigned a)
{
    __shared__ unsigned tile[16][9];
    unsigned result;

    tile[threadIdx.x % 16u][threadIdx.x / 16u] = a;
    __syncthreads();
    result = tile[threadIdx.x / 8u][threadIdx.x % 8u];
    __syncthreads();
    return result;
}

static __device__ unsigned shared_sum(unsigned a)
{
    __shared__ unsigned slots[THREADS];
    unsigned result;

    slots[threadIdx.x] = a;
    __syncthreads();
    for (unsigned stride = THREADS / 2u; stride > 0u; stride >>= 1) {
        if (threadIdx.x < stride)
            slots[threadIdx.x] += slots[threadIdx.x + stride];
        __syncthreads();
    }
    result = slots[0];
    __syncthreads();
    return result;
}

static __device__ unsigned shared_scan(unsigned a)
{
    __shared__ unsigned slots[2][THREADS];
    unsigned from = 0, result;

    slots[0][threadIdx.x] = a;
    __syncthreads();
    for (unsigned distance = 1; distance < THREADS; distance *= 2u, from ^= 1u) {
        unsigned value = slots[from][threadIdx.x];
        if (threadIdx.x >= distance)
            value += slots[from][threadIdx.x - distance];
        slots[from ^ 1u][threadIdx.x] = value;
        __syncthreads();
    }
    result = slots[from][threadIdx.x];
    __syncthreads();
    return result;
}

static __device__ unsigned shared_histogram(unsigned a, unsigned b)
{
    __shared__ unsigned counts[8];
    __shared__ int most;
    unsigned result;

    if (threadIdx.x < 8u)
        counts[threadIdx.x] = 0;
    if (threadIdx.x == 0u)
        most = -2147483647 - 1;
    __syncthreads();
    atomicAdd(&counts[a & 7u], 1u);
    atomicMax(&most, (int)b);
    __syncthreads();
    result = counts[b & 7u] * 0x1000000u + (unsigned)most;
    __syncthreads();
    return result;
}

/* Threads leave a loop one by one, some threads skip it, and all meet at a barrier. */
static __device__ unsigned shared_after_divergence(unsigned a, unsigned b)
{
    __shared__ unsigned slots[THREADS];
    unsigned result;

    if (a & 8u)
        for (unsigned k = a & 7u; k > 0u; k--)
            b = b * 3u + k;
    else if (b & 1u)
        b = ~b;
    slots[threadIdx.x] = b;
    __syncthreads();
    result = slots[threadIdx.x ^ 96u];
    if (a & 16u)
        result += slots[a % THREADS];
    __syncthreads();
    return result;
}

} // namespace idiom
