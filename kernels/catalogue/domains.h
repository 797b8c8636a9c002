/* SPDX-License-Identifier: MIT
 *
 * The domains of the original variants. The definition of each condition says why it is needed.
 */
#ifndef SIMTCHECK_CATALOGUE_DOMAINS_H
#define SIMTCHECK_CATALOGUE_DOMAINS_H

#include <simtcheck/simtcheck.h>

extern const struct domain whole_blocks, whole_segments, paired_blocks, whole_segments_with_tail,
    whole_blocks_with_tail, whole_segments_with_instance, whole_segments_in_a_warp, padded_blocks,
    padded_halves, powers_of_two, matrices, whole_grids, some_elements, some_ways, halved_sizes,
    limited_sizes, some_blocks, paired_segments, segments_of_a_warp, lone_segment_of_a_warp;

/* Returns true if reduceCompleteUnroll has an instance for exactly that block. */
bool block_has_an_instance(const struct variant *variant, const struct shape *shape);

#endif
