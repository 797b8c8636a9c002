/* SPDX-License-Identifier: MIT
 *
 * Kernels whose outputs have no order: worklists, tables and sums. Each is right, except with
 * PLANTED (worklists_planted.cu): then it loses, doubles or tears an element.
 */
#ifdef PLANTED
#define RIGHT(code, other) other
#else
#define RIGHT(code, other) code
#endif

#define GLOBAL_INDEX (blockIdx.x * blockDim.x + threadIdx.x)

__device__ int isWanted(int x)
{
    return x % 3 != 0;
}

/* Adds 1 to a counter, or loses an addition. */
__device__ int next(int *counter)
{
    return RIGHT(atomicAdd(counter, 1), (*(volatile int *)counter)++);
}

__global__ void push(const int *x, int *list, int *count, int n)
{
    int i = GLOBAL_INDEX;
    if (i < n && isWanted(x[i]))
        list[next(count)] = i + 1;
}

/* One thread of a warp takes the places of all. */
__global__ void pushByWarp(const int *x, int *list, int *count, int n)
{
    int i = GLOBAL_INDEX, lane = threadIdx.x % 32, wanted = i < n && isWanted(x[i]), base = 0;
    unsigned int all = __ballot_sync(0xffffffff, wanted), before = all & ((1u << lane) - 1);
    if (lane == 0 && all != 0)
        base = atomicAdd(count, RIGHT(__popc(all), __popc(all) - (__popc(all) > 30)));
    base = __shfl_sync(0xffffffff, base, 0);
    if (wanted)
        list[base + __popc(before)] = i + 1;
}

__global__ void pushByBlock(const int *x, int *list, int *count, int n)
{
    __shared__ int inBlock, base;
    int i = GLOBAL_INDEX, place = 0, wanted = i < n && isWanted(x[i]);
    if (threadIdx.x == 0)
        inBlock = 0;
    __syncthreads();
    if (wanted)
        place = atomicAdd(&inBlock, 1);
    RIGHT(__syncthreads(), (void)0);
    if (threadIdx.x == 0)
        base = atomicAdd(count, inBlock);
    __syncthreads();
    if (wanted)
        list[base + place] = i + 1;
}

/* The neighbours that were not visited, each once. */
__global__ void expand(const int *visited, int *seen, int *frontier, int *count, int n)
{
    int i = GLOBAL_INDEX;
    for (int k = -1; i < n && k <= 1; k += 2) {
        int to = (i + k + n) % n;
        if (isWanted(visited[to]) && RIGHT(atomicExch(&seen[to], 1) == 0, k == 1 || seen[to] == 0))
            frontier[atomicAdd(count, 1)] = to + 1;
    }
}

__global__ void keepPairs(const int *x, int2 *list, int *count, int n)
{
    int i = GLOBAL_INDEX;
    if (i < n && isWanted(x[i])) {
#ifdef PLANTED
        list[atomicAdd(count, 1)].x = i + 1;
        list[atomicAdd(count + 1, 1)].y = x[i];
#else
        list[atomicAdd(count, 1)] = make_int2(i + 1, x[i]);
#endif
    }
}

__global__ void keepQuads(const int *x, int4 *list, int *count, int n)
{
    int i = GLOBAL_INDEX;
    if (i < n && isWanted(x[i]))
        list[next(count)] = make_int4(i + 1, x[i], i, -i);
}

/* The elements that are not 0, as row, column and value. */
__global__ void toSparse(const int *x, int3 *list, int *count, int n)
{
    int i = GLOBAL_INDEX;
    if (i < n && x[i] != 0)
        list[next(count)] = make_int3(i / 16 + 1, i % 16, x[i]);
}

/* Two lists, of even and of odd numbers. */
__global__ void partition(const int *x, int *even, int *odd, int *count, int n)
{
    int i = GLOBAL_INDEX;
    if (i < n && x[i] % 2 == 0)
        even[atomicAdd(&count[0], 1)] = i + 1;
    if (i < n && RIGHT(x[i] % 2 != 0, x[i] % 2 == 1))
        odd[atomicAdd(&count[1], 1)] = i + 1;
}

/* A table with open addressing: places depend on the order. */
__global__ void insert(const int *x, int *table, int n)
{
    int i = GLOBAL_INDEX, key = i < n ? (x[i] & 0xffff) * n + i + 1 : 0, size = 2 * n;
    for (int k = 0; i < n && k < size; k++) {
        int *place = &table[(unsigned int)(x[i] + k) % size];
#ifdef PLANTED
        if (*(volatile int *)place == 0) {
            *(volatile int *)place = key;
            break;
        }
#else
        if (atomicCAS(place, 0, key) == 0)
            break;
#endif
    }
}

/* Each thread takes the next piece of work until none is left. */
__global__ void takeWork(int *head, int *done, int n)
{
    for (int k = next(head); k < n; k = next(head))
        done[k] += 1;
}

__global__ void drain(const int *list, int *head, int *out, int *count, int n)
{
    int k = atomicAdd(head, 1);
    if (k < n)
        out[next(count)] = list[k];
}

__global__ void histogram(const int *x, int *bins, int n)
{
    int i = GLOBAL_INDEX;
    if (i < n)
        next(&bins[x[i] & 15]);
}

__global__ void histogramByBlock(const int *x, int *bins, int n)
{
    __shared__ int own[16];
    int i = GLOBAL_INDEX;
    if (threadIdx.x < 16)
        own[threadIdx.x] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&own[x[i] & 15], 1);
    RIGHT(__syncthreads(), (void)0);
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void greatest(const int *x, int *best, int n)
{
    int i = GLOBAL_INDEX;
    if (i < n)
        RIGHT((void)atomicMax(best, x[i]), *best = x[i] > *best ? x[i] : *best);
}

/* The smallest label of neighbours, until nothing changes. */
__global__ void label(const int *x, int *labels, int n)
{
    int i = GLOBAL_INDEX;
    for (int k = i; i < n && k < n && k < i + 4; k++)
        if (k == i || isWanted(x[k]))
            RIGHT((void)atomicMin(&labels[k], i), labels[k] = min(labels[k], i));
}

__global__ void count(const int *x, unsigned long long *total, int n)
{
    int i = GLOBAL_INDEX;
    if (i < n && isWanted(x[i]))
        atomicAdd(total, RIGHT(1ull, i == n - 1 ? 2ull : 1ull));
}

__global__ void sum(const float *x, float *total, int n)
{
    int i = GLOBAL_INDEX;
    if (i < RIGHT(n, n - 1))
        atomicAdd(total, x[i]);
}

__global__ void sumByWarp(const float *x, float *total, int n)
{
    int i = GLOBAL_INDEX;
    float own = i < n ? x[i] : 0;
    for (int k = 16; k > RIGHT(0, 1); k /= 2)
        own += __shfl_down_sync(0xffffffff, own, k);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, own);
}

__global__ void dot(const float *x, const float *y, float *total, int n)
{
    __shared__ float own[64];
    int i = GLOBAL_INDEX;
    own[threadIdx.x] = i < n ? x[i] * y[RIGHT(i, i ^ (i + 1 < n))] : 0;
    __syncthreads();
    for (int k = 32; k > 0; k /= 2) {
        if (threadIdx.x < k)
            own[threadIdx.x] += own[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(total, own[0]);
}

/* y = A x for a sparse matrix of three diagonals, one thread for each element. */
__global__ void scatter(const float *a, const float *x, float *y, int n)
{
    int i = GLOBAL_INDEX, row = i / 3, column = row + i % 3 - 1;
    if (i < 3 * n && column >= 0 && column < n)
        atomicAdd(&y[row], a[i] * x[column] RIGHT(, *(i == 3 ? 2 : 1)));
}
