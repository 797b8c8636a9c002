/* SPDX-License-Identifier: MIT */
#include "stage.h"

#include "supervisor.h"

#include <stdio.h>
#include <string.h>

void trial_path(const struct trial *trial, const char *name, char path[PATH])
{
    snprintf(path, PATH, "%s/%s", trial->folder, name);
}

/* Has the file that the stage runs. An object has a name of its own, for once loaded it stays. */
static bool build(struct trial *trial, const struct stage *stage, const struct sources *sources,
                  char code[PATH])
{
    static unsigned int number;
    const bool is_kernels = sources->programs[0] == '\0';
    char front[PATH];

    trial_path(trial, "front.ptx", front);
    switch (stage->kind) {
    case STAGE_SOURCE:
        break;
    case STAGE_HOST:
    case STAGE_FRONT_END:
        snprintf(code, PATH, "%.400s/code-%u.so", trial->folder, number++);
        if (stage->kind == STAGE_HOST)
            return build_host_code(sources->ptx, code, trial->error, sizeof trial->error);
        return build_ptx(stage->compiler, is_kernels, sources->cuda, front, trial->error,
                         sizeof trial->error) &&
               build_host_code(front, code, trial->error, sizeof trial->error);
    case STAGE_UNOPTIMISED:
    case STAGE_OPTIMISED:
        trial_path(trial, "code.cubin", code);
        return build_machine_code(stage->compiler, trial->architecture,
                                  stage->kind == STAGE_OPTIMISED ? 3 : 0, sources->old_ptx, code,
                                  trial->error, sizeof trial->error);
    case STAGE_DRIVER:
        break;
    }
    snprintf(code, PATH, "%s", sources->ptx);
    return true;
}

void stage_falls_out(struct trial *trial, struct stage *stage)
{
    snprintf(stage->unavailable, sizeof stage->unavailable, "%.250s", trial->error);
    trial->error[0] = '\0';
}

bool stage_run(struct trial *trial, struct stage *stage, const struct sources *sources,
               const struct test_case *cases, size_t count, struct outcome *outcomes)
{
    char code[PATH], reason[512];
    enum engine_status status;

    memset(outcomes, 0, count * sizeof *outcomes);
    if (stage->kind == STAGE_SOURCE) {
        code[0] = '\0';
    } else if (!build(trial, stage, sources, code)) {
        stage_falls_out(trial, stage);
        return true;
    }
    if (code[0] != '\0')
        supervisor_use(stage->supervisor, code, sources->programs);
    status = supervisor_run_array(stage->supervisor, cases, count, outcomes, reason, sizeof reason);
    if (stage->kind == STAGE_HOST || stage->kind == STAGE_FRONT_END)
        remove(code);
    if (status == ENGINE_OK)
        return true;
    memset(outcomes, 0, count * sizeof *outcomes);
    snprintf(stage->unavailable, sizeof stage->unavailable, "%.250s", reason);
    return status != ENGINE_STOPPED;
}
