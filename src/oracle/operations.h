/* SPDX-License-Identifier: MIT
 *
 * The operations of programs (program.h), one row each. A file that includes this defines
 *
 *     OPERATION(name, result, first, second, third, ptx, cuda, meaning)
 *
 * result, first, second, third: types, or NONE. `ptx` and `cuda` are the operation's text in a
 * kernel: "$d" is the result's register, "$a", "$b", "$c" the operands, "$n" the node's number.
 * `meaning` is C over the operands' bits a, b, c, as wide as their types and unsigned (predicates:
 * bool). FLOAT() makes a number from the bits of an f32. No operand is undefined behaviour. Shift
 * counts are masked and divisors made odd, here, in the PTX and in the CUDA C.
 */

/* clang-format off */

/* ---- 32 bits ---- */
OPERATION(add_b32, B32, B32, B32, NONE, "add.u32 $d, $a, $b;", "$a + $b", a + b)
OPERATION(sub_b32, B32, B32, B32, NONE, "sub.u32 $d, $a, $b;", "$a - $b", a - b)
OPERATION(mul_b32, B32, B32, B32, NONE, "mul.lo.u32 $d, $a, $b;", "$a * $b", a * b)
OPERATION(mad_b32, B32, B32, B32, B32, "mad.lo.u32 $d, $a, $b, $c;", "$a * $b + $c", a * b + c)
OPERATION(mulhi_s32, B32, B32, B32, NONE, "mul.hi.s32 $d, $a, $b;",
          "(unsigned)__mulhi((int)$a, (int)$b)",
          (uint32_t)((uint64_t)((int64_t)S32(a) * S32(b)) >> 32))
OPERATION(mulhi_u32, B32, B32, B32, NONE, "mul.hi.u32 $d, $a, $b;", "__umulhi($a, $b)",
          (uint32_t)((uint64_t)a * b >> 32))
OPERATION(neg_b32, B32, B32, NONE, NONE, "neg.s32 $d, $a;", "0u - $a", 0 - a)
OPERATION(not_b32, B32, B32, NONE, NONE, "not.b32 $d, $a;", "~$a", ~a)
OPERATION(abs_s32, B32, B32, NONE, NONE,
          "{.reg .b32 s; max.s32 s, $a, -2147483647; abs.s32 $d, s;}",
          "(unsigned)abs(max((int)$a, -2147483647))",
          S32(a) >= 0 ? a : a == UINT32_C(0x80000000) ? INT32_MAX : 0 - a)
OPERATION(min_s32, B32, B32, B32, NONE, "min.s32 $d, $a, $b;", "(unsigned)min((int)$a, (int)$b)",
          S32(a) < S32(b) ? a : b)
OPERATION(max_s32, B32, B32, B32, NONE, "max.s32 $d, $a, $b;", "(unsigned)max((int)$a, (int)$b)",
          S32(a) > S32(b) ? a : b)
OPERATION(min_u32, B32, B32, B32, NONE, "min.u32 $d, $a, $b;", "min($a, $b)", a < b ? a : b)
OPERATION(max_u32, B32, B32, B32, NONE, "max.u32 $d, $a, $b;", "max($a, $b)", a > b ? a : b)
OPERATION(and_b32, B32, B32, B32, NONE, "and.b32 $d, $a, $b;", "($a & $b)", a &b)
OPERATION(or_b32, B32, B32, B32, NONE, "or.b32 $d, $a, $b;", "($a | $b)", a | b)
OPERATION(xor_b32, B32, B32, B32, NONE, "xor.b32 $d, $a, $b;", "($a ^ $b)", a ^ b)
OPERATION(shl_b32, B32, B32, B32, NONE, "{.reg .b32 s; and.b32 s, $b, 31; shl.b32 $d, $a, s;}",
          "$a << ($b & 31u)", a << (b & 31))
OPERATION(shr_u32, B32, B32, B32, NONE, "{.reg .b32 s; and.b32 s, $b, 31; shr.u32 $d, $a, s;}",
          "$a >> ($b & 31u)", a >> (b & 31))
OPERATION(shr_s32, B32, B32, B32, NONE, "{.reg .b32 s; and.b32 s, $b, 31; shr.s32 $d, $a, s;}",
          "(unsigned)((int)$a >> ($b & 31u))", (uint32_t)((int64_t)S32(a) >> (b & 31)))
OPERATION(rotate_b32, B32, B32, B32, NONE, "shf.l.wrap.b32 $d, $a, $a, $b;",
          "__funnelshift_l($a, $a, $b)", (uint32_t)(((uint64_t)a << 32 | a) << (b & 31) >> 32))
OPERATION(funnel_b32, B32, B32, B32, B32, "shf.r.wrap.b32 $d, $a, $b, $c;",
          "__funnelshift_r($a, $b, $c)", (uint32_t)(((uint64_t)b << 32 | a) >> (c & 31)))
OPERATION(permute_b32, B32, B32, B32, B32,
          "{.reg .b32 s; and.b32 s, $c, 30583; prmt.b32 $d, $a, $b, s;}",
          "__byte_perm($a, $b, $c & 0x7777u)", permute(a, b, c))
OPERATION(popc_b32, B32, B32, NONE, NONE, "popc.b32 $d, $a;", "(unsigned)__popc((int)$a)",
          (uint32_t)__builtin_popcount(a))
OPERATION(clz_b32, B32, B32, NONE, NONE, "clz.b32 $d, $a;", "(unsigned)__clz((int)$a)",
          a == 0 ? 32 : (uint32_t)__builtin_clz(a))
OPERATION(brev_b32, B32, B32, NONE, NONE, "brev.b32 $d, $a;", "__brev($a)", reversed(a))
OPERATION(div_u32, B32, B32, B32, NONE, "{.reg .b32 s; or.b32 s, $b, 1; div.u32 $d, $a, s;}",
          "$a / ($b | 1u)", a / (b | 1))
OPERATION(rem_u32, B32, B32, B32, NONE, "{.reg .b32 s; or.b32 s, $b, 1; rem.u32 $d, $a, s;}",
          "$a % ($b | 1u)", a % (b | 1))
OPERATION(div_s32, B32, B32, B32, NONE,
          "{.reg .b32 s; and.b32 s, $b, 65535; or.b32 s, s, 1; div.s32 $d, $a, s;}",
          "(unsigned)((int)$a / (int)(($b & 0xffffu) | 1u))",
          (uint32_t)(S32(a) / S32((b & 0xffff) | 1)))
OPERATION(sext8_b32, B32, B32, NONE, NONE, "cvt.s32.s8 $d, $a;", "(unsigned)(int)(signed char)$a",
          (uint32_t)(int32_t)(int8_t)a)
OPERATION(zext8_b32, B32, B32, NONE, NONE, "cvt.u32.u8 $d, $a;", "(unsigned)(unsigned char)$a",
          (uint32_t)(a & 0xff))
OPERATION(extract_s32, B32, B32, B32, NONE,
          "{.reg .b32 s; and.b32 s, $b, 24; bfe.s32 $d, $a, s, 8;}",
          "(unsigned)(int)(signed char)($a >> ($b & 24u))", (uint32_t)(int8_t)(a >> (b & 24)))
OPERATION(insert_b32, B32, B32, B32, B32,
          "{.reg .b32 s; and.b32 s, $c, 24; bfi.b32 $d, $a, $b, s, 8;}",
          "($b & ~(255u << ($c & 24u))) | ($a & 255u) << ($c & 24u)",
          (b & ~(UINT32_C(255) << (c & 24))) | (a & 255) << (c & 24))
OPERATION(select_b32, B32, PRED, B32, B32, "selp.b32 $d, $b, $c, $a;", "($a ? $b : $c)", a ? b : c)
OPERATION(loop_b32, B32, B32, B32, B32,
          "{.reg .b32 k, m; .reg .pred p; mov.b32 $d, $a; mov.u32 k, 0; and.b32 m, $c, 7;"
          " again$n: setp.ge.u32 p, k, m; @p bra done$n; xor.b32 $d, $d, $b; add.u32 $d, $d, k;"
          " add.u32 k, k, 1; bra again$n; done$n:}",
          "loop_b32($a, $b, $c)", loop(a, b, c))
OPERATION(array_b32, B32, B32, B32, B32,
          "{.local .align 4 .b8 array$n[16]; .reg .b32 s; .reg .b64 t, u; mov.u64 t, array$n;"
          " st.local.b32 [array$n], $a; st.local.b32 [array$n+4], $b; st.local.b32 [array$n+8], $c;"
          " xor.b32 s, $a, $b; st.local.b32 [array$n+12], s; and.b32 s, $c, 3;"
          " mul.wide.u32 u, s, 4; add.u64 t, t, u; ld.local.b32 $d, [t];}",
          "array_b32($a, $b, $c)",
          (c & 3) == 0   ? a
          : (c & 3) == 1 ? b
          : (c & 3) == 2 ? c
                         : a ^ b)

/* ---- 64 bits ---- */
OPERATION(add_b64, B64, B64, B64, NONE, "add.u64 $d, $a, $b;", "$a + $b", a + b)
OPERATION(sub_b64, B64, B64, B64, NONE, "sub.u64 $d, $a, $b;", "$a - $b", a - b)
OPERATION(mul_b64, B64, B64, B64, NONE, "mul.lo.u64 $d, $a, $b;", "$a * $b", a * b)
OPERATION(neg_b64, B64, B64, NONE, NONE, "neg.s64 $d, $a;", "0ull - $a", 0 - a)
OPERATION(abs_s64, B64, B64, NONE, NONE,
          "{.reg .b64 s; max.s64 s, $a, -9223372036854775807; abs.s64 $d, s;}",
          "(unsigned long long)llabs(max((long long)$a, -9223372036854775807ll))",
          S64(a) >= 0 ? a : a == UINT64_C(1) << 63 ? INT64_MAX : 0 - a)
OPERATION(min_s64, B64, B64, B64, NONE, "min.s64 $d, $a, $b;",
          "(unsigned long long)min((long long)$a, (long long)$b)", S64(a) < S64(b) ? a : b)
OPERATION(max_s64, B64, B64, B64, NONE, "max.s64 $d, $a, $b;",
          "(unsigned long long)max((long long)$a, (long long)$b)", S64(a) > S64(b) ? a : b)
OPERATION(min_u64, B64, B64, B64, NONE, "min.u64 $d, $a, $b;", "min($a, $b)", a < b ? a : b)
OPERATION(max_u64, B64, B64, B64, NONE, "max.u64 $d, $a, $b;", "max($a, $b)", a > b ? a : b)
OPERATION(and_b64, B64, B64, B64, NONE, "and.b64 $d, $a, $b;", "($a & $b)", a &b)
OPERATION(xor_b64, B64, B64, B64, NONE, "xor.b64 $d, $a, $b;", "($a ^ $b)", a ^ b)
OPERATION(shl_b64, B64, B64, B32, NONE, "{.reg .b32 s; and.b32 s, $b, 63; shl.b64 $d, $a, s;}",
          "$a << ($b & 63u)", a << (b & 63))
OPERATION(shr_u64, B64, B64, B32, NONE, "{.reg .b32 s; and.b32 s, $b, 63; shr.u64 $d, $a, s;}",
          "$a >> ($b & 63u)", a >> (b & 63))
OPERATION(select_b64, B64, PRED, B64, B64, "selp.b64 $d, $b, $c, $a;", "($a ? $b : $c)", a ? b : c)
OPERATION(wide_s32, B64, B32, B32, NONE, "mul.wide.s32 $d, $a, $b;",
          "(unsigned long long)((long long)(int)$a * (int)$b)",
          (uint64_t)((int64_t)S32(a) * S32(b)))
OPERATION(extend_s32, B64, B32, NONE, NONE, "cvt.s64.s32 $d, $a;",
          "(unsigned long long)(long long)(int)$a", (uint64_t)(int64_t)S32(a))
OPERATION(extend_u32, B64, B32, NONE, NONE, "cvt.u64.u32 $d, $a;", "(unsigned long long)$a",
          (uint64_t)a)
OPERATION(low_b64, B32, B64, NONE, NONE, "cvt.u32.u64 $d, $a;", "(unsigned)$a", (uint32_t)a)
OPERATION(high_b64, B32, B64, NONE, NONE, "{.reg .b32 s; mov.b64 {s, $d}, $a;}",
          "(unsigned)($a >> 32)", (uint32_t)(a >> 32))

/* ---- 16 bits ---- */
OPERATION(low_b32, B16, B32, NONE, NONE, "cvt.u16.u32 $d, $a;", "(unsigned short)$a", (uint16_t)a)
OPERATION(high_b32, B16, B32, NONE, NONE, "{.reg .b16 s; mov.b32 {s, $d}, $a;}",
          "(unsigned short)($a >> 16)", (uint16_t)(a >> 16))
OPERATION(pack_b16, B32, B16, B16, NONE, "mov.b32 $d, {$a, $b};", "($a | (unsigned)$b << 16)",
          (uint32_t)a | (uint32_t)b << 16)
OPERATION(sext_b16, B32, B16, NONE, NONE, "cvt.s32.s16 $d, $a;", "(unsigned)(int)(short)$a",
          (uint32_t)(int32_t)(int16_t)a)
OPERATION(zext_b16, B32, B16, NONE, NONE, "cvt.u32.u16 $d, $a;", "(unsigned)$a", (uint32_t)a)
OPERATION(add_b16, B16, B16, B16, NONE, "add.u16 $d, $a, $b;", "(unsigned short)($a + $b)",
          (uint16_t)(a + b))
OPERATION(min_s16, B16, B16, B16, NONE, "min.s16 $d, $a, $b;",
          "(unsigned short)((short)$a < (short)$b ? $a : $b)", (int16_t)a < (int16_t)b ? a : b)
OPERATION(max_s16, B16, B16, B16, NONE, "max.s16 $d, $a, $b;",
          "(unsigned short)((short)$a > (short)$b ? $a : $b)", (int16_t)a > (int16_t)b ? a : b)
OPERATION(neg_b16, B16, B16, NONE, NONE, "neg.s16 $d, $a;", "(unsigned short)(0 - $a)",
          (uint16_t)(0 - a))

/* ---- Floats ---- */
OPERATION(add_f32, F32, F32, F32, NONE, "add.rn.f32 $d, $a, $b;", "__fadd_rn($a, $b)",
          BITS(FLOAT(a) + FLOAT(b)))
OPERATION(sub_f32, F32, F32, F32, NONE, "sub.rn.f32 $d, $a, $b;", "__fadd_rn($a, -$b)",
          BITS(FLOAT(a) - FLOAT(b)))
OPERATION(mul_f32, F32, F32, F32, NONE, "mul.rn.f32 $d, $a, $b;", "__fmul_rn($a, $b)",
          BITS(FLOAT(a) * FLOAT(b)))
OPERATION(fma_f32, F32, F32, F32, F32, "fma.rn.f32 $d, $a, $b, $c;", "fmaf($a, $b, $c)",
          BITS(fmaf(FLOAT(a), FLOAT(b), FLOAT(c))))
OPERATION(neg_f32, F32, F32, NONE, NONE, "neg.f32 $d, $a;", "-$a", a ^ UINT32_C(0x80000000))
OPERATION(abs_f32, F32, F32, NONE, NONE, "abs.f32 $d, $a;", "fabsf($a)", a &INT32_MAX)
OPERATION(min_f32, F32, F32, F32, NONE, "min.f32 $d, $a, $b;", "fminf($a, $b)", least_f32(a, b))
OPERATION(max_f32, F32, F32, F32, NONE, "max.f32 $d, $a, $b;", "fmaxf($a, $b)", most_f32(a, b))
OPERATION(select_f32, F32, PRED, F32, F32, "selp.f32 $d, $b, $c, $a;", "($a ? $b : $c)", a ? b : c)
OPERATION(from_s32, F32, B32, NONE, NONE, "cvt.rn.f32.s32 $d, $a;", "__int2float_rn((int)$a)",
          BITS((float)S32(a)))
OPERATION(from_u32, F32, B32, NONE, NONE, "cvt.rn.f32.u32 $d, $a;", "__uint2float_rn($a)",
          BITS((float)a))
OPERATION(to_s32, B32, F32, NONE, NONE, "cvt.rzi.s32.f32 $d, $a;", "(unsigned)__float2int_rz($a)",
          to_s32(a))
OPERATION(bits_f32, B32, F32, NONE, NONE,
          "{.reg .pred p; setp.nan.f32 p, $a, $a; mov.b32 $d, $a; selp.b32 $d, 2147483647, $d, p;}",
          "($a != $a ? 0x7fffffffu : __float_as_uint($a))", ONE_NAN(a))
OPERATION(float_b32, F32, B32, NONE, NONE, "mov.b32 $d, $a;", "__uint_as_float($a)", a)

/* ---- Predicates ---- */
OPERATION(eq_s32, PRED, B32, B32, NONE, "setp.eq.s32 $d, $a, $b;", "(int)$a == (int)$b", a == b)
OPERATION(eq_u32, PRED, B32, B32, NONE, "setp.eq.u32 $d, $a, $b;", "$a == $b", a == b)
OPERATION(ne_s32, PRED, B32, B32, NONE, "setp.ne.s32 $d, $a, $b;", "(int)$a != (int)$b", a != b)
OPERATION(ne_u32, PRED, B32, B32, NONE, "setp.ne.u32 $d, $a, $b;", "$a != $b", a != b)
OPERATION(lt_s32, PRED, B32, B32, NONE, "setp.lt.s32 $d, $a, $b;", "(int)$a < (int)$b",
          S32(a) < S32(b))
OPERATION(le_s32, PRED, B32, B32, NONE, "setp.le.s32 $d, $a, $b;", "(int)$a <= (int)$b",
          S32(a) <= S32(b))
OPERATION(gt_s32, PRED, B32, B32, NONE, "setp.gt.s32 $d, $a, $b;", "(int)$a > (int)$b",
          S32(a) > S32(b))
OPERATION(ge_s32, PRED, B32, B32, NONE, "setp.ge.s32 $d, $a, $b;", "(int)$a >= (int)$b",
          S32(a) >= S32(b))
OPERATION(lt_u32, PRED, B32, B32, NONE, "setp.lt.u32 $d, $a, $b;", "$a < $b", a < b)
OPERATION(ge_u32, PRED, B32, B32, NONE, "setp.ge.u32 $d, $a, $b;", "$a >= $b", a >= b)
OPERATION(eq_b64, PRED, B64, B64, NONE, "setp.eq.u64 $d, $a, $b;", "$a == $b", a == b)
OPERATION(lt_s64, PRED, B64, B64, NONE, "setp.lt.s64 $d, $a, $b;", "(long long)$a < (long long)$b",
          S64(a) < S64(b))
OPERATION(lt_f32, PRED, F32, F32, NONE, "setp.lt.f32 $d, $a, $b;", "$a < $b", FLOAT(a) < FLOAT(b))
OPERATION(eq_f32, PRED, F32, F32, NONE, "setp.eq.f32 $d, $a, $b;", "$a == $b", FLOAT(a) == FLOAT(b))
OPERATION(gtu_f32, PRED, F32, F32, NONE, "setp.gtu.f32 $d, $a, $b;", "!($a <= $b)",
          !(FLOAT(a) <= FLOAT(b)))
OPERATION(and_pred, PRED, PRED, PRED, NONE, "and.pred $d, $a, $b;", "($a & $b)", a &b)
OPERATION(or_pred, PRED, PRED, PRED, NONE, "or.pred $d, $a, $b;", "($a | $b)", a | b)
OPERATION(xor_pred, PRED, PRED, PRED, NONE, "xor.pred $d, $a, $b;", "($a ^ $b)", a ^ b)
OPERATION(not_pred, PRED, PRED, NONE, NONE, "not.pred $d, $a;", "!$a", !a)

/* ---- Exchanges of a value with other threads; program.c has their meaning ---- */
EXCHANGE(shuffle_b32, B32, B32, "shfl.sync.bfly.b32 $d, $a, 5, 31, 0xffffffff;",
         "__shfl_xor_sync(0xffffffffu, $a, 5)")
EXCHANGE(ballot_pred, B32, PRED, "vote.sync.ballot.b32 $d, $a, 0xffffffff;",
         "__ballot_sync(0xffffffffu, $a)")
EXCHANGE(shared_b32, B32, B32,
         "{.shared .align 4 .b8 slots$n[512]; .reg .b32 s, t; mov.u32 s, %tid.x; shl.b32 t, s, 2;"
         " mov.u32 $d, slots$n; add.u32 t, t, $d; st.shared.b32 [t], $a; bar.sync 0;"
         " add.u32 s, s, 37; and.b32 s, s, 127; shl.b32 s, s, 2; add.u32 t, s, $d;"
         " ld.shared.b32 $d, [t]; bar.sync 0;}",
         "shared_b32($a)")
/* The same by cp.async, from the thread's place in the output. */
EXCHANGE(async_b32, B32, B32,
         "{.shared .align 4 .b8 copies$n[512]; .reg .b32 s, t; st.global.b32 [out], $a;"
         " mov.u32 s, copies$n; mov.u32 t, %tid.x; shl.b32 t, t, 2; add.u32 t, t, s;"
         " cp.async.ca.shared.global [t], [out], 4; cp.async.wait_all; bar.sync 0;"
         " mov.u32 t, %tid.x; add.u32 t, t, 37; and.b32 t, t, 127; shl.b32 t, t, 2;"
         " add.u32 t, t, s; ld.shared.b32 $d, [t]; bar.sync 0;}",
         "idiom::async_b32($a, out + i)")
/* The words of a warp are a matrix of 8 x 8 halves. Each lane gets two halves of a column. */
EXCHANGE(transposed_b32, B32, B32,
         "{.shared .align 16 .b8 rows$n[512]; .reg .b32 s, t; mov.u32 s, rows$n;"
         " mov.u32 t, %tid.x; shl.b32 t, t, 2; add.u32 t, t, s; st.shared.b32 [t], $a;"
         " bar.sync 0; mov.u32 t, %tid.x; and.b32 $d, t, 96; shl.b32 $d, $d, 2; add.u32 s, s, $d;"
         " and.b32 t, t, 7; shl.b32 t, t, 4; add.u32 t, t, s;"
         " ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {$d}, [t]; bar.sync 0;}",
         "idiom::transposed_b32($a)")
/* A product of matrices of bytes, which the lanes make from their values. */
EXCHANGE(product_b32, B32, B32,
         "{.reg .b32 x<2>, e<4>, z; not.b32 x0, $a; shf.l.wrap.b32 x1, $a, $a, 7; mov.b32 z, 0;"
         " mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {e0, e1, e2, e3}, {$a, x0, x1, $a},"
         " {x0, $a}, {z, z, z, z}; mad.lo.u32 $d, e1, 3, e0; mad.lo.u32 $d, e2, 5, $d;"
         " mad.lo.u32 $d, e3, 7, $d;}",
         "idiom::product_b32($a)")
/* clang-format on */
