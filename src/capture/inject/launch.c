/* SPDX-License-Identifier: MIT */
#include "launch.h"

#include "capture_file.h"
#include "cuda_driver.h"
#include "error_report.h"
#include "left_out.h"
#include "memory.h"
#include "modules.h"
#include "store.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct map launches; /* from the hash of kernel and shape to the number of launches */
static int recordings;      /* graphs that the program records */
static unsigned int capability;
static uint64_t disk_before; /* bytes of the folder when this process began */
static unsigned int next_number = 1;

/* The launch that is captured. */
static struct captured_launch current;
static struct snapshot snapshot;

static const char *const in_graph =
    "it is part of a CUDA graph: launch it without a graph to capture it";

/* ---- What is captured ---- */

/* The first launch tells the GPU. */
static void begin_process(const struct capture_settings *settings)
{
    int major = 0, minor = 0, version = 0;
    CUdevice device = 0;
    char name[256] = "";

    driver.cuCtxGetDevice(&device);
    driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    driver.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    driver.cuDeviceGetName(name, sizeof name, device);
    driver.cuDriverGetVersion(&version);
    capability = (unsigned int)(10 * major + minor);
    disk_before = capture_size(settings->folder);
    left_out_begin(settings->folder, name, capability, version);
}

/* Returns the number of launches of this kernel and shape so far, to change. */
static uint64_t *count_of(const struct launch *launch, const struct kernel *kernel)
{
    char text[4096], hash[CAPTURE_HASH];
    const uint32_t *grid = launch->grid, *block = launch->block, *cluster = launch->cluster;
    int length =
        snprintf(text, sizeof text, "%u %u %u %u %u %u %u %u %u %u %d %s %s %s", grid[0], grid[1],
                 grid[2], block[0], block[1], block[2], cluster[0], cluster[1], cluster[2],
                 launch->shared_bytes, launch->cooperative,
                 kernel != NULL ? modules_hash(kernel) : "", launch->unmodelled, launch->kernel);
    size_t used = (size_t)length < sizeof text ? (size_t)length : sizeof text;

    store_hash(text, used, hash);
    hash[16] = '\0';
    return map_at(&launches, strtoull(hash, NULL, 16) | 1);
}

static bool is_selected(const struct capture_settings *settings, const char *kernel)
{
    return settings->kernels == NULL || fnmatch(settings->kernels, kernel, 0) == 0;
}

static bool is_recorded(const struct launch *launch)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    return recordings > 0 || (driver.cuStreamIsCapturing(launch->stream, &status) == CUDA_SUCCESS &&
                              status != CU_STREAM_CAPTURE_STATUS_NONE);
}

/* ---- Parameters ---- */

static CUresult parameter_info(const struct kernel *kernel, size_t index, size_t *offset,
                               size_t *bytes)
{
    if (kernel->is_library)
        return driver.cuKernelGetParamInfo((CUkernel)(uintptr_t)kernel->handle, index, offset,
                                           bytes);
    return driver.cuFuncGetParamInfo((CUfunction)(uintptr_t)kernel->handle, index, offset, bytes);
}

/* Returns the number of parameters that the PTX declares for the kernel. */
static size_t declared_parameters(const char *ptx, const char *name)
{
    const char *at = ptx_find_entry(ptx, name), *end;
    size_t count = 0;

    at += strspn(at, " \t\r\n");
    if (*at != '(')
        return 0;
    end = strchr(at, ')');
    while ((at = strstr(at, ".param")) != NULL && at < end) {
        count++;
        at++;
    }
    return count;
}

static bool find_layout(const struct kernel *kernel, const char *ptx, const char *name)
{
    size_t count = declared_parameters(ptx, name), offset, bytes;
    CUresult result;

    current.layout = calloc(count + 1, sizeof *current.layout);
    if (current.layout == NULL)
        return error_write(snapshot.why, sizeof snapshot.why, "out of memory");
    for (size_t p = 0; p < count; p++) {
        result = parameter_info(kernel, p, &offset, &bytes);
        if (result != CUDA_SUCCESS)
            return error_write(snapshot.why, sizeof snapshot.why,
                               "the driver does not tell its parameters: %s",
                               cuda_driver_error(result));
        current.layout[current.parameter_count++] =
            (struct capture_parameter){(uint32_t)offset, (uint32_t)bytes};
        current.parameter_bytes = (uint32_t)(offset + bytes);
    }
    return true;
}

/* Copies the parameters from the form with a buffer. */
static void copy_buffer(void **extra)
{
    const void *buffer = NULL;
    size_t bytes = 0;

    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            memcpy(&bytes, extra[1], sizeof bytes);
    }
    if (buffer != NULL)
        memcpy(current.parameters, buffer,
               bytes < current.parameter_bytes ? bytes : current.parameter_bytes);
}

static bool copy_parameters(const struct launch *launch)
{
    current.parameters = calloc(current.parameter_bytes + 1, 1);
    if (current.parameters == NULL)
        return error_write(snapshot.why, sizeof snapshot.why, "out of memory");
    if (launch->parameters == NULL && launch->extra != NULL)
        copy_buffer(launch->extra);
    for (size_t p = 0; launch->parameters != NULL && p < current.parameter_count; p++)
        memcpy(current.parameters + current.layout[p].offset, launch->parameters[p],
               current.layout[p].bytes);
    return true;
}

/* ---- Code ---- */

/* Writes the PTX, and that of the units that the program links with it. */
static bool write_modules(const struct capture_settings *settings, const struct kernel *kernel,
                          const char *ptx)
{
    size_t unit = 0, size = sizeof snapshot.why;
    const char *other;
    bool good = capture_write_module(settings->folder, ptx, strlen(ptx), current.module,
                                     snapshot.why, size);

    while (good && (other = modules_linked_ptx(kernel, ptx, capability, &unit)) != NULL) {
        void *grown = realloc(current.linked, (current.linked_count + 1) * sizeof *current.linked);
        if (grown == NULL)
            return error_write(snapshot.why, size, "out of memory");
        current.linked = grown;
        good = capture_write_module(settings->folder, other, strlen(other),
                                    current.linked[current.linked_count++], snapshot.why, size);
    }
    return good;
}

/* ---- Memory ---- */

static bool add_variables_of(const struct kernel *kernel, const char *ptx)
{
    char name[4096];
    CUdeviceptr address;
    size_t bytes;

    while (ptx_next_variable(&ptx, name, sizeof name)) {
        CUresult result = kernel->is_library
                              ? driver.cuLibraryGetGlobal(&address, &bytes,
                                                          (CUlibrary)(uintptr_t)kernel->owner, name)
                              : driver.cuModuleGetGlobal_v2(
                                    &address, &bytes, (CUmodule)(uintptr_t)kernel->owner, name);
        if (result == CUDA_SUCCESS && bytes > 0 &&
            !snapshot_add_variable(&snapshot, name, address, bytes))
            return false;
    }
    return true;
}

static bool add_variables(const struct kernel *kernel, const char *ptx)
{
    size_t unit = 0;
    bool good = true;

    for (const char *of = ptx; good && of != NULL;
         of = modules_linked_ptx(kernel, ptx, capability, &unit))
        good = add_variables_of(kernel, of);
    return good;
}

static bool synchronize(void)
{
    CUresult result = driver.cuCtxSynchronize();

    return result == CUDA_SUCCESS ||
           error_write(snapshot.why, sizeof snapshot.why, "an earlier error of the GPU: %s",
                       cuda_driver_error(result));
}

static bool has_no_textures(const char *ptx, const char *kernel)
{
    return !ptx_uses_textures(ptx, kernel) ||
           error_write(snapshot.why, sizeof snapshot.why,
                       "it uses textures or surfaces, whose contents capture cannot keep");
}

static bool has_room(const struct capture_settings *settings)
{
    return disk_before + capture_written() < settings->disk ||
           error_write(snapshot.why, sizeof snapshot.why,
                       "the folder has %.3g GiB: give a larger --disk",
                       (double)settings->disk / (1 << 30));
}

/* ---- A launch ---- */

static void end_launch(void)
{
    free(current.allocations);
    free(current.gpu_error);
    free(current.unmodelled);
    free(current.parameters);
    free(current.layout);
    free(current.linked);
    free(current.kernel);
    current = (struct captured_launch){.kernel = NULL};
    snapshot_free(&snapshot);
}

static bool take(const struct capture_settings *settings, const struct launch *launch,
                 const struct kernel *kernel, const char *ptx)
{
    current = (struct captured_launch){.kernel = strdup(launch->kernel),
                                       .shared_bytes = launch->shared_bytes,
                                       .cooperative = launch->cooperative};
    if (launch->unmodelled[0] != '\0' && (current.unmodelled = strdup(launch->unmodelled)) == NULL)
        return error_write(snapshot.why, sizeof snapshot.why, "out of memory");
    memcpy(current.grid, launch->grid, sizeof current.grid);
    memcpy(current.block, launch->block, sizeof current.block);
    memcpy(current.cluster, launch->cluster, sizeof current.cluster);
    return has_room(settings) && has_no_textures(ptx, launch->kernel) && synchronize() &&
           find_layout(kernel, ptx, launch->kernel) && copy_parameters(launch) &&
           add_variables(kernel, ptx) &&
           snapshot_add_parameters(&snapshot, current.parameters, current.parameter_bytes) &&
           write_modules(settings, kernel, ptx) && snapshot_before(&snapshot);
}

static bool begin(const struct capture_settings *settings, const struct launch *launch,
                  const struct kernel *kernel)
{
    const char *ptx;

    snapshot = (struct snapshot){.folder = settings->folder, .most_bytes = settings->memory};
    ptx = modules_ptx(kernel, launch->kernel, capability, snapshot.why, sizeof snapshot.why);
    if (ptx != NULL && take(settings, launch, kernel, ptx))
        return true;
    left_out(settings->folder, launch->kernel, snapshot.why);
    end_launch();
    return false;
}

bool launch_begin(const struct capture_settings *settings, const struct launch *launch)
{
    const struct kernel *kernel = modules_find((const void *)launch->function);
    uint64_t *count;

    if (!is_selected(settings, launch->kernel))
        return false;
    if (capability == 0)
        begin_process(settings);
    if (launch->unsupported[0] != '\0' || is_recorded(launch)) {
        left_out(settings->folder, launch->kernel,
                 launch->unsupported[0] != '\0' ? launch->unsupported : in_graph);
        return false;
    }
    count = count_of(launch, kernel);
    if (count == NULL || *count >= settings->launches)
        return false;
    ++*count;
    return begin(settings, launch, kernel);
}

void launch_end(const struct capture_settings *settings, CUresult result)
{
    bool good = result == CUDA_SUCCESS;

    if (!good)
        error_write(snapshot.why, sizeof snapshot.why, "the driver rejected the launch: %s",
                    cuda_driver_error(result));
    if (good && (result = driver.cuCtxSynchronize()) != CUDA_SUCCESS)
        current.gpu_error = strdup(cuda_driver_error(result));
    good = good && (current.gpu_error != NULL || snapshot_after(&snapshot)) &&
           snapshot_list(&snapshot, &current) &&
           capture_write_launch(settings->folder, &next_number, &current, snapshot.why,
                                sizeof snapshot.why);
    next_number += good;
    if (!good)
        left_out(settings->folder, current.kernel, snapshot.why);
    end_launch();
}

void launch_recording(int change)
{
    recordings += change;
    recordings = recordings > 0 ? recordings : 0;
}

void launch_in_graph(const struct capture_settings *settings, const void *handle)
{
    const struct kernel *kernel = modules_find(handle);

    if (kernel != NULL && is_selected(settings, kernel->name))
        left_out(settings->folder, kernel->name, in_graph);
}
