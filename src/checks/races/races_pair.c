/* SPDX-License-Identifier: MIT
 *
 * A race as text: its two accesses, and the order that is missing.
 */
#include "races_report.h"

#include "identity.h"
#include "launch_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Gives a kernel of a user's launch the name that the launch has for it. */
static void name_as_written(const struct launch_text *launch, struct race_side *side)
{
    for (uint32_t c = 0; c < launch->call_count; c++)
        if (strncmp(side->kernel, launch->calls[c].symbol, sizeof side->kernel - 1) == 0) {
            snprintf(side->kernel, sizeof side->kernel, "%.47s", launch->calls[c].kernel);
            return;
        }
}

static void explain_race(const struct session *session, const struct launch_text *launch,
                         struct race *race)
{
    name_as_written(launch, &race->first);
    name_as_written(launch, &race->second);
    session_explain_race(session, race);
}

/* Describes the races of a case in `races`. */
static enum engine_status describe_case(const struct session *session,
                                        struct supervisor *supervisor, const struct test_case *test,
                                        struct outcome *outcome,
                                        struct race races[MAX_RACES_REPORTED], size_t *count)
{
    const struct launch_text *launch = test->variant->launch;
    enum engine_status status =
        supervisor_race(supervisor, test, outcome, races, MAX_RACES_REPORTED, count);

    for (size_t p = 0; launch != NULL && p < *count; p++)
        explain_race(session, launch, &races[p]);
    return status;
}

static bool is_described(const struct race_row *row, uint64_t identity)
{
    const struct race *pairs = row->record.pairs.items;

    for (size_t p = 0; p < row->record.pairs.count; p++) {
        const struct identity of_pair = identity_of_race(&pairs[p]);
        if (!pairs[p].strong && identity_hash(&of_pair) == identity)
            return true;
    }
    return false;
}

/* Adds a race that the smallest case does not have. */
static enum engine_status add_known(const struct session *session, struct supervisor *supervisor,
                                    struct race_row *row, const struct known_race *known)
{
    struct race races[MAX_RACES_REPORTED];
    struct list *pairs = &row->record.pairs;
    struct outcome outcome;
    size_t count = 0;
    enum engine_status status =
        describe_case(session, supervisor, &known->test, &outcome, races, &count);

    for (size_t p = 0; status == ENGINE_OK && p < count && pairs->count < MAX_RACES_REPORTED; p++) {
        const struct identity identity = identity_of_race(&races[p]);
        if (races[p].strong || identity_hash(&identity) != known->identity)
            continue;
        row->pair_tests[pairs->count] = known->test;
        ((struct race *)pairs->items)[pairs->count++] = races[p];
        break;
    }
    return status;
}

enum engine_status races_describe(const struct session *session, struct supervisor *supervisor,
                                  struct race_row *row, struct outcome *outcome)
{
    struct list *pairs = &row->record.pairs;
    enum engine_status status;

    if (pairs->items == NULL)
        *pairs = list_take(row->memory, MAX_RACES_REPORTED, sizeof(struct race));
    status =
        describe_case(session, supervisor, &row->smallest[0], outcome, pairs->items, &pairs->count);
    for (size_t p = 0; p < pairs->count; p++)
        row->pair_tests[p] = row->smallest[0];
    for (size_t k = 0; status == ENGINE_OK && k < row->race_count; k++)
        if (!is_described(row, row->known_races[k].identity))
            status = add_known(session, supervisor, row, &row->known_races[k]);
    return status;
}

void races_take_cause(const struct session *session, struct race_row *row,
                      const struct failure *failure)
{
    const struct identity identity = identity_of_race(&failure->cause);
    struct list *pairs = &row->record.pairs;
    struct race *race;

    if (pairs->items == NULL)
        pairs->items = list_take(row->memory, MAX_RACES_REPORTED, sizeof *race).items;
    if (is_described(row, identity_hash(&identity)) || pairs->count == MAX_RACES_REPORTED)
        return;
    row->pair_tests[pairs->count] = failure->counterexample.test;
    race = (struct race *)pairs->items + pairs->count++;
    *race = failure->cause;
    explain_race(session, row->variant->launch, race);
    row->record.racing++;
}
