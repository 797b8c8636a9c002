/* SPDX-License-Identifier: MIT
 *
 * The types of arrays and of struct members in a line that launches a kernel.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_TYPES_H
#define SIMTCHECK_CASES_LAUNCH_TYPES_H

#include "catalogue.h"
#include "reader.h"

struct launch_type {
    enum element element;
    uint32_t lanes; /* lanes of a vector; 1 for a scalar */
    bool is_bool;   /* its values are 0 and 1 */
};

/* Reads a type. Returns false with the reader's error if no type is next. */
bool launch_type_read(struct reader *reader, struct launch_type *read);

#endif
