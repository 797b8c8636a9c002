/* SPDX-License-Identifier: MIT */
#include "build_files.h"

#include "digest.h"
#include "engines.h"
#include "installation.h"
#include "wire.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* CMake generates these with build_commit.cmake. Empty: unknown. */
extern const char build_commit[], build_working_tree[];

#define SHA256 .pattern = "^[0-9a-f]{64}$"

static const struct field build_file_fields[] = {
    MEMBER(STRING, struct build_file_record, name),
    MEMBER(COUNT, struct build_file_record, size),
    MEMBER(STRING, struct build_file_record, sha256, SHA256),
};
static const struct table build_file_table =
    TABLE("build_file", build_file_fields, struct build_file_record);

static const struct field build_fields[] = {
    MEMBER(STRING, struct build_record, hash, SHA256),
    MEMBER(STRING, struct build_record, simtcheck),
    MEMBER(STRING, struct build_record, sources),
    MEMBER(STRING, struct build_record, commit, NULLABLE),
    MEMBER(STRING, struct build_record, working_tree, NULLABLE),
    MEMBER(LIST, struct build_record, files, OF(build_file), .least = 1),
};
const struct table build_table = TABLE("build", build_fields, struct build_record);

static void add_file(struct build_record *build, struct memory *memory, const char *name,
                     const char *path)
{
    char text[DIGEST_TEXT];
    uint64_t size = 0;

    if (!digest_file(path, text, &size))
        digest_bytes("", 0, text);
    LIST_ADD(memory, &build->files, struct build_file_record) =
        (struct build_file_record){memory_copy(memory, name), size, memory_copy(memory, text)};
}

/* Adds a worker, if this build has it. */
static void add_worker(struct build_record *build, struct memory *memory, const char *name)
{
    char path[4096], reason[512];

    if (installation_worker(name, path, sizeof path, reason, sizeof reason))
        add_file(build, memory, memory_text(memory, "worker-%s", name), path);
}

static void add_kernels(struct build_record *build, struct memory *memory)
{
    char folder[4096];
    const struct dirent *entry;
    DIR *opened;

    installation_ptx(folder, sizeof folder);
    opened = opendir(folder);
    while (opened != NULL && (entry = readdir(opened)) != NULL) {
        const char *end = strrchr(entry->d_name, '.');
        if (end != NULL && strcmp(end, ".ptx") == 0)
            add_file(build, memory, memory_text(memory, "kernels/%s", entry->d_name),
                     memory_text(memory, "%s/%s", folder, entry->d_name));
    }
    if (opened != NULL)
        closedir(opened);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct build_file_record *)a)->name,
                  ((const struct build_file_record *)b)->name);
}

static const char *known(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

struct build_record build_read(struct memory *memory)
{
    struct build_record build = {.simtcheck = SIMTCHECK_VERSION,
                                 .sources = build_identity,
                                 .commit = known(build_commit),
                                 .working_tree = known(build_working_tree),
                                 .files = list_take(memory, 0, sizeof(struct build_file_record))};

    add_file(&build, memory, "program", "/proc/self/exe");
    for (int e = 0; e < ENGINES; e++)
        add_worker(&build, memory, engine_kinds[e].name);
    add_worker(&build, memory, "litmus");
    add_worker(&build, memory, "soak");
    add_kernels(&build, memory);
    qsort(build.files.items, build.files.count, sizeof(struct build_file_record), by_name);
    build.hash = build_hash(&build, memory);
    return build;
}

const char *build_hash(const struct build_record *build, struct memory *memory)
{
    const struct build_file_record *files = build->files.items;
    char *text = NULL, digest[DIGEST_TEXT];
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        abort();
    fprintf(to, "simtcheck %s\nsources %s\ncommit %s\nworking tree %s\n", build->simtcheck,
            build->sources, build->commit != NULL ? build->commit : "",
            build->working_tree != NULL ? build->working_tree : "");
    for (size_t f = 0; f < build->files.count; f++)
        fprintf(to, "%s %" PRIu64 " %s\n", files[f].sha256, files[f].size, files[f].name);
    if (fclose(to) != 0)
        abort();
    digest_bytes(text, size, digest);
    free(text);
    return memory_copy(memory, digest);
}
