/* SPDX-License-Identifier: MIT
 *
 * How tests of compilers plug in.
 */
#include "compilers_wing.h"

#include "compilers.h"
#include "difference.h"
#include "kinds.h"
#include "part.h"
#include "record_compilers.h"
#include "snapshot.h"
#include "wing.h"

/* ---- The part of a snapshot ---- */

/* Runs the idioms only. Random programs are the job of `compilers`. */
static int run(const struct snapshot_request *request, const struct engine_list *engines,
               const struct engine_kind *engine, const struct session *session)
{
    const struct compilers_request compilers = {.compilers = request->compilers,
                                                .selection = request->selection};

    (void)engines, (void)engine;
    return compilers_check(&compilers, session);
}

static const struct part_rows rows[] = {
    {"compilers", "compilers", WITHIN(compilers_table, struct compilers_record, stages),
     .table = &stage_table, OF_VERSION(struct stage_record, stage)},
    {"idioms", "compilers", WITHIN(compilers_table, struct compilers_record, families),
     .table = &family_table, .is_wrong = true},
    {"same-code", "compilers", WITHIN(compilers_table, struct compilers_record, same_code),
     .table = &twins_table, OF_VERSION(struct twins_record, ptxas), .is_wrong = true},
    {"unsteady", "compilers", WITHIN(compilers_table, struct compilers_record, unsteady),
     .is_wrong = true},
    {.name = NULL},
};

static const struct field member = {.type = FIELD_POINTER, OF(compilers), NULLABLE};

static const struct part parts[] = {
    {"compilers", &member, PART_WHOLE, run, rows, NULL},
    {.name = NULL},
};

/* ---- Files ---- */

static const struct results_kind kinds[] = {
    {"compilers", &compilers_table, false, 0, NULL, NULL, merge_compilers},
    {.name = NULL},
};

/* ---- The wing ---- */

extern const struct command compilers_command, bisect_command;
static const struct command *const commands[] = {&compilers_command, &bisect_command, NULL};

const struct wing compilers_wing = {
    .commands = commands, .parts = parts, .kinds = kinds, .sections = compilers_sections};
