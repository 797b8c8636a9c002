/* SPDX-License-Identifier: MIT
 *
 * The kernels of examples.cu as one thread of a block computes them.
 */
struct barrierTailCorrected;
struct syncwarpTailCorrected;

__global__ void copyOf(const float *x, float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = x[i];
}

/* Adds the elements of a block, each thread of which has `each`. */
__device__ void sumOfBlock(const float *in, float *out, unsigned int n, unsigned int each)
{
    unsigned int length = each * blockDim.x, first = blockIdx.x * length;
    float sum = 0;
    for (unsigned int i = first; i < n && i < first + length; i++)
        sum += in[i];
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

template <typename Type>
__global__ void reduceInterleavedCorrected(Type *in, Type *out, unsigned int n)
{
    sumOfBlock(in, out, n, 1);
}

__global__ void reduceSharedDivergentCorrected(const float *in, float *out, unsigned int n)
{
    sumOfBlock(in, out, n, 1);
}

__global__ void reduceSharedLessDivergentCorrected(const float *in, float *out, unsigned int n)
{
    sumOfBlock(in, out, n, 1);
}

template <typename Type, typename Tail>
__global__ void reduceCompleteUnrollWarps8Corrected(Type *in, Type *out, unsigned int n)
{
    sumOfBlock(in, out, n, 8);
}

__global__ void recursiveReduceCorrected(float *data, float *out, unsigned int n)
{
    sumOfBlock(data, out, n, n);
}

__global__ void reduceSharedDivergent(const float *in, float *out)
{
    sumOfBlock(in, out, gridDim.x * blockDim.x, 1);
}

__global__ void reduceSharedLessDivergent(const float *in, float *out)
{
    sumOfBlock(in, out, gridDim.x * blockDim.x, 1);
}

__global__ void reduceCompleteUnrollWarps8Float(float *in, float *out, unsigned int n)
{
    sumOfBlock(in, out, n, 8);
}

template <typename Type>
__global__ void sumMatrixCorrected(const Type *A, const Type *B, Type *C, unsigned int nx,
                                   unsigned int ny)
{
    for (unsigned int i = 0; i < nx * ny && blockIdx.x + blockIdx.y + threadIdx.x == 0; i++)
        C[i] = A[i] + B[i];
}

__global__ void stencil(const float *in, float *out, int n)
{
    float sum = 0;
    for (int i = 0; i < n && blockIdx.x + threadIdx.x == 0; i++) {
        sum = 0;
        for (int k = i - 3; k <= i + 3; k++)
            sum += k >= 0 && k < n ? in[k] : 0;
        out[i] = sum / 7;
    }
}
