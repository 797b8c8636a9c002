/* SPDX-License-Identifier: MIT
 *
 * Kernels on floats, for test_bounded.c.
 */
#include <cuda_fp16.h>

/* Adds by compare-and-swap, and finds the greatest element by a choice. */
__global__ void swaps(const float *x, float *sum, float *most, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i < n) {
        int *bits = (int *)sum, old = *(volatile int *)bits, seen;
        do {
            seen = old;
            old = atomicCAS(bits, seen, __float_as_int(__int_as_float(seen) + x[i]));
        } while (old != seen);
    }
    if (i == 0) {
        float greatest = x[0] / 3;
        for (int k = 1; k < n; k++) {
            float v = x[k] / 3;
            greatest = v > greatest ? v : greatest;
        }
        *most = greatest;
    }
}

/* Functions of a positive element. */
__global__ void functions(const float *x, float *y, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    float v = fabsf(x[i]) + 0.5f, w = v / 3;
    float *out = y + 12 * i;
    out[0] = sqrtf(w) + rsqrtf(w);
    out[1] = exp2f(w);
    out[2] = __log2f(w);
    out[3] = __fdividef(w, v + 1);
    out[4] = __sinf(w - floorf(w));
    out[5] = fminf(w, 1 - w);
    out[6] = copysignf(w, -1.0f);
    out[7] = __saturatef(w);
    out[8] = (float)(int)(v * 8);
    out[9] = w != w ? 0.0f : ldexpf(w, 3);
    out[10] = (float)(sqrt((double)w) * w);
    out[11] = __half2float(__float2half_rn(v * 0.0f));
}

/* Functions that nvcc writes out with operations on bits. */
__global__ void softmax(const float *x, float *y, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    float most = -INFINITY, sum = 0;
    for (int k = 0; k < n; k++)
        most = fmaxf(most, x[k]);
    for (int k = 0; k < n; k++)
        sum += expf(x[k] - most);
    if (i < n)
        y[i] = expf(x[i] - most) / sum;
}

/* The rounding error of the difference is many units in the last place. */
__global__ void cancels(const float *x, float *y, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = (x[i] + 1000.1f) - 1000.1f;
}

/* What --reference double cannot express. */
__global__ void inexpressible(const float *x, float *y, int *z, int what)
{
    float third = x[0] / 3, zero = third * 3 - x[0];
    z[0] = 0;
    switch (what) {
    case 1: /* rounding decides which branch a thread takes */
        if (zero > 0)
            z[0] = 1;
        y[0] = 1;
        break;
    case 2:
        y[0] = __int_as_float(__float_as_int(third) + 1);
        break;
    case 3: /* between two integers */
        y[0] = 1;
        z[0] = (int)(zero + 5);
        break;
    case 4:
        y[0] = __half2float(__hadd(__float2half_rn(1.0f), __float2half_rn(2.0f)));
        break;
    case 5:
        y[0] = 1 / zero;
        break;
    case 6:
        y[0] = 1;
        z[0] = __float_as_int(third);
        break;
    case 7:
        y[0] = 1;
        atomicMax(z, __float_as_int(third));
        break;
    default:
        y[0] = third > x[0] * 0.25f ? third : zero;
        break;
    }
}
