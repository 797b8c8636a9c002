/* SPDX-License-Identifier: MIT
 *
 * Wrong on purpose: two mistakes in the kernel of histogram.cu.
 */
enum { BINS = 256 };

/* Wrong: `++` is not atomic, so threads that count the same byte can lose an update. */
__global__ void histogramPlainIncrement(const unsigned char *in, unsigned int *bins, int n)
{
    __shared__ unsigned int counts[BINS];

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        counts[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        counts[in[i]]++;
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], counts[b]);
}

/* Wrong: without a barrier, a thread may count before another thread has zeroed the bin. */
__global__ void histogramNoBarrier(const unsigned char *in, unsigned int *bins, int n)
{
    __shared__ unsigned int counts[BINS];

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        counts[b] = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], counts[b]);
}
