/* SPDX-License-Identifier: MIT
 *
 * The functions of libdevice, NVIDIA's mathematical library for device code: libdevice User's
 * Guide, CUDA 13. Clang compiles calls of CUDA's mathematical functions to calls of these.
 *
 * Results that the CUDA C++ Programming Guide calls exact are exact. The others are the nearest
 * value or a neighbour of it, with an error below 1 ulp, which is within the guide's bounds. The
 * fast functions compute what nvcc makes of them, with the .approx instructions of PTX. NaN results
 * are libdevice's: 0x7fffffff in single precision.
 */
#ifndef SIMTCHECK_PTX_LIBDEVICE_H
#define SIMTCHECK_PTX_LIBDEVICE_H

#include <stdbool.h>
#include <stdint.h>

/* The memory that a call accesses. */
struct libdevice_stores {
    /* The values that the function stores. The caller stores them after the call, with all its
     * checks. */
    unsigned count;
    struct {
        uint64_t address, bits;
        unsigned bytes;
    } store[2];

    /* Reads a value of 4 or 8 bytes, for norm and rnorm, which take arrays. Returns false if the
     * value is unreadable or undefined. The result is then a NaN. May be null. */
    bool (*load)(void *context, uint64_t address, unsigned bytes, uint64_t *bits);
    void *context;
};

/* A function: its name, the PTX types of its result ("" for none) and of its parameters ("f32 f64
 * u64", at most 4), and the code that computes it. A pointer is a generic address: "u64". A half is
 * a "u32", as clang passes it. Arguments and results are raw bits. Bits above the type are ignored
 * in an argument, and zero in a result. */
struct libdevice_function {
    const char *name, *result, *parameters;
    void (*run)(uint64_t *result, const uint64_t *arguments, struct libdevice_stores *stores);
};

/* The functions, sorted by name. */
extern const struct libdevice_function libdevice_functions[];
extern const unsigned libdevice_count;

/* Returns the function of that name, or null if none exists. */
const struct libdevice_function *libdevice_find(const char *name);

#endif
