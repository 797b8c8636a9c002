/* SPDX-License-Identifier: MIT
 *
 * `simtcheck toolchain`: the compilers of toolkits and driver on trial, by small programs.
 */
#include "clock.h"
#include "command.h"
#include "complain.h"
#include "interrupt.h"
#include "session.h"
#include "supervisor.h"
#include "toolchain_report.h"
#include "trial.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 500 };

struct compilers {
    struct compiler all[MOST_COMPILERS];
    size_t count;
};

struct session {
    const struct options *options;
    struct trial trial;
    struct compilers nvcc, ptxas;
    struct supervisor *host, *gpu; /* null: not here */
    uint64_t drawn;                /* programs */
    char folder[sizeof "/tmp/simtcheck-toolchain-XXXXXX"];
};

/* ---- Stages ---- */

static void add_stage(struct session *session, enum stage_kind kind,
                      const struct compiler *compiler, struct supervisor *supervisor)
{
    static const char *const names[] = {
        [STAGE_HOST] = "PTX on the host engine",  [STAGE_FRONT_END] = "nvcc %s, its PTX",
        [STAGE_UNOPTIMISED] = "ptxas %s -O0",     [STAGE_OPTIMISED] = "ptxas %s -O3",
        [STAGE_DRIVER] = "the driver's compiler",
    };
    struct stage *stage = &session->trial.stages[session->trial.stage_count++];
    const char *version = compiler != NULL ? compiler->version : "";
    int before = (int)strcspn(names[kind], "%");

    *stage = (struct stage){.kind = kind, .compiler = compiler, .supervisor = supervisor};
    snprintf(stage->name, sizeof stage->name, "%.*s%s%s", before, names[kind], version,
             names[kind][before] != '\0' ? names[kind] + before + 2 : "");
}

/* Those given; or that on the PATH, where there is one. */
static bool open_compilers(const char *name, const char *const *given, size_t given_count,
                           struct compilers *compilers)
{
    char error[512];

    for (size_t k = 0; k < (given_count > 0 ? given_count : 1); k++) {
        const char *path = given_count > 0 ? given[k] : name;
        if (compiler_open(path, name, &compilers->all[compilers->count], error, sizeof error))
            compilers->count++;
        else if (given_count > 0)
            return complain("--%s: %s", name, error);
    }
    return true;
}

static struct supervisor *open_engine(const struct options *options, enum engine_id engine)
{
    struct supervisor_options supervised = session_supervised(options, engine);
    struct supervisor *supervisor;
    char reason[512];

    if (supervisor_open(&supervised, &supervisor, reason, sizeof reason) == ENGINE_OK)
        return supervisor;
    printf("engine %s is not available: %s\n", engine_kinds[engine].name, reason);
    return NULL;
}

static void open_stages(struct session *session)
{
    session->host = open_engine(session->options, ENGINE_PTX);
    session->gpu = open_engine(session->options, ENGINE_CUDA);
    if (session->host != NULL)
        add_stage(session, STAGE_HOST, NULL, session->host);
    for (size_t k = 0; k < session->nvcc.count && session->host != NULL; k++)
        add_stage(session, STAGE_FRONT_END, &session->nvcc.all[k], session->host);
    for (size_t k = 0; k < session->ptxas.count; k++) {
        add_stage(session, STAGE_UNOPTIMISED, &session->ptxas.all[k], session->gpu);
        add_stage(session, STAGE_OPTIMISED, &session->ptxas.all[k], session->gpu);
    }
    if (session->gpu != NULL)
        add_stage(session, STAGE_DRIVER, NULL, session->gpu);
}

/* ---- The command ---- */

static bool goes_on(const struct session *session, double start)
{
    const struct options *options = session->options;

    if (interrupt_came())
        return false;
    if (options->minutes > 0)
        return clock_seconds() - start < 60.0 * (double)options->minutes;
    return session->drawn < options->count;
}

/* What has been found so far is told, and on disk. */
static bool keep(const struct session *session, double start)
{
    const struct trial *trial = &session->trial;

    fprintf(stderr, "%" PRIu64 " programs, %zu families, %zu pairs of the same code, %.0f s\n",
            trial->programs, trial->family_count, trial->twins_seen, clock_seconds() - start);
    return session_save(session->options, toolchain_report_json(trial));
}

/* The idioms, then programs that are drawn. */
static bool try_all(struct session *session)
{
    struct trial *trial = &session->trial;
    const struct options *options = session->options;
    double start = clock_seconds();

    if (!options->no_idioms && (!trial_idioms(trial) || !keep(session, start)))
        return false;
    while (goes_on(session, start)) {
        uint64_t left = options->count - session->drawn;
        size_t some = options->minutes == 0 && left < BATCH ? (size_t)left : BATCH;
        if (!trial_run(trial, session->drawn, some) || !trial_twins(trial, session->drawn, some))
            return false;
        session->drawn += some;
        if (!keep(session, start))
            return false;
    }
    return trial->family_count == 0 || (trial_settle(trial) && keep(session, start));
}

/* With what tools have left in it. */
static void remove_folder(const char *folder)
{
    DIR *files = opendir(folder);
    const struct dirent *file;

    while (files != NULL && (file = readdir(files)) != NULL)
        unlinkat(dirfd(files), file->d_name, 0);
    if (files != NULL)
        closedir(files);
    if (rmdir(folder) != 0)
        complain("cannot remove '%s': %s", folder, strerror(errno));
}

/* Something is wrong; or not all could be tried. */
static int verdict(const struct trial *trial)
{
    bool wrong = trial->twins_seen > 0 || trial->unsteady_count > 0, missing = false;

    for (size_t s = 0; s < trial->stage_count; s++) {
        wrong = wrong || trial->stages[s].wrong > 0;
        missing = missing || trial->stages[s].unavailable[0] != '\0';
    }
    return wrong ? EXIT_DIFFERS : missing ? EXIT_UNAVAILABLE : EXIT_CONFORMS;
}

static int toolchain(const struct options *options, const struct catalogue *catalogue)
{
    static struct session session;
    struct trial *trial = &session.trial;
    bool good;
    (void)catalogue;

    session = (struct session){.options = options, .folder = "/tmp/simtcheck-toolchain-XXXXXX"};
    if (!open_compilers("nvcc", options->nvcc, options->nvcc_count, &session.nvcc) ||
        !open_compilers("ptxas", options->ptxas, options->ptxas_count, &session.ptxas))
        return EXIT_USAGE;
    interrupt_catch();
    open_stages(&session);
    if (session.gpu == NULL && session_requires(options, ENGINE_CUDA)) {
        complain("the GPU is required, and cannot be used");
        session_close(session.host);
        return EXIT_ENVIRONMENT;
    }
    if (session.ptxas.count == 0 && session.gpu == NULL &&
        (session.nvcc.count == 0 || session.host == NULL)) {
        complain("there is no compiler to try: no nvcc and no ptxas on the PATH, and no GPU; give "
                 "--nvcc PATH or --ptxas PATH");
        session_close(session.host);
        return EXIT_UNAVAILABLE;
    }
    if (mkdtemp(session.folder) == NULL) {
        complain("cannot make a folder '%s': %s", session.folder, strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    trial->folder = session.folder;
    trial->architecture = options->architecture != NULL ? options->architecture : "sm_90";
    trial->seed = options->selection.cases.seed;
    trial->stopped = interrupt_came;
    good = try_all(&session);
    session_close(session.host);
    session_close(session.gpu);
    remove_folder(session.folder);
    toolchain_report_print(trial);
    if (!good && trial->error[0] != '\0')
        complain("%s", trial->error);
    if (interrupt_came())
        complain("interrupted: %" PRIu64
                 " programs were tried, and what was found in them is above",
                 trial->programs);
    return good && !interrupt_came() ? verdict(trial) : EXIT_ENVIRONMENT;
}

const struct command toolchain_command = {
    .name = "toolchain",
    .help = "try front ends, assemblers and the driver's compiler by small programs\n"
            "drawn at random: [--nvcc PATH]... [--ptxas PATH]... [--seed S]\n"
            "[--count N | --minutes M] [--no-idioms]",
    .run = toolchain,
};
