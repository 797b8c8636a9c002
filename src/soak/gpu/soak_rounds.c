/* SPDX-License-Identifier: MIT */
#include "soak_rounds.h"

#include "clock.h"
#include "matrix_cases.h"
#include "operands.h"
#include "parallel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 16 << 20, WORD = sizeof(uint64_t) };

/* What a case has on the device. */
struct placed {
    uint64_t tuples, expected; /* tuples 0: the device does not have the instruction */
    uint64_t hash;             /* of the tuples */
};

struct rounds {
    const struct soak_plan *plan;
    struct soak_device *device;
    struct soak_gpu_record *record;
    struct memory *memory;
    void **loaded;                        /* of each module; null: not loaded */
    char (*load_reasons)[SOAK_REASON];    /* of each module */
    struct placed *placed;                /* of each case */
    uint64_t scratch, report, free, room; /* free, room: of the current chunk of memory */
    struct soak_tally *tallies;           /* of each case and SM number */
    char *reason;
};

static const struct soak_operations *operations_of(const struct rounds *rounds)
{
    return rounds->device->operations;
}

/* ---- Preparation ---- */

static bool has_module(const struct rounds *rounds, const struct soak_module *module)
{
    const struct soak_facts *facts = &rounds->device->facts;

    return !module->needs_90a || (facts->major == 9 && facts->minor == 0);
}

static void load_module(void *context, size_t m)
{
    struct rounds *rounds = context;
    const struct soak_module *module = &rounds->plan->modules[m];

    if (has_module(rounds, module))
        operations_of(rounds)->load(rounds->device, module, &rounds->loaded[m],
                                    rounds->load_reasons[m]);
}

/* Loads all modules. Those that the device cannot have are skipped, by name. */
static bool load_modules(struct rounds *rounds)
{
    const struct soak_plan *plan = rounds->plan;
    const char *skipped = NULL;

    parallel_for_on(rounds->device->facts.driver == 0 ? 1 : plan->count, plan->count, load_module,
                    rounds);
    for (size_t m = 0; m < plan->count; m++) {
        const struct soak_module *module = &plan->modules[m];

        if (!has_module(rounds, module) && module->name != skipped) {
            skipped = module->name;
            LIST_ADD(rounds->memory, &rounds->record->skipped, const char *) =
                memory_text(rounds->memory, "%s: only compute capability 9.0 has these", skipped);
        } else if (has_module(rounds, module) && rounds->loaded[m] == NULL) {
            snprintf(rounds->reason, SOAK_REASON, "%s", rounds->load_reasons[m]);
            return false;
        }
    }
    return true;
}

/* Returns memory of the device, which stays until the program ends. */
static bool take(struct rounds *rounds, size_t bytes, uint64_t *address)
{
    if (rounds->room < bytes) {
        rounds->room = bytes > CHUNK ? bytes : CHUNK;
        if (!operations_of(rounds)->allocate(rounds->device, rounds->room, &rounds->free,
                                             rounds->reason))
            return false;
    }
    *address = rounds->free;
    rounds->free += bytes;
    rounds->room -= bytes;
    return true;
}

static uint64_t hash_of(const uint64_t *words, size_t count)
{
    uint64_t hash = count;

    for (size_t k = 0; k < count; k++)
        hash = (hash ^ words[k]) * UINT64_C(0x100000001b3), hash ^= hash >> 29;
    return hash;
}

/* Copies the tuples of a case to the device, unless those of another case are the same. */
static bool place_tuples(struct rounds *rounds, const struct soak_case *one, size_t number)
{
    static _Thread_local uint64_t tuples[SOAK_TUPLES * SOAK_MAX_WORDS];
    const size_t words = (size_t)SOAK_TUPLES * one->words;
    struct placed *placed = &rounds->placed[number];

    for (uint32_t k = 0; k < SOAK_TUPLES; k++)
        soak_tuple(one, k, &tuples[k * one->words]);
    placed->hash = hash_of(tuples, words);
    for (size_t k = 0; k < number; k++)
        if (rounds->placed[k].hash == placed->hash && rounds->placed[k].tuples != 0) {
            placed->tuples = rounds->placed[k].tuples;
            return true;
        }
    return take(rounds, words * WORD, &placed->tuples) &&
           operations_of(rounds)->copy_in(rounds->device, placed->tuples, tuples, words * WORD,
                                          rounds->reason);
}

static bool launch(struct rounds *rounds, size_t module, size_t number, uint32_t blocks,
                   struct soak_parameters *parameters)
{
    parameters->tuples = rounds->placed[number].tuples;
    parameters->scratch = rounds->scratch;
    parameters->report = rounds->report;
    parameters->number = (uint32_t)number;
    parameters->tally = (uint32_t)(SOAK_TALLIES + number * rounds->device->facts.sm_numbers *
                                                      sizeof(struct soak_tally));
    return operations_of(rounds)->launch(rounds->device, rounds->loaded[module],
                                         soak_kernel(&rounds->plan->modules[module], number),
                                         blocks, parameters, rounds->reason);
}

/* Approximate results need not be those of the simulator, but every SM must compute the same.
 * Expects what the device computes now, where the PTX ISA allows it. */
static bool expect_approximation(struct rounds *rounds, size_t module, const struct soak_case *one,
                                 size_t number, uint64_t *expected)
{
    uint64_t mine[SOAK_TUPLES * 2], tuple[SOAK_MAX_WORDS];
    struct soak_parameters parameters = {.expected = rounds->scratch,
                                         .block_step = SOAK_BLOCK,
                                         .stride = SOAK_TUPLES,
                                         .planted = UINT32_MAX};

    if (!launch(rounds, module, number, SOAK_TUPLES / SOAK_BLOCK, &parameters) ||
        !operations_of(rounds)->copy_out(rounds->device, mine, rounds->scratch, sizeof mine,
                                         rounds->reason))
        return false;
    for (uint32_t k = 0; k < SOAK_TUPLES; k++) {
        soak_tuple(one, k, tuple);
        if (operands_near(one->opcode, one->instruction->result, tuple[0], expected[2 * k],
                          mine[2 * k]))
            expected[2 * k] = mine[2 * k];
    }
    return true;
}

static bool place_case(struct rounds *rounds, size_t module, const struct soak_case *one,
                       size_t number)
{
    const struct soak_expected *expected = rounds->plan->expected;
    const size_t words = (size_t)SOAK_TUPLES * one->results;
    uint64_t results[SOAK_TUPLES * SOAK_MAX_RESULTS];
    struct placed *placed = &rounds->placed[number];

    memcpy(results, &expected->words[expected->first[number]], words * WORD);
    return place_tuples(rounds, one, number) &&
           (!one->is_approximate || expect_approximation(rounds, module, one, number, results)) &&
           take(rounds, words * WORD, &placed->expected) &&
           operations_of(rounds)->copy_in(rounds->device, placed->expected, results, words * WORD,
                                          rounds->reason);
}

static size_t tally_bytes(const struct rounds *rounds)
{
    return rounds->plan->cases * rounds->device->facts.sm_numbers * sizeof(struct soak_tally);
}

/* Forgets the differences, and those of the preparation. */
static bool clear_report(struct rounds *rounds, size_t bytes)
{
    void *zeros = calloc(1, bytes);
    bool good = zeros != NULL && operations_of(rounds)->copy_in(rounds->device, rounds->report,
                                                                zeros, bytes, rounds->reason);

    free(zeros);
    return good;
}

static bool prepare(struct rounds *rounds)
{
    const struct soak_plan *plan = rounds->plan;
    const struct soak_facts *facts = &rounds->device->facts;
    uint32_t blocks = facts->sms > SOAK_TUPLES / SOAK_BLOCK ? facts->sms : SOAK_TUPLES / SOAK_BLOCK;
    const size_t slots = (size_t)blocks * SOAK_BLOCK;

    rounds->loaded = calloc(plan->count, sizeof *rounds->loaded);
    rounds->load_reasons = calloc(plan->count, sizeof *rounds->load_reasons);
    rounds->placed = calloc(plan->cases, sizeof *rounds->placed);
    rounds->tallies = calloc(1, tally_bytes(rounds));
    snprintf(rounds->reason, SOAK_REASON, "out of memory");
    if (rounds->loaded == NULL || rounds->load_reasons == NULL || rounds->placed == NULL ||
        rounds->tallies == NULL || !load_modules(rounds) ||
        !take(rounds, slots * SOAK_MAX_RESULTS * WORD, &rounds->scratch) ||
        !take(rounds, SOAK_TALLIES + tally_bytes(rounds), &rounds->report))
        return false;
    for (size_t m = 0; m < plan->count; m++)
        for (size_t k = 0; rounds->loaded[m] != NULL && k < plan->modules[m].count; k++) {
            if (!place_case(rounds, m, &plan->modules[m].cases[k], plan->modules[m].first + k))
                return false;
            rounds->record->instructions++;
        }
    return clear_report(rounds, SOAK_TALLIES + tally_bytes(rounds));
}

/* ---- Rounds ---- */

static const struct soak_case *case_of(const struct rounds *rounds, size_t number)
{
    const struct soak_module *module = rounds->plan->modules;

    while (number >= module->first + module->count)
        module++;
    return &module->cases[number - module->first];
}

/* Starts all cases. In each round another thread, and another lane, gets the operands. Lanes of
 * matrix instructions keep theirs. */
static bool launch_round(struct rounds *rounds, uint64_t round)
{
    const struct soak_plan *plan = rounds->plan;

    for (size_t m = 0; m < plan->count; m++)
        for (size_t k = 0; rounds->loaded[m] != NULL && k < plan->modules[m].count; k++) {
            const struct soak_case *one = &plan->modules[m].cases[k];
            const size_t number = plan->modules[m].first + k;
            bool is_planted =
                plan->planted_sm >= 0 && strcmp(one->opcode, plan->planted_opcode) == 0;
            struct soak_parameters parameters = {
                .expected = rounds->placed[number].expected,
                .first = (uint32_t)(round * one->turn % SOAK_TUPLES),
                .stride = SOAK_BLOCK,
                .planted = is_planted ? (uint32_t)plan->planted_sm : UINT32_MAX,
            };

            if (!launch(rounds, m, number, rounds->device->facts.sms, &parameters))
                return false;
        }
    return true;
}

/* Adds the first difference of a case on an SM to the record. */
static void add_wrong(struct rounds *rounds, const struct soak_difference *difference)
{
    const struct soak_case *one = case_of(rounds, difference->number);
    const struct list *wrong = &rounds->record->wrong;
    struct soak_wrong_record *added;
    char operands[1024];

    for (size_t k = 0; k < wrong->count; k++) {
        const struct soak_wrong_record *known = &((struct soak_wrong_record *)wrong->items)[k];
        if (known->sm == difference->sm && known->instruction == one->opcode)
            return;
    }
    soak_tuple_text(one, difference->tuple, difference->word, operands, sizeof operands);
    added = list_add(rounds->memory, &rounds->record->wrong, sizeof *added);
    *added = (struct soak_wrong_record){
        .sm = difference->sm,
        .instruction = one->opcode,
        .operands = memory_copy(rounds->memory, operands),
        .word = difference->word,
        .expected = memory_text(rounds->memory, "%016" PRIx64, difference->expected),
        .computed = memory_text(rounds->memory, "%016" PRIx64, difference->computed),
    };
}

/* Waits for a round, and reads its report. */
static bool read_round(struct rounds *rounds)
{
    static _Thread_local struct soak_difference differences[SOAK_MAX_RECORDS];
    const struct soak_operations *operations = operations_of(rounds);
    uint32_t count;

    if (!operations->copy_out(rounds->device, &count, rounds->report, sizeof count,
                              rounds->reason) ||
        !operations->copy_out(rounds->device, rounds->tallies, rounds->report + SOAK_TALLIES,
                              tally_bytes(rounds), rounds->reason))
        return false;
    if (count == 0)
        return true;
    if (!operations->copy_out(rounds->device, differences, rounds->report + 64, sizeof differences,
                              rounds->reason))
        return false;
    for (uint32_t k = 0; k < count && k < SOAK_MAX_RECORDS; k++)
        add_wrong(rounds, &differences[k]);
    return clear_report(rounds, SOAK_TALLIES);
}

/* Returns on how many SMs every instruction ran. Fills `covered` if it is not null. */
static uint64_t count_covered(struct rounds *rounds, struct list *covered)
{
    const uint32_t numbers = rounds->device->facts.sm_numbers;
    uint64_t whole = 0;

    for (uint32_t sm = 0; sm < numbers; sm++) {
        struct soak_sm_record one = {.sm = sm};

        for (size_t k = 0; k < rounds->plan->cases; k++) {
            const struct soak_tally *tally = &rounds->tallies[k * numbers + sm];
            one.instructions += tally->tuples >= SOAK_TUPLES;
            one.tuples += tally->tuples;
        }
        whole += one.instructions == rounds->record->instructions;
        if (covered != NULL && one.tuples > 0)
            LIST_ADD(rounds->memory, covered, struct soak_sm_record) = one;
    }
    return whole;
}

/* Adds how many words differ to the records. */
static void count_wrong(struct rounds *rounds)
{
    struct soak_wrong_record *wrong = rounds->record->wrong.items;
    const uint32_t numbers = rounds->device->facts.sm_numbers;

    for (size_t w = 0; w < rounds->record->wrong.count; w++)
        for (size_t k = 0; k < rounds->plan->cases; k++)
            if (case_of(rounds, k)->opcode == wrong[w].instruction)
                wrong[w].count += rounds->tallies[k * numbers + wrong[w].sm].different;
}

static void show_progress(const struct rounds *rounds, double start, double *shown)
{
    const bool is_terminal = isatty(STDERR_FILENO);
    const double now = clock_seconds();

    if (now - *shown < (is_terminal ? 1 : 60))
        return;
    *shown = now;
    fprintf(stderr, "%sGPU %" PRIu64 ": round %" PRIu64 ", %.0f s, wrong instructions: %zu%s",
            is_terminal ? "\r" : "", rounds->record->index, rounds->record->rounds, now - start,
            rounds->record->wrong.count, is_terminal ? "" : "\n");
}

static bool run_rounds(struct rounds *rounds)
{
    const struct soak_plan *plan = rounds->plan;
    const double start = clock_seconds();
    double shown = start;
    bool is_whole = false, is_due = true;

    while (is_due) {
        if (!launch_round(rounds, rounds->record->rounds) || !read_round(rounds))
            return false;
        rounds->record->rounds++;
        show_progress(rounds, start, &shown);
        is_whole = is_whole || count_covered(rounds, NULL) == rounds->device->facts.sms;
        is_due = rounds->record->rounds < plan->least || clock_seconds() - start < plan->seconds ||
                 (!is_whole && rounds->record->rounds < plan->most);
    }
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    return true;
}

void soak_rounds(const struct soak_plan *plan, struct soak_device *device,
                 struct soak_gpu_record *record, struct memory *memory)
{
    char reason[SOAK_REASON];
    struct rounds rounds = {
        .plan = plan, .device = device, .record = record, .memory = memory, .reason = reason};

    record->sms = device->facts.sms;
    if (!prepare(&rounds) || !run_rounds(&rounds))
        record->error = memory_copy(memory, reason);
    if (rounds.tallies != NULL) {
        count_covered(&rounds, &record->covered);
        count_wrong(&rounds);
    }
    free(rounds.loaded);
    free(rounds.load_reasons);
    free(rounds.placed);
    free(rounds.tallies);
}
