/* SPDX-License-Identifier: MIT
 *
 * test_group_matrix sim FOLDER DIGESTS | cuda FOLDER [PART]
 *
 * Runs every spelling of wgmma.mma_async on random and special operands, on the simulator. On a
 * GPU, the results of each must equal the GPU's, bit for bit: a million elements or more. Without
 * one, the digest of each form's results must equal the one in DIGESTS, which a GPU has confirmed.
 * `cuda` writes the digests of all forms that agree to FOLDER/groups.tsv. PART is a part of an
 * opcode; other spellings are left out.
 *
 * Each spelling has its own layout of both operands, as random as the spelling's number. Blocks of
 * one warpgroup share a few contents of shared memory, and have their own registers. Several
 * processes share the spellings.
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
#include <sys/wait.h>
#include <unistd.h>

enum {
    A_BYTES = 8192,
    B_BYTES = 32768,
    AREAS = 63,
    AREA_WORDS = (A_BYTES + B_BYTES) / 4,
    THREADS = 128,
    A_WORDS = 4,
    MAX_C_WORDS = 128,
    FEW_BLOCKS = 1,
    MAX_PROCESSES = 16,
    MILLION = 1 << 20
};

/* A layout of an operand in shared memory, in bytes. */
struct layout {
    uint32_t start, leading, stride, swizzle, base;
    bool by_column;
};

struct spelling {
    const struct form *form;
    char opcode[96];
    struct matrix_shape shape;
    struct layout a, b;
    bool a_in_memory, counts, negates_a, negates_b;
    uint32_t selector, words; /* words: of a thread */
};

static struct spelling *spellings;
static size_t spelling_count, form_count;
static uint32_t *inputs, *results, *others;

static bool has(const char *opcode, const char *part)
{
    return strstr(opcode, part) != NULL;
}

/* ---- Spellings ---- */

/* Returns a number below `limit`. */
static uint32_t draw(uint64_t *random, uint32_t limit)
{
    *random = operand_random(*random + 1);
    return (uint32_t)(*random >> 16) % limit;
}

static struct layout draw_layout(uint64_t *random, bool is_a)
{
    struct layout made = {.swizzle = draw(random, 4),
                          .start = 16 * draw(random, is_a ? 16 : 64),
                          .leading = 16 * (1 + draw(random, is_a ? 32 : 64)),
                          .stride = 16 * (1 + draw(random, is_a ? 48 : 52))};

    made.base = draw(random, 4) == 0 ? draw(random, 8) : 0;
    return made;
}

static void complete(struct spelling *spelling, uint64_t random)
{
    struct matrix_shape *shape = &spelling->shape;
    bool has_layouts;

    matrix_read(spelling->opcode, shape);
    has_layouts = shape->a.type <= MATRIX_BF16;
    spelling->a_in_memory = draw(&random, 2);
    spelling->counts = draw(&random, 8) != 0;
    spelling->negates_a = shape->a.type <= MATRIX_E5M2 && draw(&random, 4) == 0;
    spelling->negates_b = shape->a.type <= MATRIX_E5M2 && draw(&random, 4) == 0;
    spelling->a = draw_layout(&random, true);
    spelling->b = draw_layout(&random, false);
    spelling->a.by_column = spelling->a_in_memory && has_layouts && draw(&random, 2);
    spelling->b.by_column = has_layouts && draw(&random, 2);
    if (shape->sparse != 0)
        spelling->selector = draw(&random, 4 / (shape->k / shape->sparse / 4u));
    spelling->words = shape->d.registers + A_WORDS + 1u;
}

static void list_spellings(const char *part)
{
    for (const struct form *form = group_forms; form->pattern != NULL; form++) {
        struct spelling spelling;
        struct match match;
        if (strcmp(form->meaning, "@wgmma") != 0)
            continue;
        form_count++;
        for (size_t k = 0;; k++) {
            spelling = (struct spelling){.form = form};
            if (!forms_spelling(form, k, spelling.opcode, sizeof spelling.opcode))
                break;
            if (!forms_match(spelling.opcode, &match) || match.form != form ||
                !has(spelling.opcode, part))
                continue;
            complete(&spelling, (uint64_t)(form - group_forms) << 32 | k);
            spellings = realloc(spellings, (spelling_count + 1) * sizeof *spellings);
            spellings[spelling_count++] = spelling;
        }
    }
}

static uint32_t million(const struct spelling *spelling)
{
    return (MILLION + 64u * spelling->shape.n - 1) / (64u * spelling->shape.n);
}

/* ---- Operands ---- */

static uint32_t word_of(enum matrix_type type, uint32_t kind, uint64_t random)
{
    uint32_t bits = operand_bits(type), made = 0;

    for (uint32_t k = 0; k < 32 / bits; k++)
        made |= (uint32_t)(operand_element(type, kind, operand_random(random + k)) &
                           ((UINT64_C(1) << bits) - 1))
                << k * bits;
    return made;
}

static void make_inputs(const struct spelling *spelling, uint32_t blocks)
{
    const struct matrix_shape *shape = &spelling->shape;
    enum matrix_type a = (enum matrix_type)shape->a.type, b = (enum matrix_type)shape->b.type;
    uint32_t *to = inputs;

    for (uint32_t area = 0; area < AREAS && area < blocks; area++, to += AREA_WORDS)
        for (uint32_t w = 0; w < (uint32_t)AREA_WORDS; w++)
            to[w] = word_of(w < A_BYTES / 4 ? a : b, area, (uint64_t)area << 32 | (uint64_t)w << 8);
    to = inputs + AREAS * AREA_WORDS;
    for (uint32_t thread = 0; thread / THREADS < blocks; thread++)
        for (uint32_t w = 0; w < spelling->words; w++) {
            uint32_t kind = thread / THREADS % AREAS;
            uint64_t random = UINT64_C(1) << 60 | (uint64_t)thread << 20 | w << 8;
            *to++ = w < shape->d.registers ? word_of((enum matrix_type)shape->d.type, kind, random)
                    : w + 1 < spelling->words
                        ? word_of(a, kind, random)
                        : (uint32_t)operand_metadata(a, operand_random(random));
        }
}

static size_t input_words(const struct spelling *spelling, uint32_t blocks)
{
    return AREAS * AREA_WORDS + (size_t)blocks * THREADS * spelling->words;
}

static size_t result_words(const struct spelling *spelling, uint32_t blocks)
{
    return (size_t)blocks * THREADS * spelling->shape.d.registers;
}

/* ---- PTX ---- */

static void write_vector(FILE *to, const char *name, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++)
        fprintf(to, "%s%s%u", r > 0 ? "," : "{", name, r);
    fputc('}', to);
}

/* Puts a descriptor into a register. Its address is relative to that in `s`. */
static void write_descriptor(FILE *to, const char *name, const struct layout *layout,
                             uint32_t offset)
{
    uint64_t bits = (uint64_t)(layout->leading >> 4) << 16 | (uint64_t)(layout->stride >> 4) << 32 |
                    (uint64_t)layout->base << 49 | (uint64_t)layout->swizzle << 62;

    fprintf(to,
            "\t.reg .b64 %s;\n\tadd.u32 q, s, %u;\n\tand.b32 q, q, 0x3ffff;\n\tshr.u32 q, q, 4;\n"
            "\tcvt.u64.u32 %s, q;\n\tor.b64 %s, %s, 0x%" PRIx64 ";\n",
            name, offset + layout->start, name, name, name, bits);
}

static void write_copy(FILE *to)
{
    for (uint32_t at = 0; at < A_BYTES + B_BYTES; at += 16 * THREADS)
        fprintf(to,
                "\tld.global.v4.b32 {v0,v1,v2,v3}, [g+%u];\n"
                "\tst.shared.v4.b32 [m+%u], {v0,v1,v2,v3};\n",
                at, at);
    fprintf(to, "\tfence.proxy.async.shared::cta;\n\tbar.sync 0;\n");
}

static void write_product(FILE *to, const struct spelling *spelling)
{
    const struct matrix_shape *shape = &spelling->shape;
    bool is_float = shape->a.type <= MATRIX_E5M2, has_layouts = shape->a.type <= MATRIX_BF16;

    fprintf(to, "\twgmma.fence.sync.aligned;\n\t%s ", spelling->opcode);
    write_vector(to, "d", shape->d.registers);
    fputc(',', to);
    if (spelling->a_in_memory)
        fprintf(to, "ad");
    else
        write_vector(to, "a", A_WORDS);
    fprintf(to, ",bd");
    if (shape->sparse != 0)
        fprintf(to, ",e,%u", spelling->selector);
    fprintf(to, ",p");
    if (is_float)
        fprintf(to, ",%d,%d", spelling->negates_a ? -1 : 1, spelling->negates_b ? -1 : 1);
    if (has_layouts && spelling->a_in_memory)
        fprintf(to, ",%d", spelling->a.by_column);
    if (has_layouts)
        fprintf(to, ",%d", spelling->b.by_column);
    fprintf(to, ";\n\twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;\n");
}

static void write_entry(FILE *to, const struct spelling *spelling, size_t number)
{
    const struct matrix_shape *shape = &spelling->shape;
    uint32_t count = shape->d.registers;
    const char *type = shape->d.type == MATRIX_F32 ? "f32" : "b32";

    fprintf(to,
            ".visible .entry g%zu(.param .u64 in, .param .u64 out, .param .u32 count)\n{\n"
            "\t.reg .b64 g, i, o;\n\t.reg .b32 t, b, q, s, m, e, v<4>, a<4>;\n\t.reg .pred p;\n"
            "\t.reg .%s d<%u>;\n\t.shared .align 1024 .b8 room[%u];\n"
            "\tmov.u32 t, %%tid.x;\n\tmov.u32 b, %%ctaid.x;\n\tmov.u32 s, room;\n"
            "\tmad.lo.u32 m, t, 16, s;\n\tld.param.u64 g, [in];\n\tadd.u64 i, g, %u;\n"
            "\tmad.lo.u32 q, b, %u, t;\n\tmad.wide.u32 i, q, %u, i;\n"
            "\tld.param.u64 o, [out];\n\tmad.wide.u32 o, q, %u, o;\n"
            "\trem.u32 b, b, %u;\n\tmad.wide.u32 g, b, %u, g;\n\tmad.wide.u32 g, t, 16, g;\n",
            number, type, count, A_BYTES + B_BYTES, AREAS * AREA_WORDS * 4, THREADS,
            4 * spelling->words, 4 * count, AREAS, AREA_WORDS * 4);
    write_copy(to);
    for (uint32_t r = 0; r < count; r++)
        fprintf(to, "\tld.global.%s d%u, [i+%u];\n", type, r, 4 * r);
    for (uint32_t r = 0; r < A_WORDS; r++)
        fprintf(to, "\tld.global.b32 a%u, [i+%u];\n", r, 4 * (count + r));
    fprintf(to, "\tld.global.b32 e, [i+%u];\n", 4 * (count + A_WORDS));
    write_descriptor(to, "ad", &spelling->a, 0);
    write_descriptor(to, "bd", &spelling->b, A_BYTES);
    fprintf(to, "\tsetp.eq.u32 p, t, %s;\n", spelling->counts ? "t" : "0xffffffff");
    write_product(to, spelling);
    for (uint32_t r = 0; r < count; r++)
        fprintf(to, "\tst.global.%s [o+%u], d%u;\n", type, 4 * r, r);
    fprintf(to, "\tret;\n}\n");
}

/* Writes the entries of every `step`-th spelling. */
static char *entries_text(size_t first, size_t step)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        return NULL;
    fprintf(to, ".version 8.7\n.target sm_90a\n.address_size 64\n");
    for (size_t k = first; k < spelling_count; k += step)
        write_entry(to, &spellings[k], k);
    fclose(to);
    return text;
}

/* ---- Running ---- */

static struct {
    struct engine *engine;
    void *inputs, *results;
} simulator;

static bool start_simulator(const char *folder, size_t number, const char *text, size_t words[2])
{
    static const struct launch_rules rules = {.model = MODEL_LOCKSTEP};
    struct engine_limits limits = {.deadline_seconds = 600};
    char reason[512], path[4096];
    FILE *to;

    snprintf(path, sizeof path, "%s/entries%zu", folder, number);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/entries%zu/groups.ptx", folder, number);
    to = fopen(path, "w");
    if (to == NULL || fputs(text, to) < 0 || fclose(to) != 0) {
        printf("cannot write %s\n", path);
        return false;
    }
    *strrchr(path, '/') = '\0';
    if (engine_open(&limits, &simulator.engine, reason, sizeof reason) != ENGINE_OK ||
        !engine_load(path, reason, sizeof reason) || !launches_start(simulator.engine, &rules)) {
        printf("%s\n", reason);
        return false;
    }
    simulator.inputs = launches_allocate("inputs", words[0], 4);
    simulator.results = launches_allocate("results", words[1], 4);
    return simulator.inputs != NULL && simulator.results != NULL;
}

static bool simulate(size_t number, uint32_t blocks)
{
    const struct spelling *spelling = &spellings[number];
    size_t in = 4 * input_words(spelling, blocks), out = 4 * result_words(spelling, blocks);
    uint32_t count = blocks * THREADS;
    void *arguments[] = {&simulator.inputs, &simulator.results, &count};
    struct engine_outcome outcome;
    char name[32];
    struct launch launch = {
        .grid = {blocks, 1, 1}, .block = {THREADS, 1, 1}, .arguments = arguments};

    snprintf(name, sizeof name, "g%zu", number);
    launch.kernel = launches_kernel(NULL, name);
    if (launches_copy_in(simulator.inputs, inputs, in) == MEMORY_OK &&
        launches_run(&launch, 1, &outcome) == ENGINE_OK && outcome.fault.kind == FAULT_NONE &&
        launches_copy_out(results, simulator.results, out, NULL) == MEMORY_OK)
        return true;
    printf("%s: %s\n", spelling->opcode, outcome.fault.text);
    return false;
}

static uint64_t digest_of(const struct spelling *spelling)
{
    uint64_t digest = 0;

    for (size_t w = 0; w < result_words(spelling, FEW_BLOCKS); w++)
        digest = (digest ^ results[w]) * UINT64_C(0x100000001b3);
    return digest;
}

/* Prints the first results that differ. Returns the number of words that differ. */
static size_t count_differences(const struct spelling *spelling, uint32_t blocks)
{
    uint32_t count = spelling->shape.d.registers;
    size_t differences = 0;

    for (size_t w = 0; w < result_words(spelling, blocks); w++)
        if (results[w] != others[w] && differences++ < 4)
            printf("  %s: block %zu, thread %zu, word %zu: simulated %x, GPU %x\n",
                   spelling->opcode, w / count / THREADS, w / count % THREADS, w % count,
                   results[w], others[w]);
    if (differences > 0)
        printf("%s: %zu words differ (a in memory %d, by columns %d %d, swizzles %u %u, bases %u "
               "%u, negates %d %d, counts %d)\n",
               spelling->opcode, differences, spelling->a_in_memory, spelling->a.by_column,
               spelling->b.by_column, spelling->a.swizzle, spelling->b.swizzle, spelling->a.base,
               spelling->b.base, spelling->negates_a, spelling->negates_b, spelling->counts);
    return differences;
}

/* Runs a spelling on both. Returns false on error. */
static bool compare_one(size_t k, bool on_gpu, bool *differs)
{
    const struct spelling *spelling = &spellings[k];
    uint32_t blocks = on_gpu ? million(spelling) : FEW_BLOCKS;
    size_t out = 4 * result_words(spelling, blocks);
    char name[32];

    *differs = false;
    make_inputs(spelling, blocks);
    if (!simulate(k, blocks))
        return false;
    if (!on_gpu)
        return true;
    snprintf(name, sizeof name, "g%zu", k);
    memset(others, 0, out);
    if (!gpu_run(name, inputs, 4 * input_words(spelling, blocks), others, out, blocks * THREADS,
                 THREADS)) {
        printf("%s does not run\n", spelling->opcode);
        return false;
    }
    *differs = count_differences(spelling, blocks) > 0;
    return true;
}

/* Compares every `step`-th spelling, and writes a line for each to a pipe. */
static int run_part(const char *folder, bool on_gpu, size_t first, size_t step, FILE *to)
{
    char *text = entries_text(first, step), reason[256];
    size_t words[2] = {0, 0};

    for (size_t k = first; k < spelling_count; k += step) {
        uint32_t blocks = on_gpu ? million(&spellings[k]) : FEW_BLOCKS;
        size_t in = input_words(&spellings[k], blocks), out = result_words(&spellings[k], blocks);
        words[0] = in > words[0] ? in : words[0];
        words[1] = out > words[1] ? out : words[1];
    }
    inputs = malloc(4 * words[0]);
    results = malloc(4 * words[1]);
    others = malloc(4 * words[1]);
    if (text == NULL || inputs == NULL || results == NULL || others == NULL ||
        !start_simulator(folder, first, text, words) ||
        (on_gpu && (!gpu_open(reason, sizeof reason) || !gpu_load(text, true))))
        return 1;
    for (size_t k = first; k < spelling_count; k += step) {
        bool differs;
        if (!compare_one(k, on_gpu, &differs))
            return 1;
        fprintf(to, "%zu %d %" PRIx64 "\n", k, differs, digest_of(&spellings[k]));
    }
    return 0;
}

/* ---- Results ---- */

struct result {
    bool is_known, differs;
    uint64_t digest;
};

/* Runs all spellings in several processes. Returns false if one of them fails. */
static bool run_all(const char *folder, bool on_gpu, struct result *of_spellings)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = processors < MAX_PROCESSES ? (size_t)processors : MAX_PROCESSES, k;
    bool good = true;
    int pipes[2], differs, status;
    uint64_t digest;
    FILE *from;

    if (pipe(pipes) != 0)
        return false;
    fflush(stdout);
    for (size_t first = 0; first < count; first++)
        if (fork() == 0) {
            FILE *to = fdopen(pipes[1], "w");
            setvbuf(to, NULL, _IOLBF, 0); /* a line is written at once */
            status = run_part(folder, on_gpu, first, count, to);
            fclose(to);
            fflush(stdout);
            _exit(status);
        }
    close(pipes[1]);
    from = fdopen(pipes[0], "r");
    while (fscanf(from, "%zu %d %" SCNx64, &k, &differs, &digest) == 3)
        if (k < spelling_count)
            of_spellings[k] = (struct result){true, differs != 0, digest};
    while (wait(&status) > 0)
        good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    for (k = 0; k < spelling_count; k++)
        good = good && of_spellings[k].is_known;
    fclose(from);
    return good;
}

static uint64_t form_digest(const struct form *form, const struct result *of_spellings,
                            bool *differs)
{
    uint64_t digest = 0;

    *differs = false;
    for (size_t k = 0; k < spelling_count; k++)
        if (spellings[k].form == form) {
            digest = (digest ^ of_spellings[k].digest) * UINT64_C(0x100000001b3);
            *differs = *differs || of_spellings[k].differs;
        }
    return digest;
}

static int compare_with_digests(const char *path, const struct result *of_spellings)
{
    FILE *file = fopen(path, "r");
    char line[2048];
    size_t compared = 0, wrong = 0;

    if (file == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        return 2;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *tab = strchr(line, '\t');
        bool differs;
        if (tab == NULL)
            continue;
        *tab = '\0';
        for (const struct form *form = group_forms; form->pattern != NULL; form++)
            if (strcmp(line, form->pattern) == 0) {
                uint64_t digest = form_digest(form, of_spellings, &differs);
                compared++;
                if (digest == strtoull(tab + 1, NULL, 16))
                    continue;
                wrong++;
                printf("%s: %016" PRIx64 ", and on the GPU %s", line, digest, tab + 1);
            }
    }
    fclose(file);
    printf("%zu of %zu forms compared with GPU results, %zu wrong\n", compared, form_count, wrong);
    return wrong > 0 || compared != form_count;
}

/* Returns 1 if some spellings differ from the GPU. */
static int write_digests(const char *folder, const struct result *of_spellings)
{
    char name[4096];
    bool differs, any = false;
    FILE *file;

    snprintf(name, sizeof name, "%s/groups.tsv", folder);
    file = fopen(name, "w");
    for (const struct form *form = group_forms; file != NULL && form->pattern != NULL; form++) {
        uint64_t digest = form_digest(form, of_spellings, &differs);
        any = any || differs;
        if (strcmp(form->meaning, "@wgmma") == 0 && !differs)
            fprintf(file, "%s\t%016" PRIx64 "\n", form->pattern, digest);
    }
    if (file != NULL)
        fclose(file);
    printf("%zu spellings of %zu forms, a million elements of each product: %s\n", spelling_count,
           form_count, any ? "some differ" : "all equal");
    return any;
}

/* Returns whether there is a GPU, asked in another process: a later fork could not use it. */
static bool has_gpu(char *reason, size_t size)
{
    int pipes[2], status = 1;
    pid_t child;

    if (pipe(pipes) != 0 || (child = fork()) < 0)
        return false;
    if (child == 0) {
        bool good = gpu_open(reason, size);
        if (!good)
            (void)!write(pipes[1], reason, strlen(reason) + 1);
        _exit(!good);
    }
    close(pipes[1]);
    reason[0] = '\0';
    (void)!read(pipes[0], reason, size);
    close(pipes[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    bool on_gpu = argc >= 3 && argc <= 4 && strcmp(argv[1], "cuda") == 0;
    struct result *of_spellings;
    char reason[256];

    if (!on_gpu && (argc != 4 || strcmp(argv[1], "sim") != 0)) {
        fprintf(stderr, "usage: test_group_matrix sim FOLDER DIGESTS | cuda FOLDER [PART]\n");
        return 2;
    }
    if (on_gpu && !has_gpu(reason, sizeof reason)) {
        const char *required = getenv("SIMTCHECK_REQUIRE");
        printf("%s\n", reason);
        return required != NULL && strcmp(required, "cuda") == 0 ? 1 : 77;
    }
    list_spellings(on_gpu && argc == 4 ? argv[3] : "");
    of_spellings = calloc(spelling_count, sizeof *of_spellings);
    if (of_spellings == NULL || !run_all(argv[2], on_gpu, of_spellings))
        return 1;
    return on_gpu ? write_digests(argv[2], of_spellings)
                  : compare_with_digests(argv[3], of_spellings);
}
