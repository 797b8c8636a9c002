// SPDX-License-Identifier: MIT

#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// Tiles at addresses and with strides that wmma does not permit, and by lanes that are not all there.
template <int V> __global__ void tile(const __half *in, float *out)
{
    __shared__ __align__(32) __half s[16 * 32];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    int t = threadIdx.x;
    for (int i = t; i < 16 * 32; i += 32)
        if (V != 4 || i < 16 * 31)
            s[i] = in[i];
    if (V != 5)
        __syncwarp();
    if (V != 6)
        wmma::fill_fragment(c, 0.0f);
    if (V == 3 && t == 7)
        return;
    wmma::load_matrix_sync(a, s + (V == 1 ? 8 : V == 7 ? 4 : 0), V == 2 ? 20 : 32);
    wmma::load_matrix_sync(b, s + 16, 32);
    wmma::mma_sync(c, a, b, c);
    if (V == 8)
        wmma::store_matrix_sync(out, c, 15, wmma::mem_row_major);
    else
        wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}
