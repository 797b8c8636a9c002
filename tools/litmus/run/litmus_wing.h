/* SPDX-License-Identifier: MIT
 *
 * Litmus tests in the results of other commands: `compare`, the page of `report`, packages.
 */
#ifndef SIMTCHECK_LITMUS_LITMUS_WING_H
#define SIMTCHECK_LITMUS_LITMUS_WING_H

#include "difference.h"
#include "page.h"
#include "record_litmus.h"

/* Compare a row of two snapshots; judge a row of the new one only. */
void judge_litmus(struct row_pair *pair);
void judge_new_litmus(struct row_pair *pair);

page_writer page_litmus;
/* True if a test had a forbidden outcome, or failed to run. */
page_test page_litmus_is_wrong, page_litmus_has_failed;

#endif
