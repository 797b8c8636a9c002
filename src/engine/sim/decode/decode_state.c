/* SPDX-License-Identifier: MIT
 *
 * The state of the decoder: its failures, the parts of the current instruction, new ops, and room
 * in the frame.
 */
#include "decoder.h"

#include "points.h"
#include "source_path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Fails with a message that names the source line of the current instruction, or, without one, the
 * line of the PTX. */
_Noreturn void decode_fail_at(const struct decoder *decoder, const char *format, ...)
{
    const struct instruction *instruction = decoder->instruction;
    struct simt_site site = decode_site(decoder->module, instruction->location, instruction->line);
    char text[400], file[200];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (site.file[0] == '\0' || site.line == 0)
        site = (struct simt_site){.file = decoder->module->path, .line = (int)instruction->line};
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
    decode_fail_at(decoder, "`%.80s`: %s", decoder->instruction->opcode, text);
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

/* ---- Places ---- */

/* Returns the last type in an opcode: f32 of ld.shared.v2.f32. Null: it has none, or it is that of
 * a label, which is null. */
static const struct type *last_type(const char *opcode)
{
    const struct type *type = NULL;

    for (const char *dot = opcode != NULL ? strchr(opcode, '.') : NULL; dot != NULL;
         dot = strchr(dot + 1, '.')) {
        const struct type *found = type_find(dot + 1, strcspn(dot + 1, "."));
        if (found != NULL)
            type = found;
    }
    return type;
}

/* Returns the memory ordering that an opcode names, or null. */
static const char *semantics_of(const char *opcode)
{
    static const char *const names[] = {".relaxed", ".acquire", ".release", ".acq_rel"};

    for (size_t k = 0; opcode != NULL && k < sizeof names / sizeof *names; k++)
        if (strstr(opcode, names[k]) != NULL)
            return names[k] + 1;
    return NULL;
}

const struct simt_place *decode_place(struct decoder *decoder,
                                      const struct instruction *instruction)
{
    const struct type *type = last_type(instruction->opcode);

    if (decoder->out->place_count == 0 || decoder->out->places == NULL) {
        size_t count = 1;
        for (size_t f = 0; f < decoder->module->function_count; f++)
            count += decoder->module->functions[f]->instruction_count;
        decoder->places = decoder->links->places(count);
        if (decoder->places == NULL)
            decode_fail(decoder, "out of memory");
        decoder->out->places = decoder->places;
        decoder->out->place_count = 0;
    }
    if (decoder->out->place_count > 0 &&
        decoder->places[decoder->out->place_count - 1].line == instruction->line)
        return &decoder->places[decoder->out->place_count - 1];
    decoder->places[decoder->out->place_count] =
        (struct simt_place){decode_site(decoder->module, instruction->location, instruction->line),
                            instruction->line, type != NULL ? (uint8_t)type->bytes : 0,
                            type != NULL && type->kind == 'f', semantics_of(instruction->opcode)};
    /* nvcc gives line 0 to code that it generates for memset() and similar functions. */
    if (decoder->places[decoder->out->place_count].site.line == 0 && decoder->place != NULL)
        decoder->places[decoder->out->place_count].site = decoder->place->site;
    return &decoder->places[decoder->out->place_count++];
}
