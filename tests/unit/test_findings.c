/* SPDX-License-Identifier: MIT
 *
 * The three files of results, made from planted results. validate_findings.py compares them with
 * each other.
 */
#include "check.h"

#include "error_report.h"
#include "findings.h"
#include "identity.h"
#include "message.h"

#include <sys/stat.h>
#include <unistd.h>

static struct findings findings;

static void start(void)
{
    findings = (struct findings){.command = "check",
                                 .paths = {strdup(in_folder("r.json")), strdup(in_folder("r.xml")),
                                           strdup(in_folder("r.sarif"))}};
    assert_int_equal(findings_start(&findings), EXIT_CONFORMS);
}

/* Begins a launch of the file, which is in the folder. */
static void add_launch(const char *launch, const char *file)
{
    findings_add_launch(
        &findings, &(const struct launch_record){.launch = launch,
                                                 .files = findings_texts(&findings, &file, 1)});
}

static struct check_record check_with(enum check_result result, const char *verdict)
{
    return (struct check_record){.kind = CHECKED_RUN,
                                 .kernel = "ns::scale<int, 4>",
                                 .engine = ENGINE_SIM,
                                 .result = result,
                                 .verdict = verdict,
                                 .cases = 3,
                                 .seconds = 1.5};
}

/* Adds a check of the code of that compiler, with one finding. */
static void add_compiled(const char *compiler, struct check_record check,
                         struct evidence_record finding)
{
    check.compiler = compiler;
    LIST_ADD(&findings.memory, &check.findings, struct evidence_record) = finding;
    findings_add_check(&findings, &check);
}

static void add_finding(struct check_record check, struct evidence_record finding)
{
    add_compiled(NULL, check, finding);
}

static void validate(void)
{
    const char *const arguments[] = {
        "/usr/bin/env",    "python3",         VALIDATE_FINDINGS, CHECK_SCHEMA,
        findings.paths[0], findings.paths[1], findings.paths[2], NULL};

    expect_ended(program_run(arguments), 0, "");
}

static void expect_member(json_t *value, const char *path, const char *text)
{
    const char *got = json_string_value(json_at(value, path));

    if (got == NULL || strcmp(got, text) != 0)
        fail_msg("%s is '%s', and not '%s'", path, got != NULL ? got : "(none)", text);
}

static void expect_line(json_t *value, const char *path, long long line)
{
    assert_int_equal(json_integer_value(json_at(value, path)), line);
}

static void end(int status)
{
    findings_end(&findings, status);
    validate();
    for (int f = 0; f < FINDINGS_FORMATS; f++)
        free((char *)(uintptr_t)findings.paths[f]);
}

/* Before the end, the files are valid and say that work is left. */
TEST(files_are_valid_at_each_moment)
{
    json_t *sarif;
    char *xml;

    start();
    validate();
    add_launch("k<<<1, 1>>>()", "k.cu");
    findings_add_check(&findings,
                       &(const struct check_record){.kernel = "k", .verdict = "conforms"});
    assert_true(findings_save(&findings));
    validate();
    sarif = json_read(findings.paths[FINDINGS_SARIF]);
    assert_true(json_is_false(json_at(sarif, "runs/0/invocations/0/executionSuccessful")));
    json_decref(sarif);
    xml = text_read(findings.paths[FINDINGS_JUNIT]);
    assert_non_null(strstr(xml, "<error message=\"not all work was done\">"));
    free(xml);
    end(0);
}

/* The kernel has no line in its outcome, so the finding is at its definition. */
TEST(finding_without_a_place_is_at_the_kernel)
{
    json_t *sarif;

    assert_int_equal(chdir(folder), 0);
    text_write("k.cu", "void scale();\nnamespace ns {\ntemplate <class T, int N>\n"
                       "__global__ void rescale(T *x) {}\n__global__\nvoid scale(T *x)\n{}\n}\n");
    start();
    add_launch("k", "k.cu");
    add_finding(
        check_with(RESULT_FAIL, "wrong-result"),
        (struct evidence_record){.rule = "wrong-result", .message = "out[0]", .case_id = "1"});
    end(1);
    sarif = json_read(in_folder("r.sarif"));
    expect_member(sarif, "runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri",
                  "k.cu");
    expect_line(sarif, "runs/0/results/0/locations/0/physicalLocation/region/startLine", 6);
    json_decref(sarif);
}

/* The checks show only the last two parts of a path outside the current folder. */
TEST(header_outside_the_current_folder_has_its_whole_path)
{
    char expected[256];
    json_t *json;

    assert_int_equal(mkdir(in_folder("code"), 0755), 0);
    assert_int_equal(mkdir(in_folder("build"), 0755), 0);
    text_write(in_folder("code/k.cu"), "#include \"k.cuh\"\n");
    text_write(in_folder("code/k.cuh"), "__global__ void k() {}\n");
    assert_int_equal(chdir(in_folder("build")), 0);
    start();
    add_launch("k", "../code/k.cu");
    add_finding(
        check_with(RESULT_FAIL, "fault"),
        (struct evidence_record){.rule = "trap", .message = "m", .file = "code/k.cuh", .line = 1});
    end(1);
    assert_int_equal(chdir(folder), 0);
    json = json_read(in_folder("r.json"));
    snprintf(expected, sizeof expected, "%s/code/k.cuh", folder);
    expect_member(json, "launches/0/findings/0/file", expected);
    json_decref(json);
}

static struct evidence_record race_at(uint64_t line, uint64_t second)
{
    struct evidence_record race = {
        .rule = "race", .message = "x[0]", .file = "k.cu", .line = line, .case_id = "1"};

    LIST_ADD(&findings.memory, &race.related, struct place_record) =
        (struct place_record){.file = "k.cu", .line = second, .text = "the other access"};
    return race;
}

/* Two compilers that find the same share a result. Other lines are another result. */
TEST(equal_findings_share_a_result)
{
    struct evidence_record allowed;
    json_t *sarif;

    start();
    add_launch("k", "k.cu");
    add_compiled("nvcc", check_with(RESULT_FAIL, "race"), race_at(4, 6));
    add_compiled("clang", check_with(RESULT_FAIL, "race"), race_at(4, 6));
    add_compiled("other", check_with(RESULT_FAIL, "race"), race_at(4, 70));
    allowed = race_at(4, 6);
    allowed.allowed_by = "--allow same-value";
    add_compiled("fourth", check_with(RESULT_PASS, "race"), allowed);
    end(1);
    sarif = json_read(in_folder("r.sarif"));
    assert_int_equal(json_array_size(json_at(sarif, "runs/0/results")), 3);
    expect_line(sarif, "runs/0/results/0/occurrenceCount", 2);
    expect_line(sarif, "runs/0/results/0/relatedLocations/0/physicalLocation/region/startLine", 6);
    expect_member(sarif, "runs/0/results/2/suppressions/0/justification", "--allow same-value");
    json_decref(sarif);
}

/* A race explains a finding unless evidence was examined that it does not explain. */
TEST(consequence_has_no_unexplained_evidence)
{
    static const struct {
        bool is_examined;
        size_t findings;
    } others[] = {{false, 1}, {true, 2}};
    struct identity race = {.rule = "race", .detail = "", .relation = "", .of_kernel = true};
    json_t *results;

    identity_add_place(&race, "k.cu", 4, "");
    identity_add_place(&race, "k.cu", 6, "");
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        struct evidence_record wrong = {.rule = "wrong-result", .message = "out[0]", .line = 9};
        wrong.file = "k.cu";
        start();
        add_launch("k", "k.cu");
        add_finding(check_with(RESULT_FAIL, "race"), race_at(4, 6));
        wrong.is_examined = others[k].is_examined;
        add_compiled("clang", check_with(RESULT_FAIL, "wrong-result"), wrong);
        wrong.is_examined = true;
        wrong.cause = &race;
        add_compiled("nvcc", check_with(RESULT_FAIL, "wrong-result"), wrong);
        end(1);
        results = json_read(in_folder("r.json"));
        assert_int_equal(json_array_size(json_at(results, "launches/0/findings")),
                         others[k].findings);
        json_decref(results);
    }
}

TEST(each_mutant_is_a_result)
{
    struct check_record check = check_with(RESULT_FAIL, "survived");
    struct evidence_record survivor = {
        .rule = rule_survivor, .message = "m", .file = "k.cu", .line = 4};
    json_t *sarif;

    start();
    add_launch("k", "k.cu");
    check.kind = CHECKED_MUTANT;
    check.change = "k.cu:4: guard";
    add_finding(check, survivor);
    add_finding(check, survivor);
    end(1);
    sarif = json_read(in_folder("r.sarif"));
    assert_int_equal(json_array_size(json_at(sarif, "runs/0/results")), 2);
    expect_member(sarif, "runs/0/results/0/level", "warning");
    json_decref(sarif);
}

/* XML 1.0 has no control characters, and no file may have bytes that are not UTF-8. */
TEST(special_characters_are_escaped)
{
    char *xml;

    start();
    add_launch("a<b && \"c\" \x01 \xff \xed\xa0\x80 \xef\xbf\xbf \xc3\xa9 ]]>", "<&\"\x02.cu");
    add_finding(check_with(RESULT_FAIL, "fault"),
                (struct evidence_record){.rule = "trap",
                                         .message = "two\nlines\ttab \x1b[0m & <more>",
                                         .file = "<&\"\x02.cu",
                                         .line = 3,
                                         .command = "simtcheck '\x03'"});
    end(1);
    xml = text_read(in_folder("r.xml"));
    assert_non_null(strstr(xml, "\\x01 \\xff \\xed\\xa0\\x80 \\xef\\xbf\\xbf \xc3\xa9 ]]&#62;"));
    assert_non_null(strstr(xml, "two\nlines\ttab \\x1b[0m &#38; &#60;more&#62;"));
    free(xml);
}

/* A status that no check explains, such as an error in the launch, is no result. */
TEST(error_is_in_each_file)
{
    json_t *results;

    start();
    add_launch("k", "k.cu");
    findings_add_check(&findings,
                       &(const struct check_record){.kernel = "k", .verdict = "conforms"});
    error_report("the first line\nthe second <line>");
    end(1);
    results = json_read(in_folder("r.json"));
    assert_true(json_is_false(json_at(results, "complete")));
    expect_member(results, "launches/0/result", "incomplete");
    expect_member(results, "messages/0", "the first line\nthe second <line>");
    json_decref(results);
}

/* One launch that could not be checked says nothing of the others. */
TEST(only_the_launch_with_an_error_is_incomplete)
{
    static const char *const expected[] = {"pass", "incomplete", "bounded", "incomplete"};
    struct check_record bounded = check_with(RESULT_BOUNDED, "conforms");
    json_t *results;

    start();
    add_launch("first", "k.cu");
    findings_add_check(&findings,
                       &(const struct check_record){.kernel = "k", .verdict = "conforms"});
    findings_end_launch(&findings, 0);
    add_launch("wrong", "k.cu");
    findings_end_launch(&findings, 2);
    add_launch("third", "k.cu");
    bounded.untried = 3;
    findings_add_check(&findings, &bounded);
    findings_end_launch(&findings, 0);
    add_launch("interrupted", "k.cu");
    end(2);
    results = json_read(in_folder("r.json"));
    assert_true(json_is_false(json_at(results, "complete")));
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        char path[32];
        snprintf(path, sizeof path, "launches/%zu/result", k);
        expect_member(results, path, expected[k]);
    }
    assert_int_equal(json_integer_value(json_at(results, "launches/2/checks/0/untried")), 3);
    json_decref(results);
    for (int k = 0; k < 2; k++) {
        char *text = text_read(in_folder(k == 0 ? "r.xml" : "r.sarif"));
        assert_non_null(strstr(text, "PARTIAL: --minutes left out 3 cases"));
        free(text);
    }
}

/* Nothing looked at is no pass. */
TEST(launch_without_a_check_is_no_pass)
{
    struct check_record skipped = check_with(RESULT_SKIPPED, "skipped");
    json_t *results;
    char *xml;

    start();
    add_launch("k", "k.cu");
    end(0);
    results = json_read(in_folder("r.json"));
    expect_member(results, "launches/0/result", "skipped");
    json_decref(results);
    xml = text_read(in_folder("r.xml"));
    assert_non_null(strstr(xml, "<skipped message=\"nothing was checked\">"));
    free(xml);
    start();
    add_launch("k", "k.cu");
    skipped.note = "no GPU";
    findings_add_check(&findings, &skipped);
    end(77);
    xml = text_read(in_folder("r.xml"));
    assert_non_null(strstr(xml, "<skipped message=\"no GPU\"/>"));
    assert_null(strstr(xml, "<error"));
    free(xml);
}

TEST(kept_code_that_did_not_run_to_its_end_is_no_pass)
{
    struct check_record cut = check_with(RESULT_INCOMPLETE, "incomplete"),
                        whole = check_with(RESULT_PASS, "pass");
    const struct check_record *checks;

    start();
    add_launch("scale<<<1, 1>>>(out int x[1])", "scale.cu");
    cut.compiler = whole.compiler = "clang -O0";
    whole.kind = CHECKED_RACES;
    findings_add_check(&findings, &cut);
    findings_add_check(&findings, &whole);
    assert_false(findings_keep_accesses(&findings, "clang -O0"));
    checks = ((struct launch_record *)findings.results.launches.items)->checks.items;
    assert_int_equal(checks[0].result, RESULT_SKIPPED);
    assert_non_null(strstr(checks[0].note, "the code was not checked: not all of it ran"));
    assert_int_equal(checks[1].result, RESULT_PASS);
    end(0);
}

/* The last call is that of the user, who may not know the files of a library. */
TEST(many_calls_end_with_the_last_one)
{
    static const char *const texts[][2] = {
        {"a.h:1, :2, b.h:3, :4", "a.h:1, line 2, b.h:3, line 4"},
        {"a.h:1, :2, b.h:3, :4, main.cu:5", "a.h:1, line 2, b.h:3, line 4, up to main.cu:5"},
        {"a.h:1, :2, b.h:3, :4, c.h:5, :6", "a.h:1, line 2, b.h:3, line 4, up to c.h:6"},
        {":1, :2, :3, :4, :5, :6", "line 1, line 2, line 3, line 4, up to line 6"}};
    char text[SOURCE_LINE];

    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        assert_string_equal(calls_text(texts[k][0], text), texts[k][1]);
}

TEST(files_must_differ_and_be_writable)
{
    findings = (struct findings){.command = "check", .paths = {"same.json", NULL, "same.json"}};
    assert_int_equal(findings_start(&findings), EXIT_USAGE);
    assert_true(findings_end(&findings, 2));
    findings = (struct findings){.command = "check", .paths = {"/no/such/folder/r.json"}};
    assert_int_equal(findings_start(&findings), EXIT_ENVIRONMENT);
    assert_true(findings_end(&findings, 3));
    assert_int_not_equal(access("same.json", F_OK), 0);
}

TEST_MAIN("findings", folder_make, folder_remove)
