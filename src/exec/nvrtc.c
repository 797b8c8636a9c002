/* SPDX-License-Identifier: MIT
 *
 * Programs that compile kernels with NVRTC. NVRTC makes PTX on the way to machine code, so these
 * programs get PTX where they ask for machine code. Their calls are redirected in the tables of
 * imported functions, because NVRTC itself must stay.
 */
#include "internal.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, NVRTC_INVALID_INPUT = 3 };

/* Calls a function of NVRTC that takes a program and a place for the result. */
static int call_nvrtc(const char *name, void *program, void *result)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12"};
    int (*function)(void *, void *) = NULL;

    for (size_t k = 0; function == NULL && k < sizeof names / sizeof *names; k++) {
        void *library = dlopen(names[k], RTLD_LAZY | RTLD_NOLOAD);
        void *found = library != NULL ? dlsym(library, name) : NULL;
        memcpy(&function, &found, sizeof found);
    }
    return function != NULL ? function(program, result) : NVRTC_INVALID_INPUT;
}

static int get_size(void *program, size_t *bytes)
{
    return call_nvrtc("nvrtcGetPTXSize", program, bytes);
}

static int get_code(void *program, char *code)
{
    return call_nvrtc("nvrtcGetPTX", program, code);
}

/* ---- Tables of imported functions ---- */

struct imports {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * rows[2]; /* of functions, and of all else */
    size_t bytes[2];
};

static const void *absolute(const struct dl_phdr_info *object, ElfW(Addr) address)
{
    return (const void *)(address < object->dlpi_addr ? address + object->dlpi_addr : address);
}

static bool find_imports(const struct dl_phdr_info *object, struct imports *found)
{
    const ElfW(Dyn) *entry = NULL;

    *found = (struct imports){.symbols = NULL};
    for (int k = 0; k < object->dlpi_phnum; k++)
        if (object->dlpi_phdr[k].p_type == PT_DYNAMIC)
            entry = absolute(object, object->dlpi_addr + object->dlpi_phdr[k].p_vaddr);
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++)
        switch (entry->d_tag) {
        case DT_SYMTAB:
            found->symbols = absolute(object, entry->d_un.d_ptr);
            break;
        case DT_STRTAB:
            found->names = absolute(object, entry->d_un.d_ptr);
            break;
        case DT_JMPREL:
            found->rows[0] = absolute(object, entry->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            found->bytes[0] = entry->d_un.d_val;
            break;
        case DT_RELA:
            found->rows[1] = absolute(object, entry->d_un.d_ptr);
            break;
        case DT_RELASZ:
            found->bytes[1] = entry->d_un.d_val;
            break;
        default:
            break;
        }
    return found->symbols != NULL && found->names != NULL;
}

static void redirect(ElfW(Addr) slot, uintptr_t function)
{
    if (mprotect((void *)(slot / PAGE * PAGE), PAGE, PROT_READ | PROT_WRITE) == 0)
        *(uintptr_t *)slot = function;
}

static int redirect_object(struct dl_phdr_info *object, size_t size, void *unused)
{
    struct imports imports;

    (void)size, (void)unused;
    if (object->dlpi_name[0] == '/' && strstr(object->dlpi_name, "/libnvrtc") != NULL)
        return 0;
    if (!find_imports(object, &imports))
        return 0;
    for (int table = 0; table < 2; table++)
        for (size_t k = 0; k < imports.bytes[table] / sizeof(ElfW(Rela)); k++) {
            const ElfW(Rela) *row = &imports.rows[table][k];
            const char *name = imports.names + imports.symbols[ELF64_R_SYM(row->r_info)].st_name;
            if (strcmp(name, "nvrtcGetCUBINSize") == 0)
                redirect(object->dlpi_addr + row->r_offset, (uintptr_t)get_size);
            else if (strcmp(name, "nvrtcGetCUBIN") == 0)
                redirect(object->dlpi_addr + row->r_offset, (uintptr_t)get_code);
        }
    return 0;
}

__attribute__((constructor)) void nvrtc_redirect(void)
{
    dl_iterate_phdr(redirect_object, NULL);
}
