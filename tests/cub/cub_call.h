/* SPDX-License-Identifier: MIT
 *
 * CUB's device-wide algorithms, as test_cub.c calls them. Each program contains those of one .cu
 * file.
 */
#ifndef SIMTCHECK_TESTS_PTX_CUB_CALL_H
#define SIMTCHECK_TESTS_PTX_CUB_CALL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cub_type { CUB_I32, CUB_I64, CUB_F32, CUB_F64 };

enum cub_kind { CUB_SUM, CUB_INCLUSIVE_SUM, CUB_EXCLUSIVE_SUM, CUB_SORT, CUB_HISTOGRAM };

/* Bins of a histogram of int: equal widths from 0 to the limit. */
enum { CUB_BINS = 16, CUB_BINS_LIMIT = 160 };

struct cub_call {
    const char *name; /* algorithm and element type */
    enum cub_kind kind;
    enum cub_type type;
    /* Returns the runtime's error. With null storage it only sets the required number of bytes. */
    int (*call)(void *storage, size_t *storage_bytes, const void *in, void *out, int count);
};

extern const struct cub_call cub_calls[];
extern const size_t cub_call_count;

#ifdef __cplusplus
}
#endif

#endif
