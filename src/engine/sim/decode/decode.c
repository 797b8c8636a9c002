/* SPDX-License-Identifier: MIT
 *
 * Converts instructions with named operands to ops with offsets in a frame.
 */
#include "decoder.h"

#include "layout.h"
#include "points.h"
#include "source_path.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* Fails with a message that names the source line of the current instruction, or, without one, the
 * line of the PTX. */
static _Noreturn void fail_at(const struct decoder *decoder, const char *format, ...)
{
    const struct instruction *instruction = decoder->instruction;
    struct simt_site site = decode_site(decoder->module, instruction->location, instruction->line);
    char text[400], file[200];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (site.file[0] == '\0' || site.line == 0)
        site = (struct simt_site){decoder->module->path, (int)instruction->line, NULL};
    if (site.file == decoder->module->path)
        snprintf(file, sizeof file, "%.199s", site.file);
    else
        source_path_shorten(site.file, file, sizeof file);
    arena_fail(decoder->module->arena, file, (uint32_t)site.line, "%s", text);
}

_Noreturn void decode_fail(const struct decoder *decoder, const char *format, ...)
{
    char text[300];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    fail_at(decoder, "`%.80s`: %s", decoder->instruction->opcode, text);
}

bool decode_has(const struct decoder *decoder, const char *part)
{
    size_t length = strlen(part);
    const char *at = decoder->instruction->opcode;

    while ((at = strchr(at, '.')) != NULL) {
        at++;
        if (strncmp(at, part, length) == 0 && (at[length] == '.' || at[length] == '\0'))
            return true;
    }
    return false;
}

int decode_which(const struct decoder *decoder, const char *const *parts)
{
    for (int k = 0; parts[k] != NULL; k++)
        if (decode_has(decoder, parts[k]))
            return k;
    return -1;
}

const struct operand *decode_operand(const struct decoder *decoder, size_t k)
{
    if (k >= decoder->instruction->operand_count)
        decode_fail(decoder, "has too few operands");
    return &decoder->instruction->operands[k];
}

void decode_count(const struct decoder *decoder, size_t least, size_t most)
{
    size_t count = decoder->instruction->operand_count;

    if (count < least || count > most)
        decode_fail(decoder, "has %zu operand%s, but takes %zu%s", count, count == 1 ? "" : "s",
                    least, most > least ? " or more" : "");
}

const struct type *decode_type(const struct decoder *decoder, const char *name)
{
    const struct type *type = type_find(name, strlen(name));

    if (type == NULL)
        decode_fail(decoder, "has no type `%s`", name);
    return type;
}

/* ---- Ops ---- */

struct op *decode_op(struct decoder *decoder, enum op_kind kind)
{
    struct function_code *code = decoder->code;
    const struct instruction *instruction = decoder->instruction;
    struct op *op;

    code->ops = arena_more(decoder->module->arena, code->ops, code->op_count, sizeof *op);
    op = &code->ops[code->op_count++];
    *op = (struct op){.kind = (uint8_t)kind};
    op->a = op->b = op->c = op->e = op->d = decoder->zero;
    if (instruction == NULL)
        return op;
    op->place = decoder->place;
    if (instruction->guard != NULL) {
        op->guard = decoder->registers[instruction->guard->number];
        op->guard_flip = instruction->guard_negated ? UINT32_MAX : 0;
        op->mark = &code->marks[points_guard_mark(decoder->function, decoder->guards)];
    }
    return op;
}

/* ---- Slots ---- */

static uint32_t aligned(uint32_t value, uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

uint32_t decode_room(struct decoder *decoder, uint64_t bytes)
{
    uint64_t slot = decoder->code->frame_bytes + sizeof(struct head);

    if (slot + bytes > UINT32_C(1) << 30)
        arena_fail(decoder->module->arena, decoder->module->path, decoder->function->line,
                   "`%.80s` has more registers than the simulator supports",
                   decoder->function->name);
    decoder->code->frame_bytes = aligned((uint32_t)(slot + bytes), sizeof(struct head));
    return (uint32_t)slot;
}

uint32_t decode_slot(struct decoder *decoder, const struct type *type)
{
    return decode_room(decoder, type->kind == 'p' ? sizeof(uint32_t) : LANES * type->bytes);
}

/* Returns a temporary register, which is free again after the instruction. Each width has its own,
 * because lanes may be between the operations of different instructions: a wider value of one lane
 * would overwrite the narrower values of others. */
uint32_t decode_temporary(struct decoder *decoder, uint32_t bytes)
{
    uint32_t width = 0, *slot;

    while (bytes > UINT32_C(1) << width && width + 1 < TEMPORARY_WIDTHS)
        width++;
    if (decoder->temporary_count == MAX_TEMPORARIES)
        decode_fail(decoder, "has too many operands");
    slot = &decoder->temporaries[decoder->temporary_count++][width];
    if (*slot == 0)
        *slot = decode_room(decoder, (uint64_t)LANES << width);
    return *slot;
}

/* Returns the slot of a constant. `bytes` is 0 for a predicate. */
uint32_t decode_constant(struct decoder *decoder, uint64_t bits, uint32_t bytes)
{
    struct constant *constant;

    for (size_t k = 0; k < decoder->constant_count; k++)
        if (decoder->constants[k].bits == bits && decoder->constants[k].bytes == bytes)
            return decoder->constants[k].slot;
    decoder->constants = arena_more(decoder->module->arena, decoder->constants,
                                    decoder->constant_count, sizeof *constant);
    constant = &decoder->constants[decoder->constant_count++];
    *constant = (struct constant){
        bits, bytes, decode_room(decoder, bytes == 0 ? sizeof(uint32_t) : LANES * bytes)};
    return constant->slot;
}

static const struct {
    const char *name;
    uint8_t special, bytes;
    uint64_t value;
} specials[] = {
    {"%tid.x", SPECIAL_TID_X, 4, 0},
    {"%tid.y", SPECIAL_TID_Y, 4, 0},
    {"%tid.z", SPECIAL_TID_Z, 4, 0},
    {"%ntid.x", SPECIAL_NTID_X, 4, 0},
    {"%ntid.y", SPECIAL_NTID_Y, 4, 0},
    {"%ntid.z", SPECIAL_NTID_Z, 4, 0},
    {"%ctaid.x", SPECIAL_CTAID_X, 4, 0},
    {"%ctaid.y", SPECIAL_CTAID_Y, 4, 0},
    {"%ctaid.z", SPECIAL_CTAID_Z, 4, 0},
    {"%nctaid.x", SPECIAL_NCTAID_X, 4, 0},
    {"%nctaid.y", SPECIAL_NCTAID_Y, 4, 0},
    {"%nctaid.z", SPECIAL_NCTAID_Z, 4, 0},
    {"%laneid", SPECIAL_LANEID, 4, 0},
    {"%warpid", SPECIAL_WARPID, 4, 0},
    {"%nwarpid", SPECIAL_CONSTANT, 4, 32},
    {"%smid", SPECIAL_CONSTANT, 4, 0},
    {"%nsmid", SPECIAL_CONSTANT, 4, 1},
    {"%gridid", SPECIAL_CONSTANT, 8, 0},
    {"%lanemask_eq", SPECIAL_LANEMASK_EQ, 4, 0},
    {"%lanemask_lt", SPECIAL_LANEMASK_LT, 4, 0},
    {"%lanemask_le", SPECIAL_LANEMASK_LE, 4, 0},
    {"%lanemask_gt", SPECIAL_LANEMASK_GT, 4, 0},
    {"%lanemask_ge", SPECIAL_LANEMASK_GE, 4, 0},
    {"%clock", SPECIAL_CLOCK, 4, 0},
    {"%clock_hi", SPECIAL_CLOCK_HIGH, 4, 0},
    {"%clock64", SPECIAL_CLOCK, 8, 0},
    {"%globaltimer", SPECIAL_CLOCK, 8, 0},
    {"%globaltimer_lo", SPECIAL_CLOCK, 4, 0},
    {"%globaltimer_hi", SPECIAL_CLOCK_HIGH, 4, 0},
    {"%dynamic_smem_size", SPECIAL_DYNAMIC_SHARED, 4, 0},
    {"%total_smem_size", SPECIAL_TOTAL_SHARED, 4, 0},
    {"%aggr_smem_size", SPECIAL_ALL_SHARED, 4, 0},
    {"%reserved_smem_offset_begin", SPECIAL_CONSTANT, 4, 0},
    {"%reserved_smem_offset_end", SPECIAL_CONSTANT, 4, 0x120},
    {"%reserved_smem_offset_cap", SPECIAL_CONSTANT, 4, RESERVED_SHARED},
    {"%reserved_smem_offset_0", SPECIAL_CONSTANT, 4, 0},
    {"%reserved_smem_offset_1", SPECIAL_CONSTANT, 4, 0},
    {"%current_graph_exec", SPECIAL_CONSTANT, 8, 0},
    {"%clusterid.x", SPECIAL_CLUSTERID_X, 4, 0},
    {"%clusterid.y", SPECIAL_CLUSTERID_Y, 4, 0},
    {"%clusterid.z", SPECIAL_CLUSTERID_Z, 4, 0},
    {"%nclusterid.x", SPECIAL_NCLUSTERID_X, 4, 0},
    {"%nclusterid.y", SPECIAL_NCLUSTERID_Y, 4, 0},
    {"%nclusterid.z", SPECIAL_NCLUSTERID_Z, 4, 0},
    {"%cluster_ctaid.x", SPECIAL_CLUSTER_CTAID_X, 4, 0},
    {"%cluster_ctaid.y", SPECIAL_CLUSTER_CTAID_Y, 4, 0},
    {"%cluster_ctaid.z", SPECIAL_CLUSTER_CTAID_Z, 4, 0},
    {"%cluster_nctaid.x", SPECIAL_CLUSTER_NCTAID_X, 4, 0},
    {"%cluster_nctaid.y", SPECIAL_CLUSTER_NCTAID_Y, 4, 0},
    {"%cluster_nctaid.z", SPECIAL_CLUSTER_NCTAID_Z, 4, 0},
    {"%cluster_ctarank", SPECIAL_CLUSTER_CTARANK, 4, 0},
    {"%cluster_nctarank", SPECIAL_CLUSTER_NCTARANK, 4, 0},
    {"%is_explicit_cluster", SPECIAL_IS_EXPLICIT_CLUSTER, 4, 0},
    {"%envreg1", SPECIAL_WORKSPACE_HIGH, 4, 0},
    {"%envreg2", SPECIAL_WORKSPACE_LOW, 4, 0},
};

/* Performance counters and registers of the driver, which a program cannot rely on: 0. */
static bool is_zero(const char *name, uint32_t *bytes)
{
    unsigned int number = 0, most = 31;
    int end = 0;

    *bytes = 4;
    sscanf(name, "%%envreg%u%n", &number, &end);
    if (end == 0) {
        most = 7;
        sscanf(name, "%%pm%u%n", &number, &end);
    }
    if (end > 0 && most == 7 && strcmp(name + end, "_64") == 0) {
        *bytes = 8;
        end += 3;
    }
    return end > 0 && name[end] == '\0' && number <= most;
}

uint32_t decode_steady_slot(struct decoder *decoder, enum special special, uint32_t bytes,
                            int64_t offset)
{
    struct function_code *code = decoder->code;
    struct special_slot *slot;

    for (uint32_t k = 0; k < code->special_count; k++)
        if (code->specials[k].special == special && code->specials[k].offset == offset)
            return code->specials[k].slot;
    code->specials =
        arena_more(decoder->module->arena, code->specials, code->special_count, sizeof *slot);
    slot = &code->specials[code->special_count++];
    *slot = (struct special_slot){decode_room(decoder, LANES * bytes), (uint8_t)special, offset};
    return slot->slot;
}

/* Returns the slot of a special register, and its size, 4 or 8 bytes. */
static uint32_t special_slot(struct decoder *decoder, const char *name, uint32_t *bytes)
{
    for (size_t s = 0; s < sizeof specials / sizeof *specials; s++) {
        if (strcmp(specials[s].name, name) != 0)
            continue;
        *bytes = specials[s].bytes;
        if (specials[s].special == SPECIAL_CONSTANT)
            return decode_constant(decoder, specials[s].value, *bytes);
        if (specials[s].special >= SPECIAL_CLOCK) {
            struct op *op;
            uint32_t temporary = decode_temporary(decoder, *bytes);
            op = decode_op(decoder, OP_SPECIAL);
            op->what = specials[s].special;
            op->bytes = (uint8_t)*bytes;
            op->d = temporary;
            return temporary;
        }
        return decode_steady_slot(decoder, specials[s].special, *bytes, 0);
    }
    if (is_zero(name, bytes))
        return decode_constant(decoder, 0, *bytes);
    decode_fail(decoder, "`%.60s` is neither a declared register nor a supported special register",
                name);
}

/* ---- Operands ---- */

bool decode_is_float(const struct type *type)
{
    return strcmp(type->name, "f32") == 0 || strcmp(type->name, "f64") == 0;
}

/* Converts a value of `bytes` in a slot to `wanted` bytes, and returns its new slot. */
static uint32_t resized(struct decoder *decoder, uint32_t slot, uint32_t bytes, uint32_t wanted)
{
    struct op *op;
    uint32_t temporary;

    if (bytes == wanted)
        return slot;
    temporary = decode_temporary(decoder, wanted);
    op = decode_op(decoder, OP_RESIZE);
    op->d = temporary;
    op->a = slot;
    op->bytes = (uint8_t)bytes;
    op->to_bytes = (uint8_t)wanted;
    return temporary;
}

uint32_t decode_address_of(struct decoder *decoder, const struct operand *operand)
{
    struct variable *variable = operand->variable;
    uint64_t base = 0;

    if (variable->space == SPACE_SHARED && variable->bytes == 0)
        return decode_steady_slot(decoder, SPECIAL_DYNAMIC_ADDRESS, 8, operand->offset);
    if (variable->space == SPACE_SHARED)
        base = decode_shared_address(variable);
    else if (variable->space == SPACE_GLOBAL || variable->space == SPACE_CONST)
        base = decoder->links->variable(decoder->out, variable);
    if (base == 0)
        decode_fail(decoder, "no file of this program defines the variable `%.60s`",
                    variable->name);
    return decode_constant(decoder, base + (uint64_t)operand->offset, 8);
}

/* Returns the slot of the address of a variable or function: 8 bytes, an address in its own
 * space. */
static uint32_t symbol_slot(struct decoder *decoder, const struct operand *operand)
{
    struct variable *variable = operand->variable;
    uint32_t temporary;
    struct op *op;

    if (operand->function != NULL) {
        uint64_t address = decode_function_address(decoder, operand->function);
        if (address == 0)
            decode_fail(
                decoder,
                "the simulator does not support the address of the runtime function `%.60s`",
                operand->name);
        return decode_constant(decoder, address, 8);
    }
    if (variable == NULL)
        decode_fail(decoder, "`%.60s` is not declared", operand->name);
    if (variable->space == SPACE_PARAM && variable->owner == NULL && decoder->function->is_entry)
        return decode_constant(decoder,
                               PARAMETER_WINDOW_BASE + decode_parameter_offset(decoder, variable) +
                                   (uint64_t)operand->offset,
                               8);
    if (variable->space == SPACE_PARAM || variable->space == SPACE_LOCAL) {
        temporary = decode_temporary(decoder, 8);
        op = decode_op(decoder, OP_LOCAL_ADDRESS);
        op->d = temporary;
        op->offset = (int64_t)decode_local_offset(decoder, variable) + operand->offset;
        return temporary;
    }
    return decode_address_of(decoder, operand);
}

static uint32_t constant_slot(struct decoder *decoder, const struct operand *operand,
                              const struct type *type)
{
    uint64_t bits = operand->value;

    if (operand->kind == OPERAND_FLOAT) {
        bool is_double = operand->type->bytes == 8;
        if (type->kind != 'f' && type->kind != 'b')
            decode_fail(decoder, "takes a value of type .%s, not a floating-point constant",
                        type->name);
        if (type->bytes == 4 && is_double) { /* a decimal constant */
            double wide;
            float narrow;
            uint32_t low;
            memcpy(&wide, &bits, sizeof wide);
            narrow = (float)wide;
            memcpy(&low, &narrow, sizeof low);
            bits = low;
        } else if (type->bytes != operand->type->bytes) {
            decode_fail(decoder, "takes a value of type .%s, not a constant of %u bits", type->name,
                        8 * operand->type->bytes);
        }
    } else if (decode_is_float(type)) {
        decode_fail(decoder, "takes a value of type .%s, not an integer constant", type->name);
    }
    if (type->kind == 'p')
        return decode_constant(decoder, bits != 0 ? UINT32_MAX : 0, 0);
    if (type->bytes < 8)
        bits &= (UINT64_C(1) << 8 * type->bytes) - 1;
    return decode_constant(decoder, bits, type->bytes);
}

uint32_t decode_value(struct decoder *decoder, const struct operand *operand,
                      const struct type *type, bool wider, uint32_t *flip)
{
    uint32_t bytes, slot;

    *flip = 0;
    if (operand->pair != NULL)
        decode_fail(decoder, "takes one register, not a pair");
    if (operand->part != NULL)
        decode_fail(decoder, "`.%.8s` cannot follow a register here", operand->part);
    switch (operand->kind) {
    case OPERAND_REGISTER: {
        const struct reg *reg = operand->reg;
        if ((type->kind == 'p') != (reg->type->kind == 'p') ||
            (wider ? reg->type->bytes < type->bytes : reg->type->bytes != type->bytes))
            decode_fail(decoder, "`%.60s` has type .%s, but must have type .%s", operand->name,
                        reg->type->name, type->name);
        if (operand->negated && type->kind != 'p')
            decode_fail(decoder, "`!` must precede a predicate");
        if (operand->minus)
            decode_fail(decoder, "`-` cannot precede a register");
        *flip = operand->negated ? UINT32_MAX : 0;
        slot = decoder->registers[reg->number];
        return type->kind == 'p' ? slot : resized(decoder, slot, reg->type->bytes, type->bytes);
    }
    case OPERAND_INTEGER:
    case OPERAND_FLOAT:
        return constant_slot(decoder, operand, type);
    case OPERAND_SPECIAL:
        if (strcmp(operand->name, "%is_explicit_cluster") == 0 && type->kind == 'p')
            return special_slot(decoder, operand->name, &bytes);
        if (type->kind == 'f' || type->kind == 'p' || type->bytes > 8)
            decode_fail(decoder, "cannot read `%s` as type .%s", operand->name, type->name);
        slot = special_slot(decoder, operand->name, &bytes);
        return resized(decoder, slot, bytes, type->bytes);
    case OPERAND_SYMBOL:
        if (type->kind == 'f' || type->kind == 'p' || type->bytes < 4 || type->bytes > 8)
            decode_fail(decoder, "cannot read an address as type .%s", type->name);
        if (type->bytes < 8 &&
            (operand->variable == NULL || operand->variable->space != SPACE_SHARED))
            decode_fail(decoder,
                        "the address of `%.60s` takes 64 bits, because it is not in .shared",
                        operand->name);
        return resized(decoder, symbol_slot(decoder, operand), 8, type->bytes);
    default:
        decode_fail(decoder, "does not take an operand of this kind");
    }
}

uint32_t decode_plain_value(struct decoder *decoder, size_t k, const char *type)
{
    uint32_t flip;

    return decode_value(decoder, decode_operand(decoder, k), decode_type(decoder, type), false,
                        &flip);
}

/* Returns the slot for a result. It may be a temporary, which decode_finish() then stores. */
uint32_t decode_result(struct decoder *decoder, const struct operand *operand,
                       const struct type *type, bool wider)
{
    const struct reg *reg = operand->reg;

    if (operand->kind == OPERAND_SINK)
        return type->kind == 'p' ? decoder->sink_predicate : decode_temporary(decoder, type->bytes);
    if (operand->kind != OPERAND_REGISTER || operand->negated || operand->minus ||
        operand->part != NULL || operand->pair != NULL)
        decode_fail(decoder, "its result must go to a register");
    if ((type->kind == 'p') != (reg->type->kind == 'p') ||
        (wider ? reg->type->bytes < type->bytes : reg->type->bytes != type->bytes))
        decode_fail(decoder, "`%.60s` has type .%s, but must have type .%s", operand->name,
                    reg->type->name, type->name);
    if (type->kind == 'p' || reg->type->bytes == type->bytes)
        return decoder->registers[reg->number];
    decoder->widening =
        (struct widening){decode_temporary(decoder, type->bytes), decoder->registers[reg->number],
                          type->bytes, reg->type->bytes, type->kind == 's'};
    return decoder->widening.from;
}

void decode_finish(struct decoder *decoder)
{
    struct op *op;

    if (decoder->widening.to == 0)
        return;
    op = decode_op(decoder, OP_RESIZE);
    op->d = decoder->widening.to;
    op->a = decoder->widening.from;
    op->bytes = (uint8_t)decoder->widening.bytes;
    op->to_bytes = (uint8_t)decoder->widening.to_bytes;
    op->is_signed = decoder->widening.is_signed;
    decoder->widening.to = 0;
}

/* Splits d|p, in which p may be missing. */
void decode_pair(struct decoder *decoder, struct operand *first, const struct operand **second)
{
    *first = *decode_operand(decoder, 0);
    *second = first->pair;
    first->pair = NULL;
}

/* ---- Instructions with a meaning ---- */

enum { MAX_TYPES = 5 };

/* Returns the type that a letter of the form's operands names. */
static const struct type *operand_type(const struct decoder *decoder, const struct match *match,
                                       const char *text, size_t length)
{
    char name[16];

    if (length == 1 && (*text == '1' || *text == '2'))
        return decode_type(decoder, match->type[*text - '1']);
    if (length == 1 && *text == 'p')
        return decode_type(decoder, "pred");
    if (length == 1 && *text == 'w') {
        const struct type *type = decode_type(decoder, match->type[0]);
        snprintf(name, sizeof name, "%c%u", type->kind, 16 * type->bytes);
    } else {
        snprintf(name, sizeof name, "%.*s", (int)length, text);
    }
    return decode_type(decoder, name);
}

/* Returns true if a register may be wider than that type: for cvt, ld and st, and for types of 8
 * bits, which registers do not have. PTX ISA, operand size exceeding instruction-type size. */
static bool may_be_wider(const struct decoder *decoder, const struct type *type)
{
    return strncmp(decoder->instruction->opcode, "cvt", 3) == 0 || type->bytes == 1;
}

/* Selects the function that executes the instruction, and its modes. */
static void choose_function(struct decoder *decoder, const struct match *match, struct op *op)
{
    size_t form = (size_t)(match->form - arithmetic_forms), index = 0, factor = 1;
    const struct form_operations *operations = &decoder->operations[form];
    bool is_plain = true;

    for (int m = 0; m < operations->mode_count; m++) {
        op->mode[m] = operations->modes[m].values[match->choice[operations->modes[m].group]];
        is_plain = is_plain && op->mode[m] == 0;
    }
    for (int g = 0; g < MAX_GROUPS; g++) {
        if (operations->radix[g] == 0)
            continue;
        index += factor * match->choice[g];
        factor *= operations->radix[g];
    }
    op->run = is_plain ? operations->plain[index] : operations->general[index];
    if (op->run == NULL)
        decode_fail(decoder, "is not implemented");
}

static const struct {
    const char *type;
    uint32_t truth;
    enum finish finish;
} truths[] = {
    {"u16", 0xffff, FINISH_SET_16},          {"s16", 0xffff, FINISH_SET_16},
    {"f16", 0x3c00, FINISH_SET_16},          {"bf16", 0x3f80, FINISH_SET_16},
    {"u32", 0xffffffff, FINISH_SET_32},      {"s32", 0xffffffff, FINISH_SET_32},
    {"f32", 0x3f800000, FINISH_SET_32},      {"f16x2", 0x3c003c00, FINISH_SET_PAIR},
    {"bf16x2", 0x3f803f80, FINISH_SET_PAIR},
};

/* Sets what set and setp do with their comparison. */
static void finish_comparison(const struct decoder *decoder, const struct match *match,
                              struct op *op)
{
    static const char *const logic[] = {"and", "or", "xor", NULL};
    const char *meaning = match->form->meaning;
    const char *type = match->type[0];

    op->combine = (uint8_t)(decode_which(decoder, logic) + 1);
    op->finish = FINISH_SETP;
    if (strncmp(meaning, "@setp", 5) == 0)
        return;
    for (size_t t = 0; t < sizeof truths / sizeof *truths; t++)
        if (strcmp(truths[t].type, type) == 0) {
            op->truth = truths[t].truth;
            op->finish = (uint8_t)truths[t].finish;
        }
    if (strncmp(meaning, "@set2", 5) == 0)
        op->finish = FINISH_SET_PAIR;
}

/* Returns a mask of the sources that the instruction processes byte by byte: logic, shifts, fields
 * and conversions between integers. Shift amounts and positions do not count. Neither do
 * comparisons, rounding and saturation, whose results depend on the whole value. */
static uint8_t sources_by_bytes(const struct form *form)
{
    static const struct {
        const char *start;
        uint8_t sources;
    } starts[] = {{"shf", 3}, {"shl", 1}, {"shr", 1}, {"bfe", 1}, {"bfi(", 3}, {"prmt", 3}};

    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        if (strncmp(form->pattern, starts[k].start, strlen(starts[k].start)) == 0)
            return starts[k].sources;
    if (strcmp(form->meaning, "(T1)a") == 0)
        return 1;
    return strncmp(form->section, "9.7.8.", 6) == 0 ? 7 : 0;
}

/* Finds the types of a form's operands, the destination first, and returns their number. */
static size_t find_types(const struct decoder *decoder, const struct match *match,
                         const struct type **types)
{
    const char *at = match->form->operands;
    size_t count = 0;

    for (; *at != '\0' && count < MAX_TYPES; count++) {
        size_t length = strcspn(at, ",");
        types[count] = operand_type(decoder, match, at, strcspn(at, "|,"));
        at += length + (at[length] == ',');
    }
    return count;
}

struct op *decode_compute(struct decoder *decoder, const char *opcode, uint32_t d, uint32_t a,
                          uint32_t b, uint32_t c)
{
    const struct type *types[MAX_TYPES] = {NULL};
    struct match match;
    size_t count;
    struct op *op;

    if (!forms_match(opcode, &match))
        decode_fail(decoder, "is not implemented");
    count = find_types(decoder, &match, types);
    op = decode_op(decoder, strncmp(opcode, "selp", 4) == 0 ? OP_SELECT : OP_COMPUTE);
    op->a = a;
    op->b = b;
    op->c = c;
    op->d = d;
    op->bytes = (uint8_t)types[0]->bytes;
    op->by_bytes = sources_by_bytes(match.form);
    for (size_t k = 1; k < count && k <= 3; k++)
        op->widths[k - 1] = (uint8_t)types[k]->bytes;
    if (strncmp(match.form->meaning, "@set", 4) == 0)
        finish_comparison(decoder, &match, op);
    choose_function(decoder, &match, op);
    return op;
}

static void decode_meaning(struct decoder *decoder)
{
    const struct form *form = decoder->instruction->match.form;
    const struct type *types[MAX_TYPES] = {NULL};
    uint32_t sources[4] = {decoder->zero, decoder->zero, decoder->zero, decoder->zero};
    uint32_t flips[4] = {0}, d, d2 = 0;
    size_t count = find_types(decoder, &decoder->instruction->match, types);
    struct operand first;
    const struct operand *second;
    struct op *op;

    decode_count(decoder, count, count);
    for (size_t k = 1; k < count; k++)
        sources[k - 1] = decode_value(decoder, decode_operand(decoder, k), types[k],
                                      may_be_wider(decoder, types[k]), &flips[k - 1]);
    decode_pair(decoder, &first, &second);
    if (second != NULL && strchr(form->operands, '|') == NULL)
        decode_fail(decoder, "its result must go to a register");
    d = decode_result(decoder, &first, types[0], may_be_wider(decoder, types[0]));
    if (second != NULL)
        d2 = decode_result(decoder, second, types[0], false);
    op = decode_op(decoder, strncmp(form->pattern, "selp", 4) == 0 ? OP_SELECT
                            : strncmp(form->meaning, "ptx_div_u", 9) == 0 ||
                                    strncmp(form->meaning, "ptx_div_s", 9) == 0 ||
                                    strncmp(form->meaning, "ptx_rem_", 8) == 0
                                ? OP_DIVIDE
                                : OP_COMPUTE);
    op->a = sources[0];
    op->b = sources[1];
    op->c = sources[2];
    op->e = sources[3];
    op->flip_a = flips[0];
    op->flip_b = flips[1];
    op->flip_c = flips[2];
    op->flip_e = flips[3];
    op->d = d;
    op->d2 = d2;
    op->bytes = (uint8_t)types[0]->bytes;
    op->by_bytes = sources_by_bytes(form);
    for (size_t k = 1; k < count && k <= 3; k++)
        op->widths[k - 1] = (uint8_t)types[k]->bytes;
    if (strncmp(form->meaning, "@set", 4) == 0)
        finish_comparison(decoder, &decoder->instruction->match, op);
    choose_function(decoder, &decoder->instruction->match, op);
    decode_exact(decoder, op, types, count);
    if (op->kind == OP_SELECT)
        decode_dropping_selp(decoder, op);
    if (decoder->operations[form - arithmetic_forms].carries) {
        if (decoder->carry == 0)
            decoder->carry = decode_room(decoder, LANES * sizeof(uint32_t));
        op->carry = decoder->carry;
    }
    decode_finish(decoder);
}

/* ---- Functions ---- */

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

    fail_at(decoder, "the simulator does not support `%.80s` (compiled for sm_%u)%s%s", opcode,
            decoder->module->target, row != NULL ? ": " : "", row != NULL ? row->meaning : "");
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
        decode_meaning(decoder);
    else if (!decode_lowered(decoder, form->meaning) && !decode_memory(decoder, form->meaning) &&
             !decode_async(decoder, form->meaning) && !decode_control(decoder, form->meaning) &&
             !decode_matrix(decoder, form->meaning) && !decode_cluster(decoder, form->meaning) &&
             !decode_group(decoder, form->meaning) && !decode_texture(decoder, form->meaning))
        decode_fail(decoder, "is not implemented");
    for (uint32_t k = first; k < decoder->code->op_count; k++)
        decoder->code->ops[k].class = (uint8_t)class_of(instruction);
}

/* Makes the initial frame of a call. */
static void make_frame(struct decoder *decoder)
{
    struct function_code *code = decoder->code;

    uint32_t *registers = arena_take(decoder->module->arena, decoder->function->register_count + 1,
                                     sizeof *registers);

    code->frame = arena_take(decoder->module->arena, code->frame_bytes, 1);
    code->registers = registers;
    code->register_count = (uint32_t)decoder->function->register_count;
    for (size_t r = 0; r < decoder->function->register_count; r++) {
        registers[r] = decoder->registers[decoder->function->registers[r]->number];
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
            decoder->place = decode_place(decoder, instruction);
            begin_block(decoder, i);
        }
        block = instruction->block;
        if (instruction->label != NULL)
            continue;
        decoder->place = decode_place(decoder, instruction);
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
        if (!layout_is_name(module->variables[v]))
            check_relocations(&decoder, module->variables[v]);
    decode_find_meeting(&decoder);
    for (size_t f = 0; f < module->function_count; f++) {
        decoder.code = &code->functions[f];
        if (module->functions[f]->has_body && module->functions[f]->is_wanted)
            decode_function(&decoder, module->functions[f]);
    }
    return true;
}
