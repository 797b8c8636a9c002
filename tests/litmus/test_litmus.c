/* SPDX-License-Identifier: MIT
 *
 * Litmus tests: their text, and the axioms of the memory model.
 */
#include "check.h"

#include "decode.h"
#include "litmus_kernel.h"
#include "litmus_report.h"

/* ---- Reading ---- */

static struct litmus_tests read_tests(const char *text)
{
    struct litmus_tests tests = {.count = 0};
    char error[256] = "";

    if (!litmus_read(text, &tests, error, sizeof error))
        fail_msg("%s: %s", error, text);
    return tests;
}

/* Expects the text to have this mistake. */
static void expect_mistake(const char *text, const char *expected)
{
    struct litmus_tests tests = {.count = 0};
    char error[256] = "";

    assert_false(litmus_read(text, &tests, error, sizeof error));
    assert_string_equal(error, expected);
    free(tests.list);
}

TEST(a_test_is_read)
{
    struct litmus_tests tests = read_tests("PTX name\n"
                                           "\"A description.\"\n"
                                           "{ x = 3; shared y = 0; z aliases x; P1:r2 = 4; }\n"
                                           " P0@cta 0, gpu 0 | P1@cta 0, warp 7 ;\n"
                                           " st.relaxed.cluster x, 1 | LOOP: ;\n"
                                           " bar.sync 2 | atom.acquire.gpu.cas r1, [x], 0, r2 ;\n"
                                           "exists (P1:r1 == 3 /\\ ~(y = 1 \\/ x != 2))\n");
    const struct litmus_test *test = &tests.list[0];
    const struct litmus_instruction *cas = &test->threads[1].instructions[0];

    assert_int_equal(tests.count, 1);
    assert_string_equal(test->name, "name");
    assert_int_equal(test->thread_count, 2);
    assert_int_equal(test->variables[0].initial, 3);
    assert_true(test->variables[1].is_shared);
    assert_int_equal(test->variables[2].location, 0);
    assert_int_equal(test->threads[1].initial[2], 4);
    assert_int_equal(test->threads[1].warp, 7);
    assert_int_equal(test->threads[0].count, 2);
    assert_int_equal(test->threads[0].instructions[0].scope, SCOPE_CLUSTER);
    assert_int_equal(test->threads[0].instructions[1].barrier, 2);
    assert_int_equal(cas->operation, OPERATION_CAS);
    assert_true(cas->b.is_register);
    assert_int_equal(test->term_count, 3);
    assert_true(litmus_condition_holds(test, (int[]){3, 0, 2}));
    assert_false(litmus_condition_holds(test, (int[]){3, 1, 2}));
    assert_false(litmus_condition_holds(test, (int[]){3, 0, 1}));
    free(tests.list);
}

TEST(lines_of_verdicts_make_tests)
{
    struct litmus_tests tests =
        read_tests("PTX T\n{ x = 0; }\n P0 | P1 ;\n"
                   " st.$form x, 1 | ld.weak r0, x ;\n"
                   "exists (P1:r0 == 1)\n"
                   "allowed for form in weak release.gpu, place in warp gpu\n"
                   "forbidden for form in volatile, place in cluster\n");

    assert_int_equal(tests.count, 5);
    assert_string_equal(tests.list[0].name, "T/weak/warp");
    assert_string_equal(tests.list[3].name, "T/release.gpu/gpu");
    assert_int_equal(tests.list[3].verdict, VERDICT_ALLOWED);
    assert_int_equal(tests.list[3].threads[0].instructions[0].order, ORDER_RELEASE);
    assert_true(litmus_in_scope(&tests.list[0].threads[0], &tests.list[0].threads[1], SCOPE_CTA));
    assert_false(
        litmus_in_scope(&tests.list[3].threads[0], &tests.list[3].threads[1], SCOPE_CLUSTER));
    assert_int_equal(tests.list[4].verdict, VERDICT_FORBIDDEN);
    assert_true(
        litmus_in_scope(&tests.list[4].threads[0], &tests.list[4].threads[1], SCOPE_CLUSTER));
    assert_false(litmus_in_scope(&tests.list[4].threads[0], &tests.list[4].threads[1], SCOPE_CTA));
    free(tests.list);
}

TEST(mistakes_are_reported_with_their_line)
{
    static const char head[] = "PTX T\n{ x = 0; }\n P0@cta 0 | P1@cta 1 ;\n";
    char text[512];
    static const char *const rows[][2] = {
        {" st.weak x, 1 | ld.weka r0, x ;\n",
         "4: instruction 'ld.weka' is not supported (docs/litmus.md lists those that are)"},
        {" st.release x, 1 | ;\n", "4: st.release needs a scope: cta, cluster, gpu or sys"},
        {" st.acquire.gpu x, 1 | ;\n",
         "4: instruction 'st.acquire.gpu' is not supported (docs/litmus.md lists those that are)"},
        {" sust.weak x, 1 | ;\n",
         "4: instruction 'sust.weak' is not supported (docs/litmus.md lists those that are)"},
        {" fence.proxy.constant | ;\n", "4: instruction 'fence.proxy.constant' is not supported "
                                        "(docs/litmus.md lists those that are)"},
        {" ld.weak r16, x | ;\n", "4: register r16: a thread has r0 to r15"},
        {" bar.sync 1, 64 | ;\n", "4: a barrier with a number of threads is not supported"},
        {" L: | ;\n goto L | ;\n", "6: thread P0 jumps back to 'L': loops are not supported"},
        {" goto L | ;\n", "5: thread P0 has no label 'L'"},
        {" | | ;\n", "4: a row has more cells than there are threads"},
        {" st.weak $y, 1 | ;\n", "4: no line of verdicts gives '$y' a value"},
        {"exists (P2:r0 == 1)\n", "4: there is no thread P2"},
        {"exists (P0:r0 == 1) x\n", "4: unexpected text after the condition"},
        {"forbid (P0:r0 == 1)\n",
         "4: instruction 'forbid' is not supported (docs/litmus.md lists those that are)"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        snprintf(text, sizeof text, "%s%s%s", head, rows[k][0],
                 strstr(rows[k][0], "exists") == NULL ? "exists (P0:r0 == 1)\n" : "");
        expect_mistake(text, rows[k][1]);
    }
    expect_mistake("int main;\n", "1: no test: a test begins with 'PTX NAME'");
    expect_mistake("PTX T\n{ z @ surface aliases x; }\n",
                   "2: the model has no rules for proxies other than the generic one");
    expect_mistake("PTX T\n{ shared x = 0; }\n P0@cta 0 | P1@cta 1 ;\n"
                   " st.weak x, 1 | st.weak x, 2 ;\nexists (x == 1)\n",
                   "5: variable 'x' is shared memory of P0, but P1 is in another cluster");
    expect_mistake("PTX T\n{ shared@P2 x = 0; }\n P0 | P1 ;\n"
                   " st.weak x, 1 | st.weak x, 2 ;\nexists (x == 1)\n",
                   "5: there is no thread P2");
    expect_mistake("PTX T\n{ shared@P1 x = 0; }\n P0 ;\n ;\nexists (x == 1)\n",
                   "5: there is no thread P1");
    expect_mistake("PTX T\n{ shared@P6 x = 0; }\n", "2: a test has at most 6 threads");
}

TEST(a_deep_condition_is_rejected)
{
    enum { DEPTH = 1 << 20 };
    static const char head[] = "PTX T\n{ x = 0; }\n P0 ;\n st.weak x, 1 ;\nexists ";
    char *text = malloc(sizeof head + DEPTH);

    assert_non_null(text);
    memcpy(text, head, sizeof head);
    memset(text + sizeof head - 1, '(', DEPTH);
    text[sizeof head - 1 + DEPTH] = '\0';
    expect_mistake(text, "5: a condition has at most 64 levels");
    free(text);
}

/* ---- The built-in tests ---- */

/* Checks each verdict of the files, which are derived by hand. An outcome of an interleaving is
 * allowed under any model, and an outcome of racy threads is one of the allowed ones. */
TEST(the_verdicts_of_the_files_are_those_of_the_model)
{
    struct litmus_tests tests = read_tests(litmus_collection);
    size_t weak = 0;

    for (size_t k = 0; k < tests.count; k++) {
        const struct litmus_test *test = &tests.list[k];
        struct litmus_outcomes outcomes;
        char error[256];

        assert_int_not_equal(test->verdict, VERDICT_NONE);
        assert_true(litmus_outcomes_of(test, AXIOMS_ALL, &outcomes, error, sizeof error));
        if (litmus_is_allowed(test, &outcomes) != (test->verdict == VERDICT_ALLOWED))
            fail_msg("%s: the model and the file differ", test->name);
        for (size_t n = 0; n < outcomes.count; n++)
            if (!outcomes.list[n].is_allowed)
                fail_msg("%s: an interleaving has an outcome that is not allowed", test->name);
        weak += litmus_is_allowed(test, &outcomes) && !litmus_is_sequential(test, &outcomes);
        free(outcomes.list);
    }
    assert_true(tests.count >= 80);
    assert_true(weak >= 80);
    free(tests.list);
}

/* Where the threads of a test are, and its variables: in global memory, in shared memory of the
 * block, or in that of another block. */
enum place {
    GLOBAL_WARP,
    GLOBAL_BLOCK,
    GLOBAL_CLUSTER,
    GLOBAL_GPU,
    SHARED_WARP,
    SHARED_BLOCK,
    SHARED_CLUSTER,
    PLACES
};

static bool all_in(const struct litmus_test *test, enum litmus_scope scope)
{
    for (int t = 1; t < test->thread_count; t++)
        if (!litmus_in_scope(&test->threads[0], &test->threads[t], scope))
            return false;
    return true;
}

static enum place place_of(const struct litmus_test *test)
{
    bool same_warp = true, is_shared = false;

    for (int t = 1; t < test->thread_count; t++)
        same_warp = same_warp && test->threads[t].warp == test->threads[0].warp;
    for (int v = 0; v < test->variable_count; v++)
        is_shared = is_shared || test->variables[v].is_shared;
    if (all_in(test, SCOPE_CTA))
        return (is_shared ? SHARED_WARP : GLOBAL_WARP) + !same_warp;
    if (is_shared)
        return SHARED_CLUSTER;
    return all_in(test, SCOPE_CLUSTER) ? GLOBAL_CLUSTER : GLOBAL_GPU;
}

TEST(each_question_is_asked_at_each_place)
{
    static const char *const questions[] = {"MP",  "SB",   "LB",   "2+2W", "S",     "R",
                                            "WRC", "IRIW", "CoRR", "CoWR", "CoRW2", "RMW"};
    struct litmus_tests tests = read_tests(litmus_collection);

    for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++) {
        const size_t length = strlen(questions[q]);
        bool has[PLACES] = {false};

        for (size_t k = 0; k < tests.count; k++)
            if (strncmp(tests.list[k].name, questions[q], length) == 0 &&
                strchr("/+-", tests.list[k].name[length]) != NULL)
                has[place_of(&tests.list[k])] = true;
        for (int place = 0; place < PLACES; place++)
            if (!has[place])
                fail_msg("no test of %s at place %d", questions[q], place);
    }
    free(tests.list);
}

TEST(names_are_unique)
{
    struct litmus_tests tests = read_tests(litmus_collection);

    for (size_t a = 0; a < tests.count; a++)
        for (size_t b = 0; b < a; b++)
            assert_string_not_equal(tests.list[a].name, tests.list[b].name);
    free(tests.list);
}

/* ---- Axioms ---- */

/* Returns whether the axioms allow the condition of the built-in test. */
static bool is_allowed(const char *name, unsigned int axioms)
{
    struct litmus_tests tests = read_tests(litmus_collection);
    bool answer = false, found = false;

    for (size_t k = 0; k < tests.count; k++)
        if (strcmp(tests.list[k].name, name) == 0) {
            struct litmus_outcomes outcomes;
            char error[256];

            assert_true(litmus_outcomes_of(&tests.list[k], axioms, &outcomes, error, sizeof error));
            answer = litmus_is_allowed(&tests.list[k], &outcomes);
            free(outcomes.list);
            found = true;
        }
    assert_true(found);
    free(tests.list);
    return answer;
}

/* Each of these tests is forbidden by one axiom alone. */
TEST(each_axiom_forbids_a_test)
{
    static const struct {
        enum axiom axiom;
        const char *name;
    } rows[] = {
        {AXIOM_COHERENCE, "S+release+acquire/gpu/gpu"},
        {AXIOM_ATOMICITY, "RMW-increments/gpu/gpu"},
        {AXIOM_NO_THIN_AIR, "LB+data/relaxed.gpu/gpu"},
        {AXIOM_CAUSALITY, "MP+release+acquire/gpu/gpu"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        assert_false(is_allowed(rows[k].name, AXIOMS_ALL));
        assert_true(is_allowed(rows[k].name, AXIOMS_ALL & ~(unsigned int)rows[k].axiom));
        assert_false(is_allowed(rows[k].name, rows[k].axiom));
    }
}

/* SC-per-Location forbids what Causality and Coherence forbid, too. */
TEST(sc_per_location_orders_the_accesses_of_a_variable)
{
    static const char *const names[] = {"CoRR/relaxed.gpu/gpu", "CoWR/relaxed.gpu/gpu",
                                        "CoRW2/relaxed.gpu/gpu", "CoWW/weak", "CoRW/weak"};

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        assert_true(is_allowed(names[k], 0));
        assert_false(is_allowed(names[k], AXIOM_SC_PER_LOCATION));
        assert_false(is_allowed(names[k], AXIOMS_ALL & ~(unsigned int)AXIOM_SC_PER_LOCATION));
    }
}

/* The barrier orders the fences. Without the axiom, Fence-SC order may be the opposite. */
TEST(fence_sc_order_does_not_contradict_causality)
{
    struct litmus_tests tests = read_tests("PTX T\n{ x = 0; }\n P0@cta 0 | P1@cta 0 ;\n"
                                           " fence.sc.cta | bar.sync 0 ;\n"
                                           " bar.sync 0 | fence.sc.cta ;\n"
                                           "exists (x == 0)\n");
    struct litmus_outcomes outcomes;
    char error[256];

    assert_true(litmus_outcomes_of(tests.list, AXIOMS_ALL, &outcomes, error, sizeof error));
    assert_int_equal(outcomes.executions, 1);
    free(outcomes.list);
    assert_true(litmus_outcomes_of(tests.list, AXIOMS_ALL & ~(unsigned int)AXIOM_FENCE_SC,
                                   &outcomes, error, sizeof error));
    assert_int_equal(outcomes.executions, 2);
    free(outcomes.list);
    free(tests.list);
}

/* docs/litmus.md explains why. */
TEST(two_axioms_change_no_verdict)
{
    const unsigned int others =
        AXIOMS_ALL & ~(unsigned int)(AXIOM_FENCE_SC | AXIOM_SC_PER_LOCATION);
    struct litmus_tests tests = read_tests(litmus_collection);

    for (size_t k = 0; k < tests.count; k++) {
        struct litmus_outcomes outcomes;
        char error[256];

        assert_true(litmus_outcomes_of(&tests.list[k], others, &outcomes, error, sizeof error));
        assert_int_equal(litmus_is_allowed(&tests.list[k], &outcomes),
                         tests.list[k].verdict == VERDICT_ALLOWED);
        free(outcomes.list);
    }
    free(tests.list);
}

/* ---- Details of the model ---- */

static struct litmus_outcomes outcomes_of(const struct litmus_test *test)
{
    struct litmus_outcomes outcomes;
    char error[256];

    assert_true(litmus_outcomes_of(test, AXIOMS_ALL, &outcomes, error, sizeof error));
    return outcomes;
}

TEST(data_races_are_conflicts_that_nothing_orders)
{
    static const struct {
        const char *store, *load;
        bool is_racy;
    } rows[] = {
        {"weak", "weak", true},
        {"relaxed.gpu", "relaxed.gpu", false},
        {"relaxed.gpu", "relaxed.cta", true},
        {"relaxed.gpu", "weak", true},
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct litmus_tests tests;
        struct litmus_outcomes outcomes;
        char text[256];

        snprintf(text, sizeof text,
                 "PTX T\n{ x = 0; }\n P0@cta 0 | P1@cta 1 ;\n st.%s x, 1 | ld.%s r0, x ;\n"
                 "exists (P1:r0 == 1)\n",
                 rows[k].store, rows[k].load);
        tests = read_tests(text);
        outcomes = outcomes_of(tests.list);
        assert_int_equal(outcomes.count, 2);
        assert_int_equal(outcomes.list[0].is_racy, rows[k].is_racy);
        free(outcomes.list);
        free(tests.list);
    }
}

/* Two barriers in opposite orders: the threads wait for each other, and no execution ends. */
TEST(a_deadlock_has_no_outcome)
{
    struct litmus_tests tests = read_tests("PTX T\n{ x = 0; }\n P0@cta 0 | P1@cta 0 ;\n"
                                           " bar.sync 0 | bar.sync 1 ;\n"
                                           " bar.sync 1 | bar.sync 0 ;\n"
                                           "exists (x == 0)\n");
    struct litmus_outcomes outcomes = outcomes_of(tests.list);

    assert_int_equal(outcomes.count, 0);
    free(outcomes.list);
    free(tests.list);
}

/* Expects the test with that instruction in `rows` rows of six threads to be too large. */
static void expect_too_large(const char *instruction, int rows, const char *expected)
{
    char text[4096] = "PTX T\n{ x = 0; }\n P0 | P1 | P2 | P3 | P4 | P5 ;\n", error[256];
    struct litmus_outcomes outcomes;
    struct litmus_tests tests;

    for (int cell = 0; cell < 6 * rows; cell++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %s %c", instruction,
                 cell % 6 == 5 ? ';' : '|');
    strcat(text, " exists (x == 1)\n");
    tests = read_tests(text);
    assert_false(litmus_outcomes_of(tests.list, AXIOMS_ALL, &outcomes, error, sizeof error));
    assert_string_equal(error, expected);
    free(outcomes.list);
    free(tests.list);
}

TEST(a_test_that_is_too_large_is_an_error)
{
    expect_too_large("atom.relaxed.gpu.add r0, x, 1", 6,
                     "T is too large: its reads can return too many values");
    expect_too_large("st.relaxed.gpu x, 1", 2, "T is too large to check");
    expect_too_large("st.relaxed.gpu x, 1", 11, "T is too large to check");
}

/* ---- Kernels ---- */

/* Checks that the PTX of the test can be decoded, and that it has the text. */
static void expect_kernel(const struct litmus_test *test, const char *has)
{
    struct litmus_layout layout;
    struct module_code code;
    char *text, error[512] = "";
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    assert_null(litmus_layout_of(test, &layout));
    litmus_kernel_write(test, &layout, 90, file);
    fclose(file);
    if (!decode_alone(&code, "kernel.ptx", text, size, error, sizeof error))
        fail_msg("%s: %s", test->name, error);
    assert_non_null(strstr(text, has));
    decode_alone_free(&code);
    free(text);
}

TEST(every_test_has_kernels)
{
    struct litmus_tests tests = read_tests(litmus_collection);

    for (size_t k = 0; k < tests.count; k++)
        expect_kernel(&tests.list[k], ".visible .entry litmus(");
    free(tests.list);
}

/* P0 and P1 are in different blocks of a cluster. P1 owns x, and P0, the first that uses it, y. */
TEST(shared_variables_are_in_the_block_of_their_owner)
{
    struct litmus_tests tests =
        read_tests("PTX T\n{ shared@P1 x = 0; shared y = 0; z = 0; }\n"
                   " P0@cta 0, cluster 0 | P1@cta 1, cluster 0 ;\n"
                   " st.relaxed.cluster x, 1 | ld.relaxed.cluster r0, x ;\n"
                   " st.weak y, 2 | ld.weak r1, y ;\nexists (P1:r0 == 1 /\\ x == 1)\n");
    static const char *const lines[] = {
        "    st.relaxed.cluster.shared::cluster.u32 [%v0], 1;\n",
        "    ld.relaxed.cluster.shared.u32 %t1r0, [%v0];\n",
        "    st.weak.shared.u32 [%v1], 2;\n",
        "    ld.weak.shared::cluster.u32 %t1r1, [%v1];\n",
        "    setp.ne.u32 %p, %a, 1;\n    @%p mapa.shared::cluster.u64 %v0, %v0, 1;\n",
        "    setp.ne.u32 %p, %a, 0;\n    @%p mapa.shared::cluster.u64 %v1, %v1, 0;\n",
        ("    barrier.cluster.wait;\n    setp.eq.u32 %p, %place, 1;\n"
         "    @%p ld.shared.u32 %a, [%v0];\n    @%p st.global.u32 [%result+4], %a;\n"),
    };

    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
        expect_kernel(tests.list, lines[k]);
    free(tests.list);
}

TEST(an_alias_has_a_mapping_of_its_own)
{
    struct litmus_tests tests =
        read_tests("PTX T\n{ x = 0; z aliases x; }\n P0 ;\n st.weak z, 1 ;\n"
                   " fence.proxy.alias ;\nexists (x == 1)\n");

    expect_kernel(tests.list, "    mul.wide.u32 %offset, %variable_bytes, 0;\n"
                              "    add.u64 %v1, %address, %offset;\n"
                              "    add.u64 %v1, %v1, 268435456;\n");
    expect_kernel(tests.list, "    st.weak.global.u32 [%v1], 1;\nT0_1:\n    fence.proxy.alias;\n");
    free(tests.list);
}

TEST(kernels_have_the_instructions_of_the_test)
{
    struct litmus_tests tests =
        read_tests("PTX T\n{ x = 0; shared y = 7; }\n P0@cta 0 | P1@cta 0 ;\n"
                   " st.release.cluster x, 3 | ld.volatile r1, y ;\n"
                   " red.relaxed.sys.add y, 2 | bne r1, 0, END ;\n"
                   " fence.acq_rel.gpu | atom.acquire.cta.cas r2, [x + r1], 0, 5 ;\n"
                   " | END: ;\nexists (P1:r2 == 3)\n");
    static const char *const lines[] = {
        "    st.release.cluster.global.u32 [%v0], 3;\n",
        "    red.relaxed.sys.shared.add.u32 [%v1], 2;\n",
        "    fence.acq_rel.gpu;\n",
        "    st.volatile.shared.u32 [%v1], 7;\n",
        "    ld.volatile.shared.u32 %t1r1, [%v1];\n",
        "    setp.ne.s32 %p, %t1r1, 0;\n    @%p bra T1_3;\n",
        ("    add.u64 %offset, %offset, %v0;\n"
         "    atom.acquire.cta.global.cas.b32 %t1r2, [%offset], 0, 5;\nT1_3:\n"),
        "    st.global.u32 [%result+0], %t1r2;\n",
    };

    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
        expect_kernel(tests.list, lines[k]);
    free(tests.list);
}

/* Four threads: two in one warp, one in another warp, one in another block. */
TEST(threads_run_where_the_test_places_them)
{
    struct litmus_tests tests = read_tests(
        "PTX T\n{ x = 0; }\n P0@cta 4, warp 2 | P1@cta 4, warp 2 | P2@cta 4, warp 0 | P3@cta 9 ;\n"
        " st.weak x, 1 | st.weak x, 2 | st.weak x, 3 | st.weak x, 4 ;\nexists (x == 1)\n");
    struct litmus_layout layout;

    assert_null(litmus_layout_of(tests.list, &layout));
    assert_int_equal(layout.blocks, 2);
    assert_int_equal(layout.cluster, 1);
    assert_int_equal(layout.warps, 2);
    assert_int_equal(layout.lanes, 2);
    assert_int_equal(layout.per_block, 4 * 16);
    assert_int_equal(layout.roles[0][0][0], 0);
    assert_int_equal(layout.roles[0][0][1], 1);
    assert_int_equal(layout.roles[0][1][0], 2);
    assert_int_equal(layout.roles[1][0][0], 3);
    assert_int_equal(layout.roles[1][1][0], -1);
    free(tests.list);
}

TEST_MAIN("litmus", NULL, NULL)
