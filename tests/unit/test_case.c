/* SPDX-License-Identifier: MIT
 *
 * Case IDs and plans. A case ID describes its case completely, a plan depends only on the options,
 * and its shards contain each case once.
 */
#include "check.h"

#include "case_id.h"
#include "plan.h"

static const struct engine_kind *const host = &engine_kinds[ENGINE_SIM];

static const struct test_case example = {
    .shape = {{96, 1, 1}, {960, 1}, 0, 0, {0, 0}},
    .values = {VALUES_HASH, UINT64_MAX},
    .model = MODEL_INDEPENDENT,
    .schedule = {SCHEDULE_RANDOM, 7, {0}},
};

static struct test_case example_case(void)
{
    struct test_case test = example;
    test.variant = catalogue_find(&simtcheck_catalogue, "reduceInterleaved", VARIANT_ORIGINAL);
    assert_non_null(test.variant);
    return test;
}

static void assert_round_trip(const struct test_case *test)
{
    char case_id[CASE_ID_SIZE], again[CASE_ID_SIZE], reason[256];
    const struct engine_kind *engine;
    struct test_case read;

    case_id_format(test, host, case_id);
    assert_true(
        case_id_parse(case_id, &simtcheck_catalogue, &read, &engine, reason, sizeof reason));
    assert_ptr_equal(engine, host);
    case_id_format(&read, engine, again);
    assert_string_equal(case_id, again);
    assert_ptr_equal(read.variant, test->variant);
    assert_memory_equal(&read.shape.block, &test->shape.block, sizeof read.shape.block);
    assert_memory_equal(&read.shape.size, &test->shape.size, sizeof read.shape.size);
    assert_int_equal(read.model, test->model);
    assert_int_equal(read.profile, test->profile);
    assert_int_equal(read.default_limits, test->default_limits);
    assert_int_equal(read.schedule.kind, test->schedule.kind);
    assert_int_equal(read.schedule.seed, test->schedule.seed);
    assert_int_equal(read.values.pattern, test->values.pattern);
    assert_true(read.values.parameter == test->values.parameter);
}

TEST(case_ids_encode_every_field)
{
    struct test_case test = example_case();
    assert_round_trip(&test);
    test.schedule = (struct schedule){SCHEDULE_REVERSE, 0, {0}};
    test.model = MODEL_LOCKSTEP;
    test.variant = catalogue_find(&simtcheck_catalogue, "sumMatrixOnGPU2D", VARIANT_ORIGINAL);
    test.shape = (struct shape){{8, 4, 1}, {31, 33}, 0, 0, {0, 0}};
    for (int pattern = 0; pattern < VALUE_PATTERNS; pattern++) {
        bool numbered =
            pattern == VALUES_UNIT ||
            (pattern >= VALUES_HASH && pattern != VALUES_NEGATIVE_ZERO && pattern != VALUES_FILLED);
        test.values = (struct values){(enum value_pattern)pattern, numbered ? 5 : 0};
        assert_round_trip(&test);
    }
    test.variant = catalogue_find(&simtcheck_catalogue, "warpMap", VARIANT_CORRECTED);
    test.values = (struct values){VALUES_ONES, 0};
    test.shape = (struct shape){{1, 2, 1}, {0, 1}, 0, 0, {0, 0}};
    assert_round_trip(&test);
    test.shape = (struct shape){{8, 4, 2}, {7, 1}, 0, 0, {0, 0}};
    test.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    assert_round_trip(&test);
}

static void assert_rejected(const char *case_id)
{
    struct test_case test;
    const struct engine_kind *engine;
    char reason[256] = "";
    assert_false(
        case_id_parse(case_id, &simtcheck_catalogue, &test, &engine, reason, sizeof reason));
    assert_string_not_equal(reason, "");
}

/* Every shortened case ID and every changed character is detected. */
TEST(damaged_case_ids_are_rejected)
{
    struct test_case test = example_case();
    char case_id[CASE_ID_SIZE], damaged[CASE_ID_SIZE + 2];

    case_id_format(&test, host, case_id);
    for (size_t length = 0; length < strlen(case_id); length++) {
        strcpy(damaged, case_id);
        damaged[length] = '\0';
        assert_rejected(damaged);
        strcpy(damaged, case_id);
        damaged[length] = case_id[length] == 'x' ? 'y' : 'x';
        assert_rejected(damaged);
    }
    strcpy(damaged, case_id);
    strcat(damaged, "x");
    assert_rejected(damaged);
}

/* A complete case ID, with a valid checksum, that names an invalid case. */
TEST(malformed_case_ids_are_rejected)
{
    struct variant stranger = *example_case().variant;
    struct test_case test = example_case();
    char case_id[CASE_ID_SIZE];

    stranger.id = "noSuchKernel";
    test.variant = &stranger;
    case_id_format(&test, host, case_id);
    assert_rejected(case_id);
    test = example_case();
    test.shape.block.x = 1025;
    case_id_format(&test, host, case_id);
    assert_rejected(case_id);
    test.shape.block.x = 0;
    case_id_format(&test, host, case_id);
    assert_rejected(case_id);
    test = example_case();
    test.shape.size[0] = SIZE_LIMIT + 1;
    case_id_format(&test, host, case_id);
    assert_rejected(case_id);
}

/* These kernels cannot detect an extra block: an original variant, one thread, halved grids. */
TEST(too_many_blocks_are_rejected)
{
    static const struct {
        const char *id;
        enum variant_kind kind;
        bool takes;
    } kernels[] = {{"reduceNeighbored", VARIANT_CORRECTED, true},
                   {"reduceNeighbored", VARIANT_ORIGINAL, false},
                   {"recursiveReduce", VARIANT_CORRECTED, false},
                   {"nestedHelloWorldNew", VARIANT_CORRECTED, false}};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        struct test_case test = example_case(), parsed;
        const struct engine_kind *engine;
        char case_id[CASE_ID_SIZE], reason[256];
        test.variant = catalogue_find(&simtcheck_catalogue, kernels[k].id, kernels[k].kind);
        test.shape = (struct shape){{1, 1, 1}, {8, 1}, 1, 0, {0, 0}};
        assert_int_equal(variant_takes(test.variant, &test.shape), kernels[k].takes);
        case_id_format(&test, host, case_id);
        assert_int_equal(
            case_id_parse(case_id, &simtcheck_catalogue, &parsed, &engine, reason, sizeof reason),
            kernels[k].takes);
        if (!kernels[k].takes)
            assert_non_null(strstr(reason, "does not support extra blocks"));
    }
}

TEST(outcome_kinds_are_distinguished)
{
    struct outcome pass = {.kind = OUTCOME_PASS}, wrong = {.kind = OUTCOME_MISMATCH};
    struct outcome out_of_bounds = {.kind = OUTCOME_FAULT,
                                    .fault = {.kind = FAULT_OUT_OF_BOUNDS_READ}};
    struct outcome hang = {.kind = OUTCOME_FAULT, .fault = {.kind = FAULT_TIMEOUT}};
    struct outcome rows = {
        .kind = OUTCOME_FAULT,
        .fault = {.kind = FAULT_LAUNCH, .reason = "a row has 64 bytes: at most 32"}};
    struct outcome row = rows, size = rows;
    strcpy(row.fault.reason, "a row has 128 bytes: at most 64");
    strcpy(size.fault.reason, "size 1 is 0");
    assert_false(outcome_same_finding(&pass, &pass));
    assert_true(outcome_same_finding(&wrong, &wrong));
    assert_false(outcome_same_finding(&wrong, &out_of_bounds));
    assert_true(outcome_same_finding(&out_of_bounds, &out_of_bounds));
    assert_false(outcome_same_finding(&out_of_bounds, &hang));
    assert_true(outcome_same_finding(&rows, &row));
    assert_false(outcome_same_finding(&rows, &size));
}

static struct plan_request request_of(unsigned int level)
{
    struct plan_request request = {
        .models = {true, true},
        .schedules = {{SCHEDULE_SEQUENTIAL, 0, {0}},
                      {SCHEDULE_REVERSE, 0, {0}},
                      {SCHEDULE_RANDOM, 1, {0}}},
        .schedule_count = 3,
        .seed = 1,
        .level = level,
        .sizes_per_block = 8,
    };
    return request;
}

TEST(plans_depend_only_on_the_request)
{
    struct plan_request request = request_of(1);
    const struct variant *variant = example_case().variant;
    struct plan first, second, gpu, other;
    struct test_case a, b;
    char case_id[CASE_ID_SIZE], again[CASE_ID_SIZE];
    bool differs = false;

    assert_true(plan_make(&request, variant, true, 0, &first));
    assert_true(plan_make(&request, variant, true, 0, &second));
    assert_true(plan_make(&request, variant, false, 0, &gpu));
    assert_true(plan_make(&request, variant, true, 1, &other));
    assert_int_equal(plan_count(&first), plan_count(&second));
    for (uint64_t i = 0; i < plan_count(&first); i++) {
        plan_case(&first, i, &a);
        plan_case(&second, i, &b);
        case_id_format(&a, host, case_id);
        case_id_format(&b, host, again);
        assert_string_equal(case_id, again);
    }
    /* A GPU runs the same shapes and values once each. */
    assert_int_equal(plan_count(&first), 6 * plan_count(&gpu));
    for (uint64_t i = 0; i < plan_count(&gpu); i++) {
        plan_case(&first, 6 * i, &a);
        plan_case(&gpu, i, &b);
        b.model = a.model;
        b.schedule = a.schedule;
        case_id_format(&a, host, case_id);
        case_id_format(&b, host, again);
        assert_string_equal(case_id, again);
    }
    for (uint64_t i = 0; i < plan_count(&other) && i < plan_count(&first); i++) {
        plan_case(&first, i, &a);
        plan_case(&other, i, &b);
        differs = differs || a.shape.size[0] != b.shape.size[0];
    }
    assert_true(differs); /* another round of level 3 has another plan */
    plan_free(&first);
    plan_free(&second);
    plan_free(&gpu);
    plan_free(&other);
}

TEST(level_2_covers_every_block_with_different_sizes)
{
    struct plan_request request = request_of(2);
    const struct variant *corrected =
        catalogue_find(&simtcheck_catalogue, "reduceNeighbored", VARIANT_CORRECTED);
    struct plan plan;
    unsigned int models[MODELS] = {0}, schedules[3] = {0}, patterns[VALUE_PATTERNS] = {0};

    assert_true(plan_make(&request, corrected, true, 0, &plan));
    enum { SIZES = 8, SURPLUS = 1024 / 8 }; /* one extra-block case per 8 blocks */
    uint64_t seen = 0, first = 0;
    assert_int_equal(plan_count(&plan), 1024 * SIZES + SURPLUS);
    for (uint64_t i = 0; i < plan_count(&plan); i++) {
        struct test_case test;
        plan_case(&plan, i, &test);
        if (test.shape.surplus > 0)
            continue;
        assert_int_equal(test.shape.block.x, seen / SIZES + 1);
        if (seen++ % SIZES == 0)
            first = i;
        for (uint64_t j = first; j < i; j++)
            assert_int_not_equal(plan_shape(&plan, j)->shape.size[0], test.shape.size[0]);
        models[test.model]++;
        schedules[test.schedule.kind]++;
        patterns[test.values.pattern]++;
    }
    for (int m = 0; m < MODELS; m++)
        assert_true(models[m] > 4000);
    assert_true(patterns[VALUES_HASH] > 3000);
    assert_true(patterns[VALUES_BYTES] > 1000);
    for (int s = 0; s < 3; s++)
        assert_true(schedules[s] > 2500);
    plan_free(&plan);
}

/* A known defect has every combination tried inside its domain. Outside, each model runs once,
 * unless the order of grids may matter. */
TEST(known_defects_are_searched_inside_the_domain)
{
    struct plan_request request = request_of(2);
    static const char *const ids[] = {"reduceUnrollWarps8", "gpuRecursiveReduceNosync"};

    for (int nests = 0; nests < 2; nests++) {
        const struct variant *variant =
            catalogue_find(&simtcheck_catalogue, ids[nests], VARIANT_ORIGINAL);
        struct plan plan;
        uint64_t index = 0, cases[2] = {0};
        assert_true(plan_make(&request, variant, true, 0, &plan));
        for (size_t s = 0; s < plan.shape_count; s++) {
            if (plan.shapes[s].default_limits) {
                index += plan.shapes[s].cases;
                continue;
            }
            bool outside = plan.shapes[s].violations != 0;
            size_t models[MODELS] = {0}, orders[3] = {0},
                   count = plan.shapes[s].cases;
            struct values values = {0};
            assert_int_equal(plan.shapes[s].first, index);
            for (size_t k = 0; k < count; k++, index++) {
                struct test_case test;
                assert_ptr_equal(plan_shape(&plan, index), &plan.shapes[s]);
                plan_case(&plan, index, &test);
                models[test.model]++;
                orders[test.schedule.kind]++;
                values = k == 0 ? test.values : values;
                assert_memory_equal(&values, &test.values, sizeof values);
                cases[outside]++;
            }
            assert_int_equal(models[MODEL_INDEPENDENT], models[MODEL_LOCKSTEP]);
            assert_int_equal(count,
                             outside && !nests ? MODELS : plan.model_count * plan.schedule_count);
            if (count > MODELS)
                assert_true(orders[0] > 0 && orders[1] > 0 && orders[2] > 0);
        }
        assert_int_equal(index, plan_count(&plan));
        assert_true(cases[0] > 0 && cases[1] > 0);
        plan_free(&plan);
    }
}

/* Every nested kernel runs at the default limits on both sides of what fits, in the order in which
 * most launches are pending. Other cases keep their IDs. */
TEST(default_limits_are_tried_where_a_tree_passes_them)
{
    const struct plan_request request = request_of(2), races = request_of(1);
    const struct extent block = {8, 1, 1};
    struct plan_request chosen = request;

    chosen.blocks = &block;
    chosen.block_count = 1;
    for (size_t v = 0; v < simtcheck_catalogue.count; v++) {
        const struct variant *variant = &simtcheck_catalogue.variants[v];
        const struct plan_request *const none[] = {&races, &chosen};
        size_t fit = 0, fail = 0;
        struct plan plan;
        assert_true(plan_make(&request, variant, true, 0, &plan));
        for (size_t s = 0; s < plan.shape_count; s++) {
            struct test_case test;
            char case_id[CASE_ID_SIZE];
            plan_case(&plan, plan.shapes[s].first, &test);
            case_id_format(&test, host, case_id);
            assert_int_equal(test.default_limits, strstr(case_id, "-limits:") != NULL);
            if (!test.default_limits)
                continue;
            assert_round_trip(&test);
            assert_int_equal(plan.shapes[s].cases, 1);
            assert_int_equal(test.schedule.kind, SCHEDULE_SEQUENTIAL);
            assert_int_equal(variant_violations(variant, &test.shape), 0);
            *(oracle_limit_error(variant, &test.shape, test.profile == PROFILE_CDP1).text != NULL
                  ? &fail
                  : &fit) += 1;
        }
        plan_free(&plan);
        assert_int_equal(fit > 0, variant->launches != LAUNCHES_NOTHING);
        assert_int_equal(fail, variant->launches == LAUNCHES_PAIRS ? 2
                               : variant->launches != LAUNCHES_NOTHING &&
                                       variant->launches != LAUNCHES_HALF_GRIDS &&
                                       variant->launches != LAUNCHES_SUM_GRIDS
                                   ? 1
                                   : 0);
        for (size_t n = 0; n < 2; n++) {
            assert_true(plan_make(none[n], variant, true, 0, &plan));
            if (n == 0)
                plan_keep_inside(&plan);
            for (size_t s = 0; s < plan.shape_count; s++)
                assert_false(plan.shapes[s].default_limits);
            plan_free(&plan);
        }
    }
}

/* With two dimensions there are many blocks, and each gets one half of the sizes or the other. If
 * the request names the number of sizes or the blocks, each block gets all. */
TEST(level_2_distributes_sizes_over_many_blocks)
{
    enum { SIZES = 4 };
    struct plan_request request = request_of(2);
    const struct variant *variant =
        catalogue_find(&simtcheck_catalogue, "sumMatrixOnGPU2D", VARIANT_CORRECTED);
    const struct extent block = {8, 4, 1};
    struct plan plan;
    enum { OWN, EMPTY, ONE, BESIDE, KINDS };
    uint64_t all = 0, narrow = 0, surplus = 0, seen[2][KINDS] = {{0}};

    request.sizes_per_block = 0;
    assert_true(plan_make(&request, variant, true, 0, &plan));
    for (size_t s = 0; s < plan.shape_count; s++) {
        const struct shape *shape = &plan.shapes[s].shape;
        uint64_t *of = seen[shape->surplus > 0];
        of[OWN] += shape->size[0] == shape->block.x && shape->size[1] == shape->block.y;
        of[EMPTY] += shape->size[0] == 0;
        of[ONE] += shape_elements(shape) == 1;
        of[BESIDE] += shape->size[0] == shape->block.x + 1;
        if (shape->surplus > 0) {
            surplus++;
        } else if (shape_threads(shape) <= 2) {
            narrow++;
        } else {
            all++;
        }
    }
    assert_int_equal(narrow, 3 * 2 * SIZES); /* 1x1, 1x2 and 2x1 */
    assert_int_equal(all, (plan.blocks - 3) * SIZES);
    for (int kind = 0; kind < KINDS; kind++) { /* random sizes may add more */
        assert_in_range(seen[false][kind], plan.blocks * 9 / 20, plan.blocks * 15 / 20);
        assert_true(seen[true][kind] > surplus / 10);
    }
    assert_int_equal(surplus, (plan.blocks + 7) / 8);
    plan_free(&plan);

    request.blocks = &block;
    request.block_count = 1;
    assert_true(plan_make(&request, variant, true, 0, &plan));
    assert_int_equal(plan.shape_count, 2 * SIZES + 1);
    plan_free(&plan);
    request.blocks = NULL;
    request.block_count = 0;
    request.sizes_per_block = 8;
    assert_true(plan_make(&request, variant, true, 0, &plan));
    assert_int_equal(plan.shape_count, plan.blocks * 2 * SIZES + surplus);
    plan_free(&plan);
}

/* Outside a domain a case violates one condition at a time. Each condition is violated somewhere.
 */
TEST(plans_violate_one_condition_at_a_time)
{
    struct plan_request request = request_of(1);
    const struct variant *variant = example_case().variant;
    struct plan plan;
    uint32_t seen = 0;

    assert_true(plan_make(&request, variant, true, 0, &plan));
    for (size_t s = 0; s < plan.shape_count; s++) {
        uint32_t violations = plan.shapes[s].violations;
        assert_int_equal(violations, variant_violations(variant, &plan.shapes[s].shape));
        assert_int_equal(violations & (violations - 1), 0);
        seen |= violations;
    }
    assert_int_equal(seen, 7);
    assert_true(plan.left_out > 0);
    plan_free(&plan);
}

/* ---- Shards ---- */

TEST(each_case_is_in_exactly_one_shard)
{
    const struct plan_request request = request_of(1);
    for (size_t v = 0; v < simtcheck_catalogue.count; v++)
        for (uint64_t count = 1; count <= 5; count += 2) {
            const struct variant *variant = &simtcheck_catalogue.variants[v];
            struct plan whole, part;
            size_t shapes = 0;
            assert_true(plan_make(&request, variant, true, 0, &whole));
            for (uint64_t number = 1; number <= count; number++) {
                const struct shard shard = {number, count};
                assert_true(plan_make(&request, variant, true, 0, &part));
                plan_shard(&part, &shard);
                /* Consecutive cases belong to different shards. */
                assert_true(part.shape_count >= whole.shape_count / count &&
                            part.shape_count <= whole.shape_count / count + 1);
                for (uint64_t k = 0; k < plan_count(&part); k++) {
                    const struct planned_shape *planned = plan_shape(&part, k);
                    char one[CASE_ID_SIZE], other[CASE_ID_SIZE];
                    struct test_case test, same;
                    plan_case(&part, k, &test);
                    plan_case(&whole, whole.shapes[planned->number].first + k - planned->first,
                              &same);
                    case_id_format(&test, &engine_kinds[ENGINE_SIM], one);
                    case_id_format(&same, &engine_kinds[ENGINE_SIM], other);
                    assert_string_equal(one, other);
                }
                for (size_t k = 0; k < part.shape_count; k++)
                    whole.shapes[part.shapes[k].number].violations |= 1u << 31;
                shapes += part.shape_count;
                plan_free(&part);
            }
            assert_int_equal(shapes, whole.shape_count);
            for (size_t k = 0; k < whole.shape_count; k++)
                assert_true(whole.shapes[k].violations >> 31);
            plan_free(&whole);
        }
}

/* Each shard gets some of the cases that recur every few pieces, such as a block's largest size. */
TEST(recurring_cases_are_spread_over_shards)
{
    for (uint64_t count = 2; count <= 8; count++)
        for (uint64_t number = 1; number <= count; number++) {
            const struct shard shard = {number, count};
            for (uint64_t kind = 0; kind < 8; kind++) {
                uint64_t some = 0;
                for (uint64_t piece = kind; piece < 8 * 256; piece += 8)
                    some += shard_has(&shard, shard_salt("a kernel"), piece);
                assert_in_range(some, 256 / count / 2, 256 / count * 2);
            }
        }
}

static struct race race_between(int first, int second)
{
    struct race race = {.place = "in[3]", .first = {.line = first}, .second = {.line = second}};

    strcpy(race.first.file, "kernels/pair.cu");
    strcpy(race.second.file, "kernels/pair.cu");
    return race;
}

/* A known defect covers pairs whose accesses lie in its regions, one on each side, in its file. */
TEST(known_defects_name_pairs_of_their_regions)
{
    static const struct defect_region regions[] = {{"pair", 10, 12, DEFECT_ONE_SIDE},
                                                   {"pair", 20, 20, DEFECT_OTHER_SIDE},
                                                   {"pair", 30, 31, DEFECT_BOTH_SIDES},
                                                   {"elsewhere", 40, 40, DEFECT_BOTH_SIDES},
                                                   {0}};
    static const struct known_defect known_defect = {.place = "in", .regions = regions};
    static const struct {
        int first, second;
        bool expected;
    } pairs[] = {{10, 20, true},  {20, 12, true},  {11, 12, false}, {20, 20, false},
                 {9, 20, false},  {13, 20, false}, {30, 31, true},  {30, 30, true},
                 {10, 31, true},  {29, 30, false}, {30, 32, false}, {40, 40, false},
                 {20, 40, false}, {0, 0, false}};
    struct variant variant = {.family = "pair", .known_defect = &known_defect};
    struct race race;

    assert_true(variant_marks_known_defect(&variant));
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        race = race_between(pairs[k].first, pairs[k].second);
        if (race_is_expected(&variant, &race) != pairs[k].expected)
            fail_msg("lines %d and %d", pairs[k].first, pairs[k].second);
    }
    race = race_between(30, 31);
    strcpy(race.second.file, "kernels/other.cu");
    assert_false(race_is_expected(&variant, &race));
    race = race_between(30, 31);
    strcpy(race.place, "out[3]");
    assert_false(race_is_expected(&variant, &race));
    variant.family = "other";
    assert_false(variant_marks_known_defect(&variant));
}

TEST_MAIN("case", NULL, NULL)
