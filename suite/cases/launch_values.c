/* SPDX-License-Identifier: MIT
 *
 * A launch that was read, at one shape.
 */
#include "launch_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_anywhere(const struct launch_text *launch, enum variable variable)
{
    bool found = expression_has(&launch->shared_bytes, variable);

    for (int d = 0; d < 3; d++)
        found = found || expression_has(&launch->grid[d], variable) ||
                expression_has(&launch->block[d], variable);
    for (uint32_t a = 0; a < launch->argument_count; a++)
        found = found || expression_has(&launch->arguments[a].scalar.value, variable);
    for (uint32_t m = 0; m < launch->member_count; m++)
        found = found || expression_has(&launch->members[m].scalar.value, variable);
    for (uint32_t a = 0; a < launch->array_count; a++)
        found = found || expression_has(&launch->arrays[a].count, variable) ||
                expression_has(&launch->arrays[a].low, variable) ||
                expression_has(&launch->arrays[a].high, variable);
    return found;
}

uint32_t launch_size_dimensions(const struct launch_text *launch)
{
    return is_anywhere(launch, VARIABLE_NX) || is_anywhere(launch, VARIABLE_NY) ? 2 : 1;
}

bool launch_has_block(const struct launch_text *launch)
{
    return is_anywhere(launch, VARIABLE_B);
}

/* A number from 0 to `most`. */
static bool value_of(const struct expression *expression, const int64_t variables[VARIABLES],
                     const char *what, int64_t most, uint64_t *value, char *error,
                     size_t error_size)
{
    int64_t number;

    if (!expression_value(expression, variables, &number))
        snprintf(error, error_size, "%s cannot be computed: it divides by 0 or leaves 64 bits",
                 what);
    else if (number < 0 || number > most)
        snprintf(error, error_size, "%s is %" PRId64 ", and has to be from 0 to %" PRId64, what,
                 number, most);
    else {
        *value = (uint64_t)number;
        return true;
    }
    return false;
}

static bool extent_of(const struct expression expressions[3], const int64_t variables[VARIABLES],
                      const char *what, struct extent *extent, char *error, size_t error_size)
{
    uint64_t numbers[3];

    for (int d = 0; d < 3; d++)
        if (!value_of(&expressions[d], variables, what, UINT32_MAX, &numbers[d], error, error_size))
            return false;
    *extent = (struct extent){(uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2]};
    return true;
}

static bool bits_of(const struct launch_scalar *scalar, enum scalar_type type,
                    const int64_t variables[VARIABLES], uint64_t *bits, char *error,
                    size_t error_size)
{
    int64_t whole = 0;
    double number;
    float narrow;

    if (!scalar->is_floating && !expression_value(&scalar->value, variables, &whole)) {
        snprintf(error, error_size,
                 "an argument cannot be computed: it divides by 0 or leaves 64 "
                 "bits");
        return false;
    }
    number = scalar->is_floating ? scalar->floating : (double)whole;
    narrow = (float)number;
    *bits = 0;
    if (type == SCALAR_F32)
        memcpy(bits, &narrow, sizeof narrow);
    else if (type == SCALAR_F64)
        memcpy(bits, &number, sizeof number);
    else if (scalar->is_floating)
        *bits = (uint64_t)(int64_t)number;
    else
        *bits = (uint64_t)whole;
    return true;
}

/* Puts the struct's members behind `used` bytes of the invocation. */
static bool bytes_of(const struct launch_text *launch, const struct launch_argument *argument,
                     const int64_t variables[VARIABLES], uint32_t *used,
                     struct invocation *invocation, struct argument *bound, char *error,
                     size_t error_size)
{
    uint32_t start = (*used + 15) / 16 * 16;

    if (start + argument->bytes > MAX_ARGUMENT_BYTES) {
        snprintf(error, error_size, "structs by value have more than %d bytes in all",
                 MAX_ARGUMENT_BYTES);
        return false;
    }
    for (uint32_t m = 0; m < argument->members; m++) {
        const struct launch_member *member = &launch->members[argument->first + m];
        enum scalar_type type = member->element == ELEMENT_F32   ? SCALAR_F32
                                : member->element == ELEMENT_F64 ? SCALAR_F64
                                                                 : SCALAR_INTEGER;
        uint64_t bits;
        if (!bits_of(&member->scalar, type, variables, &bits, error, error_size))
            return false;
        memcpy(&invocation->bytes[start + member->offset], &bits, element_size(member->element));
    }
    *bound = (struct argument){ARGUMENT_BYTES, start};
    *used = start + argument->bytes;
    return true;
}

bool launch_invoke(const struct launch_text *launch, const char *kernel, const struct shape *shape,
                   struct invocation *invocation, char *error, size_t error_size)
{
    const int64_t variables[VARIABLES] = {[VARIABLE_N] = (int64_t)(shape->size[0] * shape->size[1]),
                                          [VARIABLE_NX] = (int64_t)shape->size[0],
                                          [VARIABLE_NY] = (int64_t)shape->size[1],
                                          [VARIABLE_B] = (int64_t)shape_threads(shape)};
    uint64_t number;
    uint32_t used = 0; /* of the invocation's bytes */

    *invocation = (struct invocation){.kernel = kernel,
                                      .buffer_count = launch->array_count,
                                      .argument_count = launch->argument_count};
    if (!extent_of(launch->grid, variables, "the grid", &invocation->grid, error, error_size) ||
        !extent_of(launch->block, variables, "the block", &invocation->block, error, error_size) ||
        !value_of(&launch->shared_bytes, variables, "dynamic shared memory", UINT32_MAX, &number,
                  error, error_size))
        return false;
    invocation->shared_bytes = (uint32_t)number;
    for (uint32_t a = 0; a < launch->array_count; a++) {
        const struct launch_array *array = &launch->arrays[a];
        if (!value_of(&array->count, variables, array->name, INT64_MAX / 64, &number, error,
                      error_size))
            return false;
        invocation->buffers[a] = (struct buffer){.name = array->name,
                                                 .role = array->role,
                                                 .element = array->element,
                                                 .count = number * array->lanes,
                                                 .fill = array->fill,
                                                 .salt = a};
        if (!expression_value(&array->low, variables, &invocation->buffers[a].low) ||
            !expression_value(&array->high, variables, &invocation->buffers[a].high)) {
            snprintf(error, error_size, "what %s holds cannot be computed", array->name);
            return false;
        }
    }
    for (uint32_t a = 0; a < launch->argument_count; a++) {
        const struct launch_argument *argument = &launch->arguments[a];
        struct argument *bound = &invocation->arguments[a];
        *bound = (struct argument){argument->is_array ? ARGUMENT_BUFFER : ARGUMENT_VALUE,
                                   argument->array};
        if (argument->members > 0
                ? !bytes_of(launch, argument, variables, &used, invocation, bound, error,
                            error_size)
                : !argument->is_array && !bits_of(&argument->scalar, argument->type, variables,
                                                  &bound->value, error, error_size))
            return false;
    }
    return true;
}
