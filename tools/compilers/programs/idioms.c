/* SPDX-License-Identifier: MIT
 *
 * Shapes that compilers fold, or are known to fold wrongly.
 */
#include "idioms.h"

/* clang-format off */
/* Operands with 0 and 1, or operands as floats. Many idioms begin with these. */
#define A_B "input_b32 0; input_b32 1; constant_b32 0; constant_b32 1; "
#define A_B_C "input_b32 0; input_b32 1; input_b32 2; constant_b32 0; constant_b32 1; "
#define FLOATS "input_b32 0; input_b32 1; input_b32 2; float_b32 0; float_b32 1; float_b32 2; "

/* A minimum or maximum of 0 and of one of a and b, compared with a and with b. */
#define BOUND_OF_0(outer, inner, compare, name, operand) \
    #outer "_0_of_" #inner "_" #compare "_" name ": " A_B #inner "_s32 0 1; " #outer "_s32 4 2; " \
    #compare "_s32 5 " operand "; select_b32 6 3 2;"
#define BOUNDS_OF_0(outer, inner) \
    BOUND_OF_0(outer, inner, eq, "a", "0"), BOUND_OF_0(outer, inner, eq, "b", "1"), \
    BOUND_OF_0(outer, inner, ne, "a", "0"), BOUND_OF_0(outer, inner, ne, "b", "1")

/* The maximum of c and of a minimum or maximum of a and b, compared with one of the three. */
#define BOUND_OF_3(name, inner, compare, operand) \
    name ": " A_B_C #inner "_s32 0 1; max_s32 5 2; " compare "_s32 6 " operand "; select_b32 7 4 3;"

/* The remainder of a division by a constant. */
#define QUOTIENT(divisor) \
    "quotient_by_" #divisor ": input_b32 0; constant_b32 " #divisor "; div_u32 0 1; mul_b32 2 1; sub_b32 0 3;"

const char *const idioms[] = {
    BOUNDS_OF_0(max, max), BOUNDS_OF_0(min, max), BOUNDS_OF_0(max, min), BOUNDS_OF_0(min, min),
    BOUND_OF_3("max3_eq_a", max, "eq", "0"),
    BOUND_OF_3("max_of_min_eq_a", min, "eq", "0"),
    BOUND_OF_3("max3_eq_c", max, "eq", "2"),
    BOUND_OF_3("max_of_min_eq_c", min, "eq", "2"),
    BOUND_OF_3("max3_lt_b", max, "lt", "1"),
    BOUND_OF_3("max_of_min_lt_b", min, "lt", "1"),
    BOUND_OF_3("max3_ge_a", max, "ge", "0"),
    BOUND_OF_3("max_of_min_ge_a", min, "ge", "0"),
    "neg_of_max_of_neg: " A_B "neg_b32 0; neg_b32 1; max_s32 4 5; neg_b32 6;",
    "max_of_neg_is_b: " A_B "neg_b32 0; max_s32 4 1; eq_s32 5 1; select_b32 6 3 2;",
    "min_of_neg_is_b: " A_B "neg_b32 0; min_s32 4 1; eq_s32 5 1; select_b32 6 3 2;",
    "min_of_max_of_neg_is_b: " A_B "neg_b32 0; max_s32 0 4; min_s32 5 1; eq_s32 6 1; select_b32 7 3 2;",
    "abs_of_difference: " A_B "sub_b32 0 1; abs_s32 4;",
    "max_of_a_and_neg_a: " A_B "neg_b32 0; max_s32 0 4;",
    "neg_of_abs_above_minus_2: input_b32 0; constant_b32 4294967294; constant_b32 0; constant_b32 1; abs_s32 0; "
    "neg_b32 4; gt_s32 5 1; select_b32 6 3 2;",
    "abs_at_least_0: " A_B "abs_s32 0; ge_s32 4 2; select_b32 5 3 2;",
    "unsigned_max_of_signed_min: " A_B "min_s32 0 2; max_u32 4 2;",
    "signed_min_of_unsigned_max: " A_B "max_u32 0 2; min_s32 4 2;",
    "signed_max_of_unsigned_min: " A_B "min_u32 0 1; max_s32 4 2;",
    "clamp_to_byte: input_b32 0; constant_b32 0; constant_b32 255; max_s32 0 1; min_s32 3 2;",
    "clamp_to_signed_byte: input_b32 0; constant_b32 4294967168; constant_b32 127; max_s32 0 1; min_s32 3 2; "
    "sext8_b32 4;",
    "bitwise_select: " A_B_C "and_b32 0 1; not_b32 0; and_b32 6 2; or_b32 5 7;",
    "majority: " A_B_C "and_b32 0 1; and_b32 0 2; and_b32 1 2; or_b32 5 6; or_b32 8 7;",
    "parity_of_three: " A_B_C "xor_b32 0 1; xor_b32 5 2;",
    "low_byte_beside_high: input_b32 0; input_b32 1; constant_b32 255; constant_b32 4294967040; and_b32 0 2; "
    "and_b32 1 3; or_b32 4 5;",
    "reverse_bytes: input_b32 0; constant_b32 291; permute_b32 0 0 1;",
    "permute_by_operand: " A_B_C "permute_b32 0 1 2;",
    "rotate_and_back: " A_B "rotate_b32 0 1; neg_b32 1; rotate_b32 4 5;",
    "funnel_of_sum: " A_B_C "add_b32 0 1; funnel_b32 0 5 2;",
    "shift_out_and_in: " A_B "shl_b32 0 1; shr_s32 4 1;",
    "shift_pair: input_b32 0; constant_b32 8; constant_b32 24; shr_u32 0 1; shl_b32 0 2; or_b32 3 4;",
    "extract_and_insert: " A_B_C "extract_s32 0 1; insert_b32 5 2 1;",
    "insert_of_extended: input_b32 0; input_b32 1; constant_b32 8; zext8_b32 0; insert_b32 3 1 2;",
    "swap_halves: input_b32 0; low_b32 0; high_b32 0; pack_b16 2 1;",
    "min_max_of_halves: input_b32 0; input_b32 1; low_b32 0; low_b32 1; high_b32 0; high_b32 1; min_s16 2 3; "
    "max_s16 4 5; pack_b16 6 7;",
    "shuffle_of_halves: input_b32 0; input_b32 1; low_b32 0; high_b32 1; pack_b16 2 3; shuffle_b32 4; low_b32 5; "
    "high_b32 5; pack_b16 7 6;",
    "sum_of_extended_halves: input_b32 0; low_b32 0; high_b32 0; sext_b16 1; sext_b16 2; add_b32 3 4;",
    "chain_of_products: " A_B_C "mad_b32 0 1 2; mad_b32 5 1 0; mad_b32 6 2 1;",
    "high_half_and_low: " A_B "mulhi_s32 0 1; mul_b32 0 1; add_b32 4 5;",
    "wide_product_high: " A_B "wide_s32 0 1; high_b64 4; mulhi_s32 0 1; sub_b32 5 6;",
    QUOTIENT(3),
    QUOTIENT(7),
    QUOTIENT(11),
    QUOTIENT(641),
    QUOTIENT(65535),
    "remainder_by_11: input_b32 0; constant_b32 11; rem_u32 0 1;",
    "carry_of_64_bits: input_b64 0; input_b64 1; add_b64 0 1; lt_s64 2 0; constant_b32 1; constant_b32 0; "
    "select_b32 3 4 5;",
    "difference_of_64_bits: input_b64 0; input_b64 1; sub_b64 0 1; min_s64 2 0; max_s64 3 1;",
    "shift_of_64_bits: input_b64 0; input_b32 2; shl_b64 0 1; shr_u64 2 1; xor_b64 3 0;",
    "select_of_select: " A_B_C "lt_s32 0 1; select_b32 5 0 1; lt_s32 6 2; select_b32 7 6 2;",
    "and_of_comparisons: " A_B_C "lt_s32 0 1; lt_s32 1 2; and_pred 5 6; select_b32 7 4 3;",
    "range_by_unsigned: " A_B_C "sub_b32 0 1; lt_u32 5 2; select_b32 6 4 3;",
    "loop_between_exchanges: " A_B_C "shuffle_b32 0; loop_b32 5 1 2; shared_b32 6;",
    "array_of_exchanged: " A_B_C "shared_b32 0; array_b32 5 1 2;",
    "ballot_of_comparison: " A_B "lt_s32 0 1; ballot_pred 4; popc_b32 5;",
    "barrier_after_divergence: " A_B_C "loop_b32 0 1 2; shared_b32 5; loop_b32 6 1 0; shared_b32 7;",
    "product_plus_addend: " FLOATS "mul_f32 3 4; add_f32 6 5;",
    "fused_minus_product: " FLOATS "mul_f32 3 4; neg_f32 6; fma_f32 3 4 7;",
    "min_of_max_of_floats: " FLOATS "max_f32 3 4; min_f32 6 5;",
    "max_of_neg_of_floats: " FLOATS "neg_f32 3; max_f32 6 4; lt_f32 7 4; select_b32 8 0 1;",
    "not_greater_of_nan: " FLOATS "gtu_f32 3 4; lt_f32 3 4; xor_pred 6 7; select_b32 8 0 1;",
    "conversion_at_limits: " FLOATS "to_s32 3; from_s32 6; sub_f32 3 7;",
    "conversion_of_unsigned: input_b32 0; from_u32 0; to_s32 1;",
    "zeros_of_both_signs: " FLOATS "neg_f32 3; add_f32 3 6; abs_f32 7; bits_f32 8;",
    NULL,
};
/* clang-format on */

/* An operation on inputs, by the types of its operands. */
#define INPUTS_B32_NONE_NONE(name) "input_b32 0; " name " 0;"
#define INPUTS_B32_B32_NONE(name) "input_b32 0; input_b32 1; " name " 0 1;"
#define INPUTS_B32_B32_B32(name) "input_b32 0; input_b32 1; input_b32 2; " name " 0 1 2;"
#define INPUTS_B64_NONE_NONE(name) "input_b64 0; " name " 0;"
#define INPUTS_B64_B64_NONE(name) "input_b64 0; input_b64 1; " name " 0 1;"
#define INPUTS_B64_B64_B32(name) "input_b64 0; input_b64 1; input_b32 4; " name " 0 1 2;"
#define INPUTS_B64_B64_B64(name) "input_b64 0; input_b64 1; input_b64 2; " name " 0 1 2;"
#define INPUTS_B64_B32_B32(name) "input_b64 0; input_b32 2; input_b32 3; " name " 0 1 2;"
#define CUDA_OPERATION(name, result, first, second, third, ...)                                    \
#name ": " INPUTS_##first##_##second##_##third(#name),
#define CUDA_EXCHANGE CUDA_OPERATION

const char *const idioms_cuda[] = {
#include "cuda_operations.h"
    /* clang-format off */
    "half_fused_of_infinities: constant_b32 31744; input_b32 0; constant_b32 64512; half_fused 0 1 2;",
    "error_of_opposites: input_b32 0; constant_b32 2147483648; xor_b32 0 1; error_of_sum 0 2;",
    "fused_of_opposites: input_b32 0; constant_b32 2147483648; xor_b32 0 1; input_b32 1; fused_or_not 0 3 2;",
    "switch_after_shuffle: input_b32 0; input_b32 1; shuffle_from_computed 0 1; switch_dense 2 1; switch_in_loop 0 3;",
    "scan_of_histogram: input_b32 0; input_b32 1; shared_histogram 0 1; shared_scan 2; shared_scan 3;",
    "loop_after_divergence: input_b32 0; input_b32 1; shared_after_divergence 0 1; loop_until_vote 2 0;",
    "quotient_of_wrapped: input_b32 0; input_b32 1; widened_after_wrap 0 1; divide_s64 2; bit_scans 3;",
    "table_of_sorted: input_b32 0; input_b32 1; input_b32 2; array_sorted 0 1 2; table_constant 3 1; bit_fields 4 0;",
    NULL,
    /* clang-format on */
};
