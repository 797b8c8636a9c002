/* SPDX-License-Identifier: MIT
 *
 * The report of a run, as text and as JSON.
 */
#ifndef SIMTCHECK_CHECKS_REPORT_H
#define SIMTCHECK_CHECKS_REPORT_H

#include "json_model.h"
#include "record_run.h"
#include "verdict.h"

struct report {
    uint64_t seed, level; /* as the user gave them */
    struct row *rows;
    size_t row_count;
    uint64_t cases, mismatches;
    uint64_t known; /* further failed cases, in rows with a known deviation */
    uint64_t lost;  /* lost workers; other workers ran their cases again */
    double seconds;
    struct memory memory; /* of the rows */
    bool is_shard;
    bool complete; /* false while the run continues, or if it was stopped */
};

/* Writes the domain in words: its conditions joined by ", ". For a corrected variant it is "every
 * n, every B". */
void report_domain(const struct variant *variant, char *text, size_t size);

/* Returns the variant's name for a column of a table. It is "-" for a kernel of a launch, which has
 * only one variant. */
const char *report_variant(const struct variant *variant);

/* Writes the kernel and its variant for a heading, such as "reduceNeighbored original". A kernel of
 * a launch has its name only. Returns the text. */
enum { KERNEL_TEXT = 272 };
/* Returns the kernel's name for tables: of a launch, as the launch has it. */
const char *report_name(const struct variant *variant);
const char *report_kernel(const struct variant *variant, char text[KERNEL_TEXT]);

/* Returns the ending of a regular noun for that many: "" for one, else "s". */
const char *report_plural(uint64_t count);

/* Reports that an interrupt left rows without a verdict. `rows` is how many have one. */
void report_interrupted(size_t rows);

/* Writes the known defect of a variant in words, if it has one. */
void report_known_defect(const struct variant *variant, char *text, size_t size);

/* Writes what fails at CUDA's default limits of nested launches. Returns false if nothing does. */
bool report_limits(const struct variant *variant, enum profile profile, char *text, size_t size);

/* Print the table: the head, then each row when it is finished. At the end they print the evidence
 * for the verdicts and a closing line. */
void report_head(const struct session *session);
void report_row(const struct session *session, const struct row *row);
/* Returns false if the output could not be written. */
bool report_end(const struct report *report, const struct session *session);

/* Prints a case and its outcome on a line that starts with `lead`, and its case ID. */
void report_case(const struct session *session, const char *lead,
                 const struct counterexample *counterexample, const struct engine_kind *engine);

/* Returns the case ID of a case, allocated in `memory`, or null if there is no case. */
const char *report_case_id(struct memory *memory, const struct test_case *test,
                           const struct engine_kind *engine);

/* Return records in `memory` of a case and its outcome, and of what all cases reached. */
struct counterexample_record *report_counterexample(struct memory *memory,
                                                    const struct counterexample *counterexample,
                                                    const struct engine_kind *engine);
struct reached_record *report_reached(struct memory *memory, const struct coverage *coverage);

/* Returns the points of coverage as texts in `memory`. */
struct list report_points(struct memory *memory, const struct coverage *coverage);

/* Returns the rows so far, as --json writes them. The caller owns the result. */
json_t *report_json(const struct report *report);

#endif
