/* SPDX-License-Identifier: MIT
 *
 * The driver API: the functions in which stream 0 is the default stream of the thread, as the
 * headers of CUDA choose them for `--default-stream per-thread`.
 */
#include "driver.h"

#define FUNCTION EXEC_PER_THREAD_FUNCTION

FUNCTION(cuEventRecord, _ptsz, (void *event, stream_t stream), (event, stream))
FUNCTION(cuStreamWaitEvent, _ptsz, (stream_t stream, void *event, unsigned int flags),
         (stream, event, flags))
FUNCTION(cuStreamSynchronize, _ptsz, (stream_t stream), (stream))
FUNCTION(cuStreamQuery, _ptsz, (stream_t stream), (stream))
FUNCTION(cuStreamIsCapturing, _ptsz, (stream_t stream, int *status), (stream, status))
FUNCTION(cuLaunchKernel, _ptsz,
         (void *function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
          unsigned int by, unsigned int bz, unsigned int shared_bytes, stream_t stream,
          void **arguments, void **extra),
         (function, gx, gy, gz, bx, by, bz, shared_bytes, stream, arguments, extra))
FUNCTION(cuLaunchKernelEx, _ptsz,
         (const void *config, void *function, void **arguments, void **extra),
         (config, function, arguments, extra))
FUNCTION(cuLaunchCooperativeKernel, _ptsz,
         (void *function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
          unsigned int by, unsigned int bz, unsigned int shared_bytes, stream_t stream,
          void **arguments),
         (function, gx, gy, gz, bx, by, bz, shared_bytes, stream, arguments))
FUNCTION(cuLaunchHostFunc, _ptsz, (stream_t stream, void (*function)(void *), void *data),
         (stream, function, data))
FUNCTION(cuMemAllocAsync, _ptsz, (device_pointer * address, size_t bytes, stream_t stream),
         (address, bytes, stream))
FUNCTION(cuMemFreeAsync, _ptsz, (device_pointer address, stream_t stream), (address, stream))
FUNCTION(cuMemcpy, _ptds, (device_pointer to, device_pointer from, size_t bytes), (to, from, bytes))
FUNCTION(cuMemcpyAsync, _ptsz,
         (device_pointer to, device_pointer from, size_t bytes, stream_t stream),
         (to, from, bytes, stream))
FUNCTION(cuMemcpyHtoD_v2, _ptds, (device_pointer to, const void *from, size_t bytes),
         (to, from, bytes))
FUNCTION(cuMemcpyHtoDAsync_v2, _ptsz,
         (device_pointer to, const void *from, size_t bytes, stream_t stream),
         (to, from, bytes, stream))
FUNCTION(cuMemcpyDtoH_v2, _ptds, (void *to, device_pointer from, size_t bytes), (to, from, bytes))
FUNCTION(cuMemcpyDtoHAsync_v2, _ptsz,
         (void *to, device_pointer from, size_t bytes, stream_t stream), (to, from, bytes, stream))
FUNCTION(cuMemcpyDtoD_v2, _ptds, (device_pointer to, device_pointer from, size_t bytes),
         (to, from, bytes))
FUNCTION(cuMemcpyDtoDAsync_v2, _ptsz,
         (device_pointer to, device_pointer from, size_t bytes, stream_t stream),
         (to, from, bytes, stream))
FUNCTION(cuMemcpy2D_v2, _ptds, (const void *given), (given))
FUNCTION(cuMemcpy2DUnaligned_v2, _ptds, (const void *given), (given))
FUNCTION(cuMemcpy2DAsync_v2, _ptsz, (const void *given, stream_t stream), (given, stream))
FUNCTION(cuMemsetD8_v2, _ptds, (device_pointer to, unsigned char value, size_t count),
         (to, value, count))
FUNCTION(cuMemsetD8Async, _ptsz,
         (device_pointer to, unsigned char value, size_t count, stream_t stream),
         (to, value, count, stream))
FUNCTION(cuMemsetD16_v2, _ptds, (device_pointer to, unsigned short value, size_t count),
         (to, value, count))
FUNCTION(cuMemsetD16Async, _ptsz,
         (device_pointer to, unsigned short value, size_t count, stream_t stream),
         (to, value, count, stream))
FUNCTION(cuMemsetD32_v2, _ptds, (device_pointer to, unsigned int value, size_t count),
         (to, value, count))
FUNCTION(cuMemsetD32Async, _ptsz,
         (device_pointer to, unsigned int value, size_t count, stream_t stream),
         (to, value, count, stream))
FUNCTION(cuGetProcAddress_v2, _ptsz,
         (const char *name, void **found, int version, uint64_t flags, int *status),
         (name, found, version, flags == 0 ? 2 : flags, status))
FUNCTION(cuMemcpy3D_v2, _ptds, (const void *given), (given))
FUNCTION(cuMemcpy3DAsync_v2, _ptsz, (const void *given, stream_t stream), (given, stream))
FUNCTION(cuMemcpyHtoA_v2, _ptds, (void *to, size_t offset, const void *from, size_t bytes),
         (to, offset, from, bytes))
FUNCTION(cuMemcpyHtoAAsync_v2, _ptsz,
         (void *to, size_t offset, const void *from, size_t bytes, stream_t stream),
         (to, offset, from, bytes, stream))
FUNCTION(cuMemcpyAtoH_v2, _ptds, (void *to, void *from, size_t offset, size_t bytes),
         (to, from, offset, bytes))
FUNCTION(cuMemcpyAtoHAsync_v2, _ptsz,
         (void *to, void *from, size_t offset, size_t bytes, stream_t stream),
         (to, from, offset, bytes, stream))
FUNCTION(cuMemcpyDtoA_v2, _ptds, (void *to, size_t offset, device_pointer from, size_t bytes),
         (to, offset, from, bytes))
FUNCTION(cuMemcpyAtoD_v2, _ptds, (device_pointer to, void *from, size_t offset, size_t bytes),
         (to, from, offset, bytes))
FUNCTION(cuMemcpyAtoA_v2, _ptds,
         (void *to, size_t to_offset, void *from, size_t from_offset, size_t bytes),
         (to, to_offset, from, from_offset, bytes))
