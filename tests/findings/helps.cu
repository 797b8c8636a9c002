// SPDX-License-Identifier: MIT
// Kernels with races. A comment "help: BARRIER" stands on the line before which that barrier is to be proposed. Kernels
// without such a comment have races that no barrier before a statement mends.

__global__ void blur(const float *in, float *out, int n)
{
    __shared__ float tile[258];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

    tile[t + 1] = i < n ? in[i] : 0;
    if (t == 0)
        tile[0] = i > 0 ? in[i - 1] : 0;
    if (t == blockDim.x - 1)
        tile[t + 2] = i + 1 < n ? in[i + 1] : 0;
    if (i < n) // help: __syncthreads()
        out[i] = (tile[t] + tile[t + 1] +
                  tile[t + 2]) / 3;
}

// Each barrier is right only together with the other one.
__global__ void tile(const int *in, int *out, int rounds)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;

    for (int k = 0; k < rounds; k++) {
        s[t] = in[k * 64 + t];    // help: __syncthreads()
        sum += s[(t + 33) % 64]; // help: __syncthreads()
    }
    out[t] = sum;
}

__global__ void tile_read(const int *in, int *out, int rounds)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;

    for (int k = 0; k < rounds; k++) {
        s[t] = in[k * 64 + t];
        sum += s[(t + 33) % 64]; // help: __syncthreads()
        __syncthreads();
    }
    out[t] = sum;
}

__global__ void tile_write(const int *in, int *out, int rounds)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;

    for (int k = 0; k < rounds; k++) {
        s[t] = in[k * 64 + t]; // help: __syncthreads()
        __syncthreads();
        sum += s[(t + 33) % 64];
    }
    out[t] = sum;
}

// One barrier mends the races on both arrays.
__global__ void arrays(const int *in, int *out)
{
    __shared__ int a[64], b[64];
    int t = threadIdx.x, sum = 0;

    a[t] = in[t];
    b[t] = 2 * in[t];
#pragma unroll /* help: __syncthreads() */
    for (int k = 0; k < 64; k++)
        sum += a[k] * b[k];
    out[t] = sum;
}

// The barrier belongs to the end of the body, which is also the beginning of the next round.
__global__ void loop(int *data)
{
    __shared__ int s[128];
    int t = threadIdx.x;

    s[t] = data[t];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) // help: __syncthreads()
            s[t] += s[t + half];
    }
    if (t == 0)
        data[0] = s[0];
}

__global__ void warp(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, lane = t % 32;

    s[t] = in[t];
    out[t] = s[t - lane + (lane + 1) % 32]; // help: __syncwarp()
}

// Compilers move the read into the branch.
__global__ void moved(const int *in, int *out, int n)
{
    __shared__ int s[128];
    int t = threadIdx.x;

    s[t] = in[t];
    int other = s[127 - t]; // help: __syncthreads()
    if (t < n)
        out[t] = other;
}

__device__ int exchange(int *s, int t, int value)
{
    s[t] = value;
    return s[63 - t]; // help: __syncthreads()
}

__global__ void inlined(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    out[t] = exchange(s, t, in[t]);
}

__global__ void early(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t >= n)
        return;
    s[t] = in[t];
    out[t] = s[n - 1 - t];
}

/* Compilers leave this return where it is. */
__global__ void earlyWithWork(const int *in, int *out, int n)
{
    __shared__ int s[96];
    int t = threadIdx.x;

    if (in[t] == 12345 || t >= n) {
        out[t] = 1;
        return;
    }
    s[t] = in[t];
    out[t] = s[n - 1 - t];
}

__global__ void divergent(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t < 40) {
        s[t] = in[t];
        out[t] = s[39 - t];
    } else {
        out[t] = 0;
    }
}

// Nobody writes s[0], so that no barrier makes a run right.
__global__ void halo(const int *in, int *out)
{
    __shared__ int s[65];
    int t = threadIdx.x;

    s[t + 1] = in[t];
    out[t] = s[t];
}

__global__ void blocks(int *out)
{
    out[threadIdx.x] = blockIdx.x;
}
