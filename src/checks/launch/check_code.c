/* SPDX-License-Identifier: MIT */
#include "check_code.h"

#include "accept.h"
#include "clang.h"
#include "error_report.h"
#include "old_code.h"
#include "oracle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Compiles the files. Returns false after an error message, for example if the simulator is to run
 * code that it does not support, or with the rejection of a compiler that is optional. */
static bool build(const struct check *check, struct user_code *code, const struct user_files *files)
{
    const struct check_request *request = check->request;
    struct rejection *rejection = &code->rejection;
    struct progress *progress = &check->session.sinks->progress;
    char error[1024];
    bool good;

    if (!user_files_are_ptx(files))
        progress_say(progress, "compiling %s with %s", files->path[0],
                     front_end_names[code->front_end]);
    good = user_code_build(code, &request->compilers, files);
    progress_end(progress);
    if (!good)
        return false;
    if (!check_uses_engine(request, ENGINE_SIM) ||
        (user_code_decode(code, error, sizeof error) &&
         decode_accepts(code->decoded, error, sizeof error)))
        return true;
    if (!code->is_optional)
        return error_report("%s", error);
    snprintf(rejection->what, sizeof rejection->what, "the simulator cannot run %s's PTX of '%s'",
             front_end_names[code->front_end], files->path[0]);
    snprintf(rejection->reason, sizeof rejection->reason, "%.500s", error);
    return false;
}

/* ---- What outputs are compared with ---- */

/* Compiles the reference of --reference double. Products and sums stay apart: their errors together
 * are no less than that of fma(). Uses clang where possible, because nvcc writes functions such as
 * expf() out with operations on the bits of floats. Returns false after an error message. */
static bool build_bounded(const struct check *check, struct user_code *old, struct user_files files)
{
    const char **flags = malloc((files.flag_count + 1) * sizeof *flags);
    struct compiler compiler;
    char said[512];
    bool good;

    if (flags == NULL)
        return error_report("out of memory");
    if (check->request->compilers.nvcc.count == 0 &&
        front_end_open(&check->request->compilers, FRONT_END_CLANG, &compiler, said, sizeof said))
        old->front_end = FRONT_END_CLANG;
    for (size_t f = 0; f < files.flag_count; f++)
        flags[f] = files.flags[f];
    flags[files.flag_count] = "--fmad=false";
    files.flags = flags;
    files.flag_count++;
    good = build(check, old, &files) || check->code.front_end == old->front_end ||
           error_report("clang compiles the code of --reference double: give '--nvcc nvcc' to let "
                        "nvcc compile it");
    free(flags);
    return good;
}

static bool build_reference(const struct check *check, struct user_code *old,
                            const struct user_files *files)
{
    return check->request->reference != 0 && !user_files_are_ptx(files)
               ? build_bounded(check, old, *files)
               : build(check, old, files);
}

/* Builds the code that --against names. Without --against it builds the user's own code, whose
 * sequential run is the reference for floats. Returns false after an error message. */
static bool build_old(struct check *check, const struct user_files *files)
{
    const struct check_request *request = check->request;
    bool is_revision = request->against != NULL && strncmp(request->against, "git:", 4) == 0, good;
    struct user_files old_files = *files;
    struct user_code *old = &check->old;
    struct old_files taken;

    old->launch = check->code.launch;
    old->launch.reference = (struct reference){
        .kind = REFERENCE_WRITE,
        .ulps = request->ulps,
        .has_bounds = request->reference != 0 && request->ulps == 0,
    };
    if (!user_code_start(old))
        return false;
    snprintf(old->launch.reference.path, sizeof old->launch.reference.path, "%s/results",
             old->folder);
    if (mkdir(old->launch.reference.path, 0755) != 0)
        return error_report("cannot make '%s': %s", old->launch.reference.path, strerror(errno));
    if (is_revision) {
        good = old_files_take(request->against + 4, old->folder, files, &taken) &&
               build_reference(check, old, &taken.files) && old_files_are_all_old(&taken);
        old_files_free(&taken);
        return good;
    }
    if (request->against != NULL) {
        old_files.path = &request->against;
        old_files.count = 1;
    }
    return build_reference(check, old, &old_files);
}

static unsigned int count_parts(const struct check_request *request)
{
    return request->parts == 0 ? 3 : (unsigned int)__builtin_popcount(request->parts);
}

enum float_kind check_reference_floats(const struct check_request *request,
                                       const struct session *session)
{
    return request->reference == 0    ? session->limits.floats
           : request->against != NULL ? FLOATS_BOUNDED_ANY_ORDER
                                      : FLOATS_BOUNDED;
}

/* Runs the reference code. Its share of the time is that of a part. Returns the exit status. */
static int run_old(struct check *check)
{
    const struct check_request *request = check->request;
    struct session session = check->session;
    double end = bound_share(&session.sinks->bound, check->pieces * (count_parts(request) + 1));
    int status;

    session.limits.floats = check_reference_floats(request, &session);
    status = old_code_run(&check->old, &session, &request->rows.selection.cases, request->case_id,
                          &check->code, &check->results);
    bound_restore(&session.sinks->bound, end);
    return status;
}

/* Makes the reference for the outputs, if the user requests one. Returns the exit status. */
static int make_reference(struct check *check)
{
    const struct check_request *request = check->request;

    if (request->oracle != NULL && request->against != NULL) {
        error_report(
            "--oracle and --against both set the reference for the outputs: give one of them");
        return EXIT_USAGE;
    }
    if (request->oracle != NULL)
        return oracle_build(&check->code, request->oracle, request->ulps)
                   ? EXIT_CONFORMS
                   : user_code_status(&check->code);
    if (!check_has_reference_code(request))
        return EXIT_CONFORMS;
    if (!build_old(check, &request->files))
        return user_code_status(&check->old);
    return run_old(check);
}

int check_code_make(struct check *check)
{
    const struct check_request *request = check->request;
    struct user_files files = request->files;
    char error[512];
    int status;

    if (!user_code_start(&check->code))
        return EXIT_ENVIRONMENT;
    status = make_reference(check);
    if (status != EXIT_CONFORMS)
        return status;
    if (check->old.is_ptx && request->against == NULL)
        files.taken = check->old.ptx;
    if (!build(check, &check->code, &files))
        return user_code_status(&check->code);
    if (launch_catalogue_make(&check->code.launch, &check->catalogue, error, sizeof error))
        return EXIT_CONFORMS;
    error_report("%s", error);
    return check->code.launch.reference.kind == REFERENCE_KEPT ? EXIT_ENVIRONMENT : EXIT_USAGE;
}
