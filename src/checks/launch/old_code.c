/* SPDX-License-Identifier: MIT */
#include "old_code.h"

#include "build.h"
#include "case_id.h"
#include "error_report.h"
#include "installation.h"
#include "launch_catalogue.h"
#include "report.h"
#include "tool.h"
#include "trials.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- An oracle ---- */

bool oracle_build(struct user_code *code, const char *oracle, uint64_t ulps)
{
    struct reference *reference = &code->launch.reference;
    enum oracle_status status;
    struct statvfs mount;
    char said[16384];

    *reference = (struct reference){.kind = REFERENCE_ORACLE, .ulps = ulps};
    snprintf(reference->path, sizeof reference->path, "%s/oracle.so", code->folder);
    code->lacks_room = statvfs(code->folder, &mount) == 0 && (mount.f_flag & ST_NOEXEC) != 0;
    if (code->lacks_room)
        return error_report("cannot load the oracle '%s' from '%s', because that file system is "
                            "mounted noexec: set TMPDIR to a folder on another file system",
                            oracle, code->folder);
    status = build_oracle(oracle, reference->path, said, sizeof said);
    if (status == ORACLE_BUILT)
        return true;
    code->lacks_room = tool_lacks_room(said);
    if (status == ORACLE_LACKS_EXPECTED)
        return error_report("the oracle '%s' must define 'bool expected(const struct expectation "
                            "*)' once, in no namespace:\n%s",
                            oracle, said);
    return error_report("cannot compile the oracle '%s':\n%s", oracle, said);
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
    return ask_git(top,
                   (const char *const[]){"archive", "--format=tar", out, "--end-of-options",
                                         revision, NULL},
                   said, sizeof said, revision) &&
           (mkdir(folder, 0755) == 0 ||
            error_report("cannot make '%s': %s", folder, strerror(errno))) &&
           (tool_run(tar, said, sizeof said) == 0 ||
            error_report("cannot unpack '%s': %s", archive, said));
}

bool revision_is_no_option(const char *revision)
{
    return revision[0] != '-' ||
           error_report("'%s' is not a revision of git: none begins with '-'", revision);
}

/* Finds the repository of the first file. Returns false after an error message. */
static bool find_top(const struct user_files *files, char top[USER_PATH])
{
    char *folder = strdup(files->path[0]), *slash = folder != NULL ? strrchr(folder, '/') : NULL;
    bool good;

    if (slash != NULL)
        slash[slash == folder] = '\0';
    good = folder != NULL && ask_git(slash != NULL ? folder : ".",
                                     (const char *const[]){"rev-parse", "--show-toplevel", NULL},
                                     top, USER_PATH, files->path[0]);
    free(folder);
    return good;
}

/* Maps the path of a file to the revision's. Returns null after an error message. */
static char *moved_file(const struct old_files *old, const char *path, const char *folder)
{
    char *there = access(path, F_OK) == 0 ? moved(path, old->top, folder) : NULL;

    if (there == NULL)
        error_report("cannot read '%s': %s", path, strerror(errno));
    else if (strcmp(there, path) == 0)
        error_report("'%s' is not in the repository %s, so it has no version at %s", path, old->top,
                     old->revision);
    else if (access(there, F_OK) != 0)
        error_report("'%s' does not exist at %s", path, old->revision);
    else
        return there;
    free(there);
    return NULL;
}

bool old_files_take(const char *revision, const char *room, const struct user_files *files,
                    struct old_files *old)
{
    enum { OWN = 3 }; /* flags for the list of files */
    const char **path = calloc(files->count + files->flag_count + OWN, sizeof *path);
    const char **flags = path + files->count;
    char folder[USER_PATH];
    bool good = path != NULL || error_report("out of memory");

    *old = (struct old_files){.files = *files, .revision = revision};
    old->files.path = path;
    old->files.flags = flags;
    old->files.flag_count += OWN;
    snprintf(old->room, USER_PATH, "%s", room);
    snprintf(old->list, USER_PATH, "%s/old.d", room);
    snprintf(folder, sizeof folder, "%s/old", room);
    good = good && revision_is_no_option(revision) && find_top(files, old->top) &&
           unpack(revision, old->top, folder);
    for (size_t f = 0; good && f < files->count; f++)
        good = (path[f] = moved_file(old, files->path[f], folder)) != NULL;
    for (size_t f = 0; good && f < files->flag_count; f++)
        good = (flags[f] = moved_flag(files->flags[f], old->top, folder)) != NULL;
    if (good) {
        flags[files->flag_count] = strdup("-MD");
        flags[files->flag_count + 1] = strdup("-MF");
        flags[files->flag_count + 2] = strdup(old->list);
    }
    return good;
}

void old_files_free(struct old_files *old)
{
    const struct user_files *files = &old->files;

    for (size_t k = 0; files->path != NULL && k < files->count + files->flag_count; k++)
        free((char *)(uintptr_t)files->path[k]);
    free((char **)(uintptr_t)files->path);
    *old = (struct old_files){.revision = NULL};
}

/* Takes the next name of a list of files, in the syntax of make, from *rest. Ends the name with a
 * zero, in place. Returns null at the end. */
static char *next_name(char **rest)
{
    char *from = *rest, *name, *to;

    while (isspace((unsigned char)*from) || (from[0] == '\\' && from[1] == '\n'))
        from++;
    name = to = from;
    while (*from != '\0' && !isspace((unsigned char)*from)) {
        from += from[0] == '\\' && (from[1] == ' ' || from[1] == '#');
        *to++ = *from++;
    }
    *rest = from + (*from != '\0');
    *to = '\0';
    return to > name ? name : NULL;
}

/* Returns the whole path of a name of the list, or null. The caller frees it. clang writes "$$" for
 * a '$', and nvcc does not. */
static char *find_listed(char *name)
{
    char *whole = realpath(name, NULL), *to = name;

    if (whole != NULL)
        return whole;
    for (const char *from = name; *from != '\0'; from += from[0] == '$' && from[1] == '$' ? 2 : 1)
        *to++ = *from;
    *to = '\0';
    return realpath(name, NULL);
}

static bool is_within(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* Checks one name of the list. simtcheck's own headers for clang belong to no side. nvcc lists the
 * names of #line directives, too, and these need not exist. */
static bool is_old(const struct old_files *old, const char *own, char *name)
{
    char *path = find_listed(name);
    bool good = path == NULL || !is_within(path, old->top) || is_within(path, old->room) ||
                is_within(path, own);

    free(path);
    return good || error_report("the code at %s includes '%s' of the work tree, not of %s: include "
                                "it by a relative path, or give its folder as '-I FOLDER'",
                                old->revision, name, old->revision);
}

bool old_files_are_all_old(const struct old_files *old)
{
    char own[USER_PATH], *name, *rest;
    size_t size;
    char *list = build_read_file(old->list, &size);
    bool good = list != NULL;

    if (user_files_are_ptx(&old->files)) { /* no compiler ran */
        free(list);
        return true;
    }
    if (!good)
        return error_report("cannot read '%s': %s", old->list, strerror(errno));
    list[size] = '\0';
    installation_data("src/device/clang", own, sizeof own);
    rest = strchr(list, ':');
    good = rest != NULL || error_report("'%s' names no files", old->list);
    rest += good;
    while (good && (name = next_name(&rest)) != NULL)
        good = is_old(old, own, name);
    free(list);
    return good;
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

    if (case_id != NULL) { /* of two cases to compare, both have the same reference */
        char first[CASE_ID_SIZE];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(case_id, ","), case_id);
        if (!session_case(&catalogue->catalogue, first, &test, &engine))
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

/* Returns in how many cases the code has results, which a case without a launch has not. */
static size_t count_results(const struct trials *cases)
{
    size_t count = 0;

    for (size_t k = 0; k < cases->count; k++) {
        const struct test_case *test = &cases->cases[k];
        struct invocation invocation;
        test->variant->invoke(test->variant, &test->shape, &invocation);
        count += cases->outcomes[k].kind == OUTCOME_PASS && invocation.kernel != NULL;
    }
    return count;
}

/* Runs the cases, as many as there is time for. The others are removed. */
static enum engine_status run_in_time(struct session *session, struct trials *cases,
                                      struct supervisor *supervisor, const char *kernel)
{
    enum { SOME = 16 };
    struct trials some = *cases;
    enum engine_status status = ENGINE_OK;
    size_t done = 0;

    if (session->bound.minutes <= 0)
        return trials_run(cases, supervisor);
    for (; status == ENGINE_OK && done < cases->count && !bound_is_over(&session->bound);
         done = some.count) {
        some.count = cases->count - done < SOME ? cases->count : done + SOME;
        status = trials_run_from(&some, done, supervisor);
    }
    bound_take(&session->bound,
               &(const struct bound_check){session->findings.compiler, kernel, "reference code"}, 0,
               cases->count - done);
    cases->count = done;
    return status;
}

static int run_cases(struct session *session, struct trials *cases, const char *kernel)
{
    struct supervisor *supervisor;
    enum engine_status ended;
    char text[OUTCOME_TEXT];
    size_t first = 0, failed;
    int status = session_open(session, ENGINE_SIM, REQUEST_RUN, &supervisor);

    if (status != EXIT_CONFORMS)
        return status;
    ended = run_in_time(session, cases, supervisor, kernel);
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
                 const char *case_id, struct user_code *fresh, size_t *results)
{
    const struct reference *written = &old->launch.reference;
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
        status = run_cases(session, &cases, old->launch.calls[0].kernel);
    if (status == EXIT_CONFORMS &&
        !reference_list(written, cases.cases, cases.outcomes, cases.count)) {
        error_report("cannot keep the results of the reference code in '%s': %s", written->path,
                     strerror(errno));
        status = EXIT_ENVIRONMENT;
    }
    *results = status == EXIT_CONFORMS ? count_results(&cases) : 0;
    trials_free(&cases);
    launch_catalogue_free(&catalogue);
    fresh->launch.reference = (struct reference){
        .kind = REFERENCE_KEPT, .ulps = written->ulps, .has_bounds = written->has_bounds};
    memcpy(fresh->launch.reference.path, written->path, sizeof written->path);
    return status;
}
