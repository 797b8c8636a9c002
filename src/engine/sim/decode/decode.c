/* SPDX-License-Identifier: MIT
 *
 * Converts the functions of a module to ops with offsets in a frame.
 */
#include "decoder.h"

#include "entry_variable.h"
#include "layout.h"
#include "points.h"

#include <string.h>

/* Returns the class of an instruction, as in enum simt_class, by its section in the PTX ISA. */
static enum simt_class class_of(const struct instruction *instruction)
{
    static const struct {
        const char *section;
        enum simt_class class;
    } chapters[] = {
        {"9.7.1.", SIMT_INTEGER},      {"9.7.2.", SIMT_INTEGER},  {"9.7.18.", SIMT_INTEGER},
        {"9.7.3.", SIMT_FLOAT},        {"9.7.4.", SIMT_FLOAT},    {"9.7.6.", SIMT_COMPARISON},
        {"9.7.7.", SIMT_COMPARISON},   {"9.7.8.", SIMT_LOGIC},    {"9.7.9.21", SIMT_CONVERSION},
        {"9.7.9.22", SIMT_CONVERSION}, {"9.7.12.", SIMT_CONTROL}, {"9.7.13.", SIMT_SYNCHRONISATION},
        {"9.7.19.", SIMT_CONTROL},     {"9.7.10.", SIMT_LOAD},    {"9.7.11.1", SIMT_LOAD},
        {"9.7.11.2", SIMT_STORE},      {"9.7.11.3", SIMT_ATOMIC},
    };
    const char *meaning = instruction->match.form->meaning;
    const char *section = instruction->match.form->section;

    if (strcmp(meaning, "@ld") == 0 || strcmp(meaning, "@st") == 0)
        return strstr(instruction->opcode, ".param") != NULL ? SIMT_PARAMETER
               : meaning[1] == 'l'                           ? SIMT_LOAD
                                                             : SIMT_STORE;
    if (strcmp(meaning, "@atom") == 0 || strcmp(meaning, "@red") == 0)
        return SIMT_ATOMIC;
    if (strcmp(meaning, "@shfl") == 0)
        return SIMT_SYNCHRONISATION;
    for (size_t k = 0; k < sizeof chapters / sizeof *chapters; k++)
        if (strncmp(section, chapters[k].section, strlen(chapters[k].section)) == 0)
            return chapters[k].class;
    return SIMT_MOVE;
}

static bool reads_lane_number(const struct instruction *instruction)
{
    for (size_t o = 0; o < instruction->operand_count; o++)
        if (instruction->operands[o].kind == OPERAND_SPECIAL &&
            strcmp(instruction->operands[o].name, "%laneid") == 0)
            return true;
    return false;
}

/* Starts the basic block whose first instruction is `first`. */
static void begin_block(struct decoder *decoder, size_t first)
{
    const struct function *function = decoder->function;
    struct block_code *block = arena_take(decoder->module->arena, 1, sizeof *block);
    const struct instruction *current = decoder->instruction;
    struct op *op;

    for (size_t i = first; i < function->instruction_count &&
                           function->instructions[i].block == function->instructions[first].block;
         i++)
        if (function->instructions[i].label == NULL) {
            block->instructions[class_of(&function->instructions[i])]++;
            block->lane_numbers += reads_lane_number(&function->instructions[i]);
            block->count++;
        }
    decoder->instruction = NULL;
    op = decode_op(decoder, OP_BLOCK);
    op->block = block;
    op->mark = &decoder->code->marks[function->instructions[first].block];
    op->place = decoder->place;
    decode_path_join(decoder, function->instructions[first].block);
    decoder->instruction = current;
}

static _Noreturn void fail_unsupported(const struct decoder *decoder, const char *opcode)
{
    const struct form *row = forms_unsupported(opcode, NULL);

    decode_fail_at(decoder, "the simulator does not support `%.80s` (compiled for sm_%u)%s%s",
                   opcode, decoder->module->target, row != NULL ? ": " : "",
                   row != NULL ? row->meaning : "");
}

/* Returns the meaning of that name, or null. */
static const struct meaning *find_meaning(const char *name)
{
    static const struct meaning meanings[] = {
#define MEANING(name, acts) {"@" #name, decode_##name, ACTS_##acts},
        MEANINGS(MEANING)
#undef MEANING
    };

    for (size_t k = 0; *name == '@' && k < sizeof meanings / sizeof *meanings; k++)
        if (strcmp(meanings[k].name, name) == 0)
            return &meanings[k];
    return NULL;
}

static void decode_instruction(struct decoder *decoder)
{
    const struct instruction *instruction = decoder->instruction;
    const struct form *form = instruction->match.form;
    uint32_t first = decoder->code->op_count;

    if (form == &unsupported_form)
        fail_unsupported(decoder, instruction->opcode);
    decoder->temporary_count = 0;
    decoder->widening.to = 0;
    if (instruction->has_signs && decode_video(decoder))
        ;
    else if (*form->meaning != '@' || strncmp(form->meaning, "@set", 4) == 0)
        decode_arithmetic(decoder);
    else if (decoder->meaning != NULL)
        decoder->meaning->decode(decoder);
    else
        decode_fail(decoder, "is not implemented");
    for (uint32_t k = first; k < decoder->code->op_count; k++)
        decoder->code->ops[k].class = (uint8_t)class_of(instruction);
}

/* Makes the initial frame of a call. */
static void make_frame(struct decoder *decoder)
{
    struct function_code *code = decoder->code;

    uint32_t count = (uint32_t)decoder->function->register_count;
    uint32_t *registers = arena_take(decoder->module->arena, count + 1, sizeof *registers);

    code->frame = arena_take(decoder->module->arena, code->frame_bytes, 1);
    code->registers = registers;
    code->register_count = count + (decoder->carry != 0);
    for (uint32_t r = 0; r < code->register_count; r++) {
        registers[r] = r < count ? decoder->registers[decoder->function->registers[r]->number]
                                 : decoder->carry;
        *head_of(code->frame, registers[r]) =
            (struct head){.undefined = UINT32_MAX, .whole = UINT32_MAX};
    }
    for (size_t k = 0; k < decoder->constant_count; k++) {
        const struct constant *constant = &decoder->constants[k];
        if (constant->bytes == 0)
            memcpy(code->frame + constant->slot, &constant->bits, sizeof(uint32_t));
        for (uint32_t l = 0; constant->bytes != 0 && l < LANES; l++)
            memcpy(code->frame + constant->slot + l * constant->bytes, &constant->bits,
                   constant->bytes < 8 ? constant->bytes : 8);
    }
}

static void note_matrix_sources(const struct matrix_code *matrix, bool *is_read, uint32_t unit)
{
    const uint32_t *const slots[] = {matrix->a, matrix->b, matrix->c};
    const uint32_t counts[] = {matrix->a_count, matrix->b_count, matrix->c_count};

    for (size_t k = 0; k < 3; k++)
        for (uint32_t r = 0; r < counts[k]; r++)
            is_read[slots[k][r] / unit] = true;
    is_read[matrix->metadata / unit] = true;
}

static void note_bulk_sources(const struct bulk_code *bulk, bool *is_read, uint32_t unit)
{
    const uint32_t slots[] = {bulk->to.slot,      bulk->from.slot, bulk->map.slot,
                              bulk->barrier.slot, bulk->size,      bulk->mask};

    for (size_t k = 0; k < sizeof slots / sizeof *slots; k++)
        is_read[slots[k] / unit] = true;
    for (uint32_t k = 0; k < bulk->dimensions; k++)
        is_read[bulk->at[k] / unit] = true;
    for (uint32_t k = 0; k < bulk->offset_count; k++)
        is_read[bulk->offsets[k] / unit] = true;
}

static void note_texture_sources(const struct texture_code *texture, bool *is_read, uint32_t unit)
{
    is_read[texture->layer / unit] = true;
    for (size_t k = 0; k < 3; k++)
        is_read[texture->coordinates[k] / unit] = true;
}

/* Marks an atomic instruction as one that returns nothing, if no other op reads its result. */
static void find_unread_results(struct decoder *decoder)
{
    enum { UNIT = sizeof(struct head) }; /* minimum distance of slots in bytes */
    struct function_code *code = decoder->code;
    bool *is_read = arena_take(decoder->module->arena, code->frame_bytes / UNIT + 1, 1);

    for (uint32_t k = 0; k < code->op_count; k++) {
        const struct op *op = &code->ops[k];
        const uint32_t sources[] = {op->guard, op->a, op->b, op->c, op->e};
        for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
            is_read[sources[s] / UNIT] = true;
        for (uint32_t p = 0; p < op->count && op->parts != NULL; p++)
            is_read[op->parts[p] / UNIT] = true;
        for (uint32_t p = 0; op->call != NULL && p < op->call->parameter_count; p++)
            if (!op->call->parameters[p].is_local)
                is_read[op->call->parameters[p].slot / UNIT] = true;
        if (op->matrix != NULL)
            note_matrix_sources(op->matrix, is_read, UNIT);
        if (op->bulk != NULL)
            note_bulk_sources(op->bulk, is_read, UNIT);
        if (op->texture != NULL)
            note_texture_sources(op->texture, is_read, UNIT);
    }
    for (uint32_t r = 0; r < code->result_count; r++) /* the caller reads them */
        if (!code->results[r].is_local)
            is_read[code->results[r].slot / UNIT] = true;
    for (uint32_t k = 0; k < code->op_count; k++)
        if (code->ops[k].kind == OP_ATOMIC)
            code->ops[k].returns = code->ops[k].returns && is_read[code->ops[k].d / UNIT];
}

/* Converts the targets of branches from PTX instructions to ops. */
static void resolve_targets(struct decoder *decoder)
{
    struct function_code *code = decoder->code;

    for (uint32_t i = 0; i < code->op_count; i++) {
        struct op *op = &code->ops[i];
        if (op->kind == OP_BRANCH)
            op->target = decoder->op_of[op->target];
        else if (op->kind == OP_SWITCH)
            for (uint32_t t = 0; t < op->targets->count; t++)
                ((uint32_t *)(uintptr_t)op->targets->targets)[t] =
                    decoder->op_of[op->targets->targets[t]];
    }
}

static void decode_function(struct decoder *decoder, struct function *function)
{
    struct arena *arena = decoder->module->arena;
    uint32_t block = UINT32_MAX, most = 0;
    struct op *last;

    decoder->function = function;
    decoder->constant_count = 0;
    decoder->constants = NULL;
    memset(decoder->temporaries, 0, sizeof decoder->temporaries);
    decoder->carry = 0;
    decoder->place = NULL;
    decoder->code->frame_bytes = 0;
    decoder->guards = 0;
    decoder->code->mark_count = points_mark_count(function);
    decoder->code->marks =
        arena_take(arena, decoder->code->mark_count, sizeof *decoder->code->marks);
    decoder->zero = decode_constant(decoder, 0, 8);
    decoder->sink_predicate = decode_room(decoder, sizeof(uint32_t));
    for (size_t r = 0; r < function->register_count; r++)
        if (function->registers[r]->number >= most)
            most = function->registers[r]->number + 1;
    decoder->most_registers = most;
    decoder->registers = arena_take(arena, most + 1, sizeof *decoder->registers);
    for (size_t r = 0; r < function->register_count; r++)
        decoder->registers[function->registers[r]->number] =
            decode_slot(decoder, function->registers[r]->type);
    decode_variables(decoder);
    decode_plan_paths(decoder);
    decode_find_dropped(decoder);
    decode_find_bits(decoder);
    decoder->op_of = arena_take(arena, function->instruction_count + 1, sizeof *decoder->op_of);
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct instruction *instruction = &function->instructions[i];
        bool is_after_label = i > 0 && function->instructions[i - 1].label != NULL;
        decoder->instruction = instruction;
        decoder->op_of[i] = instruction->label != NULL && is_after_label
                                ? decoder->op_of[i - 1] /* both labels start the same block */
                                : decoder->code->op_count;
        if (instruction->block != block) {
            size_t named = i; /* a label comes before the line of its instruction */
            while (function->instructions[named].label != NULL &&
                   named + 1 < function->instruction_count)
                named++;
            decoder->place = decode_place(decoder, &function->instructions[named]);
            begin_block(decoder, i);
        }
        block = instruction->block;
        if (instruction->label != NULL)
            continue;
        decoder->place = decode_place(decoder, instruction);
        decoder->meaning = find_meaning(instruction->match.form->meaning);
        decode_path_before(decoder);
        decode_instruction(decoder);
        decoder->guards += instruction->guard != NULL;
        decode_path_after(decoder);
    }
    decoder->op_of[function->instruction_count] = decoder->code->op_count;
    decoder->instruction = NULL;
    decode_path_end(decoder);
    last = decode_op(decoder, function->is_entry ? OP_EXIT : OP_RETURN);
    last->place = decoder->place;
    find_unread_results(decoder);
    resolve_targets(decoder);
    make_frame(decoder);
}

/* Checks the addresses in initial values. Only those of variables in .global and .const and of
 * functions are known. */
static void check_relocations(struct decoder *decoder, const struct variable *variable)
{
    const struct module *module = decoder->module;

    for (size_t r = 0; r < variable->relocation_count; r++) {
        const struct relocation *relocation = &variable->relocations[r];
        const struct variable *target = module_variable(module, relocation->symbol);
        const struct function *function = module_function(module, relocation->symbol);
        if (target != NULL ? target->space != SPACE_GLOBAL && target->space != SPACE_CONST
                           : function == NULL || relocation->addend != 0 ||
                                 decode_function_address(decoder, function) == 0)
            arena_fail(module->arena, module->path, relocation->line,
                       "the initial value `%.60s` must be the address of a variable in .global or "
                       ".const, or of a "
                       "function",
                       relocation->symbol);
    }
}

bool decode_module(struct module_code *code, const struct decode_links *links, char *error,
                   size_t error_size)
{
    struct module *module = &code->module;
    struct decoder decoder = {.module = module, .out = code, .links = links};

    module->arena->error = error;
    module->arena->error_size = error_size;
    if (setjmp(module->arena->out) != 0)
        return false;
    decoder.operations =
#if defined(__x86_64__)
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? operations_avx2 :
#endif
                                                                        operations_any;
    layout_module(module);
    code->functions =
        arena_take(module->arena, module->function_count + 1, sizeof *code->functions);
    for (size_t f = 0; f < module->function_count; f++) {
        module->functions[f]->number = (uint32_t)f;
        code->functions[f].name = module->functions[f]->name;
        code->functions[f].function = module->functions[f];
        code->functions[f].module = code;
        code->functions[f].address = links->first_address + 16 * f;
    }
    for (size_t v = 0; v < module->variable_count; v++)
        if (entry_variable_name(module->variables[v]->name) == NULL)
            check_relocations(&decoder, module->variables[v]);
    decode_find_meeting(&decoder);
    for (size_t f = 0; f < module->function_count; f++) {
        decoder.code = &code->functions[f];
        if (module->functions[f]->has_body && module->functions[f]->is_wanted)
            decode_function(&decoder, module->functions[f]);
    }
    return true;
}
