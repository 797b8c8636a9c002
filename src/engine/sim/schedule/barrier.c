/* SPDX-License-Identifier: MIT */
#include "barrier.h"

#include "budget.h"
#include "fault.h"

#include <stdio.h>
#include <string.h>

void simt_return(const char *function, int line)
{
    if (current.thread == NULL)
        return;
    current.thread->returned_from = function;
    current.thread->returned_line = line;
    current.thread->returned_at = budget_made();
}

/* Is the function that kernel, or an instance of it, if it is a template? In a symbol each name
 * stands behind its length. */
static bool is_kernel(const char *function, const char *symbol)
{
    char mangled[128];
    const char *found;

    if (symbol == NULL || strcmp(symbol, function) == 0)
        return true;
    snprintf(mangled, sizeof mangled, "%zu%s", strlen(function), function);
    found = strstr(symbol, mangled);
    return found != NULL && found > symbol && !(found[-1] >= '0' && found[-1] <= '9');
}

static bool has_returned(const struct thread *thread, const struct resident_block *block)
{
    return thread->returned_from != NULL && is_kernel(thread->returned_from, block->grid->symbol);
}

bool barrier_is_excused(const struct thread *thread, const struct resident_block *block)
{
    return thread->returned_last || has_returned(thread, block);
}

/* May the thread, which has returned from the kernel, have passed by the barrier on its way? Its
 * `return` stands behind the barrier, and its last barrier, if there is one, in front of it. */
static bool may_have_passed(const struct thread *thread, const struct scheduler *scheduler)
{
    const struct simt_site *barrier = scheduler->barrier, *last = thread->barrier;

    if (strcmp(thread->returned_from, scheduler->barrier_function) != 0 ||
        thread->returned_line <= barrier->line)
        return false;
    return last == NULL || (strcmp(thread->barrier_function, scheduler->barrier_function) == 0 &&
                            last->line < barrier->line);
}

static void blame(const struct resident_block *block, const struct thread *thread,
                  const struct simt_site *barrier)
{
    fault_record_of(block, thread, FAULT_DIVERGENT_BARRIER, barrier,
                    "passes by a __syncthreads() at which others of its block wait");
}

bool barrier_nobody_passed(struct resident_block *block, const struct simt_site *barrier)
{
    for (uint32_t t = 0; t < block->scheduler.threads; t++) {
        const struct thread *thread = &block->threads[t];
        if (thread->exited && !thread->is_missed_nowhere && !has_returned(thread, block)) {
            blame(block, thread, barrier);
            return false;
        }
    }
    return true;
}

bool barrier_all_came(struct resident_block *block)
{
    struct scheduler *scheduler = &block->scheduler;

    scheduler->passer = NULL;
    for (uint32_t t = 0; t < scheduler->threads; t++) {
        struct thread *thread = &block->threads[t];
        if (!thread->exited || thread->is_missed_nowhere)
            continue;
        thread->is_missed_nowhere = true;
        if (!has_returned(thread, block)) {
            blame(block, thread, scheduler->barrier);
            return false;
        }
        if (may_have_passed(thread, scheduler)) {
            scheduler->passer = thread;
            scheduler->passed = scheduler->barrier;
        }
    }
    scheduler->exits_judged = scheduler->exited;
    return true;
}

void barrier_exit(struct resident_block *block, const struct thread *thread)
{
    const struct scheduler *scheduler = &block->scheduler;

    if (thread->barrier == scheduler->passed && has_returned(thread, block) &&
        thread->returned_line == scheduler->passer->returned_line)
        blame(block, scheduler->passer, scheduler->passed);
}
