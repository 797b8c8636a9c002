/* SPDX-License-Identifier: MIT
 *
 * Floating-point functions that only CUDA has: CUDA Math API, mathematical functions and
 * intrinsics. math_device.h has the functions of the C library.
 */
#ifndef SIMTCHECK_CLANG_FLOATS_H
#define SIMTCHECK_CLANG_FLOATS_H

/* ---- Minimum and maximum: of a NaN and a number, the number ---- */

#define SIMT_EXTREMA(type, a_type, b_type, least, greatest)                                        \
    SIMT_ON_BOTH type min(a_type a, b_type b)                                                      \
    {                                                                                              \
        return least(a, b);                                                                        \
    }                                                                                              \
    SIMT_ON_BOTH type max(a_type a, b_type b)                                                      \
    {                                                                                              \
        return greatest(a, b);                                                                     \
    }

SIMT_EXTREMA(float, float, float, __builtin_fminf, __builtin_fmaxf)
SIMT_EXTREMA(double, double, double, __builtin_fmin, __builtin_fmax)
SIMT_EXTREMA(double, float, double, __builtin_fmin, __builtin_fmax)
SIMT_EXTREMA(double, double, float, __builtin_fmin, __builtin_fmax)
#undef SIMT_EXTREMA

/* ---- Functions of libdevice ---- */

#define SIMT_LIBDEVICE_1(name)                                                                     \
    SIMT_CALL(double, name, (double x), __nv_##name, (x))                                          \
    SIMT_CALL(float, name##f, (float x), __nv_##name##f, (x))                                      \
    SIMT_CALL(float, name, (float x), __nv_##name##f, (x))

SIMT_LIBDEVICE_1(cospi)
SIMT_LIBDEVICE_1(cyl_bessel_i0)
SIMT_LIBDEVICE_1(cyl_bessel_i1)
SIMT_LIBDEVICE_1(erfcinv)
SIMT_LIBDEVICE_1(erfcx)
SIMT_LIBDEVICE_1(erfinv)
SIMT_LIBDEVICE_1(normcdf)
SIMT_LIBDEVICE_1(normcdfinv)
SIMT_LIBDEVICE_1(rcbrt)
SIMT_LIBDEVICE_1(rsqrt)
SIMT_LIBDEVICE_1(sinpi)
#undef SIMT_LIBDEVICE_1

SIMT_CALL(double, exp10, (double x), __nv_exp10, (x))
SIMT_CALL(float, exp10f, (float x), SIMT_FAST(exp10f), (x))
SIMT_CALL(float, exp10, (float x), SIMT_FAST(exp10f), (x))
SIMT_CALL(double, j0, (double x), __nv_j0, (x))
SIMT_CALL(float, j0f, (float x), __nv_j0f, (x))
SIMT_CALL(double, j1, (double x), __nv_j1, (x))
SIMT_CALL(float, j1f, (float x), __nv_j1f, (x))
SIMT_CALL(double, jn, (int n, double x), __nv_jn, (n, x))
SIMT_CALL(float, jnf, (int n, float x), __nv_jnf, (n, x))
SIMT_CALL(double, y0, (double x), __nv_y0, (x))
SIMT_CALL(float, y0f, (float x), __nv_y0f, (x))
SIMT_CALL(double, y1, (double x), __nv_y1, (x))
SIMT_CALL(float, y1f, (float x), __nv_y1f, (x))
SIMT_CALL(double, yn, (int n, double x), __nv_yn, (n, x))
SIMT_CALL(float, ynf, (int n, float x), __nv_ynf, (n, x))
SIMT_CALL(double, rhypot, (double x, double y), __nv_rhypot, (x, y))
SIMT_CALL(float, rhypotf, (float x, float y), __nv_rhypotf, (x, y))
SIMT_CALL(double, norm3d, (double a, double b, double c), __nv_norm3d, (a, b, c))
SIMT_CALL(float, norm3df, (float a, float b, float c), __nv_norm3df, (a, b, c))
SIMT_CALL(double, rnorm3d, (double a, double b, double c), __nv_rnorm3d, (a, b, c))
SIMT_CALL(float, rnorm3df, (float a, float b, float c), __nv_rnorm3df, (a, b, c))
SIMT_CALL(double, norm4d, (double a, double b, double c, double d), __nv_norm4d, (a, b, c, d))
SIMT_CALL(float, norm4df, (float a, float b, float c, float d), __nv_norm4df, (a, b, c, d))
SIMT_CALL(double, rnorm4d, (double a, double b, double c, double d), __nv_rnorm4d, (a, b, c, d))
SIMT_CALL(float, rnorm4df, (float a, float b, float c, float d), __nv_rnorm4df, (a, b, c, d))
SIMT_CALL(void, sincos, (double x, double *sine, double *cosine), __nv_sincos, (x, sine, cosine))
SIMT_CALL(void, sincosf, (float x, float *sine, float *cosine), SIMT_FAST(sincosf),
          (x, sine, cosine))
SIMT_CALL(void, sincospi, (double x, double *sine, double *cosine), __nv_sincospi,
          (x, sine, cosine))
SIMT_CALL(void, sincospif, (float x, float *sine, float *cosine), __nv_sincospif, (x, sine, cosine))

/* The fast functions, and the quotient that CUDA allows to be inexact. */
SIMT_CALL(float, __cosf, (float x), __nv_fast_cosf, (x))
SIMT_CALL(float, __exp10f, (float x), __nv_fast_exp10f, (x))
SIMT_CALL(float, __expf, (float x), __nv_fast_expf, (x))
SIMT_CALL(float, __log10f, (float x), __nv_fast_log10f, (x))
SIMT_CALL(float, __log2f, (float x), __nv_fast_log2f, (x))
SIMT_CALL(float, __logf, (float x), __nv_fast_logf, (x))
SIMT_CALL(float, __powf, (float x, float y), __nv_fast_powf, (x, y))
SIMT_CALL(float, __sinf, (float x), __nv_fast_sinf, (x))
SIMT_CALL(float, __tanf, (float x), __nv_fast_tanf, (x))
SIMT_CALL(float, __fdividef, (float x, float y), __nv_fast_fdividef, (x, y))
SIMT_CALL(float, fdividef, (float x, float y), __nv_fast_fdividef, (x, y))
SIMT_CALL(void, __sincosf, (float x, float *sine, float *cosine), __nv_fast_sincosf,
          (x, sine, cosine))

/* ---- One operation in a given rounding mode, which the compiler does not fuse ---- */

#define SIMT_ASM_1(type, name, instruction, letter)                                                \
    SIMT_ON_DEVICE type name(type a)                                                               \
    {                                                                                              \
        type result;                                                                               \
        __asm__(instruction " %0, %1;" : "=" letter(result) : letter(a));                          \
        return result;                                                                             \
    }
#define SIMT_ASM_2(type, name, instruction, letter)                                                \
    SIMT_ON_DEVICE type name(type a, type b)                                                       \
    {                                                                                              \
        type result;                                                                               \
        __asm__(instruction " %0, %1, %2;" : "=" letter(result) : letter(a), letter(b));           \
        return result;                                                                             \
    }
#define SIMT_ASM_3(type, name, instruction, letter)                                                \
    SIMT_ON_DEVICE type name(type a, type b, type c)                                               \
    {                                                                                              \
        type result;                                                                               \
        __asm__(instruction " %0, %1, %2, %3;"                                                     \
                : "=" letter(result)                                                               \
                : letter(a), letter(b), letter(c));                                                \
        return result;                                                                             \
    }

/* The rounding modes to nearest, to zero, up and down, by their names in CUDA and in PTX. */
#define SIMT_ROUNDED(rounding, suffix)                                                             \
    SIMT_ASM_2(float, __fadd_##rounding, "add." suffix ".f32", "f")                                \
    SIMT_ASM_2(float, __fsub_##rounding, "sub." suffix ".f32", "f")                                \
    SIMT_ASM_2(float, __fmul_##rounding, "mul." suffix ".f32", "f")                                \
    SIMT_ASM_2(float, __fdiv_##rounding, "div." suffix ".f32", "f")                                \
    SIMT_ASM_1(float, __frcp_##rounding, "rcp." suffix ".f32", "f")                                \
    SIMT_ASM_1(float, __fsqrt_##rounding, "sqrt." suffix ".f32", "f")                              \
    SIMT_ASM_3(float, __fmaf_##rounding, "fma." suffix ".f32", "f")                                \
    SIMT_ASM_3(float, __fmaf_ieee_##rounding, "fma." suffix ".f32", "f")                           \
    SIMT_ASM_2(double, __dadd_##rounding, "add." suffix ".f64", "d")                               \
    SIMT_ASM_2(double, __dsub_##rounding, "sub." suffix ".f64", "d")                               \
    SIMT_ASM_2(double, __dmul_##rounding, "mul." suffix ".f64", "d")                               \
    SIMT_ASM_2(double, __ddiv_##rounding, "div." suffix ".f64", "d")                               \
    SIMT_ASM_1(double, __drcp_##rounding, "rcp." suffix ".f64", "d")                               \
    SIMT_ASM_1(double, __dsqrt_##rounding, "sqrt." suffix ".f64", "d")                             \
    SIMT_ASM_3(double, __fma_##rounding, "fma." suffix ".f64", "d")

SIMT_ROUNDED(rn, "rn")
SIMT_ROUNDED(rz, "rz")
SIMT_ROUNDED(ru, "rp")
SIMT_ROUNDED(rd, "rm")
#undef SIMT_ROUNDED

SIMT_CALL(float, __frsqrt_rn, (float x), __nv_frsqrt_rn, (x))
SIMT_ASM_1(float, __saturatef, "cvt.sat.f32.f32", "f")

/* ---- Conversions: z to zero, n to nearest, d down, u up ---- */

#define SIMT_CONVERT(to, from, name, instruction, to_letter, from_letter)                          \
    SIMT_ON_DEVICE to name(from x)                                                                 \
    {                                                                                              \
        to result;                                                                                 \
        __asm__(instruction " %0, %1;" : "=" to_letter(result) : from_letter(x));                  \
        return result;                                                                             \
    }
#define SIMT_TO_INTEGER(to, from, name, types, to_letter, from_letter)                             \
    SIMT_CONVERT(to, from, name##_rn, "cvt.rni." types, to_letter, from_letter)                    \
    SIMT_CONVERT(to, from, name##_rz, "cvt.rzi." types, to_letter, from_letter)                    \
    SIMT_CONVERT(to, from, name##_ru, "cvt.rpi." types, to_letter, from_letter)                    \
    SIMT_CONVERT(to, from, name##_rd, "cvt.rmi." types, to_letter, from_letter)
#define SIMT_TO_FLOAT(to, from, name, types, to_letter, from_letter)                               \
    SIMT_CONVERT(to, from, name##_rn, "cvt.rn." types, to_letter, from_letter)                     \
    SIMT_CONVERT(to, from, name##_rz, "cvt.rz." types, to_letter, from_letter)                     \
    SIMT_CONVERT(to, from, name##_ru, "cvt.rp." types, to_letter, from_letter)                     \
    SIMT_CONVERT(to, from, name##_rd, "cvt.rm." types, to_letter, from_letter)

SIMT_TO_INTEGER(int, float, __float2int, "s32.f32", "r", "f")
SIMT_TO_INTEGER(unsigned int, float, __float2uint, "u32.f32", "r", "f")
SIMT_TO_INTEGER(long long, float, __float2ll, "s64.f32", "l", "f")
SIMT_TO_INTEGER(unsigned long long, float, __float2ull, "u64.f32", "l", "f")
SIMT_TO_INTEGER(int, double, __double2int, "s32.f64", "r", "d")
SIMT_TO_INTEGER(unsigned int, double, __double2uint, "u32.f64", "r", "d")
SIMT_TO_INTEGER(long long, double, __double2ll, "s64.f64", "l", "d")
SIMT_TO_INTEGER(unsigned long long, double, __double2ull, "u64.f64", "l", "d")
SIMT_TO_FLOAT(float, int, __int2float, "f32.s32", "f", "r")
SIMT_TO_FLOAT(float, unsigned int, __uint2float, "f32.u32", "f", "r")
SIMT_TO_FLOAT(float, long long, __ll2float, "f32.s64", "f", "l")
SIMT_TO_FLOAT(float, unsigned long long, __ull2float, "f32.u64", "f", "l")
SIMT_TO_FLOAT(double, long long, __ll2double, "f64.s64", "d", "l")
SIMT_TO_FLOAT(double, unsigned long long, __ull2double, "f64.u64", "d", "l")
SIMT_TO_FLOAT(float, double, __double2float, "f32.f64", "f", "d")
SIMT_CONVERT(double, int, __int2double_rn, "cvt.rn.f64.s32", "d", "r")
SIMT_CONVERT(double, unsigned int, __uint2double_rn, "cvt.rn.f64.u32", "d", "r")
#undef SIMT_TO_INTEGER
#undef SIMT_TO_FLOAT
#undef SIMT_CONVERT

#endif
