/* SPDX-License-Identifier: MIT
 *
 * src/device/clang/prelude.h has declared everything of this header.
 */
