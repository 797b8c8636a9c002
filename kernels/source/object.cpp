/* SPDX-License-Identifier: MIT
 *
 * What a shared object of kernels from source has besides them: where they are, and room for
 * dynamic shared memory. Linked last, so that this room lies behind all shared arrays.
 */
#include "simt_source.h"

extern "C" {

#define OWN __attribute__((visibility("hidden")))
extern OWN const simt_kernel *const __start_simt_kernels[], *const __stop_simt_kernels[];
extern OWN const simt_source_variable *const __start_simt_variables[] __attribute__((weak)),
    *const __stop_simt_variables[] __attribute__((weak));
extern OWN char simt_device_begin[], simt_device_end[]; /* object.ld */

#define SEEN __attribute__((visibility("default"), used))
SEEN extern const simt_source_code simt_source_code;
const struct simt_source_code simt_source_code = {__start_simt_kernels,   __stop_simt_kernels,
                                                  __start_simt_variables, __stop_simt_variables,
                                                  simt_device_begin,      simt_device_end};

SEEN thread_local char simt_dynamic_window[SIMT_DYNAMIC_WINDOW] __attribute__((aligned(128)));
}
