/* SPDX-License-Identifier: MIT
 *
 * test_matrix sim FOLDER DIGESTS | cuda FOLDER
 *
 * Runs every spelling of every matrix instruction on random and special operands, on the simulator.
 * On a GPU at least a million elements of the results of each must equal the GPU's, bit for bit.
 * Without one, the digest of each form's results must equal the one in DIGESTS, which a GPU has
 * confirmed. `cuda` writes the digests of all forms that agree to FOLDER/matrices.tsv.
 *
 * Each lane of a warp has a tuple of 64-bit words: its registers, or its part of the 4 KiB of
 * shared memory that a warp has.
 */
#include "forms.h"
#include "gpu_functions.h"
#include "launches.h"
#include "matrix_operands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    WORDS = 24,
    RESULTS = 16,
    MEMORY_WORDS = 16,
    LANES = 32,
    FEW_WARPS = 64,
    MAX_WARPS = 32768,
    MILLION = 1 << 20
};

/* What an entry does with the instruction. */
enum use { USE_MULTIPLY, USE_LOAD, USE_STORE, USE_MOVE };

struct spelling {
    const struct form *form;
    char opcode[96];
    enum use use;
    struct matrix_shape shape;    /* of USE_MULTIPLY */
    uint32_t registers, bits;     /* of the others */
    uint8_t types[WORDS], counts; /* of each word: enum matrix_type */
    uint32_t repeats[WORDS];      /* the word that this one repeats, as fragments of wmma do */
    uint32_t selector;
};

static struct spelling *spellings;
static size_t spelling_count, form_count;
static uint64_t (*tuples)[WORDS], (*results)[RESULTS], (*others)[RESULTS];

/* ---- Operands ---- */

static uint64_t random_of(uint32_t warp, uint32_t lane, uint32_t word, uint32_t element)
{
    return operand_random(operand_random((uint64_t)warp << 32 | lane << 16 | word << 8) + element);
}

static uint64_t word_of(const struct spelling *spelling, uint32_t warp, uint32_t lane, uint32_t w)
{
    enum matrix_type type = (enum matrix_type)spelling->types[w];
    uint32_t bits = operand_bits(type);
    uint64_t made = 0;

    if (spelling->use != USE_MULTIPLY)
        return random_of(warp, lane, w, 0);
    w = spelling->repeats[w];
    if (spelling->shape.sparse != 0 && w + 1 == spelling->counts)
        return operand_metadata((enum matrix_type)spelling->shape.a.type,
                                random_of(warp, lane, w, 0));
    if (bits == 64)
        return operand_element(type, warp, random_of(warp, lane, w, 0));
    for (uint32_t k = 0; k < 32 / bits; k++)
        made |=
            (operand_element(type, warp, random_of(warp, lane, w, k)) & ((UINT64_C(1) << bits) - 1))
            << k * bits;
    return made;
}

static void make_tuples(const struct spelling *spelling, uint32_t warps)
{
    for (uint32_t warp = 0; warp < warps; warp++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            for (uint32_t w = 0; w < WORDS; w++)
                tuples[warp * LANES + lane][w] =
                    w < spelling->counts ? word_of(spelling, warp, lane, w) : 0;
}

/* ---- Spellings ---- */

/* Adds the registers of an operand to the tuple. wmma holds some of them more than once. */
static void add_words(struct spelling *spelling, const struct matrix_fragment *fragment)
{
    uint32_t wide = fragment->bits == 64 ? 64 : 32, first = spelling->counts;
    uint32_t elements = (uint32_t)fragment->rows * fragment->columns * spelling->shape.products;
    uint32_t distinct = elements * fragment->bits / LANES / wide;

    for (uint32_t r = 0; r < fragment->registers; r++, spelling->counts++) {
        spelling->types[spelling->counts] = fragment->type;
        spelling->repeats[spelling->counts] = first + r % distinct;
    }
}

static bool has(const char *opcode, const char *part)
{
    return strstr(opcode, part) != NULL;
}

/* Returns the registers that wmma.load and wmma.store name. */
static uint32_t wmma_registers(const char *opcode, uint32_t *bits)
{
    static const struct {
        const char *shape, *type;
        uint8_t a, b, c;
    } rows[] = {
        {"m16n16k16", "bf16", 4, 4, 0},
        {"m32n8k16", "bf16", 8, 2, 0},
        {"m8n32k16", "bf16", 2, 8, 0},
        {"m16n16k16", "8", 2, 2, 0},
        {"m32n8k16", "8", 4, 1, 0},
        {"m8n32k16", "8", 1, 4, 0},
        {"", ".f16", 8, 8, 4},
        {"m16n16k8", "tf32", 4, 4, 0},
        {"m8n8k4", "f64", 1, 1, 2},
        {"m8n8k32", "4", 1, 1, 0},
        {"m8n8k128", "b1", 1, 1, 0},
        {"m8n8", "s32", 0, 0, 2},
        {"", "32", 0, 0, 8},
    };
    const char *type = strrchr(opcode, '.');

    *bits = has(opcode, "f64") ? 64 : 32;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (has(opcode, rows[k].shape) && has(type, rows[k].type))
            return has(opcode, "load.a")   ? rows[k].a
                   : has(opcode, "load.b") ? rows[k].b
                                           : rows[k].c;
    return 0;
}

static void complete(struct spelling *spelling)
{
    const char *meaning = spelling->form->meaning, *opcode = spelling->opcode;

    spelling->bits = 32;
    if (strcmp(meaning, "@mma") == 0) {
        matrix_read(opcode, &spelling->shape);
        add_words(spelling, &spelling->shape.a);
        add_words(spelling, &spelling->shape.b);
        add_words(spelling, &spelling->shape.c);
        spelling->types[spelling->counts] = MATRIX_S32;
        spelling->repeats[spelling->counts] = spelling->counts;
        spelling->counts = (uint8_t)(spelling->counts + (spelling->shape.sparse != 0));
        return;
    }
    spelling->counts = MEMORY_WORDS;
    spelling->use = has(meaning, "load") || has(meaning, "ldm") ? USE_LOAD
                    : has(meaning, "movm")                      ? USE_MOVE
                                                                : USE_STORE;
    if (has(opcode, "wmma"))
        spelling->registers = wmma_registers(opcode, &spelling->bits);
    else
        spelling->registers = has(opcode, ".x4") ? 4 : has(opcode, ".x2") ? 2 : 1;
}

/* Spaces have the same meaning, and layouts do not change a product. */
static bool is_redundant(const char *opcode)
{
    return has(opcode, ".shared::cta") || has(opcode, ".global") ||
           (has(opcode, "wmma.load") && !has(opcode, ".shared")) ||
           (has(opcode, "wmma.store") && !has(opcode, ".shared")) ||
           (has(opcode, "matrix.") && !has(opcode, ".shared") && !has(opcode, "mov"));
}

static void list_spellings(void)
{
    for (const struct form *form = matrix_forms; form->pattern != NULL; form++, form_count++) {
        struct spelling spelling;
        struct match match;
        for (size_t k = 0;; k++) {
            spelling = (struct spelling){.form = form};
            if (!forms_spelling(form, k, spelling.opcode, sizeof spelling.opcode))
                break;
            if (!forms_match(spelling.opcode, &match) || match.form != form ||
                is_redundant(spelling.opcode))
                continue;
            complete(&spelling);
            for (uint32_t s = 0;; s++) { /* each sparsity selector */
                spelling.selector = s;
                spellings = realloc(spellings, (spelling_count + 1) * sizeof *spellings);
                spellings[spelling_count++] = spelling;
                if (spelling.shape.sparse == 0 ||
                    s + 1 >= 4u / (spelling.shape.k / spelling.shape.sparse / 4u))
                    break;
            }
        }
    }
}

/* ---- PTX ---- */

static void write_vector(FILE *to, char letter, uint32_t first, uint32_t count)
{
    fputc('{', to);
    for (uint32_t r = 0; r < count; r++)
        fprintf(to, "%s%c%u", r > 0 ? "," : "", letter, first + r);
    fputc('}', to);
}

static const char *register_type(uint32_t bits)
{
    return bits == 64 ? "b64" : "b32";
}

/* Declares registers of the instruction's own types, w<n>, and fills them from the tuple. */
static void write_inputs(FILE *to, const struct spelling *spelling)
{
    for (uint32_t w = 0; w < spelling->counts; w++) {
        enum matrix_type type = (enum matrix_type)spelling->types[w];
        fprintf(to, "\t.reg .%s w%u;\n\tld.global.%s w%u, [i+%u];\n",
                type == MATRIX_F32   ? "f32"
                : type == MATRIX_F64 ? "f64"
                                     : "b32",
                w,
                type == MATRIX_F32   ? "f32"
                : type == MATRIX_F64 ? "f64"
                                     : "b32",
                w, 8 * w);
    }
}

static void write_multiply(FILE *to, const struct spelling *spelling)
{
    const struct matrix_shape *shape = &spelling->shape;
    uint32_t a = shape->a.registers, b = shape->b.registers, c = shape->c.registers;
    const char *type = shape->d.type == MATRIX_F32   ? "f32"
                       : shape->d.type == MATRIX_F64 ? "f64"
                                                     : "b32";

    write_inputs(to, spelling);
    fprintf(to, "\t.reg .%s r<%u>;\n\t%s ", type, shape->d.registers, spelling->opcode);
    write_vector(to, 'r', 0, shape->d.registers);
    fputc(',', to);
    write_vector(to, 'w', 0, a);
    fputc(',', to);
    write_vector(to, 'w', a, b);
    fputc(',', to);
    write_vector(to, 'w', a + b, c);
    if (shape->sparse != 0)
        fprintf(to, ",w%u,%u", a + b + c, spelling->selector);
    fprintf(to, ";\n");
    for (uint32_t r = 0; r < shape->d.registers; r++)
        fprintf(to, "\tst.global.%s [o+%u], r%u;\n", type, 8 * r, r);
}

/* Copies the warp's 4 KiB between its tuples or results and shared memory. */
static void write_copy(FILE *to, bool is_in)
{
    fprintf(to, "\t.reg .b64 %s;\n", is_in ? "x" : "y");
    for (uint32_t w = 0; w < MEMORY_WORDS; w++) {
        if (is_in)
            fprintf(to, "\tld.global.b64 x, [i+%u];\n\tst.shared.b64 [s+%u], x;\n", 8 * w, 8 * w);
        else
            fprintf(to, "\tld.shared.b64 y, [s+%u];\n\tst.global.b64 [o+%u], y;\n", 8 * w, 8 * w);
    }
    fprintf(to, "\tbar.warp.sync 0xffffffff;\n");
}

/* The address of the instruction: `m` is the warp's memory. Each lane of ldmatrix and stmatrix has
 * a row of its own. */
static void write_memory(FILE *to, const struct spelling *spelling)
{
    bool is_wmma = has(spelling->opcode, "wmma"), loads = spelling->use == USE_LOAD;
    const char *type = register_type(spelling->bits);
    uint32_t stride = has(spelling->opcode, "k128") ? 128 : 32;

    if (has(spelling->opcode, "wmma") && has(spelling->opcode, ".f32"))
        type = "f32";
    if (has(spelling->opcode, "wmma") && has(spelling->opcode, ".f64"))
        type = "f64";
    fprintf(to, "\t.reg .%s r<%u>;\n", type, spelling->registers);
    write_copy(to, true);
    if (!is_wmma)
        fprintf(to, "\txor.b32 q, l, 21;\n\tmad.lo.u32 m, q, 48, m;\n");
    for (uint32_t r = 0; !loads && r < spelling->registers; r++)
        fprintf(to, "\tld.global.%s r%u, [i+%u];\n", type, r, 8 * r);
    fprintf(to, "\t%s ", spelling->opcode);
    if (!loads)
        fprintf(to, "[m],");
    write_vector(to, 'r', 0, spelling->registers);
    if (loads)
        fprintf(to, ",[m]");
    if (is_wmma)
        fprintf(to, ",%u", stride);
    fprintf(to, ";\n\tbar.warp.sync 0xffffffff;\n");
    for (uint32_t r = 0; loads && r < spelling->registers; r++)
        fprintf(to, "\tst.global.%s [o+%u], r%u;\n", type, 8 * r, r);
    if (!loads)
        write_copy(to, false);
}

static void write_entry(FILE *to, const struct spelling *spelling, size_t number)
{
    fprintf(to,
            ".visible .entry g%zu(.param .u64 in, .param .u64 out, .param .u32 count)\n{\n"
            "\t.reg .b64 i, o;\n\t.reg .b32 n, t, b, l, s, m, q;\n\t.reg .pred p;\n"
            "\t.shared .align 16 .b8 room[%u];\n"
            "\tmov.u32 t, %%tid.x;\n\tmov.u32 b, %%ctaid.x;\n\tmov.u32 l, %%laneid;\n"
            "\tmov.u32 s, room;\n\tshr.u32 m, t, 5;\n\tmad.lo.u32 m, m, 4096, s;\n"
            "\tmad.lo.u32 s, t, 128, s;\n\tmad.lo.u32 t, b, 256, t;\n"
            "\tld.param.u32 n, [count];\n\tsetp.ge.u32 p, t, n;\n\t@p ret;\n"
            "\tld.param.u64 i, [in];\n\tmad.wide.u32 i, t, %u, i;\n"
            "\tld.param.u64 o, [out];\n\tmad.wide.u32 o, t, %u, o;\n",
            number, spelling->use == USE_LOAD || spelling->use == USE_STORE ? 32768 : 16, 8 * WORDS,
            8 * RESULTS);
    if (spelling->use == USE_MULTIPLY)
        write_multiply(to, spelling);
    else if (spelling->use == USE_MOVE)
        fprintf(to, "\tld.global.b32 n, [i];\n\t%s n, n;\n\tst.global.b32 [o], n;\n",
                spelling->opcode);
    else
        write_memory(to, spelling);
    fprintf(to, "\tret;\n}\n");
}

static char *entries_text(void)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        return NULL;
    fprintf(to, ".version 8.7\n.target sm_90a\n.address_size 64\n");
    for (size_t k = 0; k < spelling_count; k++)
        write_entry(to, &spellings[k], k);
    fclose(to);
    return text;
}

/* ---- Running ---- */

static struct {
    struct engine *engine;
    void *tuples, *results;
} simulator;

static bool start_simulator(const char *folder, const char *text, uint32_t warps)
{
    static const struct launch_rules rules = {.model = MODEL_LOCKSTEP};
    struct engine_limits limits = {.deadline_seconds = 600};
    char reason[512], path[4096];
    FILE *to;

    snprintf(path, sizeof path, "%s/entries", folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/entries/matrices.ptx", folder);
    to = fopen(path, "w");
    if (to == NULL || fputs(text, to) < 0 || fclose(to) != 0) {
        printf("cannot write %s\n", path);
        return false;
    }
    snprintf(path, sizeof path, "%s/entries", folder);
    if (engine_open(&limits, &simulator.engine, reason, sizeof reason) != ENGINE_OK ||
        !engine_load(path, reason, sizeof reason) || !launches_start(simulator.engine, &rules)) {
        printf("%s\n", reason);
        return false;
    }
    simulator.tuples = launches_allocate("tuples", (size_t)warps * LANES * WORDS, 8);
    simulator.results = launches_allocate("results", (size_t)warps * LANES * RESULTS, 8);
    return simulator.tuples != NULL && simulator.results != NULL;
}

static bool simulate(size_t number, uint32_t warps)
{
    enum { THREADS = 256 };
    uint32_t count = warps * LANES;
    void *arguments[] = {&simulator.tuples, &simulator.results, &count};
    struct engine_outcome outcome;
    char name[32];
    struct launch launch = {.grid = {(count + THREADS - 1) / THREADS, 1, 1},
                            .block = {THREADS, 1, 1},
                            .arguments = arguments};

    snprintf(name, sizeof name, "g%zu", number);
    launch.kernel = launches_kernel(NULL, name);
    if (launches_fill(simulator.results, 0, count * sizeof *results) == MEMORY_OK &&
        launches_copy_in(simulator.tuples, tuples, count * sizeof *tuples) == MEMORY_OK &&
        launches_run(&launch, 1, &outcome) == ENGINE_OK && outcome.fault.kind == FAULT_NONE &&
        launches_copy_out(results, simulator.results, count * sizeof *results, NULL) == MEMORY_OK)
        return true;
    printf("%s: %s\n", spellings[number].opcode, outcome.fault.text);
    return false;
}

static void add_to_digest(uint64_t *digest)
{
    for (uint32_t i = 0; i < FEW_WARPS * LANES; i++)
        for (uint32_t k = 0; k < RESULTS; k++)
            *digest = (*digest ^ results[i][k]) * UINT64_C(0x100000001b3);
}

/* ---- Comparing ---- */

static int compare_with_digests(const char *path, const uint64_t *digests)
{
    FILE *file = fopen(path, "r");
    char line[512];
    size_t compared = 0, wrong = 0;

    if (file == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        return 2;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *tab = strchr(line, '\t');
        if (tab == NULL)
            continue;
        *tab = '\0';
        for (size_t f = 0; f < form_count; f++) {
            uint64_t digest = strtoull(tab + 1, NULL, 16);
            if (strcmp(line, matrix_forms[f].pattern) != 0)
                continue;
            compared++;
            if (digest == digests[f])
                continue;
            wrong++;
            printf("%s: %016" PRIx64 ", and on the GPU %016" PRIx64 "\n", line, digests[f], digest);
        }
    }
    fclose(file);
    printf("%zu of %zu forms compared with GPU results, %zu wrong\n", compared, form_count, wrong);
    return wrong > 0 || compared != form_count;
}

/* Prints the first results that differ. Returns the number of words that differ. */
static size_t count_differences(const struct spelling *spelling, uint32_t warps)
{
    size_t count = 0;

    for (uint32_t i = 0; i < warps * LANES; i++)
        for (uint32_t k = 0; k < RESULTS; k++)
            if (results[i][k] != others[i][k] && count++ < 4)
                printf("  %s: warp %u, lane %u, word %u: simulated %" PRIx64 ", GPU %" PRIx64 "\n",
                       spelling->opcode, i / LANES, i % LANES, k, results[i][k], others[i][k]);
    return count;
}

static bool compare_one(size_t k, uint32_t warps, bool *differs)
{
    const struct spelling *spelling = &spellings[k];
    size_t count;
    char name[32];

    snprintf(name, sizeof name, "g%zu", k);
    memset(others, 0, warps * LANES * sizeof *others);
    if (!gpu_run(name, tuples, warps * LANES * sizeof *tuples, others,
                 warps * LANES * sizeof *others, warps * LANES, 256)) {
        printf("%s does not run\n", spelling->opcode);
        return false;
    }
    count = count_differences(spelling, warps);
    if (count > 0)
        printf("%s: %zu words differ\n", spelling->opcode, count);
    differs[spelling->form - matrix_forms] |= count > 0;
    return true;
}

static void write_digests(const char *folder, const uint64_t *digests, const bool *differs)
{
    char name[4096];
    FILE *file;

    snprintf(name, sizeof name, "%s/matrices.tsv", folder);
    file = fopen(name, "w");
    for (size_t f = 0; file != NULL && f < form_count; f++)
        if (!differs[f])
            fprintf(file, "%s\t%016" PRIx64 "\n", matrix_forms[f].pattern, digests[f]);
    if (file != NULL)
        fclose(file);
}

/* Returns the warps that together compute a million elements. */
static uint32_t many_warps(const struct spelling *spelling)
{
    const struct matrix_shape *shape = &spelling->shape;

    return spelling->use != USE_MULTIPLY
               ? 1024
               : MILLION / ((uint32_t)shape->m * shape->n * shape->products);
}

int main(int argc, char **argv)
{
    bool on_gpu = argc == 3 && strcmp(argv[1], "cuda") == 0, any = false, *differs;
    uint32_t warps = on_gpu ? MAX_WARPS : FEW_WARPS;
    uint64_t *digests;
    char reason[256], *text;

    if (!on_gpu && (argc != 4 || strcmp(argv[1], "sim") != 0)) {
        fprintf(stderr, "usage: test_matrix sim FOLDER DIGESTS | cuda FOLDER\n");
        return 2;
    }
    if (on_gpu && !gpu_open(reason, sizeof reason)) {
        const char *required = getenv("SIMTCHECK_REQUIRE");
        printf("%s\n", reason);
        return required != NULL && strcmp(required, "cuda") == 0 ? 1 : 77;
    }
    list_spellings();
    tuples = malloc((size_t)warps * LANES * sizeof *tuples);
    results = malloc((size_t)warps * LANES * sizeof *results);
    others = malloc((size_t)warps * LANES * sizeof *others);
    digests = calloc(form_count, sizeof *digests);
    differs = calloc(form_count, sizeof *differs);
    text = entries_text();
    if (text == NULL || !start_simulator(argv[2], text, warps) || (on_gpu && !gpu_load(text, true)))
        return 1;
    for (size_t k = 0; k < spelling_count; k++) {
        if (on_gpu)
            warps = many_warps(&spellings[k]);
        make_tuples(&spellings[k], warps);
        if (!simulate(k, warps) || (on_gpu && !compare_one(k, warps, differs)))
            return 1;
        add_to_digest(&digests[spellings[k].form - matrix_forms]);
    }
    if (!on_gpu)
        return compare_with_digests(argv[3], digests);
    for (size_t f = 0; f < form_count; f++)
        any = any || differs[f];
    write_digests(argv[2], digests, differs);
    printf("%zu spellings of %zu forms, a million elements of each product: %s\n", spelling_count,
           form_count, any ? "some differ" : "all equal");
    return any;
}
