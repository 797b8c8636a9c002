/* SPDX-License-Identifier: MIT
 *
 * The classic litmus tests under all executions of weak memory.
 */
#include "check.h"
#include "weak_code.h"
#include "weak_run.h"

#define LITMUS(allowed, called, reached, ...)                                                      \
    {                                                                                              \
        .test = {.name = called, .threads = {__VA_ARGS__}}, .pattern = reached,                    \
        .is_allowed = allowed                                                                      \
    }
/* An instruction between the load and the store of both threads that the load need not wait for. */
#define BUFFERED(called, instruction)                                                              \
    ALLOWED("load buffering, " called, "1?1????", READ("r0", "x") instruction WRITE("y", "1"),     \
            READ("r0", "y") instruction WRITE("x", "1"))
#define ALLOWED(...) LITMUS(true, __VA_ARGS__)
#define FORBIDDEN(...) LITMUS(false, __VA_ARGS__)

static const struct row {
    struct litmus test;
    const char *pattern;
    bool is_allowed;
} rows[] = {
    ALLOWED("store buffering", "0?0????", WRITE("x", "1") READ("r0", "y"),
            WRITE("y", "1") READ("r0", "x")),
    ALLOWED("store buffering, fence.acq_rel", "0?0????", WRITE("x", "1") FENCE READ("r0", "y"),
            WRITE("y", "1") FENCE READ("r0", "x")),
    FORBIDDEN("store buffering, fence.sc", "0?0????", WRITE("x", "1") FENCE_SC READ("r0", "y"),
              WRITE("y", "1") FENCE_SC READ("r0", "x")),
    ALLOWED("message passing", "??10???", WRITE("x", "1") WRITE("y", "1"),
            READ("r0", "y") READ("r1", "x")),
    FORBIDDEN("message passing, release and acquire", "??10???", WRITE("x", "1") RELEASE("y", "1"),
              ACQUIRE("r0", "y") READ("r1", "x")),
    ALLOWED("message passing, release", "??10???", WRITE("x", "1") RELEASE("y", "1"),
            READ("r0", "y") READ("r1", "x")),
    ALLOWED("message passing, acquire", "??10???", WRITE("x", "1") WRITE("y", "1"),
            ACQUIRE("r0", "y") READ("r1", "x")),
    FORBIDDEN("message passing, fences", "??10???", WRITE("x", "1") FENCE WRITE("y", "1"),
              READ("r0", "y") FENCE READ("r1", "x")),
    ALLOWED("load buffering", "1?1????", READ("r0", "x") WRITE("y", "1"),
            READ("r0", "y") WRITE("x", "1")),
    ALLOWED("load buffering, one dependency", "1?1????", READ("r0", "x") WRITE("y", "1"),
            READ("r0", "y") ONE_FROM("r0") WRITE("x", "%r9")),
    FORBIDDEN("load buffering, two dependencies", "1?1????",
              READ("r0", "x") ONE_FROM("r0") WRITE("y", "%r9"),
              READ("r0", "y") ONE_FROM("r0") WRITE("x", "%r9")),
    FORBIDDEN("load buffering, fences", "1?1????", READ("r0", "x") FENCE WRITE("y", "1"),
              READ("r0", "y") FENCE WRITE("x", "1")),
    ALLOWED("load buffering, one fence", "1?1????", READ("r0", "x") FENCE WRITE("y", "1"),
            READ("r0", "y") WRITE("x", "1")),
    ALLOWED("load buffering, release", "1?1????", READ("r0", "x") RELEASE("y", "1"),
            READ("r0", "y") WRITE("x", "1")),
    ALLOWED("load buffering, acquire", "1?1????", ACQUIRE("r0", "x") WRITE("y", "1"),
            READ("r0", "y") WRITE("x", "1")),
    BUFFERED("quotient", "div.u32 %r9, %n, 3;\n"),
    BUFFERED("sum", "add.u32 %r9, %n, 3;\n"),
    BUFFERED("selection", "selp.b32 %r9, 1, %n, %p1;\n"),
    BUFFERED("copy", "mov.u32 %r9, %n;\n"),
    BUFFERED("result in a wider register", "cvt.u16.u32 %r9, %n;\n"),
    BUFFERED("vector packed", "mov.b64 %a, {%n, %t1};\n"),
    BUFFERED("vector unpacked", "mov.b64 {%t2, %t3}, %out;\n"),
    BUFFERED("branch", "{\nbra N;\nN:\n}\n"),
    BUFFERED("parameter", "ld.param.u64 %a, [results];\n"),
    BUFFERED("local address", "{\n.local .b32 v;\nmov.u64 %a, v;\n}\n"),
    BUFFERED("generic address", "mov.u64 %a, tile;\ncvta.shared.u64 %a, %a;\n"
                                "cvta.to.shared.u64 %a, %a;\n"),
    BUFFERED("test of an address", "isspacep.shared %p2, %out;\n"),
    BUFFERED("branch around a barrier", "{\nsetp.eq.u32 %p2, %n, 9;\n@%p2 bra N;\nbra M;\nN:\n"
                                        "bar.sync 0;\nM:\n}\n"),
    ALLOWED("2+2W", "????11?", WRITE("x", "1") WRITE("y", "2"), WRITE("y", "1") WRITE("x", "2")),
    ALLOWED("2+2W, fence.acq_rel", "????11?", WRITE("x", "1") FENCE WRITE("y", "2"),
            WRITE("y", "1") FENCE WRITE("x", "2")),
    FORBIDDEN("2+2W, fence.sc", "????11?", WRITE("x", "1") FENCE_SC WRITE("y", "2"),
              WRITE("y", "1") FENCE_SC WRITE("x", "2")),
    ALLOWED("R", "??0??2?", WRITE("x", "1") WRITE("y", "1"), WRITE("y", "2") READ("r0", "x")),
    FORBIDDEN("R, fence.sc", "??0??2?", WRITE("x", "1") FENCE_SC WRITE("y", "1"),
              WRITE("y", "2") FENCE_SC READ("r0", "x")),
    ALLOWED("S", "??1?2??", WRITE("x", "2") WRITE("y", "1"), READ("r0", "y") WRITE("x", "1")),
    FORBIDDEN("S, release and acquire", "??1?2??", WRITE("x", "2") RELEASE("y", "1"),
              ACQUIRE("r0", "y") WRITE("x", "1")),
    FORBIDDEN("coherence of reads", "??10???", WRITE("x", "1"), READ("r0", "x") READ("r1", "x")),
    FORBIDDEN("coherence of a read and a write", "??1?1??", WRITE("x", "1"),
              READ("r0", "x") WRITE("x", "2")),
    FORBIDDEN("coherence of a write and a read", "??0????", WRITE("x", "1"),
              WRITE("x", "2") READ("r0", "x")),
    FORBIDDEN("coherence of writes", "??1??", WRITE("x", "1") WRITE("x", "2")),
    ALLOWED("IRIW", "????1010???", WRITE("x", "1"), WRITE("y", "1"),
            READ("r0", "x") READ("r1", "y"), READ("r0", "y") READ("r1", "x")),
    ALLOWED("IRIW, acquire", "????1010???", WRITE("x", "1"), WRITE("y", "1"),
            ACQUIRE("r0", "x") READ("r1", "y"), ACQUIRE("r0", "y") READ("r1", "x")),
    ALLOWED("IRIW, fence.acq_rel", "????1010???", WRITE("x", "1"), WRITE("y", "1"),
            READ("r0", "x") FENCE READ("r1", "y"), READ("r0", "y") FENCE READ("r1", "x")),
    FORBIDDEN("IRIW, fence.sc", "????1010???", WRITE("x", "1"), WRITE("y", "1"),
              READ("r0", "x") FENCE_SC READ("r1", "y"), READ("r0", "y") FENCE_SC READ("r1", "x")),
    FORBIDDEN("write-to-read causality", "??1?10???", WRITE("x", "1"),
              READ("r0", "x") RELEASE("y", "1"), ACQUIRE("r0", "y") READ("r1", "x")),
    ALLOWED("write-to-read causality, relaxed", "??1?10???", WRITE("x", "1"),
            READ("r0", "x") WRITE("y", "1"), READ("r0", "y") READ("r1", "x")),
};

static void each_test_reaches_what_it_may(void **state)
{
    static struct litmus_outcomes outcomes;
    int bad = 0;

    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        litmus_run(&rows[k].test, &outcomes);
        print_message("%-40s %6llu executions, %2zu outcomes, %llu racing%s\n", rows[k].test.name,
                      (unsigned long long)outcomes.executions, outcomes.count,
                      (unsigned long long)outcomes.racing,
                      litmus_reaches(&outcomes, rows[k].pattern) == rows[k].is_allowed ? ""
                                                                                       : " WRONG");
        bad += litmus_reaches(&outcomes, rows[k].pattern) != rows[k].is_allowed;
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_test_reaches_what_it_may),
    };

    return cmocka_run_group_tests(tests, engine_set_up, engine_tear_down);
}
