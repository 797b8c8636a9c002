/* SPDX-License-Identifier: MIT
 *
 * The launches of the catalogue's kernels: from a shape to grid, block, buffers and arguments. It
 * also has the number of additions on an element's path. catalogue.h has the functions that users'
 * rows share. Each function is documented at its definition.
 */
#ifndef SIMTCHECK_CATALOGUE_INVOCATIONS_H
#define SIMTCHECK_CATALOGUE_INVOCATIONS_H

#include <simtcheck/simtcheck.h>

/* Heights: variant.height. */
uint32_t height_of_block(const struct variant *variant, const struct shape *shape);
uint32_t height_of_all(const struct variant *variant, const struct shape *shape);

/* Costs, from costs.c: variant.cost. */
typedef bool cost_function(const struct variant *variant, const struct shape *shape,
                           struct cost *cost);
extern cost_function cost_neighbored, cost_packed, cost_interleaved, cost_map, cost_matrix;

/* Launches: variant.invoke. */
void invoke_padded(const struct variant *variant, const struct shape *shape,
                   struct invocation *out);
void invoke_shared_corrected(const struct variant *variant, const struct shape *shape,
                             struct invocation *out);
void invoke_modern(const struct variant *variant, const struct shape *shape,
                   struct invocation *out);
void invoke_modern_corrected(const struct variant *variant, const struct shape *shape,
                             struct invocation *out);
void invoke_one_thread(const struct variant *variant, const struct shape *shape,
                       struct invocation *out);
void invoke_matrix(const struct variant *variant, const struct shape *shape,
                   struct invocation *out);
void invoke_matrix_corrected(const struct variant *variant, const struct shape *shape,
                             struct invocation *out);
void invoke_map(const struct variant *variant, const struct shape *shape, struct invocation *out);
void invoke_loop(const struct variant *variant, const struct shape *shape, struct invocation *out);
void invoke_loop_corrected(const struct variant *variant, const struct shape *shape,
                           struct invocation *out);
void invoke_hello_halves(const struct variant *variant, const struct shape *shape,
                         struct invocation *out);
void invoke_hello_new(const struct variant *variant, const struct shape *shape,
                      struct invocation *out);
void invoke_ways(const struct variant *variant, const struct shape *shape, struct invocation *out);
void invoke_hello_tree(const struct variant *variant, const struct shape *shape,
                       struct invocation *out);
void invoke_recursive(const struct variant *variant, const struct shape *shape,
                      struct invocation *out);
void invoke_recursive2(const struct variant *variant, const struct shape *shape,
                       struct invocation *out);
void invoke_recursive2_corrected(const struct variant *variant, const struct shape *shape,
                                 struct invocation *out);
void invoke_complete_unroll(const struct variant *variant, const struct shape *shape,
                            struct invocation *out);
void invoke_complete_unroll_corrected(const struct variant *variant, const struct shape *shape,
                                      struct invocation *out);

#endif
