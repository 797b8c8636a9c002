/* SPDX-License-Identifier: MIT
 *
 * What one thread of a litmus test can execute, for all values that its reads may return.
 */
#ifndef SIMTCHECK_LITMUS_TRACES_H
#define SIMTCHECK_LITMUS_TRACES_H

#include "execution.h"

enum { TRACE_EVENTS = 2 * LITMUS_INSTRUCTIONS };

struct trace {
    struct event events[TRACE_EVENTS]; /* partner and uses are relative to the first one */
    int count;
    int registers[LITMUS_REGISTERS]; /* at the end */
};

struct traces {
    struct trace *list;
    size_t count;
};

/* The values that a read of each location may return. */
struct domains {
    int values[LITMUS_VARIABLES][32];
    int count[LITMUS_VARIABLES];
};

/* Finds the traces of each thread. Returns false with a message if there are too many; the caller
 * frees the lists in any case. */
bool traces_find(const struct litmus_test *test, struct traces traces[LITMUS_THREADS], char *error,
                 size_t size);

#endif
