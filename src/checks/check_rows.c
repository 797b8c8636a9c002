/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "interrupt.h"

static int (*const run_part[CHECK_PARTS])(const struct rows_request *, const struct session *) = {
    run_check, races_check, determinism_check, cross_check_run, stress_run};

int check_rows(const struct rows_request *request, unsigned int parts,
               const struct session *session)
{
    struct bound *bound = &session->sinks->bound;
    int status = EXIT_CONFORMS;

    if (!selection_fits(&request->selection, session->catalogue))
        return EXIT_USAGE;
    interrupt_catch();
    for (int p = 0; parts != 0 && !interrupt_came(); p++, parts >>= 1) {
        double end = bound_share(bound, (uint64_t)__builtin_popcount(parts));
        if (parts & 1)
            status = session_worse(status, run_part[p](request, session));
        bound_restore(bound, end);
    }
    return parts != 0 ? session_worse(status, EXIT_ENVIRONMENT) : status; /* after an interrupt */
}

int check_catalogue(const struct rows_request *request, unsigned int parts,
                    const struct session *session)
{
    struct findings *findings = &session->sinks->findings;
    int status;

    findings_add_launch(findings, &(const struct launch_record){.launch = NULL});
    status = check_rows(request, parts, session);
    findings_end_launch(findings, status);
    return status;
}
