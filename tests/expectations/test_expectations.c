/* SPDX-License-Identifier: MIT
 *
 * The reader of expectations, and which entries apply to a test.
 */
#include "check.h"

#include "expected.h"

static struct expectations expectations;
static char error[512];

static bool read_text(const char *text)
{
    expectations_free(&expectations);
    return expectations_read(text_write(in_folder("a.expect"), text), &expectations, error,
                             sizeof error);
}

/* An entry of sim:kernel:original with these lines. */
#define ENTRY(lines) "[run sim:kernel:original]\n" lines
#define LINK "link = https://bugs.example.com/1\n"
#define LAST "expires = 2027-03-31\n"

static const struct test_platform h100 = {.gpu = "NVIDIA H100 80GB HBM3",
                                          .architecture = "sm_90",
                                          .driver = "580.65.06",
                                          .compiler = "nvcc",
                                          .compiler_version = "13.0.88"};

/* Returns whether a failure of sim:kernel:original is a known deviation. */
static bool is_known_on(const struct test_platform *platform, const char *result)
{
    return expectations_take_failure(&expectations, EXPECT_RUN, "sim:kernel:original", platform,
                                     &result, 1) != NULL;
}

static bool is_known(const char *result)
{
    return is_known_on(&h100, result);
}

/* ---- The reader ---- */

TEST(entry_is_read)
{
    const struct expected_failure *entry;

    assert_true(read_text("\n# A comment. [run] = \n  [ run   sim:kernel:original ] \r\n"
                          " result=wrong-result ,timeout\n\tlink  =  http://x/?a=b#c\n"
                          "expires = 2028-02-29\nreason = two words = one\ngpu = sm_90\n"));
    assert_int_equal(expectations.entries.count, 1);
    entry = expectations.entries.items;
    assert_int_equal(entry->line, 3);
    assert_int_equal(entry->kind, EXPECT_RUN);
    assert_string_equal(entry->test, "sim:kernel:original");
    assert_string_equal(entry->results, "wrong-result,timeout");
    assert_string_equal(entry->known.link, "http://x/?a=b#c");
    assert_string_equal(entry->known.expires, "2028-02-29");
    assert_string_equal(entry->known.reason, "two words = one");
    assert_true(is_known("wrong-result") && is_known("timeout") && !is_known("trap"));
}

TEST(empty_file_has_no_entries)
{
    assert_true(read_text("# Nothing is known.\n"));
    assert_int_equal(expectations.entries.count, 0);
}

TEST(mistakes_name_the_line_and_what_is_right)
{
    static const struct {
        const char *text, *says;
    } mistakes[] = {
        {"[bench sim:x]\n", ":1: 'bench' is no kind of test: write [run TEST]"},
        {"[run]\n", ":1: the entry names no test: write [run ENGINE:KERNEL:VARIANT]"},
        {"[litmus ]\n", ":1: the entry names no test: write [litmus NAME]"},
        {"[run sim:x\n", ":1: '[run sim:x' has no ']'"},
        {"result = wrong-result\n", ":1: 'result' comes before the first entry"},
        {ENTRY("wrong-result\n"), ":2: 'wrong-result' is neither '[KIND TEST]' nor 'key = value'"},
        {ENTRY("drivers = 580\n"), ":2: unknown key 'drivers': write result, gpu, driver"},
        {ENTRY(LINK LINK), ":3: the entry has two values of 'link'"},
        {ENTRY("link = bugs/1\n"), ":2: link 'bugs/1' is not valid: write 'link = https://"},
        {ENTRY("link = https://\n"), ":2: link 'https://' is not valid"},
        {ENTRY("link = https://a b\n"), ":2: link 'https://a b' is not valid"},
        {ENTRY("expires = 2027-02-29\n"), ":2: expires '2027-02-29' is not valid"},
        {ENTRY("expires = 1.2.2027\n"), ": write 'expires = YYYY-MM-DD'"},
        {ENTRY("expires = 2027-1-02 \n"), ":2: expires"},
        {ENTRY("reason =\n"), ":2: reason '' is not valid"},
        {ENTRY("gpu = sm_9x\n"), ":2: gpu 'sm_9x' is not valid"},
        {ENTRY("driver = new\n"), ":2: driver 'new' is not valid"},
        {ENTRY("driver = 580.95-580.65\n"), ":2: driver '580.95-580.65'"},
        {ENTRY("driver = 580-\n"), ":2: driver '580-'"},
        {ENTRY("compiler = nvcc 13.\n"), ":2: compiler 'nvcc 13.'"},
        {ENTRY("result = wrong-result\n" LAST), ":1: [run sim:kernel:original] has no link: add"},
        {ENTRY("result = wrong-result\n" LINK),
         ":1: [run sim:kernel:original] has no expires: add"},
        {ENTRY(LINK LAST), ":1: [run sim:kernel:original] has no result: add"},
        {ENTRY(LINK) ENTRY(LINK LAST), ":1: [run sim:kernel:original] has no result"},
        {ENTRY("result = wrong\n" LINK LAST),
         ":1: [run sim:kernel:original] has the result 'wrong'"},
        {ENTRY("result = wrong-result,\n" LINK LAST),
         "has the result 'wrong-result,': write wrong-result"},
        {ENTRY("result = race\n" LINK LAST), "has the result 'race': write wrong-result"},
        {"[races sim:x]\nresult = determinism\n" LINK LAST,
         "has the result 'determinism': write race"},
        {"[litmus SB]\nresult = forbidden\n" LINK LAST, "such as P0:r0=0 P1:r0=0"},
    };

    for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
        assert_false(read_text(mistakes[k].text));
        if (strstr(error, mistakes[k].says) == NULL || strstr(error, "a.expect") == NULL)
            fail_msg("'%s' gives '%s'", mistakes[k].text, error);
    }
}

TEST(bytes_that_are_no_text_are_a_mistake)
{
    static const char *const lines[] = {"# a\0b\n", "# \x01 \n", "# \xff \n"};

    for (int k = 0; k < 3; k++) {
        FILE *file = fopen(in_folder("a.expect"), "w");
        assert_non_null(file);
        fwrite(lines[k], 6 - (k > 0), 1, file);
        fclose(file);
        expectations_free(&expectations);
        assert_false(expectations_read(in_folder("a.expect"), &expectations, error, sizeof error));
        assert_non_null(strstr(error, ":1: the line is not text: remove control characters"));
    }
    assert_true(read_text("# \xc3\xa9\n"));
}

TEST(unreadable_file_is_a_mistake)
{
    expectations_free(&expectations);
    assert_false(expectations_read(folder, &expectations, error, sizeof error));
    assert_non_null(strstr(error, "cannot read '"));
}

/* ---- Dates ---- */

TEST(entry_expires_after_its_day)
{
    setenv("SIMTCHECK_TODAY", "2027-03-31", 1);
    assert_true(read_text(ENTRY("result = wrong-result\n" LINK LAST)));
    assert_true(is_known("wrong-result"));
    setenv("SIMTCHECK_TODAY", "2027-04-01", 1);
    assert_true(read_text(ENTRY("result = wrong-result\n" LINK LAST)));
    assert_false(is_known("wrong-result"));
    setenv("SIMTCHECK_TODAY", "tomorrow", 1);
    assert_false(read_text(ENTRY("result = wrong-result\n" LINK LAST)));
    assert_non_null(strstr(error, "SIMTCHECK_TODAY is 'tomorrow': write a date as YYYY-MM-DD"));
    setenv("SIMTCHECK_TODAY", "2027-01-31", 1);
}

/* ---- Which entries apply ---- */

/* Returns whether an entry with that line excuses a wrong-result on the platform. */
static bool applies(const char *line, const struct test_platform *platform)
{
    char text[512];

    snprintf(text, sizeof text, "%s%s\n", ENTRY("result = wrong-result\n" LINK LAST), line);
    if (!read_text(text))
        fail_msg("%s", error);
    return is_known_on(platform, "wrong-result");
}

TEST(entry_is_for_its_gpu_driver_and_compiler)
{
    static const char *const right[] = {"",
                                        "gpu = NVIDIA H100*",
                                        "gpu = NVIDIA H100 80GB HBM3",
                                        "gpu = sm_90",
                                        "driver = 580",
                                        "driver = 580.65",
                                        "driver = 580.65.6",
                                        "driver = 580.65.06",
                                        "driver = 570-580",
                                        "driver = 580.65-590",
                                        "driver = 580.65.06-580.65.07",
                                        "compiler = nvcc",
                                        "compiler = nv*",
                                        "compiler = nvcc 13",
                                        "compiler = nvcc 12.8-13.0"};
    static const char *const wrong[] = {"gpu = NVIDIA H200*",   "gpu = H100",
                                        "gpu = sm_100",         "gpu = sm_9",
                                        "driver = 58",          "driver = 580.66",
                                        "driver = 580.6",       "driver = 580.65.06.1",
                                        "driver = 581-590",     "driver = 560-580.64",
                                        "compiler = clang",     "compiler = clang 13.0",
                                        "compiler = nvcc 13.1", "compiler = nvcc 12.0-12.9"};

    for (size_t k = 0; k < sizeof right / sizeof *right; k++)
        if (!applies(right[k], &h100))
            fail_msg("'%s' does not apply", right[k]);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        if (applies(wrong[k], &h100))
            fail_msg("'%s' applies", wrong[k]);
}

/* ptxas -O3 is the name of a compiler in litmus tests. */
TEST(compiler_may_have_options)
{
    struct test_platform platform = h100;

    platform.compiler = "ptxas -O3";
    assert_true(applies("compiler = ptxas -O3", &platform));
    assert_true(applies("compiler = ptxas -O3 13.0", &platform));
    assert_true(applies("compiler = ptxas* 13", &platform));
    assert_false(applies("compiler = ptxas -O0", &platform));
    assert_false(applies("compiler = ptxas", &platform));
}

/* A driver that is not known may be any. */
TEST(unknown_fact_excuses_nothing)
{
    const struct test_platform unknown = {.gpu = NULL};
    struct test_platform vague = h100;

    assert_true(applies("", &unknown));
    assert_false(applies("gpu = *", &unknown));
    assert_false(applies("gpu = sm_90", &unknown));
    assert_false(applies("driver = 1-9999", &unknown));
    assert_string_equal(((struct expected_failure *)expectations.entries.items)->unknown, "driver");
    assert_false(applies("compiler = *", &unknown));
    vague.driver = "580";
    assert_false(applies("driver = 580.65", &vague));
    assert_false(applies("driver = 570.1-590.1", &vague));
    vague.driver = "580.65-beta";
    assert_false(applies("driver = 580", &vague));
    vague.compiler_version = NULL;
    assert_true(applies("compiler = nvcc", &vague));
    assert_false(applies("compiler = nvcc 13", &vague));
}

TEST(each_result_must_be_known)
{
    const char *const both[] = {"wrong-result", "timeout"};

    assert_true(read_text(ENTRY("result = wrong-result\n" LINK LAST)
                              ENTRY("result = trap, timeout\n" LINK LAST)));
    assert_non_null(expectations_take_failure(&expectations, EXPECT_RUN, "sim:kernel:original",
                                              &h100, both, 2));
    assert_true(read_text(ENTRY("result = wrong-result\n" LINK LAST)));
    assert_null(expectations_take_failure(&expectations, EXPECT_RUN, "sim:kernel:original", &h100,
                                          both, 2));
    assert_null(expectations_take_failure(&expectations, EXPECT_RUN, "sim:kernel:original", &h100,
                                          both, 0));
}

/* Only what kept the failure from being known is reported. */
TEST(further_entry_of_a_known_failure_says_nothing)
{
    const struct expected_failure *entries;

    assert_true(read_text(ENTRY("result = timeout\n" LINK LAST)
                              ENTRY("result = wrong-result\n" LINK LAST)
                                  ENTRY("result = wrong-result\ndriver = 1\n" LINK LAST)));
    assert_true(is_known_on(&(struct test_platform){.gpu = NULL}, "wrong-result"));
    entries = expectations.entries.items;
    assert_int_equal(entries[0].failed + entries[0].excused, 0);
    assert_int_equal(entries[1].excused, 1);
    assert_null(entries[2].unknown);
}

TEST(entry_is_for_its_kind_and_test)
{
    const char *const result = "timeout";

    assert_true(read_text("[run sim:kern*:*]\nresult = timeout\n" LINK LAST));
    assert_true(is_known(result));
    assert_null(expectations_take_failure(&expectations, EXPECT_RACES, "sim:kernel:original", &h100,
                                          &result, 1));
    assert_null(expectations_take_failure(&expectations, EXPECT_RUN, "cuda:kernel:original", &h100,
                                          &result, 1));
}

/* ---- What an engine runs on ---- */

TEST(platform_is_read_from_the_description)
{
    struct platform_texts texts;
    struct test_platform platform =
        platform_of("cuda engine, NVIDIA H100 80GB HBM3, compute capability 9.0, 132 SMs, driver "
                    "580.65.06 (CUDA 13.0), runtime 13.0, compiled by nvcc 13.0, machine code",
                    &texts);

    assert_string_equal(platform.gpu, "NVIDIA H100 80GB HBM3");
    assert_string_equal(platform.architecture, "sm_90");
    assert_string_equal(platform.driver, "580.65.06");
    assert_string_equal(platform.compiler, "nvcc");
    assert_string_equal(platform.compiler_version, "13.0");
}

TEST(platform_of_an_unknown_gpu_is_unknown)
{
    struct platform_texts texts;
    struct test_platform platform =
        platform_of("cuda engine, unknown GPU, compute capability 0.0, 0 SMs, driver (CUDA 13.0), "
                    "runtime 13.0, compiled by nvcc 13.0, machine code",
                    &texts);

    assert_null(platform.gpu);
    assert_null(platform.architecture);
    assert_false(applies("driver = 13", &platform));
    platform = platform_of("simulator of PTX, compiled by gcc 12.2.0", &texts);
    assert_null(platform.gpu);
    assert_null(platform.driver);
    assert_null(platform.compiler);
}

int main(void)
{
    setenv("SIMTCHECK_TODAY", "2027-01-31", 1);
    return tests_run("expectations", folder_make, folder_remove);
}
