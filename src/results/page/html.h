/* SPDX-License-Identifier: MIT
 *
 * Texts in HTML. They come from untrusted files: each is written by html_text(), directly or by
 * page_fill().
 */
#ifndef SIMTCHECK_PAGE_HTML_H
#define SIMTCHECK_PAGE_HTML_H

#include <stdio.h>

/* Writes a text that is between tags or within quotes. Invalid UTF-8 and control characters become
 * U+FFFD, including those that change the direction of text. */
void html_text(FILE *to, const char *text);

#endif
