/* SPDX-License-Identifier: MIT
 *
 * Counts how often each byte occurs. A block counts in shared memory, then adds to the global bins.
 */
#include <cstdio>
#include <vector>

enum { BINS = 256 };

__global__ void histogram(const unsigned char *in, unsigned int *bins, int n)
{
    __shared__ unsigned int counts[BINS];

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        counts[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], counts[b]);
}

int main()
{
    const int n = 100000;
    std::vector<unsigned char> in(n, 'a');
    std::vector<unsigned int> bins(BINS, 0);
    unsigned char *in_on_gpu;
    unsigned int *bins_on_gpu;

    cudaMalloc(&in_on_gpu, n);
    cudaMalloc(&bins_on_gpu, BINS * sizeof(unsigned int));
    cudaMemcpy(in_on_gpu, in.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(bins_on_gpu, 0, BINS * sizeof(unsigned int));
    histogram<<<32, 128>>>(in_on_gpu, bins_on_gpu, n);
    cudaMemcpy(bins.data(), bins_on_gpu, BINS * sizeof(unsigned int), cudaMemcpyDeviceToHost);
    printf("%u times 'a'\n", bins['a']);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
