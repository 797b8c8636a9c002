/* SPDX-License-Identifier: MIT */
#include "emit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

_Noreturn void emit_fail(const struct emitter *emitter, const char *format, ...)
{
    char text[300];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    arena_fail(emitter->module->arena, emitter->module->path, emitter->instruction->line,
               "`%.80s`: %s", emitter->instruction->opcode, text);
}

void emit(const struct emitter *emitter, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vfprintf(emitter->to, format, values);
    va_end(values);
}

char *emit_text(const struct emitter *emitter, const char *format, ...)
{
    va_list values;
    int length;
    char *text;

    va_start(values, format);
    length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    text = arena_take(emitter->module->arena, (size_t)length + 1, 1);
    va_start(values, format);
    vsnprintf(text, (size_t)length + 1, format, values);
    va_end(values);
    return text;
}

bool emit_has(const struct emitter *emitter, const char *part)
{
    size_t length = strlen(part);
    const char *at = emitter->instruction->opcode;

    while ((at = strchr(at, '.')) != NULL) {
        at++;
        if (strncmp(at, part, length) == 0 && (at[length] == '.' || at[length] == '\0'))
            return true;
    }
    return false;
}

const char *emit_which(const struct emitter *emitter, const char *const *parts)
{
    for (; *parts != NULL; parts++)
        if (emit_has(emitter, *parts))
            return *parts;
    return NULL;
}

const struct operand *emit_operand(const struct emitter *emitter, size_t k)
{
    if (k >= emitter->instruction->operand_count)
        emit_fail(emitter, "has too few operands");
    return &emitter->instruction->operands[k];
}

void emit_count(const struct emitter *emitter, size_t least, size_t most)
{
    size_t count = emitter->instruction->operand_count;

    if (count < least || count > most)
        emit_fail(emitter, "has %zu operands, and takes %zu%s", count, least,
                  most > least ? " or more" : "");
}

const struct type *emit_type(const struct emitter *emitter, const char *name)
{
    const struct type *type = type_find(name, strlen(name));

    if (type == NULL)
        emit_fail(emitter, "has no type `%s`", name);
    return type;
}

const char *emit_storage(const struct type *type)
{
    if (type->kind == 'p')
        return "bool";
    return type->bytes == 1   ? "uint8_t"
           : type->bytes == 2 ? "uint16_t"
           : type->bytes == 4 ? "uint32_t"
           : type->bytes == 8 ? "uint64_t"
                              : "unsigned __int128";
}

char *emit_name(const struct emitter *emitter, const char *name)
{
    return emit_text(emitter, "x_%s", name);
}

static bool is_float(const struct type *type, const char *name)
{
    return strcmp(type->name, name) == 0;
}

bool emit_declares(const struct function *function)
{
    return function->has_body || function->is_entry || strncmp(function->name, "_Z", 2) == 0;
}

/* Bits, given as an expression of the type's storage, as a value of its C type. */
static char *from_bits(const struct emitter *emitter, const struct type *type, const char *bits)
{
    if (is_float(type, "f32"))
        return emit_text(emitter, "f32_of_bits(%s)", bits);
    if (is_float(type, "f64"))
        return emit_text(emitter, "f64_of_bits(%s)", bits);
    return emit_text(emitter, "(ptx_%s)(%s)", type->name, bits);
}

/* Special registers: PTX ISA, chapter 10. */
static const struct {
    const char *name, *value;
    uint32_t bytes;
} specials[] = {
    {"%tid.x", "simt_thread_index().x", 4},
    {"%tid.y", "simt_thread_index().y", 4},
    {"%tid.z", "simt_thread_index().z", 4},
    {"%ntid.x", "simt_block_extent().x", 4},
    {"%ntid.y", "simt_block_extent().y", 4},
    {"%ntid.z", "simt_block_extent().z", 4},
    {"%ctaid.x", "simt_block_index().x", 4},
    {"%ctaid.y", "simt_block_index().y", 4},
    {"%ctaid.z", "simt_block_index().z", 4},
    {"%nctaid.x", "simt_grid_extent().x", 4},
    {"%nctaid.y", "simt_grid_extent().y", 4},
    {"%nctaid.z", "simt_grid_extent().z", 4},
    {"%laneid", "simt_lane()", 4},
    {"%warpid", "simt_warp()", 4},
    {"%nwarpid", "32", 4},
    {"%smid", "0", 4},
    {"%nsmid", "1", 4},
    {"%gridid", "0", 8},
    {"%lanemask_eq", "(UINT32_C(1) << simt_lane())", 4},
    {"%lanemask_lt", "((UINT32_C(1) << simt_lane()) - 1)", 4},
    {"%lanemask_le", "((UINT32_C(2) << simt_lane()) - 1)", 4},
    {"%lanemask_gt", "~((UINT32_C(2) << simt_lane()) - 1)", 4},
    {"%lanemask_ge", "~((UINT32_C(1) << simt_lane()) - 1)", 4},
    {"%clock", "simt_clock()", 4},
    {"%clock_hi", "(simt_clock() >> 32)", 4},
    {"%clock64", "simt_clock()", 8},
    {"%globaltimer", "simt_clock()", 8},
    {"%globaltimer_lo", "simt_clock()", 4},
    {"%globaltimer_hi", "(simt_clock() >> 32)", 4},
    {"%dynamic_smem_size", "simt_dynamic_bytes()", 4},
    {"%total_smem_size", "simt_total_shared()", 4},
    {"%clusterid.x", "simt_block_index().x", 4},
    {"%clusterid.y", "simt_block_index().y", 4},
    {"%clusterid.z", "simt_block_index().z", 4},
    {"%nclusterid.x", "simt_grid_extent().x", 4},
    {"%nclusterid.y", "simt_grid_extent().y", 4},
    {"%nclusterid.z", "simt_grid_extent().z", 4},
    {"%cluster_ctaid.x", "0", 4},
    {"%cluster_ctaid.y", "0", 4},
    {"%cluster_ctaid.z", "0", 4},
    {"%cluster_nctaid.x", "1", 4},
    {"%cluster_nctaid.y", "1", 4},
    {"%cluster_nctaid.z", "1", 4},
    {"%envreg1", "(grid_workspace >> 32)", 4},
    {"%envreg2", "grid_workspace", 4},
    {"%cluster_ctarank", "0", 4},
    {"%cluster_nctarank", "1", 4},
};

static char *special_value(const struct emitter *emitter, const struct operand *operand,
                           const struct type *type)
{
    for (size_t s = 0; s < sizeof specials / sizeof *specials; s++) {
        if (strcmp(specials[s].name, operand->name) != 0)
            continue;
        if (type->kind == 'f' || type->kind == 'p' || type->bytes > 8)
            emit_fail(emitter, "reads `%s` as a %s", operand->name, type->name);
        return emit_text(emitter, "(ptx_%s)(uint%u_t)(%s)", type->name, 8 * specials[s].bytes,
                         specials[s].value);
    }
    emit_fail(emitter, "the register `%.60s` is not declared, and no special one that is known",
              operand->name);
}

/* What a variable or function is as a number: an address in its own space. */
static char *symbol_value(const struct emitter *emitter, const struct operand *operand)
{
    struct variable *variable = operand->variable;
    char *base;

    if (operand->function != NULL && !emit_declares(operand->function))
        emit_fail(emitter, "`%.60s`, of the CUDA runtime, has no address", operand->name);
    if (operand->function != NULL)
        return emit_text(emitter, "(uint64_t)(uintptr_t)&%s",
                         emit_name(emitter, operand->function->name));
    if (variable == NULL)
        emit_fail(emitter, "nothing is called `%.60s`", operand->name);
    if (variable->space == SPACE_SHARED && variable->bytes == 0)
        base = emit_text(emitter, "(uint64_t)simt_dynamic_shared");
    else if (variable->space == SPACE_SHARED)
        base = emit_text(emitter, "UINT64_C(%" PRIu64 ")", variable->offset);
    else if (variable->space == SPACE_LOCAL)
        base = emit_text(emitter, "(uint64_t)(uintptr_t)l%u", variable->number);
    else if (variable->space == SPACE_PARAM)
        base = emit_text(emitter, "(uint64_t)(uintptr_t)p%u", variable->number);
    else if (variable->linkage != LINKAGE_LOCAL)
        base = emit_name(emitter, variable->name);
    else
        base = emit_text(emitter, "v%u", variable->number);
    return operand->offset == 0 ? base
                                : emit_text(emitter, "(%s + UINT64_C(%" PRIu64 "))", base,
                                            (uint64_t)operand->offset);
}

static char *constant_value(const struct emitter *emitter, const struct operand *operand,
                            const struct type *type)
{
    uint64_t bits = operand->value;

    if (operand->kind == OPERAND_FLOAT) {
        bool is_double = operand->type->bytes == 8;
        if (type->kind != 'f' && type->kind != 'b')
            emit_fail(emitter, "takes a %s, and no such number", type->name);
        if (type->bytes == 4 && is_double) { /* a decimal constant */
            double wide;
            float narrow;
            uint32_t low;
            memcpy(&wide, &bits, sizeof wide);
            narrow = (float)wide;
            memcpy(&low, &narrow, sizeof low);
            bits = low;
        } else if (type->bytes != operand->type->bytes) {
            emit_fail(emitter, "takes a %s, and no such number", type->name);
        }
    } else if (is_float(type, "f32") || is_float(type, "f64")) {
        emit_fail(emitter, "takes a %s, and no integer", type->name);
    }
    if (type->kind == 'p')
        return emit_text(emitter, "%s", bits != 0 ? "true" : "false");
    return from_bits(emitter, type,
                     emit_text(emitter, "(%s)UINT64_C(0x%" PRIx64 ")", emit_storage(type), bits));
}

char *emit_value(const struct emitter *emitter, const struct operand *operand,
                 const struct type *type, bool wider)
{
    if (operand->pair != NULL)
        emit_fail(emitter, "takes one register, and no two");
    switch (operand->kind) {
    case OPERAND_REGISTER: {
        const struct reg *reg = operand->reg;
        if ((type->kind == 'p') != (reg->type->kind == 'p') ||
            (wider ? reg->type->bytes < type->bytes : reg->type->bytes != type->bytes))
            emit_fail(emitter, "`%.60s` is a %s, and should be a %s", operand->name,
                      reg->type->name, type->name);
        if (operand->negated && type->kind != 'p')
            emit_fail(emitter, "`!` in front of what is no predicate");
        if (operand->minus)
            emit_fail(emitter, "`-` in front of a register");
        if (type->kind == 'p')
            return emit_text(emitter, "%sr%u", operand->negated ? "!" : "", reg->number);
        return from_bits(emitter, type,
                         emit_text(emitter, "(%s)r%u", emit_storage(type), reg->number));
    }
    case OPERAND_INTEGER:
    case OPERAND_FLOAT:
        return constant_value(emitter, operand, type);
    case OPERAND_SPECIAL:
        return special_value(emitter, operand, type);
    case OPERAND_SYMBOL:
        if (type->kind == 'f' || type->kind == 'p' || type->bytes < 4 || type->bytes > 8)
            emit_fail(emitter, "takes an address as a %s", type->name);
        if (type->bytes < 8 &&
            (operand->variable == NULL || operand->variable->space != SPACE_SHARED))
            emit_fail(emitter, "`%.60s` is no variable in .shared, and takes 64 bits",
                      operand->name);
        return emit_text(emitter, "(ptx_%s)(%s)", type->name, symbol_value(emitter, operand));
    default:
        emit_fail(emitter, "an operand of a kind that it does not take");
    }
}

void emit_assign(const struct emitter *emitter, const struct operand *operand,
                 const struct type *type, bool wider, const char *expression)
{
    const struct reg *reg = operand->reg;

    if (operand->kind == OPERAND_SINK) {
        emit(emitter, "(void)(%s);", expression);
        return;
    }
    if (operand->kind != OPERAND_REGISTER || operand->negated || operand->minus ||
        operand->pair != NULL)
        emit_fail(emitter, "its result goes to what is no register");
    if ((type->kind == 'p') != (reg->type->kind == 'p') ||
        (wider ? reg->type->bytes < type->bytes : reg->type->bytes != type->bytes))
        emit_fail(emitter, "`%.60s` is a %s, and should be a %s", operand->name, reg->type->name,
                  type->name);
    if (is_float(type, "f32") || is_float(type, "f64"))
        emit(emitter, "r%u = bits_of_%s(%s);", reg->number, type->name, expression);
    else if (type->kind == 'p')
        emit(emitter, "r%u = (%s);", reg->number, expression);
    else
        emit(emitter, "r%u = (%s)(ptx_%s)(%s);", reg->number, emit_storage(reg->type), type->name,
             expression);
}

enum space emit_space(const struct emitter *emitter)
{
    static const struct {
        const char *name;
        enum space space;
    } spaces[] = {
        {"global", SPACE_GLOBAL},      {"const", SPACE_CONST},       {"shared", SPACE_SHARED},
        {"shared::cta", SPACE_SHARED}, {"local", SPACE_LOCAL},       {"param", SPACE_PARAM},
        {"param::entry", SPACE_PARAM}, {"param::func", SPACE_PARAM},
    };

    for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++)
        if (emit_has(emitter, spaces[s].name))
            return spaces[s].space;
    return SPACE_GENERIC;
}

char *emit_address(const struct emitter *emitter, const struct operand *operand, enum space space)
{
    if (operand->kind != OPERAND_ADDRESS || operand->pair != NULL)
        emit_fail(emitter, "takes an address in brackets");
    if (operand->reg != NULL) {
        const struct type *type = operand->reg->type;
        if (type->kind == 'p' || (type->bytes != 8 && !(type->bytes == 4 && space == SPACE_SHARED)))
            emit_fail(emitter, "`%.60s` is a %s, and no address", operand->name, type->name);
        return emit_text(emitter, "(uint64_t)r%u + UINT64_C(%" PRIu64 ")", operand->reg->number,
                         (uint64_t)operand->offset);
    }
    if (operand->name == NULL)
        return emit_text(emitter, "UINT64_C(%" PRIu64 ")", (uint64_t)operand->offset);
    if (operand->variable == NULL)
        emit_fail(emitter, "there is no variable `%.60s`", operand->name);
    if (operand->variable->space != space && space != SPACE_GENERIC)
        emit_fail(emitter, "`%.60s` is in another state space", operand->name);
    return symbol_value(emitter, operand);
}

char *emit_host_address(const struct emitter *emitter, const struct operand *operand)
{
    enum space space = emit_space(emitter);
    char *address = emit_address(emitter, operand, space);

    if (space == SPACE_SHARED)
        return emit_text(emitter, "simt_shared_base + (uint32_t)(%s)", address);
    return emit_text(emitter, "(uintptr_t)(%s)", address);
}
