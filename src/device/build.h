/* SPDX-License-Identifier: MIT
 *
 * Compiles CUDA C++ to PTX with nvcc or clang, and PTX to machine code with ptxas.
 */
#ifndef SIMTCHECK_DEVICE_BUILD_H
#define SIMTCHECK_DEVICE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Compilers from CUDA C++ to PTX. */
enum front_end { FRONT_END_NVCC, FRONT_END_CLANG, FRONT_ENDS };
extern const char *const front_end_names[FRONT_ENDS + 1]; /* the last is null */

/* A ptxas, nvcc or clang, and its version. */
struct compiler {
    const char *path;
    char version[32];         /* "13.0.88" */
    enum front_end front_end; /* of a compiler of CUDA C++ */
    bool is_broken;           /* it was not opened, although it is named or installed */
};

enum { MAX_COMPILERS = 24 };

/* The compilers of one name that the user gives. Without any, the one on the PATH is used. */
struct compiler_list {
    const char *paths[MAX_COMPILERS];
    size_t count;
};

struct compiler_paths {
    struct compiler_list nvcc, ptxas;
    const char *architecture; /* target of assembly */
};

/* Opens compiler `k` of the list. Returns false as compiler_open() does. */
bool compiler_list_open(const struct compiler_list *list, const char *name, size_t k,
                        struct compiler *compiler, char *error, size_t error_size);

/* Returns how many compilers there are to open: 1 if the user gives none. */
size_t compiler_list_count(const struct compiler_list *list);

/* Opens a compiler. `name` is "ptxas" or "nvcc". Returns false with a message if the program is
 * something else. */
bool compiler_open(const char *path, const char *name, struct compiler *compiler, char *error,
                   size_t error_size);

/* Opens the compiler of that front end: the first nvcc of the paths, or the clang of clang_open().
 * Returns false with a message. One that was opened is taken again, so the compiler runs once. */
bool front_end_open(const struct compiler_paths *paths, enum front_end front_end,
                    struct compiler *compiler, char *error, size_t error_size);

/* The flags with which CMakeLists.txt compiles the catalogue's kernels, for build_user_ptx(). The
 * folder of the headers follows them. */
enum { KERNEL_FLAGS = 5 };
extern const char *const kernel_flags[KERNEL_FLAGS];

/* Compiles CUDA C++ to PTX for compute capability 8.0 with an nvcc or a clang. A file of the
 * catalogue's kernels is compiled as in CMakeLists.txt. Returns false with the compiler's
 * message. */
bool build_ptx(const struct compiler *compiler, bool is_kernels, const char *cuda, const char *ptx,
               char *error, size_t error_size);

/* Compiles a user's file with the user's flags, as relocatable device code, with source lines in
 * the PTX. The compiler is an nvcc or a clang (clang.h). `said` gets the compiler's output. Returns
 * false on error. */
bool build_user_ptx(const struct compiler *compiler, const char *const *flags, size_t flag_count,
                    const char *cuda, const char *ptx, char *said, size_t said_size);

/* Returns whether the name is that of PTX or of a file that may contain PTX: a fat binary, a
 * program or a library. */
bool build_is_ptx(const char *path);

/* Takes the PTX of a file: copies plain PTX, with a line that names the file, or takes the first
 * PTX out of a file that contains it, with cuobjdump. `said` gets the reason for a failure. */
bool build_take_ptx(const char *path, const char *ptx, char *said, size_t said_size);

/* Writes, at the end of PTX, that messages name another file, of which it is a copy. */
bool build_name_origin(FILE *ptx, const char *path);

/* Copies PTX and lowers a later ISA version to the one that all assemblers since CUDA 11.8 support.
 * Compilers name the latest version that they know, and seldom need it. Returns false with a
 * message. */
bool ptx_copy_as_old(const char *ptx, const char *old, char *error, size_t error_size);

/* Assembles at -O<level> for `architecture` ("sm_90"). Returns false with ptxas's message. */
bool build_machine_code(const struct compiler *ptxas, const char *architecture, int level,
                        const char *ptx, const char *cubin, char *error, size_t error_size);

/* Assembles modules for linking, at ptxas's default level. `said` gets the beginning of its output
 * about the kernels' registers and spills (machine_code.h). Returns false with ptxas's message. */
bool build_relocatable(const struct compiler *ptxas, const char *architecture, const char *ptx,
                       const char *cubin, char *said, size_t said_size, char *error,
                       size_t error_size);

enum oracle_status {
    ORACLE_BUILT,
    ORACLE_REJECTED,       /* the compiler rejects the file */
    ORACLE_LACKS_EXPECTED, /* it defines no such function */
};

/* Compiles a file of C or C++ that defines `bool expected(const struct expectation *)`
 * (catalogue.h) into a shared object. Files of C++ end in .cpp, .cc, .cxx or .C, and the object
 * then has `simtcheck_expected`, which calls `expected`. Uses the compiler that SIMTCHECK_CC or
 * SIMTCHECK_CXX names in the environment, else the one that built this program, else cc or c++.
 * `said` gets the compiler's output. */
enum oracle_status build_oracle(const char *source, const char *object, char *said,
                                size_t said_size);

#endif
