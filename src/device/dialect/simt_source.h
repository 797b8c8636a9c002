/* SPDX-License-Identifier: MIT
 *
 * What kernels of anybody's, compiled by the host compiler into a shared object, need from whoever
 * runs them, besides simt.h; and what such an object has to tell.
 */
#ifndef SIMTCHECK_KERNELS_SIMT_SOURCE_H
#define SIMTCHECK_KERNELS_SIMT_SOURCE_H

#include <simtcheck/simt.h>

#ifndef __cplusplus
#include <stdbool.h>
#endif

#pragma GCC visibility push(default) /* as in simt.h */

#ifdef __cplusplus
extern "C" {
#endif

/* A variable of __device__ or __constant__: a row of the section simt_variables. */
struct simt_source_variable {
    const char *name;
    void *address;
    size_t bytes, element_bytes;
    bool constant;
};

/* What a kernel takes: the variable simt_parameters_<name>, which is read from the file. */
enum { SIMT_MAX_PARAMETERS = 128 };
struct simt_parameters {
    uint32_t count;
    struct {
        uint32_t bytes;
        bool is_float, is_pointer;
    } parameters[SIMT_MAX_PARAMETERS];
};

/* The object's variable simt_source_code. Variables lie from `begin` to `end`, whole pages. */
struct simt_source_code {
    const struct simt_kernel *const *kernels, *const *kernels_end;
    const struct simt_source_variable *const *variables, *const *variables_end;
    char *begin, *end;
};

/* Bytes of dynamic shared memory that a launch can ask for: the object's thread-local variable
 * simt_dynamic_window has them. */
enum { SIMT_DYNAMIC_WINDOW = 227 << 10 };

/* Faults unless the kernel's blocks are within its __launch_bounds__(). */
void simt_within_bounds(const struct simt_site *site, uint32_t most_threads);

/* __syncthreads_count(): a barrier of the whole block; of how many of its threads `vote` is true.
 */
uint32_t simt_count_votes(const struct simt_site *site, bool vote);

/* Ticks of clock64(). */
uint64_t simt_ticks(void);

/* assert() and __trap() of a kernel. */
__attribute__((noreturn)) void simt_assertion_failed(const struct simt_site *site,
                                                     const char *assertion);
__attribute__((noreturn)) void simt_trapped(const struct simt_site *site);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
