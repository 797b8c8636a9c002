/* SPDX-License-Identifier: MIT
 *
 * The kernels of a user's files and headers, as far as their text tells: which kernel a launch
 * means, with which default arguments, and what a launch of a kernel may look like.
 */
#ifndef SIMTCHECK_CHECKS_DECLARATIONS_H
#define SIMTCHECK_CHECKS_DECLARATIONS_H

#include "json_model.h"
#include "launch_text.h"

struct parameter {
    const char *type, *name;      /* "const float *", "x" */
    const char *value;            /* its default argument, or null */
    bool is_pointer, is_function; /* is_function: a pointer to a function */
};

struct declaration {
    const char *name;                            /* with its namespaces */
    struct list template_parameters, parameters; /* of struct parameter */
    int block_dimensions, grid_dimensions;       /* that it reads: 1 to 3 */
    const char *launch;                          /* an example, with options after "--" */
};

struct declarations {
    struct list all;     /* of struct declaration, in the order of the files */
    struct list headers; /* the paths of those that were read */
    struct memory memory;
};

/* Reads the kernels of a text, or those of a file and then those of the user's headers that it
 * includes. The flags are those of the compiler. declarations_read() returns false with errno set
 * if it cannot read the file. */
void declarations_add(struct declarations *declarations, const char *text);
bool declarations_read(struct declarations *declarations, const char *path,
                       const char *const *flags, size_t flag_count);

/* Reads the kernels of a file of CUDA C++ with its headers, or of one that has PTX. Returns false
 * after an error message. */
bool declarations_of(struct declarations *declarations, const char *path, const char *const *flags,
                     size_t flag_count);
void declarations_free(struct declarations *declarations);

/* Returns C++ whose value is the address of the kernel of that call, in the memory of the
 * declarations. It may be an instance of a template by the arguments' types, or one of several
 * overloaded kernels. Adds the default arguments that the call leaves out. `hint` gets a line that
 * helps if the compiler rejects the launch. Without one, it stays unchanged. The text may be wrong
 * about the code, because it is not preprocessed. */
const char *declarations_resolve(struct declarations *declarations, struct launch_text *launch,
                                 uint32_t call, char *hint, size_t hint_size);

/* Removes qualifiers, '*' and blanks around the name of a type. */
void parameter_bare_type(const char *type, char bare[NAME_TEXT]);
bool parameter_is_to_pointer(const struct parameter *parameter);

#endif
