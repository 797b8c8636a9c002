/* SPDX-License-Identifier: MIT
 *
 * Runs the catalogue's kernels through a trial.
 */
#include "installation.h"
#include "plan.h"
#include "stage.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Sources ---- */

/* Finds the sources of a variant's family. The PTX is by the nvcc of the build. Returns false with
 * an error. */
static bool sources_of(struct trial *trial, const struct variant *variant, struct sources *sources)
{
    char folder[PATH];

    installation_data("kernels", folder, sizeof folder);
    snprintf(sources->cuda, PATH, "%.400s/%.100s.cu", folder, variant->family);
    installation_ptx(folder, sizeof folder);
    snprintf(sources->ptx, PATH, "%.400s/%.100s.ptx", folder, variant->family);
    trial_path(trial, "kernels.ptx", sources->old_ptx);
    return ptx_copy_as_old(sources->ptx, sources->old_ptx, trial->error, sizeof trial->error);
}

/* ---- The catalogue ---- */

/* The cases of one family, in the catalogue's order. */
struct cases {
    struct test_case *all;
    size_t count;
};

/* Adds cases of the variant: level 1, two sizes for each block. */
static bool add_cases(struct cases *cases, const struct variant *variant, uint64_t seed)
{
    const struct plan_request request = {.models = {[MODEL_INDEPENDENT] = true},
                                         .schedules = {{.kind = SCHEDULE_SEQUENTIAL}},
                                         .schedule_count = 1,
                                         .seed = seed,
                                         .level = 1,
                                         .sizes_per_block = 2};
    struct test_case *more;
    struct plan plan;
    size_t count;

    if (!plan_make(&request, variant, false, 0, &plan))
        return false;
    count = (size_t)plan_count(&plan);
    more = realloc(cases->all, (cases->count + count + 1) * sizeof *more);
    if (more != NULL) {
        cases->all = more;
        for (size_t k = 0; k < count; k++)
            plan_case(&plan, k, &more[cases->count++]);
    }
    plan_free(&plan);
    return more != NULL;
}

static bool is_tried(const struct variant *variant)
{
    return variant->kind == VARIANT_CORRECTED && variant->launches == LAUNCHES_NOTHING &&
           variant->kernel != NULL;
}

/* Returns true if the variant is the first tested one of its family. */
static bool is_first(const struct catalogue *catalogue, size_t v)
{
    size_t first = 0;

    while (!is_tried(&catalogue->variants[first]) ||
           strcmp(catalogue->variants[first].family, catalogue->variants[v].family) != 0)
        first++;
    return first == v;
}

/* Counts rows and keeps the first wrong case of each. The cases of a row are adjacent. */
static void take(struct trial *trial, struct stage *stage, const struct cases *cases,
                 const struct outcome *outcomes)
{
    for (size_t k = 0, next; k < cases->count; k = next) {
        const struct variant *variant = cases->all[k].variant;
        size_t wrong = cases->count;
        for (next = k; next < cases->count && cases->all[next].variant == variant; next++)
            if (outcomes[next].kind != OUTCOME_PASS && wrong == cases->count)
                wrong = next;
        stage->rows++;
        if (wrong == cases->count)
            continue;
        stage->rows_wrong++;
        if (trial->wrong_row_count < MAX_WRONG_ROWS)
            trial->wrong_rows[trial->wrong_row_count++] =
                (struct wrong_row){stage, {.test = cases->all[wrong], .outcome = outcomes[wrong]}};
    }
}

static bool try_family(struct trial *trial, const struct catalogue *catalogue,
                       const struct variant *first)
{
    struct sources sources = {.programs = ""};
    struct cases cases = {.all = NULL};
    struct outcome *outcomes;
    struct code *codes = calloc(MAX_STAGES, sizeof *codes);
    bool good = codes != NULL;

    for (size_t v = 0; good && v < catalogue->count; v++) {
        const struct variant *variant = &catalogue->variants[v];
        if (is_tried(variant) && strcmp(variant->family, first->family) == 0)
            good = add_cases(&cases, variant, trial->seed);
    }
    outcomes = calloc(cases.count + 1, sizeof *outcomes);
    good = good && outcomes != NULL;
    if (!good)
        snprintf(trial->error, sizeof trial->error, "out of memory");
    good = good && sources_of(trial, first, &sources);
    if (good)
        stages_build(trial, &sources, codes);
    for (size_t s = 0; good && s < trial->stage_count && !trial->stopped(); s++) {
        struct stage *stage = &trial->stages[s];
        if (!stage_takes_part(stage, &sources) || stage->rows_skipped[0] != '\0' ||
            stage->kind == STAGE_SIM)
            continue;
        good = stage_run(trial, stage, &sources, &codes[s], cases.all, cases.count, outcomes);
        if (good && stage->skipped[0] == '\0')
            take(trial, stage, &cases, outcomes);
        memcpy(stage->rows_skipped, stage->skipped, sizeof stage->skipped);
        stage->skipped[0] = '\0';
    }
    free(codes);
    free(outcomes);
    free(cases.all);
    return good;
}

bool trial_kernels(struct trial *trial, const struct catalogue *catalogue)
{
    char folder[PATH];

    installation_ptx(folder, sizeof folder);
    if (access(folder, R_OK) != 0) /* The build had no nvcc. */
        return true;
    for (size_t v = 0; v < catalogue->count && !trial->stopped(); v++)
        if (is_tried(&catalogue->variants[v]) && is_first(catalogue, v) &&
            !try_family(trial, catalogue, &catalogue->variants[v]))
            return false;
    return true;
}

bool trial_case(struct trial *trial, const struct test_case *test,
                struct outcome outcomes[MAX_STAGES])
{
    struct sources sources = {.programs = ""};

    memset(outcomes, 0, MAX_STAGES * sizeof *outcomes);
    return sources_of(trial, test->variant, &sources) &&
           stages_run(trial, &sources, test, 1, outcomes);
}
