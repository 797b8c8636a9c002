/* SPDX-License-Identifier: MIT
 *
 * A CUDA driver and a CUPTI for tests without a GPU: the memory of the GPU is memory of the
 * process, and kernels are functions. It loads the library of CUDA_INJECTION64_PATH, as the driver
 * does. FAKE_DRIVER_KILL=N ends the process by SIGKILL when memory is read for the Nth time.
 */
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_MEMORY = 64, MAX_PARAMETERS = 2 };

static struct {
    CUdeviceptr address;
    size_t bytes;
} memory[MAX_MEMORY];
static int memory_count;
static int counter[2] = {40, 2};
static CUresult sticky = CUDA_SUCCESS;
static bool records;

/* ---- Kernels ---- */

static void scale(void **values)
{
    int *array = *(int **)values[0];

    for (int k = 0; k < *(const int *)values[1]; k++)
        array[k] *= 2;
}

static void through(void **values)
{
    int **rows = *(int ***)values[0];

    rows[1][5000] = 5;
}

static void count(void **values)
{
    (void)values;
    counter[0]++;
}

static void fault(void **values)
{
    (void)values;
    sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
}

static const struct kernel {
    const char *name;
    void (*run)(void **values);
    size_t parameters[MAX_PARAMETERS]; /* sizes */
} kernels[] = {
    {"scale", scale, {8, 4}}, {"through", through, {8}}, {"count", count, {0}},
    {"fault", fault, {0}},    {"look", count, {0}},
};

static const struct kernel *kernel_of(CUfunction function)
{
    return (const struct kernel *)(const void *)function;
}

/* ---- Callbacks ---- */

static CUpti_CallbackFunc callback;
static bool enabled[2048];

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc function,
                           void *data)
{
    (void)data;
    *subscriber = NULL;
    callback = function;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    (void)subscriber;
    (void)domain;
    enabled[id] = enable != 0;
    return CUPTI_SUCCESS;
}

struct call {
    CUpti_CallbackId id;
    CUpti_CallbackData data;
    uint64_t correlation;
    CUresult result;
};

static void enter(struct call *call, CUpti_CallbackId id, const void *values, const char *symbol)
{
    *call = (struct call){.id = id};
    call->data = (CUpti_CallbackData){.callbackSite = CUPTI_API_ENTER,
                                      .functionParams = values,
                                      .functionReturnValue = &call->result,
                                      .symbolName = symbol,
                                      .correlationData = &call->correlation};
    if (callback != NULL && enabled[id])
        callback(NULL, CUPTI_CB_DOMAIN_DRIVER_API, id, &call->data);
}

static CUresult leave(struct call *call, CUresult result)
{
    call->data.callbackSite = CUPTI_API_EXIT;
    call->result = result;
    if (callback != NULL && enabled[call->id])
        callback(NULL, CUPTI_CB_DOMAIN_DRIVER_API, call->id, &call->data);
    return result;
}

/* ---- What programs call ---- */

CUresult cuInit(unsigned int flags)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path != NULL ? dlopen(path, RTLD_NOW) : NULL, *found;
    int (*inject)(void);

    (void)flags;
    if (path == NULL)
        return CUDA_SUCCESS;
    found = library != NULL ? dlsym(library, "InitializeInjection") : NULL;
    if (found == NULL)
        return CUDA_ERROR_NOT_INITIALIZED;
    memcpy(&inject, &found, sizeof found);
    return inject() != 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    const cuModuleLoadData_params values = {module, image};
    static int count_of_modules;
    struct call call;

    enter(&call, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, &values, NULL);
    *module = (CUmodule)(uintptr_t)(0x1000 + ++count_of_modules);
    return leave(&call, CUDA_SUCCESS);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    const cuModuleGetFunction_params values = {function, module, name};
    struct call call;

    enter(&call, CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction, &values, NULL);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (strcmp(kernels[k].name, name) == 0) {
            *function = (CUfunction)(uintptr_t)&kernels[k];
            return leave(&call, CUDA_SUCCESS);
        }
    return leave(&call, CUDA_ERROR_NOT_FOUND);
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    const cuMemAlloc_v2_params values = {address, bytes};
    struct call call;
    void *start;

    enter(&call, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, &values, NULL);
    start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
    if (start == MAP_FAILED || memory_count == MAX_MEMORY)
        return leave(&call, CUDA_ERROR_OUT_OF_MEMORY);
    *address = (CUdeviceptr)(uintptr_t)start;
    memory[memory_count].address = *address;
    memory[memory_count++].bytes = bytes;
    return leave(&call, CUDA_SUCCESS);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared, CUstream stream, void **values,
                        void **extra)
{
    const cuLaunchKernel_params all = {function, grid_x, grid_y, grid_z, block_x, block_y,
                                       block_z,  shared, stream, values, extra};
    struct call call;

    enter(&call, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &all, kernel_of(function)->name);
    if (sticky == CUDA_SUCCESS && !records)
        kernel_of(function)->run(values);
    return leave(&call, grid_x == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **values,
                          void **extra)
{
    const cuLaunchKernelEx_params all = {config, function, values, extra};
    struct call call;

    enter(&call, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &all, kernel_of(function)->name);
    kernel_of(function)->run(values);
    return leave(&call, CUDA_SUCCESS);
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                        const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *kernel)
{
    const cuGraphAddNode_v2_params values = {node, graph, before, edges, count, kernel};
    struct call call;

    enter(&call, CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode_v2, &values, NULL);
    return leave(&call, CUDA_SUCCESS);
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                              const CUstreamAttrValue *value)
{
    const cuStreamSetAttribute_params values = {stream, attribute, value};
    struct call call;

    enter(&call, CUPTI_DRIVER_TRACE_CBID_cuStreamSetAttribute, &values, NULL);
    return leave(&call, CUDA_SUCCESS);
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
    const cuStreamCopyAttributes_params values = {to, from};
    struct call call;

    enter(&call, CUPTI_DRIVER_TRACE_CBID_cuStreamCopyAttributes, &values, NULL);
    return leave(&call, CUDA_SUCCESS);
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    const cuStreamBeginCapture_v2_params values = {stream, mode};
    struct call call;

    enter(&call, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, &values, NULL);
    records = true;
    return leave(&call, CUDA_SUCCESS);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    const cuStreamEndCapture_params values = {stream, graph};
    struct call call;

    enter(&call, CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, &values, NULL);
    records = false;
    return leave(&call, CUDA_SUCCESS);
}

CUresult cuCtxSynchronize(void)
{
    return sticky;
}

/* ---- What the capture calls ---- */

CUresult cuCtxGetDevice(CUdevice *device)
{
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    (void)device;
    *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    (void)device;
    strncpy(name, "no GPU", (size_t)size);
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult result, const char **name)
{
    *name = result == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                                 : "CUDA_ERROR_INVALID_VALUE";
    return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
    const size_t *sizes = kernel_of(function)->parameters;

    if (index >= MAX_PARAMETERS || sizes[index] == 0)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = index == 0 ? 0 : sizes[0];
    *bytes = sizes[index];
    return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes)
{
    return cuFuncGetParamInfo((CUfunction)(uintptr_t)kernel, index, offset, bytes);
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    (void)module;
    *address = (CUdeviceptr)(uintptr_t)counter;
    *bytes = sizeof counter;
    return strcmp(name, "counter") == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                            const char *name)
{
    (void)library;
    return cuModuleGetGlobal(address, bytes, NULL, name);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    static int calls;
    const char *kill_at = getenv("FAKE_DRIVER_KILL");

    if (kill_at != NULL && ++calls == atoi(kill_at))
        kill(getpid(), SIGKILL);
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    for (int k = 0; k < memory_count; k++)
        if (address - memory[k].address < memory[k].bytes) {
            *base = memory[k].address;
            *bytes = memory[k].bytes;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
    (void)value;
    (void)attribute;
    (void)address;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    (void)stream;
    *status = records ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}
