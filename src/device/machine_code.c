/* SPDX-License-Identifier: MIT */
#include "machine_code.h"

#include "fnv.h"
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An open cubin. */
struct cubin {
    Elf *elf;
    size_t names;        /* index of the section with the names of sections */
    Elf_Data *symbols;   /* null: it has none */
    size_t symbol_names; /* index of the section with the names of symbols */
    struct kernel_code *kernels;
    size_t count;
};

static struct kernel_code *find_kernel(struct kernel_code *kernels, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(kernels[k].name, name) == 0)
            return &kernels[k];
    return NULL;
}

/* Returns the rest of a title after `start`; null if it does not begin with it. */
static const char *after(const char *title, const char *start)
{
    size_t length = strlen(start);
    return strncmp(title, start, length) == 0 ? title + length : NULL;
}

/* Takes the section if it is a kernel's, ".text.<kernel>". Returns false when memory runs out. */
static bool take_code(struct cubin *cubin, Elf_Scn *section, const GElf_Shdr *header,
                      const char *title)
{
    const char *name = after(title, ".text.");
    Elf_Data *data = elf_getdata(section, NULL);
    struct kernel_code *more = cubin->kernels;

    if (header->sh_type == SHT_SYMTAB) {
        cubin->symbols = data;
        cubin->symbol_names = header->sh_link;
    }
    if (name == NULL || data == NULL)
        return true;
    if ((cubin->count & (cubin->count - 1)) == 0)
        more = realloc(more, (cubin->count == 0 ? 1 : 2 * cubin->count) * sizeof *more);
    if (more == NULL)
        return false;
    cubin->kernels = more;
    more[cubin->count] = (struct kernel_code){
        .name = kept_text(name, strlen(name)),
        .digest = fnv_bytes(FNV_OFFSET_BASIS ^ data->d_size, data->d_buf, data->d_size),
        .bytes = (uint32_t)data->d_size};
    cubin->count++;
    return true;
}

/* ---- What goes with the code ---- */

static struct kernel_code *kernel_of_symbol(struct cubin *cubin, uint32_t index)
{
    GElf_Sym symbol;
    const char *name;

    if (cubin->symbols == NULL || gelf_getsym(cubin->symbols, (int)index, &symbol) == NULL)
        return NULL;
    name = elf_strptr(cubin->elf, cubin->symbol_names, symbol.st_name);
    return name != NULL ? find_kernel(cubin->kernels, cubin->count, name) : NULL;
}

/* Takes an attribute whose value is a symbol and a number. cuobjdump prints the same names. */
static void take_attribute(struct cubin *cubin, unsigned char attribute, const unsigned char *value)
{
    enum { EIATTR_FRAME_SIZE = 0x11, EIATTR_REGCOUNT = 0x2f };
    struct kernel_code *kernel;
    uint32_t words[2];

    if (attribute != EIATTR_FRAME_SIZE && attribute != EIATTR_REGCOUNT)
        return;
    memcpy(words, value, sizeof words);
    kernel = kernel_of_symbol(cubin, words[0]);
    if (kernel != NULL && attribute == EIATTR_FRAME_SIZE)
        kernel->stack_bytes = words[1];
    else if (kernel != NULL)
        kernel->registers = words[1];
}

/* Reads a list of attributes. The first byte is the format, the second one the kind. The next two
 * bytes are the value, or in one format the size of the value that follows. */
static void take_attributes(struct cubin *cubin, const Elf_Data *data)
{
    enum { SIZED = 4, HEAD = 4 };
    const unsigned char *bytes = data->d_buf;
    size_t left = data->d_size;

    while (left >= HEAD) {
        size_t size = bytes[0] == SIZED ? (size_t)bytes[2] + 256u * bytes[3] : 0;
        if (size > left - HEAD)
            return;
        if (size == 2 * sizeof(uint32_t))
            take_attribute(cubin, bytes[1], bytes + HEAD);
        bytes += HEAD + size;
        left -= HEAD + size;
    }
}

static void take_facts(struct cubin *cubin, Elf_Scn *section, const GElf_Shdr *header,
                       const char *title)
{
    const char *shared = after(title, ".nv.shared."), *constant = after(title, ".nv.constant0.");
    const char *name = shared != NULL ? shared : constant;
    struct kernel_code *kernel =
        name != NULL ? find_kernel(cubin->kernels, cubin->count, name) : NULL;
    Elf_Data *data;

    if (kernel != NULL && shared != NULL)
        kernel->shared_bytes = (uint32_t)header->sh_size;
    else if (kernel != NULL)
        kernel->constant_bytes = (uint32_t)header->sh_size;
    else if (strcmp(title, ".nv.info") == 0 && (data = elf_getdata(section, NULL)) != NULL)
        take_attributes(cubin, data);
}

/* ---- The file ---- */

/* Takes all sections: first the code, then its attributes, which may precede it in the file.
 * Returns false when memory runs out. */
static bool take_sections(struct cubin *cubin)
{
    for (int pass = 0; pass < 2; pass++) {
        Elf_Scn *section = NULL;
        while ((section = elf_nextscn(cubin->elf, section)) != NULL) {
            GElf_Shdr header;
            const char *title;
            if (gelf_getshdr(section, &header) == NULL ||
                (title = elf_strptr(cubin->elf, cubin->names, header.sh_name)) == NULL)
                continue;
            if (pass == 1)
                take_facts(cubin, section, &header, title);
            else if (!take_code(cubin, section, &header, title))
                return false;
        }
    }
    return true;
}

bool machine_code_read(const char *path, struct kernel_code **kernels, size_t *count, char *error,
                       size_t error_size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct cubin cubin = {0};
    bool good = false;

    elf_version(EV_CURRENT);
    if (file < 0)
        snprintf(error, error_size, "cannot read %s: %s", path, strerror(errno));
    else if ((cubin.elf = elf_begin(file, ELF_C_READ, NULL)) == NULL ||
             elf_kind(cubin.elf) != ELF_K_ELF || elf_getshdrstrndx(cubin.elf, &cubin.names) != 0)
        snprintf(error, error_size, "%s is not a cubin: it is not a readable ELF file", path);
    else if (!take_sections(&cubin))
        snprintf(error, error_size, "out of memory");
    else
        good = true;
    if (cubin.elf != NULL)
        elf_end(cubin.elf);
    if (file >= 0)
        close(file);
    if (!good) {
        free(cubin.kernels);
        cubin = (struct cubin){0};
    }
    *kernels = cubin.kernels;
    *count = cubin.count;
    return good;
}

/* Parses lines "Function properties for NAME", each followed by "S bytes stack frame, S bytes spill
 * stores, L bytes spill loads". */
void machine_code_spills(const char *said, struct kernel_code *kernels, size_t count)
{
    static const char head[] = "Function properties for ";

    for (const char *found = said; (found = strstr(found, head)) != NULL;) {
        unsigned int stores, loads;
        struct kernel_code *kernel;
        const char *name = found += sizeof head - 1;
        found += strcspn(found, " \n");
        kernel = find_kernel(kernels, count, kept_text(name, (size_t)(found - name)));
        if (kernel == NULL ||
            sscanf(found, " %*u bytes stack frame, %u bytes spill stores, %u bytes spill loads",
                   &stores, &loads) != 2)
            continue;
        kernel->has_spills = true;
        kernel->spill_store_bytes = stores;
        kernel->spill_load_bytes = loads;
    }
}
