/* SPDX-License-Identifier: MIT */
#include "changed_launches.h"

#include <stdlib.h>
#include <string.h>


enum { MAX_NAMES = 64 }; /* kernels in a catalogue's launches */

struct changed_rows {
    struct launch_change change;
    const struct variant *originals;
    struct variant *variants; /* copies, as many as the catalogue has */
    char (*names)[256];       /* with the prefix: the names that launches have requested so far */
    size_t name_count;
};

/* Returns the name with the prefix, or null if there are too many. Only the simulator runs such
 * rows, on one thread. */
static const char *name_of(struct changed_rows *rows, const char *kernel)
{
    char name[sizeof *rows->names];
    size_t k = 0;

    snprintf(name, sizeof name, "%s%s", rows->change.prefix, kernel);
    while (k < rows->name_count && strcmp(rows->names[k], name) != 0)
        k++;
    if (k == MAX_NAMES)
        return NULL;
    if (k == rows->name_count)
        memcpy(rows->names[rows->name_count++], name, sizeof name);
    return rows->names[k];
}

static void change_extent(struct extent *extent, uint32_t dimension, int by)
{
    uint32_t *lengths[] = {&extent->x, &extent->y, &extent->z};
    int64_t length = (int64_t)*lengths[dimension] + by;

    *lengths[dimension] = length > 0 ? (uint32_t)length : 0;
}

static void invoke_changed(const struct variant *variant, const struct shape *shape,
                           struct invocation *out)
{
    struct changed_rows *rows = variant->changed;
    const struct variant *original = &rows->originals[variant - rows->variants];
    const struct launch_change *change = &rows->change;

    original->invoke(original, shape, out);
    if (out->kernel == NULL)
        return;
    out->kernel = name_of(rows, out->kernel);
    if (change->what == CHANGED_GRID)
        change_extent(&out->grid, change->dimension, change->by);
    else if (change->what == CHANGED_BLOCK)
        change_extent(&out->block, change->dimension, change->by);
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
    rows->names = calloc(MAX_NAMES, sizeof *rows->names);
    if (rows->variants == NULL || rows->names == NULL) {
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
    return fprintf(to, "%s%d %u %d %s\n", CHANGES_TAG, (int)change->what, change->dimension,
                   change->by, change->prefix) > 0;
}

bool changed_launches_read(FILE *from, const struct catalogue *of, struct changed_launches *result)
{
    char line[sizeof CHANGES_TAG];
    struct launch_change change = {.prefix = ""};
    int what;

    if (fgets(line, sizeof line, from) == NULL || strcmp(line, CHANGES_TAG) != 0 ||
        fscanf(from, "%d %u %d %31s", &what, &change.dimension, &change.by, change.prefix) < 3 ||
        what < CHANGED_NOTHING || what > CHANGED_BLOCK || change.dimension > 2)
        return false;
    change.what = (enum changed)what;
    return changed_launches_make(of, &change, result);
}

void changed_launches_free(struct changed_launches *launches)
{
    if (launches->rows != NULL) {
        free(launches->rows->variants);
        free(launches->rows->names);
    }
    free(launches->rows);
    *launches = (struct changed_launches){.rows = NULL};
}
