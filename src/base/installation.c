/* SPDX-License-Identifier: MIT */
#include "installation.h"

#include "error_report.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { LONGEST = 4096 };

/* Finds the path of this program. Returns false when it is unknown. */
static bool program_path(char path[LONGEST])
{
    ssize_t length = readlink("/proc/self/exe", path, LONGEST - 1);
    const char *started = (const char *)(uintptr_t)getauxval(AT_EXECFN);
    char whole[PATH_MAX];

    path[length > 0 ? length : 0] = '\0';
    if (length <= 0 && started != NULL && realpath(started, whole) != NULL) /* no /proc */
        length = snprintf(path, LONGEST, "%s", whole);
    return length > 0;
}

/* As snprintf(), but a text that does not fit becomes empty. */
__attribute__((format(printf, 3, 4))) static void put(char *path, size_t size, const char *format,
                                                      ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(path, size, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= size)
        path[0] = '\0';
}

bool installation_program(const char *part, const char *lacking, char *path, size_t size,
                          char *reason, size_t reason_size)
{
    char program[LONGEST], *name;

    path[0] = '\0';
    if (!program_path(program))
        return error_write(reason, reason_size,
                           "cannot read the path of this program from /proc/self/exe: %s",
                           strerror(errno));
    put(path, size, "%s-%s", program, part);
    if (access(path, X_OK) == 0)
        return true;
    name = strrchr(program, '/');
    *name++ = '\0';
    put(path, size, "%s/" SIMTCHECK_TO_WORKERS "/%s-%s", program, name, part);
    if (access(path, X_OK) == 0)
        return true;
    return error_write(reason, reason_size, "this build has no %s: %s-%s is missing", lacking, name,
                       part);
}

bool installation_worker(const char *engine, char *path, size_t size, char *reason,
                         size_t reason_size)
{
    char part[64], lacking[64];

    snprintf(part, sizeof part, "worker-%s", engine);
    snprintf(lacking, sizeof lacking, "engine '%s'", engine);
    return installation_program(part, lacking, path, size, reason, reason_size);
}

bool installation_capture(char *path, size_t size, char *reason, size_t reason_size)
{
    return installation_program(
        "capture.so",
        "library for captures, because it was built without the CUDA Toolkit 12.4 "
        "or newer with CUPTI",
        path, size, reason, reason_size);
}

bool installation_exec(char *path, size_t size, char *reason, size_t reason_size)
{
    char program[LONGEST], library[LONGEST];

    path[0] = '\0';
    if (!program_path(program))
        return error_write(reason, reason_size,
                           "cannot read the path of this program from /proc/self/exe: %s",
                           strerror(errno));
    *strrchr(program, '/') = '\0';
    put(path, size, "%s/exec", program);
    put(library, sizeof library, "%s/libcuda.so.1", path);
    if (access(library, R_OK) == 0)
        return true;
    put(path, size, "%s/" SIMTCHECK_TO_EXEC, program);
    put(library, sizeof library, "%s/libcuda.so.1", path);
    return access(library, R_OK) == 0 ||
           error_write(reason, reason_size, "this build has no libraries for exec: %s is missing",
                       library);
}

/* Reads the two lines of a .data file. Returns false if the file does not exist. */
static bool read_folders(const char *path, char folders[2][LONGEST])
{
    FILE *from = fopen(path, "r");
    bool good = from != NULL;

    for (int k = 0; good && k < 2; k++) {
        good = fgets(folders[k], LONGEST, from) != NULL;
        if (good)
            folders[k][strcspn(folders[k], "\n")] = '\0';
    }
    if (from != NULL)
        fclose(from);
    return good;
}

/* Stores the path without "..". Compilers print paths in their shortest form, and callers compare
 * paths with that form. */
static void put_whole(char folder[LONGEST], const char *path)
{
    char *whole = realpath(path, NULL);

    put(folder, LONGEST, "%s", whole != NULL ? whole : path);
    free(whole);
}

/* Finds the folder of headers and kernels, and the folder of PTX. */
static void find_folders(char folders[2][LONGEST])
{
    char program[LONGEST], path[LONGEST];

    folders[0][0] = folders[1][0] = '\0';
    if (!program_path(program))
        return;
    put(path, sizeof path, "%s.data", program);
    if (read_folders(path, folders))
        return;
    *strrchr(program, '/') = '\0';
    put(path, sizeof path, "%s/simtcheck.data", program);
    if (read_folders(path, folders))
        return;
    put(path, sizeof path, "%s/" SIMTCHECK_TO_DATA, program);
    put_whole(folders[0], path);
    put(folders[1], LONGEST, "%s/kernels_sim", folders[0]);
}

void installation_data(const char *name, char *path, size_t size)
{
    char folders[2][LONGEST];

    find_folders(folders);
    put(path, size, "%s/%s", folders[0], name);
}

void installation_source(const char *compiled, char *path, size_t size)
{
    const char *tail = compiled + strlen(compiled);

    for (int slashes = 0; tail > compiled && (tail[-1] != '/' || ++slashes < 2); tail--)
        ;
    installation_data(tail, path, size);
    if (access(compiled, R_OK) == 0 || access(path, R_OK) != 0)
        put(path, size, "%s", compiled);
}

void installation_ptx(char *path, size_t size)
{
    char folders[2][LONGEST];

    find_folders(folders);
    put(path, size, "%s", folders[1]);
}
