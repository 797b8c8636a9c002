/* SPDX-License-Identifier: MIT */
#include "trial.h"

#include "error_report.h"
#include "idioms.h"
#include "program_catalogue.h"
#include "program_code.h"
#include "shrink_program.h"
#include "stage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 8 * PROGRAM_BLOCK, SHRUNK_AT_ONCE = 48 };

/* ---- Files ---- */

static bool fail(struct trial *trial, const char *what, const char *path)
{
    return error_write(trial->error, sizeof trial->error, "cannot %s %.300s: %s", what, path,
                       strerror(errno));
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
    fputs(PROGRAMS_TAG, to);
    for (size_t k = 0; k < count; k++)
        program_write(to, &programs[k]);
}

/* Writes the programs as PTX, as CUDA C++, and as text for workers. */
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
        trial_path(trial, files[f].name, path);
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

/* The programs of write_programs(), as cases and as files. */
struct work {
    struct program_catalogue rows;
    struct test_case *cases;
    struct sources sources;
};

static void free_work(struct work *work)
{
    program_catalogue_free(&work->rows);
    free(work->cases);
    free(work);
}

static bool all_have_ptx(const struct program *programs, size_t count)
{
    size_t k = 0;

    while (k < count && program_has_ptx(&programs[k]))
        k++;
    return k == count;
}

/* Returns the first available front end, or null. */
static struct stage *front_end(struct trial *trial)
{
    const struct sources sources = {.by_front_end = true};

    for (size_t s = 0; s < trial->stage_count; s++)
        if (trial->stages[s].kind == STAGE_FRONT_END &&
            stage_takes_part(&trial->stages[s], &sources))
            return &trial->stages[s];
    return NULL;
}

/* Makes the PTX of programs without PTX with the first front end. Returns false with an error. */
static bool have_ptx_made(struct trial *trial, struct sources *sources)
{
    const struct stage *front = front_end(trial);

    if (front == NULL)
        return error_write(trial->error, sizeof trial->error,
                           "programs in CUDA C++ need an nvcc or a clang");
    trial_path(trial, "by-front-end.ptx", sources->ptx);
    trial_path(trial, "by-front-end-as-old.ptx", sources->old_ptx);
    sources->by_front_end = true;
    return build_ptx(front->compiler, false, sources->cuda, sources->ptx, trial->error,
                     sizeof trial->error) &&
           ptx_copy_as_old(sources->ptx, sources->old_ptx, trial->error, sizeof trial->error);
}

/* Makes work of the programs; program k gets values[k * stride]. free_work() frees it. Returns null
 * with an error. */
static struct work *work_of(struct trial *trial, const struct program *programs, size_t count,
                            const struct values *values, size_t stride)
{
    struct work *work = calloc(1, sizeof *work);

    if (work != NULL)
        work->cases = calloc(count + 1, sizeof *work->cases);
    if (work == NULL || work->cases == NULL ||
        !program_catalogue_make(programs, count, &work->rows)) {
        if (work != NULL)
            free(work->cases);
        free(work);
        snprintf(trial->error, sizeof trial->error, "out of memory");
        return NULL;
    }
    for (size_t k = 0; k < count; k++)
        work->cases[k] =
            (struct test_case){.variant = &work->rows.catalogue.variants[k],
                               .shape = {{PROGRAM_BLOCK, 1, 1}, {ELEMENTS, 1}, 0, 0, {0, 0}},
                               .values = values[k * stride],
                               .model = MODEL_INDEPENDENT};
    trial_path(trial, "programs.cu", work->sources.cuda);
    trial_path(trial, "programs.ptx", work->sources.ptx);
    trial_path(trial, "programs.ptx", work->sources.old_ptx);
    trial_path(trial, "programs.txt", work->sources.programs);
    if (write_programs(trial, programs, count) &&
        (all_have_ptx(programs, count) || have_ptx_made(trial, &work->sources)))
        return work;
    free_work(work);
    return NULL;
}

/* Runs the programs in one stage. `outcomes` has one element for each program. Returns false with
 * an error. */
static bool run_alone(struct trial *trial, struct stage *stage, const struct program *programs,
                      size_t count, const struct values *values, struct outcome *outcomes)
{
    struct work *work = work_of(trial, programs, count, values, 0);
    struct code *code = malloc(sizeof *code);
    bool good = work != NULL && code != NULL;

    if (good) {
        stage_build(trial, stage, &work->sources, code);
        good = stage_run(trial, stage, &work->sources, code, work->cases, count, outcomes);
    }
    if (work != NULL)
        free_work(work);
    free(code);
    return good;
}

/* ---- Shrinking ---- */

struct failure {
    size_t number; /* of the program that failed */
    struct program program;
    struct outcome outcome;
    bool done;
};

/* Returns true if both outcomes are the same kind of failure. */
static bool fails_alike(const struct outcome *outcome, const struct outcome *other)
{
    return outcome->kind == other->kind &&
           (outcome->kind != OUTCOME_FAULT || outcome->fault.kind == other->fault.kind);
}

/* Simplifies each failure of the stage by one step if possible. All candidates share one module. */
static bool shrink_step(struct trial *trial, struct stage *stage, struct failure *failures,
                        size_t count, const struct values *values, bool *changed)
{
    struct program *candidates = malloc((size_t)count * MAX_SMALLER * sizeof *candidates);
    size_t *first = calloc(count + 1, sizeof *first), total = 0;
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
        good = outcomes != NULL && run_alone(trial, stage, candidates, total, values, outcomes);
        for (size_t f = 0; good && f < count; f++) {
            size_t best = first[f + 1];
            for (size_t k = first[f]; k < first[f + 1]; k++)
                if (fails_alike(&outcomes[k], &failures[f].outcome) &&
                    (best == first[f + 1] || program_is_simpler(&candidates[k], &candidates[best])))
                    best = k;
            failures[f].done = best == first[f + 1];
            if (failures[f].done)
                continue;
            failures[f].program = candidates[best];
            failures[f].outcome = outcomes[best];
            *changed = true;
        }
    }
    free(outcomes);
    free(candidates);
    free(first);
    return good;
}

/* Describes a fault as a difference. */
static struct difference fault_difference(const struct fault *fault)
{
    struct difference difference = {.place = "fault", .expected = "none"};

    snprintf(difference.got, sizeof difference.got, "%s", fault_name(fault->kind));
    return difference;
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
    if (trial->family_count == MAX_FAMILIES)
        return NULL;
    family = &trial->families[trial->family_count++];
    *family = (struct family){.program = failure->program,
                              .outcome = failure->outcome,
                              .values = *values,
                              .when = trial_number(trial)};
    memcpy(family->shape, shape, sizeof shape);
    if (failure->outcome.kind == OUTCOME_FAULT)
        family->outcome.difference = fault_difference(&failure->outcome.fault);
    snprintf(family->program.name, sizeof family->program.name, "family%zu", trial->family_count);
    return family;
}

/* Simplifies the failures of a stage and adds them to families. `counted` says, for each program
 * and family, whether the family counts the program already, for another stage. */
static bool shrink_all(struct trial *trial, struct stage *stage, struct failure *failures,
                       size_t count, const struct values *values, bool (*counted)[MAX_FAMILIES])
{
    bool changed = true;

    while (changed)
        if (!shrink_step(trial, stage, failures, count, values, &changed))
            return false;
    for (size_t f = 0; f < count; f++) {
        struct family *family = family_of(trial, &failures[f], values);
        if (family != NULL) {
            bool *is_counted = &counted[failures[f].number][family - trial->families];
            family->members += !*is_counted;
            *is_counted = true;
            family->wrong[stage - trial->stages] = true;
        }
    }
    return true;
}

/* ---- The trial ---- */

/* Counts the outcomes of a stage and shrinks the failures, some at a time. */
static bool take_outcomes(struct trial *trial, struct stage *stage, const struct program *programs,
                          size_t count, const struct outcome *outcomes, const struct values *values,
                          bool (*counted)[MAX_FAMILIES])
{
    struct failure *failures = calloc(SHRUNK_AT_ONCE, sizeof *failures);
    size_t failed = 0;
    bool good = failures != NULL;

    for (size_t k = 0; good && k < count; k++) {
        stage->run++;
        if (outcomes[k].kind == OUTCOME_PASS)
            continue;
        stage->wrong++;
        if (failed < SHRUNK_AT_ONCE)
            failures[failed++] =
                (struct failure){.number = k, .program = programs[k], .outcome = outcomes[k]};
    }
    good = good && (failed == 0 || shrink_all(trial, stage, failures, failed, values, counted));
    free(failures);
    return good;
}

void trial_skip(struct trial *trial, uint64_t count)
{
    trial->skipped += count;
    trial->steady = true;
}

bool trial_of_programs(struct trial *trial, const struct program *programs, size_t count)
{
    const struct values values = {VALUES_EDGES, trial->seed + trial_number(trial)};
    struct work *work = work_of(trial, programs, count, &values, 0);
    struct outcome *outcomes = calloc(trial->stage_count * count + 1, sizeof *outcomes);
    bool(*counted)[MAX_FAMILIES] = calloc(count + 1, sizeof *counted);
    bool good = work != NULL && outcomes != NULL && counted != NULL &&
                stages_run(trial, &work->sources, work->cases, count, outcomes);
    size_t s = 0;

    for (; good && s < trial->stage_count && !trial->stopped(); s++)
        if (stage_takes_part(&trial->stages[s], &work->sources))
            good = take_outcomes(trial, &trial->stages[s], programs, count, &outcomes[s * count],
                                 &values, counted);
    trial->programs += good && s == trial->stage_count ? count : 0;
    if (work != NULL)
        free_work(work);
    free(outcomes);
    free(counted);
    return good;
}

bool trial_run(struct trial *trial, uint64_t first, size_t count)
{
    return trial_drawn(trial, first, count, trial_of_programs);
}

static size_t length_of(const char *const list[])
{
    size_t count = 0;

    while (list[count] != NULL)
        count++;
    return count;
}

void trial_skip_idioms(struct trial *trial)
{
    trial_skip(trial, length_of(idioms) + (front_end(trial) != NULL ? length_of(idioms_cuda) : 0));
}

/* Reads the programs of a list that ends with null. The caller frees them. Returns null with an
 * error. */
static struct program *read_idioms(struct trial *trial, const char *const list[], size_t *count)
{
    struct program *programs;
    size_t k = 0;

    *count = length_of(list);
    programs = malloc((*count + 1) * sizeof *programs);
    while (programs != NULL && k < *count &&
           program_read(list[k], &programs[k], trial->error, sizeof trial->error))
        k++;
    if (k == *count)
        return programs;
    free(programs);
    return NULL;
}

static bool same_files(const char *one, const char *other)
{
    FILE *a = fopen(one, "r"), *b = fopen(other, "r");
    bool same = a != NULL && b != NULL;
    int c = 0;

    while (same && c != EOF)
        same = (c = getc(a)) == getc(b);
    if (a != NULL)
        fclose(a);
    if (b != NULL)
        fclose(b);
    return same;
}

/* Makes each front end compile the last written programs twice. The PTX must be identical. */
static void repeat_front_ends(struct trial *trial)
{
    const struct sources sources = {.by_front_end = true};
    char cuda[PATH], once[PATH], again[PATH], error[512];

    trial_path(trial, "programs.cu", cuda);
    trial_path(trial, "once.ptx", once);
    trial_path(trial, "again.ptx", again);
    for (size_t s = 0; s < trial->stage_count; s++) {
        const struct stage *stage = &trial->stages[s];
        if (stage->kind == STAGE_FRONT_END && stage_takes_part(stage, &sources) &&
            build_ptx(stage->compiler, false, cuda, once, error, sizeof error) &&
            build_ptx(stage->compiler, false, cuda, again, error, sizeof error) &&
            !same_files(once, again))
            trial->unsteady[trial->unsteady_count++] = (struct unsteady){
                stage->compiler, front_end_names[stage->compiler->front_end], "the second time"};
    }
}

bool trial_idioms(struct trial *trial)
{
    size_t count;
    struct program *programs = read_idioms(trial, idioms, &count);
    bool good = programs != NULL && trial_of_programs(trial, programs, count) &&
                trial_twins_of(trial, programs, count);

    free(programs);
    if (good)
        repeat_front_ends(trial);
    if (!good || front_end(trial) == NULL)
        return good;
    programs = read_idioms(trial, idioms_cuda, &count);
    good = programs != NULL && trial_of_programs(trial, programs, count);
    free(programs);
    return good;
}

/* Settles the families whose programs have PTX, or those whose programs have none. */
static bool settle(struct trial *trial, bool has_ptx)
{
    size_t count = 0, of[MAX_FAMILIES];
    struct program programs[MAX_FAMILIES];
    struct values values[MAX_FAMILIES];
    struct outcome *outcomes = calloc(trial->stage_count * MAX_FAMILIES + 1, sizeof *outcomes);
    struct work *work = NULL;
    bool good;

    for (size_t k = 0; k < trial->family_count; k++)
        if (program_has_ptx(&trial->families[k].program) == has_ptx) {
            programs[count] = trial->families[k].program;
            values[count] = trial->families[k].values;
            of[count++] = k;
        }
    if (outcomes != NULL && count > 0)
        work = work_of(trial, programs, count, values, 1);
    good = count == 0 ||
           (work != NULL && stages_run(trial, &work->sources, work->cases, count, outcomes));
    for (size_t s = 0; good && count > 0 && s < trial->stage_count; s++)
        for (size_t k = 0; k < count && stage_takes_part(&trial->stages[s], &work->sources); k++)
            trial->families[of[k]].wrong[s] = outcomes[s * count + k].kind != OUTCOME_PASS;
    if (work != NULL)
        free_work(work);
    free(outcomes);
    return good;
}

bool trial_settle(struct trial *trial)
{
    return settle(trial, true) && settle(trial, false);
}
