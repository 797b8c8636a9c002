// SPDX-License-Identifier: MIT
//
// Locks that guard a plain counter.
template <int V> __global__ void guard(int *lock, int *total, int *last)
{
    if (threadIdx.x == 0) {
        int mine = atomicAdd(&lock[0], 1);
        while (*(volatile int *)&lock[1] != mine)
            ;
        if (V != 1)
            __threadfence();
        *total = *total + 1;
        if (V == 0 || V == 1)
            __threadfence();
        if (V == 3)
            __threadfence_block();
        if (V == 4) {
            *(volatile int *)&lock[1] = mine + 1;
            __threadfence();
        } else {
            atomicAdd(&lock[1], 1);
        }
        if (V == 5)
            *last = mine;
    }
}

// A reader-writer lock: readers count themselves, a writer waits for none.
template <int V> __global__ void shelf(int *state, int *data, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        if (V == 1)
            while (*(volatile int *)state > 0)
                ;
        else
            while (atomicCAS(state, 0, -1) != 0)
                ;
        if (V == 1)
            atomicExch(state, -1);
        __threadfence();
        data[0] = 5;
        data[1] = 5;
        __threadfence();
        atomicExch(state, 0);
        out[0] = 0;
    } else {
        for (;;) {
            int s = *(volatile int *)state;
            if (s >= 0 && atomicCAS(state, s, s + 1) == s)
                break;
        }
        __threadfence();
        out[blockIdx.x] = data[0] - data[1];
        if (V != 2)
            __threadfence();
        atomicSub(state, 1);
    }
}
