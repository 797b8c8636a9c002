/* SPDX-License-Identifier: MIT
 *
 * The examples that compute with floats, for test_exact.c. Most reductions work in place: copyOf()
 * gives them data that is not an output. examples_reference.cu has plain kernels of the same
 * names.
 */
#include "docs/examples/stencil.cu"
#include "kernels/matrix.cu"
#include "kernels/reduce_in_place.cu"
#include "kernels/reduce_recursive.cu"
#include "kernels/reduce_shared.cu"
#include "kernels/reduce_warp_tail.cu"

__global__ void copyOf(const float *x, float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = x[i];
}
