/* SPDX-License-Identifier: MIT
 *
 * The library that the CUDA driver loads into the program (CUDA_INJECTION64_PATH). It follows the
 * program's calls of the driver through CUPTI, and captures its launches. It prints nothing: what
 * it cannot do is in capture.json.
 */
#include "cuda_driver.h"
#include "launch.h"
#include "launch_features.h"
#include "left_out.h"
#include "memory.h"
#include "modules.h"

#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct capture_settings settings;
static pid_t process;
static __thread bool inside; /* this thread's calls are the capture's own */
/* Held in callbacks, and while a launch is captured. */
static pthread_mutex_t mutex;

/* The calls that allocate memory: a pointer to the address, or the address itself, and the size. */
struct allocates {
    uint64_t *address;
    size_t bytes;
};
struct maps {
    uint64_t address;
    size_t bytes;
};

#define ID(name) CUPTI_DRIVER_TRACE_CBID_##name

/* ---- Launches ---- */

/* Adds what a replay does not model. Equal texts count once. */
static void add_unmodelled(char all[UNMODELLED], const char *text)
{
    size_t used = strlen(all);

    if (strstr(all, text) == NULL)
        snprintf(all + used, UNMODELLED - used, "%s%s", used > 0 ? "; " : "", text);
}

static void take_attributes(struct launch *launch, const CUlaunchConfig *config)
{
    for (unsigned int k = 0; k < config->numAttrs; k++) {
        const CUlaunchAttribute *attribute = &config->attrs[k];
        char text[256];
        enum feature_effect effect = feature_effect(FEATURE_LAUNCH_ATTRIBUTE, attribute->id,
                                                    &attribute->value, text, sizeof text);
        if (effect == PARTIAL)
            add_unmodelled(launch->unmodelled, text);
        if (effect == UNSUPPORTED)
            snprintf(launch->unsupported, sizeof launch->unsupported,
                     "simtcheck does not support %s", text);
        if (attribute->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            launch->cluster[0] = attribute->value.clusterDim.x;
            launch->cluster[1] = attribute->value.clusterDim.y;
            launch->cluster[2] = attribute->value.clusterDim.z;
        }
        if (attribute->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
            launch->cooperative = attribute->value.cooperative != 0;
    }
}

/* Fills in the launch, if the call makes one. */
static bool read_launch(CUpti_CallbackId id, const void *values, struct launch *launch)
{
    switch (id) {
    case ID(cuLaunchKernel):
    case ID(cuLaunchKernel_ptsz): {
        const cuLaunchKernel_params *call = values;
        *launch = (struct launch){
            .function = call->f,
            .grid = {call->gridDimX, call->gridDimY, call->gridDimZ},
            .block = {call->blockDimX, call->blockDimY, call->blockDimZ},
            .shared_bytes = call->sharedMemBytes,
            .stream = call->hStream,
            .parameters = call->kernelParams,
            .extra = call->extra,
        };
        return true;
    }
    case ID(cuLaunchCooperativeKernel):
    case ID(cuLaunchCooperativeKernel_ptsz): {
        const cuLaunchCooperativeKernel_params *call = values;
        *launch = (struct launch){
            .function = call->f,
            .grid = {call->gridDimX, call->gridDimY, call->gridDimZ},
            .block = {call->blockDimX, call->blockDimY, call->blockDimZ},
            .shared_bytes = call->sharedMemBytes,
            .cooperative = true,
            .stream = call->hStream,
            .parameters = call->kernelParams,
        };
        return true;
    }
    case ID(cuLaunchKernelEx):
    case ID(cuLaunchKernelEx_ptsz): {
        const cuLaunchKernelEx_params *call = values;
        const CUlaunchConfig *config = call->config;
        *launch = (struct launch){
            .function = call->f,
            .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
            .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
            .shared_bytes = config->sharedMemBytes,
            .stream = config->hStream,
            .parameters = call->kernelParams,
            .extra = call->extra,
        };
        take_attributes(launch, config);
        return true;
    }
    default:
        return false;
    }
}

/* Streams with attributes that a replay does not model. A stream that was destroyed may remain, and
 * the launches of one with the same handle are then not fully checked. */
static struct marked_stream {
    struct marked_stream *next;
    CUstream stream;
    char unmodelled[UNMODELLED];
} * marked_streams;

/* Returns what is not modelled of a stream. */
static const char *unmodelled_of(CUstream stream)
{
    const struct marked_stream *one = marked_streams;

    while (one != NULL && one->stream != stream)
        one = one->next;
    return one != NULL ? one->unmodelled : "";
}

static void mark_stream(CUstream stream, const char *text)
{
    struct marked_stream *marked = text[0] != '\0' ? malloc(sizeof *marked) : NULL;

    if (marked == NULL)
        return;
    *marked = (struct marked_stream){.next = marked_streams, .stream = stream};
    strcpy(marked->unmodelled, unmodelled_of(stream));
    add_unmodelled(marked->unmodelled, text);
    marked_streams = marked;
}

static void follow_streams(CUpti_CallbackId id, const void *values)
{
    const cuStreamSetAttribute_params *set = values;
    const cuStreamCopyAttributes_params *copied = values;
    char text[256];

    if (id == ID(cuStreamCopyAttributes) || id == ID(cuStreamCopyAttributes_ptsz))
        mark_stream(copied->dstStream, unmodelled_of(copied->srcStream));
    else if ((id == ID(cuStreamSetAttribute) || id == ID(cuStreamSetAttribute_ptsz)) &&
             feature_effect(FEATURE_STREAM_ATTRIBUTE, (uint32_t)set->attr, set->param, text,
                            sizeof text) >= PARTIAL)
        mark_stream(set->hStream, text);
}

/* The mutex stays locked until the launch has ended, so that no other launch changes the memory. */
static void follow_launch(const CUpti_CallbackData *data, struct launch *launch)
{
    launch->kernel = data->symbolName != NULL ? data->symbolName : "";
    if (data->callbackSite == CUPTI_API_ENTER) {
        if (unmodelled_of(launch->stream)[0] != '\0')
            add_unmodelled(launch->unmodelled, unmodelled_of(launch->stream));
        *data->correlationData = launch_begin(&settings, launch);
        if (*data->correlationData)
            pthread_mutex_lock(&mutex);
    } else if (*data->correlationData) {
        launch_end(&settings, *(CUresult *)data->functionReturnValue);
        pthread_mutex_unlock(&mutex);
    }
}

/* ---- Other calls, after they succeeded ---- */

static bool follow_code(CUpti_CallbackId id, const void *values)
{
    switch (id) {
    case ID(cuModuleLoad): {
        const cuModuleLoad_params *call = values;
        modules_loaded_file((const void *)*call->module, call->fname);
        return true;
    }
    case ID(cuModuleLoadData):
    case ID(cuModuleLoadDataEx):
    case ID(cuModuleLoadFatBinary): {
        const cuModuleLoadData_params *call = values; /* the others begin in the same way */
        modules_loaded((const void *)*call->module, call->image);
        return true;
    }
    case ID(cuLibraryLoadData): {
        const cuLibraryLoadData_params *call = values;
        modules_loaded((const void *)*call->library, call->code);
        return true;
    }
    case ID(cuLibraryLoadFromFile): {
        const cuLibraryLoadFromFile_params *call = values;
        modules_loaded_file((const void *)*call->library, call->fileName);
        return true;
    }
    case ID(cuLinkAddData_v2): {
        const cuLinkAddData_v2_params *call = values;
        if (call->type == CU_JIT_INPUT_PTX || call->type == CU_JIT_INPUT_FATBINARY)
            modules_linked((const void *)call->state, call->data, call->size);
        return true;
    }
    case ID(cuLinkAddFile_v2): {
        const cuLinkAddFile_v2_params *call = values;
        if (call->type == CU_JIT_INPUT_PTX || call->type == CU_JIT_INPUT_FATBINARY)
            modules_linked_file((const void *)call->state, call->path);
        return true;
    }
    case ID(cuLinkComplete): {
        const cuLinkComplete_params *call = values;
        modules_link_done((const void *)call->state, *call->cubinOut, *call->sizeOut);
        return true;
    }
    default:
        return false;
    }
}

static bool follow_handles(CUpti_CallbackId id, const void *values)
{
    switch (id) {
    case ID(cuModuleGetFunction): {
        const cuModuleGetFunction_params *call = values;
        modules_kernel((const void *)*call->hfunc, (const void *)call->hmod, false, call->name);
        return true;
    }
    case ID(cuLibraryGetKernel): {
        const cuLibraryGetKernel_params *call = values;
        modules_kernel((const void *)*call->pKernel, (const void *)call->library, true, call->name);
        return true;
    }
    case ID(cuKernelGetFunction): {
        const cuKernelGetFunction_params *call = values;
        modules_same((const void *)*call->pFunc, (const void *)call->kernel);
        return true;
    }
    case ID(cuLibraryGetModule): {
        const cuLibraryGetModule_params *call = values;
        modules_same((const void *)*call->pMod, (const void *)call->library);
        return true;
    }
    default:
        return false;
    }
}

static bool follow_memory(CUpti_CallbackId id, const void *values)
{
    switch (id) {
    case ID(cuMemAlloc_v2):
    case ID(cuMemAllocManaged):
    case ID(cuMemAllocAsync):
    case ID(cuMemAllocAsync_ptsz):
    case ID(cuMemAllocFromPoolAsync):
    case ID(cuMemAllocFromPoolAsync_ptsz):
    case ID(cuMemHostAlloc):
    case ID(cuMemAllocHost_v2): {
        const struct allocates *call = values;
        memory_allocated(*call->address, call->bytes);
        return true;
    }
    case ID(cuMemAllocPitch_v2): {
        const cuMemAllocPitch_v2_params *call = values;
        memory_allocated(*call->dptr, *call->pPitch * call->Height);
        return true;
    }
    case ID(cuMemHostRegister_v2):
    case ID(cuMemMap): {
        const struct maps *call = values;
        memory_allocated(call->address, call->bytes);
        return true;
    }
    default:
        return false;
    }
}

static void follow_node(const CUgraphNodeParams *node)
{
    if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
        launch_in_graph(&settings, node->kernel.func != NULL ? (const void *)node->kernel.func
                                                             : (const void *)node->kernel.kern);
}

static void follow_graphs(CUpti_CallbackId id, const void *values)
{
    switch (id) {
    case ID(cuGraphAddNode):
        follow_node(((const cuGraphAddNode_params *)values)->nodeParams);
        break;
    case ID(cuGraphAddNode_v2):
        follow_node(((const cuGraphAddNode_v2_params *)values)->nodeParams);
        break;
    case ID(cuStreamBeginCapture_v2):
    case ID(cuStreamBeginCapture_v2_ptsz):
    case ID(cuStreamBeginCaptureToGraph):
    case ID(cuStreamBeginCaptureToGraph_ptsz):
        launch_recording(1);
        break;
    case ID(cuStreamEndCapture):
    case ID(cuStreamEndCapture_ptsz):
        launch_recording(-1);
        break;
    case ID(cuGraphAddKernelNode_v2): {
        const CUDA_KERNEL_NODE_PARAMS *node =
            ((const cuGraphAddKernelNode_v2_params *)values)->nodeParams;
        launch_in_graph(&settings,
                        node->func != NULL ? (const void *)node->func : (const void *)node->kern);
        break;
    }
    default:
        break;
    }
}

/* ---- The beginning ---- */

static void CUPTIAPI follow(void *context, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                            const void *of_call)
{
    const CUpti_CallbackData *data = of_call;
    struct launch launch;

    (void)context;
    if (inside || domain != CUPTI_CB_DOMAIN_DRIVER_API || getpid() != process)
        return;
    inside = true;
    pthread_mutex_lock(&mutex);
    if (read_launch(id, data->functionParams, &launch))
        follow_launch(data, &launch);
    else if (data->callbackSite == CUPTI_API_EXIT) {
        /* The end of a recording counts even if it failed. */
        if (*(const CUresult *)data->functionReturnValue == CUDA_SUCCESS ||
            id == ID(cuStreamEndCapture) || id == ID(cuStreamEndCapture_ptsz))
            (void)(follow_code(id, data->functionParams) ||
                   follow_handles(id, data->functionParams) ||
                   follow_memory(id, data->functionParams) ||
                   (follow_graphs(id, data->functionParams),
                    follow_streams(id, data->functionParams), true));
    }
    pthread_mutex_unlock(&mutex);
    inside = false;
}

static const CUpti_CallbackId followed[] = {
    ID(cuLaunchKernel),
    ID(cuLaunchKernel_ptsz),
    ID(cuLaunchCooperativeKernel),
    ID(cuLaunchCooperativeKernel_ptsz),
    ID(cuLaunchKernelEx),
    ID(cuLaunchKernelEx_ptsz),
    ID(cuModuleLoad),
    ID(cuModuleLoadData),
    ID(cuModuleLoadDataEx),
    ID(cuModuleLoadFatBinary),
    ID(cuLibraryLoadData),
    ID(cuLibraryLoadFromFile),
    ID(cuLinkAddData_v2),
    ID(cuLinkAddFile_v2),
    ID(cuLinkComplete),
    ID(cuModuleGetFunction),
    ID(cuLibraryGetKernel),
    ID(cuKernelGetFunction),
    ID(cuLibraryGetModule),
    ID(cuMemAlloc_v2),
    ID(cuMemAllocManaged),
    ID(cuMemAllocAsync),
    ID(cuMemAllocAsync_ptsz),
    ID(cuMemAllocFromPoolAsync),
    ID(cuMemAllocFromPoolAsync_ptsz),
    ID(cuMemHostAlloc),
    ID(cuMemAllocHost_v2),
    ID(cuMemAllocPitch_v2),
    ID(cuMemHostRegister_v2),
    ID(cuMemMap),
    ID(cuStreamBeginCapture_v2),
    ID(cuStreamBeginCapture_v2_ptsz),
    ID(cuStreamBeginCaptureToGraph),
    ID(cuStreamBeginCaptureToGraph_ptsz),
    ID(cuStreamEndCapture),
    ID(cuStreamEndCapture_ptsz),
    ID(cuGraphAddKernelNode_v2),
    ID(cuGraphAddNode),
    ID(cuGraphAddNode_v2),
    ID(cuStreamSetAttribute),
    ID(cuStreamSetAttribute_ptsz),
    ID(cuStreamCopyAttributes),
    ID(cuStreamCopyAttributes_ptsz),
};

/* Starts to follow the calls. Returns what is wrong, or null. */
static const char *subscribe(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CUptiResult (*cupti_subscribe)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *);
    CUptiResult (*cupti_enable)(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                CUpti_CallbackId);
    CUpti_SubscriberHandle subscriber;
    void *found[2];

    if (library == NULL)
        return dlerror();
    found[0] = dlsym(library, "cuptiSubscribe");
    found[1] = dlsym(library, "cuptiEnableCallback");
    if (found[0] == NULL || found[1] == NULL)
        return dlerror();
    memcpy(&cupti_subscribe, &found[0], sizeof found[0]);
    memcpy(&cupti_enable, &found[1], sizeof found[1]);
    if (cupti_subscribe(&subscriber, follow, NULL) != CUPTI_SUCCESS)
        return "libcupti rejects a subscriber: end other profilers of the program";
    for (size_t k = 0; k < sizeof followed / sizeof *followed; k++)
        if (cupti_enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, followed[k]) != CUPTI_SUCCESS)
            return "libcupti is older than CUDA 12.4: install a newer one";
    return NULL;
}

static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);

    return text != NULL ? strtoull(text, NULL, 10) : UINT64_MAX;
}

__attribute__((destructor)) static void end(void)
{
    if (process == getpid())
        left_out_end(settings.folder);
}

/* The driver calls it from cuInit(). */
__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void)
{
    pthread_mutexattr_t recursive;
    const char *folder = getenv("SIMTCHECK_CAPTURE_FOLDER"),
               *cupti = getenv("SIMTCHECK_CAPTURE_CUPTI"), *wrong, *lacks;
    char text[256];

    if (folder == NULL || cupti == NULL || process != 0)
        return 1;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &recursive);
    settings = (struct capture_settings){
        strdup(folder), getenv("SIMTCHECK_CAPTURE_KERNEL"), number_of("SIMTCHECK_CAPTURE_LAUNCHES"),
        number_of("SIMTCHECK_CAPTURE_MEMORY"), number_of("SIMTCHECK_CAPTURE_DISK")};
    if (settings.kernels != NULL)
        settings.kernels = strdup(settings.kernels);
    process = getpid();
    lacks = cuda_driver_load();
    if (lacks != NULL)
        snprintf(text, sizeof text, "the CUDA driver has no %s: install one of CUDA 12.4 or newer",
                 lacks);
    wrong = lacks != NULL ? text : subscribe(cupti);
    if (wrong != NULL)
        left_out(settings.folder, "*", wrong);
    return 1;
}
