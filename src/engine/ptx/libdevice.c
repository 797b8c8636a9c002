/* SPDX-License-Identifier: MIT */
#include "libdevice.h"

#include "arithmetic.h"
#include "special_functions.h"

#include <limits.h>
#include <stdlib.h>

/* libdevice's names of the roundings down and up. */
enum { PTX_rd = PTX_rm, PTX_ru = PTX_rp };

/* ---- Arguments and results ---- */

/* Converts an argument to a C value. */
#define FROM_f32(bits) f32_of_bits((uint32_t)(bits))
#define FROM_f64(bits) f64_of_bits(bits)
#define FROM_s32(bits) ((int32_t)(bits))
#define FROM_u32(bits) ((uint32_t)(bits))
#define FROM_s64(bits) ((int64_t)(bits))
#define FROM_u64(bits) (bits)

/* Converts a result to bits. A floating-point value is rounded here, and a NaN becomes the
 * canonical one. */
#define BITS_f32(value) single_bits((long double)(value))
#define BITS_f64(value) double_bits((double)(value))
#define BITS_s32(value) ((uint32_t)(value))
#define BITS_u32(value) ((uint32_t)(value))
#define BITS_s64(value) ((uint64_t)(value))
#define BITS_u64(value) ((uint64_t)(value))
/* Converts a float or double to bits without changing a NaN. */
#define BITS_raw_f32(value) bits_of_f32(value)
#define BITS_raw_f64(value) bits_of_f64(value)
/* Returns the bits unchanged. */
#define BITS_bits_f32(bits) (bits)
#define BITS_bits_f64(bits) (bits)
/* Calls a function without a result. */
#define BITS_none(call) ((call), (uint64_t)0)

#define TYPE_f32 "f32"
#define TYPE_f64 "f64"
#define TYPE_s32 "s32"
#define TYPE_u32 "u32"
#define TYPE_s64 "s64"
#define TYPE_u64 "u64"
#define TYPE_raw_f32 "f32"
#define TYPE_raw_f64 "f64"
#define TYPE_bits_f32 "f32"
#define TYPE_bits_f64 "f64"
#define TYPE_none ""

static uint64_t single_bits(long double value)
{
    return bits_of_f32(ptx_finish((float)value, false, false));
}

static uint64_t double_bits(double value)
{
    return value != value ? UINT64_C(0xfff8000000000000) : bits_of_f64(value);
}

/* ---- Functions that access memory ---- */

static void store(struct libdevice_stores *stores, uint64_t address, unsigned bytes, uint64_t bits)
{
    stores->store[stores->count].address = address;
    stores->store[stores->count].bytes = bytes;
    stores->store[stores->count++].bits = bits;
}

/* Stores a float, or a double if `bytes` is 8. */
static void store_value(struct libdevice_stores *stores, uint64_t address, unsigned bytes,
                        long double value)
{
    store(stores, address, bytes, bytes == 8 ? double_bits((double)value) : single_bits(value));
}

static void store_two(struct libdevice_stores *stores, uint64_t sine_address,
                      uint64_t cosine_address, unsigned bytes, long double sine, long double cosine)
{
    store_value(stores, sine_address, bytes, sine);
    store_value(stores, cosine_address, bytes, cosine);
}

static double store_modf(struct libdevice_stores *stores, double x, uint64_t address,
                         unsigned bytes)
{
    double whole, fraction = modf(x, &whole);

    store_value(stores, address, bytes, whole);
    return fraction;
}

static double store_frexp(struct libdevice_stores *stores, double x, uint64_t address)
{
    int exponent = 0;
    double fraction = frexp(x, &exponent);

    store(stores, address, 4, (uint32_t)exponent);
    return fraction;
}

/* Stores the sign and the last three bits of the quotient, or 0 if there is no quotient. */
static double store_remquo(struct libdevice_stores *stores, double x, double y, uint64_t address)
{
    int quotient = 0;
    double rest = remquo(x, y, &quotient);

    store(stores, address, 4, rest == rest ? (uint32_t)(quotient % 8) : 0);
    return rest;
}

/* Returns the norm of an array of floats, or of doubles if `bytes` is 8. As in libdevice, an array
 * has one element if its length is not positive. */
static long double array_norm(const struct libdevice_stores *stores, int32_t count,
                              uint64_t address, unsigned bytes)
{
    long double norm = 0, sum = 0;

    for (int32_t k = 0; k == 0 || k < count; k++) {
        uint64_t bits;
        long double value;
        if (stores->load == NULL ||
            !stores->load(stores->context, address + (uint64_t)k * bytes, bytes, &bits))
            return NAN;
        value = bytes == 8 ? (long double)f64_of_bits(bits) : f32_of_bits((uint32_t)bits);
        norm = isinf(value) ? (long double)INFINITY : norm;
        sum += value * value;
    }
    return isinf(norm) ? norm : sqrtl(sum);
}

/* ---- Other functions of several lines ---- */

/* Returns the exponent, or INT_MIN for 0 and NaN. */
static int exponent_of(double x)
{
    return isinf(x) ? INT_MAX : x == 0 || x != x ? INT_MIN : ilogb(x);
}

static double quiet_or(double nan, double value)
{
    return nan != nan ? ptx_quiet(nan) : value;
}

/* Returns the sum of |x - y| and z, modulo 2^32. */
static uint32_t sad(int64_t x, int64_t y, uint32_t z)
{
    return (uint32_t)(x < y ? y - x : x - y) + z;
}

/* ---- The table ---- */

/* Counts the types of a row's parameters, as the suffix of a macro. */
#define COUNTED(name, types) COUNTED_(COUNT types, name)
#define COUNT(...) COUNT_(__VA_ARGS__, 4, 3, 2, 1, 0)
#define COUNT_(a, b, c, d, count, ...) count
#define COUNTED_(count, name) COUNTED__(count, name)
#define COUNTED__(count, name) name##count

#define STRING1(a) TYPE_##a
#define STRING2(a, b) TYPE_##a " " TYPE_##b
#define STRING3(a, b, c) STRING2(a, b) " " TYPE_##c
#define STRING4(a, b, c, d) STRING3(a, b, c) " " TYPE_##d

#define TAKE1(a) ptx_##a x = FROM_##a(arguments[0]);
#define TAKE2(a, b) TAKE1(a) ptx_##b y = FROM_##b(arguments[1]);
#define TAKE3(a, b, c) TAKE2(a, b) ptx_##c z = FROM_##c(arguments[2]);
#define TAKE4(a, b, c, d) TAKE3(a, b, c) ptx_##d w = FROM_##d(arguments[3]);

/* A row of the table expands to a function first, and to an element of the array the second
 * time. */
#define FUNCTION(name, result_type, types, value, the_rounding)                                    \
    static void run_##name(uint64_t *result, const uint64_t *arguments,                            \
                           struct libdevice_stores *stores)                                        \
    {                                                                                              \
        enum { rounding = the_rounding };                                                          \
        COUNTED(TAKE, types) types *result = BITS_##result_type(value);                            \
        (void)x;                                                                                   \
        (void)stores;                                                                              \
    }

#define ROW(name, result, types, value) FUNCTION(name, result, types, value, PTX_rn)
#define ROWS(name, result, types, value)                                                           \
    FUNCTION(name##_rd, result, types, value, PTX_rd)                                              \
    FUNCTION(name##_rn, result, types, value, PTX_rn)                                              \
    FUNCTION(name##_ru, result, types, value, PTX_ru)                                              \
    FUNCTION(name##_rz, result, types, value, PTX_rz)
#include "libdevice_rows.h"
#undef ROW
#undef ROWS

#define ROW(name, result, types, value)                                                            \
    {"__nv_" #name, TYPE_##result, COUNTED(STRING, types) types, run_##name},
#define ROWS(name, result, types, value)                                                           \
    ROW(name##_rd, result, types, value)                                                           \
    ROW(name##_rn, result, types, value)                                                           \
    ROW(name##_ru, result, types, value)                                                           \
    ROW(name##_rz, result, types, value)
const struct libdevice_function libdevice_functions[] = {
#include "libdevice_rows.h"
};

const unsigned libdevice_count = sizeof libdevice_functions / sizeof *libdevice_functions;

static int compare_name(const void *name, const void *function)
{
    return strcmp(name, ((const struct libdevice_function *)function)->name);
}

const struct libdevice_function *libdevice_find(const char *name)
{
    return bsearch(name, libdevice_functions, libdevice_count, sizeof *libdevice_functions,
                   compare_name);
}
