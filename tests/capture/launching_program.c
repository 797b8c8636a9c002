/* SPDX-License-Identifier: MIT
 *
 * A program that launches kernels, for the tests of `capture`. Its argument says which. It prints a
 * line and exits with 7, or aborts after a fault.
 */
#include "machine_code.h"

#include <cuda.h>
#include <stdint.h>
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

/* Code of two files that were compiled with -rdc=true, and of CUDA's device runtime: fat binaries
 * with the PTX of each file. */
static const char calling[] =
    ".extern .func twice\n();\n.visible .entry scale(.param .u64 a, .param "
    ".u32 b)\n{ call.uni twice, (); ret; }\n";
static const char runtime[] = ".extern .func __cuda_syscall_launch\n();\n";
static const char called[] = ".visible .global .align 4 .b8 counter[8];\n"
                             ".visible .func twice()\n{ ret; }\n";

struct fat_binary {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t entries_bytes;
    struct {
        uint16_t kind, version;
        uint32_t header_bytes;
        uint64_t bytes;
        uint32_t unused[2];
        uint16_t minor, major;
        uint32_t architecture;
        uint64_t more[4];
        char text[256];
    } older, newer; /* of architectures */
};

static struct fat_binary fat_binary(const char *text)
{
    struct fat_binary fat = {.magic = 0xba55ed50, .version = 1, .header_bytes = 16};

    fat.entries_bytes = sizeof fat.older + sizeof fat.newer;
    fat.older.kind = fat.newer.kind = 1;
    fat.older.header_bytes = fat.newer.header_bytes = 64;
    fat.older.bytes = fat.newer.bytes = sizeof fat.older.text;
    fat.older.architecture = 80;
    fat.newer.architecture = 90;
    strcpy(fat.older.text, "// old\n");
    strcat(fat.older.text, text);
    strcpy(fat.newer.text, text);
    return fat;
}

static const void *unlinked_code(void)
{
    static struct fat_binary linked, first, second, third;
    static const void *unlinked[4] = {&first, &second, &third, NULL};
    static struct {
        uint32_t magic, version;
        const void *image, *unlinked;
    } wrapper = {0x466243b1, 2, &linked, unlinked};

    linked = (struct fat_binary){.magic = 0xba55ed50, .version = 1, .header_bytes = 16};
    first = fat_binary(calling);
    second = fat_binary(called);
    third = fat_binary(runtime);
    return &wrapper;
}

static const void *code_of(const char *mode)
{
    return strcmp(mode, "machine") == 0  ? machine_code
           : strcmp(mode, "linked") == 0 ? unlinked_code()
                                         : ptx;
}

static void launch_in(CUstream stream, CUmodule module, const char *name, unsigned int blocks,
                      void **values)
{
    CUfunction function;

    if (cuModuleGetFunction(&function, module, name) != CUDA_SUCCESS)
        exit(1);
    cuLaunchKernel(function, blocks, 1, 1, 32, 1, 1, 0, stream, values, NULL);
}

static void launch(CUmodule module, const char *name, unsigned int blocks, void **values)
{
    launch_in(NULL, module, name, blocks, values);
}

/* Adds a kernel to a graph without a launch. */
static void add_node(CUmodule module)
{
    CUgraphNodeParams node = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
    CUgraphNode added;

    if (cuModuleGetFunction(&node.kernel.func, module, "scale") != CUDA_SUCCESS)
        exit(1);
    cuGraphAddNode(&added, NULL, NULL, NULL, 0, &node);
}

/* Launches in a plain stream, in one with a domain for its fences, and in one that copies it. */
static void launch_in_streams(CUmodule module, void **values)
{
    const CUstreamAttrValue domain = {.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE},
                            policy = {.syncPolicy = CU_SYNC_POLICY_YIELD};
    CUstream plain = (CUstream)1, one = (CUstream)2, copy = (CUstream)3;

    cuStreamSetAttribute(plain, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &policy);
    cuStreamSetAttribute(one, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &domain);
    cuStreamCopyAttributes(copy, one);
    launch_in(plain, module, "scale", 1, values);
    launch_in(one, module, "scale", 2, values);
    launch_in(copy, module, "scale", 3, values);
}

/* Launches with an attribute whose value begins with that number. */
static void launch_with(CUmodule module, int attribute, int value, void **values)
{
    CUlaunchAttribute one = {.id = (CUlaunchAttributeID)attribute, .value.cooperative = value};
    const CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, NULL, &one, 1};
    CUfunction function;

    if (cuModuleGetFunction(&function, module, "scale") != CUDA_SUCCESS)
        exit(1);
    cuLaunchKernelEx(&config, function, values, NULL);
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

    if (cuInit(0) != CUDA_SUCCESS || cuModuleLoadData(&module, code_of(mode)) != CUDA_SUCCESS)
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
    } else if (strcmp(mode, "node") == 0) {
        add_node(module);
        launch(module, "count", 1, NULL);
    } else if (strcmp(mode, "streams") == 0) {
        size = 0; /* so that the kernel does nothing, as its PTX */
        launch_in_streams(module, values);
    } else if (strcmp(mode, "fault") == 0) {
        launch(module, "count", 1, NULL);
        launch(module, "fault", 1, NULL);
        launch(module, "scale", 1, values);
        abort();
    } else if (strcmp(mode, "attributes") == 0) {
        size = 0; /* so that the kernel does nothing, as its PTX */
        launch_with(module, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 0, values);
        launch_with(module, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 1, values);
        launch_with(module, 77, 0, values);
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
