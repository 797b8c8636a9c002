/* SPDX-License-Identifier: MIT */
#include "cache.h"

#include "build.h"
#include "error_report.h"
#include "inputs.h"
#include "module.h"
#include "system_folders.h"
#include "tool.h"
#include "whole_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_MIB = 1024, NAME_SIZE = 33, PATH_SIZE = PATH_MAX + 64, LONGER = PATH_SIZE + 32 };

/* ---- Contents ---- */

typedef unsigned __int128 digest;

/* FNV-1a with 128 bits. */
static void add_bytes(digest *sum, const void *bytes, size_t size)
{
    static const digest prime = (digest)1 << 88 | 0x13b;

    for (size_t k = 0; k < size; k++)
        *sum = (*sum ^ ((const unsigned char *)bytes)[k]) * prime;
}

static void add_text(digest *sum, const char *text)
{
    add_bytes(sum, text, strlen(text) + 1);
}

/* Returns false if the file cannot be read. */
static bool add_file(digest *sum, const char *path)
{
    size_t size = 0;
    char *text = read_whole_file(path, &size);

    if (text == NULL)
        return false;
    add_bytes(sum, text, size);
    free(text);
    return true;
}

static digest start(void)
{
    return (digest)0x6c62272e07bb0142 << 64 | 0x62b821756295c58d;
}

static void format(digest sum, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%016" PRIx64 "%016" PRIx64, (uint64_t)(sum >> 64), (uint64_t)sum);
}

/* ---- The folder ---- */

static uint64_t limit_bytes(void)
{
    const char *text = getenv("SIMTCHECK_CACHE_MIB");
    char *end;
    uint64_t mib = DEFAULT_MIB;

    if (text != NULL && text[0] != '\0') {
        mib = strtoull(text, &end, 10);
        if (*end != '\0')
            mib = DEFAULT_MIB;
    }
    return mib << 20;
}

/* Returns whether nobody else can put files into the folder. Says so once if not. */
static bool is_own(const char *folder)
{
    static bool is_said;
    struct stat status;
    bool is_there = lstat(folder, &status) == 0;

    if (is_there && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
        (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return true;
    if (is_there && !is_said)
        error_report("'%s' is not used to keep compilations: it must be a folder, and no link, "
                     "that is yours and that nobody else may write",
                     folder);
    is_said = is_said || is_there;
    return false;
}

/* Makes the folder. Returns false if it cannot exist or be used. */
static bool open_folder(char folder[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool is_set = cache != NULL && cache[0] == '/';
    int length;

    if (limit_bytes() == 0 || (!is_set && (home == NULL || home[0] != '/')))
        return false;
    length = snprintf(folder, PATH_MAX, "%s%s", is_set ? cache : home, is_set ? "" : "/.cache");
    if (length + 16 >= PATH_MAX)
        return false;
    mkdir(folder, 0700);
    strcat(folder, "/simtcheck");
    mkdir(folder, 0700);
    return is_own(folder);
}

struct kept_file {
    char name[NAME_MAX + 1];
    struct timespec used;
    uint64_t bytes;
};

static int by_use(const void *a, const void *b)
{
    const struct timespec *one = &((const struct kept_file *)a)->used;
    const struct timespec *other = &((const struct kept_file *)b)->used;

    if (one->tv_sec != other->tv_sec)
        return one->tv_sec < other->tv_sec ? -1 : 1;
    return one->tv_nsec < other->tv_nsec ? -1 : one->tv_nsec > other->tv_nsec;
}

/* What follows the name of a file until it is finished. */
#define UNFINISHED ".new-XXXXXX"

/* Returns whether it is a name of a file of this cache: digits of a compilation, and an ending. */
static bool is_of_cache(const char *name)
{
    const char *ending = name + strspn(name, "0123456789abcdef");

    return ending - name == NAME_SIZE - 1 && (*ending == '\0' || strcmp(ending, ".files") == 0 ||
                                              fnmatch(".new-??????", ending, 0) == 0);
}

/* Lists the files of the cache. The caller frees the list. */
static struct kept_file *list_files(const char *folder, size_t *count, uint64_t *bytes)
{
    DIR *directory = opendir(folder);
    struct kept_file *files = NULL;
    struct dirent *entry;
    char path[PATH_SIZE + NAME_MAX];

    *count = 0;
    *bytes = 0;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        struct kept_file *more;
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!is_of_cache(entry->d_name) || lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        more = (*count & (*count - 1)) != 0
                   ? files
                   : realloc(files, (*count == 0 ? 1 : 2 * *count) * sizeof *files);
        if (more == NULL)
            break;
        files = more;
        files[*count] =
            (struct kept_file){.used = status.st_mtim, .bytes = (uint64_t)status.st_size};
        strcpy(files[(*count)++].name, entry->d_name);
        *bytes += (uint64_t)status.st_size;
    }
    if (directory != NULL)
        closedir(directory);
    return files;
}

/* Removes the files that were not used for the longest time, down to three quarters of the limit.
 */
static void shrink(const char *folder)
{
    size_t count;
    uint64_t bytes, limit = limit_bytes();
    struct kept_file *files = list_files(folder, &count, &bytes);
    bool is_full = files != NULL && bytes > limit;
    char path[PATH_SIZE + NAME_MAX];

    if (is_full)
        qsort(files, count, sizeof *files, by_use);
    for (size_t k = 0; is_full && k < count && bytes > limit / 4 * 3; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k].name);
        if (unlink(path) == 0)
            bytes -= files[k].bytes;
    }
    free(files);
}

/* ---- Results ---- */

/* Opens a new file beside `path`, which nobody can have linked before. Returns null on error. */
static FILE *open_unfinished(const char *path, char unfinished[LONGER])
{
    int file;

    snprintf(unfinished, LONGER, "%s" UNFINISHED, path);
    file = mkostemp(unfinished, O_CLOEXEC);
    return file >= 0 ? fdopen(file, "w") : NULL;
}

static bool copy(const char *from, const char *to)
{
    char unfinished[LONGER];
    size_t size = 0;
    char *text = read_whole_file(from, &size);
    FILE *file;
    bool good;

    if (text == NULL)
        return false;
    file = open_unfinished(to, unfinished);
    good = file != NULL && fwrite(text, 1, size, file) == size;
    if (file != NULL)
        good = fclose(file) == 0 && good;
    free(text);
    good = good && rename(unfinished, to) == 0;
    if (!good)
        unlink(unfinished);
    return good;
}

/* Adds the program that the name finds on the PATH, by its size and time of change. */
static void add_program(digest *sum, const char *program)
{
    char path[PATH_MAX];
    struct stat status;

    if (!tool_find(program, path) || stat(path, &status) != 0)
        return;
    add_text(sum, path);
    add_bytes(sum, &status.st_size, sizeof status.st_size);
    add_bytes(sum, &status.st_mtim, sizeof status.st_mtim);
}

/* Adds the files of settings that a compiler reads by itself: nvcc's beside it, and those that
 * clang's version names. */
static void add_settings(digest *sum, const char *compiler, const char *version)
{
    static const char lead[] = "Configuration file: ";
    char path[PATH_MAX], *whole = tool_find(compiler, path) ? realpath(path, NULL) : NULL;

    if (whole != NULL) {
        snprintf(path, sizeof path, "%.*s/nvcc.profile", (int)(strrchr(whole, '/') - whole), whole);
        add_file(sum, path);
    }
    free(whole);
    while ((version = strstr(version, lead)) != NULL) {
        version += strlen(lead);
        snprintf(path, sizeof path, "%.*s", (int)strcspn(version, "\n"), version);
        add_file(sum, path);
    }
}

/* The name of a compilation, without what it includes. */
static bool name_of(const char *const *arguments, const char *source, const char *result,
                    char name[NAME_SIZE])
{
    static const char *const variables[] = {"CPATH",
                                            "C_INCLUDE_PATH",
                                            "CPLUS_INCLUDE_PATH",
                                            "NVCC_APPEND_FLAGS",
                                            "NVCC_PREPEND_FLAGS",
                                            "NVCC_CCBIN",
                                            "CUDA_HOME",
                                            "CUDA_PATH",
                                            "PATH"};
    char folder[PATH_MAX], said[4096];
    digest sum = start();

    if (tool_version(arguments[0], said, sizeof said) != 0)
        return false;
    add_text(&sum, MODULE_SYSTEM_FOLDERS); /* another simtcheck may not add them */
    add_text(&sum, said);                  /* a script may run another compiler than before */
    if (getcwd(folder, sizeof folder) == NULL)
        return false;
    add_text(&sum, folder);
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++)
        add_text(&sum, getenv(variables[v]) != NULL ? getenv(variables[v]) : "");
    add_program(&sum, arguments[0]);
    add_settings(&sum, arguments[0], said);
    for (size_t k = 0; arguments[k] != NULL; k++)
        if (strcmp(arguments[k], source) != 0 && strcmp(arguments[k], result) != 0)
            add_text(&sum, arguments[k]);
    if (!add_file(&sum, source))
        return false;
    format(sum, name);
    return true;
}

struct list {
    FILE *file;
    const char *source;
    digest seal; /* of the compilation's name and of all lines. The list ends with it: one without
                  * was cut, or is another compilation's */
};

/* Adds a file that is not the source. Leaves out files that do not exist: nvcc also lists the names
 * of #line. Returns false if the name may be another file's. */
static bool write_input(char *path, void *context)
{
    struct list *list = context;
    char name[NAME_SIZE];
    digest sum = start();

    if (strcmp(path, list->source) == 0)
        return true;
    if (!inputs_is_sure(path))
        return false;
    if (!add_file(&sum, path))
        return errno == ENOENT;
    format(sum, name);
    add_text(&list->seal, name);
    add_text(&list->seal, path);
    return fprintf(list->file, "%s %s\n", name, path) > 0;
}

/* Returns whether the list is whole, belongs to this compilation, and every file of it still has
 * the same contents. */
static bool is_current(const char *list, const char *key)
{
    digest seal = start();
    bool is_sealed = false;
    FILE *from = fopen(list, "r");
    char *line = NULL, name[NAME_SIZE];
    size_t room = 0;
    bool good = from != NULL;
    ssize_t length;

    add_text(&seal, key);
    while (good && (length = getline(&line, &room, from)) > 0) {
        digest sum = start();
        format(seal, name);
        is_sealed = length == NAME_SIZE && strncmp(line, name, NAME_SIZE - 1) == 0;
        if (is_sealed)
            break;
        line[length - 1] = '\0';
        good = length > NAME_SIZE && add_file(&sum, line + NAME_SIZE);
        format(sum, name);
        good = good && strncmp(line, name, NAME_SIZE - 1) == 0;
        if (good) {
            add_text(&seal, name);
            add_text(&seal, line + NAME_SIZE);
        }
    }
    free(line);
    if (from != NULL)
        fclose(from);
    return good && is_sealed;
}

/* Keeps a result, and the digests of it and of all files that it depends on. `rule` is the file
 * with what the source includes. */
static void keep(const char *folder, char *kept, const char *rule, const char *source,
                 const char *result)
{
    char list[LONGER], unfinished[LONGER];
    size_t size = 0;
    char *text = read_whole_file(rule, &size);
    struct list to = {.source = source, .seal = start()};
    char seal[NAME_SIZE];
    bool good;

    if (text == NULL)
        return;
    text[size] = '\0';
    snprintf(list, sizeof list, "%s.files", kept);
    add_text(&to.seal, strrchr(kept, '/') + 1);
    to.file = open_unfinished(kept, unfinished);
    good = to.file != NULL && copy(result, kept) && write_input(kept, &to) &&
           inputs_each(text, write_input, &to);
    format(to.seal, seal);
    good = good && fprintf(to.file, "%s\n", seal) > 0;
    if (to.file != NULL)
        good = fclose(to.file) == 0 && good;
    free(text);
    if (good && rename(unfinished, list) == 0)
        shrink(folder);
    else
        unlink(unfinished);
}

/* Returns whether a kept result serves. It does not give the caller a list of files, and it does
 * not show that a file of options has changed. */
static bool may_keep(const char *const *arguments)
{
    static const char *const variables[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};

    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++)
        if (getenv(variables[v]) != NULL && inputs_have_options(getenv(variables[v])))
            return false;
    for (; *arguments != NULL; arguments++)
        if (strcmp(*arguments, "-MF") == 0 || inputs_have_options(*arguments))
            return false;
    return true;
}

/* Runs the compiler with `run`, which has more arguments than `arguments` or the same ones. */
static bool compile(const char *const *run, const char *const *arguments, const char *source,
                    const char *result, char *said, size_t said_size)
{
    if (tool_run(run, said, said_size) != 0)
        return false;
    system_folders_add(arguments, source, result);
    return true;
}

bool cache_compile(const char *const *arguments, const char *source, const char *result, char *said,
                   size_t said_size)
{
    char folder[PATH_MAX], kept[PATH_SIZE], list[LONGER], rule[LONGER], name[NAME_SIZE];
    const char **more;
    size_t count = 0;
    bool good;

    said[0] = '\0';
    if (!may_keep(arguments) || !open_folder(folder) || !name_of(arguments, source, result, name))
        return compile(arguments, arguments, source, result, said, said_size);
    snprintf(kept, sizeof kept, "%s/%s", folder, name);
    snprintf(list, sizeof list, "%s.files", kept);
    if (is_current(list, name) && copy(kept, result)) {
        utimensat(AT_FDCWD, kept, NULL, 0);
        utimensat(AT_FDCWD, list, NULL, 0);
        return true;
    }
    while (arguments[count] != NULL)
        count++;
    more = calloc(count + 4, sizeof *more);
    if (more == NULL)
        return compile(arguments, arguments, source, result, said, said_size);
    snprintf(rule, sizeof rule, "%s.files", result);
    memcpy(more, arguments, count * sizeof *more);
    more[count] = "-MD";
    more[count + 1] = "-MF";
    more[count + 2] = rule;
    good = compile(more, arguments, source, result, said, said_size);
    free(more);
    if (good)
        keep(folder, kept, rule, source, result);
    unlink(rule);
    return good;
}
