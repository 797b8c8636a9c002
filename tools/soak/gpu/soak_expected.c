/* SPDX-License-Identifier: MIT */
#include "soak_expected.h"

#include "children.h"
#include "interrupt.h"
#include "soak_device.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Memory of the simulator for one case. */
struct room {
    uint64_t tuples, results, report;
};

static bool make_room(struct soak_device *simulator, struct room *room, char *reason)
{
    enum { WORD = sizeof(uint64_t), BLOCKS = SOAK_TUPLES / SOAK_BLOCK };

    return simulator->operations->allocate(simulator, SOAK_TUPLES * SOAK_MAX_WORDS * WORD,
                                           &room->tuples, reason) &&
           simulator->operations->allocate(simulator, SOAK_TUPLES * SOAK_MAX_RESULTS * WORD,
                                           &room->results, reason) &&
           simulator->operations->allocate(
               simulator, SOAK_TALLIES + BLOCKS * sizeof(struct soak_tally), &room->report, reason);
}

/* Computes the results of a case. Each thread runs one tuple, so its place for results is theirs.
 */
static bool compute(struct soak_device *simulator, const struct room *room, void *loaded,
                    const struct soak_case *one, size_t kernel, size_t number, uint64_t *results,
                    char *reason)
{
    static uint64_t tuples[SOAK_TUPLES * SOAK_MAX_WORDS];
    const struct soak_parameters parameters = {
        .tuples = room->tuples,
        .expected = room->results,
        .scratch = room->results,
        .report = room->report,
        .block_step = SOAK_BLOCK,
        .stride = SOAK_TUPLES,
        .tally = SOAK_TALLIES,
        .number = (uint32_t)number,
        .planted = UINT32_MAX,
    };

    for (uint32_t k = 0; k < SOAK_TUPLES; k++)
        soak_tuple(one, k, &tuples[k * one->words]);
    return simulator->operations->copy_in(simulator, room->tuples, tuples,
                                          SOAK_TUPLES * one->words * sizeof *tuples, reason) &&
           simulator->operations->launch(simulator, loaded, kernel, SOAK_TUPLES / SOAK_BLOCK,
                                         &parameters, reason) &&
           simulator->operations->copy_out(simulator, results, room->results,
                                           SOAK_TUPLES * one->results * sizeof *results, reason);
}

static bool compute_module(struct soak_device *simulator, const struct room *room,
                           const struct soak_module *module, const struct soak_expected *expected,
                           char *reason)
{
    void *loaded;
    bool good = simulator->operations->load(simulator, module, NULL, &loaded, reason);

    for (size_t k = 0; good && k < module->count; k++) {
        size_t number = module->first + k;

        good = compute(simulator, room, loaded, &module->cases[k], soak_kernel(module, number),
                       number, &expected->words[expected->first[number]], reason);
    }
    return good;
}

/* The work of all processes. */
struct computing {
    const struct soak_module *modules;
    size_t count;
    struct soak_expected *expected;
    struct soak_code *code;
};

/* Computes the results of modules that no other process has begun, and then compiles modules. The
 * last modules take longest. */
static void work_on(void *context, size_t k)
{
    const struct computing *work = context;
    struct soak_device simulator;
    struct room room;
    char reason[SOAK_REASON] = "";
    bool good = soak_simulator_open(&simulator, reason) && make_room(&simulator, &room, reason);
    size_t m;

    (void)k;
    while (good && (m = atomic_fetch_add(&work->expected->state->next, 1)) < work->count) {
        good = compute_module(&simulator, &room, &work->modules[work->count - 1 - m],
                              work->expected, reason);
        atomic_fetch_add(&work->expected->state->computed, good);
    }
    if (good)
        soak_code_compile(work->code, work->modules, work->count);
    else
        fprintf(stderr, "simtcheck: soak: %s\n", reason);
}

/* Returns how many modules all processes have computed and compiled. The driver of a broken GPU may
 * hang when it compiles. */
static uint64_t count_done(void *context, size_t k)
{
    const struct computing *work = context;

    (void)k;
    return atomic_load(&work->expected->state->computed) +
           atomic_load(&work->code->state->compiled);
}

static bool make_memory(const struct soak_module *modules, size_t count,
                        struct soak_expected *expected)
{
    const int protection = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_ANONYMOUS;
    size_t cases = modules[count - 1].first + modules[count - 1].count, words = 0;

    expected->first = calloc(cases, sizeof *expected->first);
    for (size_t m = 0; expected->first != NULL && m < count; m++)
        for (size_t k = 0; k < modules[m].count; k++) {
            expected->first[modules[m].first + k] = words;
            words += (size_t)SOAK_TUPLES * modules[m].cases[k].results;
        }
    expected->words = mmap(NULL, words * sizeof *expected->words, protection, flags, -1, 0);
    expected->state = mmap(NULL, sizeof *expected->state, protection, flags, -1, 0);
    return expected->first != NULL && expected->words != MAP_FAILED &&
           expected->state != MAP_FAILED;
}

/* Returns the number of processes: at most one on each processor that this process may use. */
static size_t processes(size_t most)
{
    cpu_set_t mask;
    size_t processors = 1;

    if (sched_getaffinity(0, sizeof mask, &mask) == 0)
        processors = (size_t)CPU_COUNT(&mask);
    return processors < most ? processors : most;
}

bool soak_expected_compute(const struct soak_module *modules, size_t count,
                           struct soak_expected *expected, struct soak_code *code, double patience,
                           char *reason)
{
    struct computing work = {modules, count, expected, code};
    const size_t most = processes(count);
    struct child *children = calloc(most, sizeof *children);

    if (children == NULL || !make_memory(modules, count, expected)) {
        free(children);
        snprintf(reason, SOAK_REASON, "out of memory");
        return false;
    }
    children_run(&(struct children){most, work_on, count_done, &work, patience, 0}, children);
    free(children);
    if (interrupt_came())
        snprintf(reason, SOAK_REASON, "interrupted by a signal");
    else
        snprintf(reason, SOAK_REASON, "the simulator did not compute the expected results");
    return !interrupt_came() && atomic_load(&expected->state->computed) == count;
}
