/* SPDX-License-Identifier: MIT */
#include "races_weak.h"

#include "executions.h"
#include "races_plan.h"

/* Takes an execution under weak memory. Returns false when one races, fails or has other results.
 */
static bool take_execution(void *context, const struct test_case *test,
                           const struct outcome *outcome)
{
    struct race_row *row = context;
    struct executions_record **executions = &row->record.executions;

    if (*executions == NULL)
        *executions = memory_take(row->memory, sizeof **executions);
    (*executions)->number++;
    row->record.cases++;
    if (outcome->kind == OUTCOME_FAULT)
        race_row_take_fault(row, test, outcome);
    race_row_take(row, test, outcome, outcome->same_value);
    race_row_compare(row, test, outcome);
    return row->record.faults == 0 && row->record.racing == 0 && !row->orders.wrong;
}

static bool searches_executions(const struct races *races, const struct race_row *row)
{
    return races->request->selection.cases.weak_memory != 0 &&
           row->record.model == MODEL_INDEPENDENT;
}

bool races_search_executions(struct races *races, const struct plan *plan, struct race_row *row)
{
    const struct planned_shape *small =
        row->variant->launch != NULL ? races_small_launch(plan) : races_small_shape(plan);
    struct test_case test;
    bool all = false;

    if (!searches_executions(races, row) || small == NULL || row->is_bounded || row->orders.wrong)
        return true;
    plan_case(plan, small->first, &test);
    test.values = (struct values){VALUES_HASH, RACES_SEED};
    races->status = executions_run(races->supervisor, test, take_execution, row, &all);
    if (row->record.executions != NULL)
        row->record.executions->all = all;
    row->is_bounded = bound_is_over(&races->session->sinks->bound);
    return races->status == ENGINE_OK;
}

bool races_search_repair(struct races *races, struct race_row *row)
{
    if (!searches_executions(races, row) || row->record.racing == 0 || row->is_bounded)
        return true;
    races->status = repair_search(races->session, races->supervisor, &row->smallest[0],
                                  &row->record.pairs, row->memory, &row->repair);
    return races->status == ENGINE_OK;
}
