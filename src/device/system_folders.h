/* SPDX-License-Identifier: MIT
 *
 * The folders in which a compiler looks for headers by itself: those of the system, the compiler
 * and the toolkit. All other headers are the user's.
 */
#ifndef SIMTCHECK_DEVICE_SYSTEM_FOLDERS_H
#define SIMTCHECK_DEVICE_SYSTEM_FOLDERS_H

/* Asks the compiler arguments[0] for them, and adds them to its PTX (MODULE_SYSTEM_FOLDERS). The
 * arguments are those of the compilation of `source`, and end with null. The PTX stays unchanged if
 * the compiler does not tell. */
void system_folders_add(const char *const *arguments, const char *source, const char *ptx);

#endif
