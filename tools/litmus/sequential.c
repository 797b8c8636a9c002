/* SPDX-License-Identifier: MIT
 *
 * Sequential consistency: the outcomes of all interleavings of the threads.
 */
#include "litmus_model.h"

enum { MOST_STEPS = 50000000 };

struct state {
    int memory[LITMUS_VARIABLES]; /* by location */
    int registers[LITMUS_THREADS][LITMUS_REGISTERS];
    int at[LITMUS_THREADS]; /* the next instruction */
};

struct interleaving {
    const struct litmus_test *test;
    struct litmus_outcomes *outcomes;
    long steps;
    bool failed;
};

static int value_of(const struct state *state, int thread, struct litmus_operand operand)
{
    return operand.is_register ? state->registers[thread][operand.value] : operand.value;
}

/* Executes an instruction other than a barrier. */
static void execute(const struct litmus_test *test, struct state *state, int thread)
{
    const struct litmus_instruction *instruction =
        &test->threads[thread].instructions[state->at[thread]];
    int *registers = state->registers[thread];
    int *memory = &state->memory[test->variables[instruction->variable].location];
    int a = value_of(state, thread, instruction->a), b = value_of(state, thread, instruction->b);
    int old = *memory;

    state->at[thread]++;
    switch (instruction->opcode) {
    case LITMUS_STORE:
        *memory = a;
        break;
    case LITMUS_ATOM:
    case LITMUS_RED:
        if (instruction->operation == OPERATION_CAS)
            *memory = old == a ? b : old;
        else
            *memory = litmus_compute(instruction->operation, old, a);
        if (instruction->opcode == LITMUS_RED)
            break;
        registers[instruction->target] = old;
        break;
    case LITMUS_LOAD:
        registers[instruction->target] = old;
        break;
    case LITMUS_COMPUTE:
        registers[instruction->target] = litmus_compute(
            instruction->operation, a, instruction->operation == OPERATION_MOVE ? a : b);
        break;
    case LITMUS_BRANCH:
        if (litmus_compute(instruction->operation, a, b))
            state->at[thread] = instruction->jump;
        break;
    default:
        break; /* fences change nothing here */
    }
}

static const struct litmus_instruction *next_instruction(const struct litmus_test *test,
                                                         const struct state *state, int thread)
{
    return state->at[thread] < test->threads[thread].count
               ? &test->threads[thread].instructions[state->at[thread]]
               : NULL;
}

/* Returns whether some thread of the block has passed the barrier `barrier` less often than
 * `thread` and is not at it now. */
static bool waits(const struct litmus_test *test, const struct state *state, int thread)
{
    const struct litmus_instruction *own = next_instruction(test, state, thread);
    int passed = 0;

    for (int k = 0; k < state->at[thread]; k++)
        passed += test->threads[thread].instructions[k].opcode == LITMUS_BARRIER &&
                  test->threads[thread].instructions[k].barrier == own->barrier;
    for (int t = 0; t < test->thread_count; t++) {
        const struct litmus_thread *other = &test->threads[t];
        int arrived = 0, all = 0;

        if (!litmus_in_scope(&test->threads[thread], other, SCOPE_CTA))
            continue;
        for (int k = 0; k < other->count; k++)
            if (other->instructions[k].opcode == LITMUS_BARRIER &&
                other->instructions[k].barrier == own->barrier) {
                all++;
                arrived += k <= state->at[t];
            }
        if (arrived <= passed && arrived < all)
            return true;
    }
    return false;
}

static void add_outcome(struct interleaving *interleaving, const struct state *state)
{
    const struct litmus_test *test = interleaving->test;
    struct litmus_outcome *outcome;
    int values[LITMUS_TERMS] = {0};

    for (int k = 0; k < test->term_count; k++)
        values[k] = test->terms[k].thread >= 0
                        ? state->registers[test->terms[k].thread][test->terms[k].number]
                        : state->memory[test->variables[test->terms[k].number].location];
    outcome = litmus_outcome_add(test, interleaving->outcomes, values);
    if (outcome == NULL)
        interleaving->failed = true;
    else
        outcome->is_sequential = true;
}

static void interleave(struct interleaving *interleaving, const struct state *state)
{
    bool is_end = true;

    if (interleaving->failed)
        return;
    if (++interleaving->steps > MOST_STEPS) {
        interleaving->failed = true;
        return;
    }
    for (int t = 0; t < interleaving->test->thread_count; t++) {
        const struct litmus_instruction *next = next_instruction(interleaving->test, state, t);
        struct state after = *state;

        if (next == NULL)
            continue;
        is_end = false;
        if (next->opcode == LITMUS_BARRIER && waits(interleaving->test, state, t))
            continue;
        if (next->opcode == LITMUS_BARRIER)
            after.at[t]++;
        else
            execute(interleaving->test, &after, t);
        interleave(interleaving, &after);
        if (next->opcode > LITMUS_RED)
            return; /* it changes no memory, so that its place among others does not matter */
    }
    if (is_end)
        add_outcome(interleaving, state);
}

bool litmus_mark_sequential(const struct litmus_test *test, struct litmus_outcomes *outcomes)
{
    struct interleaving interleaving = {.test = test, .outcomes = outcomes};
    struct state state = {.at = {0}};

    for (int v = 0; v < test->variable_count; v++)
        state.memory[test->variables[v].location] = test->variables[v].initial;
    for (int t = 0; t < test->thread_count; t++)
        for (int r = 0; r < LITMUS_REGISTERS; r++)
            state.registers[t][r] = test->threads[t].initial[r];
    interleave(&interleaving, &state);
    return !interleaving.failed;
}
