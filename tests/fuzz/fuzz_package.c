/* SPDX-License-Identifier: MIT
 *
 * A package, as `package --verify` reads it. The bytes are also read as its manifest and as its
 * snapshot, because nearly all changes of an archive end at its first header.
 */
#include "fuzz.h"
#include "package_parts.h"

#include <stdlib.h>
#include <string.h>

static void verify(const char *data, size_t size)
{
    struct memory memory = {NULL};
    struct package_record package;
    json_t *manifest;
    char why[1024] = "";
    bool good = package_read(data, size, &package, &manifest, &memory, why, sizeof why);

    fuzz_expect(good || why[0] != '\0');
    json_decref(manifest);
    memory_free(&memory);
}

/* Reads the bytes as manifest of a package. */
static void verify_manifest(const char *data, size_t size)
{
    struct archive_member member = {.name = PACKAGE_MANIFEST, .data = data, .size = size};
    const struct list members = {&member, 1};
    char *archive = NULL;
    size_t length;
    FILE *to = open_memstream(&archive, &length);

    if (to == NULL || !archive_write(&members, to) || fclose(to) != 0)
        abort();
    verify(archive, length);
    free(archive);
}

/* Reads and judges the bytes as snapshot of a package. */
static void judge(const char *data, size_t size)
{
    struct archive_member member = {.name = "snapshot.json", .data = data, .size = size};
    const struct list members = {&member, 1};
    struct package_test tests[] = {{.id = "reduceNeighbored", .cases = 8},
                                   {.id = "reduceNeighbored", .has_model = true}};
    const struct list listed = {tests, sizeof tests / sizeof *tests};
    struct package_contents contents = {.snapshot = NULL};
    struct memory memory = {NULL};
    char why[1024] = "";

    if (contents_read(&contents, &members, why, sizeof why))
        fuzz_expect(package_judge(&listed, &contents, &memory).tests == listed.count);
    contents_free(&contents);
    memory_free(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    verify((const char *)data, size);
    verify_manifest((const char *)data, size);
    judge((const char *)data, size);
    return 0;
}
