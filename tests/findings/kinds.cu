// SPDX-License-Identifier: MIT
// One defect in each kernel. kinds.launches launches them, and kinds.txt has what check prints.
#include <cassert>

// Hides a pointer from the compiler, which would drop unused allocations and stores.
#define HIDE(pointer) asm volatile("" : "+l"(pointer) : : "memory")

// ---- Races ----

__global__ void writeRead(const int *in, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;

    tile[t] = in[t];
    out[t] = tile[63 - t];
}

__global__ void readWrite(const int *in, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;

    tile[t] = in[t];
    __syncthreads();
    int other = tile[63 - t];
    tile[t] = other + 1;
    __syncthreads();
    out[t] = tile[t];
}

__global__ void writeWrite(const int *in, int *out)
{
    __shared__ int last;

    last = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = last;
}

__global__ void sameValue(int *done)
{
    done[0] = 1;
}

__global__ void withinWarp(const int *in, int *out)
{
    __shared__ int tile[32];
    int t = threadIdx.x;

    tile[t] = in[t];
    out[t] = tile[t ^ 1];
}

__global__ void betweenBlocks(int *sum)
{
    if (threadIdx.x == 0)
        sum[0] += blockIdx.x;
}

static __device__ __forceinline__ void put(int *tile, int at, int value)
{
    tile[at] = value;
}

__global__ void inlinedHelper(const int *in, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;

    put(tile, t, in[t]);
    out[t] = tile[63 - t];
}

struct Scratch {
    int count;
    float values[64];
};

__global__ void sharedStruct(const float *in, float *out)
{
    __shared__ Scratch scratch;
    int t = threadIdx.x;

    scratch.values[t] = in[t];
    out[t] = scratch.values[63 - t];
}

__global__ void twoDimensions(const float *in, float *out)
{
    __shared__ float tile[8][9];
    int x = threadIdx.x, y = threadIdx.y;

    tile[y][x] = in[8 * y + x];
    out[8 * y + x] = tile[x][y];
}

struct Job {
    float x, y;
};

__global__ void structMember(Job *jobs)
{
    jobs[threadIdx.x / 2].x = threadIdx.x;
}

__global__ void atomicAndPlain(int *count, int *out)
{
    atomicAdd(count, 1);
    out[threadIdx.x] = *count;
}

__global__ void twoStreams(int *x)
{
    x[threadIdx.x] += 1;
}

// ---- Values that nothing has written ----

__global__ void uninitializedShared(int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;

    if (t > 0)
        tile[t] = t;
    __syncthreads();
    out[t] = tile[t];
}

__global__ void uninitializedGlobal(int *scratch, int *out)
{
    int t = threadIdx.x;

    if (t != 5)
        scratch[t] = t;
    out[t] = scratch[t] + 1;
}

__global__ void uninitializedLocal(const int *in, int *out)
{
    int own[4], *words = own;

    HIDE(words);
    words[0] = in[threadIdx.x];
    out[threadIdx.x] = words[1];
}

static __device__ float value_of(int kind, float x)
{
    float value;

    switch (kind) {
    case 1:
        value = 2 * x;
        break;
    case 200:
        value = sinf(x);
        break;
    case 70000:
        value = expf(x);
        break;
    }
    return value;
}

__global__ void unsetVariable(const int *in, float *out)
{
    out[threadIdx.x] = value_of(in[threadIdx.x], 1.5f * in[0]);
}

__global__ void shuffleSource(const int *in, int *out)
{
    int t = threadIdx.x;

    if (t < 20)
        out[t] = __shfl_down_sync(0xfffff, in[t], 4);
}

__global__ void unwrittenOutput(const int *in, int *out)
{
    if (threadIdx.x < 63)
        out[threadIdx.x] = in[threadIdx.x];
}

// ---- Bounds ----

__global__ void readAfter(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x + 1];
}

__global__ void readBefore(const int *in, int *out)
{
    int i = threadIdx.x;

    out[i] = in[i - 1];
}

__global__ void writeAfter(const int *in, int *out)
{
    out[threadIdx.x + 1] = in[threadIdx.x];
    if (threadIdx.x == 0)
        out[0] = 0;
}

__global__ void writeBefore(const int *in, int *out)
{
    int i = threadIdx.x;

    out[i - 1] = in[i];
    if (i == 0)
        out[63] = 0;
}

__global__ void sharedReadAfter(const int *in, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;

    tile[t] = in[t];
    __syncthreads();
    out[t] = tile[t + 1];
}

__global__ void sharedWriteBefore(const int *in, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;

    tile[t - 1] = in[t];
    __syncthreads();
    out[t] = t < 63 ? tile[t] : 0;
}

__global__ void nullPointer(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void rowTooLong(const float *const *rows, float *out)
{
    out[threadIdx.x] = rows[1][threadIdx.x];
}

__global__ void writeToInput(int *in, int *out)
{
    in[threadIdx.x] = 1;
    out[threadIdx.x] = 1;
}

__global__ void misaligned(const float *in, float4 *out)
{
    out[threadIdx.x] = *(const float4 *)(in + 4 * threadIdx.x + 1);
}

// ---- Traps and arithmetic ----

__global__ void divisionByZero(const int *in, int *out)
{
    out[threadIdx.x] = 64 / in[threadIdx.x];
}

__global__ void traps(const int *in, int *out)
{
    if (in[threadIdx.x] == 0)
        __trap();
    out[threadIdx.x] = 1;
}

__global__ void assertion(const int *in, int *out)
{
    assert(in[threadIdx.x] > 0);
    out[threadIdx.x] = 1;
}

__global__ void prints(int *out)
{
    out[threadIdx.x] = 1;
    if (threadIdx.x >= 62)
        printf("%d\n", threadIdx.x);
}

// ---- The heap ----

__global__ void useAfterFree(int *out)
{
    int *own = (int *)malloc(16), *kept = own;

    own[0] = 1;
    HIDE(kept);
    free(own);
    out[threadIdx.x] = kept[0];
}

__global__ void freesTwice(int *out)
{
    int *own = (int *)malloc(16), *kept = own;

    HIDE(kept);
    free(own);
    out[threadIdx.x] = 1;
    free(kept);
}

__global__ void leak(int *out)
{
    int *own = (int *)malloc(16);

    HIDE(own);
    out[threadIdx.x] = 1;
    if (threadIdx.x > 0)
        free(own);
}

// ---- Waits ----

__global__ void divergentBarrier(int *out)
{
    if (threadIdx.x < 5)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}

__global__ void warpsApart(int *out)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}

__global__ void skippedBarrier(int *out)
{
    if (threadIdx.x < 16)
        __syncthreads();
    out[threadIdx.x] = 1;
}

__global__ void divergentVote(const int *in, int *out)
{
    int t = threadIdx.x;

    if (t < 16)
        out[t] = __any_sync(0xffffffff, in[t]);
    else
        out[t] = __all_sync(0xffffffff, in[t]);
}

__global__ void maskWithoutItself(const int *in, int *out)
{
    __syncwarp(0xffff);
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void deadlock(volatile int *flag, int *out)
{
    if (threadIdx.x == 0)
        while (*flag == 0) {
        }
    out[threadIdx.x] = 1;
}

__global__ void endlessLoop(volatile int *out)
{
    for (int i = 0; i >= 0; i = (i + 1) & 0xffff)
        out[threadIdx.x] = i;
}

__global__ void copyNotWaitedFor(const int *in, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;

    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(&tile[t])), "l"(in + t)
                 : "memory");
    out[t] = tile[t];
    asm volatile("cp.async.wait_all;" : : : "memory");
}

__global__ void barrierNotInitialized(int *out)
{
    __shared__ unsigned long long barrier;

    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(&barrier))
                 : "memory");
    out[threadIdx.x] = 1;
}

// ---- Calls and launches ----

static __device__ __noinline__ int factorial(volatile int *n)
{
    int factor = *n;

    *n = factor - 1;
    return factor == 1 ? 1 : factorial(n) * factor + *n;
}

__global__ void stackOverflow(int *n, int *out)
{
    out[threadIdx.x] = factorial(n);
}

__global__ void child(int *out)
{
    *out = 1;
}

__global__ void childLaunch(int *out)
{
    out[0] = 1;
#ifndef __clang__ // clang does not compile launches in kernels
    child<<<1, 2000>>>(out);
#endif
}

__global__ void localPointerEscape(int *out)
{
    int own = 1;

    out[0] = own;
#ifndef __clang__
    child<<<1, 1>>>(&own);
#endif
}

__global__ void tooManyThreads(int *out)
{
    out[threadIdx.x] = 1;
}

__global__ void tooMuchShared(int *out)
{
    extern __shared__ int words[];

    words[threadIdx.x] = 1;
    out[threadIdx.x] = words[threadIdx.x];
}

// ---- Results ----

// pairs/stores_right.cu has a kernel of this name, too.
__global__ void stores(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i] + (i == 36);
}

__global__ void orderDependent(int *count, int *out)
{
    out[threadIdx.x] = atomicAdd(count, 1);
}

__global__ void floatSum(const float *in, float *sum)
{
    atomicAdd(sum, in[threadIdx.x]);
}

// ---- Races under a condition ----

__global__ void onlyInLockstep(int *last, int *out)
{
    unsigned active = __activemask();

    out[threadIdx.x] = 1;
    if (active == 0xffffffff)
        last[0] = threadIdx.x;
}

__global__ void onlyInWeakMemory(volatile int *flags, int *sum)
{
    flags[blockIdx.x] = 1;
    if (flags[1 - blockIdx.x] == 0)
        sum[0] += 1;
}

// ---- Elements ----

enum { ROWS = 8 };
constexpr int COLUMNS = ROWS + 1;

__global__ void rowAfter(const float *in, float *out)
{
    __shared__ float tile[ROWS][COLUMNS];
    int x = threadIdx.x, y = threadIdx.y;

    tile[y][x] = in[8 * y + x];
    __syncthreads();
    out[8 * y + x] = tile[y + 1][x];
}

__global__ void bytesAsWords(int *out)
{
    __shared__ __align__(4) unsigned char bytes[4 * 65];
    int *words = (int *)bytes, t = threadIdx.x;

    words[t] = t;
    __syncthreads();
    out[t] = words[t + 1];
}

struct Particle {
    float4 at;
    int cell[2];
};

__global__ void nestedMember(const int *in, Particle *particles)
{
    int t = threadIdx.x;

    if (t != 5)
        particles[t].at = make_float4(0, 0, 0, 0);
    particles[t].cell[0] = in[t];
    particles[t].cell[1] = particles[t].at.y > 0;
}

// What the plain store wrote is not known: the thread's own atomic comes before the other one.
__global__ void zeroThenCount(int *count, int *out)
{
    if (threadIdx.x == 0)
        *count = 0;
    atomicAdd(count, 1);
    __syncthreads();
    out[threadIdx.x] = *count;
}

// The race is recorded when the copy is requested, before it writes.
__global__ void copyWithoutBarrier(const int *in, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;

    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(&tile[t])), "l"(in + t)
                 : "memory");
    asm volatile("cp.async.wait_all;" : : : "memory");
    out[t] = tile[63 - t];
}
