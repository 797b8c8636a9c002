/* SPDX-License-Identifier: MIT */
#include "translate_tables.h"

#include <stddef.h>

const struct acceptance accepted_modules[] = {
    /* The CUDA source's file and line, and those of the call it was inlined into. */
    {".file 1 \"kernels/a.cu\"\n.file 2 \"b \\\"c\\\".cuh\", 1, 2\n"
     ".entry k() {\n.reg .b32 %r<2>;\n.loc 1 10 3\n"
     ".loc 2 20 5, function_name f+4, inlined_at 1 10 3\nbar.sync 0;\nret;\n}",
     {"{{\"b \\134\\042c\\134\\042.cuh\", 20, \"kernels/a.cu\", 10}, 10},",
      "#line 20 \"b \\134\\042c\\134\\042.cuh\"\n"}},
    /* A place in the toolkit's headers is told as the kernel's own line. */
    {".file 1 \"a.cu\"\n.file 2 \"/cuda/include/x.h\"\n.entry k() {\n.loc 1 10 3\n"
     ".loc 2 20 5, function_name f, inlined_at 1 10 3\nbar.sync 0;\n.loc 1 0 0\nbar.sync 0;\n"
     "ret;\n}",
     {"{{\"a.cu\", 10, 0, 0}, 9},", "{{\"a.cu\", 0, 0, 0}, 11},", "#line 10 \"a.cu\"\n"}},
    /* Without any .loc, the line of the PTX. */
    {".entry k() {\nbar.sync 0;\nret;\n}", {"{{\"t.ptx\", 5, 0, 0}, 5},"}},
    /* Labels and registers belong to their braces. */
    {".entry k() {\n.reg .b32 %r<4>;\nL:\n{\n.reg .b64 %r<2>;\nL:\nmov.b64 %r1, 1;\n"
     "mov.b32 %r3, 3;\nbra L;\n}\nmov.b32 %r1, 2;\nbra L;\n}",
     {"L0:;\nL1:;\n", "r0 = (uint64_t)", "r1 = (uint32_t)", "goto L1;\n", "goto L0;\n"}},
    /* %r12 is number 12 of %r, %r1 being declared later for number 2. */
    {".entry k() {\n.reg .b32 %r<20>;\n{\n.reg .b64 %r1<5>;\nmov.b64 %r12, 1;\n"
     "mov.b32 %r15, 1;\n}\nmov.b32 %r12, 1;\nret;\n}",
     {"uint64_t r0 = 0;\nuint32_t r1 = 0;\nuint32_t r2 = 0;\n"}},
    /* A switch. */
    {".entry k() {\n.reg .b32 %r;\nA:\nT: .branchtargets A, B, A;\nB:\nbrx.idx.uni %r, T;\n}",
     {"case 0: goto L0; case 1: goto L1; case 2: goto L0; default: simt_trap("}},
    /* An indirect call, and the function whose address it takes. */
    {".func (.param .b32 r) f(.param .b64 a) {\n.reg .b32 %r;\nmov.u32 %r, 7;\n"
     "st.param.b32 [r], %r;\nret;\n}\n.entry k() {\n.reg .b64 %rd;\nmov.u64 %rd, f;\n{\n.param "
     ".b64 a;\n.param .b32 r;\n"
     "P: .callprototype (.param .b32 _) _ (.param .b64 _);\nC: .calltargets f;\n"
     "call (r), %rd, (a), P;\ncall.uni (r), %rd, (a), C;\ncall (r), f, (a);\n}\n}",
     {"static bool x_f(uint8_t *p0, uint8_t *p1);", "(uint64_t)(uintptr_t)&x_f",
      "if (((bool (*)(uint8_t *, uint8_t *))(uintptr_t)simt_callee((places + ", "if (x_f(p"}},
    /* Initial values: numbers of each width, addresses, zeros behind. */
    {".extern .global .b8 other[];\n.func f { ret; }\n.const .align 4 .u16 small[4] = {1, 0x203};\n"
     ".visible .global .f32 one = 0f3F800000;\n"
     ".global .u64 at[4] = {other, generic(small+2)+4, f, -1};",
     {"static const uint8_t initial_1[8] = {1,0,3,2,};",
      "{0, &x_other, 0, 0},\n{8, &v1, 0, 4},\n{16, 0, (void (*)(void))x_f, 0},\n};",
      "initial_3[32] = {0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,255,255,",
      "{\"small\", &v1, 8, 4, 2, initial_1, true, 0, 0},",
      "{\"one\", &x_one, 4, 4, 4, initial_2, false, 0, 0},"}},
    /* What an .extern announces is defined, and may be used before. */
    {".extern .global .u32 x;\n.entry k() { .reg .b32 %r; ld.global.u32 %r, [x]; }\n"
     ".visible .global .u32 x = 5;\n.weak .global .v2 .f32 a, b;",
     {"\nuint64_t x_x;\n__attribute__((weak)) uint64_t x_a;\n", "{\"b\", &x_b, 8, 8, 4, 0, false"}},
    /* Vectors, guards. */
    {".entry k(.param .u64 a) {\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd;\n"
     "ld.param.u64 %rd, [a];\n@!%p1 ld.global.nc.v4.u32 {%r0, _, %r2, %r3}, [%rd+16];\n"
     "@%p1 st.volatile.global.v2.u32 [%rd], {%r0, 5};\n}",
     {"if (!r1) { { const uintptr_t at = (uintptr_t)((uint64_t)r0 + UINT64_C(16)); "
      "simt_read_c16((places + ",
      "at); r2 = ", "if (r1) { { const uintptr_t at", "simt_write_v8("}},
    /* Shared memory: arrays that no kernel has together lie upon each other. */
    {".shared .align 16 .b8 a[20];\n.shared .align 8 .b8 b[8];\n.shared .align 8 .b8 c[4];\n"
     ".extern .shared .align 16 .b8 dynamic[];\n"
     ".func f { .reg .b32 %r; mov.u32 %r, c; ret; }\n"
     ".entry one() { .reg .b32 %r<3>; mov.u32 %r0, a; mov.u32 %r1, dynamic; call f; }\n"
     ".entry two() { .reg .b32 %r<3>; mov.u32 %r0, b; call f; }\n",
     {"simt_dynamic_shared", "shared_1[] = {\n{\"a\", 0, 20},\n{\"c\", 24, 4},\n{0}};",
      "shared_2[] = {\n{\"b\", 0, 8},\n{\"c\", 24, 4},\n{0}};",
      "{(void (*)(void))x_one, shared_1, 2, 28,"}},
    /* A shared array belongs to its function: two may have the same name. */
    {".entry one() { .shared .b32 s; .reg .b32 %r; mov.u32 %r, s; }\n"
     ".entry two() { .shared .b64 s; .reg .b32 %r; mov.u32 %r, s; }\n.shared .b32 s;",
     {"shared_0[] = {\n{\"s\", 0, 4},\n{0}};", "shared_1[] = {\n{\"s\", 0, 8},\n{0}};"}},
    /* Parameters: each at its alignment; the block's shape. */
    {".entry k(.param .u8 a, .param .align 8 .b8 b[12], .param .u32 c, .param .u64 .ptr .global "
     ".align 16 d) .maxntid 32, 1, 1 .reqntid 64, 2 .minnctapersm 1 .pragma \"x\"; "
     ".noreturn { ret; }",
     {"parameter_bytes_0[] = {1, 12, 4, 8, 0};", "parameter_offsets_0[] = {0, 8, 20, 24, 0};",
      ", 4, {64, 2, 1}, 32},"}},
    /* The runtime's functions. */
    {".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
     ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, "
     ".param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
     ".extern .func (.param .b32 r) cudaGetLastError();\n"
     ".entry k() { .param .b64 a; .param .align 4 .b8 d[12]; .param .b32 r; .param .b64 p;\n"
     "call.uni (r), vprintf, (a, a);\ncall (p), cudaGetParameterBufferV2, (a, d, d, r);\n"
     "call cudaGetLastError;\n}",
     {"struct simt_child child;", "simt_vprintf((places + ", "ptx_child((places + ",
      ", &child, a, b, c, d)", "ptx_last_error("}},
    /* A device function of another module; recursion; exit within a function. */
    {".extern .func _Zother(.param .b32 a);\n.weak .func f(.param .b32 a) {\n.reg .pred %p;\n"
     ".param .b32 b;\n@%p call _Zother, (b);\n@%p call f, (a);\n@!%p exit;\nret;\n}",
     {"bool x__Zother(uint8_t *p0);", "__attribute__((weak)) bool x_f(uint8_t *p1);",
      "{ if (x_f(p1)) { return true; } }", "if (!r0) { return true; }"}},
    /* The catalogue's name of an entry. */
    {".entry _Zk() { ret; }\n.global .u64 simt_entry_name = _Zk;",
     {"kernel_0 = {\"name\", (const void *)x__Zk, simt_call_entry};"}},
    /* Carry chains, braces of mov, a constant of each kind. */
    {".entry k() {\n.reg .b32 %r<4>;\n.reg .b64 %rd;\n.reg .f32 %f;\n.reg .f64 %d;\n"
     ".reg .pred %p;\nadd.cc.u32 %r0, %r1, 052;\naddc.u32 %r2, %r3, 0b101;\nmov.b64 %rd, {%r0, "
     "%r2};\n"
     "mov.b64 {%r0, _}, %rd;\nadd.f32 %f, %f, 1.5;\nadd.f64 %d, %d, 0d3FF0000000000000;\n"
     "add.u32 %r0, %r1, -1;\nadd.u32 %r0, WARP_SZ, 7U;\nmov.pred %p, 1;\nmov.u32 _, %tid.x;\n}",
     {"uint32_t cc = 0;", "UINT64_C(0x2a)", "f32_of_bits((uint32_t)UINT64_C(0x3fc00000))",
      "UINT64_C(0xffffffffffffffff)"}},
    /* What is skipped. */
    {"# 1 \"x\"\n/* * / */ // here\n.pragma \"nounroll\";\n.section .debug_str\n{\n.b8 1, {2}\n}\n"
     ".section .debug_loc { }\n.entry k() {\n.pragma \"nounroll\";\n;\nnanosleep.u32 5;\n"
     "prefetch.global.L2 [0];\nmembar.cta;\ntrap;\n}",
     {"simt_fence(SIMT_BLOCK);", "simt_trap("}},
    /* Addresses of each space. */
    {".extern .global .b32 o;\n.extern .global .b32 o;\n.global .b32 g;\n.shared .b32 s[4];\n"
     ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n.entry k(.param .u64 p) {\n"
     ".local .b64 l;\n.reg .b64 %rd;\n.reg .b32 %r;\n"
     "mov.u64 %rd, l;\nmov.u64 %rd, p;\nmov.u64 %rd, g+8;\nmov.u64 %rd, o;\nmov.u32 %r, s+4;\n"
     "mov.u32 %r, s;\nld.u32 %r, [g+-4];\nld.shared.u32 %r, [8];\nst.local.u64 [l], %rd;\n"
     "cvta.shared.u64 %rd, %rd;\ncvta.to.shared.u64 %rd, %rd;\n}",
     {"(uint64_t)(uintptr_t)l", "(v2 + UINT64_C(8))", "(UINT64_C(0) + UINT64_C(4))",
      "simt_shared_base + (uint32_t)(UINT64_C(8))"}},
    /* The operation in front of order and scope, as the toolkit's headers have it. */
    {".entry k(.param .u64 p) {\n.reg .b64 %rd;\n.reg .b32 %r;\nld.param.u64 %rd, [p];\n"
     "atom.add.release.gpu.u32 %r,[%rd],5;\natom.or.acq_rel.cta.b32 %r,[%rd],%r;\n"
     "red.and.relaxed.cta.b32 [%rd],%r;\natom.exch.sys.b32 %r,[%rd],%r;\n"
     "atom.cas.acquire.sys.b32 %r,[%rd],%r,1;\n}",
     {"SIMT_DEVICE, SIMT_RELEASE", "SIMT_BLOCK, SIMT_ACQ_REL", "SIMT_BLOCK, SIMT_RELAXED",
      "SIMT_SYSTEM, SIMT_RELAXED"}},
    /* Textures that no kernel looks up. */
    {".visible .global .texref t;\n.global .samplerref s;\n.global .surfref u;\n"
     ".entry k() { ret; }",
     {"{\"t\", &x_t, 8, 8, 8, 0, false, 0, 0},"}},
    /* Where a cooperative launch has its barrier. */
    {".entry k() {\n.reg .b32 %r<2>;\nmov.u32 %r0, %envreg1;\nmov.u32 %r1, %envreg2;\n}",
     {"static uint64_t grid_workspace;\n", "(grid_workspace >> 32)", "(grid_workspace)",
      "{\"the workspace of the grid\", &grid_workspace, 8, 8, 4, 0, false, 0, 0},"}},
    /* Within braces: a label and a table from outside, registers of a prefix declared twice. */
    {".entry k() {\n.reg .b32 %r<9>;\nL:\nT: .branchtargets L;\n{\n.reg .b64 %r<4>;\nbra L;\n"
     "brx.idx %r8, T;\nmov.b64 %r2, 0;\n}\n}",
     {"goto L0;\n", "switch ((ptx_u32)((uint32_t)r0)) { case 0: goto L0;", "r1 = (uint64_t)"}},
    {".common .global .b32 x;\n.visible .func (.param .b32 r) g(.param .b32 a);\n"
     ".visible .func (.param .b32 r) g(.param .b32 a);\n"
     ".visible .func (.param .b32 r) g(.param .b32 a) { ret; }\n"
     ".visible .func (.param .b32 r) g(.param .b32 a);",
     {"bool x_g(uint8_t *p"}},
    /* Local arrays, which accesses are held to. */
    {".entry k() {\n.local .align 4 .b8 a[16];\n.local .b64 b;\n.reg .b64 %rd;\n.reg .b32 %r;\n"
     "mov.u64 %rd, a;\nld.local.u32 %r, [%rd+16];\nst.local.v2.u32 [%rd], {%r, %r};\n}",
     {"rooms[] = {{(uintptr_t)l0, 16}, {(uintptr_t)l1, 8}, };\n",
      "= {0, rooms, 2};\nsimt_enter_frame(&frame);\n", "at, 4, false, l0, 16); simt_read_w4(",
      "at, 8, true, l0, 16); simt_write_w8("}},
    /* A parameter that is handed on till a function takes its address, and one that is not. */
    {".func f(.param .b32 b);\n.func g(.param .b32 c);\n.func h(.param .b32 d);\n"
     ".entry k() {\n.param .b32 a;\n.param .b32 e;\ncall f, (a);\ncall h, (e);\n}\n"
     ".func f(.param .b32 b) { call g, (b); }\n.func g(.param .b32 c) {\n.reg .b64 %rd;\n"
     ".reg .b32 %r;\nmov.u64 %rd, c;\nld.param.u32 %r, [%rd+4];\n}\n"
     ".func h(.param .b32 d) {\n.reg .b32 %r;\nld.param.u32 %r, [d];\n}",
     {"simt_check_private((places", "at, 4, false); simt_read_w4(", "rooms[] = {{(uintptr_t)p",
      ", 4}, };\n", "= {0, rooms, 1};\n"}},
    /* To where that is not seen: another module, or whatever a register holds. */
    {".extern .func _Zother(.param .b32 a);\n.entry k() {\n.param .b32 a, b, c;\n.reg .b64 %rd;\n"
     "P: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall _Zother, (a);\n"
     "call (b), %rd, (c), P;\n}",
     {"= {0, rooms, 3};\n"}},
    {NULL, {NULL}},
};
