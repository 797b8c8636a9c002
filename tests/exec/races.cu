/* SPDX-License-Identifier: MIT
 *
 * Races of which one side is known only by its place in the queue, and a kernel with two races.
 */
#include <cstdio>

__global__ void shift(int *out, int distance)
{
    if (distance == 1)
        out[threadIdx.x] = out[threadIdx.x + 1]; /* finding: race */
    else
        out[threadIdx.x] = out[threadIdx.x + 2]; /* not checked after the first race */
}

int main()
{
    cudaStream_t one, other;
    cudaEvent_t event;
    int *a;

    cudaMalloc(&a, 64 * sizeof *a);
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreate(&event);

    cudaMemsetAsync(a, 1, 256, one);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(other, event);
    cudaMemsetAsync(a, 2, 256, one); /* finding: race */
    cudaMemsetAsync(a, 3, 256, other);
    cudaDeviceSynchronize();

    shift<<<1, 32>>>(a, 1);
    cudaDeviceSynchronize();
    shift<<<1, 32>>>(a, 2);
    cudaDeviceSynchronize();

    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    cudaEventDestroy(event);
    cudaFree(a);
    return 0;
}
