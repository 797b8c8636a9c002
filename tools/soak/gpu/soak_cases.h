/* SPDX-License-Identifier: MIT
 *
 * The kernels of `soak`. There is one for each arithmetic, atomic and matrix instruction of PTX,
 * and for each kernel of the catalogue. It runs it on many operands and compares the results with
 * the expected ones.
 */
#ifndef SIMTCHECK_SOAK_CASES_H
#define SIMTCHECK_SOAK_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SOAK_TUPLES = 2048, /* operands of each instruction; a multiple of SOAK_BLOCK */
    SOAK_BLOCK = 256,
    SOAK_MAX_WORDS = 32,
    SOAK_MAX_RESULTS = 64,
    SOAK_MAX_RECORDS = 8192,
};

/* What is run: one of the pointers is not null. */
struct soak_case {
    const struct instruction_case *instruction;
    const struct matrix_case *matrix;
    const struct group_case *group;
    const struct atomic_case *atomic;
    const struct kernel_case *kernel;
    const char *opcode;      /* or the kernel's name */
    uint32_t words, results; /* of a tuple */
    uint32_t turn;           /* tuples by which they rotate over the threads in each round */
    bool is_approximate;
};

/* Cases whose kernels are compiled together. */
struct soak_module {
    const char *name;
    struct soak_case *cases;
    size_t count, first; /* first: number of its first case in all modules */
    bool needs_90a;      /* has instructions that only sm_90a has */
    bool shares_kernel;  /* the kernel of the first case runs all: they compile faster */
    const char *absent;  /* why the build has none of these cases; null: it has them */
};

/* Lists every `step`-th case of each module, from the case with index `first` on. The list lives
 * until the program ends. */
const struct soak_module *soak_modules(size_t first, size_t step, size_t *count);

/* Returns the module's PTX, which the caller frees. `sm` is the register that has the number of the
 * SM. */
char *soak_module_text(const struct soak_module *module, const char *sm);
/* Returns the number of the kernel that runs the case of that number, and writes its name. */
size_t soak_kernel(const struct soak_module *module, size_t number);
void soak_kernel_name(size_t kernel, char name[32]);

/* Makes the operands of that number. */
void soak_tuple(const struct soak_case *one, uint32_t number, uint64_t tuple[SOAK_MAX_WORDS]);
/* Writes them as text, such as "f32:3f800000 f32:40000000". For a kernel of the catalogue, the text
 * names the input, and the elements in that word of the results. */
void soak_tuple_text(const struct soak_case *one, uint32_t number, uint32_t word, char *text,
                     size_t size);

/* Parameters of a kernel. Thread t of block b starts with tuple t + b * block_step, and goes on in
 * steps of `stride`. `first` rotates the tuples over the threads. Each thread has its place for the
 * results of a tuple in `scratch`. */
struct soak_parameters {
    uint64_t tuples, expected, scratch, report;
    uint32_t first, block_step, stride;
    uint32_t tally;   /* offset in the report: of the case's tallies */
    uint32_t number;  /* of the case */
    uint32_t planted; /* SM that has a wrong result, as a test of the reports; else ~0 */
};

/* The report begins with the number of differences, in 64 bytes. Then come the first of them, as
 * struct soak_difference. Then comes a struct soak_tally for each case and SM. */
struct soak_difference {
    uint32_t number, sm, tuple, word;
    uint64_t computed, expected;
};
struct soak_tally {
    uint64_t tuples, different; /* different: words */
};
enum { SOAK_TALLIES = 64 + SOAK_MAX_RECORDS * (int)sizeof(struct soak_difference) };

#endif
