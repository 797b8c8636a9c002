/* SPDX-License-Identifier: MIT */
#include "clang.h"

#include "cache.h"
#include "installation.h"
#include "tool.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAID = 4096, ARCHITECTURE = 32 };

/* ---- Finding it ---- */

static int major_of(const struct compiler *clang)
{
    return atoi(clang->version);
}

/* Opens a clang by its path or name. Returns false with a message if it is something else or too
 * old. */
static bool open_one(const char *path, struct compiler *compiler, char *error, size_t error_size)
{
    char said[SAID], whole[PATH_MAX];
    const char *version;
    int status = tool_version(path, said, sizeof said);

    *compiler = (struct compiler){.path = path, .front_end = FRONT_END_CLANG};
    version = strstr(said, "clang version ");
    if (status != 0 || version == NULL ||
        sscanf(version, "clang version %31[0-9.]", compiler->version) != 1) {
        compiler->is_broken = tool_find(path, whole);
        snprintf(error, error_size, "%s is not a clang++: --version prints '%.*s'", path,
                 (int)strcspn(said, "\n"), said);
        return false;
    }
    if (major_of(compiler) < CLANG_OLDEST) {
        snprintf(error, error_size, "%s is clang %s: simtcheck needs clang %d or newer", path,
                 compiler->version, CLANG_OLDEST);
        return false;
    }
    return true;
}

bool clang_open(const char *path, struct compiler *compiler, char *error, size_t error_size)
{
    static const char *const names[] = {"clang++-21", "clang++-20", "clang++-19", "clang++-18",
                                        "clang++-17", "clang++-16", "clang++-15", "clang++-14"};
    const char *named = path != NULL ? path : getenv("SIMTCHECK_CLANG");
    struct compiler other;
    char ignored[SAID], whole[PATH_MAX];
    bool is_found, is_broken;

    if (named != NULL && named[0] != '\0') {
        is_found = open_one(named, compiler, error, error_size);
        compiler->is_broken = !is_found;
        return is_found;
    }
    is_found = open_one("clang++", compiler, error, error_size);
    is_broken = compiler->is_broken;
    for (int n = 0; n <= CLANG_NEWEST - CLANG_OLDEST; n++) {
        if (is_found && major_of(compiler) >= CLANG_NEWEST - n)
            return true;
        if (!tool_find(names[n], whole))
            continue;
        if (open_one(names[n], &other, is_broken ? ignored : error,
                     is_broken ? sizeof ignored : error_size)) {
            *compiler = other;
            return true;
        }
        is_broken = is_broken || other.is_broken;
    }
    compiler->is_broken = !is_found && is_broken;
    if (!is_found && !is_broken)
        snprintf(error, error_size,
                 "no clang++ on the PATH: install clang %d or newer (Debian: apt-get install "
                 "clang), or set SIMTCHECK_CLANG to its path",
                 CLANG_OLDEST);
    return is_found;
}

/* Each version of LLVM has a newest version of PTX: lib/Target/NVPTX/NVPTX.td. */
int clang_ptx_version(const struct compiler *clang)
{
    static const int versions[] = {75, 75, 78, 81, 83, 85, 87, 88};
    int major = major_of(clang);

    return versions[major > CLANG_NEWEST ? CLANG_NEWEST - CLANG_OLDEST : major - CLANG_OLDEST];
}

/* ---- Flags ---- */

/* A flag of nvcc, the number of its words without a '=', and the words of clang that replace it. */
static const struct flag {
    const char *start;
    size_t words;
    const char *const *instead; /* null: none */
} flags_of_nvcc[] = {
#define INSTEAD(...) ((const char *const[]){__VA_ARGS__, NULL})
    {"-fmad=false", 1, INSTEAD("-ffp-contract=off")},
    {"--fmad=false", 1, INSTEAD("-ffp-contract=off")},
    {"-fmad", 2, NULL},
    {"--fmad", 2, NULL},
    {"-use_fast_math", 1,
     INSTEAD("-D__USE_FAST_MATH__", "-fcuda-flush-denormals-to-zero", "-mllvm",
             "-nvptx-prec-divf32=0")},
    {"--use_fast_math", 1,
     INSTEAD("-D__USE_FAST_MATH__", "-fcuda-flush-denormals-to-zero", "-mllvm",
             "-nvptx-prec-divf32=0")},
    {"-ftz=true", 1, INSTEAD("-fcuda-flush-denormals-to-zero")},
    {"--ftz=true", 1, INSTEAD("-fcuda-flush-denormals-to-zero")},
    {"-ftz", 2, NULL},
    {"--ftz", 2, NULL},
    {"-prec-div=false", 1, INSTEAD("-mllvm", "-nvptx-prec-divf32=0")},
    {"--prec-div=false", 1, INSTEAD("-mllvm", "-nvptx-prec-divf32=0")},
    {"-prec-", 2, NULL},
    {"--prec-", 2, NULL},
    {"-G", 1, INSTEAD("-O0")},
    {"--device-debug", 1, INSTEAD("-O0")},
    {"-code", 2, NULL},
    {"--gpu-code", 2, NULL},
    {"-expt-", 1, NULL},
    {"--expt-", 1, NULL},
    {"-extended-lambda", 1, NULL},
    {"--extended-lambda", 1, NULL},
    {"-lineinfo", 1, NULL},
    {"--generate-line-info", 1, NULL},
    {"-rdc", 2, NULL},
    {"--relocatable-device-code", 2, NULL},
    {"-dc", 1, NULL},
    {"--device-c", 1, NULL},
    {"-Xcompiler", 2, NULL},
    {"--compiler-options", 2, NULL},
    {"-Xptxas", 2, NULL},
    {"--ptxas-options", 2, NULL},
    {"-Xcudafe", 2, NULL},
    {"--cudafe-options", 2, NULL},
    {"-diag-suppress", 2, NULL},
    {"--diag-suppress", 2, NULL},
    {"-maxrregcount", 2, NULL},
    {"--maxrregcount", 2, NULL},
    {"-ccbin", 2, NULL},
    {"--compiler-bindir", 2, NULL},
    {"-t", 2, NULL},
    {"--threads", 2, NULL},
    {"-allow-unsupported-compiler", 1, NULL},
    {"--allow-unsupported-compiler", 1, NULL},
    {"-g", 1, NULL},
#undef INSTEAD
};

static const struct flag *find_flag(const char *word)
{
    for (size_t f = 0; f < sizeof flags_of_nvcc / sizeof *flags_of_nvcc; f++) {
        const struct flag *flag = &flags_of_nvcc[f];
        size_t length = strlen(flag->start);
        bool is_start = flag->start[length - 1] == '-';
        if (strncmp(word, flag->start, length) == 0 &&
            (is_start || word[length] == '\0' || word[length] == '='))
            return flag;
    }
    return NULL;
}

/* Reads an architecture in clang's form from "-arch=compute_90a" and the like. The first one
 * counts. Returns its number of words, or 0 if the flag is another one. */
static size_t take_architecture(const char *const *flags, size_t left,
                                char architecture[ARCHITECTURE])
{
    static const char *const names[] = {"-arch", "--gpu-architecture", "-gencode",
                                        "--generate-code"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t length = strlen(names[k]);
        const char *value, *number;
        if (strncmp(flags[0], names[k], length) != 0 ||
            (flags[0][length] != '=' && flags[0][length] != '\0'))
            continue;
        value = flags[0][length] == '=' ? flags[0] + length + 1 : left > 1 ? flags[1] : "";
        number = strstr(value, "compute_");
        number = number != NULL ? number + strlen("compute_") : strstr(value, "sm_");
        if (number != NULL && strncmp(number, "sm_", 3) == 0)
            number += 3;
        if (number != NULL && architecture[0] == '\0')
            snprintf(architecture, ARCHITECTURE, "sm_%.*s", (int)strcspn(number, ",; \""), number);
        return flags[0][length] == '=' || left < 2 ? 1 : 2;
    }
    return 0;
}

/* Maximum words of clang for one flag. */
enum { WORDS_INSTEAD = 4 };

/* Adds the user's flags. Returns the new count of arguments. */
static size_t add_flags(const char *const *flags, size_t flag_count, const char **arguments,
                        size_t count, char architecture[ARCHITECTURE])
{
    for (size_t f = 0; f < flag_count;) {
        const struct flag *flag = find_flag(flags[f]);
        size_t words = take_architecture(flags + f, flag_count - f, architecture);
        if (words == 0 && flag == NULL) {
            arguments[count++] = flags[f++];
            continue;
        }
        if (words == 0) {
            words = strchr(flags[f], '=') != NULL ? 1 : flag->words;
            for (size_t k = 0; flag->instead != NULL && flag->instead[k] != NULL; k++)
                arguments[count++] = flag->instead[k];
        }
        f += words;
    }
    return count;
}

/* ---- Compiling ---- */

enum { TOOLKIT_WORDS = 4, BOUNDS_WORDS = 5 };

/* Adds checks of the bounds of arrays, for local ones that lie side by side, to code that keeps
 * every access. Optimized code may lack an access, or have another one in its place. Returns the
 * new count of arguments. */
static size_t add_bounds(const char **arguments, size_t count)
{
    static const char *const words[BOUNDS_WORDS] = {"-Xclang", "-fsanitize=local-bounds", "-Xclang",
                                                    "-fsanitize-trap=local-bounds",
                                                    "-DSIMT_BOUNDS"};
    bool keeps = false;

    for (size_t k = 0; k < count; k++)
        if (strncmp(arguments[k], "-O", 2) == 0)
            keeps = strcmp(arguments[k], "-O0") == 0;
    if (keeps)
        memcpy(arguments + count, words, sizeof words);
    return count + (keeps ? BOUNDS_WORDS : 0);
}

/* Adds the folders of the toolkit's headers, if there is an nvcc. They are the last to be searched,
 * so clang uses its own versions of the headers that it has. `folders` holds their names. Returns
 * the new count of arguments. */
static size_t add_toolkit(const char **arguments, size_t count, char folders[2][PATH_MAX])
{
    char nvcc[PATH_MAX], *whole = tool_find("nvcc", nvcc) ? realpath(nvcc, NULL) : NULL;
    char *end = whole != NULL ? strrchr(whole, '/') : NULL;

    if (end != NULL)
        *end = '\0';
    for (size_t k = 0; end != NULL && k < 2; k++) {
        snprintf(folders[k], PATH_MAX, "%.4000s/../include%s", whole, k == 0 ? "" : "/cccl");
        if (access(folders[k], F_OK) != 0)
            continue;
        arguments[count++] = "-idirafter";
        arguments[count++] = folders[k];
    }
    free(whole);
    return count;
}

/* Clears the option "debug" of the target, with which ptxas does not optimise. */
static void clear_debug(const char *ptx)
{
    static const char option[] = ", debug";
    char start[1024];
    FILE *file = fopen(ptx, "r+e");
    const char *at;

    if (file == NULL)
        return;
    start[fread(start, 1, sizeof start - 1, file)] = 0;
    at = strstr(start, option);
    if (at != NULL && fseek(file, at - start, SEEK_SET) == 0)
        fprintf(file, "%*s", (int)sizeof option - 1, "");
    fclose(file);
}

bool clang_build_ptx(const struct compiler *clang, const char *const *flags, size_t flag_count,
                     const char *cuda, const char *ptx, char *said, size_t said_size)
{
    char prelude[PATH_MAX], headers[PATH_MAX], include[PATH_MAX + 2] = "-I";
    char feature[16], architecture[ARCHITECTURE] = "", target[ARCHITECTURE + 24];
    char folders[2][PATH_MAX];
    const char *const own[] = {
        clang->path,
        "-x",
        "cuda",
        "--cuda-device-only",
        target,
        "--cuda-path=/nonexistent", /* the same headers with and without a toolkit */
        "-nocudainc",
        "-nocudalib",
        "-Xclang",
        "-target-feature",
        "-Xclang",
        feature,
        "-S",
        "-w",
        "-Wno-error=register", /* nvcc only warns of these two */
        "-Wno-error=c++11-narrowing",
        "-Xclang",
        "-fcuda-allow-variadic-functions", /* headers of a toolkit declare some */
        "-O2",
        "-Xclang",
        "-debug-info-kind=line-tables-only", /* lines, and the calls into which code is inlined */
        "-fno-math-errno",
        "-fno-strict-aliasing", /* kernels often read floats as ints */
        "-Xclang",
        /* Otherwise `if (lane == 0) p = f(); p = __shfl_sync(mask, p, 0)` loses its condition,
         * because an argument counts as initialized in every lane. */
        major_of(clang) == 14 ? "-disable-noundef-analysis" : "-no-enable-noundef-analysis",
        "-fno-finite-loops",   /* a loop that polls a plain variable stays */
        "-fno-builtin-malloc", /* allocations are checked, so none may be optimised away */
        "-fno-builtin-free",
        "-std=c++17",
        "-isystem",
        headers,
        "-include",
        prelude,
    };
    enum { OWN = sizeof own / sizeof *own };
    const char **arguments = calloc(
        OWN + WORDS_INSTEAD * flag_count + TOOLKIT_WORDS + BOUNDS_WORDS + 6, sizeof *arguments);
    size_t count = OWN;
    bool good;

    if (arguments == NULL) {
        snprintf(said, said_size, "out of memory");
        return false;
    }
    installation_data("src/device/clang/prelude.h", prelude, sizeof prelude);
    installation_data("src/device/clang/cuda", headers, sizeof headers);
    installation_data("include", include + 2, PATH_MAX);
    memcpy(arguments, own, sizeof own);
    count = add_flags(flags, flag_count, arguments, count, architecture);
    count = add_bounds(arguments, count);
    snprintf(feature, sizeof feature, "+ptx%d", clang_ptx_version(clang));
    snprintf(target, sizeof target, "--cuda-gpu-arch=%s",
             architecture[0] != '\0' ? architecture : "sm_80"); /* as for nvcc in build.c */
    arguments[count++] = include; /* after the user's folders, as for nvcc in build.c */
    count = add_toolkit(arguments, count, folders);
    arguments[count++] = cuda;
    arguments[count++] = "-o";
    arguments[count] = ptx;
    good = cache_compile(arguments, cuda, ptx, said, said_size);
    if (good)
        clear_debug(ptx);
    if (!good && strstr(said, "error: reference to __global__ function") != NULL)
        snprintf(said + strlen(said), said_size - strlen(said),
                 "clang cannot compile launches from device code: use nvcc\n");
    free(arguments);
    return good;
}
