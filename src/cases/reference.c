/* SPDX-License-Identifier: MIT */
#include "reference.h"

#include "case_id.h"
#include "error_report.h"
#include "launch_text.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_SIZE = 768 };

/* Writes the path of the file of a case. */
static void path_of(const struct expectation *test, char path[PATH_SIZE])
{
    char block[WORD_SIZE], size[WORD_SIZE];

    block_format(&test->shape->block, block);
    size_format(test->shape, size);
    snprintf(path, PATH_SIZE, "%s/%s-%s-%016" PRIx64, test->variant->launch->reference.path, block,
             size, test->key);
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
        if (is_output(buffer) && buffer->count > 0)
            good = fwrite(came->arrays[k], buffer_bytes(buffer), 1, to) == 1 && good;
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
        if (is_output(buffer) && buffer->count > 0)
            good = fread(expectation->arrays[k], buffer_bytes(buffer), 1, from) == 1 && good;
    }
    fclose(from);
    return good;
}

bool reference_take(const struct reference *reference, struct variant *variant, char *error,
                    size_t error_size)
{
    void *object;

    variant->contract = reference->kind == REFERENCE_NONE ? CONTRACT_NONE : CONTRACT_EXPECTED;
    variant->ulps = reference->ulps;
    if (reference->kind == REFERENCE_WRITE) /* but not checked */
        variant->contract = CONTRACT_NONE;
    variant->may_abstain =
        reference->kind == REFERENCE_KEPT; /* the old code may have failed here */
    if (reference->kind == REFERENCE_KEPT)
        variant->expected = expect_kept;
    if (reference->kind != REFERENCE_ORACLE)
        return true;
    object = dlopen(reference->path, RTLD_NOW | RTLD_LOCAL);
    if (object != NULL)
        *(void **)&variant->expected = dlsym(object, "expected");
    if (object == NULL || variant->expected == NULL)
        return error_write(error, error_size, "cannot load the oracle: %s", dlerror());
    return true;
}
