/* SPDX-License-Identifier: MIT
 *
 * Samples a damped wave: a template that calls functions of CUDA's math library. A thread computes
 * PER_THREAD elements, BLOCK elements apart.
 */
#include <cstdio>
#include <vector>

enum { BLOCK = 128 };

template <typename Number>
struct wave {
    Number damping, frequency, phase;

    __device__ Number at(Number x) const
    {
        return exp(-damping * x * x) * sin(frequency * x + phase);
    }
};

template <typename Number, int PER_THREAD>
__global__ void sample(wave<Number> w, const Number *x, Number *y, int n)
{
    int first = blockIdx.x * BLOCK * PER_THREAD + threadIdx.x;

    for (int k = 0; k < PER_THREAD; k++) {
        int i = first + k * BLOCK;
        if (i < n)
            y[i] = w.at(x[i]);
    }
}

int main()
{
    const int n = 1000;
    std::vector<double> data(n, 0.5);
    double *x, *y;

    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&y, n * sizeof(double));
    cudaMemcpy(x, data.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    sample<double, 4><<<(n + 4 * BLOCK - 1) / (4 * BLOCK), BLOCK>>>({0.5, 3.0, 0.25}, x, y, n);
    cudaMemcpy(data.data(), y, n * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%g\n", data[n - 1]);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
