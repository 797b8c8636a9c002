/* SPDX-License-Identifier: MIT
 *
 * Shards, which merged are what the work would have been in one piece; and files that do not go
 * together.
 */
#include "check.h"

#include "case_id.h"
#include "plan.h"

#include <sys/stat.h>
#include <unistd.h>

enum { MAX_WORDS = 40, PATH_SIZE = 64 };

static const char *path_of(const char *name, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    return path;
}

/* ---- Merging ---- */

/* Without what differs from one run to the next. */
static void drop_times(json_t *value)
{
    const char *name;
    json_t *member;
    size_t k;

    json_object_del(value, "seconds");
    json_object_del(value, "workers_lost");
    json_object_foreach(value, name, member) drop_times(member);
    json_array_foreach(value, k, member) drop_times(member);
}

static char *read_text(const char *name)
{
    char path[PATH_SIZE], *text;
    json_t *value = json_read(path_of(name, path));

    drop_times(value);
    text = json_dumps(value, JSON_SORT_KEYS | JSON_INDENT(1));
    json_decref(value);
    return text;
}

/* Runs a command with its words, "--json" and that file, and the shard; returns the status. What
 * was printed is *output, the caller's, or nobody's where that is null. */
static int run_words(const char *const words[], const char *name, const char *shard, char **output)
{
    const char *all[MAX_WORDS];
    char path[PATH_SIZE];
    size_t count = 0;
    struct ended ended;

    for (; words[count] != NULL; count++)
        all[count] = words[count];
    if (name != NULL) {
        all[count++] = "--json";
        all[count++] = path_of(name, path);
    }
    if (shard != NULL) {
        all[count++] = "--shard";
        all[count++] = shard;
    }
    all[count] = NULL;
    ended = program_run(all);
    if (output != NULL)
        *output = ended.output;
    else
        free(ended.output);
    return ended.status;
}

/* Merges files of the folder into "merged"; likewise. */
static int merge_files(const char *program, const char *const names[], char **output)
{
    static char paths[MAX_WORDS][PATH_SIZE];
    const char *words[MAX_WORDS] = {program, "merge"};
    size_t count = 0;

    for (; names[count] != NULL; count++)
        words[2 + count] = path_of(names[count], paths[count]);
    words[2 + count] = NULL;
    return run_words(words, "merged", NULL, output);
}

static int run_three(const char *const words[])
{
    int status = run_words(words, "1", "1/3", NULL), other;

    other = run_words(words, "2", "2/3", NULL);
    status = other > status ? other : status;
    other = run_words(words, "3", "3/3", NULL);
    return other > status ? other : status;
}

/* Three shards merged are one run, field by field. */
static void assert_merged_is_whole(const char *const words[])
{
    static const char *const names[] = {"3", "1", "2", NULL};
    int whole = run_words(words, "whole", NULL, NULL), merged;
    char *one, *other, *output;

    run_three(words);
    merged = merge_files(words[0], names, &output);
    if (merged != whole)
        print_error("%s", output);
    assert_int_equal(merged, whole);
    one = read_text("whole");
    other = read_text("merged");
    assert_string_equal(one, other);
    free(one);
    free(other);
    free(output);
}

/* Domains, claims that show and claims that must not be judged by a part. */
static void shards_of_a_run_that_conforms(void **state)
{
    static const char *const words[] = {
        SIMTCHECK,   "run",         "--engine",          "host",
        "--variant", "original",    "--sizes-per-block", "4",
        "--kernel",  "*Recursive*", "--kernel",          "reduceInter*",
        NULL};
    (void)state;
    assert_merged_is_whole(words);
}

static void shards_of_a_limited_run(void **state)
{
    static const char *const words[] = {SIMTCHECK, "run",      "--engine",  "host", "--block",
                                        "1-8",     "--kernel", "reduce*8*", NULL};
    (void)state;
    assert_merged_is_whole(words);
}

/* Every kind of failure but for hangs, of which each shard waits for its own. */
static void shards_of_a_run_that_fails(void **state)
{
    static const char *const words[] = {SEEDED,
                                        "run",
                                        "--engine",
                                        "host",
                                        "--max-failures",
                                        "100000",
                                        "--kernel",
                                        "seeded[A-DF-RT-Z]*",
                                        "--kernel",
                                        "seededS[!m]*", /* no memory is smashed */
                                        "--block",
                                        "1-6",
                                        "--schedule",
                                        "sequential",
                                        NULL};
    (void)state;
    assert_merged_is_whole(words);
}

static void shards_of_printed_forms_outside_their_domain(void **state)
{
    static const char *const words[] = {SIMTCHECK,
                                        "run",
                                        "--engine",
                                        "host",
                                        "--variant",
                                        "original",
                                        "--assume-corrected",
                                        "--kernel",
                                        "reduceNeig*",
                                        "--max-failures",
                                        "1000000",
                                        "--block",
                                        "30-40",
                                        NULL};
    (void)state;
    assert_merged_is_whole(words);
}

static void shards_of_races(void **state)
{
    static const char *const words[] = {SIMTCHECK, "races", "--kernel", "reduce*8*",
                                        "--block", "64",    NULL};
    /* No memory is smashed: what is at random addresses differs from run to run. */
    static const char *const wrong[] = {SEEDED,
                                        "races",
                                        "--kernel",
                                        "seeded[M-RT-Z]*",
                                        "--kernel",
                                        "seededS[!m]*",
                                        "--max-failures",
                                        "100000",
                                        "--block",
                                        "8",
                                        NULL};
    (void)state;
    assert_merged_is_whole(words);
    assert_merged_is_whole(wrong);
}

static void an_engine_that_is_missing_is_missing_in_the_whole(void **state)
{
    static const char *const words[] = {SIMTCHECK, "run", "--engine", "cuda", "--block", "1", NULL};
    static const char *const both[] = {SIMTCHECK,  "run",  "--engine", "cuda",
                                       "--engine", "host", "--kernel", "reduceInter*",
                                       "--block",  "4",    NULL};
    (void)state;
    if (engine_is_available("cuda"))
        return;
    assert_merged_is_whole(words);
    assert_merged_is_whole(both);
}

/* ---- What a shard says ---- */

static const char *const small[] = {
    SIMTCHECK, "run", "--engine", "host", "--kernel", "reduceInterleaved",
    "--block", "2-5", "--size",   "6",    NULL};

static void a_shard_claims_no_more_than_it_has_seen(void **state)
{
    json_t *file, *row;
    char path[PATH_SIZE], *output;
    size_t r;
    (void)state;
    assert_int_equal(run_words(small, "1", "1/2", &output), 0);
    assert_null(strstr(output, "conforms"));
    assert_non_null(strstr(output, "merge` tells the verdicts"));
    free(output);
    file = json_read(path_of("1", path));
    json_array_foreach(json_object_get(json_object_get(file, "result"), "results"), r, row)
        assert_string_equal(report_text(row, "verdict"), "partial");
    assert_true(r > 0);
    json_decref(file);
}

static void a_shard_without_work_conforms_and_says_so(void **state)
{
    static const char *const one[] = {
        SIMTCHECK, "races",     "--kernel",  "reduceInterleaved", "--block",     "2", "--size",
        "2",       "--variant", "corrected", "--model",           "independent", NULL};
    int without = 0;
    char *output;
    (void)state;
    for (int number = 1; number <= 3; number++) {
        char shard[8];
        snprintf(shard, sizeof shard, "%d/3", number);
        assert_int_equal(run_words(one, shard + 2, shard, &output), 0);
        without += strstr(output, "none of the rows are in it, so nothing is wrong") != NULL;
        free(output);
    }
    assert_int_equal(without, 2);
    for (int number = 1; number <= 40; number++) {
        char shard[8];
        snprintf(shard, sizeof shard, "%d/40", number);
        assert_int_equal(run_words(small, "1", shard, &output), 0);
        without += strstr(output, "none of the cases are in it, so nothing is wrong") != NULL;
        free(output);
    }
    assert_in_range(without, 2 + 30, 2 + 39);
}

/* ---- Files that do not go together ---- */

/* Sets a member of a shard's file; null: takes it away. */
static void change(const char *name, const char *to, const char *member, json_t *value)
{
    char path[PATH_SIZE];
    json_t *file = json_read(path_of(name, path));

    if (value != NULL)
        json_object_set_new(file, member, value);
    else
        json_object_del(file, member);
    assert_int_equal(json_dump_file(file, path_of(to, path), 0), 0);
    json_decref(file);
}

static void assert_refused(const char *const names[], const char *says, const char *says_too)
{
    char path[PATH_SIZE], *output;
    struct stat status;
    int exit_status;

    unlink(path_of("merged", path));
    exit_status = merge_files(SIMTCHECK, names, &output);
    if (exit_status != 2 || strstr(output, says) == NULL || strstr(output, says_too) == NULL)
        print_error("status %d, without '%s' or '%s': %s", exit_status, says, says_too, output);
    assert_int_equal(exit_status, 2);
    assert_non_null(strstr(output, says));
    assert_non_null(strstr(output, says_too));
    assert_int_not_equal(stat(path, &status), 0);
    free(output);
}

static void what_does_not_go_together_is_refused_by_name(void **state)
{
    static const char *const other_words[] = {SIMTCHECK, "run",      "--engine",
                                              "host",    "--kernel", "reduceInterleaved",
                                              "--block", "2-6",      NULL};
    (void)state;
    assert_int_equal(run_three(small), 0);
    assert_refused((const char *[]){"1", "3", NULL}, "shard 2/3 is missing", "");
    assert_refused((const char *[]){"2", NULL}, "shard 1/3 is missing", "shard 3/3 is missing");
    change("2", "killed", "status", json_null());
    assert_refused((const char *[]){"1", "killed", "3", NULL}, "/killed: shard 2/3 was killed", "");
    change("2", "stopped", "status", json_integer(3));
    assert_refused((const char *[]){"1", "stopped", "3", NULL}, "/stopped: shard 2/3 ended", "3");
    change("2", "built", "build", json_string("0123"));
    assert_refused((const char *[]){"1", "built", "3", NULL}, "/built: it is of build 0123", "");
    change("2", "elsewhere", "engines", json_pack("{s:s}", "host", "another machine"));
    assert_refused((const char *[]){"1", "elsewhere", "3", NULL},
                   "/elsewhere are of different work", "another machine");
    change("2", "newer", "simtcheck_shard", json_integer(2));
    assert_refused((const char *[]){"1", "newer", "3", NULL}, "/newer: its version is 2", "");
    change("2", "none", "simtcheck_shard", NULL);
    assert_refused((const char *[]){"1", "none", "3", NULL}, "/none: it is no shard", "");
    change("2", "damaged", "shard", json_integer(4));
    assert_refused((const char *[]){"1", "damaged", "3", NULL},
                   "/damaged: invalid shard: shard must be", "");
    change("2", "halves", "shards", json_integer(2));
    assert_refused((const char *[]){"1", "halves", "3", NULL}, "/halves are of different work",
                   "3");
    assert_refused((const char *[]){"1", "2", "absent", NULL}, "/absent", "");
    assert_int_equal(run_words(other_words, "other", "2/3", NULL), 0);
    assert_refused((const char *[]){"1", "other", "3", NULL}, "/other are of different work",
                   "--block=2-6");
}

/* Sets a member of what the command of a shard has written. */
static void change_result(const char *name, const char *to, const char *member, json_t *value)
{
    char path[PATH_SIZE];
    json_t *file = json_read(path_of(name, path));

    json_object_set_new(json_object_get(file, "result"), member, value);
    assert_int_equal(json_dump_file(file, path_of(to, path), 0), 0);
    json_decref(file);
}

/* Sets a member of a row of a shard's file; null: takes the row away. */
static void change_row(const char *name, const char *to, size_t row, const char *member,
                       json_t *value)
{
    char path[PATH_SIZE];
    json_t *file = json_read(path_of(name, path)),
           *rows = json_object_get(json_object_get(file, "result"), "results");

    assert_int_equal(json_array_size(rows), 2);
    if (member != NULL)
        json_object_set_new(json_array_get(rows, row), member, value);
    else
        json_array_remove(rows, row);
    assert_int_equal(json_dump_file(file, path_of(to, path), 0), 0);
    json_decref(file);
}

/* A verdict is for all cases of the plan, or there is none. */
static void shards_are_held_to_the_plan(void **state)
{
    char path[PATH_SIZE];
    json_t *file, *rows;
    (void)state;
    assert_int_equal(run_three(small), 0);
    change_row("2", "fewer", 0, "cases", json_integer(0));
    assert_refused((const char *[]){"1", "fewer", "3", NULL}, "shard 2/3: reduceInterleaved",
                   "has 0 cases, and ");
    change_row("2", "without", 1, NULL, NULL);
    assert_refused((const char *[]){"1", "without", "3", NULL}, "is in 2 of 3 shards", "");
    change_row("2", "failing", 0, "mismatches", json_integer(3));
    assert_refused((const char *[]){"1", "failing", "3", NULL}, "3 cases failed", "no shard has");
    change("2", "ended", "status", json_integer(5));
    assert_refused((const char *[]){"1", "ended", "3", NULL}, "/ended: shard 2/3 ended", "5");
    change("2", "rowless", "result", json_array());
    assert_refused((const char *[]){"1", "rowless", "3", NULL},
                   "/rowless: invalid shard: result: must be an object", "");

    file = json_read(path_of("2", path));
    rows = json_object_get(json_object_get(file, "result"), "results");
    json_array_append(rows, json_array_get(rows, 0));
    assert_int_equal(json_dump_file(file, path_of("twice", path), 0), 0);
    assert_refused((const char *[]){"1", "twice", "3", NULL}, "shard 2/3: it has",
                   "reduceInterleaved twice");
    json_array_clear(rows);
    for (char number[] = "1"; number[0] <= '3'; number[0]++) {
        json_object_set_new(file, "shard", json_integer(number[0] - '0'));
        assert_int_equal(json_dump_file(file, path_of(number, path), 0), 0);
    }
    json_decref(file);
    assert_refused((const char *[]){"1", "2", "3", NULL}, "reduceInterleaved", "is in no shard");
}

/* What the verdict or the sums of the whole are made of is as a run writes it, in every shard. */
static void a_row_that_was_changed_is_refused(void **state)
{
    static const struct {
        const char *member, *value;
    } rows[] = {{"seconds", "-1"}, {"map", "[1]"},    {"mismatches", "-1"},
                {"found", "0.5"},  {"cases", "null"}, {"origin", "7"}};
    static const char *const names[] = {"1", "changed", "3", NULL};
    (void)state;
    assert_int_equal(run_three(small), 0);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        change_row("2", "changed", 0, rows[r].member,
                   json_loads(rows[r].value, JSON_DECODE_ANY, NULL));
        assert_refused(names, "/changed: invalid shard: result: results[0]", rows[r].member);
    }
    /* Unavailable in one shard, and run in the others, whichever comes first. */
    change_row("3", "last", 1, "verdict", json_string("skipped"));
    assert_refused((const char *[]){"1", "2", "last", NULL},
                   "/last: reduceInterleaved corrected on host is unavailable, and in ", "/2 ");
    change_row("1", "changed", 1, "verdict", json_string("skipped"));
    assert_refused((const char *[]){"changed", "2", "3", NULL},
                   "/changed: reduceInterleaved corrected", "/2 ");
    for (size_t k = 0; k < 3; k++) {
        static const char *const values[] = {"1", "null", "\"true\""};
        change_result("2", "changed", "complete", json_loads(values[k], JSON_DECODE_ANY, NULL));
        assert_refused(names, "/changed: invalid shard: result: complete", "must be true");
    }
    change_result("2", "changed", "seconds", json_integer(-1));
    assert_refused(names, "/changed: invalid shard: result: seconds", "must be a number");
}

/* What is read stays as it is. */
static void a_shard_is_not_written_over(void **state)
{
    char one[PATH_SIZE], two[PATH_SIZE], three[PATH_SIZE], *before, *after;
    (void)state;
    assert_int_equal(run_three(small), 0);
    before = read_text("2");
    const char *const words[] = {
        SIMTCHECK, "merge", path_of("1", one), path_of("2", two), path_of("3", three), "--json",
        two,       NULL};
    assert_int_equal(run_words(words, NULL, NULL, NULL), 2);
    after = read_text("2");
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* A task that was run again may leave two files: the same is taken once, and no choice is made. */
static void a_shard_may_be_there_twice_if_both_say_the_same(void **state)
{
    char *output, *once, *twice;
    (void)state;
    assert_int_equal(run_three(small), 0);
    assert_int_equal(merge_files(SIMTCHECK, (const char *[]){"1", "2", "3", NULL}, NULL), 0);
    once = read_text("merged");
    assert_int_equal(run_words(small, "again", "2/3", NULL), 0);
    assert_int_equal(
        merge_files(SIMTCHECK, (const char *[]){"1", "2", "again", "3", NULL}, &output), 0);
    assert_non_null(strstr(output, "again: shard 2/3 once more, with the same results as"));
    twice = read_text("merged");
    assert_string_equal(once, twice);
    free(output);
    free(once);
    free(twice);
    change("2", "again", "result", json_object());
    assert_refused((const char *[]){"1", "2", "again", "3", NULL}, "are both shard 2/3, and differ",
                   "/again");
}

static void a_cut_file_is_refused_wherever_it_is_cut(void **state)
{
    char path[PATH_SIZE];
    struct stat status;
    (void)state;
    assert_int_equal(run_three(small), 0);
    assert_int_equal(stat(path_of("2", path), &status), 0);
    for (off_t length = status.st_size - 2; length >= 0; length -= 1 + length / 8) {
        assert_int_equal(truncate(path, length), 0);
        assert_refused((const char *[]){"1", "2", "3", NULL}, "/2", "this is no whole shard");
    }
}

static void bad_shards_get_one_sentence(void **state)
{
    static const char *const words[] = {"0/3", "4/3", "3", "1/3x", "-1/3", "a/b", "1/5000", ""};
    static const char *const level[] = {SIMTCHECK, "run", "--level", "3", NULL};
    static const char *const minutes[] = {SIMTCHECK, "compilers", "--minutes", "3", NULL};
    char *output;
    (void)state;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        assert_int_equal(run_words(small, "x", words[k], &output), 2);
        assert_non_null(strstr(output, "is not a shard, such as 2/8"));
        free(output);
    }
    assert_int_equal(run_words(small, NULL, "1/2", &output), 2);
    assert_non_null(strstr(output, "--shard needs --json"));
    free(output);
    assert_int_equal(run_words(level, "x", "1/2", &output), 2);
    assert_non_null(strstr(output, "runs until it is stopped"));
    free(output);
    assert_int_equal(run_words(minutes, "x", "1/2", &output), 2);
    assert_non_null(strstr(output, "give --count"));
    free(output);
}

/* ---- Shards of compilers, as three assemblers' stages would have them ---- */

#define FAMILY(number, shape, members, text)                                                       \
    "{\"shape\": \"" shape "\", \"program\": \"family" number ": " text                            \
    "\", \"members\": " members ", \"blamed\": \"assembler\", \"wrong\": [], \"place\": \"\", "    \
    "\"expected\": \"\", \"got\": \"\"}"
#define PAIR(when, version, one, other)                                                            \
    "{\"when\": " when ", \"rows\": [{\"ptxas\": \"" version "\", \"one\": \"" one                 \
    "\", \"other\": \"" other "\"}]}"
#define RESULT(programs, wrong, families, whens, pairs, count, unsteady)                           \
    "{\"seed\": 1, \"programs\": " programs                                                        \
    ", \"stages\": [{\"stage\": \"ptxas 1 -O3\", \"programs\": " programs ", \"wrong\": " wrong    \
    ", \"same_code_pairs\": " count ", \"kernels\": 0, \"kernels_wrong\": [], \"skipped\": "       \
    "\"\", \"kernels_skipped\": \"\"}], \"families\": [" families "], \"same_code\": [], "         \
    "\"same_code_pairs\": " count ", \"unsteady\": [" unsteady                                     \
    "], \"complete\": true, \"origin\": {\"families\": [" whens "], \"pairs\": [" pairs "]}}"

static const char small_one[] = "input_b32 0; max_s32 0 0;",
                  large_one[] = "input_b32 0; input_b32 1; max_s32 0 1; max_s32 2 0;";

static const char *const trials[] = {
    RESULT("500", "3", FAMILY("1", "max", "2", "later") ", " FAMILY("2", "add", "1", "only"),
           "1580, 1580",
           PAIR("1580", "1", "input_b32 0; input_b32 1; max_s32 0 1; max_s32 2 0;", "x"), "1", ""),
    RESULT("80", "1", FAMILY("1", "max", "4", "first"), "80",
           PAIR("80", "1", "input_b32 0; max_s32 0 0;", "y"), "1", "\"ptxas 1\""),
    RESULT("500", "0", "", "",
           PAIR("1080", "2", "input_b32 0; input_b32 1; max_s32 0 1; max_s32 2 0;", "x"), "1", ""),
};

static const char *const three[] = {"1", "2", "3", NULL};

/* The 80 idioms, or one of the two batches of 500. */
static uint64_t programs_of(size_t k)
{
    const struct shard shard = {k + 1, 3};
    return shard_has(&shard, shard_salt("compilers"), 0) ? 80 : 500;
}

static void be_trial(size_t k, uint64_t programs)
{
    json_t *result = json_loads(trials[k], 0, NULL);

    json_object_set_new(result, "programs", json_integer((json_int_t)programs));
    change(three[k], three[k], "result", result);
    change(three[k], three[k], "command", json_string("compilers"));
    change(three[k], three[k], "options", json_pack("[ss]", "--count", "1000"));
}

static void a_family_is_that_of_the_shard_that_came_to_it_first(void **state)
{
    json_t *whole, *families, *pairs;
    char path[PATH_SIZE];
    (void)state;
    assert_int_equal(run_three(small), 0);
    for (size_t k = 0; k < 3; k++)
        be_trial(k, programs_of(k));
    assert_int_equal(merge_files(SIMTCHECK, three, NULL), 1);
    whole = json_read(path_of("merged", path));
    assert_int_equal(report_number(whole, "programs"), 1080);
    assert_true(json_is_true(json_object_get(whole, "complete")));
    families = json_object_get(whole, "families");
    assert_int_equal(json_array_size(families), 2);
    assert_string_equal(report_text(json_array_get(families, 0), "program"), "family1: first");
    assert_int_equal(report_number(json_array_get(families, 0), "members"), 6);
    assert_string_equal(report_text(json_array_get(families, 1), "program"), "family2: only");
    /* Three were seen, of which two are one, by two assemblers. */
    assert_int_equal(report_number(whole, "same_code_pairs"), 2);
    pairs = json_object_get(whole, "same_code");
    assert_int_equal(json_array_size(pairs), 3);
    assert_string_equal(report_text(json_array_get(pairs, 0), "one"), small_one);
    assert_string_equal(report_text(json_array_get(pairs, 1), "one"), large_one);
    assert_string_equal(report_text(json_array_get(pairs, 1), "ptxas"), "2");
    assert_int_equal(report_number(json_array_get(json_object_get(whole, "stages"), 0), "wrong"),
                     4);
    assert_int_equal(json_array_size(json_object_get(whole, "unsteady")), 1);
    json_decref(whole);
    for (size_t k = 0; k < 3; k++) {
        bool idioms = programs_of(k) == 80; /* of which there may be any number */
        be_trial(k, idioms ? 0 : 501);
        assert_refused(three, "were to be drawn in it", idioms ? "besides" : "501 programs");
        be_trial(k, idioms ? 80 : 499);
        if (!idioms)
            assert_refused(three, "500 were to be drawn in it", "499 programs");
        be_trial(k, programs_of(k));
    }
}

static int make_folder(void **state)
{
    return folder_make(state);
}

static int remove_folder(void **state)
{
    const char *const words[] = {"/bin/rm", "-r", folder, NULL};
    (void)state;
    return run_words(words, NULL, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_of_a_run_that_conforms),
        cmocka_unit_test(shards_of_a_limited_run),
        cmocka_unit_test(shards_of_a_run_that_fails),
        cmocka_unit_test(shards_of_printed_forms_outside_their_domain),
        cmocka_unit_test(shards_of_races),
        cmocka_unit_test(an_engine_that_is_missing_is_missing_in_the_whole),
        cmocka_unit_test(a_shard_claims_no_more_than_it_has_seen),
        cmocka_unit_test(a_shard_without_work_conforms_and_says_so),
        cmocka_unit_test(what_does_not_go_together_is_refused_by_name),
        cmocka_unit_test(shards_are_held_to_the_plan),
        cmocka_unit_test(a_row_that_was_changed_is_refused),
        cmocka_unit_test(a_shard_is_not_written_over),
        cmocka_unit_test(a_shard_may_be_there_twice_if_both_say_the_same),
        cmocka_unit_test(a_cut_file_is_refused_wherever_it_is_cut),
        cmocka_unit_test(a_family_is_that_of_the_shard_that_came_to_it_first),
        cmocka_unit_test(bad_shards_get_one_sentence),
    };
    return cmocka_run_group_tests_name("shards", tests, make_folder, remove_folder);
}
