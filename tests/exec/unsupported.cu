/* SPDX-License-Identifier: MIT
 *
 * A function that is missing, invalid launches, copies that overlap themselves or have rows above
 * their pitch, a graph that allocates memory twice, and calls in a host function.
 */
#include <cstdio>

__global__ void nothing()
{
}

int main()
{
    cudaIpcMemHandle_t handle;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    int *a, *b, *c;

    cudaMalloc(&a, 4);
    if (cudaIpcGetMemHandle(&handle, a) != cudaErrorNotSupported) /* finding: unsupported */
        puts("wrong error");
    for (int k = 0; k < 3; k++)
        nothing<<<1, 1025>>>(); /* finding: invalid-call */
    if (cudaGetLastError() != cudaErrorInvalidConfiguration)
        puts("wrong error of the launch");
    if (cudaLaunchCooperativeKernel((void *)nothing, 1000, 1024, nullptr) != /* finding: invalid-call */
        cudaErrorCooperativeLaunchTooLarge)
        puts("wrong error of a cooperative launch");
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    nothing<<<1, 1, 0, stream>>>(); /* finding: invalid-call */
    cudaMalloc(&b, 4096);
    cudaMemset(b, 0, 4096);
    cudaMemcpy(b, b + 10, 44, cudaMemcpyDeviceToDevice); /* finding: invalid-call */
    cudaMemcpy(b, b + 10, 40, cudaMemcpyDeviceToDevice);
    cudaMemcpy2D(b + 4, 64, b, 64, 20, 4, cudaMemcpyDeviceToDevice); /* finding: invalid-call */
    cudaMemcpy2D(b + 12, 64, b, 64, 20, 4, cudaMemcpyDeviceToDevice); /* finding: invalid-call */
    cudaMemcpy2D(b + 4, 64, b, 64, 16, 4, cudaMemcpyDeviceToDevice);
    cudaMemcpy(b, b, 64, cudaMemcpyDeviceToDevice);
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&c, 64, stream); /* finding: invalid-call */
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&instance, graph, 0);
    cudaGraphLaunch(instance, stream);
    cudaGraphLaunch(instance, stream);
    cudaStreamSynchronize(stream);
    cudaFree(c);
    cudaGraphExecDestroy(instance);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    auto forbidden = [](void *) {
        void *more;
        if (cudaMalloc(&more, 4) != cudaErrorNotPermitted) /* finding: invalid-call */
            puts("wrong error in a host function");
        nothing<<<1, 1>>>(); /* finding: invalid-call */
    };
    cudaLaunchHostFunc(nullptr, forbidden, nullptr);
    cudaDeviceSynchronize();
    cudaMemcpy2D(b, 0, b + 512, 0, 20, 1, cudaMemcpyDeviceToDevice); /* one row */
    if (cudaMemcpy2D(b, 16, b + 512, 64, 20, 4, cudaMemcpyDeviceToDevice) != /* finding: invalid-call */
        cudaErrorInvalidPitchValue)
        puts("wrong error of a copy");
    if (cudaMemset2D(b, 16, 0, 20, 4) != cudaErrorInvalidValue) /* finding: invalid-call */
        puts("wrong error of a fill");
    cudaFree(a);
    cudaFree(b);
    return 0;
}

// says: unsupported.cu:21: error: unsupported feature
// says: the launch of nothing is invalid: a block has more than 1024 threads
// says: the launch of nothing is invalid: it is cooperative and has 1000 blocks, of which only 32 fit at once on 16 SMs
// says: its stream was destroyed, or is none, so the work is not done
// says: cudaMemcpy(): the memory that the copy writes overlaps that which it reads
// says: the graph allocates c (unsupported.cu:43) again, which was not freed since its last launch
// says: unsupported  FAIL  1 unsupported feature, 11 invalid calls
// says: the host function of cudaLaunchHostFunc() at ...unsupported.cu:59 calls cudaMalloc(), which CUDA forbids there
// says: the host function of cudaLaunchHostFunc() at ...unsupported.cu:59 launches a kernel, which CUDA forbids there
// says: cudaMemcpy2D(): the width of a row is 20 bytes, but the pitch is 16
// says: note: repetitions that are not printed: 2
