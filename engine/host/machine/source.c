/* SPDX-License-Identifier: MIT
 *
 * Source lines and symbols of the running program, by elfutils' libdw.
 */
#include "source.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static Dwfl *session;

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

bool source_line(const void *address, char *file, size_t file_size, int *line)
{
    Dwfl_Module *module = module_at(address);
    /* A return address stands after the call it belongs to. */
    Dwfl_Line *found =
        module != NULL ? dwfl_module_getsrc(module, (Dwarf_Addr)(uintptr_t)address - 1) : NULL;
    const char *path = found != NULL ? dwfl_lineinfo(found, NULL, line, NULL, NULL, NULL) : NULL;

    if (path == NULL)
        return false;
    source_shorten(path, file, file_size);
    return true;
}

const char *source_symbol(const void *function)
{
    Dwfl_Module *module = module_at(function);
    return module != NULL ? dwfl_module_addrname(module, (GElf_Addr)(uintptr_t)function) : NULL;
}

void source_thread_locals(void (*visit)(size_t offset, size_t size, const char *name))
{
    Dwfl_Module *module = module_at((const void *)(uintptr_t)source_close);
    int symbols = module != NULL ? dwfl_module_getsymtab(module) : 0;

    for (int i = 0; i < symbols; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (name != NULL && GELF_ST_TYPE(symbol.st_info) == STT_TLS && symbol.st_shndx != 0)
            visit((size_t)symbol.st_value, (size_t)symbol.st_size, name);
    }
}
