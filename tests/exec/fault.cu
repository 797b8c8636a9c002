/* SPDX-License-Identifier: MIT
 *
 * A kernel that writes past its array. Its error stays.
 */
#include <cstdio>

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1; /* finding: out-of-bounds-write */
}

int main()
{
    int *a, *b;

    cudaMalloc(&a, 31 * sizeof *a);
    fill<<<1, 32>>>(a);
    if (cudaGetLastError() != cudaSuccess)
        puts("the launch waits for the kernel");
    if (cudaDeviceSynchronize() != cudaErrorIllegalAddress)
        puts("no error");
    if (cudaGetLastError() != cudaErrorIllegalAddress ||
        cudaMalloc(&b, 4) != cudaErrorIllegalAddress)
        puts("the error does not stay");
    return 0;
}

// says: thread 31 of block 0 writes 4 bytes at element 31 of a (fault.cu:16), outside its 31 elements
// says: note: in fill, launched by main at ...fault.cu:17
