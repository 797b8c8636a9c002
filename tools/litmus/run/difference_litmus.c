/* SPDX-License-Identifier: MIT
 *
 * What makes the results of litmus tests better or worse, and what is news.
 */
#include "litmus_wing.h"
#include "record_litmus.h"

#include <inttypes.h>
#include <string.h>

/* ---- Chance ---- */

/* Returns whether chance does not explain that an outcome occurred in `seen` of `launches` launches
 * of one file, and in none of the `others` launches of the other file.
 *
 * The instances of a launch are not independent: they share the places of variables and blocks. So
 * the rule counts launches, whose choices are drawn one by one. It is Fisher's exact test (R. A.
 * Fisher, Statistical Methods for Research Workers, 1934, section 21.02). If all launches are
 * alike, the probability that those with the outcome are all in one file is
 *
 *     C(launches, seen) / C(launches + others, seen)
 *
 * A snapshot has some 200 weak outcomes, so a limit of 1e-4 makes up news in at most 2 % of the
 * comparisons. */
static bool is_no_chance(uint64_t seen, uint64_t launches, uint64_t others)
{
    enum { MOST = 1 << 20 }; /* launches that `litmus` allows; a malformed snapshot may have more */
    const double limit = 1e-4;
    double probability = 1;

    for (uint64_t k = 0; k < seen && k < launches && k < MOST && probability > limit; k++)
        probability *= (double)(launches - k) / (double)(launches + others - k);
    return probability <= limit;
}

/* ---- Rows ---- */

/* Returns the outcome of that text in a row, or null. */
static const struct litmus_outcome_record *outcome_in(const struct litmus_row *row,
                                                      const char *outcome)
{
    const struct litmus_outcome_record *outcomes = row->outcomes.items;

    for (size_t k = 0; k < row->outcomes.count; k++)
        if (strcmp(outcomes[k].outcome, outcome) == 0)
            return &outcomes[k];
    return NULL;
}

/* Notes a forbidden outcome of the new row. It is a regression even if the old row has it too,
 * unless it is a known deviation. */
static void note_forbidden(struct row_pair *pair, const struct litmus_row *before,
                           const struct litmus_row *after,
                           const struct litmus_outcome_record *outcome)
{
    const struct litmus_outcome_record *old = outcome_in(before, outcome->outcome);
    const struct known_deviation *known = outcome->known_deviation;

    if (known != NULL) {
        if (old == NULL || old->known_deviation == NULL)
            pair_note(pair, CHANGE_CHANGED, "forbidden outcome %s, a known deviation: %s",
                      outcome->outcome, known->link);
        return;
    }
    pair_note(pair, CHANGE_REGRESSION,
              "forbidden outcome %s in %" PRIu64 " of %" PRIu64 " instances, before in %" PRIu64
              " of %" PRIu64 "; scopes: %s; %s",
              outcome->outcome, outcome->count, after->instances, old != NULL ? old->count : 0,
              before->instances, after->scopes, after->threads);
}

/* Notes a weak outcome that only the new row has. */
static void note_first(struct row_pair *pair, const struct litmus_row *before,
                       const struct litmus_row *after, const struct litmus_outcome_record *outcome)
{
    if (outcome_in(before, outcome->outcome) == NULL &&
        is_no_chance(outcome->launches, after->launches, before->launches))
        pair_note(pair, CHANGE_CHANGED,
                  "weak outcome %s seen for the first time: in 0 of %" PRIu64
                  " launches before, in %" PRIu64 " of %" PRIu64 " now",
                  outcome->outcome, before->launches, outcome->launches, after->launches);
}

/* Notes an outcome that is not sequential and that only the old row has. */
static void note_gone(struct row_pair *pair, const struct litmus_row *before,
                      const struct litmus_row *after, const struct litmus_outcome_record *outcome)
{
    const bool is_weak = outcome->class == LITMUS_WEAK;
    const bool is_news = is_no_chance(outcome->launches, before->launches, after->launches);

    if (outcome->class == LITMUS_SEQUENTIAL || outcome_in(after, outcome->outcome) != NULL ||
        (is_weak && !is_news))
        return;
    pair_note(pair, is_weak || !is_news ? CHANGE_CHANGED : CHANGE_FIX,
              "%s outcome %s never seen any more%s: in %" PRIu64 " of %" PRIu64
              " launches before, in 0 of %" PRIu64 " now",
              is_weak ? "weak" : "forbidden", outcome->outcome,
              is_news ? "" : ", which may be chance", outcome->launches, before->launches,
              after->launches);
}

static void judge_rows(struct row_pair *pair, const struct litmus_row *before,
                       const struct litmus_row *after)
{
    const struct litmus_outcome_record *old = before->outcomes.items, *new = after->outcomes.items;

    for (size_t k = 0; k < after->outcomes.count; k++) {
        if (new[k].class == LITMUS_FORBIDDEN)
            note_forbidden(pair, before, after, &new[k]);
        else if (new[k].class == LITMUS_WEAK)
            note_first(pair, before, after, &new[k]);
    }
    for (size_t k = 0; k < before->outcomes.count && after->instances > 0; k++)
        note_gone(pair, before, after, &old[k]);
}

/* Compares a row of two snapshots. */
static void judge_litmus(struct row_pair *pair)
{
    struct litmus_row before, after;

    model_read(&litmus_row_table, pair->old_row, &before, pair->memory, NULL, 0);
    model_read(&litmus_row_table, pair->new_row, &after, pair->memory, NULL, 0);
    if (before.instances > 0 && after.instances == 0)
        pair_note(pair, CHANGE_MISSING, "did not run: %s",
                  after.skipped != NULL ? after.skipped
                  : after.error != NULL ? after.error
                                        : "no reason is known");
    if (before.instances == 0 && after.instances > 0)
        pair_note(pair, CHANGE_NEW, "runs now");
    judge_rows(pair, &before, &after);
}

/* Judges a row of the new snapshot only. */
static void judge_new_litmus(struct row_pair *pair)
{
    const struct litmus_row before = {.launches = 0};
    struct litmus_row after;

    model_read(&litmus_row_table, pair->new_row, &after, pair->memory, NULL, 0);
    judge_rows(pair, &before, &after);
}

const struct part_rows litmus_rows[] = {
    {"litmus", "litmus", WITHIN(litmus_table, struct litmus_record, rows),
     .table = &litmus_row_table, .judge = judge_litmus, .judge_new = judge_new_litmus},
    {.name = NULL},
};
