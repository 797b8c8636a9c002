/* SPDX-License-Identifier: MIT */
#include "atomic_cases.h"

#include <string.h>

/* ---- Table ---- */

enum { SPACES = 2, MAX_TYPES = 4 };

static const struct {
    const char *operation, *types[MAX_TYPES + 1];
    bool commutes;
} rows[] = {
    {"add", {"u32", "s32", "u64"}, true},
    {"add", {"f32", "f64"}, false},
    {"add.noftz", {"f16", "f16x2", "bf16", "bf16x2"}, false},
    {"min", {"u32", "s32", "u64", "s64"}, true},
    {"max", {"u32", "s32", "u64", "s64"}, true},
    {"and", {"b32", "b64"}, true},
    {"or", {"b32", "b64"}, true},
    {"xor", {"b32", "b64"}, true},
    {"inc", {"u32"}, false},
    {"dec", {"u32"}, false},
    {"exch", {"b32", "b64"}, false},
    {"cas", {"b16", "b32", "b64"}, false},
};
enum { ROWS = sizeof rows / sizeof *rows };
static const char *const spaces[SPACES] = {"global", "shared"};

static bool compares(const struct atomic_case *atomic)
{
    return strstr(atomic->opcode, ".cas") != NULL;
}

static void add_case(struct atomic_case *atomic, const char *space, size_t row, const char *type)
{
    atomic->space = space;
    atomic->commutes = rows[row].commutes;
    snprintf(atomic->opcode, sizeof atomic->opcode, "atom.%s.%s.%s", space, rows[row].operation,
             type);
    atomic->instruction = (struct instruction_case){
        .opcode = atomic->opcode,
        .types = {type, type, compares(atomic) ? type : NULL},
        .result = type,
    };
}

const struct atomic_case *atomic_cases(size_t *count)
{
    static struct atomic_case cases[SPACES * ROWS * MAX_TYPES];
    static size_t listed;

    if (listed == 0)
        for (size_t s = 0; s < SPACES; s++)
            for (size_t row = 0; row < ROWS; row++)
                for (size_t k = 0; rows[row].types[k] != NULL; k++)
                    add_case(&cases[listed++], spaces[s], row, rows[row].types[k]);
    *count = listed;
    return cases;
}

/* An H100 adds NaNs of f64 in global and shared memory in other ways: it keeps a signaling NaN, or
 * takes the other one of two. The PTX ISA leaves this open. So there is only one NaN. */
static uint64_t one_nan(uint64_t bits)
{
    return bits << 1 > UINT64_C(0xffe) << 52 ? UINT64_C(0xfff) << 51 : bits;
}

void atomic_case_tuple(const struct atomic_case *atomic, uint32_t number,
                       uint64_t tuple[OPERANDS_WORDS])
{
    operands_tuples(&atomic->instruction, number, 1, tuple);
    if (compares(atomic) && number % 2 == 0)
        tuple[1] = tuple[0];
    for (int k = 0; k < 2 && strcmp(atomic->instruction.result, "f64") == 0; k++)
        tuple[k] = one_nan(tuple[k]);
}

/* ---- PTX ---- */

static uint32_t bits_of(const char *type)
{
    return strstr(type, "64") != NULL                                 ? 64
           : strstr(type, "x2") != NULL || strstr(type, "32") != NULL ? 32
                                                                      : 16;
}

/* `m` becomes the address of the thread's word, and `w` that of the warp's. */
static void write_addresses(FILE *to, const struct atomic_case *atomic)
{
    if (strcmp(atomic->space, "global") == 0)
        fprintf(to,
                "\tadd.u64 m, o, 8;\n\tmul.wide.u32 w, l, %d;\n\tsub.u64 w, o, w;\n"
                "\tadd.u64 w, w, 16;\n",
                8 * ATOMIC_RESULTS);
    else
        fprintf(to,
                "\t.shared .align 16 .b8 room[%d];\n\tmov.u64 m, room;\n"
                "\tmad.wide.u32 m, t, 16, m;\n\tmul.wide.u32 w, l, 16;\n\tsub.u64 w, m, w;\n"
                "\tadd.u64 w, w, 8;\n",
                16 * ATOMIC_BLOCK);
}

void atomic_case_write(FILE *to, const struct atomic_case *atomic)
{
    const char *space = atomic->space;
    uint32_t bits = bits_of(atomic->instruction.result);

    fprintf(to,
            "\t.reg .b64 m, w, x, y;\n\t.reg .b32 l;\n\t.reg .b%u b, c, r;\n\t.reg .pred p;\n"
            "\tmov.u32 l, %%laneid;\n\tsetp.eq.u32 p, l, 0;\n",
            bits);
    write_addresses(to, atomic);
    fprintf(to,
            "\tld.global.b64 x, [i];\n\tld.global.b%u b, [i+8];\n\tld.global.b%u c, [i+16];\n"
            "\tst.%s.b64 [m], x;\n\t%s r, [m], b%s;\n",
            bits, bits, space, atomic->opcode, compares(atomic) ? ", c" : "");
    if (atomic->commutes)
        fprintf(to,
                "\t@p st.%s.b64 [w], x;\n\tbar.warp.sync 0xffffffff;\n\tred%s [w], b;\n"
                "\tbar.warp.sync 0xffffffff;\n\t@p ld.%s.b64 y, [w];\n"
                "\t@p st.global.b64 [o+16], y;\n",
                space, atomic->opcode + strlen("atom"), space);
    fprintf(to, "\tld.%s.b64 y, [m];\n\tst.global.b64 [o+8], y;\n", space);
    fprintf(to, bits == 64 ? "\tmov.b64 y, r;\n" : "\tcvt.u64.u%u y, r;\n", bits);
    fprintf(to, "\tst.global.b64 [o], y;\n");
}
