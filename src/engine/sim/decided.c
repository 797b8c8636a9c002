/* SPDX-License-Identifier: MIT */
#include "decided.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 64, MAX_BYTES = 64 << 20 };

static struct entry {
    struct invocation *invocation; /* null: the entry is free */
    char *kernel;
    struct values values;
    struct nesting nesting;
    struct engine_outcome outcome;
    char *outputs[MAX_BUFFERS];
    struct kernel_coverage coverage;
    bool *reached;
} entries[ENTRIES];
static size_t next, bytes_held;

static size_t bytes_of(const struct invocation *invocation)
{
    size_t bytes = sizeof *invocation;

    for (uint32_t k = 0; k < invocation->buffer_count; k++)
        bytes += buffer_bytes(&invocation->buffers[k]);
    return bytes;
}

static void forget(struct entry *entry)
{
    if (entry->invocation == NULL)
        return;
    bytes_held -= bytes_of(entry->invocation);
    for (uint32_t k = 0; k < MAX_BUFFERS; k++)
        free(entry->outputs[k]);
    free(entry->reached);
    free(entry->kernel);
    free(entry->invocation);
    *entry = (struct entry){.invocation = NULL};
}

void decided_forget(void)
{
    for (size_t e = 0; e < ENTRIES; e++)
        forget(&entries[e]);
    next = 0;
}

/* Compares an entry with a job. Kernel names are compared as text, because invocations are rebuilt
 * for each case. */
static bool is_same(const struct entry *entry, const struct engine_job *job)
{
    struct invocation one;

    if (entry->invocation == NULL || strcmp(entry->kernel, job->invocation->kernel) != 0 ||
        memcmp(&entry->values, &job->values, sizeof job->values) != 0 ||
        memcmp(&entry->nesting, &job->nesting, sizeof job->nesting) != 0)
        return false;
    one = *job->invocation;
    one.kernel = NULL;
    return memcmp(&one, entry->invocation, sizeof one) == 0;
}

bool decided_find(const struct engine_job *job, struct engine_outcome *outcome)
{
    for (size_t e = 0; e < ENTRIES; e++) {
        if (!is_same(&entries[e], job))
            continue;
        *outcome = entries[e].outcome;
        outcome->coverage = &entries[e].coverage;
        for (uint32_t k = 0; k < job->invocation->buffer_count; k++)
            if (job->results[k] != NULL && entries[e].outputs[k] != NULL)
                memcpy(job->results[k], entries[e].outputs[k],
                       buffer_bytes(&job->invocation->buffers[k]));
        return true;
    }
    return false;
}

/* Copies the coverage. A job of one launch has the coverage of at most one kernel. Returns false if
 * memory runs out. */
static bool keep_coverage(struct entry *entry, const struct engine_outcome *outcome)
{
    if (outcome->coverage_count == 0)
        return true;
    entry->coverage = outcome->coverage[0];
    entry->reached = malloc(entry->coverage.count * sizeof *entry->reached + 1);
    if (entry->reached == NULL)
        return false;
    memcpy(entry->reached, entry->coverage.reached, entry->coverage.count * sizeof *entry->reached);
    entry->coverage.reached = entry->reached;
    return true;
}

void decided_add(const struct engine_job *job, const struct engine_outcome *outcome,
                 const char *const outputs[MAX_BUFFERS])
{
    struct entry *entry = &entries[next];
    size_t bytes = bytes_of(job->invocation);
    bool good = true;

    if (bytes > MAX_BYTES / 4)
        return;
    forget(entry);
    for (size_t e = 0; e < ENTRIES && bytes_held + bytes > MAX_BYTES; e++)
        forget(&entries[(next + e) % ENTRIES]);
    next = (next + 1) % ENTRIES;
    entry->invocation = malloc(sizeof *entry->invocation);
    entry->kernel = strdup(job->invocation->kernel);
    if (entry->invocation == NULL || entry->kernel == NULL) {
        free(entry->invocation);
        free(entry->kernel);
        *entry = (struct entry){.invocation = NULL};
        return;
    }
    *entry->invocation = *job->invocation;
    entry->invocation->kernel = NULL;
    entry->values = job->values;
    entry->nesting = job->nesting;
    entry->outcome = *outcome;
    bytes_held += bytes;
    for (uint32_t k = 0; k < job->invocation->buffer_count; k++) {
        size_t size = buffer_bytes(&job->invocation->buffers[k]);
        if (outputs[k] == NULL)
            continue;
        entry->outputs[k] = malloc(size + 1);
        good = good && entry->outputs[k] != NULL;
        if (entry->outputs[k] != NULL)
            memcpy(entry->outputs[k], outputs[k], size);
    }
    if (!good || !keep_coverage(entry, outcome))
        forget(entry);
}
