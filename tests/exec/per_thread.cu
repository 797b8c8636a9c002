/* SPDX-License-Identifier: MIT
 *
 * Default streams of threads, by --default-stream per-thread: each is ordered with the legacy
 * stream, and not with that of another thread.
 */
#include <cstdio>
#include <thread>

__global__ void fill(int *out, int value)
{
    out[threadIdx.x] = value;
}

__global__ void add(int *out, const int *in)
{
    out[threadIdx.x] += in[threadIdx.x];
}

__global__ void twice(int *out)
{
    out[threadIdx.x] *= 2; /* finding: race */
}

static void check(bool is_right, int line)
{
    if (!is_right)
        printf("line %d is wrong\n", line);
}

#define CHECK(condition) check(condition, __LINE__)

/* Runs in a thread, which ends before the next one begins. Its stream goes on. */
static void in_thread(void (*function)(int *, int *), int *a, int *b)
{
    std::thread(function, a, b).join();
}

int main()
{
    cudaEvent_t event;
    cudaStream_t side;
    int *a, *b, result[32];

    cudaMalloc(&a, sizeof result);
    cudaMalloc(&b, sizeof result);
    cudaEventCreate(&event);

    /* Each side is ordered with the legacy stream. */
    in_thread([](int *x, int *) { fill<<<1, 32>>>(x, 1); }, a, b);
    fill<<<1, 32, 0, cudaStreamLegacy>>>(b, 2);
    in_thread([](int *x, int *y) { add<<<1, 32>>>(x, y); }, a, b);
    fill<<<1, 32, 0, cudaStreamLegacy>>>(b, 3);
    cudaMemcpy(result, a, sizeof result, cudaMemcpyDeviceToHost);
    CHECK(result[31] == 3);
    CHECK(cudaStreamQuery(cudaStreamPerThread) == cudaSuccess);

    /* A blocking stream is ordered with the legacy stream, and not with the thread's. */
    cudaStreamCreate(&side);
    fill<<<1, 32, 0, side>>>(b, 4);
    cudaEventRecord(event, side);
    cudaStreamWaitEvent(0, event);
    add<<<1, 32>>>(a, b);
    cudaMemcpyAsync(result, a, sizeof result, cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(0);
    CHECK(result[31] == 7);

    /* Stream 0 may be captured. */
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed) ==
          cudaErrorStreamCaptureUnsupported);
    cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed);
    fill<<<1, 32, 0, cudaStreamPerThread>>>(a, 9);
    CHECK(cudaStreamEndCapture(0, &graph) == cudaSuccess);
    cudaGraphDestroy(graph);

    /* Two threads are not ordered. */
    in_thread([](int *x, int *) { twice<<<1, 32>>>(x); }, a, b);
    in_thread([](int *x, int *) { twice<<<1, 32>>>(x); }, a, b);
    cudaDeviceSynchronize();

    cudaStreamDestroy(side);
    cudaEventDestroy(event);
    cudaFree(a);
    cudaFree(b);
    return 0;
}

// says: thread 0 of block 0 writes 14 over 7, in twice, launched by main at ...per_thread.cu:77
