/* SPDX-License-Identifier: MIT */
#include "decode_tables.h"

#include <stddef.h>

/* A call on line 10 of a.cu, and in it one on line 11 and one on line 12, each between two labels.
 */
#define INLINED(version, low, high, second_low, second_high)                                       \
    ".file 1 \"a.cu\"\n.file 2 \"/usr/include/x.h\"\n.entry k() {\nL1:\n.loc 2 5 3\nbar.sync 0;\n" \
    "L2:\n.loc 2 5 3\nbar.sync 0;\nL3:\n.loc 1 13 3\nbar.sync 0;\nret;\n}\n"                       \
    ".section .debug_abbrev {\n"                                                                   \
    ".b8 1, 29, 1, 17, 1, 18, 1, 88, 11, 89, 5, 0, 0\n"                                            \
    ".b8 2, 29, 0, 17, 1, 18, 1, 88, 11, 89, 15, 0, 0\n.b8 0\n}\n"                                 \
    ".section .debug_info {\n.b32 9\n.b8 " version "\n.b8 0\n.b32 .debug_abbrev\n.b8 8\n"          \
    ".b8 1\n.b64 L1\n.b64 L3\n.b8 1, 10, 0\n.b8 2\n.b64 " low "\n.b64 " high "\n.b8 1, 11\n"       \
    ".b8 2\n.b64 " second_low "\n.b64 " second_high "\n.b8 1, 12\n.b8 0, 0\n}\n"

const struct acceptance accepted_modules[] = {
    /* The CUDA source's file and line, and those of the call that it was inlined into. */
    {".file 1 \"kernels/a.cu\"\n.file 2 \"b \\\"c\\\".cuh\", 1, 2\n"
     ".entry k() {\n.reg .b32 %r<2>;\n.loc 1 10 3\n"
     ".loc 2 20 5, function_name f+4, inlined_at 1 10 3\nbar.sync 0;\nret;\n}",
     {"1 barrier, b \"c\".cuh:20 in kernels/a.cu:10\n"}},
    /* All calls that it was inlined into, without those in the toolkit's headers. */
    {".file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n.file 3 \"/usr/include/x.h\"\n.entry k() {\n"
     ".loc 1 10 3\n.loc 3 15 4, function_name f, inlined_at 1 10 3\n"
     ".loc 2 18 1, function_name f, inlined_at 3 15 4\n"
     ".loc 2 20 5, function_name f, inlined_at 2 18 1\nbar.sync 0;\nret;\n}",
     {"1 barrier, b.cuh:20 in b.cuh:18 in a.cu:10\n"}},
    /* A location in the toolkit's headers counts as the kernel's own line. */
    {".file 1 \"a.cu\"\n.file 2 \"/usr/include/x.h\"\n.entry k() {\n.loc 1 10 3\n"
     ".loc 2 20 5, function_name f, inlined_at 1 10 3\nbar.sync 0;\n.loc 1 0 0\nbar.sync 0;\n"
     "ret;\n}",
     {"1 barrier, a.cu:10\n2 barrier, a.cu:10\n"}},
    /* A folder "include" of the user's is no library. */
    {".file 1 \"a.cu\"\n.file 2 \"/home/user/include/x.cuh\"\n.entry k() {\n.loc 1 10 3\n"
     ".loc 2 20 5, function_name f, inlined_at 1 10 3\nbar.sync 0;\nret;\n}",
     {"1 barrier, /home/user/include/x.cuh:20 in a.cu:10\n"}},
    /* clang has the calls in its debug information. Code of two calls has only what is around. */
    {INLINED("2", "L1", "L2", "L2", "L3"),
     {"barrier, a.cu:11 in a.cu:10\n", "barrier, a.cu:12 in a.cu:10\n", "barrier, a.cu:13\n"}},
    {INLINED("2", "L1", "L3", "L2", "L3"),
     {"barrier, a.cu:11 in a.cu:10\n", "barrier, a.cu:10\n", "barrier, a.cu:13\n"}},
    {INLINED("3", "L1", "L2", "L2", "L3"), /* another version of DWARF */
     {"barrier, /usr/include/x.h:5\n", "barrier, /usr/include/x.h:5\n", "barrier, a.cu:13\n"}},
    {INLINED("2", "L3", "L1", "Lx", "Ly"), {"barrier, a.cu:10\n", "barrier, a.cu:10\n"}},
    {".entry k() {\nret;\n}\n.section .debug_abbrev { .b8 1, 29, 1, 255 }\n"
     ".section .debug_info { .b32 -9 }\n.section .debug_info { .b8 2 { }",
     {"exit"}},
    /* Without any .loc, the line of the PTX. */
    {".entry k() {\nbar.sync 0;\nret;\n}", {"1 barrier, t.ptx:5\n2 exit, t.ptx:6\n"}},
    /* Labels and registers belong to their braces. */
    {".entry k() {\n.reg .b32 %r<4>;\nL:\n{\n.reg .b64 %r<2>;\nL:\nmov.b64 %r1, 1;\n"
     "mov.b32 %r3, 3;\nbra L;\n}\nmov.b32 %r1, 2;\nbra L;\n}",
     {"k: 3 registers\n0 block", "copy 8, 0x1", "copy 4, 0x3", "branch 0,", "branch 0,"}},
    /* Consecutive labels start one block. A branch to any of them enters the block where it is
     * counted. */
    {".entry k() {\nbar.sync 0;\nA:\nB:\nC:\nbra B;\nbra C;\n}",
     {"2 block", "3 branch 2,", "4 block", "5 branch 2,"}},
    /* If two labels have one name, the inner one applies. */
    {".entry k() {\nL:\nbar.sync 0;\n{\nbar.sync 0;\nL:\nbra L;\n}\nbra L;\n}",
     {"0 block", "3 block", "4 branch 3,", "6 branch 0,"}},
    /* %r12 is number 12 of %r. Within the braces it is number 2 of %r1, which is declared later. */
    {".entry k() {\n.reg .b32 %r<20>;\n{\n.reg .b64 %r1<5>;\nmov.b64 %r12, 1;\n"
     "mov.b32 %r15, 1;\n}\nmov.b32 %r12, 1;\nret;\n}",
     {"k: 3 registers\n", "copy 8, 0x1", "copy 4, 0x1", "copy 4, 0x1"}},
    /* A switch. */
    {".entry k() {\n.reg .b32 %r;\nA:\nT: .branchtargets A, B, A;\nB:\nbrx.idx.uni %r, T;\n}",
     {"1 switch 0 0 0,"}},
    {".entry k() {\n.reg .b32 %r;\nA:\nT: .branchtargets A, B, A;\nbar.sync 0;\nB:\n"
     "brx.idx.uni %r, T;\n}",
     {"2 block", "3 switch 0 2 0,"}},
    /* An indirect call, and the function whose address it uses. */
    {".func (.param .b32 r) f(.param .b64 a) {\n.reg .b32 %r;\nmov.u32 %r, 7;\n"
     "st.param.b32 [r], %r;\nret;\n}\n.entry k() {\n.reg .b64 %rd;\nmov.u64 %rd, f;\n{\n.param "
     ".b64 a;\n.param .b32 r;\n"
     "P: .callprototype (.param .b32 _) _ (.param .b64 _);\nC: .calltargets f;\n"
     "call (r), %rd, (a), P;\ncall.uni (r), %rd, (a), C;\ncall (r), f, (a);\n}\n}",
     {"f: 1 registers", "k: 1 registers; local 0+8 8+4\n", "copy 8, 0x2007c0000000000",
      "call by address, 1 of 1,", "call f, 1 of 1,"}},
    /* Initial values: numbers of each width, addresses, trailing zeros. */
    {".extern .global .b8 other[];\n.func f { ret; }\n.const .align 4 .u16 small[4] = {1, 0x203};\n"
     ".visible .global .f32 one = 0f3F800000;\n"
     ".global .u64 at[4] = {other, generic(small+2)+4, f, -1};",
     {"small: const, 8 bytes = 01 00 03 02\n", "one: global, 4 bytes = 00 00 80 3f\n",
      "at: global, 32 bytes = 00", " ff ff ff ff ff ff ff ff @0 other+0 @8 small+6 @16 f+0\n"}},
    /* An .extern name is defined elsewhere in the file, and may be used before that. */
    {".extern .global .u32 x;\n.entry k() { .reg .b32 %r; ld.global.u32 %r, [x]; }\n"
     ".visible .global .u32 x = 5;\n.weak .global .v2 .f32 a, b;",
     {"x: global, 4 bytes = 05 00 00 00\na: global, 8 bytes\nb: global, 8 bytes\n"}},
    /* Vectors and guards. */
    {".entry k(.param .u64 a) {\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd;\n"
     "ld.param.u64 %rd, [a];\n@!%p1 ld.global.nc.v4.u32 {%r0, _, %r2, %r3}, [%rd+16];\n"
     "@%p1 st.volatile.global.v2.u32 [%rd], {%r0, 5};\n}",
     {"load, global, 4x4 at +16 unless,", "store, global, 2x4 at +0 if,"}},
    /* Shared memory: arrays that no kernel uses together overlap. */
    {".shared .align 16 .b8 a[20];\n.shared .align 8 .b8 b[8];\n.shared .align 8 .b8 c[4];\n"
     ".extern .shared .align 16 .b8 dynamic[];\n"
     ".func f { .reg .b32 %r; mov.u32 %r, c; ret; }\n"
     ".entry one() { .reg .b32 %r<3>; mov.u32 %r0, a; mov.u32 %r1, dynamic; call f; }\n"
     ".entry two() { .reg .b32 %r<3>; mov.u32 %r0, b; call f; }\n",
     {"one: 2 registers; special 24; shared a 0+20 c 24+4\n",
      "two: 1 registers; shared b 0+8 c 24+4\n"}},
    /* A shared array belongs to its function, so two arrays may have the same name. */
    {".entry one() { .shared .b32 s; .reg .b32 %r; mov.u32 %r, s; }\n"
     ".entry two() { .shared .b64 s; .reg .b32 %r; mov.u32 %r, s; }\n.shared .b32 s;",
     {"one: 1 registers; shared s 0+4\n", "two: 1 registers; shared s 0+8\n"}},
    /* Parameters, each at its alignment, and the block's shape. */
    {".entry k(.param .u8 a, .param .align 8 .b8 b[12], .param .u32 c, .param .u64 .ptr .global "
     ".align 16 d) .maxntid 32, 1, 1 .reqntid 64, 2 .minnctapersm 1 .pragma \"x\"; "
     ".noreturn { ret; }",
     {"; parameters 0+1 8+12 20+4 24+8\n"}},
    /* The runtime's functions. */
    {".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
     ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, "
     ".param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
     ".extern .func (.param .b32 r) cudaGetLastError();\n"
     ".entry k() { .param .b64 a; .param .align 4 .b8 d[12]; .param .b32 r; .param .b64 p;\n"
     "call.uni (r), vprintf, (a, a);\ncall (p), cudaGetParameterBufferV2, (a, d, d, r);\n"
     "call cudaGetLastError;\n}",
     {"1 library printf,", "2 library parameters,", "3 library last_error,"}},
    /* A device function of another module, recursion, and exit within a function. */
    {".extern .func _Zother(.param .b32 a);\n.weak .func f(.param .b32 a) {\n.reg .pred %p;\n"
     ".param .b32 b;\n@%p call _Zother, (b);\n@%p call f, (a);\n@!%p exit;\nret;\n}",
     {"1 call _Zother, 0 of 1 if,", "2 call f, 0 of 1 if,", "3 exit unless,", "return"}},
    /* The catalogue's name for an entry. */
    {".entry _Zk() { ret; }\n.global .u64 simt_entry_name = _Zk;",
     {" @0 _Zk+0\n", "_Zk: 0 registers\n"}},
    /* Carry chains, braces of mov, and a constant of each kind. */
    {".entry k() {\n.reg .b32 %r<4>;\n.reg .b64 %rd;\n.reg .f32 %f;\n.reg .f64 %d;\n"
     ".reg .pred %p;\nadd.cc.u32 %r0, %r1, 052;\naddc.u32 %r2, %r3, 0b101;\nmov.b64 %rd, {%r0, "
     "%r2};\n"
     "mov.b64 {%r0, _}, %rd;\nadd.f32 %f, %f, 1.5;\nadd.f64 %d, %d, 0d3FF0000000000000;\n"
     "add.u32 %r0, %r1, -1;\nadd.u32 %r0, WARP_SZ, 7U;\nmov.pred %p, 1;\nmov.u32 _, %tid.x;\n}",
     {"compute 0x2a, carry,", "compute 0x5, carry,", "compute 0x3fc00000,",
      "compute 0x3ff0000000000000,", "compute 0xffffffff,"}},
    /* Skipped text. */
    {"# 1 \"x\"\n/* * / */ // here\n.pragma \"nounroll\";\n.section .debug_str\n{\n.b8 1, {2}\n}\n"
     ".section .debug_loc { }\n.entry k() {\n.pragma \"nounroll\";\n;\nnanosleep.u32 5;\n"
     "prefetch.global.L2 [0];\nmembar.cta;\ntrap;\n}",
     {"1 sleep,", "2 fence block,", "3 trap,"}},
    /* Addresses of each space. */
    {".extern .global .b32 o;\n.extern .global .b32 o;\n.global .b32 g;\n.shared .b32 s[4];\n"
     ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n.entry k(.param .u64 p) {\n"
     ".local .b64 l;\n.reg .b64 %rd;\n.reg .b32 %r;\n"
     "mov.u64 %rd, l;\nmov.u64 %rd, p;\nmov.u64 %rd, g+8;\nmov.u64 %rd, o;\nmov.u32 %r, s+4;\n"
     "mov.u32 %r, s;\nld.u32 %r, [g+-4];\nld.shared.u32 %r, [8];\nst.local.u64 [l], %rd;\n"
     "cvta.shared.u64 %rd, %rd;\ncvta.to.shared.u64 %rd, %rd;\n}",
     {"1 local_address +0,", "copy 8, 0x2007d0000000000,", "copy 8, 0x3000000008,",
      "copy 8, 0x1000000000,", "load, shared, 1x4 at +8,"}},
    /* The operation precedes order and scope, as in the toolkit's headers. */
    {".entry k(.param .u64 p) {\n.reg .b64 %rd;\n.reg .b32 %r;\nld.param.u64 %rd, [p];\n"
     "atom.add.release.gpu.u32 %r,[%rd],5;\natom.or.acq_rel.cta.b32 %r,[%rd],%r;\n"
     "red.and.relaxed.cta.b32 [%rd],%r;\natom.exch.sys.b32 %r,[%rd],%r;\n"
     "atom.cas.acquire.sys.b32 %r,[%rd],%r,1;\n}",
     {", device, release,", ", block, acq_rel,", ", block, relaxed,", ", system, relaxed,",
      ", system, acquire,"}},
    /* Constant expressions, in initial values and operands, with the values that ptxas gives them:
     * % is unsigned, and shifts count modulo 64. Braces do not fill up a row. */
    {".global .u32 a = (3 + 4) * 2 - 1, b = 1 << 4 | 3, c = 3 > 2 ? 5 : 6, d = ~0, e = !0;\n"
     ".global .s64 f[2] = {(.u64)-1 / 2, (.s64)-7 / 2};\n.global .u32 g[WARP_SZ] = {WARP_SZ, -7 % "
     "4};\n"
     ".entry k() {\n.reg .b32 %r;\n.reg .b64 %rd;\n.reg .f32 %f;\n"
     "mov.u32 %r, -(3 + 4);\nmov.u32 %r, ~3;\nmov.u32 %r, !3;\nmov.u32 %r, WARP_SZ * 2;\n"
     "mov.f32 %f, -1.5 * 2.0;\nmov.f32 %f, 15e-1;\nmov.f32 %f, 1.;\n"
     "ld.global.u32 %r, [%rd + 4 * 3 - 2];\n}",
     {"a: global, 4 bytes = 0d 00 00 00\n", "b: global, 4 bytes = 13 00 00 00\n",
      "c: global, 4 bytes = 05 00 00 00\n", "d: global, 4 bytes = ff ff ff ff\n",
      "e: global, 4 bytes = 01 00 00 00\n",
      "f: global, 16 bytes = ff ff ff ff ff ff ff 7f fd ff ff ff ff ff ff ff\n",
      "g: global, 128 bytes = 20 00 00 00 01 00 00 00\n", "copy 4, 0xfffffff9",
      "copy 4, 0xfffffffc", "copy 4, 0x0", "copy 4, 0x40", "copy 4, 0xc0400000",
      "copy 4, 0x3fc00000", "copy 4, 0x3f800000", "at +10"}},
    /* Initial values: rows, arrays without a size, decimal numbers, single bytes of an address. */
    {".global .u8 rows[2][3] = {{1}, {4, 5}};\n.global .v2 .u16 pairs[2] = {{1, 2}, {3, 4}};\n"
     ".global .u8 all[] = {1, 2, 3};\n.global .u8 pair[][2] = {{1}, {2, 3}, {4}};\n"
     ".global .f32 f[2] = {1.5, 0d3FF0000000000000};\n.global .f64 d = 0f3F800000, e = "
     "-25e-1;\n.global .b32 b = 1.5;\n"
     ".global .u8 at[2] = {0xff(all), 0xff0000(generic(all)+1)};\n.global .u32 n<2>;",
     {"rows: global, 6 bytes = 01 04 05\n", "pairs: global, 8 bytes = 01 00 02 00 03 00 04 00\n",
      "all: global, 3 bytes = 01 02 03\n", "pair: global, 6 bytes = 01 02 03 04\n",
      "f: global, 8 bytes = 00 00 c0 3f 00 00 80 3f\n",
      "d: global, 8 bytes = 00 00 80 3f 00 00 00 00\n",
      "e: global, 8 bytes = 00 00 00 00 00 00 04 c0\nb: global, 4 bytes = 00 00 c0 3f\n",
      "@0 all+0 byte 0 @1 all+1 byte 2\n", "n0: global, 4 bytes\n", "n1: global, 4 bytes\n"}},
    /* Vectors of registers. */
    {".entry k() {\n.reg .v4 .b32 v;\n.reg .align 8 .b64 %rd;\nmov.u32 v.x, 1;\nmov.u32 v.a, v.r;\n"
     "ld.global.v4.u32 v, [%rd];\n}",
     {"k: 5 registers\n", "copy 4, 0x1", "load, global, 4x4 at +0,"}},
    /* Parameters in registers, constants as arguments, and an alias. */
    {".func (.reg .b32 r) f(.reg .b32 a, .param .b32 b) .abi_preserve 8 .abi_preserve_control 4 "
     "{ mov.u32 r, a; ret; }\n"
     ".func .attribute(.unified(1, 2)) (.reg .b32 %r) g(.reg .b32 a, .param .b32 b);\n.alias g, "
     "f;\n"
     ".entry k() {\n.reg .b32 %r;\n.reg .b64 %rd;\n"
     "P: .callprototype (.reg .b32 _) _ (.reg .b32 _, .param .b32 _) .abi_preserve 8;\n"
     "call (%r), f, (%r, 7);\ncall (%r), g, (5, %r);\ncall (%r), %rd, (%r, %r), P;\n}",
     {"f: 2 registers\n", "g: 2 registers\n", "call f, 1 of 2,", "call g, 1 of 2,",
      "call by address, 1 of 2,"}},
    /* Attributes, pragmas and locations in each form. */
    {".global .attribute(.managed, .unified(19, 95)) .f32 %x;\n.pragma \"a\", \"b\";\n.file 1 "
     "\"a.cu\"\n"
     ".entry k() .pragma \"a\", \"b\"; {\n.reg .b32 %r;\n.loc 1 1 1\n"
     ".loc 1 2 1, function_name .debug_str+8, inlined_at 1 1 1\nld.global.u32 %r, [%x];\n}",
     {"%x: global, 4 bytes\n", "load, global, 1x4 at +0,"}},
    /* Unused textures. */
    {".visible .global .texref t;\n.global .samplerref s;\n.global .surfref u;\n"
     ".entry k() { ret; }",
     {"t: global, 8 bytes\ns: global, 8 bytes\nu: global, 8 bytes\n"}},
    /* A cooperative launch's barrier address. */
    {".entry k() {\n.reg .b32 %r<2>;\nmov.u32 %r0, %envreg1;\nmov.u32 %r1, %envreg2;\n}",
     {"k: 2 registers; special 23 22\n"}},
    /* Within braces: a label and a table from outside, and registers of a prefix declared twice. */
    {".entry k() {\n.reg .b32 %r<9>;\nL:\nT: .branchtargets L;\n{\n.reg .b64 %r<4>;\nbra L;\n"
     "brx.idx %r8, T;\nmov.b64 %r2, 0;\n}\n}",
     {"k: 2 registers\n", "branch 0,", "switch 0,", "copy 8, 0x0,"}},
    /* Functions that are declared twice, before and after their bodies. */
    {".common .global .b32 x;\n.visible .func (.param .b32 r) g(.param .b32 a);\n"
     ".visible .func (.param .b32 r) g(.param .b32 a);\n"
     ".visible .func (.param .b32 r) g(.param .b32 a) { ret; }\n"
     ".visible .func (.param .b32 r) g(.param .b32 a);",
     {"g: 0 registers\n"}},
    /* Local arrays, which accesses must stay within. */
    {".entry k() {\n.local .align 4 .b8 a[16];\n.local .b64 b;\n.reg .b64 %rd;\n.reg .b32 %r;\n"
     "mov.u64 %rd, a;\nld.local.u32 %r, [%rd+16];\nst.local.v2.u32 [%rd], {%r, %r};\n}",
     {"k: 2 registers; local 0+16 16+8\n", "load, local, 1x4 at +16,", "store, local, 2x4 at +0,"}},
    /* A parameter that calls pass on until a function takes its address, and one without that. */
    {".func f(.param .b32 b);\n.func g(.param .b32 c);\n.func h(.param .b32 d);\n"
     ".entry k() {\n.param .b32 a;\n.param .b32 e;\ncall f, (a);\ncall h, (e);\n}\n"
     ".func f(.param .b32 b) { call g, (b); }\n.func g(.param .b32 c) {\n.reg .b64 %rd;\n"
     ".reg .b32 %r;\nmov.u64 %rd, c;\nld.param.u32 %r, [%rd+4];\n}\n"
     ".func h(.param .b32 d) {\n.reg .b32 %r;\nld.param.u32 %r, [d];\n}",
     {"f: 0 registers; local 0+4\n", "g: 2 registers; local 0+4\n", "1 local_address +0,",
      "h: 1 registers\n", "k: 0 registers; local 0+4\n"}},
    /* Parameters that go to unknown code: another module, or an indirect call. */
    {".extern .func _Zother(.param .b32 a);\n.entry k() {\n.param .b32 a, b, c;\n.reg .b64 %rd;\n"
     "P: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall _Zother, (a);\n"
     "call (b), %rd, (c), P;\n}",
     {"k: 1 registers; local 0+4 8+4 16+4\n"}},
    {NULL, {NULL}},
};
