/* SPDX-License-Identifier: MIT
 *
 * malloc() and free() in kernels, writes to constants, and reads of data that the grid must not
 * write. test_memory.c has the expected results.
 */
#include "seeded_kernel.h"

/* Hides a pointer from the compiler, which would drop unused allocations and stores. */
#define HIDE(pointer) asm volatile("" : "+l"(pointer) : : "memory")

static __device__ __forceinline__ int *allocate(size_t count)
{
    int *memory = static_cast<int *>(malloc(count * sizeof(int)));

    HIDE(memory);
    return memory;
}

/* ---- malloc() and free() ---- */

KERNEL(allocatesAndFrees)
{
    int *mine = allocate(4);

    (void)data;
    USES_NO_FLAG;
    mine[3] = static_cast<int>(threadIdx.x);
    out[threadIdx.x] = mine[3];
    free(mine);
}

/* All addresses differ, and are the same under every schedule. */
KERNEL(tellsItsAddresses)
{
    int *first = allocate(4), *second = allocate(4);

    (void)data;
    USES_NO_FLAG;
    out[2 * threadIdx.x] = static_cast<int>(reinterpret_cast<size_t>(first) >> 25);
    out[2 * threadIdx.x + 1] = static_cast<int>(reinterpret_cast<size_t>(second) >> 25);
    free(first);
    free(second);
}

struct node {
    int value;
    node *next;
    __device__ explicit node(int value_) : value(value_), next(nullptr)
    {
    }
};

KERNEL(newAndDelete)
{
    node *head = new node(1);
    int *row = new int[8];

    (void)data;
    USES_NO_FLAG;
    HIDE(head);
    HIDE(row);
    row[7] = 2;
    head->next = new node(row[7]);
    out[threadIdx.x] = head->value + head->next->value;
    delete head->next;
    delete head;
    delete[] row;
}

/* Allocates more than the heap in total, but little at once. */
KERNEL(allocatesInALoop)
{
    (void)data;
    USES_NO_FLAG;
    for (int k = 0; k < 40; k++) {
        int *mine = allocate(1 << 16);
        mine[k] = k;
        out[threadIdx.x] = mine[k];
        free(mine);
    }
}

KERNEL(sharesAnAllocation)
{
    __shared__ int *shared;

    (void)data;
    USES_NO_FLAG;
    if (threadIdx.x == 0)
        shared = allocate(64);
    __syncthreads();
    shared[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = shared[threadIdx.x ^ 1];
    __syncthreads();
    if (threadIdx.x == 0)
        free(shared);
}

KERNEL(sharesAnAllocationNoBarrier)
{
    __shared__ int *shared;

    (void)data;
    USES_NO_FLAG;
    if (threadIdx.x == 0)
        shared = allocate(64);
    __syncthreads();
    shared[threadIdx.x] = static_cast<int>(threadIdx.x);
    out[threadIdx.x] = shared[threadIdx.x ^ 32];
    __syncthreads();
    if (threadIdx.x == 0)
        free(shared);
}

/* A late thread reads freed memory. */
KERNEL(freesWhileOthersRead)
{
    __shared__ int *shared;

    (void)data;
    USES_NO_FLAG;
    if (threadIdx.x == 0)
        shared = allocate(64);
    __syncthreads();
    shared[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = shared[threadIdx.x];
    if (threadIdx.x == 32)
        free(shared);
}

KERNEL(freesWhileOthersWrite)
{
    __shared__ int *shared;

    (void)data;
    USES_NO_FLAG;
    if (threadIdx.x == 0)
        shared = allocate(1);
    __syncthreads();
    if (threadIdx.x == 0)
        shared[0] = 1;
    out[threadIdx.x] = 1;
    if (threadIdx.x == 32)
        free(shared);
}

KERNEL(asksForTooMuch)
{
    int *all = allocate(9 << 18);

    (void)data;
    USES_NO_FLAG;
    out[threadIdx.x] = all == nullptr;
    free(all);
}

KERNEL(writesPastAnAllocation)
{
    int *mine = allocate(4);

    (void)data;
    USES_NO_FLAG;
    mine[4] = 1;
    HIDE(mine);
    out[threadIdx.x] = 1;
    free(mine);
}

KERNEL(readsBeforeAnAllocation)
{
    int *mine = allocate(4);

    (void)data;
    USES_NO_FLAG;
    out[threadIdx.x] = mine[-1];
    free(mine);
}

KERNEL(readsFreshMemory)
{
    int *mine = allocate(4);

    (void)data;
    USES_NO_FLAG;
    out[threadIdx.x] = mine[2] > 0 ? 1 : 2;
    free(mine);
}

KERNEL(readsFreedMemory)
{
    int *mine = allocate(4), *kept = mine;

    (void)data;
    USES_NO_FLAG;
    mine[0] = 1;
    HIDE(kept);
    free(mine);
    out[threadIdx.x] = kept[0];
}

KERNEL(freesTwice)
{
    int *mine = allocate(4), *kept = mine;

    (void)data;
    USES_NO_FLAG;
    HIDE(kept);
    free(mine);
    out[threadIdx.x] = 1;
    free(kept);
}

KERNEL(freesTheMiddle)
{
    (void)data;
    USES_NO_FLAG;
    out[threadIdx.x] = 1;
    free(allocate(4) + 1);
}

KERNEL(freesAnArray)
{
    USES_NO_FLAG;
    out[threadIdx.x] = 1;
    free(data);
}

KERNEL(freesNothing)
{
    int *nothing = nullptr;

    (void)data;
    USES_NO_FLAG;
    HIDE(nothing);
    free(nothing);
    out[threadIdx.x] = 1;
}

KERNEL(freesAllButTwo)
{
    int *mine = allocate(4);

    (void)data;
    USES_NO_FLAG;
    out[threadIdx.x] = 1;
    if (threadIdx.x >= 2)
        free(mine);
}

/* ---- Constants ---- */

__constant__ int weights[4] = {1, 2, 3, 4};

KERNEL(readsAConstant)
{
    USES_NO_FLAG;
    out[threadIdx.x] = weights[data[threadIdx.x]];
}

/* nvcc replaces this with a trap. */
KERNEL(writesAConstant)
{
    USES_NO_FLAG;
    const_cast<int *>(weights)[data[threadIdx.x] + 1] = 5;
    out[threadIdx.x] = 1;
}

KERNEL(writesAConstantByPointer)
{
    int *target = const_cast<int *>(weights);

    USES_NO_FLAG;
    HIDE(target);
    target[data[threadIdx.x] + 1] = 5;
    out[threadIdx.x] = 1;
}

/* ---- Data that the grid must not write ---- */

KERNEL(loadsReadOnly)
{
    USES_NO_FLAG;
    out[threadIdx.x] = __ldg(data + (threadIdx.x ^ 1));
}

KERNEL(loadsReadOnlyWhatItWrites)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 5;
    __syncthreads();
    out[threadIdx.x] = __ldg(data + (threadIdx.x ^ 1));
}

/* The caller's arrays may alias. */
static __device__ __noinline__ int sumOf(const int *__restrict__ row)
{
    return row[0] + row[1];
}

KERNEL(callsWithWhatItWrites)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 5;
    __syncthreads();
    out[threadIdx.x] = sumOf(data);
}

__global__ void readsRestricted(const int *__restrict__ data, int *__restrict__ flag,
                                int *__restrict__ out)
{
    flag[threadIdx.x] = 5;
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x ^ 1];
}
EXPORT_KERNEL(readsRestricted);

/* ---- Dynamic shared memory ---- */

KERNEL(dynamicShared)
{
    extern __shared__ int words[];

    USES_NO_FLAG;
    words[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x ^ 1];
}

KERNEL(staticAndDynamicShared)
{
    __shared__ int fixed[1024];
    extern __shared__ int words[];

    USES_NO_FLAG;
    fixed[threadIdx.x] = data[threadIdx.x];
    words[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x ^ 1] + fixed[threadIdx.x ^ 1];
}

KERNEL(largeStaticShared)
{
    __shared__ int fixed[12289];

    USES_NO_FLAG;
    fixed[threadIdx.x + data[0]] = data[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = fixed[threadIdx.x ^ 1];
}

/* ---- Structs with padding that nothing writes ---- */

struct padded {
    int count;
    char letter;
};

__device__ static long long wordOf(const padded *from)
{
    long long word;

    asm volatile("ld.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return word;
}

__device__ static padded *newPadded()
{
    padded *made = static_cast<padded *>(malloc(2 * sizeof *made));

    made->count = 7;
    made->letter = 1;
    return made;
}

KERNEL(copiesPadding)
{
    USES_NO_FLAG;
    (void)data;
    padded *from = newPadded();
    asm volatile("st.u64 [%0], %1;" : : "l"(from + 1), "l"(wordOf(from)) : "memory");
    out[threadIdx.x] = from[1].count + from[1].letter;
    free(from);
}

KERNEL(takesPartsOfAWord)
{
    USES_NO_FLAG;
    (void)data;
    padded *from = newPadded();
    long long word = wordOf(from);
    out[threadIdx.x] = static_cast<int>(word) + static_cast<int>(word >> 32 & 255);
    free(from);
}

KERNEL(usesPadding)
{
    USES_NO_FLAG;
    (void)data;
    padded *from = newPadded();
    out[threadIdx.x] = static_cast<int>(wordOf(from) >> 40);
    free(from);
}

/* A result of uninitialized values is undefined even if it is the same by chance. */
KERNEL(roundsFreshFloat)
{
    USES_NO_FLAG;
    (void)data;
    int *mine = allocate(4);
    out[threadIdx.x] = static_cast<int>(reinterpret_cast<float *>(mine)[1]);
    free(mine);
}

KERNEL(comparesFreshWords)
{
    USES_NO_FLAG;
    (void)data;
    int *mine = allocate(4);
    out[threadIdx.x] = mine[1] ^ mine[2];
    free(mine);
}
