/* SPDX-License-Identifier: MIT */
#include "emit.h"

#include <inttypes.h>
#include <string.h>

static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", NULL};

/* Of the opcode; PTX ISA: an atomic access without one is of the GPU. A grid that is launched
 * without clusters has clusters of one block. */
static const char *scope(const struct emitter *emitter)
{
    const char *name = emit_which(emitter, scopes);

    return name == NULL || strcmp(name, "gpu") == 0 ? "SIMT_DEVICE"
           : strcmp(name, "sys") == 0               ? "SIMT_SYSTEM"
                                                    : "SIMT_BLOCK";
}

static const char *order(const struct emitter *emitter)
{
    const char *name = emit_which(emitter, orders);

    return name == NULL || strcmp(name, "relaxed") == 0 ? "SIMT_RELAXED"
           : strcmp(name, "acquire") == 0               ? "SIMT_ACQUIRE"
           : strcmp(name, "release") == 0               ? "SIMT_RELEASE"
                                                        : "SIMT_ACQ_REL";
}

/* Floats go through memory as bits. */
static const struct type *bits_type(const struct emitter *emitter, const struct type *type)
{
    return type->kind == 'f' ? emit_type(emitter, emit_text(emitter, "b%u", 8 * type->bytes))
                             : type;
}

static size_t vector_length(const struct emitter *emitter)
{
    return emit_has(emitter, "v2") ? 2 : emit_has(emitter, "v4") ? 4 : 1;
}

/* The elements that are loaded or stored: the operand itself, or what its braces hold. */
static const struct operand *elements(const struct emitter *emitter, const struct operand *operand,
                                      size_t count)
{
    if (count == 1 && operand->kind != OPERAND_VECTOR)
        return operand;
    if (operand->kind != OPERAND_VECTOR || operand->part_count != count)
        emit_fail(emitter, "takes %zu registers in braces", count);
    return operand->parts;
}

/* A named parameter, as a pointer to those bytes of it; null: it is no name. */
static char *parameter_bytes(const struct emitter *emitter, const struct operand *operand,
                             size_t bytes)
{
    const struct variable *variable = operand->variable;

    if (operand->kind != OPERAND_ADDRESS || operand->reg != NULL || operand->name == NULL)
        return NULL;
    if (variable == NULL || variable->space != SPACE_PARAM)
        emit_fail(emitter, "there is no parameter `%.60s`", operand->name);
    if (operand->offset < 0 || (uint64_t)operand->offset + bytes > variable->bytes)
        emit_fail(emitter, "is beyond the %" PRIu64 " bytes of `%.60s`", variable->bytes,
                  operand->name);
    return emit_text(emitter, "p%u + %" PRId64, variable->number, operand->offset);
}

/* Tells the engine of the access at the host's address `at`. */
static void tell(struct emitter *emitter, bool writes, size_t bytes)
{
    const char *verb = writes ? "write" : "read";

    if (emit_has(emitter, "relaxed") || emit_has(emitter, "acquire") ||
        emit_has(emitter, "release"))
        emit(emitter, "simt_strong_%s(%s, at, %zu, %s, %s); ", verb, emit_place(emitter), bytes,
             scope(emitter), order(emitter));
    else
        emit(emitter, "simt_%s_%c%zu(%s, at); ", verb,
             emit_has(emitter, "volatile") ? 'v'
             : emit_has(emitter, "nc")     ? 'c'
                                           : 'w',
             bytes, emit_place(emitter));
}

/* A variable in .shared is no generic address. */
static void check_generic(const struct emitter *emitter, const struct operand *address)
{
    if (address->variable != NULL && address->variable->space == SPACE_SHARED &&
        emit_space(emitter) == SPACE_GENERIC)
        emit_fail(emitter, "takes a generic address, and `%.60s` is in .shared", address->name);
}

static void start_access(const struct emitter *emitter, const struct operand *address, size_t bytes)
{
    if (bytes > 16)
        emit_fail(emitter, "is an access of more than 16 bytes");
    check_generic(emitter, address);
    emit(emitter, "const uintptr_t at = %s; ", emit_host_address(emitter, address));
}

/* Can kernels have its address? */
static bool is_room(const struct variable *variable)
{
    return variable->space == SPACE_LOCAL ||
           (variable->space == SPACE_PARAM && variable->is_addressed);
}

void emit_frame(const struct emitter *emitter)
{
    const struct function *function = emitter->function;
    size_t count = emitter->has_child;

    for (size_t v = 0; v < function->variable_count; v++)
        count += is_room(function->variables[v]);
    if (count == 0)
        return;
    emit(emitter, "const struct simt_room rooms[] = {");
    for (size_t v = 0; v < function->variable_count; v++) {
        const struct variable *variable = function->variables[v];
        if (is_room(variable))
            emit(emitter, "{(uintptr_t)%c%u, %" PRIu64 "}, ",
                 variable->space == SPACE_LOCAL ? 'l' : 'p', variable->number, variable->bytes);
    }
    if (emitter->has_child)
        emit(emitter, "{(uintptr_t)child.parameters, sizeof child.parameters}");
    emit(emitter,
         "};\nstruct simt_frame frame __attribute__((cleanup(ptx_leave))) = {0, rooms, %zu};\n"
         "simt_enter_frame(&frame);\n",
         count);
}

/* Holds an access of .local to the arrays there: what lies beside them is this program's. */
static void check_local(struct emitter *emitter, bool writes, size_t bytes)
{
    const struct function *function = emitter->function;
    const struct variable *array = NULL;

    for (size_t v = 0; v < function->variable_count && array == NULL; v++)
        if (function->variables[v]->space == SPACE_LOCAL)
            array = function->variables[v];
    emit(emitter, "ptx_check_local(%s, at, %zu, %s, ", emit_place(emitter), bytes,
         writes ? "true" : "false");
    if (array != NULL)
        emit(emitter, "l%u, %" PRIu64 "); ", array->number, array->bytes);
    else
        emit(emitter, "0, 0); ");
}

static void emit_load(struct emitter *emitter)
{
    const struct type *type =
        bits_type(emitter, emit_type(emitter, emitter->instruction->match.type[0]));
    size_t count = vector_length(emitter), bytes = count * type->bytes;
    const struct operand *address = emit_operand(emitter, 1), *to;
    char *parameter =
        emit_space(emitter) == SPACE_PARAM ? parameter_bytes(emitter, address, bytes) : NULL;

    emit_count(emitter, 2, 2);
    to = elements(emitter, emit_operand(emitter, 0), count);
    emit(emitter, "{ ");
    if (parameter != NULL) {
        emit(emitter, "const uintptr_t at = (uintptr_t)(%s); ", parameter);
    } else if (emit_space(emitter) == SPACE_PARAM) {
        if (address->reg == NULL)
            emit_fail(emitter, "takes a parameter by its name");
        emit(emitter, "const uintptr_t at = (uintptr_t)(%s); ",
             emit_address(emitter, address, SPACE_PARAM));
        emit(emitter, "simt_check_private(%s, at, %zu, false); ", emit_place(emitter), bytes);
        tell(emitter, false, bytes); /* which may be any of its bytes, and beyond */
    } else {
        start_access(emitter, address, bytes);
        if (emit_space(emitter) == SPACE_LOCAL)
            check_local(emitter, false, bytes);
        tell(emitter, false, bytes);
    }
    for (size_t k = 0; k < count; k++)
        emit_assign(emitter, &to[k], type, true,
                    emit_text(emitter, "*(const volatile ptx_may_%s *)(at + %zu)", type->name,
                              k * type->bytes));
    emit(emitter, " }");
}

static void emit_store(struct emitter *emitter)
{
    const struct type *type =
        bits_type(emitter, emit_type(emitter, emitter->instruction->match.type[0]));
    size_t count = vector_length(emitter), bytes = count * type->bytes;
    const struct operand *address = emit_operand(emitter, 0), *from;
    char *parameter = NULL;

    emit_count(emitter, 2, 2);
    from = elements(emitter, emit_operand(emitter, 1), count);
    if (emit_space(emitter) == SPACE_CONST)
        emit_fail(emitter, "writes to .const");
    if (emit_space(emitter) == SPACE_PARAM) {
        parameter = parameter_bytes(emitter, address, bytes);
        if (parameter == NULL || (address->variable->owner == NULL && emitter->function->is_entry))
            emit_fail(emitter, "takes a parameter of a call, by its name");
    }
    emit(emitter, "{ ");
    if (parameter != NULL)
        emit(emitter, "const uintptr_t at = (uintptr_t)(%s); ", parameter);
    else
        start_access(emitter, address, bytes);
    for (size_t k = 0; k < count; k++)
        emit(emitter, "const ptx_%s e%zu = %s; ", type->name, k,
             emit_value(emitter, &from[k], type, true));
    if (emit_space(emitter) == SPACE_LOCAL)
        check_local(emitter, true, bytes);
    if (parameter == NULL)
        tell(emitter, true, bytes);
    for (size_t k = 0; k < count; k++)
        emit(emitter, "*(volatile ptx_may_%s *)(at + %zu) = e%zu; ", type->name, k * type->bytes,
             k);
    emit(emitter, "}");
}

static void emit_atomic(struct emitter *emitter, bool returns)
{
    static const char *const operations[] = {"add", "min", "max",  "inc", "dec", "and",
                                             "or",  "xor", "exch", "cas", NULL};
    const char *operation = emit_which(emitter, operations);
    const struct type *type = emit_type(emitter, emitter->instruction->match.type[0]);
    const struct operand *address = emit_operand(emitter, returns);
    bool swaps = strcmp(operation, "cas") == 0;

    emit_count(emitter, 2u + returns + swaps, 2u + returns + swaps);
    emit(emitter, "{ ");
    start_access(emitter, address, type->bytes);
    emit(emitter, "const ptx_%s b = %s; ", type->name,
         emit_value(emitter, emit_operand(emitter, 1u + returns), type, false));
    if (swaps)
        emit(emitter, "const ptx_%s c = %s; ", type->name,
             emit_value(emitter, emit_operand(emitter, 2u + returns), type, false));
    emit(emitter, "simt_atomic_access(%s, at, %u, %s, %s); ", emit_place(emitter), type->bytes,
         scope(emitter), order(emitter));
    emit(emitter,
         "const ptx_%s a = *(const volatile ptx_may_%s *)at; *(volatile ptx_may_%s *)at = "
         "ptx_atom_%s_%s(%s); ",
         type->name, type->name, type->name, operation, type->name,
         swaps                            ? "a, b, c"
         : strcmp(type->name, "f32") == 0 ? "a, b, simt_is_shared(at)"
                                          : "a, b");
    if (returns)
        emit_assign(emitter, emit_operand(emitter, 0), type, false, "a");
    emit(emitter, " }");
}

/* {%r1, %r2} in or out of a register of their widths together. */
static void emit_mov_vector(struct emitter *emitter, const struct type *type)
{
    const struct operand *to = emit_operand(emitter, 0), *from = emit_operand(emitter, 1);
    bool packs = from->kind == OPERAND_VECTOR;
    const struct operand *vector = packs ? from : to;
    const struct type *part;
    char *packed = emit_text(emitter, "0");

    if (vector->part_count != 2 && vector->part_count != 4)
        emit_fail(emitter, "takes 2 or 4 registers in braces");
    if (type->kind != 'b' || type->bytes < vector->part_count)
        emit_fail(emitter, "takes no braces");
    part = emit_type(emitter, emit_text(emitter, "b%zu", 8 * type->bytes / vector->part_count));
    if (!packs) {
        emit(emitter, "{ const ptx_%s e = %s; ", type->name,
             emit_value(emitter, from, type, false));
        for (size_t k = 0; k < vector->part_count; k++)
            if (vector->parts[k].kind != OPERAND_SINK)
                emit_assign(emitter, &vector->parts[k], part, false,
                            emit_text(emitter, "e >> %zu", 8 * part->bytes * k));
        emit(emitter, " }");
        return;
    }
    for (size_t k = 0; k < vector->part_count; k++)
        packed =
            emit_text(emitter, "%s | (ptx_%s)%s << %zu", packed, type->name,
                      emit_value(emitter, &vector->parts[k], part, false), 8 * part->bytes * k);
    emit_assign(emitter, to, type, false, packed);
}

static void emit_mov(struct emitter *emitter)
{
    const struct type *named = emit_type(emitter, emitter->instruction->match.type[0]);
    const struct type *type = bits_type(emitter, named);
    const struct operand *to = emit_operand(emitter, 0), *from = emit_operand(emitter, 1);

    emit_count(emitter, 2, 2);
    if (to->kind == OPERAND_VECTOR || from->kind == OPERAND_VECTOR) {
        emit_mov_vector(emitter, named);
        return;
    }
    if (named->kind == 'f' && from->kind == OPERAND_INTEGER)
        emit_fail(emitter, "takes a %s, and no integer", named->name);
    emit_assign(emitter, to, type, false, emit_value(emitter, from, type, false));
}

static void emit_cvta(struct emitter *emitter, bool to_space)
{
    const struct type *type = emit_type(emitter, emitter->instruction->match.type[0]);
    char *value;

    emit_count(emitter, 2, 2);
    if (type->bytes != 8)
        emit_fail(emitter, "addresses of 32 bits are not supported");
    value = emit_value(emitter, emit_operand(emitter, 1), type, false);
    if (emit_space(emitter) == SPACE_SHARED)
        value = emit_text(emitter,
                          to_space ? "(uint32_t)(%s - simt_shared_base)"
                                   : "simt_shared_base + (uint32_t)%s",
                          value);
    emit_assign(emitter, emit_operand(emitter, 0), type, false, value);
}

static void emit_isspacep(struct emitter *emitter)
{
    enum space space = emit_space(emitter);
    const struct type *address = emit_type(emitter, "u64");

    emit_count(emitter, 2, 2);
    if (space != SPACE_SHARED && space != SPACE_GLOBAL && space != SPACE_LOCAL)
        emit_fail(emitter, "of .const and .param is not supported");
    emit_assign(emitter, emit_operand(emitter, 0), emit_type(emitter, "pred"), false,
                emit_text(emitter, "simt_is_%s(%s)",
                          space == SPACE_SHARED   ? "shared"
                          : space == SPACE_GLOBAL ? "global"
                                                  : "local",
                          emit_value(emitter, emit_operand(emitter, 1), address, false)));
}

static void emit_fence(struct emitter *emitter)
{
    emit_count(emitter, 0, 0);
    emit(emitter, "simt_fence(%s);", emit_has(emitter, "gl") ? "SIMT_DEVICE" : scope(emitter));
}

/* cp.async [to], [from], bytes[, read]; */
static void emit_async_copy(struct emitter *emitter)
{
    const struct operand *bytes = emit_operand(emitter, 2);
    const struct type *size = emit_type(emitter, "u32");
    char *to, *from;

    emit_count(emitter, 3, 4);
    if (bytes->kind != OPERAND_INTEGER ||
        (bytes->value != 16 && bytes->value != 8 && bytes->value != 4) ||
        (emit_has(emitter, "cg") && bytes->value != 16))
        emit_fail(emitter, "copies 4, 8 or 16 bytes, and 16 with .cg");
    to = emit_address(emitter, emit_operand(emitter, 0), SPACE_SHARED);
    from = emit_address(emitter, emit_operand(emitter, 1), SPACE_GLOBAL);
    emit(emitter,
         "simt_async_copy(%s, simt_shared_base + (uint32_t)(%s), (uintptr_t)(%s), %" PRIu64
         ", %s);",
         emit_place(emitter), to, from, bytes->value,
         emitter->instruction->operand_count == 4
             ? emit_value(emitter, emit_operand(emitter, 3), size, false)
             : "UINT32_MAX");
}

static void emit_async_commit(struct emitter *emitter)
{
    emit_count(emitter, 0, 0);
    emit(emitter, "simt_async_commit();");
}

/* wait_group N; or wait_all; */
static void emit_async_wait(struct emitter *emitter)
{
    bool all = emit_has(emitter, "wait_all");

    emit_count(emitter, !all, !all);
    if (all)
        emit(emitter, "simt_async_wait_all();");
    else
        emit(emitter, "simt_async_wait_group(%s);",
             emit_value(emitter, emit_operand(emitter, 0), emit_type(emitter, "u32"), false));
}

/* The address of an mbarrier in shared memory, the space named or not. */
static char *mbarrier_address(const struct emitter *emitter, size_t k)
{
    const struct operand *operand = emit_operand(emitter, k);

    if (emit_space(emitter) == SPACE_SHARED)
        return emit_text(emitter, "simt_shared_base + (uint32_t)(%s)",
                         emit_address(emitter, operand, SPACE_SHARED));
    check_generic(emitter, operand);
    return emit_text(emitter, "(uintptr_t)(%s)", emit_address(emitter, operand, SPACE_GENERIC));
}

/* mbarrier.arrive state, [barrier][, count]; */
static void emit_mbarrier_arrive(struct emitter *emitter)
{
    emit_count(emitter, 2, 3);
    emit_assign(emitter, emit_operand(emitter, 0), emit_type(emitter, "b64"), false,
                emit_text(emitter, "ptx_mbarrier_arrive(%s, %s, %s, %s)", emit_place(emitter),
                          mbarrier_address(emitter, 1),
                          emitter->instruction->operand_count == 3
                              ? emit_value(emitter, emit_operand(emitter, 2),
                                           emit_type(emitter, "u32"), false)
                              : "1",
                          emit_has(emitter, "arrive_drop") ? "true" : "false"));
}

/* mbarrier.test_wait p, [barrier], state; and .try_wait, which may have a time to wait. */
static void emit_mbarrier_wait(struct emitter *emitter)
{
    bool parity = emit_has(emitter, "parity");

    emit_count(emitter, 3, emit_has(emitter, "try_wait") ? 4 : 3);
    emit_assign(emitter, emit_operand(emitter, 0), emit_type(emitter, "pred"), false,
                emit_text(emitter, "ptx_mbarrier_%s(%s, %s, %s)", parity ? "parity" : "wait",
                          emit_place(emitter), mbarrier_address(emitter, 1),
                          emit_value(emitter, emit_operand(emitter, 2),
                                     emit_type(emitter, parity ? "u32" : "b64"), false)));
}

static void emit_mbarrier(struct emitter *emitter)
{
    if (emit_has(emitter, "async")) {
        emit_count(emitter, 1, 1);
        emit(emitter, "simt_async_wait_all(); ptx_mbarrier_arrive(%s, %s, %s, false);",
             emit_place(emitter), mbarrier_address(emitter, 0),
             emit_has(emitter, "noinc") ? "1" : "0");
    } else if (emit_has(emitter, "init")) {
        emit_count(emitter, 2, 2);
        emit(emitter, "ptx_mbarrier_init(%s, %s, %s);", emit_place(emitter),
             mbarrier_address(emitter, 0),
             emit_value(emitter, emit_operand(emitter, 1), emit_type(emitter, "u32"), false));
    } else if (emit_has(emitter, "inval")) {
        emit_count(emitter, 1, 1);
        emit(emitter, "simt_write_w8(%s, %s);", emit_place(emitter), mbarrier_address(emitter, 0));
    } else if (emit_has(emitter, "pending_count")) {
        emit_count(emitter, 2, 2);
        emit_assign(emitter, emit_operand(emitter, 0), emit_type(emitter, "u32"), false,
                    emit_text(emitter, "ptx_mbarrier_pending(%s)",
                              emit_value(emitter, emit_operand(emitter, 1),
                                         emit_type(emitter, "b64"), false)));
    } else if (emit_has(emitter, "arrive") || emit_has(emitter, "arrive_drop")) {
        emit_mbarrier_arrive(emitter);
    } else {
        emit_mbarrier_wait(emitter);
    }
}

bool emit_memory(struct emitter *emitter, const char *name)
{
    if (strcmp(name, "@ld") == 0)
        emit_load(emitter);
    else if (strcmp(name, "@st") == 0)
        emit_store(emitter);
    else if (strcmp(name, "@atom") == 0)
        emit_atomic(emitter, true);
    else if (strcmp(name, "@red") == 0)
        emit_atomic(emitter, false);
    else if (strcmp(name, "@mov") == 0)
        emit_mov(emitter);
    else if (strcmp(name, "@cvta") == 0)
        emit_cvta(emitter, false);
    else if (strcmp(name, "@cvta_to") == 0)
        emit_cvta(emitter, true);
    else if (strcmp(name, "@isspacep") == 0)
        emit_isspacep(emitter);
    else if (strcmp(name, "@cp_async") == 0)
        emit_async_copy(emitter);
    else if (strcmp(name, "@cp_commit") == 0)
        emit_async_commit(emitter);
    else if (strcmp(name, "@cp_wait") == 0)
        emit_async_wait(emitter);
    else if (strcmp(name, "@mbarrier") == 0)
        emit_mbarrier(emitter);
    else if (strcmp(name, "@fence") == 0)
        emit_fence(emitter);
    else
        return false;
    return true;
}
