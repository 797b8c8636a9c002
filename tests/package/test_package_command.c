/* SPDX-License-Identifier: MIT
 *
 * `simtcheck package`: a package of a whole run on the simulator, and packages that each differ
 * from it in one thing, which the verifier must name.
 */
#include "check.h"

#include "digest.h"
#include "package_parts.h"

#include <unistd.h>

static char program[64], snapshot[64], whole[64], changed[64];

#define PACKAGE "%s package "

static int set_up(void **state)
{
    char command[512];

    if (folder_make(state) != 0)
        return -1;
    snprintf(program, sizeof program, "%s/few", folder);
    snprintf(snapshot, sizeof snapshot, "%s/snapshot.json", folder);
    snprintf(whole, sizeof whole, "%s/whole.tar", folder);
    snprintf(changed, sizeof changed, "%s/changed.tar", folder);
    snprintf(command, sizeof command,
             "cp '" FIRST_ROWS "' %s && ln -s '" SIMTCHECK "-worker-sim' %s-worker-sim && "
             "cp '" SIMTCHECK ".data' %s.data",
             program, program, program);
    if (system(command) != 0)
        return -1;
    expect_run(0, "", "%s snapshot --engine sim --part run --part races --out %s", program,
               snapshot);
    expect_run(0, "6 tests of level 1, seed 1: 6 conform, |result: pass", PACKAGE "%s --out %s",
               program, snapshot, whole);
    return 0;
}

/* ---- Whole packages ---- */

TEST(whole_run_passes)
{
    json_t *result;
    char *text;

    expect_run(0,
               "whole.tar: SHA-256 |6 tests of level 1, seed 1: 6 conform, |result: pass|!missing",
               PACKAGE "--verify %s --engine sim --json %s", program, whole, in_folder("result"));
    result = json_read(in_folder("result"));
    assert_string_equal(report_text(result, "verdict"), "pass");
    assert_int_equal(report_number(result, "conform"), 6);
    json_decref(result);
    text = text_read(in_folder("result"));
    free(text);
}

TEST(same_files_make_the_same_bytes)
{
    expect_run(0, "", PACKAGE "%s --out %s", program, snapshot, changed);
    expect_run(0, "", "/usr/bin/env cmp %s %s", whole, changed);
}

TEST(other_programs_can_check_the_sums)
{
    expect_run(
        0, "manifest.json: OK|snapshot.json: OK",
        "/usr/bin/env sh -c 'mkdir %s/out && tar -xf %s -C %s/out && cd %s/out && sha256sum -c "
        "--strict SHA256SUMS && rm -r ../out'",
        folder, whole, folder, folder);
}

TEST(engine_without_tests_is_incomplete)
{
    expect_run(1, "missing: no test is listed for cuda|result: incomplete",
               PACKAGE "--verify %s --engine cuda", program, whole);
    expect_run(0, "missing: run reduceNeighbored original cuda: no result|result: incomplete",
               PACKAGE "%s --engine cuda --out %s", program, snapshot, changed);
    expect_run(1, "2 without a whole result|result: incomplete", PACKAGE "--verify %s", program,
               changed);
}

/* ---- Snapshots with other results ---- */

/* Makes a package of the snapshot with other values at the paths, which end with null. */
static void make_with(const char *const changes[][2], const char *says)
{
    const char *path = in_folder("snapshot.json.new/snapshot.json");
    json_t *json = json_read(snapshot);

    for (; (*changes)[0] != NULL; changes++)
        json_put(json, (*changes)[0], (*changes)[1]);
    expect_run(0, "", "/usr/bin/env mkdir -p %s", in_folder("snapshot.json.new"));
    json_save(json, path);
    expect_run(0, says, PACKAGE "%s --out %s", program, path, changed);
    expect_run(0, "", "/usr/bin/env rm -r %s", in_folder("snapshot.json.new"));
}

#define CHANGES(...)                                                                               \
    (const char *const[][2])                                                                       \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

#define EXPIRED "{\"link\": \"https://a/1\", \"expires\": \"2026-01-01\", \"reason\": null}"

TEST(results_decide_the_verdict)
{
    const struct {
        const char *const (*changes)[2];
        const char *says;
    } rows[] = {
        {CHANGES({"run/results/0/verdict", "\"wrong-result\""}),
         "1 failed|failed: snapshot.json: run reduceNeighbored original sim: wrong-result|result: "
         "fail"},
        {CHANGES({"races/sim/0/as_expected", "false"}),
         "1 failed|failed: snapshot.json: races reduceNeighbored original |result: fail"},
        {CHANGES({"races/sim/3/verdict", "\"race\""}, {"races/sim/3/expected", "\"race\""}),
         "1 failed|a corrected variant expects the verdict race|result: fail"},
        {CHANGES({"run/results/0/verdict", "\"wrong-result\""},
                 {"run/results/0/known_deviation",
                  "{\"link\": \"https://a/1\", \"expires\": \"2099-01-01\", \"reason\": null}"}),
         "1 known deviations, 0 failed|known deviation: snapshot.json: run reduceNeighbored "
         "original "
         "sim: wrong-result: https://a/1 until 2099-01-01|result: pass"},
        {CHANGES({"run/results/0/cases", "5"}),
         "missing: run reduceNeighbored original sim: 5 of |result: incomplete"},
        {CHANGES({"run/results/0", NULL}),
         "missing: run reduceNeighbored original sim: no result|result: incomplete"},
        {CHANGES({"races/sim/3", NULL}), "missing: races reduceNeighbored corrected sim |"
                                         "no result|result: incomplete"},
        {CHANGES({"races", "null"}), "4 without a whole result|result: incomplete"},
        {CHANGES({"complete", "false"}),
         "missing: snapshot.json: the snapshot stopped early|result: incomplete"},
        {CHANGES({"run/complete", "false"}),
         "missing: snapshot.json: the run stopped early|result: incomplete"},
        {CHANGES({"run/results/0/verdict", "\"skipped\""},
                 {"run/results/0/note", "\"lacks a clock\""}),
         "1 skipped|skipped: 1: lacks a clock|result: pass"},
        {CHANGES({"run/results/0/verdict", "\"skipped\""},
                 {"run/results/1/verdict", "\"skipped\""}),
         "2 skipped|missing: all tests on sim were skipped|result: incomplete"},
        {CHANGES({"run/results/0/verdict", "\"known-defect\""},
                 {"run/results/0/known_defect", "\"its tail has no barrier\""}),
         "1 known defects|result: pass"},
        {CHANGES({"run/results/0/verdict", "\"fault\""},
                 {"run/results/0/known_deviation", EXPIRED}),
         "0 known deviations, 1 failed|failed: snapshot.json: run reduceNeighbored original sim: "
         "fault: https://a/1 expired on 2026-01-01, before the run|result: fail"},
        {CHANGES({"races/sim/0/as_expected", "false"}, {"races/sim/0/known_deviation", EXPIRED}),
         "0 known deviations, 1 failed|failed: snapshot.json: races reduceNeighbored original |"
         "https://a/1 expired on 2026-01-01, before the run|result: fail"},
        {CHANGES({"races/sim/0/verdict", "\"skipped\""}, {"races/sim/1/verdict", "\"skipped\""},
                 {"races/sim/2/verdict", "\"skipped\""}, {"races/sim/3/verdict", "\"skipped\""}),
         "4 skipped|missing: all searches for races on sim were skipped|result: incomplete"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        bool passes = strstr(rows[k].says, "result: pass") != NULL;
        make_with(rows[k].changes, rows[k].says);
        expect_run(!passes, rows[k].says, PACKAGE "--verify %s", program, changed);
    }
}

/* Writes a file of results of the build, whose identity replaces BUILD in the text. */
static const char *results_write(const char *name, const char *text)
{
    json_t *json = json_read(snapshot);
    const char *build = json_string_value(json_at(json, "environment/build")),
               *place = strstr(text, "BUILD"), *path = in_folder(name);
    char *whole_text = NULL;

    assert_true(place == NULL || asprintf(&whole_text, "%.*s%s%s", (int)(place - text), text, build,
                                          place + strlen("BUILD")) > 0);
    text_write(path, place != NULL ? whole_text : text);
    free(whole_text);
    json_decref(json);
    return path;
}

#define RUN_OF(build)                                                                              \
    "{\"cases\": 0, \"mismatches\": 0, \"seconds\": 1, \"workers_lost\": 0, \"complete\": "        \
    "true, \"seed\": 1, \"level\": 1, \"build\": \"" build "\", \"results\": []}"

#define LITMUS(skipped, rows)                                                                      \
    "{\"simtcheck_litmus\": 1, \"complete\": true, \"environment\": {\"simtcheck\": \"\", "        \
    "\"build\": \"BUILD\", \"gpu\": null, \"architecture\": null, \"driver\": null, "              \
    "\"ptxas\": null}, \"options\": {\"launches\": 1, \"seed\": 1}, \"skipped\": " skipped         \
    ", \"rows\": [" rows "]}"

TEST(other_results_count)
{
    static const struct {
        const char *name, *text, *says;
    } rows[] = {
        {"check.json",
         "{\"version\": 2, \"simtcheck\": \"\", \"build\": \"BUILD\", \"command\": \"check\", "
         "\"complete\": true, \"status\": 77, \"seconds\": 1, \"messages\": [], \"launches\": []}",
         "missing: check.json: check did not check everything|result: incomplete"},
        {"check.json",
         "{\"version\": 2, \"simtcheck\": \"\", \"build\": \"BUILD\", \"command\": \"check\", "
         "\"complete\": true, \"status\": 1, \"seconds\": 1, \"messages\": [], \"launches\": "
         "[{\"launch\": \"k<<<1, 1>>>()\", \"files\": [], \"flags\": [], \"oracle\": null, "
         "\"against\": null, \"reference\": null, \"ulps\": 0, \"allowed\": [], \"result\": "
         "\"fail\", \"findings\": [], \"checks\": []}]}",
         "failed: check.json: k<<<1, 1>>>()|result: fail"},
        {"check.json",
         "{\"version\": 2, \"simtcheck\": \"\", \"build\": \"BUILD\", \"command\": \"check\", "
         "\"complete\": true, \"status\": 0, \"seconds\": 1, \"messages\": [], \"launches\": "
         "[{\"launch\": \"k<<<1, 1>>>()\", \"files\": [], \"flags\": [], \"oracle\": null, "
         "\"against\": null, \"reference\": null, \"ulps\": 0, \"allowed\": [], \"result\": "
         "\"known\", \"findings\": [], \"checks\": []}]}",
         "failed: check.json: k<<<1, 1>>>()|result: fail"},
        {"check.json",
         "{\"version\": 2, \"simtcheck\": \"\", \"build\": \"BUILD\", \"command\": \"check\", "
         "\"complete\": true, \"status\": 0, \"seconds\": 1, \"messages\": [], \"launches\": "
         "[{\"launch\": null, \"files\": [], \"flags\": [], \"oracle\": null, "
         "\"against\": null, \"reference\": null, \"ulps\": 0, \"allowed\": [], \"result\": "
         "\"known\", \"findings\": [], \"checks\": [{\"kind\": \"run\", \"kernel\": \"k\", "
         "\"compiler\": null, "
         "\"engine\": \"sim\", \"model\": null, \"result\": \"known\", \"verdict\": \"fault\", "
         "\"cases\": 1, \"seconds\": 1, \"findings\": [], \"known_deviation\": " EXPIRED "}]}]}",
         "failed: check.json: the catalogue: k: fault: https://a/1 expired on 2026-01-01, before "
         "the run|result: fail"},
        {"soak.json",
         "{\"simtcheck\": \"\", \"build\": \"BUILD\", \"mode\": \"quick\", \"status\": 0, "
         "\"seconds\": 1, \"expected_seconds\": 0, \"error\": \"no GPU\", \"gpus\": []}",
         "missing: soak.json: not every SM was checked|result: incomplete"},
        {"run.json", RUN_OF("BUILD"),
         "missing: run.json: the run stopped early|result: incomplete"},
        {"litmus.json", LITMUS("\"no GPU\"", ""),
         "missing: litmus.json: the litmus tests did not run: no GPU|result: incomplete"},
        {"litmus.json",
         LITMUS("null", "{\"test\": \"SB\", \"compiler\": \"driver\", \"scopes\": \"gpu\", "
                        "\"threads\": \"\", \"skipped\": null, \"error\": null, \"launches\": 1, "
                        "\"instances\": 1, \"outcomes\": [{\"outcome\": \"x=1\", \"verdict\": "
                        "\"forbidden\", \"count\": 1, \"launches\": 1}]}"),
         "failed: litmus.json: litmus SB, driver: forbidden outcome x=1|result: fail"},
        {"litmus.json", LITMUS("null", ""),
         "missing: litmus.json: no litmus test ran|result: incomplete"},
        {"races.json", "[]", "missing: races.json: rows are missing|result: incomplete"},
        {"notes.txt", "not looked at", "result: pass"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        bool passes = strstr(rows[k].says, "result: pass") != NULL;
        expect_run(0, rows[k].says, PACKAGE "%s %s --out %s", program, snapshot,
                   results_write(rows[k].name, rows[k].text), changed);
        expect_run(!passes, rows[k].says, PACKAGE "--verify %s", program, changed);
    }
}

/* ---- Damaged archives ---- */

struct bytes {
    char *data;
    size_t size;
};

static struct bytes bytes_read(const char *path)
{
    FILE *from = fopen(path, "rb");
    struct bytes bytes = {malloc(1 << 20), 0};

    assert_non_null(from);
    bytes.size = fread(bytes.data, 1, 1 << 20, from);
    fclose(from);
    return bytes;
}

static void expect_damage(const char *data, size_t size, const char *says)
{
    FILE *to = fopen(changed, "wb");

    assert_int_equal(fwrite(data, 1, size, to), size);
    assert_int_equal(fclose(to), 0);
    expect_run(2, says, PACKAGE "--verify %s", program, changed);
}

TEST(cut_archive_is_damaged)
{
    struct bytes bytes = bytes_read(whole);

    expect_damage(bytes.data, 0, "changed.tar: byte 0: this is not the header");
    expect_damage(bytes.data, 300, "changed.tar: byte 0: this is not the header");
    expect_damage(bytes.data, 700, "the file is cut off: manifest.json should have ");
    expect_damage(bytes.data, bytes.size - 1024, "this is not the header of a member");
    expect_damage(bytes.data, bytes.size - 512, "it should end with two blocks of zeros");
    bytes.data[bytes.size - 1] = 1;
    expect_damage(bytes.data, bytes.size, "it should end with two blocks of zeros");
    bytes.data[bytes.size - 1] = 0;
    memset(bytes.data + bytes.size, 0, 512);
    expect_damage(bytes.data, bytes.size + 512, "it should end with two blocks of zeros");
    free(bytes.data);
}

/* Every byte of a header has one right value, so nothing can hide in it: no link, no folder, no
 * other owner. */
TEST(changed_header_is_damaged)
{
    struct bytes bytes = bytes_read(whole);

    for (size_t k = 0; k < 512; k += 12) {
        bytes.data[k] ^= 1;
        expect_damage(bytes.data, bytes.size, "changed.tar: ");
        bytes.data[k] ^= 1;
    }
    bytes.data[156] = '2'; /* a symbolic link */
    expect_damage(bytes.data, bytes.size, "byte 0: this is not the header");
    free(bytes.data);
}

/* ---- Sealed again ---- */

enum { KEEPS_SUMS = 1, KEEPS_RECORDS = 2 };

/* A package in parts. */
struct parts {
    struct bytes bytes;
    struct list members;
    struct memory memory;
};

static struct parts parts_read(void)
{
    struct parts parts = {.bytes = bytes_read(whole)};
    char why[256] = "";

    if (!archive_read(parts.bytes.data, parts.bytes.size, &parts.members, &parts.memory, why,
                      sizeof why))
        fail_msg("%s", why);
    return parts;
}

static struct archive_member *part(struct parts *parts, const char *name)
{
    return (struct archive_member *)(uintptr_t)archive_find(&parts->members, name);
}

static void part_set(struct parts *parts, const char *name, const char *text)
{
    struct archive_member *member = part(parts, name);

    if (member == NULL) {
        member = list_add(&parts->memory, &parts->members, sizeof *member);
        memcpy(member->name, name, strlen(name));
    }
    member->data = memory_copy(&parts->memory, text);
    member->size = strlen(text);
}

/* Changes a member of a JSON file in the package. */
static void part_put(struct parts *parts, const char *name, const char *path, const char *value)
{
    struct archive_member *member = part(parts, name);
    json_t *json = json_loadb(member->data, member->size, 0, NULL);
    char *text;

    json_put(json, path, value);
    text = json_dumps(json, 0);
    part_set(parts, name, text);
    free(text);
    json_decref(json);
}

/* Writes the record of the file snapshot.json into the manifest. */
static void fix_record(struct parts *parts)
{
    const struct archive_member *member = part(parts, "snapshot.json");
    char digest[DIGEST_TEXT];

    digest_bytes(member->data, member->size, digest);
    part_put(parts, PACKAGE_MANIFEST, "members/0/sha256",
             memory_text(&parts->memory, "\"%s\"", digest));
    part_put(parts, PACKAGE_MANIFEST, "members/0/size",
             memory_text(&parts->memory, "%zu", member->size));
}

static void fix_sums(struct parts *parts)
{
    const struct archive_member *manifest = part(parts, PACKAGE_MANIFEST),
                                *file = part(parts, "snapshot.json");
    char digests[2][DIGEST_TEXT];

    digest_bytes(manifest->data, manifest->size, digests[0]);
    digest_bytes(file->data, file->size, digests[1]);
    part_set(parts, PACKAGE_SUMS,
             memory_text(&parts->memory, "%s  manifest.json\n%s  snapshot.json\n", digests[0],
                         digests[1]));
}

static void parts_write(struct parts *parts)
{
    FILE *to = fopen(changed, "wb");

    assert_true(archive_write(&parts->members, to));
    assert_int_equal(fclose(to), 0);
    memory_free(&parts->memory);
    free(parts->bytes.data);
}

TEST(bytes_between_members_are_damage)
{
    struct parts parts = parts_read();
    const struct archive_member *sums = part(&parts, PACKAGE_SUMS);

    parts.bytes.data[(size_t)(sums->data - parts.bytes.data) + sums->size] = 1;
    expect_damage(parts.bytes.data, parts.bytes.size,
                  "there are bytes after the end of SHA256SUMS");
    memory_free(&parts.memory);
    free(parts.bytes.data);
}

/* Each row changes one value, and computes the checksums again unless it says otherwise. */
TEST(changed_value_is_named)
{
    static const struct {
        const char *member, *path, *value;
        unsigned int keeps;
        const char *says;
    } rows[] = {
        {"snapshot.json", "run/seed", "2", KEEPS_RECORDS,
         "snapshot.json has |bytes, and manifest.json says "},
        {"manifest.json", "members/0/sha256",
         "\"0000000000000000000000000000000000000000000000000000000000000000\"", KEEPS_RECORDS,
         "snapshot.json was changed: its SHA-256 is "},
        {"manifest.json", "members/0/name", "\"other.json\"", KEEPS_RECORDS,
         "other.json is missing"},
        {"manifest.json", "members/1",
         "{\"name\": \"a\", \"kind\": \"run\", \"size\": 1, \"sha256\": \""
         "0000000000000000000000000000000000000000000000000000000000000000\"}",
         KEEPS_RECORDS, "manifest.json: the members are not in the order of their names"},
        {"manifest.json", "members/0/kind", "\"run\"", 0,
         "snapshot.json is of kind 'snapshot', and manifest.json says 'run'"},
        {"manifest.json", "seed", "1", KEEPS_SUMS,
         "SHA256SUMS differs from the checksums of the members"},
        {"manifest.json", "simtcheck_package", "2", 0, "its format is version 2"},
        {"manifest.json", "result/tests", "-1", 0, "manifest.json: result.tests"},
        {"manifest.json", "tests", NULL, 0, "manifest.json: tests"},
        {"manifest.json", "build/commit", "\"0123\"", 0,
         "manifest.json: the build hash differs from that of its files"},
        {"manifest.json", "build/files/0/size", "1", 0,
         "manifest.json: the build hash differs from that of its files"},
        {"manifest.json", "environment/cores", "1000", 0,
         "manifest.json: the environment differs from that of snapshot.json"},
        {"manifest.json", "level", "2", 0,
         "manifest.json: level and seed differ from those of snapshot.json"},
        {"manifest.json", "result/conform", "5", 0,
         "manifest.json: the result is not that of the files, which is 'pass'"},
        {"snapshot.json", "run/results/0/verdict", "\"wrong-result\"", 0,
         "manifest.json: the result is not that of the files, which is 'fail'"},
        {"manifest.json", "tests/5/variant", "\"original\"", 0,
         "manifest.json: the list of tests differs from that of this program"},
        {"manifest.json", "tests/0/cases", "1", 0,
         "manifest.json: the list of tests differs from that of this program"},
        {"snapshot.json", "environment/build_hash", "\"0000\"", 0,
         "snapshot.json is from build 0000, and the package from build "},
        {"snapshot.json", "environment/build", "\"0123\"", 0,
         "snapshot.json is from sources 0123, and the package from "},
        {"snapshot.json", "run/results/0/cases", "\"many\"", 0,
         "snapshot.json: malformed results of snapshot: "},
        {"snapshot.json", "simtcheck_snapshot", NULL, 0, "snapshot.json: malformed results"},
        {"snapshot.json", "run", "null", 0, "snapshot.json has no part 'run'"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct parts parts = parts_read();
        part_put(&parts, rows[k].member, rows[k].path, rows[k].value);
        if (!(rows[k].keeps & KEEPS_RECORDS))
            fix_record(&parts);
        if (!(rows[k].keeps & KEEPS_SUMS))
            fix_sums(&parts);
        parts_write(&parts);
        expect_run(2, rows[k].says, PACKAGE "--verify %s", program, changed);
    }
}

/* Values of a row that cannot be together. */
TEST(contradictions_of_a_row_are_named)
{
    const struct {
        const char *const (*changes)[2];
        const char *says;
    } rows[] = {
        {CHANGES({"run/results/0/verdict", "\"known-defect\""}),
         "reduceNeighbored original has the verdict known-defect, but declares no defect"},
        {CHANGES({"run/results/1/verdict", "\"known-defect\""},
                 {"run/results/1/known_defect", "\"its tail has no barrier\""}),
         "reduceNeighbored corrected has the verdict known-defect, but declares no defect"},
        {CHANGES({"races/sim/0/cases", "0"}),
         "reduceNeighbored has the verdict race-free, but no cases"},
        {CHANGES({"races/sim/0/verdict", "\"race\""}),
         "reduceNeighbored is as expected, but has the verdict race instead of race-free"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct parts parts = parts_read();
        for (const char *const(*change)[2] = rows[k].changes; (*change)[0] != NULL; change++)
            part_put(&parts, "snapshot.json", (*change)[0], (*change)[1]);
        fix_record(&parts);
        fix_sums(&parts);
        parts_write(&parts);
        expect_run(2, rows[k].says, PACKAGE "--verify %s", program, changed);
    }
}

/* Rows without a text remove the member. */
TEST(changed_member_is_named)
{
    static const struct {
        const char *name, *text, *says;
    } rows[] = {
        {"manifest.json", NULL, "changed.tar: it has no manifest.json"},
        {"manifest.json", "{", "changed.tar: manifest.json:1:1: "},
        {"manifest.json", "{\"simtcheck_package\": 1, \"simtcheck_package\": 1}",
         "changed.tar: manifest.json:1:"},
        {"SHA256SUMS", NULL, "changed.tar: it has no SHA256SUMS"},
        {"SHA256SUMS", "", "changed.tar: SHA256SUMS differs from"},
        {"snapshot.json", NULL, "changed.tar: snapshot.json is missing"},
        {"extra.json", "{}", "changed.tar: extra.json is not in manifest.json"},
        {"../x", "", "'../x' is not a name of letters, digits and '._-'"},
        {"/x", "", "'/x' is not a name of letters, digits and '._-'"},
        {".x", "", "'.x' is not a name of letters, digits and '._-'"},
        {"a/b", "", "'a/b' is not a name of letters, digits and '._-'"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct parts parts = parts_read();
        struct archive_member *member = part(&parts, rows[k].name), *all = parts.members.items;
        if (rows[k].text != NULL)
            part_set(&parts, rows[k].name, rows[k].text);
        else
            *member = all[--parts.members.count];
        parts_write(&parts);
        expect_run(2, rows[k].says, PACKAGE "--verify %s", program, changed);
    }
}

TEST(two_members_of_one_name_are_damage)
{
    struct parts parts = parts_read();

    LIST_ADD(&parts.memory, &parts.members, struct archive_member) = *part(&parts, "SHA256SUMS");
    parts_write(&parts);
    expect_run(2, "it has two members SHA256SUMS", PACKAGE "--verify %s", program, changed);
}

/* Another build cannot compare its list of tests, and checks everything else. */
TEST(other_build_verifies)
{
    struct parts parts = parts_read();
    struct package_record package;
    struct memory memory = {NULL};
    const char *hash;
    json_t *json;

    part_put(&parts, "manifest.json", "build/sources", "\"0123456789abcdef\"");
    part_put(&parts, "manifest.json", "environment/build", "\"0123456789abcdef\"");
    part_put(&parts, "snapshot.json", "environment/build", "\"0123456789abcdef\"");
    json = json_loads(part(&parts, "manifest.json")->data, 0, NULL);
    assert_true(model_read(&package_table, json, &package, &memory, NULL, 0));
    hash = memory_text(&parts.memory, "\"%s\"", build_hash(&package.build, &memory));
    memory_free(&memory);
    json_decref(json);
    part_put(&parts, "manifest.json", "build/hash", hash);
    part_put(&parts, "manifest.json", "environment/build_hash", hash);
    part_put(&parts, "snapshot.json", "environment/build_hash", hash);
    fix_record(&parts);
    fix_sums(&parts);
    parts_write(&parts);
    expect_run(0,
               "not compared: the list of tests, because this program is from other sources|"
               "result: pass",
               PACKAGE "--verify %s", program, changed);
    expect_run(0, "result: pass|!not compared", PACKAGE "--verify %s", program, whole);
}

/* ---- Bad usage ---- */

TEST(bad_usage_is_an_error)
{
    expect_run(2, "package needs --out FILE, or --verify", PACKAGE "%s", program, snapshot);
    expect_run(2, "package --verify needs one FILE, and no --out", PACKAGE "--verify %s --out x",
               program, whole);
    expect_run(2, "package --verify needs one FILE", PACKAGE "--verify %s %s", program, whole,
               whole);
    expect_run(2, "writes --json only with --verify", PACKAGE "%s --out %s --json x", program,
               snapshot, changed);
    expect_run(2, "cannot read '/nowhere.tar'", PACKAGE "--verify /nowhere.tar", program);
    expect_run(2, "it is not a regular file", PACKAGE "--verify /dev/zero", program);
    expect_run(2, "there is no snapshot", PACKAGE "%s --out %s", program,
               text_write(in_folder("a.txt"), "a"), changed);
    expect_run(2, "b.json:1:1: this is not a complete file of results", PACKAGE "%s %s --out %s",
               program, snapshot, text_write(in_folder("b.json"), "{"), changed);
    expect_run(2, "b.json: this is not a file of results: give an attachment a name that does",
               PACKAGE "%s %s --out %s", program, snapshot, text_write(in_folder("b.json"), "{}"),
               changed);
    expect_run(2, "run.json is from sources other, and the package from ", PACKAGE "%s %s --out %s",
               program, snapshot, text_write(in_folder("run.json"), RUN_OF("other")), changed);
    expect_run(2, "litmus.json is from sources BUILD, and the package from ",
               PACKAGE "%s %s --out %s", program, snapshot,
               text_write(in_folder("litmus.json"), LITMUS("null", "")), changed);
    expect_run(2, "two files have the name snapshot.json", PACKAGE "%s %s --out %s", program,
               snapshot, snapshot, changed);
    expect_run(2, "cannot be the name of a file in a package", PACKAGE "%s --out %s", program,
               text_write(in_folder("SHA256SUMS"), "a"), changed);
    expect_run(3, "cannot write", PACKAGE "%s --out /nowhere/at.tar", program, snapshot);
}

/* A snapshot of another build does not go into a package. */
TEST(rebuilt_program_does_not_package)
{
    expect_run(0, "", "/usr/bin/env sh -c 'echo >> %s'", program);
    expect_run(2, "snapshot.json is from build |, and the package from build |run it again",
               PACKAGE "%s --out %s", program, snapshot, changed);
}

TEST_MAIN("packages", set_up, folder_remove)
