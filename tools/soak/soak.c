/* SPDX-License-Identifier: MIT */
#include "soak.h"

#include "clock.h"
#include "error_report.h"
#include "exit_status.h"
#include "foreground.h"
#include "installation.h"
#include "tool.h"
#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Runs the worker. Returns its results, or null after an error message. */
static json_t *run_worker(const struct soak_request *request, const char *folder)
{
    char worker[4096], results[TOOL_FOLDER + 16], seconds[32], reason[512];
    char *const arguments[] = {worker, results, seconds, NULL};
    json_t *json;
    int status;

    if (!installation_worker("soak", worker, sizeof worker, reason, sizeof reason)) {
        error_report("%s", reason);
        return NULL;
    }
    snprintf(results, sizeof results, "%s/results", folder);
    snprintf(seconds, sizeof seconds, "%g", request->is_quick ? 0 : 60 * request->minutes);
    status = foreground_run(arguments, NULL);
    json = status == EXIT_CONFORMS ? json_load_file(results, 0, NULL) : NULL;
    if (json == NULL)
        error_report("the worker of soak ended with status %d and without results", status);
    return json;
}

/* Prints and saves the worker's results. Returns the exit status. */
static int report(const struct soak_request *request, const struct session *session,
                  const json_t *json, double seconds)
{
    struct memory memory = {NULL};
    struct soak_record record;
    char why[256];
    int status = EXIT_ENVIRONMENT;

    if (!model_read(&soak_table, json, &record, &memory, why, sizeof why)) {
        error_report("the results of soak's worker are malformed: %s", why);
    } else {
        record.mode = request->is_quick ? "quick" : "long";
        record.seconds = seconds;
        record.build = build_identity;
        status = soak_status(&record);
        record.status = (uint64_t)status;
        soak_print(&record);
        if (fflush(stdout) != 0 || !session_save(session, model_json(&soak_table, &record)))
            status = EXIT_ENVIRONMENT;
    }
    memory_free(&memory);
    return status;
}

int soak_check(const struct soak_request *request, const struct session *session)
{
    const double start = clock_seconds();
    char folder[TOOL_FOLDER] = "";
    int status = EXIT_ENVIRONMENT;
    json_t *json;

    if (!tool_make_folder("soak", folder)) {
        error_report("cannot make a folder for temporary files: %s", strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    json = run_worker(request, folder);
    if (json != NULL)
        status = report(request, session, json, clock_seconds() - start);
    json_decref(json);
    if (!tool_remove_folder(folder))
        error_report("cannot remove '%s': %s", folder, strerror(errno));
    return status;
}
