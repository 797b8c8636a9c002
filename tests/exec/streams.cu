/* SPDX-License-Identifier: MIT
 *
 * Kernels of two streams that no event orders, and the same with an event.
 */
#include <cstdio>

__global__ void fill(int *out, int value)
{
    out[threadIdx.x] = value;
}

__global__ void add(int *out, const int *in)
{
    out[threadIdx.x] += in[threadIdx.x]; /* finding: race */
}

int main()
{
    cudaStream_t one, other;
    cudaEvent_t event;
    int *a, *b, result[32];

    cudaMalloc(&a, sizeof result);
    cudaMalloc(&b, sizeof result);
    cudaStreamCreate(&one);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreate(&event);

    fill<<<1, 32, 0, one>>>(a, 1);
    fill<<<1, 32, 0, one>>>(b, 2);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(other, event);
    add<<<1, 32, 0, other>>>(a, b);
    cudaDeviceSynchronize();

    add<<<1, 32, 0, one>>>(a, b);
    add<<<1, 32, 0, other>>>(a, b);
    cudaDeviceSynchronize();

    cudaMemcpy(result, a, sizeof result, cudaMemcpyDeviceToHost);
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    cudaEventDestroy(event);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
