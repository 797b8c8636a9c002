/* SPDX-License-Identifier: MIT */
#include "kernel_facts.h"

#include "entry_variable.h"
#include "installation.h"
#include "interrupt.h"
#include "machine_code.h"
#include "tool.h"
#include "whole_file.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAID = 1 << 20 };

struct reading {
    const struct compiler_paths *compilers;
    const struct selection *selection;
    const struct catalogue *catalogue;
    char folder[TOOL_FOLDER], ptx[TOOL_FOLDER + 16], cubin[TOOL_FOLDER + 16];
    char *said;
    const char *text; /* of the module */
    struct memory *memory;
    struct code_record *code;
};

/* Returns the length of the kernel's name that matches the variant's kernel: the whole name, or the
 * beginning for a template instance. Returns 0 without a match. */
static size_t shared_name(const struct variant *variant, const char *kernel)
{
    size_t length = strlen(variant->kernel);
    return strncmp(variant->kernel, kernel, length) == 0 ? length : 0;
}

/* Returns true if the kernel belongs to variants of the catalogue and none of them is selected.
 * Text may follow its name. */
static bool is_left_out(const struct reading *reading, const char *kernel)
{
    const struct catalogue *catalogue = reading->catalogue;
    size_t longest = 0;
    bool selected = false;

    for (size_t v = 0; v < catalogue->count; v++) {
        const struct variant *variant = &catalogue->variants[v];
        size_t length = shared_name(variant, kernel);
        if (length == 0 || length < longest)
            continue;
        selected = (length == longest && selected) || selection_has(reading->selection, variant);
        longest = length;
    }
    return longest > 0 && !selected;
}

/* Returns true if the module has a kernel of a selected variant. */
static bool has_selected(const struct reading *reading)
{
    struct entry_variable entry = {.symbol = reading->text};

    while (entry_variable_next(entry.symbol, &entry))
        if (!is_left_out(reading, entry.name))
            return true;
    return false;
}

/* Returns the kernel's name in the catalogue, or else its symbol. */
static const char *name_of(const struct reading *reading, const struct kernel_code *code)
{
    struct entry_variable entry = {.symbol = reading->text};

    while (entry_variable_next(entry.symbol, &entry))
        if (entry_variable_holds(&entry, code->name))
            return memory_text(reading->memory, "%.*s", entry.name_length, entry.name);
    return memory_copy(reading->memory, code->name);
}

static void add_kernel(struct reading *reading, const struct compiler *ptxas, const char *module,
                       const struct kernel_code *code)
{
    const char *name = name_of(reading, code);

    if (is_left_out(reading, name))
        return;
    LIST_ADD(reading->memory, &reading->code->kernels, struct kernel_record) =
        (struct kernel_record){
            .kernel = name,
            .module = memory_copy(reading->memory, module),
            .ptxas = memory_copy(reading->memory, ptxas->version),
            .arch = reading->compilers->architecture,
            .registers = code->registers,
            .spill_store_bytes = code->spill_store_bytes,
            .spill_load_bytes = code->spill_load_bytes,
            .has_spills = code->has_spills,
            .stack_bytes = code->stack_bytes,
            .shared_bytes = code->shared_bytes,
            .constant_bytes = code->constant_bytes,
            .code_bytes = code->bytes,
            .digest = memory_text(reading->memory, "%016" PRIx64, code->digest),
        };
}

/* Reads the code that a ptxas makes of a module. */
static void read_module(struct reading *reading, const struct compiler *ptxas, const char *ptx)
{
    const char *module = strrchr(ptx, '/') + 1;
    struct kernel_code *kernels = NULL;
    size_t count = 0;
    char error[512];

    if (ptx_copy_as_old(ptx, reading->ptx, error, sizeof error) &&
        build_relocatable(ptxas, reading->compilers->architecture, reading->ptx, reading->cubin,
                          reading->said, SAID, error, sizeof error) &&
        machine_code_read(reading->cubin, &kernels, &count, error, sizeof error)) {
        machine_code_spills(reading->said, kernels, count);
        for (size_t k = 0; k < count; k++)
            add_kernel(reading, ptxas, module, &kernels[k]);
        free(kernels);
        return;
    }
    LIST_ADD(reading->memory, &reading->code->failures, struct failure_record) =
        (struct failure_record){.module = memory_copy(reading->memory, module),
                                .ptxas = memory_copy(reading->memory, ptxas->version),
                                .reason = memory_copy(reading->memory, error)};
}

static void read_modules(struct reading *reading, const struct compiler *ptxas)
{
    char pattern[4096];
    glob_t found;

    installation_ptx(pattern, sizeof pattern - sizeof "/*.ptx");
    strcat(pattern, "/*.ptx");
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t k = 0; k < found.gl_pathc && !interrupt_came(); k++) {
        size_t size;
        char *text = read_whole_file(found.gl_pathv[k], &size);
        reading->text = text;
        if (text != NULL && has_selected(reading))
            read_module(reading, ptxas, found.gl_pathv[k]);
        free(text);
    }
    globfree(&found);
}

/* Reads all modules with that ptxas. If there is no code, `why` has the reason. */
static void read_all(struct reading *reading, char *why, size_t size)
{
    const struct compiler_list *list = &reading->compilers->ptxas;
    bool any = false;

    for (size_t k = 0; k < compiler_list_count(list); k++) {
        struct compiler ptxas;
        if (!compiler_list_open(list, "ptxas", k, &ptxas, why, size))
            continue;
        any = true;
        read_modules(reading, &ptxas);
    }
    if (!any) {
        if (interrupt_came())
            snprintf(why, size, "interrupted");
        return;
    }
    why[0] = '\0';
    if (reading->code->kernels.count + reading->code->failures.count == 0) {
        char folder[4096];
        installation_ptx(folder, sizeof folder);
        snprintf(why, size,
                 "'%.300s' has no PTX of these kernels: it is part of a build with the simulator",
                 folder);
    }
}

struct code_record *kernel_facts_read(const struct compiler_paths *compilers,
                                      const struct selection *selection,
                                      const struct catalogue *catalogue, struct memory *memory)
{
    struct reading reading;
    char why[512] = "out of memory";
    bool made;

    reading = (struct reading){
        .compilers = compilers,
        .selection = selection,
        .catalogue = catalogue,
        .said = malloc(SAID),
        .memory = memory,
        .code = memory_take(memory, sizeof *reading.code),
    };
    made = tool_make_folder("code", reading.folder);
    snprintf(reading.ptx, sizeof reading.ptx, "%s/kernels.ptx", reading.folder);
    snprintf(reading.cubin, sizeof reading.cubin, "%s/kernels.cubin", reading.folder);
    if (!made)
        snprintf(why, sizeof why, "cannot make a folder '%s': %s", reading.folder, strerror(errno));
    else if (reading.said != NULL)
        read_all(&reading, why, sizeof why);
    if (made)
        tool_remove_folder(reading.folder);
    free(reading.said);
    if (why[0] != '\0')
        reading.code->skipped = memory_copy(memory, why);
    return reading.code;
}
