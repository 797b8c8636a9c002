/* SPDX-License-Identifier: MIT */
#include "modules.h"

#include "arrays.h"
#include "embedded.h"
#include "frames.h"
#include "grids.h"
#include "places.h"

#include "entry_variable.h"
#include "kernel.h"
#include "launches.h"
#include "layout.h"
#include "points.h"
#include "whole_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Variables have the first arrays, in the order in which the modules define them. */
struct placed {
    const char *name;
    const struct variable *variable;
    struct module_code *module;
    uint64_t address;
};

struct launch_module {
    struct module_code **modules;
    size_t count;
    struct placed *variables;
    size_t variable_count;
    uint32_t first_array; /* the number of the first variable's array */
    uint32_t array_count; /* variables but the shared ones */
    struct named_kernel {
        const char *name;
        const struct function_code *function;
    } * kernels;
    size_t kernel_count;
    bool is_unloaded; /* no name of it is found any more, but reports may use its names */
    struct launch_module *next;
};

/* The engine's own modules, which are always first in the list of all. */
static struct launch_module own;
static uint64_t next_address = CODE_WINDOW_BASE; /* of a function */

/* ---- Variables ---- */

static struct placed *find_placed(const struct launch_module *set, const char *name)
{
    for (size_t v = 0; v < set->variable_count; v++)
        if (set->variables[v].variable->linkage != LINKAGE_LOCAL &&
            strcmp(set->variables[v].name, name) == 0)
            return &set->variables[v];
    return NULL;
}

bool modules_is_placed(const struct variable *variable)
{
    return (variable->space == SPACE_GLOBAL || variable->space == SPACE_CONST) &&
           variable->linkage != LINKAGE_EXTERN && entry_variable_name(variable->name) == NULL;
}

/* Returns whether the host accesses the variable, too. The engine's own modules have none: each run
 * places their variables anew. */
static bool is_shared(const struct launch_module *set, const struct variable *variable)
{
    return set != &own && variable->is_managed;
}

/* Returns memory of the host for a shared variable, on pages of its own, or 0. */
static uint64_t take_pages(const struct variable *variable)
{
    void *pages =
        mmap(NULL, variable->bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return pages != MAP_FAILED ? (uintptr_t)pages : 0;
}

static bool place_module_variables(struct module_code *code)
{
    const struct module *module = &code->module;
    struct launch_module *set = code->set;

    for (size_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = module->variables[v];
        struct placed *grown;
        if (!modules_is_placed(variable) ||
            (variable->linkage != LINKAGE_LOCAL && find_placed(set, variable->name) != NULL))
            continue;
        grown = realloc(set->variables, (set->variable_count + 1) * sizeof *grown);
        if (grown == NULL)
            return false;
        set->variables = grown;
        grown[set->variable_count] = (struct placed){
            variable->name, variable, code,
            is_shared(set, variable) ? take_pages(variable)
                                     : arrays_address(set->first_array + set->array_count)};
        set->array_count += !is_shared(set, variable);
        set->variable_count++;
    }
    return true;
}

static uint64_t variable_address(struct module_code *code, const struct variable *variable)
{
    const struct launch_module *set = code->set;
    const struct placed *placed;

    if (variable->linkage == LINKAGE_LOCAL) {
        for (size_t v = 0; v < set->variable_count; v++)
            if (set->variables[v].variable == variable)
                return set->variables[v].address;
        return 0;
    }
    placed = find_placed(set, variable->name);
    return placed != NULL ? placed->address : 0;
}

static uint64_t symbol_address(const struct module_code *code, const char *symbol)
{
    const struct variable *variable = module_variable(&code->module, symbol);
    const struct function *function = module_function(&code->module, symbol);

    if (variable != NULL)
        return variable_address((struct module_code *)(uintptr_t)code, variable);
    return function != NULL ? code->functions[function->number].address : 0;
}

static void write_initial(const struct placed *placed, struct region *region)
{
    const struct variable *variable = placed->variable;

    memset(region->host, 0, region->bytes);
    if (variable->initial != NULL)
        memcpy(region->host, variable->initial, variable->given);
    for (size_t r = 0; r < variable->relocation_count; r++) {
        const struct relocation *relocation = &variable->relocations[r];
        uint64_t value =
            (symbol_address(placed->module, relocation->symbol) + (uint64_t)relocation->addend) >>
            relocation->shift;
        memcpy(region->host + relocation->at, &value, relocation->bytes);
    }
}

uint64_t modules_workspace(uint32_t k)
{
    return arrays_address((uint32_t)own.variable_count) + 8 * (uint64_t)k;
}

void modules_clear_workspaces(void)
{
    const struct region *region = arrays_find(modules_workspace(0));

    memset(region->host, 0, region->bytes);
}

/* cooperative_groups: the barrier is the second word. */
static bool place_workspace(void)
{
    struct region *region = arrays_add("the grid workspace", HOST_GRIDS, 8);

    if (region == NULL)
        return false;
    memset(region->written, 1, region->bytes);
    region->missing = 0;
    modules_clear_workspaces();
    return true;
}

/* Returns the array of a variable, or null if there is no room. */
static struct region *add_array(const struct launch_module *set, const struct placed *placed)
{
    const struct variable *variable = placed->variable;
    uint32_t element = variable->element != 0 ? (uint32_t)variable->element : 1;
    uint64_t count = variable->bytes / element;

    return is_shared(set, variable) ? arrays_place(variable->name, count, element, placed->address,
                                                   (char *)(uintptr_t)placed->address)
                                    : arrays_add(variable->name, count, element);
}

static bool place_variables(const struct launch_module *set)
{
    for (size_t v = 0; v < set->variable_count; v++) {
        const struct variable *variable = set->variables[v].variable;
        struct region *region = add_array(set, &set->variables[v]);
        if (region == NULL || region->low != set->variables[v].address)
            return false;
        memset(region->written, 1, region->bytes);
        region->missing = 0;
        region->is_untyped = region->element_bytes == 1;
        region->is_constant = variable->space == SPACE_CONST;
        region->is_writable = !region->is_constant;
        write_initial(&set->variables[v], region);
    }
    return true;
}

bool modules_place_variables(void)
{
    return place_variables(&own) && place_workspace();
}

struct region *modules_variable(const struct launch_module *set, const char *name)
{
    const struct placed *placed;

    set = set != NULL ? set : &own;
    placed = find_placed(set, name);
    for (size_t v = 0; placed == NULL && v < set->variable_count; v++)
        if (strcmp(set->variables[v].name, name) == 0) /* a static variable */
            placed = &set->variables[v];
    return placed != NULL ? arrays_find(placed->address) : NULL;
}

struct region *modules_shared_variable(const struct launch_module *set, size_t number)
{
    for (size_t v = 0; v < set->variable_count; v++)
        if (is_shared(set, set->variables[v].variable) && number-- == 0)
            return arrays_find(set->variables[v].address);
    return NULL;
}

/* ---- Loading ---- */

static bool load_text(struct launch_module *set, const char *path, const char *text, size_t size,
                      char *reason, size_t reason_size)
{
    struct module_code **grown = realloc(set->modules, (set->count + 1) * sizeof *grown);
    struct module_code *code = grown != NULL ? calloc(1, sizeof *code) : NULL;

    set->modules = grown != NULL ? grown : set->modules;
    if (code == NULL) {
        snprintf(reason, reason_size, "out of memory");
        return false;
    }
    code->set = set;
    set->modules[set->count++] = code;
    return module_parse(&code->module, path, text, size, reason, reason_size);
}

static bool load_file(const char *path, char *reason, size_t reason_size)
{
    size_t size = 0;
    char *text = read_whole_file(path, &size);
    bool good;

    if (text == NULL) {
        snprintf(reason, reason_size, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    good = load_text(&own, path, text, size, reason, reason_size);
    free(text);
    return good;
}

static int is_ptx(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".ptx") == 0;
}

/* Loads the file, or all files of the folder. */
static bool load_files(const char *path, char *reason, size_t reason_size)
{
    struct dirent **names;
    int count = scandir(path, &names, is_ptx, alphasort);
    bool good = count != 0;

    if (count < 0)
        return load_file(path, reason, reason_size);
    if (count == 0)
        snprintf(reason, reason_size, "the folder %s has no *.ptx file", path);
    for (int k = 0; k < count; k++) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", path, names[k]->d_name);
        good = good && load_file(file, reason, reason_size);
        free(names[k]);
    }
    free(names);
    return good;
}

static bool add_kernel(struct launch_module *set, const char *name,
                       const struct function_code *code)
{
    struct named_kernel *grown = realloc(set->kernels, (set->kernel_count + 1) * sizeof *grown);

    if (grown == NULL)
        return false;
    set->kernels = grown;
    grown[set->kernel_count++] = (struct named_kernel){name, code};
    return true;
}

static const struct function_code *code_of(const struct module_code *code,
                                           const struct function *function)
{
    return function != NULL ? &code->functions[function->number] : NULL;
}

/* Adds all kernels. Exported names come first. */
static bool add_kernels(struct launch_module *set)
{
    bool good = true;

    for (size_t m = 0; m < set->count; m++) {
        const struct module_code *code = set->modules[m];
        for (size_t v = 0; v < code->module.variable_count; v++) {
            const struct variable *variable = code->module.variables[v];
            const struct function *entry = layout_named_entry(&code->module, variable);
            if (entry != NULL)
                good = good &&
                       add_kernel(set, entry_variable_name(variable->name), code_of(code, entry));
        }
    }
    for (size_t m = 0; m < set->count; m++)
        for (size_t f = 0; f < set->modules[m]->module.function_count; f++)
            if (set->modules[m]->functions[f].ops != NULL &&
                set->modules[m]->module.functions[f]->is_entry)
                good = good && add_kernel(set, set->modules[m]->functions[f].name,
                                          &set->modules[m]->functions[f]);
    return good;
}

/* Links calls of functions in other modules. */
static bool link_calls(const struct launch_module *set, char *reason, size_t reason_size)
{
    for (size_t m = 0; m < set->count; m++)
        for (size_t f = 0; f < set->modules[m]->module.function_count; f++) {
            struct function_code *code = &set->modules[m]->functions[f];
            for (uint32_t i = 0; i < code->op_count; i++) {
                struct op *op = &code->ops[i];
                if (op->kind != OP_CALL || op->call->name == NULL)
                    continue;
                for (size_t n = 0; n < set->count; n++) {
                    const struct function *function =
                        module_function(&set->modules[n]->module, op->call->name);
                    if (function != NULL && function->has_body)
                        op->callee = code_of(set->modules[n], function);
                }
                if (op->callee == NULL || op->callee->ops == NULL) {
                    decode_undefined(op, reason, reason_size);
                    return false;
                }
            }
        }
    return true;
}

/* Loads the PTX that the program was built with. */
static bool load_embedded(char *reason, size_t reason_size)
{
    for (size_t k = 0; k < (size_t)(__stop_simt_ptx - __start_simt_ptx); k++) {
        const struct embedded_ptx *ptx = __start_simt_ptx[k];
        if (!load_text(&own, ptx->path, ptx->text, (size_t)(ptx->end - ptx->text), reason,
                       reason_size))
            return false;
    }
    return true;
}

/* A caller needs order if a function that it calls does. */
static void spread_order(const struct launch_module *set)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t m = 0; m < set->count; m++)
            for (size_t f = 0; f < set->modules[m]->module.function_count; f++) {
                struct function_code *code = &set->modules[m]->functions[f];
                for (uint32_t i = 0; i < code->op_count && !code->needs_order; i++)
                    code->needs_order =
                        (code->ops[i].kind == OP_LIBRARY && code->ops[i].what != LIBRARY_DEVICE) ||
                        (code->ops[i].kind == OP_CALL &&
                         (code->ops[i].callee == NULL || code->ops[i].callee->needs_order));
                changed = changed || (code->needs_order && !code->was_spread);
                code->was_spread = code->needs_order;
            }
    }
}

/* Each backward branch makes a loop. */
static void add_loops(const struct function_code *code)
{
    for (uint32_t i = 0; i < code->op_count; i++)
        if (code->ops[i].kind == OP_BRANCH && code->ops[i].target <= i)
            places_add_loop(code->ops[code->ops[i].target].place, code->ops[i].place);
}

/* Returns true if a module of the same set defines the function. */
static bool is_defined(const struct module_code *code, const char *name)
{
    for (size_t m = 0; m < code->set->count; m++) {
        const struct function *function = module_function(&code->set->modules[m]->module, name);
        if (function != NULL && function->has_body)
            return true;
    }
    return false;
}

/* Makes a set of parsed modules ready to run. */
static bool link_set(struct launch_module *set, char *reason, size_t reason_size)
{
    for (size_t m = 0; m < set->count; m++)
        if (!place_module_variables(set->modules[m])) {
            snprintf(reason, reason_size, "out of memory");
            return false;
        }
    for (size_t m = 0; m < set->count; m++) {
        const struct decode_links links = {variable_address, is_defined, places_take, next_address,
                                           machine.floats};
        if (!decode_module(set->modules[m], &links, reason, reason_size))
            return false;
        next_address += 16 * set->modules[m]->module.function_count;
    }
    if (!link_calls(set, reason, reason_size))
        return false;
    spread_order(set);
    for (size_t m = 0; m < set->count; m++)
        for (size_t f = 0; f < set->modules[m]->module.function_count; f++)
            add_loops(&set->modules[m]->functions[f]);
    if (!add_kernels(set)) {
        snprintf(reason, reason_size, "out of memory");
        return false;
    }
    return true;
}

bool modules_load(const char *path, char *reason, size_t reason_size)
{
    modules_forget();
    return (path != NULL ? load_files(path, reason, reason_size)
                         : load_embedded(reason, reason_size)) &&
           link_set(&own, reason, reason_size);
}

struct launch_module *modules_add(const struct launch_text *texts, size_t count, char *reason,
                                  size_t reason_size)
{
    struct launch_module *set = calloc(1, sizeof *set);
    bool good = set != NULL;

    if (set == NULL) {
        snprintf(reason, reason_size, "out of memory");
        return NULL;
    }
    set->first_array = machine.region_count;
    set->next = own.next;
    own.next = set;
    for (size_t t = 0; good && t < count; t++)
        good = load_text(set, texts[t].name, texts[t].text, texts[t].bytes, reason, reason_size);
    good = good && link_set(set, reason, reason_size);
    if (good && !place_variables(set)) {
        snprintf(reason, reason_size, "the variables do not fit in the simulator's memory");
        good = false;
    }
    if (good)
        return set;
    modules_unload(set);
    return NULL;
}

static void free_set(struct launch_module *set)
{
    for (size_t v = 0; v < set->variable_count; v++)
        if (is_shared(set, set->variables[v].variable) && set->variables[v].address != 0)
            munmap((void *)(uintptr_t)set->variables[v].address,
                   set->variables[v].variable->bytes + 1);
    for (size_t m = 0; m < set->count; m++) {
        struct module_code *code = set->modules[m];
        for (size_t f = 0; code->functions != NULL && f < code->module.function_count; f++) {
            free_frames(&code->functions[f]);
            points_free(code->functions[f].points);
        }
        module_free(&code->module);
        free(code);
    }
    free(set->modules);
    free(set->variables);
    free(set->kernels);
}

void modules_unload(struct launch_module *set)
{
    set->is_unloaded = true;
    for (size_t v = 0; v < set->variable_count; v++) {
        struct region *region = arrays_find(set->variables[v].address);
        if (region->host != NULL)
            arrays_remove(region);
    }
}

void modules_unload_all(void)
{
    while (own.next != NULL) {
        struct launch_module *set = own.next;
        own.next = set->next;
        free_set(set);
        free(set);
    }
}

void modules_forget(void)
{
    modules_unload_all();
    free_set(&own);
    memset(&own, 0, sizeof own);
    next_address = CODE_WINDOW_BASE;
    places_forget();
}

const struct function_code *modules_kernel(const struct launch_module *set, const char *name)
{
    set = set != NULL ? set : &own;
    for (size_t k = 0; k < set->kernel_count; k++)
        if (strcmp(set->kernels[k].name, name) == 0)
            return set->kernels[k].function;
    return NULL;
}

bool modules_needs_order(const struct function_code *code)
{
    return code->needs_order;
}

const char *modules_name(const struct function_code *code)
{
    const struct launch_module *set = code->module->set;

    for (size_t k = 0; k < set->kernel_count; k++)
        if (set->kernels[k].function == code)
            return set->kernels[k].name;
    return code->name;
}

uint32_t modules_number(const struct function_code *code)
{
    return (uint32_t)((code->address - CODE_WINDOW_BASE) / 16);
}

/* Returns the function itself, or, if it is only declared, the definition in another module. */
static const struct function_code *with_body(const struct function_code *code)
{
    const struct launch_module *set = code->module->set;

    for (size_t m = 0; code->ops == NULL && m < set->count; m++) {
        const struct function *function = module_function(&set->modules[m]->module, code->name);
        if (function != NULL && function->has_body)
            return code_of(set->modules[m], function);
    }
    return code;
}

const struct function_code *modules_function_at(uint64_t address)
{
    for (const struct launch_module *set = &own; set != NULL; set = set->next)
        for (size_t m = 0; m < set->count; m++) {
            const struct module_code *code = set->modules[m];
            uint64_t number;
            if (set->is_unloaded || code->module.function_count == 0)
                continue;
            number = (address - code->functions[0].address) / 16;
            if (address >= code->functions[0].address && number < code->module.function_count &&
                code->functions[number].address == address)
                return with_body(&code->functions[number]);
        }
    return NULL;
}

bool modules_launch_as_cuda_11(void)
{
    for (const struct launch_module *set = &own; set != NULL; set = set->next)
        for (size_t m = 0; m < set->count; m++)
            if (set->modules[m]->launches_as_cuda_11)
                return true;
    return false;
}

bool modules_allocate(void)
{
    for (const struct launch_module *set = &own; set != NULL; set = set->next)
        for (size_t m = 0; m < set->count; m++)
            if (set->modules[m]->allocates)
                return true;
    return false;
}
