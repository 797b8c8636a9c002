/* SPDX-License-Identifier: MIT
 *
 * Copies to the host of structures with padding, which no kernel writes, and of arrays in which an
 * element is missing.
 */
#include <cstdio>

struct pair {
    int key;
    long long value;
};

struct tail {
    double value;
    char flag;
};

__global__ void write_pairs(pair *pairs, tail *tails, bool has_value)
{
    pairs[threadIdx.x].key = 1;
    if (has_value || threadIdx.x != 5)
        pairs[threadIdx.x].value = 2;
    tails[threadIdx.x].flag = 3;
    tails[threadIdx.x].value = 4;
}

__global__ void copy_pairs(const pair *from, pair *to)
{
    to[threadIdx.x] = from[threadIdx.x];
}

__global__ void write_numbers(int *ints, char *chars, int missing)
{
    if (threadIdx.x != missing)
        ints[threadIdx.x] = chars[threadIdx.x] = 1;
}

int main()
{
    static char host[512];
    pair *pairs, *copies;
    tail *tails;
    int *ints;
    char *chars;

    cudaMalloc(&pairs, 32 * sizeof *pairs);
    cudaMalloc(&copies, 32 * sizeof *copies);
    cudaMalloc(&tails, 32 * sizeof *tails);
    cudaMalloc(&ints, 32 * sizeof *ints);
    cudaMalloc(&chars, 32);
    write_pairs<<<1, 32>>>(pairs, tails, true);
    copy_pairs<<<1, 32>>>(pairs, copies);
    cudaMemcpy(host, pairs, 32 * sizeof *pairs, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, copies, 32 * sizeof *copies, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, tails, 32 * sizeof *tails, cudaMemcpyDeviceToHost);
    cudaMemcpy(copies, pairs, 32 * sizeof *pairs, cudaMemcpyDeviceToDevice);
    cudaMemcpy(host, &copies[7], sizeof *copies, cudaMemcpyDeviceToHost);
    write_numbers<<<1, 32>>>(ints, chars, 31);
    cudaMemcpy(host, ints, 128, cudaMemcpyDeviceToHost); /* finding: uninitialized-read */
    cudaMemcpy(host, chars, 32, cudaMemcpyDeviceToHost); /* finding: uninitialized-read */
    cudaFree(pairs);
    cudaMalloc(&pairs, 32 * sizeof *pairs);
    write_pairs<<<1, 32>>>(pairs, tails, false);
    cudaMemcpy(host, pairs, 512, cudaMemcpyDeviceToHost); /* finding: uninitialized-read */
    cudaFree(pairs);
    cudaFree(copies);
    cudaFree(tails);
    cudaFree(ints);
    cudaFree(chars);
    return 0;
}
