/* SPDX-License-Identifier: MIT
 *
 * The catalogue: one descriptor for each kernel variant. A descriptor says how a kernel is called
 * (buffers, scalars, launch shape), what must come out (its contract) and where (its domain). It
 * holds facts and no code of any engine.
 */
#ifndef SIMTCHECK_CATALOGUE_CATALOGUE_H
#define SIMTCHECK_CATALOGUE_CATALOGUE_H

#include "simt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a user chooses for one case: threads a block, and elements (n; a matrix is nx by ny). */
struct shape {
    struct extent block;
    uint64_t size[2]; /* size[1] is 1 for one dimension */
    uint32_t surplus; /* blocks launched besides, 0 or 1, for which there is no data: only where
                         variant_takes() it */
    uint32_t depth;   /* maxDepth, the nesting depth given to a kernel that is given one, up to
                         variant_deepest(); 0 for every other kernel */
};

/* Of integers, their bits: a sign is the kernel's matter. */
enum element {
    ELEMENT_I32,
    ELEMENT_F32,
    ELEMENT_I8,
    ELEMENT_I16,
    ELEMENT_I64,
    ELEMENT_F16,
    ELEMENT_F64,
    ELEMENT_BF16,
};

enum role {
    ROLE_INPUT,   /* filled with the case's values; the kernel must not write it */
    ROLE_INOUT,   /* filled with the case's values; the kernel may work in it */
    ROLE_OUTPUT,  /* holds nothing at first; the kernel must write all of it */
    ROLE_LOG,     /* holds zeros at first; the kernel may write all of it */
    ROLE_SCRATCH, /* holds nothing at first, and nobody looks at it afterwards */
    ROLE_INITIAL, /* a variable of the code, which holds what that says at first; nobody looks at it
                     afterwards */
};

/* What an array holds at first. Whole numbers, whatever its elements are; those of a case's seed.
 */
enum fill {
    FILL_VALUES,      /* the case's values */
    FILL_UNIFORM,     /* from `low` to `high` - 1; a float: any number in between */
    FILL_SORTED,      /* ascending, from `low` to `high` - 1 */
    FILL_PERMUTATION, /* 0 to count - 1, each once */
    FILL_OFFSETS,     /* ascending from 0, the first, to `high`, the last: where rows begin */
    FILL_DATA,        /* what the buffer's `data` has */
};

struct buffer {
    const char *name;
    enum role role;
    enum element element;
    uint64_t count;   /* elements */
    uint64_t first;   /* which of the case's values its first element holds */
    uint64_t padding; /* so many elements at its end hold zeros instead */
    enum fill fill;
    int64_t low, high; /* of the fill */
    uint64_t salt;     /* random values of arrays with another salt are others */
    const void *data;  /* FILL_DATA: of `data_count` elements, `count` or more; the caller's */
    uint64_t data_count;
    /* The __device__ or __constant__ variable that it is, by its symbol; null: memory that the
     * kernels are given. */
    const char *variable;
};

struct argument {
    enum { ARGUMENT_BUFFER, ARGUMENT_VALUE, ARGUMENT_BYTES } kind;
    uint64_t value; /* index into buffers; or bits, of which the kernel takes as many as its
                       parameter has, from the lowest on; or where in `bytes` they begin */
};

enum { MAX_BUFFERS = 32, MAX_ARGUMENTS = 128, MAX_ARGUMENT_BYTES = 4096, MAX_LAUNCHES = 8 };

/* One launch from the host. */
struct host_launch {
    const char *kernel;
    struct extent grid, block;
    uint32_t shared_bytes;
    bool opts_in; /* to more than 48 KiB of shared memory */
    uint32_t first_argument, argument_count; /* of the invocation's arguments */
};

/* What the host launches in a case, complete but for the contents of its buffers: a launch, or
 * several in one stream, each of which begins when the one before it is complete. */
struct invocation {
    const char *kernel; /* name given to EXPORT_KERNEL(); null: the host code launches nothing */
    struct extent grid, block;
    uint32_t shared_bytes; /* dynamic shared memory */
    /* More dynamic shared memory, which a GPU's engine asks for and a simulator does not have. What
     * a kernel does behind its shared array then costs no context on a GPU. */
    uint32_t shared_slack;
    bool opts_in;  /* cudaFuncAttributeMaxDynamicSharedMemorySize is shared_bytes */
    bool launches; /* kernels in turn */
    bool prints;   /* is asked to print its log: its output is held to that */
    uint32_t buffer_count, argument_count;
    struct buffer buffers[MAX_BUFFERS];
    struct argument arguments[MAX_ARGUMENTS];
    unsigned char bytes[MAX_ARGUMENT_BYTES] __attribute__((aligned(16))); /* structs by value */
    uint32_t pointer_count; /* to buffers, in those bytes: where, and to which */
    struct pointer {
        uint32_t at, buffer;
    } pointers[MAX_ARGUMENTS];
    uint32_t more_count; /* launches after that one */
    struct host_launch more[MAX_LAUNCHES - 1];
    char refusal[160]; /* why there can be no such launch; empty: there can */
};

/* Its k-th launch, from 0 on. */
struct host_launch invocation_launch(const struct invocation *invocation, uint32_t k);

/* Are variables of the code among its buffers? */
bool invocation_has_variables(const struct invocation *invocation);

/* What an oracle holds the outputs to. */
enum contract {
    CONTRACT_SUM,         /* each output is the sum of its block's segment, and all of them that of
                             all inputs: int modulo 2^32, float as near as the additions on an
                             element's way allow. What held zeros at first does so again */
    CONTRACT_MATRIX_SUM,  /* output = first input + second input, to the bit */
    CONTRACT_SPLIT_LANES, /* one of two constants: element i by i mod 2 */
    CONTRACT_SPLIT_WARPS, /* by (i / 32) mod 2 */
    CONTRACT_SPLIT_WAYS,  /* element i is i mod k, or 0 where k is */
    CONTRACT_TRIPS,       /* the sum of 0 to k - 1, where k is the lane of element i's thread */
    CONTRACT_WARP_MAP,    /* three outputs: each thread's number in its block, its warp, its lane */
    CONTRACT_HELLO,       /* a log of (depth, block, thread) of all grids, in any order */
    CONTRACT_HELLO_FIRST, /* likewise, and a parent's entry comes before its children's */
    CONTRACT_HELLO_NESTED, /* and all of a child's before its parent tells of having launched it */
    CONTRACT_PROGRAM,      /* what the variant's program computes (program.h) */
    CONTRACT_NONE,         /* races and memory only: whatever the outputs are */
    CONTRACT_EXPECTED,     /* what the variant's expected() says, to the bit or its `ulps` */
};

/* Which grids a kernel launches, and those in turn. */
enum launches {
    LAUNCHES_NOTHING,
    LAUNCHES_HALVES,         /* each block one of half the threads, from size S to 1 */
    LAUNCHES_HALVES_LIMITED, /* likewise, to the depth that the shape gives */
    LAUNCHES_HALF_GRIDS,     /* each grid one of half the blocks, from G*B threads to G */
    LAUNCHES_PAIRS,          /* each block two, to the depth that the shape gives */
    LAUNCHES_SUMS,           /* each block one for half of its segment, to 2 elements */
    LAUNCHES_SUM_GRIDS,      /* each grid one for half of every segment */
};

/* What a kernel needs of the toolkit or profile that not every one has. */
enum need { NEEDS_NOTHING, NEEDS_DEVICE_WAIT, NEEDS_TAIL_LAUNCH };

/* What the numbers of a size are. */
enum sizes {
    SIZES_VECTOR, /* elements, n */
    SIZES_MATRIX, /* columns and rows, nx by ny */
    SIZES_WAYS,   /* elements, n, and branches that they take in turn, k */
    SIZES_TREE,   /* blocks that the host launches, G, and a size S that the kernels halve */
};

enum variant_kind {
    VARIANT_ORIGINAL,
    VARIANT_CORRECTED,
};

/* Models, as bits: lanes of a warp in lockstep, independent threads. */
enum { UNDER_LOCKSTEP = 1, UNDER_INDEPENDENT = 2, UNDER_BOTH = 3 };

/* A region that a kernel file marks as a known defect, by the comments "defect: NAME" and "end of
 * defect". The build reads the markers and generates the header defects.h, which has an array
 * defect_NAME for each defect. An array ends with a region without a family. */
struct defect_region {
    const char *family; /* the file's name without .cu */
    int first, last;    /* lines, both included */
    unsigned int sides; /* DEFECT_ONE_SIDE, DEFECT_OTHER_SIDE, or both */
};

enum { DEFECT_ONE_SIDE = 1, DEFECT_OTHER_SIDE = 2, DEFECT_BOTH_SIDES = 3 };

/* What goes wrong inside a domain. The suite verifies it: that these accesses race, and no others;
 * and that what comes out wrong does so for them. */
struct known_defect {
    const char *text;
    unsigned int races; /* models under which accesses race */
    unsigned int
        order; /* models under which strong accesses do not race, and their order matters */
    unsigned int wrong; /* models under which the result may be wrong for it */
    bool in_registers;  /* nvcc keeps values that race in registers: as it compiles them, the result
                           may be wrong in every order of accesses */
    const char *place;  /* the buffer or variable that the two accesses touch */
    const struct defect_region *regions; /* where the family's file has the accesses: defect_NAME */
};

struct variant;
struct program;
struct launch_text;
struct changed_rows;

/* What becomes of a case where a condition does not hold. */
enum outside {
    OUTSIDE_FAILS,         /* every one fails under some schedule */
    OUTSIDE_FAILS_ON_HOST, /* likewise; a GPU may let it pass, by what lies next to an array */
    OUTSIDE_MAY_PASS,      /* it depends on the order in which warps run */
};

/* One condition of a domain. */
struct condition {
    const char *text;
    bool (*holds)(const struct variant *variant, const struct shape *shape);
    enum outside outside;
};

enum { MAX_CONDITIONS = 8 };

/* Where a original variant is right: where all of its conditions hold. Fewer than MAX_CONDITIONS of
 * them end with one without text. */
struct domain {
    struct condition conditions[MAX_CONDITIONS];
};

extern const struct domain everywhere; /* no condition: the domain of corrected variants */

/* How many conditions it has. */
size_t domain_count(const struct domain *domain);

/* What is asked of an oracle: what must be in the arrays of a case afterwards. */
struct expectation {
    const struct variant *variant;
    const struct shape *shape; /* of the case: size[0] is n, or nx, and size[1] ny */
    uint64_t key;              /* another one for other values in the arrays */
    const struct invocation *invocation;
    /* One for each buffer, in the order of the launch, of its count elements: what it held at
     * first, and zeros where it held nothing. To be overwritten with what must come out, but for
     * inputs, at which nobody looks again. The suite's. */
    void *const *arrays;
};

struct variant {
    const char *id; /* the textbook's name; both variants share it */
    enum variant_kind kind;
    const char *family; /* names the .cu file */
    const char *kernel; /* name given to EXPORT_KERNEL() */
    const char *source; /* where the textbook has it */
    enum contract contract;
    enum element element;         /* of every buffer */
    uint32_t elements_per_thread; /* that a thread adds up before the tree, U; 1: none */
    const struct domain *domain;  /* `everywhere` for a corrected variant */
    const struct known_defect
        *known_defect; /* null: race-free inside the domain under both models */
    /* Fills `out` for `shape`. Total: defined for every block of 1 to 1024 threads and every size.
     */
    void (*invoke)(const struct variant *variant, const struct shape *shape,
                   struct invocation *out);
    uint32_t block_dimensions; /* that a block may have, up to 3; 0: one thread does it all */
    uint32_t size_dimensions;  /* 1, or 2 for a matrix */
    /* A sum of floats: the most additions that one element goes through inside the kernel. */
    uint32_t (*height)(const struct variant *variant, const struct shape *shape);
    bool adds_all;   /* CONTRACT_SUM: one output, the sum of all inputs */
    uint32_t stores; /* of each element, by its thread, and nothing else; 0: as the kernel likes */
    enum launches launches;
    enum need need;
    enum sizes sizes;
    /* A label of its tests, or null. How the last warp of a reduction is ordered: "tail-volatile",
     * "tail-syncthreads", "tail-syncwarp" or "tail-plain". Whether a launching thread waits for its
     * child: "nested-sync" or "nested-nosync". */
    const char *label;
    const struct program *program;    /* CONTRACT_PROGRAM */
    const struct launch_text *launch; /* of a user's launch: what invoke() reads; else null */
    struct changed_rows *changed;     /* likewise, of launches that are changed */
    /* CONTRACT_EXPECTED. `expected` returns false where it cannot say, and the case then fails,
     * unless it may abstain, which holds the case to nothing. Floats may be so many units in the
     * last place away from it; any NaN is any other. */
    bool (*expected)(const struct expectation *expectation);
    bool may_abstain;
    uint64_t ulps;
};

/* Something a textbook computes without a kernel: listed, and tested by the tests of its name. */
struct calculation {
    const char *id, *family, *source, *domain;
};

struct catalogue {
    const struct variant *variants;
    size_t count;
    const struct calculation *calculations;
    size_t calculation_count;
};

extern const struct catalogue simtcheck_catalogue;

/* The variant of that id and form; null when there is none. */
const struct variant *catalogue_find(const struct catalogue *catalogue, const char *id,
                                     enum variant_kind kind);

/* Are they one kernel, launched alike and held to the same, under two names? */
bool variant_is_same(const struct variant *a, const struct variant *b);

/* Does the variant's file mark a region of the variant's known defect? True without a known defect,
 * and where the known defect names no place. */
bool variant_marks_known_defect(const struct variant *variant);

/* May the variant be run with a block, or a size, of that many dimensions, and that surplus? */
bool variant_takes(const struct variant *variant, const struct shape *shape);

/* Does it tell blocks for which there is no data? A corrected variant does; but where grids are
 * halved, a kernel cannot know how many blocks there should be. */
bool variant_takes_surplus(const struct variant *variant);

/* The largest maxDepth of the variant's cases; 0: its kernel is given none. Of a chain of grids it
 * is the 24 levels that the textbook material names. Where the number of grids doubles with each
 * level, it is the depth at which about 8,000 grids are launched for each block of the host's. */
uint32_t variant_deepest(const struct variant *variant);

/* Threads of a block, elements of a size. */
uint64_t shape_threads(const struct shape *shape);
uint64_t shape_elements(const struct shape *shape);

/* Elements that one block of a reduction adds up: U*B, or all where one thread does it. */
uint64_t variant_segment(const struct variant *variant, const struct shape *shape);

/* Bit k is set when the variant's k-th condition does not hold for the shape: 0 is inside. */
uint32_t variant_violations(const struct variant *variant, const struct shape *shape);

const char *variant_kind_name(enum variant_kind kind);
size_t element_size(enum element element);
bool element_is_float(enum element element);

/* Of the buffer's contents, and with what follows them to a multiple of 8. */
size_t buffer_bytes(const struct buffer *buffer);
size_t buffer_room(const struct buffer *buffer);

/* Launch shapes of reductions called as (in, out, n). Printed: ceil(n/B) / U blocks of B threads,
 * by integer division. Total: enough blocks for n, and one, which writes 0, when n is 0. */
void invoke_reduction(const struct variant *variant, const struct shape *shape,
                      struct invocation *out);
void invoke_reduction_corrected(const struct variant *variant, const struct shape *shape,
                                struct invocation *out);

/* Arrays of n elements, one thread an element, called as (outputs ..., n). */
void invoke_map_corrected(const struct variant *variant, const struct shape *shape,
                          struct invocation *out);

/* A reduction that launches, called as (in, out, B, n). */
void invoke_recursive_corrected(const struct variant *variant, const struct shape *shape,
                                struct invocation *out);

/* Conditions that many domains share. */
bool shape_has_elements(const struct variant *variant, const struct shape *shape);
bool shape_block_is_power_of_two(const struct variant *variant, const struct shape *shape);
bool shape_size_is_whole_segments(const struct variant *variant, const struct shape *shape);

#ifdef __cplusplus
}
#endif

#endif
