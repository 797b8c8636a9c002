/* SPDX-License-Identifier: MIT
 *
 * Finds what the user meant by a misspelt name.
 */
#ifndef SIMTCHECK_BASE_NEAR_NAME_H
#define SIMTCHECK_BASE_NEAR_NAME_H

#include <stddef.h>

enum { NEAR_NAME = 64 };

struct near_name {
    const char *word;          /* what the user wrote */
    const char *lead;          /* what the text has before a name, such as "--"; null: nothing */
    size_t edits;              /* from the word to the nearest name so far */
    char text[NEAR_NAME + 32]; /* ": did you mean 'NAME'?", or "" if no name is near */
};

/* Offers a name. The text gets it if it is near, and nearer than those before. Near is a name with
 * few typing mistakes, or one that the word abbreviates or continues, as "output" does "out". */
void near_name_offer(struct near_name *near, const char *name);

#endif
