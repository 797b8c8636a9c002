/* SPDX-License-Identifier: MIT */
#include "old_code.h"

#include "build.h"
#include "complain.h"
#include "launch_catalogue.h"
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- An oracle ---- */

bool oracle_build(struct user_code *code, const char *oracle, uint64_t ulps)
{
    struct reference *reference = &code->launch.reference;
    char error[4096];

    *reference = (struct reference){.kind = REFERENCE_ORACLE, .ulps = ulps};
    snprintf(reference->path, sizeof reference->path, "%s/oracle.so", code->folder);
    return build_oracle(oracle, reference->path, error, sizeof error) || complain("%s", error);
}

/* ---- Files of a revision ---- */

/* What git says in that folder, its last line end taken off. */
static bool ask_git(const char *folder, const char *const *words, char *said, size_t size,
                    const char *what)
{
    const char *arguments[8] = {"git", "-C", folder};
    size_t count = 3;
    int status;

    while (*words != NULL)
        arguments[count++] = *words++;
    arguments[count] = NULL;
    status = tool_run(arguments, said, size);
    said[strcspn(said, "\n")] = '\0';
    return status == 0 || complain("%s: git says '%s'", what, said);
}

/* A path within the repository at `top`, as it is in `folder`; another path as it is. The caller's;
 * null: out of memory. */
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

/* A flag: what names a folder behind one of these, or is a path. */
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

/* All that the revision has, under `folder`. */
static bool unpack(const char *revision, const char *top, const char *folder)
{
    char archive[USER_PATH], out[USER_PATH + 16], said[4096];
    const char *const tar[] = {"tar", "-xf", archive, "-C", folder, NULL};

    snprintf(archive, sizeof archive, "%s.tar", folder);
    snprintf(out, sizeof out, "--output=%s", archive);
    return ask_git(top, (const char *const[]){"archive", "--format=tar", out, revision, NULL}, said,
                   sizeof said, revision) &&
           (mkdir(folder, 0755) == 0 ||
            complain("cannot make '%s': %s", folder, strerror(errno))) &&
           (tool_run(tar, said, sizeof said) == 0 ||
            complain("cannot unpack '%s': %s", archive, said));
}

bool old_files_take(const char *revision, const char *folder, const struct user_files *files,
                    struct user_files *old)
{
    char top[USER_PATH], *copy = strdup(files->path[0]), *slash;
    const char **path = calloc(files->count + files->flag_count + 1, sizeof *path);
    bool good = copy != NULL && path != NULL;

    *old = (struct user_files){path, files->count, path + files->count, files->flag_count};
    if (!good)
        complain("out of memory");
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
    *old = (struct user_files){NULL, 0, NULL, 0};
}

/* ---- Other code ---- */

/* The cases: those of the plan, in order. */
struct cases {
    struct test_case *test;
    size_t count;
};

static bool collect(const struct plan_request *request, const struct variant *variant,
                    struct cases *cases)
{
    struct plan plan;
    struct test_case test;

    if (!plan_make(request, variant, true, 0, &plan))
        return complain("out of memory");
    cases->test = calloc(plan_count(&plan) + 1, sizeof *cases->test);
    for (uint64_t k = 0; cases->test != NULL && k < plan_count(&plan); k++) {
        plan_case(&plan, k, &test);
        test.model = MODEL_LOCKSTEP;
        test.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
        cases->test[cases->count++] = test;
    }
    plan_free(&plan);
    return cases->test != NULL || complain("out of memory");
}

static int run_cases(struct session *session, enum engine_id engine_id, const struct cases *cases)
{
    struct supervisor *supervisor = NULL;
    struct outcome *outcomes = calloc(cases->count + 1, sizeof *outcomes);
    char reason[512] = "out of memory", text[512] = "";
    enum engine_status engine = ENGINE_ERROR;
    size_t failed = 0;
    int status = session_open(session, engine_id, REQUEST_RUN, &supervisor);

    if (status == EXIT_CONFORMS && outcomes != NULL)
        engine = supervisor_run_array(supervisor, cases->test, cases->count, outcomes, reason,
                                      sizeof reason);
    for (size_t k = 0; engine == ENGINE_OK && k < cases->count; k++)
        if (outcomes[k].kind != OUTCOME_PASS && failed++ == 0)
            outcome_text(&outcomes[k], text, sizeof text);
    session_close(session, supervisor);
    free(outcomes);
    if (status != EXIT_CONFORMS)
        return status;
    if (engine != ENGINE_OK)
        return session_failed(session, engine_id, engine, reason);
    if (failed > 0)
        printf("the old code itself fails in %zu of %zu cases, which are held to nothing: %s\n",
               failed, cases->count, text);
    return EXIT_CONFORMS;
}

int old_code_run(struct user_code *old, struct session *session, const struct plan_request *request,
                 const struct test_case *only, uint64_t ulps, struct user_code *fresh)
{
    struct launch_catalogue catalogue;
    struct cases cases = {NULL, 0};
    struct test_case one;
    char error[512];
    int status = EXIT_ENVIRONMENT;

    if (!launch_catalogue_make(&old->launch, &catalogue, error, sizeof error)) {
        complain("%s", error);
        return EXIT_ENVIRONMENT;
    }
    user_code_use(old, session);
    if (only != NULL) {
        one = *only;
        one.variant = &catalogue.row->variant;
        one.model = MODEL_LOCKSTEP;
        one.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
        status = run_cases(session, old->engine, &(struct cases){&one, 1});
    } else if (collect(request, &catalogue.row->variant, &cases)) {
        status = run_cases(session, old->engine, &cases);
        free(cases.test);
    }
    launch_catalogue_free(&catalogue);
    fresh->launch.reference = (struct reference){.kind = REFERENCE_KEPT, .ulps = ulps};
    memcpy(fresh->launch.reference.path, old->launch.reference.path,
           sizeof old->launch.reference.path);
    return status;
}
