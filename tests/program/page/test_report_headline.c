/* SPDX-License-Identifier: MIT
 *
 * `simtcheck report`: no page is green of what is wrong, has ended too early, could not be tried or
 * was asked for and is not there. Leaves a page in PAGES for the test host.unit.page, which opens
 * it in a browser.
 */
#include "report_pages.h"

#include <signal.h>
#include <unistd.h>

static const char good[] = "class=\"headline good\"", lack[] = "class=\"headline lack\"",
                  bad[] = "class=\"headline bad\"",
                  ended_early[] = "1 file is partial: it ended before all was in it";

/* A page of one file or two shows that, and no line of its head is green. */
static void is_not_green(const char *file, const char *second, const char *words)
{
    char *text = page_of(file, second);

    shows(text, words);
    shows_not(text, good);
    free(text);
}

static void is_green(const char *file, const char *second)
{
    char *text = page_of(file, second);

    shows(text, good);
    shows_not(text, bad);
    shows_not(text, lack);
    free(text);
}

/* The verdicts of the snapshot, as `run --json` writes them; the caller's. */
static json_t *load_run(void)
{
    json_t *document = json_read(snapshot), *run = json_incref(json_object_get(document, "run"));

    json_decref(document);
    return run;
}

/* What toolchain writes where all is right; the caller's. */
static json_t *right_toolchain(void)
{
    return json_pack("{s:i, s:i, s:[{s:s, s:i, s:i, s:i, s:s, s:i, s:[], s:s}], s:[], s:[], s:i, "
                     "s:[], s:b}",
                     "seed", 1, "programs", 80, "stages", "stage", "ptxas 1 -O3", "programs", 80,
                     "wrong", 0, "same_code_pairs", 0, "unavailable", "", "kernels", 3,
                     "kernels_wrong", "kernels_unavailable", "", "families", "same_code",
                     "same_code_pairs", 0, "unsteady", "complete", 1);
}

/* ---- What has ended too early ---- */

/* What is no boolean is rejected. */
static const char *const unclear[] = {"null", "1", "\"true\"", "[]"};

static void only_what_says_so_is_complete(void **state)
{
    (void)state;
    for (size_t d = 0; d < 4; d++)
        for (size_t k = 0; k <= sizeof unclear / sizeof *unclear; k++) {
            json_t *document = d == 1   ? load_run()
                               : d == 2 ? right_toolchain()
                                        : json_read(snapshot),
                   *whole = d < 3 ? document : json_object_get(document, "run");
            json_object_set_new(whole, "complete",
                                k == 0 ? json_false()
                                       : json_loads(unclear[k - 1], JSON_DECODE_ANY, NULL));
            save(document, one);
            if (k == 0)
                is_not_green(one, NULL, ended_early);
            else
                ends_with(report(one, NULL, page), 2, "complete must be true or false");
        }
    save(load_run(), one);
    is_green(one, NULL);
    save(right_toolchain(), one);
    is_green(one, snapshot);
}

/* A comparison of partial snapshots is told as these are. */
static void a_partial_comparison_is_told(void **state)
{
    const char *const compare[] = {SIMTCHECK, "compare", "--json", other, one, one, NULL};
    static const char *const members[] = {"old_complete", "new_complete"};
    json_t *document = json_read(snapshot);
    (void)state;

    json_object_set_new(document, "complete", json_false());
    save(document, one);
    is_not_green(one, one, "2 files are partial: they ended before all was in them");
    ends_with(program_run(compare), 0, "0 REGRESSION");
    is_not_green(other, NULL, "2 files are partial: they ended before all was in them");
    document = json_read(other);
    json_object_set_new(document, "old_complete", json_true());
    json_object_set_new(document, "new_complete", json_true());
    save(json_incref(document), one);
    is_green(one, NULL);
    for (size_t m = 0; m < 2; m++)
        for (size_t k = 0; k < 2; k++) {
            json_t *changed = json_deep_copy(document);
            if (k == 0)
                json_object_set_new(changed, members[m], json_false());
            else
                json_object_del(changed, members[m]);
            save(changed, one);
            is_not_green(one, NULL, ended_early);
            is_not_green(one, NULL, "is partial: its snapshot was ended before all was in it.");
        }
    json_array_clear(json_object_get(document, "rows"));
    json_object_set_new(json_object_get(document, "counts"), "SAME", json_integer(0));
    save(document, one);
    is_not_green(one, NULL, "one.json: any row</li>");
}

/* Rows of races say how many there are to be. */
static void races_that_lack_rows_are_told(void **state)
{
    json_t *rows = json_read(races);
    char *text = page_of(races, snapshot);
    (void)state;

    assert_int_equal(report_number(json_array_get(rows, 0), "all_rows"), json_array_size(rows));
    shows_not(text, "partial");
    shows(text, good);
    free(text);
    json_array_remove(rows, 0);
    save(json_incref(rows), one);
    is_not_green(one, snapshot, ended_early);
    json_array_clear(rows);
    save(rows, one);
    is_not_green(one, snapshot, ended_early);
    rows = json_read(races);
    json_object_del(json_array_get(rows, 0), "all_rows");
    save(rows, one);
    is_not_green(one, snapshot, ended_early);
}

/* However it was ended. */
static void races_that_were_ended_are_told(void **state)
{
    static const int signals[] = {SIGINT, SIGKILL};
    const char *const arguments[] = {SIMTCHECK, "races", "--level", "2", "--json", other, NULL};
    (void)state;

    for (size_t s = 0; s < sizeof signals / sizeof *signals; s++) {
        unlink(other);
        free(program_interrupt(arguments, other, "\"id\"", signals[s]).output);
        is_not_green(other, snapshot, ended_early);
    }
}

/* ---- What is not there ---- */

static void asks_for(json_t *document, const char *const words[])
{
    json_t *options = json_array();

    for (; *words != NULL; words++)
        json_array_append_new(options, json_string(*words));
    json_object_set_new(document, "options", options);
}

/* A part that was asked for, by whatever way of writing it, and is null, empty or without an
 * engine that was named. What nobody has named may be missing. */
static void a_part_that_is_missing_is_told(void **state)
{
    static const struct {
        const char *words[5], *member, *value, *lacks; /* null: nothing */
    } rows[] = {
        {{"--part", "ladder"}, "ladder", "null", "one.json: ladder"},
        {{"--part", "ladder"}, "ladder", "[]", "one.json: ladder"},
        {{"--part=ladder"}, NULL, NULL, "one.json: ladder"},
        {{"--pa=ladder"}, NULL, NULL, "one.json: ladder"},
        {{"--par", "ladder", "--part", "run"}, NULL, NULL, "one.json: ladder"},
        {{"--kernel", "a*", "--part", "toolchain"}, "toolchain", "null", "one.json: toolchain"},
        {{"--part", "code"}, NULL, NULL, "one.json: code"},
        {{"--part", "code"},
         "code",
         "{\"unavailable\": \"no ptxas\", \"failures\": [], \"kernels\": []}",
         "one.json: code"},
        {{"--part", "rates"}, "rates", "{\"host\": []}", "one.json: rates"},
        {{"--part", "races"}, "races", "{}", "one.json: races"},
        {{"--part", "run"}, "run", "null", "one.json: run"},
        {{NULL}, "run", "null", "one.json: run"},
        {{"--part", "races", "--engine", "ptx"}, NULL, NULL, "one.json: races on ptx"},
        {{"--part", "races", "--engine=ptx"}, NULL, NULL, "one.json: races on ptx"},
        {{"--part", "races", "--engine", "cuda"}, NULL, NULL, NULL},
        {{"--part", "races", "--part", "run"}, "counters", "null", NULL},
        {{NULL}, "races", "null", NULL},
        {{"--part", "code"},
         "code",
         "{\"unavailable\": null, \"failures\": [], \"kernels\": []}",
         NULL},
    };
    (void)state;

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        json_t *document = json_read(snapshot);
        char words[64];
        asks_for(document, rows[r].words);
        if (rows[r].member != NULL)
            json_object_set_new(document, rows[r].member,
                                json_loads(rows[r].value, JSON_DECODE_ANY, NULL));
        save(document, one);
        snprintf(words, sizeof words, "%s</li>", rows[r].lacks != NULL ? rows[r].lacks : "");
        if (rows[r].lacks == NULL)
            is_green(one, NULL);
        else
            is_not_green(one, NULL, words);
    }
}

/* Of two snapshots the older one counts too. */
static void what_the_older_snapshot_lacks_is_told(void **state)
{
    static const char *const words[] = {"--part", "ladder", "--part", "run", NULL};
    json_t *document = json_read(snapshot);
    (void)state;

    asks_for(document, words);
    save(document, one);
    is_not_green(one, snapshot, "one.json: ladder</li>");
    assert_int_equal(rename(page, PAGES "/lacks.html"), 0);
}

/* Without a GPU, on a machine that is asked for one: no tick, and the counts. */
static void rows_that_could_not_be_run_are_told(void **state)
{
    json_t *run = load_run(), *row;
    char *text;
    size_t r;
    (void)state;

    json_array_foreach(json_object_get(run, "results"), r, row)
    {
        if (r > 3)
            break;
        json_object_set_new(row, "verdict", json_string("unavailable"));
        json_object_set_new(row, "cases", json_integer(0));
    }
    save(json_incref(run), one);
    text = page_of(one, NULL);
    shows(text, "<p class=\"headline lack\"><span aria-hidden=\"true\">!</span> 0 of 6 rows do not "
                "conform; 4 could not be run</p>");
    shows_not(text, good);
    shows_not(text, bad);
    free(text);

    json_array_foreach(json_object_get(run, "results"), r, row)
    {
        json_object_set_new(row, "verdict", json_string("unavailable"));
    }
    save(json_incref(run), one);
    is_not_green(one, NULL, "0 of 6 rows do not conform: none could be run");
    json_array_clear(json_object_get(run, "results"));
    save(run, one);
    is_not_green(one, races, "one.json: any row</li>");
}

/* ---- Races ---- */

/* What could not be run, and what ends in a fault, is not "of the others, two accesses each". */
static void races_are_counted_apart(void **state)
{
    json_t *document = json_read(snapshot),
           *rows = json_object_get(json_object_get(document, "races"), "host"), *row, *free_row[2];
    size_t r, count = json_array_size(rows), found = 0, pairs = 0;
    char words[256], *text;
    (void)state;

    json_array_foreach(rows, r, row)
    {
        pairs += json_array_size(json_object_get(row, "pairs")) > 0;
        if (found < 2 && strcmp(report_text(row, "verdict"), "race-free") == 0)
            free_row[found++] = row;
    }
    assert_int_equal(found, 2);
    json_object_set_new(free_row[0], "verdict", json_string("unavailable"));
    json_object_set_new(free_row[0], "cases", json_integer(0));
    json_object_set_new(free_row[1], "verdict", json_string("fault"));
    json_object_set_new(free_row[1], "faults", json_integer(3));
    json_object_set_new(free_row[1], "as_claimed", json_false());
    save(document, one);
    text = page_of(one, NULL);
    snprintf(
        words, sizeof words,
        "<p>%zu of %zu rows, by model and engine, are free of races. 1 end in a fault. 1 could "
        "not be run. Of %zu, two accesses each",
        count - pairs - 2, count, pairs);
    shows(text, words);
    shows(text, "1 row of races is not as claimed");
    shows(text, "1 row of races could not be run");
    shows_not(text, good);
    shows_not(text, "0 of 0 cases race");
    free(text);
}

/* ---- Compilers ---- */

static void every_lack_of_a_compiler_is_told(void **state)
{
    static const struct {
        const char *place, *member, *value, *headline, *section;
    } rows[] = {
        {NULL, "unsteady", "[\"ptxas 1\"]", "1 compiler gives other code of the same source",
         "<b class=\"alarm\">ptxas 1</b> gives other code"},
        {NULL, "same_code_pairs", "2", "2 pairs of programs have one machine code",
         "Pairs of programs with the same machine code: 2."},
        {NULL, "families",
         "[{\"shape\": \"min(a)\", \"program\": \"p\", \"members\": 1, \"blamed\": \"assembler\","
         " \"wrong\": [\"ptxas 1 -O3\"], \"place\": \"\", \"expected\": \"1\", \"got\": \"0\"}]",
         "1 family of programs comes out wrong", "min(a)"},
        {"stages", "wrong", "3", "1 stage of a compiler makes wrong code",
         "<td class=\"number bad\">3</td>"},
        {"stages", "kernels_wrong", "[{\"id\": \"k\", \"form\": \"total\", \"outcome\": \"bits\"}]",
         "1 stage of a compiler makes wrong code", "<b>k</b> total: bits"},
        {"stages", "unavailable", "\"it crashed\"", "1 stage of a compiler could not be tried",
         "it crashed"},
        {"stages", "kernels_unavailable", "\"no room\"", "1 stage of a compiler could not be tried",
         "Kernels of the catalogue: no room"},
        {NULL, "stages", "[]", "any compiler</li>", "No program was tried."},
        {NULL, "code",
         "{\"unavailable\": null, \"kernels\": [], \"failures\": [{\"ptxas\": \"1\", \"module\": "
         "\"m.ptx\", \"reason\": \"no\"}]}",
         "ptxas 1 refuses m.ptx: no</li>", ""},
    };
    char *text;
    (void)state;

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        json_t *document = right_toolchain();
        json_object_set_new(rows[r].place == NULL
                                ? document
                                : json_array_get(json_object_get(document, rows[r].place), 0),
                            rows[r].member, json_loads(rows[r].value, JSON_DECODE_ANY, NULL));
        save(document, one);
        text = page_of(one, snapshot);
        shows(text, rows[r].headline);
        shows(text, rows[r].section);
        shows_not(text, good);
        if (strcmp(rows[r].member, "code") != 0)
            shows_not(text, "No program came out wrong.");
        free(text);
    }
    save(right_toolchain(), one);
    text = page_of(one, snapshot);
    shows(text, "No program came out wrong.");
    free(text);
}

/* Sums that are wrong have no rung; nor has one for which a GPU is too small. */
static void a_rung_that_is_left_out_is_told(void **state)
{
    static const char *const kernels[] = {"reduceModern", "all"};
    (void)state;

    for (size_t k = 0; k < 2; k++) {
        save(json_pack("{s:s, s:i, s:[o], s:[{s:s, s:i, s:s}]}", "gpu", "G", "runs", 9, "ladder",
                       rung_of("copy", 8, 1, 1, 1), "left_out", "kernel", kernels[k], "elements",
                       16, "reason", "why"),
             one);
        is_not_green(one, snapshot, k == 0 ? "Wrong besides:" : "Asked for, and not there:");
        if (k == 0)
            is_not_green(one, snapshot, "the ladder at 16 elements, reduceModern: why</li>");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_says_so_is_complete),
        cmocka_unit_test(a_partial_comparison_is_told),
        cmocka_unit_test(races_that_lack_rows_are_told),
        cmocka_unit_test(races_that_were_ended_are_told),
        cmocka_unit_test(a_part_that_is_missing_is_told),
        cmocka_unit_test(what_the_older_snapshot_lacks_is_told),
        cmocka_unit_test(rows_that_could_not_be_run_are_told),
        cmocka_unit_test(races_are_counted_apart),
        cmocka_unit_test(every_lack_of_a_compiler_is_told),
        cmocka_unit_test(a_rung_that_is_left_out_is_told),
    };
    return cmocka_run_group_tests(tests, pages_set_up, pages_tear_down);
}
