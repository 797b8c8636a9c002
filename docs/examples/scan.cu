/* SPDX-License-Identifier: MIT
 *
 * Inclusive scan by decoupled look-back (Merrill and Garland, "Single-pass Parallel Prefix Scan
 * with Decoupled Look-back", 2016). A block publishes the sum of its tile. It adds earlier tiles
 * until one has published its inclusive prefix, and then publishes its own. Blocks take tiles in
 * the order in which they start, so a block waits only for blocks that are already running.
 */
#include <cstdio>
#include <vector>

enum { THREADS = 64 };
enum { NOTHING, TILE_SUM, SUM_SO_FAR };

/* Returns the sum of all tiles before `tile`. A sum is written before the flag that names it. */
__device__ unsigned int look_back(int tile, volatile int *flags, const unsigned int *tile_sums,
                                  const unsigned int *sums_so_far)
{
    unsigned int before = 0;
    int flag = NOTHING;

    for (int t = tile - 1; t >= 0 && flag != SUM_SO_FAR; t--) {
        while ((flag = flags[t]) == NOTHING)
            ;
        __threadfence();
        before += flag == SUM_SO_FAR ? sums_so_far[t] : tile_sums[t];
    }
    return before;
}

__device__ void tell(volatile int *flag, int what, unsigned int *place, unsigned int sum)
{
    *place = sum;
    __threadfence();
    *flag = what;
}

/* Returns the inclusive prefix sum in the tile. That of the last thread is the tile's sum. */
__device__ unsigned int scan_tile(unsigned int value, unsigned int *shared)
{
    int t = threadIdx.x;

    shared[t] = value;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
        unsigned int other = t >= distance ? shared[t - distance] : 0;
        __syncthreads();
        shared[t] += other;
        __syncthreads();
    }
    return shared[t];
}

__global__ void scan(const unsigned int *in, unsigned int *out, int n, int *next_tile, int *flags,
                     unsigned int *tile_sums, unsigned int *sums_so_far)
{
    __shared__ unsigned int shared[THREADS], before;
    __shared__ int tile;

    if (threadIdx.x == 0)
        tile = atomicAdd(next_tile, 1);
    __syncthreads();
    int i = tile * THREADS + threadIdx.x;
    unsigned int sum = scan_tile(i < n ? in[i] : 0, shared);
    if (threadIdx.x == THREADS - 1) {
        tell(&flags[tile], TILE_SUM, &tile_sums[tile], sum);
        before = look_back(tile, flags, tile_sums, sums_so_far);
        tell(&flags[tile], SUM_SO_FAR, &sums_so_far[tile], before + sum);
    }
    __syncthreads();
    if (i < n)
        out[i] = before + sum;
}

int main()
{
    const int n = 10000, tiles = (n + THREADS - 1) / THREADS;
    std::vector<unsigned int> data(n, 1);
    unsigned int *in, *out, *sums;
    int *state; /* next_tile and the flags */

    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&sums, 2 * tiles * sizeof(int));
    cudaMalloc(&state, (1 + tiles) * sizeof(int));
    cudaMemcpy(in, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(state, 0, (1 + tiles) * sizeof(int));
    scan<<<tiles, THREADS>>>(in, out, n, state, state + 1, sums, sums + tiles);
    cudaMemcpy(data.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("the last sum is %u\n", data[n - 1]);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
