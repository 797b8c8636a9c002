/* SPDX-License-Identifier: MIT
 *
 * HTML, written to a stream. What it is made of comes from files that anybody may have written, so
 * that markup stands in formats alone: whatever a "%s" stands for is escaped, here and nowhere
 * else.
 */
#ifndef SIMTCHECK_COMMANDS_HTML_H
#define SIMTCHECK_COMMANDS_HTML_H

#include <stdio.h>

/* Writes a format of markup with texts and numbers in it, by %s, %d, %zu, %lld, %.Nf and %%; no
 * others. A text may stand between tags or within quotes. Bytes that are no UTF-8, and control
 * characters, those that turn the direction of text included, become U+FFFD. */
void html(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
