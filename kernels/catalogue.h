/* SPDX-License-Identifier: MIT
 *
 * The catalogue: one descriptor for each kernel variant. A descriptor says how a kernel is called
 * (buffers, scalars, launch shape), what must come out (its contract) and where (its domain). It
 * holds facts and no code of any engine.
 */
#ifndef SIMTCHECK_KERNELS_CATALOGUE_H
#define SIMTCHECK_KERNELS_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Three-dimensional counts or coordinates, x fastest, as CUDA's dim3 and uint3. */
struct extent {
    uint32_t x, y, z;
};

/* What a user chooses for one case: threads a block, and elements (n; a matrix is nx by ny). */
struct shape {
    struct extent block;
    uint64_t size[2]; /* size[1] is 1 for one dimension */
};

enum element {
    ELEMENT_I32,
};

enum role {
    ROLE_INPUT,  /* filled with the case's values; the kernel must not write it */
    ROLE_INOUT,  /* filled with the case's values; the kernel may work in it */
    ROLE_OUTPUT, /* holds nothing at first; the kernel must write all of it */
};

struct buffer {
    const char *name;
    enum role role;
    enum element element;
    uint64_t count; /* elements */
};

struct argument {
    enum { ARGUMENT_BUFFER, ARGUMENT_U32 } kind;
    uint32_t value; /* ARGUMENT_BUFFER: index into buffers */
};

enum { MAX_BUFFERS = 4, MAX_ARGUMENTS = 8 };

/* One launch from the host, complete but for the contents of its buffers. */
struct invocation {
    const char *kernel; /* name given to EXPORT_KERNEL(); null: the host code launches nothing */
    struct extent grid, block;
    uint32_t shared_bytes; /* dynamic shared memory */
    uint32_t buffer_count, argument_count;
    struct buffer buffers[MAX_BUFFERS];
    struct argument arguments[MAX_ARGUMENTS];
};

/* What an oracle holds the outputs to. */
enum contract {
    CONTRACT_SUM_I32, /* all outputs add up to the sum of all inputs, modulo 2^32 */
};

enum form {
    FORM_PRINTED,
    FORM_TOTAL,
};

struct variant;

/* One condition of a domain. A domain is the conjunction of its conditions. */
struct conjunct {
    const char *text;
    bool (*holds)(const struct variant *variant, const struct shape *shape);
    /* Where it does not hold the result depends on the order in which warps run, so that it may be
     * right under some schedules, and always on a quiet GPU. */
    bool order_dependent;
};

struct variant {
    const char *id; /* the document's name; both forms share it */
    enum form form;
    const char *family; /* names the .cu file */
    const char *kernel; /* name given to EXPORT_KERNEL() */
    const char *source; /* where the document has it */
    enum contract contract;
    uint32_t fold;                 /* elements a thread, U */
    const struct conjunct *domain; /* null for a total form: right everywhere */
    size_t domain_count;
    /* What goes wrong inside the domain under independent threads; null: nothing. The suite
     * verifies it. */
    const char *finding;
    /* Fills `out` for `shape`. Total: defined for every block of 1 to 1024 threads and every size.
     */
    void (*invoke)(const struct variant *variant, const struct shape *shape,
                   struct invocation *out);
};

struct catalogue {
    const struct variant *variants;
    size_t count;
};

extern const struct catalogue simtcheck_catalogue;

/* The variant of that id and form; null when there is none. */
const struct variant *catalogue_find(const struct catalogue *catalogue, const char *id,
                                     enum form form);

/* Bit k is set when the variant's k-th condition does not hold for the shape: 0 is inside. */
uint32_t variant_violations(const struct variant *variant, const struct shape *shape);

const char *form_name(enum form form);
size_t element_size(enum element element);

/* Launch shapes of reductions called as (in, out, n). Printed: ceil(n/B) / U blocks of B threads,
 * by integer division. Total: enough blocks for n, and one, which writes 0, when n is 0. */
void invoke_reduction(const struct variant *variant, const struct shape *shape,
                      struct invocation *out);
void invoke_reduction_total(const struct variant *variant, const struct shape *shape,
                            struct invocation *out);

/* Conditions that many domains share. */
bool shape_has_elements(const struct variant *variant, const struct shape *shape);
bool shape_block_is_power_of_two(const struct variant *variant, const struct shape *shape);
bool shape_size_is_whole_segments(const struct variant *variant, const struct shape *shape);

#ifdef __cplusplus
}
#endif

#endif
