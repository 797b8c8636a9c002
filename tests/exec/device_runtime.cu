/* SPDX-License-Identifier: MIT
 *
 * Kernels that use the runtime: streams that they create, memory. Also kernels beside a table of
 * functions, and many bytes of parameters.
 */
#include <cstdio>

static const int n = 64;

struct shape {
    __device__ virtual int corners() const
    {
        return 0;
    }
};

struct square : shape {
    __device__ int corners() const override
    {
        return 4;
    }
};

struct many {
    int values[2000];
};

__global__ void add(int *data, int value)
{
    data[threadIdx.x] += value; /* finding: race */ /* finding: race */
}

__global__ void twice(int *data)
{
    data[threadIdx.x] *= 2;
}

__global__ void parent(int *data, bool in_one_stream)
{
    cudaStream_t one, other;

    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    if (in_one_stream) {
        add<<<1, n, 0, one>>>(data, 3);
        twice<<<1, n, 0, one>>>(data);
    } else {
        add<<<1, n, 0, one>>>(data + n, 3);
        twice<<<1, n, 0, other>>>(data + n); /* unordered */
    }
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
}

__global__ void make(int **made)
{
    if (cudaMalloc(made, n * sizeof **made) == cudaSuccess)
        (*made)[0] = square().corners();
}

__global__ void take(int **made, int *data, many all)
{
    const shape *one = new square;

    data[0] += (*made)[0] + one->corners() + all.values[1999];
    delete one;
    cudaFree(*made);
}

int main()
{
    static many all;
    int *data, **made, first[2 * n] = {0};

    cudaMalloc(&data, sizeof first);
    cudaMalloc(&made, sizeof *made);
    cudaMemcpy(data, first, sizeof first, cudaMemcpyHostToDevice);
    parent<<<1, 1>>>(data, true);
    parent<<<1, 1>>>(data, false);
    make<<<1, 1>>>(made);
    all.values[1999] = 100;
    take<<<1, 1>>>(made, data, all);
    cudaMemcpy(first, data, sizeof first, cudaMemcpyDeviceToHost);
    printf("%d %d\n", first[0], first[1]);
    cudaFree(data);
    cudaFree(made);
    return 0;
}

// says: thread 0 of block 0 writes 3 over 0, in add, launched by main at ...device_runtime.cu:79
