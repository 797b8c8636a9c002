// SPDX-License-Identifier: MIT
#include "cub_call.h"

#include <cub/device/device_reduce.cuh>

template <typename Element>
static int sum(void *storage, size_t *storage_bytes, const void *in, void *out, int count)
{
    return cub::DeviceReduce::Sum(storage, *storage_bytes, static_cast<const Element *>(in),
                                  static_cast<Element *>(out), count);
}

const struct cub_call cub_calls[] = {
    {"DeviceReduce::Sum int32", CUB_SUM, CUB_I32, sum<int>},
    {"DeviceReduce::Sum int64", CUB_SUM, CUB_I64, sum<long long>},
    {"DeviceReduce::Sum float", CUB_SUM, CUB_F32, sum<float>},
    {"DeviceReduce::Sum double", CUB_SUM, CUB_F64, sum<double>},
};
const size_t cub_call_count = sizeof cub_calls / sizeof *cub_calls;
