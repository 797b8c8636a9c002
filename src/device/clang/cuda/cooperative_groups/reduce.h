/* SPDX-License-Identifier: MIT
 *
 * cooperative_groups.h has everything of this header.
 */
#include <cooperative_groups.h>
