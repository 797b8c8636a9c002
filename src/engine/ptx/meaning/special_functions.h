/* SPDX-License-Identifier: MIT
 *
 * Mathematical functions of CUDA that the C library lacks, or computes with too large an error.
 *
 * Arguments are values of single or double precision. Results have a higher precision, and the
 * caller rounds them once. At the points of test_libdevice.c, the error is below 0.51 ulp of double
 * precision.
 */
#ifndef SIMTCHECK_PTX_SPECIAL_FUNCTIONS_H
#define SIMTCHECK_PTX_SPECIAL_FUNCTIONS_H

/* sin(pi x) and cos(pi x). */
long double special_sinpi(long double x);
long double special_cospi(long double x);

/* exp(x^2) erfc(x). */
long double special_erfcx(long double x);

/* The inverses of erf and erfc. */
long double special_erfinv(long double y);
long double special_erfcinv(long double y);

/* The cumulative normal distribution and its inverse. */
long double special_normcdf(long double x);
long double special_normcdfinv(long double y);

/* log(|gamma(x)|), without the C library's global variable. */
long double special_lgamma(long double x);

/* The modified Bessel function of the first kind, of order 0 or 1. */
long double special_bessel_i(int order, long double x);

/* The Bessel functions of the first and second kind. They return NaN if the order is negative. */
long double special_bessel_j(int order, double x);
long double special_bessel_y(int order, double x);

/* The square root of x^2 + y^2 + z^2 + w^2. It is infinity if one of them is infinite, even if
 * another is a NaN. */
long double special_norm(long double x, long double y, long double z, long double w);

#endif
