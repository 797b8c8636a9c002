/* SPDX-License-Identifier: MIT */
#include "atomic_file.h"
#include "digest.h"
#include "error_report.h"
#include "package_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Members ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct archive_member *)a)->name,
                  ((const struct archive_member *)b)->name);
}

/* Adds a file under the last part of its path. Returns false after an error message. */
static bool add_member(struct list *members, const char *path, struct memory *memory)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    struct archive_member member = {.name = ""};

    if (!archive_name_fits(name) || strcmp(name, PACKAGE_MANIFEST) == 0 ||
        strcmp(name, PACKAGE_SUMS) == 0)
        return error_report("'%s' cannot be the name of a file in a package: rename it, with "
                            "letters, digits and '._-'",
                            path);
    if (archive_find(members, name) != NULL)
        return error_report("two files have the name %s: rename one of them", name);
    memcpy(member.name, name, strlen(name));
    member.data = package_load(path, &member.size, memory);
    if (member.data != NULL)
        LIST_ADD(memory, members, struct archive_member) = member;
    return member.data != NULL;
}

static struct list member_records(const struct list *members,
                                  const struct package_contents *contents, struct memory *memory)
{
    struct list records = list_take(memory, 0, sizeof(struct package_member));
    const struct package_file *files = contents->files.items;
    const struct archive_member *all = members->items;

    for (size_t m = 0; m < members->count; m++) {
        char digest[DIGEST_TEXT];
        digest_bytes(all[m].data, all[m].size, digest);
        LIST_ADD(memory, &records, struct package_member) = (struct package_member){
            all[m].name, files[m].kind, all[m].size, memory_copy(memory, digest)};
    }
    return records;
}

/* ---- The package ---- */

/* Returns the engines to test: those of the snapshot's results and environment, and the requested
 * ones. */
static struct engine_list engines_of(const struct snapshot_record *snapshot,
                                     const struct engine_list *requested)
{
    const struct named_value *records = snapshot->environment.engines.items;
    const struct run_row *rows = snapshot->run->results.items;
    struct engine_list engines = *requested;

    for (size_t e = 0; e < snapshot->environment.engines.count; e++)
        if (records[e].text != NULL)
            engine_list_add(&engines, engine_kind_find(records[e].name)->id);
    for (size_t r = 0; r < snapshot->run->results.count; r++)
        engine_list_add(&engines, rows[r].engine);
    return engines;
}

static struct package_record manifest_of(const struct package_request *request,
                                         const struct catalogue *catalogue,
                                         const struct list *members,
                                         const struct package_contents *contents,
                                         const struct build_record *build, struct memory *memory)
{
    const struct snapshot_record *snapshot = contents->snapshot;
    const struct engine_list engines = engines_of(snapshot, &request->engines);
    struct plan_request cases = request->all.cases;
    struct package_record package = {.version = PACKAGE_VERSION,
                                     .build = *build,
                                     .environment = snapshot->environment,
                                     .members = member_records(members, contents, memory),
                                     .level = snapshot->run->level,
                                     .seed = snapshot->run->seed};

    cases.level = package.level;
    cases.seed = package.seed;
    package.tests = package_tests(catalogue, &cases, &engines, memory);
    package.result = package_judge(&package.tests, contents, memory);
    return package;
}

/* Writes manifest.json, SHA256SUMS and the members. Returns false after an error message. */
static bool save(const struct package_record *package, const struct list *members, const char *path,
                 struct memory *memory)
{
    json_t *json = model_json(&package_table, package);
    char *text = json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    struct archive_member manifest = {.name = PACKAGE_MANIFEST}, sums = {.name = PACKAGE_SUMS};
    struct list all = list_take(memory, 0, sizeof manifest);

    json_decref(json);
    if (text == NULL)
        return error_report("cannot write '%s': a text is not valid UTF-8", path);
    manifest.data = memory_text(memory, "%s\n", text);
    manifest.size = strlen(manifest.data);
    free(text);
    sums.data = package_sums(&package->members, &manifest, memory);
    sums.size = strlen(sums.data);
    LIST_ADD(memory, &all, struct archive_member) = manifest;
    LIST_ADD(memory, &all, struct archive_member) = sums;
    for (size_t m = 0; m < members->count; m++)
        LIST_ADD(memory, &all, struct archive_member) =
            ((const struct archive_member *)members->items)[m];
    return file_write(archive_write, &all, path);
}

/* Makes the package of these members. Returns the exit status. */
static int make(const struct package_request *request, const struct catalogue *catalogue,
                const struct list *members, struct package_contents *contents,
                struct memory *memory)
{
    const struct build_record build = build_read(memory);
    struct package_record package;
    char why[1024];

    if (!contents_read(contents, members, why, sizeof why)) {
        error_report("%s", why);
        return EXIT_USAGE;
    }
    if (!contents_fit(contents, &build, why, sizeof why)) {
        error_report("%s: run it again with this build", why);
        return EXIT_USAGE;
    }
    package = manifest_of(request, catalogue, members, contents, &build, memory);
    if (!save(&package, members, request->output, memory))
        return EXIT_ENVIRONMENT;
    package_print(&package);
    return EXIT_CONFORMS;
}

int package_make(const struct package_request *request, const struct session *session)
{
    struct memory memory = {NULL};
    struct package_contents contents = {.snapshot = NULL};
    struct list members = list_take(&memory, 0, sizeof(struct archive_member));
    bool good = true;
    int status = EXIT_USAGE;

    for (size_t p = 0; p < request->count && good; p++)
        good = add_member(&members, request->paths[p], &memory);
    if (good) {
        qsort(members.items, members.count, sizeof(struct archive_member), by_name);
        status = make(request, session->catalogue, &members, &contents, &memory);
    }
    contents_free(&contents);
    memory_free(&memory);
    return status;
}
