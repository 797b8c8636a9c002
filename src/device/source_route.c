/* SPDX-License-Identifier: MIT */
#include "source_route.h"

#include "build.h"
#include "cuda_text.h"
#include "cuda_words.h"
#include "installation.h"
#include "simt_source.h"
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAID = 1 << 16, PATH = 4096, MOST_ARGUMENTS = 64 };

/* That which the environment names, that which built this program where it is there, or c++. */
static const char *compiler(void)
{
    const char *named = getenv("SIMTCHECK_CXX");

    if (named != NULL && named[0] != '\0')
        return named;
    return access(SIMTCHECK_CXX, X_OK) == 0 ? SIMTCHECK_CXX : "c++";
}

void source_route_export(FILE *to, const char *name, const char *kernel)
{
    fprintf(to, "#line 1 \"the launch\"\nSIMT_EXPORT(%s, %s)\n", name, kernel);
}

/* ---- What the compiler says ---- */

/* A header of CUDA's that there is no stand-in for, or one of another library. */
static bool is_missing_library(const char *line)
{
    const char *header = strstr(line, "fatal error: ");

    if (header == NULL)
        return false;
    header += strlen("fatal error: ");
    header += *header == '\'';
    return cuda_library_names(header, strcspn(header, ":'"));
}

/* The first line that tells an error. */
static void tell_error(const char *said, char *error, size_t error_size)
{
    const char *found = strstr(said, "error: "), *line = found != NULL ? found : said;
    size_t length;

    while (line > said && line[-1] != '\n')
        line--;
    length = strcspn(line, "\n");
    snprintf(error, error_size, "%.*s", (int)length, line);
    if (is_missing_library(error))
        snprintf(error, error_size,
                 "%.*s: what that header has is not there without nvcc: give one by --nvcc",
                 (int)length, line);
}

static bool run(const char *const *arguments, char *error, size_t error_size)
{
    char *said = malloc(SAID);
    int status = -1;

    if (said == NULL)
        snprintf(error, error_size, "out of memory");
    else if ((status = tool_run(arguments, said, SAID)) != 0)
        tell_error(said, error, error_size);
    free(said);
    return status == 0;
}

/* ---- Flags ---- */

struct arguments {
    const char *words[MOST_ARGUMENTS];
    size_t count;
};

static void add(struct arguments *arguments, const char *word)
{
    if (arguments->count + 1 < MOST_ARGUMENTS)
        arguments->words[arguments->count++] = word;
}

/* The flags of host_kernels() in CMakeLists.txt, for an object that is loaded. */
static void add_own_flags(struct arguments *arguments, bool is_clang)
{
    static const char *const common[] = {
        "-std=c++17",
        "-fsanitize=thread",
        "-U_FORTIFY_SOURCE",
        "-fPIC",
        "-fvisibility=hidden",
        "-ffp-contract=off",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-O1",
        "-g",
        "-w",
        "-fno-omit-frame-pointer",
        "-fno-builtin",
    };
    static const char *const gcc[] = {"-fno-extern-tls-init",
                                      "-fno-tree-vectorize",
                                      "-fno-tree-loop-distribute-patterns",
                                      "-fno-gnu-unique",
                                      "--param",
                                      "tsan-distinguish-volatile=1"};
    static const char *const clang[] = {"-fno-vectorize",
                                        "-fno-slp-vectorize",
                                        "-gdwarf-aranges",
                                        "-mllvm",
                                        "-tsan-distinguish-volatile",
                                        "-mllvm",
                                        "-tsan-instrument-read-before-write=1"};

    for (size_t f = 0; f < sizeof common / sizeof *common; f++)
        add(arguments, common[f]);
    for (size_t f = 0; !is_clang && f < sizeof gcc / sizeof *gcc; f++)
        add(arguments, gcc[f]);
    for (size_t f = 0; is_clang && f < sizeof clang / sizeof *clang; f++)
        add(arguments, clang[f]);
}

/* How many words, from that flag on, are for nvcc alone. */
static size_t words_of_nvcc(const char *flag)
{
    static const struct {
        const char *start;
        size_t words; /* where there is no = */
    } flags[] = {
        {"-arch", 2},
        {"--gpu-architecture", 2},
        {"-gencode", 2},
        {"--generate-code", 2},
        {"-code", 2},
        {"--expt-", 1},
        {"-expt-", 1},
        {"-lineinfo", 1},
        {"--generate-line-info", 1},
        {"-rdc", 2},
        {"--relocatable-device-code", 2},
        {"--use_fast_math", 1},
        {"-use_fast_math", 1},
        {"-Xcompiler", 2},
        {"-Xptxas", 2},
        {"--compiler-options", 2},
        {"--ptxas-options", 2},
        {"-maxrregcount", 2},
        {"--maxrregcount", 2},
        {"--fmad", 2},
        {"-fmad", 2},
        {"-G", 1},
        {"--extended-lambda", 1},
        {"-extended-lambda", 1},
        {"-ccbin", 2},
        {"--threads", 2},
        {"-allow-unsupported-compiler", 1},
    };

    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
        if (strncmp(flag, flags[f].start, strlen(flags[f].start)) == 0)
            return strchr(flag, '=') != NULL ? 1 : flags[f].words;
    return 0;
}

static void add_users_flags(struct arguments *arguments, const char *const *flags, size_t count)
{
    for (size_t f = 0; f < count; f++) {
        size_t left_out = words_of_nvcc(flags[f]);
        if (left_out == 0)
            add(arguments, flags[f]);
        else
            f += left_out - 1;
    }
}

/* ---- The steps ---- */

struct route {
    bool is_clang;
    const char *const *flags;
    size_t flag_count;
    const char *const *kernels_wanted;
    size_t wanted_count;
    const char *missing; /* the first of them that the file does not have; null: it has all */
    char preprocessed[PATH], text[PATH], unit[PATH];
    /* The folders of the public headers and of the dialect's, with '/' behind them and as -I, and
     * what is in the second. */
    char own[OWN_FOLDERS][PATH], include[OWN_FOLDERS][PATH], cuda[PATH], header[PATH], layout[PATH],
        object[PATH];
};

static void find_own_files(struct route *route)
{
    static const char *const folders[OWN_FOLDERS] = {"include/", "src/device/dialect/"};

    for (int k = 0; k < OWN_FOLDERS; k++) {
        installation_data(folders[k], route->own[k], PATH);
        strcpy(route->include[k], "-I");
        installation_data(folders[k], route->include[k] + 2, PATH - 2);
    }
    installation_data("src/device/dialect/cuda", route->cuda, PATH);
    installation_data("src/device/dialect/cuda_source.h", route->header, PATH);
    installation_data("src/device/dialect/source/object.ld", route->layout, PATH);
    installation_data("src/device/dialect/source/object.cpp", route->object, PATH);
}

static bool preprocess(const struct route *route, const char *cuda, char *error, size_t error_size)
{
    struct arguments arguments = {{compiler(), "-E"}, 2};

    add_own_flags(&arguments, route->is_clang);
    add_users_flags(&arguments, route->flags, route->flag_count);
    for (int k = 0; k < OWN_FOLDERS; k++)
        add(&arguments, route->include[k]);
    add(&arguments, "-isystem");
    add(&arguments, route->cuda);
    add(&arguments, "-include");
    add(&arguments, route->header);
    add(&arguments, "-x");
    add(&arguments, "c++");
    add(&arguments, cuda);
    add(&arguments, "-o");
    add(&arguments, route->preprocessed);
    return run(arguments.words, error, error_size);
}

static bool rewrite(struct route *route, char *error, size_t error_size)
{
    size_t size;
    char *text = build_read_file(route->preprocessed, &size);
    FILE *to = text != NULL ? fopen(route->text, "w") : NULL;
    const char *const own[OWN_FOLDERS] = {route->own[0], route->own[1]};
    bool good =
        to != NULL && cuda_text_write(text, size, own, route->kernels_wanted, route->wanted_count,
                                      to, &route->missing, error, error_size);

    if (to == NULL)
        snprintf(error, error_size, "cannot write %s: %s", route->text, strerror(errno));
    if (to != NULL && fclose(to) != 0 && good) {
        snprintf(error, error_size, "cannot write %s: %s", route->text, strerror(errno));
        good = false;
    }
    free(text);
    return good;
}

static bool compile(const struct route *route, char *error, size_t error_size)
{
    struct arguments arguments = {{compiler()}, 1};

    add_own_flags(&arguments, route->is_clang);
    add_users_flags(&arguments, route->flags, route->flag_count);
    add(&arguments, "-x");
    add(&arguments, "c++-cpp-output");
    add(&arguments, "-c");
    add(&arguments, route->text);
    add(&arguments, "-o");
    add(&arguments, route->unit);
    return run(arguments.words, error, error_size);
}

/* Not with the sanitizer's library; lazily, for host code may call what is nowhere. */
static bool link_object(const struct route *route, const char *object, char *error,
                        size_t error_size)
{
    const char *const arguments[] = {compiler(),
                                     "-shared",
                                     "-fPIC",
                                     "-O1",
                                     "-Wl,-Bsymbolic",
                                     "-Wl,-z,lazy",
                                     "-T",
                                     route->layout,
                                     route->include[0],
                                     route->include[1],
                                     route->unit,
                                     route->object,
                                     "-o",
                                     object,
                                     NULL};

    return run(arguments, error, error_size);
}

/* ---- No constructor runs ---- */

/* The section of that type; null: there is none. */
static Elf_Scn *section_of(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, header) != NULL && header->sh_type == type)
            return section;
    return NULL;
}

static bool clear_constructors(Elf *elf)
{
    GElf_Shdr header;
    Elf_Scn *section = section_of(elf, SHT_DYNAMIC, &header);
    Elf_Data *data = section != NULL ? elf_getdata(section, NULL) : NULL;
    GElf_Dyn entry;

    if (data == NULL)
        return false;
    elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT); /* everything stays where it is */
    for (int k = 0; gelf_getdyn(data, k, &entry) != NULL; k++) {
        if (entry.d_tag != DT_INIT_ARRAYSZ && entry.d_tag != DT_FINI_ARRAYSZ)
            continue;
        entry.d_un.d_val = 0;
        if (!gelf_update_dyn(data, k, &entry))
            return false;
    }
    elf_flagdata(data, ELF_C_SET, ELF_F_DIRTY);
    return elf_update(elf, ELF_C_WRITE) >= 0;
}

/* Objects of the file's host code, such as streams, are not made: nobody runs that code. */
static bool disarm(const char *object, char *error, size_t error_size)
{
    int file = open(object, O_RDWR | O_CLOEXEC);
    Elf *elf =
        file >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(file, ELF_C_RDWR, NULL) : NULL;
    bool good = elf != NULL && clear_constructors(elf);

    if (!good)
        snprintf(error, error_size, "cannot take the constructors out of %s: %s", object,
                 elf_errmsg(-1));
    elf_end(elf);
    if (file >= 0)
        close(file);
    return good;
}

static bool is_clang(void)
{
    const char *const arguments[] = {compiler(), "--version", NULL};
    char said[512];

    return tool_run(arguments, said, sizeof said) == 0 && strstr(said, "clang") != NULL;
}

bool source_route_build(const char *const *flags, size_t flag_count, const char *cuda,
                        const char *const *kernels, size_t kernel_count, const char *object,
                        char *error, size_t error_size)
{
    struct route route = {.is_clang = is_clang(),
                          .flags = flags,
                          .flag_count = flag_count,
                          .kernels_wanted = kernels,
                          .wanted_count = kernel_count};
    bool good;

    if (flag_count > MOST_ARGUMENTS / 2) {
        snprintf(error, error_size, "more than %d flags for the compiler", MOST_ARGUMENTS / 2);
        return false;
    }
    find_own_files(&route);
    snprintf(route.preprocessed, PATH, "%s.ii", object);
    snprintf(route.text, PATH, "%s.cpp", object);
    snprintf(route.unit, PATH, "%s.o", object);
    good = preprocess(&route, cuda, error, error_size) && rewrite(&route, error, error_size) &&
           compile(&route, error, error_size) && link_object(&route, object, error, error_size) &&
           disarm(object, error, error_size);
    if (good && route.missing != NULL) {
        snprintf(error, error_size, "%s is no kernel: it is not __global__", route.missing);
        good = false;
    }
    remove(route.preprocessed);
    remove(route.text);
    remove(route.unit);
    return good;
}

/* ---- What a kernel takes ---- */

/* Copies the variable of that name, whose contents no relocation changes. */
static bool read_variable(Elf *elf, const char *name, void *value, size_t size)
{
    GElf_Shdr header, home;
    Elf_Scn *section = section_of(elf, SHT_DYNSYM, &header);
    Elf_Data *symbols = section != NULL ? elf_getdata(section, NULL) : NULL, *data;
    GElf_Sym symbol;

    for (int k = 0; symbols != NULL && gelf_getsym(symbols, k, &symbol) != NULL; k++) {
        const char *found = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (found == NULL || strcmp(found, name) != 0)
            continue;
        section = elf_getscn(elf, symbol.st_shndx);
        data = section != NULL ? elf_getdata(section, NULL) : NULL;
        if (data == NULL || gelf_getshdr(section, &home) == NULL ||
            symbol.st_value - home.sh_addr + size > data->d_size)
            return false;
        memcpy(value, (const char *)data->d_buf + (symbol.st_value - home.sh_addr), size);
        return true;
    }
    return false;
}

static void take_parameters(const struct simt_parameters *parameters, struct entry *entry)
{
    entry->parameter_count = parameters->count;
    for (uint32_t p = 0; p < parameters->count; p++) {
        entry->parameters[p].bytes = parameters->parameters[p].bytes;
        entry->parameters[p].is_float = parameters->parameters[p].is_float;
    }
}

bool source_route_entry(const char *object, const char *name, struct entry *entry, char *error,
                        size_t error_size)
{
    static struct simt_parameters parameters;
    char variable[128];
    int file = open(object, O_RDONLY | O_CLOEXEC);
    Elf *elf =
        file >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(file, ELF_C_READ, NULL) : NULL;
    bool good;

    snprintf(variable, sizeof variable, "simt_parameters_%s", name);
    good = elf != NULL && read_variable(elf, variable, &parameters, sizeof parameters) &&
           parameters.count <= MAX_PARAMETERS;
    if (good)
        take_parameters(&parameters, entry);
    else
        snprintf(error, error_size, "the compiled code has no such kernel");
    snprintf(entry->symbol, sizeof entry->symbol, "%s", name);
    elf_end(elf);
    if (file >= 0)
        close(file);
    return good;
}
