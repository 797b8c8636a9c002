/* SPDX-License-Identifier: MIT */
#include "old_code.h"

#include "build.h"
#include "error_report.h"
#include "launch_catalogue.h"
#include "report.h"
#include "tool.h"
#include "trials.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- An oracle ---- */

bool oracle_build(struct user_code *code, const char *oracle, uint64_t ulps)
{
    struct reference *reference = &code->launch.reference;
    char said[16384];

    *reference = (struct reference){.kind = REFERENCE_ORACLE, .ulps = ulps};
    snprintf(reference->path, sizeof reference->path, "%s/oracle.so", code->folder);
    return build_oracle(oracle, reference->path, said, sizeof said) ||
           error_report("cannot compile the oracle '%s':\n%s", oracle, said);
}

/* ---- Files of a revision ---- */

int git_ask(const char *folder, const char *const *words, char *said, size_t size)
{
    const char *arguments[16] = {"git", "-C", folder};
    size_t count = 3, length;
    int status;

    while (*words != NULL)
        arguments[count++] = *words++;
    status = tool_run(arguments, said, size);
    length = strlen(said);
    if (length > 0 && said[length - 1] == '\n')
        said[length - 1] = '\0';
    return status;
}

static bool ask_git(const char *folder, const char *const *words, char *said, size_t size,
                    const char *what)
{
    return git_ask(folder, words, said, size) == 0 ||
           error_report("%s: git says '%.*s'", what, (int)strcspn(said, "\n"), said);
}

/* Maps a path within the repository at `top` to the same path in `folder`; other paths stay
 * unchanged. Returns a string that the caller owns, or null when memory runs out. */
static char *moved(const char *path, const char *top, const char *folder)
{
    char *whole = realpath(path, NULL), *result = NULL;
    size_t length = strlen(top);

    if (whole == NULL || strncmp(whole, top, length) != 0 ||
        (whole[length] != '/' && whole[length] != '\0')) {
        free(whole);
        return strdup(path);
    }
    if (asprintf(&result, "%s%s", folder, whole + length) < 0)
        result = NULL;
    free(whole);
    return result;
}

/* Maps the path in a flag: after one of the option names below, or the flag itself. */
static char *moved_flag(const char *flag, const char *top, const char *folder)
{
    static const char *const leads[] = {"-isystem",        "-iquote",  "-idirafter",
                                        "--include-path=", "-include", "-I"};
    char *path, *result = NULL;

    for (size_t k = 0; k < sizeof leads / sizeof *leads; k++) {
        size_t length = strlen(leads[k]);
        if (strncmp(flag, leads[k], length) != 0 || flag[length] == '\0')
            continue;
        path = moved(flag + length, top, folder);
        if (path != NULL && asprintf(&result, "%s%s", leads[k], path) < 0)
            result = NULL;
        free(path);
        return result;
    }
    return moved(flag, top, folder);
}

/* Extracts all files of the revision into `folder`. Returns false after an error message. */
static bool unpack(const char *revision, const char *top, const char *folder)
{
    char archive[USER_PATH], out[USER_PATH + 16], said[4096];
    const char *const tar[] = {"tar", "-xf", archive, "-C", folder, NULL};

    snprintf(archive, sizeof archive, "%s.tar", folder);
    snprintf(out, sizeof out, "--output=%s", archive);
    return ask_git(top, (const char *const[]){"archive", "--format=tar", out, revision, NULL}, said,
                   sizeof said, revision) &&
           (mkdir(folder, 0755) == 0 ||
            error_report("cannot make '%s': %s", folder, strerror(errno))) &&
           (tool_run(tar, said, sizeof said) == 0 ||
            error_report("cannot unpack '%s': %s", archive, said));
}

bool old_files_take(const char *revision, const char *folder, const struct user_files *files,
                    struct user_files *old)
{
    char top[USER_PATH], *copy = strdup(files->path[0]), *slash;
    const char **path = calloc(files->count + files->flag_count + 1, sizeof *path);
    bool good = copy != NULL && path != NULL;

    *old = (struct user_files){.path = path,
                               .count = files->count,
                               .flags = path + files->count,
                               .flag_count = files->flag_count,
                               .together = files->together,
                               .together_count = files->together_count,
                               .is_apart = files->is_apart};
    if (!good)
        error_report("out of memory");
    slash = good ? strrchr(copy, '/') : NULL;
    if (slash != NULL)
        slash[slash == copy] = '\0';
    good = good &&
           ask_git(slash != NULL ? copy : ".",
                   (const char *const[]){"rev-parse", "--show-toplevel", NULL}, top, sizeof top,
                   files->path[0]) &&
           unpack(revision, top, folder);
    free(copy);
    for (size_t f = 0; good && f < files->count; f++)
        good = (path[f] = moved(files->path[f], top, folder)) != NULL;
    for (size_t f = 0; good && f < files->flag_count; f++)
        good = (path[files->count + f] = moved_flag(files->flags[f], top, folder)) != NULL;
    return good;
}

void old_files_free(struct user_files *old)
{
    for (size_t k = 0; old->path != NULL && k < old->count + old->flag_count; k++)
        free((char *)(uintptr_t)old->path[k]);
    free((char **)(uintptr_t)old->path);
    *old = (struct user_files){.path = NULL};
}

/* ---- Other code ---- */

static struct test_case in_order(struct test_case test)
{
    test.model = MODEL_LOCKSTEP;
    test.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    return test;
}

/* Adds the cases of the plan, or the case of the case ID, under lockstep and the sequential
 * schedule. Returns an exit status. */
static int add_cases(const struct plan_request *request, const struct launch_catalogue *catalogue,
                     const char *case_id, struct trials *cases)
{
    const struct engine_kind *engine;
    struct test_case test;
    struct plan plan;

    if (case_id != NULL) {
        if (!session_case(&catalogue->catalogue, case_id, &test, &engine))
            return EXIT_USAGE;
        test = in_order(test);
        trials_add(cases, &test);
        return EXIT_CONFORMS;
    }
    if (!plan_make(request, &catalogue->row->variant, true, 0, &plan)) {
        error_report("out of memory");
        return EXIT_ENVIRONMENT;
    }
    for (uint64_t k = 0; k < plan_count(&plan); k++) {
        plan_case(&plan, k, &test);
        test = in_order(test);
        trials_add(cases, &test);
    }
    plan_free(&plan);
    return EXIT_CONFORMS;
}

static int run_cases(struct session *session, struct trials *cases)
{
    struct supervisor *supervisor;
    enum engine_status ended;
    char text[512];
    size_t first = 0, failed;
    int status = session_open(session, ENGINE_SIM, REQUEST_RUN, &supervisor);

    if (status != EXIT_CONFORMS)
        return status;
    ended = trials_run(cases, supervisor);
    status = session_ended(session, supervisor, ended);
    failed = status == EXIT_CONFORMS ? trials_failures(cases, &first) : 0;
    if (failed > 0) {
        outcome_text(&cases->outcomes[first], text, sizeof text);
        printf("the reference code fails in %zu of %zu case%s, so %s no reference: %s\n", failed,
               cases->count, report_plural(cases->count), failed == 1 ? "it has" : "they have",
               text);
    }
    return status;
}

int old_code_run(struct user_code *old, struct session *session, const struct plan_request *request,
                 const char *case_id, uint64_t ulps, struct user_code *fresh)
{
    struct launch_catalogue catalogue;
    struct trials cases = {.cases = NULL};
    char error[512];
    int status;

    if (!launch_catalogue_make(&old->launch, &catalogue, error, sizeof error)) {
        error_report("%s", error);
        return EXIT_ENVIRONMENT;
    }
    user_code_use(old, session);
    status = add_cases(request, &catalogue, case_id, &cases);
    if (status == EXIT_CONFORMS)
        status = run_cases(session, &cases);
    trials_free(&cases);
    launch_catalogue_free(&catalogue);
    fresh->launch.reference = (struct reference){.kind = REFERENCE_KEPT, .ulps = ulps};
    memcpy(fresh->launch.reference.path, old->launch.reference.path,
           sizeof old->launch.reference.path);
    return status;
}
