/* SPDX-License-Identifier: MIT
 *
 * src/device/clang/prelude.h has declared what device code needs. Host code may use the driver API,
 * which only a toolkit declares. Its version is not that of the prelude's runtime API.
 */
#if __has_include_next(<cuda.h>)
#undef CUDA_VERSION
#include_next <cuda.h>
#undef CUDA_VERSION
#define CUDA_VERSION CUDART_VERSION
#endif
