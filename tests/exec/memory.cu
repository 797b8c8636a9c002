/* SPDX-License-Identifier: MIT
 *
 * Wrong uses of memory by the host, and a leak of a kernel.
 */
#include <cstdio>

__device__ char counters[4];
__constant__ char before[4];

/* Nothing frees what the kernel takes. */
__global__ void keep(int **kept)
{
    *kept = new int(3); /* finding: memory-leak */
}

int main()
{
    static char host[256];
    char *a, *b, *c, *leaked, *pinned;

    cudaMalloc(&a, 100);
    cudaMalloc(&b, 100);
    cudaMalloc(&c, 100);
    cudaMalloc(&leaked, 100); /* finding: memory-leak */
    cudaMemset(a, 0, 100);
    keep<<<1, 1>>>((int **)a);
    cudaMemcpy(host, a, 101, cudaMemcpyDeviceToHost);     /* finding: out-of-bounds-read */
    cudaMemcpy(a + 1, host, 100, cudaMemcpyHostToDevice); /* finding: out-of-bounds-write */
    cudaMemcpy(host, c, 100, cudaMemcpyDeviceToHost);     /* finding: uninitialized-read */
    cudaMemcpy(host, c, 100, cudaMemcpyHostToDevice);     /* finding: invalid-call */
    cudaFree(b);
    cudaMemcpy(host, b, 100, cudaMemcpyDeviceToHost); /* finding: use-after-free */
    cudaFree(b);                                      /* finding: invalid-free */
    cudaFree(a + 1);                                  /* finding: invalid-free */
    cudaMallocHost(&pinned, 64);
    cudaMemcpy(pinned, a, 65, cudaMemcpyDeviceToHost); /* finding: out-of-bounds-write */
    cudaMemset(pinned, 0, 65);                         /* finding: out-of-bounds-write */
    cudaMemcpy(a, pinned, 65, cudaMemcpyHostToDevice); /* finding: out-of-bounds-read */
    cudaMemcpyToSymbol(before, counters, 4);           /* finding: invalid-call */
    cudaFreeHost(pinned);
    cudaFree(a);
    cudaFree(c);
    if (cudaGetLastError() != cudaErrorInvalidValue || cudaGetLastError() != cudaSuccess)
        puts("wrong last error");
    return 0;
}

// says: cudaMemcpy() reads 101 bytes from byte 0 of the 100 bytes of a (memory.cu:21)
// says: cudaMemcpy() reads b (memory.cu:22), which was freed by cudaFree() at ...memory.cu:31
// says: 100 bytes of memory of the GPU are not freed at the end: leaked (memory.cu:24)
// says: nothing frees 1 allocation of malloc(), 4 bytes
