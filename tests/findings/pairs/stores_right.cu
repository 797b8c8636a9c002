// SPDX-License-Identifier: MIT
// What stores.cu should compute.
__global__ void stores(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}
