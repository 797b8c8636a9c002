/* SPDX-License-Identifier: MIT
 *
 * All that a file asks for by this name is there already: src/device/dialect/cuda_source.h.
 */
