/* SPDX-License-Identifier: MIT
 *
 * A program that launches kernels, for the tests of `capture`. Its argument says which. It prints a
 * line and exits with 7, or aborts after a fault.
 */
#include "machine_code.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .global .align 4 .b8 counter[8] = {40, 0, 0, 0, 2, 0, 0, 0};\n"
                          ".visible .entry scale(\n.param .u64 scale_param_0,\n.param .u32 "
                          "scale_param_1\n)\n{ ret; }\n"
                          ".visible .entry through(.param .u64 through_param_0)\n{ ret; }\n"
                          ".visible .entry count()\n{ ret; }\n"
                          ".visible .entry look()\n{\n\ttex.1d.v4.f32.s32 {a, b, c, d}, "
                          "[t, {x}];\n\tret;\n}\n"
                          ".visible .entry fault()\n{ ret; }\n";

static void launch(CUmodule module, const char *name, unsigned int blocks, void **values)
{
    CUfunction function;

    if (cuModuleGetFunction(&function, module, name) != CUDA_SUCCESS)
        exit(1);
    cuLaunchKernel(function, blocks, 1, 1, 32, 1, 1, 0, NULL, values, NULL);
}

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address;

    if (cuMemAlloc(&address, bytes) != CUDA_SUCCESS)
        exit(1);
    return address;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    CUdeviceptr array, rows;
    CUdeviceptr all[2];
    CUmodule module;
    CUgraph graph;
    int size = 1000;
    void *values[] = {&array, &size}, *of_rows[] = {&rows};

    if (cuInit(0) != CUDA_SUCCESS ||
        cuModuleLoadData(&module, strcmp(mode, "machine") == 0 ? (const void *)machine_code : ptx))
        return 1;
    array = allocate((size_t)8 << 20);
    rows = allocate(2 * sizeof(CUdeviceptr));
    all[0] = array;
    all[1] = allocate(1 << 20);
    memcpy((void *)(uintptr_t)rows, all, sizeof all);
    for (int k = 0; k < size; k++)
        ((int *)(uintptr_t)array)[k] = k;
    if (strcmp(mode, "pointers") == 0)
        launch(module, "through", 1, of_rows);
    else if (strcmp(mode, "variable") == 0)
        launch(module, "count", 1, NULL);
    else if (strcmp(mode, "texture") == 0) {
        launch(module, "look", 1, NULL);
        launch(module, "fault", 1, NULL);
    } else if (strcmp(mode, "graph") == 0) {
        cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL);
        launch(module, "scale", 1, values);
        cuStreamEndCapture(NULL, &graph);
        launch(module, "count", 1, NULL);
    } else if (strcmp(mode, "fault") == 0) {
        launch(module, "count", 1, NULL);
        launch(module, "fault", 1, NULL);
        launch(module, "scale", 1, values);
        abort();
    } else if (strcmp(mode, "rejected") == 0)
        launch(module, "scale", 0, values);
    else
        for (unsigned int k = 0; k < 1000; k++)
            launch(module, "scale", strcmp(mode, "shapes") == 0 ? 1 + k % 5 : 1, values);
    if (strcmp(mode, "machine") == 0)
        launch(module, "count", 1, NULL);
    printf("%d\n", ((int *)(uintptr_t)array)[3]);
    return 7;
}
