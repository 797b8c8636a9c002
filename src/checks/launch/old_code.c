/* SPDX-License-Identifier: MIT */
#include "old_code.h"

#include "build.h"
#include "case_id.h"
#include "error_report.h"
#include "inputs.h"
#include "installation.h"
#include "launch_catalogue.h"
#include "report.h"
#include "tool.h"
#include "trials.h"
#include "whole_file.h"

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

/* Returns whether a path is that of the folder, or of what is in it. */
static bool is_within(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Maps a path within the repository at `top` to the same path in `folder`; other paths stay
 * unchanged. Returns a string that the caller owns, or null when memory runs out. */
static char *moved(const char *path, const char *top, const char *folder)
{
    char *whole = realpath(path, NULL), *result = NULL;

    if (whole == NULL || !is_within(whole, top))
        result = strdup(path);
    else if (asprintf(&result, "%s%s", folder, whole + strlen(top)) < 0)
        result = NULL;
    free(whole);
    return result;
}

/* Returns the length of the option name in a flag such as -Iinc, or 0. */
static size_t lead_of(const char *flag)
{
    static const char *const leads[] = {"-isystem",        "-iquote",  "-idirafter",
                                        "--include-path=", "-include", "-I"};

    for (size_t k = 0; k < sizeof leads / sizeof *leads; k++)
        if (strncmp(flag, leads[k], strlen(leads[k])) == 0)
            return strlen(leads[k]);
    return 0;
}

/* Maps the path in a flag: after an option name, or the flag itself. */
static char *moved_flag(const char *flag, const char *top, const char *folder)
{
    size_t length = lead_of(flag);
    char *path = moved(flag + length, top, folder), *result = NULL;

    if (path != NULL && asprintf(&result, "%.*s%s", (int)length, flag, path) < 0)
        result = NULL;
    free(path);
    return result;
}

/* Writes all files of the revision into `folder`, by an index of its own. An archive would lack
 * those with the attribute export-ignore. Returns false after an error message. */
static bool unpack(const char *revision, const char *top, const char *folder)
{
    char index[USER_PATH + 32], tree[USER_PATH + 16], said[4096];

    snprintf(index, sizeof index, "GIT_INDEX_FILE=%s.index", folder);
    snprintf(tree, sizeof tree, "--work-tree=%s", folder);
    if (mkdir(folder, 0755) != 0)
        return error_report("cannot make '%s': %s", folder, strerror(errno));
    return tool_run((const char *const[]){"env", index, "git", "-C", top, tree, "-c",
                                          "core.hooksPath=/dev/null", "read-tree", "--reset", "-u",
                                          "--no-sparse-checkout", "--no-recurse-submodules",
                                          revision, NULL},
                    said, sizeof said) == 0 ||
           error_report("%s: git says '%.*s'", revision, (int)strcspn(said, "\n"), said);
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

/* Checks that git has no edit of a file of another repository, such as that of which this one is a
 * submodule: both sides would have it. Returns false after an error message. */
static bool is_unedited(const char *path)
{
    char whole[PATH_MAX], folder[PATH_MAX + 8], said[4096] = "";
    const char *const words[] = {
        "--literal-pathspecs", "status", "--porcelain", "--untracked-files=no", "--", whole, NULL};

    if (realpath(path, whole) == NULL)
        return error_report("cannot read '%s': %s", path, strerror(errno));
    for (size_t length = strlen(whole) - 1; length > 0; length--) {
        snprintf(folder, sizeof folder, "%.*s/.git", (int)length, whole);
        if (whole[length] != '/' || access(folder, F_OK) != 0)
            continue;
        folder[length] = '\0';
        return (git_ask(folder, words, said, sizeof said) == 0 && said[0] == '\0') ||
               error_report("the old code has '%s', which has changed in its own repository '%s': "
                            "commit the change, or compare there (git says '%s')",
                            path, folder, said);
    }
    return true;
}

/* Returns whether `length` bytes of a text are a path of the work tree. */
static bool is_of_work_tree(const char *text, size_t length, const char *top)
{
    char *name = strndup(text, length), *path = name != NULL ? realpath(name, NULL) : NULL;
    bool found = path != NULL && is_within(path, top);

    free(path);
    free(name);
    return found;
}

/* Checks that flags or a list of folders, which the old code gets as they are, name no path of the
 * work tree and no file of options. A compiler may look there for files that it does not list, as
 * for __has_include. Macros may have any text. `what` is a name of the text. */
static bool is_text_old(const struct old_files *old, const char *text, const char *what)
{
    static const char blanks[] = " \t\n", starts[] = " \t\n,:=@\"'", ends[] = " \t\n,:\"'";

    if (inputs_have_options(text))
        return error_report(
            "'%s' may name a file of options, or text for a shell, and the old code "
            "would have the same: write '--options-file FILE', or the options",
            what);
    for (const char *at = text; *at != '\0'; at += *at != '\0') {
        if (at > text && strchr(starts, at[-1]) == NULL)
            continue;
        at += strncmp(at, "-D", 2) == 0 ? strcspn(at, blanks) : lead_of(at);
        for (size_t length = 1; at[length - 1] != '\0'; length++)
            if ((at[length] == '\0' || strchr(ends, at[length]) != NULL) &&
                is_of_work_tree(at, length, old->top))
                return error_report("'%s' names '%.*s' of the work tree, not of %s: give a folder "
                                    "of headers as '-I FOLDER'",
                                    what, (int)length, at, old->revision);
    }
    return true;
}

/* Checks what a file of options says. Its paths are not mapped. */
static bool is_option_file_old(const struct old_files *old, const char *file)
{
    size_t size = 0;
    char *text = read_whole_file(file, &size);
    bool good = text != NULL ? is_text_old(old, text, file)
                             : error_report("cannot read '%s': %s", file, strerror(errno));

    free(text);
    return good;
}

static bool takes_option_file(const char *flag)
{
    return strcmp(flag, "--options-file") == 0 || strcmp(flag, "-optf") == 0;
}

/* Checks the flags of the old code, of which `flags` are not mapped, and the variables that
 * compilers read. Returns false after an error message. */
static bool are_flags_old(const struct old_files *old, const char *const *flags, size_t count)
{
    static const char *const variables[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CPATH",
                                            "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
    bool good = true;

    for (size_t v = 0; good && v < sizeof variables / sizeof *variables; v++)
        good = getenv(variables[v]) == NULL || is_text_old(old, getenv(variables[v]), variables[v]);
    for (size_t f = 0; good && f < count; f++) {
        const char *mapped = old->files.flags[f], *before = f > 0 ? flags[f - 1] : "";
        if (takes_option_file(before))
            good = is_option_file_old(old, flags[f]) && is_option_file_old(old, mapped) &&
                   is_unedited(mapped);
        else if (strcmp(flags[f], mapped) == 0 && !takes_option_file(mapped) &&
                 strcmp(before, "-D") != 0)
            good = is_text_old(old, mapped, mapped);
    }
    return good;
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
    good =
        good && (user_files_are_ptx(files) || are_flags_old(old, files->flags, files->flag_count));
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

static bool is_of_simtcheck(const char *path, const char *part)
{
    char own[USER_PATH];

    installation_data(part, own, sizeof own);
    return is_within(path, own);
}

/* Checks one name of the list. simtcheck's own headers belong to no side. nvcc lists the names of
 * #line directives, too, and these need not exist. */
static bool is_old(char *name, void *context)
{
    struct old_files *old = context;
    bool is_in_room = is_within(name, old->room) && strstr(name, "/..") == NULL, good;
    char *path = realpath(name, NULL);

    if (!is_in_room && ((path == NULL && errno != ENOENT) || !inputs_is_sure(name))) {
        free(path);
        return false;
    }
    if (path == NULL)
        return true;
    if (is_of_simtcheck(path, "src/device/clang") || is_within(path, old->room))
        good = true;
    else if (!is_within(path, old->top))
        good = is_of_simtcheck(path, "include") || is_unedited(path);
    else
        good = error_report("the code at %s includes '%s' of the work tree, not of %s: include it "
                            "by a relative path, or give its folder as '-I FOLDER'",
                            old->revision, name, old->revision);
    old->has_other = !good;
    free(path);
    return good;
}

bool old_files_are_all_old(struct old_files *old)
{
    size_t size;
    char *list = read_whole_file(old->list, &size);
    bool good;

    if (user_files_are_ptx(&old->files)) { /* no compiler ran */
        free(list);
        return true;
    }
    if (list == NULL)
        return error_report("cannot read '%s': %s", old->list, strerror(errno));
    good = inputs_each(list, is_old, old) || old->has_other ||
           error_report("cannot tell which files the code at %s includes: use no tab, line end, "
                        "backslash or '$' in the names of headers",
                        old->revision);
    free(list);
    return good && !old->has_other;
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
static enum engine_status run_in_time(const struct session *session, struct trials *cases,
                                      struct supervisor *supervisor, const char *kernel)
{
    enum { SOME = 16 };
    struct trials some = *cases;
    enum engine_status status = ENGINE_OK;
    size_t done = 0;

    if (session->sinks->bound.minutes <= 0)
        return trials_run(cases, supervisor);
    for (; status == ENGINE_OK && done < cases->count && !bound_is_over(&session->sinks->bound);
         done = some.count) {
        some.count = cases->count - done < SOME ? cases->count : done + SOME;
        status = trials_run_from(&some, done, supervisor);
    }
    bound_take(&session->sinks->bound,
               &(const struct bound_check){session->compiler, kernel, "reference code"}, done,
               cases->count - done);
    cases->count = done;
    return status;
}

static int run_cases(const struct session *session, struct trials *cases, const char *kernel)
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
        findings_add_remark(
            &session->sinks->findings,
            memory_text(&session->sinks->findings.memory,
                        "the reference code fails in %zu of %zu case%s, so %s no reference: %s",
                        failed, cases->count, report_plural(cases->count),
                        failed == 1 ? "it has" : "they have", text));
    }
    return status;
}

int old_code_run(struct user_code *old, const struct session *session,
                 const struct plan_request *request, const char *case_id, struct user_code *fresh,
                 size_t *results)
{
    const struct reference *written = &old->launch.reference;
    struct launch_catalogue catalogue;
    struct trials cases = {.cases = NULL};
    struct session own = *session;
    char error[512];
    size_t planned;
    int status;

    if (!launch_catalogue_make(&old->launch, &catalogue, error, sizeof error)) {
        error_report("%s", error);
        return EXIT_ENVIRONMENT;
    }
    user_code_use(old, &own);
    status = add_cases(request, &catalogue, case_id, &cases);
    planned = cases.count;
    if (status == EXIT_CONFORMS)
        status = run_cases(&own, &cases, old->launch.calls[0].kernel);
    if (status == EXIT_CONFORMS &&
        !reference_list(written, cases.cases, cases.outcomes, cases.count)) {
        error_report("cannot keep the results of the reference code in '%s': %s", written->path,
                     strerror(errno));
        status = EXIT_ENVIRONMENT;
    }
    *results = status == EXIT_CONFORMS ? count_results(&cases) + (planned - cases.count) : 0;
    trials_free(&cases);
    launch_catalogue_free(&catalogue);
    fresh->launch.reference = (struct reference){
        .kind = REFERENCE_KEPT, .ulps = written->ulps, .has_bounds = written->has_bounds};
    memcpy(fresh->launch.reference.path, written->path, sizeof written->path);
    return status;
}

/* ---- More cases ---- */

static bool open_old(struct old_runs *runs)
{
    struct session session = *runs->session;
    char error[512];
    bool good;

    if (!launch_catalogue_make(&runs->old->launch, &runs->catalogue, error, sizeof error))
        return error_report("%s", error);
    session.limits.floats = runs->floats;
    user_code_use(runs->old, &session);
    good = session_open_beside(&session, ENGINE_SIM, &runs->supervisor);
    if (!good)
        launch_catalogue_free(&runs->catalogue);
    return good;
}

bool old_runs_prepare(struct old_runs *runs, const struct test_case *cases, size_t count)
{
    struct trials trials = {.cases = NULL};
    bool good = runs->supervisor != NULL || open_old(runs);

    for (size_t k = 0; good && k < count; k++) {
        struct test_case test = in_order(cases[k]);
        test.variant = &runs->catalogue.row->variant;
        trials_add(&trials, &test);
    }
    good = good && trials_run(&trials, runs->supervisor) == ENGINE_OK;
    trials_free(&trials);
    return good;
}

void old_runs_end(struct old_runs *runs)
{
    if (runs->supervisor == NULL)
        return;
    session_close(runs->session, runs->supervisor);
    launch_catalogue_free(&runs->catalogue);
}
