// SPDX-License-Identifier: MIT
//
// A lock-free stack of nodes by index. Each block pops nodes, and pushes one back.
template <int V> __global__ void churn(unsigned long long *top, int *next, int *owner, int n)
{
    if (threadIdx.x != 0)
        return;
    int got[2];
    for (int k = 0; k < 2; k++) {
        for (;;) {
            unsigned long long t = *(volatile unsigned long long *)top;
            int node = (int)(t & 0xffffffff);
            if (node == 0) {
                got[k] = 0;
                break;
            }
            int after = *(volatile int *)&next[node];
            unsigned long long tag = V == 0 ? (t >> 32) + 1 : 0;
            if (atomicCAS(top, t, tag << 32 | (unsigned)after) == t) {
                got[k] = node;
                break;
            }
        }
    }
    for (int k = 0; k < 2; k++)
        if (got[k] != 0)
            atomicAdd(&owner[got[k]], 1);
    int node = got[0];
    if (node == 0)
        return;
    atomicSub(&owner[node], 1);
    for (;;) {
        unsigned long long t = *(volatile unsigned long long *)top;
        *(volatile int *)&next[node] = (int)(t & 0xffffffff);
        unsigned long long tag = V == 0 ? (t >> 32) + 1 : 0;
        if (atomicCAS(top, t, tag << 32 | (unsigned)node) == t)
            break;
    }
}

__global__ void fill(unsigned long long *top, int *next, int *owner, int n)
{
    for (int i = 0; i <= n; i++) {
        next[i] = i < n ? i + 1 : 0;
        owner[i] = 0;
    }
    next[0] = 0;
    *top = 1;
}

// The number of nodes that are owned, and of those on the stack.
__global__ void count(unsigned long long *top, int *next, int *owner, int n, int *out)
{
    int listed = 0, owned = 0;
    for (int node = (int)(*top & 0xffffffff); node != 0 && listed <= n; node = next[node])
        listed++;
    for (int i = 1; i <= n; i++)
        owned += owner[i];
    out[0] = listed + owned;
}
