/* SPDX-License-Identifier: MIT
 *
 * The options of all commands, a row each.
 */
#ifndef SIMTCHECK_COMMANDS_OPTION_ROWS_H
#define SIMTCHECK_COMMANDS_OPTION_ROWS_H

#include "options.h"

/* A row of the table of options. A whole number from `least` to `most` goes to the member of struct
 * options at `member`; anything else is for `parse`. */
struct option_row {
    const char *name;
    const char *metavariable; /* null: takes no value */
    bool (*parse)(struct options *options, const struct option_row *row, const char *word);
    size_t member;
    uint64_t least, most;
    const char *commands; /* their names, separated by spaces */
    const char *help;     /* lines; null: stands with the next option; "": with its command */
};

/* Rows without a name are headings of --help. */
extern const struct option_row option_rows[];

/* How many there are. */
enum { OPTION_ROWS = 45 };

/* May it be given more than once? */
bool option_is_repeatable(const struct option_row *row);

/* Finds an engine by its name, or complains, in the name of that option. */
bool option_find_engine(const char *option, const char *word, const struct engine_kind **kind);

#endif
