/* SPDX-License-Identifier: MIT
 *
 * The same kernels as in replayed.cu, with another scale().
 */
#define SHIFT 0.5f
#include "replayed.cu"
