/* SPDX-License-Identifier: MIT */
#include "soak_group.h"

#include <inttypes.h>

/* Where the words of a tuple begin that are not for the shared memory. */
enum {
    GROUP_MEMORY = GROUP_BYTES / SOAK_BLOCK / 8,
    GROUP_A = GROUP_MEMORY,
    GROUP_E = GROUP_A + GROUP_A_REGISTERS / 2,
    GROUP_C = GROUP_E + 1,
    GROUP_C_REGISTERS = 2 * (SOAK_GROUP_WORDS - GROUP_C),
};

static enum matrix_type type_of(const struct group_case *group, uint32_t number, uint32_t word)
{
    if (word >= GROUP_C)
        return (enum matrix_type)group->shape.d.type;
    if (word < GROUP_MEMORY && 8 * (number % SOAK_BLOCK * GROUP_MEMORY + word) >= GROUP_A_BYTES)
        return (enum matrix_type)group->shape.b.type;
    return (enum matrix_type)group->shape.a.type;
}

uint64_t soak_group_operand(const struct group_case *group, uint32_t number, uint32_t word)
{
    enum matrix_type type = type_of(group, number, word);
    uint64_t random = (uint64_t)number << 16 | word << 10;

    if (word == GROUP_E)
        return operand_metadata(type, operand_random(random));
    return group_case_word(type, number / SOAK_BLOCK, random) |
           (uint64_t)group_case_word(type, number / SOAK_BLOCK, random + 512) << 32;
}

void soak_group_describe(FILE *to, const struct group_case *group, uint32_t number)
{
    fprintf(to, "input %u, thread %u:", number / SOAK_BLOCK, number % SOAK_BLOCK);
    for (uint32_t w = GROUP_A; w < SOAK_GROUP_WORDS; w++)
        fprintf(to, " %" PRIx64, soak_group_operand(group, number, w));
}

void soak_group_write(FILE *to, const struct group_case *group)
{
    const char *type = group_case_type(group);

    fprintf(to,
            "\t.reg .b64 x;\n\t.reg .b32 m, q, s, e, a<%d>;\n\t.reg .pred p;\n\t.reg .%s d<%u>;\n"
            "\t.shared .align 1024 .b8 room[%d];\n\tmov.u32 s, room;\n\tmad.lo.u32 m, t, %d, s;\n"
            "\tbar.sync 0;\n",
            GROUP_A_REGISTERS, type, group->shape.d.registers, GROUP_BYTES, 8 * GROUP_MEMORY);
    for (int w = 0; w < GROUP_MEMORY; w++)
        fprintf(to, "\tld.global.b64 x, [i+%d];\n\tst.shared.b64 [m+%d], x;\n", 8 * w, 8 * w);
    fprintf(to, "\tfence.proxy.async.shared::cta;\n\tbar.sync 0;\n");
    for (int r = 0; r < GROUP_A_REGISTERS; r++)
        fprintf(to, "\tld.global.b32 a%d, [i+%d];\n", r, 8 * GROUP_A + 4 * r);
    fprintf(to, "\tld.global.b32 e, [i+%d];\n", 8 * GROUP_E);
    for (uint32_t r = 0; r < group->shape.d.registers; r++)
        fprintf(to, "\tld.global.%s d%u, [i+%u];\n", type, r,
                8 * GROUP_C + 4 * (r % GROUP_C_REGISTERS));
    group_case_write(to, group);
    for (uint32_t r = 0; r < group->shape.d.registers; r++)
        fprintf(to, "\tst.global.%s [o+%u], d%u;\n", type, 4 * r, r);
}
