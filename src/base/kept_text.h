/* SPDX-License-Identifier: MIT
 *
 * Texts of any length that structures without an owner name, such as the symbols of kernels.
 */
#ifndef SIMTCHECK_BASE_KEPT_TEXT_H
#define SIMTCHECK_BASE_KEPT_TEXT_H

#include <stddef.h>

/* Returns the process's only copy of the first `length` characters, which is never freed. */
const char *kept_text(const char *text, size_t length);

#endif
