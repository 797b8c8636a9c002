/* SPDX-License-Identifier: MIT
 *
 * The types of arrays, struct members and casts in a line that launches a kernel.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_TYPES_H
#define SIMTCHECK_CASES_LAUNCH_TYPES_H

#include "catalogue.h"
#include "reader.h"

struct launch_type {
    enum element element;
    uint32_t lanes; /* lanes of a vector; 1 for a scalar */
    bool is_bool;   /* its values are 0 and 1 */
    bool is_signed; /* of an integer */
};

/* Reads a type. Returns false with the reader's error if no type is next. */
bool launch_type_read(struct reader *reader, struct launch_type *read);

/* As launch_type_read(), but if no type is next, it only returns false. */
bool launch_type_take(struct reader *reader, struct launch_type *read);

/* Writes the type in C++. Types with equal elements have equal names. */
void launch_type_name(const struct launch_type *type, char *name, size_t size);

#endif
