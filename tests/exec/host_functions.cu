/* SPDX-License-Identifier: MIT
 *
 * Host functions of streams while other threads call the runtime, and a program without a mistake.
 */
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<int> calls;

static void count(void *)
{
    calls++;
}

static void count_stream(cudaStream_t, cudaError_t error, void *)
{
    calls += error == cudaSuccess;
}

__global__ void fill(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

static void work()
{
    cudaStream_t stream;
    int *a, host[32];

    cudaStreamCreate(&stream);
    cudaMallocAsync(&a, sizeof host, stream);
    fill<<<1, 32, 0, stream>>>(a);
    cudaLaunchHostFunc(stream, count, NULL);
    cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaStreamAddCallback(stream, count_stream, NULL, 0);
    cudaFreeAsync(a, stream);
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        ;
    if (host[31] != 31)
        puts("wrong result");
    cudaStreamDestroy(stream);
}

int main()
{
    std::thread threads[4];

    for (std::thread &thread : threads)
        thread = std::thread(work);
    for (std::thread &thread : threads)
        thread.join();
    cudaDeviceSynchronize();
    printf("%d calls\n", (int)calls);
    return 0;
}
