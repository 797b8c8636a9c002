/* SPDX-License-Identifier: MIT
 *
 * All that a file asks for by this name is there already: cooperative_groups.h.
 */
#include <cooperative_groups.h>
