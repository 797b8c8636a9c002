// SPDX-License-Identifier: MIT
//
// Sizes, indexes, memory spaces, results.
#include <cassert>
#include <cstdio>

__global__ void mulOverflow(const int *x, int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = x[(unsigned)(i * 90001u) / 90001u];
}
__global__ void divByN(const int *x, int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = x[i] / (n - 7);
}
__global__ void tail4(const float *x, float *o, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n)
        *(float4 *)(o + i) = *(const float4 *)(x + i);
}
__global__ void tail4ok(const float *x, float *o, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n)
        *(float4 *)(o + i) = *(const float4 *)(x + i);
    else
        for (; i < n; i++)
            o[i] = x[i];
}
__global__ void rowVector(const float *x, float *o, int w, int h)
{
    // Misaligned if w is no multiple of 2.
    int r = threadIdx.x;
    if (r < h)
        for (int c = 0; c + 1 < w; c += 2) {
            float2 v = *(const float2 *)(x + r * w + c);
            o[r * w + c] = v.x;
            o[r * w + c + 1] = v.y;
        }
    if (r < h && w % 2)
        o[r * w + w - 1] = x[r * w + w - 1];
}
__global__ void zeroElements(const int *x, int *o, int n)
{
    if (threadIdx.x == 0)
        o[0] = x[n - 1];
}
__global__ void stride(const int *x, int *o, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
        o[i] = x[i];
}
__global__ void localIndex(const int *x, int *o, int n)
{
    int h[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < n; i++)
        h[i % 9] += x[i];
    o[0] = h[0] + h[7];
}
__global__ void localUninit(const int *x, int *o, int n)
{
    int h[8];
    for (int i = 0; i < n && i < 8; i++)
        h[i] = x[i];
    o[0] = h[7];
}
union U {
    unsigned char b[4];
    unsigned w;
};
__global__ void unionTop(unsigned *o)
{
    __shared__ U u;
    if (threadIdx.x == 0) {
        u.b[0] = 1;
        u.b[1] = 2;
        u.b[2] = 3;
        o[0] = u.w;
    }
}
__global__ void unionOk(unsigned *o)
{
    __shared__ U u;
    if (threadIdx.x == 0) {
        u.b[0] = 1;
        u.b[1] = 2;
        u.b[2] = 3;
        u.b[3] = 0;
        o[0] = u.w;
    }
}
__constant__ int table[8];
__global__ void constant(const int *x, int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = table[x[i]];
}
__global__ void texFetch(cudaTextureObject_t t, float *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = tex1Dfetch<float>(t, i + 1);
}
__global__ void prints(int *o)
{
    printf("%d\n", threadIdx.x);
    o[threadIdx.x] = 1;
}
__global__ void asserts(const int *x, int *o, int n)
{
    int i = threadIdx.x;
    assert(x[i] != -1);
    o[i] = x[i];
}
__device__ __noinline__ int fact(int k)
{
    volatile int v = k;
    return v <= 0 ? 0 : 1 + fact(v - 1);
}
__global__ void recurse(int *o, int n)
{
    o[0] = fact(n);
}
__device__ int inc(int v)
{
    return v + 1;
}
__device__ int dec(int v)
{
    return v - 1;
}
typedef int (*Fn)(int);
__device__ Fn fns[2] = {inc, dec};
__global__ void callTable(const int *x, int *o, int n)
{
    int i = threadIdx.x;
    o[i] = fns[x[i] & 1](x[i]);
}
__device__ Fn fns3[3] = {inc, dec};
__global__ void callNull(int *o)
{
    o[threadIdx.x] = fns3[threadIdx.x % 3](1);
}
__device__ int total;
__global__ void staleTotal(const int *x, int *o, int n)
{
    int i = threadIdx.x;
    if (i < n)
        atomicAdd(&total, x[i]);
    __syncthreads();
    if (i == 0)
        o[0] = total;
}
__global__ void heap(int *o, int bug)
{
    int *p = (int *)malloc(16);
    p[0] = 1;
    if (bug == 1)
        p[4] = 1;
    if (bug == 2)
        free(p);
    o[threadIdx.x] = p[0];
    if (bug != 3)
        free(p);
}
__global__ void alias(const int *__restrict__ a, int *__restrict__ b, int n)
{
    int i = threadIdx.x;
    if (i < n)
        b[i] = a[i] + a[n - 1 - i];
}
__global__ void __launch_bounds__(128) bounds(int *o)
{
    o[threadIdx.x] = 1;
}
__global__ void bigShared(float *o, int n)
{
    extern __shared__ float s[];
    s[threadIdx.x] = 1;
    __syncthreads();
    o[threadIdx.x] = s[n - 1 - threadIdx.x];
}
__global__ void wrongMod(const int *x, int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = (x[i] % 7) & 7;
}
__global__ void floatSum(const float *x, float *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(o, x[i]);
}
__global__ void halo(const int *x, int *o, int n)
{
    // Blocks overlap by one element and store the same value.
    int i = blockIdx.x * 31 + threadIdx.x;
    if (i < n)
        o[i] = x[i];
}
__global__ void scatter(const int *p, int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[p[i]] = i;
}
__global__ void transpose(const float *a, float *b, int w, int h)
{
    __shared__ float t[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < w && y + j < h)
            t[threadIdx.y + j][threadIdx.x] = a[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < h && y + j < w)
            b[(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void transposeWrong(const float *a, float *b, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < w && y < h)
        b[x * w + y] = a[y * w + x];
}
__global__ void shortStore(const int *x, short *o, int n)
{
    // A 4-byte store of two shorts, also past an odd end.
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        *(int *)(o + i) = x[i];
}
__global__ void dataBranch(const int *x, int *o, int n)
{
    // A race only if x has a 1 among zeros in the last place.
    __shared__ int s;
    int i = threadIdx.x;
    if (i == 0)
        s = 0;
    __syncthreads();
    if (x[n - 1] == 1 && x[0] == 0 && i < 2)
        s = i;
    __syncthreads();
    o[i] = s >= 0;
}
__global__ void secondBlockOnly(int *o, int n)
{
    // Blocks race if the grid has more than four.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[blockIdx.x < 4 ? i : i - blockDim.x % 2] = 1;
}
__global__ void writesInput(int *x, int *o, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        o[i] = x[i];
        if (n == 33 && i == 32)
            x[i] = 0;
    }
}
__global__ void memsetPast(char *o, int n)
{
    if (threadIdx.x == 0)
        memset(o, 0, (n + 3) / 4 * 4);
}
__global__ void longIndex(const int *x, int *o, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = x[i];
}
__global__ void readUnwrittenTmp(const int *x, int *tmp, int *o, int n)
{
    int i = threadIdx.x;
    if (i < n / 2)
        tmp[i] = x[i];
    __syncthreads();
    if (i < n)
        o[i] = tmp[i / 2];
}
__global__ void minLoop(const float *x, int *o, int n)
{
    // max by CAS on the bits: wrong for negative floats.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMax(o, __float_as_int(x[i]));
}
