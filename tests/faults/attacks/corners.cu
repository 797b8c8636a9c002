// SPDX-License-Identifier: MIT
//
// Corners of the rules: bits, bytes, sizes of atomics, addresses of other threads.
__global__ void minKinds(int *p)
{
    if (threadIdx.x == 0)
        atomicMin(p, -5);
    if (threadIdx.x == 32)
        atomicMin((unsigned *)p, 3u);
}
__global__ void maxKinds64(long long *p)
{
    if (threadIdx.x == 0)
        atomicMax(p, 5ll);
    if (threadIdx.x == 32)
        atomicMax((unsigned long long *)p, 0x8000000000000000ull);
}
__global__ void andOr(int *p)
{
    if (threadIdx.x == 0)
        atomicAnd(p, 1);
    if (threadIdx.x == 32)
        atomicOr(p, 6);
}
__global__ void addSub(int *p)
{
    if (threadIdx.x < 32)
        atomicAdd(p, 3);
    else
        atomicSub(p, 1);
}
__global__ void wideOverBytes(unsigned char *o)
{
    if (threadIdx.x == 0)
        *(unsigned *)o = 0x01010101;
    if (threadIdx.x == 33)
        o[3] = 2;
}
__global__ void localOfOther(int *o)
{
    __shared__ volatile int *p;
    volatile int mine = threadIdx.x;
    if (threadIdx.x == 0)
        p = &mine;
    __syncthreads();
    o[threadIdx.x] = *p;
    __syncthreads();
    o[threadIdx.x] += mine;
}
__global__ void sharedOfOther(int **slot, int *o)
{
    __shared__ int s;
    s = blockIdx.x;
    __syncthreads();
    if (blockIdx.x == 0) {
        *slot = &s;
        __threadfence();
        atomicExch(o, 1);
    } else {
        while (!atomicAdd(o, 0)) {
        }
        __threadfence();
        o[1] = **slot;
    }
}
struct Pad {
    char c;
    int v;
};
__global__ void padding(Pad *p, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        p[i].c = 1;
        p[i].v = i;
    }
}
__global__ void partVector(const float *x, float *o)
{
    __shared__ float4 s[32];
    s[threadIdx.x].x = x[threadIdx.x];
    s[threadIdx.x].y = 1;
    __syncthreads();
    float4 v = s[31 - threadIdx.x];
    o[threadIdx.x] = v.x + v.y;
}
struct Bits {
    unsigned a : 4, b : 28;
};
__global__ void bitsInit(unsigned *o)
{
    __shared__ Bits s[32];
    volatile Bits *p = s + threadIdx.x;
    p->a = 1;
    p->b = threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = *(unsigned *)&s[31 - threadIdx.x];
}
__global__ void shiftIn(const unsigned char *x, unsigned *o)
{
    __shared__ volatile unsigned s[32];
    for (int k = 0; k < 4; k++)
        s[threadIdx.x] = s[threadIdx.x] << 8 | x[4 * threadIdx.x + k];
    o[threadIdx.x] = s[threadIdx.x];
}
__global__ void shiftInThree(const unsigned char *x, unsigned *o)
{
    __shared__ volatile unsigned s[32];
    for (int k = 0; k < 3; k++)
        s[threadIdx.x] = s[threadIdx.x] << 8 | x[4 * threadIdx.x + k];
    o[threadIdx.x] = s[threadIdx.x];
}
__global__ void maskHalf(const short *x, unsigned *o)
{
    __shared__ unsigned s[32];
    *(volatile short *)&s[threadIdx.x] = x[threadIdx.x];
    o[threadIdx.x] = *(volatile unsigned *)&s[threadIdx.x] & 0xffff;
}
__global__ void halfCas(unsigned *w)
{
    if (threadIdx.x == 0)
        atomicCAS(w, 0u, 1u);
    if (threadIdx.x == 32)
        *((unsigned short *)w + 1) = 0;
}
__global__ void plainPeek(int *c)
{
    if (*c < 1000)
        atomicAdd(c, 1);
}
__global__ void initElsewhere(int *c, int *o)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *c = 0;
    __syncthreads();
    atomicAdd(c, 1);
    o[blockIdx.x] = 1;
}
__global__ void sharedNext(int *o)
{
    __shared__ int a[32], b[32];
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 2;
    __syncthreads();
    o[threadIdx.x] = a[threadIdx.x + 8] + b[threadIdx.x];
}
__device__ int va[8], vb[8];
__global__ void variableNext(int *o, int k)
{
    vb[0] = 1;
    o[threadIdx.x] = va[threadIdx.x + k];
}
__global__ void forever(int *o)
{
    volatile int x = 1;
    while (x) {
    }
    o[0] = 1;
}
__global__ void oneWaits(volatile int *f)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else {
        while (!*f) {
        }
        __syncthreads();
    }
    *f = 1;
}
__global__ void shflOut(int *o)
{
    int v = threadIdx.x;
    if (threadIdx.x % 2)
        v = __shfl_sync(0xaaaaaaaa, v, 0);
    o[threadIdx.x] = v;
}
__global__ void listNoOrder(const int *x, int *l, int *c)
{
    if (x[threadIdx.x] & 1)
        l[atomicAdd(c, 1)] = threadIdx.x;
}
__global__ void argmax(const int *x, unsigned long long *best, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMax(best, (unsigned long long)(unsigned)(x[i] ^ 0x80000000) << 32 | (unsigned)~i);
}
__global__ void smallBarrier(int *o)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    asm volatile("bar.sync 0, 32;" ::: "memory"); // each warp for itself
    o[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void surfaceTwice(cudaSurfaceObject_t s)
{
    surf1Dwrite((int)blockIdx.x, s, 0);
}
__global__ void stackArray(const int *x, int *o, int n)
{
    int q[4] = {1, 2, 3, 4};
    o[threadIdx.x] = q[x[threadIdx.x] & 7];
}
__global__ void warpVote(int *o, int n)
{
    // A loop whose trip count differs in the warp, with a full mask.
    int c = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        c += __popc(__ballot_sync(~0u, i & 1));
    o[threadIdx.x] = c;
}
__global__ void divLoop(int *o, int n)
{
    // Odd-even exchange without a barrier between the two halves of a round.
    __shared__ int s[65];
    s[threadIdx.x] = 64 - threadIdx.x;
    if (threadIdx.x == 0)
        s[64] = 99;
    __syncthreads();
    for (int k = 0; k < n; k++) {
        int i = threadIdx.x;
        if ((i + k) % 2 == 0 && s[i] > s[i + 1]) {
            int q = s[i];
            s[i] = s[i + 1];
            s[i + 1] = q;
        }
        if (k + 2 < n || n < 2)
            __syncthreads();
    }
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x];
}
__global__ void prefix(int *x, int n)
{
    // Hillis and Steele in place: reads and writes of one round overlap between warps only.
    int t = threadIdx.x;
    for (int d = 1; d < n; d *= 2) {
        int v = t >= d && t < n ? x[t - d] : 0;
        __syncthreads();
        if (t < n)
            x[t] += v;
        if (d < 32)
            __syncthreads();
    }
}
__global__ void longLived(int *x)
{
    // The grid-wide counter wraps: block k waits for k - 1 by plain volatile, then increments
    // without a fence.
    if (threadIdx.x)
        return;
    while (*(volatile int *)(x + 1) != blockIdx.x) {
    }
    x[0] = x[0] * 3 + blockIdx.x;
    *(volatile int *)(x + 1) = blockIdx.x + 1;
}
__global__ void smidOut(unsigned *o)
{
    asm volatile("mov.u32 %0, %%smid;" : "=r"(o[blockIdx.x]));
}
__global__ void smidBucket(int *bins)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    atomicAdd(&bins[sm % 4], 1);
}
// Adds to a counter of its multiprocessor. The sum of all counters is the result.
__global__ void smidSum(int *counters, int *o)
{
    unsigned sm, count;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(count));
    atomicAdd(&counters[sm], 1);
    atomicAdd(o, sm < count);
}
__global__ void warpidOut(unsigned *o)
{
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(o[threadIdx.x]));
}
__global__ void counterOut(unsigned *o)
{
    asm volatile("mov.u32 %0, %%pm0;" : "=r"(o[0]));
}
// The sum of 64-bit numbers by halves. 1: no instruction writes the carry
__global__ void carry(const uint2 *x, uint2 *o, int bug)
{
    uint2 a = x[0], b = x[1], sum;
    if (bug == 1)
        asm volatile("add.u32 %0, %2, %4; addc.u32 %1, %3, %5;"
                     : "=&r"(sum.x), "=r"(sum.y)
                     : "r"(a.x), "r"(a.y), "r"(b.x), "r"(b.y));
    else
        asm volatile("add.cc.u32 %0, %2, %4; addc.u32 %1, %3, %5;"
                     : "=&r"(sum.x), "=r"(sum.y)
                     : "r"(a.x), "r"(a.y), "r"(b.x), "r"(b.y));
    o[0] = sum;
}
