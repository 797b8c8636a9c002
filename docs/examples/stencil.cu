/* SPDX-License-Identifier: MIT
 *
 * Computes the mean of each element and its RADIUS neighbours on both sides.
 * A block keeps its tile in shared memory, with a halo of RADIUS elements on both sides. Elements
 * beyond the ends of the data count as zeros.
 */
#include <cstdio>
#include <vector>

enum { RADIUS = 3, BLOCK = 128 };

__global__ void stencil(const float *in, float *out, int n)
{
    __shared__ float tile[RADIUS + BLOCK + RADIUS];
    int i = blockIdx.x * BLOCK + threadIdx.x, t = RADIUS + threadIdx.x;
    float sum = 0;

    tile[t] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        tile[t - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
        tile[t + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0;
    }
    __syncthreads();
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += tile[t + k];
    if (i < n)
        out[i] = sum / (2 * RADIUS + 1);
}

int main()
{
    const int n = 1000;
    std::vector<float> data(n, 7.0f);
    float *in, *out;

    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, data.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    stencil<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
    cudaMemcpy(data.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g in the middle, %g at the end\n", data[n / 2], data[n - 1]);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
