/* SPDX-License-Identifier: MIT */
#include "catalogue.h"

#include <string.h>

bool shape_has_elements(const struct shape *shape)
{
    return shape->size[0] >= 1;
}

bool shape_block_is_power_of_two(const struct shape *shape)
{
    return (shape->block.x & (shape->block.x - 1)) == 0;
}

bool shape_size_is_multiple_of_block(const struct shape *shape)
{
    return shape->size[0] % shape->block.x == 0;
}

static void invoke_with_grid(const struct shape *shape, uint32_t blocks, struct invocation *out)
{
    uint64_t n = shape->size[0];

    *out = (struct invocation){
        .grid = {blocks, 1, 1},
        .block = shape->block,
        .buffer_count = 2,
        .buffers = {{"in", ROLE_INOUT, ELEMENT_I32, n}, {"out", ROLE_OUTPUT, ELEMENT_I32, blocks}},
        .argument_count = 3,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_U32, (uint32_t)n}},
    };
}

static uint32_t blocks_for(const struct shape *shape)
{
    return (uint32_t)((shape->size[0] + shape->block.x - 1) / shape->block.x);
}

void invoke_reduction(const struct shape *shape, struct invocation *out)
{
    invoke_with_grid(shape, blocks_for(shape), out);
}

void invoke_reduction_total(const struct shape *shape, struct invocation *out)
{
    invoke_with_grid(shape, shape->size[0] == 0 ? 1 : blocks_for(shape), out);
}

/* A grid of no blocks is a launch error; a block that is no power of two loses an element or takes
 * one from the next segment; a tail block reads past the data. */
static const struct conjunct whole_power_of_two_blocks[] = {
    {"n >= 1", shape_has_elements},
    {"B is a power of two", shape_block_is_power_of_two},
    {"n is a multiple of B", shape_size_is_multiple_of_block},
};

#define DOMAIN(conjuncts) (conjuncts), sizeof(conjuncts) / sizeof *(conjuncts)
#define EVERYWHERE NULL, 0

static const struct variant variants[] = {
    /* id, form, family, kernel, source, contract, domain, launch */
    {"reduceNeighbored", FORM_PRINTED, "reduce_in_place", "reduceNeighbored", "document 000",
     CONTRACT_SUM_I32, DOMAIN(whole_power_of_two_blocks), invoke_reduction},
    {"reduceNeighbored", FORM_TOTAL, "reduce_in_place", "reduceNeighboredTotal", "document 000",
     CONTRACT_SUM_I32, EVERYWHERE, invoke_reduction_total},
    {"reduceNeighboredLess", FORM_PRINTED, "reduce_in_place", "reduceNeighboredLess",
     "document 000", CONTRACT_SUM_I32, DOMAIN(whole_power_of_two_blocks), invoke_reduction},
    {"reduceNeighboredLess", FORM_TOTAL, "reduce_in_place", "reduceNeighboredLessTotal",
     "document 000", CONTRACT_SUM_I32, EVERYWHERE, invoke_reduction_total},
    {"reduceInterleaved", FORM_PRINTED, "reduce_in_place", "reduceInterleaved", "document 000",
     CONTRACT_SUM_I32, DOMAIN(whole_power_of_two_blocks), invoke_reduction},
    {"reduceInterleaved", FORM_TOTAL, "reduce_in_place", "reduceInterleavedTotal", "document 000",
     CONTRACT_SUM_I32, EVERYWHERE, invoke_reduction_total},
};

const struct catalogue simtcheck_catalogue = {variants, sizeof variants / sizeof *variants};

const struct variant *catalogue_find(const struct catalogue *catalogue, const char *id,
                                     enum form form)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct variant *variant = &catalogue->variants[i];
        if (variant->form == form && strcmp(variant->id, id) == 0)
            return variant;
    }
    return NULL;
}

uint32_t variant_violations(const struct variant *variant, const struct shape *shape)
{
    uint32_t violations = 0;
    for (size_t k = 0; k < variant->domain_count; k++)
        if (!variant->domain[k].holds(shape))
            violations |= UINT32_C(1) << k;
    return violations;
}

const char *form_name(enum form form)
{
    return form == FORM_PRINTED ? "printed" : "total";
}

size_t element_size(enum element element)
{
    static const size_t sizes[] = {[ELEMENT_I32] = sizeof(int32_t)};
    return sizes[element];
}
