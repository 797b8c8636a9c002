/* SPDX-License-Identifier: MIT */
#include "user_code.h"

#include "build.h"
#include "clang.h"
#include "entry.h"
#include "error_report.h"
#include "interrupt.h"
#include "launch_catalogue.h"
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- The launch ---- */

/* Replaces the paths of the files that fill arrays by absolute ones, and loads the files. Returns
 * false after an error message. */
static bool read_files(struct launch_text *launch)
{
    char error[1024];

    for (uint32_t a = 0; a < launch->array_count; a++) {
        struct launch_array *array = &launch->arrays[a];
        char *path = array->file[0] != '\0' ? realpath(array->file, NULL) : NULL;
        if (path != NULL && strlen(path) < sizeof array->file)
            strcpy(array->file, path);
        free(path);
    }
    return launch_load_files(launch, error, sizeof error) || error_report("%s", error);
}

bool user_launch_read(const char *text, struct launch_text *launch)
{
    char error[256];
    size_t column;

    if (launch_parse(text, launch, &column, error, sizeof error))
        return read_files(launch);
    return error_report("column %zu of the launch: %s\n    %s\n    %*s^", column, error, text,
                        (int)column - 1, "");
}

/* ---- Compiling ---- */

enum { SAID = 16384 }; /* bytes of a compiler's output */

/* Writes the name of an entry in the loaded code: launch0, launch1 and so on for kernels, variable0
 * and so on for variables. */
static void entry_name(const char *what, uint32_t number, char name[32])
{
    snprintf(name, 32, "%s%u", what, number);
}

static void write_entry(FILE *to, const char *name, const char *sign, const char *what)
{
    fprintf(to,
            "#line 1 \"the launch\"\nextern \"C\" {\n#line 1 \"the launch\"\n__device__ "
            "__attribute__((used)) const void *simt_entry_%s = (const void *)%s(%s);\n}\n",
            name, sign, what);
}

/* The size of what a kernel's parameter points to. 0 means that it is not a pointer to numbers;
 * this includes pointers to bytes, which may hold anything. The text is C++11 and includes no
 * header, because a macro of the user's files may break one. */
static const char pointees[] =
    "template <typename Type> struct simt_number { enum { bytes = 0 }; };\n"
    "template <typename Type> struct simt_number<const Type> : simt_number<Type> {};\n"
    "template <typename Type> struct simt_number<volatile Type> : simt_number<Type> {};\n"
    "template <typename Type> struct simt_number<const volatile Type> : simt_number<Type> {};\n"
    "#define SIMT_NUMBER(type) template <> struct simt_number<type> { enum { bytes = sizeof(type) "
    "}; };\n"
    "SIMT_NUMBER(short) SIMT_NUMBER(unsigned short) SIMT_NUMBER(int) SIMT_NUMBER(unsigned int)\n"
    "SIMT_NUMBER(long) SIMT_NUMBER(unsigned long) SIMT_NUMBER(long long)\n"
    "SIMT_NUMBER(unsigned long long) SIMT_NUMBER(float) SIMT_NUMBER(double)\n"
    "template <typename Type> struct simt_pointee { enum { is = 0, bytes = 0 }; };\n"
    "template <typename Type> struct simt_pointee<Type *>\n"
    "{ enum { is = 1, bytes = simt_number<Type>::bytes }; };\n"
    "template <unsigned int number, typename... Types> struct simt_parameter\n"
    "{ enum { is = 0, bytes = 0 }; };\n"
    "template <typename Type, typename... Types> struct simt_parameter<0, Type, Types...>\n"
    "    : simt_pointee<Type> {};\n"
    "template <unsigned int number, typename Type, typename... Types>\n"
    "struct simt_parameter<number, Type, Types...> : simt_parameter<number - 1, Types...> {};\n"
    "template <unsigned int number, typename Kernel> struct simt_points\n"
    "{ enum { is = 0, bytes = 0 }; };\n"
    "template <unsigned int number, typename... Types>\n"
    "struct simt_points<number, void (*)(Types...)> : simt_parameter<number, Types...> {};\n";

static bool is_zero(const struct launch_argument *argument)
{
    return !argument->scalar.is_floating && argument->scalar.value.count == 1 &&
           argument->scalar.value.steps[0].operation == 'k' &&
           argument->scalar.value.steps[0].value == 0;
}

/* Writes static assertions, because only the compiler knows the parameters. The element size of an
 * array must match what its parameter points to. A number must not be passed to a pointer. */
static void write_pointees(FILE *to, const struct launch_text *launch,
                           const struct launch_call *call)
{
    for (uint32_t a = 0; a < call->argument_count; a++) {
        const struct launch_argument *argument = &launch->arguments[call->first_argument + a];
        const struct launch_array *array = &launch->arrays[argument->array];
        if (argument->members > 0 || (!argument->is_array && is_zero(argument)))
            continue;
        fprintf(to, "#line 1 \"the launch\"\nstatic_assert(simt_points<%u, decltype(&%s)>::", a,
                call->kernel);
        if (argument->is_array)
            fprintf(
                to,
                "bytes == 0 || simt_points<%u, decltype(&%s)>::bytes == %zu, \"argument %u of %s "
                "does not point to elements of %zu bytes, as the launch's array %s has\");\n",
                a, call->kernel, element_size(array->element), a + 1, call->kernel,
                element_size(array->element), array->name);
        else
            fprintf(to,
                    "is == 0, \"argument %u of %s is a pointer, but the launch passes a number: "
                    "give an array, or 0\");\n",
                    a + 1, call->kernel);
    }
}

/* Returns the whole path of a file to include. Returns null after an error message. */
static char *path_to_include(const char *file)
{
    char *path = realpath(file, NULL);
    struct stat status;

    if (path == NULL || stat(path, &status) != 0)
        error_report("cannot read '%s': %s", file, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        error_report("cannot read '%s': %s", file,
                     S_ISDIR(status.st_mode) ? strerror(EISDIR) : "it is not a regular file");
    else if (strpbrk(path, "\"\n") != NULL)
        error_report("compilers cannot include '%s': rename the file or its folder, so that the "
                     "path has no '\"' and no line end",
                     path);
    else
        return path;
    free(path);
    return NULL;
}

/* Writes the files, and variables that hold the addresses of kernels and variables. Taking the
 * address instantiates a template and reveals its symbol. Returns false after an error message. */
static bool write_source(struct user_code *code, const struct user_files *files, const char *source)
{
    FILE *to = fopen(source, "w");
    char name[32];

    code->lacks_room = to == NULL;
    if (to == NULL)
        return error_report("cannot write '%s': %s", source, strerror(errno));
    for (size_t f = 0; f < files->count; f++) {
        char *path = path_to_include(files->path[f]);
        if (path == NULL) {
            fclose(to);
            return false;
        }
        fprintf(to, "#include \"%s\"\n", path);
        free(path);
    }
    fputs(pointees, to);
    for (uint32_t c = 0; c < code->launch.call_count; c++) {
        write_pointees(to, &code->launch, &code->launch.calls[c]);
        entry_name("launch", c, name);
        write_entry(to, name, "", code->launch.calls[c].kernel);
    }
    for (uint32_t a = 0; a < code->launch.array_count; a++) {
        entry_name("variable", a, name);
        if (code->launch.arrays[a].is_variable)
            write_entry(to, name, "&", code->launch.arrays[a].name);
    }
    code->lacks_room = fclose(to) != 0;
    return !code->lacks_room || error_report("cannot write '%s': %s", source, strerror(errno));
}

/* Returns whether a line of a compiler's output begins another message. */
static bool is_message(const char *line, size_t length)
{
    return length == 0 || memmem(line, length, ": error", 7) != NULL ||
           memmem(line, length, ": warning", 9) != NULL ||
           memmem(line, length, ": note", 6) != NULL;
}

/* Returns what follows the place at the start of a line: ": error: ...". */
static const char *after_place(const char *line, size_t length)
{
    const char *after = memmem(line, length, ": ", 2);

    return after != NULL ? after : line + length;
}

/* Copies a compiler's output without lines about generated code: those that name the folder, and
 * the source lines below a message about the launch. */
static void copy_output(const char *said, const char *folder, char *text, size_t size)
{
    size_t used = 0;
    bool in_launch = false;

    for (const char *line = said; *line != '\0' && used + 1 < size;) {
        size_t length = strcspn(line, "\n");
        bool starts_launch = strncmp(line, "the launch", 10) == 0;
        if (starts_launch || is_message(line, length))
            in_launch = starts_launch;
        if (starts_launch) /* "the launch(1): error: " and "the launch:1:9: error: " */
            used += (size_t)snprintf(text + used, size - used, "the launch%.*s\n",
                                     (int)(line + length - after_place(line, length)),
                                     after_place(line, length));
        else if (!in_launch && memmem(line, length, folder, strlen(folder)) == NULL)
            used += (size_t)snprintf(text + used, size - used, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    used = used < size ? used : size - 1;
    while (used > 0 && text[used - 1] == '\n')
        used--;
    text[used] = '\0';
}

bool user_code_error(const struct compiler *compiler, const struct user_files *files,
                     const char *folder, const char *said)
{
    char text[SAID] = "", names[512] = "";
    size_t used = 0;

    if (interrupt_came())
        return false;
    for (size_t f = 0; f < files->count && used < sizeof names; f++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", f > 0 ? ", " : "",
                                 files->path[f]);
    copy_output(said, folder, text, sizeof text);
    return error_report("%s cannot compile %s:\n%s", compiler->path, names, text);
}

static bool compile(struct user_code *code, const struct compiler_paths *compilers,
                    const struct user_files *files, const char *source)
{
    struct compiler compiler;
    char said[SAID];

    if (!front_end_open(compilers, code->front_end, &compiler, said, sizeof said))
        return !interrupt_came() && error_report("%s", said);
    if (build_user_ptx(&compiler, files->flags, files->flag_count, source, code->ptx, said,
                       sizeof said))
        return true;
    code->lacks_room = tool_lacks_room(said);
    return user_code_error(&compiler, files, code->folder, said);
}

/* ---- Binding ---- */

/* Checks that arguments and parameters match in number, and that pointers get arrays. Sets the type
 * of each scalar to that of its parameter. Returns false after an error message. */
static bool bind_call(struct launch_text *launch, const struct launch_call *call,
                      const struct entry *entry)
{
    if (entry->parameter_count != call->argument_count)
        return error_report("%s takes %zu argument%s, but the launch passes %u", call->kernel,
                            entry->parameter_count, entry->parameter_count == 1 ? "" : "s",
                            call->argument_count);
    for (uint32_t a = 0; a < call->argument_count; a++) {
        struct launch_argument *argument = &launch->arguments[call->first_argument + a];
        uint64_t bytes = entry->parameters[a].bytes;
        uint64_t wanted = argument->members > 0 ? argument->bytes : 8;
        if (argument->is_array || argument->members > 0 ? bytes != wanted : bytes > wanted)
            return error_report("argument %u of %s has %zu byte%s, but the launch passes %s", a + 1,
                                call->kernel, (size_t)bytes, bytes == 1 ? "" : "s",
                                argument->is_array      ? "an array"
                                : argument->members > 0 ? "a struct of another size"
                                                        : "a number");
        if (!argument->is_array && argument->members == 0 && argument->scalar.is_floating &&
            !entry->parameters[a].is_float)
            return error_report("argument %u of %s is not a float, but the launch passes one: "
                                "write {half 1.5f} if it is a half or a struct",
                                a + 1, call->kernel);
        if (argument->members == 0)
            argument->bytes = (uint32_t)bytes;
        argument->type = !entry->parameters[a].is_float ? SCALAR_INTEGER
                         : bytes == 4                   ? SCALAR_F32
                                                        : SCALAR_F64;
    }
    return true;
}

bool user_launch_bind(struct launch_text *launch, const char *ptx, const char *name)
{
    static struct entry entry;
    struct entries entries;
    char error[512];
    bool good = entries_open(ptx, &entries, error, sizeof error) &&
                entries_kernel(&entries, name, &entry, error, sizeof error);

    entries_free(&entries);
    return good ? bind_call(launch, &launch->calls[0], &entry)
                : error_report("%s: %s", launch->calls[0].kernel, error);
}

static bool bind_all(struct user_code *code, const struct entries *entries)
{
    static struct entry entry;
    struct launch_text *launch = &code->launch;
    char error[512], name[32], symbol[512];
    uint64_t bytes;

    for (uint32_t c = 0; c < launch->call_count; c++) {
        struct launch_call *call = &launch->calls[c];
        entry_name("launch", c, name);
        if (!entries_kernel(entries, name, &entry, error, sizeof error))
            return error_report("%s: %s", call->kernel, error);
        memcpy(call->symbol, entry.symbol, sizeof call->symbol);
        if (!bind_call(launch, call, &entry))
            return false;
    }
    for (uint32_t a = 0; a < launch->array_count; a++) {
        struct launch_array *array = &launch->arrays[a];
        entry_name("variable", a, name);
        if (!array->is_variable)
            continue;
        if (!entries_variable(entries, name, symbol, &bytes) ||
            strlen(symbol) >= sizeof array->symbol)
            return error_report(
                "the launch passes %s to no kernel, and the code has no variable of that name",
                array->name);
        strcpy(array->symbol, symbol);
    }
    return true;
}

/* Adds the initial values of variables to the launch. On a GPU variables keep what kernels wrote,
 * and each case must start from the values in the code. */
static bool add_state(struct launch_text *launch, const struct entries *entries)
{
    const char *symbol;
    uint64_t bytes;

    for (size_t k = 0; (symbol = entries_state(entries, k, &bytes)) != NULL; k++) {
        struct launch_array *array = &launch->arrays[launch->array_count];
        bool is_known = false;
        for (uint32_t a = 0; a < launch->array_count; a++)
            is_known = is_known || strcmp(launch->arrays[a].symbol, symbol) == 0;
        if (is_known)
            continue;
        if (launch->array_count == MAX_BUFFERS || strlen(symbol) >= sizeof array->symbol)
            return error_report(
                "the launch and the code have more than %d arrays and variables together",
                MAX_BUFFERS);
        *array = (struct launch_array){.role = ROLE_INITIAL,
                                       .element = ELEMENT_I8,
                                       .lanes = 1,
                                       .count = {1, {{'k', (int64_t)bytes}}},
                                       .low = {1, {{'k', 0}}},
                                       .high = {1, {{'k', 0}}},
                                       .is_variable = true};
        snprintf(array->name, sizeof array->name, "%.31s", symbol);
        snprintf(array->symbol, sizeof array->symbol, "%s", symbol);
        launch->array_count++;
    }
    return true;
}

static bool write_list(const char *path, const struct launch_text *launch)
{
    FILE *to = fopen(path, "wb");
    bool good = to != NULL && launch_catalogue_write(to, launch);

    if (to != NULL)
        good = fclose(to) == 0 && good;
    return good || error_report("cannot write '%s': %s", path, strerror(errno));
}

/* Writes the lists of launches for the workers. The driver finds kernels by symbol, and the
 * simulator finds them by entry. */
static bool write_lists(struct user_code *code, const struct entries *entries)
{
    struct launch_text *on_gpu = malloc(sizeof *on_gpu);
    bool good = on_gpu != NULL;

    if (good) {
        *on_gpu = code->launch;
        good = (!code->on_gpu || add_state(on_gpu, entries)) && write_list(code->cuda_list, on_gpu);
    }
    free(on_gpu);
    for (uint32_t c = 0; c < code->launch.call_count; c++)
        entry_name("launch", c, code->launch.calls[c].symbol);
    good = good && write_list(code->list, &code->launch);
    code->lacks_room = !good;
    return good;
}

static bool bind_ptx(struct user_code *code)
{
    struct entries entries;
    char error[512];
    bool good = entries_open(code->ptx, &entries, error, sizeof error) || error_report("%s", error);

    good = good && bind_all(code, &entries) && write_lists(code, &entries);
    entries_free(&entries);
    return good;
}

/* ---- user_code.h ---- */

bool user_code_start(struct user_code *code)
{
    if (!tool_make_folder("check", code->folder)) {
        error_report("cannot make a folder '%s': %s", code->folder, strerror(errno));
        code->folder[0] = '\0';
        code->lacks_room = true;
        return false;
    }
    snprintf(code->ptx, USER_PATH, "%s/launch.ptx", code->folder);
    snprintf(code->list, USER_PATH, "%s/launch", code->folder);
    snprintf(code->cuda_list, USER_PATH, "%s/launch-cuda", code->folder);
    return true;
}

int user_code_status(const struct user_code *code)
{
    return code->lacks_room ? EXIT_ENVIRONMENT : EXIT_USAGE;
}

bool user_code_build(struct user_code *code, const struct compiler_paths *compilers,
                     const struct user_files *files)
{
    char source[USER_PATH];

    snprintf(source, sizeof source, "%s/launch.cu", code->folder);
    return write_source(code, files, source) && compile(code, compilers, files, source) &&
           bind_ptx(code);
}

void user_code_remove(const struct user_code *code)
{
    if (!tool_remove_folder(code->folder))
        error_report("cannot remove '%s': %s", code->folder, strerror(errno));
}

void user_code_use(const struct user_code *code, struct session *session)
{
    session->code[ENGINE_SIM] = (struct code_files){code->ptx, code->list};
    session->code[ENGINE_CUDA] = (struct code_files){code->ptx, code->cuda_list};
}
