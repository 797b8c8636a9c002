/* SPDX-License-Identifier: MIT
 *
 * The values of a launch at one shape.
 */
#include "launch_maps.h"

#include "error_report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_in_call(const struct launch_call *call, uint32_t variable)
{
    bool found = expression_has(&call->shared_bytes, variable);

    for (int d = 0; d < 3; d++)
        found = found || expression_has(&call->grid[d], variable) ||
                expression_has(&call->block[d], variable) ||
                (call->has_cluster && expression_has(&call->cluster[d], variable));
    return found;
}

/* Returns whether the launch depends on the variable outside of arguments. */
static bool is_outside(const struct launch_text *launch, uint32_t variable)
{
    bool found = false;

    for (uint32_t c = 0; c < launch->call_count; c++)
        found = found || is_in_call(&launch->calls[c], variable);
    for (uint32_t m = 0; m < launch->member_count; m++)
        found = found || expression_has(&launch->members[m].value, variable);
    for (uint32_t v = 0; v < launch->view_count; v++)
        for (uint32_t k = 0; k < launch->views[v].size_count; k++)
            found = found || expression_has(&launch->views[v].sizes[k], variable);
    for (uint32_t a = 0; a < launch->array_count; a++)
        found = found || expression_has(&launch->arrays[a].count, variable) ||
                (launch->arrays[a].has_rows && expression_has(&launch->arrays[a].rows, variable)) ||
                expression_has(&launch->arrays[a].low, variable) ||
                expression_has(&launch->arrays[a].high, variable);
    for (uint32_t k = 0; k < launch->number_count; k++)
        found = found || expression_has(&launch->numbers[k], variable);
    return found;
}

bool launch_has(const struct launch_text *launch, enum variable variable)
{
    bool found = is_outside(launch, variable);

    for (uint32_t a = 0; a < launch->argument_count; a++)
        found = found || expression_has(&launch->arguments[a].value, variable);
    return found;
}

bool launch_has_size(const struct launch_text *launch)
{
    return launch->sizes.count > 0 || launch_has(launch, VARIABLE_N) ||
           launch_has(launch, VARIABLE_NX) || launch_has(launch, VARIABLE_NY);
}

bool launch_computes_with(const struct launch_text *launch, uint32_t name)
{
    bool found = is_outside(launch, VARIABLE_OWN + name);

    for (uint32_t a = 0; a < launch->argument_count; a++)
        found = found || (expression_has(&launch->arguments[a].value, VARIABLE_OWN + name) &&
                          launch->arguments[a].value.count > 1);
    return found;
}

bool launch_copy_constants(struct launch_text *launch, const struct launch_text *from)
{
    for (uint32_t k = 0; k < launch->names.count; k++) {
        uint32_t f = 0;
        if (launch->name[k].kind != NAME_CONSTANT)
            continue;
        while (f < from->names.count &&
               strcmp(from->names.name[f].text, launch->names.name[k].text) != 0)
            f++;
        if (f == from->names.count)
            return false;
        launch->name[k].value = from->name[f].value;
    }
    return true;
}

uint32_t launch_constant(const struct launch_text *launch, const struct launch_argument *argument)
{
    uint32_t name = argument->is_array || argument->is_map || argument->members > 0
                        ? MAX_NAMES
                        : expression_name(&argument->value);

    return name < MAX_NAMES && launch->name[name].kind == NAME_CONSTANT ? name : MAX_NAMES;
}

uint32_t launch_size_dimensions(const struct launch_text *launch)
{
    if (launch->sizes.count > 0)
        return launch->sizes.count;
    return launch_has(launch, VARIABLE_NX) || launch_has(launch, VARIABLE_NY) ? 2 : 1;
}

/* Evaluates an expression to a number from 0 to `most`. Returns false with an error message in
 * `error`. */
static bool value_of(const struct expression *expression, const struct number variables[VARIABLES],
                     const char *what, int64_t most, uint64_t *value, char *error,
                     size_t error_size)
{
    int64_t number;

    if (!expression_value(expression, variables, &number))
        snprintf(error, error_size, "%s cannot be computed: %s", what, expression_has_no_value);
    else if (number < 0 || number > most)
        snprintf(error, error_size, "%s is %" PRId64 ": it must be from 0 to %" PRId64, what,
                 number, most);
    else {
        *value = (uint64_t)number;
        return true;
    }
    return false;
}

static bool extent_of(const struct expression expressions[3],
                      const struct number variables[VARIABLES], const char *what,
                      struct extent *extent, char *error, size_t error_size)
{
    uint64_t numbers[3];

    for (int d = 0; d < 3; d++)
        if (!value_of(&expressions[d], variables, what, UINT32_MAX, &numbers[d], error, error_size))
            return false;
    *extent = (struct extent){(uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2]};
    return true;
}

/* Rounds to the nearest half, ties to even. Numbers that are too large become infinite. */
static uint64_t half_of(double number)
{
    double size = fabs(number);
    uint64_t sign = signbit(number) ? 0x8000 : 0;
    int exponent;

    if (isnan(number))
        return 0x7e00;
    if (size >= 65520) /* the largest half plus half a unit in the last place */
        return sign | 0x7c00;
    frexp(size, &exponent);
    exponent = exponent < -13 ? -13 : exponent;   /* smaller numbers are subnormal */
    size = nearbyint(ldexp(size, 11 - exponent)); /* in units in the last place, at most 2^11 */
    return sign | (uint64_t)((double)((exponent + 13) << 10) + size);
}

/* Rounds to the nearest bfloat16, ties to even. */
static uint64_t bfloat16_of(float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    return isnan(number) ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/* Returns whether a signed or an unsigned integer of so many bytes holds the number. 0 bytes:
 * unknown. */
static bool fits(int64_t number, size_t bytes)
{
    return bytes == 0 || bytes >= sizeof number ||
           (number >= -(INT64_C(1) << (8 * bytes - 1)) && number < INT64_C(1) << 8 * bytes);
}

/* Computes the bits of a number of so many bytes. Returns false with an error message in `error`.
 */
static bool bits_of(const struct expression *expression, enum scalar_type type, size_t bytes,
                    const struct number variables[VARIABLES], uint64_t *bits, char *error,
                    size_t error_size)
{
    struct number value = expression_number(expression, variables);
    double number = value.kind == NUMBER_FLOATING ? value.floating : (double)value.integer;
    float narrow = (float)number;

    if (value.kind == NUMBER_NONE)
        return error_write(error, error_size, "an argument cannot be computed: %s",
                           expression_has_no_value);
    if (value.kind == NUMBER_FLOATING && type == SCALAR_INTEGER &&
        !(number >= -0x1p63 && number < 0x1p64))
        return error_write(error, error_size,
                           "the value %g of an integer argument does not fit in 64 bits", number);
    *bits = 0;
    if (type == SCALAR_F32)
        memcpy(bits, &narrow, sizeof narrow);
    else if (type == SCALAR_F64)
        memcpy(bits, &number, sizeof number);
    else if (type == SCALAR_F16)
        *bits = half_of(number);
    else if (type == SCALAR_BF16)
        *bits = bfloat16_of(narrow);
    else if (value.kind == NUMBER_FLOATING)
        *bits = number < 0x1p63 ? (uint64_t)(int64_t)number : (uint64_t)number;
    else
        *bits = (uint64_t)value.integer;
    return type != SCALAR_INTEGER || fits((int64_t)*bits, bytes) ||
           error_write(error, error_size,
                       "an argument is %" PRId64
                       ", which does not fit in the %zu bytes of its type",
                       (int64_t)*bits, bytes);
}

/* Returns the kind of an argument or a member that is an array, a tensor map or else a view. */
static enum argument_kind kind_of(bool is_array, bool is_map)
{
    return is_array ? ARGUMENT_BUFFER : is_map ? ARGUMENT_MAP : ARGUMENT_VIEW;
}

/* Stores the members of a struct of `size` bytes after the first `used` bytes of the invocation,
 * and sets *at to its place there. Returns false with an error message in `error`. */
static bool bytes_of(const struct launch_text *launch, uint32_t first, uint32_t members,
                     uint32_t size, const struct number variables[VARIABLES], uint32_t *used,
                     struct invocation *invocation, uint32_t *at, char *error, size_t error_size)
{
    uint32_t start = (*used + 15) / 16 * 16;

    if (start + size > MAX_ARGUMENT_BYTES)
        return error_write(error, error_size,
                           "the structs passed by value have more than %d bytes in total",
                           MAX_ARGUMENT_BYTES);
    for (uint32_t m = 0; m < members; m++) {
        const struct launch_member *member = &launch->members[first + m];
        enum scalar_type type = member->element == ELEMENT_F32    ? SCALAR_F32
                                : member->element == ELEMENT_F16  ? SCALAR_F16
                                : member->element == ELEMENT_BF16 ? SCALAR_BF16
                                : member->element == ELEMENT_F64  ? SCALAR_F64
                                                                  : SCALAR_INTEGER;
        uint64_t bits;
        if (member->is_array || member->is_map || member->is_view) {
            invocation->pointers[invocation->pointer_count++] = (struct pointer){
                start + member->offset, {kind_of(member->is_array, member->is_map), member->array}};
            continue;
        }
        if (!bits_of(&member->value, type, element_size(member->element), variables, &bits, error,
                     error_size))
            return false;
        for (uint32_t k = 0; k < member->count; k++)
            memcpy(&invocation->bytes[start + member->offset + k * element_size(member->element)],
                   &bits, element_size(member->element));
    }
    *at = start;
    *used = start + size;
    return true;
}

/* ---- Files ---- */

/* Returns a file's contents, or null with errno set. Each file is mapped once per process and never
 * unmapped, so that no two files have the same address. */
static const void *file_contents(const char *path, size_t *size)
{
    static struct contents {
        char path[512];
        const void *data;
        size_t size;
    } known[MAX_ARRAYS];
    static size_t count;
    struct stat status;
    int file;
    void *data;

    for (size_t k = 0; k < count; k++)
        if (strcmp(known[k].path, path) == 0) {
            *size = known[k].size;
            return known[k].data;
        }
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe may have no writer */
    if (file < 0)
        return NULL;
    data = fstat(file, &status) == 0 ? mmap(NULL, status.st_size > 0 ? (size_t)status.st_size : 1,
                                            PROT_READ, MAP_PRIVATE, file, 0)
                                     : MAP_FAILED;
    close(file);
    if (data == MAP_FAILED)
        return NULL;
    *size = (size_t)status.st_size;
    if (count < MAX_ARRAYS) {
        known[count] = (struct contents){.data = data, .size = *size};
        snprintf(known[count++].path, sizeof known->path, "%s", path);
    }
    return data;
}

/* Reads the time of a file's last change. The time is 0 if there is no such file. */
static struct timespec modified_at(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? status.st_mtim : (struct timespec){.tv_sec = 0};
}

static bool is_same(const struct launch_array *array, struct timespec now, char *error,
                    size_t error_size)
{
    return (array->modified.tv_sec == now.tv_sec && array->modified.tv_nsec == now.tv_nsec) ||
           error_write(error, error_size,
                       "'%s' has changed during the check: run it again with a file that stays as "
                       "it is",
                       array->file);
}

bool launch_files_are_same(const struct launch_text *launch, char *error, size_t error_size)
{
    for (uint32_t a = 0; a < launch->array_count; a++) {
        const struct launch_array *array = &launch->arrays[a];
        if (array->file[0] != '\0' && !is_same(array, modified_at(array->file), error, error_size))
            return false;
    }
    return true;
}

bool launch_load_files(struct launch_text *launch, char *error, size_t error_size)
{
    for (uint32_t a = 0; a < launch->array_count; a++) {
        struct launch_array *array = &launch->arrays[a];
        size_t size, whole = element_size(array->type.element) * array->type.lanes;
        struct timespec now = modified_at(array->file);
        if (array->file[0] == '\0')
            continue;
        if (array->modified.tv_sec == 0)
            array->modified = now;
        else if (!is_same(array, now, error, error_size))
            return false;
        array->data = file_contents(array->file, &size);
        if (array->data == NULL)
            return error_write(error, error_size, "cannot read '%s': %s", array->file,
                               strerror(errno));
        if (size == 0 || size % whole != 0)
            return error_write(error, error_size,
                               "'%s' has %zu bytes, but an element of %s has %zu: the file must "
                               "consist of one or more whole elements",
                               array->file, size, array->name, whole);
        array->data_count = size / whole;
    }
    return true;
}

bool launch_array_is_constant(const struct launch_text *launch, uint32_t index)
{
    const struct launch_array *array = &launch->arrays[index];
    enum element element = array->type.element;
    size_t bytes = element_size(element);
    bool has_fractions = element_is_float(element) && element != ELEMENT_F16;
    struct number variables[VARIABLES];
    int64_t low, high;

    if (array->fill == FILL_DATA)
        return memcmp(array->data, (const char *)array->data + bytes,
                      (array->data_count * array->type.lanes - 1) * bytes) == 0;
    for (uint32_t v = 0; v < VARIABLES; v++)
        variables[v] = (struct number){NUMBER_NONE, 0, 0};
    for (uint32_t k = 0; k < launch->names.count; k++)
        if (launch->name[k].kind == NAME_CONSTANT)
            variables[VARIABLE_OWN + k] = launch->name[k].value;
    if (!expression_value(&array->low, variables, &low) ||
        !expression_value(&array->high, variables, &high))
        return false; /* it depends on the size */
    return ((array->fill == FILL_UNIFORM || array->fill == FILL_SORTED) &&
            (uint64_t)high - (uint64_t)low <= !has_fractions && element != ELEMENT_F64) ||
           (array->fill == FILL_OFFSETS && high == 0);
}

/* ---- Launches ---- */

/* Checks that the elements of an array can hold its range of numbers. Integers may be meant as
 * unsigned. Returns false with an error message in `error`. */
static bool is_range(const struct launch_array *array, const struct buffer *buffer, char *error,
                     size_t error_size)
{
    size_t bits = 8 * element_size(array->type.element);
    int64_t last = array->fill == FILL_OFFSETS ? buffer->high : buffer->high - 1;

    if (array->fill == FILL_OFFSETS && buffer->high < 0)
        return error_write(error, error_size,
                           "array %s has offsets(%lld): the last offset must be 0 or more",
                           array->name, (long long)buffer->high);
    if ((array->fill == FILL_UNIFORM || array->fill == FILL_SORTED) && buffer->high < buffer->low)
        return error_write(
            error, error_size,
            "array %s has values from %lld to below %lld: the second number must not be smaller",
            array->name, (long long)buffer->low, (long long)buffer->high);
    if (element_is_float(array->type.element) || bits == 64 || array->fill == FILL_VALUES ||
        (buffer->low >= -(INT64_C(1) << (bits - 1)) && last < INT64_C(1) << bits))
        return true;
    return error_write(
        error, error_size,
        "array %s has values from %lld to %lld, which do not fit in elements of %zu bits",
        array->name, (long long)buffer->low, (long long)last, bits);
}

static bool place_array(const struct launch_array *array, const struct number variables[VARIABLES],
                        struct buffer *buffer, char *error, size_t error_size)
{
    char what[96];
    uint64_t number, rows = 1, row;

    snprintf(what, sizeof what, "the size of array %s", array->name);
    if (!value_of(&array->count, variables, what, INT64_MAX / 64, &number, error, error_size) ||
        (array->has_rows &&
         !value_of(&array->rows, variables, what, INT32_MAX, &rows, error, error_size)))
        return false;
    row = number;
    if (__builtin_mul_overflow(row, rows, &number) || number > INT64_MAX / 64)
        return error_write(error, error_size, "%s is too large", what);
    *buffer = (struct buffer){
        .name = array->name,
        .role = array->role,
        .element = array->type.element,
        .count = number * array->type.lanes,
        .row = array->has_rows ? row * array->type.lanes : 0,
        .fill = array->fill,
        .data = array->data,
        .data_count = array->data_count * array->type.lanes,
        .variable = array->is_variable && !array->is_opaque ? array->symbol : NULL,
        .unordered = array->is_unordered ? array->type.lanes : 0,
        .is_unsigned = !array->type.is_signed && !element_is_float(array->type.element)};
    if (array->fill == FILL_DATA && number > array->data_count)
        return error_write(error, error_size, "'%s' has %zu elements, but array %s needs %zu",
                           array->file, (size_t)array->data_count, array->name, (size_t)number);
    if (!expression_value(&array->low, variables, &buffer->low) ||
        !expression_value(&array->high, variables, &buffer->high))
        return error_write(error, error_size,
                           "the range of values of array %s cannot be computed: %s", array->name,
                           expression_has_no_value);
    return is_range(array, buffer, error, error_size);
}

/* Places an array of structs, whose first one is stored in the invocation. */
static bool place_structs(const struct launch_text *launch, const struct launch_array *array,
                          const struct number variables[VARIABLES], uint32_t *used,
                          struct invocation *invocation, struct buffer *buffer, char *error,
                          size_t error_size)
{
    uint32_t at;

    if (!place_array(array, variables, buffer, error, error_size) ||
        !bytes_of(launch, array->first, array->members, array->bytes, variables, used, invocation,
                  &at, error, error_size))
        return false;
    buffer->count /= array->type.lanes;
    buffer->element = array->has_pointers ? ELEMENT_I64 : ELEMENT_I8;
    buffer->count *= array->bytes / element_size(buffer->element);
    buffer->fill = FILL_STRUCTS;
    buffer->low = at;
    buffer->high = array->bytes;
    return true;
}

/* Adds a launch after the others, unless its grid has no blocks. done[c] has the added launches
 * that must be complete after call c. Returns false with an error message in `error`. */
static bool add_call(const struct launch_text *launch, const struct launch_call *call,
                     const struct number variables[VARIABLES], uint32_t *bytes,
                     uint32_t done[MAX_LAUNCHES], struct invocation *invocation, char *error,
                     size_t error_size)
{
    struct host_launch added = {.kernel = call->symbol, .argument_count = call->argument_count};
    uint32_t own = (uint32_t)(call - launch->calls);
    bool is_first = invocation->kernel == NULL;
    uint64_t number;

    if (!extent_of(call->grid, variables, "the grid", &added.grid, error, error_size) ||
        !extent_of(call->block, variables, "the block", &added.block, error, error_size) ||
        (call->has_cluster &&
         !extent_of(call->cluster, variables, "the cluster", &added.cluster, error, error_size)) ||
        !value_of(&call->shared_bytes, variables, "dynamic shared memory", UINT32_MAX, &number,
                  error, error_size))
        return false;
    for (uint32_t c = 0; c < own; c++)
        added.after |= (call->after >> c & 1) != 0 ? done[c] : 0;
    done[own] = added.after;
    if (added.grid.x == 0 || added.grid.y == 0 || added.grid.z == 0)
        return true;
    done[own] = UINT32_C(1) << (is_first ? 0 : invocation->more_count + 1);
    added.shared_bytes = (uint32_t)number;
    added.opts_in = call->opts_in;
    added.is_cooperative = call->is_cooperative;
    added.is_nonportable = call->is_nonportable;
    if (is_first) {
        invocation->kernel = added.kernel;
        invocation->grid = added.grid;
        invocation->block = added.block;
        invocation->shared_bytes = added.shared_bytes;
        invocation->opts_in = added.opts_in;
        invocation->is_cooperative = added.is_cooperative;
        invocation->cluster = added.cluster;
        invocation->is_nonportable = added.is_nonportable;
        invocation->argument_count = added.argument_count;
    } else {
        const struct host_launch before = invocation_launch(invocation, invocation->more_count);
        added.first_argument = before.first_argument + before.argument_count;
        invocation->more[invocation->more_count++] = added;
    }
    for (uint32_t a = 0; a < call->argument_count; a++) {
        const struct launch_argument *argument = &launch->arguments[call->first_argument + a];
        struct argument *bound = &invocation->arguments[added.first_argument + a];
        *bound = (struct argument){ARGUMENT_VALUE, 0};
        if (argument->given[0] != '\0') {
            *bound = (struct argument){ARGUMENT_VARIABLE, 0};
            invocation->variables[added.first_argument + a] = argument->given;
            continue;
        }
        if (argument->members > 0) {
            uint32_t at;
            if (!bytes_of(launch, argument->first, argument->members, argument->bytes, variables,
                          bytes, invocation, &at, error, error_size))
                return false;
            *bound = (struct argument){ARGUMENT_BYTES, at};
        } else if (argument->is_array || argument->is_map || argument->is_view) {
            *bound =
                (struct argument){kind_of(argument->is_array, argument->is_map), argument->array};
        } else if (!bits_of(&argument->value, argument->type, argument->bytes, variables,
                            &bound->value, error, error_size))
            return false;
    }
    return true;
}

static struct number whole(uint64_t value)
{
    return (struct number){NUMBER_INTEGER, (int64_t)value, 0};
}

static void set_variables(const struct launch_text *launch, const struct shape *shape,
                          struct number variables[VARIABLES])
{
    variables[VARIABLE_N] = whole(shape_elements(shape));
    variables[VARIABLE_NX] = whole(shape->size[0]);
    variables[VARIABLE_NY] = whole(shape->size[1]);
    variables[VARIABLE_B] = whole(shape_threads(shape));
    for (uint32_t k = 0; k < launch->names.count; k++) {
        const struct launch_name *name = &launch->name[k];
        variables[VARIABLE_OWN + k] =
            name->kind == NAME_SIZE   ? whole(shape_size(shape, name->index))
            : name->kind == NAME_FILE ? whole(launch->arrays[name->index].data_count)
                                      : name->value;
    }
}

bool launch_is_floating(const struct launch_text *launch, const struct expression *expression)
{
    struct number variables[VARIABLES] = {{NUMBER_INTEGER, 0, 0}};

    for (uint32_t k = 0; k < VARIABLES; k++)
        variables[k] = whole(1);
    for (uint32_t k = 0; k < launch->names.count; k++)
        if (launch->name[k].kind == NAME_CONSTANT && launch->name[k].value.kind != NUMBER_NONE)
            variables[VARIABLE_OWN + k] = launch->name[k].value;
    return expression_number(expression, variables).kind == NUMBER_FLOATING;
}

static uint64_t row_count(const struct buffer *buffer)
{
    return buffer->row > 0 && buffer->count > 0 ? buffer->count / buffer->row : 1;
}

/* Places a view, and behind all others those of further rows of its array. */
static bool place_view(const struct launch_text *launch, uint32_t number,
                       const struct number variables[VARIABLES], struct invocation *invocation,
                       char *error, size_t error_size)
{
    const struct launch_view *view = &launch->views[number];
    const struct launch_array *array = &launch->arrays[view->array];
    uint64_t rows = row_count(&invocation->buffers[view->array]);
    struct view *placed = &invocation->views[number];

    if (!launch_view_place(view, array->name, variables, placed, error, error_size))
        return false;
    placed->variable = array->is_variable ? array->symbol : NULL;
    if (invocation->view_count + rows - 1 > MAX_VIEWS)
        return error_write(error, error_size,
                           "the structs have %" PRIu64 " textures and surfaces %s, but at most %d "
                           "are possible in all",
                           rows, array->name, MAX_VIEWS);
    if (invocation->buffers[view->array].count == 0) /* of no struct, or of no texels */
        placed->extent[0] = 0;
    placed->next = rows > 1 ? invocation->view_count : 0;
    for (uint32_t row = 1; row < rows; row++) {
        struct view *other = &invocation->views[invocation->view_count++];
        *other = *placed;
        other->row = row;
    }
    return true;
}

bool launch_invoke(const struct launch_text *launch, const struct shape *shape,
                   struct invocation *invocation, char *error, size_t error_size)
{
    struct number variables[VARIABLES];
    uint32_t bytes = 0; /* of structs, in the invocation */
    uint32_t done[MAX_LAUNCHES] = {0};

    set_variables(launch, shape, variables);
    *invocation =
        (struct invocation){.buffer_count = launch->array_count, .allowed = &launch->allowed};
    for (uint32_t a = 0; a < launch->array_count; a++) {
        const struct launch_array *array = &launch->arrays[a];
        struct buffer *buffer = &invocation->buffers[a];
        if (array->members > 0 ? !place_structs(launch, array, variables, &bytes, invocation,
                                                buffer, error, error_size)
                               : !place_array(array, variables, buffer, error, error_size))
            return false;
        invocation->buffers[a].salt = a;
    }
    invocation->map_count = launch->map_count;
    for (uint32_t m = 0; m < launch->map_count; m++) {
        const struct buffer *buffer = &invocation->buffers[launch->maps[m].array];
        if (!launch_map_place(launch, &launch->maps[m], variables,
                              buffer_bytes(buffer) / row_count(buffer), &invocation->maps[m], error,
                              error_size))
            return false;
    }
    invocation->view_count = launch->view_count;
    for (uint32_t v = 0; v < launch->view_count; v++)
        if (!place_view(launch, v, variables, invocation, error, error_size))
            return false;
    for (uint32_t c = 0; c < launch->call_count; c++)
        if (!add_call(launch, &launch->calls[c], variables, &bytes, done, invocation, error,
                      error_size))
            return false;
    return true;
}
