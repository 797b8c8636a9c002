/* SPDX-License-Identifier: MIT
 *
 * The host and kernels use memory at the same time, on purpose and by mistake.
 */
#include <atomic>
#include <cstdio>

__global__ void wait(volatile int *flag)
{
    while (*flag == 0)
        ;
}

__global__ void count(int *counter)
{
    atomicAdd_system(counter, 1);
}

__global__ void set(int *out)
{
    out[threadIdx.x] = 5;
}

__global__ void wait_and_read(volatile int *flag, const int *data, int *sum)
{
    while (*flag == 0)
        ;
    __threadfence_system();
    *sum = data[3];
}

__global__ void add(const int *data, int *sum)
{
    *sum += data[threadIdx.x];
}

/* The host fills memory while kernels are queued that read it. */
static void fill_and_read()
{
    static std::atomic<bool> is_filled;
    int *flag, *data, *sum;
    cudaStream_t stream;
    cudaEvent_t waited;

    cudaStreamCreate(&stream);
    cudaEventCreate(&waited);
    cudaMallocHost(&flag, sizeof *flag);
    cudaMallocHost(&data, 64 * sizeof *data);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    cudaDeviceSynchronize();

    /* The flag orders them. */
    *flag = 0;
    wait_and_read<<<1, 1, 0, stream>>>(flag, data, sum);
    data[3] = 7;
    std::atomic_thread_fence(std::memory_order_release);
    *(volatile int *)flag = 1;
    cudaDeviceSynchronize();

    /* It also orders a later kernel, though the host first waits for the one that polls. */
    *flag = 0;
    wait<<<1, 1, 0, stream>>>(flag);
    cudaEventRecord(waited, stream);
    add<<<1, 1, 0, stream>>>(data, sum);
    data[0] = 7;
    *(volatile int *)flag = 1;
    cudaEventSynchronize(waited);
    cudaDeviceSynchronize();

    /* The kernel reads another half, and a later one what was written before its launch. */
    add<<<1, 1, 0, stream>>>(data, sum);
    data[32] = 7;
    add<<<1, 1, 0, stream>>>(data + 32, sum);
    cudaStreamSynchronize(stream);

    /* The stream waits for the host. */
    auto wait_for_host = [](void *) {
        while (!is_filled)
            ;
    };
    cudaLaunchHostFunc(stream, wait_for_host, nullptr);
    add<<<1, 1, 0, stream>>>(data, sum);
    data[0] = 7;
    is_filled = true;
    cudaStreamSynchronize(stream);

    /* Nothing orders them. */
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 64; i++)
            data[i] = k; /* finding: unsynchronized-access */
        add<<<1, 1, 0, stream>>>(data, sum);
    }
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaEventDestroy(waited);
    cudaFreeHost(flag);
    cudaFreeHost(data);
    cudaFree(sum);
}

int main()
{
    int *flag, *counter, *out;

    fill_and_read();

    cudaMallocHost(&flag, sizeof *flag);
    cudaMallocManaged(&counter, sizeof *counter);
    cudaMallocHost(&out, 32 * sizeof *out);

    *flag = 0;
    wait<<<1, 1>>>(flag);
    *flag = 1;
    cudaDeviceSynchronize();

    *counter = 0;
    count<<<1, 32>>>(counter);
    __sync_fetch_and_add(counter, 1);
    cudaDeviceSynchronize();

    set<<<1, 32>>>(out);
    out[3] = 1; /* finding: unsynchronized-access */
    cudaDeviceSynchronize();

    printf("%d %d\n", *counter, out[3]);
    cudaFreeHost(flag);
    cudaFreeHost(out);
    cudaFree(counter);
    return 0;
}
