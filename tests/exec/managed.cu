/* SPDX-License-Identifier: MIT
 *
 * __managed__ variables: the host and kernels access them at one address. The host must wait before
 * it reads what a kernel writes.
 */
#include <cstdio>

__managed__ int total = 7;
__managed__ float factors[1000] = {1, 2};
__managed__ int untouched;
static __managed__ int hidden;

__global__ void add()
{
    atomicAdd(&total, (int)factors[threadIdx.x]);
    atomicAdd(&hidden, 1);
}

__global__ void overrun(int at)
{
    factors[at] = 1; /* finding: out-of-bounds-write */
}

static void check(int value, int expected, const char *what)
{
    if (value != expected)
        printf("%s is %d\n", what, value);
}

int main()
{
    cudaPointerAttributes attributes;
    int copy = 0, three = 3;

    check(total, 7, "total at first");
    for (int k = 0; k < 32; k++)
        factors[k] = k;
    add<<<1, 32>>>();
    untouched = 5;
    copy = total; /* finding: unsynchronized-access */
    cudaDeviceSynchronize();
    check(total, 7 + 31 * 16, "total");
    check(hidden, 32, "hidden");
    check(untouched, 5, "untouched");

    cudaMemcpyFromSymbol(&copy, total, sizeof copy);
    check(copy, 7 + 31 * 16, "the copy");
    cudaMemcpyToSymbol(total, &three, sizeof three);
    check(total, 3, "total after the copy");
    cudaPointerGetAttributes(&attributes, &total);
    check(attributes.type, cudaMemoryTypeManaged, "the type");

    overrun<<<1, 1>>>(1000);
    check(cudaDeviceSynchronize(), cudaErrorIllegalAddress, "the error");
    return 0;
}

// says: at factors[1000], outside its 1000 elements
