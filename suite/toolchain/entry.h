/* SPDX-License-Identifier: MIT
 *
 * What a kernel in PTX takes.
 */
#ifndef SIMTCHECK_TOOLCHAIN_ENTRY_H
#define SIMTCHECK_TOOLCHAIN_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_PARAMETERS = 128 };

struct entry {
    char symbol[512]; /* its name in the PTX */
    size_t parameter_count;
    struct {
        uint64_t bytes;
        bool is_float;
    } parameters[MOST_PARAMETERS];
};

/* Of the kernel whose address the variable simt_entry_<name> has. False, with a sentence. */
bool entry_read(const char *ptx, const char *name, struct entry *entry, char *error,
                size_t error_size);

#endif
