/* SPDX-License-Identifier: MIT
 *
 * Shapes that compilers fold, or have been seen to fold wrongly.
 */
#include "idioms.h"

/* clang-format off */
const char *const idioms[] = {
    "max_0_of_max_eq_a: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; max_s32 0 1; max_s32 4 2; "
    "eq_s32 5 0; select_b32 6 3 2;",
    "max_0_of_max_eq_b: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; max_s32 0 1; max_s32 4 2; "
    "eq_s32 5 1; select_b32 6 3 2;",
    "max_0_of_max_ne_a: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; max_s32 0 1; max_s32 4 2; "
    "ne_s32 5 0; select_b32 6 3 2;",
    "max_0_of_max_ne_b: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; max_s32 0 1; max_s32 4 2; "
    "ne_s32 5 1; select_b32 6 3 2;",
    "min_0_of_max_eq_a: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; max_s32 0 1; min_s32 4 2; "
    "eq_s32 5 0; select_b32 6 3 2;",
    "min_0_of_max_eq_b: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; max_s32 0 1; min_s32 4 2; "
    "eq_s32 5 1; select_b32 6 3 2;",
    "min_0_of_max_ne_a: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; max_s32 0 1; min_s32 4 2; "
    "ne_s32 5 0; select_b32 6 3 2;",
    "min_0_of_max_ne_b: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; max_s32 0 1; min_s32 4 2; "
    "ne_s32 5 1; select_b32 6 3 2;",
    "max_0_of_min_eq_a: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; min_s32 0 1; max_s32 4 2; "
    "eq_s32 5 0; select_b32 6 3 2;",
    "max_0_of_min_eq_b: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; min_s32 0 1; max_s32 4 2; "
    "eq_s32 5 1; select_b32 6 3 2;",
    "max_0_of_min_ne_a: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; min_s32 0 1; max_s32 4 2; "
    "ne_s32 5 0; select_b32 6 3 2;",
    "max_0_of_min_ne_b: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; min_s32 0 1; max_s32 4 2; "
    "ne_s32 5 1; select_b32 6 3 2;",
    "min_0_of_min_eq_a: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; min_s32 0 1; min_s32 4 2; "
    "eq_s32 5 0; select_b32 6 3 2;",
    "min_0_of_min_eq_b: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; min_s32 0 1; min_s32 4 2; "
    "eq_s32 5 1; select_b32 6 3 2;",
    "min_0_of_min_ne_a: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; min_s32 0 1; min_s32 4 2; "
    "ne_s32 5 0; select_b32 6 3 2;",
    "min_0_of_min_ne_b: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; min_s32 0 1; min_s32 4 2; "
    "ne_s32 5 1; select_b32 6 3 2;",
    "max3_eq_a: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; max_s32 0 1; max_s32 5 "
    "2; eq_s32 6 0; select_b32 7 4 3;",
    "max_of_min_eq_a: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; min_s32 0 1; "
    "max_s32 5 2; eq_s32 6 0; select_b32 7 4 3;",
    "max3_eq_c: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; max_s32 0 1; max_s32 5 "
    "2; eq_s32 6 2; select_b32 7 4 3;",
    "max_of_min_eq_c: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; min_s32 0 1; "
    "max_s32 5 2; eq_s32 6 2; select_b32 7 4 3;",
    "max3_lt_b: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; max_s32 0 1; max_s32 5 "
    "2; lt_s32 6 1; select_b32 7 4 3;",
    "max_of_min_lt_b: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; min_s32 0 1; "
    "max_s32 5 2; lt_s32 6 1; select_b32 7 4 3;",
    "max3_ge_a: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; max_s32 0 1; max_s32 5 "
    "2; ge_s32 6 0; select_b32 7 4 3;",
    "max_of_min_ge_a: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; min_s32 0 1; "
    "max_s32 5 2; ge_s32 6 0; select_b32 7 4 3;",
    "neg_of_max_of_neg: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; neg_b32 0; neg_b32 1; "
    "max_s32 4 5; neg_b32 6;",
    "max_of_neg_is_b: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; neg_b32 0; max_s32 4 1; "
    "eq_s32 5 1; select_b32 6 3 2;",
    "min_of_neg_is_b: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; neg_b32 0; min_s32 4 1; "
    "eq_s32 5 1; select_b32 6 3 2;",
    "min_of_max_of_neg_is_b: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; neg_b32 0; max_s32 0 "
    "4; min_s32 5 1; eq_s32 6 1; select_b32 7 3 2;",
    "abs_of_difference: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; sub_b32 0 1; abs_s32 4;",
    "max_of_a_and_neg_a: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; neg_b32 0; max_s32 0 4;",
    "neg_of_abs_above_minus_2: input_b32 0; constant_b32 4294967294; constant_b32 0; constant_b32 1; abs_s32 "
    "0; neg_b32 4; gt_s32 5 1; select_b32 6 3 2;",
    "abs_at_least_0: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; abs_s32 0; ge_s32 4 2; "
    "select_b32 5 3 2;",
    "unsigned_max_of_signed_min: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; min_s32 0 2; max_u32 4 2;",
    "signed_min_of_unsigned_max: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; max_u32 0 2; min_s32 4 2;",
    "signed_max_of_unsigned_min: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; min_u32 0 1; max_s32 4 2;",
    "clamp_to_byte: input_b32 0; constant_b32 0; constant_b32 255; max_s32 0 1; min_s32 3 2;",
    "clamp_to_signed_byte: input_b32 0; constant_b32 4294967168; constant_b32 127; max_s32 0 1; min_s32 3 2; "
    "sext8_b32 4;",
    "bitwise_select: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; and_b32 0 1; "
    "not_b32 0; and_b32 6 2; or_b32 5 7;",
    "majority: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; and_b32 0 1; and_b32 0 "
    "2; and_b32 1 2; or_b32 5 6; or_b32 8 7;",
    "parity_of_three: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; xor_b32 0 1; "
    "xor_b32 5 2;",
    "low_byte_beside_high: input_b32 0; input_b32 1; constant_b32 255; constant_b32 4294967040; and_b32 0 2; "
    "and_b32 1 3; or_b32 4 5;",
    "reverse_bytes: input_b32 0; constant_b32 291; permute_b32 0 0 1;",
    "permute_by_operand: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; permute_b32 0 1 2;",
    "rotate_and_back: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; rotate_b32 0 1; neg_b32 1; "
    "rotate_b32 4 5;",
    "funnel_of_sum: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; add_b32 0 1; "
    "funnel_b32 0 5 2;",
    "shift_out_and_in: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; shl_b32 0 1; shr_s32 4 1;",
    "shift_pair: input_b32 0; constant_b32 8; constant_b32 24; shr_u32 0 1; shl_b32 0 2; or_b32 3 4;",
    "extract_and_insert: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; extract_s32 0 "
    "1; insert_b32 5 2 1;",
    "insert_of_extended: input_b32 0; input_b32 1; constant_b32 8; zext8_b32 0; insert_b32 3 1 2;",
    "swap_halves: input_b32 0; low_b32 0; high_b32 0; pack_b16 2 1;",
    "min_max_of_halves: input_b32 0; input_b32 1; low_b32 0; low_b32 1; high_b32 0; high_b32 1; min_s16 2 3; "
    "max_s16 4 5; pack_b16 6 7;",
    "shuffle_of_halves: input_b32 0; input_b32 1; low_b32 0; high_b32 1; pack_b16 2 3; shuffle_b32 4; low_b32 "
    "5; high_b32 5; pack_b16 7 6;",
    "sum_of_extended_halves: input_b32 0; low_b32 0; high_b32 0; sext_b16 1; sext_b16 2; add_b32 3 4;",
    "chain_of_products: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; mad_b32 0 1 2; "
    "mad_b32 5 1 0; mad_b32 6 2 1;",
    "high_half_and_low: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; mulhi_s32 0 1; mul_b32 0 1; "
    "add_b32 4 5;",
    "wide_product_high: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; wide_s32 0 1; high_b64 4; "
    "mulhi_s32 0 1; sub_b32 5 6;",
    "quotient_by_3: input_b32 0; constant_b32 3; div_u32 0 1; mul_b32 2 1; sub_b32 0 3;",
    "quotient_by_7: input_b32 0; constant_b32 7; div_u32 0 1; mul_b32 2 1; sub_b32 0 3;",
    "quotient_by_10: input_b32 0; constant_b32 11; div_u32 0 1; mul_b32 2 1; sub_b32 0 3;",
    "quotient_by_641: input_b32 0; constant_b32 641; div_u32 0 1; mul_b32 2 1; sub_b32 0 3;",
    "quotient_by_65535: input_b32 0; constant_b32 65535; div_u32 0 1; mul_b32 2 1; sub_b32 0 3;",
    "remainder_by_10_odd: input_b32 0; constant_b32 11; rem_u32 0 1;",
    "carry_of_64_bits: input_b64 0; input_b64 1; add_b64 0 1; lt_s64 2 0; constant_b32 1; constant_b32 0; "
    "select_b32 3 4 5;",
    "difference_of_64_bits: input_b64 0; input_b64 1; sub_b64 0 1; min_s64 2 0; max_s64 3 1;",
    "shift_of_64_bits: input_b64 0; input_b32 2; shl_b64 0 1; shr_u64 2 1; xor_b64 3 0;",
    "select_of_select: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; lt_s32 0 1; "
    "select_b32 5 0 1; lt_s32 6 2; select_b32 7 6 2;",
    "and_of_comparisons: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; lt_s32 0 1; "
    "lt_s32 1 2; and_pred 5 6; select_b32 7 4 3;",
    "range_by_unsigned: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; sub_b32 0 1; "
    "lt_u32 5 2; select_b32 6 4 3;",
    "loop_between_exchanges: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; "
    "shuffle_b32 0; loop_b32 5 1 2; shared_b32 6;",
    "array_of_exchanged: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; shared_b32 0; "
    "array_b32 5 1 2;",
    "ballot_of_comparison: input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; lt_s32 0 1; ballot_pred "
    "4; popc_b32 5;",
    "barrier_after_divergence: input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; "
    "loop_b32 0 1 2; shared_b32 5; loop_b32 6 1 0; shared_b32 7;",
    "product_plus_addend: input_b32 0; input_b32 1; input_b32 2; float_b32 0; float_b32 1; float_b32 2; "
    "mul_f32 3 4; add_f32 6 5;",
    "fused_minus_product: input_b32 0; input_b32 1; input_b32 2; float_b32 0; float_b32 1; float_b32 2; "
    "mul_f32 3 4; neg_f32 6; fma_f32 3 4 7;",
    "min_of_max_of_floats: input_b32 0; input_b32 1; input_b32 2; float_b32 0; float_b32 1; float_b32 2; "
    "max_f32 3 4; min_f32 6 5;",
    "max_of_neg_of_floats: input_b32 0; input_b32 1; input_b32 2; float_b32 0; float_b32 1; float_b32 2; "
    "neg_f32 3; max_f32 6 4; lt_f32 7 4; select_b32 8 0 1;",
    "not_greater_of_nan: input_b32 0; input_b32 1; input_b32 2; float_b32 0; float_b32 1; float_b32 2; "
    "gtu_f32 3 4; lt_f32 3 4; xor_pred 6 7; select_b32 8 0 1;",
    "conversion_at_limits: input_b32 0; input_b32 1; input_b32 2; float_b32 0; float_b32 1; float_b32 2; "
    "to_s32 3; from_s32 6; sub_f32 3 7;",
    "conversion_of_unsigned: input_b32 0; from_u32 0; to_s32 1;",
    "zeros_of_both_signs: input_b32 0; input_b32 1; input_b32 2; float_b32 0; float_b32 1; float_b32 2; "
    "neg_f32 3; add_f32 3 6; abs_f32 7; bits_f32 8;",
    NULL,
};

/* By operation of cuda_operations.h. */
const char *const idioms_cuda[] = {
    "switch_dense: input_b32 0; input_b32 1; switch_dense 0 1;",
    "switch_fallthrough: input_b32 0; input_b32 1; switch_fallthrough 0 1;",
    "switch_sparse: input_b32 0; switch_sparse 0;",
    "switch_around_zero: input_b32 0; switch_around_zero 0;",
    "switch_of_64_bits: input_b32 0; input_b32 1; switch_of_64_bits 0 1;",
    "switch_in_loop: input_b32 0; input_b32 1; switch_in_loop 0 1;",
    "table_local: input_b32 0; input_b32 1; table_local 0 1;",
    "table_constant: input_b32 0; input_b32 1; table_constant 0 1;",
    "table_of_bytes: input_b32 0; table_of_bytes 0;",
    "loop_to_int_max: input_b32 0; input_b32 1; loop_to_int_max 0 1;",
    "loop_until_wrapped: input_b32 0; input_b32 1; loop_until_wrapped 0 1;",
    "loop_down: input_b32 0; input_b32 1; loop_down 0 1;",
    "loop_guarded_stride: input_b32 0; input_b32 1; loop_guarded_stride 0 1;",
    "loop_of_64_bits: input_b32 0; input_b32 1; loop_of_64_bits 0 1;",
    "loop_short_wraps: input_b32 0; loop_short_wraps 0;",
    "loop_signed_char: input_b32 0; loop_signed_char 0;",
    "loop_nested_continue: input_b32 0; input_b32 1; loop_nested_continue 0 1;",
    "loop_common_divisor: input_b32 0; input_b32 1; loop_common_divisor 0 1;",
    "loop_square_root: input_b32 0; loop_square_root 0;",
    "loop_clears_bits: input_b32 0; input_b32 1; loop_clears_bits 0 1;",
    "divide_s32: input_b32 0; divide_s32 0;",
    "divide_s32_by_powers: input_b32 0; divide_s32_by_powers 0;",
    "divide_u32: input_b32 0; divide_u32 0;",
    "divide_s64: input_b64 0; divide_s64 0;",
    "divide_u64: input_b64 0; divide_u64 0;",
    "divide_by_variable: input_b32 0; input_b32 1; divide_by_variable 0 1;",
    "divide_by_variable_of_64_bits: input_b64 0; input_b64 1; divide_by_variable_of_64_bits 0 1;",
    "remainder_of_product: input_b32 0; input_b32 1; input_b32 2; remainder_of_product 0 1 2;",
    "carry_of_96_bits: input_b32 0; input_b32 1; input_b32 2; carry_of_96_bits 0 1 2;",
    "borrow_of_96_bits: input_b32 0; input_b32 1; input_b32 2; borrow_of_96_bits 0 1 2;",
    "carry_and_overflow: input_b32 0; input_b32 1; carry_and_overflow 0 1;",
    "product_by_parts: input_b64 0; input_b64 1; product_by_parts 0 1;",
    "product_high: input_b64 0; input_b64 1; product_high 0 1;",
    "product_shifted: input_b64 0; input_b64 1; input_b32 4; product_shifted 0 1 2;",
    "product_shifted_signed: input_b64 0; input_b64 1; input_b32 4; product_shifted_signed 0 1 2;",
    "sum_of_short_products: input_b64 0; input_b32 2; input_b32 3; sum_of_short_products 0 1 2;",
    "sum_of_byte_products: input_b64 0; input_b32 2; input_b32 3; sum_of_byte_products 0 1 2;",
    "widened_after_wrap: input_b32 0; input_b32 1; widened_after_wrap 0 1;",
    "byte_permutes: input_b32 0; input_b32 1; byte_permutes 0 1;",
    "dot_products: input_b32 0; input_b32 1; input_b32 2; dot_products 0 1 2;",
    "adds_of_bytes: input_b32 0; input_b32 1; adds_of_bytes 0 1;",
    "saturated_adds_of_bytes: input_b32 0; input_b32 1; saturated_adds_of_bytes 0 1;",
    "differences_of_bytes: input_b32 0; input_b32 1; differences_of_bytes 0 1;",
    "bounds_of_halves: input_b32 0; input_b32 1; bounds_of_halves 0 1;",
    "comparisons_of_bytes: input_b32 0; input_b32 1; comparisons_of_bytes 0 1;",
    "bit_scans: input_b64 0; bit_scans 0;",
    "averages: input_b32 0; input_b32 1; averages 0 1;",
    "absolute_differences: input_b32 0; input_b32 1; input_b32 2; absolute_differences 0 1 2;",
    "shifts_of_char: input_b32 0; input_b32 1; shifts_of_char 0 1;",
    "wraps_of_short: input_b32 0; input_b32 1; wraps_of_short 0 1;",
    "bit_fields: input_b32 0; input_b32 1; bit_fields 0 1;",
    "extended_fields: input_b32 0; input_b32 1; extended_fields 0 1;",
    "saturated_sums: input_b32 0; input_b32 1; saturated_sums 0 1;",
    "array_histogram: input_b32 0; input_b32 1; array_histogram 0 1;",
    "array_sorted: input_b32 0; input_b32 1; input_b32 2; array_sorted 0 1 2;",
    "array_of_two_dimensions: input_b32 0; input_b32 1; array_of_two_dimensions 0 1;",
    "array_overwritten: input_b32 0; input_b32 1; array_overwritten 0 1;",
    "bytes_of_float: input_b32 0; input_b32 1; bytes_of_float 0 1;",
    "misaligned_words: input_b32 0; input_b32 1; input_b32 2; misaligned_words 0 1 2;",
    "structs_copied: input_b32 0; input_b32 1; structs_copied 0 1;",
    "pointers_backwards: input_b32 0; input_b32 1; pointers_backwards 0 1;",
    "shared_of_four_words: input_b32 0; input_b32 1; shared_of_four_words 0 1;",
    "shared_of_bytes: input_b32 0; input_b32 1; shared_of_bytes 0 1;",
    "shared_of_short_pairs: input_b32 0; shared_of_short_pairs 0;",
    "shared_of_three_floats: input_b32 0; input_b32 1; shared_of_three_floats 0 1;",
    "shared_misaligned: input_b32 0; input_b32 1; shared_misaligned 0 1;",
    "shared_by_wrapped_index: input_b32 0; input_b32 1; shared_by_wrapped_index 0 1;",
    "shared_of_two_arrays: input_b32 0; input_b32 1; shared_of_two_arrays 0 1;",
    "shared_transposed: input_b32 0; shared_transposed 0;",
    "shared_sum: input_b32 0; shared_sum 0;",
    "shared_scan: input_b32 0; shared_scan 0;",
    "shared_histogram: input_b32 0; input_b32 1; shared_histogram 0 1;",
    "shared_after_divergence: input_b32 0; input_b32 1; shared_after_divergence 0 1;",
    "shuffle_of_struct: input_b32 0; input_b32 1; shuffle_of_struct 0 1;",
    "shuffle_of_64_bits: input_b64 0; shuffle_of_64_bits 0;",
    "shuffle_in_segments: input_b32 0; input_b32 1; shuffle_in_segments 0 1;",
    "shuffle_from_computed: input_b32 0; input_b32 1; shuffle_from_computed 0 1;",
    "butterfly_most: input_b32 0; butterfly_most 0;",
    "warp_scan: input_b32 0; warp_scan 0;",
    "reductions: input_b32 0; input_b32 1; reductions 0 1;",
    "matches: input_b32 0; input_b32 1; matches 0 1;",
    "matches_of_64_bits: input_b32 0; input_b32 1; matches_of_64_bits 0 1;",
    "ballots_in_branches: input_b32 0; input_b32 1; ballots_in_branches 0 1;",
    "loop_until_vote: input_b32 0; input_b32 1; loop_until_vote 0 1;",
    "loop_with_lanes_leaving: input_b32 0; loop_with_lanes_leaving 0;",
    "block_votes: input_b32 0; input_b32 1; block_votes 0 1;",
    "error_of_sum: input_b32 0; input_b32 1; error_of_sum 0 1;",
    "compensated_sum: input_b32 0; input_b32 1; input_b32 2; compensated_sum 0 1 2;",
    "error_of_product: input_b32 0; input_b32 1; error_of_product 0 1;",
    "fused_or_not: input_b32 0; input_b32 1; input_b32 2; fused_or_not 0 1 2;",
    "identities: input_b32 0; identities 0;",
    "comparisons: input_b32 0; input_b32 1; comparisons 0 1;",
    "bounds_of_floats: input_b32 0; input_b32 1; bounds_of_floats 0 1;",
    "float_to_integers: input_b32 0; float_to_integers 0;",
    "integers_to_float: input_b32 0; input_b32 1; integers_to_float 0 1;",
    "double_to_others: input_b64 0; double_to_others 0;",
    "double_at_limits: input_b32 0; input_b32 1; double_at_limits 0 1;",
    "rounded_to_whole: input_b32 0; input_b32 1; rounded_to_whole 0 1;",
    "directed_products: input_b32 0; input_b32 1; directed_products 0 1;",
    "reciprocals_and_roots: input_b32 0; reciprocals_and_roots 0;",
    "quotients_of_floats: input_b32 0; input_b32 1; quotients_of_floats 0 1;",
    "double_fused: input_b64 0; input_b64 1; input_b64 2; double_fused 0 1 2;",
    "double_quotient: input_b64 0; input_b64 1; double_quotient 0 1;",
    "double_sum_and_product: input_b64 0; input_b64 1; double_sum_and_product 0 1;",
    "sum_in_double: input_b32 0; input_b32 1; input_b32 2; sum_in_double 0 1 2;",
    "half_sums: input_b32 0; input_b32 1; half_sums 0 1;",
    "half_fused: input_b32 0; input_b32 1; input_b32 2; half_fused 0 1 2;",
    "half_rounded_twice: input_b32 0; input_b32 1; input_b32 2; half_rounded_twice 0 1 2;",
    "half_bounds: input_b32 0; input_b32 1; half_bounds 0 1;",
    "half_signs: input_b32 0; input_b32 1; half_signs 0 1;",
    "half_comparisons: input_b32 0; input_b32 1; half_comparisons 0 1;",
    "half_from_float: input_b32 0; input_b32 1; half_from_float 0 1;",
    "half_to_integers: input_b32 0; half_to_integers 0;",
    "half_from_integers: input_b32 0; input_b32 1; half_from_integers 0 1;",
    "half_to_float: input_b32 0; half_to_float 0;",
    "half2_swapped: input_b32 0; input_b32 1; half2_swapped 0 1;",
    "half2_fused: input_b32 0; input_b32 1; input_b32 2; half2_fused 0 1 2;",
    "half2_comparisons: input_b32 0; input_b32 1; half2_comparisons 0 1;",
    "half2_shuffled: input_b32 0; input_b32 1; half2_shuffled 0 1;",
    "half_shuffled: input_b32 0; half_shuffled 0;",
    "half_fused_of_infinities: constant_b32 31744; input_b32 0; constant_b32 64512; half_fused 0 1 2;",
    "error_of_opposites: input_b32 0; constant_b32 2147483648; xor_b32 0 1; error_of_sum 0 2;",
    "fused_of_opposites: input_b32 0; constant_b32 2147483648; xor_b32 0 1; input_b32 1; fused_or_not 0 3 2;",
    "switch_after_shuffle: input_b32 0; input_b32 1; shuffle_from_computed 0 1; switch_dense 2 1; switch_in_loop 0 3;",
    "scan_of_histogram: input_b32 0; input_b32 1; shared_histogram 0 1; shared_scan 2; shared_scan 3;",
    "loop_after_divergence: input_b32 0; input_b32 1; shared_after_divergence 0 1; loop_until_vote 2 0;",
    "quotient_of_wrapped: input_b32 0; input_b32 1; widened_after_wrap 0 1; divide_s64 2; bit_scans 3;",
    "table_of_sorted: input_b32 0; input_b32 1; input_b32 2; array_sorted 0 1 2; table_constant 3 1; bit_fields 4 0;",
    NULL,
};
/* clang-format on */
