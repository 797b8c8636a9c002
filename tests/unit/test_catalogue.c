/* SPDX-License-Identifier: MIT
 *
 * The catalogue's rows are complete, come in pairs, and name kernels that exist.
 */
#include "check.h"

#include "catalogue.h"
#include "engine.h"
#include "engines.h"
#include "launches.h"

#include <unistd.h>

static struct engine *engine;

static int open_engine(void **state)
{
    const struct engine_limits limits = {.deadline_seconds = 10};
    char reason[256];

    (void)state;
    return engine_open(&limits, &engine, reason, sizeof reason) == ENGINE_OK ? 0 : -1;
}

static int close_engine(void **state)
{
    (void)state;
    engine_close(engine);
    return 0;
}

TEST(rows_are_complete)
{
    for (size_t i = 0; i < simtcheck_catalogue.count; i++) {
        const struct variant *variant = &simtcheck_catalogue.variants[i];
        char file[512];
        assert_non_null(variant->id);
        assert_non_null(variant->kernel);
        assert_non_null(variant->source);
        assert_non_null(variant->domain);
        assert_non_null(variant->invoke);
        assert_true(variant->elements_per_thread >= 1);
        assert_in_range(variant->block_dimensions, 0, 3);
        assert_in_range(variant->size_dimensions, 1, 2);
        if (variant->contract == CONTRACT_SUM && variant->element == ELEMENT_F32)
            assert_non_null(variant->height);
        snprintf(file, sizeof file, "%s/%s.cu", KERNELS_FOLDER, variant->family);
        if (access(file, R_OK) != 0)
            fail_msg("%s: there is no %s", variant->id, file);
    }
}

/* Each kernel has an original variant with a domain and a corrected one without. */
TEST(each_kernel_has_two_variants)
{
    for (size_t i = 0; i < simtcheck_catalogue.count; i++) {
        const struct variant *variant = &simtcheck_catalogue.variants[i];
        bool is_corrected = variant->kind == VARIANT_CORRECTED;
        const struct variant *other = catalogue_find(
            &simtcheck_catalogue, variant->id, is_corrected ? VARIANT_ORIGINAL : VARIANT_CORRECTED);
        if (other == NULL ||
            catalogue_find(&simtcheck_catalogue, variant->id, variant->kind) != variant)
            fail_msg("%s: not one printed and one corrected variant", variant->id);
        assert_int_equal(domain_count(variant->domain) == 0, is_corrected);
        assert_true(variant->known_defect == NULL || !is_corrected);
        if (!variant_marks_known_defect(variant))
            fail_msg("%s: %s.cu does not mark its known defect", variant->id, variant->family);
    }
}

/* Returns the row with that kernel that `soak` runs, or null. */
static const struct variant *soaked(const char *kernel)
{
    for (size_t i = 0; i < simtcheck_catalogue.count; i++)
        if (simtcheck_catalogue.variants[i].soak != SOAK_NOT &&
            strcmp(simtcheck_catalogue.variants[i].kernel, kernel) == 0)
            return &simtcheck_catalogue.variants[i];
    return NULL;
}

/* A corrected kernel with the arguments of one that `soak` runs is run, too. */
TEST(soak_runs_the_corrected_kernels)
{
    for (size_t i = 0; i < simtcheck_catalogue.count; i++) {
        const struct variant *variant = &simtcheck_catalogue.variants[i];
        for (size_t k = 0; k < simtcheck_catalogue.count; k++) {
            const struct variant *other = &simtcheck_catalogue.variants[k];
            if (other->soak != SOAK_NOT && variant->kind == VARIANT_CORRECTED &&
                variant->invoke == other->invoke && variant->contract == other->contract &&
                soaked(variant->kernel) == NULL)
                fail_msg("%s: the row needs .soak, as that of %s", variant->kernel, other->kernel);
        }
    }
}

static bool always(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    (void)shape;
    return true;
}

TEST(domain_holds_the_maximum_number_of_conditions)
{
    struct domain domain = {{{NULL, NULL, OUTSIDE_FAILS}}};
    for (size_t k = 0; k < MAX_CONDITIONS; k++) {
        assert_int_equal(domain_count(&domain), k);
        domain.conditions[k] = (struct condition){"always", always, OUTSIDE_FAILS};
    }
    assert_int_equal(domain_count(&domain), MAX_CONDITIONS);
}

/* Tests shapes of every kind. */
TEST(engine_finds_every_kernel)
{
    static const uint32_t blocks[] = {1, 2, 31, 64, 100, 128, 256, 512, 1000, 1024};
    static const uint64_t sizes[] = {0, 1, 8, 1000, 8192};
    for (size_t i = 0; i < simtcheck_catalogue.count; i++) {
        const struct variant *variant = &simtcheck_catalogue.variants[i];
        size_t launched = 0;
        if (variant->need != NEEDS_NOTHING && engine_lacks(engine, variant->need) != NULL)
            continue;
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++) {
                const struct shape shape = {{blocks[b], 1, 1}, {sizes[z], 1}, 0, 0, {0, 0}};
                struct invocation invocation;
                variant->invoke(variant, &shape, &invocation);
                if (invocation.kernel == NULL)
                    continue;
                launched++;
                if (launches_kernel(NULL, invocation.kernel) == NULL)
                    fail_msg("%s %s: no kernel is exported as '%s'", variant->id,
                             variant_kind_name(variant->kind), invocation.kernel);
                assert_in_range(invocation.buffer_count, 1, MAX_BUFFERS);
                assert_in_range(invocation.argument_count, 1, MAX_ARGUMENTS);
            }
        assert_true(launched > 0);
    }
}

/* A kernel without a table of instances keeps its own name, so that the engine can report it as
 * missing. */
TEST(kernel_without_instances_keeps_its_name)
{
    struct variant variant =
        *catalogue_find(&simtcheck_catalogue, "reduceCompleteUnroll", VARIANT_CORRECTED);
    struct shape shape = {{64, 1, 1}, {64, 1}, 0, 0, {0, 0}};
    struct invocation invocation;
    variant.kernel = "renamed";
    variant.invoke(&variant, &shape, &invocation);
    assert_string_equal(invocation.kernel, "renamed");
}

/* Rows that differ only in their names are the same. A row without a kernel equals no other row. */
TEST(rows_of_one_kernel_are_identified_as_the_same)
{
    const struct variant *row = &simtcheck_catalogue.variants[0];
    struct variant other = *row;

    other.id = "another name";
    other.source = "another page";
    other.label = "another label";
    other.soak = SOAK_MAP;
    assert_true(variant_is_same(row, &other));
    other.elements_per_thread++;
    assert_false(variant_is_same(row, &other));
    other = *row;
    other.family = "another file";
    assert_false(variant_is_same(row, &other));
    other = *row;
    other.kernel = "anotherKernel";
    assert_false(variant_is_same(row, &other));
    other.kernel = NULL;
    assert_false(variant_is_same(row, &other));
    assert_false(variant_is_same(&other, row));
}

/* The compiler cannot check that these tables cover their enumerations. */
TEST(every_enumerator_has_a_name)
{
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        assert_non_null(fault_name((enum fault_kind)kind));
    for (int model = 0; model < MODELS; model++)
        assert_non_null(model_name((enum model)model));
    for (int e = 0; e < NAMED_ENGINES; e++) {
        assert_int_equal(engine_kinds[e].id, e);
        assert_ptr_equal(engine_kind_find(engine_kinds[e].name), &engine_kinds[e]);
        assert_true(engine_kinds[e].simulates != engine_kinds[e].uses_a_gpu);
        assert_non_null(strstr(engine_kind_names(), engine_kinds[e].name));
    }
    assert_null(engine_kind_find("abacus"));
    assert_null(engine_kind_find(engine_kinds[ENGINE_CUDA_STRESS].name));
}

TEST_MAIN("catalogue", open_engine, close_engine)
