/* SPDX-License-Identifier: MIT */
#include "group_cases.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Spellings ---- */

/* Returns a number below `limit`. */
static uint32_t draw(uint64_t *random, uint32_t limit)
{
    *random = operand_random(*random + 1);
    return (uint32_t)(*random >> 16) % limit;
}

static struct group_layout draw_layout(uint64_t *random, bool is_a)
{
    struct group_layout made = {.swizzle = draw(random, 4),
                                .start = 16 * draw(random, is_a ? 16 : 64),
                                .leading = 16 * (1 + draw(random, is_a ? 32 : 64)),
                                .stride = 16 * (1 + draw(random, is_a ? 48 : 52))};

    made.base = draw(random, 4) == 0 ? draw(random, 8) : 0;
    return made;
}

static void complete(struct group_case *group, uint64_t random)
{
    struct matrix_shape *shape = &group->shape;
    bool has_layouts;

    matrix_read(group->opcode, shape);
    has_layouts = shape->a.type <= MATRIX_BF16;
    group->a_in_memory = draw(&random, 2);
    group->counts = draw(&random, 8) != 0;
    group->negates_a = shape->a.type <= MATRIX_E5M2 && draw(&random, 4) == 0;
    group->negates_b = shape->a.type <= MATRIX_E5M2 && draw(&random, 4) == 0;
    group->a = draw_layout(&random, true);
    group->b = draw_layout(&random, false);
    group->a.by_column = group->a_in_memory && has_layouts && draw(&random, 2);
    group->b.by_column = has_layouts && draw(&random, 2);
    if (shape->sparse != 0)
        group->selector = draw(&random, 4 / (shape->k / shape->sparse / 4u));
}

struct group_case *group_cases(const char *part, size_t *count)
{
    struct group_case *cases = NULL, one;
    struct match match;

    *count = 0;
    for (const struct form *form = group_forms; form->pattern != NULL; form++)
        for (size_t k = 0; strcmp(form->meaning, "@wgmma") == 0; k++) {
            one = (struct group_case){.form = form};
            if (!forms_spelling(form, k, one.opcode, sizeof one.opcode))
                break;
            if (!forms_match(one.opcode, &match) || match.form != form ||
                strstr(one.opcode, part) == NULL)
                continue;
            complete(&one, (uint64_t)(form - group_forms) << 32 | k);
            cases = realloc(cases, (*count + 1) * sizeof *cases);
            cases[(*count)++] = one;
        }
    return cases;
}

/* ---- Operands ---- */

uint32_t group_case_word(enum matrix_type type, uint32_t kind, uint64_t random)
{
    uint32_t bits = operand_bits(type), made = 0;

    for (uint32_t k = 0; k < 32 / bits; k++)
        made |= (uint32_t)(operand_element(type, kind, operand_random(random + k)) &
                           ((UINT64_C(1) << bits) - 1))
                << k * bits;
    return made;
}

/* ---- PTX ---- */

static void write_vector(FILE *to, const char *name, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++)
        fprintf(to, "%s%s%u", r > 0 ? "," : "{", name, r);
    fputc('}', to);
}

/* Puts a descriptor into a register. Its address is relative to that in `s`. */
static void write_descriptor(FILE *to, const char *name, const struct group_layout *layout,
                             uint32_t offset)
{
    uint64_t bits = (uint64_t)(layout->leading >> 4) << 16 | (uint64_t)(layout->stride >> 4) << 32 |
                    (uint64_t)layout->base << 49 | (uint64_t)layout->swizzle << 62;

    fprintf(to,
            "\t.reg .b64 %s;\n\tadd.u32 q, s, %u;\n\tand.b32 q, q, 0x3ffff;\n\tshr.u32 q, q, 4;\n"
            "\tcvt.u64.u32 %s, q;\n\tor.b64 %s, %s, 0x%" PRIx64 ";\n",
            name, offset + layout->start, name, name, name, bits);
}

const char *group_case_type(const struct group_case *group)
{
    return group->shape.d.type == MATRIX_F32 ? "f32" : "b32";
}

static void write_product(FILE *to, const struct group_case *group)
{
    const struct matrix_shape *shape = &group->shape;
    bool is_float = shape->a.type <= MATRIX_E5M2, has_layouts = shape->a.type <= MATRIX_BF16;

    fprintf(to, "\twgmma.fence.sync.aligned;\n\t%s ", group->opcode);
    write_vector(to, "d", shape->d.registers);
    fputc(',', to);
    if (group->a_in_memory)
        fprintf(to, "ad");
    else
        write_vector(to, "a", GROUP_A_REGISTERS);
    fprintf(to, ",bd");
    if (shape->sparse != 0)
        fprintf(to, ",e,%u", group->selector);
    fprintf(to, ",p");
    if (is_float)
        fprintf(to, ",%d,%d", group->negates_a ? -1 : 1, group->negates_b ? -1 : 1);
    if (has_layouts && group->a_in_memory)
        fprintf(to, ",%d", group->a.by_column);
    if (has_layouts)
        fprintf(to, ",%d", group->b.by_column);
    fprintf(to, ";\n\twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;\n");
}

void group_case_write(FILE *to, const struct group_case *group)
{
    write_descriptor(to, "ad", &group->a, 0);
    write_descriptor(to, "bd", &group->b, GROUP_A_BYTES);
    fprintf(to, "\tsetp.eq.u32 p, t, %s;\n", group->counts ? "t" : "0xffffffff");
    write_product(to, group);
}
