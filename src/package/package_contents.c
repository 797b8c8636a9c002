/* SPDX-License-Identifier: MIT */
#include "digest.h"
#include "error_report.h"
#include "package_parts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool is_results(const char *name)
{
    size_t length = strlen(name);

    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

/* Reads a file of results. */
static bool read_results(struct package_contents *contents, struct package_file *file,
                         const struct archive_member *member, char *why, size_t size)
{
    const struct results_kind *kind;
    json_error_t error;
    char text[512];

    file->document = json_loadb(member->data, member->size, JSON_REJECT_DUPLICATES, &error);
    if (file->document == NULL)
        return error_write(why, size, "%s:%d:%d: this is not a complete file of results: %s",
                           file->name, error.line, error.column, error.text);
    if (model_is_marked(&shard_table, file->document))
        return error_write(why, size,
                           "%s: this is a shard: merge all shards with 'simtcheck merge' first",
                           file->name);
    kind = results_kind_of(file->document);
    if (kind == NULL)
        return error_write(why, size,
                           "%s: this is not a file of results: give an attachment a name that does "
                           "not end with .json",
                           file->name);
    file->kind = kind->name;
    file->result = kind;
    file->record = results_read(kind, file->document, &contents->memory, text, sizeof text);
    return file->record != NULL ||
           error_write(why, size, "%s: malformed results of %s: %s", file->name, kind->name, text);
}

bool contents_read(struct package_contents *contents, const struct list *members, char *why,
                   size_t size)
{
    const struct archive_member *all = members->items;

    for (size_t m = 0; m < members->count; m++) {
        struct package_file *file;
        if (strcmp(all[m].name, PACKAGE_MANIFEST) == 0 || strcmp(all[m].name, PACKAGE_SUMS) == 0)
            continue;
        file = list_add(&contents->memory, &contents->files, sizeof *file);
        file->name = all[m].name;
        file->kind = "attachment";
        if (is_results(file->name) && !read_results(contents, file, &all[m], why, size))
            return false;
    }
    for (size_t f = 0; f < contents->files.count; f++) {
        const struct package_file *file = (struct package_file *)contents->files.items + f;
        if (file->document == NULL || file->result != &results_kinds[RESULTS_SNAPSHOT])
            continue;
        if (contents->snapshot != NULL)
            return error_write(why, size, "%s and %s are two snapshots: a package has one",
                               contents->file->name, file->name);
        contents->file = file;
        contents->snapshot = file->record;
    }
    if (contents->snapshot == NULL)
        return error_write(why, size,
                           "there is no snapshot: `simtcheck snapshot --out FILE` "
                           "writes the results and the environment of a run");
    return contents->snapshot->run != NULL ||
           error_write(why, size, "%s has no part 'run': take the snapshot without --part",
                       contents->file->name);
}

void contents_free(struct package_contents *contents)
{
    const struct package_file *files = contents->files.items;

    for (size_t f = 0; f < contents->files.count; f++)
        json_decref(files[f].document);
    memory_free(&contents->memory);
}

/* Returns which build made the file: the sources of a program, or null if the file does not say. */
static const char *sources_of(const struct package_file *file)
{
    bool says = file->document != NULL && file->result->build > 0;

    return says ? *(const char *const *)((const char *)file->record + file->result->build) : NULL;
}

bool contents_fit(const struct package_contents *contents, const struct build_record *build,
                  char *why, size_t size)
{
    const struct package_file *files = contents->files.items;
    const char *hash = contents->snapshot->environment.build_hash;

    for (size_t f = 0; f < contents->files.count; f++) {
        const char *sources = sources_of(&files[f]);
        if (sources != NULL && strcmp(sources, build->sources) != 0)
            return error_write(why, size, "%s is from sources %.16s, and the package from %s",
                               files[f].name, sources, build->sources);
    }
    return strcmp(hash, build->hash) == 0 ||
           error_write(why, size, "%s is from build %.16s, and the package from build %.16s",
                       contents->file->name, hash, build->hash);
}

const char *package_sums(const struct list *members, const struct archive_member *manifest,
                         struct memory *memory)
{
    const struct package_member *all = members->items;
    char digest[DIGEST_TEXT];
    const char *text;

    digest_bytes(manifest->data, manifest->size, digest);
    text = memory_text(memory, "%s  %s\n", digest, manifest->name);
    for (size_t m = 0; m < members->count; m++)
        text = memory_text(memory, "%s%s  %s\n", text, all[m].sha256, all[m].name);
    return text;
}

const char *package_load(const char *path, size_t *size, struct memory *memory)
{
    const size_t most = (size_t)ARCHIVE_MIB << 20;
    FILE *from = fopen(path, "rb");
    struct stat status;
    const char *why = NULL;
    char *data = NULL;

    if (from == NULL || fstat(fileno(from), &status) != 0)
        why = strerror(errno);
    else if ((uint64_t)status.st_size > most)
        why = "it is larger than 1 GiB";
    if (why == NULL) {
        *size = (size_t)status.st_size;
        data = memory_take(memory, *size + 1);
        if (fread(data, 1, *size, from) != *size)
            why = "it changed while it was read";
    }
    if (from != NULL)
        fclose(from);
    if (why == NULL)
        return data;
    error_report("cannot read '%s': %s", path, why);
    return NULL;
}
