// SPDX-License-Identifier: MIT
// A formula with a wrong constant, and a race on the counter that it uses.
#ifndef FIRST_MENDED
#define FIRST_MENDED 0
#endif
#ifndef SECOND_MENDED
#define SECOND_MENDED 0
#endif

__global__ void constant(const int *in, int *out, int *last)
{
    int t = threadIdx.x;

    out[t] = in[t] * (FIRST_MENDED ? 3 : 4) + 1;
    if (SECOND_MENDED)
        atomicMax(last, t);
    else
        *last = t;
}
