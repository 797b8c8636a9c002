/* SPDX-License-Identifier: MIT
 *
 * Counts the figures of the textbooks that a test program asserts, and compares the counts with
 * docs/results/figures.md.
 */
#ifndef SIMTCHECK_TESTS_FIGURES_H
#define SIMTCHECK_TESTS_FIGURES_H

#include <stddef.h>

/* Counts `values` more figures of a source and place, which the caller has asserted. A source such
 * as "worked out: book" does not print the figure: it follows from the text. The strings must
 * outlive the program. */
void figures_asserted(const char *source, const char *place, size_t values);

/* Prints how many figures the program asserted. Fails unless the page has one row per source and
 * place, with that count and the name of this test. */
void figures_match_the_page(const char *test);

#endif
