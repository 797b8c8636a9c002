/* SPDX-License-Identifier: MIT
 *
 * This file reads a module statement by statement, as the PTX ISA document describes them. In a
 * function, a statement is a directive, a label, a brace, or an instruction up to its semicolon. It
 * rejects whatever it does not know by name, because that might be an unknown kind of access.
 */
#include "ptx_delays.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    MIN_TARGET = 70, /* nanosleep */
    MIN_VERSION = 6,
    MAX_VERSION = 9,
    MAX_WORD = 64,
};

/* Instructions that do not access memory shared between threads, or access it only at a barrier. */
static const char *const harmless[] = {
    "abs",          "activemask", "add",      "addc",   "and",      "bar",     "barrier",
    "bfe",          "bfi",        "bfind",    "bmsk",   "bra",      "brev",    "brkpt",
    "brx",          "call",       "clz",      "cnot",   "copysign", "cos",     "cvt",
    "cvta",         "div",        "dp2a",     "dp4a",   "ex2",      "exit",    "fence",
    "fma",          "fns",        "isspacep", "lg2",    "lop3",     "mad",     "mad24",
    "madc",         "match",      "max",      "membar", "min",      "mov",     "mul",
    "mul24",        "nanosleep",  "neg",      "not",    "or",       "pmevent", "popc",
    "prefetch",     "prefetchu",  "prmt",     "rcp",    "redux",    "rem",     "ret",
    "rsqrt",        "sad",        "selp",     "set",    "setp",     "shf",     "shfl",
    "shl",          "shr",        "sin",      "slct",   "sqrt",     "sub",     "subc",
    "szext",        "tanh",       "testp",    "trap",   "vote",     "xor",     "applypriority",
    "createpolicy",
};

/* Accesses, and the parts that may follow their names besides the state space and types. */
static const char *const accesses[] = {"ld", "ldu", "st", "atom", "red"};

/* Directives inside functions, up to their semicolon. */
static const char *const directives[] = {
    ".reg", ".param", ".local", ".shared", ".pragma", ".align", ".branchtargets", ".callprototype",
};

struct reader {
    const char *at;
    int line;
    FILE *out;
    unsigned int depth; /* of nested braces */
    bool in_function;
    bool versioned, targeted, declared;
    unsigned int first_point, points;
    char *reason;
    size_t reason_size;
};

static bool refuse(const struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const struct reader *reader, const char *format, ...)
{
    int used = snprintf(reader->reason, reader->reason_size, "line %d: ", reader->line);
    va_list values;

    va_start(values, format);
    vsnprintf(reader->reason + used, reader->reason_size - (size_t)used, format, values);
    va_end(values);
    return false;
}

static void copy(struct reader *reader, size_t length)
{
    for (size_t i = 0; i < length; i++)
        reader->line += reader->at[i] == '\n';
    fwrite(reader->at, 1, length, reader->out);
    reader->at += length;
}

/* Copies white space and comments. */
static bool copy_blank(struct reader *reader)
{
    for (;;) {
        const char *at = reader->at;
        if (isspace((unsigned char)*at)) {
            copy(reader, 1);
        } else if (at[0] == '/' && at[1] == '/') {
            copy(reader, strcspn(at, "\n"));
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            if (end == NULL)
                return refuse(reader, "unterminated comment");
            copy(reader, (size_t)(end + 2 - at));
        } else {
            return true;
        }
    }
}

/* Returns the length up to and including the first character of `ends` outside strings and
 * comments. Returns 0 if none exists. */
static size_t length_to(const char *from, const char *ends)
{
    for (const char *at = from; *at != '\0'; at++) {
        if (strchr(ends, *at) != NULL)
            return (size_t)(at + 1 - from);
        if (*at == '"') {
            at = strchr(at + 1, '"');
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n") - 1;
        } else if (at[0] == '/' && at[1] == '*') {
            at = strstr(at + 2, "*/");
            if (at != NULL)
                at++;
        }
        if (at == NULL)
            return 0;
    }
    return 0;
}

static bool is_listed(const char *const list[], size_t count, const char *word, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == length && strncmp(list[i], word, length) == 0)
            return true;
    return false;
}

#define IS_LISTED(list, word, length) is_listed(list, sizeof(list) / sizeof *(list), word, length)

/* Returns true if the instruction's name has that part, such as ".global". */
static bool has_part(const char *name, size_t length, const char *part)
{
    size_t part_length = strlen(part);

    for (size_t i = 0; i + part_length <= length; i++) {
        char next = i + part_length < length ? name[i + part_length] : '.';
        if (strncmp(name + i, part, part_length) == 0 && (next == '.' || next == ':'))
            return true;
    }
    return false;
}

/* Returns true if the instruction accesses memory shared between threads, or may do so. An address
 * without a state space is generic. */
static bool is_shared_access(const char *name, size_t length)
{
    return !has_part(name, length, ".param") && !has_part(name, length, ".local") &&
           !has_part(name, length, ".const");
}

/* Writes code that draws a random number from the seed, the point, the thread and the clock. It
 * uses two rounds of a mixing function with constants of lowbias32 (Wellons). The sleep is
 * predicated, which lets the lanes of a warp diverge. A call or a branch around it would change
 * what the compiler knows about convergence. */
static void write_delay(struct reader *reader)
{
    fprintf(
        reader->out,
        "{ // delay %u\n"
        "\t.reg .pred %%simt_sleeps;\n"
        "\t.reg .b32 %%simt_a, %%simt_b, %%simt_seed, %%simt_often, %%simt_longest, %%simt_0;\n"
        "\tld.global.v4.b32 {%%simt_seed, %%simt_often, %%simt_longest, %%simt_0}, [simt_delays];\n"
        "\tmov.u32 %%simt_a, %%tid.x;\n"
        "\tmad.lo.u32 %%simt_seed, %%simt_a, 0x85ebca6b, %%simt_seed;\n"
        "\tmov.u32 %%simt_a, %%ctaid.x;\n"
        "\tmad.lo.u32 %%simt_seed, %%simt_a, 0xc2b2ae35, %%simt_seed;\n"
        "\tmov.u32 %%simt_a, %%clock;\n"
        "\tadd.u32 %%simt_a, %%simt_a, %%simt_seed;\n"
        "\tadd.u32 %%simt_a, %%simt_a, %u;\n"
        "\tshr.u32 %%simt_b, %%simt_a, 16;\n"
        "\txor.b32 %%simt_a, %%simt_a, %%simt_b;\n"
        "\tmul.lo.u32 %%simt_a, %%simt_a, 0x7feb352d;\n"
        "\tshr.u32 %%simt_b, %%simt_a, 15;\n"
        "\txor.b32 %%simt_a, %%simt_a, %%simt_b;\n"
        "\tmul.lo.u32 %%simt_a, %%simt_a, 0x846ca68b;\n"
        "\tshr.u32 %%simt_b, %%simt_a, 16;\n"
        "\txor.b32 %%simt_a, %%simt_a, %%simt_b;\n"
        "\tsetp.lt.u32 %%simt_sleeps, %%simt_a, %%simt_often;\n"
        "\tmul.lo.u32 %%simt_b, %%simt_a, 0x9e3779b1;\n"
        "\tmul.hi.u32 %%simt_b, %%simt_b, %%simt_longest;\n"
        "\t@%%simt_sleeps nanosleep.u32 %%simt_b;\n"
        "\t}\n\t",
        reader->first_point + reader->points,
        (reader->first_point + reader->points) * UINT32_C(0x9e3779b9));
    reader->points++;
}

/* Reads an instruction, with its guard. */
static bool read_instruction(struct reader *reader)
{
    const char *name = reader->at;
    size_t length, base, whole = length_to(reader->at, ";");

    if (*name == '@') {
        name += strcspn(name, " \t\n");
        name += strspn(name, " \t\n");
    }
    length = strcspn(name, " \t\n;");
    base = strcspn(name, ". \t\n;");
    if (whole == 0)
        return refuse(reader, "instruction '%.*s' has no semicolon", (int)length, name);
    if (IS_LISTED(accesses, name, base)) {
        if (has_part(name, length, ".shared::cluster") || has_part(name, length, ".async"))
            return refuse(reader, "memory access '%.*s' is not supported", (int)length, name);
        if (is_shared_access(name, length))
            write_delay(reader);
    } else if (!IS_LISTED(harmless, name, base)) {
        return refuse(reader, "instruction '%.*s' is not supported", (int)length, name);
    }
    copy(reader, whole);
    return true;
}

static bool starts_with(const char *at, const char *word)
{
    size_t length = strlen(word);
    return strncmp(at, word, length) == 0 && !isalnum((unsigned char)at[length]) &&
           at[length] != '_';
}

/* Returns the length of a directive that has no semicolon, up to its last argument. More statements
 * may follow on the line. Returns 0 if the text is no such directive, or has an unusual form. */
static size_t bare_length(const char *at)
{
    int length = 0, more = 0;

    if (starts_with(at, ".loc")) {
        sscanf(at, ".loc %*u %*u %*u%n", &length);
        if (length > 0)
            sscanf(at + length, " , function_name %*[A-Za-z0-9_$%%]%n", &more);
        length += more;
        if (more > 0) {
            more = 0;
            sscanf(at + length, " + %*u%n", &more);
            length += more;
            more = 0;
            sscanf(at + length, " , inlined_at %*u %*u %*u%n", &more);
            length += more;
        }
    } else if (starts_with(at, ".file")) {
        sscanf(at, ".file %*u \"%*[^\"\n]\"%n", &length);
        if (length > 0)
            sscanf(at + length, " , %*u , %*u%n", &more);
        length += more;
    } else if (starts_with(at, ".version")) {
        sscanf(at, ".version %*u.%*u%n", &length);
    } else if (starts_with(at, ".target")) {
        do {
            length += more;
            more = 0;
            sscanf(at + length, length == 0 ? ".target %*[a-z0-9_]%n" : " , %*[a-z0-9_]%n", &more);
        } while (more > 0);
    } else if (starts_with(at, ".address_size")) {
        sscanf(at, ".address_size %*u%n", &length);
    }
    return (size_t)length;
}

static bool read_directive(struct reader *reader)
{
    size_t name = 1 + strcspn(reader->at + 1, ". \t\n;"), length = 0;

    if (starts_with(reader->at, ".loc") || starts_with(reader->at, ".file"))
        length = bare_length(reader->at);
    else if (IS_LISTED(directives, reader->at, name))
        length = length_to(reader->at, ";");
    if (length == 0)
        return refuse(reader, "directive '%.*s' is not supported in a function", (int)name,
                      reader->at);
    copy(reader, length);
    return true;
}

static bool is_label(const char *at)
{
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%");
    const char *colon = at + length + strspn(at + length, " \t");
    return length > 0 && *colon == ':' && colon[1] != ':';
}

/* Reads a statement of a function's body. */
static bool read_statement(struct reader *reader)
{
    switch (*reader->at) {
    case '{':
        reader->depth++;
        copy(reader, 1);
        return true;
    case '}':
        reader->in_function = --reader->depth > 0;
        copy(reader, 1);
        return true;
    case '.':
        return read_directive(reader);
    case ';':
        copy(reader, 1);
        return true;
    default:
        if (!is_label(reader->at))
            return read_instruction(reader);
        copy(reader, strcspn(reader->at, ":") + 1);
        return true;
    }
}

static bool read_version(struct reader *reader)
{
    int major = atoi(reader->at + strlen(".version"));

    reader->versioned = true;
    if (major < MIN_VERSION || major > MAX_VERSION)
        return refuse(reader, "PTX version %d is not supported: use version %d to %d", major,
                      MIN_VERSION, MAX_VERSION);
    return true;
}

static bool read_target(struct reader *reader)
{
    const char *sm = strstr(reader->at, "sm_");

    reader->targeted = true;
    if (sm == NULL || atoi(sm + strlen("sm_")) < MIN_TARGET)
        return refuse(reader, "the target must be sm_%d or newer, because delays need nanosleep",
                      MIN_TARGET);
    return true;
}

/* Reads what is outside functions: a line, a declaration, or the head of a function. */
static bool read_declaration(struct reader *reader)
{
    const char *at = reader->at;
    size_t bare = bare_length(at);

    if (starts_with(at, ".version") && !read_version(reader))
        return false;
    if (starts_with(at, ".target") && !read_target(reader))
        return false;
    if (bare > 0) {
        copy(reader, bare);
        if (starts_with(at, ".address_size")) {
            fputs("\n.weak .global .align 16 .b32 simt_delays[4];", reader->out);
            reader->declared = true;
        }
        return true;
    }
    if (*at == ';') { /* after the initial values of a variable */
        copy(reader, 1);
        return true;
    }
    if (*at != '.')
        return refuse(reader, "declaration '%.*s' is not supported", (int)strcspn(at, " \t\n"), at);
    size_t length = length_to(at, ";{");
    if (length == 0)
        return refuse(reader, "declaration '%.*s' has no ';' or '{'", (int)strcspn(at, " \t\n"),
                      at);
    for (size_t i = 0; i + 1 < length && !reader->in_function; i++)
        reader->in_function = starts_with(at + i, ".entry") || starts_with(at + i, ".func");
    if (at[length - 1] == ';') {
        reader->in_function = false; /* declared, but not defined here */
    } else if (reader->in_function) {
        if (!reader->declared)
            return refuse(reader, ".address_size must precede the first function");
        reader->depth = 1;
    } else { /* the initial values of a variable, or debugging information */
        size_t values = length_to(at + length, "}");
        if (values == 0)
            return refuse(reader, "missing '}' after an initial value or a section");
        length += values;
    }
    copy(reader, length);
    return true;
}

bool ptx_add_delays(const char *ptx, unsigned int first_point, FILE *out, unsigned int *points,
                    char *reason, size_t reason_size)
{
    struct reader reader = {
        .at = ptx,
        .line = 1,
        .out = out,
        .first_point = first_point,
        .reason = reason,
        .reason_size = reason_size,
    };

    if (strstr(ptx, "simt_delays") != NULL)
        return refuse(&reader, "the module already has delays: it declares simt_delays");
    for (;;) {
        if (!copy_blank(&reader))
            return false;
        if (*reader.at == '\0')
            break;
        if (reader.in_function ? !read_statement(&reader) : !read_declaration(&reader))
            return false;
    }
    if (reader.in_function)
        return refuse(&reader, "the last function has no closing '}'");
    if (!reader.versioned || !reader.targeted || !reader.declared)
        return refuse(&reader, "not a PTX module: .version, .target or .address_size is missing");
    *points = reader.points;
    return true;
}
