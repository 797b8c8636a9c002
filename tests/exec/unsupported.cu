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
    for (int k = 0; k < 3; k++)
        nothing<<<1, 1025>>>(); /* finding: invalid-call */
    if (cudaGetLastError() != cudaErrorInvalidConfiguration)
        puts("wrong error of the launch");
    cudaFree(a);
    return 0;
}

// says: unsupported.cu:17: error: unsupported feature
// says: the launch of nothing is invalid: a block has more than 1024 threads
// says: unsupported  FAIL  1 unsupported feature, 1 invalid call
// says: note: repetitions that are not printed: 2
