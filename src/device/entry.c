/* SPDX-License-Identifier: MIT */
#include "entry.h"

#include "build.h"
#include "entry_variable.h"
#include "error_report.h"
#include "module.h"
#include "near_name.h"
#include "reader.h"
#include "whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the C++ ABI. The caller frees the result; null: the symbol is not C++. */
char *__cxa_demangle(const char *symbol, char *buffer, size_t *size, int *status);

bool entries_open(const char *ptx, struct entries *entries, char *error, size_t error_size)
{
    size_t size = 0;

    *entries = (struct entries){.text = read_whole_file(ptx, &size),
                                .module = calloc(1, sizeof *entries->module)};
    if (entries->text == NULL || entries->module == NULL) {
        snprintf(error, error_size, "cannot read %s: %s", ptx, strerror(errno));
        return false;
    }
    entries->text[size] = '\0';
    return module_parse(entries->module, ptx, entries->text, size, error, error_size);
}

void entries_free(struct entries *entries)
{
    if (entries->module != NULL)
        module_free(entries->module);
    free(entries->module);
    free(entries->text);
    *entries = (struct entries){.text = NULL};
}

static bool describe(const struct function *function, struct entry *entry, char *error,
                     size_t error_size)
{
    if (function == NULL || !function->is_entry)
        return error_write(error, error_size, "the PTX has no such kernel");
    if (function->parameter_count > MAX_PARAMETERS)
        return error_write(error, error_size, "the kernel takes more than %d arguments",
                           MAX_PARAMETERS);
    entry->parameter_count = function->parameter_count;
    for (size_t p = 0; p < entry->parameter_count; p++) {
        entry->parameters[p].bytes = function->parameters[p]->bytes;
        entry->parameters[p].is_float = function->parameters[p]->type->kind == 'f';
    }
    return true;
}

bool entries_kernel(const struct entries *entries, const char *name, struct entry *entry,
                    char *error, size_t error_size)
{
    entry->symbol = entries_symbol(entries, name);
    return describe(entry->symbol != NULL ? module_function(entries->module, entry->symbol) : NULL,
                    entry, error, error_size);
}

const char *entry_name_in_cxx(const char *symbol)
{
    int status;
    char *found = __cxa_demangle(symbol, NULL, NULL, &status);
    const char *name = found != NULL ? found : symbol;

    name = kept_text(name, strlen(name));
    free(found);
    return name;
}

/* Returns whether a launch that names `name` means the kernel "void ns::scale<float>(float*, int)":
 * a part of it that begins after "::" or a blank, and ends before '<', '(' or its end. */
static bool is_named(const char *kernel, const char *name)
{
    size_t length = strlen(name);

    for (const char *found = kernel; (found = strstr(found, name)) != NULL; found++)
        if ((found == kernel || found[-1] == ' ' || found[-1] == ':') &&
            strchr("<(", found[length]) != NULL)
            return true;
    return false;
}

bool entries_kernel_of_ptx(const struct entries *entries, const char *name, struct entry *entry,
                           char *error, size_t error_size)
{
    const struct module *module = entries->module;
    const struct function *found = NULL;
    struct near_name near = {.word = name};
    char kernels[1024] = "";
    size_t count = 0, used = 0;

    for (size_t f = 0; f < module->function_count; f++) {
        const struct function *function = module->functions[f];
        bool is_symbol = function->is_entry && strcmp(function->name, name) == 0;
        const char *cxx;
        if (!function->is_entry)
            continue;
        cxx = entry_name_in_cxx(function->name);
        if (used < sizeof kernels)
            used += (size_t)snprintf(kernels + used, sizeof kernels - used, "\n    %s", cxx);
        if (!is_symbol && !is_named(cxx, name)) {
            near_name_offer(&near, kept_text(cxx, strcspn(cxx, "<(")));
            continue;
        }
        found = function;
        count = is_symbol ? 1 : count + 1;
        if (is_symbol)
            break;
    }
    if (count != 1)
        return error_write(error, error_size, "the PTX has %s kernel of that name%s It has:%s",
                           count == 0 ? "no" : "more than one",
                           count == 0 && near.text[0] != '\0' ? near.text : ".", kernels);
    entry->symbol = kept_text(found->name, strlen(found->name));
    return describe(found, entry, error, error_size);
}

/* Writes the parameters of a kernel without a name in C++. */
static void guess_parameters(const struct function *kernel, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "(");

    for (size_t p = 0; p < kernel->parameter_count && used < size; p++) {
        bool is_wide = kernel->parameters[p]->bytes == 8,
             is_float = kernel->parameters[p]->type->kind == 'f';
        used += (size_t)snprintf(text + used, size - used, "%s%s", p > 0 ? ", " : "",
                                 is_float  ? is_wide ? "double" : "float"
                                 : is_wide ? "int *"
                                           : "int");
    }
    if (used < size)
        snprintf(text + used, size - used, ")");
}

/* Returns where the parameters of "void scale<int (*)(int)>(float*)" begin. */
static const char *parameters_of(const char *name)
{
    const char *at = name + strlen(name);
    int depth = 0;

    while (at > name) {
        depth += *--at == ')';
        depth -= *at == '(';
        if (depth == 0)
            break;
    }
    return at;
}

char *entries_declare(const struct entries *entries, size_t k)
{
    const struct module *module = entries->module;
    char guess[2048], *text;

    for (size_t f = 0; f < module->function_count; f++) {
        const struct function *function = module->functions[f];
        const char *cxx;
        if (!function->is_entry || k-- > 0)
            continue;
        cxx = entry_name_in_cxx(function->name);
        guess_parameters(function, guess, sizeof guess);
        return asprintf(&text, "__global__ void %s%s {}", function->name,
                        strchr(cxx, '(') != NULL ? parameters_of(cxx) : guess) > 0
                   ? text
                   : NULL;
    }
    return NULL;
}

bool entries_size(const struct entries *entries, const char *symbol, uint64_t *bytes)
{
    const struct module *module = entries->module;

    for (size_t v = 0; v < module->variable_count; v++)
        if (strcmp(module->variables[v]->name, symbol) == 0) {
            *bytes = module->variables[v]->bytes;
            return true;
        }
    return false;
}

const char *entries_variable(const struct entries *entries, const char *name, uint64_t *bytes)
{
    const char *symbol = entries_symbol(entries, name);

    if (symbol == NULL) /* the user's PTX names variables themselves */
        symbol = kept_text(name, strlen(name));
    return entries_size(entries, symbol, bytes) ? symbol : NULL;
}

bool entries_contents(const struct entries *entries, const char *name, void *contents,
                      uint64_t bytes)
{
    const struct module *module = entries->module;

    for (size_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = module->variables[v];
        const char *own = entry_variable_name(variable->name);
        if (own == NULL || strcmp(own, name) != 0 || variable->bytes != bytes)
            continue;
        memset(contents, 0, bytes);
        if (variable->initial != NULL)
            memcpy(contents, variable->initial, variable->given < bytes ? variable->given : bytes);
        return true;
    }
    return false;
}

bool entries_has_kernel(const struct entries *entries, const char *symbol)
{
    const struct function *function = module_function(entries->module, symbol);

    return function != NULL && function->is_entry;
}

bool entries_is_of(const struct entries *entries, const char *name, const char *symbol)
{
    struct entry_variable found = {.symbol = entries->text};

    while (entry_variable_next(found.symbol, &found))
        if (strncmp(found.name, name, strlen(name)) == 0 && entry_variable_holds(&found, symbol))
            return true;
    return false;
}

bool entries_are_of(const struct entries *entries, const char *name, const struct entries *other)
{
    struct entry_variable found = {.symbol = entries->text};
    struct entry_variable its;
    char own[128];

    while (entry_variable_next(found.symbol, &found)) {
        if (strncmp(found.name, name, strlen(name)) != 0)
            continue;
        snprintf(own, sizeof own, "%.*s", found.name_length, found.name);
        if (!entry_variable_find(other->text, own, &its) ||
            its.symbol_length != found.symbol_length ||
            strncmp(its.symbol, found.symbol, (size_t)its.symbol_length) != 0)
            return false;
    }
    return true;
}

const char *entries_symbol(const struct entries *entries, const char *name)
{
    struct entry_variable found;

    return entry_variable_find(entries->text, name, &found)
               ? kept_text(found.symbol, (size_t)found.symbol_length)
               : NULL;
}

static bool operand_names(const struct operand *operand, const struct variable *variable)
{
    bool names = operand->variable == variable;

    for (size_t p = 0; p < operand->part_count && !names; p++)
        names = operand_names(&operand->parts[p], variable);
    return names;
}

/* Returns true if a function or an initial value names the variable. Library headers define dozens
 * that nothing names. */
static bool is_used(const struct module *module, const struct variable *variable)
{
    for (size_t v = 0; v < module->variable_count; v++)
        for (size_t r = 0; r < module->variables[v]->relocation_count; r++)
            if (strcmp(module->variables[v]->relocations[r].symbol, variable->name) == 0)
                return true;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f]->instruction_count; i++)
            for (size_t o = 0; o < module->functions[f]->instructions[i].operand_count; o++)
                if (operand_names(&module->functions[f]->instructions[i].operands[o], variable))
                    return true;
    return false;
}

/* Returns true for variables that the front end generates: our entries, and strings, such as those
 * of assert(). */
static bool is_made(const char *name)
{
    static const char *const starts[] = {ENTRY_VARIABLE, "simt_given_", "$str",
                                         "__unnamed_", /* nvcc */
                                         "_$_str",       "__const_$_",  "__PRETTY_FUNCTION__",
                                         "__func__",     "__FUNCTION__" /* clang */};

    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
        if (strncmp(name, starts[s], strlen(starts[s])) == 0)
            return true;
    return false;
}

const char *entries_state(const struct entries *entries, size_t k, uint64_t *bytes)
{
    const struct module *module = entries->module;

    for (size_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = module->variables[v];
        if (variable->space != SPACE_GLOBAL || variable->linkage == LINKAGE_EXTERN ||
            variable->owner != NULL || is_made(variable->name) || !is_used(module, variable) ||
            k-- > 0)
            continue;
        *bytes = variable->bytes;
        return variable->name;
    }
    return NULL;
}

static const struct variable *variable_like(const struct module *module,
                                            const struct variable *variable)
{
    for (size_t v = 0; v < module->variable_count; v++)
        if (module->variables[v]->owner == NULL &&
            strcmp(module->variables[v]->name, variable->name) == 0)
            return module->variables[v];
    return NULL;
}

/* Returns the k-th byte of its initial value; a byte that is not given is 0. */
static uint8_t initial_byte(const struct variable *variable, uint64_t k)
{
    return variable->initial != NULL && k < variable->given ? variable->initial[k] : 0;
}

static bool is_same_variable(const struct variable *a, const struct variable *b)
{
    if (b == NULL || a->space != b->space || a->bytes != b->bytes ||
        a->relocation_count != b->relocation_count)
        return false;
    for (uint64_t k = 0; k < a->given || k < b->given; k++)
        if (initial_byte(a, k) != initial_byte(b, k))
            return false;
    for (size_t r = 0; r < a->relocation_count; r++)
        if (a->relocations[r].at != b->relocations[r].at ||
            a->relocations[r].addend != b->relocations[r].addend ||
            strcmp(a->relocations[r].symbol, b->relocations[r].symbol) != 0)
            return false;
    return true;
}

static bool has_variables_of(const struct module *module, const struct module *other)
{
    for (size_t v = 0; v < other->variable_count; v++)
        if (other->variables[v]->owner == NULL &&
            entry_variable_name(other->variables[v]->name) == NULL &&
            !is_same_variable(other->variables[v], variable_like(module, other->variables[v])))
            return false;
    return true;
}

bool entries_same_variables(const struct entries *a, const struct entries *b)
{
    return has_variables_of(a->module, b->module) && has_variables_of(b->module, a->module);
}
