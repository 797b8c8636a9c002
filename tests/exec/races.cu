/* SPDX-License-Identifier: MIT
 *
 * Copies that race, of which another is to memory of the same name, and kernels with two races.
 */
#include <cstdio>

__global__ void shift(int *out, int distance)
{
    if (distance == 1)
        out[threadIdx.x] = out[threadIdx.x + 1]; /* finding: race */
    else
        out[threadIdx.x] = out[threadIdx.x + 2]; /* not checked after the first race */
}

/* Two races of one write, with different reads. */
__global__ void spread(int *out, int *sums)
{
    int sum = 0;

    out[threadIdx.x] = 1; /* finding: race */ /* finding: race */
    if (threadIdx.x > 1)
        sum = out[threadIdx.x - 1];
    if (threadIdx.x > 1)
        sum += out[threadIdx.x - 2];
    sums[threadIdx.x] = sum;
}

int main()
{
    cudaStream_t one, other;
    int *arrays[2];

    for (int k = 0; k < 2; k++)
        cudaMalloc(&arrays[k], 64 * sizeof(int));
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);

    cudaMemsetAsync(arrays[0], 1, 256, one);
    cudaMemsetAsync(arrays[1], 2, 256, one);
    cudaMemsetAsync(arrays[1], 3, 256, other); /* finding: race */
    cudaDeviceSynchronize();

    shift<<<1, 32>>>(arrays[0], 1);
    cudaDeviceSynchronize();
    shift<<<1, 32>>>(arrays[0], 2);
    cudaDeviceSynchronize();
    spread<<<1, 32>>>(arrays[0], arrays[1]);
    cudaDeviceSynchronize();

    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    for (int k = 0; k < 2; k++)
        cudaFree(arrays[k]);
    return 0;
}

// says: cudaMemsetAsync() writes it
// says: error: data race on element 1 of arrays[k] (races.cu:34)
// says: thread 1 of block 0 writes 16843009 over 16843009
// says: note: in shift, launched by main at ...races.cu:43
