/* SPDX-License-Identifier: MIT */
#include "reference.h"

#include "case_id.h"
#include "error_report.h"
#include "input_values.h"
#include "launch_text.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 768 };

/* A case in the list of a folder. */
struct kept_case {
    uint64_t name[8]; /* block, sizes and values */
    uint64_t has_failed;
};

/* Writes the path of the file of a case. */
static void path_of(const struct expectation *test, char path[PATH_SIZE])
{
    char block[WORD_SIZE], size[WORD_SIZE];

    block_format(&test->shape->block, block);
    size_format(test->shape, size);
    snprintf(path, PATH_SIZE, "%s/%s-%s-%016" PRIx64, test->variant->launch->reference.path, block,
             size, test->key);
}

/* Returns the bytes of the buffer's error bounds that are kept. */
static size_t bound_bytes(const struct variant *variant, const struct buffer *buffer)
{
    bool is_float = buffer->element == ELEMENT_F32 || buffer->element == ELEMENT_F64;

    return variant->launch->reference.has_bounds && is_float ? buffer->count * sizeof(double) : 0;
}

/* Returns whether the buffer's contents are kept. */
static bool is_output(const struct buffer *buffer)
{
    return buffer->role == ROLE_OUTPUT || buffer->role == ROLE_INOUT || buffer->role == ROLE_LOG;
}

bool reference_keep(const struct expectation *came)
{
    char path[PATH_SIZE], unfinished[PATH_SIZE + 32];
    FILE *to;
    bool good = true;

    if (came->variant->launch == NULL || came->variant->launch->reference.kind != REFERENCE_WRITE)
        return true;
    path_of(came, path);
    snprintf(unfinished, sizeof unfinished, "%s.%ld", path, (long)getpid());
    to = fopen(unfinished, "wb");
    if (to == NULL)
        return false;
    for (uint32_t k = 0; k < came->invocation->buffer_count; k++) {
        const struct buffer *buffer = &came->invocation->buffers[k];
        size_t bounds = bound_bytes(came->variant, buffer);
        if (!is_output(buffer) || buffer->count == 0)
            continue;
        good = fwrite(came->arrays[k], buffer_bytes(buffer), 1, to) == 1 && good;
        good = (bounds == 0 || fwrite(came->bounds[k], bounds, 1, to) == 1) && good;
    }
    return fclose(to) == 0 && good && rename(unfinished, path) == 0;
}

/* Reads the kept outputs of a case as the expected ones. */
static bool expect_kept(const struct expectation *expectation)
{
    char path[PATH_SIZE];
    FILE *from;
    bool good = true;

    path_of(expectation, path);
    from = fopen(path, "rb");
    if (from == NULL)
        return false;
    for (uint32_t k = 0; k < expectation->invocation->buffer_count; k++) {
        const struct buffer *buffer = &expectation->invocation->buffers[k];
        size_t bounds = bound_bytes(expectation->variant, buffer);
        if (!is_output(buffer) || buffer->count == 0)
            continue;
        good = fread(expectation->arrays[k], buffer_bytes(buffer), 1, from) == 1 && good;
        good = (bounds == 0 || fread(expectation->bounds[k], bounds, 1, from) == 1) && good;
    }
    fclose(from);
    return good;
}

/* ---- The list of cases ---- */

static struct kept_case name_of(const struct shape *shape, uint64_t key)
{
    return (struct kept_case){.name = {shape->block.x, shape->block.y, shape->block.z,
                                       shape->size[0], shape->size[1], shape->further[0],
                                       shape->further[1], key}};
}

static int compare_names(const void *one, const void *other)
{
    const struct kept_case *a = one, *b = other;

    return memcmp(a->name, b->name, sizeof a->name);
}

static FILE *open_list(const struct reference *reference, const char *mode)
{
    char path[sizeof reference->path + 8];

    snprintf(path, sizeof path, "%s/cases", reference->path);
    return fopen(path, mode);
}

bool reference_list(const struct reference *reference, const struct test_case *cases,
                    const struct outcome *outcomes, size_t count)
{
    FILE *to = open_list(reference, "wb");
    uint64_t total = count;
    bool good = to != NULL && fwrite(&total, sizeof total, 1, to) == 1;

    for (size_t k = 0; good && k < count; k++) {
        struct kept_case kept = name_of(&cases[k].shape, values_key(cases[k].values));
        kept.has_failed = outcomes[k].kind != OUTCOME_PASS;
        good = fwrite(&kept, sizeof kept, 1, to) == 1;
    }
    return to != NULL && fclose(to) == 0 && good;
}

/* Reads the list. Returns false if it is missing or incomplete. */
static bool read_list(struct reference *reference)
{
    FILE *from = open_list(reference, "rb");
    uint64_t count = 0;
    bool good = from != NULL && fread(&count, sizeof count, 1, from) == 1 &&
                count < SIZE_MAX / sizeof *reference->kept &&
                (reference->kept = malloc((size_t)count * sizeof *reference->kept + 1)) != NULL &&
                fread(reference->kept, sizeof *reference->kept, (size_t)count, from) == count;

    if (from != NULL)
        fclose(from);
    reference->kept_count = good ? (size_t)count : 0;
    if (good)
        qsort(reference->kept, reference->kept_count, sizeof *reference->kept, compare_names);
    return good;
}

bool reference_is_whole(const struct expectation *expectation)
{
    const struct launch_text *launch = expectation->variant->launch;
    struct kept_case wanted = name_of(expectation->shape, expectation->key);
    const struct kept_case *kept;
    struct stat status;
    char path[PATH_SIZE];
    off_t bytes = 0;

    if (launch == NULL || launch->reference.kind != REFERENCE_KEPT)
        return true;
    kept = bsearch(&wanted, launch->reference.kept, launch->reference.kept_count, sizeof *kept,
                   compare_names);
    if (kept == NULL || kept->has_failed)
        return true;
    for (uint32_t k = 0; k < expectation->invocation->buffer_count; k++)
        if (is_output(&expectation->invocation->buffers[k]))
            bytes +=
                (off_t)(buffer_bytes(&expectation->invocation->buffers[k]) +
                        bound_bytes(expectation->variant, &expectation->invocation->buffers[k]));
    path_of(expectation, path);
    return stat(path, &status) == 0 && status.st_size == bytes;
}

/* ---- Use ---- */

bool reference_take(struct reference *reference, struct variant *variant, char *error,
                    size_t error_size)
{
    reference->kept = NULL;
    reference->kept_count = 0;
    variant->contract = reference->kind == REFERENCE_NONE ? CONTRACT_NONE : CONTRACT_EXPECTED;
    variant->ulps = reference->ulps;
    variant->has_bounds = reference->has_bounds;
    if (reference->kind == REFERENCE_WRITE) /* but not checked */
        variant->contract = CONTRACT_NONE;
    variant->may_abstain =
        reference->kind == REFERENCE_KEPT; /* the old code may have failed here */
    if (reference->kind == REFERENCE_KEPT) {
        variant->expected = expect_kept;
        return read_list(reference) ||
               error_write(error, error_size, "the results of the reference code in '%s' are lost",
                           reference->path);
    }
    return true;
}

bool reference_load(const struct reference *reference, struct variant *variant, char *error,
                    size_t error_size)
{
    void *object = dlopen(reference->path, RTLD_NOW | RTLD_LOCAL);

    if (object != NULL) { /* of an oracle in C++, or in C */
        void *found = dlsym(object, "simtcheck_expected");
        *(void **)&variant->expected = found != NULL ? found : dlsym(object, "expected");
    }
    if (object == NULL || variant->expected == NULL)
        return error_write(error, error_size, "cannot load the oracle: %s", dlerror());
    return true;
}

void reference_free(struct reference *reference)
{
    free(reference->kept);
    reference->kept = NULL;
}
