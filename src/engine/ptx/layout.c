/* SPDX-License-Identifier: MIT */
#include "layout.h"

#include "arena.h"
#include "entry_variable.h"

#include <string.h>

/* ---- Names ---- */

struct function *layout_named_entry(const struct module *module, const struct variable *variable)
{
    struct function *function = NULL;

    if (entry_variable_name(variable->name) != NULL && variable->relocation_count == 1)
        function = module_function(module, variable->relocations[0].symbol);
    return function != NULL && function->is_entry && function->has_body ? function : NULL;
}

/* ---- Basic blocks ---- */

static bool ends_block(const struct instruction *instruction)
{
    static const char *const ends[] = {"@bra", "@brx", "@ret", "@exit", "@trap"};

    for (size_t i = 0; instruction->label == NULL && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(instruction->match.form->meaning, ends[i]) == 0)
            return true;
    return false;
}

static void number_blocks(struct function *function)
{
    bool fresh = true;

    for (size_t i = 0; i < function->instruction_count; i++) {
        struct instruction *instruction = &function->instructions[i];
        bool first_label =
            instruction->label != NULL && (i == 0 || function->instructions[i - 1].label == NULL);
        if (fresh || first_label)
            function->blocks++;
        instruction->block = function->blocks - 1;
        fresh = ends_block(instruction);
    }
}

/* ---- What is decoded ---- */

struct wanted {
    struct arena *arena;
    struct function **functions;
    size_t count;
};

static void want(struct wanted *wanted, struct function *function)
{
    if (function == NULL || function->is_wanted)
        return;
    function->is_wanted = true;
    wanted->functions =
        arena_more(wanted->arena, wanted->functions, wanted->count, sizeof *wanted->functions);
    wanted->functions[wanted->count++] = function;
}

static void want_operand(struct wanted *wanted, const struct operand *operand)
{
    want(wanted, operand->function);
    for (size_t p = 0; p < operand->part_count; p++)
        want_operand(wanted, &operand->parts[p]);
}

/* Adds named entries, and functions whose address is in a variable. */
static void want_named(struct wanted *wanted, const struct module *module)
{
    for (size_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = module->variables[v];
        if (entry_variable_name(variable->name) != NULL)
            want(wanted, layout_named_entry(module, variable));
        else
            for (size_t r = 0; r < variable->relocation_count; r++)
                want(wanted, module_function(module, variable->relocations[r].symbol));
    }
}

static bool exports_kernels(const struct module *module)
{
    for (size_t v = 0; v < module->variable_count; v++)
        if (layout_named_entry(module, module->variables[v]) != NULL)
            return true;
    return false;
}

/* If the module exports kernels by name, only these and what they use are wanted. */
static void want_all(struct module *module)
{
    struct wanted wanted = {.arena = module->arena};
    bool wants_all = !exports_kernels(module);

    want_named(&wanted, module);
    for (size_t f = 0; f < module->function_count && wants_all; f++)
        want(&wanted, module->functions[f]);
    for (size_t f = 0; f < wanted.count; f++) {
        const struct function *function = wanted.functions[f];
        for (size_t i = 0; i < function->instruction_count; i++)
            for (size_t o = 0; o < function->instructions[i].operand_count; o++)
                want_operand(&wanted, &function->instructions[i].operands[o]);
    }
}

/* ---- Parameters whose address is taken ---- */

/* Limit for the passes over all calls. After it, every parameter or result of a call that is not
 * yet marked counts as addressed. */
enum { MAX_ROUNDS = 8 };

static bool mark(struct variable *variable)
{
    if (variable == NULL || variable->space != SPACE_PARAM || variable->is_addressed)
        return false;
    variable->is_addressed = true;
    return true;
}

/* Marks the variables of a call whose address the called function takes. `all`: marks all of
 * them. */
static bool mark_list(const struct operand *list, struct variable *const *own, size_t count,
                      bool all)
{
    bool marked = false;

    for (size_t k = 0; k < list->part_count; k++)
        if (all || k >= count || own[k]->is_addressed)
            marked = mark(list->parts[k].variable) || marked;
    return marked;
}

/* Handles call (results), function, (parameters)[, prototype]. The function may be in another
 * module, whose parameters are not visible here. */
static bool mark_call(const struct instruction *call, bool all)
{
    const struct function *function = NULL;
    bool marked = false;

    for (size_t k = 0; k < call->operand_count; k++)
        if (call->operands[k].function != NULL)
            function = call->operands[k].function;
    all = all || function == NULL || !function->has_body || function->linkage == LINKAGE_WEAK;
    for (size_t k = 0; k < call->operand_count; k++) {
        const struct operand *list = &call->operands[k];
        bool results = k == 0;
        if (list->kind != OPERAND_LIST)
            continue;
        marked = mark_list(list,
                           all       ? NULL
                           : results ? function->results
                                     : function->parameters,
                           all       ? 0
                           : results ? function->result_count
                                     : function->parameter_count,
                           all) ||
                 marked;
    }
    return marked;
}

static bool mark_addressed(const struct function *function, bool all)
{
    bool marked = false;

    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct instruction *instruction = &function->instructions[i];
        if (instruction->label != NULL)
            continue;
        if (strcmp(instruction->match.form->meaning, "@call") == 0)
            marked = mark_call(instruction, all) || marked;
        else
            for (size_t o = 0; o < instruction->operand_count; o++)
                if (instruction->operands[o].kind == OPERAND_SYMBOL)
                    marked = mark(instruction->operands[o].variable) || marked;
    }
    return marked;
}

static void mark_all_addressed(const struct module *module)
{
    bool marked = true;

    for (int round = 0; marked && round <= MAX_ROUNDS; round++) {
        marked = false;
        for (size_t f = 0; f < module->function_count; f++)
            if (module->functions[f]->is_wanted)
                marked = mark_addressed(module->functions[f], round == MAX_ROUNDS) || marked;
    }
}

/* ---- Shared memory ---- */

/* The functions found so far that an entry may call. */
struct reach {
    struct arena *arena;
    struct function *entry, **functions;
    size_t count;
};

static void reach_function(struct reach *reach, struct function *function)
{
    if (function->last_entry == reach->entry)
        return;
    function->last_entry = reach->entry;
    reach->functions =
        arena_more(reach->arena, reach->functions, reach->count, sizeof *reach->functions);
    reach->functions[reach->count++] = function;
}

static void reach_variable(const struct reach *reach, struct variable *variable)
{
    if (variable->last_entry == reach->entry)
        return;
    variable->last_entry = reach->entry;
    variable->entries = arena_more(reach->arena, variable->entries, variable->entry_count,
                                   sizeof *variable->entries);
    variable->entries[variable->entry_count++] = reach->entry;
}

static void reach_operand(struct reach *reach, const struct operand *operand)
{
    struct variable *variable = operand->variable;

    if (variable != NULL && variable->space == SPACE_SHARED) {
        if (variable->bytes > 0)
            reach_variable(reach, variable);
        else if (variable->alignment > reach->entry->dynamic_alignment)
            reach->entry->dynamic_alignment = variable->alignment;
    }
    if (operand->function != NULL && !operand->function->is_entry)
        reach_function(reach, operand->function);
    for (size_t p = 0; p < operand->part_count; p++)
        reach_operand(reach, &operand->parts[p]);
}

/* Finds all functions that an entry can reach. A function is reachable from every function that
 * names it, so also if only its address is taken. */
static void reach_all(struct module *module, struct function *entry)
{
    struct reach reach = {.arena = module->arena, .entry = entry};

    entry->dynamic_alignment = LAYOUT_DYNAMIC_ALIGNMENT;
    reach_function(&reach, entry);
    for (size_t f = 0; f < reach.count; f++) {
        const struct function *function = reach.functions[f];
        for (size_t i = 0; i < function->instruction_count; i++)
            for (size_t o = 0; o < function->instructions[i].operand_count; o++)
                reach_operand(&reach, &function->instructions[i].operands[o]);
    }
}

static uint64_t aligned(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

/* Places a variable after those that its entries already have. Arrays may overlap if no entry uses
 * both. */
static void place_variable(struct arena *arena, struct variable *variable)
{
    for (size_t e = 0; e < variable->entry_count; e++) {
        const struct function *entry = variable->entries[e];
        if (entry->shared_bytes > variable->offset)
            variable->offset = entry->shared_bytes;
        if (entry->windows > variable->window)
            variable->window = entry->windows;
    }
    variable->offset = aligned(variable->offset, variable->alignment);
    for (size_t e = 0; e < variable->entry_count; e++) {
        struct function *entry = variable->entries[e];
        entry->shared_bytes = variable->offset + variable->bytes;
        entry->windows = variable->window + 1;
        entry->shared =
            arena_more(arena, entry->shared, entry->shared_count, sizeof *entry->shared);
        entry->shared[entry->shared_count++] = variable;
    }
}

static void check_shared(const struct module *module, const struct function *function)
{
    if (function->shared_bytes > LAYOUT_SHARED)
        arena_fail(module->arena, module->path, function->line,
                   "`%.80s` has more than %d bytes of shared memory", function->name,
                   LAYOUT_SHARED);
    if (function->windows > LAYOUT_SHARED_ARRAYS)
        arena_fail(module->arena, module->path, function->line,
                   "`%.80s` has more than %d shared variables", function->name,
                   LAYOUT_SHARED_ARRAYS);
}

void layout_module(struct module *module)
{
    want_all(module);
    mark_all_addressed(module);
    for (size_t f = 0; f < module->function_count; f++) {
        const struct function *function = module->functions[f];
        number_blocks(module->functions[f]);
        if (function->has_body && function->is_entry && function->is_wanted)
            reach_all(module, module->functions[f]);
    }
    for (size_t v = 0; v < module->variable_count; v++)
        place_variable(module->arena, module->variables[v]);
    for (size_t f = 0; f < module->function_count; f++)
        check_shared(module, module->functions[f]);
}
