/* SPDX-License-Identifier: MIT */
#include "emit.h"

#include <inttypes.h>
#include <string.h>

void emit_leave(struct emitter *emitter, bool exits)
{
    if (emitter->function->is_entry)
        emit(emitter, "simt_return(\"%s\", 0); return;",
             emit_name(emitter, emitter->function->name));
    else
        emit(emitter, "return %s;", exits ? "true" : "false");
}

static char *u32(const struct emitter *emitter, size_t k)
{
    return emit_value(emitter, emit_operand(emitter, k), emit_type(emitter, "u32"), false);
}

/* d|p, of which p may be missing: assigns the two expressions. */
static void assign_pair(const struct emitter *emitter, const char *type, const char *result,
                        const char *predicate)
{
    struct operand first = *emit_operand(emitter, 0);
    const struct operand *second = first.pair;

    first.pair = NULL;
    emit_assign(emitter, &first, emit_type(emitter, type), false, result);
    if (second != NULL) {
        emit(emitter, " ");
        emit_assign(emitter, second, emit_type(emitter, "pred"), false, predicate);
    }
}

/* ---- Barriers ---- */

/* bar.sync 0, of all threads, is __syncthreads(). Others have numbers and counts. */
static void emit_barrier(struct emitter *emitter)
{
    bool reduces = emit_has(emitter, "red"), arrives = emit_has(emitter, "arrive");
    bool counts = emit_has(emitter, "popc");
    bool aligned =
        strncmp(emitter->instruction->opcode, "barrier", 7) != 0 || emit_has(emitter, "aligned");
    size_t given = emitter->instruction->operand_count, first = reduces;
    const struct operand *number = emit_operand(emitter, first);
    size_t least = 1u + 2u * reduces + arrives;
    bool has_count = given > least || arrives;

    emit_count(emitter, least, least + !arrives);
    if (number->kind == OPERAND_INTEGER && number->value > 15)
        emit_fail(emitter, "barriers have numbers from 0 to 15");
    if (!reduces && !arrives && aligned && !has_count && number->kind == OPERAND_INTEGER &&
        number->value == 0) {
        emit(emitter, "simt_syncthreads(&%s->site, \"%s\");", emit_place(emitter),
             emit_name(emitter, emitter->function->name));
        return;
    }
    emit(emitter, "{ const uint32_t e = simt_barrier(%s, %s, %s, %s, %s, %s); (void)e; ",
         emit_place(emitter), arrives ? "SIMT_ARRIVE" : "SIMT_WAIT", aligned ? "true" : "false",
         u32(emitter, first), has_count ? u32(emitter, first + 1) : "0",
         reduces ? emit_value(emitter, emit_operand(emitter, given - 1), emit_type(emitter, "pred"),
                              false)
                 : "false");
    if (reduces)
        emit_assign(emitter, emit_operand(emitter, 0), emit_type(emitter, counts ? "u32" : "pred"),
                    false,
                    counts                     ? "e & 0xffff"
                    : emit_has(emitter, "and") ? "(e & 0xffff) == e >> 16"
                                               : "(e & 0xffff) != 0");
    emit(emitter, " }");
}

/* ---- What lanes do together ---- */

static void emit_shuffle(struct emitter *emitter)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx", NULL};

    emit_count(emitter, 5, 5);
    emit(emitter,
         "{ bool valid; const uint32_t e = ptx_shuffle(&%s->site, SIMT_SHUFFLE_%s, %s, %s, %s, %s, "
         "&valid); (void)valid; ",
         emit_place(emitter), emit_which(emitter, modes),
         emit_value(emitter, emit_operand(emitter, 1), emit_type(emitter, "b32"), false),
         u32(emitter, 2), u32(emitter, 3), u32(emitter, 4));
    assign_pair(emitter, "b32", "e", "valid");
    emit(emitter, " }");
}

static void emit_vote(struct emitter *emitter)
{
    static const char *const votes[] = {"ballot", "any", "all", "uni", NULL};
    bool is_ballot = emit_has(emitter, "ballot");
    char *vote;

    emit_count(emitter, 3, 3);
    vote = emit_value(emitter, emit_operand(emitter, 1), emit_type(emitter, "pred"), false);
    emit(emitter,
         "{ const uint32_t e = (uint32_t)simt_collective(&%s->site, SIMT_VOTE_%s, %s, %s, 0); ",
         emit_place(emitter), emit_which(emitter, votes), u32(emitter, 2), vote);
    emit_assign(emitter, emit_operand(emitter, 0), emit_type(emitter, is_ballot ? "b32" : "pred"),
                false, is_ballot ? "e" : "e != 0");
    emit(emitter, " }");
}

static void emit_match(struct emitter *emitter)
{
    const char *type = emitter->instruction->match.type[0];
    bool is_any = emit_has(emitter, "any");

    emit_count(emitter, 3, 3);
    emit(emitter, "{ uint32_t e = (uint32_t)simt_collective(&%s->site, SIMT_MATCH_%s, %s, %s, 0); ",
         emit_place(emitter), is_any ? "any" : "all", u32(emitter, 2),
         emit_value(emitter, emit_operand(emitter, 1), emit_type(emitter, type), false));
    if (is_any)
        emit_assign(emitter, emit_operand(emitter, 0), emit_type(emitter, "b32"), false, "e");
    else
        assign_pair(emitter, "b32", "e", "e != 0");
    emit(emitter, " }");
}

static void emit_redux(struct emitter *emitter)
{
    static const char *const operations[] = {"add", "min", "max", "and", "or", "xor", NULL};
    const struct type *type = emit_type(emitter, emitter->instruction->match.type[0]);

    emit_count(emitter, 3, 3);
    emit_assign(emitter, emit_operand(emitter, 0), type, false,
                emit_text(emitter,
                          "(uint32_t)simt_collective(&%s->site, SIMT_REDUCE, %s, (uint32_t)%s, "
                          "SIMT_REDUCE_%s%s)",
                          emit_place(emitter), u32(emitter, 2),
                          emit_value(emitter, emit_operand(emitter, 1), type, false),
                          emit_which(emitter, operations), type->kind == 's' ? "_s" : ""));
}

static void emit_elect(struct emitter *emitter)
{
    emit_count(emitter, 2, 2);
    emit(emitter, "{ const uint32_t e = ptx_elect(&%s->site, %s); ", emit_place(emitter),
         u32(emitter, 1));
    if (emit_operand(emitter, 0)->pair == NULL)
        emit_fail(emitter, "takes a register and a predicate, d|p");
    assign_pair(emitter, "b32", "e", "e == simt_lane()");
    emit(emitter, " }");
}

/* ---- Calls ---- */

static struct variable *parameter_of_call(const struct emitter *emitter,
                                          const struct operand *operand)
{
    struct variable *variable = operand->variable;

    if (operand->kind != OPERAND_SYMBOL || variable == NULL || variable->space != SPACE_PARAM ||
        operand->offset != 0)
        emit_fail(emitter, "takes names of .param variables");
    return variable;
}

/* What the CUDA runtime has for kernels: name, results, parameters, and C over parameters a, b, ...
 * of which the types are given. */
static const struct {
    const char *name, *result, *parameters, *call;
} library[] = {
    {"vprintf", "u32", "u64 u64", "simt_vprintf(%s, a, b)"},
    {"__assertfail", "", "u64 u64 u32 u64 u64", "simt_assert_failed(%s, a, b, c, d)"},
    {"__cudaCDP2GetParameterBufferV2", "u64", "u64 dim dim u32",
     "ptx_child(%s, &child, a, b, c, d)"},
    {"cudaGetParameterBufferV2", "u64", "u64 dim dim u32", "ptx_child(%s, &child, a, b, c, d)"},
    {"__cudaCDP2LaunchDeviceV2", "u32", "u64 u64", "simt_launch_child(%s, a, b)"},
    {"cudaLaunchDeviceV2", "u32", "u64 u64", "simt_launch_child(%s, a, b)"},
    {"__cudaCDP2PeekAtLastError", "u32", "", "ptx_peek_error(%s)"},
    {"cudaPeekAtLastError", "u32", "", "ptx_peek_error(%s)"},
    {"__cudaCDP2GetLastError", "u32", "", "ptx_last_error(%s)"},
    {"cudaGetLastError", "u32", "", "ptx_last_error(%s)"},
    {"cudaDeviceSynchronize", "u32", "", "(uint32_t)simt_device_wait(&(%s)->site)"},
    {"__cudaCDP2DeviceSynchronizeDeprecationAvoidance", "u32", "",
     "(uint32_t)simt_device_wait(&(%s)->site)"},
    {"__cudaDeviceSynchronizeDeprecationAvoidance", "u32", "",
     "(uint32_t)simt_device_wait(&(%s)->site)"},
};

static void emit_library_call(struct emitter *emitter, size_t l, const struct operand *results,
                              size_t result_count, const struct operand *parameters,
                              size_t parameter_count)
{
    const char *types = library[l].parameters, *name = library[l].name;
    size_t count = 0;

    emit(emitter, "{ ");
    for (; *types != '\0'; count++) {
        size_t length = strcspn(types, " ");
        const char *type = emit_text(emitter, "%.*s", (int)length, types);
        bool is_dim = strcmp(type, "dim") == 0;
        const char *ctype = is_dim ? "struct extent" : emit_text(emitter, "ptx_%s", type);
        const struct variable *variable;
        if (count >= parameter_count)
            emit_fail(emitter, "`%s` takes more parameters", name);
        variable = parameter_of_call(emitter, &parameters[count]);
        if (variable->bytes != (is_dim ? 12 : emit_type(emitter, type)->bytes))
            emit_fail(emitter, "`%s` takes other parameters", name);
        emit(emitter, "%s %c; memcpy(&%c, p%u, sizeof %c); (void)%c; ", ctype, 'a' + (char)count,
             'a' + (char)count, variable->number, 'a' + (char)count, 'a' + (char)count);
        types += length + (types[length] == ' ');
    }
    if (count != parameter_count || result_count > (library[l].result[0] != '\0'))
        emit_fail(emitter, "`%s` takes %zu parameters", name, count);
    if (strstr(library[l].call, "&child") != NULL)
        emitter->has_child = true;
    if (library[l].result[0] != '\0')
        emit(emitter, "const ptx_%s e = ", library[l].result);
    emit(emitter, library[l].call, emit_place(emitter));
    emit(emitter, "; ");
    if (library[l].result[0] != '\0')
        emit(emitter, "(void)e; ");
    if (result_count > 0) {
        const struct variable *result = parameter_of_call(emitter, &results[0]);
        if (result->bytes != emit_type(emitter, library[l].result)->bytes)
            emit_fail(emitter, "`%s` has another result", name);
        emit(emitter, "memcpy(p%u, &e, sizeof e); ", result->number);
    }
    emit(emitter, "}");
}

static void check_parameters(const struct emitter *emitter, const struct operand *operands,
                             size_t count, struct variable *const *wanted, size_t wanted_count)
{
    if (count != wanted_count)
        emit_fail(emitter, "has %zu parameters or results where %zu should be", count,
                  wanted_count);
    for (size_t k = 0; k < count; k++)
        if (parameter_of_call(emitter, &operands[k])->bytes != wanted[k]->bytes)
            emit_fail(emitter, "`%.60s` has another size than the function takes",
                      operands[k].name);
}

static void emit_arguments(struct emitter *emitter, const struct operand *results,
                           size_t result_count, const struct operand *parameters,
                           size_t parameter_count)
{
    for (size_t k = 0; k < result_count + parameter_count; k++) {
        const struct operand *operand =
            k < result_count ? &results[k] : &parameters[k - result_count];
        emit(emitter, "%sp%u", k > 0 ? ", " : "", parameter_of_call(emitter, operand)->number);
    }
}

/* What an indirect call names last: what its function is like. */
static void check_prototype(const struct emitter *emitter, size_t k, size_t result_count,
                            size_t parameter_count)
{
    const struct operand *operand = emit_operand(emitter, k);
    const struct table *table = operand->table;

    if (table == NULL || table->is_branches)
        emit_fail(emitter, "ends with no .callprototype or .calltargets");
    if (table->is_prototype &&
        (table->result_count != result_count || table->parameter_count != parameter_count))
        emit_fail(emitter, "`%.60s` has other parameters or results", operand->name);
}

/* call (results), function, (parameters)[, prototype]; */
void emit_call(struct emitter *emitter)
{
    const struct instruction *call = emitter->instruction;
    const struct operand *results = NULL, *parameters = NULL, *target;
    size_t result_count = 0, parameter_count = 0, k = 0;

    if (k < call->operand_count && call->operands[k].kind == OPERAND_LIST) {
        results = call->operands[k].parts;
        result_count = call->operands[k++].part_count;
    }
    target = emit_operand(emitter, k++);
    if (k < call->operand_count && call->operands[k].kind == OPERAND_LIST) {
        parameters = call->operands[k].parts;
        parameter_count = call->operands[k++].part_count;
    }
    if (target->kind == OPERAND_SYMBOL) {
        struct function *function = target->function;
        if (function == NULL)
            emit_fail(emitter, "there is no function `%.60s`", target->name);
        if (!function->has_body)
            for (size_t l = 0; l < sizeof library / sizeof *library; l++)
                if (strcmp(function->name, library[l].name) == 0) {
                    emit_library_call(emitter, l, results, result_count, parameters,
                                      parameter_count);
                    return;
                }
        if (!emit_declares(function))
            emit_fail(emitter, "`%.60s`, of the CUDA runtime, is not supported", function->name);
        if (function->is_entry)
            emit_fail(emitter, "`%.60s` is an entry, and no function", function->name);
        check_parameters(emitter, results, result_count, function->results, function->result_count);
        check_parameters(emitter, parameters, parameter_count, function->parameters,
                         function->parameter_count);
        if (k < call->operand_count)
            emit_fail(emitter, "has operands behind its parameters");
        emit(emitter, "if (%s(", emit_name(emitter, function->name));
    } else if (target->kind == OPERAND_REGISTER && target->reg->type->bytes == 8) {
        check_prototype(emitter, k, result_count, parameter_count);
        emit(emitter, "if (((bool (*)(");
        for (size_t p = 0; p < result_count + parameter_count; p++)
            emit(emitter, "%suint8_t *", p > 0 ? ", " : "");
        emit(emitter, "%s))(uintptr_t)simt_callee(%s, r%u))(",
             result_count + parameter_count == 0 ? "void" : "", emit_place(emitter),
             target->reg->number);
    } else {
        emit_fail(emitter, "calls what is neither a function nor a register");
    }
    emit_arguments(emitter, results, result_count, parameters, parameter_count);
    emit(emitter, ")) { ");
    emit_leave(emitter, true);
    emit(emitter, " }");
}

/* ---- Branches ---- */

static void emit_branch_table(struct emitter *emitter)
{
    const struct table *table;

    emit_count(emitter, 2, 2);
    table = emit_operand(emitter, 1)->table;
    emit(emitter, "switch (%s) { ", u32(emitter, 0));
    for (size_t l = 0; l < table->label_count; l++)
        emit(emitter, "case %zu: goto L%" PRIu64 "; ", l, table->targets[l]);
    emit(emitter, "default: simt_trap(%s); }", emit_place(emitter));
}

bool emit_control(struct emitter *emitter, const char *name)
{
    if (strcmp(name, "@bra") == 0) {
        emit_count(emitter, 1, 1);
        emit(emitter, "goto L%" PRIu64 ";", emit_operand(emitter, 0)->value);
    } else if (strcmp(name, "@brx") == 0) {
        emit_branch_table(emitter);
    } else if (strcmp(name, "@call") == 0) {
        emit_call(emitter);
    } else if (strcmp(name, "@ret") == 0 || strcmp(name, "@exit") == 0) {
        emit_count(emitter, 0, 0);
        emit_leave(emitter, strcmp(name, "@exit") == 0);
    } else if (strcmp(name, "@trap") == 0) {
        emit_count(emitter, 0, 0);
        emit(emitter, "simt_trap(%s);", emit_place(emitter));
    } else if (strcmp(name, "@bar") == 0) {
        emit_barrier(emitter);
    } else if (strcmp(name, "@syncwarp") == 0) {
        emit_count(emitter, 1, 1);
        emit(emitter, "simt_collective(&%s->site, SIMT_SYNC, %s, 0, 0);", emit_place(emitter),
             u32(emitter, 0));
    } else if (strcmp(name, "@shfl") == 0) {
        emit_shuffle(emitter);
    } else if (strcmp(name, "@vote") == 0) {
        emit_vote(emitter);
    } else if (strcmp(name, "@match") == 0) {
        emit_match(emitter);
    } else if (strcmp(name, "@redux") == 0) {
        emit_redux(emitter);
    } else if (strcmp(name, "@elect") == 0) {
        emit_elect(emitter);
    } else if (strcmp(name, "@activemask") == 0) {
        emit_count(emitter, 1, 1);
        emit_assign(emitter, emit_operand(emitter, 0), emit_type(emitter, "b32"), false,
                    "UINT32_C(1) << simt_lane()");
    } else if (strcmp(name, "@nothing") == 0) {
        emit(emitter, ";");
    } else {
        return false;
    }
    return true;
}
