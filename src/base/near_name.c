/* SPDX-License-Identifier: MIT */
#include "near_name.h"

#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns how many characters are missing, surplus, wrong, or swapped with their neighbour. */
static size_t count_edits(const char *word, size_t length, const char *name, size_t name_length)
{
    size_t edits[NEAR_NAME][NEAR_NAME]; /* from the first i characters to the first j */

    for (size_t i = 0; i <= length; i++)
        for (size_t j = 0; j <= name_length; j++) {
            edits[i][j] = i + j; /* if one of them is empty */
            if (i > 0 && j > 0)
                edits[i][j] = least(edits[i - 1][j - 1] + (word[i - 1] != name[j - 1]),
                                    1 + least(edits[i - 1][j], edits[i][j - 1]));
            if (i > 1 && j > 1 && word[i - 1] == name[j - 2] && word[i - 2] == name[j - 1])
                edits[i][j] = least(edits[i][j], edits[i - 2][j - 2] + 1);
        }
    return edits[length][name_length];
}

void near_name_offer(struct near_name *near, const char *name)
{
    size_t length = strlen(near->word), name_length = strlen(name), edits,
           common = least(length, name_length);

    if (length >= NEAR_NAME || name_length >= NEAR_NAME)
        return;
    edits = count_edits(near->word, length, name, name_length);
    if (common > 1 && strncmp(near->word, name, common) == 0)
        edits = least(edits, length < name_length ? 1 : 2);
    if (edits >= length || edits > (length + 2) / 3 ||
        (near->text[0] != '\0' && edits >= near->edits))
        return;
    near->edits = edits;
    snprintf(near->text, sizeof near->text, ": did you mean '%s%s'?",
             near->lead != NULL ? near->lead : "", name);
}
