/* SPDX-License-Identifier: MIT */
#include "loaded.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_RANGES = 8 };

struct range {
    uintptr_t low, high;
};

static struct {
    const struct simt_source_code *code; /* null: nothing is loaded */
    struct range shared, constants[MAX_RANGES];
    const void *start;
    size_t dynamic_start;
    int constant_count, memory; /* memory: the file that the variables' pages are of; 0: none yet */
    char *first_values;
} loaded;

static bool is_in(struct range range, uintptr_t address, size_t size)
{
    return address >= range.low && address < range.high && size <= range.high - address;
}

static void add_constants(struct range range)
{
    if (loaded.constant_count < MAX_RANGES)
        loaded.constants[loaded.constant_count++] = range;
}

/* Takes the segments of the object that `code` lies in. */
static int look_at_segments(struct dl_phdr_info *info, size_t size, void *unused)
{
    bool is_it = false;
    (void)size;
    (void)unused;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + segment->p_vaddr;
        is_it = is_it ||
                (segment->p_type == PT_LOAD && is_in((struct range){low, low + segment->p_memsz},
                                                     (uintptr_t)loaded.code, sizeof *loaded.code));
    }
    if (is_it)
        loaded.start = (const void *)info->dlpi_addr;
    for (int i = 0; is_it && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + segment->p_vaddr, tls = (uintptr_t)info->dlpi_tls_data;
        if (segment->p_type == PT_TLS && tls != 0)
            loaded.shared = (struct range){tls, tls + segment->p_memsz};
        if ((segment->p_type == PT_LOAD && !(segment->p_flags & PF_W)) ||
            segment->p_type == PT_GNU_RELRO)
            add_constants((struct range){low, low + segment->p_memsz});
    }
    return is_it;
}

bool loaded_take(void *handle, const struct simt_source_code *code, char *reason,
                 size_t reason_size)
{
    /* Which gives this thread its copy of the segment. */
    const char *window = dlsym(handle, "simt_dynamic_window");
    size_t bytes = (size_t)(code->end - code->begin);

    if (loaded.memory > 0)
        close(loaded.memory);
    free(loaded.first_values);
    memset(&loaded, 0, sizeof loaded);
    loaded.code = code;
    dl_iterate_phdr(look_at_segments, NULL);
    if (window == NULL || loaded.shared.high == 0) {
        snprintf(reason, reason_size, "the kernels' object has no room for shared memory");
        loaded.code = NULL;
        return false;
    }
    loaded.dynamic_start = (uintptr_t)window - loaded.shared.low;
    loaded.first_values = malloc(bytes + 1);
    if (loaded.first_values == NULL) {
        snprintf(reason, reason_size, "out of memory");
        loaded.code = NULL;
        return false;
    }
    memcpy(loaded.first_values, code->begin, bytes);
    return true;
}

bool loaded_is_there(void)
{
    return loaded.code != NULL;
}

const void *loaded_start(void)
{
    return loaded.start;
}

void loaded_shared(uintptr_t *base, size_t *size)
{
    *base = loaded.shared.low;
    *size = loaded.shared.high - loaded.shared.low;
}

size_t loaded_dynamic_start(void)
{
    return loaded.dynamic_start;
}

const struct simt_source_variable *loaded_variable(size_t k)
{
    const struct simt_source_code *code = loaded.code;

    return code != NULL && k < (size_t)(code->variables_end - code->variables) ? code->variables[k]
                                                                               : NULL;
}

uintptr_t loaded_pages(size_t *bytes)
{
    *bytes = loaded.code != NULL ? (size_t)(loaded.code->end - loaded.code->begin) : 0;
    return loaded.code != NULL ? (uintptr_t)loaded.code->begin : 0;
}

/* What code says and what the engine says are one memory under two addresses. */
bool loaded_map(void *alias, char *reason, size_t reason_size)
{
    enum { PROTECTION = PROT_READ | PROT_WRITE, WHERE = MAP_SHARED | MAP_FIXED };
    size_t bytes;
    void *pages = (void *)loaded_pages(&bytes);

    if (bytes == 0)
        return true;
    if (loaded.memory == 0)
        loaded.memory = memfd_create("variables", MFD_CLOEXEC);
    if (loaded.memory < 0 || ftruncate(loaded.memory, (off_t)bytes) != 0 ||
        mmap(pages, bytes, PROTECTION, WHERE, loaded.memory, 0) == MAP_FAILED ||
        mmap(alias, bytes, PROTECTION, WHERE, loaded.memory, 0) == MAP_FAILED) {
        snprintf(reason, reason_size, "cannot map the kernels' variables: %s", strerror(errno));
        return false;
    }
    loaded_restore();
    return true;
}

void loaded_restore(void)
{
    if (loaded.code != NULL)
        memcpy(loaded.code->begin, loaded.first_values,
               (size_t)(loaded.code->end - loaded.code->begin));
}

bool loaded_is_constant(uintptr_t address, size_t size)
{
    for (int r = 0; r < loaded.constant_count; r++)
        if (is_in(loaded.constants[r], address, size))
            return true;
    return false;
}
