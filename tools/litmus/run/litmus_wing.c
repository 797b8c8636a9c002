/* SPDX-License-Identifier: MIT
 *
 * How litmus tests plug in.
 */
#include "litmus_wing.h"

#include "difference.h"
#include "error_report.h"
#include "exit_status.h"
#include "interrupt.h"
#include "kinds.h"
#include "litmus_run.h"
#include "package_parts.h"
#include "part.h"
#include "record_litmus.h"
#include "snapshot.h"
#include "wing.h"

/* Launches of each test. On an H100, all tests take 20 to 30 s. With fewer launches, compare can
 * tell hardly any change from chance (is_no_chance() in difference_litmus.c). */
enum { LAUNCHES = 16 };

/* ---- The part of a snapshot ---- */

static int run(const struct snapshot_request *request, const struct engine_list *engines,
               const struct engine_kind *engine, const struct session *session)
{
    int status = litmus_run_built_in(&request->compilers.ptxas, LAUNCHES, session);

    (void)engines, (void)engine;
    /* The file says which tests did not run. */
    return status == EXIT_ENVIRONMENT && !interrupt_came() ? EXIT_DIFFERS : status;
}

/* ---- Packages ---- */

static void take_litmus_row(struct judging *judging, const char *name, const struct litmus_row *row)
{
    const struct litmus_outcome_record *outcomes = row->outcomes.items;

    if (row->error != NULL)
        judging_lack(judging, "%s: litmus %s, %s: %s", name, row->test, row->compiler, row->error);
    for (size_t k = 0; k < row->outcomes.count; k++)
        if (outcomes[k].class == LITMUS_FORBIDDEN)
            judging_fail(judging, outcomes[k].known_deviation,
                         "%s: litmus %s, %s: forbidden outcome %s", name, row->test, row->compiler,
                         outcomes[k].outcome);
}

static void take_litmus(struct judging *judging, const char *name,
                        const struct litmus_record *litmus)
{
    const struct litmus_row *rows = litmus->rows.items;
    size_t ran = 0;

    for (size_t r = 0; r < litmus->rows.count; r++) {
        ran += rows[r].instances > 0;
        take_litmus_row(judging, name, &rows[r]);
    }
    if (litmus->skipped != NULL)
        judging_lack(judging, "%s: the litmus tests did not run: %s", name, litmus->skipped);
    else if (!litmus->complete)
        judging_lack(judging, "%s: the litmus tests stopped early", name);
    else if (ran == 0)
        judging_lack(judging, "%s: no litmus test ran", name);
}

static void judge(struct judging *judging, const char *name, const void *record)
{
    take_litmus(judging, name, record);
}

static void judge_part(struct judging *judging, const char *name,
                       const struct snapshot_record *snapshot)
{
    const struct litmus_record *litmus = snapshot_part(snapshot, "litmus");

    if (litmus != NULL && (litmus->skipped == NULL || snapshot->environment.gpus.count > 0))
        take_litmus(judging, name, litmus);
}

/* Older snapshots lack it. */
static const struct field member = {.type = FIELD_POINTER, OF(litmus), OPTIONAL};

static const struct part parts[] = {
    {"litmus", &member, PART_GPU, run, litmus_rows, judge_part},
    {.name = NULL},
};

/* ---- Files ---- */

/* Returns a snapshot with the results of `litmus --json` as its only part. */
static json_t *as_snapshot(const json_t *document, char *why, size_t size)
{
    const struct field *mark = MEMBER_OF(snapshot_table, struct snapshot_record, version);
    struct litmus_record record;
    struct memory memory = {NULL};
    json_t *snapshot = NULL;

    if (model_read(&litmus_table, document, &record, &memory, why, size)) {
        if (record.rows.count > 0) {
            snapshot = json_object();
            for (size_t k = 0; k < snapshot_table.count; k++) /* complete, environment, options */
                json_object_set(snapshot, snapshot_table.fields[k].name,
                                model_member(&snapshot_table.fields[k], document));
            json_object_set_new(snapshot, mark->name, json_integer(SNAPSHOT_VERSION));
            json_object_set(snapshot, parts->name, (json_t *)(uintptr_t)document);
        } else
            error_write(why, size, "no litmus test ran: %s",
                        record.skipped != NULL ? record.skipped : "the run stopped early");
    }
    memory_free(&memory);
    return snapshot;
}

static const struct results_kind kinds[] = {
    {"litmus", &litmus_table, false, offsetof(struct litmus_record, environment.build), judge,
     as_snapshot, NULL},
    {.name = NULL},
};

/* ---- The wing ---- */

extern const struct command litmus_command;
static const struct command *const commands[] = {&litmus_command, NULL};

const struct wing litmus_wing = {
    .commands = commands, .parts = parts, .kinds = kinds, .sections = litmus_sections};
