/* SPDX-License-Identifier: MIT
 *
 * Wrong on purpose: two mistakes in the kernel of stencil.cu.
 */
enum { RADIUS = 3, BLOCK = 128 };

/* Wrong: the halo is one element too short on both sides. */
__global__ void stencilShortHalo(const float *in, float *out, int n)
{
    __shared__ float tile[RADIUS + BLOCK + RADIUS];
    int i = blockIdx.x * BLOCK + threadIdx.x, t = RADIUS + threadIdx.x;
    float sum = 0;

    tile[t] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS - 1) {
        tile[t - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
        tile[t + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0;
    }
    __syncthreads();
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += tile[t + k];
    if (i < n)
        out[i] = sum / (2 * RADIUS + 1);
}

/* Wrong: without a barrier, a thread reads elements that other threads may not have written yet. */
__global__ void stencilNoBarrier(const float *in, float *out, int n)
{
    __shared__ float tile[RADIUS + BLOCK + RADIUS];
    int i = blockIdx.x * BLOCK + threadIdx.x, t = RADIUS + threadIdx.x;
    float sum = 0;

    tile[t] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        tile[t - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
        tile[t + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0;
    }
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += tile[t + k];
    if (i < n)
        out[i] = sum / (2 * RADIUS + 1);
}
