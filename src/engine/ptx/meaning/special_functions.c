/* SPDX-License-Identifier: MIT */
#include "special_functions.h"

#include <math.h>

static const long double pi = 3.141592653589793238462643383279502884L;
static const long double two_over_root_pi = 1.128379167095512573896158903121545172L;
static const long double root_half = 0.707106781186547524400844362104849039L;

/* ---- Circular functions ---- */

/* Reduces the argument to [-1, 1], which is exact, and then to [-1/4, 1/4] around the nearest
 * multiple of 1/2. A zero has the sign of x. */
long double special_sinpi(long double x)
{
    long double turn = remainderl(x, 2), distance = fabsl(turn), sine;

    if (distance <= 0.25L)
        sine = sinl(pi * distance);
    else if (distance >= 0.75L)
        sine = sinl(pi * (1 - distance));
    else
        sine = cosl(pi * (0.5L - distance));
    return sine == 0 ? copysignl(0, x) : copysignl(sine, turn);
}

long double special_cospi(long double x)
{
    long double distance = fabsl(remainderl(x, 2));

    if (distance <= 0.25L)
        return cosl(pi * distance);
    if (distance >= 0.75L)
        return -cosl(pi * (1 - distance));
    return sinl(pi * (0.5L - distance));
}

/* ---- Error functions ---- */

/* Below 100, returns the product of both factors, with x^2 as a sum of two numbers. From 100 on,
 * uses the asymptotic series (1 - 1/2x^2 + 1*3/(2x^2)^2 - ...) / (x sqrt(pi)). */
long double special_erfcx(long double x)
{
    long double square = x * x, rest = fmal(x, x, -square), sum = 1, term = 1;

    if (x < -100)
        return INFINITY;
    if (!(x >= 100))
        return expl(square) * (1 + rest) * erfcl(x);
    for (int k = 1; k <= 6; k++) {
        term *= -(2 * k - 1) / (2 * square);
        sum += term;
    }
    return sum * two_over_root_pi / 2 / x;
}

/* Computes erfinv on [-1/2, 1/2] by Halley's iteration for erf(x) = y. */
static long double erfinv_of_center(long double y)
{
    long double x = y / two_over_root_pi;

    for (int k = 0; k < 4; k++) {
        long double excess = erfl(x) - y;
        x -= excess / (two_over_root_pi * expl(-x * x) + x * excess);
    }
    return x;
}

/* Computes erfcinv on (0, 1/2] by Halley's iteration for erfc(x) = y. The first value is Hastings's
 * approximation of the normal quantile, Abramowitz and Stegun 26.2.22, whose error is 3e-3. */
static long double erfcinv_of_tail(long double y)
{
    long double t = sqrtl(-2 * logl(y / 2));
    long double x =
        root_half * (t - (2.30753L + t * 0.27061L) / (1 + t * (0.99229L + t * 0.04481L)));

    for (int k = 0; k < 3; k++) {
        long double excess = erfcl(x) - y;
        x += excess / (two_over_root_pi * expl(-x * x) - x * excess);
    }
    return x;
}

/* The differences 1 - |y| and 1 - y are exact where they are used. */
long double special_erfinv(long double y)
{
    long double size = fabsl(y);

    if (!(size <= 1))
        return NAN;
    if (size <= 0.5L)
        return erfinv_of_center(y);
    return copysignl(size == 1 ? (long double)INFINITY : erfcinv_of_tail(1 - size), y);
}

long double special_erfcinv(long double y)
{
    if (!(y >= 0 && y <= 2))
        return NAN;
    if (y == 0)
        return INFINITY;
    return y <= 0.5L ? erfcinv_of_tail(y) : special_erfinv(1 - y);
}

/* Computes erfc(z) / 2 at z = -x / sqrt(2). The rounding error of z is amplified by 2 z in a small
 * result. The derivative of erfc corrects it. */
long double special_normcdf(long double x)
{
    long double root_rest = fmal(-root_half, root_half, 0.5L) / (2 * root_half);
    long double z = -x * root_half, rest = fmal(-x, root_half, -z) - x * root_rest;

    if (isinf(x) || !(fabsl(x) < 100))
        return erfcl(z) / 2;
    return (erfcl(z) - two_over_root_pi * expl(-z * z) * rest) / 2;
}

/* The addition turns -0 into +0. */
long double special_normcdfinv(long double y)
{
    return 0 - special_erfcinv(2 * y) / root_half;
}

/* ---- Gamma and Bessel functions ---- */

long double special_lgamma(long double x)
{
    int sign;

    return lgammal_r(x, &sign);
}

/* Uses the power series, whose terms are all positive: DLMF 10.25.2. From 30 on, uses the
 * asymptotic series, whose smallest term is below 2^-64: DLMF 10.40.1. */
long double special_bessel_i(int order, long double x)
{
    static const long double small = 0x1p-70L;
    long double size = fabsl(x), sum, term;

    if (isinf(size) || size == 0)
        return order == 0 ? (size == 0 ? 1 : size) : x;
    if (!(size >= 30)) {
        sum = term = order == 0 ? 1 : size / 2;
        for (int k = 1; term > sum * small; k++) {
            term *= size * size / (4.0L * k * (k + order));
            sum += term;
        }
        sum = size != size ? size : sum;
    } else {
        sum = term = 1;
        for (int k = 1; fabsl(term) > small; k++) {
            int odd = 2 * k - 1;
            term *= -(4 * order * order - odd * odd) / (8 * size * k);
            sum += term;
        }
        sum *= expl(size) / sqrtl(2 * pi * size);
    }
    return order == 0 ? sum : copysignl(sum, x);
}

/* These are the C library's functions for 113 bits. Its functions for fewer bits have large
 * relative errors near a zero. Clang has the type, but not the declarations of the library's
 * headers. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#define QUAD(name) name##f128
quad QUAD(jn)(int order, quad x);
quad QUAD(yn)(int order, quad x);
#else
typedef long double quad;
#define QUAD(name) name##l
#endif

long double special_bessel_j(int order, double x)
{
    if (order < 0)
        return NAN;
    if (isinf(x))
        return order % 2 == 1 ? copysignl(0, x) : 0;
    return (long double)QUAD(jn)(order, (quad)x);
}

long double special_bessel_y(int order, double x)
{
    if (order < 0)
        return NAN;
    return (long double)QUAD(yn)(order, (quad)x);
}

/* ---- Norms ---- */

/* No square of an argument overflows or underflows long double. */
long double special_norm(long double x, long double y, long double z, long double w)
{
    if (isinf(x) || isinf(y) || isinf(z) || isinf(w))
        return INFINITY;
    return sqrtl(x * x + y * y + z * z + w * w);
}
