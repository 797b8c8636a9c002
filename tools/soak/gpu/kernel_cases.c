/* SPDX-License-Identifier: MIT */
#include "kernel_cases.h"

#include "entry_variable.h"
#include "matrix_operands.h"

#include <simtcheck/catalogue.h>
#include <string.h>

/* The PTX of the catalogue, one text for each file of kernels/. */
extern const char *const kernel_texts[];
extern const size_t kernel_texts_count;

/* ---- Table ---- */

enum {
    ELEMENTS = 2 * KERNEL_WORDS * KERNEL_BLOCK, /* of the inputs */
    OUT = 4 * ELEMENTS,
    STATE = OUT + 8 * (KERNEL_BLOCK - 1), /* the last word of the area */
    THIRD = 2048,                         /* elements of each of three buffers */
};

static const struct kernel_argument reduction[] = {
    {"in", 0, 0}, {"out", OUT, 0}, {"n", ELEMENTS, 97}, {NULL, 0, 0}};
static const struct kernel_argument one_pass[] = {
    {"in", 0, 0}, {"out", OUT, 0}, {"n", ELEMENTS, 97}, {"state", STATE, 0}, {NULL, 0, 0}};
static const struct kernel_argument map[] = {{"c", 0, 0}, {"n", ELEMENTS, 97}, {NULL, 0, 0}};
static const struct kernel_argument warp_map[] = {{"number", 0, 0},
                                                  {"warp", 4 * THIRD, 0},
                                                  {"lane", 8 * THIRD, 0},
                                                  {"n", THIRD, 97},
                                                  {NULL, 0, 0}};
static const struct kernel_argument matrices[] = {{"A", 0, 0},         {"B", 4 * THIRD, 0},
                                                  {"C", 8 * THIRD, 0}, {"nx", 61, 2},
                                                  {"ny", 33, 1},       {NULL, 0, 0}};

/* Indexed by enum soak. */
static const struct soak_shape {
    const struct kernel_argument *arguments;
    uint32_t grid[2]; /* of a reduction whose threads add one element each */
    uint32_t width;
} shapes[SOAKS] = {
    [SOAK_REDUCTION] = {reduction, {ELEMENTS / KERNEL_BLOCK, 1}, KERNEL_BLOCK},
    [SOAK_ONE_PASS] = {one_pass, {2, 1}, KERNEL_BLOCK},
    [SOAK_MAP] = {map, {ELEMENTS / KERNEL_BLOCK, 1}, KERNEL_BLOCK},
    [SOAK_WARP_MAP] = {warp_map, {THIRD / KERNEL_BLOCK, 1}, KERNEL_BLOCK},
    [SOAK_MATRICES] = {matrices, {2, 5}, 32},
};

enum { MAX_CASES = 64 };

static struct kernel_case case_of(const struct variant *variant)
{
    const struct soak_shape *shape = &shapes[variant->soak];
    const struct shape whole = {.block = {KERNEL_BLOCK, 1, 1}, .size = {ELEMENTS, 1}};
    static struct invocation invocation;
    struct kernel_case made = {.arguments = shape->arguments,
                               .grid = {shape->grid[0], shape->grid[1]},
                               .width = shape->width,
                               .is_float = variant->element == ELEMENT_F32};

    if (variant->soak == SOAK_REDUCTION)
        made.grid[0] =
            (made.grid[0] + variant->elements_per_thread - 1) / variant->elements_per_thread;
    memset(&invocation, 0, sizeof invocation);
    variant->invoke(variant, &whole, &invocation); /* it names the instance of a template */
    made.name = invocation.kernel;
    return made;
}

const struct kernel_case *kernel_cases(size_t *count)
{
    static struct kernel_case cases[MAX_CASES];
    static size_t made;
    const struct catalogue *all = &simtcheck_catalogue;

    if (made == 0 && kernel_texts_count > 0)
        for (size_t v = 0; v < all->count; v++)
            if (all->variants[v].soak != SOAK_NOT && made < MAX_CASES)
                cases[made++] = case_of(&all->variants[v]);
    *count = made;
    return cases;
}

/* ---- Inputs ---- */

/* Sums of these floats are rounded, but never overflow. */
static uint32_t element_of(const struct kernel_case *kernel, uint64_t random)
{
    uint32_t bits = (uint32_t)random;

    return kernel->is_float ? (bits & 0x807fffff) | (118 + (uint32_t)(random >> 32) % 20) << 23
                            : bits;
}

uint64_t kernel_case_operand(const struct kernel_case *kernel, uint32_t number, uint32_t word)
{
    uint64_t first = (uint64_t)number << 8 | 2 * word;

    return element_of(kernel, operand_random(first)) |
           (uint64_t)element_of(kernel, operand_random(first + 1)) << 32;
}

void kernel_case_describe(FILE *to, const struct kernel_case *kernel, uint32_t number,
                          uint32_t word)
{
    const struct kernel_argument *buffer = kernel->arguments;
    uint32_t offset = 8 * (number % KERNEL_BLOCK * KERNEL_RESULTS + word);

    fprintf(to, "input %u, block %ux%u, grid %ux%u", number / KERNEL_BLOCK, kernel->width,
            KERNEL_BLOCK / kernel->width, kernel->grid[0], kernel->grid[1]);
    for (const struct kernel_argument *one = kernel->arguments; one->name != NULL; one++) {
        if (one->step > 0)
            fprintf(to, ", %s %u", one->name, one->value - number / KERNEL_BLOCK * one->step);
        else if (one->value <= offset && one->value >= buffer->value)
            buffer = one;
    }
    fprintf(to, ": elements %u and %u of %s", (offset - buffer->value) / 4,
            (offset - buffer->value) / 4 + 1, buffer->name);
}

/* ---- The kernel as a function ---- */

/* Finds the PTX that defines the kernel, from its name on. Returns null if no text does. */
static const char *find_definition(const struct kernel_case *kernel, int *name_length)
{
    for (size_t k = 0; k < kernel_texts_count; k++) {
        struct entry_variable found;
        char entry[256];
        const char *name;

        if (!entry_variable_find(kernel_texts[k], kernel->name, &found))
            continue;
        *name_length = found.symbol_length;
        snprintf(entry, sizeof entry, ".entry %.*s(", found.symbol_length, found.symbol);
        name = strstr(kernel_texts[k], entry);
        return name != NULL ? name + strlen(".entry ") : NULL;
    }
    return NULL;
}

/* Special registers that differ between the kernel's grid and the block that runs it. */
static const char *const specials[][2] = {
    {"%ctaid.x", "Kcx"}, {"%ctaid.y", "Kcy"}, {"%nctaid.x", "Kgx"}, {"%nctaid.y", "Kgy"},
    {"%tid.x", "Ktx"},   {"%tid.y", "Kty"},   {"%ntid.x", "Kbx"},   {"%ntid.y", "Kby"},
};

/* Writes a line with the specials replaced. Lines of debug information are left out. */
static void write_line(FILE *to, const char *line, const char *end)
{
    if (strncmp(line, "\t.loc", 5) == 0)
        return;
    while (line < end) {
        size_t k = 0, count = sizeof specials / sizeof *specials;

        while (k < count && strncmp(line, specials[k][0], strlen(specials[k][0])) != 0)
            k++;
        if (k < count)
            fputs(specials[k][1], to);
        else
            fputc(*line, to);
        line += k < count ? strlen(specials[k][0]) : 1;
    }
}

void kernel_case_function(FILE *to, const struct kernel_case *kernel)
{
    int length = 0;
    const char *name = find_definition(kernel, &length);
    const char *line = name != NULL ? strstr(name, "\n{\n") : NULL;
    const char *end = line != NULL ? strstr(line, "\n}\n") : NULL;

    if (end == NULL) /* so the module does not compile, and the message names the kernel */
        return;
    fprintf(to, "\n.func %s(", kernel->name);
    for (uint32_t k = 0; kernel->arguments[k].name != NULL; k++)
        fprintf(to, ".param .%s %.*s_param_%u, ", kernel->arguments[k].step > 0 ? "u32" : "u64",
                length, name, k);
    fprintf(to,
            ".param .u32 Kblock)\n{\n\t.reg .b32 K, Kcx, Kcy, Kgx, Kgy, Ktx, Kty, Kbx, Kby;\n"
            "\tld.param.u32 K, [Kblock];\n\tmov.u32 Kgx, %u;\n\tmov.u32 Kgy, %u;\n"
            "\trem.u32 Kcx, K, %u;\n\tdiv.u32 Kcy, K, %u;\n\tmov.u32 K, %%tid.x;\n"
            "\tmov.u32 Kbx, %u;\n\tmov.u32 Kby, %u;\n\trem.u32 Ktx, K, %u;\n\tdiv.u32 Kty, K, %u;",
            kernel->grid[0], kernel->grid[1], kernel->grid[0], kernel->grid[0], kernel->width,
            KERNEL_BLOCK / kernel->width, kernel->width, kernel->width);
    for (line += 2; line < end + 3; line = strchr(line, '\n') + 1)
        write_line(to, line, strchr(line, '\n') + 1);
}

/* ---- The call ---- */

void kernel_case_write(FILE *to, const struct kernel_case *kernel)
{
    const struct kernel_argument *arguments = kernel->arguments;

    fprintf(to,
            "\t.reg .b64 a, x, y;\n\t.reg .b32 k, v, w;\n\t.reg .pred q;\n"
            "\tmul.wide.u32 y, t, %d;\n\tsub.u64 a, o, y;\n\tmad.wide.u32 y, t, %d, a;\n"
            "\tshr.u32 k, u, 8;\n\tmov.u32 v, 0;\n\tbar.sync 0;\n",
            8 * KERNEL_RESULTS, 8 * KERNEL_WORDS);
    for (uint32_t w = 0; w < KERNEL_WORDS; w++)
        fprintf(to, "\tld.global.u64 x, [i+%u];\n\tst.global.u64 [y+%u], x;\n", 8 * w, 8 * w);
    fprintf(to, "BLOCK:\n\tbar.sync 0;\n\t{\n");
    for (uint32_t k = 0; arguments[k].name != NULL; k++)
        if (arguments[k].step > 0)
            fprintf(to,
                    "\t.param .u32 p%u;\n\tmul.lo.u32 w, k, %u;\n\tsub.u32 w, %u, w;\n"
                    "\tst.param.u32 [p%u], w;\n",
                    k, arguments[k].step, arguments[k].value, k);
        else
            fprintf(to, "\t.param .u64 p%u;\n\tadd.u64 x, a, %u;\n\tst.param.u64 [p%u], x;\n", k,
                    arguments[k].value, k);
    fprintf(to, "\t.param .u32 b;\n\tst.param.u32 [b], v;\n\tcall.uni %s, (", kernel->name);
    for (uint32_t k = 0; arguments[k].name != NULL; k++)
        fprintf(to, "p%u, ", k);
    fprintf(to,
            "b);\n\t}\n\tadd.u32 v, v, 1;\n\tsetp.lt.u32 q, v, %u;\n\t@q bra BLOCK;\n"
            "\tbar.sync 0;\n",
            kernel->grid[0] * kernel->grid[1]);
}
