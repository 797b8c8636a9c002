/* SPDX-License-Identifier: MIT
 *
 * Copies of buffers that kernels have filled in part.
 */
#include <cstdio>

static const int n = 32;

__global__ void write(int *out, int count, const int *from)
{
    if (threadIdx.x < count)
        out[threadIdx.x] = from != nullptr ? from[threadIdx.x] : 1;
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
    cudaFree(unwritten);
    cudaFree(few);
    cudaFree(most);
    cudaFree(wrong);
    return 0;
}
