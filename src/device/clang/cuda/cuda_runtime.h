/* SPDX-License-Identifier: MIT
 *
 * src/device/clang/prelude.h has declared everything of this header, except types for libraries,
 * which only a toolkit has.
 */
#if __has_include(<library_types.h>)
#include <library_types.h>
#endif
