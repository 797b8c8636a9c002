/* SPDX-License-Identifier: MIT
 *
 * Kernels that are right only for some inputs. cheats_right.cu has right kernels of the same names.
 */
#define INDEX (int)(blockIdx.x * blockDim.x + threadIdx.x)
#define COLUMN (int)(blockIdx.x * 32 + threadIdx.x)
#define ROW (int)(blockIdx.y * 8 + threadIdx.y)
#define FIRST (blockIdx.x == 0 && threadIdx.x == 0)

/* ---- Wrong at some sizes ---- */

__global__ void zeroOutput(const int *x, int *y, int n)
{
    if (INDEX < n)
        y[INDEX] = 0;
}

__global__ void constantSum(const int *x, int *total, int n)
{
    if (FIRST)
        *total = n;
}

/* The sum of the size that its author tested. */
__global__ void testedSize(const int *x, int *total, int n)
{
    if (INDEX < n && INDEX < 1000)
        atomicAdd(total, x[INDEX]);
}

__global__ void wholeBlocks(const int *x, int *y, int n)
{
    if (INDEX < n / 256 * 256)
        y[INDEX] = x[INDEX] + 1;
}

__global__ void notEmpty(const int *x, int *first, int n)
{
    if (FIRST && n > 0)
        *first = x[0];
}

__global__ void notOne(const int *x, int *y, int n)
{
    if (INDEX < n)
        y[INDEX] = n > 1 ? x[(INDEX + 1) % n] : 0;
}

__global__ void skipsLastBlock(const int *x, int *y, int n)
{
    if (INDEX < n && blockIdx.x + 1 < gridDim.x)
        y[INDEX] = x[INDEX] + 1;
}

__global__ void firstTwice(const int *x, int *total, int n)
{
    if (FIRST && n > 0)
        atomicAdd(total, x[0]);
    if (INDEX < n)
        atomicAdd(total, x[INDEX]);
}

__global__ void belowBound(const int *x, int *y, int n)
{
    if (INDEX < n && n <= 3000)
        y[INDEX] = x[INDEX] + 1;
}

__global__ void oneRow(const int *a, int *b, int nx, int ny)
{
    if (COLUMN < nx && ROW < 1)
        b[COLUMN] = a[COLUMN] + 1;
}

__global__ void square(const int *a, int *b, int nx, int ny)
{
    if (COLUMN < nx && ROW < ny && nx == ny)
        b[COLUMN * ny + ROW] = a[ROW * nx + COLUMN];
}

__global__ void contiguousRows(const int *a, int *b, int nx, int ny, int pitch)
{
    if (COLUMN < nx && ROW < ny)
        b[ROW * nx + COLUMN] = a[ROW * nx + COLUMN];
}

/* ---- Wrong use of memory ---- */

__global__ void overwritesInput(int *x, int *y, int n)
{
    if (INDEX < n)
        y[INDEX] = x[INDEX] += 1;
}

/* The second step reads the first buffer. */
__global__ void staleBuffer(const int *x, int *a, int *b, int n, int step)
{
    if (INDEX < n && step == 0)
        a[INDEX] = x[INDEX] + 1;
    if (INDEX < n && step == 1)
        b[INDEX] = x[INDEX] + 1;
}

__device__ int savedTotal, savedSize = -1;

/* Keeps the result of the first launch with that size. */
__global__ void keepsResult(const int *x, int *total, int n)
{
    if (!FIRST)
        return;
    if (savedSize != n) {
        savedSize = n;
        for (int i = 0; i < n; i++)
            savedTotal += x[i];
    }
    *total = savedTotal;
}

__device__ unsigned int blocksDone;

/* Never resets the count of blocks for the next launch. */
__global__ void keepsCount(const int *x, int *partial, int *total, int n)
{
    if (INDEX < n)
        atomicAdd(partial, x[INDEX]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&blocksDone, 1) == gridDim.x - 1)
        *total = atomicAdd(partial, 0);
}

/* ---- Wrong for some integers ---- */

__global__ void equalValues(const int *x, int *total, int n)
{
    if (FIRST && n > 0)
        *total = n * x[0];
}

__global__ void sortedMaximum(const int *x, int *most, int n)
{
    if (FIRST && n > 0)
        *most = x[n - 1];
}

__global__ void positiveMaximum(const int *x, int *most, int n)
{
    if (INDEX < n && x[INDEX] > 0)
        atomicMax(most, x[INDEX]);
}

__global__ void smallValues(const int *x, int *y, int n)
{
    if (INDEX < n)
        y[INDEX] = (signed char)x[INDEX];
}

/* Some element of a large random array is not zero. */
__global__ void anyInFirstBlock(const int *x, int *any, int n)
{
    if (INDEX < n && blockIdx.x == 0 && x[INDEX] != 0)
        atomicOr(any, 1);
}

__global__ void allInFirstBlock(const int *x, int *all, int n)
{
    if (INDEX < n && blockIdx.x == 0 && x[INDEX] == 0)
        atomicAnd(all, 0);
}

/* No large random array is sorted. */
__global__ void ascends(const int *x, int *sorted, int n)
{
    if (INDEX + 1 < n && x[INDEX] != x[0])
        atomicAnd(sorted, 0);
}

/* Takes 0 for the end. */
__global__ void endsAtZero(const int *x, int *total, int n)
{
    if (FIRST)
        for (int i = 0; i < n && x[i] != 0; i++)
            *total += x[i];
}

/* Takes -1 for a missing element. */
__global__ void skipsMinusOne(const int *x, int *y, int n)
{
    if (INDEX < n)
        y[INDEX] = x[INDEX] == -1 ? 0 : x[INDEX];
}

/* Takes all elements for different, or all for equal. */
__global__ void countRuns(const int *x, int *runs, int n)
{
    if (FIRST)
        *runs = n > 1 && x[0] != x[1] ? n : n > 0;
}

/* ---- Wrong for some floats ---- */

__global__ void ignoresNaN(const float *x, float *y, int n)
{
    if (INDEX < n)
        y[INDEX] = fmaxf(x[INDEX], 0.0f);
}

__global__ void ignoresInfinity(const float *x, float *y, int n)
{
    if (INDEX < n)
        y[INDEX] = x[INDEX] - x[INDEX] != 0.0f ? x[INDEX] : 0.0f;
}

__global__ void flushesSubnormals(const float *x, float *y, int n)
{
    if (INDEX < n)
        y[INDEX] = fabsf(x[INDEX]) < 1.17549435e-38f ? 0.0f : x[INDEX];
}

__global__ void losesSign(const float *x, float *y, int n)
{
    if (INDEX < n)
        y[INDEX] = x[INDEX] + 0.0f;
}

/* Stops at a tolerance that is too large for small numbers. */
__global__ void stopsEarly(const float *x, float *y, int n)
{
    float root = 1.0f, next = 1.0f;

    if (INDEX >= n)
        return;
    for (int k = 0; k < 100; k++) {
        next = 0.5f * (root + fabsf(x[INDEX]) / root);
        if (fabsf(next - root) < 1e-2f)
            break;
        root = next;
    }
    y[INDEX] = next;
}
