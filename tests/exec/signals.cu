/* SPDX-License-Identifier: MIT
 *
 * The host and kernels use memory at the same time, on purpose and by mistake.
 */
#include <cstdio>

__global__ void wait(volatile int *flag)
{
    while (*flag == 0)
        ;
}

__global__ void count(int *counter)
{
    atomicAdd_system(counter, 1);
}

__global__ void set(int *out)
{
    out[threadIdx.x] = 5;
}

int main()
{
    int *flag, *counter, *out;

    cudaMallocHost(&flag, sizeof *flag);
    cudaMallocManaged(&counter, sizeof *counter);
    cudaMallocHost(&out, 32 * sizeof *out);

    *flag = 0;
    wait<<<1, 1>>>(flag);
    *flag = 1;
    cudaDeviceSynchronize();

    *counter = 0;
    count<<<1, 32>>>(counter);
    __sync_fetch_and_add(counter, 1);
    cudaDeviceSynchronize();

    set<<<1, 32>>>(out);
    out[3] = 1; /* finding: unsynchronized-access */
    cudaDeviceSynchronize();

    printf("%d %d\n", *counter, out[3]);
    cudaFreeHost(flag);
    cudaFreeHost(out);
    cudaFree(counter);
    return 0;
}
