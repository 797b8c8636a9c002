/* SPDX-License-Identifier: MIT */
#include "package_parts.h"

/* Adds a test of results, with the number of its cases, and tests for races. */
static void add_tests(struct list *tests, const struct variant *variant,
                      const struct engine_kind *engine, const struct plan_request *cases,
                      struct memory *memory)
{
    struct package_test test = {.engine = engine->id, .id = variant->id, .kind = variant->kind};
    struct plan plan;

    if (!plan_make(cases, variant, engine->simulates, 0, &plan))
        memory_take(memory, SIZE_MAX / 2); /* reports that memory ran out */
    test.cases = plan_count(&plan);
    plan_free(&plan);
    LIST_ADD(memory, tests, struct package_test) = test;
    test.cases = 0;
    test.has_model = true;
    for (int m = 0; m < MODELS && engine->simulates; m++) {
        test.model = (enum model)m;
        LIST_ADD(memory, tests, struct package_test) = test;
    }
}

struct list package_tests(const struct catalogue *catalogue, const struct plan_request *cases,
                          const struct engine_list *engines, struct memory *memory)
{
    struct list tests = list_take(memory, 0, sizeof(struct package_test));

    for (int e = 0; e < NAMED_ENGINES; e++)
        for (size_t v = 0; v < catalogue->count && engine_list_has(engines, (enum engine_id)e); v++)
            add_tests(&tests, &catalogue->variants[v], &engine_kinds[e], cases, memory);
    return tests;
}
