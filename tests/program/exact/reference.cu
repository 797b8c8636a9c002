/* SPDX-License-Identifier: MIT
 *
 * The kernels of kernels.cu as one thread computes them.
 */
__device__ float sumOf(const float *x, int first, int last)
{
    float sum = 0;
    for (int i = first; i < last; i++)
        sum += x[i];
    return sum;
}

__global__ void blockSum(const float *x, float *y, int n, int)
{
    int first = blockIdx.x * 256;
    if (threadIdx.x == 0)
        y[blockIdx.x] = sumOf(x, first, min(first + 256, n));
}

__global__ void finalSum(const float *y, float *total, int count, int)
{
    if (threadIdx.x == 0)
        *total = sumOf(y, 0, count);
}

__global__ void warpSum(const float *x, float *y, int n, int)
{
    int first = blockIdx.x * 256 + threadIdx.x;
    if (threadIdx.x % 32 == 0)
        y[first / 32] = sumOf(x, first, min(first + 32, n));
}

__global__ void atomicSum(const float *x, float *sum, double *wide, int n, int)
{
    if (blockIdx.x > 0 || threadIdx.x > 0)
        return;
    *sum = sumOf(x, 0, n);
    double total = 0;
    for (int i = 0; i < n; i++)
        total += x[i];
    *wide = total / 4;
}

__global__ void dot(const float *x, const float *y, float *out, int n, int)
{
    if (threadIdx.x > 0)
        return;
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    *out = sum;
}

__global__ void gemm(const float *a, const float *b, float *c, int n, int)
{
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    if (row >= 20)
        return;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * 24 + column];
    c[row * 24 + column] = sum;
}

__global__ void variance(const float *x, float *out, int n, int)
{
    if (threadIdx.x > 0)
        return;
    float mean = sumOf(x, 0, n) / n, squares = 0;
    for (int i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    out[0] = mean;
    out[1] = squares / n;
    out[2] = 1 / sqrtf(squares / n + 0.5f);
}

__global__ void volatileSum(const float *x, float *out, int n, int)
{
    if (threadIdx.x == 0)
        *out = sumOf(x, 0, min(n, 64));
}

__global__ void scan(const float *x, float *y, int n, int)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = sumOf(x, blockIdx.x * 256, i + 1);
}

__global__ void doubles(const double *x, double *y, float *z, int n)
{
    int first = blockIdx.x * 32;
    double sum = 0, least = n > 0 ? x[0] : 0, most = least;
    for (int i = first; i < n && i < first + 32; i++)
        sum += x[i];
    for (int i = 0; i < n; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    float range = (float)(least - most);
    y[first + threadIdx.x] = sum;
    z[first + threadIdx.x] = n == 0 ? -7.0f : range < 0 ? -range : range;
}

__global__ void constants(double *x, float *y, int n)
{
    x[0] = 0.1 * n / n;
    x[1] = n - n;
    y[0] = (float)n / n;
    y[1] = -(3.0f * n) / (8.0f * n);
    y[2] = 0;
}

__global__ void softmax(const float *x, float *y, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x, first = blockIdx.x * 32, last = min(first + 32, n);
    float most = x[first], sum = 0;
    if (i >= n)
        return;
    for (int k = first; k < last; k++)
        most = x[k] > most ? x[k] : most;
    for (int k = first; k < last; k++)
        sum += exp2f(x[k] - most);
    y[i] = exp2f(x[i] - most) / sum;
}
