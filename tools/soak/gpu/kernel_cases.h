/* SPDX-License-Identifier: MIT
 *
 * Kernels of the catalogue, from the PTX of the build. A kernel becomes a function, which one block
 * calls for each block of the kernel's grid. So each SM runs the whole grid.
 *
 * The kernel's buffers are in an area of the block. Each thread has KERNEL_WORDS words of 64 bits
 * of the inputs, and KERNEL_RESULTS words of the area are compared for each thread.
 */
#ifndef SIMTCHECK_SOAK_KERNEL_CASES_H
#define SIMTCHECK_SOAK_KERNEL_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { KERNEL_WORDS = 16, KERNEL_RESULTS = KERNEL_WORDS + 1, KERNEL_BLOCK = 256 };

/* A buffer, by its offset in the area in bytes, or a size. */
struct kernel_argument {
    const char *name; /* null ends the arguments */
    uint32_t value;   /* the offset, or the largest size */
    uint32_t step;    /* of a size: input k has value - k * step; 0: it is a buffer */
};

struct kernel_case {
    const char *name;
    const struct kernel_argument *arguments;
    uint32_t grid[2];
    uint32_t width; /* of the block, in threads; the rest is its height */
    bool is_float;  /* the elements are float, not int */
};

/* Returns the kernels. There are none if the build has no PTX of them. */
const struct kernel_case *kernel_cases(size_t *count);

/* Returns a word of the inputs: two elements. */
uint64_t kernel_case_operand(const struct kernel_case *kernel, uint32_t number, uint32_t word);

/* Writes which input that is, and which elements a compared word of a thread has. */
void kernel_case_describe(FILE *to, const struct kernel_case *kernel, uint32_t number,
                          uint32_t word);

/* Writes the kernel as a function. */
void kernel_case_function(FILE *to, const struct kernel_case *kernel);

/* Writes PTX that copies the inputs to the area and calls the function for each block. `t` is the
 * thread, `u` the number of its inputs, `i` their address, and `o` that of the thread's part of the
 * area. */
void kernel_case_write(FILE *to, const struct kernel_case *kernel);

#endif
