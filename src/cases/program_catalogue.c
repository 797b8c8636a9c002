/* SPDX-License-Identifier: MIT */
#include "program_catalogue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls the program as (in, out, n), in whole blocks. */
static void invoke_program(const struct variant *variant, const struct shape *shape,
                           struct invocation *out)
{
    uint64_t n = shape->size[0];

    *out = (struct invocation){
        .kernel = variant->kernel,
        .grid = {(uint32_t)(n / PROGRAM_BLOCK), 1, 1},
        .block = {PROGRAM_BLOCK, 1, 1},
        .buffer_count = 2,
        .argument_count = 3,
        .buffers =
            {{.name = "in", .role = ROLE_INPUT, .element = ELEMENT_I32, .count = PROGRAM_IN * n},
             {.name = "out",
              .role = ROLE_OUTPUT,
              .element = ELEMENT_I32,
              .count = PROGRAM_OUT * n}},
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_VALUE, (uint32_t)n}},
    };
}

bool program_catalogue_make(const struct program *programs, size_t count,
                            struct program_catalogue *result)
{
    struct variant *variants = calloc(count + 1, sizeof *variants);

    *result = (struct program_catalogue){.programs = malloc((count + 1) * sizeof *programs)};
    if (variants == NULL || result->programs == NULL) {
        free(variants);
        free(result->programs);
        return false;
    }
    if (count > 0)
        memcpy(result->programs, programs, count * sizeof *programs);
    for (size_t k = 0; k < count; k++)
        variants[k] = (struct variant){.id = result->programs[k].name,
                                       .kind = VARIANT_CORRECTED,
                                       .family = "programs",
                                       .kernel = result->programs[k].name,
                                       .source = "drawn",
                                       .contract = CONTRACT_PROGRAM,
                                       .elements_per_thread = 1,
                                       .domain = &everywhere,
                                       .invoke = invoke_program,
                                       .block_dimensions = 1,
                                       .size_dimensions = 1,
                                       .program = &result->programs[k]};
    result->catalogue = (struct catalogue){.variants = variants, .count = count};
    return true;
}

bool program_catalogue_read(const char *path, struct program_catalogue *result, char *error,
                            size_t error_size)
{
    FILE *from = fopen(path, "r");
    struct program *programs = NULL, *more;
    char *line = NULL, sentence[160];
    size_t room = 0, count = 0;
    bool good = from != NULL;

    if (!good)
        snprintf(error, error_size, "cannot read %s: %s", path, strerror(errno));
    else if (getline(&line, &room, from) <= 0 || strcmp(line, PROGRAMS_TAG) != 0) {
        snprintf(error, error_size, "%s:1: this is not a list of programs", path);
        good = false;
    }
    while (good && getline(&line, &room, from) > 0) {
        more = (count & (count - 1)) == 0
                   ? realloc(programs, (count == 0 ? 1 : 2 * count) * sizeof *programs)
                   : programs;
        good = more != NULL;
        programs = more != NULL ? more : programs;
        if (!good)
            snprintf(error, error_size, "out of memory");
        else if (!program_read(line, &programs[count], sentence, sizeof sentence)) {
            snprintf(error, error_size, "%s:%zu: %s", path, count + 2, sentence);
            good = false;
        }
        count += good;
    }
    free(line);
    if (from != NULL)
        fclose(from);
    if (good && !program_catalogue_make(programs, count, result)) {
        snprintf(error, error_size, "out of memory");
        good = false;
    }
    free(programs);
    return good;
}

void program_catalogue_free(struct program_catalogue *catalogue)
{
    free((void *)(uintptr_t)catalogue->catalogue.variants);
    free(catalogue->programs);
    *catalogue = (struct program_catalogue){.programs = NULL};
}
