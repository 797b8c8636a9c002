/* SPDX-License-Identifier: MIT
 *
 * What is generated from the tables of commands, verdicts, JSON members and instructions.
 */
#ifndef SIMTCHECK_CLI_PAGES_H
#define SIMTCHECK_CLI_PAGES_H

#include <stdio.h>

/* A section of a Markdown file, between the lines "<!-- generated: NAME -->" and "<!-- end -->". */
struct section {
    const char *name;
    void (*write)(FILE *page);
};

/* Ends with one without a name. */
extern const struct section sections[];

#endif
