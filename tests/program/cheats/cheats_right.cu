/* SPDX-License-Identifier: MIT
 *
 * The right kernels for cheats.cu.
 */
#define INDEX (int)(blockIdx.x * blockDim.x + threadIdx.x)
#define COLUMN (int)(blockIdx.x * 32 + threadIdx.x)
#define ROW (int)(blockIdx.y * 8 + threadIdx.y)
#define FIRST (blockIdx.x == 0 && threadIdx.x == 0)

/* y[i] = value, in which i is the index. */
#define MAP(name, type, result, value)                                                             \
    __global__ void name(const type *x, result *y, int n)                                          \
    {                                                                                              \
        int i = INDEX;                                                                             \
        if (i < n)                                                                                 \
            y[i] = value;                                                                          \
    }

/* The first thread computes `result` in a loop over all elements. */
#define LOOP(name, start, step)                                                                    \
    __global__ void name(const int *x, int *y, int n)                                              \
    {                                                                                              \
        int result = start;                                                                        \
        if (!FIRST)                                                                                \
            return;                                                                                \
        for (int i = 0; i < n; i++)                                                                \
            step;                                                                                  \
        *y = result;                                                                               \
    }

/* Every element x[i] updates *y by an atomic instruction if the condition is true. */
#define FOLD(name, condition, update)                                                              \
    __global__ void name(const int *x, int *y, int n)                                              \
    {                                                                                              \
        int i = INDEX;                                                                             \
        if (i < n && (condition))                                                                  \
            update;                                                                                \
    }

#define MATRIX(name, update)                                                                       \
    __global__ void name(const int *a, int *b, int nx, int ny)                                     \
    {                                                                                              \
        if (COLUMN < nx && ROW < ny)                                                               \
            update;                                                                                \
    }

MAP(zeroOutput, int, int, x[i] + 1)
FOLD(constantSum, true, atomicAdd(y, x[i]))
FOLD(testedSize, true, atomicAdd(y, x[i]))
MAP(wholeBlocks, int, int, x[i] + 1)
MAP(belowBound, int, int, x[i] + 1)
MAP(skipsLastBlock, int, int, x[i] + 1)
MAP(notOne, int, int, x[(i + 1) % n])
LOOP(notEmpty, -1, if (i == 0) result = x[i])
FOLD(firstTwice, true, atomicAdd(y, x[i]))

MATRIX(oneRow, b[ROW * nx + COLUMN] = a[ROW * nx + COLUMN] + 1)
MATRIX(square, b[COLUMN * ny + ROW] = a[ROW * nx + COLUMN])

__global__ void contiguousRows(const int *a, int *b, int nx, int ny, int pitch)
{
    if (COLUMN < nx && ROW < ny)
        b[ROW * nx + COLUMN] = a[ROW * pitch + COLUMN];
}

MAP(overwritesInput, int, int, x[i] + 1)

__global__ void staleBuffer(const int *x, int *a, int *b, int n, int step)
{
    if (INDEX < n && step == 0)
        a[INDEX] = x[INDEX] + 1;
    if (INDEX < n && step == 1)
        b[INDEX] = a[INDEX] + 1;
}

LOOP(keepsResult, 0, result += x[i])

__device__ unsigned int blocksDone;

__global__ void keepsCount(const int *x, int *partial, int *total, int n)
{
    if (INDEX < n)
        atomicAdd(partial, x[INDEX]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicInc(&blocksDone, gridDim.x - 1) == gridDim.x - 1)
        *total = atomicAdd(partial, 0);
}

LOOP(equalValues, 0, result += x[i])
LOOP(sortedMaximum, (int)0x80000000, result = max(result, x[i]))
FOLD(positiveMaximum, true, atomicMax(y, x[i]))
MAP(smallValues, int, int, x[i])
FOLD(anyInFirstBlock, x[i] != 0, atomicOr(y, 1))
FOLD(allInFirstBlock, x[i] == 0, atomicAnd(y, 0))
FOLD(ascends, i + 1 < n && x[i] > x[i + 1], atomicAnd(y, 0))
LOOP(endsAtZero, 0, result += x[i])
MAP(skipsMinusOne, int, int, x[i])
LOOP(countRuns, 0, result += i == 0 || x[i] != x[i - 1])

MAP(ignoresNaN, float, float, x[i] < 0.0f ? 0.0f : x[i])
MAP(ignoresInfinity, float, float, x[i] - x[i])
MAP(flushesSubnormals, float, float, x[i])
MAP(losesSign, float, float, x[i])
MAP(stopsEarly, float, float, sqrtf(fabsf(x[i])))

/* A kernel may require that no divisor is 0. */
MAP(divides, int, int, 100 / x[i])
