// SPDX-License-Identifier: MIT
//
// Round 2: patterns of real programs. NAME0 is right, NAME1 and NAME2 have a bug.
#include "variants.cuh"

#include <cstdint>

template <int BUG>
__device__ void hashInsert(const int *keys, int *table, int *slots, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int k = keys[i] & 0x7fffffff, size = 2 * n;
    for (unsigned h = (unsigned)k * 2654435761u % size;; h = (h + 1) % size) {
        if (BUG == 1 && table[h] == k + 1)
            return;
        int old = atomicCAS(&table[h], 0, k + 1);
        if (old == 0 || old == k + 1) {
            if (BUG == 2)
                slots[h] = slots[h] + 1;
            else
                atomicAdd(&slots[h], 1);
            return;
        }
    }
}
V(hashInsert, (const int *k, int *t, int *s, int n), (k, t, s, n))

template <int BUG>
__device__ void queue(const int *x, int *y, unsigned *next, int n)
{
    __shared__ unsigned ticket;
    for (;;) {
        if (threadIdx.x == 0)
            ticket = atomicAdd(next, 1);
        __syncthreads();
        unsigned mine = ticket;
        if (BUG != 1)
            __syncthreads();
        if (mine * 64 >= (BUG == 2 ? n - 1 : n))
            return;
        int i = mine * 64 + threadIdx.x;
        if (i < n)
            y[i] = x[i] + 1;
    }
}
V(queue, (const int *x, int *y, unsigned *next, int n), (x, y, next, n))

template <int BUG>
__device__ void lookback(const int *x, int *y, unsigned *next, volatile int *agg, volatile int *pre,
                         unsigned *flags, int n)
{
    __shared__ int s[64], before;
    __shared__ unsigned tile;
    int t = threadIdx.x;
    if (t == 0)
        tile = atomicAdd(next, 1);
    __syncthreads();
    int b = tile, i = b * 64 + t;
    s[t] = i < n ? x[i] : 0;
    for (int d = 1; d < 64; d *= 2) {
        __syncthreads();
        int u = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += u;
    }
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        if (b > 0) {
            agg[b] = s[63];
            if (BUG != 1)
                __threadfence();
            atomicExch(&flags[b], 1);
            for (int p = b - 1; p >= 0;) {
                unsigned f = atomicAdd(&flags[p], 0);
                if (f == 0)
                    continue;
                __threadfence();
                if (f == 2) {
                    sum += pre[p];
                    break;
                }
                sum += agg[p];
                if (BUG != 2 || p > 1)
                    p--;
                else
                    break;
            }
        }
        pre[b] = sum + s[63];
        __threadfence();
        atomicExch(&flags[b], 2);
        before = sum;
    }
    __syncthreads();
    if (i < n)
        y[i] = s[t] + before;
}
V(lookback, (const int *x, int *y, unsigned *next, int *agg, int *pre, unsigned *flags, int n),
  (x, y, next, agg, pre, flags, n))

template <int BUG>
__device__ void transposeInPlace(int *a, int n)
{
    __shared__ int s[8][9], u[8][9];
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    if (BUG != 1 && bx < by)
        return;
    int x = bx * 8 + tx, y = by * 8 + ty, x2 = by * 8 + tx, y2 = bx * 8 + ty;
    if (x < n && y < n)
        s[ty][tx] = a[y * n + x];
    if (x2 < n && y2 < n)
        u[ty][tx] = a[y2 * n + x2];
    if (BUG != 2)
        __syncthreads();
    if (x2 < n && y2 < n)
        a[y2 * n + x2] = s[tx][ty];
    if (x < n && y < n && bx != by)
        a[y * n + x] = u[tx][ty];
}
V(transposeInPlace, (int *a, int n), (a, n))

template <int BUG, bool MAX>
__device__ float blockReduce(float v, float *s)
{
    int t = threadIdx.x;
    s[t] = v;
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            s[t] = MAX ? fmaxf(s[t], s[t + d]) : s[t] + s[t + d];
    }
    __syncthreads();
    v = s[0];
    if (BUG != 1)
        __syncthreads();
    return v;
}
template <int BUG>
__device__ void softmax(const float *x, float *y, int n)
{
    extern __shared__ float s[];
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        m = fmaxf(m, row[i]);
    m = blockReduce<BUG, true>(m, s);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += expf(row[i] - m);
    sum = blockReduce<0, false>(sum, s);
    for (int i = threadIdx.x; i <= (BUG == 2 ? n : n - 1); i += blockDim.x)
        y[blockIdx.x * n + i] = expf(row[i] - m) / sum;
}
V(softmax, (const float *x, float *y, int n), (x, y, n))

template <int BUG>
__device__ void layernorm(const float *x, float *y, int n)
{
    int lane = threadIdx.x & 31, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    float s = 0, q = 0;
    for (int i = lane; i < n; i += 32) {
        float v = x[row * n + i];
        s += v;
        q += v * v;
        if (BUG == 1)
            s += 0 * __shfl_xor_sync(~0u, v, 1);
    }
    for (int d = 16; d > 0; d /= 2) {
        s += __shfl_down_sync(~0u, s, d);
        q += __shfl_xor_sync(~0u, q, d);
    }
    if (BUG != 2)
        s = __shfl_sync(~0u, s, 0);
    float mean = s / n, r = rsqrtf(q / n - mean * mean + 1e-5f);
    for (int i = lane; i < n; i += 32)
        y[row * n + i] = (x[row * n + i] - mean) * r;
}
V(layernorm, (const float *x, float *y, int n), (x, y, n))

template <int BUG>
__device__ void carve(const double *x, const int *idx, double *y, int n)
{
    extern __shared__ char raw[];
    int *ids = (int *)raw;
    double *vals = (double *)(raw + (BUG == 1 ? n * 4 : (n + 1) / 2 * 8));
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        ids[i] = idx[i];
        vals[i] = x[i];
    }
    __syncthreads();
    if (BUG == 2)
        vals = (double *)(raw + n / 2 * 8);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[i] = vals[ids[i]];
}
V(carve, (const double *x, const int *i, double *y, int n), (x, i, y, n))

template <int BUG>
__device__ void converge(int *x, int *steps, int n)
{
    __shared__ int s[66];
    int t = threadIdx.x + 1, k = 0;
    s[t] = t <= n ? x[t - 1] & 15 : 0;
    if (t == 1)
        s[0] = s[65] = 0;
    __syncthreads();
    for (;; k++) {
        int v = max(s[t - 1], max(s[t], s[t + 1])), change = v != s[t];
        if (BUG == 1 && !change)
            break;
        if (!__syncthreads_or(change))
            break;
        s[t] = v;
        if (BUG != 2)
            __syncthreads();
    }
    if (t <= n)
        x[t - 1] = s[t];
    if (t == 1)
        *steps = k;
}
V(converge, (int *x, int *s, int n), (x, s, n))

template <int BUG>
__device__ void reverseInPlace(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *p = x + n - 1;
    if (i < (BUG == 1 ? n : BUG == 2 ? (n - 1) / 2 + 1 : n / 2)) {
        int a = x[i], b = p[-i];
        x[i] = b;
        p[-i] = a;
    }
}
V(reverseInPlace, (int *x, int n), (x, n))

template <int BUG>
__device__ void narrow(const int *x, int *y, int n)
{
    if (BUG == 0) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            y[i] = x[i];
    } else if (BUG == 1) {
        uint16_t i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            y[i] = x[i];
    } else {
        short i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            y[i] = x[i];
    }
}
V(narrow, (const int *x, int *y, int n), (x, y, n))

template <int BUG>
__device__ void syncHalf(int *y)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    if (BUG == 0)
        __syncwarp();
    else if (t < 16)
        __syncwarp(0xffff);
    else
        __syncwarp(0xffff0000);
    y[t] = BUG == 2 ? s[t ^ 15] + (t == 3 ? s[19] : 0) : s[t ^ 31];
}
V(syncHalf, (int *y), (y))

template <int BUG>
__device__ void abba(int *locks, int *data)
{
    if (threadIdx.x)
        return;
    int a = blockIdx.x & 1, b = BUG == 1 ? a ^ 1 : 1;
    if (BUG != 1)
        a = 0;
    while (atomicCAS(locks + a, 0, 1))
        ;
    while (atomicCAS(locks + b, 0, 1))
        ;
    __threadfence();
    *data += 1;
    __threadfence();
    atomicExch(locks + b, 0);
    if (BUG != 2)
        atomicExch(locks + a, 0);
}
V(abba, (int *l, int *d), (l, d))

template <int BUG>
__device__ void namedCount(int *y)
{
    __shared__ int s[96];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 64)
        asm volatile("bar.sync 1, %0;" ::"n"(BUG == 1 ? 96 : 64) : "memory");
    if (BUG == 2 && t >= 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    y[t] = t < 64 ? s[63 - t] : s[t];
}
V(namedCount, (int *y), (y))

template <int BUG>
__device__ void float3s(const float3 *x, float3 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float3 v = x[i];
        if (BUG == 1)
            v = *(const float3 *)((const float4 *)x + i);
        y[i].x = v.z;
        if (BUG != 2 || i != n - 1)
            y[i].y = v.y;
        y[i].z = v.x;
    }
}
V(float3s, (const float3 *x, float3 *y, int n), (x, y, n))

template <int BUG>
__device__ void heap(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int *p = new int[4];
    if (p) {
        for (int k = 0; k < (BUG == 1 ? 5 : 4); k++)
            p[k] = x[i] + k;
        if (BUG == 2)
            delete[] p;
        y[i] = p[x[i] & 3];
        if (BUG != 2)
            delete[] p;
    } else
        y[i] = 0;
}
V(heap, (const int *x, int *y, int n), (x, y, n))

template <int BUG>
__device__ void csr(const int *rows, const int *cols, const int *vals, const int *x, int *y, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8, s = 0;
    if (BUG == 2 && row >= n)
        return;
    if (row < n)
        for (int j = rows[row] + lane; j < (BUG == 1 ? rows[row + 1] + 1 : rows[row + 1]); j += 8)
            s += vals[j] * x[cols[j]];
    for (int d = 4; d; d /= 2)
        s += __shfl_down_sync(~0u, s, d, 8);
    if (lane == 0 && row < n)
        y[row] = s;
}
V(csr, (const int *r, const int *c, const int *v, const int *x, int *y, int n), (r, c, v, x, y, n))

template <int BUG>
__device__ void unionFind(const int *a, const int *b, int *parent, int m)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m)
        return;
    auto find = [&](int v) {
        for (;;) {
            int p = BUG == 1 ? parent[v] : *(volatile int *)(parent + v);
            if (p == v)
                return v;
            v = p;
        }
    };
    int x = a[e], y = b[e];
    for (;;) {
        x = find(x), y = find(y);
        if (x == y)
            break;
        if (x < y) {
            int t = x;
            x = y, y = t;
        }
        if (BUG == 2) {
            *(volatile int *)(parent + x) = y;
            break;
        }
        if (atomicCAS(parent + x, x, y) == x)
            break;
    }
}
V(unionFind, (const int *a, const int *b, int *p, int m), (a, b, p, m))
__global__ void flatten(int *parent, int *root, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = i;
        while (parent[v] != v)
            v = parent[v];
        root[i] = v;
    }
}
__global__ void self(int *parent, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        parent[i] = i;
}

template <int BUG>
__device__ void unionStorage(const int *x, int *y, int n)
{
    __shared__ union {
        int load[64];
        short2 pack[64];
        unsigned long long scan[32];
    } s;
    int t = threadIdx.x;
    s.load[t] = t < n ? x[t] : 0;
    __syncthreads();
    int v = s.load[63 - t];
    if (BUG != 1)
        __syncthreads();
    if (t % 2 == 0)
        s.scan[t / 2] = (unsigned long long)v << 32 | t;
    __syncthreads();
    short2 p = s.pack[BUG == 2 ? t + 1 : t];
    if (t < n)
        y[t] = p.x + p.y;
}
V(unionStorage, (const int *x, int *y, int n), (x, y, n))

template <int BUG>
__device__ void prefixFlag(const int *x, int *y, int *flag, int n)
{
    // One warp chain: block b waits for the value of block b - 1, packed with its flag in 64 bits.
    __shared__ int prev;
    int t = threadIdx.x, b = blockIdx.x, i = b * 32 + t, v = i < n ? x[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int w = __shfl_up_sync(~0u, v, d);
        if (t >= d)
            v += w;
    }
    unsigned long long *f = (unsigned long long *)flag;
    if (t == 31) {
        unsigned long long p = 0;
        if (b)
            do
                p = BUG == 1 ? *(volatile unsigned long long *)(f + b - 1)
                             : atomicAdd(f + b - 1, 0);
            while (!(p >> 32));
        prev = (int)p;
        if (BUG == 1) {
            ((volatile int *)(f + b))[1] = 1;
            ((volatile int *)(f + b))[0] = (int)p + v;
        } else
            atomicExch(f + b, 1ull << 32 | (unsigned)((int)p + v));
    }
    if (BUG != 2)
        __syncwarp();
    if (i < n)
        y[i] = v + prev;
}
V(prefixFlag, (const int *x, int *y, int *f, int n), (x, y, f, n))

template <int BUG>
__device__ void evenOdd(int *x, int n)
{
    __shared__ int s[130];
    int t = threadIdx.x;
    for (int i = t; i < n; i += 64)
        s[i] = x[i];
    __syncthreads();
    for (int k = 0; k < n; k++) {
        int i = 2 * t + (k & 1);
        if (i + 1 < (BUG == 1 ? n + 1 : n) && s[i] > s[i + 1]) {
            int v = s[i];
            s[i] = s[i + 1], s[i + 1] = v;
        }
        if (BUG != 2 || k % 16 != 15)
            __syncthreads();
    }
    for (int i = t; i < n; i += 64)
        x[i] = s[i];
}
V(evenOdd, (int *x, int n), (x, n))

struct Soa {
    float *x, *y;
    int n;
};
template <int BUG>
__device__ void soa(Soa p, float dt)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n;
         i += (BUG == 1 ? blockDim.x : gridDim.x * blockDim.x)) {
        p.x[i] += p.y[BUG == 2 ? (i + 1) % p.n : i] * dt;
        p.y[i] *= 0.5f;
    }
}
V(soa, (Soa p, float dt), (p, dt))
