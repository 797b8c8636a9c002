/* SPDX-License-Identifier: MIT
 *
 * Matrix instructions: PTX ISA 9.0, chapter 9.7.14. The decoder checks the operands.
 */
#include "forms.h"

#define MMA "mma.sync.aligned"
#define SPARSE "mma(.sp|.sp::ordered_metadata).sync.aligned"
#define F8 "(.e4m3|.e5m2)"
#define I8 "(.s8|.u8)"
#define I4 "(.s4|.u4)"
#define TILES "(.m16n16k16|.m32n8k16|.m8n32k16)"
#define LAYOUT "(.row|.col)"
#define SPACE "[.global|.shared|.shared::cta]"
#define NUMBER "(.x1|.x2|.x4)"

const struct form matrix_forms[] = {
    {MMA ".m8n8k4" LAYOUT LAYOUT ".f16.f16.f16.f16", "", "@mma", "9.7.14.5"},
    {MMA ".m8n8k4" LAYOUT LAYOUT ".f32.f16.f16(.f16|.f32)", "", "@mma", "9.7.14.5"},
    {MMA "(.m16n8k8|.m16n8k16).row.col.f16.f16.f16.f16", "", "@mma", "9.7.14.5"},
    {MMA "(.m16n8k8|.m16n8k16).row.col.f32.f16.f16.f32", "", "@mma", "9.7.14.5"},
    {MMA "(.m16n8k8|.m16n8k16).row.col.f32.bf16.bf16.f32", "", "@mma", "9.7.14.5"},
    {MMA "(.m16n8k4|.m16n8k8).row.col.f32.tf32.tf32.f32", "", "@mma", "9.7.14.5"},
    {MMA "(.m16n8k16|.m16n8k32).row.col.f16" F8 F8 ".f16", "", "@mma", "9.7.14.5"},
    {MMA "(.m16n8k16|.m16n8k32).row.col.f32" F8 F8 ".f32", "", "@mma", "9.7.14.5"},
    {MMA "(.m8n8k4|.m16n8k4|.m16n8k8|.m16n8k16).row.col.f64.f64.f64.f64", "", "@mma", "9.7.14.5"},
    {MMA "(.m8n8k4|.m16n8k4|.m16n8k8|.m16n8k16).row.col(.rn|.rz|.rm|.rp).f64.f64.f64.f64", "",
     "@mma", "9.7.14.5"},
    {MMA "(.m8n8k16|.m16n8k16|.m16n8k32).row.col[.satfinite].s32" I8 I8 ".s32", "", "@mma",
     "9.7.14.5"},
    {MMA "(.m8n8k32|.m16n8k32|.m16n8k64).row.col[.satfinite].s32" I4 I4 ".s32", "", "@mma",
     "9.7.14.5"},
    {MMA "(.m8n8k128|.m16n8k128|.m16n8k256).row.col.s32.b1.b1.s32(.xor|.and).popc", "", "@mma",
     "9.7.14.5"},

    {SPARSE "(.m16n8k16|.m16n8k32).row.col.f16.f16.f16.f16", "", "@mma", "9.7.14.6"},
    {SPARSE "(.m16n8k16|.m16n8k32).row.col.f32.f16.f16.f32", "", "@mma", "9.7.14.6"},
    {SPARSE "(.m16n8k16|.m16n8k32).row.col.f32.bf16.bf16.f32", "", "@mma", "9.7.14.6"},
    {SPARSE "(.m16n8k8|.m16n8k16).row.col.f32.tf32.tf32.f32", "", "@mma", "9.7.14.6"},
    {SPARSE "(.m16n8k32|.m16n8k64).row.col[.satfinite].s32" I8 I8 ".s32", "", "@mma", "9.7.14.6"},
    {SPARSE "(.m16n8k64|.m16n8k128).row.col[.satfinite].s32" I4 I4 ".s32", "", "@mma", "9.7.14.6"},
    {SPARSE ".m16n8k64.row.col.f32" F8 F8 ".f32", "", "@mma", "9.7.14.6"},

    {"wmma.load(.a|.b).sync.aligned" LAYOUT TILES SPACE "(.f16|.bf16|.s8|.u8)", "", "@wmma_load",
     "9.7.14.4"},
    {"wmma.load.c.sync.aligned" LAYOUT TILES SPACE "(.f16|.f32|.s32)", "", "@wmma_load",
     "9.7.14.4"},
    {"wmma.load(.a|.b).sync.aligned" LAYOUT ".m16n16k8" SPACE ".tf32", "", "@wmma_load",
     "9.7.14.4"},
    {"wmma.load.c.sync.aligned" LAYOUT ".m16n16k8" SPACE ".f32", "", "@wmma_load", "9.7.14.4"},
    {"wmma.load(.a|.b|.c).sync.aligned" LAYOUT ".m8n8k4" SPACE ".f64", "", "@wmma_load",
     "9.7.14.4"},
    {"wmma.load.a.sync.aligned.row.m8n8k32" SPACE I4, "", "@wmma_load", "9.7.14.4"},
    {"wmma.load.b.sync.aligned.col.m8n8k32" SPACE I4, "", "@wmma_load", "9.7.14.4"},
    {"wmma.load.a.sync.aligned.row.m8n8k128" SPACE ".b1", "", "@wmma_load", "9.7.14.4"},
    {"wmma.load.b.sync.aligned.col.m8n8k128" SPACE ".b1", "", "@wmma_load", "9.7.14.4"},
    {"wmma.load.c.sync.aligned" LAYOUT "(.m8n8k32|.m8n8k128)" SPACE ".s32", "", "@wmma_load",
     "9.7.14.4"},
    {"wmma.store.d.sync.aligned" LAYOUT TILES SPACE "(.f16|.f32|.s32)", "", "@wmma_store",
     "9.7.14.4"},
    {"wmma.store.d.sync.aligned" LAYOUT ".m16n16k8" SPACE ".f32", "", "@wmma_store", "9.7.14.4"},
    {"wmma.store.d.sync.aligned" LAYOUT ".m8n8k4" SPACE ".f64", "", "@wmma_store", "9.7.14.4"},
    {"wmma.store.d.sync.aligned" LAYOUT "(.m8n8k32|.m8n8k128)" SPACE ".s32", "", "@wmma_store",
     "9.7.14.4"},
    {"wmma.mma.sync.aligned" LAYOUT LAYOUT TILES "(.f16|.f32)(.f16|.f32)", "", "@mma", "9.7.14.4"},
    {"wmma.mma.sync.aligned" LAYOUT LAYOUT TILES ".f32.bf16.bf16.f32", "", "@mma", "9.7.14.4"},
    {"wmma.mma.sync.aligned" LAYOUT LAYOUT ".m16n16k8.f32.tf32.tf32.f32", "", "@mma", "9.7.14.4"},
    {"wmma.mma.sync.aligned" LAYOUT LAYOUT ".m8n8k4[.rn].f64.f64.f64.f64", "", "@mma", "9.7.14.4"},
    {"wmma.mma.sync.aligned" LAYOUT LAYOUT ".m8n8k4(.rz|.rm|.rp).f64.f64.f64.f64", "", "@mma",
     "9.7.14.4"},
    {"wmma.mma.sync.aligned" LAYOUT LAYOUT TILES ".s32(.s8.s8|.u8.u8).s32[.satfinite]", "", "@mma",
     "9.7.14.4"},
    {"wmma.mma.sync.aligned.row.col.m8n8k32.s32(.s4.s4|.u4.u4).s32[.satfinite]", "", "@mma",
     "9.7.14.4"},
    {"wmma.mma(.xor|.and).popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", "", "@mma",
     "9.7.14.4"},

    {"ldmatrix.sync.aligned.m8n8" NUMBER "[.trans][.shared|.shared::cta].b16", "", "@ldmatrix",
     "9.7.14.5.15"},
    {"stmatrix.sync.aligned.m8n8" NUMBER "[.trans][.shared|.shared::cta].b16", "", "@stmatrix",
     "9.7.14.5.16"},
    {"movmatrix.sync.aligned.m8n8.trans.b16", "", "@movmatrix", "9.7.14.5.17"},
    {0},
};
