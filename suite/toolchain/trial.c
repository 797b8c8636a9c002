/* SPDX-License-Identifier: MIT */
#include "trial.h"

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

/* Runs all programs, which write_programs() has written. A stage that cannot is told to be
 * unavailable, and outcomes are zeros, which is a pass. */
static bool run_stage(struct trial *trial, struct stage *stage,
                      const struct program_catalogue *rows, uint64_t values,
                      struct outcome *outcomes)
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
                                      .values = {VALUES_EDGES, values},
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
                        size_t count, uint64_t values, bool *changed)
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
               run_stage(trial, stage, &rows, values, outcomes);
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

static struct family *family_of(struct trial *trial, const struct failure *failure, uint64_t values)
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
        .program = failure->program, .outcome = failure->outcome, .values = {VALUES_EDGES, values}};
    memcpy(family->shape, shape, sizeof shape);
    snprintf(family->program.name, sizeof family->program.name, "family%zu", trial->family_count);
    return family;
}

static bool shrink_all(struct trial *trial, struct stage *stage, struct failure *failures,
                       size_t count, uint64_t values)
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
                      const struct program_catalogue *rows, uint64_t values)
{
    size_t count = rows->catalogue.count, failed = 0;
    struct outcome *outcomes = calloc(count, sizeof *outcomes);
    struct failure *failures = calloc(SHRUNK_AT_ONCE, sizeof *failures);
    bool good = outcomes != NULL && failures != NULL && write_programs(trial, programs, count) &&
                run_stage(trial, stage, rows, values, outcomes);

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
    uint64_t values = trial->seed + trial->programs;
    bool good = program_catalogue_make(programs, count, &rows);

    if (!good)
        snprintf(trial->error, sizeof trial->error, "out of memory");
    for (size_t s = 0; good && s < trial->stage_count && !trial->stopped(); s++)
        if (trial->stages[s].supervisor != NULL && trial->stages[s].unavailable[0] == '\0')
            good = try_stage(trial, &trial->stages[s], programs, &rows, values);
    trial->programs += good ? count : 0;
    program_catalogue_free(&rows);
    return good;
}

bool trial_run(struct trial *trial, uint64_t first, size_t count)
{
    struct program *programs = malloc((count + 1) * sizeof *programs);
    bool good = programs != NULL;

    if (!good)
        snprintf(trial->error, sizeof trial->error, "out of memory");
    for (size_t k = 0; good && k < count; k++)
        program_draw(trial->seed, first + k, &programs[k]);
    good = good && trial_of_programs(trial, programs, count);
    free(programs);
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
static void take_twins(struct trial *trial, const struct compiler *compiler,
                       const struct program *one, const struct program *other, uint32_t bytes)
{
    struct twins twins = {.one = *one, .other = *other, .compiler = compiler, .bytes = bytes};
    size_t k;

    if (!differ(one, other, &twins))
        return;
    trial->twins_seen++;
    if (trial->twin_count < MOST_TWINS)
        trial->twin_count++;
    else if (!is_smaller(&twins, &trial->twins[MOST_TWINS - 1]))
        return;
    for (k = trial->twin_count - 1; k > 0 && is_smaller(&twins, &trial->twins[k - 1]); k--)
        trial->twins[k] = trial->twins[k - 1];
    trial->twins[k] = twins;
}

/* Programs k of which leader[k] is the program that k stands beside. */
static bool compare_codes(struct trial *trial, const struct compiler *compiler,
                          const struct program *programs, const size_t *leader, size_t count)
{
    char ptx[PATH], cubin[PATH];
    struct kernel_code *kernels;
    size_t found, *at = calloc(count, sizeof *at);
    bool good;

    path_of(trial, "programs.ptx", ptx);
    path_of(trial, "programs.cubin", cubin);
    good = at != NULL &&
           build_machine_code(compiler, trial->architecture, 3, ptx, cubin, trial->error,
                              sizeof trial->error) &&
           machine_code_read(cubin, &kernels, &found, trial->error, sizeof trial->error);
    if (!good) {
        free(at);
        return false;
    }
    for (size_t k = 0; k < count; k++)
        at[k] = found;
    for (size_t e = 0; e < found; e++)
        if (kernels[e].name[0] == 'p' && strtoul(kernels[e].name + 1, NULL, 10) < count)
            at[strtoul(kernels[e].name + 1, NULL, 10)] = e;
    for (size_t k = 0; k < count; k++)
        if (leader[k] != k && at[k] < found && at[leader[k]] < found &&
            kernels[at[k]].digest == kernels[at[leader[k]]].digest)
            take_twins(trial, compiler, &programs[leader[k]], &programs[k], kernels[at[k]].bytes);
    free(kernels);
    free(at);
    return true;
}

bool trial_twins(struct trial *trial, uint64_t first, size_t count)
{
    size_t most = count * (1 + MOST_BESIDE), total = 0;
    struct program *programs = malloc((most + 1) * sizeof *programs);
    size_t *leader = malloc((most + 1) * sizeof *leader);
    bool good = programs != NULL && leader != NULL;

    for (size_t k = 0; good && k < count; k++) {
        size_t own = total;
        program_draw(trial->seed, first + k, &programs[own]);
        total += 1 + programs_beside(&programs[own], &programs[own + 1]);
        for (size_t p = own; p < total; p++) {
            leader[p] = own;
            snprintf(programs[p].name, sizeof programs[p].name, "p%zu", p);
        }
    }
    good = good && write_programs(trial, programs, total);
    for (size_t s = 0; good && s < trial->stage_count && !trial->stopped(); s++)
        if (trial->stages[s].kind == STAGE_OPTIMISED && trial->stages[s].unavailable[0] == '\0')
            good = compare_codes(trial, trial->stages[s].compiler, programs, leader, total);
    free(programs);
    free(leader);
    return good;
}
