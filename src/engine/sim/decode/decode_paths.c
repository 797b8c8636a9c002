/* SPDX-License-Identifier: MIT
 *
 * Finds the branches that decide whether a thread reaches a barrier, and the place where the paths
 * from such a branch meet: its immediate post-dominator.
 *
 * A branch decides about a barrier, or about another such branch, if one of its paths must lead
 * there and another need not. See Ferrante, Ottenstein and Warren, The Program Dependence Graph and
 * Its Use in Optimization, 1987.
 *
 * The decoder inserts steps for paths.c before these branches, where their paths meet, and before
 * what a thread does after that.
 */
#include "decoder.h"

#include "libdevice.h"

#include <string.h>

struct path_plan {
    uint32_t blocks;   /* of the function; this number stands for its end */
    uint32_t *joins;   /* by block: where the paths from its last branch meet, if it decides */
    bool *is_join;     /* by block, and for the end */
    bool *is_behind;   /* by block: it may run after a join, with no barrier between */
    bool *has_barrier; /* by block: it has a barrier, or calls a function that has one */
    bool *is_divided;  /* by block: has_barrier, but not all threads have to meet there */
};

enum { NOWHERE = -1 };

/* ---- Properties of instructions ---- */

static bool has_meaning(const struct instruction *instruction, const char *meaning)
{
    return instruction->label == NULL && strcmp(instruction->match.form->meaning, meaning) == 0;
}

static bool is_whole_barrier(const struct instruction *instruction)
{
    return has_meaning(instruction, "@bar") && strstr(instruction->opcode, ".arrive") == NULL &&
           instruction->operand_count ==
               (strstr(instruction->opcode, ".red.") != NULL ? 3 : (size_t)1);
}

/* Returns true for a barrier of the whole block, or an aligned one, also of the cluster, at which
 * the lanes of a warp must meet. */
static bool is_barrier(const struct instruction *instruction)
{
    return is_whole_barrier(instruction) ||
           (has_meaning(instruction, "@cluster_barrier") &&
            strstr(instruction->opcode, ".aligned") != NULL) ||
           (has_meaning(instruction, "@bar") && strstr(instruction->opcode, ".arrive") == NULL &&
            (strncmp(instruction->opcode, "bar.", 4) == 0 ||
             strstr(instruction->opcode, ".aligned") != NULL));
}

/* Returns the called function, with its body if there is one. Returns null for a call by
 * address. */
static const struct function *callee_of(const struct module *module,
                                        const struct instruction *instruction)
{
    for (size_t k = 0; k < instruction->operand_count; k++)
        if (instruction->operands[k].kind == OPERAND_SYMBOL &&
            instruction->operands[k].function != NULL) {
            const struct function *function = instruction->operands[k].function;
            const struct function *last = module_function(module, function->name);
            return last != NULL ? last : function;
        }
    return NULL;
}

static bool calls_barrier(const struct decoder *decoder, const struct instruction *instruction)
{
    const struct function *callee;

    if (!decoder->any_meets || !has_meaning(instruction, "@call"))
        return false;
    callee = callee_of(decoder->module, instruction);
    if (callee == NULL)
        return true;
    for (size_t f = 0; f < decoder->module->function_count; f++)
        if (decoder->module->functions[f] == callee)
            return decoder->meets[f];
    return false;
}

static bool comes_to_barrier(const struct decoder *decoder, const struct instruction *instruction)
{
    return is_barrier(instruction) || calls_barrier(decoder, instruction);
}

/* Returns true if other threads may observe what the instruction that is decoded does. */
static bool acts(const struct decoder *decoder)
{
    const struct instruction *instruction = decoder->instruction;
    const struct function *callee;

    switch (decoder->meaning != NULL ? (enum decode_acts)decoder->meaning->acts : ACTS_NEVER) {
    case ACTS_NEVER:
        return false;
    case ACTS_ALWAYS:
        break;
    case ACTS_STORE:
        return strstr(instruction->opcode, ".local") == NULL &&
               strstr(instruction->opcode, ".param") == NULL;
    case ACTS_CALL:
        callee = callee_of(decoder->module, instruction);
        return callee == NULL || callee->has_body || libdevice_find(callee->name) == NULL;
    case ACTS_BARRIER:
        return !is_whole_barrier(instruction);
    }
    return true;
}

static bool ends_program(const struct decoder *decoder, const struct instruction *instruction)
{
    const struct function *callee =
        has_meaning(instruction, "@call") ? callee_of(decoder->module, instruction) : NULL;
    return instruction->guard == NULL &&
           (has_meaning(instruction, "@trap") ||
            (callee != NULL && strcmp(callee->name, "__assertfail") == 0));
}

/* ---- The graph of a function's blocks ---- */

static void add_edge(struct graph *graph, uint32_t from, uint32_t to)
{
    graph->edges = arena_more(graph->arena, graph->edges, graph->edge_count, sizeof *graph->edges);
    graph->edges[graph->edge_count++] = (struct edge){from, to};
}

/* Adds the edges from a block that ends with that instruction. A trap or a failed assertion ends
 * the program, so it has no edge. Branches without operands are rejected later. */
static void add_ways(struct graph *graph, const struct function *function,
                     const struct instruction *last)
{
    uint32_t next = last->block + 1;

    if (has_meaning(last, "@bra") && last->operand_count == 1)
        add_edge(graph, last->block, function->instructions[last->operands[0].value].block);
    else if (has_meaning(last, "@brx") && last->operand_count == 2)
        for (size_t l = 0; l < last->operands[1].table->label_count; l++)
            add_edge(graph, last->block,
                     function->instructions[last->operands[1].table->targets[l]].block);
    else if (has_meaning(last, "@ret") || has_meaning(last, "@exit"))
        add_edge(graph, last->block, graph->blocks);
    else
        add_edge(graph, last->block, next);
    if (last->guard != NULL && last->label == NULL)
        add_edge(graph, last->block, next);
}

void decode_find_edges(struct graph *graph, const struct decoder *decoder)
{
    const struct function *function = decoder->function;
    bool is_over = false;

    graph->first_out = arena_take(graph->arena, graph->blocks + 1, sizeof *graph->first_out);
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct instruction *instruction = &function->instructions[i];
        bool is_last =
            i + 1 == function->instruction_count || instruction[1].block != instruction->block;
        is_over = is_over || ends_program(decoder, instruction);
        if (!is_last)
            continue;
        if (!is_over)
            add_ways(graph, function, instruction);
        graph->first_out[instruction->block + 1] = graph->edge_count;
        is_over = false;
    }
    graph->first_in = arena_take(graph->arena, graph->blocks + 2, sizeof *graph->first_in);
    graph->in = arena_take(graph->arena, graph->edge_count + 1, sizeof *graph->in);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        graph->first_in[graph->edges[e].to + 1]++;
    for (uint32_t b = 0; b <= graph->blocks; b++)
        graph->first_in[b + 1] += graph->first_in[b];
    for (uint32_t e = graph->edge_count; e-- > 0;) {
        uint32_t to = graph->edges[e].to, k = graph->first_in[to];
        while (graph->in[k] != 0)
            k++;
        graph->in[k] = graph->edges[e].from + 1;
    }
}

/* Numbers the blocks from the end, by a depth-first search. */
static void number_blocks(struct graph *graph)
{
    uint32_t *stack = arena_take(graph->arena, graph->blocks + 1, sizeof *stack);
    uint32_t *next = arena_take(graph->arena, graph->blocks + 1, sizeof *next);
    bool *is_seen = arena_take(graph->arena, graph->blocks + 1, sizeof *is_seen);
    uint32_t depth = 0;

    graph->number = arena_take(graph->arena, graph->blocks + 1, sizeof *graph->number);
    graph->order = arena_take(graph->arena, graph->blocks + 2, sizeof *graph->order);
    stack[depth++] = graph->blocks;
    is_seen[graph->blocks] = true;
    while (depth > 0) {
        uint32_t block = stack[depth - 1], k = graph->first_in[block] + next[block];
        if (k < graph->first_in[block + 1]) {
            uint32_t from = graph->in[k] - 1;
            next[block]++;
            if (!is_seen[from])
                stack[depth++] = from;
            is_seen[from] = true;
        } else {
            graph->number[block] = ++graph->order_count;
            graph->order[graph->order_count] = block;
            depth--;
        }
    }
}

static uint32_t meet_of(const struct graph *graph, uint32_t a, uint32_t b)
{
    while (a != b)
        if (graph->number[a] < graph->number[b])
            a = graph->post[a];
        else
            b = graph->post[b];
    return a;
}

/* Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm, 2001, against the edges. */
static void find_post_dominators(struct graph *graph)
{
    bool changes = true;

    graph->post = arena_take(graph->arena, graph->blocks + 1, sizeof *graph->post);
    for (uint32_t b = 0; b < graph->blocks; b++)
        graph->post[b] = (uint32_t)NOWHERE;
    graph->post[graph->blocks] = graph->blocks;
    while (changes) {
        changes = false;
        for (uint32_t n = graph->order_count - 1; n > 0; n--) {
            uint32_t block = graph->order[n], post = (uint32_t)NOWHERE;
            for (uint32_t e = graph->first_out[block]; e < graph->first_out[block + 1]; e++) {
                uint32_t to = graph->edges[e].to;
                if (graph->post[to] == (uint32_t)NOWHERE)
                    continue;
                post = post == (uint32_t)NOWHERE ? to : meet_of(graph, post, to);
            }
            changes = changes || post != graph->post[block];
            graph->post[block] = post;
        }
    }
}

/* ---- The plan ---- */

/* Marks the branches on which a marked block depends, until nothing changes. */
static void find_decisions(const struct graph *graph, struct path_plan *plan)
{
    bool *matters = arena_take(graph->arena, plan->blocks + 1, sizeof *matters), changes = true;

    memcpy(matters, plan->has_barrier, plan->blocks * sizeof *matters);
    while (changes) {
        changes = false;
        for (uint32_t e = 0; e < graph->edge_count; e++) {
            uint32_t from = graph->edges[e].from, to = graph->edges[e].to;
            bool decides = false;
            if (plan->joins[from] != (uint32_t)NOWHERE || graph->number[from] == 0)
                continue;
            for (uint32_t b = to; graph->number[b] != 0 && b != graph->post[from] && !decides;
                 b = graph->post[b])
                decides = matters[b];
            if (!decides)
                continue;
            plan->joins[from] = graph->post[from];
            plan->is_join[graph->post[from]] = matters[from] = changes = true;
        }
    }
}

static void find_behind(const struct graph *graph, struct path_plan *plan)
{
    bool changes = true;

    for (uint32_t b = 0; b < plan->blocks; b++)
        plan->is_behind[b] = plan->is_join[b] || plan->is_divided[b];
    while (changes) {
        changes = false;
        for (uint32_t e = 0; e < graph->edge_count; e++) {
            uint32_t from = graph->edges[e].from, to = graph->edges[e].to;
            if (to == plan->blocks || plan->is_behind[to] || !plan->is_behind[from] ||
                (plan->has_barrier[from] && !plan->is_divided[from]))
                continue;
            plan->is_behind[to] = changes = true;
        }
    }
}

void decode_plan_paths(struct decoder *decoder)
{
    const struct function *function = decoder->function;
    struct arena *arena = decoder->module->arena;
    struct graph graph = {.arena = arena, .blocks = function->blocks};
    struct path_plan *plan = arena_take(arena, 1, sizeof *plan);
    bool any = false;

    decoder->paths = NULL;
    plan->blocks = function->blocks;
    plan->has_barrier = arena_take(arena, plan->blocks + 1, sizeof(bool));
    plan->is_divided = arena_take(arena, plan->blocks + 1, sizeof(bool));
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct instruction *instruction = &function->instructions[i];
        if (!comes_to_barrier(decoder, instruction))
            continue;
        any = plan->has_barrier[instruction->block] = true;
        if (instruction->guard != NULL || !is_whole_barrier(instruction))
            plan->is_divided[instruction->block] = true;
    }
    if (!any)
        return;
    decode_find_edges(&graph, decoder);
    number_blocks(&graph);
    find_post_dominators(&graph);
    plan->joins = arena_take(arena, plan->blocks + 1, sizeof *plan->joins);
    plan->is_join = arena_take(arena, plan->blocks + 1, sizeof(bool));
    plan->is_behind = arena_take(arena, plan->blocks + 1, sizeof(bool));
    for (uint32_t b = 0; b < plan->blocks; b++)
        plan->joins[b] = (uint32_t)NOWHERE;
    find_decisions(&graph, plan);
    find_behind(&graph, plan);
    decoder->paths = plan;
}

/* Finds the functions that execute a barrier, or call a function that does. */
void decode_find_meeting(struct decoder *decoder)
{
    const struct module *module = decoder->module;
    bool changes = true;

    decoder->meets = arena_take(module->arena, module->function_count + 1, sizeof(bool));
    decoder->any_meets = false;
    while (changes) {
        changes = false;
        for (size_t f = 0; f < module->function_count; f++) {
            const struct function *function = module->functions[f];
            for (size_t i = 0; i < function->instruction_count && !decoder->meets[f]; i++)
                if (comes_to_barrier(decoder, &function->instructions[i]))
                    decoder->meets[f] = changes = true;
            decoder->any_meets = decoder->any_meets || (decoder->meets[f] && !function->is_entry);
        }
    }
}

/* ---- Ops ---- */

static struct op *add_step(struct decoder *decoder, enum path_step step, uint32_t point,
                           uint32_t join)
{
    struct op *op = decode_op(decoder, OP_PATH);

    op->what = (uint8_t)step;
    op->point = point;
    op->target = join;
    return op;
}

/* Adds a step of all lanes, whatever the guard of the instruction is. */
static struct op *add_step_of_all(struct decoder *decoder, enum path_step step, uint32_t point,
                                  uint32_t join)
{
    struct op *op = add_step(decoder, step, point, join);

    op->guard = 0;
    return op;
}

/* Returns the point of a guarded barrier: a number that no block has. */
static uint32_t point_of(const struct decoder *decoder)
{
    return decoder->paths->blocks + 1 +
           (uint32_t)(decoder->instruction - decoder->function->instructions);
}

void decode_path_join(struct decoder *decoder, uint32_t block)
{
    if (decoder->paths != NULL && decoder->paths->is_join[block])
        add_step_of_all(decoder, STEP_JOIN, block, block);
}

void decode_path_before(struct decoder *decoder)
{
    const struct instruction *instruction = decoder->instruction;
    const struct path_plan *plan = decoder->paths;
    uint32_t block = instruction->block;
    bool is_last;

    if (plan == NULL)
        return;
    is_last =
        instruction + 1 == decoder->function->instructions + decoder->function->instruction_count ||
        instruction[1].block != block;
    if (instruction->guard != NULL && comes_to_barrier(decoder, instruction))
        add_step_of_all(decoder, STEP_DECIDE, point_of(decoder), point_of(decoder));
    if (is_last && plan->joins[block] != (uint32_t)NOWHERE)
        add_step_of_all(decoder, STEP_DECIDE, block, plan->joins[block]);
    if (plan->is_behind[block] && acts(decoder))
        add_step(decoder, STEP_ACT, 0, 0);
    if (has_meaning(instruction, "@ret") && !decoder->function->is_entry &&
        plan->is_join[plan->blocks])
        add_step(decoder, STEP_JOIN, plan->blocks, plan->blocks);
}

void decode_path_after(struct decoder *decoder)
{
    const struct instruction *instruction = decoder->instruction;

    if (decoder->paths != NULL && instruction->guard != NULL &&
        comes_to_barrier(decoder, instruction))
        add_step_of_all(decoder, STEP_JOIN, point_of(decoder), point_of(decoder));
}

void decode_path_end(struct decoder *decoder)
{
    if (decoder->paths != NULL)
        decode_path_join(decoder, decoder->paths->blocks);
}
