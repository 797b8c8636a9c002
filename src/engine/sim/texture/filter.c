/* SPDX-License-Identifier: MIT */
#include "filter.h"

#include "half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHT_BITS = 8, UNIT = 256 }; /* UNIT: steps of a fraction, and of a weight */

uint32_t filter_texel_bytes(const struct view *view)
{
    return view->lanes * (uint32_t)element_size(view->element);
}

/* ---- Coordinates ---- */

static bool is_clamped(const struct view *view)
{
    return view->address == VIEW_CLAMP || (!view->is_normalized && view->address != VIEW_BORDER);
}

/* Returns the texel at an index along one dimension, or OUTSIDE. */
static int64_t addressed(const struct view *view, int64_t index, int64_t extent, bool has_floats)
{
    enum view_address address = !has_floats        ? VIEW_BORDER
                                : is_clamped(view) ? VIEW_CLAMP
                                                   : view->address;
    int64_t rest;

    if (index >= 0 && index < extent)
        return index;
    switch (address) {
    case VIEW_BORDER:
        return OUTSIDE;
    case VIEW_WRAP:
        rest = index % extent;
        return rest < 0 ? rest + extent : rest;
    case VIEW_MIRROR:
        rest = index % (2 * extent);
        rest = rest < 0 ? rest + 2 * extent : rest;
        return rest < extent ? rest : 2 * extent - 1 - rest;
    default:
        return index < 0 ? 0 : extent - 1;
    }
}

/* Coordinates are in steps of 2^-bits. Normalized ones are cut off after so many bits of their
 * fraction. */
static int fraction_bits(int64_t extent)
{
    return extent <= 8192 ? 21 : extent <= 65536 ? 22 : 23;
}

/* Returns the place of a normalized coordinate among the texels. Sets *is_turned if it is in a
 * mirrored image. */
static int64_t scaled(const struct view *view, int64_t steps, int64_t extent, bool *is_turned)
{
    const int64_t one = INT64_C(1) << fraction_bits(extent);

    if (view->address == VIEW_WRAP)
        return (steps & (one - 1)) * extent;
    if (view->address != VIEW_MIRROR)
        return steps * extent;
    steps = (steps & (2 * one - 1)) * extent;
    *is_turned = steps >= one * extent;
    return *is_turned ? 2 * one * extent - 1 - steps : steps;
}

/* Returns the place of a float coordinate in steps of 1/256 texel. In a cell, the centres of texels
 * are whole. */
static int64_t place_of(const struct view *view, double coordinate, int64_t extent, bool is_cell)
{
    const int bits = fraction_bits(extent);
    bool has_ends = view->address == VIEW_CLAMP || view->address == VIEW_BORDER;
    double most = view->is_normalized && has_ends ? 0x1p20 : 0x1p38;
    bool is_turned = false;
    int64_t steps;

    if (isnan(coordinate) || fabs(coordinate) < 0x1p-126)
        coordinate = 0;
    steps = (int64_t)floor(fmax(fmin(coordinate, most), -most) * (double)(1 << bits));
    if (view->is_normalized)
        steps = scaled(view, steps, extent, &is_turned);
    if (!is_cell)
        return (steps >> bits) * UNIT;
    steps = (steps - (INT64_C(1) << (bits - 1)) + (INT64_C(1) << (bits - 9))) >> (bits - 8);
    return is_turned ? (2 * extent - 1) * UNIT - steps : steps; /* the cell is turned back */
}

/* ---- Cubemaps ---- */

/* Returns a component of a direction. Directions without a meaning are zero. */
static float component(const uint32_t direction[3], uint32_t k)
{
    bool is_finite = true;

    for (uint32_t d = 0; d < 3; d++)
        is_finite = is_finite && !isinf(f32_of_bits(direction[d]));
    return is_finite && !isnan(f32_of_bits(direction[k])) ? f32_of_bits(direction[k]) : 0;
}

/* Chooses the face that the direction meets, and the normalized coordinates on it. */
static uint32_t face_of(const uint32_t direction[3], double place[2])
{
    float x = component(direction, 0), y = component(direction, 1), z = component(direction, 2);
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z), major, s, t;
    uint32_t face;

    if (az >= ax && az >= ay) {
        face = z < 0 ? 5 : 4;
        s = z < 0 ? -x : x;
        t = -y;
        major = az;
    } else if (ay >= ax) {
        face = signbit(y) ? 3 : 2;
        s = x;
        t = signbit(y) ? -z : z;
        major = ay;
    } else {
        face = signbit(x) ? 1 : 0;
        s = signbit(x) ? z : -z;
        t = -y;
        major = ax;
    }
    place[0] = major > 0 ? ((double)(s * (1 / major)) + 1) / 2 : 0.5;
    place[1] = major > 0 ? ((double)(t * (1 / major)) + 1) / 2 : 0.5;
    return face;
}

void filter_place(const struct view *view, const uint32_t coordinates[3], bool has_floats,
                  bool gathers, uint32_t layer, struct sample *sample)
{
    bool is_cell = has_floats && (view->is_linear || gathers);
    uint32_t dimensions = view->dimensions, faces = view->is_cubemap ? 6 : 1;
    double places[3];
    int64_t low[3] = {0};

    if (layer >= view->layers / faces)
        layer = (uint32_t)view->layers / faces - 1;
    for (uint32_t d = 0; d < 3; d++)
        places[d] = (double)f32_of_bits(coordinates[d]);
    if (view->is_cubemap)
        layer = layer * faces + face_of(coordinates, places);
    *sample = (struct sample){.count = is_cell ? UINT32_C(1) << dimensions : 1};
    for (uint32_t d = 0; d < dimensions; d++) {
        int64_t extent = (int64_t)view->extent[d];
        int64_t place = has_floats ? place_of(view, places[d], extent, is_cell)
                                   : (int64_t)(int32_t)coordinates[d] * UNIT;
        if (is_cell && !gathers && is_clamped(view))
            place = place < 0 ? 0 : place > (extent - 1) * UNIT ? (extent - 1) * UNIT : place;
        low[d] = place >= 0 ? place / UNIT : -((-place + UNIT - 1) / UNIT);
        sample->fraction[d] = (uint32_t)(place - low[d] * UNIT);
    }
    for (uint32_t k = 0; k < sample->count; k++) {
        int64_t texel = layer;
        for (uint32_t d = dimensions; d-- > 0 && texel != OUTSIDE;) {
            int64_t index =
                addressed(view, low[d] + (k >> d & 1), (int64_t)view->extent[d], has_floats);
            texel = index == OUTSIDE ? OUTSIDE : texel * (int64_t)view->extent[d] + index;
        }
        sample->texel[k] = texel;
    }
}

bool filter_is_inexact(const struct view *view, const struct sample *sample)
{
    bool is_between = (sample->fraction[0] | sample->fraction[1] | sample->fraction[2]) != 0;
    bool has_signed_bytes = view->reads_floats && view->is_signed && view->element == ELEMENT_I8;

    return view->is_linear && is_between &&
           (view->is_srgb || has_signed_bytes ||
            (view->dimensions == 3 && element_is_float(view->element)));
}

/* ---- Values ---- */

/* The linear values of sRGB codes, in 1/65536, as the hardware has them. */
static const uint32_t linear_of_srgb[256] = {
    0,     20,    40,    60,    80,    100,   120,   140,   160,   180,   200,   220,   240,
    264,   288,   312,   340,   368,   396,   428,   460,   492,   524,   560,   600,   636,
    676,   720,   760,   804,   852,   896,   944,   1000,  1048,  1104,  1160,  1216,  1272,
    1328,  1392,  1456,  1520,  1584,  1648,  1720,  1792,  1864,  1936,  2016,  2096,  2176,
    2256,  2336,  2416,  2496,  2592,  2688,  2768,  2864,  2960,  3056,  3152,  3264,  3360,
    3456,  3584,  3680,  3776,  3904,  4000,  4128,  4256,  4352,  4480,  4608,  4736,  4864,
    4992,  5120,  5248,  5408,  5536,  5664,  5824,  5952,  6112,  6240,  6400,  6560,  6688,
    6848,  7008,  7168,  7328,  7488,  7680,  7808,  8000,  8192,  8320,  8512,  8704,  8896,
    9088,  9280,  9472,  9664,  9856,  10048, 10240, 10432, 10624, 10816, 11008, 11264, 11456,
    11648, 11904, 12096, 12288, 12544, 12736, 12992, 13184, 13440, 13696, 13888, 14144, 14400,
    14656, 14848, 15104, 15360, 15616, 15872, 16128, 16384, 16640, 16896, 17152, 17408, 17664,
    18048, 18304, 18560, 18816, 19072, 19456, 19712, 19968, 20224, 20608, 20864, 21120, 21504,
    21760, 22144, 22400, 22784, 23040, 23296, 23680, 24064, 24320, 24704, 24960, 25344, 25600,
    25984, 26368, 26752, 27008, 27392, 27776, 28032, 28416, 28800, 29184, 29568, 29952, 30336,
    30720, 30976, 31488, 31744, 32256, 32512, 33024, 33280, 33792, 34048, 34560, 35072, 35328,
    35840, 36096, 36608, 37120, 37376, 37888, 38400, 38656, 39168, 39680, 39936, 40448, 40960,
    41216, 41728, 42240, 42752, 43264, 43520, 44032, 44544, 45056, 45568, 45824, 46336, 46848,
    47360, 47872, 48384, 48896, 49408, 49920, 50432, 50944, 51456, 51968, 52480, 52992, 53504,
    54016, 54528, 55040, 55552, 56064, 56576, 57088, 57600, 58112, 58624, 59392, 59904, 60416,
    60928, 61440, 61952, 62464, 62976, 64000, 64512, 65024, 65536};

static bool is_from_table(const struct view *view, uint32_t k)
{
    return view->is_srgb && k < 3;
}

static bool is_half(const struct view *view, uint32_t k)
{
    return view->element == ELEMENT_F16 || is_from_table(view, k);
}

/* Returns a component of a texel: the bits of a float, or an integer. */
static uint32_t component_of(const struct view *view, const unsigned char *texel, uint32_t k)
{
    uint32_t bits = 0, bytes = (uint32_t)element_size(view->element);
    int32_t value, most;

    if (k >= view->lanes)
        return 0;
    memcpy(&bits, texel + k * bytes, bytes);
    if (view->element == ELEMENT_F16)
        return bits_of_f32((float)ptx_half(PTX_f16, bits, 0, false));
    if (bytes == 4)
        return bits;
    value =
        view->is_signed ? (int32_t)(bits << (32 - 8 * bytes)) >> (32 - 8 * bytes) : (int32_t)bits;
    if (!view->reads_floats)
        return (uint32_t)value;
    if (is_from_table(view, k))
        return bits_of_f32((float)linear_of_srgb[value] / 65536);
    most = (1 << (8 * bytes - view->is_signed)) - 1;
    return bits_of_f32((float)fmax((double)value / most, -1));
}

static uint32_t component_at(const struct view *view, const struct sample *sample,
                             const unsigned char texels[MOST_TAPS][MOST_TEXEL_BYTES], uint32_t tap,
                             uint32_t k)
{
    static const unsigned char border[MOST_TEXEL_BYTES] = {0};

    return component_of(view, sample->texel[tap] == OUTSIDE ? border : texels[tap], k);
}

/* ---- Normalized integers ---- */

/* Returns a component of a texel as an integer. */
static int32_t integer_at(const struct view *view, const struct sample *sample,
                          const unsigned char texels[MOST_TAPS][MOST_TEXEL_BYTES], uint32_t tap,
                          uint32_t k)
{
    uint32_t bytes = (uint32_t)element_size(view->element);
    int32_t half = bytes == 1 ? 128 : 32768, value = 0;

    if (k >= view->lanes || sample->texel[tap] == OUTSIDE)
        return 0;
    memcpy(&value, texels[tap] + k * bytes, bytes);
    return view->is_signed && value >= half ? value - 2 * half : value;
}

/* The sum has 8 bits more than a texel. The result has 16 bits. */
static uint32_t sum_of_normalized(const struct view *view, const int32_t values[MOST_TAPS],
                                  const uint32_t weights[MOST_TAPS], uint32_t count)
{
    bool is_byte = element_size(view->element) == 1;
    int32_t sum = 0;
    double value;

    for (uint32_t k = 0; k < count; k++)
        sum += values[k] * (int32_t)weights[k];
    if (!view->is_signed)
        return bits_of_f32((float)(((is_byte ? sum * 0x101 : sum) + UNIT / 2) / UNIT / 65535.0));
    value = is_byte ? floor(sum * (32767.0 / 127 / UNIT) + 0.5) : (sum + UNIT / 2) >> WEIGHT_BITS;
    return bits_of_f32((float)fmax(value / 32767, -1));
}

/* Splits a weight. Ties go to the part of the fraction, or to the other one. */
static void split(uint32_t weight, uint32_t fraction, bool ties_go_up, uint32_t parts[2])
{
    parts[1] = (weight * fraction + UNIT / 2 - !ties_go_up) / UNIT;
    parts[0] = weight - parts[1];
}

/* Computes the weights of the corners of a cell, in 1/256. They are split by z, then by x, then by
 * y, and add up to 256. */
static void weights_of(const struct view *view, const struct sample *sample,
                       uint32_t weights[MOST_TAPS])
{
    const uint32_t *fraction = sample->fraction;
    uint32_t by_z[2] = {UNIT, 0}, by_x[2], by_y[2];

    if (view->dimensions == 3)
        split(UNIT, fraction[2], true, by_z);
    for (uint32_t z = 0; z < 2; z++) {
        split(by_z[z], fraction[0], true, by_x);
        for (uint32_t x = 0; x < 2; x++) {
            split(by_x[x], view->dimensions > 1 ? fraction[1] : 0, x == 1, by_y);
            weights[x | z << 2] = by_y[0];
            weights[x | 2 | z << 2] = by_y[1];
        }
    }
}

/* The value of a finite texel is significand * 2^exponent. */
struct parts {
    int64_t significand;
    int exponent;
};

/* Texels are aligned to the largest of a plane, and cut off KEPT_BITS below its lowest bit. */
enum { KEPT_BITS = 4, NO_TEXEL = -1000 };

/* Returns the least exponent of a half, if it has 11 bits, or of a float, as frexp() has it. */
static int least_exponent(int bits)
{
    return bits == 11 ? -13 : -125;
}

static struct parts parts_of(float value, int bits)
{
    int exponent;
    double significand = frexp(value, &exponent);

    exponent = exponent < least_exponent(bits) ? least_exponent(bits) : exponent;
    significand = ldexp(value, bits - exponent);
    return (struct parts){(int64_t)significand, exponent - bits};
}

/* Rounds to that many bits, with ties away from zero. */
static double rounded(double value, int bits)
{
    int exponent;

    frexp(value, &exponent);
    exponent = exponent < least_exponent(bits) ? least_exponent(bits) : exponent;
    return ldexp(round(ldexp(value, bits - exponent)), exponent - bits);
}

/* Returns the sum of the aligned texels of a plane by weights. */
static double sum_of_plane(const float *texels, const uint32_t *weights, uint32_t count, int bits)
{
    struct parts parts[4];
    int top = NO_TEXEL;
    int64_t sum = 0;

    for (uint32_t k = 0; k < count; k++) {
        parts[k] = parts_of(texels[k], bits);
        if (weights[k] != 0 && parts[k].significand != 0 && parts[k].exponent > top)
            top = parts[k].exponent;
    }
    for (uint32_t k = 0; k < count; k++) {
        int shift = top - parts[k].exponent;
        int64_t aligned = 0;
        if (weights[k] != 0 && parts[k].significand != 0 && shift <= 60)
            aligned = (llabs(parts[k].significand) << KEPT_BITS) >> shift;
        sum += (parts[k].significand < 0 ? -aligned : aligned) * (int64_t)weights[k];
    }
    return ldexp((double)sum, top - KEPT_BITS - WEIGHT_BITS);
}

/* Returns the sum of floats by weights, with a significand of `bits` bits. */
static uint32_t sum_of_floats(const uint32_t words[MOST_TAPS], const uint32_t weights[MOST_TAPS],
                              uint32_t count, int bits)
{
    float texels[MOST_TAPS];
    double sum = 0;

    for (uint32_t k = 0; k < count; k++) {
        texels[k] = f32_of_bits(words[k]);
        if (weights[k] != 0 && !isfinite(texels[k]))
            return 0x7fffffff;
    }
    for (uint32_t k = 0; k < count; k += 4)
        sum += sum_of_plane(texels + k, weights + k, count < 4 ? count : 4, bits);
    return bits_of_f32((float)rounded(sum, bits));
}

void filter_value(const struct view *view, const struct sample *sample,
                  const unsigned char texels[MOST_TAPS][MOST_TEXEL_BYTES], uint32_t value[4])
{
    uint32_t weights[MOST_TAPS], words[MOST_TAPS];
    int32_t values[MOST_TAPS];

    weights_of(view, sample, weights);
    for (uint32_t k = 0; k < 4; k++) {
        if (sample->count == 1) {
            value[k] = component_at(view, sample, texels, 0, k);
            continue;
        }
        for (uint32_t tap = 0; tap < sample->count; tap++) {
            values[tap] = integer_at(view, sample, texels, tap, k);
            words[tap] = component_at(view, sample, texels, tap, k);
        }
        value[k] = view->reads_floats && !is_from_table(view, k)
                       ? sum_of_normalized(view, values, weights, sample->count)
                       : sum_of_floats(words, weights, sample->count, is_half(view, k) ? 11 : 24);
    }
}

void filter_gather(const struct view *view, const struct sample *sample,
                   const unsigned char texels[MOST_TAPS][MOST_TEXEL_BYTES], uint32_t component,
                   uint32_t value[4])
{
    static const uint32_t order[] = {2, 3, 1, 0};

    for (uint32_t k = 0; k < 4; k++)
        value[k] = component_at(view, sample, texels, order[k], component);
}

uint16_t filter_half(uint32_t value)
{
    return (uint16_t)ptx_half_bits(PTX_f16, f32_of_bits(value), PTX_rn, false, false, false);
}

/* Rounds to a half, towards zero. */
static uint32_t half_towards_zero(float value)
{
    return ptx_half_bits(PTX_f16, (double)value, PTX_rz, false, false, false);
}

void filter_format(const struct view *view, const uint32_t value[4],
                   unsigned char texel[MOST_TEXEL_BYTES])
{
    uint32_t bytes = (uint32_t)element_size(view->element), half = UINT32_C(1) << (8 * bytes - 1);

    for (uint32_t k = 0; k < view->lanes; k++) {
        uint32_t bits = value[k];
        int64_t integer = view->is_signed ? (int32_t)bits : (int64_t)bits;
        if (view->element == ELEMENT_F16)
            bits = isnan(f32_of_bits(bits)) ? 0xffff : half_towards_zero(f32_of_bits(bits));
        else if (bytes < 4 && view->is_signed)
            bits = (uint32_t)(integer < -(int64_t)half      ? -(int64_t)half
                              : integer > (int64_t)half - 1 ? (int64_t)half - 1
                                                            : integer);
        else if (bytes < 4 && integer > 2 * (int64_t)half - 1)
            bits = 2 * half - 1;
        memcpy(texel + k * bytes, &bits, bytes);
    }
}
