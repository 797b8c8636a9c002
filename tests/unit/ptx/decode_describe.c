/* SPDX-License-Identifier: MIT */
#include "decode_describe.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static const char *const spaces[] = {
    [SPACE_GENERIC] = "generic", [SPACE_GLOBAL] = "global", [SPACE_CONST] = "const",
    [SPACE_SHARED] = "shared",   [SPACE_LOCAL] = "local",   [SPACE_PARAM] = "param"};

/* Returns what a slot holds at the start of a call: a constant, or 0 if code writes it later. */
static uint64_t initial_value(const struct function_code *code, uint32_t slot, uint32_t bytes)
{
    uint64_t value = 0;

    memcpy(&value, code->frame + slot, bytes < sizeof value ? bytes : sizeof value);
    return value;
}

static const char *const scopes[] = {[SIMT_BLOCK] = "block",
                                     [SIMT_CLUSTER] = "cluster",
                                     [SIMT_DEVICE] = "device",
                                     [SIMT_SYSTEM] = "system"};

static const char *const library[] = {
    [LIBRARY_PRINTF] = "printf",
    [LIBRARY_ASSERT] = "assert",
    [LIBRARY_PARAMETERS] = "parameters",
    [LIBRARY_LAUNCH] = "launch",
    [LIBRARY_PEEK_ERROR] = "peek_error",
    [LIBRARY_LAST_ERROR] = "last_error",
    [LIBRARY_WAIT] = "wait",
    [LIBRARY_DEVICE] = "device",
};

static void describe_access(FILE *to, const struct op *op)
{
    static const char *const orders[] = {[SIMT_RELAXED] = "relaxed",
                                         [SIMT_ACQUIRE] = "acquire",
                                         [SIMT_RELEASE] = "release",
                                         [SIMT_ACQ_REL] = "acq_rel"};

    fprintf(to, ", %s, %dx%d at %+" PRId64, spaces[op->space], op->count, op->bytes, op->offset);
    if (op->kind == OP_ATOMIC)
        fprintf(to, ", %s, %s", scopes[op->scope], orders[op->order]);
}

static void describe_details(FILE *to, const struct function_code *code, const struct op *op)
{
    switch (op->kind) {
    case OP_BRANCH:
        fprintf(to, " %u", op->target);
        break;
    case OP_SWITCH:
        for (uint32_t t = 0; t < op->targets->count; t++)
            fprintf(to, " %u", op->targets->targets[t]);
        break;
    case OP_CALL:
        fprintf(to, " %s, %u of %u",
                op->callee != NULL       ? op->callee->name
                : op->call->name != NULL ? op->call->name
                                         : "by address",
                op->call->result_count, op->call->parameter_count);
        break;
    case OP_LIBRARY:
        fprintf(to, " %s", library[op->what]);
        break;
    case OP_LOAD:
    case OP_STORE:
    case OP_ATOMIC:
    case OP_ENTRY_LOAD:
    case OP_VARIABLE_LOAD:
    case OP_VARIABLE_STORE:
        describe_access(to, op);
        break;
    case OP_LOCAL_ADDRESS:
        fprintf(to, " %+" PRId64, op->offset);
        break;
    case OP_COPY:
        fprintf(to, " %d, 0x%" PRIx64, op->bytes,
                op->bytes > 0 ? initial_value(code, op->a, op->bytes) : 0);
        break;
    case OP_COMPUTE:
        fprintf(to, " 0x%" PRIx64 "%s", initial_value(code, op->b, op->bytes),
                op->carry != 0 ? ", carry" : "");
        break;
    case OP_FENCE:
        fprintf(to, " %s", scopes[op->scope]);
        break;
    }
}

static void describe_op(FILE *to, const struct function_code *code, uint32_t k)
{
    const struct op *op = &code->ops[k];

    fprintf(to, "%u ", k);
    for (const char *c = op_kinds[op->kind].name + strlen("OP_"); *c != '\0'; c++)
        fputc(tolower((unsigned char)*c), to);
    describe_details(to, code, op);
    if (op->guard != 0)
        fprintf(to, "%s", op->guard_flip != 0 ? " unless" : " if");
    if (op->place != NULL)
        fprintf(to, ", %s:%d", op->place->site.file, op->place->site.line);
    for (const struct simt_site *outer = op->place != NULL ? op->place->site.outer : NULL;
         outer != NULL; outer = outer->outer)
        fprintf(to, " in %s:%d", outer->file, outer->line);
    fputc('\n', to);
}

static void describe_function(FILE *to, const struct function_code *code)
{
    fprintf(to, "%s: %u registers", code->name, code->register_count);
    for (uint32_t s = 0; s < code->special_count; s++)
        fprintf(to, "%s %d", s == 0 ? "; special" : "", code->specials[s].special);
    for (uint32_t s = 0; s < code->shared_count; s++)
        fprintf(to, "%s %s %u+%u", s == 0 ? "; shared" : "", code->shared[s].name,
                code->shared[s].offset, code->shared[s].bytes);
    for (uint32_t p = 0; p < code->parameter_count && code->parameter_offsets != NULL; p++)
        fprintf(to, "%s %u+%" PRIu64, p == 0 ? "; parameters" : "", code->parameter_offsets[p],
                code->function->parameters[p]->bytes);
    for (uint32_t l = 0; l < code->local_count; l++)
        fprintf(to, "%s %u+%u", l == 0 ? "; local" : "", code->locals[l].offset,
                code->locals[l].bytes);
    fputc('\n', to);
    for (uint32_t k = 0; k < code->op_count; k++)
        describe_op(to, code, k);
}

static void describe_variable(FILE *to, const struct variable *variable)
{
    fprintf(to, "%s: %s, %" PRIu64 " bytes", variable->name, spaces[variable->space],
            variable->bytes);
    for (uint64_t i = 0; i < variable->given; i++)
        fprintf(to, "%s %02x", i == 0 ? " =" : "", variable->initial[i]);
    for (size_t r = 0; r < variable->relocation_count; r++) {
        const struct relocation *relocation = &variable->relocations[r];
        fprintf(to, " @%" PRIu64 " %s+%" PRId64, relocation->at, relocation->symbol,
                relocation->addend);
        if (relocation->bytes == 1)
            fprintf(to, " byte %d", relocation->shift / 8);
    }
    fputc('\n', to);
}

void describe(FILE *to, const struct module_code *code)
{
    for (size_t v = 0; v < code->module.variable_count; v++)
        describe_variable(to, code->module.variables[v]);
    for (size_t f = 0; f < code->module.function_count; f++)
        if (code->functions[f].ops != NULL)
            describe_function(to, &code->functions[f]);
}
