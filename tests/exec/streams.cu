/* SPDX-License-Identifier: MIT
 *
 * Kernels of several streams that no event orders, and the same with events and waits.
 */
#include <cstdio>
#include <cstring>
#include <unistd.h>

__global__ void fill(int *out, int value)
{
    out[threadIdx.x] = value; /* finding: race */
}

__global__ void add(int *out, const int *in)
{
    out[threadIdx.x] += in[threadIdx.x]; /* finding: race */
}

/* After a race in a kernel, its later launches are not checked for races. */
template <int> __global__ void write(int *out)
{
    out[threadIdx.x] = 1; /* finding: race */ /* finding: race */
}

template <int> __global__ void increment(int *out)
{
    out[threadIdx.x]++; /* finding: race */
}

__global__ void clear(int *out)
{
    out[threadIdx.x] = 0; /* finding: race */
}

/* The host waits for another stream, or for an earlier event, and so nothing orders the kernels. */
static void wait_for_others(int *a, int *b)
{
    cudaStream_t one, other, destroyed;
    cudaEvent_t event;
    int host[32];

    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&destroyed, cudaStreamNonBlocking);
    cudaEventCreate(&event);

    write<1><<<1, 32, 0, one>>>(a);
    write<2><<<1, 32, 0, other>>>(b); /* runs together with the first */
    cudaStreamSynchronize(other);
    increment<1><<<1, 32, 0, other>>>(a);
    cudaDeviceSynchronize();

    write<3><<<1, 32, 0, one>>>(a);
    cudaEventRecord(event, one);
    increment<2><<<1, 32, 0, one>>>(a);
    cudaEventSynchronize(event);
    cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, other);
    cudaDeviceSynchronize();

    clear<<<1, 32, 0, destroyed>>>(a);
    cudaStreamDestroy(destroyed);
    clear<<<1, 32, 0, one>>>(a);
    cudaDeviceSynchronize();

    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    cudaEventDestroy(event);
}

/* The host does not wait for fills and copies on the GPU. */
static void copy_on_the_gpu(int *a, int *b)
{
    cudaStream_t other;

    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaMemset(a, 0, 128); /* finding: race */
    write<9><<<1, 32, 0, other>>>(a);
    cudaDeviceSynchronize();
    cudaMemcpy(b, a, 128, cudaMemcpyDeviceToDevice); /* finding: race */
    write<9><<<1, 32, 0, other>>>(b);
    cudaDeviceSynchronize();
    cudaStreamDestroy(other);
}

/* Memory is there when the stream that allocates it has come so far. */
static void allocate()
{
    cudaStream_t one, other;
    cudaEvent_t event;
    int *a;

    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    cudaMallocAsync(&a, 128, one);
    cudaEventRecord(event, one);
    write<8><<<1, 32, 0, other>>>(a); /* finding: race */
    cudaStreamWaitEvent(other, event);
    write<8><<<1, 32, 0, other>>>(a);
    write<8><<<1, 32, 0, other>>>(a);
    cudaFreeAsync(a, other);
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    cudaEventDestroy(event);
}

/* No mistake: two streams take turns, and the host waits for one while the other works. */
static void take_turns(int *a, int *b)
{
    cudaStream_t streams[2];
    int *out[2] = {a, b}, host[2][32] = {};

    cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking);
    cudaStreamCreate(&streams[1]);
    for (int k = 0; k < 9; k++) {
        cudaStream_t stream = streams[k % 2];
        cudaMemcpyAsync(out[k % 2], host[k % 2], sizeof host[0], cudaMemcpyHostToDevice, stream);
        host[k % 2][0] = -1;
        increment<4><<<1, 32, 0, stream>>>(out[k % 2]);
        if (k > 0)
            cudaStreamSynchronize(streams[1 - k % 2]);
        write<5><<<1, 32, 0, stream>>>(out[k % 2]);
    }
    cudaStreamDestroy(streams[1]);
    increment<5><<<1, 32>>>(b); /* after the work of the destroyed stream */
    cudaMemcpy(host[1], b, sizeof host[1], cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(streams[0]);
    write<6><<<1, 32>>>(a);
    cudaStreamDestroy(streams[0]);
    if (host[1][0] != 2)
        puts("wrong result");
}

/* Many streams, whose kernels do not all run together. The last one races with the first. */
static void use_many_streams()
{
    cudaStream_t streams[80];
    int *out;

    cudaMalloc(&out, 79 * 128);
    for (int k = 0; k < 80; k++) {
        cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking);
        fill<<<1, 32, 0, streams[k]>>>(out + k % 79 * 32, k);
    }
    cudaDeviceSynchronize();
    for (cudaStream_t stream : streams)
        cudaStreamDestroy(stream);
    cudaFree(out);
}

static void nothing(void *)
{
}

/* Only a host function may order work, and work comes after more than the queue holds. */
static void remember(int *a, int *b)
{
    cudaStream_t one, other;

    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    increment<6><<<1, 32, 0, one>>>(a);
    cudaLaunchHostFunc(one, nothing, nullptr);
    usleep(500000);
    increment<7><<<1, 32, 0, other>>>(a);
    cudaDeviceSynchronize();

    for (int k = 0; k < 5000; k++)
        increment<6><<<1, 32, 0, one>>>(a);
    increment<7><<<1, 32, 0, other>>>(b);
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
}

__constant__ int constants[32];

__global__ void read_constants(int *out)
{
    out[threadIdx.x] = constants[threadIdx.x]; /* finding: race */
}

/* Copies write constants while kernels run. */
static void copy_constants(int *a, int *b)
{
    cudaStream_t one, other;

    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    increment<8><<<1, 32, 0, one>>>(b);
    cudaMemcpyToSymbolAsync(constants, a, 128, 0, cudaMemcpyDeviceToDevice, other);
    cudaDeviceSynchronize();
    read_constants<<<1, 32, 0, one>>>(b);
    cudaMemcpyToSymbolAsync(constants, a, 128, 0, cudaMemcpyDeviceToDevice, other);
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
}

int main()
{
    cudaStream_t one, other;
    cudaEvent_t event;
    int *a, *b, result[32];
    char folder[] = __FILE__;

    /* In another folder than that of `exec`, messages have whole paths. */
    *strrchr(folder, '/') = '\0';
    if (chdir(folder) != 0)
        return 1;
    cudaMalloc(&a, sizeof result);
    cudaMalloc(&b, sizeof result);
    cudaStreamCreate(&one);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreate(&event);

    fill<<<1, 32, 0, one>>>(a, 1);
    fill<<<1, 32, 0, one>>>(b, 2);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(other, event);
    add<<<1, 32, 0, other>>>(a, b);
    cudaDeviceSynchronize();

    add<<<1, 32, 0, one>>>(a, b);
    add<<<1, 32, 0, other>>>(a, b);
    cudaDeviceSynchronize();

    cudaMemcpy(result, a, sizeof result, cudaMemcpyDeviceToHost);
    allocate();
    copy_on_the_gpu(a, b);
    remember(a, b);
    wait_for_others(a, b);
    copy_constants(a, b);
    take_turns(a, b);
    use_many_streams();
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    cudaEventDestroy(event);
    cudaFree(a);
    cudaFree(b);
    return 0;
}

// says: work that races with earlier work, unless the program has waited for a host function between...streams.cu:165
// says: races with work that was queued long before, which nothing orders, are not found; first...streams.cu:170
// says: uses a (streams.cu:...) in another stream than cudaMallocAsync() at ...streams.cu:...which allocates it
