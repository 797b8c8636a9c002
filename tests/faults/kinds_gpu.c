/* SPDX-License-Identifier: MIT
 *
 * GPUs that are not there, are full, or have been lost.
 */
#include "faults.h"

const struct kind gpu_kinds[] = {{.name = 0}};
