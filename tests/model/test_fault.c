/* SPDX-License-Identifier: MIT
 *
 * Faults in words. Other tests assert the members.
 */
#include "check.h"

#include "fault.h"

#include <string.h>

static const struct fault example = {
    .kind = FAULT_OUT_OF_BOUNDS_READ,
    .sentence = SAYS_OUTSIDE_ELEMENTS,
    .has_thread = true,
    .block = {1, 0, 0},
    .thread = {31, 2, 0},
    .file = "blur.cu",
    .line = 12,
    .bytes = 4,
    .element =
        {.array = "tile", .unit = ELEMENT_INDEX, .side = SIDE_BEFORE, .index = -1, .count = 258},
    .object = "object",
    .reason = "reason",
    .numbers = {1, 2, 3, 4, 5, 6},
    .others = {{"a.cu", 1, "", 1}, {"b.cu", 2, "c.cu:3", 5}},
};

static void assert_text(struct fault fault, const char *text)
{
    fault_render(&fault);
    assert_string_equal(fault.text, text);
}

/* What a kind is to `exec`, and what makes two of its faults one finding. */
TEST(each_kind_has_its_error_and_identity)
{
    static const struct kind {
        const char *word, *error;
        unsigned int identity;
    } right[] = {
        {"none", "SUCCESS", 0},
        {"out-of-bounds-read", "ILLEGAL_ADDRESS", BY_PLACE | BY_ARRAY | BY_SIDE},
        {"out-of-bounds-write", "ILLEGAL_ADDRESS", BY_PLACE | BY_ARRAY | BY_SIDE},
        {"write-to-input", "ILLEGAL_ADDRESS", BY_PLACE | BY_ARRAY},
        {"uninitialized-read", "LAUNCH_FAILURE", BY_READ | BY_ARRAY | BY_ORIGIN},
        {"unwritten-output", "LAUNCH_FAILURE", BY_ARRAY | BY_KERNEL},
        {"divergent-barrier", "LAUNCH_FAILURE", BY_PLACE | BY_OTHERS | BY_SENTENCE},
        {"invalid-async", "LAUNCH_FAILURE", BY_PLACE | BY_OBJECT | BY_SENTENCE},
        {"deadlock", "TIMEOUT", BY_PLACE | BY_KERNEL},
        {"step-limit", "TIMEOUT", BY_KERNEL},
        {"timeout", "TIMEOUT", BY_KERNEL},
        {"launch-error", "LAUNCH_FAILURE", BY_REASON | BY_KERNEL},
        {"child-launch-error", "LAUNCH_FAILURE", BY_PLACE | BY_OBJECT},
        {"runaway-launches", "LAUNCH_FAILURE", BY_PLACE},
        {"unexpected-output", "LAUNCH_FAILURE", BY_PLACE},
        {"division-by-zero", "LAUNCH_FAILURE", BY_READ},
        {"local-pointer-escape", "LAUNCH_FAILURE", BY_PLACE | BY_OBJECT},
        {"stack-overflow", "LAUNCH_FAILURE", BY_PLACE},
        {"misaligned-access", "MISALIGNED", BY_PLACE | BY_ARRAY},
        {"trap", "ASSERT", BY_PLACE | BY_SENTENCE},
        {"use-after-free", "ILLEGAL_ADDRESS", BY_PLACE | BY_OTHERS},
        {"invalid-free", "LAUNCH_FAILURE", BY_PLACE | BY_OTHERS},
        {"memory-leak", "LAUNCH_FAILURE", BY_PLACE},
        {"unsupported", "NOT_SUPPORTED", BY_PLACE | BY_REASON},
        {"crash", "LAUNCH_FAILURE", BY_KERNEL | BY_REASON},
    };
    static const struct kind rows[] = {
#define ROW(name, word, meaning, error, cuda, sanitizer, identity) {word, #error, identity},
        FAULT_KIND_ROWS(ROW)
#undef ROW
    };

    assert_int_equal(sizeof rows, sizeof right);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_string_equal(rows[k].word, right[k].word);
        assert_string_equal(rows[k].error, right[k].error);
        assert_int_equal(rows[k].identity, right[k].identity);
    }
}

/* A template that names no member aborts. */
TEST(every_sentence_and_origin_has_a_text)
{
    for (int s = 0; s < FAULT_SENTENCES; s++) {
        struct fault fault = example;
        fault.sentence = (enum fault_sentence)s;
        fault_render(&fault);
        assert_null(strpbrk(fault.text, "{}"));
        assert_non_null(strstr(fault.text, " (blur.cu:12)"));
    }
    for (int o = 0; o < FAULT_ORIGINS; o++) {
        struct fault fault = example;
        fault.sentence = SAYS_USES_UNDEFINED;
        fault.origin = (enum fault_origin)o;
        fault_render(&fault);
        assert_null(strpbrk(fault.text, "{}"));
    }
}

TEST(the_thread_comes_first_and_the_place_last)
{
    struct fault fault = example;

    assert_text(fault, "thread (31,2,0) of block (1,0,0) reads 4 bytes at tile[-1], outside its "
                       "258 elements (blur.cu:12)");
    fault.depth = 2;
    fault.writes = true;
    strcpy(fault.outer, "main.cu:7");
    strcpy(fault.removed, "clang removed another access");
    assert_text(fault, "thread (31,2,0) of block (1,0,0) of a grid at depth 2 writes 4 bytes at "
                       "tile[-1], outside its 258 elements (blur.cu:12, inlined at main.cu:7); "
                       "clang removed another access");
    fault = example;
    strcpy(fault.element.indexed, "tile[-1][8]");
    fault.element.declared = 72;
    assert_text(fault, "thread (31,2,0) of block (1,0,0) reads 4 bytes at tile[-1][8], outside its "
                       "72 elements (blur.cu:12)");
    fault = (struct fault){.sentence = SAYS_REASON, .reason = "invalid configuration"};
    assert_text(fault, "invalid configuration");
}

TEST(members_have_their_forms)
{
    struct fault fault = example;

    fault.has_thread = false;
    fault.line = 0;
    fault.sentence = SAYS_NEVER_FREES;
    assert_text(fault, "nothing frees 1 allocation of malloc(), 2 bytes");
    fault.numbers[0] = 3;
    assert_text(fault, "nothing frees 3 allocations of malloc(), 2 bytes");
    fault.sentence = SAYS_OWN_LANE_MISSING;
    assert_text(fault, "calls a warp operation with the mask 0x00000003, which lacks its own lane");
    fault.sentence = SAYS_WAITS_FOREVER;
    fault.reason[0] = '\0';
    assert_text(fault, "waits in a loop that no other thread can end; waiting: 1 thread at a.cu:1, "
                       "5 threads at b.cu:2");
    fault.sentence = SAYS_USES_FREED;
    fault.others[0] = fault.others[1];
    assert_text(fault, "reads 4 bytes of memory that was freed at b.cu:2, inlined at c.cu:3");
}

TEST(elements_have_five_forms)
{
    struct array_element element = {.array = "s", .unit = ELEMENT_INDEX, .index = 3, .count = 8};
    char text[64];

    assert_string_equal(array_element_text(&element, text, sizeof text), "s[3]");
    element.unit = ELEMENT_BYTE;
    assert_string_equal(array_element_text(&element, text, sizeof text), "s, byte 3");
    element.unit = ELEMENT_NONE;
    assert_string_equal(array_element_text(&element, text, sizeof text), "s");
    element.unit = ELEMENT_OF_HEAP;
    assert_string_equal(array_element_text(&element, text, sizeof text), "byte 3 of s");
    strcpy(element.indexed, "s[0].x[3]");
    assert_string_equal(array_element_text(&element, text, sizeof text), "s[0].x[3]");
}

TEST(an_order_has_numbers)
{
    char text[256];

    sentence_render(SAYS_HAD_EXITED, example.numbers, text, sizeof text);
    assert_string_equal(text, "thread 1 of block (3,4,5) had exited before the others reached the "
                              "barrier, and a barrier orders only the threads that reach it");
}

TEST_MAIN("fault", NULL, NULL)
