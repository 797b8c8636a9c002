/* SPDX-License-Identifier: MIT
 *
 * HTML, written to a stream. Its contents come from untrusted files, so only formats contain
 * markup. Every "%s" is escaped here and nowhere else.
 */
#ifndef SIMTCHECK_PAGE_HTML_H
#define SIMTCHECK_PAGE_HTML_H

#include <stdio.h>

/* Writes a format of markup with texts and numbers. The directives are %s, %d, %zu, %lld, %.Nf and
 * %%. A text may be between tags or within quotes. Invalid UTF-8 and control characters become
 * U+FFFD, including those that change the direction of text. */
void html(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
