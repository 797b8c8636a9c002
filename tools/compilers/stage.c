/* SPDX-License-Identifier: MIT */
#include "stage.h"

#include "parallel.h"
#include "random_program.h"
#include "supervisor.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trial_path(const struct trial *trial, const char *name, char path[PATH])
{
    snprintf(path, PATH, "%s/%s", trial->folder, name);
}

bool stage_falls_out(const struct trial *trial, struct stage *stage, const char *reason)
{
    if (trial->stopped())
        return false;
    snprintf(stage->skipped, sizeof stage->skipped, "%.250s", reason);
    return true;
}

bool stage_takes_part(const struct stage *stage, const struct sources *sources)
{
    return stage->supervisor != NULL && stage->skipped[0] == '\0' &&
           !(stage->kind == STAGE_SIM && sources->by_front_end);
}

/* Runs a front end. Each stage has its own file name, because several are built at once. */
static void build_front_end(const struct trial *trial, const struct stage *stage,
                            const struct sources *sources, struct code *code)
{
    static atomic_uint number;

    snprintf(code->path, PATH, "%.400s/code-%u.ptx", trial->folder, atomic_fetch_add(&number, 1));
    build_ptx(stage->compiler, sources->programs[0] == '\0', sources->cuda, code->path, code->error,
              sizeof code->error);
}

void stage_build(const struct trial *trial, const struct stage *stage,
                 const struct sources *sources, struct code *code)
{
    *code = (struct code){.error = ""};
    switch (stage->kind) {
    case STAGE_FRONT_END:
        build_front_end(trial, stage, sources, code);
        break;
    case STAGE_UNOPTIMISED:
    case STAGE_OPTIMISED:
        snprintf(code->path, PATH, "%.400s/stage-%zu.cubin", trial->folder,
                 (size_t)(stage - trial->stages));
        build_machine_code(stage->compiler, trial->architecture,
                           stage->kind == STAGE_OPTIMISED ? 3 : 0, sources->old_ptx, code->path,
                           code->error, sizeof code->error);
        break;
    case STAGE_SIM:
    case STAGE_DRIVER:
        snprintf(code->path, PATH, "%s", sources->ptx);
        break;
    }
}

struct builds {
    const struct trial *trial;
    const struct sources *sources;
    struct code *codes;
};

static void build_one(void *context, size_t k)
{
    const struct builds *builds = context;

    if (stage_takes_part(&builds->trial->stages[k], builds->sources))
        stage_build(builds->trial, &builds->trial->stages[k], builds->sources, &builds->codes[k]);
}

void stages_build(const struct trial *trial, const struct sources *sources,
                  struct code codes[MAX_STAGES])
{
    struct builds builds = {trial, sources, codes};

    parallel_for(trial->stage_count, build_one, &builds);
}

bool stage_run(const struct trial *trial, struct stage *stage, const struct sources *sources,
               const struct code *code, const struct test_case *cases, size_t count,
               struct outcome *outcomes)
{
    enum engine_status status;

    memset(outcomes, 0, count * sizeof *outcomes);
    if (code->error[0] != '\0')
        return stage_falls_out(trial, stage, code->error);
    if (code->path[0] != '\0')
        supervisor_use(stage->supervisor, code->path, sources->programs);
    status = supervisor_run_array(stage->supervisor, cases, count, outcomes);
    if (stage->kind == STAGE_FRONT_END)
        remove(code->path);
    if (status == ENGINE_OK)
        return true;
    memset(outcomes, 0, count * sizeof *outcomes);
    return stage_falls_out(trial, stage, supervisor_reason(stage->supervisor)) &&
           status != ENGINE_STOPPED;
}

bool stages_run(struct trial *trial, const struct sources *sources, const struct test_case *cases,
                size_t count, struct outcome *outcomes)
{
    struct code *codes = calloc(MAX_STAGES, sizeof *codes);
    bool good = codes != NULL;

    if (good)
        stages_build(trial, sources, codes);
    for (size_t s = 0; good && s < trial->stage_count && !trial->stopped(); s++)
        if (stage_takes_part(&trial->stages[s], sources))
            good = stage_run(trial, &trial->stages[s], sources, &codes[s], cases, count,
                             &outcomes[s * count]);
    free(codes);
    return good;
}

bool trial_drawn(struct trial *trial, uint64_t first, size_t count,
                 bool (*use)(struct trial *trial, const struct program *programs, size_t count))
{
    struct program *programs = malloc((count + 1) * sizeof *programs);
    bool good;

    if (programs == NULL)
        snprintf(trial->error, sizeof trial->error, "out of memory");
    for (size_t k = 0; programs != NULL && k < count; k++)
        program_draw(trial->seed, first + k, &programs[k]);
    good = programs != NULL && use(trial, programs, count);
    free(programs);
    return good;
}
