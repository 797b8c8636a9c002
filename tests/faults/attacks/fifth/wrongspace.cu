// SPDX-License-Identifier: MIT
//
// Instructions that get a pointer of another memory.
__device__ __noinline__ void count(int *p)
{
    atomicAdd(p, 1);
}

__device__ __noinline__ int *stale(int x)
{
    int a[4] = {x, x + 1, x + 2, x + 3};
    int *volatile p = a;
    return p;
}

__device__ __noinline__ int missing(int x)
{
    if (x > 0)
        return 1;
}

template <int V> __global__ void space(int *in, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x, mine = in[t];
    s[t] = mine;
    __syncthreads();
    if (V == 0) {
        count(&s[t]);
        mine = s[t];
    } else if (V == 1) {
        count(&mine);
    } else if (V == 2) {
        mine = __ldg(&s[t]);
    } else if (V == 3) {
        unsigned a = (unsigned)__cvta_generic_to_shared(&in[t]);
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(mine) : "r"(a));
    } else if (V == 4) {
        int *p = stale(t);
        mine = p[1];
    } else if (V == 5) {
        mine = missing(in[t]);
    } else if (V == 6) {
        unsigned a = (unsigned)__cvta_generic_to_shared(s);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(a + 4 * t), "l"(&s[t]));
        asm volatile("cp.async.wait_all;");
        mine = s[t];
    } else if (V == 7) {
        asm volatile("bar.sync %0;" ::"r"(in[0] == in[0] ? 17 : 1));
    } else if (V == 8) {
        asm volatile("bar.sync 1, %0;" ::"r"(in[0] == in[0] ? 33 : 32));
    } else if (V == 9) {
        asm volatile("bar.sync 1, %0;" ::"r"(in[0] == in[0] ? 64 : 32));
    } else if (V == 10) {
        asm volatile("discard.global.L2 [%0], 128;" ::"l"(in) : "memory");
        __syncthreads();
        mine = in[t];
    } else if (V == 11) {
        int x;
        asm volatile("{\n\t.reg .u32 r;\n\tadd.u32 %0, r, 1;\n\t}" : "=r"(x));
        mine = x;
    } else if (V == 12) {
        mine = s[t] * 0;
        int *p = (int *)((char *)s + 2);
        mine += *(volatile int *)p;
    } else if (V == 13) {
        out += (t == 3) ? 1 : 0;
        mine = 5;
    }
    out[t] = mine;
}
