/* SPDX-License-Identifier: MIT
 *
 * What the rows of the catalogue are made of: conditions on shapes, for domains; heights of
 * summation trees; and launch shapes. Each is documented where it is defined or used.
 */
#ifndef SIMTCHECK_KERNELS_SHAPES_H
#define SIMTCHECK_KERNELS_SHAPES_H

#include "catalogue.h"

/* Conditions. */
bool blocks_pair_up(const struct variant *variant, const struct shape *shape);
bool block_has_a_tail(const struct variant *variant, const struct shape *shape);
bool block_is_one_warp(const struct variant *variant, const struct shape *shape);
bool block_fits_shared_array(const struct variant *variant, const struct shape *shape);
bool halving_loses_nothing(const struct variant *variant, const struct shape *shape);
bool size_is_power_of_two(const struct variant *variant, const struct shape *shape);
bool matrix_has_elements(const struct variant *variant, const struct shape *shape);
bool rows_fit_grid(const struct variant *variant, const struct shape *shape);
bool size_halves_to_one(const struct variant *variant, const struct shape *shape);
bool size_halves_to_blocks(const struct variant *variant, const struct shape *shape);
bool block_has_a_pair(const struct variant *variant, const struct shape *shape);
bool half_is_one_warp(const struct variant *variant, const struct shape *shape);
bool blocks_are_alone(const struct variant *variant, const struct shape *shape);
bool block_has_an_instance(const struct variant *variant, const struct shape *shape);

/* Heights: variant.height. */
uint32_t height_of_block(const struct variant *variant, const struct shape *shape);
uint32_t height_of_all(const struct variant *variant, const struct shape *shape);

/* Launches: variant.invoke. */
void invoke_unguarded(const struct variant *variant, const struct shape *shape,
                      struct invocation *out);
void invoke_padded(const struct variant *variant, const struct shape *shape,
                   struct invocation *out);
void invoke_shared_total(const struct variant *variant, const struct shape *shape,
                         struct invocation *out);
void invoke_one_thread(const struct variant *variant, const struct shape *shape,
                       struct invocation *out);
void invoke_matrix(const struct variant *variant, const struct shape *shape,
                   struct invocation *out);
void invoke_matrix_total(const struct variant *variant, const struct shape *shape,
                         struct invocation *out);
void invoke_map(const struct variant *variant, const struct shape *shape, struct invocation *out);
void invoke_loop(const struct variant *variant, const struct shape *shape, struct invocation *out);
void invoke_loop_total(const struct variant *variant, const struct shape *shape,
                       struct invocation *out);
void invoke_hello_halves(const struct variant *variant, const struct shape *shape,
                         struct invocation *out);
void invoke_hello_new(const struct variant *variant, const struct shape *shape,
                      struct invocation *out);
void invoke_hello_tree(const struct variant *variant, const struct shape *shape,
                       struct invocation *out);
void invoke_recursive(const struct variant *variant, const struct shape *shape,
                      struct invocation *out);
void invoke_recursive2(const struct variant *variant, const struct shape *shape,
                       struct invocation *out);
void invoke_recursive2_total(const struct variant *variant, const struct shape *shape,
                             struct invocation *out);
void invoke_complete_unroll(const struct variant *variant, const struct shape *shape,
                            struct invocation *out);
void invoke_complete_unroll_total(const struct variant *variant, const struct shape *shape,
                                  struct invocation *out);

#endif
