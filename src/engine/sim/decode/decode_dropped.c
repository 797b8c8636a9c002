/* SPDX-License-Identifier: MIT
 *
 * Loads whose value selp may drop.
 *
 * A compiler may hoist a load above its condition, and let selp choose whether its value is used.
 * In the source, a thread for which the condition is false does not execute the load. Therefore
 * selp checks such a load for races, in the lanes that use its value.
 */
#include "decoder.h"

#include "outcome.h"

#include <string.h>

enum { MAX_STEPS = 8 }; /* arithmetic instructions between a load and its selp */

/* The occurrences of a register in the function. */
struct occurrences {
    uint32_t count, first, last; /* first, last: instructions */
};

static void note_register(struct occurrences *all, const struct reg *reg, uint32_t instruction)
{
    struct occurrences *one;

    if (reg == NULL)
        return;
    one = &all[reg->number];
    if (one->count++ == 0)
        one->first = instruction;
    one->last = instruction;
}

static void note_operand(struct occurrences *all, const struct operand *operand,
                         uint32_t instruction)
{
    note_register(all, operand->reg, instruction);
    for (size_t k = 0; k < operand->part_count; k++)
        note_operand(all, &operand->parts[k], instruction);
    if (operand->pair != NULL)
        note_operand(all, operand->pair, instruction);
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Returns true for an instruction that no load moves across, because it may order the load. */
static bool orders(const struct instruction *instruction)
{
    static const char *const opcodes[] = {
        "bar",        "barrier",  "membar", "fence",    "atom",     "red",       "shfl",
        "vote",       "match",    "redux",  "call",     "mbarrier", "cp.",       "elect.",
        "nanosleep",  "mma",      "wmma",   "ldmatrix", "stmatrix", "movmatrix", "wgmma",
        "setmaxnreg", "multimem", "sust",   "sured"};
    static const char *const strong[] = {".volatile", ".relaxed", ".acquire", ".release"};

    for (size_t k = 0; k < sizeof strong / sizeof *strong; k++)
        if (strstr(instruction->opcode, strong[k]) != NULL)
            return true;
    for (size_t k = 0; k < sizeof opcodes / sizeof *opcodes; k++)
        if (begins(instruction->opcode, opcodes[k]))
            return true;
    return false;
}

static bool computes(const struct decoder *decoder, const struct instruction *instruction)
{
    const struct form *form = instruction->match.form;

    return instruction->guard == NULL && form->meaning[0] != '@' && !begins(form->pattern, "set") &&
           !decoder->operations[form - arithmetic_forms].carries;
}

static bool is_plain_register(const struct operand *operand)
{
    return operand->kind == OPERAND_REGISTER && operand->pair == NULL && operand->part_count == 0;
}

/* Follows the value of load `i` to the only selp that chooses it. Records nothing if none
 * exists. */
static void follow(struct decoder *decoder, const struct occurrences *all, const uint32_t *ordered,
                   uint32_t i)
{
    const struct instruction *instructions = decoder->function->instructions;
    uint32_t at = i;

    for (int step = 0; step < MAX_STEPS; step++) {
        const struct operand *result = &instructions[at].operands[0];
        const struct occurrences *one;
        const struct instruction *user;
        if (instructions[at].operand_count < 2 || !is_plain_register(result))
            return;
        one = &all[result->reg->number];
        if (one->count != 2 || one->first != at || ordered[one->last] != ordered[i] ||
            instructions[one->last].block != instructions[i].block)
            return;
        at = one->last;
        user = &instructions[at];
        if (begins(user->opcode, "selp")) {
            bool first = user->operand_count == 4 && user->operands[1].reg == result->reg;
            if (user->guard == NULL && user->operand_count == 4 &&
                (first || user->operands[2].reg == result->reg))
                decoder->dropped[i] = (struct dropped_load){.selp = at, .if_false = !first};
            return;
        }
        if (!computes(decoder, user))
            return;
    }
}

void decode_find_dropped(struct decoder *decoder)
{
    const struct function *function = decoder->function;
    size_t count = function->instruction_count;
    struct arena *arena = decoder->module->arena;
    struct occurrences *all = arena_take(arena, decoder->most_registers + 1, sizeof *all);
    uint32_t *ordered = arena_take(arena, count + 1, sizeof *ordered), so_far = 0;
    bool any = false;

    decoder->dropped = arena_take(arena, count + 1, sizeof *decoder->dropped);
    for (uint32_t i = 0; i < count; i++) {
        const struct instruction *instruction = &function->instructions[i];
        ordered[i] = so_far;
        if (instruction->label != NULL)
            continue;
        so_far += orders(instruction);
        any = any || begins(instruction->opcode, "selp");
        note_register(all, instruction->guard, i);
        for (size_t k = 0; k < instruction->operand_count; k++)
            note_operand(all, &instruction->operands[k], i);
    }
    for (uint32_t i = 0; any && i < count; i++)
        if (function->instructions[i].label == NULL &&
            begins(function->instructions[i].opcode, "ld.") &&
            function->instructions[i].guard == NULL)
            follow(decoder, all, ordered, i);
}

void decode_dropped_load(struct decoder *decoder, struct op *op)
{
    struct dropped_load *dropped =
        &decoder->dropped[decoder->instruction - decoder->function->instructions];

    if (dropped->selp == 0 || op->is_strong || (op->access & ACCESS_VOLATILE) != 0)
        return;
    op->d2 = decode_room(decoder, LANES * sizeof(uint64_t));
    op->flip_c = dropped->if_false ? UINT32_MAX : 0;
    op->target = decoder->dropped[dropped->selp].last;
    decoder->dropped[dropped->selp].last = (uint32_t)(op - decoder->code->ops);
}

void decode_dropping_selp(struct decoder *decoder, struct op *op)
{
    op->target = decoder->dropped[decoder->instruction - decoder->function->instructions].last;
}
