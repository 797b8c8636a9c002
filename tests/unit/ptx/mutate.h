/* SPDX-License-Identifier: MIT
 *
 * PTX with random changes, for fuzz_decode.c. The same seed gives the same text.
 */
#ifndef SIMTCHECK_TESTS_MUTATE_H
#define SIMTCHECK_TESTS_MUTATE_H

#include <stddef.h>
#include <stdint.h>

struct text {
    char *at; /* ends with a null byte after `size` */
    size_t size, room;
};

/* A file of PTX in parts: the text around its functions, and the functions. */
struct sample {
    struct text whole, around, *functions;
    size_t function_count;
};

struct random {
    uint64_t state;
};

/* Returns a number below `count`, which must not be 0. */
size_t random_below(struct random *random, size_t count);

void text_put(struct text *text, const char *at, size_t size);

void sample_part(struct sample *sample);
void sample_free(struct sample *sample);

/* Combines some functions of the samples, and makes at least one change. */
void mutate(struct text *mutant, struct random *random, const struct sample *samples,
            size_t sample_count);

#endif
