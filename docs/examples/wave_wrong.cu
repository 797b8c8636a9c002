/* SPDX-License-Identifier: MIT
 *
 * Wrong on purpose: without a bounds test, it is right only if n is a multiple of a block's work.
 */
enum { BLOCK = 128 };

template <typename Number, int PER_THREAD>
__global__ void sampleUnguarded(const Number *x, Number *y)
{
    int first = blockIdx.x * BLOCK * PER_THREAD + threadIdx.x;

    for (int k = 0; k < PER_THREAD; k++) {
        int i = first + k * BLOCK;
        y[i] = exp(-x[i] * x[i]) * sin(x[i]);
    }
}
