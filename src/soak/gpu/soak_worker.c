/* SPDX-License-Identifier: MIT
 *
 *     simtcheck-worker-soak RESULTS SECONDS
 *
 * Checks each SM of all GPUs, and writes the results to a file as JSON (record_soak.h). Begins
 * rounds for that many seconds; 0: as few rounds as possible. The exit status is 0 if the file is
 * written.
 *
 * Environment variables for tests: SIMTCHECK_SOAK_DEVICE=sim checks the simulator in place of a
 * GPU, SIMTCHECK_SOAK_STEP=N leaves out all but every N-th instruction, and
 * SIMTCHECK_SOAK_WRONG=SM:OPCODE makes a result of an instruction wrong on an SM.
 */
#include "parallel.h"
#include "soak_rounds.h"

#include <stdlib.h>
#include <string.h>

/* A GPU and its results. */
struct unit {
    int index;
    struct soak_gpu_record record;
    struct memory memory;
};

struct work {
    struct soak_plan plan;
    struct unit *units;
    bool is_simulator;
};

static void check_unit(void *context, size_t k)
{
    struct work *work = context;
    struct unit *unit = &work->units[k];
    struct soak_gpu_record *record = &unit->record;
    struct soak_device device = {.context = NULL};
    char reason[SOAK_REASON] = "";
    bool good = work->is_simulator ? soak_simulator_open(&device, reason)
                                   : soak_gpu_open(unit->index, &device, reason);

    record->index = (uint64_t)unit->index;
    record->name = memory_copy(&unit->memory, device.facts.name);
    record->uuid = memory_copy(&unit->memory, device.facts.uuid);
    record->capability =
        memory_text(&unit->memory, "%u.%u", device.facts.major, device.facts.minor);
    record->driver = memory_text(&unit->memory, "%u.%u", device.facts.driver / 1000,
                                 device.facts.driver % 1000 / 10);
    if (good)
        soak_rounds(&work->plan, &device, record, &unit->memory);
    else
        record->error = memory_copy(&unit->memory, reason);
}

/* Reads SM:OPCODE. */
static void read_planted(struct soak_plan *plan)
{
    const char *text = getenv("SIMTCHECK_SOAK_WRONG");
    char *end;

    plan->planted_sm = -1;
    if (text == NULL)
        return;
    plan->planted_sm = strtol(text, &end, 10);
    plan->planted_opcode = *end == ':' ? end + 1 : "";
}

static bool write_record(const struct soak_record *record, const char *path)
{
    json_t *json = model_json(&soak_table, record);
    bool good = json != NULL && json_dump_file(json, path, 0) == 0;

    json_decref(json);
    return good;
}

/* Checks all GPUs at once, each on a thread of its own. */
static void check_all(struct work *work, int count, struct soak_record *record,
                      struct memory *memory, char *reason)
{
    work->units = calloc((size_t)count, sizeof *work->units);
    if (work->units == NULL || !soak_expected_finish(reason)) {
        record->error = reason;
        return;
    }
    for (int k = 0; k < count; k++)
        work->units[k].index = k;
    parallel_for_on((size_t)count, (size_t)count, check_unit, work);
    for (int k = 0; k < count; k++)
        LIST_ADD(memory, &record->gpus, struct soak_gpu_record) = work->units[k].record;
}

int main(int argc, char **argv)
{
    const char *step = getenv("SIMTCHECK_SOAK_STEP"), *device = getenv("SIMTCHECK_SOAK_DEVICE");
    static struct work work;
    static struct soak_expected expected;
    static struct memory memory;
    struct soak_plan *plan = &work.plan;
    struct soak_record record = {.simtcheck = SIMTCHECK_VERSION, .mode = "", .error = NULL};
    char reason[SOAK_REASON] = "";
    int count;

    if (argc != 3)
        return 2;
    work.is_simulator = device != NULL && strcmp(device, "sim") == 0;
    *plan = (struct soak_plan){.seconds = atof(argv[2]),
                               .least = work.is_simulator ? 1 : 3,
                               .most = 20,
                               .expected = &expected};
    read_planted(plan);
    plan->modules = soak_modules(step != NULL ? strtoul(step, NULL, 10) : 1, &plan->count);
    if (plan->count == 0)
        return 3;
    plan->cases = plan->modules[plan->count - 1].first + plan->modules[plan->count - 1].count;
    count = work.is_simulator ? 1 : soak_gpu_count(reason);
    if (count == 0 || !soak_expected_start(plan->modules, plan->count, &expected, reason))
        record.error = reason;
    else
        check_all(&work, count, &record, &memory, reason);
    return write_record(&record, argv[1]) ? 0 : 3;
}
