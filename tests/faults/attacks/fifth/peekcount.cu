// SPDX-License-Identifier: MIT
//
// A block looks at a flag a fixed number of times, and then takes a default.
template <int PEEKS> __global__ void impatient(volatile int *flag, int *out)
{
    if (blockIdx.x == 1) {
        *flag = 1;
        return;
    }
    int seen = 0;
    for (int i = 0; i < PEEKS && !seen; i++)
        seen = *flag;
    out[0] = seen;
}

// The same inside a block: warp 1 sets the flag.
template <int PEEKS> __global__ void inside(int *out)
{
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 32)
        flag = 1;
    if (threadIdx.x == 0) {
        int seen = 0;
        for (int i = 0; i < PEEKS && !seen; i++)
            seen = flag;
        out[0] = seen;
    }
}

// Waits with backoff, and gives up.
template <int PEEKS> __global__ void backoff(int *lock, int *taken)
{
    if (threadIdx.x != 0)
        return;
    int ns = 8;
    for (int i = 0; i < PEEKS; i++) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            taken[0]++;
            __threadfence();
            atomicExch(lock, 0);
            return;
        }
        __nanosleep(ns);
        if (ns < 256)
            ns *= 2;
    }
}

// Spins at most PEEKS times on a value that another block counts up.
template <int PEEKS> __global__ void stages(int *step, int *out)
{
    if (blockIdx.x == 0) {
        for (int k = 1; k <= 4; k++)
            atomicExch(step, k);
        return;
    }
    int s = 0;
    for (int i = 0; i < PEEKS; i++) {
        s = atomicAdd(step, 0);
        if (s == 4)
            break;
    }
    out[0] = s;
}
