/* SPDX-License-Identifier: MIT */
#include "compilers_report.h"

#include "case_id.h"
#include "exit_status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Words ---- */

/* Returns the name of the first stage that is wrong for the family. */
static const char *cause(const struct trial *trial, const struct family *family)
{
    static const char *const names[] = {
        [STAGE_SIM] = "simtcheck's own PTX",  [STAGE_FRONT_END] = "front end",
        [STAGE_UNOPTIMISED] = "assembler",    [STAGE_OPTIMISED] = "assembler",
        [STAGE_DRIVER] = "driver's compiler",
    };
    size_t s = 0;

    while (s + 1 < trial->stage_count && !family->wrong[s])
        s++;
    return names[trial->stages[s].kind];
}

/* The caller frees the text. */
static char *text_of(const struct program *program)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        return NULL;
    program_write(to, program);
    fclose(to);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

/* ---- The table ---- */

/* Returns the stage of that kind and compiler, or null if it does not exist. */
static const struct stage *stage_of(const struct trial *trial, enum stage_kind kind,
                                    const struct compiler *compiler)
{
    for (size_t s = 0; s < trial->stage_count; s++)
        if (trial->stages[s].kind == kind && trial->stages[s].compiler == compiler)
            return &trial->stages[s];
    return NULL;
}

static void print_wrong(const struct stage *stage)
{
    if (stage == NULL)
        printf(" %9s", "");
    else if (stage->run == 0)
        printf(" %9s", "-");
    else
        printf(" %9" PRIu64, stage->wrong);
}

/* Prints the line of the compiler whose first stage is `first`. */
static void print_line(const struct trial *trial, const struct stage *first)
{
    static const char *const names[] = {[STAGE_SIM] = "the programs' PTX",
                                        [STAGE_UNOPTIMISED] = "ptxas",
                                        [STAGE_OPTIMISED] = "ptxas",
                                        [STAGE_DRIVER] = "the programs' PTX"};
    const struct compiler *compiler = first->compiler;
    const struct stage *front = stage_of(trial, STAGE_FRONT_END, compiler),
                       *optimised = stage_of(trial, STAGE_OPTIMISED, compiler);
    uint64_t programs = 0;
    char name[64];

    for (size_t s = 0; s < trial->stage_count; s++)
        if (trial->stages[s].compiler == compiler && trial->stages[s].run > programs)
            programs = trial->stages[s].run;
    snprintf(name, sizeof name, "%s %s",
             first->kind == STAGE_FRONT_END ? front_end_names[compiler->front_end]
                                            : names[first->kind],
             compiler != NULL ? compiler->version : "");
    printf("%-20s %9" PRIu64, name, programs);
    print_wrong(front != NULL ? front : stage_of(trial, STAGE_SIM, compiler));
    print_wrong(stage_of(trial, STAGE_UNOPTIMISED, compiler));
    print_wrong(optimised);
    print_wrong(stage_of(trial, STAGE_DRIVER, compiler));
    if (optimised != NULL)
        printf(" %9" PRIu64, optimised->same_code);
    printf("\n");
}

static void print_table(const struct trial *trial)
{
    printf("\n%-20s %9s %9s %9s %9s %9s %9s\n%-20s %9s %9s %9s %9s %9s %9s\n", "", "", "wrong:", "",
           "", "", "same-code", "compiler", "programs", "sim", "GPU -O0", "GPU -O3", "driver",
           "pairs");
    for (size_t s = 0; s < trial->stage_count; s++) {
        size_t first = 0;
        while (trial->stages[first].compiler != trial->stages[s].compiler)
            first++;
        if (first == s)
            print_line(trial, &trial->stages[s]);
    }
    for (size_t s = 0; s < trial->stage_count; s++)
        if (trial->stages[s].skipped[0] != '\0')
            printf("%s: %s\n", trial->stages[s].name, trial->stages[s].skipped);
}

static void print_rows(const struct trial *trial)
{
    uint64_t stages = 0, rows = 0;

    for (size_t s = 0; s < trial->stage_count; s++) {
        const struct stage *stage = &trial->stages[s];
        stages += stage->rows > 0;
        rows = stage->rows > rows ? stage->rows : rows;
        if (stage->rows_skipped[0] != '\0')
            printf("%s, kernels of the catalogue: %s\n", stage->name, stage->rows_skipped);
    }
    if (stages == 0)
        printf("\nno kernel of the catalogue was tested: this needs a build with PTX, and an nvcc "
               "or a GPU\n");
    else
        printf("\n%" PRIu64 " kernels of the catalogue in %" PRIu64 " stages: %s\n", rows, stages,
               trial->wrong_row_count == 0 ? "all right" : "these are wrong:");
    for (size_t k = 0; k < trial->wrong_row_count; k++) {
        const struct counterexample *counterexample = &trial->wrong_rows[k].counterexample;
        char block[WORD_SIZE], size[WORD_SIZE], text[OUTCOME_TEXT];
        block_format(&counterexample->test.shape.block, block);
        size_format(&counterexample->test.shape, size);
        outcome_text(&counterexample->outcome, text, sizeof text);
        printf("    %s %s, %s: B = %s, n = %s: %s\n", counterexample->test.variant->id,
               variant_kind_name(counterexample->test.variant->kind),
               trial->wrong_rows[k].stage->name, block, size, text);
    }
}

/* ---- Versions ---- */

struct versions {
    const char *text[MAX_COMPILERS]; /* ascending */
    bool wrong[MAX_COMPILERS];
    size_t count;
};

/* Collects the versions with a result for a stage of that kind, in order. */
static void versions_of(const struct trial *trial, enum stage_kind kind, enum front_end front_end,
                        const bool wrong[MAX_STAGES], bool built, struct versions *versions)
{
    versions->count = 0;
    for (size_t s = 0; s < trial->stage_count; s++) {
        const struct stage *stage = &trial->stages[s];
        size_t k = versions->count;
        if (stage->kind != kind || stage->compiler->front_end != front_end ||
            stage->skipped[0] != '\0' || (!built && stage->run == 0))
            continue;
        for (; k > 0 && strverscmp(versions->text[k - 1], stage->compiler->version) > 0; k--) {
            versions->text[k] = versions->text[k - 1];
            versions->wrong[k] = versions->wrong[k - 1];
        }
        versions->text[k] = stage->compiler->version;
        versions->wrong[k] = wrong[s];
        versions->count++;
    }
}

/* Writes the versions that are wrong, or right, as ranges: "12.5.82 to 13.3.73, 13.5.37". */
static void write_ranges(FILE *to, const struct versions *versions, bool wrong)
{
    bool some = false;

    for (size_t k = 0; k < versions->count; k++) {
        size_t last = k;
        if (versions->wrong[k] != wrong)
            continue;
        while (last + 1 < versions->count && versions->wrong[last + 1] == wrong)
            last++;
        fprintf(to, "%s%s", some ? ", " : "", versions->text[k]);
        if (last > k)
            fprintf(to, " to %s", versions->text[last]);
        some = true;
        k = last;
    }
}

static bool has_wrong(const struct versions *versions, bool wrong)
{
    bool some = false;

    for (size_t v = 0; v < versions->count; v++)
        some = some || versions->wrong[v] == wrong;
    return some;
}

static const struct {
    enum stage_kind kind;
    enum front_end front_end;
    const char *name;
} compiled[] = {{STAGE_FRONT_END, FRONT_END_NVCC, "PTX of nvcc"},
                {STAGE_FRONT_END, FRONT_END_CLANG, "PTX of clang"},
                {STAGE_UNOPTIMISED, FRONT_END_NVCC, "ptxas -O0"},
                {STAGE_OPTIMISED, FRONT_END_NVCC, "ptxas -O3"}};

/* Prints one line for the stages that are wrong, or right. */
static void print_stages(const struct trial *trial, const struct family *family, bool wrong)
{
    const char *before = wrong ? "    wrong: " : "    right: ";
    struct versions versions;

    for (size_t s = 0; s < trial->stage_count; s++)
        if (trial->stages[s].compiler == NULL && trial->stages[s].run > 0 &&
            trial->stages[s].skipped[0] == '\0' && family->wrong[s] == wrong) {
            printf("%s%s", before, trial->stages[s].name);
            before = "; ";
        }
    for (size_t k = 0; k < sizeof compiled / sizeof *compiled; k++) {
        versions_of(trial, compiled[k].kind, compiled[k].front_end, family->wrong, false,
                    &versions);
        if (!has_wrong(&versions, wrong))
            continue;
        printf("%s%s ", before, compiled[k].name);
        write_ranges(stdout, &versions, wrong);
        before = "; ";
    }
    if (before[0] == ';')
        printf("\n");
}

/* ---- All of it ---- */

static void print_family(const struct trial *trial, const struct family *family)
{
    char *text = text_of(&family->program);

    printf("\n%s: %" PRIu64 " program%s; cause: %s\n    %s\n    %s: expected %s, got %s\n",
           family->shape, family->members, family->members == 1 ? "" : "s", cause(trial, family),
           text, family->outcome.difference.place, family->outcome.difference.expected,
           family->outcome.difference.got);
    if (family->outcome.kind == OUTCOME_FAULT)
        printf("    %s\n", family->outcome.fault.text);
    print_stages(trial, family, true);
    print_stages(trial, family, false);
    free(text);
}

/* Returns how many pairs have the same versions, and the smallest of these pairs. */
static size_t pairs_like(const struct trial *trial, const struct twins *twins,
                         const struct twins **smallest)
{
    size_t count = 0;

    for (size_t k = trial->twin_count; k-- > 0;)
        if (memcmp(trial->twins[k].by, twins->by, sizeof twins->by) == 0) {
            *smallest = &trial->twins[k];
            count++;
        }
    return count;
}

/* Prints the pair if it is the smallest one with its versions. */
static void print_twins(const struct trial *trial, const struct twins *twins)
{
    const struct twins *smallest = NULL;
    size_t count = pairs_like(trial, twins, &smallest);
    struct versions versions;
    char *one, *other;

    if (smallest != twins)
        return;
    one = text_of(&twins->one);
    other = text_of(&twins->other);
    versions_of(trial, STAGE_OPTIMISED, FRONT_END_NVCC, twins->by, true, &versions);
    printf("\nptxas ");
    write_ranges(stdout, &versions, true);
    printf(": same machine code, %u bytes, for two programs that differ in meaning\n"
           "    %s\n    %s\n    element %" PRIu64 ": 0x%016" PRIx64 " and 0x%016" PRIx64 "\n",
           twins->bytes, one, other, twins->element, twins->expected[0], twins->expected[1]);
    if (count > 1)
        printf("    %zu more pair%s with these versions\n", count - 1, count == 2 ? "" : "s");
    free(one);
    free(other);
}

/* Writes the wrong stages, by any evidence, in words: "ptxas -O3 12.5.82 to 13.3.73, the driver's
 * compiler". */
static void write_guilty(FILE *to, const struct trial *trial)
{
    bool guilty[MAX_STAGES] = {false};
    const char *before = "";
    struct versions versions;

    for (size_t s = 0; s < trial->stage_count; s++) {
        const struct stage *stage = &trial->stages[s];
        guilty[s] = stage->wrong > 0 || stage->rows_wrong > 0 || stage->same_code > 0;
    }
    for (size_t k = 0; k < sizeof compiled / sizeof *compiled; k++) {
        versions_of(trial, compiled[k].kind, compiled[k].front_end, guilty, true, &versions);
        if (!has_wrong(&versions, true))
            continue;
        fprintf(to, "%s%s ", before, compiled[k].name);
        write_ranges(to, &versions, true);
        before = ", ";
    }
    for (size_t s = 0; s < trial->stage_count; s++)
        if (trial->stages[s].compiler == NULL && guilty[s]) {
            fprintf(to, "%s%s", before, trial->stages[s].name);
            before = ", ";
        }
}

int compilers_report_verdict(const struct trial *trial)
{
    bool wrong = trial->unsteady_count > 0 || trial->twins_seen > 0, missing = false;

    for (size_t s = 0; s < trial->stage_count; s++) {
        const struct stage *stage = &trial->stages[s];
        wrong = wrong || stage->wrong > 0 || stage->rows_wrong > 0;
        missing = missing || stage->skipped[0] != '\0' || stage->rows_skipped[0] != '\0';
    }
    printf("\ncompilers: %" PRIu64 " programs, ", trial->programs);
    if (!wrong) {
        printf("none compiled wrong\n");
        return missing ? EXIT_UNAVAILABLE : EXIT_CONFORMS;
    }
    printf("wrong code by ");
    write_guilty(stdout, trial);
    printf(": %zu families, %zu pairs with the same code, %zu kernels of the catalogue\n",
           trial->family_count, trial->twins_seen, trial->wrong_row_count);
    return EXIT_DIFFERS;
}

void compilers_report_print(const struct trial *trial)
{
    print_table(trial);
    print_rows(trial);
    for (size_t k = 0; k < trial->family_count; k++)
        print_family(trial, &trial->families[k]);
    for (size_t k = 0; k < trial->twin_count; k++)
        print_twins(trial, &trial->twins[k]);
    for (size_t k = 0; k < trial->unsteady_count; k++)
        printf("\n%s %s: different code for the same source %s\n", trial->unsteady[k].tool,
               trial->unsteady[k].compiler->version, trial->unsteady[k].how);
}

/* ---- The code of the kernels ---- */

static void add_numbers(struct kernel_record *sum, const struct kernel_record *row)
{
    sum->registers += row->registers;
    sum->spill_store_bytes += row->has_spills ? row->spill_store_bytes : 0;
    sum->stack_bytes += row->stack_bytes;
    sum->shared_bytes += row->shared_bytes;
    sum->constant_bytes += row->constant_bytes;
    sum->code_bytes += row->code_bytes;
}

void compilers_report_code(const struct code_record *facts)
{
    const struct kernel_record *rows = facts->kernels.items;
    struct memory memory = {NULL};
    struct list sums = {NULL, 0};
    struct kernel_record *sum = NULL;
    size_t s;

    for (size_t k = 0; k < facts->kernels.count; k++) {
        sum = sums.items;
        for (s = 0; s < sums.count && strcmp(sum[s].ptxas, rows[k].ptxas) != 0;)
            s++;
        if (s == sums.count) {
            sum = list_add(&memory, &sums, sizeof *sum);
            sum->ptxas = rows[k].ptxas;
        }
        add_numbers((struct kernel_record *)sums.items + s, &rows[k]);
    }
    sum = sums.items;
    if (sums.count > 0)
        printf("\n%-20s %9s %9s %9s %9s %9s %9s\n", "all kernels", "registers", "spilled", "stack",
               "shared", "constants", "code");
    for (s = 0; s < sums.count; s++)
        printf("ptxas %-14s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64
               " %9" PRIu64 "\n",
               sum[s].ptxas, sum[s].registers, sum[s].spill_store_bytes, sum[s].stack_bytes,
               sum[s].shared_bytes, sum[s].constant_bytes, sum[s].code_bytes);
    memory_free(&memory);
}

/* ---- The record ---- */

static const char *kept_text(struct memory *memory, const struct program *program)
{
    char *text = text_of(program);
    const char *kept = memory_copy(memory, text != NULL ? text : "");

    free(text);
    return kept;
}

static void add_text(struct memory *memory, struct list *texts, const char *text)
{
    LIST_ADD(memory, texts, const char *) = text;
}

static struct list stage_records(struct memory *memory, const struct trial *trial)
{
    struct list list = list_take(memory, trial->stage_count, sizeof(struct stage_record));
    struct stage_record *records = list.items;

    for (size_t s = 0; s < trial->stage_count; s++) {
        const struct stage *stage = &trial->stages[s];
        records[s] = (struct stage_record){.stage = stage->name,
                                           .programs = stage->run,
                                           .wrong = stage->wrong,
                                           .same_code_pairs = stage->same_code,
                                           .skipped = stage->skipped,
                                           .kernels = stage->rows,
                                           .kernels_skipped = stage->rows_skipped};
    }
    for (size_t k = 0; k < trial->wrong_row_count; k++) {
        const struct wrong_row *row = &trial->wrong_rows[k];
        struct stage_record *record = &records[row->stage - trial->stages];
        struct wrong_kernel_record *wrong = list_add(memory, &record->kernels_wrong, sizeof *wrong);
        char text[OUTCOME_TEXT];
        outcome_text(&row->counterexample.outcome, text, sizeof text);
        *wrong = (struct wrong_kernel_record){.id = row->counterexample.test.variant->id,
                                              .kind = row->counterexample.test.variant->kind,
                                              .outcome = memory_copy(memory, text)};
    }
    return list;
}

static struct list family_records(struct memory *memory, const struct trial *trial)
{
    struct list list = list_take(memory, trial->family_count, sizeof(struct family_record));
    struct family_record *records = list.items;

    for (size_t k = 0; k < trial->family_count; k++) {
        const struct family *family = &trial->families[k];
        records[k] = (struct family_record){.shape = family->shape,
                                            .program = kept_text(memory, &family->program),
                                            .members = family->members,
                                            .cause = cause(trial, family),
                                            .difference = family->outcome.difference};
        for (size_t s = 0; s < trial->stage_count; s++)
            if (family->wrong[s])
                add_text(memory, &records[k].wrong, trial->stages[s].name);
    }
    return list;
}

/* Adds a row for each ptxas. It omits the programs' names, which depend on the other programs
 * tried. */
static void add_twins(struct memory *memory, struct list *rows, const struct trial *trial,
                      const struct twins *twins)
{
    const char *one = kept_text(memory, &twins->one), *other = kept_text(memory, &twins->other);

    for (size_t s = 0; s < trial->stage_count; s++)
        if (twins->by[s])
            LIST_ADD(memory, rows, struct twins_record) =
                (struct twins_record){.one = strchr(one, ':') + 2,
                                      .other = strchr(other, ':') + 2,
                                      .ptxas = trial->stages[s].compiler->version};
}

struct compilers_record compilers_report_record(const struct trial *trial, struct memory *memory)
{
    struct compilers_record record = {
        .seed = trial->seed,
        .programs = trial->programs,
        .stages = stage_records(memory, trial),
        .families = family_records(memory, trial),
        .same_code_pairs = trial->twins_seen,
    };

    for (size_t k = 0; k < trial->twin_count; k++)
        add_twins(memory, &record.same_code, trial, &trial->twins[k]);
    for (size_t k = 0; k < trial->unsteady_count; k++)
        add_text(memory, &record.unsteady,
                 memory_text(memory, "%s %s", trial->unsteady[k].tool,
                             trial->unsteady[k].compiler->version));
    return record;
}

json_t *compilers_report_json(const struct trial *trial)
{
    struct memory memory = {NULL};
    struct compilers_record record = compilers_report_record(trial, &memory);
    json_t *json = model_json(&compilers_table, &record);

    memory_free(&memory);
    return json;
}

struct compilers_origin *compilers_report_origin(const struct trial *trial, struct memory *memory)
{
    struct compilers_origin *origin = memory_take(memory, sizeof *origin);
    struct pair_record *pairs;

    origin->families = list_take(memory, trial->family_count, sizeof(uint64_t));
    origin->pairs = list_take(memory, trial->twin_count, sizeof *pairs);
    pairs = origin->pairs.items;
    for (size_t k = 0; k < trial->family_count; k++)
        ((uint64_t *)origin->families.items)[k] = trial->families[k].when;
    for (size_t k = 0; k < trial->twin_count; k++) {
        pairs[k].when = trial->twins[k].when;
        add_twins(memory, &pairs[k].rows, trial, &trial->twins[k]);
    }
    return origin;
}
