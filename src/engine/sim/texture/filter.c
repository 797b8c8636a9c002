/* SPDX-License-Identifier: MIT */
#include "filter.h"

#include "half.h"

#include <math.h>
#include <string.h>

enum { UNIT = 256 }; /* steps of a fraction */

uint32_t filter_texel_bytes(const struct view *view)
{
    return view->lanes * (uint32_t)element_size(view->element);
}

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- Coordinates ---- */

/* Returns the texel at an index along one dimension, or OUTSIDE. */
static int64_t addressed(const struct view *view, int64_t index, int64_t extent)
{
    enum view_address address = view->address;
    int64_t rest;

    if (!view->is_normalized && (address == VIEW_WRAP || address == VIEW_MIRROR))
        address = VIEW_CLAMP;
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

/* Returns the place of a float coordinate in steps of 1/256 texel. */
static int64_t place_of(const struct view *view, float coordinate, int64_t extent, bool is_cell)
{
    double place = coordinate;

    if (isnan(coordinate))
        return 0;
    if (view->is_normalized)
        place *= (double)extent;
    place = fmax(fmin(place, 0x1p40), -0x1p40);
    if (!is_cell)
        return (int64_t)floor(place) * UNIT;
    return (int64_t)nearbyint((place - 0.5) * UNIT);
}

/* ---- Cubemaps ---- */

/* Chooses the face that the direction meets, and the normalized coordinates on it. */
static uint32_t face_of(const uint32_t direction[3], uint32_t place[2])
{
    float x = float_of(direction[0]), y = float_of(direction[1]), z = float_of(direction[2]);
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z), major, s, t;
    uint32_t face;

    if (az >= ax && az >= ay) {
        face = signbit(z) ? 5 : 4;
        s = signbit(z) ? -x : x;
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
    place[0] = bits_of((s / major + 1) / 2);
    place[1] = bits_of((t / major + 1) / 2);
    return face;
}

void filter_place(const struct view *view, const uint32_t coordinates[3], bool has_floats,
                  bool gathers, uint32_t layer, struct sample *sample)
{
    bool is_cell = has_floats && (view->is_linear || gathers);
    uint32_t dimensions = view->dimensions, on_face[3] = {0};
    int64_t low[3] = {0};

    if (view->is_cubemap) {
        layer = layer * 6 + face_of(coordinates, on_face);
        coordinates = on_face;
    }
    if (layer >= view->layers)
        layer = (uint32_t)view->layers - 1;
    *sample = (struct sample){.count = is_cell ? UINT32_C(1) << dimensions : 1};
    for (uint32_t d = 0; d < dimensions; d++) {
        int64_t extent = (int64_t)view->extent[d];
        int64_t place = has_floats ? place_of(view, float_of(coordinates[d]), extent, is_cell)
                                   : (int64_t)(int32_t)coordinates[d] * UNIT;
        low[d] = place >= 0 ? place / UNIT : -((-place + UNIT - 1) / UNIT);
        sample->fraction[d] = (uint32_t)(place - low[d] * UNIT);
    }
    for (uint32_t k = 0; k < sample->count; k++) {
        int64_t texel = layer;
        for (uint32_t d = dimensions; d-- > 0 && texel != OUTSIDE;) {
            int64_t index = addressed(view, low[d] + (k >> d & 1), (int64_t)view->extent[d]);
            texel = index == OUTSIDE ? OUTSIDE : texel * (int64_t)view->extent[d] + index;
        }
        sample->texel[k] = texel;
    }
}

/* ---- Values ---- */

static bool has_floats(const struct view *view)
{
    return element_is_float(view->element) || view->reads_floats;
}

/* Returns a component of a texel: the bits of a float, or an integer. */
static uint32_t component_of(const struct view *view, const unsigned char *texel, uint32_t k)
{
    uint32_t bits = 0, bytes = (uint32_t)element_size(view->element);
    double most = view->is_signed ? (1 << (8 * bytes % 32 - 1)) - 1 : (1 << 8 * bytes % 32) - 1;
    int32_t value;

    if (k >= view->lanes)
        return k < 3 ? 0 : has_floats(view) ? bits_of(1) : 1;
    memcpy(&bits, texel + k * bytes, bytes);
    if (view->element == ELEMENT_F16)
        return bits_of((float)ptx_half(PTX_f16, bits, 0, false));
    if (bytes == 4)
        return bits;
    value =
        view->is_signed ? (int32_t)(bits << (32 - 8 * bytes)) >> (32 - 8 * bytes) : (int32_t)bits;
    if (!view->reads_floats)
        return (uint32_t)value;
    return bits_of((float)fmax(value / most, -1));
}

static uint32_t component_at(const struct view *view, const struct sample *sample,
                             const unsigned char texels[MOST_TAPS][MOST_TEXEL_BYTES], uint32_t tap,
                             uint32_t k)
{
    static const unsigned char border[MOST_TEXEL_BYTES] = {0};

    return component_of(view, sample->texel[tap] == OUTSIDE ? border : texels[tap], k);
}

void filter_value(const struct view *view, const struct sample *sample,
                  const unsigned char texels[MOST_TAPS][MOST_TEXEL_BYTES], uint32_t value[4])
{
    for (uint32_t k = 0; k < 4; k++) {
        double sum = 0;
        if (sample->count == 1) {
            value[k] = component_at(view, sample, texels, 0, k);
            continue;
        }
        for (uint32_t tap = 0; tap < sample->count; tap++) {
            double weight = 1;
            for (uint32_t d = 0; d < view->dimensions; d++)
                weight *= (tap >> d & 1 ? sample->fraction[d] : UNIT - sample->fraction[d]) /
                          (double)UNIT;
            sum += weight * float_of(component_at(view, sample, texels, tap, k));
        }
        value[k] = bits_of((float)sum);
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
    return (uint16_t)ptx_half_bits(PTX_f16, float_of(value), PTX_rn, false, false, false);
}

void filter_format(const struct view *view, const uint32_t value[4],
                   unsigned char texel[MOST_TEXEL_BYTES])
{
    uint32_t bytes = (uint32_t)element_size(view->element);

    for (uint32_t k = 0; k < view->lanes; k++) {
        uint32_t bits = value[k];
        if (view->element == ELEMENT_F16)
            bits = filter_half(bits);
        memcpy(texel + k * bytes, &bits, bytes);
    }
}
