/* SPDX-License-Identifier: MIT
 *
 * A function that is missing, and an invalid launch.
 */
#include <cstdio>

__global__ void nothing()
{
}

int main()
{
    cudaIpcMemHandle_t handle;
    int *a;

    cudaMalloc(&a, 4);
    if (cudaIpcGetMemHandle(&handle, a) != cudaErrorNotSupported) /* finding: unsupported */
        puts("wrong error");
    nothing<<<1, 1025>>>(); /* finding: invalid-call */
    if (cudaGetLastError() != cudaErrorInvalidConfiguration)
        puts("wrong error of the launch");
    cudaFree(a);
    return 0;
}
