/* SPDX-License-Identifier: MIT
 *
 * A kernel reads a texture whose memory was freed.
 */
#include <cstdio>

__global__ void read(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x); /* finding: use-after-free */
}

int main()
{
    cudaResourceDesc resource = {};
    cudaTextureDesc reading = {};
    cudaTextureObject_t texture;
    float *memory, *out;

    cudaMalloc(&memory, 32 * sizeof *memory);
    cudaMalloc(&out, 32 * sizeof *out);
    cudaMemset(memory, 0, 32 * sizeof *memory);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 32 * sizeof *memory;
    cudaCreateTextureObject(&texture, &resource, &reading, nullptr);
    read<<<1, 32>>>(texture, out);
    cudaFree(memory);
    read<<<1, 32>>>(texture, out);
    if (cudaDeviceSynchronize() != cudaErrorIllegalAddress)
        puts("no error");
    return 0;
}
