/* SPDX-License-Identifier: MIT
 *
 * Kernels with one seeded defect each. All should sum like reduceInterleaved, or write out[b]. The
 * suite must detect each one and report the right kind.
 */
#include <simtcheck/dialect.h>

__global__ void seededMissingBarrier(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    /* defect: marked_elsewhere */
    int *segment = in + blockIdx.x * blockDim.x;
    /* end of defect */

    /* defect: missing_barrier */
    for (unsigned int stride = 512; stride > 0; stride >>= 1) {
        if (tid < stride && tid + stride < blockDim.x && i + stride < n)
            segment[tid] += segment[tid + stride];
    }
    if (tid == 0)
        out[blockIdx.x] = i < n ? segment[0] : 0;
    /* end of defect */
}

__global__ void seededOffByOne(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;

    for (unsigned int stride = 512; stride > 1; stride >>= 1) { /* never 1 */
        if (tid < stride && tid + stride < blockDim.x && i + stride < n)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = i < n ? segment[0] : 0;
}

/* Adds up the block's share of the sum in one thread. */
__device__ static int sum_of_block(const volatile int *in, unsigned int n)
{
    unsigned int first = blockIdx.x * blockDim.x;
    int sum = 0;
    for (unsigned int i = first; i < first + blockDim.x && i < n; i++)
        sum += in[i];
    return sum;
}

/* A race: all threads write the same value to one output. */
__global__ void seededHarmlessRace(int *in, int *out, unsigned int n)
{
    /* defect: harmless */
    out[blockIdx.x] = sum_of_block(in, n);
    /* end of defect */
}

/* Atomic accesses do not race, but the result is right only if thread 0 comes first. */
__global__ void seededByOrder(int *in, int *out, unsigned int n)
{
    int *first = out + blockIdx.x;

    if (threadIdx.x == 0)
        out[blockIdx.x] = -1;
    __syncthreads();
    if (atomicCAS(first, -1, static_cast<int>(threadIdx.x)) == -1)
        atomicExch(first, threadIdx.x == 0 ? sum_of_block(in, n) : 0);
    else if (threadIdx.x == 1)
        atomicAdd(first, 0);
}

__global__ void seededStrayRead(int *in, int *out, unsigned int n)
{
    if (threadIdx.x == 0) {
        int sum = 0;
        unsigned int first = blockIdx.x * blockDim.x;
        for (unsigned int i = first; i < first + blockDim.x && i <= n; i++) /* one too many */
            sum += in[i];
        out[blockIdx.x] = sum;
    }
}

__global__ void seededStrayWrite(int *in, int *out, unsigned int n)
{
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum_of_block(in, n);
        if (blockIdx.x + 1 == gridDim.x)
            out[gridDim.x] = 0;
    }
}

__global__ void seededUnwrittenOutput(int *in, int *out, unsigned int n)
{
    int sum = sum_of_block(in, n);
    if (threadIdx.x == 0 && sum != 0) /* "nothing to add" */
        out[blockIdx.x] = sum;
}

__global__ void seededUnwrittenRead(int *in, int *out, unsigned int n)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] += sum_of_block(in, n);
}

__global__ void seededWritesInput(int *in, int *out, unsigned int n)
{
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum_of_block(in, n);
        if (n > 0 && blockIdx.x == 0)
            in[0] ^= 1;
    }
}

/* Makes no memory access, so a limit ends it. */
__global__ void seededEndlessLoop(int *in, int *out, unsigned int n)
{
    while (n == 7)
        asm volatile("" ::: "memory");
    out[blockIdx.x] = sum_of_block(in, n);
}

/* Waits for a write that never happens. */
__global__ void seededEndlessWait(volatile int *in, int *out, unsigned int n)
{
    int before = n > 0 ? in[0] : 0;
    while (n > 0 && in[0] == before)
        ;
    out[blockIdx.x] = 0;
}

__global__ void seededEndlessWrites(int *in, int *out, unsigned int n)
{
    volatile int *written = in;
    while (n > 0)
        written[0] = 1;
    out[blockIdx.x] = 0;
}

__global__ void seededEndlessBarriers(int *in, int *out, unsigned int n)
{
    while (n != ~0u)
        __syncthreads();
    out[blockIdx.x] = sum_of_block(in, n);
}

/* All threads reach a barrier, but not the same one. */
__global__ void seededDivergentBarrier(int *in, int *out, unsigned int n)
{
    if (threadIdx.x % 2 == 0) {
        __syncthreads();
    } else {
        asm volatile("" ::: "memory"); /* keeps compilers from merging the barriers */
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum_of_block(in, n);
}

__global__ void seededTrap(int *in, int *out, unsigned int n)
{
    if (n == 7)
        __trap();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum_of_block(in, n);
}

__global__ void seededWildRead(int *in, int *out, unsigned int n)
{
    const int *nowhere = reinterpret_cast<const int *>(static_cast<size_t>(n) * 4 + 64);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum_of_block(in, n) + *nowhere;
}

__global__ void seededSharedStray(int *in, int *out, unsigned int n)
{
    __shared__ int s[32];
    s[threadIdx.x] = 1; /* blocks of more than 32 threads */
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum_of_block(in, n) + s[0] - 1;
}

__global__ void seededSharedUnwritten(int *in, int *out, unsigned int n)
{
    __shared__ int s[1024];
    if (blockIdx.x == 0)
        s[threadIdx.x] = 0; /* other blocks find block 0's values, by luck */
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum_of_block(in, n) + s[blockDim.x - 1];
}

/* The last thread writes thread 0's local variable. */
__global__ void seededForeignLocal(int *in, int *out, unsigned int n)
{
    __shared__ volatile int *shared_pointer;
    volatile int local = 0;

    if (threadIdx.x == 0)
        shared_pointer = &local;
    __syncthreads();
    if (threadIdx.x + 1 == blockDim.x)
        *shared_pointer = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum_of_block(in, n) + local;
}

__noinline__ __device__ int deeper(volatile int *word, unsigned int n)
{
    int mine = *word, below = n == 0 ? 0 : deeper(word, n - 1);
    return (below ^ *word) + mine;
}

/* Calls itself a million times. */
__global__ void seededDeepStack(int *in, int *out, unsigned int n)
{
    __shared__ volatile int word;

    if (threadIdx.x != 0)
        return;
    word = 1;
    out[blockIdx.x] = sum_of_block(in, n) + deeper(&word, 1 << 20);
}

/* All threads write one word, and then one of them reads past the data. */
__global__ void seededRaceThenStray(int *in, int *out, unsigned int n)
{
    out[blockIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = in[n + blockDim.x];
}

/* Reverses the block in shared memory without a necessary barrier. Some words are read before any
 * thread has written them. */
__global__ void seededReadTooEarly(int *in, int *out, unsigned int n)
{
    __shared__ int turned[1024], read[1024];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    turned[threadIdx.x] = i < n ? in[i] : 0;
    read[threadIdx.x] = turned[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned int k = 0; k < blockDim.x; k++)
            sum += read[k];
        out[blockIdx.x] = sum;
    }
}

/* A correct kernel with shared memory. It must not see the previous block's values. */
__global__ void sharedSum(int *in, int *out, unsigned int n)
{
    __shared__ int s[1024];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int stride = 512; stride > 0; stride >>= 1) {
        if (tid < stride && tid + stride < blockDim.x)
            s[tid] += s[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

/* Writes (block, thread) in the order of execution, which reveals the schedule. */
__global__ void recordOrder(int *in, int *out, unsigned int n)
{
    int place = atomicAdd(in, 1);
    out[place] = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (n > 0)
        __syncthreads();
}

/* All threads count in one word, without any order. */
__global__ void seededLostUpdates(volatile int *in, volatile int *out, unsigned int n)
{
    if (n == 0)
        in[0] = in[0] + 1;
    out[0] = in[0];
}

/* Neighbours exchange values through volatile words without a barrier. It is right only while the
 * lanes of a warp run in lockstep. */
__global__ void shiftInWarp(volatile int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    in[tid] = static_cast<int>(tid);
    out[tid] = in[(tid + 1) % n];
}

/* Threads from n on leave before the barrier, which must not wait for them. */
__global__ void earlyExit(int *in, int *out, unsigned int n)
{
    if (threadIdx.x >= n)
        return;
    in[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = in[n - 1];
}

/* Makes accesses of every width, plain and volatile, in the first 64 bytes of `in`; n is its size.
 * With a wrong width, an access would leave the buffer, or touch bytes that nothing wrote. */
struct alignas(16) wide {
    long long low, high;
};

template <typename Word>
__device__ static int touch(void *place)
{
    Word *plain = static_cast<Word *>(place);
    volatile Word *restless = plain + 1;

    plain[0] = static_cast<Word>(1);
    restless[0] = plain[0];
    restless[0] = static_cast<Word>(restless[0] + 1);
    return static_cast<int>(plain[0] + restless[0]);
}

__global__ void widths(int *in, int *out, unsigned int n)
{
    wide *words = reinterpret_cast<wide *>(in);
    int sum = touch<char>(in) + touch<short>(in) + touch<int>(in) + touch<long long>(in) +
              touch<float>(in) + touch<double>(in);

    words[1] = words[0];
    words[n / 4 - 1] = words[1];
    out[0] = sum;
}

/* Its own output is right, but block 0 writes 40,000 bytes past it. On a GPU that memory belongs to
 * something else. */
__global__ void seededFarWrite(int *in, int *out, unsigned int n)
{
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum_of_block(in, n);
        if (blockIdx.x == 0 && n == 7)
            out[10000] = 0;
    }
}

/* Writes 16 bytes where only 12 remain. */
__global__ void seededWideStray(int *in, int *out, unsigned int n)
{
    wide *words = reinterpret_cast<wide *>(in);
    words[n / 4].low = words[0].low; /* the half that fits */
    words[n / 4].high = words[0].high;
    out[0] = 0;
}

/* Every thread records its position. */
__global__ void coordinates(int *in, int *out, unsigned int n)
{
    unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned int threads = blockDim.x * blockDim.y * blockDim.z;

    (void)in;
    if (block * threads + thread < n)
        out[block * threads + thread] = static_cast<int>(
            threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z + 1000000 * blockIdx.y);
}

/* Right for even n. For odd n the wrong result is defined, but differs between the simulator and a
 * GPU, or its stand-in. */
__global__ void seededOtherOnGpu(int *in, int *out, unsigned int n)
{
#ifdef SEEDED_AS_GPU
    const int wrong = 1;
#else
    const int wrong = 2;
#endif
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum_of_block(in, n) + (n % 2 == 0 ? 0 : wrong);
}

/* One element is wrong; the textbook's kernel writes i mod 2, or 100 and 200. */
__global__ void seededWrongElement(int *c, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = i == 5 ? 7 : static_cast<int>(i % 2);
}

__global__ void seededWrongFloat(float *c, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = i == 5 ? 100.5f : i % 2 == 0 ? 100.0f : 200.0f;
}

/* Omits the last element of the whole data, and is right for zeros. */
__global__ void seededLosesLast(const float *in, float *out, unsigned int n)
{
    float sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x; i < (blockIdx.x + 1) * blockDim.x && i + 1 < n;
         i++)
        sum += in[i];
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

/* Defects that a declared race does not explain. */
enum defect {
    ADDS_42,
    SUBTRACTS,
    RACES_FOR_OUT,
};

/* A declared missing barrier, and an undeclared defect. */
template <defect Defect>
__global__ void seededOwnsUpToHalf(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;

    for (unsigned int stride = 512; stride > 0; stride >>= 1) {
        int sign = Defect == SUBTRACTS && tid == 1 && stride == 2 ? -1 : 1;
        /* defect: half_the_truth */
        if (tid < stride && tid + stride < blockDim.x && i + stride < n)
            segment[tid] += sign * segment[tid + stride];
    }
    if (Defect == RACES_FOR_OUT && tid == 1 && blockDim.x >= 4 && n >= 4)
        out[blockIdx.x] = 0;
    if (tid == 0)
        out[blockIdx.x] = (i < n ? segment[0] : 0) + (Defect == ADDS_42 ? 42 : 0);
    /* end of defect */
}

EXPORT_KERNEL_AS(seededAdds42, seededOwnsUpToHalf<ADDS_42>);
EXPORT_KERNEL_AS(seededTakesAway, seededOwnsUpToHalf<SUBTRACTS>);
EXPORT_KERNEL_AS(seededRacesForOut, seededOwnsUpToHalf<RACES_FOR_OUT>);
/* reduceNeighbored3's tail at unit distance, where it adds the wrong elements. Its sums are B/64
 * apart. */
__global__ void seededUnitDistance(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x, first = blockIdx.x * blockDim.x;
    int *segment = in + first;
    unsigned int rest = first < n ? n - first : 0;
    unsigned int present = rest < blockDim.x ? rest : blockDim.x;

    for (unsigned int stride = 1; 64 * stride < blockDim.x; stride *= 2) {
        unsigned int partner = 2 * stride * tid + stride;
        if (partner < present)
            segment[partner - stride] += segment[partner];
        __syncthreads();
    }
    for (unsigned int stride = 32; stride > 0; stride >>= 1) {
        if (tid < stride && tid + stride < present)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = present > 0 ? segment[0] : 0;
}

EXPORT_KERNEL(seededHarmlessRace);
EXPORT_KERNEL(seededByOrder);
/* Spends its time in operations of the engine. */
__global__ void seededEndlessFences(int *in, int *out, unsigned int n)
{
    while (n == 7)
        __threadfence();
    out[blockIdx.x] = sum_of_block(in, n);
}

/* A correct kernel that prints. */
__global__ void seededPrints(int *in, int *out, unsigned int n)
{
    if (threadIdx.x != 0)
        return;
    out[blockIdx.x] = sum_of_block(in, n);
    printf("done\t0\n");
}

/* Divides by a quotient, which is zero if the block is larger than the data. */
__global__ void seededDivides(int *in, int *out, unsigned int n)
{
    unsigned int share = n / blockDim.x;
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum_of_block(in, n) + (int)(n / share / n / 2);
}

/* Right for every block that belongs to the grid. */
__global__ void seededSurplus(int *in, int *out, unsigned int n)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = blockIdx.x > 0 && blockIdx.x * blockDim.x >= n ? 1 : sum_of_block(in, n);
}

/* Stores once less than requested. */
__global__ void seededStores(volatile int *c, unsigned int n, unsigned int count)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned int k = 1; i < n && k < count; k++)
        c[i] = (int)(i % 2);
}

EXPORT_KERNEL(seededMissingBarrier);
EXPORT_KERNEL(seededWrongElement);
EXPORT_KERNEL(seededWrongFloat);
EXPORT_KERNEL(seededLosesLast);
EXPORT_KERNEL(seededOtherOnGpu);
EXPORT_KERNEL(seededOffByOne);
EXPORT_KERNEL(seededStrayRead);
EXPORT_KERNEL(seededStrayWrite);
EXPORT_KERNEL(seededUnwrittenOutput);
EXPORT_KERNEL(seededUnwrittenRead);
EXPORT_KERNEL(seededWritesInput);
EXPORT_KERNEL(seededEndlessLoop);
EXPORT_KERNEL(seededEndlessWait);
EXPORT_KERNEL(seededEndlessWrites);
EXPORT_KERNEL(seededEndlessBarriers);
EXPORT_KERNEL(seededDivergentBarrier);
EXPORT_KERNEL(seededTrap);
EXPORT_KERNEL(seededWildRead);
EXPORT_KERNEL(seededSharedStray);
EXPORT_KERNEL(seededSharedUnwritten);
EXPORT_KERNEL(seededForeignLocal);
EXPORT_KERNEL(seededDeepStack);
EXPORT_KERNEL(seededRaceThenStray);
EXPORT_KERNEL(seededReadTooEarly);
EXPORT_KERNEL(sharedSum);
EXPORT_KERNEL(seededLostUpdates);
EXPORT_KERNEL(recordOrder);
EXPORT_KERNEL(shiftInWarp);
EXPORT_KERNEL(earlyExit);
EXPORT_KERNEL(seededFarWrite);
EXPORT_KERNEL(widths);
EXPORT_KERNEL(seededWideStray);
EXPORT_KERNEL(coordinates);
EXPORT_KERNEL(seededPrints);
EXPORT_KERNEL(seededDivides);
EXPORT_KERNEL(seededSurplus);
EXPORT_KERNEL(seededStores);
EXPORT_KERNEL(seededEndlessFences);
EXPORT_KERNEL(seededUnitDistance);
