/* SPDX-License-Identifier: MIT
 *
 * The catalogue: one descriptor for each kernel variant. A descriptor says how to call a kernel
 * (buffers, scalars, launch shape), what the right result is (its contract), and where the kernel
 * is right (its domain). It holds facts and no code of any engine.
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

/* The parameters of one case: threads of a block, and elements (n; a matrix is nx by ny). */
struct shape {
    struct extent block;
    uint64_t size[2]; /* size[1] is 1 for one dimension */
    uint32_t surplus; /* extra blocks without data, 0 or 1; 1 only if variant_takes() it */
    uint32_t depth;   /* maxDepth, the nesting depth passed to the kernel, up to
                         variant_deepest(); 0 for a kernel without it */
    /* The third and fourth size of a launch with as many, plus 1; 0: the launch has fewer. */
    uint64_t further[2];
};

enum { MAX_SIZES = 4 };

/* Types of elements. Integers have no sign here: the kernel interprets their bits. */
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
    ROLE_OUTPUT,  /* uninitialized; the kernel must write all of it */
    ROLE_LOG,     /* holds zeros at first; the kernel may write all of it */
    ROLE_SCRATCH, /* uninitialized, and not compared afterwards */
    ROLE_INITIAL, /* a variable of the code, initialized as in the code; not compared afterwards */
};

/* The initial contents of an array: whole numbers for every element type. Random values come from
 * the case's seed. */
enum fill {
    FILL_VALUES,      /* the case's values */
    FILL_UNIFORM,     /* from `low` to `high` - 1; a float: any number in between */
    FILL_SORTED,      /* ascending, from `low` to `high` - 1 */
    FILL_PERMUTATION, /* 0 to count - 1, each once */
    FILL_OFFSETS,     /* ascending from 0, the first, to `high`, the last: row offsets */
    FILL_DATA,        /* the buffer's `data` */
    FILL_STRUCTS,     /* structs of `high` bytes, each a copy of those from `low` on in the
                         invocation's `bytes`. A pointer in struct k points to row k */
};

struct buffer {
    const char *name;
    enum role role;
    enum element element;
    uint64_t count;   /* elements */
    uint64_t first;   /* index among the case's values of its first element */
    uint64_t padding; /* number of elements at its end that hold zeros instead */
    enum fill fill;
    int64_t low, high; /* bounds of the fill */
    uint64_t salt;     /* arrays with different salts have different random values */
    const void *data;  /* FILL_DATA: `data_count` elements, at least `count`; owned by the caller */
    uint64_t data_count;
    /* The symbol of its __device__ or __constant__ variable; null: memory passed to the kernels. */
    const char *variable;
    /* The elements of a row: each row has a pointer of its own, and "[]" in the name stands for its
     * index. 0: the buffer is one piece. */
    uint64_t row;
    /* An output whose items may come in any order: the number of elements of an item. 0: the order
     * counts. */
    uint32_t unordered;
    bool is_unsigned; /* reports show its integers without a sign */
    /* Its address in the simulated GPU, below 2^48, as in a capture. 0: any. */
    uint64_t address;
    bool is_raw; /* captured: what looks like a float may be something else */
};

/* A texture or surface object: how kernels see a buffer. */
struct view {
    uint32_t buffer, row; /* it shows that row of the buffer; 0: all, if there are no rows */
    uint32_t next; /* the view of row 1, which those of later rows follow; 0: there is none */
    const char *variable; /* symbol of its variable; null: it is an argument */
    bool is_surface;
    bool is_memory; /* it reads an array that the kernels also reach by pointers */
    bool is_layered, is_cubemap;
    bool is_linear;     /* filters linearly; else it takes the nearest texel */
    bool is_normalized; /* coordinates are from 0 to 1 */
    bool reads_floats;  /* integers become floats from 0 or -1 to 1 */
    bool is_srgb;
    enum view_address { VIEW_CLAMP, VIEW_WRAP, VIEW_MIRROR, VIEW_BORDER } address;
    enum element element;
    bool is_signed;
    uint32_t lanes;      /* components of a texel: 1, 2 or 4 */
    uint32_t dimensions; /* of a layer; 2 of a cubemap */
    uint64_t extent[3];  /* width, height, depth; 1: it has no such dimension */
    uint64_t layers;     /* also the faces of cubemaps */
    uint64_t pitch;      /* bytes from row to row; 0: the rows are adjacent. Of one layer */
};

/* The types of a tensor map's elements, with the numbers of CUtensorMapDataType. */
enum tensor_type {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPES
};

enum { TENSOR_RANK = 5 };

/* The parameters of cuTensorMapEncodeTiled() or cuTensorMapEncodeIm2col(), innermost dimension
 * first. */
struct tensor_map {
    uint32_t buffer; /* its index */
    enum tensor_type type;
    uint32_t rank;
    uint64_t sizes[TENSOR_RANK], strides[TENSOR_RANK - 1]; /* strides in bytes */
    uint32_t box[TENSOR_RANK], steps[TENSOR_RANK];         /* steps: element strides */
    uint32_t swizzle;   /* 0: none, 1: 32 bytes, 2: 64 bytes, 3: 128 bytes */
    uint32_t promotion; /* of L2: 0: none, 1: 64 bytes, 2: 128 bytes, 3: 256 bytes */
    bool is_nan_fill;
    bool is_im2col;
    int32_t lower[TENSOR_RANK - 2], upper[TENSOR_RANK - 2]; /* corners of the bounding box */
    uint32_t channels, pixels;
};

struct argument {
    enum argument_kind {
        ARGUMENT_BUFFER,
        ARGUMENT_VALUE,
        ARGUMENT_BYTES,
        ARGUMENT_VARIABLE,
        ARGUMENT_MAP,
        ARGUMENT_VIEW
    } kind;
    uint64_t value; /* index into buffers, maps or views; or bits, of which the kernel takes the
                       lowest ones that its parameter needs; or an offset in `bytes`; or 0 */
};

enum {
    MAX_BUFFERS = 64,
    MAX_VIEWS = 64,
    MAX_ARGUMENTS = 128,
    MAX_ARGUMENT_BYTES = 4096,
    MAX_LAUNCHES = 8,
    MAX_MAPS = 16
};

/* One launch from the host. */
struct host_launch {
    const char *kernel;
    struct extent grid, block;
    uint32_t shared_bytes;
    bool opts_in;                            /* opts in to more than 48 KiB of shared memory */
    bool is_cooperative;                     /* all its blocks are resident at once */
    struct extent cluster;                   /* blocks of a cluster; 0, 0, 0: those of the kernel */
    bool is_nonportable;                     /* a cluster may have 16 blocks instead of 8 */
    uint32_t first_argument, argument_count; /* of the invocation's arguments */
    uint32_t after;                          /* bit k: it begins only when launch k is complete */
};

/* What a user allows at one place, although it is a failure elsewhere. */
enum allowed {
    ALLOWED_SAME_VALUE,    /* races between writes of one value to that array or variable, or at
                              that line */
    ALLOWED_ORDER,         /* the contents of that array depend on the order of threads */
    ALLOWED_WARP_BARRIERS, /* whole warps wait at different barriers of a block, one at that line */
    ALLOWED_PRINTS,        /* the call of printf() at that line */
    ALLOWANCES
};
enum { MAX_ALLOWED = 8 };

struct allowance_list {
    uint32_t count;
    struct allowance {
        enum allowed what;
        char place[96]; /* the name of an array or variable, or FILE:LINE */
    } all[MAX_ALLOWED];
};

/* Returns the number of the allowance for that place, or MAX_ALLOWED. A place is a name, with or
 * without an index, or FILE:LINE, where FILE may have a folder. `list` may be null. */
uint32_t allowance_find(const struct allowance_list *list, enum allowed what, const char *place);

/* The words of enum allowed; ends with null. Writes an allowance as "order:list". */
extern const char *const allowed_words[ALLOWANCES + 1];
enum { ALLOWANCE_TEXT = 128 };
void allowance_text(const struct allowance *allowance, char text[ALLOWANCE_TEXT]);

/* Returns whether the list allows that at any place. */
bool allowance_has(const struct allowance_list *list, enum allowed what);

/* All that the host launches in a case, without the contents of its buffers. It is one launch, or
 * several, in streams. */
struct invocation {
    const char *kernel; /* name given to EXPORT_KERNEL(); null: the host launches nothing */
    struct extent grid, block;
    uint32_t shared_bytes; /* dynamic shared memory */
    /* Additional dynamic shared memory, which a GPU's engine requests and a simulator does not
     * have. With it, an access past a kernel's shared array does not destroy a GPU's context. */
    uint32_t shared_slack;
    bool opts_in;          /* sets cudaFuncAttributeMaxDynamicSharedMemorySize to shared_bytes */
    bool is_cooperative;   /* the first launch is cooperative */
    struct extent cluster; /* of the first launch */
    bool is_nonportable;
    bool launches; /* its kernels launch kernels */
    bool prints;   /* it prints its log, and the output is compared with the log */
    uint32_t buffer_count, argument_count;
    struct buffer buffers[MAX_BUFFERS];
    struct argument arguments[MAX_ARGUMENTS];
    unsigned char bytes[MAX_ARGUMENT_BYTES] __attribute__((aligned(16))); /* structs by value */
    uint32_t view_count;
    struct view views[MAX_VIEWS];
    uint32_t pointer_count; /* what those bytes lack: buffers, maps and views, and their offsets */
    struct pointer {
        uint32_t at;
        struct argument to;
    } pointers[MAX_ARGUMENTS];
    uint32_t map_count;
    struct tensor_map maps[MAX_MAPS];
    const char *variables[MAX_ARGUMENTS]; /* ARGUMENT_VARIABLE: the symbol of the variable of the
                                             code whose contents argument k is */
    uint32_t more_count;                  /* launches after that one */
    struct host_launch more[MAX_LAUNCHES - 1];
    char refusal[160];                    /* why the launch is impossible; empty: it is possible */
    const struct allowance_list *allowed; /* owned by the caller; null: nothing */
};

/* Returns its k-th launch, from 0 on. */
struct host_launch invocation_launch(const struct invocation *invocation, uint32_t k);

/* Returns the number of the view that struct number `row` has, of those that view k stands for. */
uint32_t invocation_view(const struct invocation *invocation, uint64_t k, uint64_t row);

/* Returns whether every launch begins only when all launches before it are complete, as in one
 * stream. */
bool invocation_is_sequence(const struct invocation *invocation);

/* Returns true if variables of the code are among its buffers. */
bool invocation_has_variables(const struct invocation *invocation);

/* What an oracle checks about the outputs. */
enum contract {
    CONTRACT_SUM,         /* Each output is the sum of its block's segment, and all outputs add
                             up to the sum of all inputs. Ints are modulo 2^32. A float may
                             differ by the rounding of the additions on an element's path.
                             Buffers of zeros hold zeros again. */
    CONTRACT_MATRIX_SUM,  /* output = first input + second input, bit for bit */
    CONTRACT_SPLIT_LANES, /* one of two constants: element i by i mod 2 */
    CONTRACT_SPLIT_WARPS, /* one of two constants: element i by (i / 32) mod 2 */
    CONTRACT_SPLIT_WAYS,  /* element i is i mod k, or 0 if k is 0 */
    CONTRACT_TRIPS,       /* the sum of 0 to k - 1, where k is the lane of element i's thread */
    CONTRACT_WARP_MAP,    /* three outputs: each thread's number in its block, its warp, its lane */
    CONTRACT_HELLO,       /* a log of (depth, block, thread) of all grids, in any order */
    CONTRACT_HELLO_FIRST, /* as HELLO, and a parent's entry precedes its children's */
    CONTRACT_HELLO_NESTED, /* as HELLO_FIRST, and a child's entries precede its launch's */
    CONTRACT_PROGRAM,      /* the results of the variant's program (program.h) */
    CONTRACT_NONE,         /* only races and memory are checked, not the outputs */
    CONTRACT_EXPECTED,     /* the results of the variant's expected(), bit for bit or within its
                              `ulps` */
};

/* The grids that a kernel launches, and that these launch in turn. */
enum launches {
    LAUNCHES_NOTHING,
    LAUNCHES_HALVES,         /* each block launches one of half the threads, from size S to 1 */
    LAUNCHES_HALVES_LIMITED, /* as HALVES, to the depth that the shape gives */
    LAUNCHES_HALF_GRIDS,     /* each grid launches one of half the blocks, from G*B threads to G */
    LAUNCHES_PAIRS,          /* each block launches two, to the depth that the shape gives */
    LAUNCHES_SUMS,           /* each block launches one for half of its segment, to 2 elements */
    LAUNCHES_SUM_GRIDS,      /* each grid launches one for half of every segment */
};

/* A feature that a kernel needs and that not every toolkit or profile has. */
enum need { NEEDS_NOTHING, NEEDS_DEVICE_WAIT, NEEDS_TAIL_LAUNCH };

/* Who goes on only after a child grid has completed, because the launching block waits for it. */
enum waits {
    WAITS_NEVER,  /* nobody: no thread waits */
    WAITS_THREAD, /* the waiting thread */
    WAITS_BLOCK,  /* the whole block: a barrier follows the wait */
};

/* The meaning of the numbers of a size. */
enum sizes {
    SIZES_VECTOR, /* elements, n */
    SIZES_MATRIX, /* columns and rows, nx by ny */
    SIZES_WAYS,   /* elements, n, and branches, k, which elements take in turn */
    SIZES_TREE,   /* blocks that the host launches, G, and a size S that the kernels halve */
};

/* How `soak` runs a kernel: its arguments, by their order. */
enum soak {
    SOAK_NOT,
    SOAK_REDUCTION, /* in, out, n */
    SOAK_ONE_PASS,  /* in, out, n, state */
    SOAK_MAP,       /* c, n */
    SOAK_WARP_MAP,  /* number, warp, lane, n */
    SOAK_MATRICES,  /* A, B, C, nx, ny */
    SOAKS,
};

enum variant_kind {
    VARIANT_ORIGINAL,
    VARIANT_CORRECTED,
};

/* Models, as bits: lanes of a warp in lockstep, independent threads. */
enum { UNDER_LOCKSTEP = 1, UNDER_INDEPENDENT = 2, UNDER_BOTH = 3 };

/* A region that a kernel file marks as a known defect, by the comments "defect: NAME" and "end of
 * defect". The build reads the markers and generates the header defects.h. It has an array
 * defect_NAME for each defect. An array ends with a region without a family. */
struct defect_region {
    const char *family; /* the file's name without .cu */
    int first, last;    /* lines, both included */
    unsigned int sides; /* DEFECT_ONE_SIDE, DEFECT_OTHER_SIDE, or both */
};

enum { DEFECT_ONE_SIDE = 1, DEFECT_OTHER_SIDE = 2, DEFECT_BOTH_SIDES = 3 };

/* A defect inside a domain. The suite verifies that these accesses race and no others do, and that
 * wrong results come from them. */
struct known_defect {
    const char *text;
    unsigned int races; /* models under which accesses race */
    unsigned int order; /* models under which strong accesses do not race but their order matters */
    unsigned int wrong; /* models under which the result may be wrong because of it */
    bool in_registers;  /* nvcc keeps racing values in registers, so the result may be wrong in
                           every order of accesses */
    const char *place;  /* the buffer or variable that the two accesses touch */
    const struct defect_region *regions; /* where the family's file has the accesses: defect_NAME */
};

struct variant;
struct program;
struct launch_text;
struct changed_rows;

/* The outcome of cases where a condition does not hold. */
enum outside {
    OUTSIDE_FAILS,         /* every case fails under some schedule */
    OUTSIDE_FAILS_ON_HOST, /* every case fails under some schedule on the CPU; a GPU may pass it,
                              by the memory next to an array */
    OUTSIDE_MAY_PASS,      /* it depends on the order in which warps run */
};

/* One condition of a domain. */
struct condition {
    const char *text;
    bool (*holds)(const struct variant *variant, const struct shape *shape);
    enum outside outside;
};

enum { MAX_CONDITIONS = 8 };

/* Where an original variant is right: where all of its conditions hold. The array has fewer than
 * MAX_CONDITIONS conditions and ends with one without text. */
struct domain {
    struct condition conditions[MAX_CONDITIONS];
};

extern const struct domain everywhere; /* no condition: the domain of corrected variants */

/* Returns the number of conditions. */
size_t domain_count(const struct domain *domain);

/* A query to an oracle: what must the arrays of a case hold afterwards? */
struct expectation {
    const struct variant *variant;
    const struct shape *shape; /* of the case: size[0] is n, or nx, and size[1] ny */
    uint64_t key;              /* it differs if the values in the arrays differ */
    const struct invocation *invocation;
    /* One array for each buffer of `count` elements, in the order of the launch. It holds the
     * initial values, or zeros for an uninitialized buffer. The oracle overwrites it with the right
     * values, except for inputs, which are not read again. The suite owns the arrays. */
    void *const *arrays;
    /* For simtcheck itself: error bounds of the elements of each array, or null. */
    double *const *bounds;
};

/* What a block of a launch costs at most, according to the kernel's source. */
struct cost {
    uint64_t divergent;       /* branches at which the lanes of a warp diverge */
    uint64_t least_divergent; /* a kernel that shows divergence has at least so many */
    uint64_t lane_numbers;    /* at least so many instructions read the lane from the hardware */
    /* [0] for loads, [1] for stores of global memory: instructions of warps, and the 128-byte lines
     * and 32-byte sectors that each of them touches */
    struct cost_access {
        uint64_t requests, lines, sectors;
    } access[2];
};

struct variant {
    const char *id; /* the textbook's name; both variants share it */
    enum variant_kind kind;
    const char *family; /* names the .cu file */
    const char *kernel; /* name given to EXPORT_KERNEL() */
    const char *source; /* where the textbook has it */
    enum contract contract;
    enum element element;         /* of every buffer */
    uint32_t elements_per_thread; /* elements that a thread adds before the tree, U; 1: none */
    const struct domain *domain;  /* `everywhere` for a corrected variant */
    const struct known_defect
        *known_defect; /* null: race-free inside the domain under both models */
    /* Fills `out` for `shape`. It is defined for every block that variant_takes(), and for every
     * size. */
    void (*invoke)(const struct variant *variant, const struct shape *shape,
                   struct invocation *out);
    uint32_t block_dimensions; /* dimensions of a block, up to 3; 0: one thread does all the work */
    uint32_t size_dimensions;  /* 1, or 2 for a matrix */
    /* For a sum of floats: the most additions on an element's path in the kernel. */
    uint32_t (*height)(const struct variant *variant, const struct shape *shape);
    /* Fills in what the source asserts about the cost of a block whose threads are a power of two
     * and whole warps, and whose elements all exist. Returns false if it asserts nothing about such
     * blocks. Null: about no block. */
    bool (*cost)(const struct variant *variant, const struct shape *shape, struct cost *cost);
    bool adds_all;   /* CONTRACT_SUM: one output, the sum of all inputs */
    uint32_t stores; /* stores of each element by its thread; no others; 0: not checked */
    enum launches launches;
    enum waits waits; /* for a kernel that launches */
    enum need need;
    enum sizes sizes;
    enum soak soak; /* for a kernel that does not race and is right for every size; of rows with
                       one kernel, for the first */
    /* A label of its tests, or null. A reduction is labelled by the order of its last warp:
     * "tail-volatile", "tail-syncthreads", "tail-syncwarp" or "tail-plain". A nested kernel is
     * labelled by whether a launching thread waits for its child: "nested-sync" or
     * "nested-nosync". */
    const char *label;
    const struct program *program;    /* CONTRACT_PROGRAM */
    const struct launch_text *launch; /* of a user's launch: the input of invoke(); else null */
    struct changed_rows *changed;     /* of changed launches: the input of invoke(); else null */
    /* CONTRACT_EXPECTED. `expected` returns false if it cannot decide. The case then fails, unless
     * the oracle may abstain; an abstention checks nothing. Floats may differ by `ulps` units in
     * the last place, or, with `has_bounds`, by the bounds that `expected` fills in. Any NaN equals
     * any other. */
    bool (*expected)(const struct expectation *expectation);
    bool may_abstain;
    uint64_t ulps;
    bool has_bounds;
};

/* A textbook's calculation without a kernel: listed, and tested by the tests of its name. */
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

/* Returns the variant of that id and kind, or null. */
const struct variant *catalogue_find(const struct catalogue *catalogue, const char *id,
                                     enum variant_kind kind);

/* Returns true if the variants are one kernel, with the same launch and the same contract, under
 * two names. */
bool variant_is_same(const struct variant *a, const struct variant *b);

/* Returns true if the variant's file marks a region of its known defect. Also returns true without
 * a known defect, and if the known defect names no place. */
bool variant_marks_known_defect(const struct variant *variant);

/* Returns true if the variant accepts a block and a size with these dimensions, and this
 * surplus. */
bool variant_takes(const struct variant *variant, const struct shape *shape);

/* Returns the block that the host launches for a shape of a row of the catalogue. A kernel may
 * launch half as many threads as the shape's block has. */
struct extent variant_launched_block(const struct variant *variant, const struct shape *shape);

/* Returns the largest B of a variant with one block dimension: with it, the host launches 1024
 * threads. */
uint32_t variant_largest_block(const struct variant *variant);

/* Returns true if the variant handles blocks without data. A corrected variant does. But if grids
 * are halved, a kernel cannot know how many blocks there should be. */
bool variant_takes_surplus(const struct variant *variant);

/* Returns the largest maxDepth of the variant's cases; 0 if its kernel takes none. For a chain of
 * grids it is the 24 levels that the textbook material names. If the number of grids doubles with
 * each level, about 8,000 grids are launched at this depth for each block of the host's grid. */
uint32_t variant_deepest(const struct variant *variant);

/* Returns the threads of a block; the elements of a size. */
uint64_t shape_threads(const struct shape *shape);
uint64_t shape_elements(const struct shape *shape);

/* Return how many sizes the shape has, at least 2, and its k-th one. */
uint32_t shape_size_count(const struct shape *shape);
uint64_t shape_size(const struct shape *shape, uint32_t k);

/* Returns the elements that one block of a reduction adds: U*B, or all if one thread does the
 * work. */
uint64_t variant_segment(const struct variant *variant, const struct shape *shape);

/* Returns a mask: bit k is set if the variant's k-th condition does not hold for the shape. 0 is
 * inside. */
uint32_t variant_violations(const struct variant *variant, const struct shape *shape);

const char *variant_kind_name(enum variant_kind kind);
size_t element_size(enum element element);

/* Returns the bytes of an element of a tensor map. */
uint32_t tensor_type_bytes(enum tensor_type type);
bool element_is_float(enum element element);

/* Writes the name of element i, such as "x[7]" or "rows[1][7]". */
void buffer_place(const struct buffer *buffer, uint64_t i, char *text, size_t size);

/* Returns the bytes of the buffer's contents; and the bytes rounded up to a multiple of 8. */
size_t buffer_bytes(const struct buffer *buffer);
size_t buffer_room(const struct buffer *buffer);

/* Launch shapes of reductions called as (in, out, n).
 * - Original: ceil(n/B) / U blocks of B threads, by integer division.
 * - Corrected: enough blocks for n; if n is 0, one block, which writes 0. */
void invoke_reduction(const struct variant *variant, const struct shape *shape,
                      struct invocation *out);
void invoke_reduction_corrected(const struct variant *variant, const struct shape *shape,
                                struct invocation *out);

/* Arrays of n elements, one thread for each element, called as (outputs ..., n). */
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
