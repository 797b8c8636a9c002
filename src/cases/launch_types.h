/* SPDX-License-Identifier: MIT
 *
 * Types of arrays and of members of structs, as a line that launches a kernel names them.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_TYPES_H
#define SIMTCHECK_CASES_LAUNCH_TYPES_H

#include "catalogue.h"
#include "reader.h"

struct launch_type {
    enum element element;
    uint32_t lanes; /* of a vector; 1 */
    bool is_bool;   /* its values are 0 and 1 */
};

/* False when none is next, with the reader's error. */
bool launch_type_read(struct reader *reader, struct launch_type *read);

#endif
