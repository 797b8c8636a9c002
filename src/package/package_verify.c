/* SPDX-License-Identifier: MIT */
#include "digest.h"
#include "error_report.h"
#include "package_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- The bytes ---- */

/* Reads manifest.json. */
static bool read_manifest(const struct list *members, struct package_record *package,
                          json_t **manifest, struct memory *memory, char *why, size_t size)
{
    const struct archive_member *member = archive_find(members, PACKAGE_MANIFEST);
    json_error_t error;
    char text[512];

    if (member == NULL)
        return error_write(why, size, "it has no " PACKAGE_MANIFEST);
    *manifest = json_loadb(member->data, member->size, JSON_REJECT_DUPLICATES, &error);
    if (*manifest == NULL)
        return error_write(why, size, PACKAGE_MANIFEST ":%d:%d: %s", error.line, error.column,
                           error.text);
    if (!model_read(&package_table, *manifest, package, memory, text, sizeof text))
        return error_write(why, size, PACKAGE_MANIFEST ": %s", text);
    return package->version == PACKAGE_VERSION ||
           error_write(why, size,
                       PACKAGE_MANIFEST ": its format is version %llu, and this program reads "
                                        "version %d: use the program's version that made it",
                       (unsigned long long)package->version, PACKAGE_VERSION);
}

/* Compares a member with its record. */
static bool member_fits(const struct list *members, const struct package_member *record, char *why,
                        size_t size)
{
    const struct archive_member *member = archive_find(members, record->name);
    char digest[DIGEST_TEXT];

    if (member == NULL)
        return error_write(why, size, "%s is missing", record->name);
    if (member->size != record->size)
        return error_write(why, size, "%s has %zu bytes, and " PACKAGE_MANIFEST " says %llu",
                           record->name, member->size, (unsigned long long)record->size);
    digest_bytes(member->data, member->size, digest);
    return strcmp(digest, record->sha256) == 0 ||
           error_write(why, size,
                       "%s was changed: its SHA-256 is %s, and " PACKAGE_MANIFEST " says %s",
                       record->name, digest, record->sha256);
}

/* Checks that no member is listed twice. */
static bool names_ascend(const struct list *members, char *why, size_t size)
{
    const struct package_member *records = members->items;

    for (size_t r = 1; r < members->count; r++)
        if (strcmp(records[r - 1].name, records[r].name) >= 0)
            return error_write(
                why, size, PACKAGE_MANIFEST ": the members are not in the order of their names");
    return true;
}

/* Compares the members with the manifest, in both directions, and with SHA256SUMS. */
static bool members_fit(const struct list *members, const struct package_record *package,
                        struct memory *memory, char *why, size_t size)
{
    const struct archive_member *all = members->items, *sums = archive_find(members, PACKAGE_SUMS);
    const struct package_member *records = package->members.items;
    const char *expected;

    if (!names_ascend(&package->members, why, size))
        return false;
    for (size_t r = 0; r < package->members.count; r++)
        if (!member_fits(members, &records[r], why, size))
            return false;
    for (size_t m = 0; m < members->count; m++) {
        size_t r = 0;
        while (r < package->members.count && strcmp(records[r].name, all[m].name) != 0)
            r++;
        if (r == package->members.count && &all[m] != sums &&
            strcmp(all[m].name, PACKAGE_MANIFEST) != 0)
            return error_write(why, size, "%s is not in " PACKAGE_MANIFEST, all[m].name);
    }
    if (sums == NULL)
        return error_write(why, size, "it has no " PACKAGE_SUMS);
    expected = package_sums(&package->members, archive_find(members, PACKAGE_MANIFEST), memory);
    return (sums->size == strlen(expected) && memcmp(sums->data, expected, sums->size) == 0) ||
           error_write(why, size, PACKAGE_SUMS " differs from the checksums of the members");
}

/* ---- The manifest ---- */

static bool kinds_fit(const struct package_contents *contents, const struct package_record *package,
                      char *why, size_t size)
{
    const struct package_file *files = contents->files.items;
    const struct package_member *records = package->members.items;

    for (size_t r = 0; r < package->members.count; r++)
        for (size_t f = 0; f < contents->files.count; f++)
            if (strcmp(files[f].name, records[r].name) == 0 &&
                strcmp(files[f].kind, records[r].kind) != 0)
                return error_write(why, size,
                                   "%s is of kind '%s', and " PACKAGE_MANIFEST " says '%s'",
                                   files[f].name, files[f].kind, records[r].kind);
    return true;
}

/* Returns whether two records of a table are equal. */
static bool records_equal(const struct table *table, const void *a, const void *b)
{
    json_t *one = model_json(table, a), *other = model_json(table, b);
    bool equal = json_equal(one, other);

    json_decref(one);
    json_decref(other);
    return equal;
}

/* Compares what the manifest repeats with the files. */
static bool manifest_fits(const struct package_contents *contents,
                          const struct package_record *package, struct memory *memory, char *why,
                          size_t size)
{
    const struct snapshot_record *snapshot = contents->snapshot;
    const struct package_result result = package_judge(&package->tests, contents, memory);
    const char *name = contents->file->name;

    if (strcmp(package->build.hash, build_hash(&package->build, memory)) != 0)
        return error_write(why, size,
                           PACKAGE_MANIFEST ": the build hash differs from that of its files");
    if (!contents_fit(contents, &package->build, why, size) ||
        !kinds_fit(contents, package, why, size))
        return false;
    if (!records_equal(&environment_table, &package->environment, &snapshot->environment))
        return error_write(why, size, PACKAGE_MANIFEST ": the environment differs from that of %s",
                           name);
    if (package->level != snapshot->run->level || package->seed != snapshot->run->seed)
        return error_write(why, size, PACKAGE_MANIFEST ": level and seed differ from those of %s",
                           name);
    return records_equal(&package_result_table, &package->result, &result) ||
           error_write(why, size,
                       PACKAGE_MANIFEST ": the result is not that of the files, which is '%s'",
                       words_name(&check_result_words, result.verdict));
}

/* More than any catalogue has. It bounds the time to judge them. */
enum { MAX_TESTS = 20000 };

bool package_read(const char *data, size_t size, struct package_record *package, json_t **manifest,
                  struct memory *memory, char *why, size_t why_size)
{
    struct package_contents contents = {.snapshot = NULL};
    struct list members;
    bool good;

    *manifest = NULL;
    good = archive_read(data, size, &members, memory, why, why_size) &&
           read_manifest(&members, package, manifest, memory, why, why_size) &&
           members_fit(&members, package, memory, why, why_size);
    if (good && package->tests.count > MAX_TESTS)
        good =
            error_write(why, why_size, PACKAGE_MANIFEST ": it lists more than %d tests", MAX_TESTS);
    good = good && contents_read(&contents, &members, why, why_size) &&
           manifest_fits(&contents, package, memory, why, why_size);
    contents_free(&contents);
    return good;
}

/* ---- The list of tests ---- */

static bool lists_engine(const struct list *tests, enum engine_id engine)
{
    const struct package_test *all = tests->items;

    for (size_t t = 0; t < tests->count; t++)
        if (all[t].engine == engine)
            return true;
    return false;
}

static bool tests_equal(const struct list *one, const struct list *other)
{
    const struct package_test *a = one->items, *b = other->items;

    for (size_t t = 0; t < one->count && t < other->count; t++)
        if (a[t].engine != b[t].engine || a[t].kind != b[t].kind || strcmp(a[t].id, b[t].id) != 0 ||
            a[t].has_model != b[t].has_model || (a[t].has_model && a[t].model != b[t].model) ||
            a[t].cases != b[t].cases)
            return false;
    return one->count == other->count;
}

/* Compares the list with that of this program, if the package is from the same sources. Returns
 * false after an error message. */
static bool list_fits(const struct package_record *package, const struct package_request *request,
                      const struct catalogue *catalogue, struct memory *memory)
{
    struct engine_list engines = {.count = 0};
    struct plan_request cases = request->all.cases;
    struct list tests;

    if (strcmp(package->build.sources, build_identity) != 0) {
        printf("not compared: the list of tests, because this program is from other sources\n");
        return true;
    }
    for (int e = 0; e < NAMED_ENGINES; e++)
        if (lists_engine(&package->tests, (enum engine_id)e))
            engine_list_add(&engines, (enum engine_id)e);
    cases.level = package->level;
    cases.seed = package->seed;
    tests = package_tests(catalogue, &cases, &engines, memory);
    return tests_equal(&tests, &package->tests) ||
           error_report("%s: " PACKAGE_MANIFEST ": the list of tests differs from that of this "
                        "program, which is from the same sources",
                        request->paths[0]);
}

/* Adds required engines that the list lacks. */
static void require_engines(struct package_result *result, const struct list *tests,
                            const struct engine_list *engines, struct memory *memory)
{
    for (size_t e = 0; e < engines->count; e++)
        if (!lists_engine(tests, engines->kinds[e]->id)) {
            LIST_ADD(memory, &result->lacks, const char *) =
                memory_text(memory, "no test is listed for %s", engines->kinds[e]->name);
            if (result->verdict == RESULT_PASS)
                result->verdict = RESULT_INCOMPLETE;
        }
}

int package_verify(const struct package_request *request, const struct session *session)
{
    struct memory memory = {NULL};
    struct package_record package;
    json_t *manifest = NULL;
    size_t size;
    char why[1024], digest[DIGEST_TEXT];
    const char *data = package_load(request->paths[0], &size, &memory);
    int status = EXIT_USAGE;
    bool good = data != NULL;

    if (good && !package_read(data, size, &package, &manifest, &memory, why, sizeof why))
        good = error_report("%s: %s", request->paths[0], why);
    if (good && list_fits(&package, request, session->catalogue, &memory)) {
        require_engines(&package.result, &package.tests, &request->engines, &memory);
        digest_bytes(data, size, digest);
        printf("%s: SHA-256 %s\n", request->paths[0], digest);
        package_print(&package);
        status = package.result.verdict == RESULT_PASS ? EXIT_CONFORMS : EXIT_DIFFERS;
        if (!session_save(session, model_json(&package_result_table, &package.result)))
            status = EXIT_ENVIRONMENT;
    }
    json_decref(manifest);
    memory_free(&memory);
    return status;
}
