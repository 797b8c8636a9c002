/* SPDX-License-Identifier: MIT
 *
 * Copies of buffers that kernels have filled in part, and kernels that use unwritten memory.
 */
#include <cstdio>

static const int n = 32;

__global__ void write(int *out, int count, const int *from)
{
    if (threadIdx.x < count)
        out[threadIdx.x] = from != nullptr ? from[threadIdx.x] : 1;
}

/* On a GPU, a program goes on after the use of unwritten memory. */
__global__ void decide(const int *unwritten, int *out)
{
    if (unwritten[threadIdx.x] > 5) /* finding: uninitialized-read */
        atomicAdd(&out[threadIdx.x], 1);
    else
        atomicSub(&out[threadIdx.x], 1);
}

__global__ void count(int *unwritten)
{
    atomicAdd(&unwritten[threadIdx.x], 1); /* finding: uninitialized-read */
}

static int *results(int count, const int *from)
{
    int *out;

    cudaMalloc(&out, n * sizeof *out);
    write<<<1, n>>>(out, count, from);
    return out;
}

int main()
{
    int *unwritten, *few, *most, *wrong, host[n];

    cudaMalloc(&unwritten, sizeof host);
    few = results(4, nullptr);
    most = results(20, nullptr);
    wrong = results(4, unwritten);
    cudaMemcpy(host, few, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, most, sizeof host, cudaMemcpyDeviceToHost);  /* finding: uninitialized-read */
    cudaMemcpy(host, wrong, sizeof host, cudaMemcpyDeviceToHost); /* finding: uninitialized-read */
    cudaMemcpy(host, few + 4, 16, cudaMemcpyDeviceToHost);        /* finding: uninitialized-read */
    cudaMemset(few, 0, sizeof host);
    decide<<<1, n>>>(unwritten, few);
    if (cudaDeviceSynchronize() != cudaSuccess)
        puts("the error stays");
    cudaMemcpy(host, few, sizeof host, cudaMemcpyDeviceToHost);
    if (host[n - 1] != 1 && host[n - 1] != -1)
        puts("the kernel did not go on");
    count<<<1, n>>>(unwritten);
    cudaDeviceSynchronize();
    cudaFree(unwritten);
    cudaFree(few);
    cudaFree(most);
    cudaFree(wrong);
    return 0;
}
