/* SPDX-License-Identifier: MIT */
#include "capture_code.h"

#include "error_report.h"
#include "exit_status.h"
#include "ptx_pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The modules of a launch, while they are written. */
struct modules {
    const struct capture *capture;
    const struct captured_launch *captured;
    const char **paths;
    size_t count;
    char **texts;
    struct ptx_pieces *pieces;
    FILE **to;
};

static const char *hash_of(const struct modules *modules, size_t k)
{
    return k == 0 ? modules->captured->module : modules->captured->linked[k - 1];
}

static bool cannot_write(const char *path)
{
    return error_report("cannot write '%s': %s", path, strerror(errno));
}

/* Chooses the files. Linked modules are in a folder. Returns false after an error message. */
static bool name_files(struct user_code *code, struct capture_code *written)
{
    written->paths[0] = memory_copy(&written->memory, code->ptx);
    if (written->count == 1)
        return true;
    snprintf(code->ptx, sizeof code->ptx, "%s/linked", code->folder);
    if (mkdir(code->ptx, 0700) != 0)
        return cannot_write(code->ptx);
    for (size_t k = 0; k < written->count; k++)
        written->paths[k] = memory_text(&written->memory, "%s/%06zu.ptx", code->ptx, k);
    return true;
}

/* Reads the modules and opens their files. Returns the exit status. */
static int open_modules(struct modules *modules)
{
    char error[CAPTURE_ERROR];

    for (size_t k = 0; k < modules->count; k++) {
        modules->texts[k] =
            capture_read_module(modules->capture, hash_of(modules, k), error, sizeof error);
        if (modules->texts[k] == NULL) {
            error_report("%s", error);
            return EXIT_USAGE;
        }
        ptx_pieces_read(modules->texts[k], strlen(modules->texts[k]), &modules->pieces[k]);
        modules->to[k] = fopen(modules->paths[k], "wb");
        if (modules->to[k] == NULL) {
            cannot_write(modules->paths[k]);
            return EXIT_ENVIRONMENT;
        }
    }
    return EXIT_CONFORMS;
}

static bool name_origins(const struct modules *modules)
{
    char origin[USER_PATH];
    bool good = true;

    for (size_t k = 0; k < modules->count; k++) {
        snprintf(origin, sizeof origin, "%s/modules/%s.ptx", modules->capture->folder,
                 hash_of(modules, k));
        good = build_name_origin(modules->to[k], origin) && good;
    }
    return good;
}

static int write_modules(const struct modules *modules, const char *launch)
{
    const char *kernel = modules->captured->kernel;

    if (ptx_write_kernel(modules->to, modules->pieces, modules->count, kernel))
        return name_origins(modules) || cannot_write(modules->paths[0]) ? EXIT_CONFORMS
                                                                        : EXIT_ENVIRONMENT;
    if (errno != ENOENT) {
        cannot_write(modules->paths[0]);
        return EXIT_ENVIRONMENT;
    }
    error_report("%s/modules/%s.ptx.zst has no kernel %s, which %s launches",
                 modules->capture->folder, hash_of(modules, 0), kernel, launch);
    return EXIT_USAGE;
}

static int close_modules(struct modules *modules, int status)
{
    for (size_t k = 0; k < modules->count; k++) {
        if (modules->to[k] != NULL && fclose(modules->to[k]) != 0 && status == EXIT_CONFORMS) {
            cannot_write(modules->paths[k]);
            status = EXIT_ENVIRONMENT;
        }
        ptx_pieces_free(&modules->pieces[k]);
        free(modules->texts[k]);
    }
    return status;
}

int capture_code_write(const struct capture *capture, const struct captured_launch *captured,
                       const char *launch, struct user_code *code, struct capture_code *written)
{
    size_t count = captured->linked_count + 1;
    struct memory *memory = &written->memory;
    struct modules modules = {.capture = capture, .captured = captured, .count = count};
    int status;

    *written = (struct capture_code){.count = count};
    written->paths = memory_take(memory, count * sizeof *written->paths);
    if (!name_files(code, written))
        return EXIT_ENVIRONMENT;
    modules.paths = written->paths;
    modules.texts = memory_take(memory, count * sizeof *modules.texts);
    modules.pieces = memory_take(memory, count * sizeof *modules.pieces);
    modules.to = memory_take(memory, count * sizeof(FILE *));
    status = open_modules(&modules);
    if (status == EXIT_CONFORMS)
        status = write_modules(&modules, launch);
    return close_modules(&modules, status);
}

void capture_code_free(struct capture_code *code)
{
    memory_free(&code->memory);
}
