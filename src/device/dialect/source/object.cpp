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

/* A hash table, for a kernel asks each time; in here, for a place is told by its distance from the
 * start of the object. */
OWN const struct simt_site *simt_site_at(const char *file, int line)
{
    enum { MAX_SITES = 4096 };
    static struct simt_site sites[MAX_SITES];
    size_t at = ((uintptr_t)file / 8 * 31 + (size_t)line) * 2654435761u % MAX_SITES;

    for (size_t tried = 1; sites[at].file != nullptr && tried < MAX_SITES; tried++) {
        if (sites[at].file == file && sites[at].line == line)
            return &sites[at];
        at = (at + 1) % MAX_SITES;
    }
    sites[at] = {file, line, nullptr, 0}; /* of the last one: anew */
    return &sites[at];
}

#define SEEN __attribute__((visibility("default"), used))
SEEN extern const simt_source_code simt_source_code;
const struct simt_source_code simt_source_code = {__start_simt_kernels,   __stop_simt_kernels,
                                                  __start_simt_variables, __stop_simt_variables,
                                                  simt_device_begin,      simt_device_end};

SEEN thread_local char simt_dynamic_window[SIMT_DYNAMIC_WINDOW] __attribute__((aligned(128)));
}
