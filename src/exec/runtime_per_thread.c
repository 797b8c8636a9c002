/* SPDX-License-Identifier: MIT
 *
 * The CUDA runtime: the functions in which stream 0 is the default stream of the thread, as the
 * headers of CUDA choose them for `--default-stream per-thread`.
 */
#include "runtime.h"

#define FUNCTION EXEC_PER_THREAD_FUNCTION

FUNCTION(__cudaLaunchKernel, _ptsz,
         (void *kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared_bytes,
          stream_t stream),
         (kernel, grid, block, arguments, shared_bytes, stream))
FUNCTION(cudaLaunchKernel, _ptsz,
         (const void *function, struct dim3 grid, struct dim3 block, void **arguments,
          size_t shared_bytes, stream_t stream),
         (function, grid, block, arguments, shared_bytes, stream))
FUNCTION(cudaLaunchCooperativeKernel, _ptsz,
         (const void *function, struct dim3 grid, struct dim3 block, void **arguments,
          size_t shared_bytes, stream_t stream),
         (function, grid, block, arguments, shared_bytes, stream))
FUNCTION(cudaLaunchKernelExC, _ptsz,
         (const struct launch_config *config, const void *function, void **arguments),
         (config, function, arguments))
FUNCTION(cudaLaunchHostFunc, _ptsz, (stream_t stream, void (*function)(void *), void *data),
         (stream, function, data))
FUNCTION(cudaStreamAddCallback, _ptsz,
         (stream_t stream, void (*function)(stream_t, int, void *), void *data, unsigned int flags),
         (stream, function, data, flags))
FUNCTION(cudaGraphLaunch, _ptsz, (void *made, stream_t stream), (made, stream))
FUNCTION(cudaGraphUpload, _ptsz, (void *made, stream_t stream), (made, stream))
FUNCTION(cudaEventRecord, _ptsz, (void *event, stream_t stream), (event, stream))
FUNCTION(cudaEventRecordWithFlags, _ptsz, (void *event, stream_t stream, unsigned int flags),
         (event, stream, flags))
FUNCTION(cudaStreamWaitEvent, _ptsz, (stream_t stream, void *event, unsigned int flags),
         (stream, event, flags))
FUNCTION(cudaStreamSynchronize, _ptsz, (stream_t stream), (stream))
FUNCTION(cudaStreamQuery, _ptsz, (stream_t stream), (stream))
FUNCTION(cudaStreamBeginCapture, _ptsz, (stream_t stream, int mode), (stream, mode))
FUNCTION(cudaStreamEndCapture, _ptsz, (stream_t stream, void **graph), (stream, graph))
FUNCTION(cudaStreamIsCapturing, _ptsz, (stream_t stream, int *status), (stream, status))
FUNCTION(cudaStreamGetFlags, _ptsz, (stream_t stream, unsigned int *flags), (stream, flags))
FUNCTION(cudaStreamGetPriority, _ptsz, (stream_t stream, int *priority), (stream, priority))
FUNCTION(cudaStreamGetId, _ptsz, (stream_t stream, unsigned long long *id), (stream, id))
FUNCTION(cudaStreamGetDevice, _ptsz, (stream_t stream, int *device), (stream, device))
FUNCTION(cudaStreamSetAttribute, _ptsz, (stream_t stream, int id, const void *value),
         (stream, id, value))
FUNCTION(cudaStreamCopyAttributes, _ptsz, (stream_t to, stream_t from), (to, from))
FUNCTION(cudaStreamAttachMemAsync, _ptsz,
         (stream_t stream, void *address, size_t bytes, unsigned int flags),
         (stream, address, bytes, flags))
FUNCTION(cudaMallocAsync, _ptsz, (void **address, size_t bytes, stream_t stream),
         (address, bytes, stream))
FUNCTION(cudaMallocFromPoolAsync, _ptsz,
         (void **address, size_t bytes, void *pool, stream_t stream),
         (address, bytes, pool, stream))
FUNCTION(cudaFreeAsync, _ptsz, (void *address, stream_t stream), (address, stream))
FUNCTION(cudaMemcpy, _ptds, (void *to, const void *from, size_t bytes, int kind),
         (to, from, bytes, kind))
FUNCTION(cudaMemcpyAsync, _ptsz,
         (void *to, const void *from, size_t bytes, int kind, stream_t stream),
         (to, from, bytes, kind, stream))
FUNCTION(cudaMemcpy2D, _ptds,
         (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
          size_t height, int kind),
         (to, to_pitch, from, from_pitch, width, height, kind))
FUNCTION(cudaMemcpy2DAsync, _ptsz,
         (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
          size_t height, int kind, stream_t stream),
         (to, to_pitch, from, from_pitch, width, height, kind, stream))
FUNCTION(cudaMemcpy3D, _ptds, (const struct copy_3d *copied), (copied))
FUNCTION(cudaMemcpy3DAsync, _ptsz, (const struct copy_3d *copied, stream_t stream),
         (copied, stream))
FUNCTION(cudaMemcpyToSymbol, _ptds,
         (const void *symbol, const void *from, size_t bytes, size_t offset, int kind),
         (symbol, from, bytes, offset, kind))
FUNCTION(cudaMemcpyToSymbolAsync, _ptsz,
         (const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
          stream_t stream),
         (symbol, from, bytes, offset, kind, stream))
FUNCTION(cudaMemcpyFromSymbol, _ptds,
         (void *to, const void *symbol, size_t bytes, size_t offset, int kind),
         (to, symbol, bytes, offset, kind))
FUNCTION(cudaMemcpyFromSymbolAsync, _ptsz,
         (void *to, const void *symbol, size_t bytes, size_t offset, int kind, stream_t stream),
         (to, symbol, bytes, offset, kind, stream))
FUNCTION(cudaMemset, _ptds, (void *to, int value, size_t bytes), (to, value, bytes))
FUNCTION(cudaMemsetAsync, _ptsz, (void *to, int value, size_t bytes, stream_t stream),
         (to, value, bytes, stream))
FUNCTION(cudaMemset2D, _ptds, (void *to, size_t pitch, int value, size_t width, size_t height),
         (to, pitch, value, width, height))
FUNCTION(cudaMemset2DAsync, _ptsz,
         (void *to, size_t pitch, int value, size_t width, size_t height, stream_t stream),
         (to, pitch, value, width, height, stream))
FUNCTION(cudaMemset3D, _ptds, (struct pitched_pointer to, int value, struct extent3 extent),
         (to, value, extent))
FUNCTION(cudaMemset3DAsync, _ptsz,
         (struct pitched_pointer to, int value, struct extent3 extent, stream_t stream),
         (to, value, extent, stream))
FUNCTION(cudaMemcpyToArray, _ptds,
         (struct exec_array * to, size_t x, size_t y, const void *from, size_t bytes, int kind),
         (to, x, y, from, bytes, kind))
FUNCTION(cudaMemcpyToArrayAsync, _ptsz,
         (struct exec_array * to, size_t x, size_t y, const void *from, size_t bytes, int kind,
          stream_t stream),
         (to, x, y, from, bytes, kind, stream))
FUNCTION(cudaMemcpyFromArray, _ptds,
         (void *to, struct exec_array *from, size_t x, size_t y, size_t bytes, int kind),
         (to, from, x, y, bytes, kind))
FUNCTION(cudaMemcpyFromArrayAsync, _ptsz,
         (void *to, struct exec_array *from, size_t x, size_t y, size_t bytes, int kind,
          stream_t stream),
         (to, from, x, y, bytes, kind, stream))
FUNCTION(cudaMemcpyArrayToArray, _ptds,
         (struct exec_array * to, size_t to_x, size_t to_y, struct exec_array *from, size_t from_x,
          size_t from_y, size_t bytes, int kind),
         (to, to_x, to_y, from, from_x, from_y, bytes, kind))
FUNCTION(cudaMemcpy2DToArray, _ptds,
         (struct exec_array * to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
          size_t height, int kind),
         (to, x, y, from, pitch, width, height, kind))
FUNCTION(cudaMemcpy2DToArrayAsync, _ptsz,
         (struct exec_array * to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
          size_t height, int kind, stream_t stream),
         (to, x, y, from, pitch, width, height, kind, stream))
FUNCTION(cudaMemcpy2DFromArray, _ptds,
         (void *to, size_t pitch, struct exec_array *from, size_t x, size_t y, size_t width,
          size_t height, int kind),
         (to, pitch, from, x, y, width, height, kind))
FUNCTION(cudaMemcpy2DFromArrayAsync, _ptsz,
         (void *to, size_t pitch, struct exec_array *from, size_t x, size_t y, size_t width,
          size_t height, int kind, stream_t stream),
         (to, pitch, from, x, y, width, height, kind, stream))
FUNCTION(cudaMemcpy2DArrayToArray, _ptds,
         (struct exec_array * to, size_t to_x, size_t to_y, struct exec_array *from, size_t from_x,
          size_t from_y, size_t width, size_t height, int kind),
         (to, to_x, to_y, from, from_x, from_y, width, height, kind))

#if RUNTIME_VERSION < 12
FUNCTION(cudaStreamGetCaptureInfo, _ptsz, (stream_t stream, int *status, unsigned long long *id),
         (stream, status, id))
#endif

#if RUNTIME_VERSION >= 13
FUNCTION(cudaStreamGetCaptureInfo, _ptsz,
         (stream_t stream, int *status, unsigned long long *id, void **graph, void **last,
          const void **edges, size_t *count),
         (stream, status, id, graph, last, edges, count))
FUNCTION(cudaMemPrefetchAsync, _ptsz,
         (const void *address, size_t bytes, struct location where, unsigned int flags,
          stream_t stream),
         (address, bytes, where, flags, stream))
#else
FUNCTION(cudaStreamGetCaptureInfo_v3, _ptsz,
         (stream_t stream, int *status, unsigned long long *id, void **graph, void **last,
          const void **edges, size_t *count),
         (stream, status, id, graph, last, edges, count))
FUNCTION(cudaMemPrefetchAsync_v2, _ptsz,
         (const void *address, size_t bytes, struct location where, unsigned int flags,
          stream_t stream),
         (address, bytes, where, flags, stream))
FUNCTION(cudaStreamGetCaptureInfo_v2, _ptsz,
         (stream_t stream, int *status, unsigned long long *id, void **graph, void **last,
          size_t *count),
         (stream, status, id, graph, last, count))
FUNCTION(cudaMemPrefetchAsync, _ptsz,
         (const void *address, size_t bytes, int device, stream_t stream),
         (address, bytes, device, stream))
#endif
