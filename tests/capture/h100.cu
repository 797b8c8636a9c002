// SPDX-License-Identifier: MIT
//
// The program whose capture is tests/capture/h100, made on an H100 with CUDA 13.0:
//
//     nvcc -gencode arch=compute_90,code=[sm_90,compute_90] -o structs h100.cu
//     simtcheck capture --out h100 -- ./structs
#include <cooperative_groups.h>
#include <cstdio>

struct work {
    char tag;
    float *in;
    int n;
    float *out;
};

__device__ int counter;
static __device__ int hidden[3000];
__constant__ float scale[4] = {1, 2, 3, 4};

__global__ void in_struct(work w)
{
    int i = threadIdx.x;
    if (i < w.n)
        w.out[i] = w.in[i] * scale[i % 4];
    if (i == 0)
        atomicAdd(&counter, 1);
    hidden[i] = i;
}

__global__ void in_array(float **rows, int n)
{
    rows[blockIdx.x][threadIdx.x] += n;
}

struct node {
    int value;
    node *next;
};

__global__ void walk(node *head, int *sum)
{
    int s = 0;
    for (node *p = head; p; p = p->next)
        s += p->value;
    *sum = s;
}

__global__ void coop(int *p)
{
    cooperative_groups::this_grid().sync();
    p[blockIdx.x] = blockIdx.x;
}

__global__ void __cluster_dims__(2, 1, 1) clustered(int *p)
{
    p[blockIdx.x] = 1;
}

__global__ void none()
{
}

/* Wrong: grid.sync() needs a cooperative launch. The GPU executes the barrier only because an earlier
 * launch was cooperative. Alone, this launch traps. */
static void launch_in_clusters(int *p)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = 8;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, coop, p);
}

int main()
{
    float *in, *out, **rows, *host_rows[4];
    node *first, *second;
    int *sum, *p;
    void *arguments[] = {&p};

    cudaMalloc(&in, 1024);
    cudaMallocAsync(&out, 1024, 0);
    cudaMemset(in, 1, 1024);
    cudaMemset(out, 0, 1024);
    in_struct<<<1, 256>>>({'x', in, 256, out});

    for (int k = 0; k < 4; k++) {
        cudaMalloc(&host_rows[k], 4 << 20);
        cudaMemset(host_rows[k], 0, 4 << 20);
    }
    cudaMalloc(&rows, sizeof host_rows);
    cudaMemcpy(rows, host_rows, sizeof host_rows, cudaMemcpyHostToDevice);
    in_array<<<4, 32, 128>>>(rows, 3);

    cudaMallocManaged(&first, sizeof(node));
    cudaHostAlloc(&second, sizeof(node), cudaHostAllocMapped);
    cudaMallocManaged(&sum, sizeof *sum);
    *second = {5, nullptr};
    *first = {4, second};
    walk<<<1, 1>>>(first, sum);

    cudaMalloc(&p, 64);
    cudaLaunchCooperativeKernel((void *)coop, 4, 32, arguments, 0, 0);
    clustered<<<4, 32>>>(p);
    none<<<1, 1>>>();
    launch_in_clusters(p);
    cudaDeviceSynchronize();
    printf("sum %d, %s\n", *sum, cudaGetErrorString(cudaGetLastError()));
}
