/* SPDX-License-Identifier: MIT
 *
 * What a shared object of translated kernels has besides them: where they are.
 */
#include "simt_ptx.h"

#define OWN __attribute__((visibility("hidden")))
extern OWN const struct simt_kernel *const __start_simt_kernels[], *const __stop_simt_kernels[];
extern OWN const struct simt_module *const __start_simt_modules[], *const __stop_simt_modules[];
extern OWN const struct simt_place __start_simt_places[] __attribute__((weak)),
    __stop_simt_places[] __attribute__((weak));

const struct simt_code simt_code = {__start_simt_kernels, __stop_simt_kernels, __start_simt_modules,
                                    __stop_simt_modules,  __start_simt_places, __stop_simt_places};
