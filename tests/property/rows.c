/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

const struct variant *row_named(const char *name)
{
    for (size_t i = 0; i < simtcheck_catalogue.count; i++) {
        const struct variant *variant = &simtcheck_catalogue.variants[i];
        size_t length = strlen(variant->id);
        if (strncmp(variant->id, name, length) == 0 && name[length] == '.' &&
            strcmp(variant_kind_name(variant->kind), name + length + 1) == 0)
            return variant;
    }
    return NULL;
}

bool seed_read(uint64_t *seed)
{
    enum { MAX_DRAWN = 1000000000 }; /* short enough to type */
    const char *word = getenv("SIMTCHECK_SEED");
    char *end;

    *seed = 1;
    if (word == NULL)
        return true;
    if (strcmp(word, "random") == 0) {
        if (getrandom(seed, sizeof *seed, 0) != (ssize_t)sizeof *seed)
            return false;
        *seed %= MAX_DRAWN;
        return true;
    }
    errno = 0;
    *seed = strtoull(word, &end, 10);
    if (word[0] >= '0' && word[0] <= '9' && *end == '\0' && errno == 0)
        return true;
    fprintf(stderr, "SIMTCHECK_SEED '%s' is no seed: give a whole number, or 'random'\n", word);
    return false;
}

/* Makes a matrix that is as close to a square as a power of two can be. With a tail it has one more
 * row and a few more columns. */
static void matrix_of(uint64_t n, uint64_t tail, struct shape *shape)
{
    uint64_t rows = 1;

    while (4 * rows * rows <= n)
        rows *= 2;
    *shape = (struct shape){
        {32, 32, 1}, {n / rows + tail % 64, rows + (tail > 0 ? 1 : 0)}, 0, 0, {0, 0}};
}

bool row_large_shape(const struct variant *variant, uint64_t n, uint64_t tail, struct shape *shape)
{
    static const uint32_t blocks[] = {1000, 1024, 512, 64, 32};

    if (variant->contract == CONTRACT_MATRIX_SUM) {
        matrix_of(n, tail, shape);
        return variant_violations(variant, shape) == 0;
    }
    for (size_t k = tail > 0 ? 0 : 1;
         variant->contract == CONTRACT_SUM && k < sizeof blocks / sizeof *blocks; k++) {
        uint32_t block = variant->block_dimensions > 0 ? blocks[k] : 1;
        *shape = (struct shape){{block, 1, 1}, {n + tail, 1}, 0, 0, {0, 0}};
        if (variant_takes(variant, shape) && variant_violations(variant, shape) == 0)
            return true;
    }
    return false;
}
