/* SPDX-License-Identifier: MIT
 *
 * What is generated from the tables of commands, verdicts and JSON members. Each function writes to
 * a stream.
 */
#ifndef SIMTCHECK_CLI_PAGES_H
#define SIMTCHECK_CLI_PAGES_H

#include <stdbool.h>
#include <stdio.h>

/* simtcheck(1), for man. */
void write_man(FILE *to);

/* The completion of commands, options and values for bash. */
void write_completion(FILE *to);

/* Sections of docs/reference.md. */
void write_members(FILE *page);

/* The section of docs/capabilities.md. */
void write_capabilities(FILE *page);

/* Rewrites the generated sections of a Markdown file. Each one stands between the lines
 * "<!-- generated: NAME -->" and "<!-- end -->". With `only_compare` the file stays as it is.
 * Returns false after an error message, also if the file differs from what it should be. */
bool rewrite_reference(const char *path, bool only_compare);

#endif
