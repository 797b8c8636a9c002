/* SPDX-License-Identifier: MIT
 *
 * Wrong on purpose: scan.cu with mistakes in the synchronization between blocks.
 */
enum { THREADS = 64 };
enum { NOTHING, TILE_SUM, SUM_SO_FAR };

template <typename Flag, bool FENCES>
__device__ unsigned int look_back(int tile, Flag *flags, const unsigned int *tile_sums,
                                  const unsigned int *sums_so_far)
{
    unsigned int before = 0;
    int flag = NOTHING;

    for (int t = tile - 1; t >= 0 && flag != SUM_SO_FAR; t--) {
        while ((flag = flags[t]) == NOTHING)
            ;
        if (FENCES)
            __threadfence();
        before += flag == SUM_SO_FAR ? sums_so_far[t] : tile_sums[t];
    }
    return before;
}

template <typename Flag, bool FENCES>
__device__ void tell(Flag *flag, int what, unsigned int *place, unsigned int sum)
{
    *place = sum;
    if (FENCES)
        __threadfence();
    *flag = what;
}

/* Stores the sum of the block's tile and of all earlier tiles. One thread per block does it all. */
template <typename Flag, bool FENCES>
__device__ void sum_so_far(const unsigned int *in, unsigned int *out, int n, int *next_tile,
                           Flag *flags, unsigned int *tile_sums, unsigned int *sums_so_far)
{
    unsigned int sum = 0;

    if (threadIdx.x > 0)
        return;
    int tile = atomicAdd(next_tile, 1);
    for (int i = tile * THREADS; i < n && i < (tile + 1) * THREADS; i++)
        sum += in[i];
    tell<Flag, FENCES>(&flags[tile], TILE_SUM, &tile_sums[tile], sum);
    sum += look_back<Flag, FENCES>(tile, flags, tile_sums, sums_so_far);
    tell<Flag, FENCES>(&flags[tile], SUM_SO_FAR, &sums_so_far[tile], sum);
    out[tile] = sum;
}

/* Wrong: without fences, another block may see a flag before the sum that it announces. */
__global__ void scanNoFence(const unsigned int *in, unsigned int *out, int n, int *next_tile,
                            int *flags, unsigned int *tile_sums, unsigned int *sums_so_far)
{
    sum_so_far<volatile int, false>(in, out, n, next_tile, flags, tile_sums, sums_so_far);
}

/* Wrong: a compiler may read a plain flag only once, and the loop then never ends. */
__global__ void scanPlainFlags(const unsigned int *in, unsigned int *out, int n, int *next_tile,
                               int *flags, unsigned int *tile_sums, unsigned int *sums_so_far)
{
    sum_so_far<int, true>(in, out, n, next_tile, flags, tile_sums, sums_so_far);
}
