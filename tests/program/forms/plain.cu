// SPDX-License-Identifier: MIT
__global__ void forms(float *sums, unsigned *out)
{
    unsigned t = threadIdx.x, c = t | 0x01020300;

    atomicAdd(&sums[0], 1.0f);
    atomicAdd(&sums[1], 2.0f);
    atomicAdd(&sums[2], 1.0f);
    atomicAdd(&sums[3], (float)t);
    out[t] = t + 1000 + ((t & 3) != 0 ? 7 : 8) * 10000;
    out[32 + t] = (c & 0xffff00ff) | ((2 * t) & 0xff) << 8;
    out[64 + t] = 5 + t;
}
