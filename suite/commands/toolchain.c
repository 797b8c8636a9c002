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
#include "trial.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 500, MOST_PRINTED = 8 };

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

/* ---- What came ---- */

/* Of a family: the first stage that is wrong. */
static const char *blamed(const struct trial *trial, const struct family *family)
{
    static const char *const names[] = {
        [STAGE_HOST] = "simtcheck's own PTX", [STAGE_FRONT_END] = "front end",
        [STAGE_UNOPTIMISED] = "assembler",    [STAGE_OPTIMISED] = "assembler",
        [STAGE_DRIVER] = "driver's compiler",
    };
    size_t s = 0;

    while (s + 1 < trial->stage_count && !family->wrong[s])
        s++;
    return names[trial->stages[s].kind];
}

static char *text_of(const struct program *program)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        return NULL;
    program_write(to, program);
    fclose(to);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void print_all(const struct trial *trial)
{
    printf("\n%-24s %10s %10s %10s\n", "stage", "programs", "wrong", "same code");
    for (size_t s = 0; s < trial->stage_count; s++) {
        const struct stage *stage = &trial->stages[s];
        char run[32] = "-", wrong[32] = "-", same[32] = "";
        if (stage->supervisor != NULL) {
            snprintf(run, sizeof run, "%" PRIu64, stage->run);
            snprintf(wrong, sizeof wrong, "%" PRIu64, stage->wrong);
        }
        if (stage->kind == STAGE_OPTIMISED)
            snprintf(same, sizeof same, "%" PRIu64, stage->same_code);
        printf("%-24s %10s %10s %10s  %s\n", stage->name, run, wrong, same, stage->unavailable);
    }
    for (size_t k = 0; k < trial->family_count; k++) {
        const struct family *family = &trial->families[k];
        char *text = text_of(&family->program);
        printf("\n%s: %" PRIu64
               " program%s, wrong by the %s\n    %s\n    %s: expected %s, got %s\n",
               family->shape, family->members, family->members == 1 ? "" : "s",
               blamed(trial, family), text, family->outcome.difference.place,
               family->outcome.difference.expected, family->outcome.difference.got);
        for (size_t s = 0; s < trial->stage_count; s++)
            if (trial->stages[s].supervisor != NULL && trial->stages[s].unavailable[0] == '\0')
                printf("    %s: %s\n", family->wrong[s] ? "wrong" : "right", trial->stages[s].name);
        free(text);
    }
    for (size_t k = 0; k < trial->twin_count && k < MOST_PRINTED; k++) {
        const struct twins *twins = &trial->twins[k];
        char *one = text_of(&twins->one), *other = text_of(&twins->other);
        printf("\nptxas %s: same machine code, %u bytes, for two programs that differ in meaning\n"
               "    %s\n    %s\n    element %" PRIu64 ": 0x%016" PRIx64 " and 0x%016" PRIx64 "\n",
               twins->compiler->version, twins->bytes, one, other, twins->element,
               twins->expected[0], twins->expected[1]);
        free(one);
        free(other);
    }
    for (size_t k = 0; k < trial->unsteady_count; k++)
        printf("\nptxas %s: other machine code for the same PTX, the second time\n",
               trial->unsteady[k]->version);
    if (trial->twins_seen > 0)
        printf("\n%zu pairs of programs that differ in meaning have the same machine code\n",
               trial->twins_seen);
}

static json_t *string_of(const struct program *program)
{
    char *text = text_of(program);
    json_t *string = json_string(text != NULL ? text : "");

    free(text);
    return string;
}

static json_t *report_of(const struct trial *trial)
{
    json_t *stages = json_array(), *families = json_array(), *twins = json_array(),
           *unsteady = json_array();

    for (size_t s = 0; s < trial->stage_count; s++) {
        const struct stage *stage = &trial->stages[s];
        if (stage->supervisor != NULL)
            json_array_append_new(stages, json_pack("{s:s, s:I, s:I, s:s}", "stage", stage->name,
                                                    "programs", (json_int_t)stage->run, "wrong",
                                                    (json_int_t)stage->wrong, "unavailable",
                                                    stage->unavailable));
    }
    for (size_t k = 0; k < trial->family_count; k++) {
        const struct family *family = &trial->families[k];
        json_t *wrong = json_array();
        for (size_t s = 0; s < trial->stage_count; s++)
            if (family->wrong[s])
                json_array_append_new(wrong, json_string(trial->stages[s].name));
        json_array_append_new(
            families,
            json_pack("{s:s, s:o, s:I, s:s, s:o, s:s, s:s, s:s}", "shape", family->shape, "program",
                      string_of(&family->program), "members", (json_int_t)family->members, "blamed",
                      blamed(trial, family), "wrong", wrong, "place",
                      family->outcome.difference.place, "expected",
                      family->outcome.difference.expected, "got", family->outcome.difference.got));
    }
    for (size_t k = 0; k < trial->twin_count; k++)
        json_array_append_new(twins, json_pack("{s:s, s:o, s:o}", "ptxas",
                                               trial->twins[k].compiler->version, "one",
                                               string_of(&trial->twins[k].one), "other",
                                               string_of(&trial->twins[k].other)));
    for (size_t k = 0; k < trial->unsteady_count; k++)
        json_array_append_new(unsteady, json_string(trial->unsteady[k]->version));
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:I, s:o}", "seed", (json_int_t)trial->seed,
                     "programs", (json_int_t)trial->programs, "stages", stages, "families",
                     families, "same_code", twins, "same_code_pairs", (json_int_t)trial->twins_seen,
                     "unsteady", unsteady);
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
    return session_save(session->options, report_of(trial));
}

/* The idioms, then programs that are drawn. */
static bool try_all(struct session *session)
{
    struct trial *trial = &session->trial;
    const struct options *options = session->options;
    double start = clock_seconds();

    if (!trial_idioms(trial) || !keep(session, start))
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
    print_all(trial);
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
            "[--count N | --minutes M]",
    .run = toolchain,
};
