/* SPDX-License-Identifier: MIT */
#include "mutate.h"

#include "clock.h"
#include "error_report.h"
#include "installation.h"
#include "interrupt.h"
#include "user_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What it needs ---- */

static int open_engine(const struct session *session)
{
    struct supervisor *supervisor;
    int status = session_open(session, ENGINE_SIM, REQUEST_RUN, &supervisor);

    session_close(session, supervisor);
    return status;
}

/* Opens the requested compiler, else an nvcc, else a clang. */
static bool open_compiler(struct mutation *mutation, char *error, size_t error_size)
{
    const struct mutate_request *request = mutation->request;
    unsigned int requested = request->front_ends;

    if (requested == 0 && request->compilers.nvcc.count > 0)
        requested = 1u << FRONT_END_NVCC;
    for (enum front_end front_end = 0; front_end < FRONT_ENDS; front_end++) {
        if (requested != 0 && (requested >> front_end & 1) == 0)
            continue;
        if (front_end_open(&request->compilers, front_end, &mutation->tools.compiler, error,
                           error_size))
            return true;
        if (mutation->tools.compiler.is_broken)
            return false;
    }
    return false;
}

/* Opens the compiler and a ptxas. Without a ptxas, fewer mutants are proved equivalent. */
static bool open_compilers(struct mutation *mutation)
{
    const struct compiler_paths *paths = &mutation->request->compilers;
    char error[512];

    if (!open_compiler(mutation, error, sizeof error))
        return interrupt_came() || error_report("%s", error);
    mutation->tools.has_ptxas =
        compiler_list_open(&paths->ptxas, "ptxas", 0, &mutation->tools.ptxas, error, sizeof error);
    if (!mutation->tools.has_ptxas && paths->ptxas.count > 0 && !interrupt_came())
        return error_report("--ptxas: %s", error);
    return true;
}

static bool open_folder(struct mutation *mutation)
{
    if (tool_make_folder("mutate", mutation->tools.folder))
        return true;
    error_report("cannot make a folder '%s': %s", mutation->tools.folder, strerror(errno));
    mutation->tools.folder[0] = '\0';
    return false;
}

static size_t choose_jobs(const struct mutate_request *request)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return request->jobs > 0 ? (size_t)request->jobs : processors > 0 ? (size_t)processors : 1;
}

/* ---- The command ---- */

static bool try_all(struct mutation *mutation)
{
    double start = clock_seconds();

    for (size_t f = 0; f < mutation->file_count; f++) {
        struct mutated *mutated = &mutation->files[f];
        struct bound *bound = &mutation->session->sinks->bound;
        double end = bound_share(bound, bound->launches - 1 + mutation->file_count - f);
        progress_say(&mutation->session->sinks->progress, "compiling %s",
                     basename(mutated->source.path));
        if (!mutated_try(mutation, mutated) || !report_mutants_save(mutation))
            return false;
        bound_restore(bound, end);
        progress_end(&mutation->session->sinks->progress);
        fflush(stdout);
        fprintf(stderr, "%s: %zu mutants, %.0f s\n", basename(mutated->source.path),
                mutated->mutants.count + mutated->launch_count, clock_seconds() - start);
    }
    return true;
}

static int try_and_report(struct mutation *mutation)
{
    bool taken =
        mutation->is_users ? mutation_take_launch(mutation) : mutation_take_catalogue(mutation);
    bool good = taken && try_all(mutation);

    progress_end(&mutation->session->sinks->progress);
    report_mutants_take(mutation);
    /* An interrupt from the terminal also ends compilers. Their messages are then not errors. */
    if (interrupt_came()) {
        report_mutants_save(mutation);
        error_report("interrupted: the results so far are below%s",
                     mutation->session->sinks->file.path != NULL
                         ? "; the same command continues from there"
                         : "");
        report_mutants_print(mutation);
        return EXIT_ENVIRONMENT;
    }
    if (!good && mutation->error[0] != '\0') {
        error_report("%s", mutation->error);
        return mutation->status;
    }
    if (!good)
        return EXIT_ENVIRONMENT;
    return report_mutants_print(mutation);
}

/* Reads the user's launch, which must be one launch of the kernel under mutation. */
static bool read_users_launch(struct mutation *mutation)
{
    struct launch_text *launch = &mutation->launch;

    if (!user_launch_read(mutation->request->launch, &mutation->request->selection.cases.size_names,
                          launch))
        return false;
    for (uint32_t a = 0; a < launch->array_count; a++)
        if (launch->arrays[a].is_variable)
            return error_report("'%s' is not an argument of the kernel: mutate does not support "
                                "variables of the code",
                                launch->arrays[a].name);
    return launch->call_count == 1 ||
           error_report("mutate takes one launch, but there are %u", launch->call_count);
}

/* Compiles the unchanged file as `check` does, for the types of the kernel's parameters and the
 * values of the constants in the user's launch. Returns the exit status. */
static int bind_launch(struct mutation *mutation)
{
    const struct mutate_request *request = mutation->request;
    struct memory memory = {NULL};
    struct user_code *code = memory_take(&memory, sizeof *code);
    const struct user_files files = {.path = &request->file,
                                     .count = 1,
                                     .flags = request->flags,
                                     .flag_count = request->flag_count};
    struct launch_text *launch = &mutation->launch;
    int status = EXIT_CONFORMS;

    code->launch = *launch;
    code->front_end = mutation->tools.compiler.front_end;
    if (user_code_start(code) && user_code_build(code, &request->compilers, &files))
        *launch = code->launch;
    else
        status = user_code_status(code);
    for (uint32_t k = 0; k < launch->names.count && status == EXIT_CONFORMS; k++) {
        if (launch->name[k].kind != NAME_CONSTANT || launch->name[k].value.kind != NUMBER_NONE)
            continue;
        error_report("'%s' is no number: mutate does not support functions and objects as "
                     "arguments",
                     launch->names.name[k].text);
        status = EXIT_USAGE;
    }
    user_code_remove(code);
    memory_free(&memory);
    return status;
}

static int mutate_all(struct mutation *mutation)
{
    char error[1024], argued[BATCH_PATH];
    int status;

    installation_data("docs/results/mutants.md", argued, sizeof argued);
    if (mutation->is_users
            ? !read_users_launch(mutation)
            : !selection_fits(&mutation->request->selection, mutation->session->catalogue))
        return EXIT_USAGE;
    if (!mutation->is_users && !argued_read(argued, &mutation->argued, error, sizeof error)) {
        error_report("%s", error);
        return EXIT_ENVIRONMENT;
    }
    interrupt_catch();
    if (!open_compilers(mutation) || !report_mutants_open(mutation))
        return EXIT_USAGE;
    if (!report_mutants_save(mutation)) /* Fails early if results cannot be saved. */
        return EXIT_ENVIRONMENT;
    if (interrupt_came())
        return session_interrupted(EXIT_CONFORMS);
    status = mutation->is_users ? bind_launch(mutation) : EXIT_CONFORMS;
    if (status == EXIT_CONFORMS)
        status = open_engine(mutation->session);
    if (status != EXIT_CONFORMS)
        return session_interrupted(status);
    return open_folder(mutation) ? try_and_report(mutation) : EXIT_ENVIRONMENT;
}

int mutate_check(const struct mutate_request *request, const struct session *session)
{
    struct memory memory = {NULL};
    struct mutation *mutation = memory_take(&memory, sizeof *mutation);
    struct session single = *session;
    int status;

    single.jobs = 1;
    mutation->request = request;
    mutation->tools.architecture = request->compilers.architecture;
    mutation->session = &single;
    mutation->is_users = request->file != NULL;
    mutation->jobs = choose_jobs(request);
    pthread_mutex_init(&mutation->mutex, NULL);
    status = mutate_all(mutation);
    for (size_t f = 0; f < mutation->file_count; f++)
        mutated_free(&mutation->files[f]);
    memory_free(&mutation->memory);
    if (mutation->catalogue.row != NULL)
        launch_catalogue_free(&mutation->catalogue);
    argued_free(&mutation->argued);
    json_decref(mutation->known);
    if (!tool_remove_folder(mutation->tools.folder))
        error_report("cannot remove '%s': %s", mutation->tools.folder, strerror(errno));
    pthread_mutex_destroy(&mutation->mutex);
    memory_free(&memory);
    return status;
}
