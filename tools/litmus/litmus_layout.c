/* SPDX-License-Identifier: MIT */
#include "litmus_layout.h"

#include <string.h>

int litmus_block_number(const struct litmus_test *test, int thread)
{
    int number = 0;

    for (int t = 0; t < thread; t++) {
        if (litmus_in_scope(&test->threads[t], &test->threads[thread], SCOPE_CTA))
            return litmus_block_number(test, t);
        number = litmus_block_number(test, t) >= number ? litmus_block_number(test, t) + 1 : number;
    }
    return number;
}

static bool same_warp(const struct litmus_thread *a, const struct litmus_thread *b)
{
    return litmus_in_scope(a, b, SCOPE_CTA) && a->warp == b->warp;
}

/* Returns the number of the thread's warp among those of its block. */
static int warp_number(const struct litmus_test *test, int thread)
{
    int number = 0;

    for (int t = 0; t < thread; t++) {
        if (same_warp(&test->threads[t], &test->threads[thread]))
            return warp_number(test, t);
        if (litmus_in_scope(&test->threads[t], &test->threads[thread], SCOPE_CTA) &&
            warp_number(test, t) >= number)
            number = warp_number(test, t) + 1;
    }
    return number;
}

static int lane_number(const struct litmus_test *test, int thread)
{
    int number = 0;

    for (int t = 0; t < thread; t++)
        number += same_warp(&test->threads[t], &test->threads[thread]);
    return number;
}

bool litmus_is_remote(const struct litmus_test *test, int thread, int variable)
{
    return !litmus_in_scope(&test->threads[thread], &test->threads[test->variables[variable].owner],
                            SCOPE_CTA);
}

bool litmus_has_remote(const struct litmus_test *test, int variable)
{
    for (int t = 0; t < test->thread_count; t++)
        for (int k = 0; k < test->threads[t].count; k++)
            if (test->threads[t].instructions[k].opcode <= LITMUS_RED &&
                test->threads[t].instructions[k].variable == variable &&
                test->variables[variable].is_shared && litmus_is_remote(test, t, variable))
                return true;
    return false;
}

bool litmus_has_remotes(const struct litmus_test *test)
{
    for (int v = 0; v < test->variable_count; v++)
        if (litmus_has_remote(test, v))
            return true;
    return false;
}

int litmus_place_of(const struct litmus_layout *layout, int thread)
{
    for (int block = 0; block < layout->blocks; block++)
        for (int warp = 0; warp < layout->warps; warp++)
            for (int lane = 0; lane < layout->lanes; lane++)
                if (layout->roles[block][warp][lane] == thread)
                    return (block * layout->warps + warp) * layout->lanes + lane;
    return -1;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Returns why the variables of the test have no place on a GPU, or null. */
static const char *variables_problem(const struct litmus_test *test)
{
    for (int v = 0; v < test->variable_count; v++)
        if (test->variables[v].location != v && test->variables[v].is_shared)
            return "aliases of shared variables are not run";
    return NULL;
}

/* Finds the next barrier of a thread at or after instruction `at`. Returns its number, or -1. */
static int next_barrier(const struct litmus_thread *thread, int *at)
{
    for (; *at < thread->count; ++*at)
        if (thread->instructions[*at].opcode == LITMUS_BARRIER)
            return thread->instructions[(*at)++].barrier;
    return -1;
}

/* All threads of a block run the instances at the same time, so that they need the same barriers.
 */
static bool same_barriers(const struct litmus_thread *a, const struct litmus_thread *b)
{
    int at_a = 0, at_b = 0, barrier;

    do {
        barrier = next_barrier(a, &at_a);
        if (next_barrier(b, &at_b) != barrier)
            return false;
    } while (barrier >= 0);
    return true;
}

const char *litmus_layout_of(const struct litmus_test *test, struct litmus_layout *layout)
{
    int clusters = 0;

    if (test->term_count == 0)
        return "the condition names no register and no variable";
    memset(layout, 0, sizeof *layout);
    memset(layout->roles, -1, sizeof layout->roles);
    for (int t = 0; t < test->thread_count; t++) {
        int block = litmus_block_number(test, t), warp = warp_number(test, t),
            lane = lane_number(test, t);
        bool is_new = true;

        layout->blocks = larger(layout->blocks, block + 1);
        layout->warps = larger(layout->warps, warp + 1);
        layout->lanes = larger(layout->lanes, lane + 1);
        layout->roles[block][warp][lane] = t;
        if (test->threads[t].gpu != test->threads[0].gpu)
            return "threads on several GPUs are not run";
        if (!same_barriers(&test->threads[0], &test->threads[t]))
            return "threads with different barriers are not run";
        for (int other = 0; other < t; other++)
            is_new =
                is_new && !litmus_in_scope(&test->threads[t], &test->threads[other], SCOPE_CLUSTER);
        clusters += is_new;
    }
    if (clusters > 1 && clusters < layout->blocks)
        return "several clusters of several blocks are not run";
    layout->cluster = clusters == 1 ? layout->blocks : 1;
    layout->per_block = (LITMUS_BLOCK / 32 / layout->warps) * (32 / layout->lanes);
    return variables_problem(test);
}
