/* SPDX-License-Identifier: MIT
 *
 * Wrong on purpose: the bound is off by one, so a thread reads and writes past the end.
 */
__global__ void saxpyPastTheEnd(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i <= n)
        y[i] = a * x[i] + y[i];
}
