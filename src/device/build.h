/* SPDX-License-Identifier: MIT
 *
 * From CUDA C++ to PTX by an nvcc or a clang, and from PTX to machine code by a ptxas.
 */
#ifndef SIMTCHECK_COMPILERS_BUILD_H
#define SIMTCHECK_COMPILERS_BUILD_H

#include <stdbool.h>
#include <stddef.h>

/* Compilers from CUDA C++ to PTX. */
enum front_end { FRONT_END_NVCC, FRONT_END_CLANG, FRONT_ENDS };
extern const char *const front_end_names[FRONT_ENDS + 1]; /* the last is null */

/* A ptxas, nvcc or clang, and what it says of itself. */
struct compiler {
    const char *path;
    char version[32];         /* "13.0.88" */
    enum front_end front_end; /* of a compiler from CUDA C++ */
};

enum { MAX_COMPILERS = 24 };

/* The compilers of a name that the user gives. Without one it is the one on the PATH. */
struct compiler_list {
    const char *paths[MAX_COMPILERS];
    size_t count;
};

struct compiler_paths {
    struct compiler_list nvcc, ptxas;
    const char *architecture; /* to assemble for */
};

/* Opens compiler `k` of the list; returns false as compiler_open() does. */
bool compiler_list_open(const struct compiler_list *list, const char *name, size_t k,
                        struct compiler *compiler, char *error, size_t error_size);

/* How many there are to open: 1 where the user gives none. */
size_t compiler_list_count(const struct compiler_list *list);

/* `name`: "ptxas" or "nvcc". False, with a sentence, when it is none. */
bool compiler_open(const char *path, const char *name, struct compiler *compiler, char *error,
                   size_t error_size);

/* Opens the compiler of that front end: the first nvcc of the paths, or the clang of clang_open().
 * False, with a sentence. */
bool front_end_open(const struct compiler_paths *paths, enum front_end front_end,
                    struct compiler *compiler, char *error, size_t error_size);

/* What a file of the catalogue's kernels is compiled with, as CMakeLists.txt has it, before the
 * folder of the headers, for build_user_ptx(). */
enum { KERNEL_FLAGS = 5 };
extern const char *const kernel_flags[KERNEL_FLAGS];

/* CUDA C++ to PTX for compute capability 8.0; a file of the catalogue's kernels as CMakeLists.txt
 * has it compiled. The compiler is an nvcc or a clang. False, with what it says. */
bool build_ptx(const struct compiler *compiler, bool is_kernels, const char *cuda, const char *ptx,
               char *error, size_t error_size);

/* A file of anybody's, with flags of his own, with source lines in the PTX; as relocatable device
 * code. The compiler is an nvcc, or a clang (clang.h). False, with what it says. */
bool build_user_ptx(const struct compiler *compiler, const char *const *flags, size_t flag_count,
                    const char *cuda, const char *ptx, char *error, size_t error_size);

/* The same; `said` gets the beginning of all that the compiler says. */
bool build_user_ptx_saying(const struct compiler *compiler, const char *const *flags,
                           size_t flag_count, const char *cuda, const char *ptx, char *said,
                           size_t said_size);

/* The contents of a file, with a zero behind them: the caller's. Null with errno set. */
char *build_read_file(const char *path, size_t *size);

/* Copies PTX with the ISA version that all assemblers since CUDA 11.8 know, where it has a later
 * one: compilers name the latest that they know, and seldom need it. False, with a sentence. */
bool ptx_copy_as_old(const char *ptx, const char *old, char *error, size_t error_size);

/* Assembles at -O<level> for `architecture` ("sm_90"). False, with what ptxas says. */
bool build_machine_code(const struct compiler *ptxas, const char *architecture, int level,
                        const char *ptx, const char *cubin, char *error, size_t error_size);

/* Assembles modules that are to be linked, at ptxas's own level. `said` gets the beginning of what
 * it says of the kernels' registers and spills (machine_code.h). False, with what ptxas says. */
bool build_relocatable(const struct compiler *ptxas, const char *architecture, const char *ptx,
                       const char *cubin, char *said, size_t said_size, char *error,
                       size_t error_size);

/* Compiles a C file that has `bool expected(const struct expectation *)` (catalogue.h) into a
 * shared object: by the C compiler that the environment names in SIMTCHECK_CC, else by that which
 * built this program, or where that is not here by cc. False, with what it says. */
bool build_oracle(const char *c, const char *object, char *error, size_t error_size);

#endif
