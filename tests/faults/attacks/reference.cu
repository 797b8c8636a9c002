// SPDX-License-Identifier: MIT
//
__global__ void wrongMod(const int *x, int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = ((x[i] % 7) + 7) % 7;
}
__global__ void minLoop(const float *x, int *o, int n)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        float m = __int_as_float(o[0]);
        for (int i = 0; i < n; i++)
            m = fmaxf(m, x[i]);
        o[0] = __float_as_int(m);
    }
}
