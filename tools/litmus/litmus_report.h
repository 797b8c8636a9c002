/* SPDX-License-Identifier: MIT
 *
 * What the model says about a test, as text.
 */
#ifndef SIMTCHECK_LITMUS_REPORT_H
#define SIMTCHECK_LITMUS_REPORT_H

#include "litmus_model.h"

/* The tests that come with simtcheck: the files of the folder tests. */
extern const char litmus_collection[];

void litmus_print_title(void);

/* Prints a row of the test; `with_outcomes`: and a row for each outcome. Returns false if the file
 * has another verdict than the model. */
bool litmus_print(const struct litmus_test *test, const struct litmus_outcomes *outcomes,
                  bool with_outcomes);

/* Writes where the threads run, as "P0: block 0 of cluster 0, warp 0; P1: ...". */
void litmus_places_text(const struct litmus_test *test, char *text, size_t size);

/* Writes the scopes of the instructions, as "cta, gpu"; "none" if all are weak. */
void litmus_scopes_text(const struct litmus_test *test, char *text, size_t size);

/* Writes the outcome, as "P0:r0=1 x=2". */
void litmus_outcome_text(const struct litmus_test *test, const int *values, char *text,
                         size_t size);

#endif
