// SPDX-License-Identifier: MIT
//
// A persistent kernel whose blocks take work from a queue, and add to it.
template <int V> __global__ void work(int *queue, int *head, int *tail, int *busy, int *done, int limit)
{
    if (threadIdx.x != 0)
        return;
    for (;;) {
        if (V == 1)
            atomicAdd(busy, 1);
        int h = *(volatile int *)head;
        int t = *(volatile int *)tail;
        if (h >= t) {
            if (V == 1)
                atomicSub(busy, 1);
            if (*(volatile int *)busy == 0)
                break;
            continue;
        }
        if (atomicCAS(head, h, h + 1) != h) {
            if (V == 1)
                atomicSub(busy, 1);
            continue;
        }
        int item;
        while ((item = *(volatile int *)&queue[h]) == 0)
            ;
        atomicAdd(&done[item], 1);
        if (V == 0 || V == 2) {
            for (int k = 0; k < 2; k++)
                if (2 * item + k <= limit) {
                    atomicAdd(busy, 1);
                    atomicExch(&queue[atomicAdd(tail, 1)], 2 * item + k);
                }
            atomicSub(busy, 1);
        } else {
            for (int k = 0; k < 2; k++)
                if (2 * item + k <= limit)
                    atomicExch(&queue[atomicAdd(tail, 1)], 2 * item + k);
            atomicSub(busy, 1);
        }
        if (V == 2 && *(volatile int *)tail > limit / 2)
            break;
    }
}

__global__ void start(int *queue, int *head, int *tail, int *busy, int v)
{
    *head = 0;
    *tail = 1;
    queue[0] = 1;
    *busy = v == 0 || v == 2 ? 1 : 0;
}
