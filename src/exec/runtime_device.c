/* SPDX-License-Identifier: MIT
 *
 * The CUDA runtime: the device, errors, limits, and calls that do nothing here.
 */
#include "runtime.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ERROR_NOT_READY = EXEC_NOT_READY };

/* ---- Errors ---- */

static _Thread_local int last_error;

int runtime_note(int error)
{
    if (error != EXEC_SUCCESS && error != ERROR_NOT_READY)
        last_error = error;
    return error;
}

API(cudaGetLastError, void)
{
    int error = last_error;

    last_error = EXEC_SUCCESS;
    return exec_sticky() != EXEC_SUCCESS ? exec_sticky() : error;
}

API(cudaPeekAtLastError, void)
{
    return exec_sticky() != EXEC_SUCCESS ? exec_sticky() : last_error;
}

static const struct {
    int error;
    const char *name, *text;
} errors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {3, "cudaErrorInitializationError", "initialization error"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {200, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {201, "cudaErrorDeviceUninitialized", "invalid device context"},
    {209, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {401, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    {500, "cudaErrorSymbolNotFound", "named symbol not found"},
    {600, "cudaErrorNotReady", "device not ready"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {710, "cudaErrorAssert", "device-side assert triggered"},
    {712, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {713, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {716, "cudaErrorMisalignedAddress", "misaligned address"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {800, "cudaErrorNotPermitted", "operation not permitted"},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {901, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {904, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {905, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {906, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {908, "cudaErrorStreamCaptureWrongThread",
     "attempt to terminate a thread-local capture sequence from another thread"},
    {910, "cudaErrorGraphExecUpdateFailure",
     "the graph update was not performed because it included changes which violated constraints "
     "specific to instantiated graph update"},
    {999, "cudaErrorUnknown", "unknown error"},
};

EXEC_PUBLIC const char *cudaGetErrorName(int error);
EXEC_PUBLIC const char *cudaGetErrorString(int error);

const char *cudaGetErrorName(int error)
{
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].error == error)
            return errors[k].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(int error)
{
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].error == error)
            return errors[k].text;
    return "unrecognized error code";
}

/* ---- The device ---- */

static int device_zero(int device)
{
    return device == 0 ? exec_start() : EXEC_INVALID_DEVICE;
}

API(cudaGetDeviceCount, int *count)
{
    *count = 1;
    return RUNTIME_CALL(exec_start());
}

API(cudaGetDevice, int *device)
{
    *device = 0;
    return EXEC_SUCCESS;
}

API(cudaSetDevice, int device)
{
    return RUNTIME_CALL(device_zero(device));
}

API(cudaInitDevice, int device, unsigned int device_flags, unsigned int flags)
{
    (void)device_flags, (void)flags;
    return RUNTIME_CALL(device_zero(device));
}

API(cudaSetValidDevices, int *devices, int count)
{
    (void)devices, (void)count;
    return EXEC_SUCCESS;
}

API(cudaSetDeviceFlags, unsigned int flags)
{
    (void)flags;
    return EXEC_SUCCESS;
}

API(cudaGetDeviceFlags, unsigned int *flags)
{
    *flags = 0;
    return EXEC_SUCCESS;
}

API(cudaChooseDevice, int *device, const void *properties)
{
    (void)properties;
    *device = 0;
    return EXEC_SUCCESS;
}

API(cudaDeviceSynchronize, void)
{
    return RUNTIME_CALL(exec_synchronize_all());
}

API(cudaThreadSynchronize, void)
{
    return RUNTIME_CALL(exec_synchronize_all());
}

API(cudaDeviceReset, void)
{
    last_error = EXEC_SUCCESS;
    return RUNTIME_CALL(exec_reset());
}

API(cudaDriverGetVersion, int *version)
{
    *version = 13000;
    return EXEC_SUCCESS;
}

API(cudaRuntimeGetVersion, int *version)
{
    *version = RUNTIME_VERSION >= 13 ? 13000 : RUNTIME_VERSION == 12 ? 12090 : 11080;
    return EXEC_SUCCESS;
}

static int attribute(int *value, int number, int device)
{
    if (device != 0)
        return EXEC_INVALID_DEVICE;
    return exec_attribute(number, value) ? EXEC_SUCCESS : EXEC_INVALID_VALUE;
}

API(cudaDeviceGetAttribute, int *value, int number, int device)
{
    return RUNTIME_CALL(attribute(value, number, device));
}

/* ---- Properties ---- */

struct device_properties {
    char name[256];
    char uuid[16], luid[8];
    unsigned int luid_mask;
    size_t total_bytes, shared_block;
    int registers_block, warp;
    size_t pitch;
    int threads_block, threads_dimension[3], grid[3];
#if RUNTIME_VERSION < 13
    int clock_rate;
#endif
    size_t constant_bytes;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
#if RUNTIME_VERSION < 13
    int overlap;
#endif
    int sms;
#if RUNTIME_VERSION < 13
    int timeout;
#endif
    int integrated, maps_host;
#if RUNTIME_VERSION < 13
    int compute_mode;
#endif
    int texture_1d, texture_1d_mipmap;
#if RUNTIME_VERSION < 13
    int texture_1d_linear;
#endif
    int texture_2d[2], texture_2d_mipmap[2], texture_2d_linear[3], texture_2d_gather[2];
    int texture_3d[3], texture_3d_alt[3], texture_cube, texture_1d_layered[2];
    int texture_2d_layered[3], texture_cube_layered[2];
    int surface_1d, surface_2d[2], surface_3d[3], surface_1d_layered[2], surface_2d_layered[3];
    int surface_cube, surface_cube_layered[2];
    size_t surface_alignment;
    int concurrent, ecc, pci_bus, pci_device, pci_domain, tcc, copy_engines, unified;
#if RUNTIME_VERSION < 13
    int memory_clock;
#endif
    int bus_width, l2, persisting_l2, threads_sm, priorities, global_l1, local_l1;
    size_t shared_sm;
    int registers_sm, managed, multi_gpu, multi_gpu_group, host_atomics;
#if RUNTIME_VERSION < 13
    int single_to_double;
#endif
    int pageable, concurrent_managed, preemption, registered_address, cooperative;
#if RUNTIME_VERSION < 13
    int cooperative_multi;
#endif
    size_t shared_optin;
    int host_tables, direct_managed, blocks_sm, window;
    size_t shared_reserved;
#if RUNTIME_VERSION >= 12
    int host_register, sparse, host_register_read_only, timeline, pools, rdma;
    unsigned int rdma_flush;
    int rdma_ordering;
    unsigned int pool_handles;
    int deferred, ipc_event, cluster, function_pointers;
#endif
#if RUNTIME_VERSION == 12
    int reserved[63];
#elif RUNTIME_VERSION >= 13
    int numa_config, numa_id, mps, host_numa;
    unsigned int pci_ids[2];
    int numa_ipc, reserved[56];
#endif
};
_Static_assert(sizeof(struct device_properties) == (RUNTIME_VERSION >= 13   ? 1008
                                                    : RUNTIME_VERSION == 12 ? 1032
                                                                            : 728),
               "as in the toolkit of that version");

/* Members that are attributes. Arrays have consecutive numbers. */
#define MEMBER(member, number)                                                                     \
    {                                                                                              \
        offsetof(struct device_properties, member),                                                \
            sizeof((struct device_properties *)NULL)->member, number                               \
    }
static const struct {
    size_t offset, bytes;
    int number;
} members[] = {
    MEMBER(registers_block, 12),
    MEMBER(warp, 10),
    MEMBER(threads_block, 1),
    MEMBER(threads_dimension, 2),
    MEMBER(grid, 5),
    MEMBER(major, 75),
    MEMBER(minor, 76),
    MEMBER(sms, 16),
    MEMBER(maps_host, 19),
    MEMBER(texture_1d, 21),
    MEMBER(texture_1d_mipmap, 77),
    MEMBER(texture_2d, 22),
    MEMBER(texture_2d_mipmap, 73),
    MEMBER(texture_2d_linear, 70),
    MEMBER(texture_2d_gather, 45),
    MEMBER(texture_3d, 24),
    MEMBER(texture_3d_alt, 47),
    MEMBER(texture_cube, 52),
    MEMBER(texture_1d_layered, 42),
    MEMBER(texture_2d_layered, 27),
    MEMBER(texture_cube_layered, 53),
    MEMBER(surface_1d, 55),
    MEMBER(surface_2d, 56),
    MEMBER(surface_3d, 58),
    MEMBER(surface_1d_layered, 61),
    MEMBER(surface_2d_layered, 63),
    MEMBER(surface_cube, 66),
    MEMBER(surface_cube_layered, 67),
    MEMBER(concurrent, 31),
    MEMBER(ecc, 32),
    MEMBER(pci_bus, 33),
    MEMBER(copy_engines, 40),
    MEMBER(unified, 41),
    MEMBER(bus_width, 37),
    MEMBER(l2, 38),
    MEMBER(persisting_l2, 108),
    MEMBER(threads_sm, 39),
    MEMBER(priorities, 78),
    MEMBER(global_l1, 79),
    MEMBER(local_l1, 80),
    MEMBER(registers_sm, 82),
    MEMBER(managed, 83),
    MEMBER(concurrent_managed, 89),
    MEMBER(preemption, 90),
    MEMBER(registered_address, 91),
    MEMBER(cooperative, 95),
    MEMBER(blocks_sm, 106),
    MEMBER(window, 109),
#if RUNTIME_VERSION >= 12
    MEMBER(host_register, 99),
    MEMBER(pools, 115),
    MEMBER(cluster, 120),
#endif
#if RUNTIME_VERSION < 13
    MEMBER(clock_rate, 13),
    MEMBER(overlap, 15),
    MEMBER(texture_1d_linear, 69),
    MEMBER(memory_clock, 36),
    MEMBER(single_to_double, 87),
#endif
};

static size_t size_attribute(int number)
{
    int value = 0;

    exec_attribute(number, &value);
    return (size_t)value;
}

static int properties(struct device_properties *made, int device)
{
    if (device != 0)
        return EXEC_INVALID_DEVICE;
    memset(made, 0, sizeof *made);
    snprintf(made->name, sizeof made->name, "%s", exec_device_name);
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        for (size_t i = 0; i < members[k].bytes / sizeof(int); i++)
            exec_attribute(members[k].number + (int)i,
                           (int *)(void *)((char *)made + members[k].offset) + i);
    made->total_bytes = exec_device_bytes;
    made->shared_block = size_attribute(8);
    made->pitch = size_attribute(11);
    made->constant_bytes = size_attribute(9);
    made->texture_alignment = size_attribute(14);
    made->texture_pitch_alignment = size_attribute(51);
    made->surface_alignment = size_attribute(30);
    made->shared_sm = size_attribute(81);
    made->shared_optin = size_attribute(97);
    made->shared_reserved = size_attribute(111);
    return EXEC_SUCCESS;
}

API(cudaGetDeviceProperties, struct device_properties *made, int device)
{
    return RUNTIME_CALL(properties(made, device));
}

#if RUNTIME_VERSION < 13
API(cudaGetDeviceProperties_v2, struct device_properties *made, int device)
{
    return RUNTIME_CALL(properties(made, device));
}
#endif

API(cudaDeviceGetPCIBusId, char *text, int size, int device)
{
    snprintf(text, (size_t)size, "0000:01:00.0");
    return RUNTIME_CALL(device_zero(device));
}

API(cudaDeviceGetByPCIBusId, int *device, const char *text)
{
    (void)text;
    *device = 0;
    return EXEC_SUCCESS;
}

/* ---- Peers: there is one device ---- */

API(cudaDeviceCanAccessPeer, int *can, int device, int peer)
{
    *can = 0;
    return runtime_note(device == 0 && peer == 0 ? EXEC_SUCCESS : EXEC_INVALID_DEVICE);
}

API(cudaDeviceEnablePeerAccess, int peer, unsigned int flags)
{
    (void)peer, (void)flags;
    return runtime_note(EXEC_INVALID_DEVICE);
}

API(cudaDeviceDisablePeerAccess, int peer)
{
    (void)peer;
    return runtime_note(EXEC_INVALID_DEVICE);
}

/* ---- Limits and settings, which have no effect ---- */

enum { LIMITS = 16 };
static size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 128};

API(cudaDeviceSetLimit, int limit, size_t value)
{
    if (limit < 0 || limit >= LIMITS)
        return runtime_note(EXEC_INVALID_VALUE);
    limits[limit] = value;
    return EXEC_SUCCESS;
}

API(cudaDeviceGetLimit, size_t *value, int limit)
{
    if (limit < 0 || limit >= LIMITS)
        return runtime_note(EXEC_INVALID_VALUE);
    *value = limits[limit];
    return EXEC_SUCCESS;
}

API(cudaDeviceSetCacheConfig, int config)
{
    (void)config;
    return EXEC_SUCCESS;
}

API(cudaDeviceGetCacheConfig, int *config)
{
    *config = 0;
    return EXEC_SUCCESS;
}

API(cudaDeviceSetSharedMemConfig, int config)
{
    (void)config;
    return EXEC_SUCCESS;
}

API(cudaDeviceGetSharedMemConfig, int *config)
{
    *config = 1;
    return EXEC_SUCCESS;
}

API(cudaDeviceGetStreamPriorityRange, int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return EXEC_SUCCESS;
}

API(cudaCtxResetPersistingL2Cache, void)
{
    return EXEC_SUCCESS;
}

API(cudaProfilerStart, void)
{
    return EXEC_SUCCESS;
}

API(cudaProfilerStop, void)
{
    return EXEC_SUCCESS;
}

/* ---- Entry points of the driver ---- */

EXEC_PUBLIC int cuGetProcAddress_v2(const char *name, void **found, int version, uint64_t flags,
                                    int *status);

API(cudaGetDriverEntryPointByVersion, const char *name, void **found, unsigned int version,
    unsigned long long flags, int *status)
{
    cuGetProcAddress_v2(name, found, (int)version, flags, status);
    return EXEC_SUCCESS;
}

static unsigned long long per_thread(unsigned long long flags)
{
    return flags == 0 ? 2 : flags; /* cudaEnablePerThreadDefaultStream */
}

API(cudaGetDriverEntryPointByVersion_ptsz, const char *name, void **found, unsigned int version,
    unsigned long long flags, int *status)
{
    return cudaGetDriverEntryPointByVersion(name, found, version, per_thread(flags), status);
}

#if RUNTIME_VERSION < 12
API(cudaGetDriverEntryPoint, const char *name, void **found, unsigned long long flags)
{
    return cudaGetDriverEntryPointByVersion(name, found, 11000, flags, NULL);
}

API(cudaGetDriverEntryPoint_ptsz, const char *name, void **found, unsigned long long flags)
{
    return cudaGetDriverEntryPointByVersion(name, found, 11000, per_thread(flags), NULL);
}
#else
API(cudaGetDriverEntryPoint, const char *name, void **found, unsigned long long flags, int *status)
{
    return cudaGetDriverEntryPointByVersion(name, found, RUNTIME_VERSION * 1000, flags, status);
}

API(cudaGetDriverEntryPoint_ptsz, const char *name, void **found, unsigned long long flags,
    int *status)
{
    return cudaGetDriverEntryPoint(name, found, per_thread(flags), status);
}
#endif
