/* SPDX-License-Identifier: MIT
 *
 * C = A + B for matrices of ny rows of nx elements, by a 2-D grid of 2-D blocks. x runs along a
 * row.
 */
#include <simtcheck/dialect.h>

/* One element for each thread, guarded in both dimensions. Right for every block. But a grid has at
 * most 65535 blocks in y: the launch fails if a matrix needs more, or if it is empty.
 * Print, sumMatrixOnGPU2D: as printed.
 * Reconstruction, sumMat: the K80 profiles measure it. It is the book's kernel with ints. */
template <typename Type>
__global__ void sumMatrix(Type *A, Type *B, Type *C, int nx, int ny)
{
    unsigned int ix = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int iy = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int idx = iy * nx + ix;

    if (ix < nx && iy < ny)
        C[idx] = A[idx] + B[idx];
}

/* For every size: the grid's blocks also process the rows beyond it. */
template <typename Type>
__global__ void sumMatrixCorrected(const Type *A, const Type *B, Type *C, unsigned int nx,
                               unsigned int ny)
{
    unsigned int ix = blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned int iy = blockIdx.y * blockDim.y + threadIdx.y; iy < ny;
         iy += gridDim.y * blockDim.y) {
        unsigned int idx = iy * nx + ix;
        if (ix < nx)
            C[idx] = A[idx] + B[idx];
    }
}

EXPORT_KERNEL_AS(sumMatrixOnGPU2D, sumMatrix<float>);
EXPORT_KERNEL_AS(sumMatrixOnGPU2DCorrected, sumMatrixCorrected<float>);
EXPORT_KERNEL_AS(sumMat, sumMatrix<int>);
EXPORT_KERNEL_AS(sumMatCorrected, sumMatrixCorrected<int>);
