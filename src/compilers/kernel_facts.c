/* SPDX-License-Identifier: MIT */
#include "kernel_facts.h"

#include "installation.h"
#include "interrupt.h"
#include "machine_code.h"
#include "tool.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAID = 1 << 20, MOST_ENTRIES = 256 };

/* The kernels of a module by the names that they have in the catalogue: lines such as
 * ".visible .global .align 8 .u64 simt_entry_NAME = SYMBOL;" of its PTX. */
struct entries {
    struct entry {
        char name[128], symbol[256];
    } all[MOST_ENTRIES];
    size_t count;
};

struct reading {
    const struct compiler_paths *compilers;
    const struct selection *selection;
    const struct catalogue *catalogue;
    char folder[TOOL_FOLDER], ptx[TOOL_FOLDER + 16], cubin[TOOL_FOLDER + 16];
    char *said;
    struct entries entries;
    json_t *kernels, *failures;
};

static bool read_entries(const char *ptx, struct entries *entries)
{
    FILE *from = fopen(ptx, "r");
    char *line = NULL;
    size_t room = 0;

    entries->count = 0;
    while (from != NULL && entries->count < MOST_ENTRIES && getline(&line, &room, from) >= 0) {
        struct entry *entry = &entries->all[entries->count];
        const char *found = strstr(line, " simt_entry_");
        if (found != NULL &&
            sscanf(found, " simt_entry_%127s = %255[^;]", entry->name, entry->symbol) == 2)
            entries->count++;
    }
    free(line);
    if (from != NULL)
        fclose(from);
    return from != NULL;
}

/* How much of a kernel's name is that of the variant's kernel: all, or where a template has made it
 * for a block, the beginning. */
static size_t shared_name(const struct variant *variant, const char *kernel)
{
    size_t length = strlen(variant->kernel);
    return strncmp(variant->kernel, kernel, length) == 0 ? length : 0;
}

/* Is the kernel that of a variant, and of none of those selected? */
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

/* Has the module a kernel of a selected variant? */
static bool has_selected(const struct reading *reading)
{
    for (size_t k = 0; k < reading->entries.count; k++)
        if (!is_left_out(reading, reading->entries.all[k].name))
            return true;
    return false;
}

/* By its name in the catalogue, or else its symbol. */
static const char *name_of(const struct entries *entries, const struct kernel_code *code)
{
    for (size_t k = 0; k < entries->count; k++)
        if (strcmp(entries->all[k].symbol, code->name) == 0)
            return entries->all[k].name;
    return code->name;
}

static void add_kernel(struct reading *reading, const struct compiler *ptxas, const char *module,
                       const struct kernel_code *code)
{
    const char *name = name_of(&reading->entries, code);
    char digest[32];

    if (is_left_out(reading, name))
        return;
    snprintf(digest, sizeof digest, "%016" PRIx64, code->digest);
    json_array_append_new(
        reading->kernels,
        json_pack(
            "{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:i, s:i, s:i, s:i, s:s}", "kernel", name,
            "module", module, "ptxas", ptxas->version, "arch", reading->compilers->architecture,
            "registers", (int)code->registers, "spill_store_bytes",
            code->has_spills ? json_integer(code->spill_store_bytes) : json_null(),
            "spill_load_bytes",
            code->has_spills ? json_integer(code->spill_load_bytes) : json_null(), "stack_bytes",
            (int)code->stack_bytes, "shared_bytes", (int)code->shared_bytes, "constant_bytes",
            (int)code->constant_bytes, "code_bytes", (int)code->bytes, "digest", digest));
}

/* A module by a ptxas. */
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
    json_array_append_new(reading->failures, json_pack("{s:s, s:s, s:s}", "ptxas", ptxas->version,
                                                       "module", module, "reason", error));
}

static void read_modules(struct reading *reading, const struct compiler *ptxas)
{
    char pattern[4096];
    glob_t found;

    installation_ptx(pattern, sizeof pattern - sizeof "/*.ptx");
    strcat(pattern, "/*.ptx");
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t k = 0; k < found.gl_pathc && !interrupt_came(); k++)
        if (read_entries(found.gl_pathv[k], &reading->entries) && has_selected(reading))
            read_module(reading, ptxas, found.gl_pathv[k]);
    globfree(&found);
}

/* All of them; or why there is none, in `why`. */
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
    if (json_array_size(reading->kernels) + json_array_size(reading->failures) == 0) {
        char folder[4096];
        installation_ptx(folder, sizeof folder);
        snprintf(why, size,
                 "there is no PTX of these kernels in '%.300s': it is built with the engine ptx",
                 folder);
    }
}

json_t *kernel_facts_read(const struct compiler_paths *compilers, const struct selection *selection,
                          const struct catalogue *catalogue)
{
    static struct reading reading;
    char why[512] = "out of memory";
    bool made;

    reading = (struct reading){
        .compilers = compilers,
        .selection = selection,
        .catalogue = catalogue,
        .said = malloc(SAID),
        .kernels = json_array(),
        .failures = json_array(),
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
    return json_pack("{s:s?, s:o, s:o}", "unavailable", why[0] != '\0' ? why : NULL, "failures",
                     reading.failures, "kernels", reading.kernels);
}

void kernel_facts_print(const json_t *facts)
{
    static const char *const members[] = {"registers",    "spill_store_bytes", "stack_bytes",
                                          "shared_bytes", "constant_bytes",    "code_bytes"};
    const json_t *kernels = json_object_get(facts, "kernels"), *row;
    json_t *totals = json_object(), *total;
    const char *version;
    size_t k;

    json_array_foreach(kernels, k, row)
    {
        version = json_string_value(json_object_get(row, "ptxas"));
        if (json_object_get(totals, version) == NULL)
            json_object_set_new(totals, version, json_object());
        total = json_object_get(totals, version);
        for (size_t m = 0; m < sizeof members / sizeof *members; m++)
            json_object_set_new(
                total, members[m],
                json_integer(json_integer_value(json_object_get(row, members[m])) +
                             json_integer_value(json_object_get(total, members[m]))));
    }
    if (json_object_size(totals) > 0)
        printf("\n%-20s %9s %9s %9s %9s %9s %9s\n", "all kernels", "registers", "spilled", "stack",
               "shared", "constants", "code");
    json_object_foreach(totals, version, total)
    {
        printf("ptxas %-14s", version);
        for (size_t m = 0; m < sizeof members / sizeof *members; m++)
            printf(" %9" JSON_INTEGER_FORMAT,
                   json_integer_value(json_object_get(total, members[m])));
        printf("\n");
    }
    json_decref(totals);
}
