/* SPDX-License-Identifier: MIT
 *
 * What a run shows and writes.
 */
#ifndef SIMTCHECK_COMMANDS_REPORT_H
#define SIMTCHECK_COMMANDS_REPORT_H

#include "json_model.h"
#include "verdict.h"

struct report {
    uint64_t seed, level; /* as the user gave them */
    struct row *rows;
    size_t row_count;
    uint64_t cases, mismatches;
    uint64_t lost; /* workers, of which others ran the cases again */
    double seconds;
    bool is_shard;
    bool complete; /* false while the run goes on, or when it was stopped */
};

/* The domain in words: its conditions joined by ", "; "every n, every B" for a corrected variant.
 */
void report_domain(const struct variant *variant, char *text, size_t size);

/* The known defect of a variant that has one, in words. */
void report_known_defect(const struct variant *variant, char *text, size_t size);

/* The table: its head, then each row as it is done; at the end what stands behind the verdicts and
 * a closing line. */
void report_head(void);
void report_row(const struct row *row);
/* False when what was shown could not be written. */
bool report_end(const struct report *report);

/* A case and its outcome in a line that starts with `lead`, and how it is run again. */
void report_case(const char *lead, const struct counterexample *counterexample,
                 const struct engine_kind *engine);

/* What a replayed case gave. */
void report_replay(const struct counterexample *counterexample, const struct engine_kind *engine);

/* Shows how far a row is, on a terminal only; done with `finished`. */
void report_progress(const struct row *row, uint64_t count, bool finished);

/* The case ID of a case, in that memory; null if there is no case. */
const char *report_token(struct memory *memory, const struct test_case *test,
                         const struct engine_kind *engine);

/* The rows so far, as --json writes them. The caller's. */
json_t *report_json(const struct report *report);

#endif
