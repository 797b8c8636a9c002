/* SPDX-License-Identifier: MIT
 *
 * The mathematical functions that CUDA shares with the C and C++ libraries, for device code: CUDA
 * Math API, single and double precision mathematical functions. They precede <cmath>. Otherwise
 * its constexpr functions would be device functions and call functions that no device has.
 *
 * A function with a PTX instruction is a builtin of clang. The others are functions of libdevice,
 * which clang's own header declares.
 */
#ifndef SIMTCHECK_CLANG_MATH_DEVICE_H
#define SIMTCHECK_CLANG_MATH_DEVICE_H

#include <__clang_cuda_libdevice_declares.h>

/* src/device/clang.c defines this macro for -use_fast_math. */
#ifdef __USE_FAST_MATH__
#define SIMT_FAST(name) __nv_fast_##name
#else
#define SIMT_FAST(name) __nv_##name
#endif

SIMT_ON_DEVICE float simt_sqrtf(float x)
{
#ifdef __USE_FAST_MATH__
    float result;
    __asm__("sqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return __builtin_sqrtf(x);
#endif
}

/* double for an integer type. clang 14 cannot mangle a template that uses __is_integral(). */
template <typename Type>
struct simt_of_integer {
};
#define SIMT_INTEGER(integer)                                                                      \
    template <>                                                                                    \
    struct simt_of_integer<integer> {                                                              \
        typedef double type;                                                                       \
    };
SIMT_INTEGER(bool)
SIMT_INTEGER(char)
SIMT_INTEGER(signed char)
SIMT_INTEGER(unsigned char)
SIMT_INTEGER(short)
SIMT_INTEGER(unsigned short)
SIMT_INTEGER(int)
SIMT_INTEGER(unsigned int)
SIMT_INTEGER(long)
SIMT_INTEGER(unsigned long)
SIMT_INTEGER(long long)
SIMT_INTEGER(unsigned long long)
#undef SIMT_INTEGER

/* From C: single and double precision. From C++: overloads for float and for integers. */
#define SIMT_FUNCTION_1(name, of_float, of_double)                                                 \
    SIMT_ON_DEVICE float name##f(float x)                                                          \
    {                                                                                              \
        return of_float(x);                                                                        \
    }                                                                                              \
    SIMT_ON_DEVICE double name(double x)                                                           \
    {                                                                                              \
        return of_double(x);                                                                       \
    }                                                                                              \
    SIMT_ON_DEVICE float name(float x)                                                             \
    {                                                                                              \
        return of_float(x);                                                                        \
    }                                                                                              \
    template <typename Integer>                                                                    \
    SIMT_ON_DEVICE typename simt_of_integer<Integer>::type name(Integer x)                         \
    {                                                                                              \
        return of_double(static_cast<double>(x));                                                  \
    }
#define SIMT_FUNCTION_2(name, of_float, of_double)                                                 \
    SIMT_ON_DEVICE float name##f(float x, float y)                                                 \
    {                                                                                              \
        return of_float(x, y);                                                                     \
    }                                                                                              \
    SIMT_ON_DEVICE double name(double x, double y)                                                 \
    {                                                                                              \
        return of_double(x, y);                                                                    \
    }                                                                                              \
    SIMT_ON_DEVICE float name(float x, float y)                                                    \
    {                                                                                              \
        return of_float(x, y);                                                                     \
    }                                                                                              \
    SIMT_ON_DEVICE double name(double x, float y)                                                  \
    {                                                                                              \
        return of_double(x, static_cast<double>(y));                                               \
    }                                                                                              \
    SIMT_ON_DEVICE double name(float x, double y)                                                  \
    {                                                                                              \
        return of_double(static_cast<double>(x), y);                                               \
    }                                                                                              \
    template <typename Integer>                                                                    \
    SIMT_ON_DEVICE typename simt_of_integer<Integer>::type name(double x, Integer y)               \
    {                                                                                              \
        return of_double(x, static_cast<double>(y));                                               \
    }                                                                                              \
    template <typename Integer>                                                                    \
    SIMT_ON_DEVICE typename simt_of_integer<Integer>::type name(Integer x, double y)               \
    {                                                                                              \
        return of_double(static_cast<double>(x), y);                                               \
    }
#define SIMT_LIBDEVICE_1(name) SIMT_FUNCTION_1(name, __nv_##name##f, __nv_##name)
#define SIMT_LIBDEVICE_2(name) SIMT_FUNCTION_2(name, __nv_##name##f, __nv_##name)
#define SIMT_BUILTIN_1(name) SIMT_FUNCTION_1(name, __builtin_##name##f, __builtin_##name)
#define SIMT_BUILTIN_2(name) SIMT_FUNCTION_2(name, __builtin_##name##f, __builtin_##name)
#define SIMT_FAST_1(name) SIMT_FUNCTION_1(name, SIMT_FAST(name##f), __nv_##name)

SIMT_LIBDEVICE_1(acos)
SIMT_LIBDEVICE_1(acosh)
SIMT_LIBDEVICE_1(asin)
SIMT_LIBDEVICE_1(asinh)
SIMT_LIBDEVICE_1(atan)
SIMT_LIBDEVICE_1(atanh)
SIMT_LIBDEVICE_1(cbrt)
SIMT_LIBDEVICE_1(cosh)
SIMT_LIBDEVICE_1(erf)
SIMT_LIBDEVICE_1(erfc)
SIMT_LIBDEVICE_1(exp2)
SIMT_LIBDEVICE_1(expm1)
SIMT_LIBDEVICE_1(lgamma)
SIMT_LIBDEVICE_1(log1p)
SIMT_LIBDEVICE_1(logb)
SIMT_LIBDEVICE_1(sinh)
SIMT_LIBDEVICE_1(tanh)
SIMT_LIBDEVICE_1(tgamma)
SIMT_FAST_1(cos)
SIMT_FAST_1(exp)
SIMT_FAST_1(log)
SIMT_FAST_1(log10)
SIMT_FAST_1(log2)
SIMT_FAST_1(sin)
SIMT_FAST_1(tan)
SIMT_BUILTIN_1(ceil)
SIMT_BUILTIN_1(fabs)
SIMT_BUILTIN_1(floor)
SIMT_BUILTIN_1(nearbyint)
SIMT_BUILTIN_1(rint)
SIMT_FUNCTION_1(sqrt, simt_sqrtf, __builtin_sqrt)
SIMT_BUILTIN_1(trunc)
SIMT_LIBDEVICE_1(round)
SIMT_LIBDEVICE_2(atan2)
SIMT_LIBDEVICE_2(fdim)
SIMT_LIBDEVICE_2(fmod)
SIMT_LIBDEVICE_2(hypot)
SIMT_LIBDEVICE_2(nextafter)
SIMT_FUNCTION_2(pow, SIMT_FAST(powf), __nv_pow)
SIMT_LIBDEVICE_2(remainder)
SIMT_BUILTIN_2(copysign)
SIMT_BUILTIN_2(fmax)
SIMT_BUILTIN_2(fmin)

#undef SIMT_FUNCTION_1
#undef SIMT_FUNCTION_2
#undef SIMT_LIBDEVICE_1
#undef SIMT_LIBDEVICE_2
#undef SIMT_BUILTIN_1
#undef SIMT_BUILTIN_2
#undef SIMT_FAST_1

/* Defines `type name(parameters)` as a call of `called(arguments)`. */
#define SIMT_CALL(type, name, parameters, called, arguments)                                       \
    SIMT_ON_DEVICE type name parameters                                                            \
    {                                                                                              \
        return static_cast<type>(called arguments);                                                \
    }

SIMT_CALL(float, fmaf, (float x, float y, float z), __builtin_fmaf, (x, y, z))
SIMT_CALL(float, fma, (float x, float y, float z), __builtin_fmaf, (x, y, z))
SIMT_CALL(double, fma, (double x, double y, double z), __builtin_fma, (x, y, z))
SIMT_CALL(float, pow, (float x, int n), __nv_powif, (x, n))
SIMT_CALL(double, pow, (double x, int n), __nv_powi, (x, n))
SIMT_CALL(float, ldexpf, (float x, int n), __nv_ldexpf, (x, n))
SIMT_CALL(float, ldexp, (float x, int n), __nv_ldexpf, (x, n))
SIMT_CALL(double, ldexp, (double x, int n), __nv_ldexp, (x, n))
SIMT_CALL(float, scalbnf, (float x, int n), __nv_scalbnf, (x, n))
SIMT_CALL(float, scalbn, (float x, int n), __nv_scalbnf, (x, n))
SIMT_CALL(double, scalbn, (double x, int n), __nv_scalbn, (x, n))
SIMT_CALL(int, ilogbf, (float x), __nv_ilogbf, (x))
SIMT_CALL(int, ilogb, (float x), __nv_ilogbf, (x))
SIMT_CALL(int, ilogb, (double x), __nv_ilogb, (x))
SIMT_CALL(float, frexpf, (float x, int *n), __nv_frexpf, (x, n))
SIMT_CALL(float, frexp, (float x, int *n), __nv_frexpf, (x, n))
SIMT_CALL(double, frexp, (double x, int *n), __nv_frexp, (x, n))
SIMT_CALL(float, modff, (float x, float *whole), __nv_modff, (x, whole))
SIMT_CALL(float, modf, (float x, float *whole), __nv_modff, (x, whole))
SIMT_CALL(double, modf, (double x, double *whole), __nv_modf, (x, whole))
SIMT_CALL(float, remquof, (float x, float y, int *n), __nv_remquof, (x, y, n))
SIMT_CALL(float, remquo, (float x, float y, int *n), __nv_remquof, (x, y, n))
SIMT_CALL(double, remquo, (double x, double y, int *n), __nv_remquo, (x, y, n))
SIMT_CALL(long long, llrintf, (float x), __nv_llrintf, (x))
SIMT_CALL(long long, llrint, (float x), __nv_llrintf, (x))
SIMT_CALL(long long, llrint, (double x), __nv_llrint, (x))
SIMT_CALL(long, lrintf, (float x), __nv_llrintf, (x))
SIMT_CALL(long, lrint, (float x), __nv_llrintf, (x))
SIMT_CALL(long, lrint, (double x), __nv_llrint, (x))
SIMT_CALL(long long, llroundf, (float x), __nv_llroundf, (x))
SIMT_CALL(long long, llround, (float x), __nv_llroundf, (x))
SIMT_CALL(long long, llround, (double x), __nv_llround, (x))
SIMT_CALL(long, lroundf, (float x), __nv_llroundf, (x))
SIMT_CALL(long, lround, (float x), __nv_llroundf, (x))
SIMT_CALL(long, lround, (double x), __nv_llround, (x))
SIMT_CALL(int, abs, (int x), __builtin_abs, (x))
SIMT_CALL(long, abs, (long x), __builtin_labs, (x))
SIMT_CALL(long long, abs, (long long x), __builtin_llabs, (x))
SIMT_CALL(float, abs, (float x), __builtin_fabsf, (x))
SIMT_CALL(double, abs, (double x), __builtin_fabs, (x))
SIMT_CALL(float, nanf, (const char *), __builtin_nanf, (""))
SIMT_CALL(double, nan, (const char *), __builtin_nan, (""))
SIMT_CALL(long, labs, (long x), __builtin_labs, (x))
SIMT_CALL(long long, llabs, (long long x), __builtin_llabs, (x))

/* Copies bytes. The builtins become loads and stores as wide as the argument types allow. So these
 * functions are templates: a parameter of type void * would allow only bytes. */
template <typename To, typename From>
SIMT_ON_DEVICE void *memcpy(To *to, const From *from, __SIZE_TYPE__ size)
{
    return __builtin_memcpy(to, from, size);
}

template <typename To, typename From>
SIMT_ON_DEVICE void *memmove(To *to, const From *from, __SIZE_TYPE__ size)
{
    return __builtin_memmove(to, from, size);
}

template <typename To>
SIMT_ON_DEVICE void *memset(To *to, int byte, __SIZE_TYPE__ size)
{
    return __builtin_memset(to, byte, size);
}

/* The names that C++ code may call through std. */
namespace std
{

using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::ldexp;
using ::lgamma;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::lrint;
using ::lround;
using ::memcpy;
using ::memmove;
using ::memset;
using ::modf;
using ::nan;
using ::nanf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::remquo;
using ::rint;
using ::round;
using ::scalbn;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;

} // namespace std

#endif
