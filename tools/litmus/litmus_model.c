/* SPDX-License-Identifier: MIT */
#include "litmus_model.h"

#include "error_report.h"
#include "traces.h"

#include <stdlib.h>

enum { MOST_CANDIDATES = 1 << 17 };

/* The search over all candidate executions. Each step makes one choice. */
struct search {
    struct execution execution;
    unsigned int axioms;
    const struct traces *traces;
    const struct trace *chosen[LITMUS_THREADS];
    struct litmus_outcomes *outcomes;
    long candidates;
    bool failed; /* out of memory, or too many events or candidates */
};

/* ---- Outcomes ---- */

static int compare_outcomes(const void *a, const void *b)
{
    const struct litmus_outcome *x = a, *y = b;

    for (int k = 0; k < LITMUS_TERMS; k++)
        if (x->values[k] != y->values[k])
            return x->values[k] < y->values[k] ? -1 : 1;
    return 0;
}

/* Returns whether no write to the location comes after the event. */
static bool is_last_write(const struct execution *execution, int event, int location)
{
    return execution->events[event].kind == EVENT_WRITE &&
           execution->events[event].location == location && execution->coherence.row[event] == 0;
}

/* Adds the outcomes of an allowed execution, from term `term` on. If writes are unordered, each of
 * the last ones can be the final value of a variable. */
static void add_outcomes(struct search *search, int term, int *values)
{
    const struct execution *execution = &search->execution;
    const struct litmus_test *test = execution->test;
    const struct litmus_term *named = &test->terms[term];

    if (term == test->term_count) {
        struct litmus_outcome *outcome = litmus_outcome_add(test, search->outcomes, values);

        search->failed = search->failed || outcome == NULL;
        if (outcome != NULL) {
            outcome->is_allowed = true;
            outcome->is_racy = outcome->is_racy || execution_has_data_race(execution);
        }
        return;
    }
    if (named->thread >= 0) {
        values[term] = search->chosen[named->thread]->registers[named->number];
        add_outcomes(search, term + 1, values);
        return;
    }
    for (int event = 0; event < execution->count; event++)
        if (is_last_write(execution, event, test->variables[named->number].location)) {
            values[term] = execution->events[event].value;
            add_outcomes(search, term + 1, values);
        }
}

/* ---- Choices ---- */

/* Orders a before b, and adds what follows by transitivity. Returns false for a cycle. */
static bool order(struct relation *relation, int a, int b)
{
    relation_add(relation, a, b);
    *relation = relation_closure(*relation);
    return relation_is_irreflexive(relation);
}

/* 8.9.6: writes are related if they are morally strong or related in causality order. */
static bool are_coherence_ordered(const struct execution *execution, int x, int y)
{
    return execution->events[x].kind == EVENT_WRITE && execution->events[y].kind == EVENT_WRITE &&
           relation_has(&execution->same_location, x, y) &&
           (relation_has(&execution->morally_strong, x, y) ||
            relation_has(&execution->causality, x, y) || relation_has(&execution->causality, y, x));
}

/* 8.9.3 */
static bool are_fence_sc_ordered(const struct execution *execution, int x, int y)
{
    const struct event *a = &execution->events[x], *b = &execution->events[y];

    return a->kind == EVENT_FENCE && b->kind == EVENT_FENCE && a->order == ORDER_SC &&
           b->order == ORDER_SC && relation_has(&execution->morally_strong, x, y);
}

/* An order to choose among events, and what to do when all pairs have one. */
struct choice {
    struct relation *relation;
    bool (*is_pair)(const struct execution *execution, int x, int y);
    void (*next)(struct search *search);
};

/* Tries both directions of the pair (x, y) and of all pairs after it. */
static void choose_order(struct search *search, const struct choice *choice, int x, int y)
{
    const struct execution *execution = &search->execution;
    const struct relation before = *choice->relation;

    if (search->failed)
        return;
    for (; x < execution->count; x++, y = 0)
        for (; y < x; y++)
            if (choice->is_pair(execution, x, y) && !relation_has(choice->relation, x, y) &&
                !relation_has(choice->relation, y, x)) {
                if (order(choice->relation, y, x))
                    choose_order(search, choice, x, y + 1);
                *choice->relation = before;
                if (order(choice->relation, x, y))
                    choose_order(search, choice, x, y + 1);
                *choice->relation = before;
                return;
            }
    choice->next(search);
}

static void finish(struct search *search)
{
    int values[LITMUS_TERMS] = {0};

    search->failed = search->failed || ++search->candidates > MOST_CANDIDATES;
    if (search->failed || !execution_is_allowed(&search->execution, search->axioms))
        return;
    search->outcomes->executions++;
    add_outcomes(search, 0, values);
}

/* Initial writes come first in coherence order. So that fewer orders are tried, it begins with the
 * pairs that the axiom Coherence demands. */
static void choose_coherence(struct search *search)
{
    struct execution *execution = &search->execution;
    const struct choice choice = {&execution->coherence, are_coherence_ordered, finish};

    if (!execution_fences_chosen(execution, search->axioms))
        return;
    execution->coherence = (struct relation){{0}};
    for (int x = 0; x < execution->count; x++)
        for (int y = 0; y < execution->count; y++)
            if (execution->events[x].kind == EVENT_WRITE &&
                execution->events[y].kind == EVENT_WRITE &&
                relation_has(&execution->same_location, x, y) &&
                (execution->events[x].thread < 0 ||
                 (search->axioms & AXIOM_COHERENCE && relation_has(&execution->causality, x, y))))
                relation_add(&execution->coherence, x, y);
    execution->coherence = relation_closure(execution->coherence);
    if (relation_is_irreflexive(&execution->coherence))
        choose_order(search, &choice, 0, 0);
}

static void choose_fences(struct search *search)
{
    struct execution *execution = &search->execution;
    const struct choice choice = {&execution->fence_sc, are_fence_sc_ordered, choose_coherence};

    if (!execution_reads_chosen(execution, search->axioms))
        return;
    execution->fence_sc = (struct relation){{0}};
    choose_order(search, &choice, 0, 0);
}

static bool can_read_from(const struct execution *execution, int write, int read)
{
    const struct event *from = &execution->events[write], *to = &execution->events[read];

    return from->kind == EVENT_WRITE && from->location == to->location &&
           from->value == to->value && from->partner != read;
}

/* Returns whether each value that is read is written, so that it is worth to look closer. */
static bool all_reads_have_writes(const struct execution *execution)
{
    for (int read = 0; read < execution->count; read++) {
        int write = 0;

        if (execution->events[read].kind != EVENT_READ)
            continue;
        while (write < execution->count && !can_read_from(execution, write, read))
            write++;
        if (write == execution->count)
            return false;
    }
    return true;
}

/* Chooses a write for the reads from event `read` on. */
static void choose_writes(struct search *search, int read)
{
    struct execution *execution = &search->execution;

    if (search->failed)
        return;
    while (read < execution->count && execution->events[read].kind != EVENT_READ)
        read++;
    if (read == execution->count) {
        choose_fences(search);
        return;
    }
    for (int write = 0; write < execution->count; write++)
        if (can_read_from(execution, write, read)) {
            relation_add(&execution->reads_from, write, read);
            choose_writes(search, read + 1);
            execution->reads_from.row[write] &= ~(1ull << read);
        }
}

static void add_initial_writes(struct execution *execution)
{
    for (int v = 0; v < execution->test->variable_count; v++)
        if (execution->test->variables[v].location == v)
            execution->events[execution->count++] = (struct event){
                .kind = EVENT_WRITE,
                .thread = -1,
                .variable = v,
                .location = v,
                .value = execution->test->variables[v].initial,
                .partner = -1,
            };
}

static void add_trace_events(struct execution *execution, const struct trace *trace)
{
    const int first = execution->count;

    for (int k = 0; k < trace->count; k++) {
        struct event *event = &execution->events[execution->count++];

        *event = trace->events[k];
        event->uses <<= first;
        event->partner += event->partner >= 0 ? first : 0;
    }
}

/* Chooses a trace for each thread from `thread` on. */
static void choose_traces(struct search *search, int thread)
{
    struct execution *execution = &search->execution;
    const struct traces *traces = &search->traces[thread];
    const int count = execution->count;

    if (thread == execution->test->thread_count) {
        if (all_reads_have_writes(execution)) {
            execution_begin(execution);
            if (execution_ends(execution))
                choose_writes(search, 0);
        }
        return;
    }
    for (size_t k = 0; k < traces->count && !search->failed; k++) {
        if (execution->count + traces->list[k].count > RELATION_EVENTS) {
            search->failed = true;
            return;
        }
        search->chosen[thread] = &traces->list[k];
        add_trace_events(execution, &traces->list[k]);
        choose_traces(search, thread + 1);
        execution->count = count;
    }
}

bool litmus_outcomes_of(const struct litmus_test *test, unsigned int axioms,
                        struct litmus_outcomes *outcomes, char *error, size_t size)
{
    struct traces traces[LITMUS_THREADS] = {{.count = 0}};
    struct search search = {
        .execution = {.test = test}, .axioms = axioms, .traces = traces, .outcomes = outcomes};
    bool good = traces_find(test, traces, error, size);

    *outcomes = (struct litmus_outcomes){.count = 0};
    if (good) {
        add_initial_writes(&search.execution);
        choose_traces(&search, 0);
        good = (!search.failed && litmus_mark_sequential(test, outcomes)) ||
               error_write(error, size, "%s is too large to check", test->name);
    }
    for (int t = 0; t < test->thread_count; t++)
        free(traces[t].list);
    if (outcomes->count > 0)
        qsort(outcomes->list, outcomes->count, sizeof *outcomes->list, compare_outcomes);
    return good;
}
