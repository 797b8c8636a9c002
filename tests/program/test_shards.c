/* SPDX-License-Identifier: MIT
 *
 * Shards, which merge to the results of an undivided run; and files that do not belong together.
 */
#include "check.h"

#include "case_id.h"
#include "plan.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- Merging ---- */

/* Removes what differs between runs. */
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

static char *results_in(const char *name)
{
    json_t *value = json_read(in_folder(name));
    char *text;

    drop_times(value);
    text = json_dumps(value, JSON_SORT_KEYS | JSON_INDENT(1));
    json_decref(value);
    return text;
}

static void assert_same_results(const char *one, const char *other)
{
    char *first = results_in(one), *second = results_in(other);

    assert_string_equal(first, second);
    free(first);
    free(second);
}

/* Runs one shard of a command line, and writes it to the file `name`. */
static struct ended run_shard(const char *line, const char *name, const char *shard)
{
    return run_line("%s --json %s --shard %s", line, in_folder(name), shard);
}

/* Merges files of the folder into "merged". Blanks separate their names. */
static struct ended merge_files(const char *names)
{
    char list[64], *rest = list, line[1024] = "";

    snprintf(list, sizeof list, "%s", names);
    while (rest != NULL)
        snprintf(line + strlen(line), sizeof line - strlen(line), " %s",
                 in_folder(strsep(&rest, " ")));
    return run_line("merge%s --json %s", line, in_folder("merged"));
}

static void run_three(const char *line)
{
    free(run_shard(line, "1", "1/3").output);
    free(run_shard(line, "2", "2/3").output);
    free(run_shard(line, "3", "3/3").output);
}

/* Checks that three merged shards equal one run, field by field. */
static void assert_merged_is_whole(const char *line)
{
    struct ended whole = run_line("%s --json %s", line, in_folder("whole"));

    run_three(line);
    if (strncmp(line, "seeded ", 7) == 0)
        expect_run(whole.status, "", "seeded merge %s %s %s --json %s", in_folder("3"),
                   in_folder("1"), in_folder("2"), in_folder("merged"));
    else
        expect_ended(merge_files("3 1 2"), whole.status, "");
    free(whole.output);
    assert_same_results("whole", "merged");
}

/* Domains, known defects that reproduce, and known defects that a single shard cannot judge. */
TEST(shards_of_a_conforming_run_merge)
{
    assert_merged_is_whole("run --engine sim --variant original --sizes-per-block 4 "
                           "--kernel *Recursive* --kernel reduceInter*");
}

TEST(shards_of_a_limited_run_merge)
{
    assert_merged_is_whole("run --engine sim --block 1-8 --kernel reduce*8*");
}

/* Every kind of failure except hangs, for which each shard would wait, and deep stacks, which take
 * long. */
TEST(shards_of_a_failing_run_merge)
{
    assert_merged_is_whole("seeded run --engine sim --max-failures 100000 "
                           "--kernel seeded[A-CF-RT-Z]* --kernel seededD[!e]* "
                           "--kernel seededDep* --kernel seededS* --block 1-6 "
                           "--sizes-per-block 6 --schedule sequential");
    /* Wrong results that a known defect explains only in part: among more sizes. */
    assert_merged_is_whole("seeded run --engine sim --max-failures 100000 "
                           "--kernel seededBlamesARace --kernel seededTakesAway --block 1-6 "
                           "--schedule sequential");
}

TEST(shards_of_original_variants_outside_their_domain_merge)
{
    assert_merged_is_whole("run --engine sim --variant original --assume-corrected "
                           "--kernel reduceNeig* --max-failures 1000000 --block 30-33");
}

TEST(shards_of_races_merge)
{
    assert_merged_is_whole("races --kernel reduce*8 --block 64");
    /* Without seededOwnsUp*, whose races take long to search. */
    assert_merged_is_whole("seeded races --kernel seeded[M-NP-Z]* --kernel seededO[!w]* "
                           "--max-failures 100000 --block 8");
}

TEST(missing_engine_is_missing_in_the_merged_result)
{
    if (engine_is_available("cuda"))
        return;
    assert_merged_is_whole("run --engine cuda --block 1");
    assert_merged_is_whole("run --engine cuda --engine sim --kernel reduceInter* --block 4");
}

/* ---- Output of a shard ---- */

static const char small[] = "run --engine sim --kernel reduceInterleaved --block 2-5 --size 6";

TEST(shard_reports_only_its_own_cases)
{
    json_t *file, *row;
    size_t r;

    expect_ended(run_shard(small, "1", "1/2"), 0,
                 "!conforms|merge` prints the verdicts of all shards");
    file = json_read(in_folder("1"));
    json_array_foreach(json_at(file, "result/results"), r, row)
        assert_string_equal(report_text(row, "verdict"), "partial");
    assert_true(r > 0);
    json_decref(file);
}

/* Returns how many of `count` shards say that they contain none of those. */
static int shards_without(const char *line, int count, const char *what)
{
    char text[64], shard[24];
    int without = 0;

    snprintf(text, sizeof text, "empty, because all %s are in other shards", what);
    for (int number = 1; number <= count; number++) {
        struct ended ended;
        snprintf(shard, sizeof shard, "%d/%d", number, count);
        ended = run_shard(line, "1", shard);
        without += strstr(ended.output, text) != NULL;
        expect_ended(ended, 0, "");
    }
    return without;
}

TEST(empty_shard_conforms_and_is_reported)
{
    assert_int_equal(shards_without("races --kernel reduceInterleaved --block 2 --size 2 "
                                    "--variant corrected --model independent",
                                    3, "rows"),
                     2);
    assert_in_range(shards_without(small, 40, "cases"), 30, 39);
}

/* ---- Files that do not belong together ---- */

/* Copies a file, and sets what the path names to a value in JSON. Null removes it. */
static void change(const char *name, const char *to, const char *path, const char *value)
{
    json_t *file = json_read(in_folder(name));

    json_put(file, path, value);
    json_save(file, in_folder(to));
}

/* Fails unless the merge is rejected with each of the texts, as in expect_ended(). */
static void assert_rejected(const char *names, const char *says)
{
    unlink(in_folder("merged"));
    expect_ended(merge_files(names), 2, says);
    assert_int_equal(access(in_folder("merged"), F_OK), -1);
}

/* Changes to shard 2 that make the merge fail. The message begins with its path. */
struct changed {
    const char *path, *value, *says;
};

static void expect_all_rejected(const struct changed rows[], size_t count)
{
    run_three(small);
    for (size_t r = 0; r < count; r++) {
        change("2", "changed", rows[r].path, rows[r].value);
        assert_rejected("1 changed 3", rows[r].says);
    }
}

TEST(mismatched_shards_are_rejected_by_name)
{
    static const struct changed rows[] = {
        {"status", "null", "/changed: shard 2/3 was killed"},
        {"status", "3", "/changed: shard 2/3 ended|3"},
        {"status", "5", "/changed: shard 2/3 ended|5"},
        {"build", "\"0123\"", "/changed: build 0123 wrote this shard, and "},
        {"engines", "{\"sim\": \"another machine\"}",
         "/changed belong to different runs: |another machine"},
        {"simtcheck_shard", "2", "/changed: shard version 2 is not supported"},
        {"simtcheck_shard", NULL, "/changed: this is not a shard"},
        {"shard", "4", "/changed: invalid shard: shard must be"},
        {"shards", "2", "/changed belong to different runs: |3"},
    };

    expect_all_rejected(rows, sizeof rows / sizeof *rows);
    assert_rejected("1 3", "shard 2/3 is missing");
    assert_rejected("2", "shard 1/3 is missing|shard 3/3 is missing");
    assert_rejected("1 2 absent", "/absent");
    free(run_shard("run --engine sim --kernel reduceInterleaved --block 2-6", "other", "2/3")
             .output);
    assert_rejected("1 other 3", "/other belong to different runs: |--block=2-6");
}

/* In every shard, the members that make up the verdict and the sums must be as a run writes them. A
 * verdict covers all cases of the plan, or is missing. */
TEST(modified_result_is_rejected)
{
#define INVALID "/changed: invalid shard: result: "
    static const struct changed rows[] = {
        {"result/results/0/cases", "0", "shard 2/3: reduceInterleaved|has 0 cases, but "},
        {"result/results/1", NULL, "is in only 2 of 3 shards"},
        {"result/results/0/mismatches", "3", "3 cases failed|no shard has"},
        {"result", "[]", INVALID "must be an object"},
        {"result/results/0/seconds", "-1", INVALID "results[0]|seconds"},
        {"result/results/0/map", "[1]", INVALID "results[0]|map"},
        {"result/results/0/mismatches", "-1", INVALID "results[0]|mismatches"},
        {"result/results/0/found", "0.5", INVALID "results[0]|found"},
        {"result/results/0/cases", "null", INVALID "results[0]|cases"},
        {"result/results/0/origin", "7", INVALID "results[0]|origin"},
        {"result/complete", "1", INVALID "complete|must be true"},
        {"result/complete", "null", INVALID "complete|must be true"},
        {"result/complete", "\"true\"", INVALID "complete|must be true"},
        {"result/seconds", "-1", INVALID "seconds|must be a number"},
        {"status", "1", "/changed: invalid shard: its exit status is 1, but no row fails"},
        {"result/results/0/verdict", "\"fault\"",
         "/changed: invalid shard: its exit status is 0, but a row fails"},
        {"result/complete", "false", "/changed: invalid shard: it is not complete, but no row"},
        {"result/seed", "7", "/changed: invalid shard: its seed or level is not that of its"},
        {"result/level", "2", "/changed: invalid shard: its seed or level is not that of its"},
    };
    json_t *file, *result;

    expect_all_rejected(rows, sizeof rows / sizeof *rows);
    /* Skipped in one shard, and run in the others, in any order. */
    change("3", "last", "result/results/1/verdict", "\"skipped\"");
    assert_rejected("1 2 last", "/last: reduceInterleaved corrected on sim was skipped, but |/2 ");
    change("1", "changed", "result/results/1/verdict", "\"skipped\"");
    assert_rejected("changed 2 3", "/changed: reduceInterleaved corrected|/2 ");

    file = json_read(in_folder("2"));
    result = json_at(file, "result/results");
    json_array_append(result, json_array_get(result, 0));
    json_save(json_incref(file), in_folder("twice"));
    assert_rejected("1 twice 3", "shard 2/3 has |reduceInterleaved twice");
    json_array_clear(result);
    for (char number[] = "1"; number[0] <= '3'; number[0]++) {
        json_put(file, "shard", number);
        json_save(json_incref(file), in_folder(number));
    }
    json_decref(file);
    assert_rejected("1 2 3", "reduceInterleaved|is in no shard");
}

/* Input files stay unchanged. */
TEST(shard_files_are_not_overwritten)
{
    char *before;

    run_three(small);
    before = text_read(in_folder("2"));
    expect_run(2, "", "merge %s %s %s --json %s", in_folder("1"), in_folder("2"), in_folder("3"),
               in_folder("2"));
    text_write(in_folder("before"), before);
    free(before);
    assert_same_results("before", "2");
}

/* A repeated task may leave two files for one shard. Equal files count once; different ones are
 * rejected. */
TEST(duplicate_shards_must_be_equal)
{
    run_three(small);
    expect_ended(merge_files("1 2 3"), 0, "");
    assert_int_equal(rename(in_folder("merged"), in_folder("once")), 0);
    expect_ended(run_shard(small, "again", "2/3"), 0, "");
    expect_ended(merge_files("1 2 again 3"), 0,
                 "again: another copy of shard 2/3, with the same results as");
    assert_same_results("once", "merged");
    change("2", "again", "result", "{}");
    assert_rejected("1 2 again 3", "are both shard 2/3, but differ|/again");
}

TEST(truncated_shard_is_rejected)
{
    const char *path;
    struct stat status;

    run_three(small);
    path = in_folder("2");
    assert_int_equal(stat(path, &status), 0);
    for (off_t length = status.st_size - 2; length >= 0; length -= 1 + length / 8) {
        assert_int_equal(truncate(in_folder("2"), length), 0);
        assert_rejected("1 2 3", "/2|this is not a complete shard");
    }
}

TEST(invalid_shard_gives_one_message)
{
    static const char *const words[] = {"0/3", "4/3", "3", "1/3x", "-1/3", "a/b", "1/5000", "''"};

    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        expect_ended(run_shard(small, "x", words[k]), 2, "is not a shard: write I/N, such as 2/8");
    expect_run(2, "--shard needs --json", "%s --shard 1/2", small);
    expect_ended(run_shard("run --level 3", "x", "1/2"), 2, "cannot run --level 3");
#if HAVE_TOOLS
    expect_ended(run_shard("compilers --minutes 3", "x", "1/2"), 2, "give --count");
#endif
}

#if HAVE_TOOLS
/* ---- Shards of compilers, as three assemblers' stages would write them ---- */

#define FAMILY(number, shape, members, text)                                                       \
    "{\"shape\": \"" shape "\", \"program\": \"family" number ": " text                            \
    "\", \"members\": " members ", \"cause\": \"assembler\", \"wrong\": [], \"place\": \"\", "     \
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

/* Returns the number of programs: the 80 idioms, or one of the two batches of 500. */
static uint64_t programs_of(size_t k)
{
    const struct shard shard = {k + 1, 3};
    return shard_has(&shard, shard_salt("compilers"), 0) ? 80 : 500;
}

static void be_trial(size_t k, uint64_t programs)
{
    char name[] = {(char)('1' + k), '\0'}, count[24];

    snprintf(count, sizeof count, "%d", (int)programs);
    change(name, name, "result", trials[k]);
    change(name, name, "result/programs", count);
    change(name, name, "command", "\"compilers\"");
    change(name, name, "options", "[\"--count\", \"1000\"]");
}

TEST(family_comes_from_the_first_shard_that_found_it)
{
    json_t *whole, *families, *pairs;
    run_three(small);
    for (size_t k = 0; k < 3; k++)
        be_trial(k, programs_of(k));
    expect_ended(merge_files("1 2 3"), 1, "");
    whole = json_read(in_folder("merged"));
    assert_int_equal(report_number(whole, "programs"), 1080);
    assert_true(json_is_true(json_object_get(whole, "complete")));
    families = json_object_get(whole, "families");
    assert_int_equal(json_array_size(families), 2);
    assert_string_equal(report_text(json_array_get(families, 0), "program"), "family1: first");
    assert_int_equal(report_number(json_array_get(families, 0), "members"), 6);
    assert_string_equal(report_text(json_array_get(families, 1), "program"), "family2: only");
    /* Two assemblers saw three pairs, two of which are the same. */
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
        bool idioms = programs_of(k) == 80; /* any number of these is allowed */
        be_trial(k, idioms ? 0 : 501);
        assert_rejected("1 2 3",
                        idioms ? "random programs are planned, in addition to the idioms"
                               : "random programs are planned, without the idioms|501 programs");
        be_trial(k, idioms ? 80 : 499);
        if (!idioms)
            assert_rejected("1 2 3", "500 random programs are planned|499 programs");
        be_trial(k, programs_of(k));
    }
}
#endif

TEST_MAIN("shards", folder_make, folder_remove)
