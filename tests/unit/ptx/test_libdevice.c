/* SPDX-License-Identifier: MIT
 *
 * The libdevice functions: which ones exist, and what they compute. References have 113 bits. The
 * last test checks that an earlier test has called every function.
 */
#include "check.h"

#include "libdevice.h"
#include "types.h"

#include <math.h>

/* ---- Names ---- */

/* The functions in the libdevice User's Guide, CUDA 13, without __nv_. */
static const char guide[] =
    "abs acos acosf acosh acoshf asin asinf asinh asinhf atan atan2 atan2f atanf atanh atanhf "
    "brev brevll byte_perm cbrt cbrtf ceil ceilf clz clzll copysign copysignf cos cosf cosh "
    "coshf cospi cospif cyl_bessel_i0 cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f dadd_rd "
    "dadd_rn dadd_ru dadd_rz ddiv_rd ddiv_rn ddiv_ru ddiv_rz dmul_rd dmul_rn dmul_ru dmul_rz "
    "double2float_rd double2float_rn double2float_ru double2float_rz double2hiint double2int_rd "
    "double2int_rn double2int_ru double2int_rz double2ll_rd double2ll_rn double2ll_ru "
    "double2ll_rz double2loint double2uint_rd double2uint_rn double2uint_ru double2uint_rz "
    "double2ull_rd double2ull_rn double2ull_ru double2ull_rz double_as_longlong drcp_rd drcp_rn "
    "drcp_ru drcp_rz dsqrt_rd dsqrt_rn dsqrt_ru dsqrt_rz dsub_rd dsub_rn dsub_ru dsub_rz erf "
    "erfc erfcf erfcinv erfcinvf erfcx erfcxf erff erfinv erfinvf exp exp10 exp10f exp2 exp2f "
    "expf expm1 expm1f fabs fabsf fadd_rd fadd_rn fadd_ru fadd_rz fast_cosf fast_exp10f "
    "fast_expf fast_fdividef fast_log10f fast_log2f fast_logf fast_powf fast_sincosf fast_sinf "
    "fast_tanf fast_tanhf fdim fdimf fdiv_rd fdiv_rn fdiv_ru fdiv_rz ffs ffsll finitef "
    "float2half_rn float2int_rd float2int_rn float2int_ru float2int_rz float2ll_rd float2ll_rn "
    "float2ll_ru float2ll_rz float2uint_rd float2uint_rn float2uint_ru float2uint_rz "
    "float2ull_rd float2ull_rn float2ull_ru float2ull_rz float_as_int float_as_uint floor floorf "
    "fma fma_rd fma_rn fma_ru fma_rz fmaf fmaf_ieee_rd fmaf_ieee_rn fmaf_ieee_ru fmaf_ieee_rz "
    "fmaf_rd fmaf_rn fmaf_ru fmaf_rz fmax fmaxf fmin fminf fmod fmodf fmul_rd fmul_rn fmul_ru "
    "fmul_rz frcp_rd frcp_rn frcp_ru frcp_rz frexp frexpf frsqrt_rn fsqrt_rd fsqrt_rn fsqrt_ru "
    "fsqrt_rz fsub_rd fsub_rn fsub_ru fsub_rz hadd half2float hiloint2double hypot hypotf ilogb "
    "ilogbf int2double_rn int2float_rd int2float_rn int2float_ru int2float_rz int_as_float "
    "isfinited isinfd isinff isnand isnanf j0 j0f j1 j1f jn jnf ldexp ldexpf lgamma lgammaf "
    "ll2double_rd ll2double_rn ll2double_ru ll2double_rz ll2float_rd ll2float_rn ll2float_ru "
    "ll2float_rz llabs llmax llmin llrint llrintf llround llroundf log log10 log10f log1p log1pf "
    "log2 log2f logb logbf logf longlong_as_double max min modf modff mul24 mul64hi mulhi nan "
    "nanf nearbyint nearbyintf nextafter nextafterf norm norm3d norm3df norm4d norm4df normcdf "
    "normcdff normcdfinv normcdfinvf normf popc popcll pow powf powi powif rcbrt rcbrtf rcp64h "
    "remainder remainderf remquo remquof rhadd rhypot rhypotf rint rintf rnorm rnorm3d rnorm3df "
    "rnorm4d rnorm4df rnormf round roundf rsqrt rsqrtf sad saturatef scalbn scalbnf signbitd "
    "signbitf sin sincos sincosf sincospi sincospif sinf sinh sinhf sinpi sinpif sqrt sqrtf tan "
    "tanf tanh tanhf tgamma tgammaf trunc truncf uhadd uint2double_rn uint2float_rd "
    "uint2float_rn uint2float_ru uint2float_rz uint_as_float ull2double_rd ull2double_rn "
    "ull2double_ru ull2double_rz ull2float_rd ull2float_rn ull2float_ru ull2float_rz ullmax "
    "ullmin umax umin umul24 umul64hi umulhi urhadd usad y0 y0f y1 y1f yn ynf";

TEST(test_names_match_the_libdevice_guide)
{
    char names[sizeof guide], *rest = NULL;
    unsigned count = 0;

    memcpy(names, guide, sizeof guide);
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        char whole[64];
        snprintf(whole, sizeof whole, "__nv_%s", name);
        if (libdevice_find(whole) == NULL)
            fail_msg("%s is missing", whole);
        count++;
    }
    assert_int_equal(count, libdevice_count);
    assert_null(libdevice_find("__nv_"));
    assert_null(libdevice_find("__nv_sinff"));
}

TEST(test_names_are_sorted)
{
    for (unsigned k = 1; k < libdevice_count; k++)
        assert_true(strcmp(libdevice_functions[k - 1].name, libdevice_functions[k].name) < 0);
}

/* ---- Calls ---- */

static bool is_called[400];

/* Returns the function, which must exist with that result and these parameters. */
static const struct libdevice_function *function(const char *name, const char *result,
                                                 const char *parameters)
{
    char whole[64];
    const struct libdevice_function *found;

    snprintf(whole, sizeof whole, "__nv_%s", name);
    found = libdevice_find(whole);
    if (found == NULL)
        fail_msg("%s is missing", whole);
    if (strcmp(found->result, result) != 0 || strcmp(found->parameters, parameters) != 0)
        fail_msg("%s: %s (%s)", whole, found->result, found->parameters);
    is_called[found - libdevice_functions] = true;
    return found;
}

static uint64_t call(const struct libdevice_function *called, const uint64_t arguments[4],
                     struct libdevice_stores *stores)
{
    struct libdevice_stores none = {0};
    uint64_t result = 0;

    called->run(&result, arguments, stores != NULL ? stores : &none);
    return result;
}

/* ---- Accuracy ---- */

#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#define QUAD(name) name##f128
#define UNARY(name) quad QUAD(name)(quad);
/* Clang does not declare these. */
UNARY(acos)
UNARY(acosh)
UNARY(asin)
UNARY(asinh)
UNARY(atan)
UNARY(atanh)
UNARY(cbrt)
UNARY(cos)
UNARY(cosh)
UNARY(erf)
UNARY(erfc)
UNARY(exp)
UNARY(exp10)
UNARY(exp2)
UNARY(expm1)
UNARY(log)
UNARY(log10)
UNARY(log1p)
UNARY(log2)
UNARY(sin)
UNARY(sinh)
UNARY(sqrt)
UNARY(tan)
UNARY(tanh)
UNARY(tgamma)
quad QUAD(atan2)(quad, quad);
quad QUAD(pow)(quad, quad);
quad lgammaf128_r(quad, int *);
#define QUAD_LGAMMA lgammaf128_r
static const quad pi = (quad)3.141592653589793115997963468544185161590576171875L +
                       (quad)1.224646799147353177226065932275001058e-16L;
#else
typedef long double quad;
#define QUAD(name) name##l
#define QUAD_LGAMMA lgammal_r
static const quad pi = 3.141592653589793238462643383279502884L;
#endif

/* Returns pi with more bits than one constant of 64 bits has. */
static quad exact_pi(void)
{
    quad x = pi;

    return x + QUAD(sin)(x);
}

enum { POINTS = 300 };

static uint64_t seed;

/* Returns a random number from 0 to 1. */
static double draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(seed >> 11) * 0x1p-53;
}

/* Draws from a range: the ends, the smallest numbers, then with even distribution in the value or
 * in the exponent. */
static double draw_within(double low, double high, unsigned turn, bool is_single)
{
    double small = is_single ? 0x1p-149 : 0x1p-1074, value;

    if (turn < 6) {
        const double ends[] = {low, high, small, -small, 3 * small, 1};
        value = ends[turn];
    } else if (turn % 2 == 0) {
        value = low + (high - low) * draw();
    } else {
        value = exp2(draw() * 40 - 38) * (draw() < 0.5 ? low : high);
    }
    value = is_single ? (double)(float)value : value;
    return value >= low && value <= high ? value : is_single ? (double)(float)high : high;
}

/* Returns the error of a result in units of the last place of the exact value. */
static double error_of(uint64_t bits, quad exact, bool is_single)
{
    double result = is_single ? (double)f32_of_bits((uint32_t)bits) : f64_of_bits(bits);
    int least = is_single ? -126 : -1022, digits = is_single ? 23 : 52;
    long double rounded = (long double)exact;
    int exponent = rounded == 0 ? least : ilogbl(rounded);

    if (exponent < least)
        exponent = least;
    if (exponent > (is_single ? 127 : 1023))
        return isinf(result) && (result > 0) == (rounded > 0) ? 0 : (double)INFINITY;
    return fabs((double)ldexpl((long double)((quad)result - exact), digits - exponent));
}

static const char *const parameters_of[2][5] = {
    {"", "f64", "f64 f64", "f64 f64 f64", "f64 f64 f64 f64"},
    {"", "f32", "f32 f32", "f32 f32 f32", "f32 f32 f32 f32"},
};

/* A function of one to four values of the same type, and its reference. `got` is the result, for
 * references that improve it by a step of Newton's iteration. */
struct accuracy {
    const char *name;
    unsigned count;
    quad (*reference)(const quad *x, quad got);
    double low, high; /* for double precision; single precision uses its part of the range */
    double single_low, single_high;
    double bound; /* in ulp, for double precision; the C library's bound where that computes it */
};

static double worst_error(const struct accuracy *row, bool is_single, double worst_at[4])
{
    char name[32];
    const struct libdevice_function *called;
    double worst = 0;

    snprintf(name, sizeof name, is_single ? "%sf" : "%s", row->name);
    called = function(name, is_single ? "f32" : "f64", parameters_of[is_single][row->count]);
    seed = 1;
    for (unsigned turn = 0; turn < POINTS; turn++) {
        uint64_t arguments[4], bits;
        quad x[4], got;
        double error, values[4] = {0};
        for (unsigned k = 0; k < row->count; k++) {
            values[k] = draw_within(is_single ? row->single_low : row->low,
                                    is_single ? row->single_high : row->high,
                                    k == 0 ? turn : turn + 6, is_single);
            x[k] = (quad)values[k];
            arguments[k] = is_single ? bits_of_f32((float)values[k]) : bits_of_f64(values[k]);
        }
        bits = call(called, arguments, NULL);
        got = is_single ? (quad)f32_of_bits((uint32_t)bits) : (quad)f64_of_bits(bits);
        error = error_of(bits, row->reference(x, got), is_single);
        if (!(error <= worst)) {
            worst = error;
            memcpy(worst_at, values, sizeof values);
        }
        if (error != error)
            break;
    }
    return worst;
}

#define REFERENCE(name, value)                                                                     \
    static quad name##_of(const quad *x, quad got)                                                 \
    {                                                                                              \
        (void)got;                                                                                 \
        return value;                                                                              \
    }
#define SAME(name) REFERENCE(name, QUAD(name)(x[0]))
SAME(acos)
SAME(acosh)
SAME(asin)
SAME(asinh)
SAME(atan)
SAME(atanh)
SAME(cbrt)
SAME(cos)
SAME(cosh)
SAME(erf)
SAME(erfc)
SAME(exp)
SAME(exp10)
SAME(exp2)
SAME(expm1)
SAME(log)
SAME(log10)
SAME(log1p)
SAME(log2)
SAME(sin)
SAME(sinh)
SAME(sqrt)
SAME(tan)
SAME(tanh)
SAME(tgamma)
REFERENCE(atan2, QUAD(atan2)(x[0], x[1]))
REFERENCE(pow, QUAD(pow)(x[0], x[1]))
REFERENCE(rsqrt, 1 / QUAD(sqrt)(x[0]))
REFERENCE(rcbrt, 1 / QUAD(cbrt)(x[0]))
/* Reduces to the nearest whole number, because a rounded pi would not give an exact zero. */
static quad sinpi_of(const quad *x, quad got)
{
    double whole = rint((double)x[0]);
    quad sine = QUAD(sin)(exact_pi() * (x[0] - (quad)whole));

    (void)got;
    return fmod(whole, 2) == 0 ? sine : -sine;
}

REFERENCE(cospi, QUAD(cos)(exact_pi() * x[0]))
REFERENCE(hypot, QUAD(sqrt)(x[0] * x[0] + x[1] * x[1]))
REFERENCE(norm3d, QUAD(sqrt)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]))
REFERENCE(norm4d, QUAD(sqrt)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]))
REFERENCE(rhypot, 1 / hypot_of(x, got))
REFERENCE(rnorm3d, 1 / norm3d_of(x, got))
REFERENCE(rnorm4d, 1 / norm4d_of(x, got))
REFERENCE(erfcx, QUAD(exp)(x[0] * x[0]) * QUAD(erfc)(x[0]))
REFERENCE(normcdf, QUAD(erfc)(-x[0] / QUAD(sqrt)(2)) / 2)

static quad lgamma_of(const quad *x, quad got)
{
    int sign;

    (void)got;
    return QUAD_LGAMMA(x[0], &sign);
}

/* One step of Newton's iteration squares the error of the result. */
static quad density(quad x)
{
    return 2 / QUAD(sqrt)(exact_pi()) * QUAD(exp)(-x * x);
}

static quad erfinv_of(const quad *x, quad got)
{
    return got - (QUAD(erf)(got) - x[0]) / density(got);
}

static quad erfcinv_of(const quad *x, quad got)
{
    return got + (QUAD(erfc)(got) - x[0]) / density(got);
}

static quad normcdfinv_of(const quad *x, quad got)
{
    quad root = QUAD(sqrt)(2), y = 2 * x[0];

    return -root * erfcinv_of(&y, -got / root);
}

/* Integrates the Bessel functions over half a turn with the trapezoidal rule. For a periodic
 * function its error falls with every power of the number of steps. DLMF 10.9.2 and 10.32.3. */
static quad bessel(int order, quad x, bool modified)
{
    enum { STEPS = 400 };
    quad sum = 0;

    for (int k = 0; k <= STEPS; k++) {
        quad angle = exact_pi() * k / STEPS;
        quad value = modified ? QUAD(exp)(x * QUAD(cos)(angle)) * QUAD(cos)(order * angle)
                              : QUAD(cos)(order * angle - x * QUAD(sin)(angle));
        sum += k == 0 || k == STEPS ? value / 2 : value;
    }
    return sum / STEPS;
}

REFERENCE(cyl_bessel_i0, bessel(0, x[0], true))
REFERENCE(cyl_bessel_i1, bessel(1, x[0], true))
REFERENCE(j0, bessel(0, x[0], false))
/* Near 0 the first term alone is exact enough. */
REFERENCE(j1, fabs((double)x[0]) < 1e-18 ? x[0] / 2 : bessel(1, x[0], false))

static const struct accuracy accuracies[] = {
    {"acos", 1, acos_of, -1, 1, -1, 1, 1},
    {"acosh", 1, acosh_of, 1, 1e300, 1, 1e38, 0.51},
    {"asin", 1, asin_of, -1, 1, -1, 1, 1},
    {"asinh", 1, asinh_of, -1e300, 1e300, -1e38, 1e38, 0.51},
    {"atan", 1, atan_of, -1e9, 1e9, -1e9, 1e9, 1},
    {"atanh", 1, atanh_of, -0.999999, 0.999999, -0.999999, 0.999999, 0.51},
    {"cbrt", 1, cbrt_of, -1e300, 1e300, -1e38, 1e38, 0.51},
    {"cos", 1, cos_of, -1e9, 1e9, -1e9, 1e9, 1},
    {"cosh", 1, cosh_of, -711, 711, -90, 90, 0.51},
    {"cospi", 1, cospi_of, -1000, 1000, -1000, 1000, 0.51},
    {"cyl_bessel_i0", 1, cyl_bessel_i0_of, -714, 714, -90, 90, 0.51},
    {"cyl_bessel_i1", 1, cyl_bessel_i1_of, 1e-4, 714, 1e-4, 90, 0.51},
    {"erf", 1, erf_of, -6, 6, -4, 4, 1},
    {"erfc", 1, erfc_of, -6, 27, -4, 10.5, 0.51},
    {"erfcinv", 1, erfcinv_of, 1e-300, 1.999999, 1e-38, 1.999999, 0.51},
    {"erfcx", 1, erfcx_of, -26, 106, -9, 106, 0.51},
    {"erfinv", 1, erfinv_of, -0.999999, 0.999999, -0.999999, 0.999999, 0.51},
    {"exp", 1, exp_of, -745, 710, -104, 89, 1},
    {"exp10", 1, exp10_of, -324, 309, -46, 39, 0.51},
    {"exp2", 1, exp2_of, -1075, 1024, -150, 128, 1},
    {"expm1", 1, expm1_of, -40, 710, -20, 89, 0.51},
    {"hypot", 2, hypot_of, -1e308, 1e308, -3e38, 3e38, 0.51},
    {"j0", 1, j0_of, -60, 60, -60, 60, 0.51},
    {"j1", 1, j1_of, -60, 60, -60, 60, 0.51},
    {"lgamma", 1, lgamma_of, -20.3, 1e9, -20.3, 1e9, 0.51},
    {"log", 1, log_of, 0x1p-1074, 1e308, 0x1p-149, 3e38, 1},
    {"log10", 1, log10_of, 0x1p-1074, 1e308, 0x1p-149, 3e38, 0.51},
    {"log1p", 1, log1p_of, -0.999999, 1e308, -0.999999, 3e38, 0.51},
    {"log2", 1, log2_of, 0x1p-1074, 1e308, 0x1p-149, 3e38, 1},
    {"norm3d", 3, norm3d_of, -1e308, 1e308, -3e38, 3e38, 0.51},
    {"norm4d", 4, norm4d_of, -1e308, 1e308, -3e38, 3e38, 0.51},
    {"normcdf", 1, normcdf_of, -38.4, 9, -14.1, 6, 0.51},
    {"normcdfinv", 1, normcdfinv_of, 1e-300, 0.999999, 1e-38, 0.999999, 0.51},
    {"pow", 2, pow_of, 0.001, 200, 0.1, 20, 1},
    {"rcbrt", 1, rcbrt_of, 1e-308, 1e308, 0x1p-149, 3e38, 0.51},
    {"rhypot", 2, rhypot_of, 1e-150, 1e308, 1e-30, 3e38, 0.51},
    {"rnorm3d", 3, rnorm3d_of, 1e-150, 1e308, 1e-30, 3e38, 0.51},
    {"rnorm4d", 4, rnorm4d_of, 1e-150, 1e308, 1e-30, 3e38, 0.51},
    {"rsqrt", 1, rsqrt_of, 0x1p-1074, 1e308, 0x1p-149, 3e38, 0.51},
    {"sin", 1, sin_of, -1e9, 1e9, -1e9, 1e9, 1},
    {"sinh", 1, sinh_of, -711, 711, -90, 90, 0.51},
    {"sinpi", 1, sinpi_of, -1000, 1000, -1000, 1000, 0.51},
    {"sqrt", 1, sqrt_of, 0, 1e308, 0, 3e38, 0.5},
    {"tan", 1, tan_of, -1e9, 1e9, -1e9, 1e9, 1},
    {"tanh", 1, tanh_of, -20, 20, -10, 10, 0.51},
    {"tgamma", 1, tgamma_of, -20.3, 172, -20.3, 36, 0.51},
    {"atan2", 2, atan2_of, -1e9, 1e9, -1e9, 1e9, 1},
};

TEST(test_errors_are_within_the_bounds)
{
    int bad = 0;

    for (size_t k = 0; k < sizeof accuracies / sizeof *accuracies; k++) {
        for (int is_single = 0; is_single <= 1; is_single++) {
            double at[4] = {0}, error = worst_error(&accuracies[k], is_single, at);
            if (!(error <= (is_single ? 0.51 : accuracies[k].bound))) {
                print_error("%s%s(%.17g, %.17g, %.17g, %.17g): an error of %g ulp\n",
                            accuracies[k].name, is_single ? "f" : "", at[0], at[1], at[2], at[3],
                            error);
                bad++;
            }
        }
    }
    assert_int_equal(bad, 0);
}

/* ---- Special values ---- */

enum { ANY = 12345 };

/* A function of one value at 0, -0, 1, infinity and -infinity. A NaN always gives a NaN. */
static const struct special {
    const char *name;
    double values[5];
} specials[] = {
    {"acos", {ANY, ANY, 0, NAN, NAN}},
    {"acosh", {NAN, NAN, 0, INFINITY, NAN}},
    {"asin", {0, -0.0, ANY, NAN, NAN}},
    {"asinh", {0, -0.0, ANY, INFINITY, -INFINITY}},
    {"atan", {0, -0.0, ANY, ANY, ANY}},
    {"atanh", {0, -0.0, INFINITY, NAN, NAN}},
    {"cbrt", {0, -0.0, 1, INFINITY, -INFINITY}},
    {"ceil", {0, -0.0, 1, INFINITY, -INFINITY}},
    {"cos", {1, 1, ANY, NAN, NAN}},
    {"cosh", {1, 1, ANY, INFINITY, INFINITY}},
    {"cospi", {1, 1, -1, NAN, NAN}},
    {"cyl_bessel_i0", {1, 1, ANY, INFINITY, INFINITY}},
    {"cyl_bessel_i1", {0, -0.0, ANY, INFINITY, -INFINITY}},
    {"erf", {0, -0.0, ANY, 1, -1}},
    {"erfc", {1, 1, ANY, 0, 2}},
    {"erfcinv", {INFINITY, INFINITY, 0, NAN, NAN}},
    {"erfcx", {1, 1, ANY, 0, INFINITY}},
    {"erfinv", {0, -0.0, INFINITY, NAN, NAN}},
    {"exp", {1, 1, ANY, INFINITY, 0}},
    {"exp10", {1, 1, 10, INFINITY, 0}},
    {"exp2", {1, 1, 2, INFINITY, 0}},
    {"expm1", {0, -0.0, ANY, INFINITY, -1}},
    {"fabs", {0, 0, 1, INFINITY, INFINITY}},
    {"floor", {0, -0.0, 1, INFINITY, -INFINITY}},
    {"j0", {1, 1, ANY, 0, 0}},
    {"j1", {0, -0.0, ANY, 0, -0.0}},
    {"lgamma", {INFINITY, INFINITY, 0, INFINITY, INFINITY}},
    {"log", {-INFINITY, -INFINITY, 0, INFINITY, NAN}},
    {"log10", {-INFINITY, -INFINITY, 0, INFINITY, NAN}},
    {"log1p", {0, -0.0, ANY, INFINITY, NAN}},
    {"log2", {-INFINITY, -INFINITY, 0, INFINITY, NAN}},
    {"logb", {-INFINITY, -INFINITY, 0, INFINITY, INFINITY}},
    {"nearbyint", {0, -0.0, 1, INFINITY, -INFINITY}},
    {"normcdf", {0.5, 0.5, ANY, 1, 0}},
    {"normcdfinv", {-INFINITY, -INFINITY, INFINITY, NAN, NAN}},
    {"rcbrt", {INFINITY, -INFINITY, 1, 0, -0.0}},
    {"rint", {0, -0.0, 1, INFINITY, -INFINITY}},
    {"round", {0, -0.0, 1, INFINITY, -INFINITY}},
    {"rsqrt", {INFINITY, -INFINITY, 1, 0, NAN}},
    {"sin", {0, -0.0, ANY, NAN, NAN}},
    {"sinh", {0, -0.0, ANY, INFINITY, -INFINITY}},
    {"sinpi", {0, -0.0, 0, NAN, NAN}},
    {"sqrt", {0, -0.0, 1, INFINITY, NAN}},
    {"tan", {0, -0.0, ANY, NAN, NAN}},
    {"tanh", {0, -0.0, ANY, 1, -1}},
    {"tgamma", {INFINITY, -INFINITY, 1, INFINITY, NAN}},
    {"trunc", {0, -0.0, 1, INFINITY, -INFINITY}},
    {"y0", {-INFINITY, -INFINITY, ANY, 0, NAN}},
    {"y1", {-INFINITY, -INFINITY, ANY, 0, NAN}},
};

/* Returns the bits of a value. Every NaN gives the canonical one. */
static uint64_t bits_of(double value, bool is_single)
{
    if (value != value)
        return is_single ? 0x7fffffff : UINT64_C(0xfff8000000000000);
    return is_single ? bits_of_f32((float)value) : bits_of_f64(value);
}

static int special_failures(const struct special *row, bool is_single)
{
    const double points[] = {0, -0.0, 1, INFINITY, -INFINITY, NAN};
    const struct libdevice_function *called;
    char name[32];
    int bad = 0;

    snprintf(name, sizeof name, is_single ? "%sf" : "%s", row->name);
    called = function(name, is_single ? "f32" : "f64", is_single ? "f32" : "f64");
    for (int k = 0; k < 6; k++) {
        double expected = k < 5 ? row->values[k] : (double)NAN;
        uint64_t arguments[4] = {bits_of(points[k], is_single)};
        uint64_t bits = call(called, arguments, NULL);
        if (expected != ANY && bits != bits_of(expected, is_single)) {
            print_error("%s(%g) is %#llx\n", name, points[k], (unsigned long long)bits);
            bad++;
        }
    }
    return bad;
}

TEST(test_special_values)
{
    int bad = 0;

    for (size_t k = 0; k < sizeof specials / sizeof *specials; k++)
        bad += special_failures(&specials[k], false) + special_failures(&specials[k], true);
    assert_int_equal(bad, 0);
}

/* ---- Directed rounding ---- */

static const char *const roundings[] = {"rd", "rn", "ru", "rz"};

/* Rounds a value that is exact or has 113 bits, and returns its bits. */
static uint64_t rounded(quad exact, const char *rounding, bool is_single)
{
    quad nearest = is_single ? (quad)(float)exact : (quad)(double)exact;
    bool down = rounding[1] == 'd' || (rounding[1] == 'z' && exact > 0);
    bool up = rounding[1] == 'u' || (rounding[1] == 'z' && exact < 0);
    double toward = (down && nearest > exact) ? -INFINITY : INFINITY;

    if ((down && nearest > exact) || (up && nearest < exact))
        return is_single ? bits_of_f32(nextafterf((float)nearest, (float)toward))
                         : bits_of_f64(nextafter((double)nearest, toward));
    return bits_of((double)nearest, is_single);
}

REFERENCE(add, x[0] + x[1])
REFERENCE(sub, x[0] - x[1])
REFERENCE(mul, x[0] * x[1])
REFERENCE(div, x[0] / x[1])
REFERENCE(fma, x[0] * x[1] + x[2])
REFERENCE(rcp, 1 / x[0])

/* Draws operands with so few bits that sums and products are exact. Roots need positive ones. */
static double draw_operand(bool is_single, bool is_positive)
{
    double value = (is_positive || draw() < 0.5 ? 1 : -1) * (1 + draw()) * exp2(rint(draw() * 8));

    return is_single ? (double)(float)value : f64_of_bits(bits_of_f64(value) & ~(uint64_t)0xffff);
}

static int rounding_failures(const char *name, unsigned count, const char *rounding,
                             quad (*reference)(const quad *x, quad got), bool is_single)
{
    const struct libdevice_function *called =
        function(name, is_single ? "f32" : "f64", parameters_of[is_single][count]);
    int bad = 0;

    for (int turn = 0; turn < POINTS; turn++) {
        uint64_t arguments[4] = {0}, bits, expected;
        quad x[4];
        for (unsigned k = 0; k < count; k++) {
            double value = draw_operand(is_single, strstr(name, "sqrt") != NULL);
            x[k] = (quad)value;
            arguments[k] = bits_of(value, is_single);
        }
        bits = call(called, arguments, NULL);
        expected = rounded(reference(x, 0), rounding, is_single);
        if (bits != expected && bad++ == 0)
            print_error("%s(%#llx, ...) is %#llx, not %#llx\n", name,
                        (unsigned long long)arguments[0], (unsigned long long)bits,
                        (unsigned long long)expected);
    }
    return bad;
}

TEST(test_arithmetic_is_rounded_exactly)
{
    static const struct {
        const char *single_name, *double_name;
        unsigned count;
        quad (*reference)(const quad *x, quad got);
    } rows[] = {
        {"fadd", "dadd", 2, add_of},    {"fsub", "dsub", 2, sub_of}, {"fmul", "dmul", 2, mul_of},
        {"fdiv", "ddiv", 2, div_of},    {"fmaf", "fma", 3, fma_of},  {"fmaf_ieee", NULL, 3, fma_of},
        {"fsqrt", "dsqrt", 1, sqrt_of}, {"frcp", "drcp", 1, rcp_of},
    };
    int bad = 0;

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        for (int r = 0; r < 4; r++) {
            char name[32];
            snprintf(name, sizeof name, "%s_%s", rows[k].single_name, roundings[r]);
            bad += rounding_failures(name, rows[k].count, roundings[r], rows[k].reference, true);
            snprintf(name, sizeof name, "%s_%s", rows[k].double_name, roundings[r]);
            if (rows[k].double_name != NULL)
                bad +=
                    rounding_failures(name, rows[k].count, roundings[r], rows[k].reference, false);
        }
    }
    bad += rounding_failures("fmaf", 3, "rn", fma_of, true);
    bad += rounding_failures("fma", 3, "rn", fma_of, false);
    bad += rounding_failures("frsqrt_rn", 1, "rn", rsqrt_of, true);
    bad += rounding_failures("sqrt", 1, "rn", sqrt_of, false);
    bad += rounding_failures("sqrtf", 1, "rn", sqrt_of, true);
    assert_int_equal(bad, 0);
}

/* ---- Conversions ---- */

static double whole_of(double value, const char *rounding)
{
    return rounding[1] == 'd'   ? floor(value)
           : rounding[1] == 'u' ? ceil(value)
           : rounding[1] == 'z' ? trunc(value)
                                : rint(value);
}

/* Checks a conversion to an integer: values in its range, and values outside, which saturate. */
static int to_integer_failures(const char *stem, const char *result, bool is_single)
{
    bool is_signed = result[0] == 's', is_long = result[1] == '6';
    double limit = is_long ? 0x1p63 : 0x1p31;
    int bad = 0;

    for (int r = 0; r < 4; r++) {
        char name[32];
        const struct libdevice_function *called;
        uint64_t low = !is_signed ? 0 : is_long ? (uint64_t)INT64_MIN : 0x80000000;
        uint64_t high = low - 1;
        snprintf(name, sizeof name, "%s_%s", stem, roundings[r]);
        called = function(name, result, is_single ? "f32" : "f64");
        for (int turn = 0; turn < POINTS; turn++) {
            double value = (draw() - (is_signed ? 0.5 : 0)) * exp2(rint(draw() * 30));
            uint64_t arguments[4], expected;
            value = is_single ? (double)(float)value : value;
            arguments[0] = bits_of(value, is_single);
            expected = (uint64_t)(int64_t)whole_of(value, roundings[r]);
            expected = is_long ? expected : (uint32_t)expected;
            bad += call(called, arguments, NULL) != expected;
        }
        if (!is_long)
            high = (uint32_t)high;
        bad += call(called, (uint64_t[4]){bits_of(-3 * limit, is_single)}, NULL) != low;
        bad += call(called, (uint64_t[4]){bits_of(3 * limit, is_single)}, NULL) != high;
        if (bad > 0)
            print_error("%s is wrong\n", name);
    }
    return bad;
}

/* Checks conversions from integers. For int and unsigned to double only `_rn` exists. */
static int from_integer_failures(const char *stem, const char *parameter, bool is_single)
{
    bool is_signed = parameter[0] == 's', is_long = parameter[1] == '6';
    int bad = 0;

    for (int r = 0; r < 4; r++) {
        char name[32];
        const struct libdevice_function *called;
        if (!is_single && !is_long && strcmp(roundings[r], "rn") != 0)
            continue;
        snprintf(name, sizeof name, "%s_%s", stem, roundings[r]);
        called = function(name, is_single ? "f32" : "f64", parameter);
        for (int turn = 0; turn < POINTS; turn++) {
            uint64_t bits = (uint64_t)(draw() * 0x1p53) << 11 | (uint64_t)(draw() * 0x800);
            uint64_t number = turn == 0 ? 0 : bits >> (is_long ? 0 : 32) >> turn % 30;
            quad exact = !is_signed ? (quad)number
                         : is_long  ? (quad)(int64_t)number
                                    : (quad)(int32_t)(uint32_t)number;
            bad += call(called, (uint64_t[4]){number}, NULL) !=
                   rounded(exact, roundings[r], is_single);
        }
        if (bad > 0)
            print_error("%s is wrong\n", name);
    }
    return bad;
}

TEST(test_conversions_are_exact)
{
    int bad = 0;

    bad += to_integer_failures("double2int", "s32", false);
    bad += to_integer_failures("double2uint", "u32", false);
    bad += to_integer_failures("double2ll", "s64", false);
    bad += to_integer_failures("double2ull", "u64", false);
    bad += to_integer_failures("float2int", "s32", true);
    bad += to_integer_failures("float2uint", "u32", true);
    bad += to_integer_failures("float2ll", "s64", true);
    bad += to_integer_failures("float2ull", "u64", true);
    bad += from_integer_failures("int2double", "s32", false);
    bad += from_integer_failures("uint2double", "u32", false);
    bad += from_integer_failures("ll2double", "s64", false);
    bad += from_integer_failures("ull2double", "u64", false);
    bad += from_integer_failures("int2float", "s32", true);
    bad += from_integer_failures("uint2float", "u32", true);
    bad += from_integer_failures("ll2float", "s64", true);
    bad += from_integer_failures("ull2float", "u64", true);
    for (int r = 0; r < 4; r++) {
        char name[32];
        snprintf(name, sizeof name, "double2float_%s", roundings[r]);
        for (int turn = 0; turn < POINTS; turn++) {
            double value = draw_within(-1e30, 1e30, (unsigned)turn, false);
            bad += call(function(name, "f32", "f64"), (uint64_t[4]){bits_of_f64(value)}, NULL) !=
                   rounded((quad)value, roundings[r], true);
        }
    }
    assert_int_equal(bad, 0);
}

/* ---- Known values ---- */

#define F(value) bits_of((value), true)
#define D(value) bits_of((value), false)

TEST(test_known_values)
{
    const struct {
        const char *name;
        uint64_t arguments[4], result;
    } rows[] = {
        {"abs", {0x80000000}, 0x80000000},
        {"abs", {0xfffffffb}, 5},
        {"brev", {1}, 0x80000000},
        {"brevll", {2}, (uint64_t)1 << 62},
        {"byte_perm", {0x33221100, 0x77665544, 0x7531}, 0x77553311},
        {"byte_perm", {0x33221100, 0x77665544, 0xffff}, 0x77777777},
        {"clz", {0}, 32},
        {"clz", {1}, 31},
        {"clzll", {0}, 64},
        {"copysign", {D(3), D(-0.0)}, D(-3)},
        {"copysignf", {F(-3), F(1)}, F(3)},
        {"double2hiint", {D(1)}, 0x3ff00000},
        {"double2loint", {D(0.1)}, 0x9999999a},
        {"double_as_longlong", {D(1)}, 0x3ff0000000000000},
        {"fdim", {D(3), D(1)}, D(2)},
        {"fdim", {D(1), D(3)}, D(0)},
        {"fdimf", {F(3), F(1)}, F(2)},
        {"ffs", {0}, 0},
        {"ffs", {0x80000000}, 32},
        {"ffsll", {(uint64_t)1 << 40}, 41},
        {"finitef", {F(1)}, 1},
        {"finitef", {F(NAN)}, 0},
        {"float2half_rn", {F(1)}, 0x3c00},
        {"float2half_rn", {F(65520)}, 0x7c00},
        {"float2half_rn", {F(NAN)}, 0x7fff},
        {"float_as_int", {0xffabcdef}, 0xffabcdef},
        {"float_as_uint", {0xffabcdef}, 0xffabcdef},
        {"fmax", {D(-0.0), D(0)}, D(0)},
        {"fmax", {D(NAN), D(1)}, D(1)},
        {"fmaxf", {F(NAN), F(NAN)}, 0x7fffffff},
        {"fmaxf", {F(2), F(1)}, F(2)},
        {"fmin", {D(0), D(-0.0)}, D(-0.0)},
        {"fminf", {F(2), F(NAN)}, F(2)},
        {"fmod", {D(-7), D(3)}, D(-1)},
        {"fmod", {D(1), D(0)}, D(NAN)},
        {"fmodf", {F(1e30), F(7)}, F(fmod((float)1e30, 7))},
        {"hadd", {0xffffffff, 0xfffffffe}, 0xfffffffe},
        {"half2float", {0x0001}, F(0x1p-24)},
        {"half2float", {0xfc00}, F(-INFINITY)},
        {"hiloint2double", {0xbff00000, 1}, 0xbff0000000000001},
        {"hypot", {D(INFINITY), D(NAN)}, D(INFINITY)},
        {"ilogb", {D(0)}, 0x80000000},
        {"ilogb", {D(NAN)}, 0x80000000},
        {"ilogb", {D(INFINITY)}, 0x7fffffff},
        {"ilogb", {D(0x1p-1074)}, (uint32_t)-1074},
        {"ilogbf", {F(0x1p-149)}, (uint32_t)-149},
        {"int_as_float", {0xffabcdef}, 0xffabcdef},
        {"isfinited", {D(INFINITY)}, 0},
        {"isfinited", {D(1)}, 1},
        {"isinfd", {D(-INFINITY)}, 1},
        {"isinff", {F(1)}, 0},
        {"isnand", {D(NAN)}, 1},
        {"isnanf", {F(INFINITY)}, 0},
        {"ldexp", {D(3), 4}, D(48)},
        {"ldexp", {D(3), (uint32_t)-1075}, D(0x1p-1073)},
        {"ldexpf", {F(1), 200}, F(INFINITY)},
        {"llabs", {(uint64_t)-9}, 9},
        {"llmax", {(uint64_t)-1, 1}, 1},
        {"llmin", {(uint64_t)-1, 1}, (uint64_t)-1},
        {"llrint", {D(2.5)}, 2},
        {"llrint", {D(1e300)}, INT64_MAX},
        {"llrintf", {F(-1.5)}, (uint64_t)-2},
        {"llround", {D(2.5)}, 3},
        {"llround", {D(0.49999999999999994)}, 0},
        {"llroundf", {F(-0.5)}, (uint64_t)-1},
        {"longlong_as_double", {0x7ff0000000000001}, 0x7ff0000000000001},
        {"max", {0xffffffff, 1}, 1},
        {"min", {0xffffffff, 1}, 0xffffffff},
        {"mul24", {0x00ffffff, 2}, 0xfffffffe},
        {"mul64hi", {(uint64_t)-1, 2}, (uint64_t)-1},
        {"mulhi", {0x80000000, 0x80000000}, 0x40000000},
        {"nan", {0}, D(NAN)},
        {"nanf", {0}, F(NAN)},
        {"nearbyint", {D(2.5)}, D(2)},
        {"nextafter", {D(0), D(-1)}, 0x8000000000000001},
        {"nextafterf", {F(1), F(2)}, 0x3f800001},
        {"norm4d", {D(NAN), D(1), D(1), D(-INFINITY)}, D(INFINITY)},
        {"popc", {0xffffffff}, 32},
        {"popcll", {0xf00000000000000f}, 8},
        {"pow", {D(1), D(NAN)}, D(1)},
        {"pow", {D(-8), D(1.0 / 3)}, D(NAN)},
        {"powf", {F(-2), F(3)}, F(-8)},
        {"powi", {D(-2), 3}, D(-8)},
        {"powi", {D(0), (uint32_t)-1}, D(INFINITY)},
        {"powif", {F(2), (uint32_t)-2}, F(0.25)},
        {"rcp64h", {D(2)}, D(0.5)},
        {"remainder", {D(5), D(2)}, D(1)},
        {"remainder", {D(7), D(2)}, D(-1)},
        {"remainderf", {F(7), F(0)}, F(NAN)},
        {"remainderf", {F(7), F(2)}, F(-1)},
        {"rhadd", {0xfffffffe, 0xffffffff}, 0xffffffff},
        {"rhypot", {D(INFINITY), D(NAN)}, D(0)},
        {"rint", {D(-2.5)}, D(-2)},
        {"round", {D(-2.5)}, D(-3)},
        {"roundf", {F(0.5)}, F(1)},
        {"sad", {5, 0xfffffffb, 1}, 11},
        {"saturatef", {F(NAN)}, 0},
        {"saturatef", {F(7)}, F(1)},
        {"scalbn", {D(3), 4}, D(48)},
        {"scalbnf", {F(3), (uint32_t)-151}, F(0x1p-149)},
        {"signbitd", {D(-0.0)}, 1},
        {"signbitf", {F(1)}, 0},
        {"uhadd", {0xffffffff, 0xfffffffd}, 0xfffffffe},
        {"uint_as_float", {0xffabcdef}, 0xffabcdef},
        {"ullmax", {(uint64_t)-1, 1}, (uint64_t)-1},
        {"ullmin", {(uint64_t)-1, 1}, 1},
        {"umax", {0xffffffff, 1}, 0xffffffff},
        {"umin", {0xffffffff, 1}, 1},
        {"umul24", {0xff000003, 5}, 15},
        {"umul64hi", {(uint64_t)-1, 2}, 1},
        {"umulhi", {0xffffffff, 2}, 1},
        {"urhadd", {0xffffffff, 0xfffffffe}, 0xffffffff},
        {"usad", {1, 0xffffffff, 2}, 0},
        /* The fast functions are approximate PTX instructions. */
        {"fast_cosf", {F(0)}, F(1)},
        {"fast_exp10f", {F(0)}, F(1)},
        {"fast_exp10f", {F(100)}, F(INFINITY)},
        {"fast_expf", {F(0)}, F(1)},
        {"fast_fdividef", {F(6), F(2)}, F(3)},
        {"fast_fdividef", {F(6), F(0x1.8p126)}, F(0)},
        {"fast_fdividef", {F(INFINITY), F(0x1.8p126)}, F(NAN)},
        {"fast_log10f", {F(1)}, F(0)},
        {"fast_log2f", {F(8)}, F(3)},
        {"fast_logf", {F(0)}, F(-INFINITY)},
        {"fast_powf", {F(2), F(10)}, F(1024)},
        {"fast_powf", {F(-2), F(2)}, F(NAN)},
        {"fast_sinf", {F(-0.0)}, F(-0.0)},
        {"fast_tanf", {F(0)}, F(0)},
        {"fast_tanhf", {F(INFINITY)}, F(1)},
    };
    int bad = 0;

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char name[32];
        const struct libdevice_function *called;
        uint64_t result;
        snprintf(name, sizeof name, "__nv_%s", rows[k].name);
        called = libdevice_find(name);
        assert_non_null(called);
        is_called[called - libdevice_functions] = true;
        result = call(called, rows[k].arguments, NULL);
        if (result != rows[k].result) {
            print_error("%s(%#llx, %#llx) is %#llx, not %#llx\n", rows[k].name,
                        (unsigned long long)rows[k].arguments[0],
                        (unsigned long long)rows[k].arguments[1], (unsigned long long)result,
                        (unsigned long long)rows[k].result);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

/* The fast functions at other values must be within 1e-6 of the C library's. */
TEST(test_fast_functions_are_within_tolerance)
{
    static const struct {
        const char *name;
        double (*reference)(double);
    } rows[] = {
        {"fast_cosf", cos},     {"fast_expf", exp}, {"fast_exp10f", exp10},
        {"fast_log10f", log10}, {"fast_logf", log}, {"fast_log2f", log2},
        {"fast_sinf", sin},     {"fast_tanf", tan}, {"fast_tanhf", tanh},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        for (int turn = 0; turn < POINTS; turn++) {
            float x = (float)(0.1 + draw());
            uint64_t bits = call(function(rows[k].name, "f32", "f32"), (uint64_t[4]){F(x)}, NULL);
            double error = (double)f32_of_bits((uint32_t)bits) - rows[k].reference((double)x);
            if (!(fabs(error) <= 1e-6 * (1 + fabs(rows[k].reference((double)x)))))
                fail_msg("%s(%g) is wrong by %g", rows[k].name, (double)x, error);
        }
    }
}

/* The references are the C library's long double functions, whose code differs from the tested
 * code. */
TEST(test_bessel_functions_of_any_order)
{
    for (int turn = 0; turn < POINTS; turn++) {
        int order = turn % 12;
        float x = (float)(0.5 + 30 * draw());
        long double references[2] = {jnl(order, (long double)x), ynl(order, (long double)x)};
        for (int kind = 0; kind < 2; kind++) {
            const char *const general[2][2] = {{"jn", "jnf"}, {"yn", "ynf"}};
            const char *const of_order[2][2] = {{"y0", "y0f"}, {"y1", "y1f"}};
            for (int is_single = 0; is_single <= 1; is_single++) {
                const char *type = is_single ? "f32" : "f64";
                uint64_t bits = bits_of((double)x, is_single);
                uint64_t value = call(
                    function(general[kind][is_single], type, is_single ? "s32 f32" : "s32 f64"),
                    (uint64_t[4]){(uint32_t)order, bits}, NULL);
                double error = error_of(value, (quad)references[kind], is_single);
                if (!(error <= 1))
                    fail_msg("%s(%d, %.9g): %g ulp", general[kind][is_single], order, (double)x,
                             error);
                if (kind == 1 && order < 2)
                    assert_true(value == call(function(of_order[order][is_single], type, type),
                                              (uint64_t[4]){bits}, NULL));
            }
        }
    }
    assert_true(call(function("jn", "f64", "s32 f64"), (uint64_t[4]){0xffffffff, D(1)}, NULL) ==
                D(NAN));
    assert_true(call(function("yn", "f64", "s32 f64"), (uint64_t[4]){0xffffffff, D(1)}, NULL) ==
                D(NAN));
}

/* ---- Memory ---- */

/* Checks the result of a call that stores, and what it stores. */
static void expect_stores(const char *name, const uint64_t *arguments, uint64_t result,
                          unsigned count, const uint64_t *bits, unsigned bytes)
{
    struct libdevice_stores stores = {0};
    char whole[32];
    const struct libdevice_function *called;

    snprintf(whole, sizeof whole, "__nv_%s", name);
    called = libdevice_find(whole);
    assert_non_null(called);
    is_called[called - libdevice_functions] = true;
    if (call(called, arguments, &stores) != result)
        fail_msg("%s: the result is wrong", name);
    assert_int_equal(stores.count, count);
    for (unsigned k = 0; k < count; k++) {
        assert_int_equal(stores.store[k].address, 0x1000 * (k + 1));
        assert_int_equal(stores.store[k].bytes, bytes);
        if (stores.store[k].bits != bits[k])
            fail_msg("%s stores %#llx", name, (unsigned long long)stores.store[k].bits);
    }
}

#define BITS(...) ((const uint64_t[]){__VA_ARGS__})

TEST(test_pointer_results_are_stored)
{
    expect_stores("frexp", BITS(D(-12), 0x1000, 0, 0), D(-0.75), 1, BITS(4), 4);
    expect_stores("frexp", BITS(D(INFINITY), 0x1000, 0, 0), D(INFINITY), 1, BITS(0), 4);
    expect_stores("frexpf", BITS(F(0x1p-149), 0x1000, 0, 0), F(0.5), 1, BITS((uint32_t)-148), 4);
    expect_stores("modf", BITS(D(-2.5), 0x1000, 0, 0), D(-0.5), 1, BITS(D(-2)), 8);
    expect_stores("modff", BITS(F(-INFINITY), 0x1000, 0, 0), F(-0.0), 1, BITS(F(-INFINITY)), 4);
    expect_stores("modff", BITS(F(NAN), 0x1000, 0, 0), F(NAN), 1, BITS(F(NAN)), 4);
    expect_stores("remquo", BITS(D(-29), D(3), 0x1000, 0), D(1), 1, BITS((uint32_t)-2), 4);
    expect_stores("remquof", BITS(F(7.5), F(1), 0x1000, 0), F(-0.5), 1, BITS(0), 4);
    expect_stores("sincos", BITS(D(0.5), 0x1000, 0x2000, 0), 0, 2, BITS(D(sin(0.5)), D(cos(0.5))),
                  8);
    expect_stores("sincosf", BITS(F(0.5), 0x1000, 0x2000, 0), 0, 2, BITS(F(sin(0.5)), F(cos(0.5))),
                  4);
    expect_stores("fast_sincosf", BITS(F(-0.0), 0x1000, 0x2000, 0), 0, 2, BITS(F(-0.0), F(1)), 4);
    expect_stores("sincospi", BITS(D(1.5), 0x1000, 0x2000, 0), 0, 2, BITS(D(-1), D(0)), 8);
    expect_stores("sincospif", BITS(F(-3), 0x1000, 0x2000, 0), 0, 2, BITS(F(-0.0), F(-1)), 4);
}

/* Reads memory that is an array of the test. */
static bool load(void *context, uint64_t address, unsigned bytes, uint64_t *bits)
{
    *bits = 0;
    memcpy(bits, (const char *)context + address, bytes);
    return true;
}

TEST(test_norms_of_arrays)
{
    double doubles[] = {1e300, -2e300, 2e300, NAN, INFINITY};
    float floats[] = {3e30f, 4e30f};
    struct libdevice_stores doubles_at = {.load = load, .context = doubles};
    struct libdevice_stores floats_at = {.load = load, .context = floats};
    const struct libdevice_function *norm = function("norm", "f64", "s32 u64");
    const struct libdevice_function *rnorm = function("rnorm", "f64", "s32 u64");
    const struct libdevice_function *normf = function("normf", "f32", "s32 u64");
    const struct libdevice_function *rnormf = function("rnormf", "f32", "s32 u64");

    assert_true(call(norm, BITS(3, 0, 0, 0), &doubles_at) == D(3e300));
    assert_true(call(rnorm, BITS(3, 0, 0, 0), &doubles_at) == D(1 / 3e300));
    assert_true(call(norm, BITS(2, 8, 0, 0), &doubles_at) == D(hypot(2e300, 2e300)));
    assert_true(call(norm, BITS(0, 0, 0, 0), &doubles_at) == D(1e300));
    assert_true(call(norm, BITS(4, 0, 0, 0), &doubles_at) == D(NAN));
    assert_true(call(norm, BITS(5, 0, 0, 0), &doubles_at) == D(INFINITY));
    assert_true(call(normf, BITS(2, 0, 0, 0), &floats_at) == F(5e30));
    assert_true(call(rnormf, BITS(2, 0, 0, 0), &floats_at) == F(1 / 5e30));
    assert_true(call(norm, BITS(1, 0, 0, 0), NULL) == D(NAN));
}

/* ---- All of them ---- */

TEST(test_every_function_was_called)
{
    int bad = 0;

    for (unsigned k = 0; k < libdevice_count; k++) {
        if (!is_called[k]) {
            print_error("%s is not tested\n", libdevice_functions[k].name);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

TEST_MAIN("libdevice", NULL, NULL)
