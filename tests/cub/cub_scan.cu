// SPDX-License-Identifier: MIT
#include "cub_call.h"

#include <cub/device/device_scan.cuh>

template <typename Element>
static int inclusive(void *storage, size_t *storage_bytes, const void *in, void *out, int count)
{
    return cub::DeviceScan::InclusiveSum(storage, *storage_bytes, static_cast<const Element *>(in),
                                         static_cast<Element *>(out), count);
}

template <typename Element>
static int exclusive(void *storage, size_t *storage_bytes, const void *in, void *out, int count)
{
    return cub::DeviceScan::ExclusiveSum(storage, *storage_bytes, static_cast<const Element *>(in),
                                         static_cast<Element *>(out), count);
}

const struct cub_call cub_calls[] = {
    {"DeviceScan::InclusiveSum int32", CUB_INCLUSIVE_SUM, CUB_I32, inclusive<int>},
    {"DeviceScan::InclusiveSum int64", CUB_INCLUSIVE_SUM, CUB_I64, inclusive<long long>},
    {"DeviceScan::InclusiveSum float", CUB_INCLUSIVE_SUM, CUB_F32, inclusive<float>},
    {"DeviceScan::InclusiveSum double", CUB_INCLUSIVE_SUM, CUB_F64, inclusive<double>},
    {"DeviceScan::ExclusiveSum int32", CUB_EXCLUSIVE_SUM, CUB_I32, exclusive<int>},
    {"DeviceScan::ExclusiveSum int64", CUB_EXCLUSIVE_SUM, CUB_I64, exclusive<long long>},
    {"DeviceScan::ExclusiveSum float", CUB_EXCLUSIVE_SUM, CUB_F32, exclusive<float>},
    {"DeviceScan::ExclusiveSum double", CUB_EXCLUSIVE_SUM, CUB_F64, exclusive<double>},
};
const size_t cub_call_count = sizeof cub_calls / sizeof *cub_calls;
