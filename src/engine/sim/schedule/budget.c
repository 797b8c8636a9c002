/* SPDX-License-Identifier: MIT */
#include "budget.h"

#include "fault.h"

struct steps steps;

void budget_start(uint64_t budget)
{
    steps.made = steps.granted = 0;
    steps.countdown = 0;
    steps.budget = budget;
}

void budget_add_budget(uint64_t more)
{
    steps.budget += more;
}

uint64_t budget_made(void)
{
    return steps.made + steps.granted - (uint64_t)steps.countdown;
}

void budget_account(void)
{
    steps.made += steps.granted - (uint64_t)steps.countdown;
    steps.granted = (uint64_t)steps.countdown;
}

void budget_end_span(const void *code, const struct simt_site *site)
{
    budget_account();
    if (steps.overdue)
        fault_raise_deadline(code, site);
    if (steps.made > steps.budget && site != NULL)
        fault_raise_at(FAULT_STEP_LIMIT, site, "is past the %llu steps",
                       (unsigned long long)steps.budget);
    if (steps.made > steps.budget)
        fault_raise(FAULT_STEP_LIMIT, code, "is past the %llu steps",
                    (unsigned long long)steps.budget);
}

void budget_grant(uint64_t span)
{
    uint64_t left = steps.budget - steps.made;

    steps.granted = span < left ? span : left;
    steps.countdown = (int64_t)steps.granted;
}

void budget_set_overdue(bool overdue)
{
    steps.overdue = overdue;
    if (overdue)
        steps.countdown = 0; /* a decrement in flight may undo this; the next tick tries again */
}
