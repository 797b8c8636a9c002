/* SPDX-License-Identifier: MIT
 *
 * Computes y = a x + y with one thread per element.
 */
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 1000;
    std::vector<float> x(n, 1.0f), y(n, 2.0f);
    float *on_gpu[2];

    cudaMalloc(&on_gpu[0], n * sizeof(float));
    cudaMalloc(&on_gpu[1], n * sizeof(float));
    cudaMemcpy(on_gpu[0], x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(on_gpu[1], y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, on_gpu[0], on_gpu[1]);
    cudaMemcpy(y.data(), on_gpu[1], n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("y[%d] = %g\n", n - 1, y[n - 1]);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
