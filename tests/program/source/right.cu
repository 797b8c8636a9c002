/* SPDX-License-Identifier: MIT
 *
 * A file as anybody writes it, with a host's part: its kernels are right.
 */
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdlib>
#include <cuda_runtime.h>
#include <fstream>
#include <iostream>
#include <vector>

namespace cg = cooperative_groups;

#define TILE 16
#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = call;                                                                  \
        if (error != cudaSuccess) {                                                                \
            std::cerr << __FILE__ << ":" << __LINE__ << ": " << cudaGetErrorString(error) << "\n"; \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)
#define LAUNCHED(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)

/* Host objects that must not be made: they would leave traces, or end the program. */
struct ends_the_program {
    ends_the_program()
    {
        std::ofstream("/nowhere/file") << "<<<";
        std::abort();
    }
} never_made;
static std::vector<int> host_numbers(1000, 7);

__constant__ float weights[4] = {0.5f, 0.25f, 0.125f, 0.125f};
__device__ const int offsets[] = {3, 2, 1, 0};
__device__ unsigned int done;
__device__ float first_scale = 2.0f, second_scale[2] = {3.0f, 4.0f};
__device__ float *scale_of = &second_scale[1];

__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = a * x[i] + y[i];
}

namespace linear
{

template <typename T>
struct dynamic {
    __device__ static T *memory()
    {
        extern __shared__ __align__(16) unsigned char bytes[];
        return reinterpret_cast<T *>(bytes);
    }
};

template <typename T, int N>
__global__ void __launch_bounds__(N) sum(const T *in, T *out, int n)
{
    T *s = dynamic<T>::memory();
    unsigned int t = threadIdx.x, i = blockIdx.x * N + t;

    s[t] = i < n ? in[i] : T(0);
    __syncthreads();
#pragma unroll
    for (int half = N / 2; half > 0; half >>= 1) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

} // namespace linear

template <typename T>
__global__ void reversed(const T *in, T *out)
{
    extern __shared__ T tile[];

    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

__device__ __forceinline__ float warp_sum(float value)
{
    for (int lane = 16; lane > 0; lane /= 2)
        value += __shfl_down_sync(0xffffffff, value, lane);
    return value;
}

static __device__ void some_of_a_warp(const int *in, int *out, int n)
{
    int i = threadIdx.x;

    if (i >= n)
        return;
    int next = __shfl_down_sync(0xffffffff, in[i], 1);
    out[i] = i % 32 < 31 && i + 1 < n ? next : 0;
}

__global__ void calls_what_returns(const int *in, int *out, int n)
{
    some_of_a_warp(in, out, n);
}

struct largest {
    double value;
    long long at;
};

/* Of 16 bytes, behind an odd number of doubles. */
__global__ void arg_max(const double *in, double *out, int n)
{
    extern __shared__ double room[];
    largest *const best = reinterpret_cast<largest *>(room + 33);
    int t = threadIdx.x;

    best[t] = largest{t < n ? in[t] : -1e300, t};
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        largest other = best[t < stride ? t + stride : t];
        if (t < stride && other.value > best[t].value)
            best[t] = other;
        __syncthreads();
    }
    if (t == 0)
        out[0] = best[0].value;
}

/* A bool is 0 or 1. */
__global__ void chosen(const bool *mask, int *out, int n)
{
    int i = threadIdx.x;

    if (i < n)
        out[2 * i + mask[i]] = 1;
}

__device__ __noinline__ float block_sum(float value)
{
    static __shared__ float of_warps[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;

    value = warp_sum(value);
    if (lane == 0)
        of_warps[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / warpSize ? of_warps[lane] : 0;
    return warp == 0 ? warp_sum(value) : 0;
}

__global__ void sums_of_blocks(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = block_sum(i < n ? in[i] : 0.0f);

    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

/* Constants, variables with first values, a pointer to one, and a count that starts anew. */
__global__ void variables(float *out, unsigned int *last)
{
    auto weighted = [=] __device__(int k) { return weights[k] * first_scale * *scale_of; };

    assert(weights[1] == 0.25f && offsets[1] == 2 && scale_of == second_scale + 1);
    assert(weighted(0) == 4.0f && second_scale[0] == 3.0f);
    out[blockIdx.x] = weighted(offsets[blockIdx.x % 4]);
    if (atomicAdd(&done, 1u) == gridDim.x - 1)
        *last = gridDim.x;
}

__global__ void groups(const int *in, int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    __shared__ int all[128];
    int value = in[block.thread_rank()];

    for (int step = tile.size() / 2; step > 0; step /= 2)
        value += tile.shfl_xor(value, step);
    all[block.thread_rank()] = value;
    block.sync();
    out[block.thread_rank()] = all[block.size() - 1 - block.thread_rank()];
}

struct scaled {
    float factor;
    __host__ __device__ explicit scaled(float f) : factor(f), unused{0}
    {
    }
    __host__ __device__ float operator()(float x) const
    {
        return factor * x;
    }
    int unused;
};

template <typename Function>
__global__ void mapped(const float *in, float *out, int n, float factor)
{
    Function f(factor);

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = f(in[i]);
}

/* Tables of a function's own, and text, are read as well as memory. */
__global__ void looked_up(int *out, int n)
{
    static const int squares[] = {0, 1, 4, 9, 16, 25, 36, 49};
    const char *digits = "01234567";
    int i = threadIdx.x, copy[8] = {7, 6, 5, 4, 3, 2, 1, 0};

    if (i < n)
        out[i] = squares[i % 8] + digits[i % 8] + copy[i % 8];
}

/* Who has returned is not missed at a barrier. */
__global__ void returns_early(const int *in, int *out, int n)
{
    __shared__ int all[64];
    int t = threadIdx.x;

    if (t >= n)
        return;
    all[t] = in[t];
    __syncthreads();
    out[t] = all[n - 1 - t];
}

__global__ void child(int *out, int value, double unused)
{
    out[threadIdx.x] = value + (int)unused;
}

__global__ void parent(int *out)
{
    if (threadIdx.x == 0) {
        child<<<1, 32>>>(out, 5, 0);
        cudaStream_t stream = 0;
        if (cudaGetLastError() == cudaSuccess)
            child<<<dim3(1), dim3(32), 0, stream>>>(out + 32, blockIdx.x, 1);
    }
}

static void run(std::vector<float> &numbers)
{
    const int n = static_cast<int>(numbers.size());
    float *x, *y, milliseconds;
    cudaEvent_t start, stop;
    dim3 blockDim(256), gridDim((n + 255) / 256);

    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMalloc((void **)&y, n * sizeof *y));
    CHECK(cudaMemcpy(x, numbers.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(weights, numbers.data(), sizeof weights));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventRecord(start));
    saxpy<<<gridDim, blockDim>>>(n, 2.0f, x, y);
    linear::sum<float, 256><<<gridDim, 256, 256 * sizeof(float)>>>(x, y, n);
    mapped<scaled><<<(n + 255) / 256 /* blocks >>> */, 256>>>(x, y, n, 2.0f);
    LAUNCHED(transpose, dim3(4, 4), dim3(TILE, TILE), y, x, 64, 64);
    const char *text = "kernel<<<1, 2>>>(3)";
    std::cout << text << R"(raw "<<<" text)" << (n << 2 >> 1) << std::endl;
    CHECK(cudaGetLastError());
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(x));
}

int main(int argc, char **argv)
{
    std::vector<float> numbers(argc > 1 ? std::atoi(argv[1]) : 1000);

    try {
        run(numbers);
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    std::sort(numbers.begin(), numbers.end(), [](float a, float b) { return a < b; });
    return numbers.empty() ? 1 : 0;
}
