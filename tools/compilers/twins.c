/* SPDX-License-Identifier: MIT
 *
 * Finds programs of different meaning for which an assembler makes the same code.
 */
#include "error_report.h"
#include "machine_code.h"
#include "parallel.h"
#include "program_code.h"
#include "shrink_program.h"
#include "stage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 8 * PROGRAM_BLOCK, CHUNK = 500 };

/* ---- Pairs ---- */

/* Finds the first element at which the programs differ. Returns false if they differ at no element
 * tried. */
static bool differ(const struct program *one, const struct program *other, struct twins *twins)
{
    const struct values values = {VALUES_EDGES, 1};

    for (uint64_t first = 0; first < ELEMENTS; first += PROGRAM_BLOCK) {
        uint32_t in[PROGRAM_IN][PROGRAM_BLOCK], a[PROGRAM_OUT][PROGRAM_BLOCK],
            b[PROGRAM_OUT][PROGRAM_BLOCK];
        program_inputs(values, ELEMENTS, first, in);
        program_evaluate(one, in, a);
        program_evaluate(other, in, b);
        for (uint64_t i = 0; i < PROGRAM_BLOCK; i++)
            if (a[0][i] != b[0][i] || a[1][i] != b[1][i]) {
                twins->element = first + i;
                twins->expected[0] = a[0][i] | (uint64_t)a[1][i] << 32;
                twins->expected[1] = b[0][i] | (uint64_t)b[1][i] << 32;
                return true;
            }
    }
    return false;
}

static bool is_smaller(const struct twins *one, const struct twins *other)
{
    return program_is_simpler(&one->one, &other->one);
}

/* Returns true if the programs are equal except for their names. */
static bool is_same(const struct program *one, const struct program *other)
{
    uint32_t k = 0;

    while (k < one->count && k < other->count &&
           one->nodes[k].operation == other->nodes[k].operation &&
           one->nodes[k].value == other->nodes[k].value &&
           memcmp(one->nodes[k].operands, other->nodes[k].operands,
                  sizeof one->nodes[k].operands) == 0)
        k++;
    return k == one->count && k == other->count;
}

/* Keeps the smallest pairs, in ascending order. */
static void take_twins(struct trial *trial, struct stage *stage, const struct program *one,
                       const struct program *other, uint32_t bytes)
{
    struct twins twins = {
        .one = *one, .other = *other, .bytes = bytes, .when = trial_number(trial)};
    size_t k;

    if (!differ(one, other, &twins))
        return;
    stage->same_code++;
    for (k = 0; k < trial->twin_count; k++)
        if (is_same(&trial->twins[k].one, one) && is_same(&trial->twins[k].other, other)) {
            trial->twins[k].by[stage - trial->stages] = true;
            return;
        }
    trial->twins_seen++;
    twins.by[stage - trial->stages] = true;
    if (trial->twin_count < MAX_TWINS)
        trial->twin_count++;
    else if (!is_smaller(&twins, &trial->twins[MAX_TWINS - 1]))
        return;
    for (k = trial->twin_count - 1; k > 0 && is_smaller(&twins, &trial->twins[k - 1]); k--)
        trial->twins[k] = trial->twins[k - 1];
    trial->twins[k] = twins;
}

/* ---- Assembling ---- */

/* PTX of some of the programs, and the code that one ptxas makes of it. */
struct assembly {
    const struct trial *trial;
    const struct stage *stage;
    char ptx[PATH];
    struct kernel_code *kernels; /* in the order of the file */
    size_t expected, count;
    char error[512];
};

/* Writes the name of program p: kernel p of a file, or its copy. */
static void name_of(char name[32], const char *before, size_t p)
{
    snprintf(name, 32, "%s%u", before, (unsigned int)p);
}

static bool write_some(struct trial *trial, const char *path, const struct program *programs,
                       size_t first, size_t count, bool twice)
{
    FILE *to = fopen(path, "w");

    if (to != NULL)
        program_ptx_head(to);
    for (int copy = 0; to != NULL && copy <= twice; copy++)
        for (size_t p = first; p < first + count; p++) {
            struct program named = programs[p];
            name_of(named.name, copy == 0 ? "p" : "once_more_the_same_", p);
            program_ptx(to, &named);
        }
    if (to != NULL && fclose(to) == 0)
        return true;
    return error_write(trial->error, sizeof trial->error, "cannot write %.300s: %s", path,
                       strerror(errno));
}

static void assemble(void *context, size_t k)
{
    struct assembly *assembly = (struct assembly *)context + k;
    char cubin[PATH];

    snprintf(cubin, PATH, "%.400s/twins-%zu.cubin", assembly->trial->folder, k);
    if (build_machine_code(assembly->stage->compiler, assembly->trial->architecture, 3,
                           assembly->ptx, cubin, assembly->error, sizeof assembly->error) &&
        machine_code_read(cubin, &assembly->kernels, &assembly->count, assembly->error,
                          sizeof assembly->error) &&
        assembly->count != assembly->expected)
        snprintf(assembly->error, sizeof assembly->error,
                 "%.200s made code of %zu kernels from PTX of %zu kernels",
                 assembly->stage->compiler->path, assembly->count, assembly->expected);
    remove(cubin);
}

/* ---- Comparing ---- */

static int by_digest(const void *left, const void *right)
{
    const struct kernel_code *a = left, *b = right;

    if (a->digest != b->digest)
        return a->digest > b->digest ? 1 : -1;
    return strverscmp(a->name, b->name); /* In the order of programs. */
}

static size_t number_of(const struct kernel_code *kernel, const char *before)
{
    size_t length = strlen(before);

    return strncmp(kernel->name, before, length) == 0 ? strtoul(kernel->name + length, NULL, 10)
                                                      : SIZE_MAX;
}

/* Compares each kernel with the first kernel that has the same code. */
static bool compare_codes(struct trial *trial, struct stage *stage,
                          const struct assembly *assemblies, size_t chunks,
                          const struct program *programs, size_t count)
{
    struct kernel_code *kernels = malloc((count + 1) * sizeof *kernels);
    size_t found = 0, first = 0;

    for (size_t c = 0; kernels != NULL && c < chunks; c++) {
        memcpy(kernels + found, assemblies[c].kernels, assemblies[c].count * sizeof *kernels);
        found += assemblies[c].count;
    }
    if (kernels != NULL)
        qsort(kernels, found, sizeof *kernels, by_digest);
    for (size_t k = 1; kernels != NULL && k < found; k++) {
        size_t one = number_of(&kernels[first], "p"), other = number_of(&kernels[k], "p");
        if (kernels[k].digest != kernels[first].digest)
            first = k;
        else if (one < count && other < count)
            take_twins(trial, stage, &programs[one], &programs[other], kernels[k].bytes);
    }
    free(kernels);
    return kernels != NULL;
}

static void take_unsteady(struct trial *trial, const struct compiler *compiler, const char *how)
{
    for (size_t k = 0; k < trial->unsteady_count; k++)
        if (trial->unsteady[k].compiler == compiler)
            return;
    trial->unsteady[trial->unsteady_count++] = (struct unsteady){compiler, "ptxas", how};
}

/* Checks that the first chunk has the same code in the file that contains it twice, both times. */
static void compare_again(struct trial *trial, const struct stage *stage,
                          const struct assembly *once, const struct assembly *twice)
{
    for (size_t k = 0; k < twice->count; k++) {
        const struct kernel_code *kernel = &twice->kernels[k];
        size_t same = number_of(kernel, "p"), again = number_of(kernel, "once_more_the_same_");
        for (size_t o = 0; o < once->count; o++) {
            size_t p = number_of(&once->kernels[o], "p");
            if (p == same && once->kernels[o].digest != kernel->digest)
                take_unsteady(trial, stage->compiler, "in another process");
            else if (p == again && once->kernels[o].digest != kernel->digest)
                take_unsteady(trial, stage->compiler,
                              "under another name, later in the same process");
        }
    }
}

/* ---- The trial ---- */

static bool assembles(const struct stage *stage)
{
    return stage->kind == STAGE_OPTIMISED && stage->skipped[0] == '\0';
}

/* Compares the code that one stage made: of all chunks, and of the file with the first chunk
 * twice. */
static bool compare(struct trial *trial, struct stage *stage, const struct assembly *assemblies,
                    size_t chunks, const struct program *programs, size_t count)
{
    for (size_t c = 0; c < chunks + !trial->steady; c++)
        if (assemblies[c].error[0] != '\0')
            return stage_falls_out(trial, stage, assemblies[c].error);
    if (!trial->steady)
        compare_again(trial, stage, &assemblies[0], &assemblies[chunks]);
    return compare_codes(trial, stage, assemblies, chunks, programs, count);
}

static bool try_programs(struct trial *trial, const struct program *programs, size_t count)
{
    size_t chunks = (count + CHUNK - 1) / CHUNK, files = chunks + !trial->steady, total = 0;
    struct assembly *assemblies = calloc(trial->stage_count * files + 1, sizeof *assemblies);
    bool good = assemblies != NULL;

    if (!good)
        snprintf(trial->error, sizeof trial->error, "out of memory");
    for (size_t c = 0; good && c < files; c++) {
        bool twice = c == chunks;
        size_t first = twice ? 0 : c * CHUNK, left = count - first,
               some = left < CHUNK ? left : CHUNK;
        char name[32], ptx[PATH];
        snprintf(name, sizeof name, "twins-%zu.ptx", c);
        trial_path(trial, name, ptx);
        good = write_some(trial, ptx, programs, first, some, twice);
        for (size_t s = 0, ready = 0; s < trial->stage_count; s++)
            if (assembles(&trial->stages[s])) {
                struct assembly *assembly = &assemblies[ready++ * files + c];
                assembly->trial = trial;
                assembly->stage = &trial->stages[s];
                assembly->expected = twice ? 2 * some : some;
                memcpy(assembly->ptx, ptx, PATH);
                total++;
            }
    }
    if (good)
        parallel_for(total, assemble, assemblies);
    for (size_t s = 0, ready = 0; good && s < trial->stage_count; s++)
        if (assembles(&trial->stages[s]))
            good = compare(trial, &trial->stages[s], &assemblies[ready++ * files], chunks, programs,
                           count);
    for (size_t k = 0; assemblies != NULL && k < total; k++)
        free(assemblies[k].kernels);
    free(assemblies);
    trial->steady = true;
    return good;
}

bool trial_twins_of(struct trial *trial, const struct program *tried, size_t count)
{
    size_t most = count * (1 + MAX_BESIDE), total = 0;
    struct program *programs = malloc((most + 1) * sizeof *programs);
    bool good;

    for (size_t k = 0; programs != NULL && k < count; k++) {
        programs[total] = tried[k];
        total += 1 + programs_beside(&tried[k], &programs[total + 1]);
    }
    for (size_t p = 0; programs != NULL && p < total; p++)
        name_of(programs[p].name, "p", p);
    if (programs == NULL)
        snprintf(trial->error, sizeof trial->error, "out of memory");
    good = programs != NULL && try_programs(trial, programs, total);
    free(programs);
    return good;
}

bool trial_twins(struct trial *trial, uint64_t first, size_t count)
{
    return trial_drawn(trial, first, count, trial_twins_of);
}
