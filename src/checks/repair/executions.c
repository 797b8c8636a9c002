/* SPDX-License-Identifier: MIT */
#include "executions.h"

#include "interrupt.h"

enum {
    MAX_EXECUTIONS = 10000,
    MAX_ACCESSES = 100 * 1000 * 1000 /* of all executions together */
};

enum engine_status executions_run(struct supervisor *supervisor, struct test_case test,
                                  execution_sink *sink, void *context, bool *all)
{
    struct outcome outcome = {.points = 0};
    enum engine_status status = ENGINE_OK;
    uint64_t accesses = 0;
    bool goes_on = true;

    supervisor_ask(supervisor, REQUEST_RACE);
    for (uint32_t k = 0; goes_on && k < MAX_EXECUTIONS && accesses < MAX_ACCESSES; k++) {
        test.schedule = (struct schedule){SCHEDULE_EXECUTION, outcome.points, {0}};
        status = supervisor_run_array(supervisor, &test, 1, &outcome);
        accesses += outcome.checked;
        goes_on = status == ENGINE_OK && sink(context, &test, &outcome) && outcome.points != 0 &&
                  outcome.points != NO_EXECUTION && !interrupt_came();
    }
    *all = status == ENGINE_OK && outcome.points == 0;
    return status;
}
