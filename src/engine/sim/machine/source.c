/* SPDX-License-Identifier: MIT
 *
 * Source lines and symbols of the running program, by elfutils' libdw.
 */
#include "source.h"

#include "simt_ptx.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What is asked of an address. */
struct lookup {
    const void *address;
    bool own_alone; /* nothing, if it is a library's */
    const char *path, *symbol;
    int line;
};

static Dwfl *session;

/* Lies in what kernels were compiled into: the executable, or what was loaded. */
static const void *kernel_object = (const void *)(uintptr_t)source_close;

/* What was asked for last, by address: faults come again and again at one place, and so do
 * kernels. */
enum { KNOWN = 16 };
static struct lookup known_lines[KNOWN], known_symbols[KNOWN];

static Dwfl *open_session(void)
{
    static char *debug_path;
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_linux_proc_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .debuginfo_path = &debug_path,
    };

    if (session != NULL)
        return session;
    session = dwfl_begin(&callbacks);
    if (session == NULL)
        return NULL;
    dwfl_report_begin(session);
    if (dwfl_linux_proc_report(session, getpid()) != 0 ||
        dwfl_report_end(session, NULL, NULL) != 0) {
        source_close();
        return NULL;
    }
    return session;
}

void source_close(void)
{
    if (session != NULL)
        dwfl_end(session);
    session = NULL;
    memset(known_lines, 0, sizeof known_lines);
    memset(known_symbols, 0, sizeof known_symbols);
}

struct call {
    void (*look)(void *lookup);
    void *lookup;
};

static _Thread_local bool stack_is_large;

static void *call(void *argument)
{
    const struct call *call = argument;

    stack_is_large = true;
    call->look(call->lookup);
    return NULL;
}

/* Whatever the limit on the process's own stack is: these lookups go deep. */
static void on_a_large_stack(void (*look)(void *), void *lookup)
{
    enum { STACK = 1 << 20 };
    struct call made = {look, lookup};
    pthread_attr_t attributes;
    pthread_t thread;
    bool started = false;

    if (!stack_is_large && pthread_attr_init(&attributes) == 0) {
        started = pthread_attr_setstacksize(&attributes, STACK) == 0 &&
                  pthread_create(&thread, &attributes, call, &made) == 0;
        pthread_attr_destroy(&attributes);
    }
    if (started)
        pthread_join(thread, NULL);
    else
        look(lookup);
}

static Dwfl_Module *module_at(const void *address)
{
    return open_session() != NULL ? dwfl_addrmodule(session, (Dwarf_Addr)(uintptr_t)address) : NULL;
}

void source_shorten(const char *path, char *file, size_t file_size)
{
    const char *tail = path;
    int slashes = 0;

    for (const char *c = path + strlen(path); c > path; c--)
        if (c[-1] == '/' && ++slashes == 2) {
            tail = c;
            break;
        }
    snprintf(file, file_size, "%s", tail);
}

/* The source file of a return address, which stands after the call it belongs to. */
static void look_for_line(void *argument)
{
    struct lookup *lookup = argument;
    Dwfl_Module *module = module_at(lookup->address);
    Dwfl_Line *found = NULL;

    if (module != NULL && (!lookup->own_alone || module == module_at(kernel_object)))
        found = dwfl_module_getsrc(module, (Dwarf_Addr)(uintptr_t)lookup->address - 1);
    if (found != NULL)
        lookup->path = dwfl_lineinfo(found, NULL, &lookup->line, NULL, NULL, NULL);
}

/* Looks, unless that is known. */
static const struct lookup *known_or_looked(struct lookup known[KNOWN], const void *address,
                                            bool own_alone, void (*look)(void *))
{
    struct lookup *lookup = &known[(uintptr_t)address / 16 % KNOWN];

    if (lookup->address != address || lookup->own_alone != own_alone) {
        struct lookup asked = {.address = address, .own_alone = own_alone};
        on_a_large_stack(look, &asked); /* which may forget all, where it fails */
        *lookup = asked;
    }
    return lookup;
}

/* Places of kernels from PTX, where there are any: they say for themselves where they are. */
extern const struct simt_place __start_simt_places[] __attribute__((weak));
extern const struct simt_place __stop_simt_places[] __attribute__((weak));

/* Those of kernels that were loaded. */
static const struct simt_place *taken, *taken_end;

extern const char __executable_start[];
const char *source_base = __executable_start;

void source_take(const struct simt_place *places, const struct simt_place *end)
{
    Dl_info info;

    if (dladdr(places, &info) != 0)
        source_base = info.dli_fbase;
    taken = places;
    taken_end = end;
}

void source_take_object(const void *inside)
{
    Dl_info info;

    source_close(); /* and to know of it when it is asked */
    if (dladdr(inside, &info) != 0)
        source_base = info.dli_fbase;
    kernel_object = inside;
}

static bool is_between(const void *address, const struct simt_place *first,
                       const struct simt_place *end)
{
    return (uintptr_t)address >= (uintptr_t)first && (uintptr_t)address < (uintptr_t)end;
}

const struct simt_place *source_place(const void *address)
{
    return is_between(address, __start_simt_places, __stop_simt_places) ||
                   is_between(address, taken, taken_end)
               ? address
               : NULL;
}

void source_outer(const struct simt_site *site, char *text, size_t size)
{
    char file[96] = "";

    text[0] = '\0';
    if (site->outer_file == NULL)
        return;
    if (strcmp(site->outer_file, site->file) != 0)
        source_shorten(site->outer_file, file, sizeof file);
    snprintf(text, size, "%s:%d", file, site->outer_line);
}

static const char *path_of(const void *address, bool own_alone, int *line)
{
    const struct lookup *lookup = known_or_looked(known_lines, address, own_alone, look_for_line);

    *line = lookup->line;
    return lookup->path;
}

/* Is that a file of the engine's, or a header through which kernels call it? */
static bool is_own(const char *path)
{
    static const char here[] = __FILE__, below[] = "machine/source.c";
    static const char *const headers[] = {"/dialect.h", "/dialect_host.h", "/cooperative_groups.h"};
    size_t length = strlen(path);

    for (size_t k = 0; k < sizeof headers / sizeof *headers; k++)
        if (length >= strlen(headers[k]) &&
            strcmp(path + length - strlen(headers[k]), headers[k]) == 0)
            return true;
    return strncmp(path, here, sizeof here - sizeof below) == 0 ||
           strstr(path, "/device/dialect/source/") != NULL;
}

bool source_kernel_line(const void *address, char *file, size_t file_size, int *line)
{
    const char *path = path_of(address, true, line);

    if (path == NULL || is_own(path)) /* nor is a library's file a kernel's */
        return false;
    source_shorten(path, file, file_size);
    return true;
}

bool source_line(const void *address, char *file, size_t file_size, int *line)
{
    const struct simt_place *place = source_place(address);
    const char *path;

    if (place != NULL) {
        *line = place->site.line;
        source_shorten(place->site.file, file, file_size);
        return true;
    }
    path = path_of(address, false, line);
    if (path == NULL)
        return false;
    source_shorten(path, file, file_size);
    return true;
}

static void look_for_symbol(void *argument)
{
    struct lookup *lookup = argument;
    Dwfl_Module *module = module_at(lookup->address);

    if (module != NULL)
        lookup->symbol = dwfl_module_addrname(module, (GElf_Addr)(uintptr_t)lookup->address);
}

const char *source_symbol(const void *function)
{
    return known_or_looked(known_symbols, function, false, look_for_symbol)->symbol;
}

static void look_for_thread_locals(void *argument)
{
    void (**visit)(size_t, size_t, const char *) = argument;
    Dwfl_Module *module = module_at(kernel_object);
    int symbols = module != NULL ? dwfl_module_getsymtab(module) : 0;

    for (int i = 0; i < symbols; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (name != NULL && GELF_ST_TYPE(symbol.st_info) == STT_TLS && symbol.st_shndx != 0)
            (*visit)((size_t)symbol.st_value, (size_t)symbol.st_size, name);
    }
}

void source_thread_locals(void (*visit)(size_t offset, size_t size, const char *name))
{
    on_a_large_stack(look_for_thread_locals, &visit);
}
