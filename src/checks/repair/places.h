/* SPDX-License-Identifier: MIT
 *
 * The places of PTX at which a repair may change something: accesses and fences, and after each
 * access a place for a new fence.
 */
#ifndef SIMTCHECK_CHECKS_PLACES_H
#define SIMTCHECK_CHECKS_PLACES_H

#include "launch_text.h"
#include "strength.h"

enum { MAX_PLACES = 128 };

struct place {
    enum operation operation;
    bool is_new;              /* a fence after an access */
    bool is_plain;            /* a plain access, which may become strong */
    const char *opcode, *end; /* the opcode in the text, and the end of its statement */
    size_t opcode_length;
    uint32_t ptx_line;
    uint32_t file, line; /* in the source; line 0: unknown */
    size_t count;        /* of the strengths, of which the first is that of the text */
    struct strength strengths[MAX_STRENGTHS];
    struct strength now;
};

/* Finds the places in the text of a file of PTX, without the kernels that the launch does not use.
 * Returns their number, or MAX_PLACES + 1 if there are more than MAX_PLACES. */
size_t places_find(const char *text, const struct launch_text *launch,
                   struct place places[MAX_PLACES]);

/* Writes the PTX with the strengths that places have now. Returns false with errno set on error. */
bool places_write(const char *text, const struct place *places, size_t count, const char *path);

/* Writes where a place is: a source line, or a line of the PTX. */
void places_locate(const char *text, const struct place *place, char *to, size_t size);

#endif
