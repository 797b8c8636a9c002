// SPDX-License-Identifier: MIT
//
// Warp operations of one warp, at two places.
template <int V> __global__ void places(const int *in, int *out)
{
    int t = threadIdx.x, x = in[t], r = 0;
    unsigned all = 0xffffffff;
    if (V == 0) {
        if (t < 16)
            r = __shfl_xor_sync(0x0000ffff, x, 1);
        else
            r = __shfl_xor_sync(0xffff0000, x, 2);
    } else if (V == 1) {
        if (t < 16)
            r = __shfl_xor_sync(all, x, 1);
        else
            r = __shfl_down_sync(all, x, 1);
    } else if (V == 2) {
        if (t < 16)
            r = __shfl_xor_sync(all, x, 1);
        else
            r = (int)__shfl_xor_sync(all, (long long)x, 1);
    } else if (V == 3) {
        if (t < 16)
            r = __reduce_add_sync(all, x);
        else
            r = __reduce_max_sync(all, x);
    } else if (V == 4) {
        if (t < 16)
            r = __ballot_sync(all, x > 0);
        else
            r = __any_sync(all, x > 0);
    } else if (V == 5) {
        if (t < 16)
            r = __match_any_sync(all, x);
        else
            r = __match_any_sync(all, (long long)x);
    } else if (V == 6) {
        if (t < 16)
            r = __shfl_xor_sync(0x0000ffff, x, 16);
        else
            r = x;
    } else if (V == 7) {
        unsigned m = __ballot_sync(all, t % 3);
        if (t % 3)
            for (int k = 0; k < t % 5; k++)
                r += __shfl_sync(m, x, 1);
    } else if (V == 8) {
        unsigned m = __ballot_sync(all, t % 3);
        if (t % 3)
            for (int k = 0; k < 5; k++) {
                m = __ballot_sync(m, k < t % 5);
                if (k >= t % 5)
                    break;
                r += __shfl_sync(m, x, __ffs(m) - 1);
            }
    } else if (V == 9) {
        if (t < 16)
            __syncwarp(0x0001ffff);
        else
            __syncwarp(0xffff0000);
        r = x;
    } else if (V == 10) {
        if (t < 20)
            r = __shfl_sync(0x000fffff, x, 0, 8);
        r += __shfl_sync(all, x, 31);
    } else if (V == 11) {
        if (t < 16)
            r = __shfl_sync(all, x, 0, 16);
        else
            r = __shfl_sync(all, x, 0, 32);
    } else if (V == 12) {
        if (t & 1)
            r = __shfl_sync(__activemask(), x, 1);
    } else if (V == 13) {
        if (t == 5)
            return;
        r = __popc(__ballot_sync(all, 1));
    } else if (V == 14) {
        if (t != 5)
            r = __shfl_sync(0xffffffdf, x, 5);
    } else if (V == 15) {
        if (t < 16)
            r = __all_sync(0x0000ffff, x);
        __syncwarp();
        if (t >= 8)
            r += __all_sync(0xffffff00, x);
    }
    out[t] = r;
}
