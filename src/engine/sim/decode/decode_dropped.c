/* SPDX-License-Identifier: MIT
 *
 * Loads whose value selp may drop.
 *
 * A compiler may hoist a load above its condition, and let selp choose whether its value is used.
 * In the source, a thread for which the condition is false does not execute the load. Therefore
 * such a load is checked for races only in the lanes that use its value:
 *
 * - at the selp, if it is in the load's basic block, and nothing between them orders accesses
 * - otherwise at the load, if the predicate of the selp is already known there
 *
 * The second rule also holds if the register of the selp has other values on other paths. It needs
 * that the selp alone reads the loaded value, and that only one instruction sets the predicate.
 * Theorem: let every path from that instruction to the selp set the register. Then the predicate of
 * a lane is the same at the load and at the selp that reads the loaded value. Proof: otherwise the
 * lane sets the predicate between the load and the selp. From there on, it sets the
 * register on its way to the selp. So the selp does not read the loaded value.
 */
#include "decoder.h"

#include "outcome.h"

#include <string.h>

enum {
    MAX_STEPS = 8, /* arithmetic instructions between a load and its selp */
    /* Basic blocks and instructions on the paths to a selp. */
    MAX_BLOCKS = 64,
    MAX_WALK = 2048,
};

/* The occurrences of a register in the function. */
struct occurrences {
    uint32_t reads, read;     /* how many; the instruction of the last one */
    uint32_t results, result; /* the same for instructions whose result it is */
    bool is_other;            /* it has occurrences of other kinds */
};

struct search {
    struct decoder *decoder;
    struct occurrences *all; /* by number of the register */
    uint32_t *ordered;       /* by instruction: how many before it may order accesses */
    /* By block: its last instruction, or null until it is needed; the walk that has been there. */
    uint32_t *last_of, *number, walks;
    struct graph graph;
};

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_plain_register(const struct operand *operand)
{
    return operand->kind == OPERAND_REGISTER && operand->pair == NULL && operand->part_count == 0;
}

/* Returns whether the first operand of the instruction is a register that it sets, and does not
 * read. */
static bool has_result(const struct instruction *instruction)
{
    const char *meaning = instruction->match.form->meaning;

    return instruction->operand_count > 1 && is_plain_register(&instruction->operands[0]) &&
           (meaning[0] != '@' || begins(meaning, "@set") || begins(meaning, "@mov") ||
            begins(meaning, "@cvta") || strcmp(meaning, "@ld") == 0);
}

static void note_reads(struct occurrences *all, const struct operand *operand, uint32_t instruction,
                       bool is_other)
{
    if (operand->reg != NULL) {
        struct occurrences *one = &all[operand->reg->number];
        one->reads++;
        one->read = instruction;
        one->is_other = one->is_other || is_other;
    }
    for (size_t k = 0; k < operand->part_count; k++)
        note_reads(all, &operand->parts[k], instruction, is_other);
    if (operand->pair != NULL)
        note_reads(all, operand->pair, instruction, is_other);
}

static void note_occurrences(struct occurrences *all, const struct instruction *instruction,
                             uint32_t i)
{
    bool has = has_result(instruction);

    if (instruction->guard != NULL)
        all[instruction->guard->number].reads++;
    if (has) {
        struct occurrences *one = &all[instruction->operands[0].reg->number];
        one->results++;
        one->result = i;
    }
    for (size_t k = has; k < instruction->operand_count; k++)
        note_reads(all, &instruction->operands[k], i,
                   k == 0 && instruction->operands[0].kind != OPERAND_ADDRESS);
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

    if (instruction->guard != NULL || !has_result(instruction))
        return false;
    if (strcmp(form->meaning, "@mov") == 0)
        return is_plain_register(&instruction->operands[1]);
    return form->meaning[0] != '@' && !decoder->operations[form - arithmetic_forms].carries;
}

static void find_blocks(struct search *search)
{
    const struct function *function = search->decoder->function;
    struct arena *arena = search->decoder->module->arena;

    search->graph = (struct graph){.arena = arena, .blocks = function->blocks};
    decode_find_edges(&search->graph, search->decoder);
    search->last_of = arena_take(arena, function->blocks + 1, sizeof *search->last_of);
    search->number = arena_take(arena, function->blocks + 1, sizeof *search->number);
    for (uint32_t i = 0; i < function->instruction_count; i++)
        search->last_of[function->instructions[i].block] = i;
}

static bool has_register(const struct operand *operand, const struct reg *reg)
{
    bool has = operand->reg == reg;

    for (size_t k = 0; k < operand->part_count; k++)
        has = has || has_register(&operand->parts[k], reg);
    return has || (operand->pair != NULL && has_register(operand->pair, reg));
}

static bool reads(const struct instruction *instruction, const struct reg *reg)
{
    bool does = instruction->guard == reg;

    if (instruction->label != NULL)
        return false;
    for (size_t k = has_result(instruction); k < instruction->operand_count; k++)
        does = does || has_register(&instruction->operands[k], reg);
    return does;
}

static bool sets(const struct instruction *instruction, const struct reg *reg)
{
    return instruction->label == NULL && instruction->guard == NULL && has_result(instruction) &&
           instruction->operands[0].reg == reg;
}

/* The basic blocks that a walk has found, and how many of them and instructions it has visited. */
struct walk {
    uint32_t blocks[MAX_BLOCKS], count, next, instructions;
};

static struct walk start_walk(struct search *search)
{
    if (search->last_of == NULL)
        find_blocks(search);
    search->walks++;
    return (struct walk){.count = 0};
}

/* Returns false if there are too many. The end of the function is no block. */
static bool add_block(struct search *search, struct walk *walk, uint32_t block)
{
    if (block == search->graph.blocks || search->number[block] == search->walks)
        return true;
    if (walk->count == MAX_BLOCKS)
        return false;
    search->number[block] = search->walks;
    walk->blocks[walk->count++] = block;
    return true;
}

/* Returns the selp that alone reads what instruction `at` sets the register to. Returns 0 if there
 * is none, or if the paths to it are long. */
static uint32_t only_selp(struct search *search, uint32_t at, const struct reg *reg)
{
    const struct function *function = search->decoder->function;
    uint32_t block = function->instructions[at].block, selp = 0;
    struct walk walk = start_walk(search);

    for (;;) {
        bool is_set = false;
        for (at++; at <= search->last_of[block] && !is_set; at++) {
            const struct instruction *instruction = &function->instructions[at];
            if (++walk.instructions > MAX_WALK)
                return 0;
            if (reads(instruction, reg)) {
                if (!begins(instruction->opcode, "selp") || (selp != 0 && selp != at))
                    return 0;
                selp = at;
            }
            is_set = sets(instruction, reg);
        }
        for (uint32_t e = search->graph.first_out[block];
             !is_set && e < search->graph.first_out[block + 1]; e++)
            if (!add_block(search, &walk, search->graph.edges[e].to))
                return 0;
        if (walk.next == walk.count)
            return selp;
        block = walk.blocks[walk.next++];
        at = block > 0 ? search->last_of[block - 1] : UINT32_MAX;
    }
}

/* Returns false if a path leads from instruction `from` to `to` that does not set the register
 * after `from`. May also return false for long paths. */
static bool sets_between(struct search *search, uint32_t from, uint32_t to, const struct reg *reg)
{
    const struct instruction *instructions = search->decoder->function->instructions;
    uint32_t block = instructions[to].block, at = to;
    struct walk walk = start_walk(search);

    for (;;) {
        bool is_set = false;
        while (at-- > 0 && instructions[at].block == block && !is_set) {
            if (at == from || ++walk.instructions > MAX_WALK)
                return false;
            is_set = sets(&instructions[at], reg);
        }
        for (uint32_t k = search->graph.first_in[block];
             !is_set && k < search->graph.first_in[block + 1]; k++)
            if (!add_block(search, &walk, search->graph.in[k] - 1))
                return false;
        if (walk.next == walk.count)
            return true;
        block = walk.blocks[walk.next++];
        at = search->last_of[block] + 1;
    }
}

/* Instruction `at` sets a register to what it makes of load `i`, and selp alone reads it. Notes how
 * selp decides about the load, if one of the two rules holds. */
static void note_dropped(struct search *search, uint32_t i, uint32_t at, uint32_t selp)
{
    const struct instruction *instructions = search->decoder->function->instructions;
    const struct reg *reg = instructions[at].operands[0].reg;
    const struct operand *operands = instructions[selp].operands;
    struct dropped_load *dropped = &search->decoder->dropped[i];
    bool is_first;

    if (instructions[selp].guard != NULL || instructions[selp].operand_count != 4)
        return;
    is_first = operands[1].reg == reg;
    if (!is_first && operands[2].reg != reg)
        return;
    if (search->all[reg->number].results == 1 && selp > at &&
        instructions[selp].block == instructions[i].block &&
        search->ordered[selp] == search->ordered[i]) {
        *dropped = (struct dropped_load){.selp = selp, .if_false = !is_first};
    } else if (is_plain_register(&operands[3])) {
        const struct occurrences *predicate = &search->all[operands[3].reg->number];
        uint32_t set = predicate->result;
        if (predicate->results == 1 && !predicate->is_other && !(set > i && set <= at) &&
            sets_between(search, set, selp, reg))
            *dropped = (struct dropped_load){.predicate = operands[3].reg,
                                             .if_false = is_first == operands[3].negated};
    }
}

/* Follows the value of load `i` to the only selp that chooses it. Records nothing if none
 * exists. */
static void follow(struct search *search, uint32_t i)
{
    const struct instruction *instructions = search->decoder->function->instructions;
    uint32_t at = i;

    for (int step = 0; step < MAX_STEPS && has_result(&instructions[at]); step++) {
        const struct reg *reg = instructions[at].operands[0].reg;
        const struct occurrences *one = &search->all[reg->number];
        const struct instruction *user = &instructions[one->read];
        uint32_t selp = 0;
        if (one->reads == 1 && user->label == NULL && begins(user->opcode, "selp"))
            selp = one->read;
        else if (one->reads > 1)
            selp = only_selp(search, at, reg);
        if (selp != 0)
            note_dropped(search, i, at, selp);
        if (selp != 0 || one->reads != 1 || one->results != 1 || one->is_other || one->read <= at ||
            user->block != instructions[i].block || !computes(search->decoder, user))
            return;
        at = one->read;
    }
}

void decode_find_dropped(struct decoder *decoder)
{
    const struct function *function = decoder->function;
    size_t count = function->instruction_count;
    struct arena *arena = decoder->module->arena;
    struct search search = {
        .decoder = decoder,
        .all = arena_take(arena, decoder->most_registers + 1, sizeof *search.all),
        .ordered = arena_take(arena, count + 1, sizeof *search.ordered),
    };
    uint32_t so_far = 0;
    bool any = false;

    decoder->dropped = arena_take(arena, count + 1, sizeof *decoder->dropped);
    for (uint32_t i = 0; i < count; i++) {
        const struct instruction *instruction = &function->instructions[i];
        search.ordered[i] = so_far;
        if (instruction->label != NULL)
            continue;
        so_far += orders(instruction);
        any = any || begins(instruction->opcode, "selp");
        note_occurrences(search.all, instruction, i);
    }
    for (uint32_t i = 0; any && i < count; i++)
        if (function->instructions[i].label == NULL &&
            begins(function->instructions[i].opcode, "ld.") &&
            function->instructions[i].guard == NULL)
            follow(&search, i);
}

void decode_dropped_load(struct decoder *decoder, struct op *op)
{
    struct dropped_load *dropped =
        &decoder->dropped[decoder->instruction - decoder->function->instructions];

    if ((dropped->selp == 0 && dropped->predicate == NULL) || op->is_strong ||
        (op->access & ACCESS_VOLATILE) != 0)
        return;
    op->flip_c = dropped->if_false ? UINT32_MAX : 0;
    if (dropped->predicate != NULL) {
        op->carry = decoder->registers[dropped->predicate->number];
        return;
    }
    op->d2 = decode_room(decoder, LANES * sizeof(uint64_t));
    op->target = decoder->dropped[dropped->selp].last;
    decoder->dropped[dropped->selp].last = (uint32_t)(op - decoder->code->ops);
}

void decode_dropping_selp(struct decoder *decoder, struct op *op)
{
    op->target = decoder->dropped[decoder->instruction - decoder->function->instructions].last;
}
