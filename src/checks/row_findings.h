/* SPDX-License-Identifier: MIT
 *
 * The rows of the checks as findings (findings.h).
 */
#ifndef SIMTCHECK_CHECKS_ROW_FINDINGS_H
#define SIMTCHECK_CHECKS_ROW_FINDINGS_H

#include "checks.h"
#include "failures.h"
#include "races_report.h"
#include "report.h"

/* Take all rows. They do nothing without a launch. */
void run_take_findings(const struct session *session, const struct report *report);
void races_take_findings(const struct session *session, const struct race_row *rows, size_t count,
                         const struct allowances *allow);

/* Says under which two orders an element has which values. */
void order_text(const struct outcome *outcome, const struct test_case *one,
                const struct test_case *other, char *text, size_t size);

/* Takes a case that was run again: a list of struct failure. */
void replay_take_finding(const struct session *session, const struct list *failures,
                         const struct test_case *first, const struct engine_kind *engine);

/* Returns a check without results. */
struct check_record check_of(const struct session *session, enum check_kind kind,
                             const struct variant *variant, const struct engine_kind *engine);

/* Adds a finding with that case, which is null for none. Returns it, until the next one is added.
 */
struct evidence_record *check_add_finding(const struct session *session, struct check_record *check,
                                          const char *rule, const char *message,
                                          const struct test_case *test,
                                          const struct engine_kind *engine);

/* Adds a text to what may explain the evidence. */
void evidence_note(const struct session *session, struct evidence_record *evidence,
                   const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Notes why two runs may differ: an __activemask() or an atomic operation that one of them
 * executed. */
void evidence_note_unordered(const struct session *session, struct evidence_record *evidence,
                             const struct outcome *one, const struct outcome *other);

/* Gives a finding the command that compares its case with the case `first`. */
void finding_compare(const struct session *session, struct evidence_record *finding,
                     const struct test_case *first, const struct engine_kind *engine);

/* Adds a finding for a case that fails with that outcome. Returns it, as check_add_finding(). */
struct evidence_record *check_add_outcome(const struct session *session, struct check_record *check,
                                          const struct counterexample *counterexample,
                                          const struct engine_kind *engine);

/* Says that the race explains the evidence. */
void check_add_cause(const struct session *session, struct evidence_record *evidence,
                     const struct race *race);

/* Says that the evidence is a result that depends on the order, with the difference of the outcome.
 */
void check_add_order(const struct session *session, struct evidence_record *evidence,
                     const struct outcome *outcome);

/* Marks a check that fails as one with this known deviation. Null: does nothing. */
void check_take_known(const struct session *session, struct check_record *check,
                      const struct known_deviation *known);

#endif
