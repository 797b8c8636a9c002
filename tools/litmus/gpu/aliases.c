/* SPDX-License-Identifier: MIT */
#include "aliases.h"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

/* Finds a function of the driver, which the program is not linked with. */
static bool find(const char *name, void *function)
{
    enum cudaDriverEntryPointQueryResult found;

    return cudaGetDriverEntryPointByVersion(name, (void **)function, 10020, cudaEnableDefault,
                                            &found) == cudaSuccess &&
           found == cudaDriverEntryPointSuccess;
}

bool aliases_allocate(size_t size, size_t count, void **memory)
{
    const CUmemLocation device = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
    const CUmemAllocationProp kind = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = device};
    const CUmemAccessDesc access = {device, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    PFN_cuMemCreate_v10020 create;
    PFN_cuMemAddressReserve_v10020 reserve;
    PFN_cuMemMap_v10020 map;
    PFN_cuMemSetAccess_v10020 set_access;
    CUmemGenericAllocationHandle handle;
    CUdeviceptr address;

    if (!find("cuMemCreate", &create) || !find("cuMemAddressReserve", &reserve) ||
        !find("cuMemMap", &map) || !find("cuMemSetAccess", &set_access) ||
        create(&handle, size, &kind, 0) != CUDA_SUCCESS ||
        reserve(&address, count * size, 0, 0, 0) != CUDA_SUCCESS)
        return false;
    for (size_t k = 0; k < count; k++)
        if (map(address + k * size, size, 0, handle, 0) != CUDA_SUCCESS)
            return false;
    *memory = (void *)address;
    return set_access(address, count * size, &access, 1) == CUDA_SUCCESS;
}
