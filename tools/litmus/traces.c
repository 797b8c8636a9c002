/* SPDX-License-Identifier: MIT */
#include "traces.h"

#include "error_report.h"

#include <stdlib.h>

enum { MOST_TRACES = 4096 };

/* A thread at one of its instructions. */
struct walk {
    const struct litmus_test *test;
    const struct domains *domains;
    struct traces *traces;
    int thread;
    struct trace trace;
    uint64_t sources[LITMUS_REGISTERS]; /* the reads that each register depends on */
    uint64_t control;                   /* the reads that branches depended on */
};

int litmus_compute(enum litmus_operation operation, int a, int b)
{
    const unsigned int x = (unsigned int)a, y = (unsigned int)b;

    switch (operation) {
    case OPERATION_ADD:
        return (int)(x + y);
    case OPERATION_SUB:
        return (int)(x - y);
    case OPERATION_MUL:
        return (int)(x * y);
    case OPERATION_AND:
        return (int)(x & y);
    case OPERATION_OR:
        return (int)(x | y);
    case OPERATION_XOR:
        return (int)(x ^ y);
    case OPERATION_EQ:
        return a == b;
    case OPERATION_NE:
        return a != b;
    case OPERATION_LT:
        return a < b;
    case OPERATION_LE:
        return a <= b;
    case OPERATION_GT:
        return a > b;
    case OPERATION_GE:
        return a >= b;
    case OPERATION_ALWAYS:
        return 1;
    default: /* a move */
        return b;
    }
}

static int value_of(const struct walk *walk, struct litmus_operand operand)
{
    return operand.is_register ? walk->trace.registers[operand.value] : operand.value;
}

static uint64_t sources_of(const struct walk *walk, struct litmus_operand operand)
{
    return operand.is_register ? walk->sources[operand.value] : 0;
}

/* Returns a new event of the instruction. */
static struct event *add_event(struct walk *walk, const struct litmus_instruction *instruction,
                               enum event_kind kind)
{
    struct event *event = &walk->trace.events[walk->trace.count++];

    *event = (struct event){
        .kind = kind,
        .thread = walk->thread,
        .order = instruction->order,
        .scope = instruction->scope,
        .is_reduction = instruction->opcode == LITMUS_RED,
        .variable = instruction->variable,
        .location = walk->test->variables[instruction->variable].location,
        .partner = -1,
        .barrier = instruction->barrier,
        .uses = walk->control,
    };
    if (instruction->opcode <= LITMUS_RED && instruction->has_offset)
        event->uses |= walk->sources[instruction->offset];
    return event;
}

static void add_barrier(struct walk *walk, const struct litmus_instruction *instruction)
{
    struct event *event = add_event(walk, instruction, EVENT_BARRIER);

    for (int k = 0; k < walk->trace.count - 1; k++)
        event->instance += walk->trace.events[k].kind == EVENT_BARRIER &&
                           walk->trace.events[k].barrier == event->barrier;
}

/* Adds a load, or the read and the write of a read-modify-write that reads `value`. */
static void add_read(struct walk *walk, const struct litmus_instruction *instruction, int value)
{
    const bool is_cas = instruction->operation == OPERATION_CAS;
    const int read = walk->trace.count;

    add_event(walk, instruction, EVENT_READ)->value = value;
    if (instruction->opcode != LITMUS_LOAD && is_cas)
        walk->trace.events[read].uses |= sources_of(walk, instruction->a);
    if (instruction->opcode != LITMUS_LOAD &&
        (!is_cas || value == value_of(walk, instruction->a))) {
        struct litmus_operand operand = is_cas ? instruction->b : instruction->a;
        struct event *write = add_event(walk, instruction, EVENT_WRITE);

        write->value = litmus_compute(instruction->operation, value, value_of(walk, operand));
        write->partner = read;
        write->uses |= sources_of(walk, operand);
        if (instruction->operation != OPERATION_MOVE)
            write->uses |= 1ull << read;
    }
    if (instruction->opcode != LITMUS_RED) {
        walk->trace.registers[instruction->target] = value;
        walk->sources[instruction->target] = 1ull << read;
    }
}

static bool continue_at(const struct walk *walk, int at);

/* Continues with each value that the read may return. */
static bool read_values(const struct walk *walk, const struct litmus_instruction *instruction,
                        int at)
{
    const int location = walk->test->variables[instruction->variable].location;

    for (int k = 0; k < walk->domains->count[location]; k++) {
        struct walk next = *walk;

        add_read(&next, instruction, walk->domains->values[location][k]);
        if (!continue_at(&next, at + 1))
            return false;
    }
    return true;
}

static bool add_trace(const struct walk *walk)
{
    struct traces *traces = walk->traces;
    struct trace *list;

    if (traces->count >= MOST_TRACES)
        return false;
    if ((traces->count & (traces->count - 1)) == 0) { /* a power of two: full */
        list = realloc(traces->list, (traces->count > 0 ? 2 * traces->count : 1) * sizeof *list);
        if (list == NULL)
            return false;
        traces->list = list;
    }
    traces->list[traces->count++] = walk->trace;
    return true;
}

/* Executes the instruction `at` and those after it. Returns false if there are too many traces. */
static bool continue_at(const struct walk *before, int at)
{
    const struct litmus_thread *thread = &before->test->threads[before->thread];
    const struct litmus_instruction *instruction = &thread->instructions[at];
    struct walk walk = *before;
    struct event *event;

    if (at == thread->count)
        return add_trace(&walk);
    /* An address outside of the variable is undefined behaviour. */
    if (instruction->opcode <= LITMUS_RED && instruction->has_offset &&
        walk.trace.registers[instruction->offset] != 0)
        return true;
    switch (instruction->opcode) {
    case LITMUS_LOAD:
    case LITMUS_ATOM:
    case LITMUS_RED:
        return read_values(&walk, instruction, at);
    case LITMUS_STORE:
        event = add_event(&walk, instruction, EVENT_WRITE);
        event->value = value_of(&walk, instruction->a);
        event->uses |= sources_of(&walk, instruction->a);
        break;
    case LITMUS_FENCE:
        add_event(&walk, instruction, EVENT_FENCE);
        break;
    case LITMUS_ALIAS:
        add_event(&walk, instruction, EVENT_ALIAS_FENCE);
        break;
    case LITMUS_BARRIER:
        add_barrier(&walk, instruction);
        break;
    case LITMUS_COMPUTE: {
        bool is_move = instruction->operation == OPERATION_MOVE;
        struct litmus_operand last = is_move ? instruction->a : instruction->b;
        uint64_t sources = sources_of(&walk, instruction->a) | sources_of(&walk, last);

        walk.trace.registers[instruction->target] = litmus_compute(
            instruction->operation, value_of(&walk, instruction->a), value_of(&walk, last));
        walk.sources[instruction->target] = sources;
        break;
    }
    case LITMUS_BRANCH:
        walk.control |= sources_of(&walk, instruction->a) | sources_of(&walk, instruction->b);
        if (litmus_compute(instruction->operation, value_of(&walk, instruction->a),
                           value_of(&walk, instruction->b)))
            at = instruction->jump - 1;
        break;
    }
    return continue_at(&walk, at + 1);
}

static bool find_traces(const struct litmus_test *test, const struct domains *domains,
                        struct traces traces[LITMUS_THREADS])
{
    for (int t = 0; t < test->thread_count; t++) {
        struct walk walk = {.test = test, .domains = domains, .traces = &traces[t], .thread = t};

        traces[t].count = 0;
        for (int r = 0; r < LITMUS_REGISTERS; r++)
            walk.trace.registers[r] = test->threads[t].initial[r];
        if (!continue_at(&walk, 0))
            return false;
    }
    return true;
}

/* Adds a value that a write can store. Returns false if there are too many. */
static bool add_value(struct domains *domains, int location, int value, bool *is_new)
{
    const int most = (int)(sizeof domains->values[0] / sizeof domains->values[0][0]);
    int *values = domains->values[location];

    for (int k = 0; k < domains->count[location]; k++)
        if (values[k] == value)
            return true;
    if (domains->count[location] == most)
        return false;
    values[domains->count[location]++] = value;
    *is_new = true;
    return true;
}

static bool add_written(struct domains *domains, const struct traces *traces, bool *is_new)
{
    for (size_t k = 0; k < traces->count; k++)
        for (int e = 0; e < traces->list[k].count; e++)
            if (traces->list[k].events[e].kind == EVENT_WRITE &&
                !add_value(domains, traces->list[k].events[e].location,
                           traces->list[k].events[e].value, is_new))
                return false;
    return true;
}

static int count_writes(const struct litmus_test *test)
{
    int count = 0;

    for (int t = 0; t < test->thread_count; t++)
        for (int k = 0; k < test->threads[t].count; k++)
            count += test->threads[t].instructions[k].opcode >= LITMUS_STORE &&
                     test->threads[t].instructions[k].opcode <= LITMUS_RED;
    return count;
}

/* Initial values, and the constants of the condition, which may come out of thin air. */
static bool add_first_values(const struct litmus_test *test, struct domains *domains)
{
    bool is_new;

    for (int v = 0; v < test->variable_count; v++) {
        const int location = test->variables[v].location;

        if (!add_value(domains, location, test->variables[v].initial, &is_new))
            return false;
        for (int k = 0; k < test->condition_count; k++)
            if (test->conditions[k].kind == CONDITION_EQUAL && !test->conditions[k].b.is_register &&
                !add_value(domains, location, test->conditions[k].b.value, &is_new))
                return false;
    }
    return true;
}

/* The values come from the traces, and the traces from the values. Each round passes values through
 * one more write. No value passes a write twice, because values have a cause. */
bool traces_find(const struct litmus_test *test, struct traces traces[LITMUS_THREADS], char *error,
                 size_t size)
{
    struct domains domains = {.count = {0}};
    bool is_new = true, good = add_first_values(test, &domains);

    for (int round = count_writes(test); good && is_new && round >= 0; round--) {
        is_new = false;
        good = find_traces(test, &domains, traces);
        for (int t = 0; good && round > 0 && t < test->thread_count; t++)
            good = add_written(&domains, &traces[t], &is_new);
    }
    return good || error_write(error, size, "%s is too large: its reads can return too many values",
                               test->name);
}
