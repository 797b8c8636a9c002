/* SPDX-License-Identifier: MIT */
#include "changed_launches.h"

#include <stdlib.h>
#include <string.h>

struct changed_rows {
    struct launch_change change;
    const struct variant *originals;
    struct variant *variants; /* copies, as many as the catalogue has */
};

static void change_extent(struct extent *extent, uint32_t dimension, int by)
{
    uint32_t *lengths[] = {&extent->x, &extent->y, &extent->z};
    int64_t length = (int64_t)*lengths[dimension] + by;

    *lengths[dimension] = length > 0 ? (uint32_t)length : 0;
}

static void invoke_changed(const struct variant *variant, const struct shape *shape,
                           struct invocation *out)
{
    const struct changed_rows *rows = variant->changed;
    const struct variant *original = &rows->originals[variant - rows->variants];
    const struct launch_change *change = &rows->change;

    original->invoke(original, shape, out);
    if (out->kernel != NULL)
        change_extent(change->what == CHANGED_GRID ? &out->grid : &out->block, change->dimension,
                      change->by);
}

bool changed_launches_make(const struct catalogue *of, const struct launch_change *change,
                           struct changed_launches *result)
{
    struct changed_rows *rows = calloc(1, sizeof *rows);

    *result = (struct changed_launches){.catalogue = *of, .rows = rows};
    if (rows == NULL)
        return false;
    rows->change = *change;
    rows->originals = of->variants;
    rows->variants = calloc(of->count + 1, sizeof *rows->variants);
    if (rows->variants == NULL) {
        changed_launches_free(result);
        return false;
    }
    for (size_t v = 0; v < of->count; v++) {
        rows->variants[v] = of->variants[v];
        rows->variants[v].invoke = invoke_changed;
        rows->variants[v].changed = rows;
    }
    result->catalogue.variants = rows->variants;
    return true;
}

bool changed_launches_write(FILE *to, const struct launch_change *change)
{
    return fprintf(to, "%s%d %u %d\n", CHANGES_TAG, (int)change->what, change->dimension,
                   change->by) > 0;
}

bool changed_launches_read(FILE *from, const struct catalogue *of, struct changed_launches *result)
{
    char line[sizeof CHANGES_TAG];
    struct launch_change change;
    int what;

    if (fgets(line, sizeof line, from) == NULL || strcmp(line, CHANGES_TAG) != 0 ||
        fscanf(from, "%d %u %d", &what, &change.dimension, &change.by) != 3 ||
        what < CHANGED_GRID || what > CHANGED_BLOCK || change.dimension > 2)
        return false;
    change.what = (enum changed)what;
    return changed_launches_make(of, &change, result);
}

void changed_launches_free(struct changed_launches *launches)
{
    if (launches->rows != NULL)
        free(launches->rows->variants);
    free(launches->rows);
    *launches = (struct changed_launches){.rows = NULL};
}
