/* SPDX-License-Identifier: MIT */
#include "shrink.h"

#include "case_id.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 128,
    FIRST_BATCH = 8, /* of a size: often the first values fail already */
    BLOCKS_NEAR = 4, /* sizes up to this many blocks are tried before larger ones */
    SIZES_MORE = 8,
    UNIT_INDICES = 64,
};

bool shape_is_smaller(const struct shape *a, const struct shape *b)
{
    if (shape_threads(a) != shape_threads(b))
        return shape_threads(a) < shape_threads(b);
    return shape_elements(a) < shape_elements(b);
}

struct search {
    const struct shrink_bounds *bounds;
    shrink_run *run;
    void *context;
    struct counterexample *counterexample;
    enum engine_status status;
    uint64_t spent;        /* of the budget */
    size_t pending, batch; /* batch: pending cases that are run together */
    bool found;
    struct test_case cases[BATCH];
    struct outcome outcomes[BATCH];
};

/* Returns whether an outcome has the finding of the counterexample. */
static bool has_finding(const struct search *search, const struct outcome *outcome)
{
    bool has_race = false;

    if (search->bounds->race == 0)
        return outcome_same_finding(outcome, &search->counterexample->outcome);
    for (int k = 0; k < RACE_IDENTITIES; k++)
        has_race = has_race || outcome->race_identities[k] == search->bounds->race;
    return has_race;
}

/* Runs the pending cases. The first one with the finding becomes the counterexample. */
static void flush(struct search *search)
{
    struct counterexample *counterexample = search->counterexample;

    if (search->pending > 0 && !search->found && search->status == ENGINE_OK) {
        search->status =
            search->run(search->context, search->cases, search->pending, search->outcomes);
        if (search->status == ENGINE_OK)
            counterexample->tried += search->pending;
        for (size_t i = 0; i < search->pending && search->status == ENGINE_OK; i++)
            search->spent += CASE_COST + search->outcomes[i].instructions;
        for (size_t i = 0; i < search->pending && search->status == ENGINE_OK; i++) {
            if (!has_finding(search, &search->outcomes[i]))
                continue;
            counterexample->test = search->cases[i];
            counterexample->outcome = search->outcomes[i];
            search->found = true;
            break;
        }
    }
    search->pending = 0;
}

static bool goes_on(const struct search *search)
{
    return !search->found && search->status == ENGINE_OK;
}

/* Adds a case to the batch. Returns false when the search must stop. */
static bool try_case(struct search *search, const struct test_case *test)
{
    if (search->spent + search->pending * CASE_COST >= search->bounds->budget) {
        flush(search);
        return false;
    }
    search->cases[search->pending++] = *test;
    if (search->pending >= search->batch) {
        search->batch = search->batch < BATCH / 2 ? 2 * search->batch : BATCH;
        flush(search);
    }
    return goes_on(search);
}

static bool try_shape(struct search *search, const struct shape *shape)
{
    struct test_case test = search->counterexample->test;

    test.shape = *shape;
    if (!variant_takes(test.variant, shape) ||
        (search->bounds->inside_domain && variant_violations(test.variant, shape) != 0))
        return true;
    return try_case(search, &test);
}

/* Tries smaller values of one size after the other, the smallest first. A size keeps the first
 * value that fails. */
static void search_named_sizes(struct search *search)
{
    enum { MOST = 64 }; /* values tried of each size */
    uint32_t count = shape_size_count(&search->counterexample->test.shape);

    for (uint32_t k = 0; k < count; k++) {
        uint64_t sizes[MAX_SIZES], size;
        search->found = false;
        search->batch = FIRST_BATCH;
        for (uint32_t d = 0; d < MAX_SIZES; d++)
            sizes[d] = shape_size(&search->counterexample->test.shape, d);
        size = sizes[k];
        for (sizes[k] = 0; sizes[k] < size && sizes[k] < MOST; sizes[k]++) {
            struct shape shape = search->counterexample->test.shape;
            if (!size_set(&shape, sizes, count) || !try_shape(search, &shape))
                break;
        }
        flush(search);
    }
    search->batch = BATCH;
}

/* Tries every size of that many elements: one vector, or every matrix of that area. An empty matrix
 * has a single row or a single column. Returns false when the search must stop. */
static bool try_sizes(struct search *search, struct shape *shape, uint64_t elements)
{
    if (search->counterexample->test.variant->size_dimensions < 2 || elements == 0) {
        memcpy(shape->size, (uint64_t[2]){elements, 1}, sizeof shape->size);
        return try_shape(search, shape);
    }
    for (uint64_t rows = 1; rows <= elements; rows++) {
        memcpy(shape->size, (uint64_t[2]){elements / rows, rows}, sizeof shape->size);
        if (elements % rows == 0 && !try_shape(search, shape))
            return false;
    }
    return true;
}

/* Returns whether `a` is a smaller size than `b`. */
static bool is_smaller_size(const struct shape *a, const struct shape *b)
{
    return shape_elements(a) < shape_elements(b);
}

/* Tries the given sizes for one block in ascending order, as search_sizes() does. */
static bool search_given_sizes(struct search *search, struct shape *shape,
                               const struct shape *start)
{
    const struct shrink_bounds *bounds = search->bounds;
    const struct shape *last = NULL, *next;

    for (;; last = next) {
        next = NULL;
        for (const struct shape *size = bounds->sizes; size < bounds->sizes + bounds->size_count;
             size++)
            if ((last == NULL || is_smaller_size(last, size)) &&
                (next == NULL || is_smaller_size(size, next)))
                next = size;
        if (next == NULL ||
            (shape_threads(shape) == shape_threads(start) && !is_smaller_size(next, start)))
            return true;
        memcpy(shape->size, next->size, sizeof shape->size);
        memcpy(shape->further, next->further, sizeof shape->further);
        if (!try_shape(search, shape))
            return false;
    }
}

static uint64_t near_limit(uint64_t threads, uint64_t limit)
{
    uint64_t near = BLOCKS_NEAR * threads + SIZES_MORE;
    return near < limit ? near : limit;
}

/* Tries the sizes for one block in ascending order: those near the block's size, or only the
 * others. A block with as many threads as the counterexample's is smaller only with a smaller size.
 * Returns false when the search must stop. */
static bool search_sizes(struct search *search, struct shape *shape, const struct shape *start,
                         bool near)
{
    uint64_t threads = shape_threads(shape), limit = near_limit(threads, search->bounds->elements);
    uint64_t first = near ? 0 : limit + 1, last = near ? limit : search->bounds->elements;

    if (search->bounds->sizes != NULL)
        return !near || search_given_sizes(search, shape, start);
    for (uint64_t elements = first; elements <= last; elements++) {
        if (threads == shape_threads(start) && elements >= shape_elements(start))
            return true;
        if (!try_sizes(search, shape, elements))
            return false;
    }
    return true;
}

/* Tries every smaller shape, the smallest first: by threads, then by elements. Returns whether all
 * were tried and none failed. */
static bool search_shapes(struct search *search, bool near)
{
    const struct shape start = search->counterexample->test.shape;
    uint64_t most = shape_threads(&start);

    search->found = false;
    for (uint32_t threads = 1; threads <= most && threads <= search->bounds->threads; threads++)
        for (uint32_t z = 1; z <= threads && z <= SIMT_BLOCK_THREADS_Z; z++)
            for (uint32_t y = 1; y * z <= threads; y++) {
                struct shape shape = {
                    {threads / y / z, y, z}, {0, 1}, start.surplus, start.depth, {0, 0}};
                if (shape_threads(&shape) == threads &&
                    variant_takes(search->counterexample->test.variant, &shape) &&
                    !search_sizes(search, &shape, &start, near))
                    return false;
            }
    flush(search);
    return goes_on(search);
}

static void search_schedules(struct search *search)
{
    struct test_case test = search->counterexample->test;

    search->found = false;
    for (int kind = SCHEDULE_SEQUENTIAL; kind < (int)test.schedule.kind; kind++) {
        struct test_case simpler = test;
        simpler.schedule = (struct schedule){(enum schedule_kind)kind, 0, {0}};
        if (!try_case(search, &simpler))
            return;
    }
    flush(search);
}

/* Tries every smaller maxDepth, the smallest first. */
static void search_depths(struct search *search)
{
    struct test_case test = search->counterexample->test;
    uint32_t deepest = test.shape.depth;

    search->found = false;
    for (test.shape.depth = 0; test.shape.depth < deepest; test.shape.depth++)
        if (!try_shape(search, &test.shape))
            return;
    flush(search);
}

/* Tries the case without its extra block. */
static void search_surplus(struct search *search)
{
    struct test_case test = search->counterexample->test;

    search->found = false;
    test.shape.surplus = 0;
    if (search->counterexample->test.shape.surplus > 0 && try_case(search, &test))
        flush(search);
}

static void search_values(struct search *search)
{
    struct test_case test = search->counterexample->test;
    uint64_t elements = shape_elements(&test.shape);
    int given = (int)test.values.pattern;

    search->found = false;
    for (int pattern = VALUES_ZEROS; pattern < given; pattern++) {
        uint64_t last = pattern != VALUES_UNIT    ? 0
                        : elements < UNIT_INDICES ? elements
                                                  : UNIT_INDICES;
        for (uint64_t k = 0; k <= last; k++) {
            test.values = (struct values){(enum value_pattern)pattern, k};
            if (pattern == VALUES_UNIT && k == last) /* the last element often fails */
                test.values.parameter = elements > 0 ? elements - 1 : 0;
            if (!try_case(search, &test))
                return;
        }
    }
    flush(search);
}

enum engine_status shrink(const struct test_case *failing, const struct outcome *outcome,
                          const struct shrink_bounds *bounds, shrink_run *run, void *context,
                          struct counterexample *counterexample)
{
    struct search *search = calloc(1, sizeof *search); /* too large for a small stack */
    enum engine_status status;
    bool near, far;

    *counterexample = (struct counterexample){.test = *failing, .outcome = *outcome};
    if (search == NULL)
        return ENGINE_ERROR;
    search->bounds = bounds;
    search->batch = BATCH;
    search->run = run;
    search->context = context;
    search->counterexample = counterexample;
    search_schedules(search);
    search_surplus(search);
    if (shape_size_count(&failing->shape) > 2 && bounds->sizes == NULL) {
        search_named_sizes(search);
    } else {
        near = search_shapes(search, true) || search->found;
        far = search_shapes(search, false) || search->found;
        counterexample->exhaustive = near && far;
    }
    if (bounds->sizes == NULL)
        search_depths(search);
    if (!bounds->keeps_values)
        search_values(search);
    status = search->status;
    free(search);
    return status;
}
