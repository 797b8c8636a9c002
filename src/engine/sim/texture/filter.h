/* SPDX-License-Identifier: MIT
 *
 * What a texture unit computes: which texels a coordinate means, and the value between them. It
 * follows measurements on an H200.
 */
#ifndef SIMTCHECK_SIM_FILTER_H
#define SIMTCHECK_SIM_FILTER_H

#include "catalogue.h"

enum { MOST_TAPS = 8, MOST_TEXEL_BYTES = 16, OUTSIDE = -1 };

/* The texels that one read needs: 1, or the corners of a cell, whose lowest bit is x. */
struct sample {
    uint32_t count;
    int64_t texel[MOST_TAPS]; /* its number in the array, or OUTSIDE: the border's colour */
    uint32_t fraction[3];     /* position in the cell, in 1/256 */
};

uint32_t filter_texel_bytes(const struct view *view);

/* Finds the texels of coordinates: floats, or else integers, as bits. `gathers`: all four texels of
 * a cell, for tld4. */
void filter_place(const struct view *view, const uint32_t coordinates[3], bool has_floats,
                  bool gathers, uint32_t layer, struct sample *sample);

/* Returns true if the value of the sample may differ from that of a GPU, because the rounding of
 * the hardware is not known. */
bool filter_is_inexact(const struct view *view, const struct sample *sample);

/* Computes the four components from the texels of the sample. */
void filter_value(const struct view *view, const struct sample *sample,
                  const unsigned char texels[MOST_TAPS][MOST_TEXEL_BYTES], uint32_t value[4]);

/* Returns the component of the four texels in the order of tld4. */
void filter_gather(const struct view *view, const struct sample *sample,
                   const unsigned char texels[MOST_TAPS][MOST_TEXEL_BYTES], uint32_t component,
                   uint32_t value[4]);

uint16_t filter_half(uint32_t value);

/* Converts four components to a texel, for sust.p. */
void filter_format(const struct view *view, const uint32_t value[4],
                   unsigned char texel[MOST_TEXEL_BYTES]);

#endif
