// SPDX-License-Identifier: MIT
#include "cub_call.h"

#include <cub/device/device_radix_sort.cuh>

template <typename Element>
static int sort(void *storage, size_t *storage_bytes, const void *in, void *out, int count)
{
    return cub::DeviceRadixSort::SortKeys(storage, *storage_bytes, static_cast<const Element *>(in),
                                          static_cast<Element *>(out), count);
}

const struct cub_call cub_calls[] = {
    {"DeviceRadixSort::SortKeys int32", CUB_SORT, CUB_I32, sort<int>},
    {"DeviceRadixSort::SortKeys int64", CUB_SORT, CUB_I64, sort<long long>},
    {"DeviceRadixSort::SortKeys float", CUB_SORT, CUB_F32, sort<float>},
    {"DeviceRadixSort::SortKeys double", CUB_SORT, CUB_F64, sort<double>},
};
const size_t cub_call_count = sizeof cub_calls / sizeof *cub_calls;
