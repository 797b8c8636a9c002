/* SPDX-License-Identifier: MIT
 *
 * Textures and surfaces: PTX ISA 9.0, chapters 9.7.10 and 9.7.11. The decoder checks the operands.
 */
#include "forms.h"

#define GRID "(.1d|.2d|.3d|.a1d|.a2d)"
#define CUBE "(.cube|.acube)"
#define RESULT ".v4(.f32|.s32|.u32|.f16)"
#define PAIR ".v2.f16x2"
#define BOUNDARY "[.trap|.clamp|.zero]"
#define VECTOR "[.v2|.v4]"
#define CACHE "[.ca|.cg|.cs|.cv]"
#define CACHE_OF_STORES "[.wb|.cg|.cs|.wt]"

const struct form texture_forms[] = {
    {"tex" GRID RESULT "(.f32|.s32)", "", "@tex", "9.7.10.3"},
    {"tex" GRID PAIR "(.f32|.s32)", "", "@tex", "9.7.10.3"},
    {"tex" CUBE RESULT ".f32", "", "@tex", "9.7.10.3"},
    {"tex" CUBE PAIR ".f32", "", "@tex", "9.7.10.3"},
    {"tex.level" GRID RESULT "(.f32|.s32)", "", "@tex", "9.7.10.3"},
    {"tex.level" GRID PAIR "(.f32|.s32)", "", "@tex", "9.7.10.3"},
    {"tex.level" CUBE RESULT ".f32", "", "@tex", "9.7.10.3"},
    {"tex.level" CUBE PAIR ".f32", "", "@tex", "9.7.10.3"},
    {"tex.grad" GRID RESULT ".f32", "", "@tex", "9.7.10.3"},
    {"tex.grad" GRID PAIR ".f32", "", "@tex", "9.7.10.3"},
    {"tex.grad" CUBE RESULT ".f32", "", "@tex", "9.7.10.3"},
    {"tld4(.r|.g|.b|.a)(.2d|.a2d|.cube|.acube).v4(.f32|.s32|.u32).f32", "", "@tld4", "9.7.10.4"},
    {"txq(.width|.height|.depth|.array_size|.num_mipmap_levels|.num_samples|.normalized_coords)"
     ".b32",
     "", "@txq", "9.7.10.5"},
    {"txq.level(.width|.height|.depth).b32", "", "@txq", "9.7.10.5"},
    {"suld.b" GRID CACHE VECTOR "(.b8|.b16|.b32|.b64)" BOUNDARY, "", "@suld", "9.7.11.1"},
    {"sust.b" GRID CACHE_OF_STORES VECTOR "(.b8|.b16|.b32|.b64)" BOUNDARY, "", "@sust", "9.7.11.2"},
    {"sust.p" GRID VECTOR "(.b32|.u32|.s32|.f32)" BOUNDARY, "", "@sust", "9.7.11.2"},
    {"sured.b(.add|.min|.max)" GRID "(.u32|.s32)" BOUNDARY, "", "@sured", "9.7.11.3"},
    {"sured.b(.add|.min|.max).1d.u64" BOUNDARY, "", "@sured", "9.7.11.3"},
    {"sured.b(.and|.or)" GRID ".b32" BOUNDARY, "", "@sured", "9.7.11.3"},
    {"suq(.width|.height|.depth|.array_size).b32", "", "@suq", "9.7.11.4"},
    {0},
};
