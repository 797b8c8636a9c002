/* SPDX-License-Identifier: MIT
 *
 * The operations of programs (program.h) that need more than a few PTX instructions: patterns of
 * CUDA C++ that front ends and optimisers transform. One row each. A file that includes this
 * defines
 *
 *     CUDA_OPERATION(name, result, first, second, third, cuda, parameters, meaning)
 *     CUDA_EXCHANGE(name, result, first, second, third, cuda)
 *
 * as for operations.h. They are functions of that name in namespace `idiom`. The device code is in
 * tools/compilers/programs/idioms_*.cuh, the meaning in src/oracle/meaning_*.c. No operand is
 * undefined behaviour. An exchange passes values between all threads of the block.
 */
#define ONE(name, result, first)                                                                   \
    CUDA_OPERATION(name, result, first, NONE, NONE, "idiom::" #name "($a)", (first##_t a),         \
                   mean_##name(a))
#define TWO(name, result, first, second)                                                           \
    CUDA_OPERATION(name, result, first, second, NONE, "idiom::" #name "($a, $b)",                  \
                   (first##_t a, second##_t b), mean_##name(a, b))
#define THREE(name, result, first, second, third)                                                  \
    CUDA_OPERATION(name, result, first, second, third, "idiom::" #name "($a, $b, $c)",             \
                   (first##_t a, second##_t b, third##_t c), mean_##name(a, b, c))
#define EXCHANGE_ONE(name, result, first)                                                          \
    CUDA_EXCHANGE(name, result, first, NONE, NONE, "idiom::" #name "($a)")
#define EXCHANGE_TWO(name, result, first, second)                                                  \
    CUDA_EXCHANGE(name, result, first, second, NONE, "idiom::" #name "($a, $b)")

/* clang-format off */

/* ---- Switches and tables ---- */
TWO(switch_dense, B32, B32, B32)
TWO(switch_fallthrough, B32, B32, B32)
ONE(switch_sparse, B32, B32)
ONE(switch_around_zero, B32, B32)
TWO(switch_of_64_bits, B32, B32, B32)
TWO(switch_in_loop, B32, B32, B32)
TWO(table_local, B32, B32, B32)
TWO(table_constant, B32, B32, B32)
ONE(table_of_bytes, B32, B32)

/* ---- Loops ---- */
TWO(loop_to_int_max, B32, B32, B32)
TWO(loop_until_wrapped, B32, B32, B32)
TWO(loop_down, B32, B32, B32)
TWO(loop_guarded_stride, B32, B32, B32)
TWO(loop_of_64_bits, B64, B32, B32)
ONE(loop_short_wraps, B32, B32)
ONE(loop_signed_char, B32, B32)
TWO(loop_nested_continue, B32, B32, B32)
TWO(loop_common_divisor, B32, B32, B32)
ONE(loop_square_root, B32, B32)
TWO(loop_clears_bits, B32, B32, B32)

/* ---- Quotients ---- */
ONE(divide_s32, B32, B32)
ONE(divide_s32_by_powers, B32, B32)
ONE(divide_u32, B32, B32)
ONE(divide_s64, B64, B64)
ONE(divide_u64, B64, B64)
TWO(divide_by_variable, B32, B32, B32)
TWO(divide_by_variable_of_64_bits, B64, B64, B64)
THREE(remainder_of_product, B32, B32, B32, B32)

/* ---- Carries and long products ---- */
THREE(carry_of_96_bits, B64, B32, B32, B32)
THREE(borrow_of_96_bits, B64, B32, B32, B32)
TWO(carry_and_overflow, B32, B32, B32)
TWO(product_by_parts, B64, B64, B64)
TWO(product_high, B64, B64, B64)
THREE(product_shifted, B64, B64, B64, B32)
THREE(product_shifted_signed, B64, B64, B64, B32)
THREE(sum_of_short_products, B64, B64, B32, B32)
THREE(sum_of_byte_products, B64, B64, B32, B32)
TWO(widened_after_wrap, B64, B32, B32)

/* ---- Bytes, halves of words and bits ---- */
TWO(byte_permutes, B64, B32, B32)
THREE(dot_products, B64, B32, B32, B32)
TWO(adds_of_bytes, B64, B32, B32)
TWO(saturated_adds_of_bytes, B64, B32, B32)
TWO(differences_of_bytes, B64, B32, B32)
TWO(bounds_of_halves, B64, B32, B32)
TWO(comparisons_of_bytes, B64, B32, B32)
ONE(bit_scans, B64, B64)
TWO(averages, B64, B32, B32)
THREE(absolute_differences, B64, B32, B32, B32)
TWO(shifts_of_char, B32, B32, B32)
TWO(wraps_of_short, B32, B32, B32)
TWO(bit_fields, B64, B32, B32)
TWO(extended_fields, B32, B32, B32)
TWO(saturated_sums, B64, B32, B32)

/* ---- Local arrays, structs and pointers ---- */
TWO(array_histogram, B32, B32, B32)
THREE(array_sorted, B32, B32, B32, B32)
TWO(array_of_two_dimensions, B32, B32, B32)
TWO(array_overwritten, B32, B32, B32)
TWO(bytes_of_float, B32, B32, B32)
THREE(misaligned_words, B64, B32, B32, B32)
TWO(structs_copied, B64, B32, B32)
TWO(pointers_backwards, B32, B32, B32)

/* ---- Shared arrays ---- */
EXCHANGE_TWO(shared_of_four_words, B64, B32, B32)
EXCHANGE_TWO(shared_of_bytes, B32, B32, B32)
EXCHANGE_ONE(shared_of_short_pairs, B32, B32)
EXCHANGE_TWO(shared_of_three_floats, B32, B32, B32)
EXCHANGE_TWO(shared_misaligned, B64, B32, B32)
EXCHANGE_TWO(shared_by_wrapped_index, B32, B32, B32)
EXCHANGE_TWO(shared_of_two_arrays, B32, B32, B32)
EXCHANGE_ONE(shared_transposed, B32, B32)
EXCHANGE_ONE(shared_sum, B32, B32)
EXCHANGE_ONE(shared_scan, B32, B32)
EXCHANGE_TWO(shared_histogram, B32, B32, B32)
EXCHANGE_TWO(shared_after_divergence, B32, B32, B32)

/* ---- Lanes of a warp ---- */
EXCHANGE_TWO(shuffle_of_struct, B32, B32, B32)
EXCHANGE_ONE(shuffle_of_64_bits, B64, B64)
EXCHANGE_TWO(shuffle_in_segments, B64, B32, B32)
EXCHANGE_TWO(shuffle_from_computed, B32, B32, B32)
EXCHANGE_ONE(butterfly_most, B32, B32)
EXCHANGE_ONE(warp_scan, B32, B32)
EXCHANGE_TWO(reductions, B64, B32, B32)
EXCHANGE_TWO(matches, B32, B32, B32)
EXCHANGE_TWO(matches_of_64_bits, B32, B32, B32)
EXCHANGE_TWO(ballots_in_branches, B32, B32, B32)
EXCHANGE_TWO(loop_until_vote, B32, B32, B32)
EXCHANGE_ONE(loop_with_lanes_leaving, B32, B32)
EXCHANGE_TWO(block_votes, B32, B32, B32)

/* ---- Floats and doubles ---- */
TWO(error_of_sum, B32, B32, B32)
THREE(compensated_sum, B32, B32, B32, B32)
TWO(error_of_product, B32, B32, B32)
THREE(fused_or_not, B64, B32, B32, B32)
ONE(identities, B64, B32)
TWO(comparisons, B32, B32, B32)
TWO(bounds_of_floats, B64, B32, B32)
ONE(float_to_integers, B64, B32)
TWO(integers_to_float, B64, B32, B32)
ONE(double_to_others, B64, B64)
TWO(double_at_limits, B64, B32, B32)
TWO(rounded_to_whole, B64, B32, B32)
TWO(directed_products, B64, B32, B32)
ONE(reciprocals_and_roots, B64, B32)
TWO(quotients_of_floats, B64, B32, B32)
THREE(double_fused, B64, B64, B64, B64)
TWO(double_quotient, B64, B64, B64)
TWO(double_sum_and_product, B64, B64, B64)
THREE(sum_in_double, B32, B32, B32, B32)

/* ---- Half precision ---- */
TWO(half_sums, B64, B32, B32)
THREE(half_fused, B32, B32, B32, B32)
THREE(half_rounded_twice, B32, B32, B32, B32)
TWO(half_bounds, B64, B32, B32)
TWO(half_signs, B32, B32, B32)
TWO(half_comparisons, B32, B32, B32)
TWO(half_from_float, B64, B32, B32)
ONE(half_to_integers, B64, B32)
TWO(half_from_integers, B64, B32, B32)
ONE(half_to_float, B64, B32)
TWO(half2_swapped, B64, B32, B32)
THREE(half2_fused, B32, B32, B32, B32)
TWO(half2_comparisons, B64, B32, B32)
EXCHANGE_TWO(half2_shuffled, B32, B32, B32)
EXCHANGE_ONE(half_shuffled, B32, B32)

/* ---- Packed bytes, and products of matrices ---- */
THREE(packed_bytes, B32, B32, B32, B32)
EXCHANGE_TWO(matrix_of_bytes, B32, B32, B32)
EXCHANGE_TWO(matrix_after_shuffles, B32, B32, B32)

/* clang-format on */
#undef ONE
#undef TWO
#undef THREE
#undef EXCHANGE_ONE
#undef EXCHANGE_TWO
