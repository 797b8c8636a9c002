/* SPDX-License-Identifier: MIT
 *
 * The same results without clusters. The clusters have four blocks in `ring`, and two in `members`.
 */
__global__ void ring(const int *in, int *out)
{
    int next = blockIdx.x / 4 * 4 + (blockIdx.x + 1) % 4;

    out[blockIdx.x * 32 + threadIdx.x] = in[next * 32 + threadIdx.x];
}

__global__ void members(unsigned *out)
{
    unsigned *row = out + 8 * (4 * blockIdx.x + threadIdx.x), rank = blockIdx.x % 2;

    row[0] = row[2] = rank;
    row[1] = 2;
    row[3] = 2 + 16 * 1;
    row[4] = 4 * rank + threadIdx.x;
    row[5] = row[6] = 8;
    row[7] = 1;
}
