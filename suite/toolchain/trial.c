/* SPDX-License-Identifier: MIT */
#include "trial.h"

#include "idioms.h"
#include "machine_code.h"
#include "program_catalogue.h"
#include "program_cuda.h"
#include "program_ptx.h"
#include "random_program.h"
#include "shrink_program.h"
#include "supervisor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 8 * PROGRAM_BLOCK, PATH = 512, SHRUNK_AT_ONCE = 48 };

/* ---- Files ---- */

static bool fail(struct trial *trial, const char *what, const char *path)
{
    snprintf(trial->error, sizeof trial->error, "cannot %s %.300s: %s", what, path,
             strerror(errno));
    return false;
}

static void path_of(const struct trial *trial, const char *name, char path[PATH])
{
    snprintf(path, PATH, "%s/%s", trial->folder, name);
}

static void write_ptx(FILE *to, const struct program *programs, size_t count)
{
    program_ptx_head(to);
    for (size_t k = 0; k < count; k++)
        if (program_has_ptx(&programs[k]))
            program_ptx(to, &programs[k]);
}

static void write_cuda(FILE *to, const struct program *programs, size_t count)
{
    program_cuda_head(to);
    for (size_t k = 0; k < count; k++)
        program_cuda(to, &programs[k]);
}

static void write_list(FILE *to, const struct program *programs, size_t count)
{
    for (size_t k = 0; k < count; k++)
        program_write(to, &programs[k]);
}

/* The programs as PTX, as CUDA C++, and as what workers read. */
static bool write_programs(struct trial *trial, const struct program *programs, size_t count)
{
    static const struct {
        const char *name;
        void (*write)(FILE *to, const struct program *programs, size_t count);
    } files[] = {
        {"programs.ptx", write_ptx}, {"programs.cu", write_cuda}, {"programs.txt", write_list}};

    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char path[PATH];
        FILE *to;
        bool good;
        path_of(trial, files[f].name, path);
        to = fopen(path, "w");
        if (to == NULL)
            return fail(trial, "write", path);
        files[f].write(to, programs, count);
        good = !ferror(to);
        if (fclose(to) != 0 || !good)
            return fail(trial, "write", path);
    }
    return true;
}

/* ---- Running ---- */

/* Has the file that the stage runs. An object has a name of its own, for once loaded it stays. */
static bool build(struct trial *trial, const struct stage *stage, char code[PATH])
{
    static unsigned int number;
    char cuda[PATH], front[PATH], ptx[PATH];

    path_of(trial, "programs.cu", cuda);
    path_of(trial, "front.ptx", front);
    path_of(trial, "programs.ptx", ptx);
    switch (stage->kind) {
    case STAGE_HOST:
    case STAGE_FRONT_END:
        snprintf(code, PATH, "%.400s/programs-%u.so", trial->folder, number++);
        if (stage->kind == STAGE_HOST)
            return build_host_code(ptx, code, trial->error, sizeof trial->error);
        return build_ptx(stage->compiler, cuda, front, trial->error, sizeof trial->error) &&
               build_host_code(front, code, trial->error, sizeof trial->error);
    case STAGE_UNOPTIMISED:
    case STAGE_OPTIMISED:
        path_of(trial, "programs.cubin", code);
        return build_machine_code(stage->compiler, trial->architecture,
                                  stage->kind == STAGE_OPTIMISED ? 3 : 0, ptx, code, trial->error,
                                  sizeof trial->error);
    case STAGE_DRIVER:
        break;
    }
    memcpy(code, ptx, PATH);
    return true;
}

/* Runs all programs, which write_programs() has written, each with values[k * stride]. A stage that
 * cannot is told to be unavailable, and outcomes are zeros, which is a pass. */
static bool run_stage(struct trial *trial, struct stage *stage,
                      const struct program_catalogue *rows, const struct values *values,
                      size_t stride, struct outcome *outcomes)
{
    size_t count = rows->catalogue.count;
    struct test_case *cases = calloc(count, sizeof *cases);
    char code[PATH], list[PATH], reason[512];
    enum engine_status status;

    memset(outcomes, 0, count * sizeof *outcomes);
    if (cases == NULL) {
        snprintf(trial->error, sizeof trial->error, "out of memory");
        return false;
    }
    if (!build(trial, stage, code)) {
        free(cases);
        return false;
    }
    for (size_t k = 0; k < count; k++)
        cases[k] = (struct test_case){.variant = &rows->catalogue.variants[k],
                                      .shape = {{PROGRAM_BLOCK, 1, 1}, {ELEMENTS, 1}, 0},
                                      .values = values[k * stride],
                                      .model = MODEL_ITS};
    path_of(trial, "programs.txt", list);
    supervisor_use(stage->supervisor, code, list);
    status = supervisor_run_array(stage->supervisor, cases, count, outcomes, reason, sizeof reason);
    free(cases);
    if (stage->kind == STAGE_HOST || stage->kind == STAGE_FRONT_END)
        remove(code);
    if (status == ENGINE_OK)
        return true;
    memset(outcomes, 0, count * sizeof *outcomes);
    snprintf(stage->unavailable, sizeof stage->unavailable, "%.250s", reason);
    return status != ENGINE_STOPPED;
}

/* ---- Shrinking ---- */

struct failure {
    struct program program;
    struct outcome outcome;
    bool done;
};

/* One step for every failure of the stage that can be simpler: all candidates in one module. */
static bool shrink_step(struct trial *trial, struct stage *stage, struct failure *failures,
                        size_t count, const struct values *values, bool *changed)
{
    struct program *candidates = malloc((size_t)count * MOST_SMALLER * sizeof *candidates);
    size_t *first = calloc(count + 1, sizeof *first), total = 0;
    struct program_catalogue rows = {.programs = NULL};
    struct outcome *outcomes = NULL;
    bool good = candidates != NULL && first != NULL;

    *changed = false;
    for (size_t f = 0; good && f < count; f++) {
        first[f] = total;
        if (!failures[f].done)
            total += programs_smaller(&failures[f].program, candidates + total);
    }
    if (good && total > 0) {
        first[count] = total;
        for (size_t k = 0; k < total; k++)
            snprintf(candidates[k].name, sizeof candidates[k].name, "c%zu", k);
        outcomes = calloc(total, sizeof *outcomes);
        good = outcomes != NULL && program_catalogue_make(candidates, total, &rows) &&
               write_programs(trial, candidates, total) &&
               run_stage(trial, stage, &rows, values, 0, outcomes);
        for (size_t f = 0; good && f < count; f++) {
            size_t best = first[f + 1];
            for (size_t k = first[f]; k < first[f + 1]; k++)
                if (outcomes[k].kind == OUTCOME_MISMATCH &&
                    (best == first[f + 1] || program_is_simpler(&candidates[k], &candidates[best])))
                    best = k;
            failures[f].done = best == first[f + 1];
            if (failures[f].done)
                continue;
            failures[f].program = candidates[best];
            failures[f].outcome = outcomes[best];
            *changed = true;
        }
        program_catalogue_free(&rows);
    }
    free(outcomes);
    free(candidates);
    free(first);
    return good;
}

static struct family *family_of(struct trial *trial, const struct failure *failure,
                                const struct values *values)
{
    char shape[sizeof trial->families[0].shape];
    struct family *family;

    program_shape(&failure->program, shape, sizeof shape);
    for (size_t k = 0; k < trial->family_count; k++)
        if (strcmp(trial->families[k].shape, shape) == 0)
            return &trial->families[k];
    if (trial->family_count == MOST_FAMILIES)
        return NULL;
    family = &trial->families[trial->family_count++];
    *family = (struct family){
        .program = failure->program, .outcome = failure->outcome, .values = *values};
    memcpy(family->shape, shape, sizeof shape);
    snprintf(family->program.name, sizeof family->program.name, "family%zu", trial->family_count);
    return family;
}

static bool shrink_all(struct trial *trial, struct stage *stage, struct failure *failures,
                       size_t count, const struct values *values)
{
    bool changed = true;

    while (changed)
        if (!shrink_step(trial, stage, failures, count, values, &changed))
            return false;
    for (size_t f = 0; f < count; f++) {
        struct family *family = family_of(trial, &failures[f], values);
        if (family != NULL) {
            family->members++;
            family->wrong[stage - trial->stages] = true;
        }
    }
    return true;
}

/* ---- The trial ---- */

/* Runs the stage, counts, and shrinks what is wrong, some at a time. */
static bool try_stage(struct trial *trial, struct stage *stage, const struct program *programs,
                      const struct program_catalogue *rows, const struct values *values)
{
    size_t count = rows->catalogue.count, failed = 0;
    struct outcome *outcomes = calloc(count, sizeof *outcomes);
    struct failure *failures = calloc(SHRUNK_AT_ONCE, sizeof *failures);
    bool good = outcomes != NULL && failures != NULL && write_programs(trial, programs, count) &&
                run_stage(trial, stage, rows, values, 0, outcomes);

    for (size_t k = 0; good && k < count; k++) {
        stage->run += stage->unavailable[0] == '\0';
        if (outcomes[k].kind == OUTCOME_PASS)
            continue;
        stage->wrong++;
        if (outcomes[k].kind == OUTCOME_MISMATCH && failed < SHRUNK_AT_ONCE)
            failures[failed++] = (struct failure){.program = programs[k], .outcome = outcomes[k]};
    }
    good = good && (failed == 0 || shrink_all(trial, stage, failures, failed, values));
    free(failures);
    free(outcomes);
    return good;
}

bool trial_of_programs(struct trial *trial, const struct program *programs, size_t count)
{
    struct program_catalogue rows = {.programs = NULL};
    const struct values values = {VALUES_EDGES, trial->seed + trial->programs};
    bool good = program_catalogue_make(programs, count, &rows);

    if (!good)
        snprintf(trial->error, sizeof trial->error, "out of memory");
    for (size_t s = 0; good && s < trial->stage_count && !trial->stopped(); s++)
        if (trial->stages[s].supervisor != NULL && trial->stages[s].unavailable[0] == '\0')
            good = try_stage(trial, &trial->stages[s], programs, &rows, &values);
    trial->programs += good ? count : 0;
    program_catalogue_free(&rows);
    return good;
}

/* Those of that seed from number `first` on, for the caller to free; null when memory runs out. */
static struct program *drawn(struct trial *trial, uint64_t first, size_t count)
{
    struct program *programs = malloc((count + 1) * sizeof *programs);

    if (programs == NULL)
        snprintf(trial->error, sizeof trial->error, "out of memory");
    for (size_t k = 0; programs != NULL && k < count; k++)
        program_draw(trial->seed, first + k, &programs[k]);
    return programs;
}

bool trial_run(struct trial *trial, uint64_t first, size_t count)
{
    struct program *programs = drawn(trial, first, count);
    bool good = programs != NULL && trial_of_programs(trial, programs, count);

    free(programs);
    return good;
}

bool trial_idioms(struct trial *trial)
{
    struct program *programs = NULL;
    size_t count = 0, k = 0;
    bool good;

    while (idioms[count] != NULL)
        count++;
    programs = malloc((count + 1) * sizeof *programs);
    while (programs != NULL && k < count &&
           program_read(idioms[k], &programs[k], trial->error, sizeof trial->error))
        k++;
    good = k == count && trial_of_programs(trial, programs, count) &&
           trial_twins_of(trial, programs, count);
    free(programs);
    return good;
}

bool trial_settle(struct trial *trial)
{
    size_t count = trial->family_count;
    struct program *programs = calloc(count + 1, sizeof *programs);
    struct values *values = calloc(count + 1, sizeof *values);
    struct outcome *outcomes = calloc(count + 1, sizeof *outcomes);
    struct program_catalogue rows = {.programs = NULL};
    bool good = programs != NULL && values != NULL && outcomes != NULL;

    for (size_t k = 0; good && k < count; k++) {
        programs[k] = trial->families[k].program;
        values[k] = trial->families[k].values;
    }
    good = good && program_catalogue_make(programs, count, &rows) &&
           write_programs(trial, programs, count);
    for (size_t s = 0; good && count > 0 && s < trial->stage_count && !trial->stopped(); s++) {
        struct stage *stage = &trial->stages[s];
        if (stage->supervisor == NULL || stage->unavailable[0] != '\0')
            continue;
        good = run_stage(trial, stage, &rows, values, 1, outcomes);
        for (size_t k = 0; good && k < count; k++)
            trial->families[k].wrong[s] = outcomes[k].kind == OUTCOME_MISMATCH;
    }
    program_catalogue_free(&rows);
    free(programs);
    free(values);
    free(outcomes);
    return good;
}

/* ---- Twins ---- */

/* The first element at which the programs differ; false when none of those tried. */
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

/* Keeps the smallest, in that order. */
static void take_twins(struct trial *trial, struct stage *stage, const struct program *one,
                       const struct program *other, uint32_t bytes)
{
    struct twins twins = {
        .one = *one, .other = *other, .compiler = stage->compiler, .bytes = bytes};
    size_t k;

    if (!differ(one, other, &twins))
        return;
    trial->twins_seen++;
    stage->same_code++;
    if (trial->twin_count < MOST_TWINS)
        trial->twin_count++;
    else if (!is_smaller(&twins, &trial->twins[MOST_TWINS - 1]))
        return;
    for (k = trial->twin_count - 1; k > 0 && is_smaller(&twins, &trial->twins[k - 1]); k--)
        trial->twins[k] = trial->twins[k - 1];
    trial->twins[k] = twins;
}

static bool assemble(struct trial *trial, const struct compiler *ptxas,
                     struct kernel_code **kernels, size_t *count)
{
    char ptx[PATH], cubin[PATH];

    path_of(trial, "programs.ptx", ptx);
    path_of(trial, "programs.cubin", cubin);
    return build_machine_code(ptxas, trial->architecture, 3, ptx, cubin, trial->error,
                              sizeof trial->error) &&
           machine_code_read(cubin, kernels, count, trial->error, sizeof trial->error);
}

/* Assembles once more, and compares kernel by kernel. */
static bool compare_again(struct trial *trial, const struct compiler *ptxas,
                          const struct kernel_code *kernels, size_t count)
{
    struct kernel_code *again;
    size_t found, same = 0;

    if (!assemble(trial, ptxas, &again, &found))
        return false;
    while (same < count && same < found && kernels[same].digest == again[same].digest)
        same++;
    if (same < count || count != found)
        trial->unsteady[trial->unsteady_count++] = ptxas;
    free(again);
    return true;
}

static int by_digest(const void *left, const void *right)
{
    const struct kernel_code *a = left, *b = right;

    return (a->digest > b->digest) - (a->digest < b->digest);
}

static const struct program *program_of(const struct kernel_code *kernel,
                                        const struct program *programs, size_t count)
{
    unsigned long k = kernel->name[0] == 'p' ? strtoul(kernel->name + 1, NULL, 10) : count;
    return k < count ? &programs[k] : NULL;
}

/* Programs p0, p1, ...: holds each to the first that has the same code. */
static bool compare_codes(struct trial *trial, struct stage *stage, const struct program *programs,
                          size_t count, bool twice)
{
    struct kernel_code *kernels;
    size_t found, first = 0;
    bool good;

    if (!assemble(trial, stage->compiler, &kernels, &found))
        return false;
    if (found != count) {
        snprintf(trial->error, sizeof trial->error,
                 "%s made code of %zu kernels, and was given %zu", stage->compiler->path, found,
                 count);
        free(kernels);
        return false;
    }
    good = !twice || compare_again(trial, stage->compiler, kernels, found);
    qsort(kernels, found, sizeof *kernels, by_digest);
    for (size_t k = 1; k < found; k++) {
        const struct program *one = program_of(&kernels[first], programs, count),
                             *other = program_of(&kernels[k], programs, count);
        if (kernels[k].digest != kernels[first].digest)
            first = k;
        else if (one != NULL && other != NULL)
            take_twins(trial, stage, one, other, kernels[k].bytes);
    }
    free(kernels);
    return good;
}

bool trial_twins_of(struct trial *trial, const struct program *tried, size_t count)
{
    size_t most = count * (1 + MOST_BESIDE), total = 0;
    struct program *programs = malloc((most + 1) * sizeof *programs);
    bool good = programs != NULL;

    for (size_t k = 0; good && k < count; k++) {
        programs[total] = tried[k];
        total += 1 + programs_beside(&tried[k], &programs[total + 1]);
    }
    for (size_t p = 0; good && p < total; p++)
        snprintf(programs[p].name, sizeof programs[p].name, "p%zu", p);
    good = good && write_programs(trial, programs, total);
    for (size_t s = 0; good && s < trial->stage_count && !trial->stopped(); s++)
        if (trial->stages[s].kind == STAGE_OPTIMISED && trial->stages[s].unavailable[0] == '\0')
            good = compare_codes(trial, &trial->stages[s], programs, total, !trial->steady);
    trial->steady = true;
    free(programs);
    return good;
}

bool trial_twins(struct trial *trial, uint64_t first, size_t count)
{
    struct program *programs = drawn(trial, first, count);
    bool good = programs != NULL && trial_twins_of(trial, programs, count);

    free(programs);
    return good;
}
