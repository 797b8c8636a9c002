/* SPDX-License-Identifier: MIT */
#include "soak_code.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool soak_code_open(struct soak_code *code, const char *visible, size_t count)
{
    *code = (struct soak_code){.visible = visible, .files = calloc(count, sizeof *code->files)};
    code->state =
        mmap(NULL, sizeof *code->state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (code->files == NULL || code->state == MAP_FAILED)
        return false;
    for (size_t m = 0; m < count; m++)
        if ((code->files[m] = memfd_create("simtcheck-soak", MFD_CLOEXEC)) < 0)
            return false;
    return true;
}

static uint32_t capability_of(const struct soak_facts *facts)
{
    return 10 * facts->major + facts->minor;
}

void soak_code_compile(struct soak_code *code, const struct soak_module *modules, size_t count)
{
    struct soak_device gpu;
    char reason[SOAK_REASON] = "";
    size_t m;

    if (code->visible == NULL)
        return;
    setenv("CUDA_VISIBLE_DEVICES", code->visible, 1);
    if (!soak_gpu_open(&gpu, reason)) {
        snprintf(code->state->reason, SOAK_REASON, "%s", reason);
        return;
    }
    atomic_store(&code->state->capability, capability_of(&gpu.facts));
    while ((m = atomic_fetch_add(&code->state->next, 1)) < count)
        if (modules[m].count > 0 && soak_gpu_compile(&gpu, &modules[m], code->files[m], reason))
            atomic_fetch_add(&code->state->compiled, 1);
}

void *soak_code_read(const struct soak_code *code, size_t m, const struct soak_facts *facts)
{
    struct stat status;
    void *read;

    if (code->visible == NULL || atomic_load(&code->state->capability) != capability_of(facts) ||
        fstat(code->files[m], &status) != 0 || status.st_size == 0)
        return NULL;
    read = malloc((size_t)status.st_size);
    if (read != NULL && pread(code->files[m], read, (size_t)status.st_size, 0) != status.st_size) {
        free(read);
        return NULL;
    }
    return read;
}
