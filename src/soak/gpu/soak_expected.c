/* SPDX-License-Identifier: MIT */
#include "soak_expected.h"

#include "interrupt.h"
#include "soak_device.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Computes the results of every `step`-th module. */
static bool compute_modules(const struct soak_module *modules, size_t count, size_t first,
                            size_t step, const struct soak_expected *expected)
{
    struct soak_device simulator;
    struct room room;
    char reason[SOAK_REASON] = "";
    bool good = soak_simulator_open(&simulator, reason) && make_room(&simulator, &room, reason);

    for (size_t m = first; good && m < count; m += step) {
        void *loaded;

        good = simulator.operations->load(&simulator, &modules[m], &loaded, reason);
        for (size_t k = 0; good && k < modules[m].count; k++) {
            size_t number = modules[m].first + k;

            good = compute(&simulator, &room, loaded, &modules[m].cases[k],
                           soak_kernel(&modules[m], number), number,
                           &expected->words[expected->first[number]], reason);
        }
    }
    if (!good)
        fprintf(stderr, "simtcheck: soak: %s\n", reason);
    return good;
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

bool soak_expected_start(const struct soak_module *modules, size_t count,
                         struct soak_expected *expected, char *reason)
{
    size_t cases = modules[count - 1].first + modules[count - 1].count, words = 0;
    const size_t step = processes(count);

    expected->first = calloc(cases, sizeof *expected->first);
    for (size_t m = 0; expected->first != NULL && m < count; m++)
        for (size_t k = 0; k < modules[m].count; k++) {
            expected->first[modules[m].first + k] = words;
            words += (size_t)SOAK_TUPLES * modules[m].cases[k].results;
        }
    expected->words = mmap(NULL, words * sizeof *expected->words, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (expected->first == NULL || expected->words == MAP_FAILED) {
        snprintf(reason, SOAK_REASON, "out of memory");
        return false;
    }
    fflush(stdout);
    for (size_t k = 0; k < step; k++) {
        pid_t child = fork();

        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            /* not _exit(): a build that measures coverage writes its counts then */
            exit(compute_modules(modules, count, k, step, expected) ? 0 : 1);
        }
        if (child < 0) {
            snprintf(reason, SOAK_REASON, "cannot start a process");
            return false;
        }
    }
    return true;
}

bool soak_expected_finish(char *reason)
{
    enum { MICROSECONDS = 5000 };
    int status;
    pid_t child;
    bool good = true;

    while (!interrupt_came() && (child = waitpid(-1, &status, WNOHANG)) >= 0)
        if (child == 0)
            usleep(MICROSECONDS);
        else
            good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (interrupt_came())
        snprintf(reason, SOAK_REASON, "interrupted by a signal");
    else if (!good)
        snprintf(reason, SOAK_REASON, "the simulator did not compute the expected results");
    return good && !interrupt_came();
}
