/* SPDX-License-Identifier: MIT */
#include <simtcheck/simtcheck.h>

#include "outcome_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct variant *catalogue_find(const struct catalogue *catalogue, const char *id,
                                     enum variant_kind kind)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct variant *variant = &catalogue->variants[i];
        if (variant->kind == kind && strcmp(variant->id, id) == 0)
            return variant;
    }
    return NULL;
}

size_t domain_count(const struct domain *domain)
{
    size_t count = 0;

    while (count < MAX_CONDITIONS && domain->conditions[count].text != NULL)
        count++;
    return count;
}

uint64_t shape_threads(const struct shape *shape)
{
    return (uint64_t)shape->block.x * shape->block.y * shape->block.z;
}

uint64_t shape_elements(const struct shape *shape)
{
    uint64_t elements = 1;

    for (uint32_t k = 0; k < shape_size_count(shape); k++)
        elements *= shape_size(shape, k);
    return elements;
}

uint32_t shape_size_count(const struct shape *shape)
{
    uint32_t count = MAX_SIZES;

    while (count > 2 && shape->further[count - 3] == 0)
        count--;
    return count;
}

uint64_t shape_size(const struct shape *shape, uint32_t k)
{
    if (k < 2)
        return shape->size[k];
    return shape->further[k - 2] > 0 ? shape->further[k - 2] - 1 : 1;
}

bool variant_takes_surplus(const struct variant *variant)
{
    return variant->kind == VARIANT_CORRECTED && variant->block_dimensions > 0 &&
           variant->launch == NULL && variant->launches != LAUNCHES_HALF_GRIDS;
}

bool variant_is_same(const struct variant *a, const struct variant *b)
{
    struct variant same = *b;

    if (a->kernel == NULL || b->kernel == NULL || strcmp(a->kernel, b->kernel) != 0 ||
        strcmp(a->family, b->family) != 0)
        return false;
    same.id = a->id;
    same.family = a->family;
    same.kernel = a->kernel;
    same.source = a->source;
    same.label = a->label;
    same.soak = a->soak;
    return memcmp(a, &same, sizeof same) == 0;
}

bool variant_marks_known_defect(const struct variant *variant)
{
    const struct known_defect *known_defect = variant->known_defect;
    const struct defect_region *region;

    if (known_defect == NULL || known_defect->place == NULL)
        return true;
    for (region = known_defect->regions; region != NULL && region->family != NULL; region++)
        if (strcmp(region->family, variant->family) == 0)
            return true;
    return false;
}

struct extent variant_launched_block(const struct variant *variant, const struct shape *shape)
{
    struct invocation invocation;

    if (variant->launch != NULL || variant->block_dimensions != 1)
        return shape->block;
    variant->invoke(variant, shape, &invocation);
    return invocation.block;
}

uint32_t variant_largest_block(const struct variant *variant)
{
    const struct shape shape = {{SIMT_BLOCK_THREADS, 1, 1}, {0, 1}, 0, 0, {0, 0}};

    return SIMT_BLOCK_THREADS / variant_launched_block(variant, &shape).x * SIMT_BLOCK_THREADS;
}

bool variant_takes(const struct variant *variant, const struct shape *shape)
{
    uint32_t block = shape->block.z > 1 ? 3 : shape->block.y > 1 ? 2 : shape->block.x > 1 ? 1 : 0;

    return block <= variant->block_dimensions &&
           (shape_threads(shape) <= SIMT_BLOCK_THREADS ||
            (block == 1 && shape->block.x <= variant_largest_block(variant))) &&
           (shape->size[1] == 1 || variant->size_dimensions >= 2) &&
           (shape_size_count(shape) == 2 || shape_size_count(shape) <= variant->size_dimensions) &&
           (shape->surplus == 0 || variant_takes_surplus(variant)) &&
           shape->depth <= variant_deepest(variant);
}

uint32_t variant_deepest(const struct variant *variant)
{
    enum { CHAIN = 24, TREE = 12 };

    return variant->launches == LAUNCHES_HALVES_LIMITED ? CHAIN
           : variant->launches == LAUNCHES_PAIRS        ? TREE
                                                        : 0;
}

uint64_t variant_segment(const struct variant *variant, const struct shape *shape)
{
    if (variant->block_dimensions == 0)
        return shape_elements(shape);
    return variant->elements_per_thread * shape_threads(shape);
}

uint32_t variant_violations(const struct variant *variant, const struct shape *shape)
{
    uint32_t violations = 0;
    for (size_t k = 0; k < domain_count(variant->domain); k++)
        if (!variant->domain->conditions[k].holds(variant, shape))
            violations |= UINT32_C(1) << k;
    return violations;
}

const char *variant_kind_name(enum variant_kind kind)
{
    return words_name(&variant_kind_words, kind);
}

uint32_t tensor_type_bytes(enum tensor_type type)
{
    static const uint8_t bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

    return bytes[type];
}

size_t element_size(enum element element)
{
    static const size_t sizes[] = {
        [ELEMENT_I32] = 4, [ELEMENT_F32] = 4, [ELEMENT_I8] = 1,  [ELEMENT_I16] = 2,
        [ELEMENT_I64] = 8, [ELEMENT_F16] = 2, [ELEMENT_F64] = 8, [ELEMENT_BF16] = 2};
    return sizes[element];
}

bool element_is_float(enum element element)
{
    static const bool floats[] = {
        [ELEMENT_F32] = true, [ELEMENT_F16] = true, [ELEMENT_F64] = true, [ELEMENT_BF16] = true};
    return floats[element];
}

void buffer_place(const struct buffer *buffer, uint64_t i, char *text, size_t size)
{
    const char *mark = buffer->row > 0 ? strstr(buffer->name, "[]") : NULL;

    if (buffer->fill == FILL_STRUCTS && element_size(buffer->element) == 1)
        snprintf(text, size, "%s[%" PRIu64 "] byte %" PRIu64, buffer->name,
                 i / (uint64_t)buffer->high, i % (uint64_t)buffer->high);
    else if (mark == NULL)
        snprintf(text, size, "%s[%" PRIu64 "]", buffer->name, i);
    else
        snprintf(text, size, "%.*s[%" PRIu64 "]%s[%" PRIu64 "]", (int)(mark - buffer->name),
                 buffer->name, i / buffer->row, mark + 2, i % buffer->row);
}

size_t buffer_bytes(const struct buffer *buffer)
{
    return buffer->count * element_size(buffer->element);
}

size_t buffer_room(const struct buffer *buffer)
{
    return (buffer_bytes(buffer) + 7) / 8 * 8;
}

struct host_launch invocation_launch(const struct invocation *invocation, uint32_t k)
{
    return k > 0 ? invocation->more[k - 1]
                 : (struct host_launch){.kernel = invocation->kernel,
                                        .grid = invocation->grid,
                                        .block = invocation->block,
                                        .shared_bytes = invocation->shared_bytes,
                                        .opts_in = invocation->opts_in,
                                        .is_cooperative = invocation->is_cooperative,
                                        .cluster = invocation->cluster,
                                        .is_nonportable = invocation->is_nonportable,
                                        .argument_count = invocation->argument_count};
}

uint32_t invocation_view(const struct invocation *invocation, uint64_t k, uint64_t row)
{
    uint32_t next = invocation->views[k].next;

    return (uint32_t)(row == 0 || next == 0 ? k : next + row - 1);
}

bool invocation_is_sequence(const struct invocation *invocation)
{
    uint32_t before[MAX_LAUNCHES] = {0}; /* the launches that are complete when launch k begins */

    for (uint32_t k = 0; k <= invocation->more_count; k++) {
        before[k] = invocation_launch(invocation, k).after;
        for (uint32_t d = 0; d < k; d++)
            before[k] |= (before[k] >> d & 1) != 0 ? before[d] : 0;
        if (before[k] != (UINT32_C(1) << k) - 1)
            return false;
    }
    return true;
}

bool invocation_has_variables(const struct invocation *invocation)
{
    for (uint32_t b = 0; b < invocation->buffer_count; b++)
        if (invocation->buffers[b].variable != NULL)
            return true;
    return false;
}

const char *const allowed_words[ALLOWANCES + 1] = {"same-value", "order", "warp-barriers", "prints",
                                                   NULL};

void allowance_text(const struct allowance *allowance, char text[ALLOWANCE_TEXT])
{
    snprintf(text, ALLOWANCE_TEXT, "%s:%s", allowed_words[allowance->what], allowance->place);
}

/* Returns whether the place has that name: "list" of "list[3]", or "my.cu:12" of "src/my.cu:12". */
static bool is_place(const char *place, const char *name)
{
    size_t length = strlen(name), whole = strlen(place);

    if (strncmp(place, name, length) == 0 && (place[length] == '\0' || place[length] == '['))
        return true;
    return strchr(name, ':') != NULL && whole > length && place[whole - length - 1] == '/' &&
           strcmp(place + whole - length, name) == 0;
}

uint32_t allowance_find(const struct allowance_list *list, enum allowed what, const char *place)
{
    uint32_t k = 0;

    while (list != NULL && k < list->count &&
           (list->all[k].what != what || !is_place(place, list->all[k].place)))
        k++;
    return list != NULL && k < list->count ? k : MAX_ALLOWED;
}

bool allowance_has(const struct allowance_list *list, enum allowed what)
{
    for (uint32_t k = 0; list != NULL && k < list->count; k++)
        if (list->all[k].what == what)
            return true;
    return false;
}
