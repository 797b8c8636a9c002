/* SPDX-License-Identifier: MIT
 *
 * test_instructions sim FOLDER FILES DIGESTS | cuda FOLDER FILES
 *
 * Runs every arithmetic PTX instruction on random and special operands, on the simulator. On a GPU
 * each result must equal that of the driver's JIT compiler, bit for bit. Without one, the digest of
 * each form's results must equal the one in DIGESTS, which a GPU has confirmed. `cuda` writes the
 * digests of all forms that agree to FOLDER/instructions.tsv.
 *
 * Approximate instructions may deviate by the error that the PTX ISA allows.
 */
#include "fnv.h"
#include "gpu_functions.h"
#include "launches.h"
#include "operands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TUPLES = 12288, WORDS = OPERANDS_WORDS, SHOWN = 6 };

static uint64_t tuples[TUPLES][WORDS], results[TUPLES][2], others[TUPLES][2];

/* Returns the PTX of FOLDER/instructions_<file>.ptx, with an entry g<number> for each of its
 * functions. Their numbers are `file`, `file` + `files`, and so on. The parameters of an entry are
 * tuples of 5 words, results of 2, and the number of tuples. The caller frees the text. Returns
 * null if the file cannot be read. */
static char *functions_text(const char *folder, size_t file, size_t files)
{
    char path[4096], piece[65536], *text = NULL;
    size_t size, got;
    FILE *from, *to = open_memstream(&text, &size);

    snprintf(path, sizeof path, "%s/instructions_%zu.ptx", folder, file);
    from = fopen(path, "r");
    if (from == NULL || to == NULL)
        return NULL;
    while ((got = fread(piece, 1, sizeof piece, from)) > 0)
        fwrite(piece, 1, got, to);
    fclose(from);
    for (size_t k = file; k < instruction_count; k += files)
        fprintf(
            to,
            "\n.visible .entry g%zu(.param .u64 in, .param .u64 out, .param .u32 count)\n{\n"
            "\t.reg .b64 i, o, v<7>;\n\t.reg .b32 n, t, b, s;\n\t.reg .pred p;\n"
            "\tmov.u32 t, %%tid.x;\n\tmov.u32 b, %%ctaid.x;\n\tmov.u32 s, %%ntid.x;\n"
            "\tmad.lo.u32 t, b, s, t;\n\tld.param.u32 n, [count];\n\tsetp.ge.u32 p, t, n;\n"
            "\t@p ret;\n\tld.param.u64 i, [in];\n\tmad.wide.u32 i, t, 40, i;\n"
            "\tld.param.u64 o, [out];\n\tmad.wide.u32 o, t, 16, o;\n"
            "\tld.global.u64 v0, [i];\n\tld.global.u64 v1, [i+8];\n\tld.global.u64 v2, [i+16];\n"
            "\tld.global.u64 v3, [i+24];\n\tld.global.u64 v4, [i+32];\n\t{\n"
            "\t.param .b64 a, bb, c, e, k;\n\t.param .align 8 .b8 r[16];\n"
            "\tst.param.b64 [a], v0;\n\tst.param.b64 [bb], v1;\n\tst.param.b64 [c], v2;\n"
            "\tst.param.b64 [e], v3;\n\tst.param.b64 [k], v4;\n"
            "\tcall.uni (r), f%zu, (a, bb, c, e, k);\n"
            "\tld.param.b64 v5, [r];\n\tld.param.b64 v6, [r+8];\n\t}\n"
            "\tst.global.u64 [o], v5;\n\tst.global.u64 [o+8], v6;\n\tret;\n}\n",
            k, k);
    fclose(to);
    return text;
}

/* ---- On the simulator ---- */

static struct {
    struct engine *engine;
    void *tuples, *results;
} simulator;

static bool open_simulator(void)
{
    struct engine_limits limits = {.deadline_seconds = 60};
    char reason[256];

    if (engine_open(&limits, &simulator.engine, reason, sizeof reason) == ENGINE_OK)
        return true;
    printf("%s\n", reason);
    return false;
}

/* Writes the functions of a file, with their entries, for the simulator. Returns false on error. */
static bool write_entries(const char *folder, size_t file, size_t files)
{
    char path[4096], *text = functions_text(folder, file, files);
    FILE *to;
    bool good;

    snprintf(path, sizeof path, "%s/entries/%zu.ptx", folder, file);
    to = text != NULL ? fopen(path, "w") : NULL;
    good = to != NULL && fputs(text, to) >= 0;
    free(text);
    if (to != NULL)
        good = fclose(to) == 0 && good;
    if (!good)
        printf("cannot write %s\n", path);
    return good;
}

static bool load_all(const char *folder, size_t files)
{
    static const struct launch_rules rules = {.model = MODEL_LOCKSTEP};
    char path[4096], reason[512];

    snprintf(path, sizeof path, "%s/entries", folder);
    mkdir(path, 0777);
    for (size_t f = 0; f < files; f++)
        if (!write_entries(folder, f, files))
            return false;
    if (!engine_load(path, reason, sizeof reason) || !launches_start(simulator.engine, &rules)) {
        printf("%s\n", reason);
        return false;
    }
    simulator.tuples = launches_allocate("tuples", TUPLES * WORDS, 8);
    simulator.results = launches_allocate("results", (size_t)TUPLES * 2, 8);
    return true;
}

static bool run_simulated(size_t number)
{
    enum { THREADS = 256 };
    uint32_t count = TUPLES;
    void *arguments[] = {&simulator.tuples, &simulator.results, &count};
    struct engine_outcome outcome;
    char name[32];
    struct launch launch = {
        .grid = {TUPLES / THREADS, 1, 1}, .block = {THREADS, 1, 1}, .arguments = arguments};

    snprintf(name, sizeof name, "g%zu", number);
    launch.kernel = launches_kernel(NULL, name);
    if (launches_copy_in(simulator.tuples, tuples, sizeof tuples) == MEMORY_OK &&
        launches_run(&launch, 1, &outcome) == ENGINE_OK && outcome.fault.kind == FAULT_NONE &&
        outcome.passed.kind == FAULT_NONE &&
        launches_copy_out(results, simulator.results, sizeof results, NULL) == MEMORY_OK)
        return true;
    printf("%s: %s\n", instruction_cases[number].opcode, outcome.fault.text);
    return false;
}

static uint64_t digest_of(uint64_t digest)
{
    for (uint32_t i = 0; i < TUPLES; i++)
        for (int k = 0; k < 2; k++)
            digest = fnv_number(digest, results[i][k]);
    return digest;
}

static void show(const struct instruction_case *instruction, uint32_t i)
{
    printf("  %s", instruction->opcode);
    for (int k = 0; k < 4 && instruction->types[k] != NULL; k++)
        printf(" %s:%" PRIx64, instruction->types[k], tuples[i][k]);
    if (instruction->takes_carry)
        printf(" carry:%u", (unsigned int)(tuples[i][4] & 1));
    printf(": simulated %" PRIx64 " %" PRIx64 ", GPU %" PRIx64 " %" PRIx64 "\n", results[i][0],
           results[i][1], others[i][0], others[i][1]);
}

/* ---- Digests ---- */

static uint64_t *digests;

/* Reads the recorded digest of a form. Returns false if the file does not have it. */
static bool recorded(FILE *file, const char *form, uint64_t *digest)
{
    char line[512];

    rewind(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char *tab = strchr(line, '\t');
        if (tab == NULL)
            continue;
        *tab = '\0';
        if (strcmp(line, form) == 0) {
            *digest = strtoull(tab + 1, NULL, 16);
            return true;
        }
    }
    return false;
}

static int compare_with_digests(const char *path)
{
    FILE *file = fopen(path, "r");
    int wrong = 0, compared = 0;

    if (file == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        return 2;
    }
    for (size_t f = 0; f < instruction_form_count; f++) {
        uint64_t digest;
        if (!recorded(file, instruction_forms[f], &digest)) {
            if (!operands_approximate(instruction_forms[f])) {
                printf("%s: no digest of it was confirmed on a GPU\n", instruction_forms[f]);
                wrong++;
            }
            continue;
        }
        compared++;
        if (digest != digests[f]) {
            printf("%s: %016" PRIx64 ", and on the GPU %016" PRIx64 "\n", instruction_forms[f],
                   digests[f], digest);
            wrong++;
        }
    }
    fclose(file);
    printf("%d forms compared with GPU results, %d wrong\n", compared, wrong);
    return wrong > 0;
}

static void write_digests(const char *folder, const bool *differs)
{
    char name[4096];
    FILE *file;

    snprintf(name, sizeof name, "%s/instructions.tsv", folder);
    file = fopen(name, "w");
    for (size_t f = 0; file != NULL && f < instruction_form_count; f++)
        if (!differs[f] && !operands_approximate(instruction_forms[f]))
            fprintf(file, "%s\t%016" PRIx64 "\n", instruction_forms[f], digests[f]);
    if (file != NULL)
        fclose(file);
}

/* ---- On a GPU ---- */

static uint32_t count_differences(const struct instruction_case *instruction, uint32_t shown)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < TUPLES; i++) {
        bool same = memcmp(results[i], others[i], sizeof results[i]) == 0;
        if (!same && operands_approximate(instruction->opcode))
            same = operands_near(instruction->opcode, instruction->result, tuples[i][0],
                                 results[i][0], others[i][0]);
        if (!same && count++ < shown)
            show(instruction, i);
    }
    return count;
}

/* Runs all instructions of a file, compiled with or without optimisation. Adds the differences of
 * each to `counts`. Returns false on error. */
static bool compare_file(const char *folder, size_t file, size_t files, bool optimise,
                         uint32_t *counts)
{
    char *text = functions_text(folder, file, files), name[32];
    bool loaded = text != NULL && gpu_load(text, optimise);

    free(text);
    if (!loaded) {
        printf("file %zu does not load\n", file);
        return false;
    }
    for (size_t k = file; k < instruction_count; k += files) {
        const struct instruction_case *instruction = &instruction_cases[k];
        if (!optimise && counts[k] == 0)
            continue;
        operands_tuples(instruction, 0, TUPLES, tuples[0]);
        if (!run_simulated(k))
            return false;
        snprintf(name, sizeof name, "g%zu", k);
        if (!gpu_run(name, tuples, sizeof tuples, others, sizeof others, TUPLES, 256)) {
            printf("%s does not run\n", instruction->opcode);
            return false;
        }
        counts[k] = count_differences(instruction, SHOWN);
        if (counts[k] > 0)
            printf("%s: %u of %d tuples differ%s\n", instruction->opcode, counts[k], TUPLES,
                   optimise ? "" : " without optimisation too");
    }
    return true;
}

static int compare_with_gpu(const char *folder, size_t files)
{
    bool *differs = calloc(instruction_form_count, sizeof *differs);
    uint32_t *counts = calloc(instruction_count, sizeof *counts), wrong = 0, in_both = 0;

    for (size_t f = 0; f < files; f++)
        if (!compare_file(folder, f, files, true, counts))
            return 1;
    for (size_t k = 0; k < instruction_count; k++)
        wrong += counts[k] > 0;
    for (size_t f = 0; wrong > 0 && f < files; f++)
        if (!compare_file(folder, f, files, false, counts))
            return 1;
    for (size_t k = 0; k < instruction_count; k++) {
        in_both += counts[k] > 0;
        differs[instruction_cases[k].form] |= counts[k] > 0;
    }
    write_digests(folder, differs);
    printf("%zu instructions of %zu forms, %d tuples each: %u differ, of them %u without "
           "optimisation too\n",
           instruction_count, instruction_form_count, TUPLES, wrong, in_both);
    free(differs);
    free(counts);
    return wrong > 0;
}

int main(int argc, char **argv)
{
    bool on_gpu = argc == 4 && strcmp(argv[1], "cuda") == 0;
    char reason[256];
    size_t files = argc >= 4 ? strtoul(argv[3], NULL, 10) : 0;

    if (!on_gpu && (argc != 5 || strcmp(argv[1], "sim") != 0)) {
        fprintf(stderr, "usage: test_instructions sim FOLDER FILES DIGESTS | cuda FOLDER FILES\n");
        return 2;
    }
    if (on_gpu && !gpu_open(reason, sizeof reason)) {
        const char *required = getenv("SIMTCHECK_REQUIRE");
        printf("%s\n", reason);
        return required != NULL && strcmp(required, "cuda") == 0 ? 1 : 77;
    }
    if (!open_simulator())
        return 1;
    digests = calloc(instruction_form_count, sizeof *digests);
    if (!load_all(argv[2], files))
        return 1;
    for (size_t k = 0; k < instruction_count; k++) {
        operands_tuples(&instruction_cases[k], 0, TUPLES, tuples[0]);
        if (!run_simulated(k))
            return 1;
        digests[instruction_cases[k].form] = digest_of(digests[instruction_cases[k].form]);
    }
    return on_gpu ? compare_with_gpu(argv[2], files) : compare_with_digests(argv[4]);
}
