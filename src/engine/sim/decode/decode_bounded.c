/* SPDX-License-Identifier: MIT
 *
 * --reference double: the errors of instructions and functions on floats. A unit is half the
 * distance of 1 from the next greater float. Rounding to nearest has an error of one unit times the
 * result. An error of m ulp beyond that is at most 2 m + 1 units.
 */
#include "decoder.h"

#include "libdevice.h"

#include <string.h>

static const char other[] = "an unusual floating-point operation";

/* Returns the unit of a float, or of a double. */
static double unit_of(uint32_t bytes)
{
    return bytes == 4 ? 0x1p-24 : 0x1p-53;
}

/* ---- Instructions ---- */

/* Approximate instructions: PTX ISA, section 9.7.3. `units` are of the result. */
static const struct approximation {
    const char *name, *function; /* function: of libdevice, in double precision */
    double units, absolute;
    uint8_t moves;
} approximations[] = {
    {"cos", "__nv_cos", 0, 0, MOVES_CIRCULAR},
    {"div", NULL, 5, 0, 0}, /* 2 ulp */
    {"ex2", "__nv_exp2", 5, 0, MOVES_MONOTONE},
    {"lg2", "__nv_log2", 4, 0x1p-22, MOVES_MONOTONE},
    {"rcp", NULL, 3, 0, 0}, /* 1 ulp */
    {"rsqrt", "__nv_rsqrt", 3, 0, MOVES_MONOTONE},
    {"sin", "__nv_sin", 0, 0, MOVES_CIRCULAR},
    {"sqrt", "__nv_sqrt", 3, 0, MOVES_MONOTONE},
    {"tanh", "__nv_tanh", 0x1p13, 0, MOVES_MONOTONE}, /* 2^-11 */
};

static void set_approximation(const struct decoder *decoder, struct error_code *error,
                              uint32_t bytes)
{
    const char *opcode = decoder->instruction->opcode;
    bool is_approximate = decode_has(decoder, "approx") || decode_has(decoder, "full");

    for (size_t k = 0; k < sizeof approximations / sizeof *approximations; k++) {
        const struct approximation *row = &approximations[k];
        if (strncmp(opcode, row->name, strlen(row->name)) != 0 || opcode[strlen(row->name)] != '.')
            continue;
        if (row->function != NULL)
            error->wide = libdevice_find(row->function);
        error->moves = row->moves;
        if (!is_approximate)
            return;
        error->relative = row->units * unit_of(bytes);
        error->absolute = row->absolute;
        error->is_nearest = false;
        error->has_small_divisor = strncmp(opcode, "div.approx", 10) == 0;
    }
}

static const char *decode_conversion(struct exact_code *exact, const struct type *const *types,
                                     const char *refusal)
{
    if (decode_is_float(types[0]) && types[1]->bytes <= 2 && types[1]->kind != 's' &&
        types[1]->kind != 'u') { /* of a half, which is exact */
        exact->kind = EXACT_USUAL;
        return NULL;
    }
    if (exact->kind == EXACT_FROM_INTEGER || exact->kind == EXACT_CONVERT)
        return refusal;
    exact->kind = EXACT_ENDPOINTS;
    return NULL;
}

const char *decode_bounded(const struct decoder *decoder, struct exact_code *exact,
                           const struct op *op, const struct type *const *types, size_t count,
                           const char *refusal)
{
    static const char *const directed[] = {"rz", "rm", "rp", NULL};
    struct error_code *error = &exact->error;
    const char *opcode = decoder->instruction->opcode;
    uint32_t bytes = types[0]->bytes;
    bool has_floats = false;

    error->usual = op->run;
    error->is_float = decode_is_float(types[0]);
    for (size_t k = 1; k < count; k++) {
        has_floats = has_floats || decode_is_float(types[k]);
        if (k <= 3)
            error->bytes[k - 1] = decode_is_float(types[k]) ? (uint8_t)types[k]->bytes : 0;
    }
    error->flushes = decode_has(decoder, "ftz");
    error->keeps_nan = decode_has(decoder, "NaN");
    error->is_nearest = decode_which(decoder, directed) < 0;
    error->relative = (error->is_nearest ? 1 : 2) * unit_of(bytes);
    if (!error->is_float && !has_floats)
        return refusal;
    if (strncmp(opcode, "cvt.", 4) == 0)
        return decode_conversion(exact, types, refusal);
    if (refusal != NULL)
        return refusal;
    if (strncmp(opcode, "selp.", 5) == 0)
        exact->kind = EXACT_SELECT;
    if (strncmp(opcode, "testp.", 6) == 0 ||
        (count == 4 && opcode[1] == 'l' && decode_is_float(types[3])))
        return other;
    set_approximation(decoder, error, bytes);
    return strncmp(opcode, "rcp.approx.ftz.f64", 18) == 0 ||
                   strncmp(opcode, "rsqrt.approx.ftz.f64", 20) == 0
               ? other
               : NULL;
}

/* ---- Functions of libdevice ---- */

/* The maximum errors of functions in ulp: CUDA C++ Programming Guide, "Mathematical Functions".
 * They are the greater one of those in single and in double precision, and of those of several
 * versions. Names have no "__nv_" and no f at the end. */
static const struct accuracy {
    const char *name;
    double ulps;
    uint8_t moves;
} accuracies[] = {
    {"acos", 2, MOVES_MONOTONE},    {"acosh", 4, MOVES_MONOTONE},
    {"asin", 2, MOVES_MONOTONE},    {"asinh", 3, MOVES_MONOTONE},
    {"atan", 2, MOVES_MONOTONE},    {"atan2", 3, MOVES_UNKNOWN},
    {"atanh", 3, MOVES_MONOTONE},   {"cbrt", 1, MOVES_MONOTONE},
    {"cos", 2, MOVES_AS_MUCH},      {"cosh", 2, MOVES_UNKNOWN},
    {"cospi", 2, MOVES_UNKNOWN},    {"erf", 2, MOVES_MONOTONE},
    {"erfc", 6, MOVES_MONOTONE},    {"erfcinv", 6, MOVES_MONOTONE},
    {"erfcx", 6, MOVES_MONOTONE},   {"erfinv", 5, MOVES_MONOTONE},
    {"exp", 2, MOVES_MONOTONE},     {"exp10", 2, MOVES_MONOTONE},
    {"exp2", 2, MOVES_MONOTONE},    {"expm1", 1, MOVES_MONOTONE},
    {"fdim", 0, MOVES_AS_MUCH},     {"hypot", 3, MOVES_AS_MUCH},
    {"log", 1, MOVES_MONOTONE},     {"log10", 2, MOVES_MONOTONE},
    {"log1p", 1, MOVES_MONOTONE},   {"log2", 1, MOVES_MONOTONE},
    {"norm3d", 3, MOVES_AS_MUCH},   {"norm4d", 3, MOVES_AS_MUCH},
    {"normcdf", 5, MOVES_MONOTONE}, {"normcdfinv", 8, MOVES_MONOTONE},
    {"pow", 9, MOVES_MONOTONE},     {"rcbrt", 2, MOVES_UNKNOWN},
    {"rhypot", 2, MOVES_UNKNOWN},   {"rsqrt", 2, MOVES_MONOTONE},
    {"sin", 2, MOVES_AS_MUCH},      {"sincos", 2, MOVES_AS_MUCH},
    {"sinh", 3, MOVES_MONOTONE},    {"sinpi", 2, MOVES_UNKNOWN},
    {"tan", 4, MOVES_UNKNOWN},      {"tanh", 2, MOVES_MONOTONE},
    {"dsqrt", 0, MOVES_MONOTONE},   {"fsqrt", 0, MOVES_MONOTONE},
    {"frsqrt", 0, MOVES_MONOTONE},  {"sqrt", 0, MOVES_MONOTONE},
};

/* The fast functions, for floats: the same guide, "Intrinsic Functions". `growth` is for each unit
 * of the operand. */
static const struct fast_accuracy {
    const char *name;
    double units, absolute, growth;
    uint8_t moves;
} fast_accuracies[] = {
    {"cos", 0, 0, 0, MOVES_CIRCULAR},         {"exp", 5, 0, 2.346, MOVES_MONOTONE},
    {"exp10", 5, 0, 5.94, MOVES_MONOTONE},    {"log", 7, 0x1p-21, 0, MOVES_MONOTONE},
    {"log10", 7, 0x1p-21, 0, MOVES_MONOTONE}, {"log2", 5, 0x1p-22, 0, MOVES_MONOTONE},
    {"sin", 0, 0, 0, MOVES_CIRCULAR},         {"sincos", 0, 0, 0, MOVES_CIRCULAR},
    {"tanh", 0x1p13, 0, 0, MOVES_MONOTONE},
};

/* Functions whose results are known if they are the same at both ends of an interval, or lie
 * between the results there. */
static const char *const monotone[] = {
    "ceil",      "double2int", "double2ll",  "double2uint", "double2ull", "finite",    "float2half",
    "float2int", "float2ll",   "float2uint", "float2ull",   "floor",      "isfinited", "isinf",
    "isinfd",    "isnan",      "isnand",     "llrint",      "llround",    "lrint",     "lround",
    "nearbyint", "rint",       "round",      "signbit",     "signbitd",   "trunc",
};

/* Finds the function in double precision, by its name without an f at the end. */
static const struct libdevice_function *find_wide(const char *name)
{
    static const char *const renamed[][2] = {
        {"dsqrt", "sqrt"}, {"fsqrt", "sqrt"}, {"frsqrt", "rsqrt"}};
    const struct libdevice_function *found;
    char whole[40];

    for (size_t k = 0; k < sizeof renamed / sizeof *renamed; k++)
        name = strcmp(name, renamed[k][0]) == 0 ? renamed[k][1] : name;
    snprintf(whole, sizeof whole, "__nv_%s", name);
    found = libdevice_find(whole);
    return found != NULL && strcmp(found->result, "f64") == 0 ? found : NULL;
}

static bool set_fast(const char *name, struct error_code *error)
{
    for (size_t k = 0; k < sizeof fast_accuracies / sizeof *fast_accuracies; k++) {
        const struct fast_accuracy *row = &fast_accuracies[k];
        if (strcmp(row->name, name) != 0)
            continue;
        error->relative = row->units * unit_of(4);
        error->growth = row->growth * unit_of(4);
        error->absolute = row->absolute;
        error->moves = row->moves;
        return true;
    }
    return false;
}

static bool set_accuracy(const char *name, struct error_code *error, uint32_t bytes)
{
    for (size_t k = 0; k < sizeof accuracies / sizeof *accuracies; k++) {
        if (strcmp(accuracies[k].name, name) != 0)
            continue;
        error->relative = (2 * accuracies[k].ulps + 1) * unit_of(bytes);
        error->is_nearest = accuracies[k].ulps == 0 && error->is_nearest;
        error->moves = accuracies[k].moves;
        return true;
    }
    return false;
}

static const char *decode_function(const char *name, bool is_fast, uint32_t bytes,
                                   struct exact_code *exact)
{
    struct error_code *error = &exact->error;

    error->wide = find_wide(strcmp(name, "sincos") == 0 ? "sin" : name);
    error->second = exact->kind == EXACT_TWO_OPAQUE ? find_wide("cos") : NULL;
    if (is_fast)
        error->is_nearest = false;
    if (error->wide == NULL || strcmp(name, "sincospi") == 0 ||
        !(is_fast ? set_fast(name, error) : set_accuracy(name, error, bytes)))
        return "a function without a known error bound";
    if (exact->kind == EXACT_INVERSE_ROOT)
        exact->kind = EXACT_OPAQUE;
    return NULL;
}

const char *decode_bounded_call(const struct libdevice_function *device, const char *name,
                                struct exact_code *exact, const char *refusal)
{
    struct error_code *error = &exact->error;
    uint32_t bytes = strstr(device->parameters, "f64") != NULL ? 8 : 4;
    const char *end = device->name + strlen(device->name);
    bool is_fast = strstr(device->name, "_fast_") != NULL;

    error->is_float = device->result[0] == 'f';
    if (error->is_float)
        bytes = strcmp(device->result, "f64") == 0 ? 8 : 4;
    error->is_nearest = end[-3] != '_' || strcmp(end - 3, "_rn") == 0;
    error->relative = (error->is_nearest ? 1 : 2) * unit_of(bytes);
    for (size_t k = 0; k < sizeof monotone / sizeof *monotone; k++)
        if (strcmp(name, monotone[k]) == 0) {
            exact->kind = EXACT_ENDPOINTS;
            return NULL;
        }
    if (strcmp(name, "half2float") == 0) {
        exact->kind = EXACT_USUAL;
        return NULL;
    }
    if (strcmp(name, "fdivide") == 0 && is_fast) {
        error->relative = 5 * unit_of(4);
        error->is_nearest = false;
        error->has_small_divisor = true;
    }
    if (refusal != NULL)
        return refusal;
    return exact->kind == EXACT_OPAQUE || exact->kind == EXACT_INVERSE_ROOT ||
                   exact->kind == EXACT_TWO_OPAQUE
               ? decode_function(name, is_fast, bytes, exact)
               : NULL;
}
