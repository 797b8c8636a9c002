/* SPDX-License-Identifier: MIT */
#include "decoder.h"

#include "entry_variable.h"
#include "libdevice.h"

#include <string.h>

static const struct type *pred(const struct decoder *decoder)
{
    return decode_type(decoder, "pred");
}

/* ---- Barriers and collectives ---- */

/* bar.sync 0 of all threads is __syncthreads(). Other barriers have numbers and counts. */
void decode_bar(struct decoder *decoder)
{
    bool reduces = decode_has(decoder, "red"), arrives = decode_has(decoder, "arrive");
    bool counts = decode_has(decoder, "popc");
    size_t given = decoder->instruction->operand_count, first = reduces;
    const struct operand *number = decode_operand(decoder, first);
    size_t least = 1u + 2u * reduces + arrives;
    bool has_count = given > least || arrives;
    uint32_t a, b = decoder->zero, c = decoder->zero, d = 0, flip = 0;
    struct op *op;

    decode_count(decoder, least, least + !arrives);
    if (number->kind == OPERAND_INTEGER && number->value > 15)
        decode_fail(decoder, "the number of a barrier must be 0 to 15");
    a = decode_plain_value(decoder, first, "u32");
    if (has_count)
        b = decode_plain_value(decoder, first + 1, "u32");
    if (reduces) {
        c = decode_value(decoder, decode_operand(decoder, given - 1), pred(decoder), false, &flip);
        d = decode_result(decoder, decode_operand(decoder, 0),
                          counts ? decode_type(decoder, "u32") : pred(decoder), false);
    }
    op = decode_op(decoder, OP_BARRIER);
    op->a = a;
    op->b = b;
    op->c = c;
    op->flip_c = flip;
    op->d = d;
    op->arrives = arrives;
    op->reduces = reduces;
    op->has_count = has_count;
    op->what = counts ? 0 : decode_has(decoder, "and") ? 1 : 2;
    op->is_aligned =
        strncmp(decoder->instruction->opcode, "barrier", 7) != 0 || decode_has(decoder, "aligned");
    if (arrives || has_count || number->kind != OPERAND_INTEGER || number->value != 0)
        decoder->code->needs_order = true;
}

/* Adds a collective that takes a value of a slot, a number for each lane, and a mask. */
static struct op *collective(struct decoder *decoder, enum simt_collective what, uint32_t value,
                             uint32_t bytes, uint32_t by, uint32_t mask)
{
    struct op *op = decode_op(decoder, OP_COLLECTIVE);

    op->what = (uint8_t)what;
    op->a = value;
    op->b = by;
    op->c = mask;
    op->bytes = (uint8_t)bytes;
    return op;
}

void decode_shfl(struct decoder *decoder)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx", NULL};
    static const uint8_t collectives[] = {SIMT_SHUFFLE_up, SIMT_SHUFFLE_down, SIMT_SHUFFLE_bfly,
                                          SIMT_SHUFFLE_idx};
    _Static_assert(sizeof modes / sizeof *modes == sizeof collectives + 1, "one for each name");
    uint32_t value, by, clamp, mask, d, d2 = 0;
    struct operand first;
    const struct operand *second;
    struct op *op;

    decode_count(decoder, 5, 5);
    value = decode_plain_value(decoder, 1, "b32");
    by = decode_plain_value(decoder, 2, "u32");
    clamp = decode_plain_value(decoder, 3, "u32");
    mask = decode_plain_value(decoder, 4, "u32");
    decode_pair(decoder, &first, &second);
    d = decode_result(decoder, &first, decode_type(decoder, "b32"), false);
    if (second != NULL)
        d2 = decode_result(decoder, second, pred(decoder), false);
    op = collective(decoder, collectives[decode_which(decoder, modes)], value, 4, by, mask);
    op->e = clamp;
    op->d = d;
    op->d2 = d2;
}

void decode_vote(struct decoder *decoder)
{
    static const char *const votes[] = {"ballot", "any", "all", "uni", NULL};
    static const uint8_t collectives[] = {SIMT_VOTE_ballot, SIMT_VOTE_any, SIMT_VOTE_all,
                                          SIMT_VOTE_uni};
    _Static_assert(sizeof votes / sizeof *votes == sizeof collectives + 1, "one for each name");
    int vote = decode_which(decoder, votes);
    uint32_t value, mask, d, flip;
    struct op *op;

    decode_count(decoder, 3, 3);
    value = decode_value(decoder, decode_operand(decoder, 1), pred(decoder), false, &flip);
    mask = decode_plain_value(decoder, 2, "u32");
    d = decode_result(decoder, decode_operand(decoder, 0),
                      vote == 0 ? decode_type(decoder, "b32") : pred(decoder), false);
    op = collective(decoder, collectives[vote], value, 0, decoder->zero, mask);
    op->flip_a = flip;
    op->d = d;
}

void decode_match(struct decoder *decoder)
{
    const char *type = decoder->instruction->match.type[0];
    bool is_any = decode_has(decoder, "any");
    uint32_t value, mask, d, d2 = 0;
    struct operand first;
    const struct operand *second;
    struct op *op;

    decode_count(decoder, 3, 3);
    value = decode_plain_value(decoder, 1, type);
    mask = decode_plain_value(decoder, 2, "u32");
    decode_pair(decoder, &first, &second);
    if (is_any && second != NULL)
        decode_fail(decoder, "its result must go to one register");
    d = decode_result(decoder, &first, decode_type(decoder, "b32"), false);
    if (second != NULL)
        d2 = decode_result(decoder, second, pred(decoder), false);
    op = collective(decoder, is_any ? SIMT_MATCH_any : SIMT_MATCH_all, value,
                    decode_type(decoder, type)->bytes, decoder->zero, mask);
    op->d = d;
    op->d2 = d2;
}

void decode_redux(struct decoder *decoder)
{
    static const char *const operations[] = {"add", "min", "max", "and", "or", "xor", NULL};
    static const uint8_t plain[] = {SIMT_REDUCE_add, SIMT_REDUCE_min, SIMT_REDUCE_max,
                                    SIMT_REDUCE_and, SIMT_REDUCE_or,  SIMT_REDUCE_xor};
    _Static_assert(sizeof operations / sizeof *operations == sizeof plain + 1, "one for each name");
    static const uint8_t with_sign[] = {SIMT_REDUCE_add_s, SIMT_REDUCE_min_s, SIMT_REDUCE_max_s};
    const struct type *type = decode_type(decoder, decoder->instruction->match.type[0]);
    int operation = decode_which(decoder, operations);
    uint32_t value, mask, d;
    struct op *op;

    decode_count(decoder, 3, 3);
    value = decode_plain_value(decoder, 1, type->name);
    mask = decode_plain_value(decoder, 2, "u32");
    d = decode_result(decoder, decode_operand(decoder, 0), type, false);
    op = collective(decoder, SIMT_REDUCE, value, 4, decoder->zero, mask);
    op->finish = type->kind == 's' ? with_sign[operation] : plain[operation];
    op->d = d;
}

void decode_elect(struct decoder *decoder)
{
    uint32_t mask, d, d2;
    struct operand first;
    const struct operand *second;
    struct op *op;

    decode_count(decoder, 2, 2);
    mask = decode_plain_value(decoder, 1, "u32");
    decode_pair(decoder, &first, &second);
    if (second == NULL)
        decode_fail(decoder, "takes a register and a predicate as its result, d|p");
    d = decode_result(decoder, &first, decode_type(decoder, "b32"), false);
    d2 = decode_result(decoder, second, pred(decoder), false);
    op = collective(decoder, SIMT_ELECT, decoder->zero, 0, decoder->zero, mask);
    op->d = d;
    op->d2 = d2;
}

/* ---- Calls ---- */

static const struct variable *parameter_of_call(const struct decoder *decoder,
                                                const struct operand *operand)
{
    const struct variable *variable = operand->variable;

    if (operand->kind != OPERAND_SYMBOL || variable == NULL || variable->space != SPACE_PARAM ||
        operand->offset != 0)
        decode_fail(decoder, "takes registers, and .param variables by name");
    return variable;
}

static struct call_variable call_variable(struct decoder *decoder, const struct operand *operand)
{
    const struct variable *variable;
    const struct variable_place *place;

    if (operand->kind == OPERAND_REGISTER && operand->reg->type->kind != 'p' && !operand->minus &&
        operand->part == NULL && operand->pair == NULL)
        return (struct call_variable){decoder->registers[operand->reg->number],
                                      operand->reg->type->bytes, false};
    variable = parameter_of_call(decoder, operand);
    place = decode_variable_place(decoder, variable);
    if (place == NULL)
        decode_fail(decoder, "takes registers, and .param variables by name");
    return (struct call_variable){place->is_local ? place->local : place->slot,
                                  (uint32_t)variable->bytes, place->is_local};
}

static struct call_variable *call_variables(struct decoder *decoder, const struct operand *operands,
                                            size_t count)
{
    struct call_variable *variables =
        arena_take(decoder->module->arena, count + 1, sizeof *variables);

    for (size_t k = 0; k < count; k++)
        variables[k] = call_variable(decoder, &operands[k]);
    return variables;
}

/* Returns the arguments of a call. A constant has the type of its parameter. */
static struct call_variable *call_values(struct decoder *decoder, const struct operand *operands,
                                         size_t count, struct variable *const *wanted,
                                         size_t wanted_count)
{
    struct call_variable *variables =
        arena_take(decoder->module->arena, count + 1, sizeof *variables);

    for (size_t k = 0; k < count; k++) {
        const struct operand *operand = &operands[k];
        bool is_constant = operand->kind == OPERAND_INTEGER || operand->kind == OPERAND_FLOAT;
        uint32_t slot, flip;
        if (k >= wanted_count || wanted[k]->bytes != wanted[k]->type->bytes || !is_constant) {
            variables[k] = call_variable(decoder, operand);
            continue;
        }
        slot = decode_value(decoder, operand, wanted[k]->type, false, &flip);
        variables[k] = (struct call_variable){slot, wanted[k]->type->bytes, false};
    }
    return variables;
}

/* Functions of the CUDA runtime that kernels can call, with the bytes of their result and
 * parameters. */
static const struct {
    const char *name;
    enum library library;
    uint32_t result, parameters[5];
} library[] = {
    {"vprintf", LIBRARY_PRINTF, 4, {8, 8}},
    {"__assertfail", LIBRARY_ASSERT, 0, {8, 8, 4, 8, 8}},
    {"__cudaCDP2GetParameterBufferV2", LIBRARY_PARAMETERS, 8, {8, 12, 12, 4}},
    {"cudaGetParameterBufferV2", LIBRARY_PARAMETERS, 8, {8, 12, 12, 4}},
    {"__cudaCDP2LaunchDeviceV2", LIBRARY_LAUNCH, 4, {8, 8}},
    {"cudaLaunchDeviceV2", LIBRARY_LAUNCH, 4, {8, 8}},
    {"__cudaCDP2PeekAtLastError", LIBRARY_PEEK_ERROR, 4, {0}},
    {"cudaPeekAtLastError", LIBRARY_PEEK_ERROR, 4, {0}},
    {"__cudaCDP2GetLastError", LIBRARY_LAST_ERROR, 4, {0}},
    {"cudaGetLastError", LIBRARY_LAST_ERROR, 4, {0}},
    {"cudaDeviceSynchronize", LIBRARY_WAIT, 4, {0}},
    {"malloc", LIBRARY_MALLOC, 8, {8}},
    {"free", LIBRARY_FREE, 0, {8}},
    {"__cudaCDP2Malloc", LIBRARY_CUDA_MALLOC, 4, {8, 8}},
    {"__cudaCDP2Free", LIBRARY_FREE, 4, {8}},
    {"__cudaCDP2StreamCreateWithFlags", LIBRARY_CREATE_STREAM, 4, {8, 4}},
    {"__cudaCDP2StreamDestroy", LIBRARY_DESTROY_STREAM, 4, {8}},
    {"__cudaCDP2DeviceSynchronizeDeprecationAvoidance", LIBRARY_WAIT, 4, {0}},
    {"__cudaDeviceSynchronizeDeprecationAvoidance", LIBRARY_WAIT, 4, {0}},
};

static bool decode_library_call(struct decoder *decoder, const char *name, struct call_code *call)
{
    for (size_t l = 0; l < sizeof library / sizeof *library; l++) {
        struct op *op;
        uint32_t count = 0;
        if (strcmp(name, library[l].name) != 0)
            continue;
        while (count < 5 && library[l].parameters[count] != 0)
            count++;
        if (call->parameter_count != count || call->result_count > (library[l].result != 0))
            decode_fail(decoder, "`%s` takes %u parameter%s and returns %s", name, count,
                        count == 1 ? "" : "s", library[l].result != 0 ? "1 result" : "no result");
        for (uint32_t p = 0; p < count; p++)
            if (call->parameters[p].bytes != library[l].parameters[p])
                decode_fail(decoder, "`%s` takes parameters of other sizes", name);
        if (call->result_count > 0 && call->results[0].bytes != library[l].result)
            decode_fail(decoder, "`%s` has a result of another size", name);
        op = decode_op(decoder, OP_LIBRARY);
        op->what = (uint8_t)library[l].library;
        op->call = call;
        decoder->out->launches_as_cuda_11 =
            decoder->out->launches_as_cuda_11 || strcmp(name, "cudaLaunchDeviceV2") == 0;
        decoder->out->allocates = decoder->out->allocates || op->what == LIBRARY_MALLOC ||
                                  op->what == LIBRARY_CUDA_MALLOC;
        if (op->what == LIBRARY_LAUNCH || op->what == LIBRARY_WAIT)
            decoder->code->needs_order = true;
        return true;
    }
    return false;
}

/* Decodes a call of a libdevice function. */
static bool decode_device_call(struct decoder *decoder, const char *name, struct call_code *call)
{
    const struct libdevice_function *device = libdevice_find(name);
    const char *types = device != NULL ? device->parameters : "";
    uint32_t count = 0;
    struct op *op;

    if (device == NULL)
        return false;
    for (; *types != '\0'; count++) {
        size_t length = strcspn(types, " ");
        if (count < call->parameter_count &&
            call->parameters[count].bytes != type_find(types, length)->bytes)
            decode_fail(decoder, "`%s` takes parameters of other sizes", name);
        types += length + (types[length] == ' ');
    }
    if (count != call->parameter_count || call->result_count > (device->result[0] != '\0'))
        decode_fail(decoder, "`%s` takes %u parameter%s and returns %s", name, count,
                    count == 1 ? "" : "s", device->result[0] != '\0' ? "1 result" : "no result");
    if (call->result_count > 0 &&
        call->results[0].bytes != type_find(device->result, strlen(device->result))->bytes)
        decode_fail(decoder, "`%s` has a result of another size", name);
    op = decode_op(decoder, OP_LIBRARY);
    op->what = LIBRARY_DEVICE;
    op->call = call;
    op->device = device;
    decode_exact_call(decoder, op);
    return true;
}

static void check_parameters(const struct decoder *decoder, const struct operand *operands,
                             const struct call_variable *passed, size_t count,
                             struct variable *const *wanted, size_t wanted_count)
{
    if (count != wanted_count)
        decode_fail(decoder, "passes %zu parameters or results, but the function has %zu", count,
                    wanted_count);
    for (size_t k = 0; k < count; k++)
        if (passed[k].bytes != wanted[k]->bytes)
            decode_fail(decoder,
                        "`%.60s` differs in size from the parameter or result of the function",
                        operands[k].name);
}

/* Checks the last operand of an indirect call, which describes the called function. */
static void check_prototype(const struct decoder *decoder, size_t k, const struct call_code *call)
{
    const struct operand *operand = decode_operand(decoder, k);
    const struct table *table = operand->table;

    if (table == NULL || table->is_branches)
        decode_fail(decoder, "must end with the label of a .callprototype or .calltargets");
    if (table->is_prototype && (table->result_count != call->result_count ||
                                table->parameter_count != call->parameter_count))
        decode_fail(decoder, "`%.60s` has another number of parameters or results", operand->name);
}

/* Returns true for a function of the program that another file may define. */
static bool is_elsewhere(const struct decoder *decoder, const char *name)
{
    const struct decode_links *links = decoder->links;

    return strncmp(name, "_Z", 2) == 0 ||
           (links->function != NULL && links->function(decoder->out, name));
}

/* Decodes call (results), function, (parameters)[, prototype]; */
void decode_call(struct decoder *decoder)
{
    const struct instruction *instruction = decoder->instruction;
    const struct operand *results = NULL, *parameters = NULL, *target;
    struct call_code *call = arena_take(decoder->module->arena, 1, sizeof *call);
    size_t k = 0;
    uint32_t a;
    struct op *op;

    if (k < instruction->operand_count && instruction->operands[k].kind == OPERAND_LIST) {
        results = instruction->operands[k].parts;
        call->result_count = (uint32_t)instruction->operands[k++].part_count;
    }
    target = decode_operand(decoder, k++);
    if (k < instruction->operand_count && instruction->operands[k].kind == OPERAND_LIST) {
        parameters = instruction->operands[k].parts;
        call->parameter_count = (uint32_t)instruction->operands[k++].part_count;
    }
    call->results = call_variables(decoder, results, call->result_count);
    call->parameters =
        call_values(decoder, parameters, call->parameter_count,
                    target->function != NULL ? target->function->parameters : NULL,
                    target->function != NULL ? target->function->parameter_count : 0);
    if (target->kind == OPERAND_SYMBOL) {
        const struct function *function = target->function;
        if (function == NULL)
            decode_fail(decoder, "the function `%.60s` is not declared", target->name);
        if (!function->has_body && (decode_library_call(decoder, function->name, call) ||
                                    decode_device_call(decoder, function->name, call)))
            return;
        if (!function->has_body && !function->is_entry && !is_elsewhere(decoder, function->name))
            decode_fail(decoder, "the simulator does not support the runtime function `%.60s`",
                        function->name);
        if (function->is_entry)
            decode_fail(decoder, "`%.60s` is a kernel: it must be launched, not called",
                        function->name);
        check_parameters(decoder, results, call->results, call->result_count, function->results,
                         function->result_count);
        check_parameters(decoder, parameters, call->parameters, call->parameter_count,
                         function->parameters, function->parameter_count);
        if (k < instruction->operand_count)
            decode_fail(decoder, "has operands after its parameters");
        op = decode_op(decoder, OP_CALL);
        op->call = call;
        call->name = function->has_body ? NULL : function->name;
        op->callee = &decoder->out->functions[function->number];
    } else if (target->kind == OPERAND_REGISTER && target->reg->type->bytes == 8) {
        check_prototype(decoder, k, call);
        a = decoder->registers[target->reg->number];
        op = decode_op(decoder, OP_CALL);
        op->call = call;
        op->a = a;
    } else {
        decode_fail(decoder, "calls an operand that is neither a function nor a register");
    }
}

/* ---- Branches ---- */

void decode_brx(struct decoder *decoder)
{
    struct switch_code *targets = arena_take(decoder->module->arena, 1, sizeof *targets);
    const struct table *table;
    uint32_t *to, a;
    struct op *op;

    decode_count(decoder, 2, 2);
    table = decode_operand(decoder, 1)->table;
    to = arena_take(decoder->module->arena, table->label_count + 1, sizeof *to);
    for (size_t l = 0; l < table->label_count; l++)
        to[l] = (uint32_t)table->targets[l];
    *targets = (struct switch_code){to, (uint32_t)table->label_count};
    a = decode_plain_value(decoder, 0, "u32");
    op = decode_op(decoder, OP_SWITCH);
    op->a = a;
    op->targets = targets;
}

static void add_simple(struct decoder *decoder, enum op_kind kind)
{
    decode_count(decoder, 0, 0);
    decode_op(decoder, kind);
}

void decode_ret(struct decoder *decoder)
{
    add_simple(decoder, decoder->function->is_entry ? OP_EXIT : OP_RETURN);
}

void decode_exit(struct decoder *decoder)
{
    add_simple(decoder, OP_EXIT);
}

static bool is_branch(const struct instruction *instruction)
{
    return instruction->label == NULL && strncmp(instruction->opcode, "bra", 3) == 0;
}

/* Returns whether the branch to that trap goes otherwise to an instruction that writes. */
static bool guards_write(const struct function *function, const struct instruction *trap)
{
    const struct instruction *all = function->instructions, *to = NULL;
    const struct instruction *end = all + function->instruction_count;

    for (const struct instruction *k = all; k + 1 < end && to == NULL; k++)
        if (k->guard != NULL && is_branch(k) && all[k->operands[0].value].block == trap->block)
            to = is_branch(k + 1) ? &all[k[1].operands[0].value] : k + 1;
    while (to != NULL && to < end && to->label != NULL)
        to++;
    return to != NULL && to < end && strncmp(to->opcode, "ld", 2) != 0;
}

/* Where clang checks bounds (prelude.h), its traps end a block, and asm statements do not. Newer
 * versions add an exit. */
void decode_trap(struct decoder *decoder)
{
    const struct function *function = decoder->function;
    const struct instruction *trap = decoder->instruction, *next = trap + 1;
    bool is_last = next == function->instructions + function->instruction_count ||
                   next->label != NULL || strcmp(next->opcode, "exit") == 0;
    struct op *op;

    decode_count(decoder, 0, 0);
    op = decode_op(decoder, OP_TRAP);
    if (is_last && module_variable(decoder->module, ENTRY_VARIABLE "bounds") != NULL)
        op->what = guards_write(function, trap) ? MEMORY_WRITES : MEMORY_READS;
}

void decode_bra(struct decoder *decoder)
{
    decode_count(decoder, 1, 1);
    decode_op(decoder, OP_BRANCH)->target = (uint32_t)decode_operand(decoder, 0)->value;
}

void decode_syncwarp(struct decoder *decoder)
{
    uint32_t mask;

    decode_count(decoder, 1, 1);
    mask = decode_plain_value(decoder, 0, "u32");
    collective(decoder, SIMT_SYNC, decoder->zero, 4, decoder->zero, mask);
}

void decode_activemask(struct decoder *decoder)
{
    uint32_t d;

    decode_count(decoder, 1, 1);
    d = decode_result(decoder, decode_operand(decoder, 0), decode_type(decoder, "b32"), false);
    decode_op(decoder, OP_ACTIVE_MASK)->d = d;
}

/* Decodes nanosleep, and instructions without an effect in the simulator. */
void decode_nothing(struct decoder *decoder)
{
    uint32_t a;

    if (strncmp(decoder->instruction->opcode, "nanosleep", 9) != 0)
        return;
    a = decode_plain_value(decoder, 0, "u32");
    decode_op(decoder, OP_SLEEP)->a = a;
}
