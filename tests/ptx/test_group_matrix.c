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
#include "fnv.h"
#include "gpu_functions.h"
#include "group_cases.h"
#include "launches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    AREAS = 63,
    AREGROUP_A_REGISTERS = GROUP_BYTES / 4,
    THREADS = 128,
    FEW_BLOCKS = 1,
    MAX_PROCESSES = 16,
    MILLION = 1 << 20
};

static const struct group_case *spellings;
static size_t spelling_count, form_count;
static uint32_t *inputs, *results, *others;

/* Returns the words of a thread's registers. */
static uint32_t thread_words(const struct group_case *spelling)
{
    return spelling->shape.d.registers + GROUP_A_REGISTERS + 1u;
}

static uint32_t million(const struct group_case *spelling)
{
    return (MILLION + 64u * spelling->shape.n - 1) / (64u * spelling->shape.n);
}

/* ---- Operands ---- */

static void make_inputs(const struct group_case *spelling, uint32_t blocks)
{
    const struct matrix_shape *shape = &spelling->shape;
    enum matrix_type a = (enum matrix_type)shape->a.type, b = (enum matrix_type)shape->b.type;
    uint32_t *to = inputs;

    for (uint32_t area = 0; area < AREAS && area < blocks; area++, to += AREGROUP_A_REGISTERS)
        for (uint32_t w = 0; w < (uint32_t)AREGROUP_A_REGISTERS; w++)
            to[w] = group_case_word(w < GROUP_A_BYTES / 4 ? a : b, area,
                                    (uint64_t)area << 32 | (uint64_t)w << 8);
    to = inputs + AREAS * AREGROUP_A_REGISTERS;
    for (uint32_t thread = 0; thread / THREADS < blocks; thread++)
        for (uint32_t w = 0; w < thread_words(spelling); w++) {
            uint32_t kind = thread / THREADS % AREAS;
            uint64_t random = UINT64_C(1) << 60 | (uint64_t)thread << 20 | w << 8;
            *to++ = w < shape->d.registers
                        ? group_case_word((enum matrix_type)shape->d.type, kind, random)
                    : w + 1 < thread_words(spelling)
                        ? group_case_word(a, kind, random)
                        : (uint32_t)operand_metadata(a, operand_random(random));
        }
}

static size_t input_words(const struct group_case *spelling, uint32_t blocks)
{
    return AREAS * AREGROUP_A_REGISTERS + (size_t)blocks * THREADS * thread_words(spelling);
}

static size_t result_words(const struct group_case *spelling, uint32_t blocks)
{
    return (size_t)blocks * THREADS * spelling->shape.d.registers;
}

/* ---- PTX ---- */

static void write_copy(FILE *to)
{
    for (uint32_t at = 0; at < GROUP_BYTES; at += 16 * THREADS)
        fprintf(to,
                "\tld.global.v4.b32 {v0,v1,v2,v3}, [g+%u];\n"
                "\tst.shared.v4.b32 [m+%u], {v0,v1,v2,v3};\n",
                at, at);
    fprintf(to, "\tfence.proxy.async.shared::cta;\n\tbar.sync 0;\n");
}

static void write_entry(FILE *to, const struct group_case *spelling, size_t number)
{
    uint32_t count = spelling->shape.d.registers;
    const char *type = group_case_type(spelling);

    fprintf(to,
            ".visible .entry g%zu(.param .u64 in, .param .u64 out, .param .u32 count)\n{\n"
            "\t.reg .b64 g, i, o;\n\t.reg .b32 t, b, q, s, m, e, v<4>, a<4>;\n\t.reg .pred p;\n"
            "\t.reg .%s d<%u>;\n\t.shared .align 1024 .b8 room[%u];\n"
            "\tmov.u32 t, %%tid.x;\n\tmov.u32 b, %%ctaid.x;\n\tmov.u32 s, room;\n"
            "\tmad.lo.u32 m, t, 16, s;\n\tld.param.u64 g, [in];\n\tadd.u64 i, g, %u;\n"
            "\tmad.lo.u32 q, b, %u, t;\n\tmad.wide.u32 i, q, %u, i;\n"
            "\tld.param.u64 o, [out];\n\tmad.wide.u32 o, q, %u, o;\n"
            "\trem.u32 b, b, %u;\n\tmad.wide.u32 g, b, %u, g;\n\tmad.wide.u32 g, t, 16, g;\n",
            number, type, count, GROUP_BYTES, AREAS * AREGROUP_A_REGISTERS * 4, THREADS,
            4 * thread_words(spelling), 4 * count, AREAS, AREGROUP_A_REGISTERS * 4);
    write_copy(to);
    for (uint32_t r = 0; r < count; r++)
        fprintf(to, "\tld.global.%s d%u, [i+%u];\n", type, r, 4 * r);
    for (uint32_t r = 0; r < GROUP_A_REGISTERS; r++)
        fprintf(to, "\tld.global.b32 a%u, [i+%u];\n", r, 4 * (count + r));
    fprintf(to, "\tld.global.b32 e, [i+%u];\n", 4 * (count + GROUP_A_REGISTERS));
    group_case_write(to, spelling);
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
    const struct group_case *spelling = &spellings[number];
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
        outcome.passed.kind == FAULT_NONE &&
        launches_copy_out(results, simulator.results, out, NULL) == MEMORY_OK)
        return true;
    printf("%s: %s\n", spelling->opcode, outcome.fault.text);
    return false;
}

static uint64_t digest_of(const struct group_case *spelling)
{
    uint64_t digest = 0;

    for (size_t w = 0; w < result_words(spelling, FEW_BLOCKS); w++)
        digest = fnv_number(digest, results[w]);
    return digest;
}

/* Prints the first results that differ. Returns the number of words that differ. */
static size_t count_differences(const struct group_case *spelling, uint32_t blocks)
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
    const struct group_case *spelling = &spellings[k];
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
            exit(status); /* not _exit(): a build that measures coverage writes its counts then */
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
            digest = fnv_number(digest, of_spellings[k].digest);
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
    spellings = group_cases(on_gpu && argc == 4 ? argv[3] : "", &spelling_count);
    for (const struct form *form = group_forms; form->pattern != NULL; form++)
        form_count += strcmp(form->meaning, "@wgmma") == 0;
    of_spellings = calloc(spelling_count, sizeof *of_spellings);
    if (of_spellings == NULL || !run_all(argv[2], on_gpu, of_spellings))
        return 1;
    return on_gpu ? write_digests(argv[2], of_spellings)
                  : compare_with_digests(argv[3], of_spellings);
}
