/* SPDX-License-Identifier: MIT
 *
 * The state of the race check, and what the outcome of a case adds to a row.
 */
#ifndef SIMTCHECK_CHECKS_RACES_ROW_H
#define SIMTCHECK_CHECKS_RACES_ROW_H

#include "checks.h"
#include "races_report.h"

struct races {
    const struct rows_request *request;
    const struct session *session;
    const struct engine_kind *engine;
    struct supervisor *supervisor;
    struct race_row *rows;
    size_t row_count, judged, not_as_declared, bounded;
    size_t all_rows;        /* the number of rows that the check is to have */
    uint64_t planned;       /* rows so far, over all shards */
    uint64_t failures_left; /* remaining cases that may race unexpectedly or end in a fault */
    enum engine_status status;
};

/* Returns whether the row fails, whatever else is found. */
bool race_row_has_failed(const struct race_row *row);

/* Keeps the test among the smallest ones. Each shape is kept once. */
void race_row_keep(struct race_row *row, const struct test_case *test);

/* Counts a case that races or has unordered strong accesses. The row keeps the most significant
 * cases: unexpected races before other races, and races before unordered accesses. */
void race_row_take(struct race_row *row, const struct test_case *test,
                   const struct outcome *outcome, uint64_t allowed);

/* Returns whether results are compared with those of another schedule, bit for bit. This is so for
 * a launch line without an oracle. */
bool races_compare_digests(const struct variant *variant);

/* Compares the result with that of the first schedule with the same shape and values. Keeps the
 * first difference. With a tolerance, results differ if one of them is right. */
void race_row_compare(struct race_row *row, const struct test_case *test,
                      const struct outcome *outcome);

/* Counts a case that ends in a fault. The row keeps the first one. */
void race_row_take_fault(struct race_row *row, const struct test_case *test,
                         const struct outcome *outcome);

#endif
