/* SPDX-License-Identifier: MIT
 *
 * The layout of a function's variables, and the source locations of its instructions.
 */
#include "decoder.h"

#include <string.h>

/* ---- Variables ---- */

/* Returns true if the variable is in the call's frame: a .param variable whose address is not
 * taken. Other .param variables, and .local ones, are in local memory. */
static bool is_in_frame(const struct decoder *decoder, const struct variable *variable)
{
    (void)decoder;
    return variable->space == SPACE_PARAM && !variable->is_addressed;
}

static void add_local(struct decoder *decoder, const struct variable *variable, uint32_t *local)
{
    struct function_code *code = decoder->code;
    uint64_t alignment = variable->alignment < 8 ? 8 : variable->alignment;
    uint64_t offset = (code->local_bytes + alignment - 1) / alignment * alignment;

    if (offset + variable->bytes > UINT32_C(1) << 20)
        arena_fail(decoder->module->arena, decoder->module->path, decoder->function->line,
                   "`%.80s` has more than 1 MiB of local memory", decoder->function->name);
    code->locals =
        arena_more(decoder->module->arena, code->locals, code->local_count, sizeof *code->locals);
    code->locals[code->local_count++] =
        (struct local_variable){(uint32_t)offset, (uint32_t)variable->bytes};
    code->local_bytes = (uint32_t)(offset + variable->bytes);
    *local = (uint32_t)offset;
}

static void place_variable(struct decoder *decoder, const struct variable *variable)
{
    struct variable_place *place;

    decoder->variables = arena_more(decoder->module->arena, decoder->variables,
                                    decoder->variable_count, sizeof *place);
    place = &decoder->variables[decoder->variable_count++];
    *place = (struct variable_place){.variable = variable};
    if (is_in_frame(decoder, variable)) {
        place->slot = decode_room(decoder, LANES * variable->bytes);
    } else {
        place->is_local = true;
        add_local(decoder, variable, &place->local);
    }
}

const struct variable_place *decode_variable_place(struct decoder *decoder,
                                                   const struct variable *variable)
{
    for (size_t v = 0; v < decoder->variable_count; v++)
        if (decoder->variables[v].variable == variable)
            return &decoder->variables[v];
    return NULL;
}

/* Places a function's own parameters and results, which callers write and read. */
static struct call_variable *place_own(struct decoder *decoder, struct variable **variables,
                                       size_t count)
{
    struct call_variable *own = arena_take(decoder->module->arena, count + 1, sizeof *own);

    for (size_t v = 0; v < count; v++) {
        const struct variable_place *place;
        if (variables[v]->is_register) {
            own[v] = (struct call_variable){decoder->registers[variables[v]->reg->number],
                                            (uint32_t)variables[v]->bytes, false};
            continue;
        }
        place_variable(decoder, variables[v]);
        place = decode_variable_place(decoder, variables[v]);
        own[v] = (struct call_variable){place->is_local ? place->local : place->slot,
                                        (uint32_t)variables[v]->bytes, place->is_local};
    }
    return own;
}

static void lay_out_entry(struct decoder *decoder)
{
    const struct function *function = decoder->function;
    struct function_code *code = decoder->code;
    struct arena *arena = decoder->module->arena;

    code->parameter_offsets =
        arena_take(arena, function->parameter_count + 1, sizeof *code->parameter_offsets);
    for (size_t p = 0; p < function->parameter_count; p++) {
        const struct variable *parameter = function->parameters[p];
        uint64_t alignment = parameter->alignment != 0 ? parameter->alignment : 1;
        uint64_t offset = (code->parameter_bytes + alignment - 1) / alignment * alignment;
        code->parameter_offsets[p] = (uint32_t)offset;
        code->parameter_bytes = (uint32_t)(offset + parameter->bytes);
    }
    if (code->parameter_bytes > MAX_PARAMETER_BYTES)
        arena_fail(arena, decoder->module->path, function->line,
                   "`%.80s` has more than %d bytes of parameters", function->name,
                   MAX_PARAMETER_BYTES);
    code->parameter_count = (uint32_t)function->parameter_count;
    code->shared = arena_take(arena, function->shared_count + 1, sizeof *code->shared);
    for (size_t s = 0; s < function->shared_count; s++) {
        const struct variable *variable = function->shared[s];
        code->shared[s] =
            (struct shared_array){variable->name, (uint32_t)decode_shared_address(variable),
                                  (uint32_t)variable->offset, (uint32_t)variable->bytes};
    }
    code->shared_count = (uint32_t)function->shared_count;
    code->shared_bytes = (uint32_t)function->shared_bytes;
    code->dynamic_start = (uint32_t)((function->shared_bytes + function->dynamic_alignment - 1) &
                                     ~(function->dynamic_alignment - 1));
}

void decode_variables(struct decoder *decoder)
{
    struct function *function = decoder->function;
    struct function_code *code = decoder->code;

    decoder->variables = NULL;
    decoder->variable_count = 0;
    if (function->is_entry) {
        lay_out_entry(decoder);
    } else {
        code->results = place_own(decoder, function->results, function->result_count);
        code->parameters = place_own(decoder, function->parameters, function->parameter_count);
        code->result_count = (uint32_t)function->result_count;
        code->parameter_count = (uint32_t)function->parameter_count;
    }
    for (size_t v = 0; v < function->variable_count; v++) {
        const struct variable *variable = function->variables[v];
        if (variable->space == SPACE_LOCAL || variable->space == SPACE_PARAM)
            place_variable(decoder, variable);
    }
}

uint64_t decode_shared_address(const struct variable *variable)
{
    return (uint64_t)(variable->window + FIRST_STATIC_WINDOW) << SHARED_SHIFT | variable->offset;
}

uint64_t decode_function_address(const struct decoder *decoder, const struct function *function)
{
    return function->has_body || function->is_entry || strncmp(function->name, "_Z", 2) == 0
               ? decoder->out->functions[function->number].address
               : 0;
}

uint32_t decode_parameter_offset(struct decoder *decoder, const struct variable *variable)
{
    for (size_t p = 0; p < decoder->function->parameter_count; p++)
        if (decoder->function->parameters[p] == variable)
            return decoder->code->parameter_offsets[p];
    decode_fail(decoder, "the parameter `%.60s` is not declared", variable->name);
}

uint32_t decode_local_offset(struct decoder *decoder, const struct variable *variable)
{
    const struct variable_place *place = decode_variable_place(decoder, variable);

    if (place == NULL || !place->is_local)
        decode_fail(decoder, "`%.60s` is not declared in this function", variable->name);
    return place->local;
}
