/* SPDX-License-Identifier: MIT */
#include "shrink.h"

enum {
    BATCH = 128,
    BLOCKS_NEAR = 4, /* sizes up to this many blocks are tried before larger ones */
    SIZES_MORE = 8,
    UNIT_INDICES = 64,
};

struct search {
    const struct shrink_bounds *bounds;
    shrink_run *run;
    void *context;
    struct witness *witness;
    enum engine_status status;
    size_t pending;
    bool found;
    struct test_case cases[BATCH];
    struct outcome outcomes[BATCH];
};

/* Runs what is pending. The first case that fails in the same way becomes the witness. */
static void flush(struct search *search)
{
    struct witness *witness = search->witness;

    if (search->pending > 0 && !search->found && search->status == ENGINE_OK) {
        search->status =
            search->run(search->context, search->cases, search->pending, search->outcomes);
        if (search->status == ENGINE_OK)
            witness->tried += search->pending;
        for (size_t i = 0; i < search->pending && search->status == ENGINE_OK; i++) {
            if (!outcome_same_kind(&search->outcomes[i], &witness->outcome))
                continue;
            witness->test = search->cases[i];
            witness->outcome = search->outcomes[i];
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

/* Adds a case to the batch; false when the search must stop. */
static bool try_case(struct search *search, const struct test_case *test)
{
    if (search->witness->tried + search->pending >= search->bounds->budget) {
        flush(search);
        return false;
    }
    search->cases[search->pending++] = *test;
    if (search->pending == BATCH)
        flush(search);
    return goes_on(search);
}

static bool try_shape(struct search *search, uint32_t block, uint64_t size)
{
    struct test_case test = search->witness->test;

    test.shape.block.x = block;
    test.shape.size[0] = size;
    if (search->bounds->inside_domain && variant_violations(test.variant, &test.shape) != 0)
        return true;
    return try_case(search, &test);
}

static uint64_t near_limit(uint32_t block, uint64_t limit)
{
    uint64_t near = (uint64_t)BLOCKS_NEAR * block + SIZES_MORE;
    return near < limit ? near : limit;
}

/* Tries every shape below the witness in order, with sizes near the block's (or only the others).
 * A shape of the witness's own block comes below it only with a smaller size. Returns whether all
 * were tried and none failed. */
static bool search_shapes(struct search *search, bool near)
{
    const struct shape start = search->witness->test.shape;
    uint64_t sizes = search->bounds->size;

    search->found = false;
    for (uint32_t block = 1; block <= start.block.x && block <= search->bounds->block; block++) {
        uint64_t limit = near_limit(block, sizes);
        uint64_t first = near ? 0 : limit + 1, last = near ? limit : sizes;
        for (uint64_t size = first; size <= last; size++) {
            if (block == start.block.x && size >= start.size[0])
                break;
            if (!try_shape(search, block, size))
                return false;
        }
    }
    flush(search);
    return goes_on(search);
}

static void search_schedules(struct search *search)
{
    struct test_case test = search->witness->test;

    search->found = false;
    for (int kind = SCHEDULE_SEQUENTIAL; kind < (int)test.schedule.kind; kind++) {
        struct test_case simpler = test;
        simpler.schedule = (struct schedule){(enum schedule_kind)kind, 0};
        if (!try_case(search, &simpler))
            return;
    }
    flush(search);
}

static void search_values(struct search *search)
{
    struct test_case test = search->witness->test;
    uint64_t elements = test.shape.size[0] * test.shape.size[1];
    int given = (int)test.values.pattern;

    search->found = false;
    for (int pattern = VALUES_ZEROS; pattern < given; pattern++) {
        uint64_t last = pattern != VALUES_UNIT    ? 0
                        : elements < UNIT_INDICES ? elements
                                                  : UNIT_INDICES;
        for (uint64_t k = 0; k <= last; k++) {
            test.values = (struct values){(enum value_pattern)pattern, k};
            if (pattern == VALUES_UNIT && k == last) /* the last element, where errors gather */
                test.values.parameter = elements > 0 ? elements - 1 : 0;
            if (!try_case(search, &test))
                return;
        }
    }
    flush(search);
}

enum engine_status shrink(const struct test_case *failing, const struct outcome *outcome,
                          const struct shrink_bounds *bounds, shrink_run *run, void *context,
                          struct witness *witness)
{
    struct search search = {.bounds = bounds, .run = run, .context = context, .witness = witness};
    bool near, far;

    *witness = (struct witness){.test = *failing, .outcome = *outcome};
    search_schedules(&search);
    near = search_shapes(&search, true) || search.found;
    far = search_shapes(&search, false) || search.found;
    witness->exhaustive = near && far;
    search_values(&search);
    return search.status;
}
