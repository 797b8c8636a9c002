/* SPDX-License-Identifier: MIT
 *
 * Versions, such as 580.65.06, and ranges of them, such as 580.65-580.95.
 */
#ifndef SIMTCHECK_EXPECTATIONS_VERSION_RANGE_H
#define SIMTCHECK_EXPECTATIONS_VERSION_RANGE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the text is a version, or a range whose ends are in order. */
bool version_range_is_valid(const char *range);

/* Returns whether the version is in the range. An end stands for all versions that begin with it:
 * 580.65.06 is in 580.65. A version with fewer numbers than an end is not. */
bool version_is_in_range(const char *range, const char *version);

/* Copies the name of a compiler, as in "ptxas -O3 13.0". Returns the versions after it, or null if
 * there are none. */
const char *compiler_versions(const char *compiler, char *name, size_t size);

#endif
