// SPDX-License-Identifier: MIT
// The same as directives.ptx, as CUDA C++.
extern "C" __global__ void directives(unsigned *out, unsigned *counters)
{
    unsigned n = threadIdx.x;

    out[4 * n] = n * (n + 1);
    out[4 * n + 1] = 42 + counters[n]++;
    out[4 * n + 2] = 9;
    out[4 * n + 3] = 5;
}
