/* SPDX-License-Identifier: MIT
 *
 * Decodes modules without a simulator, for programs that only check PTX.
 */
#include "accept.h"

#include "decode.h"
#include "outcome.h"
#include "source_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct simt_place *take_places(size_t count)
{
    return calloc(count, sizeof(struct simt_place));
}

static uint64_t address_of(struct module_code *code, const struct variable *variable)
{
    (void)code;
    return ((uint64_t)variable->number + 1) << GLOBAL_SHIFT;
}

bool decode_alone(struct module_code *code, const char *path, const char *text, size_t size,
                  char *error, size_t error_size)
{
    static const struct decode_links links = {
        .variable = address_of, .places = take_places, .first_address = CODE_WINDOW_BASE};

    *code = (struct module_code){.functions = NULL};
    return module_parse(&code->module, path, text, size, error, error_size) &&
           decode_module(code, &links, error, error_size);
}

void decode_alone_free(struct module_code *code)
{
    module_free(&code->module);
    free((void *)(uintptr_t)code->places);
    *code = (struct module_code){.functions = NULL};
}

static char *read_all(FILE *from, size_t *size)
{
    char *text = NULL, block[1 << 16];
    FILE *to = open_memstream(&text, size);
    size_t got;

    while (to != NULL && (got = fread(block, 1, sizeof block, from)) > 0)
        fwrite(block, 1, got, to);
    if (to != NULL)
        fclose(to);
    return text;
}

void decode_undefined(const struct op *call, char *error, size_t error_size)
{
    char file[200], name[80];

    source_path_shorten(call->place->site.file, file, sizeof file);
    source_function(call->call->name, name, sizeof name);
    snprintf(error, error_size, "%s:%d: calls %s(), which no file defines", file,
             call->place->site.line, name);
}

/* Returns the contents of a file, or null with an error. */
static char *read_file(const char *path, size_t *size, char *error, size_t error_size)
{
    FILE *from = fopen(path, "rb");
    char *text = from != NULL ? read_all(from, size) : NULL;

    if (text == NULL)
        snprintf(error, error_size, "cannot read %s: %s", path, strerror(errno));
    if (from != NULL)
        fclose(from);
    return text;
}

/* ---- Linked modules ---- */

/* One of `count` modules. The first one stands for all. */
struct decoded {
    struct module_code code; /* first, for is_defined() */
    char *text;
    const struct decoded *all;
    size_t count;
};

static bool is_defined(const struct module_code *code, const char *name)
{
    const struct decoded *one = (const struct decoded *)(const void *)code;

    for (size_t k = 0; k < one->count; k++) {
        const struct function *function = module_function(&one->all[k].code.module, name);
        if (function != NULL && function->has_body)
            return true;
    }
    return false;
}

static uint64_t linked_address(struct module_code *code, const struct variable *variable)
{
    const struct decoded *one = (const struct decoded *)(void *)code;

    for (size_t k = 0; variable->linkage == LINKAGE_EXTERN && k < one->count; k++) {
        const struct variable *found = module_variable(&one->all[k].code.module, variable->name);
        if (found != NULL && found->linkage != LINKAGE_EXTERN && found->linkage != LINKAGE_LOCAL)
            return address_of(code, variable);
    }
    return variable->linkage == LINKAGE_EXTERN ? 0 : address_of(code, variable);
}

void decode_close(struct decoded *decoded)
{
    size_t count = decoded != NULL ? decoded->count : 0;

    for (size_t k = 0; k < count; k++) {
        decode_alone_free(&decoded[k].code);
        free(decoded[k].text);
    }
    free(decoded);
}

static bool linked_parse(struct decoded *one, const char *path, char *error, size_t error_size)
{
    size_t size = 0;

    one->text = read_file(path, &size, error, error_size);
    return one->text != NULL &&
           module_parse(&one->code.module, path, one->text, size, error, error_size);
}

struct decoded *decode_open(const char *const *paths, size_t count, char *error, size_t error_size)
{
    const struct decode_links links = {.variable = linked_address,
                                       .function = is_defined,
                                       .places = take_places,
                                       .first_address = CODE_WINDOW_BASE};
    struct decoded *all = calloc(count, sizeof *all);
    bool good = all != NULL;

    if (!good)
        snprintf(error, error_size, "out of memory");
    for (size_t k = 0; good && k < count; k++) {
        all[k].all = all;
        all[k].count = count;
    }
    for (size_t k = 0; good && k < count; k++)
        good = linked_parse(&all[k], paths[k], error, error_size);
    for (size_t k = 0; good && k < count; k++)
        good = decode_module(&all[k].code, &links, error, error_size);
    if (good)
        return all;
    decode_close(all);
    return NULL;
}

/* Checks that every called function is defined. */
static bool has_callees(const struct module_code *code, char *error, size_t error_size)
{
    for (size_t f = 0; f < code->module.function_count; f++) {
        const struct function_code *function = &code->functions[f];
        for (uint32_t i = 0; i < function->op_count; i++) {
            const struct op *op = &function->ops[i];
            if (op->kind != OP_CALL || op->call->name == NULL || is_defined(code, op->call->name))
                continue;
            decode_undefined(op, error, error_size);
            return false;
        }
    }
    return true;
}

bool decode_accepts(const struct decoded *decoded, char *error, size_t error_size)
{
    for (size_t k = 0; k < decoded->count; k++)
        if (!has_callees(&decoded[k].code, error, error_size))
            return false;
    return true;
}

/* The driver has printf(), assertions, malloc() and free(). */
static bool driver_has(const struct op *call)
{
    return call->kind != OP_LIBRARY || call->what == LIBRARY_PRINTF ||
           call->what == LIBRARY_ASSERT || call->what == LIBRARY_MALLOC ||
           call->what == LIBRARY_FREE;
}

/* Returns an op that the driver cannot link, or null. */
static const struct op *op_of_simulator(const struct module_code *code)
{
    for (size_t f = 0; f < code->module.function_count; f++)
        for (uint32_t i = 0; i < code->functions[f].op_count; i++)
            if (!driver_has(&code->functions[f].ops[i]))
                return &code->functions[f].ops[i];
    return NULL;
}

bool decode_runs_on_gpu(const struct decoded *decoded, char *error, size_t error_size)
{
    const struct op *lacks = NULL;
    char file[200];

    for (size_t k = 0; k < decoded->count && lacks == NULL; k++) {
        const struct module *module = &decoded[k].code.module;
        for (size_t v = 0; v < module->variable_count; v++)
            if (module->variables[v]->is_opaque) {
                snprintf(error, error_size,
                         "the CUDA runtime cannot set %s, a texture, sampler or "
                         "surface reference",
                         module->variables[v]->name);
                return false;
            }
        lacks = op_of_simulator(&decoded[k].code);
    }
    if (lacks == NULL)
        return true;
    source_path_shorten(lacks->place->site.file, file, sizeof file);
    snprintf(error, error_size, "%s:%d calls %s, which simtcheck does not link", file,
             lacks->place->site.line,
             lacks->what == LIBRARY_DEVICE ? "a function of libdevice"
                                           : "the device runtime, as for a nested launch");
    return false;
}

/* Types of floats, as an opcode ends. */
static const struct {
    const char *type;
    enum element element;
} float_types[] = {{"f32", ELEMENT_F32},   {"f64", ELEMENT_F64},   {"f16", ELEMENT_F16},
                   {"f16x2", ELEMENT_F16}, {"bf16", ELEMENT_BF16}, {"bf16x2", ELEMENT_BF16}};

enum { FLOAT_TYPES = sizeof float_types / sizeof *float_types };

/* Returns the type of the floats that the op adds atomically, or ELEMENT_I32. */
static enum element float_added(const struct op *op)
{
    for (size_t k = 0; op->kind == OP_ATOMIC && k < FLOAT_TYPES; k++)
        if (op->atomic == atomic_operation("add", float_types[k].type))
            return float_types[k].element;
    return ELEMENT_I32;
}

/* Returns the type of the result that the instruction approximates, or ELEMENT_I32. */
static enum element float_approximated(const char *opcode)
{
    const char *type = strrchr(opcode, '.');

    for (size_t k = 0; type != NULL && k < FLOAT_TYPES; k++)
        if ((strstr(opcode, ".approx.") != NULL || strncmp(opcode, "div.full.", 9) == 0) &&
            strcmp(type + 1, float_types[k].type) == 0)
            return float_types[k].element;
    return ELEMENT_I32;
}

/* Returns the op of the function that is at the line of the PTX, or null. */
static const struct op *op_at(const struct function_code *code, uint32_t line)
{
    for (uint32_t i = 0; i < code->op_count; i++)
        if (code->ops[i].place != NULL && code->ops[i].place->line == line)
            return &code->ops[i];
    return NULL;
}

/* Finds an op of the function with an inexact result. */
static const struct op *inexact_op(const struct function_code *code, struct inexact_floats *found)
{
    const struct function *function = code->function;

    *found = (struct inexact_floats){.element = ELEMENT_I32};
    for (uint32_t i = 0; i < code->op_count; i++) {
        found->element = float_added(&code->ops[i]);
        found->are_added = found->element != ELEMENT_I32;
        if (found->are_added)
            return &code->ops[i];
    }
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct instruction *instruction = &function->instructions[i];
        const struct op *op;
        if (instruction->label != NULL)
            continue;
        found->element = float_approximated(instruction->opcode);
        op = found->element != ELEMENT_I32 ? op_at(code, instruction->line) : NULL;
        if (op != NULL)
            return op;
    }
    return NULL;
}

/* Adds what the module has. Atomic sums come first. */
static void add_inexact(const struct module_code *code, struct inexact_floats *found)
{
    struct inexact_floats other;
    char file[200];

    for (size_t f = 0; f < code->module.function_count && !found->are_added; f++) {
        const struct op *op = inexact_op(&code->functions[f], &other);
        if (op == NULL || (found->element != ELEMENT_I32 && !other.are_added))
            continue;
        *found = other;
        source_path_shorten(op->place->site.file, file, sizeof file);
        snprintf(found->place, sizeof found->place, "%s:%d", file, op->place->site.line);
    }
}

struct inexact_floats decode_inexact_floats(const struct decoded *decoded)
{
    struct inexact_floats found = {.element = ELEMENT_I32};

    for (size_t k = 0; k < decoded->count; k++)
        add_inexact(&decoded[k].code, &found);
    return found;
}

/* ---- Lines with accesses ---- */

static int by_line(const void *a, const void *b)
{
    const struct access_line *x = a, *y = b;
    int files = strcmp(x->file, y->file);

    return files != 0 ? files : x->line - y->line;
}

static bool is_group_product(const struct op *op)
{
    return op->kind == OP_COLLECTIVE && op->matrix != NULL &&
           op->matrix->step == STEP_GROUP_MULTIPLY;
}

/* Returns how the op accesses memory that threads share: bits of enum op_memory. */
static unsigned int memory_of(const struct op *op)
{
    unsigned int memory = op_kinds[op->kind].memory;

    if (memory != MEMORY_BY_OP)
        return memory;
    if (op->kind == OP_TEXTURE)
        return op->access == ACCESS_ATOMIC    ? MEMORY_BOTH
               : op->access == ACCESS_TEXTURE ? MEMORY_READS
                                              : MEMORY_WRITES;
    return is_group_product(op) ? MEMORY_READS : MEMORY_NONE;
}

static void add_line(struct access_lines *lines, const char *file, int line, const struct op *op)
{
    struct access_line *added = &lines->all[lines->count++];
    unsigned int memory = memory_of(op);

    *added = (struct access_line){.line = line,
                                  .reads = (memory & MEMORY_READS) != 0,
                                  .writes = (memory & MEMORY_WRITES) != 0};
    source_path_shorten(file, added->file, sizeof added->file);
}

static bool is_access(const struct op *op)
{
    return memory_of(op) != MEMORY_NONE && op->space != SPACE_CONST && op->space != SPACE_LOCAL &&
           op->space != SPACE_PARAM;
}

/* Adds the lines of a function. There is room for two for each op. */
static void add_lines(struct access_lines *lines, const struct function_code *function)
{
    for (uint32_t i = 0; i < function->op_count; i++) {
        const struct op *op = &function->ops[i];
        const struct simt_site *site =
            is_access(op) && op->place->site.file != NULL ? &op->place->site : NULL;
        if (site != NULL)
            add_line(lines, site->file, site->line, op);
        if (site != NULL && site->outer != NULL)
            add_line(lines, site->outer->file, site->outer->line, op);
    }
}

/* Sorts the lines and merges equal ones. */
static void merge_lines(struct access_lines *lines)
{
    size_t kept = 0;

    qsort(lines->all, lines->count, sizeof *lines->all, by_line);
    for (size_t k = 1; k < lines->count; k++) {
        struct access_line *last = &lines->all[kept];
        if (by_line(last, &lines->all[k]) != 0) {
            lines->all[++kept] = lines->all[k];
            continue;
        }
        last->reads = last->reads || lines->all[k].reads;
        last->writes = last->writes || lines->all[k].writes;
    }
    lines->count = lines->count > 0 ? kept + 1 : 0;
}

bool decode_access_lines(const struct decoded *decoded, struct access_lines *lines)
{
    size_t count = 0;

    *lines = (struct access_lines){NULL, 0};
    for (size_t k = 0; k < decoded->count; k++)
        for (size_t f = 0; f < decoded[k].code.module.function_count; f++)
            count += 2 * decoded[k].code.functions[f].op_count;
    lines->all = calloc(count + 1, sizeof *lines->all);
    if (lines->all == NULL)
        return false;
    for (size_t k = 0; k < decoded->count; k++)
        for (size_t f = 0; f < decoded[k].code.module.function_count; f++)
            add_lines(lines, &decoded[k].code.functions[f]);
    merge_lines(lines);
    return true;
}

/* ---- Code with nothing to check ---- */

/* Returns whether the op accesses global or shared memory, is a barrier of threads of different
 * warps, or calls the CUDA runtime. */
static bool is_to_check(const struct op *op)
{
    return is_access(op) || op_kinds[op->kind].synchronizes ||
           (op->kind == OP_LIBRARY && op->what != LIBRARY_DEVICE);
}

/* Returns whether no op of the functions that are no kernels, or of that kernel, is to be checked.
 */
static bool has_nothing_to_check(const struct module_code *code, const struct function *kernel)
{
    for (size_t f = 0; f < code->module.function_count; f++) {
        const struct function_code *function = &code->functions[f];
        for (uint32_t i = 0; i < function->op_count; i++)
            if ((!function->function->is_entry || function->function == kernel) &&
                is_to_check(&function->ops[i]))
                return false;
    }
    return kernel != NULL;
}

bool decode_is_idle(const struct decoded *decoded, const char *const *kernels, size_t count)
{
    bool is_idle = true;

    for (size_t k = 0; is_idle && k < count; k++) {
        const struct function *kernel = module_function(&decoded->code.module, kernels[k]);
        is_idle = has_nothing_to_check(&decoded->code, kernel);
    }
    return is_idle;
}

uint64_t decode_static_shared(const struct decoded *decoded, const char *kernel)
{
    const struct function *function = module_function(&decoded->code.module, kernel);

    return function != NULL ? function->shared_bytes : 0;
}
