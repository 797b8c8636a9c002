/* SPDX-License-Identifier: MIT */
#include "user_code.h"

#include "accept.h"
#include "build.h"
#include "clang.h"
#include "code_arguments.h"
#include "declarations.h"
#include "entry.h"
#include "entry_variable.h"
#include "error_report.h"
#include "interrupt.h"
#include "launch_catalogue.h"
#include "ptx_pieces.h"
#include "reader.h"
#include "source_path.h"
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

bool user_launch_read(const char *text, const struct size_names *sizes, struct launch_text *launch)
{
    char error[256];
    size_t column;

    if (launch_parse(text, sizes, launch, &column, error, sizeof error))
        return read_files(launch);
    return error_report("column %zu of the launch: %s\n    %s\n    %*s^", column, error, text,
                        (int)column - 1, "");
}

/* ---- Compiling ---- */

enum {
    SAID = 16384,    /* bytes of a compiler's output */
    SHOWN_LINES = 15 /* of it; the message that has the last one is shown whole */
};

/* The name of the text between the user's files and the launch, for compilers. */
#define OWN_TEXT "the end of the files"

/* Writes the name of an entry in the loaded code: "launch0_1" for kernel 1 of the first launch
 * text, and so on for variables and constants. */
static void entry_name(const char *what, uint32_t place, uint32_t number, char name[48])
{
    snprintf(name, 48, "%s%u_%u", what, place, number);
}

static void write_entry(FILE *to, const char *name, const char *address)
{
    fprintf(to,
            "#line 1 \"the launch\"\nextern \"C\" {\n#line 1 \"the launch\"\n__device__ "
            "__attribute__((used)) const void *" ENTRY_VARIABLE "%s = (const void *)(%s);\n}\n",
            name, address);
}

/* Writes a constant that expressions name: as an integer, what kind of number it is, and as a
 * float. */
static void write_constant(FILE *to, const char *name, const char *term)
{
    char kind[TERM_TEXT + 64];

    snprintf(kind, sizeof kind, "simt_kind<decltype(simt_decayed(%s))>::is", term);
    fprintf(to,
            "extern \"C\" {\n#line 1 \"the launch\"\n__device__ __attribute__((used)) long "
            "long " ENTRY_VARIABLE "%s[2] = {simt_number_of<%s>::integer(%s), %s};\n"
            "#line 1 \"the launch\"\n__device__ __attribute__((used)) double " ENTRY_VARIABLE
            "float_%s = "
            "simt_number_of<%s>::floating(%s);\n}\n",
            name, kind, term, kind, name, kind, term);
}

/* The size of what a kernel's parameter points to. 0 means that it is not a pointer to numbers;
 * this includes pointers to bytes, which may hold anything. The text is C++11 and includes no
 * header, because a macro of the user's files may break one. */
static const char pointees[] =
    "template <typename Wanted> Wanted simt_type(Wanted, int);\n"
    "template <typename Wanted, typename... Types>\n"
    "void (*simt_type(void (*)(Types...), long))(Types...);\n"
    "template <typename Type> struct simt_number { enum { bytes = 0 }; };\n"
    "template <typename Type> struct simt_number<const Type> : simt_number<Type> {};\n"
    "template <typename Type> struct simt_number<volatile Type> : simt_number<Type> {};\n"
    "template <typename Type> struct simt_number<const volatile Type> : simt_number<Type> {};\n"
    "#define SIMT_NUMBER(type) template <> struct simt_number<type> { enum { bytes = sizeof(type) "
    "}; };\n"
    "SIMT_NUMBER(short) SIMT_NUMBER(unsigned short) SIMT_NUMBER(int) SIMT_NUMBER(unsigned int)\n"
    "SIMT_NUMBER(long) SIMT_NUMBER(unsigned long) SIMT_NUMBER(long long)\n"
    "SIMT_NUMBER(unsigned long long) SIMT_NUMBER(float) SIMT_NUMBER(double)\n"
    "struct __half; struct __nv_bfloat16;\n"
    "template <> struct simt_number<__half> { enum { bytes = 2 }; };\n"
    "template <> struct simt_number<__nv_bfloat16> { enum { bytes = 2 }; };\n"
    "template <typename Type> struct simt_pointee { enum { is = 0, to_pointer = 0, bytes = 0, row "
    "= 0 }; };\n"
    "template <typename Type> struct simt_pointee<Type *const> : simt_pointee<Type *> {};\n"
    "template <typename Type> struct simt_pointee<Type *> {\n"
    "    enum { is = 1, to_pointer = simt_pointee<Type>::is, bytes = simt_number<Type>::bytes,\n"
    "           row = simt_pointee<Type>::bytes };\n"
    "};\n"
    "template <typename Type> struct simt_structs { enum { bytes = 0 }; };\n"
    "template <typename Type> struct simt_structs<Type *> { enum { bytes = sizeof(Type) }; };\n"
    "template <unsigned int number, typename... Types> struct simt_parameter\n"
    "{ typedef int type; enum { is = 0, to_pointer = 0, bytes = 0, row = 0 }; };\n"
    "template <typename Type, typename... Types> struct simt_parameter<0, Type, Types...>\n"
    "    : simt_pointee<Type> { typedef Type type; };\n"
    "template <unsigned int number, typename Type, typename... Types>\n"
    "struct simt_parameter<number, Type, Types...> : simt_parameter<number - 1, Types...> {};\n"
    "template <unsigned int number, typename Kernel> struct simt_points\n"
    "{ typedef int type; enum { is = 0, to_pointer = 0, bytes = 0, row = 0 }; };\n"
    "template <unsigned int number, typename... Types>\n"
    "struct simt_points<number, void (*)(Types...)> : simt_parameter<number, Types...> {};\n";

static bool is_zero(const struct launch_argument *argument)
{
    return expression_is_constant(&argument->value, 0);
}

/* Writes a static assertion about the pointer of that argument. `points` is its simt_points<...>.
 */
static void write_array_check(FILE *to, const struct launch_array *array, const char *points,
                              const char *what)
{
    size_t bytes = element_size(array->type.element);

    fprintf(to, "#line 1 \"the launch\"\nstatic_assert(");
    if (array->has_pointers)
        fprintf(
            to,
            "%s::is == 0 || (%s::to_pointer && (%s::row == 0 || %s::row == %zu)), \"%s does "
            "not point to pointers to elements of %zu bytes, as the launch's array %s has\");\n",
            points, points, points, points, bytes, what, bytes, array->name);
    else
        fprintf(
            to,
            "!%s::to_pointer || %d, \"%s points to pointers: declare an array of pointers to "
            "rows, such as *%s[4][n]\");\n#line 1 \"the launch\"\nstatic_assert(%s::bytes == 0 || "
            "%s::bytes == %zu, \"%s does not point to elements of %zu bytes, as the launch's "
            "array %s has\");\n",
            points, array->type.element == ELEMENT_I64, what, array->name, points, points, bytes,
            what, bytes, array->name);
}

static bool is_of_structs(const struct launch_text *launch, const struct launch_argument *argument)
{
    const struct launch_array *array = &launch->arrays[argument->array % MAX_ARRAYS];

    return argument->is_array && array->members > 0 && !array->has_pointers;
}

/* Writes static assertions, because only the compiler knows the parameters. The element size of an
 * array must match what its parameter points to. A number must not be passed to a pointer. The size
 * of structs becomes a constant, because that of tensor maps depends on the toolkit. */
static void write_pointees(FILE *to, const struct launch_text *launch,
                           const struct launch_call *call, const char *address,
                           struct memory *memory)
{
    for (uint32_t a = 0; a < call->argument_count; a++) {
        const struct launch_argument *argument = &launch->arguments[call->first_argument + a];
        uint32_t name = launch_constant(launch, argument);
        char term[TERM_TEXT] = "1", entry[48];
        const char *points = memory_text(memory, "simt_points<%u, decltype(%s)>", a, address),
                   *what = memory_text(memory, "argument %u of %s", a + 1, call->kernel);
        if (argument->is_view)
            fprintf(to,
                    "#line 1 \"the launch\"\nstatic_assert(%s::is == 0, \"%s is a pointer, but the "
                    "launch passes a texture or surface object\");\n",
                    points, what);
        if (argument->members > 0 || argument->is_map || (!argument->is_array && is_zero(argument)))
            continue;
        if (name < MAX_NAMES)
            code_argument_term(launch, name, term);
        if (is_of_structs(launch, argument)) {
            entry_name("structs", launch->place, (uint32_t)(argument - launch->arguments), entry);
            write_constant(to, entry, memory_text(memory, "simt_structs<%s::type>::bytes", points));
        } else if (argument->is_array)
            write_array_check(to, &launch->arrays[argument->array], points, what);
        else
            fprintf(to,
                    "#line 1 \"the launch\"\nstatic_assert(%s::is == 0 || "
                    "simt_kind<decltype(simt_decayed(%s))>::is == 2, \"%s is a pointer, but the "
                    "launch passes a number: give an array, or 0\");\n",
                    points, term, what);
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

/* Writes the files, and reads what their text declares. Returns false after an error message. */
static bool write_includes(FILE *to, const struct user_files *files,
                           struct declarations *declarations)
{
    for (size_t f = 0; f < files->count; f++) {
        char *path = path_to_include(files->path[f]);
        bool good =
            path != NULL && declarations_read(declarations, path, files->flags, files->flag_count);
        if (good)
            fprintf(to, "#include \"%s\"\n", path);
        else if (path != NULL)
            error_report("cannot read '%s': %s", files->path[f], strerror(errno));
        free(path);
        if (!good)
            return false;
    }
    return true;
}

/* Writes variables that hold the addresses of kernels and variables, and the constants of the
 * launch. Taking the address instantiates a template and reveals its symbol. Adds default arguments
 * to the launch. `hint` is as for declarations_resolve(). */
static void write_entries(FILE *to, struct launch_text *launch, uint32_t place,
                          struct declarations *declarations, char hint[HINT_SIZE])
{
    char name[48], variable[80];

    launch->place = place;
    code_arguments_write_lambdas(to, launch);
    for (uint32_t c = 0; c < launch->call_count; c++) {
        const char *address = declarations_resolve(declarations, launch, c, hint, HINT_SIZE);
        write_pointees(to, launch, &launch->calls[c], address, &declarations->memory);
        code_arguments_write(to, launch, c, address, &declarations->memory);
        entry_name("launch", place, c, name);
        write_entry(to, name, address);
    }
    for (uint32_t a = 0; a < launch->array_count; a++) {
        entry_name("variable", place, a, name);
        snprintf(variable, sizeof variable, "&%s", launch->arrays[a].name);
        if (launch->arrays[a].is_variable)
            write_entry(to, name, variable);
    }
    for (uint32_t k = 0; k < launch->names.count; k++) {
        char term[TERM_TEXT];
        entry_name("constant", place, k, name);
        code_argument_term(launch, k, term);
        if (launch->name[k].kind == NAME_CONSTANT && !code_argument_is_lambda(launch, k))
            write_constant(to, name, term);
    }
}

/* Returns whether the launch names B, and not the B of the code. */
static bool needs_block(const struct launch_text *launch)
{
    for (uint32_t k = 0; k < launch->names.count; k++)
        if (strstr(launch->names.name[k].text, "::B") != NULL)
            return false;
    return launch_has(launch, VARIABLE_B);
}

/* Declares B, because the code's own B would silently mean something else in a launch. It fails if
 * the code has a macro, variable, function or enumerator of that name. */
static void write_block_name(FILE *to)
{
    fputs("#line 1 \"the launch\"\n#ifdef B\n#error the code defines \"B\"\n#endif\n"
          "#line 1 \"the launch\"\nenum { B };\n",
          to);
}

/* Writes the entries of the code's launch, and of those that are compiled with it. */
static void write_all_entries(FILE *to, struct user_code *code, const struct user_files *files,
                              struct declarations *declarations)
{
    struct memory memory = {NULL};
    struct launch_text *other = memory_take(&memory, sizeof *other);
    bool has_block = needs_block(&code->launch);
    char ignored[HINT_SIZE];

    fputs("#line 1 \"" OWN_TEXT "\"\nnamespace simt_end {} template <int> struct simt_end_;\n", to);
    fputs(pointees, to);
    fputs(code_arguments_text, to);
    for (uint32_t place = 0; place < files->together_count; place++) {
        bool is_own = place == code->place;
        *other = *files->together[place]; /* the declarations complete it */
        has_block = has_block || needs_block(other);
        write_entries(to, is_own ? &code->launch : other, place, declarations,
                      is_own ? code->hint : ignored);
    }
    if (files->together_count == 0)
        write_entries(to, &code->launch, code->place, declarations, code->hint);
    if (has_block)
        write_block_name(to);
    memory_free(&memory);
}

/* Writes what the compiler gets. Returns false after an error message. */
static bool write_source(struct user_code *code, const struct user_files *files, const char *source)
{
    struct declarations declarations = {.all = {NULL, 0}};
    FILE *to = fopen(source, "w");
    bool good;

    code->lacks_room = to == NULL;
    if (to == NULL)
        return error_report("cannot write '%s': %s", source, strerror(errno));
    good = write_includes(to, files, &declarations);
    write_all_entries(to, code, files, &declarations);
    declarations_free(&declarations);
    code->lacks_room = fclose(to) != 0;
    return code->lacks_room ? error_report("cannot write '%s': %s", source, strerror(errno)) : good;
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

static bool starts_with(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* Returns whether a '{' is open at the end of the files. Compilers say so at the end of the whole
 * text, or reject the first line after the files. */
static bool is_open_at_end(const char *said)
{
    for (const char *line = said; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (starts_with(line, "At end of source: error: expected a \"}\"") ||
            starts_with(line, OWN_TEXT "(1): error: ") || starts_with(line, OWN_TEXT ":1:") ||
            (starts_with(line, "the launch:") &&
             memmem(line, strcspn(line, "\n"), ": error: expected '}'", 21) != NULL))
            return true;
    }
    return false;
}

/* Says what is wrong if all errors are in generated code. */
static void describe_hidden(const char *said, char *text, size_t size)
{
    const char *error = strstr(said, ": error");

    if (is_open_at_end(said))
        snprintf(text, size,
                 "a '{' of the code or of its headers is not closed, or a ')' or ';' is missing at "
                 "its end");
    else if (text[0] == '\0' && error != NULL)
        snprintf(text, size, "a macro or name of the code breaks what simtcheck adds to it%.*s",
                 (int)strcspn(error + 7, "\n"), error + 7);
}

/* Copies a compiler's output without lines about generated code. These name the folder, or the text
 * between the files and the launch, or are source lines below a message about the launch. If a '{'
 * is open, messages about the launch are left out, too. */
static void copy_output(const char *said, const char *folder, char *text, size_t size)
{
    size_t used = 0, lines = 0;
    bool is_open = is_open_at_end(said), in_own = false, is_hidden = false;

    text[0] = '\0';
    for (const char *line = said; *line != '\0' && used + 1 < size; lines++) {
        size_t length = strcspn(line, "\n");
        bool starts_launch = starts_with(line, "the launch");
        bool starts_own =
            starts_launch || starts_with(line, OWN_TEXT) || starts_with(line, "At end of source");
        const char *after = after_place(line, length);
        if (starts_own || is_message(line, length)) {
            if (lines >= SHOWN_LINES && used > 0)
                break;
            in_own = starts_own;
        }
        if (memmem(line, length, ": error", 7) != NULL) /* the text names a kernel several times */
            is_hidden = starts_own && (!starts_launch || is_open ||
                                       memmem(text, used, after, (size_t)(line + length - after)));
        if (starts_launch &&
            !is_hidden) /* "the launch(1): error: " and "the launch:1:9: error: " */
            used += (size_t)snprintf(text + used, size - used, "the launch%.*s\n",
                                     (int)(line + length - after), after);
        else if (!in_own && !is_hidden && memmem(line, length, folder, strlen(folder)) == NULL)
            used += (size_t)snprintf(text + used, size - used, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    used = used < size ? used : size - 1;
    while (used > 0 && text[used - 1] == '\n')
        used--;
    text[used] = '\0';
    if (strstr(text, ": error") == NULL)
        describe_hidden(said, text, size);
}

/* Returns whether the first line of an error contains the word. */
static bool is_in_error(const char *text, const char *word)
{
    bool found = false;

    for (const char *line = text; !found && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        found = memmem(line, length, ": error", 7) != NULL &&
                memmem(line, length, word, strlen(word)) != NULL;
        line += length + (line[length] == '\n');
    }
    return found;
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
    return error_report(
        "%s cannot compile %s:\n%s%s%s", compiler->path, names, text,
        is_in_error(text, "cudaThreadSynchronize")
            ? "\nnewer toolkits lack cudaThreadSynchronize(): add "
              "'-- -DcudaThreadSynchronize=cudaDeviceSynchronize'"
            : "",
        strstr(text, "the launch: error") != NULL &&
                (strstr(text, "undefined") != NULL || strstr(text, "undeclared") != NULL)
            ? "\nthe launch may use names of the code, and sizes: n; nx and ny (n is then nx * "
              "ny); "
              "or those that get values, as in --size rows=1-33,cols=100"
            : "");
}

/* Prints a launch that the compiler may accept, if there is one. Returns false. */
static bool give_hint(const struct user_code *code)
{
    return code->hint[0] != '\0' && !interrupt_came() && error_report("%s", code->hint);
}

/* Writes the first error of a compiler's output as "my.cu:12: text", without the column. */
static void first_error(const char *said, const char *folder, char *error, size_t size)
{
    static const char word[] = "error: ";
    char text[SAID], file[USER_PATH], shown[USER_PATH], *start, *line;
    int number;

    copy_output(said, folder, text, sizeof text);
    start = strstr(text, word);
    line = start;
    while (line != NULL && line > text && line[-1] != '\n')
        line--;
    if (line == NULL)
        line = text;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%511[^:(]%*1[:(]%d", file, &number) != 2) {
        error_write(error, size, "%s", line[0] != '\0' ? line : "it printed no error");
        return;
    }
    source_path_shorten(file, shown, sizeof shown);
    error_write(error, size, "%s:%d: %s", shown, number, start + sizeof word - 1);
}

static bool compile(struct user_code *code, const struct compiler_paths *compilers,
                    const struct user_files *files, const char *source, bool reports)
{
    struct compiler compiler;
    char said[SAID];

    if (!front_end_open(compilers, code->front_end, &compiler, said, sizeof said))
        return !interrupt_came() && error_report("%s", said);
    if (build_user_ptx(&compiler, files->flags, files->flag_count, source, code->ptx, said,
                       sizeof said)) {
        code->lacks_room = !ptx_keep_named(code->ptx, said, sizeof said);
        return !code->lacks_room || error_report("%s", said);
    }
    code->lacks_room = tool_lacks_room(said);
    if (!reports || interrupt_came())
        return false;
    if (code->is_optional && !code->lacks_room) {
        snprintf(code->rejection.what, USER_PATH, "%s cannot compile '%s'",
                 front_end_names[code->front_end], files->path[0]);
        first_error(said, code->folder, code->rejection.reason, USER_PATH);
        return false;
    }
    user_code_error(&compiler, files, code->folder, said);
    if (launch_has(&code->launch, VARIABLE_B) &&
        (strstr(said, "\"B\"") != NULL || strstr(said, "'B'") != NULL))
        error_report("B means the threads of a block in a launch, but the code has a B, too: write "
                     "::B for that one, or a number");
    return give_hint(code);
}

/* ---- Binding ---- */

/* Lays out a struct with the alignment of tensor maps that gives it this size, if there is one.
 * Then all offsets are right: what a padding moves in one of the layouts is at least 64 bytes
 * further there, up to the end of the struct. Returns the size. */
static uint32_t lay_out(struct launch_text *launch, uint32_t first, uint32_t members,
                        uint64_t wanted)
{
    uint32_t bytes = launch_lay_out(launch, first, members, MAP_BYTES / 2);

    return bytes == wanted ? bytes : launch_lay_out(launch, first, members, MAP_BYTES);
}

/* Returns whether each member is an element of that size, such as each of several textures. */
static bool is_list(const struct launch_text *launch, const struct launch_array *array,
                    uint64_t size)
{
    const struct launch_member *member = &launch->members[array->first];
    uint32_t m = 0;

    while (m < array->members && member[m].count == 1 &&
           (member[m].is_map ? MAP_BYTES : element_size(member[m].element)) == size)
        m++;
    return m == array->members;
}

/* Checks the size of the structs to which an argument points. Returns false after an error message.
 */
static bool bind_structs(struct launch_text *launch, const struct launch_call *call,
                         uint32_t number, const struct entries *entries)
{
    uint32_t k = call->first_argument + number;
    struct launch_array *array = &launch->arrays[launch->arguments[k].array];
    int64_t size[2];
    char name[48];

    entry_name("structs", launch->place, k, name);
    if (entries_contents(entries, name, size, sizeof size)) {
        array->bytes = lay_out(launch, array->first, array->members, (uint64_t)size[0]);
        return array->bytes == size[0] || is_list(launch, array, (uint64_t)size[0]) ||
               error_report("argument %u of %s does not point to structs of %u bytes, as the "
                            "launch's array %s has",
                            number + 1, call->kernel, array->bytes, array->name);
    }
    array->bytes = launch_lay_out(launch, array->first, array->members, MAP_BYTES);
    return launch_lay_out(launch, array->first, array->members, MAP_BYTES / 2) == array->bytes ||
           error_report("PTX does not say whether a CUtensorMap begins at a multiple of 64 or of "
                        "128 bytes: in PTX, a struct of the array %s has tensor maps only",
                        array->name);
}

/* Checks that arguments and parameters match in number, and that pointers get arrays. Sets the type
 * of each scalar to that of its parameter. Returns false after an error message. */
static bool bind_call(struct launch_text *launch, const struct launch_call *call,
                      const struct entry *entry, const struct entries *entries)
{
    if (entry->parameter_count != call->argument_count)
        return error_report("%s takes %zu argument%s, but the launch passes %u", call->kernel,
                            entry->parameter_count, entry->parameter_count == 1 ? "" : "s",
                            call->argument_count);
    for (uint32_t a = 0; a < call->argument_count; a++) {
        struct launch_argument *argument = &launch->arguments[call->first_argument + a];
        uint64_t bytes = entry->parameters[a].bytes, wanted = argument->is_map ? MAP_BYTES : 8;
        if (argument->members > 0)
            wanted = argument->bytes = lay_out(launch, argument->first, argument->members, bytes);
        if (is_of_structs(launch, argument) && !bind_structs(launch, call, a, entries))
            return false;
        if (!code_argument_bind(launch, argument, entries, bytes))
            return error_report("argument %u of %s has %zu byte%s, but '%s' has another size: give "
                                "an object of the parameter's type",
                                a + 1, call->kernel, (size_t)bytes, bytes == 1 ? "" : "s",
                                launch->names.name[launch_constant(launch, argument)].text);
        if (argument->given[0] != '\0')
            continue;
        if (argument->is_map && bytes != wanted)
            return error_report("argument %u of %s has %zu byte%s, but the launch passes a tensor "
                                "map: declare the parameter const __grid_constant__ CUtensorMap",
                                a + 1, call->kernel, (size_t)bytes, bytes == 1 ? "" : "s");
        if (argument->is_array || argument->is_view || argument->members > 0 ? bytes != wanted
                                                                             : bytes > wanted)
            return error_report("argument %u of %s has %zu byte%s, but the launch passes %s", a + 1,
                                call->kernel, (size_t)bytes, bytes == 1 ? "" : "s",
                                argument->is_array      ? "an array"
                                : argument->is_view     ? "a texture or surface object"
                                : argument->members > 0 ? "a struct of another size"
                                                        : "a number");
        if (!argument->is_array && !argument->is_map && argument->members == 0 &&
            !entry->parameters[a].is_float && launch_is_floating(launch, &argument->value))
            return error_report("argument %u of %s is not a float, but the launch passes one: cast "
                                "it, as in (int)2.5f, or write {half 2.5f} if it is a half",
                                a + 1, call->kernel);
        if (argument->members == 0)
            argument->bytes = (uint32_t)bytes;
        argument->type = !entry->parameters[a].is_float ? SCALAR_INTEGER
                         : bytes == 4                   ? SCALAR_F32
                                                        : SCALAR_F64;
    }
    return true;
}

/* Takes the values of the launch's constants. */
static bool bind_constants(struct user_code *code, const struct entries *entries)
{
    struct launch_text *launch = &code->launch;
    enum { NO_NUMBER = 2 }; /* as in code_arguments_text */
    static const enum number_kind kinds[] = {NUMBER_INTEGER, NUMBER_FLOATING, NUMBER_NONE};

    for (uint32_t k = 0; k < launch->names.count; k++) {
        char name[48];
        int64_t whole[2];
        double floating;
        if (launch->name[k].kind != NAME_CONSTANT)
            continue;
        if (code_argument_is_lambda(launch, k) && code->is_ptx)
            return error_report("a lambda cannot be an argument of PTX, because nothing compiles "
                                "it: check the CUDA source");
        if (code_argument_is_lambda(launch, k))
            continue;
        entry_name("constant", code->place, k, name);
        if (!entries_contents(entries, name, whole, sizeof whole))
            return error_report(
                "'%s' is neither a size nor a constant of the code: give it values, "
                "as in --size %s=1-100",
                launch->names.name[k].text, launch->names.name[k].text);
        entry_name("float_constant", code->place, k, name);
        if (!entries_contents(entries, name, &floating, sizeof floating))
            floating = (double)whole[0];
        launch->name[k].value = (struct number){kinds[whole[1] % 3], whole[0], floating};
        if (whole[1] == NO_NUMBER && launch_computes_with(launch, k))
            return error_report("'%s' is no number: it can only be an argument, alone",
                                launch->names.name[k].text);
    }
    return true;
}

/* Checks the size of a variable that the launch sets, unless it depends on the size of a case.
 * Returns false after an error message. */
static bool has_size_of_variable(const struct launch_text *launch, const struct launch_array *array,
                                 uint64_t bytes)
{
    struct number variables[VARIABLES];
    uint64_t whole =
        array->members > 0 ? array->bytes : element_size(array->type.element) * array->type.lanes;
    int64_t count;

    if (array->is_opaque) /* the variable holds a handle */
        return bytes == 8 ||
               error_report("%s is a texture or surface, but the variable of the code "
                            "has %zu bytes, and a handle has 8",
                            array->name, (size_t)bytes);

    for (uint32_t v = 0; v < VARIABLES; v++)
        variables[v] = (struct number){NUMBER_NONE, 0, 0};
    for (uint32_t k = 0; k < launch->names.count; k++)
        if (launch->name[k].kind == NAME_CONSTANT)
            variables[VARIABLE_OWN + k] = launch->name[k].value;
    return !expression_value(&array->count, variables, &count) ||
           (uint64_t)count * whole == bytes ||
           error_report("the launch gives %s %lld elements of %zu bytes, but the variable of the "
                        "code has %zu bytes, which are %.6g elements",
                        array->name, (long long)count, (size_t)whole, (size_t)bytes,
                        (double)bytes / (double)whole);
}

static bool bind_all(struct user_code *code, const struct entries *entries)
{
    struct entry entry;
    struct launch_text *launch = &code->launch;
    char error[512], name[48];
    uint64_t bytes;

    if (!bind_constants(code, entries))
        return false;
    for (uint32_t c = 0; c < launch->call_count; c++) {
        struct launch_call *call = &launch->calls[c];
        entry_name("launch", code->place, c, name);
        if (code->is_ptx
                ? !entries_kernel_of_ptx(entries, call->kernel, &entry, error, sizeof error)
                : !entries_kernel(entries, name, &entry, error, sizeof error))
            return error_report("%s: %s", call->kernel, error);
        call->symbol = entry.symbol;
        if (!bind_call(launch, call, &entry, entries))
            return give_hint(code);
    }
    for (uint32_t a = 0; a < launch->array_count; a++) {
        struct launch_array *array = &launch->arrays[a];
        entry_name("variable", code->place, a, name);
        if (!array->is_variable)
            continue;
        array->symbol = entries_variable(entries, code->is_ptx ? array->name : name, &bytes);
        if (array->symbol == NULL)
            return error_report(
                "the launch passes %s to no kernel, and the code has no variable of that name",
                array->name);
        if (!has_size_of_variable(launch, array, bytes))
            return false;
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
        if (launch->array_count == MAX_ARRAYS)
            return error_report(
                "the launch and the code have more than %d arrays and variables together",
                MAX_ARRAYS);
        *array = (struct launch_array){.role = ROLE_INITIAL,
                                       .type = {ELEMENT_I8, 1, false, false},
                                       .count = expression_constant((int64_t)bytes),
                                       .low = expression_constant(0),
                                       .high = expression_constant(0),
                                       .is_variable = true,
                                       .symbol = kept_text(symbol, strlen(symbol))};
        snprintf(array->name, sizeof array->name, "%.31s", symbol);
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
        good = !code->on_gpu || add_state(on_gpu, entries);
        code->lacks_room = good && !write_list(code->cuda_list, on_gpu);
        good = good && !code->lacks_room;
    }
    free(on_gpu);
    for (uint32_t c = 0; c < code->launch.call_count && !code->is_ptx; c++) {
        char name[48];
        entry_name("launch", code->place, c, name);
        code->launch.calls[c].symbol = kept_text(name, strlen(name));
    }
    if (!good)
        return false;
    code->lacks_room = !user_code_write_list(code);
    return !code->lacks_room;
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

bool user_files_are_ptx(const struct user_files *files)
{
    return files->count > 0 && build_is_ptx(files->path[0]);
}

/* Takes the user's PTX. It is read once, because the file may change during the check. Returns
 * false after an error message. */
static bool take_ptx(struct user_code *code, const struct user_files *files)
{
    const char *file = files->path[0];
    char said[1024] = "";

    if (files->taken != NULL) {
        snprintf(code->ptx, USER_PATH, "%s", files->taken);
        return true;
    }
    if (files->count > 1)
        return error_report("'%s' is PTX: give no other file with it", file);
    return build_take_ptx(file, code->ptx, said, sizeof said) ||
           error_report("cannot read '%s': %s", file, said);
}

bool user_code_build(struct user_code *code, const struct compiler_paths *compilers,
                     const struct user_files *files)
{
    struct user_files alone = *files;
    char source[USER_PATH];

    code->is_ptx = user_files_are_ptx(files);
    if (code->is_ptx)
        return take_ptx(code, files) && bind_ptx(code);
    snprintf(source, sizeof source, "%s/launch.cu", code->folder);
    if (files->together_count > 0 && !files->is_apart[code->front_end]) {
        if (!write_source(code, files, source))
            return false;
        if (compile(code, compilers, files, source, false))
            return bind_ptx(code);
        files->is_apart[code->front_end] =
            true; /* one of the launches is wrong, perhaps another one */
    }
    alone.together_count = 0;
    return write_source(code, &alone, source) && compile(code, compilers, &alone, source, true) &&
           bind_ptx(code);
}

bool user_code_write_list(const struct user_code *code)
{
    return write_list(code->list, &code->launch);
}

bool user_code_decode(struct user_code *code, char *error, size_t error_size)
{
    const char *const path = code->ptx;

    if (code->decoded == NULL)
        code->decoded = decode_open(&path, 1, error, error_size);
    return code->decoded != NULL;
}

void user_code_remove(struct user_code *code)
{
    decode_close(code->decoded);
    code->decoded = NULL;
    if (!tool_remove_folder(code->folder))
        error_report("cannot remove '%s': %s", code->folder, strerror(errno));
}

void user_code_use(const struct user_code *code, struct session *session)
{
    session->code[ENGINE_SIM] = (struct code_files){code->ptx, code->list};
    session->code[ENGINE_CUDA] = (struct code_files){code->ptx, code->cuda_list};
}
