/* SPDX-License-Identifier: MIT
 *
 * Finds the code to mutate: a user's kernel, or kernels of the catalogue.
 */
#include "error_report.h"
#include "fnv.h"
#include "installation.h"
#include "mutate.h"
#include "whole_file.h"
#include "wire.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mutation_fails(struct mutation *mutation, int status, const char *format, ...)
{
    va_list arguments;

    pthread_mutex_lock(&mutation->mutex);
    if (mutation->error[0] == '\0') {
        va_start(arguments, format);
        vsnprintf(mutation->error, sizeof mutation->error, format, arguments);
        va_end(arguments);
        mutation->status = status;
    }
    pthread_mutex_unlock(&mutation->mutex);
    return false;
}

/* ---- A file ---- */

static void add_to_digest(uint64_t *digest, const char *text)
{
    *digest = fnv_number(fnv_bytes(*digest, text, strlen(text)), 0xff);
}

/* Returns whether verdicts do not depend on the option. */
static bool is_apart(const char *word)
{
    static const char *const options[] = {"--out", "--jobs", "--json", "--junit", "--sarif"};

    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        if (strcmp(word, options[k]) == 0)
            return true;
    return false;
}

/* Makes the digest of all that verdicts depend on: launch, flags, compiler and simtcheck itself. */
static void make_digest(const struct mutation *mutation, struct mutated *mutated)
{
    const struct mutate_request *request = mutation->request;
    uint64_t digest = FNV_OFFSET_BASIS;

    add_to_digest(&digest, mutated->text);
    add_to_digest(&digest, build_identity);
    add_to_digest(&digest, mutation->tools.compiler.version);
    for (size_t w = 0; mutation->is_users && w < request->word_count; w++)
        if (is_apart(request->words[w]))
            w++;
        else
            add_to_digest(&digest, request->words[w]);
    snprintf(mutated->digest, sizeof mutated->digest, "%016" PRIx64, digest);
}

static bool read_file(struct mutation *mutation, struct mutated *mutated)
{
    struct mutated_source *source = &mutated->source;
    size_t size = 0;

    mutated->text = read_whole_file(mutated->source.path, &size);
    if (mutated->text == NULL)
        return mutation_fails(mutation, EXIT_USAGE, "cannot read '%s': %s", mutated->source.path,
                              strerror(errno));
    mutated->text[size] = '\0';
    source->tools = &mutation->tools;
    make_digest(mutation, mutated);
    source_read(mutated->text, strlen(mutated->text), &source->source);
    source->functions = source_functions(&source->source, &source->function_count);
    return true;
}

static bool add_target(struct mutation *mutation, struct mutated_source *source,
                       const struct variant *variant)
{
    struct list all = {source->targets, source->target_count};
    struct mutant_target *target = list_add(&mutation->memory, &all, sizeof *target);

    source->targets = all.items;
    source->target_count = all.count;
    return mutant_target_make(&mutation->request->selection.cases, variant, &mutation->memory,
                              target) ||
           mutation_fails(mutation, EXIT_ENVIRONMENT, "out of memory");
}

static struct mutated *add_file(struct mutation *mutation, const char *path)
{
    struct list all = {mutation->files, mutation->file_count};
    struct mutated *added = list_add(&mutation->memory, &all, sizeof *added);

    added->source.path = memory_copy(&mutation->memory, path);
    mutation->files = all.items;
    mutation->file_count = all.count;
    return added;
}

void mutated_free(struct mutated *mutated)
{
    mutants_free(&mutated->mutants);
    source_free(&mutated->source.source);
    free(mutated->text);
}

static void add_launch(struct mutation *mutation, struct mutated *mutated,
                       const struct launch_mutant *launch)
{
    struct list all = {mutated->launches, mutated->launch_count};

    LIST_ADD(&mutation->memory, &all, struct launch_mutant) = *launch;
    mutated->launches = all.items;
    mutated->launch_count = all.count;
}

/* ---- A user's ---- */

/* Adds the launch with one change, unless the changed launch is invalid. */
static void add_changed_launch(struct mutation *mutation, struct mutated *mutated,
                               const struct mutant *mutant)
{
    const char *text = mutation->request->launch;
    struct memory *memory = &mutation->memory;
    char *after = mutant_apply(mutant, text, strlen(text)), error[1024];
    struct launch_mutant launch = {.before = text,
                                   .after = memory_copy(memory, after != NULL ? after : ""),
                                   .change =
                                       memory_text(memory, "'%.*s' -> '%s'", (int)mutant->length,
                                                   text + mutant->offset, mutant->with),
                                   .launch = memory_take(memory, sizeof *launch.launch)};
    size_t column;

    free(after);
    if (!launch_parse(launch.after, &mutation->launch.sizes, launch.launch, &column, error,
                      sizeof error) ||
        !launch_load_files(launch.launch, error, sizeof error) ||
        !launch_copy_constants(launch.launch, &mutation->launch))
        return;
    for (uint32_t a = 0; a < mutation->launch.argument_count; a++)
        launch.launch->arguments[a].type = mutation->launch.arguments[a].type;
    launch.launch->calls[0].symbol = mutation->launch.calls[0].symbol;
    add_launch(mutation, mutated, &launch);
}

static void add_changed_launches(struct mutation *mutation, struct mutated *mutated)
{
    const char *text = mutation->request->launch;
    struct source launch;
    struct mutants mutants;

    source_read(text, strlen(text), &launch);
    mutants_of_launch(&launch, &mutants);
    for (size_t m = 0; m < mutants.count; m++)
        add_changed_launch(mutation, mutated, &mutants.all[m]);
    mutants_free(&mutants);
    source_free(&launch);
}

/* Copies the flags of the compiler and adds one. */
static void take_flags(struct mutation *mutation, struct mutated *mutated, const char *const *flags,
                       size_t count, const char *more)
{
    const char **all = memory_take(&mutation->memory, (count + 1) * sizeof *all);

    for (size_t f = 0; f < count; f++)
        all[f] = flags[f];
    all[count] = memory_copy(&mutation->memory, more);
    mutated->source.flags = all;
    mutated->source.flag_count = count + 1;
}

bool mutation_take_launch(struct mutation *mutation)
{
    const struct mutate_request *request = mutation->request;
    struct mutated *mutated = add_file(mutation, request->file);
    char include[BATCH_PATH + 2], path[BATCH_PATH], error[512];

    if (!read_file(mutation, mutated))
        return false;
    snprintf(path, sizeof path, "%s", mutated->source.path);
    snprintf(include, sizeof include, "-I%s", dirname(path)); /* the folder of the file's own
                                                                 headers */
    take_flags(mutation, mutated, request->flags, request->flag_count, include);
    mutated->source.expression = mutation->launch.calls[0].kernel;
    if (!launch_catalogue_make(&mutation->launch, &mutation->catalogue, error, sizeof error))
        return mutation_fails(mutation, EXIT_ENVIRONMENT, "%s", error);
    add_changed_launches(mutation, mutated);
    return add_target(mutation, &mutated->source, &mutation->catalogue.row->variant);
}

/* ---- The catalogue's ---- */

static void add_changed_extents(struct mutation *mutation, struct mutated *mutated, size_t target)
{
    const struct variant *variant = mutated->source.targets[target].variant;
    uint32_t grid = variant->sizes == SIZES_MATRIX ? 2 : 1;
    uint32_t block = variant->block_dimensions > 0 ? variant->block_dimensions : 1;

    for (uint32_t d = 0; d < grid + block; d++)
        for (int by = 1; by >= -1; by -= 2) {
            struct launch_mutant launch = {
                .target = target,
                .extents = {.what = d < grid ? CHANGED_GRID : CHANGED_BLOCK,
                            .dimension = d < grid ? d : d - grid,
                            .by = by}};
            char before[16], after[24];
            snprintf(before, sizeof before, "%s.%c", d < grid ? "grid" : "block",
                     "xyz"[launch.extents.dimension]);
            snprintf(after, sizeof after, "%s %c 1", before, by > 0 ? '+' : '-');
            launch.before = memory_copy(&mutation->memory, before);
            launch.after = memory_copy(&mutation->memory, after);
            launch.change = memory_text(&mutation->memory, "%s -> %s", before, after);
            add_launch(mutation, mutated, &launch);
        }
}

/* Returns true if a row with the same kernel and the same oracle exists already. */
static bool is_known(const struct mutated *mutated, const struct variant *variant)
{
    for (size_t t = 0; t < mutated->source.target_count; t++) {
        const struct variant *other = mutated->source.targets[t].variant;
        if (strcmp(other->kernel, variant->kernel) == 0 && other->invoke == variant->invoke &&
            other->contract == variant->contract && other->launches == variant->launches)
            return true;
    }
    return false;
}

static struct mutated *file_of(struct mutation *mutation, const struct variant *variant)
{
    char include[BATCH_PATH - 160], kernels[BATCH_PATH - 160], path[BATCH_PATH];
    struct mutated *mutated;

    installation_data("kernels", kernels, sizeof kernels);
    snprintf(path, sizeof path, "%s/%.150s.cu", kernels, variant->family);
    for (size_t f = 0; f < mutation->file_count; f++)
        if (strcmp(mutation->files[f].source.path, path) == 0)
            return &mutation->files[f];
    mutated = add_file(mutation, path);
    installation_data("include", include, sizeof include);
    take_flags(mutation, mutated, kernel_flags, KERNEL_FLAGS, include);
    return read_file(mutation, mutated) ? mutated : NULL;
}

bool mutation_take_catalogue(struct mutation *mutation)
{
    const struct catalogue *catalogue = mutation->session->catalogue;

    for (size_t v = 0; v < catalogue->count; v++) {
        const struct variant *variant = &catalogue->variants[v];
        struct mutated *mutated;
        if (variant->kind != VARIANT_CORRECTED || variant->kernel == NULL ||
            !selection_has(&mutation->request->selection, variant))
            continue;
        mutated = file_of(mutation, variant);
        if (mutated == NULL)
            return false;
        if (is_known(mutated, variant))
            continue;
        if (!add_target(mutation, &mutated->source, variant))
            return false;
        add_changed_extents(mutation, mutated, mutated->source.target_count - 1);
    }
    return mutation->file_count > 0 ||
           mutation_fails(mutation, EXIT_USAGE, "no corrected variant with a kernel is selected");
}
