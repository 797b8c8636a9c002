/* SPDX-License-Identifier: MIT
 *
 * Functions of floating-point numbers that the C library has not: CUDA Math API. Those that it has
 * are its own, and the fast ones are no faster and no less exact than they: the last bits may be
 * others than on a GPU.
 */
#ifndef SIMTCHECK_KERNELS_SOURCE_FLOATS_H
#define SIMTCHECK_KERNELS_SOURCE_FLOATS_H

#include <cfenv>

/* ---- Minimum and maximum: a NaN counts for nothing ---- */

static inline float min(float a, float b)
{
    return fminf(a, b);
}

static inline float max(float a, float b)
{
    return fmaxf(a, b);
}

static inline double min(double a, double b)
{
    return fmin(a, b);
}

static inline double max(double a, double b)
{
    return fmax(a, b);
}

static inline double min(float a, double b)
{
    return fmin(a, b);
}

static inline double max(float a, double b)
{
    return fmax(a, b);
}

static inline double min(double a, float b)
{
    return fmin(a, b);
}

static inline double max(double a, float b)
{
    return fmax(a, b);
}

/* ---- Roots, powers and angles ---- */

static inline float rsqrtf(float x)
{
    return static_cast<float>(1 / sqrt(static_cast<double>(x)));
}

static inline double rsqrt(double x)
{
    return 1 / sqrt(x);
}

static inline float rcbrtf(float x)
{
    return static_cast<float>(1 / cbrt(static_cast<double>(x)));
}

static inline double rcbrt(double x)
{
    return 1 / cbrt(x);
}

namespace simt_cuda
{

constexpr double PI = 3.14159265358979323846;

/* sin(pi x), of the angle within half a turn, so that whole and half numbers are exact. */
inline double sin_of_pi(double x)
{
    double turn = remainder(x, 2);

    if (turn > 0.5)
        turn = 1 - turn;
    else if (turn < -0.5)
        turn = -1 - turn;
    return sin(PI * turn);
}

inline double cos_of_pi(double x)
{
    double turn = fabs(remainder(x, 2));

    return turn == 0.5 ? 0 : sin_of_pi(0.5 - turn);
}

} // namespace simt_cuda

static inline double sinpi(double x)
{
    return simt_cuda::sin_of_pi(x);
}

static inline double cospi(double x)
{
    return simt_cuda::cos_of_pi(x);
}

static inline float sinpif(float x)
{
    return static_cast<float>(simt_cuda::sin_of_pi(static_cast<double>(x)));
}

static inline float cospif(float x)
{
    return static_cast<float>(simt_cuda::cos_of_pi(static_cast<double>(x)));
}

static inline void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}

static inline void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}

static inline float norm3df(float a, float b, float c)
{
    return static_cast<float>(
        sqrt(static_cast<double>(a) * a + static_cast<double>(b) * b + static_cast<double>(c) * c));
}

static inline float rnorm3df(float a, float b, float c)
{
    return 1 / norm3df(a, b, c);
}

static inline float norm4df(float a, float b, float c, float d)
{
    return static_cast<float>(sqrt(static_cast<double>(a) * a + static_cast<double>(b) * b +
                                   static_cast<double>(c) * c + static_cast<double>(d) * d));
}

static inline float rhypotf(float a, float b)
{
    return 1 / hypotf(a, b);
}

static inline double rhypot(double a, double b)
{
    return 1 / hypot(a, b);
}

static inline double normcdf(double x)
{
    return erfc(-x / 1.41421356237309504880) / 2;
}

static inline float normcdff(float x)
{
    return static_cast<float>(normcdf(static_cast<double>(x)));
}

static inline float __saturatef(float x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0; /* of a NaN, 0 */
}

static inline float fdividef(float a, float b)
{
    return a / b;
}

static inline float __fdividef(float a, float b)
{
    return a / b;
}

static inline float __frsqrt_rn(float x)
{
    return rsqrtf(x);
}

/* The C library has names such as __sinf of its own: device functions have these instead. */
namespace simt_cuda
{

inline float fast_sin(float x)
{
    return sinf(x);
}

inline float fast_cos(float x)
{
    return cosf(x);
}

inline float fast_tan(float x)
{
    return tanf(x);
}

inline void fast_sincos(float x, float *sine, float *cosine)
{
    *sine = sinf(x);
    *cosine = cosf(x);
}

inline float fast_exp(float x)
{
    return expf(x);
}

inline float fast_exp10(float x)
{
    return exp10f(x);
}

inline float fast_log(float x)
{
    return logf(x);
}

inline float fast_log2(float x)
{
    return log2f(x);
}

inline float fast_log10(float x)
{
    return log10f(x);
}

inline float fast_pow(float x, float y)
{
    return powf(x, y);
}

} // namespace simt_cuda

/* ---- One operation, rounded to nearest, and never joined with another ---- */

#define SIMT_OPERATIONS(prefix, type, fused, root)                                                 \
    static inline type prefix##add_rn(type a, type b)                                              \
    {                                                                                              \
        return a + b;                                                                              \
    }                                                                                              \
    static inline type prefix##sub_rn(type a, type b)                                              \
    {                                                                                              \
        return a - b;                                                                              \
    }                                                                                              \
    static inline type prefix##mul_rn(type a, type b)                                              \
    {                                                                                              \
        return a * b;                                                                              \
    }                                                                                              \
    static inline type prefix##div_rn(type a, type b)                                              \
    {                                                                                              \
        return a / b;                                                                              \
    }                                                                                              \
    static inline type prefix##rcp_rn(type a)                                                      \
    {                                                                                              \
        return 1 / a;                                                                              \
    }                                                                                              \
    static inline type prefix##sqrt_rn(type a)                                                     \
    {                                                                                              \
        return root(a);                                                                            \
    }

SIMT_OPERATIONS(__f, float, fmaf, sqrtf)
SIMT_OPERATIONS(__d, double, fma, sqrt)
#undef SIMT_OPERATIONS

static inline float __fmaf_rn(float a, float b, float c)
{
    return fmaf(a, b, c);
}

static inline double __fma_rn(double a, double b, double c)
{
    return fma(a, b, c);
}

/* ---- To integers and back: z to zero, n to nearest, d down, u up; what does not fit becomes the
 * nearest that does, and a NaN 0 (of 64 bits: the lowest) ---- */

namespace simt_cuda
{

template <typename Integer, typename Float>
inline Integer to_integer(Float rounded)
{
    constexpr bool is_long = sizeof(Integer) == 8, is_signed = Integer(-1) < 0;
    constexpr Integer lowest = is_signed ? Integer(Integer(1) << (8 * sizeof(Integer) - 1)) : 0;
    constexpr Integer highest = Integer(~lowest);

    if (rounded != rounded)
        return is_long ? Integer(Integer(1) << (8 * sizeof(Integer) - 1)) : 0;
    if (rounded >= -2 * (Float(lowest) / 2) && is_signed)
        return highest;
    if (!is_signed && rounded >= 2 * Float(Integer(1) << (8 * sizeof(Integer) - 1)))
        return highest;
    return rounded <= Float(lowest) ? lowest : static_cast<Integer>(rounded);
}

} // namespace simt_cuda

#define SIMT_CONVERSIONS(name, integer, type)                                                      \
    static inline integer name##_rz(type x)                                                        \
    {                                                                                              \
        return simt_cuda::to_integer<integer>(std::trunc(x));                                      \
    }                                                                                              \
    static inline integer name##_rn(type x)                                                        \
    {                                                                                              \
        return simt_cuda::to_integer<integer>(std::nearbyint(x));                                  \
    }                                                                                              \
    static inline integer name##_rd(type x)                                                        \
    {                                                                                              \
        return simt_cuda::to_integer<integer>(std::floor(x));                                      \
    }                                                                                              \
    static inline integer name##_ru(type x)                                                        \
    {                                                                                              \
        return simt_cuda::to_integer<integer>(std::ceil(x));                                       \
    }

SIMT_CONVERSIONS(__float2int, int, float)
SIMT_CONVERSIONS(__float2uint, unsigned int, float)
SIMT_CONVERSIONS(__float2ll, long long, float)
SIMT_CONVERSIONS(__float2ull, unsigned long long, float)
SIMT_CONVERSIONS(__double2int, int, double)
SIMT_CONVERSIONS(__double2uint, unsigned int, double)
SIMT_CONVERSIONS(__double2ll, long long, double)
SIMT_CONVERSIONS(__double2ull, unsigned long long, double)
#undef SIMT_CONVERSIONS

static inline float __int2float_rn(int x)
{
    return static_cast<float>(x);
}

static inline float __uint2float_rn(unsigned int x)
{
    return static_cast<float>(x);
}

static inline float __ll2float_rn(long long x)
{
    return static_cast<float>(x);
}

static inline float __ull2float_rn(unsigned long long x)
{
    return static_cast<float>(x);
}

static inline double __int2double_rn(int x)
{
    return x;
}

static inline double __uint2double_rn(unsigned int x)
{
    return x;
}

static inline double __ll2double_rn(long long x)
{
    return static_cast<double>(x);
}

static inline double __ull2double_rn(unsigned long long x)
{
    return static_cast<double>(x);
}

static inline float __double2float_rn(double x)
{
    return static_cast<float>(x);
}

#endif
