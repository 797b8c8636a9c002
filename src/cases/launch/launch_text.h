/* SPDX-License-Identifier: MIT
 *
 * A launch as its user writes it:
 *
 *     saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])
 *
 * It has the syntax of CUDA, with types and sizes where CUDA has pointers. n, or nx and ny, is the
 * size of a case; or the sizes have names of the user's. B, if it is used, is the number of threads
 * of a block. Other names and terms are constants of the code, which its compiler computes.
 * Launches are separated by ';' and may name arrays of earlier launches. They run one after the
 * other, unless they are in different streams:
 *
 *     a<<<n, 32, 0, s>>>(x); cudaEventRecord(done, s); cudaStreamWaitEvent(t, done);
 *     b<<<n, 32, 0, t>>>(x)
 *
 * An array may also be declared separately:
 *
 *     in float weights[9]; blur<<<n, 9>>>(...)
 *
 * If no launch has it as an argument, it is a variable of the code, __constant__ or __device__.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_TEXT_H
#define SIMTCHECK_CASES_LAUNCH_TEXT_H

#include "case.h"
#include "expression.h"
#include "launch_image.h"
#include "launch_textures.h"
#include "launch_types.h"
#include "reference.h"

#include <time.h>

enum { MAX_ARRAYS = 32, MAX_NUMBERS = 192 };

/* Numbers of the launch: sizes of arrays, and options of tensor maps. */
struct launch_numbers {
    uint32_t first, count;
};

/* An array of the launch. One with members is an array of structs, or of pointers, whose struct has
 * one member. A struct's member points to the row of its index in the member's array. */
struct launch_array {
    char name[64];
    enum role role;
    struct launch_type type;
    struct expression count;
    struct launch_numbers sizes; /* of its dimensions, whose product is the count */
    bool has_rows;               /* it consists of that many rows of `count` elements */
    struct expression rows;
    uint32_t members, first; /* of its structs, as in launch_argument */
    uint32_t bytes;          /* of a struct */
    bool has_pointers;       /* its members are pointers, without a struct */
    bool is_unordered;       /* its elements may come in any order */
    bool is_opaque;          /* kernels reach it only by texture and surface objects */
    enum fill fill;
    struct expression low, high; /* parameters of the fill */
    char file[512];              /* FILL_DATA: the file with its contents */
    const void *data;            /* the contents, after they have been read */
    uint64_t data_count;         /* number of elements */
    struct timespec modified;    /* the time of the file's last change; 0 before it is loaded */
    bool is_variable;            /* it is a variable of the code, named `symbol` */
    const char *symbol;
};

enum scalar_type { SCALAR_INTEGER, SCALAR_F32, SCALAR_F64, SCALAR_F16, SCALAR_BF16 };

/* A member of a struct: a number, a pointer to an array, a tensor map or a view. */
struct launch_member {
    bool is_array, is_map, is_view;
    uint32_t array; /* the index of the array, the map or the view */
    enum element element;
    struct expression value;
    uint32_t count;  /* more than 1: an array in the struct */
    uint32_t offset; /* offset in the struct */
};

/* Options of a tensor map: lists of numbers, and words. */
enum map_list {
    MAP_DIMS,
    MAP_STRIDES,
    MAP_BOX,
    MAP_STEPS,
    MAP_LOWER,
    MAP_UPPER,
    MAP_CHANNELS,
    MAP_PIXELS,
    MAP_LISTS
};
enum map_word { MAP_SWIZZLE, MAP_L2, MAP_FILL, MAP_TYPE, MAP_WORDS };

/* The size of a CUtensorMap, and since CUDA 13 its alignment, which was half of that before. */
enum { MAP_BYTES = 128 };

struct launch_map {
    uint32_t array; /* its index */
    struct launch_numbers lists[MAP_LISTS];
    int8_t words[MAP_WORDS]; /* values of enum tensor_type and members of struct tensor_map; -1:
                                the type of the array */
};

struct launch_argument {
    bool is_array, is_map, is_view;
    uint32_t array;          /* the index of the array, the map or the view */
    uint32_t members, first; /* of a struct: the number and the first of its members; else 0 */
    uint32_t bytes;          /* size of a struct, or of a number's parameter once it is bound */
    struct expression value;
    enum scalar_type type; /* of a number's parameter */
    char given[32];        /* the variable in the loaded code that holds the argument; or "" */
};

/* One launch. Its names are kept (reader.h). */
struct launch_call {
    const char *kernel; /* with template arguments, in C++ syntax */
    const char *symbol; /* its name in the loaded code */
    struct expression grid[3], block[3], shared_bytes;
    bool opts_in;        /* uses more than 48 KiB of shared memory */
    bool is_cooperative; /* as by cudaLaunchCooperativeKernel() */
    bool has_cluster;    /* as by cudaLaunchAttributeClusterDimension */
    bool is_nonportable; /* as by cudaFuncAttributeNonPortableClusterSizeAllowed */
    struct expression cluster[3];
    uint32_t first_argument, argument_count;
    const char *unused; /* a variable that the kernel reads, of a dimension that is not launched */
    const char
        *unlike; /* a clause about an array whose type is not that of its parameter; or null */
    uint32_t after;     /* bit k: it begins only when call k is complete */
};

struct launch_text {
    uint32_t call_count, array_count, view_count, argument_count, member_count, map_count,
        number_count;
    struct launch_call calls[MAX_LAUNCHES];
    struct size_names sizes;
    struct expression_names names; /* of its expressions */
    struct launch_name {           /* what each of them means */
        enum { NAME_CONSTANT, NAME_SIZE, NAME_FILE } kind;
        uint32_t index;      /* NAME_SIZE: of the size; NAME_FILE: of the array with that file */
        struct number value; /* NAME_CONSTANT: its value, after the code has been compiled;
                                NUMBER_NONE: it is no number, but a function or an object */
    } name[MAX_NAMES];
    uint32_t place; /* among the launches that are compiled together */
    struct reference reference;
    struct allowance_list allowed;
    char captured[512];         /* the image of a captured launch, which is all of it; or "" */
    struct launch_image *image; /* the image, in the row of a catalogue */
    struct launch_array arrays[MAX_ARRAYS];
    struct launch_view views[MAX_ARRAYS];
    struct launch_argument arguments[MAX_ARGUMENTS];
    struct launch_member members[MAX_ARGUMENTS];
    struct launch_map maps[MAX_MAPS];
    struct expression numbers[MAX_NUMBERS];
};

/* Adds a number to a list, whose numbers are added one after the other. Returns false with the
 * reader's error if there are too many. */
bool launch_add_number(struct reader *reader, struct launch_text *launch,
                       struct launch_numbers *list, const struct expression *number);

/* Parses the text. If `sizes` has names, they are the sizes of a case, instead of n, nx and ny. On
 * failure returns false. *column is then the position of the error, starting at 1, and `error` says
 * what is expected. */
bool launch_parse(const char *text, const struct size_names *sizes, struct launch_text *launch,
                  size_t *column, char *error, size_t error_size);

/* Reads a further argument, in C++, and adds it to the last launch call. Returns false with an
 * error message in `error`. */
bool launch_add_argument(struct launch_text *launch, uint32_t call, const char *text, char *error,
                         size_t error_size);

/* Sets the offsets of the members in their struct for that alignment of tensor maps, and returns
 * its size. */
uint32_t launch_lay_out(struct launch_text *launch, uint32_t first, uint32_t members,
                        uint32_t map_alignment);

/* Returns whether the launch depends on that variable, such as VARIABLE_B. */
bool launch_has(const struct launch_text *launch, enum variable variable);

/* Returns whether the variant is a captured launch, whose shape and memory are fixed. */
bool launch_is_captured(const struct variant *variant);

/* Returns whether the launch depends on the size of a case. */
bool launch_has_size(const struct launch_text *launch);

/* Returns whether something that must be a number depends on that name, which is none. */
bool launch_computes_with(const struct launch_text *launch, uint32_t name);

/* Returns the constant of the code that the argument is, alone, or MAX_NAMES. */
uint32_t launch_constant(const struct launch_text *launch, const struct launch_argument *argument);

/* Copies the values of constants from a launch of the same code. Returns false if that one lacks a
 * constant. */
bool launch_copy_constants(struct launch_text *launch, const struct launch_text *from);

/* Returns whether the expression is a float. Constants must have their values, or are integers. */
bool launch_is_floating(const struct launch_text *launch, const struct expression *expression);

/* Returns how many sizes a case has. */
uint32_t launch_size_dimensions(const struct launch_text *launch);

/* Loads the files of arrays. A process loads each file once and keeps it. Returns false with an
 * error message in `error`, also if a file has changed since another process loaded the launch. */
bool launch_load_files(struct launch_text *launch, char *error, size_t error_size);

/* Checks that the files have not changed since they were loaded. Returns false with an error
 * message in `error`. */
bool launch_files_are_same(const struct launch_text *launch, char *error, size_t error_size);

/* Returns whether the user's contents give each element of the array one value in all cases. */
bool launch_array_is_constant(const struct launch_text *launch, uint32_t array);

/* Makes the launches of a shape. CUDA rejects a grid without blocks, so such a launch is left out.
 * Returns false with an error message in `error` if a number is invalid. */
bool launch_invoke(const struct launch_text *launch, const struct shape *shape,
                   struct invocation *invocation, char *error, size_t error_size);

#endif
