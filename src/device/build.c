/* SPDX-License-Identifier: MIT */
#include "build.h"

#include "cache.h"
#include "clang.h"
#include "installation.h"
#include "module.h"
#include "tool.h"
#include "whole_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAID = 4096 };

const char *const front_end_names[FRONT_ENDS + 1] = {"nvcc", "clang", NULL};

size_t compiler_list_count(const struct compiler_list *list)
{
    return list->count > 0 ? list->count : 1;
}

bool compiler_list_open(const struct compiler_list *list, const char *name, size_t k,
                        struct compiler *compiler, char *error, size_t error_size)
{
    return compiler_open(list->count > 0 ? list->paths[k] : name, name, compiler, error,
                         error_size);
}

bool compiler_open(const char *path, const char *name, struct compiler *compiler, char *error,
                   size_t error_size)
{
    char said[SAID], whole[PATH_MAX], *version;
    int status = tool_version(path, said, sizeof said);

    *compiler = (struct compiler){.path = path};
    version = strstr(said, ", V");
    if (status == 0 && version != NULL && sscanf(version, ", V%31[0-9.]", compiler->version) == 1)
        return true;
    compiler->is_broken = strchr(path, '/') != NULL || tool_find(path, whole);
    snprintf(error, error_size, "%s is not %s: --version prints '%.*s'", path, name,
             (int)strcspn(said, "\n"), said);
    return false;
}

/* Writes a message with the first error of the compiler's output. Compilers first print where a
 * file was included from. */
static void report_first_error(const char *program, const char *file, int status, const char *said,
                               char *error, size_t error_size)
{
    const char *line = strstr(said, "error:");

    while (line != NULL && line > said && line[-1] != '\n')
        line--;
    if (line == NULL)
        line = said;
    snprintf(error, error_size, "%s %s: exit status %d: %.*s", program, file, status,
             (int)strcspn(line, "\n"), line);
}

/* Runs the compiler on that file. `said` gets its output. */
static bool compile_and_listen(const char *const *arguments, const char *file, char *said,
                               size_t said_size, char *error, size_t error_size)
{
    int status = tool_run(arguments, said, said_size);

    if (status != 0)
        report_first_error(arguments[0], file, status, said, error, error_size);
    return status == 0;
}

static bool compile(const char *const *arguments, const char *file, char *error, size_t error_size)
{
    char said[SAID];
    return compile_and_listen(arguments, file, said, sizeof said, error, error_size);
}

bool front_end_open(const struct compiler_paths *paths, enum front_end front_end,
                    struct compiler *compiler, char *error, size_t error_size)
{
    static struct {
        const char *nvcc; /* of the paths; null: none */
        struct compiler compiler;
        bool is_open;
    } known[FRONT_ENDS];
    const char *nvcc = paths->nvcc.count > 0 ? paths->nvcc.paths[0] : NULL;

    if (!known[front_end].is_open || nvcc != known[front_end].nvcc) {
        known[front_end].nvcc = nvcc;
        known[front_end].is_open =
            front_end == FRONT_END_CLANG
                ? clang_open(NULL, &known[front_end].compiler, error, error_size)
                : compiler_list_open(&paths->nvcc, "nvcc", 0, &known[front_end].compiler, error,
                                     error_size);
    }
    *compiler = known[front_end].compiler;
    return known[front_end].is_open;
}

#define DEFAULT_ARCHITECTURE "-arch=compute_80"

const char *const kernel_flags[KERNEL_FLAGS] = {"-std=c++17", "--fmad=false", "-DSIMT_SIMULATED",
                                                "-D__CDPRT_SUPPRESS_SYNC_DEPRECATION_WARNING",
                                                "-I"};

bool build_ptx(const struct compiler *compiler, bool is_kernels, const char *cuda, const char *ptx,
               char *error, size_t error_size)
{
    /* The flag is for an older nvcc, which rejects a newer host compiler although it does not need
     * it here. */
    enum { OWN = 8 };
    char folder[PATH_MAX];
    const char *arguments[OWN + 1 + KERNEL_FLAGS + 2] = {
        compiler->path, "-allow-unsupported-compiler", "-ptx", "-w", "-o", ptx,
        cuda,           DEFAULT_ARCHITECTURE};
    size_t count = OWN;

    if (is_kernels) {
        arguments[count++] = "-rdc=true";
        memcpy(arguments + count, kernel_flags, sizeof kernel_flags);
        count += KERNEL_FLAGS;
        installation_data("include", folder, sizeof folder);
        arguments[count++] = folder;
    } else {
        arguments[count++] = "-std=c++17";
    }
    if (compiler->front_end == FRONT_END_CLANG) {
        char said[SAID];
        if (clang_build_ptx(compiler, arguments + OWN, count - OWN, cuda, ptx, said, sizeof said))
            return true;
        report_first_error(compiler->path, cuda, 1, said, error, error_size);
        return false;
    }
    arguments[count] = NULL;
    return compile(arguments, cuda, error, error_size);
}

static bool compile_user(const struct compiler *compiler, const char *const *flags,
                         size_t flag_count, const char *cuda, const char *ptx, char *said,
                         size_t said_size)
{
    enum { OWN = 9 };
    char include[PATH_MAX + 2] = "-I";
    const char *const own[OWN] = {compiler->path,
                                  "-allow-unsupported-compiler",
                                  "-ptx",
                                  "-rdc=true",
                                  "-w",
                                  "-lineinfo",
                                  cuda,
                                  "-o",
                                  ptx};
    const char **arguments;
    size_t count = OWN;
    bool good;

    if (compiler->front_end == FRONT_END_CLANG)
        return clang_build_ptx(compiler, flags, flag_count, cuda, ptx, said, said_size);
    arguments = calloc(OWN + flag_count + 2, sizeof *arguments);
    if (arguments == NULL) {
        snprintf(said, said_size, "out of memory");
        return false;
    }
    memcpy(arguments, own, sizeof own);
    for (size_t f = 0; f < flag_count; f++)
        arguments[count++] = flags[f];
    installation_data("include", include + 2, PATH_MAX);
    arguments[count] = include; /* the last, so that an old version of it may come before */
    good = cache_compile(arguments, cuda, ptx, said, said_size);
    free(arguments);
    return good;
}

static bool has_architecture(const char *const *flags, size_t count)
{
    static const char *const names[] = {"-arch", "--gpu-architecture", "-gencode",
                                        "--generate-code", "--cuda-gpu-arch"};

    for (size_t f = 0; f < count; f++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (strncmp(flags[f], names[n], strlen(names[n])) == 0)
                return true;
    return false;
}

/* Returns the option for an architecture that a source or PTX needs, or null if any will do. */
static const char *needed_architecture(const char *path)
{
    static const char *const needs[][2] = {
        {"wgmma.", "-arch=compute_90a"},
        {"setmaxnreg.", "-arch=compute_90a"},
        {"__CUDA_ARCH_FEAT_SM90_ALL", "-arch=compute_90a"},
        {"cp.async.bulk", "-arch=compute_90"},
        {"fence.proxy.async", "-arch=compute_90"},
        {"mbarrier.try_wait", "-arch=compute_90"},
        {"shared::cluster", "-arch=compute_90"},
    };
    size_t size;
    char *text = read_whole_file(path, &size);
    const char *needed = NULL;

    for (size_t k = 0; text != NULL && needed == NULL && k < sizeof needs / sizeof *needs; k++)
        if (memmem(text, size, needs[k][0], strlen(needs[k][0])) != NULL)
            needed = needs[k][1];
    free(text);
    return needed;
}

/* Returns the first flag that changes where or whether PTX is written, or null. */
static const char *output_flag(const char *const *flags, size_t count)
{
    static const char *const names[] = {"-o",       "--output-file", "-h", "--help",
                                        "-V",       "--version",     "-M", "-MM",
                                        "--dryrun", "-dryrun",       "-E", "--preprocess"};

    for (size_t f = 0; f < count; f++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (strncmp(flags[f], names[n], strlen(names[n])) == 0 &&
                strchr("=", flags[f][strlen(names[n])]) != NULL)
                return flags[f];
    return NULL;
}

/* Returns whether the compiler wrote PTX. Its flags may select something else, or nothing. */
static bool is_ptx(const char *path)
{
    size_t size;
    char *text = read_whole_file(path, &size);
    bool good = text != NULL && strlen(text) == size && strstr(text, ".version ") != NULL;

    free(text);
    return good;
}

/* Without an architecture in the flags it is the default, or a newer one that the code needs. A
 * compiler that does not know the newer one compiles for the default. */
static bool compile_for(const struct compiler *compiler, const char *const *flags,
                        size_t flag_count, const char *cuda, const char *ptx, char *said,
                        size_t said_size)
{
    const char **all, *needed = NULL;
    bool good;

    if (has_architecture(flags, flag_count))
        return compile_user(compiler, flags, flag_count, cuda, ptx, said, said_size);
    all = calloc(flag_count + 1, sizeof *all);
    if (all == NULL) {
        snprintf(said, said_size, "out of memory");
        return false;
    }
    for (size_t f = 0; f < flag_count; f++)
        all[f] = flags[f];
    all[flag_count] = needed = needed_architecture(cuda);
    good =
        needed != NULL && compile_user(compiler, all, flag_count + 1, cuda, ptx, said, said_size);
    if (!good) {
        all[flag_count] = DEFAULT_ARCHITECTURE;
        good = compile_user(compiler, all, flag_count + 1, cuda, ptx, said, said_size);
        all[flag_count] = good && needed == NULL ? needed_architecture(ptx) : NULL;
        if (all[flag_count] != NULL &&
            !compile_user(compiler, all, flag_count + 1, cuda, ptx, said, said_size)) {
            all[flag_count] = DEFAULT_ARCHITECTURE;
            good = compile_user(compiler, all, flag_count + 1, cuda, ptx, said, said_size);
        }
    }
    free(all);
    return good;
}

bool build_user_ptx(const struct compiler *compiler, const char *const *flags, size_t flag_count,
                    const char *cuda, const char *ptx, char *said, size_t said_size)
{
    const char *output = output_flag(flags, flag_count);

    if (output == NULL && !compile_for(compiler, flags, flag_count, cuda, ptx, said, said_size))
        return false;
    if (output == NULL && is_ptx(ptx))
        return true;
    snprintf(said, said_size, "leave out %s, which changes where or whether PTX is written",
             output != NULL ? output : "the flag");
    return false;
}

/* ---- PTX ---- */

static const char *ending(const char *path)
{
    const char *end = strrchr(path, '.');

    return end != NULL && strchr(end, '/') == NULL ? end : "";
}

static bool is_plain_ptx(const char *path)
{
    return strcmp(ending(path), ".ptx") == 0;
}

bool build_is_ptx(const char *path)
{
    static const char *const endings[] = {".cubin", ".fatbin", ".o", ".so", ".a"};
    bool is_known = is_plain_ptx(path);

    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++)
        is_known = is_known || strcmp(ending(path), endings[e]) == 0;
    return is_known;
}

static bool write_file(const char *path, const char *text, size_t size)
{
    FILE *to = fopen(path, "wb");
    bool good = to != NULL && fwrite(text, 1, size, to) == size;

    return to != NULL && fclose(to) == 0 && good;
}

bool build_name_origin(FILE *ptx, const char *path)
{
    return fprintf(ptx, MODULE_COPY_OF "%s\n", path) > 0;
}

/* Copies PTX to another path. Messages name the original. */
static bool copy_ptx(const char *path, const char *ptx)
{
    size_t size = 0;
    char *whole = realpath(path, NULL), *text = whole != NULL ? read_whole_file(path, &size) : NULL;
    FILE *to = text != NULL ? fopen(ptx, "wb") : NULL;
    bool good = to != NULL && fwrite(text, 1, size, to) == size && build_name_origin(to, whole);

    good = to != NULL && fclose(to) == 0 && good;
    free(text);
    free(whole);
    return good;
}

/* Takes the first PTX out of a file that contains it. */
static bool extract_ptx(const char *path, const char *ptx, char *said, size_t said_size)
{
    const char *const arguments[] = {"cuobjdump", "--dump-ptx", path, NULL};
    enum { MOST = 64 << 20, NOT_STARTED = 127 }; /* bytes of PTX */
    char *text = malloc(MOST), *start = NULL, *end;
    int status = text != NULL ? tool_run(arguments, text, MOST) : NOT_STARTED;
    bool good = false;

    if (status == 0)
        start = strstr(text, "\n.version ");
    end = start != NULL ? strstr(start, "\nFatbin ") : NULL;
    if (status == NOT_STARTED)
        snprintf(said, said_size,
                 "cuobjdump of the CUDA Toolkit must be on the PATH to take PTX "
                 "out of it");
    else if (start == NULL)
        snprintf(said, said_size,
                 "it has no PTX, and simtcheck cannot run machine code: compile "
                 "with -gencode arch=compute_80,code=compute_80");
    else
        good = write_file(ptx, start, end != NULL ? (size_t)(end - start) : strlen(start));
    if (start != NULL && !good)
        snprintf(said, said_size, "cannot write '%s': %s", ptx, strerror(errno));
    free(text);
    return good;
}

bool build_take_ptx(const char *path, const char *ptx, char *said, size_t said_size)
{
    if (!is_plain_ptx(path))
        return extract_ptx(path, ptx, said, said_size);
    if (copy_ptx(path, ptx))
        return true;
    snprintf(said, said_size, "%s", strerror(errno));
    return false;
}

bool ptx_copy_as_old(const char *ptx, const char *old, char *error, size_t error_size)
{
    static const char word[] = ".version ";
    FILE *from = fopen(ptx, "r"), *to = from != NULL ? fopen(old, "w") : NULL;
    char *line = NULL;
    size_t room = 0;
    bool good = to != NULL;

    while (good && getline(&line, &room, from) > 0) {
        bool late;
        if (strstr(line, ".pragma \"used_bytes_mask") != NULL) /* A hint of later versions. */
            continue;
        late = strncmp(line, word, sizeof word - 1) == 0 && atof(line + sizeof word - 1) > 7.8;
        good = fputs(late ? ".version 7.8\n" : line, to) >= 0;
    }
    free(line);
    if (from != NULL)
        fclose(from);
    if (to != NULL)
        good = fclose(to) == 0 && good;
    if (!good)
        snprintf(error, error_size, "cannot copy %.200s to %.200s", ptx, old);
    return good;
}

bool build_machine_code(const struct compiler *ptxas, const char *architecture, int level,
                        const char *ptx, const char *cubin, char *error, size_t error_size)
{
    char arch[32], optimise[8];
    const char *const arguments[] = {ptxas->path, arch, optimise, ptx, "-o", cubin, NULL};

    snprintf(arch, sizeof arch, "-arch=%s", architecture);
    snprintf(optimise, sizeof optimise, "-O%d", level);
    return compile(arguments, ptx, error, error_size);
}

bool build_relocatable(const struct compiler *ptxas, const char *architecture, const char *ptx,
                       const char *cubin, char *said, size_t said_size, char *error,
                       size_t error_size)
{
    char arch[32];
    const char *const arguments[] = {ptxas->path, "-v", "-c", arch, ptx, "-o", cubin, NULL};

    snprintf(arch, sizeof arch, "-arch=%s", architecture);
    return compile_and_listen(arguments, ptx, said, said_size, error, error_size);
}

/* ---- Oracles ---- */

/* Returns the compiler that the variable of the environment names, else the one that built this
 * program if it is installed, else the usual one. */
static const char *host_compiler(const char *variable, const char *own, const char *usual)
{
    const char *named = getenv(variable);

    if (named != NULL && named[0] != '\0')
        return named;
    return access(own, X_OK) == 0 ? own : usual;
}

/* What is compiled after an oracle in C++: it finds `expected`, whatever its linkage. The oracle
 * runs in a C program, so an exception ends it. */
#define CALL_OF_ORACLE "call-of-expected"
static const char call_of_oracle[] =
    "#line 1 \"" CALL_OF_ORACLE "\"\n"
    "extern \"C\" bool simtcheck_expected(const struct expectation *e) noexcept\n"
    "{ bool (*one)(const struct expectation *) = &::expected; return one(e); }\n";

static bool is_cpp(const char *path)
{
    static const char *const ends[] = {".cpp", ".cc", ".cxx", ".C"};
    const char *end = strrchr(path, '.');
    bool found = false;

    for (size_t k = 0; end != NULL && k < sizeof ends / sizeof *ends; k++)
        found = found || strcmp(end, ends[k]) == 0;
    return found;
}

/* Returns whether the compiler's first error is in that file. */
static bool is_first_error_in(const char *said, const char *file)
{
    const char *line = strstr(said, "error:");

    while (line != NULL && line > said && line[-1] != '\n')
        line--;
    return line != NULL && strncmp(line, file, strlen(file)) == 0;
}

static enum oracle_status build_oracle_cpp(const char *cpp, const char *object, char *said,
                                           size_t said_size, const char *const includes[2])
{
    char call[PATH_MAX];
    const char *const arguments[] = {host_compiler("SIMTCHECK_CXX", SIMTCHECK_CXX, "c++"),
                                     "-shared",
                                     "-fPIC",
                                     "-O1",
                                     "-ffp-contract=off",
                                     includes[0],
                                     includes[1],
                                     "-include",
                                     cpp,
                                     call,
                                     "-o",
                                     object,
                                     NULL};
    FILE *to;
    bool good;

    snprintf(call, sizeof call, "%.*s.cpp", PATH_MAX - 5, object);
    to = fopen(call, "w");
    good = to != NULL && fputs(call_of_oracle, to) >= 0;
    if (to != NULL)
        good = fclose(to) == 0 && good;
    if (!good) {
        snprintf(said, said_size, "cannot write '%.300s': %s", call, strerror(errno));
        return ORACLE_REJECTED;
    }
    if (tool_run(arguments, said, said_size) == 0)
        return ORACLE_BUILT;
    return is_first_error_in(said, CALL_OF_ORACLE ":") ? ORACLE_LACKS_EXPECTED : ORACLE_REJECTED;
}

/* Returns whether a symbol of the object ends in "expected". The object is not loaded, because that
 * would run its code. */
static bool has_expected(const char *object)
{
    static const char name[] = "expected";
    size_t size = 0;
    char *text = read_whole_file(object, &size);
    bool found = text != NULL && memmem(text, size, name, sizeof name) != NULL;

    free(text);
    return found;
}

enum oracle_status build_oracle(const char *source, const char *object, char *said,
                                size_t said_size)
{
    char include[PATH_MAX + 2] = "-I", catalogue[PATH_MAX + 2] = "-I";
    const char *const arguments[] = {host_compiler("SIMTCHECK_CC", SIMTCHECK_CC, "cc"),
                                     "-shared",
                                     "-fPIC",
                                     "-O1",
                                     "-ffp-contract=off",
                                     include,
                                     catalogue,
                                     source,
                                     "-lm",
                                     "-o",
                                     object,
                                     NULL};

    installation_data("include", include + 2, PATH_MAX);
    installation_data("include/simtcheck", catalogue + 2, PATH_MAX);
    if (is_cpp(source))
        return build_oracle_cpp(source, object, said, said_size,
                                (const char *const[2]){include, catalogue});
    if (tool_run(arguments, said, said_size) != 0)
        return ORACLE_REJECTED;
    return has_expected(object) ? ORACLE_BUILT : ORACLE_LACKS_EXPECTED;
}
