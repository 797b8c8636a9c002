/* SPDX-License-Identifier: MIT */
#include "stages.h"

#include "clang.h"
#include "error_report.h"
#include "interrupt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add_stage(struct trial *trial, enum stage_kind kind, const struct compiler *compiler,
                      struct supervisor *supervisor)
{
    static const char *const names[] = {
        [STAGE_SIM] = "PTX on the simulator",     [STAGE_FRONT_END] = "PTX of %s",
        [STAGE_UNOPTIMISED] = "ptxas %s -O0",     [STAGE_OPTIMISED] = "ptxas %s -O3",
        [STAGE_DRIVER] = "the driver's compiler",
    };
    struct stage *stage = &trial->stages[trial->stage_count++];
    char version[40] = "";
    int before = (int)strcspn(names[kind], "%");

    if (kind == STAGE_FRONT_END)
        snprintf(version, sizeof version, "%s %s", front_end_names[compiler->front_end],
                 compiler->version);
    else if (compiler != NULL)
        snprintf(version, sizeof version, "%s", compiler->version);
    *stage = (struct stage){.kind = kind, .compiler = compiler, .supervisor = supervisor};
    snprintf(stage->name, sizeof stage->name, "%.*s%s%s", before, names[kind], version,
             names[kind][before] != '\0' ? names[kind] + before + 2 : "");
}

/* Opens the given compilers, or else the one on the PATH. */
static bool open_compilers(const char *name, const struct compiler_list *given,
                           struct compilers *compilers)
{
    char error[512];

    for (size_t k = 0; k < compiler_list_count(given); k++)
        if (compiler_list_open(given, name, k, &compilers->all[compilers->count], error,
                               sizeof error))
            compilers->count++;
        else if (given->count > 0 && !interrupt_came())
            return error_report("--%s: %s", name, error);
        else if (compilers->all[compilers->count].is_broken && !interrupt_came())
            return error_report("%s", error);
    return true;
}

/* Opens the nvccs, and the installed clang unless an nvcc is named. */
static bool open_front_ends(const struct compiler_list *nvcc, struct compilers *compilers)
{
    char error[512];

    if (!open_compilers("nvcc", nvcc, compilers))
        return false;
    if (nvcc->count > 0 || compilers->count == MAX_COMPILERS)
        return true;
    if (clang_open(NULL, &compilers->all[compilers->count], error, sizeof error))
        compilers->count++;
    else if (compilers->all[compilers->count].is_broken && !interrupt_came())
        return error_report("%s", error);
    return true;
}

/* Opens an engine, or says why it is not available: *supervisor is then null. Returns the exit
 * status: an engine that exists and fails is an error. */
static int open_engine(const struct session *session, enum engine_id engine,
                       struct supervisor **supervisor)
{
    char reason[512];
    enum engine_status status =
        session_start(session, engine, REQUEST_RUN, supervisor, reason, sizeof reason);

    if (status == ENGINE_OK)
        return EXIT_CONFORMS;
    *supervisor = NULL;
    if (status != ENGINE_UNAVAILABLE && !interrupt_came())
        return session_failed(session, engine, status, reason);
    printf("engine %s is not available: %s\n", engine_kinds[engine].name, reason);
    return EXIT_CONFORMS;
}

static void close_engines(struct stages *stages, const struct session *session)
{
    session_close(session, stages->sim);
    session_close(session, stages->gpu);
}

static void add_stages(struct stages *stages, struct trial *trial)
{
    if (stages->sim != NULL)
        add_stage(trial, STAGE_SIM, NULL, stages->sim);
    for (size_t k = 0; k < stages->front_ends.count && stages->sim != NULL; k++)
        add_stage(trial, STAGE_FRONT_END, &stages->front_ends.all[k], stages->sim);
    for (size_t k = 0; k < stages->ptxas.count; k++) {
        add_stage(trial, STAGE_UNOPTIMISED, &stages->ptxas.all[k], stages->gpu);
        add_stage(trial, STAGE_OPTIMISED, &stages->ptxas.all[k], stages->gpu);
    }
    if (stages->gpu != NULL)
        add_stage(trial, STAGE_DRIVER, NULL, stages->gpu);
}

int stages_open(struct stages *stages, const struct compiler_paths *paths, uint64_t seed,
                const struct session *session, struct trial *trial)
{
    int status;

    *stages = (struct stages){.folder = ""};
    interrupt_catch();
    if (!open_front_ends(&paths->nvcc, &stages->front_ends) ||
        !open_compilers("ptxas", &paths->ptxas, &stages->ptxas))
        return EXIT_USAGE;
    status = open_engine(session, ENGINE_SIM, &stages->sim);
    if (status == EXIT_CONFORMS)
        status = open_engine(session, ENGINE_CUDA, &stages->gpu);
    trial->seed = seed;
    trial->stopped = interrupt_came;
    if (interrupt_came()) /* An interrupt from the terminal also ends compilers. */
        return EXIT_CONFORMS;
    if (status == EXIT_CONFORMS && stages->gpu == NULL && session_requires(session, ENGINE_CUDA)) {
        error_report("the GPU is required, but it cannot be used");
        status = EXIT_ENVIRONMENT;
    } else if (status == EXIT_CONFORMS && stages->ptxas.count == 0 && stages->gpu == NULL &&
               (stages->front_ends.count == 0 || stages->sim == NULL)) {
        error_report("no compiler to test: there is no nvcc, clang or ptxas on the PATH, and no "
                     "GPU; give --nvcc PATH or --ptxas PATH");
        status = EXIT_UNAVAILABLE;
    } else if (status == EXIT_CONFORMS && !tool_make_folder("compilers", stages->folder)) {
        error_report("cannot make a folder '%s': %s", stages->folder, strerror(errno));
        status = EXIT_ENVIRONMENT;
    }
    if (status != EXIT_CONFORMS) {
        close_engines(stages, session);
        return status;
    }
    add_stages(stages, trial);
    trial->folder = stages->folder;
    trial->architecture = paths->architecture;
    return EXIT_CONFORMS;
}

void stages_close(struct stages *stages, const struct session *session)
{
    close_engines(stages, session);
    if (!tool_remove_folder(stages->folder))
        error_report("cannot remove '%s': %s", stages->folder, strerror(errno));
}
