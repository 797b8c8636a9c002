/* SPDX-License-Identifier: MIT
 *
 * The program opens the driver by name, because it must also start without one.
 */
#include "gpu_functions.h"

#include "instruction_case.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts of the driver API in use (CUDA driver API, cuda.h). */
typedef int result;
typedef void *handle;
typedef unsigned long long address;

static struct {
    result (*init)(unsigned int);
    result (*device_get)(int *, int);
    result (*context_retain)(handle *, int);
    result (*context_set)(handle);
    result (*load)(handle *, const void *, unsigned int, int *, void **);
    result (*unload)(handle);
    result (*function)(handle *, handle, const char *);
    result (*allocate)(address *, size_t);
    result (*to_device)(address, const void *, size_t);
    result (*from_device)(void *, address, size_t);
    result (*launch)(handle, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                     unsigned int, unsigned int, handle, void **, void **);
    handle module;
    address tuples, results;
} gpu;

static bool find_all(handle library)
{
    static const struct {
        const char *name;
        void *slot;
    } wanted[] = {
        {"cuInit", &gpu.init},
        {"cuDeviceGet", &gpu.device_get},
        {"cuDevicePrimaryCtxRetain", &gpu.context_retain},
        {"cuCtxSetCurrent", &gpu.context_set},
        {"cuModuleLoadDataEx", &gpu.load},
        {"cuModuleUnload", &gpu.unload},
        {"cuModuleGetFunction", &gpu.function},
        {"cuMemAlloc_v2", &gpu.allocate},
        {"cuMemcpyHtoD_v2", &gpu.to_device},
        {"cuMemcpyDtoH_v2", &gpu.from_device},
        {"cuLaunchKernel", &gpu.launch},
    };

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(library, wanted[i].name);
        if (found == NULL)
            return false;
        memcpy(wanted[i].slot, &found, sizeof found);
    }
    return true;
}

bool gpu_open(char *reason, size_t size)
{
    handle library = dlopen("libcuda.so.1", RTLD_NOW), context;
    int device;

    if (library == NULL || !find_all(library) || gpu.init(0) != 0 ||
        gpu.device_get(&device, 0) != 0 || gpu.context_retain(&context, device) != 0 ||
        gpu.context_set(context) != 0) {
        snprintf(reason, size, "there is no CUDA driver, or no GPU");
        return false;
    }
    return true;
}

char *functions_text(const char *folder, size_t file, size_t files)
{
    char path[4096], piece[65536], *text = NULL;
    size_t size, got;
    FILE *from, *to = open_memstream(&text, &size);

    snprintf(path, sizeof path, "%s/instructions_%zu.ptx", folder, file);
    from = fopen(path, "r");
    if (from == NULL || to == NULL)
        return NULL;
    while ((got = fread(piece, 1, sizeof piece, from)) > 0)
        fwrite(piece, 1, got, to);
    fclose(from);
    for (size_t k = file; k < instruction_count; k += files)
        fprintf(
            to,
            "\n.visible .entry g%zu(.param .u64 in, .param .u64 out, .param .u32 count)\n{\n"
            "\t.reg .b64 i, o, v<7>;\n\t.reg .b32 n, t, b, s;\n\t.reg .pred p;\n"
            "\tmov.u32 t, %%tid.x;\n\tmov.u32 b, %%ctaid.x;\n\tmov.u32 s, %%ntid.x;\n"
            "\tmad.lo.u32 t, b, s, t;\n\tld.param.u32 n, [count];\n\tsetp.ge.u32 p, t, n;\n"
            "\t@p ret;\n\tld.param.u64 i, [in];\n\tmad.wide.u32 i, t, 40, i;\n"
            "\tld.param.u64 o, [out];\n\tmad.wide.u32 o, t, 16, o;\n"
            "\tld.global.u64 v0, [i];\n\tld.global.u64 v1, [i+8];\n\tld.global.u64 v2, [i+16];\n"
            "\tld.global.u64 v3, [i+24];\n\tld.global.u64 v4, [i+32];\n\t{\n"
            "\t.param .b64 a, bb, c, e, k;\n\t.param .align 8 .b8 r[16];\n"
            "\tst.param.b64 [a], v0;\n\tst.param.b64 [bb], v1;\n\tst.param.b64 [c], v2;\n"
            "\tst.param.b64 [e], v3;\n\tst.param.b64 [k], v4;\n"
            "\tcall.uni (r), f%zu, (a, bb, c, e, k);\n"
            "\tld.param.b64 v5, [r];\n\tld.param.b64 v6, [r+8];\n\t}\n"
            "\tst.global.u64 [o], v5;\n\tst.global.u64 [o+8], v6;\n\tret;\n}\n",
            k, k);
    fclose(to);
    return text;
}

bool gpu_load(const char *folder, size_t file, size_t files, bool optimise)
{
    enum { OPTIMIZATION_LEVEL = 7 }; /* CU_JIT_OPTIMIZATION_LEVEL */
    int options[] = {OPTIMIZATION_LEVEL};
    void *values[] = {(void *)(uintptr_t)(optimise ? 4 : 0)};
    char *text = functions_text(folder, file, files);
    result status;

    if (text == NULL)
        return false;
    if (gpu.module != NULL)
        gpu.unload(gpu.module);
    gpu.module = NULL;
    status = gpu.load(&gpu.module, text, 1, options, values);
    free(text);
    if (status != 0)
        printf("the driver's compiler gives error %d\n", status);
    return status == 0;
}

bool gpu_run(size_t number, const void *tuples, size_t tuple_bytes, void *results,
             size_t result_bytes, uint32_t count)
{
    enum { THREADS = 256 };
    char name[32];
    handle function;
    void *arguments[] = {&gpu.tuples, &gpu.results, &count};

    snprintf(name, sizeof name, "g%zu", number);
    if (gpu.tuples == 0 && (gpu.allocate(&gpu.tuples, tuple_bytes) != 0 ||
                            gpu.allocate(&gpu.results, result_bytes) != 0))
        return false;
    return gpu.function(&function, gpu.module, name) == 0 &&
           gpu.to_device(gpu.tuples, tuples, tuple_bytes) == 0 &&
           gpu.launch(function, (count + THREADS - 1) / THREADS, 1, 1, THREADS, 1, 1, 0, NULL,
                      arguments, NULL) == 0 &&
           gpu.from_device(results, gpu.results, result_bytes) == 0;
}
