/* SPDX-License-Identifier: MIT
 *
 * A file as users have it, with host code next to its kernels: correct ones, and each error once.
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_fp16.h>

#ifndef SCALE
#define SCALE 1
#endif

__constant__ float weights[2] = {0.25f, 0.75f};

__global__ void axpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = SCALE * a * x[i] + y[i];
}

__global__ void axpyPastTheEnd(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i <= n)
        y[i] = a * x[i] + y[i];
}

__global__ void writesAllButOne(int n, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && i != 5)
        out[i] = i;
}

template <typename T, int threads>
__global__ void sum(const T *in, T *out, int n)
{
    __shared__ T part[threads];
    int i = blockIdx.x * threads + threadIdx.x;

    part[threadIdx.x] = i < n ? in[i] : T(0);
    for (int k = threads / 2; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k)
            part[threadIdx.x] += part[threadIdx.x + k];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

__global__ void mirror(const int *in, int *out)
{
    extern __shared__ int copy[];

    copy[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

__global__ void barrierForSome(int n, int *out)
{
    if (threadIdx.x < n / 2)
        __syncthreads();
    else
        out[0] = 1;
    __syncthreads();
    out[threadIdx.x] = 2;
}

__global__ void addsInAnyOrder(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(out, in[i] * weights[0]);
}

__global__ void types(const __half *a, const uchar4 *b, double *c, long long *d, bool up, double f,
                      short n)
{
    int i = threadIdx.x;

    if (i < n) {
        c[i] = __half2float(a[i]) + (up ? f : 0);
        d[i] = b[i].x + b[i].y + b[i].z + b[i].w;
    }
}

__global__ void scatter(const int *to, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[to[i]] = i;
}

/* Multiplies a sparse matrix by a vector, with one thread per row. */
__global__ void rows(const int *first, const int *column, const float *value, const float *x,
                     float *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < n) {
        float dot = 0;
        for (int k = first[row]; k < first[row + 1]; k++)
            dot += value[k] * x[column[k]];
        y[row] = dot;
    }
}

struct grid {
    int columns;
    float scale;
    double offset;
    short step;
};

__global__ void scaled(grid g, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && i % g.step == 0)
        out[i] = in[i % g.columns] * g.scale + g.offset;
}

/* One thread adds without an atomic. */
__global__ void addsAndStores(int *out)
{
    if (threadIdx.x == 32)
        out[0] = 1;
    else
        atomicAdd(&out[0], 1);
}

/* Stores each block's number, and after a barrier of the grid the sum in the first place. */
__global__ void sumOfBlocks(const int *in, int *out, int synchronised)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();

    if (threadIdx.x == 0)
        out[blockIdx.x] = in[blockIdx.x];
    if (synchronised)
        grid.sync();
    if (grid.thread_rank() == 0)
        for (int b = 1; b < gridDim.x; b++)
            out[0] += out[b];
}

/* An unsupported kernel, which no launch in the tests uses. */
__global__ void isOfBlackwell(float *)
{
    asm volatile("tcgen05.fence::before_thread_sync;");
}

struct columns {
    int count;
    const float *from;
    double factor;
    float *to;
};

__global__ void scaledColumns(columns c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < c.count)
        c.to[i] = c.from[i] * c.factor;
}

int main()
{
    float *x = nullptr;

    axpy<<<1, 32>>>(0, 1.0f, x, x);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}

/* ---- Several launches, and variables ---- */

__device__ int total;
namespace ns
{
static __device__ int calls[2];
}
__constant__ int limits[2];

__global__ void partSums(const int *in, int *part, int n)
{
    __shared__ int sum;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

__global__ void addParts(const int *part, int parts, int *out)
{
    int sum = 0;

    for (int p = 0; p < parts; p++)
        sum += part[p];
    out[0] = sum;
}

__global__ void counted(const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && in[i] >= limits[0] && in[i] < limits[1])
        atomicAdd(&total, 1);
    if (i == 0)
        ns::calls[0]++;
}

__global__ void countedBadly(const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && in[i] >= limits[0])
        total++;
}

__global__ void tellCalls(int *out)
{
    out[0] = ns::calls[0];
}

__global__ void marks(const int *in, int *out, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && in[i] > 0)
        out[0] = value == 0 ? i : value;
}

/* In a block of 20 threads, lanes 20 to 31 do not exist. */
__global__ void sumOfLanes(const int *in, int *out)
{
    int sum = in[threadIdx.x];

    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, lanes);
    if (threadIdx.x == 0)
        out[0] = sum;
}

__global__ void twoVotes(const int *in, int *out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __any_sync(0xffffffff, in[threadIdx.x]);
    else
        out[threadIdx.x] = __all_sync(0xffffffff, in[threadIdx.x]);
}

/* What cooperative_groups::sync() of a block does: a barrier whose lanes may arrive separately.
 */
__device__ void barrierOfAll()
{
    asm volatile("barrier.sync 0;" ::: "memory");
}

__global__ void hands(int *out, int rounds, int least)
{
    __shared__ int words[256];
    int t = threadIdx.x, sum = 0;

    for (int k = 0; k < rounds; k++) {
        words[t] = t + k;
        if (k >= least)
            barrierOfAll();
        sum += words[(t + 1) % blockDim.x];
        barrierOfAll();
    }
    out[t] = sum;
}

__global__ void countsOrAsks(int *out)
{
    if (threadIdx.x < 32)
        out[threadIdx.x] = __syncthreads_count(1);
    else
        out[threadIdx.x] = __syncthreads_or(1);
}

__global__ void strayAtZero(const int *in, int *out, int n)
{
    int i = threadIdx.x;

    out[i] = in[in[i] == 0 ? n : i];
}

/* Waits for its second copy, or leaves `left` copies pending. */
__global__ void copiesAhead(const int *in, int *out, int left)
{
    __shared__ int stage[2][32];
    int t = threadIdx.x;

    stage[0][t] = stage[1][t] = 0;
    for (int k = 0; k < 2; k++)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.commit_group;"
                     :
                     : "r"((unsigned int)__cvta_generic_to_shared(&stage[k][t])),
                       "l"(in + 32 * k + t)
                     : "memory");
    if (left == 0)
        asm volatile("cp.async.wait_group 0;" : : : "memory");
    else
        asm volatile("cp.async.wait_group 1;" : : : "memory");
    out[t] = stage[0][t] + stage[1][t];
}

/* Stores the sums of half a warp, from the first lane on. The upper lanes read from lanes that have
 * exited, so all sums but the first are undefined. */
__global__ void sumsOfHalf(const int *in, int *out, int sums)
{
    int t = threadIdx.x, sum = in[t];

    if (t >= 16)
        return;
    for (int distance = 8; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0x0000ffff, sum, distance);
    if (t < sums)
        out[t] = sum;
}

/* Counts all, however many of them run together. */
__global__ void countsEven(const int *in, int *count)
{
    unsigned int together;

    if (in[threadIdx.x] % 2 != 0)
        return;
    together = __activemask();
    if ((int)threadIdx.x % 32 == __ffs(together) - 1)
        atomicAdd(count, __popc(together));
}

template <bool Waits>
__device__ void meet(int barrier)
{
    if (Waits)
        asm volatile("barrier.sync %0, 64;" ::"r"(barrier) : "memory");
    else
        asm volatile("barrier.arrive %0, 64;" ::"r"(barrier) : "memory");
}

/* The first warp fills two stages in turn, and the second empties them. A thread that releases
 * others at a barrier continues. It may yield to a block while the released threads precede it. */
__global__ void twoStages(const int *in, int *out, int rounds)
{
    __shared__ int stages[2][32];
    int lane = threadIdx.x % 32, first = blockIdx.x * rounds * 32;

    for (int k = 0; k < rounds; k++) {
        int *stage = stages[k % 2], full = 1 + k % 2, empty = 3 + k % 2;
        if (threadIdx.x < 32) {
            if (k >= 2)
                meet<true>(empty);
            stage[lane] = in[first + 32 * k + lane];
            meet<false>(full);
        } else {
            meet<true>(full);
            out[first + 32 * k + lane] = stage[31 - lane];
            if (k + 2 < rounds)
                meet<false>(empty);
        }
    }
}

/* The first block waits for all others, and checks them one after the other. */
__global__ void waitsForAll(volatile int *flags, int *out)
{
    bool all = blockIdx.x > 0 || threadIdx.x > 0;

    if (blockIdx.x > 0 && threadIdx.x == 0)
        flags[blockIdx.x] = 1;
    while (!all) {
        all = true;
        for (unsigned int b = 1; b < gridDim.x; b++)
            all = flags[b] != 0 && all;
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1;
}

/* A thread that finds the lock taken counts without it. That happens if blocks take turns, and
 * never if they run one after the other. */
__global__ void countsUnderALock(int *lock, int *out)
{
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    if (atomicCAS(lock, 0, 1) == 0) {
        __threadfence();
        out[0]++;
        __threadfence();
        atomicExch(lock, 0);
    } else {
        out[0]++;
    }
}

/* A thread without an element returns before the barrier. */
__global__ void returnsEarly(int *out, int n)
{
    if ((int)threadIdx.x >= n)
        return;
    out[threadIdx.x] = 1;
    __syncthreads();
}

/* Each warp reaches its own barrier. */
__global__ void warpsApart(int *out)
{
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
        out[threadIdx.x] = 2;
    }
}

__global__ void storesWhoIsActive(unsigned int *out)
{
    out[threadIdx.x] = __activemask();
}

/* Wrong for every matrix of more than 256 columns. */
__global__ void negatesOneBlock(const int *in, int *out, int nx)
{
    if (blockIdx.x == 0 && threadIdx.x < nx)
        out[blockIdx.y * nx + threadIdx.x] = -in[blockIdx.y * nx + threadIdx.x];
}

/* Wrong for every matrix of more than one row. */
__global__ void negatesOneRow(const int *in, int *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;

    if (x < nx && ny > 0)
        out[x] = -in[x];
}
