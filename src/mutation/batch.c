/* SPDX-License-Identifier: MIT */
#include "batch.h"

#include "entry_variable.h"
#include "whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The namespace of copy 0. */
#define SOURCE_TAG "m00000"

enum { SAID = 1 << 18, TAG_SIZE = 16 };

static void tag_of(size_t copy, char tag[TAG_SIZE])
{
    snprintf(tag, TAG_SIZE, "m%05u", (unsigned int)(copy % 100000));
}

/* Writes the path of one of the batch's files, such as its PTX ("ptx"). */
static void batch_path(const struct batch *batch, const char *end, char path[BATCH_PATH])
{
    snprintf(path, BATCH_PATH, "%.400s/batch-%zu.%s", batch->of->tools->folder, batch->number, end);
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

/* Returns whether the batch exports the kernels of a target: some mutant of it changes them. A
 * batch of the source alone exports all. */
static bool is_exported(const struct batch *batch, const struct mutant_target *target)
{
    bool is_reached = batch->count == 0;

    for (size_t m = 0; m < batch->count; m++)
        is_reached = is_reached ||
                     (batch->mutants[m] != NULL && target->reached[batch->mutants[m]->function]);
    return is_reached;
}

/* Overwrites the text with blanks, except for newlines. */
static void blank(char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (text[k] != '\n')
            text[k] = ' ';
}

/* Writes all preprocessor lines, once for all copies. So included code is outside the namespaces of
 * the copies. Blanks `#include` and `#pragma once` in the text of the copies. */
static void write_head(FILE *to, const struct batch *batch, char *text)
{
    const struct mutated_source *of = batch->of;

    for (char *line = text; *line != '\0';) {
        size_t blanks = strspn(line, " \t"), length = strcspn(line, "\n"), word = blanks + 1;
        while (line[blanks] == '#' && length > 0 && line[length - 1] == '\\' &&
               line[length] != '\0')
            length += 1 + strcspn(line + length + 1, "\n");
        if (line[blanks] == '#') {
            fprintf(to, "%.*s\n", (int)length, line);
            word += strspn(line + word, " \t");
            if (strncmp(line + word, "include", 7) == 0 ||
                strncmp(line + word, "pragma once", 11) == 0)
                blank(line, length);
        }
        line += length + (line[length] != '\0');
    }
    fputs(plain_atomics, to);
    if (of->expression != NULL)
        return;
    fputs(exports, to);
    for (size_t t = 0; t < of->target_count; t++)
        for (size_t k = 0; is_exported(batch, &of->targets[t]) && k < of->targets[t].kernel_count;
             k++)
            fprintf(to, "#define SIMT_WANTED_%s ~, 1\n", of->targets[t].kernels[k]);
}

/* Blanks extern "C", because all copies of such a function would have one symbol. A block of it
 * becomes a namespace. */
static void blank_extern_c(const struct source *source, char *text)
{
    for (size_t k = 0; k + 1 < source->count; k++) {
        size_t first = source->tokens[k].offset,
               end = source->tokens[k + 1].offset + source->tokens[k + 1].length;
        if (!source_is(source, k, "extern") || !source_is(source, k + 1, "\"C\""))
            continue;
        blank(text + first, end - first);
        if (source_is(source, k + 2, "{") && end - first >= 9)
            memcpy(text + first, "namespace", 9);
    }
}

/* Blanks the kernels and host code that no target needs. */
static void blank_unneeded(const struct mutated_source *of, char *text)
{
    for (size_t f = 0; f < of->function_count; f++) {
        const struct source_function *function = &of->functions[f];
        size_t first = of->source.tokens[function->first].offset;
        if (!of->reached[f] && !function->is_generic &&
            (function->is_kernel || !function->is_device))
            blank(text + first, of->source.tokens[function->close].offset + 1 - first);
    }
}

/* Writes a copy. Its text has the length of the source, so that positions are the same. */
static void write_copy(FILE *to, const struct batch *batch, size_t copy, const char *text)
{
    static const struct mutant unchanged = {.with = ""};
    const struct mutant *mutant = copy > 0 ? batch->mutants[copy - 1] : &unchanged;
    char tag[TAG_SIZE];

    if (mutant == NULL)
        return;
    tag_of(copy, tag);
    fprintf(to,
            "#undef SIMT_TAG\n#define SIMT_TAG %s\nnamespace %s {\n#line 1 \"%s/%s\"\n%.*s%s%s\n",
            tag, tag, tag, basename(batch->of->path), (int)mutant->offset, text, mutant->with,
            text + mutant->offset + mutant->length);
    if (batch->of->expression != NULL)
        fprintf(to,
                "extern \"C\" { __device__ __attribute__((used)) const void *" ENTRY_VARIABLE
                "%s_%s = (const void *)(%s); }\n",
                tag, batch->of->targets[0].kernels[0], batch->of->expression);
    fprintf(to, "}\n");
}

static bool write_source(const struct batch *batch, const char *path)
{
    struct memory memory = {NULL};
    char *text = memory_copy(&memory, batch->of->source.text);
    FILE *to = fopen(path, "w");

    if (to != NULL) {
        write_head(to, batch, text);
        blank_extern_c(&batch->of->source, text);
        if (batch->of->reached != NULL && !batch->is_whole)
            blank_unneeded(batch->of, text);
        for (size_t copy = 0; copy <= batch->count; copy++)
            write_copy(to, batch, copy, text);
    }
    memory_free(&memory);
    return to != NULL && fclose(to) == 0;
}

/* ---- By a compiler ---- */

static bool compile(struct batch *batch)
{
    const struct mutated_source *of = batch->of;
    char source[BATCH_PATH], ptx[BATCH_PATH];
    bool good;

    batch_path(batch, "cu", source);
    batch_path(batch, "ptx", ptx);
    if (!write_source(batch, source)) {
        snprintf(batch->said, SAID, "cannot write %s: %s", source, strerror(errno));
        batch->cannot_write = true;
        return false;
    }
    good = build_user_ptx(&of->tools->compiler, of->flags, of->flag_count, source, ptx, batch->said,
                          SAID);
    unlink(source);
    return good;
}

/* Returns whether an error message names the copy; each copy has a file name of its own. A message
 * of nvcc is "m00003/my.cu(12): error: ...". */
static bool is_named(const char *said, size_t copy)
{
    char tag[TAG_SIZE];

    tag_of(copy, tag);
    strcat(tag, "/");
    for (const char *at = said; (at = strstr(at, tag)) != NULL; at++)
        if ((at == said || at[-1] == '/' || at[-1] == '\n') &&
            memmem(at, strcspn(at, "\n"), ": error", 7) != NULL)
            return true;
    return false;
}

/* Changes a batch that does not compile. Leaves out the mutants that error messages name. If one
 * mutant is left, it is at fault unless the source is: first adds all its functions, then leaves
 * out the mutant. Returns false if the batch must be divided, or the source does not compile. */
static bool amend(struct batch *batch)
{
    bool is_source = is_named(batch->said, 0), is_amended = false;

    for (size_t m = 0; !is_source && m < batch->count; m++)
        if (batch->mutants[m] != NULL && is_named(batch->said, m + 1)) {
            batch->mutants[m] = NULL;
            is_amended = true;
        }
    if (is_amended || (batch->count > 1 && !is_source))
        return is_amended;
    if (batch->of->reached != NULL && !batch->is_whole)
        return batch->is_whole = true;
    is_amended = batch->count == 1 && batch->mutants[0] != NULL;
    batch->mutants[0] = NULL;
    return is_amended;
}

/* Reads the machine code if ptxas accepts the PTX. It does not accept a module that launches, which
 * would need linking. */
static void read_codes(struct batch *batch)
{
    const struct build_tools *tools = batch->of->tools;
    char ptx[BATCH_PATH], cubin[BATCH_PATH], error[512];

    batch_path(batch, "ptx", ptx);
    batch_path(batch, "cubin", cubin);
    if (tools->has_ptxas &&
        build_machine_code(&tools->ptxas, tools->architecture, 3, ptx, cubin, error,
                           sizeof error) &&
        !machine_code_read(cubin, &batch->codes, &batch->code_count, error, sizeof error))
        batch->codes = NULL;
    unlink(cubin);
}

bool batch_build(struct batch *batch)
{
    char path[BATCH_PATH];
    size_t size = 0;

    batch->number = atomic_fetch_add(&batch->of->tools->batches, 1);
    batch->said = memory_take(&batch->memory, SAID);
    while (!compile(batch))
        if (batch->cannot_write || !amend(batch))
            return false;
    batch_path(batch, "ptx", path);
    batch->ptx = read_whole_file(path, &size);
    if (batch->ptx == NULL) {
        snprintf(batch->said, SAID, "cannot read %s: %s", path, strerror(errno));
        batch->cannot_write = true;
        return false;
    }
    ptx_pieces_read(batch->ptx, size, &batch->pieces);
    if (batch->count > 0)
        read_codes(batch);
    return true;
}

void batch_close(struct batch *batch)
{
    char path[BATCH_PATH];

    batch_path(batch, "ptx", path);
    unlink(path);
    ptx_pieces_free(&batch->pieces);
    free(batch->ptx);
    free(batch->codes);
    memory_free(&batch->memory);
}

/* ---- Its kernels ---- */

static const char *find_symbol(const struct batch *batch, size_t copy, const char *kernel)
{
    char tag[TAG_SIZE], name[256];

    tag_of(copy, tag);
    snprintf(name, sizeof name, "%s_%s", tag, kernel);
    return ptx_entry_symbol(&batch->pieces, name);
}

bool batch_reach(struct batch *batch, struct mutant_target *target)
{
    const struct mutated_source *of = batch->of;
    const struct source_token *tokens = of->source.tokens;
    size_t lines = of->source.count > 0 ? (size_t)tokens[of->source.count - 1].line + 1 : 1;
    bool *reached = memory_take(&batch->memory, lines * sizeof *reached);

    for (size_t k = 0; k < target->kernel_count; k++) {
        const char *symbol = find_symbol(batch, 0, target->kernels[k]);
        if (symbol == NULL) {
            snprintf(batch->said, SAID, "%s has no kernel %s", basename(of->path),
                     target->kernels[k]);
            return false;
        }
        ptx_lines(&batch->pieces, symbol, SOURCE_TAG, reached, lines);
    }
    for (size_t f = 0; f < of->function_count; f++)
        for (int line = tokens[of->functions[f].name].line;
             line <= tokens[of->functions[f].close].line; line++)
            target->reached[f] = target->reached[f] || reached[line];
    return true;
}

static const struct kernel_code *code_of(const struct batch *batch, const char *symbol)
{
    for (size_t k = 0; k < batch->code_count; k++)
        if (strcmp(batch->codes[k].name, symbol) == 0)
            return &batch->codes[k];
    return NULL;
}

static bool has_same_code(const struct batch *batch, const char *symbol, const char *other)
{
    const struct kernel_code *a = code_of(batch, symbol), *b = code_of(batch, other);

    return a != NULL && b != NULL && a->digest == b->digest && a->bytes == b->bytes &&
           a->shared_bytes == b->shared_bytes && a->stack_bytes == b->stack_bytes &&
           a->constant_bytes == b->constant_bytes;
}

struct mutant_verdict batch_compare(const struct batch *batch, size_t copy,
                                    const struct mutant_target *target)
{
    struct mutant_verdict verdict = {.kind = MUTANT_EQUIVALENT, .how = "the same PTX"};
    char tag[TAG_SIZE];

    tag_of(copy, tag);
    for (size_t k = 0; k < target->kernel_count; k++) {
        uint64_t digest, other;
        bool is_alone, other_is_alone;
        const char *symbol = find_symbol(batch, copy, target->kernels[k]),
                   *source = find_symbol(batch, 0, target->kernels[k]);
        if (symbol == NULL)
            return (struct mutant_verdict){.kind = MUTANT_NOT_COMPILED};
        if (source == NULL)
            return (struct mutant_verdict){.kind = MUTANT_UNDECIDED};
        ptx_digest(&batch->pieces, source, SOURCE_TAG, &digest, &is_alone);
        ptx_digest(&batch->pieces, symbol, tag, &other, &other_is_alone);
        if (verdict.kind == MUTANT_UNDECIDED || digest == other)
            continue;
        /* A kernel that is not alone may call others, whose code the digest does not cover. */
        if (is_alone && other_is_alone && has_same_code(batch, source, symbol))
            strcpy(verdict.how, "the same machine code");
        else
            verdict = (struct mutant_verdict){.kind = MUTANT_UNDECIDED};
    }
    return verdict;
}

bool batch_write_module(const struct batch *batch, size_t copy, const struct mutant_target *target,
                        char path[BATCH_PATH])
{
    char tag[TAG_SIZE], end[64];
    FILE *to;
    bool good;

    tag_of(copy, tag);
    snprintf(end, sizeof end, "%s-%zu.ptx", tag, (size_t)(target - batch->of->targets));
    batch_path(batch, end, path);
    to = fopen(path, "w");
    good = to != NULL &&
           ptx_write_kernels(to, &batch->pieces, tag, target->kernels, target->kernel_count);
    if (to != NULL)
        good = fclose(to) == 0 && good;
    return good;
}
