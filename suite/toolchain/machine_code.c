/* SPDX-License-Identifier: MIT */
#include "machine_code.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a, by the length too. */
static uint64_t digest_of(const unsigned char *bytes, size_t count)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325) ^ count;

    for (size_t i = 0; i < count; i++)
        digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    return digest;
}

/* Takes the section where it is a kernel's, ".text.<kernel>". False when memory runs out. */
static bool take_section(Elf_Scn *section, const char *title, struct kernel_code **kernels,
                         size_t *count)
{
    static const char text[] = ".text.";
    Elf_Data *data = elf_getdata(section, NULL);
    struct kernel_code *more;

    if (strncmp(title, text, sizeof text - 1) != 0 || data == NULL)
        return true;
    more = (*count & (*count - 1)) == 0
               ? realloc(*kernels, (*count == 0 ? 1 : 2 * *count) * sizeof *more)
               : *kernels;
    if (more == NULL)
        return false;
    *kernels = more;
    more[*count] = (struct kernel_code){.digest = digest_of(data->d_buf, data->d_size),
                                        .bytes = (uint32_t)data->d_size};
    snprintf(more[(*count)++].name, sizeof more->name, "%s", title + sizeof text - 1);
    return true;
}

bool machine_code_read(const char *cubin, struct kernel_code **kernels, size_t *count, char *error,
                       size_t error_size)
{
    int file = open(cubin, O_RDONLY | O_CLOEXEC);
    Elf *elf = NULL;
    Elf_Scn *section = NULL;
    size_t names;
    bool good = false;

    *kernels = NULL;
    *count = 0;
    elf_version(EV_CURRENT);
    if (file < 0)
        snprintf(error, error_size, "cannot read %s: %s", cubin, strerror(errno));
    else if ((elf = elf_begin(file, ELF_C_READ, NULL)) == NULL || elf_kind(elf) != ELF_K_ELF ||
             elf_getshdrstrndx(elf, &names) != 0)
        snprintf(error, error_size, "%s is no cubin: its ELF cannot be read", cubin);
    else
        good = true;
    while (good && (section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        const char *title;
        if (gelf_getshdr(section, &header) == NULL ||
            (title = elf_strptr(elf, names, header.sh_name)) == NULL)
            continue;
        good = take_section(section, title, kernels, count);
        if (!good)
            snprintf(error, error_size, "out of memory");
    }
    if (elf != NULL)
        elf_end(elf);
    if (file >= 0)
        close(file);
    if (!good) {
        free(*kernels);
        *kernels = NULL;
    }
    return good;
}
