/* SPDX-License-Identifier: MIT
 *
 *     simtcheck-worker-soak RESULTS SECONDS
 *
 * Checks each SM of all GPUs, and writes the results to a file as JSON (record_soak.h). Begins
 * rounds for that many seconds; 0: as few rounds as possible. The exit status is 0 if the file is
 * written.
 *
 * Environment variables for tests:
 * - SIMTCHECK_SOAK_DEVICE=sim checks the simulator in place of a GPU, or sim:10.0 as one of that
 *   compute capability.
 * - SIMTCHECK_SOAK_STEP=N leaves out all but every N-th instruction of each module; N+K begins with
 *   instruction K.
 * - SIMTCHECK_SOAK_WRONG=SM:OPCODE makes a result of an instruction wrong on an SM. "hang" and
 *   "error" make the GPU hang or fail in its first round.
 * - SIMTCHECK_SOAK_PATIENCE=SECONDS: how long a GPU may give no answer.
 */
#include "children.h"
#include "clock.h"
#include "interrupt.h"
#include "soak_rounds.h"
#include "soak_units.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* How many seconds a GPU may give no answer. The driver needs some seconds to open it, and less
 * than a second for a module. */
static const double PATIENCE = 60;

struct work {
    struct soak_plan plan;
    struct soak_units units;
    struct child children[SOAK_MAX_UNITS]; /* the processes of the units */
    _Atomic uint64_t *answers;             /* of each unit, in memory that all processes share */
    const char *simulator;                 /* "sim" or "sim:10.0"; null: GPUs */
    double patience;
    const char *results;
};

/* Names the file in which a unit writes its results. */
static void write_path(const struct work *work, int k, char path[4096])
{
    snprintf(path, 4096, "%s.%d", work->results, k);
}

static bool open_device(const struct work *work, int k, struct soak_device *device, char *reason)
{
    if (work->simulator == NULL)
        return soak_gpu_open(device, reason);
    if (!soak_simulator_open(device, reason))
        return false;
    sscanf(work->simulator, "sim:%" SCNu32 ".%" SCNu32, &device->facts.major, &device->facts.minor);
    snprintf(device->facts.uuid, sizeof device->facts.uuid, "%s", work->units.visible[k]);
    return true;
}

/* Checks a unit, in its own process: CUDA shows a process one MIG instance only, and a GPU that
 * hangs or fails takes its process with it. */
static void check_unit(void *context, size_t number)
{
    const int k = (int)number;
    struct work *work = context;
    struct soak_device device = {.failed = false};
    struct soak_gpu_record record = {.index = (uint64_t)k};
    struct memory memory = {NULL};
    char reason[SOAK_REASON] = "", path[4096];
    bool good;

    setenv("CUDA_VISIBLE_DEVICES", work->units.visible[k], 1);
    good = open_device(work, k, &device, reason);
    write_path(work, k, path);
    work->plan.path = path;
    work->plan.answers = &work->answers[k];
    record.name = device.facts.name;
    record.uuid = device.facts.uuid[0] != '\0' ? device.facts.uuid : work->units.visible[k];
    record.capability = memory_text(&memory, "%u.%u", device.facts.major, device.facts.minor);
    record.driver =
        memory_text(&memory, "%u.%u", device.facts.driver / 1000, device.facts.driver % 1000 / 10);
    record.error = good ? NULL : reason;
    record.failed = device.failed;
    soak_save(&record, path);
    if (good)
        soak_rounds(&work->plan, &device, &record, &memory);
    memory_free(&memory);
}

static uint64_t count_answers(void *context, size_t k)
{
    return ((const struct work *)context)->answers[k];
}

/* Returns why a unit's process did not end by itself, or null. */
static const char *child_error(const struct child *child, struct memory *memory)
{
    const int status = child->status;

    if (child->id < 0)
        return "cannot start a process";
    if (child->is_hung)
        return memory_text(memory, "the GPU does not answer: nothing ended for %.0f s",
                           child->patience);
    if (WIFSIGNALED(status))
        return memory_text(memory, "its process ended with signal %d", WTERMSIG(status));
    return status == 0
               ? NULL
               : memory_text(memory, "its process ended with status %d", WEXITSTATUS(status));
}

/* Adds a unit's results to the record. A process that did not end by itself leaves those of an
 * earlier moment, or none. */
static void add_unit(const struct work *work, int k, struct soak_record *record,
                     struct memory *memory)
{
    struct soak_gpu_record *unit = &LIST_ADD(memory, &record->gpus, struct soak_gpu_record);
    const struct child *child = &work->children[k];
    const char *error = child_error(child, memory);
    char path[4096], why[SOAK_REASON];
    json_t *json;

    *unit = (struct soak_gpu_record){.index = (uint64_t)k,
                                     .name = "",
                                     .uuid = work->units.visible[k],
                                     .capability = "",
                                     .driver = "",
                                     .error = "its process left no results"};
    write_path(work, k, path);
    json = json_load_file(path, 0, NULL); /* lives until the program ends */
    if (json != NULL)
        model_read(&soak_gpu_table, json, unit, memory, why, sizeof why);
    if (error != NULL)
        unit->error = error;
    unit->failed = unit->failed || child->is_hung;
}

/* Reads SM:OPCODE, "hang" or "error". */
static void read_planted(struct soak_plan *plan)
{
    const char *text = getenv("SIMTCHECK_SOAK_WRONG"), *colon;

    plan->planted_sm = -1;
    if (text == NULL)
        return;
    colon = strchr(text, ':');
    if (colon == NULL) {
        plan->planted_failure = text;
    } else {
        plan->planted_sm = strtol(text, NULL, 10);
        plan->planted_opcode = colon + 1;
    }
}

/* True if the planted fault has an instruction that the plan lacks: nothing would be wrong then. */
static bool misses_planted(const struct soak_plan *plan)
{
    for (size_t m = 0; m < plan->count; m++)
        for (size_t k = 0; k < plan->modules[m].count; k++)
            if (plan->planted_sm >= 0 &&
                strcmp(plan->modules[m].cases[k].opcode, plan->planted_opcode) == 0)
                return false;
    return plan->planted_sm >= 0;
}

static bool write_record(const struct soak_record *record, const char *path)
{
    json_t *json = model_json(&soak_table, record);
    bool good = json != NULL && json_dump_file(json, path, 0) == 0;

    json_decref(json);
    return good;
}

/* Lists the units. Returns false with a reason if there is none. */
static bool list_units(struct work *work)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");

    if (work->simulator != NULL)
        soak_units_add(&work->units, visible != NULL ? visible : "SIM-0");
    else
        soak_units_list(&work->units, work->patience);
    return work->units.count > 0;
}

/* Computes the expected results, and compiles the modules for the first unit. Others of the same
 * compute capability use that code, too. */
static bool prepare(struct work *work, char *reason)
{
    static struct soak_expected expected;
    static struct soak_code code;
    const struct soak_plan *plan = &work->plan;

    work->plan.expected = &expected;
    work->plan.code = &code;
    snprintf(reason, SOAK_REASON, "out of memory");
    if (!soak_code_open(&code, work->simulator == NULL ? work->units.visible[0] : NULL,
                        plan->count) ||
        !soak_expected_compute(plan->modules, plan->count, &expected, &code, work->patience,
                               reason))
        return false;
    if (code.state->reason[0] != '\0')
        fprintf(stderr, "simtcheck: soak: fewer processes compile the kernels: %s\n",
                code.state->reason);
    return true;
}

/* Checks all units at once. */
static void check_all(struct work *work, struct soak_record *record, struct memory *memory)
{
    enum { TO_END = 10 }; /* seconds after an interrupt */
    const struct children units = {
        (size_t)work->units.count, check_unit, count_answers, work, work->patience, TO_END};
    const double start = clock_seconds();

    work->answers = mmap(NULL, SOAK_MAX_UNITS * sizeof *work->answers, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (work->answers == MAP_FAILED) {
        record->error = "out of memory";
        return;
    }
    if (!prepare(work, work->units.reason)) {
        record->error = work->units.reason;
        return;
    }
    record->expected_seconds = clock_seconds() - start;
    children_run(&units, work->children);
    for (int k = 0; k < work->units.count; k++)
        add_unit(work, k, record, memory);
}

/* Reads the environment variables for tests, and lists the cases. */
static bool make_plan(struct work *work)
{
    const char *device = getenv("SIMTCHECK_SOAK_DEVICE"), *steps = getenv("SIMTCHECK_SOAK_STEP"),
               *patience = getenv("SIMTCHECK_SOAK_PATIENCE");
    struct soak_plan *plan = &work->plan;
    size_t step = 1, first = 0;

    work->patience = patience != NULL ? atof(patience) : PATIENCE;
    work->simulator = device != NULL && strncmp(device, "sim", 3) == 0 ? device : NULL;
    plan->least = work->simulator != NULL ? 1 : 3;
    plan->most = 20;
    read_planted(plan);
    if (steps != NULL)
        sscanf(steps, "%zu+%zu", &step, &first);
    plan->is_sample = step != 1 || first != 0;
    plan->modules = soak_modules(first, step, &plan->count);
    if (plan->count == 0)
        return false;
    plan->cases = plan->modules[plan->count - 1].first + plan->modules[plan->count - 1].count;
    return true;
}

int main(int argc, char **argv)
{
    static struct work work;
    static struct memory memory;
    struct soak_record record = {.simtcheck = SIMTCHECK_VERSION, .mode = "", .error = NULL};

    if (argc != 3)
        return 2;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    interrupt_catch();
    work.results = argv[1];
    work.plan.seconds = atof(argv[2]);
    if (!make_plan(&work))
        return 3;
    if (misses_planted(&work.plan))
        record.error = "SIMTCHECK_SOAK_WRONG names no instruction that would run";
    else if (list_units(&work))
        check_all(&work, &record, &memory);
    else
        record.error = work.units.reason;
    return write_record(&record, argv[1]) ? 0 : 3;
}
