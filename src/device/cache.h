/* SPDX-License-Identifier: MIT
 *
 * Keeps what compilers made, by content: the compiler, its arguments, the source and every file
 * that it included. The files lie in the folder "simtcheck" of XDG_CACHE_HOME, or of ~/.cache.
 * A result has a list of the files that were included, with digests, like a manifest of ccache's
 * direct mode. As there, a header that newly appears earlier on the include path is not noticed.
 * A compilation with an input that is not known for sure is not kept.
 * SIMTCHECK_CACHE_MIB limits their size in MiB; 0 keeps nothing. A cache that cannot be used is no
 * error: the compiler then runs.
 */
#ifndef SIMTCHECK_DEVICE_CACHE_H
#define SIMTCHECK_DEVICE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Runs the compiler arguments[0] with those arguments, unless its result is kept. The arguments end
 * with null. They include `source` and `result`, which are absolute paths in folders of their own.
 * The compiler must understand "-MD -MF FILE". `said` gets its output; it is empty if the result
 * was kept. Returns whether `result` exists. */
bool cache_compile(const char *const *arguments, const char *source, const char *result, char *said,
                   size_t said_size);

#endif
