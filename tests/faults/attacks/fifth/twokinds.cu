// SPDX-License-Identifier: MIT
//
// One warp operation with two types, at two places.
template <int V> __global__ void kinds(const int *in, int *out)
{
    int t = threadIdx.x, x = in[t], r;
    unsigned all = 0xffffffff;
    if (t < 16)
        r = V == 0 ? __reduce_min_sync(0x0000ffff, x) : __reduce_min_sync(all, x);
    else
        r = V == 0 ? __reduce_min_sync(0xffff0000, (unsigned)x) : __reduce_min_sync(all, (unsigned)x);
    out[t] = r;
}
