/* SPDX-License-Identifier: MIT */
#include "batch.h"

#include "accept.h"

#include "entry_variable.h"
#include "machine_code.h"
#include "ptx_pieces.h"
#include "whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAID = 1 << 18 };

static void tag_of(size_t copy, char tag[TAG_SIZE])
{
    snprintf(tag, TAG_SIZE, "m%05u", (unsigned int)(copy % 100000));
}

void batch_prefix(size_t copy, char prefix[TAG_SIZE])
{
    tag_of(copy, prefix);
    strcat(prefix, "_");
}

void batch_path(const struct batch *batch, const char *end, char path[BATCH_PATH])
{
    snprintf(path, BATCH_PATH, "%.400s/batch-%zu.%s", batch->of->folder, batch->number, end);
}

/* ---- The source ---- */

/* Macros that replace atomics by a plain read, addition and write. */
static const char plain_atomics[] =
    "#define SIMT_PLAIN(name, result)                                                \\\n"
    "    template <typename Word, typename Value>                                    \\\n"
    "    static __device__ inline Word simt_plain_##name(Word *address, Value value, \\\n"
    "                                                    Value other = Value())      \\\n"
    "    {                                                                           \\\n"
    "        const Word before = *address;                                           \\\n"
    "        (void)other;                                                            \\\n"
    "        *address = static_cast<Word>(result);                                   \\\n"
    "        return before;                                                          \\\n"
    "    }\n"
    "SIMT_PLAIN(atomicAdd, before + value)\n"
    "SIMT_PLAIN(atomicSub, before - value)\n"
    "SIMT_PLAIN(atomicExch, value)\n"
    "SIMT_PLAIN(atomicMin, value < before ? value : before)\n"
    "SIMT_PLAIN(atomicMax, value > before ? value : before)\n"
    "SIMT_PLAIN(atomicInc, before >= value ? 0 : before + 1)\n"
    "SIMT_PLAIN(atomicDec, before == 0 || before > value ? value : before - 1)\n"
    "SIMT_PLAIN(atomicAnd, before & value)\n"
    "SIMT_PLAIN(atomicOr, before | value)\n"
    "SIMT_PLAIN(atomicXor, before ^ value)\n"
    "SIMT_PLAIN(atomicCAS, before == value ? other : before)\n";

/* Replaces EXPORT_KERNEL of include/simtcheck/dialect.h. Exports only the wanted kernels, under
 * names with the copy's tag. */
static const char exports[] =
    "#undef EXPORT_KERNEL_AS\n"
    "#define SIMT_SECOND(first, second, ...) second\n"
    "#define SIMT_IS_WANTED(...) SIMT_SECOND(__VA_ARGS__, 0, 0)\n"
    "#define SIMT_PASTE_(a, b) a##b\n"
    "#define SIMT_PASTE(a, b) SIMT_PASTE_(a, b)\n"
    "#define SIMT_EXPORT_0(tag, name, ...)\n"
    "#define SIMT_EXPORT_1(tag, name, ...) SIMT_ENTER(tag, name, __VA_ARGS__)\n"
    "#define SIMT_ENTER(tag, name, ...) extern \"C\" { __device__ __attribute__((used)) const "
    "void *" ENTRY_VARIABLE "##tag##_##name = (const void *)(__VA_ARGS__); }\n"
    "#define SIMT_EXPORT(tag, name, ...) \\\n"
    "    SIMT_PASTE(SIMT_EXPORT_, SIMT_IS_WANTED(SIMT_WANTED_##name))(tag, name, __VA_ARGS__)\n"
    "#define EXPORT_KERNEL_AS(name, ...) SIMT_EXPORT(SIMT_TAG, name, __VA_ARGS__)\n";

/* Writes all preprocessor lines, once for all copies. So included code is outside the namespaces of
 * the copies. */
static void write_head(FILE *to, const struct batch *batch)
{
    const char *text = batch->of->source.text;

    for (const char *line = text; *line != '\0';) {
        size_t blanks = strspn(line, " \t"), length = strcspn(line, "\n");
        bool is_said = line[blanks] == '#';
        while (is_said && length > 0 && line[length - 1] == '\\' && line[length] != '\0')
            length += 1 + strcspn(line + length + 1, "\n");
        if (is_said)
            fprintf(to, "%.*s\n", (int)length, line);
        line += length + (line[length] != '\0');
    }
    fputs(plain_atomics, to);
    if (batch->of->expression != NULL)
        return;
    fputs(exports, to);
    for (size_t k = 0; k < batch->kernel_count; k++)
        fprintf(to, "#define SIMT_WANTED_%s ~, 1\n", batch->kernels[k]);
}

/* Overwrites the text with blanks, except for newlines. */
static void blank(char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (text[k] != '\n')
            text[k] = ' ';
}

/* Returns true for kernels and host code that no target needs. */
static bool is_left_out(const struct mutated_source *of, size_t f)
{
    const struct source_function *function = &of->functions[f];

    return of->reached != NULL && !of->reached[f] &&
           (function->is_kernel ? !function->is_generic
                                : !function->is_device && !function->is_generic);
}

static void leave_out(const struct mutated_source *of, char *text)
{
    for (size_t f = 0; f < of->function_count; f++) {
        size_t first = of->source.tokens[of->functions[f].first].offset;
        if (is_left_out(of, f))
            blank(text + first, of->source.tokens[of->functions[f].close].offset + 1 - first);
    }
}

/* Returns the text of a copy: without includes, `#pragma once`, extern "C" and the functions that
 * no target needs. It has the length of the source, so positions stay the same. */
static char *make_copied(const struct batch *batch)
{
    const struct source *source = &batch->of->source;
    char *text = strdup(source->text);

    for (char *line = text; line != NULL && *line != '\0';) {
        size_t blanks = strspn(line, " \t"), length = strcspn(line, "\n");
        char *word = line + blanks + 1;
        if (line[blanks] == '#') {
            word += strspn(word, " \t");
            if (strncmp(word, "include", 7) == 0 || strncmp(word, "pragma once", 11) == 0)
                blank(line, length);
        }
        line += length + (line[length] != '\0');
    }
    for (size_t k = 0; text != NULL && k + 1 < source->count; k++) {
        size_t first = source->tokens[k].offset,
               end = source->tokens[k + 1].offset + source->tokens[k + 1].length;
        if (!source_is(source, k, "extern") || !source_is(source, k + 1, "\"C\""))
            continue;
        blank(text + first, end - first);
        if (source_is(source, k + 2, "{") && end - first >= 9)
            memcpy(text + first, "namespace", 9);
    }
    if (text != NULL && !batch->is_whole)
        leave_out(batch->of, text);
    return text;
}

static void write_copy(FILE *to, const struct batch *batch, size_t copy, const char *text)
{
    char tag[TAG_SIZE];

    tag_of(copy, tag);
    fprintf(to, "#undef SIMT_TAG\n#define SIMT_TAG %s\nnamespace %s {\n#line 1 \"%s/%s\"\n%s\n",
            tag, tag, tag, basename(batch->of->path), text);
    if (batch->of->expression != NULL)
        fprintf(to,
                "extern \"C\" { __device__ __attribute__((used)) const void *" ENTRY_VARIABLE
                "%s_%s = "
                "(const void *)(%s); }\n",
                tag, batch->kernels[0], batch->of->expression);
    fprintf(to, "}\n");
}

/* Writes the copies of the mutants from `first` on that are not known to fail to compile. */
static bool write_source(const struct batch *batch, const char *path, size_t first, size_t count)
{
    const struct mutated_source *of = batch->of;
    FILE *to = fopen(path, "w");
    char *copied = make_copied(batch);
    bool good = to != NULL && copied != NULL;

    if (good) {
        write_head(to, batch);
        write_copy(to, batch, 0, copied);
    }
    for (size_t m = first; good && m < first + count; m++) {
        char *changed = NULL;
        if (batch->states[m] == BUILD_NOT_COMPILED)
            continue;
        changed = mutant_apply(batch->mutants[m], copied, of->source.size);
        good = changed != NULL;
        if (good)
            write_copy(to, batch, m + 1, changed);
        free(changed);
    }
    free(copied);
    if (to != NULL)
        good = fclose(to) == 0 && good;
    return good;
}

/* ---- By a compiler ---- */

static bool compile(struct batch *batch, size_t first, size_t count, char *said)
{
    char source[BATCH_PATH], ptx[BATCH_PATH];
    bool good;

    batch_path(batch, "cu", source);
    batch_path(batch, "ptx", ptx);
    if (!write_source(batch, source, first, count)) {
        snprintf(said, SAID, "cannot write %s: %s", source, strerror(errno));
        batch->cannot_write = true;
        return false;
    }
    good = build_user_ptx(&batch->of->compiler, batch->of->flags, batch->of->flag_count, source,
                          ptx, said, SAID);
    unlink(source);
    return good;
}

/* Marks the copies that error messages name; each copy has a file name of its own. Returns how
 * many. */
static size_t mark_named(struct batch *batch, const char *said)
{
    size_t named = 0;

    for (const char *line = said; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        const char *error = memmem(line, length, ": error", 7); /* nvcc: "FILE(LINE): error" */
        for (const char *at = line; error != NULL && at < error; at++) {
            unsigned int copy;
            int end = 0;
            if ((at > line && at[-1] != '/') || sscanf(at, "m%5u/%n", &copy, &end) != 1 ||
                end != 7 || copy == 0 || copy > batch->count)
                continue;
            named += batch->states[copy - 1] != BUILD_NOT_COMPILED;
            batch->states[copy - 1] = BUILD_NOT_COMPILED;
            break;
        }
        line += length + (line[length] != '\0');
    }
    return named;
}

/* Finds the copies that do not compile, by halves. */
static void mark_by_halves(struct batch *batch, size_t first, size_t count, char *said)
{
    if (count == 0 || compile(batch, first, count, said) || batch->cannot_write)
        return;
    if (count == 1) {
        batch->states[first] = BUILD_NOT_COMPILED;
        return;
    }
    mark_by_halves(batch, first, count / 2, said);
    mark_by_halves(batch, first + count / 2, count - count / 2, said);
}

/* Compiles until the remaining copies compile. */
static bool compile_all(struct batch *batch, char *said)
{
    bool good = compile(batch, 0, batch->count, said);

    while (!good && mark_named(batch, said) > 0)
        good = compile(batch, 0, batch->count, said);
    if (good)
        return true;
    good = !batch->cannot_write && compile(batch, 0, 0, said);
    if (!good && !batch->cannot_write && batch->of->reached != NULL && !batch->is_whole) {
        batch->is_whole = true;
        return compile_all(batch, said);
    }
    if (good) {
        mark_by_halves(batch, 0, batch->count, said);
        if (compile(batch, 0, batch->count, said))
            return true;
    }
    snprintf(batch->error, sizeof batch->error, "%.1000s", said);
    return false;
}

/* ---- Proofs ---- */

/* What is known of the kernels of one copy. */
struct built {
    uint64_t digest[MAX_KERNELS];
    bool is_alone[MAX_KERNELS];
    char symbols[MAX_KERNELS][512];
};

static bool read_built(struct batch *batch, const struct ptx_pieces *pieces, size_t copy,
                       struct built *built)
{
    char tag[TAG_SIZE], name[256];

    tag_of(copy, tag);
    for (size_t k = 0; k < batch->kernel_count; k++) {
        snprintf(name, sizeof name, "%s_%s", tag, batch->kernels[k]);
        if (!ptx_entry_symbol(pieces, name, built->symbols[k])) {
            snprintf(batch->error, sizeof batch->error, "%s has no kernel %s",
                     basename(batch->of->path), batch->kernels[k]);
            return false;
        }
        ptx_digest(pieces, built->symbols[k], tag, &built->digest[k], &built->is_alone[k]);
    }
    return true;
}

static const struct kernel_code *code_of(const struct kernel_code *codes, size_t count,
                                         const char *symbol)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(codes[k].name, symbol) == 0)
            return &codes[k];
    return NULL;
}

/* Returns true if kernel k has the same machine code in both copies. A kernel that is not alone may
 * call others, whose code the digest does not cover. */
static bool has_same_code(const struct kernel_code *codes, size_t count, const struct built *one,
                          const struct built *other, size_t k)
{
    const struct kernel_code *a = code_of(codes, count, one->symbols[k]),
                             *b = code_of(codes, count, other->symbols[k]);

    return a != NULL && b != NULL && one->is_alone[k] && other->is_alone[k] &&
           a->digest == b->digest && a->bytes == b->bytes && a->shared_bytes == b->shared_bytes &&
           a->stack_bytes == b->stack_bytes && a->constant_bytes == b->constant_bytes;
}

/* Marks the mutants whose kernels all have the same code as the source's. */
static void compare_codes(struct batch *batch, const struct built *builts,
                          const struct kernel_code *codes, size_t code_count)
{
    for (size_t m = 0; m < batch->count; m++) {
        bool same_ptx = true, same = true;
        if (batch->states[m] == BUILD_NOT_COMPILED)
            continue;
        for (size_t k = 0; k < batch->kernel_count; k++) {
            bool by_ptx = builts[0].digest[k] == builts[m + 1].digest[k];
            same_ptx = same_ptx && by_ptx;
            same =
                same && (by_ptx || has_same_code(codes, code_count, &builts[0], &builts[m + 1], k));
        }
        batch->states[m] = same_ptx ? BUILD_SAME_PTX : same ? BUILD_SAME_CODE : BUILD_RUNS;
    }
}

/* Reads the machine code if ptxas accepts the module. It does not accept a module that launches,
 * which would need linking. */
static void read_codes(const struct batch *batch, struct kernel_code **codes, size_t *count)
{
    char ptx[BATCH_PATH], cubin[BATCH_PATH], error[512];

    *codes = NULL;
    *count = 0;
    batch_path(batch, "ptx", ptx);
    batch_path(batch, "cubin", cubin);
    if (batch->of->has_ptxas &&
        build_machine_code(&batch->of->ptxas, batch->of->architecture, 3, ptx, cubin, error,
                           sizeof error) &&
        !machine_code_read(cubin, codes, count, error, sizeof error))
        *codes = NULL;
    unlink(cubin);
}

/* ---- What runs ---- */

static bool write_module(const struct batch *batch, const struct ptx_pieces *pieces,
                         const char *path, bool with_source, size_t *written)
{
    size_t most = (batch->count + 1) * batch->kernel_count;
    const char **entries = calloc(most + 1, sizeof *entries);
    char(*names)[256] = calloc(most + 1, sizeof *names);
    FILE *to = entries != NULL && names != NULL ? fopen(path, "w") : NULL;
    bool good = to != NULL;

    *written = 0;
    for (size_t copy = 0; good && copy <= batch->count; copy++) {
        char prefix[TAG_SIZE];
        batch_prefix(copy, prefix);
        if (copy == 0 ? !with_source : batch->states[copy - 1] != BUILD_RUNS)
            continue;
        for (size_t k = 0; k < batch->kernel_count; k++) {
            snprintf(names[*written], sizeof *names, "%s%s", prefix, batch->kernels[k]);
            entries[*written] = names[*written];
            ++*written;
        }
    }
    good = good && ptx_write_kernels(to, pieces, entries, *written);
    if (to != NULL)
        good = fclose(to) == 0 && good;
    free(entries);
    free(names);
    return good;
}

/* Returns whether the simulator can run the module. */
static bool accepts(struct batch *batch)
{
    const char *const path = batch->module;
    struct decoded *decoded = decode_open(&path, 1, batch->error, sizeof batch->error);
    bool good = decoded != NULL && decode_accepts(decoded, batch->error, sizeof batch->error);

    decode_close(decoded);
    return good;
}

/* Decodes the mutants one by one after the simulator has rejected the module of all. Marks those
 * that it rejects alone as without code. */
static void find_unsupported(struct batch *batch, const struct ptx_pieces *pieces)
{
    enum build_state *states = calloc(batch->count + 1, sizeof *states);

    if (states == NULL)
        return;
    memcpy(states, batch->states, batch->count * sizeof *states);
    for (size_t m = 0; m < batch->count; m++) {
        size_t written;
        if (states[m] != BUILD_RUNS)
            continue;
        for (size_t other = 0; other < batch->count; other++)
            batch->states[other] = other == m ? BUILD_RUNS : BUILD_NO_CODE;
        if (!write_module(batch, pieces, batch->module, false, &written) || !accepts(batch))
            states[m] = BUILD_NO_CODE;
    }
    memcpy(batch->states, states, batch->count * sizeof *states);
    free(states);
}

static bool build_module(struct batch *batch, const struct ptx_pieces *pieces, bool with_source)
{
    size_t written;
    bool good;

    batch_path(batch, "some.ptx", batch->module);
    good = write_module(batch, pieces, batch->module, with_source, &written);
    if (good && written > 0 && !accepts(batch)) {
        find_unsupported(batch, pieces);
        good = write_module(batch, pieces, batch->module, with_source, &written) &&
               (written == 0 || accepts(batch));
    }
    if (good && written == 0)
        batch->module[0] = '\0';
    return good;
}

/* Reads the PTX that the compiler made. The caller frees it. */
static char *read_ptx(struct batch *batch, struct ptx_pieces *pieces)
{
    char path[BATCH_PATH];
    size_t size = 0;
    char *text;

    batch_path(batch, "ptx", path);
    text = read_whole_file(path, &size);
    if (text == NULL) {
        snprintf(batch->error, sizeof batch->error, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    text[size] = '\0';
    ptx_pieces_read(text, size, pieces);
    return text;
}

static bool build_from(struct batch *batch, const struct ptx_pieces *pieces, bool with_source)
{
    struct built *builts = calloc(batch->count + 1, sizeof *builts);
    struct kernel_code *codes = NULL;
    size_t code_count = 0;
    bool good = builts != NULL && read_built(batch, pieces, 0, &builts[0]);

    for (size_t m = 0; good && m < batch->count; m++)
        if (batch->states[m] != BUILD_NOT_COMPILED &&
            !read_built(batch, pieces, m + 1, &builts[m + 1]))
            batch->states[m] = BUILD_NOT_COMPILED; /* No kernel of it is left. */
    if (good) {
        read_codes(batch, &codes, &code_count);
        compare_codes(batch, builts, codes, code_count);
        good = build_module(batch, pieces, with_source);
    }
    free(codes);
    free(builts);
    return good;
}

bool batch_build(struct batch *batch, bool with_source)
{
    char *said = malloc(SAID), *text = NULL;
    struct ptx_pieces pieces = {.text = NULL};
    bool good;

    batch->states = calloc(batch->count + 1, sizeof *batch->states);
    snprintf(batch->error, sizeof batch->error, "out of memory");
    good = said != NULL && batch->states != NULL && compile_all(batch, said) &&
           (text = read_ptx(batch, &pieces)) != NULL && build_from(batch, &pieces, with_source);
    ptx_pieces_free(&pieces);
    free(text);
    free(said);
    return good;
}

void batch_close(struct batch *batch)
{
    static const char *const ends[] = {"cu", "ptx", "some.ptx"};
    char path[BATCH_PATH];

    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        batch_path(batch, ends[k], path);
        unlink(path);
    }
    free(batch->states);
    batch->states = NULL;
}

/* ---- What its kernels are made of ---- */

bool batch_reach(struct batch *batch, bool *reached)
{
    const struct source *source = &batch->of->source;
    int last = source->count > 0 ? source->tokens[source->count - 1].line : 0;
    char *said = malloc(SAID), *text = NULL, tag[TAG_SIZE], symbol[512], name[256];
    bool *lines = calloc((size_t)last + 2, sizeof *lines);
    struct ptx_pieces pieces = {.text = NULL};
    bool good = said != NULL && lines != NULL;

    snprintf(batch->error, sizeof batch->error, "out of memory");
    tag_of(0, tag);
    if (good && !compile(batch, 0, 0, said)) {
        snprintf(batch->error, sizeof batch->error, "%.1000s", said);
        good = false;
    }
    good = good && (text = read_ptx(batch, &pieces)) != NULL;
    for (size_t k = 0; good && k < batch->kernel_count; k++) {
        snprintf(name, sizeof name, "%s_%s", tag, batch->kernels[k]);
        snprintf(batch->error, sizeof batch->error, "%s has no kernel %s",
                 basename(batch->of->path), batch->kernels[k]);
        good = ptx_entry_symbol(&pieces, name, symbol);
        if (good)
            ptx_lines(&pieces, symbol, tag, lines, (size_t)last + 1);
    }
    for (size_t f = 0; good && f < batch->of->function_count; f++)
        for (int line = source->tokens[batch->of->functions[f].name].line;
             line <= source->tokens[batch->of->functions[f].close].line; line++)
            reached[f] = reached[f] || lines[line];
    ptx_pieces_free(&pieces);
    free(text);
    free(said);
    free(lines);
    return good;
}
