// SPDX-License-Identifier: MIT
#include "cub_call.h"

#include <cub/device/device_histogram.cuh>

template <typename Element>
static int histogram(void *storage, size_t *storage_bytes, const void *in, void *out, int count)
{
    return cub::DeviceHistogram::HistogramEven(
        storage, *storage_bytes, static_cast<const Element *>(in), static_cast<int *>(out),
        CUB_BINS + 1, Element(0), Element(CUB_BINS_LIMIT), count);
}

const struct cub_call cub_calls[] = {
    {"DeviceHistogram::HistogramEven int32", CUB_HISTOGRAM, CUB_I32, histogram<int>},
    {"DeviceHistogram::HistogramEven int64", CUB_HISTOGRAM, CUB_I64, histogram<long long>},
    {"DeviceHistogram::HistogramEven float", CUB_HISTOGRAM, CUB_F32, histogram<float>},
    {"DeviceHistogram::HistogramEven double", CUB_HISTOGRAM, CUB_F64, histogram<double>},
};
const size_t cub_call_count = sizeof cub_calls / sizeof *cub_calls;
