/* SPDX-License-Identifier: MIT
 *
 * The kernels of worklists.cu, each with a bug.
 */
#define PLANTED
#include "worklists.cu"
