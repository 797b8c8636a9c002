/* SPDX-License-Identifier: MIT
 *
 * Instructions on textures and surfaces.
 */
#include "decoder.h"

#include "outcome.h"

#include <string.h>

/* What follows the handle in the brackets of "[texture, {x, y}]", and the registers of texels. */
struct texture_operands {
    uint32_t handle;
    const struct operand *coordinates; /* null: none */
    size_t coordinate_count;
};

/* Returns the slot of the handle: a register, a parameter, or a variable of the module. */
static uint32_t handle_of(struct decoder *decoder, const struct operand *operand)
{
    uint32_t *part = arena_take(decoder->module->arena, 1, sizeof *part);
    struct op *op;

    if (operand->kind != OPERAND_ADDRESS || operand->pair != NULL || operand->offset != 0)
        decode_fail(decoder, "takes a texture or surface in brackets");
    if (operand->reg != NULL) {
        if (operand->reg->type->kind == 'p' || operand->reg->type->bytes != 8)
            decode_fail(decoder, "`%.60s` has type .%s, but a handle has 64 bits", operand->name,
                        operand->reg->type->name);
        return decoder->registers[operand->reg->number];
    }
    if (operand->variable == NULL || operand->variable->bytes != 8)
        decode_fail(decoder, "`%.60s` is no texture, surface or handle",
                    operand->name != NULL ? operand->name : "a number");
    *part = decode_temporary(decoder, 8);
    if (operand->variable->space == SPACE_PARAM && operand->variable->owner == NULL &&
        decoder->function->is_entry) {
        op = decode_op(decoder, OP_ENTRY_LOAD);
        op->offset = decode_parameter_offset(decoder, operand->variable);
    } else {
        uint32_t address = decode_address_of(decoder, operand);
        op = decode_op(decoder, OP_LOAD);
        op->a = address;
        op->is_wide = true;
        op->space = (uint8_t)operand->variable->space;
    }
    op->parts = part;
    op->count = 1;
    op->bytes = op->to_bytes = 8;
    return *part;
}

/* Splits an operand such as [texture, {x, y}]. */
static struct texture_operands texture_operands(struct decoder *decoder, size_t k)
{
    const struct operand *operand = decode_operand(decoder, k), *last;
    struct texture_operands read = {.handle = handle_of(decoder, operand)};

    if (operand->part_count > 1)
        decode_fail(decoder, "has a sampler: the simulator supports only the unified texture mode, "
                             "in which a texture has its own");
    if (operand->part_count == 0)
        return read;
    last = &operand->parts[0];
    read.coordinates = last->kind == OPERAND_VECTOR ? last->parts : last;
    read.coordinate_count = last->kind == OPERAND_VECTOR ? last->part_count : 1;
    return read;
}

static void set_geometry(const struct decoder *decoder, struct texture_code *code)
{
    static const char *const names[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube", NULL};
    static const uint8_t dimensions[] = {1, 2, 3, 1, 2, 3, 3};
    _Static_assert(sizeof names / sizeof *names == sizeof dimensions + 1, "one for each name");
    int which = decode_which(decoder, names);

    code->dimensions = dimensions[which];
    code->is_layered = which == 3 || which == 4 || which == 6;
    code->is_cubemap = which >= 5;
}

/* Reads the coordinates. The layer comes first, and what fills the vector up is not read. */
static void read_coordinates(struct decoder *decoder, const struct texture_operands *operands,
                             struct texture_code *code)
{
    const struct type *type = decode_type(decoder, code->has_floats ? "f32" : "b32");
    uint32_t flip, needed = code->dimensions + code->is_layered;

    if (operands->coordinate_count < needed || operands->coordinate_count > 4)
        decode_fail(decoder, "takes %u coordinates", needed);
    if (code->is_layered)
        code->layer = decode_value(decoder, &operands->coordinates[0], decode_type(decoder, "b32"),
                                   false, &flip);
    for (uint32_t k = 0; k < code->dimensions; k++)
        code->coordinates[k] =
            decode_value(decoder, &operands->coordinates[k + code->is_layered], type, false, &flip);
}

static struct op *texture_op(struct decoder *decoder, const struct texture_code *code,
                             enum op_kind kind, uint32_t handle)
{
    struct texture_code *kept = arena_take(decoder->module->arena, 1, sizeof *kept);
    struct op *op = decode_op(decoder, kind);

    *kept = *code;
    kept->opcode = decoder->instruction->opcode;
    op->texture = kept;
    op->a = handle;
    op->is_wide = true;
    op->space = SPACE_GLOBAL;
    op->scope = SIMT_DEVICE;
    return op;
}

/* tex, tld4: d|p, [texture, coordinates], level or gradients */
static void add_sample(struct decoder *decoder, enum texture_step step)
{
    static const char *const components[] = {"r", "g", "b", "a", NULL};
    struct texture_code code = {.step = step};
    const char *result = decoder->instruction->match.type[0];
    struct texture_operands operands;
    struct operand first;
    const struct operand *present;
    size_t more = decode_has(decoder, "grad") ? 2 : decode_has(decoder, "level") ? 1 : 0;
    const uint32_t *parts;
    uint8_t bytes;
    uint32_t flip, count = decode_has(decoder, "v2") ? 2 : 4;
    struct op *op;

    set_geometry(decoder, &code);
    code.has_floats = strcmp(decoder->instruction->match.type[1], "f32") == 0;
    if (step == TEXTURE_GATHER)
        code.component = (uint8_t)decode_which(decoder, components);
    code.result = strcmp(result, "f16") == 0     ? RESULT_F16
                  : strcmp(result, "f16x2") == 0 ? RESULT_F16X2
                                                 : RESULT_32_BITS;
    decode_count(decoder, 2 + more, 2 + more);
    operands = texture_operands(decoder, 1);
    read_coordinates(decoder, &operands, &code);
    for (size_t k = 0; k < more; k++) { /* a texture has one level */
        const struct operand *value = decode_operand(decoder, 2 + k);
        for (size_t p = 0; value->kind == OPERAND_VECTOR && p < value->part_count; p++)
            decode_value(decoder, &value->parts[p], decode_type(decoder, "f32"), false, &flip);
        if (value->kind != OPERAND_VECTOR)
            decode_value(decoder, value, decode_type(decoder, code.has_floats ? "f32" : "b32"),
                         false, &flip);
    }
    decode_pair(decoder, &first, &present);
    if (present != NULL)
        code.present = decode_result(decoder, present, decode_type(decoder, "pred"), false);
    parts = decode_loaded_parts(decoder, decode_elements(decoder, &first, count), count,
                                decode_type(decoder, code.result == RESULT_F16 ? "b16" : "b32"),
                                &bytes);
    op = texture_op(decoder, &code, OP_TEXTURE, operands.handle);
    op->access = ACCESS_TEXTURE;
    op->parts = parts;
    op->count = (uint8_t)count;
    op->bytes = code.result == RESULT_F16 ? 2 : 4;
    op->to_bytes = bytes;
    if (code.has_floats)
        decode_exact_texture(decoder, op);
}

static void set_boundary(const struct decoder *decoder, struct texture_code *code)
{
    static const char *const names[] = {"trap", "clamp", "zero", NULL};
    _Static_assert(sizeof names / sizeof *names == BOUNDARY_ZERO + 2, "a name for each");
    int which = decode_which(decoder, names);

    code->boundary = (uint8_t)(which < 0 ? BOUNDARY_TRAP : which);
}

/* suld d, [surface, coordinates]; sust and sured [surface, coordinates], value; */
static void add_surface(struct decoder *decoder, enum texture_step step)
{
    bool is_load = step == SURFACE_LOAD;
    struct texture_code code = {.step = step};
    const struct type *type = decode_type(decoder, decoder->instruction->match.type[0]);
    const struct type *bits = decode_type(decoder, type->bytes == 8   ? "b64"
                                                   : type->bytes == 4 ? "b32"
                                                   : type->bytes == 2 ? "b16"
                                                                      : "b8");
    size_t count = decode_has(decoder, "v2") ? 2 : decode_has(decoder, "v4") ? 4 : 1;
    struct texture_operands operands;
    const uint32_t *parts;
    uint8_t bytes = (uint8_t)type->bytes;
    const struct operand *values;
    struct op *op;

    set_geometry(decoder, &code);
    set_boundary(decoder, &code);
    decode_count(decoder, 2, 2);
    if (count * type->bytes > 16)
        decode_fail(decoder, "accesses more than 16 bytes");
    operands = texture_operands(decoder, is_load);
    read_coordinates(decoder, &operands, &code);
    values = decode_elements(decoder, decode_operand(decoder, !is_load), count);
    parts = is_load ? decode_loaded_parts(decoder, values, count, bits, &bytes)
                    : decode_stored_parts(decoder, values, count, bits);
    op = texture_op(decoder, &code, OP_TEXTURE, operands.handle);
    op->access = is_load ? ACCESS_TEXTURE : step == SURFACE_REDUCE ? ACCESS_ATOMIC : ACCESS_WRITE;
    op->parts = parts;
    op->count = (uint8_t)count;
    op->bytes = (uint8_t)type->bytes;
    op->to_bytes = bytes;
    if (step == SURFACE_REDUCE) {
        static const char *const operations[] = {"add", "min", "max", "and", "or", NULL};
        int which = decode_which(decoder, operations);
        op->atomic = atomic_operation(operations[which], type->name);
        op->commutes = atomic_commuting((size_t)which, type->name, type->bytes);
        op->is_strong = true;
        op->order = SIMT_RELAXED;
    }
}

static void add_query(struct decoder *decoder, enum texture_step step)
{
    static const char *const names[] = {"width",
                                        "height",
                                        "depth",
                                        "array_size",
                                        "num_mipmap_levels",
                                        "num_samples",
                                        "normalized_coords",
                                        NULL};
    _Static_assert(sizeof names / sizeof *names == QUERY_NORMALIZED + 2, "a name for each");
    struct texture_code code = {.step = step, .query = (uint8_t)decode_which(decoder, names)};
    size_t count = decode_has(decoder, "level") ? 3 : 2;
    struct texture_operands operands;
    uint32_t d;

    decode_count(decoder, count, count);
    operands = texture_operands(decoder, 1);
    if (operands.coordinate_count != 0)
        decode_fail(decoder, "takes no coordinates");
    if (count == 3)
        decode_plain_value(decoder, 2, "b32");
    d = decode_result(decoder, decode_operand(decoder, 0), decode_type(decoder, "b32"), false);
    texture_op(decoder, &code, OP_TEXTURE_QUERY, operands.handle)->d = d;
}

void decode_tex(struct decoder *decoder)
{
    add_sample(decoder, TEXTURE_SAMPLE);
}

void decode_tld4(struct decoder *decoder)
{
    add_sample(decoder, TEXTURE_GATHER);
}

void decode_suld(struct decoder *decoder)
{
    add_surface(decoder, SURFACE_LOAD);
}

void decode_sust(struct decoder *decoder)
{
    add_surface(decoder, decode_has(decoder, "p") ? SURFACE_FORMAT : SURFACE_STORE);
}

void decode_sured(struct decoder *decoder)
{
    add_surface(decoder, SURFACE_REDUCE);
}

void decode_txq(struct decoder *decoder)
{
    add_query(decoder, TEXTURE_QUERY);
}

void decode_suq(struct decoder *decoder)
{
    add_query(decoder, SURFACE_QUERY);
}
