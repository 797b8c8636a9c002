/* SPDX-License-Identifier: MIT
 *
 * The module as C: functions first, into memory, for what they use decides what is declared.
 */
#include "emit.h"

#include "layout.h"
#include "simt_ptx.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- Places ---- */

char *emit_place(struct emitter *emitter)
{
    struct emitted_place *last =
        emitter->place_count > 0 ? &emitter->places[emitter->place_count - 1] : NULL;

    if (last == NULL || last->line != emitter->instruction->line) {
        emitter->places =
            arena_more(emitter->module->arena, emitter->places, emitter->place_count, sizeof *last);
        emitter->places[emitter->place_count++] =
            (struct emitted_place){emitter->instruction->location, emitter->instruction->line};
    }
    return emit_text(emitter, "(places + %zu)", emitter->place_count - 1);
}

static const char *file_of(const struct module *module, const struct location *location)
{
    const char *file = location != NULL && location->file < module->file_count
                           ? module->files[location->file]
                           : NULL;
    return file != NULL ? file : "";
}

/* A header of the toolkit's or of the dialect's: what a kernel calls there is told as the kernel's
 * own line. */
static bool is_library(const char *file)
{
    static const char dialect[] = "/dialect.h";
    size_t length = strlen(file);

    return strstr(file, "/include/") != NULL ||
           (length >= sizeof dialect - 1 &&
            strcmp(file + length - (sizeof dialect - 1), dialect) == 0);
}

static const struct location *shown_location(const struct module *module,
                                             const struct location *location)
{
    const struct location *shown = location;

    while (shown != NULL && (is_library(file_of(module, shown)) || shown->line == 0))
        shown = shown->inlined_at;
    return shown != NULL ? shown : location;
}

static void write_string(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\' || !isprint((unsigned char)*text))
            fprintf(to, "\\%03o", (unsigned char)*text);
        else
            fputc(*text, to);
    fputc('"', to);
}

static void write_site(FILE *to, const struct module *module, const struct location *location,
                       uint32_t line)
{
    const struct location *shown = shown_location(module, location), *outer = NULL;

    if (shown == NULL) {
        fprintf(to, "{");
        write_string(to, module->path);
        fprintf(to, ", %u, 0, 0}", line);
        return;
    }
    outer = shown->inlined_at;
    fprintf(to, "{");
    write_string(to, file_of(module, shown));
    fprintf(to, ", %u, ", shown->line);
    if (outer == NULL)
        fprintf(to, "0, 0}");
    else {
        write_string(to, file_of(module, outer));
        fprintf(to, ", %u}", outer->line);
    }
}

/* ---- Functions ---- */

/* The class of an instruction, as in enum simt_class, by where the PTX ISA has it. */
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
        {"9.7.19.", SIMT_CONTROL},
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

/* Tells of the basic block that begins with instruction `first`. */
static void emit_block(struct emitter *emitter, size_t first)
{
    const struct function *function = emitter->function;
    unsigned int counts[SIMT_CLASSES] = {0};

    for (size_t i = first; i < function->instruction_count &&
                           function->instructions[i].block == function->instructions[first].block;
         i++)
        if (function->instructions[i].label == NULL)
            counts[class_of(&function->instructions[i])]++;
    emit(emitter, "if (__builtin_expect(simt_counting, 0)) { static const uint16_t n[] = {");
    for (int k = 0; k < SIMT_CLASSES; k++)
        emit(emitter, "%u, ", counts[k] < UINT16_MAX ? counts[k] : UINT16_MAX);
    emit(emitter, "}; simt_enter_block(%s, n); }\n", emit_place(emitter));
}

static void emit_instruction(struct emitter *emitter)
{
    const struct instruction *instruction = emitter->instruction;
    const char *meaning = instruction->match.form->meaning;

    if (instruction->match.form == &unsupported_form)
        arena_fail(emitter->module->arena, emitter->module->path, instruction->line,
                   "`%.80s`, sm_%u, is not supported", instruction->opcode,
                   emitter->module->target);
    if (instruction->guard != NULL && strcmp(meaning, "@bra") == 0)
        emit(emitter, "if (__builtin_expect(simt_counting, 0)) simt_branch(%sr%u); ",
             instruction->guard_negated ? "!" : "", instruction->guard->number);
    if (instruction->guard != NULL)
        emit(emitter, "if (%sr%u) { ", instruction->guard_negated ? "!" : "",
             instruction->guard->number);
    if (*meaning != '@')
        emit_meaning(emitter);
    else if (strncmp(meaning, "@set", 4) == 0)
        emit_setp(emitter, meaning);
    else if (!emit_memory(emitter, meaning) && !emit_control(emitter, meaning))
        emit_fail(emitter, "has no emitter");
    if (instruction->guard != NULL)
        emit(emitter, " }");
    emit(emitter, "\n");
}

static void emit_head(const struct emitter *emitter, const struct function *function)
{
    if (function->is_entry) {
        emit(emitter, "void %s(void *const *arguments)", emit_name(emitter, function->name));
        return;
    }
    emit(emitter, "%sbool %s(", function->linkage == LINKAGE_LOCAL ? "static " : "",
         emit_name(emitter, function->name));
    for (size_t r = 0; r < function->result_count; r++)
        emit(emitter, "%suint8_t *p%u", r > 0 ? ", " : "", function->results[r]->number);
    for (size_t p = 0; p < function->parameter_count; p++)
        emit(emitter, "%suint8_t *p%u", p + function->result_count > 0 ? ", " : "",
             function->parameters[p]->number);
    emit(emitter, "%s)", function->parameter_count + function->result_count == 0 ? "void" : "");
}

static bool uses_carry(const struct function *function)
{
    for (size_t i = 0; i < function->instruction_count; i++)
        if (function->instructions[i].label == NULL &&
            strstr(function->instructions[i].match.form->meaning, "cc") != NULL)
            return true;
    return false;
}

static void emit_declarations(const struct emitter *emitter, const struct function *function)
{
    for (size_t r = 0; r < function->register_count; r++)
        emit(emitter, "%s r%u = 0;\n", emit_storage(function->registers[r]->type),
             function->registers[r]->number);
    for (size_t p = 0; function->is_entry && p < function->parameter_count; p++)
        emit(emitter, "uint8_t *const p%u = arguments[%zu]; (void)p%u;\n",
             function->parameters[p]->number, p, function->parameters[p]->number);
    for (size_t v = 0; v < function->variable_count; v++) {
        const struct variable *variable = function->variables[v];
        if (variable->space == SPACE_LOCAL || variable->space == SPACE_PARAM)
            emit(emitter,
                 "uint8_t %c%u[%" PRIu64 "] __attribute__((aligned(%" PRIu64 "))); (void)%c%u;\n",
                 variable->space == SPACE_LOCAL ? 'l' : 'p', variable->number, variable->bytes,
                 variable->alignment < 8 ? 8 : variable->alignment,
                 variable->space == SPACE_LOCAL ? 'l' : 'p', variable->number);
    }
    if (emitter->has_child)
        emit(emitter, "struct simt_child child;\n");
    emit_frame(emitter);
    if (uses_carry(function))
        emit(emitter, "uint32_t cc = 0; (void)cc;\n");
}

static void emit_line(const struct emitter *emitter, const struct location **last)
{
    const struct location *shown = shown_location(emitter->module, emitter->instruction->location);

    if (shown == NULL || shown == *last || shown->line == 0 || shown->line > INT32_MAX)
        return;
    *last = shown;
    emit(emitter, "#line %u ", shown->line);
    write_string(emitter->to, file_of(emitter->module, shown));
    emit(emitter, "\n");
}

static void emit_function(struct emitter *emitter, struct function *function)
{
    FILE *outer = emitter->to;
    const struct location *last = NULL;
    uint32_t block = UINT32_MAX;

    emitter->function = function;
    emitter->has_child = false;
    emitter->to = arena_stream(emitter->module->arena);
    for (size_t i = 0; i < function->instruction_count; i++) {
        emitter->instruction = &function->instructions[i];
        if (emitter->instruction->label != NULL) {
            emit(emitter, "L%zu:;\n", i);
            continue;
        }
        emit_line(emitter, &last);
        if (emitter->instruction->block != block)
            emit_block(emitter, i);
        block = emitter->instruction->block;
        emit_instruction(emitter);
    }
    emit_leave(emitter, false);
    emitter->to = outer;
    emit(emitter, "\n");
    emit_head(emitter, function);
    emit(emitter, "\n{\n");
    emit_declarations(emitter, function);
    arena_pour(emitter->module->arena, outer);
    emit(emitter, "\n}\n");
}

/* ---- The module ---- */

/* Where the registers that only a cooperative launch sets lead: the toolkit's grid_group has its
 * barrier there. */
static bool uses_workspace(const struct function *function)
{
    for (size_t i = 0; function->is_wanted && i < function->instruction_count; i++)
        for (size_t o = 0; o < function->instructions[i].operand_count; o++) {
            const struct operand *operand = &function->instructions[i].operands[o];
            if (operand->kind == OPERAND_SPECIAL && strncmp(operand->name, "%envreg", 7) == 0)
                return true;
        }
    return false;
}

static bool has_workspace(const struct module *module)
{
    for (size_t f = 0; f < module->function_count; f++)
        if (uses_workspace(module->functions[f]))
            return true;
    return false;
}

static bool is_placed(const struct variable *variable)
{
    return (variable->space == SPACE_GLOBAL || variable->space == SPACE_CONST) &&
           variable->linkage != LINKAGE_EXTERN && !layout_is_name(variable);
}

static char *holder(const struct emitter *emitter, const struct variable *variable)
{
    return variable->linkage == LINKAGE_LOCAL ? emit_text(emitter, "v%u", variable->number)
                                              : emit_name(emitter, variable->name);
}

static void declare_all(const struct emitter *emitter)
{
    const struct module *module = emitter->module;

    if (has_workspace(module))
        emit(emitter, "static uint64_t grid_workspace;\n");
    for (size_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = module->variables[v];
        if (variable->space != SPACE_GLOBAL && variable->space != SPACE_CONST)
            continue;
        emit(emitter, "%suint64_t %s;\n",
             variable->linkage == LINKAGE_LOCAL    ? "static "
             : variable->linkage == LINKAGE_EXTERN ? "extern "
             : variable->linkage == LINKAGE_WEAK   ? "__attribute__((weak)) "
                                                   : "",
             holder(emitter, variable));
    }
    for (size_t f = 0; f < module->function_count; f++) {
        const struct function *function = module->functions[f];
        if (!emit_declares(function) || !function->is_wanted)
            continue;
        if (function->linkage == LINKAGE_WEAK)
            emit(emitter, "__attribute__((weak)) ");
        emit_head(emitter, function);
        emit(emitter, ";\n");
    }
}

static void emit_relocations(struct emitter *emitter, const struct variable *variable)
{
    const struct module *module = emitter->module;

    emit(emitter, "static const struct simt_relocation relocations_%u[] = {\n", variable->number);
    for (size_t r = 0; r < variable->relocation_count; r++) {
        const struct relocation *relocation = &variable->relocations[r];
        const struct variable *target = module_variable(module, relocation->symbol);
        const struct function *function = module_function(module, relocation->symbol);
        if (target != NULL && (target->space == SPACE_GLOBAL || target->space == SPACE_CONST))
            emit(emitter, "{%" PRIu64 ", &%s, 0, %" PRId64 "},\n", relocation->at,
                 holder(emitter, target), relocation->addend);
        else if (function != NULL && emit_declares(function) && relocation->addend == 0)
            emit(emitter, "{%" PRIu64 ", 0, (void (*)(void))%s, 0},\n", relocation->at,
                 emit_name(emitter, function->name));
        else
            arena_fail(module->arena, module->path, relocation->line,
                       "the initial value `%.60s` is the address of nothing that is supported",
                       relocation->symbol);
    }
    emit(emitter, "};\n");
}

static void emit_variables(struct emitter *emitter, uint32_t *count)
{
    const struct module *module = emitter->module;

    *count = 0;
    for (size_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = module->variables[v];
        if (!is_placed(variable))
            continue;
        if (variable->relocation_count > 0)
            emit_relocations(emitter, variable);
        if (variable->initial == NULL)
            continue;
        emit(emitter, "static const uint8_t initial_%u[%" PRIu64 "] = {", variable->number,
             variable->bytes);
        for (uint64_t i = 0; i < variable->given; i++)
            emit(emitter, "%u,", variable->initial[i]);
        emit(emitter, "};\n");
    }
    emit(emitter, "static const struct simt_variable variables[] = {\n");
    for (size_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = module->variables[v];
        if (!is_placed(variable))
            continue;
        emit(emitter, "{\"%s\", &%s, %" PRIu64 ", %" PRIu64 ", %u, ", variable->name,
             holder(emitter, variable), variable->bytes, variable->alignment,
             variable->type->bytes);
        if (variable->initial != NULL)
            emit(emitter, "initial_%u, ", variable->number);
        else
            emit(emitter, "0, ");
        emit(emitter, "%s, ", variable->space == SPACE_CONST ? "true" : "false");
        if (variable->relocation_count > 0)
            emit(emitter, "relocations_%u, %zu},\n", variable->number, variable->relocation_count);
        else
            emit(emitter, "0, 0},\n");
        (*count)++;
    }
    if (has_workspace(module)) {
        emit(emitter,
             "{\"the workspace of the grid\", &grid_workspace, 8, 8, 4, 0, false, 0, 0},\n");
        (*count)++;
    }
    emit(emitter, "{0}};\n");
}

/* Where each parameter lies in the buffer of a nested launch: each at its alignment. */
static void emit_parameters(const struct emitter *emitter, const struct function *function,
                            size_t f)
{
    uint64_t offset = 0;

    emit(emitter, "static const uint32_t parameter_bytes_%zu[] = {", f);
    for (size_t p = 0; p < function->parameter_count; p++)
        emit(emitter, "%" PRIu64 ", ", function->parameters[p]->bytes);
    emit(emitter, "0};\nstatic const uint32_t parameter_offsets_%zu[] = {", f);
    for (size_t p = 0; p < function->parameter_count; p++) {
        const struct variable *parameter = function->parameters[p];
        offset = (offset + parameter->alignment - 1) / parameter->alignment * parameter->alignment;
        emit(emitter, "%" PRIu64 ", ", offset);
        offset += parameter->bytes;
    }
    emit(emitter, "0};\n");
}

static void emit_shared(const struct emitter *emitter, const struct function *function, size_t f)
{
    emit(emitter, "static const struct simt_shared shared_%zu[] = {\n", f);
    for (size_t v = 0; v < function->shared_count; v++) {
        const struct variable *variable = function->shared[v];
        emit(emitter, "{\"%s\", %" PRIu64 ", %" PRIu64 "},\n", variable->name, variable->offset,
             variable->bytes);
    }
    emit(emitter, "{0}};\n");
}

static void emit_kernel(const struct emitter *emitter, const char *name,
                        const struct function *entry, size_t number)
{
    emit(emitter,
         "static const struct simt_kernel kernel_%zu = {\"%s\", (const void *)%s, "
         "simt_call_entry};\n"
         "__attribute__((section(\"simt_kernels\"), used)) static const struct simt_kernel *const "
         "exported_%zu = &kernel_%zu;\n",
         number, name, emit_name(emitter, entry->name), number, number);
}

/* Does it declare a function of the runtime whose name ends so? */
static bool names_any(const struct module *module, const char *end)
{
    for (size_t f = 0; f < module->function_count; f++) {
        const char *name = module->functions[f]->name;
        size_t length = strlen(name), tail = strlen(end);
        if (!module->functions[f]->has_body && module->functions[f]->is_wanted && length >= tail &&
            strcmp(name + length - tail, end) == 0)
            return true;
    }
    return false;
}

static bool is_entered(const struct function *function)
{
    return function->is_entry && function->has_body && function->is_wanted;
}

static void emit_entries(struct emitter *emitter, uint32_t variable_count)
{
    const struct module *module = emitter->module;
    uint32_t count = 0;
    bool links = false;

    for (size_t f = 0; f < module->function_count; f++) {
        if (!is_entered(module->functions[f]))
            continue;
        emit_parameters(emitter, module->functions[f], f);
        emit_shared(emitter, module->functions[f], f);
    }
    emit(emitter, "static const struct simt_entry entries[] = {\n");
    for (size_t f = 0; f < module->function_count; f++) {
        const struct function *function = module->functions[f];
        if (!is_entered(function))
            continue;
        emit(emitter,
             "{(void (*)(void))%s, shared_%zu, %zu, %" PRIu64
             ", parameter_bytes_%zu, parameter_offsets_%zu, %zu, {%u, %u, %u}, %u},\n",
             emit_name(emitter, function->name), f, function->shared_count, function->shared_bytes,
             f, f, function->parameter_count, function->threads[0], function->threads[1],
             function->threads[2], function->most_threads);
        count++;
    }
    emit(emitter, "{0}};\n");
    for (size_t v = 0; v < module->variable_count; v++) {
        struct function *entry = layout_named_entry(module, module->variables[v]);
        links = links || module->variables[v]->linkage == LINKAGE_EXTERN;
        if (entry == NULL)
            continue;
        emit_kernel(emitter, layout_name(module->variables[v]), entry, v);
        entry->is_named = true;
    }
    for (size_t f = 0; f < module->function_count; f++)
        if (is_entered(module->functions[f]) && !module->functions[f]->is_named)
            emit_kernel(emitter, module->functions[f]->name, module->functions[f],
                        module->variable_count + f);
    emit(emitter, "static const struct simt_module module = {");
    write_string(emitter->to, module->path);
    emit(emitter, ", variables, %u, entries, %u, %s, %s, %s};\n", variable_count, count,
         links ? "true" : "false", names_any(module, "LaunchDeviceV2") ? "true" : "false",
         names_any(module, "cudaDeviceSynchronize") ||
                 names_any(module, "DeviceSynchronizeDeprecationAvoidance")
             ? "true"
             : "false");
    emit(emitter,
         "__attribute__((section(\"simt_modules\"), used)) static const struct simt_module "
         "*const entered_module = &module;\n");
}

static void emit_all(struct emitter *emitter)
{
    struct module *module = emitter->module;
    FILE *outer = emitter->to;
    uint32_t variables;

    emitter->to = arena_stream(module->arena);
    for (size_t f = 0; f < module->function_count; f++)
        if (module->functions[f]->has_body && module->functions[f]->is_wanted)
            emit_function(emitter, module->functions[f]);
    emitter->to = outer;
    emit(emitter, "/* Translated from PTX %u.%u for sm_%u. */\n#include \"run.h\"\n\n",
         module->version / 10, module->version % 10, module->target);
    declare_all(emitter);
    emit(emitter, "SIMT_PLACES static const struct simt_place places[] = {\n");
    for (size_t p = 0; p < emitter->place_count; p++) {
        emit(emitter, "{");
        write_site(outer, module, emitter->places[p].location, emitter->places[p].line);
        emit(emitter, ", %u},\n", emitter->places[p].line);
    }
    emit(emitter, "{{0}, 0}};\n");
    arena_pour(module->arena, outer);
    emit(emitter, "\n");
    emit_variables(emitter, &variables);
    emit_entries(emitter, variables);
}

bool module_emit(struct module *module, FILE *to, char *error, size_t error_size)
{
    struct emitter *emitter;

    module->arena->error = error;
    module->arena->error_size = error_size;
    if (setjmp(module->arena->out) != 0)
        return false;
    emitter = arena_take(module->arena, 1, sizeof *emitter);
    emitter->module = module;
    emitter->to = to;
    layout_module(module);
    emit_all(emitter);
    return true;
}
