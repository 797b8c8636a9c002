/* SPDX-License-Identifier: MIT
 *
 * The host uses memory before it waits for the work that uses it.
 */
#include <cstdio>

static const int n = 4096;

__global__ void fill(int *out, int value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main()
{
    cudaStream_t one, other;
    int *a, *pinned, *source, *managed, sum = 0;

    cudaMalloc(&a, n * sizeof *a);
    cudaMallocHost(&pinned, n * sizeof *a);
    cudaMallocHost(&source, n * sizeof *a);
    cudaMallocManaged(&managed, n * sizeof *a);
    cudaStreamCreate(&one);
    cudaStreamCreate(&other);

    fill<<<n / 256, 256, 0, one>>>(a, 1);
    cudaMemcpyAsync(pinned, a, n * sizeof *a, cudaMemcpyDeviceToHost, one);
    cudaStreamSynchronize(other);
    sum += pinned[7]; /* finding: unsynchronized-access */
    cudaStreamSynchronize(one);
    sum += pinned[8];

    cudaMemcpyAsync(a, source, n * sizeof *a, cudaMemcpyHostToDevice, one);
    sum += source[0];
    source[0] = 1; /* finding: unsynchronized-access */
    cudaStreamSynchronize(one);

    fill<<<n / 256, 256, 0, one>>>(managed, 3);
    sum += managed[9]; /* finding: unsynchronized-access */
    cudaDeviceSynchronize();
    sum += managed[10];

    cudaMemset(managed, 0, n * sizeof *a); /* waits, because the memory is managed */
    managed[3] = 5;
    cudaMemsetAsync(managed + 1024, 0, 4096, one);
    managed[3]++;
    managed[1025] = 1; /* finding: unsynchronized-access */
    cudaStreamSynchronize(one);
    sum += managed[3] - 6;

    static int part[6];
    cudaHostRegister(part, sizeof part, 0);
    cudaMemcpyAsync(a, source + 5, 400, cudaMemcpyHostToDevice, one); /* finding: unsynchronized-access */
    source[5] = 2;
    cudaMemcpyAsync(a + 100, part, 24, cudaMemcpyHostToDevice, one); /* finding: unsynchronized-access */
    part[5] = 2;
    cudaStreamSynchronize(one);
    cudaMemcpyAsync(source + 5, a, 400, cudaMemcpyDeviceToHost, one);
    cudaMemcpyAsync(a, source + 5, 400, cudaMemcpyHostToDevice, one);
    cudaMemcpyAsync(pinned, source + 1500, 400, cudaMemcpyHostToHost, other); /* finding: unsynchronized-access */
    source[4] = source[105] = 3;
    cudaStreamSynchronize(one);
    source[1500] = 4; /* The copy in the other stream has run, but the host has not waited for it. */
    cudaDeviceSynchronize();
    cudaHostUnregister(part);

    cudaMemcpyAsync(pinned, a, n * sizeof *a, cudaMemcpyDeviceToHost, one); /* finding: race */
    cudaMemsetAsync(a, 0, n * sizeof *a, other);
    cudaDeviceSynchronize();

    cudaFree(a);
    cudaFree(managed);
    cudaFreeHost(pinned);
    cudaFreeHost(source);
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    printf("%d\n", sum);
    return 0;
}

// says: before it waits for the end of cudaMemcpyAsync() at ...unsynchronized.cu:27, which writes it
// says: before it waits for the end of the kernel launched by main at ...unsynchronized.cu:38, which writes it
// says: the host writes memory before it waits for the end of cudaMemcpyAsync() at ...:53, which reads it
// says: unsynchronized  FAIL  7 unsynchronized accesses, 1 data race
// says: note: where other memory shares the page, accesses of the host that come before its wait
