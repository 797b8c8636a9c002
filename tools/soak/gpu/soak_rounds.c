/* SPDX-License-Identifier: MIT */
#include "soak_rounds.h"

#include "clock.h"
#include "fnv.h"
#include "interrupt.h"
#include "operands.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 16 << 20, WORD = sizeof(uint64_t), VOTES = 3 };

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
    struct placed *placed;                /* of each case */
    uint64_t scratch, report, free, room; /* free, room: of the current chunk of memory */
    struct soak_tally *tallies;           /* of each case and SM number */
    double start, shown,
        saved; /* times: of the preparation or rounds, and of what they told last */
    char *reason;
};

static const struct soak_operations *operations_of(const struct rounds *rounds)
{
    return rounds->device->operations;
}

/* Notes that the device does not hang. Returns false after an interrupt. */
static bool go_on(struct rounds *rounds)
{
    atomic_fetch_add(rounds->plan->answers, 1);
    if (interrupt_came())
        snprintf(rounds->reason, SOAK_REASON, "interrupted by a signal");
    return !interrupt_came();
}

/* Shows what was done so far: each second on a terminal, or each minute. */
static void show_progress(struct rounds *rounds, const char *what, uint64_t count)
{
    const bool is_terminal = isatty(STDERR_FILENO);
    const double now = clock_seconds();

    if (now - rounds->shown < (is_terminal ? 1 : 60))
        return;
    rounds->shown = now;
    fprintf(stderr, "%sGPU %" PRIu64 ": %s %" PRIu64 ", %.0f s, wrong instructions: %zu%s",
            is_terminal ? "\r" : "", rounds->record->index, what, count, now - rounds->start,
            rounds->record->wrong.count, is_terminal ? "" : "\n");
}

/* ---- Preparation ---- */

static bool is_hopper(const struct rounds *rounds)
{
    return rounds->device->facts.major == 9 && rounds->device->facts.minor == 0;
}

/* Adds a module to what is skipped. */
static void skip(struct rounds *rounds, const struct soak_module *module, const char *reason)
{
    struct list *skipped = &rounds->record->skipped;
    struct soak_skip_record *last = skipped->items;

    if (skipped->count > 0)
        last += skipped->count - 1;
    if (skipped->count == 0 || last->cases != module->name) {
        last = list_add(rounds->memory, skipped, sizeof *last);
        *last = (struct soak_skip_record){.cases = module->name, .reason = reason};
    }
    for (size_t k = 0; k < module->count; k++)
        LIST_ADD(rounds->memory, &last->instructions, const char *) = module->cases[k].opcode;
}

static bool load_module(struct rounds *rounds, size_t m)
{
    void *code = soak_code_read(rounds->plan->code, m, &rounds->device->facts);
    bool good = operations_of(rounds)->load(rounds->device, &rounds->plan->modules[m], code,
                                            &rounds->loaded[m], rounds->reason);

    free(code);
    return good;
}

/* Loads all modules. Those that the device or the build does not have are skipped. */
static bool load_modules(struct rounds *rounds)
{
    const struct soak_plan *plan = rounds->plan;

    for (size_t m = 0; m < plan->count; m++) {
        const struct soak_module *module = &plan->modules[m];

        show_progress(rounds, "loading module", m);
        if (module->absent != NULL)
            skip(rounds, module, module->absent);
        else if (module->needs_90a && !is_hopper(rounds))
            skip(rounds, module, "only compute capability 9.0 has them");
        else if (module->count > 0 && !load_module(rounds, m))
            return false;
        if (!go_on(rounds))
            return false;
    }
    if (plan->is_sample)
        *(struct soak_skip_record *)list_add(rounds->memory, &rounds->record->skipped,
                                             sizeof(struct soak_skip_record)) =
            (struct soak_skip_record){.cases = "other instructions",
                                      .reason = "SIMTCHECK_SOAK_STEP leaves them out"};
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
        hash = fnv_number(hash, words[k]), hash ^= hash >> 29;
    return hash;
}

/* Copies the tuples of a case to the device, unless those of another case are the same. */
static bool place_tuples(struct rounds *rounds, const struct soak_case *one, size_t number)
{
    static uint64_t tuples[SOAK_TUPLES * SOAK_MAX_WORDS];
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

/* Returns the SM whose results of that case are made wrong, or ~0. */
static uint32_t planted_sm(const struct rounds *rounds, const struct soak_case *one)
{
    const struct soak_plan *plan = rounds->plan;

    return plan->planted_sm >= 0 && strcmp(one->opcode, plan->planted_opcode) == 0
               ? (uint32_t)plan->planted_sm
               : UINT32_MAX;
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

/* Returns whether the simulator does not know the exact results. Matrix instructions of other
 * compute capabilities than 9.0 may round in another way. */
static bool is_voted(const struct rounds *rounds, const struct soak_case *one)
{
    return one->is_approximate || (one->matrix != NULL && !is_hopper(rounds));
}

/* Computes the results of a case several times. In each run another block, which is on another SM,
 * gets a tuple. */
static bool collect_votes(struct rounds *rounds, size_t module, const struct soak_case *one,
                          size_t number, uint64_t (*votes)[SOAK_TUPLES * SOAK_MAX_RESULTS])
{
    static uint64_t results[SOAK_TUPLES * SOAK_MAX_RESULTS];
    const size_t bytes = one->results * WORD;

    for (uint32_t v = 0; v < VOTES; v++) {
        struct soak_parameters parameters = {.expected = rounds->scratch,
                                             .first = v * SOAK_BLOCK,
                                             .block_step = SOAK_BLOCK,
                                             .stride = SOAK_TUPLES,
                                             .planted = planted_sm(rounds, one)};

        if (!launch(rounds, module, number, SOAK_TUPLES / SOAK_BLOCK, &parameters) ||
            !operations_of(rounds)->copy_out(rounds->device, results, rounds->scratch,
                                             SOAK_TUPLES * bytes, rounds->reason))
            return false;
        for (uint32_t k = 0; k < SOAK_TUPLES; k++)
            memcpy(&votes[v][(k + parameters.first) % SOAK_TUPLES * one->results],
                   &results[k * one->results], bytes);
    }
    return true;
}

/* Returns what at least two of three are, or `otherwise`. */
static uint64_t majority(uint64_t a, uint64_t b, uint64_t c, uint64_t otherwise)
{
    return a == b || a == c ? a : b == c ? b : otherwise;
}

/* Replaces the simulator's results by those of most SMs, where the PTX ISA allows them. */
static bool expect_votes(struct rounds *rounds, size_t module, const struct soak_case *one,
                         size_t number, uint64_t *expected)
{
    static uint64_t votes[VOTES][SOAK_TUPLES * SOAK_MAX_RESULTS];
    uint64_t tuple[SOAK_MAX_WORDS];

    if (!collect_votes(rounds, module, one, number, votes))
        return false;
    for (uint32_t k = 0; k < SOAK_TUPLES * one->results; k++) {
        const uint64_t most = majority(votes[0][k], votes[1][k], votes[2][k], expected[k]);

        soak_tuple(one, k / one->results, tuple);
        if (one->matrix != NULL ||
            (k % one->results == 0 &&
             operands_near(one->opcode, one->instruction->result, tuple[0], expected[k], most)))
            expected[k] = most;
    }
    return true;
}

static bool place_case(struct rounds *rounds, size_t module, const struct soak_case *one,
                       size_t number)
{
    static uint64_t results[SOAK_TUPLES * SOAK_MAX_RESULTS];
    const struct soak_expected *expected = rounds->plan->expected;
    const size_t words = (size_t)SOAK_TUPLES * one->results;
    struct placed *placed = &rounds->placed[number];

    memcpy(results, &expected->words[expected->first[number]], words * WORD);
    return place_tuples(rounds, one, number) &&
           (!is_voted(rounds, one) || expect_votes(rounds, module, one, number, results)) &&
           take(rounds, words * WORD, &placed->expected) &&
           operations_of(rounds)->copy_in(rounds->device, placed->expected, results, words * WORD,
                                          rounds->reason) &&
           go_on(rounds);
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
    rounds->placed = calloc(plan->cases, sizeof *rounds->placed);
    rounds->tallies = calloc(1, tally_bytes(rounds));
    snprintf(rounds->reason, SOAK_REASON, "out of memory");
    if (rounds->loaded == NULL || rounds->placed == NULL || rounds->tallies == NULL ||
        !load_modules(rounds) || !take(rounds, slots * SOAK_MAX_RESULTS * WORD, &rounds->scratch) ||
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

/* Waits until the device has run everything. */
static bool wait_for(struct rounds *rounds)
{
    uint32_t count;

    return operations_of(rounds)->copy_out(rounds->device, &count, rounds->report, sizeof count,
                                           rounds->reason) &&
           go_on(rounds);
}

/* Fails as the plan says. */
static bool plant_failure(struct rounds *rounds)
{
    const char *failure = rounds->plan->planted_failure;

    if (failure != NULL && strcmp(failure, "hang") == 0)
        while (true)
            pause();
    if (failure != NULL)
        snprintf(rounds->reason, SOAK_REASON, "a kernel failed: planted");
    rounds->device->failed = failure != NULL;
    return failure == NULL;
}

/* Starts the cases of a module, and waits for them. In each round other threads and lanes get the
 * operands. The first round waits for each case, so that an error can be put down to it. */
static bool run_module(struct rounds *rounds, size_t m, uint64_t round)
{
    const struct soak_module *module = &rounds->plan->modules[m];
    const char *opcode = "";
    bool good = true;

    for (size_t k = 0; good && k < module->count; k++) {
        const struct soak_case *one = &module->cases[k];
        const size_t number = module->first + k;
        struct soak_parameters parameters = {
            .expected = rounds->placed[number].expected,
            .first = (uint32_t)(round * one->turn % SOAK_TUPLES),
            .stride = SOAK_BLOCK,
            .planted = planted_sm(rounds, one),
        };

        opcode = round == 0 ? one->opcode : "";
        good = launch(rounds, m, number, rounds->device->facts.sms, &parameters) &&
               (round > 0 || (plant_failure(rounds) && wait_for(rounds)));
    }
    good = good && wait_for(rounds);
    if (!good && rounds->device->failed)
        rounds->record->error =
            memory_text(rounds->memory, "%s, in module %zu of %zu (%s%s%s)", rounds->reason, m + 1,
                        rounds->plan->count, module->name, *opcode != '\0' ? ": " : "", opcode);
    return good;
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
    static struct soak_difference differences[SOAK_MAX_RECORDS];
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

/* Sets how many words differ in the records. */
static void count_wrong(struct rounds *rounds)
{
    struct soak_wrong_record *wrong = rounds->record->wrong.items;
    const uint32_t numbers = rounds->device->facts.sm_numbers;

    for (size_t w = 0; w < rounds->record->wrong.count; w++) {
        wrong[w].count = 0;
        for (size_t k = 0; k < rounds->plan->cases; k++)
            if (case_of(rounds, k)->opcode == wrong[w].instruction)
                wrong[w].count += rounds->tallies[k * numbers + wrong[w].sm].different;
    }
}

void soak_save(const struct soak_gpu_record *record, const char *path)
{
    char *made;
    json_t *json = model_json(&soak_gpu_table, record);

    if (json != NULL && asprintf(&made, "%s.new", path) > 0) {
        if (json_dump_file(json, made, 0) == 0)
            rename(made, path);
        free(made);
    }
    json_decref(json);
}

/* Completes the record and saves it. */
static void save(struct rounds *rounds)
{
    rounds->record->covered.count = 0;
    if (rounds->tallies != NULL) {
        count_covered(rounds, &rounds->record->covered);
        count_wrong(rounds);
    }
    soak_save(rounds->record, rounds->plan->path);
    rounds->saved = clock_seconds();
}

static bool run_rounds(struct rounds *rounds)
{
    enum { SAVE_SECONDS = 10 };
    const struct soak_plan *plan = rounds->plan;
    bool is_whole = false, is_due = true;

    rounds->start = clock_seconds();
    save(rounds);
    while (is_due) {
        for (size_t m = 0; m < plan->count; m++)
            if (rounds->loaded[m] != NULL && !run_module(rounds, m, rounds->record->rounds))
                return false;
        if (!read_round(rounds))
            return false;
        rounds->record->rounds++;
        show_progress(rounds, "round", rounds->record->rounds);
        if (clock_seconds() - rounds->saved > SAVE_SECONDS)
            save(rounds);
        is_whole = is_whole || count_covered(rounds, NULL) == rounds->device->facts.sms;
        is_due = rounds->record->rounds < plan->least ||
                 clock_seconds() - rounds->start < plan->seconds ||
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
    struct rounds rounds = {.plan = plan,
                            .device = device,
                            .record = record,
                            .memory = memory,
                            .start = clock_seconds(),
                            .shown = clock_seconds(),
                            .reason = reason};
    bool good = prepare(&rounds);

    record->sms = device->facts.sms;
    record->prepare_seconds = clock_seconds() - rounds.start;
    good = good && run_rounds(&rounds);
    if (!good && record->error == NULL)
        record->error = memory_copy(memory, reason);
    record->failed = device->failed;
    save(&rounds);
    free(rounds.loaded);
    free(rounds.placed);
    free(rounds.tallies);
}
