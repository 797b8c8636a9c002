/* SPDX-License-Identifier: MIT
 *
 * Parallel kernels on floats, for test_exact.c. `bug` selects a wrong term, from 1 to 20; 0 selects
 * none. reference.cu has plain kernels of the same names.
 */
#include <cfloat>

#define FULL 0xffffffffu

/* One sum for each block of 256 threads. */
__global__ void blockSum(const float *x, float *y, int n, int bug)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n - (bug == 1) ? x[i] : 0.0f;
    __syncthreads();
    for (int k = bug == 2 ? 64 : 128; k > 0; k >>= 1) {
        if (t < k)
            s[t] = bug == 3 && k == 4 ? s[t + k] : s[t] + s[t + k];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = s[0] + (bug == 4 ? x[blockIdx.x * 256] : 0.0f);
}

/* The sum of all block sums, by one block of 4 threads. */
__global__ void finalSum(const float *y, float *total, int count, int bug)
{
    __shared__ float s[4];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = t + (bug == 5); i < count; i += bug == 6 ? 3 : 4)
        sum += y[i];
    s[t] = sum;
    __syncthreads();
    if (t == 0)
        for (int k = 1; k < 4; k++)
            s[0] += s[k];
    if (t == 0)
        *total = s[0];
}

/* One sum for each warp. */
__global__ void warpSum(const float *x, float *y, int n, int bug)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    for (int k = 16; k > (bug == 7); k >>= 1)
        v += __shfl_down_sync(FULL, v, bug == 8 && k == 4 ? 8 : k);
    if (threadIdx.x % 32 == 0)
        y[i / 32] = v;
}

/* Warps add to one sum, in any order. */
__global__ void atomicSum(const float *x, float *sum, double *wide, int n, int bug)
{
    int step = gridDim.x * 64 - (bug == 9);
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += step)
        if (bug != 10 || i != n / 2) {
            atomicAdd(sum, x[i]);
            atomicAdd(wide, (double)x[i] * 0.25);
        }
}

__global__ void dot(const float *x, const float *y, float *out, int n, int bug)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = t; i < n; i += 64)
        sum = fmaf(x[i], bug == 11 && i == n / 3 ? x[i] : y[i], sum);
    s[t] = sum;
    __syncthreads();
    for (int k = 32; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        *out = s[0];
}

/* C[20][24] = A[20][n] * B[n][24], in tiles of 8. */
__global__ void gemm(const float *a, const float *b, float *c, int n, int bug)
{
    __shared__ float as[8][8], bs[8][8];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, column = blockIdx.x * 8 + tx;
    float sum = 0;
    for (int first = 0; first < n - (bug == 13 ? n % 8 : 0); first += 8) {
        int ka = first + tx - (bug == 15 && tx == 5), kb = first + (bug == 12 && first == 8 ? tx : ty);
        as[ty][tx] = row < 20 && ka < n ? a[row * n + ka] : 0.0f;
        bs[ty][tx] = kb < n ? b[kb * 24 + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float product = as[ty][k] * bs[k][bug == 14 && k == 3 ? ty : tx];
            sum = bug == 16 && first == 8 && k == 0 ? product : sum + product;
        }
        __syncthreads();
    }
    if (row < 20)
        c[row * 24 + column] = sum;
}

/* The mean and the variance, by one block of 64 threads. */
__global__ void variance(const float *x, float *out, int n, int bug)
{
    __shared__ float sum, squares;
    if (threadIdx.x == 0)
        sum = squares = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 64)
        atomicAdd(&sum, x[i]);
    __syncthreads();
    float mean = sum / (bug == 17 ? n - 1 : n);
    for (int i = threadIdx.x; i < n; i += 64) {
        float d = x[bug == 18 && i == n - 1 ? i - 1 : i] - mean;
        atomicAdd(&squares, d * d);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = mean;
        out[1] = squares * (1.0f / n);
        out[2] = rsqrtf(squares / n + 0.5f);
    }
}

/* The sum of 64 elements in the last warp, with volatile accesses. */
__global__ void volatileSum(const float *x, float *out, int n, int bug)
{
    __shared__ float s[64];
    volatile float *v = s;
    int t = threadIdx.x;
    s[t] = t < n ? x[t] : 0.0f;
    __syncthreads();
    for (int k = 32; k > 0 && t < 32; k >>= 1) {
        float more = bug == 19 && k == 2 ? 0.0f : v[t + k];
        __syncwarp();
        v[t] = v[t] + more;
        __syncwarp();
    }
    if (t == 0)
        *out = v[0];
}

/* Inclusive prefix sums of each 256 elements. */
__global__ void scan(const float *x, float *y, int n, int bug)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int k = 1; k < 256; k *= 2) {
        float more = t >= k + (bug == 20 && k == 16) ? s[t - k] : 0.0f;
        __syncthreads();
        s[t] += more;
        __syncthreads();
    }
    if (i < n)
        y[i] = s[t];
}

/* Weights of the elements of each 32: 2^(x - max), divided by their sum. */
__global__ void softmax(const float *x, float *y, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    float v = i < n ? x[i] : -INFINITY, most = v, weight, sum;
    for (int k = 16; k > 0; k >>= 1)
        most = fmaxf(most, __shfl_xor_sync(FULL, most, k));
    sum = weight = i < n ? exp2f(v - most) : 0.0f;
    for (int k = 16; k > 0; k >>= 1)
        sum += __shfl_xor_sync(FULL, sum, k);
    if (i < n)
        y[i] = __fdividef(weight, sum);
}

/* Sums of doubles by warps, extremes, and what compilers make of the sign. */
__global__ void doubles(const double *x, double *y, float *z, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    double v = i < n ? x[i] : 0.0;
    float least = FLT_MAX, most = -FLT_MAX;
    for (int k = 16; k > 0; k >>= 1)
        v += __shfl_xor_sync(FULL, v, k);
    for (int k = 0; k < n; k++) {
        least = fminf(least, (float)x[k]);
        most = fmaxf(most, (float)x[k]);
    }
    y[i] = v;
    z[i] = n > 0 ? fabsf(most - least) : copysignf(7.0f, -1.0f);
}

/* Constants, which compilers move as integers. */
__global__ void constants(double *x, float *y, int)
{
    x[0] = 0.1;
    x[1] = -0.0;
    y[0] = 1.0f;
    y[1] = -0.375f;
    y[2] = -0.0f;
}

/* Operations that --floats exact cannot express. */
__global__ void inexpressible(const float *x, float *y, int what)
{
    switch (what) {
    case 1:
        y[0] = (float)(int)x[0];
        break;
    case 2:
        y[0] = floorf(x[0]);
        break;
    case 3:
        y[0] = __int_as_float(__float_as_int(x[0] + x[0]) + 1);
        break;
    case 4:
        y[0] = x[0] + INFINITY;
        break;
    default:
        y[0] = (float)(double)-x[0] * 3 / 4 + 0.1f;
        break;
    }
}
