/* SPDX-License-Identifier: MIT
 *
 * The same results without clusters.
 */
__device__ void count(const int *in, int n, int *bins, int cluster)
{
    int total = 64 * cluster;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[min(max(in[i], 0), total - 1)], 1);
}

__global__ void histogram(const int *in, int n, int *bins)
{
    count(in, n, bins, 4);
}

__global__ void histogramOfTwo(const int *in, int n, int *bins)
{
    count(in, n, bins, 2);
}

/* In a cluster of 8. */
__global__ void sum(const int *in, int *out)
{
    atomicAdd(&out[blockIdx.x / 8], in[blockIdx.x * blockDim.x + threadIdx.x]);
}

/* In a cluster of 4. */
__global__ void ring(const int *in, int *out)
{
    int next = blockIdx.x / 4 * 4 + (blockIdx.x + 1) % 4;

    out[blockIdx.x * 32 + threadIdx.x] = in[next * 32 + threadIdx.x];
}

__global__ void oneReturns(int *out)
{
    if (threadIdx.x == 0 && blockIdx.x % 4 == 0)
        out[blockIdx.x / 4] = 4;
}

/* A grid of 4 x 2 blocks in clusters of 2 x 2. */
__global__ void registers(unsigned *out)
{
    unsigned x = blockIdx.x, y = blockIdx.y, rank = x % 2 + 2 * (y % 2);
    unsigned *row = out + 10 * (x + 4 * y);

    row[0] = 1;
    row[1] = rank;
    row[2] = 4;
    row[3] = x % 2 + 16 * (y % 2);
    row[4] = 2 + 16 * 2;
    row[5] = x / 2 + 16 * (y / 2);
    row[6] = 2 + 16 * 1;
    row[7] = 3;
    row[8] = rank;
    row[9] = (rank == 3) + 2 + 4;
}

/* Without clusters. */
__global__ void registersOfAGrid(unsigned *out)
{
    unsigned *row = out + 10 * (blockIdx.x + 4 * blockIdx.y);

    row[0] = row[1] = row[3] = row[7] = row[8] = 0;
    row[2] = 1;
    row[4] = 1 + 16 * 1;
    row[5] = blockIdx.x + 16 * blockIdx.y;
    row[6] = 4 + 16 * 2;
    row[9] = 1 + 2 + 4;
}
