/* SPDX-License-Identifier: MIT
 *
 * All that a file asks for by this name is there already: kernels/cuda_source.h.
 */
