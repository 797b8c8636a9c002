/* SPDX-License-Identifier: MIT
 *
 * The hash FNV-1a with 64 bits, by G. Fowler, L. C. Noll and K.-P. Vo:
 * http://www.isthe.com/chongo/tech/comp/fnv/
 */
#ifndef SIMTCHECK_BASE_FNV_H
#define SIMTCHECK_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes. */
#define FNV_OFFSET_BASIS UINT64_C(0xcbf29ce484222325)

/* Adds one number to a hash. FNV proper adds bytes; a larger number is added in one step. */
static inline uint64_t fnv_number(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(0x100000001b3);
}

/* Adds bytes to a hash. */
static inline uint64_t fnv_bytes(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t k = 0; k < count; k++)
        hash = fnv_number(hash, ((const unsigned char *)bytes)[k]);
    return hash;
}

#endif
