/* SPDX-License-Identifier: MIT
 *
 * The repair of a race: it is the expected one, it repairs, and nothing of it can be left out or
 * weakened.
 */
#include "mutual_exclusion.h"

#include "check.h"
#include "weak_run.h"

enum { TEXT = 1024, LINE = 512, MAX_LINES = 256, STRENGTH = 24, MAX_SEEDS = 20000 };

#define LOAD(order, to, place) "ld." order ".global.u32 %" to ", [%" place "];\n"
#define STORE(order, place, value) "st." order ".global.u32 [%" place "], " value ";\n"
#define ADD(to, place, value) "atom.relaxed.gpu.global.add.u32 %" to ", [%" place "], " value ";\n"

/* Message passing through the flag x. */
#define SENDER(order) PLAIN_WRITE("d", "1") STORE(order, "x", "1")
#define RECEIVER(order)                                                                            \
    "TRY:\n" LOAD(order, "r2", "x") BRANCH_IF("eq", "%r2", "0", "TRY") "ld.global.u32 %r0, "       \
                                                                       "[%d];\n"

/* x is the lock. */
#define LOCK(me)                                                                                   \
    "LOCK" me                                                                                      \
    ":\natom.acquire.gpu.global.exch.b32 %r2, [%x], 1;\n" BRANCH_IF("ne", "%r2", "0", "LOCK" me)   \
        CRITICAL STORE("relaxed.gpu", "x", "0")
/* x is the next ticket, y the one that may enter. */
#define TICKET_LOCK(me)                                                                            \
    ADD("r2", "x", "1")                                                                            \
    "WAIT" me ":\n" LOAD("relaxed.gpu", "r3", "y") BRANCH_IF("ne", "%r3", "%r2", "WAIT" me)        \
        CRITICAL "add.u32 %r2, %r2, 1;\n" STORE("relaxed.gpu", "y", "%r2")
/* x counts the threads that have arrived. */
#define GRID_BARRIER(me, mine, theirs)                                                             \
    PLAIN_WRITE(mine, "1")                                                                         \
    "fence.acq_rel.cta;\n" ADD("r2", "x", "1") "WAIT" me ":\n" LOAD("relaxed.gpu", "r2", "x")      \
        BRANCH_IF("ne", "%r2", "2", "WAIT" me) "fence.acq_rel.cta;\nld.global.u32 %r0, [%" theirs  \
                                               "];\n"

#define TWICE(text) text ", " text
#define ACQUIRES "ld.acquire.gpu for ld.relaxed.gpu"
#define RELEASES "st.release.gpu for st.relaxed.gpu"

static const struct {
    struct litmus test;
    const char *changes;
    bool is_unordered; /* plain data becomes strong */
} repaired[] = {
    {ALGORITHM("release of a block", SENDER("release.cta"), RECEIVER("acquire.gpu")),
     "st.release.gpu for st.release.cta", false},
    {{.name = "release of a block, in a cluster",
      .threads = {SENDER("release.cta"), RECEIVER("acquire.gpu")},
      .cluster = 2},
     "st.release.cluster for st.release.cta",
     false},
    {ALGORITHM("relaxed messages", SENDER("relaxed.gpu"), RECEIVER("relaxed.gpu")),
     RELEASES ", " ACQUIRES, false},
    {ALGORITHM("plain flag of the sender", PLAIN_WRITE("d", "1") PLAIN_WRITE("x", "1"),
               RECEIVER("acquire.gpu")),
     "st.release.gpu for st", false},
    {ALGORITHM("lock, relaxed unlock", LOCK("0"), LOCK("1")), TWICE(RELEASES), false},
    {ALGORITHM("ticket lock", TICKET_LOCK("0"), TICKET_LOCK("1")), TWICE(ACQUIRES ", " RELEASES),
     false},
    {ALGORITHM("grid barrier", GRID_BARRIER("0", "y", "z"), GRID_BARRIER("1", "z", "y")),
     TWICE(TWICE("fence.acq_rel.gpu for fence.acq_rel.cta")), false},
    {PETERSONS("Peterson", "", ""), TWICE(TWICE("fence.sc.gpu")), false},
    {DEKKERS("Dekker", ""), TWICE("fence.sc.gpu"), false},
    {BAKERIES("bakery", ""), TWICE("fence.sc.gpu"), false},
    {ALGORITHM("sequence lock", WRITER(FENCE, PLAIN_WRITE), READER(FENCE, PLAIN_READ)),
     TWICE("st.relaxed.gpu for st") ", " TWICE("ld.relaxed.gpu for ld"), true},
};

/* ---- PTX ---- */

static char lines[MAX_LINES][LINE];
static size_t line_count;

/* Returns the former strength, or "" for a new fence. */
static const char *change_from(const json_t *change)
{
    return json_object_get(change, "from") != NULL ? report_text(change, "from") : "";
}

static void read_lines(const struct litmus *test)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    litmus_write(file, test);
    rewind(file);
    line_count = 0;
    while (fgets(lines[line_count], LINE, file) != NULL) {
        assert_true(++line_count < MAX_LINES);
    }
    fclose(file);
}

/* Writes a line with the change. An empty `to` leaves the line as it is. */
static void write_line(FILE *file, const char *line, const char *from, const char *to)
{
    const char *at = strstr(line, from);

    if (from[0] == '\0' || to[0] == '\0') {
        fprintf(file, "%s%s%s", line, to, to[0] != '\0' ? ";\n" : "");
        return;
    }
    assert_non_null(at);
    fprintf(file, "%.*s%s%s", (int)(at - line), line, to, at + strlen(from));
}

/* Writes the PTX with the changes, of which one is to end in `other`. */
static void write_changed(const json_t *changes, size_t index, const char *other)
{
    FILE *file = fopen(in_folder("run.ptx"), "w");

    assert_non_null(file);
    for (size_t k = 0; k < line_count; k++) {
        const char *from = "", *to = "";
        for (size_t c = 0; c < json_array_size(changes); c++) {
            const json_t *change = json_array_get(changes, c);
            if (report_number(change, "ptx_line") != (long long)k + 1)
                continue;
            assert_string_equal(to, "");
            from = change_from(change);
            to = c == index ? other : report_text(change, "to");
        }
        write_line(file, lines[k], from, to);
    }
    assert_int_equal(fclose(file), 0);
}

/* ---- Runs ---- */

/* Checks the PTX. Returns the check of races. The caller drops *json. */
static json_t *run(const char *name, int status, json_t **json)
{
    *json = report_line(status,
                        "check %s 'run<<<2, 1>>>(zeros int memory[%d], zeros int results[%d])' "
                        "--only races --model independent --memory weak "
                        "--allow order:memory --allow order:results",
                        in_folder("run.ptx"), LITMUS_MEMORY, 2 * LITMUS_RESULTS);
    if (*json == NULL)
        fail_msg("%s: the exit status is not %d", name, status);
    return json_at(*json, "launches/0/checks/0");
}

static void expect_race(const struct litmus *test, const json_t *changes, size_t index,
                        const char *other)
{
    write_changed(changes, index, other);
    if (!litmus_races(test, in_folder("run.ptx"), MAX_SEEDS))
        fail_msg("%s: no race with '%s' for change %zu", test->name, other, index);
}

/* Writes `to` with another word to `weaker`. Returns false if `to` does not have the word, or
 * `from` has it, too. */
static bool weaken(const char *from, const char *to, const char *word, const char *other,
                   char weaker[STRENGTH])
{
    const char *at = strstr(to, word);

    if (at == NULL || strstr(from, word) != NULL)
        return false;
    snprintf(weaker, STRENGTH, "%.*s%s%s", (int)(at - to), to, other, at + strlen(word));
    return true;
}

/* Nothing of the changes can be left out or weakened. */
static void expect_weakest(const struct litmus *test, const json_t *changes)
{
    static const char *const words[][2] = {{".gpu", ".cluster"},
                                           {".cluster", ".cta"},
                                           {".acquire", ".relaxed"},
                                           {".release", ".relaxed"},
                                           {".sc", ".acq_rel"}};
    char weaker[STRENGTH];

    for (size_t c = 0; c < json_array_size(changes); c++) {
        const json_t *change = json_array_get(changes, c);
        expect_race(test, changes, c, change_from(change));
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (weaken(change_from(change), report_text(change, "to"), words[w][0], words[w][1],
                       weaker))
                expect_race(test, changes, c, weaker);
    }
}

static void expect_changes(const char *name, const json_t *changes, const char *expected)
{
    char text[TEXT] = "";
    size_t used = 0;

    for (size_t c = 0; c < json_array_size(changes); c++) {
        const json_t *change = json_array_get(changes, c);
        const char *from = change_from(change);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s", c > 0 ? ", " : "",
                                 report_text(change, "to"), from[0] != '\0' ? " for " : "", from);
        assert_true(used < sizeof text);
    }
    if (strcmp(text, expected) != 0)
        fail_msg("%s: the repair is '%s'", name, text);
}

static void the_weakest_repair_is_found(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof repaired / sizeof *repaired; k++) {
        const char *name = repaired[k].test.name;
        json_t *json, *check, *repair, *changes, *json_of_repaired;

        read_lines(&repaired[k].test);
        write_changed(NULL, 0, "");
        repair = json_at(run(name, 1, &json), "repair");
        changes = json_object_get(repair, "changes");
        expect_changes(name, changes, repaired[k].changes);
        if (json_is_true(json_object_get(repair, "unordered")) != repaired[k].is_unordered)
            fail_msg("%s: plain data may not become strong", name);
        write_changed(changes, SIZE_MAX, "");
        check = run(name, 0, &json_of_repaired);
        assert_true(report_number(json_object_get(check, "executions"), "number") > 0);
        json_decref(json_of_repaired);
        expect_weakest(&repaired[k].test, changes);
        json_decref(json);
    }
}

static void a_race_of_plain_accesses_only_has_no_repair(void **state)
{
    static const struct litmus plain =
        ALGORITHM("plain", PLAIN_WRITE("d", "1"), PLAIN_READ("r0", "d"));
    json_t *json, *repair;

    (void)state;
    read_lines(&plain);
    write_changed(NULL, 0, "");
    repair = json_at(run(plain.name, 1, &json), "repair");
    assert_int_equal(json_array_size(json_object_get(repair, "changes")), 0);
    assert_string_equal(report_text(repair, "reason"), "no scope, order or fence repairs it");
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_weakest_repair_is_found),
        cmocka_unit_test(a_race_of_plain_accesses_only_has_no_repair),
    };

    return cmocka_run_group_tests(tests, engine_set_up, engine_tear_down);
}
