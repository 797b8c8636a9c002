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
#include "fnv.h"
#include "gpu_functions.h"
#include "launches.h"
#include "matrix_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    WORDS = MATRIX_CASE_WORDS,
    RESULTS = MATRIX_CASE_RESULTS,
    LANES = 32,
    FEW_WARPS = 64,
    MAX_WARPS = 32768,
    MILLION = 1 << 20
};

static const struct matrix_case *spellings;
static size_t spelling_count, form_count;
static uint64_t (*tuples)[WORDS], (*results)[RESULTS], (*others)[RESULTS];

static void make_tuples(const struct matrix_case *spelling, uint32_t warps)
{
    for (uint32_t warp = 0; warp < warps; warp++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            for (uint32_t w = 0; w < WORDS; w++)
                tuples[warp * LANES + lane][w] =
                    w < spelling->counts ? matrix_case_operand(spelling, warp, lane, w) : 0;
}

static void write_entry(FILE *to, const struct matrix_case *spelling, size_t number)
{
    fprintf(to,
            ".visible .entry g%zu(.param .u64 in, .param .u64 out, .param .u32 count)\n{\n"
            "\t.reg .b64 i, o;\n\t.reg .b32 c, t, b, g;\n\t.reg .pred p;\n"
            "\t.shared .align 16 .b8 room[%u];\n"
            "\tmov.u32 t, %%tid.x;\n\tmov.u32 b, %%ctaid.x;\n\tmad.lo.u32 g, b, %d, t;\n"
            "\tld.param.u32 c, [count];\n\tsetp.ge.u32 p, g, c;\n\t@p ret;\n"
            "\tld.param.u64 i, [in];\n\tmad.wide.u32 i, g, %zu, i;\n"
            "\tld.param.u64 o, [out];\n\tmad.wide.u32 o, g, %zu, o;\n",
            number, matrix_case_room(spelling), MATRIX_CASE_BLOCK, sizeof *tuples, sizeof *results);
    matrix_case_write(to, spelling);
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
    enum { THREADS = MATRIX_CASE_BLOCK };
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
            *digest = fnv_number(*digest, results[i][k]);
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
static size_t count_differences(const struct matrix_case *spelling, uint32_t warps)
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
    const struct matrix_case *spelling = &spellings[k];
    size_t count;
    char name[32];

    snprintf(name, sizeof name, "g%zu", k);
    memset(others, 0, warps * LANES * sizeof *others);
    if (!gpu_run(name, tuples, warps * LANES * sizeof *tuples, others,
                 warps * LANES * sizeof *others, warps * LANES, MATRIX_CASE_BLOCK)) {
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
static uint32_t many_warps(const struct matrix_case *spelling)
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
    spellings = matrix_cases(&spelling_count);
    while (matrix_forms[form_count].pattern != NULL)
        form_count++;
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
